// Medit .mesh, as text.
//
// Vertices, Triangles, Quadrilaterals and Tetrahedra are read; other elements (edges, hexahedra, those of higher order)
// are counted as skipped, and any other section is passed over. As in msh.c, triangles and quadrilaterals beside
// tetrahedra are left out and counted as skipped. The closing word End may be missing, as some programs leave it out;
// the last line must then be whole.
#include "mesh.h"
#include "text.h"

typedef struct medit {
    snag__text text;
    snag__builder *builder;
    bool saw_vertices;
    bool saw_end;
} medit;

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// ---- elements ----

// The number after a line's coordinates or vertices. Some programs write none, so it is taken only from the same line.
static void skip_reference(medit *m)
{
    if (snag__text_more_in_line(&m->text) && !begins_word(*m->text.at))
        snag__text_word_in_line(&m->text);
}

// An element or vertex needs at least a digit and a blank for each of its numbers; the last blank may be missing.
static snag_status read_count(medit *m, const char *what, size_t numbers, uint64_t *count)
{
    size_t left = (size_t)(m->text.end - m->text.at);
    return snag__text_count(&m->text, what, left / (2 * numbers) + 1, count);
}

static snag_status read_vertices(medit *m)
{
    static const char *what[3] = {"x of a vertex", "y of a vertex", "z of a vertex"};
    uint64_t count = 0;
    snag_status status = read_count(m, "the number of vertices", 3, &count);
    if (status != SNAG_OK)
        return status;
    status = snag__builder_reserve_vertices(m->builder, (size_t)count);
    if (status != SNAG_OK)
        return snag__builder_fail(m->text.source, status);
    for (uint64_t i = 0; i < count; i++) {
        double xyz[3];
        for (int axis = 0; axis < 3; axis++) {
            status = snag__text_coordinate(&m->text, what[axis], &xyz[axis]);
            if (status != SNAG_OK)
                return status;
        }
        skip_reference(m);
        status = snag__builder_vertex(m->builder, xyz[0], xyz[1], xyz[2]);
        if (status != SNAG_OK)
            return snag__builder_fail(m->text.source, status);
    }
    m->saw_vertices = true;
    return SNAG_OK;
}

// Vertices are counted from 1.
static snag_status read_element(medit *m, size_t size, uint32_t vertices[4])
{
    for (size_t i = 0; i < size; i++) {
        int64_t number = 0;
        snag__text_more(&m->text);
        const char *at = m->text.at;
        snag_status status = snag__text_integer(&m->text, "a vertex of an element", &number);
        if (status != SNAG_OK)
            return status;
        if (number < 1 || (uint64_t)number > m->builder->vertex_count)
            return snag__text_fail(&m->text, at, SNAG_ERROR_INDEX, "vertex %lld does not exist; they are counted from 1 to %zu",
                                   (long long)number, m->builder->vertex_count);
        vertices[i] = (uint32_t)(number - 1);
    }
    return SNAG_OK;
}

static snag_status reserve(medit *m, size_t size, bool tets, uint64_t count)
{
    snag_status status = tets ? snag__builder_reserve_tets(m->builder, (size_t)count)
                              : snag__builder_reserve_polygons(m->builder, (size_t)count, (size_t)count * size);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->text.source, status);
}

static snag_status read_elements(medit *m, snag__word section, size_t size, bool tets)
{
    if (!m->saw_vertices)
        return snag__text_fail(&m->text, section.at, SNAG_ERROR_FORMAT, "elements stand before Vertices");
    uint64_t count = 0;
    snag_status status = read_count(m, "the number of elements", size, &count);
    if (status == SNAG_OK)
        status = reserve(m, size, tets, count);
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        uint32_t vertices[4] = {0};
        status = read_element(m, size, vertices);
        if (status != SNAG_OK)
            return status;
        skip_reference(m);
        status = tets ? snag__builder_tet(m->builder, vertices) : snag__builder_polygon(m->builder, vertices, size);
        if (status != SNAG_OK)
            return snag__builder_fail(m->text.source, status);
    }
    return status;
}

// ---- sections ----

