// Closest points of a vertex and a triangle and of two edges: distance, points, weights, and the features they lie in.
//
// Two questions are kept apart. Which features hold the closest points (a corner, the inside of an edge, the inside of
// the triangle) is decided exactly: by signs with a forward error bound, and with integers where a sign is in doubt.
// How far apart those features are is then measured: in double where the error bound is small, else as correctly
// rounded quotients of integers. So every finite input has an answer, with zero-length edges, zero-area triangles and
// coordinates from 5e-324 to 1.8e308 among them, and nothing iterates.
//
// The closest points follow from conditions of first order, as in Ericson, Real-Time Collision Detection (2005),
// chapter 5; the measures in cross-product form (h^2 / n.n rather than differences of dot products) keep their digits
// for needles and nearly parallel edges. Differs: exact where in doubt, and no tolerances.
//
// A point that is a corner lies in the corner, not in an edge: the lowest dimension counts. Where several pairs of
// points are closest (parallel edges, triangles without area) the lowest dimension counts again, and then the
// lexicographic order of the coordinates. So the result is the same, bit for bit, for every order of the corners and
// for swapped sides.
#ifndef SNAG_GEOM_DISTANCE_H
#define SNAG_GEOM_DISTANCE_H

#include "base/isa.h"

// Two features that hold closest points, by their corners: a vertex (1), the inside of an edge (2) or of a triangle
// (3).
//   SNAG_VERTEX_VERTEX  point[0]     and point[1]
//   SNAG_VERTEX_EDGE    point[0]     and point[1..2]
//   SNAG_VERTEX_FACE    point[0]     and point[1..3]
//   SNAG_EDGE_EDGE      point[0..1]  and point[2..3]
typedef struct snag__features {
    snag_contact_kind kind;
    const double *point[4];
} snag__features;

// How far apart two features are. The first is `a`, the second `b`.
typedef struct snag__gap {
    double distance;  // 0 only where they touch; relative error below 2^-26, mostly a few roundings
    double squared;  // its square: DBL_MAX where it would be more, and 0 where it would be less than can be written
    double separation[3];  // the closest point of a minus that of b, with the same relative error; never -0
    double point_a[3], point_b[3];  // never -0
    double weight[4];  // of each of the features' points, in 0..1; those of one side sum to 1 but for rounding
    bool exact;  // whether it took integers
} snag__gap;

// The gap between features that are known to hold each other's closest points.
void snag__features_measure(const snag__features *features, snag__gap *gap);
// Whether the features are at distance d or closer, exactly; d >= 0. `exact` is set (never cleared) where it took
// integers.
bool snag__features_within(const snag__features *features, double d, bool *exact);
// The sign of (distance of the features) - d, exactly; d >= 0. `gap` is that of the features and decides the clear
// cases.
int snag__features_compare_with(const snag__features *features, const snag__gap *gap, double d, bool *exact);
// The sign of (distance of x) - (distance of y), exactly; with their gaps.
int snag__features_compare(const snag__features *x, const snag__gap *gap_x, const snag__features *y, const snag__gap *gap_y);

// The features that hold the closest points, as sets of corners: bit i for corner i. `exact` is set (never cleared)
// where it took integers. Vertex-triangle: the triangle's corners. Edge-edge: those of a in bits 0..1, those of b in
// bits 2..3.
uint32_t snag__vertex_triangle_feature(const double p[3], const double *const triangle[3], bool *exact);
uint32_t snag__edge_edge_feature(const double *const a[2], const double *const b[2], bool *exact);
// Vertex-edge: the edge's ends. Of an edge of zero length one of its ends.
uint32_t snag__vertex_edge_feature(const double p[3], const double *const edge[2], bool *exact);

// The features of two edges that these bits name.
snag__features snag__edge_edge_features(const double *const a[2], const double *const b[2], uint32_t feature);

typedef struct snag__distance {
    snag_contact_kind kind;  // vertex-vertex, vertex-edge, vertex-face, edge-edge
    uint8_t feature_a, feature_b;  // corners of the feature of each side, bit i for corner i; of a vertex 1
    snag__features features;  // the same by points, with the lower dimension first
    snag__gap gap;  // of the two sides, with weight[] as below
} snag__distance;

