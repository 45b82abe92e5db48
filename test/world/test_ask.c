// What holds for every question: the same bytes whatever the threads, the instruction set, the scale; nothing lost when
// memory runs out; nothing allocated once warm.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const snag_question all_questions[] = {SNAG_INTERSECTIONS, SNAG_PROXIMITIES, SNAG_PENETRATIONS, SNAG_IMPACTS, SNAG_DISTANCE};
enum { QUESTIONS = sizeof all_questions / sizeof *all_questions };

static any_question question_of(snag_question question)
{
    any_question ask = any_default(question);
    ask.distance = 0.02;
    return ask;
}

// Two sheets through each other, a soup, a block of tetrahedra and a shifted copy, all shaken by one move.
static snag_status fill_cells(snag_world *world, uint32_t cells, double scale, double shift, snag_scalar scalar)
{
    snag__random random = {5};
    snag_shape shapes[5];
    shapes[0] = scene_crumpled_sheet(cells, 0.1, &random);
    shapes[1] = scene_crumpled_sheet(cells, 0.1, &random);
    shapes[2] = scene_soup(5 * cells, 4, true, &random);
    assert_int_equal(snag_shape_block(3, 3, 3, 0.25, &shapes[3]), SNAG_OK);
    assert_int_equal(snag_shape_block(3, 3, 3, 0.25, &shapes[4]), SNAG_OK);
    snag_shape_transform(&shapes[4], 1, 0.125, 0.0625, 0.1875);
    snag_status status = SNAG_OK;
    for (int i = 0; i < 5; i++) {
        // Coordinates on a grid of 2^-12, so that scaling and shifting by powers of two, and floats, lose nothing.
        for (size_t k = 0; k < 3 * shapes[i].vertex_count; k++)
            shapes[i].positions[k] = rint(shapes[i].positions[k] * 4096) / 4096;
        snag_shape_transform(&shapes[i], scale, shift, -shift, shift);
        snag_body_id id;
        if (status == SNAG_OK)
            status = scene_add(world, &shapes[i], scalar, NULL, &id);
        for (size_t k = 0; k < 3 * shapes[i].vertex_count; k++)
            shapes[i].positions[k] += scale / 4096 * ((double)snag__random_below(&random, 257) - 128);
        if (status == SNAG_OK)
            status = snag_world_move(world, id, snag_positions_f64(shapes[i].positions, shapes[i].vertex_count));
        snag_shape_free(&shapes[i]);
    }
    return status;
}

static snag_status fill(snag_world *world, double scale, double shift, snag_scalar scalar)
{
    return fill_cells(world, 12, scale, shift, scalar);
}

static void answers_are_the_same_bytes_for_all_threads_and_instruction_sets(void **state)
{
    (void)state;
    uint64_t expected[QUESTIONS] = {0};
    for (int isa = SNAG_ISA_BEST; isa <= SNAG_ISA_NEON; isa++)
        for (uint32_t threads = 1; threads <= 4; threads *= 2) {
            snag_world *world = scene_world(&(scene_options){.threads = threads, .isa = (snag_isa)isa});
            if (world == NULL)
                continue;
            assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
            for (int q = 0; q < QUESTIONS; q++) {
                if (!snag_method_answers(SNAG_METHOD_BRUTE, all_questions[q]))
                    continue;
                any_question ask = question_of(all_questions[q]);
                ask.method = SNAG_METHOD_BRUTE;
                const snag_answer *answer = NULL;
                assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
                assert_true(answer->count > 0);
                uint64_t hash = scene_hash(answer);
                if (expected[q] == 0)
                    expected[q] = hash;
                assert_true(hash == expected[q]);
            }
            snag_world_destroy(world);
        }
}

