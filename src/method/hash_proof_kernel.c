// Blocks of tetrahedra that need no search, because of a proof made in an earlier step.
//
// The proof. Let X be positions that were chosen for the vertices of a block and for those of its ring, the reference: integers, so
// that all about them is exact. Let s be half the least of
// - the distances of these vertices from the tetrahedra of the block of which they are no corner (at least the distance from the
//   plane of a face beyond which they are), and
// - the widths of the tetrahedra (the distances between parallel planes that hold one between them, on a face or on two edges).
// Now let x be their positions today and y = G x + g for whatever matrix G and vector g. If every y is less than s from its X, then
// no vertex is in any of those tetrahedra at x, and each of these has volume. For if a vertex were in a tetrahedron at x, it would be
// in it at y too, since it would be the same mean of the corners; but both it and every point of the tetrahedron have moved by less
// than s from X, where they are 2 s apart. And if a tetrahedron lay in a plane at x, it would at y, so that at X it would lie
// between two planes at a distance of less than 2 s.
// So G and g need no proof. They are the best fit, by which a block may turn, stretch and bend a little before its proof ends.
//
// What is left are other points: if the block's box holds as many points of the grid as vertices of the proof, it holds no other.
//
// Both are counted by their coordinates in the grid, rounded to floats, so that the same vertex is in the box or not.
//
// Rounding. y is computed in single precision from the coordinates in the grid, relative to those of a vertex of the block. They are
// off by 2^-24 of their size; so is each sum, difference and product of the seven that make a component of y. If C is the largest
// coordinate, L the largest relative to that vertex (less than LOCAL_MAX) and t the largest sum of |g| and |G| (C + L), a component
// is off by less than 8 * 2^-24 t, and y by less than sqrt(3) of that, which is less than 2^-20 t. The slack is made smaller by that,
// and by 2^-10 of itself for the roundings of distances and of the comparison.
#include "method/hash_cells.h"
#include "method/hash_proof.h"
#include "mesh/mesh.h"

enum {
    CELLS_MOST = 64,
    PLACES = SNAG__PROOF_OWN + SNAG__PROOF_RING,
    UNITS = 63,  // of the reference in half of its box
};

#define EPSILON 0x1p-20f
// In cells.
#define LOCAL_MAX 8.0f
// A proof with less than this would soon end.
#define SLACK_MIN 2.0f
// The box of the ring is larger than that of the block by this part of a cell, a quarter of an edge.
#define REACH 0.1f

typedef struct state {
    const snag__proof_block *in;
    const snag__block *block;
    const snag__mesh *mesh;
    snag__proof *proof;
    const uint32_t *own, *ring;
    const float (*point)[4];  // of the body, in the grid
    float centre[3];
    region box;  // of the block
    uint32_t groups;  // of eight places
    uint32_t in_box;  // vertices of the ring that are in the box
    f8 x[3][PLACES / 8];  // today, relative to the centre
    uint32_t list[SNAG__PROOF_POINTS + 8];  // places in the grid
    uint32_t listed;
} state;

static inline uint32_t whole(uint32_t count)
{
    return (count + 7) / 8 * 8;
}

static int8_t *reference(const state *s, int axis)
{
    return s->in->proofs->x[axis] + s->block->first_vertex + (size_t)s->in->number * (SNAG__PROOF_RING + 8);
}

// Leaves positions and lists as they are.
static inline void begin(state *s, const snag__proof_block *in)
{
    s->in = in;
    s->block = &in->blocks->blocks[in->number];
    s->mesh = in->blocks->bodies[s->block->body].mesh;
    s->proof = &in->proofs->proofs[in->number];
    s->own = in->blocks->vertices + s->block->first_vertex;
    s->ring = in->proofs->ring + (size_t)in->number * SNAG__PROOF_RING;
    s->point = (const float(*)[4])in->grid->point + in->first_vertex;
    s->groups = s->in_box = s->listed = 0;
}

// ---- does it still hold? ----

