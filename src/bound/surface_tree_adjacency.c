// Which patches have a vertex in common (2.3.3), with O(1) stored vertices a patch instead of all along its contour.
//
// The paper walks around the contour of a patch A and stores the vertices at which the highest-level patch N behind it,
// of those that A is not part of, changes. Here the same is said without walking, so that it holds on any topology:
//
//   Let M and N be children of one patch, A part of M, B part of N. G is the graph of the edges that have a triangle in
//   M and one in N, on all vertices that M and N have in common. The vertices of A in N are the part G(A) of G, those
//   of B in M the part G(B), and A and B are adjacent if the two meet. Stored for A are the vertices of G(A) with a
//   neighbour in G outside of G(A), and of every component of G(A) without such a vertex, which is then a whole
//   component of G, the lowest. Let K be a component of where G(A) and G(B) meet. If K is a whole component of G, its
//   lowest vertex is stored for both. Else an edge of G leads out of K, so out of G(A) or out of G(B), and its vertex
//   in K is stored for the one.
//
// So of two adjacent patches one has a stored vertex that is a vertex of the other.
#include "bound/surface_tree.h"

#include <string.h>

// A vertex with more triangles on one side than this is simply stored.
enum { MOST_TRIANGLES = 32 };

typedef struct finder {
    snag__surface_tree *tree;
    const snag_allocator *allocator;
    uint32_t *below, *now;  // outer vertices of the patches of a level
    uint32_t *first_below, *first_now;  // by patch
    uint32_t *outer, *common, *queue;  // lists in the making
    uint32_t *seen, *kept;  // by vertex: the stamp of the list that it is in already
    uint32_t seen_stamp, kept_stamp;
} finder;

// ---- vertices with triangles outside of a patch ----

static bool has_outside(const snag__surface_tree *tree, uint32_t v, const snag__patch *patch)
{
    uint32_t first = tree->vertex_slots[tree->vertex_start[v]];
    uint32_t last = tree->vertex_slots[tree->vertex_start[v + 1] - 1];
    return first < patch->first_slot || last >= patch->first_slot + patch->slot_count;
}

static void add_outer(finder *f, const snag__patch *patch, uint32_t v, uint32_t *count)
{
    if (f->seen[v] == f->seen_stamp)
        return;
    f->seen[v] = f->seen_stamp;
    if (has_outside(f->tree, v, patch))
        f->now[(*count)++] = v;
}

// Appends them to the list of the level. An outer vertex of a patch is one of a child.
static void find_outer(finder *f, const snag__patch *patch, uint32_t *count)
{
    f->seen_stamp++;
    if (patch->child_count == 0)
        for (uint32_t i = 0; i < 3 * patch->slot_count; i++)
            add_outer(f, patch, f->tree->corners[patch->first_slot + i / 3][i % 3], count);
    else
        for (uint32_t i = f->first_below[patch->first_child]; i < f->first_below[patch->first_child + patch->child_count]; i++)
            add_outer(f, patch, f->below[i], count);
}

// ---- stored vertices ----

static uint32_t first_in(const snag__surface_tree *tree, uint32_t v, uint32_t slot)
{
    uint32_t low = tree->vertex_start[v], high = tree->vertex_start[v + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->vertex_slots[middle] < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_vertex_of(const snag__surface_tree *tree, uint32_t v, const snag__patch *patch)
{
    return snag__vertex_in_slots(tree, v, patch->first_slot, patch->first_slot + patch->slot_count);
}

// The other ends of v's edges that have a triangle in the patch, each at least once; UINT32_MAX if they are too many.
static uint32_t ends_in(const snag__surface_tree *tree, uint32_t v, const snag__patch *patch, uint32_t *ends)
{
    uint32_t count = 0, last = patch->first_slot + patch->slot_count;
    for (uint32_t i = first_in(tree, v, patch->first_slot); i < tree->vertex_start[v + 1] && tree->vertex_slots[i] < last; i++) {
        if (count == 2 * MOST_TRIANGLES)
            return UINT32_MAX;
        const uint32_t *corner = tree->corners[tree->vertex_slots[i]];
        int own = corner[0] == v ? 0 : corner[1] == v ? 1 : 2;
        ends[count++] = corner[(own + 1) % 3];
        ends[count++] = corner[(own + 2) % 3];
    }
    return count;
}

static bool contains(const uint32_t *list, uint32_t count, uint32_t v)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == v)
            return true;
    return false;
}

static bool store(finder *f, uint32_t v)
{
    snag__surface_tree *tree = f->tree;
    if (f->kept[v] == f->kept_stamp)
        return true;
    f->kept[v] = f->kept_stamp;
    if (!snag__buffer_reserve(f->allocator, &tree->memory[SNAG__TREE_STORED], tree->stored_count, tree->stored_count + 1,
                              sizeof *tree->stored))
        return false;
    tree->stored = tree->memory[SNAG__TREE_STORED].data;
    tree->stored[tree->stored_count++] = v;
    return true;
}

