// VTU and VTP: the XML formats of VTK for unstructured grids and surfaces. Each piece is an object. Cell types are in
// vtk_cells.c; polyhedra are read here. On a surface the polygons are numbered first, then the triangles of the strips.
#include "vtk_cells.h"
#include "vtu.h"
#include "vtu_array.h"
#include "xml.h"

#include <stdlib.h>
#include <string.h>

typedef struct piece {
    uint64_t points, cells;
    uint64_t verts, lines, strips;  // VTP: lists of points, polylines, strips. `cells` counts polygons
    snag__vtu_array positions, connectivity, offsets, types;
    snag__vtu_array faces, face_offsets;  // of polyhedra
    snag__vtu_array strip_connectivity, strip_offsets, vert_connectivity, vert_offsets, line_connectivity, line_offsets;
    snag__vtu_array ghosts;  // ghost marks of cells that belong to another piece of a parallel file
} piece;

// The element around an array.
typedef enum place { PLACE_OTHER, PLACE_POINTS, PLACE_CELLS, PLACE_STRIPS, PLACE_VERTS, PLACE_LINES, PLACE_CELL_DATA } place;

typedef struct reader {
    snag__vtu vtu;
    bool surface;  // VTP
    bool skip_ghosts;
    snag__xml xml;
    piece *pieces;
    size_t piece_count, piece_capacity;
} reader;

static void copy_value(snag__tag t, const char *name, char *copy, size_t size)
{
    snag__word value = snag__tag_value(t, name);
    snprintf(copy, size, "%.*s", value.at && value.length < size ? (int)value.length : 0, value.at ? value.at : "");
}

// ---- parsing the XML ----

static snag_status fail(const reader *r, snag_status status, const char *words)
{
    return snag__io_fail(r->vtu.source->error, status, "%s: %s", snag__path_shown(r->vtu.source->name), words);
}

static snag_status begin_file(reader *r, snag__tag t)
{
    r->surface = snag__tag_value_is(t, "type", "PolyData");
    if (!r->surface && !snag__tag_value_is(t, "type", "UnstructuredGrid"))
        return fail(r, SNAG_ERROR_UNSUPPORTED, "is a VTK file, but neither an unstructured grid (VTU) nor a surface (VTP)");
    r->vtu.big_endian = snag__tag_value_is(t, "byte_order", "BigEndian");
    r->vtu.header_bytes = snag__tag_value_is(t, "header_type", "UInt64") ? 8 : 4;
    if (!snag__tag_value(t, "compressor").at)
        return SNAG_OK;
    r->vtu.compressed = true;
    if (!snag__tag_value_is(t, "compressor", "vtkZLibDataCompressor"))
        return fail(r, SNAG_ERROR_UNSUPPORTED, "uses a compressor other than zlib; save it with zlib or uncompressed");
    return SNAG_OK;
}

static snag_status begin_piece(reader *r, snag__tag t)
{
    if (r->piece_count == r->piece_capacity) {
        size_t larger = 2 * r->piece_capacity + 4;
        piece *pieces = realloc(r->pieces, larger * sizeof *pieces);
        if (!pieces)
            return fail(r, SNAG_ERROR_MEMORY, "not enough memory for this mesh");
        r->pieces = pieces;
        r->piece_capacity = larger;
    }
    piece *p = &r->pieces[r->piece_count++];
    *p = (piece){.positions.name = "Points",
                 .connectivity.name = "connectivity",
                 .offsets.name = "offsets",
                 .types.name = "types",
                 .faces.name = "faces",
                 .face_offsets.name = "faceoffsets",
                 .strip_connectivity.name = "connectivity of strips",
                 .strip_offsets.name = "offsets of strips",
                 .vert_connectivity.name = "connectivity of verts",
                 .vert_offsets.name = "offsets of verts",
                 .line_connectivity.name = "connectivity of lines",
                 .line_offsets.name = "offsets of lines",
                 .ghosts.name = "vtkGhostType"};
    bool counted = snag__tag_count(t, "NumberOfPoints", &p->points);
    if (r->surface) {
        // A count of zero may be missing.
        snag__tag_count(t, "NumberOfVerts", &p->verts);
        snag__tag_count(t, "NumberOfLines", &p->lines);
        snag__tag_count(t, "NumberOfStrips", &p->strips);
        snag__tag_count(t, "NumberOfPolys", &p->cells);
    } else {
        counted &= snag__tag_count(t, "NumberOfCells", &p->cells);
    }
    if (!counted)
        return fail(r, SNAG_ERROR_FORMAT, "a piece has no number of points or cells");
    if (p->points > SNAG__MOST_VERTICES || p->cells > SNAG__MOST_VERTICES || p->strips > SNAG__MOST_VERTICES ||
        p->verts > SNAG__MOST_VERTICES || p->lines > SNAG__MOST_VERTICES)
        return snag__builder_fail(r->vtu.source, SNAG_ERROR_SIZE);
    return SNAG_OK;
}

