// `auto` begins with kdop, goes over to regularity where a surface that is asked about often is smooth, and comes back
// where it is crumpled: always by the same counts, and always with the contacts of brute.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 46, FIRST_ASKS = 32, FIRST_MOVES = 8 };

// A smooth sheet, and a fin that stands in it: 4,232 triangles and 16.
static snag_shape smooth_sheet(double height)
{
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet), SNAG_OK);
    for (size_t v = 0; v < sheet.vertex_count; v++) {
        double *x = &sheet.positions[3 * v];
        x[2] = height + 0.1 * sin(3 * x[0]) * cos(2 * x[1]);
    }
    return sheet;
}

static snag_shape fin(void)
{
    snag_shape shape;
    assert_int_equal(snag_shape_sheet(4, 2, 0.4, 0.3, &shape), SNAG_OK);
    for (size_t v = 0; v < shape.vertex_count; v++) {
        double *x = &shape.positions[3 * v];
        x[2] = x[1];
        x[1] = 0.01;
    }
    return shape;
}

static void move(snag_world *world, snag_body_id id, const snag_shape *shape)
{
    assert_int_equal(snag_world_begin_step(world), SNAG_OK);
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(shape->positions, shape->vertex_count)), SNAG_OK);
}

static snag_method ask_auto(snag_world *world, snag_question question, const snag_answer **answer)
{
    any_question ask = any_default(question);
    assert_int_equal(any_ask(world, &ask, answer), SNAG_OK);
    // The reason begins with who answered.
    assert_non_null((*answer)->reason);
    assert_memory_equal((*answer)->reason, snag_method_name((*answer)->method), strlen(snag_method_name((*answer)->method)));
    return (*answer)->method;
}

// Asks `auto`, and then the others in worlds that have seen the same: the contacts must be the same bytes.
static snag_method ask_and_compare(snag_world *world, snag_question question, snag_world *other, bool brute, size_t *contacts)
{
    const snag_answer *answer = NULL, *expected = NULL;
    snag_method by = ask_auto(world, question, &answer);
    for (int i = 0; i < 1 + brute; i++) {
        any_question ask = any_default(question);
        ask.method = i == 0 ? SNAG_METHOD_KDOP : SNAG_METHOD_BRUTE;
        assert_int_equal(any_ask(other, &ask, &expected), SNAG_OK);
        assert_int_equal(answer->count, expected->count);
        if (expected->count > 0)
            assert_memory_equal(answer->contacts, expected->contacts, expected->count * sizeof *expected->contacts);
        assert_int_equal(answer->degenerate, expected->degenerate);
    }
    assert_true(answer->complete);
    assert_true((answer->statistics->visited > 0) == (by == SNAG_METHOD_REGULARITY));
    *contacts = answer->count;
    return by;
}

static snag_world *world_of(const snag_shape *shapes, int count, snag_body_id *ids, const scene_options *options)
{
    snag_world *world = scene_world(options);
    for (int i = 0; i < count && world != NULL; i++)
        assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
    return world;
}

static void a_smooth_surface_goes_to_regularity_after_some_asks(void **state)
{
    (void)state;
    snag_shape shapes[2] = {smooth_sheet(0), fin()};
    snag_body_id ids[2] = {0}, others[2] = {0};
    snag_world *world = world_of(shapes, 2, ids, &(scene_options){.threads = 2});
    snag_world *other = world_of(shapes, 2, others, &(scene_options){.threads = 1});
    for (int i = 0; i < FIRST_ASKS + 6; i++) {
        snag_shape sheet = smooth_sheet(0.002 * i);
        move(world, ids[0], &sheet);
        move(other, others[0], &sheet);
        snag_shape_free(&sheet);
        size_t contacts;
        snag_method by = ask_and_compare(world, SNAG_INTERSECTIONS, other, i > FIRST_ASKS + 3, &contacts);
        assert_int_equal(by, i < FIRST_ASKS ? SNAG_METHOD_KDOP : SNAG_METHOD_REGULARITY);
        assert_true(contacts > 4);
    }
    snag_world_destroy(world);
    snag_world_destroy(other);
    snag_shape_free(&shapes[0]);
    snag_shape_free(&shapes[1]);
}

