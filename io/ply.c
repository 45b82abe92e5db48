// PLY, the polygon file format of Stanford: ASCII and binary of both byte orders.
//
// The header lists the elements and their properties. We read x, y, z of the element "vertex" and the list "vertex_indices" (or
// "vertex_index") of the element "face", and skip everything else. A coordinate is rounded to its type in the header, so that an
// ASCII file and a binary file of the same mesh give the same result.
//
// Some programs write more numbers into a line than their header declares. If every record has its own line, the extra numbers are
// skipped with a note; in other files line ends have no meaning.
#include "mesh.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

typedef enum ply_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPE_COUNT } ply_type;

static const struct {
    const char *name, *other_name;
    unsigned bytes;
} types[TYPE_COUNT] = {
    {"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8},
};

// The meaning of a property for the reader.
typedef enum ply_role { OTHER_PROPERTY = -1, X = 0, Y = 1, Z = 2, INDICES = 3, FIRST_END = 4, SECOND_END = 5 } ply_role;

typedef struct ply_property {
    bool list;
    ply_type count_type;  // of a list
    ply_type type;
    ply_role role;
} ply_property;

typedef enum ply_kind { VERTEX, FACE, EDGE, STRIPS, OTHER_ELEMENT } ply_kind;

static const char *const kind_names[] = {"vertex", "face", "edge", "strip", "element"};

typedef struct ply_element {
    ply_kind kind;
    uint64_t count;
    size_t first_property, property_count;
    const char *at;  // its line in the header
    bool names_vertices;  // another kind of element that lists vertices, such as "tet"
} ply_element;

typedef struct ply_reader {
    snag__text text;  // the header, and the data too: binary data is read through its `at`
    snag__builder *builder;
    enum { NO_FORMAT, ASCII, LITTLE_ENDIAN, BIG_ENDIAN } format;
    ply_element *elements;
    size_t element_count, element_capacity;
    ply_property *properties;
    size_t property_count, property_capacity;
    uint64_t vertex_count;  // as stated in the header
    const char *data;  // after the header
    bool by_line;  // each record is on one line, and the rest of the line is ignored
    uint64_t long_lines;  // lines with more numbers than the header declares
    const char *first_long_line;
    // Current position, for messages.
    ply_kind kind;
    uint64_t number;
} ply_reader;

// ---- header ----

static void *room_for_one(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t larger_capacity = count < 8 ? 8 : 2 * count;
    void *larger = realloc(array, larger_capacity * size);
    if (larger)
        *capacity = larger_capacity;
    return larger;
}

static snag_status read_format(ply_reader *reader)
{
    snag__text *text = &reader->text;
    snag__word word = snag__text_word_in_line(text);
    if (snag__word_is(word, "ascii"))
        reader->format = ASCII;
    else if (snag__word_is(word, "binary_little_endian"))
        reader->format = LITTLE_ENDIAN;
    else if (snag__word_is(word, "binary_big_endian"))
        reader->format = BIG_ENDIAN;
    else
        return snag__text_fail(text, word.at, SNAG_ERROR_FORMAT,
                               "the format: expected ascii, binary_little_endian or binary_big_endian, found %s",
                               snag__text_show(text, word.at).text);
    return SNAG_OK;
}

static ply_kind kind_of(snag__word name)
{
    if (snag__word_is(name, "vertex"))
        return VERTEX;
    if (snag__word_is(name, "face"))
        return FACE;
    if (snag__word_is(name, "edge"))
        return EDGE;
    return snag__word_is(name, "tristrips") ? STRIPS : OTHER_ELEMENT;
}

static const ply_element *element_of_kind(const ply_reader *reader, ply_kind kind)
{
    for (size_t i = 0; i < reader->element_count; i++)
        if (reader->elements[i].kind == kind)
            return &reader->elements[i];
    return NULL;
}

static snag_status read_element(ply_reader *reader)
{
    snag__text *text = &reader->text;
    snag__word name = snag__text_word_in_line(text);
    ply_element element = {.kind = kind_of(name), .first_property = reader->property_count, .at = name.at};
    bool ours = element.kind == VERTEX || element.kind == FACE || element.kind == EDGE;
    if (ours && element_of_kind(reader, element.kind))
        return snag__text_fail(text, name.at, SNAG_ERROR_FORMAT, "the element %s is defined twice",
                               snag__text_show(text, name.at).text);
    if (!snag__text_more_in_line(text))
        return snag__text_fail(text, text->at, SNAG_ERROR_FORMAT, "an element needs a name and a count");
    snag_status status = snag__text_count(text, "the number of elements", ours ? SNAG__MOST_VERTICES : INT64_MAX, &element.count);
    if (status != SNAG_OK)
        return status;
    if (element.kind == VERTEX)
        reader->vertex_count = element.count;
    void *room = room_for_one(reader->elements, reader->element_count, &reader->element_capacity, sizeof element);
    if (!room)
        return snag__builder_fail(text->source, SNAG_ERROR_MEMORY);
    reader->elements = room;
    reader->elements[reader->element_count++] = element;
    return SNAG_OK;
}

static snag_status read_type(snag__text *text, ply_type *type)
{
    snag__word word = snag__text_word_in_line(text);
    for (int i = 0; i < TYPE_COUNT; i++)
        if (snag__word_is(word, types[i].name) || snag__word_is(word, types[i].other_name)) {
            *type = (ply_type)i;
            return SNAG_OK;
        }
    return snag__text_fail(text, word.at, SNAG_ERROR_FORMAT, "expected a type such as float, found %s",
                           snag__text_show(text, word.at).text);
}

static bool names_vertices(snag__word property)
{
    return snag__word_is(property, "vertex_indices") || snag__word_is(property, "vertex_index");
}

static ply_role role_of(ply_kind kind, snag__word name, bool list)
{
    if (kind == VERTEX && !list && name.length == 1 && *name.at >= 'x' && *name.at <= 'z')
        return (ply_role)(*name.at - 'x');
    if (kind == FACE && list && names_vertices(name))
        return INDICES;
    if (kind == EDGE && !list && (snag__word_is(name, "vertex1") || snag__word_is(name, "vertex2")))
        return snag__word_is(name, "vertex1") ? FIRST_END : SECOND_END;
    return OTHER_PROPERTY;
}

static snag_status read_property(ply_reader *reader)
{
    snag__text *text = &reader->text;
    const char *begin = text->at;
    if (reader->element_count == 0)
        return snag__text_fail(text, begin, SNAG_ERROR_FORMAT, "a property comes before the first element");
    ply_element *element = &reader->elements[reader->element_count - 1];
    ply_property property = {0};
    snag_status status = SNAG_OK;
    property.list = snag__word_is(snag__text_word_in_line(text), "list");
    if (property.list)
        status = read_type(text, &property.count_type);
    else
        text->at = begin;
    if (status == SNAG_OK)
        status = read_type(text, &property.type);
    if (status != SNAG_OK)
        return status;
    if (property.list && property.count_type >= FLOAT32)
        return snag__text_fail(text, begin, SNAG_ERROR_FORMAT, "the length of a list cannot be a fraction");
    snag__word name = snag__text_word_in_line(text);
    property.role = role_of(element->kind, name, property.list);
    if (element->kind == OTHER_ELEMENT && property.list && names_vertices(name))
        element->names_vertices = true;
    for (size_t i = element->first_property; property.role != OTHER_PROPERTY && i < reader->property_count; i++)
        if (reader->properties[i].role == property.role)
            return snag__text_fail(text, begin, SNAG_ERROR_FORMAT, "the element has this property already");
    void *room = room_for_one(reader->properties, reader->property_count, &reader->property_capacity, sizeof property);
    if (!room)
        return snag__builder_fail(text->source, SNAG_ERROR_MEMORY);
    reader->properties = room;
    reader->properties[reader->property_count++] = property;
    element->property_count++;
    return SNAG_OK;
}

static bool has_role(const ply_reader *reader, const ply_element *element, ply_role role)
{
    for (size_t i = 0; i < element->property_count; i++)
        if (reader->properties[element->first_property + i].role == role)
            return true;
    return false;
}

// Checks that the header declares everything we need.
static snag_status check_header(const ply_reader *reader)
{
    const snag__text *text = &reader->text;
    if (reader->format == NO_FORMAT)
        return snag__text_fail(text, text->at, SNAG_ERROR_FORMAT, "the header has no format");
    const ply_element *vertex = element_of_kind(reader, VERTEX), *face = element_of_kind(reader, FACE);
    const ply_element *strips = element_of_kind(reader, STRIPS);
    if (!vertex)
        return snag__text_fail(text, text->at, SNAG_ERROR_FORMAT, "the header has no element vertex");
    for (int role = X; role <= Z; role++)
        if (!has_role(reader, vertex, (ply_role)role))
            return snag__text_fail(text, vertex->at, SNAG_ERROR_FORMAT, "a vertex has no property %c", "xyz"[role]);
    if (face && face->count > 0 && !has_role(reader, face, INDICES))
        return snag__text_fail(text, face->at, SNAG_ERROR_FORMAT, "a face has no list vertex_indices (or vertex_index)");
    const ply_element *edge = element_of_kind(reader, EDGE);
    if (edge && edge->count > 0 && (!has_role(reader, edge, FIRST_END) || !has_role(reader, edge, SECOND_END)))
        return snag__text_fail(text, edge->at, SNAG_ERROR_FORMAT, "an edge has no properties vertex1 and vertex2");
    if (strips && strips->count > 0)
        return snag__text_fail(text, strips->at, SNAG_ERROR_UNSUPPORTED,
                               "triangle strips are not supported; write the faces as polygons");
    return SNAG_OK;
}

// Reads the header and leaves `at` at the first byte of the data.
static snag_status read_header(ply_reader *reader)
{
    snag__text *text = &reader->text;
    snag__word magic = snag__text_word_in_line(text);
    if (!snag__word_is(magic, "ply"))
        return snag__text_fail(text, magic.at, SNAG_ERROR_FORMAT, "a PLY file begins with ply, found %s",
                               snag__text_show(text, magic.at).text);
    // In binary data the first byte may look like the second half of a line end. The first line shows how lines end.
    snag__text_more_in_line(text);
    bool long_ends = text->end - text->at >= 2 && text->at[0] == '\r' && text->at[1] == '\n';
    snag__text_skip_line(text);
    while (snag__text_more(text)) {
        snag__word word = snag__text_word(text);
        snag_status status = SNAG_OK;
        if (snag__word_is(word, "end_header")) {
            snag__text_more_in_line(text);
            text->at += text->at < text->end;
            text->at += long_ends && text->at < text->end && text->at[-1] == '\r' && *text->at == '\n';
            return check_header(reader);
        }
        if (snag__word_is(word, "format"))
            status = read_format(reader);
        else if (snag__word_is(word, "element"))
            status = read_element(reader);
        else if (snag__word_is(word, "property"))
            status = read_property(reader);
        else if (!snag__word_is(word, "comment") && !snag__word_is(word, "obj_info"))
            return snag__text_fail(text, word.at, SNAG_ERROR_FORMAT, "expected a line of a PLY header, found %s",
                                   snag__text_show(text, word.at).text);
        if (status != SNAG_OK)
            return status;
        snag__text_skip_line(text);
    }
    return snag__text_fail(text, text->at, SNAG_ERROR_FORMAT, "the header has no end_header; is the file cut off?");
}

// ---- data ----

// Fails with a message that gives the line (or the byte in a binary file) and the current element.
SNAG__PRINTF(4, 5)
static snag_status fail_at(const ply_reader *reader, const char *at, snag_status status, const char *format, ...)
{
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    const snag__text *text = &reader->text;
    const char *kind = kind_names[reader->kind];
    if (reader->format == ASCII)
        return snag__text_fail(text, at, status, "%s %" PRIu64 " (counted from 0): %s", kind, reader->number, words);
    return snag__io_fail(text->source->error, status, "%s: byte %zu: %s %" PRIu64 " (counted from 0): %s",
                         snag__path_shown(text->source->name), (size_t)(at - text->begin), kind, reader->number, words);
}

// Text: goes to the next value. False: no more values in the file, or in the line of the record.
static bool more_values(ply_reader *reader)
{
    return reader->by_line ? snag__text_more_in_line(&reader->text) : snag__text_more(&reader->text);
}

// Position of the next value, for messages.
static const char *place_of_next(ply_reader *reader)
{
    if (reader->format == ASCII)
        more_values(reader);
    return reader->text.at;
}

static snag_status fail_cut_off(const ply_reader *reader)
{
    if (reader->by_line && reader->text.at < reader->text.end)
        return fail_at(reader, reader->text.at, SNAG_ERROR_FORMAT, "its line has fewer numbers than the header declares");
    return fail_at(reader, reader->text.end, SNAG_ERROR_FORMAT, "the file ends here; is it cut off?");
}

static uint64_t load(const char *at, unsigned bytes, bool big_endian)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)at[i] << 8 * (big_endian ? bytes - 1 - i : i);
    return value;
}

