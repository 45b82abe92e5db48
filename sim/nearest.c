#include "nearest.h"

#include <string.h>

static void way_to_segment(const double p[3], const double a[3], const double b[3], double way[3])
{
    double along[3], from_a[3];
    snag__subtract3(b, a, along);
    snag__subtract3(p, a, from_a);
    double square = snag__dot3(along, along), t = square > 0 ? snag__dot3(from_a, along) / square : 0;
    snag__subtract3(a, p, way);
    snag__add_scaled3(way, fmin(fmax(t, 0), 1), along);
}

// Whether p projects to the inside of the triangle; the way then runs along its normal.
static bool way_to_plane(const double p[3], const double *const corner[3], double way[3])
{
    double u[3], w[3], n[3], from[3];
    snag__subtract3(corner[1], corner[0], u);
    snag__subtract3(corner[2], corner[0], w);
    snag__cross3(u, w, n);
    double square = snag__dot3(n, n);
    for (int k = 0; k < 3 && square > 0; k++) {
        double edge[3], aside[3];
        snag__subtract3(corner[(k + 1) % 3], corner[k], edge);
        snag__subtract3(p, corner[k], from);
        snag__cross3(edge, from, aside);
        if (snag__dot3(aside, n) < 0)
            return false;
    }
    if (!(square > 0))
        return false;
    snag__subtract3(p, corner[0], from);
    memset(way, 0, 3 * sizeof *way);
    snag__add_scaled3(way, -snag__dot3(from, n) / square, n);
    return true;
}

// The best result so far.
typedef struct found {
    const double *along;
    double distance;
    double way[3];
} found;

static void keep_shorter(const double way[3], found *f)
{
    double length = snag__length3(way);
    if (length >= f->distance)
        return;
    f->distance = length;
    memcpy(f->way, way, 3 * sizeof *way);
}

static bool faces(const double *const corner[3], const double along[3])
{
    double u[3], w[3], n[3];
    snag__subtract3(corner[1], corner[0], u);
    snag__subtract3(corner[2], corner[0], w);
    snag__cross3(u, w, n);
    return snag__dot3(n, along) > 0;
}

static void search_triangle(const double p[3], const double *const corner[3], found *f)
{
    double to[3];
    if (f->along != NULL && !faces(corner, f->along))
        return;
    if (way_to_plane(p, corner, to)) {
        keep_shorter(to, f);
        return;
    }
    for (int k = 0; k < 3; k++) {
        way_to_segment(p, corner[k], corner[(k + 1) % 3], to);
        keep_shorter(to, f);
    }
}

// ---- blocks of triangles ----

enum { BLOCK = 16 };

static size_t block_end(const snag__nearest *nearest, size_t block)
{
    size_t end = BLOCK * (block + 1);
    return end < nearest->shape->triangle_count ? end : nearest->shape->triangle_count;
}

bool snag__nearest_create(snag__nearest *nearest, const snag_shape *shape, const double (*x)[3], snag__sim_memory *memory)
{
    size_t count = (shape->triangle_count + BLOCK - 1) / BLOCK;
    *nearest = (snag__nearest){.shape = shape, .x = x, .boxes = snag__sim_new(memory, count + 1, sizeof *nearest->boxes)};
    nearest->box_count = nearest->boxes != NULL ? count : 0;
    return nearest->boxes != NULL;
}

void snag__nearest_refit(snag__nearest *nearest)
{
    for (size_t b = 0; b < nearest->box_count; b++) {
        double(*box)[3] = nearest->boxes[b];
        for (int k = 0; k < 3; k++) {
            box[0][k] = HUGE_VAL;
            box[1][k] = -HUGE_VAL;
        }
        for (size_t i = 3 * (BLOCK * b); i < 3 * block_end(nearest, b); i++) {
            const double *x = nearest->x[nearest->shape->triangles[i]];
            for (int k = 0; k < 3; k++) {
                box[0][k] = fmin(box[0][k], x[k]);
                box[1][k] = fmax(box[1][k], x[k]);
            }
        }
    }
}

static bool box_is_within(double (*box)[3], const double p[3], double distance)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double off = fmax(fmax(box[0][k] - p[k], p[k] - box[1][k]), 0);
        sum += off * off;
    }
    return sum < distance * distance;
}

double snag__nearest_surface(const snag__nearest *nearest, const double p[3], const double *along, double reach, double way[3])
{
    found f = {.along = along, .distance = nextafter(reach, HUGE_VAL)};
    bool any = false;
    for (size_t b = 0; b < nearest->box_count; b++) {
        if (!box_is_within(nearest->boxes[b], p, f.distance))
            continue;
        double before = f.distance;
        for (size_t t = BLOCK * b; t < block_end(nearest, b); t++) {
            const uint32_t *c = nearest->shape->triangles + 3 * t;
            const double *corner[3] = {nearest->x[c[0]], nearest->x[c[1]], nearest->x[c[2]]};
            search_triangle(p, corner, &f);
        }
        any = any || f.distance < before;
    }
    if (!any)
        return HUGE_VAL;
    memcpy(way, f.way, sizeof f.way);
    return f.distance;
}
