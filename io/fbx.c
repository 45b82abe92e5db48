// Vertices and corners of FBX files, binary and text: Vertices and PolygonVertexIndex of each Geometry in Objects. The last
// corner of a polygon is stored as its bitwise complement.
#include "bytes.h"
#include "shapes.h"
#include "unpack.h"

#include <stdlib.h>

// Parser state of one Geometry.
typedef struct geometry {
    snag__word name;
    double *positions;
    size_t number_count, number_capacity;  // of positions
    bool has_corners;
} geometry;

static bool begin_geometry(snag__shapes *shapes, geometry *g, snag__word name)
{
    *g = (geometry){.name = name};
    return snag__shapes_add(shapes, name) && snag__shapes_add_part(shapes);
}

static void end_geometry(snag__shapes *shapes, geometry *g)
{
    snag__shapes_end(shapes, g->positions, g->number_count / 3);
    g->positions = NULL;
}

static bool add_number(geometry *g, double value)
{
    if (!snag__shapes_grow((void **)&g->positions, &g->number_capacity, g->number_count, sizeof *g->positions))
        return false;
    g->positions[g->number_count++] = value;
    return true;
}

static bool add_corner(snag__shapes *shapes, int64_t index)
{
    int64_t vertex = index < 0 ? -1 - index : index;
    return snag__shapes_corner(shapes, vertex < UINT32_MAX ? (uint32_t)vertex : UINT32_MAX);
}

// ---- binary ----

enum { HEADER_BYTES = 27, VERSION_AT = 23, LONG_RECORDS = 7500, ARRAY_HEADER = 12 };

typedef struct binary {
    const char *data;
    size_t size;
    bool wide;  // since version 7.5 record headers use 64 bits
} binary;

typedef struct record {
    snag__word name;
    size_t values, values_end, end;  // start of its values, and end including its children
} record;

// Reads the record at *at, which must end before `limit`, and advances to the next. False: none, or damaged.
static bool next_record(const binary *b, size_t *at, size_t limit, record *found)
{
    size_t number = b->wide ? 8 : 4, header = 3 * number + 1;
    if (limit - *at < header)
        return false;
    const char *from = b->data + *at;
    uint64_t end = snag__bytes_unsigned(from, number, false), values = snag__bytes_unsigned(from + 2 * number, number, false);
    size_t name = (uint8_t)from[3 * number];
    if (end > limit || end < *at + header + name || values > end - (*at + header + name))
        return false;
    found->name = (snag__word){from + header, name};
    found->values = *at + header + name;
    found->values_end = found->values + (size_t)values;
    found->end = (size_t)end;
    *at = (size_t)end;
    return true;
}

// The second value of a record, if it is a string; the part after its zero byte is the object class.
static snag__word name_of(const binary *b, const record *r)
{
    size_t at = r->values;
    if (r->values_end - at < 14 || b->data[at] != 'L' || b->data[at + 9] != 'S')
        return (snag__word){NULL, 0};
    uint32_t length = snag__bytes_u32(b->data + at + 10, false);
    const char *text = b->data + at + 14;
    if (length > r->values_end - at - 14)
        return (snag__word){NULL, 0};
    const char *zero = memchr(text, 0, length);
    return (snag__word){text, zero ? (size_t)(zero - text) : length};
}

// An array of the file, unpacked. *kind is 'd', 'f' or 'i'; 0: another type, or damaged.
typedef struct array {
    char kind;
    size_t count, width;
    const char *bytes;
    char *unpacked;  // the caller frees it; NULL: the bytes are in the file
} array;

static bool read_array(const binary *b, const record *r, array *a)
{
    *a = (array){0};
    if (r->values_end - r->values < 1 + ARRAY_HEADER)
        return true;
    const char *at = b->data + r->values;
    char kind = *at;
    size_t room = r->values_end - r->values - 1 - ARRAY_HEADER;
    uint32_t count = snag__bytes_u32(at + 1, false), packed = snag__bytes_u32(at + 5, false);
    size_t stored = snag__bytes_u32(at + 9, false), width = kind == 'd' ? 8 : 4, bytes = count * width;
    if ((kind != 'd' && kind != 'f' && kind != 'i') || stored > room || count == 0)
        return true;
    a->bytes = at + 1 + ARRAY_HEADER;
    a->count = count;
    a->width = width;
    if (packed == 0) {
        a->kind = stored == bytes ? kind : 0;
        return true;
    }
    if (packed != 1 || bytes / SNAG__UNPACK_MOST_GAIN > stored)
        return true;
    a->unpacked = malloc(bytes);
    if (!a->unpacked)
        return false;
    snag_status status = snag__unpack_zlib(a->bytes, stored, a->unpacked, bytes);
    a->kind = status == SNAG_OK ? kind : 0;
    a->bytes = a->unpacked;
    return status != SNAG_ERROR_MEMORY;
}

static bool take_array(snag__shapes *shapes, geometry *g, const array *a, bool corners)
{
    bool taken = true;
    for (size_t i = 0; i < a->count && taken; i++) {
        const char *at = a->bytes + i * a->width;
        if (corners)
            taken = add_corner(shapes, snag__bytes_i32(at, false));
        else
            taken = add_number(g, a->kind == 'd' ? snag__bytes_f64(at, false) : (double)snag__bytes_f32(at, false));
    }
    return taken;
}

