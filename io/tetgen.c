// TetGen .node, .ele and .face files. Vertices are counted from 0 or from 1, depending on the first one.
#define _POSIX_C_SOURCE 200809L
#include "tetgen.h"

#include "common/system.h"
#include "text.h"

#include <stdlib.h>

bool snag__is_tetgen(const char *path)
{
    if (snag__path_is_gzip(path))
        return false;
    return snag__path_has_ending(path, ".node") || snag__path_has_ending(path, ".ele") || snag__path_has_ending(path, ".face");
}

static snag_status read_nodes(const snag__source *source, snag__builder *builder, int64_t *base)
{
    snag__text text = snag__text_begin(source, '#');
    uint64_t count, dimension;
    snag_status status = snag__text_count(&text, "the number of vertices", SNAG__MOST_VERTICES, &count);
    if (status == SNAG_OK)
        status = snag__text_count(&text, "the dimension", 16, &dimension);
    if (status != SNAG_OK)
        return status;
    if (dimension != 3)
        return snag__text_fail(&text, text.at, SNAG_ERROR_UNSUPPORTED, "the vertices have %llu coordinates; only 3 are supported",
                               (unsigned long long)dimension);
    snag__text_skip_line(&text);
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        int64_t number = 0;
        double position[3] = {0, 0, 0};
        status = snag__text_integer(&text, "the number of a vertex", &number);
        if (status == SNAG_OK && i == 0)
            *base = number;
        if (status == SNAG_OK && (*base < 0 || *base > 1 || number != *base + (int64_t)i))
            return snag__text_fail(&text, text.at, SNAG_ERROR_FORMAT, "found vertex %lld, expected %llu", (long long)number,
                                   (unsigned long long)i + (*base == 1));
        for (int k = 0; k < 3 && status == SNAG_OK; k++)
            status = snag__text_coordinate(&text, "a coordinate of a vertex", &position[k]);
        if (status != SNAG_OK)
            return status;
        status = snag__builder_vertex(builder, position[0], position[1], position[2]);
        if (status != SNAG_OK)
            return snag__builder_fail(source, status);
        snag__text_skip_line(&text);  // attributes and a boundary marker
    }
    return status;
}

static snag_status read_element(snag__text *text, size_t corners, int64_t base, snag__builder *builder)
{
    int64_t number;
    uint32_t vertices[4];
    snag_status status = snag__text_integer(text, "the number of an element", &number);
    for (size_t k = 0; k < corners && status == SNAG_OK; k++) {
        const char *at = text->at;
        status = snag__text_integer(text, "a vertex of an element", &number);
        if (status == SNAG_OK && (number < base || (uint64_t)(number - base) >= builder->vertex_count))
            return snag__text_fail(text, at, SNAG_ERROR_INDEX, "vertex %lld does not exist; the file of vertices has %zu",
                                   (long long)number, builder->vertex_count);
        if (status == SNAG_OK)
            vertices[k] = (uint32_t)(number - base);
    }
    if (status != SNAG_OK)
        return status;
    status = corners == 4 ? snag__builder_tet(builder, vertices) : snag__builder_polygon(builder, vertices, 3);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(text->source, status);
}

snag_status snag__read_tetgen(const snag__source *nodes, const snag__source *elements, size_t corners, snag__builder *builder)
{
    int64_t base = 0;
    uint64_t count = 0, each = corners;
    snag_status status = read_nodes(nodes, builder, &base);
    snag__text text = snag__text_begin(elements, '#');
    if (status == SNAG_OK)
        status = snag__text_count(&text, "the number of elements", SNAG__MOST_VERTICES, &count);
    if (status == SNAG_OK && corners == 4)
        status = snag__text_count(&text, "the corners of an element", 100, &each);
    if (status == SNAG_OK && each != corners)
        status =
            snag__text_fail(&text, text.at, SNAG_ERROR_UNSUPPORTED,
                            "the tetrahedra have %llu vertices; only 4 are supported (no curved ones)", (unsigned long long)each);
    if (status == SNAG_OK)
        snag__text_skip_line(&text);
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        status = read_element(&text, corners, base, builder);
        snag__text_skip_line(&text);
    }
    return status;
}

// ---- the two files ----

static char *with_ending(const char *path, const char *ending)
{
    size_t stem = (size_t)(strrchr(path, '.') - path), size = stem + strlen(ending) + 1;
    char *made = malloc(size);
    if (made) {
        memcpy(made, path, stem);
        memcpy(made + stem, ending, size - stem);
    }
    return made;
}

static snag_status read_pair(const char *node_path, const char *element_path, size_t corners, snag__reading *reading,
                             snag_io_mesh *mesh, snag_io_error *error)
{
    snag__source nodes = {.name = node_path, .error = error, .reading = reading};
    snag__source elements = {.name = element_path, .error = error, .reading = reading};
    char *node_text = NULL, *element_text = NULL;
    snag__builder builder = {.source = &nodes};
    snag_status status = snag__file_read(node_path, reading, &node_text, &nodes.size, error);
    if (status == SNAG_OK)
        status = snag__file_read(element_path, reading, &element_text, &elements.size, error);
    nodes.data = node_text;
    elements.data = element_text;
    if (status == SNAG_OK)
        status = snag__read_tetgen(&nodes, &elements, corners, &builder);
    if (status == SNAG_OK)
        status = snag__builder_finish(&builder, &nodes, mesh);
    snag__builder_free(&builder);
    free(node_text);
    free(element_text);
    return status;
}

snag_status snag__read_tetgen_files(const char *path, snag__reading *reading, snag_io_mesh *mesh, snag_io_error *error)
{
    char *node = with_ending(path, ".node"), *ele = with_ending(path, ".ele"), *face = with_ending(path, ".face");
    snag_status status;
    if (!node || !ele || !face)
        status = snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory for this mesh", snag__path_shown(path));
    else if (snag__path_has_ending(path, ".face") || (sys_access(ele, F_OK) != 0 && sys_access(face, F_OK) == 0))
        status = read_pair(node, face, 3, reading, mesh, error);
    else
        status = read_pair(node, ele, 4, reading, mesh, error);
    if (status != SNAG_OK)
        snag_io_mesh_free(mesh);
    free(node);
    free(ele);
    free(face);
    return status;
}
