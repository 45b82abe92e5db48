// Wide triangle kernels: see triangle_kernel.h. Pairs go through the filter of f32_filter.h, if there is what it needs, then through
// one in double precision, and what is left is decided exactly. The signs and what follows from them are those of
// triangle.c, the error bounds those of simd_vec3.h.
#include <stdbool.h>

#include "geom/geom.h"
#include "geom/triangle_kernel.h"
#include "geom/simd_vec3.h"

#define LANES_F64 ((size_t)SNAG__LANES_F64)
#define INLINE SNAG__INLINE

// Pairs that are looked at together, in double and in single precision: what is left of them is kept in lists of this length.
enum { CHUNK = 256, FILTERED = 1024 };

typedef snag__f64w wide;
typedef snag__i64w mask;
typedef snag__simd_vec3 point;

// The numbers of WD vertices.
#if SNAG__LANES_F64 == 1
typedef int32_t numbers;
#else
typedef int32_t numbers __attribute__((vector_size(SNAG__LANES_F64 * 4)));
#endif

INLINE numbers gather_numbers(const uint32_t *const triangle[SNAG__LANES_F64], int corner)
{
    int32_t number[SNAG__LANES_F64];
    for (size_t i = 0; i < LANES_F64; i++)
        number[i] = (int32_t)triangle[i][corner];
    numbers n;
    memcpy(&n, number, sizeof n);
    return n;
}

INLINE uint32_t number_bits(numbers equal)
{
#if SNAG__LANES_F64 == 1
    return (uint32_t)equal & 1u;
#elif SNAG__LANES_F64 == 4
    return (uint32_t)_mm_movemask_ps((__m128)equal);
#else
    return snag__i64w_bits(__builtin_convertvector(equal, snag__i64w));
#endif
}

// ---- first stage: each triangle's corners against the other's plane ----

// Triangle a of each lane, relative to its corner 0. Runs of pairs with one first triangle compute it once.
typedef struct first {
    uint32_t triangle;  // the same in all lanes, or NOT_ONE
    point origin, e1, e2, normal;
    wide reach;
    numbers vertex[3];
} first;

#define NOT_ONE UINT32_MAX

static __attribute__((noinline)) void set_first(first *f, const snag__triangle_pairs *pairs, const uint32_t (*group)[2])
{
    const uint32_t *triangle[SNAG__LANES_F64];
    uint32_t differ = 0;
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        triangle[lane] = pairs->triangles_a[group[lane][0]];
        differ |= group[lane][0] ^ group[0][0];
    }
    f->triangle = differ ? NOT_ONE : group[0][0];
    point corner[3];
    for (int i = 0; i < 3; i++) {
        const double *one = pairs->x_a[triangle[0][i]];
        corner[i] = differ ? snag__simd_vec3_corner(pairs->x_a, triangle, i)
                           : (point){snag__f64w_all(one[0]), snag__f64w_all(one[1]), snag__f64w_all(one[2])};
        if (pairs->same_body)
            f->vertex[i] = gather_numbers(triangle, i);
    }
    f->origin = corner[0];
    f->e1 = snag__simd_vec3_minus(corner[1], corner[0]);
    f->e2 = snag__simd_vec3_minus(corner[2], corner[0]);
    f->normal = snag__simd_vec3_cross(f->e1, f->e2);
    f->reach = snag__f64w_max(snag__simd_vec3_reach(f->e1), snag__simd_vec3_reach(f->e2));
}

// The heights of a triangle's corners over the other's plane, and lanes in which their signs are certain.
// (Named, not an array: so the compiler keeps them in registers.)
typedef struct sides {
    wide height0, height1, height2;
    mask certain0, certain1, certain2;
} sides;

INLINE sides sides_of(wide height0, wide height1, wide height2, wide error)
{
    return (sides){
        height0,
        height1,
        height2,
        snag__f64w_lt(error, snag__f64w_abs(height0)),
        snag__f64w_lt(error, snag__f64w_abs(height1)),
        snag__f64w_lt(error, snag__f64w_abs(height2)),
    };
}

