// Moving surfaces.
#include "surface_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snag/sim.h"

// Poses of a built-in scene. Large scenes take long enough with a single step.
enum { POSES = 6, FEW_POSES = 2 };
#define LARGE 500000

static int poses_of(size_t triangle_count)
{
    return triangle_count < LARGE ? POSES : FEW_POSES;
}

static const char *const kinds[] = {"sphere", "pair", "sheet", "cloth-ball", "cloth-twist", NULL};
enum { KIND_SPHERE, KIND_PAIR, KIND_SHEET };  // computed by formula; the others are simulated

const char *surface_scene_kind(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}

static bool read_size(const char *text, size_t *triangle_count)
{
    char *end;
    unsigned long number = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (number == 0 || number > 1000 || (strcmp(end, "k") != 0 && strcmp(end, "M") != 0))
        return false;
    *triangle_count = number * (*end == 'M' ? 1000000 : 1000);
    return true;
}

size_t surface_scene_parse(const char *text, size_t *triangle_count)
{
    for (size_t i = 0; kinds[i]; i++) {
        size_t length = strlen(kinds[i]);
        if (strncmp(text, kinds[i], length) != 0)
            continue;
        *triangle_count = 0;
        if (!text[length] || (text[length] == '-' && read_size(text + length + 1, triangle_count)))
            return i;
    }
    return SIZE_MAX;
}

// ---- memory --------------------------------------------------------------------------------------------------------

void surface_scene_free(surface_scene *scene)
{
    for (size_t i = 0; i < scene->pose_count; i++)
        free(scene->poses[i]);
    free(scene->poses);
    free(scene->bodies);
    free(scene->triangles);
    memset(scene, 0, sizeof *scene);
}

// Grows an array; on failure the old one stays valid.
static bool grow(void *array, size_t count, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, count * size);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

snag_status surface_scene_add_body(surface_scene *scene, const double *positions, size_t vertex_count, const uint32_t *triangles,
                                   size_t triangle_count)
{
    if (scene->pose_count > 1)
        return SNAG_ERROR_ARGUMENT;
    if (scene->pose_count == 0) {
        scene->poses = calloc(1, sizeof *scene->poses);
        if (!scene->poses)
            return SNAG_ERROR_MEMORY;
        scene->pose_count = 1;
    }
    size_t vertices = scene->vertex_count + vertex_count, elements = scene->triangle_count + triangle_count;
    if (vertices > UINT32_MAX || elements > UINT32_MAX)
        return SNAG_ERROR_SIZE;
    if (!grow(&scene->poses[0], vertices + 1, sizeof *scene->poses[0]) ||
        !grow(&scene->triangles, elements + 1, sizeof *scene->triangles) ||
        !grow(&scene->bodies, scene->body_count + 1, sizeof *scene->bodies))
        return SNAG_ERROR_MEMORY;
    memcpy(scene->poses[0] + scene->vertex_count, positions, vertex_count * sizeof *scene->poses[0]);
    for (size_t i = 0; i < 3 * triangle_count; i++)
        scene->triangles[scene->triangle_count + i / 3][i % 3] = (uint32_t)scene->vertex_count + triangles[i];
    scene->bodies[scene->body_count++] = (surface_body){scene->vertex_count, vertex_count, scene->triangle_count, triangle_count};
    scene->vertex_count = vertices;
    scene->triangle_count = elements;
    return SNAG_OK;
}

double (*surface_scene_add_pose(surface_scene *scene))[3]
{
    double(*pose)[3] = malloc((scene->vertex_count + 1) * sizeof *pose);
    if (!pose || scene->pose_count == 0 || !grow(&scene->poses, scene->pose_count + 1, sizeof *scene->poses)) {
        free(pose);
        return NULL;
    }
    memcpy(pose, scene->poses[scene->pose_count - 1], scene->vertex_count * sizeof *pose);
    scene->poses[scene->pose_count++] = pose;
    return pose;
}

// ---- finishing -----------------------------------------------------------------------------------------------------

static double diagonal(const surface_scene *scene)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < scene->vertex_count; i++) {
            lo = fmin(lo, scene->poses[0][i][axis]);
            hi = fmax(hi, scene->poses[0][i][axis]);
        }
        square += scene->vertex_count > 0 ? (hi - lo) * (hi - lo) : 0;
    }
    return sqrt(square);
}

static double mean_edge(const surface_scene *scene)
{
    double sum = 0;
    for (size_t t = 0; t < scene->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            const double *a = scene->poses[0][scene->triangles[t][i]];
            const double *b = scene->poses[0][scene->triangles[t][(i + 1) % 3]];
            sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
        }
    return scene->triangle_count > 0 ? sum / (3 * (double)scene->triangle_count) : 0;
}

