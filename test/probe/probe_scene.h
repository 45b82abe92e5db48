// Worlds for tests of queries: a few small bodies, closed and open, on grids and anywhere, and points and rays that hit their weak spots.
#ifndef TEST_PROBE_SCENE_H
#define TEST_PROBE_SCENE_H

#include "base/isa.h"
#include "base/random.h"
#include "helpers/hard.h"
#include "helpers/test.h"
#include "snag/snag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_BODIES = 4, SCENE_STYLES = 6 };

typedef struct probe_scene {
    snag_shape shape[SCENE_BODIES];  // as they are now
    snag_body_id id[SCENE_BODIES];
    uint32_t count;
} probe_scene;

static inline snag_world *probe_world(uint32_t threads, snag_isa isa)
{
    snag_world_def def = snag_default_world_def();
    def.threads = threads;
    def.isa = isa;
    def.number = 1;
    snag_world *world = NULL;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    return world;
}

static inline snag_positions probe_positions(const snag_shape *shape)
{
    return snag_positions_f64(shape->positions, shape->vertex_count);
}

static inline snag_body_id probe_add(snag_world *world, const snag_shape *shape)
{
    snag_body_def def = snag_default_body_def();
    def.positions = probe_positions(shape);
    def.triangles = shape->tet_count > 0 ? NULL : shape->triangles;
    def.triangle_count = shape->tet_count > 0 ? 0 : shape->triangle_count;
    def.tets = shape->tets;
    def.tet_count = shape->tet_count;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static inline void probe_round(snag_shape *shape, double cell)
{
    for (size_t i = 0; i < 3 * shape->vertex_count; i++)
        shape->positions[i] = round(shape->positions[i] / cell) * cell;
}

static inline void probe_jitter(snag_shape *shape, double by, snag__random *random)
{
    for (size_t i = 0; i < 3 * shape->vertex_count; i++)
        shape->positions[i] += snag__random_range(random, -by, by);
}

// One body. Styles: 0 grid solids, 1 smooth solids, 2 open sheets, 3 volumes, 4 clouds and needles, 5 any magnitude.
static inline snag_shape probe_shape(uint32_t style, snag__random *random)
{
    snag_shape shape = {0};
    uint32_t pick = snag__random_below(random, 3);
    switch (style) {
    case 0:
        if (pick == 0)
            snag_shape_box(1 + snag__random_below(random, 2), 2 + 2 * snag__random_below(random, 2), 2, 4, &shape);
        else if (pick == 1)
            snag_shape_icosphere(snag__random_below(random, 2), 3, &shape);
        else
            snag_shape_torus(6, 4, 3, 1.5, &shape);
        probe_round(&shape, 1);
        break;
    case 1:
        snag_shape_icosphere(1, snag__random_range(random, 0.5, 3), &shape);
        probe_jitter(&shape, 0.3, random);
        break;
    case 2:
        snag_shape_sheet(3, 3, 4, 4, &shape);
        if (pick > 0)
            probe_jitter(&shape, pick == 1 ? 1e-12 : 0.5, random);
        break;
    case 3:
        snag_shape_block(1 + snag__random_below(random, 2), 1, 2, 1, &shape);
        if (pick > 0)
            probe_jitter(&shape, 0.2, random);
        break;
    case 4:
        snag_shape_icosphere(0, 2, &shape);
        if (pick == 0)
            shape.triangle_count = 0;
        else
            for (size_t i = 0; i < shape.vertex_count; i++)
                shape.positions[3 * i] *= 1e-9;
        break;
    default:
        snag_shape_icosphere(0, 2, &shape);
        for (size_t i = 0; i < 3 * shape.vertex_count; i++)
            shape.positions[i] = pick == 0 ? hard_any_double(random) : shape.positions[i] * (pick == 1 ? 1e-200 : 1e200);
        break;
    }
    assert_non_null(shape.positions);
    double step = style == 0 || style == 2 ? 1.0 : 0.37;
    if (style < 5)
        snag_shape_transform(&shape, 1, step * hard_grid(random, 2), step * hard_grid(random, 2), 0);
    return shape;
}

static inline void probe_scene_make(probe_scene *scene, snag_world *world, uint32_t seed)
{
    snag__random random = {seed};
    *scene = (probe_scene){.count = 1 + snag__random_below(&random, SCENE_BODIES)};
    for (uint32_t i = 0; i < scene->count; i++) {
        uint32_t style = seed % SCENE_STYLES == 5 ? 5 : snag__random_below(&random, SCENE_STYLES - 1);
        scene->shape[i] = probe_shape(style, &random);
        scene->id[i] = probe_add(world, &scene->shape[i]);
    }
}

static inline void probe_scene_free(probe_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++)
        snag_shape_free(&scene->shape[i]);
}

