// Impacts (continuous collision detection): when a vertex and a triangle, or two edges, first meet while their vertices move on
// straight paths.
//
// The path of every vertex is x(t) = (1 - t) x_t0 + t x_t1 for t in 0..1, in real numbers, not rounded ones. Features are closed:
// touching counts. Features may be degenerate (an edge of length zero, a triangle of zero area, repeated vertices), always or at some
// times: then they are segments or points.
//
// Without a separation the verdict is exact for every finite input, and so independent of the order of vertices and sides and of the
// instruction set. The time is never later than the true one and earlier by at most 2^-38. With a separation it is conservative: see
// snag__impact_find. docs/design/impacts.md has the definitions, the answers for degenerate motions and the error analysis.
//
// Everything here is pure and allocates nothing; every loop has a cap.
#ifndef SNAG_GEOM_IMPACT_H
#define SNAG_GEOM_IMPACT_H

#include "base/isa.h"

typedef enum snag__impact_pair {
    SNAG__IMPACT_VERTEX_FACE = 0,  // side a: point 0; side b: points 1, 2, 3
    SNAG__IMPACT_EDGE_EDGE = 1,  // side a: points 0, 1; side b: points 2, 3
} snag__impact_pair;

// The four points of a pair at both ends of the move.
typedef struct snag__motion {
    snag__impact_pair pair;
    double t0[4][3];
    double t1[4][3];
} snag__motion;

typedef enum snag__impact_verdict {
    SNAG__IMPACT_FREE = 0,
    SNAG__IMPACT_MEETS,
    // A limit of work or memory was reached first: treat as an impact at t. No impact is earlier than t.
    SNAG__IMPACT_UNRESOLVED,
} snag__impact_verdict;

typedef struct snag__impact {
    snag__impact_verdict verdict;
    double t;  // 1 if free
    bool exact;  // exact arithmetic was needed
} snag__impact;

// The first time at which the distance of the two sides is at most `separation` (0: at which they meet).
//
// separation == 0: exact, as said above; `tolerance` is ignored.
// separation > 0: never misses an impact, and t is never later than the true time. The gap at t is at most separation + tolerance (a
// tolerance below 2^-40 of the size of the motion is raised to that). A pair that only comes that close may be reported.
// Both are finite and >= 0.
snag__impact snag__impact_find(const snag__motion *motion, double separation, double tolerance);

// The same if only impacts up to a time matter: a pair whose time is later may be called free.
snag__impact snag__impact_find_until(const snag__motion *motion, double separation, double tolerance, double until);

// The contact at time t of snag__impact_find, in double.
typedef struct snag__impact_details {
    double point_a[3], point_b[3];  // the closest points at time t
    double normal[3];  // unit, from b towards a just before t; zero if there is none
    double weight[4];  // vertex-face: [0..2] of points 1..3; edge-edge: [0..1] of 0, 1 and [2..3] of 2, 3
} snag__impact_details;

void snag__impact_describe(const snag__motion *motion, double t, snag__impact_details *details);

// ---- runs of pairs ----

// One side of a run of pairs: a body's positions at both ends of the move, and its elements.
typedef struct snag__impact_side {
    const double (*x_t0)[3];
    const double (*x_t1)[3];
    const uint32_t *elements;  // three vertices for each triangle, two for each edge; NULL for vertices
} snag__impact_side;

// A run of candidate pairs of one kind. In a pair, entry `a_column` (0 or 1) is the element of side a, the other of
// side b; of a vertex-face pair a is the vertex.
typedef struct snag__impact_run {
    snag__impact_pair pair;
    snag__impact_side a, b;
    const uint32_t (*pairs)[2];
    uint32_t a_column;
    double reach;  // 0 if the separation is 0, else separation + tolerance
    double span;  // from t0 up to this part of the move; 0: all of it
} snag__impact_run;

// The kernels, compiled for each instruction set.
typedef struct snag__impact_kernels {
    // Of pairs first .. end - 1 (below 2^32), writes the indexes of those that may come as close as `reach`, ascending, to `open`
    // (room for end - first), and returns how many; the others never do (within the part of the move). Which free pairs are left open is the same for all
    // instruction sets.
    size_t (*filter)(const snag__impact_run *run, size_t first, size_t end, uint32_t *open);
} snag__impact_kernels;

// The scalar table if `isa` is not available.
const snag__impact_kernels *snag__impact_kernels_for(snag_isa isa);

// Copies the points of pair i of a run.
void snag__impact_run_motion(const snag__impact_run *run, size_t i, snag__motion *motion);

// Copies the points of a pair. `a` is a vertex or an edge of side_a.
void snag__motion_gather(snag__impact_pair pair, const snag__impact_side *side_a, const snag__impact_side *side_b, uint32_t a,
                         uint32_t b, snag__motion *motion);

#endif
