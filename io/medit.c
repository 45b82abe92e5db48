// Medit .mesh, text format.
//
// Reads Vertices, Triangles, Quadrilaterals, Tetrahedra, Hexahedra, Prisms and Pyramids; elements of higher order are
// reduced to their corners. Edges are counted as skipped, and any other section is ignored. As in msh.c, faces beside
// volumes are dropped and counted as skipped. The final keyword End may be missing, since some programs omit it; the last
// line must then be complete.
#include "cells.h"
#include "groups.h"
#include "text.h"

enum { MOST_NODES = 27 };  // nodes of an element

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

// The reference after the coordinates or vertices. Some programs omit it, so read it only from the same line.
static void skip_reference(medit *m)
{
    if (snag__text_more_in_line(&m->text) && !begins_word(*m->text.at))
        snag__text_word_in_line(&m->text);
}

// The same for an element: if references become bodies, it selects the body.
static snag_status read_reference(medit *m)
{
    if (!snag__builder_groups_by(m->builder, SNAG_IO_SPLIT_GROUPS)) {
        skip_reference(m);
        return SNAG_OK;
    }
    char name[64] = "reference 0";
    if (snag__text_more_in_line(&m->text) && !begins_word(*m->text.at)) {
        snag__word word = snag__text_word_in_line(&m->text);
        snprintf(name, sizeof name, "reference %.*s", (int)(word.length < 40 ? word.length : 40), word.at);
    }
    snag_status status = snag__builder_group(m->builder, name, strlen(name));
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->text.source, status);
}

// An element or vertex takes at least a digit and a blank per number; the last blank may be missing.
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
static snag_status read_element(medit *m, size_t size, uint32_t *vertices)
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

static snag_status reserve(medit *m, snag__cell kind, uint64_t count)
{
    snag_status status = SNAG_OK;
    if (kind == SNAG__CELL_TET)
        status = snag__builder_reserve_tets(m->builder, (size_t)count);
    else if (kind == SNAG__CELL_TRIANGLE || kind == SNAG__CELL_QUAD)
        status = snag__builder_reserve_polygons(m->builder, (size_t)count, (size_t)count * snag__cell_corners(kind));
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->text.source, status);
}

// `nodes` per element: more than the corners in sections of higher order.
static snag_status read_elements(medit *m, snag__word section, size_t nodes, snag__cell kind)
{
    if (!m->saw_vertices)
        return snag__text_fail(&m->text, section.at, SNAG_ERROR_FORMAT, "elements come before Vertices");
    uint64_t count = 0;
    snag_status status = read_count(m, "the number of elements", nodes, &count);
    if (status == SNAG_OK)
        status = reserve(m, kind, count);
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        uint32_t vertices[MOST_NODES] = {0};
        status = read_element(m, nodes, vertices);
        if (status != SNAG_OK)
            return status;
        status = read_reference(m);
        if (status != SNAG_OK)
            return status;
        status = snag__builder_cell(m->builder, kind, SNAG__ORDER_VTK, vertices, nodes);
        if (status != SNAG_OK)
            return snag__builder_fail(m->text.source, status);
    }
    return status;
}

// ---- sections ----

// Skips to the next keyword. A word that only looks like one ("nan") is skipped later, as an unknown section.
static void skip_numbers(medit *m)
{
    while (snag__text_more(&m->text) && !begins_word(*m->text.at))
        snag__text_word(&m->text);
}

typedef struct medit_section {
    const char *name;
    snag__cell kind;
    size_t nodes;
} medit_section;

static const medit_section sections[] = {
    {"Triangles", SNAG__CELL_TRIANGLE, 3},
    {"TrianglesP2", SNAG__CELL_TRIANGLE, 6},
    {"TrianglesP3", SNAG__CELL_TRIANGLE, 10},
    {"Quadrilaterals", SNAG__CELL_QUAD, 4},
    {"QuadrilateralsQ2", SNAG__CELL_QUAD, 9},
    {"Tetrahedra", SNAG__CELL_TET, 4},
    {"TetrahedraP2", SNAG__CELL_TET, 10},
    {"TetrahedraP3", SNAG__CELL_TET, 20},
    {"Hexahedra", SNAG__CELL_HEXAHEDRON, 8},
    {"Hexaedra", SNAG__CELL_HEXAHEDRON, 8},
    {"HexahedraQ2", SNAG__CELL_HEXAHEDRON, 27},
    {"Prisms", SNAG__CELL_WEDGE, 6},
    {"Pentahedra", SNAG__CELL_WEDGE, 6},
    {"Wedges", SNAG__CELL_WEDGE, 6},
    {"PrismsP2", SNAG__CELL_WEDGE, 18},
    {"Pyramids", SNAG__CELL_PYRAMID, 5},
    {"PyramidsP2", SNAG__CELL_PYRAMID, 14},
    {"Edges", SNAG__CELL_LINE, 2},
    {"EdgesP2", SNAG__CELL_LINE, 3},
    {"EdgesP3", SNAG__CELL_LINE, 4},
};

static const medit_section *find_section(snag__word word)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (snag__word_is(word, sections[i].name))
            return &sections[i];
    return NULL;
}

static snag_status read_dimension(medit *m)
{
    int64_t dimension = 0;
    snag__text_more(&m->text);
    const char *at = m->text.at;
    snag_status status = snag__text_integer(&m->text, "the dimension", &dimension);
    if (status == SNAG_OK && dimension != 3)
        return snag__text_fail(&m->text, at, SNAG_ERROR_UNSUPPORTED, "a mesh of dimension %lld; only 3 is supported",
                               (long long)dimension);
    return status;
}

static snag_status read_section(medit *m)
{
    snag__word section = snag__text_word(&m->text);
    if (!begins_word(*section.at))
        return snag__text_fail(&m->text, section.at, SNAG_ERROR_FORMAT, "expected a keyword, found %s",
                               snag__text_show(&m->text, section.at).text);
    if (snag__word_is(section, "Dimension"))
        return read_dimension(m);
    if (snag__word_is(section, "Vertices"))
        return read_vertices(m);
    const medit_section *known = find_section(section);
    if (known)
        return read_elements(m, section, known->nodes, known->kind);
    m->saw_end = snag__word_is(section, "End");
    skip_numbers(m);
    return SNAG_OK;
}

static snag_status read_version(medit *m)
{
    snag__word first = snag__text_word(&m->text);
    int64_t version;
    if (!snag__word_is(first, "MeshVersionFormatted"))
        return snag__text_fail(&m->text, first.at, SNAG_ERROR_FORMAT, "a Medit file begins with MeshVersionFormatted, found %s",
                               snag__text_show(&m->text, first.at).text);
    return snag__text_integer(&m->text, "the version", &version);
}

// Whether the file ends properly: after End, or at least after a complete line.
static snag_status check_end(const medit *m)
{
    bool whole = m->text.end > m->text.begin && snag__is_line_end(m->text.end[-1]);
    if (m->saw_vertices && (m->saw_end || whole))
        return SNAG_OK;
    return snag__text_fail(&m->text, m->text.end, SNAG_ERROR_FORMAT, "the file is cut off: %s",
                           m->saw_vertices ? "it ends without End and within a line" : "there are no Vertices");
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
