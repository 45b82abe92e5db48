// Kernels of probe_kernel.h, in double precision throughout: boxes are floats, but points and rays may lie far from them, where float
// arithmetic would tell little.
//
// Errors. With u = 2^-53, and all corners within `size` of the point or origin along each axis (coordinates relative to it are exact to u):
// - Squared distances of boxes have a relative error below 8 u, those of triangles an absolute one below 2^-45 size^2 (see `measure`).
// - Where squares underflow they are off by less than TINY; where they overflow bounds become infinite or NaN and drop nothing.
// - A ray's edge functions (see `touched`) are off by less than 2^-45 size^2 too.
#include "probe/probe_kernel.h"

#include "base/simd.h"

#define LANES SNAG__LANES_F64
#define SNAG__INLINE static inline __attribute__((always_inline))
#define TINY 1e-300
#define ERROR 0x1p-45
// A factor that makes up for the rounding of squared distances of boxes, and of products t.
#define ROUNDED_UP (1 + 0x1p-48)

typedef snag__f64w f64w;

SNAG__INLINE f64w all(double x)
{
    return snag__f64w_all(x);
}

SNAG__INLINE f64w least(f64w a, f64w b)
{
    return snag__f64w_min(a, b);
}

SNAG__INLINE f64w most(f64w a, f64w b)
{
    return snag__f64w_max(a, b);
}

// Floats as doubles.
SNAG__INLINE f64w load_floats(const float *from)
{
#if LANES == 1
    return (double)*from;
#else
    typedef float half __attribute__((vector_size(LANES * 4)));
    half h;
    memcpy(&h, from, sizeof h);
    return __builtin_convertvector(h, f64w);
#endif
}

// ---- the nodes that wait ----

typedef struct waiting {
    double key;
    uint32_t node;
} waiting;

// Adds the children whose bits are set, the one with the lowest key on top.
SNAG__INLINE size_t push(waiting *stack, size_t count, uint32_t first, uint32_t bits, const double *key)
{
    size_t bottom = count;
    while (bits != 0) {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        bits &= bits - 1;
        size_t at = count++;
        for (; at > bottom && stack[at - 1].key < key[i]; at--)
            stack[at] = stack[at - 1];
        stack[at] = (waiting){key[i], first + i};
    }
    return count;
}

SNAG__INLINE uint32_t bits_below(uint32_t count)
{
    return count >= 32 ? UINT32_MAX : (1u << count) - 1;
}

// ---- closest points ----

typedef struct vec3 {
    f64w x, y, z;
} vec3;

