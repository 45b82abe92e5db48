// Points against blocks of tetrahedra, eight tetrahedra at a time: box, own vertices, then signs of the barycentric weights. In
// single precision in coordinates of the block, with a margin: rejected points are certainly outside.
#include "base/simd.h"
#include "geom/geom.h"
#include "method/hash_cells.h"
#include "method/hash_kernel.h"
#include "method/hash_lanes.h"

#include <float.h>

enum {
    POINTS = 248,  // points that wait to be compared with the block: their indices are bytes
    CELLS_AT_ONCE = 64,  // a block that covers more cells is searched row by row, and such a row tetrahedron by tetrahedron
    ROWS = SNAG__BLOCK_TETS / SNAG__ROW_TETS,
};

// Coordinates of a block lie in [-1, 1] and are off by at most u = 2^-24, a difference of two by e = 4u. Let L be the
// largest extent of the tetrahedron's box and e more, so that e <= L. A component of a normal, the difference of two
// products of edges, is off by 2 (2 L e + e^2) and its roundings, less than 24 L u + 4 L^2 u; a scaled weight
// n.(p - a) of a point of the row's box, whose extent is R >= L, by less than 200 L R u; and the fourth weight, the volume
// less the other three, by less than four times that and the roundings of the sum: 1024 L R u = L R 2^-14.
#define MARGIN 0x1p-14f
#define EXTENT_ERROR 0x1p-22f

// A row of tetrahedra.
typedef struct row {
    f8 vertex[4];  // numbers of the corners' points, as bits
    f8 origin[3], normal[3][3], volume;
    f8 margin;  // the least weight with which a point may be inside; infinite: no point is
    float box_lo[3], box_hi[3];
} row;

typedef struct points {
    float index[POINTS + 8];  // in the grid, as bits
    float x[3][POINTS + 8];
    float number[POINTS + 8];  // as bits
    uint32_t count;
} points;

// The search of one block.
typedef struct search {
    const snag__grid *grid;
    const snag__block *block;
    const snag__mesh *mesh;
    const uint8_t (*corners)[4];
    const uint32_t *vertices;
    double centre[3], scale;
    double lo[3], hi[3];
    f4 local[SNAG__BLOCK_VERTICES];
    row rows[ROWS];
    uint32_t row_count;
    f8 tet_extent;  // sums of lanes
    points points;
    snag__hash_candidates *candidates;
} search;

// ---- the block's own coordinates ----

static void bound_block(search *s)
{
    const double *x = s->mesh->x_t1[s->vertices[0]];
    d4 lo = {x[0], x[1], x[2], 0}, hi = lo;
    for (uint32_t i = 1; i < s->block->vertex_count; i++) {
        x = s->mesh->x_t1[s->vertices[i]];
        d4 v = {x[0], x[1], x[2], 0};
        lo = (d4)(((l4)(v < lo) & (l4)v) | (~(l4)(v < lo) & (l4)lo));
        hi = (d4)(((l4)(v > hi) & (l4)v) | (~(l4)(v > hi) & (l4)hi));
    }
    for (int axis = 0; axis < 3; axis++) {
        s->lo[axis] = lo[axis];
        s->hi[axis] = hi[axis];
    }
}

