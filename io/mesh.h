// The builder, filled by readers, and the bodies made from it.
#ifndef SNAG_IO_MESH_H
#define SNAG_IO_MESH_H

#include "bounds.h"

// A vertex number and the number of vertices both fit 32 bits; the highest number is reserved for "none".
#define SNAG__MOST_VERTICES ((uint64_t)UINT32_MAX - 1)

// Start of an object of the file.
typedef struct snag__object {
    char *name;  // NULL: named like the file
    size_t first_vertex;
    size_t first_polygon;
    size_t first_tet;
    size_t first_edge;
    size_t instance_length;  // as in snag_io_body
} snag__object;

// Start of a group of elements, in files that are split by groups (groups.c).
typedef struct snag__group_run {
    size_t first_polygon, first_tet, first_edge;
    uint32_t group;  // counted from 1; 0: none
} snag__group_run;

// The contents of a file, numbered as in the file. Initially empty except for the source. Arrays are malloc'ed.
typedef struct snag__builder {
    const snag__source *source;  // its limits apply; NULL: none
    double *positions;  // three per vertex
    size_t vertex_count, vertex_capacity;
    uint32_t *corners;  // the vertices of all polygons
    size_t corner_count, corner_capacity;
    // Size at which adding one by one stops to check the limits: the end of the array, or earlier.
    size_t vertex_stop, corner_stop, tet_stop;
    uint32_t *sizes;  // corners per polygon; NULL while all are triangles
    size_t polygon_count, size_capacity;
    uint32_t *tets;  // four vertices each
    size_t tet_count, tet_capacity;
    uint32_t *edges;  // lines, two vertices each; a point is a vertex twice (rods.c)
    size_t edge_count, edge_capacity;
    snag__object *objects;  // none: everything is one body named like the file
    size_t object_count, object_capacity;
    size_t skipped, left_out;  // as in snag_io_mesh
    size_t curved, curved_cut;  // as in snag_io_mesh

    // The cell of the file that contains each tetrahedron (cells.c). NULL while each is its own cell. Tetrahedra from
    // `numbered_tets` on are their own cells, numbered after the last one.
    uint32_t *tet_cells;
    size_t tet_cell_capacity, numbered_tets, cell_count;

    // The face of the file that contains each polygon, in the same way, while the file is read: faces of second order are cut into triangles.
    uint32_t *polygon_faces;
    size_t polygon_face_capacity, numbered_polygons, face_count;

    // Numbers of faces, cells and vertices in the file. NULL: counted from 0. Faces: from snag__builder_number_polygons on, of polygons.
    uint32_t *polygon_numbers, *cell_numbers, *vertex_labels;

    // Groups that become bodies (groups.c): names, hash table, and starts.
    char **groups;
    size_t group_count, group_capacity;
    uint32_t *group_slots;
    size_t group_slot_count;
    snag__group_run *group_runs;
    size_t group_run_count, group_run_capacity;
    uint32_t *polygon_groups, *tet_groups, *edge_groups;  // labels of elements; NULL: there are none
    // Vertices from `file_vertices` on are copies of these; 0: no copies.
    size_t file_vertices;
    uint32_t *copied;
    size_t copied_capacity;
    double metres;  // unit of length; 0: unknown
} snag__builder;

void snag__builder_free(snag__builder *builder);

// Reserve space for more items, for readers that know the count. These and all below return SNAG_OK, SNAG_ERROR_MEMORY or
// SNAG_ERROR_SIZE (without a message: see snag__builder_fail), or SNAG_ERROR_LIMIT (with a message).
snag_status snag__builder_reserve_vertices(snag__builder *builder, size_t more);
snag_status snag__builder_reserve_polygons(snag__builder *builder, size_t more, size_t more_corners);
snag_status snag__builder_reserve_tets(snag__builder *builder, size_t more);
// Makes room for one more, after checking the limits.
snag_status snag__builder_more_vertices(snag__builder *builder);
snag_status snag__builder_more_corners(snag__builder *builder);
snag_status snag__builder_more_tets(snag__builder *builder);
// Makes room for the cells of all tetrahedra.
snag_status snag__builder_reserve_tet_cells(snag__builder *builder);

static inline snag_status snag__builder_vertex(snag__builder *builder, double x, double y, double z)
{
    if (builder->vertex_count == builder->vertex_stop) {
        snag_status status = snag__builder_more_vertices(builder);
        if (status != SNAG_OK)
            return status;
    }
    double *position = builder->positions + 3 * builder->vertex_count++;
    position[0] = x;
    position[1] = y;
    position[2] = z;
    return SNAG_OK;
}

