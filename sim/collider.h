// The collider's own fields, for the files that it is made of: collide.c (a substep), measure.c (depths) and edit.c (new elements).
#ifndef SNAG_SIM_COLLIDER_H
#define SNAG_SIM_COLLIDER_H

#include "collide.h"
#include "nearest.h"
#include "scene.h"
#include "snag/methods.h"

struct snag__collider {
    snag_world *world;
    snag_response *response;
    snag_question question;
    snag_sim_response mode;
    snag_question_def ask;
    snag_filter filter;
    snag_active_options active;  // if the method is active
    snag_response_def rules;
    snag_response_body *bodies;  // one for each of the scene
    uint32_t *body_of;  // by body id index
    bool *closed;  // closed surfaces of fixed shape: contacts with them have a side
    double *inverse_mass;  // of all points
    double (**normal)[3];  // of the vertices of closed bodies; NULL for others
    snag_contact *contacts;  // the answer's, with normals pointing outward
    size_t contact_capacity;
    double (*x)[3], (*v)[3];  // of all points before the response
    uint32_t *touched;  // by point: whether it has a contact
    double (*support)[3];  // by point: the force from its contacts
    snag__plane *planes;  // by point: the nearest fixed or driven surface
    double *nearest;  // by point: its distance
    snag__nearest *surfaces;  // of volumes, by body
    double (*out)[3];  // by point: exit direction of the volume it is in
    uint32_t *inside;  // by point: that volume, numbered from 1; 0: none
    double ratio;  // the fraction of contacts to respond to
    uint64_t random;  // random state that chooses them
};

// Copies the answer's contacts, since the world's are read-only, and turns those with closed bodies outward.
snag_status snag__collider_take(snag_sim *sim, snag_answer *answer);
// Whether a vertex is inside of another body's volume; and the nearest way out of it in place of the reported depth, first through a
// face that faces along `along`, unless that is NULL.
bool snag__collider_inside_another(const snag_contact *contact);
void snag__collider_shorten(const snag_sim *sim, const double *along, snag_contact *contact);
// Moves all bodies of the world to their current positions, at t0 and t1.
snag_status snag__collider_place(snag_sim *sim);
// Sets sim->message and returns the status.
snag_status snag__collider_fail(snag_sim *sim, snag_status status, const char *why);

#endif
