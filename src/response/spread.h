// Spreading corrections to neighbouring vertices.
#ifndef SNAG_RESPONSE_SPREAD_H
#define SNAG_RESPONSE_SPREAD_H

#include "response/group.h"

// Vertices of rank 0 keep their vectors. Ring by ring up to `rings`, a free vertex next to vertices of rank r gets rank r + 1, and
// its vector becomes `part` of the sum of its own and its neighbours' of rank r, divided by their number.
// `rank` [vertex_count]: 0 for vertices of rows, UINT32_MAX for all others; changed. `counts` [vertex_count]: scratch.
void snag__spread(const snag__group *group, double part, uint32_t rings, uint32_t *rank, uint32_t *counts, double (*vectors)[3]);

#endif
