// What every fuzz target of a reader asks of it: any bytes give a sound mesh or cache, or a status with a message.
#ifndef SNAG_FUZZ_INPUTS_H
#define SNAG_FUZZ_INPUTS_H

#include "snag/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_require(bool holds)
{
    if (!holds)
        abort();
}

static inline void fuzz_check_body(const snag_io_body *body)
{
    fuzz_require(body->name != NULL && body->vertex_count > 0);
    for (size_t i = 0; i < 3 * body->vertex_count; i++)
        fuzz_require(isfinite(body->positions[i]));
    for (size_t i = 0; i < 4 * body->tet_count; i++)
        fuzz_require(body->tets[i] < body->vertex_count);
    // Read, so that a sanitizer sees arrays that are too short.
    volatile uint32_t sum = 0;
    for (size_t i = 0; body->vertex_numbers && i < body->vertex_count; i++)
        sum += body->vertex_numbers[i];
    for (size_t i = 0; body->vertex_labels && i < body->vertex_count; i++)
        sum += body->vertex_labels[i];
    for (size_t i = 0; body->polygon_numbers && i < body->polygon_count; i++)
        sum += body->polygon_numbers[i];
    for (size_t i = 0; body->tet_numbers && i < body->tet_count; i++)
        sum += body->tet_numbers[i];
    size_t corner = 0;
    for (size_t p = 0; p < body->polygon_count; p++) {
        uint32_t size = body->polygon_sizes ? body->polygon_sizes[p] : 3;
        fuzz_require(size >= 3);
        for (uint32_t i = 0; i < size; i++)
            fuzz_require(body->polygon_vertices[corner++] < body->vertex_count);
    }
}

static inline void fuzz_check_error(const snag_io_error *error, snag_status status, const char *name)
{
    fuzz_require(error->status == status);
    fuzz_require(strncmp(error->message, name, strlen(name)) == 0);
}

// The same bytes with their elements split in one of the ways, and curved cells cut at their mid-nodes or not.
static inline void fuzz_split(const char *name, const uint8_t *data, size_t size)
{
    snag_io_mesh mesh;
    snag_io_error error;
    snag_io_read_options options = snag_io_default_read_options();
    options.split = (snag_io_split)(size % SNAG_IO_SPLIT_COUNT);
    options.curved = size / SNAG_IO_SPLIT_COUNT % 2 == 0;
    snag_status status = snag_io_parse_mesh_with(name, data, size, &options, &mesh, &error);
    if (status != SNAG_OK)
        fuzz_check_error(&error, status, name);
    for (size_t b = 0; b < mesh.body_count; b++) {
        fuzz_check_body(&mesh.bodies[b]);
        for (size_t v = 0; mesh.bodies[b].vertex_numbers && v < mesh.bodies[b].vertex_count; v++)
            fuzz_require(mesh.bodies[b].vertex_numbers[v] < mesh.vertex_count);
    }
    snag_io_mesh_free(&mesh);
}

// The ending of `name` says the format.
static inline int fuzz_mesh(const char *name, const uint8_t *data, size_t size)
{
    snag_io_mesh mesh;
    snag_io_error error;
    snag_status status = snag_io_parse_mesh(name, data, size, &mesh, &error);
    if (status != SNAG_OK) {
        fuzz_check_error(&error, status, name);
        fuzz_require(mesh.body_count == 0);
    }
    size_t vertices = 0, faces = 0, tets = 0;
    for (size_t b = 0; b < mesh.body_count; b++) {
        fuzz_check_body(&mesh.bodies[b]);
        vertices += mesh.bodies[b].vertex_count;
        faces += mesh.bodies[b].polygon_count;
        tets += mesh.bodies[b].tet_count;
    }
    fuzz_require(vertices == mesh.vertex_count && faces == mesh.face_count && tets == mesh.tet_count);
    snag_io_mesh_free(&mesh);
    fuzz_split(name, data, size);
    return 0;
}

// A result file: as a mesh, and its frames.
static inline int fuzz_results(const char *name, const uint8_t *data, size_t size)
{
    if (size > 4 && memcmp(data, "\211HDF", 4) == 0)  // the HDF5 library is not ours to test, and runs in a process of its own
        return 0;
    snag_io_motion *motion = NULL;
    snag_io_error error;
    snag_status status = snag_io_motion_open_memory(name, data, size, &motion, &error);
    if (status != SNAG_OK) {
        fuzz_check_error(&error, status, name);
        fuzz_require(motion == NULL);
    }
    snag_io_animation animation = snag_io_motion_animation(motion, 0);
    for (size_t f = 0; f < animation.frame_count && f < 3; f++) {
        fuzz_require(snag_io_motion_pose(motion, 0, animation.times[f], &error) == SNAG_OK);
        for (size_t b = 0; b < snag_io_motion_mesh(motion)->body_count; b++) {
            size_t numbers = 3 * snag_io_motion_mesh(motion)->bodies[b].vertex_count;
            double *xyz = malloc(numbers * sizeof *xyz);
            fuzz_require(!xyz || snag_io_motion_positions(motion, b, xyz, &error) == SNAG_OK);
            for (size_t i = 0; xyz && i < numbers; i++)
                fuzz_require(isfinite(xyz[i]));
            free(xyz);
        }
    }
    snag_io_motion_close(motion);
    return fuzz_mesh(name, data, size);
}

static inline int fuzz_cache(const char *name, const uint8_t *data, size_t size)
{
    snag_io_cache *cache = NULL;
    snag_io_error error;
    snag_status status = snag_io_cache_open_memory(name, data, size, &cache, &error);
    if (status != SNAG_OK) {
        fuzz_check_error(&error, status, name);
        fuzz_require(cache == NULL);
        return 0;
    }
    size_t vertices = snag_io_cache_vertex_count(cache), frames = snag_io_cache_frame_count(cache);
    size_t held = snag_io_cache_held_count(cache);
    fuzz_require(vertices > 0 && held > 0 && held <= frames && vertices <= size / 12 / held);
    float *xyz = malloc(vertices * 3 * sizeof *xyz);
    for (size_t f = 0; xyz && f < held; f++) {
        status = snag_io_cache_read(cache, f, xyz, &error);
        fuzz_require(status == SNAG_OK || status == SNAG_ERROR_NOT_FINITE);
        for (size_t i = 0; status == SNAG_OK && i < 3 * vertices; i++)
            fuzz_require(isfinite(xyz[i]));
    }
    if (xyz && held < frames)
        fuzz_require(snag_io_cache_read(cache, held, xyz, &error) == SNAG_ERROR_FORMAT);
    free(xyz);
    snag_io_cache_close(cache);
    return 0;
}

#endif
