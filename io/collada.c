// Vertices and corners of COLLADA files, found by tags: the positions of <vertices>, and the corners of each <triangles>,
// <polylist> and the like, in the order of assimp.
#include "shapes.h"
#include "xml.h"

#include <stdlib.h>

// A number array of a geometry.
typedef struct number_source {
    snag__word id;
    snag__word text;
    uint64_t offset, stride;  // of the accessor: offset of the first position, and stride
} number_source;

typedef struct reader {
    snag__xml xml;
    snag__shapes *shapes;
    bool within;  // inside a geometry
    number_source *sources;
    size_t source_count, source_capacity;
    bool in_vertices;
    snag__word positions;  // the source named by <vertices>
    const char *element;  // <triangles> and the like; NULL outside
    uint64_t vertex_offset, index_stride;  // index of the vertex among the numbers of a corner, and how many there are
} reader;

// A reference to an id starts with "#".
static snag__word without_hash(snag__word word)
{
    return word.length > 0 && word.at[0] == '#' ? (snag__word){word.at + 1, word.length - 1} : (snag__word){NULL, 0};
}

static bool same_words(snag__word a, snag__word b)
{
    return a.at && b.at && a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static void skip_space(const char **at, const char *end)
{
    while (*at < end && snag__is_space(**at))
        ++*at;
}

// ---- positions ----

static bool begin_source(reader *r, snag__tag tag)
{
    if (!snag__shapes_grow((void **)&r->sources, &r->source_capacity, r->source_count, sizeof *r->sources))
        return false;
    r->sources[r->source_count++] = (number_source){.id = snag__tag_value(tag, "id"), .text = {"", 0}, .stride = 3};
    return true;
}

static void note_accessor(reader *r, snag__tag tag)
{
    number_source *source = &r->sources[r->source_count - 1];
    if (!snag__tag_count(tag, "offset", &source->offset))
        source->offset = 0;
    if (!snag__tag_count(tag, "stride", &source->stride))
        source->stride = 1;
}

// All numbers in the text; NULL: out of memory.
static double *read_numbers(snag__word text, size_t *count)
{
    size_t capacity = 0;
    double *numbers = NULL;
    const char *at = text.at, *end = text.at + text.length;
    *count = 0;
    for (;;) {
        double value;
        skip_space(&at, end);
        const char *after = snag__read_double(at, end, &value);
        if (!snag__shapes_grow((void **)&numbers, &capacity, *count, sizeof *numbers)) {
            free(numbers);
            return NULL;
        }
        if (after == at)
            return numbers;
        numbers[(*count)++] = value;
        at = after;
    }
}

// Compacts the positions to the start of the array. Returns how many there are.
static size_t pick_positions(double *numbers, size_t count, const number_source *source)
{
    size_t points = 0;
    if (source->stride < 3)
        return 0;
    for (uint64_t at = source->offset; at < count && count - at >= 3; at += source->stride, points++)
        for (size_t k = 0; k < 3; k++)
            numbers[3 * points + k] = numbers[at + k];
    return points;
}

static bool end_geometry(reader *r)
{
    const number_source *source = NULL;
    for (size_t i = 0; i < r->source_count && !source; i++)
        source = same_words(r->sources[i].id, r->positions) ? &r->sources[i] : NULL;
    size_t count = 0, points = 0;
    double *numbers = source ? read_numbers(source->text, &count) : NULL;
    if (source && !numbers)
        return false;
    if (numbers)
        points = pick_positions(numbers, count, source);
    snag__shapes_end(r->shapes, numbers, points);
    r->source_count = 0;
    r->positions = (snag__word){NULL, 0};
    r->within = false;
    r->element = NULL;
    return true;
}

static bool begin_geometry(reader *r, snag__tag tag)
{
    if (r->within && !end_geometry(r))
        return false;
    snag__word name = snag__tag_value(tag, "name");
    r->within = true;
    return snag__shapes_add(r->shapes, name.at ? name : snag__tag_value(tag, "id"));
}

// ---- corners ----

static const char *const elements[] = {"triangles", "polylist", "polygons", "tristrips", "trifans", "lines", "linestrips"};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static bool begin_element(reader *r, const char *name)
{
    r->element = name;
    r->vertex_offset = 0;
    r->index_stride = 1;
    return snag__shapes_add_part(r->shapes);
}

static void note_input(reader *r, snag__tag tag)
{
    uint64_t offset;
    if (r->in_vertices && snag__tag_value_is(tag, "semantic", "POSITION"))
        r->positions = without_hash(snag__tag_value(tag, "source"));
    if (!r->element || !snag__tag_count(tag, "offset", &offset) || offset >= UINT32_MAX)
        return;
    if (offset + 1 > r->index_stride)
        r->index_stride = offset + 1;
    if (snag__tag_value_is(tag, "semantic", "VERTEX"))
        r->vertex_offset = offset;
}

// Every second triangle of a strip is flipped. Replaces the corners of the strip, from `first` on, with the corners of its
// triangles.
static bool strip_to_triangles(reader *r, size_t first)
{
    snag__shape_part *part = &r->shapes->parts[r->shapes->part_count - 1];
    size_t count = part->corner_count - first;
    if (count == 0)
        return true;
    uint32_t *strip = malloc(count * sizeof *strip);
    if (!strip)
        return false;
    memcpy(strip, part->corners + first, count * sizeof *strip);
    part->corner_count = first;
    bool made = true;
    for (size_t t = 0; t + 2 < count && made; t++) {
        size_t odd = t % 2;
        made = snag__shapes_corner(r->shapes, strip[t + odd]) && snag__shapes_corner(r->shapes, strip[t + 1 - odd]) &&
               snag__shapes_corner(r->shapes, strip[t + 2]);
    }
    free(strip);
    return made;
}

static bool segments_of_strip(reader *r, size_t first)
{
    snag__shape_part *part = &r->shapes->parts[r->shapes->part_count - 1];
    size_t count = part->corner_count - first;
    for (size_t c = 2; c < count; c++)
        if (!snag__shapes_corner(r->shapes, 0))
            return false;
    for (size_t s = count; s-- > 1;) {
        part->corners[first + 2 * s - 1] = part->corners[first + s];
        part->corners[first + 2 * s - 2] = part->corners[first + s - 1];
    }
    return true;
}

static bool read_indices(reader *r)
{
    snag__word text = snag__xml_text(&r->xml);
    const char *at = text.at, *end = text.at + text.length;
    size_t first = r->shapes->parts[r->shapes->part_count - 1].corner_count;
    for (uint64_t i = 0;; i++) {
        int64_t value;
        skip_space(&at, end);
        const char *after = snag__read_integer(at, end, &value);
        if (after == at)
            break;
        at = after;
        bool known = value >= 0 && value < UINT32_MAX;
        if (i % r->index_stride == r->vertex_offset && !snag__shapes_corner(r->shapes, known ? (uint32_t)value : UINT32_MAX))
            return false;
    }
    if (strcmp(r->element, "tristrips") == 0)
        return strip_to_triangles(r, first);
    return strcmp(r->element, "linestrips") == 0 ? segments_of_strip(r, first) : true;
}

// ---- the file ----

static bool read_element(reader *r, snag__tag tag)
{
    for (int e = 0; e < ELEMENTS; e++) {
        if (snag__tag_is(tag, elements[e]))
            return snag__tag_is_empty(tag) || begin_element(r, elements[e]);
        if (tag.length > 0 && tag.at[0] == '/' && snag__tag_is((snag__tag){tag.at + 1, tag.length - 1}, elements[e]))
            r->element = NULL;
    }
    if (snag__tag_is(tag, "p") && r->element && !snag__tag_is_empty(tag))
        return read_indices(r);
    return true;
}

static bool read_tag(reader *r, snag__tag tag)
{
    if (snag__tag_is(tag, "geometry"))
        return begin_geometry(r, tag);
    if (!r->within)
        return true;
    if (snag__tag_is(tag, "/geometry"))
        return end_geometry(r);
    if (snag__tag_is(tag, "source"))
        return begin_source(r, tag);
    if (snag__tag_is(tag, "vertices") || snag__tag_is(tag, "/vertices"))
        r->in_vertices = tag.at[0] != '/';
    else if (snag__tag_is(tag, "input"))
        note_input(r, tag);
    else if (snag__tag_is(tag, "float_array") && r->source_count)
        r->sources[r->source_count - 1].text = snag__xml_text(&r->xml);
    else if (snag__tag_is(tag, "accessor") && r->source_count)
        note_accessor(r, tag);
    return read_element(r, tag);
}

bool snag__read_collada_shapes(const char *data, size_t size, snag__shapes *shapes)
{
    reader r = {.xml = {data, data + size}, .shapes = shapes};
    snag__tag tag;
    bool read = true;
    while (read && snag__xml_next(&r.xml, &tag))
        read = read_tag(&r, tag);
    if (read && r.within)
        read = end_geometry(&r);
    free(r.sources);
    return read;
}
