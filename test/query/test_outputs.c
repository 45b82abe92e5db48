// What an answer says in other outputs is what its contacts say: as many, the same pairs in the same order, the same earliest.
//
// Each ask is made in a world of its own: some methods remember what they were asked.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 6 };

typedef struct scene {
    snag_shape from[BODIES];
    double *to[BODIES];  // positions at t1
    int count;
} scene;

static void add_shape(scene *s, snag_shape shape, double shake, snag__random *random)
{
    size_t numbers = 3 * shape.vertex_count;
    double *to = malloc((numbers + 1) * sizeof *to);
    for (size_t i = 0; i < numbers; i++)
        to[i] = shape.positions[i] + snag__random_range(random, -shake, shake);
    s->to[s->count] = to;
    s->from[s->count++] = shape;
}

// Of every kind of body: sheets, triangles and tetrahedra without order, on a grid or not, a ball, a block, points.
static scene make_scene(uint32_t round)
{
    snag__random random = {1000 + round};
    scene s = {.count = 0};
    snag_shape block, ball;
    uint32_t grid = round % 4 == 3 ? 4 : 0;
    assert_int_equal(snag_shape_block(2 + round % 2, 2, 3, 0.25, &block), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(1, 0.4, &ball), SNAG_OK);
    snag_shape_transform(&block, 1, 0.3, 0.2, 0.1);
    snag_shape_transform(&ball, 1, 0.4, 0.1 * round, 0.2);
    add_shape(&s, scene_crumpled_sheet(6 + round % 3, 0.1, &random), 0.1, &random);
    add_shape(&s, scene_soup(20, grid, round % 2 == 0, &random), 0.2, &random);
    add_shape(&s, scene_tet_soup(8, grid, &random), 0.1, &random);
    add_shape(&s, block, 0.1, &random);
    add_shape(&s, ball, round % 5 == 4 ? 0 : 0.1, &random);
    add_shape(&s, scene_soup(1 + round % 3, 0, false, &random), 0.5, &random);
    return s;
}

static void free_scene(scene *s)
{
    for (int i = 0; i < s->count; i++) {
        snag_shape_free(&s->from[i]);
        free(s->to[i]);
    }
}

// ---- answers that outlive their world ----

typedef struct kept {
    snag_answer answer;
    snag_contact *contacts;
    snag_pair *pairs;
} kept;

static kept ask_anew(const scene *s, const any_question *ask)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1 + (uint32_t)ask->output % 2});
    for (int i = 0; i < s->count; i++) {
        snag_body_id id;
        assert_int_equal(scene_add(world, &s->from[i], SNAG_F64, NULL, &id), SNAG_OK);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(s->to[i], s->from[i].vertex_count)), SNAG_OK);
    }
    const snag_answer *answer = NULL;
    if (any_ask(world, ask, &answer) != SNAG_OK)
        fail_msg("%s by %s: %s", snag_question_name(ask->question), snag_method_name(ask->method), snag_world_message(world));
    kept k = {.answer = *answer};
    assert_int_equal(answer->output, ask->output);
    assert_int_equal(answer->question, ask->question);
    if (answer->contacts != NULL) {
        k.contacts = malloc((answer->count + 1) * sizeof *k.contacts);
        memcpy(k.contacts, answer->contacts, answer->count * sizeof *k.contacts);
    }
    if (answer->pairs != NULL) {
        k.pairs = malloc((answer->count + 1) * sizeof *k.pairs);
        memcpy(k.pairs, answer->pairs, answer->count * sizeof *k.pairs);
    }
    snag_world_destroy(world);
    return k;
}

static void drop(kept *k)
{
    free(k->contacts);
    free(k->pairs);
}

static kept ask_output(const scene *s, any_question ask, snag_output output)
{
    ask.output = output;
    kept k = ask_anew(s, &ask);
    assert_true(k.contacts == NULL || output == SNAG_OUTPUT_CONTACTS);
    assert_true(k.pairs == NULL || output == SNAG_OUTPUT_PAIRS);
    assert_true(k.answer.count == 0 || output >= SNAG_OUTPUT_COUNT || k.contacts != NULL || k.pairs != NULL);
    return k;
}

