// A call that fails leaves no trace: whatever was asked before, and wherever it ran out of memory, later answers are those of
// a world that has only ever seen the present positions; tracked contacts go on as if the failed ask had not been made.
//
// Lives of a world are drawn from a seed: bodies are added, moved and removed, and asked about in every way, while the
// allocator fails now and then. Beside it live a shadow, which gets every call that succeeded (for ids and phases), and for
// each answer a fresh world.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, HABITS = 3 };

typedef struct body {
    bool alive;
    snag_shape shape;  // positions are those of t1
    double *before;  // those of t0
    double *added;  // those it was added with: by them the boundary of a volume faces outward
    snag_body_id id, shadow_id;
} body;

typedef struct life {
    failing_allocator memory;
    snag_world *world, *shadow;
    body bodies[SLOTS];
    any_question habits[HABITS];  // what is asked again and again
    bool volumes, calm;  // all bodies are volumes; moves are small
    snag__random random;
    size_t asks, failures, contacts;
} life;

static uint32_t below(life *l, uint32_t n)
{
    return snag__random_below(&l->random, n);
}

static bool chance(life *l, uint32_t one_in)
{
    return below(l, one_in) == 0;
}

// ---- failing ----

static void start_failing(life *l)
{
    static const uint32_t spans[] = {2, 8, 40};
    l->memory.fail_at = l->memory.calls + 1 + below(l, spans[below(l, 3)]);
    l->memory.keep_failing = chance(l, 2);
}

static void stop_failing(life *l)
{
    l->memory.fail_at = 0;
    l->memory.keep_failing = false;
}

// ---- bodies ----

static snag_shape random_shape(life *l)
{
    snag_shape shape;
    switch (l->volumes ? 2 : below(l, 6)) {
    case 0: return scene_soup(1 + below(l, 40), below(l, 4), chance(l, 2), &l->random);
    case 1: return scene_tet_soup(1 + below(l, 9), below(l, 3), &l->random);
    case 2: assert_int_equal(snag_shape_block(2 + below(l, 3), 3, 4, 0.2, &shape), SNAG_OK); return shape;
    case 3: assert_int_equal(snag_shape_icosphere(1 + below(l, 2), 0.4, &shape), SNAG_OK); return shape;
    case 4: return scene_soup(0, 0, false, &l->random);
    default: return scene_crumpled_sheet(2 + below(l, 8), 0.1, &l->random);
    }
}

static double *copy_positions(const snag_shape *shape)
{
    double *copy = malloc((3 * shape->vertex_count + 1) * sizeof *copy);
    memcpy(copy, shape->positions, 3 * shape->vertex_count * sizeof *copy);
    return copy;
}

static void forget_body(body *b)
{
    snag_shape_free(&b->shape);
    free(b->before);
    free(b->added);
    *b = (body){.alive = false};
}

static void add_body(life *l, bool failing)
{
    uint32_t slot = 0;
    while (slot < SLOTS && l->bodies[slot].alive)
        slot++;
    if (slot == SLOTS)
        return;
    body *b = &l->bodies[slot];
    b->shape = random_shape(l);
    snag_shape_transform(&b->shape, 1, 0.2 * below(l, 3), 0.2 * below(l, 3), 0.1 * below(l, 3));
    b->before = copy_positions(&b->shape);
    b->added = copy_positions(&b->shape);
    if (failing)
        start_failing(l);
    snag_status status = scene_add(l->world, &b->shape, SNAG_F64, NULL, &b->id);
    stop_failing(l);
    if (status != SNAG_OK) {
        assert_int_equal(status, SNAG_ERROR_MEMORY);
        forget_body(b);
        return;
    }
    assert_int_equal(scene_add(l->shadow, &b->shape, SNAG_F64, NULL, &b->shadow_id), SNAG_OK);
    assert_true(memcmp(&b->id, &b->shadow_id, sizeof b->id) == 0 && b->id.index == slot + 1);
    b->alive = true;
}

