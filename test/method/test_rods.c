// Rods and points: all methods give what brute gives, byte for byte, on random bodies that mix all kinds of elements; the others
// refuse. That brute is right is judged in test/query/test_thin.c.
#include "common/any_question.h"
#include "helpers/mixed.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const snag_method complete[] = {SNAG_METHOD_KDOP, SNAG_METHOD_HASH, SNAG_METHOD_AUTO};

typedef struct tally {
    size_t contacts[SNAG_QUESTION_COUNT], of_thin[SNAG_QUESTION_COUNT];
    unsigned long long pairs;  // that brute tested
} tally;

// Contacts that no surface has.
static bool is_of_thin(const snag_contact *c)
{
    return (c->a.kind == SNAG_VERTEX && (c->b.kind == SNAG_EDGE || c->b.kind == SNAG_VERTEX)) ||
           (c->a.kind == SNAG_EDGE && c->b.kind == SNAG_TRIANGLE);
}

static void compare(snag_world *world, any_question ask, tally *counts)
{
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_BRUTE;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count;
    double earliest = answer->earliest;
    snag_contact *contacts = malloc((count + 1) * sizeof *contacts);
    if (count > 0)
        memcpy(contacts, answer->contacts, count * sizeof *contacts);
    counts->contacts[ask.question] += count;
    counts->pairs += answer->statistics->candidates;
    for (size_t i = 0; i < count; i++)
        counts->of_thin[ask.question] += is_of_thin(&contacts[i]);
    for (size_t m = 0; m < sizeof complete / sizeof *complete; m++) {
        ask.method = complete[m];
        if (!snag_method_answers(ask.method, ask.question))
            continue;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_true(answer->complete && answer->earliest == earliest);
        assert_int_equal(answer->count, count);
        if (count > 0)
            assert_memory_equal(answer->contacts, contacts, count * sizeof *contacts);
    }
    free(contacts);
}

// The pairs of an answer say what its contacts say.
static void compare_pairs(snag_world *world, any_question ask)
{
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count;
    snag_contact *contacts = malloc((count + 1) * sizeof *contacts);
    if (count > 0)
        memcpy(contacts, answer->contacts, count * sizeof *contacts);
    ask.output = SNAG_OUTPUT_PAIRS;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, count);
    for (size_t i = 0; i < count; i++) {
        const snag_pair *p = &answer->pairs[i];
        const snag_contact *c = &contacts[i];
        assert_true(p->kind_a == c->a.kind && p->kind_b == c->b.kind && p->a == c->a.index && p->b == c->b.index &&
                    p->kind == c->kind);
        double value = ask.question == SNAG_IMPACTS ? c->t : c->value;
        if (ask.question == SNAG_PROXIMITIES || ask.question == SNAG_IMPACTS)
            assert_true((double)p->value <= value && (double)p->value >= value * (1 - 1e-6) - 1e-30);
    }
    free(contacts);
}

static void apply(const snag_filter *filter, any_question *ask)
{
    ask->exclude_rings = filter->exclude_rings;
    ask->exclude_rest = filter->exclude_rest;
    ask->exclusions = filter->exclusions;
}

static void compare_all(snag_world *world, uint32_t round, double distance, const snag_filter *filter, tally *counts)
{
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
        if (!snag_method_answers(SNAG_METHOD_BRUTE, (snag_question)question))
            continue;
        any_question ask = any_default((snag_question)question);
        ask.distance = distance;
        ask.separation = round % 5 == 0 ? distance / 4 : 0;
        ask.every_pair = round % 2 == 0;
        ask.edges = true;
        if (question != SNAG_OVERLAPS)
            apply(filter, &ask);
        compare(world, ask, counts);
        if (question != SNAG_DISTANCE)
            compare_pairs(world, ask);
    }
    any_question ask = any_default(SNAG_DISTANCE);
    ask.within = distance;
    apply(filter, &ask);
    compare(world, ask, counts);
    ask = any_default(SNAG_IMPACTS);
    apply(filter, &ask);
    ask.output = SNAG_OUTPUT_EARLIEST;
    const snag_answer *answer = NULL;
    double earliest[2];
    for (int i = 0; i < 2; i++) {
        ask.method = i == 0 ? SNAG_METHOD_BRUTE : SNAG_METHOD_KDOP;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        earliest[i] = answer->earliest;
    }
    assert_true(earliest[0] == earliest[1]);
}

enum { BODIES_MOST = 4, PAIRS_MOST = 12 };

