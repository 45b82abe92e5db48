// The sphere tree against brute: moving and deforming bodies, every depth; trees that grow where bodies meet, follow rigid
// motions and vanish when nobody comes near.
#include "common/any_question.h"
#include "helpers/clock.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static snag_answer ask_backend(snag_world *world, snag_question question, snag_backend backend, snag_method method, uint32_t depth,
                               uint32_t idle)
{
    any_question ask = any_default(question);
    ask.method = method;
    ask.self = false;
    ask.depth = depth;
    ask.idle = idle;
    ask.backend = backend;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    return *answer;
}

static snag_answer ask_for(snag_world *world, snag_question question, snag_method method, uint32_t depth, uint32_t idle)
{
    return ask_backend(world, question, SNAG_BACKEND_CPU, method, depth, idle);
}

// Built in, and with a driver.
static bool has_gl(snag_world *world)
{
    any_question ask = any_default(SNAG_OVERLAPS);
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_SPHERES;
    ask.backend = SNAG_BACKEND_GL;
    ask.depth = 1;
    snag_status status = any_ask(world, &ask, &answer);
    assert_true(status == SNAG_OK || status == SNAG_ERROR_UNSUPPORTED);
    return status == SNAG_OK;
}

static snag_contact *copy_contacts(const snag_answer *answer)
{
    snag_contact *copy = malloc((answer->count + 1) * sizeof *copy);
    if (answer->count > 0)
        memcpy(copy, answer->contacts, answer->count * sizeof *copy);
    return copy;
}

static void assert_same_contacts(const snag_answer *answer, const snag_contact *expected, size_t count)
{
    assert_int_equal(answer->count, count);
    if (count > 0)
        assert_memory_equal(answer->contacts, expected, count * sizeof *expected);
}

// Some pair of spheres holds a point that two triangles share.
static bool is_covered(const snag_answer *overlaps, const snag_contact *contact)
{
    for (size_t i = 0; i < overlaps->count; i++) {
        const snag_contact *o = &overlaps->contacts[i];
        if (o->body_a.index != contact->body_a.index || o->body_b.index != contact->body_b.index)
            continue;
        double a = 0, b = 0;
        for (int k = 0; k < 3; k++) {
            a = hypot(a, contact->point_a[k] - o->point_a[k]);
            b = hypot(b, contact->point_a[k] - o->point_b[k]);
        }
        if (a <= o->weight[0] * (1 + 1e-9) && b <= o->weight[1] * (1 + 1e-9))
            return true;
    }
    return false;
}

// Intersections equal brute's, byte for byte, and overlaps cover them.
static size_t compare_with_brute(snag_world *world, uint32_t depth, uint32_t covered)
{
    snag_answer brute = ask_for(world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, 0, 0);
    snag_contact *expected = copy_contacts(&brute);
    snag_answer found = ask_for(world, SNAG_INTERSECTIONS, SNAG_METHOD_SPHERES, depth, 3);
    assert_true(found.complete);
    assert_same_contacts(&found, expected, brute.count);
    snag_answer overlaps = ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, covered, 3);
    assert_int_equal(overlaps.method, SNAG_METHOD_SPHERES);
    for (size_t i = 0; i < brute.count; i += 1 + i / 8)
        assert_true(is_covered(&overlaps, &expected[i]));
    free(expected);
    return brute.count;
}

static void rotate(const snag_shape *shape, double angle, const double shift[3], double *out)
{
    double s = sin(angle), c = cos(angle), s2 = sin(0.7 * angle), c2 = cos(0.7 * angle);
    for (size_t v = 0; v < shape->vertex_count; v++) {
        const double *p = &shape->positions[3 * v];
        double x = c * p[0] - s * p[1], y = s * p[0] + c * p[1], z = p[2];
        out[3 * v] = x + shift[0];
        out[3 * v + 1] = c2 * y - s2 * z + shift[1];
        out[3 * v + 2] = s2 * y + c2 * z + shift[2];
    }
}

