// STL, binary and ASCII. The file is a triangle soup: vertices with equal coordinates are merged and numbered by first
// appearance; triangles are numbered as in the file. Normals are ignored, since many exporters write nonsense there.
#include "mesh.h"
#include "text.h"

#include "snag/mesh.h"

#include <stdlib.h>

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50 };

static uint32_t load_u32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float load_f32(const char *at)
{
    uint32_t bits = load_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ---- binary or ASCII ----

// A binary file may start with "solid" like an ASCII file. It is binary if its size fits the triangle count. If not
// (truncated, or extra data at the end), look for a zero byte near the start: a count below 2^24 has one, and text has
// none.
static bool is_binary(const snag__source *source)
{
    if (source->size >= HEADER_BYTES) {
        uint64_t count = load_u32(source->data + 80);
        if (HEADER_BYTES + count * TRIANGLE_BYTES == source->size)
            return true;
    }
    snag__text text = snag__text_begin(source, 0);
    if (!snag__word_is(snag__text_word(&text), "solid"))
        return true;
    size_t looked_at = source->size < 512 ? source->size : 512;
    return memchr(source->data, 0, looked_at) != NULL;
}

// ---- binary ----

static snag_status fail_binary_size(const snag__source *source)
{
    const char *name = snag__path_shown(source->name);
    if (source->size < HEADER_BYTES)
        return snag__io_fail(source->error, SNAG_ERROR_FORMAT,
                             "%s: is not STL: it does not begin with \"solid\", and has %zu bytes where binary STL has at "
                             "least %d",
                             name, source->size, HEADER_BYTES);
    return snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: promises %lu triangles, but has %zu; is it cut off?", name,
                         (unsigned long)load_u32(source->data + 80), (source->size - HEADER_BYTES) / TRIANGLE_BYTES);
}

static snag_status read_binary(const snag__source *source, snag__builder *builder)
{
    if (source->size < HEADER_BYTES)
        return fail_binary_size(source);
    uint32_t count = load_u32(source->data + 80);
    if (count > (source->size - HEADER_BYTES) / TRIANGLE_BYTES)
        return fail_binary_size(source);
    snag_status status =
        (uint64_t)count * 3 > SNAG__MOST_VERTICES ? SNAG_ERROR_SIZE : snag__builder_reserve_vertices(builder, (size_t)count * 3);
    if (status != SNAG_OK)
        return snag__builder_fail(source, status);
    for (size_t t = 0; t < count; t++) {
        size_t offset = HEADER_BYTES + t * TRIANGLE_BYTES + 12;  // after the normal
        for (int corner = 0; corner < 3; corner++, offset += 12) {
            const char *at = source->data + offset;
            double x = load_f32(at), y = load_f32(at + 4), z = load_f32(at + 8);
            if ((x - x) + (y - y) + (z - z) != 0)
                return snag__io_fail(source->error, SNAG_ERROR_NOT_FINITE,
                                     "%s: byte %zu: a vertex of triangle %zu (counted from 0) is not finite: %g %g %g",
                                     snag__path_shown(source->name), offset, t, x, y, z);
            snag__builder_vertex(builder, x, y, z);
        }
    }
    return SNAG_OK;
}

// ---- ASCII ----

static snag_status expect(snag__text *text, const char *expected)
{
    snag__word word = snag__text_word(text);
    if (snag__word_is(word, expected))
        return SNAG_OK;
    return snag__text_fail(text, word.at, SNAG_ERROR_FORMAT, "expected \"%s\", found %s", expected,
                           snag__text_show(text, word.at).text);
}

static snag_status read_corner(snag__text *text, snag__builder *builder)
{
    double position[3];
    snag_status status = expect(text, "vertex");
    for (int i = 0; i < 3 && status == SNAG_OK; i++)
        status = snag__text_coordinate(text, "a coordinate of a vertex", &position[i]);
    if (status != SNAG_OK)
        return status;
    status = snag__builder_vertex(builder, position[0], position[1], position[2]);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(text->source, status);
}

// The rest after "facet".
static snag_status read_facet(snag__text *text, snag__builder *builder)
{
    snag_status status = expect(text, "normal");
    for (int i = 0; i < 3; i++)
        snag__text_word(text);
    static const char *const before[] = {"outer", "loop"}, *const after[] = {"endloop", "endfacet"};
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = expect(text, before[i]);
    for (int i = 0; i < 3 && status == SNAG_OK; i++)
        status = read_corner(text, builder);
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = expect(text, after[i]);
    return status;
}

static snag_status read_ascii(const snag__source *source, snag__builder *builder)
{
    snag__text text = snag__text_begin(source, 0);
    bool inside = false;
    while (snag__text_more(&text)) {
        snag__word word = snag__text_word(&text);
        if (inside && snag__word_is(word, "facet")) {
            snag_status status = read_facet(&text, builder);
            if (status != SNAG_OK)
                return status;
        } else if (snag__word_is(word, inside ? "endsolid" : "solid")) {
            // The name: one word, several or none.
            snag__text_skip_line(&text);
            inside = !inside;
        } else {
            return snag__text_fail(&text, word.at, SNAG_ERROR_FORMAT, "expected %s, found %s",
                                   inside ? "\"facet\" or \"endsolid\"" : "\"solid\"", snag__text_show(&text, word.at).text);
        }
    }
    if (inside)
        return snag__text_fail(&text, text.at, SNAG_ERROR_FORMAT, "the file ends without \"endsolid\"; is it cut off?");
    return SNAG_OK;
}

// ---- welding ----

// Moves each first appearance to its new number, and updates `vertex_of`.
static void keep_first_appearances(snag__builder *builder, uint32_t *vertex_of)
{
    size_t kept = 0;
    for (size_t v = 0; v < builder->vertex_count; v++) {
        if (vertex_of[v] != v) {
            vertex_of[v] = vertex_of[vertex_of[v]];
            continue;
        }
        memmove(builder->positions + 3 * kept, builder->positions + 3 * v, 3 * sizeof(double));
        vertex_of[v] = (uint32_t)kept++;
    }
    builder->vertex_count = kept;
}

static snag_status weld(snag__builder *builder)
{
    size_t corners = builder->vertex_count;
    if (corners == 0)
        return SNAG_OK;
    uint32_t *vertex_of = malloc(corners * sizeof *vertex_of);
    if (!vertex_of)
        return SNAG_ERROR_MEMORY;
    snag_status status = snag_mesh_weld(snag_positions_f64(builder->positions, corners), NULL, vertex_of);
    if (status == SNAG_OK)
        status = snag__builder_reserve_polygons(builder, corners / 3, corners);
    if (status == SNAG_OK)
        keep_first_appearances(builder, vertex_of);
    for (size_t corner = 0; corner < corners && status == SNAG_OK; corner += 3)
        status = snag__builder_polygon(builder, vertex_of + corner, 3);
    free(vertex_of);
    return status;
}

snag_status snag__read_stl(const snag__source *source, snag__builder *builder)
{
    snag_status status = is_binary(source) ? read_binary(source, builder) : read_ascii(source, builder);
    if (status != SNAG_OK)
        return status;
    status = weld(builder);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(source, status);
}
