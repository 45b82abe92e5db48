// Which method answers a question, and why. plan.c holds the whole policy of `auto`.
#ifndef SNAG_QUERY_PLAN_H
#define SNAG_QUERY_PLAN_H

#include "query/kind.h"

// The method of an enum value; NULL for SNAG_METHOD_AUTO.
const snag__method *snag__plan_method(snag_method method);

// Whether a method that has been asked before needs to know how far bodies move.
bool snag__plan_follows_motion(const snag__scratch *scratch);

// Frees the state of all methods.
void snag__plan_free(const snag_allocator *allocator, snag__scratch *scratch);

// Which special bodies there are among those of the world.
typedef struct snag__plan_bodies {
    bool sources;  // bodies that stay on disk
    bool thin;  // bodies with rods or points
    bool thick;  // bodies with a radius that counts in the question
} snag__plan_bodies;

// The method that a question starts with: the named one, or for `auto` the fastest complete one. NULL if there is none.
const snag__method *snag__plan_first(const snag__question *question, snag__plan_bodies bodies);

// Checks that the first method supports all that the question asks for.
snag_status snag__plan_check(const snag__question *question, snag__plan_bodies bodies, snag__words *message);

// Runs the method, and `kdop` if that declines. ask->method and ask->reason say which one answered and why.
snag_status snag__plan_run(snag__ask *ask, snag__plan_bodies bodies);

#endif
