#define _POSIX_C_SOURCE 200809L
#include "sim_data.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/surface_files.h"
#include "snag/io.h"

// Where the models of a folder of real data lie that fit a scene. Cloths are left as they are made: those of recorded scenes are
// folded in their first frame already, and have no shape at rest.
static const struct {
    const char *scene;
    const char *paths[SIM_DATA_MOST];
} known[] = {
    {"cloth-ball", {"clean/doubletorus10k.obj"}},
    {"soft-blocks", {"tets/banana.vtk", "tets/cow_head.msh", "tets/link.msh"}},
    {"soft-pile", {"tets/link.msh", "tets/banana.vtk", "tets/cow_head.msh"}},
    {"rodriguez",
     {"sequences/wolf_poses/wolf-1.obj", "clean/doubletorus10k.obj", "clean/borromean.obj", "clean/hopf.obj"}},
};

// ---- one model -----------------------------------------------------------------------------------------------------

static void model_free(snag_sim_model *model)
{
    free((void *)model->positions);
    free((void *)model->triangles);
    free((void *)model->tets);
    *model = (snag_sim_model){0};
}

// Puts `count` more numbers, each raised by `base`, behind those that are there.
static bool append(const uint32_t **to, size_t *have, const uint32_t *numbers, size_t count, size_t base)
{
    uint32_t *grown = realloc((void *)*to, (*have + count + 1) * sizeof *grown);
    if (!grown)
        return false;
    for (size_t i = 0; i < count; i++)
        grown[*have + i] = numbers[i] + (uint32_t)base;
    *to = grown;
    *have += count;
    return true;
}

// All bodies of a file as one model.
static bool join(const snag_io_mesh *mesh, snag_sim_model *model)
{
    size_t corners = 0, tet_corners = 0;
    double *positions = malloc((3 * mesh->vertex_count + 1) * sizeof *positions);
    bool good = positions != NULL;
    model->positions = positions;
    for (size_t b = 0; b < mesh->body_count && good; b++) {
        const snag_io_body *body = &mesh->bodies[b];
        size_t fans;
        uint32_t *triangles = surface_fans(body, &fans);
        good = triangles && append(&model->triangles, &corners, triangles, 3 * fans, model->vertex_count) &&
               append(&model->tets, &tet_corners, body->tets, 4 * body->tet_count, model->vertex_count);
        free(triangles);
        if (good)
            memcpy(positions + 3 * model->vertex_count, body->positions, 3 * body->vertex_count * sizeof *positions);
        model->vertex_count += body->vertex_count;
    }
    model->triangle_count = corners / 3;
    model->tet_count = tet_corners / 4;
    return good;
}

static int read_model(sim_data *data, size_t scene, const char *path, words *w)
{
    snag_io_mesh mesh;
    snag_io_error error;
    bool tets = snag_sim_scene_takes(scene) == SNAG_SIM_TAKES_TETS;
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    snag_sim_model *model = &data->models[data->count++];
    bool joined = join(&mesh, model);
    snag_io_mesh_free(&mesh);
    if (!joined)
        return words_out_of_memory(w);
    if (tets ? model->tet_count == 0 : model->triangle_count == 0)
        return words_error(w, "%s: %s takes models of %s, and there are none", path, snag_sim_scene_name(scene),
                           tets ? "tetrahedra" : "triangles");
    return EXIT_CLEAN;
}

// ---- which ---------------------------------------------------------------------------------------------------------

static bool is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

static const char *const *paths_of(size_t scene)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].scene, snag_sim_scene_name(scene)) == 0)
            return known[i].paths;
    return NULL;
}

static int read_known(sim_data *data, size_t scene, const char *folder, words *w)
{
    const char *const *paths = paths_of(scene);
    int result = EXIT_CLEAN;
    for (size_t i = 0; paths && i < SIM_DATA_MOST && paths[i] && result == EXIT_CLEAN; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, paths[i]);
        if (is_there(path))
            result = read_model(data, scene, path, w);
    }
    return result;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_mesh(const struct dirent *entry)
{
    return snag_io_is_mesh(entry->d_name);
}

// The mesh files of the folder itself, in the order of their names.
static int read_all(sim_data *data, size_t scene, const char *folder, words *w)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_mesh, by_name), result = EXIT_CLEAN;
    if (count < 0)
        return words_error(w, "%s: cannot be read as a folder of models", folder);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (result == EXIT_CLEAN && data->count < SIM_DATA_MOST)
            result = read_model(data, scene, path, w);
        else if (result == EXIT_CLEAN)
            result = words_error(w, "%s: more than %d models", folder, SIM_DATA_MOST);
        free(entries[i]);
    }
    free(entries);
    return result;
}

static int refuse_scene(size_t scene, words *w)
{
    char list[400] = "";
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        if (snag_sim_scene_takes(i) != SNAG_SIM_TAKES_NONE) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", snag_sim_scene_name(i));
        }
    return words_error(w, "%s takes no models: --data is for %s", snag_sim_scene_name(scene), list);
}

int sim_data_read(sim_data *data, size_t scene, const char *folder, words *w)
{
    *data = (sim_data){0};
    if (!folder)
        return EXIT_CLEAN;
    if (snag_sim_scene_takes(scene) == SNAG_SIM_TAKES_NONE)
        return refuse_scene(scene, w);
    int result = read_known(data, scene, folder, w);
    if (result == EXIT_CLEAN && data->count == 0)
        result = read_all(data, scene, folder, w);
    if (result == EXIT_CLEAN && data->count == 0)
        result = words_error(w, "%s: no models for %s; it takes mesh files of %s, or a folder of real data that has %s", folder,
                             snag_sim_scene_name(scene),
                             snag_sim_scene_takes(scene) == SNAG_SIM_TAKES_TETS ? "tetrahedra" : "triangles",
                             paths_of(scene) ? paths_of(scene)[0] : "some");
    return result;
}

void sim_data_free(sim_data *data)
{
    for (size_t i = 0; i < data->count; i++)
        model_free(&data->models[i]);
    data->count = 0;
}
