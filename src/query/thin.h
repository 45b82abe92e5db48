// Narrow phase and writing of pairs with rods and points: see mesh/thin.h for the elements and mesh/proximity.h for the rule.
#ifndef SNAG_QUERY_THIN_H
#define SNAG_QUERY_THIN_H

#include "mesh/thin.h"
#include "query/kind.h"

// Proximities: rods with vertices and thin vertices with vertices, or with `every_pair` rods with points and points with points.
void snag__confirm_thin(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                        const uint32_t (*pairs)[2], size_t count);
// For a set of candidates: rods with vertices and thin vertices with vertices, all whose boxes meet.
void snag__collect_thin(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                        const uint32_t (*pairs)[2], size_t count);
// Intersections: rods of body i with triangles of body j.
void snag__confirm_rods_in_triangles(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j,
                                     const uint32_t (*pairs)[2], size_t count);

// The key of a vertex of a body and an edge of another; and of two vertices, the lower number first.
uint64_t snag__vertex_edge_key(const snag__ask *ask, uint32_t vertex_body, uint32_t v, uint32_t edge_body, uint32_t e);
uint64_t snag__vertices_key(const snag__ask *ask, uint32_t i, uint32_t v, uint32_t j, uint32_t w);

// Where the edge a meets the triangle b.
void snag__write_rod_in_triangle(const snag__mesh *a, const snag__mesh *b, snag_contact *contact);

#endif
