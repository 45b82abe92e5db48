#include "helpers/surfaces.h"

#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;

static snag_shape reserve(size_t vertices, size_t triangles)
{
    snag_shape shape = {.vertex_count = vertices, .triangle_count = triangles};
    shape.positions = malloc((3 * vertices + 1) * sizeof *shape.positions);
    shape.triangles = malloc((3 * triangles + 1) * sizeof *shape.triangles);
    return shape;
}

static void set(snag_shape *shape, size_t v, double x, double y, double z)
{
    shape->positions[3 * v] = x;
    shape->positions[3 * v + 1] = y;
    shape->positions[3 * v + 2] = z;
}

static void quad(snag_shape *shape, size_t number, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, a, c, d};
    memcpy(shape->triangles + 6 * number, corners, sizeof corners);
}

// A grid of vertices u x v with quads between them.
static snag_shape grid(uint32_t u, uint32_t v)
{
    snag_shape shape = reserve((size_t)(u + 1) * (v + 1), 2 * (size_t)u * v);
    for (uint32_t i = 0; i < u; i++)
        for (uint32_t j = 0; j < v; j++) {
            uint32_t a = i * (v + 1) + j;
            quad(&shape, (size_t)i * v + j, a, a + v + 1, a + v + 2, a + 1);
        }
    return shape;
}

snag_shape surface_moebius(uint32_t segments, uint32_t rows)
{
    snag_shape shape = reserve((size_t)segments * (rows + 1), 2 * (size_t)segments * rows);
    for (uint32_t i = 0; i < segments; i++)
        for (uint32_t j = 0; j <= rows; j++) {
            double t = TURN * i / segments, w = 0.6 * ((double)j / rows - 0.5);
            set(&shape, (size_t)i * (rows + 1) + j, (1 + w * cos(t / 2)) * cos(t), (1 + w * cos(t / 2)) * sin(t), w * sin(t / 2));
        }
    for (uint32_t i = 0; i < segments; i++)
        for (uint32_t j = 0; j < rows; j++) {
            uint32_t a = i * (rows + 1) + j, b = (i + 1) * (rows + 1) + j, c = b + 1;
            if (i + 1 == segments) {
                b = rows - j;
                c = rows - j - 1;
            }
            quad(&shape, (size_t)i * rows + j, a, b, c, a + 1);
        }
    return shape;
}

snag_shape surface_klein(uint32_t segments, uint32_t sides)
{
    snag_shape shape = reserve((size_t)segments * sides, 2 * (size_t)segments * sides);
    for (uint32_t i = 0; i < segments; i++)
        for (uint32_t j = 0; j < sides; j++) {
            double u = TURN * i / segments, v = TURN * j / sides;
            double r = 2 + cos(u / 2) * sin(v) - sin(u / 2) * sin(2 * v);
            set(&shape, (size_t)i * sides + j, r * cos(u), r * sin(u), sin(u / 2) * sin(v) + cos(u / 2) * sin(2 * v));
        }
    for (uint32_t i = 0; i < segments; i++)
        for (uint32_t j = 0; j < sides; j++) {
            uint32_t next = (j + 1) % sides, b = (i + 1) * sides + j, c = (i + 1) * sides + next;
            if (i + 1 == segments) {
                b = (sides - j) % sides;
                c = (sides - next) % sides;
            }
            quad(&shape, (size_t)i * sides + j, i * sides + j, b, c, i * sides + next);
        }
    return shape;
}

snag_shape surface_fan(uint32_t triangles)
{
    snag_shape shape = reserve(triangles + 2u, triangles);
    set(&shape, 0, 0, 0, 0.2);
    for (uint32_t i = 0; i <= triangles; i++)
        set(&shape, i + 1, cos(0.9 * TURN * i / triangles), sin(0.9 * TURN * i / triangles), 0);
    for (uint32_t i = 0; i < triangles; i++) {
        shape.triangles[3 * i] = 0;
        shape.triangles[3 * i + 1] = i + 1;
        shape.triangles[3 * i + 2] = i + 2;
    }
    return shape;
}

snag_shape surface_soup(uint32_t triangles, bool share, snag__random *random)
{
    snag_shape shape = reserve(share ? triangles : 3 * (size_t)triangles, triangles);
    for (size_t i = 0; i < 3 * shape.vertex_count; i++)
        shape.positions[i] = snag__random_unit(random);
    for (uint32_t i = 0; i < 3 * triangles; i++)
        shape.triangles[i] = share ? snag__random_below(random, triangles) : i;
    return shape;
}

snag_shape surface_spiral(uint32_t segments, uint32_t rows, double start, double end, double width, double turns)
{
    snag_shape shape = grid(rows, segments);
    for (uint32_t i = 0; i <= rows; i++)
        for (uint32_t j = 0; j <= segments; j++) {
            double part = (double)j / segments, t = TURN * turns * part;
            double r = start + (end - start) * part + width * i / rows;
            set(&shape, (size_t)i * (segments + 1) + j, r * cos(t), r * sin(t), 0);
        }
    return shape;
}

