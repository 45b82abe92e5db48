// Validators of the structures of this folder, for SNAG__VALIDATE: each returns whether the structure is consistent, in time linear
// in its size and without memory.
#include "bound/bvh.h"
#include "bound/regions.h"
#include "bound/sphere_tree.h"
#include "bound/surface_tree.h"

// Whether an array holds every number 0 .. count - 1 once, by the sum of a hash (splitmix64).
static uint64_t hash_of(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static bool is_permutation(const uint32_t *items, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += hash_of(items[i]) - hash_of(i);
    return sum == 0;
}

// ---- BVH ----

static const uint32_t *vertices_of(const snag__mesh *mesh, snag_element_kind kind, uint32_t element)
{
    const snag__elements all = snag__mesh_elements(mesh, kind);
    return all.vertices + (size_t)all.corners * element;
}

static bool slots_hold_elements(const snag__bvh *bvh, const snag__tree *tree)
{
    const uint32_t count = snag__mesh_elements(tree->mesh, bvh->kind).count;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < tree->slot_count; i++)
        if (snag__bvh_slot_is_used(bvh, tree->first_slot + i))
            sum += hash_of(bvh->elements[tree->first_slot + i]);
    for (uint32_t i = 0; i < count; i++)
        sum -= hash_of(i);
    if (sum != 0)
        return false;
    for (uint32_t slot = tree->first_slot; slot < tree->first_slot + tree->slot_count; slot++) {
        uint32_t element = bvh->elements[slot];
        if (!snag__bvh_slot_is_used(bvh, slot) && tree->roomy)
            continue;
        const uint32_t *expected = bvh->kind == SNAG_VERTEX ? &element : vertices_of(tree->mesh, bvh->kind, element);
        for (uint32_t c = 0; c < bvh->corners; c++)
            if (bvh->vertices[(size_t)slot * bvh->corners + c] != expected[c])
                return false;
    }
    return true;
}

static bool is_within(const snag__kdops *inner, size_t i, const snag__kdops *outer, size_t j)
{
    for (uint32_t slab = 0; slab < outer->k / 2; slab++)
        if (!(outer->lo[slab][j] <= inner->lo[slab][i] && inner->hi[slab][i] <= outer->hi[slab][j]))
            return false;
    return true;
}

static bool node_is_valid(const snag__bvh *bvh, const snag__tree *tree, uint32_t index, uint32_t *next_slot, uint32_t *next_node)
{
    const snag__node *node = &bvh->nodes[index];
    bool bounded = tree->quality_built != 0;
    if (&bvh->trees[node->tree] != tree)
        return false;
    if (node->leaf) {
        *next_slot += node->count;
        bool good = node->first % SNAG__LEAF_ELEMENTS == 0 && node->count <= SNAG__LEAF_ELEMENTS &&
                    node->first >= tree->first_slot && node->first + node->count <= tree->first_slot + tree->slot_count &&
                    bvh->leaves[node->first / SNAG__LEAF_ELEMENTS] == index;
        for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS && good && tree->roomy; i++)
            good = snag__bvh_slot_is_used(bvh, node->first + i) == (i < node->count);
        for (uint32_t i = 0; i < node->count && good && bounded; i++)
            good = is_within(&bvh->slot_bounds, node->first + i, &bvh->node_bounds, index);
        return good;
    }
    if (node->first != *next_node || node->count < 2 || node->count > bvh->shape.arity)
        return false;
    *next_node += node->count;
    for (uint32_t i = 0; i < node->count; i++)
        if ((node->leaf_children >> i & 1) != bvh->nodes[node->first + i].leaf ||
            (bounded && !is_within(&bvh->node_bounds, node->first + i, &bvh->node_bounds, index)))
            return false;
    return true;
}

bool snag__bvh_validate(const snag__bvh *bvh)
{
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        const snag__tree *tree = &bvh->trees[i];
        uint32_t slots = 0, next_node = tree->root + 1;
        if (tree->levels == 0 || tree->level_first[0] != tree->root || tree->first_slot + tree->slot_count > bvh->slot_count ||
            !slots_hold_elements(bvh, tree))
            return false;
        for (uint32_t level = 0; level < tree->levels; level++)
            for (uint32_t node = tree->level_first[level]; node < tree->level_first[level + 1]; node++)
                if (!node_is_valid(bvh, tree, node, &slots, &next_node))
                    return false;
        if (slots != snag__mesh_elements(tree->mesh, bvh->kind).count || next_node != tree->level_first[tree->levels])
            return false;
    }
    return true;
}

// ---- surface tree ----

static bool box_is_within(const snag__patch *inner, const snag__patch *outer)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(outer->lo[axis] <= inner->lo[axis] && inner->hi[axis] <= outer->hi[axis]))
            return false;
    return (outer->directions & ~inner->directions) == 0;
}

static bool patch_is_valid(const snag__surface_tree *tree, uint32_t index, uint32_t *next_child)
{
    const snag__patch *patch = &tree->patches[index];
    uint32_t slot = patch->first_slot, end = patch->first_slot + patch->slot_count;
    if (patch->first_contour + (size_t)patch->contour_count > tree->contour_count || end > tree->triangle_count ||
        patch->first_stored + (size_t)patch->stored_count > tree->stored_count)
        return false;
    if (patch->child_count == 0)
        return patch->slot_count <= SNAG__PATCH_TRIANGLES;
    if (patch->first_child != *next_child || patch->child_count > SNAG__PATCH_CHILDREN)
        return false;
    for (uint32_t child = *next_child; child < *next_child + patch->child_count; child++) {
        const snag__patch *part = &tree->patches[child];
        if (part->parent != index || part->first_slot != slot || !box_is_within(part, patch))
            return false;
        slot += part->slot_count;
    }
    *next_child += patch->child_count;
    return slot == end;
}

