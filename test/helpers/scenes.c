#include "helpers/scenes.h"

#include "base/isa.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

snag_world *scene_world(const scene_options *options)
{
    snag_world_def def = snag_default_world_def();
    def.threads = options->threads;
    def.isa = options->isa;
    def.allocator = options->allocator;
    def.tasks = options->tasks;
    def.number = 1;  // the same ids in every scene: answers of two worlds are compared byte for byte
    snag_world *world = NULL;
    return snag_world_create(&def, &world) == SNAG_OK ? world : NULL;
}

snag_isa scene_isa(uint32_t number)
{
    snag_isa available[SNAG_ISA_NEON];
    uint32_t count = 0;
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
        if (snag__isa_available((snag_isa)isa))
            available[count++] = (snag_isa)isa;
    return available[number % count];
}

static snag_positions positions_of(const snag_shape *shape, snag_scalar scalar, float *floats)
{
    if (scalar == SNAG_F64)
        return snag_positions_f64(shape->positions, shape->vertex_count);
    for (size_t i = 0; i < 3 * shape->vertex_count; i++)
        floats[i] = (float)shape->positions[i];
    return snag_positions_f32(floats, shape->vertex_count);
}

snag_status scene_add(snag_world *world, const snag_shape *shape, snag_scalar scalar, const char *name, snag_body_id *id)
{
    float *floats = malloc((3 * shape->vertex_count + 1) * sizeof *floats);
    snag_positions positions = positions_of(shape, scalar, floats);
    snag_status status;
    if (shape->tet_count > 0) {
        snag_body_def def = snag_default_body_def();
        def.positions = positions;
        def.tets = shape->tets;
        def.tet_count = shape->tet_count;
        def.name = name;
        status = snag_world_add(world, &def, id);
    } else {
        snag_body_def def = snag_default_body_def();
        def.positions = positions;
        def.triangles = shape->triangles;
        def.triangle_count = shape->triangle_count;
        def.name = name;
        status = snag_world_add(world, &def, id);
    }
    free(floats);
    return status;
}

static snag_shape soup(uint32_t count, uint32_t corners, uint32_t grid, bool share, snag__random *random)
{
    snag_shape shape = {0};
    uint32_t *elements = malloc(((size_t)count * corners + 1) * sizeof *elements);
    shape.vertex_count = share ? (size_t)count * corners / 2 + corners : (size_t)count * corners;
    shape.positions = malloc((3 * shape.vertex_count + 1) * sizeof(double));
    for (size_t i = 0; i < 3 * shape.vertex_count; i++)
        shape.positions[i] = grid > 0 ? (double)snag__random_below(random, grid + 1) / grid : snag__random_unit(random);
    for (uint32_t i = 0; i < count * corners; i++)
        elements[i] = share ? snag__random_below(random, (uint32_t)shape.vertex_count) : i;
    if (corners == 3) {
        shape.triangles = elements;
        shape.triangle_count = count;
    } else {
        shape.tets = elements;
        shape.tet_count = count;
    }
    return shape;
}

snag_shape scene_soup(uint32_t count, uint32_t grid, bool share, snag__random *random)
{
    return soup(count, 3, grid, share, random);
}

snag_shape scene_tet_soup(uint32_t count, uint32_t grid, snag__random *random)
{
    return soup(count, 4, grid, false, random);
}

snag_shape scene_crumpled_sheet(uint32_t cells, double amplitude, snag__random *random)
{
    snag_shape shape;
    assert_int_equal(snag_shape_sheet(cells, cells, 1, 1, &shape), SNAG_OK);
    for (int wave = 0; wave < 6; wave++) {
        double direction[3], push[3], phase = snag__random_range(random, 0, 6.3);
        for (int k = 0; k < 3; k++) {
            direction[k] = snag__random_range(random, -12, 12);
            push[k] = snag__random_range(random, -amplitude, amplitude);
        }
        for (size_t v = 0; v < shape.vertex_count; v++) {
            double *x = &shape.positions[3 * v];
            double s = sin(phase + direction[0] * x[0] + direction[1] * x[1] + direction[2] * x[2]);
            for (int k = 0; k < 3; k++)
                x[k] += push[k] * s;
        }
    }
    return shape;
}

void scene_shake(snag_shape *shape, double amount, snag__random *random)
{
    for (size_t i = 0; i < 3 * shape->vertex_count; i++)
        shape->positions[i] += snag__random_range(random, -amount, amount);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
    return hash;
}

uint64_t scene_hash(const snag_answer *answer)
{
    uint64_t hash = 0xcbf29ce484222325u;
    if (answer->contacts != NULL)
        hash = hash_bytes(hash, answer->contacts, answer->count * sizeof *answer->contacts);
    if (answer->pairs != NULL)
        hash = hash_bytes(hash, answer->pairs, answer->count * sizeof *answer->pairs);
    hash = hash_bytes(hash, &answer->count, sizeof answer->count);
    hash = hash_bytes(hash, &answer->degenerate, sizeof answer->degenerate);
    return hash_bytes(hash, &answer->earliest, sizeof answer->earliest);
}