static double from_float_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double from_double_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A double represents every type exactly.
static double load_value(const char *at, ply_type type, bool big_endian)
{
    switch (type) {
    case INT8: return (int8_t)load(at, 1, big_endian);
    case UINT8: return (uint8_t)load(at, 1, big_endian);
    case INT16: return (int16_t)load(at, 2, big_endian);
    case UINT16: return (uint16_t)load(at, 2, big_endian);
    case INT32: return (int32_t)load(at, 4, big_endian);
    case UINT32: return (uint32_t)load(at, 4, big_endian);
    case FLOAT32: return from_float_bits((uint32_t)load(at, 4, big_endian));
    default: return from_double_bits(load(at, 8, big_endian));
    }
}

static snag_status read_value(ply_reader *reader, ply_type type, double *value)
{
    snag__text *text = &reader->text;
    if (reader->format != ASCII) {
        unsigned bytes = types[type].bytes;
        if ((size_t)(text->end - text->at) < bytes)
            return fail_cut_off(reader);
        *value = load_value(text->at, type, reader->format == BIG_ENDIAN);
        text->at += bytes;
        return SNAG_OK;
    }
    if (!more_values(reader))
        return fail_cut_off(reader);
    const char *after = snag__read_double(text->at, text->end, value);
    if (after == text->at || !snag__text_ends_word(text, after))
        return fail_at(reader, text->at, SNAG_ERROR_FORMAT, "expected a number, found %s", snag__text_show(text, text->at).text);
    if (type == FLOAT32)
        *value = (float)*value;
    text->at = after;
    return SNAG_OK;
}

