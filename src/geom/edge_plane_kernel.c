// Where edges meet planes, wide: in pairs of doubles (double-double arithmetic: Dekker 1971, Knuth) with a bound on the
// error, which tells whether the nearest double is certain; where it is not, exact integers say.
//
// The bound. With m the largest coordinate relative to a corner of the plane, one operation on pairs adds an error
// below 2^-101 of the operands' magnitude. Counted as in simd_vec3.h, with that in place of 2^-53, a height is known to
// 2^-92 m^3; HEIGHT_ERROR leaves a factor of 4. The edge is divided at s = h / (h - k) for heights h and k of different
// signs at its ends, so s is known to 3 HEIGHT_ERROR m^3 / |h - k| and some roundings, and the point to |to - from|
// times that.
#include <stdbool.h>

#include "geom/edge_plane.h"
#include "geom/simd_vec3.h"

#define LANES_F64 ((size_t)SNAG__LANES_F64)
#define HEIGHT_ERROR 0x1p-90
#define DIVISION_ERROR 0x1p-96
// Between these nothing overflows, and what underflows is far below the bound.
#define LEAST 1e-60
#define MOST 1e90
// More than what underflows in a step along the edge.
#define TINY 1e-290

typedef snag__f64w wide;
typedef snag__i64w mask;

// hi + lo, where lo is at most half a unit in the last place of hi.
typedef struct twin {
    wide hi, lo;
} twin;

typedef struct twin3 {
    twin x, y, z;
} twin3;

// a + b for |a| >= |b|, exactly.
SNAG__INLINE twin quick_sum(wide a, wide b)
{
    wide sum = a + b;
    return (twin){sum, b - (sum - a)};
}

// a + b, exactly.
SNAG__INLINE twin sum(wide a, wide b)
{
    wide total = a + b, part = total - a;
    return (twin){total, (a - (total - part)) + (b - part)};
}

// a - b, exactly.
SNAG__INLINE twin difference(wide a, wide b)
{
    return sum(a, -b);
}

// a b, exactly: both are split into halves whose products have no more bits than a double.
SNAG__INLINE twin product(wide a, wide b)
{
    const wide splitter = snag__f64w_all(0x1p27 + 1);
    wide scaled_a = splitter * a, scaled_b = splitter * b;
    wide high_a = scaled_a - (scaled_a - a), high_b = scaled_b - (scaled_b - b);
    wide low_a = a - high_a, low_b = b - high_b, total = a * b;
    return (twin){total, ((high_a * high_b - total) + high_a * low_b + low_a * high_b) + low_a * low_b};
}

SNAG__INLINE twin add(twin a, twin b)
{
    twin total = sum(a.hi, b.hi);
    return quick_sum(total.hi, total.lo + (a.lo + b.lo));
}

SNAG__INLINE twin negate(twin a)
{
    return (twin){-a.hi, -a.lo};
}

SNAG__INLINE twin multiply(twin a, twin b)
{
    twin total = product(a.hi, b.hi);
    return quick_sum(total.hi, total.lo + (a.hi * b.lo + a.lo * b.hi));
}

SNAG__INLINE twin divide(twin a, twin b)
{
    wide first = a.hi / b.hi;
    twin rest = add(a, negate(multiply((twin){first, snag__f64w_all(0.0)}, b)));
    return quick_sum(first, rest.hi / b.hi);
}

SNAG__INLINE twin3 between(snag__simd_vec3 from, snag__simd_vec3 to)
{
    return (twin3){difference(to.x, from.x), difference(to.y, from.y), difference(to.z, from.z)};
}

SNAG__INLINE twin determinant2(twin a, twin b, twin c, twin d)
{
    return add(multiply(a, d), negate(multiply(b, c)));
}

SNAG__INLINE twin3 cross(twin3 a, twin3 b)
{
    return (twin3){determinant2(a.y, a.z, b.y, b.z), determinant2(a.z, a.x, b.z, b.x), determinant2(a.x, a.y, b.x, b.y)};
}

SNAG__INLINE twin dot(twin3 a, twin3 b)
{
    return add(add(multiply(a.x, b.x), multiply(a.y, b.y)), multiply(a.z, b.z));
}

