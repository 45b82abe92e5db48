// Wide searches in the trees of a probe set: closest points, rays, boxes. They find candidates; what is decided exactly is decided by the
// callbacks, which are the same for all instruction sets.
#ifndef SNAG_PROBE_PROBE_KERNEL_H
#define SNAG_PROBE_PROBE_KERNEL_H

#include "base/isa.h"
#include "probe/probe.h"

#include <math.h>

// The floats next to a double on either side of it, or equal to it.
static inline float snag__float_below(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static inline float snag__float_above(double x)
{
    float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

// Nodes that wait while a search goes down: each step takes one and adds at most eight.
enum { SNAG__PROBE_STACK = SNAG__TREE_LEVELS * (SNAG__ARITY_MAX - 1) + SNAG__ARITY_MAX };

// Elements that may be closest. `lower` is a lower bound of the squared distance.
typedef struct snag__near_element {
    const snag__probe_set *set;
    uint32_t tree, slot;
    double lower;
} snag__near_element;

enum { SNAG__NEAR_ELEMENTS = 64 };

typedef struct snag__point_search {
    double p[3];
    double limit;  // an upper bound of the squared distance
    uint32_t skip;  // a leaf (slot / 16) of this set and tree that was searched already; UINT32_MAX: none
    snag__near_element near[SNAG__NEAR_ELEMENTS];
    uint32_t count;
    // Called when the list is full, to make room: it must leave at most half of them, and may lower the limit.
    void (*settle)(struct snag__point_search *search);
    void *context;
} snag__point_search;

typedef struct snag__ray_search {
    double origin[3], d[3], inverse[3];
    uint8_t axis[3];  // permutation: axis[2] has the largest |d|
    uint8_t flat[3];  // d is 0 there
    uint8_t free[3];  // d is so small that it tells nothing
    double shear[2];  // d[axis[0]] / d[axis[2]] and d[axis[1]] / d[axis[2]]
    double limit;  // an upper bound of t
    // A candidate. Returns false to end the search; may lower the limit.
    bool (*test)(struct snag__ray_search *search, const snag__probe_set *set, uint32_t tree, uint32_t slot);
    void *context;
} snag__ray_search;

// Slots whose box meets lo .. hi. Returns false to end the search.
typedef bool snag__slot_visit(void *context, const snag__probe_set *set, uint32_t tree, uint32_t slot);

typedef struct snag__probe_kernels {
    void (*closest)(const snag__probe_set *set, uint32_t tree, snag__point_search *search);
    // One leaf only.
    void (*closest_in_leaf)(const snag__probe_set *set, uint32_t tree, uint32_t leaf, snag__point_search *search);
    bool (*cast)(const snag__probe_set *set, uint32_t tree, snag__ray_search *search);
    bool (*meet_box)(const snag__probe_set *set, uint32_t tree, const float lo[3], const float hi[3], snag__slot_visit *visit,
                     void *context);
} snag__probe_kernels;

SNAG__DECLARE_KERNELS(snag__probe_kernels, snag__probe_kernels);
const snag__probe_kernels *snag__probe_kernels_for(snag_isa isa);

// The same search in single precision (cast_kernel.c), in bodies for which that is usable.
typedef struct snag__cast_kernels {
    bool (*cast)(const snag__probe_set *set, uint32_t tree, snag__ray_search *search);
} snag__cast_kernels;

SNAG__DECLARE_KERNELS(snag__cast_kernels, snag__cast_kernels);
const snag__cast_kernels *snag__cast_kernels_for(snag_isa isa);

#endif
