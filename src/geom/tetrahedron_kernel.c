// Wide points in tetrahedra: see tetrahedron_kernel.h; error bounds in simd_vec3.h.
#include <stdbool.h>

#include "geom/geom.h"
#include "geom/tetrahedron_kernel.h"
#include "geom/simd_vec3.h"

#define LANES_F64 ((size_t)SNAG__LANES_F64)

typedef snag__f64w wide;
typedef snag__i64w mask;
typedef snag__simd_vec3 point;

// Lanes that are decided, one bit each.
typedef struct verdict {
    uint32_t inside, outside;
} verdict;

// Of four volumes that have one sign for a point inside: all certain and alike, or two certain and different. A flat
// tetrahedron holds nothing, which the second says as well.
SNAG__INLINE verdict judge_volumes(wide v0, wide v1, wide v2, wide v3, wide error)
{
    mask above0 = snag__f64w_lt(error, v0), below0 = snag__f64w_lt(v0, -error);
    mask above1 = snag__f64w_lt(error, v1), below1 = snag__f64w_lt(v1, -error);
    mask above2 = snag__f64w_lt(error, v2), below2 = snag__f64w_lt(v2, -error);
    mask above3 = snag__f64w_lt(error, v3), below3 = snag__f64w_lt(v3, -error);
    return (verdict){
        .inside = snag__i64w_bits((above0 & above1 & above2 & above3) | (below0 & below1 & below2 & below3)),
        .outside = snag__i64w_bits((above0 | above1 | above2 | above3) & (below0 | below1 | below2 | below3)),
    };
}

// The weights: the tetrahedra that the point makes with each three corners, all relative to the point.
SNAG__INLINE verdict by_weights(point p, const point t[4])
{
    point r0 = snag__simd_vec3_minus(t[0], p), r1 = snag__simd_vec3_minus(t[1], p);
    point r2 = snag__simd_vec3_minus(t[2], p), r3 = snag__simd_vec3_minus(t[3], p);
    wide m = snag__f64w_max(snag__f64w_max(snag__simd_vec3_reach(r0), snag__simd_vec3_reach(r1)),
                            snag__f64w_max(snag__simd_vec3_reach(r2), snag__simd_vec3_reach(r3)));
    point c01 = snag__simd_vec3_cross(r0, r1), c23 = snag__simd_vec3_cross(r2, r3);
    return judge_volumes(snag__simd_vec3_dot(r1, c23), -snag__simd_vec3_dot(r0, c23), snag__simd_vec3_dot(r3, c01),
                         -snag__simd_vec3_dot(r2, c01), snag__simd_vec3_error(m));
}

// The half-spaces: heights over the four faces, relative to corner 0, which is the origin of three of them. Each face
// turns its inside up in a tetrahedron of positive volume.
SNAG__INLINE verdict by_half_spaces(point p, const point t[4])
{
    point e1 = snag__simd_vec3_minus(t[1], t[0]), e2 = snag__simd_vec3_minus(t[2], t[0]), e3 = snag__simd_vec3_minus(t[3], t[0]);
    point r = snag__simd_vec3_minus(p, t[0]);
    wide m = snag__f64w_max(snag__f64w_max(snag__simd_vec3_reach(e1), snag__simd_vec3_reach(e2)),
                            snag__f64w_max(snag__simd_vec3_reach(e3), snag__simd_vec3_reach(r)));
    wide over012 = snag__simd_vec3_dot(snag__simd_vec3_cross(e1, e2), r);
    wide over031 = snag__simd_vec3_dot(snag__simd_vec3_cross(e3, e1), r);
    wide over023 = snag__simd_vec3_dot(snag__simd_vec3_cross(e2, e3), r);
    point normal = snag__simd_vec3_cross(snag__simd_vec3_minus(e3, e1), snag__simd_vec3_minus(e2, e1));
    wide over132 = snag__simd_vec3_dot(normal, r) - snag__simd_vec3_dot(normal, e1);
    return judge_volumes(over012, over031, over023, over132, snag__simd_vec3_error(m));
}

static bool inside_exactly(const snag__tet_pairs *pairs, const uint32_t pair[2], bool half_spaces)
{
    const uint32_t *v = pairs->tets_a[pair[0]];
    const double *tet[4] = {pairs->x_a[v[0]], pairs->x_a[v[1]], pairs->x_a[v[2]], pairs->x_a[v[3]]};
    const double *p = pairs->x_b[pair[1]];
    return half_spaces ? snag__point_in_tet_half_spaces(p, tet) : snag__point_in_tet(p, tet);
}

SNAG__INLINE size_t decide_all(const snag__tet_pairs *pairs, uint8_t *inside, bool half_spaces)
{
    size_t exact = 0;
    for (size_t start = 0; start < pairs->count; start += LANES_F64) {
        size_t lanes = pairs->count - start < LANES_F64 ? pairs->count - start : LANES_F64;
        const uint32_t *tet[SNAG__LANES_F64];
        const double *vertex[SNAG__LANES_F64];
        for (size_t lane = 0; lane < LANES_F64; lane++) {  // lanes beyond the last pair repeat it
            const uint32_t *pair = pairs->pairs[start + (lane < lanes ? lane : lanes - 1)];
            tet[lane] = pairs->tets_a[pair[0]];
            vertex[lane] = pairs->x_b[pair[1]];
        }
        point t[4];
        for (int i = 0; i < 4; i++)
            t[i] = snag__simd_vec3_corner(pairs->x_a, tet, i);
        point p = snag__simd_vec3_gather(vertex);
        verdict v = half_spaces ? by_half_spaces(p, t) : by_weights(p, t);
        for (size_t lane = 0; lane < lanes; lane++) {
            inside[start + lane] = v.inside >> lane & 1;
            if (!((v.inside | v.outside) >> lane & 1)) {
                inside[start + lane] = inside_exactly(pairs, pairs->pairs[start + lane], half_spaces);
                exact++;
            }
        }
    }
    return exact;
}

static size_t inside_by_weights(const snag__tet_pairs *pairs, uint8_t *inside)
{
    return decide_all(pairs, inside, false);
}

static size_t inside_by_half_spaces(const snag__tet_pairs *pairs, uint8_t *inside)
{
    return decide_all(pairs, inside, true);
}

extern const snag__tet_kernels SNAG__KERNEL(snag__tet_kernels);
const snag__tet_kernels SNAG__KERNEL(snag__tet_kernels) = {
    .inside = inside_by_weights,
    .inside_half_spaces = inside_by_half_spaces,
};
