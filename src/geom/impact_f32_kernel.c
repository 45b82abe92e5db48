// Kernels of impact_f32.h.
//
// Along a fixed direction w two points on straight paths have a distance that is linear in time. So if every corner of one side lies
// more than d |w| beyond every corner of the other along w, at t0 and at the end of the span, they stay more than d apart, whatever w
// is. A rough w proves less, never too much, so only the last dot products need an error bound. With the unit roundoff u = 2^-24 and
// m the larger magnitude of a difference of corners at both ends of the move:
//
// - A coordinate is off by at most r (`rounding`) at both ends of the move, and so at any time between. A difference of two is off by
//   2 r and by its own rounding, u m.
// - At the end of the span it is x0 + span (x1 - x0): the inner difference is at most 2 m and rounds by 2 u m, the product by as much,
//   the sum by u m. With what both ends were off by, the difference is off by at most 2 r + 6 u m.
// - A dot product of it with w rounds three times: it is off by at most (2 r + 9.1 u m) |w|, with |w| the sum of the coordinates'
//   magnitudes.
// - `least` sums at most three dot products. Their m together are at most `size`, so that it is off by at most
//   (6 r + 27.3 u size + 3 u size) |w|; (8 r + 32 u size) |w| also covers the rounding of this bound.
// - least - error, its square, w.w and d^2 w.w are each off by a few u of themselves, as long as nothing underflows: `distance` is
//   raised by 2^-18 of itself, and nothing is proven by numbers below 1e-30.
//
// Directions, by cost: first the axes and the line between the middles, averaged over both ends; for what is left the lines between
// the closest points at t0, at the end of the span and between. Two boxes of one side at both ends of the move are what the axes
// compare: boxes of the whole move overlap four times as often.
#include "geom/f32_gather.h"
#include "geom/impact_f32.h"

#define LANES ((size_t)SNAG__LANES_F32)
#define SNAG__INLINE static inline __attribute__((always_inline))

typedef snag__f32w f32w;
typedef snag__i32w i32w;

typedef snag__f32_vec3 vec3;

SNAG__INLINE vec3 add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

