// Any six points as two triangles, as segments and a triangle, and as a point and a tetrahedron: what must hold of the
// answers, in every order of the corners and for every instruction set.
#include "geom/geom.h"
#include "geom/f32_filter.h"
#include "geom/segment.h"
#include "geom/tetrahedron_kernel.h"
#include "geom/triangle_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                                                            \
    if (!(condition))                                                                                                              \
    abort()

static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

typedef struct input {
    double x[6][3];  // the corners of a, then those of b
    uint32_t vertex[6];  // their numbers; equal numbers have equal coordinates
    uint32_t triangle[2][3];  // the same as a mesh of two triangles
} input;

// The first byte says how coordinates are read: as doubles, as floats, as bytes on a small grid (where ties are
// common), or as bytes on a grid with a scale. The second says which corners of b are corners of a.
static bool read_input(const uint8_t *data, size_t size, input *in)
{
    if (size < 2 + 18 * sizeof(double))
        return false;
    for (int i = 0; i < 18; i++) {
        const uint8_t *at = data + 2 + (size_t)i * sizeof(double);
        double value;
        float narrow;
        memcpy(&value, at, sizeof value);
        memcpy(&narrow, at, sizeof narrow);
        int8_t small = (int8_t)*at;
        switch (data[0] % 4) {
        case 1: value = narrow; break;
        case 2: value = small % 4; break;
        case 3: value = ldexp(small, data[0] * 4 - 512); break;
        default: break;
        }
        if (!isfinite(value))
            return false;
        in->x[i / 3][i % 3] = value;
    }
    for (uint32_t i = 0; i < 6; i++)
        in->vertex[i] = i;
    for (int i = 0; i < 3; i++)
        if (data[1] >> i & 1) {
            in->vertex[3 + i] = (uint32_t)((i + data[1] / 8) % 3);
            memcpy(in->x[3 + i], in->x[in->vertex[3 + i]], sizeof in->x[0]);
        }
    memcpy(in->triangle, in->vertex, sizeof in->triangle);
    return true;
}

typedef struct side {
    const double *corner[3];
    uint32_t vertex[3];
} side;

static side side_of(const input *in, int which, int order)
{
    side s;
    for (int i = 0; i < 3; i++) {
        s.corner[i] = in->x[3 * which + orders[order][i]];
        s.vertex[i] = in->vertex[3 * which + orders[order][i]];
    }
    return s;
}

static snag__meeting meet(const side *a, const side *b)
{
    return snag__triangles_meet(a->corner, a->vertex, b->corner, b->vertex);
}

// A point lies in the box of a triangle: the exact one does, and rounding to nearest does not leave a box of doubles.
static void must_be_in_box(const double point[3], const side *s)
{
    for (int k = 0; k < 3; k++) {
        double lo = fmin(fmin(s->corner[0][k], s->corner[1][k]), s->corner[2][k]);
        double hi = fmax(fmax(s->corner[0][k], s->corner[1][k]), s->corner[2][k]);
        MUST(point[k] >= lo && point[k] <= hi);
    }
}