static void rigid_bodies_on_their_way_equal_brute(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    snag_shape ring, ball;
    assert_int_equal(snag_shape_torus(24, 10, 0.5, 0.2, &ring), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(2, 0.4, &ball), SNAG_OK);
    snag_body_id ids[3];
    assert_int_equal(scene_add(world, &ring, SNAG_F64, NULL, &ids[0]), SNAG_OK);
    assert_int_equal(scene_add(world, &ring, SNAG_F64, NULL, &ids[1]), SNAG_OK);
    assert_int_equal(scene_add(world, &ball, SNAG_F32, NULL, &ids[2]), SNAG_OK);
    double *moved = malloc(3 * ring.vertex_count * sizeof *moved);
    float *floats = malloc(3 * ball.vertex_count * sizeof *floats);
    size_t contacts = 0;
    for (uint32_t step = 0; step < 12; step++) {
        const double way[3] = {-1.4 + 0.24 * step, 0.1 * step - 0.4, 0.1};
        rotate(&ring, 0.1 * step, way, moved);
        assert_int_equal(snag_world_begin_step(world), SNAG_OK);
        assert_int_equal(snag_world_move(world, ids[1], snag_positions_f64(moved, ring.vertex_count)), SNAG_OK);
        const double other[3] = {1.2 - 0.14 * step, 0.3, 0};
        rotate(&ball, -0.3 * step, other, moved);
        for (size_t i = 0; i < 3 * ball.vertex_count; i++)
            floats[i] = (float)moved[i];
        // Twice between two asks now and then, and once put there without a move.
        snag_status (*move)(snag_world *, snag_body_id, snag_positions) = step == 8 ? snag_world_teleport : snag_world_move;
        for (uint32_t times = 0; times < 1 + (step % 5 == 4); times++)
            assert_int_equal(move(world, ids[2], snag_positions_f32(floats, ball.vertex_count)), SNAG_OK);
        contacts += compare_with_brute(world, step % 8, 1 + step % 6);
    }
    assert_true(contacts > 500);
    free(moved);
    free(floats);
    snag_shape_free(&ring);
    snag_shape_free(&ball);
    snag_world_destroy(world);
}

// The backend gl sees a little more: the same intersections, and no fewer overlaps.
static void occlusion_queries_give_the_same_intersections(void **state)
{
    (void)state;
    snag__random random = {43};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_shape shapes[3] = {scene_crumpled_sheet(8, 0.1, &random), scene_soup(8, 3, true, &random), {0}};
    assert_int_equal(snag_shape_icosphere(1, 0.4, &shapes[2]), SNAG_OK);
    snag_body_id ids[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
    bool gl = has_gl(world);
    if (!gl)
        print_message("skipped: %s\n", snag_world_message(world));
    for (uint32_t step = 0; step < 3 && gl; step++) {
        assert_int_equal(snag_world_begin_step(world), SNAG_OK);
        scene_shake(&shapes[step % 2], 0.02, &random);
        snag_shape_transform(&shapes[2], 1, 0.05, 0, 0.02);
        for (uint32_t i = step % 2; i < 3; i += 2 - step % 2)
            assert_int_equal(snag_world_move(world, ids[i], snag_positions_f64(shapes[i].positions, shapes[i].vertex_count)),
                             SNAG_OK);
        snag_answer brute = ask_for(world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, 0, 0);
        snag_contact *expected = copy_contacts(&brute);
        snag_answer found = ask_backend(world, SNAG_INTERSECTIONS, SNAG_BACKEND_GL, SNAG_METHOD_SPHERES, 3, 8);
        assert_same_contacts(&found, expected, brute.count);
        snag_answer overlaps = ask_backend(world, SNAG_OVERLAPS, SNAG_BACKEND_GL, SNAG_METHOD_SPHERES, 2, 8);
        size_t seen = overlaps.count;
        for (size_t i = 0; i < brute.count; i += 1 + i / 8)
            assert_true(is_covered(&overlaps, &expected[i]));
        assert_true(ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 2, 8).count <= seen);
        free(expected);
    }
    for (int i = 0; i < 3; i++)
        snag_shape_free(&shapes[i]);
    snag_world_destroy(world);
}

// Every contact of two shapes is in a pair of leaves, however deep these are.
static void assert_covered_down_to(uint32_t deepest, const snag_shape shapes[2])
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id;
    for (int i = 0; i < 2; i++)
        assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &id), SNAG_OK);
    snag_answer brute = ask_for(world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, 0, 0);
    size_t count = brute.count, pairs = 0;
    snag_contact *expected = copy_contacts(&brute);
    assert_true(count > 0);
    for (uint32_t depth = 1; depth <= deepest; depth++) {
        snag_answer overlaps = ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, depth, 8);
        assert_true(overlaps.count > pairs);  // finer leaves, more pairs
        pairs = overlaps.count;
        for (size_t i = 0; i < count; i++)
            assert_true(is_covered(&overlaps, &expected[i]));
    }
    free(expected);
    snag_world_destroy(world);
}

