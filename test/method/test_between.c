// kdop between bodies alone makes plane culls of leaves that meet only; and of all once bodies are searched with themselves. Whichever
// was asked before, the contacts are those of brute.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "method/kdop.h"
#include "world/world.h"

#include <string.h>

enum { BODIES = 4 };

typedef struct stage {
    snag_world *world;
    snag_shape shapes[BODIES];
    snag_body_id ids[BODIES];
} stage;

static void put(stage *s, int i)
{
    assert_int_equal(scene_add(s->world, &s->shapes[i], SNAG_F64, NULL, &s->ids[i]), SNAG_OK);
}

// A triangle without area.
static void flatten(snag_shape *shape)
{
    const uint32_t *v = shape->triangles;
    memcpy(&shape->positions[3 * (size_t)v[0]], &shape->positions[3 * (size_t)v[1]], 3 * sizeof(double));
}

// Two sheets that pass through each other and themselves, a ball in one of them, and one far away.
static void open_stage(stage *s, uint32_t cells, const scene_options *options, snag__random *random)
{
    s->world = scene_world(options);
    s->shapes[0] = scene_crumpled_sheet(cells, 0.1, random);
    s->shapes[1] = scene_crumpled_sheet(cells / 2, 0.1, random);
    assert_int_equal(snag_shape_icosphere(cells > 20 ? 3 : 1, 0.2, &s->shapes[2]), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(cells > 20 ? 4 : 2, 0.2, &s->shapes[3]), SNAG_OK);
    snag_shape_transform(&s->shapes[3], 1, 5, 0, 0);
    for (int i = 0; i < BODIES; i++) {
        flatten(&s->shapes[i]);
        put(s, i);
    }
}

static void close_stage(stage *s)
{
    snag_world_destroy(s->world);
    for (int i = 0; i < BODIES; i++)
        snag_shape_free(&s->shapes[i]);
}

static void move(stage *s, double by, snag__random *random)
{
    assert_int_equal(snag_world_begin_step(s->world), SNAG_OK);
    for (int i = 0; i < BODIES; i++) {
        scene_shake(&s->shapes[i], by, random);
        flatten(&s->shapes[i]);
        snag_positions positions = snag_positions_f64(s->shapes[i].positions, s->shapes[i].vertex_count);
        assert_int_equal(snag_world_move(s->world, s->ids[i], positions), SNAG_OK);
    }
}

static any_question ask_of(bool self)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_KDOP;
    ask.self = self;
    return ask;
}

static const snag__plane_cull *plane_cull_of(const stage *s)
{
    const snag__kdop_state *kdop = s->world->scratch.states[SNAG_METHOD_KDOP].data;
    return &kdop->plane_cull;
}

static void compare(const stage *s, any_question ask)
{
    const snag_answer *answer;
    assert_int_equal(any_ask(s->world, &ask, &answer), SNAG_OK);
    uint64_t hash = scene_hash(answer);
    size_t count = answer->count, degenerate = answer->degenerate;
    assert_true(answer->complete && count > 20);
    ask.method = SNAG_METHOD_BRUTE;
    assert_int_equal(any_ask(s->world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, count);
    assert_int_equal(answer->degenerate, degenerate);
    assert_true(degenerate >= BODIES);
    assert_true(scene_hash(answer) == hash);
}

static void only_leaves_that_meet_have_plane_cull(void **state)
{
    (void)state;
    snag__random random = {61};
    stage s;
    open_stage(&s, 30, &(scene_options){.threads = 1}, &random);
    compare(&s, ask_of(false));
    const snag__plane_cull *plane_cull = plane_cull_of(&s);
    const snag__bvh *bvh = &((const snag__kdop_state *)s.world->scratch.states[SNAG_METHOD_KDOP].data)->bvhs[SNAG_TRIANGLE];
    assert_true(plane_cull->sparse);
    assert_int_equal(plane_cull->adjacency.count, 0);
    size_t marked = 0;
    for (uint32_t leaf = 0; leaf < bvh->slot_count / SNAG__LEAF_ELEMENTS; leaf++) {
        bool mark = plane_cull->marks[leaf] != 0;
        marked += mark;
        assert_true(!mark || bvh->nodes[bvh->leaves[leaf]].tree != 3);
    }
    assert_true(marked > 10);
    close_stage(&s);
}

static void asks_of_all_kinds_take_turns(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        snag__random random = {62};
        stage s;
        open_stage(&s, 30, &(scene_options){.threads = threads}, &random);
        for (int step = 0; step < 16; step++) {
            any_question ask = ask_of(step == 4 || step == 5 || step == 14);
            ask.k = step == 9 ? 14 : 0;
            ask.lazy = step == 11 ? 0.01 : 0;
            if (step % 3 != 2)
                move(&s, step == 12 ? 0.1 : 0.01, &random);
            compare(&s, ask);
            assert_true(!ask.self || !plane_cull_of(&s)->sparse);
            // All of them stay where they were needed once, until trees are built anew.
            assert_int_equal(plane_cull_of(&s)->sparse, step < 4 || (step > 8 && step < 14));
        }
        close_stage(&s);
    }
}

