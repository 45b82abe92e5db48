// Shapes with the vertex numbers of their files, matched by corner positions.
#include "shapes.h"

#include <math.h>
#include <stdlib.h>

// Assimp stores floats and parses decimals with an error in the last digits.
#define TOLERANCE 1e-6

void snag__shapes_free(snag__shapes *shapes)
{
    for (size_t i = 0; i < shapes->shape_count; i++)
        free(shapes->shapes[i].positions);
    for (size_t i = 0; i < shapes->part_count; i++)
        free(shapes->parts[i].corners);
    free(shapes->shapes);
    free(shapes->parts);
    *shapes = (snag__shapes){0};
}

bool snag__shapes_grow(void **items, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    size_t larger = 2 * *capacity + 16;
    void *grown = larger <= SIZE_MAX / size ? realloc(*items, larger * size) : NULL;
    if (!grown)
        return false;
    *items = grown;
    *capacity = larger;
    return true;
}

bool snag__shapes_add(snag__shapes *shapes, snag__word name)
{
    if (!snag__shapes_grow((void **)&shapes->shapes, &shapes->shape_capacity, shapes->shape_count, sizeof *shapes->shapes))
        return false;
    shapes->shapes[shapes->shape_count++] = (snag__shape){.name = name};
    return true;
}

bool snag__shapes_add_part(snag__shapes *shapes)
{
    if (!snag__shapes_grow((void **)&shapes->parts, &shapes->part_capacity, shapes->part_count, sizeof *shapes->parts))
        return false;
    shapes->parts[shapes->part_count++] = (snag__shape_part){.shape = shapes->shape_count - 1};
    return true;
}

bool snag__shapes_corner(snag__shapes *shapes, uint32_t vertex)
{
    snag__shape_part *part = &shapes->parts[shapes->part_count - 1];
    if (!snag__shapes_grow((void **)&part->corners, &part->corner_capacity, part->corner_count, sizeof *part->corners))
        return false;
    part->corners[part->corner_count++] = vertex;
    return true;
}

// ---- validation ----

static bool is_sound(const snag__shape_part *part, size_t vertex_count)
{
    for (size_t c = 0; c < part->corner_count; c++)
        if (part->corners[c] >= vertex_count)
            return false;
    return part->corner_count > 0;
}

void snag__shapes_end(snag__shapes *shapes, double *positions, size_t vertex_count)
{
    snag__shape *shape = &shapes->shapes[shapes->shape_count - 1];
    size_t first = shapes->part_count, kept;
    shape->positions = positions;
    shape->vertex_count = vertex_count;
    bool finite = true;
    for (size_t k = 0; k < 3 * vertex_count; k++) {
        finite = finite && isfinite(positions[k]);
        shape->extent = fmax(shape->extent, fabs(positions[k]));
    }
    while (first > 0 && shapes->parts[first - 1].shape == shapes->shape_count - 1)
        first--;
    kept = first;
    for (size_t i = first; i < shapes->part_count; i++) {
        if (finite && is_sound(&shapes->parts[i], vertex_count))
            shapes->parts[kept++] = shapes->parts[i];
        else
            free(shapes->parts[i].corners);
    }
    shapes->part_count = kept;
    if (kept > first)
        return;
    free(positions);
    shapes->shape_count--;
}

// ---- lookup ----

static bool is_same(const snag__shapes *shapes, const snag__shape_part *part, const double *corners, size_t corner_count)
{
    const snag__shape *shape = &shapes->shapes[part->shape];
    double most = TOLERANCE * shape->extent;
    if (part->corner_count != corner_count)
        return false;
    for (size_t c = 0; c < corner_count; c++)
        for (size_t k = 0; k < 3; k++)
            if (!(fabs(corners[3 * c + k] - shape->positions[3 * (size_t)part->corners[c] + k]) <= most))
                return false;
    return true;
}

static bool has_name(const snag__shapes *shapes, const snag__shape_part *part, snag__word name)
{
    snag__word own = shapes->shapes[part->shape].name;
    return own.length == name.length && (name.length == 0 || memcmp(own.at, name.at, name.length) == 0);
}

const snag__shape_part *snag__shapes_find(snag__shapes *shapes, snag__word name, const double *corners, size_t corner_count)
{
    enum { NAMED, NEW, ANY, RULES };
    for (int rule = NAMED; rule < RULES; rule++)
        for (size_t i = 0; i < shapes->part_count; i++) {
            snag__shape_part *part = &shapes->parts[i];
            // Cheapest test first: a file may have thousands of equal bolts.
            if ((rule != ANY && part->taken) || (rule == NAMED && !has_name(shapes, part, name)))
                continue;
            if (!is_same(shapes, part, corners, corner_count))
                continue;
            part->taken = true;
            return part;
        }
    return NULL;
}
