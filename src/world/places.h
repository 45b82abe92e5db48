// Groups contacts into places and recognises places of earlier calls. See snag/places.h.
#ifndef SNAG_WORLD_PLACES_H
#define SNAG_WORLD_PLACES_H

#include "query/method.h"
#include "snag/places.h"

// What the world keeps between calls.
typedef struct snag__places {
    snag__buffer sides;  // bodies of each contact
    snag__buffer parents;  // union-find over contacts, then the place of each
    snag__buffer slots;  // the first contact at each pair of vertices
    snag__buffer starts, indices, places;  // the result
    snag__buffer votes, claims;  // which earlier places a place may continue
    snag__buffer seen;  // hash table: the place that last touched a vertex
    size_t seen_count, seen_slots;  // slots: a power of two, or 0
    uint64_t last_id;
    snag__buffer marks, open, depths;  // parts of a body that are inside another
    uint32_t searches;
} snag__places;

// The two bodies of a contact.
typedef struct snag__place_sides {
    const snag__body *a, *b;
} snag__place_sides;

// The vertices of an element, at most four. 0 if they are not known: leaves, and triangles of sources.
uint32_t snag__element_vertices(const snag__body *body, const snag_element *element, uint32_t vertices[4]);

// How far a vertex must go so that a contact is no more: see snag_place.depth.
double snag__contact_depth(const snag_contact *contact, const snag__body *a, const snag__body *b);

// Depth of places at the rim of parts that are inside a closed body: sets `inside`, `depth` and `value`.
snag_status snag__places_measure_inside(snag_world *world, const snag_answer *answer, const snag__place_sides *sides,
                                        snag_place *places, size_t count);

// Gives ids to the places: those of earlier calls that touched the same vertices. False without memory; nothing is changed then.
bool snag__places_identify(snag__places *state, const snag_allocator *allocator, const snag_answer *answer,
                           const snag__place_sides *sides, snag_place *places, size_t count);

void snag__places_free(const snag_allocator *allocator, snag__places *state);

#endif
