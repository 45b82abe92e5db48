// Vertex stars: every vertex whose triangles form one is a star vertex once, and is proven just when its triangles' words say so, on every
// instruction set; and the leaves of what has changed are told.
#include "bound/vertex_star.h"
#include "helpers/grove.h"
#include "helpers/surfaces.h"

#include <stdlib.h>
#include <string.h>

typedef struct rig {
    grove grove;
    snag__vertex_stars vertex_stars;
    uint32_t *slot_of;
    uint16_t *turns;
} rig;

static void set_up(rig *r, snag_shape *shape)
{
    memset(r, 0, sizeof *r);
    grove_plant(&r->grove, shape, 1);
    const snag__bvh *bvh = &r->grove.bvh;
    r->slot_of = malloc(bvh->trees[0].slot_count * sizeof *r->slot_of);
    for (uint32_t slot = 0; slot < bvh->trees[0].slot_count; slot++)
        r->slot_of[bvh->elements[slot]] = slot;
    assert_true(snag__vertex_stars_start(&r->vertex_stars, bvh, &r->grove.allocator));
    assert_true(snag__vertex_stars_learn(&r->vertex_stars, bvh, &bvh->trees[0], r->slot_of, &r->grove.allocator));
    r->turns = calloc(bvh->slot_count + 2u, sizeof *r->turns);
    r->turns[bvh->slot_count] = SNAG__TURN_NONE;
}

static void tear_down(rig *r)
{
    free(r->slot_of);
    free(r->turns);
    snag__vertex_stars_free(&r->grove.allocator, &r->vertex_stars);
    grove_fell(&r->grove);
}

static snag_shape shape_of(int which, snag__random *random)
{
    snag_shape shape;
    switch (which) {
    case 0: assert_int_equal(snag_shape_sheet(23, 17, 1, 1, &shape), SNAG_OK); break;
    case 1: assert_int_equal(snag_shape_icosphere(3, 1, &shape), SNAG_OK); break;
    case 2: shape = surface_fan(40); break;
    case 3: shape = surface_moebius(60, 3); break;
    default: shape = surface_soup(300, true, random); break;
    }
    return shape;
}

// The star vertex of a vertex: 8 * star blocks + lane, or -1. Lanes that repeat another are not counted.
static int star_block_of(const snag__vertex_stars *vertex_stars, uint32_t vertex, int *times)
{
    int found = -1;
    *times = 0;
    for (uint32_t i = 0; i < vertex_stars->star_block_count; i++)
        for (int lane = 0; lane < SNAG__STAR_LANES; lane++)
            if (vertex_stars->star_blocks[i].vertex[lane] == vertex &&
                (lane == 0 || vertex_stars->star_blocks[i].vertex[lane - 1] != vertex)) {
                found = (int)i * SNAG__STAR_LANES + lane;
                ++*times;
            }
    return found;
}

// What the words of the triangles at a vertex say of it, in the words of vertex stars.h.
static bool is_vertex_star_by_words(const rig *r, uint32_t vertex, bool closed)
{
    const snag__mesh *mesh = &r->grove.meshes[0];
    for (int axis = 0; axis < 3; axis++) {
        bool one_way = true, other_way = true;
        int passes = 0;
        for (uint32_t i = mesh->vertex_triangles.start[vertex]; i < mesh->vertex_triangles.start[vertex + 1]; i++) {
            uint32_t t = mesh->vertex_triangles.items[i];
            uint16_t word = r->turns[r->slot_of[t]];
            int c = mesh->triangles[t][0] == vertex ? 0 : mesh->triangles[t][1] == vertex ? 1 : 2;
            one_way &= word >> (SNAG__TURN_FACING + axis) & 1;
            other_way &= word >> (SNAG__TURN_FACING + 3 + axis) & 1;
            passes += word >> (3 * c + axis) & 1;
        }
        if ((one_way || other_way) && (closed ? passes == 2 : passes < 2))
            return true;
    }
    return false;
}