static void note_array(reader *r, snag__tag t, snag__vtu_array *array)
{
    snag__word text = snag__xml_text(&r->xml);
    copy_value(t, "type", array->type, sizeof array->type);
    copy_value(t, "format", array->format, sizeof array->format);
    snag__tag_count(t, "offset", &array->offset);
    array->text = text.at;
    array->text_size = text.length;
}

// An array of points or cells; ignores other arrays.
static void find_place(reader *r, snag__tag t, place within)
{
    piece *p = &r->pieces[r->piece_count - 1];
    snag__vtu_array *connectivity = within == PLACE_STRIPS  ? &p->strip_connectivity
                                    : within == PLACE_VERTS ? &p->vert_connectivity
                                    : within == PLACE_LINES ? &p->line_connectivity
                                                            : &p->connectivity;
    snag__vtu_array *offsets = within == PLACE_STRIPS  ? &p->strip_offsets
                               : within == PLACE_VERTS ? &p->vert_offsets
                               : within == PLACE_LINES ? &p->line_offsets
                                                       : &p->offsets;
    if (within == PLACE_POINTS)
        note_array(r, t, &p->positions);
    else if (within == PLACE_CELL_DATA && snag__tag_value_is(t, "Name", "vtkGhostType"))
        note_array(r, t, &p->ghosts);
    if (within != PLACE_CELLS && within != PLACE_STRIPS && within != PLACE_VERTS && within != PLACE_LINES)
        return;
    if (snag__tag_value_is(t, "Name", "connectivity"))
        note_array(r, t, connectivity);
    else if (snag__tag_value_is(t, "Name", "offsets"))
        note_array(r, t, offsets);
    else if (snag__tag_value_is(t, "Name", "types"))
        note_array(r, t, &p->types);
    else if (snag__tag_value_is(t, "Name", "faces"))
        note_array(r, t, &p->faces);
    else if (snag__tag_value_is(t, "Name", "faceoffsets"))
        note_array(r, t, &p->face_offsets);
}

// Whether a tag opens or closes an element that holds arrays; then sets *within.
static bool is_place(snag__tag t, place *within)
{
    static const struct {
        const char *opens, *closes;
        place place;
    } places[] = {{"Points", "/Points", PLACE_POINTS},      {"Cells", "/Cells", PLACE_CELLS},
                  {"Polys", "/Polys", PLACE_CELLS},         {"Strips", "/Strips", PLACE_STRIPS},
                  {"Verts", "/Verts", PLACE_VERTS},         {"Lines", "/Lines", PLACE_LINES},
                  {"PointData", "/PointData", PLACE_OTHER}, {"CellData", "/CellData", PLACE_CELL_DATA}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool opens = snag__tag_is(t, places[i].opens);
        if (!opens && !snag__tag_is(t, places[i].closes))
            continue;
        *within = opens && !snag__tag_is_empty(t) ? places[i].place : PLACE_OTHER;
        return true;
    }
    return false;
}