static inline const double *probe_vertex(const probe_scene *scene, snag__random *random)
{
    const snag_shape *shape = &scene->shape[snag__random_below(random, scene->count)];
    return shape->positions + 3 * (size_t)snag__random_below(random, (uint32_t)shape->vertex_count);
}

// A point: on a vertex, in the middle of two or three, on the grid, anywhere, nudged, or far away.
static inline void probe_point(const probe_scene *scene, snag__random *random, double p[3])
{
    const double *a = probe_vertex(scene, random), *b = probe_vertex(scene, random), *c = probe_vertex(scene, random);
    uint32_t pick = snag__random_below(random, 8);
    for (int k = 0; k < 3; k++)
        switch (pick) {
        case 0: p[k] = a[k]; break;
        case 1: p[k] = a[k] / 2 + b[k] / 2; break;
        case 2: p[k] = a[k] / 4 + b[k] / 4 + c[k] / 2; break;
        case 3: p[k] = hard_grid(random, 5); break;
        case 4: p[k] = hard_grid(random, 10) / 2; break;
        case 5: p[k] = hard_nudged(random, a[k] / 2 + b[k] / 2); break;
        case 6: p[k] = snag__random_range(random, -4, 4); break;
        default: p[k] = snag__random_range(random, -4, 4) * 1e6; break;
        }
}

static inline snag_ray probe_ray(const probe_scene *scene, snag__random *random, bool segment)
{
    snag_ray ray = {.limit = segment ? 1 : INFINITY};
    double to[3];
    do {
        probe_point(scene, random, ray.origin);
        probe_point(scene, random, to);
        bool axis = snag__random_below(random, 4) == 0;
        uint32_t k = snag__random_below(random, 3);
        for (uint32_t i = 0; i < 3; i++) {
            if (axis && i != k)
                to[i] = ray.origin[i];
            ray.direction[i] = segment ? to[i] : to[i] - ray.origin[i];
        }
    } while (!isfinite(ray.direction[0]) || !isfinite(ray.direction[1]) || !isfinite(ray.direction[2]) ||
             (segment ? memcmp(ray.origin, ray.direction, sizeof to) == 0
                      : ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0));
    if (snag__random_below(random, 3) == 0)
        ray.limit = segment ? 0.5 : snag__random_below(random, 3);
    return ray;
}

// A body's triangles as the world numbers them.
typedef struct probe_mesh {
    const double (*x)[3];
    const uint32_t (*triangles)[3];
    const uint32_t (*tets)[4];
    size_t triangle_count, tet_count, vertex_count;
} probe_mesh;

static inline probe_mesh probe_mesh_of(const snag_world *world, const probe_scene *scene, uint32_t body)
{
    snag_body_info info;
    assert_int_equal(snag_world_body(world, scene->id[body], &info), SNAG_OK);
    return (probe_mesh){(const double(*)[3])scene->shape[body].positions,
                        (const uint32_t(*)[3])info.triangles,
                        (const uint32_t(*)[4])info.tets,
                        info.triangle_count,
                        info.tet_count,
                        info.vertex_count};
}

static inline void probe_corners(const probe_mesh *mesh, size_t t, const double *corner[3])
{
    for (int c = 0; c < 3; c++)
        corner[c] = mesh->x[mesh->triangles[t][c]];
}

// Moves all bodies away and back, so that the trees are refitted ones.
static inline void probe_scene_shake(probe_scene *scene, snag_world *world)
{
    for (uint32_t i = 0; i < scene->count; i++) {
        snag_shape *shape = &scene->shape[i];
        size_t bytes = 3 * shape->vertex_count * sizeof(double);
        double *other = malloc(bytes);
        for (size_t k = 0; k < 3 * shape->vertex_count; k++)
            other[k] = shape->positions[3 * shape->vertex_count - 1 - k] / 2;
        assert_int_equal(snag_world_move(world, scene->id[i], snag_positions_f64(other, shape->vertex_count)), SNAG_OK);
        free(other);
    }
    snag_closest_def def = snag_default_closest_def();
    snag_closest closest;
    const double origin[3] = {0, 0, 0};
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(origin, 1), &closest, NULL), SNAG_OK);
    for (uint32_t i = 0; i < scene->count; i++)
        assert_int_equal(snag_world_move(world, scene->id[i], probe_positions(&scene->shape[i])), SNAG_OK);
}

// Every number of threads and instruction set that queries are tried with.
typedef struct probe_way {
    uint32_t threads;
    snag_isa isa;
} probe_way;

static inline size_t probe_ways(probe_way ways[8])
{
    size_t count = 0;
    ways[count++] = (probe_way){1, SNAG_ISA_BEST};
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
        if (snag__isa_available((snag_isa)isa))
            ways[count++] = (probe_way){isa == SNAG_ISA_SCALAR ? 3 : 2, (snag_isa)isa};
    return count;
}

#endif
