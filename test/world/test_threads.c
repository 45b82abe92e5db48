// Pieces run on the user's own threads through the task callback, and on the world's; ThreadSanitizer watches this program.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "helpers/threads.h"

#include <stdlib.h>

static uint64_t answer_with(uint32_t threads, bool callback, snag_method method, snag_question question)
{
    scene_options options = {.threads = threads};
    if (callback)
        options.tasks = test_threads(&threads);
    snag_world *world = scene_world(&options);
    assert_non_null(world);
    snag__random random = {11};
    for (int i = 0; i < 2; i++) {
        snag_shape sheet = scene_crumpled_sheet(20, 0.1, &random);
        snag_body_id id;
        assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &id), SNAG_OK);
        scene_shake(&sheet, 0.02, &random);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(sheet.positions, sheet.vertex_count)), SNAG_OK);
        snag_shape_free(&sheet);
    }
    snag_shape block;
    assert_int_equal(snag_shape_block(4, 4, 4, 0.2, &block), SNAG_OK);
    snag_body_id id;
    assert_int_equal(scene_add(world, &block, SNAG_F64, NULL, &id), SNAG_OK);
    snag_shape_free(&block);
    any_question ask = any_default(question);
    ask.method = method;
    ask.distance = 0.01;
    ask.self = ask.self && snag_method_finds_self(method, question);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->count > 0);
    uint64_t hash = scene_hash(answer);
    snag_world_destroy(world);
    return hash;
}

static void threads_give_the_same_bytes(void **state)
{
    (void)state;
    for (int method = SNAG_METHOD_BRUTE; method < SNAG_METHOD_COUNT; method++)
        for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
            if (!snag_method_answers((snag_method)method, (snag_question)question))
                continue;
            uint64_t alone = answer_with(1, false, (snag_method)method, (snag_question)question);
            assert_true(answer_with(4, true, (snag_method)method, (snag_question)question) == alone);
            assert_true(answer_with(4, false, (snag_method)method, (snag_question)question) == alone);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_give_the_same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
