// Steps: t0 is where a body was when the step began, t1 where it is, however often it was moved and whatever was asked in between.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

// ---- one triangle and a point that may fall through it ----

enum { POINTS = 3 };

typedef struct stage {
    snag_world *world;
    snag_body_id sheet, points[POINTS];
} stage;

static const double corners[] = {-10, -10, 0, 10, -10, 0, 0, 10, 0};

static void open_stage(stage *s)
{
    static const uint32_t triangle[] = {0, 1, 2};
    s->world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(corners, 3);
    def.triangles = triangle;
    def.triangle_count = 1;
    assert_int_equal(snag_world_add(s->world, &def, &s->sheet), SNAG_OK);
    for (int i = 0; i < POINTS; i++) {
        const double at[3] = {0.25 * i, 0, 1};
        snag_body_def point = snag_default_body_def();
        point.positions = snag_positions_f64(at, 1);
        assert_int_equal(snag_world_add(s->world, &point, &s->points[i]), SNAG_OK);
    }
}

static void put(stage *s, int i, double height, bool teleport)
{
    const double at[3] = {0.25 * i, 0, height};
    snag_status (*give)(snag_world *, snag_body_id, snag_positions) = teleport ? snag_world_teleport : snag_world_move;
    assert_int_equal(give(s->world, s->points[i], snag_positions_f64(at, 1)), SNAG_OK);
}

static void begin_step(stage *s)
{
    assert_int_equal(snag_world_begin_step(s->world), SNAG_OK);
}

// Bits of the points that go through the triangle in this step, by every method.
static uint32_t impacts(stage *s)
{
    uint32_t hit = 0;
    for (int method = 0, first = 1; method < SNAG_METHOD_COUNT; method++) {
        if (!snag_method_answers((snag_method)method, SNAG_IMPACTS))
            continue;
        any_question ask = any_default(SNAG_IMPACTS);
        ask.method = (snag_method)method;
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(s->world, &ask, &answer), SNAG_OK);
        uint32_t bits = 0;
        for (size_t i = 0; i < answer->count; i++)
            for (int k = 0; k < POINTS; k++)
                if (s->points[k].index == answer->contacts[i].body_a.index)
                    bits |= 1u << k;
        assert_true(first || bits == hit);
        hit = bits;
        first = 0;
    }
    return hit;
}

static void several_moves_of_a_step_are_one_way(void **state)
{
    (void)state;
    stage s;
    open_stage(&s);
    assert_int_equal(impacts(&s), 0);
    // Without a begin, all motion counts from where the body was added.
    put(&s, 0, 0.5, false);
    assert_int_equal(impacts(&s), 0);
    put(&s, 0, -0.5, false);
    assert_int_equal(impacts(&s), 1);
    put(&s, 0, 0.25, false);  // it comes back within the step: the straight way from its begin does not cross
    assert_int_equal(impacts(&s), 0);
    put(&s, 0, -1, false);
    put(&s, 1, -1, false);
    assert_int_equal(impacts(&s), 3);
    // In the next step both rest where they are.
    begin_step(&s);
    assert_int_equal(impacts(&s), 0);
    put(&s, 1, 1, false);
    assert_int_equal(impacts(&s), 2);
    begin_step(&s);
    begin_step(&s);
    assert_int_equal(impacts(&s), 0);
    put(&s, 1, 2, false);
    assert_int_equal(impacts(&s), 0);
    snag_world_destroy(s.world);
}

static void teleports_have_no_way(void **state)
{
    (void)state;
    stage s;
    open_stage(&s);
    put(&s, 0, -1, true);
    assert_int_equal(impacts(&s), 0);
    // A way that was begun ends by it, and the next one starts there.
    put(&s, 0, 1, false);
    assert_int_equal(impacts(&s), 1);
    put(&s, 0, 2, true);
    assert_int_equal(impacts(&s), 0);
    put(&s, 0, -2, false);
    assert_int_equal(impacts(&s), 1);
    begin_step(&s);
    put(&s, 0, 2, true);
    begin_step(&s);
    assert_int_equal(impacts(&s), 0);
    put(&s, 0, 1, false);
    assert_int_equal(impacts(&s), 0);
    snag_world_destroy(s.world);
}