static void note_appended(reader *r, snag__tag t)
{
    const char *underscore = memchr(r->xml.at, '_', (size_t)(r->xml.end - r->xml.at));
    if (!underscore)
        return;
    r->vtu.appended = underscore + 1;
    r->vtu.appended_size = (size_t)(r->xml.end - underscore) - 1;
    r->vtu.appended_raw = snag__tag_value_is(t, "encoding", "raw");
    r->xml.at = r->xml.end;  // bytes that are not XML may follow
}

static snag_status look_over(reader *r)
{
    snag__tag t;
    place within = PLACE_OTHER;
    bool begun = false;
    snag_status status = SNAG_OK;
    while (status == SNAG_OK && snag__xml_next(&r->xml, &t)) {
        if (snag__tag_is(t, "VTKFile")) {
            begun = true;
            status = begin_file(r, t);
        } else if (snag__tag_is(t, "Piece")) {
            status = begin_piece(r, t);
        } else if (is_place(t, &within)) {
            continue;
        } else if (snag__tag_is(t, "DataArray") && r->piece_count) {
            find_place(r, t, within);
        } else if (snag__tag_is(t, "AppendedData")) {
            note_appended(r, t);
        }
    }
    if (status == SNAG_OK && !begun)
        status = fail(r, SNAG_ERROR_FORMAT, "is not a VTK file: it has no <VTKFile>");
    return status;
}

// ---- cells ----

// The arrays of a piece that have been read.
typedef struct cell_arrays {
    int64_t *types, *offsets, *connectivity;
    size_t connected;
    int64_t *faces, *face_offsets;  // NULL: none
    size_t face_numbers;
    int64_t *ghosts;
    int64_t type;  // type of all cells, if there is no type array
} cell_arrays;

// A polyhedron: the number of faces, then the size and the points of each face. It starts at index *at of the face array.
static snag_status add_polyhedron(const reader *r, const piece *p, const cell_arrays *a, size_t cell, size_t *at,
                                  size_t first_vertex, snag__builder *builder)
{
    int64_t last = a->face_offsets ? a->face_offsets[cell] : 0;
    if (last <= (int64_t)*at || (size_t)last > a->face_numbers)
        return fail(r, SNAG_ERROR_FORMAT, "the faces of a polyhedron are missing, or their offsets do not increase");
    size_t begin = *at + 1, end = (size_t)last;
    *at = end;
    uint32_t *faces = malloc((end - begin + 1) * sizeof *faces);
    if (!faces)
        return snag__builder_fail(r->vtu.source, SNAG_ERROR_MEMORY);
    bool sound = true;
    size_t face_count = 0, size_at = begin;
    for (size_t i = begin; i < end && sound; i++) {
        bool is_size = i == size_at;
        int64_t number = a->faces[i];
        sound = number >= 0 && (is_size ? number >= 3 && (size_t)number < end - i : (uint64_t)number < p->points);
        faces[i - begin] = (uint32_t)(is_size ? (uint64_t)number : first_vertex + (uint64_t)number);
        size_at += sound && is_size ? (size_t)number + 1 : 0;
        face_count += is_size;
    }
    snag_status status = SNAG_OK;
    if (!sound || a->faces[begin - 1] != (int64_t)face_count)
        status = fail(r, SNAG_ERROR_FORMAT, "the faces of a polyhedron are damaged, or refer to a vertex that does not exist");
    else if ((status = snag__builder_polyhedron(builder, faces, face_count)) != SNAG_OK)
        status = snag__builder_fail(r->vtu.source, status);
    free(faces);
    return status;
}

static snag_status add_cell(const reader *r, int64_t type, const uint32_t *corners, size_t count, snag__builder *builder)
{
    snag_status status = SNAG_OK;
    if (snag__vtk_is_sound(type, count))
        status = snag__vtk_add(builder, type, corners, count);
    else
        snag__builder_skip(builder, 1, snag__vtk_is_solid(type));
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(r->vtu.source, status);
}