// ---- comparing ----

static double value_of(const snag_contact *c, snag_question question)
{
    if (question == SNAG_IMPACTS)
        return c->t;
    return c->kind == SNAG_INSIDE || question == SNAG_INTERSECTIONS ? 0 : c->value;
}

static void assert_pair_of(const snag_pair *pair, const snag_contact *c, snag_question question)
{
    assert_true(pair->body_a == c->body_a.index && pair->body_b == c->body_b.index);
    assert_true(pair->a == c->a.index && pair->b == c->b.index);
    assert_true(pair->kind_a == c->a.kind && pair->kind_b == c->b.kind);
    assert_true(pair->kind == c->kind && pair->shared == c->shared);
    // The largest float that is not larger.
    double value = value_of(c, question);
    assert_true((double)pair->value <= value && (double)nextafterf(pair->value, INFINITY) > value);
}

static void assert_same_summary(const snag_answer *a, const snag_answer *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->degenerate, b->degenerate);
    assert_int_equal(a->method, b->method);
    assert_int_equal(a->complete, b->complete);
    assert_true(a->earliest == b->earliest && a->ratio == b->ratio && a->covered == b->covered);
    assert_memory_equal(&a->culprit, &b->culprit, sizeof a->culprit);
}

// The earliest, and the first in order of those that are.
static void assert_earliest(const kept *contacts, snag_question question)
{
    static const snag_pair none = {0};
    const snag_answer *answer = &contacts->answer;
    size_t first = SIZE_MAX;
    double earliest = 1;
    for (size_t i = 0; i < answer->count && question == SNAG_IMPACTS; i++)
        if (first == SIZE_MAX || contacts->contacts[i].t < earliest) {
            first = i;
            earliest = contacts->contacts[i].t;
        }
    assert_true(answer->earliest == earliest);
    if (first == SIZE_MAX)
        assert_memory_equal(&answer->culprit, &none, sizeof none);
    else
        assert_pair_of(&answer->culprit, &contacts->contacts[first], question);
}

// Returns how many contacts there are.
static size_t compare_outputs(const scene *s, const any_question *ask)
{
    kept contacts = ask_output(s, *ask, SNAG_OUTPUT_CONTACTS), pairs = ask_output(s, *ask, SNAG_OUTPUT_PAIRS);
    kept count = ask_output(s, *ask, SNAG_OUTPUT_COUNT);
    assert_same_summary(&contacts.answer, &pairs.answer);
    assert_same_summary(&contacts.answer, &count.answer);
    for (size_t i = 0; i < contacts.answer.count; i++)
        assert_pair_of(&pairs.pairs[i], &contacts.contacts[i], ask->question);
    assert_earliest(&contacts, ask->question);
    if (ask->question == SNAG_IMPACTS) {
        kept earliest = ask_output(s, *ask, SNAG_OUTPUT_EARLIEST);
        assert_int_equal(earliest.answer.count, contacts.answer.count > 0);
        earliest.answer.count = contacts.answer.count;
        assert_same_summary(&contacts.answer, &earliest.answer);
        drop(&earliest);
    }
    size_t found = contacts.answer.count;
    drop(&contacts);
    drop(&pairs);
    drop(&count);
    return found;
}

static any_question question_of(snag_question question, snag_method method, uint32_t round)
{
    any_question ask = any_default(question);
    ask.method = method;
    ask.self = snag_method_finds_self(method, question) && question != SNAG_DISTANCE && question != SNAG_OVERLAPS;
    ask.between = !ask.self || round % 3 != 2;
    ask.distance = question == SNAG_PROXIMITIES ? 0.05 : 0;
    ask.every_pair = round % 2 == 1;
    ask.edges = round % 2 == 0;
    ask.closest = round % 3 == 1 ? 3 : 0;
    ask.separation = round % 4 == 1 ? 0.01 : 0;
    ask.seed = 3;
    ask.new_pairs = 200;
    ask.depth = 3;
    return ask;
}

