// Sets of candidates: how they are kept, made from the records of a search, and asked. See snag/candidates.h.
#ifndef SNAG_QUERY_CANDIDATES_H
#define SNAG_QUERY_CANDIDATES_H

#include "query/clearance.h"
#include "query/method.h"
#include "snag/candidates.h"

// Pairs of one kind and of the same two bodies, which follow each other in a list.
typedef struct snag__candidate_run {
    uint32_t body_a, body_b;  // slots, as in snag_candidate
    size_t first;
} snag__candidate_run;

// A body as it was when a set was made.
typedef struct snag__candidate_body {
    snag_body_id id;
    uint32_t vertex_count;
    uint64_t topology;  // stamp of its elements
    bool moves;  // from t0 to t1
    size_t first;  // its positions among those of the ground: at t0, followed by those at t1 if it moves
} snag__candidate_body;

// What a set was made for: a collected one holds near these positions.
typedef struct snag__candidate_ground {
    bool anywhere;  // of pairs given by the caller: the bodies must be there, wherever they are
    double allowed;  // how far vertices may stray
    bool narrow;  // which is no farther than what roundings take
    uint32_t body_count;
    snag__candidate_body *bodies;  // in the order of their ids
    double (*x)[3];
    size_t vertex_count;  // of x
    uint32_t far_body;  // index into bodies: whose vertex moves farthest
    uint32_t far_vertex;  // UINT32_MAX: none moves
    snag__buffer memory;
    struct snag__candidate_ground *next;  // of sets that were merged
} snag__candidate_ground;

// Lists of all kinds, one after the other, and the runs of each.
typedef struct snag__candidate_lists {
    snag__buffer memory, run_memory;
    snag_candidate *items;
    size_t start[SNAG_CANDIDATE_KIND_COUNT + 1];
    snag__candidate_run *runs;
    size_t run_start[SNAG_CANDIDATE_KIND_COUNT + 1];
} snag__candidate_lists;

struct snag_candidates {
    snag_allocator allocator;
    uint64_t world;  // its serial number
    bool collected;  // a question may ask no more than the fields below
    bool dropped;  // some pairs were dropped since
    bool self, between, search_if_stale;
    double distance;
    snag_filter filter;  // zero: none
    snag__candidate_ground *grounds;
    snag__candidate_ground *spare_ground;  // memory of the ground before this
    snag__candidate_lists lists;
    snag__candidate_lists spare;  // memory of the lists before these
    snag__clearance clearance;  // of the pairs of the lists, in the asks so far
};

// Whether the answer from a set is that of a search.
static inline bool snag__candidates_complete(const snag_candidates *set)
{
    return set->collected && !set->dropped;
}

// The kinds of elements on both sides.
snag_element_kind snag__candidate_side(snag_candidate_kind kind, bool b);

// Fills `lists` from sorted records whose keys are two element numbers of one of the kinds; `spare` has room for as many pairs. False if there is no memory.
bool snag__candidates_take(const snag_allocator *allocator, const snag__ask *ask, const snag__record *records, size_t count,
                           snag_candidate *spare, snag__candidate_lists *lists);
// Makes room for pairs.
bool snag__candidates_reserve(const snag_allocator *allocator, snag__candidate_lists *lists, size_t count);
// Finds the runs of the lists. False if there is no memory.
bool snag__candidates_find_runs(const snag_allocator *allocator, snag__candidate_lists *lists);
// The order of pairs in a list.
int snag__candidate_order(const snag_candidate *x, const snag_candidate *y);

// The method that answers from ask->def->set.
extern const snag__method snag__from_candidates;

#endif