// Gives a mesh with a single pose a second one, deformed by a smooth wave of a thousandth of its size.
static bool add_swayed_pose(surface_scene *scene)
{
    double(*now)[3] = surface_scene_add_pose(scene);
    double size = diagonal(scene);
    if (!now)
        return false;
    for (size_t i = 0; i < scene->vertex_count && size > 0; i++)
        for (int axis = 0; axis < 3; axis++)
            scene->poses[0][i][axis] += 1e-3 * size * sin(20 / size * now[i][(axis + 1) % 3] + axis);
    return true;
}

snag_status surface_scene_finish(surface_scene *scene, const char *name)
{
    snprintf(scene->name, sizeof scene->name, "%s", name);
    if (scene->pose_count == 0 || (scene->pose_count == 1 && !add_swayed_pose(scene)))
        return SNAG_ERROR_MEMORY;
    scene->distance = 0.1 * mean_edge(scene);
    return SNAG_OK;
}

// ---- by formula ----------------------------------------------------------------------------------------------------

static const double PI = 3.14159265358979323846;

static void breathe(double (*x)[3], size_t count, const double (*rest)[3], int step)
{
    for (size_t i = 0; i < count; i++) {
        double swell = 1 + 0.05 * sin(3 * rest[i][2] + 0.4 * step) + 0.02 * step;
        for (int axis = 0; axis < 3; axis++)
            x[i][axis] = swell * rest[i][axis];
    }
}

// Overhanging waves in both directions. They travel, so that folds form and open.
static void crumple(double (*x)[3], size_t count, const double (*rest)[3], int step)
{
    for (size_t i = 0; i < count; i++) {
        double u = 2 * PI * 4 * rest[i][0], v = 2 * PI * 3 * rest[i][1], phase = 0.15 * step;
        x[i][0] = rest[i][0] + 0.08 * sin(u + 0.7 * sin(v) + phase);
        x[i][1] = rest[i][1] + 0.07 * sin(v + 0.9 * cos(u) - phase);
        x[i][2] = 0.05 * cos(u + phase) + 0.05 * cos(v - 0.5 * u) + 0.01 * sin(3 * v + phase);
    }
}

// Puts the second sphere of a pair beside the first, slightly offset.
static void set_aside(double (*x)[3], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i][0] += 2.5;
        x[i][1] += 0.3;
        x[i][2] += 0.2;
    }
}

static void pose_shape(size_t kind, double (*pose)[3], const snag_shape *shape, int step)
{
    const double(*rest)[3] = (const double(*)[3])shape->positions;
    size_t count = shape->vertex_count;
    (kind == KIND_SHEET ? crumple : breathe)(pose, count, rest, step);
    if (kind != KIND_PAIR)
        return;
    breathe(pose + count, count, rest, POSES - 1 - step);
    set_aside(pose + count, count);
}

static snag_status make_shape(size_t kind, size_t triangle_count, surface_scene *scene)
{
    snag_shape shape;
    size_t bodies = kind == KIND_PAIR ? 2 : 1;
    double quads = (double)triangle_count / (2 * (double)bodies);
    uint32_t side = (uint32_t)fmax(sqrt(kind == KIND_SHEET ? quads : quads / 2) + 0.5, 4);
    snag_status status =
        kind == KIND_SHEET ? snag_shape_sheet(side, side, 1, 1, &shape) : snag_shape_sphere(2 * side, side + 1, 1, &shape);
    if (status != SNAG_OK)
        return status;
    for (size_t i = 0; i < bodies && status == SNAG_OK; i++)
        status = surface_scene_add_body(scene, shape.positions, shape.vertex_count, shape.triangles, shape.triangle_count);
    for (int step = 0; step < poses_of(triangle_count) && status == SNAG_OK; step++) {
        double(*pose)[3] = step == 0 ? scene->poses[0] : surface_scene_add_pose(scene);
        if (pose)
            pose_shape(kind, pose, &shape, step);
        else
            status = SNAG_ERROR_MEMORY;
    }
    snag_shape_free(&shape);
    return status;
}

// ---- by simulation -------------------------------------------------------------------------------------------------

static void copy_pose(const snag_sim *sim, double (*pose)[3])
{
    for (size_t i = 0; i < snag_sim_body_count(sim); i++) {
        snag_sim_body body = snag_sim_body_at(sim, i);
        memcpy(pose, body.positions, body.vertex_count * sizeof *pose);
        pose += body.vertex_count;
    }
}

static snag_status add_sim_bodies(const snag_sim *sim, surface_scene *scene)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < snag_sim_body_count(sim) && status == SNAG_OK; i++) {
        snag_sim_body body = snag_sim_body_at(sim, i);
        status = surface_scene_add_body(scene, body.positions, body.vertex_count, body.triangles, body.triangle_count);
    }
    return status;
}

