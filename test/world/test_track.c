// Contacts that are tracked keep their id while they persist, and every end is told: compared with a plain search through
// copies of the answers.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 4 };

typedef struct stage {
    snag_world *world;
    snag_shape shapes[BODIES];
    snag_body_id ids[BODIES];
    snag__random random;
} stage;

static snag_status stage_open(stage *s, uint32_t threads, snag_allocator allocator)
{
    *s = (stage){.random = {77}};
    s->world = scene_world(&(scene_options){.threads = threads, .allocator = allocator});
    if (s->world == NULL)
        return SNAG_ERROR_MEMORY;
    s->shapes[0] = scene_crumpled_sheet(12, 0.1, &s->random);
    s->shapes[1] = scene_crumpled_sheet(9, 0.06, &s->random);
    assert_int_equal(snag_shape_block(3, 3, 2, 0.2, &s->shapes[2]), SNAG_OK);
    s->shapes[3] = scene_soup(30, 4, true, &s->random);
    snag_status status = SNAG_OK;
    for (int i = 0; i < BODIES && status == SNAG_OK; i++)
        status = scene_add(s->world, &s->shapes[i], SNAG_F64, NULL, &s->ids[i]);
    return status;
}

static void stage_close(stage *s)
{
    for (int i = 0; i < BODIES; i++)
        snag_shape_free(&s->shapes[i]);
    snag_world_destroy(s->world);
}

static snag_status stage_shake(stage *s, double amount)
{
    snag_status status = snag_world_begin_step(s->world);
    for (int i = 0; i < BODIES; i++) {
        scene_shake(&s->shapes[i], amount, &s->random);
        snag_positions x = snag_positions_f64(s->shapes[i].positions, s->shapes[i].vertex_count);
        if (status == SNAG_OK && s->ids[i].index != 0)
            status = snag_world_move(s->world, s->ids[i], x);
    }
    return status;
}

// A copy of an answer.
typedef struct memory {
    snag_contact *contacts;
    size_t count;
} memory;

static memory remember(const snag_answer *answer)
{
    memory m = {malloc((answer->count + 1) * sizeof(snag_contact)), answer->count};
    assert_non_null(m.contacts);
    if (m.count > 0)
        memcpy(m.contacts, answer->contacts, m.count * sizeof *m.contacts);
    return m;
}

static bool is_same_element(const snag_element *a, const snag_element *b)
{
    return a->kind == b->kind && a->index == b->index;
}

// Which of the triangle's corners carry weight says which feature a vertex is close to.
static uint32_t feature_of(const snag_contact *c)
{
    uint32_t feature = 0;
    for (int i = 0; i < 3 && c->a.kind == SNAG_VERTEX && c->b.kind == SNAG_TRIANGLE; i++)
        feature |= (uint32_t)(c->weight[i] > 0) << i;
    return feature;
}

static bool is_same_contact(const snag_contact *a, const snag_contact *b, snag_question question)
{
    return memcmp(&a->body_a, &b->body_a, sizeof a->body_a) == 0 && memcmp(&a->body_b, &b->body_b, sizeof a->body_b) == 0 &&
           is_same_element(&a->a, &b->a) && is_same_element(&a->b, &b->b) &&
           (question != SNAG_PROXIMITIES || feature_of(a) == feature_of(b));
}

static const snag_contact *find_in(const memory *m, const snag_contact *contact, snag_question question)
{
    for (size_t i = 0; i < m->count; i++)
        if (is_same_contact(&m->contacts[i], contact, question))
            return &m->contacts[i];
    return NULL;
}

static bool is_listed_as_ended(const snag_answer *answer, const snag_contact *c)
{
    for (size_t i = 0; i < answer->ended_count; i++) {
        const snag_ended_contact *e = &answer->ended[i];
        if (e->id == c->id)
            return e->body_a.index == c->body_a.index && e->body_a.generation == c->body_a.generation &&
                   e->body_b.index == c->body_b.index && e->body_b.generation == c->body_b.generation && e->kind_a == c->a.kind &&
                   e->kind_b == c->b.kind && e->a == c->a.index && e->b == c->b.index;
    }
    return false;
}

