// Distances against the rational judge, over friendly and hostile input; every order of corners and swapped sides.
// SNAG_PAIRS asks for more pairs of each sort than the 12800 of a plain run, SNAG_SEED for others.
#include "base/random.h"
#include "geom/distance.h"
#include "helpers/rational_distance.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const snag_isa all_isas[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4, SNAG_ISA_NEON};
#define ISA_COUNT (sizeof all_isas / sizeof *all_isas)

// ---- four points of many kinds ----

static double any_scale(snag__random *random)
{
    double sign = snag__random_u64(random) & 1 ? -1 : 1;
    return sign * ldexp(1 + snag__random_unit(random), (int)snag__random_below(random, 1994) - 997);
}

enum { KIND_COUNT = 16 };

static void make_points(snag__random *random, int kind, double x[4][3])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            switch (kind) {
            case 1:  // a small grid: ties of every sort
            case 2: x[i][k] = (double)snag__random_below(random, kind == 1 ? 3 : 9) - 1; break;
            case 3: x[i][k] = (float)snag__random_unit(random) + 1e6; break;  // few digits left
            case 4: x[i][k] = any_scale(random); break;  // every exponent
            case 5: x[i][k] = snag__random_unit(random) * 1e-300; break;
            case 6: x[i][k] = snag__random_range(random, -1, 1) * 1e300; break;
            case 7: x[i][k] = ((double)snag__random_below(random, 7) - 3) * 0x1p-1074; break;
            case 8: x[i][k] = snag__random_u64(random) & 1 ? DBL_MAX : -DBL_MAX; break;
            default: x[i][k] = snag__random_range(random, -1, 1); break;
            }
    const double noise = pow(10, snag__random_range(random, -17, -5)), s = snag__random_unit(random);
    if (kind == 9)  // flat: all but in one plane
        for (int i = 0; i < 4; i++)
            x[i][2] = x[i][0] * 0.25 + snag__random_range(random, -1, 1) * noise;
    if (kind == 10)  // needles: the last three nearly on a line, or all three nearly one point
        for (int k = 0; k < 3; k++) {
            if (noise < 1e-11)
                x[2][k] = x[1][k] + (x[2][k] - x[1][k]) * 1e-9;
            x[3][k] = x[1][k] + (x[2][k] - x[1][k]) * 0.3 + snag__random_range(random, -1, 1) * noise;
        }
    if (kind == 11) {  // nearly parallel edges, or quite
        double slip = snag__random_below(random, 3) ? 1e-14 : 0;
        for (int k = 0; k < 3; k++) {
            x[1][k] = (float)x[1][k];
            x[0][k] = (float)x[0][k];
            x[2][k] = x[0][k] + (double)snag__random_below(random, 2) * 0.25;
            x[3][k] = x[2][k] + (x[1][k] - x[0][k]) + snag__random_range(random, -1, 1) * slip;
        }
    }
    if (kind >= 12) {
        // The first point by a corner, over an edge or over a corner of the last three, up to roundings: the signs that
        // tell features apart are then in doubt. The second lies so that edges have the same trouble.
        double e[3], n[3], foot[3];
        for (int k = 0; k < 3; k++)
            e[k] = x[2][k] - x[3][k];
        n[0] = e[1];
        n[1] = -e[0];
        n[2] = 0;
        for (int k = 0; k < 3; k++) {
            foot[k] = kind == 12 ? x[2][k] : kind == 13 ? x[3][k] + s * e[k] : x[2][k] + s * n[k];
            x[0][k] = foot[k] + snag__random_range(random, -1, 1) * noise;
            if (kind == 15)
                x[1][k] = x[0][k] + n[k] * snag__random_unit(random) + e[k] * noise;
        }
    }
    if (snag__random_below(random, 8) == 0)  // repeated points
        memcpy(x[snag__random_below(random, 4)], x[snag__random_below(random, 4)], sizeof x[0]);
}

// The same, now and then at another scale.
static void make_scaled_points(snag__random *random, int kind, double x[4][3])
{
    make_points(random, kind, x);
    if ((kind < 3 || kind > 8) && snag__random_below(random, 4) == 0) {
        int shift = (int)snag__random_below(random, 1800) - 900;
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                x[i][k] = ldexp(x[i][k], shift);
    }
}

