// Octants of triangles and spheres of levels, wide: see sphere_tree_kernel.h.
//
// Most triangles of a level are smaller than an octant, and comparing their boxes with the three planes tells all: one that
// meets the box, and whose own box lies in one octant only, meets that one. Those that reach into several are tested for
// separating axes against all octants at once, one octant in each lane, with a bound on the error; where it leaves a doubt
// exact predicates decide.
#include "bound/sphere_tree_kernel.h"

#include "geom/simd_vec3.h"

#define LANES_F64 ((size_t)SNAG__LANES_F64)

typedef snag__f64w wide;
typedef snag__i64w mask;

// ---- by boxes ----

// Octants by six bits: the triangle reaches below the plane of x, y, z, and above it.
static uint8_t octants_of_code(uint32_t code)
{
    static const uint8_t below[3] = {0x55, 0x33, 0x0f};
    uint32_t octants = 0xff;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t halves = 0;
        if (code >> axis & 1)
            halves |= below[axis];
        if (code >> (axis + 3) & 1)
            halves |= ~(uint32_t)below[axis];
        octants &= halves;
    }
    return (uint8_t)octants;
}

static void fill_table(uint8_t table[64])
{
    for (uint32_t code = 0; code < 64; code++)
        table[code] = octants_of_code(code);
}

SNAG__INLINE void reach_codes(wide a, wide b, wide c, double plane, bool cut, int axis, uint32_t codes[SNAG__LANES_F64])
{
    wide at = snag__f64w_all(plane);
    wide low = snag__f64w_min(snag__f64w_min(a, b), c), high = snag__f64w_max(snag__f64w_max(a, b), c);
    uint32_t below = cut ? snag__i64w_bits(snag__f64w_le(low, at)) : SNAG__ALL_F64;
    uint32_t above = cut ? snag__i64w_bits(snag__f64w_le(at, high)) : 0;
    for (uint32_t lane = 0; lane < LANES_F64; lane++)
        codes[lane] |= (below >> lane & 1u) << axis | (above >> lane & 1u) << (axis + 3);
}

static void box_octants(const double (*x)[3], const uint32_t (*triangles)[3], const uint32_t *list, size_t count,
                        const snag__octants *octants, uint8_t *masks)
{
    uint8_t table[64];
    fill_table(table);
    for (size_t first = 0; first < count; first += LANES_F64) {
        const uint32_t *triangle[SNAG__LANES_F64];
        uint32_t codes[SNAG__LANES_F64] = {0};
        for (size_t lane = 0; lane < LANES_F64; lane++) {
            size_t i = first + lane < count ? first + lane : count - 1;
            triangle[lane] = triangles[list != NULL ? list[i] : i];
        }
        snag__simd_vec3 a = snag__simd_vec3_corner(x, triangle, 0), b = snag__simd_vec3_corner(x, triangle, 1),
                        c = snag__simd_vec3_corner(x, triangle, 2);
        reach_codes(a.x, b.x, c.x, octants->mid[0], (octants->cut & 1) != 0, 0, codes);
        reach_codes(a.y, b.y, c.y, octants->mid[1], (octants->cut & 2) != 0, 1, codes);
        reach_codes(a.z, b.z, c.z, octants->mid[2], (octants->cut & 4) != 0, 2, codes);
        for (size_t lane = 0; lane < LANES_F64 && first + lane < count; lane++)
            masks[first + lane] = table[codes[lane]];
    }
}

// ---- by separating axes, one octant in each lane ----

// Twice the errors of simd_vec3.h, and a bound below which products may have lost digits.
#define ERROR2 0x1p-47
#define ERROR3 0x1p-42
#define LEAST 1e-250

typedef struct lanes_box {
    wide lo[3], hi[3];
} lanes_box;

// What is known in each lane.
typedef struct verdict {
    mask apart, doubt;
} verdict;

SNAG__INLINE wide larger_reach(wide so_far, wide lo, wide hi, double p)
{
    wide at = snag__f64w_all(p);
    return snag__f64w_max(so_far, snag__f64w_max(snag__f64w_abs(lo - at), snag__f64w_abs(hi - at)));
}

