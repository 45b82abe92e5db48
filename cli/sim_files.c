#include "sim_files.h"

#include "common/system.h"

#include <stdlib.h>
#include <string.h>

#define MESH_NAME "mesh_00.obj"

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static void take_positions(sim_files *files, const snag_sim *sim)
{
    float *xyz = files->xyz;
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        for (size_t i = 0; i < 3 * body.vertex_count; i++)
            *xyz++ = (float)body.positions[i];
    }
}

// In single precision where caches follow, which have no other; else as they are.
static int write_mesh(const sim_files *files, const char *path, const snag_sim *sim, words *w)
{
    size_t count = snag_sim_body_count(sim);
    snag_io_surface *surfaces = calloc(count + 1, sizeof *surfaces);
    if (!surfaces)
        return words_out_of_memory(w);
    const float *xyz = files->xyz;
    for (size_t b = 0; b < count; b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        surfaces[b].positions = files->mesh_count > 0 ? snag_positions_f64(body.positions, body.vertex_count)
                                                      : snag_positions_f32(xyz, body.vertex_count);
        surfaces[b].triangles = body.triangles;
        surfaces[b].triangle_count = body.triangle_count;
        surfaces[b].name = body.name;
        xyz += files->mesh_count > 0 ? 0 : 3 * body.vertex_count;
    }
    snag_io_error error;
    snag_status status = snag_io_write_obj(path, surfaces, count, &error);
    free(surfaces);
    return status == SNAG_OK ? EXIT_CLEAN : words_error(w, "%s", error.message);
}

static int open_cache(sim_files *files, const char *path, size_t vertex_count, words *w)
{
    snag_io_error error;
    if (snag_io_pc2_create(path, vertex_count, &files->caches[files->cache_count], &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    files->cache_count++;
    return EXIT_CLEAN;
}

static int open_folder(sim_files *files, const snag_sim *sim, words *w)
{
    size_t count = snag_sim_body_count(sim);
    for (size_t b = 0; b < count; b++) {
        char name[256];
        snprintf(name, sizeof name, "%s.pc2", snag_sim_body_at(sim, b).name);
        if (!demo_folder_add(&files->folder, name))
            return words_out_of_memory(w);
    }
    if (!demo_folder_add(&files->folder, MESH_NAME))
        return words_out_of_memory(w);
    int result = demo_folder_prepare(&files->folder, w);
    for (size_t i = 0; i <= count && result == EXIT_CLEAN; i++) {
        char *path = demo_folder_path(&files->folder, files->folder.names[i]);
        if (!path)
            return words_out_of_memory(w);
        result = i < count ? open_cache(files, path, snag_sim_body_at(sim, i).vertex_count, w) : write_mesh(files, path, sim, w);
        free(path);
    }
    return result;
}

// The mesh file of a cache: the same name with another extension.
static int open_one(sim_files *files, const char *out, const snag_sim *sim, words *w)
{
    size_t length = strlen(out);
    char *mesh = malloc(length + 1);
    sys_info there;
    if (!mesh)
        return words_out_of_memory(w);
    memcpy(mesh, out, length - 4);
    memcpy(mesh + length - 4, ".obj", 5);
    int result = sys_stat(mesh, &there) == 0 || sys_stat(out, &there) == 0
                     ? words_error(w, "%s or %s already exists; choose another name", out, mesh)
                     : write_mesh(files, mesh, sim, w);
    if (result == EXIT_CLEAN && !demo_folder_add(&files->folder, mesh))
        result = words_out_of_memory(w);
    free(mesh);
    return result == EXIT_CLEAN ? open_cache(files, out, files->vertex_count, w) : result;
}

static int open_sequence(sim_files *files, size_t frames, words *w)
{
    int digits = 4;
    for (size_t n = frames; n > 10000; n /= 10)
        digits++;
    files->mesh_count = frames;
    for (size_t i = 0; i < frames; i++) {
        char name[64];
        snprintf(name, sizeof name, "frame_%0*zu.obj", digits < 20 ? digits : 20, i);
        if (!demo_folder_add(&files->folder, name))
            return words_out_of_memory(w);
    }
    return demo_folder_prepare(&files->folder, w);
}

static int write_next_mesh(sim_files *files, const snag_sim *sim, words *w)
{
    char *path = demo_folder_path(&files->folder, files->folder.names[files->meshes_written]);
    if (!path)
        return words_out_of_memory(w);
    int result = write_mesh(files, path, sim, w);
    files->meshes_written += result == EXIT_CLEAN;
    free(path);
    return result;
}

int sim_files_open(sim_files *files, const char *out, const snag_sim *sim, size_t frames, words *w)
{
    if (snag_io_is_mesh(out) || (snag_io_is_cache(out) && !has_ending(out, ".pc2")))
        return words_error(w, "%s: give a folder, or FILE.pc2 (FILE.obj is written beside it)", out);
    *files = (sim_files){.folder = {.path = out}, .one_cache = has_ending(out, ".pc2")};
    if (frames > 0 && files->one_cache)
        return words_error(w, "%s: the triangles of this scene change, and a point cache holds positions only; give a folder", out);
    if (frames > 0)
        return open_sequence(files, frames, w);
    size_t count = snag_sim_body_count(sim);
    for (size_t b = 0; b < count; b++)
        files->vertex_count += snag_sim_body_at(sim, b).vertex_count;
    files->caches = calloc(count + 1, sizeof *files->caches);
    files->xyz = malloc((3 * files->vertex_count + 1) * sizeof *files->xyz);
    if (!files->caches || !files->xyz)
        return words_out_of_memory(w);
    take_positions(files, sim);
    return files->one_cache ? open_one(files, out, sim, w) : open_folder(files, sim, w);
}

int sim_files_write(sim_files *files, const snag_sim *sim, words *w)
{
    if (files->mesh_count > 0)
        return write_next_mesh(files, sim, w);
    take_positions(files, sim);
    const float *xyz = files->xyz;
    for (size_t i = 0; i < files->cache_count; i++) {
        snag_io_error error;
        size_t count = files->one_cache ? files->vertex_count : snag_sim_body_at(sim, i).vertex_count;
        if (snag_io_pc2_write(files->caches[i], snag_positions_f32(xyz, count), &error) != SNAG_OK)
            return words_error(w, "%s", error.message);
        xyz += 3 * count;
    }
    return EXIT_CLEAN;
}

int sim_files_close(sim_files *files, bool keep, words *w)
{
    int result = EXIT_CLEAN;
    snag_io_error error;
    for (size_t i = 0; i < files->cache_count; i++)
        if (snag_io_pc2_close(files->caches[i], keep, &error) != SNAG_OK && keep)
            result = words_error(w, "%s", error.message);
    free(files->caches);
    free(files->xyz);
    demo_folder_free(&files->folder);
    *files = (sim_files){0};
    return result;
}