// ---- what must hold of any result ----

static int bits_in(uint32_t bits)
{
    return __builtin_popcount(bits);
}

static void check_weights(const double *weight, int count, uint32_t feature)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        assert_true(weight[i] >= 0 && weight[i] <= 1);
        if (!(feature >> i & 1))
            assert_true(weight[i] == 0);
        sum += weight[i];
    }
    assert_true(fabs(sum - 1) <= 0x1p-51);
    if (bits_in(feature) == 1)
        assert_true(weight[__builtin_ctz(feature)] == 1);
}

// The point is the weighted sum, up to the roundings of coordinates and the accuracy of weights.
static void check_point(const double point[3], const double *const *corner, const double *weight, int count)
{
    for (int k = 0; k < 3; k++) {
        long double sum = 0, size = 0, lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < count; i++) {
            sum += (long double)corner[i][k] * weight[i];
            size = fmaxl(size, fabsl((long double)corner[i][k]));
            lo = fminl(lo, corner[i][k]);
            hi = fmaxl(hi, corner[i][k]);
        }
        assert_true(fabsl(point[k] - sum) <= 0x1p-26L * (hi - lo) + size * 0x1p-50L + 0x1p-1072L);
    }
}

static void check_numbers(const snag__distance *d, const double *const *a, int count_a, const double *const *b, int count_b)
{
    const snag__gap *gap = &d->gap;
    assert_true(gap->distance >= 0 && gap->distance <= DBL_MAX && gap->squared >= 0 && gap->squared <= DBL_MAX);
    const double one = 1, *weight_a = count_a == 1 ? &one : gap->weight;
    const double *weight_b = count_a == 1 ? gap->weight : gap->weight + 2;
    check_weights(weight_a, count_a, d->feature_a);
    check_weights(weight_b, count_b, d->feature_b);
    check_point(gap->point_a, a, weight_a, count_a);
    check_point(gap->point_b, b, weight_b, count_b);
    if (gap->distance < 1e300) {
        long double length = 0;
        for (int k = 0; k < 3; k++)
            length = hypotl(length, gap->separation[k]);
        assert_true(fabsl(length - gap->distance) <= 0x1p-25L * gap->distance + 0x1p-1072L);
    }
    for (int k = 0; k < 3; k++) {
        assert_true(isfinite(gap->separation[k]) && !(gap->separation[k] == 0 && signbit(gap->separation[k])));
        long double size = 0;
        for (int i = 0; i < count_a; i++)
            size = fmaxl(size, fabsl((long double)a[i][k]));
        for (int i = 0; i < count_b; i++)
            size = fmaxl(size, fabsl((long double)b[i][k]));
        long double apart = (long double)gap->point_a[k] - gap->point_b[k];
        if (gap->distance < DBL_MAX)
            assert_true(fabsl(apart - gap->separation[k]) <= size * 0x1p-24L + 0x1p-1072L);
    }
    double normal[3];
    bool has_normal = snag__gap_normal(gap, normal);
    assert_true(has_normal == (gap->separation[0] != 0 || gap->separation[1] != 0 || gap->separation[2] != 0));
    if (has_normal)
        assert_true(fabs(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2] - 1) < 1e-14);
}

// The points that the weights name are the closest ones, as seen from the size of the elements.
static void check_closest(const snag__distance *d, const rational_distance *judge, const double *const *a, int count_a,
                          const double *const *b, int count_b)
{
    const double one = 1, *weight_a = count_a == 1 ? &one : d->gap.weight;
    const double *weight_b = count_a == 1 ? d->gap.weight : d->gap.weight + 2;
    double size = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 1; i < count_a; i++)
            size = fmax(size, fabs(a[i][k] - a[0][k]));
        for (int i = 1; i < count_b; i++)
            size = fmax(size, fabs(b[i][k] - b[0][k]));
    }
    // Weights that sum to 1 but for rounding also move the point towards or away from the other side.
    if (size > 1e-150 && size < 1e150 && d->gap.distance < 1e150) {
        double error = rational_weights_error(judge, a, weight_a, count_a, b, weight_b, count_b);
        assert_true(error <= 0x1p-25 * size + sqrt(d->gap.distance) * sqrt(size) * 0x1p-25);
    }
}

