// Excluded pairs of elements, prepared for lookups: see snag/filter.h for what they mean.
//
// Elements and sets of vertices that stand in an excluded pair are items, numbered from 1. For every body there are tables from its
// vertices, edges, triangles and tetrahedra to their items, and for every item a sorted list of the higher ones it is excluded from. A
// pair of elements is looked up by the items of its two sides, which are few or none. (A hash set of pairs of items takes four times the
// memory, and misses the cache where neighbours in space read neighbours in these lists.)
#ifndef SNAG_QUERY_EXCLUSIONS_H
#define SNAG_QUERY_EXCLUSIONS_H

#include "query/exclusion_hints.h"
#include "query/question.h"
#include "query/method.h"
#include "snag/filter.h"

// The tables of one body.
typedef struct snag__excluded_body {
    snag_body_id id;
    uint32_t vertex_count, triangle_count, tet_count;  // when they were made: what has come since has no items
    snag__csr vertices;  // items of each vertex: its own, and those of the sets it is in
    uint32_t *edge_start;  // by vertex: its edges with an item, in the next two arrays; NULL: there are none
    uint32_t *edge_other, *edge_item;  // their other vertex, which is the higher one
    uint32_t *triangles, *tets;  // the item, or 0; NULL: there are none
    uint32_t *only;  // by vertex: its only item, 0 or SNAG__ITEM_UNKNOWN
    bool has_own_items;  // of triangles or tetrahedra
    size_t counts[4];  // entries of the tables, by kind
    snag__buffer memory[7];
} snag__excluded_body;

struct snag_exclusions {
    struct snag_exclusions *next;  // of the world
    snag__excluded_body *bodies;  // in the order of their ids
    uint32_t body_count;
    snag__csr partners;  // by item: the higher items that it is excluded from, ascending
    snag__exclusion_hints hints;
    snag__buffer body_memory, partner_memory;
};

// An element by its body's tables, its kind and number, and its vertices.
typedef struct snag__excluded_side {
    const snag__excluded_body *body;
    snag_element_kind kind;
    uint32_t index;
    const uint32_t *vertices;
    int count;
} snag__excluded_side;

// Whether the pair is excluded.
bool snag__exclusions_have(const struct snag_exclusions *exclusions, const snag__excluded_side *a, const snag__excluded_side *b);

static inline uint32_t snag__only_item(const snag__excluded_body *body, uint32_t v)
{
    return v < body->vertex_count ? body->only[v] : 0;
}

// Whether a pair may be excluded, by its vertices: false for almost all pairs that are not. To be asked first where there are many.
static inline bool snag__exclusions_may_have(const struct snag_exclusions *exclusions, const snag__excluded_body *a,
                                             const uint32_t *vertices_a, int count_a, const snag__excluded_body *b,
                                             const uint32_t *vertices_b, int count_b)
{
    if (a->has_own_items || b->has_own_items)
        return true;
    uint32_t may = 0;
    for (int i = 0; i < count_a; i++) {
        uint32_t item = snag__only_item(a, vertices_a[i]);
        for (int k = 0; k < count_b; k++) {
            uint32_t other = snag__only_item(b, vertices_b[k]);
            bool unknown = item == SNAG__ITEM_UNKNOWN || other == SNAG__ITEM_UNKNOWN;
            may |= item != 0 && other != 0 && (unknown || snag__items_may_meet(&exclusions->hints, item, other));
        }
    }
    return may != 0;
}

// The tables of a body, or NULL.
const snag__excluded_body *snag__exclusions_body(const struct snag_exclusions *exclusions, snag_body_id id);

// Follows an edit of a volume, whose boundary triangles have new numbers: triangles[old] is the new one, or UINT32_MAX. `count`: how many
// there are now. Numbers keep their order, and none is higher than before by more than there is room for: see _reserve_edit.
bool snag__exclusions_reserve_edit(struct snag_exclusions *exclusions, snag_body_id id, uint32_t count,
                                   const snag_allocator *allocator);
void snag__exclusions_edit(struct snag_exclusions *exclusions, snag_body_id id, const uint32_t *triangles, uint32_t count);

// Finds a body by its id; NULL if there is none.
typedef const snag__body *snag__body_finder(const void *context, snag_body_id id);
// Checks a def and makes the tables. On failure *made is NULL.
snag_status snag__exclusions_make(const snag_exclusion_def *def, snag__body_finder *find, const void *context,
                                  const snag_allocator *allocator, struct snag_exclusions **made, snag__words *message);
void snag__exclusions_free(const snag_allocator *allocator, struct snag_exclusions *exclusions);

#endif
