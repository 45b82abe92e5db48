// Bad filters are refused with a message that names the culprit, and a lack of memory changes nothing.
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "query/filter_question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- bad input ----

static const uint32_t two_triangles[] = {0, 1, 2, 1, 3, 2};
static const double square[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};

static snag_body_def square_def(void)
{
    snag_body_def def = snag_default_body_def();
    def.name = "square";
    def.positions = snag_positions_f64(square, 4);
    def.triangles = two_triangles;
    def.triangle_count = 2;
    return def;
}

static void refuse_body(const snag_body_def *def, snag_status status, const char *words)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id = {7, 7};
    assert_int_equal(snag_world_add(world, def, &id), status);
    assert_non_null(strstr(snag_world_message(world), words));
    assert_int_equal(snag_world_body_count(world), 0);
    snag_world_destroy(world);
}

static void bodies_that_would_meet_nothing_are_refused(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    def.group = 0;
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "square: the group of the body is 0");
    def = square_def();
    def.mask = 0;
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "the mask of the body is 0");
    static const uint32_t bits[] = {1, 3, 3, 2};
    static const uint32_t bad[] = {1, 3, 3, 4};
    def = square_def();
    def.vertex_groups = bad;
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "triangle 1: its vertices have no bit of their groups in common");
    def = square_def();
    def.vertex_groups = bits;
    def.vertex_masks = bad;
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "triangle 1: its vertices have no bit of their masks in common");
    static const uint32_t tet[] = {0, 1, 2, 3}, none[] = {1, 1, 2, 2};
    def = square_def();
    def.triangle_count = 0;
    def.tets = tet;
    def.tet_count = 1;
    def.vertex_groups = none;
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "tetrahedron 0: its vertices have no bit");
    static const uint32_t rods[] = {1, 2, 3, 0}, ends[] = {2, 2, 2, 1};
    def = square_def();
    def.triangle_count = 0;
    def.edges = rods;
    def.edge_count = 2;
    def.vertex_groups = ends;
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "edge 0-3: its vertices have no bit of their groups in common");
    static const uint32_t cloud[] = {1, 0, 1, 1};
    def = square_def();
    def.triangle_count = 0;
    def.vertex_masks = cloud;
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "vertex 1: its mask is 0");
}

static void bad_rest_poses_are_refused(void **state)
{
    (void)state;
    snag_body_def def = square_def();
    def.rest = snag_positions_f64(square, 3);
    refuse_body(&def, SNAG_ERROR_MISMATCH, "the rest pose has 3 vertices, and the positions have 4");
    double bad[12];
    memcpy(bad, square, sizeof bad);
    bad[7] = NAN;
    def.rest = snag_positions_f64(bad, 4);
    refuse_body(&def, SNAG_ERROR_NOT_FINITE, "the rest pose: vertex 2 is not finite");
    def.rest = snag_positions_f64(NULL, 4);
    refuse_body(&def, SNAG_ERROR_ARGUMENT, "the rest pose: positions are NULL");
}

typedef struct bad_world {
    snag_world *world;
    snag_body_id square, removed;
} bad_world;

static bad_world make_bad_world(void)
{
    bad_world w = {.world = scene_world(&(scene_options){.threads = 1})};
    snag_body_def def = square_def();
    assert_int_equal(snag_world_add(w.world, &def, &w.square), SNAG_OK);
    assert_int_equal(snag_world_add(w.world, &def, &w.removed), SNAG_OK);
    assert_int_equal(snag_world_remove(w.world, w.removed), SNAG_OK);
    return w;
}

static void refuse_question(snag_world *world, const snag_question_def *ask, snag_status status, const char *words)
{
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, ask, &answer), status);
    assert_non_null(strstr(snag_world_message(world), words));
    assert_null(answer);
}