static void check_orders(const input *in, snag__meeting meeting, bool *edge_meets)
{
    side a = side_of(in, 0, 0), b = side_of(in, 1, 0);
    double from[3], to[3];
    snag__triangles_segment(a.corner, b.corner, from, to);
    for (int k = 0; k < 3; k++)
        MUST(isfinite(from[k]) && isfinite(to[k]));
    if (meeting != SNAG__APART && meeting != SNAG__DEGENERATE)
        for (int which = 0; which < 2; which++) {
            must_be_in_box(which ? from : to, &a);
            must_be_in_box(which ? from : to, &b);
        }
    for (int order = 0; order < 36; order += 7) {  // each order of a and of b once
        side c = side_of(in, 0, order % 6), d = side_of(in, 1, order / 6);
        double other[2][2][3];
        MUST(meet(&c, &d) == meeting && meet(&d, &c) == meeting);
        snag__triangles_segment(c.corner, d.corner, other[0][0], other[0][1]);
        snag__triangles_segment(d.corner, c.corner, other[1][0], other[1][1]);
        for (int swap = 0; swap < 2; swap++)
            MUST(memcmp(other[swap][0], from, sizeof from) == 0 && memcmp(other[swap][1], to, sizeof to) == 0);
    }
    *edge_meets = false;
    for (int i = 0; i < 3; i++) {
        snag__meeting ab = snag__segment_meets_triangle(a.corner[i], a.corner[(i + 1) % 3], b.corner);
        snag__meeting ba = snag__segment_meets_triangle(b.corner[i], b.corner[(i + 1) % 3], a.corner);
        MUST(ab == snag__segment_meets_triangle(a.corner[(i + 1) % 3], a.corner[i], b.corner));
        *edge_meets = *edge_meets || ab == SNAG__CROSSING || ab == SNAG__TOUCHING;
        *edge_meets = *edge_meets || ba == SNAG__CROSSING || ba == SNAG__TOUCHING;
        MUST(ab != SNAG__CROSSING || meeting != SNAG__APART || in->vertex[3] < 3 || in->vertex[4] < 3 || in->vertex[5] < 3);
    }
}

static void check_kernels(const input *in, snag__meeting meeting)
{
    const uint32_t pair[1][2] = {{0, 1}};
    snag__triangle_pairs pairs = {in->x, in->triangle, in->x, in->triangle, true, pair, 1, NULL};
    const uint32_t edge[1][2] = {{0, 1}}, first[1][2] = {{0, 1}}, tet[1][4] = {{0, 1, 2, 3}}, point[1][2] = {{0, 4}};
    snag__segment_pairs segments = {in->x + 3, edge, in->x, in->triangle, first, 1};
    snag__tet_pairs points = {in->x, tet, in->x, point, 1};
    const double *corner[4] = {in->x[0], in->x[1], in->x[2], in->x[3]};
    const double *second[3] = {in->x[in->triangle[1][0]], in->x[in->triangle[1][1]], in->x[in->triangle[1][2]]};
    int shared = 0;
    for (int i = 0; i < 9; i++)
        shared += in->triangle[0][i / 3] == in->triangle[1][i % 3];
    bool inside = snag__point_in_tet(in->x[4], corner);
    MUST(snag__point_in_tet_half_spaces(in->x[4], corner) == inside);
    double weight[4];
    snag__tet_weights(in->x[4], corner, weight);
    for (int i = 0; i < 4; i++)
        MUST(!isnan(weight[i]) && !(inside && weight[i] < 0));
    for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        uint8_t answer;
        if (!snag__isa_available(isa))
            continue;
        snag__triangle_kernels_for(isa)->meet(&pairs, &answer);
        MUST((answer & SNAG__MEETING_MASK) == meeting);
        MUST(answer >> SNAG__SHARED_SHIFT == (meeting == SNAG__APART || meeting == SNAG__DEGENERATE ? 0 : shared));
        snag__segment_kernels_for(isa)->meet(&segments, &answer);
        MUST(answer == snag__segment_meets_triangle(in->x[3], in->x[4], second));
        snag__tet_kernels_for(isa)->inside(&points, &answer);
        MUST(answer == inside);
        snag__tet_kernels_for(isa)->inside_half_spaces(&points, &answer);
        MUST(answer == inside);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in;
    if (!read_input(data, size, &in))
        return 0;
    side a = side_of(&in, 0, 0), b = side_of(&in, 1, 0);
    snag__meeting meeting = meet(&a, &b);
    bool edge_meets;
    check_orders(&in, meeting, &edge_meets);
    bool shares = in.vertex[3] < 3 || in.vertex[4] < 3 || in.vertex[5] < 3;
    // Two triangles meet if and only if an edge of one meets the other.
    if (meeting != SNAG__DEGENERATE && !shares)
        MUST(edge_meets == (meeting != SNAG__APART));
    check_kernels(&in, meeting);
    return 0;
}
