// The streaming part of a refit: corners of the triangles in, boxes and directions of the leaves out.
//
// A direction d counts for a triangle if n . d > 0 for its true normal n. Forward error, with u = 2^-53: let U and V be
// the largest coordinates of two of its sides; each coordinate of n is computed with an error below 8 u U V. A triangle
// is a needle, and faces nothing, unless the largest coordinate N of n exceeds 2^-26 U V; so n / N is right to 2^-24,
// and its rounding to float, the products and sums with a unit d add less than 12 * 2^-24. With a tolerance of 2^-18
// nothing is counted by error; what is lost is faced at less than a thousandth of a degree. Sides too long or too short
// for double make N infinite, NaN or zero, and the triangle a needle.
//
// Over a move, sides are (1 - t) u0 + t u1 and (1 - t) v0 + t v1, and the normal is of degree two in t, with the
// Bernstein coefficients u0 x v0, (u0 x v1 + u1 x v0) / 2 and u1 x v1. A direction that all three face is faced at all
// times. The sum of two cross products has twice the error and is compared with twice the bound, U and V being the
// largest at both ends.
#include "base/simd.h"
#include "bound/surface_tree.h"
#include "geom/simd_vec3.h"

#include <float.h>

#define LANES_F64 ((uint32_t)SNAG__LANES_F64)
#define LANES_F32 ((size_t)SNAG__LANES_F32)

static const double NEEDLE = 0x1p-26;
static const float TOLERANCE = 0x1p-18f;