static void bad_filters_are_refused(void **state)
{
    (void)state;
    bad_world w = make_bad_world();
    snag_filter filter = snag_default_filter();
    snag_question_def ask = question_of(SNAG_PROXIMITIES, &filter);
    filter.exclude_rings = 17;
    refuse_question(w.world, &ask, SNAG_ERROR_ARGUMENT, "exclude_rings is at most 16, not 17");
    filter = snag_default_filter();
    const double lengths[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        filter.exclude_rest = lengths[i];
        refuse_question(w.world, &ask, SNAG_ERROR_ARGUMENT, "exclude_rest");
    }
    filter.exclude_rest = 0.1;
    refuse_question(w.world, &ask, SNAG_ERROR_ARGUMENT, "exclude_rest: square has no rest pose");
    ask.self = false;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(w.world, &ask, &answer), SNAG_OK);
    answer = NULL;
    snag_question_def overlaps = snag_default_question_def(SNAG_OVERLAPS);
    overlaps.filter = &filter;
    refuse_question(w.world, &overlaps, SNAG_ERROR_UNSUPPORTED, "overlaps are of spheres");
    filter = snag_default_filter();
    filter.exclusions = (const snag_exclusions *)&filter;
    refuse_question(w.world, &ask, SNAG_ERROR_ARGUMENT, "the exclusions are not of this world");
    filter.cookie = 0;
    refuse_question(w.world, &ask, SNAG_ERROR_ARGUMENT, "snag_default_filter");
    snag_world_destroy(w.world);
}

static void refuse_exclusion(bad_world *w, const snag_exclusion_def *def, snag_status status, const char *words)
{
    const snag_exclusions *made = NULL;
    assert_int_equal(snag_world_exclude(w->world, def, &made), status);
    assert_non_null(strstr(snag_world_message(w->world), words));
    assert_null(made);
}

