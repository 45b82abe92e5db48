// Response: from contacts to corrections of your positions and velocities.
//
// The simulation keeps its arrays, and snag corrects them. Nothing here depends on how bodies deform: a vertex has a position, a
// velocity and an inverse mass. The same input gives the same bytes for any number of threads. A call that fails returns a status,
// sets a message (snag_response_message) and leaves your arrays as they were. After the first few steps of similar size a call
// allocates nothing.
//
// A call from a callback or task of the same world, or during another call of the same response, returns SNAG_ERROR_BUSY and changes
// nothing. Like those of the world, calls compute in the default floating-point environment and restore the caller's.
//
// Units: lengths as in the world, times in any unit (dt), velocities in lengths per unit of time, masses in any unit.
#ifndef SNAG_RESPONSE_H
#define SNAG_RESPONSE_H

#include "snag/places.h"
#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// Memory that is kept from call to call. Used by one thread at a time; may be used with any world.
typedef struct snag_response snag_response;

// The caller owns the response and must destroy it. The allocator must outlive it; NULL: malloc. On failure *response is NULL:
// SNAG_ERROR_ARGUMENT (NULL, half an allocator), SNAG_ERROR_MEMORY.
SNAG_API snag_status snag_response_create(const snag_allocator *allocator, snag_response **response);
// NULL is allowed. While a call of the response is in progress it does nothing: destroy it when that has returned.
SNAG_API void snag_response_destroy(snag_response *response);
// The error message of the last call that failed; "" if none did, and for NULL. Owned by the response, valid until the next call.
SNAG_API const char *snag_response_message(const snag_response *response);

// One body of the world with your arrays, which are borrowed for the call. All numbers must be finite.
typedef struct snag_response_body {
    snag_body_id body;
    size_t vertex_count;
    double *positions;  // x, y, z of each vertex; corrected in place
    double *velocities;  // likewise; NULL: taken as zero and not written (advance: taken as the move divided by dt)
    // One per vertex: 0 holds the vertex (it is pinned, or moved by you); NULL: all are held, as in an obstacle. Infinite and
    // negative values are refused.
    const double *inverse_masses;
    // advance and truncate: x, y, z of each vertex before the step; fix: where vertices were, NULL: `positions`. Not used by the other calls
    const double *start;
    double *bounds;  // bounds: one for each vertex, written. Not used by the other calls
} snag_response_body;

// How truncate keeps elements apart.
typedef enum snag_safe {
    SNAG_SAFE_BOUNDS = 0,  // no vertex moves farther than half the distance to what is nearest to it
    SNAG_SAFE_HALF_SPACES = 1,  // close elements stay on their sides of a plane between them: vertices slide and separate freely
    SNAG_SAFE_COUNT
} snag_safe;

// How a response is computed.
typedef struct snag_response_def {
    uint32_t cookie;  // set by snag_default_response_def; any other value is refused
    double
        thickness;  // surfaces keep this distance, added to the radii of their bodies (between vertices: by the contact's weights)
    double friction;  // Coulomb's coefficient: 0 slides freely
    // The time step. Contacts farther apart than the thickness are only kept from getting closer than it within this time; with 0
    // they are left alone. advance needs a positive one.
    double dt;
    double correction;  // the part of a missing distance that one call corrects, 0..1
    uint32_t iterations;  // sweeps over all contacts, in their order; at least 1
    // Corrections spread to vertices without contacts: each ring of neighbours gets this part (0..1) of the mean of the ring before
    // it, for this many rings.
    double spread;
    uint32_t rings;
    // Respond to this part of the contacts only (0..1), chosen at random by the seed, to simulate incomplete detection.
    double ratio;
    uint64_t seed;
    // advance: rounds of resolving impacts one by one before the remaining ones are merged into zones. truncate: how often the moves that
    // are left are tried again from where vertices came to, at most.
    uint32_t rounds;
    snag_method method;  // advance and untangle: the method of their questions
    snag_safe safe;  // truncate: how
    // truncate and bounds: elements farther apart than this are not looked at, and no vertex moves by more than half of it in one round.
    // 0: twice the largest move, so that it holds nothing back; bounds needs one above 0.
    double reach;
} snag_response_def;

