// Wide kernels of the BVH: see bvh_kernel.h.
#include "bound/bvh_kernel.h"

#include "base/assert.h"
#include "base/simd.h"

// Kernels are compiled for each number of slabs, so that the loops over slabs vanish.
#define SNAG__INLINE static inline __attribute__((always_inline))
#include "bound/quantized_compare.h"

// ---- bounds of nodes ----

SNAG__INLINE float lowest(const float *x, uint32_t count)
{
    float low = x[0];
    for (uint32_t i = 1; i < count; i++)
        low = x[i] < low ? x[i] : low;
    return low;
}

SNAG__INLINE float highest(const float *x, uint32_t count)
{
    float high = x[0];
    for (uint32_t i = 1; i < count; i++)
        high = x[i] > high ? x[i] : high;
    return high;
}

// The same of a whole leaf.
SNAG__INLINE float lowest_of_leaf(const float *x)
{
    snag__f32w low = snag__f32w_load(x);
    for (uint32_t i = SNAG__LANES_F32; i < SNAG__LEAF_ELEMENTS; i += SNAG__LANES_F32)
        low = snag__f32w_min(low, snag__f32w_load(x + i));
    float lanes[SNAG__LANES_F32];
    snag__f32w_store(lanes, low);
    return lowest(lanes, SNAG__LANES_F32);
}

SNAG__INLINE float highest_of_leaf(const float *x)
{
    snag__f32w high = snag__f32w_load(x);
    for (uint32_t i = SNAG__LANES_F32; i < SNAG__LEAF_ELEMENTS; i += SNAG__LANES_F32)
        high = snag__f32w_max(high, snag__f32w_load(x + i));
    float lanes[SNAG__LANES_F32];
    snag__f32w_store(lanes, high);
    return highest(lanes, SNAG__LANES_F32);
}

// Of some neighbours, or of none: then it overlaps nothing.
SNAG__INLINE void merge_few(const snag__kdops *from, uint32_t first, uint32_t count, uint32_t slabs, uint32_t node,
                            snag__kdops *bounds)
{
    for (uint32_t slab = 0; slab < slabs; slab++) {
        bounds->lo[slab][node] = count > 0 ? lowest(from->lo[slab] + first, count) : INFINITY;
        bounds->hi[slab][node] = count > 0 ? highest(from->hi[slab] + first, count) : -INFINITY;
    }
}

// The tree of a body without elements is an empty leaf.
SNAG__INLINE void merge_one(snag__bvh *bvh, uint32_t n)
{
    uint32_t slabs = bvh->shape.k / 2;
    const snag__node *node = &bvh->nodes[n];
    snag__kdops *bounds = &bvh->node_bounds;
    const snag__kdops *from = node->leaf ? &bvh->slot_bounds : bounds;
    if (!node->leaf || node->count < SNAG__LEAF_ELEMENTS) {
        merge_few(from, node->first, node->count, slabs, n, bounds);
        return;
    }
    for (uint32_t slab = 0; slab < slabs; slab++) {
        bounds->lo[slab][n] = lowest_of_leaf(from->lo[slab] + node->first);
        bounds->hi[slab][n] = highest_of_leaf(from->hi[slab] + node->first);
    }
}

static void merge(snag__bvh *bvh, uint32_t first, uint32_t last)
{
    for (uint32_t n = first; n < last; n++)
        merge_one(bvh, n);
}

static void merge_inner(snag__bvh *bvh, uint32_t first, uint32_t last)
{
    for (uint32_t n = first; n < last; n++)
        if (!bvh->nodes[n].leaf)
            merge_one(bvh, n);
}

static void merge_leaves(snag__bvh *bvh, uint32_t first, uint32_t last)
{
    for (uint32_t leaf = first; leaf < last; leaf++)
        merge_one(bvh, bvh->leaves[leaf]);
}

// ---- one bound against many ----

typedef struct bound {
    float lo[SNAG__KDOP_SLABS_MAX], hi[SNAG__KDOP_SLABS_MAX];
} bound;

SNAG__INLINE void load_bound(const snag__kdops *bounds, size_t i, uint32_t slabs, bound *out)
{
    for (uint32_t slab = 0; slab < slabs; slab++) {
        out->lo[slab] = bounds->lo[slab][i];
        out->hi[slab] = bounds->hi[slab][i];
    }
}

SNAG__INLINE snag__f32m slab_overlaps(const snag__kdops *many, size_t i, uint32_t slab, const bound *one)
{
    return snag__f32m_le(snag__f32w_load(many->lo[slab] + i), snag__f32w_all(one->hi[slab])) &
           snag__f32m_le(snag__f32w_all(one->lo[slab]), snag__f32w_load(many->hi[slab] + i));
}

