// Scenes for the method `active`: a dressed figure that sways, and a torus and an ellipsoid that rest (Fig. 3 of the
// paper). Made by arithmetic alone: the same step gives the same bytes.
#ifndef SNAG_SIM_POSED_FIGURE_SCENE_H
#define SNAG_SIM_POSED_FIGURE_SCENE_H

#include "snag/snag.h"

// A dressmaker's figure of 52,900 triangles in a dress of 3,844; lengths in metres, 100 steps to a second.
typedef struct figure_scene {
    snag_shape figure, dress;
    double *figure_rest;  // height and angle of the figure's vertices
    uint32_t dress_columns;
} figure_scene;

// Finenesses of figure and dress, 1: as above; the triangles grow with their squares.
bool figure_scene_make(figure_scene *scene, double fineness, double dress_fineness);
void figure_scene_free(figure_scene *scene);
// Moves all vertices to where they are at a step.
void figure_scene_pose(figure_scene *scene, int step);

// How close counts as a proximity in this scene.
#define FIGURE_DISTANCE 0.005

// An ellipsoid that lies on a torus and sinks in a little.
bool torus_scene_make(snag_shape *torus, snag_shape *ellipsoid);
#define TORUS_DISTANCE 0.02

#endif
