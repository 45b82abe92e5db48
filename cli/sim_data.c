#define _POSIX_C_SOURCE 200809L
#include "sim_data.h"

#include "common/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/posed/polygons.h"
#include "snag/io.h"

const char *sim_data_kind(size_t scene)
{
    static const char *const kinds[] = {"nothing", "surfaces", "tetrahedra", "a figure and its garments"};
    return kinds[snag_sim_scene_takes(scene)];
}

// ---- one model -----------------------------------------------------------------------------------------------------

static void model_free(snag_sim_model *model)
{
    free((void *)model->name);
    free((void *)model->positions);
    free((void *)model->triangles);
    free((void *)model->tets);
    *model = (snag_sim_model){0};
}

// Appends `count` numbers, each with `base` added.
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

// Appends a body of a file to a model. `model->positions` has room for it.
static bool add_body(const snag_io_body *body, snag_sim_model *model)
{
    size_t count, corners = 3 * model->triangle_count, tet_corners = 4 * model->tet_count;
    uint32_t *triangles = polygon_triangles(body->positions, body->vertex_count, body->polygon_sizes, body->polygon_vertices,
                                            body->polygon_count, &count);
    bool good = triangles && append(&model->triangles, &corners, triangles, 3 * count, model->vertex_count) &&
                append(&model->tets, &tet_corners, body->tets, 4 * body->tet_count, model->vertex_count);
    free(triangles);
    if (good)
        memcpy((double *)model->positions + 3 * model->vertex_count, body->positions,
               3 * body->vertex_count * sizeof *body->positions);
    model->vertex_count += body->vertex_count;
    model->triangle_count = corners / 3;
    model->tet_count = tet_corners / 4;
    return good;
}

// Makes a model of all bodies of a file, or of the named one. False: out of memory.
static bool join(const snag_io_mesh *mesh, const char *path, const char *object, snag_sim_model *model)
{
    size_t length = strlen(path) + (object ? strlen(object) : 0) + 2;
    char *name = malloc(length);
    model->name = name;
    model->positions = malloc((3 * mesh->vertex_count + 1) * sizeof *model->positions);
    bool good = name && model->positions;
    if (name)
        snprintf(name, length, "%s%s%s", path, object ? "#" : "", object ? object : "");
    for (size_t b = 0; b < mesh->body_count && good; b++)
        if (!object || strcmp(mesh->bodies[b].name, object) == 0)
            good = add_body(&mesh->bodies[b], model);
    return good;
}

static bool has_object(const snag_io_mesh *mesh, const char *object)
{
    for (size_t b = 0; b < mesh->body_count; b++)
        if (strcmp(mesh->bodies[b].name, object) == 0)
            return true;
    return false;
}

static int add_model(sim_data *data, size_t scene, const snag_io_mesh *mesh, const char *path, const char *object, words *w)
{
    bool tets = snag_sim_scene_takes(scene) == SNAG_SIM_TAKES_TETS;
    if (data->count == SIM_DATA_MOST)
        return words_error(w, "%s: more than %d models", path, SIM_DATA_MOST);
    if (object && !has_object(mesh, object))
        return words_error(w, "%s: no object \"%s\", needed by scene %s", path, object, snag_sim_scene_name(scene));
    snag_sim_model *model = &data->models[data->count++];
    if (!join(mesh, path, object, model))
        return words_out_of_memory(w);
    if (tets ? model->tet_count == 0 : model->triangle_count == 0)
        return words_error(w, "%s: scene %s needs %s, and the file has none", path, snag_sim_scene_name(scene),
                           tets ? "tetrahedra" : "triangles");
    return EXIT_CLEAN;
}

