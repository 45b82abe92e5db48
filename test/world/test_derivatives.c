// Batches of derivatives: each item is what the single functions say of its closest features, the distance is that of the contact, and
// bad input is refused by name.
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static snag_world *make_world(uint32_t threads, snag_body_id ids[2])
{
    snag__random random = {7};
    snag_world *world = scene_world(&(scene_options){.threads = threads});
    for (int i = 0; i < 2; i++) {
        snag_shape sheet = scene_crumpled_sheet(12, 0.2, &random);
        assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &ids[i]), SNAG_OK);
        snag_shape_free(&sheet);
    }
    return world;
}

static const snag_answer *ask_near(snag_world *world, snag_output output, bool every_pair)
{
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.distance = 0.1;
    ask.output = output;
    ask.every_pair = every_pair;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->count > 100);
    return answer;
}

static void items_are_what_single_calls_say(void **state)
{
    (void)state;
    snag_body_id ids[2];
    snag_world *world = make_world(2, ids);
    const snag_answer *answer = ask_near(world, SNAG_OUTPUT_CONTACTS, true);
    size_t count = answer->count, kinds[SNAG_CONTACT_KIND_COUNT] = {0};
    snag_derivative *results = malloc(count * sizeof *results);
    double *hessians = malloc(144 * count * sizeof *hessians), *mollifiers = malloc(144 * count * sizeof *hessians);
    snag_derivatives_def def = snag_default_derivatives_def();
    def.contacts = answer->contacts;
    def.count = count;
    def.hessians = hessians;
    def.mollifier = 0.5;
    def.mollifier_hessians = mollifiers;
    assert_int_equal(snag_world_derivatives(world, &def, results), SNAG_OK);
    size_t mollified = 0;
    for (size_t i = 0; i < count; i++) {
        const snag_contact *contact = &answer->contacts[i];
        const snag_derivative *item = &results[i];
        kinds[item->kind]++;
        assert_true(fabs(sqrt(item->squared) - contact->value) <= 1e-7 * contact->value);
        assert_int_equal(item->kind, contact->kind);
        // Downhill is away from the normal, which points from b to a.
        double along = 0;
        for (uint32_t k = 0; k < item->point_count; k++)
            for (int axis = 0; axis < 3 && item->body[k] == contact->body_a.index; axis++)
                along += item->gradient[3 * k + axis] * contact->normal[axis];
        if (contact->body_a.index != contact->body_b.index)
            assert_true(fabs(along - 2 * contact->value) < 1e-6 * contact->value);
        assert_true(item->mollifier >= 0 && item->mollifier <= 1);
        mollified += item->mollifier < 1;
        assert_true(contact->a.kind == SNAG_EDGE || (item->mollifier == 1 && mollifiers[144 * i] == 0));
    }
    for (int kind = SNAG_VERTEX_VERTEX; kind <= SNAG_EDGE_EDGE; kind++)
        assert_true(kinds[kind] > 0);
    assert_true(mollified > 0);
    free(results);
    free(hessians);
    free(mollifiers);
    snag_world_destroy(world);
}

static void pairs_and_threads_give_the_same_bytes(void **state)
{
    (void)state;
    snag_derivative *first = NULL;
    size_t count = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        snag_body_id ids[2];
        snag_world *world = make_world(threads, ids);
        const snag_answer *answer = ask_near(world, threads == 2 ? SNAG_OUTPUT_CONTACTS : SNAG_OUTPUT_PAIRS, false);
        snag_derivatives_def def = snag_default_derivatives_def();
        def.contacts = answer->contacts;
        def.pairs = answer->pairs;
        def.count = answer->count;
        snag_derivative *results = malloc(def.count * sizeof *results);
        assert_int_equal(snag_world_derivatives(world, &def, results), SNAG_OK);
        if (first == NULL) {
            first = results;
            count = def.count;
        } else {
            assert_int_equal(def.count, count);
            assert_memory_equal(results, first, count * sizeof *first);
            free(results);
        }
        snag_world_destroy(world);
    }
    free(first);
}