SNAG__INLINE vec3 subtract(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SNAG__INLINE f32w dot(vec3 a, vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

// a - s b
SNAG__INLINE vec3 without(vec3 a, f32w s, vec3 b)
{
    return (vec3){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}

SNAG__INLINE vec3 choose(i32w mask, vec3 a, vec3 b)
{
    return (vec3){snag__f32w_select(mask, a.x, b.x), snag__f32w_select(mask, a.y, b.y), snag__f32w_select(mask, a.z, b.z)};
}

SNAG__INLINE f32w magnitude(f32w x)
{
#if SNAG__LANES_F32 == 1
    return fabsf(x);
#else
    return (f32w)((i32w)x & snag__i32w_all(INT32_MAX));
#endif
}

SNAG__INLINE f32w largest(vec3 a, vec3 b)
{
    f32w x = snag__f32w_max(magnitude(a.x), magnitude(b.x)), y = snag__f32w_max(magnitude(a.y), magnitude(b.y));
    return snag__f32w_max(snag__f32w_max(x, y), snag__f32w_max(magnitude(a.z), magnitude(b.z)));
}

// Into 0..1; NaN (from 0 / 0) becomes 0.
SNAG__INLINE f32w unit_interval(f32w x)
{
    return snag__f32w_min(snag__f32w_max(x, snag__f32w_all(0)), snag__f32w_all(1));
}

// Two sides at t0 and at the end of the span. Edges: e along a, g along b, w from b's first end to a's. Vertex and triangle: w from
// corner 0 to the vertex, e and g to corners 1 and 2.
typedef struct lanes {
    vec3 e[2], g[2], w[2];
    f32w size;
    i32w shared;
} lanes;

SNAG__INLINE vec3 at_span(vec3 from, vec3 to, f32w span)
{
    return without(from, -span, subtract(to, from));
}

// The kinds of sides: edges, or triangles as rows and vertices as columns, by their numbers or by ids.
typedef enum sides { EDGES, VERTICES, VERTICES_BY_IDS } sides;

SNAG__INLINE lanes load(const snag__f32_impacts *c, const uint32_t (*pairs)[2], sides kind)
{
    const bool edges = kind == EDGES;
    lanes l;
    vec3 x[2][4];
    i32w number[4];
    const uint32_t row_corners = edges ? 2 : 3, column_corners = edges ? 2 : kind == VERTICES ? 0 : 1;
    const snag__f32_side rows = {c->row_vertices->end, 2, c->rows, row_corners, 0};
    const snag__f32_side columns = {c->column_vertices->end, 2, c->columns, column_corners, 1};
    for (uint32_t k = 0; k < 4; k++) {
        vec3 ends[2];
        i32w numbers[2];
        snag__f32_gather_twos(k < row_corners ? &rows : &columns, pairs, k < row_corners ? k : k - row_corners, ends, numbers);
        number[k] = numbers[0];
        x[0][k] = ends[0];
        x[1][k] = ends[1];
    }
    for (int end = 0; end < 2; end++) {
        l.e[end] = subtract(x[end][1], x[end][0]);
        l.g[end] = edges ? subtract(x[end][3], x[end][2]) : subtract(x[end][2], x[end][0]);
        l.w[end] = edges ? subtract(x[end][0], x[end][2]) : subtract(x[end][3], x[end][0]);
    }
    f32w e = largest(l.e[0], l.e[1]), g = largest(l.g[0], l.g[1]), w = largest(l.w[0], l.w[1]), span = snag__f32w_all(c->span);
    l.size = w + (edges ? e + g : snag__f32w_max(e, g));
    if (c->span < 1) {
        l.e[1] = at_span(l.e[0], l.e[1], span);
        l.g[1] = at_span(l.g[0], l.g[1], span);
        l.w[1] = at_span(l.w[0], l.w[1], span);
    }
    l.shared = snag__i32w_eq(number[3], number[0]) | snag__i32w_eq(number[3], number[1]);
    l.shared |=
        edges ? snag__i32w_eq(number[2], number[0]) | snag__i32w_eq(number[2], number[1]) : snag__i32w_eq(number[3], number[2]);
    return l;
}

// ---- the proof ----

typedef struct reach {
    f32w raised, squared;  // the distance, and its square
    f32w rounding;  // of eight coordinates
} reach;

SNAG__INLINE reach reach_of(const snag__f32_impacts *c)
{
    float d = c->distance * (1 + 0x1p-18f);
    return (reach){snag__f32w_all(d), snag__f32w_all(d * d), snag__f32w_all(8 * c->rounding)};
}

// The smallest difference of corners along n at one end, from b to a, or from triangle to vertex.
SNAG__INLINE f32w least_along(const lanes *l, int end, vec3 n, bool edges)
{
    const f32w zero = snag__f32w_all(0);
    f32w w = dot(l->w[end], n), e = dot(l->e[end], n), g = dot(l->g[end], n);
    return edges ? (w + snag__f32w_min(e, zero)) - snag__f32w_max(g, zero) : w - snag__f32w_max(snag__f32w_max(e, g), zero);
}

// Where n, which leads from b to a, keeps them apart.
SNAG__INLINE i32w keeps_apart(const lanes *l, vec3 n, reach d, bool edges)
{
    const f32w tiny = snag__f32w_all(1e-30f), zero = snag__f32w_all(0);
    f32w sum = (magnitude(n.x) + magnitude(n.y)) + magnitude(n.z);
    f32w least = snag__f32w_min(least_along(l, 0, n, edges), least_along(l, 1, n, edges));
    f32w sure = least - (d.rounding + snag__f32w_all(0x1p-19f) * l->size) * sum;
    f32w square = sure * sure, nn = dot(n, n);
    return snag__f32w_lt(zero, sure) & snag__f32w_lt(tiny, square) & snag__f32w_lt(tiny, nn) &
           snag__f32w_lt(d.squared * nn, square);
}

// The same for an axis, in both senses. Here `least` has no products and no sums of them.
SNAG__INLINE i32w axis_keeps_apart(const f32w e[2], const f32w g[2], const f32w w[2], f32w bound, bool edges)
{
    const f32w zero = snag__f32w_all(0);
    f32w up[2], down[2];
    for (int end = 0; end < 2; end++) {
        f32w e_min = snag__f32w_min(e[end], zero), e_max = snag__f32w_max(e[end], zero);
        f32w g_min = snag__f32w_min(g[end], zero), g_max = snag__f32w_max(g[end], zero);
        up[end] = edges ? (w[end] + e_min) - g_max : w[end] - snag__f32w_max(e_max, g_max);
        down[end] = edges ? (w[end] + e_max) - g_min : w[end] - snag__f32w_min(e_min, g_min);
    }
    return snag__f32w_lt(bound, snag__f32w_min(up[0], up[1])) | snag__f32w_lt(snag__f32w_max(down[0], down[1]), -bound);
}

SNAG__INLINE i32w axes_keep_apart(const lanes *l, reach d, bool edges)
{
    f32w bound = (d.rounding + snag__f32w_all(0x1p-19f) * l->size) + d.raised;
#define AXIS(k)                                                                                                                    \
    axis_keeps_apart((const f32w[2]){l->e[0].k, l->e[1].k}, (const f32w[2]){l->g[0].k, l->g[1].k},                                 \
                     (const f32w[2]){l->w[0].k, l->w[1].k}, bound, edges)
    return AXIS(x) | AXIS(y) | AXIS(z);
#undef AXIS
}

// From the middle of b to that of a, times a number.
SNAG__INLINE vec3 between_middles(const lanes *l, int end, bool edges)
{
    vec3 w = l->w[end], twice = add(w, w);
    if (edges)
        return add(twice, subtract(l->e[end], l->g[end]));
    return subtract(add(twice, w), add(l->e[end], l->g[end]));
}

// ---- lines between closest points, roughly ----

SNAG__INLINE vec3 vertex_separation(vec3 q, vec3 e, vec3 f)
{
    const f32w zero = snag__f32w_all(0);
    f32w ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), qe = dot(q, e), qf = dot(q, f);
    f32w alpha = ff * qe - ef * qf, beta = ee * qf - ef * qe, det = ee * ff - ef * ef;
    // Inside: the foot on the plane. Else the closest of the three edges.
    vec3 along_e = without(q, unit_interval(qe / ee), e), along_f = without(q, unit_interval(qf / ff), f);
    vec3 g = subtract(f, e), r = subtract(q, e);
    vec3 along_g = without(r, unit_interval(dot(r, g) / dot(g, g)), g);
    f32w e2 = dot(along_e, along_e), f2 = dot(along_f, along_f), g2 = dot(along_g, along_g);
    i32w f_closer = snag__f32w_lt(f2, e2);
    vec3 best = choose(f_closer, along_f, along_e);
    best = choose(snag__f32w_lt(g2, snag__f32w_select(f_closer, f2, e2)), along_g, best);
    f32w inverse = snag__f32w_all(1) / det;
    vec3 foot = without(without(q, alpha * inverse, e), beta * inverse, f);
    i32w inside = snag__f32w_lt(zero, alpha) & snag__f32w_lt(zero, beta) & snag__f32w_lt(alpha + beta, det);
    return choose(inside, foot, best);
}

SNAG__INLINE vec3 edge_separation(vec3 w, vec3 e, vec3 g)
{
    f32w ee = dot(e, e), gg = dot(g, g), eg = dot(e, g), ew = dot(e, w), gw = dot(g, w);
    // On the lines, clamped to a; then the closest on b, clamped to b; then the closest on a to that.
    f32w s = unit_interval((eg * gw - gg * ew) / (ee * gg - eg * eg));
    f32w t = unit_interval((eg * s + gw) / gg);
    s = unit_interval((eg * t - ew) / ee);
    return without(without(w, -s, e), t, g);
}

SNAG__INLINE i32w closest_keep_apart(const lanes *l, vec3 w, vec3 e, vec3 g, reach d, bool edges)
{
    return keeps_apart(l, edges ? edge_separation(w, e, g) : vertex_separation(w, e, g), d, edges);
}

// ---- blocks of pairs ----

SNAG__INLINE i32w first_look(const lanes *l, reach d, bool edges)
{
    i32w gone = axes_keep_apart(l, d, edges);
    return gone | keeps_apart(l, add(between_middles(l, 0, edges), between_middles(l, 1, edges)), d, edges);
}

SNAG__INLINE i32w second_look(const lanes *l, reach d, bool edges)
{
    i32w gone = closest_keep_apart(l, l->w[0], l->e[0], l->g[0], d, edges);
    if (snag__i32w_bits(gone) == SNAG__ALL_F32)
        return gone;
    gone |= closest_keep_apart(l, l->w[1], l->e[1], l->g[1], d, edges);
    if (snag__i32w_bits(gone) == SNAG__ALL_F32)
        return gone;
    // In the middle, twice as large as it is.
    return gone | closest_keep_apart(l, add(l->w[0], l->w[1]), add(l->e[0], l->e[1]), add(l->g[0], l->g[1]), d, edges);
}

SNAG__INLINE size_t look(const snag__f32_impacts *c, const uint32_t (*pairs)[2], size_t count, sides kind, bool again,
                         uint32_t (*kept)[2], size_t *shared)
{
    const bool edges = kind == EDGES;
    const reach d = reach_of(c);
    const i32w same = snag__i32w_all(c->same_body ? -1 : 0);
    size_t left_count = 0;
    for (size_t i = 0; i < count; i += LANES) {
        size_t lanes_used = count - i < LANES ? count - i : LANES;
        uint32_t room[SNAG__LANES_F32][2];
        lanes l = load(c, snag__f32_block(pairs + i, lanes_used, room), kind);
        uint32_t used = (uint32_t)((1ull << lanes_used) - 1u), left = used;
        if (again) {
            left &= ~snag__i32w_bits(second_look(&l, d, edges));
        } else {
            uint32_t sharing = snag__i32w_bits(l.shared & same) & used;
            *shared += (size_t)__builtin_popcount(sharing);
            left &= ~(sharing | snag__i32w_bits(first_look(&l, d, edges)));
        }
        // What is kept may be written over what was read.
        left_count += snag__f32_keep(pairs + i, lanes_used, left, kept + left_count);
    }
    return left_count;
}

SNAG__INLINE size_t filter(const snag__f32_impacts *c, sides kind, uint32_t (*kept)[2], size_t *shared)
{
    size_t count = look(c, c->pairs, c->count, kind, false, kept, shared);
    return look(c, (const uint32_t(*)[2])kept, count, kind, true, kept, shared);
}

static size_t triangle_vertices(const snag__f32_impacts *c, uint32_t (*kept)[2], size_t *shared)
{
    return c->columns != NULL ? filter(c, VERTICES_BY_IDS, kept, shared) : filter(c, VERTICES, kept, shared);
}

static size_t edge_edges(const snag__f32_impacts *c, uint32_t (*kept)[2], size_t *shared)
{
    return filter(c, EDGES, kept, shared);
}

const snag__f32_impact_kernels SNAG__KERNEL(snag__f32_impact_kernels) = {
    .triangle_vertices = triangle_vertices,
    .edge_edges = edge_edges,
};