// Which of `count` <= 16 neighbours from `first` on overlap a bound: one bit each.
SNAG__INLINE uint32_t overlaps(const snag__kdops *many, size_t first, uint32_t count, const bound *one, uint32_t slabs)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i += SNAG__LANES_F32) {
        snag__f32m mask = slab_overlaps(many, first + i, 0, one);
        mask &= slab_overlaps(many, first + i, 1, one);
        mask &= slab_overlaps(many, first + i, 2, one);
        if (slabs > 3 && snag__f32m_bits(mask) == 0)
            continue;
        for (uint32_t slab = 3; slab < slabs; slab++)
            mask &= slab_overlaps(many, first + i, slab, one);
        bits |= snag__f32m_bits(mask) << i;
    }
    return bits & ((1u << count) - 1u);
}

// ---- pairs of nodes ----

// What comes of a pair. Pairs are written eight at a time: entries behind the last are overwritten.
typedef struct outlet {
    snag__node_pair *inner, *leaves;
    size_t inner_count, leaf_count;
} outlet;

// Writes the pairs of a node with others, a bit each from `first` on. Returns how many.
SNAG__INLINE size_t write_pairs(uint32_t a, uint32_t first, uint32_t bits, snag__node_pair *out)
{
#if SNAG__LANES_F32 >= 8
    // A pair has the number of the other in its upper half.
    __m256i base = _mm256_set1_epi64x((long long)((uint64_t)first << 32 | a));
    __m128i bytes = _mm_cvtsi64_si128((long long)snag__numbers_of_bits(bits));
    __m256i low = _mm256_slli_epi64(_mm256_cvtepu8_epi64(bytes), 32);
    __m256i high = _mm256_slli_epi64(_mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4)), 32);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_add_epi64(base, low));
    _mm256_storeu_si256((__m256i *)(void *)(out + 4), _mm256_add_epi64(base, high));
    return (size_t)__builtin_popcount(bits);
#else
    size_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        out[count++] = (snag__node_pair){a, first + (uint32_t)__builtin_ctz(bits)};
    return count;
#endif
}

SNAG__INLINE void emit(snag__node_pair pair, bool leaves, outlet *out)
{
    out->inner[out->inner_count] = pair;
    out->leaves[out->leaf_count] = pair;
    out->inner_count += !leaves;
    out->leaf_count += leaves;
}

// A row with some children of a node. How many are leaves cannot be guessed: both kinds are written.
SNAG__INLINE void emit_columns(uint32_t row, bool row_is_leaf, const snag__node *columns, uint32_t bits, outlet *out)
{
    uint32_t leaves = row_is_leaf ? bits & columns->leaf_children : 0;
    out->inner_count += write_pairs(row, columns->first, bits & ~leaves, out->inner + out->inner_count);
    out->leaf_count += write_pairs(row, columns->first, leaves, out->leaves + out->leaf_count);
}

// The children of a node with each other: each with itself, and the overlapping pairs once.
SNAG__INLINE void open_self(const snag__bvh_search *s, const snag__node *node, uint32_t slabs, outlet *out)
{
    for (uint32_t i = 0; i < node->count; i++) {
        bound one;
        load_bound(&s->rows->node_bounds, node->first + i, slabs, &one);
        uint32_t bits = overlaps(&s->rows->node_bounds, node->first, node->count, &one, slabs) & ~((1u << i) - 1u);
        emit_columns(node->first + i, node->leaf_children >> i & 1, node, bits, out);
    }
}

SNAG__INLINE void open_pair(const snag__bvh_search *s, snag__node_pair pair, uint32_t slabs, outlet *out)
{
    const snag__node *a = &s->rows->nodes[pair.a], *b = &s->columns->nodes[pair.b];
    const snag__kdops *rows = &s->rows->node_bounds, *columns = &s->columns->node_bounds;
    if (s->symmetric && pair.a == pair.b) {
        open_self(s, a, slabs, out);
        return;
    }
    bound one;
    if (a->leaf) {
        load_bound(rows, pair.a, slabs, &one);
        emit_columns(pair.a, true, b, overlaps(columns, b->first, b->count, &one, slabs), out);
        return;
    }
    // Children of a that do not meet b's bound meet none of its children.
    load_bound(columns, pair.b, slabs, &one);
    uint32_t f32 = overlaps(rows, a->first, a->count, &one, slabs);
    for (; f32 != 0; f32 &= f32 - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(f32), child = a->first + i;
        bool leaf = a->leaf_children >> i & 1;
        if (b->leaf) {
            emit((snag__node_pair){child, pair.b}, leaf, out);
            continue;
        }
        load_bound(rows, child, slabs, &one);
        emit_columns(child, leaf, b, overlaps(columns, b->first, b->count, &one, slabs), out);
    }
}

