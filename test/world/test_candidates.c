// Sets of candidates: answers from them are those of a search, byte for byte, while they hold; what does not hold or fit is refused by name.
#include "candidate_rig.h"
#include "helpers/failing_allocator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The same with a body more of rods and points instead of the triangles of the last one: its first vertices are chains of rods, the
// others points, so that ends meet ends, vertices of sheets and points.
static void open_thin_rig(rig *r, uint32_t threads)
{
    open_rig(r, threads);
    snag_shape *shape = &r->shapes[BODIES - 1];
    uint32_t count = (uint32_t)shape->vertex_count, half = count / 2, *edges = malloc(2 * count * sizeof *edges);
    uint32_t *points = malloc(count * sizeof *points), edge_count = 0, point_count = 0;
    for (uint32_t v = 0; v + 1 < half; v++)
        if (v % 5 != 4) {
            edges[2 * edge_count] = v;
            edges[2 * edge_count++ + 1] = v + 1;
        }
    for (uint32_t v = half - 3; v < count; v++)
        points[point_count++] = v;
    snag_world_remove(r->world, r->ids[BODIES - 1]);
    snag_body_def body = snag_default_body_def();
    body.positions = snag_positions_f64(shape->positions, count);
    body.edges = edges;
    body.edge_count = edge_count;
    body.points = points;
    body.point_count = point_count;
    assert_int_equal(snag_world_add(r->world, &body, &r->ids[BODIES - 1]), SNAG_OK);
    free(edges);
    free(points);
}

// ---- answers ----

static void compare_line_searches(rig *rig_of_bodies, size_t kinds[SNAG_CANDIDATE_KIND_COUNT])
{
    rig r = *rig_of_bodies;
    snag__random random = {5};
    snag_candidates *set = NULL;
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.03;
    size_t contacts = 0, impacts = 0;
    for (int step = 0; step < 6; step++) {
        choose_step(&r, 0.06, &random);
        snag_world_begin_step(r.world);
        move_by(&r, 1, 0, &random);
        assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
        assert_true(snag_candidates_are_complete(set));
        for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++)
            snag_candidates_list(set, (snag_candidate_kind)kind, &kinds[kind]);
        for (double part = 1; part > 0.1; part *= 0.7) {
            move_by(&r, part, 0, &random);
            for (int form = 0; form < SNAG_OUTPUT_FORM_COUNT; form++) {
                snag_question_def ask = snag_default_question_def(form == SNAG_OUTPUT_EARLIEST ? SNAG_IMPACTS : SNAG_PROXIMITIES);
                ask.output = (snag_output)form;
                ask.distance = part < 0.5 ? 0.02 : 0.03;
                ask.every_pair = form == SNAG_OUTPUT_PAIRS;
                contacts += assert_same(&r, ask, set);
                ask = snag_default_question_def(SNAG_IMPACTS);
                ask.output = (snag_output)form;
                ask.self = form != 1;
                ask.separation = form == 2 ? 0.01 : 0;
                impacts += assert_same(&r, ask, set);
            }
        }
        move_by(&r, 0.5, 0, &random);
        for (int i = 0; i < BODIES; i++)
            for (size_t k = 0; k < 3 * r.shapes[i].vertex_count; k++)
                r.x[i][k] += 0.5 * r.step[i][k];
    }
    assert_true(contacts > 1000 && impacts > 1000);
    snag_candidates_destroy(set);
}

static void line_searches_have_the_bytes_of_full_asks(void **state)
{
    (void)state;
    rig r;
    size_t kinds[SNAG_CANDIDATE_KIND_COUNT];
    open_rig(&r, 2);
    compare_line_searches(&r, kinds);
    assert_true(kinds[SNAG_CANDIDATE_VERTEX_EDGE] == 0 && kinds[SNAG_CANDIDATE_VERTEX_VERTEX] == 0);
    close_rig(&r);
}

static void line_searches_with_rods_and_points_too(void **state)
{
    (void)state;
    rig r;
    size_t kinds[SNAG_CANDIDATE_KIND_COUNT];
    open_thin_rig(&r, 2);
    compare_line_searches(&r, kinds);
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++)
        assert_true(kinds[kind] > 5);
    close_rig(&r);
}