// The largest float not above x.
static inline float float_below(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

// What has been seen of a leaf: its box, and for each axis the least and the largest cosine with a normal.
typedef struct sums {
    snag__simd_vec3 lo, hi;
    snag__f32w least[SNAG__AXES / SNAG__LANES_F32], most[SNAG__AXES / SNAG__LANES_F32];
    uint32_t needles;
} sums;

SNAG__INLINE snag__simd_vec3 min3(snag__simd_vec3 a, snag__simd_vec3 b)
{
    return (snag__simd_vec3){snag__f64w_min(a.x, b.x), snag__f64w_min(a.y, b.y), snag__f64w_min(a.z, b.z)};
}

SNAG__INLINE snag__simd_vec3 max3(snag__simd_vec3 a, snag__simd_vec3 b)
{
    return (snag__simd_vec3){snag__f64w_max(a.x, b.x), snag__f64w_max(a.y, b.y), snag__f64w_max(a.z, b.z)};
}

// Normals of WD triangles, the largest coordinate 1; zero for needles, whose normal is not longer than `least`.
SNAG__INLINE uint32_t find_normals(snag__simd_vec3 n, snag__f64w least, float normal[3][SNAG__LANES_F64])
{
    snag__f64w size = snag__simd_vec3_reach(n);
    // Sizes whose reciprocal is a normal number, too.
    snag__i64w sure =
        snag__f64w_lt(least, size) & snag__f64w_lt(snag__f64w_all(1e-280), size) & snag__f64w_lt(size, snag__f64w_all(1e280));
    snag__f64w scale = snag__f64w_select(sure, snag__f64w_all(1.0) / size, snag__f64w_all(0.0));
    snag__f64w zero = snag__f64w_all(0.0);
    const snag__f64w coordinate[3] = {snag__f64w_select(sure, n.x, zero) * scale, snag__f64w_select(sure, n.y, zero) * scale,
                                      snag__f64w_select(sure, n.z, zero) * scale};
    double all[3][SNAG__LANES_F64];
    for (int axis = 0; axis < 3; axis++) {
        snag__f64w_store(all[axis], coordinate[axis]);
        for (uint32_t lane = 0; lane < LANES_F64; lane++)
            normal[axis][lane] = (float)all[axis][lane];
    }
    return ~snag__i64w_bits(sure) & SNAG__ALL_F64;
}

SNAG__INLINE void add_normal(const snag__directions *directions, size_t axes, float x, float y, float z, sums *s)
{
    snag__f32w nx = snag__f32w_all(x), ny = snag__f32w_all(y), nz = snag__f32w_all(z);
    for (size_t i = 0; i < axes / LANES_F32; i++) {
        snag__f32w cosine = nx * snag__f32w_load(directions->axis[0] + i * LANES_F32) +
                            ny * snag__f32w_load(directions->axis[1] + i * LANES_F32) +
                            nz * snag__f32w_load(directions->axis[2] + i * LANES_F32);
        s->least[i] = snag__f32w_min(s->least[i], cosine);
        s->most[i] = snag__f32w_max(s->most[i], cosine);
    }
}

SNAG__INLINE void add_normals(const snag__directions *directions, size_t axes, snag__simd_vec3 n, snag__f64w least, uint32_t lanes,
                              uint32_t *needles, sums *s)
{
    float normal[3][SNAG__LANES_F64];
    *needles |= find_normals(n, least, normal);
    for (uint32_t lane = 0; lane < lanes; lane++)
        add_normal(directions, axes, normal[0][lane], normal[1][lane], normal[2][lane], s);
}

// Two sides of WD triangles, whose corners are added to the box.
SNAG__INLINE void add_corners(const double (*x)[3], const uint32_t *const triangle[SNAG__LANES_F64], snag__simd_vec3 side[2],
                              sums *s)
{
    snag__simd_vec3 corner[3];
    for (int c = 0; c < 3; c++)
        corner[c] = snag__simd_vec3_corner(x, triangle, c);
    s->lo = min3(s->lo, min3(corner[0], min3(corner[1], corner[2])));
    s->hi = max3(s->hi, max3(corner[0], max3(corner[1], corner[2])));
    side[0] = snag__simd_vec3_minus(corner[1], corner[0]);
    side[1] = snag__simd_vec3_minus(corner[2], corner[0]);
}

SNAG__INLINE snag__f64w larger_reach(snag__simd_vec3 a, snag__simd_vec3 b)
{
    return snag__f64w_max(snag__simd_vec3_reach(a), snag__simd_vec3_reach(b));
}

// Adds triangles first .. first + lanes - 1 of the corners; lanes that are not there repeat the last.
SNAG__INLINE void add_triangles(const snag__surface_tree *tree, const snag__directions *directions, size_t axes, bool swept,
                                uint32_t first, uint32_t lanes, sums *s)
{
    const uint32_t *triangle[SNAG__LANES_F64];
    for (uint32_t lane = 0; lane < LANES_F64; lane++)
        triangle[lane] = tree->corners[first + (lane < lanes ? lane : lanes - 1)];
    snag__simd_vec3 t1[2], t0[2];
    uint32_t needles = 0;
    add_corners((const double(*)[3])tree->mesh->x_t1, triangle, t1, s);
    snag__f64w least = snag__simd_vec3_reach(t1[0]) * snag__simd_vec3_reach(t1[1]) * snag__f64w_all(NEEDLE);
    if (swept) {
        add_corners((const double(*)[3])tree->mesh->x_t0, triangle, t0, s);
        least = larger_reach(t0[0], t1[0]) * larger_reach(t0[1], t1[1]) * snag__f64w_all(NEEDLE);
        snag__simd_vec3 a = snag__simd_vec3_cross(t0[0], t1[1]), b = snag__simd_vec3_cross(t1[0], t0[1]);
        snag__simd_vec3 middle = {a.x + b.x, a.y + b.y, a.z + b.z};
        add_normals(directions, axes, snag__simd_vec3_cross(t0[0], t0[1]), least, lanes, &needles, s);
        add_normals(directions, axes, middle, 2 * least, lanes, &needles, s);
    }
    add_normals(directions, axes, snag__simd_vec3_cross(t1[0], t1[1]), least, lanes, &needles, s);
    s->needles += (uint32_t)__builtin_popcount(needles & ((1u << lanes) - 1u));
}

static double least_of(snag__f64w x)
{
    double all[SNAG__LANES_F64];
    snag__f64w_store(all, x);
    double least = all[0];
    for (uint32_t lane = 1; lane < LANES_F64; lane++)
        least = all[lane] < least ? all[lane] : least;
    return least;
}

SNAG__INLINE uint32_t refit_leaf(const snag__surface_tree *tree, const snag__directions *directions, size_t axes, bool swept,
                                 snag__patch *patch)
{
    sums s = {.needles = 0};
    snag__f64w inf = snag__f64w_all(INFINITY);
    s.lo = (snag__simd_vec3){inf, inf, inf};
    s.hi = (snag__simd_vec3){-inf, -inf, -inf};
    for (size_t i = 0; i < SNAG__AXES / LANES_F32; i++) {
        s.least[i] = snag__f32w_all(INFINITY);
        s.most[i] = snag__f32w_all(-INFINITY);
    }
    for (uint32_t done = 0; done < patch->slot_count; done += LANES_F64) {
        uint32_t left = patch->slot_count - done;
        add_triangles(tree, directions, axes, swept, patch->first_slot + done, left < LANES_F64 ? left : LANES_F64, &s);
    }
    const snag__f64w lo[3] = {s.lo.x, s.lo.y, s.lo.z}, hi[3] = {s.hi.x, s.hi.y, s.hi.z};
    for (int axis = 0; axis < 3; axis++) {
        patch->lo[axis] = float_below(least_of(lo[axis]));
        patch->hi[axis] = -float_below(least_of(-hi[axis]));
    }
    uint64_t with = 0, against = 0;
    for (size_t i = 0; i < axes / LANES_F32; i++) {
        with |= (uint64_t)snag__i32w_bits(snag__f32w_lt(snag__f32w_all(TOLERANCE), s.least[i])) << (i * LANES_F32);
        against |= (uint64_t)snag__i32w_bits(snag__f32w_lt(s.most[i], snag__f32w_all(-TOLERANCE))) << (i * LANES_F32);
    }
    patch->directions = with | against << SNAG__AXES;
    return s.needles;
}

SNAG__INLINE uint32_t refit_leaves(snag__surface_tree *tree, const snag__directions *directions, size_t axes, bool swept,
                                   uint32_t first, uint32_t last)
{
    uint32_t needles = 0;
    for (uint32_t i = first; i < last; i++)
        if (tree->patches[i].child_count == 0)
            needles += refit_leaf(tree, directions, axes, swept, &tree->patches[i]);
    return needles;
}

// Half of the axes, if more are not sampled.
static uint32_t leaves(snag__surface_tree *tree, const snag__directions *directions, uint32_t first, uint32_t last)
{
    bool half = directions->axes <= SNAG__AXES / 2;
    if (tree->swept)
        return half ? refit_leaves(tree, directions, SNAG__AXES / 2, true, first, last)
                    : refit_leaves(tree, directions, SNAG__AXES, true, first, last);
    return half ? refit_leaves(tree, directions, SNAG__AXES / 2, false, first, last)
                : refit_leaves(tree, directions, SNAG__AXES, false, first, last);
}

const snag__surface_kernels SNAG__KERNEL(snag__surface_kernels) = {.leaves = leaves};
