// Wide sieves: candidates that are certainly farther apart than d drop out, and those whose features are certain are
// named; the rest is left to distance.c.
//
// The proof of being farther is a direction: if every corner of one side lies more than d |w| beyond every corner of
// the other along w, the sides are more than d apart, whatever w is. The best w joins the closest points, so those are
// found first, in plain double and without care for what is nearly parallel or thin: a bad w proves less, never too
// much. Only the last dot products need an error bound.
#include "geom/distance_lanes.h"

// ---- the proof ----

typedef struct reach {
    wide squared;  // d^2, not below
    wide less;  // d^2, not above; 0 where it would have no digits
} reach;

// A reach below 1e-140 is taken for that, so that its square keeps its digits; above 1e154 the square is infinite and
// nothing is farther.
static inline reach reach_of(double d)
{
    double safe = d > 1e-140 ? d : 1e-140;
    double less = d >= SNAG__DISTANCE_LEAST ? d * d * (1 - 0x1p-48) : 0;
    return (reach){snag__f64w_all(safe * safe * (1 + 0x1p-48)), snag__f64w_all(less)};
}

// Lanes where `least` (the smallest of differences along w, each off by at most error) proves that the distance is
// above d.
static inline snag__i64w proves_farther(wide least, wide error, wide3 w, reach d)
{
    const wide tiny = snag__f64w_all(1e-290);
    wide sure = least - error, ww = dot(w, w), square = sure * sure;
    return snag__f64w_lt(snag__f64w_all(0.0), sure) & snag__f64w_lt(tiny, square) & snag__f64w_lt(tiny, ww) &
           snag__f64w_lt(d.squared * ww, square);
}

// Each difference of coordinates is rounded once and its dot product with w three times: below 5 u of the sum of
// magnitudes; 16 u leaves room for the sums of two such and for the rounding of this bound.
static inline wide proof_error(wide size, wide3 w)
{
    return snag__f64w_all(0x1p-49) * size * ((snag__f64w_abs(w.x) + snag__f64w_abs(w.y)) + snag__f64w_abs(w.z));
}

// ---- the squared distance of known features ----

// top / bottom, with bounds of their errors. Good for lanes whose coordinates are in the window of the bounds.
typedef struct quotient {
    wide top, top_error, bottom, bottom_error;
} quotient;

static inline snag__i64w in_window(wide size)
{
    return snag__f64w_lt(snag__f64w_all(SNAG__DISTANCE_LEAST), size) & snag__f64w_lt(size, snag__f64w_all(SNAG__DISTANCE_MOST));
}

static inline snag__i64w is_farther(const quotient *q, reach d)
{
    return snag__f64w_lt(d.squared * (q->bottom + q->bottom_error), q->top - q->top_error);
}

static inline snag__i64w is_within(const quotient *q, reach d)
{
    return snag__f64w_lt(q->top + q->top_error, d.less * (q->bottom - q->bottom_error));
}

// ---- distances of known features ----
// The same operations as in distance.c, lane by lane. The corners of a feature stand in the order of their coordinates there; of two
// edges it does not matter to the distance which comes first, since all signs change together.

static inline wide measure_vertices(const wide3 x[4], snag__i64w *good)
{
    wide3 d = subtract(x[0], x[1]);
    *good = between(largest(d), 1e-140, 1e150);
    return square_root(dot(d, d));
}

static inline wide measure_edge(wide3 x[4], snag__i64w *good)
{
    order_points(&x[1], &x[2]);
    wide3 e = subtract(x[2], x[1]), q = subtract(x[0], x[1]), m = cross(e, q);
    *good = edge_is_good(e, q, m);
    return square_root(dot(m, m) / dot(e, e));
}

static inline wide measure_plane(wide3 u, wide3 v, wide3 w, snag__i64w *good)
{
    plane_lanes s = plane_of(u, v, w);
    *good = s.good;
    return snag__f64w_abs(s.h) / square_root(s.nn);
}

static inline wide measure_face(wide3 x[4], snag__i64w *good)
{
    order_points(&x[1], &x[2]);
    order_points(&x[2], &x[3]);
    order_points(&x[1], &x[2]);
    return measure_plane(subtract(x[2], x[1]), subtract(x[3], x[1]), subtract(x[0], x[1]), good);
}

static inline wide measure_edges(wide3 x[4], snag__i64w *good)
{
    order_points(&x[0], &x[1]);
    order_points(&x[2], &x[3]);
    return measure_plane(subtract(x[1], x[0]), subtract(x[3], x[2]), subtract(x[0], x[2]), good);
}

