// Boxes and k-DOPs in runs: float bounds rounded outward from double positions, and wide overlap tests of one against
// many.
//
// A bound never leaves out a point: lo is the largest float not above, hi the smallest float not below the true value,
// so for coordinates that are floats themselves a box is exact. Beyond the range of float lo is -inf or hi is +inf, never
// the other way round: lo is at most FLT_MAX and hi at least -FLT_MAX.
//
// There are two kinds of empty bounds. [+inf, -inf] is what minima and maxima start from: it overlaps no finite bound, but
// it does overlap [-inf, +inf], so it may only stand where a count says that it is not looked at or that nothing is in it.
// NaN overlaps nothing at all: it stands in places that are compared by whole vectors, without a count.
#ifndef SNAG_GEOM_BOX_H
#define SNAG_GEOM_BOX_H

#include "base/isa.h"

// Arrays of a run of bounds are padded to a multiple of this, so that wide loads stay inside.
#define SNAG__BOX_PAD 16

static inline size_t snag__box_padded(size_t count)
{
    return (count + (SNAG__BOX_PAD - 1)) & ~(size_t)(SNAG__BOX_PAD - 1);
}

// Boxes as six arrays, each of snag__box_padded(count) floats, aligned to 64 bytes and owned by the caller.
typedef struct snag__boxes {
    float *lo[3], *hi[3];
    size_t count;
} snag__boxes;

// A k-DOP is the meet of k/2 slabs. All have the three axes (slabs 0..2); then come
//   14: the four cube diagonals; 18: the six face diagonals; 26: the cube diagonals, then the face diagonals.
#define SNAG__KDOP_SLABS_MAX 13

// The directions of the k/2 slabs, as long as said below: the axes have length 1.
void snag__kdop_directions(uint32_t k, double directions[SNAG__KDOP_SLABS_MAX][3]);

// k-DOPs as arrays, one pair for each slab, padded and aligned as those of boxes. Bounds of the diagonals are those of
// (x +- y +- z) / 4; they hold every point, with a margin of a few roundings.
typedef struct snag__kdops {
    float *lo[SNAG__KDOP_SLABS_MAX], *hi[SNAG__KDOP_SLABS_MAX];
    size_t count;
    uint32_t k;  // 6, 14, 18 or 26
} snag__kdops;

// Makes the bounds first .. last - 1 overlap nothing, not even what is infinite (NaN).
void snag__boxes_clear(snag__boxes *boxes, size_t first, size_t last);
void snag__kdops_clear(snag__kdops *kdops, size_t first, size_t last);
// The same for the padding behind the last bound.
void snag__boxes_pad(snag__boxes *boxes);
void snag__kdops_pad(snag__kdops *kdops);

// The kernels, compiled for each instruction set; the results are the same, byte for byte.
// `from_...` write the bounds first .. first + count - 1 of `out` from the elements of the same numbers, and nothing
// else, so that tasks of a run may be written by different threads. With x_t0 (else NULL) the bound holds the element
// at t0 and at t1, and so at every time between on straight paths. It is grown by `inflate` (>= 0) on every side,
// outward too. `overlaps` compares bounds first .. last - 1 with one bound, writes the indexes of those that overlap it
// (touching counts) to `hits`, ascending, and returns how many. `hits` has room for last - first + 16.
typedef struct snag__box_kernels {
    void (*from_vertices)(const double (*x_t0)[3], const double (*x_t1)[3], size_t first, size_t count, double inflate,
                          snag__boxes *out);
    void (*from_edges)(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t (*edges)[2], size_t first, size_t count,
                       double inflate, snag__boxes *out);
    void (*from_triangles)(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t (*triangles)[3], size_t first,
                           size_t count, double inflate, snag__boxes *out);
    void (*from_tets)(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t (*tets)[4], size_t first, size_t count,
                      double inflate, snag__boxes *out);
    size_t (*overlaps)(const snag__boxes *boxes, size_t first, size_t last, const float lo[3], const float hi[3], uint32_t *hits);

    // Elements of `corners` (1 to 4) vertices each, one after the other; `elements` NULL: element i is vertex i.
    void (*kdop_from_elements)(const double (*x_t0)[3], const double (*x_t1)[3], const uint32_t *elements, uint32_t corners,
                               size_t first, size_t count, double inflate, snag__kdops *out);
    // The same, 6-DOPs only, where `out` holds the elements' boxes as the nearest floats.
    void (*kdop_grow)(size_t first, size_t count, double inflate, snag__kdops *out);
    // `lo` and `hi` have k/2 entries.
    size_t (*kdop_overlaps)(const snag__kdops *kdops, size_t first, size_t last, const float *lo, const float *hi, uint32_t *hits);
} snag__box_kernels;

// `isa` is one that is available; else the scalar table is given.
const snag__box_kernels *snag__box_kernels_for(snag_isa isa);

#endif
