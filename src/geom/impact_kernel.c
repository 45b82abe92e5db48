// The SIMD filter of the impact test: rejects pairs that clearly do not meet.
//
// Along a fixed direction the distance of two points on straight paths is linear in time. So if a direction keeps all points of a on
// one side of all points of b at t0 and t1, the pair is free. Tried in the order of cost: the line between the midpoints of both
// sides, averaged over both ends of the move (rejects 80 % of the candidates of a folding cloth; no cross product); for the rest, the
// normal at t0, at t1 and in the middle of the move, and the line between the midpoints at t0 and at t1; then the Bernstein
// coefficients of the volume of the four points: if they have one sign it is never zero.
//
// All coordinates are relative to point 0, in double. A direction is used as computed, so only its products with the points are
// rounded; the bounds are proven in docs/design/impacts.md. Overflow and underflow reject nothing.
//
// If only a part of the move counts, its end takes the place of t1.
#include "base/assert.h"
#include "base/simd.h"
#include "geom/impact.h"

// Pairs at a time; a multiple of every number of lanes.
#define BLOCK 64

// Error of the product of a direction with a point, relative to the sum of the magnitudes of its terms.
#define PROJECTION_BOUND 0x1p-49
// Error of a Bernstein coefficient of the volume (the middle ones times three), relative to the product of the largest x, y, z.
#define VOLUME_BOUND 0x1p-45
// The same where the end of a part of the move takes the place of t1.
#define PART_PROJECTION_BOUND 0x1p-48
#define PART_VOLUME_BOUND 0x1p-43
// With a separation the later stages are not exact. Relative to the largest coordinate, this is more than their error, so that they
// agree with whatever is rejected here, and the answer does not depend on the order of the vertices.
#define REACH_MARGIN 0x1p-40
// Far above underflow.
#define SMALLEST 0x1p-1000
// Larger coordinates may overflow: such pairs are left open.
#define LARGEST 0x1p300

// Points 1, 2, 3 relative to point 0 of a block of pairs, at t0 and t1: [end][point - 1][axis][pair].
typedef struct block {
    double x[2][3][3][BLOCK];
    uint32_t pair[BLOCK];
    size_t count;
} block;

typedef struct vec {
    snag__f64w x, y, z;
} vec;

// The points of one pair in each lane.
typedef struct lanes {
    vec at[2][3];
    vec largest;  // magnitude along each axis
    snag__f64w all;  // the largest of these
    snag__f64w reach;
    snag__i64w usable;
    bool edges, touch, part;
} lanes;

static inline vec add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec subtract(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline snag__f64w dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline vec magnitude(vec a)
{
    return (vec){snag__f64w_abs(a.x), snag__f64w_abs(a.y), snag__f64w_abs(a.z)};
}

static inline vec larger(vec a, vec b)
{
    return (vec){snag__f64w_max(a.x, b.x), snag__f64w_max(a.y, b.y), snag__f64w_max(a.z, b.z)};
}

static inline vec between(vec from, vec to, double t)
{
    vec way = subtract(to, from);
    snag__f64w part = snag__f64w_all(t);
    return (vec){from.x + part * way.x, from.y + part * way.y, from.z + part * way.z};
}

static inline vec load(double (*x)[BLOCK], size_t lane)
{
    return (vec){snag__f64w_load(&x[0][lane]), snag__f64w_load(&x[1][lane]), snag__f64w_load(&x[2][lane])};
}

static inline lanes load_lanes(block *b, size_t lane, bool edges, double reach, double span)
{
    lanes l = {.reach = snag__f64w_all(reach), .edges = edges, .touch = reach == 0, .part = span > 0 && span < 1};
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 3; i++)
            l.at[end][i] = load(b->x[end][i], lane);
    l.largest = magnitude(l.at[0][0]);
    for (int i = 1; i < 6; i++)
        l.largest = larger(l.largest, magnitude(l.at[i / 3][i % 3]));
    l.all = snag__f64w_max(l.largest.x, snag__f64w_max(l.largest.y, l.largest.z));
    l.usable = snag__f64w_lt(l.all, snag__f64w_all(LARGEST));
    if (!l.touch)
        l.reach += snag__f64w_all(REACH_MARGIN) * l.all;
    for (int i = 0; i < 3 && l.part; i++)
        l.at[1][i] = between(l.at[0][i], l.at[1][i], span);
    return l;
}

