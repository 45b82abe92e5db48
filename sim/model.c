// The user's models in place of the scene's own.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

void snag__shape_box(const double *positions, size_t vertex_count, double box[2][3])
{
    for (size_t k = 0; k < 3; k++) {
        box[0][k] = HUGE_VAL;
        box[1][k] = -HUGE_VAL;
        for (size_t i = 0; i < vertex_count; i++) {
            box[0][k] = fmin(box[0][k], positions[3 * i + k]);
            box[1][k] = fmax(box[1][k], positions[3 * i + k]);
        }
    }
}

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

bool snag__shape_is_closed(const snag_shape *shape, bool *failed)
{
    size_t count = 3 * shape->triangle_count;
    uint32_t(*edges)[2] = malloc((count + 1) * sizeof *edges);
    *failed = edges == NULL;
    if (edges == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t a = shape->triangles[i], b = shape->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    bool closed = count > 0;
    for (size_t i = 0; i < count && closed; i += 2) {
        bool pair = i + 1 < count && compare_edges(edges[i], edges[i + 1]) == 0;
        closed = pair && (i + 2 >= count || compare_edges(edges[i], edges[i + 2]) != 0);
    }
    free(edges);
    return closed;
}

// Sets the error message for a model.
__attribute__((format(printf, 4, 5))) static snag_status refuse(snag_sim *sim, const snag_sim_model *model, snag_status status,
                                                                const char *format, ...)
{
    char what[120];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const char *name = model->name != NULL ? model->name : "a model";
    size_t length = strlen(name), most = 75;  // keep the end of a long path
    bool cut = length > most;
    snprintf(sim->message, sizeof sim->message, "%s%s %s", cut ? "..." : "", cut ? name + length - most : name, what);
    return status;
}

static snag_status check(snag_sim *sim, const snag_sim_model *model, bool volume)
{
    size_t corners = volume ? 4 * model->tet_count : 3 * model->triangle_count;
    const uint32_t *elements = volume ? model->tets : model->triangles;
    if (corners == 0 || elements == NULL || model->positions == NULL)
        return refuse(sim, model, SNAG_ERROR_ARGUMENT, "has no %s", volume ? "tetrahedra" : "triangles");
    for (size_t i = 0; i < corners; i++)
        if (elements[i] >= model->vertex_count)
            return refuse(sim, model, SNAG_ERROR_INDEX, "has an element with vertex %u, which does not exist",
                          (unsigned)elements[i]);
    for (size_t i = 0; i < 3 * model->vertex_count; i++)
        if (!isfinite(model->positions[i]))
            return refuse(sim, model, SNAG_ERROR_NOT_FINITE, "vertex %zu is not finite", i / 3);
    return SNAG_OK;
}

// Copies only vertices used by elements, renumbered in the old order: a vertex without elements would have no mass.
static bool copy_used(const snag_sim_model *model, const uint32_t *elements, size_t corners, snag_shape *made, uint32_t *taken)
{
    uint32_t *number = calloc(model->vertex_count + 1, sizeof *number);
    made->positions = calloc(model->vertex_count + 1, sizeof(double[3]));
    if (number == NULL || made->positions == NULL) {
        free(number);
        return false;
    }
    for (size_t i = 0; i < corners; i++)
        number[elements[i]] = 1;
    for (size_t v = 0; v < model->vertex_count; v++)
        if (number[v] != 0) {
            memcpy(made->positions + 3 * made->vertex_count, model->positions + 3 * v, 3 * sizeof *made->positions);
            number[v] = (uint32_t)made->vertex_count++;
        }
    for (size_t i = 0; i < corners; i++)
        taken[i] = number[elements[i]];
    free(number);
    return true;
}

static double six_volumes(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3], n[3];
    snag__subtract3(b, a, u);
    snag__subtract3(c, a, v);
    snag__subtract3(d, a, w);
    snag__cross3(u, v, n);
    return snag__dot3(n, w);
}

