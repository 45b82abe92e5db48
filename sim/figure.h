// Figures to be dressed: closed surfaces made by arithmetic that sway or walk, and the garments' patterns.
#ifndef SNAG_SIM_FIGURE_H
#define SNAG_SIM_FIGURE_H

#include "memory.h"
#include "models.h"
#include "snag/shapes.h"
#include "vector.h"

typedef enum snag__figure_kind {
    SNAG__FORM,  // a dressmaker's form: one round body that sways and turns
    SNAG__MAN,  // a trunk with a head, and two legs, that sways
    SNAG__WALKER,  // the same, slimmer, that walks on the spot
} snag__figure_kind;

// A vertex of a figure: how high on its part and how far around it.
typedef struct snag__figure_vertex {
    uint32_t part;  // 0: trunk, 1 and 2: legs
    double along, angle;
} snag__figure_vertex;

typedef struct snag__figure {
    snag__figure_kind kind;
    snag__figure_vertex *vertices;  // NULL of a figure that is not made here: all of it goes by `rest`
    size_t vertex_count;
    const double (*rest)[3];  // where its vertices are at time 0
} snag__figure;

// Fills the figure and its shape, of about so many triangles, posed at time 0. False if memory is short; free the shape.
bool snag__figure_make(snag__figure *figure, snag__figure_kind kind, double triangles, snag_shape *shape, snag__sim_memory *memory);
// Where the vertices are at a time, in seconds.
void snag__figure_pose(const snag__figure *figure, double time, double (*x)[3]);

// The radius of a figure's trunk at a height, before it is flattened.
double snag__figure_radius(snag__figure_kind kind, double z);
// How high a figure is.
double snag__figure_height(snag__figure_kind kind);
// Where a point that goes with the trunk is at a time; `x` is where it is at time 0.
void snag__figure_carry(snag__figure_kind kind, double time, const double rest[3], double x[3]);

// ---- garments ----

// How far from the axis a tube is, around and along; the heights of its two ends.
typedef struct snag__tube {
    uint32_t columns, rows;
    double bottom, top;
    double (*radius)(double angle, double z);
} snag__tube;

// Makers of garments, open where garments are open. False if memory is short.
bool snag__tube_make(const snag__tube *tube, snag_shape *shape);
// Trousers of `columns` around each leg and `rows` from hem to crotch; the waist ring is last. Sets how many it has.
bool snag__trousers_make(uint32_t columns, uint32_t rows, snag_shape *shape, uint32_t *waist);

#endif
