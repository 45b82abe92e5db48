// Wide kernels of the forest: see forest_kernel.h.
#include "bound/forest_kernel.h"

#include "base/simd.h"

// Kernels are compiled for each number of slabs, so that the loops over slabs vanish.
#define SNAG__INLINE static inline __attribute__((always_inline))

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
    for (uint32_t i = SNAG__W; i < SNAG__LEAF_ELEMENTS; i += SNAG__W)
        low = snag__f32w_min(low, snag__f32w_load(x + i));
    float lanes[SNAG__W];
    snag__f32w_store(lanes, low);
    return lowest(lanes, SNAG__W);
}

SNAG__INLINE float highest_of_leaf(const float *x)
{
    snag__f32w high = snag__f32w_load(x);
    for (uint32_t i = SNAG__W; i < SNAG__LEAF_ELEMENTS; i += SNAG__W)
        high = snag__f32w_max(high, snag__f32w_load(x + i));
    float lanes[SNAG__W];
    snag__f32w_store(lanes, high);
    return highest(lanes, SNAG__W);
}

// The tree of a body without elements is an empty leaf: its bound overlaps nothing.
static void merge(snag__forest *forest, uint32_t first, uint32_t last)
{
    uint32_t slabs = forest->shape.k / 2;
    snag__kdops *bounds = &forest->node_bounds;
    for (uint32_t n = first; n < last; n++) {
        const snag__node *node = &forest->nodes[n];
        const snag__kdops *from = node->leaf ? &forest->place_bounds : bounds;
        if (node->leaf && node->count == SNAG__LEAF_ELEMENTS) {
            for (uint32_t slab = 0; slab < slabs; slab++) {
                bounds->lo[slab][n] = lowest_of_leaf(from->lo[slab] + node->first);
                bounds->hi[slab][n] = highest_of_leaf(from->hi[slab] + node->first);
            }
            continue;
        }
        for (uint32_t slab = 0; slab < slabs; slab++) {
            bounds->lo[slab][n] = node->count > 0 ? lowest(from->lo[slab] + node->first, node->count) : INFINITY;
            bounds->hi[slab][n] = node->count > 0 ? highest(from->hi[slab] + node->first, node->count) : -INFINITY;
        }
    }
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

SNAG__INLINE snag__i32w slab_overlaps(const snag__kdops *many, size_t i, uint32_t slab, const bound *one)
{
    return snag__f32w_le(snag__f32w_load(many->lo[slab] + i), snag__f32w_all(one->hi[slab])) &
           snag__f32w_le(snag__f32w_all(one->lo[slab]), snag__f32w_load(many->hi[slab] + i));
}

// Which of `count` <= 16 neighbours from `first` on overlap a bound: one bit each.
SNAG__INLINE uint32_t overlaps(const snag__kdops *many, size_t first, uint32_t count, const bound *one, uint32_t slabs)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i += SNAG__W) {
        snag__i32w mask = slab_overlaps(many, first + i, 0, one);
        mask &= slab_overlaps(many, first + i, 1, one);
        mask &= slab_overlaps(many, first + i, 2, one);
        if (slabs > 3 && snag__i32w_bits(mask) == 0)
            continue;
        for (uint32_t slab = 3; slab < slabs; slab++)
            mask &= slab_overlaps(many, first + i, slab, one);
        bits |= snag__i32w_bits(mask) << i;
    }
    return bits & ((1u << count) - 1u);
}

// ---- pairs of nodes ----

// Both kinds of pairs are written, and only the right one is kept: no branch to be guessed wrong.
typedef struct outlet {
    snag__node_pair *inner, *leaves;
    size_t inner_count, leaf_count;
} outlet;

SNAG__INLINE void emit(const snag__forest_search *s, uint32_t a, uint32_t b, outlet *out)
{
    bool leaves = s->rows->nodes[a].leaf & s->columns->nodes[b].leaf;
    out->inner[out->inner_count] = (snag__node_pair){a, b};
    out->leaves[out->leaf_count] = (snag__node_pair){a, b};
    out->inner_count += !leaves;
    out->leaf_count += leaves;
}

SNAG__INLINE void emit_columns(const snag__forest_search *s, uint32_t a, uint32_t first, uint32_t bits, outlet *out)
{
    for (; bits != 0; bits &= bits - 1)
        emit(s, a, first + (uint32_t)__builtin_ctz(bits), out);
}

// The children of a node with each other: each with itself, and the overlapping pairs once.
SNAG__INLINE void open_self(const snag__forest_search *s, const snag__node *node, uint32_t slabs, outlet *out)
{
    for (uint32_t i = 0; i < node->count; i++) {
        bound one;
        load_bound(&s->rows->node_bounds, node->first + i, slabs, &one);
        uint32_t bits = overlaps(&s->rows->node_bounds, node->first, node->count, &one, slabs) & ~((1u << i) - 1u);
        emit_columns(s, node->first + i, node->first, bits, out);
    }
}

