// Vertex stars prove nothing that is not so: stars of triangles that go around their vertex once, twice or almost twice, seen from
// every direction, give the contacts of brute; and where they go around once, no pair is looked at at all.
#include "common/any_question.h"
#include "bound/plane_cull.h"
#include "bound/bvh_kernel.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAR_ROWS_MAX = 14, WORLD_STARS = 40 };

static const double PI = 3.14159265358979323846;

typedef struct star {
    double x[STAR_ROWS_MAX + 2][3];  // the centre first
    uint32_t triangles[STAR_ROWS_MAX + 1][3];
    uint32_t vertices, count;
} star;

// Turns z into another axis, or its negative, and keeps the handedness or not.
static void point(double out[3], double x, double y, double z, int direction)
{
    int axis = direction / 2;
    out[axis] = direction % 2 ? -z : z;
    out[(axis + 1) % 3] = x;
    out[(axis + 2) % 3] = y;
}

// Triangles around a centre over `turns` turns, closed if that is a whole number; heights up to `rough`.
static star make_star(uint32_t star_rows, double turns, bool closed, double rough, int direction, snag__random *random)
{
    star s = {.vertices = star_rows + 1 + !closed, .count = star_rows};
    point(s.x[0], 0, 0, 0, direction);
    for (uint32_t i = 0; i < s.vertices - 1; i++) {
        double angle =
            2 * PI * turns * (i + (closed || i == 0 || i == star_rows ? 0 : 0.4 * snag__random_unit(random))) / star_rows;
        double radius = 0.5 + snag__random_unit(random), z = rough * (snag__random_unit(random) - 0.5);
        point(s.x[1 + i], radius * cos(angle), radius * sin(angle), z, direction);
    }
    for (uint32_t i = 0; i < star_rows; i++) {
        uint32_t triangle[3] = {0, 1 + i, closed ? 1 + (i + 1) % star_rows : 2 + i};
        memcpy(s.triangles[i], triangle, sizeof triangle);
    }
    return s;
}

static uint64_t hash_of(const snag_answer *answer)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < answer->count; i++)
        hash = hash * 1000003 + ((uint64_t)answer->contacts[i].a.index << 32 | answer->contacts[i].b.index);
    return hash;
}

// Asks twice, since stars are learnt by the second search of a tree: the answer is the same without them.
static size_t contacts_of(const star *s, snag_method method, size_t *pairs, uint64_t *hash)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&s->x[0][0], s->vertices);
    def.triangles = &s->triangles[0][0];
    def.triangle_count = s->count;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = method;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    size_t first = answer->statistics->candidates, count = answer->count;
    *hash = hash_of(answer);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    *pairs = answer->statistics->candidates;
    assert_int_equal(answer->count, count);
    assert_true(hash_of(answer) == *hash && *pairs <= first);
    snag_world_destroy(world);
    return count;
}

static size_t assert_as_brute(const star *s, size_t *pairs)
{
    size_t brute_pairs;
    uint64_t found, expected;
    size_t count = contacts_of(s, SNAG_METHOD_KDOP, pairs, &found);
    assert_int_equal(count, contacts_of(s, SNAG_METHOD_BRUTE, &brute_pairs, &expected));
    assert_true(found == expected);
    return count;
}

static void stars_that_go_around_once_cost_nothing(void **state)
{
    (void)state;
    snag__random random = {3};
    for (int direction = 0; direction < 6; direction++)
        for (uint32_t star_rows = 3; star_rows <= STAR_ROWS_MAX; star_rows++) {
            size_t pairs;
            star closed = make_star(star_rows, 1, true, 0.1, direction, &random);
            assert_int_equal(assert_as_brute(&closed, &pairs), 0);
            assert_int_equal(pairs, 0);
            star open = make_star(star_rows, 0.45, false, 0.1, direction, &random);
            assert_int_equal(assert_as_brute(&open, &pairs), 0);
        }
}

