// Handing corrections on to neighbours.
#ifndef SNAG_RESPONSE_SPREAD_H
#define SNAG_RESPONSE_SPREAD_H

#include "response/group.h"

// Vertices that rows name are of rank 0 and keep what they have; a free vertex whose nearest neighbour of lower rank is
// of rank r gets rank r + 1, up to `rings`, and `part` of the mean of those neighbours' vectors added to its own.
// `rank` has one entry for each vertex of the group: 0 for those that rows name, else UINT32_MAX; it is changed.
// `counts` is scratch of the same size.
void snag__spread(const snag__group *group, double part, uint32_t rings, uint32_t *rank, uint32_t *counts, double (*vectors)[3]);

#endif
