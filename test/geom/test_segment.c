// Segment against triangle, judged by rational arithmetic; the wide kernels give the same answers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "geom/segment.h"
#include "helpers/hard.h"
#include "helpers/rational.h"

enum { SOUP = 75 };

typedef struct soup {
    double positions[SOUP * 5][3];
    uint32_t edges[SOUP][2];
    uint32_t triangles[SOUP][3];
    uint32_t pairs[SOUP][2];
    uint8_t expected[SOUP];
} soup;

// A segment and a triangle from a hard pair of triangles: two corners of b, sometimes one of them twice, against a.
static void make_soup(snag__random *random, soup *s)
{
    for (uint32_t i = 0; i < SOUP; i++) {
        hard_pair pair;
        hard_triangle_pair(random, &pair);
        uint32_t from = snag__random_below(random, 3), to = snag__random_below(random, 3);
        memcpy(s->positions[5 * i], pair.b[from], sizeof pair.b[from]);
        memcpy(s->positions[5 * i + 1], pair.b[to], sizeof pair.b[to]);
        memcpy(s->positions[5 * i + 2], pair.a, sizeof pair.a);
        s->edges[i][0] = s->pairs[i][0] = s->pairs[i][1] = i;
        s->edges[i][0] = 5 * i;
        s->edges[i][1] = 5 * i + 1;
        for (uint32_t k = 0; k < 3; k++)
            s->triangles[i][k] = 5 * i + 2 + k;
        s->expected[i] = judge_is_collinear(pair.a[0], pair.a[1], pair.a[2])
                             ? JUDGE_DEGENERATE
                             : (uint8_t)judge_segment_triangle(pair.b[from], pair.b[to], pair.a);
    }
}

static void segments_meet_triangles_as_rational_arithmetic_says(void **state)
{
    (void)state;
    static soup s;
    snag__random random = {1};
    size_t seen[5] = {0};
    for (int round = 0; round < 150; round++) {
        make_soup(&random, &s);
        snag__segment_pairs pairs = {.x_a = s.positions,
                                     .edges_a = s.edges,
                                     .x_b = s.positions,
                                     .triangles_b = s.triangles,
                                     .pairs = s.pairs,
                                     .count = SOUP};
        size_t exact = SIZE_MAX;
        for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            uint8_t meeting[SOUP];
            if (!snag__isa_available(isa))
                continue;
            size_t needed = snag__segment_kernels_for(isa)->meet(&pairs, meeting);
            assert_memory_equal(meeting, s.expected, SOUP);
            assert_true(exact == SIZE_MAX || exact == needed);
            exact = needed;
        }
        for (int i = 0; i < SOUP; i++) {
            const double *p = s.positions[5 * i], *q = s.positions[5 * i + 1], *t[3];
            for (int order = 0; order < 3; order++) {
                for (int k = 0; k < 3; k++)
                    t[k] = s.positions[5 * i + 2 + (order == 2 ? 2 - k : (k + order) % 3)];
                assert_int_equal(snag__segment_meets_triangle(p, q, t), s.expected[i]);
                assert_int_equal(snag__segment_meets_triangle(q, p, t), s.expected[i]);
            }
            seen[s.expected[i]]++;
        }
    }
    assert_true(seen[SNAG__APART] > 100 && seen[SNAG__CROSSING] > 100 && seen[SNAG__TOUCHING] > 100);
    assert_true(seen[SNAG__DEGENERATE] > 100);
}

static void named_cases_have_their_documented_kind(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        double p[3], q[3];
        snag__meeting meeting;
    } examples[] = {
        {"through the inside", {1, 1, -1}, {1, 1, 1}, SNAG__CROSSING},
        {"short of it", {1, 1, 2}, {1, 1, 1e-300}, SNAG__APART},
        {"an end on the inside", {1, 1, 0}, {1, 1, 1}, SNAG__TOUCHING},
        {"through an edge", {2, 0, -1}, {2, 0, 1}, SNAG__TOUCHING},
        {"through a corner", {0, 0, -1}, {0, 0, 1}, SNAG__TOUCHING},
        {"beside it", {3, 3, -1}, {3, 3, 1}, SNAG__APART},
        {"lying in it", {1, 1, 0}, {2, 1, 0}, SNAG__TOUCHING},
        {"lying across it", {-1, 1, 0}, {9, 1, 0}, SNAG__TOUCHING},
        {"along an edge", {1, 0, 0}, {9, 0, 0}, SNAG__TOUCHING},
        {"beyond an edge's end", {5, 0, 0}, {9, 0, 0}, SNAG__APART},
        {"in the plane, past a corner", {-1, 0, 0}, {0, -1, 0}, SNAG__APART},
        {"a point on it", {1, 1, 0}, {1, 1, 0}, SNAG__TOUCHING},
        {"a point beside it", {3, 3, 0}, {3, 3, 0}, SNAG__APART},
        {"a point above it", {1, 1, 5e-324}, {1, 1, 5e-324}, SNAG__APART},
        {"from huge to tiny", {1, 1, 1e300}, {1, 1, -1e-300}, SNAG__CROSSING},
    };
    const double corner[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const double *t[3] = {corner[0], corner[1], corner[2]}, *flat[3] = {corner[0], corner[1], corner[1]};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        if (snag__segment_meets_triangle(examples[i].p, examples[i].q, t) != examples[i].meeting)
            fail_msg("%s", examples[i].what);
        assert_int_equal(snag__segment_meets_triangle(examples[i].p, examples[i].q, flat), SNAG__DEGENERATE);
    }
}