// Contacts of rods with points, of points with points, and of ends of rods with vertices of sheets come from the lists of their own.
static void pairs_of_rods_and_points_are_needed(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0.5, 0.01, 0, 0.5, 0.02, 0, 3, 0, 0, 3, 0.01, 0};
    const uint32_t rod[2] = {0, 1}, points[] = {2, 3, 4, 5};
    rig r = {.world = scene_world(&(scene_options){.threads = 1})};
    snag_body_def body = snag_default_body_def();
    snag_body_id id;
    snag_candidates *set = NULL;
    body.positions = snag_positions_f64(x, 6);
    body.edges = rod;
    body.edge_count = 1;
    body.points = points;
    body.point_count = 4;
    assert_int_equal(snag_world_add(r.world, &body, &id), SNAG_OK);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.03;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.03;
    assert_int_equal(assert_same(&r, ask, set), 4);
    ask.every_pair = true;
    assert_int_equal(assert_same(&r, ask, set), 4);
    // Pairs of the caller: those that no question looks at are passed over.
    const snag_candidate lists[2][2] = {{{id.index, id.index, 2, 0}, {id.index, id.index, 3, 0}},
                                        {{id.index, id.index, 3, 2}, {id.index, id.index, 0, 1}}};
    const snag_candidate *const given[SNAG_CANDIDATE_KIND_COUNT] = {NULL, NULL, lists[0], lists[1]};
    assert_int_equal(snag_candidates_create(r.world, given, (const size_t[SNAG_CANDIDATE_KIND_COUNT]){0, 0, 2, 2}, &set), SNAG_OK);
    const snag_answer *answer = NULL;
    ask.candidates = set;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 3);
    assert_false(answer->complete);
    snag_candidate wrong = {id.index, id.index, 2, 7};
    const snag_candidate *const bad[SNAG_CANDIDATE_KIND_COUNT] = {NULL, NULL, &wrong};
    assert_int_equal(snag_candidates_create(r.world, bad, (const size_t[SNAG_CANDIDATE_KIND_COUNT]){0, 0, 1, 0}, &set),
                     SNAG_ERROR_INDEX);
    assert_non_null(strstr(snag_world_message(r.world), "vertex-edge pair 0"));
    snag_candidates_destroy(set);
    snag_world_destroy(r.world);
}

// A vertex stands for its edges where each contact of features counts once, with the radii of their other ends. A set answers that too.
static void radii_of_neighbours_reach_further_than_those_of_vertices(void **state)
{
    (void)state;
    const double above[] = {0.3, 0.3, 0.5, 5, 5, 5, 6, 5, 5}, below[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangle[3] = {0, 1, 2};
    const float radii[3] = {0.1F, 0.5F, 0.1F};
    rig r = {.world = scene_world(&(scene_options){.threads = 1})};
    snag_body_def body = snag_default_body_def();
    snag_body_id id;
    snag_candidates *set = NULL;
    body.triangles = triangle;
    body.triangle_count = 1;
    body.positions = snag_positions_f64(below, 3);
    assert_int_equal(snag_world_add(r.world, &body, &id), SNAG_OK);
    body.positions = snag_positions_f64(above, 3);
    body.radii = radii;
    assert_int_equal(snag_world_add(r.world, &body, &id), SNAG_OK);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.01;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.01;
    assert_int_equal(assert_same(&r, ask, set), 1);
    ask.every_pair = true;
    // The vertex itself is too thin.
    assert_same(&r, ask, set);
    snag_candidates_destroy(set);
    snag_world_destroy(r.world);
}

static void bodies_that_rested_may_stray_by_the_margin(void **state)
{
    (void)state;
    rig r;
    snag__random random = {6};
    snag_candidates *set = NULL;
    open_rig(&r, 1);
    memset(r.step[0], 0, 3 * r.shapes[0].vertex_count * sizeof(double));
    choose_step(&r, 0, &random);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.02;
    def.margin = 0.01;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
    snag_question_def near = snag_default_question_def(SNAG_PROXIMITIES), hit = snag_default_question_def(SNAG_IMPACTS);
    near.distance = 0.02;
    for (int i = 0; i < 20; i++) {
        if (i % 5 == 4)
            snag_world_begin_step(r.world);
        move_by(&r, 0, 0.01 / sqrt(3), &random);
        assert_same(&r, near, set);
        assert_same(&r, hit, set);
        assert_int_equal(snag_candidates_check(r.world, set, true), SNAG_OK);
    }
    move_by(&r, 0, 0.02, &random);
    near.candidates = set;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(r.world, &near, &answer), SNAG_ERROR_STALE);
    assert_non_null(strstr(snag_world_message(r.world), "vertex"));
    assert_int_equal(snag_candidates_check(r.world, set, false), SNAG_ERROR_STALE);
    // Pairs that stray back are good again, but a move that started elsewhere is not.
    snag_world_begin_step(r.world);
    move_by(&r, 0, 0, &random);
    assert_int_equal(snag_world_ask(r.world, &near, &answer), SNAG_OK);
    hit.candidates = set;
    assert_int_equal(snag_world_ask(r.world, &hit, &answer), SNAG_ERROR_STALE);
    snag_candidates_destroy(set);
    close_rig(&r);
}

