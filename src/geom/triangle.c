// Triangle against triangle, decided by signs of orientations alone.
// After Devillers, Guigue: Faster Triangle-Triangle Intersection Tests, INRIA RR-4488, 2002: two triangles whose planes
// differ meet where their spans on the common line of the planes overlap, and the ends of the spans are compared by
// orientations of one edge against another.
// Differs: no reordering of corners: signs say on which end of its span an edge lies; the same spans tell crossing from
// touching, decide pairs that share a vertex, and name the ends of the segment; coplanar pairs by separating edges.
//
// Kinds. Let the interior of a triangle be without its three edges. Two triangles that meet are
//     CROSSING  if their interiors meet and their planes differ,
//     COPLANAR  if their interiors meet and their planes are one: they share an area,
//     TOUCHING  if their interiors do not meet: a corner or an edge of one rests on the other.
// None of this depends on the order of corners or triangles.
#include "geom/geom.h"

#include <math.h>
#include <string.h>

#include "geom/edge_plane.h"
#include "geom/exact.h"
#include "geom/triangle_kernel.h"

SNAG__DECLARE_KERNELS(snag__triangle_kernels, snag__triangle_kernels);

const snag__triangle_kernels *snag__triangle_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__triangle_kernels, isa)
}

const snag__f32_filter_kernels *snag__f32_filter_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__f32_filter_kernels, isa)
}

// An edge that meets the common line of both planes. `rise` is the sign of the other triangle's side at `to` less that
// at `from`; never 0.
typedef struct cut {
    const double *from, *to;
    int rise;
    int side_from, side_to;
} cut;

// Where a triangle meets the common line, in the direction (normal of a) x (normal of b). Low and high may coincide.
typedef struct span {
    cut low, high;
    bool inside;  // between low and high the line runs through the interior, not along an edge
} span;

static bool all_equal(const int side[3])
{
    return side[0] == side[1] && side[1] == side[2];
}

// Whether all corners are strictly on one side.
static bool is_clear(const int side[3])
{
    return side[0] != 0 && all_equal(side);
}

// Whether corner i is alone: the others lie on the opposite side or in the plane; or it is in the plane and they are
// together on one side.
static bool is_apex(const int side[3], int i)
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (side[i] == 0)
        return side[j] * side[k] > 0;
    return side[i] * side[j] <= 0 && side[i] * side[k] <= 0;
}

static cut cut_of(const double *const t[3], const int side[3], int from, int to)
{
    int rise = side[to] > side[from] ? 1 : -1;
    return (cut){t[from], t[to], rise, side[from], side[to]};
}

// The span of a triangle whose corners are neither all on one side nor all in the plane of the other.
// Seen with a's normal towards the eye and the side above b's plane up, the line runs to the left; an apex above has
// its next corner below on the left, where the span is highest. For b the line runs the other way.
static span span_of(const double *const t[3], const int side[3], bool is_b)
{
    int i = 0;
    while (i < 2 && !is_apex(side, i))
        i++;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    bool above = side[i] ? side[i] > 0 : side[j] < 0;
    bool next_is_high = above != is_b;
    span s;
    s.high = cut_of(t, side, i, next_is_high ? j : k);
    s.low = cut_of(t, side, i, next_is_high ? k : j);
    s.inside = side[i] * side[j] < 0 || side[i] * side[k] < 0;
    return s;
}

// The sign of (where b's edge meets the line) - (where a's edge does). The orientation of the two edges is the product
// of that difference with how steeply each edge passes through the other's plane.
static int order(cut a, cut b)
{
    return snag__orient3d(a.from, a.to, b.from, b.to) * a.rise * b.rise;
}

static snag__meeting spans_meet(span a, span b)
{
    int b_below = order(a.high, b.low), b_above = -order(a.low, b.high);
    if (b_below > 0 || b_above > 0)
        return SNAG__APART;
    return a.inside && b.inside && b_below < 0 && b_above < 0 ? SNAG__CROSSING : SNAG__TOUCHING;
}

// ---- in one plane, seen along an axis in which neither triangle is flat ----

static int axis_of(const double *const t[3])
{
    int axis = 0;
    while (axis < 2 && snag__orient2d(t[0], t[1], t[2], axis) == 0)
        axis++;
    return axis;
}

// The most inward side on which a corner of b lies of an edge of a: 1 inside, 0 on the edge's line, -1 all outside.
static int most_inward(const double *const a[3], int edge, const double *const b[3], int axis)
{
    int turn = snag__orient2d(a[0], a[1], a[2], axis), most = -1;
    for (int i = 0; i < 3; i++) {
        int side = turn * snag__orient2d(a[edge], a[(edge + 1) % 3], b[i], axis);
        most = side > most ? side : most;
    }
    return most;
}