// Coordinates of up to eight vertices in the grid; missing lanes repeat the last.
static inline void load_eight(const state *s, const uint32_t *vertices, uint32_t lanes, f8 out[4])
{
    f4 v[8];
    for (uint32_t lane = 0; lane < 8; lane++)
        memcpy(&v[lane], s->point[vertices[lane < lanes ? lane : lanes - 1]], sizeof v[lane]);
    transpose(v, out);
}

static inline void keep_eight(state *s, const f8 x[4])
{
    for (int axis = 0; axis < 3; axis++)
        s->x[axis][s->groups] = x[axis] - s->centre[axis];
    s->groups++;
}

// Loads the vertices of the block, and bounds them.
static inline void load_own(state *s)
{
    f8 x[4], lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++)
        lo[axis] = hi[axis] = all_f8(s->centre[axis]);
    for (uint32_t i = 0, count = s->block->vertex_count; i < count; i += 8) {
        if (i + 8 <= count)
            load_eight(s, s->own + i, 8, x);
        else
            load_eight(s, s->own + i, count - i, x);
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = min_f8(lo[axis], x[axis]);
            hi[axis] = max_f8(hi[axis], x[axis]);
        }
        keep_eight(s, x);
    }
    for (int axis = 0; axis < 3; axis++) {
        s->box.lo[axis] = least_lane(lo[axis]);
        s->box.hi[axis] = -least_lane(-hi[axis]);
    }
}

// Loads the vertices of the ring, and counts those in the box.
static inline void load_ring(state *s)
{
    f8 x[4];
    for (uint32_t i = 0, count = s->proof->ring_count; i < count; i += 8) {
        if (i + 8 <= count)
            load_eight(s, s->ring + i, 8, x);
        else
            load_eight(s, s->ring + i, count - i, x);
        uint32_t bits = bits_in(&s->box, x);
        s->in_box += (uint32_t)__builtin_popcount(count - i < 8 ? bits & ((1u << (count - i)) - 1u) : bits);
        keep_eight(s, x);
    }
}

static inline f8 load_bytes(const int8_t *from)
{
#ifdef HAS_AVX2
    return (f8)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)from)));
#else
    f8 x;
    for (int lane = 0; lane < 8; lane++)
        x[lane] = from[lane];
    return x;
#endif
}

static inline float sum_of(f8 x)
{
    f8 a = x + SHUFFLE_F8(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    a += SHUFFLE_F8(a, a, 2, 3, 0, 1, 6, 7, 4, 5);
    return a[0] + a[1];
}

// An affine map from positions today to the reference.
typedef struct map {
    float m[3][3], shift[3];
} map;

// With the products p of reference positions and positions today, and k of reference positions with each other, each about their
// means, the best fit from the reference is p' / k; the map is its inverse.
static map fit(const state *s)
{
    const snag__proof *proof = s->proof;
    f8 sums[3][3], sum[3] = {all_f8(0), all_f8(0), all_f8(0)};
    memset(sums, 0, sizeof sums);
    const int8_t *x[3] = {reference(s, 0), reference(s, 1), reference(s, 2)};
    for (uint32_t i = 0; i < s->groups; i++)
        for (int a = 0; a < 3; a++) {
            f8 from = load_bytes(x[a] + 8 * (size_t)i);
            sum[a] += s->x[a][i];
            for (int b = 0; b < 3; b++)
                sums[a][b] += from * s->x[b][i];
        }
    float mean[3], p[3][3], c[3][3], count = 8 * (float)s->groups;
    for (int a = 0; a < 3; a++)
        mean[a] = sum_of(sum[a]) / count;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            p[a][b] = sum_of(sums[a][b]) - proof->mean[a] * mean[b] * count;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
            c[a][b] = p[a1][b1] * p[a2][b2] - p[a1][b2] * p[a2][b1];
        }
    float inverse = 1 / (p[0][0] * c[0][0] + p[0][1] * c[0][1] + p[0][2] * c[0][2]);
    const float *k = proof->spread, spread[3][3] = {{k[0], k[3], k[5]}, {k[3], k[1], k[4]}, {k[5], k[4], k[2]}};
    map m;
    for (int a = 0; a < 3; a++) {
        m.shift[a] = proof->mean[a];
        for (int b = 0; b < 3; b++) {
            m.m[a][b] = (spread[a][0] * c[0][b] + spread[a][1] * c[1][b] + spread[a][2] * c[2][b]) * inverse;
            m.shift[a] -= m.m[a][b] * mean[b];
        }
    }
    return m;
}

