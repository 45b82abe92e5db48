// Checks that the triangle pairs listed by a peer include every contact found by snag.
#ifndef SNAG_BENCH_PROXIMITY_CHECK_H
#define SNAG_BENCH_PROXIMITY_CHECK_H

#include "peer.h"

// `pairs` are sorted: lower triangle << 32 | higher. A contact of a vertex or edge with a triangle or edge is covered if some
// triangles around the two form a pair, or share a vertex and were therefore not requested. Returns the number of missed contacts,
// and prints the first. The answer lists pairs of bodies that were added to the world in the order of the mesh.
size_t proximity_check(const peer_mesh *mesh, const snag_world *world, const snag_body_id *ids, const snag_answer *answer,
                       const uint64_t *pairs, size_t pair_count, const char *name);

#endif