// Of lanes whose features are of several kinds: the value that is of each lane's kind, negative where it is not good.
typedef struct mixture {
    snag__i64w is_whole, is_edge, is_vertex;  // both sides whole (or the inside of a face); a vertex and an edge; two vertices
} mixture;

static inline wide mixed(mixture of, wide whole, snag__i64w whole_good, wide edge, snag__i64w edge_good, wide vertex,
                         snag__i64w vertex_good)
{
    snag__i64w good = (of.is_whole & whole_good) | (of.is_edge & edge_good) | (of.is_vertex & vertex_good);
    wide value = snag__f64w_select(of.is_whole, whole, snag__f64w_select(of.is_edge, edge, vertex));
    return snag__f64w_select(good, value, snag__f64w_all(-1.0));
}

static inline bool any(snag__i64w mask)
{
    return snag__i64w_bits(mask) != 0;
}

// ---- distances, rounded down to floats ----
// Pairs of an answer have their distance as a float, rounded down. That is known before the distance is: let V be what distance.c says of
// features whose squared distance is top / bottom, and v the root of that quotient here. With the unit roundoff u, s = `size` and
// q = top_error / top:
//
// - bottom_error / bottom is at most 2 q. Of vertices it is 0, of edges 8 u, where q is at least 8 u. Of normals n it is at most
//   48 u s^2 / |n| + 8 u, with |n| the largest component; their heights are at most 3 s |n|, which makes q at least 42 u s^2 / |n| + 4 u.
// - top and bottom are off by no more than their errors, so that v is off by at most (1.5 q + 2 u) v.
// - V comes of the same products, of the same points in the order of their coordinates. No vector in them is longer than s, so that the bounds
//   hold for them as well, but that the largest component may differ by twice CROSS_ERROR: below a fifth of q of it. Where distance.c goes to
//   integers V is off by a few u. In each case by at most (1.6 q + 8 u) v.
// - So V and v differ by less than 5.6 q v, as q is at least 4 u; terms with q^2 are far below the rest. 8 q v also covers the rounding of that
//   bound. top_error does not vanish: s is in the window.
//
// Let f be the float that is nearest to v. v - f is exact, and no other float is within |v - f| of v: if |v - f| is more than the bound, V lies
// on the same side of f as v and before the next float. Where it is less the distance itself is needed: once in 100,000 pairs of most scenes,
// and always where distances are round numbers.

static inline wide nearest_float(wide x)
{
#if SNAG__LANES_F64 == 8
    return (wide)_mm512_cvtps_pd(_mm512_cvtpd_ps((__m512d)x));
#elif SNAG__LANES_F64 == 4
    return (wide)_mm256_cvtps_pd(_mm256_cvtpd_ps((__m256d)x));
#elif SNAG__LANES_F64 == 1
    return (double)(float)x;
#else
    double lanes[SNAG__LANES_F64];
    snag__f64w_store(lanes, x);
    for (size_t i = 0; i < LANES_F64; i++)
        lanes[i] = (double)(float)lanes[i];
    return snag__f64w_load(lanes);
#endif
}

// A double between a float above 0 and the float below.
static inline wide just_below(wide f)
{
    snag__i64w bits;
    memcpy(&bits, &f, sizeof bits);
    bits -= 1;
    memcpy(&f, &bits, sizeof f);
    return f;
}

// A double that rounds down to the same float as V does, where that is sure.
static inline wide float_distance(const quotient *q, snag__i64w *sure)
{
    wide v = square_root(q->top / q->bottom), f = nearest_float(v), beyond = v - f;
    // What is larger than all floats is none's neighbour.
    *sure = snag__f64w_lt(8 * q->top_error * v, snag__f64w_abs(beyond) * q->top) & snag__f64w_lt(v, snag__f64w_all(0x1p120));
    return snag__f64w_select(snag__f64w_lt(beyond, snag__f64w_all(0.0)), just_below(f), f);
}

// ---- vertex and triangle ----