static void the_same_pairs_at_every_scale_shift_and_number_type(void **state)
{
    (void)state;
    static const double scales[] = {1, 0x1p-20, 0x1p20, 1}, shifts[] = {0, 0, 0, 0x1p20};
    static const snag_scalar scalars[] = {SNAG_F64, SNAG_F32, SNAG_F32, SNAG_F64};
    size_t expected[2] = {0};
    for (int i = 0; i < 4; i++) {
        snag_world *world = scene_world(&(scene_options){0});
        assert_int_equal(fill(world, scales[i], shifts[i], scalars[i]), SNAG_OK);
        for (int q = 0; q < 2; q++) {
            any_question ask = question_of(q == 0 ? SNAG_INTERSECTIONS : SNAG_PENETRATIONS);
            const snag_answer *answer = NULL;
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
            if (i == 0)
                expected[q] = answer->count;
            assert_true(answer->count > 0);
            assert_int_equal(answer->count, expected[q]);
        }
        snag_world_destroy(world);
    }
}

static void contacts_are_sorted_and_stand_once(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){0});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    for (int q = 0; q < QUESTIONS; q++) {
        if (!snag_method_answers(SNAG_METHOD_BRUTE, all_questions[q]))
            continue;
        any_question ask = question_of(all_questions[q]);
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        for (size_t i = 1; i < answer->count; i++) {
            const snag_contact *a = &answer->contacts[i - 1], *b = &answer->contacts[i];
            uint32_t before[] = {a->body_a.index, a->a.kind, a->a.index, a->body_b.index, a->b.kind, a->b.index, a->kind};
            uint32_t after[] = {b->body_a.index, b->a.kind, b->a.index, b->body_b.index, b->b.kind, b->b.index, b->kind};
            int k = 0;
            while (k < 6 && before[k] == after[k])
                k++;
            assert_true(before[k] < after[k]);
        }
    }
    snag_world_destroy(world);
}

static snag_status whole_cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    snag_world *world = scene_world(&(scene_options){.threads = 2, .allocator = *allocator});
    if (world == NULL)
        return SNAG_ERROR_MEMORY;
    snag_status status = fill_cells(world, 4, 1, 0, SNAG_F64);
    for (int q = 0; q < QUESTIONS && status == SNAG_OK; q++) {
        if (!snag_method_answers(SNAG_METHOD_AUTO, all_questions[q]))
            continue;
        any_question ask = question_of(all_questions[q]);
        const snag_answer *answer = NULL;
        status = any_ask(world, &ask, &answer);
        if (status == SNAG_ERROR_MEMORY)
            assert_true(strlen(snag_world_message(world)) > 0);
    }
    snag_world_destroy(world);
    return status;
}

static void nothing_is_lost_when_any_allocation_fails(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(whole_cycle, NULL) > 20);
}

static void a_world_answers_after_it_ran_out_of_memory(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = allocator});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    any_question ask = question_of(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        memory.fail_at = memory.calls + n;
        snag_status status = any_ask(world, &ask, &answer);
        if (status == SNAG_OK)
            break;
        assert_int_equal(status, SNAG_ERROR_MEMORY);
        failures++;
    }
    assert_true(failures > 0);
    assert_true(answer->count > 0);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_world *world = scene_world(&(scene_options){.threads = 2, .allocator = allocator});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    size_t calls = 0;
    for (int step = 0; step < 4; step++) {
        if (step == 2)
            calls = memory.calls;
        for (int q = 0; q < QUESTIONS; q++) {
            if (!snag_method_answers(SNAG_METHOD_AUTO, all_questions[q]))
                continue;
            any_question ask = question_of(all_questions[q]);
            const snag_answer *answer = NULL;
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        }
    }
    assert_int_equal(memory.calls, calls);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
}

typedef struct watcher {
    int calls, stop_after;
    double last;
} watcher;

static bool watch(void *context, double done)
{
    watcher *w = context;
    assert_true(done >= w->last && done <= 1 + 1e-12);
    w->last = done;
    return ++w->calls != w->stop_after;
}

