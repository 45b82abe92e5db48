// Scenes for the method `active`: a swaying dressed figure, and a static torus and ellipsoid (Fig. 3 of the paper). Computed by
// formula: the same step gives the same bytes.
#ifndef SNAG_SIM_POSED_FIGURE_SCENE_H
#define SNAG_SIM_POSED_FIGURE_SCENE_H

#include "snag/snag.h"

// A dressmaker's figure of 52,900 triangles in a dress of 3,844; lengths in metres, 100 steps to a second.
typedef struct figure_scene {
    snag_shape figure, dress;
    double *figure_rest;  // height and angle of the figure's vertices
    uint32_t dress_columns;
} figure_scene;

// Resolutions of figure and dress; 1: as above. The number of triangles grows with the square.
bool figure_scene_make(figure_scene *scene, double fineness, double dress_fineness);
void figure_scene_free(figure_scene *scene);
// Moves all vertices to their positions at a step.
void figure_scene_pose(figure_scene *scene, int step);

// The distance for proximities in this scene.
#define FIGURE_DISTANCE 0.005

// An ellipsoid that lies on a torus and sinks in slightly.
bool torus_scene_make(snag_shape *torus, snag_shape *ellipsoid);
#define TORUS_DISTANCE 0.02

#endif
