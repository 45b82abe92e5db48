// Legacy VTK, text and binary: UNSTRUCTURED_GRID and POLYDATA. Cells are in the old form (each with its size) or in the
// form of version 5 (OFFSETS and CONNECTIVITY).
//
// Cell types are in vtk_cells.c. The point list of a polyhedron holds the number of faces, then the size and the points of
// each face. Faces beside volumes are dropped as in msh.c. Point and cell data is not read.
#include "bytes.h"
#include "text.h"
#include "vtk_cells.h"

#include <stdlib.h>

enum { CELL_TYPES = 256 };  // all types are below this

typedef enum value_class { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_REAL, VALUE_BIT } value_class;

typedef struct value_type {
    const char *name;
    size_t size;  // bytes in a binary file; one byte holds eight bits of type bit
    value_class kind;
} value_type;

// These files store vtkIdType as int; long has the size it has on most systems that wrote such files.
static const value_type value_types[] = {
    {"float", 4, VALUE_REAL},
    {"double", 8, VALUE_REAL},
    {"int", 4, VALUE_SIGNED},
    {"unsigned_int", 4, VALUE_UNSIGNED},
    {"vtktypeint64", 8, VALUE_SIGNED},
    {"vtktypeuint64", 8, VALUE_UNSIGNED},
    {"vtktypeint32", 4, VALUE_SIGNED},
    {"vtktypeuint32", 4, VALUE_UNSIGNED},
    {"vtkidtype", 4, VALUE_SIGNED},
    {"long", 8, VALUE_SIGNED},
    {"unsigned_long", 8, VALUE_UNSIGNED},
    {"short", 2, VALUE_SIGNED},
    {"unsigned_short", 2, VALUE_UNSIGNED},
    {"char", 1, VALUE_SIGNED},
    {"signed_char", 1, VALUE_SIGNED},
    {"unsigned_char", 1, VALUE_UNSIGNED},
    {"bit", 1, VALUE_BIT},
};

static const value_type int_type = {"int", 4, VALUE_SIGNED};
static const value_type byte_type = {"unsigned_char", 1, VALUE_UNSIGNED};

// Cells or polygons: their sizes, and the concatenated points of all of them.
typedef struct cell_list {
    size_t count;
    uint32_t *sizes;
    size_t corner_count;
    uint32_t *corners;
} cell_list;

typedef struct vtk {
    snag__text text;
    snag__builder *builder;
    bool grid;  // UNSTRUCTURED_GRID; else POLYDATA
    bool saw_points, saw_cells, saw_types;
    bool done;  // at the point or cell data
    cell_list cells;  // of a grid, until their types are known
    // The first number in them that is not a point: an error, unless its cell is a polyhedron.
    const char *odd_at;
    size_t odd_cell;
} vtk;

// ---- messages ----

static snag_status fail_memory(const vtk *v)
{
    return snag__builder_fail(v->text.source, SNAG_ERROR_MEMORY);
}

static snag_status checked(const vtk *v, snag_status status)
{
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(v->text.source, status);
}

// ---- numbers ----

static size_t bytes_left(const vtk *v)
{
    return (size_t)(v->text.end - v->text.at);
}

// How many values of a type the rest of the file can hold: in text each takes a digit and, except the last, a blank.
static size_t values_left(const vtk *v, const value_type *type)
{
    return v->text.binary ? bytes_left(v) / type->size : bytes_left(v) / 2 + 1;
}

// Skips the rest of the heading line, to the data.
static void begin_data(vtk *v)
{
    if (v->text.binary)
        snag__text_skip_line(&v->text);
}

// Rejects more values than the file can hold, before allocating memory for them.
static snag_status check_room(const vtk *v, const value_type *type, const char *what, uint64_t count)
{
    size_t room = values_left(v, type);
    if (count <= room)
        return SNAG_OK;
    return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_SIZE, "%s need %llu numbers, but the rest of the file has %zu at most",
                           what, (unsigned long long)count, room);
}

static const char *take_value(vtk *v, const value_type *type)
{
    const char *at = v->text.at;
    if (bytes_left(v) < type->size)
        return NULL;
    v->text.at += type->size;
    return at;
}