// q: from corner 0 to the vertex; e, f: to corners 1 and 2. Returns the vertex minus the closest point, roughly.
static inline wide3 vertex_triangle_separation(wide3 q, wide3 e, wide3 f)
{
    const wide zero = snag__f64w_all(0.0);
    wide ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), qe = dot(q, e), qf = dot(q, f);
    wide alpha = ff * qe - ef * qf, beta = ee * qf - ef * qe, det = ee * ff - ef * ef;
    // Inside: the foot on the plane. Else the closest of the three edges.
    wide3 along_e = without(q, unit_interval(qe / ee), e);
    wide3 along_f = without(q, unit_interval(qf / ff), f);
    wide3 g = subtract(f, e), r = subtract(q, e);
    wide3 along_g = without(r, unit_interval(dot(r, g) / dot(g, g)), g);
    wide e2 = dot(along_e, along_e), f2 = dot(along_f, along_f), g2 = dot(along_g, along_g);
    snag__i64w f_closer = snag__f64w_lt(f2, e2);
    wide3 best = choose(f_closer, along_f, along_e);
    best = choose(snag__f64w_lt(g2, snag__f64w_select(f_closer, f2, e2)), along_g, best);
    wide inverse = snag__f64w_all(1.0) / det;
    wide3 foot = without(without(q, alpha * inverse, e), beta * inverse, f);
    snag__i64w inside = snag__f64w_lt(zero, alpha) & snag__f64w_lt(zero, beta) & snag__f64w_lt(alpha + beta, det);
    return choose(inside, foot, best);
}

// Candidates i .. i + lanes - 1: the vertex, and the triangle's corners. Lanes that are not there repeat the first.
static inline void load_vertex_triangles(const snag__vertex_triangles *pairs, size_t i, size_t lanes, wide3 *p, wide3 x[3])
{
    const double *points[4][SNAG__LANES_F64];
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        size_t pair = i + (lane < lanes ? lane : 0);
        const uint32_t *corner = pairs->triangles[pairs->pairs[pair][0]];
        points[3][lane] = pairs->xa[pairs->pairs[pair][1]];
        for (int c = 0; c < 3; c++)
            points[c][lane] = pairs->xb[corner[c]];
    }
    *p = gather(points[3]);
    for (int c = 0; c < 3; c++)
        x[c] = gather(points[c]);
}

static inline snag__i64w vertex_triangles_farther(wide3 p, const wide3 x[3], reach reach_d)
{
    wide3 q = subtract(p, x[0]), e = subtract(x[1], x[0]), f = subtract(x[2], x[0]);
    wide3 w = vertex_triangle_separation(q, e, f);
    wide qw = dot(q, w);
    wide least = snag__f64w_min(qw, snag__f64w_min(qw - dot(e, w), qw - dot(f, w)));
    wide error = proof_error(largest(q) + snag__f64w_max(largest(e), largest(f)), w);
    return proves_farther(least, error, w, reach_d);
}

static size_t vertex_triangles_near(const snag__vertex_triangles *pairs, double d, uint32_t *near)
{
    const reach reach_d = reach_of(d);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i += LANES_F64) {
        size_t lanes = pairs->count - i < LANES_F64 ? pairs->count - i : LANES_F64;
        wide3 p, x[3];
        load_vertex_triangles(pairs, i, lanes, &p, x);
        uint32_t left = ~snag__i64w_bits(vertex_triangles_farther(p, x, reach_d)) & ((1u << lanes) - 1u);
        for (; left; left &= left - 1)
            near[count++] = (uint32_t)i + (uint32_t)__builtin_ctz(left);
    }
    return count;
}

// Lists the lanes that are left, without a branch for each: which are cannot be guessed.
static inline size_t keep_seen(size_t i, size_t lanes, uint32_t left, uint32_t within, snag__i64w seen, size_t count,
                               uint32_t *near, uint8_t *feature)
{
    int64_t features[SNAG__LANES_F64];
    memcpy(features, &seen, sizeof features);
    for (size_t lane = 0; lane < lanes; lane++) {
        feature[count] = (uint8_t)features[lane] & (uint8_t) - (int)(within >> lane & 1);
        near[count] = (uint32_t)(i + lane);
        count += left >> lane & 1;
    }
    return count;
}

static inline size_t keep_distances(size_t lanes, uint32_t left, wide values, size_t count, double *distance)
{
    double all[SNAG__LANES_F64];
    snag__f64w_store(all, values);
    for (size_t lane = 0; lane < lanes; lane++) {
        distance[count] = all[lane];
        count += left >> lane & 1;
    }
    return count;
}

