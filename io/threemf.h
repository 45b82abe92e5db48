// The parts of the reader of 3MF: what a package holds, before its build is laid out.
// 3MF Core Specification 1.3; objects in other parts by the Production Extension 1.1.
#ifndef SNAG_IO_THREEMF_H
#define SNAG_IO_THREEMF_H

#include "mesh.h"
#include "zip.h"

// A row for each axis, then the translation: a point is a row vector in front of it.
typedef struct snag__3mf_transform {
    double m[12];
} snag__3mf_transform;

// An object that is shown: a component of another one, or an item of the build.
typedef struct snag__3mf_use {
    uint32_t part;
    uint64_t id;
    snag__3mf_transform transform;
} snag__3mf_use;

// Ranges are those of the lists of the whole package.
typedef struct snag__3mf_object {
    uint64_t id;
    char *name;  // NULL: none
    bool has_mesh, has_components;
    size_t first_vertex, vertex_count;
    size_t first_triangle, triangle_count;
    size_t first_use, use_count;
    bool entered;  // while its components are laid out
} snag__3mf_object;

// A file of the archive with objects in it.
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
    double *positions;  // three for each vertex
    size_t vertex_count, vertex_capacity;
    uint32_t *triangles;  // three vertices each, numbered within their object
    size_t triangle_count, triangle_capacity;
    snag__3mf_use *uses;
    size_t use_count, use_capacity;
    snag__3mf_use *items;  // of the build, in its order
    size_t item_count, item_capacity;
    size_t beams;  // of lattices, which are left out
    double metres;  // a unit of length
} snag__3mf;

// Reads the archive with all parts that are named. On failure the message is in source->error. Close it in any case.
snag_status snag__3mf_open(const snag__source *source, snag__3mf *package);
void snag__3mf_close(snag__3mf *package);

#endif