// The slack less the error of y. Comparisons with NaN are false, so what overflows or vanishes leaves none.
static float limit_of(const state *s, const map *m)
{
    float most = 0;
    for (int a = 0; a < 3; a++) {
        float terms = fabsf(m->shift[a]);
        for (int b = 0; b < 3; b++)
            terms += (fabsf(s->centre[b]) + 2 * LOCAL_MAX) * fabsf(m->m[a][b]);
        if (!(terms < 1 / EPSILON))
            return 0;
        most = terms > most ? terms : most;
    }
    float limit = s->proof->slack - EPSILON * most;
    return limit > 0 ? limit : 0;
}

static bool is_near_reference(const state *s)
{
    map m = fit(s);
    const int8_t *x[3] = {reference(s, 0), reference(s, 1), reference(s, 2)};
    float limit = limit_of(s, &m);
    f8 most = all_f8(limit * limit);
    i8 good = (i8)(most > 0);
    for (uint32_t i = 0; i < s->groups; i++) {
        f8 square = all_f8(0);
        for (int a = 0; a < 3; a++) {
            f8 y = ((m.m[a][0] * s->x[0][i] + m.m[a][1] * s->x[1][i]) + m.m[a][2] * s->x[2][i]) + m.shift[a];
            f8 off = y - load_bytes(x[a] + 8 * (size_t)i);
            square += off * off;
            good &= (i8)(s->x[a][i] < LOCAL_MAX) & (i8)(s->x[a][i] > -LOCAL_MAX);
        }
        good &= (i8)(square < most);
    }
    return bits_of(good) == 0xffu;
}

static inline bool list_cell(void *context, uint32_t first, uint32_t last)
{
    state *s = context;
    const i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t index = first; index < last; index += 8) {
        uint32_t bits = points_in(s->in->grid, &s->box, index, last);
        keep_lanes((f8)(lane + (int32_t)(uint32_t)index), bits, (float *)(void *)(s->list + s->listed));
        s->listed += (uint32_t)__builtin_popcount(bits);
        if (s->listed > SNAG__PROOF_POINTS)
            return false;
    }
    return true;
}

static inline bool count_cell(void *context, uint32_t first, uint32_t last)
{
    state *s = context;
    for (size_t index = first; index < last; index += 8)
        s->listed += (uint32_t)__builtin_popcount(points_in(s->in->grid, &s->box, index, last));
    return true;
}

// Lists the points of the grid in the box, some perhaps twice. False: they are too many.
static bool list_points(state *s)
{
    s->listed = 0;
    return visit_cells(s->in->grid, &s->box, list_cell, s);
}

// Counts what the list would have.
static uint32_t count_points(state *s)
{
    s->listed = 0;
    visit_cells(s->in->grid, &s->box, count_cell, s);
    return s->listed;
}

static inline bool is_own_body(const state *s, uint32_t place)
{
    return s->in->grid->number[place] - s->in->first_point < s->mesh->vertex_count;
}

// Lists the points of other bodies that are in the box of a block whose own body is as the proof has it.
static snag__proof_state list_foreign(state *s, uint32_t known, snag__proof_points *foreign)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->listed; i++) {
        foreign->places[count] = s->list[i];
        count += !is_own_body(s, s->list[i]);
    }
    foreign->count = count;
    if (s->listed != known + count)
        return SNAG__PROOF_STALE;
    return count == 0 ? SNAG__PROOF_HOLDS : SNAG__PROOF_FOREIGN;
}

