// Checking a mesh, which reports and never repairs, and welding.
#ifndef SNAG_MESH_H
#define SNAG_MESH_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// What can be wrong with a mesh.
typedef enum snag_mesh_issue_kind {
    SNAG_ISSUE_NON_MANIFOLD_EDGE = 0,  // an edge of three or more triangles; element: edge
    SNAG_ISSUE_FLIPPED_EDGE = 1,  // an edge with the same direction in both its triangles: one of them is flipped; element: edge
    SNAG_ISSUE_DEGENERATE_TRIANGLE = 2,  // zero area at t1, exactly; element: triangle
    SNAG_ISSUE_DUPLICATE_TRIANGLE = 3,  // the same three vertices as an earlier one; element: triangle, other: the earlier
    SNAG_ISSUE_DEGENERATE_TET = 4,  // zero volume at t1, exactly; element: tetrahedron
    SNAG_ISSUE_INVERTED_TET = 5,  // negative volume at t1, exactly; element: tetrahedron
    SNAG_ISSUE_DUPLICATE_TET = 6,  // the same four vertices as an earlier one; element: tetrahedron, other: the earlier
    SNAG_ISSUE_UNREFERENCED_VERTEX = 7,  // a vertex that no element uses; element: vertex
    // Polygons whose triangulation is well defined but arbitrary: see snag_body_def. Element: the first triangle, other: the polygon.
    SNAG_ISSUE_POLYGON_NOT_FLAT = 8,  // at t1 thicker than a thousandth of its size
    SNAG_ISSUE_POLYGON_CROSSES_ITSELF = 9,  // when it was added: its triangles overlap or are flipped
    SNAG_ISSUE_KIND_COUNT
} snag_mesh_issue_kind;

// Static; "unknown" for other values.
SNAG_API const char *snag_mesh_issue_name(snag_mesh_issue_kind kind);

// One element with a defect; `other` is the second element where the kind has one, else zero.
typedef struct snag_mesh_issue {
    snag_mesh_issue_kind kind;
    snag_element element;
    uint32_t other;
} snag_mesh_issue;

// Result of snag_world_check.
typedef struct snag_mesh_report {
    size_t counts[SNAG_ISSUE_KIND_COUNT];
    const snag_mesh_issue *issues;  // all of them, sorted by kind and element
    size_t issue_count;
    size_t boundary_edges;  // edges of one triangle
    size_t components;  // parts connected by shared vertices, without unreferenced vertices
    bool closed;  // there are triangles, and every edge of a triangle has exactly two
    double minimum[3], maximum[3];  // the box of all vertices at t1; zero if there are none
    double mean_edge;  // mean length of the edges (of triangles, and rods) at t1; 0 if there are none
} snag_mesh_report;

// Checks a body at t1. The report is owned by the world and valid until the next check or until the world is destroyed; the last
// answer stays valid. Runs no callbacks but the allocator. SNAG_ERROR_ARGUMENT, _BODY, _UNSUPPORTED (a source), _MEMORY, _BUSY.
SNAG_API snag_status snag_world_check(snag_world *world, snag_body_id body, const snag_mesh_report **report);

// Writes for each vertex the lowest vertex with equal coordinates (-0 equals 0) to `vertex_of`, which has positions.count entries. The
// allocator provides scratch memory; NULL: malloc. Independent of any world; may be called from any thread. SNAG_ERROR_ARGUMENT,
// _SIZE, _NOT_FINITE, _MEMORY.
SNAG_API snag_status snag_mesh_weld(snag_positions positions, const snag_allocator *allocator, uint32_t *vertex_of);

#ifdef __cplusplus
}
#endif

#endif
