// Bodies come, move and go; what is wrong is refused by name and changes nothing.
#include "common/any_question.h"
#include "helpers/test.h"
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double corner_positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t one_triangle[] = {0, 1, 2}, one_tet[] = {0, 1, 2, 3};

static snag_world *make_world(void)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    return world;
}

static snag_body_id add_triangle(snag_world *world, const char *name)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(corner_positions, 4);
    def.triangles = one_triangle;
    def.triangle_count = 1;
    def.name = name;
    snag_body_id id = {0, 0};
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static void ids_of_removed_bodies_stay_invalid(void **state)
{
    (void)state;
    snag_world *world = make_world();
    snag_body_id first = add_triangle(world, NULL), second = add_triangle(world, "second");
    assert_int_equal(snag_world_remove(world, first), SNAG_OK);
    assert_int_equal(snag_world_remove(world, first), SNAG_ERROR_BODY);
    snag_body_id third = add_triangle(world, NULL);
    assert_int_equal(third.index, first.index);
    assert_int_not_equal(third.generation, first.generation);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, first, &info), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_body(world, second, &info), SNAG_OK);
    assert_string_equal(info.name, "second");
    assert_int_equal(snag_world_body(world, (snag_body_id){0, 0}, &info), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_body_count(world), 2);
    snag_world_destroy(world);
}

// The same body in two worlds has two ids, each of which is good for its own world.
static void ids_of_another_world_are_refused(void **state)
{
    (void)state;
    snag_world *world = make_world(), *other = make_world();
    snag_body_id mine = add_triangle(world, NULL), its = add_triangle(other, NULL);
    assert_int_equal(mine.index, its.index);
    snag_positions positions = snag_positions_f64(corner_positions, 4);
    snag_body_info info;
    snag_tree_info tree;
    const snag_mesh_report *report = NULL;
    assert_int_equal(snag_world_move(world, its, positions), SNAG_ERROR_BODY);
    assert_non_null(strstr(snag_world_message(world), "none of this world"));
    assert_int_equal(snag_world_teleport(world, its, positions), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_remove(world, its), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_body(world, its, &info), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_check(world, its, &report), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_tree(world, its, &tree), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_remove(world, mine), SNAG_OK);
    assert_int_equal(snag_world_remove(world, mine), SNAG_ERROR_BODY);
    assert_non_null(strstr(snag_world_message(world), "has been removed"));
    assert_int_equal(snag_world_remove(world, (snag_body_id){0, 0}), SNAG_ERROR_BODY);
    assert_non_null(strstr(snag_world_message(world), "zero"));
    snag_world_destroy(other);
    snag_world_destroy(world);
}

// No two of many worlds give the same id, though places are used again and again.
static void ids_of_many_worlds_do_not_meet(void **state)
{
    (void)state;
    enum { WORLDS = 200, TIMES = 20 };
    snag_body_id first[WORLDS], last[WORLDS];
    for (int i = 0; i < WORLDS; i++) {
        snag_world_def def = snag_default_world_def();
        def.threads = 1;
        def.number = i % 2 == 0 ? 0 : 1 + (uint32_t)i / 2;
        snag_world *world = NULL;
        assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
        first[i] = add_triangle(world, NULL);
        last[i] = first[i];
        for (int k = 0; k < TIMES; k++) {
            assert_int_equal(snag_world_remove(world, last[i]), SNAG_OK);
            last[i] = add_triangle(world, NULL);
            assert_int_equal(last[i].index, 1);
        }
        snag_world_destroy(world);
    }
    for (int i = 0; i < WORLDS; i++)
        for (int k = 0; k < WORLDS; k++)
            assert_true(i == k || last[k].generation - first[i].generation > TIMES);
}

static void worlds_of_one_number_give_the_same_ids(void **state)
{
    (void)state;
    snag_world *worlds[2];
    snag_body_id ids[2];
    for (int i = 0; i < 2; i++) {
        snag_world_def def = snag_default_world_def();
        def.number = 7;
        assert_int_equal(snag_world_create(&def, &worlds[i]), SNAG_OK);
        ids[i] = add_triangle(worlds[i], NULL);
    }
    assert_memory_equal(&ids[0], &ids[1], sizeof ids[0]);
    for (int i = 0; i < 2; i++)
        snag_world_destroy(worlds[i]);
}

static void a_body_without_a_name_is_named_by_its_place(void **state)
{
    (void)state;
    snag_world *world = make_world();
    snag_body_id id = add_triangle(world, NULL);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_string_equal(info.name, "body 1");
    assert_int_equal(info.vertex_count, 4);
    assert_int_equal(info.edge_count, 3);
    snag_world_destroy(world);
}

static void bad_positions_are_refused_by_body_and_vertex_and_change_nothing(void **state)
{
    (void)state;
    snag_world *world = make_world();
    snag_body_id id = add_triangle(world, "sail");
    double moved[12];
    memcpy(moved, corner_positions, sizeof moved);
    moved[7] = NAN;
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(moved, 4)), SNAG_ERROR_NOT_FINITE);
    assert_non_null(strstr(snag_world_message(world), "sail"));
    assert_non_null(strstr(snag_world_message(world), "vertex 2"));
    moved[7] = -INFINITY;
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(moved, 4)), SNAG_ERROR_NOT_FINITE);
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(corner_positions, 3)), SNAG_ERROR_MISMATCH);
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(NULL, 4)), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_move(world, id, (snag_positions){corner_positions, 4, 8, SNAG_F64}), SNAG_ERROR_ARGUMENT);

    const snag_mesh_report *report = NULL;
    assert_int_equal(snag_world_check(world, id, &report), SNAG_OK);
    assert_true(report->maximum[0] == 1 && report->maximum[1] == 1 && report->maximum[2] == 1);
    snag_world_destroy(world);
}