// Both triangles' sides, and the error of all heights.
INLINE wide find_sides(const first *f, point b0, point b1, point b2, sides *of_a, sides *of_b)
{
    point r0 = snag__simd_vec3_minus(b0, f->origin), r1 = snag__simd_vec3_minus(b1, f->origin),
          r2 = snag__simd_vec3_minus(b2, f->origin);
    wide m = snag__f64w_max(snag__f64w_max(f->reach, snag__simd_vec3_reach(r0)),
                            snag__f64w_max(snag__simd_vec3_reach(r1), snag__simd_vec3_reach(r2)));
    wide error = snag__simd_vec3_error(m);
    *of_b =
        sides_of(snag__simd_vec3_dot(f->normal, r0), snag__simd_vec3_dot(f->normal, r1), snag__simd_vec3_dot(f->normal, r2), error);
    point normal = snag__simd_vec3_cross(snag__simd_vec3_minus(r1, r0), snag__simd_vec3_minus(r2, r0));
    wide base = snag__simd_vec3_dot(normal, r0);
    *of_a = sides_of(-base, snag__simd_vec3_dot(normal, f->e1) - base, snag__simd_vec3_dot(normal, f->e2) - base, error);
    return error;
}

// One certain side also proves that the triangle it is a side of has an area.
INLINE mask have_areas(const sides *a, const sides *b)
{
    return (a->certain0 | a->certain1 | a->certain2) & (b->certain0 | b->certain1 | b->certain2);
}

// In the highest bit of each lane.
INLINE mask on_both_sides(const sides *s)
{
    snag__i64w bits = snag__f64w_bit_pattern(s->height0);
    return (bits ^ snag__f64w_bit_pattern(s->height1)) | (bits ^ snag__f64w_bit_pattern(s->height2));
}

// What the sides say, one bit for each lane. Lanes in none of the three are in doubt.
typedef struct verdict {
    uint32_t apart, crossing;
    uint32_t spans;  // no corner is shared and neither triangle lies on one side: the spans on the common line decide
} verdict;

INLINE verdict judge_unshared(const sides *a, const sides *b)
{
    mask certain_a = a->certain0 & a->certain1 & a->certain2;
    mask certain_b = b->certain0 & b->certain1 & b->certain2;
    mask both_a = on_both_sides(a), both_b = on_both_sides(b);
    mask apart = ((certain_a & ~both_a) | (certain_b & ~both_b)) & have_areas(a, b);
    return (verdict){
        .apart = snag__i64w_signs(apart),
        .spans = snag__i64w_signs(certain_a & certain_b & both_a & both_b),
    };
}

// ---- lanes whose triangles share vertices ----

// Corners that are a vertex of the other triangle too, one bit for each lane. They lie in its plane: their height is
// zero, and so never found to be certain.
typedef struct shared {
    uint32_t a[3], b[3], any;
} shared;