// Looks at v's neighbours in G: queues those in A, and says whether one is outside of A.
static bool leaves_patch(finder *f, const snag__patch *a, const snag__patch *m, const snag__patch *n, uint32_t v, uint32_t *tail)
{
    uint32_t in_n[2 * MOST_TRIANGLES], in_m[2 * MOST_TRIANGLES];
    uint32_t count_n = ends_in(f->tree, v, n, in_n), count_m = ends_in(f->tree, v, m, in_m);
    if (count_n == UINT32_MAX || count_m == UINT32_MAX)
        return true;
    bool leaves = false;
    for (uint32_t i = 0; i < count_n; i++) {
        uint32_t w = in_n[i];
        if (w == v || !contains(in_m, count_m, w))
            continue;
        if (!is_vertex_of(f->tree, w, a)) {
            leaves = true;
        } else if (f->seen[w] != f->seen_stamp) {
            f->seen[w] = f->seen_stamp;
            f->queue[(*tail)++] = w;
        }
    }
    return leaves;
}

// Stores what A needs to be found by the parts of N; `common` holds the vertices of A in N.
static bool store_for(finder *f, const snag__patch *a, const snag__patch *m, const snag__patch *n, uint32_t common_count)
{
    f->seen_stamp++;
    for (uint32_t i = 0; i < common_count; i++) {
        if (f->seen[f->common[i]] == f->seen_stamp)
            continue;
        uint32_t head = 0, tail = 0, lowest = f->common[i];
        bool any = false;
        f->seen[lowest] = f->seen_stamp;
        f->queue[tail++] = lowest;
        while (head < tail) {
            uint32_t v = f->queue[head++];
            lowest = v < lowest ? v : lowest;
            if (!leaves_patch(f, a, m, n, v, &tail))
                continue;
            any = true;
            if (!store(f, v))
                return false;
        }
        if (!any && !store(f, lowest))
            return false;
    }
    return true;
}

// All that A needs: its siblings first, then those of its parent, and so on, as long as it reaches out of them.
static bool store_patch(finder *f, uint32_t index, uint32_t outer_count)
{
    snag__surface_tree *tree = f->tree;
    f->kept_stamp++;
    tree->patches[index].first_stored = (uint32_t)tree->stored_count;
    const snag__patch *a = &tree->patches[index];
    for (uint32_t m = index; tree->patches[m].parent != UINT32_MAX && outer_count > 0; m = tree->patches[m].parent) {
        const snag__patch *parent = &tree->patches[tree->patches[m].parent];
        for (uint32_t n = parent->first_child; n < parent->first_child + parent->child_count; n++) {
            uint32_t common_count = 0;
            for (uint32_t i = 0; i < outer_count && n != m; i++) {
                f->common[common_count] = f->outer[i];
                common_count += is_vertex_of(tree, f->outer[i], &tree->patches[n]);
            }
            if (!store_for(f, a, &tree->patches[m], &tree->patches[n], common_count))
                return false;
        }
        uint32_t left = 0;
        for (uint32_t i = 0; i < outer_count; i++) {
            f->outer[left] = f->outer[i];
            left += has_outside(tree, f->outer[i], parent);
        }
        outer_count = left;
    }
    return true;
}

// ---- all patches ----

static bool find_level(finder *f, uint32_t level)
{
    snag__surface_tree *tree = f->tree;
    uint32_t count = 0;
    for (uint32_t i = tree->level_first[level]; i < tree->level_first[level + 1]; i++) {
        f->first_now[i] = count;
        find_outer(f, &tree->patches[i], &count);
        memcpy(f->outer, f->now + f->first_now[i], (count - f->first_now[i]) * sizeof *f->outer);
        if (!store_patch(f, i, count - f->first_now[i]))
            return false;
        tree->patches[i].stored_count = (uint32_t)tree->stored_count - tree->patches[i].first_stored;
    }
    f->first_now[tree->level_first[level + 1]] = count;
    return true;
}

bool snag__surface_tree_find_adjacency(snag__surface_tree *tree, const snag_allocator *allocator)
{
    finder f = {.tree = tree, .allocator = allocator};
    size_t outer = 3 * (size_t)tree->triangle_count + 1, patches = tree->patch_count + 1u;
    size_t vertices = tree->mesh->vertex_count + 1u;
    snag__buffer *scratch = &tree->memory[SNAG__TREE_SCRATCH];
    if (!snag__buffer_reserve(allocator, scratch, 0, 5 * outer + 2 * patches + 2 * vertices, sizeof(uint32_t)))
        return false;
    f.below = scratch->data;
    f.now = f.below + outer;
    f.outer = f.now + outer;
    f.common = f.outer + outer;
    f.queue = f.common + outer;
    f.first_below = f.queue + outer;
    f.first_now = f.first_below + patches;
    f.seen = f.first_now + patches;
    f.kept = f.seen + vertices;
    memset(f.seen, 0, 2 * vertices * sizeof(uint32_t));
    for (uint32_t level = tree->levels; level-- > 0;) {
        if (!find_level(&f, level))
            return false;
        uint32_t *swap = f.below;
        f.below = f.now;
        f.now = swap;
        swap = f.first_below;
        f.first_below = f.first_now;
        f.first_now = swap;
    }
    return true;
}

// ---- the test ----

static bool meets(const snag__surface_tree *tree, const snag__patch *a, const snag__patch *b, size_t *steps)
{
    for (uint32_t i = 0; i < a->stored_count; i++) {
        *steps += 1;
        if (is_vertex_of(tree, tree->stored[a->first_stored + i], b))
            return true;
    }
    return false;
}

bool snag__patches_adjacent(const snag__surface_tree *tree, uint32_t a, uint32_t b, size_t *steps)
{
    size_t ignored = 0;
    steps = steps != NULL ? steps : &ignored;
    return meets(tree, &tree->patches[a], &tree->patches[b], steps) || meets(tree, &tree->patches[b], &tree->patches[a], steps);
}