static void overlaps_cover_intersections_at_every_depth(void **state)
{
    (void)state;
    snag__random random = {44};
    snag_shape sheets[2] = {scene_crumpled_sheet(5, 0.1, &random), scene_crumpled_sheet(4, 0.1, &random)};
    assert_covered_down_to(6, sheets);
    for (int i = 0; i < 2; i++)
        snag_shape_free(&sheets[i]);
    uint32_t corners[3] = {0, 1, 2};
    snag_shape crossing[2] = {{.positions = (double[]){0, 0, 0, 1, 0.1, 0, 0.1, 1, 0.2}},
                              {.positions = (double[]){0.31, 0.3, -0.4, 0.33, 0.3, 0.5, 0.3, 0.34, 0.6}}};
    for (int i = 0; i < 2; i++) {
        crossing[i].vertex_count = 3;
        crossing[i].triangles = corners;
        crossing[i].triangle_count = 1;
    }
    assert_covered_down_to(SNAG_DEPTH_MAX, crossing);
}

static void deforming_and_degenerate_bodies_equal_brute(void **state)
{
    (void)state;
    snag__random random = {41};
    size_t contacts = 0;
    for (uint32_t round = 0; round < 3; round++) {
        snag_world *world = scene_world(&(scene_options){.threads = 1 + round});
        snag_shape shapes[5] = {scene_crumpled_sheet(14, 0.12, &random),
                                scene_crumpled_sheet(11, 0.05, &random),
                                scene_soup(30, round, round % 2 == 0, &random),
                                {0},
                                scene_soup(40, 4, true, &random)};
        assert_int_equal(snag_shape_block(3, 2, 3, 0.2, &shapes[3]), SNAG_OK);
        for (size_t v = 0; v < shapes[4].vertex_count; v++)
            shapes[4].positions[3 * v + 2] = 0.25;  // all in one plane
        snag_body_id ids[5];
        for (int i = 0; i < 5; i++)
            assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
        for (uint32_t step = 0; step < 6; step++) {
            assert_int_equal(snag_world_begin_step(world), SNAG_OK);
            for (uint32_t i = step % 2; i < 5; i += 2) {
                if (step != 3)
                    scene_shake(&shapes[i], 0.02, &random);
                else
                    snag_shape_transform(&shapes[i], 1, 0.1, 0, 0);
                assert_int_equal(snag_world_move(world, ids[i], snag_positions_f64(shapes[i].positions, shapes[i].vertex_count)),
                                 SNAG_OK);
            }
            contacts += compare_with_brute(world, step == 5 ? 0 : step, 1 + step % 4);
        }
        assert_int_equal(snag_world_remove(world, ids[round]), SNAG_OK);
        contacts += compare_with_brute(world, 0, 3);
        for (int i = 0; i < 5; i++)
            snag_shape_free(&shapes[i]);
        snag_world_destroy(world);
    }
    assert_true(contacts > 5000);
}

// So small that squares of lengths are 0: every motion would look like a rigid one.
static void tiny_bodies_that_deform_equal_brute(void **state)
{
    (void)state;
    static const double scales[] = {1e-120, 1e-150, 1e-170, 1e-250, 1e-300};
    snag__random random = {43};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        snag_shape shapes[2];
        snag_body_id ids[2];
        size_t contacts = 0;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(snag_shape_icosphere(2, 1, &shapes[k]), SNAG_OK);
            snag_shape_transform(&shapes[k], scales[i], 0.8 * k * scales[i], 0, 0);
            assert_int_equal(scene_add(world, &shapes[k], SNAG_F64, NULL, &ids[k]), SNAG_OK);
        }
        for (uint32_t step = 0; step < 6; step++) {
            contacts += compare_with_brute(world, 4, 0);
            scene_shake(&shapes[step % 2], 0.3 * scales[i], &random);
            assert_int_equal(snag_world_begin_step(world), SNAG_OK);
            assert_int_equal(snag_world_move(world, ids[step % 2],
                                             snag_positions_f64(shapes[step % 2].positions, shapes[step % 2].vertex_count)),
                             SNAG_OK);
        }
        assert_true(contacts > 200);
        for (int k = 0; k < 2; k++)
            snag_shape_free(&shapes[k]);
        snag_world_destroy(world);
    }
}