INLINE shared find_shared(const numbers a[3], const numbers b[3])
{
    numbers equal[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            equal[i][j] = a[i] == b[j];
    shared s;
    for (int i = 0; i < 3; i++) {
        s.a[i] = number_bits(equal[i][0] | equal[i][1] | equal[i][2]);
        s.b[i] = number_bits(equal[0][i] | equal[1][i] | equal[2][i]);
    }
    s.any = s.a[0] | s.a[1] | s.a[2];
    return s;
}

// The same sides, one bit for each lane.
typedef struct side_bits {
    uint32_t below[3], certain[3];
} side_bits;

INLINE side_bits side_bits_of(const sides *s)
{
    return (side_bits){
        .below = {snag__f64w_signs(s->height0), snag__f64w_signs(s->height1), snag__f64w_signs(s->height2)},
        .certain = {snag__i64w_bits(s->certain0), snag__i64w_bits(s->certain1), snag__i64w_bits(s->certain2)},
    };
}

// Whether two corners that are not shared lie on different sides.
INLINE uint32_t others_on_both_sides(const side_bits *s, const uint32_t at[3])
{
    return ((s->below[0] ^ s->below[1]) & ~(at[0] | at[1])) | ((s->below[1] ^ s->below[2]) & ~(at[1] | at[2])) |
           ((s->below[2] ^ s->below[0]) & ~(at[2] | at[0]));
}

INLINE uint32_t others_certain(const side_bits *s, const uint32_t at[3])
{
    return (s->certain[0] | at[0]) & (s->certain[1] | at[1]) & (s->certain[2] | at[2]);
}

// Whether the corner after the shared one is below; for triangles that share one.
INLINE uint32_t next_is_below(const side_bits *s, const uint32_t at[3])
{
    return (at[0] & s->below[1]) | (at[1] & s->below[2]) | (at[2] & s->below[0]);
}

// For lanes that share something: apart if the corners that are not shared lie on one side, as before. Else one corner
// is shared, and both triangles pass through the other's plane there. Their spans begin at it, and run in the same
// direction if and only if the corners after it lie on different sides (see span_of in triangle.c). Three shared
// corners are never certain.
INLINE verdict judge_shared(const sides *of_a, const sides *of_b, const shared *s)
{
    side_bits a = side_bits_of(of_a), b = side_bits_of(of_b);
    uint32_t areas = (a.certain[0] | a.certain[1] | a.certain[2]) & (b.certain[0] | b.certain[1] | b.certain[2]);
    uint32_t certain_a = others_certain(&a, s->a), certain_b = others_certain(&b, s->b);
    uint32_t both_a = others_on_both_sides(&a, s->a), both_b = others_on_both_sides(&b, s->b);
    uint32_t clear = ((certain_a & ~both_a) | (certain_b & ~both_b)) & areas;
    uint32_t passing = certain_a & certain_b & areas & ~clear;
    uint32_t same_direction = next_is_below(&a, s->a) ^ next_is_below(&b, s->b);
    return (verdict){.apart = clear | (passing & ~same_direction), .crossing = passing & same_direction};
}

// ---- what the first stage leaves of a chunk of pairs ----

typedef struct remains {
    size_t doubt_count, span_count;
    uint16_t doubt[CHUNK + 4];  // pairs for the exact path
    uint16_t span[CHUNK + 4];  // pairs whose spans decide
    uint64_t below[CHUNK / SNAG__LANES_F64];  // for each group of WD pairs the corners below, those of a, then of b: a byte each
    double error[CHUNK];  // of the pairs whose spans decide
} remains;

INLINE uint64_t corner_bits(const sides *s)
{
    return snag__f64w_signs(s->height0) | (uint64_t)snag__f64w_signs(s->height1) << 8 |
           (uint64_t)snag__f64w_signs(s->height2) << 16;
}

// The corners of a lane that lie below: bits 0..2 those of a, 3..5 those of b.
INLINE uint32_t corners_below(uint64_t below, size_t lane)
{
    uint64_t bits = below >> lane & 0x010101010101;
    // Bit 0 of byte k moves to bit 40 + k, and no two others meet.
    return bits * 0x010204081020 >> 40 & 63;
}

// Appends start + lane for each lane whose bit is set: four at a time, of which the ones wanted come first.
INLINE size_t append_lanes(uint16_t *list, size_t count, size_t start, uint32_t bits)
{
    static const struct {
        uint16_t lane[4], count;
    } picked[16] = {
        {{0}, 0}, {{0}, 1},    {{1}, 1},    {{0, 1}, 2},    {{2}, 1},    {{0, 2}, 2},    {{1, 2}, 2},    {{0, 1, 2}, 3},
        {{3}, 1}, {{0, 3}, 2}, {{1, 3}, 2}, {{0, 1, 3}, 3}, {{2, 3}, 2}, {{0, 2, 3}, 3}, {{1, 2, 3}, 3}, {{0, 1, 2, 3}, 4},
    };
    for (size_t lane = 0; lane < LANES_F64; lane += 4) {
        for (int k = 0; k < 4; k++)
            list[count + (size_t)k] = (uint16_t)(start + lane + picked[bits >> lane & 15].lane[k]);
        count += picked[bits >> lane & 15].count;
    }
    return count;
}

// Looks at WD pairs, of which those in `valid` count; the first of them is number `start` of its chunk.
INLINE void look_at_sides(const snag__triangle_pairs *pairs, const uint32_t (*group)[2], uint32_t valid, bool same_body, first *f,
                          size_t start, uint8_t *meeting, remains *left)
{
    const uint32_t *tb[SNAG__LANES_F64];
    uint32_t differ = f->triangle ^ group[0][0];
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        differ |= group[lane][0] ^ group[0][0];
        tb[lane] = pairs->triangles_b[group[lane][1]];
    }
    if (differ)
        set_first(f, pairs, group);
    point b0 = snag__simd_vec3_corner(pairs->x_b, tb, 0);
    point b1 = snag__simd_vec3_corner(pairs->x_b, tb, 1);
    point b2 = snag__simd_vec3_corner(pairs->x_b, tb, 2);
    sides of_a, of_b;
    wide error = find_sides(f, b0, b1, b2, &of_a, &of_b);
    verdict v = judge_unshared(&of_a, &of_b);
    if (same_body) {
        numbers vb[3];
        for (int i = 0; i < 3; i++)
            vb[i] = gather_numbers(tb, i);
        shared s = find_shared(f->vertex, vb);
        if (s.any) {
            verdict w = judge_shared(&of_a, &of_b, &s);
            v.apart = (v.apart & ~s.any) | (w.apart & s.any);
            v.crossing = w.crossing & s.any;
            v.spans &= ~s.any;
        }
    }
    // Always, since a branch here would be taken like a coin toss.
    left->span_count = append_lanes(left->span, left->span_count, start, v.spans & valid);
    left->below[start / LANES_F64] = corner_bits(&of_a) | corner_bits(&of_b) << 24;
    snag__f64w_store(left->error + start, error);
    uint32_t rest = valid & ~(v.apart | v.spans);
    if (rest) {
        for (uint32_t lane = 0; lane < LANES_F64; lane++)
            if ((v.crossing & rest) >> lane & 1)
                meeting[start + lane] = SNAG__CROSSING;
        left->doubt_count = append_lanes(left->doubt, left->doubt_count, start, rest & ~v.crossing);
    }
}

