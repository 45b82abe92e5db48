// Masks of neighbours, which `kdop` learns in the second search of the same trees: with and without them the answer is that of brute,
// after moves, after edits that change who is a neighbour, with another number of rings, and where memory runs out.
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 14, ASKS = 3 };

typedef struct rig {
    snag_world *world;
    snag_body_id ids[2];  // a sheet and a block
    double *x[2];
    size_t counts[2];
} rig;

static snag_status add_at_rest(snag_world *world, const snag_shape *shape, snag_body_id *id)
{
    snag_body_def def = snag_default_body_def();
    def.positions = def.rest = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->tet_count > 0 ? NULL : shape->triangles;
    def.triangle_count = shape->tet_count > 0 ? 0 : shape->triangle_count;
    def.tets = shape->tets;
    def.tet_count = shape->tet_count;
    return snag_world_add(world, &def, id);
}

static void add_body(rig *r, int i, snag_shape *shape)
{
    assert_int_equal(add_at_rest(r->world, shape, &r->ids[i]), SNAG_OK);
    r->counts[i] = shape->vertex_count;
    r->x[i] = calloc(3 * 4096, sizeof(double));
    memcpy(r->x[i], shape->positions, 3 * shape->vertex_count * sizeof(double));
    snag_shape_free(shape);
}

static rig open_rig(uint32_t number, snag__random *random)
{
    rig r = {.world = scene_world(&(scene_options){.threads = 1 + number % 2, .isa = scene_isa(number)})};
    snag_shape sheet = scene_crumpled_sheet(CELLS, 0.08, random), block;
    assert_int_equal(snag_shape_block(3, 3, 3, 0.15, &block), SNAG_OK);
    add_body(&r, 0, &sheet);
    add_body(&r, 1, &block);
    return r;
}

static void close_rig(rig *r)
{
    free(r->x[0]);
    free(r->x[1]);
    snag_world_destroy(r->world);
}

static void move_rig(rig *r, snag__random *random)
{
    assert_int_equal(snag_world_begin_step(r->world), SNAG_OK);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3 * r->counts[i]; k++)
            r->x[i][k] += 0.03 * (snag__random_unit(random) - 0.5);
        assert_int_equal(snag_world_move(r->world, r->ids[i], snag_positions_f64(r->x[i], r->counts[i])), SNAG_OK);
    }
}

// Contacts by kdop, which have the bytes of those by brute.
static size_t ask_both(rig *r, snag_question_def *ask)
{
    const snag_answer *answer = NULL;
    ask->method = SNAG_METHOD_BRUTE;
    assert_int_equal(snag_world_ask(r->world, ask, &answer), SNAG_OK);
    size_t count = answer->count;
    double earliest = answer->earliest;
    snag_contact *contacts = malloc((count + 1) * sizeof *contacts);
    if (count > 0)
        memcpy(contacts, answer->contacts, count * sizeof *contacts);
    ask->method = SNAG_METHOD_KDOP;
    assert_int_equal(snag_world_ask(r->world, ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, count);
    assert_true(answer->earliest == earliest);
    assert_memory_equal(answer->contacts, contacts, count * sizeof *contacts);
    free(contacts);
    return count;
}

// Several moves, so that masks are learnt and used. Returns the contacts of features.
static size_t ask_all(rig *r, uint32_t rings, double rest, snag__random *random)
{
    size_t found = 0;
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = rings;
    filter.exclude_rest = rest;
    for (int i = 0; i < ASKS; i++) {
        move_rig(r, random);
        for (int q = 0; q < 3; q++) {
            snag_question_def ask = snag_default_question_def(q == 2 ? SNAG_IMPACTS : SNAG_PROXIMITIES);
            ask.distance = q == 2 ? 0 : 0.09;
            ask.every_pair = q == 1;
            ask.filter = &filter;
            found += ask_both(r, &ask);
        }
    }
    return found;
}

static void learnt_masks_leave_out_what_brute_does(void **state)
{
    (void)state;
    snag__random random = {71};
    for (uint32_t number = 0; number < 5; number++) {
        rig r = open_rig(number, &random);
        // Of the last leaves have so many neighbours that there are no masks.
        static const uint32_t rings[] = {1, 2, 3, 5, 16};
        for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
            size_t found = ask_all(&r, rings[i], 0, &random);
            assert_true(i > 2 || found > 100);
        }
        close_rig(&r);
    }
}

// Distances in the rest pose, alone and beside rings; the last are so long that there are no masks, or none by the rest pose.
static void masks_of_the_rest_pose_leave_out_what_brute_does(void **state)
{
    (void)state;
    snag__random random = {74};
    static const struct {
        uint32_t rings;
        double rest;
        bool some;
    } cases[] = {{0, 1e-9, true}, {0, 0.05, true}, {0, 1.0 / CELLS, true}, {2, 0.09, true},
                 {1, 1e-3, true}, {0, 5, false},   {2, 5, false}};
    for (uint32_t number = 0; number < 4; number++) {
        rig r = open_rig(number, &random);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            size_t found = ask_all(&r, cases[i].rings, cases[i].rest, &random);
            assert_true(!cases[i].some || found > 100);
        }
        close_rig(&r);
    }
}

