// Boxes in quantized boxes hold the boxes they stand for: whatever overlaps in floats overlaps in quantized boxes, wherever the bodies are, and little
// else does; and where leaves are too unlike each other there are none.
#include "common/any_question.h"
#include "bound/quantized_aabb.h"
#include "helpers/grove.h"
#include "helpers/scenes.h"
#include "helpers/surfaces.h"

#include <stdlib.h>
#include <string.h>

static void move(snag_shape *shape, double x, double y, double z, double scale)
{
    const double by[3] = {x, y, z};
    for (size_t i = 0; i < 3 * (size_t)shape->vertex_count; i++)
        shape->positions[i] = shape->positions[i] * scale + by[i % 3];
}

static bool bounds_overlap(const snag__kdops *bounds, uint32_t a, uint32_t b)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(bounds->lo[axis][a] <= bounds->hi[axis][b] && bounds->lo[axis][b] <= bounds->hi[axis][a]))
            return false;
    return true;
}

static bool quantized_overlap(const snag__quantized_aabbs *quantized, uint32_t a, uint32_t b)
{
    const snag__quantized_leaf *of_a = &quantized->boxes[a / 16], *of_b = &quantized->boxes[b / 16];
    for (int axis = 0; axis < 3; axis++)
        if ((int16_t)(of_a->hi[axis][a % 16] - of_b->lo[axis][b % 16]) < 0 ||
            (int16_t)(of_b->hi[axis][b % 16] - of_a->lo[axis][a % 16]) < 0)
            return false;
    return true;
}

typedef struct counts {
    size_t floats, quantized;
} counts;

// All pairs of slots of two leaves.
static void compare_leaves(const grove *g, const snag__quantized_aabbs *quantized, uint32_t first_a, uint32_t first_b, counts *c)
{
    for (uint32_t a = first_a; a < first_a + 16; a++)
        for (uint32_t b = first_b; b < first_b + 16; b++) {
            bool in_floats = bounds_overlap(&g->bvh.slot_bounds, a, b), in_quantized = quantized_overlap(quantized, a, b);
            assert_true(in_quantized || !in_floats);
            if (g->bvh.elements[a] == UINT32_MAX || g->bvh.elements[b] == UINT32_MAX)
                assert_false(in_quantized);
            c->floats += in_floats;
            c->quantized += in_quantized;
        }
}

static void check_quantized(grove *g, snag__quantized_aabbs *quantized)
{
    counts c = {0};
    const snag__bvh *bvh = &g->bvh;
    for (uint32_t a = 0; a < bvh->node_count; a++)
        for (uint32_t b = a; b < bvh->node_count; b++)
            if (bvh->nodes[a].leaf && bvh->nodes[b].leaf && bounds_overlap(&bvh->node_bounds, a, b))
                compare_leaves(g, quantized, bvh->nodes[a].first, bvh->nodes[b].first, &c);
    assert_true(c.floats > 1000);
    assert_true(c.quantized < c.floats + c.floats / 10);
}