// Minimum size of a value of this type in bytes: in ASCII a digit and a blank.
static uint64_t least_bytes(const ply_reader *reader, ply_type type)
{
    return reader->format == ASCII ? 2 : types[type].bytes;
}

static uint64_t bytes_left(const ply_reader *reader)
{
    // The last number of a text file may have no blank after it.
    return (uint64_t)(reader->text.end - reader->text.at) + (reader->format == ASCII);
}

static snag_status read_list_length(ply_reader *reader, const ply_property *property, uint64_t *length)
{
    const char *at = place_of_next(reader);
    double value;
    snag_status status = read_value(reader, property->count_type, &value);
    if (status != SNAG_OK)
        return status;
    if (!(value >= 0 && value <= UINT32_MAX) || value != (double)(uint32_t)value)
        return fail_at(reader, at, SNAG_ERROR_FORMAT, "a list cannot have %g items", value);
    *length = (uint64_t)value;
    if (*length > bytes_left(reader) / least_bytes(reader, property->type))
        return fail_at(reader, at, SNAG_ERROR_FORMAT, "a list of %" PRIu64 " items does not fit the file; is it cut off?", *length);
    return SNAG_OK;
}

static snag_status skip_values(ply_reader *reader, ply_type type, uint64_t count)
{
    if (reader->format == ASCII) {
        for (uint64_t i = 0; i < count; i++)
            if (!more_values(reader) || snag__text_word(&reader->text).length == 0)
                return fail_cut_off(reader);
        return SNAG_OK;
    }
    if (count > (uint64_t)(reader->text.end - reader->text.at) / types[type].bytes)
        return fail_cut_off(reader);
    reader->text.at += count * types[type].bytes;
    return SNAG_OK;
}

