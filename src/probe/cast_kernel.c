// Rays in single precision: which triangles a ray may meet. Whatever is in doubt is kept, and snag__ray_meets decides.
//
// Ize: Robust BVH Ray Traversal, JCGT 2013; Woop, Benthin, Wald: Watertight Ray/Triangle Intersection, JCGT 2013.
// Differs: errors are bounded for rays that begin anywhere, and a triangle is looked at from a point of the ray that is close to it.
//
// Let u = 2^-24. Coordinates of the tree are below 1e12, and its longest side, `extent`, is above 1e-9 (cast_tree.c). Those of the origin are
// below SNAG__CAST_FARTHEST = 1e30, so that base, q and e stay below 1e31, far from the largest float: one that is infinite would meet the boxes
// of children that are not there, since a difference of infinities meets everything.
//
// The ray. Its direction is divided by its largest component, which becomes 1 or -1, and T counts along that: in the tree's box T runs
// over `extent`. The ray is looked at from q = origin + base d, computed in doubles, where base is at most where it enters the box of the
// tree, so that nothing is lost. T = 0 is at q from here on. q, and points reached from it, are off by less than
//     e = DOUBLES (largest coordinate of the origin + base + extent),
// since each of some six roundings costs less than 2^-52 of that sum.
//
// Boxes. The plane at b across an axis is met at T = (b - q) / d. Let n be q moved by e, against b where the box is entered and away from it where
// it is left, and rounded outward. Then b - n is at most the true distance (entered) or at least (left), but for its own rounding; with those of
// the inverse and of the product, T is off by a factor between 1 - 4 u and 1 + 4 u. ROUNDED_UP makes up for both ends. An axis along which |d| <
// FLAT moves the ray by less than FLAT extent in the box, which e has room for. STEEP takes the place of the inverse: where the ray is between
// the planes, T is negative where it enters, and more than extent where it leaves, since e STEEP is.
//
// Triangles. Seen from a point q of the ray, rounded to floats, along the axis where d is 1 or -1 and sheared along d, the edge functions of a
// triangle that the ray's line meets do not have both signs. Let M be the largest coordinate of the triangle relative to q, and D the sum of e,
// the rounding of q and the spread of the leaf. Relative coordinates are off by D + u M. Sheared ones are below 2 M, and off by X = 2 D + 8 u M:
// twice that, and the roundings of the shear, of the product and of the difference. An edge function x0 y1 - y0 x1 is off by 8 M X + 2 X^2 + 16 u M^2.
//     X <= M:  at most 10 M X + 16 u M^2 = 20 M D + 96 u M^2
//     X > M:   M < 2 D (1 + 8 u), X < 2 D (1 + 16 u), so that it is below 17 M D + 9 D^2 + 16 u M^2
// Both are below 32 (M + D) D + 128 u M^2, with room for the roundings of that. TINY makes up for what underflows.
#include "probe/probe_kernel.h"

#include "base/simd.h"

#include <math.h>

#define LANES SNAG__LANES_F32
#define SNAG__INLINE static inline __attribute__((always_inline))
#define DOUBLES 0x1p-46
#define ROUNDED_UP (1 + 0x1p-19f)
#define FLAT 1e-20
#define STEEP 1e30f
#define TINY 1e-37f
// Beyond every T that matters.
#define FAR 1e30

typedef snag__f32w f32w;

// A ray as one tree sees it.
typedef struct seen_ray {
    float entered[3], left[3], inverse[3];
    bool flat[3];
    uint32_t entered_row[3], left_row[3];
    float limit;  // of T
    float shear[2];
    uint32_t axis[3];  // the third is the one along which d is 1 or -1
    double d[3], q[3], e;
    double base, per_t;  // T = t * per_t - base
} seen_ray;

SNAG__INLINE f32w all(float x)
{
    return snag__f32w_all(x);
}

SNAG__INLINE f32w least(f32w a, f32w b)
{
    return snag__f32w_min(a, b);
}

SNAG__INLINE f32w most(f32w a, f32w b)
{
    return snag__f32w_max(a, b);
}

SNAG__INLINE f32w magnitude(f32w a)
{
    return most(a, -a);
}

SNAG__INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

// ---- a ray as a tree sees it ----

