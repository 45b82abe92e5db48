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

// Fig. 8 to 10: what the search looked at. Arrays by triangle, of malloc.
typedef struct regularity_looked {
    size_t count;
    int32_t *levels;  // of the smallest patch that was looked at
    uint32_t *patches;  // its number
    size_t patch_count;  // different ones: elements of the hierarchy that were considered
    size_t in_leaves;  // triangles whose patch is one of the lowest: up to 16 triangles
} regularity_looked;

// Of the surface in a world of its own. SNAG_ERROR_UNSUPPORTED: another method answered.
snag_status regularity_look(const double *positions, size_t vertex_count, const uint32_t *triangles, size_t triangle_count,
                            snag_regularity_mode mode, regularity_looked *looked);
void regularity_looked_free(regularity_looked *looked);

// Section 3.3: a figure and its dress, in each mode; minimum over some steps, in milliseconds.
typedef struct regularity_times {
    size_t body_triangles, cloth_triangles;
    double update_ms[REGULARITY_MODES], between_ms[REGULARITY_MODES], self_ms[REGULARITY_MODES];
    size_t between_contacts, self_contacts[REGULARITY_MODES];
    bool answered_by_regularity;  // every ask, in every mode
    // The method `auto` on the same steps, apart: what it takes for the cloth, and which method it chose in the last one.
    double auto_self_ms;
    snag_method auto_method;
} regularity_times;

snag_status regularity_body_and_cloth(double body_fineness, double cloth_fineness, int steps, regularity_times *times);

#endif