// Counts of what was seen, so that a test can tell that all of it happened.
typedef struct counts {
    size_t begun, persisted, ended;
} counts;

static void check_lives(const memory *before, const snag_answer *answer, uint64_t *newest, counts *seen)
{
    uint64_t highest = *newest;
    size_t persisted = 0;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *now = &answer->contacts[i], *was = find_in(before, now, answer->question);
        assert_int_equal(now->phase, was != NULL ? SNAG_PHASE_PERSIST : SNAG_PHASE_BEGIN);
        if (was != NULL) {
            assert_true(now->id == was->id && now->age == was->age + 1);
        } else {
            assert_true(now->id > *newest && now->age == 0);
            highest = now->id > highest ? now->id : highest;
        }
        persisted += was != NULL;
    }
    memory now = remember(answer);
    size_t ended = 0;
    for (size_t i = 0; i < before->count; i++)
        if (find_in(&now, &before->contacts[i], answer->question) == NULL) {
            assert_true(is_listed_as_ended(answer, &before->contacts[i]));
            ended++;
        }
    assert_int_equal(answer->ended_count, ended);
    free(now.contacts);
    *newest = highest;
    seen->begun += answer->count - persisted;
    seen->persisted += persisted;
    seen->ended += ended;
}

static const snag_question questions[] = {SNAG_INTERSECTIONS, SNAG_PROXIMITIES, SNAG_PENETRATIONS, SNAG_IMPACTS};
enum { QUESTIONS = sizeof questions / sizeof *questions };

static any_question tracked(snag_question question)
{
    any_question ask = any_default(question);
    ask.distance = 0.02;
    ask.track = true;
    return ask;
}

static void contacts_live_as_a_plain_comparison_says_with_questions_in_turn(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 2, (snag_allocator){0}), SNAG_OK);
    memory before[QUESTIONS] = {{0}};
    counts seen[QUESTIONS] = {{0}};
    uint64_t newest = 0;
    for (int step = 0; step < 12; step++) {
        assert_int_equal(stage_shake(&s, step % 4 == 3 ? 0 : 0.01), SNAG_OK);
        // A body goes, which shifts the numbers of those behind it; later another comes in its place.
        if (step == 5) {
            assert_int_equal(snag_world_remove(s.world, s.ids[1]), SNAG_OK);
            s.ids[1] = (snag_body_id){0};
        }
        if (step == 8)
            assert_int_equal(scene_add(s.world, &s.shapes[1], SNAG_F64, NULL, &s.ids[1]), SNAG_OK);
        for (int q = 0; q < QUESTIONS; q++) {
            // Not every question is asked in each step: ends are counted since it was asked last.
            if ((step + q) % 3 == 0)
                continue;
            any_question ask = tracked(questions[q]);
            const snag_answer *answer = NULL;
            assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
            check_lives(&before[q], answer, &newest, &seen[q]);
            free(before[q].contacts);
            before[q] = remember(answer);
            // Asking without tracking in between changes nothing.
            ask.track = false;
            assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
            assert_true(answer->ended_count == 0);
            for (size_t i = 0; i < answer->count; i++)
                assert_true(answer->contacts[i].id == 0 && answer->contacts[i].phase == SNAG_PHASE_NONE);
        }
    }
    for (int q = 0; q < QUESTIONS; q++) {
        assert_true(seen[q].begun > 0 && seen[q].persisted > 0 && seen[q].ended > 0);
        free(before[q].contacts);
    }
    stage_close(&s);
}

static void ids_are_the_same_for_any_threads_and_method(void **state)
{
    (void)state;
    static const snag_method methods[] = {SNAG_METHOD_BRUTE, SNAG_METHOD_KDOP, SNAG_METHOD_AUTO};
    uint64_t expected[6] = {0};
    for (uint32_t threads = 1; threads <= 4; threads++) {
        stage s;
        assert_int_equal(stage_open(&s, threads, (snag_allocator){0}), SNAG_OK);
        for (int step = 0; step < 6; step++) {
            assert_int_equal(stage_shake(&s, 0.005), SNAG_OK);
            any_question ask = tracked(SNAG_PROXIMITIES);
            ask.method = methods[(threads + (uint32_t)step) % 3];
            const snag_answer *answer = NULL;
            assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
            uint64_t hash = scene_hash(answer);
            if (threads == 1)
                expected[step] = hash;
            assert_true(hash == expected[step]);
        }
        stage_close(&s);
    }
}