// Where all points of b are at least `least` above all points of a along n at one end, and where below.
static inline void side_along(const lanes *l, int end, vec n, snag__f64w least, snag__i64w *above, snag__i64w *below)
{
    snag__f64w p0 = dot(n, l->at[end][0]), p1 = dot(n, l->at[end][1]), p2 = dot(n, l->at[end][2]);
    snag__f64w zero = snag__f64w_all(0);
    if (l->edges) {  // a is point 0, at zero, and p0; b is p1 and p2
        *above &= snag__f64w_lt(snag__f64w_max(zero, p0) + least, snag__f64w_min(p1, p2));
        *below &= snag__f64w_lt(snag__f64w_max(p1, p2) + least, snag__f64w_min(zero, p0));
    } else {
        *above &= snag__f64w_lt(least, snag__f64w_min(p0, snag__f64w_min(p1, p2)));
        *below &= snag__f64w_lt(snag__f64w_max(p0, snag__f64w_max(p1, p2)), -least);
    }
}

// Where n keeps the sides apart from t0 to t1.
static inline snag__i64w keeps_apart(const lanes *l, vec n)
{
    vec m = magnitude(n);
    snag__f64w least = l->reach * (m.x + m.y + m.z) +
                       snag__f64w_all(l->part ? PART_PROJECTION_BOUND : PROJECTION_BOUND) * dot(m, l->largest) +
                       snag__f64w_all(SMALLEST);
    snag__i64w above = l->usable, below = l->usable;
    side_along(l, 0, n, least, &above, &below);
    side_along(l, 1, n, least, &above, &below);
    return above | below;
}

// From the midpoint of b to that of a, times a positive number.
static inline vec between_middles(const lanes *l, int end)
{
    vec b = add(l->at[end][1], l->at[end][2]);
    return l->edges ? subtract(l->at[end][0], b) : add(l->at[end][0], b);
}

// The two directions that span the plane of the contact.
static inline vec first_span(const lanes *l, int end)
{
    return l->edges ? l->at[end][0] : subtract(l->at[end][1], l->at[end][0]);
}

static inline vec second_span(const lanes *l, int end)
{
    return subtract(l->at[end][2], l->at[end][l->edges ? 1 : 0]);
}

// Where the volume of the four points has one sign from t0 to t1.
static inline snag__i64w volume_keeps_sign(const lanes *l)
{
    const vec *p = l->at[0], *q = l->at[1];
    vec n0 = cross(p[1], p[2]), n2 = cross(q[1], q[2]), n1 = add(cross(p[1], q[2]), cross(q[1], p[2]));
    snag__f64w f0 = dot(n0, p[0]), f1 = dot(n0, q[0]) + dot(n1, p[0]);
    snag__f64w f2 = dot(n2, p[0]) + dot(n1, q[0]), f3 = dot(n2, q[0]);
    snag__f64w size = l->largest.x * l->largest.y * l->largest.z;
    // Underflow in a product of two coordinates is multiplied by the third.
    snag__f64w lost = snag__f64w_all(SMALLEST) * snag__f64w_max(snag__f64w_all(1), l->all);
    snag__f64w least = snag__f64w_all(l->part ? PART_VOLUME_BOUND : VOLUME_BOUND) * size + lost;
    snag__f64w lowest = snag__f64w_min(snag__f64w_min(f0, f1), snag__f64w_min(f2, f3));
    snag__f64w highest = snag__f64w_max(snag__f64w_max(f0, f1), snag__f64w_max(f2, f3));
    return l->usable & (snag__f64w_lt(least, lowest) | snag__f64w_lt(highest, -least));
}

static inline snag__i64w first_look(const lanes *l)
{
    return keeps_apart(l, add(between_middles(l, 0), between_middles(l, 1)));
}

static inline snag__i64w second_look(const lanes *l)
{
    vec a0 = first_span(l, 0), b0 = second_span(l, 0), a1 = first_span(l, 1), b1 = second_span(l, 1);
    snag__i64w rejected = keeps_apart(l, cross(a0, b0)) | keeps_apart(l, cross(a1, b1));
    if (snag__i64w_bits(rejected) == SNAG__ALL_F64)
        return rejected;
    rejected |= keeps_apart(l, cross(add(a0, a1), add(b0, b1)));
    rejected |= keeps_apart(l, between_middles(l, 0)) | keeps_apart(l, between_middles(l, 1));
    return l->touch ? rejected | volume_keeps_sign(l) : rejected;
}