// Prefetches what the check of the next block reads.
static void fetch_ahead(const snag__proof_block *in)
{
    const snag__blocks *blocks = in->blocks;
    uint32_t number = in->number + 1;
    const snag__block *block = &blocks->blocks[number];
    if (number >= in->end || block->body != blocks->blocks[in->number].body)
        return;
    const float(*point)[4] = (const float(*)[4])in->grid->point + in->first_vertex;
    const uint32_t *own = blocks->vertices + block->first_vertex, *ring = in->proofs->ring + (size_t)number * SNAG__PROOF_RING;
    for (uint32_t i = 0; i < block->vertex_count; i++)
        __builtin_prefetch(point[own[i]]);
    for (uint32_t i = 0; i < in->proofs->proofs[number].ring_count; i++)
        __builtin_prefetch(point[ring[i]]);
}

static snag__proof_state check(const snag__proof_block *in, snag__proof_points *foreign)
{
    const snag__proof *proof = &in->proofs->proofs[in->number];
    if (!(proof->slack > 0))
        return SNAG__PROOF_STALE;
    state s;
    fetch_ahead(in);
    begin(&s, in);
    memcpy(s.centre, s.point[s.own[0]], sizeof s.centre);
    load_own(&s);
    load_ring(&s);
    find_cells(&s.box);
    if (!is_near_reference(&s) || s.box.count > CELLS_MOST)
        return SNAG__PROOF_STALE;
    uint32_t known = s.block->vertex_count + s.in_box;
    if (count_points(&s) == known)
        return SNAG__PROOF_HOLDS;
    return list_points(&s) ? list_foreign(&s, known, foreign) : SNAG__PROOF_STALE;
}

// ---- a new one ----

// Whether a vertex is in a list, which is padded to whole vectors.
static inline bool has(const uint32_t *vertices, uint32_t count, uint32_t v)
{
    i8 found = {0};
    for (uint32_t i = 0; i < count; i += 8) {
        i8 some;
        memcpy(&some, vertices + i, sizeof some);
        found |= (i8)(some == (int32_t)v);
    }
    return bits_of(found) != 0;
}

// The ring: all other vertices of the body in a box a little larger than that of the block. False if there are too many.
static bool find_ring(state *s)
{
    find_cells(&s->box);
    if (s->box.count > CELLS_MOST || !list_points(s))
        return false;
    // Those of the block, then those of the ring. Points may be listed twice, but each is to be counted once.
    uint32_t known[PLACES], own = s->block->vertex_count;
    for (uint32_t i = 0; i < PLACES; i++)
        known[i] = s->own[i < own ? i : 0];
    uint32_t *ring = s->in->proofs->ring + (size_t)s->in->number * SNAG__PROOF_RING, count = 0;
    for (uint32_t i = 0; i < s->listed; i++) {
        uint32_t vertex = s->in->grid->number[s->list[i]] - s->in->first_point;
        if (vertex >= s->mesh->vertex_count || has(known, own + count, vertex))
            continue;
        if (count == SNAG__PROOF_RING)
            return false;
        known[own + count] = ring[count] = vertex;
        count++;
    }
    s->proof->ring_count = (uint8_t)count;
    return true;
}

static uint32_t place_vertices(const state *s, const uint32_t *vertices, uint32_t count, uint32_t place, const float middle[3],
                               float units)
{
    for (uint32_t i = 0; i < whole(count); i++, place++) {
        const float *x = s->point[vertices[i < count ? i : count - 1]];
        for (int axis = 0; axis < 3; axis++)
            reference(s, axis)[place] = (int8_t)((x[axis] - middle[axis]) * units);
    }
    return place;
}

// Writes the reference positions: within UNITS from the middle, integers. False if the box has no extent.
static bool place_reference(state *s)
{
    float middle[3], half = 0;
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = s->box.lo[axis] / 2 + s->box.hi[axis] / 2;
        half = fmaxf(half, fmaxf(s->box.hi[axis] - middle[axis], middle[axis] - s->box.lo[axis]));
    }
    if (!(half > 0))
        return false;
    uint32_t place = place_vertices(s, s->own, s->block->vertex_count, 0, middle, UNITS / half);
    s->groups = place_vertices(s, s->ring, s->proof->ring_count, place, middle, UNITS / half) / 8;
    return true;
}

