#include "bound/surface_tree.h"

#include "base/counting_sort.h"
#include "bound/surface_tree_group.h"

#include <string.h>

#define NONE UINT32_MAX

// ---- the side that triangles face ----

// Whether triangle t runs through its side `i` from the lower to the higher vertex.
static bool runs_up(const snag__mesh *mesh, uint32_t t, int i)
{
    const uint32_t *v = mesh->triangles[t];
    return v[i] < v[(i + 1) % 3];
}

static int side_of_edge(const snag__mesh *mesh, uint32_t t, uint32_t edge)
{
    return mesh->triangle_edges[t][0] == edge ? 0 : mesh->triangle_edges[t][1] == edge ? 1 : 2;
}

// The triangle behind an edge that has just two; NONE behind others.
static uint32_t triangle_behind(const snag__mesh *mesh, uint32_t t, uint32_t edge)
{
    const snag__csr *at = &mesh->edge_triangles;
    if (edge == SNAG__NO_EDGE || at->start[edge + 1] - at->start[edge] != 2)
        return NONE;
    uint32_t first = at->items[at->start[edge]];
    return first == t ? at->items[at->start[edge] + 1] : first;
}

// Turns triangles so that neighbours run through their common edge in opposite directions: a mesh of mixed winding is
// as regular as any. On a Moebius strip a seam remains. turned[t]: 0 as given, 1 turned.
static void turn_triangles(const snag__mesh *mesh, uint8_t *turned, uint32_t *queue)
{
    memset(turned, 2, mesh->triangle_count);
    for (uint32_t first = 0; first < mesh->triangle_count; first++) {
        if (turned[first] != 2)
            continue;
        uint32_t head = 0, tail = 0;
        turned[first] = 0;
        queue[tail++] = first;
        while (head < tail) {
            uint32_t t = queue[head++];
            for (int i = 0; i < 3; i++) {
                uint32_t edge = mesh->triangle_edges[t][i], other = triangle_behind(mesh, t, edge);
                if (other == NONE || turned[other] != 2)
                    continue;
                bool same_way = runs_up(mesh, t, i) == runs_up(mesh, other, side_of_edge(mesh, other, edge));
                turned[other] = (uint8_t)(turned[t] ^ same_way);
                queue[tail++] = other;
            }
        }
    }
}

// ---- laying out the groups ----

typedef struct layout {
    snag__surface_tree *tree;
    const snag__grouping *grouping;
    uint32_t *child_start, *children;  // of each element of the grouping
    uint32_t *triangles;  // how many each holds
    uint32_t *element;  // by patch
    uint32_t *stack;
} layout;

static void find_children(layout *lay)
{
    const uint32_t *parent = lay->grouping->parent;
    uint32_t count = lay->grouping->count, n = lay->tree->triangle_count;
    // The root, which comes last, would be its own child: it is left out.
    snag__counting_sort(parent, count, NULL, count - 1, lay->child_start, lay->children);
    for (uint32_t e = 0; e < count; e++)
        lay->triangles[e] = e < n;
    for (uint32_t e = 0; e + 1 < count; e++)
        lay->triangles[parent[e]] += lay->triangles[e];
}

static uint32_t children_of(const layout *lay, uint32_t e)
{
    return lay->child_start[e + 1] - lay->child_start[e];
}

// An element of one child is as good as the child.
static uint32_t skip_single(const layout *lay, uint32_t e)
{
    while (children_of(lay, e) == 1)
        e = lay->children[lay->child_start[e]];
    return e;
}

static uint32_t count_patches(const layout *lay)
{
    uint32_t count = 1;
    for (uint32_t e = 0; e < lay->grouping->count; e++)
        if (lay->triangles[e] > SNAG__PATCH_TRIANGLES && children_of(lay, e) > 1)
            count += children_of(lay, e);
    return count;
}

// Writes the triangles under an element to the slots of a leaf.
static void fill_leaf(const layout *lay, const snag__patch *leaf, uint32_t e)
{
    uint32_t slot = leaf->first_slot, depth = 0;
    lay->stack[depth++] = e;
    while (depth > 0) {
        uint32_t top = lay->stack[--depth];
        if (top < lay->tree->triangle_count)
            lay->tree->triangles[slot++] = top;
        for (uint32_t i = lay->child_start[top + 1]; i > lay->child_start[top]; i--)
            lay->stack[depth++] = lay->children[i - 1];
    }
}

static void lay_out_patch(const layout *lay, uint32_t index, uint32_t *patch_count)
{
    snag__surface_tree *tree = lay->tree;
    snag__patch *patch = &tree->patches[index];
    uint32_t e = lay->element[index];
    if (patch->slot_count <= SNAG__PATCH_TRIANGLES) {
        fill_leaf(lay, patch, e);
        return;
    }
    uint32_t slot = patch->first_slot;
    patch->first_child = *patch_count;
    patch->child_count = (uint16_t)children_of(lay, e);
    for (uint32_t i = lay->child_start[e]; i < lay->child_start[e + 1]; i++) {
        uint32_t child = skip_single(lay, lay->children[i]);
        lay->element[*patch_count] = child;
        tree->patches[(*patch_count)++] = (snag__patch){.first_slot = slot, .slot_count = lay->triangles[child], .parent = index};
        slot += lay->triangles[child];
    }
}

static void lay_out(layout *lay)
{
    snag__surface_tree *tree = lay->tree;
    uint32_t count = 1;
    tree->patches[0] = (snag__patch){.slot_count = tree->triangle_count, .parent = NONE};
    lay->element[0] = skip_single(lay, lay->grouping->count - 1);
    tree->levels = 0;
    for (uint32_t first = 0; first < count;) {
        uint32_t last = count;
        tree->level_first[tree->levels++] = first;
        for (uint32_t index = first; index < last; index++)
            lay_out_patch(lay, index, &count);
        first = last;
    }
    tree->level_first[tree->levels] = count;
    tree->patch_count = count;
}