SNAG__INLINE size_t descend_slabs(const snag__bvh_search *s, snag__node_pair *stack, size_t *stack_count, snag__node_pair *leaves,
                                  size_t leaves_capacity, uint32_t slabs)
{
    outlet out = {.inner = stack, .inner_count = *stack_count, .leaves = leaves};
    while (out.inner_count > 0 && out.leaf_count + SNAG__DESCEND_ROOM <= leaves_capacity) {
        snag__node_pair pair = stack[--out.inner_count];
        open_pair(s, pair, slabs, &out);
    }
    *stack_count = out.inner_count;
    return out.leaf_count;
}

SNAG__INLINE size_t widen_slabs(const snag__bvh_search *s, const snag__node_pair *pairs, size_t count, snag__node_pair *next,
                                uint32_t slabs)
{
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        if (s->rows->nodes[pairs[i].a].leaf && s->columns->nodes[pairs[i].b].leaf) {
            next[written++] = pairs[i];
            continue;
        }
        snag__node_pair inner[SNAG__DESCEND_ROOM], leaves[SNAG__DESCEND_ROOM];
        outlet out = {.inner = inner, .leaves = leaves};
        open_pair(s, pairs[i], slabs, &out);
        memcpy(next + written, inner, out.inner_count * sizeof *inner);
        memcpy(next + written + out.inner_count, leaves, out.leaf_count * sizeof *leaves);
        written += out.inner_count + out.leaf_count;
    }
    return written;
}

// ---- elements of leaves ----
// Leaves are padded to 16 slots, and what is not there overlaps nothing: they are compared by whole vectors. Vectors of
// columns with hits are listed first and looked at afterwards, so that no branch depends on a single row.

enum { LEAF_PAIRS_TOGETHER = 16, LEAF_PAIRS_AHEAD = 8 };

// Where a row and a first column are: in the numbers of the blocks of plane culls, and their slots.
enum { ROW_LANE, COLUMN_LANE, ROW, COLUMN };
typedef uint32_t whereabouts __attribute__((vector_size(16)));

// One row and W columns.
typedef struct hit_vector {
    whereabouts at;
    uint32_t lanes;
} hit_vector;

// Writes `row` and first + i for each set bit i of W, whole vectors at a time: up to W entries behind the last are
// overwritten.
SNAG__INLINE size_t write_hits(uint32_t row, uint32_t first, uint32_t bits, uint32_t *rows, uint32_t *columns)
{
#if SNAG__LANES_F32 == 8
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)snag__numbers_of_bits(bits)));
    _mm256_storeu_si256((__m256i *)(void *)columns, _mm256_add_epi32(lanes, _mm256_set1_epi32((int)first)));
    _mm256_storeu_si256((__m256i *)(void *)rows, _mm256_set1_epi32((int)row));
    return (size_t)__builtin_popcount(bits);
#elif SNAG__LANES_F32 == 16
    __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    lanes = _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_add_epi32(lanes, _mm512_set1_epi32((int)first)));
    _mm512_storeu_si512(columns, lanes);
    _mm512_storeu_si512(rows, _mm512_set1_epi32((int)row));
    return (size_t)__builtin_popcount(bits);
#else
    size_t written = 0;
    for (; bits != 0; bits &= bits - 1) {
        rows[written] = row;
        columns[written++] = first + (uint32_t)__builtin_ctz(bits);
    }
    return written;
#endif
}

// The table of what is not wanted of two leaves, with rows of the second where `exchange` is all bits, not none. It is looked for
// among the adjacency tables of the first, of which many pairs of leaves come one after another. Most leaves have fewer adjacency tables than are looked
// at together, and where there is none the last table is taken, which is empty: nothing has to be guessed.
SNAG__INLINE const uint16_t *unwanted_rows(const snag__leaf_adjacency *adjacency, uint32_t leaf, uint32_t other, uint32_t exchange)
{
    // Of a leaf and itself each pair is wanted once.
    static const snag__leaf_table nothing,
        itself = {{0x1, 0x3, 0x7, 0xf, 0x1f, 0x3f, 0x7f, 0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff, 0xffff}};
    enum { TOGETHER = SNAG__ADJACENT_TOGETHER };
    if (adjacency->count == 0)
        return leaf == other ? itself.row : nothing.row;
    for (uint32_t i = adjacency->start[leaf], end = adjacency->start[leaf + 1];; i += TOGETHER) {
        uint64_t found = 0;
        uint32_t count = end - i < TOGETHER ? end - i : TOGETHER;
        for (uint32_t j = 0; j < TOGETHER; j += SNAG__LANES_F32)
            found |=
                (uint64_t)snag__i32w_bits(snag__i32w_eq(snag__i32w_load(&adjacency->other[i + j]), snag__i32w_all((int32_t)other)))
                << j;
        found &= ((uint64_t)1 << count) - 1;
        if (end - i > TOGETHER && found == 0)
            continue;
        uint32_t adjacent = i + (uint32_t)__builtin_ctzll(found | (uint64_t)1 << (TOGETHER - 1));
        adjacent ^= (adjacent ^ adjacency->reverse[adjacent]) & exchange;
        adjacent |= 0u - (found == 0);
        return adjacency->apart[adjacent < adjacency->count ? adjacent : adjacency->count].row;
    }
}