// Convex sets: apart if and only if the line of some edge has the other triangle strictly outside, and without a common
// interior point if and only if one has it outside or on the line.
static snag__meeting coplanar_meet(const double *const a[3], const double *const b[3], int axis)
{
    snag__meeting meeting = SNAG__COPLANAR;
    for (int edge = 0; edge < 3; edge++) {
        int in_a = most_inward(a, edge, b, axis), in_b = most_inward(b, edge, a, axis);
        if (in_a < 0 || in_b < 0)
            return SNAG__APART;
        if (in_a == 0 || in_b == 0)
            meeting = SNAG__TOUCHING;
    }
    return meeting;
}

// Whether p lies in the closed wedge between the rays from v through q and r.
static bool in_wedge(const double *v, const double *q, const double *r, const double *p, int axis)
{
    int turn = snag__orient2d(v, q, r, axis);
    return turn * snag__orient2d(v, q, p, axis) >= 0 && turn * snag__orient2d(v, p, r, axis) >= 0;
}

// ---- triangles that share corners ----

// Corner i of a is corner j of b. They meet beyond it if and only if they share a direction from it.
static snag__meeting meet_beyond_corner(const double *const a[3], int i, const double *const b[3], int j)
{
    const double *a1 = a[(i + 1) % 3], *a2 = a[(i + 2) % 3], *b1 = b[(j + 1) % 3], *b2 = b[(j + 2) % 3];
    int side_a[3] = {0}, side_b[3] = {0};
    side_a[(i + 1) % 3] = snag__orient3d(b[0], b[1], b[2], a1);
    side_a[(i + 2) % 3] = snag__orient3d(b[0], b[1], b[2], a2);
    if (all_equal(side_a)) {
        int axis = axis_of(a);
        bool beyond = in_wedge(a[i], a1, a2, b1, axis) || in_wedge(a[i], a1, a2, b2, axis) || in_wedge(b[j], b1, b2, a1, axis) ||
                      in_wedge(b[j], b1, b2, a2, axis);
        return beyond ? coplanar_meet(a, b, axis) : SNAG__APART;
    }
    if (is_apex(side_a, i))
        return SNAG__APART;
    side_b[(j + 1) % 3] = snag__orient3d(a[0], a[1], a[2], b1);
    side_b[(j + 2) % 3] = snag__orient3d(a[0], a[1], a[2], b2);
    if (is_apex(side_b, j))
        return SNAG__APART;
    // Both spans begin at the shared corner: it is the low end or the high end of each.
    span sa = span_of(a, side_a, false), sb = span_of(b, side_b, true);
    if ((sa.low.to == a[i]) != (sb.low.to == b[j]))
        return SNAG__APART;
    return sa.inside && sb.inside ? SNAG__CROSSING : SNAG__TOUCHING;
}

// Corners i of a and j of b are the ones not shared: they meet beyond the shared edge only if folded flat onto each
// other.
static snag__meeting meet_beyond_edge(const double *const a[3], int i, const double *const b[3], int j)
{
    if (snag__orient3d(b[0], b[1], b[2], a[i]) != 0)
        return SNAG__APART;
    const double *from = a[(i + 1) % 3], *to = a[(i + 2) % 3];
    int axis = axis_of(a);
    bool same_side = snag__orient2d(from, to, a[i], axis) == snag__orient2d(from, to, b[j], axis);
    return same_side ? SNAG__COPLANAR : SNAG__APART;
}

// ---- all pairs ----

static snag__meeting meet_without_shared(const double *const a[3], const double *const b[3])
{
    int side_a[3], side_b[3];
    for (int i = 0; i < 3; i++)
        side_a[i] = snag__orient3d(b[0], b[1], b[2], a[i]);
    if (is_clear(side_a))
        return SNAG__APART;
    if (all_equal(side_a))
        return coplanar_meet(a, b, axis_of(a));
    for (int i = 0; i < 3; i++)
        side_b[i] = snag__orient3d(a[0], a[1], a[2], b[i]);
    if (is_clear(side_b))
        return SNAG__APART;
    return spans_meet(span_of(a, side_a, false), span_of(b, side_b, true));
}

snag__meeting snag__triangles_meet(const double *const a[3], const uint32_t va[3], const double *const b[3], const uint32_t vb[3])
{
    if (snag__is_collinear(a[0], a[1], a[2]) || snag__is_collinear(b[0], b[1], b[2]))
        return SNAG__DEGENERATE;
    int shared = 0, sum_a = 0, sum_b = 0;  // how many corners are shared, and the sums of their places
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (va[i] == vb[j]) {
                shared++;
                sum_a += i;
                sum_b += j;
            }
    switch (shared) {
    case 0: return meet_without_shared(a, b);
    case 1: return meet_beyond_corner(a, sum_a, b, sum_b);
    case 2: return meet_beyond_edge(a, 3 - sum_a, b, 3 - sum_b);
    default: return SNAG__COPLANAR;
    }
}