// A vertex (side a) against a triangle (side b): gap.weight[0..2] are the triangle's weights.
void snag__vertex_triangle_distance(const double p[3], const double *const triangle[3], snag__distance *out);
// An edge against an edge: gap.weight[0..1] are the weights of a's ends, [2..3] those of b's.
void snag__edge_edge_distance(const double *const a[2], const double *const b[2], snag__distance *out);

// The same where only pairs at distance d or closer are wanted (decided exactly): false if they are farther.
bool snag__vertex_triangle_within(const double p[3], const double *const triangle[3], double d, snag__distance *out);
bool snag__edge_edge_within(const double *const a[2], const double *const b[2], double d, snag__distance *out);

// Whether the pair does not matter to who looks for something closer than d: certainly farther apart than that by more than the
// errors of measured distances, or (edges) certainly not closest inside both. Quick at every scale, also where the functions above
// need integers. False where in doubt.
bool snag__vertex_triangle_is_farther(const double p[3], const double *const triangle[3], double d);
bool snag__edge_edge_is_farther(const double *const a[2], const double *const b[2], double d);
bool snag__vertex_edge_is_farther(const double p[3], const double *const edge[2], double d);

// separation / distance, a unit vector from b towards a; false (and zero) if the distance is 0.
bool snag__gap_normal(const snag__gap *gap, double normal[3]);
// The unit vector along u x v with u = b - a and v = d - c, with full accuracy however short it is; false (and zero) if
// they are parallel.
bool snag__unit_cross(const double a[3], const double b[3], const double c[3], const double d[3], double unit[3]);

// ---- batches (distance_kernel.c) ----

// Candidates: triangle pairs[i][0] of b against vertex pairs[i][1] of a.
typedef struct snag__vertex_triangles {
    const double (*xa)[3], (*xb)[3];
    const uint32_t (*triangles)[3];
    const uint32_t (*pairs)[2];
    size_t count;
} snag__vertex_triangles;

// Candidates: edge pairs[i][0] of a against edge pairs[i][1] of b.
typedef struct snag__edge_edges {
    const double (*xa)[3], (*xb)[3];
    const uint32_t (*edges_a)[2], (*edges_b)[2];
    const uint32_t (*pairs)[2];
    size_t count;
} snag__edge_edges;

// Sieves: write the indexes of the candidates that are not certainly farther apart than d, ascending, and return how
// many. `near` has room for count. Same indexes for every instruction set.
typedef struct snag__distance_kernels {
    size_t (*vertex_triangles_near)(const snag__vertex_triangles *pairs, double d, uint32_t *near);
    size_t (*edge_edges_near)(const snag__edge_edges *pairs, double d, uint32_t *near);

    // The same, and besides what is known of those that are left, for contacts. feature[i] is what
    // snag__vertex_triangle_feature says of candidate near[i], where that and a distance of at most d are certain; else
    // 0.
    // distance[i], unless NULL, rounds down to the same float as what snag__features_measure says of that feature; negative where that takes
    // more than a few operations.
    size_t (*vertex_triangles_seen)(const snag__vertex_triangles *pairs, double d, uint32_t *near, uint8_t *feature,
                                    double *distance);
    // Likewise for edges: what snag__edge_edge_feature says.
    size_t (*edge_edges_seen)(const snag__edge_edges *pairs, double d, uint32_t *near, uint8_t *feature, double *distance);
    // Only edges that may be closest inside both are left. sure[i] is 1 where that and a distance of at most d are
    // certain.
    size_t (*edge_edges_crossing)(const snag__edge_edges *pairs, double d, uint32_t *near, uint8_t *sure);
    // distance[i] is what snag__features_measure says of features of this kind with the points points[i]; negative where that takes
    // more than a few operations.
    void (*measure)(snag_contact_kind kind, const double *const (*points)[4], size_t count, double *distance);
} snag__distance_kernels;

const snag__distance_kernels *snag__distance_kernels_for(snag_isa isa);

// All of a batch: sieve, then the distance of what is left. Writes the indexes and the distances of the candidates at
// distance d or closer, which are the bits of the functions above, and returns how many; both arrays have room for
// count.
size_t snag__vertex_triangles_within(const snag__distance_kernels *kernels, const snag__vertex_triangles *pairs, double d,
                                     uint32_t *index, snag__distance *out);
size_t snag__edge_edges_within(const snag__distance_kernels *kernels, const snag__edge_edges *pairs, double d, uint32_t *index,
                               snag__distance *out);

#endif
