// Impacts with a separation: when the distance of the two sides first falls to it.
//
// Along a fixed direction n the distance of two points that move on straight paths is linear in time. So if n keeps all points of a
// farther than the separation from all points of b at both ends of an interval, it does so throughout, and the interval is free. A
// good n is the line between the closest points at some time of the interval. Intervals that no n frees are halved, from the left,
// until the points move by less than the tolerance: the first such interval is the answer. A free interval of a near miss needs a
// width proportional to the square root of the remaining gap, so intervals are few; steps by a bound on speed (conservative
// advancement) would creep along a slide.
#include "geom/impact_inside.h"

#include "base/assert.h"
#include "base/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Intervals tested before the answer is "unresolved". Real motions need some 40.
#define INTERVALS_MAX 4096
// Narrower intervals are not halved.
#define NARROWEST 0x1p-50
// The most that rounding adds to a distance along a unit direction, where the largest coordinate is below 1: 35 roundings of 1, as
// counted in docs/design/impacts.md.
#define ROUNDING 0x1p-47
// A shorter line between closest points is no direction: products with it may underflow.
#define SHORTEST 0x1p-400
#define SMALLEST_TOLERANCE 0x1p-40
// A line between closest points along which the sides are apart by this much less than its length is askew: well above the rounding
// of a length, well below the smallest tolerance.
#define ASKEW 0x1p-44
// Points are at most 2 sqrt(3) apart in relative coordinates: a larger separation is met from the start.
#define SEPARATION_MAX 4

void snag__relative_of(const snag__motion *motion, snag__relative *relative)
{
    double largest = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fmax(fabs(motion->t0[i][k]), fabs(motion->t1[i][k])));
    // Differences of the largest doubles overflow; those of 2^-100 of them do not.
    int shift = largest > 0x1p1000 ? 100 : 0;
    double unit = shift ? 0x1p-100 : 1, size = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            relative->t0[i][k] = motion->t0[i + 1][k] * unit - motion->t0[0][k] * unit;
            relative->t1[i][k] = motion->t1[i + 1][k] * unit - motion->t1[0][k] * unit;
            size = fmax(size, fmax(fabs(relative->t0[i][k]), fabs(relative->t1[i][k])));
        }
    int exponent = 0;
    if (size > 0)
        frexp(size, &exponent);
    relative->pair = motion->pair;
    relative->exponent = exponent + shift;
    relative->lost = shift ? ldexp(1, -1070 - exponent) : 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            relative->t0[i][k] = ldexp(relative->t0[i][k], -exponent);
            relative->t1[i][k] = ldexp(relative->t1[i][k], -exponent);
        }
}

// ---- closest points at one time ----

// The points relative to point 0, which comes first as zero.
static void points_at(const snag__relative *relative, double t, double x[4][3])
{
    memset(x[0], 0, sizeof x[0]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            x[i + 1][k] = relative->t0[i][k] + t * (relative->t1[i][k] - relative->t0[i][k]);
}

typedef struct closest {
    double weight[4];
    double apart[3];
    double squared;
} closest;

static void keep_closer(closest *best, const double x[4][3], snag__impact_pair pair, const double weight[4])
{
    double apart[3];
    for (int k = 0; k < 3; k++) {
        if (pair == SNAG__IMPACT_EDGE_EDGE)
            apart[k] = weight[0] * x[0][k] + weight[1] * x[1][k] - (weight[2] * x[2][k] + weight[3] * x[3][k]);
        else
            apart[k] = x[0][k] - (weight[0] * x[1][k] + weight[1] * x[2][k] + weight[2] * x[3][k]);
    }
    double squared = snag__vec3_dot(apart, apart);
    if (squared < best->squared) {
        memcpy(best->weight, weight, sizeof best->weight);
        memcpy(best->apart, apart, sizeof best->apart);
        best->squared = squared;
    }
}

static double clamped(double x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

// The parameter, in 0..1, of the point of the segment closest to p.
static double foot(const double p[3], const double from[3], const double to[3])
{
    double along[3], there[3];
    snag__vec3_subtract(to, from, along);
    snag__vec3_subtract(p, from, there);
    double length = snag__vec3_dot(along, along);
    return length > 0 ? clamped(snag__vec3_dot(there, along) / length) : 0;
}

static void closest_vertex_face(const double x[4][3], closest *best)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double weight[4] = {0}, s = foot(x[0], x[i + 1], x[j + 1]);
        weight[i] = 1 - s;
        weight[j] = s;
        keep_closer(best, x, SNAG__IMPACT_VERTEX_FACE, weight);
    }
    double a[3], b[3], c[3], n[3], cb[3], ac[3];
    snag__vec3_subtract(x[2], x[1], a);
    snag__vec3_subtract(x[3], x[1], b);
    snag__vec3_subtract(x[0], x[1], c);
    snag__vec3_cross(a, b, n);
    snag__vec3_cross(c, b, cb);
    snag__vec3_cross(a, c, ac);
    double whole = snag__vec3_dot(n, n), u = snag__vec3_dot(cb, n), v = snag__vec3_dot(ac, n);
    if (whole > 0 && u >= 0 && v >= 0 && u + v <= whole) {
        u = clamped(u / whole);
        v = fmin(clamped(v / whole), 1 - u);
        keep_closer(best, x, SNAG__IMPACT_VERTEX_FACE, (double[4]){1 - u - v > 0 ? 1 - u - v : 0, u, v, 0});
    }
}