// Whether they really intersect is left to brute; most do, since their sheets cross on the way around.
static void stars_that_go_around_more_than_once_keep_their_contacts(void **state)
{
    (void)state;
    static const double turns[] = {1.02, 1.1, 1.3, 1.6, 1.9, 2.4};
    snag__random random = {4};
    size_t contacts = 0, intersecting = 0, stars = 0;
    for (int round = 0; round < WORLD_STARS; round++)
        for (int direction = 0; direction < 6; direction++, stars += 2) {
            size_t pairs, found;
            star twice = make_star(5 + (uint32_t)round % 10, 2, true, 0.3, direction, &random);
            contacts += found = assert_as_brute(&twice, &pairs);
            intersecting += found > 0;
            star open = make_star(6 + (uint32_t)round % 9, turns[round % 6], false, 0.3, direction, &random);
            contacts += found = assert_as_brute(&open, &pairs);
            intersecting += found > 0;
        }
    assert_true(contacts > 500 && intersecting > stars / 2);
}

// Folds, needles and flat triangles: facing is certain for some and not for others.
static void rough_stars_keep_their_contacts(void **state)
{
    (void)state;
    snag__random random = {5};
    size_t contacts = 0;
    for (int round = 0; round < 400; round++) {
        size_t pairs;
        star s = make_star(4 + (uint32_t)round % 11, round % 3 == 0 ? 2 : 1, true, 3, round % 6, &random);
        if (round % 4 == 0)
            memcpy(s.x[2], s.x[1], sizeof s.x[1]);  // a triangle of zero area
        if (round % 5 == 0)
            for (uint32_t i = 0; i < s.vertices; i++)
                s.x[i][round % 3] = 0.25;  // all in one plane
        contacts += assert_as_brute(&s, &pairs);
    }
    assert_true(contacts > 500);
}

static uint64_t ask_hash(snag_world *world, snag_question question, snag_method method, uint32_t k)
{
    any_question ask = any_default(question);
    ask.method = method;
    ask.k = k;
    ask.distance = question == SNAG_PROXIMITIES ? 0.01 : 0;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    uint64_t hash = answer->count;
    for (size_t i = 0; i < answer->count; i++)
        hash = hash * 1000003 + ((uint64_t)answer->contacts[i].a.index << 32 | answer->contacts[i].b.index);
    return hash;
}

// Proofs are kept from step to step where nothing has changed.
static void stars_that_change_from_step_to_step_keep_their_contacts(void **state)
{
    (void)state;
    enum { STAR_ROWS = 9 };
    snag__random random = {7};
    size_t changes = 0;
    for (int direction = 0; direction < 6; direction++) {
        star s = make_star(STAR_ROWS, 1, true, 0.1, direction, &random);
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(&s.x[0][0], s.vertices);
        def.triangles = &s.triangles[0][0];
        def.triangle_count = s.count;
        snag_body_id id;
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
        uint64_t before = 0;
        for (int step = 0; step < 30; step++) {
            star next = make_star(STAR_ROWS, 1 + step / 2 % 2, true, step % 5 == 4 ? 3 : 0.3, direction, &random);
            assert_int_equal(snag_world_move(world, id, snag_positions_f64(&next.x[0][0], next.vertices)), SNAG_OK);
            uint64_t found = ask_hash(world, SNAG_INTERSECTIONS, SNAG_METHOD_KDOP, 0);
            assert_true(found == ask_hash(world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, 0));
            changes += found != before;
            before = found;
        }
        snag_world_destroy(world);
    }
    assert_true(changes > 60);
}

// Another question may have had the trees built anew, in another order of the triangles.
static void plane_cull_follow_trees_that_another_question_has_built(void **state)
{
    (void)state;
    snag__random random = {6};
    snag_shape soup = scene_soup(300, 0, true, &random);
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id id;
    assert_int_equal(scene_add(world, &soup, SNAG_F64, "soup", &id), SNAG_OK);
    uint64_t expected = ask_hash(world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, 0);
    static const uint32_t ks[] = {6, 18, 26, 14};
    for (int i = 0; i < 4; i++) {
        ask_hash(world, SNAG_PROXIMITIES, SNAG_METHOD_KDOP, ks[i]);
        assert_true(ask_hash(world, SNAG_INTERSECTIONS, SNAG_METHOD_KDOP, ks[i]) == expected);
    }
    snag_world_destroy(world);
    snag_shape_free(&soup);
}