// Thickness 1e-3, friction 0.3, no time step, full corrections, 8 iterations, no spreading, all contacts, 10 rounds, auto,
// half-spaces, no reach.
SNAG_API snag_response_def snag_default_response_def(void);

// What one call of a response did.
typedef struct snag_response_report {
    size_t contacts;  // that were responded to
    size_t left_out;  // contacts skipped by the ratio, because all their vertices are held, or because they have no direction
    double missing;  // the largest distance missing to the thickness, or depth; truncate: to where a vertex wanted to be
    double remaining;  // apply: the same after the call, if contacts keep their directions
    double largest_move;  // of a vertex, by the corrections
    // advance, untangle and truncate
    uint32_t asks;  // how often the world was asked for impacts, for intersections, or for candidates
    uint64_t search_us;  // duration of all searches in microseconds: the only number that differs from run to run
    // advance
    size_t impacts;  // found in the first search
    size_t merged;  // vertices that ended up in an impact zone
    size_t excepted;  // pairs that touched before the step already, for which nothing is guaranteed
    double fraction;  // the part of the step that was made: 1 unless held vertices block it
    size_t held_back;  // truncate: vertices that did not get where they wanted
    // untangle
    size_t tangled;  // pairs of triangles, and of rods and triangles, that intersected
    size_t left;  // that still do
} snag_response_report;

// Responds to the contacts of an answer about the present positions: proximities or penetrations, with SNAG_OUTPUT_CONTACTS.
//   Velocities: inelastic, with Coulomb friction, weighted by mass: contacts closer than the thickness stop approaching.
//   Positions: the distance missing to the thickness (or the depth) is corrected, weighted by mass and without adding to the
//   velocities, so that late detection does not add energy.
// Every body that a contact names must be listed. `positions` must be those that the world was asked about. The world is only read.
// `report` may be NULL, also below. SNAG_ERROR_UNSUPPORTED for answers to other questions; SNAG_ERROR_ARGUMENT if all vertices are held,
// a body is listed twice or a value is out of range; _BODY, _MISMATCH, _INDEX, _NOT_FINITE, _SIZE, _MEMORY, _BUSY.
SNAG_API snag_status snag_response_apply(snag_response *response, const snag_world *world, const snag_response_def *def,
                                         const snag_response_body *bodies, size_t body_count, const snag_answer *answer,
                                         snag_response_report *report);

// Makes a step without intersections. On entry `start` are the positions before the step, `positions` and `velocities` those that the
// simulation wants after it. On return positions and velocities are those of the step that was made:
//   1. Contacts closer than the thickness at the start stop approaching, with Coulomb friction, and are pushed apart.
//   2. Impacts are resolved, inelastic and with friction, and searched for again, up to `rounds` times.
//   3. Vertices that still collide are merged into zones that move rigidly and grow while they collide; in the end they rest.
//   4. If obstacles move into resting zones, the step is cut before the impact and continued from there; if that does not help, it
//      ends early: `fraction` of the report is below 1, and held vertices stop early too.
// If no two features meet at the start, none do on return or on the way; exactly, since the last search found no impact. Pairs whose
// vertices are all held are ignored. Pairs that touch at the start are excepted. Only listed bodies take part. Moves the bodies in
// the world: on return their t0 is `start` and their t1 the new positions; on failure both are `start`. dt must be positive. `ratio`
// and `spread` are not used. Errors as for apply and snag_world_ask. Callbacks of the world (log, tasks, allocator) run as in an ask.
SNAG_API snag_status snag_response_advance(snag_response *response, snag_world *world, const snag_response_def *def,
                                           const snag_response_body *bodies, size_t body_count, snag_response_report *report);