typedef struct log_book {
    uint32_t lines[3];  // by level
    char last[3][200];
} log_book;

static void write_line(void *context, snag_log_level level, const char *message)
{
    log_book *book = context;
    book->lines[level]++;
    snprintf(book->last[level], sizeof book->last[level], "%s", message);
}

// A change of methods is told once, and so are triangles that take no part.
static void the_log_tells_who_takes_over(void **state)
{
    (void)state;
    log_book book;
    memset(&book, 0, sizeof book);
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    def.log = (snag_log){write_line, &book};
    snag_world *world = NULL;
    assert_int_equal(snag_world_create(&def, &world), SNAG_OK);
    snag_shape sheet = smooth_sheet(0);
    snag_body_id id;
    const snag_answer *answer = NULL;
    assert_int_equal(scene_add(world, &sheet, SNAG_F64, NULL, &id), SNAG_OK);
    for (int i = 0; i < FIRST_ASKS + 3; i++) {
        ask_auto(world, SNAG_INTERSECTIONS, &answer);
        assert_int_equal(book.lines[SNAG_LOG_INFO], i >= FIRST_ASKS);
    }
    assert_string_equal(book.last[SNAG_LOG_INFO], "auto: the surfaces look smooth: intersections change from kdop to regularity");
    assert_int_equal(book.lines[SNAG_LOG_WARNING], 0);
    memcpy(sheet.positions + 3, sheet.positions, 3 * sizeof(double));
    move(world, id, &sheet);
    for (int i = 0; i < 2; i++)
        ask_auto(world, SNAG_INTERSECTIONS, &answer);
    assert_int_equal(answer->degenerate, 1);
    assert_int_equal(book.lines[SNAG_LOG_WARNING], 1);
    assert_non_null(strstr(book.last[SNAG_LOG_WARNING], "1 triangles have no area"));
    snag_world_destroy(world);
    snag_shape_free(&sheet);
}

static void impacts_go_to_regularity_too_and_count_for_themselves(void **state)
{
    (void)state;
    snag_shape shapes[2] = {smooth_sheet(0), fin()};
    snag_shape_transform(&shapes[1], 1, 0, 0, 0.3);
    snag_body_id ids[2] = {0}, others[2] = {0};
    snag_world *world = world_of(shapes, 2, ids, &(scene_options){.threads = 2});
    snag_world *other = world_of(shapes, 2, others, &(scene_options){.threads = 1});
    size_t all = 0;
    for (int i = 0; i < FIRST_MOVES + 6; i++) {
        snag_shape sheet = smooth_sheet(0.02 * i);
        move(world, ids[0], &sheet);
        move(other, others[0], &sheet);
        snag_shape_free(&sheet);
        size_t contacts;
        snag_method by = ask_and_compare(world, SNAG_IMPACTS, other, i == FIRST_MOVES, &contacts);
        assert_int_equal(by, i < FIRST_MOVES ? SNAG_METHOD_KDOP : SNAG_METHOD_REGULARITY);
        const snag_answer *answer;
        assert_int_equal(ask_auto(world, SNAG_INTERSECTIONS, &answer), SNAG_METHOD_KDOP);
        all += contacts;
    }
    assert_true(all > 20);
    snag_world_destroy(world);
    snag_world_destroy(other);
    snag_shape_free(&shapes[0]);
    snag_shape_free(&shapes[1]);
}

