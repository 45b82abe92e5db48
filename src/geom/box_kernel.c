// Wide box and k-DOP kernels: see box.h.
//
// The rounding mode is never changed: a double is rounded down to a float by arithmetic on its bits, which the widest
// and the scalar build do alike, and rounded up as the negative of the negative rounded down.
#include "base/assert.h"
#include "base/simd.h"
#include "geom/box.h"
#include "geom/simd_vec3.h"

#include <float.h>

#define LANES_F64 ((size_t)SNAG__LANES_F64)
#define LANES_F32 ((size_t)SNAG__LANES_F32)

static inline snag__i64w bits_of(snag__f64w x)
{
    snag__i64w bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline snag__f64w from_bits(snag__i64w bits)
{
    snag__f64w x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- rounding ----

// The largest double below x; -inf stays itself.
static inline snag__f64w next_below(snag__f64w x)
{
    snag__i64w zero = snag__f64w_eq(x, snag__f64w_all(0.0));
    snag__i64w down = snag__f64w_lt(x, snag__f64w_all(0.0)) | zero;  // away from zero: the bits count up
    snag__i64w bits = bits_of(snag__f64w_select(zero, snag__f64w_all(-0.0), x));
    snag__f64w next = from_bits(bits + ((down & 2) - 1));
    return snag__f64w_select(snag__f64w_eq(x, snag__f64w_all(-INFINITY)), x, next);
}

// The largest float not above x, as a double.
static inline snag__f64w float_below(snag__f64w x)
{
    const snag__f64w zero = snag__f64w_all(0.0);
    const snag__i64w tail = snag__i64w_all(0x1fffffff);  // the 29 bits of a double that a float has not
    // Cutting the tail rounds towards zero; for negative numbers the carry of adding it first rounds away from zero.
    snag__i64w bits = bits_of(x);
    snag__f64w normal = snag__f64w_select(snag__f64w_lt(x, zero), from_bits((bits + tail) & ~tail), from_bits(bits & ~tail));
    normal = snag__f64w_min(normal, snag__f64w_all(FLT_MAX));
    // Subnormal floats are the multiples of 2^-149: a sum near 1.5 * 2^-97 has just those as its last place.
    const snag__f64w shift = snag__f64w_all(0x1.8p-97);
    snag__f64w small = (x + shift) - shift;
    small = snag__f64w_select(snag__f64w_lt(x, small), small - snag__f64w_all(0x1p-149), small);
    return snag__f64w_select(snag__f64w_lt(snag__f64w_abs(x), snag__f64w_all(FLT_MIN)), small, normal);
}

// The largest float not above x - inflate, with no rounding in between: the rounding error of the difference is exact
// (Knuth's two-sum) and says whether the true value lies below the rounded one. Where the difference overflows it is
// -inf and the error is NaN, which is not below zero: right as well.
static inline snag__f64w lower_bound(snag__f64w x, snag__f64w inflate)
{
    snag__f64w difference = x - inflate;
    snag__f64w part = difference - x;
    snag__f64w error = (x - (difference - part)) + (-inflate - part);
    snag__i64w below = snag__f64w_lt(error, snag__f64w_all(0.0));
    return float_below(snag__f64w_select(below, next_below(difference), difference));
}

// Writes the first `lanes` lanes as floats. They are floats already, or beyond their range and become infinite.
static inline void store_floats(float *to, snag__f64w x, size_t lanes)
{
#if SNAG__LANES_F64 == 1
    (void)lanes;
    *to = (float)x;
#else
    typedef float half __attribute__((vector_size(SNAG__LANES_F64 * 4)));
    half floats = __builtin_convertvector(x, half);
    if (lanes == LANES_F64)
        memcpy(to, &floats, sizeof floats);
    else
        memcpy(to, &floats, lanes * sizeof(float));
#endif
}

// ---- from elements ----

// Elements as a kernel reads them: `corners` vertices each, at one or two times.
typedef struct elements {
    const double (*x[2])[3];
    uint32_t times, corners;
    const uint32_t *vertices;  // NULL: element i is vertex i
} elements;

static inline elements elements_of(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t *vertices, uint32_t corners)
{
    return (elements){{x_t1, x_t0}, x_t0 ? 2 : 1, corners, vertices};
}

// One corner of elements first .. first + lanes - 1, transposed. Lanes that are not there repeat the last.
static inline void load_corner(const elements *from, uint32_t time, uint32_t corner, size_t first, size_t lanes, snag__f64w xyz[3])
{
    double transposed[3][SNAG__LANES_F64];
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        size_t element = first + (lane < lanes ? lane : lanes - 1);
        size_t vertex = from->vertices ? from->vertices[element * from->corners + corner] : element;
        const double *x = from->x[time][vertex];
        transposed[0][lane] = x[0];
        transposed[1][lane] = x[1];
        transposed[2][lane] = x[2];
    }
    for (int axis = 0; axis < 3; axis++)
        xyz[axis] = snag__f64w_load(transposed[axis]);
}

static inline void boxes_from(elements from, size_t first, size_t count, double inflate, snag__boxes *out)
{
    const snag__f64w grow = snag__f64w_all(inflate);
    for (size_t i = first; i < first + count; i += LANES_F64) {
        size_t lanes = first + count - i < LANES_F64 ? first + count - i : LANES_F64;
        snag__f64w lo[3], hi[3], x[3];
        load_corner(&from, 0, 0, i, lanes, lo);
        memcpy(hi, lo, sizeof hi);
        for (uint32_t time = 0; time < from.times; time++)
            for (uint32_t corner = time == 0; corner < from.corners; corner++) {
                load_corner(&from, time, corner, i, lanes, x);
                for (int axis = 0; axis < 3; axis++) {
                    lo[axis] = snag__f64w_min(lo[axis], x[axis]);
                    hi[axis] = snag__f64w_max(hi[axis], x[axis]);
                }
            }
        for (int axis = 0; axis < 3; axis++) {
            store_floats(out->lo[axis] + i, lower_bound(lo[axis], grow), lanes);
            store_floats(out->hi[axis] + i, -lower_bound(-hi[axis], grow), lanes);
        }
    }
}

static void from_vertices(const double (*x_t0)[3], const double (*x_t1)[3], size_t first, size_t count, double inflate,
                          snag__boxes *out)
{
    boxes_from(elements_of(x_t0, x_t1, NULL, 1), first, count, inflate, out);
}

static void from_edges(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t (*edges)[2], size_t first, size_t count,
                       double inflate, snag__boxes *out)
{
    boxes_from(elements_of(x_t0, x_t1, (const uint32_t *)edges, 2), first, count, inflate, out);
}

static void from_triangles(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t (*triangles)[3], size_t first,
                           size_t count, double inflate, snag__boxes *out)
{
    boxes_from(elements_of(x_t0, x_t1, (const uint32_t *)triangles, 3), first, count, inflate, out);
}

static void from_tets(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t (*tets)[4], size_t first, size_t count,
                      double inflate, snag__boxes *out)
{
    boxes_from(elements_of(x_t0, x_t1, (const uint32_t *)tets, 4), first, count, inflate, out);
}

// ---- k-DOPs ----
// Refits take their time here, so k-DOPs are made of floats from the start, and grown by a bound of all roundings instead of
// being the tightest.

enum { POINTS_MAX = 8, FETCH_AHEAD = 16 };  // four corners at two times; elements

typedef struct direction {
    float n[3];
    float reach;  // how far the bound grows along it
} direction;

// The next float above, and a bit more for the sums it goes into.
static float rounded_up(double x)
{
    return x > 0 ? nextafterf((float)(x * (1 + 1e-6)), INFINITY) : 0;
}

// The slabs beyond the axes; returns how many.
static uint32_t diagonals_of(uint32_t k, double inflate, direction out[SNAG__KDOP_SLABS_MAX - 3])
{
    double directions[SNAG__KDOP_SLABS_MAX][3];
    snag__kdop_directions(k, directions);
    uint32_t count = k / 2 - 3;
    for (uint32_t i = 0; i < count; i++) {
        const double *n = directions[3 + i];
        bool of_cube = n[0] != 0 && n[1] != 0 && n[2] != 0;
        for (int axis = 0; axis < 3; axis++)
            out[i].n[axis] = (float)n[axis];
        out[i].reach = rounded_up(inflate * (of_cube ? 0.4330127018922194 : 0.3535533905932738));  // sqrt(3) / 4, sqrt(2) / 4
    }
    return count;
}

static inline snag__f32w clamped(snag__f32w x)
{
    return snag__f32w_max(snag__f32w_min(x, snag__f32w_all(FLT_MAX)), snag__f32w_all(-FLT_MAX));
}

#if SNAG__LANES_F32 == 8
static inline snag__f32w joined(snag__f64w low, snag__f64w high)
{
    return (snag__f32w)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)high), _mm256_cvtpd_ps((__m256d)low));
}
#endif

