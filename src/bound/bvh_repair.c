// Repairing a BVH after edits: elements that are gone leave their slots, those that stay get their new numbers, and new ones go into the
// leaf of an element beside them, or into one nearby that has room. Trees of bodies that are edited are built with room in every leaf.
// What no leaf has room for, and trees of which a quarter has changed, are built anew.
#include "bound/bvh.h"

#include "base/assert.h"

#include <string.h>

enum {
    CHANGED_PART = 4,  // trees are built anew once one of so many elements has changed
    LEAVES_AWAY = 16,  // a new element goes into a leaf at most so many nodes from that of its neighbour
};

static const uint32_t NONE = UINT32_MAX;

typedef struct repair {
    snag__bvh *bvh;
    snag__tree *tree;
    const snag__logged_edit *edits[SNAG__EDITS_LOGGED];
    uint32_t edit_count;
    uint32_t *map, *next_map;  // by element at the time of the tree: its number now
    uint32_t *slot_of;  // by element
    uint32_t *added, *placed;  // new elements; slots of those that have one
    uint32_t count, added_count;  // elements now, and new ones
} repair;

// ---- what changes ----

static uint32_t elements_before(const repair *r)
{
    const snag__logged_edit *first = r->edits[0];
    switch (r->bvh->kind) {
    case SNAG_VERTEX: return first->old_vertices;
    case SNAG_EDGE: return first->old_edges;
    default: return first->old_triangles;
    }
}

static bool reserve(repair *r, snag__buffer *scratch, const snag_allocator *allocator)
{
    uint32_t before = elements_before(r), added = r->count > before ? r->count - before : 0, most = before;
    for (uint32_t i = 0; i < r->edit_count; i++)
        most = r->edits[i]->old_edges > most ? r->edits[i]->old_edges : most;
    if (r->bvh->kind == SNAG_EDGE)
        for (uint32_t i = 0; i < r->edit_count; i++)  // more than there will be, if some of them go again
            added += r->edits[i]->made_count;
    const snag__room rooms[] = {
        {NULL, &r->map, before + 1u, sizeof *r->map},           {NULL, &r->next_map, most + 1u, sizeof *r->next_map},
        {NULL, &r->slot_of, r->count + 1u, sizeof *r->slot_of}, {NULL, &r->added, added + 1u, sizeof *r->added},
        {NULL, &r->placed, added + 1u, sizeof *r->placed},
    };
    return snag__rooms_carve(allocator, scratch, rooms, sizeof rooms / sizeof *rooms);
}

// Old numbers of edges to those of now, and the edges that are new.
static void map_edges(repair *r)
{
    const uint32_t before = elements_before(r);
    for (uint32_t i = 0; i < r->edit_count; i++) {
        const snag__logged_edit *edit = r->edits[i];
        snag__logged_edit_map(edit, i == 0 ? r->map : r->next_map);
        for (uint32_t e = 0; e < before && i > 0; e++)
            r->map[e] = r->map[e] != NONE ? r->next_map[r->map[e]] : NONE;
        uint32_t left = 0;
        for (uint32_t k = 0; k < r->added_count; k++)
            if (r->next_map[r->added[k]] != NONE)
                r->added[left++] = r->next_map[r->added[k]];
        r->added_count = left;
        for (uint32_t k = 0; k < edit->made_count; k++)
            r->added[r->added_count++] = edit->made[k].edge;
    }
}

// Vertices and triangles keep their numbers.
static void map_others(repair *r)
{
    for (uint32_t e = elements_before(r); e < r->count; e++)
        r->added[r->added_count++] = e;
}

// ---- slots ----

static void write_slot(const repair *r, uint32_t slot, uint32_t element)
{
    snag__bvh *bvh = r->bvh;
    const snag__elements all = snag__mesh_elements(r->tree->mesh, bvh->kind);
    bvh->elements[slot] = element;
    for (uint32_t c = 0; c < bvh->corners; c++)
        bvh->vertices[(size_t)slot * bvh->corners + c] =
            all.vertices != NULL ? all.vertices[(size_t)element * all.corners + c] : element;
    r->slot_of[element] = slot;
}