static void what_overlaps_in_floats_overlaps_in_quantized(void **state)
{
    (void)state;
    for (int round = 0; round < 6; round++) {
        // The second ball overlaps the first; the third is farther away than 16 bits count.
        static const double away[] = {0, 3, 100, 2e4, -2e4, 5e4};
        snag_shape shapes[3];
        for (int i = 0; i < 3; i++) {
            assert_int_equal(snag_shape_icosphere(3 + i % 2, 1, &shapes[i]), SNAG_OK);
            move(&shapes[i], i == 2 ? away[round] : 0.7 * i + away[round] / 2, i == 1 ? 0.1 : 0, 0, 1);
        }
        grove g;
        grove_plant(&g, shapes, 3);
        snag__quantized_aabbs quantized = {0}, other = {0};
        assert_true(snag__quantized_aabbs_refit(&quantized, &g.bvh, &g.allocator, &g.alone, SNAG_ISA_SCALAR));
        assert_true(snag__quantized_aabbs_usable(&quantized));
        check_quantized(&g, &quantized);
        for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
            if (snag__isa_available((snag_isa)isa)) {
                assert_true(snag__quantized_aabbs_refit(&other, &g.bvh, &g.allocator, &g.alone, (snag_isa)isa));
                assert_memory_equal(other.boxes, quantized.boxes, g.bvh.slot_count / 16 * sizeof *quantized.boxes);
                assert_memory_equal(other.bounds, quantized.bounds, g.bvh.slot_count / 16 * sizeof *quantized.bounds);
                snag__quantized_aabbs_free(&g.allocator, &other);
            }
        // Larger bounds of the same pose.
        grove_refit(&g, 0.05);
        assert_true(snag__quantized_aabbs_refit(&quantized, &g.bvh, &g.allocator, &g.alone, snag__isa_best()));
        check_quantized(&g, &quantized);
        snag__quantized_aabbs_free(&g.allocator, &quantized);
        grove_fell(&g);
    }
}

// Filled while the bounds are made, or afterwards: the same.
static void quantized_that_are_filled_on_the_way_are_the_same(void **state)
{
    (void)state;
    snag_shape shapes[2];
    assert_int_equal(snag_shape_icosphere(3, 1, &shapes[0]), SNAG_OK);
    assert_int_equal(snag_shape_sheet(9, 7, 1, 1, &shapes[1]), SNAG_OK);
    grove g;
    grove_plant(&g, shapes, 2);
    snag__quantized_aabbs quantized = {0};
    assert_false(snag__quantized_aabbs_fit(&quantized, &g.bvh));
    assert_true(snag__quantized_aabbs_refit(&quantized, &g.bvh, &g.allocator, &g.alone, snag__isa_best()));
    assert_true(snag__quantized_aabbs_fit(&quantized, &g.bvh));
    size_t bytes = g.bvh.slot_count / 16 * sizeof *quantized.boxes;
    snag__quantized_leaf *before = malloc(bytes), *along = malloc(bytes);
    memcpy(before, quantized.boxes, bytes);
    const uint64_t poses[2] = {1, 1};
    const snag__refit_def def = {.poses = poses, .inflate = 0.03, .quantized = &quantized};
    assert_true(snag__bvh_refit(&g.bvh, &def, &g.allocator, &g.alone, snag__isa_best()));
    memcpy(along, quantized.boxes, bytes);
    assert_memory_not_equal(along, before, bytes);
    assert_true(snag__quantized_aabbs_refit(&quantized, &g.bvh, &g.allocator, &g.alone, snag__isa_best()));
    assert_memory_equal(along, quantized.boxes, bytes);  // nothing was left to be done
    quantized.refits[0] = quantized.refits[1] = 0;
    assert_true(snag__quantized_aabbs_refit(&quantized, &g.bvh, &g.allocator, &g.alone, snag__isa_best()));
    assert_memory_equal(along, quantized.boxes, bytes);
    free(before);
    free(along);
    snag__quantized_aabbs_free(&g.allocator, &quantized);
    grove_fell(&g);
}

static bool usable_for(snag_shape *shapes, uint32_t count)
{
    grove g;
    grove_plant(&g, shapes, count);
    snag__quantized_aabbs quantized = {0};
    assert_true(snag__quantized_aabbs_refit(&quantized, &g.bvh, &g.allocator, &g.alone, snag__isa_best()));
    bool usable = snag__quantized_aabbs_usable(&quantized);
    snag__quantized_aabbs_free(&g.allocator, &quantized);
    grove_fell(&g);
    return usable;
}

