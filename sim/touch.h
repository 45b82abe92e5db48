// Blocks that push each other apart: which surface points are inside another block, and what force that makes.
#ifndef SNAG_SIM_TOUCH_H
#define SNAG_SIM_TOUCH_H

#include "soft.h"

// Fills soft->touches: for each surface point inside another block the deepest place.
void snag__touches_find(snag__soft *soft, const double (*x)[3]);
// Adds the force of a touch to the five points it joins, and sets its part of the matrix.
void snag__touch_linearise(const snag__soft *soft, snag__touch *touch, const double (*v)[3], double h,
                           double (*force)[3]);

#endif
