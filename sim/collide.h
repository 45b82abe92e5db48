// Contacts of a scene: found by a world, turned into corrections by the response library.
#ifndef SNAG_SIM_COLLIDE_H
#define SNAG_SIM_COLLIDE_H

#include "snag/response.h"
#include "snag/sim.h"

// What a scene wants of its contacts. Set by snag__scene_assemble, changed by builders.
typedef struct snag__contact_rules {
    snag_sim_response response;  // what the scene is made for
    double thickness;  // surfaces keep this distance; 0: a tenth of the mean edge of what moves
    double reach;  // surfaces closer than this are looked at: what approaches is slowed, what is inside is led out
    double friction;
    bool self;  // whether bodies meet themselves
    uint32_t iterations;  // of the response, as are the next: see snag_response_def
    double correction;
    double spread;
    uint32_t rings;
} snag__contact_rules;

typedef struct snag__collider snag__collider;

// Builds the world of all bodies; nothing where no contact is responded to and nothing is to be measured.
snag_status snag__collider_create(snag_sim *sim, const snag_sim_def *def);
void snag__collider_destroy(snag__collider *collider);
// Corrects positions and velocities of the system at the end of a substep of length h that began at `start`. Failures
// leave words in sim->message.
snag_status snag__collide(snag_sim *sim, double h, const double (*start)[3]);
// Forgets what lasting contacts gave, after a step that was taken back.
void snag__collider_forget(snag__collider *collider, size_t points);

// Seconds of the clock on the wall.
double snag__sim_seconds(void);

#endif
