// Beyond the range of float every method still gives what brute gives. Bounds are floats rounded outward: from FLT_MAX
// (3.4e38) on the box of what lies across the origin is [-inf, inf], and it must meet all that is there and nothing else,
// neither the padding of a leaf nor a body without elements.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MAX = 4 };

typedef struct scene {
    snag_shape before[BODIES_MAX], after[BODIES_MAX];  // at t0 and at t1
    int count;
} scene;

typedef enum scene_kind { SHEETS, SOUPS, VOLUMES, ODD_SIZES, SCENE_KINDS } scene_kind;

// From where boxes are still finite to where squares of coordinates are not.
static const double scales[] = {1e37, 3.4e38, 4e38, 1e60, 1e153, 1e300};
enum { SCALES = sizeof scales / sizeof *scales };

static snag_shape sheet_across(uint32_t cells, int normal)
{
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(cells, cells, 2, 2, &sheet), SNAG_OK);
    double middle[3] = {0};
    for (size_t i = 0; i < 3 * sheet.vertex_count; i++)
        middle[i % 3] += sheet.positions[i] / (double)sheet.vertex_count;
    for (size_t v = 0; v < sheet.vertex_count; v++) {
        double x[3], *to = &sheet.positions[3 * v];
        for (int axis = 0; axis < 3; axis++)
            x[axis] = to[axis] - middle[axis];
        x[2] += 0.1 * sin(3 * x[0] + normal) * cos(2 * x[1]);
        for (int axis = 0; axis < 3; axis++)
            to[(axis + normal + 1) % 3] = x[axis];
    }
    return sheet;
}

// Moves a shape that lies in 0 .. 1 to -1 .. 1.
static snag_shape centred(snag_shape shape)
{
    for (size_t i = 0; i < 3 * shape.vertex_count; i++)
        shape.positions[i] = 2 * shape.positions[i] - 1;
    return shape;
}

static snag_shape block_across(uint32_t cells)
{
    snag_shape block;
    assert_int_equal(snag_shape_block(cells, 1, 2, 1, &block), SNAG_OK);
    snag_shape_transform(&block, 0.7, 0, 0, 0);
    return block;
}

static snag_shape copy_of(const snag_shape *shape)
{
    snag_shape copy = *shape;
    copy.positions = malloc((3 * shape->vertex_count + 1) * sizeof(double));
    memcpy(copy.positions, shape->positions, 3 * shape->vertex_count * sizeof(double));
    return copy;
}

static void fill_scene(scene_kind kind, scene *s, snag__random *random)
{
    s->count = 2;
    switch (kind) {
    case SHEETS:
        s->before[0] = sheet_across(4, 2);
        s->before[1] = sheet_across(3, 0);
        break;
    case SOUPS:
        s->before[0] = centred(scene_soup(21, 0, true, random));
        s->before[1] = centred(scene_soup(5, 2, false, random));
        break;
    case VOLUMES:
        s->before[0] = block_across(2);
        s->before[1] = centred(scene_tet_soup(3, 0, random));
        break;
    default:  // one that is all on one side, one that is small, one without triangles
        s->count = 4;
        s->before[0] = sheet_across(3, 2);
        snag_shape_transform(&s->before[0], 1, 1.5, 0.5, 0);
        s->before[1] = centred(scene_soup(6, 0, false, random));
        s->before[2] = centred(scene_soup(5, 0, false, random));
        snag_shape_transform(&s->before[2], 1e-20, 0, 0, 0);
        s->before[3] = scene_soup(0, 0, false, random);
        break;
    }
}

static scene make_scene(scene_kind kind, double scale, uint64_t seed)
{
    scene s = {.count = 0};
    snag__random random = {seed};
    fill_scene(kind, &s, &random);
    for (int i = 0; i < s.count; i++) {
        s.after[i] = copy_of(&s.before[i]);
        scene_shake(&s.after[i], 0.15, &random);
        for (size_t k = 0; k < 3 * s.before[i].vertex_count; k++) {
            s.before[i].positions[k] *= scale;
            s.after[i].positions[k] *= scale;
        }
    }
    return s;
}

static void free_scene(scene *s)
{
    for (int i = 0; i < s->count; i++) {
        free(s->after[i].positions);  // the rest is shared
        snag_shape_free(&s->before[i]);
    }
}

static snag_world *world_of(const scene *s, snag_isa isa, uint32_t threads)
{
    snag_world *world = scene_world(&(scene_options){.threads = threads, .isa = isa});
    for (int i = 0; i < s->count; i++) {
        snag_body_id id;
        assert_int_equal(scene_add(world, &s->before[i], SNAG_F64, NULL, &id), SNAG_OK);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(s->after[i].positions, s->after[i].vertex_count)), SNAG_OK);
    }
    return world;
}