// The feature of each triangle that holds the closest point, as a set of corners; 0 where a sign is in doubt. The signs
// are those of distance.c. And the squared distance as a quotient.
static inline snag__i64w vertex_triangle_features(wide3 p, const wide3 x[3], quotient *squared)
{
    wide3 to_p[3], edge[3], m[3];
    wide size = snag__f64w_all(0.0), side[3], forth[3], back[3];
    for (int i = 0; i < 3; i++) {
        to_p[i] = subtract(p, x[i]);
        edge[i] = subtract(x[i == 2 ? 0 : i + 1], x[i]);
        size = snag__f64w_max(size, snag__f64w_max(largest(to_p[i]), largest(edge[i])));
    }
    wide3 n = cross(edge[0], edge[1]);
    wide n_size = largest(n), error[3], doubt = SNAG__DOT_ERROR(size);
    for (int i = 0; i < 3; i++) {
        m[i] = cross(edge[i], to_p[i]);
        side[i] = dot(n, m[i]);
        error[i] = SNAG__SIDE_ERROR(size, n_size, largest(m[i]));
        forth[i] = dot(to_p[i], edge[i]);
        back[i] = -dot(to_p[i == 2 ? 0 : i + 1], edge[i]);
    }
    snag__i64w in_face = snag__f64w_lt(error[0], side[0]) & snag__f64w_lt(error[1], side[1]) & snag__f64w_lt(error[2], side[2]);
    snag__i64w in_edge[3], at_corner[3];
    for (int i = 0; i < 3; i++) {
        in_edge[i] = snag__f64w_lt(side[i], -error[i]) & snag__f64w_lt(doubt, forth[i]) & snag__f64w_lt(doubt, back[i]);
        at_corner[i] = snag__f64w_lt(forth[i], -doubt) & snag__f64w_lt(back[i == 0 ? 2 : i - 1], -doubt);
    }
    snag__i64w any_corner = at_corner[0] | at_corner[1] | at_corner[2];

    // An edge has the squares of its cross product and of itself, a corner those of its difference and of 1, the face
    // its height over the triangle and its normal.
    wide3 top = choose(any_corner, choose(at_corner[0], to_p[0], choose(at_corner[1], to_p[1], to_p[2])),
                       choose(in_edge[0], m[0], choose(in_edge[1], m[1], m[2])));
    wide3 bottom = choose(in_face, n, choose(in_edge[0], edge[0], choose(in_edge[1], edge[1], edge[2])));
    wide h = snag__f64w_abs(dot(n, to_p[0])), h_error = SNAG__HEIGHT_ERROR(size * size * size), hh = h * h;
    wide square = dot(top, top), bottom_square = dot(bottom, bottom);
    wide cross_error = SNAG__CROSS_ERROR(size * size);
    const wide one = snag__f64w_all(1.0), zero = snag__f64w_all(0.0);
    squared->top = snag__f64w_select(in_face, hh, square);
    squared->top_error =
        snag__f64w_select(in_face, (2 * h + h_error) * h_error + 4 * SNAG__U * hh,
                          SNAG__SQUARE_ERROR(square, largest(top), snag__f64w_select(any_corner, zero, cross_error)));
    squared->bottom = snag__f64w_select(any_corner, one, bottom_square);
    squared->bottom_error = snag__f64w_select(
        any_corner, zero, SNAG__SQUARE_ERROR(bottom_square, n_size, snag__f64w_select(in_face, cross_error, zero)));

    snag__i64w feature = in_face & 7;
    for (int i = 0; i < 3; i++)
        feature |= (in_edge[i] & (1 << i | 1 << (i == 2 ? 0 : i + 1))) | (at_corner[i] & (1 << i));
    return feature & in_window(size);
}

static inline wide vertex_triangle_distances(wide3 p, const wide3 x[3], snag__i64w feature)
{
    const mixture of = {SNAG__MASK64(feature == 7),
                        SNAG__MASK64(feature == 3) | SNAG__MASK64(feature == 5) | SNAG__MASK64(feature == 6),
                        SNAG__MASK64(feature == 1) | SNAG__MASK64(feature == 2) | SNAG__MASK64(feature == 4)};
    snag__i64w good[3] = {snag__i64w_all(0), snag__i64w_all(0), snag__i64w_all(0)};
    wide value[3] = {snag__f64w_all(0), snag__f64w_all(0), snag__f64w_all(0)};
    if (any(of.is_whole))
        value[0] = measure_face((wide3[4]){p, x[0], x[1], x[2]}, &good[0]);
    if (any(of.is_edge)) {
        wide3 first = choose(SNAG__MASK64(feature == 6), x[1], x[0]), second = choose(SNAG__MASK64(feature == 3), x[1], x[2]);
        value[1] = measure_edge((wide3[4]){p, first, second}, &good[1]);
    }
    if (any(of.is_vertex)) {
        wide3 corner = choose(SNAG__MASK64(feature == 1), x[0], choose(SNAG__MASK64(feature == 2), x[1], x[2]));
        value[2] = measure_vertices((wide3[4]){p, corner}, &good[2]);
    }
    return mixed(of, value[0], good[0], value[1], good[1], value[2], good[2]);
}

