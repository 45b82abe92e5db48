// Any four points as vertex and triangle and as two edges: what must hold of every distance, in every order.
#include "geom/box.h"
#include "geom/distance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                                                            \
    if (!(condition))                                                                                                              \
    abort()

// The first byte says how the rest is read: as doubles, as floats, as bytes on a small grid (where ties are common), or
// as bytes on a grid with a scale.
static bool read_points(const uint8_t *data, size_t size, double x[4][3], double *d)
{
    double value[13];
    if (size < 1 + 13 * sizeof(double))
        return false;
    for (int i = 0; i < 13; i++) {
        float narrow;
        memcpy(&value[i], data + 1 + (size_t)i * sizeof(double), sizeof(double));
        memcpy(&narrow, data + 1 + (size_t)i * sizeof(double), sizeof narrow);
        int8_t small = (int8_t)data[1 + (size_t)i * sizeof(double)];
        switch (data[0] % 4) {
        case 1: value[i] = narrow; break;
        case 2: value[i] = small % 4; break;
        case 3: value[i] = ldexp(small, data[0] * 4 - 512); break;
        default: break;
        }
        if (!isfinite(value[i]))
            return false;
    }
    memcpy(x, value, 12 * sizeof(double));
    *d = fabs(value[12]);
    return true;
}

static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static void must_be_same(const snag__gap *a, const snag__gap *b)
{
    MUST(same_bits(&a->distance, &b->distance, sizeof a->distance));
    MUST(same_bits(&a->squared, &b->squared, sizeof a->squared));
    MUST(same_bits(a->separation, b->separation, sizeof a->separation));
    MUST(same_bits(a->point_a, b->point_a, sizeof a->point_a));
    MUST(same_bits(a->point_b, b->point_b, sizeof a->point_b));
}

// `sides`: how many sides have weights.
static void must_be_sound(const snag__distance *result, int sides, double d, bool within)
{
    const snag__gap *gap = &result->gap;
    MUST(gap->distance >= 0 && gap->distance <= DBL_MAX && gap->squared >= 0 && gap->squared <= DBL_MAX);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        MUST(gap->weight[i] >= 0 && gap->weight[i] <= 1);
        sum += gap->weight[i];
    }
    MUST(fabs(sum - sides) < 1e-15);
    for (int k = 0; k < 3; k++)
        MUST(isfinite(gap->separation[k]) && isfinite(gap->point_a[k]) && isfinite(gap->point_b[k]));
    bool exact = false;
    MUST(within == snag__features_within(&result->features, d, &exact));
    MUST(!within || gap->distance == 0 || gap->distance * (1 - 0x1p-25) <= d || gap->distance < DBL_MIN);
    MUST(snag__features_compare(&result->features, gap, &result->features, gap) == 0);
    double normal[3];
    if (snag__gap_normal(gap, normal))
        MUST(fabs(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2] - 1) < 1e-14);
}

// Some points of both sides are no closer than the distance.
static void must_be_least(const snag__gap *gap, double x[4][3], bool edges)
{
    long double size = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            size = fmaxl(size, fabsl((long double)x[i][k]));
    for (int sample = 0; sample < 16; sample++) {
        long double s = (sample & 3) / 3.0L, t = (long double)(sample >> 2) / 3.0L, length = 0;
        for (int k = 0; k < 3; k++) {
            long double a = edges ? x[0][k] * (1 - s) + x[1][k] * s : x[0][k];
            long double b = edges ? x[2][k] * (1 - t) + x[3][k] * t : x[1][k] * (1 - s) + (x[2][k] * (1 - t) + x[3][k] * t) * s;
            length = hypotl(length, a - b);
        }
        MUST(gap->distance <= length * (1 + 0x1p-25L) + size * 0x1p-50L + 0x1p-1070L || gap->distance == DBL_MAX);
    }
}

static void vertex_triangle(double x[4][3], double d)
{
    static const int orders[6][3] = {{1, 2, 3}, {2, 3, 1}, {3, 1, 2}, {1, 3, 2}, {3, 2, 1}, {2, 1, 3}};
    snag__distance first;
    for (int o = 0; o < 6; o++) {
        const double *const triangle[3] = {x[orders[o][0]], x[orders[o][1]], x[orders[o][2]]};
        snag__distance result;
        bool within = snag__vertex_triangle_within(x[0], triangle, d, &result);
        must_be_sound(&result, 1, d, within);
        if (o == 0)
            first = result;
        must_be_same(&result.gap, &first.gap);
        MUST(result.kind == first.kind);
    }
    must_be_least(&first.gap, x, false);
}