static void no_extent_and_extreme_scales_equal_brute(void **state)
{
    (void)state;
    static const double scales[] = {0, 1e-300, 1e-30, 1e30, 1e300};
    snag__random random = {42};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        for (int body = 0; body < 3; body++) {
            snag_shape soup = scene_soup(30, 3, body == 1, &random);
            snag_shape_transform(&soup, scales[i], scales[i], 0, 0);
            snag_body_id id;
            assert_int_equal(scene_add(world, &soup, SNAG_F64, NULL, &id), SNAG_OK);
            snag_shape_free(&soup);
        }
        compare_with_brute(world, 0, 2);
        compare_with_brute(world, SNAG_DEPTH_MAX, 1);
        snag_world_destroy(world);
    }
}

// There a box is soon smaller than the margin for rounding. Spheres do not get smaller below it, and each would meet all others.
static void far_from_the_origin_leaves_end_where_rounding_begins(void **state)
{
    (void)state;
    snag__random random = {45};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    for (int body = 0; body < 2; body++) {
        snag_shape sheet = scene_crumpled_sheet(5, 0.1, &random);
        snag_shape_transform(&sheet, 1, 1e12, -3e11, 7e11);
        snag_body_id id;
        assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &id), SNAG_OK);
        snag_shape_free(&sheet);
    }
    snag_answer brute = ask_for(world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, 0, 0);
    size_t count = brute.count;
    snag_contact *expected = copy_contacts(&brute);
    assert_true(count > 0);
    snag_answer overlaps = ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 4, 0);
    assert_in_range(overlaps.count, 1, 64);
    for (size_t i = 0; i < count; i++)
        assert_true(is_covered(&overlaps, &expected[i]));
    compare_with_brute(world, SNAG_DEPTH_MAX, 1);
    free(expected);
    snag_world_destroy(world);
}

static bool count_call(void *context, double done)
{
    assert_true(done >= 0 && done <= 1);
    ++*(int *)context;
    return true;
}

// Not only between pairs of bodies: two may have millions of leaves that meet.
static void one_pair_of_bodies_is_left_when_time_is_over(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id;
    for (int body = 0; body < 2; body++) {
        snag_shape ball;
        assert_int_equal(snag_shape_icosphere(3, 1 + 0.01 * body, &ball), SNAG_OK);
        assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &id), SNAG_OK);
        snag_shape_free(&ball);
    }
    size_t all = ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 5, 0).count;
    test_clock clock = {.us_of_a_look = 20000};
    test_clock_set(world, &clock);
    int calls = 0;
    any_question ask = any_default(SNAG_OVERLAPS);
    ask.depth = 5;
    ask.progress = count_call;
    ask.context = &calls;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->complete && answer->count == all);
    assert_true(calls > 10);
    ask.progress = NULL;
    ask.budget_us = 10 * clock.us_of_a_look;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_false(answer->complete);
    assert_in_range(answer->count, 1, all / 2);
    snag_world_destroy(world);
}

// A sphere of many triangles, and a small one that comes near it.
typedef struct visit {
    snag_world *world;
    snag_shape large, small;
    snag_body_id large_id, small_id;
    double *moved;
} visit;

static visit visit_begin(const snag_allocator *allocator)
{
    visit v = {.world = scene_world(&(scene_options){.threads = 1, .allocator = allocator ? *allocator : (snag_allocator){0}})};
    assert_int_equal(snag_shape_icosphere(4, 1, &v.large), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(2, 0.1, &v.small), SNAG_OK);
    assert_int_equal(scene_add(v.world, &v.large, SNAG_F64, NULL, &v.large_id), SNAG_OK);
    assert_int_equal(scene_add(v.world, &v.small, SNAG_F64, NULL, &v.small_id), SNAG_OK);
    v.moved = malloc(3 * v.large.vertex_count * sizeof *v.moved);
    return v;
}

static void visit_put(visit *v, double x, double y, double z, double angle)
{
    const double at[3] = {x, y, z};
    rotate(&v->small, angle, at, v->moved);
    assert_int_equal(snag_world_begin_step(v->world), SNAG_OK);
    assert_int_equal(snag_world_move(v->world, v->small_id, snag_positions_f64(v->moved, v->small.vertex_count)), SNAG_OK);
}

