// Graphics hardware as a judge of overlap, behind a small table, so that the core builds and runs without any.
#ifndef SNAG_GPU_GPU_H
#define SNAG_GPU_GPU_H

#include "base/memory.h"

typedef struct snag__gpu snag__gpu;

// Why something could not be done, as words for the user.
typedef struct snag__gpu_error {
    char message[160];
} snag__gpu_error;

// Corners beyond this are not for a judge that counts in single precision.
#define SNAG__GPU_REACH 32.0f

// Triangles around a box, in units of it: the box is -1..1 along each axis. Octant o has the upper half along axis k if bit k
// of o is set; along an axis that is not cut (no bit in `cut`) it has the whole.
typedef struct snag__gpu_triangles {
    const float (*corners)[3];  // three of each triangle, none beyond SNAG__GPU_REACH
    size_t count;  // triangles
    const uint32_t *lists[8];  // triangles to look at for each octant
    uint32_t list_counts[8];  // 0: the octant is not asked for
    uint8_t cut;
} snag__gpu_triangles;

typedef struct snag__gpu_backend {
    // On failure *gpu is NULL, and `error` says why.
    snag_status (*open)(const snag_allocator *allocator, snag__gpu **gpu, snag__gpu_error *error);
    void (*close)(snag__gpu *gpu);
    // The octants that one of their triangles meets: bit o of *met. None is missed; one that triangles only come close to may be
    // among them. Adds the number of queries to *queries.
    snag_status (*octants)(snag__gpu *gpu, const snag__gpu_triangles *triangles, uint8_t *met, size_t *queries,
                           snag__gpu_error *error);
} snag__gpu_backend;

// OpenGL without a window; NULL if it is not built in.
const snag__gpu_backend *snag__gpu_gl(void);

#endif