SNAG__INLINE void open_pair(const snag__forest_search *s, snag__node_pair pair, uint32_t slabs, outlet *out)
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
        emit_columns(s, pair.a, b->first, overlaps(columns, b->first, b->count, &one, slabs), out);
        return;
    }
    // Children of a that do not meet b's bound meet none of its children.
    load_bound(columns, pair.b, slabs, &one);
    uint32_t near = overlaps(rows, a->first, a->count, &one, slabs);
    for (; near != 0; near &= near - 1) {
        uint32_t child = a->first + (uint32_t)__builtin_ctz(near);
        if (b->leaf) {
            emit(s, child, pair.b, out);
            continue;
        }
        load_bound(rows, child, slabs, &one);
        emit_columns(s, child, b->first, overlaps(columns, b->first, b->count, &one, slabs), out);
    }
}

SNAG__INLINE size_t descend_slabs(const snag__forest_search *s, snag__node_pair *stack, size_t *stack_count,
                                  snag__node_pair *leaves, size_t leaves_capacity, uint32_t slabs)
{
    outlet out = {.inner = stack, .inner_count = *stack_count, .leaves = leaves};
    while (out.inner_count > 0 && out.leaf_count + 64 < leaves_capacity) {
        snag__node_pair pair = stack[--out.inner_count];
        open_pair(s, pair, slabs, &out);
    }
    *stack_count = out.inner_count;
    return out.leaf_count;
}

SNAG__INLINE size_t widen_slabs(const snag__forest_search *s, const snag__node_pair *pairs, size_t count,
                                snag__node_pair *next, uint32_t slabs)
{
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        if (s->rows->nodes[pairs[i].a].leaf && s->columns->nodes[pairs[i].b].leaf) {
            next[written++] = pairs[i];
            continue;
        }
        snag__node_pair inner[66], leaves[66];
        outlet out = {.inner = inner, .leaves = leaves};
        open_pair(s, pairs[i], slabs, &out);
        memcpy(next + written, inner, out.inner_count * sizeof *inner);
        memcpy(next + written + out.inner_count, leaves, out.leaf_count * sizeof *leaves);
        written += out.inner_count + out.leaf_count;
    }
    return written;
}

// ---- elements of leaves ----
// Leaves are padded to 16 places, and what is not there overlaps nothing: they are compared by whole vectors. Vectors of
// columns with hits are listed first and looked at afterwards, so that no branch depends on a single row.

enum { LEAF_PAIRS_TOGETHER = 16, FETCH_AHEAD = 12 };

typedef struct hit_vector {
    uint32_t row, column;  // places: one row, and the first of W columns
    uint32_t lanes;
} hit_vector;

// One bit for each of W places from `first` on that overlaps a bound.
SNAG__INLINE uint32_t vector_overlaps(const snag__kdops *many, size_t first, const bound *one, uint32_t slabs)
{
    snag__i32w mask = slab_overlaps(many, first, 0, one);
    mask &= slab_overlaps(many, first, 1, one);
    mask &= slab_overlaps(many, first, 2, one);
    if (slabs > 3 && snag__i32w_bits(mask) == 0)
        return 0;
    for (uint32_t slab = 3; slab < slabs; slab++)
        mask &= slab_overlaps(many, first, slab, one);
    return snag__i32w_bits(mask);
}

// Writes `row` and first + i for each set bit i of W, whole vectors at a time: up to W entries behind the last are
// overwritten.
SNAG__INLINE size_t write_hits(uint32_t row, uint32_t first, uint32_t bits, uint32_t *rows, uint32_t *columns)
{
#if SNAG__W == 8
    // Each set bit becomes a byte of ones, which picks its own number out of 7..0.
    uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xff;
    uint64_t packed = _pext_u64(0x0706050403020100u, bytes);
    __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)packed));
    _mm256_storeu_si256((__m256i *)(void *)columns, _mm256_add_epi32(lanes, _mm256_set1_epi32((int)first)));
    _mm256_storeu_si256((__m256i *)(void *)rows, _mm256_set1_epi32((int)row));
    return (size_t)__builtin_popcount(bits);
#elif SNAG__W == 16
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

// The places of a leaf whose triangles share a vertex with a triangle and are proven to be apart from it. The leaf comes so many
// leaves after the triangle's.
SNAG__INLINE uint32_t proven_apart(const snag__neighbours *neighbours, uint32_t after)
{
    // Leaves too far away are in no slot, however their number ends.
    uint32_t far = after + 0x8000 > 0xffff, found = 0;
#if SNAG__W >= 4 && defined(__SSE4_1__)
    __m128i leaves = _mm_loadu_si128((const __m128i *)(const void *)neighbours->leaf);
    __m128i equal = _mm_cmpeq_epi16(leaves, _mm_set1_epi16((short)after));
    found = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(equal, equal)) & 0xff;
