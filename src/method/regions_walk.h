// Walking over two meshes to what is close: shared by the exact rule, for which it is but a beginning, and the paper's.
#ifndef SNAG_METHOD_REGIONS_WALK_H
#define SNAG_METHOD_REGIONS_WALK_H

#include "method/nearest.h"
#include "method/regions.h"

static inline double snag__region_squared(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

// Walks from a vertex of each mesh over their neighbours, in turn, while that leads nearer: to two vertices that are closest
// among their neighbours.
void snag__region_walk(const snag__mesh *const mesh[2], uint32_t v[2]);
// Offers all features around a vertex of the first body and one of the second.
void snag__region_offer_around(const snag__near_bodies *bodies, const snag__mesh *const mesh[2], const uint32_t v[2],
                               snag__nearest *best);

// Searches two bodies by the paper's rule; the context is a snag__region_bodies (regions_paper.c).
snag_status snag__region_paper_search(void *context, const snag__near_bodies *bodies, snag__nearest *best);

#endif
