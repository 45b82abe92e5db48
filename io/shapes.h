// The vertices of FBX and COLLADA files. Assimp lists a vertex for every corner of every face, in file order, without the file's
// vertex number. So we read positions and corners from the file ourselves; a part of a shape is matched with a mesh of assimp only
// if every corner has the same position.
#ifndef SNAG_IO_SHAPES_H
#define SNAG_IO_SHAPES_H

#include "text.h"

// Vertices, numbered as in the file.
typedef struct snag__shape {
    snag__word name;  // in the file
    double *positions;
    size_t vertex_count;
    double extent;  // the largest absolute coordinate
} snag__shape;

// Faces of one kind or material; assimp makes one mesh of them.
typedef struct snag__shape_part {
    size_t shape;
    uint32_t *corners;  // the vertex of each corner
    size_t corner_count, corner_capacity;
    bool taken;
} snag__shape_part;

typedef struct snag__shapes {
    snag__shape *shapes;
    size_t shape_count, shape_capacity;
    snag__shape_part *parts;
    size_t part_count, part_capacity;
} snag__shapes;

void snag__shapes_free(snag__shapes *shapes);

// Each reads the parts of a file it understands and skips damaged ones. False: out of memory.
bool snag__read_fbx_shapes(const char *data, size_t size, snag__shapes *shapes);
bool snag__read_collada_shapes(const char *data, size_t size, snag__shapes *shapes);

// The part whose corners are at these positions; NULL: none. Of several equal ones, prefers one with this name, then one not found
// before.
const snag__shape_part *snag__shapes_find(snag__shapes *shapes, snag__word name, const double *corners, size_t corner_count);

// ---- for the readers ----

bool snag__shapes_add(snag__shapes *shapes, snag__word name);
bool snag__shapes_add_part(snag__shapes *shapes);
// Adds a corner to the last part.
bool snag__shapes_corner(snag__shapes *shapes, uint32_t vertex);
// Sets the positions of the last shape, which takes ownership. Removes invalid parts, which refer to missing vertices, and
// the shape itself if no part is left.
void snag__shapes_end(snag__shapes *shapes, double *positions, size_t vertex_count);

// Makes room for one more item.
bool snag__shapes_grow(void **items, size_t *capacity, size_t count, size_t size);

#endif