// The contour's edges are ascending and linked both ways.
static bool contour_is_valid(const snag__surface_tree *tree, const snag__patch *patch)
{
    const snag__contour_edge *edges = tree->contours + patch->first_contour;
    for (uint32_t i = 0; i < patch->contour_count; i++)
        if (edges[i].next >= patch->contour_count || edges[edges[i].next].previous != i ||
            edges[i].edge >= tree->mesh->edge_count || (i > 0 && edges[i - 1].edge >= edges[i].edge))
            return false;
    return true;
}

bool snag__surface_tree_validate(const snag__surface_tree *tree)
{
    uint32_t next_child = 1;
    if (tree->triangle_count == 0)
        return tree->patch_count == 0;
    if (tree->level_first[tree->levels] != tree->patch_count || tree->patches[0].slot_count != tree->triangle_count ||
        !is_permutation(tree->triangles, tree->triangle_count))
        return false;
    for (uint32_t i = 0; i < tree->patch_count; i++)
        if (!patch_is_valid(tree, i, &next_child) || !contour_is_valid(tree, &tree->patches[i]))
            return false;
    for (uint32_t v = 0; v < tree->mesh->vertex_count; v++)
        for (uint32_t i = tree->vertex_start[v]; i + 1 < tree->vertex_start[v + 1]; i++)
            if (tree->vertex_slots[i] > tree->vertex_slots[i + 1])
                return false;
    return next_child == tree->patch_count && tree->vertex_start[tree->mesh->vertex_count] == 3 * tree->triangle_count;
}

// ---- regions ----

static bool part_is_within(const snag__region_bounds *bounds, uint32_t part, uint32_t whole)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(bounds->lo[axis][whole] <= bounds->lo[axis][part] && bounds->hi[axis][part] <= bounds->hi[axis][whole]))
            return false;
    return true;
}

// Parts divide the vertices of their region.
static bool region_is_valid(const snag__regions *regions, uint32_t index)
{
    const snag__region *region = &regions->regions[index];
    uint32_t vertex = region->elements[SNAG_VERTEX].first, end = vertex + region->elements[SNAG_VERTEX].count;
    if (snag__region_is_leaf(region))
        return true;
    if (region->parts.first <= index || region->parts.count > SNAG__REGION_PARTS ||
        region->parts.first + region->parts.count > regions->region_count)
        return false;
    for (uint32_t i = region->parts.first; i < region->parts.first + region->parts.count; i++) {
        const snag__region *part = &regions->regions[i];
        bool current = regions->bounded[index] != UINT64_MAX && regions->bounded[i] == regions->bounded[index];
        if (part->level != region->level + 1 || part->elements[SNAG_VERTEX].first != vertex ||
            (current && !part_is_within(&regions->bounds, i, index)))
            return false;
        vertex += part->elements[SNAG_VERTEX].count;
    }
    return vertex == end;
}

bool snag__regions_validate(const snag__regions *regions, const snag__mesh *mesh)
{
    uint32_t edge = 0, triangle = 0, cover = 0;
    if (regions->region_count == 0)
        return true;
    for (uint32_t i = 0; i < regions->region_count; i++)
        if (!region_is_valid(regions, i))
            return false;
    for (uint32_t i = 0; i < regions->leaf_count; i++) {
        const snag__region *leaf = &regions->regions[regions->leaves[i]];
        if (!snag__region_is_leaf(leaf) || leaf->elements[SNAG_EDGE].first != edge || leaf->cover.first != cover ||
            leaf->elements[SNAG_TRIANGLE].first != triangle)
            return false;
        edge += leaf->elements[SNAG_EDGE].count;
        triangle += leaf->elements[SNAG_TRIANGLE].count;
        cover += leaf->cover.count;
    }
    // Triangles that an edit removed are in no leaf.
    for (uint32_t i = 0; i < triangle; i++)
        if (regions->elements[SNAG_TRIANGLE][i] >= mesh->triangle_count ||
            snag__is_hole(mesh->triangles[regions->elements[SNAG_TRIANGLE][i]], 3))
            return false;
    return edge == mesh->edge_count && triangle == mesh->triangle_count - mesh->triangle_holes &&
           is_permutation(regions->elements[SNAG_EDGE], mesh->edge_count) &&
           (mesh->triangle_holes > 0 || is_permutation(regions->elements[SNAG_TRIANGLE], mesh->triangle_count));
}

// ---- sphere tree ----

static bool level_is_valid(const snag__sphere_level *level)
{
    uint32_t children = 0;
    for (int i = 0; i < 8; i++) {
        bool grey = (level->grey >> i & 1) != 0;
        if (level->start[i] > level->start[i + 1] || (level->start[i] < level->start[i + 1] && !grey) ||
            (level->below[i] != NULL && (!grey || level->below[i]->above != level || level->below[i]->depth != level->depth + 1)))
            return false;
        children += grey;
    }
    return children == level->child_count;
}

bool snag__sphere_tree_validate(const snag__sphere_tree *tree)
{
    size_t count = 0, bytes = 0;
    const snag__sphere_level *newer = NULL;
    if (!level_is_valid(&tree->root))
        return false;
    for (const snag__sphere_level *level = tree->newest; level != NULL; newer = level, level = level->older) {
        bool linked = false;
        for (int i = 0; i < 8; i++)
            linked |= level->above != NULL && level->above->below[i] == level;
        if (!linked || level->newer != newer || ++count > tree->level_count || !level_is_valid(level))
            return false;
        bytes += level->bytes;
    }
    return count == tree->level_count && bytes == tree->bytes && tree->oldest == newer;
}