// Bodies of a world, with rest poses, and with groups and masks that some of them do not share.
typedef struct crowd {
    snag_body_id ids[BODIES_MOST];
    mixed_body bodies[BODIES_MOST];
    uint32_t count;
} crowd;

static void add_crowd(snag_world *world, crowd *c, uint32_t round, uint32_t grid, bool filtered, snag__random *random)
{
    c->count = 2 + round % 3;
    for (uint32_t i = 0; i < c->count; i++) {
        mixed_body *body = &c->bodies[i];
        mixed_make(body, grid, random);
        if (round % 4 > 0)
            mixed_thicken(body, grid > 0 ? 0.5 : 0.05, random);
        if (!filtered) {
            c->ids[i] = mixed_add(world, body);
            continue;
        }
        snag_body_def def = mixed_def(body);
        def.rest = snag_positions_f64(body->x_t0[0], body->vertex_count);
        if (snag__random_below(random, 3) == 0) {
            def.group = 1 + snag__random_below(random, 3);
            def.mask = 1 + snag__random_below(random, 3);
        }
        assert_int_equal(snag_world_add(world, &def, &c->ids[i]), SNAG_OK);
        assert_int_equal(snag_world_move(world, c->ids[i], snag_positions_f64(body->x[0], body->vertex_count)), SNAG_OK);
    }
}

// Any rings, any distance in the rest pose, any pairs of vertices and sets, or none of these.
static snag_filter any_filter(snag_world *world, const crowd *c, double distance, snag__random *random)
{
    snag_filter filter = snag_default_filter();
    filter.exclude_rings = snag__random_below(random, 4);
    filter.exclude_rest = snag__random_below(random, 2) * distance * snag__random_unit(random);
    snag_excluded_pair pairs[PAIRS_MOST];
    uint32_t vertices[2][3];
    const snag_excluded_sets sets = {c->ids[0], vertices[0], 3, c->ids[1], vertices[1], 3};
    for (int i = 0; i < PAIRS_MOST; i++) {
        uint32_t a = snag__random_below(random, c->count), b = snag__random_below(random, c->count);
        pairs[i] = (snag_excluded_pair){c->ids[a],
                                        c->ids[b],
                                        {.kind = SNAG_VERTEX, .index = snag__random_below(random, c->bodies[a].vertex_count)},
                                        {.kind = SNAG_VERTEX, .index = snag__random_below(random, c->bodies[b].vertex_count)}};
    }
    for (int i = 0; i < 6; i++)
        vertices[i / 3][i % 3] = snag__random_below(random, c->bodies[i / 3].vertex_count);
    snag_exclusion_def def = snag_default_exclusion_def();
    def.pairs = pairs;
    def.pair_count = snag__random_below(random, PAIRS_MOST);
    def.sets = &sets;
    def.set_count = snag__random_below(random, 2);
    if (snag__random_below(random, 2) > 0)
        assert_int_equal(snag_world_exclude(world, &def, &filter.exclusions), SNAG_OK);
    return filter;
}

static void compare_round(uint32_t round, bool filtered, snag__random *random, tally *counts)
{
    static crowd c;
    uint32_t grid = round % 3 == 2 ? 0 : 2 + round % 5;
    double distance = grid > 0 ? 1 : 0.1;
    snag_world *world = scene_world(&(scene_options){.threads = 1 + round % 3, .isa = scene_isa(round)});
    add_crowd(world, &c, round, grid, filtered, random);
    snag_filter filter = filtered ? any_filter(world, &c, distance, random) : snag_default_filter();
    compare_all(world, round, distance, &filter, counts);
    snag_world_destroy(world);
}

static void all_methods_equal_brute(void **state)
{
    (void)state;
    tally counts = {0};
    snag__random random = {22};
    for (uint32_t round = 0; round < 200; round++)
        compare_round(round, false, &random, &counts);
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        if (question != SNAG_OVERLAPS && question != SNAG_PENETRATIONS)
            assert_true(counts.of_thin[question] > 100);
    assert_true(counts.contacts[SNAG_PENETRATIONS] > 100);
}

