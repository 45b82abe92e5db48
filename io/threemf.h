// Internals of the 3MF reader: the contents of a package, before the build is expanded.
// 3MF Core Specification 1.3; objects in other parts by the Production Extension 1.1.
#ifndef SNAG_IO_THREEMF_H
#define SNAG_IO_THREEMF_H

#include "mesh.h"
#include "zip.h"

// One row per axis, then the translation. Points are row vectors, multiplied from the left.
typedef struct snag__3mf_transform {
    double m[12];
} snag__3mf_transform;

// A shown object: a component of another object, or an item of the build.
typedef struct snag__3mf_use {
    uint32_t part;
    uint64_t id;
    snag__3mf_transform transform;
} snag__3mf_use;

// Ranges index the arrays of the whole package.
typedef struct snag__3mf_object {
    uint64_t id;
    char *name;  // NULL: none
    bool has_mesh, has_components;
    size_t first_vertex, vertex_count;
    size_t first_triangle, triangle_count;
    size_t first_use, use_count;
    bool entered;  // set while its components are expanded
} snag__3mf_object;

// A file of the archive that contains objects.
typedef struct snag__3mf_part {
    char *path;
    const char *unit;
    size_t first_object, object_count;  // sorted by id
} snag__3mf_part;

typedef struct snag__3mf {
    const snag__source *source;
    snag__zip zip;
    snag__3mf_part *parts;  // the first is the root
    size_t part_count, part_capacity;
    snag__3mf_object *objects;
    size_t object_count, object_capacity;
    double *positions;  // three per vertex
    size_t vertex_count, vertex_capacity;
    uint32_t *triangles;  // three vertices each, numbered within their object
    size_t triangle_count, triangle_capacity;
    snag__3mf_use *uses;
    size_t use_count, use_capacity;
    snag__3mf_use *items;  // build items, in order
    size_t item_count, item_capacity;
    size_t beams;  // beams of lattices, which are skipped
    double metres;  // unit of length
} snag__3mf;

// Reads the archive with all referenced parts. On failure the message is in source->error. Always close it, even on failure.
snag_status snag__3mf_open(const snag__source *source, snag__3mf *package);
void snag__3mf_close(snag__3mf *package);

#endif
