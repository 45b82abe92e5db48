// The finish, on lists that are filled here: whatever they hold comes out in order, each once.
#include "base/random.h"
#include "helpers/test.h"
#include "helpers/threads.h"
#include "query/kind.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 3, TRIANGLES = 2000, RECORDS_MAX = 36000 };

// Bodies of triangles alone, whose numbers begin wherever the test wants. Contacts are written from where the triangles are, which is
// of no matter here: all bodies lie in each other.
typedef struct rig {
    snag__body bodies[BODIES], *places[BODIES];
    uint32_t first_element[BODIES + 1];
    snag_allocator allocator;
    snag__parallel parallel;
    snag__scratch scratch;
    snag__question def;
} rig;

static snag__question read_default(snag_question question)
{
    snag_question_def def = snag_default_question_def(question);
    snag__question read;
    snag__words words;
    assert_int_equal(snag__question_read(&def, &read, &words), SNAG_OK);
    return read;
}

static void set_up(rig *r, uint32_t spacing)
{
    static double x[TRIANGLES][3];
    static uint32_t triangles[TRIANGLES][3];
    snag__random random = {1};
    for (uint32_t i = 0; i < TRIANGLES; i++)
        for (uint32_t k = 0; k < 3; k++) {
            x[i][k] = snag__random_unit(&random);
            triangles[i][k] = (i + k) % (TRIANGLES / 2);
        }
    memset(r, 0, sizeof *r);
    r->allocator = snag__default_allocator();
    r->parallel.threads = 1;
    r->def = read_default(SNAG_INTERSECTIONS);
    for (uint32_t i = 0; i < BODIES; i++) {
        r->bodies[i].id = (snag_body_id){i + 5, i + 1};
        r->bodies[i].mesh.triangle_count = TRIANGLES;
        r->bodies[i].mesh.triangles = triangles;
        r->bodies[i].mesh.x_t0 = r->bodies[i].mesh.x_t1 = x;
        r->places[i] = &r->bodies[i];
        r->first_element[i] = i * spacing;
        r->first_element[i + 1] = i * spacing + TRIANGLES;
    }
}

static void tear_down(rig *r)
{
    snag__scratch_free(&r->allocator, &r->allocator, &r->scratch);
}

// A pair by places of bodies and numbers of triangles. Kind and shared vertices follow from it, as they do in truth.
typedef struct found {
    uint32_t body_a, a, body_b, b;
} found;

static uint32_t kind_of(const found *f)
{
    return (f->a + f->b) % 3;
}

static uint32_t shared_of(const found *f)
{
    return f->body_a == f->body_b ? (f->a ^ f->b) % 4 : 0;
}

static int by_elements(const void *a, const void *b)
{
    const found *x = a, *y = b;
    const uint32_t of_x[] = {x->body_a, x->a, x->body_b, x->b}, of_y[] = {y->body_a, y->a, y->body_b, y->b};
    for (int i = 0; i < 4; i++)
        if (of_x[i] != of_y[i])
            return of_x[i] < of_y[i] ? -1 : 1;
    return 0;
}

static found random_found(snag__random *random)
{
    found f = {snag__random_below(random, BODIES), snag__random_below(random, TRIANGLES), 0, 0};
    f.body_b = f.body_a + snag__random_below(random, BODIES - f.body_a);
    f.b = snag__random_below(random, TRIANGLES);
    return f;
}

// Fills the lists unevenly; one in `twice` is found a second time (0: none). Returns what there is, in order, each once.
static size_t fill(rig *r, size_t count, uint32_t twice, uint64_t seed, found *expected)
{
    snag__random random = {seed};
    for (int i = 0; i < SNAG__MAX_TASKS; i++)
        r->scratch.lists[i].count = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = twice > 0 && i > 0 && snag__random_below(&random, twice) == 0;
        expected[i] = again ? expected[snag__random_below(&random, (uint32_t)i)] : random_found(&random);
        uint32_t place = snag__random_below(&random, SNAG__MAX_TASKS);
        snag__record_list *list = &r->scratch.lists[place * place / SNAG__MAX_TASKS];
        assert_true(snag__record_list_reserve(&r->allocator, list, list->count + 1));
        uint64_t a = r->first_element[expected[i].body_a] + expected[i].a, b = r->first_element[expected[i].body_b] + expected[i].b;
        list->records[list->count++] =
            (snag__record){.key = a << 32 | b, .kind = kind_of(&expected[i]), .extra = shared_of(&expected[i])};
    }
    qsort(expected, count, sizeof *expected, by_elements);
    size_t kept = count > 0;
    for (size_t i = 1; i < count; i++)
        if (by_elements(&expected[i], &expected[kept - 1]) != 0)
            expected[kept++] = expected[i];
    return kept;
}

static snag_answer finish(rig *r)
{
    static const snag_log silent = {0};
    snag__ask ask = {
        .def = &r->def,
        .kind = snag__kind_of(r->def.question),
        .log = &silent,
        .bodies = r->places,
        .body_count = BODIES,
        .first_element = r->first_element,
        .allocator = &r->allocator,
        .answer_allocator = &r->allocator,
        .parallel = &r->parallel,
        .scratch = &r->scratch,
    };
    snag_answer answer = {0};
    assert_int_equal(snag__finish(&ask, &answer), SNAG_OK);
    return answer;
}