// ---- second stage: the spans on the common line ----

// By the corners below: the corners of a, then those of b. First the one that is alone on its side, then the others
// such that the span of a ends high on the edge to the second and low on the edge to the third, and that of b the other
// way round. Where the lone corners of a and b lie on different sides, second and third change places in both, which
// turns the two comparisons below into each other. All in all: the corner after the lone one comes second if and only
// if the other triangle's lone corner lies above.
typedef struct span_order {
    uint8_t a[3], b[3];
} span_order;

#define NEXT(i)                                                                                                                    \
    {                                                                                                                              \
        (i), ((i) + 1) % 3, ((i) + 2) % 3                                                                                          \
    }
#define LAST(i)                                                                                                                    \
    {                                                                                                                              \
        (i), ((i) + 2) % 3, ((i) + 1) % 3                                                                                          \
    }
// Lone corner of b below, at the places 1, 2, 4 (corners 0, 1, 2), or above, at 6, 5, 3.
#define ORDERS(a, i, of_b)                                                                                                         \
    [(a) | 1 << 3] = {LAST(i), of_b(0)}, [(a) | 2 << 3] = {LAST(i), of_b(1)}, [(a) | 4 << 3] = {LAST(i), of_b(2)},                 \
                [(a) | 6 << 3] = {NEXT(i), of_b(0)}, [(a) | 5 << 3] = {NEXT(i), of_b(1)}, [(a) | 3 << 3] = {NEXT(i), of_b(2)}

static const span_order span_orders[64] = {ORDERS(1, 0, LAST), ORDERS(2, 1, LAST), ORDERS(4, 2, LAST),
                                           ORDERS(6, 0, NEXT), ORDERS(5, 1, NEXT), ORDERS(3, 2, NEXT)};

