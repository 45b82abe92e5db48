// Shared by the files of `active`: its pairs, its state from step to step, and a step. See active.c for the stages of a step.
#ifndef SNAG_METHOD_ACTIVE_STEP_H
#define SNAG_METHOD_ACTIVE_STEP_H

#include "base/hash_set.h"
#include "base/random.h"
#include "method/active_ratio.h"
#include "method/active_tree.h"
#include "query/body_snapshot.h"

enum {
    SNAG__ACTIVE_QUEUE = 1024,  // candidates that wait for the exact test
    SNAG__ACTIVE_FINISHING = 32,  // the fixed cost of writing an answer, in contacts
};

// A vertex and a triangle, or two edges, of which a is the one with the lower (body, edge).
typedef struct snag__active_pair {
    uint32_t body_a, body_b;  // indices into ask->bodies
    uint32_t a, b;
    float squared;  // their squared distance in the last step
} snag__active_pair;

// Active pairs of one kind: first those that were updated in the last step; from `fresh_from` on `fresh` pairs that were found in it;
// then those that there was no time for.
typedef struct snag__active_list {
    snag__buffer memory;
    size_t count, fresh_from, fresh;
} snag__active_list;

// Candidates of one kind and two bodies that wait for the exact test.
typedef struct snag__active_queue {
    snag__pass pass;
    uint32_t row_body, column_body;
    uint32_t pairs[SNAG__ACTIVE_QUEUE][2];
    size_t count;
} snag__active_queue;

// Edge-edge pairs of the last step that wait for the exact test.
typedef struct snag__active_settling {
    snag__active_queue queue;
    uint64_t keys[SNAG__ACTIVE_QUEUE];
    snag__active_pair pairs[SNAG__ACTIVE_QUEUE];
} snag__active_settling;

// The kinds of pairs.
enum { SNAG__ACTIVE_POINTS, SNAG__ACTIVE_EDGES, SNAG__ACTIVE_KINDS };

// The displacement of a body at the last ask.
typedef struct snag__active_past {
    double displacement;
    uint32_t jumps;
} snag__active_past;

typedef struct snag__active_state {
    snag__body_snapshot snapshot;  // the bodies that pairs refer to
    snag__buffer past;  // by body: snag__active_past
    bool past_known;  // `past` is of the present bodies
    snag__active_list lists[SNAG__ACTIVE_KINDS], next[SNAG__ACTIVE_KINDS];
    snag__buffer vertices;  // by body: number of vertices of the bodies before it, to draw from
    snag__hash_set visited;  // keys of pairs that were near in this step
    snag__buffer met;  // by element number: the step, body and side that a vertex or an edge has met last
    snag__active_tree tree;
    snag__record_list probe;  // contacts of a probe
    snag__buffer sorting, spare;
    uint64_t step;
    uint64_t attempt;  // counts asks, including those that failed
    snag__tally sum, next_sum;  // of a step and, with less weight, of those before
    snag__census all, next_all;
    double found;  // contacts, in the last step
    double settled, next_settled;  // how far clusters have grown since the last jump, 0..1
    double capacity[SNAG__ACTIVE_KINDS];  // pairs that can be updated in a step
    double effort;  // factor by which a target ratio has raised or lowered the work
    double keep;  // the part of the pairs that is kept, for a target ratio
    double confirm_ns, finish_ns;  // recent cost of a candidate and of a contact
    double grow_ns, start_ns, probe_ns;  // recent cost of a unit of these stages
    snag__active_queue queues[SNAG__ACTIVE_KINDS];  // of the step
    snag__active_settling settling;
} snag__active_state;

// One ask.
typedef struct snag__active_step {
    snag__ask *ask;
    snag__active_state *state;
    snag__random random;
    size_t queue_size;
    double contact2, near2;  // squared distances of contacts, and of pairs that are kept
    size_t updated[SNAG__ACTIVE_KINDS];  // pairs of the last step that were updated
    double capacity[SNAG__ACTIVE_KINDS];  // how many can be updated, ignoring steps in which the machine stalled
    size_t fresh[SNAG__ACTIVE_KINDS];  // pairs at the front of `next` that were new in the last step
    size_t survivors[SNAG__ACTIVE_KINDS];  // pairs at the front of `next` that are from the last step
    uint32_t wanted_a, wanted_b;  // the last answer of the filter
    bool wanted;
    bool failed;  // out of memory
    bool combined;
    double memory;  // weight of earlier steps in the ratio, 0..1
    uint64_t budget_ns;  // 0: none
    uint32_t new_pairs, landed, landed_known;
} snag__active_step;

static inline const snag__mesh *snag__active_mesh_of(const snag__active_step *s, uint32_t body)
{
    SNAG__ASSERT(body < s->ask->body_count);
    return &s->ask->bodies[body]->mesh;
}

// ---- the state (active_state.c) ----

// NULL if there is no memory.
snag__active_state *snag__active_state_of(snag__ask *ask);
void snag__active_free(const snag_allocator *allocator, snag__buffer *memory);
// Updates the state for bodies that were added and removed. False if there is no memory.
bool snag__active_meet_bodies(snag__ask *ask, snag__active_state *state);

// An upper bound on how far any vertex has moved along an axis since the last ask; INFINITY if unknown.
double snag__active_moved(const snag__ask *ask, const snag__active_state *state);
// Remembers the displacements of all bodies, once the answer is complete.
void snag__active_note_past(const snag__ask *ask, snag__active_state *state);

// ---- time (active_state.c): a budget is shared out among the stages of a step ----

bool snag__active_in_time(const snag__active_step *s, double share);
// Where a stage ends that may use `part` of the budget, but nothing beyond `share`.
double snag__active_share_of(const snag__active_step *s, double share, double end);
// A cost follows its measurements quickly up and slowly down, since an estimate that is too low breaks the budget; but a single
// measurement never doubles it, since most outliers are stalls of the machine.
void snag__active_learn(double *cost, double measured);
// Whether there is time for one more unit of work of a stage. Measures the cost of the last one.
bool snag__active_has_time_for(const snag__active_step *s, double *unit_ns, double share, uint64_t *began_us);

// ---- the ratio (active_estimate.c) ----

// How many new pairs a step starts, for this effort.
double snag__active_wanted_pairs(const snag__active_step *s, double effort);
void snag__active_set_ratio(snag__ask *ask, snag__ratio ratio);
// Combined: probes leaves, spread evenly over the frontier, and sets the ratio.
void snag__active_estimate(snag__active_step *s, double share);
// Raises or lowers the effort until about the target ratio is found, and drops pairs if more is found. While the number of contacts
// grows from step to step, the effort is lowered before the target is reached.
void snag__active_adapt(const snag__ask *ask, snag__active_state *state, double found_before);

// Appends a pair to those that the next step starts with (active.c).
void snag__active_append(snag__active_step *s, int kind, const snag__active_pair *p);

#endif
