// Features of the leaves of `regularity`: see regularity_features.h.
#include "method/regularity_features.h"

#include <string.h>

enum {
    EDGES_OF_A_LEAF = 3 * SNAG__PATCH_TRIANGLES,
    HITS = EDGES_OF_A_LEAF + 16,  // kernels write whole vectors
    BATCH = SNAG__BLOCK,
};

// ---- assigning features to leaves ----

bool snag__patch_bounds_reserve(const snag_allocator *allocator, snag__buffer *memory, size_t count, snag__kdops *bounds)
{
    // One vector more than the padding: leaves are read by whole vectors from any slot.
    size_t padded = snag__box_padded(count) + SNAG__BOX_PAD;
    snag__kdops made = {.count = count, .k = 6};
    const snag__room rooms[] = {
        {NULL, &made.lo[0], padded, sizeof(float)}, {NULL, &made.hi[0], padded, sizeof(float)},
        {NULL, &made.lo[1], padded, sizeof(float)}, {NULL, &made.hi[1], padded, sizeof(float)},
        {NULL, &made.lo[2], padded, sizeof(float)}, {NULL, &made.hi[2], padded, sizeof(float)},
    };
    if (!snag__rooms_carve(allocator, memory, rooms, sizeof rooms / sizeof *rooms))
        return false;
    *bounds = made;
    // All slots of a leaf are compared: unused ones must not even overlap an infinite box.
    snag__kdops_clear(bounds, 0, padded);
    return true;
}

static bool reserve(snag__patch_features *f, const snag__surface_tree *trees, uint32_t tree_count, uint32_t node_count,
                    const snag_allocator *allocator)
{
    size_t vertices = 0, edges = 0, most = 1;
    for (uint32_t i = 0; i < tree_count; i++) {
        size_t v = trees[i].mesh->vertex_count, e = trees[i].mesh->edge_count;
        vertices += v;
        edges += e;
        most = v + e > most ? v + e : most;
    }
    const snag__room rooms[] = {
        {NULL, &f->seen, most, sizeof *f->seen},
        {NULL, &f->vertices.first, node_count + 2u, sizeof *f->vertices.first},
        {NULL, &f->vertices.elements, vertices + 1, sizeof *f->vertices.elements},
        {NULL, &f->edges.first, node_count + 2u, sizeof *f->edges.first},
        {NULL, &f->edges.elements, edges + 1, sizeof *f->edges.elements},
        {NULL, &f->edges.vertices, 2 * edges + 1, sizeof *f->edges.vertices},
    };
    if (!snag__rooms_carve(allocator, &f->memory, rooms, sizeof rooms / sizeof *rooms) ||
        !snag__patch_bounds_reserve(allocator, &f->vertex_bound_memory, vertices, &f->vertices.bounds) ||
        !snag__patch_bounds_reserve(allocator, &f->edge_bound_memory, edges, &f->edges.bounds))
        return false;
    f->vertices.vertices = f->vertices.elements;
    return true;
}

// Assigns the features of a leaf's triangles that are in no earlier leaf.
static void deal_leaf(snag__patch_features *f, const snag__surface_tree *tree, const snag__patch *leaf, uint8_t *seen,
                      uint32_t *vertex_count, uint32_t *edge_count)
{
    const snag__mesh *mesh = tree->mesh;
    uint8_t *edge_seen = seen + mesh->vertex_count;
    for (uint32_t slot = leaf->first_slot; slot < leaf->first_slot + leaf->slot_count; slot++)
        for (int k = 0; k < 3; k++) {
            uint32_t v = tree->corners[slot][k], e = mesh->triangle_edges[tree->triangles[slot]][k];
            if (!seen[v])
                f->vertices.elements[(*vertex_count)++] = v;
            seen[v] = 1;
            if (e == SNAG__NO_EDGE || edge_seen[e])
                continue;
            edge_seen[e] = 1;
            f->edges.elements[*edge_count] = e;
            memcpy(f->edges.vertices + 2 * (size_t)*edge_count, mesh->edges[e], sizeof mesh->edges[e]);
            (*edge_count)++;
        }
}

bool snag__patch_features_build(snag__patch_features *features, const snag__surface_tree *trees, uint32_t tree_count,
                                const uint32_t *first_patch, uint32_t node_count, const snag_allocator *allocator)
{
    features->fresh = false;
    if (!reserve(features, trees, tree_count, node_count, allocator))
        return false;
    uint32_t vertex_count = 0, edge_count = 0, node = 0;
    features->loose = false;
    for (uint32_t i = 0; i < tree_count; i++) {
        const snag__surface_tree *tree = &trees[i];
        uint8_t *seen = features->seen;
        memset(seen, 0, (size_t)tree->mesh->vertex_count + tree->mesh->edge_count);
        // A body without triangles has one node.
        for (node = first_patch[i]; node - first_patch[i] < tree->patch_count || node == first_patch[i]; node++) {
            features->vertices.first[node] = vertex_count;
            features->edges.first[node] = edge_count;
            if (tree->patch_count > 0 && tree->patches[node - first_patch[i]].child_count == 0)
                deal_leaf(features, tree, &tree->patches[node - first_patch[i]], seen, &vertex_count, &edge_count);
        }
        for (uint32_t v = 0; v < tree->mesh->vertex_count; v++)
            features->loose = features->loose || (tree->mesh->vertex_used[v] && !seen[v]);
    }
    SNAG__ASSERT(node <= node_count && vertex_count <= features->vertices.bounds.count);
    SNAG__ASSERT(edge_count <= features->edges.bounds.count);
    features->vertices.first[node] = vertex_count;
    features->edges.first[node] = edge_count;
    features->fresh = true;
    return true;
}