static void progress_grows_and_may_end_the_search(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag__random random = {3};
    snag_shape sheet = scene_crumpled_sheet(80, 0.3, &random);
    snag_body_id id;
    assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &id), SNAG_OK);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    ask.progress = watch;
    watcher w = {0};
    ask.context = &w;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->complete && answer->covered == 1 && w.calls > 1);
    size_t all = answer->count;

    w = (watcher){.stop_after = 1};
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_false(answer->complete);
    assert_true(answer->covered > 0 && answer->covered < 1);
    assert_true(answer->count < all);
    snag_shape_free(&sheet);
    snag_world_destroy(world);
}

static bool only_different(void *context, snag_body_id a, snag_body_id b)
{
    (void)context;
    return a.index != b.index;
}

static void self_between_and_filter_choose_the_bodies(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){0});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    any_question ask = question_of(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    size_t counts[4];
    for (int i = 0; i < 4; i++) {
        ask.self = i != 1;
        ask.between = i != 2;
        ask.filter = i == 3 ? only_different : NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        counts[i] = answer->count;
        for (size_t k = 0; k < answer->count; k++) {
            bool self = answer->contacts[k].body_a.index == answer->contacts[k].body_b.index;
            assert_true(self ? ask.self && ask.filter == NULL : ask.between);
        }
    }
    assert_int_equal(counts[0], counts[1] + counts[2]);
    assert_int_equal(counts[1], counts[3]);
    assert_true(counts[1] > 0 && counts[2] > 0);
    snag_world_destroy(world);
}

// ---- outputs ----

// The value of a contact as its pair has it: never larger, and the next float above is.
static void assert_is_value(float is, const snag_contact *contact, snag_question question)
{
    double value = question == SNAG_IMPACTS ? contact->t : contact->kind == SNAG_INSIDE ? 0 : contact->value;
    assert_true((double)is <= value);
    assert_true((double)nextafterf(is, INFINITY) > value);
}

static void assert_is_pair_of(const snag_pair *pair, const snag_contact *contact, snag_question question)
{
    assert_int_equal(pair->body_a, contact->body_a.index);
    assert_int_equal(pair->body_b, contact->body_b.index);
    assert_int_equal(pair->kind_a, contact->a.kind);
    assert_int_equal(pair->kind_b, contact->b.kind);
    assert_int_equal(pair->a, contact->a.index);
    assert_int_equal(pair->b, contact->b.index);
    assert_int_equal(pair->kind, contact->kind);
    assert_int_equal(pair->shared, contact->shared);
    assert_is_value(pair->value, contact, question);
}

static void assert_outputs_agree(snag_world *world, any_question ask)
{
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->output, SNAG_OUTPUT_CONTACTS);
    assert_null(answer->pairs);
    size_t count = answer->count;
    double earliest = answer->earliest;
    snag_pair culprit = answer->culprit;
    assert_true(count > 0);
    // Asking again writes over the contacts.
    snag_contact *contacts = malloc(count * sizeof *contacts);
    memcpy(contacts, answer->contacts, count * sizeof *contacts);
    ask.output = SNAG_OUTPUT_PAIRS;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->output, SNAG_OUTPUT_PAIRS);
    assert_null(answer->contacts);
    assert_int_equal(answer->count, count);
    for (size_t i = 0; i < count; i++)
        assert_is_pair_of(&answer->pairs[i], &contacts[i], ask.question);
    ask.output = SNAG_OUTPUT_COUNT;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->output, SNAG_OUTPUT_COUNT);
    assert_null(answer->contacts);
    assert_null(answer->pairs);
    assert_int_equal(answer->count, count);
    assert_true(answer->earliest == earliest);
    assert_memory_equal(&answer->culprit, &culprit, sizeof culprit);
    free(contacts);
}

static void pairs_and_counts_are_contacts_in_short(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    for (int q = 0; q < SNAG_QUESTION_COUNT; q++)
        for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
            any_question ask = question_of((snag_question)q);
            ask.method = (snag_method)method;
            ask.self = ask.self && snag_method_finds_self(ask.method, ask.question);
            if (!snag_method_answers(ask.method, ask.question) || method == SNAG_METHOD_ACTIVE)
                continue;
            assert_outputs_agree(world, ask);
            ask.edges = ask.every_pair = true;
            assert_outputs_agree(world, ask);
        }
    snag_world_destroy(world);
}