// After this many frames the cloth has its folds; the poses follow.
enum { FRAMES_BEFORE = 24 };

static snag_status make_cloth(const char *kind, size_t triangle_count, surface_scene *scene)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = kind;
    def.response = SNAG_SIM_RESPONSE_NONE;  // keep the folds intersecting, to measure them
    def.size = (double)triangle_count / (strcmp(kind, "cloth-ball") == 0 ? 25120 : 19600);  // number of triangles at size 1
    snag_sim *sim = NULL;
    snag_status status = snag_sim_create(&def, &sim);
    for (int frame = 0; frame < FRAMES_BEFORE && status == SNAG_OK; frame++)
        status = snag_sim_step(sim);
    if (status == SNAG_OK)
        status = add_sim_bodies(sim, scene);
    for (int step = 1; step < poses_of(triangle_count) && status == SNAG_OK; step++) {
        double(*pose)[3] = surface_scene_add_pose(scene);
        status = pose ? snag_sim_step(sim) : SNAG_ERROR_MEMORY;
        if (status == SNAG_OK)
            copy_pose(sim, pose);
    }
    snag_sim_destroy(sim);
    return status;
}

snag_status surface_scene_make(const char *kind, size_t triangle_count, surface_scene *scene)
{
    memset(scene, 0, sizeof *scene);
    size_t index = 0;
    while (kinds[index] && strcmp(kinds[index], kind) != 0)
        index++;
    if (!kinds[index] || triangle_count == 0)
        return SNAG_ERROR_ARGUMENT;
    snag_status status = index <= KIND_SHEET ? make_shape(index, triangle_count, scene) : make_cloth(kind, triangle_count, scene);
    char name[64];
    if (triangle_count % 1000000 == 0)
        snprintf(name, sizeof name, "%s-%zuM", kind, triangle_count / 1000000);
    else
        snprintf(name, sizeof name, "%s-%zuk", kind, triangle_count / 1000);
    if (status == SNAG_OK)
        status = surface_scene_finish(scene, name);
    if (status != SNAG_OK)
        surface_scene_free(scene);
    return status;
}

// ---- in a world ----------------------------------------------------------------------------------------------------

static snag_positions positions_of(const surface_scene *scene, size_t pose, size_t body)
{
    return snag_positions_f64(scene->poses[pose][scene->bodies[body].first_vertex], scene->bodies[body].vertex_count);
}

snag_status surface_scene_add(const surface_scene *scene, size_t pose, snag_world *world, snag_body_id *ids)
{
    uint32_t *local = malloc((scene->triangle_count + 1) * 3 * sizeof *local);
    snag_status status = local ? SNAG_OK : SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < scene->body_count && status == SNAG_OK; i++) {
        const surface_body *body = &scene->bodies[i];
        for (size_t k = 0; k < 3 * body->triangle_count; k++)
            local[k] = scene->triangles[body->first_triangle + k / 3][k % 3] - (uint32_t)body->first_vertex;
        snag_body_def def = snag_default_body_def();
        def.positions = positions_of(scene, pose, i);
        def.triangles = local;
        def.triangle_count = body->triangle_count;
        status = snag_world_add(world, &def, &ids[i]);
    }
    free(local);
    return status;
}

snag_status surface_scene_move(const surface_scene *scene, size_t pose, snag_world *world, const snag_body_id *ids)
{
    snag_status status = snag_world_begin_step(world);
    for (size_t i = 0; i < scene->body_count && status == SNAG_OK; i++)
        status = snag_world_move(world, ids[i], positions_of(scene, pose, i));
    return status;
}

snag_status surface_scene_place(const surface_scene *scene, size_t pose, snag_world *world, const snag_body_id *ids)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < scene->body_count && status == SNAG_OK; i++)
        status = snag_world_teleport(world, ids[i], positions_of(scene, pose, i));
    return status;
}

void surface_scene_write_boxes(const surface_scene *scene, size_t pose, float (*boxes)[6])
{
    const double(*x)[3] = (const double(*)[3])scene->poses[pose];
    for (size_t t = 0; t < scene->triangle_count; t++)
        for (int axis = 0; axis < 3; axis++) {
            const uint32_t *v = scene->triangles[t];
            double lo = x[v[0]][axis], hi = lo;
            for (int i = 1; i < 3; i++) {
                lo = x[v[i]][axis] < lo ? x[v[i]][axis] : lo;
                hi = x[v[i]][axis] > hi ? x[v[i]][axis] : hi;
            }
            boxes[t][axis] = (float)lo;
            boxes[t][3 + axis] = (float)hi;
        }
}
