// Triangle against triangle, judged by rational arithmetic.
// SNAG_PAIRS=10000000 build/test_triangle_geom runs the judged test over so many pairs (default 10000), SNAG_SEED=n
// over others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geom/geom.h"
#include "geom/triangle_kernel.h"
#include "helpers/hard.h"
#include "helpers/rational.h"
#include "helpers/soup.h"

static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

typedef struct ordered {
    const double *corner[3];
    uint32_t vertex[3];
} ordered;

static ordered in_order(const double t[3][3], const uint32_t v[3], int order)
{
    ordered o;
    for (int i = 0; i < 3; i++) {
        o.corner[i] = t[orders[order][i]];
        o.vertex[i] = v[orders[order][i]];
    }
    return o;
}

static snag__meeting meet(const ordered *a, const ordered *b)
{
    return snag__triangles_meet(a->corner, a->vertex, b->corner, b->vertex);
}

static void print_pair(const hard_pair *pair)
{
    for (int i = 0; i < 6; i++) {
        const double *p = i < 3 ? pair->a[i] : pair->b[i - 3];
        print_message("%c%u: %a %a %a\n", i < 3 ? 'a' : 'b', i < 3 ? pair->va[i] : pair->vb[i - 3], p[0], p[1], p[2]);
    }
}

static uint8_t soup_judged[HARD_SOUP];

// Every instruction set's kernel gives these answers.
static void assert_kernels_say(const hard_soup *soup, const uint8_t *expected)
{
    snag__triangle_pairs pairs = hard_soup_pairs(soup);
    for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        uint8_t meeting[HARD_SOUP];
        if (!snag__isa_available(isa))
            continue;
        snag__triangle_kernels_for(isa)->meet(&pairs, meeting);
        for (size_t i = 0; i < soup->count; i++)
            if ((meeting[i] & SNAG__MEETING_MASK) != expected[i])
                fail_msg("%s: pair %zu: %d, but the judge says %d", snag_isa_name(isa), i, meeting[i], expected[i]);
    }
}

static void assert_segment_is_right(const hard_pair *pair, snag__meeting meeting, const double from[3], const double to[3])
{
    double corner[12][3];
    int count = judge_common_corners(pair->a, pair->b, corner);
    assert_true(count > 0);
    bool right = memcmp(from, corner[0], 3 * sizeof *from) == 0 && memcmp(to, corner[count - 1], 3 * sizeof *to) == 0;
    if (meeting == SNAG__COPLANAR || count > 2) {  // some two corners of the shared area
        int found = 0;
        for (int i = 0; i < count; i++)
            found |= (memcmp(from, corner[i], sizeof corner[i]) == 0) | (memcmp(to, corner[i], sizeof corner[i]) == 0) << 1;
        right = found == 3;
    }
    if (!right) {
        print_pair(pair);
        fail_msg("the segment's ends are not those of the common part");
    }
}

static void pairs_meet_as_rational_arithmetic_says(void **state)
{
    (void)state;
    const char *wanted = getenv("SNAG_PAIRS"), *seed = getenv("SNAG_SEED");
    long count = wanted ? strtol(wanted, NULL, 10) : 10000, seen[5] = {0};
    snag__random random = {seed ? strtoull(seed, NULL, 10) : 7};
    hard_soup soup = {0};
    for (long i = 0; i < count; i++) {
        hard_pair pair;
        hard_triangle_pair(&random, &pair);
        uint32_t order = snag__random_below(&random, 72);
        ordered a = in_order(pair.a, pair.va, (int)order % 6), b = in_order(pair.b, pair.vb, (int)order / 6 % 6);
        snag__meeting meeting = order < 36 ? meet(&a, &b) : meet(&b, &a);
        judge_meeting judged = judge_triangles(pair.a, pair.va, pair.b, pair.vb);
        if ((int)meeting != (int)judged) {
            print_pair(&pair);
            fail_msg("pair %ld: %d, but the judge says %d", i, (int)meeting, (int)judged);
        }
        seen[meeting]++;
        hard_soup_add(&soup, &pair);
        soup_judged[soup.count - 1] = (uint8_t)judged;
        if (soup.count == HARD_SOUP || i + 1 == count) {
            assert_kernels_say(&soup, soup_judged);
            soup.count = 0;
        }
        if (meeting == SNAG__APART || meeting == SNAG__DEGENERATE)
            continue;
        double from[3], to[3];
        snag__triangles_segment(order < 36 ? a.corner : b.corner, order < 36 ? b.corner : a.corner, from, to);
        assert_segment_is_right(&pair, meeting, from, to);
    }
    print_message("%ld pairs: %ld apart, %ld crossing, %ld touching, %ld coplanar, %ld degenerate\n", count, seen[0], seen[1],
                  seen[2], seen[3], seen[4]);
    for (int kind = 0; kind < 5; kind++)
        assert_true(seen[kind] > count / 100);
}

