// OFF, the Object File Format of Geomview: counts, vertices, polygons. Colours, normals and texture coordinates (COFF,
// NOFF, STOFF and combinations) come after the data that we read and are ignored.
#include "mesh.h"
#include "text.h"

#include <inttypes.h>

// Whether the word is OFF with any of the prefixes in their order. *plain is false for vertices with four or any number of
// coordinates (4OFF, nOFF).
static bool is_header(snag__word word, bool *plain)
{
    const char *at = word.at, *end = word.at + word.length;
    *plain = true;
    if (end - at > 2 && memcmp(at, "ST", 2) == 0)
        at += 2;
    for (const char *prefix = "CN4n"; *prefix; prefix++)
        if (at < end && *at == *prefix) {
            *plain = *plain && *prefix != '4' && *prefix != 'n';
            at++;
        }
    return snag__word_is((snag__word){at, (size_t)(end - at)}, "OFF");
}

// Reads the first word, which is optional.
static snag_status read_header(snag__text *text)
{
    if (!snag__text_more(text))
        return snag__text_fail(text, text->at, SNAG_ERROR_FORMAT, "the file is empty");
    int64_t count;
    const char *after = snag__read_integer(text->at, text->end, &count);
    if (after != text->at && snag__text_ends_word(text, after))
        return SNAG_OK;
    snag__word word = snag__text_word(text);
    bool plain;
    // Some collections have files without a line end after the keyword: OFF490 518 0.
    size_t letters = word.length;
    while (letters && word.at[letters - 1] >= '0' && word.at[letters - 1] <= '9')
        letters--;
    if (letters && letters < word.length && is_header((snag__word){word.at, letters}, &plain) && plain) {
        text->at = word.at + letters;
        snag__io_note(text->source->error, "%s: no line end after its first word, OFF; reading on as if there were one",
                      snag__path_shown(text->source->name));
        return SNAG_OK;
    }
    if (!is_header(word, &plain))
        return snag__text_fail(text, word.at, SNAG_ERROR_FORMAT, "an OFF file begins with OFF, found %s",
                               snag__text_show(text, word.at).text);
    if (!plain)
        return snag__text_fail(text, word.at, SNAG_ERROR_UNSUPPORTED,
                               "only vertices of three coordinates are supported, but this is %s",
                               snag__text_show(text, word.at).text);
    const char *at = text->at;
    if (snag__word_is(snag__text_word_in_line(text), "BINARY"))
        return snag__text_fail(text, at, SNAG_ERROR_UNSUPPORTED, "binary OFF is not supported; write it as ASCII, or as PLY");
    text->at = at;
    return SNAG_OK;
}

// Reads a count and rejects one that the rest of the file cannot hold: every element takes at least `least` bytes.
static snag_status read_count(snag__text *text, const char *what, uint64_t least, uint64_t *count)
{
    snag__text_more(text);
    const char *at = text->at;
    snag_status status = snag__text_count(text, what, SNAG__MOST_VERTICES, count);
    uint64_t left = (uint64_t)(text->end - text->at) + 1;  // the last line may have no line end
    if (status == SNAG_OK && *count > left / least)
        return snag__text_fail(text, at, SNAG_ERROR_FORMAT,
                               "%s is %" PRIu64 ", which the %" PRIu64 " bytes after it cannot hold; is the file cut off?", what,
                               *count, left - 1);
    return status;
}

static snag_status read_vertices(snag__text *text, snag__builder *builder, uint64_t count)
{
    snag_status status = snag__builder_reserve_vertices(builder, (size_t)count);
    if (status != SNAG_OK)
        return snag__builder_fail(text->source, status);
    for (uint64_t v = 0; v < count; v++) {
        double position[3];
        for (int i = 0; i < 3; i++) {
            status = snag__text_coordinate(text, "a coordinate of a vertex", &position[i]);
            if (status != SNAG_OK)
                return status;
        }
        snag__text_skip_line(text);
        snag__builder_vertex(builder, position[0], position[1], position[2]);
    }
    return SNAG_OK;
}

static snag_status read_corner(snag__text *text, snag__builder *builder)
{
    int64_t vertex;
    snag__text_more(text);
    const char *at = text->at;
    snag_status status = snag__text_integer(text, "a vertex of a face", &vertex);
    if (status != SNAG_OK)
        return status;
    if (vertex < 0 || (uint64_t)vertex >= builder->vertex_count)
        return snag__text_fail(text, at, SNAG_ERROR_INDEX, "vertex %" PRId64 " does not exist; there are %zu, counted from 0",
                               vertex, builder->vertex_count);
    status = snag__builder_corner(builder, (uint32_t)vertex);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(text->source, status);
}

static snag_status read_face(snag__text *text, snag__builder *builder)
{
    snag__text_more(text);
    const char *at = text->at;
    uint64_t size;
    snag_status status = read_count(text, "the number of a face's vertices", 2, &size);
    if (status == SNAG_OK && size < 3)
        return snag__text_fail(text, at, SNAG_ERROR_FORMAT, "face %zu (counted from 0) has %" PRIu64 " %s; it needs 3 or more",
                               builder->polygon_count, size, size == 1 ? "vertex" : "vertices");
    for (uint64_t i = 0; i < size && status == SNAG_OK; i++)
        status = read_corner(text, builder);
    if (status != SNAG_OK)
        return status;
    snag__text_skip_line(text);
    status = snag__builder_close_polygon(builder, (size_t)size);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(text->source, status);
}

snag_status snag__read_off(const snag__source *source, snag__builder *builder)
{
    snag__text text = snag__text_begin(source, '#');
    uint64_t vertices = 0, faces = 0;
    snag_status status = read_header(&text);
    // Shortest vertex: "0 0 0" and a line end; shortest face: "0" and a line end.
    if (status == SNAG_OK)
        status = read_count(&text, "the number of vertices", 6, &vertices);
    if (status == SNAG_OK)
        status = read_count(&text, "the number of faces", 2, &faces);
    snag__text_skip_line(&text);  // the number of edges, which is not used
    if (status == SNAG_OK)
        status = read_vertices(&text, builder, vertices);
    for (uint64_t f = 0; f < faces && status == SNAG_OK; f++)
        status = read_face(&text, builder);
    return status;
}
