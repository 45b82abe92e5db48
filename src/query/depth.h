// Depth and direction of penetrations: see depth.c and docs/methods/depth.md.
#ifndef SNAG_QUERY_DEPTH_H
#define SNAG_QUERY_DEPTH_H

#include "query/method.h"

// Fills in value, normal and point_b of the contacts of `penetrations`, which stand in the order of their records,
// sorted by key. point_a and the elements are known already.
//   normal   unit, the way out of the penetrated body; zero where nothing is defined
//   value    how far it is along the normal to the body's surface
//   point_b  where that is
snag_status snag__depths(snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count);

// Frees the state of snag__depths.
void snag__depth_free(const snag_allocator *allocator, snag__buffer *memory);

#endif