static bool make_patches(snag__surface_tree *tree, const snag__grouping *grouping, const snag_allocator *allocator)
{
    layout lay = {.tree = tree, .grouping = grouping};
    size_t count = grouping->count;
    if (!snag__buffer_reserve(allocator, &tree->memory[SNAG__TREE_SCRATCH], 0, 5 * count + 2, sizeof(uint32_t)))
        return false;
    lay.child_start = tree->memory[SNAG__TREE_SCRATCH].data;
    lay.children = lay.child_start + count + 1;
    lay.triangles = lay.children + count;
    lay.element = lay.triangles + count;
    lay.stack = lay.element + count;
    find_children(&lay);
    if (!snag__buffer_reserve(allocator, &tree->memory[SNAG__TREE_PATCHES], 0, count_patches(&lay) + 1u, sizeof *tree->patches))
        return false;
    tree->patches = tree->memory[SNAG__TREE_PATCHES].data;
    lay_out(&lay);
    return true;
}

// ---- corners and slots ----

static bool make_corners(snag__surface_tree *tree, const snag_allocator *allocator)
{
    const snag__mesh *mesh = tree->mesh;
    uint32_t n = tree->triangle_count;
    if (!snag__buffer_reserve(allocator, &tree->memory[SNAG__TREE_SCRATCH], 0, 2 * (size_t)n + 1, sizeof(uint32_t)))
        return false;
    uint32_t *queue = tree->memory[SNAG__TREE_SCRATCH].data;
    uint8_t *turned = (uint8_t *)(queue + n);
    turn_triangles(mesh, turned, queue);
    for (uint32_t slot = 0; slot < n; slot++) {
        const uint32_t *v = mesh->triangles[tree->triangles[slot]];
        bool turn = turned[tree->triangles[slot]] == 1;
        tree->corners[slot][0] = v[0];
        tree->corners[slot][1] = v[turn ? 2 : 1];
        tree->corners[slot][2] = v[turn ? 1 : 2];
    }
    return true;
}

// A triangle that repeats a vertex is named by it more than once; that does no harm.
static void make_vertex_slots(snag__surface_tree *tree)
{
    uint32_t *start = tree->vertex_start;
    memset(start, 0, (tree->mesh->vertex_count + 1u) * sizeof *start);
    for (uint32_t slot = 0; slot < tree->triangle_count; slot++)
        for (int c = 0; c < 3; c++)
            start[tree->corners[slot][c] + 1]++;
    snag__sizes_to_starts(start, tree->mesh->vertex_count);
    for (uint32_t slot = 0; slot < tree->triangle_count; slot++)
        for (int c = 0; c < 3; c++)
            tree->vertex_slots[start[tree->corners[slot][c]]++] = slot;
    snag__cursors_to_starts(start, tree->mesh->vertex_count);
}

bool snag__vertex_in_slots(const snag__surface_tree *tree, uint32_t vertex, uint32_t first, uint32_t last)
{
    uint32_t low = tree->vertex_start[vertex], high = tree->vertex_start[vertex + 1];
    const uint32_t end = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->vertex_slots[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && tree->vertex_slots[low] < last;
}

// ---- all of it ----

static bool build(snag__surface_tree *tree, const snag_allocator *allocator)
{
    snag__buffer *memory = tree->memory;
    size_t n = tree->triangle_count, vertices = tree->mesh->vertex_count;
    if (!snag__buffer_reserve(allocator, &memory[SNAG__TREE_TRIANGLES], 0, n + 1, sizeof *tree->triangles) ||
        !snag__buffer_reserve(allocator, &memory[SNAG__TREE_CORNERS], 0, n + 1, sizeof *tree->corners) ||
        !snag__buffer_reserve(allocator, &memory[SNAG__TREE_VERTEX_START], 0, vertices + 1, sizeof *tree->vertex_start) ||
        !snag__buffer_reserve(allocator, &memory[SNAG__TREE_VERTEX_SLOTS], 0, 3 * n + 1, sizeof *tree->vertex_slots))
        return false;
    tree->triangles = memory[SNAG__TREE_TRIANGLES].data;
    tree->corners = memory[SNAG__TREE_CORNERS].data;
    tree->vertex_start = memory[SNAG__TREE_VERTEX_START].data;
    tree->vertex_slots = memory[SNAG__TREE_VERTEX_SLOTS].data;
    if (n == 0)
        return true;
    snag__grouping grouping;
    bool done = snag__group_surface(tree->mesh, allocator, &grouping) && make_patches(tree, &grouping, allocator);
    snag__buffer_free(allocator, &grouping.memory);
    if (!done || !make_corners(tree, allocator))
        return false;
    make_vertex_slots(tree);
    return snag__surface_tree_find_contours(tree, allocator) && snag__surface_tree_find_adjacency(tree, allocator);
}

bool snag__surface_tree_build(snag__surface_tree *tree, const snag__mesh *mesh, const snag_allocator *allocator)
{
    *tree = (snag__surface_tree){.mesh = mesh, .triangle_count = mesh->triangle_count};
    bool done = build(tree, allocator);
    snag__buffer_free(allocator, &tree->memory[SNAG__TREE_SCRATCH]);
    if (!done)
        snag__surface_tree_free(allocator, tree);
    return done;
}

void snag__surface_tree_free(const snag_allocator *allocator, snag__surface_tree *tree)
{
    for (size_t i = 0; i < sizeof tree->memory / sizeof *tree->memory; i++)
        snag__buffer_free(allocator, &tree->memory[i]);
    *tree = (snag__surface_tree){0};
}
