// Where floats stand for coordinates: relative to the centre of all trees of a BVH.
#ifndef SNAG_BOUND_LOCAL_ORIGIN_H
#define SNAG_BOUND_LOCAL_ORIGIN_H

#include "bound/bvh.h"

typedef struct snag__local_origin {
    double centre[3];
    double reach;  // the largest coordinate relative to it; infinite where floats tell nothing
} snag__local_origin;

// `anew`: the centre becomes that of the BVH's boxes; else it stays.
void snag__local_origin_fit(snag__local_origin *local_origin, const snag__bvh *bvh, bool anew);

#endif