static snag_status fail_end(const vtk *v, const char *what)
{
    return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_FORMAT, "the file ends before %s", what);
}

static snag_status get_integer(vtk *v, const value_type *type, const char *what, int64_t *value)
{
    if (!v->text.binary)
        return snag__text_integer(&v->text, what, value);
    const char *at = take_value(v, type);
    if (!at)
        return fail_end(v, what);
    uint64_t bits = snag__bytes_unsigned(at, type->size, true);
    // Shift up and down again to extend the sign.
    int shift = 64 - 8 * (int)type->size;
    *value = type->kind == VALUE_SIGNED ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
    return SNAG_OK;
}

static snag_status get_real(vtk *v, const value_type *type, const char *what, double *value)
{
    if (!v->text.binary)
        return snag__text_double(&v->text, what, value);
    if (type->kind != VALUE_REAL) {
        int64_t number = 0;
        snag_status status = get_integer(v, type, what, &number);
        *value = (double)number;
        return status;
    }
    const char *at = take_value(v, type);
    if (!at)
        return fail_end(v, what);
    *value = type->size == 4 ? (double)snag__bytes_f32(at, true) : snag__bytes_f64(at, true);
    return SNAG_OK;
}

// Reads a count from a heading line, which is text in binary files too.
static snag_status get_heading_count(vtk *v, const char *what, uint64_t *count)
{
    return snag__text_count(&v->text, what, UINT32_MAX, count);
}

static snag_status get_type(vtk *v, const value_type **type)
{
    snag__word word = snag__text_word(&v->text);
    for (size_t i = 0; i < sizeof value_types / sizeof *value_types; i++)
        if (snag__word_is(word, value_types[i].name)) {
            *type = &value_types[i];
            return SNAG_OK;
        }
    return snag__text_fail(&v->text, word.at, SNAG_ERROR_UNSUPPORTED, "values of type %s are not supported",
                           snag__text_show(&v->text, word.at).text);
}

// ---- points ----

static snag_status read_points(vtk *v, const char *heading)
{
    static const char *what[3] = {"x of a point", "y of a point", "z of a point"};
    uint64_t count = 0;
    const value_type *type = NULL;
    if (v->saw_points)
        return snag__text_fail(&v->text, heading, SNAG_ERROR_FORMAT, "there is a second list of POINTS");
    v->saw_points = true;
    snag_status status = get_heading_count(v, "the number of points", &count);
    if (status == SNAG_OK)
        status = get_type(v, &type);
    if (status != SNAG_OK)
        return status;
    if (type->kind == VALUE_BIT)
        return snag__text_fail(&v->text, heading, SNAG_ERROR_UNSUPPORTED, "points of type bit are not supported");
    begin_data(v);
    status = check_room(v, type, "the coordinates of POINTS", 3 * count);
    if (status == SNAG_OK)
        status = checked(v, snag__builder_reserve_vertices(v->builder, (size_t)count));
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        double xyz[3];
        for (int axis = 0; axis < 3; axis++) {
            status = get_real(v, type, what[axis], &xyz[axis]);
            if (status != SNAG_OK)
                return status;
            if (xyz[axis] - xyz[axis] != 0)  // NaN or infinite
                return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_NOT_FINITE, "point %llu (counted from 0) is not finite",
                                       (unsigned long long)i);
        }
        status = checked(v, snag__builder_vertex(v->builder, xyz[0], xyz[1], xyz[2]));
    }
    return status;
}

// ---- lists of cells ----

static void cell_list_free(cell_list *list)
{
    free(list->sizes);
    free(list->corners);
    *list = (cell_list){0};
}

static snag_status cell_list_allocate(const vtk *v, cell_list *list, size_t count, size_t corner_count)
{
    list->sizes = malloc((count ? count : 1) * sizeof *list->sizes);
    list->corners = malloc((corner_count ? corner_count : 1) * sizeof *list->corners);
    list->count = count;
    list->corner_count = corner_count;
    return list->sizes && list->corners ? SNAG_OK : fail_memory(v);
}

