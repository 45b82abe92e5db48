// Figures to dress: generated closed surfaces that sway or walk, and the patterns of garments.
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

// A vertex of a figure: its position along and around its part.
typedef struct snag__figure_vertex {
    uint32_t part;  // 0: trunk, 1 and 2: legs
    double along, angle;
} snag__figure_vertex;

typedef struct snag__figure {
    snag__figure_kind kind;
    snag__figure_vertex *vertices;  // NULL for a figure from a file: it moves by `rest`
    size_t vertex_count;
    const double (*rest)[3];  // vertex positions at time 0
} snag__figure;

// Builds the figure and its shape of about the given number of triangles, posed at time 0. False: out of memory; free the shape.
bool snag__figure_make(snag__figure *figure, snag__figure_kind kind, double triangles, snag_shape *shape, snag__sim_memory *memory);
// Vertex positions at a time, in seconds.
void snag__figure_pose(const snag__figure *figure, double time, double (*x)[3]);

// The radius of a figure's trunk at a height, before it is flattened.
double snag__figure_radius(snag__figure_kind kind, double z);
// Height of a figure.
double snag__figure_height(snag__figure_kind kind);
// Position at a time of a point that moves with the trunk; `x` is its position at time 0.
void snag__figure_carry(snag__figure_kind kind, double time, const double rest[3], double x[3]);

// ---- garments ----

// Radius of a tube, around and along; the heights of its two ends.
typedef struct snag__tube {
    uint32_t columns, rows;
    double bottom, top;
    double (*radius)(double angle, double z);
} snag__tube;

// Build garments with their openings. False: out of memory.
bool snag__tube_make(const snag__tube *tube, snag_shape *shape);
// Trousers of `columns` around each leg and `rows` from hem to crotch; the waist ring, of `*waist` vertices, comes last.
bool snag__trousers_make(uint32_t columns, uint32_t rows, snag_shape *shape, uint32_t *waist);

#endif
