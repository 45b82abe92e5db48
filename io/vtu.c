// VTU: VTK's XML format for unstructured grids. Each piece is an object; triangles, quads, polygons and tetrahedra are read,
// cells of other kinds are counted as skipped.
#include "mesh.h"
#include "vtu_array.h"
#include "xml.h"

#include <stdlib.h>
#include <string.h>

enum { TRIANGLE = 5, POLYGON = 7, PIXEL = 8, QUAD = 9, TETRAHEDRON = 10 };

typedef struct piece {
    uint64_t points, cells;
    snag__vtu_array positions, connectivity, offsets, types;
} piece;

typedef struct reader {
    snag__vtu vtu;
    snag__xml xml;
    piece *pieces;
    size_t piece_count, piece_capacity;
} reader;

static void copy_value(snag__tag t, const char *name, char *copy, size_t size)
{
    snag__word value = snag__tag_value(t, name);
    snprintf(copy, size, "%.*s", value.at && value.length < size ? (int)value.length : 0, value.at ? value.at : "");
}

// ---- what the file holds ----

static snag_status fail(const reader *r, snag_status status, const char *words)
{
    return snag__io_fail(r->vtu.source->error, status, "%s: %s", snag__path_shown(r->vtu.source->name), words);
}

static snag_status begin_file(reader *r, snag__tag t)
{
    if (!snag__tag_value_is(t, "type", "UnstructuredGrid"))
        return fail(r, SNAG_ERROR_UNSUPPORTED, "is a VTK file, but not one of an unstructured grid");
    r->vtu.big_endian = snag__tag_value_is(t, "byte_order", "BigEndian");
    r->vtu.header_bytes = snag__tag_value_is(t, "header_type", "UInt64") ? 8 : 4;
    if (!snag__tag_value(t, "compressor").at)
        return SNAG_OK;
    r->vtu.compressed = true;
    if (!snag__tag_value_is(t, "compressor", "vtkZLibDataCompressor"))
        return fail(r, SNAG_ERROR_UNSUPPORTED, "is compressed by something else than zlib; save it with zlib or without");
    return SNAG_OK;
}

static snag_status begin_piece(reader *r, snag__tag t)
{
    if (r->piece_count == r->piece_capacity) {
        size_t larger = 2 * r->piece_capacity + 4;
        piece *pieces = realloc(r->pieces, larger * sizeof *pieces);
        if (!pieces)
            return fail(r, SNAG_ERROR_MEMORY, "there is not enough memory for this mesh");
        r->pieces = pieces;
        r->piece_capacity = larger;
    }
    piece *p = &r->pieces[r->piece_count++];
    *p = (piece){.positions.name = "Points", .connectivity.name = "connectivity", .offsets.name = "offsets", .types.name = "types"};
    if (!snag__tag_count(t, "NumberOfPoints", &p->points) || !snag__tag_count(t, "NumberOfCells", &p->cells))
        return fail(r, SNAG_ERROR_FORMAT, "a piece does not say how many points and cells it has");
    if (p->points > SNAG__MOST_VERTICES || p->cells > SNAG__MOST_VERTICES)
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

// An array within <Points> or <Cells>; others are passed over.
static void find_place(reader *r, snag__tag t, char within)
{
    piece *p = &r->pieces[r->piece_count - 1];
    if (within == 'P')
        note_array(r, t, &p->positions);
    else if (within == 'C' && snag__tag_value_is(t, "Name", "connectivity"))
        note_array(r, t, &p->connectivity);
    else if (within == 'C' && snag__tag_value_is(t, "Name", "offsets"))
        note_array(r, t, &p->offsets);
    else if (within == 'C' && snag__tag_value_is(t, "Name", "types"))
        note_array(r, t, &p->types);
}

static void note_appended(reader *r, snag__tag t)
{
    const char *underscore = memchr(r->xml.at, '_', (size_t)(r->xml.end - r->xml.at));
    if (!underscore)
        return;
    r->vtu.appended = underscore + 1;
    r->vtu.appended_size = (size_t)(r->xml.end - underscore) - 1;
    r->vtu.appended_raw = snag__tag_value_is(t, "encoding", "raw");
    r->xml.at = r->xml.end;  // bytes that are no XML may follow
}

static snag_status look_over(reader *r)
{
    snag__tag t;
    char within = 0;
    bool begun = false;
    snag_status status = SNAG_OK;
    while (status == SNAG_OK && snag__xml_next(&r->xml, &t)) {
        if (snag__tag_is(t, "VTKFile")) {
            begun = true;
            status = begin_file(r, t);
        } else if (snag__tag_is(t, "Piece")) {
            status = begin_piece(r, t);
        } else if (snag__tag_is(t, "Points") || snag__tag_is(t, "Cells")) {
            within = *t.at;
        } else if (snag__tag_is(t, "/Points") || snag__tag_is(t, "/Cells")) {
            within = 0;
        } else if (snag__tag_is(t, "DataArray") && r->piece_count) {
            find_place(r, t, within);
        } else if (snag__tag_is(t, "AppendedData")) {
            note_appended(r, t);
        }
    }
    if (status == SNAG_OK && !begun)
        status = fail(r, SNAG_ERROR_FORMAT, "is no VTK file: it has no <VTKFile>");
    return status;
}

// ---- cells ----

static snag_status add_cell(int64_t type, const uint32_t *corners, size_t count, snag__builder *builder)
{
    if (type == TETRAHEDRON && count == 4)
        return snag__builder_tet(builder, corners);
    if (type == PIXEL && count == 4)
        return snag__builder_polygon(builder, (const uint32_t[4]){corners[0], corners[1], corners[3], corners[2]}, 4);
    bool face = (type == TRIANGLE && count == 3) || (type == QUAD && count == 4) || (type == POLYGON && count >= 3);
    if (face)
        return snag__builder_polygon(builder, corners, count);
    snag__builder_skip(builder, 1, snag__vtk_is_solid(type));
    return SNAG_OK;
}

static snag_status add_cells(const reader *r, const piece *p, const int64_t *types, const int64_t *offsets,
                             const int64_t *connectivity, size_t connected, size_t first_vertex, snag__builder *builder)
{
    size_t at = 0;
    uint32_t *corners = malloc((connected + 1) * sizeof *corners);
    if (!corners)
        return snag__builder_fail(r->vtu.source, SNAG_ERROR_MEMORY);
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < connected && status == SNAG_OK; i++) {
        if (connectivity[i] < 0 || (uint64_t)connectivity[i] >= p->points)
            status = fail(r, SNAG_ERROR_INDEX, "a cell names a vertex that does not exist");
        else
            corners[i] = (uint32_t)(first_vertex + (uint64_t)connectivity[i]);
    }
    for (size_t i = 0; i < p->cells && status == SNAG_OK; i++) {
        if (offsets[i] < 0 || (uint64_t)offsets[i] < at || (uint64_t)offsets[i] > connected) {
            status = fail(r, SNAG_ERROR_FORMAT, "the offsets of the cells do not rise, or go past their end");
            break;
        }
        status = add_cell(types[i], corners + at, (size_t)offsets[i] - at, builder);
        if (status != SNAG_OK)
            status = snag__builder_fail(r->vtu.source, status);
        at = (size_t)offsets[i];
    }
    free(corners);
    return status;
}