// Flips tetrahedra of negative volume; one without volume is an error.
static snag_status turn_tets(snag_sim *sim, const snag_sim_model *model, snag_shape *made)
{
    for (size_t k = 0; k < made->tet_count; k++) {
        uint32_t *t = made->tets + 4 * k, last = t[3];
        const double *x[4];
        for (int i = 0; i < 4; i++)
            x[i] = made->positions + 3 * (size_t)t[i];
        double volume = six_volumes(x[0], x[1], x[2], x[3]);
        if (volume == 0)
            return refuse(sim, model, SNAG_ERROR_ARGUMENT, "has tetrahedron %zu without volume", k);
        if (volume < 0) {
            t[3] = t[2];
            t[2] = last;
        }
    }
    return SNAG_OK;
}

// An inside-out closed surface has negative volume.
static void turn_surface(snag_shape *made)
{
    static const double origin[3];
    double sum = 0;
    for (size_t i = 0; i < made->triangle_count; i++) {
        const uint32_t *t = made->triangles + 3 * i;
        sum += six_volumes(origin, made->positions + 3 * (size_t)t[0], made->positions + 3 * (size_t)t[1],
                           made->positions + 3 * (size_t)t[2]);
    }
    for (size_t i = 0; i < made->triangle_count && sum < 0; i++) {
        uint32_t *t = made->triangles + 3 * i, last = t[2];
        t[2] = t[1];
        t[1] = last;
    }
}

// Placement of a model in a scene: the scene's coordinate k is the model's coordinate `from[k]`, scaled and shifted.
typedef struct fitting {
    int from[3];
    double scale[3], shift[3];
} fitting;

static void move_into(snag_shape *made, const fitting *f)
{
    for (size_t v = 0; v < made->vertex_count; v++) {
        double *x = made->positions + 3 * v, old[3] = {x[0], x[1], x[2]};
        for (int k = 0; k < 3; k++)
            x[k] = f->scale[k] * old[f->from[k]] + f->shift[k];
    }
}

// 90-degree rotations that map the axes of a model to those of the scene; if two axes are swapped, one changes sign.
static const struct {
    int from[3];
    double sign;  // of the first
} quarter_turns[6] = {{{0, 1, 2}, 1}, {{1, 2, 0}, 1}, {{2, 0, 1}, 1}, {{0, 2, 1}, -1}, {{2, 1, 0}, -1}, {{1, 0, 2}, -1}};

// Centres the model in the box of another shape, as large as it fits, rotated by 90 degrees if it can then be larger. False if
// there is no scale.
static bool fit(const snag_shape *made, const snag_shape *into, fitting *f)
{
    double from[2][3], to[2][3], largest = 0;
    snag__shape_box(made->positions, made->vertex_count, from);
    snag__shape_box(into->positions, into->vertex_count, to);
    for (int turn = 0; turn < 6; turn++) {
        const int *axis = quarter_turns[turn].from;
        double scale = HUGE_VAL;
        for (int k = 0; k < 3; k++)
            if (from[1][axis[k]] > from[0][axis[k]])
                scale = fmin(scale, (to[1][k] - to[0][k]) / (from[1][axis[k]] - from[0][axis[k]]));
        if (isinf(scale) || scale <= largest * (1 + 1e-9))
            continue;
        largest = scale;
        for (int k = 0; k < 3; k++) {
            f->from[k] = axis[k];
            f->scale[k] = k == 0 ? quarter_turns[turn].sign * scale : scale;
            f->shift[k] = (to[0][k] + to[1][k]) / 2 - f->scale[k] * (from[0][axis[k]] + from[1][axis[k]]) / 2;
        }
    }
    return largest > 0;
}

// The model as a new shape, with only its used vertices and the right orientation. On failure the caller frees `made`.
static snag_status make(snag_sim *sim, const snag_sim_model *model, bool volume, snag_shape *made)
{
    const uint32_t *elements = volume ? model->tets : model->triangles;
    size_t corners = volume ? 4 * model->tet_count : 3 * model->triangle_count;
    *made = (snag_shape){0};
    snag_status status = check(sim, model, volume);
    if (status != SNAG_OK)
        return status;
    uint32_t *taken = calloc(corners + 1, sizeof *taken);
    if (taken == NULL)
        return SNAG_ERROR_MEMORY;
    *(volume ? &made->tets : &made->triangles) = taken;
    *(volume ? &made->tet_count : &made->triangle_count) = corners / (volume ? 4 : 3);
    if (!copy_used(model, elements, corners, made, taken))
        return SNAG_ERROR_MEMORY;
    if (!volume)
        turn_surface(made);
    return volume ? turn_tets(sim, model, made) : SNAG_OK;
}