static snag_status fail_point(const vtk *v, const char *at, size_t cell, long long point)
{
    return snag__text_fail(&v->text, at, SNAG_ERROR_INDEX, "cell %zu names point %lld, which does not exist; they are 0 to %zu",
                           cell, point, v->builder->vertex_count);
}

static snag_status read_corner(vtk *v, const value_type *type, size_t cell, uint32_t *corner)
{
    int64_t point = 0;
    if (!v->text.binary)
        snag__text_more(&v->text);
    const char *at = v->text.at;
    snag_status status = get_integer(v, type, "a point of a cell", &point);
    if (status != SNAG_OK)
        return status;
    bool exists = point >= 0 && (uint64_t)point < v->builder->vertex_count;
    if (point < 0 || point > UINT32_MAX || (!exists && !v->grid))
        return fail_point(v, at, cell, (long long)point);
    if (!exists && !v->odd_at) {
        v->odd_at = at;
        v->odd_cell = cell;
    }
    *corner = (uint32_t)point;
    return SNAG_OK;
}

// The old form: each cell has its size before its points, and `total` counts both.
static snag_status read_sized_cells(vtk *v, cell_list *list, uint64_t count, uint64_t total)
{
    begin_data(v);
    if (total < count)
        return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_FORMAT, "%llu cells need more than %llu numbers",
                               (unsigned long long)count, (unsigned long long)total);
    snag_status status = check_room(v, &int_type, "these cells", total);
    if (status == SNAG_OK)
        status = cell_list_allocate(v, list, (size_t)count, (size_t)(total - count));
    size_t left = list->corner_count;
    uint32_t *corner = list->corners;
    for (size_t cell = 0; cell < count && status == SNAG_OK; cell++) {
        int64_t size = 0;
        status = get_integer(v, &int_type, "the size of a cell", &size);
        if (status == SNAG_OK && (size < 0 || (uint64_t)size > left))
            return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_FORMAT, "cell %zu has %lld points, but %zu are left for all",
                                   cell, (long long)size, left);
        list->sizes[cell] = (uint32_t)size;
        left -= (size_t)size;
        for (int64_t i = 0; i < size && status == SNAG_OK; i++)
            status = read_corner(v, &int_type, cell, corner++);
    }
    if (status == SNAG_OK && left > 0)
        return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_FORMAT, "the cells have %zu fewer points than their heading says",
                               left);
    return status;
}

// Offsets into the concatenated points; the last offset is their number.
static snag_status read_offsets(vtk *v, const value_type *type, cell_list *list)
{
    int64_t last = 0;
    snag_status status = get_integer(v, type, "the first offset", &last);
    bool sound = last == 0;
    for (size_t cell = 0; cell < list->count && status == SNAG_OK && sound; cell++) {
        int64_t next = 0;
        status = get_integer(v, type, "the offset of a cell", &next);
        sound = next >= last && (uint64_t)next <= list->corner_count;
        list->sizes[cell] = sound ? (uint32_t)(next - last) : 0;
        last = next;
    }
    if (status == SNAG_OK && (!sound || (uint64_t)last != list->corner_count))
        return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_FORMAT, "OFFSETS must rise from 0 to %zu, found %lld",
                               list->corner_count, (long long)last);
    return status;
}

static snag_status read_connectivity(vtk *v, const value_type *type, cell_list *list)
{
    snag_status status = SNAG_OK;
    uint32_t *corner = list->corners;
    for (size_t cell = 0; cell < list->count && status == SNAG_OK; cell++)
        for (uint32_t i = 0; i < list->sizes[cell] && status == SNAG_OK; i++)
            status = read_corner(v, type, cell, corner++);
    return status;
}

// Reads the heading "NAME type" of an array of version 5 and checks that the file can hold its values.
static snag_status begin_part(vtk *v, const char *name, uint64_t count, const value_type **type)
{
    snag__word word = snag__text_word(&v->text);
    if (!snag__word_is(word, name))
        return snag__text_fail(&v->text, word.at, SNAG_ERROR_FORMAT, "expected %s, found %s", name,
                               snag__text_show(&v->text, word.at).text);
    snag_status status = get_type(v, type);
    if (status != SNAG_OK)
        return status;
    if ((*type)->kind != VALUE_SIGNED && (*type)->kind != VALUE_UNSIGNED)
        return snag__text_fail(&v->text, word.at, SNAG_ERROR_FORMAT, "%s must be whole numbers, not %s", name, (*type)->name);
    begin_data(v);
    return check_room(v, *type, name, count);
}

