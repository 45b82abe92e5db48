// Wavefront OBJ: vertices, polygons and objects. Vertex numbers are those of the file, counted from 0.
// Textures, normals, groups, smoothing and materials do not affect the shape and are ignored; lines, points, curves and patches
// are counted as skipped. Lines with an unknown keyword are ignored too: exporters and old tools add their own.
#include "groups.h"
#include "text.h"

typedef struct obj_reader {
    snag__text text;
    snag__builder *builder;
    uint64_t limit;  // number of vertices that a face may refer to
    uint64_t highest;  // highest vertex used by a face, plus one
    size_t flat;  // vertices with two coordinates, in the plane z = 0
    const char *first_flat;
} obj_reader;

// ---- v ----

static snag_status fail_coordinate(obj_reader *reader, const char *at, double value)
{
    snag__shown found = snag__text_show(&reader->text, at);
    size_t vertex = reader->builder->vertex_count + 1;
    if (at == reader->first_flat)
        return snag__text_fail(&reader->text, at, SNAG_ERROR_FORMAT, "expected the three coordinates of a vertex, found %s",
                               found.text);
    if (value - value != 0)
        return snag__text_fail(&reader->text, at, SNAG_ERROR_NOT_FINITE, "vertex %zu is not finite: %s", vertex, found.text);
    return snag__text_fail(&reader->text, at, SNAG_ERROR_FORMAT, "expected the three coordinates of vertex %zu, found %s", vertex,
                           found.text);
}

static snag_status read_vertex(obj_reader *reader)
{
    snag__text *text = &reader->text;
    double position[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        snag__text_more_in_line(text);
        const char *after = snag__read_double(text->at, text->end, &position[i]);
        bool finite = position[i] - position[i] == 0;
        if (i == 2 && text->at < text->end && snag__is_line_end(*text->at)) {
            reader->first_flat = reader->flat++ ? reader->first_flat : text->at;
            break;
        }
        if (after == text->at || !finite || !snag__text_ends_word(text, after))
            return fail_coordinate(reader, text->at, position[i]);
        text->at = after;
    }
    snag__text_skip_line(text);
    snag_status status = snag__builder_vertex(reader->builder, position[0], position[1], position[2]);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(text->source, status);
}

// ---- f ----

static snag_status fail_corner(obj_reader *reader, const char *at)
{
    return snag__text_fail(&reader->text, at, SNAG_ERROR_FORMAT,
                           "expected a corner of a face such as 7, 7/2, 7//5 or 7/2/5, found %s",
                           snag__text_show(&reader->text, at).text);
}

static snag_status fail_index(obj_reader *reader, const char *at, int64_t number)
{
    if (number == 0)
        return snag__text_fail(&reader->text, at, SNAG_ERROR_INDEX, "vertex 0 does not exist; OBJ counts from 1");
    if (number < 0)
        return snag__text_fail(&reader->text, at, SNAG_ERROR_INDEX,
                               "vertex %lld does not exist; there are %zu vertices before this line", (long long)number,
                               reader->builder->vertex_count);
    return snag__text_fail(&reader->text, at, SNAG_ERROR_INDEX, "vertex %lld does not exist; the file has %llu vertices",
                           (long long)number, (unsigned long long)reader->limit);
}

// Skips texture and normal of a corner, "/2/5": any mix of digits, signs and slashes.
static const char *skip_texture_and_normal(const char *at, const char *end)
{
    while (at < end && ((*at >= '0' && *at <= '9') || *at == '/' || *at == '-' || *at == '+'))
        at++;
    return at;
}

// The vertex that a corner names.
static snag_status read_reference(obj_reader *reader, uint32_t *named)
{
    snag__text *text = &reader->text;
    int64_t number = 0;
    const char *after = snag__read_integer(text->at, text->end, &number);
    if (after == text->at)
        return fail_corner(reader, text->at);
    if (after < text->end && *after == '/')
        after = skip_texture_and_normal(after, text->end);
    if (!snag__text_ends_word(text, after))
        return fail_corner(reader, text->at);
    // A negative number counts back from the last vertex so far.
    int64_t vertex = number < 0 ? (int64_t)reader->builder->vertex_count + number : number - 1;
    if (vertex < 0 || (uint64_t)vertex >= reader->limit)
        return fail_index(reader, text->at, number);
    if ((uint64_t)vertex >= reader->highest)
        reader->highest = (uint64_t)vertex + 1;
    text->at = after;
    *named = (uint32_t)vertex;
    return SNAG_OK;
}

static snag_status read_corner(obj_reader *reader)
{
    uint32_t vertex;
    snag_status status = read_reference(reader, &vertex);
    if (status != SNAG_OK)
        return status;
    status = snag__builder_corner(reader->builder, vertex);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(reader->text.source, status);
}