static void remove_body(life *l, uint32_t slot)
{
    body *b = &l->bodies[slot];
    if (!b->alive)
        return;
    assert_int_equal(snag_world_remove(l->world, b->id), SNAG_OK);
    assert_int_equal(snag_world_remove(l->shadow, b->shadow_id), SNAG_OK);
    forget_body(b);
}

// By an eighth of a turn: regions stay as they are, but would be divided in another way.
static void turn(snag_shape *shape)
{
    const double s = sqrt(0.5);
    for (size_t v = 0; v < shape->vertex_count; v++) {
        double *x = &shape->positions[3 * v], old[3] = {x[0], x[1], x[2]};
        x[0] = s * (old[0] - old[1]);
        x[1] = s * (old[0] + old[1]);
    }
}

// All bodies rest where they are; those that are moved then have moved from there.
static void begin_step(life *l)
{
    assert_int_equal(snag_world_begin_step(l->world), SNAG_OK);
    assert_int_equal(snag_world_begin_step(l->shadow), SNAG_OK);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        body *b = &l->bodies[slot];
        if (b->alive)
            memcpy(b->before, b->shape.positions, 3 * b->shape.vertex_count * sizeof *b->before);
    }
}

static void move_body(life *l, uint32_t slot)
{
    static const double steps[] = {0, 1e-4, 0.003, 0.05, 0.4};
    body *b = &l->bodies[slot];
    if (!b->alive)
        return;
    bool place = chance(l, l->calm ? 40 : 8);
    if (!chance(l, 3))
        begin_step(l);
    uint32_t kinds = l->calm ? 3 : 5;
    if (chance(l, 6))
        turn(&b->shape);
    scene_shake(&b->shape, steps[below(l, kinds)], &l->random);
    snag_shape_transform(&b->shape, !l->calm && chance(l, 8) ? 1.3 : 1, steps[below(l, kinds)] * (chance(l, 2) ? 1 : -1), 0, 0);
    snag_positions to = snag_positions_f64(b->shape.positions, b->shape.vertex_count);
    if (place)
        memcpy(b->before, b->shape.positions, 3 * b->shape.vertex_count * sizeof *b->before);
    assert_int_equal(place ? snag_world_teleport(l->world, b->id, to) : snag_world_move(l->world, b->id, to), SNAG_OK);
    assert_int_equal(place ? snag_world_teleport(l->shadow, b->shadow_id, to) : snag_world_move(l->shadow, b->shadow_id, to),
                     SNAG_OK);
}

// A world that has seen no more than where the bodies are and were. `slots`: by its index.
static snag_world *fresh_world(life *l, uint32_t *slots)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1, .isa = SNAG_ISA_SCALAR});
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        body *b = &l->bodies[slot];
        if (!b->alive)
            continue;
        snag_body_id id;
        snag_shape start = b->shape;
        start.positions = b->added;
        assert_int_equal(scene_add(world, &start, SNAG_F64, NULL, &id), SNAG_OK);
        assert_int_equal(snag_world_teleport(world, id, snag_positions_f64(b->before, start.vertex_count)), SNAG_OK);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(b->shape.positions, start.vertex_count)), SNAG_OK);
        slots[id.index] = slot;
    }
    return world;
}

// ---- questions ----

static bool let_pass(void *context, snag_body_id a, snag_body_id b)
{
    (void)context;
    return (a.index + b.index) % 3 != 0;
}

static bool end_at_once(void *context, double done)
{
    (void)context;
    (void)done;
    return false;
}

// Not what `active` finds, nor spheres: they depend on what was asked before.
static bool has_one_answer(const any_question *ask)
{
    return ask->method != SNAG_METHOD_ACTIVE && ask->question != SNAG_OVERLAPS;
}

