// Hard triangle pairs as one mesh, for kernels that read meshes.
#ifndef SNAG_TEST_SOUP_H
#define SNAG_TEST_SOUP_H

#include "geom/triangle_kernel.h"
#include "helpers/hard.h"

enum { HARD_SOUP = 300 };  // pairs; more than the kernel looks at together

typedef struct hard_soup {
    size_t count;
    double positions[6 * HARD_SOUP][3];
    uint32_t triangles[2 * HARD_SOUP][3];
    uint32_t pairs[HARD_SOUP][2];
} hard_soup;

// Appends a pair; shared vertices stay shared.
void hard_soup_add(hard_soup *soup, const hard_pair *pair);
// All pairs of the soup, as pairs of one body.
snag__triangle_pairs hard_soup_pairs(const hard_soup *soup);

#endif