void snag__patch_features_free(const snag_allocator *allocator, snag__patch_features *features)
{
    snag__buffer_free(allocator, &features->memory);
    snag__buffer_free(allocator, &features->vertex_bound_memory);
    snag__buffer_free(allocator, &features->edge_bound_memory);
}

void snag__patch_features_fill(snag__patch_features *features, const snag__mesh *mesh, uint32_t node, snag_isa isa)
{
    const snag__box_kernels *boxes = snag__box_kernels_for(isa);
    snag__patch_feature_list *lists[2] = {&features->vertices, &features->edges};
    for (uint32_t i = 0; i < 2; i++)
        boxes->kdop_from_elements((const double(*)[3])mesh->x_t0, (const double(*)[3])mesh->x_t1, lists[i]->vertices, i + 1,
                                  lists[i]->first[node], lists[i]->first[node + 1] - lists[i]->first[node], 0, &lists[i]->bounds);
}

// ---- comparing ----

// Candidates for the exact test: pairs of row elements of body i and column elements of body j.
typedef struct batch {
    snag__pass pass;
    uint32_t i, j;
    size_t count, tests;
    uint32_t pairs[BATCH][2];
} batch;

static void flush(batch *b, const snag__ask *ask, snag__record_list *list)
{
    snag__narrow_phase(ask, list, &b->pass, b->i, b->j, (const uint32_t(*)[2])b->pairs, b->count);
    b->tests += b->count;
    b->count = 0;
}

// One side of a comparison: slots first .. last - 1 with their bounds and elements, and the leaf that they belong to.
typedef struct side {
    const snag__kdops *bounds;
    const uint32_t *elements;
    size_t first, last;
    const snag__kdops *leaf_bounds;
    uint32_t leaf;
} side;

static void box_at(const snag__kdops *bounds, size_t slot, float lo[3], float hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = bounds->lo[axis][slot];
        hi[axis] = bounds->hi[axis][slot];
    }
}

// Compares the rows that overlap the leaf of the columns with the columns. `half`: both sides are the same, and each pair counts
// once.
static void compare_sides(const side *rows, const side *columns, bool half, const snag__ask *ask, snag__record_list *list, batch *b)
{
    const snag__box_kernels *boxes = snag__box_kernels_for(ask->isa);
    uint32_t hits[HITS], near_rows[HITS];
    float lo[3], hi[3];
    if (rows->first == rows->last || columns->first == columns->last)
        return;
    box_at(columns->leaf_bounds, columns->leaf, lo, hi);
    size_t row_count = boxes->kdop_overlaps(rows->bounds, rows->first, rows->last, lo, hi, near_rows);
    for (size_t r = 0; r < row_count; r++) {
        uint32_t row = near_rows[r];
        box_at(rows->bounds, row, lo, hi);
        size_t first = half ? row + 1u : columns->first;
        size_t count = first < columns->last ? boxes->kdop_overlaps(columns->bounds, first, columns->last, lo, hi, hits) : 0;
        SNAG__ASSERT(count <= EDGES_OF_A_LEAF);
        if (b->count + count > BATCH)
            flush(b, ask, list);
        for (size_t k = 0; k < count; k++) {
            b->pairs[b->count][0] = rows->elements[row];
            b->pairs[b->count++][1] = columns->elements[hits[k]];
        }
    }
}

static side features_of(const snag__patch_feature_list *features, const snag__bvh *leaves, uint32_t node)
{
    return (side){&features->bounds,         features->elements,   features->first[node],
                  features->first[node + 1], &leaves->node_bounds, node};
}

static side triangles_of(const snag__bvh *leaves, uint32_t node)
{
    size_t first = leaves->nodes[node].first;
    return (side){&leaves->slot_bounds, leaves->elements, first, first + leaves->nodes[node].count, &leaves->node_bounds, node};
}

size_t snag__patch_features_compare(const snag__patch_features *features, const snag__bvh *leaves, const snag__ask *ask,
                                    snag__record_list *list, const snag__node_pair *pairs, size_t count)
{
    uint32_t i = leaves->nodes[pairs[0].a].tree, j = leaves->nodes[pairs[0].b].tree;
    snag__pass passes[SNAG__MAX_PASSES];
    SNAG__ASSERT(features->fresh && !features->loose && count > 0);
    ask->kind->passes(ask, passes);
    batch there = {.pass = passes[0], .i = i, .j = j}, back = {.pass = passes[0], .i = j, .j = i};
    batch edges = {.pass = passes[1], .i = i, .j = j};
    for (size_t k = 0; k < count; k++) {
        uint32_t a = pairs[k].a, b = pairs[k].b;
        side edges_a = features_of(&features->edges, leaves, a), edges_b = features_of(&features->edges, leaves, b);
        side faces_a = triangles_of(leaves, a), faces_b = triangles_of(leaves, b);
        side vertices_a = features_of(&features->vertices, leaves, a), vertices_b = features_of(&features->vertices, leaves, b);
        compare_sides(&edges_a, &edges_b, a == b, ask, list, &edges);
        compare_sides(&faces_a, &vertices_b, false, ask, list, &there);
        if (a != b)
            compare_sides(&faces_b, &vertices_a, false, ask, list, &back);
    }
    flush(&there, ask, list);
    flush(&back, ask, list);
    flush(&edges, ask, list);
    return there.tests + back.tests + edges.tests;
}
