// Who answers a question, and why: the whole policy of `auto` is in plan.c.
#ifndef SNAG_QUERY_PLAN_H
#define SNAG_QUERY_PLAN_H

#include "query/kind.h"

// A method by its name; NULL for auto.
const snag__method *snag__plan_method(snag_method method);

// Whether some method that was asked needs to know how far bodies move.
bool snag__plan_follows_motion(const snag__scratch *scratch);

// Frees what all methods keep.
void snag__plan_free(const snag_allocator *allocator, snag__scratch *scratch);

// The method that a question starts with: the one asked for, or for `auto` the fastest that answers completely. NULL if there is none.
// `sources`: there are bodies that stay on disk.
const snag__method *snag__plan_first(const snag__question *question, bool sources);

// Checks that the first method can do what is asked, in the form in which it is asked.
snag_status snag__plan_check(const snag__question *question, bool sources, snag__words *message);

// Runs the method, and the next one where it declines. ask->method and ask->reason say who answered and why.
snag_status snag__plan_run(snag__ask *ask, bool sources);

#endif