static snag_contact_kind kind_of(int corners_a, int corners_b)
{
    if (corners_a == 2 && corners_b == 2)
        return SNAG_EDGE_EDGE;
    int most = corners_a > corners_b ? corners_a : corners_b;
    return most == 1 ? SNAG_VERTEX_VERTEX : most == 2 ? SNAG_VERTEX_EDGE : SNAG_VERTEX_FACE;
}

static void check_judgement(const snag__distance *d, const rational_distance *judge, snag__random *random)
{
    assert_int_equal(bits_in(d->feature_a) + bits_in(d->feature_b), bits_in(judge->feature_a) + bits_in(judge->feature_b));
    if (judge->unique) {
        assert_int_equal(d->feature_a, judge->feature_a);
        assert_int_equal(d->feature_b, judge->feature_b);
    }
    assert_int_equal(d->kind, kind_of(bits_in(d->feature_a), bits_in(d->feature_b)));
    assert_int_equal(d->kind, d->features.kind);
    const double distance = d->gap.distance;
    assert_true((distance == 0) == (mpq_sgn(judge->squared) == 0));
    if (distance > 1e-290 && distance < DBL_MAX)
        assert_true(rational_relative_error(judge, distance) < 0x1p-26);
    const double limits[] = {0,
                             distance,
                             nextafter(distance, 0),
                             nextafter(distance, INFINITY) < INFINITY ? nextafter(distance, INFINITY) : 1,
                             distance * 0.999,
                             snag__random_unit(random) * 2};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        bool exact = false;
        assert_int_equal(snag__features_compare_with(&d->features, &d->gap, limits[i], &exact), rational_compare(judge, limits[i]));
        assert_int_equal(snag__features_within(&d->features, limits[i], &exact), rational_compare(judge, limits[i]) <= 0);
    }
}

// ---- vertex and triangle ----

static const int triangle_orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

static void check_same_gap(const snag__gap *a, const snag__gap *b)
{
    assert_memory_equal(&a->distance, &b->distance, sizeof a->distance);
    assert_memory_equal(&a->squared, &b->squared, sizeof a->squared);
    assert_memory_equal(a->separation, b->separation, sizeof a->separation);
    assert_memory_equal(a->point_a, b->point_a, sizeof a->point_a);
    assert_memory_equal(a->point_b, b->point_b, sizeof a->point_b);
}

static bool repeats(double x[4][3], int first)
{
    for (int i = first; i < 4; i++)
        for (int j = first; j < i; j++)
            if (x[i][0] == x[j][0] && x[i][1] == x[j][1] && x[i][2] == x[j][2])
                return true;
    return false;
}

static void check_triangle_orders(double x[4][3], const snag__distance *expected)
{
    for (int o = 1; o < 6; o++) {
        const int *order = triangle_orders[o];
        const double *const triangle[3] = {x[1 + order[0]], x[1 + order[1]], x[1 + order[2]]};
        snag__distance d;
        snag__vertex_triangle_distance(x[0], triangle, &d);
        check_same_gap(&d.gap, &expected->gap);
        assert_int_equal(d.kind, expected->kind);
        if (repeats(x, 1))  // which of two equal corners is named is open
            continue;
        for (int i = 0; i < 3; i++) {
            assert_true(d.gap.weight[i] == expected->gap.weight[order[i]]);
            assert_int_equal(d.feature_b >> i & 1, expected->feature_b >> order[i] & 1);
        }
    }
}

static size_t pairs_wanted(void)
{
    const char *wanted = getenv("SNAG_PAIRS");
    return wanted ? strtoull(wanted, NULL, 10) : 12800;
}

static uint64_t seed_wanted(uint64_t seed)
{
    const char *wanted = getenv("SNAG_SEED");
    return wanted ? seed + strtoull(wanted, NULL, 10) : seed;
}