INLINE void look_at_spans(const snag__triangle_pairs *pairs, const uint32_t (*chunk)[2], size_t start, uint8_t *meeting,
                          remains *left)
{
    size_t lanes = left->span_count - start < LANES_F64 ? left->span_count - start : LANES_F64;
    const uint32_t *ta[SNAG__LANES_F64], *tb[SNAG__LANES_F64];
    const span_order *order[SNAG__LANES_F64];
    double errors[SNAG__LANES_F64];
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        size_t pair = left->span[start + (lane < lanes ? lane : lanes - 1)];
        ta[lane] = pairs->triangles_a[chunk[pair][0]];
        tb[lane] = pairs->triangles_b[chunk[pair][1]];
        order[lane] = &span_orders[corners_below(left->below[pair / LANES_F64], pair % LANES_F64)];
        errors[lane] = left->error[pair];
    }
    point a[3], b[3];
    for (int i = 0; i < 3; i++) {
        const double *x[SNAG__LANES_F64];
        for (size_t lane = 0; lane < LANES_F64; lane++)
            x[lane] = pairs->x_a[ta[lane][order[lane]->a[i]]];
        a[i] = snag__simd_vec3_gather(x);
    }
    for (int i = 0; i < 3; i++) {
        const double *x[SNAG__LANES_F64];
        for (size_t lane = 0; lane < LANES_F64; lane++)
            x[lane] = pairs->x_b[tb[lane][order[lane]->b[i]]];
        b[i] = snag__simd_vec3_minus(snag__simd_vec3_gather(x), a[0]);
    }
    a[1] = snag__simd_vec3_minus(a[1], a[0]);
    a[2] = snag__simd_vec3_minus(a[2], a[0]);
    wide error = snag__f64w_load(errors);
    // order(a.high, b.low) and order(a.low, b.high) of triangle.c.
    wide b_low = snag__simd_vec3_dot(a[1], snag__simd_vec3_cross(b[0], b[1])),
         b_high = snag__simd_vec3_dot(a[2], snag__simd_vec3_cross(b[0], b[2]));
    uint32_t apart = snag__i64w_bits(snag__f64w_lt(error, b_low) | snag__f64w_lt(b_high, -error));
    uint32_t crossing = snag__i64w_bits(snag__f64w_lt(b_low, -error) & snag__f64w_lt(error, b_high));
    uint32_t valid = lanes == LANES_F64 ? SNAG__ALL_F64 : (1u << lanes) - 1;
    for (uint32_t lane = 0; lane < lanes; lane++)
        meeting[left->span[start + lane]] = crossing >> lane & 1 ? SNAG__CROSSING : SNAG__APART;
    for (uint32_t doubt = valid & ~(apart | crossing); doubt; doubt &= doubt - 1)
        left->doubt[left->doubt_count++] = left->span[start + (uint32_t)__builtin_ctz(doubt)];
}

// ---- the rest ----

static snag__meeting meet_exactly(const snag__triangle_pairs *pairs, const uint32_t pair[2])
{
    // Vertices of different bodies are never shared, whatever their numbers.
    static const uint32_t corners_of_a[3] = {0, 1, 2}, corners_of_b[3] = {3, 4, 5};
    const uint32_t *va = pairs->triangles_a[pair[0]], *vb = pairs->triangles_b[pair[1]];
    const double *a[3], *b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = pairs->x_a[va[i]];
        b[i] = pairs->x_b[vb[i]];
    }
    if (pairs->same_body)
        return snag__triangles_meet(a, va, b, vb);
    return snag__triangles_meet(a, corners_of_a, b, corners_of_b);
}

static uint32_t same_vertices(const uint32_t a[3], const uint32_t b[3])
{
    uint32_t count = 0;
    for (int i = 0; i < 3; i++)
        count += (a[i] == b[0]) | (a[i] == b[1]) | (a[i] == b[2]);
    return count;
}

// Adds to pairs of one body that meet how many vertices they share.
static void add_shared(const snag__triangle_pairs *pairs, const uint32_t (*chunk)[2], size_t count, uint8_t *meeting)
{
    for (size_t i = 0; i < count; i++)
        if (meeting[i] != SNAG__APART && meeting[i] != SNAG__DEGENERATE) {
            uint32_t same = same_vertices(pairs->triangles_a[chunk[i][0]], pairs->triangles_b[chunk[i][1]]);
            meeting[i] = (uint8_t)(meeting[i] | same << SNAG__SHARED_SHIFT);
        }
}

// Asks for the second triangles of the groups to come: their vertices soon, their numbers later.
INLINE void fetch_ahead(const snag__triangle_pairs *pairs, const uint32_t (*group)[2])
{
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        const uint32_t *soon = pairs->triangles_b[group[2 * LANES_F64 + lane][1]];
        __builtin_prefetch(pairs->triangles_b[group[5 * LANES_F64 + lane][1]]);
        for (int i = 0; i < 3; i++)
            __builtin_prefetch(pairs->x_b[soon[i]]);
    }
}

