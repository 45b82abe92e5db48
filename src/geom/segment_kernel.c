// Wide segment against triangle: see segment.h; error bounds in simd_vec3.h.
#include "geom/segment.h"
#include "geom/simd_vec3.h"

#define LANES_F64 ((size_t)SNAG__LANES_F64)

typedef snag__f64w wide;
typedef snag__i64w mask;
typedef snag__simd_vec3 point;

SNAG__INLINE mask certainly_above(wide a, wide error)
{
    return snag__f64w_lt(error, a);
}

SNAG__INLINE mask certainly_below(wide a, wide error)
{
    return snag__f64w_lt(a, -error);
}

// Decides WD pairs, one bit for each lane. All points are taken relative to p, an end of the segment.
SNAG__INLINE void decide(point p, point q, point t0, point t1, point t2, uint32_t *apart, uint32_t *crossing)
{
    point d = snag__simd_vec3_minus(q, p);
    point r0 = snag__simd_vec3_minus(t0, p), r1 = snag__simd_vec3_minus(t1, p), r2 = snag__simd_vec3_minus(t2, p);
    wide m = snag__f64w_max(snag__f64w_max(snag__simd_vec3_reach(d), snag__simd_vec3_reach(r0)),
                            snag__f64w_max(snag__simd_vec3_reach(r1), snag__simd_vec3_reach(r2)));
    wide error = snag__simd_vec3_error(m);
    point normal = snag__simd_vec3_cross(snag__simd_vec3_minus(r1, r0), snag__simd_vec3_minus(r2, r0));
    wide base = snag__simd_vec3_dot(normal, r0);
    wide height_p = -base, height_q = snag__simd_vec3_dot(normal, d) - base;
    mask p_above = certainly_above(height_p, error), p_below = certainly_below(height_p, error);
    mask q_above = certainly_above(height_q, error), q_below = certainly_below(height_q, error);
    mask one_side = (p_above & q_above) | (p_below & q_below), both_sides = (p_above & q_below) | (p_below & q_above);

    // On which side of the line through p and q each edge of the triangle passes.
    wide e0 = snag__simd_vec3_dot(d, snag__simd_vec3_cross(r0, r1));
    wide e1 = snag__simd_vec3_dot(d, snag__simd_vec3_cross(r1, r2));
    wide e2 = snag__simd_vec3_dot(d, snag__simd_vec3_cross(r2, r0));
    mask left0 = certainly_above(e0, error), left1 = certainly_above(e1, error), left2 = certainly_above(e2, error);
    mask right0 = certainly_below(e0, error), right1 = certainly_below(e1, error), right2 = certainly_below(e2, error);
    mask beside = (left0 | left1 | left2) & (right0 | right1 | right2);
    mask through = (left0 & left1 & left2) | (right0 & right1 & right2);
    *apart = snag__i64w_bits(one_side | (both_sides & beside));
    *crossing = snag__i64w_bits(both_sides & through);
}

static snag__meeting meet_exactly(const snag__segment_pairs *pairs, const uint32_t pair[2])
{
    const uint32_t *e = pairs->edges_a[pair[0]], *v = pairs->triangles_b[pair[1]];
    const double *t[3] = {pairs->x_b[v[0]], pairs->x_b[v[1]], pairs->x_b[v[2]]};
    return snag__segment_meets_triangle(pairs->x_a[e[0]], pairs->x_a[e[1]], t);
}

static size_t meet(const snag__segment_pairs *pairs, uint8_t *meeting)
{
    size_t exact = 0;
    for (size_t start = 0; start < pairs->count; start += LANES_F64) {
        size_t lanes = pairs->count - start < LANES_F64 ? pairs->count - start : LANES_F64;
        const uint32_t *edge[SNAG__LANES_F64], *triangle[SNAG__LANES_F64];
        for (size_t lane = 0; lane < LANES_F64; lane++) {  // lanes beyond the last pair repeat it
            const uint32_t *pair = pairs->pairs[start + (lane < lanes ? lane : lanes - 1)];
            edge[lane] = pairs->edges_a[pair[0]];
            triangle[lane] = pairs->triangles_b[pair[1]];
        }
        uint32_t apart, crossing;
        decide(snag__simd_vec3_corner(pairs->x_a, edge, 0), snag__simd_vec3_corner(pairs->x_a, edge, 1),
               snag__simd_vec3_corner(pairs->x_b, triangle, 0), snag__simd_vec3_corner(pairs->x_b, triangle, 1),
               snag__simd_vec3_corner(pairs->x_b, triangle, 2), &apart, &crossing);
        for (size_t lane = 0; lane < lanes; lane++) {
            if (apart >> lane & 1) {
                meeting[start + lane] = SNAG__APART;
            } else if (crossing >> lane & 1) {
                meeting[start + lane] = SNAG__CROSSING;
            } else {
                meeting[start + lane] = (uint8_t)meet_exactly(pairs, pairs->pairs[start + lane]);
                exact++;
            }
        }
    }
    return exact;
}

extern const snag__segment_kernels SNAG__KERNEL(snag__segment_kernels);
const snag__segment_kernels SNAG__KERNEL(snag__segment_kernels) = {
    .meet = meet,
};