static void threads_and_instruction_sets_do_not_change_whose_turn_it_is(void **state)
{
    (void)state;
    enum { ASKS = FIRST_ASKS + 8 };
    snag__random random = {3};
    snag_shape smooth = smooth_sheet(0), crumpled = smooth_sheet(0), fins = fin();
    scene_shake(&crumpled, 0.03, &random);
    snag_method first[ASKS];
    uint64_t hashes[ASKS];
    bool begun = false;
    for (uint32_t threads = 1; threads <= 4; threads *= 2)
        for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            const snag_shape shapes[2] = {smooth, fins};
            snag_body_id ids[2] = {0};
            snag_world *world = world_of(shapes, 2, ids, &(scene_options){.threads = threads, .isa = (snag_isa)isa});
            for (int i = 0; i < ASKS && world != NULL; i++) {
                move(world, ids[0], i == FIRST_ASKS + 4 ? &crumpled : &smooth);
                const snag_answer *answer;
                snag_method by = ask_auto(world, SNAG_INTERSECTIONS, &answer);
                if (begun)
                    assert_true(by == first[i] && scene_hash(answer) == hashes[i]);
                first[i] = by;
                hashes[i] = scene_hash(answer);
            }
            begun = begun || world != NULL;
            snag_world_destroy(world);
        }
    // The crumpled pose was the last one for regularity.
    for (int i = 0; i < ASKS; i++)
        assert_int_equal(first[i], i >= FIRST_ASKS && i <= FIRST_ASKS + 4 ? SNAG_METHOD_REGULARITY : SNAG_METHOD_KDOP);
    snag_shape_free(&smooth);
    snag_shape_free(&crumpled);
    snag_shape_free(&fins);
}

static size_t bytes_after(const snag_shape *shape, snag_method method, int asks)
{
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_body_id id = {0};
    snag_world *world = world_of(shape, 1, &id, &(scene_options){.threads = 1, .allocator = allocator});
    for (int i = 0; i < asks; i++) {
        any_question ask = any_default(SNAG_INTERSECTIONS);
        ask.method = method;
        const snag_answer *answer;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->method, SNAG_METHOD_KDOP);
    }
    size_t bytes = memory.live_bytes;
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
    return bytes;
}

// Neither who asks once nor who asks about a crumpled surface has memory for a second tree.
static void one_ask_and_crumpled_surfaces_pay_for_one_tree(void **state)
{
    (void)state;
    snag__random random = {7};
    snag_shape smooth = smooth_sheet(0), crumpled = smooth_sheet(0);
    scene_shake(&crumpled, 0.01, &random);
    assert_int_equal(bytes_after(&smooth, SNAG_METHOD_AUTO, 1), bytes_after(&smooth, SNAG_METHOD_KDOP, 1));
    assert_int_equal(bytes_after(&crumpled, SNAG_METHOD_AUTO, 70), bytes_after(&crumpled, SNAG_METHOD_KDOP, 70));
    snag_shape_free(&smooth);
    snag_shape_free(&crumpled);
}

static void other_bodies_are_counted_anew(void **state)
{
    (void)state;
    snag_shape smooth = smooth_sheet(0), fins = fin();
    snag_body_id id = {0}, added = {0};
    snag_world *world = world_of(&smooth, 1, &id, &(scene_options){.threads = 1});
    const snag_answer *answer;
    for (int i = 0; i < 2 * FIRST_ASKS + 4; i++) {
        if (i == FIRST_ASKS + 2)
            assert_int_equal(scene_add(world, &fins, SNAG_F64, NULL, &added), SNAG_OK);
        bool regular = i == FIRST_ASKS || i == FIRST_ASKS + 1 || i >= 2 * FIRST_ASKS + 2;
        assert_int_equal(ask_auto(world, SNAG_INTERSECTIONS, &answer), regular ? SNAG_METHOD_REGULARITY : SNAG_METHOD_KDOP);
    }
    assert_int_equal(snag_world_remove(world, added), SNAG_OK);
    assert_int_equal(ask_auto(world, SNAG_INTERSECTIONS, &answer), SNAG_METHOD_KDOP);
    snag_world_destroy(world);
    snag_shape_free(&smooth);
    snag_shape_free(&fins);
}

