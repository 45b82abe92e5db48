// Links hold the pairs of triangles that share a vertex, all of them and no others, by the corner that they share; and what is
// proven apart at a corner is taken away, and nothing else.
#include "base/random.h"
#include "bound/leaf_adjacency.h"
#include "helpers/grove.h"
#include "helpers/surfaces.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct linked {
    grove grove;
    snag__leaf_adjacency adjacency;
} linked;

static void adjacent_shapes(linked *l, snag_shape *shapes, uint32_t count)
{
    grove_plant(&l->grove, shapes, count);
    const snag__bvh *bvh = &l->grove.bvh;
    l->adjacency = (snag__leaf_adjacency){0};
    assert_true(snag__leaf_adjacency_start(&l->adjacency, bvh, &l->grove.allocator));
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        const snag__tree *tree = &bvh->trees[i];
        uint32_t *slot_of = malloc((tree->mesh->triangle_count + 1u) * sizeof *slot_of);
        for (uint32_t slot = tree->first_slot; slot < tree->first_slot + tree->slot_count; slot++)
            slot_of[bvh->elements[slot]] = slot;
        assert_true(snag__leaf_adjacency_learn(&l->adjacency, bvh, tree, slot_of, MOST, &l->grove.allocator));
        free(slot_of);
    }
}

static void unlink_shapes(linked *l)
{
    snag__leaf_adjacency_free(&l->grove.allocator, &l->adjacency);
    grove_fell(&l->grove);
}

static const snag__leaf_table *table(const linked *l, const snag__leaf_table *tables, uint32_t stride, uint32_t a, uint32_t b)
{
    for (uint32_t i = l->adjacency.start[a / 16]; i < l->adjacency.start[a / 16 + 1]; i++)
        if (l->adjacency.other[i] == b / 16)
            return &tables[(size_t)stride * i];
    return NULL;
}

static uint32_t valence(const snag__mesh *mesh, uint32_t v)
{
    return mesh->vertex_triangles.start[v + 1] - mesh->vertex_triangles.start[v];
}

// Whether slot b's triangle has the vertex at corner c of slot a's, and the vertex is no star vertex of too many.
static bool shares(const snag__bvh *bvh, const snag__tree *tree, uint32_t a, uint32_t b, int c)
{
    const uint32_t *va = bvh->vertices + 3 * (size_t)a, *vb = bvh->vertices + 3 * (size_t)b;
    return a != b && (va[c] == vb[0] || va[c] == vb[1] || va[c] == vb[2]) && valence(tree->mesh, va[c]) <= MOST;
}

static void check_tree(const linked *l, const snag__tree *tree)
{
    const snag__bvh *bvh = &l->grove.bvh;
    uint32_t end = tree->first_slot + tree->slot_count;
    for (uint32_t a = tree->first_slot; a < end; a++)
        for (uint32_t b = tree->first_slot; b < end; b++)
            for (int c = 0; c < 3; c++) {
                const snag__leaf_table *rows = table(l, &l->adjacency.corner[0][0], 3, a, b);
                bool is_linked = rows != NULL && (rows[c].row[a % 16] >> b % 16 & 1);
                assert_int_equal(is_linked, shares(bvh, tree, a, b, c));
            }
}

static snag_shape shape_of(uint32_t number, snag__random *random)
{
    snag_shape shape = {0};
    switch (number % 4) {
    case 0: assert_int_equal(snag_shape_sheet(11, 13, 1, 1, &shape), SNAG_OK); break;
    case 1: assert_int_equal(snag_shape_icosphere(2, 1, &shape), SNAG_OK); break;
    case 2: shape = surface_fan(200); break;  // a star vertex of too many, and star blocks of few
    default: shape = surface_soup(100, true, random); break;
    }
    return shape;
}

static void check_reverses(const linked *l)
{
    for (uint32_t leaf = 0; leaf < l->grove.bvh.slot_count / 16; leaf++)
        for (uint32_t adjacent = l->adjacency.start[leaf]; adjacent < l->adjacency.start[leaf + 1]; adjacent++) {
            uint32_t other = l->adjacency.other[adjacent], reverse = l->adjacency.reverse[adjacent];
            assert_in_range(reverse, l->adjacency.start[other], l->adjacency.start[other + 1] - 1);
            assert_int_equal(l->adjacency.other[reverse], leaf);
        }
}

static void adjacency_hold_all_triangles_that_share_a_vertex(void **state)
{
    (void)state;
    snag__random random = {6};
    for (uint32_t round = 0; round < 4; round++) {
        linked l;
        snag_shape shapes[2] = {shape_of(round, &random), shape_of(round + 1, &random)};
        adjacent_shapes(&l, shapes, 2);
        for (uint32_t i = 0; i < 2; i++)
            check_tree(&l, &l.grove.bvh.trees[i]);
        check_reverses(&l);
        unlink_shapes(&l);
    }
}

static void check_note(linked *l, uint32_t leaf, const snag__leaf_table proven[3], snag_isa isa)
{
    uint32_t first = l->adjacency.start[leaf], last = l->adjacency.start[leaf + 1];
    memset(l->adjacency.apart + first, 0x55, (last - first) * sizeof *l->adjacency.apart);
    snag__leaf_adjacency_kernels_for(isa)->note(&l->adjacency, leaf, proven);
    for (uint32_t adjacent = first; adjacent < last; adjacent++)
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t wanted = l->adjacency.other[adjacent] == leaf ? (2u << i) - 1u : 0;
            for (int c = 0; c < 3; c++)
                wanted |= proven[c].row[i] != 0 ? l->adjacency.corner[adjacent][c].row[i] : 0;
            assert_int_equal(l->adjacency.apart[adjacent].row[i], (uint16_t)wanted);
        }
}

static void what_is_proven_at_corners_is_taken_away(void **state)
{
    (void)state;
    snag__random random = {7};
    linked l;
    snag_shape shape = shape_of(0, &random);
    adjacent_shapes(&l, &shape, 1);
    uint32_t leaves = l.grove.bvh.slot_count / 16;
    for (int round = 0; round < 3; round++)
        for (uint32_t leaf = 0; leaf < leaves; leaf++) {
            snag__leaf_table proven[3];
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < 16; i++)
                    proven[c].row[i] = (uint16_t)(round == 0 || snag__random_below(&random, 2) == 0 ? 0 : UINT16_MAX);
            for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
                if (snag__isa_available((snag_isa)isa))
                    check_note(&l, leaf, (const snag__leaf_table *)proven, (snag_isa)isa);
        }
    unlink_shapes(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjacency_hold_all_triangles_that_share_a_vertex),
        cmocka_unit_test(what_is_proven_at_corners_is_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