// Where three corners are certainly on one side of a plane.
SNAG__INLINE snag__i32w on_one_side(const snag__f32w height[3], snag__f32w below, snag__f32w above)
{
    return snag__f32w_lt(above, snag__f32w_min(snag__f32w_min(height[0], height[1]), height[2])) |
           snag__f32w_lt(snag__f32w_max(snag__f32w_max(height[0], height[1]), height[2]), below);
}

// Where the plane of a row keeps the triangles of W columns apart from it. Both are blocks as seen from their lanes on.
SNAG__INLINE uint32_t apart_by_row(const snag__plane_cull_block *row, const snag__plane_cull_block *columns)
{
    snag__f32w height[3];
    for (int c = 0; c < 3; c++)
        height[c] = snag__f32w_all(row->normal[0][0]) * snag__f32w_load(columns->corner[c][0]) +
                    snag__f32w_all(row->normal[1][0]) * snag__f32w_load(columns->corner[c][1]) +
                    snag__f32w_all(row->normal[2][0]) * snag__f32w_load(columns->corner[c][2]);
    return snag__i32w_bits(on_one_side(height, snag__f32w_all(row->below[0]), snag__f32w_all(row->above[0])));
}

// Where the planes of the columns do.
SNAG__INLINE uint32_t apart_by_columns(const snag__plane_cull_block *row, const snag__plane_cull_block *columns)
{
    snag__f32w height[3];
    for (int c = 0; c < 3; c++)
        height[c] = snag__f32w_load(columns->normal[0]) * snag__f32w_all(row->corner[c][0][0]) +
                    snag__f32w_load(columns->normal[1]) * snag__f32w_all(row->corner[c][1][0]) +
                    snag__f32w_load(columns->normal[2]) * snag__f32w_all(row->corner[c][2][0]);
    return snag__i32w_bits(on_one_side(height, snag__f32w_load(columns->below), snag__f32w_load(columns->above)));
}

// Asks for memory that will soon be read.
SNAG__INLINE void fetch(const void *memory, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += 64)
        __builtin_prefetch((const char *)memory + line);
}

// How elements are compared: by how many slabs of floats, or by quantized boxes; and whether plane culls come after, or those go that
// share a vertex or that both ends of a move keep apart.
typedef struct manner {
    uint32_t slabs;
    bool quantized, plane_cull;
    uint32_t unshared;  // corners of a row, 2 or 3; 0: none go that share a vertex
    bool two_ended;
    bool masked;  // with `unshared`: neighbours go, by the masks of their leaves
} manner;

// Edges are compared with edges of the same BVH: with fewer addresses all of them stay in registers.
SNAG__INLINE const snag__bvh *columns_of(const snag__bvh_search *s, manner how)
{
    return how.unshared == 2 ? s->rows : s->columns;
}

// The elements of one leaf that overlap the bound of another.
SNAG__INLINE uint32_t f32_leaf(const snag__bvh_search *s, const snag__bvh *of, uint32_t first, const snag__bvh *other,
                               uint32_t node, manner how)
{
    if (how.quantized) {
        const snag__quantized_bound *one = &s->quantized->bounds[other->nodes[node].first / SNAG__LEAF_ELEMENTS];
        return quantized_overlap(&s->quantized->boxes[first / SNAG__LEAF_ELEMENTS], one->lo, one->hi);
    }
    bound one;
    load_bound(&other->node_bounds, node, how.slabs, &one);
    return overlaps(&of->slot_bounds, first, SNAG__LEAF_ELEMENTS, &one, how.slabs);
}

// One leaf whose elements are compared with those of another, one by one with all.
typedef struct leaf_rows {
    uint32_t first_row, first_column;  // slots
    uint32_t f32_rows, f32_columns;  // those in the other's bound
    const uint16_t *unwanted;
} leaf_rows;

