// Small scenes for tests of the world and of methods.
#ifndef SNAG_TEST_SCENES_H
#define SNAG_TEST_SCENES_H

#include "base/random.h"
#include "snag/snag.h"

typedef struct scene_options {
    uint32_t threads;  // 0: as many as there are
    snag_isa isa;
    snag_allocator allocator;
    snag_tasks tasks;
} scene_options;

snag_world *scene_world(const scene_options *options);

// One of the instruction sets that this machine has: of any as many numbers in a row as there are, each is one of them.
snag_isa scene_isa(uint32_t number);

// Adds a shape as a surface or, if it has tetrahedra, as a volume, in float or double.
snag_status scene_add(snag_world *world, const snag_shape *shape, snag_scalar scalar, const char *name, snag_body_id *id);

// `count` triangles with vertices at random in a unit cube; with `grid` > 0 they snap to so many steps per side, which
// gives shared points, coplanar, touching and degenerate triangles; `share` vertices are drawn from a pool of half size.
snag_shape scene_soup(uint32_t count, uint32_t grid, bool share, snag__random *random);
// The same of tetrahedra.
snag_shape scene_tet_soup(uint32_t count, uint32_t grid, snag__random *random);
// A sheet crumpled by a sum of random waves, and put at a random height.
snag_shape scene_crumpled_sheet(uint32_t cells, double amplitude, snag__random *random);

// Shakes every vertex by up to `amount` in each direction.
void scene_shake(snag_shape *shape, double amount, snag__random *random);

// FNV hash of all contacts or pairs of an answer, and of its counts: equal answers, equal hash.
uint64_t scene_hash(const snag_answer *answer);

#endif
