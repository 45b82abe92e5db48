// Which bodies a world had at an earlier ask. Data kept from ask to ask names elements by their numbers among all elements of the
// world, and these shift when bodies come and go. A snapshot translates old numbers into present ones. Bodies keep their order, so
// renumbering keeps sorted data sorted.
#ifndef SNAG_QUERY_BODY_SNAPSHOT_H
#define SNAG_QUERY_BODY_SNAPSHOT_H

#include "query/method.h"

#define SNAG__GONE UINT32_MAX

typedef struct snag__body_snapshot_entry {
    snag_body_id id;
    uint64_t topology;  // stamp of its elements
    uint32_t first;  // number of its first element then
    uint32_t first_now;  // and now; SNAG__GONE if the body was removed or edited
    uint32_t index_now;  // present index into ask->bodies; SNAG__GONE if the body was removed or edited
    uint32_t counts[4];  // vertices, edges, triangles, tetrahedra
} snag__body_snapshot_entry;

typedef struct snag__body_snapshot {
    snag__buffer memory;  // of snag__body_snapshot_entry
    uint32_t count;
} snag__body_snapshot;

// Makes room for the bodies of an ask, so that snag__body_snapshot_write cannot fail.
bool snag__body_snapshot_reserve(snag__body_snapshot *snapshot, const snag__ask *ask, const snag_allocator *allocator);
void snag__body_snapshot_write(snag__body_snapshot *snapshot, const snag__ask *ask);
// Finds the bodies of the snapshot among those of the ask. Returns whether all numbers are still valid and no body was added.
bool snag__body_snapshot_compare(snag__body_snapshot *snapshot, const snag__ask *ask);
// The present number of an element, after snag__body_snapshot_compare; SNAG__GONE if its body was removed.
uint32_t snag__body_snapshot_renumber(const snag__body_snapshot *snapshot, uint32_t number);
// Follows an edit of a body, so that its elements are known by their new numbers from now on: call snag__body_snapshot_after_edit for
// all that is kept, then snag__body_snapshot_edit.
typedef uint32_t snag__new_index(const void *context, snag_element_kind kind, uint32_t index);
typedef struct snag__body_edit {
    snag_body_id id;
    uint64_t topology;  // its new stamp
    uint32_t counts[4];  // its new counts
    snag__new_index *new_index;  // of an element of the body; SNAG__GONE if it is no more
    const void *context;
} snag__body_edit;
// The number that an element will have in the snapshot; SNAG__GONE if it is no more.
uint32_t snag__body_snapshot_after_edit(const snag__body_snapshot *snapshot, const snag__body_edit *edit, uint32_t number);
void snag__body_snapshot_edit(snag__body_snapshot *snapshot, const snag__body_edit *edit);

// The body, kind and index of the element that had this number.
const snag__body_snapshot_entry *snag__body_snapshot_find(const snag__body_snapshot *snapshot, uint32_t number,
                                                          snag_element_kind *kind, uint32_t *index);

#endif