// The form of version 5: `offset_count` is the number of cells plus one.
static snag_status read_offset_cells(vtk *v, cell_list *list, uint64_t offset_count, uint64_t corner_count)
{
    const value_type *type = NULL;
    snag_status status = begin_part(v, "OFFSETS", offset_count, &type);
    if (status == SNAG_OK)
        status = check_room(v, &byte_type, "CONNECTIVITY", corner_count);  // its own type is not known yet
    if (status == SNAG_OK)
        status = cell_list_allocate(v, list, offset_count ? (size_t)offset_count - 1 : 0, (size_t)corner_count);
    if (status == SNAG_OK && offset_count > 0)
        status = read_offsets(v, type, list);
    if (status == SNAG_OK)
        status = begin_part(v, "CONNECTIVITY", corner_count, &type);
    return status == SNAG_OK ? read_connectivity(v, type, list) : status;
}

// Whether the next word is this one; does not consume it.
static bool next_word_is(const vtk *v, const char *expected)
{
    snag__text ahead = v->text;
    return snag__word_is(snag__text_word(&ahead), expected);
}

static snag_status read_cell_list(vtk *v, const char *heading, cell_list *list)
{
    uint64_t first = 0, second = 0;
    if (!v->saw_points)
        return snag__text_fail(&v->text, heading, SNAG_ERROR_FORMAT, "cells come before POINTS");
    snag_status status = get_heading_count(v, "the number of cells", &first);
    if (status == SNAG_OK)
        status = get_heading_count(v, "the number of values of cells", &second);
    if (status != SNAG_OK)
        return status;
    return next_word_is(v, "OFFSETS") ? read_offset_cells(v, list, first, second) : read_sized_cells(v, list, first, second);
}

// ---- cells to faces and tetrahedra ----

// Checks the point list of a polyhedron, which starts with the number of faces.
static bool is_polyhedron(const vtk *v, const uint32_t *list, size_t size)
{
    size_t at = 1, faces = 0;
    for (; at < size; faces++) {
        size_t end = at + 1 + list[at];
        if (list[at] < 3 || end > size)
            return false;
        for (at++; at < end; at++)
            if (list[at] >= v->builder->vertex_count)
                return false;
    }
    return size > 0 && faces == list[0];
}

static snag_status check_points(const vtk *v, size_t cell, const uint32_t *points, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (points[i] >= v->builder->vertex_count)
            return fail_point(v, v->odd_cell == cell ? v->odd_at : v->text.at, cell, points[i]);
    return SNAG_OK;
}

static snag_status add_cell(vtk *v, size_t cell, uint8_t type, const uint32_t *corners, uint32_t size)
{
    bool polyhedron = type == SNAG__VTK_POLYHEDRON;
    if (polyhedron ? !is_polyhedron(v, corners, size) : !snag__vtk_is_sound(type, size))
        return snag__io_fail(v->text.source->error, SNAG_ERROR_FORMAT,
                             polyhedron ? "%s: cell %zu (counted from 0) of type %u: its list of %u numbers is not one of faces"
                                        : "%s: cell %zu (counted from 0) of type %u has %u points",
                             snag__path_shown(v->text.source->name), cell, type, size);
    if (polyhedron)
        return checked(v, snag__builder_polyhedron(v->builder, corners + 1, corners[0]));
    snag_status status = v->odd_at ? check_points(v, cell, corners, size) : SNAG_OK;
    return status == SNAG_OK ? checked(v, snag__vtk_add(v->builder, type, corners, size)) : status;
}

