// SIMD kernels of f32_filter.h.
//
// Error bounds. Let u = 2^-24, let the origins be off by e in each coordinate, and let m be the largest coordinate of the
// edges and of the difference of the origins. The difference is then off by 2 e + u m, an edge and a normal by u m and u.
//     Heights over a plane: 3 (2 e + u m) for the difference, 3 u m for the normal, 8 u m for sums and products;
//     3 u m + 3 u m + 8 u m for the edge, and 6 u m for the last sum: below 6 e + 34 u m in all.
//     Determinants of two edges and the difference of two corners (at most 2 m, 2 m, 3 m; off by 3 u m, 3 u m,
//     2 e + 6 u m): a cross product is off by 8 e m + 66 u m^2, the determinant by 48 e m^2 + 800 u m^3.
// Where anything overflows 64 m or (5 m)^3 does: then the error is infinite, and nothing is certain. Underflow is far below 1e-36,
// and below e.
#include "base/assert.h"
#include "geom/geom.h"
#include "geom/f32_filter_store.h"

#define INLINE SNAG__INLINE

// Pairs compared at once, and how many pairs ahead triangles are prefetched.
enum { LANES_F32 = SNAG__LANES_F32, FETCH_AHEAD = 8 * LANES_F32 };

typedef snag__f32w wide;
typedef snag__i32w mask;

typedef struct point {
    wide x, y, z;
} point;