snag_status snag__scene_replace(snag_sim *sim, snag_shape *shape)
{
    bool volume = shape->tet_count > 0, failed = false;
    if (sim->model_count == 0 || sim->scene->takes == SNAG_SIM_TAKES_DRESSED)
        return SNAG_OK;
    if (!volume && !snag__shape_is_closed(shape, &failed))
        return failed ? SNAG_ERROR_MEMORY : SNAG_OK;
    const snag_sim_model *model = &sim->models[sim->models_used++ % sim->model_count];
    snag_shape made = {0};
    snag_status status = make(sim, model, volume, &made);
    fitting f = {0};
    if (status == SNAG_OK && !fit(&made, shape, &f))
        status = refuse(sim, model, SNAG_ERROR_ARGUMENT, "is a single point and cannot be scaled");
    if (status != SNAG_OK) {
        snag_shape_free(&made);
        return status;
    }
    move_into(&made, &f);
    snag_shape_free(shape);
    *shape = made;
    return SNAG_OK;
}

// ---- a figure and its garments ----

// Puts the figure on the ground, its box centred above the origin. False if it has no height.
static bool stand(const snag_shape *figure, double height, fitting *f)
{
    double box[2][3];
    snag__shape_box(figure->positions, figure->vertex_count, box);
    double scale = height / (box[1][2] - box[0][2]);
    *f = (fitting){{0, 1, 2}, {scale, scale, scale}, {0, 0, -scale * box[0][2]}};
    for (int k = 0; k < 2; k++)
        f->shift[k] = -scale * (box[0][k] + box[1][k]) / 2;
    return scale > 0 && !isinf(scale);
}

// A garment surrounds the figure: the figure has vertices at its height, and its box contains the axis.
static bool lies_around(const snag_shape *garment, double height)
{
    double box[2][3];
    snag__shape_box(garment->positions, garment->vertex_count, box);
    return box[0][0] < 0 && box[1][0] > 0 && box[0][1] < 0 && box[1][1] > 0 && box[0][2] > 0 && box[1][2] < height;
}

static snag_status check_dressed(snag_sim *sim, size_t index, const snag_shape *made, double height)
{
    const snag_sim_model *model = &sim->models[index];
    bool failed = false;
    if (index == 0 && !snag__shape_is_closed(made, &failed))
        return failed ? SNAG_ERROR_MEMORY
                      : refuse(sim, model, SNAG_ERROR_ARGUMENT,
                               "is the figure, but its surface is not closed, so it has no inside to keep garments out of");
    if (index > 0 && !lies_around(made, height))
        return refuse(sim, model, SNAG_ERROR_ARGUMENT, "is a garment, but does not lie around the figure (z is up)");
    return SNAG_OK;
}

static const char *own_name(snag_sim *sim, const snag_sim_model *model, const char *otherwise)
{
    if (model->name == NULL)
        return otherwise;
    const char *hash = strrchr(model->name, '#'), *from = hash != NULL ? hash + 1 : model->name;
    size_t size = strlen(from) + 1;
    char *name = snag__sim_new(&sim->memory, size, 1);
    return name != NULL ? memcpy(name, from, size) : otherwise;
}

snag_status snag__scene_add_dressed(snag_sim *sim, double height)
{
    fitting f = {0};
    if (sim->model_count < 2)
        return refuse(sim, &sim->models[0], SNAG_ERROR_ARGUMENT, "is alone: the scene needs a figure and at least one garment");
    for (size_t i = 0; i < sim->model_count; i++) {
        const snag_sim_model *model = &sim->models[i];
        snag_shape made;
        snag_status status = make(sim, model, false, &made);
        if (status == SNAG_OK && i == 0 && !stand(&made, height, &f))
            status = refuse(sim, model, SNAG_ERROR_ARGUMENT, "is flat: a figure must have a height along z");
        if (status == SNAG_OK) {
            move_into(&made, &f);
            status = check_dressed(sim, i, &made, height);
        }
        if (status == SNAG_OK)
            status = snag__scene_add_body(sim, i == 0 ? SNAG__DRIVEN : SNAG__DEFORMING,
                                          own_name(sim, model, i == 0 ? "figure" : "garment"), &made);
        snag_shape_free(&made);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}
