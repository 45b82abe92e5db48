// Any bytes as a motion of a vertex and a triangle or of two edges. What must hold for every motion is checked: one
// answer for all orders of the vertices and sides and for all instruction sets, a filter that rejects no pair that
// meets, a time in 0..1, a gap of at most the tolerance there and none smaller before, and details without NaN.
#include "../test/helpers/sampled_distance.h"
#include "geom/impact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fails: %s\n", what);
        abort();
    }
}

// ---- bytes to numbers ----

typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static uint64_t take(bytes *b, size_t count)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count && b->size > 0; i++, b->data++, b->size--)
        value |= (uint64_t)*b->data << 8 * i;
    return value;
}

// How numbers are made of bytes: small integers, fractions, numbers from 2^-80 to 2^80. Wider ranges, whose integers
// are slow under sanitizers, are left to test_impact.c.
enum { INTEGERS, FRACTIONS, MAGNITUDES, STYLES };

static double take_number(bytes *b, unsigned style)
{
    if (style == INTEGERS)
        return (double)(take(b, 1) % 9) - 4;
    double value = (double)(int16_t)take(b, 2);
    return style == FRACTIONS ? value / 256 : ldexp(value, (int8_t)take(b, 1) / 2);
}

// ---- what must hold ----

static snag__motion in_order(const snag__motion *m, int order)
{
    static const int vertex_face[6][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}};
    static const int edge_edge[6][4] = {{1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 0, 1}, {3, 2, 1, 0}};
    const int *place = m->pair == SNAG__IMPACT_EDGE_EDGE ? edge_edge[order] : vertex_face[order];
    snag__motion other = {.pair = m->pair};
    for (int i = 0; i < 4; i++) {
        memcpy(other.t0[i], m->t0[place[i]], sizeof other.t0[i]);
        memcpy(other.t1[i], m->t1[place[i]], sizeof other.t1[i]);
    }
    return other;
}

static void check_orders(const snag__motion *m, double separation, double tolerance, snag__impact impact)
{
    for (int order = 0; order < 6; order++) {
        snag__motion other = in_order(m, order);
        snag__impact again = snag__impact_find(&other, separation, tolerance);
        must(again.verdict == impact.verdict && again.t == impact.t, "the same in every order");
    }
}

static void check_filter(const snag__motion *m, double separation, double tolerance, snag__impact impact)
{
    static const uint32_t pair[1][2] = {{0, 0}}, edges[2][2] = {{0, 1}, {2, 3}}, triangle[3] = {1, 2, 3};
    bool is_edges = m->pair == SNAG__IMPACT_EDGE_EDGE;
    snag__impact_run run = {.pair = m->pair, .pairs = pair, .reach = separation > 0 ? separation + tolerance : 0};
    run.a = (snag__impact_side){m->t0, m->t1, edges[0]};
    run.b = (snag__impact_side){m->t0, m->t1, is_edges ? edges[1] : triangle};
    uint32_t open[1];
    size_t scalar = snag__impact_kernels_for(SNAG_ISA_SCALAR)->filter(&run, 0, 1, open);
    must(scalar == 1 || impact.verdict != SNAG__IMPACT_MEETS, "the filter rejects no pair that meets");
    if (separation == 0)
        must(scalar == 1 || impact.verdict == SNAG__IMPACT_FREE, "without a separation the filter rejects only free pairs");
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
        if (snag__isa_available((snag_isa)isa))
            must(snag__impact_kernels_for((snag_isa)isa)->filter(&run, 0, 1, open) == scalar, "the same filter everywhere");
}

static void check_details(const snag__motion *m, double t)
{
    snag__impact_details details;
    snag__impact_describe(m, t, &details);
    double length = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
        must(isfinite(details.point_a[k]) && isfinite(details.point_b[k]), "points are finite");
        length += details.normal[k] * details.normal[k];
    }
    must(length == 0 || fabs(length - 1) < 1e-14, "the normal has length 1 or 0");
    for (int i = 0; i < 4; i++) {
        must(details.weight[i] >= 0 && details.weight[i] <= 1, "weights are in 0..1");
        sum += details.weight[i];
    }
    must(fabs(sum - (m->pair == SNAG__IMPACT_EDGE_EDGE ? 2 : 1)) < 1e-14, "weights add up");
}

// For coordinates of ordinary size, where long double shows distances.
static void check_gap(const snag__motion *m, double separation, double tolerance, snag__impact impact)
{
    const double noise = 1e-9;
    if (impact.verdict == SNAG__IMPACT_MEETS)
        must((double)sampled_distance(m, impact.t) <= separation + tolerance + noise, "the gap is within the tolerance");
    for (int i = 0; i < 4 && impact.t > 0; i++)
        must((double)sampled_distance(m, (long double)impact.t * i / 4) >= separation - noise, "no gap before is smaller");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    unsigned head = (unsigned)take(&b, 1), style = (head >> 4) % STYLES;
    snag__motion m = {.pair = head & 1 ? SNAG__IMPACT_EDGE_EDGE : SNAG__IMPACT_VERTEX_FACE};
    double separation = head & 2 ? fabs(take_number(&b, style)) / 64 : 0;
    double tolerance = fabs(take_number(&b, style)) / 4096;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            m.t0[i][k] = take_number(&b, style);
            m.t1[i][k] = head & 4 ? m.t0[i][k] : take_number(&b, style);
        }
    snag__impact impact = snag__impact_find(&m, separation, tolerance);
    must(impact.t >= 0 && impact.t <= 1, "the time is in 0..1");
    must(impact.verdict != SNAG__IMPACT_FREE || impact.t == 1, "free is free to the end");
    check_orders(&m, separation, tolerance, impact);
    check_filter(&m, separation, tolerance, impact);
    check_details(&m, impact.t);
    if (style <= FRACTIONS) {
        must(impact.verdict != SNAG__IMPACT_UNRESOLVED, "ordinary motions are resolved");
        check_gap(&m, separation, tolerance, impact);
    }
    return 0;
}