// Two filters in turn each find the masks that they left.
static void filters_in_turn_keep_their_masks(void **state)
{
    (void)state;
    snag__random random = {75};
    rig r = open_rig(1, &random);
    for (int turn = 0; turn < 4; turn++) {
        assert_true(ask_all(&r, 1 + turn % 3, 0, &random) > 100);
        assert_true(ask_all(&r, 0, 0.03 * (2 - turn % 2), &random) > 100);
    }
    close_rig(&r);
}

// Cuts that make neighbours strangers, and splits that number edges anew: masks of the trees before would leave out others.
static void masks_are_learnt_anew_after_an_edit(void **state)
{
    (void)state;
    snag__random random = {72};
    for (uint32_t number = 0; number < 4; number++) {
        rig r = open_rig(number, &random);
        const double rest = number % 2 == 0 ? 0 : 0.5 / CELLS;
        ask_all(&r, 2, rest, &random);
        for (int turn = 0; turn < 8; turn++) {
            snag_body_info info;
            assert_int_equal(snag_world_body(r.world, r.ids[0], &info), SNAG_OK);
            uint32_t removed[2] = {0, 0}, t = snag__random_below(&random, (uint32_t)info.triangle_count);
            const uint32_t *v = info.triangles + 3 * (size_t)t;
            bool hole = v[0] == v[1] && v[1] == v[2];
            snag_split_edge split = {{v[0], v[1]}, 0.4};
            removed[0] = t;
            removed[1] = t > 0 ? t - 1 : t + 1;
            snag_edit_def edit = snag_default_edit_def();
            const uint32_t *other = info.triangles + 3 * (size_t)removed[1];
            bool other_hole = other[0] == other[1] && other[1] == other[2];
            if (turn % 2 == 0 && !hole) {
                edit.split_edges = &split;
                edit.split_edge_count = 1;
            } else if (!hole && !other_hole) {
                edit.removed = removed;
                edit.removed_count = 2;
            }
            snag_edit_map map;
            assert_int_equal(snag_world_edit(r.world, r.ids[0], &edit, &map), SNAG_OK);
            const snag_world *world = r.world;
            assert_int_equal(snag_world_body(world, r.ids[0], &info), SNAG_OK);
            for (size_t i = r.counts[0]; i < info.vertex_count; i++)
                memcpy(r.x[0] + 3 * i, r.x[0], 3 * sizeof(double));
            r.counts[0] = info.vertex_count;
            assert_true(ask_all(&r, 2, rest, &random) > 100);
        }
        close_rig(&r);
    }
}

static snag_status search_twice(const snag_allocator *allocator, void *context)
{
    snag__random random = {73};
    snag_shape sheet = scene_crumpled_sheet(5, 0.08, &random);
    snag_world_def def = snag_default_world_def();
    def.allocator = *allocator;
    def.threads = 1;
    snag_world *world = NULL;
    snag_body_id id;
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = 1;
    filter.exclude_rest = context != NULL ? 0.2 : 0;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.5;
    ask.method = SNAG_METHOD_KDOP;
    ask.filter = &filter;
    snag_status status = snag_world_create(&def, &world);
    if (status == SNAG_OK)
        status = add_at_rest(world, &sheet, &id);
    size_t counts[ASKS] = {0};
    for (int i = 0; i < ASKS && status == SNAG_OK; i++) {
        const snag_answer *answer = NULL;
        status = snag_world_ask(world, &ask, &answer);
        counts[i] = status == SNAG_OK ? answer->count : 0;
        // What one ask had no memory for the next has.
        if (status == SNAG_ERROR_MEMORY && snag_world_ask(world, &ask, &answer) == SNAG_OK && i > 0)
            assert_int_equal(answer->count, counts[0]);
    }
    if (status == SNAG_OK)
        assert_true(counts[0] > 10 && counts[1] == counts[0] && counts[2] == counts[0]);
    snag_world_destroy(world);
    snag_shape_free(&sheet);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int rest = 1;
    assert_true(failing_allocator_sweep(search_twice, NULL) > 20);
    assert_true(failing_allocator_sweep(search_twice, &rest) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learnt_masks_leave_out_what_brute_does),
        cmocka_unit_test(masks_of_the_rest_pose_leave_out_what_brute_does),
        cmocka_unit_test(filters_in_turn_keep_their_masks),
        cmocka_unit_test(masks_are_learnt_anew_after_an_edit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