// ---- the segment: its ends are exact points, correctly rounded, and so the same however they are arrived at ----

static void copy_point(double to[3], const double from[3])
{
    for (int k = 0; k < 3; k++)
        to[k] = from[k] + 0.0;  // -0 becomes 0
}

// Where an edge of a triangle meets the plane of the other, t.
static void cut_point(cut c, const double *const t[3], double point[3])
{
    if (c.side_from == 0 || c.side_to == 0)
        copy_point(point, c.side_to == 0 ? c.to : c.from);
    else
        snag__edge_plane_point(&(snag__edge_plane){c.from, c.to, {t[0], t[1], t[2]}}, point);
}

// Where the edge from-to meets the line through p and q, all in one plane, seen along an axis.
static void crossing_point(const double *from, const double *to, const double *p, const double *q, int axis, double point[3])
{
    uint64_t limbs[SNAG__EXACT_ZERO_LIMBS + 12 * SNAG__EXACT_LIMBS(1) + 6 * SNAG__EXACT_LIMBS(2)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = snag__exact_unit_of_points((const double *const[4]){from, to, p, q}, 4);
    snag__exact line[3], at[2][3];
    snag__exact_from_points(&room, q, p, unit, line);
    snag__exact_from_points(&room, from, p, unit, at[0]);
    snag__exact_from_points(&room, to, p, unit, at[1]);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    snag__exact at_from = snag__exact_determinant2(&room, line[i], line[j], at[0][i], at[0][j]);
    snag__exact at_to = snag__exact_determinant2(&room, line[i], line[j], at[1][i], at[1][j]);
    snag__exact_zero_between(room, from, to, at_from, at_to, unit, point);
}

static bool is_before(const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k];
    return false;
}

// Corners of the shared area of two triangles in one plane: at most six proper ones; corners that lie on an edge of the
// other may stand twice.
enum { AREA_CORNERS = 3 + 3 + 9 };

// For each edge of a: on which side each corner of b lies, 1 for inside.
static void inward_sides(const double *const a[3], const double *const b[3], int axis, int side[3][3])
{
    int turn = snag__orient2d(a[0], a[1], a[2], axis);
    for (int edge = 0; edge < 3; edge++)
        for (int i = 0; i < 3; i++)
            side[edge][i] = turn * snag__orient2d(a[edge], a[(edge + 1) % 3], b[i], axis);
}

static int area_corners(const double *const a[3], const double *const b[3], int axis, double corner[AREA_CORNERS][3])
{
    int of_a[3][3], of_b[3][3], count = 0;  // of_a[e][i]: corner i of b against edge e of a
    inward_sides(a, b, axis, of_a);
    inward_sides(b, a, axis, of_b);
    for (int i = 0; i < 3; i++) {
        if (of_a[0][i] >= 0 && of_a[1][i] >= 0 && of_a[2][i] >= 0)
            copy_point(corner[count++], b[i]);
        if (of_b[0][i] >= 0 && of_b[1][i] >= 0 && of_b[2][i] >= 0)
            copy_point(corner[count++], a[i]);
    }
    for (int e = 0; e < 3; e++)
        for (int f = 0; f < 3; f++) {
            int e1 = (e + 1) % 3, f1 = (f + 1) % 3;
            if (of_a[e][f] * of_a[e][f1] < 0 && of_b[f][e] * of_b[f][e1] < 0)
                crossing_point(b[f], b[f1], a[e], a[e1], axis, corner[count++]);
        }
    return count;
}

static void sort_points(double (*points)[3], int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && is_before(points[j], points[j - 1]); j--) {
            double swap[3];
            memcpy(swap, points[j], sizeof swap);
            memcpy(points[j], points[j - 1], sizeof swap);
            memcpy(points[j - 1], swap, sizeof swap);
        }
}

// Differences to the first point in units of their largest, so that squares neither overflow nor vanish.
static void relative_points(const double (*points)[3], int count, double (*relative)[3])
{
    double largest = 0, most = 0;
    for (int i = 0; i < 3 * count; i++)
        largest = fmax(largest, fabs(points[i / 3][i % 3]));
    double scale = largest > 0x1p1022 ? 0.5 : 1.0;  // differences of the very largest numbers overflow
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            relative[i][k] = points[i][k] * scale - points[0][k] * scale;
            most = fmax(most, fabs(relative[i][k]));
        }
    int exponent;
    frexp(most, &exponent);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            relative[i][k] = ldexp(relative[i][k], -exponent);
}