static void all_orders_of_corners_and_triangles_give_one_answer(void **state)
{
    (void)state;
    snag__random random = {8};
    for (int i = 0; i < 800; i++) {
        hard_pair pair;
        hard_triangle_pair(&random, &pair);
        ordered first_a = in_order(pair.a, pair.va, 0), first_b = in_order(pair.b, pair.vb, 0);
        snag__meeting meeting = meet(&first_a, &first_b);
        double from[3], to[3];
        snag__triangles_segment(first_a.corner, first_b.corner, from, to);
        for (int order = 0; order < 36; order++) {
            ordered a = in_order(pair.a, pair.va, order % 6), b = in_order(pair.b, pair.vb, order / 6);
            assert_int_equal(meet(&a, &b), meeting);
            assert_int_equal(meet(&b, &a), meeting);
            for (int swap = 0; swap < 2; swap++) {
                double other_from[3], other_to[3];
                snag__triangles_segment(swap ? b.corner : a.corner, swap ? a.corner : b.corner, other_from, other_to);
                assert_memory_equal(from, other_from, sizeof from);
                assert_memory_equal(to, other_to, sizeof to);
            }
        }
    }
}

// ---- cases by name ----

typedef struct example {
    const char *what;
    hard_pair pair;
    snag__meeting meeting;
    double from[3], to[3];
} example;

#define A_ON_FLOOR                                                                                                                 \
    {                                                                                                                              \
        {0, 0, 0}, {4, 0, 0},                                                                                                      \
        {                                                                                                                          \
            0, 4, 0                                                                                                                \
        }                                                                                                                          \
    }
#define ALONE                                                                                                                      \
    {                                                                                                                              \
        0, 1, 2                                                                                                                    \
    }
#define OTHER                                                                                                                      \
    {                                                                                                                              \
        3, 4, 5                                                                                                                    \
    }