// The line through the edge p q seen along an axis: u and v are the other two. Apart where the rectangle is strictly on one
// side of it, and the third corner r is not.
SNAG__INLINE void test_edge(const lanes_box *box, const double *p, const double *q, const double *r, int u, int v, verdict *all)
{
    double du = q[u] - p[u], dv = q[v] - p[v];
    if (q[u] == p[u] && q[v] == p[v])
        return;  // no line, no side
    wide wu = snag__f64w_all(du), wv = snag__f64w_all(dv), pu = snag__f64w_all(p[u]), pv = snag__f64w_all(p[v]);
    // du (y - pv) - dv (x - pu) is largest and smallest at these corners.
    wide most = wu * ((du > 0 ? box->hi[v] : box->lo[v]) - pv) - wv * ((dv > 0 ? box->lo[u] : box->hi[u]) - pu);
    wide least = wu * ((du > 0 ? box->lo[v] : box->hi[v]) - pv) - wv * ((dv > 0 ? box->hi[u] : box->lo[u]) - pu);
    double third = du * (r[v] - p[v]) - dv * (r[u] - p[u]);
    wide reach = snag__f64w_all(fmax(fmax(fabs(du), fabs(dv)), fmax(fabs(r[u] - p[u]), fabs(r[v] - p[v]))));
    reach = larger_reach(larger_reach(reach, box->lo[u], box->hi[u], p[u]), box->lo[v], box->hi[v], p[v]);
    double way = fmax(fabs(du), fabs(dv));
    wide error = snag__f64w_all(ERROR2 * way) * reach;
    wide t = snag__f64w_all(third);
    mask apart = (snag__f64w_lt(most, -error) & snag__f64w_lt(error, t)) | (snag__f64w_lt(error, least) & snag__f64w_lt(t, -error));
    // Certainly not apart along this axis: on neither side.
    mask not_below = snag__f64w_lt(error, most) | snag__f64w_lt(t, -error);
    mask not_above = snag__f64w_lt(least, -error) | snag__f64w_lt(error, t);
    mask sound = snag__f64w_lt(snag__f64w_all(LEAST), snag__f64w_all(way) * reach);
    all->apart |= apart & sound;
    all->doubt |= ~(apart & sound) & ~(not_below & not_above & sound);
}

// The plane of the triangle: apart where the box is strictly on one side of it.
SNAG__INLINE void test_plane(const lanes_box *box, const double *a, const double *b, const double *c, verdict *all)
{
    double e[3], f[3], span = 0;
    for (int k = 0; k < 3; k++) {
        e[k] = b[k] - a[k];
        f[k] = c[k] - a[k];
        span = fmax(span, fmax(fabs(e[k]), fabs(f[k])));
    }
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    wide most = snag__f64w_all(0), least = snag__f64w_all(0), reach = snag__f64w_all(span);
    for (int k = 0; k < 3; k++) {
        wide at = snag__f64w_all(a[k]), slope = snag__f64w_all(n[k]);
        most += slope * ((n[k] > 0 ? box->hi[k] : box->lo[k]) - at);
        least += slope * ((n[k] > 0 ? box->lo[k] : box->hi[k]) - at);
        reach = larger_reach(reach, box->lo[k], box->hi[k], a[k]);
    }
    wide error = snag__f64w_all(ERROR3 * span * span) * reach;
    mask apart = snag__f64w_lt(most, -error) | snag__f64w_lt(error, least);
    mask meets = snag__f64w_lt(error, most) & snag__f64w_lt(least, -error);
    mask sound = snag__f64w_lt(snag__f64w_all(LEAST), snag__f64w_all(span * span) * reach);
    all->apart |= apart & sound;
    all->doubt |= ~(apart & sound) & ~(meets & sound);
}

SNAG__INLINE wide some_lanes(const double *values)
{
    return snag__f64w_load(values);
}

