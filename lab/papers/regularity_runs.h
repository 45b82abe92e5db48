// The experiments of the shape regularity paper: Volino, Magnenat Thalmann, Efficient self-collision detection on smoothly
// discretized surface animations using geometrical shape regularity, Eurographics 1994. Used by bench_regularity and
// `snag repro volino`. One thread.
#ifndef SNAG_LAB_REGULARITY_RUNS_H
#define SNAG_LAB_REGULARITY_RUNS_H

#include "common/any_question.h"
#include "../../sim/posed/surface_scenes.h"

typedef enum regularity_shape {
    REGULARITY_SPHERE,  // of 20 * 4^size triangles (Fig. 8)
    REGULARITY_LOOP,  // a sheet of size x size cells that crosses itself along a line (Fig. 9)
    REGULARITY_WIDE_FOLDS,  // a hanging cloth with two overhanging folds
    REGULARITY_NARROW_FOLDS,  // the same with five
} regularity_shape;

// Four poses; the sphere is static. On failure the scene is zero.
snag_status regularity_scene(regularity_shape shape, uint32_t size, const char *name, surface_scene *scene);

// The modes in order: certified, the paper's, classical.
enum { REGULARITY_MODES = SNAG_REGULARITY_MODE_COUNT };
any_question regularity_question(snag_regularity_mode mode);

// Tab. 1 and 2: search calls (A) and triangle tests (B).
typedef struct regularity_counts {
    size_t triangles, colliding;
    size_t calls[REGULARITY_MODES], tests[REGULARITY_MODES], contacts[REGULARITY_MODES];
} regularity_counts;

snag_status regularity_count(const surface_scene *scene, regularity_counts *counts);

// Section 3.3: a figure and its dress, in each mode; minimum over some steps, in milliseconds.
typedef struct regularity_times {
    size_t body_triangles, cloth_triangles;
    double update_ms[REGULARITY_MODES], between_ms[REGULARITY_MODES], self_ms[REGULARITY_MODES];
    size_t between_contacts, self_contacts[REGULARITY_MODES];
    bool answered_by_regularity;  // every ask, in every mode
} regularity_times;

snag_status regularity_body_and_cloth(double body_fineness, double cloth_fineness, int steps, regularity_times *times);

#endif
