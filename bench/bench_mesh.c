// Cost of a mesh before any question: building, checking and moving a million triangles (vertices numbered along the sheet, and in
// random order, where every access misses the cache), the same triangles as a soup that is welded, and a million tetrahedra. One
// thread; processor time in ms, best of five.
#define _POSIX_C_SOURCE 200809L
#include "measure.h"
#include "base/random.h"
#include "mesh/mesh.h"
#include "snag/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

static void *must(void *memory)
{
    if (memory == NULL) {
        fputs("bench_mesh: out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

static void must_be_ok(snag_status status)
{
    if (status != SNAG_OK) {
        fprintf(stderr, "bench_mesh: %s\n", snag_status_name(status));
        exit(2);
    }
}

static void measure(const char *what, const snag_body_def *def)
{
    snag_allocator allocator = snag__default_allocator();
    double build = INFINITY, check = INFINITY, move = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        snag__mesh mesh;
        snag__mesh_error error;
        double start = measure_cpu_ms();
        must_be_ok(snag__mesh_from_def(def, &allocator, &mesh, &error));
        build = fmin(build, measure_cpu_ms() - start);
        snag__buffer issues = {0};
        snag_mesh_report report;
        start = measure_cpu_ms();
        must_be_ok(snag__mesh_check(&mesh, &issues, &report));
        check = fmin(check, measure_cpu_ms() - start);
        start = measure_cpu_ms();
        must_be_ok(snag__mesh_move(&mesh, def->positions, false, &snag__alone, NULL, &error));
        move = fmin(move, measure_cpu_ms() - start);
        if (i + 1 == REPEATS)
            printf("%-22s %8u vertices %8u triangles %7u tets: build %4.0f, check %4.0f, move %5.1f\n", what, mesh.vertex_count,
                   mesh.triangle_count, mesh.tet_count, build, check, move);
        snag__buffer_free(&allocator, &issues);
        snag__mesh_free(&mesh);
    }
}

static snag_body_def surface_of(const snag_shape *shape)
{
    return (snag_body_def){.positions = snag_positions_f64(shape->positions, shape->vertex_count),
                           .triangles = shape->triangles,
                           .triangle_count = shape->triangle_count};
}

static void renumber_at_random(snag_shape *shape)
{
    size_t count = shape->vertex_count;
    uint32_t *number = must(malloc(count * sizeof *number));
    double *moved = must(malloc(3 * count * sizeof *moved));
    snag__random random = {1};
    for (size_t v = 0; v < count; v++) {
        size_t other = snag__random_below(&random, (uint32_t)v + 1);
        number[v] = number[other];
        number[other] = (uint32_t)v;
    }
    for (size_t v = 0; v < count; v++)
        memcpy(moved + 3 * (size_t)number[v], shape->positions + 3 * v, 3 * sizeof *moved);
    for (size_t i = 0; i < 3 * shape->triangle_count; i++)
        shape->triangles[i] = number[shape->triangles[i]];
    memcpy(shape->positions, moved, 3 * count * sizeof *moved);
    free(moved);
    free(number);
}

// As in an STL file: each triangle has its own three vertices, in single precision.
static void measure_soup(const snag_shape *shape)
{
    size_t corners = 3 * shape->triangle_count;
    float *positions = must(malloc(3 * corners * sizeof *positions));
    uint32_t *triangles = must(malloc(corners * sizeof *triangles));
    for (size_t i = 0; i < corners; i++) {
        triangles[i] = (uint32_t)i;
        for (int c = 0; c < 3; c++)
            positions[3 * i + c] = (float)shape->positions[3 * (size_t)shape->triangles[i] + c];
    }
    snag_body_def def = {.positions = snag_positions_f32(positions, corners),
                         .triangles = triangles,
                         .triangle_count = shape->triangle_count,
                         .weld = true};
    measure("welded soup", &def);
    uint32_t *vertex_of = must(malloc(corners * sizeof *vertex_of));
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = measure_cpu_ms();
        must_be_ok(snag_mesh_weld(def.positions, NULL, vertex_of));
        best = fmin(best, measure_cpu_ms() - start);
    }
    printf("%-22s %8zu vertices: weld %.0f\n", "welding alone", corners, best);
    free(vertex_of);
    free(triangles);
    free(positions);
}

int main(void)
{
    snag_shape sheet, block;
    must_be_ok(snag_shape_sheet(1000, 500, 1, 1, &sheet));
    snag_body_def surface = surface_of(&sheet);
    measure("sheet", &surface);
    measure_soup(&sheet);
    renumber_at_random(&sheet);
    measure("sheet, random numbers", &surface);
    snag_shape_free(&sheet);

    must_be_ok(snag_shape_block(58, 58, 59, 1, &block));
    snag_body_def volume = {
        .positions = snag_positions_f64(block.positions, block.vertex_count), .tets = block.tets, .tet_count = block.tet_count};
    measure("block", &volume);
    snag_shape_free(&block);
    return 0;
}