// Asks for what take_leaves reads of a pair: of the second leaf, which changes with every pair, and the adjacency tables of the first.
SNAG__INLINE void fetch_leaves(const snag__bvh_search *s, snag__node_pair leaves, manner how)
{
    uint32_t a = s->rows->nodes[leaves.a].first / SNAG__LEAF_ELEMENTS,
             b = columns_of(s, how)->nodes[leaves.b].first / SNAG__LEAF_ELEMENTS;
    const snag__leaf_adjacency *adjacency = &s->plane_cull->adjacency;
    fetch(&s->quantized->boxes[b], sizeof *s->quantized->boxes);
    __builtin_prefetch(&s->quantized->bounds[b]);
    if (adjacency->count > 0) {
        __builtin_prefetch(&adjacency->other[adjacency->start[a]]);
        __builtin_prefetch(&adjacency->reverse[adjacency->start[a]]);
    }
}

// The same where elements have floats: a box of each slot, and their vertices.
SNAG__INLINE void fetch_floats(const snag__bvh_search *s, snag__node_pair leaves, manner how)
{
    const snag__bvh *columns = columns_of(s, how);
    uint32_t first = columns->nodes[leaves.b].first;
    for (uint32_t slab = 0; slab < how.slabs; slab++) {
        __builtin_prefetch(columns->slot_bounds.lo[slab] + first);
        __builtin_prefetch(columns->slot_bounds.hi[slab] + first);
    }
    const size_t corners = 4 - how.unshared;
    if (how.unshared != 0 && !how.masked)
        fetch(columns->vertices + first * corners, SNAG__LEAF_ELEMENTS * corners * sizeof(uint32_t));
}

// The matrix of neighbours of two leaves; the empty one if there is none. Most leaves have fewer than are looked at together.
SNAG__INLINE uint32_t find_mask(const snag__leaf_masks *masks, uint32_t row_leaf, uint32_t column_leaf)
{
    enum { TOGETHER = SNAG__ADJACENT_TOGETHER };
    for (uint32_t i = masks->start[column_leaf], end = masks->start[column_leaf + 1]; i < end; i += TOGETHER) {
        uint64_t found = 0;
        uint32_t count = end - i < TOGETHER ? end - i : TOGETHER;
        for (uint32_t j = 0; j < TOGETHER; j += SNAG__LANES_F32)
            found |=
                (uint64_t)snag__i32w_bits(snag__i32w_eq(snag__i32w_load(&masks->other[i + j]), snag__i32w_all((int32_t)row_leaf)))
                << j;
        found &= ((uint64_t)1 << count) - 1;
        if (found != 0)
            return i + (uint32_t)__builtin_ctzll(found);
    }
    return masks->count;
}

// One pair of leaves, with masks. Sides are not exchanged: the matrix can be looked for at once, which is worth more.
SNAG__INLINE leaf_rows take_masked(const snag__bvh_search *s, snag__node_pair leaves, manner how)
{
    const snag__node *a = &s->rows->nodes[leaves.a], *b = &columns_of(s, how)->nodes[leaves.b];
    uint32_t mask = find_mask(s->masks, a->first / SNAG__LEAF_ELEMENTS, b->first / SNAG__LEAF_ELEMENTS);
    return (leaf_rows){
        .first_row = a->first,
        .first_column = b->first,
        .f32_rows = f32_leaf(s, s->rows, a->first, columns_of(s, how), leaves.b, how) & ~(uint32_t)s->masks->full[mask],
        .f32_columns = f32_leaf(s, columns_of(s, how), b->first, s->rows, leaves.a, how),
        .unwanted = s->masks->unwanted[mask].row,
    };
}

SNAG__INLINE leaf_rows take_leaves(const snag__bvh_search *s, snag__node_pair leaves, manner how)
{
    const snag__node *a = &s->rows->nodes[leaves.a], *b = &columns_of(s, how)->nodes[leaves.b];
    uint32_t of_a = f32_leaf(s, s->rows, a->first, columns_of(s, how), leaves.b, how);
    uint32_t of_b = f32_leaf(s, columns_of(s, how), b->first, s->rows, leaves.a, how);
    // Within a tree either may give the rows: the fewer the better. Which they are cannot be guessed: by bits, not by a branch.
    uint32_t exchange = 0u - (s->symmetric & (a->tree == b->tree) & (__builtin_popcount(of_b) < __builtin_popcount(of_a)));
    uint32_t slot = (a->first ^ b->first) & exchange, f32 = (of_a ^ of_b) & exchange;
    leaf_rows l = {a->first ^ slot, b->first ^ slot, of_a ^ f32, of_b ^ f32, NULL};
    if (how.plane_cull) {
        l.unwanted =
            unwanted_rows(&s->plane_cull->adjacency, a->first / SNAG__LEAF_ELEMENTS, b->first / SNAG__LEAF_ELEMENTS, exchange);
        __builtin_prefetch(l.unwanted);
        fetch(&s->plane_cull->blocks[l.first_column / SNAG__LEAF_ELEMENTS], sizeof *s->plane_cull->blocks);
    }
    return l;
}

