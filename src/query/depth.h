// Depth and direction of penetrations: see depth.c and docs/design/depth.md.
#ifndef SNAG_QUERY_DEPTH_H
#define SNAG_QUERY_DEPTH_H

#include "query/method.h"

// Fills in value, normal and point_b of the contacts of `penetrations`. Contacts and records are sorted by key; point_a and the
// elements are known already.
//   normal   unit vector out of the penetrated body; zero where none is defined
//   value    distance along the normal to the body's surface
//   point_b  that point of the surface
snag_status snag__depths(snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count);

// Frees the state of snag__depths.
void snag__depth_free(const snag_allocator *allocator, snag__buffer *memory);

#endif