static void closest_edge_edge(const double x[4][3], closest *best)
{
    for (int i = 0; i < 4; i++) {
        const double *from = i < 2 ? x[2] : x[0], *to = i < 2 ? x[3] : x[1];
        double s = foot(x[i], from, to);
        double weight[4] = {0};
        weight[i] = 1;
        weight[i < 2 ? 2 : 0] = 1 - s;
        weight[i < 2 ? 3 : 1] = s;
        keep_closer(best, x, SNAG__IMPACT_EDGE_EDGE, weight);
    }
    double a[3], b[3], c[3], n[3], cb[3], ca[3];
    snag__vec3_subtract(x[1], x[0], a);
    snag__vec3_subtract(x[3], x[2], b);
    snag__vec3_subtract(x[2], x[0], c);
    snag__vec3_cross(a, b, n);
    snag__vec3_cross(c, b, cb);
    snag__vec3_cross(c, a, ca);
    double whole = snag__vec3_dot(n, n), u = snag__vec3_dot(cb, n), v = snag__vec3_dot(ca, n);
    if (whole > 0 && u >= 0 && v >= 0 && u <= whole && v <= whole) {
        u = clamped(u / whole);
        v = clamped(v / whole);
        keep_closer(best, x, SNAG__IMPACT_EDGE_EDGE, (double[4]){1 - u, u, 1 - v, v});
    }
}

void snag__relative_closest(const snag__relative *relative, double t, double weight[4], double apart[3])
{
    double x[4][3];
    closest best = {.squared = DBL_MAX};
    points_at(relative, t, x);
    if (relative->pair == SNAG__IMPACT_EDGE_EDGE)
        closest_edge_edge(x, &best);
    else
        closest_vertex_face(x, &best);
    memcpy(weight, best.weight, sizeof best.weight);
    memcpy(apart, best.apart, sizeof best.apart);
}

// ---- intervals of time ----

// The gap of the sides along n at a time: the least of n (a - b) over all points of a and b.
static double apart_along(const snag__relative *relative, double t, const double n[3])
{
    double x[4][3], at[4];
    points_at(relative, t, x);
    for (int i = 0; i < 4; i++)
        at[i] = snag__vec3_dot(x[i], n);
    if (relative->pair == SNAG__IMPACT_EDGE_EDGE)
        return fmin(at[0], at[1]) - fmax(at[2], at[3]);
    return at[0] - fmax(at[1], fmax(at[2], at[3]));
}

// The gap along n / |n|; negative if n is no direction.
static double gap_along(const snag__relative *relative, double t, const double n[3])
{
    double length = snag__vec3_length(n);
    return length > SHORTEST ? apart_along(relative, t, n) / length : -1;
}

static void make_perpendicular(const double edge[3], double n[3])
{
    double length = snag__vec3_dot(edge, edge), along = length > 0 ? snag__vec3_dot(n, edge) / length : 0;
    for (int k = 0; k < 3; k++)
        n[k] -= along * edge[k];
}

