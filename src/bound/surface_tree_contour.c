// Contours of patches, as chains: every triangle adds its three directed edges, and edges that are run through in both
// directions cancel. What is left is the contour, in any number of loops, on any topology.
//
// Patches are taken from the lowest level up, each from its children's chains. A contour is kept only if it may be
// used: that is, if no edge counts twice, and it is not much longer than that of a round patch. The latter bounds the
// memory of all contours by O(n): a level of patches of s triangles has n / s of them, and the sum over s of sqrt(s) /
// s converges.
#include "bound/surface_tree.h"

#include <math.h>
#include <string.h>

// An edge of a chain: how often it is run through from its lower to its higher vertex, less how often back.
typedef struct link {
    uint32_t edge;
    int32_t count;
} link;

// Chains of the patches of one level, one after the other.
typedef struct chains {
    link *links;
    size_t count;
} chains;

typedef struct finder {
    snag__surface_tree *tree;
    chains below, now;
    link *merged[2];
    uint32_t *first_below, *first_now;  // by patch: where its chain begins in its level
    uint32_t *waiting;  // by vertex: see link_contour; of no meaning between contours
    uint32_t *slot;  // by triangle
    const snag_allocator *allocator;
} finder;

// Adds two sorted chains.
static size_t add_chains(const link *a, size_t a_count, const link *b, size_t b_count, link *sum)
{
    size_t i = 0, j = 0, count = 0;
    while (i < a_count || j < b_count) {
        if (j == b_count || (i < a_count && a[i].edge < b[j].edge)) {
            sum[count++] = a[i++];
        } else if (i == a_count || b[j].edge < a[i].edge) {
            sum[count++] = b[j++];
        } else {
            sum[count] = a[i++];
            sum[count].count += b[j++].count;
            count += sum[count].count != 0;
        }
    }
    return count;
}

static size_t chain_of_triangle(const snag__surface_tree *tree, uint32_t slot, link chain[3])
{
    const uint32_t *edges = tree->mesh->triangle_edges[tree->triangles[slot]], *v = tree->corners[slot];
    if (edges[0] == SNAG__NO_EDGE)
        return 0;
    for (int i = 0; i < 3; i++) {
        // The corners may be turned: the edge is looked up by its vertices.
        uint32_t from = v[i], to = v[(i + 1) % 3], low = from < to ? from : to, high = from ^ to ^ low;
        int side = 0;
        while (tree->mesh->edges[edges[side]][0] != low || tree->mesh->edges[edges[side]][1] != high)
            side++;
        chain[i] = (link){edges[side], from < to ? 1 : -1};
    }
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && chain[k].edge < chain[k - 1].edge; k--) {
            link swap = chain[k];
            chain[k] = chain[k - 1];
            chain[k - 1] = swap;
        }
    return 3;
}

static size_t chain_of_leaf(finder *f, const snag__patch *patch, const link **chain)
{
    size_t count = 0;
    int now = 0;
    for (uint32_t i = 0; i < patch->slot_count; i++) {
        link triangle[3];
        size_t sides = chain_of_triangle(f->tree, patch->first_slot + i, triangle);
        count = add_chains(f->merged[now], count, triangle, sides, f->merged[!now]);
        now = !now;
    }
    *chain = f->merged[now];
    return count;
}

static size_t chain_of_children(finder *f, const snag__patch *patch, const link **chain)
{
    size_t count = 0;
    int now = 0;
    for (uint32_t i = 0; i < patch->child_count; i++) {
        const uint32_t *first = &f->first_below[patch->first_child + i];
        count = add_chains(f->merged[now], count, f->below.links + first[0], first[1] - first[0], f->merged[!now]);
        now = !now;
    }
    *chain = f->merged[now];
    return count;
}

static bool is_simple_chain(const link *chain, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chain[i].count < -1 || chain[i].count > 1)
            return false;
    return true;
}

// Writes the edges of a chain and links them to loops: as many begin at each vertex as end there. `waiting` holds, by
// vertex, a list of the edges that begin there and follow no other yet.
static void link_contour(const finder *f, const link *chain, size_t count, snag__contour_edge *contour)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *v = f->tree->mesh->edges[chain[i].edge];
        uint32_t from = v[chain[i].count < 0];
        // While it waits, `previous` leads on in the list.
        contour[i] = (snag__contour_edge){.edge = chain[i].edge, .from = from, .previous = f->waiting[from]};
        f->waiting[from] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = f->tree->mesh->edges[chain[i].edge][chain[i].count > 0], next = f->waiting[to];
        f->waiting[to] = contour[next].previous;
        contour[i].next = next;
        contour[next].previous = i;
    }
}

// Whether the triangle at a slot runs through the edge from -> to.
static bool runs_through(const snag__surface_tree *tree, uint32_t slot, uint32_t from, uint32_t to)
{
    const uint32_t *v = tree->corners[slot];
    return (v[0] == from && v[1] == to) || (v[1] == from && v[2] == to) || (v[2] == from && v[0] == to);
}

