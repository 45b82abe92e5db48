// Who was in the world when something was written down. What is kept from ask to ask names elements by their numbers among
// all elements of the world, and those shift when bodies come and go. A snapshot remembers whose numbers they were, and tells
// what they are now. Bodies never change places, so renumbering keeps every order.
#ifndef SNAG_QUERY_BODY_SNAPSHOT_H
#define SNAG_QUERY_BODY_SNAPSHOT_H

#include "query/method.h"

#define SNAG__GONE UINT32_MAX

typedef struct snag__body_snapshot_entry {
    snag_body_id id;
    uint32_t first;  // number of its first element then
    uint32_t first_now;  // and now; SNAG__GONE if the body is
    uint32_t index_now;  // the body's place in ask->bodies; SNAG__GONE if it is
    uint32_t counts[4];  // vertices, edges, triangles, tetrahedra
} snag__body_snapshot_entry;

typedef struct snag__body_snapshot {
    snag__buffer memory;  // of snag__body_snapshot_entry
    uint32_t count;
} snag__body_snapshot;

// Makes room for the bodies of an ask, so that writing cannot fail.
bool snag__body_snapshot_reserve(snag__body_snapshot *snapshot, const snag__ask *ask, const snag_allocator *allocator);
// Writes down the bodies of an ask.
void snag__body_snapshot_write(snag__body_snapshot *snapshot, const snag__ask *ask);
// Finds out where the bodies on the snapshot are now. Returns whether all are where they were, and no other has come.
bool snag__body_snapshot_compare(snag__body_snapshot *snapshot, const snag__ask *ask);
// The present number of an element that had this one, after snag__body_snapshot_compare; SNAG__GONE if its body is gone.
uint32_t snag__body_snapshot_renumber(const snag__body_snapshot *snapshot, uint32_t number);
// Whose element it was.
const snag__body_snapshot_entry *snag__body_snapshot_find(const snag__body_snapshot *snapshot, uint32_t number,
                                                          snag_element_kind *kind, uint32_t *index);

#endif