static void candidates_are_measured_in_their_order(void **state)
{
    (void)state;
    snag_body_id ids[2];
    snag_world *world = make_world(2, ids), *other = make_world(1, ids);
    snag_candidates *set = NULL;
    snag_collect_def collect = snag_default_collect_def();
    collect.distance = 0.05;
    assert_int_equal(snag_world_collect(world, &collect, &set), SNAG_OK);
    snag_derivatives_def def = snag_default_derivatives_def();
    def.candidates = set;
    def.count = snag_candidates_count(set);
    snag_derivative *results = malloc(def.count * sizeof *results);
    assert_int_equal(snag_world_derivatives(world, &def, results), SNAG_OK);
    size_t vertices, edges;
    const snag_candidate *v = snag_candidates_list(set, SNAG_CANDIDATE_VERTEX_TRIANGLE, &vertices);
    snag_candidates_list(set, SNAG_CANDIDATE_EDGE_EDGE, &edges);
    assert_true(vertices > 0 && edges > 0);
    for (size_t i = 0; i < def.count; i++) {
        assert_true(sqrt(results[i].squared) < 0.0501);
        assert_true(i >= vertices || (results[i].body[0] == v[i].body_a && results[i].vertex[0] == v[i].a));
    }
    assert_int_equal(snag_world_derivatives(other, &def, results), SNAG_ERROR_BODY);
    def.count--;
    assert_int_equal(snag_world_derivatives(world, &def, results), SNAG_ERROR_ARGUMENT);
    free(results);
    snag_candidates_destroy(set);
    snag_world_destroy(world);
    snag_world_destroy(other);
}

static void rods_and_points_are_measured(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0.25, 0.5, 0, 1.5, 0, 0.5};
    const uint32_t rod[2] = {0, 1}, points[2] = {2, 3};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def body = snag_default_body_def();
    snag_body_id id;
    body.positions = snag_positions_f64(x, 4);
    body.edges = rod;
    body.edge_count = 1;
    body.points = points;
    body.point_count = 2;
    assert_int_equal(snag_world_add(world, &body, &id), SNAG_OK);
    const snag_pair pairs[] = {
        {.body_a = id.index, .body_b = id.index, .a = 2, .b = 0, .kind_a = SNAG_VERTEX, .kind_b = SNAG_EDGE},
        {.body_a = id.index, .body_b = id.index, .a = 3, .b = 0, .kind_a = SNAG_VERTEX, .kind_b = SNAG_EDGE},
        {.body_a = id.index, .body_b = id.index, .a = 2, .b = 3, .kind_a = SNAG_VERTEX, .kind_b = SNAG_VERTEX},
    };
    snag_derivatives_def def = snag_default_derivatives_def();
    snag_derivative results[3];
    def.pairs = pairs;
    def.count = 3;
    assert_int_equal(snag_world_derivatives(world, &def, results), SNAG_OK);
    assert_true(results[0].kind == SNAG_VERTEX_EDGE && results[0].squared == 0.25 && results[0].gradient[1] == 1);
    assert_true(results[1].kind == SNAG_VERTEX_VERTEX && results[1].squared == 0.5 && results[1].vertex[1] == 1);
    assert_true(results[2].kind == SNAG_VERTEX_VERTEX && fabs(results[2].squared - 2.0625) < 1e-15);
    // The same from a set: its lists of vertices and edges, then of two vertices.
    snag_candidates *set = NULL;
    snag_collect_def collect = snag_default_collect_def();
    collect.distance = 2;
    assert_int_equal(snag_world_collect(world, &collect, &set), SNAG_OK);
    size_t edges = 0, all = snag_candidates_count(set);
    const snag_candidate *list = snag_candidates_list(set, SNAG_CANDIDATE_VERTEX_EDGE, &edges);
    assert_true(edges == 2 && list[0].a == 2 && list[1].a == 3);
    assert_true(all >= 3 && all <= 2 + 6);
    snag_derivative *every = calloc(all, sizeof *every);
    def.pairs = NULL;
    def.candidates = set;
    def.count = all;
    assert_int_equal(snag_world_derivatives(world, &def, every), SNAG_OK);
    for (int i = 0; i < 2; i++)
        assert_true(every[i].kind == results[i].kind && every[i].squared == results[i].squared);
    assert_true(every[all - 1].kind == SNAG_VERTEX_VERTEX && every[all - 1].squared == results[2].squared);
    free(every);
    snag_candidates_destroy(set);
    snag_world_destroy(world);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    snag_body_id ids[2];
    snag_world *world = make_world(1, ids);
    snag_derivative result;
    memset(&result, 7, sizeof result);
    const snag_derivative untouched = result;
    snag_pair pair = {
        .body_a = ids[0].index, .body_b = ids[1].index, .a = 3, .b = 4, .kind_a = SNAG_VERTEX, .kind_b = SNAG_TRIANGLE};
    const snag_pair good = pair;
    double threshold = -1;
    snag_derivatives_def def = snag_default_derivatives_def(), zero = {0};
    assert_int_equal(snag_world_derivatives(NULL, &def, &result), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_derivatives(world, NULL, &result), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_derivatives(world, &zero, &result), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "snag_default_derivatives_def"));
    assert_int_equal(snag_world_derivatives(world, &def, NULL), SNAG_OK);  // nothing is nothing
    def.count = 1;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_ARGUMENT);
    def.pairs = &pair;
    assert_int_equal(snag_world_derivatives(world, &def, NULL), SNAG_ERROR_ARGUMENT);
    snag_contact contact = {0};
    def.contacts = &contact;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_ARGUMENT);
    def.pairs = NULL;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_BODY);
    def.contacts = NULL;
    def.pairs = &pair;
    pair.body_b = 99;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_BODY);
    assert_non_null(strstr(snag_world_message(world), "item 0"));
    pair = good;
    pair.a = 100000;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_INDEX);
    pair = good;
    pair.b = 100000;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_INDEX);
    pair = good;
    pair.kind_a = SNAG_TRIANGLE;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_UNSUPPORTED);
    pair = good;
    def.thresholds = &threshold;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_ARGUMENT);
    def.thresholds = NULL;
    def.mollifier = NAN;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_ERROR_ARGUMENT);
    assert_memory_equal(&result, &untouched, sizeof result);
    def.mollifier = 0;
    assert_int_equal(snag_world_derivatives(world, &def, &result), SNAG_OK);
    snag_world_destroy(world);
}