static snag_status skip_property(ply_reader *reader, const ply_property *property)
{
    uint64_t count = 1;
    snag_status status = property->list ? read_list_length(reader, property, &count) : SNAG_OK;
    return status == SNAG_OK ? skip_values(reader, property->type, count) : status;
}

static snag_status read_indices(ply_reader *reader, const ply_property *property)
{
    const char *begin = place_of_next(reader);
    uint64_t size = 0;
    snag_status status = read_list_length(reader, property, &size);
    if (status != SNAG_OK)
        return status;
    if (size < 3)
        return fail_at(reader, begin, SNAG_ERROR_FORMAT, "it has %" PRIu64 " %s and needs 3 or more", size,
                       size == 1 ? "vertex" : "vertices");
    for (uint64_t i = 0; i < size; i++) {
        const char *at = place_of_next(reader);
        double vertex;
        status = read_value(reader, property->type, &vertex);
        if (status != SNAG_OK)
            return status;
        if (!(vertex >= 0 && vertex < (double)reader->vertex_count) || vertex != (double)(uint32_t)vertex)
            return fail_at(reader, at, SNAG_ERROR_INDEX, "vertex %.17g does not exist; there are %" PRIu64 ", counted from 0",
                           vertex, reader->vertex_count);
        status = snag__builder_corner(reader->builder, (uint32_t)vertex);
        if (status != SNAG_OK)
            return snag__builder_fail(reader->text.source, status);
    }
    status = snag__builder_close_polygon(reader->builder, (size_t)size);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(reader->text.source, status);
}

