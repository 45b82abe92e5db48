// Asks and sets of candidates share how a search begins, and whether a set suits a question.
#ifndef SNAG_WORLD_COLLECT_H
#define SNAG_WORLD_COLLECT_H

#include "query/candidates.h"
#include "world/world.h"

// Fills in an ask, with all bodies and empty record lists. False if there is no memory.
bool snag__ask_begin(snag_world *world, const snag__question *question, snag__ask *ask);

// An empty set of this world; NULL if there is no memory.
snag_candidates *snag__set_make(const snag_world *world);
// Makes lists and ground from the records of an ask, aside of those that the set has. SNAG_ERROR_MEMORY leaves these as they were.
snag_status snag__set_take(snag_candidates *set, snag__ask *ask);
// Takes what was made aside, as pairs of the caller. What was there before is kept as memory for the next time.
void snag__set_commit(snag_world *world, snag_candidates *set);

// Whether the question of an ask can be answered from its set: SNAG_OK, or another status with a message. Notes ask->set_times.
snag_status snag__candidates_suit(snag_world *world, snag__ask *ask);

// The positions of all bodies of an ask as ground of a set. False if there is no memory.
bool snag__ground_make(const snag_allocator *allocator, const snag__ask *ask, snag__candidate_ground *ground);
// Fails with SNAG_ERROR_BODY or SNAG_ERROR_STALE unless the set's bodies are those of the world, and near its ground. `moving`: at t0 too.
// times[0..1] get the times of the recorded move at which positions at t0 (if moving) and t1 are near it; of several grounds, of the last.
snag_status snag__ground_check(snag_world *world, const snag__ask *ask, const snag_candidates *set, bool moving, double times[2]);
void snag__ground_free(const snag_allocator *allocator, snag__candidate_ground *ground);

#endif
