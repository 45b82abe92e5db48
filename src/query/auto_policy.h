// What `auto` remembers of earlier asks: see plan.c, where it is decided.
#ifndef SNAG_QUERY_AUTO_POLICY_H
#define SNAG_QUERY_AUTO_POLICY_H

#include "snag/question.h"

// What asks have in common whose work may be compared: what one has cost says nothing about another case.
typedef struct snag__auto_case {
    bool by_auto;  // else `regularity` is asked for by name
    bool swept, self, between;
    uint32_t directions;
    bool (*filter)(void *context, snag_body_id a, snag_body_id b);
    void *context;  // of the filter
} snag__auto_case;

// Asks of one case that go to `regularity` or to `kdop`.
typedef struct snag__auto_entry {
    snag__auto_case of;
    uint64_t used;  // when it was looked at last; 0: never
    bool begun;
    bool tried;  // the surfaces looked smooth, and no search since has shown otherwise
    uint64_t bodies;  // which these are about
    uint32_t left;  // asks that `kdop` is still to answer
    uint32_t asks;  // half of what it is given the next time
    size_t pairs;  // candidates that it had in the last of them
    double cost;  // of the search after which it was handed over to, until it has answered; else 0
} snag__auto_entry;

// Cases that are told apart: the one that was not asked for the longest time makes room for a new one.
enum { SNAG__AUTO_CASES = 8 };

typedef struct snag__auto_policy {
    snag__auto_entry entries[SNAG__AUTO_CASES];
    uint64_t used;  // counts looks at these
} snag__auto_policy;

#endif