// Chooses the centre, and a power of two that scales the block into [-1, 1]. If that is out of range, coordinates become too small or
// infinite, and no pair is certain.
static void choose_coordinates(search *s)
{
    double half = 0;
    for (int axis = 0; axis < 3; axis++) {
        s->centre[axis] = s->lo[axis] / 2 + s->hi[axis] / 2;
        half = fmax(half, fmax(s->hi[axis] - s->centre[axis], s->centre[axis] - s->lo[axis]));
    }
    int exponent = -1000;
    if (half > 0)
        frexp(half, &exponent);
    s->scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

// Monotone in x, so that a point in a box is in the box of the rounded coordinates.
static inline float local(const search *s, int axis, double x)
{
    return (float)((x - s->centre[axis]) * s->scale);
}

static inline float bits_to_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t float_to_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void load_vertices(search *s, uint32_t first_point)
{
    for (uint32_t i = 0; i < s->block->vertex_count; i++) {
        const double *x = s->mesh->x_t1[s->vertices[i]];
        s->local[i] = (f4){local(s, 0, x[0]), local(s, 1, x[1]), local(s, 2, x[2]), bits_to_float(first_point + s->vertices[i])};
    }
}

// ---- rows ----

// Loads one corner of eight tetrahedra: x, y, z and number. Missing lanes repeat the last.
static inline void load_corner(const search *s, uint32_t first, uint32_t lanes, int corner, f8 out[4])
{
    f4 v[8];
    for (uint32_t lane = 0; lane < 8; lane++)
        v[lane] = s->local[s->corners[first + (lane < lanes ? lane : lanes - 1)][corner]];
    transpose(v, out);
}

static inline void cross(const f8 a[3], const f8 b[3], f8 out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline f8 dot(const f8 a[3], const f8 b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Whether a tetrahedron with an uncertain volume has none.
static bool has_no_volume(const search *s, uint32_t tet)
{
    const double *corner[4];
    for (int c = 0; c < 4; c++)
        corner[c] = s->mesh->x_t1[s->vertices[s->corners[tet][c]]];
    return snag__tet_orientation(corner) == 0;
}

static void make_row(search *s, uint32_t index)
{
    row *r = &s->rows[index];
    uint32_t first = index * SNAG__ROW_TETS, left = s->block->place_count - first, lanes = left < 8 ? left : 8;
    f8 corner[4][4], edge[3][3], extent = all_f8(0);
    float row_extent = 0;
    for (int c = 0; c < 4; c++) {
        load_corner(s, first, lanes, c, corner[c]);
        r->vertex[c] = corner[c][3];
    }
    const i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    i8 there = (i8)(lane < (int32_t)lanes);
    for (int axis = 0; axis < 3; axis++) {
        f8 lo = min_f8(min_f8(corner[0][axis], corner[1][axis]), min_f8(corner[2][axis], corner[3][axis]));
        f8 hi = max_f8(max_f8(corner[0][axis], corner[1][axis]), max_f8(corner[2][axis], corner[3][axis]));
        r->box_lo[axis] = least_lane(lo);
        r->box_hi[axis] = -least_lane(-hi);
        extent = max_f8(extent, hi - lo);
        row_extent = r->box_hi[axis] - r->box_lo[axis] > row_extent ? r->box_hi[axis] - r->box_lo[axis] : row_extent;
        r->origin[axis] = corner[0][axis];
        for (int e = 0; e < 3; e++)
            edge[e][axis] = corner[e + 1][axis] - corner[0][axis];
    }
    s->tet_extent += select_f8(there, extent, all_f8(0));
    extent += EXTENT_ERROR;
    cross(edge[1], edge[2], r->normal[0]);
    cross(edge[2], edge[0], r->normal[1]);
    cross(edge[0], edge[1], r->normal[2]);
    f8 volume = dot(edge[0], r->normal[0]), margin = extent * all_f8((row_extent + EXTENT_ERROR) * MARGIN);
    f8 sign = select_f8((i8)(volume < 0), all_f8(-1), all_f8(1));
    volume *= sign;
    i8 clear = (i8)(volume > margin);
    for (int n = 0; n < 3; n++)
        for (int axis = 0; axis < 3; axis++)
            r->normal[n][axis] *= sign;
    r->volume = volume;
    r->margin = select_f8(there, select_f8(clear, -margin, all_f8(-INFINITY)), all_f8(INFINITY));
    for (uint32_t doubt = bits_of(~clear & there); doubt != 0; doubt &= doubt - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(doubt);
        if (has_no_volume(s, first + i)) {
            r->margin[i] = INFINITY;
            s->candidates->zero_volume_tets++;
        }
    }
}

// ---- points against a row ----

typedef struct weights {
    f8 w0, w1, w2, w3;
} weights;

static inline weights weigh(const points *p, const row *r, uint32_t i)
{
    f8 from[3] = {p->x[0][i] - r->origin[0], p->x[1][i] - r->origin[1], p->x[2][i] - r->origin[2]};
    weights w = {.w1 = dot(r->normal[0], from), .w2 = dot(r->normal[1], from), .w3 = dot(r->normal[2], from)};
    w.w0 = r->volume - w.w1 - w.w2 - w.w3;
    return w;
}

// Bits of the tetrahedra of the row that point i may be in. Without branches: about half of the points are in the box of some
// tetrahedron, and a misprediction costs more than the rest of the test.
static inline uint32_t compare_point(const points *p, const row *r, uint32_t i)
{
    weights w = weigh(p, r, i);
    i8 number = (int32_t)float_to_bits(p->number[i]) - (i8){0};
    i8 own = (i8)((i8)r->vertex[0] == number) | (i8)((i8)r->vertex[1] == number) | (i8)((i8)r->vertex[2] == number) |
             (i8)((i8)r->vertex[3] == number);
    // Comparisons with NaN are false, so uncertain lanes stay.
    i8 outside = (i8)(w.w0 < r->margin) | (i8)(w.w1 < r->margin) | (i8)(w.w2 < r->margin) | (i8)(w.w3 < r->margin);
    return ~bits_of(own | outside) & 0xffu;
}

// Bits of the tetrahedra that certainly contain point i: each weight is above its error. Tetrahedra with an uncertain volume have an
// infinite margin, so no weight is.
static inline uint32_t certain_bits(const points *p, const row *r, uint32_t i)
{
    weights w = weigh(p, r, i);
    f8 least = -r->margin;
    return bits_of((i8)(w.w0 > least) & (i8)(w.w1 > least) & (i8)(w.w2 > least) & (i8)(w.w3 > least));
}

static inline void append_pairs(snag__hash_pairs *to, uint32_t first_place, uint32_t bits, uint32_t point)
{
    for (; bits != 0; bits &= bits - 1) {
        to->pairs[to->count][0] = first_place + (uint32_t)__builtin_ctz(bits);
        to->pairs[to->count++][1] = point;
    }
}

static void add_pairs(search *s, uint32_t index, uint32_t bits, uint32_t i)
{
    snag__hash_candidates *h = s->candidates;
    uint32_t certain = certain_bits(&s->points, &s->rows[index], i) & bits, point = float_to_bits(s->points.number[i]);
    uint32_t first_place = s->block->first_place + index * SNAG__ROW_TETS;
    append_pairs(&h->certain, first_place, certain, point);
    append_pairs(&h->possible, first_place, bits & ~certain, point);
    if (h->certain.count >= SNAG__HASH_PAIRS || h->possible.count >= SNAG__HASH_PAIRS)
        h->full(h->context, h);
}

// Appends first + i for each bit i that is set; writes up to eight bytes, and returns the new count.
static inline uint32_t append_bits(uint8_t *list, uint32_t count, uint32_t first, uint32_t bits)
{
#ifdef HAS_AVX2
    uint64_t indexes = snag__numbers_of_bits(bits) + 0x0101010101010101u * (uint64_t)first;
    memcpy(list + count, &indexes, sizeof indexes);
    return count + (uint32_t)__builtin_popcount(bits);
#else
    for (; bits != 0; bits &= bits - 1)
        list[count++] = (uint8_t)(first + (uint32_t)__builtin_ctz(bits));
    return count;
#endif
}

// Compares all waiting points with the wanted tetrahedra (bits) of a row.
static void compare_row(search *s, uint32_t index, uint32_t wanted)
{
    const row *r = &s->rows[index];
    const points *p = &s->points;
    uint8_t near_row[POINTS + 8];
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; i += 8) {
        const f8 x = load_f8(p->x[0] + i), y = load_f8(p->x[1] + i), z = load_f8(p->x[2] + i);
        i8 near = (i8)(x >= r->box_lo[0]) & (i8)(x <= r->box_hi[0]) & (i8)(y >= r->box_lo[1]) & (i8)(y <= r->box_hi[1]) &
                  (i8)(z >= r->box_lo[2]) & (i8)(z <= r->box_hi[2]);
        count = append_bits(near_row, count, i, bits_of(near));
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t bits = compare_point(p, r, near_row[k]) & wanted;
        if (bits != 0)
            add_pairs(s, index, bits, near_row[k]);
    }
}

// What one search of the cells is for: rows first .. last - 1, and which of their tetrahedra.
typedef struct target {
    uint32_t first_row, last_row, wanted;
    double lo[3], hi[3];
} target;

// Loads the waiting points in the block's coordinates.
static void load_points(search *s)
{
    points *p = &s->points;
    for (uint32_t i = p->count; i < p->count + 8; i++)
        p->index[i] = bits_to_float(0);
    for (uint32_t i = 0; i < p->count; i += 8) {
        f4 v[8];
        f8 out[4];
        for (uint32_t lane = 0; lane < 8; lane++) {
            // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): `collect` wrote all before the count, the loop above 8 more
            uint32_t index = float_to_bits(p->index[i + lane]);
            const double *x = s->grid->at[index];
            v[lane] = (f4){local(s, 0, x[0]), local(s, 1, x[1]), local(s, 2, x[2]), bits_to_float(s->grid->number[index])};
        }
        transpose(v, out);
        for (int axis = 0; axis < 3; axis++)
            memcpy(p->x[axis] + i, &out[axis], sizeof out[axis]);
        memcpy(p->number + i, &out[3], sizeof out[3]);
    }
    for (uint32_t i = p->count; i < p->count + 8; i++)
        p->x[0][i] = NAN;  // in no box
}

static void compare_points(search *s, const target *t)
{
    load_points(s);
    for (uint32_t r = t->first_row; r < t->last_row; r++)
        compare_row(s, r, t->wanted);
    s->points.count = 0;
}

// ---- points of cells ----

typedef struct visit {
    search *s;
    const target *t;
    const region *r;
} visit;

// Collects the points at indices first .. last - 1 of the grid that lie in the target's box.
static inline bool collect(void *context, uint32_t first, uint32_t last)
{
    const visit *v = context;
    points *p = &v->s->points;
    const i8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t index = first; index < last; index += 8) {
        uint32_t bits = points_in(v->s->grid, v->r, index, last);
        keep_lanes((f8)(lane + (int32_t)(uint32_t)index), bits, p->index + p->count);
        p->count += (uint32_t)__builtin_popcount(bits);
        if (p->count > POINTS - 8)
            compare_points(v->s, v->t);
    }
    return true;
}

// Points may come twice, from two cells with the same hash; snag__finish drops duplicates.
static void look_up(search *s, const target *t, const region *r)
{
    const snag__grid *g = s->grid;
    visit v = {s, t, r};
    if (r->count >= (double)g->count / 4 + 1 || r->count >= g->table_size)  // visiting all points is cheaper
        collect(&v, 0, g->count);
    else
        visit_cells(g, r, collect, &v);
    compare_points(s, t);
}

static void bound_tets(const search *s, uint32_t first, uint32_t last, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
        for (uint32_t tet = first; tet < last; tet++)
            for (int c = 0; c < 4; c++) {
                double x = s->mesh->x_t1[s->vertices[s->corners[tet][c]]][axis];
                lo[axis] = x < lo[axis] ? x : lo[axis];
                hi[axis] = x > hi[axis] ? x : hi[axis];
            }
    }
}