static const example examples[] = {
    {"through the inside", {A_ON_FLOOR, {{1, 1, -1}, {1, 1, 1}, {9, 1, 1}}, ALONE, OTHER}, SNAG__CROSSING, {1, 1, 0}, {3, 1, 0}},
    {"far away", {A_ON_FLOOR, {{9, 9, 9}, {8, 9, 9}, {9, 8, 7}}, ALONE, OTHER}, SNAG__APART, {0}, {0}},
    {"parallel planes", {A_ON_FLOOR, {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, ALONE, OTHER}, SNAG__APART, {0}, {0}},
    {"a corner on the inside", {A_ON_FLOOR, {{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}, ALONE, OTHER}, SNAG__TOUCHING, {1, 1, 0}, {1, 1, 0}},
    {"a corner on a corner", {A_ON_FLOOR, {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}}, ALONE, OTHER}, SNAG__TOUCHING, {0, 0, 0}, {0, 0, 0}},
    {"an edge lying on the inside",
     {A_ON_FLOOR, {{1, 1, 0}, {2, 1, 0}, {2, 1, 1}}, ALONE, OTHER},
     SNAG__TOUCHING,
     {1, 1, 0},
     {2, 1, 0}},
    {"an edge across an edge",
     {A_ON_FLOOR, {{2, 0, -1}, {2, 0, 1}, {2, -3, 0}}, ALONE, OTHER},
     SNAG__TOUCHING,
     {2, 0, 0},
     {2, 0, 0}},
    {"an edge along an edge", {A_ON_FLOOR, {{1, 0, 0}, {9, 0, 0}, {2, -3, 5}}, ALONE, OTHER}, SNAG__TOUCHING, {1, 0, 0}, {4, 0, 0}},
    {"through a corner", {A_ON_FLOOR, {{1, 1, 1}, {-1, -1, -1}, {-1, -1, 3}}, ALONE, OTHER}, SNAG__TOUCHING, {0, 0, 0}, {0, 0, 0}},
    {"the same place, other vertices", {A_ON_FLOOR, A_ON_FLOOR, ALONE, OTHER}, SNAG__COPLANAR, {0, 4, 0}, {4, 0, 0}},
    {"one within the other", {A_ON_FLOOR, {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, ALONE, OTHER}, SNAG__COPLANAR, {1, 2, 0}, {2, 1, 0}},
    {"in one plane, edge on edge",
     {A_ON_FLOOR, {{1, 0, 0}, {3, 0, 0}, {2, -3, 0}}, ALONE, OTHER},
     SNAG__TOUCHING,
     {1, 0, 0},
     {3, 0, 0}},
    {"in one plane, corner on edge",
     {A_ON_FLOOR, {{2, 0, 0}, {3, -1, 0}, {2, -3, 0}}, ALONE, OTHER},
     SNAG__TOUCHING,
     {2, 0, 0},
     {2, 0, 0}},
    {"in one plane, apart", {A_ON_FLOOR, {{5, 0, 0}, {9, 0, 0}, {9, 4, 0}}, ALONE, OTHER}, SNAG__APART, {0}, {0}},
    {"neighbours at an edge", {A_ON_FLOOR, {{0, 0, 0}, {4, 0, 0}, {0, -4, 1}}, ALONE, {0, 1, 3}}, SNAG__APART, {0}, {0}},
    {"neighbours in one plane", {A_ON_FLOOR, {{0, 0, 0}, {4, 0, 0}, {0, -4, 0}}, ALONE, {0, 1, 3}}, SNAG__APART, {0}, {0}},
    {"folded onto its neighbour", {A_ON_FLOOR, {{0, 0, 0}, {4, 0, 0}, {9, 9, 0}}, ALONE, {0, 1, 3}}, SNAG__COPLANAR, {0}, {0}},
    {"neighbours at a corner", {A_ON_FLOOR, {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}}, ALONE, {0, 3, 4}}, SNAG__APART, {0}, {0}},
    {"through its neighbour at a corner",
     {A_ON_FLOOR, {{0, 0, 0}, {1, 1, 1}, {1, 1, -1}}, ALONE, {0, 3, 4}},
     SNAG__CROSSING,
     {0, 0, 0},
     {1, 1, 0}},
    {"through the plane beside its neighbour",
     {A_ON_FLOOR, {{0, 0, 0}, {-1, 1, 1}, {-1, 1, -1}}, ALONE, {0, 3, 4}},
     SNAG__APART,
     {0},
     {0}},
    {"an edge from the shared corner along the inside",
     {A_ON_FLOOR, {{0, 0, 0}, {9, 9, 0}, {2, 1, 1}}, ALONE, {0, 3, 4}},
     SNAG__TOUCHING,
     {0, 0, 0},
     {2, 2, 0}},
    {"an edge from the shared corner along an edge",
     {A_ON_FLOOR, {{0, 0, 0}, {2, 0, 0}, {2, -1, 0}}, ALONE, {0, 3, 4}},
     SNAG__TOUCHING,
     {0, 0, 0},
     {2, 0, 0}},
    {"overlapping at a shared corner",
     {A_ON_FLOOR, {{0, 0, 0}, {2, 1, 0}, {2, -1, 0}}, ALONE, {0, 3, 4}},
     SNAG__COPLANAR,
     {0},
     {0}},
    {"the same three vertices",
     {A_ON_FLOOR, {{4, 0, 0}, {0, 0, 0}, {0, 4, 0}}, ALONE, {1, 0, 2}},
     SNAG__COPLANAR,
     {0, 4, 0},
     {4, 0, 0}},
    {"a zero edge", {A_ON_FLOOR, {{1, 1, 0}, {1, 1, 0}, {2, 1, 1}}, ALONE, OTHER}, SNAG__DEGENERATE, {0}, {0}},
    {"three points on a line", {A_ON_FLOOR, {{1, 1, -1}, {1, 1, 0}, {1, 1, 1}}, ALONE, OTHER}, SNAG__DEGENERATE, {0}, {0}},
    {"one point three times", {A_ON_FLOOR, {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, ALONE, {3, 3, 3}}, SNAG__DEGENERATE, {0}, {0}},
    {"huge against tiny",
     {{{-1e300, -1e300, 0}, {1e300, -1e300, 0}, {0, 1e300, 0}}, {{0, 0, -1e-300}, {0, 0, 1e-300}, {1e-300, 0, 0}}, ALONE, OTHER},
     SNAG__CROSSING,
     {0, 0, 0},
     {1e-300, 0, 0}},
    {"huge, a hair above",
     {{{-1e300, -1e300, 0}, {1e300, -1e300, 0}, {0, 1e300, 0}},
      {{0, 0, 5e-324}, {0, 0, 1e-300}, {1e-300, 0, 1e-300}},
      ALONE,
      OTHER},
     SNAG__APART,
     {0},
     {0}},
};

static void named_cases_have_their_documented_kind_and_segment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        ordered a = in_order(e->pair.a, e->pair.va, 0), b = in_order(e->pair.b, e->pair.vb, 0);
        if (meet(&a, &b) != e->meeting)
            fail_msg("%s: %d instead of %d", e->what, (int)meet(&a, &b), (int)e->meeting);
        assert_int_equal(judge_triangles(e->pair.a, e->pair.va, e->pair.b, e->pair.vb), e->meeting);
        double from[3], to[3];
        snag__triangles_segment(a.corner, b.corner, from, to);
        bool listed = e->from[0] != 0 || e->from[1] != 0 || e->to[0] != 0 || e->to[1] != 0;
        if (listed && (memcmp(from, e->from, sizeof from) || memcmp(to, e->to, sizeof to)))
            fail_msg("%s: segment (%g %g %g) (%g %g %g)", e->what, from[0], from[1], from[2], to[0], to[1], to[2]);
    }
}