// Bodies are taken out of the list of those that moved: in its middle, at its begin and at its end, and all.
static void bodies_that_moved_can_be_removed(void **state)
{
    (void)state;
    for (int gone = 0; gone < 1 << POINTS; gone++)
        for (int order = 0; order < 2; order++)
            for (int teleport = 0; teleport < 2; teleport++) {
                stage s;
                open_stage(&s);
                for (int i = 0; i < POINTS; i++)
                    put(&s, order == 0 ? i : POINTS - 1 - i, -1, false);
                assert_int_equal(impacts(&s), (1 << POINTS) - 1);
                for (int i = 0; i < POINTS; i++) {
                    if ((gone >> i & 1) == 0)
                        continue;
                    if (teleport)
                        put(&s, i, -1, true);
                    else
                        assert_int_equal(snag_world_remove(s.world, s.points[i]), SNAG_OK);
                }
                int left = (1 << POINTS) - 1 - gone;
                assert_int_equal(impacts(&s), left);
                begin_step(&s);
                assert_null(s.world->moved);
                assert_int_equal(impacts(&s), 0);
                for (int i = 0; i < POINTS; i++)
                    if ((left >> i & 1) != 0 || teleport)
                        put(&s, i, 1, false);
                assert_int_equal(impacts(&s), teleport ? (1 << POINTS) - 1 : left);
                begin_step(&s);
                assert_int_equal(impacts(&s), 0);
                snag_world_destroy(s.world);
            }
}

static void a_move_that_fails_begins_no_way(void **state)
{
    (void)state;
    stage s;
    open_stage(&s);
    const double bad[6] = {0};  // of two vertices
    assert_int_equal(snag_world_move(s.world, s.points[0], snag_positions_f64(bad, 2)), SNAG_ERROR_MISMATCH);
    assert_null(s.world->moved);
    put(&s, 0, 0.5, false);
    const snag__body *body = snag__world_find(s.world, s.points[0]);
    snag__body before = *body;
    assert_int_equal(snag_world_move(s.world, s.points[0], snag_positions_f64(bad, 2)), SNAG_ERROR_MISMATCH);
    assert_int_equal(snag_world_teleport(s.world, s.points[0], snag_positions_f64(bad, 2)), SNAG_ERROR_MISMATCH);
    assert_true(body->pose == before.pose && body->pose_t0 == before.pose_t0 && body->motion == before.motion);
    assert_true(s.world->moved == body && body->next_moved == NULL);
    snag_world_destroy(s.world);
    assert_int_equal(snag_world_begin_step(NULL), SNAG_ERROR_ARGUMENT);
}

// What is derived from positions is kept while their stamps stay: a step is nothing to bodies that did not move.
static void a_step_leaves_alone_what_did_not_move(void **state)
{
    (void)state;
    stage s;
    open_stage(&s);
    put(&s, 1, 0.5, false);
    const snag__body *rests = snag__world_find(s.world, s.points[0]), *moves = snag__world_find(s.world, s.points[1]);
    snag__body rested = *rests, moved = *moves;
    assert_true(moved.pose != moved.pose_t0 && rested.pose == rested.pose_t0);
    begin_step(&s);
    assert_memory_equal(rests, &rested, sizeof rested);
    // Where it is has not changed, but where it came from has: nothing of t1 is stale, and all of the way.
    assert_true(moves->pose == moved.pose && moves->pose_t0 == moved.pose && moves->motion != moved.motion);
    assert_true(moves->mesh.x_t1 == moved.mesh.x_t1 && snag__mesh_rests(&moves->mesh));
    moved = *moves;
    uint64_t stamp = s.world->stamp;
    for (int i = 0; i < 3; i++)
        begin_step(&s);
    assert_memory_equal(moves, &moved, sizeof moved);
    assert_memory_equal(rests, &rested, sizeof rested);
    assert_int_equal(s.world->stamp, stamp);
    snag_world_destroy(s.world);
}

