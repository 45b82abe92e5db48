// The origin of float coordinates: the centre of all trees of a BVH.
#ifndef SNAG_BOUND_LOCAL_ORIGIN_H
#define SNAG_BOUND_LOCAL_ORIGIN_H

#include "bound/bvh.h"

typedef struct snag__local_origin {
    double centre[3];
    double reach;  // the largest coordinate relative to it; infinite where floats are of no use
} snag__local_origin;

// Updates the reach; with `anew` moves the origin to the centre of the BVH first.
void snag__local_origin_fit(snag__local_origin *local_origin, const snag__bvh *bvh, bool anew);

#endif
