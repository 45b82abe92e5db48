// Derivatives of distances, for solvers with barrier or penalty energies: the squared distance of closest features with gradient and
// Hessian, and the mollifier for nearly parallel edges.
//
//     snag_derivatives_def def = snag_default_derivatives_def();
//     def.contacts = answer->contacts;
//     def.count = answer->count;
//     def.hessians = hessians;  // 144 doubles each
//     status = snag_world_derivatives(world, &def, results);
//
// All derivatives are taken after the coordinates of at most four points: entry 3 i + k is coordinate k of point i, and a Hessian has 12
// rows of 12. Points that a kind does not have get zeros. Units: lengths as in the world.
#ifndef SNAG_DERIVATIVES_H
#define SNAG_DERIVATIVES_H

#include "snag/candidates.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- single features -----------------------------------------------------------------------------------------------

// The squared distance of features that hold each other's closest points:
//   SNAG_VERTEX_VERTEX  points 0 and 1
//   SNAG_VERTEX_EDGE    point 0 and the line through 1, 2
//   SNAG_VERTEX_FACE    point 0 and the plane through 1, 2, 3
//   SNAG_EDGE_EDGE      the lines through 0, 1 and through 2, 3
// `points` are x, y, z of the points in turn. gradient (12 doubles) and hessian (144) may be NULL. The results have a relative error below
// 1e-10 of their largest entry, also for needles, nearly parallel edges and tiny distances.
//
// Degenerate features have no such derivative. A triangle, or two edges, whose directions differ by less than 2^-60 (as a sine), and an
// edge shorter than 2^-200 of the extent of all points, are replaced by the closest feature of a lower dimension: *measured (may be NULL)
// says which kind that is. For finite points no result is NaN or infinite; what would overflow is +-DBL_MAX.
// SNAG_ERROR_ARGUMENT for NULL or another kind, SNAG_ERROR_NOT_FINITE. Nothing is written then. Pure: may be called from any thread.
SNAG_API snag_status snag_squared_distance(snag_contact_kind kind, const double *points, double *squared, double *gradient,
                                           double *hessian, snag_contact_kind *measured);

// The mollifier of two edges (points 0, 1 and 2, 3): x (2 - x) with x = |u x v|^2 / threshold where that is below 1, else 1. u and v are
// the edges' vectors. An energy of the distance of two edges is multiplied with it, so that it stays smooth where edges become parallel.
// Incremental potential contact takes 1e-3 |u|^2 |v|^2 at rest for a threshold. With a threshold of 0 it is 1 everywhere.
// SNAG_ERROR_ARGUMENT for NULL or a threshold that is negative or not finite, SNAG_ERROR_NOT_FINITE.
SNAG_API snag_status snag_edge_mollifier(const double *points, double threshold, double *mollifier, double *gradient,
                                         double *hessian);

// ---- batches -------------------------------------------------------------------------------------------------------

// Squared distance of one pair with its derivatives.
typedef struct snag_derivative {
    snag_contact_kind kind;  // the features that were measured: vertex-vertex, vertex-edge, vertex-face or edge-edge
    // The points of the closest features, in the order of snag_squared_distance: `index` of the body's id, and the vertex; zeros behind.
    // Where these features are degenerate, so that `kind` is one of lower dimension, derivatives of points that dropped out are zero.
    uint32_t point_count;  // 2, 3 or 4
    uint32_t body[4], vertex[4];
    double squared;  // the squared distance
    double gradient[12];
    double mollifier;  // 1 unless it was asked for and both sides are edges
    double mollifier_gradient[12];  // after the four ends of the edges `edge_vertex`, see below
    // Of a pair of edges: the ends of a's and of b's edge, which may be more than the points above; else zeros.
    uint32_t edge_vertex[4];
} snag_derivative;

// Pointers are borrowed for the call. Exactly one of contacts, pairs and candidates is set.
typedef struct snag_derivatives_def {
    uint32_t cookie;  // set by snag_default_derivatives_def; any other value is refused
    const snag_contact *contacts;
    const snag_pair *pairs;
    const snag_candidates *candidates;  // all pairs of a set of this world, in the order of its lists, whether or not it holds
    size_t count;  // items; of candidates it must be snag_candidates_count
    double *hessians;  // 144 doubles for each item, of `squared`; NULL: none
    // Pairs of edges get the mollifier with this factor times |u|^2 |v|^2 at t0 as threshold (1e-3 in incremental potential contact):
    // t0 stays the same through a step, and so does the energy. 0: no mollifier.
    double mollifier;
    const double *thresholds;  // thresholds for each item instead; NULL: as above
    double *mollifier_hessians;  // 144 doubles for each item, after edge_vertex; NULL: none
} snag_derivatives_def;

// Everything zero but the cookie.
SNAG_API snag_derivatives_def snag_default_derivatives_def(void);

// The derivatives of each item at t1, in the order of the items: which features of the two elements are closest is decided exactly for
// the present positions, not for those at which the contact was found. Vertices against vertices, edges and triangles, and edges against
// edges: items of proximities, impacts and, where they name such elements, distance. `results` has room for `count`. The world is only read; all its
// threads take part, and the bytes do not depend on them. Allocates nothing. On failure results are as they were.
// SNAG_ERROR_ARGUMENT (NULL, a def without its cookie, none or several inputs, a count that is not that of the candidates, a mollifier or threshold out of range), _UNSUPPORTED (an
// item of other elements, such as triangles that intersect), _BODY (a body that is gone, a set of another world), _INDEX (an element that does not exist),
// _BUSY. The message names the item.
SNAG_API snag_status snag_world_derivatives(snag_world *world, const snag_derivatives_def *def, snag_derivative *results);

#ifdef __cplusplus
}
#endif

#endif
