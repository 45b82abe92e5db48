#include "figure_scene.h"

#include <math.h>
#include <stdlib.h>

#include "../models.h"

static const double TURN = 6.283185307179586;

// Maps a point above the figure's skin at rest to its position as the figure bends and turns.
static void place(double angle, double z, double gap, double time, double x[3])
{
    double r = snag__outline_radius(&snag__form, z) + gap, turn = 0.25 * sin(TURN * 0.7 * time) * z;
    double flat[2] = {SNAG__FIGURE_WIDE * r * cos(angle), SNAG__FIGURE_DEEP * r * sin(angle)};
    double sway = 0.06 * sin(TURN * 0.5 * time), nod = 0.03 * sin(TURN * 0.8 * time);
    x[0] = cos(turn) * flat[0] - sin(turn) * flat[1] + sway * z * z + 0.02 * sin(TURN * time) * sin(3 * z);
    x[1] = sin(turn) * flat[0] + cos(turn) * flat[1] + nod * z * z;
    x[2] = z;
}

// Distance of the dress from the skin: small above the hips, travelling folds below.
static double gap_at(double angle, double z, double time)
{
    double below = fmax(0, 0.72 - z) / 0.37, above = fmax(0, z - 1.2);
    double close = 0.0045 + 0.0025 * sin(3 * angle + 4 * time) * sin(9 * z - 5 * time);
    return close + 0.05 * above + below * below * 0.07 * (1.05 + sin(8 * angle + 2 * time));
}

// A tube of columns x rows quads, open at both ends.
static bool make_tube(uint32_t columns, uint32_t rows, snag_shape *tube)
{
    *tube = (snag_shape){.vertex_count = (size_t)columns * (rows + 1), .triangle_count = 2 * (size_t)columns * rows};
    tube->positions = malloc(3 * tube->vertex_count * sizeof *tube->positions);
    tube->triangles = malloc(3 * tube->triangle_count * sizeof *tube->triangles);
    if (tube->positions == NULL || tube->triangles == NULL)
        return false;
    snag__put_tube(tube->triangles, columns, rows);
    return true;
}

bool figure_scene_make(figure_scene *scene, double fineness, double dress_fineness)
{
    *scene = (figure_scene){0};
    uint32_t segments = (uint32_t)(230 * fineness), rings = (uint32_t)(115 * fineness) + 1;
    if (snag_shape_sphere(segments, rings, 1, &scene->figure) != SNAG_OK)
        return false;
    scene->figure_rest = malloc(2 * scene->figure.vertex_count * sizeof *scene->figure_rest);
    uint32_t columns = (uint32_t)(62 * dress_fineness), rows = (uint32_t)(31 * dress_fineness);
    scene->dress_columns = columns;
    if (scene->figure_rest == NULL || !make_tube(columns, rows, &scene->dress))
        return false;
    for (size_t v = 0; v < scene->figure.vertex_count; v++) {
        const double *x = &scene->figure.positions[3 * v];
        double polar = acos(fmin(fmax(x[2], -1), 1)) / (TURN / 2);
        scene->figure_rest[2 * v] = 1.55 * (1 - polar);
        scene->figure_rest[2 * v + 1] = atan2(x[1], x[0]);
    }
    figure_scene_pose(scene, 0);
    return true;
}

void figure_scene_free(figure_scene *scene)
{
    snag_shape_free(&scene->figure);
    snag_shape_free(&scene->dress);
    free(scene->figure_rest);
    *scene = (figure_scene){0};
}

void figure_scene_pose(figure_scene *scene, int step)
{
    double time = step / 100.0;
    for (size_t v = 0; v < scene->figure.vertex_count; v++)
        place(scene->figure_rest[2 * v + 1], scene->figure_rest[2 * v], 0, time, &scene->figure.positions[3 * v]);

    size_t columns = scene->dress_columns;
    size_t rows = scene->dress.vertex_count / columns - 1;
    // The cloth slides on the skin, around it and up and down.
    double around = 0.03 * sin(TURN * 0.6 * time), up = 0.012 * sin(TURN * 0.9 * time);
    for (size_t v = 0; v < scene->dress.vertex_count; v++) {
        size_t row = v / columns;
        double angle = TURN * (double)(v % columns) / (double)columns + around;
        double z = 0.35 + 0.95 * (double)row / (double)rows + up;
        place(angle, z, gap_at(angle, z, time), time, &scene->dress.positions[3 * v]);
    }
}

bool torus_scene_make(snag_shape *torus, snag_shape *ellipsoid)
{
    *torus = *ellipsoid = (snag_shape){0};
    if (snag_shape_torus(120, 48, 1.0, 0.4, torus) != SNAG_OK || snag_shape_sphere(96, 64, 1, ellipsoid) != SNAG_OK)
        return false;
    // The ellipsoid lies across the tube on one side and sinks in slightly: only a small part of each is close to the other.
    for (size_t v = 0; v < ellipsoid->vertex_count; v++) {
        double *x = &ellipsoid->positions[3 * v];
        x[0] = 0.55 * x[0] + 0.95;
        x[1] = 0.75 * x[1] + 0.1;
        x[2] = 0.35 * x[2] + 0.735;
    }
    return true;
}