// Segments and tetrahedra: random, on a grid, of any doubles; aimed at a point of the tetrahedron's inside, faces, edges or
// corners; sometimes ending there.
static void make_passage(snag__random *random, double tet[4][3], double p[3], double q[3])
{
    uint32_t family = snag__random_below(random, 5);
    double weight[4], sum = 0;
    for (int i = 0; i < 4; i++) {
        weight[i] = snag__random_below(random, 2) ? snag__random_below(random, 3) : snag__random_unit(random);
        sum += weight[i];
    }
    double before = snag__random_below(random, 8) == 0 ? 0 : snag__random_range(random, 0.25, 4);
    double behind = snag__random_below(random, 8) == 0 ? 0 : snag__random_range(random, 0.25, 4);
    for (int k = 0; k < 3; k++) {
        double at = 0, along = family == 1 || family == 2 ? hard_grid(random, 3) : snag__random_range(random, -1, 1);
        for (int i = 0; i < 4; i++) {
            tet[i][k] = family == 0  ? hard_any_double(random)
                        : family < 3 ? hard_grid(random, 3)
                                     : snag__random_range(random, -1, 1);
            at += sum > 0 ? weight[i] / sum * tet[i][k] : 0;
        }
        p[k] = family == 0 ? hard_any_double(random) : family == 1 ? hard_grid(random, 4) : at - before * along;
        q[k] = family == 0 ? hard_any_double(random) : family == 1 ? hard_grid(random, 4) : at + behind * along;
    }
    double scale = family && snag__random_below(random, 4) == 0 ? ldexp(1, (int)snag__random_below(random, 1900) - 1000) : 1;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 4; i++)
            tet[i][k] *= scale;
        p[k] *= scale;
        q[k] *= scale;
    }
}

static void segments_pass_through_tetrahedra_as_rational_arithmetic_says(void **state)
{
    (void)state;
    snag__random random = {2};
    int passing = 0, grazing = 0;
    for (int i = 0; i < 8000; i++) {
        double tet[4][3], p[3], q[3], enters[3], leaves[3], got_enters[3], got_leaves[3];
        make_passage(&random, tet, p, q);
        bool judged = judge_segment_through_tet(p, q, (const double(*)[3])tet, enters, leaves);
        const double *corner[4] = {tet[0], tet[1], tet[2], tet[3]}, *turned[4] = {tet[1], tet[0], tet[2], tet[3]};
        assert_int_equal(snag__segment_passes_tet(p, q, corner), judged);
        assert_int_equal(snag__segment_passes_tet(q, p, turned), judged);
        if (!judged)
            continue;
        passing++;
        snag__segment_in_tet(p, q, corner, got_enters, got_leaves);
        bool point = true;
        for (int k = 0; k < 3; k++) {
            assert_true(got_enters[k] == enters[k] && got_leaves[k] == leaves[k]);
            point = point && enters[k] == leaves[k];
        }
        grazing += point;
        snag__segment_in_tet(q, p, turned, got_leaves, got_enters);
        for (int k = 0; k < 3; k++)
            assert_true(got_enters[k] == enters[k] && got_leaves[k] == leaves[k]);
    }
    assert_in_range(passing, 1500, 6500);
    assert_true(grazing > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_meet_triangles_as_rational_arithmetic_says),
        cmocka_unit_test(segments_pass_through_tetrahedra_as_rational_arithmetic_says),
        cmocka_unit_test(named_cases_have_their_documented_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