INLINE point minus(point a, point b)
{
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE point plus(point a, point b)
{
    return (point){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE point cross(point a, point b)
{
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINE wide dot(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE mask pattern(wide a)
{
    mask bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

// The highest bit of each lane.
INLINE uint32_t signs(mask a)
{
#if SNAG__LANES_F32 == 8
    return (uint32_t)_mm256_movemask_ps((__m256)a);
#else
    return snag__i32w_bits(SNAG__MASK32(a < 0));
#endif
}

INLINE wide absolute(wide a)
{
#if SNAG__LANES_F32 == 1
    return fabsf(a);
#else
    return (wide)((mask)a & snag__i32w_all(INT32_MAX));
#endif
}

INLINE wide largest(point p)
{
    return snag__f32w_max(snag__f32w_max(absolute(p.x), absolute(p.y)), absolute(p.z));
}

// `a` in lanes whose highest bit is set, else `b`.
INLINE wide pick(mask sign, wide a, wide b)
{
#if SNAG__LANES_F32 == 8
    return (wide)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)sign);
#else
    return snag__f32w_select(SNAG__MASK32(sign < 0), a, b);
#endif
}

// The negative of `a` in lanes whose highest bit is set.
INLINE wide signed_by(mask sign, wide a)
{
    mask bits = pattern(a) ^ (sign & snag__i32w_all(INT32_MIN));
    memcpy(&a, &bits, sizeof a);
    return a;
}

INLINE point pick_point(mask sign, point a, point b)
{
    return (point){pick(sign, a.x, b.x), pick(sign, a.y, b.y), pick(sign, a.z, b.z)};
}

INLINE point negative(point a)
{
    return (point){-a.x, -a.y, -a.z};
}

// ---- one triangle in each lane ----

typedef struct triangles {
    point origin, edge1, edge2, normal;
    wide reach;
    mask vertex[3];
} triangles;

#if SNAG__LANES_F32 == 8
// Four floats at an offset of each triangle: one load for each, then a transposition.
INLINE point gather(const snag__f32_triangle *const t[LANES_F32], size_t offset, wide *fourth)
{
#define ROW(lane) _mm_load_ps((const float *)((const char *)t[lane] + offset))
#define ROWS(low, high) _mm256_insertf128_ps(_mm256_castps128_ps256(ROW(low)), ROW(high), 1)
    __m256 rows04 = ROWS(0, 4), rows15 = ROWS(1, 5), rows26 = ROWS(2, 6), rows37 = ROWS(3, 7);
    __m256d xy01 = _mm256_castps_pd(_mm256_unpacklo_ps(rows04, rows15));
    __m256d zw01 = _mm256_castps_pd(_mm256_unpackhi_ps(rows04, rows15));
    __m256d xy23 = _mm256_castps_pd(_mm256_unpacklo_ps(rows26, rows37));
    __m256d zw23 = _mm256_castps_pd(_mm256_unpackhi_ps(rows26, rows37));
    *fourth = (wide)_mm256_unpackhi_pd(zw01, zw23);
    return (point){(wide)_mm256_unpacklo_pd(xy01, xy23), (wide)_mm256_unpackhi_pd(xy01, xy23),
                   (wide)_mm256_unpacklo_pd(zw01, zw23)};
#undef ROW
#undef ROWS
}
#elif SNAG__LANES_F32 == 16
// The same for sixteen.
INLINE point gather(const snag__f32_triangle *const t[LANES_F32], size_t offset, wide *fourth)
{
#define ROW(lane) _mm_load_ps((const float *)((const char *)t[lane] + offset))
#define PAIR(low) _mm256_insertf128_ps(_mm256_castps128_ps256(ROW(low)), ROW((low) + 4), 1)
#define ROWS(low) _mm512_insertf32x8(_mm512_castps256_ps512(PAIR(low)), PAIR((low) + 8), 1)
    __m512 rows0 = ROWS(0), rows1 = ROWS(1), rows2 = ROWS(2), rows3 = ROWS(3);
    __m512d xy01 = _mm512_castps_pd(_mm512_unpacklo_ps(rows0, rows1)), zw01 = _mm512_castps_pd(_mm512_unpackhi_ps(rows0, rows1));
    __m512d xy23 = _mm512_castps_pd(_mm512_unpacklo_ps(rows2, rows3)), zw23 = _mm512_castps_pd(_mm512_unpackhi_ps(rows2, rows3));
    *fourth = (wide)_mm512_unpackhi_pd(zw01, zw23);
    return (point){(wide)_mm512_unpacklo_pd(xy01, xy23), (wide)_mm512_unpackhi_pd(xy01, xy23),
                   (wide)_mm512_unpacklo_pd(zw01, zw23)};
#undef ROW
#undef PAIR
#undef ROWS
}
#else
INLINE point gather(const snag__f32_triangle *const t[LANES_F32], size_t offset, wide *fourth)
{
    float lanes[4][LANES_F32];
    for (int lane = 0; lane < LANES_F32; lane++) {
        float row[4];
        memcpy(row, (const char *)t[lane] + offset, sizeof row);
        for (int k = 0; k < 4; k++)
            lanes[k][lane] = row[k];
    }
    *fourth = snag__f32w_load(lanes[3]);
    return (point){snag__f32w_load(lanes[0]), snag__f32w_load(lanes[1]), snag__f32w_load(lanes[2])};
}
#endif

INLINE triangles gather_triangles(const snag__f32_triangle *const t[LANES_F32])
{
    triangles s;
    wide number[3];
    s.origin = gather(t, offsetof(snag__f32_triangle, origin), &s.reach);
    s.edge1 = gather(t, offsetof(snag__f32_triangle, edge1), &number[0]);
    s.edge2 = gather(t, offsetof(snag__f32_triangle, edge2), &number[1]);
    s.normal = gather(t, offsetof(snag__f32_triangle, normal), &number[2]);
    for (int i = 0; i < 3; i++)
        s.vertex[i] = pattern(number[i]);
    return s;
}

// ---- heights over the other's plane ----

typedef struct heights {
    wide h0, h1, h2;
} heights;

INLINE mask all_certain(const heights *h, wide error)
{
    wide least = snag__f32w_min(snag__f32w_min(absolute(h->h0), absolute(h->h1)), absolute(h->h2));
    return snag__f32w_lt(error, least);
}

// Which corners differ in sign from corner 0, and the sign of the lone corner; in the highest bit.
typedef struct sides {
    mask differs1, differs2, lone;
} sides;

INLINE sides sides_of(const heights *h)
{
    mask s0 = pattern(h->h0), s1 = pattern(h->h1), s2 = pattern(h->h2);
    return (sides){s0 ^ s1, s0 ^ s2, s0 ^ s1 ^ s2};
}

// Corners of one triangle that are vertices of the other: all bits or none.
typedef struct shared {
    mask at0, at1, at2;
} shared;

INLINE shared shared_corners(const mask of[3], const mask other[3])
{
    mask at[3];
    for (int i = 0; i < 3; i++)
        at[i] = snag__i32w_eq(of[i], other[0]) | snag__i32w_eq(of[i], other[1]) | snag__i32w_eq(of[i], other[2]);
    return (shared){at[0], at[1], at[2]};
}

// The height of a shared corner is zero, and so never certain. Replaces it by that of the next corner that is not shared, so that the
// heights tell where those lie. Where all are shared nothing becomes certain.
INLINE heights unshared(const heights *h, const shared *s)
{
    return (heights){
        pick(s->at0, pick(s->at1, h->h2, h->h1), h->h0),
        pick(s->at1, pick(s->at2, h->h0, h->h2), h->h1),
        pick(s->at2, pick(s->at0, h->h1, h->h0), h->h2),
    };
}

// Whether the corner after the shared one lies below, where one is shared; in the highest bit.
INLINE mask next_below(const heights *unshared, const shared *s)
{
    return (s->at0 & pattern(unshared->h0)) | (s->at1 & pattern(unshared->h1)) | (s->at2 & pattern(unshared->h2));
}

// ---- spans on the common line ----

// A triangle seen from its lone corner, which is alone on its side of the other's plane: that corner relative to corner 0, and the
// edges that begin and end there. The span ends on these.
typedef struct spanned {
    point lone, next, last;
} spanned;

INLINE spanned span_of(const triangles *t, const sides *s)
{
    // Corner 0 is alone if both others differ from it, else the one that differs.
    point far = minus(t->edge2, t->edge1), home = negative(t->edge2), zero = {0};
    return (spanned){
        pick_point(s->differs1, pick_point(s->differs2, zero, t->edge1), t->edge2),
        pick_point(s->differs1, pick_point(s->differs2, t->edge1, far), home),
        pick_point(s->differs1, pick_point(s->differs2, home, t->edge1), far),
    };
}

// One bit for each lane.
typedef struct verdict {
    uint32_t apart, crossing;
    uint32_t at_corner;  // they cross and share one corner; all others that cross share none
} verdict;

INLINE verdict judge(const triangles *a, const triangles *b, float off, bool same_body)
{
    point between = minus(b->origin, a->origin);
    wide m = snag__f32w_max(largest(between), snag__f32w_max(a->reach, b->reach));
    wide error = m * snag__f32w_all(64) * snag__f32w_all(40 * 0x1p-24f / 64) + snag__f32w_all(6.5f * off);
    wide of_b = dot(a->normal, between), of_a = -dot(b->normal, between);
    heights hb = {of_b, of_b + dot(a->normal, b->edge1), of_b + dot(a->normal, b->edge2)};
    heights ha = {of_a, of_a + dot(b->normal, a->edge1), of_a + dot(b->normal, a->edge2)};
    shared at_a = {0}, at_b = {0};
    if (same_body) {
        at_a = shared_corners(a->vertex, b->vertex);
        at_b = shared_corners(b->vertex, a->vertex);
        ha = unshared(&ha, &at_a);
        hb = unshared(&hb, &at_b);
    }
    mask certain_a = all_certain(&ha, error), certain_b = all_certain(&hb, error);
    sides sa = sides_of(&ha), sb = sides_of(&hb);
    mask both_a = sa.differs1 | sa.differs2, both_b = sb.differs1 | sb.differs2;

    // As in triangle.c: of a triangle's two edges the one that begins at the lone corner comes first if and only if the other
    // triangle's lone corner lies above. Where the orders differ the edges of one are swapped; where the first triangle's order is
    // reversed, the two products. An edge that ends at the corner counts with the opposite sign.
    spanned pa = span_of(a, &sa), pb = span_of(b, &sb);
    point lone = minus(plus(between, pb.lone), pa.lone);
    mask unlike = sa.lone ^ sb.lone;
    wide of_next = dot(pa.next, cross(lone, pick_point(unlike, pb.last, pb.next)));
    wide of_last = dot(pa.last, cross(lone, pick_point(unlike, pb.next, pb.last)));
    of_next = signed_by(unlike, of_next);
    of_last = signed_by(unlike, of_last);
    wide low = pick(sb.lone, of_last, of_next), high = pick(sb.lone, of_next, of_last);
    m *= 5;
    wide span_error =
        (m * m * m) * snag__f32w_all(1000 * 0x1p-24f / 125) + (m * m) * snag__f32w_all(2 * off) + snag__f32w_all(1e-36f);
    mask ends_apart = snag__f32w_lt(span_error, low) | snag__f32w_lt(high, -span_error);
    mask ends_cross = snag__f32w_lt(low, -span_error) & snag__f32w_lt(span_error, high);

    // Triangles that share one or two corners meet nowhere else if the other corners of one lie on one side. If one corner is shared
    // and both triangles cross the other's plane there, their spans begin at it, and have the same direction if and only if the
    // corners after it lie on different sides.
    mask any = at_a.at0 | at_a.at1 | at_a.at2, passing = certain_a & certain_b & both_a & both_b;
    mask same_way = next_below(&ha, &at_a) ^ next_below(&hb, &at_b);
    mask apart = (certain_a & ~both_a) | (certain_b & ~both_b) | (passing & ((any & ~same_way) | (~any & ends_apart)));
    uint32_t at_corner = same_body ? signs(passing & any & same_way) : 0;
    return (verdict){signs(apart), signs(passing & ~any & ends_cross) | at_corner, at_corner};
}

// ---- pairs ----

INLINE verdict look_at_group(const snag__f32_pairs *f32, const uint32_t (*group)[2], bool same_body)
{
    const snag__f32_triangle *ta[LANES_F32], *tb[LANES_F32];
    for (int lane = 0; lane < LANES_F32; lane++) {
        ta[lane] = &f32->a[group[lane][0]];
        tb[lane] = &f32->b[group[lane][1]];
    }
    triangles a = gather_triangles(ta), b = gather_triangles(tb);
    return judge(&a, &b, f32->off, same_body);
}

// The verdicts of all lanes, those in doubt as apart.
INLINE void write_meetings(verdict v, uint8_t *meeting)
{
#if SNAG__LANES_F32 == 8
    const uint64_t each = 0x0101010101010101u;
    uint64_t bytes = _pdep_u64(v.crossing, each) * SNAG__CROSSING | _pdep_u64(v.at_corner, each) << SNAG__SHARED_SHIFT;
    memcpy(meeting, &bytes, sizeof bytes);
#else
    for (int lane = 0; lane < LANES_F32; lane++)
        meeting[lane] = (uint8_t)((v.crossing >> lane & 1) * SNAG__CROSSING | (v.at_corner >> lane & 1) << SNAG__SHARED_SHIFT);
#endif
}

// Writes the verdicts of a group whose first pair is number `start`; only lanes in `valid` count. Returns how many pairs are in doubt
// so far.
INLINE size_t note(verdict v, uint32_t valid, size_t start, uint8_t *meeting, uint16_t *doubt, size_t doubts)
{
    if (valid == SNAG__ALL_F32) {
        write_meetings(v, meeting + start);
    } else {
        uint8_t meetings[LANES_F32];
        write_meetings(v, meetings);
        memcpy(meeting + start, meetings, (size_t)__builtin_popcount(valid));
    }
    for (uint32_t left = valid & ~(v.apart | v.crossing); left != 0; left &= left - 1)
        doubt[doubts++] = (uint16_t)(start + (uint32_t)__builtin_ctz(left));
    return doubts;
}

INLINE size_t filter_pairs(const snag__f32_pairs *f32, const uint32_t (*pairs)[2], size_t count, bool same_body, uint8_t *meeting,
                           uint16_t *doubt)
{
    size_t doubts = 0, i = 0;
    for (; i + LANES_F32 <= count; i += LANES_F32) {
        if (i + FETCH_AHEAD + LANES_F32 <= count)
            for (size_t lane = 0; lane < LANES_F32; lane++) {
                __builtin_prefetch(&f32->a[pairs[i + FETCH_AHEAD + lane][0]]);
                __builtin_prefetch(&f32->b[pairs[i + FETCH_AHEAD + lane][1]]);
            }
        doubts = note(look_at_group(f32, pairs + i, same_body), SNAG__ALL_F32, i, meeting, doubt, doubts);
    }
    if (i < count) {
        uint32_t rest[LANES_F32][2];  // lanes after the last pair repeat it
        for (size_t lane = 0; lane < LANES_F32; lane++)
            memcpy(rest[lane], pairs[i + lane < count ? i + lane : count - 1], sizeof rest[lane]);
        verdict v = look_at_group(f32, (const uint32_t(*)[2])rest, same_body);
        doubts = note(v, (1u << (count - i)) - 1, i, meeting, doubt, doubts);
    }
    return doubts;
}

static size_t filter(const snag__f32_pairs *f32, const uint32_t (*pairs)[2], size_t count, uint8_t *meeting, uint16_t *doubt)
{
    SNAG__ASSERT(count <= UINT16_MAX + 1u && (uintptr_t)f32->a % sizeof *f32->a == 0 && (uintptr_t)f32->b % sizeof *f32->b == 0);
    return f32->same_body ? filter_pairs(f32, pairs, count, true, meeting, doubt)
                          : filter_pairs(f32, pairs, count, false, meeting, doubt);
}

// ---- from the mesh ----

INLINE void fill_group(const double (*x)[3], const uint32_t *const t[SNAG__LANES_F64], size_t lanes, const double centre[3],
                       snag__f32_triangle *f32)
{
    snag__simd_vec3 first = snag__simd_vec3_corner(x, t, 0);
    snag__simd_vec3 e1 = snag__simd_vec3_minus(snag__simd_vec3_corner(x, t, 1), first);
    snag__simd_vec3 e2 = snag__simd_vec3_minus(snag__simd_vec3_corner(x, t, 2), first);
    snag__f64w u[3] = {e1.x, e1.y, e1.z}, v[3] = {e2.x, e2.y, e2.z}, n[3], offset;
    snag__f64w origin[3] = {first.x - snag__f64w_all(centre[0]), first.y - snag__f64w_all(centre[1]),
                            first.z - snag__f64w_all(centre[2])};
    snag__i64w sure = snag__find_planes(u, v, origin, n, &offset);
    snag__f32_filter_store(f32, lanes, t, origin, u, v, n, sure);
}

static void fill(const double (*x)[3], const uint32_t (*corners)[3], size_t count, const double centre[3], snag__f32_triangle *f32)
{
    SNAG__ASSERT((uintptr_t)f32 % sizeof *f32 == 0);
    for (size_t i = 0; i < count; i += SNAG__LANES_F64) {
        size_t lanes = count - i < SNAG__LANES_F64 ? count - i : SNAG__LANES_F64;
        const uint32_t *t[SNAG__LANES_F64];
        for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
            t[lane] = corners[i + (lane < lanes ? lane : lanes - 1)];
        if (lanes == SNAG__LANES_F64)
            fill_group(x, t, SNAG__LANES_F64, centre, f32 + i);
        else
            fill_group(x, t, lanes, centre, f32 + i);
    }
}

const snag__f32_filter_kernels SNAG__KERNEL(snag__f32_filter_kernels) = {.fill = fill, .filter = filter};