// Safe motion: how far each vertex may move from where it is, in any direction, so that nothing crosses if all vertices keep to it. That
// is half the distance to the nearest element that does not contain the vertex (and likewise for the edges and triangles at it), at
// most half the reach, lowered by what rounding may add. `positions` are those that the world has at t1; writes `bounds` of all bodies,
// and nothing else. Only listed bodies take part, held vertices like all others; pairs that touch have the bound 0. Ends the
// validity of the world's last answer. SNAG_ERROR_ARGUMENT (no reach, bounds that are NULL) and the errors of apply.
SNAG_API snag_status snag_response_bounds(snag_response *response, snag_world *world, const snag_response_def *def,
                                          const snag_response_body *bodies, size_t body_count);

// Safe motion: shortens moves until nothing crosses. On entry `start` are the positions before the move, `positions` those that are wanted.
// On return `positions` are as close to these as they came: if no two elements of listed bodies meet at the start, none do on return
// or on the straight ways of one round, exactly. Pairs that touch at the start stay as they are, pairs whose vertices are all held are
// ignored, and with half-spaces elements closer than the thickness do not get closer. There is no search for impacts,
// no response to contacts and no friction: vertices are held back, never pushed. With `dt` above 0, velocities of free vertices change by
// what their moves lost. Rods and points are elements like triangles; only two rods at a common vertex may fold onto each other. Radii
// do not count. Held vertices all make the same part of their moves, `fraction` of the report; they are written too.
// On return t0 of the bodies in the world is `start` and t1 the new positions; on failure both are `start`. Several rounds take several
// straight moves, so that the way from t0 to t1 as a whole may meet something even though no round did: with rounds = 1 it does not.
// The outcome does not depend on the number of threads. SNAG_ERROR_ARGUMENT (a start that is NULL) and the errors of apply and ask.
SNAG_API snag_status snag_response_truncate(snag_response *response, snag_world *world, const snag_response_def *def,
                                            const snag_response_body *bodies, size_t body_count, snag_response_report *report);

// Separates surfaces that already intersect each other or themselves: moves `positions` a little, until no two triangles intersect.
// Velocities stay. Which side moves is decided for whole contours of intersection: vertices inside a closed body go out, two open
// sheets take the order in which most of them lies, folds of one sheet stay folded. Surfaces that intersect for many rounds are
// smoothed there. If `left` of the report is not 0, some intersections remain: positions are the best that were found, never with more
// intersecting pairs than before. Rods that pass through triangles are counted, and only shaken: they have no side to go to. On
// return, also on failure, the bodies are at `positions` in the world (t0 and t1). thickness, dt,
// friction and ratio are not used. Errors as for advance.
SNAG_API snag_status snag_response_untangle(snag_response *response, snag_world *world, const snag_response_def *def,
                                            const snag_response_body *bodies, size_t body_count, snag_response_report *report);

// ---- fixing --------------------------------------------------------------------------------------------------------

// What became of a place where surfaces intersected.
typedef enum snag_fix_outcome {
    SNAG_FIX_FREED = 0,
    SNAG_FIX_HELD = 1,  // vertices that are held intersect each other
    SNAG_FIX_MAX_MOVE = 2,  // vertices would have to move farther than max_move
    SNAG_FIX_TIME = 3,  // the budget or the progress callback ended the call first
    SNAG_FIX_SHARED = 4,  // faces with the same corners: they lie on each other wherever these move
    SNAG_FIX_ONE_SIDED = 5,  // a closed surface without inside and outside, such as a Klein bottle, crosses itself wherever it is
    SNAG_FIX_PARTS = 6,  // closed parts of one body that are built into each other: join them instead
    SNAG_FIX_THROUGH = 7,  // a surface passes right through another, in on one side and out on the other
    SNAG_FIX_THIN = 8,  // rods and points are not moved out of what they meet
    SNAG_FIX_STUCK = 9,  // none of the above: no way was found
    SNAG_FIX_OUTCOME_COUNT
} snag_fix_outcome;

// "freed", "held", ... and a sentence about the outcome. Static, never NULL.
SNAG_API const char *snag_fix_outcome_name(snag_fix_outcome outcome);
SNAG_API const char *snag_fix_outcome_sentence(snag_fix_outcome outcome);