// The float at or beyond x on the side of `sign`, or one of the next two.
SNAG__INLINE float beyond(double x, double sign)
{
    return (float)(x + sign * (fabs(x) * 0x1p-22 + 1e-37));
}

// The largest T before which hits count: rounded up.
SNAG__INLINE float limit_of(const seen_ray *r, double limit)
{
    double end = limit * r->per_t * (1 + 0x1p-48) - r->base * (1 - 0x1p-48);
    return end < FAR ? (float)(end * (1 + 0x1p-22)) : (float)FAR;
}

// Where the ray, seen from its origin, enters and leaves the tree's box: at most and at least. Sums up how far coordinates reach. False if it
// misses the box.
static bool meet_root(const snag__cast_body *body, const snag__ray_search *s, seen_ray *r, double *extent, double *reach)
{
    double leaves = INFINITY, per = 1 / r->per_t;
    r->base = *extent = *reach = 0;
    for (int k = 0; k < 3; k++) {
        double o = s->origin[k], d = s->d[k] * per, lo = body->lo[k], hi = body->hi[k];
        if ((o < lo && !(d > 0)) || (o > hi && !(d < 0)))
            return false;
        double inverse = 1 / d, enters = ((d > 0 ? lo : hi) - o) * inverse * (1 - 0x1p-48),
               ends = ((d > 0 ? hi : lo) - o) * inverse * (1 + 0x1p-48);
        r->d[k] = d;
        *extent = larger(*extent, hi - lo);
        *reach = larger(*reach, fabs(o));
        r->flat[k] = fabs(d) < FLAT;
        r->inverse[k] = r->flat[k] ? STEEP : (float)inverse;
        if (r->flat[k])
            continue;
        r->base = larger(r->base, enters);
        leaves = ends < leaves ? ends : leaves;
    }
    return r->base <= leaves;
}

// False if the ray misses the tree's box, or ends before it.
static bool see(const snag__cast_body *body, const snag__ray_search *s, seen_ray *r)
{
    double extent, reach;
    uint32_t longest = fabs(s->d[0]) >= fabs(s->d[1]) ? 0 : 1;
    longest = fabs(s->d[2]) > fabs(s->d[longest]) ? 2 : longest;
    r->per_t = fabs(s->d[longest]);
    if (!meet_root(body, s, r, &extent, &reach))
        return false;
    r->e = DOUBLES * (reach + r->base + extent);
    for (uint32_t k = 0; k < 3; k++) {
        double sign = r->flat[k] || r->d[k] > 0 ? 1 : -1;
        r->q[k] = s->origin[k] + r->base * r->d[k];
        r->entered[k] = beyond(r->q[k] + sign * r->e, sign);
        r->left[k] = beyond(r->q[k] - sign * r->e, -sign);
        r->entered_row[k] = (sign > 0 ? k : 3 + k) * SNAG__ARITY_MAX;
        r->left_row[k] = (sign > 0 ? 3 + k : k) * SNAG__ARITY_MAX;
        r->axis[k] = (longest + 1 + k) % 3;
    }
    for (int i = 0; i < 2; i++)
        r->shear[i] = (float)(r->d[longest] > 0 ? r->d[r->axis[i]] : -r->d[r->axis[i]]);
    r->limit = limit_of(r, s->limit);
    return r->limit >= 0;
}

// ---- nodes ----

typedef struct waiting {
    float enters;
    uint32_t child;
} waiting;

// Bits of the children that the ray may meet before the limit, and where it enters them.
SNAG__INLINE uint32_t met_children(const snag__cast_node *node, const seen_ray *r, float *enters)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < SNAG__ARITY_MAX; i += LANES) {
        f32w in = all(0), out = all(r->limit);
        for (int k = 0; k < 3; k++) {
            const f32w inverse = all(r->inverse[k]);
            in = most((snag__f32w_load(node->bounds + r->entered_row[k] + i) - all(r->entered[k])) * inverse, in);
            out = least((snag__f32w_load(node->bounds + r->left_row[k] + i) - all(r->left[k])) * inverse, out);
        }
        snag__f32w_store(enters + i, in);
        bits |= snag__f32m_bits(snag__f32m_le(in, out * all(ROUNDED_UP))) << i;
    }
    return bits & ((1u << SNAG__ARITY_MAX) - 1);
}

