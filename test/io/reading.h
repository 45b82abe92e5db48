// What the tests of surface readers share: meshes from text, and what must hold for any of them.
#ifndef SNAG_TEST_IO_READING_H
#define SNAG_TEST_IO_READING_H

#include "support.h"

#include <math.h>

static inline snag_io_mesh read_ok(const char *name, const void *data, size_t size)
{
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_parse_mesh(name, data, size, &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    return mesh;
}

static inline snag_io_mesh read_text(const char *name, const char *text)
{
    return read_ok(name, text, strlen(text));
}

// The one body of a mesh.
static inline const snag_io_body *only_body(const snag_io_mesh *mesh)
{
    assert_int_equal(mesh->body_count, 1);
    return &mesh->bodies[0];
}

static inline void assert_vertex(const snag_io_body *body, size_t vertex, double x, double y, double z)
{
    assert_true(vertex < body->vertex_count);
    const double expected[3] = {x, y, z};
    assert_memory_equal(body->positions + 3 * vertex, expected, sizeof expected);
}

// The corners of polygon `p`; its size.
static inline uint32_t polygon_of(const snag_io_body *body, size_t p, const uint32_t **corners)
{
    assert_true(p < body->polygon_count);
    const uint32_t *corner = body->polygon_vertices;
    for (size_t i = 0; i < p; i++)
        corner += body->polygon_sizes ? body->polygon_sizes[i] : 3;
    *corners = corner;
    return body->polygon_sizes ? body->polygon_sizes[p] : 3;
}

#define assert_polygon(body, p, ...)                                                                                               \
    do {                                                                                                                           \
        const uint32_t expected_[] = {__VA_ARGS__}, *corners_;                                                                     \
        assert_int_equal(polygon_of(body, p, &corners_), sizeof expected_ / sizeof *expected_);                                    \
        assert_memory_equal(corners_, expected_, sizeof expected_);                                                                \
    } while (0)

// What holds for every mesh that was read.
static inline void assert_sound(const snag_io_mesh *mesh)
{
    size_t vertices = 0, polygons = 0;
    for (size_t b = 0; b < mesh->body_count; b++) {
        const snag_io_body *body = &mesh->bodies[b];
        assert_non_null(body->name);
        for (size_t i = 0; i < 3 * body->vertex_count; i++)
            assert_true(isfinite(body->positions[i]));
        for (size_t v = 0; body->vertex_numbers && v < body->vertex_count; v++)
            assert_true(body->vertex_numbers[v] < mesh->vertex_count);
        const uint32_t *corner = body->polygon_vertices;
        for (size_t p = 0; p < body->polygon_count; p++) {
            uint32_t size = body->polygon_sizes ? body->polygon_sizes[p] : 3;
            assert_true(size >= 3);
            for (uint32_t i = 0; i < size; i++)
                assert_true(*corner++ < body->vertex_count);
            assert_true(!body->polygon_numbers || mesh->labelled || body->polygon_numbers[p] < mesh->face_count + mesh->skipped);
        }
        vertices += body->vertex_count;
        polygons += body->polygon_count;
    }
    assert_int_equal(vertices, mesh->vertex_count);
    assert_int_equal(polygons, mesh->face_count);
}

// Reads bytes that may be anything; what comes out is a refusal with words, or sound.
static inline snag_status read_anything(const char *name, const void *data, size_t size)
{
    snag_io_mesh mesh;
    snag_io_error error;
    snag_status status = parse(name, data, size, &mesh, &error);
    if (status == SNAG_OK)
        assert_sound(&mesh);
    snag_io_mesh_free(&mesh);
    return status;
}

// Cuts the file after every byte. Returns how many of the parts could be read.
static inline size_t cut_everywhere(const char *name, const void *data, size_t size)
{
    size_t read = 0;
    for (size_t length = 0; length < size; length++)
        read += read_anything(name, data, length) == SNAG_OK;
    return read;
}

#endif