// A polygon is added corner by corner and closed with the number of corners, at least 3. Vertices need not exist yet;
// snag__builder_finish checks that.
static inline snag_status snag__builder_corner(snag__builder *builder, uint32_t vertex)
{
    if (builder->corner_count == builder->corner_stop) {
        snag_status status = snag__builder_more_corners(builder);
        if (status != SNAG_OK)
            return status;
    }
    builder->corners[builder->corner_count++] = vertex;
    return SNAG_OK;
}
snag_status snag__builder_close_polygon(snag__builder *builder, size_t size);
// Adds a whole polygon.
snag_status snag__builder_polygon(snag__builder *builder, const uint32_t *vertices, size_t size);

static inline snag_status snag__builder_tet(snag__builder *builder, const uint32_t vertices[4])
{
    if (builder->tet_count == builder->tet_stop) {
        snag_status status = snag__builder_more_tets(builder);
        if (status != SNAG_OK)
            return status;
    }
    uint32_t *tet = builder->tets + 4 * builder->tet_count++;
    for (int i = 0; i < 4; i++)
        tet[i] = vertices[i];
    return SNAG_OK;
}

// Polygons that are added between these two calls are one face of the file.
snag_status snag__builder_begin_face(snag__builder *builder);
snag_status snag__builder_end_face(snag__builder *builder);
// When all polygons are there: gives each the number of its face.
snag_status snag__builder_number_polygons(snag__builder *builder);
// Whether cells of second order are cut at their mid-nodes.
static inline bool snag__builder_is_curved(const snag__builder *builder)
{
    return builder->source && builder->source->reading && builder->source->reading->options.curved;
}

// Adds a line between two vertices; a polyline of `count` vertices; a point. Lines from a vertex to itself are counted as skipped.
snag_status snag__builder_edge(snag__builder *builder, uint32_t a, uint32_t b);
snag_status snag__builder_polyline(snag__builder *builder, const uint32_t *vertices, size_t count);
snag_status snag__builder_point(snag__builder *builder, uint32_t vertex);
// Keeps the lines that are rods: drops those that repeat another line, or are a side of a polygon or tetrahedron, and points at
// vertices of other elements. Counts them as skipped. All vertices must exist.
snag_status snag__builder_keep_rods(snag__builder *builder);

// Gives a body its rods and points, from lines as the builder keeps them; `labels` of these lines may be NULL.
snag_status snag__body_set_edges(snag_io_body *body, const uint32_t *edges, const uint32_t *labels, size_t count);

// Counts ignored elements; `solid`: they have an area or a volume, so contacts with them are missed.
static inline void snag__builder_skip(snag__builder *builder, size_t count, bool solid)
{
    builder->skipped += count;
    builder->left_out += solid ? count : 0;
}

// Whether a VTK cell type has an area or a volume: all except points, lines and curves.
static inline bool snag__vtk_is_solid(int64_t type)
{
    return type > 4 && type != 21 && type != 35 && type != 51 && type != 60 && type != 68 && type != 75;
}

// In a file with tetrahedra: removes polygons beside them and counts them as skipped. Most only repeat the boundary, which
// we derive from the tetrahedra; those attached to a cell without being its face count as left out. Polygons not connected
// to a tetrahedron, even through other polygons, stay: they are a surface.
snag_status snag__builder_drop_polygons(snag__builder *builder);

// Starts an object of this name (`length` bytes; 0: named after the file).
snag_status snag__builder_object(snag__builder *builder, const char *name, size_t length);

// Sets the message for a status of the calls above; SNAG_ERROR_LIMIT already has one.
snag_status snag__builder_fail(const snag__source *source, snag_status status);

// Moves everything to *mesh, split into bodies (see bodies.c), and leaves the builder empty. Rejects a file without vertices,
// coordinates that are not finite and references to missing vertices; readers that know the line check these themselves.
snag_status snag__builder_finish(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh);

// Splits the builder's validated contents into bodies. On failure the caller frees *mesh.
snag_status snag__make_bodies(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh);

// One reader per format, listed in mesh.c by extension. On failure the message is in source->error.
typedef snag_status snag__mesh_reader(const snag__source *source, snag__builder *builder);
snag__mesh_reader snag__read_obj;
snag__mesh_reader snag__read_ply;
snag__mesh_reader snag__read_off;
snag__mesh_reader snag__read_stl;
snag__mesh_reader snag__read_msh;
snag__mesh_reader snag__read_medit;
snag__mesh_reader snag__read_vtk;
snag__mesh_reader snag__read_vtu;
snag__mesh_reader snag__read_3mf;
snag__mesh_reader snag__read_abaqus;
snag__mesh_reader snag__read_nastran;
snag__mesh_reader snag__read_dyna;
snag__mesh_reader snag__read_ansys;
snag__mesh_reader snag__read_collection;

#endif
