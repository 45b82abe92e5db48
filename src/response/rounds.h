// Rounds of untangling: ask for intersections, decide which sides give way, push. `untangle` and `fix` are made of these.
#ifndef SNAG_RESPONSE_ROUNDS_H
#define SNAG_RESPONSE_ROUNDS_H

#include "response/rows.h"
#include "response/tangle.h"

// A body that moves as a whole: its vertices are turn * (home - centre) + centre + shift.
typedef struct snag__rigid {
    double centre[3], shift[3];
    double turn[4];  // unit quaternion, the real part first
    double inertia[3][3];  // of its vertices, with mass 1 in all
    bool is_rigid;
} snag__rigid;

// How surfaces are smoothed where they intersect.
typedef struct snag__manner {
    double smoothness;  // 0..1 of the way to the mean of the neighbours, in each round
    uint32_t quiet_rounds;  // at the start, without smoothing
    bool keep_shape;  // smooth how vertices moved, not where they are: folds and edges keep their shape
    bool gentle;  // push no farther beyond than the crossing is deep: for tiny crossings of long edges
    bool resume;  // go on with what is left of the best so far, instead of sending its places home first
    bool contract;  // shorten curves that end at borders along their gradient instead of deciding for a side
} snag__manner;

typedef struct snag__rounds {
    snag_response *response;
    snag_world *world;
    snag_method method;
    uint64_t seed;
    snag__group group;
    snag__parts parts;
    double (*home)[3];  // positions at the start, from which moves are measured
    double (*best)[3];  // with the fewest intersections so far
    double (*moves)[3], (*mean)[3];
    uint32_t *rank, *counts;
    size_t fewest;  // intersections at `best`
    uint32_t asks;
    uint64_t search_us;
    // The rest is for `fix`.
    double max_move;  // of a vertex from home; 0: no limit
    uint8_t *limited;  // per vertex: it has reached max_move
    bool single;  // positions are kept to floats
    bool yield;  // open surfaces give way to closed ones
    snag__rigid *rigid;  // per body, and again per body those of `best`; NULL: none is rigid
    uint64_t until;  // time to stop, by snag__clock_us; 0: none
    bool (*progress)(void *context, double done);  // NULL: none
    void *context;
    double done;  // what progress is told
    bool stopped;  // by the time or by progress
} snag__rounds;

// Gathers the bodies and sets `home` to their positions. `rounds` has response, world and method.
snag_status snag__rounds_open(snag__rounds *rounds, const snag_response_body *bodies, size_t body_count);
// Moves the bodies in the world to group.x.
snag_status snag__rounds_place(snag__rounds *rounds);
// Asks for the intersections at group.x, which become `best` if they are fewer than ever. *answer is NULL if the search was stopped.
snag_status snag__rounds_ask(snag__rounds *rounds, const snag_answer **answer);
// Changes group.x by one round; round 0 only shakes, so that edges do not meet edges exactly.
snag_status snag__rounds_push(snag__rounds *rounds, const snag_answer *answer, const snag__manner *manner, uint32_t round);
// Applies the limits to group.x: held vertices, rigid bodies, the largest move, floats.
void snag__rounds_settle(snag__rounds *rounds);
// The vertices of a contact's elements, in the numbering of the group: at most 6. Returns how many.
uint32_t snag__contact_vertices(const snag__group *group, const snag_contact *contact, uint32_t vertices[6]);

// rigid.c: the pose that follows the moves of a body's vertices from their present pose, and the positions in that pose. No vertex gets
// farther from home than max_move; 0: no limit.
void snag__rigid_open(snag__rigid *rigid, const double (*home)[3], size_t count);
void snag__rigid_follow(snag__rigid *rigid, const double (*home)[3], double (*x)[3], size_t count, double max_move);

#endif
