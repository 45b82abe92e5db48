// Reads mesh files as the poses of a scene.
#include "surface_files.h"

#include "polygons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snag_status add_first_file(const snag_io_mesh *mesh, surface_scene *scene)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < mesh->body_count && status == SNAG_OK; i++) {
        const snag_io_body *body = &mesh->bodies[i];
        size_t count;
        uint32_t *triangles = polygon_triangles(body->positions, body->vertex_count, body->polygon_sizes, body->polygon_vertices,
                                                body->polygon_count, &count);
        status =
            triangles ? surface_scene_add_body(scene, body->positions, body->vertex_count, triangles, count) : SNAG_ERROR_MEMORY;
        free(triangles);
    }
    return status;
}

static snag_status add_next_file(const snag_io_mesh *mesh, surface_scene *scene)
{
    if (mesh->body_count != scene->body_count)
        return SNAG_ERROR_MISMATCH;
    for (size_t i = 0; i < mesh->body_count; i++)
        if (mesh->bodies[i].vertex_count != scene->bodies[i].vertex_count)
            return SNAG_ERROR_MISMATCH;
    double(*pose)[3] = surface_scene_add_pose(scene);
    if (!pose)
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < mesh->body_count; i++)
        memcpy(pose + scene->bodies[i].first_vertex, mesh->bodies[i].positions, mesh->bodies[i].vertex_count * sizeof *pose);
    return SNAG_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

snag_status surface_scene_read(const char *const *paths, size_t count, surface_scene *scene, char message[512])
{
    memset(scene, 0, sizeof *scene);
    snag_status status = count > 0 ? SNAG_OK : SNAG_ERROR_ARGUMENT;
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        status = snag_io_read_mesh(paths[i], &mesh, &error);
        if (status != SNAG_OK) {
            snprintf(message, 512, "%s", error.message);
            break;
        }
        status = i == 0 ? add_first_file(&mesh, scene) : add_next_file(&mesh, scene);
        if (status != SNAG_OK)
            snprintf(message, 512, "%s: %s", paths[i],
                     status == SNAG_ERROR_MISMATCH ? "not the same bodies as in the first file" : snag_status_name(status));
        snag_io_mesh_free(&mesh);
    }
    if (status == SNAG_OK && scene->triangle_count == 0) {
        snprintf(message, 512, "%s: no triangles", paths[0]);
        status = SNAG_ERROR_ARGUMENT;
    }
    if (status == SNAG_OK)
        status = surface_scene_finish(scene, base_name(paths[count - 1]));
    if (status != SNAG_OK)
        surface_scene_free(scene);
    return status;
}

// ---- folders ----

static snag_status open_caches(const char *folder, const snag_io_mesh *mesh, snag_io_cache **caches, size_t *frames,
                               char message[512])
{
    char path[4096];
    snag_io_error error = {0};
    *frames = SIZE_MAX;
    for (size_t i = 0; i < mesh->body_count; i++) {
        snprintf(path, sizeof path, "%s/%s.pc2", folder, mesh->bodies[i].name);
        snag_status status = snag_io_cache_open(path, &caches[i], &error);
        if (status == SNAG_OK && snag_io_cache_vertex_count(caches[i]) != mesh->bodies[i].vertex_count)
            status = SNAG_ERROR_MISMATCH;
        if (status != SNAG_OK) {
            snprintf(message, 512, "%.400s: %.100s", path, error.message);
            return status;
        }
        size_t count = snag_io_cache_frame_count(caches[i]);
        *frames = count < *frames ? count : *frames;
    }
    return SNAG_OK;
}

// Reads one frame of all caches into one array of positions.
static snag_status read_frame(const snag_io_mesh *mesh, snag_io_cache *const *caches, size_t frame, float *xyz, double (*x)[3],
                              char message[512])
{
    snag_io_error error = {0};
    for (size_t i = 0; i < mesh->body_count; i++) {
        size_t count = mesh->bodies[i].vertex_count;
        snag_status status = snag_io_cache_read(caches[i], frame, xyz, &error);
        if (status != SNAG_OK) {
            snprintf(message, 512, "%s", error.message);
            return status;
        }
        for (size_t k = 0; k < 3 * count; k++)
            x[k / 3][k % 3] = xyz[k];
        x += count;
    }
    return SNAG_OK;
}

static snag_status add_frames(snag_io_mesh *mesh, snag_io_cache *const *caches, size_t frames, surface_scene *scene,
                              char message[512])
{
    size_t vertices = 0;
    for (size_t i = 0; i < mesh->body_count; i++)
        vertices += mesh->bodies[i].vertex_count;
    float *xyz = malloc(3 * (vertices + 1) * sizeof *xyz);
    double(*first)[3] = malloc((vertices + 1) * sizeof *first);
    snag_status status = xyz && first ? read_frame(mesh, caches, 0, xyz, first, message) : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK) {
        // The caches contain the first pose too.
        for (size_t i = 0, v = 0; i < mesh->body_count; v += mesh->bodies[i++].vertex_count)
            memcpy(mesh->bodies[i].positions, first[v], mesh->bodies[i].vertex_count * sizeof *first);
        status = add_first_file(mesh, scene);
    }
    for (size_t frame = 1; frame < frames && status == SNAG_OK; frame++) {
        double(*x)[3] = surface_scene_add_pose(scene);
        status = x ? read_frame(mesh, caches, frame, xyz, x, message) : SNAG_ERROR_MEMORY;
    }
    free(xyz);
    free(first);
    return status;
}

snag_status surface_scene_read_folder(const char *folder, surface_scene *scene, char message[512])
{
    char path[4096];
    snag_io_error error = {0};
    snag_io_mesh mesh;
    memset(scene, 0, sizeof *scene);
    snprintf(path, sizeof path, "%s/mesh_00.obj", folder);
    snag_status status = snag_io_read_mesh(path, &mesh, &error);
    if (status != SNAG_OK) {
        snprintf(message, 512, "%s", error.message);
        return status;
    }
    size_t frames = 0;
    snag_io_cache **caches = calloc(mesh.body_count + 1, sizeof(snag_io_cache *));
    status = caches ? open_caches(folder, &mesh, caches, &frames, message) : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK)
        status = add_frames(&mesh, caches, frames, scene, message);
    if (status == SNAG_OK)
        status = surface_scene_finish(scene, base_name(folder));
    for (size_t i = 0; i < mesh.body_count && caches; i++)
        snag_io_cache_close(caches[i]);
    free(caches);
    snag_io_mesh_free(&mesh);
    if (status != SNAG_OK)
        surface_scene_free(scene);
    return status;
}

snag_status surface_scene_open(const char *name, surface_scene *scene, char message[512])
{
    size_t triangles;
    size_t kind = surface_scene_parse(name, &triangles);
    if (kind != SIZE_MAX)
        return surface_scene_make(surface_scene_kind(kind), triangles, scene);
    if (surface_scene_read(&name, 1, scene, message) == SNAG_OK)
        return SNAG_OK;
    return surface_scene_read_folder(name, scene, message);
}