// Two smooth sheets that lie in each other: dear between them, cheap within each.
static snag_world *world_of_two_layers(snag_body_id ids[2])
{
    snag_shape layers[2] = {smooth_sheet(0), smooth_sheet(0)};
    for (size_t v = 0; v < layers[1].vertex_count; v++) {
        double *x = &layers[1].positions[3 * v];
        x[0] += 0.3 / CELLS;
        x[2] += 0.004 * sin(60 * x[0]) * sin(50 * x[1]);
    }
    snag_world *world = world_of(layers, 2, ids, &(scene_options){.threads = 1});
    snag_shape_free(&layers[0]);
    snag_shape_free(&layers[1]);
    return world;
}

// Lets the body pass that the context names, with itself.
static bool only_this(void *context, snag_body_id a, snag_body_id b)
{
    const snag_body_id *id = context;
    return a.index == id->index && b.index == id->index;
}

// Whether the first of two asks is answered by regularity at some time after the first asks, while the other is asked in turn
// with it, and who answers the other then.
static bool keeps_its_turn(snag_world *world, any_question cheap, any_question dear)
{
    const snag_answer *answer;
    int cheap_turns = 0, dear_turns = 0;
    for (int i = 0; i < FIRST_ASKS + 20; i++) {
        assert_int_equal(any_ask(world, &dear, &answer), SNAG_OK);
        dear_turns += answer->method == SNAG_METHOD_REGULARITY;
        assert_true(answer->count > 100);
        assert_int_equal(any_ask(world, &cheap, &answer), SNAG_OK);
        cheap_turns += answer->method == SNAG_METHOD_REGULARITY;
        assert_int_equal(answer->count, 0);
    }
    assert_true(dear_turns <= 2);
    return cheap_turns == 20;
}

// What a dear ask has cost says nothing about a cheap one: each goes its own way.
static void a_dear_ask_about_two_bodies_does_not_take_along_a_cheap_one_about_a_cloth(void **state)
{
    (void)state;
    snag_body_id ids[2];
    any_question dear = any_default(SNAG_INTERSECTIONS), cheap = dear;
    cheap.between = false;
    snag_world *world = world_of_two_layers(ids);
    assert_true(keeps_its_turn(world, cheap, dear));
    snag_world_destroy(world);

    world = world_of_two_layers(ids);
    cheap = dear;
    cheap.filter = only_this;
    cheap.context = &ids[0];
    assert_true(keeps_its_turn(world, cheap, dear));
    snag_world_destroy(world);
}

static snag__auto_entry *entry_of(snag_world *world, void *context)
{
    for (int i = 0; i < SNAG__AUTO_CASES; i++) {
        snag__auto_entry *entry = &world->scratch.auto_policy.entries[i];
        if (entry->used > 0 && entry->of.filter == (context != NULL ? only_this : NULL) && entry->of.context == context)
            return entry;
    }
    return NULL;
}

// Asks with this context of the filter (NULL: without a filter), and returns what is then remembered of it.
static snag__auto_entry *ask_case(snag_world *world, void *context)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.filter = context != NULL ? only_this : NULL;
    ask.context = context;
    const snag_answer *answer;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->method, SNAG_METHOD_KDOP);
    return entry_of(world, context);
}

