// One step of backward Euler for points under any force model, with obstacles and pins.
#ifndef SNAG_SIM_IMPLICIT_H
#define SNAG_SIM_IMPLICIT_H

#include <stdint.h>

#include "memory.h"
#include "obstacle.h"
#include "snag/base.h"
#include "vector.h"

// Force model. Forces are linearised at the current state: K = -df/dx, D = -df/dv, both made positive semi-definite, so that a
// step of any length has a unique solution. Work is split into ranges, which may run in parallel: each writes only its own range,
// and the order of sums depends only on the ranges.
typedef struct snag__model {
    void *self;
    uint32_t point_count;  // points it acts on
    uint32_t element_count;  // elements for `prepare`
    // Begins a step of length h. NULL here and below: nothing to do.
    void (*begin)(void *self, double h);
    // Prepares elements from..to-1 at x, before the calls for points.
    void (*prepare)(void *self, const double (*x)[3], uint32_t from, uint32_t to);
    // For points from..to-1: adds the forces at x (without gravity, damping and friction) to `force`, stores their rows of
    // h^2 K + h D, and adds the diagonal blocks (xx, yy, zz, xy, xz, yz) to `diagonal`.
    void (*linearise)(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6]);
    // y += (h^2 K + h D) x, rows from..to-1
    void (*multiply)(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y);
    // Elastic energy at x, J.
    double (*energy)(const void *self, const double (*x)[3]);
} snag__model;

#define SNAG__PLANE 255

// Constraint of a point during a step.
typedef enum snag__hold {
    SNAG__FREE = 0,
    SNAG__SLIDING,  // may not move along the normal
    SNAG__STICKING,  // held by friction: may not move at all
    SNAG__PINNED,  // moves to its target
} snag__hold;

typedef struct snag__pin {
    uint32_t point;
    double target[3];  // position at the end of the step
} snag__pin;

// A moving plane that a point must stay above: where it touches a mesh.
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
    double (*support)[3];  // external force on each point, such as from lasting contacts; NULL: none
    double drag;  // 1/s: air drag
    snag_tasks tasks;  // runs ranges of points; zero: the caller, sequentially
    double tolerance;  // of the linear solver, relative
    uint32_t max_iterations;
    double furthest;  // largest displacement of a point in one step; 0: no limit

    // Kept between steps: the constraint of each point, and its obstacle (SNAG__PLANE: its plane).
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
    uint32_t iterations;  // of the last step
    uint32_t exploded;  // the point that made the last step fail
} snag__implicit;

// Allocates `count` points; false: out of memory. The caller sets masses, model and constants.
bool snag__implicit_create(snag__implicit *system, uint32_t count, snag__sim_memory *memory);
// Moves the arrays to memory with room for `count` points; the number of points and their values stay. False: out of memory.
bool snag__implicit_reserve(snag__implicit *system, uint32_t count, snag__sim_memory *memory);

// Advances x and v by h. False if the result is not finite, or a point is faster than the speed limit or moves too far; x, v,
// hold and holder are then invalid, and the caller must restore its copies.
bool snag__implicit_step(snag__implicit *system, double h);

// Moves all unpinned points out of the obstacles, after their positions were changed from outside.
void snag__implicit_push_out(snag__implicit *system);

// Speed limit, m/s: a faster point means that the step exploded.
#define SNAG__SPEED_LIMIT 100.0

// Whether all points are finite and below the speed limit; sets `exploded` if not.
bool snag__implicit_is_sane(snag__implicit *system);

#endif
