// Models shared by simulated scenes (sim/scene_*.c) and by generated poses for benchmarks and tests (sim/posed/).
#ifndef SNAG_SIM_MODELS_H
#define SNAG_SIM_MODELS_H

#include <math.h>
#include <stdint.h>

#include "snag/shapes.h"

// ---- round bodies ----

// Radius by height, interpolated smoothly; round at both ends.
typedef struct snag__outline {
    const double (*points)[2];
    int count;
} snag__outline;

// A dressmaker's form: one round body, in metres.
static const double snag__form_points[][2] = {{0.00, 0.000}, {0.03, 0.080}, {0.40, 0.120}, {0.75, 0.170}, {0.95, 0.115},
                                              {1.15, 0.160}, {1.32, 0.110}, {1.40, 0.055}, {1.50, 0.050}, {1.55, 0.000}};
static const snag__outline snag__form = {snag__form_points, sizeof snag__form_points / sizeof *snag__form_points};

// Scale along x and y of a unit circle around a trunk.
#define SNAG__FIGURE_WIDE 1.2
#define SNAG__FIGURE_DEEP 0.85

static inline double snag__outline_radius(const snag__outline *o, double z)
{
    int i = 0;
    while (i < o->count - 2 && z > o->points[i + 1][0])
        i++;
    double s = (z - o->points[i][0]) / (o->points[i + 1][0] - o->points[i][0]);
    s = fmin(fmax(s, 0), 1);
    s = i == 0 ? sqrt(s) : i == o->count - 2 ? 1 - sqrt(1 - s) : s * s * (3 - 2 * s);
    return o->points[i][1] + s * (o->points[i + 1][1] - o->points[i][1]);
}

// ---- tubes ----

// The two triangles between a, b and, above them, c, d, split along one diagonal or the other. Returns the end of the output.
static inline uint32_t *snag__put_quad(uint32_t *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool even)
{
    const uint32_t first[6] = {a, b, d, a, d, c}, second[6] = {a, b, c, b, d, c};
    for (int k = 0; k < 6; k++)
        t[k] = even ? first[k] : second[k];
    return t + 6;
}

// Triangles of a tube of columns x rows cells, open at both ends; vertices are ordered by rings.
static inline void snag__put_tube(uint32_t *t, uint32_t columns, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t a = row * columns + column, b = row * columns + (column + 1) % columns;
            t = snag__put_quad(t, a, b, a + columns, b + columns, (row + column) % 2 == 0);
        }
}

// ---- the setups of the spatial hashing paper's table 1 ----

typedef struct snag__setup {
    const char *name;
    uint32_t bodies;
    uint32_t cells[3];  // of five tetrahedra each
} snag__setup;

enum { SNAG__SETUP_A, SNAG__SETUP_B, SNAG__SETUP_C, SNAG__SETUP_E, SNAG__SETUP_M, SNAG__SETUPS };
static const snag__setup snag__setups[SNAG__SETUPS] = {
    {"A", 100, {2, 1, 1}}, {"B", 8, {10, 10, 1}}, {"C", 20, {10, 10, 1}}, {"E", 100, {10, 10, 1}}, {"M", 5, {34, 34, 35}},
};

// Setup D: two vessels, rods of this many cells with a round section, wound into helices around each other.
static const uint32_t snag__vessel_cells[3] = {5, 5, 82};
#define SNAG__VESSEL_RADIUS 5.0  // of the helix, in cells

// Maps a square section to a round one: square rings become circles.
static inline void snag__round_section(const double x[3], double *u, double *w)
{
    double ring = fmax(fabs(x[0]), fabs(x[1])), length = sqrt(x[0] * x[0] + x[1] * x[1]);
    *u = length > 0 ? x[0] * ring / length : 0;
    *w = length > 0 ? x[1] * ring / length : 0;
}

// The rows of the rotation matrix about x, then y, then z.
static inline void snag__turn_rows(const double angle[3], double rows[3][3])
{
    double ca = cos(angle[0]), sa = sin(angle[0]), cb = cos(angle[1]), sb = sin(angle[1]), cc = cos(angle[2]), sc = sin(angle[2]);
    const double made[3][3] = {{cb * cc, -cb * sc, sb},
                               {ca * sc + sa * sb * cc, ca * cc - sa * sb * sc, -sa * cb},
                               {sa * sc - ca * sb * cc, sa * cc + ca * sb * sc, ca * cb}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            rows[i][k] = made[i][k];
}

#endif
