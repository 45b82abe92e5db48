// Models of the user's in place of those that scenes make.
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

static snag_status check(const snag_sim_model *model, snag_sim_takes takes)
{
    size_t corners = takes == SNAG_SIM_TAKES_TETS ? 4 * model->tet_count : 3 * model->triangle_count;
    const uint32_t *elements = takes == SNAG_SIM_TAKES_TETS ? model->tets : model->triangles;
    if (corners == 0 || elements == NULL || model->positions == NULL)
        return SNAG_ERROR_ARGUMENT;
    for (size_t i = 0; i < corners; i++)
        if (elements[i] >= model->vertex_count)
            return SNAG_ERROR_INDEX;
    for (size_t i = 0; i < 3 * model->vertex_count; i++)
        if (!isfinite(model->positions[i]))
            return SNAG_ERROR_NOT_FINITE;
    return SNAG_OK;
}

// Takes the vertices that elements use over, numbered anew in their old order: one without elements would have no mass.
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

// Tetrahedra of negative volume are turned over; one without volume cannot resist anything.
static snag_status turn_tets(snag_shape *made)
{
    for (size_t k = 0; k < made->tet_count; k++) {
        uint32_t *t = made->tets + 4 * k, last = t[3];
        const double *x[4];
        for (int i = 0; i < 4; i++)
            x[i] = made->positions + 3 * (size_t)t[i];
        double volume = six_volumes(x[0], x[1], x[2], x[3]);
        if (volume == 0)
            return SNAG_ERROR_ARGUMENT;
        if (volume < 0) {
            t[3] = t[2];
            t[2] = last;
        }
    }
    return SNAG_OK;
}

// A closed surface that is turned inside out has a negative volume.
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

// As large as fits, in the middle.
static snag_status fit(snag_shape *made, const snag_shape *into)
{
    double from[2][3], to[2][3], scale = HUGE_VAL;
    snag__shape_box(made->positions, made->vertex_count, from);
    snag__shape_box(into->positions, into->vertex_count, to);
    for (int k = 0; k < 3; k++)
        if (from[1][k] > from[0][k])
            scale = fmin(scale, (to[1][k] - to[0][k]) / (from[1][k] - from[0][k]));
    if (!(scale > 0) || isinf(scale))
        return SNAG_ERROR_ARGUMENT;
    for (size_t i = 0; i < 3 * made->vertex_count; i++) {
        size_t k = i % 3;
        made->positions[i] = (to[0][k] + to[1][k]) / 2 + scale * (made->positions[i] - (from[0][k] + from[1][k]) / 2);
    }
    return SNAG_OK;
}

static snag_status make(const snag_sim_model *model, bool volume, const snag_shape *into, snag_shape *made)
{
    const uint32_t *elements = volume ? model->tets : model->triangles;
    size_t corners = volume ? 4 * model->tet_count : 3 * model->triangle_count;
    uint32_t *taken = calloc(corners + 1, sizeof *taken);
    if (taken == NULL)
        return SNAG_ERROR_MEMORY;
    *(volume ? &made->tets : &made->triangles) = taken;
    *(volume ? &made->tet_count : &made->triangle_count) = corners / (volume ? 4 : 3);
    if (!copy_used(model, elements, corners, made, taken))
        return SNAG_ERROR_MEMORY;
    if (!volume)
        turn_surface(made);
    snag_status status = volume ? turn_tets(made) : SNAG_OK;
    return status == SNAG_OK ? fit(made, into) : status;
}

snag_status snag__scene_replace(snag_sim *sim, snag__body_kind kind, snag_shape *shape)
{
    bool volume = shape->tet_count > 0;
    if (sim->model_count == 0 || (kind == SNAG__DEFORMING && !volume))
        return SNAG_OK;
    const snag_sim_model *model = &sim->models[sim->models_used++ % sim->model_count];
    snag_status status = check(model, volume ? SNAG_SIM_TAKES_TETS : SNAG_SIM_TAKES_SURFACES);
    snag_shape made = {0};
    if (status == SNAG_OK)
        status = make(model, volume, shape, &made);
    if (status != SNAG_OK) {
        snag_shape_free(&made);
        return status;
    }
    snag_shape_free(shape);
    *shape = made;
    return SNAG_OK;
}