static snag_status add_edge(const ply_reader *reader, const char *begin, const double ends[2])
{
    for (int i = 0; i < 2; i++)
        if (!(ends[i] >= 0 && ends[i] < (double)reader->vertex_count) || ends[i] != (double)(uint32_t)ends[i])
            return fail_at(reader, begin, SNAG_ERROR_INDEX, "vertex %.17g does not exist; there are %" PRIu64 ", counted from 0",
                           ends[i], reader->vertex_count);
    snag_status status = snag__builder_edge(reader->builder, (uint32_t)ends[0], (uint32_t)ends[1]);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(reader->text.source, status);
}

static snag_status read_record(ply_reader *reader, const ply_element *element)
{
    const char *begin = place_of_next(reader);
    double position[3] = {0, 0, 0}, ends[2] = {0, 0};
    for (size_t i = 0; i < element->property_count; i++) {
        const ply_property *property = &reader->properties[element->first_property + i];
        snag_status status;
        if (property->role == INDICES)
            status = read_indices(reader, property);
        else if (property->role == OTHER_PROPERTY)
            status = skip_property(reader, property);
        else if (property->role == FIRST_END || property->role == SECOND_END)
            status = read_value(reader, property->type, &ends[property->role == SECOND_END]);
        else
            status = read_value(reader, property->type, &position[property->role]);
        if (status != SNAG_OK)
            return status;
    }
    if (element->kind == EDGE)
        return add_edge(reader, begin, ends);
    if (element->kind != VERTEX)
        return SNAG_OK;
    double *p = position;
    if ((p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2]) != 0)
        return fail_at(reader, begin, SNAG_ERROR_NOT_FINITE, "it is not finite: %g %g %g", p[0], p[1], p[2]);
    snag_status status = snag__builder_vertex(reader->builder, p[0], p[1], p[2]);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(reader->text.source, status);
}