// More cases than are kept: the one that was not asked for the longest time is forgotten, and no other.
static void the_oldest_case_makes_room(void **state)
{
    (void)state;
    snag_shape smooth = smooth_sheet(0);
    snag_body_id id = {0}, contexts[SNAG__AUTO_CASES + 1];
    snag_world *world = world_of(&smooth, 1, &id, &(scene_options){.threads = 1});
    snag__auto_entry *entries[SNAG__AUTO_CASES];
    for (int i = 0; i <= SNAG__AUTO_CASES; i++)
        contexts[i] = id;
    for (int i = 0; i < SNAG__AUTO_CASES; i++) {
        entries[i] = ask_case(world, &contexts[i]);
        assert_true(entries[i] != NULL && entries[i]->begun);
        assert_int_equal(entries[i]->left, FIRST_ASKS - 1);
    }
    assert_true(ask_case(world, &contexts[0]) == entries[0]);
    assert_int_equal(entries[0]->left, FIRST_ASKS - 2);
    assert_true(ask_case(world, &contexts[SNAG__AUTO_CASES]) == entries[1]);
    assert_int_equal(entries[1]->left, FIRST_ASKS - 1);
    assert_null(entry_of(world, &contexts[1]));
    for (int i = 0; i < SNAG__AUTO_CASES; i++)
        if (i != 1) {
            assert_true(ask_case(world, &contexts[i]) == entries[i]);
            assert_int_equal(entries[i]->left, i == 0 ? FIRST_ASKS - 3 : FIRST_ASKS - 2);
        }
    snag_world_destroy(world);
    snag_shape_free(&smooth);
}

static bool never_stop(void *context, double done)
{
    (void)context;
    return done <= 1;
}

// Without a filter the context is for progress alone: asks with another one are of the same case.
static void the_context_of_progress_makes_no_case(void **state)
{
    (void)state;
    snag_shape smooth = smooth_sheet(0);
    snag_body_id id = {0};
    snag_world *world = world_of(&smooth, 1, &id, &(scene_options){.threads = 1});
    int contexts[FIRST_ASKS + 1];
    for (int i = 0; i <= FIRST_ASKS; i++) {
        any_question ask = any_default(SNAG_INTERSECTIONS);
        ask.progress = never_stop;
        ask.context = &contexts[i];
        const snag_answer *answer;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_int_equal(answer->method, i < FIRST_ASKS ? SNAG_METHOD_KDOP : SNAG_METHOD_REGULARITY);
    }
    assert_int_equal(world->scratch.auto_policy.entries[1].used, 0);
    snag_world_destroy(world);
    snag_shape_free(&smooth);
}

// Asks often, about a smooth surface; whether regularity ever answered.
static bool comes_to_regularity(const snag_shape *shape, any_question ask)
{
    snag_body_id id = {0};
    snag_world *world = world_of(shape, 1, &id, &(scene_options){.threads = 1});
    bool came = false;
    for (int i = 0; i < 2 * FIRST_ASKS; i++) {
        const snag_answer *answer;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        came = came || answer->method == SNAG_METHOD_REGULARITY;
    }
    snag_world_destroy(world);
    return came;
}

static void what_kdop_alone_can_do_stays_with_it(void **state)
{
    (void)state;
    snag_shape smooth = smooth_sheet(0), small;
    any_question ask = any_default(SNAG_INTERSECTIONS);
    assert_int_equal(snag_shape_sheet(40, 40, 1, 1, &small), SNAG_OK);
    assert_true(comes_to_regularity(&smooth, ask));
    assert_false(comes_to_regularity(&small, ask));
    ask.progress = never_stop;
    assert_true(comes_to_regularity(&smooth, ask));
    ask.self = false;
    assert_false(comes_to_regularity(&smooth, ask));
    ask = any_default(SNAG_INTERSECTIONS);
    ask.output = SNAG_OUTPUT_PAIRS;
    assert_true(comes_to_regularity(&smooth, ask));
    ask = any_default(SNAG_INTERSECTIONS);
    ask.budget_us = UINT64_MAX / 2;  // one that never ends
    assert_false(comes_to_regularity(&smooth, ask));
    ask.budget_us = 0;
    // Who names kdop, with options or without, never gets another.
    ask.method = SNAG_METHOD_KDOP;
    for (int i = 0; i < 5; i++) {
        ask.k = i == 0 ? 18 : 0;
        ask.arity = i == 1 ? 2 : 0;
        ask.lazy = i == 2 ? 1e-3 : 0;
        ask.candidates = i == 3;
        assert_false(comes_to_regularity(&smooth, ask));
    }
    ask = any_default(SNAG_IMPACTS);
    assert_true(comes_to_regularity(&smooth, ask));
    ask.separation = 1e-4;
    assert_false(comes_to_regularity(&smooth, ask));
    snag_shape_free(&smooth);
    snag_shape_free(&small);
}

