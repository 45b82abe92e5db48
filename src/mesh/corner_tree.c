// A tree of boxes over the corners of a polygon. Boxes are of the coordinates as they are, so nothing is rounded; how
// good the order is decides about speed alone.
#include "mesh/corner_tree.h"

#include "base/sort.h"
#include "geom/geom.h"

#include <float.h>
#include <string.h>

enum { LEAF_CORNERS = 8, LEAST_CORNERS = 64 };

static uint32_t leaves_of(uint32_t count)
{
    uint32_t leaves = 1;
    while ((uint64_t)leaves * LEAF_CORNERS < count)
        leaves *= 2;
    return leaves;
}

uint64_t snag__corner_tree_bytes(uint32_t count)
{
    if (count < LEAST_CORNERS)
        return 0;
    uint64_t nodes = 2 * (uint64_t)leaves_of(count) * sizeof(snag__corner_node);
    return nodes + (uint64_t)count * (2 * sizeof(snag__record) + 2 * sizeof(uint32_t));
}

// ---- building ----

// Every second bit of the result is a bit of `x`.
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
}

// The number of doubles below x, but for a constant. Steps of it, not of x, make the curve fine wherever corners pairs of bodies
// around a place near zero, as those of a spiral that shrinks.
static uint64_t rank_of(double x)
{
    uint64_t bits;
    x += 0.0;  // no -0
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

// Where x lies above low, in at most 2^32 steps to high.
static uint64_t step_of(double x, double low, double high)
{
    uint64_t range = rank_of(high) - rank_of(low);
    return (rank_of(x) - rank_of(low)) >> (range >> 32 != 0 ? 32 - __builtin_clzll(range) : 0);
}

static void include_point(double low[2], double high[2], const double *at, int u, int v)
{
    low[0] = at[u] < low[0] ? at[u] : low[0];
    low[1] = at[v] < low[1] ? at[v] : low[1];
    high[0] = at[u] > high[0] ? at[u] : high[0];
    high[1] = at[v] > high[1] ? at[v] : high[1];
}

static void sort_corners(snag__corner_tree *tree, const snag__corner *corners, snag__record *records)
{
    double low[2] = {DBL_MAX, DBL_MAX}, high[2] = {-DBL_MAX, -DBL_MAX};
    for (uint32_t i = 0; i < tree->count; i++)
        include_point(low, high, corners[i].at, tree->u, tree->v);
    for (uint32_t i = 0; i < tree->count; i++) {
        uint64_t across = step_of(corners[i].at[tree->u], low[0], high[0]), up = step_of(corners[i].at[tree->v], low[1], high[1]);
        records[i] = (snag__record){.key = spread_bits(across) | spread_bits(up) << 1, .extra = i};
    }
    snag__sort_records(records, records + tree->count, tree->count);
    for (uint32_t k = 0; k < tree->count; k++) {
        tree->order[k] = records[k].extra;
        tree->leaf_of[tree->order[k]] = tree->first_leaf + k / LEAF_CORNERS;
    }
}

static void include_edge(snag__corner_node *node, const double *at, int u, int v)
{
    node->edges_low = at[v] < node->edges_low ? at[v] : node->edges_low;
    node->edges_high = at[v] > node->edges_high ? at[v] : node->edges_high;
    node->edges_right = at[u] > node->edges_right ? at[u] : node->edges_right;
}

static void join_children(snag__corner_node *nodes, uint32_t i)
{
    snag__corner_node *node = &nodes[i];
    const snag__corner_node *one = nodes + 2 * (size_t)i, *other = one + 1;
    for (int k = 0; k < 2; k++) {
        node->low[k] = one->low[k] < other->low[k] ? one->low[k] : other->low[k];
        node->high[k] = one->high[k] > other->high[k] ? one->high[k] : other->high[k];
    }
    node->edges_low = one->edges_low < other->edges_low ? one->edges_low : other->edges_low;
    node->edges_high = one->edges_high > other->edges_high ? one->edges_high : other->edges_high;
    node->edges_right = one->edges_right > other->edges_right ? one->edges_right : other->edges_right;
    node->left = one->left + other->left;
}

void snag__corner_tree_build(snag__corner_tree *tree, const snag__corner *corners, uint32_t count, int axis, void *memory)
{
    *tree = (snag__corner_tree){.count = count, .u = (axis + 1) % 3, .v = (axis + 2) % 3};
    if (count < LEAST_CORNERS)
        return;
    tree->first_leaf = leaves_of(count);
    tree->nodes = memory;
    snag__record *records = (snag__record *)(tree->nodes + 2 * (size_t)tree->first_leaf);
    tree->order = (uint32_t *)(records + 2 * (size_t)count);
    tree->leaf_of = tree->order + count;
    sort_corners(tree, corners, records);
    const snag__corner_node empty = {.low = {DBL_MAX, DBL_MAX},
                                     .high = {-DBL_MAX, -DBL_MAX},
                                     .edges_low = DBL_MAX,
                                     .edges_high = -DBL_MAX,
                                     .edges_right = -DBL_MAX};
    for (uint32_t i = 0; i < 2 * tree->first_leaf; i++)
        tree->nodes[i] = empty;
    for (uint32_t i = 0; i < count; i++) {
        snag__corner_node *leaf = &tree->nodes[tree->leaf_of[i]];
        include_point(leaf->low, leaf->high, corners[i].at, tree->u, tree->v);
        include_edge(leaf, corners[i].at, tree->u, tree->v);
        include_edge(leaf, corners[corners[i].after].at, tree->u, tree->v);
        leaf->left++;
    }
    for (uint32_t i = tree->first_leaf - 1; i > 0; i--)
        join_children(tree->nodes, i);
}

void snag__corner_tree_cut(snag__corner_tree *tree, uint32_t i)
{
    for (uint32_t node = tree->nodes != NULL ? tree->leaf_of[i] : 0; node > 0; node /= 2)
        tree->nodes[node].left--;
}

void snag__corner_tree_edge(snag__corner_tree *tree, uint32_t i, const double *at)
{
    for (uint32_t node = tree->nodes != NULL ? tree->leaf_of[i] : 0; node > 0; node /= 2)
        include_edge(&tree->nodes[node], at, tree->u, tree->v);
}

// ---- walking ----

// The corners of a leaf; or goes on with the children.
static bool enter(const snag__corner_tree *tree, snag__corner_walk *walk, uint32_t node, const uint32_t **corners, uint32_t *count)
{
    if (node < tree->first_leaf) {
        walk->stack[walk->depth++] = 2 * node;
        walk->stack[walk->depth++] = 2 * node + 1;
        return false;
    }
    uint32_t first = (node - tree->first_leaf) * LEAF_CORNERS;
    *corners = tree->order + first;
    *count = tree->count - first < LEAF_CORNERS ? tree->count - first : LEAF_CORNERS;
    return true;
}

// Whether a box lies strictly outside of a side of the triangle, and so of the triangle: then its corner that lies
// farthest inward does.
static bool is_outside(const snag__corner_tree *tree, const snag__corner_node *node, const snag__corner_triangle *t)
{
    if (node->low[0] > t->high[0] || node->high[0] < t->low[0] || node->low[1] > t->high[1] || node->high[1] < t->low[1])
        return true;
    for (int side = 0; side < 3; side++) {
        const double *from = t->point[side], *to = t->point[side < 2 ? side + 1 : 0];
        bool down = to[tree->v]<from[tree->v], right = to[tree->u]> from[tree->u];
        double inmost[3] = {0};
        inmost[tree->u] = down == (t->turn > 0) ? node->high[0] : node->low[0];
        inmost[tree->v] = right == (t->turn > 0) ? node->high[1] : node->low[1];
        // Where many corners lie at one place, this is often an end of the side, which needs no arithmetic.
        bool end = (inmost[tree->u] == from[tree->u] && inmost[tree->v] == from[tree->v]) ||
                   (inmost[tree->u] == to[tree->u] && inmost[tree->v] == to[tree->v]);
        if (!end && snag__orient2d(from, to, inmost, t->axis) * t->turn < 0)
            return true;
    }
    return false;
}

bool snag__corner_walk_near(const snag__corner_tree *tree, snag__corner_walk *walk, const snag__corner_triangle *triangle,
                            const uint32_t **corners, uint32_t *count)
{
    while (walk->depth > 0) {
        uint32_t i = walk->stack[--walk->depth];
        const snag__corner_node *node = &tree->nodes[i];
        if (node->left > 0 && !is_outside(tree, node, triangle) && enter(tree, walk, i, corners, count))
            return true;
    }
    return false;
}

bool snag__corner_walk_right(const snag__corner_tree *tree, snag__corner_walk *walk, const double *from, const uint32_t **corners,
                             uint32_t *count)
{
    while (walk->depth > 0) {
        uint32_t i = walk->stack[--walk->depth];
        const snag__corner_node *node = &tree->nodes[i];
        bool met = node->left > 0 && node->edges_low <= from[tree->v] && node->edges_high >= from[tree->v] &&
                   node->edges_right >= from[tree->u];
        if (met && enter(tree, walk, i, corners, count))
            return true;
    }
    return false;
}