// The corners of all cells, as vertex numbers of the whole file. On NULL the message is set.
static uint32_t *make_corners(const reader *r, const piece *p, const cell_arrays *a, size_t first_vertex)
{
    uint32_t *corners = malloc((a->connected + 1) * sizeof *corners);
    if (!corners)
        snag__builder_fail(r->vtu.source, SNAG_ERROR_MEMORY);
    for (size_t i = 0; i < a->connected && corners; i++) {
        if (a->connectivity[i] >= 0 && (uint64_t)a->connectivity[i] < p->points) {
            corners[i] = (uint32_t)(first_vertex + (uint64_t)a->connectivity[i]);
            continue;
        }
        fail(r, SNAG_ERROR_INDEX, "a cell names a vertex that does not exist");
        free(corners);
        corners = NULL;
    }
    return corners;
}

// Bit 1: the cell belongs to another piece.
static bool is_ghost(const reader *r, const cell_arrays *a, size_t cell)
{
    return r->skip_ghosts && a->ghosts && (a->ghosts[cell] & 1);
}

static snag_status add_cells(const reader *r, const piece *p, const cell_arrays *a, size_t count, size_t first_vertex,
                             snag__builder *builder)
{
    size_t at = 0, face_at = 0;
    snag_status status = SNAG_OK;
    uint32_t *corners = make_corners(r, p, a, first_vertex);
    if (!corners)
        return r->vtu.source->error ? r->vtu.source->error->status : SNAG_ERROR_FORMAT;
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        if (a->offsets[i] < 0 || (uint64_t)a->offsets[i] < at || (uint64_t)a->offsets[i] > a->connected) {
            status = fail(r, SNAG_ERROR_FORMAT, "the offsets of the cells do not increase, or go past the end");
            break;
        }
        int64_t type = a->types ? a->types[i] : a->type;
        if (type == SNAG__VTK_POLYHEDRON)
            status = add_polyhedron(r, p, a, i, &face_at, first_vertex, builder);
        else if (!is_ghost(r, a, i))
            status = add_cell(r, type, corners + at, (size_t)a->offsets[i] - at, builder);
        at = (size_t)a->offsets[i];
    }
    free(corners);
    return status;
}

// The faces of polyhedra, if any. The highest offset is the length of the face array.
static snag_status read_faces(const reader *r, const piece *p, cell_arrays *a)
{
    if (!p->face_offsets.format[0])
        return SNAG_OK;
    snag_status status = snag__vtu_integers(&r->vtu, &p->face_offsets, (size_t)p->cells, &a->face_offsets);
    for (size_t i = 0; i < p->cells && status == SNAG_OK; i++)
        if (a->face_offsets[i] > 0 && (uint64_t)a->face_offsets[i] > a->face_numbers)
            a->face_numbers = (size_t)a->face_offsets[i];
    if (status == SNAG_OK && a->face_numbers)
        status = snag__vtu_integers(&r->vtu, &p->faces, a->face_numbers, &a->faces);
    return status;
}

// The offsets and corners of a cell list. The last offset is the number of corners of all cells.
static snag_status read_connectivity(const reader *r, const snag__vtu_array *offsets, const snag__vtu_array *connectivity,
                                     size_t count, cell_arrays *a)
{
    snag_status status = snag__vtu_integers(&r->vtu, offsets, count, &a->offsets);
    if (status == SNAG_OK)
        a->connected = a->offsets[count - 1] > 0 ? (size_t)a->offsets[count - 1] : 0;
    return status == SNAG_OK ? snag__vtu_integers(&r->vtu, connectivity, a->connected, &a->connectivity) : status;
}

static void free_arrays(const reader *r, cell_arrays *a, size_t count)
{
    snag__vtu_free(&r->vtu, a->connectivity, a->connected);
    snag__vtu_free(&r->vtu, a->offsets, count);
    snag__vtu_free(&r->vtu, a->types, count);
    snag__vtu_free(&r->vtu, a->face_offsets, count);
    snag__vtu_free(&r->vtu, a->faces, a->face_numbers);
    snag__vtu_free(&r->vtu, a->ghosts, count);
}

