// Who was in the world when something was written down. What is kept from ask to ask names elements by their numbers among
// all elements of the world, and those shift when bodies come and go. A roster remembers whose numbers they were, and tells
// what they are now. Bodies never change places, so renumbering keeps every order.
#ifndef SNAG_METHOD_ROSTER_H
#define SNAG_METHOD_ROSTER_H

#include "query/method.h"

#define SNAG__GONE UINT32_MAX

typedef struct snag__roster_entry {
    snag_body_id id;
    uint32_t first;      // number of its first element then
    uint32_t first_now;  // and now; SNAG__GONE if the body is
    uint32_t place_now;  // the body's place in ask->bodies; SNAG__GONE if it is
    uint32_t counts[4];  // vertices, edges, triangles, tetrahedra
} snag__roster_entry;

typedef struct snag__roster {
    snag__buffer memory;  // of snag__roster_entry
    uint32_t count;
} snag__roster;

// Makes room for the bodies of an ask, so that writing cannot fail.
bool snag__roster_reserve(snag__roster *roster, const snag__ask *ask, const snag_allocator *allocator);
// Writes down the bodies of an ask.
void snag__roster_write(snag__roster *roster, const snag__ask *ask);
// Finds out where the bodies on the roster are now. Returns whether all are where they were, and no other has come.
bool snag__roster_compare(snag__roster *roster, const snag__ask *ask);
// The present number of an element that had this one, after snag__roster_compare; SNAG__GONE if its body is gone.
uint32_t snag__roster_renumber(const snag__roster *roster, uint32_t number);
// Whose element it was.
const snag__roster_entry *snag__roster_find(const snag__roster *roster, uint32_t number, snag_element_kind *kind,
                                            uint32_t *index);

#endif
