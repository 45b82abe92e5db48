// Models for the experiments of the on-collide sphere tree, with as many triangles as the paper's.
#ifndef SNAG_LAB_SPHERE_MODELS_H
#define SNAG_LAB_SPHERE_MODELS_H

#include "snag/shapes.h"

enum { SPHERE_MODELS = 7 };

// By the order of the paper's Table 1. `like`: the paper's model that it takes the place of. False if there is no such model, or no
// memory.
bool sphere_model(size_t index, const char **name, const char **like, snag_shape *shape);

#endif