// With filters of all sorts. SNAG_MIXED_PAIRS: until brute has tested so many pairs; SNAG_MIXED_SEED: of other bodies.
static void all_methods_equal_brute_with_filters(void **state)
{
    (void)state;
    const char *wanted = getenv("SNAG_MIXED_PAIRS"), *seed = getenv("SNAG_MIXED_SEED");
    const double most = wanted != NULL ? strtod(wanted, NULL) : 2e5;
    tally counts = {0};
    snag__random random = {seed != NULL ? strtoull(seed, NULL, 10) : 23};
    uint32_t round = 0;
    for (; (double)counts.pairs < most; round++) {
        compare_round(round, true, &random, &counts);
        if (wanted != NULL && round % 10000 == 9999)
            fprintf(stderr, "%u worlds, %llu pairs\n", round + 1, counts.pairs);
    }
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        assert_true(question == SNAG_OVERLAPS || counts.contacts[question] > 50);
    if (wanted != NULL)
        printf("%u worlds, %llu pairs tested by brute\n", round, counts.pairs);
}

// Many rods, so that trees have levels and tasks share the work.
static void a_tangle_of_rods(void **state)
{
    const snag_filter no_filter = snag_default_filter();
    (void)state;
    enum { RODS = 60, ENDS = 30, VERTICES = RODS * ENDS };
    double(*x)[3] = malloc(VERTICES * sizeof *x);
    uint32_t(*edges)[2] = malloc(VERTICES * sizeof *edges), edge_count = 0;
    snag__random random = {7};
    for (uint32_t r = 0; r < RODS; r++)
        for (uint32_t i = 0; i < ENDS; i++) {
            uint32_t v = r * ENDS + i;
            for (int k = 0; k < 3; k++)
                x[v][k] = i == 0 ? snag__random_unit(&random) : x[v - 1][k] + 0.06 * (snag__random_unit(&random) - 0.5);
            if (i > 0) {
                edges[edge_count][0] = v;
                edges[edge_count++][1] = v - 1;
            }
        }
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&x[0][0], VERTICES);
    def.edges = &edges[0][0];
    def.edge_count = edge_count;
    snag_body_id rods, ball;
    assert_int_equal(snag_world_add(world, &def, &rods), SNAG_OK);
    snag_shape sphere;
    assert_int_equal(snag_shape_icosphere(3, 0.4, &sphere), SNAG_OK);
    for (size_t i = 0; i < 3 * sphere.vertex_count; i++)
        sphere.positions[i] += 0.5;
    assert_int_equal(scene_add(world, &sphere, SNAG_F64, NULL, &ball), SNAG_OK);
    for (uint32_t v = 0; v < VERTICES; v++)
        for (int k = 0; k < 3; k++)
            x[v][k] += 0.05 * (snag__random_unit(&random) - 0.5);
    assert_int_equal(snag_world_move(world, rods, snag_positions_f64(&x[0][0], VERTICES)), SNAG_OK);
    tally counts = {0};
    for (uint32_t round = 0; round < 2; round++)
        compare_all(world, round, 0.02, &no_filter, &counts);
    assert_true(counts.of_thin[SNAG_PROXIMITIES] > 1000 && counts.of_thin[SNAG_INTERSECTIONS] > 50);
    snag_shape_free(&sphere);
    snag_world_destroy(world);
    free(x);
    free(edges);
}

static void others_refuse_and_say_whom_to_ask(void **state)
{
    (void)state;
    static const snag_method others[] = {SNAG_METHOD_REGIONS, SNAG_METHOD_ACTIVE, SNAG_METHOD_REGULARITY, SNAG_METHOD_SPHERES};
    const double x[6] = {0, 0, 0, 1, 0, 0};
    const uint32_t edge[2] = {0, 1};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(x, 2);
    def.edges = edge;
    def.edge_count = 1;
    snag_body_id body;
    assert_int_equal(snag_world_add(world, &def, &body), SNAG_OK);
    for (size_t m = 0; m < sizeof others / sizeof *others; m++)
        for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
            if (!snag_method_answers(others[m], (snag_question)question))
                continue;
            snag_question_def ask = snag_default_question_def((snag_question)question);
            const snag_answer *answer = NULL;
            ask.method = others[m];
            ask.self = false;
            ask.distance = 0.1;
            assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
            assert_non_null(strstr(snag_world_message(world), "does not know rods and points"));
            if (question != SNAG_OVERLAPS)
                assert_non_null(strstr(snag_world_message(world), "kdop"));
        }
    // Once it is gone they answer again.
    assert_int_equal(snag_world_remove(world, body), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_DISTANCE);
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_REGIONS;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_equal_brute),
        cmocka_unit_test(all_methods_equal_brute_with_filters),
        cmocka_unit_test(a_tangle_of_rods),
        cmocka_unit_test(others_refuse_and_say_whom_to_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