static void edge_edge(double x[4][3], double d)
{
    snag__distance first;
    for (int o = 0; o < 8; o++) {
        const double *const a[2] = {x[o & 1], x[!(o & 1)]}, *const b[2] = {x[2 + (o >> 1 & 1)], x[3 - (o >> 1 & 1)]};
        snag__distance result;
        bool swap = o >> 2, within = snag__edge_edge_within(swap ? b : a, swap ? a : b, d, &result);
        must_be_sound(&result, 2, d, within);
        if (swap) {
            snag__gap turned = result.gap;
            memcpy(turned.point_a, result.gap.point_b, sizeof turned.point_a);
            memcpy(turned.point_b, result.gap.point_a, sizeof turned.point_b);
            for (int k = 0; k < 3; k++)
                turned.separation[k] = 0.0 - result.gap.separation[k];
            result.gap = turned;
        }
        if (o == 0)
            first = result;
        must_be_same(&result.gap, &first.gap);
        MUST(result.kind == first.kind);
    }
    must_be_least(&first.gap, x, true);
}

// The largest float that is not above x.
static float float_below(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

// What is within d passes the sieves and the boxes of every instruction set.
static void sieves(double x[4][3], double d)
{
    static const uint32_t triangle[1][3] = {{1, 2, 3}}, edges[2][2] = {{0, 1}, {2, 3}}, pair[2][2] = {{0, 0}, {0, 1}};
    const double(*positions)[3] = (const double(*)[3])x;
    const snag__vertex_triangles vt = {positions, positions, triangle, pair, 1};
    const snag__edge_edges ee = {positions, positions, edges, edges, pair + 1, 1};
    const double *const corner[3] = {x[1], x[2], x[3]}, *const a[2] = {x[0], x[1]}, *const b[2] = {x[2], x[3]};
    snag__distance of_vt, of_ee;
    bool near_vt = snag__vertex_triangle_within(x[0], corner, d, &of_vt);
    bool near_ee = snag__edge_edge_within(a, b, d, &of_ee);
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available((snag_isa)isa))
            continue;
        const snag__distance_kernels *kernels = snag__distance_kernels_for((snag_isa)isa);
        uint32_t near[1];
        MUST(kernels->vertex_triangles_near(&vt, d, near) == 1 || !near_vt);
        MUST(kernels->edge_edges_near(&ee, d, near) == 1 || !near_ee);
        uint8_t known[1] = {0};
        double distance[1] = {-1};
        MUST(kernels->vertex_triangles_seen(&vt, d, near, known, distance) == 1 || !near_vt);
        MUST(known[0] == 0 || (near_vt && known[0] == of_vt.feature_b));
        if (known[0] != 0 && distance[0] >= 0) {
            snag__gap gap;
            snag__features_measure(&of_vt.features, &gap);
            MUST(float_below(distance[0]) == float_below(gap.distance));
        }
        known[0] = 0;
        MUST(kernels->edge_edges_crossing(&ee, d, near, known) == 1 || !near_ee || of_ee.kind != SNAG_EDGE_EDGE);
        MUST(known[0] == 0 || (near_ee && of_ee.kind == SNAG_EDGE_EDGE));
        _Alignas(64) float bounds[2][6][SNAG__BOX_PAD];
        snag__boxes boxes[2];
        for (int side = 0; side < 2; side++)
            boxes[side] = (snag__boxes){
                {bounds[side][0], bounds[side][1], bounds[side][2]}, {bounds[side][3], bounds[side][4], bounds[side][5]}, 1};
        const snag__box_kernels *box = snag__box_kernels_for((snag_isa)isa);
        box->from_edges(NULL, positions, edges, 0, 1, d / 2, &boxes[0]);
        box->from_edges(NULL, positions, edges + 1, 0, 1, d / 2, &boxes[1]);
        snag__boxes_pad(&boxes[1]);
        const float lo[3] = {bounds[0][0][0], bounds[0][1][0], bounds[0][2][0]};
        const float hi[3] = {bounds[0][3][0], bounds[0][4][0], bounds[0][5][0]};
        uint32_t hits[17];
        MUST(box->overlaps(&boxes[1], 0, 1, lo, hi, hits) == 1 || !near_ee);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double x[4][3], d;
    if (!read_points(data, size, x, &d))
        return 0;
    vertex_triangle(x, d);
    edge_edge(x, d);
    sieves(x, d);
    return 0;
}
