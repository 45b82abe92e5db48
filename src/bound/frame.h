// Where floats stand for coordinates: relative to the centre of all trees of a forest.
#ifndef SNAG_BOUND_FRAME_H
#define SNAG_BOUND_FRAME_H

#include "bound/forest.h"

typedef struct snag__frame {
    double centre[3];
    double reach;  // the largest coordinate relative to it; infinite where floats tell nothing
} snag__frame;

// `anew`: the centre becomes that of the forest's boxes; else it stays.
void snag__frame_fit(snag__frame *frame, const snag__forest *forest, bool anew);

#endif
