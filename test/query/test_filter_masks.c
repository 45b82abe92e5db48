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

static void add_body(rig *r, int i, snag_shape *shape)
{
    assert_int_equal(scene_add(r->world, shape, SNAG_F64, NULL, &r->ids[i]), SNAG_OK);
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
static size_t ask_all(rig *r, uint32_t rings, snag__random *random)
{
    size_t found = 0;
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = rings;
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
            size_t found = ask_all(&r, rings[i], &random);
            assert_true(i > 2 || found > 100);
        }
        close_rig(&r);
    }
}

// Cuts that make neighbours strangers, and splits that number edges anew: masks of the trees before would leave out others.
static void masks_are_learnt_anew_after_an_edit(void **state)
{
    (void)state;
    snag__random random = {72};
    for (uint32_t number = 0; number < 4; number++) {
        rig r = open_rig(number, &random);
        ask_all(&r, 2, &random);
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
            assert_true(ask_all(&r, 2, &random) > 100);
        }
        close_rig(&r);
    }
}

static snag_status search_twice(const snag_allocator *allocator, void *context)
{
    (void)context;
    snag__random random = {73};
    snag_shape sheet = scene_crumpled_sheet(5, 0.08, &random);
    snag_world_def def = snag_default_world_def();
    def.allocator = *allocator;
    def.threads = 1;
    snag_world *world = NULL;
    snag_body_id id;
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = 1;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.5;
    ask.method = SNAG_METHOD_KDOP;
    ask.filter = &filter;
    snag_status status = snag_world_create(&def, &world);
    if (status == SNAG_OK)
        status = scene_add(world, &sheet, SNAG_F64, NULL, &id);
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
    assert_true(failing_allocator_sweep(search_twice, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learnt_masks_leave_out_what_brute_does),
        cmocka_unit_test(masks_are_learnt_anew_after_an_edit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