// One corner of elements first .. first + lanes - 1, transposed and as floats of finite size. Lanes that are not there repeat
// the last.
static inline void load_corner_as_floats(const elements *from, uint32_t time, uint32_t corner, size_t first, size_t lanes,
                                         snag__f32w xyz[3])
{
    const double *x[SNAG__LANES_F32];
    for (size_t lane = 0; lane < LANES_F32; lane++) {
        size_t element = first + (lane < lanes ? lane : lanes - 1);
        x[lane] = from->x[time][from->vertices ? from->vertices[element * from->corners + corner] : element];
    }
#if SNAG__LANES_F32 == 8
    // By registers: floats that are written one by one would have to leave the store buffer before all are read.
    snag__simd_vec3 low = snag__simd_vec3_gather(x), high = snag__simd_vec3_gather(x + SNAG__LANES_F64);
    xyz[0] = joined(low.x, high.x);
    xyz[1] = joined(low.y, high.y);
    xyz[2] = joined(low.z, high.z);
#else
    float transposed[3][SNAG__LANES_F32];
    for (size_t lane = 0; lane < LANES_F32; lane++)
        for (int axis = 0; axis < 3; axis++)
            transposed[axis][lane] = (float)x[lane][axis];
    for (int axis = 0; axis < 3; axis++)
        xyz[axis] = snag__f32w_load(transposed[axis]);
#endif
    for (int axis = 0; axis < 3; axis++)
        xyz[axis] = clamped(xyz[axis]);
}

