// Impact zones: vertices that keep colliding with each other are merged and move as one rigid body, or rest.
//
// Vertices that move along straight lines from x to R x + t, with one rotation R by less than 180 degrees, are at every time
// the image of x under an affine map of full rank: features that are apart at the start stay apart.
#ifndef SNAG_RESPONSE_ZONES_H
#define SNAG_RESPONSE_ZONES_H

#include "response/rows.h"

#define SNAG__NO_ZONE UINT32_MAX

typedef struct snag__zones {
    uint32_t *parent;  // per vertex, leading to the zone's root; SNAG__NO_ZONE: in no zone
    uint8_t *resting;  // per root: the zone does not move
    uint32_t vertex_count;
    snag__buffer *fits;  // scratch
    const snag_allocator *allocator;
} snag__zones;

void snag__zones_clear(snag__zones *zones);
// Whether all vertices of a row are in one zone.
bool snag__zones_hold(snag__zones *zones, const snag__row *row);
// Merges the vertices of a row into one zone. False if they were in one zone already.
bool snag__zones_merge(snag__zones *zones, const snag__row *row);
// The root of a vertex's zone. The vertex must be in one.
uint32_t snag__zones_root(snag__zones *zones, uint32_t vertex);
size_t snag__zones_vertices(const snag__zones *zones);

// Sets the moves of the free vertices of each zone: zero if it rests, else the rigid motion closest to `moves`, weighted by mass
// (if some vertices are held: closest to those of the held ones). False if there is no memory; then nothing is changed.
bool snag__zones_move(snag__zones *zones, const double (*start)[3], const double *inverse, double (*moves)[3]);

#endif