// Passes over all that is not a keyword. What looks like one without being one ("nan") is passed over later as a
// section of its own.
static void skip_numbers(medit *m)
{
    while (snag__text_more(&m->text) && !begins_word(*m->text.at))
        snag__text_word(&m->text);
}

// Elements of a kind that is not read: its count is what is wanted.
static snag_status skip_elements(medit *m, bool solid)
{
    uint64_t count = 0;
    snag_status status = read_count(m, "the number of elements", 1, &count);
    if (status == SNAG_OK)
        snag__builder_skip(m->builder, (size_t)count, solid);
    skip_numbers(m);
    return status;
}

static bool is_edges(snag__word section)
{
    return snag__word_is(section, "Edges") || snag__word_is(section, "EdgesP2") || snag__word_is(section, "EdgesP3");
}

static bool is_other_element(snag__word section)
{
    static const char *names[] = {"Edges",       "Hexahedra",    "Hexaedra",         "Prisms",       "Pentahedra",
                                  "Wedges",      "Pyramids",     "EdgesP2",          "TrianglesP2",  "EdgesP3",
                                  "TrianglesP3", "TetrahedraP2", "QuadrilateralsQ2", "TetrahedraP3", "HexahedraQ2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (snag__word_is(section, names[i]))
            return true;
    return false;
}

static snag_status read_dimension(medit *m)
{
    int64_t dimension = 0;
    snag__text_more(&m->text);
    const char *at = m->text.at;
    snag_status status = snag__text_integer(&m->text, "the dimension", &dimension);
    if (status == SNAG_OK && dimension != 3)
        return snag__text_fail(&m->text, at, SNAG_ERROR_UNSUPPORTED, "a mesh of dimension %lld; only 3 can be read",
                               (long long)dimension);
    return status;
}

static snag_status read_section(medit *m)
{
    snag__word section = snag__text_word(&m->text);
    if (!begins_word(*section.at))
        return snag__text_fail(&m->text, section.at, SNAG_ERROR_FORMAT, "a keyword should be here, but there is %s",
                               snag__text_show(&m->text, section.at).text);
    if (snag__word_is(section, "Dimension"))
        return read_dimension(m);
    if (snag__word_is(section, "Vertices"))
        return read_vertices(m);
    if (snag__word_is(section, "Triangles"))
        return read_elements(m, section, 3, false);
    if (snag__word_is(section, "Quadrilaterals"))
        return read_elements(m, section, 4, false);
    if (snag__word_is(section, "Tetrahedra"))
        return read_elements(m, section, 4, true);
    m->saw_end = snag__word_is(section, "End");
    if (is_other_element(section))
        return skip_elements(m, !is_edges(section));
    skip_numbers(m);
    return SNAG_OK;
}

static snag_status read_version(medit *m)
{
    snag__word first = snag__text_word(&m->text);
    int64_t version;
    if (!snag__word_is(first, "MeshVersionFormatted"))
        return snag__text_fail(&m->text, first.at, SNAG_ERROR_FORMAT,
                               "a Medit file begins with MeshVersionFormatted, but here is %s",
                               snag__text_show(&m->text, first.at).text);
    return snag__text_integer(&m->text, "the version", &version);
}

// Whether the file stops where it may: after End, or else at least after a whole line.
static snag_status check_end(const medit *m)
{
    bool whole = m->text.end > m->text.begin && snag__is_line_end(m->text.end[-1]);
    if (m->saw_vertices && (m->saw_end || whole))
        return SNAG_OK;
    return snag__text_fail(&m->text, m->text.end, SNAG_ERROR_FORMAT, "the file is cut off: %s",
                           m->saw_vertices ? "neither End nor the end of a line is here" : "there are no Vertices");
}

snag_status snag__read_medit(const snag__source *source, snag__builder *builder)
{
    medit m = {.text = snag__text_begin(source, '#'), .builder = builder};
    snag_status status = read_version(&m);
    while (status == SNAG_OK && !m.saw_end && snag__text_more(&m.text))
        status = read_section(&m);
    if (status == SNAG_OK)
        status = check_end(&m);
    if (status == SNAG_OK && builder->tet_count > 0 && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    return status;
}
