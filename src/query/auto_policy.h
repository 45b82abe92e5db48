// What `auto` remembers of earlier asks. The decisions are in plan.c.
#ifndef SNAG_QUERY_AUTO_POLICY_H
#define SNAG_QUERY_AUTO_POLICY_H

#include "snag/question.h"

// Asks whose costs are comparable agree in these.
typedef struct snag__auto_case {
    bool by_auto;  // else the question names `regularity`
    bool swept, self, between;
    uint32_t directions;
    bool (*filter)(void *context, snag_body_id a, snag_body_id b);
    void *context;  // of the filter
} snag__auto_case;

// The choice between `regularity` and `kdop` for asks of one case.
typedef struct snag__auto_entry {
    snag__auto_case of;
    uint64_t used;  // tick of the last use; 0: never
    bool begun;
    bool tried;  // the surfaces looked smooth, and no search since has shown otherwise
    uint64_t bodies;  // hash of the bodies that were asked about
    uint32_t left;  // asks that `kdop` still answers
    uint32_t asks;  // half of the asks that `kdop` gets the next time
    size_t pairs;  // candidates in the last ask of `kdop`
    double cost;  // of the `regularity` search that handed over to `kdop`, until `kdop` has answered once; else 0
} snag__auto_entry;

// Cases remembered: a new one replaces the least recently used.
enum { SNAG__AUTO_CASES = 8 };

typedef struct snag__auto_policy {
    snag__auto_entry entries[SNAG__AUTO_CASES];
    uint64_t used;  // the last tick
} snag__auto_policy;

#endif