// A file is one model; if the scene takes a figure and garments, each object is one.
static int read_models(sim_data *data, size_t scene, const char *path, const char *object, words *w)
{
    snag_io_mesh mesh;
    snag_io_error error;
    snag_io_read_options reading = snag_io_default_read_options();
    reading.isolate = true;
    if (snag_io_read_mesh_with(path, &reading, &mesh, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    int result = EXIT_CLEAN;
    if (object || snag_sim_scene_takes(scene) != SNAG_SIM_TAKES_DRESSED)
        result = add_model(data, scene, &mesh, path, object, w);
    else
        for (size_t b = 0; b < mesh.body_count && result == EXIT_CLEAN; b++)
            result = add_model(data, scene, &mesh, path, mesh.bodies[b].name, w);
    snag_io_mesh_free(&mesh);
    return result;
}

// ---- which ---------------------------------------------------------------------------------------------------------

static bool is_there(const char *path)
{
    FILE *file = sys_fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

// Reads all models listed for the scene; an error names the first missing one.
static int read_listed(sim_data *data, size_t scene, const char *folder, const char *list_path, words *w)
{
    model_list list;
    int result = model_list_read(list_path, snag_sim_scene_name(scene), &list, w);
    for (size_t i = 0; i < list.count && result == EXIT_CLEAN; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, list.paths[i]);
        char *object = strchr(path + strlen(folder), '#');
        if (object)
            *object++ = 0;
        if (!is_there(path))
            return words_error(w, "%s: file not found; %s lists it for scene %s", path, list_path, snag_sim_scene_name(scene));
        result = read_models(data, scene, path, object, w);
    }
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The names of the mesh files directly in the folder, sorted. The caller frees the list and its names, also after a failure.
static int list_meshes(const char *folder, char ***names, size_t *count, words *w)
{
    size_t capacity = 0;
    sys_folder *open_folder = sys_opendir(folder);
    if (!open_folder)
        return words_error(w, "%s: cannot read the folder of models", folder);
    bool listed = true;
    for (const sys_entry *entry; listed && (entry = sys_readdir(open_folder)) != NULL;) {
        if (!snag_io_is_mesh(entry->d_name))
            continue;
        listed =
            words_grow((void **)names, &capacity, *count + 1, sizeof **names) && ((*names)[*count] = sys_strdup(entry->d_name));
        *count += listed;
    }
    sys_closedir(open_folder);
    if (!listed)
        return words_out_of_memory(w);
    if (*count)
        qsort(*names, *count, sizeof **names, by_name);
    return EXIT_CLEAN;
}

// Reads the mesh files directly in the folder, sorted by name.
static int read_all(sim_data *data, size_t scene, const char *folder, words *w)
{
    char **names = NULL;
    size_t count = 0;
    int result = list_meshes(folder, &names, &count, w);
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (result == EXIT_CLEAN)
            result = read_models(data, scene, path, NULL, w);
        free(names[i]);
    }
    free(names);
    return result;
}

static int refuse_scene(size_t scene, words *w)
{
    char list[600] = "";
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        if (snag_sim_scene_takes(i) != SNAG_SIM_TAKES_NONE) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", snag_sim_scene_name(i));
        }
    return words_error(w, "scene %s takes no models; scenes for --data: %s", snag_sim_scene_name(scene), list);
}

static int refuse_folder(size_t scene, const char *folder, words *w)
{
    return words_error(w,
                       "%s: no models for scene %s, which takes %s: put mesh files into the folder, or list them for the scene in "
                       "models.txt or in the list given by --models",
                       folder, snag_sim_scene_name(scene), sim_data_kind(scene));
}

int sim_data_read(sim_data *data, size_t scene, const char *folder, const char *list, words *w)
{
    *data = (sim_data){0};
    if (!folder)
        return list ? words_error(w, "--models %s needs the folder of its files: add --data FOLDER", list) : EXIT_CLEAN;
    if (snag_sim_scene_takes(scene) == SNAG_SIM_TAKES_NONE)
        return refuse_scene(scene, w);
    char own_list[4096];
    snprintf(own_list, sizeof own_list, "%s/models.txt", folder);
    int result = EXIT_CLEAN;
    if (list || is_there(own_list))
        result = read_listed(data, scene, folder, list ? list : own_list, w);
    if (result == EXIT_CLEAN && data->count == 0 && list)
        return words_error(w, "%s: no models listed for scene %s, which takes %s", list, snag_sim_scene_name(scene),
                           sim_data_kind(scene));
    if (result == EXIT_CLEAN && data->count == 0)
        result = read_all(data, scene, folder, w);
    return result == EXIT_CLEAN && data->count == 0 ? refuse_folder(scene, folder, w) : result;
}

void sim_data_free(sim_data *data)
{
    for (size_t i = 0; i < data->count; i++)
        model_free(&data->models[i]);
    data->count = 0;
}