// Vertices inside a volume are on no patch.
static void impacts_of_volumes_stay_with_kdop(void **state)
{
    (void)state;
    snag_shape block;
    assert_int_equal(snag_shape_block(20, 20, 6, 0.1, &block), SNAG_OK);
    assert_false(comes_to_regularity(&block, any_default(SNAG_IMPACTS)));
    snag_shape_free(&block);
}

// The ask that would build the second tree has no room for it: kdop answers as before, and so it goes on.
static void without_room_for_a_second_tree_kdop_goes_on(void **state)
{
    (void)state;
    snag_shape smooth = smooth_sheet(0);
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_body_id id = {0};
    snag_world *world = world_of(&smooth, 1, &id, &(scene_options){.threads = 1, .allocator = allocator});
    const snag_answer *answer;
    for (int i = 0; i < FIRST_ASKS; i++)
        ask_auto(world, SNAG_INTERSECTIONS, &answer);
    size_t bytes = memory.live_bytes;
    memory.fail_at = memory.calls + 3;
    memory.keep_failing = true;
    assert_int_equal(ask_auto(world, SNAG_INTERSECTIONS, &answer), SNAG_METHOD_KDOP);
    assert_true(memory.calls >= memory.fail_at && answer->complete);
    memory.fail_at = 0;
    for (int i = 0; i < FIRST_ASKS; i++)
        assert_int_equal(ask_auto(world, SNAG_INTERSECTIONS, &answer), SNAG_METHOD_KDOP);
    assert_int_equal(ask_auto(world, SNAG_INTERSECTIONS, &answer), SNAG_METHOD_REGULARITY);
    assert_true(memory.live_bytes > bytes);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
    snag_shape_free(&smooth);
}

// What a search of a move costs, and what it may cost where kdop has so many candidates: see plan.c.
static double cost_of(const snag_answer *answer, double contour_edges)
{
    return 17 * (double)answer->statistics->visited + contour_edges + (double)answer->statistics->tested;
}

static double limit_of(size_t triangles, size_t pairs)
{
    return 9 * (double)triangles + 0.85 * (double)pairs;
}

// A sheet that moves, asked for impacts by the name of regularity: the only case of its world.
typedef struct moving {
    snag_world *world;
    snag_shape from, to;
    snag_body_id id;
    snag__auto_entry *entry;
} moving;

static moving begin_moving(double shake)
{
    snag__random random = {7};
    moving m = {.from = smooth_sheet(0), .to = smooth_sheet(0.01)};
    scene_shake(&m.from, shake, &random);
    scene_shake(&m.to, shake, &random);
    m.world = world_of(&m.from, 1, &m.id, &(scene_options){.threads = 1});
    m.entry = &m.world->scratch.auto_policy.entries[0];
    move(m.world, m.id, &m.to);
    return m;
}

static void end_moving(moving *m)
{
    assert_int_equal(m->world->scratch.auto_policy.entries[1].used, 0);
    snag_world_destroy(m->world);
    snag_shape_free(&m->from);
    snag_shape_free(&m->to);
}

static const snag_answer *ask_by_name(const moving *m)
{
    any_question ask = any_default(SNAG_IMPACTS);
    ask.method = SNAG_METHOD_REGULARITY;
    ask.output = SNAG_OUTPUT_COUNT;
    const snag_answer *answer;
    assert_int_equal(any_ask(m->world, &ask, &answer), SNAG_OK);
    return answer;
}