enum { NUMBERS_OF_A_BLOCK = sizeof(snag__plane_cull_block) / sizeof(float) };

SNAG__INLINE whereabouts first_of(const leaf_rows *l)
{
    return (whereabouts){l->first_row / SNAG__LEAF_ELEMENTS * NUMBERS_OF_A_BLOCK,
                         l->first_column / SNAG__LEAF_ELEMENTS * NUMBERS_OF_A_BLOCK, l->first_row, l->first_column};
}

// Lists the columns that the row at a lane hits, by vectors, behind `count` others; returns how many there are then.
SNAG__INLINE size_t add_vectors(whereabouts first, uint32_t lane, uint32_t hits, hit_vector *out, size_t count)
{
#define STEP(i)                                                                                                                    \
    {                                                                                                                              \
        i, 0, i, 0                                                                                                                 \
    }
    static const whereabouts steps[SNAG__LEAF_ELEMENTS] = {STEP(0),  STEP(1),  STEP(2),  STEP(3), STEP(4),  STEP(5),
                                                           STEP(6),  STEP(7),  STEP(8),  STEP(9), STEP(10), STEP(11),
                                                           STEP(12), STEP(13), STEP(14), STEP(15)};
#undef STEP
    whereabouts at = first + steps[lane];
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i += SNAG__LANES_F32) {
        uint32_t lanes = hits >> i & SNAG__ALL_F32;
        out[count].at = at + (whereabouts){0, i, 0, i};
        out[count].lanes = lanes;
        count += lanes != 0;
    }
    return count;
}

// Lists the vectors of columns that overlap the rows of a pair of leaves.
SNAG__INLINE size_t list_vectors(const snag__bvh_search *s, const leaf_rows *l, manner how, hit_vector *out, size_t count)
{
    bool tables = how.plane_cull || how.masked, self = !tables && s->symmetric && l->first_row == l->first_column;
    whereabouts first = first_of(l);
    const snag__quantized_leaf *one = how.quantized ? &s->quantized->boxes[l->first_row / SNAG__LEAF_ELEMENTS] : NULL;
    leaf_quantized many;
    if (how.quantized)
        many = load_leaf(&s->quantized->boxes[l->first_column / SNAG__LEAF_ELEMENTS]);
    for (uint32_t left = l->f32_columns != 0 ? l->f32_rows : 0; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), hits;
        if (how.quantized) {
            hits = columns_in_quantized(&many, one, lane);
        } else {
            bound row;
            load_bound(&s->rows->slot_bounds, l->first_row + lane, how.slabs, &row);
            hits = overlaps(&columns_of(s, how)->slot_bounds, l->first_column, SNAG__LEAF_ELEMENTS, &row, how.slabs);
        }
        hits &= l->f32_columns & ~(tables ? l->unwanted[lane] : self ? (2u << lane) - 1u : 0);
        count = add_vectors(first, lane, hits, out, count);
    }
    return count;
}

// A block as seen from a lane on: its first numbers are that lane's.
SNAG__INLINE const snag__plane_cull_block *at_lane(const snag__plane_cull *plane_cull, uint32_t lane)
{
    return (const snag__plane_cull_block *)(const void *)((const float *)(const void *)plane_cull->blocks + lane);
}

// Takes lanes away that the planes of rows keep apart; vectors without any go. Returns how many are left.
SNAG__INLINE size_t sift_by_rows(const snag__plane_cull *plane_cull, hit_vector *vectors, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        whereabouts at = vectors[i].at;
        uint32_t lanes = vectors[i].lanes & ~apart_by_row(at_lane(plane_cull, at[ROW_LANE]), at_lane(plane_cull, at[COLUMN_LANE]));
        vectors[kept].at = at;
        vectors[kept].lanes = lanes;
        kept += lanes != 0;
    }
    return kept;
}

// Bit i of the result is bit 2 i or bit 2 i + 1.
SNAG__INLINE uint32_t either_of_two(uint32_t bits)
{
    bits = (bits | bits >> 1) & 0x55555555u;
#if SNAG__LANES_F32 >= 8
    return _pext_u32(bits, 0x55555555u);
#else
    bits = (bits | bits >> 1) & 0x33333333u;
    return (bits | bits >> 2) & 0x0f0f0f0fu;
#endif
}