static void vertex_triangle_agrees_with_rationals_in_every_order(void **state)
{
    (void)state;
    snag__random random = {seed_wanted(11)};
    rational_distance judge;
    rational_distance_init(&judge);
    size_t kinds[7] = {0}, exact = 0, total = 0;
    const size_t rounds = pairs_wanted();
    for (size_t round = 0; round < rounds; round++) {
        double x[4][3];
        make_scaled_points(&random, (int)(round % KIND_COUNT), x);
        const double *const vertex[1] = {x[0]}, *const triangle[3] = {x[1], x[2], x[3]};
        snag__distance d;
        snag__vertex_triangle_distance(x[0], triangle, &d);
        rational_vertex_triangle(x[0], triangle, &judge);
        check_judgement(&d, &judge, &random);
        check_numbers(&d, vertex, 1, triangle, 3);
        check_closest(&d, &judge, vertex, 1, triangle, 3);
        check_triangle_orders(x, &d);
        if (round % KIND_COUNT == 0 && !repeats(x, 0) && fabs(x[0][0]) > 1e-9 && fabs(x[0][0]) <= 1) {
            exact += d.gap.exact;
            total++;
            assert_true(d.gap.exact || rational_relative_error(&judge, d.gap.distance) < 1e-10);
        }
        kinds[d.kind]++;
    }
    rational_distance_clear(&judge);
    assert_true(kinds[SNAG_VERTEX_VERTEX] > 500 && kinds[SNAG_VERTEX_EDGE] > 500 && kinds[SNAG_VERTEX_FACE] > 300);
    assert_true(exact * 100 < total);  // plain input needs no integers
}

// ---- edge and edge ----

static void check_edge_orders(double x[4][3], const snag__distance *expected)
{
    for (int o = 1; o < 8; o++) {
        int flip_a = o & 1, flip_b = o >> 1 & 1, swap = o >> 2;
        const double *const a[2] = {x[flip_a], x[!flip_a]}, *const b[2] = {x[2 + flip_b], x[2 + !flip_b]};
        snag__distance d;
        snag__edge_edge_distance(swap ? b : a, swap ? a : b, &d);
        if (swap) {
            snag__gap turned = d.gap;
            memcpy(turned.point_a, d.gap.point_b, sizeof turned.point_a);
            memcpy(turned.point_b, d.gap.point_a, sizeof turned.point_b);
            for (int k = 0; k < 3; k++)
                turned.separation[k] = 0.0 - d.gap.separation[k];
            check_same_gap(&turned, &expected->gap);
        } else {
            check_same_gap(&d.gap, &expected->gap);
        }
        assert_int_equal(d.kind, expected->kind);
        if (repeats(x, 0))
            continue;
        for (int end = 0; end < 2; end++) {
            uint32_t feature_a = swap ? d.feature_b : d.feature_a, feature_b = swap ? d.feature_a : d.feature_b;
            assert_int_equal(feature_a >> end & 1, expected->feature_a >> (end ^ flip_a) & 1);
            assert_int_equal(feature_b >> end & 1, expected->feature_b >> (end ^ flip_b) & 1);
            assert_true(d.gap.weight[swap * 2 + end] == expected->gap.weight[end ^ flip_a]);
            assert_true(d.gap.weight[2 - swap * 2 + end] == expected->gap.weight[2 + (end ^ flip_b)]);
        }
    }
}

static void edge_edge_agrees_with_rationals_in_every_order(void **state)
{
    (void)state;
    snag__random random = {seed_wanted(12)};
    rational_distance judge;
    rational_distance_init(&judge);
    size_t kinds[7] = {0}, exact = 0, total = 0;
    const size_t rounds = pairs_wanted();
    for (size_t round = 0; round < rounds; round++) {
        double x[4][3];
        make_scaled_points(&random, (int)(round % KIND_COUNT), x);
        const double *const a[2] = {x[0], x[1]}, *const b[2] = {x[2], x[3]};
        snag__distance d;
        snag__edge_edge_distance(a, b, &d);
        rational_edge_edge(a, b, &judge);
        check_judgement(&d, &judge, &random);
        check_numbers(&d, a, 2, b, 2);
        check_closest(&d, &judge, a, 2, b, 2);
        check_edge_orders(x, &d);
        if (round % KIND_COUNT == 0 && !repeats(x, 0) && fabs(x[0][0]) > 1e-9 && fabs(x[0][0]) <= 1) {
            exact += d.gap.exact;
            total++;
        }
        kinds[d.kind]++;
    }
    rational_distance_clear(&judge);
    assert_true(kinds[SNAG_VERTEX_VERTEX] > 500 && kinds[SNAG_VERTEX_EDGE] > 500 && kinds[SNAG_EDGE_EDGE] > 500);
    assert_true(exact * 100 < total);
}