// Renumbers the elements of a leaf; those that are gone leave it.
static void renumber_leaf(const repair *r, snag__node *node)
{
    snag__bvh *bvh = r->bvh;
    const size_t corners = bvh->corners;
    uint32_t left = node->first, last = node->first + node->count;
    for (uint32_t slot = node->first; slot < last; slot++) {
        uint32_t element = bvh->kind == SNAG_EDGE ? r->map[bvh->elements[slot]] : bvh->elements[slot];
        if (element == NONE)
            continue;
        bvh->elements[left] = element;
        if (left != slot)
            memcpy(bvh->vertices + left * corners, bvh->vertices + slot * corners, corners * sizeof *bvh->vertices);
        r->slot_of[element] = left++;
    }
    node->count = (uint8_t)(left - node->first);
    // What is left behind keeps its vertices: bounds of empty slots are made and cleared again.
    for (; left < last; left++)
        bvh->elements[left] = NONE;
}

static void renumber(repair *r)
{
    snag__bvh *bvh = r->bvh;
    const snag__tree *tree = r->tree;
    memset(r->slot_of, 0xff, r->count * sizeof *r->slot_of);
    for (uint32_t slot = tree->first_slot; slot < tree->first_slot + tree->slot_count; slot += SNAG__LEAF_ELEMENTS)
        renumber_leaf(r, &bvh->nodes[bvh->leaves[slot / SNAG__LEAF_ELEMENTS]]);
    for (uint32_t i = 0; i < r->edit_count && bvh->kind == SNAG_TRIANGLE; i++)
        for (uint32_t k = 0; k < r->edits[i]->touched_count; k++) {
            uint32_t t = r->edits[i]->touched[k];
            if (r->slot_of[t] != NONE)
                write_slot(r, r->slot_of[t], t);
        }
}

// ---- new elements ----

// The slot of an element that shares one with a triangle: a vertex of it, or a side.
static uint32_t slot_at_triangle(const repair *r, uint32_t t)
{
    const uint32_t *elements = r->bvh->kind == SNAG_VERTEX ? r->tree->mesh->triangles[t] : r->tree->mesh->triangle_edges[t];
    for (int i = 0; i < 3; i++)
        if (elements[i] != NONE && r->slot_of[elements[i]] != NONE)
            return r->slot_of[elements[i]];
    return NONE;
}

static uint32_t slot_at_side(const repair *r, uint32_t edge)
{
    const snag__csr *at = &r->tree->mesh->edge_triangles;
    for (uint32_t i = edge != SNAG__NO_EDGE ? at->start[edge] : 0; edge != SNAG__NO_EDGE && i < at->start[edge + 1]; i++)
        if (r->slot_of[at->items[i]] != NONE)
            return r->slot_of[at->items[i]];
    return NONE;
}

// The slot of the vertex that a new one was split from.
static uint32_t slot_of_origin(const repair *r, uint32_t v)
{
    for (uint32_t i = 0; i < r->edit_count; i++) {
        const snag__logged_edit *edit = r->edits[i];
        if (v >= edit->old_vertices && v - edit->old_vertices < edit->new_vertices && edit->origins[v - edit->old_vertices] != NONE)
            return r->slot_of[edit->origins[v - edit->old_vertices]];
    }
    return NONE;
}

// The slot of an element beside a new one; none if all of them are new too.
static uint32_t slot_beside(const repair *r, uint32_t element)
{
    const snag__mesh *mesh = r->tree->mesh;
    uint32_t found = r->bvh->kind == SNAG_VERTEX ? slot_of_origin(r, element) : NONE;
    if (r->bvh->kind == SNAG_TRIANGLE) {
        for (int i = 0; i < 3 && found == NONE; i++)
            found = slot_at_side(r, mesh->triangle_edges[element][i]);
        return found;
    }
    const snag__csr *at = r->bvh->kind == SNAG_VERTEX ? &mesh->vertex_triangles : &mesh->edge_triangles;
    for (uint32_t i = at->start[element]; i < at->start[element + 1] && found == NONE; i++)
        found = slot_at_triangle(r, at->items[i]);
    return found;
}