// Adds the children whose bits are set, the one that is entered first on top.
SNAG__INLINE size_t push(waiting *stack, size_t count, const snag__cast_node *node, uint32_t bits, const float *enters)
{
    size_t bottom = count;
    for (; bits != 0; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        size_t at = count++;
        for (; at > bottom && stack[at - 1].enters < enters[i]; at--)
            stack[at] = stack[at - 1];
        stack[at] = (waiting){enters[i], node->child[i]};
    }
    return count;
}

// ---- leaves ----

// Bits of the triangles whose edge functions, seen along the ray, may all have the same sign.
SNAG__INLINE uint32_t touched(const snag__cast_leaf *leaf, const seen_ray *r, const float q[3], float off)
{
    uint32_t bits = 0;
    const float *from[3];
    for (uint32_t k = 0; k < 3; k++)
        from[k] = leaf->corners + (size_t)r->axis[k] * SNAG__LEAF_ELEMENTS;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i += LANES) {
        f32w x[3], y[3], largest = all(0);
        for (uint32_t c = 0; c < 3; c++) {
            f32w p[3];
            for (uint32_t k = 0; k < 3; k++) {
                p[k] = snag__f32w_load(from[k] + (size_t)3 * c * SNAG__LEAF_ELEMENTS + i) - all(q[k]);
                largest = most(magnitude(p[k]), largest);
            }
            x[c] = p[0] - all(r->shear[0]) * p[2];
            y[c] = p[1] - all(r->shear[1]) * p[2];
        }
        f32w e0 = x[0] * y[1] - y[0] * x[1], e1 = x[1] * y[2] - y[1] * x[2], e2 = x[2] * y[0] - y[2] * x[0];
        f32w low = least(least(e0, e1), e2), high = most(most(e0, e1), e2);
        f32w error = all(32) * (largest + all(off)) * all(off) + all(0x1p-17f) * largest * largest + all(TINY);
        bits |= (SNAG__ALL_F32 & ~(snag__f32m_bits(snag__f32m_lt(low, -error)) & snag__f32m_bits(snag__f32m_lt(error, high)))) << i;
    }
    return bits;
}

SNAG__INLINE bool cast_in_leaf(const snag__probe_set *set, uint32_t tree, uint32_t leaf, float enters, seen_ray *r,
                               snag__ray_search *s)
{
    const snag__cast_leaf *corners = &set->cast.leaves[leaf];
    float q[3];
    double off = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double at = r->q[r->axis[k]] + (double)enters * r->d[r->axis[k]];
        q[k] = (float)at;
        off = larger(off, fabs(at - (double)q[k]));
    }
    uint32_t bits = touched(corners, r, q, (float)((off + r->e) * (1 + 0x1p-22)) + corners->spread) & set->valid[leaf];
    for (; bits != 0; bits &= bits - 1) {
        if (!s->test(s, set, tree, leaf * SNAG__LEAF_ELEMENTS + (uint32_t)__builtin_ctz(bits)))
            return false;
        r->limit = limit_of(r, s->limit);
    }
    return true;
}

static bool cast(const snag__probe_set *set, uint32_t tree, snag__ray_search *s)
{
    seen_ray r;
    if (!see(&set->cast.bodies[tree], s, &r))
        return true;
    waiting stack[SNAG__PROBE_STACK];
    float enters[SNAG__LEAF_ELEMENTS];
    size_t count = 0;
    waiting next = {0, set->cast.bodies[tree].root};
    for (;;) {
        if ((next.child & SNAG__CAST_LEAF) != 0) {
            if (!cast_in_leaf(set, tree, next.child & ~SNAG__CAST_LEAF, next.enters, &r, s))
                return false;
        } else {
            const snag__cast_node *node = &set->cast.nodes[next.child];
            uint32_t bits = met_children(node, &r, enters);
            count = push(stack, count, node, bits, enters);
        }
        do {
            if (count == 0)
                return true;
            next = stack[--count];
        } while (next.enters > r.limit * ROUNDED_UP);
    }
}

const snag__cast_kernels SNAG__KERNEL(snag__cast_kernels) = {.cast = cast};
