// Contacts of a scene: detected by a world, resolved by the response library.
#ifndef SNAG_SIM_COLLIDE_H
#define SNAG_SIM_COLLIDE_H

#include "snag/response.h"
#include "snag/sim.h"

// Contact settings of a scene. Set by snag__scene_assemble, changed by builders.
typedef struct snag__contact_rules {
    snag_sim_response response;  // the scene's own
    double thickness;  // distance between surfaces; 0: a tenth of the mean edge of moving bodies
    double reach;  // search distance: within it, approaching vertices are slowed and vertices inside are pushed out
    double friction;
    bool self;  // whether to detect self-contacts
    uint32_t iterations;  // of the response, as are the next: see snag_response_def
    double correction;
    double spread;
    uint32_t rings;
} snag__contact_rules;

typedef struct snag__collider snag__collider;

// Builds the world of all bodies; none if there is neither response nor measurement.
snag_status snag__collider_create(snag_sim *sim, const snag_sim_def *def);
void snag__collider_destroy(snag__collider *collider);
// Corrects positions and velocities of the system at the end of a substep of length h that began at `start`. On
// failure sets sim->message.
snag_status snag__collide(snag_sim *sim, double h, const double (*start)[3]);
// Clears the forces of lasting contacts, after a step was undone.
void snag__collider_forget(snag__collider *collider, size_t points);

// Wall-clock seconds.
double snag__sim_seconds(void);

#endif