// The slot beyond an edge of a patch's contour. False: more than one triangle is there, or one that runs through the
// edge in the same direction, so that it would not cancel.
static bool find_beyond(const finder *f, const snag__patch *patch, uint32_t edge, uint32_t from, uint32_t *beyond)
{
    const snag__surface_tree *tree = f->tree;
    const snag__csr *at = &tree->mesh->edge_triangles;
    uint32_t count = at->start[edge + 1] - at->start[edge], to = tree->mesh->edges[edge][0] + tree->mesh->edges[edge][1] - from;
    *beyond = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = f->slot[at->items[at->start[edge] + i]];
        if (slot - patch->first_slot >= patch->slot_count)
            *beyond = slot;
    }
    return count == 1 || (count == 2 && *beyond != UINT32_MAX && runs_through(tree, *beyond, to, from));
}

// Writes the edges in the order of the loop, if they make just one.
static bool write_loop(const finder *f, const snag__patch *patch, const snag__contour_edge *contour, uint32_t count,
                       snag__loop_edge *loop)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        loop[i].from = contour[at].from;
        if (!find_beyond(f, patch, contour[at].edge, contour[at].from, &loop[i].beyond))
            return false;
        at = contour[at].next;
        if (at == 0 && i + 1 < count)
            return false;
    }
    return count > 0;
}

static bool keep_contour(finder *f, snag__patch *patch, const link *chain, size_t count)
{
    snag__surface_tree *tree = f->tree;
    double most = 8 * sqrt(patch->slot_count) + 32;
    patch->first_contour = (uint32_t)tree->contour_count;
    patch->irregular = (double)count > most || !is_simple_chain(chain, count);
    if (patch->irregular)
        return true;
    if (!snag__buffer_reserve(f->allocator, &tree->memory[SNAG__TREE_CONTOURS], tree->contour_count,
                              tree->contour_count + count + 1, sizeof *tree->contours) ||
        !snag__buffer_reserve(f->allocator, &tree->memory[SNAG__TREE_LOOPS], tree->contour_count, tree->contour_count + count + 1,
                              sizeof *tree->loops))
        return false;
    tree->contours = tree->memory[SNAG__TREE_CONTOURS].data;
    tree->loops = tree->memory[SNAG__TREE_LOOPS].data;
    link_contour(f, chain, count, tree->contours + tree->contour_count);
    patch->looped = write_loop(f, patch, tree->contours + tree->contour_count, (uint32_t)count, tree->loops + tree->contour_count);
    tree->contour_count += count;
    patch->contour_count = (uint32_t)count;
    if (count > tree->longest_contour)
        tree->longest_contour = (uint32_t)count;
    return true;
}

static bool find_level(finder *f, uint32_t level)
{
    snag__surface_tree *tree = f->tree;
    f->now.count = 0;
    for (uint32_t i = tree->level_first[level]; i < tree->level_first[level + 1]; i++) {
        snag__patch *patch = &tree->patches[i];
        const link *chain;
        size_t count = patch->child_count == 0 ? chain_of_leaf(f, patch, &chain) : chain_of_children(f, patch, &chain);
        f->first_now[i] = (uint32_t)f->now.count;
        memcpy(f->now.links + f->now.count, chain, count * sizeof *chain);
        f->now.count += count;
        if (!keep_contour(f, patch, chain, count))
            return false;
    }
    f->first_now[tree->level_first[level + 1]] = (uint32_t)f->now.count;
    return true;
}

bool snag__surface_tree_find_contours(snag__surface_tree *tree, const snag_allocator *allocator)
{
    finder f = {.tree = tree, .allocator = allocator};
    size_t links = 3 * (size_t)tree->triangle_count + 1, patches = tree->patch_count + 1u;
    snag__buffer *scratch = &tree->memory[SNAG__TREE_SCRATCH];
    size_t words = 2 * patches + tree->mesh->vertex_count + tree->mesh->triangle_count;
    if (!snag__buffer_reserve(allocator, scratch, 0, 4 * links * sizeof(link) + words * sizeof(uint32_t), 1))
        return false;
    f.below.links = scratch->data;
    f.now.links = f.below.links + links;
    f.merged[0] = f.now.links + links;
    f.merged[1] = f.merged[0] + links;
    f.first_below = (uint32_t *)(f.merged[1] + links);
    f.first_now = f.first_below + patches;
    f.waiting = f.first_now + patches;
    f.slot = f.waiting + tree->mesh->vertex_count;
    for (uint32_t i = 0; i < tree->triangle_count; i++)
        f.slot[tree->triangles[i]] = i;
    memset(f.waiting, 0, tree->mesh->vertex_count * sizeof *f.waiting);
    for (uint32_t level = tree->levels; level-- > 0;) {
        if (!find_level(&f, level))
            return false;
        chains swap = f.below;
        f.below = f.now;
        f.now = swap;
        uint32_t *first = f.first_below;
        f.first_below = f.first_now;
        f.first_now = first;
    }
    return true;
}