static void an_answer_outlives_steps_and_moves(void **state)
{
    (void)state;
    stage s;
    open_stage(&s);
    put(&s, 2, -1, false);
    any_question ask = any_default(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 1);
    uint64_t hash = scene_hash(answer);
    begin_step(&s);
    put(&s, 2, 1, false);
    put(&s, 1, 1, true);
    begin_step(&s);
    assert_true(scene_hash(answer) == hash);
    snag_world_destroy(s.world);
}

// ---- random lives ----

enum { SLOTS = 4 };

typedef struct body {
    bool alive;
    snag_shape shape;  // its positions are those of t1
    double *t0, *added;
    snag_body_id id;
} body;

typedef struct life {
    snag_world *world;
    body bodies[SLOTS];
    snag__random random;
    size_t contacts, compared;
} life;

static size_t bytes_of(const body *b)
{
    return 3 * b->shape.vertex_count * sizeof(double);
}

static void add_body(life *l, int slot)
{
    body *b = &l->bodies[slot];
    switch (snag__random_below(&l->random, 4)) {
    case 0: b->shape = scene_soup(25, 0, true, &l->random); break;
    case 1: assert_int_equal(snag_shape_block(2, 3, 2, 0.3, &b->shape), SNAG_OK); break;
    case 2: assert_int_equal(snag_shape_icosphere(1, 0.4, &b->shape), SNAG_OK); break;
    default: b->shape = scene_crumpled_sheet(6, 0.1, &l->random); break;
    }
    b->t0 = malloc(bytes_of(b) + 1);
    b->added = malloc(bytes_of(b) + 1);
    memcpy(b->t0, b->shape.positions, bytes_of(b));
    memcpy(b->added, b->shape.positions, bytes_of(b));
    assert_int_equal(scene_add(l->world, &b->shape, SNAG_F64, NULL, &b->id), SNAG_OK);
    b->alive = true;
}

static void forget(body *b)
{
    if (!b->alive)
        return;
    snag_shape_free(&b->shape);
    free(b->t0);
    free(b->added);
    *b = (body){.alive = false};
}

static void step_once(life *l)
{
    int slot = (int)snag__random_below(&l->random, SLOTS);
    body *b = &l->bodies[slot];
    uint32_t what = snag__random_below(&l->random, 12);
    if (what < 3) {
        assert_int_equal(snag_world_begin_step(l->world), SNAG_OK);
        for (int i = 0; i < SLOTS; i++)
            if (l->bodies[i].alive)
                memcpy(l->bodies[i].t0, l->bodies[i].shape.positions, bytes_of(&l->bodies[i]));
    } else if (!b->alive)
        add_body(l, slot);
    else if (what == 3) {
        assert_int_equal(snag_world_remove(l->world, b->id), SNAG_OK);
        forget(b);
    } else {
        bool teleport = what == 4, still = what == 5;
        if (!still)
            scene_shake(&b->shape, what % 2 == 0 ? 0.02 : 0.15, &l->random);
        snag_positions to = snag_positions_f64(b->shape.positions, b->shape.vertex_count);
        assert_int_equal(teleport ? snag_world_teleport(l->world, b->id, to) : snag_world_move(l->world, b->id, to), SNAG_OK);
        if (teleport)
            memcpy(b->t0, b->shape.positions, bytes_of(b));
    }
}