// ---- distances compared with each other ----

static void distances_are_compared_exactly(void **state)
{
    (void)state;
    snag__random random = {13};
    rational_distance judge_x, judge_y;
    rational_distance_init(&judge_x);
    rational_distance_init(&judge_y);
    size_t ties = 0, farther = 0;
    for (int round = 0; round < 3600; round++) {
        double x[4][3], y[4][3];
        make_scaled_points(&random, round % KIND_COUNT, x);
        make_scaled_points(&random, round % KIND_COUNT, y);
        if (round % 3 == 0)  // the same but for a mirror, or almost
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 3; k++)
                    y[i][k] = -x[i][k];
        if (round % 6 == 0)
            y[0][0] = nextafter(y[0][0], 0);
        const double *const triangle[3] = {x[1], x[2], x[3]}, *const a[2] = {y[0], y[1]}, *const b[2] = {y[2], y[3]};
        const double *const other[3] = {y[1], y[2], y[3]};
        snag__distance dx, dy;
        snag__vertex_triangle_distance(x[0], triangle, &dx);
        rational_vertex_triangle(x[0], triangle, &judge_x);
        if (round % 2) {
            snag__edge_edge_distance(a, b, &dy);
            rational_edge_edge(a, b, &judge_y);
        } else {
            snag__vertex_triangle_distance(y[0], other, &dy);
            rational_vertex_triangle(y[0], other, &judge_y);
        }
        int expected = mpq_cmp(judge_x.squared, judge_y.squared);
        expected = (expected > 0) - (expected < 0);
        assert_int_equal(snag__features_compare(&dx.features, &dx.gap, &dy.features, &dy.gap), expected);
        assert_int_equal(snag__features_compare(&dy.features, &dy.gap, &dx.features, &dx.gap), -expected);
        ties += expected == 0;
        if (snag__vertex_triangle_is_farther(x[0], triangle, dy.gap.distance)) {
            assert_true(expected > 0);
            farther++;
        }
        if (round % 2 && snag__edge_edge_is_farther(a, b, dx.gap.distance)) {
            assert_true(expected < 0 || dy.kind != SNAG_EDGE_EDGE);
            farther++;
        }
    }
    assert_true(ties > 50 && farther > 1000);
    rational_distance_clear(&judge_x);
    rational_distance_clear(&judge_y);
}

// What is clearly farther than something known is told so at every scale, without integers.
static void what_is_farther_is_told_at_every_scale(void **state)
{
    (void)state;
    static const int shifts[] = {0, 60, 300, 660, 1020, -60, -300, -660, -1000};
    snag__random random = {23};
    for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
        size_t clear = 0, told = 0;
        for (int round = 0; round < 2000; round++) {
            double x[4][3];
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 3; k++)
                    x[i][k] = ldexp(snag__random_range(&random, -1, 1), shifts[s]);
            const double *const triangle[3] = {x[1], x[2], x[3]}, *const a[2] = {x[0], x[1]}, *const b[2] = {x[2], x[3]};
            snag__distance d;
            snag__vertex_triangle_distance(x[0], triangle, &d);
            clear++, told += snag__vertex_triangle_is_farther(x[0], triangle, 0.99 * d.gap.distance);
            assert_false(snag__vertex_triangle_is_farther(x[0], triangle, d.gap.distance));
            snag__edge_edge_distance(a, b, &d);
            clear++, told += snag__edge_edge_is_farther(a, b, 0.99 * d.gap.distance);
            assert_true(d.kind != SNAG_EDGE_EDGE || !snag__edge_edge_is_farther(a, b, d.gap.distance));
        }
        assert_true((double)told > 0.99 * (double)clear);
    }
}

// ---- no sampled pair of points is closer ----

