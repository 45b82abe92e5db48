// Answers that go to a sink: the blocks one after the other are what the answer lists, however little memory there is.
#include "snag/question.h"
#include "snag/shapes.h"

#include "helpers/failing_allocator.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct store {
    char *bytes;
    size_t size, writes, reads;
    size_t fail_write, fail_read;  // which one fails; 0: none
} store;

typedef struct taken {
    store store;
    char *items;  // contacts or pairs
    size_t count, capacity, blocks, largest, stop_after;
} taken;

static bool take(void *context, const snag_contact *contacts, const snag_pair *pairs, size_t count)
{
    taken *t = context;
    size_t size = contacts != NULL ? sizeof *contacts : sizeof *pairs;
    assert_true((contacts != NULL) != (pairs != NULL) && count > 0);
    if (t->count + count > t->capacity) {
        t->capacity = 2 * (t->count + count);
        t->items = realloc(t->items, t->capacity * size);
    }
    memcpy(t->items + t->count * size, contacts != NULL ? (const void *)contacts : pairs, count * size);
    t->count += count;
    t->blocks++;
    t->largest = count > t->largest ? count : t->largest;
    return t->stop_after == 0 || t->count < t->stop_after;
}

static bool store_write(void *context, uint64_t offset, const void *bytes, size_t size)
{
    store *s = &((taken *)context)->store;
    if (++s->writes == s->fail_write)
        return false;
    if (offset + size > s->size) {
        s->bytes = realloc(s->bytes, offset + size);
        s->size = offset + size;
    }
    memcpy(s->bytes + offset, bytes, size);
    return true;
}

static bool store_read(void *context, uint64_t offset, void *bytes, size_t size)
{
    store *s = &((taken *)context)->store;
    if (++s->reads == s->fail_read)
        return false;
    assert_true(offset + size <= s->size);
    memcpy(bytes, s->bytes + offset, size);
    return true;
}

static void forget(taken *t)
{
    free(t->items);
    free(t->store.bytes);
    *t = (taken){.count = 0};
}

// Three wavy sheets in each other, or blocks of tetrahedra.
static snag_world *make_world(const snag_allocator *allocator, uint32_t threads, bool tets)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    def.threads = threads;
    def.number = 7;
    if (allocator != NULL)
        def.allocator = *allocator;
    if (snag_world_create(&def, &world) != SNAG_OK)
        return NULL;
    for (int b = 0; b < 3; b++) {
        snag_shape shape;
        snag_body_id id;
        if (tets)
            snag_shape_block(3, 3, 3, 0.3, &shape);
        else
            snag_shape_sheet(14, 14, 1, 1, &shape);
        for (size_t i = 0; i < shape.vertex_count; i++) {
            double *x = shape.positions + 3 * i;
            x[2] += 0.05 * sin(20 * x[0] + b) * cos(17 * x[1]) + 0.01 * b;
            x[0] += 0.013 * b;
        }
        snag_body_def body = snag_default_body_def();
        body.positions = snag_positions_f64(shape.positions, shape.vertex_count);
        body.triangles = tets ? NULL : shape.triangles;
        body.triangle_count = tets ? 0 : shape.triangle_count;
        body.tets = shape.tets;
        body.tet_count = shape.tet_count;
        snag_status status = snag_world_add(world, &body, &id);
        for (size_t i = 0; i < shape.vertex_count; i++)
            shape.positions[3 * i + 2] -= 0.03 * b;
        if (status == SNAG_OK)
            status = snag_world_move(world, id, snag_positions_f64(shape.positions, shape.vertex_count));
        snag_shape_free(&shape);
        if (status != SNAG_OK) {
            snag_world_destroy(world);
            return NULL;
        }
    }
    return world;
}

static snag_question_def ask_of(snag_question question, snag_output output)
{
    snag_question_def ask = snag_default_question_def(question);
    ask.output = output;
    ask.distance = question == SNAG_PROXIMITIES ? 0.03 : 0;
    return ask;
}

static snag_sink sink_of(taken *t, size_t memory, size_t block, bool storage)
{
    snag_sink sink = snag_default_sink();
    sink.take = take;
    sink.memory = memory;
    sink.block = block;
    sink.context = t;
    if (storage) {
        sink.write = store_write;
        sink.read = store_read;
    }
    return sink;
}

