// Triangulating polygons by ear clipping with exact predicates: see ears.c.
#ifndef SNAG_MESH_EARS_H
#define SNAG_MESH_EARS_H

#include "base/memory.h"

// A projected polygon: coordinate `axis` is dropped, and the next two in cyclic order stay.
typedef struct snag__loop {
    const double (*x)[3];  // positions of all vertices
    const uint32_t *vertices;  // of the polygon
    uint32_t count;  // at least 3
    int axis;
    int turn;  // the sign of its area there: 1 counter-clockwise, -1 clockwise; 1 if the area is zero
} snag__loop;

// Bytes of memory that snag__clip_ears needs.
uint64_t snag__ears_bytes(uint32_t count);

// Writes the count - 2 triangles. Returns whether those with an area tile the polygon: then they all turn as it does, and no two
// overlap. If not, the polygon crosses itself.
bool snag__clip_ears(const snag__loop *loop, void *memory, uint32_t (*triangles)[3]);

#endif