static void single_calls_refuse_bad_input(void **state)
{
    (void)state;
    double x[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, squared = 0, mollifier = 0;
    snag_contact_kind kind;
    assert_int_equal(snag_squared_distance(SNAG_VERTEX_FACE, x, &squared, NULL, NULL, &kind), SNAG_OK);
    assert_true(squared == 1 && kind == SNAG_VERTEX_FACE);
    assert_int_equal(snag_squared_distance(SNAG_CROSSING, x, &squared, NULL, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_squared_distance(SNAG_INSIDE, x, &squared, NULL, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_squared_distance(SNAG_EDGE_EDGE, NULL, &squared, NULL, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_squared_distance(SNAG_EDGE_EDGE, x, NULL, NULL, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_edge_mollifier(x, -1, &mollifier, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_edge_mollifier(x, INFINITY, &mollifier, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_edge_mollifier(NULL, 1, &mollifier, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_edge_mollifier(x, 1, NULL, NULL, NULL), SNAG_ERROR_ARGUMENT);
    x[4] = NAN;
    assert_int_equal(snag_squared_distance(SNAG_VERTEX_VERTEX, x, &squared, NULL, NULL, NULL), SNAG_ERROR_NOT_FINITE);
    assert_int_equal(snag_edge_mollifier(x, 1, &mollifier, NULL, NULL), SNAG_ERROR_NOT_FINITE);
    x[4] = 0;
    x[11] = INFINITY;  // not a point of this kind
    assert_int_equal(snag_squared_distance(SNAG_VERTEX_EDGE, x, &squared, NULL, NULL, NULL), SNAG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_what_single_calls_say),
        cmocka_unit_test(pairs_and_threads_give_the_same_bytes),
        cmocka_unit_test(candidates_are_measured_in_their_order),
        cmocka_unit_test(rods_and_points_are_measured),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(single_calls_refuse_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