static void sum_up_reference(const state *s)
{
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    int32_t sum[3] = {0}, products[6] = {0};
    int32_t count = 8 * (int32_t)s->groups;
    for (int32_t i = 0; i < count; i++) {
        int32_t x[3] = {reference(s, 0)[i], reference(s, 1)[i], reference(s, 2)[i]};
        for (int a = 0; a < 3; a++)
            sum[a] += x[a];
        for (int k = 0; k < 6; k++)
            products[k] += x[first[k]] * x[second[k]];
    }
    for (int a = 0; a < 3; a++)
        s->proof->mean[a] = (float)sum[a] / (float)count;
    for (int k = 0; k < 6; k++)
        s->proof->spread[k] = (float)products[k] - (float)sum[first[k]] * (float)sum[second[k]] / (float)count;
}

// The reference positions while a proof is made.
typedef struct places {
    float x[3][PLACES];
    int32_t vertex[PLACES];  // among those of the block, -1 for those of the ring
    uint32_t count;
} places;

// Eight tetrahedra at the reference. All is exact: |x| <= 63, edges to 126, normals to 31,752, weights to 1.2 * 10^7 < 2^24.
typedef struct row {
    f8 x[4][3], normal[4][3];  // the face opposite of each corner, outward
    f8 per_normal[4];  // 1 / length
    i8 corner[4];  // among the vertices of the block
    float box_lo[3], box_hi[3];
} row;