#else
    for (uint32_t i = 0; i < SNAG__NEIGHBOUR_LEAVES; i++)
        found |= (uint32_t)(neighbours->leaf[i] == (uint16_t)after) << i;
#endif
    // The last slot is the empty one.
    return neighbours->apart[__builtin_ctz((found & (far - 1u)) | 1u << (SNAG__NEIGHBOUR_LEAVES - 1))];
}

// Three signed distances of a triangle's corners from a plane, all certainly on one side of it.
SNAG__INLINE snag__i32w on_one_side(snag__f32w h0, snag__f32w h1, snag__f32w h2, snag__f32w margin)
{
    return snag__f32w_lt(margin, snag__f32w_min(snag__f32w_min(h0, h1), h2)) |
           snag__f32w_lt(snag__f32w_max(snag__f32w_max(h0, h1), h2), -margin);
}

// The lanes of a leaf's triangles i .. i + W - 1 that a plane separates from the triangle at a lane of another block.
SNAG__INLINE uint32_t separated(const snag__facet_block *a, uint32_t lane, const snag__facet_block *b, uint32_t i,
                                snag__f32w margin)
{
    snag__f32w of_b[3], of_a[3];
    for (int c = 0; c < 3; c++) {
        of_b[c] = snag__f32w_all(a->normal[0][lane]) * snag__f32w_load(&b->corner[c][0][i]) +
                  snag__f32w_all(a->normal[1][lane]) * snag__f32w_load(&b->corner[c][1][i]) +
                  snag__f32w_all(a->normal[2][lane]) * snag__f32w_load(&b->corner[c][2][i]) - snag__f32w_all(a->offset[lane]);
        of_a[c] = snag__f32w_load(&b->normal[0][i]) * snag__f32w_all(a->corner[c][0][lane]) +
                  snag__f32w_load(&b->normal[1][i]) * snag__f32w_all(a->corner[c][1][lane]) +
                  snag__f32w_load(&b->normal[2][i]) * snag__f32w_all(a->corner[c][2][lane]) - snag__f32w_load(&b->offset[i]);
    }
    return snag__i32w_bits(on_one_side(of_b[0], of_b[1], of_b[2], margin) | on_one_side(of_a[0], of_a[1], of_a[2], margin));
}

// Elements of leaves, each to be compared with a whole leaf.
typedef struct row_list {
    uint32_t row[LEAF_PAIRS_TOGETHER * SNAG__LEAF_ELEMENTS + SNAG__W];     // places
    uint32_t column[LEAF_PAIRS_TOGETHER * SNAG__LEAF_ELEMENTS + SNAG__W];  // the first place of the leaf
    size_t count;
} row_list;

// Lists the elements of a that overlap b's bound.
SNAG__INLINE void list_rows(const snag__forest_search *s, snag__node_pair leaves, uint32_t slabs, row_list *list)
{
    uint32_t first_row = s->rows->nodes[leaves.a].first, column = s->columns->nodes[leaves.b].first;
    bound of_b;
    load_bound(&s->columns->node_bounds, leaves.b, slabs, &of_b);
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i += SNAG__W) {
        uint32_t bits = vector_overlaps(&s->rows->place_bounds, first_row + i, &of_b, slabs);
        list->count += write_hits(column, first_row + i, bits, list->column + list->count, list->row + list->count);
    }
}

// Lists the vectors of columns that overlap rows; `out` has room for all of them.
SNAG__INLINE size_t list_vectors(const snag__forest_search *s, const row_list *list, uint32_t slabs, bool facets,
                                 hit_vector *out)
{
    size_t count = 0;
    for (size_t r = 0; r < list->count; r++) {
        uint32_t row = list->row[r], first_column = list->column[r], lane = row % SNAG__LEAF_ELEMENTS;
        bound one;
        load_bound(&s->rows->place_bounds, row, slabs, &one);
        // Of a leaf with itself each pair once.
        uint32_t unwanted = s->symmetric && row - lane == first_column ? (2u << lane) - 1u : 0;
        if (facets) {
            const snag__neighbours *neighbours = s->facets->neighbours;
            __builtin_prefetch(&neighbours[list->row[r + FETCH_AHEAD < list->count ? r + FETCH_AHEAD : r]]);
            unwanted |= proven_apart(&neighbours[row], first_column / SNAG__LEAF_ELEMENTS - row / SNAG__LEAF_ELEMENTS);
        }
        for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i += SNAG__W) {
            uint32_t lanes = vector_overlaps(&s->columns->place_bounds, first_column + i, &one, slabs) & ~(unwanted >> i);
            out[count] = (hit_vector){row, first_column + i, lanes};
            count += lanes != 0;
        }
    }
    return count;
}