static void compare(snag_world *world, snag_question_def ask, size_t memory, size_t block, bool storage)
{
    const snag_answer *answer;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count, size = answer->contacts != NULL ? sizeof *answer->contacts : sizeof *answer->pairs;
    double earliest = answer->earliest;
    snag_pair culprit = answer->culprit;
    void *expected = malloc(count * size + 1);
    if (count > 0)
        memcpy(expected, answer->contacts != NULL ? (const void *)answer->contacts : answer->pairs, count * size);
    taken t = {.count = 0};
    snag_sink sink = sink_of(&t, memory, block, storage);
    ask.sink = &sink;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->complete && answer->contacts == NULL && answer->pairs == NULL);
    assert_true(answer->count == count && t.count == count);
    assert_true(count == 0 || memcmp(t.items, expected, count * size) == 0);
    assert_true(answer->earliest == earliest && memcmp(&answer->culprit, &culprit, sizeof culprit) == 0);
    assert_true(block == 0 || t.largest <= block);
    free(expected);
    forget(&t);
}

static void blocks_are_the_answer(void **state)
{
    (void)state;
    static const snag_method methods[] = {SNAG_METHOD_KDOP, SNAG_METHOD_BRUTE, SNAG_METHOD_HASH, SNAG_METHOD_AUTO};
    for (uint32_t threads = 1; threads <= 3; threads += 2)
        for (int tets = 0; tets < 2; tets++) {
            snag_world *world = make_world(NULL, threads, tets);
            for (int question = 0; question <= SNAG_IMPACTS; question++)
                for (int i = 0; i < 8; i++) {
                    snag_question_def ask = ask_of((snag_question)question, i & 1 ? SNAG_OUTPUT_PAIRS : SNAG_OUTPUT_CONTACTS);
                    ask.method = methods[i / 2];
                    ask.every_pair = question == SNAG_PROXIMITIES && i & 1;
                    if (!snag_method_answers(ask.method, ask.question) || (ask.method == SNAG_METHOD_BRUTE && threads > 1))
                        continue;
                    compare(world, ask, 1, 100, true);
                    compare(world, ask, 50000, 0, true);
                    compare(world, ask, 0, 1000, false);
                }
            snag_world_destroy(world);
        }
}

static void distance_and_overlaps_come_in_blocks_too(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL, 1, false);
    compare(world, ask_of(SNAG_DISTANCE, SNAG_OUTPUT_CONTACTS), 1, 1, true);
    compare(world, ask_of(SNAG_OVERLAPS, SNAG_OUTPUT_CONTACTS), 1, 7, true);
    snag_world_destroy(world);
}

static void a_sink_that_stops_gets_the_first_contacts(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL, 2, false);
    for (int storage = 0; storage < 2; storage++) {
        taken t = {.stop_after = 250};
        snag_question_def ask = ask_of(SNAG_PROXIMITIES, SNAG_OUTPUT_PAIRS);
        snag_sink sink = sink_of(&t, 1, 100, storage);
        const snag_answer *answer;
        ask.sink = &sink;
        assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
        assert_false(answer->complete);
        assert_true(t.count == 300 && answer->count == 300);
        forget(&t);
    }
    snag_world_destroy(world);
}

static void bad_sinks_are_refused(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL, 1, false);
    taken t = {.count = 0};
    const snag_answer *answer;
    snag_sink good = sink_of(&t, 1, 0, true), sink = {0};
    snag_question_def ask = ask_of(SNAG_PROXIMITIES, SNAG_OUTPUT_PAIRS);
    ask.sink = &sink;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "snag_default_sink"));
    sink = good;
    sink.take = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    sink = good;
    sink.read = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    sink = good;
    ask.output = SNAG_OUTPUT_COUNT;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask.output = SNAG_OUTPUT_CONTACTS;
    ask.track = true;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    ask.track = false;
    // Storage that fails.
    for (size_t n = 1; n <= 3; n++) {
        t.store.fail_write = t.store.writes + n;
        assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_FILE);
        assert_non_null(strstr(snag_world_message(world), "write"));
        t.store.fail_write = 0;
        t.store.fail_read = t.store.reads + n;
        assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_ERROR_FILE);
        assert_non_null(strstr(snag_world_message(world), "read"));
        t.store.fail_read = 0;
    }
    t.count = 0;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    forget(&t);
    snag_world_destroy(world);
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    snag_world *world = make_world(allocator, 1, false);
    taken *t = context;
    if (world == NULL)
        return SNAG_ERROR_MEMORY;
    snag_question_def ask = ask_of(SNAG_PROXIMITIES, SNAG_OUTPUT_CONTACTS);
    snag_sink sink = sink_of(t, 1, 1000, true);
    const snag_answer *answer;
    ask.sink = &sink;
    t->count = 0;
    snag_status status = snag_world_ask(world, &ask, &answer);
    snag_world_destroy(world);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    taken t = {.count = 0};
    failing_allocator_sweep(cycle, &t);
    assert_true(t.blocks > 0);
    forget(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_the_answer),
        cmocka_unit_test(distance_and_overlaps_come_in_blocks_too),
        cmocka_unit_test(a_sink_that_stops_gets_the_first_contacts),
        cmocka_unit_test(bad_sinks_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