static void exclusions_that_name_nothing_are_refused(void **state)
{
    (void)state;
    bad_world w = make_bad_world();
    snag_excluded_pair pairs[2] = {{w.square, w.square, {.kind = SNAG_TRIANGLE, .index = 0}, {.kind = SNAG_TRIANGLE, .index = 1}},
                                   {w.square, w.square, {.kind = SNAG_VERTEX, .index = 0}, {.kind = SNAG_VERTEX, .index = 3}}};
    snag_exclusion_def def = snag_default_exclusion_def();
    def.pairs = pairs;
    def.pair_count = 2;
    const snag_exclusions *made = NULL, *second = NULL;
    assert_int_equal(snag_world_exclude(w.world, &def, &made), SNAG_OK);
    assert_int_equal(snag_world_drop_exclusions(w.world, NULL), SNAG_OK);
    assert_int_equal(snag_world_drop_exclusions(w.world, made), SNAG_OK);
    assert_int_equal(snag_world_drop_exclusions(w.world, made), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_exclude(w.world, NULL, &second), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_exclude(w.world, &def, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_exclude(NULL, &def, &second), SNAG_ERROR_ARGUMENT);
    pairs[1].b.index = 4;
    refuse_exclusion(&w, &def, SNAG_ERROR_INDEX, "pair 1: vertex 4 does not exist (square has 4)");
    pairs[1].b = (snag_element){.kind = SNAG_EDGE, .vertex = {3, 0}};
    refuse_exclusion(&w, &def, SNAG_ERROR_INDEX, "pair 1: square has no edge 3-0");
    pairs[1].b = (snag_element){.kind = SNAG_TET, .index = 0};
    refuse_exclusion(&w, &def, SNAG_ERROR_INDEX, "pair 1: tetrahedron 0 does not exist (square has 0)");
    pairs[1].b = (snag_element){.kind = SNAG_LEAF, .index = 0};
    refuse_exclusion(&w, &def, SNAG_ERROR_ARGUMENT, "pair 1: 4 is no kind of element");
    pairs[0].body_a = w.removed;
    refuse_exclusion(&w, &def, SNAG_ERROR_BODY, "pair 0: the id");
    def.pairs = NULL;
    refuse_exclusion(&w, &def, SNAG_ERROR_ARGUMENT, "the pairs are NULL, and their count is 2");
    def.pair_count = 0;
    static const uint32_t vertices[] = {0, 4};
    snag_excluded_sets sets = {w.square, vertices, 1, w.square, vertices, 2};
    def.sets = &sets;
    def.set_count = 1;
    refuse_exclusion(&w, &def, SNAG_ERROR_INDEX, "sets 0: vertex 4 does not exist (square has 4)");
    sets.vertices_b = NULL;
    refuse_exclusion(&w, &def, SNAG_ERROR_ARGUMENT, "sets 0: the vertices are NULL");
    def.cookie = 0;
    refuse_exclusion(&w, &def, SNAG_ERROR_ARGUMENT, "snag_default_exclusion_def");
    snag_world_destroy(w.world);
}

// Pairs of a body that has been removed have no effect, also not on the body that gets its slot.
static void exclusions_end_with_their_body(void **state)
{
    (void)state;
    static const double cross[] = {0.3, 0.3, -1, 0.3, 0.3, 1, 0.4, 0.9, 1};
    static const uint32_t one[] = {0, 1, 2}, all[] = {0, 1, 2};
    bad_world w = make_bad_world();
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(cross, 3);
    def.triangles = one;
    def.triangle_count = 1;
    for (int round = 0; round < 2; round++) {
        snag_body_id id;
        assert_int_equal(snag_world_add(w.world, &def, &id), SNAG_OK);
        snag_excluded_sets sets = {w.square, all, 3, id, all, 3};
        snag_exclusion_def exclude = snag_default_exclusion_def();
        exclude.sets = &sets;
        exclude.set_count = round == 0;
        snag_filter filter = snag_default_filter();
        assert_int_equal(snag_world_exclude(w.world, &exclude, &filter.exclusions), SNAG_OK);
        snag_question_def ask = question_of(SNAG_INTERSECTIONS, &filter);
        const snag_answer *answer = NULL;
        assert_int_equal(snag_world_ask(w.world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->count, round);
        assert_int_equal(snag_world_remove(w.world, id), SNAG_OK);
    }
    snag_world_destroy(w.world);
}

// ---- memory ----

static snag_status live_with_filters(const snag_allocator *allocator, void *context)
{
    (void)context;
    snag_world_def world_def = snag_default_world_def();
    world_def.allocator = *allocator;
    world_def.threads = 1;
    snag_world *world;
    snag_status status = snag_world_create(&world_def, &world);
    if (status != SNAG_OK)
        return status;
    static const uint32_t bits[] = {1, 3, 3, 2};
    snag_body_def def = square_def();
    def.rest = def.positions;
    def.vertex_groups = def.vertex_masks = bits;
    snag_body_id id;
    status = snag_world_add(world, &def, &id);
    snag_excluded_pair pairs[] = {{id, id, {.kind = SNAG_TRIANGLE, .index = 0}, {.kind = SNAG_EDGE, .vertex = {1, 2}}},
                                  {id, id, {.kind = SNAG_VERTEX, .index = 0}, {.kind = SNAG_VERTEX, .index = 3}}};
    snag_exclusion_def exclude = snag_default_exclusion_def();
    exclude.pairs = pairs;
    exclude.pair_count = 2;
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = 3;
    filter.exclude_rest = 0.1;
    if (status == SNAG_OK)
        status = snag_world_exclude(world, &exclude, &filter.exclusions);
    snag_question_def ask = question_of(SNAG_PROXIMITIES, &filter);
    ask.distance = 2;
    const snag_answer *answer;
    if (status == SNAG_OK)
        status = snag_world_ask(world, &ask, &answer);
    snag_world_destroy(world);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(live_with_filters, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_would_meet_nothing_are_refused),
        cmocka_unit_test(bad_rest_poses_are_refused),
        cmocka_unit_test(bad_filters_are_refused),
        cmocka_unit_test(exclusions_that_name_nothing_are_refused),
        cmocka_unit_test(exclusions_end_with_their_body),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