static size_t vertex_triangles_seen(const snag__vertex_triangles *pairs, double d, uint32_t *near, uint8_t *feature,
                                    double *distance)
{
    const reach reach_d = reach_of(d);
    size_t count = 0, measured = 0;
    for (size_t i = 0; i < pairs->count; i += LANES_F64) {
        size_t lanes = pairs->count - i < LANES_F64 ? pairs->count - i : LANES_F64;
        uint32_t all = (1u << lanes) - 1u;
        wide3 p, x[3];
        load_vertex_triangles(pairs, i, lanes, &p, x);
        quotient squared;
        snag__i64w seen = vertex_triangle_features(p, x, &squared);
        snag__i64w known = seen != 0;
        uint32_t known_bits = snag__i64w_bits(SNAG__MASK64(known)) & all;
        uint32_t far_bits = snag__i64w_bits(is_farther(&squared, reach_d)) & known_bits;
        uint32_t within_bits = snag__i64w_bits(is_within(&squared, reach_d)) & known_bits;
        if (known_bits != all)
            far_bits |= snag__i64w_bits(vertex_triangles_farther(p, x, reach_d)) & all & ~known_bits;
        count = keep_seen(i, lanes, all & ~far_bits, within_bits, seen, count, near, feature);
        if (distance != NULL) {
            snag__i64w sure;
            wide values = snag__f64w_select(SNAG__MASK64(known), float_distance(&squared, &sure), snag__f64w_all(-1.0));
            if ((known_bits & ~far_bits & ~snag__i64w_bits(sure)) != 0)
                values = snag__f64w_select(sure, values, vertex_triangle_distances(p, x, seen));
            measured = keep_distances(lanes, all & ~far_bits, values, measured, distance);
        }
    }
    return count;
}

// ---- edge and edge ----

// e, g: along the edges; w: from b's first end to a's. Returns the closest point of a minus that of b, roughly.
static inline wide3 edge_edge_separation(wide3 e, wide3 g, wide3 w)
{
    wide ee = dot(e, e), gg = dot(g, g), eg = dot(e, g), ew = dot(e, w), gw = dot(g, w);
    // On the lines, cut to a; then the closest on b, cut to b; then the closest on a to that.
    wide s = unit_interval((eg * gw - gg * ew) / (ee * gg - eg * eg));
    wide t = unit_interval((eg * s + gw) / gg);
    s = unit_interval((eg * t - ew) / ee);
    return without(without(w, -s, e), t, g);
}

static inline void load_edge_edges(const snag__edge_edges *pairs, size_t i, size_t lanes, wide3 a[2], wide3 b[2])
{
    const double *points[4][SNAG__LANES_F64];
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        size_t pair = i + (lane < lanes ? lane : 0);
        const uint32_t *edge_a = pairs->edges_a[pairs->pairs[pair][0]], *edge_b = pairs->edges_b[pairs->pairs[pair][1]];
        points[0][lane] = pairs->xa[edge_a[0]];
        points[1][lane] = pairs->xa[edge_a[1]];
        points[2][lane] = pairs->xb[edge_b[0]];
        points[3][lane] = pairs->xb[edge_b[1]];
    }
    for (int end = 0; end < 2; end++) {
        a[end] = gather(points[end]);
        b[end] = gather(points[2 + end]);
    }
}

static inline snag__i64w edge_edges_farther(const wide3 a[2], const wide3 b[2], reach reach_d)
{
    const wide zero = snag__f64w_all(0.0);
    wide3 e = subtract(a[1], a[0]), g = subtract(b[1], b[0]), w = subtract(a[0], b[0]);
    wide3 apart = edge_edge_separation(e, g, w);
    // Corners of a are w and w + e as seen from b's first end, corners of b are 0 and g.
    wide least = dot(w, apart) + snag__f64w_min(dot(e, apart), zero) - snag__f64w_max(dot(g, apart), zero);
    wide error = proof_error(largest(w) + (largest(e) + largest(g)), apart);
    return proves_farther(least, error, apart, reach_d);
}