static void no_sampled_point_is_closer(void **state)
{
    (void)state;
    snag__random random = {14};
    for (int round = 0; round < 3000; round++) {
        double x[4][3];
        make_points(&random, round % 3, x);
        const double *const triangle[3] = {x[1], x[2], x[3]}, *const a[2] = {x[0], x[1]}, *const b[2] = {x[2], x[3]};
        snag__distance vt, ee;
        snag__vertex_triangle_distance(x[0], triangle, &vt);
        snag__edge_edge_distance(a, b, &ee);
        for (int sample = 0; sample < 30; sample++) {
            double s = snag__random_unit(&random), t = snag__random_unit(&random), vt2 = 0, ee2 = 0;
            double u = s + t > 1 ? 1 - s : s, v = s + t > 1 ? 1 - t : t;
            for (int k = 0; k < 3; k++) {
                double on = x[1][k] * (1 - u - v) + x[2][k] * u + x[3][k] * v - x[0][k];
                double between = x[0][k] * (1 - s) + x[1][k] * s - x[2][k] * (1 - t) - x[3][k] * t;
                vt2 += on * on;
                ee2 += between * between;
            }
            assert_true(vt.gap.distance <= sqrt(vt2) + 1e-14 && ee.gap.distance <= sqrt(ee2) + 1e-14);
        }
    }
}

// ---- named cases ----

static void crossing_parallel_edges_meet_at_their_ends(void **state)
{
    (void)state;
    const double a0[3] = {0, 0, 0}, a1[3] = {4, 0, 0}, b0[3] = {1, 3, 0}, b1[3] = {9, 3, 0};
    snag__distance d;
    snag__edge_edge_distance((const double *const[2]){a0, a1}, (const double *const[2]){b0, b1}, &d);
    assert_true(d.gap.distance == 3 && d.gap.squared == 9);
    assert_int_equal(d.kind, SNAG_VERTEX_EDGE);
    // b's end over a comes before a's end over b, since a comes first: ends of the first edge are tried first.
    assert_int_equal(d.feature_a, 2);
    assert_int_equal(d.feature_b, 3);
    assert_true(d.gap.weight[2] == 0.625 && d.gap.weight[3] == 0.375);
    assert_true(d.gap.separation[0] == 0 && d.gap.separation[1] == -3 && d.gap.separation[2] == 0);
}

static void a_point_is_an_edge_and_a_triangle_too(void **state)
{
    (void)state;
    const double p[3] = {1, 2, 3}, q[3] = {1, 2, 5};
    snag__distance d;
    snag__vertex_triangle_distance(p, (const double *const[3]){q, q, q}, &d);
    assert_true(d.gap.distance == 2 && d.kind == SNAG_VERTEX_VERTEX);
    snag__edge_edge_distance((const double *const[2]){p, p}, (const double *const[2]){q, q}, &d);
    assert_true(d.gap.distance == 2 && d.kind == SNAG_VERTEX_VERTEX);
    snag__edge_edge_distance((const double *const[2]){p, p}, (const double *const[2]){p, p}, &d);
    assert_true(d.gap.distance == 0 && d.kind == SNAG_VERTEX_VERTEX);
    double normal[3];
    assert_false(snag__gap_normal(&d.gap, normal));
    assert_true(normal[0] == 0 && normal[1] == 0 && normal[2] == 0);
}

static void touching_has_distance_zero(void **state)
{
    (void)state;
    const double a[3] = {0.1, 0.2, 0.3}, b[3] = {0.7, 0.2, 0.3}, c[3] = {0.1, 0.9, 0.3}, p[3] = {0.25, 0.31, 0.3};
    snag__distance d;
    snag__vertex_triangle_distance(p, (const double *const[3]){a, b, c}, &d);
    assert_true(d.gap.distance == 0 && d.kind == SNAG_VERTEX_FACE && d.gap.exact);
}

static void a_vertex_over_an_edge_is_a_vertex_edge_contact(void **state)
{
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {4, 0, 0}, c[3] = {0, 4, 0}, p[3] = {1, 0, 2};
    snag__distance d;
    snag__vertex_triangle_distance(p, (const double *const[3]){a, b, c}, &d);
    assert_true(d.gap.distance == 2 && d.kind == SNAG_VERTEX_EDGE && d.feature_b == 3);
    assert_true(d.gap.weight[0] == 0.75 && d.gap.weight[1] == 0.25 && d.gap.weight[2] == 0);
    assert_true(d.gap.separation[2] == 2 && d.gap.point_b[0] == 1);
}

