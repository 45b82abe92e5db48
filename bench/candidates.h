// Input of the triangle benchmarks: a mesh file in plain arrays, and all pairs of its triangles with overlapping boxes. Valid C and
// C++, so that other libraries can be measured on the same pairs.
#ifndef SNAG_BENCH_CANDIDATES_H
#define SNAG_BENCH_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snag/io.h"

typedef struct candidates {
    size_t vertex_count, triangle_count;
    double (*positions)[3];
    uint32_t (*triangles)[3];
    // Pairs (lower, higher), sorted: first those without a shared vertex, then the others.
    uint32_t (*pairs)[2];
    size_t pair_count, unshared_count;
} candidates;

typedef struct candidate_box {
    double lo[3], hi[3];
    uint32_t triangle;
} candidate_box;

static int candidate_box_order(const void *a, const void *b)
{
    double x = ((const candidate_box *)a)->lo[0], y = ((const candidate_box *)b)->lo[0];
    return (x > y) - (x < y);
}

static int candidate_pair_order(const void *a, const void *b)
{
    const uint32_t *p = (const uint32_t *)a, *q = (const uint32_t *)b;
    return p[0] != q[0] ? (p[0] > q[0] ? 1 : -1) : (p[1] > q[1]) - (p[1] < q[1]);
}

static bool candidates_share(const candidates *c, uint32_t t, uint32_t u)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (c->triangles[t][i] == c->triangles[u][j])
                return true;
    return false;
}

// Sweeps along x; with pairs NULL it only counts.
static size_t candidates_sweep(const candidate_box *boxes, size_t count, uint32_t (*pairs)[2])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && boxes[j].lo[0] <= boxes[i].hi[0]; j++) {
            const candidate_box *a = &boxes[i], *b = &boxes[j];
            if (a->lo[1] > b->hi[1] || b->lo[1] > a->hi[1] || a->lo[2] > b->hi[2] || b->lo[2] > a->hi[2])
                continue;
            if (pairs) {
                pairs[found][0] = a->triangle < b->triangle ? a->triangle : b->triangle;
                pairs[found][1] = a->triangle < b->triangle ? b->triangle : a->triangle;
            }
            found++;
        }
    return found;
}

static void candidates_find(candidates *c)
{
    candidate_box *boxes = (candidate_box *)malloc(c->triangle_count * sizeof *boxes);
    for (size_t t = 0; t < c->triangle_count; t++) {
        boxes[t].triangle = (uint32_t)t;
        for (int k = 0; k < 3; k++) {
            double x = c->positions[c->triangles[t][0]][k], y = c->positions[c->triangles[t][1]][k];
            double z = c->positions[c->triangles[t][2]][k];
            boxes[t].lo[k] = x < y ? (x < z ? x : z) : (y < z ? y : z);
            boxes[t].hi[k] = x > y ? (x > z ? x : z) : (y > z ? y : z);
        }
    }
    qsort(boxes, c->triangle_count, sizeof *boxes, candidate_box_order);
    c->pair_count = candidates_sweep(boxes, c->triangle_count, NULL);
    c->pairs = (uint32_t(*)[2])malloc(c->pair_count * sizeof *c->pairs);
    uint32_t(*shared)[2] = (uint32_t(*)[2])malloc(c->pair_count * sizeof *c->pairs);
    candidates_sweep(boxes, c->triangle_count, c->pairs);
    qsort(c->pairs, c->pair_count, sizeof *c->pairs, candidate_pair_order);
    size_t shared_count = 0;
    c->unshared_count = 0;
    for (size_t i = 0; i < c->pair_count; i++) {
        bool shares = candidates_share(c, c->pairs[i][0], c->pairs[i][1]);
        memcpy(shares ? shared[shared_count++] : c->pairs[c->unshared_count++], c->pairs[i], sizeof *c->pairs);
    }
    memcpy(c->pairs + c->unshared_count, shared, shared_count * sizeof *shared);
    free(shared);
    free(boxes);
}

// Reads a triangle mesh of one body and finds its candidates. Prints errors to stderr.
static bool candidates_read(const char *path, candidates *c)
{
    snag_io_mesh mesh;
    snag_io_error error;
    memset(c, 0, sizeof *c);
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    const snag_io_body *body = mesh.bodies;
    bool good = mesh.body_count == 1 && body->polygon_sizes == NULL;
    if (good) {
        c->vertex_count = body->vertex_count;
        c->triangle_count = body->polygon_count;
        c->positions = (double(*)[3])malloc(c->vertex_count * sizeof *c->positions);
        c->triangles = (uint32_t(*)[3])malloc(c->triangle_count * sizeof *c->triangles);
        memcpy(c->positions, body->positions, c->vertex_count * sizeof *c->positions);
        memcpy(c->triangles, body->polygon_vertices, c->triangle_count * sizeof *c->triangles);
        candidates_find(c);
    } else {
        fprintf(stderr, "%s: not one body of triangles\n", path);
    }
    snag_io_mesh_free(&mesh);
    return good;
}

static void candidates_free(candidates *c)
{
    free(c->positions);
    free(c->triangles);
    free(c->pairs);
    memset(c, 0, sizeof *c);
}

#endif