// For a large box around a few large tetrahedra: each tetrahedron is searched by itself, so that the small ones stay cheap.
static void look_up_row(search *s, uint32_t index)
{
    uint32_t first = index * SNAG__ROW_TETS, last = first + SNAG__ROW_TETS;
    last = last < s->block->place_count ? last : s->block->place_count;
    target t = {index, index + 1, ~0u, {0}, {0}};
    bound_tets(s, first, last, t.lo, t.hi);
    region r = region_of(s->grid, t.lo, t.hi);
    if (r.count <= CELLS_AT_ONCE) {
        look_up(s, &t, &r);
        return;
    }
    for (uint32_t tet = first; tet < last; tet++) {
        t.wanted = 1u << (tet - first);
        bound_tets(s, tet, tet + 1, t.lo, t.hi);
        r = region_of(s->grid, t.lo, t.hi);
        look_up(s, &t, &r);
    }
}

// Sums up the extents of rows and of their tetrahedra.
static void measure_rows(const search *s)
{
    double rows = 0, tets = 0;
    for (uint32_t r = 0; r < s->row_count; r++)
        for (int axis = 0; axis < 3; axis++)
            rows += (double)s->rows[r].box_hi[axis] - (double)s->rows[r].box_lo[axis];
    for (int lane = 0; lane < 8; lane++)
        tets += (double)s->tet_extent[lane];
    s->candidates->row_extent += rows / s->scale;
    s->candidates->tet_extent += tets / s->scale;
}