static void assert_pair(const rig *r, const found *f, const snag_pair *pair)
{
    snag_pair expected = {.body_a = r->bodies[f->body_a].id.index,
                          .body_b = r->bodies[f->body_b].id.index,
                          .a = f->a,
                          .b = f->b,
                          .kind_a = SNAG_TRIANGLE,
                          .kind_b = SNAG_TRIANGLE,
                          .kind = (uint8_t)kind_of(f),
                          .shared = (uint8_t)shared_of(f)};
    assert_memory_equal(pair, &expected, sizeof expected);
}

static void assert_contact(const rig *r, const found *f, const snag_contact *c)
{
    const snag_body_id *a = &r->bodies[f->body_a].id, *b = &r->bodies[f->body_b].id;
    assert_true(memcmp(&c->body_a, a, sizeof *a) == 0 && memcmp(&c->body_b, b, sizeof *b) == 0);
    assert_true(c->a.kind == SNAG_TRIANGLE && c->b.kind == SNAG_TRIANGLE && c->a.index == f->a && c->b.index == f->b);
    assert_true((uint32_t)c->kind == kind_of(f) && c->shared == shared_of(f));
}

static void assert_answers(rig *r, const found *expected, size_t count)
{
    static const uint32_t threads[] = {1, 2, 5, 100};
    for (int t = 0; t < 4; t++)
        for (int output = SNAG_OUTPUT_CONTACTS; output <= SNAG_OUTPUT_COUNT; output++) {
            r->parallel = (snag__parallel){.tasks = test_threads(&threads[1]), .threads = threads[t]};
            r->def.output = (snag_output)output;
            snag_answer answer = finish(r);
            assert_int_equal(answer.count, count);
            assert_true(answer.contacts == NULL || output == SNAG_OUTPUT_CONTACTS);
            assert_true(answer.pairs == NULL || output == SNAG_OUTPUT_PAIRS);
            for (size_t i = 0; i < count && output == SNAG_OUTPUT_CONTACTS; i++)
                assert_contact(r, &expected[i], &answer.contacts[i]);
            for (size_t i = 0; i < count && output == SNAG_OUTPUT_PAIRS; i++)
                assert_pair(r, &expected[i], &answer.pairs[i]);
        }
}

// Numbers of elements that lie near each other, and so far apart that a key needs all its bits.
static void what_was_found_comes_out_in_order_each_once(void **state)
{
    (void)state;
    static const uint32_t spacings[] = {TRIANGLES, 70000, 0x7ffff000u};
    static const size_t counts[] = {0, 1, 2, 1023, 1024, RECORDS_MAX};
    static found expected[RECORDS_MAX];
    for (int s = 0; s < 3; s++) {
        rig r;
        set_up(&r, spacings[s]);
        for (uint32_t c = 0; c < 6; c++)
            for (uint32_t twice = 0; twice < 3; twice++) {
                size_t kept = fill(&r, counts[c], twice * 4, c + 10 * twice, expected);
                assert_answers(&r, expected, kept);
            }
        tear_down(&r);
    }
}

// All in one place: nothing is left of the keys but what all have in common.
static void one_pair_that_was_found_many_times_is_one_contact(void **state)
{
    (void)state;
    static found expected[RECORDS_MAX];
    rig r;
    set_up(&r, TRIANGLES);
    size_t kept = fill(&r, RECORDS_MAX, 1, 3, expected);
    assert_int_equal(kept, 1);
    assert_answers(&r, expected, kept);
    tear_down(&r);
}

static double time_of(uint32_t v, uint32_t t)
{
    return 0.25 + (double)v / 8192 + (double)t / 64;
}

// What does not fit into a tag is kept all the same: times of impacts go where their contacts go.
static void records_keep_their_values(void **state)
{
    (void)state;
    rig r;
    set_up(&r, TRIANGLES);
    r.def = read_default(SNAG_IMPACTS);
    for (uint32_t i = 0; i < BODIES; i++)
        r.bodies[i].mesh.vertex_count = TRIANGLES / 2, r.bodies[i].mesh.triangle_count = TRIANGLES / 2;
    snag__record_list *list = &r.scratch.lists[7];
    assert_true(snag__record_list_reserve(&r.allocator, list, RECORDS_MAX));
    for (uint32_t i = 0; i < RECORDS_MAX; i++) {
        uint32_t v = i * 7919u % 1000, t = i / 1000;  // each once
        list->records[list->count++] =
            (snag__record){.key = (uint64_t)v << 32 | (TRIANGLES / 2 + t), .kind = SNAG_VERTEX_FACE, .value = time_of(v, t)};
    }
    snag_answer answer = finish(&r);
    assert_int_equal(answer.count, RECORDS_MAX);
    for (uint32_t i = 0; i < RECORDS_MAX; i++) {
        uint32_t v = i / (RECORDS_MAX / 1000), t = i % (RECORDS_MAX / 1000);
        assert_int_equal(answer.contacts[i].a.index, v);
        assert_int_equal(answer.contacts[i].b.index, t);
        assert_true(answer.contacts[i].t == time_of(v, t));
    }
    assert_true(answer.earliest == answer.contacts[0].t);
    tear_down(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_found_comes_out_in_order_each_once),
        cmocka_unit_test(one_pair_that_was_found_many_times_is_one_contact),
        cmocka_unit_test(records_keep_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