static void leaves_too_unlike_or_too_far_apart_have_no_quantized(void **state)
{
    (void)state;
    static const struct {
        double scale, away;
        bool usable;
    } cases[] = {{1, 0, true},    {10, 0, true},   {100, 0, false}, {1e5, 0, false},
                 {1, 1e6, false}, {1e-3, 0, true}, {0, 0, true},    {1e60, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snag_shape shapes[2];
        assert_int_equal(snag_shape_sheet(20, 20, 1, 1, &shapes[0]), SNAG_OK);
        assert_int_equal(snag_shape_sheet(2, 2, 1, 1, &shapes[1]), SNAG_OK);
        move(&shapes[1], cases[i].away, 0, 0, cases[i].scale);
        assert_int_equal(usable_for(shapes, 2), cases[i].usable);
    }
}

// Leaves are looked at in parts, where there are many of them.
static void a_large_leaf_is_seen_wherever_it_is(void **state)
{
    (void)state;
    enum { BODIES = 4 };
    for (int large = 0; large <= BODIES; large++) {
        snag_shape shapes[BODIES];
        for (int i = 0; i < BODIES; i++) {
            assert_int_equal(i == large ? snag_shape_sheet(2, 2, 1, 1, &shapes[i]) : snag_shape_icosphere(4, 1, &shapes[i]),
                             SNAG_OK);
            move(&shapes[i], 0, 0, 0, i == large ? 100 : 1);
        }
        assert_int_equal(usable_for(shapes, BODIES), large == BODIES);
    }
}

// A body that grows out of its grid, a little at a time and at once, keeps its contacts.
static void the_grid_follows_bodies_that_change_their_size(void **state)
{
    (void)state;
    static const double sizes[] = {1, 1.5, 2.5, 4, 100, 1e-4, 1, 1e30, 1};
    snag_shape shape;
    snag__random random = {3};
    assert_int_equal(snag_shape_sheet(24, 24, 1, 1, &shape), SNAG_OK);
    for (size_t i = 0; i < 3 * (size_t)shape.vertex_count; i++)
        shape.positions[i] += snag__random_range(&random, -0.05, 0.05);
    double *x = malloc(3 * shape.vertex_count * sizeof *x);
    snag_world *worlds[2];
    snag_body_id ids[2];
    for (int w = 0; w < 2; w++) {
        worlds[w] = scene_world(&(scene_options){.threads = 1});
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(shape.positions, shape.vertex_count);
        def.triangles = shape.triangles;
        def.triangle_count = shape.triangle_count;
        assert_int_equal(snag_world_add(worlds[w], &def, &ids[w]), SNAG_OK);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const snag_answer *answers[2];
        for (size_t j = 0; j < 3 * (size_t)shape.vertex_count; j++)
            x[j] = shape.positions[j] * sizes[i] + (double)i;
        for (int w = 0; w < 2; w++) {
            any_question ask = any_default(SNAG_INTERSECTIONS);
            ask.method = w == 0 ? SNAG_METHOD_KDOP : SNAG_METHOD_BRUTE;
            assert_int_equal(snag_world_move(worlds[w], ids[w], snag_positions_f64(x, shape.vertex_count)), SNAG_OK);
            assert_int_equal(any_ask(worlds[w], &ask, &answers[w]), SNAG_OK);
        }
        assert_true(answers[1]->count > 100);
        assert_int_equal(answers[0]->count, answers[1]->count);
        for (size_t j = 0; j < answers[0]->count; j++) {
            assert_int_equal(answers[0]->contacts[j].a.index, answers[1]->contacts[j].a.index);
            assert_int_equal(answers[0]->contacts[j].b.index, answers[1]->contacts[j].b.index);
        }
    }
    for (int w = 0; w < 2; w++)
        snag_world_destroy(worlds[w]);
    free(x);
    snag_shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_overlaps_in_floats_overlaps_in_quantized),
        cmocka_unit_test(quantized_that_are_filled_on_the_way_are_the_same),
        cmocka_unit_test(leaves_too_unlike_or_too_far_apart_have_no_quantized),
        cmocka_unit_test(a_large_leaf_is_seen_wherever_it_is),
        cmocka_unit_test(the_grid_follows_bodies_that_change_their_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