snag_shape surface_star(uint32_t rays, uint32_t rings, double depth)
{
    uint32_t sides = 4 * rays;
    snag_shape shape = reserve(1 + (size_t)sides * rings, (size_t)sides * (2 * rings - 1));
    set(&shape, 0, 0, 0, 0);
    for (uint32_t ring = 0; ring < rings; ring++)
        for (uint32_t i = 0; i < sides; i++) {
            double t = TURN * i / sides, r = (ring + 1.0) / rings * (1 - depth * (0.5 + 0.5 * cos(rays * t)));
            set(&shape, 1 + (size_t)ring * sides + i, r * cos(t), r * sin(t), 0);
        }
    size_t n = 0;
    for (uint32_t i = 0; i < sides; i++, n++) {
        const uint32_t corners[3] = {0, 1 + i, 1 + (i + 1) % sides};
        memcpy(shape.triangles + 3 * n, corners, sizeof corners);
    }
    for (uint32_t ring = 0; ring + 1 < rings; ring++)
        for (uint32_t i = 0; i < sides; i++, n += 2) {
            uint32_t a = 1 + ring * sides + i, b = 1 + ring * sides + (i + 1) % sides;
            const uint32_t corners[6] = {a, a + sides, b + sides, a, b + sides, b};
            memcpy(shape.triangles + 3 * n, corners, sizeof corners);
        }
    return shape;
}

snag_shape surface_roll(uint32_t cells, double turns, double gap)
{
    snag_shape shape = grid(cells, 3 * cells);
    for (uint32_t i = 0; i <= cells; i++)
        for (uint32_t j = 0; j <= 3 * cells; j++) {
            double t = TURN * turns * j / (3 * cells), r = 0.3 + gap * t / TURN;
            set(&shape, (size_t)i * (3 * cells + 1) + j, r * cos(t), (double)i / cells, r * sin(t));
        }
    return shape;
}

void surface_remove_triangles(snag_shape *shape, double part, snag__random *random)
{
    size_t kept = 0;
    for (size_t t = 0; t < shape->triangle_count; t++)
        if (snag__random_unit(random) >= part)
            memmove(shape->triangles + 3 * kept++, shape->triangles + 3 * t, 3 * sizeof *shape->triangles);
    shape->triangle_count = kept;
}

void surface_flip_triangles(snag_shape *shape, double part, snag__random *random)
{
    for (size_t t = 0; t < shape->triangle_count; t++)
        if (snag__random_unit(random) < part) {
            uint32_t *v = shape->triangles + 3 * t, swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
}

void surface_repeat_triangles(snag_shape *shape, uint32_t count, snag__random *random)
{
    shape->triangles = realloc(shape->triangles, 3 * (shape->triangle_count + count) * sizeof *shape->triangles);
    for (uint32_t i = 0; i < count; i++) {
        size_t t = snag__random_below(random, (uint32_t)shape->triangle_count);
        memcpy(shape->triangles + 3 * shape->triangle_count++, shape->triangles + 3 * t, 3 * sizeof *shape->triangles);
    }
}

void surface_slit(snag_shape *shape, snag__random *random)
{
    double a = snag__random_range(random, 0, TURN), middle = snag__random_range(random, -0.2, 0.2);
    double reach = snag__random_range(random, 0.1, 0.6);
    size_t vertices = shape->vertex_count;
    shape->positions = realloc(shape->positions, 6 * vertices * sizeof *shape->positions);
    memcpy(shape->positions + 3 * vertices, shape->positions, 3 * vertices * sizeof *shape->positions);
    shape->vertex_count = 2 * vertices;
    for (size_t t = 0; t < shape->triangle_count; t++) {
        uint32_t *v = shape->triangles + 3 * t;
        double side = 0;
        for (int k = 0; k < 3; k++)
            side += cos(a) * shape->positions[3 * v[k]] + sin(a) * shape->positions[3 * v[k] + 1] - middle;
        for (int k = 0; k < 3 && side > 0; k++) {
            double along = cos(a) * shape->positions[3 * v[k] + 1] - sin(a) * shape->positions[3 * v[k]];
            double across = cos(a) * shape->positions[3 * v[k]] + sin(a) * shape->positions[3 * v[k] + 1] - middle;
            // Vertices far from the cut, or beyond its end, stay shared.
            if (fabs(along) < reach && fabs(across) < 0.1)
                v[k] += (uint32_t)vertices;
        }
    }
}

void surface_bend(snag_shape *shape, double amplitude, snag__random *random)
{
    for (int wave = 0; wave < 4; wave++) {
        double direction[3], push[3], phase = snag__random_range(random, 0, TURN);
        for (int k = 0; k < 3; k++) {
            direction[k] = snag__random_range(random, -7, 7);
            push[k] = snag__random_range(random, -amplitude, amplitude);
        }
        for (size_t v = 0; v < shape->vertex_count; v++) {
            double *x = shape->positions + 3 * v;
            double s = sin(direction[0] * x[0] + direction[1] * x[1] + direction[2] * x[2] + phase);
            for (int k = 0; k < 3; k++)
                x[k] += push[k] * s;
        }
    }
}

void surface_snap(snag_shape *shape, double cell)
{
    for (size_t i = 0; i < 3 * shape->vertex_count; i++)
        shape->positions[i] = cell * round(shape->positions[i] / cell);
}

void surface_collapse(snag_shape *shape, uint32_t count, snag__random *random)
{
    for (uint32_t i = 0; i < count && shape->triangle_count > 0; i++) {
        const uint32_t *v = shape->triangles + 3 * (size_t)snag__random_below(random, (uint32_t)shape->triangle_count);
        memcpy(shape->positions + 3 * (size_t)v[0], shape->positions + 3 * (size_t)v[1], 3 * sizeof *shape->positions);
    }
}