static size_t edge_edges_near(const snag__edge_edges *pairs, double d, uint32_t *near)
{
    const reach reach_d = reach_of(d);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i += LANES_F64) {
        size_t lanes = pairs->count - i < LANES_F64 ? pairs->count - i : LANES_F64;
        wide3 a[2], b[2];
        load_edge_edges(pairs, i, lanes, a, b);
        uint32_t left = ~snag__i64w_bits(edge_edges_farther(a, b, reach_d)) & ((1u << lanes) - 1u);
        for (; left; left &= left - 1)
            near[count++] = (uint32_t)i + (uint32_t)__builtin_ctz(left);
    }
    return count;
}

// Whether the lines of two edges are closest inside both: where that is certain, and where it is certain that they are
// not. And their squared distance as a quotient, which is no more than that of the edges.
static inline snag__i64w edge_edge_inside(const wide3 a[2], const wide3 b[2], snag__i64w *inside, snag__i64w *outside,
                                          quotient *squared)
{
    wide3 e = subtract(a[1], a[0]), g = subtract(b[1], b[0]);
    wide3 w = subtract(a[0], b[0]), from_a1 = subtract(a[1], b[0]), to_b1 = subtract(a[0], b[1]);
    wide size = snag__f64w_max(snag__f64w_max(largest(e), largest(g)),
                               snag__f64w_max(largest(w), snag__f64w_max(largest(from_a1), largest(to_b1))));
    wide3 n = cross(e, g);
    wide n_size = largest(n);
    // past > 0: the lines are closest beyond that end, as in distance.c.
    wide3 m[4] = {cross(w, g), cross(g, from_a1), cross(w, e), cross(e, to_b1)};
    snag__i64w in_bounds = in_window(size), in = in_bounds, out = snag__i64w_all(0);
    for (int i = 0; i < 4; i++) {
        wide past = dot(m[i], n), error = SNAG__SIDE_ERROR(size, n_size, largest(m[i]));
        in &= snag__f64w_lt(past, -error);
        out |= snag__f64w_lt(error, past);
    }
    *inside = in;
    *outside = out & in_bounds;
    wide h = snag__f64w_abs(dot(n, w)), h_error = SNAG__HEIGHT_ERROR(size * size * size), hh = h * h;
    squared->top = hh;
    squared->top_error = (2 * h + h_error) * h_error + 4 * SNAG__U * hh;
    squared->bottom = dot(n, n);
    squared->bottom_error = SNAG__SQUARE_ERROR(squared->bottom, n_size, SNAG__CROSS_ERROR(size * size));
    return in_bounds;
}

static size_t edge_edges_crossing(const snag__edge_edges *pairs, double d, uint32_t *near, uint8_t *sure)
{
    const reach reach_d = reach_of(d);
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i += LANES_F64) {
        size_t lanes = pairs->count - i < LANES_F64 ? pairs->count - i : LANES_F64;
        uint32_t all = (1u << lanes) - 1u;
        wide3 a[2], b[2];
        load_edge_edges(pairs, i, lanes, a, b);
        snag__i64w inside, outside;
        quotient squared;
        snag__i64w in_bounds = edge_edge_inside(a, b, &inside, &outside, &squared);
        uint32_t left = all & ~snag__i64w_bits(outside);
        uint32_t inside_bits = snag__i64w_bits(inside);
        uint32_t sure_bits = inside_bits & snag__i64w_bits(is_within(&squared, reach_d));
        left &= ~snag__i64w_bits(is_farther(&squared, reach_d) & in_bounds);
        if (left & ~sure_bits)
            left &= ~snag__i64w_bits(edge_edges_farther(a, b, reach_d)) | sure_bits;
        for (; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            sure[count] = sure_bits >> lane & 1;
            near[count++] = (uint32_t)i + lane;
        }
    }
    return count;
}