static void stale_sets_search_if_they_may(void **state)
{
    (void)state;
    rig r;
    snag__random random = {7};
    snag_candidates *set = NULL;
    open_rig(&r, 1);
    choose_step(&r, 0.3, &random);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.02;
    def.search_if_stale = true;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
    move_by(&r, 1, 0, &random);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.distance = 0.02;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    uint64_t hash = scene_hash(answer);
    ask.candidates = set;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_true(scene_hash(answer) == hash && answer->complete);
    assert_null(strstr(answer->reason, "candidates"));
    snag_candidates_destroy(set);
    close_rig(&r);
}

// ---- the pairs ----

static void pairs_are_sorted_and_the_same_for_all_threads(void **state)
{
    (void)state;
    snag_candidate *first = NULL;
    size_t count = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        rig r;
        snag_candidates *set = NULL;
        open_rig(&r, threads);
        snag_collect_def def = snag_default_collect_def();
        def.distance = 0.05;
        assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
        for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++) {
            size_t n = 0;
            const snag_candidate *p = snag_candidates_list(set, (snag_candidate_kind)kind, &n);
            assert_true(kind < SNAG_CANDIDATE_VERTEX_EDGE ? n > 100 : n == 0);
            for (size_t i = 1; i < n; i++) {
                const snag_candidate *a = &p[i - 1], *b = &p[i];
                bool same = a->body_a == b->body_a && a->body_b == b->body_b;
                assert_true(a->body_a < b->body_a || (a->body_a == b->body_a && a->body_b < b->body_b) ||
                            (same && (a->a < b->a || (a->a == b->a && a->b < b->b))));
            }
        }
        const snag_candidate *all = snag_candidates_list(set, SNAG_CANDIDATE_VERTEX_TRIANGLE, NULL);
        if (first == NULL) {
            count = snag_candidates_count(set);
            first = malloc(count * sizeof *first);
            memcpy(first, all, count * sizeof *first);
        }
        assert_int_equal(snag_candidates_count(set), count);
        assert_memory_equal(all, first, count * sizeof *first);
        assert_true(snag_candidates_bytes(set) >= 16 * count);
        snag_candidates_destroy(set);
        close_rig(&r);
    }
    free(first);
}

static bool keep_even(void *context, snag_candidate_kind kind, const snag_candidate *pair)
{
    (void)context, (void)kind;
    return pair->a % 2 == 0;
}

static bool keep_odd(void *context, snag_candidate_kind kind, const snag_candidate *pair)
{
    return !keep_even(context, kind, pair);
}

static void filtered_sets_answer_about_what_is_left(void **state)
{
    (void)state;
    rig r;
    snag_candidates *even = NULL, *odd = NULL;
    open_rig(&r, 1);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.03;
    def.search_if_stale = true;
    assert_int_equal(snag_world_collect(r.world, &def, &even), SNAG_OK);
    assert_int_equal(snag_world_collect(r.world, &def, &odd), SNAG_OK);
    size_t all = snag_candidates_count(even);
    assert_int_equal(snag_candidates_filter(even, keep_even, NULL), SNAG_OK);
    assert_int_equal(snag_candidates_filter(odd, keep_odd, NULL), SNAG_OK);
    assert_int_equal(snag_candidates_count(even) + snag_candidates_count(odd), all);
    assert_false(snag_candidates_are_complete(even));
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.distance = 0.03;
    ask.every_pair = true;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    size_t contacts = answer->count;
    ask.candidates = even;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    size_t part = answer->count;
    assert_true(part > 0 && part < contacts && !answer->complete);
    for (size_t i = 0; i < part; i++)
        assert_true(answer->contacts[i].a.index % 2 == 0);
    // Together they have all pairs again, but nobody knows that.
    assert_int_equal(snag_candidates_merge(even, odd), SNAG_OK);
    assert_int_equal(snag_candidates_count(even), all);
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_true(answer->count == contacts && !answer->complete);
    // A set from which pairs were dropped never searches: the pairs would be back.
    snag__random random = {8};
    choose_step(&r, 0.3, &random);
    move_by(&r, 1, 0, &random);
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_STALE);
    snag_candidates_destroy(even);
    snag_candidates_destroy(odd);
    close_rig(&r);
}

