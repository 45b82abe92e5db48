// SIMD kernels of the sphere tree: which octants of a box triangles meet, and which spheres of a level overlap a sphere.
#ifndef SNAG_BOUND_SPHERE_TREE_KERNEL_H
#define SNAG_BOUND_SPHERE_TREE_KERNEL_H

#include "base/isa.h"

#include <stdbool.h>

// A box and the planes that cut it into eight closed octants. Octant o is the upper half along axis k if bit k of o is set. An axis
// along which the box has no interior is not cut: there are only lower halves, which are the whole.
typedef struct snag__octants {
    double lo[3], mid[3], hi[3];
    uint8_t cut;  // bit k: axis k is cut
} snag__octants;

// A sphere, and half the sides of a box around its contents along the world's axes.
typedef struct snag__sphere {
    double centre[3], radius, half[3];
} snag__sphere;

// Eight spheres of one size.
typedef struct snag__eight_spheres {
    double centre[3][8];
    double radius, half[3];
} snag__eight_spheres;

// Compiled for each instruction set, with the same results.
typedef struct snag__sphere_kernels {
    // For each of `count` triangles (of `list`; NULL: 0, 1, 2, ...), all of which meet the box, the octants that it meets: bit o of
    // masks[i]. Closed sets, decided exactly.
    void (*octants)(const double (*x)[3], const uint32_t (*triangles)[3], const uint32_t *list, size_t count,
                    const snag__octants *octants, uint8_t *masks);
    // The same by the triangles' boxes alone: conservative.
    void (*box_octants)(const double (*x)[3], const uint32_t (*triangles)[3], const uint32_t *list, size_t count,
                        const snag__octants *octants, uint8_t *masks);
    // The spheres of the eight that overlap another one, and with `boxes` whose boxes do too: bit i.
    uint32_t (*touch)(const snag__eight_spheres *eight, const snag__sphere *one, bool boxes);
} snag__sphere_kernels;

// The scalar table if `isa` is not available.
const snag__sphere_kernels *snag__sphere_kernels_for(snag_isa isa);

// Whether a closed triangle and a closed box have a point in common, by exact predicates alone.
bool snag__triangle_meets_box(const double *const corner[3], const double lo[3], const double hi[3]);

// Octant o of a box.
static inline void snag__octant_box(const snag__octants *octants, int o, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        bool upper = (o >> axis & 1) != 0, cut = (octants->cut >> axis & 1) != 0;
        lo[axis] = upper ? octants->mid[axis] : octants->lo[axis];
        hi[axis] = upper || !cut ? octants->hi[axis] : octants->mid[axis];
    }
}

#endif