// A world that has seen no more than where bodies were when the step began, and where they are; in places of the same index.
static snag_world *fresh_world(const life *l, snag_body_id ids[SLOTS])
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    for (int i = 0; i < SLOTS; i++) {
        const body *b = &l->bodies[i];
        if (!b->alive)
            continue;
        snag_shape start = b->shape;
        start.positions = b->added;
        assert_int_equal(scene_add(world, &start, SNAG_F64, NULL, &ids[i]), SNAG_OK);
        assert_int_equal(snag_world_teleport(world, ids[i], snag_positions_f64(b->t0, start.vertex_count)), SNAG_OK);
        assert_int_equal(snag_world_move(world, ids[i], snag_positions_f64(b->shape.positions, start.vertex_count)), SNAG_OK);
    }
    return world;
}

// Bodies by their slots: their order in the two worlds may differ, and with it that of contacts and which side is `a`.
static uint64_t unordered_hash(const snag_answer *answer, const life *l, const snag_body_id *ids)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        uint64_t side[2] = {0, 0};
        for (int s = 0; s < SLOTS; s++) {
            uint32_t index = ids != NULL ? ids[s].index : l->bodies[s].id.index;
            const snag_element *elements[2] = {&c->a, &c->b};
            for (int k = 0; k < 2; k++)
                if (l->bodies[s].alive && (k == 0 ? c->body_a : c->body_b).index == index)
                    side[k] =
                        ((uint64_t)s << 40 | (uint64_t)elements[k]->kind << 32 | elements[k]->index) * 0x9e3779b97f4a7c15u + 1;
        }
        uint64_t t;
        memcpy(&t, &c->t, sizeof t);
        uint64_t mixed =
            (side[0] * side[1] ^ (side[0] + side[1])) * 0x100000001b3u ^ t * 0xff51afd7ed558ccdu ^ (uint64_t)c->kind << 7;
        sum += mixed ^ mixed >> 29;
    }
    return sum;
}

static void compare_with_fresh(life *l)
{
    snag_body_id ids[SLOTS] = {{0, 0}};
    snag_world *fresh = fresh_world(l, ids);
    any_question ask = any_default(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_BRUTE;
    assert_int_equal(any_ask(fresh, &ask, &answer), SNAG_OK);
    uint64_t expected = unordered_hash(answer, l, ids);
    size_t count = answer->count;
    double earliest = answer->earliest;
    l->contacts += count;
    l->compared++;
    snag_world_destroy(fresh);
    uint64_t bytes = 0;
    for (int method = 0, first = 1; method < SNAG_METHOD_COUNT; method++) {
        if (!snag_method_answers((snag_method)method, SNAG_IMPACTS))
            continue;
        ask.method = (snag_method)method;
        assert_int_equal(any_ask(l->world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->count, count);
        assert_true(answer->earliest == earliest && unordered_hash(answer, l, NULL) == expected);
        assert_true(first || scene_hash(answer) == bytes);
        bytes = scene_hash(answer);
        first = 0;
    }
}

static void impacts_are_those_of_a_world_without_a_past(void **state)
{
    (void)state;
    size_t contacts = 0, compared = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        life l = {.random = {seed}};
        l.world = scene_world(&(scene_options){.threads = 1 + (uint32_t)seed % 2, .isa = scene_isa((uint32_t)seed)});
        for (int i = 0; i < 3; i++)
            add_body(&l, i);
        for (int step = 0; step < 40; step++) {
            step_once(&l);
            if (snag__random_below(&l.random, 3) == 0)
                compare_with_fresh(&l);
        }
        contacts += l.contacts;
        compared += l.compared;
        for (int i = 0; i < SLOTS; i++)
            forget(&l.bodies[i]);
        snag_world_destroy(l.world);
    }
    assert_true(compared > 200 && contacts > 100 * compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_moves_of_a_step_are_one_way),
        cmocka_unit_test(teleports_have_no_way),
        cmocka_unit_test(bodies_that_moved_can_be_removed),
        cmocka_unit_test(a_move_that_fails_begins_no_way),
        cmocka_unit_test(a_step_leaves_alone_what_did_not_move),
        cmocka_unit_test(an_answer_outlives_steps_and_moves),
        cmocka_unit_test(impacts_are_those_of_a_world_without_a_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