static bool read_geometry(const binary *b, const record *r, snag__shapes *shapes)
{
    geometry g;
    record below;
    bool read = begin_geometry(shapes, &g, name_of(b, r));
    for (size_t at = r->values_end; read && next_record(b, &at, r->end, &below);) {
        bool corners = snag__word_is(below.name, "PolygonVertexIndex");
        array a = {0};
        if ((!corners || g.has_corners) && (!snag__word_is(below.name, "Vertices") || g.positions))
            continue;
        read = read_array(b, &below, &a);
        if (read && a.kind && corners == (a.kind == 'i'))
            read = take_array(shapes, &g, &a, corners);
        g.has_corners = g.has_corners || corners;
        free(a.unpacked);
    }
    if (read)
        end_geometry(shapes, &g);
    else
        free(g.positions);
    return read;
}

static bool read_binary(const char *data, size_t size, snag__shapes *shapes)
{
    binary b = {data, size, snag__bytes_u32(data + VERSION_AT, false) >= LONG_RECORDS};
    record top, object;
    bool read = true;
    for (size_t at = HEADER_BYTES; read && next_record(&b, &at, size, &top);)
        for (size_t below = top.values_end;
             snag__word_is(top.name, "Objects") && read && next_record(&b, &below, top.end, &object);)
            if (snag__word_is(object.name, "Geometry"))
                read = read_geometry(&b, &object, shapes);
    return read;
}

// ---- text ----

// Text parser state: the path is Objects, Geometry, then one of the two arrays, whose numbers follow "a:".
typedef struct textual {
    const char *at, *end;
    snag__word text;  // the last quoted string since the key
    size_t depth;  // nesting of braces
    size_t matched;  // how many levels match the path
    snag__shapes *shapes;
    geometry g;
} textual;

static bool ends_word(char c)
{
    return snag__is_space(c) || strchr(",{}:;\"", c);
}

// The next mark ('{', '}'), key ('k', without its colon), string ('"', without quotes) or other word ('w'). 0: the end.
static char next_token(textual *t, snag__word *word)
{
    while (t->at < t->end) {
        const char *from = t->at++;
        if (snag__is_space(*from) || *from == ',' || *from == ':' || *from == 0)
            continue;
        if (*from == ';') {
            const char *line = memchr(from, '\n', (size_t)(t->end - from));
            t->at = line ? line : t->end;
        } else if (*from == '{' || *from == '}') {
            return *from;
        } else if (*from == '"') {
            const char *quote = memchr(t->at, '"', (size_t)(t->end - t->at));
            *word = (snag__word){from + 1, (size_t)((quote ? quote : t->end) - from) - 1};
            t->at = quote ? quote + 1 : t->end;
            return '"';
        } else {
            while (t->at < t->end && !ends_word(*t->at))
                t->at++;
            *word = (snag__word){from, (size_t)(t->at - from)};
            return t->at < t->end && *t->at == ':' ? 'k' : 'w';
        }
    }
    return 0;
}

static bool read_text_array(textual *t, bool corners)
{
    while (t->at < t->end && (snag__is_space(*t->at) || *t->at == 'a' || *t->at == ':' || *t->at == ','))
        t->at++;
    for (;;) {
        double value = 0;
        int64_t index = 0;
        const char *after = corners ? snag__read_integer(t->at, t->end, &index) : snag__read_double(t->at, t->end, &value);
        if (after == t->at)
            return true;
        if (corners ? !add_corner(t->shapes, index) : !add_number(&t->g, value))
            return false;
        for (t->at = after; t->at < t->end && (snag__is_space(*t->at) || *t->at == ',');)
            t->at++;
    }
}

static bool open_brace(textual *t, snag__word key)
{
    bool goes_on = t->matched == t->depth++;
    if (!goes_on || t->matched > 2)
        return true;
    if (t->matched == 2) {
        bool corners = snag__word_is(key, "PolygonVertexIndex");
        if ((!corners || t->g.has_corners) && (!snag__word_is(key, "Vertices") || t->g.positions))
            return true;
        t->g.has_corners = t->g.has_corners || corners;
        return read_text_array(t, corners);
    }
    if (!snag__word_is(key, t->matched ? "Geometry" : "Objects"))
        return true;
    t->matched++;
    static const char prefix[] = "Geometry::";
    size_t begins = sizeof prefix - 1;
    bool prefixed = t->text.length >= begins && memcmp(t->text.at, prefix, begins) == 0;
    snag__word name = prefixed ? (snag__word){t->text.at + begins, t->text.length - begins} : t->text;
    return t->matched < 2 || begin_geometry(t->shapes, &t->g, name);
}

static void close_brace(textual *t)
{
    t->depth -= t->depth > 0;
    if (t->matched <= t->depth)
        return;
    if (t->matched == 2)
        end_geometry(t->shapes, &t->g);
    t->matched = t->depth;
}

static bool read_text(const char *data, size_t size, snag__shapes *shapes)
{
    textual t = {.at = data, .end = data + size, .shapes = shapes};
    snag__word word, key = {NULL, 0};
    bool read = true;
    for (char token = next_token(&t, &word); token && read; token = next_token(&t, &word)) {
        if (token == 'k') {
            key = word;
            t.text = (snag__word){NULL, 0};
        } else if (token == '"' && !t.text.at) {
            t.text = word;  // the first string is the name, the second the class
        } else if (token == '{') {
            read = open_brace(&t, key);
        } else if (token == '}') {
            close_brace(&t);
        }
    }
    if (read && t.matched == 2)
        end_geometry(shapes, &t.g);
    free(t.g.positions);
    return read;
}

bool snag__read_fbx_shapes(const char *data, size_t size, snag__shapes *shapes)
{
    static const char magic[] = "Kaydara FBX Binary";
    if (size >= HEADER_BYTES && memcmp(data, magic, sizeof magic - 1) == 0)
        return read_binary(data, size, shapes);
    return read_text(data, size, shapes);
}