// The features of two edges that hold the closest points, as sets of ends: those of a in bits 0..1, those of b in bits 2..3; 0 where a
// sign is in doubt. The signs are those of distance.c. And the squared distance as a quotient.
static inline snag__i64w edge_edge_features(const wide3 a[2], const wide3 b[2], quotient *squared)
{
    const wide one = snag__f64w_all(1.0), zero = snag__f64w_all(0.0);
    wide3 e = subtract(a[1], a[0]), g = subtract(b[1], b[0]), gap[2][2], n = cross(e, g), m_a[2], m_b[2];
    wide size = snag__f64w_max(largest(e), largest(g)), n_size = largest(n);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            gap[i][j] = subtract(a[i], b[j]);
            size = snag__f64w_max(size, largest(gap[i][j]));
        }
    wide doubt = SNAG__DOT_ERROR(size);
    snag__i64w inside = in_window(size), past_a[2], past_b[2], end_a[2], end_b[2];
    for (int i = 0; i < 2; i++) {
        m_a[i] = cross(gap[i][0], g);
        m_b[i] = cross(gap[0][i], e);
        wide along_a = dot(m_a[i], n), along_b = dot(m_b[i], n);
        along_a = i == 0 ? along_a : -along_a;
        along_b = i == 0 ? along_b : -along_b;
        wide error_a = SNAG__SIDE_ERROR(size, n_size, largest(m_a[i])), error_b = SNAG__SIDE_ERROR(size, n_size, largest(m_b[i]));
        inside &= snag__f64w_lt(along_a, -error_a) & snag__f64w_lt(along_b, -error_b);
        past_a[i] = snag__f64w_lt(error_a, along_a);
        past_b[i] = snag__f64w_lt(error_b, along_b);
    }
    wide along_e[2][2], along_g[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            along_e[i][j] = dot(gap[i][j], e);
            along_g[i][j] = dot(gap[i][j], g);
        }
    // An end of one edge and the inside of the other; then two ends.
    for (int i = 0; i < 2; i++) {
        end_a[i] = past_a[i] & snag__f64w_lt(doubt, along_g[i][0]) & snag__f64w_lt(along_g[i][1], -doubt);
        end_b[i] = past_b[i] & snag__f64w_lt(along_e[0][i], -doubt) & snag__f64w_lt(doubt, along_e[1][i]);
    }
    snag__i64w feature = inside & 15, known = inside;
    wide3 top = m_a[0], bottom = g;
    for (int i = 0; i < 2; i++) {
        feature |= (end_a[i] & ~known) & (1 << i | 12);
        top = choose(end_a[i] & ~known, m_a[i], top);
        known |= end_a[i];
        feature |= (end_b[i] & ~known) & (3 | 4 << i);
        top = choose(end_b[i] & ~known, m_b[i], top);
        bottom = choose(end_b[i] & ~known, e, bottom);
        known |= end_b[i];
    }
    snag__i64w ends = snag__i64w_all(0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            snag__i64w beyond_a = i == 0 ? snag__f64w_lt(doubt, along_e[i][j]) : snag__f64w_lt(along_e[i][j], -doubt);
            snag__i64w beyond_b = j == 0 ? snag__f64w_lt(along_g[i][j], -doubt) : snag__f64w_lt(doubt, along_g[i][j]);
            snag__i64w here = beyond_a & beyond_b & ~known;
            feature |= here & (1 << i | 4 << j);
            top = choose(here, gap[i][j], top);
            known |= here;
            ends |= here;
        }
    wide h = snag__f64w_abs(dot(n, gap[0][0])), h_error = SNAG__HEIGHT_ERROR(size * size * size), hh = h * h;
    wide cross_error = SNAG__CROSS_ERROR(size * size), square = dot(top, top), nn = dot(n, n), bottom_square = dot(bottom, bottom);
    squared->top = snag__f64w_select(inside, hh, square);
    squared->top_error = snag__f64w_select(inside, (2 * h + h_error) * h_error + 4 * SNAG__U * hh,
                                           SNAG__SQUARE_ERROR(square, largest(top), snag__f64w_select(ends, zero, cross_error)));
    squared->bottom = snag__f64w_select(inside, nn, snag__f64w_select(ends, one, bottom_square));
    squared->bottom_error = snag__f64w_select(inside, SNAG__SQUARE_ERROR(nn, n_size, cross_error),
                                              snag__f64w_select(ends, zero, 8 * SNAG__U * bottom_square));
    return feature & in_window(size);
}