SNAG__INLINE vec3 minus(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

SNAG__INLINE f64w dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// a + t b
SNAG__INLINE vec3 along(vec3 a, f64w t, vec3 b)
{
    return (vec3){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}

SNAG__INLINE vec3 choose(snag__i64w mask, vec3 a, vec3 b)
{
    return (vec3){snag__f64w_select(mask, a.x, b.x), snag__f64w_select(mask, a.y, b.y), snag__f64w_select(mask, a.z, b.z)};
}

SNAG__INLINE vec3 load_corner(const double *corners, uint32_t corner, uint32_t i, const double p[3])
{
    const double *from = corners + (size_t)corner * 3 * SNAG__LEAF_ELEMENTS + i;
    return (vec3){snag__f64w_load(from) - all(p[0]), snag__f64w_load(from + SNAG__LEAF_ELEMENTS) - all(p[1]),
                  snag__f64w_load(from + (size_t)2 * SNAG__LEAF_ELEMENTS) - all(p[2])};
}

// Bits of bounds first .. first + count - 1 that are closer than the limit, and their squared distances.
SNAG__INLINE uint32_t near_boxes(const snag__kdops *boxes, size_t first, uint32_t count, const double p[3], double limit,
                                 double *gap)
{
    uint32_t bits = 0;
    const f64w bound = all(limit * ROUNDED_UP);
    for (uint32_t i = 0; i < count; i += LANES) {
        f64w sum = all(0);
        for (int axis = 0; axis < 3; axis++) {
            f64w above = load_floats(boxes->lo[axis] + first + i) - all(p[axis]);
            f64w below = all(p[axis]) - load_floats(boxes->hi[axis] + first + i);
            f64w away = most(most(above, below), all(0));
            sum += away * away;
        }
        snag__f64w_store(gap + i, sum);
        bits |= snag__i64w_bits(snag__f64w_le(sum, bound)) << i;
    }
    return bits & bits_below(count);
}

// The point of segment ab closest to the origin.
SNAG__INLINE vec3 on_segment(vec3 a, vec3 ab, f64w a_ab, f64w ab_ab)
{
    f64w t = least(most(a_ab / ab_ab, all(-1)), all(0));  // most(NaN, -1) is -1: an edge without length
    return along(a, -t, ab);
}

// Bounds of the squared distance of the origin from triangles.
//
// r is a point of the triangle, nearly the closest one: rr = r.r is above the squared distance, but for its rounding. If m is the least of
// r.a, r.b and r.c, no point x of the triangle has r.x < m, so that |x| >= m / |r|, and m^2 / rr >= 2 m - rr is below it, whatever r
// is. Both are off by less than ERROR size^2: r is off by a few u size along each axis, and r.a and so on by a few u size^2.
SNAG__INLINE void measure(vec3 a, vec3 b, vec3 c, f64w error, f64w *lower, f64w *upper)
{
    vec3 ab = minus(b, a), ac = minus(c, a), bc = minus(c, b);
    f64w ab_ab = dot(ab, ab), ac_ac = dot(ac, ac), ab_ac = dot(ab, ac), a_ab = dot(a, ab), a_ac = dot(a, ac);
    // Inside: v and w solve the normal equations.
    f64w det = ab_ab * ac_ac - ab_ac * ab_ac;
    f64w v = (ab_ac * a_ac - ac_ac * a_ab) / det, w = (ab_ac * a_ab - ab_ab * a_ac) / det;
    vec3 r = along(along(a, v, ab), w, ac);
    snag__i64w inside = snag__f64w_le(all(0), v) & snag__f64w_le(all(0), w) & snag__f64w_le(v + w, all(1));
    if (snag__i64w_bits(inside) != SNAG__ALL_F64) {
        vec3 on_ab = on_segment(a, ab, a_ab, ab_ab), on_ac = on_segment(a, ac, a_ac, ac_ac);
        vec3 on_bc = on_segment(b, bc, dot(b, bc), dot(bc, bc));
        f64w r_ab = dot(on_ab, on_ab), r_ac = dot(on_ac, on_ac), r_bc = dot(on_bc, on_bc);
        vec3 edge = choose(snag__f64w_lt(r_ac, r_ab), on_ac, on_ab);
        edge = choose(snag__f64w_lt(r_bc, least(r_ac, r_ab)), on_bc, edge);
        r = choose(inside, r, edge);
    }
    f64w rr = dot(r, r), m = least(least(dot(r, a), dot(r, b)), dot(r, c));
    *lower = m + m - rr - error;
    *upper = rr + error;
}

// The largest distance along an axis from p to a corner of the box of a node.
SNAG__INLINE double size_from(const snag__kdops *boxes, size_t node, const double p[3])
{
    double size = 0;
    for (int axis = 0; axis < 3; axis++) {
        size = fmax(size, fabs((double)boxes->lo[axis][node] - p[axis]));
        size = fmax(size, fabs((double)boxes->hi[axis][node] - p[axis]));
    }
    return size;
}

SNAG__INLINE void note_near(const snag__probe_set *set, uint32_t tree, uint32_t slot, double lower, snag__point_search *s)
{
    if (s->count == SNAG__NEAR_ELEMENTS)
        s->settle(s);
    s->near[s->count++] = (snag__near_element){set, tree, slot, lower};
}

static void closest_in_leaf(const snag__probe_set *set, uint32_t tree, uint32_t leaf, snag__point_search *s)
{
    const snag__bvh *bvh = &set->bvh;
    const double *corners = set->corners + (size_t)leaf * SNAG__LEAF_CORNERS;
    double gap[SNAG__LEAF_ELEMENTS], lowers[SNAG__LEAF_ELEMENTS], uppers[SNAG__LEAF_ELEMENTS];
    uint32_t first = leaf * SNAG__LEAF_ELEMENTS;
    uint32_t bits = near_boxes(&bvh->slot_bounds, first, SNAG__LEAF_ELEMENTS, s->p, s->limit, gap) & set->valid[leaf];
    if (bits == 0)
        return;
    double size = size_from(&bvh->node_bounds, bvh->leaves[leaf], s->p);
    const f64w error = all(ERROR * size * size + TINY);
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i += LANES) {
        if ((bits >> i & SNAG__ALL_F64) == 0)
            continue;
        f64w lower, upper;
        measure(load_corner(corners, 0, i, s->p), load_corner(corners, 1, i, s->p), load_corner(corners, 2, i, s->p), error, &lower,
                &upper);
        snag__f64w_store(lowers + i, lower);
        snag__f64w_store(uppers + i, upper);
    }
    for (uint32_t left = bits; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        s->limit = uppers[i] < s->limit ? uppers[i] : s->limit;
    }
    for (; bits != 0; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        if (!(lowers[i] > s->limit))
            note_near(set, tree, first + i, lowers[i], s);
    }
}

static void closest(const snag__probe_set *set, uint32_t tree, snag__point_search *s)
{
    const snag__bvh *bvh = &set->bvh;
    waiting stack[SNAG__PROBE_STACK];
    double gap[SNAG__LEAF_ELEMENTS];
    size_t count = 1;
    stack[0] = (waiting){0, bvh->trees[tree].root};
    while (count > 0) {
        waiting next = stack[--count];
        if (next.key > s->limit * ROUNDED_UP)
            continue;
        const snag__node *node = &bvh->nodes[next.node];
        if (node->leaf) {
            if (node->first / SNAG__LEAF_ELEMENTS != s->skip)
                closest_in_leaf(set, tree, node->first / SNAG__LEAF_ELEMENTS, s);
            continue;
        }
        uint32_t bits = near_boxes(&bvh->node_bounds, node->first, node->count, s->p, s->limit, gap);
        count = push(stack, count, node->first, bits, gap);
    }
}

// ---- rays ----

// Bits of bounds first .. first + count - 1 that the ray meets before the limit, and where it enters them. Every t has a relative error below 4 u.
SNAG__INLINE uint32_t met_boxes(const snag__kdops *boxes, size_t first, uint32_t count, const snag__ray_search *s, double *enters)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        f64w in = all(0), out = all(s->limit);
        snag__i64w met = snag__f64w_le(in, out);
        for (int axis = 0; axis < 3; axis++) {
            f64w lo = load_floats(boxes->lo[axis] + first + i), hi = load_floats(boxes->hi[axis] + first + i);
            f64w o = all(s->origin[axis]);
            if (s->flat[axis]) {
                met &= snag__f64w_le(lo, o) & snag__f64w_le(o, hi);
            } else if (!s->free[axis]) {
                f64w t0 = (lo - o) * all(s->inverse[axis]), t1 = (hi - o) * all(s->inverse[axis]);
                in = most(least(t0, t1), in);
                out = least(most(t0, t1), out);
            }
        }
        met &= snag__f64w_le(in, out * all(ROUNDED_UP) + all(TINY));
        snag__f64w_store(enters + i, in);
        bits |= snag__i64w_bits(met) << i;
    }
    return bits & bits_below(count);
}