// What was learnt of the leaves of other trees is forgotten with them.
static void a_body_that_goes_leaves_nothing_behind(void **state)
{
    (void)state;
    snag__random random = {64};
    stage s;
    open_stage(&s, 30, &(scene_options){.threads = 2}, &random);
    compare(&s, ask_of(true));
    assert_int_equal(snag_world_remove(s.world, s.ids[3]), SNAG_OK);
    assert_int_equal(snag_world_remove(s.world, s.ids[0]), SNAG_OK);
    snag_shape_free(&s.shapes[0]);
    s.shapes[0] = scene_crumpled_sheet(4, 0.1, &random);
    flatten(&s.shapes[0]);
    put(&s, 0);
    put(&s, 3);
    compare(&s, ask_of(false));
    assert_true(plane_cull_of(&s)->sparse);
    assert_int_equal(plane_cull_of(&s)->adjacency.count, 0);
    close_stage(&s);
}

// The frame that numbers are relative to goes along with the bodies.
static void bodies_that_go_far_away_meet_there_too(void **state)
{
    (void)state;
    snag__random random = {65};
    stage s;
    open_stage(&s, 30, &(scene_options){.threads = 1}, &random);
    for (int step = 0; step < 6; step++) {
        compare(&s, ask_of(false));
        for (int i = 0; i < BODIES; i++)
            snag_shape_transform(&s.shapes[i], 1, 0, 20 << 2 * step, 0);
        move(&s, 0.01, &random);
    }
    assert_true(plane_cull_of(&s)->sparse);
    close_stage(&s);
}

// Asks about one body more with an allocator that fails at its n-th call, after another ask, until it is not called so often.
static void fail_after(bool self_before, bool self)
{
    snag_status status = SNAG_ERROR_MEMORY;
    for (size_t n = 1; status != SNAG_OK; n++) {
        failing_allocator memory;
        snag_allocator allocator = failing_allocator_start(&memory, 0);
        snag__random random = {63};
        stage s;
        open_stage(&s, 12, &(scene_options){.threads = 1, .allocator = allocator}, &random);
        assert_int_equal(snag_world_remove(s.world, s.ids[3]), SNAG_OK);
        any_question before = ask_of(self_before), ask = ask_of(self);
        const snag_answer *answer;
        assert_int_equal(any_ask(s.world, &before, &answer), SNAG_OK);
        put(&s, 3);
        memory.fail_at = memory.calls + n;
        status = any_ask(s.world, &ask, &answer);
        assert_true(status == SNAG_OK || status == SNAG_ERROR_MEMORY);
        memory.fail_at = 0;
        compare(&s, ask_of(n % 2 == 0));
        compare(&s, ask_of(n % 2 != 0));
        close_stage(&s);
        failing_allocator_assert_clean(&memory);
        assert_true(status != SNAG_OK || n > 1);
    }
}

static void without_memory_nothing_is_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        fail_after(i % 2 == 0, i / 2 == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_leaves_that_meet_have_plane_cull),  cmocka_unit_test(asks_of_all_kinds_take_turns),
        cmocka_unit_test(a_body_that_goes_leaves_nothing_behind), cmocka_unit_test(bodies_that_go_far_away_meet_there_too),
        cmocka_unit_test(without_memory_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