static any_question random_ask(life *l)
{
    for (;;) {
        any_question ask = any_default((snag_question)below(l, SNAG_QUESTION_COUNT));
        ask.method = (snag_method)below(l, SNAG_METHOD_COUNT);
        if (!snag_method_answers(ask.method, ask.question))
            continue;
        ask.self = snag_method_finds_self(ask.method, ask.question) && !chance(l, 3);
        ask.between = !ask.self || !chance(l, 4);
        ask.distance = chance(l, 2) ? 0.02 : 0.1;
        ask.every_pair = chance(l, 2);
        ask.edges = chance(l, 2);
        ask.separation = chance(l, 6) ? 0.01 : 0;
        ask.closest = chance(l, 4) ? 2 : 0;
        ask.lines = chance(l, 8);
        ask.regularity = chance(l, 3) ? SNAG_REGULARITY_CLASSICAL : SNAG_REGULARITY_CERTIFIED;
        ask.directions = chance(l, 4) ? 12 : 0;
        ask.pure = chance(l, 3);
        ask.filter = chance(l, 6) ? let_pass : NULL;
        if (ask.method == SNAG_METHOD_KDOP) {
            static const uint32_t directions[] = {0, 0, 6, 14, 18, 26};
            ask.k = directions[below(l, 6)];
            ask.arity = chance(l, 3) ? 2 : 0;
            ask.lazy = chance(l, 3) ? 0.02 : 0;
        }
        ask.track = chance(l, 3) && has_one_answer(&ask);
        if (!ask.track && chance(l, 2))
            ask.output = (snag_output)below(l, ask.question == SNAG_IMPACTS ? SNAG_OUTPUT_FORM_COUNT : SNAG_OUTPUT_EARLIEST);
        ask.until = chance(l, 4) ? 0.5 : 1;
        return ask;
    }
}

// In most lives one method is asked different questions: what it keeps from ask to ask is shared by them.
static void choose_habits(life *l)
{
    bool one_method = !chance(l, 3);
    l->habits[0] = random_ask(l);
    for (int i = 1; i < HABITS; i++)
        do
            l->habits[i] = random_ask(l);
        while (one_method && l->habits[i].method != l->habits[0].method);
}

// ---- answers ----

// What is compared of an answer, without the names of bodies that depend on the world's past.
typedef struct kept {
    snag_contact *contacts;
    snag_pair *pairs;
    size_t count, degenerate;
    double earliest;
    snag_pair culprit;
    bool complete;
} kept;

static uint32_t slot_of(uint32_t index, const uint32_t *slots)
{
    return slots != NULL ? slots[index] : index - 1;
}

static snag_pair rename_pair(snag_pair pair, const uint32_t *slots)
{
    pair.body_a = slot_of(pair.body_a, slots);
    pair.body_b = slot_of(pair.body_b, slots);
    return pair;
}

static kept keep(const snag_answer *answer, const uint32_t *slots)
{
    kept k = {.count = answer->count, .degenerate = answer->degenerate, .earliest = answer->earliest, .complete = answer->complete};
    k.contacts = calloc(k.count + 1, sizeof *k.contacts);
    k.pairs = calloc(k.count + 1, sizeof *k.pairs);
    if (answer->earliest < 1)
        k.culprit = rename_pair(answer->culprit, slots);
    for (size_t i = 0; i < k.count && answer->contacts != NULL; i++) {
        snag_contact *c = &k.contacts[i];
        memcpy(c, &answer->contacts[i], sizeof *c);
        c->body_a = (snag_body_id){slot_of(c->body_a.index, slots), 0};
        c->body_b = (snag_body_id){slot_of(c->body_b.index, slots), 0};
        c->id = 0;
        c->phase = SNAG_PHASE_NONE;
        c->age = 0;
    }
    for (size_t i = 0; i < k.count && answer->pairs != NULL; i++)
        k.pairs[i] = rename_pair(answer->pairs[i], slots);
    return k;
}

static void drop(kept *k)
{
    free(k->contacts);
    free(k->pairs);
}