// Mostly the same way and few passes, so that many vertices are proven and many are not.
static void change_words(rig *r, uint32_t one_in, snag__random *random)
{
    for (uint32_t slot = 0; slot < r->grove.bvh.trees[0].slot_count; slot++)
        if (snag__random_below(random, one_in) == 0) {
            uint32_t facing = snag__random_below(random, 8) == 0 ? snag__random_below(random, 64) : 9;
            r->turns[slot] =
                (uint16_t)((snag__random_below(random, 512) & snag__random_below(random, 512)) | facing << SNAG__TURN_FACING);
        }
}

static void check_proven(rig *r, const uint8_t *before)
{
    const snag__mesh *mesh = &r->grove.meshes[0];
    uint8_t *told = calloc(r->grove.bvh.slot_count / 16 + 1u, 1);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        int times, star_block = star_block_of(&r->vertex_stars, v, &times);
        if (star_block < 0) {
            assert_int_equal(r->vertex_stars.proven[v], 0);
            continue;
        }
        bool closed = r->vertex_stars.star_blocks[star_block / 8].closed >> star_block % 8 & 1;
        assert_int_equal(r->vertex_stars.proven[v], is_vertex_star_by_words(r, v, closed));
        assert_int_equal(r->vertex_stars.star_blocks[star_block / 8].proven >> star_block % 8 & 1, r->vertex_stars.proven[v]);
        for (uint32_t i = mesh->vertex_triangles.start[v]; i < mesh->vertex_triangles.start[v + 1]; i++)
            told[r->slot_of[mesh->vertex_triangles.items[i]] / 16] |= r->vertex_stars.proven[v] != before[v];
    }
    for (uint32_t leaf = 0; leaf < r->grove.bvh.slot_count / 16; leaf++)
        assert_int_equal(atomic_exchange(&r->vertex_stars.changed[leaf], 0), told[leaf]);
    free(told);
}

static void vertices_are_proven_by_the_words_of_their_triangles(void **state)
{
    (void)state;
    size_t proven = 0, vertices = 0;
    for (int which = 0; which < 5; which++)
        for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            if (!snag__isa_available((snag_isa)isa))
                continue;
            snag__random random = {(uint64_t)which + 1};
            snag_shape shape = shape_of(which, &random);
            rig r;
            set_up(&r, &shape);
            uint32_t count = r.grove.meshes[0].vertex_count;
            uint8_t *before = malloc(count);
            for (int step = 0; step < 6; step++) {
                memcpy(before, r.vertex_stars.proven, count);
                change_words(&r, step == 0 ? 1 : 20, &random);
                snag__vertex_star_kernels_for((snag_isa)isa)
                    ->prove(&r.vertex_stars, r.turns, 0, r.vertex_stars.star_block_count, r.vertex_stars.proven);
                check_proven(&r, before);
            }
            for (uint32_t v = 0; v < count; v++)
                proven += r.vertex_stars.proven[v];
            vertices += count;
            free(before);
            tear_down(&r);
        }
    assert_true(proven > vertices / 20 && proven < vertices);
}

// All of a manifold's vertices are star blocks, each once; its border's are open.
static void every_vertex_of_a_manifold_is_a_star_block_once(void **state)
{
    (void)state;
    snag__random random = {1};
    for (int which = 0; which < 2; which++) {
        snag_shape shape = shape_of(which, &random);
        rig r;
        set_up(&r, &shape);
        uint32_t open = 0;
        for (uint32_t v = 0; v < r.grove.meshes[0].vertex_count; v++) {
            int times, star_block = star_block_of(&r.vertex_stars, v, &times);
            assert_int_equal(times, 1);
            open += !(r.vertex_stars.star_blocks[star_block / 8].closed >> star_block % 8 & 1);
        }
        assert_int_equal(open, which == 0 ? 2 * (23 + 17) : 0);
        tear_down(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_proven_by_the_words_of_their_triangles),
        cmocka_unit_test(every_vertex_of_a_manifold_is_a_star_block_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
