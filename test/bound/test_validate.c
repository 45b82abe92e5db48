// Validators accept what is built, and notice a structure that is broken in any of several ways.
#include "bound/regions.h"
#include "bound/sphere_tree.h"
#include "bound/surface_tree.h"
#include "helpers/grove.h"
#include "helpers/test.h"

#include <math.h>
#include <string.h>

static snag_shape sphere(void)
{
    snag_shape shape = {0};
    assert_int_equal(snag_shape_icosphere(3, 1, &shape), SNAG_OK);
    return shape;
}

// A structure is not valid with a word of it replaced, and valid once it is put back.
#define NOTICED(word, value, valid)                                                                                                \
    do {                                                                                                                           \
        __typeof__(word) kept_ = (word);                                                                                           \
        (word) = (value);                                                                                                          \
        assert_false(valid);                                                                                                       \
        (word) = kept_;                                                                                                            \
        assert_true(valid);                                                                                                        \
    } while (0)

static void a_broken_bvh_is_noticed(void **state)
{
    (void)state;
    grove g;
    snag_shape shapes[2] = {sphere(), sphere()};
    grove_plant(&g, shapes, 2);
    snag__bvh *bvh = &g.bvh;
    const snag__node *root = &bvh->nodes[bvh->trees[1].root];
    assert_true(snag__bvh_validate(bvh));
    NOTICED(bvh->elements[5], bvh->elements[6], snag__bvh_validate(bvh));
    NOTICED(bvh->vertices[3], bvh->vertices[3] + 1, snag__bvh_validate(bvh));
    NOTICED(bvh->leaves[1], bvh->leaves[2], snag__bvh_validate(bvh));
    NOTICED(bvh->nodes[root->first].first, bvh->nodes[root->first].first + 1, snag__bvh_validate(bvh));
    NOTICED(bvh->nodes[root->first].tree, 0, snag__bvh_validate(bvh));
    NOTICED(bvh->nodes[bvh->trees[1].root].leaf_children, (uint8_t)~root->leaf_children, snag__bvh_validate(bvh));
    NOTICED(bvh->node_bounds.hi[1][root->first], 10, snag__bvh_validate(bvh));
    NOTICED(bvh->slot_bounds.lo[2][3], -10, snag__bvh_validate(bvh));
    NOTICED(bvh->slot_bounds.lo[2][3], NAN, snag__bvh_validate(bvh));
    grove_fell(&g);
}

static void a_broken_surface_tree_is_noticed(void **state)
{
    (void)state;
    snag_shape shape = sphere();
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh = mesh_of(&shape);
    snag__surface_tree tree;
    snag__directions directions;
    assert_true(snag__surface_tree_build(&tree, &mesh, &allocator));
    snag__directions_make(62, &directions);
    snag__surface_tree_refit(&tree, &directions, &snag__alone, snag__isa_best());
    assert_true(snag__surface_tree_validate(&tree));
    NOTICED(tree.triangles[0], tree.triangles[1], snag__surface_tree_validate(&tree));
    NOTICED(tree.patches[1].parent, 7, snag__surface_tree_validate(&tree));
    NOTICED(tree.patches[1].slot_count, tree.patches[1].slot_count - 1, snag__surface_tree_validate(&tree));
    NOTICED(tree.patches[1].hi[0], 10, snag__surface_tree_validate(&tree));
    NOTICED(tree.patches[0].directions, 1, snag__surface_tree_validate(&tree));
    NOTICED(tree.patches[2].first_stored, (uint32_t)tree.stored_count + 1, snag__surface_tree_validate(&tree));
    NOTICED(tree.contours[1].next, tree.contours[1].next + 1, snag__surface_tree_validate(&tree));
    NOTICED(tree.vertex_slots[0], UINT32_MAX, snag__surface_tree_validate(&tree));
    snag__surface_tree_free(&allocator, &tree);
    snag__mesh_free(&mesh);
    snag_shape_free(&shape);
}

static void broken_regions_are_noticed(void **state)
{
    (void)state;
    snag_shape shape = sphere();
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh = mesh_of(&shape);
    snag__regions regions = {0};
    snag__buffer scratch = {0};
    assert_true(snag__regions_build(&regions, &mesh, false, &allocator, &scratch));
    snag__regions_update(&regions, &mesh, 1, &snag__alone, snag__isa_best());
    assert_true(snag__regions_validate(&regions, &mesh));
    NOTICED(regions.regions[0].parts.count, 3, snag__regions_validate(&regions, &mesh));
    NOTICED(regions.regions[1].level, 2, snag__regions_validate(&regions, &mesh));
    NOTICED(regions.elements[SNAG_EDGE][0], regions.elements[SNAG_EDGE][1], snag__regions_validate(&regions, &mesh));
    NOTICED(regions.elements[SNAG_TRIANGLE][4], 0, snag__regions_validate(&regions, &mesh));
    NOTICED(regions.leaves[1], regions.leaves[0], snag__regions_validate(&regions, &mesh));
    NOTICED(regions.bounds.lo[0][1], -10, snag__regions_validate(&regions, &mesh));
    snag__regions_free(&allocator, &regions);
    snag__buffer_free(&allocator, &scratch);
    snag__mesh_free(&mesh);
    snag_shape_free(&shape);
}

static void a_broken_sphere_tree_is_noticed(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    static const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
    static const uint8_t masks[COUNT] = {1, 3, 128, 255};
    snag_allocator allocator = snag__default_allocator();
    snag__sphere_tree tree = {0};
    snag__octants octants;
    snag__sphere_tree_begin(&tree, lo, hi, COUNT, false);
    snag__sphere_cut(snag__sphere_root(&tree), &octants);
    const snag__sphere_parts parts = {.count = COUNT, .masks = masks, .grey = 255};
    snag__sphere_level *level = snag__sphere_make(&tree, snag__sphere_root(&tree), &octants, &parts, &allocator);
    assert_non_null(level);
    assert_true(snag__sphere_tree_validate(&tree));
    NOTICED(tree.level_count, 2, snag__sphere_tree_validate(&tree));
    NOTICED(tree.bytes, tree.bytes + 1, snag__sphere_tree_validate(&tree));
    NOTICED(tree.oldest, NULL, snag__sphere_tree_validate(&tree));
    NOTICED(tree.root.below[0], NULL, snag__sphere_tree_validate(&tree));
    NOTICED(level->newer, level, snag__sphere_tree_validate(&tree));
    NOTICED(level->start[3], 0, snag__sphere_tree_validate(&tree));
    NOTICED(level->grey, 1, snag__sphere_tree_validate(&tree));
    NOTICED(level->depth, 5, snag__sphere_tree_validate(&tree));
    snag__sphere_tree_clear(&tree, &allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_bvh_is_noticed),
        cmocka_unit_test(a_broken_surface_tree_is_noticed),
        cmocka_unit_test(broken_regions_are_noticed),
        cmocka_unit_test(a_broken_sphere_tree_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