static void outputs_say_what_contacts_say(void **state)
{
    (void)state;
    enum { ROUNDS = 8 };
    size_t found[SNAG_QUESTION_COUNT][SNAG_METHOD_COUNT] = {{0}};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        scene s = make_scene(round);
        for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
            for (int method = 0; method < SNAG_METHOD_COUNT; method++)
                if (snag_method_answers((snag_method)method, (snag_question)question)) {
                    any_question ask = question_of((snag_question)question, (snag_method)method, round);
                    found[question][method] += compare_outputs(&s, &ask);
                }
        free_scene(&s);
    }
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        for (int method = 0; method < SNAG_METHOD_COUNT; method++)
            assert_true(found[question][method] > 20 || !snag_method_answers((snag_method)method, (snag_question)question));
}

// So many that they are put in order by threads, in another way than few are.
static void many_contacts_too(void **state)
{
    (void)state;
    snag__random random = {77};
    for (int grid = 0; grid < 9; grid += 8) {
        scene s = {.count = 0};
        add_shape(&s, scene_soup(150, (uint32_t)grid, true, &random), 0.3, &random);
        add_shape(&s, scene_soup(150, (uint32_t)grid, false, &random), 0.3, &random);
        add_shape(&s, scene_tet_soup(150, (uint32_t)grid, &random), 0.3, &random);
        for (int question = 0; question <= SNAG_IMPACTS; question++) {
            any_question ask = any_default((snag_question)question);
            ask.distance = question == SNAG_PROXIMITIES ? 0.02 : 0;
            for (int edges = 0; edges < 1 + (question == SNAG_PENETRATIONS); edges++) {
                ask.edges = edges != 0;
                assert_true(compare_outputs(&s, &ask) > 3000);
            }
        }
        free_scene(&s);
    }
}

static void without_bodies_there_is_nothing(void **state)
{
    (void)state;
    scene s = {.count = 0};
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++)
        for (int method = 0; method < SNAG_METHOD_COUNT; method++)
            if (snag_method_answers((snag_method)method, (snag_question)question)) {
                any_question ask = question_of((snag_question)question, (snag_method)method, 0);
                assert_int_equal(compare_outputs(&s, &ask), 0);
            }
}

// ---- until ----

// Asks until a time: what is left are those contacts that are not later, as they are without.
static void assert_until(const scene *s, any_question ask, const kept *all, double until)
{
    ask.until = until;
    kept part = ask_output(s, ask, SNAG_OUTPUT_CONTACTS);
    size_t next = 0;
    for (size_t i = 0; i < all->answer.count; i++)
        if (all->contacts[i].t <= until) {
            assert_true(next < part.answer.count);
            assert_memory_equal(&part.contacts[next++], &all->contacts[i], sizeof *part.contacts);
        }
    assert_int_equal(part.answer.count, next);
    assert_int_equal(compare_outputs(s, &ask), next);
    if (next > 0) {
        assert_true(part.answer.earliest == all->answer.earliest);
        assert_memory_equal(&part.answer.culprit, &all->answer.culprit, sizeof part.answer.culprit);
    }
    drop(&part);
}

static void until_leaves_out_what_is_later(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        scene s = make_scene(round);
        for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
            if (!snag_method_answers((snag_method)method, SNAG_IMPACTS))
                continue;
            any_question ask = question_of(SNAG_IMPACTS, (snag_method)method, round);
            kept all = ask_output(&s, ask, SNAG_OUTPUT_CONTACTS);
            assert_true(all.answer.count > 20);
            double some = all.contacts[all.answer.count / 2].t;
            const double times[] = {0, 1, 0.5, some, nextafter(some, 0), all.answer.earliest, nextafter(all.answer.earliest, 0)};
            for (size_t i = 0; i < sizeof times / sizeof *times; i++)
                assert_until(&s, ask, &all, fmax(0, times[i]));
            drop(&all);
        }
        free_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_say_what_contacts_say),
        cmocka_unit_test(many_contacts_too),
        cmocka_unit_test(without_bodies_there_is_nothing),
        cmocka_unit_test(until_leaves_out_what_is_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