SNAG__INLINE wide reach(twin3 a)
{
    return snag__simd_vec3_reach((snag__simd_vec3){a.x.hi, a.y.hi, a.z.hi});
}

// from + s way, rounded, and lanes in which that is certainly the double nearest to the true value: shifted by the
// error to either side it rounds to the same.
SNAG__INLINE wide divide_at(wide from, twin way, twin s, wide error_of_s, mask *certain)
{
    twin step = multiply(way, s), start = sum(from, step.hi);
    twin point = sum(start.hi, start.lo + step.lo);
    wide error = snag__f64w_abs(way.hi) * error_of_s + snag__f64w_abs(point.lo) * snag__f64w_all(0x1p-48);
    error += snag__f64w_select(snag__f64w_eq(way.hi, snag__f64w_all(0.0)), way.hi, snag__f64w_all(TINY));
    *certain &= snag__f64w_eq(point.hi + (point.lo - error), point.hi) & snag__f64w_eq(point.hi + (point.lo + error), point.hi);
    return point.hi + 0.0;  // -0 becomes 0
}

typedef struct lanes {
    snag__simd_vec3 point;
    uint32_t certain;
} lanes;

SNAG__INLINE lanes divide_edges(snag__simd_vec3 from, snag__simd_vec3 to, snag__simd_vec3 t0, snag__simd_vec3 t1,
                                snag__simd_vec3 t2)
{
    twin3 u = between(t0, t1), v = between(t0, t2), f = between(t0, from), g = between(t0, to);
    wide m = snag__f64w_max(snag__f64w_max(reach(u), reach(v)), snag__f64w_max(reach(f), reach(g)));
    twin3 normal = cross(u, v), way = between(from, to);
    twin at_from = dot(normal, f), whole = add(at_from, negate(dot(normal, g)));
    twin s = divide(at_from, whole);
    wide error_of_s = snag__f64w_all(3 * HEIGHT_ERROR) * (m * m * m) / snag__f64w_abs(whole.hi) + snag__f64w_all(DIVISION_ERROR);
    mask certain = snag__f64w_lt(snag__f64w_all(LEAST), m) & snag__f64w_lt(m, snag__f64w_all(MOST));
    lanes l;
    l.point.x = divide_at(from.x, way.x, s, error_of_s, &certain);
    l.point.y = divide_at(from.y, way.y, s, error_of_s, &certain);
    l.point.z = divide_at(from.z, way.z, s, error_of_s, &certain);
    l.certain = snag__i64w_bits(certain);
    return l;
}

static size_t points(const snag__edge_plane *cuts, size_t count, double (*result)[3])
{
    size_t exact = 0;
    for (size_t start = 0; start < count; start += LANES_F64) {
        size_t used = count - start < LANES_F64 ? count - start : LANES_F64;
        const double *corner[5][SNAG__LANES_F64];
        for (size_t lane = 0; lane < LANES_F64; lane++) {  // lanes beyond the last cut repeat it
            const snag__edge_plane *cut = &cuts[start + (lane < used ? lane : used - 1)];
            corner[0][lane] = cut->from;
            corner[1][lane] = cut->to;
            for (int i = 0; i < 3; i++)
                corner[2 + i][lane] = cut->plane[i];
        }
        lanes l =
            divide_edges(snag__simd_vec3_gather(corner[0]), snag__simd_vec3_gather(corner[1]), snag__simd_vec3_gather(corner[2]),
                         snag__simd_vec3_gather(corner[3]), snag__simd_vec3_gather(corner[4]));
        double coordinate[3][SNAG__LANES_F64];
        snag__f64w_store(coordinate[0], l.point.x);
        snag__f64w_store(coordinate[1], l.point.y);
        snag__f64w_store(coordinate[2], l.point.z);
        for (size_t lane = 0; lane < used; lane++) {
            for (int k = 0; k < 3; k++)
                result[start + lane][k] = coordinate[k][lane];
            if (!(l.certain >> lane & 1)) {
                snag__edge_plane_point(&cuts[start + lane], result[start + lane]);
                exact++;
            }
        }
    }
    return exact;
}

extern const snag__edge_plane_kernels SNAG__KERNEL(snag__edge_plane_kernels);
const snag__edge_plane_kernels SNAG__KERNEL(snag__edge_plane_kernels) = {
    .points = points,
};
