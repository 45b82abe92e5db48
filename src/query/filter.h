// Filters of pairs of elements: which candidates are not even tested. There is one implementation, which every question asks before
// its exact test, whatever method found the candidates; so filters are part of what `brute` means. docs/guide/filters.md has the rules.
#ifndef SNAG_QUERY_FILTER_H
#define SNAG_QUERY_FILTER_H

#include "mesh/proximity.h"
#include "query/method.h"

// What is filtered in an ask.
typedef struct snag__filter {
    const snag__ask *ask;
    bool groups;  // some bodies have groups or masks by vertex
    uint32_t rings;  // 0: none
    double rest;  // 0: none
    const struct snag_exclusions *exclusions;  // NULL: none
    // By body; NULL for those not searched for self-contacts.
    const struct snag__rings *const *ring_tables;
    const double (*const *rest_x)[3];
    const uint8_t *masked[2];  // of triangles with vertices, and of edges: see snag__filter_skip_neighbours; NULL: none
    const struct snag__excluded_body *const *excluded;  // by body; NULL for those without exclusions
} snag__filter;

// Says that from here on the method hands on no candidates of this pass (triangles with vertices, or edges) within a body i with
// masked[i] != 0 that are neighbours by rings: they need not be looked up.
void snag__filter_skip_neighbours(snag__ask *ask, const snag__pass *pass, const uint8_t *masked);

// Sets ask->filter and ask->picks_bodies. Fails without memory, or with a message where a body has no rest pose.
snag_status snag__filter_prepare(snag__ask *ask);

// Whether two elements may meet; i and j index ask->bodies. The same for swapped sides.
bool snag__filter_allows(const snag__filter *filter, uint32_t i, snag_element_kind kind_a, uint32_t a, uint32_t j,
                         snag_element_kind kind_b, uint32_t b);
// Keeps the candidates of a pass that may meet, in order; returns how many.
size_t snag__filter_keep(const snag__filter *filter, const snag__pass *pass, uint32_t i, uint32_t j, uint32_t (*pairs)[2],
                         size_t count);
// The same, but for excluded pairs: where few candidates become contacts, only these are looked up.
size_t snag__filter_keep_excluded(const snag__filter *filter, const snag__pass *pass, uint32_t i, uint32_t j, uint32_t (*pairs)[2],
                                  size_t count);
// Whether there are excluded pairs of two bodies; whether two edges, or vertex v of body i and triangle t of body j, are one.
bool snag__filter_has_exclusions(const snag__filter *filter, uint32_t i, uint32_t j);
bool snag__filter_excludes_edges(const snag__filter *filter, uint32_t i, uint32_t a, uint32_t j, uint32_t b);
bool snag__filter_excludes_vertex(const snag__filter *filter, uint32_t i, uint32_t v, uint32_t j, uint32_t t);
// The same for pairs of triangles by slots, which are copied: elements[slot] is the triangle.
size_t snag__filter_keep_slots(const snag__filter *filter, const uint32_t *elements, uint32_t i, uint32_t j,
                               const uint32_t (*pairs)[2], size_t count, uint32_t (*kept)[2]);

// The filter of vertices of body j and elements of body i, for the rule of proximities.
typedef struct snag__filter_view {
    snag__pair_filter head;
    const snag__filter *filter;
    uint32_t i, j;
    bool only_exclusions;  // beside these nothing is filtered between the two bodies
} snag__filter_view;

snag__filter_view snag__filter_view_of(const snag__filter *filter, uint32_t i, uint32_t j);

void snag__filter_free(const snag_allocator *allocator, snag__buffer *memory);

#endif