// Seen along the ray, after a shear that makes it an axis (Woop, Benthin, Wald: Watertight Ray/Triangle Intersection, 2013): the edge
// functions of a triangle that it meets do not have both signs.
SNAG__INLINE uint32_t touched(const double *corners, uint32_t i, const snag__ray_search *s, f64w error)
{
    f64w x[3], y[3];
    for (uint32_t c = 0; c < 3; c++) {
        const double *from = corners + (size_t)c * 3 * SNAG__LEAF_ELEMENTS + i;
        f64w p[3];
        for (uint32_t k = 0; k < 3; k++)
            p[k] = snag__f64w_load(from + (size_t)s->axis[k] * SNAG__LEAF_ELEMENTS) - all(s->origin[s->axis[k]]);
        x[c] = p[0] - all(s->shear[0]) * p[2];
        y[c] = p[1] - all(s->shear[1]) * p[2];
    }
    f64w e0 = x[0] * y[1] - y[0] * x[1], e1 = x[1] * y[2] - y[1] * x[2], e2 = x[2] * y[0] - y[2] * x[0];
    f64w low = least(least(e0, e1), e2), high = most(most(e0, e1), e2);
    // Not "certainly below and certainly above": NaN is touched.
    return SNAG__ALL_F64 & ~snag__i64w_bits(snag__f64w_lt(low, -error) & snag__f64w_lt(error, high));
}