// ---- answers ----

typedef struct kept {
    snag_contact *contacts;
    size_t count, degenerate;
    double earliest;
} kept;

static kept keep(const snag_answer *answer)
{
    kept k = {malloc((answer->count + 1) * sizeof(snag_contact)), answer->count, answer->degenerate, answer->earliest};
    if (k.count > 0)
        memcpy(k.contacts, answer->contacts, k.count * sizeof *k.contacts);
    return k;
}

static kept ask_brute(snag_world *world, any_question ask)
{
    const snag_answer *answer = NULL;
    ask.method = SNAG_METHOD_BRUTE;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    return keep(answer);
}

static void assert_same(const snag_answer *answer, const kept *e)
{
    assert_true(answer->complete);
    assert_int_equal(answer->count, e->count);
    if (e->count > 0)
        assert_memory_equal(answer->contacts, e->contacts, e->count * sizeof *e->contacts);
    // `spheres` does not look at every triangle.
    assert_true(answer->degenerate == e->degenerate || answer->method == SNAG_METHOD_SPHERES);
    assert_true(answer->earliest == e->earliest);
}

// Byte for byte, as answers are promised to be.
static bool same_bytes(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

// Contacts are sorted alike, so that a part of them is found in one walk.
static void assert_part(const snag_answer *answer, const kept *e)
{
    size_t at = 0;
    for (size_t i = 0; i < answer->count; i++, at++) {
        while (at < e->count && !same_bytes(&answer->contacts[i], &e->contacts[at], sizeof *e->contacts))
            at++;
        assert_true(at < e->count);
    }
}

// Every method that answers, with the choices that change how it searches.
typedef struct way {
    snag_method method;
    uint32_t k, arity;
    double lazy;  // relative to the scene
    snag_regularity_mode regularity;
} way;

static const way ways[] = {
    {SNAG_METHOD_AUTO, 0, 0, 0, 0},
    {SNAG_METHOD_KDOP, 0, 0, 0, 0},
    {SNAG_METHOD_KDOP, 14, 4, 0, 0},
    {SNAG_METHOD_KDOP, 18, 2, 0, 0},
    {SNAG_METHOD_KDOP, 26, 8, 0, 0},
    {SNAG_METHOD_KDOP, 0, 0, 0.01, 0},
    {SNAG_METHOD_HASH, 0, 0, 0, 0},
    {SNAG_METHOD_REGIONS, 0, 0, 0, 0},
    {SNAG_METHOD_REGULARITY, 0, 0, 0, SNAG_REGULARITY_CERTIFIED},
    {SNAG_METHOD_REGULARITY, 0, 0, 0, SNAG_REGULARITY_CLASSICAL},
    {SNAG_METHOD_REGULARITY, 0, 0, 0, SNAG_REGULARITY_PAPER},
    {SNAG_METHOD_SPHERES, 0, 0, 0, 0},
    {SNAG_METHOD_ACTIVE, 0, 0, 0, 0},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void compare_way(snag_world *world, any_question ask, const way *w, double scale, const kept *e)
{
    if (!snag_method_answers(w->method, ask.question) || (ask.self && !snag_method_finds_self(w->method, ask.question)))
        return;
    ask.method = w->method;
    ask.k = w->k;
    ask.arity = w->arity;
    ask.lazy = w->lazy * scale;
    ask.regularity = w->regularity;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    if (w->method == SNAG_METHOD_ACTIVE || w->regularity == SNAG_REGULARITY_PAPER)
        assert_part(answer, e);
    else
        assert_same(answer, e);
}

static void compare_all_ways(const scene *s, const any_question *ask, double scale, size_t *contacts)
{
    snag_world *judge = world_of(s, SNAG_ISA_SCALAR, 1);
    kept e = ask_brute(judge, *ask);
    *contacts += e.count;
    snag_world_destroy(judge);
    for (uint32_t i = 0; i == 0 || scene_isa(i) != scene_isa(0); i++) {
        snag_world *world = world_of(s, scene_isa(i), 1u << i % 3);
        for (int w = 0; w < WAYS; w++)
            compare_way(world, *ask, &ways[w], scale, &e);
        snag_world_destroy(world);
    }
    free(e.contacts);
}

// Of all, of bodies with themselves, and of bodies with each other.
static void compare_wants(const scene *s, snag_question question, double scale, size_t *contacts)
{
    for (int wants = 0; wants < 3; wants++) {
        any_question ask = any_default(question);
        ask.self = wants != 1;
        ask.between = wants != 2;
        ask.distance = scale / 20;
        ask.every_pair = wants == 1;
        ask.edges = wants != 2;
        compare_all_ways(s, &ask, scale, contacts);
    }
}

// `step`: questions whose exact tests take long are asked at every second scale.
static void compare_question(snag_question question, int step, size_t least)
{
    size_t contacts = 0;
    for (int kind = 0; kind < SCENE_KINDS; kind++)
        for (int i = step - 1; i < SCALES; i += step) {
            scene s = make_scene((scene_kind)kind, scales[i], 100 + (uint64_t)kind);
            compare_wants(&s, question, scales[i], &contacts);
            free_scene(&s);
        }
    assert_true(contacts >= least);
}

static void intersections_are_those_of_brute(void **state)
{
    (void)state;
    compare_question(SNAG_INTERSECTIONS, 1, 1000);
}

static void proximities_are_those_of_brute(void **state)
{
    (void)state;
    compare_question(SNAG_PROXIMITIES, 2, 500);
}

static void penetrations_are_those_of_brute(void **state)
{
    (void)state;
    compare_question(SNAG_PENETRATIONS, 1, 90);
}

static void impacts_are_those_of_brute(void **state)
{
    (void)state;
    compare_question(SNAG_IMPACTS, 2, 500);
}

static void distances_are_those_of_brute(void **state)
{
    (void)state;
    compare_question(SNAG_DISTANCE, 2, 10);
}

// Brute does not answer `overlaps`: the answer of the scalar kernels is the judge of the others.
static void overlaps_are_the_same_for_all_instruction_sets(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCENE_KINDS; kind++)
        for (int i = 0; i < SCALES; i++) {
            scene s = make_scene((scene_kind)kind, scales[i], 200 + (uint64_t)kind);
            kept e = {0};
            for (uint32_t k = 0; k == 0 || scene_isa(k) != scene_isa(0); k++) {
                snag_world *world = world_of(&s, scene_isa(k), 1 + k % 2);
                any_question ask = any_default(SNAG_OVERLAPS);
                const snag_answer *answer = NULL;
                assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
                if (e.contacts == NULL)
                    e = keep(answer);
                assert_same(answer, &e);
                snag_world_destroy(world);
            }
            free(e.contacts);
            free_scene(&s);
        }
}

// ---- auto after it has gone over ----

// A smooth sheet whose rim lies beyond FLT_MAX, and two triangles across it that reach from one end to the other: their
// boxes are infinite, and the leaf that they are in has fourteen empty slots.
static scene sheet_and_spears(double far)
{
    static const double spears[] = {-3, -2.5, -2, 3, 2, 2.6, 3, -2, 2.5, -3, 2, -2.5, 3, -2.4, 2, 3, 2.5, 2.2};
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    scene s = {.count = 2};
    s.before[0] = sheet_across(46, 2);
    s.before[1] = (snag_shape){
        .positions = malloc(sizeof spears), .triangles = malloc(sizeof triangles), .vertex_count = 6, .triangle_count = 2};
    memcpy(s.before[1].positions, spears, sizeof spears);
    memcpy(s.before[1].triangles, triangles, sizeof triangles);
    for (int i = 0; i < 2; i++) {
        snag_shape_transform(&s.before[i], far, 0, 0, 0);
        s.after[i] = copy_of(&s.before[i]);
    }
    snag_shape_transform(&s.after[0], 1, 0, 0, far / 100);
    return s;
}

static void go_over(const scene *s, snag_question question, snag_isa isa)
{
    enum { ASKS = 34 };
    any_question ask = any_default(question);
    snag_world *world = world_of(s, isa, 2);
    kept e = ask_brute(world, ask);
    assert_true(e.count > 10);
    int by_regularity = 0;
    for (int k = 0; k < ASKS; k++) {
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        assert_same(answer, &e);
        by_regularity += answer->method == SNAG_METHOD_REGULARITY;
    }
    assert_true(by_regularity > 0);
    snag_world_destroy(world);
    free(e.contacts);
}

static void auto_goes_over_to_regularity_and_stays_right(void **state)
{
    (void)state;
    static const double far[] = {3e38, 3.6e38, 1e39};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        scene s = sheet_and_spears(far[i]);
        go_over(&s, SNAG_INTERSECTIONS, SNAG_ISA_BEST);
        go_over(&s, SNAG_IMPACTS, i == 0 ? SNAG_ISA_SCALAR : SNAG_ISA_BEST);
        free_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intersections_are_those_of_brute),
        cmocka_unit_test(proximities_are_those_of_brute),
        cmocka_unit_test(penetrations_are_those_of_brute),
        cmocka_unit_test(impacts_are_those_of_brute),
        cmocka_unit_test(distances_are_those_of_brute),
        cmocka_unit_test(overlaps_are_the_same_for_all_instruction_sets),
        cmocka_unit_test(auto_goes_over_to_regularity_and_stays_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