static void assert_same(const kept *a, const kept *b)
{
    assert_true(a->complete == b->complete && a->earliest == b->earliest);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->degenerate, b->degenerate);
    assert_memory_equal(&a->culprit, &b->culprit, sizeof a->culprit);
    assert_memory_equal(a->contacts, b->contacts, (a->count + 1) * sizeof *a->contacts);
    assert_memory_equal(a->pairs, b->pairs, (a->count + 1) * sizeof *a->pairs);
}

// Byte for byte, as answers are promised to be.
static bool same_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

// Contacts are sorted alike: a part of them is found in one walk.
static void assert_part(const kept *a, const kept *b)
{
    size_t at = 0;
    for (size_t i = 0; i < a->count; i++, at++) {
        while (at < b->count && (!same_bytes(&a->contacts[i], &b->contacts[at], sizeof *a->contacts) ||
                                 !same_bytes(&a->pairs[i], &b->pairs[at], sizeof *a->pairs)))
            at++;
        assert_true(at < b->count);
    }
}

static bool is_in_sphere(const double p[3], const double centre[3], double radius)
{
    double squared = 0;
    for (int axis = 0; axis < 3; axis++)
        squared += (p[axis] - centre[axis]) * (p[axis] - centre[axis]);
    return squared <= radius * radius * (1 + 1e-9);
}

// Spheres depend on where a body's tree was begun, and that may be earlier than in a fresh world; but whatever intersects
// does so in two of them that overlap.
static void assert_covered(const kept *overlaps, const kept *intersections)
{
    for (size_t i = 0; i < intersections->count; i++) {
        const snag_contact *c = &intersections->contacts[i];
        bool covered = false;
        for (size_t k = 0; k < overlaps->count && !covered; k++) {
            const snag_contact *o = &overlaps->contacts[k];
            covered = o->body_a.index == c->body_a.index && o->body_b.index == c->body_b.index &&
                      is_in_sphere(c->point_a, o->point_a, o->weight[0]) && is_in_sphere(c->point_a, o->point_b, o->weight[1]);
        }
        assert_true(covered);
    }
}

// The answer of the world that fails now and then against that of a world without a past.
static void compare_with_fresh(life *l, const any_question *asked, const snag_answer *answer)
{
    uint32_t slots[SLOTS + 1] = {0};
    any_question ask = *asked;
    ask.track = false;
    bool part = ask.method == SNAG_METHOD_ACTIVE, spheres = ask.question == SNAG_OVERLAPS;
    if (part || spheres)
        ask.method = SNAG_METHOD_BRUTE;
    if (spheres) {
        ask.question = SNAG_INTERSECTIONS;
    }
    // The filter goes by index, and the fresh world's may be others.
    bool filtered = ask.filter != NULL;
    for (uint32_t slot = 0; slot < SLOTS && filtered; slot++)
        filtered = l->bodies[slot].alive;
    if (ask.filter != NULL && !filtered)
        return;
    snag_world *fresh = fresh_world(l, slots);
    const snag_answer *expected = NULL;
    assert_int_equal(any_ask(fresh, &ask, &expected), SNAG_OK);
    kept is = keep(answer, NULL), wanted = keep(expected, slots);
    l->contacts += wanted.count;
    if (spheres && asked->output == SNAG_OUTPUT_CONTACTS)
        assert_covered(&is, &wanted);
    else if (part)
        assert_part(&is, &wanted);
    else if (!spheres)
        assert_same(&is, &wanted);
    drop(&is);
    drop(&wanted);
    snag_world_destroy(fresh);
}

// Ids, phases, ages and ends against those of a world that has only seen the asks that succeeded.
static void compare_with_shadow(life *l, const any_question *ask, const snag_answer *answer)
{
    const snag_answer *expected = NULL;
    assert_int_equal(any_ask(l->shadow, ask, &expected), SNAG_OK);
    assert_int_equal(answer->count, expected->count);
    assert_true((answer->contacts == NULL) == (expected->contacts == NULL) && (answer->pairs == NULL) == (expected->pairs == NULL));
    if (answer->contacts != NULL)
        assert_memory_equal(answer->contacts, expected->contacts, answer->count * sizeof *answer->contacts);
    if (answer->pairs != NULL)
        assert_memory_equal(answer->pairs, expected->pairs, answer->count * sizeof *answer->pairs);
    assert_memory_equal(&answer->culprit, &expected->culprit, sizeof answer->culprit);
    assert_int_equal(answer->ended_count, expected->ended_count);
    for (size_t i = 0; i < answer->ended_count; i++)
        assert_int_equal(answer->ended[i].id, expected->ended[i].id);
}