// ---- blocks of pairs ----

static inline void gather_side(const snag__impact_side *side, const uint32_t *vertices, int count, const double *x[2][4], int first)
{
    for (int i = 0; i < count; i++) {
        x[0][first + i] = side->x_t0[vertices[i]];
        x[1][first + i] = side->x_t1[vertices[i]];
    }
}

// Adds a pair to the block.
static inline void gather(const snag__impact_run *run, bool edges, size_t pair, block *b)
{
    uint32_t ia = run->pairs[pair][run->a_column], ib = run->pairs[pair][1 - run->a_column];
    const double *x[2][4];
    if (edges) {
        gather_side(&run->a, &run->a.elements[2 * (size_t)ia], 2, x, 0);
        gather_side(&run->b, &run->b.elements[2 * (size_t)ib], 2, x, 2);
    } else {
        gather_side(&run->a, &ia, 1, x, 0);
        gather_side(&run->b, &run->b.elements[3 * (size_t)ib], 3, x, 1);
    }
    size_t lane = b->count++;
    b->pair[lane] = (uint32_t)pair;
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                b->x[end][i][k][lane] = x[end][i + 1][k] - x[end][0][k];
}

// Zeroes the lanes after the last pair, which are not counted. Most runs are short: clearing whole blocks took more time than all else.
static inline void fill_up(block *b)
{
    size_t end = (b->count + SNAG__LANES_F64 - 1) / SNAG__LANES_F64 * SNAG__LANES_F64;
    for (size_t lane = b->count; lane < end; lane++)
        for (int end_of_move = 0; end_of_move < 2; end_of_move++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    b->x[end_of_move][i][k][lane] = 0;
}

static inline uint32_t open_lanes(const block *b, size_t lane, snag__i64w rejected)
{
    uint32_t open = ~snag__i64w_bits(rejected) & SNAG__ALL_F64;
    size_t left = b->count - lane;
    return left < SNAG__LANES_F64 ? open & ((1u << left) - 1u) : open;
}

static inline size_t look_again(const snag__impact_run *run, bool edges, block *b, uint32_t *open)
{
    size_t count = 0;
    fill_up(b);
    for (size_t lane = 0; lane < b->count; lane += SNAG__LANES_F64) {
        lanes l = load_lanes(b, lane, edges, run->reach, run->span);
        for (uint32_t left = open_lanes(b, lane, second_look(&l)); left != 0; left &= left - 1)
            open[count++] = b->pair[lane + (size_t)__builtin_ctz(left)];
    }
    b->count = 0;
    return count;
}

// The first look needs all points of all pairs; the pairs that it leaves are gathered again (their points are in the cache) so that
// the second look has no idle lanes.
static inline size_t filter_pairs(const snag__impact_run *run, bool edges, size_t first, size_t end, uint32_t *open)
{
    block all, left;
    size_t count = 0;
    all.count = left.count = 0;
    for (size_t start = first; start < end; start += BLOCK) {
        size_t stop = end - start < BLOCK ? end : start + BLOCK;
        for (size_t i = start; i < stop; i++)
            gather(run, edges, i, &all);
        fill_up(&all);
        for (size_t lane = 0; lane < all.count; lane += SNAG__LANES_F64) {
            lanes l = load_lanes(&all, lane, edges, run->reach, run->span);
            for (uint32_t bits = open_lanes(&all, lane, first_look(&l)); bits != 0; bits &= bits - 1) {
                gather(run, edges, all.pair[lane + (size_t)__builtin_ctz(bits)], &left);
                if (left.count == BLOCK)
                    count += look_again(run, edges, &left, open + count);
            }
        }
        all.count = 0;
    }
    return count + look_again(run, edges, &left, open + count);
}

static size_t filter(const snag__impact_run *run, size_t first, size_t end, uint32_t *open)
{
    SNAG__ASSERT(first <= end && end <= UINT32_MAX && run->a_column < 2 && run->reach >= 0);
    if (run->pair == SNAG__IMPACT_EDGE_EDGE)
        return filter_pairs(run, true, first, end, open);
    return filter_pairs(run, false, first, end, open);
}

extern const snag__impact_kernels SNAG__KERNEL(snag__impact_kernels);
const snag__impact_kernels SNAG__KERNEL(snag__impact_kernels) = {filter};