static void the_earliest_impact_has_a_culprit(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    any_question ask = question_of(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    double earliest = 1;
    snag_contact first = {0};
    for (size_t i = 0; i < answer->count; i++)
        if (answer->contacts[i].t < earliest) {
            earliest = answer->contacts[i].t;
            first = answer->contacts[i];
        }
    assert_true(answer->earliest == earliest && earliest < 1);
    assert_is_pair_of(&answer->culprit, &first, SNAG_IMPACTS);
    for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
        if (!snag_method_answers((snag_method)method, SNAG_IMPACTS))
            continue;
        ask.method = (snag_method)method;
        ask.output = SNAG_OUTPUT_EARLIEST;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->output, SNAG_OUTPUT_EARLIEST);
        assert_null(answer->contacts);
        assert_null(answer->pairs);
        assert_true(answer->earliest == earliest);
        assert_is_pair_of(&answer->culprit, &first, SNAG_IMPACTS);
    }
    snag_world_destroy(world);
}

static void impacts_later_than_until_are_left_out(void **state)
{
    (void)state;
    static const double times[] = {1, 0.75, 0.25, 0};
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    any_question ask = question_of(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count;
    snag_contact *contacts = malloc(count * sizeof *contacts);
    memcpy(contacts, answer->contacts, count * sizeof *contacts);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        size_t at = 0;
        ask.until = times[i];
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        for (size_t k = 0; k < count; k++)
            if (contacts[k].t <= times[i]) {
                assert_true(at < answer->count);
                assert_memory_equal(&answer->contacts[at++], &contacts[k], sizeof contacts[k]);
            }
        assert_int_equal(answer->count, at);
        assert_true(i == 0 ? at == count : at < count);
    }
    free(contacts);
    snag_world_destroy(world);
}

static void what_an_output_cannot_hold_is_refused(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){0});
    assert_int_equal(fill(world, 1, 0, SNAG_F64), SNAG_OK);
    const snag_answer *answer = NULL;
    for (int q = 0; q < QUESTIONS; q++)
        for (int output = SNAG_OUTPUT_PAIRS; output < SNAG_OUTPUT_FORM_COUNT; output++) {
            any_question ask = question_of(all_questions[q]);
            ask.output = (snag_output)output;
            bool earliest = output == SNAG_OUTPUT_EARLIEST && ask.question != SNAG_IMPACTS;
            assert_int_equal(any_ask(world, &ask, &answer), earliest ? SNAG_ERROR_UNSUPPORTED : SNAG_OK);
            if (earliest)
                assert_non_null(strstr(snag_world_message(world), "earliest"));
            ask.track = true;
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
            if (!earliest)
                assert_non_null(strstr(snag_world_message(world), "tracked"));
        }
    any_question none = question_of(SNAG_IMPACTS);
    none.output = SNAG_OUTPUT_FORM_COUNT;
    assert_int_equal(any_ask(world, &none, &answer), SNAG_ERROR_ARGUMENT);
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_bytes_for_all_threads_and_instruction_sets),
        cmocka_unit_test(the_same_pairs_at_every_scale_shift_and_number_type),
        cmocka_unit_test(contacts_are_sorted_and_stand_once),
        cmocka_unit_test(nothing_is_lost_when_any_allocation_fails),
        cmocka_unit_test(a_world_answers_after_it_ran_out_of_memory),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(progress_grows_and_may_end_the_search),
        cmocka_unit_test(self_between_and_filter_choose_the_bodies),
        cmocka_unit_test(pairs_and_counts_are_contacts_in_short),
        cmocka_unit_test(the_earliest_impact_has_a_culprit),
        cmocka_unit_test(impacts_later_than_until_are_left_out),
        cmocka_unit_test(what_an_output_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
