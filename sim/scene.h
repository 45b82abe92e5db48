// What a running scene is made of, for the files that build scenes.
#ifndef SNAG_SIM_SCENE_H
#define SNAG_SIM_SCENE_H

#include "cloth.h"
#include "implicit.h"
#include "snag/sim.h"
#include "soft.h"

#define SNAG__FRAME (1.0 / 24)
#define SNAG__MAX_SCENE_BODIES 16
#define SNAG__MAX_SCENE_OBSTACLES 4

typedef struct snag__scene {
    const char *name;
    const char *words;  // what it shows
    uint32_t substeps;  // of a frame
    // Fills bodies, system and model of a sim that is zero. What it leaves half done is given back by its caller.
    snag_status (*build)(snag_sim *sim, const snag_sim_def *def);
    // Sets where the pins are to be at `time`; NULL where nothing is driven.
    void (*drive)(snag_sim *sim, double time);
} snag__scene;

struct snag_sim {
    const snag__scene *scene;
    double time;
    snag__sim_memory memory;
    snag_shape shapes[SNAG__MAX_SCENE_BODIES];  // elements of all bodies, and positions of those that stand still
    snag_sim_body bodies[SNAG__MAX_SCENE_BODIES];
    uint32_t body_count;
    snag__obstacle obstacles[SNAG__MAX_SCENE_OBSTACLES];
    snag__implicit system;
    snag__cloth cloth;
    snag__soft soft;
    void *drive_state;  // what the scene's drive needs

    // The state to go back to: at the start of the frame, and of the substep.
    struct snag__kept_state *frame_start, *substep_start;
};

// Even in [low, high); the same numbers for the same state everywhere (splitmix64).
static inline double snag__scene_random(uint64_t *state, double low, double high)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * ((double)(z >> 11) * 0x1p-53);
}

// Builders: scene_cloth.c
snag_status snag__build_cloth_ball(snag_sim *sim, const snag_sim_def *def);
snag_status snag__build_cloth_twist(snag_sim *sim, const snag_sim_def *def);
void snag__drive_cloth_twist(snag_sim *sim, double time);
// Builders: scene_soft.c
snag_status snag__build_soft_blocks(snag_sim *sim, const snag_sim_def *def);

// Adds the body of shapes[body_count]; its positions are those of the system from `first_point` on if it moves.
void snag__scene_add_body(snag_sim *sim, const char *name, bool moves, uint32_t first_point);

// Cells along one side of a sheet (2 dimensions) or block (3) that has `cells` of them at size 1; at least eight, since
// fewer make no folds.
uint32_t snag__scene_cells(uint32_t cells, int dimensions, double size);

#endif