static inline snag__f32w f32w_abs(snag__f32w x)
{
    return snag__f32w_max(x, -x);
}

static inline void store_lanes(float *to, snag__f32w x, size_t lanes)
{
    if (lanes == LANES_F32)
        snag__f32w_store(to, x);
    else
        memcpy(to, &x, lanes * sizeof(float));
}

// Along an axis a float is off by one rounding, and the bound by another: two units of 2^-24. FLT_MIN stands for what is too
// small to be rounded relatively. What is beyond the range of floats becomes infinite, since FLT_MAX grows beyond it.
static inline void store_grown(snag__f32w lo, snag__f32w hi, float reach, float *to_lo, float *to_hi, size_t lanes)
{
    snag__f32w unit = snag__f32w_all(2.5f * 0x1p-24f), grow = snag__f32w_all(reach + FLT_MIN);
    store_lanes(to_lo, lo - (grow + f32w_abs(lo) * unit), lanes);
    store_lanes(to_hi, hi + (grow + f32w_abs(hi) * unit), lanes);
}

static inline void bound_axis(snag__f32w (*x)[3], uint32_t points, int axis, float reach, float *to_lo, float *to_hi, size_t lanes)
{
    snag__f32w lo = x[0][axis], hi = lo;
    for (uint32_t p = 1; p < points; p++) {
        lo = snag__f32w_min(lo, x[p][axis]);
        hi = snag__f32w_max(hi, x[p][axis]);
    }
    store_grown(lo, hi, reach, to_lo, to_hi, lanes);
}

// Along a diagonal two sums come to it, in units of the magnitudes that are added. Where those are near the end of the range
// nothing is known.
static inline void bound_diagonal(snag__f32w (*x)[3], uint32_t points, const direction *along, float *to_lo, float *to_hi,
                                  size_t lanes)
{
    snag__f32w lo = snag__f32w_all(INFINITY), hi = snag__f32w_all(-INFINITY), magnitude = snag__f32w_all(0);
    for (uint32_t p = 0; p < points; p++) {
        snag__f32w parts[3];
        for (int axis = 0; axis < 3; axis++)
            parts[axis] = x[p][axis] * snag__f32w_all(along->n[axis]);
        snag__f32w sum = (parts[0] + parts[1]) + parts[2];
        magnitude = snag__f32w_max(magnitude, (f32w_abs(parts[0]) + f32w_abs(parts[1])) + f32w_abs(parts[2]));
        lo = snag__f32w_min(lo, sum);
        hi = snag__f32w_max(hi, sum);
    }
    snag__f32w margin = snag__f32w_all(along->reach + FLT_MIN) + magnitude * snag__f32w_all(5 * 0x1p-24f);
    margin = snag__f32w_select(snag__f32w_lt(magnitude, snag__f32w_all(FLT_MAX / 8)), margin, snag__f32w_all(INFINITY));
    store_lanes(to_lo, lo - margin, lanes);
    store_lanes(to_hi, hi + margin, lanes);
}

// Vertices are far apart, and a processor does not look ahead far enough to ask for them in time.
static inline void fetch(const elements *from, size_t first)
{
    for (uint32_t time = 0; from->vertices != NULL && time < from->times; time++)
        for (size_t i = first * from->corners; i < (first + LANES_F32) * from->corners; i++)
            __builtin_prefetch(from->x[time][from->vertices[i]]);
}