static void ask_once(life *l, const any_question *ask, bool failing)
{
    const snag_answer *answer = NULL;
    if (failing)
        start_failing(l);
    snag_status status = any_ask(l->world, ask, &answer);
    stop_failing(l);
    l->asks++;
    if (status != SNAG_OK) {
        assert_true(failing);
        assert_int_equal(status, SNAG_ERROR_MEMORY);
        l->failures++;
        return;
    }
    compare_with_fresh(l, ask, answer);
    if (has_one_answer(ask))
        compare_with_shadow(l, ask, answer);
}

// An ask that its caller ends: what it has found so far is a part of all.
static void ask_and_cancel(life *l, any_question ask)
{
    const snag_answer *answer = NULL;
    ask.track = false;
    ask.progress = end_at_once;
    assert_int_equal(any_ask(l->world, &ask, &answer), SNAG_OK);
}

static void live(uint64_t seed, int steps, size_t totals[3])
{
    life l = {.random = {seed}};
    snag_allocator allocator = failing_allocator_start(&l.memory, 0);
    uint32_t threads = 1 + below(&l, 3);
    snag_isa isa = scene_isa(below(&l, 4));
    l.world = scene_world(&(scene_options){.threads = threads, .isa = isa, .allocator = allocator});
    l.shadow = scene_world(&(scene_options){.threads = 1, .isa = isa});
    l.volumes = chance(&l, 3);
    l.calm = chance(&l, 2);
    for (int i = 0; i < 3; i++)
        add_body(&l, false);
    choose_habits(&l);
    for (int step = 0; step < steps; step++) {
        uint32_t what = below(&l, 20);
        if (what < 6)
            move_body(&l, below(&l, SLOTS));
        else if (what == 6 && chance(&l, 3))
            remove_body(&l, below(&l, SLOTS));
        else if (what == 7 && chance(&l, 2))
            add_body(&l, chance(&l, 2));
        else if (what == 8)
            ask_and_cancel(&l, l.habits[below(&l, HABITS)]);
        else if (what < 11) {
            any_question ask = random_ask(&l);
            ask_once(&l, &ask, chance(&l, 2));
        } else
            ask_once(&l, &l.habits[below(&l, HABITS)], chance(&l, 2));
    }
    snag_world_destroy(l.world);
    snag_world_destroy(l.shadow);
    failing_allocator_assert_clean(&l.memory);
    for (int i = 0; i < SLOTS; i++)
        if (l.bodies[i].alive)
            forget_body(&l.bodies[i]);
    totals[0] += l.asks;
    totals[1] += l.failures;
    totals[2] += l.contacts;
}

// SNAG_SEED and SNAG_LIVES choose others than those of every run.
static uint64_t number_from(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : usual;
}

static void answers_are_those_of_a_fresh_world(void **state)
{
    (void)state;
    enum { LIVES = 60, STEPS = 40 };
    uint64_t first = number_from("SNAG_SEED", 1), lives = number_from("SNAG_LIVES", LIVES);
    size_t totals[3] = {0};
    for (uint64_t i = 0; i < lives; i++) {
        print_message("seed %" PRIu64 "\n", first + i);
        live(first + i, STEPS, totals);
    }
    assert_true(totals[1] > 2 * lives && totals[0] > 3 * totals[1] && totals[2] > 100 * lives);
}

// ---- one that was found ----

static snag_status ask_regions(snag_world *world, snag_question question, bool every_pair, const snag_answer **answer)
{
    any_question ask = any_default(question);
    ask.method = SNAG_METHOD_REGIONS;
    ask.self = false;
    ask.distance = 0.15;
    ask.every_pair = every_pair;
    return any_ask(world, &ask, answer);
}