static snag_status read_cell_types(vtk *v, const char *heading)
{
    uint64_t count = 0;
    if (!v->saw_cells || v->saw_types)
        return snag__text_fail(&v->text, heading, SNAG_ERROR_FORMAT, "CELL_TYPES must follow CELLS, once");
    v->saw_types = true;
    snag_status status = get_heading_count(v, "the number of cell types", &count);
    if (status == SNAG_OK && count != v->cells.count)
        return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_FORMAT, "there are %zu CELLS, but %llu CELL_TYPES", v->cells.count,
                               (unsigned long long)count);
    begin_data(v);
    const uint32_t *corners = v->cells.corners;
    for (size_t cell = 0; cell < count && status == SNAG_OK; cell++) {
        int64_t type = 0;
        status = get_integer(v, &int_type, "the type of a cell", &type);
        if (status == SNAG_OK && (type < 0 || type >= CELL_TYPES))
            return snag__text_fail(&v->text, v->text.at, SNAG_ERROR_FORMAT, "unknown cell type %lld", (long long)type);
        if (status == SNAG_OK)
            status = add_cell(v, cell, (uint8_t)type, corners, v->cells.sizes[cell]);
        corners += v->cells.sizes[cell];
    }
    cell_list_free(&v->cells);
    return status;
}

// A cell list of POLYDATA; all its cells have one type.
static snag_status read_uniform_cells(vtk *v, const char *heading, uint8_t type)
{
    cell_list list = {0};
    snag_status status = read_cell_list(v, heading, &list);
    const uint32_t *corners = list.corners;
    for (size_t cell = 0; cell < list.count && status == SNAG_OK; cell++) {
        status = add_cell(v, cell, type, corners, list.sizes[cell]);
        corners += list.sizes[cell];
    }
    cell_list_free(&list);
    return status;
}

static snag_status read_cells(vtk *v, const char *heading)
{
    if (v->saw_cells)
        return snag__text_fail(&v->text, heading, SNAG_ERROR_FORMAT, "there is a second list of CELLS");
    v->saw_cells = true;
    return read_cell_list(v, heading, &v->cells);
}

// ---- skipped data ----

// Skips to an empty line.
static void skip_metadata(vtk *v)
{
    snag__text_skip_line(&v->text);
    while (v->text.at < v->text.end && snag__text_more_in_line(&v->text))
        snag__text_skip_line(&v->text);
}

static snag_status skip_array(vtk *v)
{
    uint64_t components = 0, tuples = 0;
    const value_type *type = NULL;
    snag__text_word(&v->text);  // the name
    snag_status status = get_heading_count(v, "the components of an array", &components);
    if (status == SNAG_OK)
        status = get_heading_count(v, "the tuples of an array", &tuples);
    if (status == SNAG_OK)
        status = get_type(v, &type);
    if (status != SNAG_OK)
        return status;
    begin_data(v);
    uint64_t count = components * tuples;  // both are below 2^32
    if (v->text.binary && type->kind == VALUE_BIT)
        count = count / 8 + (count % 8 != 0);
    status = check_room(v, type, "the values of an array", count);
    if (status != SNAG_OK)
        return status;
    if (v->text.binary)
        v->text.at += (size_t)count * type->size;
    for (uint64_t i = 0; i < count && !v->text.binary; i++)
        snag__text_word(&v->text);
    return SNAG_OK;
}

static snag_status skip_field(vtk *v)
{
    uint64_t arrays = 0;
    snag__text_word(&v->text);  // the name
    snag_status status = get_heading_count(v, "the number of arrays", &arrays);
    for (uint64_t i = 0; i < arrays && status == SNAG_OK; i++) {
        if (next_word_is(v, "METADATA")) {
            snag__text_word(&v->text);
            skip_metadata(v);
        }
        if (!snag__text_more(&v->text))
            return fail_end(v, "the last array of a FIELD");
        status = skip_array(v);
    }
    return status;
}

// ---- the file ----