static void merged_sets_answer_what_both_were_made_for(void **state)
{
    (void)state;
    rig r;
    snag_candidates *self = NULL, *between = NULL;
    open_rig(&r, 1);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.03;
    def.between = false;
    assert_int_equal(snag_world_collect(r.world, &def, &self), SNAG_OK);
    def.between = true;
    def.self = false;
    def.distance = 0.02;
    assert_int_equal(snag_world_collect(r.world, &def, &between), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.distance = 0.02;
    ask.candidates = self;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(r.world), "between"));
    assert_int_equal(snag_candidates_merge(self, between), SNAG_OK);
    assert_same(&r, ask, self);
    ask.distance = 0.03;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    snag_candidates_destroy(self);
    snag_candidates_destroy(between);
    close_rig(&r);
}

static void sets_of_the_caller_answer_about_their_pairs(void **state)
{
    (void)state;
    rig r;
    snag_candidates *set = NULL, *made = NULL;
    open_rig(&r, 1);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.03;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
    size_t counts[SNAG_CANDIDATE_KIND_COUNT];
    snag_candidate *lists[SNAG_CANDIDATE_KIND_COUNT];
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++) {
        // Backwards, and each pair twice.
        const snag_candidate *from = snag_candidates_list(set, (snag_candidate_kind)kind, &counts[kind]);
        lists[kind] = malloc((2 * counts[kind] + 1) * sizeof **lists);
        for (size_t i = 0; i < 2 * counts[kind]; i++)
            lists[kind][i] = from[counts[kind] - 1 - i / 2];
        counts[kind] *= 2;
    }
    assert_int_equal(snag_candidates_create(r.world, (const snag_candidate *const *)lists, counts, &made), SNAG_OK);
    assert_int_equal(snag_candidates_count(made), snag_candidates_count(set));
    assert_memory_equal(snag_candidates_list(made, 0, NULL), snag_candidates_list(set, 0, NULL), 16 * snag_candidates_count(set));
    assert_false(snag_candidates_are_complete(made));
    snag__random random = {9};
    choose_step(&r, 0.3, &random);
    move_by(&r, 1, 0, &random);  // anywhere
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.distance = 10;
    ask.every_pair = true;
    ask.candidates = made;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_false(answer->complete);
    assert_true(answer->count > 0 && answer->count <= snag_candidates_count(made));
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++)
        free(lists[kind]);
    // A body that no pair names may go; one that is named may not.
    const snag_candidate one = {.body_a = r.ids[0].index, .body_b = r.ids[1].index, .a = 1, .b = 2};
    const snag_candidate *const one_list[SNAG_CANDIDATE_KIND_COUNT] = {&one};
    assert_int_equal(snag_candidates_create(r.world, one_list, (const size_t[SNAG_CANDIDATE_KIND_COUNT]){1}, &made), SNAG_OK);
    snag_world_remove(r.world, r.ids[2]);
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 1);
    snag_world_remove(r.world, r.ids[1]);
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_BODY);
    snag_candidates_destroy(set);
    snag_candidates_destroy(made);
    close_rig(&r);
}

// The search for the earliest impact begins with the pair that was the last one: it must be one of the set's.
static void earliest_impacts_are_those_of_the_pairs_of_the_set(void **state)
{
    (void)state;
    rig r;
    snag_candidates *none = NULL, *odd = NULL;
    open_rig(&r, 1);
    snag__random random = {12};
    choose_step(&r, 0.3, &random);
    snag_world_begin_step(r.world);
    move_by(&r, 1, 0, &random);
    snag_collect_def def = snag_default_collect_def();
    assert_int_equal(snag_world_collect(r.world, &def, &odd), SNAG_OK);
    assert_int_equal(snag_candidates_filter(odd, keep_odd, NULL), SNAG_OK);
    const snag_candidate *const lists[SNAG_CANDIDATE_KIND_COUNT] = {NULL};
    assert_int_equal(snag_candidates_create(r.world, lists, (const size_t[SNAG_CANDIDATE_KIND_COUNT]){0}, &none), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    ask.candidates = odd;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    const snag_pair culprit = answer->culprit;
    ask.output = SNAG_OUTPUT_EARLIEST;
    ask.candidates = NULL;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_true(answer->count == 1 && memcmp(&answer->culprit, &culprit, sizeof culprit) != 0);
    ask.candidates = none;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 0);
    ask.candidates = NULL;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    ask.candidates = odd;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_memory_equal(&answer->culprit, &culprit, sizeof culprit);
    snag_candidates_destroy(none);
    snag_candidates_destroy(odd);
    close_rig(&r);
}

