#include "tangles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// splitmix64, uniform in [low, high).
static double range(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

// A height field over the plane: a sum of waves.
enum { WAVES = 4 };
typedef struct waves {
    double height[WAVES], along[WAVES][2], phase[WAVES];
} waves;

static waves waves_make(uint64_t *state, double height)
{
    waves w;
    for (int i = 0; i < WAVES; i++) {
        w.height[i] = range(state, 0.5, 1) * height / WAVES * 2;
        w.along[i][0] = range(state, -12, 12);
        w.along[i][1] = range(state, -12, 12);
        w.phase[i] = range(state, 0, 6.2831853);
    }
    return w;
}

static double waves_at(const waves *w, double x, double y)
{
    double z = 0;
    for (int i = 0; i < WAVES; i++)
        z += w->height[i] * sin(w->along[i][0] * x + w->along[i][1] * y + w->phase[i]);
    return z;
}

static snag_shape sheet(uint32_t cells)
{
    snag_shape shape;
    if (snag_shape_sheet(cells, cells, 1, 1, &shape) != SNAG_OK) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return shape;
}

static void lay(snag_shape *shape, uint64_t *state, double height)
{
    waves w = waves_make(state, height);
    double angle = range(state, 0, 6.2831853), shift_x = range(state, -0.3, 0.3), shift_y = range(state, -0.3, 0.3);
    double tilt_x = range(state, -0.06, 0.06), tilt_y = range(state, -0.06, 0.06), z = range(state, -0.02, 0.02);
    for (size_t i = 0; i < shape->vertex_count; i++) {
        double *p = &shape->positions[3 * i], x = p[0], y = p[1];
        p[0] = cos(angle) * x - sin(angle) * y + shift_x;
        p[1] = sin(angle) * x + cos(angle) * y + shift_y;
        p[2] = waves_at(&w, x, y) + z + tilt_x * x + tilt_y * y;
    }
}

// Runs the sheet back and forth over `folds` half circles of this radius.
static void fold(snag_shape *shape, uint64_t *state, int folds, double radius, double height)
{
    waves w = waves_make(state, height);
    double arc = 3.14159265 * radius, flat = (1 - arc * folds) / (folds + 1);
    for (size_t i = 0; i < shape->vertex_count; i++) {
        double *p = &shape->positions[3 * i], s = p[0] + 0.5, wave = waves_at(&w, p[0], p[1]);
        int part = 0;
        while (part < folds && s > flat + arc)
            s -= flat + arc, part++;
        double direction = part % 2 ? -1 : 1, end = part % 2 ? 0 : flat, x, z;
        if (s <= flat) {
            x = (part % 2 ? flat : 0) + direction * s;
            z = 2 * radius * part + wave;
        } else {
            double turn = (s - flat) / radius, rest = 0.5 * (1 + cos(2 * turn));
            x = end + direction * radius * sin(turn);
            z = 2 * radius * part + radius * (1 - cos(turn)) + wave * rest;
        }
        p[0] = x;
        p[2] = z;
    }
}

tangle tangle_make(tangle_kind kind, uint32_t cells, uint64_t seed)
{
    tangle t = {.count = kind == TANGLE_LAYERS ? 2 : 1};
    uint64_t state = seed * 2 + kind;
    for (size_t i = 0; i < t.count; i++)
        t.shapes[i] = sheet(cells);
    if (kind == TANGLE_FOLD) {
        double radius = range(&state, 0.02, 0.05);
        fold(&t.shapes[0], &state, seed % 2 ? 1 : 2, radius, range(&state, 2, 4) * radius);
        return t;
    }
    for (size_t i = 0; i < t.count; i++)
        lay(&t.shapes[i], &state, range(&state, 0.02, 0.07));
    return t;
}

void tangle_free(tangle *t)
{
    for (size_t i = 0; i < t->count; i++)
        snag_shape_free(&t->shapes[i]);
}