static void visit_end(visit *v)
{
    snag_shape_free(&v->large);
    snag_shape_free(&v->small);
    free(v->moved);
    snag_world_destroy(v->world);
}

static snag_tree_info tree_of(const snag_world *world, snag_body_id id)
{
    snag_tree_info info;
    assert_int_equal(snag_world_tree(world, id, &info), SNAG_OK);
    return info;
}

static void branches_grow_where_bodies_meet_and_vanish_after_the_idle_time(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    visit v = visit_begin(&allocator);
    assert_int_equal(tree_of(v.world, v.large_id).node_count, 0);
    visit_put(&v, 5, 0, 0, 0);
    ask_for(v.world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 6, 4);
    snag_tree_info alone = tree_of(v.world, v.large_id);
    assert_int_equal(alone.node_count, 1);
    assert_int_equal(alone.level_count, 0);
    size_t before = atomic_load(&memory.live_bytes);

    visit_put(&v, 1, 0, 0, 0);
    snag_answer met = ask_for(v.world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 6, 4);
    assert_true(met.count > 0 && met.statistics->visited > 0 && met.statistics->tested > 0);
    snag_tree_info info = tree_of(v.world, v.large_id);
    assert_true(info.level_count >= 6 && info.bytes > alone.bytes);
    // Only a corner of the large one was looked at.
    assert_true(info.node_count < 1200);
    assert_true(info.triangles_read < 2 * v.large.triangle_count);
    size_t together = atomic_load(&memory.live_bytes);
    assert_true(together > before + info.bytes - alone.bytes);

    visit_put(&v, 5, 0, 0, 0);
    for (int step = 0; step < 4; step++) {
        ask_for(v.world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 6, 4);
        assert_int_equal(tree_of(v.world, v.large_id).level_count, info.level_count);
    }
    ask_for(v.world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 6, 4);
    info = tree_of(v.world, v.large_id);
    assert_int_equal(info.level_count, 0);
    assert_int_equal(info.bytes, alone.bytes);
    assert_int_equal(tree_of(v.world, v.small_id).bytes, alone.bytes);
    // Whatever the search used besides is given back too.
    print_message("%zu bytes before they met, %zu while they did, %zu after they parted\n", before, together,
                  atomic_load(&memory.live_bytes));
    assert_true(atomic_load(&memory.live_bytes) <= before);
    visit_end(&v);
    failing_allocator_assert_clean(&memory);
}

static void a_level_reads_the_triangles_of_its_node_only(void **state)
{
    (void)state;
    visit v = visit_begin(NULL);
    visit_put(&v, 1, 0, 0, 0);
    ask_for(v.world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 1, 4);
    snag_tree_info first = tree_of(v.world, v.large_id);
    assert_int_equal(first.levels_made, 1);
    assert_int_equal(first.triangles_read, v.large.triangle_count);
    // Four of the eight octants meet the small sphere; none holds much more than an eighth.
    ask_for(v.world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 2, 4);
    snag_tree_info second = tree_of(v.world, v.large_id);
    assert_int_equal(second.levels_made, 5);
    assert_true(second.triangles_read - first.triangles_read < v.large.triangle_count * 6 / 10);
    visit_end(&v);
}

