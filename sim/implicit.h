// One step of backward Euler for points held together by any model of forces, with obstacles and pins.
#ifndef SNAG_SIM_IMPLICIT_H
#define SNAG_SIM_IMPLICIT_H

#include <stdint.h>

#include "memory.h"
#include "obstacle.h"
#include "snag/base.h"
#include "vector.h"

// What holds the points together. Forces are linearised at the present state: K = -df/dx, D = -df/dv, both made
// positive semi-definite, so that a step of any length has one solution. Work is asked for in ranges, which may run side by
// side: what is written to belongs to the range, and sums have an order that depends on the ranges alone.
typedef struct snag__model {
    void *self;
    uint32_t point_count;  // that it holds together
    uint32_t element_count;  // that `prepare` goes over
    // A step of length h begins. NULL here and below: there is nothing to do.
    void (*begin)(void *self, double h);
    // What elements from..to-1 are to know at x before points are asked for.
    void (*prepare)(void *self, const double (*x)[3], uint32_t from, uint32_t to);
    // For points from..to-1: adds the forces at x (without gravity, damping and friction) to `force`, remembers their rows of
    // h^2 K + h D, and adds the diagonal blocks (xx, yy, zz, xy, xz, yz) to `diagonal`.
    void (*linearise)(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6]);
    // y += (h^2 K + h D) x, rows from..to-1
    void (*multiply)(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y);
    // What the deformation at x has taken up, J.
    double (*energy)(const void *self, const double (*x)[3]);
} snag__model;

#define SNAG__PLANE 255

// What a point is bound by during a step.
typedef enum snag__hold {
    SNAG__FREE = 0,
    SNAG__SLIDING,  // may not move along the normal
    SNAG__STICKING,  // held by friction: may not move at all
    SNAG__PINNED,  // goes where it is told
} snag__hold;

typedef struct snag__pin {
    uint32_t point;
    double target[3];  // where the point is to be at the end of the step
} snag__pin;

// A moving plane that a point must not sink below: where it touches a mesh.
typedef struct snag__plane {
    double place[3], normal[3];
    double velocity[3];
    double clearance;
    double friction;
    bool set;
} snag__plane;

typedef struct snag__implicit {
    // Set by the builder of a scene.
    uint32_t count;
    double (*x)[3];
    double (*v)[3];
    double *mass;
    double *clearance;  // the distance each point keeps from obstacles
    snag__model model;
    const snag__obstacle *obstacles;
    uint32_t obstacle_count;
    snag__pin *pins;
    uint32_t pin_count;
    double gravity;  // along -z
    const snag__plane *planes;  // one for each point; NULL: none
    double (*support)[3];  // forces of others on each point, such as those of contacts that last; NULL: none
    double drag;  // 1/s: how fast air slows the points down
    snag_tasks tasks;  // who runs ranges of points; zero: the caller, one after the other
    double tolerance;  // of the linear solver, relative
    uint32_t max_iterations;
    double furthest;  // that a point may go in one step; 0: any distance

    // Kept from step to step: how each point was held, and by which obstacle (SNAG__PLANE: its plane).
    uint8_t *hold;
    uint8_t *holder;

    // Scratch of one step.
    double (*force)[3];
    float (*diagonal)[6];
    float *step_mass;  // mass and drag
    snag__f4 (*inverse)[3];  // columns of the inverted diagonal blocks
    snag__f4 *normal;
    double *sums;  // one for each range of points
    snag__f4 *change, *rhs, *residual, *search, *product, *scaled;
    uint32_t iterations;  // that the last step took
    uint32_t exploded;  // the point that made the last step fail
} snag__implicit;

// Makes room for `count` points; false if memory is short. Masses, the model and the constants are the caller's to set.
bool snag__implicit_create(snag__implicit *system, uint32_t count, snag__sim_memory *memory);

// Advances x and v by h. False if the outcome is not finite, or a point is faster than any scene allows or goes too far; x, v, hold and
// holder are then spoilt, and the caller must put back what he kept.
bool snag__implicit_step(snag__implicit *system, double h);

// Puts all points that are not pinned out of the obstacles, for whoever has moved them.
void snag__implicit_push_out(snag__implicit *system);

// Faster than anything in a scene can be, m/s: a point beyond it means that the step has exploded.
#define SNAG__SPEED_LIMIT 100.0

// Whether all points are finite and slower than anything in a scene can be; sets `exploded` if not.
bool snag__implicit_is_sane(snag__implicit *system);

#endif
