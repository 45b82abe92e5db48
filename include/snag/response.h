// Response: from contacts to corrections of the user's own positions and velocities.
//
// Whoever simulates keeps his arrays; snag corrects them. Nothing here knows how the bodies deform: a vertex has a
// position, a velocity and an inverse mass. The same input gives the same bytes, whatever the number of threads.
// A call that fails returns a status, keeps a message (snag_response_message) and leaves the user's arrays as they
// were. After the first few steps of like size a call allocates nothing.
//
// No call may be made from within a callback or task of the world that it is about, or while the same response is in another call:
// it gets SNAG_ERROR_BUSY and changes nothing. As those of the world, calls compute under the default floating-point environment
// and give the caller's back.
#ifndef SNAG_RESPONSE_H
#define SNAG_RESPONSE_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// Memory that is kept from call to call. One is used by one thread at a time.
typedef struct snag_response snag_response;

// A NULL allocator means malloc. On failure *response is NULL.
SNAG_API snag_status snag_response_create(const snag_allocator *allocator, snag_response **response);
// NULL is allowed. While a call of the response is in progress it does nothing: destroy it when that has returned.
SNAG_API void snag_response_destroy(snag_response *response);
// What went wrong in the last call that failed; "" if none did. Valid until the next call.
SNAG_API const char *snag_response_message(const snag_response *response);

// One body of the world, as the user keeps it. All numbers must be finite.
typedef struct snag_response_body {
    snag_body_id body;
    size_t vertex_count;
    double *positions;  // x, y, z of each vertex; corrected in place
    double *velocities;  // likewise; NULL: they are of no concern (taken as zero; advance: as what the step makes of them)
    // One for each vertex: 0 holds the vertex (it is pinned, or moved by others); NULL: all of them are held, as those
    // of an obstacle. A mass of zero has no inverse, a negative one no meaning: both are refused.
    const double *inverse_masses;
    // advance: where the vertices were before the step, x, y, z of each. Not used by the others.
    const double *start;
} snag_response_body;

typedef struct snag_response_def {
    uint32_t cookie;  // set by snag_default_response_def; any other value is refused
    double thickness;  // surfaces keep this distance
    double friction;  // Coulomb's coefficient: 0 slides freely
    // The time step. Contacts farther apart than the thickness are only kept from getting closer than it within this
    // time.
    double dt;
    double correction;  // the part of a missing distance that one call makes up for, 0..1
    uint32_t iterations;  // sweeps over all contacts, in their order
    // Corrections are handed on to vertices that have no contact of their own: each ring of neighbours gets this part
    // (0..1) of the mean of the ring before it, for so many rings.
    double spread;
    uint32_t rings;
    // Respond to this part of the contacts only (0..1), chosen at random by the seed: what a detection that finds a
    // part of the contacts would lead to. A new seed chooses anew.
    double ratio;
    uint64_t seed;
    uint32_t rounds;  // advance: how often impacts are resolved one by one before those that are left are merged
    snag_method method;  // advance and untangle: how they search
} snag_response_def;

// Thickness 1e-3, friction 0.3, no time step, full corrections, 8 iterations, no spreading, all contacts, 10 rounds,
// auto.
SNAG_API snag_response_def snag_default_response_def(void);

typedef struct snag_response_report {
    size_t contacts;  // that were responded to
    size_t left_out;  // by the ratio, because all their vertices are held, or because they have no direction
    double missing;  // the largest distance that was missing to the thickness, or depth
    double remaining;  // the same after the call, as far as contacts keep their directions
    double largest_move;  // of a vertex, by the corrections
    // advance and untangle
    uint32_t asks;  // how often the world was asked for impacts, or for intersections
    uint64_t search_us;  // what all searches took, in microseconds: the only number that differs from run to run
    // advance
    size_t impacts;  // found in the first search
    size_t merged;  // vertices that ended up in a zone that moves as one
    size_t excepted;  // pairs that touched before the step already, and that nothing is promised of
    double fraction;  // the part of the step that was made: 1 unless held vertices leave no way on
    // untangle
    size_t tangled;  // pairs of triangles that intersected
    size_t left;  // that still do
} snag_response_report;

// Responds to the contacts of an answer about the present positions: proximities, or penetrations with details.
//   Velocities: inelastic, with Coulomb friction, weighted by mass: contacts that are closer than the thickness do not
//   approach any more. Positions: what is missing to the thickness (or the depth) is made up for, weighted by mass and
//   without adding to the velocities, so that what was found too late does not explode.
// Every body that a contact names must be listed. `positions` are those that the world was asked about. The world is
// read. SNAG_ERROR_UNSUPPORTED for answers to other questions, SNAG_ERROR_ARGUMENT if not one vertex is free to move.
SNAG_API snag_status snag_response_apply(snag_response *response, const snag_world *world, const snag_response_def *def,
                                         const snag_response_body *bodies, size_t body_count, const snag_answer *answer,
                                         snag_response_report *report);

// Makes a step without a crossing. On entry the bodies' `start` are their positions before the step, `positions` where
// the simulation wants them after it, `velocities` those after it. On return positions and velocities are what the step
// became:
//   1. Contacts that are closer than the thickness at the start do not approach, rub by Coulomb's law, and move apart.
//   2. Impacts on the way are resolved, inelastic and with friction, and searched for anew, `rounds` times.
//   3. What still collides is merged into zones that move rigidly, and grow while they collide; at last they rest.
//   4. If obstacles move into what rests, the whole step is cut at the impact and the rest is made from there; where
//   that
//      leads no further, the step ends: `fraction` of the report is below 1, and held vertices are behind as well.
// If no two features meet at the start, none do on return, and no crossing is made on the way; exactly, since the last
// search found no impact. Pairs whose vertices are all held are not looked at. Pairs that touch at the start are
// excepted. The bodies of the list take part, others do not. Bodies are moved in the world: on return they stand at
// `start` (t0) and at the new positions (t1); if the call fails, at `start`. dt must be positive. `ratio` and `spread`
// are not used.
SNAG_API snag_status snag_response_advance(snag_response *response, snag_world *world, const snag_response_def *def,
                                           const snag_response_body *bodies, size_t body_count, snag_response_report *report);

// Frees surfaces that intersect already, each other or themselves: moves `positions` until no two triangles intersect,
// as little as it takes. Velocities stay. Which side gives way is decided for whole contours of intersection: what is
// inside a closed body goes out, two open sheets take the order in which most of them lies, folds of one sheet stay
// folded. Surfaces are smoothed where they intersect for long. If `left` of the report is not 0 a part is still
// tangled: positions are the best that were found, never with more intersecting pairs than before. On return the bodies
// stand at `positions` in the world; if the call fails, too. thickness, dt, friction and ratio are not used.
SNAG_API snag_status snag_response_untangle(snag_response *response, snag_world *world, const snag_response_def *def,
                                            const snag_response_body *bodies, size_t body_count, snag_response_report *report);

#ifdef __cplusplus
}
#endif

#endif