static void the_longest_line_of_a_shared_area_is_taken(void **state)
{
    (void)state;
    // Two right triangles that overlap in a rectangle of 3 x 1 with a corner cut off.
    const double a[3][3] = {{0, 0, 5}, {8, 0, 5}, {0, 8, 5}}, b[3][3] = {{3, -7, 5}, {3, 1, 5}, {-5, 1, 5}};
    const double *corner_a[3] = {a[0], a[1], a[2]}, *corner_b[3] = {b[0], b[1], b[2]};
    double from[3], to[3];
    snag__triangles_segment(corner_a, corner_b, from, to);
    const double expected_from[3] = {0, 0, 5}, expected_to[3] = {3, 1, 5};
    assert_memory_equal(from, expected_from, sizeof from);
    assert_memory_equal(to, expected_to, sizeof to);
}

static void a_segment_of_one_subnormal_step_has_two_ends(void **state)
{
    (void)state;
    const double a[3][3] = {{0, 2, -4}, {0, -10, -16}, {1e-323, 8, 2}};
    const double b[3][3] = {{8, -15, -1}, {0x1.0000000000001p+2, -0x1.fffffffffffffp+2, -0x1.fffffffffffffp+1}, {-6, 11, -10}};
    const double *corner_a[3] = {a[0], a[1], a[2]}, *corner_b[3] = {b[0], b[1], b[2]};
    double from[3], to[3];
    snag__triangles_segment(corner_a, corner_b, from, to);
    assert_true(from[0] == 0 && to[0] == 5e-324);
}

static void segments_hold_no_nan_whatever_comes_in(void **state)
{
    (void)state;
    snag__random random = {9};
    for (int i = 0; i < 8000; i++) {
        hard_pair pair;
        hard_triangle_pair(&random, &pair);
        ordered a = in_order(pair.a, pair.va, 0), b = in_order(pair.b, pair.vb, 0);
        double ends[2][3];
        snag__triangles_segment(a.corner, b.corner, ends[0], ends[1]);
        for (int k = 0; k < 3; k++)
            assert_true(isfinite(ends[0][k]) && isfinite(ends[1][k]));
    }
}

// ---- the published list of pairs ----

static size_t count_meeting(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tri_tri/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        print_message("no %s\n", path);
        skip();
    }
    double t[6][3];
    const uint32_t va[3] = ALONE, vb[3] = OTHER;
    size_t pairs = 0, meeting = 0;
    for (int got = 18; got == 18;) {
        got = 0;
        for (int i = 0; i < 18; i++)
            got += fscanf(file, "%lf", &t[i / 3][i % 3]) == 1;
        if (got == 18) {
            const double *a[3] = {t[0], t[1], t[2]}, *b[3] = {t[3], t[4], t[5]};
            pairs++;
            meeting += snag__triangles_meet(a, va, b, vb) != SNAG__APART;
        }
    }
    fclose(file);
    assert_int_equal(pairs, 2500);
    return meeting;
}

static void published_pairs_are_told_apart(void **state)
{
    (void)state;
    const char *folder = getenv("SNAG_DATA");
    if (!folder) {
        print_message("SNAG_DATA is not set\n");
        skip();
        return;
    }
    assert_int_equal(count_meeting(folder, "shen_intersected.txt"), 2500);
    assert_int_equal(count_meeting(folder, "shen_separated.txt"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_meet_as_rational_arithmetic_says),
        cmocka_unit_test(all_orders_of_corners_and_triangles_give_one_answer),
        cmocka_unit_test(named_cases_have_their_documented_kind_and_segment),
        cmocka_unit_test(the_longest_line_of_a_shared_area_is_taken),
        cmocka_unit_test(a_segment_of_one_subnormal_step_has_two_ends),
        cmocka_unit_test(segments_hold_no_nan_whatever_comes_in),
        cmocka_unit_test(published_pairs_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