// Which of W columns from a slot on share a vertex with a row. Two edges, or a triangle and vertices: both have four corners together.
SNAG__INLINE uint32_t shared_lanes(const snag__bvh_search *s, uint32_t row, uint32_t column, manner how)
{
    const uint32_t row_corners = how.unshared;
    const uint32_t column_corners = 4 - row_corners;
    const uint32_t *of_row = s->rows->vertices + (size_t)row * row_corners;
    const uint32_t *of_columns = columns_of(s, how)->vertices + (size_t)column * column_corners;
    uint32_t bits = 0;
    for (uint32_t part = 0; part < column_corners; part++) {
        snag__i32w many = snag__i32w_load(of_columns + (size_t)part * SNAG__LANES_F32);
        snag__f32m same = snag__i32m_eq(many, snag__i32w_all((int32_t)of_row[0]));
        for (uint32_t c = 1; c < row_corners; c++)
            same |= snag__i32m_eq(many, snag__i32w_all((int32_t)of_row[c]));
        bits |= snag__f32m_bits(same) << part * SNAG__LANES_F32;
    }
    return column_corners == 1 ? bits : either_of_two(bits);
}

// Which of W columns from a slot on lie beyond a row along an axis, on the same side, at both ends of the move.
SNAG__INLINE uint32_t lanes_apart_at_ends(const snag__bvh_search *s, uint32_t row, uint32_t column, manner how)
{
    uint32_t apart = 0;
    for (int axis = 0; axis < 3; axis++) {
#define ROW(side, e) snag__f32w_all(s->rows->end_bounds[e].side[axis][row])
#define COLUMNS(side, e) snag__f32w_load(columns_of(s, how)->end_bounds[e].side[axis] + column)
        snag__f32m above = snag__f32m_lt(ROW(hi, 0), COLUMNS(lo, 0)) & snag__f32m_lt(ROW(hi, 1), COLUMNS(lo, 1));
        snag__f32m below = snag__f32m_lt(COLUMNS(hi, 0), ROW(lo, 0)) & snag__f32m_lt(COLUMNS(hi, 1), ROW(lo, 1));
#undef ROW
#undef COLUMNS
        apart |= snag__f32m_bits(above | below);
    }
    return apart;
}

SNAG__INLINE size_t write_vectors(const snag__bvh_search *s, hit_vector *vectors, size_t count, manner how, uint32_t *rows,
                                  uint32_t *columns)
{
    size_t written = 0;
    if (how.plane_cull)
        count = sift_by_rows(s->plane_cull, vectors, count);
    for (size_t i = 0; i < count; i++) {
        whereabouts at = vectors[i].at;
        uint32_t lanes = vectors[i].lanes;
        if (how.plane_cull)
            lanes &= ~apart_by_columns(at_lane(s->plane_cull, at[ROW_LANE]), at_lane(s->plane_cull, at[COLUMN_LANE]));
        if (how.two_ended)
            lanes &= ~lanes_apart_at_ends(s, at[ROW], at[COLUMN], how);
        if (how.unshared != 0 && !how.masked)
            lanes &= ~shared_lanes(s, at[ROW], at[COLUMN], how);
        written += write_hits(at[ROW], at[COLUMN], lanes, rows + written, columns + written);
    }
    return written;
}

// Each stage lists what is left for the next, of several pairs of leaves together: loops are long, and few branches are
// guessed wrong.
SNAG__INLINE size_t compare_slabs(const snag__bvh_search *s, const snag__node_pair *leaves, size_t count, size_t *next,
                                  uint32_t *rows, uint32_t *columns, size_t capacity, manner how)
{
    enum { OF_A_PAIR = SNAG__LEAF_ELEMENTS * SNAG__LEAF_ELEMENTS, FEW = LEAF_PAIRS_TOGETHER / 2 };
    hit_vector vectors[LEAF_PAIRS_TOGETHER * OF_A_PAIR / SNAG__LANES_F32 + 1];
    leaf_rows taken[LEAF_PAIRS_TOGETHER];
    size_t written = 0, i = *next;
    while (i < count) {
        // Room for all pairs of elements, and a vector behind the last.
        size_t room = (capacity - written - SNAG__LANES_F32) / OF_A_PAIR;
        if (room < FEW && written > 0)
            break;
        size_t last = i + (room < LEAF_PAIRS_TOGETHER ? room : LEAF_PAIRS_TOGETHER), taken_count = 0, listed = 0;
        for (; i < last && i < count; i++) {
            if (how.quantized && how.plane_cull)
                fetch_leaves(s, leaves[i + LEAF_PAIRS_AHEAD < count ? i + LEAF_PAIRS_AHEAD : i], how);
            else if (!how.quantized)
                fetch_floats(s, leaves[i + LEAF_PAIRS_AHEAD < count ? i + LEAF_PAIRS_AHEAD : i], how);
            taken[taken_count++] = how.masked ? take_masked(s, leaves[i], how) : take_leaves(s, leaves[i], how);
        }
        for (size_t t = 0; t < taken_count; t++)
            listed = list_vectors(s, &taken[t], how, vectors, listed);
        written += write_vectors(s, vectors, listed, how, rows + written, columns + written);
    }
    *next = i;
    return written;
}