static void trees_follow_rigid_motions_and_begin_anew_after_others(void **state)
{
    (void)state;
    visit v = visit_begin(NULL);
    visit_put(&v, 1, 0, 0, 0);
    ask_for(v.world, SNAG_INTERSECTIONS, SNAG_METHOD_SPHERES, 5, 4);
    double *large = malloc(3 * v.large.vertex_count * sizeof *large);
    uint64_t made = 0;
    for (int step = 0; step < 16; step++) {
        // Both turn together about the origin: spheres meet as before.
        double angle = 0.2 * step;
        const double nowhere[3] = {0, 0, 0};
        rotate(&v.large, angle, nowhere, large);
        assert_int_equal(snag_world_begin_step(v.world), SNAG_OK);
        assert_int_equal(snag_world_move(v.world, v.large_id, snag_positions_f64(large, v.large.vertex_count)), SNAG_OK);
        snag_shape small = v.small;
        small.positions = malloc(3 * small.vertex_count * sizeof(double));
        memcpy(small.positions, v.small.positions, 3 * small.vertex_count * sizeof(double));
        snag_shape_transform(&small, 1, 1, 0, 0);
        rotate(&small, angle, nowhere, v.moved);
        assert_int_equal(snag_world_move(v.world, v.small_id, snag_positions_f64(v.moved, small.vertex_count)), SNAG_OK);
        free(small.positions);
        assert_true(compare_with_brute(v.world, 5, 5) > 10);
        if (step == 2)
            made = tree_of(v.world, v.large_id).levels_made;
    }
    // A few levels more, where rounding puts spheres just in touch; far from all of them in each of sixteen steps.
    assert_true(tree_of(v.world, v.large_id).levels_made < made + made / 4);
    uint64_t read = tree_of(v.world, v.large_id).triangles_read;
    large[0] += 0.05;
    assert_int_equal(snag_world_begin_step(v.world), SNAG_OK);
    assert_int_equal(snag_world_move(v.world, v.large_id, snag_positions_f64(large, v.large.vertex_count)), SNAG_OK);
    compare_with_brute(v.world, 5, 5);
    assert_true(tree_of(v.world, v.large_id).triangles_read >= read + v.large.triangle_count);
    free(large);
    visit_end(&v);
}

static void many_bodies_do_not_cost_the_square_of_their_number(void **state)
{
    (void)state;
    snag_shape ball;
    assert_int_equal(snag_shape_icosphere(1, 0.45, &ball), SNAG_OK);
    size_t calls[2];
    for (int round = 0; round < 2; round++) {
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        uint32_t count = round == 0 ? 50 : 200;
        for (uint32_t i = 0; i < count; i++) {
            snag_body_id id;
            snag_shape_transform(&ball, 1, i % 10 == 0 ? 2 : 0.8, i % 10 == 9 ? 1 : 0, 0);
            assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &id), SNAG_OK);
        }
        snag_answer answer = ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 3, 1);
        calls[round] = answer.statistics->visited;
        assert_true(answer.count > count);
        snag_world_destroy(world);
    }
    assert_true(calls[1] < 5 * calls[0]);
    snag_shape_free(&ball);
}

