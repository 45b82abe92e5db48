// `active` says how large a part of all contacts it has found, and within which bounds. The bounds hold in nine steps of ten,
// over violent motion too: bodies that jump, are shaken all over, are put somewhere else.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

enum { BODIES_MAX = 3, STEPS = 36 };

typedef enum violence {
    SHAKEN,  // every vertex by half a contact distance and more, in each step
    SLIDING,  // one body by many contact distances in each step
    JUMPING,  // calm but for a jump every sixth step
    PLACED,  // likewise, but the body is put there
    PULSING,  // bodies grow and shrink: many contacts, then few
    CALM,  // moves far below the contact distance, to compare with
    VIOLENCES
} violence;

typedef struct scene {
    snag_world *world;
    snag_shape shapes[BODIES_MAX];
    snag_body_id ids[BODIES_MAX];
    int count;
    double distance;
    snag__random random;
} scene;

static scene make_scene(int kind, uint64_t seed)
{
    scene s = {.random = {seed}, .count = 2, .distance = 0.02};
    s.world = scene_world(&(scene_options){.threads = 1});
    switch (kind) {
    case 0:  // cloth on cloth
        s.shapes[0] = scene_crumpled_sheet(24, 0.02, &s.random);
        s.shapes[1] = scene_crumpled_sheet(20, 0.02, &s.random);
        break;
    case 1:  // a ball in a cloth, which touches itself
        s.shapes[0] = scene_crumpled_sheet(26, 0.08, &s.random);
        assert_int_equal(snag_shape_icosphere(3, 0.3, &s.shapes[1]), SNAG_OK);
        break;
    default:  // soft blocks side by side, and a ball
        s.count = 3;
        s.distance = 0.05;
        assert_int_equal(snag_shape_block(8, 6, 2, 0.1, &s.shapes[0]), SNAG_OK);
        assert_int_equal(snag_shape_block(6, 6, 3, 0.1, &s.shapes[1]), SNAG_OK);
        assert_int_equal(snag_shape_icosphere(2, 0.3, &s.shapes[2]), SNAG_OK);
        snag_shape_transform(&s.shapes[1], 1, 0.1, 0.05, 0.22);
        break;
    }
    for (int i = 0; i < s.count; i++)
        assert_int_equal(scene_add(s.world, &s.shapes[i], SNAG_F64, NULL, &s.ids[i]), SNAG_OK);
    return s;
}

static void free_scene(scene *s)
{
    for (int i = 0; i < s->count; i++)
        snag_shape_free(&s->shapes[i]);
    snag_world_destroy(s->world);
}

static double anywhere(scene *s, double size)
{
    return snag__random_range(&s->random, -size, size);
}

static void shift(scene *s, int i, double size)
{
    snag_shape_transform(&s->shapes[i], 1, anywhere(s, size), anywhere(s, size), anywhere(s, size / 8));
}

// One step; returns whether bodies are put where they go.
static bool disturb(scene *s, violence how, int step)
{
    int last = s->count - 1;
    for (int i = 0; i < s->count; i++)
        scene_shake(&s->shapes[i], s->distance * (how == SHAKEN ? snag__random_range(&s->random, 0.5, 2) : 0.02), &s->random);
    bool jump = step % 6 == 5;
    if (how == SLIDING || ((how == JUMPING || how == PLACED) && jump))
        shift(s, last, 0.25);
    if (how == PULSING)
        snag_shape_transform(&s->shapes[last], step % 2 == 0 ? 1.25 : 0.8, 0, 0, 0);
    return how == PLACED && jump;
}

static void move_all(scene *s, bool place)
{
    assert_int_equal(snag_world_begin_step(s->world), SNAG_OK);
    for (int i = 0; i < s->count; i++) {
        snag_positions to = snag_positions_f64(s->shapes[i].positions, s->shapes[i].vertex_count);
        assert_int_equal(place ? snag_world_teleport(s->world, s->ids[i], to) : snag_world_move(s->world, s->ids[i], to), SNAG_OK);
    }
}

typedef struct tally {
    int steps, held;
    double width;
} tally;

// The true part: contacts that were found over all there are, which kdop lists.
static double true_part(scene *s, const any_question *asked, size_t found)
{
    any_question ask = *asked;
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_KDOP;
    assert_int_equal(any_ask(s->world, &ask, &answer), SNAG_OK);
    return answer->count > 0 ? (double)found / (double)answer->count : 1;
}

static void run(int kind, violence how, bool pure, uint32_t new_pairs, uint64_t seed, tally *t)
{
    scene s = make_scene(kind, seed);
    any_question ask = any_default(SNAG_PROXIMITIES);
    ask.method = SNAG_METHOD_ACTIVE;
    ask.distance = s.distance;
    ask.pure = pure;
    ask.seed = seed;
    ask.new_pairs = new_pairs;
    for (int step = 0; step < STEPS; step++) {
        move_all(&s, disturb(&s, how, step));
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_OK);
        double low = answer->ratio_low, high = answer->ratio_high;
        double truth = true_part(&s, &ask, answer->count);
        t->steps++;
        t->held += low <= truth && truth <= high;
        t->width += high - low;
    }
    free_scene(&s);
}

// Prints a line for each kind of motion: docs/methods/active.md has them.
static void measure(bool pure, tally all[VIOLENCES])
{
    static const uint32_t new_pairs[] = {0, 40};
    static const char *const names[] = {"shaken", "sliding", "jumping", "placed", "pulsing", "calm"};
    for (int how = 0; how < VIOLENCES; how++) {
        all[how] = (tally){0};
        for (int kind = 0; kind < 3; kind++)
            for (int n = 0; n < 2; n++)
                run(kind, (violence)how, pure, new_pairs[n], 1 + (uint64_t)n, &all[how]);
        all[how].width /= all[how].steps;
        print_message("%s, %s: held in %d of %d steps, mean width %.2f\n", pure ? "pure" : "combined", names[how], all[how].held,
                      all[how].steps, all[how].width);
    }
}

static void assert_nine_of_ten(const tally all[VIOLENCES])
{
    for (int how = 0; how < VIOLENCES; how++)
        assert_true(10 * all[how].held >= 9 * all[how].steps);
}

static void combined_bounds_hold_and_are_narrow_where_little_moves(void **state)
{
    (void)state;
    tally all[VIOLENCES];
    measure(false, all);
    assert_nine_of_ten(all);
    assert_true(all[CALM].width < 0.35 && all[JUMPING].width < 0.6);
}

static void pure_bounds_hold_and_are_narrow_where_little_moves(void **state)
{
    (void)state;
    tally all[VIOLENCES];
    measure(true, all);
    assert_nine_of_ten(all);
    assert_true(all[CALM].width < 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combined_bounds_hold_and_are_narrow_where_little_moves),
        cmocka_unit_test(pure_bounds_hold_and_are_narrow_where_little_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