static inline wide edge_edge_distances(const wide3 a[2], const wide3 b[2], snag__i64w feature)
{
    snag__i64w of_a = feature & 3, of_b = feature >> 2, whole_a = SNAG__MASK64(of_a == 3), whole_b = SNAG__MASK64(of_b == 3);
    snag__i64w known = SNAG__MASK64(feature != 0);
    const mixture of = {whole_a & whole_b, whole_a ^ whole_b, known & ~(whole_a | whole_b)};
    wide3 end_a = choose(SNAG__MASK64(of_a == 2), a[1], a[0]), end_b = choose(SNAG__MASK64(of_b == 2), b[1], b[0]);
    snag__i64w good[3] = {snag__i64w_all(0), snag__i64w_all(0), snag__i64w_all(0)};
    wide value[3] = {snag__f64w_all(0), snag__f64w_all(0), snag__f64w_all(0)};
    if (any(of.is_whole))
        value[0] = measure_edges((wide3[4]){a[0], a[1], b[0], b[1]}, &good[0]);
    if (any(of.is_edge))
        value[1] = measure_edge((wide3[4]){choose(whole_a, end_b, end_a), choose(whole_a, a[0], b[0]), choose(whole_a, a[1], b[1])},
                                &good[1]);
    if (any(of.is_vertex))
        value[2] = measure_vertices((wide3[4]){end_a, end_b}, &good[2]);
    return mixed(of, value[0], good[0], value[1], good[1], value[2], good[2]);
}

static size_t edge_edges_seen(const snag__edge_edges *pairs, double d, uint32_t *near, uint8_t *feature, double *distance)
{
    const reach reach_d = reach_of(d);
    size_t count = 0, measured = 0;
    for (size_t i = 0; i < pairs->count; i += LANES_F64) {
        size_t lanes = pairs->count - i < LANES_F64 ? pairs->count - i : LANES_F64;
        uint32_t all = (1u << lanes) - 1u;
        wide3 a[2], b[2];
        load_edge_edges(pairs, i, lanes, a, b);
        quotient squared;
        snag__i64w seen = edge_edge_features(a, b, &squared), known = seen != 0;
        uint32_t known_bits = snag__i64w_bits(SNAG__MASK64(known)) & all;
        uint32_t far_bits = snag__i64w_bits(is_farther(&squared, reach_d)) & known_bits;
        uint32_t within_bits = snag__i64w_bits(is_within(&squared, reach_d)) & known_bits;
        if (known_bits != all)
            far_bits |= snag__i64w_bits(edge_edges_farther(a, b, reach_d)) & all & ~known_bits;
        count = keep_seen(i, lanes, all & ~far_bits, within_bits, seen, count, near, feature);
        if (distance != NULL) {
            snag__i64w sure;
            wide values = snag__f64w_select(SNAG__MASK64(known), float_distance(&squared, &sure), snag__f64w_all(-1.0));
            if ((known_bits & ~far_bits & ~snag__i64w_bits(sure)) != 0)
                values = snag__f64w_select(sure, values, edge_edge_distances(a, b, seen));
            measured = keep_distances(lanes, all & ~far_bits, values, measured, distance);
        }
    }
    return count;
}

// ---- distances of listed points ----

static void measure(snag_contact_kind kind, const double *const (*points)[4], size_t count, double *distance)
{
    int corners = kind == SNAG_VERTEX_VERTEX ? 2 : kind == SNAG_VERTEX_EDGE ? 3 : 4;
    for (size_t i = 0; i < count; i += LANES_F64) {
        size_t lanes = count - i < LANES_F64 ? count - i : LANES_F64;
        wide3 x[4];
        for (int k = 0; k < corners; k++) {
            const double *corner[SNAG__LANES_F64];
            for (size_t lane = 0; lane < LANES_F64; lane++)
                corner[lane] = points[i + (lane < lanes ? lane : 0)][k];
            x[k] = gather(corner);
        }
        snag__i64w good;
        wide value = kind == SNAG_VERTEX_VERTEX ? measure_vertices(x, &good)
                     : kind == SNAG_VERTEX_EDGE ? measure_edge(x, &good)
                     : kind == SNAG_VERTEX_FACE ? measure_face(x, &good)
                                                : measure_edges(x, &good);
        double all[SNAG__LANES_F64];
        snag__f64w_store(all, snag__f64w_select(good, value, snag__f64w_all(-1.0)));
        memcpy(distance + i, all, lanes * sizeof *distance);
    }
}

extern const snag__distance_kernels SNAG__KERNEL(snag__distance_kernels);
const snag__distance_kernels SNAG__KERNEL(snag__distance_kernels) = {
    .vertex_triangles_near = vertex_triangles_near,
    .edge_edges_near = edge_edges_near,
    .vertex_triangles_seen = vertex_triangles_seen,
    .edge_edges_seen = edge_edges_seen,
    .edge_edges_crossing = edge_edges_crossing,
    .measure = measure,
};