static snag_status read_block(vtk *v)
{
    snag__word word = snag__text_word(&v->text);
    if (snag__word_is(word, "POINT_DATA") || snag__word_is(word, "CELL_DATA")) {
        v->done = true;
        return SNAG_OK;
    }
    if (snag__word_is(word, "POINTS"))
        return read_points(v, word.at);
    if (snag__word_is(word, "FIELD"))
        return skip_field(v);
    if (snag__word_is(word, "METADATA")) {
        skip_metadata(v);
        return SNAG_OK;
    }
    if (v->grid && snag__word_is(word, "CELLS"))
        return read_cells(v, word.at);
    if (v->grid && snag__word_is(word, "CELL_TYPES"))
        return read_cell_types(v, word.at);
    if (!v->grid && snag__word_is(word, "POLYGONS"))
        return read_uniform_cells(v, word.at, SNAG__VTK_POLYGON);
    if (!v->grid && snag__word_is(word, "TRIANGLE_STRIPS"))
        return read_uniform_cells(v, word.at, SNAG__VTK_STRIP);
    if (!v->grid && snag__word_is(word, "VERTICES"))
        return read_uniform_cells(v, word.at, SNAG__VTK_POLY_VERTEX);
    if (!v->grid && snag__word_is(word, "LINES"))
        return read_uniform_cells(v, word.at, SNAG__VTK_POLY_LINE);
    return snag__text_fail(&v->text, word.at, SNAG_ERROR_FORMAT, "unexpected %s in a VTK file",
                           snag__text_show(&v->text, word.at).text);
}

static snag_status read_dataset(vtk *v)
{
    snag__word word = snag__text_word(&v->text);
    if (!snag__word_is(word, "DATASET"))
        return snag__text_fail(&v->text, word.at, SNAG_ERROR_FORMAT, "expected DATASET, found %s",
                               snag__text_show(&v->text, word.at).text);
    word = snag__text_word(&v->text);
    v->grid = snag__word_is(word, "UNSTRUCTURED_GRID");
    if (v->grid || snag__word_is(word, "POLYDATA"))
        return SNAG_OK;
    return snag__text_fail(&v->text, word.at, SNAG_ERROR_UNSUPPORTED,
                           "datasets of type %s are not supported; UNSTRUCTURED_GRID and POLYDATA are",
                           snag__text_show(&v->text, word.at).text);
}

static snag_status read_header(vtk *v)
{
    static const char magic[] = "# vtk DataFile Version";
    snag__word line = snag__text_rest_of_line(&v->text);
    if (line.length < sizeof magic || memcmp(line.at, magic, sizeof magic - 1) != 0)
        return snag__text_fail(&v->text, line.at, SNAG_ERROR_FORMAT, "a legacy VTK file begins with \"%s\"", magic);
    double version = 0;
    snag__read_double(line.at + sizeof magic, line.at + line.length, &version);
    if (!(version >= 1 && version < 6))
        return snag__text_fail(&v->text, line.at, SNAG_ERROR_UNSUPPORTED,
                               "unknown version of legacy VTK; 1.0 to 5.1 are supported");
    snag__text_skip_line(&v->text);  // the title
    snag__word kind = snag__text_word(&v->text);
    if (!snag__word_is(kind, "ASCII") && !snag__word_is(kind, "BINARY"))
        return snag__text_fail(&v->text, kind.at, SNAG_ERROR_FORMAT, "expected ASCII or BINARY, found %s",
                               snag__text_show(&v->text, kind.at).text);
    v->text.binary = snag__word_is(kind, "BINARY");
    return read_dataset(v);
}

static snag_status check_whole(const vtk *v)
{
    const char *missing = NULL;
    if (!v->saw_points)
        missing = "POINTS";
    else if (v->grid && !v->saw_cells)
        missing = "CELLS";
    else if (v->grid && !v->saw_types)
        missing = "CELL_TYPES";
    if (!missing)
        return SNAG_OK;
    return snag__io_fail(v->text.source->error, SNAG_ERROR_FORMAT, "%s: the file ends before its %s",
                         snag__path_shown(v->text.source->name), missing);
}

snag_status snag__read_vtk(const snag__source *source, snag__builder *builder)
{
    vtk v = {.text = snag__text_begin(source, 0), .builder = builder};
    snag_status status = read_header(&v);
    while (status == SNAG_OK && !v.done && snag__text_more(&v.text))
        status = read_block(&v);
    if (status == SNAG_OK)
        status = check_whole(&v);
    if (status == SNAG_OK && builder->tet_count > 0 && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    cell_list_free(&v.cells);
    return status;
}