// "l": a polyline; "p": points.
static snag_status read_thin(obj_reader *reader, bool line)
{
    snag__text *text = &reader->text;
    const char *begin = text->at;
    uint32_t before = 0, vertex = 0;
    size_t count = 0;
    for (; snag__text_more_in_line(text); count++, before = vertex) {
        snag_status status = read_reference(reader, &vertex);
        if (status != SNAG_OK)
            return status;
        if (!line)
            status = snag__builder_point(reader->builder, vertex);
        else if (count > 0)
            status = snag__builder_edge(reader->builder, before, vertex);
        if (status != SNAG_OK)
            return snag__builder_fail(text->source, status);
    }
    snag__text_skip_line(text);
    if (count >= (line ? 2 : 1))
        return SNAG_OK;
    return snag__text_fail(text, begin, SNAG_ERROR_FORMAT, "a %s needs %s, and there %s", line ? "line (l)" : "point (p)",
                           line ? "two vertices or more" : "a vertex", count == 1 ? "is one" : "is none");
}

static snag_status read_face(obj_reader *reader)
{
    snag__text *text = &reader->text;
    const char *begin = text->at;
    size_t size = 0;
    for (; snag__text_more_in_line(text); size++) {
        snag_status status = read_corner(reader);
        if (status != SNAG_OK)
            return status;
    }
    snag__text_skip_line(text);
    if (size < 3)
        return snag__text_fail(text, begin, SNAG_ERROR_FORMAT,
                               "face %zu has %zu %s; it needs 3 or more (a line is written with l, a point with p)",
                               reader->builder->polygon_count + 1, size, size == 1 ? "vertex" : "vertices");
    snag_status status = snag__builder_close_polygon(reader->builder, size);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(text->source, status);
}

// ---- the file ----

static snag_status read_object(obj_reader *reader)
{
    snag__word name = snag__text_rest_of_line(&reader->text);
    snag_status status = snag__builder_object(reader->builder, name.at, name.length);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(reader->text.source, status);
}

// A group or a material, if these become bodies.
static snag_status read_group(obj_reader *reader, snag_io_split split)
{
    if (!snag__builder_groups_by(reader->builder, split)) {
        snag__text_skip_line(&reader->text);
        return SNAG_OK;
    }
    snag__word name = snag__text_rest_of_line(&reader->text);
    snag_status status = snag__builder_group(reader->builder, name.at, name.length);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(reader->text.source, status);
}

static bool is_curve(snag__word word)
{
    return snag__word_is(word, "curv") || snag__word_is(word, "curv2");
}

// Free-form surfaces, and the patches and face outlines of old format versions.
static bool is_other_surface(snag__word word)
{
    return snag__word_is(word, "surf") || snag__word_is(word, "fo") || snag__word_is(word, "bsp") || snag__word_is(word, "bzp");
}

static snag_status read_line(obj_reader *reader)
{
    snag__text *text = &reader->text;
    if (!snag__text_more_in_line(text)) {
        snag__text_skip_line(text);
        return SNAG_OK;
    }
    snag__word word = snag__text_word_in_line(text);
    if (word.length == 1 && *word.at == 'v')
        return read_vertex(reader);
    if (word.length == 1 && *word.at == 'f')
        return read_face(reader);
    if (word.length == 1 && *word.at == 'o')
        return read_object(reader);
    if (word.length == 1 && *word.at == 'g')
        return read_group(reader, SNAG_IO_SPLIT_GROUPS);
    if (snag__word_is(word, "usemtl"))
        return read_group(reader, SNAG_IO_SPLIT_MATERIALS);
    if (word.length == 1 && (*word.at == 'l' || *word.at == 'p'))
        return read_thin(reader, *word.at == 'l');
    if (is_curve(word) || is_other_surface(word))
        snag__builder_skip(reader->builder, 1, is_other_surface(word));
    snag__text_skip_line(text);
    return SNAG_OK;
}

static snag_status read_lines(obj_reader *reader)
{
    snag_status status = SNAG_OK;
    while (status == SNAG_OK && reader->text.at < reader->text.end)
        status = read_line(reader);
    return status;
}

static obj_reader begin(const snag__source *source, snag__builder *builder, uint64_t limit)
{
    obj_reader reader = {.text = snag__text_begin(source, '#'), .builder = builder, .limit = limit};
    reader.text.continues = true;
    return reader;
}

// Planar outlines have two coordinates throughout. Mixed files are an error, and so are planar files without faces.
static snag_status check_flat(obj_reader *reader)
{
    if (reader->flat == 0)
        return SNAG_OK;
    if (reader->flat != reader->builder->vertex_count || reader->builder->polygon_count == 0)
        return fail_coordinate(reader, reader->first_flat, 0);
    snag__io_note(reader->text.source->error, "%s: its vertices have two coordinates; using z = 0",
                  snag__path_shown(reader->text.source->name));
    return SNAG_OK;
}

snag_status snag__read_obj(const snag__source *source, snag__builder *builder)
{
    obj_reader reader = begin(source, builder, SNAG__MOST_VERTICES);
    snag_status status = read_lines(&reader);
    if (status == SNAG_OK)
        status = check_flat(&reader);
    if (status != SNAG_OK || reader.highest <= builder->vertex_count)
        return status;
    // A face refers to a missing vertex. The number of vertices is known only now, so read the file again to find the line.
    snag__builder again = {0};
    obj_reader search = begin(source, &again, builder->vertex_count);
    status = read_lines(&search);
    snag__builder_free(&again);
    return status;
}