// Makes n perpendicular to both edges, up to rounding: the second pass removes the rounding error of the first.
static void make_square(const double a[3], const double b[3], double n[3])
{
    double across[3];
    memcpy(across, b, sizeof across);
    for (int pass = 0; pass < 2; pass++)
        make_perpendicular(a, across);
    for (int pass = 0; pass < 2; pass++) {
        make_perpendicular(a, n);
        make_perpendicular(across, n);
    }
}

static int edges_at(const snag__relative *relative, double t, double edges[3][3])
{
    double x[4][3];
    points_at(relative, t, x);
    if (relative->pair == SNAG__IMPACT_EDGE_EDGE) {
        snag__vec3_subtract(x[1], x[0], edges[0]);
        snag__vec3_subtract(x[3], x[2], edges[1]);
        return 2;
    }
    for (int i = 0; i < 3; i++)
        snag__vec3_subtract(x[1 + (i + 1) % 3], x[1 + i], edges[i]);
    return 3;
}

// The direction from b to a of the largest gap at time t: the line between the closest points. Where the sides are long compared with
// their distance, that line is a small difference of large numbers and slightly askew, and the far end of a side seems too near. Then
// we try to make it perpendicular to each pair of edges.
static void direction_at(const snag__relative *relative, double t, double n[3])
{
    double weight[4], edges[3][3], line[3];
    snag__relative_closest(relative, t, weight, line);
    memcpy(n, line, sizeof line);
    double best = gap_along(relative, t, n);
    if (best >= snag__vec3_length(line) - ASKEW)
        return;
    int count = edges_at(relative, t, edges);
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++) {
            double square[3];
            memcpy(square, line, sizeof square);
            make_square(edges[i], edges[j], square);
            double gap = gap_along(relative, t, square);
            if (gap > best) {
                best = gap;
                memcpy(n, square, sizeof square);
            }
        }
}

// Whether the direction between the sides at time t keeps them apart throughout the interval.
static bool frees(const snag__relative *relative, double t, double from, double to, double separation)
{
    double n[3];
    direction_at(relative, t, n);
    double length = snag__vec3_length(n), least = (separation * (1 + 0x1p-50) + ROUNDING) * length;
    if (!(length > SHORTEST))
        return false;
    return apart_along(relative, from, n) > least && apart_along(relative, to, n) > least;
}

static bool is_free(const snag__relative *relative, double from, double to, double separation)
{
    return frees(relative, from, from, to, separation) || frees(relative, to, from, to, separation) ||
           frees(relative, (from + to) / 2, from, to, separation);
}

// The largest relative speed of a point of a and one of b.
static double greatest_speed(const snag__relative *relative)
{
    double velocity[4][3] = {{0}}, greatest = 0;
    for (int i = 0; i < 3; i++)
        snag__vec3_subtract(relative->t1[i], relative->t0[i], velocity[i + 1]);
    int a_count = relative->pair == SNAG__IMPACT_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < a_count; i++)
        for (int j = a_count; j < 4; j++) {
            double between[3];
            snag__vec3_subtract(velocity[i], velocity[j], between);
            greatest = fmax(greatest, snag__vec3_length(between));
        }
    return greatest;
}

snag__impact snag__impact_gap(const snag__motion *motion, double separation, double tolerance)
{
    SNAG__ASSERT(separation > 0 && tolerance >= 0);
    snag__relative relative;
    snag__relative_of(motion, &relative);
    separation = fmin(ldexp(separation, -relative.exponent) + 8 * relative.lost, SEPARATION_MAX);
    tolerance = fmin(fmax(ldexp(tolerance, -relative.exponent), SMALLEST_TOLERANCE), SEPARATION_MAX);
    double speed = greatest_speed(&relative), t = 0, width = 1;
    for (int i = 0; i < INTERVALS_MAX; i++) {
        if (is_free(&relative, t, t + width, separation)) {
            t += width;
            if (t >= 1)
                return (snag__impact){.verdict = SNAG__IMPACT_FREE, .t = 1};
            // Doubles the width as long as t is a multiple of it.
            while (fmod(t, 2 * width) == 0 && t + 2 * width <= 1)
                width *= 2;
        } else if (width * speed <= tolerance || width <= NARROWEST || !frees(&relative, t, t, t, separation)) {
            return (snag__impact){.verdict = SNAG__IMPACT_MEETS, .t = t};
        } else {
            width /= 2;
        }
    }
    return (snag__impact){.verdict = SNAG__IMPACT_UNRESOLVED, .t = t};
}
