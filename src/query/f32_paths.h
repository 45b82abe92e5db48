// Vertices of all bodies at both ends of the move in single precision, relative to one origin and scaled: what impact_f32.h filters
// candidates by.
#ifndef SNAG_QUERY_F32_PATHS_H
#define SNAG_QUERY_F32_PATHS_H

#include "geom/impact_f32.h"
#include "query/method.h"

// Brings the paths of all bodies of an ask up to date; those of bodies that are as they were stay. Sets ask->paths. SNAG_ERROR_MEMORY.
snag_status snag__f32_paths_update(snag__ask *ask);

// Whether single precision tells anything of them.
bool snag__f32_paths_usable(const snag__ask *ask);
// The paths of a body of the ask, by its index.
const snag__f32_path *snag__f32_paths_of(const snag__ask *ask, uint32_t body);
// A distance in their units, not below the true one; and by how much a coordinate is off at most.
#define SNAG__F32_PATH_ROUNDING 0x1.01p-25f
float snag__f32_paths_distance(const snag__ask *ask, double distance);

// The largest coordinate of all bodies in magnitude, at both ends; and the smallest that is not zero (infinite: there is none).
double snag__f32_paths_largest(const snag__ask *ask);
double snag__f32_paths_smallest(const snag__ask *ask);

void snag__f32_paths_free(const snag_allocator *allocator, snag__f32_paths *paths);

#endif
