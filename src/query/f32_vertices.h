// Vertices of all bodies in single precision, relative to one origin and scaled: what f32_distance.h filters candidates by.
#ifndef SNAG_QUERY_F32_VERTICES_H
#define SNAG_QUERY_F32_VERTICES_H

#include "geom/f32_distance.h"
#include "query/method.h"

// Brings the vertices at t1 of all bodies of an ask up to date; those of bodies that did not move stay. Sets ask->f32, or leaves it
// NULL where single precision tells nothing. SNAG_ERROR_MEMORY.
snag_status snag__f32_vertices_update(snag__ask *ask);

// The vertices of a body of the ask, by its index.
const snag__f32_vertex *snag__f32_vertices_of(const snag__ask *ask, uint32_t body);
// A distance in their units, not below the true one; and by how much a coordinate is off at most.
float snag__f32_distance(const snag__ask *ask, double distance);
#define SNAG__F32_ROUNDING 0x1.01p-25f

void snag__f32_vertices_free(const snag_allocator *allocator, snag__f32_vertices *vertices);

#endif