static void the_unit_cross_is_accurate_for_needles(void **state)
{
    (void)state;
    snag__random random = {15};
    for (int round = 0; round < 4000; round++) {
        double x[4][3], n[3], m[3];
        make_scaled_points(&random, round % KIND_COUNT, x);
        bool some = snag__unit_cross(x[0], x[1], x[2], x[3], n);
        assert_true(some == snag__unit_cross(x[2], x[3], x[0], x[1], m));
        double length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        assert_true(some ? fabs(length - 1) < 1e-14 : length == 0);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(n[k] + m[k]) < 1e-8);
    }
    const double o[3] = {0, 0, 0}, e[3] = {1, 1, 0}, f[3] = {1, 1, 1e-200};
    double n[3];
    assert_true(snag__unit_cross(o, e, o, f, n));
    assert_true(fabs(n[0] - sqrt(0.5)) < 1e-15 && fabs(n[1] + sqrt(0.5)) < 1e-15 && n[2] == 0);
}

// ---- batches ----

enum { BATCH = 1003 };

// What a kernel says it knows is true, and what it dropped is farther (or, of edges, closest at an end).
static void check_known(const double (*x)[3], double d, const uint32_t *near, const uint8_t *known, size_t count, bool edges,
                        size_t *sure)
{
    size_t at = 0;
    for (uint32_t i = 0; i < BATCH; i++) {
        const double(*four)[3] = x + 4 * (size_t)i;
        const double *const triangle[3] = {four[1], four[2], four[3]}, *const a[2] = {four[0], four[1]},
                            *const b[2] = {four[2], four[3]};
        snag__distance one;
        bool within = edges ? snag__edge_edge_within(a, b, d, &one) && one.kind == SNAG_EDGE_EDGE
                            : snag__vertex_triangle_within(four[0], triangle, d, &one);
        if (at < count && near[at] == i) {
            if (known[at])
                assert_true(within && known[at] == (edges ? 1 : one.feature_b));
            *sure += known[at] != 0;
            at++;
        } else {
            assert_false(within);
        }
    }
    assert_int_equal(at, count);
}