static void a_search_that_cost_too_much_is_handed_over(void **state)
{
    (void)state;
    moving smooth = begin_moving(0), crumpled = begin_moving(0.02);
    const snag_answer *answer = ask_by_name(&smooth);
    assert_int_equal(answer->method, SNAG_METHOD_REGULARITY);
    assert_true(cost_of(answer, 0) < limit_of(smooth.from.triangle_count, answer->statistics->tested));
    assert_true(smooth.entry->tried && smooth.entry->left == 0 && smooth.entry->cost == 0);

    answer = ask_by_name(&crumpled);
    assert_int_equal(answer->method, SNAG_METHOD_REGULARITY);
    assert_int_equal(crumpled.entry->left, FIRST_MOVES);
    assert_false(crumpled.entry->tried);
    assert_true(crumpled.entry->cost >= cost_of(answer, 0));
    assert_true(crumpled.entry->cost > limit_of(crumpled.from.triangle_count, answer->statistics->tested));
    // kdop confirms it: it does not have so many candidates either, and answers the rest.
    for (int i = 0; i < FIRST_MOVES; i++) {
        answer = ask_by_name(&crumpled);
        assert_int_equal(answer->method, SNAG_METHOD_KDOP);
        assert_int_equal(crumpled.entry->pairs, answer->statistics->candidates);
        assert_true(crumpled.entry->cost == 0);
        assert_int_equal(crumpled.entry->left, FIRST_MOVES - 1 - i);
    }
    end_moving(&smooth);
    end_moving(&crumpled);
}

// Hands a search over that has cost so much more than it may where kdop has the candidates it has here (or less, if negative);
// whose turn comes after its ask?
static bool comes_back(double more)
{
    moving m = begin_moving(0);
    ask_by_name(&m);
    any_question ask = any_default(SNAG_IMPACTS);
    ask.method = SNAG_METHOD_KDOP;
    const snag_answer *answer;
    assert_int_equal(any_ask(m.world, &ask, &answer), SNAG_OK);
    size_t candidates = answer->statistics->candidates;
    assert_true(candidates > 1000);
    m.entry->left = FIRST_MOVES;
    m.entry->asks = FIRST_MOVES;
    m.entry->tried = false;
    m.entry->cost = limit_of(m.from.triangle_count, candidates) + more;
    assert_int_equal(ask_by_name(&m)->method, SNAG_METHOD_KDOP);
    assert_int_equal(m.entry->pairs, candidates);
    assert_true(m.entry->cost == 0);
    // Nothing is asked twice: what kdop finds later does not count for that search.
    bool back = ask_by_name(&m)->method == SNAG_METHOD_REGULARITY;
    assert_int_equal(ask_by_name(&m)->method == SNAG_METHOD_REGULARITY, back);
    assert_int_equal(m.entry->asks, back ? FIRST_MOVES / 2 : FIRST_MOVES);
    end_moving(&m);
    return back;
}

static void a_search_is_judged_by_the_candidates_that_kdop_has_in_its_place(void **state)
{
    (void)state;
    assert_true(comes_back(-1));
    assert_false(comes_back(1));
    assert_false(comes_back(1e6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_surface_goes_to_regularity_after_some_asks),
        cmocka_unit_test(the_log_tells_who_takes_over),
        cmocka_unit_test(impacts_go_to_regularity_too_and_count_for_themselves),
        cmocka_unit_test(threads_and_instruction_sets_do_not_change_whose_turn_it_is),
        cmocka_unit_test(one_ask_and_crumpled_surfaces_pay_for_one_tree),
        cmocka_unit_test(other_bodies_are_counted_anew),
        cmocka_unit_test(a_dear_ask_about_two_bodies_does_not_take_along_a_cheap_one_about_a_cloth),
        cmocka_unit_test(the_oldest_case_makes_room),
        cmocka_unit_test(the_context_of_progress_makes_no_case),
        cmocka_unit_test(what_kdop_alone_can_do_stays_with_it),
        cmocka_unit_test(impacts_of_volumes_stay_with_kdop),
        cmocka_unit_test(a_search_that_cost_too_much_is_handed_over),
        cmocka_unit_test(a_search_is_judged_by_the_candidates_that_kdop_has_in_its_place),
        cmocka_unit_test(without_room_for_a_second_tree_kdop_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