static inline void kdops_from(elements from, size_t first, size_t count, double inflate, snag__kdops *out)
{
    direction diagonals[SNAG__KDOP_SLABS_MAX - 3];
    uint32_t diagonal_count = diagonals_of(out->k, inflate, diagonals);
    float reach = rounded_up(inflate);
    for (size_t i = first; i < first + count; i += LANES_F32) {
        size_t lanes = first + count - i < LANES_F32 ? first + count - i : LANES_F32;
        snag__f32w x[POINTS_MAX][3];
        uint32_t points = 0;
        if (i + FETCH_AHEAD + LANES_F32 <= first + count)
            fetch(&from, i + FETCH_AHEAD);
        for (uint32_t time = 0; time < from.times; time++)
            for (uint32_t corner = 0; corner < from.corners; corner++)
                load_corner_as_floats(&from, time, corner, i, lanes, x[points++]);
        for (int axis = 0; axis < 3; axis++)
            bound_axis(x, points, axis, reach, out->lo[axis] + i, out->hi[axis] + i, lanes);
        for (uint32_t slab = 0; slab < diagonal_count; slab++)
            bound_diagonal(x, points, &diagonals[slab], out->lo[3 + slab] + i, out->hi[3 + slab] + i, lanes);
    }
}

static void kdop_from_elements(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t *vertices, uint32_t corners,
                               size_t first, size_t count, double inflate, snag__kdops *out)
{
    SNAG__ASSERT(corners > 0);
    // Triangles at one time are what most refits are about: their loops are unrolled.
    if (corners == 3 && x_t0 == NULL)
        kdops_from(elements_of(NULL, x_t1, vertices, 3), first, count, inflate, out);
    else
        kdops_from(elements_of(x_t0, x_t1, vertices, corners), first, count, inflate, out);
}

static void kdop_grow(size_t first, size_t count, double inflate, snag__kdops *out)
{
    SNAG__ASSERT(out->k == 6);
    float reach = rounded_up(inflate);
    for (int axis = 0; axis < 3; axis++) {
        float *lo = out->lo[axis], *hi = out->hi[axis];
        for (size_t i = first; i < first + count; i += LANES_F32)
            store_grown(clamped(snag__f32w_load(lo + i)), clamped(snag__f32w_load(hi + i)), reach, lo + i, hi + i,
                        first + count - i < LANES_F32 ? first + count - i : LANES_F32);
    }
}

// ---- overlap of one against many ----

// Bits of the lanes of block i (a multiple of W) that are in first .. last - 1.
static inline uint32_t lanes_in_range(size_t i, size_t first, size_t last)
{
    uint32_t bits = SNAG__ALL_F32;
    if (i < first)
        bits &= ~0u << (first - i);
    if (last - i < LANES_F32)
        bits &= (1u << (last - i)) - 1u;
    return bits;
}

static inline snag__i32w slab_overlap(const float *lo, const float *hi, size_t i, float other_lo, float other_hi)
{
    return snag__f32w_le(snag__f32w_load(lo + i), snag__f32w_all(other_hi)) &
           snag__f32w_le(snag__f32w_all(other_lo), snag__f32w_load(hi + i));
}

static inline size_t append_hits(uint32_t *hits, size_t count, size_t i, uint32_t bits)
{
    for (; bits; bits &= bits - 1)
        hits[count++] = (uint32_t)i + (uint32_t)__builtin_ctz(bits);
    return count;
}

static size_t overlaps(const snag__boxes *boxes, size_t first, size_t last, const float lo[3], const float hi[3], uint32_t *hits)
{
    size_t count = 0;
    for (size_t i = first & ~(LANES_F32 - 1); i < last; i += LANES_F32) {
        snag__i32w mask = slab_overlap(boxes->lo[0], boxes->hi[0], i, lo[0], hi[0]);
        mask &= slab_overlap(boxes->lo[1], boxes->hi[1], i, lo[1], hi[1]);
        mask &= slab_overlap(boxes->lo[2], boxes->hi[2], i, lo[2], hi[2]);
        uint32_t bits = snag__i32w_bits(mask);
        if (bits)
            count = append_hits(hits, count, i, bits & lanes_in_range(i, first, last));
    }
    return count;
}

static size_t kdop_overlaps(const snag__kdops *kdops, size_t first, size_t last, const float *lo, const float *hi, uint32_t *hits)
{
    const uint32_t slabs = kdops->k / 2;
    size_t count = 0;
    for (size_t i = first & ~(LANES_F32 - 1); i < last; i += LANES_F32) {
        uint32_t bits = lanes_in_range(i, first, last);
        for (uint32_t slab = 0; slab < slabs && bits; slab++)
            bits &= snag__i32w_bits(slab_overlap(kdops->lo[slab], kdops->hi[slab], i, lo[slab], hi[slab]));
        count = append_hits(hits, count, i, bits);
    }
    return count;
}

extern const snag__box_kernels SNAG__KERNEL(snag__box_kernels);
const snag__box_kernels SNAG__KERNEL(snag__box_kernels) = {
    .from_vertices = from_vertices,
    .from_edges = from_edges,
    .from_triangles = from_triangles,
    .from_tets = from_tets,
    .overlaps = overlaps,
    .kdop_from_elements = kdop_from_elements,
    .kdop_grow = kdop_grow,
    .kdop_overlaps = kdop_overlaps,
};