static void bad_bodies_are_refused_and_leave_no_trace(void **state)
{
    (void)state;
    snag_world *world = make_world();
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(corner_positions, 4);
    static const uint32_t wrong[] = {0, 1, 2, 0, 1, 900};
    def.triangles = wrong;
    def.triangle_count = 2;
    def.name = "sail";
    snag_body_id id = {0, 0};
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_ERROR_INDEX);
    assert_non_null(strstr(snag_world_message(world), "sail"));
    assert_non_null(strstr(snag_world_message(world), "900"));
    assert_int_equal(id.index, 0);
    def.triangle_count = SIZE_MAX / 2;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_ERROR_SIZE);
    assert_int_equal(snag_world_add(world, NULL, &id), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_add(world, &def, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_body_count(world), 0);
    snag_world_destroy(world);
}

static void empty_bodies_are_bodies(void **state)
{
    (void)state;
    snag_world *world = make_world();
    snag_body_def def = snag_default_body_def();
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(NULL, 0)), SNAG_OK);
    assert_int_equal(snag_world_begin_step(world), SNAG_OK);
    assert_int_equal(snag_world_teleport(world, id, snag_positions_f64(NULL, 0)), SNAG_OK);
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    def.positions = snag_positions_f64(corner_positions, 4);
    def.tets = one_tet;
    def.tet_count = 1;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_int_equal(info.triangle_count, 4);
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
        if (!snag_method_answers(SNAG_METHOD_AUTO, (snag_question)question))
            continue;
        any_question ask = any_default((snag_question)question);
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->count, 0);
        assert_true(answer->complete);
    }
    snag_world_destroy(world);
}

static void a_world_is_refused_what_it_cannot_have(void **state)
{
    (void)state;
    snag_world *world = (snag_world *)1;
    assert_int_equal(snag_world_create(NULL, &world), SNAG_ERROR_ARGUMENT);
    assert_null(world);
    snag_world_def def = snag_default_world_def();
    assert_int_equal(snag_world_create(&def, NULL), SNAG_ERROR_ARGUMENT);
    def.threads = (uint32_t)-1;
    assert_int_equal(snag_world_create(&def, &world), SNAG_ERROR_ARGUMENT);
    def = snag_default_world_def();
    def.isa = (snag_isa)77;
    assert_int_equal(snag_world_create(&def, &world), SNAG_ERROR_UNSUPPORTED);
    snag_world_destroy(NULL);
}

static void questions_out_of_range_are_refused(void **state)
{
    (void)state;
    snag_world *world = make_world();
    const snag_answer *answer = NULL;
    any_question ask = any_default(SNAG_PROXIMITIES);
    static const double bad[] = {NAN, INFINITY, -1};
    for (int i = 0; i < 3; i++) {
        ask.distance = bad[i];
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
        ask.distance = 0;
        ask.tolerance = bad[i];
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
        ask.tolerance = 0;
        ask.separation = bad[i];
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
        ask.separation = 0;
    }
    ask = any_default((snag_question)99);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask = any_default(SNAG_INTERSECTIONS);
    ask.method = (snag_method)99;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask = any_default(SNAG_OVERLAPS);
    ask.method = SNAG_METHOD_BRUTE;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(world), "brute cannot answer overlaps"));
    assert_null(answer);
    snag_world_destroy(world);
}

static void names_lead_back_to_what_they_name(void **state)
{
    (void)state;
    for (int i = 0; i < SNAG_QUESTION_COUNT; i++) {
        snag_question question;
        assert_true(snag_question_from_name(snag_question_name((snag_question)i), &question));
        assert_int_equal(question, i);
    }
    for (int i = 0; i < SNAG_METHOD_COUNT; i++) {
        snag_method method;
        assert_true(snag_method_from_name(snag_method_name((snag_method)i), &method));
        assert_int_equal(method, i);
    }
    snag_question question;
    assert_false(snag_question_from_name("colour", &question));
    assert_false(snag_question_from_name(NULL, &question));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_of_removed_bodies_stay_invalid),
        cmocka_unit_test(ids_of_another_world_are_refused),
        cmocka_unit_test(ids_of_many_worlds_do_not_meet),
        cmocka_unit_test(worlds_of_one_number_give_the_same_ids),
        cmocka_unit_test(a_body_without_a_name_is_named_by_its_place),
        cmocka_unit_test(bad_positions_are_refused_by_body_and_vertex_and_change_nothing),
        cmocka_unit_test(bad_bodies_are_refused_and_leave_no_trace),
        cmocka_unit_test(empty_bodies_are_bodies),
        cmocka_unit_test(a_world_is_refused_what_it_cannot_have),
        cmocka_unit_test(questions_out_of_range_are_refused),
        cmocka_unit_test(names_lead_back_to_what_they_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
