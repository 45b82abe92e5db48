#define _POSIX_C_SOURCE 200809L
#include "sim_data.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/surface_files.h"
#include "snag/io.h"

// Where the models of a folder of real data lie that fit a scene; behind # stands the object of a file with several. Sheets are
// left as they are made: recorded cloths are folded in their first frame already. There is no man with shirt and trousers.
static const struct {
    const char *scene;
    const char *paths[SIM_DATA_MOST];
} known[] = {
    {"cloth-ball", {"clean/doubletorus10k.obj"}},
    {"soft-blocks", {"tets/banana.vtk", "tets/cow_head.msh", "tets/link.msh"}},
    {"soft-pile", {"tets/link.msh", "tets/banana.vtk", "tets/cow_head.msh"}},
    {"dressed-figure", {"blender/dressed-figure/mesh_00.obj#body", "blender/dressed-figure/mesh_00.obj#dress"}},
    {"walking-figure", {"blender/dressed-figure/mesh_00.obj#body", "blender/dressed-figure/mesh_00.obj#dress"}},
    {"body-cloth", {"blender/dressed-figure/mesh_00.obj#body", "blender/dressed-figure/mesh_00.obj#dress"}},
    {"body-cloth-fine", {"blender/dressed-figure/mesh_00.obj#body", "blender/dressed-figure/mesh_00.obj#dress"}},
    {"torus-ellipsoid", {"clean/doubletorus10k.obj", "blender/soft-pile/mesh_00.obj#pawn_01"}},
    {"sphere", {"clean/doubletorus10k.obj"}},
    {"teschner-a", {"tets/link.msh"}},
    {"teschner-b", {"tets/link.msh", "tets/banana.vtk", "tets/cow_head.msh"}},
    {"teschner-c", {"tets/link.msh", "tets/banana.vtk", "tets/cow_head.msh"}},
    {"teschner-e", {"tets/link.msh"}},
    {"teschner-m", {"tets/sphere12K.vtk", "tets/archbridge.mesh", "tets/ditto.vtk", "tets/cow_head.msh"}},
    {"rodriguez",
     {"sequences/wolf_poses/wolf-1.obj", "clean/doubletorus10k.obj", "clean/borromean.obj", "clean/hopf.obj"}},
    {"madera-a", {"blender/soft-pile/mesh_00.obj#torus_00", "blender/soft-pile/mesh_00.obj#pawn_01"}},
    {"madera-b",
     {"sequences/RiggedFigure/RiggedFigure_anim0.obj", "sequences/RiggedFigure/RiggedFigure_anim0.obj",
      "sequences/RiggedFigure/RiggedFigure_anim0.obj", "blender/soft-pile/mesh_00.obj#torus_00"}},
    {"madera-c", {"blender/soft-pile/mesh_00.obj#suzanne_02", "blender/soft-pile/mesh_00.obj#pawn_01"}},
};

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

// Puts one more body of a file into a model. `model->positions` has room for it.
static bool add_body(const snag_io_body *body, snag_sim_model *model)
{
    size_t fans, corners = 3 * model->triangle_count, tet_corners = 4 * model->tet_count;
    uint32_t *triangles = surface_fans(body, &fans);
    bool good = triangles && append(&model->triangles, &corners, triangles, 3 * fans, model->vertex_count) &&
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

// The bodies of a file as one model, or the one that is named. False: no memory.
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
        return words_error(w, "%s: there is no object \"%s\", which %s takes", path, object, snag_sim_scene_name(scene));
    snag_sim_model *model = &data->models[data->count++];
    if (!join(mesh, path, object, model))
        return words_out_of_memory(w);
    if (tets ? model->tet_count == 0 : model->triangle_count == 0)
        return words_error(w, "%s: %s takes models of %s, and there are none", path, snag_sim_scene_name(scene),
                           tets ? "tetrahedra" : "triangles");
    return EXIT_CLEAN;
}

// A file is one model, or, where a scene takes a figure and garments, each of its objects is one.
static int read_models(sim_data *data, size_t scene, const char *path, const char *object, words *w)
{
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK)
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

// Some of a scene's models without the others would make another scene: all are there or none.
static int read_known(sim_data *data, size_t scene, const char *folder, words *w)
{
    const char *const *paths = paths_of(scene);
    int result = EXIT_CLEAN;
    for (size_t i = 0; paths && i < SIM_DATA_MOST && paths[i] && result == EXIT_CLEAN; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, paths[i]);
        char *object = strchr(path + strlen(folder), '#');
        if (object)
            *object++ = 0;
        if (is_there(path))
            result = read_models(data, scene, path, object, w);
        else if (data->count > 0)
            result = words_error(w, "%s: missing; %s takes it beside the models before it", path, snag_sim_scene_name(scene));
        else
            return EXIT_CLEAN;
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
        if (result == EXIT_CLEAN)
            result = read_models(data, scene, path, NULL, w);
        free(entries[i]);
    }
    free(entries);
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
    return words_error(w, "%s takes no models, since what deforms in it is made for it: --data is for %s",
                       snag_sim_scene_name(scene), list);
}

static int refuse_folder(size_t scene, const char *folder, words *w)
{
    const char *const *paths = paths_of(scene);
    return words_error(w, "%s: no models for %s, which takes %s: mesh files in the folder itself%s%s", folder,
                       snag_sim_scene_name(scene), sim_data_kind(scene),
                       paths ? ", or a folder of real data that has " : "; the collections known here have none",
                       paths ? paths[0] : "");
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
    return result == EXIT_CLEAN && data->count == 0 ? refuse_folder(scene, folder, w) : result;
}

void sim_data_free(sim_data *data)
{
    for (size_t i = 0; i < data->count; i++)
        model_free(&data->models[i]);
    data->count = 0;
}