static bool has_room(const snag__node *node)
{
    return node->leaf && node->count < SNAG__LEAF_ELEMENTS;
}

// A leaf with room: this one, or one near it. Nodes that are near in a level are near in space, mostly.
static snag__node *leaf_near(const repair *r, uint32_t slot)
{
    snag__bvh *bvh = r->bvh;
    const snag__tree *tree = r->tree;
    const uint32_t at = bvh->leaves[slot / SNAG__LEAF_ELEMENTS];
    uint32_t level = 0;
    if (has_room(&bvh->nodes[at]))
        return &bvh->nodes[at];
    while (tree->level_first[level + 1] <= at)
        level++;
    for (uint32_t away = 1; away <= LEAVES_AWAY; away++) {
        if (at + away < tree->level_first[level + 1] && has_room(&bvh->nodes[at + away]))
            return &bvh->nodes[at + away];
        if (at - tree->level_first[level] >= away && has_room(&bvh->nodes[at - away]))
            return &bvh->nodes[at - away];
    }
    return NULL;
}

// Puts all new elements into leaves. Those whose neighbours are all new wait until these are there: otherwise a row of new elements would
// follow its first one into a single leaf.
static bool add_elements(repair *r)
{
    while (r->added_count > 0) {
        uint32_t left = 0, placed = 0;
        for (uint32_t i = 0; i < r->added_count; i++) {
            uint32_t element = r->added[i], slot = slot_beside(r, element);
            if (slot == NONE) {
                r->added[left++] = element;
                continue;
            }
            snag__node *leaf = leaf_near(r, slot);
            if (leaf == NULL)
                return false;
            write_slot(r, leaf->first + leaf->count, element);
            r->slot_of[element] = NONE;
            r->placed[placed++] = leaf->first + leaf->count++;
        }
        if (left == r->added_count)
            return false;
        for (uint32_t i = 0; i < placed; i++)
            r->slot_of[r->bvh->elements[r->placed[i]]] = r->placed[i];
        r->added_count = left;
    }
    return true;
}

// ---- all ----

static bool repair_tree(repair *r, snag__buffer *scratch, const snag_allocator *allocator)
{
    snag__tree *tree = r->tree;
    for (uint32_t i = 0; i < r->edit_count; i++)
        tree->changed += r->edits[i]->touched_count;
    r->count = snag__mesh_elements(tree->mesh, r->bvh->kind).count;
    r->added_count = 0;
    if (tree->changed > r->count / CHANGED_PART || !reserve(r, scratch, allocator))
        return false;
    (r->bvh->kind == SNAG_EDGE ? map_edges : map_others)(r);
    renumber(r);
    return add_elements(r);
}

bool snag__bvh_repair(snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                      uint32_t body_count, const snag_allocator *allocator, snag__buffer *scratch)
{
    if (bvh->trees == NULL || bvh->kind != kind || kind > SNAG_TRIANGLE || bvh->tree_count != body_count || bvh->lazy > 0 ||
        bvh->shape.k != shape.k || bvh->shape.arity != shape.arity)
        return false;
    for (uint32_t i = 0; i < body_count; i++)
        if (bvh->trees[i].mesh != bodies[i].mesh || (bvh->trees[i].body != bodies[i].body && !bvh->trees[i].roomy))
            return false;
    uint32_t vertices = 0;
    for (uint32_t i = 0; i < body_count; i++) {
        snag__tree *tree = &bvh->trees[i];
        repair r = {.bvh = bvh, .tree = tree};
        tree->first_vertex = vertices;
        vertices += tree->mesh->vertex_count;
        if (tree->body == bodies[i].body)
            continue;
        r.edit_count = bodies[i].log != NULL ? snag__edit_log_find(bodies[i].log, tree->body, bodies[i].body, r.edits) : 0;
        if (r.edit_count == 0 || !repair_tree(&r, scratch, allocator)) {
            bvh->trees = NULL;
            return false;
        }
        tree->body = bodies[i].body;
        tree->pose = 0;
    }
    bvh->builds++;
    return true;
}