// ---- memory ----

static snag_status live_once(const snag_allocator *allocator, void *context)
{
    (void)context;
    rig r;
    snag_candidates *set = NULL, *other = NULL;
    snag_status status = open_rig_with(&r, &(scene_options){.threads = 1, .allocator = *allocator});
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.03;
    const snag_candidate one = {.body_a = 1, .body_b = 2, .a = 1, .b = 2};
    const snag_candidate *const lists[SNAG_CANDIDATE_KIND_COUNT] = {&one};
    if (status == SNAG_OK)
        status = snag_world_collect(r.world, &def, &set);
    size_t before = snag_candidates_count(set);
    if (status == SNAG_OK)
        status = snag_candidates_create(r.world, lists, (const size_t[SNAG_CANDIDATE_KIND_COUNT]){1}, &other);
    if (status == SNAG_OK) {
        status = snag_candidates_merge(set, other);
        assert_true(status == SNAG_OK || snag_candidates_count(set) == before);
    }
    def.distance = 0.06;
    before = snag_candidates_count(set);
    if (status == SNAG_OK) {
        status = snag_world_collect(r.world, &def, &set);
        assert_true(status == SNAG_OK || snag_candidates_count(set) == before);
    }
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.distance = 0.05;
    ask.candidates = set;
    if (status == SNAG_OK)
        status = snag_world_ask(r.world, &ask, &answer);
    snag_candidates_destroy(set);
    snag_candidates_destroy(other);
    close_rig(&r);
    return status;
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    failing_allocator_sweep(live_once, NULL);
}

static void warm_sets_allocate_nothing(void **state)
{
    (void)state;
    failing_allocator memory;
    rig r;
    snag__random random = {3};
    snag_candidates *set = NULL;
    assert_int_equal(open_rig_with(&r, &(scene_options){.threads = 1, .allocator = failing_allocator_start(&memory, 0)}), SNAG_OK);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.03;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.03;
    const snag_answer *answer = NULL;
    size_t calls = 0;
    choose_step(&r, 0.002, &random);
    for (int i = 0; i < 12; i++) {
        snag_world_begin_step(r.world);
        move_by(&r, i % 2, 0, &random);
        assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
        ask.candidates = set;
        assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
        if (i == 7)
            calls = memory.calls;
    }
    assert_int_equal(memory.calls, calls);
    snag_candidates_destroy(set);
    close_rig(&r);
    failing_allocator_assert_clean(&memory);
}

// ---- bad input ----

static bool no_bodies(void *context, snag_body_id a, snag_body_id b)
{
    (void)context, (void)a, (void)b;
    return false;
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    rig r;
    snag_candidates *set = NULL;
    open_rig(&r, 1);
    snag_collect_def def = snag_default_collect_def(), zero = {0};
    assert_int_equal(snag_world_collect(NULL, &def, &set), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_collect(r.world, NULL, &set), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_collect(r.world, &def, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_collect(r.world, &zero, &set), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(r.world), "snag_default_collect_def"));
    def.self = def.between = false;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_ERROR_ARGUMENT);
    def = snag_default_collect_def();
    const double bad[] = {-1, NAN, INFINITY, 1.5e308};
    for (int i = 0; i < 4; i++) {
        def.margin = bad[i];
        assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_ERROR_ARGUMENT);
        assert_non_null(strstr(snag_world_message(r.world), "margin"));
        def.margin = 0;
        def.distance = bad[i];
        assert_int_equal(snag_world_collect(r.world, &def, &set), i < 3 ? SNAG_ERROR_ARGUMENT : SNAG_OK);
        def.distance = 0;
    }
    snag_candidates_destroy(set);
    set = NULL;
    snag_filter filter = {0};
    def.filter = &filter;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_ERROR_ARGUMENT);
    assert_null(set);
    const snag_candidate *lists[SNAG_CANDIDATE_KIND_COUNT] = {NULL};
    size_t counts[SNAG_CANDIDATE_KIND_COUNT] = {1};
    assert_int_equal(snag_candidates_create(r.world, lists, counts, &set), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_create(r.world, NULL, counts, &set), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_create(r.world, lists, NULL, &set), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_create(NULL, lists, counts, &set), SNAG_ERROR_ARGUMENT);
    snag_candidate pair = {.body_a = 99, .body_b = 1};
    lists[0] = &pair;
    assert_int_equal(snag_candidates_create(r.world, lists, counts, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_create(r.world, lists, counts, &set), SNAG_ERROR_BODY);
    pair = (snag_candidate){.body_a = 1, .body_b = 1, .a = 1000000};
    assert_int_equal(snag_candidates_create(r.world, lists, counts, &set), SNAG_ERROR_INDEX);
    assert_non_null(strstr(snag_world_message(r.world), "pair 0"));
    assert_null(set);
    close_rig(&r);
}