static void the_contacts_of_a_removed_body_end(void **state)
{
    (void)state;
    stage s;
    assert_int_equal(stage_open(&s, 1, (snag_allocator){0}), SNAG_OK);
    any_question ask = tracked(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
    size_t all = answer->count;
    assert_true(all > 0);
    for (int i = 0; i < BODIES; i++)
        assert_int_equal(snag_world_remove(s.world, s.ids[i]), SNAG_OK);
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 0);
    assert_int_equal(answer->ended_count, all);
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->ended_count, 0);
    stage_close(&s);
}

static snag_status tracked_cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    stage s;
    snag_status status = stage_open(&s, 1, *allocator);
    for (int step = 0; step < 2 && status == SNAG_OK; step++)
        for (int q = 0; q < 2 && status == SNAG_OK; q++) {
            any_question ask = tracked(questions[q]);
            const snag_answer *answer = NULL;
            status = stage_shake(&s, 0.01);
            if (status == SNAG_OK)
                status = any_ask(s.world, &ask, &answer);
        }
    stage_close(&s);
    return status;
}

static void nothing_is_lost_when_any_allocation_fails(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(tracked_cycle, NULL) > 20);
}

// An ask that fails must leave the lives of contacts as they were: the next one goes on from the last that succeeded.
static void a_failed_ask_ends_no_contact(void **state)
{
    (void)state;
    failing_allocator memory_of;
    snag_allocator allocator = failing_allocator_start(&memory_of, 0);
    stage s;
    assert_int_equal(stage_open(&s, 1, allocator), SNAG_OK);
    any_question ask = tracked(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
    memory before = remember(answer);
    uint64_t newest = 0;
    for (size_t i = 0; i < before.count; i++)
        newest = before.contacts[i].id > newest ? before.contacts[i].id : newest;
    // A pairs of bodies of contacts, so that every list must grow.
    snag_shape extra = scene_soup(80, 3, true, &s.random);
    snag_body_id id;
    assert_int_equal(scene_add(s.world, &extra, SNAG_F64, NULL, &id), SNAG_OK);
    size_t failures = 0;
    for (size_t n = 1;; n++, failures++) {
        memory_of.fail_at = memory_of.calls + n;
        snag_status status = any_ask(s.world, &ask, &answer);
        if (status == SNAG_OK)
            break;
        assert_int_equal(status, SNAG_ERROR_MEMORY);
    }
    memory_of.fail_at = 0;
    assert_true(failures > 3);
    counts seen = {0};
    check_lives(&before, answer, &newest, &seen);
    assert_true(seen.persisted == before.count && seen.begun > 0);
    free(before.contacts);
    snag_shape_free(&extra);
    stage_close(&s);
    failing_allocator_assert_clean(&memory_of);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    failing_allocator memory_of;
    snag_allocator allocator = failing_allocator_start(&memory_of, 0);
    stage s;
    assert_int_equal(stage_open(&s, 2, allocator), SNAG_OK);
    size_t calls = 0;
    for (int step = 0; step < 5; step++) {
        if (step == 3)
            calls = memory_of.calls;
        for (int q = 0; q < QUESTIONS; q++) {
            any_question ask = tracked(questions[q]);
            const snag_answer *answer = NULL;
            assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
        }
    }
    assert_int_equal(memory_of.calls, calls);
    stage_close(&s);
    failing_allocator_assert_clean(&memory_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_live_as_a_plain_comparison_says_with_questions_in_turn),
        cmocka_unit_test(ids_are_the_same_for_any_threads_and_method),
        cmocka_unit_test(the_contacts_of_a_removed_body_end),
        cmocka_unit_test(nothing_is_lost_when_any_allocation_fails),
        cmocka_unit_test(a_failed_ask_ends_no_contact),
        cmocka_unit_test(a_warm_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
