// Where there are many contacts, kdop reads both ends of edges by slot from the second ask on. The pairs are those of brute, whatever was
// asked before.
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "method/kdop.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 3 };

static snag_question_def ask_of(snag_method method, bool every_pair)
{
    snag_question_def def = snag_default_question_def(SNAG_PROXIMITIES);
    def.method = method;
    def.every_pair = every_pair;
    def.output = SNAG_OUTPUT_PAIRS;
    def.distance = 0.3;
    return def;
}

static size_t compare(snag_world *world, bool every_pair)
{
    const snag_answer *answer;
    snag_question_def def = ask_of(SNAG_METHOD_KDOP, every_pair);
    assert_int_equal(snag_world_ask(world, &def, &answer), SNAG_OK);
    size_t count = answer->count;
    snag_pair *pairs = malloc((count + 1) * sizeof *pairs);
    assert_non_null(pairs);
    memcpy(pairs, answer->pairs, count * sizeof *pairs);
    def = ask_of(SNAG_METHOD_BRUTE, every_pair);
    assert_int_equal(snag_world_ask(world, &def, &answer), SNAG_OK);
    assert_int_equal(answer->count, count);
    assert_memory_equal(pairs, answer->pairs, count * sizeof *pairs);
    free(pairs);
    return count;
}

static void dense_scenes_are_asked_again(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads *= 4) {
        snag__random random = {71};
        snag_world *world = scene_world(&(scene_options){.threads = threads});
        snag_shape shapes[BODIES];
        snag_body_id ids[BODIES];
        for (int i = 0; i < BODIES; i++) {
            shapes[i] = scene_crumpled_sheet(9 + (uint32_t)i, 0.1, &random);
            assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
        }
        for (int step = 0; step < 4; step++) {
            // Every edge is in more contacts than it takes for the ends to have room.
            size_t count = compare(world, true);
            const snag__kdop_state *kdop = world->scratch.states[SNAG_METHOD_KDOP].data;
            assert_true(count > 4 * (size_t)kdop->bvhs[SNAG_EDGE].slot_count);
            assert_true(world->scratch.sorted.bytes >= 32 * (size_t)kdop->bvhs[SNAG_EDGE].slot_count);
            compare(world, false);
            assert_int_equal(snag_world_begin_step(world), SNAG_OK);
            for (int i = 0; i < BODIES; i++) {
                scene_shake(&shapes[i], 0.02, &random);
                snag_positions positions = snag_positions_f64(shapes[i].positions, shapes[i].vertex_count);
                assert_int_equal(snag_world_move(world, ids[i], positions), SNAG_OK);
            }
        }
        snag_world_destroy(world);
        for (int i = 0; i < BODIES; i++)
            snag_shape_free(&shapes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_scenes_are_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