// A place of the input (snag/places.h) and its outcome.
typedef struct snag_fix_place {
    snag_body_id body_a, body_b;  // the lower index first; the same for a body with itself
    double centre[3];
    double size;  // diagonal of its box
    double depth, length;  // as in snag_place
    size_t contacts;  // before
    // After: not 0 if it was not freed, or only in part. Pairs that intersect now and did not before are counted at the nearest place.
    size_t left;
    size_t moved;  // vertices that moved for it
    double largest_move;  // of these
    snag_fix_outcome outcome;
} snag_fix_place;

// How intersections are taken out of meshes at rest.
typedef struct snag_fix_def {
    uint32_t cookie;  // set by snag_default_fix_def; any other value is refused
    snag_method method;  // of the searches
    double max_move;  // no vertex moves farther; 0: no limit
    // Bodies that move as a whole, by translation and rotation, if at all. They must be listed; held vertices in them are refused.
    const snag_body_id *rigid;
    size_t rigid_count;
    // Results are representable as floats, and proved free as such, for files that store floats. Vertices that are not, and that do not move,
    // are rounded too.
    bool single;
    // Where a sheet (an open part) meets a solid (a closed one), only the sheet moves, unless it is held.
    bool sheets_yield;
    // Ends after this time, or when progress returns false: it is called by the calling thread several times a second, with the part that is
    // done, and must not call the world or the response. What was freed by then stays freed. 0 and NULL: ends by itself, after a bounded
    // number of rounds.
    uint64_t budget_us;
    bool (*progress)(void *context, double done);
    void *context;
} snag_fix_def;

// Auto, no limits, sheets yield.
SNAG_API snag_fix_def snag_default_fix_def(void);

// Result of a fix.
typedef struct snag_fix_report {
    size_t contacts, left;  // intersecting pairs before and after
    const snag_fix_place *places;  // the worst first; owned by the response, valid until its next call
    size_t place_count;
    size_t freed;  // places with nothing left
    size_t moved;  // vertices
    double largest_move;  // of a vertex, from where it was before
    double mean_edge;  // of the parts that have places: to compare moves with
    double largest_edges;  // the largest move in mean edge lengths of the vertex's own part
    uint32_t asks;
    uint64_t search_us;
    bool complete;  // false: the budget or the progress callback ended the call
} snag_fix_report;

// Frees surfaces that intersect each other or themselves by moving vertices near the places where they do; everything else stays, bit for
// bit (but see `single`). It does what untangle does with more means, and accounts for each place:
//   - Decisions are made for connected parts, so that a body of several pieces is understood: vertices inside a closed part go out, also
//     where it crosses itself; sheets keep the order in which most of them lies; folds stay folds.
//   - Several attempts per place; places that are free stay so while others are tried again. Curves that end at borders are
//     also contracted.
//   - What could not be freed is put back where it was, unless at most a quarter of its pairs is left.
// `left` is proved by a search with exact predicates at the positions that are returned. Volumes move by their boundary only.
//
// `positions` are where vertices are; with `start` not NULL they are a first guess instead, such as this frame moved as the last one was,
// and `start` is where vertices were before: moves and places are those from `start`, and vertices that cannot be freed go back there.
// `inverse_masses`: 0 holds a vertex; the others should all be 1. Velocities stay. On return, also on failure, the bodies are at
// `positions` in the world (t0 and t1); on failure positions are as they were. Calls snag_answer_places, so that places of the world from
// earlier calls are no longer valid. Without intersections nothing moves. If even the first search was cut short, `complete` is false, there are no
// places and nothing moved. Errors as for advance, and SNAG_ERROR_ARGUMENT for a rigid body that is not listed or has held vertices.
SNAG_API snag_status snag_response_fix(snag_response *response, snag_world *world, const snag_fix_def *def,
                                       const snag_response_body *bodies, size_t body_count, snag_fix_report *report);

#ifdef __cplusplus
}
#endif

#endif