// Prefetches the vertices of the next block.
static void fetch_ahead(const snag__blocks *blocks, const snag__block *block)
{
    const snag__block *next = block + 1;
    if (next == blocks->blocks + blocks->block_count)
        return;
    const snag__mesh *mesh = blocks->bodies[next->body].mesh;
    const uint32_t *vertices = blocks->vertices + next->first_vertex;
    for (uint32_t i = 0; i < next->vertex_count; i++)
        __builtin_prefetch(mesh->x_t1[vertices[i]]);
}

static void search_block(const snag__grid *grid, const snag__blocks *blocks, const snag__block *block, uint32_t first_point,
                         const snag__proof_points *only, snag__hash_candidates *candidates)
{
    search s;
    s.grid = grid;
    s.block = block;
    s.mesh = blocks->bodies[block->body].mesh;
    s.corners = (const uint8_t(*)[4])blocks->corners + block->first_place;
    s.vertices = blocks->vertices + block->first_vertex;
    s.row_count = (block->place_count + SNAG__ROW_TETS - 1) / SNAG__ROW_TETS;
    s.points.count = 0;
    s.tet_extent = all_f8(0);
    s.candidates = candidates;
    fetch_ahead(blocks, block);
    bound_block(&s);
    choose_coordinates(&s);
    load_vertices(&s, first_point);
    for (uint32_t r = 0; r < s.row_count; r++)
        make_row(&s, r);
    measure_rows(&s);

    const target t = {0, s.row_count, ~0u, {s.lo[0], s.lo[1], s.lo[2]}, {s.hi[0], s.hi[1], s.hi[2]}};
    const region all = region_of(grid, s.lo, s.hi);
    if (only != NULL) {
        memcpy(s.points.index, only->places, only->count * sizeof *only->places);
        s.points.count = only->count;
        compare_points(&s, &t);
    } else if (all.count <= CELLS_AT_ONCE)
        look_up(&s, &t, &all);
    else
        for (uint32_t r = 0; r < s.row_count; r++)
            look_up_row(&s, r);
}

extern const snag__hash_kernels SNAG__KERNEL(snag__hash_kernels);
const snag__hash_kernels SNAG__KERNEL(snag__hash_kernels) = {.search = search_block};