static snag_status read_piece(const reader *r, const piece *p, snag__builder *builder)
{
    double *positions = NULL;
    int64_t *connectivity = NULL, *offsets = NULL, *types = NULL;
    size_t connected = 0, first = builder->vertex_count;
    snag_status status = SNAG_OK;
    if (p->points)
        status = snag__vtu_doubles(&r->vtu, &p->positions, (size_t)p->points * 3, &positions);
    for (size_t v = 0; v < p->points && status == SNAG_OK; v++) {
        status = snag__builder_vertex(builder, positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
        if (status != SNAG_OK)
            status = snag__builder_fail(r->vtu.source, status);
    }
    if (status == SNAG_OK && p->cells) {
        status = snag__vtu_integers(&r->vtu, &p->types, (size_t)p->cells, &types);
        if (status == SNAG_OK)
            status = snag__vtu_integers(&r->vtu, &p->offsets, (size_t)p->cells, &offsets);
        // The last offset says how many corners all cells have together.
        if (status == SNAG_OK)
            connected = offsets[p->cells - 1] > 0 ? (size_t)offsets[p->cells - 1] : 0;
        if (status == SNAG_OK)
            status = snag__vtu_integers(&r->vtu, &p->connectivity, connected, &connectivity);
        if (status == SNAG_OK)
            status = add_cells(r, p, types, offsets, connectivity, connected, first, builder);
    }
    snag__vtu_free(&r->vtu, positions, (size_t)p->points * 3);
    snag__vtu_free(&r->vtu, connectivity, connected);
    snag__vtu_free(&r->vtu, offsets, (size_t)p->cells);
    snag__vtu_free(&r->vtu, types, (size_t)p->cells);
    return status;
}

snag_status snag__read_vtu(const snag__source *source, snag__builder *builder)
{
    reader r = {.vtu = {.source = source}, .xml = {source->data, source->data + source->size}};
    snag_status status = look_over(&r);
    for (size_t i = 0; i < r.piece_count && status == SNAG_OK; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "piece_%zu", i);
        if (r.piece_count > 1)
            status = snag__builder_object(builder, name, (size_t)length);
        status = status == SNAG_OK ? read_piece(&r, &r.pieces[i], builder) : snag__builder_fail(source, status);
    }
    free(r.pieces);
    if (status == SNAG_OK && builder->tet_count && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    return status;
}