static snag_status read_cells(const reader *r, const piece *p, size_t first_vertex, snag__builder *builder)
{
    cell_arrays a = {.type = SNAG__VTK_POLYGON};
    size_t count = (size_t)p->cells;
    snag_status status = SNAG_OK;
    if (!r->surface)
        status = snag__vtu_integers(&r->vtu, &p->types, count, &a.types);
    if (status == SNAG_OK)
        status = read_connectivity(r, &p->offsets, &p->connectivity, count, &a);
    if (status == SNAG_OK && !r->surface)
        status = read_faces(r, p, &a);
    // On a surface the array covers points, lines, polygons and strips.
    if (status == SNAG_OK && r->skip_ghosts && p->ghosts.format[0] && !r->surface)
        status = snag__vtu_integers(&r->vtu, &p->ghosts, count, &a.ghosts);
    if (status == SNAG_OK)
        status = add_cells(r, p, &a, count, first_vertex, builder);
    free_arrays(r, &a, count);
    return status;
}

// A list of a surface whose cells are all of one type.
static snag_status read_uniform(const reader *r, const piece *p, int64_t type, uint64_t count, size_t first_vertex,
                                snag__builder *builder)
{
    cell_arrays a = {.type = type};
    const snag__vtu_array *offsets = type == SNAG__VTK_STRIP         ? &p->strip_offsets
                                     : type == SNAG__VTK_POLY_VERTEX ? &p->vert_offsets
                                                                     : &p->line_offsets;
    const snag__vtu_array *connectivity = type == SNAG__VTK_STRIP         ? &p->strip_connectivity
                                          : type == SNAG__VTK_POLY_VERTEX ? &p->vert_connectivity
                                                                          : &p->line_connectivity;
    if (count == 0)
        return SNAG_OK;
    snag_status status = read_connectivity(r, offsets, connectivity, (size_t)count, &a);
    if (status == SNAG_OK)
        status = add_cells(r, p, &a, (size_t)count, first_vertex, builder);
    free_arrays(r, &a, (size_t)count);
    return status;
}

static snag_status read_piece(const reader *r, const piece *p, snag__builder *builder)
{
    double *positions = NULL;
    size_t first = builder->vertex_count;
    snag_status status = SNAG_OK;
    if (p->points)
        status = snag__vtu_doubles(&r->vtu, &p->positions, (size_t)p->points * 3, &positions);
    for (size_t v = 0; v < p->points && status == SNAG_OK; v++) {
        status = snag__builder_vertex(builder, positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
        if (status != SNAG_OK)
            status = snag__builder_fail(r->vtu.source, status);
    }
    snag__vtu_free(&r->vtu, positions, (size_t)p->points * 3);
    if (status == SNAG_OK && p->cells)
        status = read_cells(r, p, first, builder);
    if (status == SNAG_OK)
        status = read_uniform(r, p, SNAG__VTK_STRIP, p->strips, first, builder);
    if (status == SNAG_OK)
        status = read_uniform(r, p, SNAG__VTK_POLY_VERTEX, p->verts, first, builder);
    return status == SNAG_OK ? read_uniform(r, p, SNAG__VTK_POLY_LINE, p->lines, first, builder) : status;
}

snag_status snag__vtu_pieces(const snag__source *source, bool parallel, snag__builder *builder)
{
    reader r = {.vtu = {.source = source}, .skip_ghosts = parallel, .xml = {source->data, source->data + source->size}};
    snag_status status = look_over(&r);
    for (size_t i = 0; i < r.piece_count && status == SNAG_OK; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "piece_%zu", i);
        if (r.piece_count > 1 && !parallel)
            status = snag__builder_object(builder, name, (size_t)length);
        status = status == SNAG_OK ? read_piece(&r, &r.pieces[i], builder) : snag__builder_fail(source, status);
    }
    free(r.pieces);
    return status;
}

snag_status snag__read_vtu(const snag__source *source, snag__builder *builder)
{
    snag_status status = snag__vtu_pieces(source, false, builder);
    if (status == SNAG_OK && builder->tet_count && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    return status;
}