static void what_cannot_be_answered_is_said(void **state)
{
    (void)state;
    visit v = visit_begin(NULL);
    const snag_answer *answer = NULL;
    any_question ask = any_default(SNAG_OVERLAPS);
    ask.method = SNAG_METHOD_SPHERES;
    ask.depth = 40;
    assert_int_equal(any_ask(v.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(v.world), "depth"));
    ask.depth = 0;
    ask.track = true;
    assert_int_equal(any_ask(v.world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    ask.track = false;
    ask.self = true;
    assert_int_equal(any_ask(v.world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(v.world), "between"));
    ask.self = false;
    ask.backend = (snag_backend)7;
    assert_int_equal(any_ask(v.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask.backend = SNAG_BACKEND_CPU;
    ask.method = SNAG_METHOD_KDOP;
    assert_int_equal(any_ask(v.world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    snag_tree_info info;
    assert_int_equal(snag_world_tree(v.world, (snag_body_id){9, 9}, &info), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_tree(NULL, v.large_id, &info), SNAG_ERROR_ARGUMENT);
    visit_end(&v);

    // Nobody, and bodies without triangles.
    snag_world *world = scene_world(&(scene_options){0});
    assert_int_equal(ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 0, 0).count, 0);
    snag_shape none = {.positions = (double[]){1, 2, 3}, .vertex_count = 1};
    snag_body_id id;
    for (int i = 0; i < 2; i++)
        assert_int_equal(scene_add(world, &none, SNAG_F64, NULL, &id), SNAG_OK);
    assert_int_equal(ask_for(world, SNAG_OVERLAPS, SNAG_METHOD_SPHERES, 0, 0).count, 0);
    assert_int_equal(ask_for(world, SNAG_INTERSECTIONS, SNAG_METHOD_SPHERES, 0, 0).count, 0);
    snag_world_destroy(world);
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = *allocator});
    if (world == NULL)
        return SNAG_ERROR_MEMORY;
    snag_shape ball;
    snag_body_id ids[2];
    assert_int_equal(snag_shape_icosphere(1, 1, &ball), SNAG_OK);
    snag_status status = SNAG_OK;
    for (int i = 0; i < 2 && status == SNAG_OK; i++) {
        snag_shape_transform(&ball, 1, 0.4, 0, 0);
        status = scene_add(world, &ball, SNAG_F64, NULL, &ids[i]);
    }
    for (int step = 0; step < 3 && status == SNAG_OK; step++) {
        any_question ask = any_default(step == 1 ? SNAG_INTERSECTIONS : SNAG_OVERLAPS);
        const snag_answer *answer = NULL;
        ask.method = SNAG_METHOD_SPHERES;
        ask.self = false;
        ask.depth = 3;
        status = any_ask(world, &ask, &answer);
        snag_shape_transform(&ball, 1, 0.1, 0, 0);
        if (status == SNAG_OK)
            status = snag_world_begin_step(world);
        if (status == SNAG_OK)
            status = snag_world_move(world, ids[1], snag_positions_f64(ball.positions, ball.vertex_count));
    }
    snag_shape_free(&ball);
    snag_world_destroy(world);
    return status;
}

// As many pairs of leaves as are listed otherwise, and the same trees, but no list.
static void candidates_are_counted_without_contacts(void **state)
{
    (void)state;
    snag_world *worlds[2];
    snag_body_id ids[2][2];
    for (int w = 0; w < 2; w++) {
        worlds[w] = scene_world(&(scene_options){.threads = 2});
        for (int i = 0; i < 2; i++) {
            snag_shape ball;
            assert_int_equal(snag_shape_icosphere(3, 1, &ball), SNAG_OK);
            snag_shape_transform(&ball, 1, 0.3 * i, 0, 0);
            snag_body_def def = snag_default_body_def();
            def.positions = snag_positions_f64(ball.positions, ball.vertex_count);
            def.triangles = ball.triangles;
            def.triangle_count = ball.triangle_count;
            assert_int_equal(snag_world_add(worlds[w], &def, &ids[w][i]), SNAG_OK);
            snag_shape_free(&ball);
        }
    }
    static const snag_question questions[] = {SNAG_OVERLAPS, SNAG_INTERSECTIONS};
    for (int q = 0; q < 2; q++) {
        any_question ask = any_default(questions[q]);
        const snag_answer *answer = NULL;
        ask.method = SNAG_METHOD_SPHERES;
        ask.self = false;
        assert_int_equal(any_ask(worlds[0], &ask, &answer), SNAG_OK);
        size_t pairs = answer->statistics->candidates;
        assert_true(answer->count > 0 && pairs >= answer->count);
        ask.candidates = true;
        assert_int_equal(any_ask(worlds[1], &ask, &answer), SNAG_OK);
        assert_true(answer->count == 0 && !answer->complete);
        assert_int_equal(answer->statistics->candidates, pairs);
        for (int i = 0; i < 2; i++) {
            snag_tree_info trees[2];
            for (int w = 0; w < 2; w++)
                assert_int_equal(snag_world_tree(worlds[w], ids[w][i], &trees[w]), SNAG_OK);
            assert_int_equal(trees[0].node_count, trees[1].node_count);
        }
    }
    for (int w = 0; w < 2; w++)
        snag_world_destroy(worlds[w]);
}

static void nothing_is_lost_when_any_allocation_fails(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(cycle, NULL) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_bodies_on_their_way_equal_brute),
        cmocka_unit_test(occlusion_queries_give_the_same_intersections),
        cmocka_unit_test(overlaps_cover_intersections_at_every_depth),
        cmocka_unit_test(deforming_and_degenerate_bodies_equal_brute),
        cmocka_unit_test(tiny_bodies_that_deform_equal_brute),
        cmocka_unit_test(no_extent_and_extreme_scales_equal_brute),
        cmocka_unit_test(far_from_the_origin_leaves_end_where_rounding_begins),
        cmocka_unit_test(one_pair_of_bodies_is_left_when_time_is_over),
        cmocka_unit_test(branches_grow_where_bodies_meet_and_vanish_after_the_idle_time),
        cmocka_unit_test(a_level_reads_the_triangles_of_its_node_only),
        cmocka_unit_test(trees_follow_rigid_motions_and_begin_anew_after_others),
        cmocka_unit_test(many_bodies_do_not_cost_the_square_of_their_number),
        cmocka_unit_test(what_cannot_be_answered_is_said),
        cmocka_unit_test(candidates_are_counted_without_contacts),
        cmocka_unit_test(nothing_is_lost_when_any_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