static void sets_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    rig r, s;
    snag_candidates *set = NULL, *other = NULL;
    open_rig(&r, 1);
    open_rig(&s, 1);
    snag_collect_def def = snag_default_collect_def();
    def.distance = 0.02;
    assert_int_equal(snag_world_collect(r.world, &def, &set), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.candidates = set;
    ask.distance = 0.02;
    assert_int_equal(snag_world_ask(s.world, &ask, &answer), SNAG_ERROR_BODY);  // a world of the same number, made alike
    assert_non_null(strstr(snag_world_message(s.world), "another world"));
    ask.distance = 0.021;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask.distance = 0.02;
    ask.method = SNAG_METHOD_KDOP;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask.method = SNAG_METHOD_AUTO;
    ask.question = SNAG_INTERSECTIONS;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    ask.question = SNAG_PROXIMITIES;
    snag_filter filter = snag_default_filter();
    filter.bodies = no_bodies;
    ask.filter = &filter;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(r.world), "filter"));
    def.filter = &filter;
    assert_int_equal(snag_world_collect(r.world, &def, &other), SNAG_OK);
    assert_int_equal(snag_candidates_count(other), 0);
    ask.candidates = other;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    assert_true(answer->count == 0 && answer->complete);
    ask.filter = NULL;
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_merge(set, other), SNAG_ERROR_ARGUMENT);
    def.filter = NULL;
    assert_int_equal(snag_world_collect(s.world, &def, &other), SNAG_OK);
    assert_int_equal(snag_candidates_merge(set, other), SNAG_ERROR_BODY);
    assert_int_equal(snag_candidates_merge(set, set), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_merge(NULL, set), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_filter(NULL, keep_even, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_filter(set, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_check(r.world, NULL, false), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_candidates_count(NULL), 0);
    assert_null(snag_candidates_list(NULL, 0, NULL));
    assert_null(snag_candidates_list(set, SNAG_CANDIDATE_KIND_COUNT, NULL));
    assert_int_equal(snag_candidates_bytes(NULL), 0);
    assert_false(snag_candidates_are_complete(NULL));
    snag_candidates_destroy(NULL);
    // A body more, then a body less.
    ask.candidates = set;
    snag_body_id more;
    assert_int_equal(scene_add(r.world, &r.shapes[0], SNAG_F64, NULL, &more), SNAG_OK);
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_STALE);
    snag_world_remove(r.world, more);
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_OK);
    snag_world_remove(r.world, r.ids[1]);
    assert_int_equal(snag_world_ask(r.world, &ask, &answer), SNAG_ERROR_BODY);
    snag_candidates_destroy(set);
    snag_candidates_destroy(other);
    close_rig(&r);
    close_rig(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(line_searches_have_the_bytes_of_full_asks),
        cmocka_unit_test(line_searches_with_rods_and_points_too),
        cmocka_unit_test(pairs_of_rods_and_points_are_needed),
        cmocka_unit_test(radii_of_neighbours_reach_further_than_those_of_vertices),
        cmocka_unit_test(bodies_that_rested_may_stray_by_the_margin),
        cmocka_unit_test(stale_sets_search_if_they_may),
        cmocka_unit_test(pairs_are_sorted_and_the_same_for_all_threads),
        cmocka_unit_test(filtered_sets_answer_about_what_is_left),
        cmocka_unit_test(merged_sets_answer_what_both_were_made_for),
        cmocka_unit_test(sets_of_the_caller_answer_about_their_pairs),
        cmocka_unit_test(earliest_impacts_are_those_of_the_pairs_of_the_set),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(warm_sets_allocate_nothing),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(sets_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