enum { PASS_VERTICES = 40, PASS_FIRST = 16, PASS_COUNT = 45, PASS_SLOTS = 64 };

// What one pass writes: bounds of slots, and their turns.
typedef struct pass {
    _Alignas(64) float bounds[6][PASS_SLOTS];
    _Alignas(64) snag__f32_triangle f32[PASS_SLOTS];
    snag__plane_cull_block blocks[PASS_SLOTS / SNAG__LEAF_ELEMENTS];
    uint16_t turns[PASS_SLOTS + SNAG__LEAF_ELEMENTS];
    snag__kdops kdops;
} pass;

static void clear_pass(pass *p)
{
    *p = (pass){.kdops = {.k = 6, .count = PASS_SLOTS}};
    for (int axis = 0; axis < 3; axis++) {
        p->kdops.lo[axis] = p->bounds[2 * axis];
        p->kdops.hi[axis] = p->bounds[2 * axis + 1];
    }
}

static void boxes_made_along_with_plane_cull_are_those_of_a_pass_of_their_own(void **state)
{
    (void)state;
    static const snag_isa isas[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4, SNAG_ISA_NEON};
    static pass own, along, scalar;
    snag__random random = {8};
    for (int round = 0; round < 40; round++) {
        double x[PASS_VERTICES][3], inflate = round % 2 ? 0.25 : 0;
        uint32_t triangles[PASS_SLOTS][3];
        for (int v = 0; v < PASS_VERTICES; v++)
            for (int axis = 0; axis < 3; axis++)  // some beyond the range of floats, some below it
                x[v][axis] = ldexp(snag__random_range(&random, -1, 1), round % 4 ? 0 : (int)snag__random_below(&random, 500) - 250);
        for (int i = 0; i < 3 * PASS_SLOTS; i++)
            triangles[i / 3][i % 3] = snag__random_below(&random, PASS_VERTICES);
        snag__mesh mesh = {.x_t1 = x, .vertex_count = PASS_VERTICES};
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
            if (!snag__isa_available(isas[i]))
                continue;
            clear_pass(&own);
            clear_pass(&along);
            const snag__box_kernels *boxes = snag__box_kernels_for(isas[i]);
            boxes->kdop_from_elements(NULL, (const double(*)[3])x, &triangles[0][0], 3, PASS_FIRST, PASS_COUNT, inflate,
                                      &own.kdops);
            snag__plane_cull plane_cull = {.blocks = along.blocks, .turns = along.turns, .f32 = along.f32};
            snag__plane_cull_kernels_for(isas[i])->fill(&mesh, (const uint32_t(*)[3])triangles, PASS_FIRST, PASS_COUNT, &plane_cull,
                                                        &along.kdops);
            boxes->kdop_grow(PASS_FIRST, PASS_COUNT, inflate, &along.kdops);
            assert_memory_equal(own.bounds, along.bounds, sizeof own.bounds);
            if (isas[i] == SNAG_ISA_SCALAR)
                scalar = along;
            assert_memory_equal(along.bounds, scalar.bounds, sizeof scalar.bounds);
            assert_memory_equal(along.turns, scalar.turns, (PASS_FIRST + PASS_COUNT) * sizeof *scalar.turns);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_that_go_around_once_cost_nothing),
        cmocka_unit_test(stars_that_go_around_more_than_once_keep_their_contacts),
        cmocka_unit_test(rough_stars_keep_their_contacts),
        cmocka_unit_test(stars_that_change_from_step_to_step_keep_their_contacts),
        cmocka_unit_test(plane_cull_follow_trees_that_another_question_has_built),
        cmocka_unit_test(boxes_made_along_with_plane_cull_are_those_of_a_pass_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
