// Overlap tests on graphics hardware, behind a small table of functions, so that the core builds and runs without it.
#ifndef SNAG_GPU_GPU_H
#define SNAG_GPU_GPU_H

#include "base/assert.h"
#include "base/memory.h"

typedef struct snag__gpu snag__gpu;

// Error message for the user.
typedef struct snag__gpu_error {
    char message[160];
} snag__gpu_error;

// The largest coordinate for which the error bounds of the single-precision test hold.
#define SNAG__GPU_LARGEST 32.0f

// Triangles around a box, in units of it: the box is -1..1 along each axis. Octant o has the upper half along axis k if bit k
// of o is set; along an axis without a bit in `cut` it has the whole.
typedef struct snag__gpu_triangles {
    const float (*corners)[3];  // three per triangle, none beyond SNAG__GPU_LARGEST
    size_t count;  // triangles
    const uint32_t *lists[8];  // triangles to test for each octant
    uint32_t list_counts[8];  // 0: the octant is not tested
    uint8_t cut;
    // Algorithm 1 as printed: all triangles are drawn for each octant (there are no lists), and one view that shows a fragment is
    // enough. Octants may be missed.
    bool plain;
} snag__gpu_triangles;

typedef struct snag__gpu_backend {
    // On failure *gpu is NULL, and `error` says why.
    snag_status (*open)(const snag_allocator *allocator, snag__gpu **gpu, snag__gpu_error *error);
    void (*close)(snag__gpu *gpu);
    // Sets bit o of *met if a triangle meets octant o. No octant is missed unless plain; some that triangles only come close to may be set.
    // Adds the number of queries to *queries.
    snag_status (*octants)(snag__gpu *gpu, const snag__gpu_triangles *triangles, uint8_t *met, size_t *queries,
                           snag__gpu_error *error);
} snag__gpu_backend;

// OpenGL without a window; NULL if it is not built in.
const snag__gpu_backend *snag__gpu_gl(void);

#endif