static uint64_t hash_of(snag_world *world, snag_question question)
{
    const snag_answer *answer = NULL;
    assert_int_equal(ask_regions(world, question, false, &answer), SNAG_OK);
    assert_true(answer->count > 0);
    return scene_hash(answer);
}

typedef struct two_blocks {
    failing_allocator memory;
    snag_world *world;
    snag_shape shapes[2];
    snag_body_id ids[2];
} two_blocks;

static void make_blocks(two_blocks *t)
{
    snag_allocator allocator = failing_allocator_start(&t->memory, 0);
    snag__random random = {17};
    t->world = scene_world(&(scene_options){.threads = 1, .allocator = allocator});
    for (int i = 0; i < 2; i++) {
        assert_int_equal(snag_shape_block(12, 10, 3, 0.1, &t->shapes[i]), SNAG_OK);
        scene_shake(&t->shapes[i], 0.03, &random);
        snag_shape_transform(&t->shapes[i], 1, 0, 0, 0.35 * i);
        assert_int_equal(scene_add(t->world, &t->shapes[i], SNAG_F64, NULL, &t->ids[i]), SNAG_OK);
    }
}

static void free_blocks(two_blocks *t)
{
    snag_world_destroy(t->world);
    failing_allocator_assert_clean(&t->memory);
    for (int i = 0; i < 2; i++)
        snag_shape_free(&t->shapes[i]);
}

static void move_by(two_blocks *t, int i, double x)
{
    snag_shape_transform(&t->shapes[i], 1, x, 0, 0);
    assert_int_equal(snag_world_move(t->world, t->ids[i], snag_positions_f64(t->shapes[i].positions, t->shapes[i].vertex_count)),
                     SNAG_OK);
}

static uint64_t fresh_hash(const two_blocks *t, snag_question question)
{
    snag_world *fresh = scene_world(&(scene_options){.threads = 1});
    for (int i = 0; i < 2; i++)
        assert_int_equal(scene_add(fresh, &t->shapes[i], SNAG_F64, NULL, &(snag_body_id){0}), SNAG_OK);
    uint64_t hash = hash_of(fresh, question);
    snag_world_destroy(fresh);
    return hash;
}

// Asks until there are lists that hold for some steps, asks for `every_pair` with an allocator that fails at its n-th call, and
// asks again. Says whether the n-th call was reached.
static bool lose_regions(snag_question question, size_t n)
{
    two_blocks t;
    make_blocks(&t);
    hash_of(t.world, question);
    for (int i = 0; i < 2; i++)
        turn(&t.shapes[i]);
    for (int i = 0; i < 6; i++) {
        move_by(&t, i % 2, 0.001);
        hash_of(t.world, question);
    }
    const snag_answer *answer = NULL;
    t.memory.fail_at = t.memory.calls + n;
    bool failed = ask_regions(t.world, SNAG_PROXIMITIES, true, &answer) != SNAG_OK;
    t.memory.fail_at = 0;
    for (int i = 0; i < 3; i++) {
        move_by(&t, i % 2, 0.001);
        assert_true(hash_of(t.world, question) == fresh_hash(&t, question));
    }
    free_blocks(&t);
    return failed;
}

// Pairs of `every_pair` are about inner vertices too, for which regions are divided anew. Where there was no memory for it, the
// next question has regions of its own again, and must not take the lists of earlier ones for lists of these.
static void regions_that_were_lost_are_not_taken_for_those_there_were(void **state)
{
    (void)state;
    for (int question = 0; question < 2; question++) {
        size_t n = 1;
        while (lose_regions(question == 0 ? SNAG_PROXIMITIES : SNAG_DISTANCE, n))
            n++;
        assert_true(n > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_that_were_lost_are_not_taken_for_those_there_were),
        cmocka_unit_test(answers_are_those_of_a_fresh_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