static void batches_keep_what_is_near_for_every_instruction_set(void **state)
{
    (void)state;
    snag__random random = {16};
    static double x[4 * BATCH][3];
    static uint32_t triangles[BATCH][3], edges[2 * BATCH][2], near[BATCH], scalar_near[4][BATCH];
    static uint8_t known[BATCH], scalar_known[4][BATCH];
    static uint32_t vertex_pairs[BATCH][2], edge_pairs[BATCH][2];
    static snag__distance out[BATCH];
    for (uint32_t i = 0; i < 2 * BATCH; i++) {
        edges[i][0] = 2 * i;
        edges[i][1] = 2 * i + 1;
    }
    size_t kept = 0, sieved = 0, all = 0, sure = 0;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < BATCH; i++) {
            (i % 2 && kind > 8 ? make_scaled_points : make_points)(&random, kind, x + 4 * (size_t)i);
            vertex_pairs[i][0] = i;
            vertex_pairs[i][1] = 4 * i;
            edge_pairs[i][0] = 2 * i;
            edge_pairs[i][1] = 2 * i + 1;
            for (uint32_t c = 0; c < 3; c++)
                triangles[i][c] = 4 * i + 1 + c;
        }
        const double(*positions)[3] = (const double(*)[3])x;
        const double scale = kind == 5 ? 1e-300 : kind == 6 ? 1e300 : kind == 7 ? 0x1p-1074 : 1;
        const double limits[] = {0, 0.3 * scale, 1 * scale, scale * 1e-8, 1e-300};
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            const double d = limits[l];
            const uint32_t(*ends)[2] = (const uint32_t(*)[2])edges;
            const snag__vertex_triangles vt = {positions, positions, (const uint32_t(*)[3])triangles,
                                               (const uint32_t(*)[2])vertex_pairs, BATCH};
            const snag__edge_edges ee = {positions, positions, ends, ends, (const uint32_t(*)[2])edge_pairs, BATCH};
            size_t scalar_count[4] = {0};
            for (size_t isa = 0; isa < ISA_COUNT; isa++) {
                if (!snag__isa_available(all_isas[isa]))
                    continue;
                const snag__distance_kernels *table = snag__distance_kernels_for(all_isas[isa]);
                for (int which = 0; which < 4; which++) {
                    memset(known, 0, sizeof known);
                    size_t count = which == 0   ? table->vertex_triangles_near(&vt, d, near)
                                   : which == 1 ? table->edge_edges_near(&ee, d, near)
                                   : which == 2 ? table->vertex_triangles_seen(&vt, d, near, known, NULL)
                                                : table->edge_edges_crossing(&ee, d, near, known);
                    if (all_isas[isa] == SNAG_ISA_SCALAR) {
                        scalar_count[which] = count;
                        memcpy(scalar_near[which], near, count * sizeof *near);
                        memcpy(scalar_known[which], known, count);
                    }
                    assert_int_equal(count, scalar_count[which]);
                    assert_memory_equal(near, scalar_near[which], count * sizeof *near);
                    assert_memory_equal(known, scalar_known[which], count);
                }
            }
            check_known(positions, d, scalar_near[2], scalar_known[2], scalar_count[2], false, &sure);
            check_known(positions, d, scalar_near[3], scalar_known[3], scalar_count[3], true, &sure);
            for (int which = 0; which < 2; which++) {
                const snag__distance_kernels *table = snag__distance_kernels_for(snag__isa_best());
                size_t count = which ? snag__edge_edges_within(table, &ee, d, near, out)
                                     : snag__vertex_triangles_within(table, &vt, d, near, out);
                size_t at = 0;
                for (uint32_t i = 0; i < BATCH; i++) {
                    snag__distance one;
                    const double(*four)[3] = positions + 4 * (size_t)i;
                    const double *const triangle[3] = {four[1], four[2], four[3]};
                    bool within = which ? snag__edge_edge_within((const double *const[2]){four[0], four[1]},
                                                                 (const double *const[2]){four[2], four[3]}, d, &one)
                                        : snag__vertex_triangle_within(four[0], triangle, d, &one);
                    if (within) {
                        assert_true(at < count && near[at] == i);
                        assert_int_equal(out[at].kind, one.kind);
                        check_same_gap(&out[at].gap, &one.gap);
                        assert_memory_equal(out[at].gap.weight, one.gap.weight, sizeof one.gap.weight);
                        at++;
                    }
                }
                assert_int_equal(at, count);
                if (kind == 0 && l < 3) {
                    kept += count;
                    sieved += scalar_count[which];
                    all += BATCH;
                }
            }
        }
    }
    assert_true(sure > 2000);
    // The sieve leaves hardly anything that is not near.
    assert_true(sieved <= kept + kept / 1000 + 1 && kept < all);
}

// Distances that leave the range of doubles are still less than infinite.
static void nothing_is_farther_than_infinity(void **state)
{
    (void)state;
    const double far[2][3] = {{-1.7e308, -1.7e308, 0}, {1.7e308, 1.7e308, 0}}, tiny[2][3] = {{0, 0, 0}, {4.9e-324, 0, 0}};
    for (int i = 0; i < 2; i++) {
        const double(*x)[3] = i == 0 ? far : tiny;
        const double *corners[3] = {x[1], x[1], x[1]};
        snag__distance d;
        bool exact = false;
        snag__vertex_triangle_distance(x[0], corners, &d);
        assert_int_equal(snag__features_compare_with(&d.features, &d.gap, INFINITY, &exact), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_triangle_agrees_with_rationals_in_every_order),
        cmocka_unit_test(edge_edge_agrees_with_rationals_in_every_order),
        cmocka_unit_test(distances_are_compared_exactly),
        cmocka_unit_test(nothing_is_farther_than_infinity),
        cmocka_unit_test(what_is_farther_is_told_at_every_scale),
        cmocka_unit_test(no_sampled_point_is_closer),
        cmocka_unit_test(crossing_parallel_edges_meet_at_their_ends),
        cmocka_unit_test(a_point_is_an_edge_and_a_triangle_too),
        cmocka_unit_test(touching_has_distance_zero),
        cmocka_unit_test(a_vertex_over_an_edge_is_a_vertex_edge_contact),
        cmocka_unit_test(the_unit_cross_is_accurate_for_needles),
        cmocka_unit_test(batches_keep_what_is_near_for_every_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