INLINE size_t meet_chunk(const snag__triangle_pairs *pairs, const uint32_t (*chunk)[2], size_t count, bool same_body, first *f,
                         uint8_t *meeting)
{
    remains left;
    left.doubt_count = left.span_count = 0;
    memset(meeting, SNAG__APART, count);
    size_t i = 0;
    for (; i + LANES_F64 <= count; i += LANES_F64) {
        if (i + 6 * LANES_F64 <= count)
            fetch_ahead(pairs, chunk + i);
        look_at_sides(pairs, chunk + i, SNAG__ALL_F64, same_body, f, i, meeting, &left);
    }
    if (i < count) {
        uint32_t group[SNAG__LANES_F64][2];  // the last pairs, the very last one again where lanes are left
        for (size_t lane = 0; lane < LANES_F64; lane++)
            memcpy(group[lane], chunk[i + lane < count ? i + lane : count - 1], sizeof group[lane]);
        look_at_sides(pairs, (const uint32_t(*)[2])group, (1u << (count - i)) - 1, same_body, f, i, meeting, &left);
    }
    for (i = 0; i < left.span_count; i += LANES_F64)
        look_at_spans(pairs, chunk, i, meeting, &left);
    for (i = 0; i < left.doubt_count; i++)
        meeting[left.doubt[i]] = (uint8_t)meet_exactly(pairs, chunk[left.doubt[i]]);
    if (same_body)
        add_shared(pairs, chunk, count, meeting);
    return left.doubt_count;
}

// In double precision.
static size_t meet_some(const snag__triangle_pairs *pairs, const uint32_t (*some)[2], size_t count, uint8_t *meeting)
{
    size_t exact = 0;
    first f = {.triangle = NOT_ONE};
    for (size_t i = 0; i < count; i += CHUNK) {
        size_t now = count - i < CHUNK ? count - i : CHUNK;
        exact += pairs->same_body ? meet_chunk(pairs, some + i, now, true, &f, meeting + i)
                                  : meet_chunk(pairs, some + i, now, false, &f, meeting + i);
    }
    return exact;
}

// Asks for a triangle in double precision, by the numbers of its vertices that single precision has just read.
INLINE void fetch_triangle(const double (*x)[3], const uint32_t (*triangles)[3], const snag__f32_triangle *f32, uint32_t triangle)
{
    __builtin_prefetch(triangles[triangle]);
    __builtin_prefetch(x[f32[triangle].vertex0]);
    __builtin_prefetch(x[f32[triangle].vertex1]);
    __builtin_prefetch(x[f32[triangle].vertex2]);
}

// Single precision first; what it leaves in doubt follows by itself.
static size_t meet_filtered(const snag__triangle_pairs *pairs, const uint32_t (*some)[2], size_t count, uint8_t *meeting)
{
    uint16_t doubt[FILTERED];
    uint32_t left[FILTERED][2];
    uint8_t meeting_left[FILTERED];
    size_t doubts = SNAG__KERNEL(snag__f32_filter_kernels).filter(pairs->f32, some, count, meeting, doubt);
    for (size_t i = 0; i < doubts; i++) {
        memcpy(left[i], some[doubt[i]], sizeof left[i]);
        fetch_triangle(pairs->x_a, pairs->triangles_a, pairs->f32->a, left[i][0]);
        fetch_triangle(pairs->x_b, pairs->triangles_b, pairs->f32->b, left[i][1]);
    }
    size_t exact = meet_some(pairs, (const uint32_t(*)[2])left, doubts, meeting_left);
    for (size_t i = 0; i < doubts; i++)
        meeting[doubt[i]] = meeting_left[i];
    return exact;
}

static size_t meet(const snag__triangle_pairs *pairs, uint8_t *meeting)
{
    if (pairs->f32 == NULL)
        return meet_some(pairs, pairs->pairs, pairs->count, meeting);
    size_t exact = 0;
    for (size_t i = 0; i < pairs->count; i += FILTERED)
        exact += meet_filtered(pairs, pairs->pairs + i, pairs->count - i < FILTERED ? pairs->count - i : FILTERED, meeting + i);
    return exact;
}

extern const snag__triangle_kernels SNAG__KERNEL(snag__triangle_kernels);
const snag__triangle_kernels SNAG__KERNEL(snag__triangle_kernels) = {
    .meet = meet,
};