static bool cast_in_leaf(const snag__probe_set *set, uint32_t tree, uint32_t leaf, snag__ray_search *s)
{
    const snag__bvh *bvh = &set->bvh;
    const double *corners = set->corners + (size_t)leaf * SNAG__LEAF_CORNERS;
    double enters[SNAG__LEAF_ELEMENTS];
    uint32_t first = leaf * SNAG__LEAF_ELEMENTS;
    uint32_t bits = met_boxes(&bvh->slot_bounds, first, SNAG__LEAF_ELEMENTS, s, enters) & set->valid[leaf];
    if (bits == 0)
        return true;
    double size = size_from(&bvh->node_bounds, bvh->leaves[leaf], s->origin);
    const f64w error = all(ERROR * size * size + TINY);
    uint32_t left = 0;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i += LANES)
        if ((bits >> i & SNAG__ALL_F64) != 0)
            left |= touched(corners, i, s, error) << i & bits;
    for (; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        if (enters[i] <= s->limit * ROUNDED_UP + TINY && !s->test(s, set, tree, first + i))
            return false;
    }
    return true;
}

static bool cast(const snag__probe_set *set, uint32_t tree, snag__ray_search *s)
{
    const snag__bvh *bvh = &set->bvh;
    waiting stack[SNAG__PROBE_STACK];
    double enters[SNAG__LEAF_ELEMENTS];
    size_t count = 1;
    stack[0] = (waiting){0, bvh->trees[tree].root};
    while (count > 0) {
        waiting next = stack[--count];
        if (next.key > s->limit * ROUNDED_UP + TINY)
            continue;
        const snag__node *node = &bvh->nodes[next.node];
        if (node->leaf) {
            if (!cast_in_leaf(set, tree, node->first / SNAG__LEAF_ELEMENTS, s))
                return false;
            continue;
        }
        uint32_t bits = met_boxes(&bvh->node_bounds, node->first, node->count, s, enters);
        count = push(stack, count, node->first, bits, enters);
    }
    return true;
}

// ---- boxes ----

SNAG__INLINE uint32_t overlapping(const snag__kdops *boxes, size_t first, uint32_t count, const float lo[3], const float hi[3])
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i += SNAG__LANES_F32) {
        snag__i32w met = snag__i32w_all(-1);
        for (int axis = 0; axis < 3; axis++)
            met &= snag__f32w_le(snag__f32w_load(boxes->lo[axis] + first + i), snag__f32w_all(hi[axis])) &
                   snag__f32w_le(snag__f32w_all(lo[axis]), snag__f32w_load(boxes->hi[axis] + first + i));
        bits |= snag__i32w_bits(met) << i;
    }
    return bits & bits_below(count);
}

static bool meet_box(const snag__probe_set *set, uint32_t tree, const float lo[3], const float hi[3], snag__slot_visit *visit,
                     void *context)
{
    const snag__bvh *bvh = &set->bvh;
    uint32_t stack[SNAG__PROBE_STACK];
    size_t count = 1;
    stack[0] = bvh->trees[tree].root;
    while (count > 0) {
        const snag__node *node = &bvh->nodes[stack[--count]];
        if (node->leaf) {
            uint32_t leaf = node->first / SNAG__LEAF_ELEMENTS;
            uint32_t bits = overlapping(&bvh->slot_bounds, node->first, SNAG__LEAF_ELEMENTS, lo, hi) & set->valid[leaf];
            for (; bits != 0; bits &= bits - 1)
                if (!visit(context, set, tree, node->first + (uint32_t)__builtin_ctz(bits)))
                    return false;
            continue;
        }
        for (uint32_t bits = overlapping(&bvh->node_bounds, node->first, node->count, lo, hi); bits != 0; bits &= bits - 1)
            stack[count++] = node->first + (uint32_t)__builtin_ctz(bits);
    }
    return true;
}

const snag__probe_kernels SNAG__KERNEL(snag__probe_kernels) = {
    .closest = closest,
    .closest_in_leaf = closest_in_leaf,
    .cast = cast,
    .meet_box = meet_box,
};