// Octants of `wanted` that the triangle meets.
static uint32_t meets_octants(const double *const corner[3], const double lo[3][8], const double hi[3][8], uint32_t wanted)
{
    uint32_t apart = 0, doubt = 0;
    for (uint32_t first = 0; first < 8; first += (uint32_t)LANES_F64) {
        if ((wanted >> first & SNAG__ALL_F64) == 0)
            continue;
        lanes_box box;
        for (int k = 0; k < 3; k++) {
            box.lo[k] = some_lanes(&lo[k][first]);
            box.hi[k] = some_lanes(&hi[k][first]);
        }
        verdict all = {snag__i64w_all(0), snag__i64w_all(0)};
        test_plane(&box, corner[0], corner[1], corner[2], &all);
        for (int e = 0; e < 3; e++)
            for (int axis = 0; axis < 3; axis++)
                test_edge(&box, corner[e], corner[(e + 1) % 3], corner[(e + 2) % 3], (axis + 1) % 3, (axis + 2) % 3, &all);
        apart |= snag__i64w_bits(all.apart) << first;
        doubt |= snag__i64w_bits(all.doubt) << first;
    }
    uint32_t left = wanted & ~apart;
    for (uint32_t rest = left & doubt; rest != 0; rest &= rest - 1) {
        int o = __builtin_ctz(rest);
        const double low[3] = {lo[0][o], lo[1][o], lo[2][o]}, high[3] = {hi[0][o], hi[1][o], hi[2][o]};
        if (!snag__triangle_meets_box(corner, low, high))
            left &= ~(1u << o);
    }
    return left;
}

static void exact_octants(const double (*x)[3], const uint32_t (*triangles)[3], const uint32_t *list, size_t count,
                          const snag__octants *octants, uint8_t *masks)
{
    double lo[3][8], hi[3][8];
    for (int o = 0; o < 8; o++) {
        double low[3], high[3];
        snag__octant_box(octants, o, low, high);
        for (int k = 0; k < 3; k++) {
            lo[k][o] = low[k];
            hi[k][o] = high[k];
        }
    }
    box_octants(x, triangles, list, count, octants, masks);
    for (size_t i = 0; i < count; i++) {
        if ((masks[i] & (masks[i] - 1)) == 0)
            continue;
        const uint32_t *v = triangles[list != NULL ? list[i] : i];
        const double *const corner[3] = {x[v[0]], x[v[1]], x[v[2]]};
        masks[i] = (uint8_t)meets_octants(corner, (const double(*)[8])lo, (const double(*)[8])hi, masks[i]);
    }
}

// ---- spheres ----

// Distances are measured in sums of radii, so that no square overflows; where even that is not a number of its kind, the boxes
// alone decide.
static uint32_t touch(const snag__eight_spheres *eight, const snag__sphere *one, bool boxes)
{
    double reach = eight->radius + one->radius;
    bool spheres = reach > 1e-290 && reach < 1e307;
    wide scale = snag__f64w_all(1 / reach), most = snag__f64w_all(1 + 0x1p-48);
    uint32_t touching = 0;
    for (size_t first = 0; first < 8; first += LANES_F64) {
        wide distance = snag__f64w_all(0);
        mask apart = snag__i64w_all(0);
        for (int k = 0; k < 3; k++) {
            wide d = snag__f64w_load(&eight->centre[k][first]) - snag__f64w_all(one->centre[k]);
            distance += (d * scale) * (d * scale);
            if (boxes || !spheres)
                apart |= snag__f64w_lt(snag__f64w_all(eight->half[k] + one->half[k]), snag__f64w_abs(d));
        }
        if (spheres)
            apart |= snag__f64w_lt(most, distance);
        touching |= (~snag__i64w_bits(apart) & SNAG__ALL_F64) << first;
    }
    return touching;
}

const snag__sphere_kernels SNAG__KERNEL(snag__sphere_kernels) = {
    .octants = exact_octants,
    .box_octants = box_octants,
    .touch = touch,
};