static double square_between(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

// The two of some points that lie farthest apart, the lower one first; of several such pairs the lowest and the highest
// point, or else the first pair.
static void farthest_pair(double (*points)[3], int count, double from[3], double to[3])
{
    double relative[AREA_CORNERS][3];
    sort_points(points, count);
    relative_points((const double(*)[3])points, count, relative);
    int first = 0, last = count - 1;
    double longest = square_between(relative[first], relative[last]);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (square_between(relative[i], relative[j]) > longest) {
                longest = square_between(relative[i], relative[j]);
                first = i;
                last = j;
            }
    memcpy(from, points[first], 3 * sizeof *from);
    memcpy(to, points[last], 3 * sizeof *to);
}

// How the common part of two triangles is found.
typedef enum overlap {
    NOWHERE,  // there is none, or one triangle has zero area
    ON_LINE,  // it ends where edges meet the other's plane
    IN_PLANE,  // it is an area, an edge or a corner in one plane
} overlap;

// One end of the common part of triangles in different planes: an edge of one and the other's corners.
typedef struct end {
    cut edge;
    const double *const *plane;
} end;

static overlap find_ends(const double *const a[3], const double *const b[3], end ends[2])
{
    int side_a[3], side_b[3];
    for (int i = 0; i < 3; i++) {
        side_a[i] = snag__orient3d(b[0], b[1], b[2], a[i]);
        side_b[i] = snag__orient3d(a[0], a[1], a[2], b[i]);
    }
    if (is_clear(side_a) || is_clear(side_b))
        return NOWHERE;
    if (all_equal(side_a) || all_equal(side_b))
        return snag__is_collinear(a[0], a[1], a[2]) || snag__is_collinear(b[0], b[1], b[2]) ? NOWHERE : IN_PLANE;
    span sa = span_of(a, side_a, false), sb = span_of(b, side_b, true);
    if (spans_meet(sa, sb) == SNAG__APART)
        return NOWHERE;
    // The higher of both low ends and the lower of both high ends.
    ends[0] = order(sa.low, sb.low) > 0 ? (end){sb.low, a} : (end){sa.low, b};
    ends[1] = order(sa.high, sb.high) < 0 ? (end){sb.high, a} : (end){sa.high, b};
    return ON_LINE;
}

void snag__triangles_segment(const double *const a[3], const double *const b[3], double from[3], double to[3])
{
    double point[AREA_CORNERS][3] = {{0}};
    int count = 1;
    end ends[2];
    switch (find_ends(a, b, ends)) {
    case NOWHERE: break;
    case ON_LINE:
        for (count = 0; count < 2; count++)
            cut_point(ends[count].edge, ends[count].plane, point[count]);
        break;
    case IN_PLANE:
        count = area_corners(a, b, axis_of(a), point);
        count = count > 0 ? count : 1;
        break;
    }
    farthest_pair(point, count, from, to);
}

// ---- segments of many pairs ----

enum { CUTS = 128 };

// Cuts that wait until there are enough to be made together.
typedef struct waiting {
    size_t count;
    snag__edge_plane cut[CUTS];
    double *point[CUTS];
    const snag__edge_plane_kernels *kernels;
    size_t exact;
} waiting;

static void make_cuts(waiting *w)
{
    double point[CUTS][3];
    w->exact += w->kernels->points(w->cut, w->count, point);
    for (size_t i = 0; i < w->count; i++)
        memcpy(w->point[i], point[i], sizeof point[i]);
    w->count = 0;
}

static void put_cut(waiting *w, const end *e, double point[3])
{
    const cut *c = &e->edge;
    if (c->side_from == 0 || c->side_to == 0) {
        cut_point(*c, e->plane, point);
        return;
    }
    if (w->count == CUTS)
        make_cuts(w);
    w->cut[w->count] = (snag__edge_plane){c->from, c->to, {e->plane[0], e->plane[1], e->plane[2]}};
    w->point[w->count++] = point;
}

size_t snag__triangles_segments(const snag__triangle_pairs *pairs, snag_isa isa, double (*segments)[2][3])
{
    waiting w = {.kernels = snag__edge_plane_kernels_for(isa)};
    for (size_t i = 0; i < pairs->count; i++) {
        const uint32_t *va = pairs->triangles_a[pairs->pairs[i][0]], *vb = pairs->triangles_b[pairs->pairs[i][1]];
        const double *a[3] = {pairs->x_a[va[0]], pairs->x_a[va[1]], pairs->x_a[va[2]]};
        const double *b[3] = {pairs->x_b[vb[0]], pairs->x_b[vb[1]], pairs->x_b[vb[2]]};
        end ends[2];
        if (find_ends(a, b, ends) == ON_LINE) {
            put_cut(&w, &ends[0], segments[i][0]);
            put_cut(&w, &ends[1], segments[i][1]);
        } else {
            snag__triangles_segment(a, b, segments[i][0], segments[i][1]);
            w.exact++;
        }
    }
    make_cuts(&w);
    for (size_t i = 0; i < pairs->count; i++)
        sort_points(segments[i], 2);
    return w.exact;
}
