// Zones: vertices that keep colliding with each other are merged and move as one rigid body, or rest.
//
// Vertices that move along straight paths from x to R x + t, with one rotation R by less than half a turn, are at every
// moment where an affine map of full rank puts them: what was apart at the start stays apart all the way.
#ifndef SNAG_RESPONSE_ZONES_H
#define SNAG_RESPONSE_ZONES_H

#include "response/rows.h"

#define SNAG__NO_ZONE UINT32_MAX

typedef struct snag__zones {
    uint32_t *parent;  // of each vertex, leading to the zone's root; SNAG__NO_ZONE: in none
    uint8_t *resting;  // of each root: the zone does not move
    uint32_t vertex_count;
    snag__buffer *fits;  // scratch
    const snag_allocator *allocator;
} snag__zones;

void snag__zones_clear(snag__zones *zones);
// Whether all vertices of a row are in one zone.
bool snag__zones_hold(snag__zones *zones, const snag__row *row);
// Merges the vertices of a row into one zone. Returns whether that changed anything: false if they were in one already.
bool snag__zones_merge(snag__zones *zones, const snag__row *row);
// The root of the zone that a vertex of a zone belongs to.
uint32_t snag__zones_root(snag__zones *zones, uint32_t vertex);
size_t snag__zones_vertices(const snag__zones *zones);

// Sets the moves of the free vertices of each zone: zero if it rests, else the rigid motion that is closest to `moves`,
// by mass, or if some vertices are held, to those of the held ones. False without memory; nothing is changed then.
bool snag__zones_move(snag__zones *zones, const double (*start)[3], const double *inverse, double (*moves)[3]);

#endif