static inline void cross(const f8 a[3], const f8 b[3], f8 out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline f8 dot(const f8 a[3], const f8 b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static f8 per_length(const f8 v[3])
{
    f8 square = dot(v, v);
#ifdef HAS_AVX2
    return all_f8(1) / (f8)_mm256_sqrt_ps((__m256)square);
#else
    f8 result;
    for (int lane = 0; lane < 8; lane++)
        result[lane] = 1 / sqrtf(square[lane]);
    return result;
#endif
}

static void load_row(const places *p, const state *s, uint32_t first, row *r)
{
    const uint8_t(*corners)[4] = (const uint8_t(*)[4])s->in->blocks->corners + s->block->first_place;
    for (uint32_t lane = 0; lane < 8; lane++) {
        uint32_t tet = first + lane < s->block->place_count ? first + lane : s->block->place_count - 1;
        for (int c = 0; c < 4; c++) {
            r->corner[c][lane] = corners[tet][c];
            for (int axis = 0; axis < 3; axis++)
                r->x[c][axis][lane] = p->x[axis][corners[tet][c]];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        r->box_lo[axis] = least_lane(min_f8(min_f8(r->x[0][axis], r->x[1][axis]), min_f8(r->x[2][axis], r->x[3][axis])));
        r->box_hi[axis] = -least_lane(-max_f8(max_f8(r->x[0][axis], r->x[1][axis]), max_f8(r->x[2][axis], r->x[3][axis])));
    }
}

// The least width of the tetrahedra of a row, 0 if one is flat.
static float make_row(const places *p, const state *s, uint32_t first, row *r)
{
    f8 edge[3][3], between[3], normal[3], other[3];
    load_row(p, s, first, r);
    for (int axis = 0; axis < 3; axis++)
        for (int e = 0; e < 3; e++)
            edge[e][axis] = r->x[e + 1][axis] - r->x[0][axis];
    for (int n = 0; n < 3; n++)
        cross(edge[(n + 1) % 3], edge[(n + 2) % 3], r->normal[n + 1]);
    f8 volume = dot(edge[0], r->normal[1]), sign = select_f8((i8)(volume < 0), all_f8(1), all_f8(-1));
    for (int axis = 0; axis < 3; axis++) {
        r->normal[0][axis] = -(r->normal[1][axis] + r->normal[2][axis] + r->normal[3][axis]);
        for (int n = 0; n < 4; n++)
            r->normal[n][axis] *= sign;
    }
    f8 width = all_f8(INFINITY);
    volume *= -sign;
    for (int n = 0; n < 4; n++) {
        r->per_normal[n] = per_length(r->normal[n]);
        width = min_f8(width, volume * r->per_normal[n]);
    }
    for (int e = 0; e < 3; e++) {
        for (int axis = 0; axis < 3; axis++) {
            between[axis] = edge[(e + 2) % 3][axis] - edge[(e + 1) % 3][axis];
            other[axis] = edge[e][axis];
        }
        cross(other, between, normal);
        width = min_f8(width, volume * per_length(normal));
    }
    return least_lane(select_f8((i8)(volume > 0), width, all_f8(0)));
}

// The least of lower bounds of the distances of a vertex from the tetrahedra of a row of which it is no corner.
static inline float least_distance_from(const row *r, int32_t vertex, float x, float y, float z)
{
    f8 farthest = all_f8(0);
    for (int n = 0; n < 4; n++) {
        const f8 *at = r->x[n == 0 ? 1 : 0];
        f8 from[3] = {x - at[0], y - at[1], z - at[2]};
        farthest = max_f8(farthest, dot(r->normal[n], from) * r->per_normal[n]);
    }
    i8 corner =
        (i8)(r->corner[0] == vertex) | (i8)(r->corner[1] == vertex) | (i8)(r->corner[2] == vertex) | (i8)(r->corner[3] == vertex);
    return least_lane(select_f8(corner, all_f8(INFINITY), farthest));
}

// The least distance from a row, if it is less than `least`. Places of padding repeat the last vertex, and have its number.
static float search_row(const places *p, const row *r, float least)
{
    for (uint32_t i = 0; i < p->count; i += 8) {
        f8 square = all_f8(0);
        for (int axis = 0; axis < 3; axis++) {
            f8 x = load_f8(p->x[axis] + i), beside = max_f8(max_f8(r->box_lo[axis] - x, x - r->box_hi[axis]), all_f8(0));
            square += beside * beside;
        }
        for (uint32_t bits = bits_of((i8)(square < least * least)); bits != 0; bits &= bits - 1) {
            uint32_t at = i + (uint32_t)__builtin_ctz(bits);
            float distance = least_distance_from(r, p->vertex[at], p->x[0][at], p->x[1][at], p->x[2][at]);
            least = distance < least ? distance : least;
        }
    }
    return least;
}

// The least distance of a vertex from a tetrahedron, or width of one; 0 if it is too small for a proof.
static float least_distance(const state *s)
{
    row rows[SNAG__BLOCK_TETS / SNAG__ROW_TETS];
    places p = {.count = 8 * s->groups};
    uint32_t own = s->block->vertex_count, row_count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        p.vertex[i] = i < own ? (int32_t)i : i < whole(own) ? (int32_t)own - 1 : -1;
        for (int axis = 0; axis < 3; axis++)
            p.x[axis][i] = reference(s, axis)[i];
    }
    float least = INFINITY;
    for (uint32_t first = 0; first < s->block->place_count; first += 8) {
        float width = make_row(&p, s, first, &rows[row_count++]);
        least = width < least ? width : least;
    }
    for (uint32_t r = 0; r < row_count && least >= 2 * SLACK_MIN; r++)
        least = search_row(&p, &rows[r], least);
    return least >= 2 * SLACK_MIN ? least : 0;
}

static void make(const snag__proof_block *in)
{
    state s;
    begin(&s, in);
    s.proof->slack = 0;
    if (s.block->vertex_count > SNAG__PROOF_OWN)
        return;
    memcpy(s.centre, s.point[s.own[0]], sizeof s.centre);
    load_own(&s);
    for (int axis = 0; axis < 3; axis++) {
        s.box.lo[axis] -= REACH;
        s.box.hi[axis] += REACH;
    }
    if (!find_ring(&s) || !place_reference(&s))
        return;
    sum_up_reference(&s);
    s.proof->slack = least_distance(&s) * (0.5f - 0x1p-11f);
}

extern const snag__hash_proof_kernels SNAG__KERNEL(snag__hash_proof_kernels);
const snag__hash_proof_kernels SNAG__KERNEL(snag__hash_proof_kernels) = {.check = check, .make = make};