// ---- distances ----

static void gaps(const snag__kdops *many, size_t first, uint32_t count, const float lo[3], const float hi[3], float squared[16])
{
    for (uint32_t i = 0; i < count; i += SNAG__LANES_F32) {
        snag__f32w sum = snag__f32w_all(0);
        for (int axis = 0; axis < 3; axis++) {
            snag__f32w above = snag__f32w_load(many->lo[axis] + first + i) - snag__f32w_all(hi[axis]);
            snag__f32w below = snag__f32w_all(lo[axis]) - snag__f32w_load(many->hi[axis] + first + i);
            snag__f32w gap = snag__f32w_max(snag__f32w_max(above, below), snag__f32w_all(0));
            sum += gap * gap;
        }
        snag__f32w_store(squared + i, sum);
    }
}

// ---- the table ----

static size_t descend(const snag__bvh_search *s, snag__node_pair *stack, size_t *stack_count, snag__node_pair *leaves,
                      size_t leaves_capacity)
{
    switch (s->rows->shape.k) {
    case 14: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 7);
    case 18: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 9);
    case 26: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 13);
    default: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 3);
    }
}

static size_t widen(const snag__bvh_search *s, const snag__node_pair *pairs, size_t count, snag__node_pair *next)
{
    return widen_slabs(s, pairs, count, next, s->rows->shape.k / 2);
}

SNAG__INLINE size_t compare_floats(const snag__bvh_search *s, const snag__node_pair *leaves, size_t count, size_t *next,
                                   uint32_t *rows, uint32_t *columns, size_t capacity, bool plane_cull)
{
    switch (s->rows->shape.k) {
    case 14: return compare_slabs(s, leaves, count, next, rows, columns, capacity, (manner){7, false, plane_cull, 0, false, false});
    case 18: return compare_slabs(s, leaves, count, next, rows, columns, capacity, (manner){9, false, plane_cull, 0, false, false});
    case 26:
        return compare_slabs(s, leaves, count, next, rows, columns, capacity, (manner){13, false, plane_cull, 0, false, false});
    default: return compare_slabs(s, leaves, count, next, rows, columns, capacity, (manner){3, false, plane_cull, 0, false, false});
    }
}

static size_t compare(const snag__bvh_search *s, const snag__node_pair *leaves, size_t count, size_t *next, uint32_t *rows,
                      uint32_t *columns, size_t capacity)
{
    if ((s->unshared || s->two_ended) && s->rows->shape.k == 6) {
        SNAG__ASSERT(s->plane_cull == NULL && (!s->unshared || s->rows->corners + s->columns->corners == 4));
        SNAG__ASSERT(!s->unshared || s->rows->corners != 2 || s->rows == s->columns);
        uint32_t unshared = s->unshared ? s->rows->corners : 0;
        bool masked = s->unshared && s->masks != NULL;
#define COMPARE(corners, ends, masks)                                                                                              \
    if (unshared == (corners) && s->two_ended == (ends) && masked == (masks))                                                      \
    return compare_slabs(s, leaves, count, next, rows, columns, capacity, (manner){3, false, false, corners, ends, masks})
        COMPARE(2, false, false);
        COMPARE(3, false, false);
        COMPARE(2, true, false);
        COMPARE(3, true, false);
        COMPARE(0, true, false);
        // With masks little is left to compare: one function for both kinds of bounds, since each is 5 KB.
        COMPARE(2, s->two_ended, true);
        COMPARE(3, s->two_ended, true);
#undef COMPARE
    }
    if (s->plane_cull == NULL)
        return compare_floats(s, leaves, count, next, rows, columns, capacity, false);
    if (s->quantized != NULL)
        return compare_slabs(s, leaves, count, next, rows, columns, capacity, (manner){3, true, true, 0, false, false});
    return compare_floats(s, leaves, count, next, rows, columns, capacity, true);
}

const snag__bvh_kernels SNAG__KERNEL(snag__bvh_kernels) = {
    .merge = merge,
    .merge_inner = merge_inner,
    .merge_leaves = merge_leaves,
    .descend = descend,
    .widen = widen,
    .compare = compare,
    .gaps = gaps,
};