// Minimum size of a record in bytes, with all lists empty.
static uint64_t least_record(const ply_reader *reader, const ply_element *element)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < element->property_count; i++) {
        const ply_property *property = &reader->properties[element->first_property + i];
        bytes += least_bytes(reader, property->list ? property->count_type : property->type);
    }
    return bytes;
}

static snag_status reserve(ply_reader *reader, const ply_element *element)
{
    snag_status status = SNAG_OK;
    if (element->kind == VERTEX)
        status = snag__builder_reserve_vertices(reader->builder, (size_t)element->count);
    else if (element->kind == FACE)
        status = snag__builder_reserve_polygons(reader->builder, (size_t)element->count, 3 * (size_t)element->count);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(reader->text.source, status);
}

// Whether the data has as many lines as the header declares records.
static bool has_a_line_for_each(const ply_reader *reader)
{
    uint64_t records = 0, lines = 0;
    for (size_t i = 0; i < reader->element_count; i++)
        records += reader->elements[i].property_count ? reader->elements[i].count : 0;
    snag__text text = reader->text;
    for (text.at = reader->data; snag__text_more(&text); lines++)
        snag__text_skip_line(&text);
    return lines == records;
}

// After a text record: skips the rest of its line, if each record is on one line. Whether that holds is checked once, at
// the first line with extra numbers.
static void end_line(ply_reader *reader)
{
    snag__text *text = &reader->text;
    if (reader->format != ASCII || !snag__text_more_in_line(text) || (reader->first_long_line && !reader->by_line))
        return;
    if (!reader->first_long_line) {
        reader->first_long_line = text->at;
        reader->by_line = has_a_line_for_each(reader);
    }
    reader->long_lines++;
    if (reader->by_line)
        snag__text_skip_line(text);
}

static snag_status read_records(ply_reader *reader, const ply_element *element)
{
    uint64_t least = least_record(reader, element);
    // Records without properties take no space, whatever count the header gives.
    if (least == 0 || element->count == 0)
        return SNAG_OK;
    if (element->count > bytes_left(reader) / least)
        return snag__text_fail(&reader->text, element->at, SNAG_ERROR_FORMAT,
                               "%" PRIu64 " elements do not fit the %" PRIu64 " bytes that are left; is the file cut off?",
                               element->count, (uint64_t)(reader->text.end - reader->text.at));
    snag_status status = reserve(reader, element);
    reader->kind = element->kind;
    for (reader->number = 0; reader->number < element->count && status == SNAG_OK; reader->number++) {
        if (reader->by_line)
            snag__text_more(&reader->text);
        status = read_record(reader, element);
        end_line(reader);
    }
    if (element->names_vertices)
        snag__builder_skip(reader->builder, (size_t)element->count, true);
    return status;
}

snag_status snag__read_ply(const snag__source *source, snag__builder *builder)
{
    ply_reader reader = {.text = snag__text_begin(source, 0), .builder = builder};
    snag_status status = read_header(&reader);
    reader.data = reader.text.at;
    for (size_t i = 0; i < reader.element_count && status == SNAG_OK; i++)
        status = read_records(&reader, &reader.elements[i]);
    if (status == SNAG_OK && reader.by_line)
        snag__io_note(source->error,
                      "%s:%zu: the line has more numbers than the header declares, as do %" PRIu64
                      " lines in all; the extra numbers are ignored",
                      snag__path_shown(source->name), snag__text_line(&reader.text, reader.first_long_line), reader.long_lines);
    free(reader.elements);
    free(reader.properties);
    return status;
}