SNAG__INLINE size_t write_vectors(const snag__forest_search *s, const hit_vector *vectors, size_t count, bool facets,
                                  uint32_t *rows, uint32_t *columns)
{
    size_t written = 0;
    snag__f32w margin = snag__f32w_all(facets ? s->facets->margin : 0);
    for (size_t i = 0; i < count; i++) {
        const hit_vector *v = &vectors[i];
        uint32_t lanes = v->lanes;
        if (facets) {
            const snag__facet_block *blocks = s->facets->blocks;
            lanes &= ~separated(&blocks[v->row / SNAG__LEAF_ELEMENTS], v->row % SNAG__LEAF_ELEMENTS,
                                &blocks[v->column / SNAG__LEAF_ELEMENTS], v->column % SNAG__LEAF_ELEMENTS, margin);
        }
        written += write_hits(v->row, v->column, lanes, rows + written, columns + written);
    }
    return written;
}

// Each stage lists what is left for the next, of several pairs of leaves together: loops are long, and few branches are
// guessed wrong.
SNAG__INLINE size_t compare_slabs(const snag__forest_search *s, const snag__node_pair *leaves, size_t count, size_t *next,
                                  uint32_t *rows, uint32_t *columns, size_t capacity, uint32_t slabs, bool facets)
{
    enum { OF_A_PAIR = SNAG__LEAF_ELEMENTS * SNAG__LEAF_ELEMENTS, FEW = LEAF_PAIRS_TOGETHER / 2 };
    hit_vector vectors[LEAF_PAIRS_TOGETHER * OF_A_PAIR / SNAG__W + 1];
    row_list list;
    size_t written = 0, i = *next;
    while (i < count) {
        // Room for all pairs of elements, and a vector behind the last.
        size_t room = (capacity - written - SNAG__W) / OF_A_PAIR;
        if (room < FEW && written > 0)
            break;
        size_t last = i + (room < LEAF_PAIRS_TOGETHER ? room : LEAF_PAIRS_TOGETHER);
        list.count = 0;
        for (; i < last && i < count; i++)
            list_rows(s, leaves[i], slabs, &list);
        size_t listed = list_vectors(s, &list, slabs, facets, vectors);
        written += write_vectors(s, vectors, listed, facets, rows + written, columns + written);
    }
    *next = i;
    return written;
}

// ---- distances ----

static void gaps(const snag__kdops *many, size_t first, uint32_t count, const float lo[3], const float hi[3],
                 float squared[16])
{
    for (uint32_t i = 0; i < count; i += SNAG__W) {
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

static size_t descend(const snag__forest_search *s, snag__node_pair *stack, size_t *stack_count, snag__node_pair *leaves,
                      size_t leaves_capacity)
{
    switch (s->rows->shape.k) {
    case 14: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 7);
    case 18: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 9);
    case 26: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 13);
    default: return descend_slabs(s, stack, stack_count, leaves, leaves_capacity, 3);
    }
}

static size_t widen(const snag__forest_search *s, const snag__node_pair *pairs, size_t count, snag__node_pair *next)
{
    return widen_slabs(s, pairs, count, next, s->rows->shape.k / 2);
}

SNAG__INLINE size_t compare_any(const snag__forest_search *s, const snag__node_pair *leaves, size_t count, size_t *next,
                                uint32_t *rows, uint32_t *columns, size_t capacity, bool facets)
{
    switch (s->rows->shape.k) {
    case 14: return compare_slabs(s, leaves, count, next, rows, columns, capacity, 7, facets);
    case 18: return compare_slabs(s, leaves, count, next, rows, columns, capacity, 9, facets);
    case 26: return compare_slabs(s, leaves, count, next, rows, columns, capacity, 13, facets);
    default: return compare_slabs(s, leaves, count, next, rows, columns, capacity, 3, facets);
    }
}

static size_t compare(const snag__forest_search *s, const snag__node_pair *leaves, size_t count, size_t *next,
                      uint32_t *rows, uint32_t *columns, size_t capacity)
{
    if (s->facets != NULL)
        return compare_any(s, leaves, count, next, rows, columns, capacity, true);
    return compare_any(s, leaves, count, next, rows, columns, capacity, false);
}

const snag__forest_kernels SNAG__KERNEL(snag__forest_kernels) = {
    .merge = merge,
    .descend = descend,
    .widen = widen,
    .compare = compare,
    .gaps = gaps,
};
