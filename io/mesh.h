// What readers fill and callers get: a builder that grows, and the bodies that are made of it in the end.
#ifndef SNAG_IO_MESH_H
#define SNAG_IO_MESH_H

#include "file.h"

// A vertex number and the number of vertices both fit 32 bits, and the highest number is left free to mean "none".
#define SNAG__MOST_VERTICES ((uint64_t)UINT32_MAX - 1)

// Where an object of the file begins.
typedef struct snag__object {
    char *name;  // NULL: the file's
    size_t first_vertex;
    size_t first_polygon;
} snag__object;

// The whole of a file, numbered as in the file. Zero is empty. Arrays are malloc'ed.
typedef struct snag__builder {
    double *positions;  // three per vertex
    size_t vertex_count, vertex_capacity;
    uint32_t *corners;  // the vertices of all polygons
    size_t corner_count, corner_capacity;
    uint32_t *sizes;  // corners of each polygon; NULL as long as all are triangles
    size_t polygon_count, size_capacity;
    uint32_t *tets;  // four vertices each
    size_t tet_count, tet_capacity;
    snag__object *objects;  // none: all is one body named like the file
    size_t object_count, object_capacity;
    size_t skipped;
} snag__builder;

void snag__builder_free(snag__builder *builder);

// Make room for so many more, for readers that know how many will come. These and all below give SNAG_OK,
// SNAG_ERROR_MEMORY or SNAG_ERROR_SIZE (and no message: snag__builder_fail makes one).
snag_status snag__builder_reserve_vertices(snag__builder *builder, size_t more);
snag_status snag__builder_reserve_polygons(snag__builder *builder, size_t more, size_t more_corners);
snag_status snag__builder_reserve_tets(snag__builder *builder, size_t more);

static inline snag_status snag__builder_vertex(snag__builder *builder, double x, double y, double z)
{
    if (builder->vertex_count == builder->vertex_capacity) {
        snag_status status = snag__builder_reserve_vertices(builder, 1);
        if (status != SNAG_OK)
            return status;
    }
    double *position = builder->positions + 3 * builder->vertex_count++;
    position[0] = x;
    position[1] = y;
    position[2] = z;
    return SNAG_OK;
}

// A polygon comes corner by corner, and is closed by saying how many they were: at least 3. Vertices need not exist
// yet; snag__builder_finish looks at that.
static inline snag_status snag__builder_corner(snag__builder *builder, uint32_t vertex)
{
    if (builder->corner_count == builder->corner_capacity) {
        snag_status status = snag__builder_reserve_polygons(builder, 0, 1);
        if (status != SNAG_OK)
            return status;
    }
    builder->corners[builder->corner_count++] = vertex;
    return SNAG_OK;
}
snag_status snag__builder_close_polygon(snag__builder *builder, size_t size);
// The same at once.
snag_status snag__builder_polygon(snag__builder *builder, const uint32_t *vertices, size_t size);

static inline snag_status snag__builder_tet(snag__builder *builder, const uint32_t vertices[4])
{
    if (builder->tet_count == builder->tet_capacity) {
        snag_status status = snag__builder_reserve_tets(builder, 1);
        if (status != SNAG_OK)
            return status;
    }
    uint32_t *tet = builder->tets + 4 * builder->tet_count++;
    for (int i = 0; i < 4; i++)
        tet[i] = vertices[i];
    return SNAG_OK;
}

// Of a file with tetrahedra: takes away all polygons and counts them as skipped. They only repeat the boundary, which
// is derived from the tetrahedra.
void snag__builder_drop_polygons(snag__builder *builder);

// What follows belongs to an object of this name (`length` bytes; 0: named like the file).
snag_status snag__builder_object(snag__builder *builder, const char *name, size_t length);

// A message for a status of the calls above.
snag_status snag__builder_fail(const snag__source *source, snag_status status);

// Hands everything over to *mesh, split into bodies (see bodies.c), and leaves the builder empty. Refuses a file
// without vertices, coordinates that are not finite and vertices that do not exist; readers that can name the line look
// for these themselves.
snag_status snag__builder_finish(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh);

// Splits what the builder holds, which is known to be sound, into bodies. On failure *mesh holds what is to be freed.
snag_status snag__make_bodies(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh);

// One for each format, listed in mesh.c by ending. On failure the message is in source->error.
typedef snag_status snag__mesh_reader(const snag__source *source, snag__builder *builder);
snag__mesh_reader snag__read_obj;
snag__mesh_reader snag__read_ply;
snag__mesh_reader snag__read_off;
snag__mesh_reader snag__read_stl;
snag__mesh_reader snag__read_msh;
snag__mesh_reader snag__read_medit;
snag__mesh_reader snag__read_vtk;
snag__mesh_reader snag__read_vtu;

#endif
