// The world's inside. Public functions are declared in snag/world.h and snag/mesh.h.
#ifndef SNAG_WORLD_INSIDE_H
#define SNAG_WORLD_INSIDE_H

#include "base/clock.h"
#include "base/float_env.h"
#include "base/counted.h"
#include "query/plan.h"
#include "world/track.h"

#include <stdatomic.h>

// A slot for a body. The generation counts who has had it, from the world's own first one on: an id with another is stale, or of
// another world.
typedef struct snag__entry {
    snag__body *body;  // NULL: free
    uint32_t generation;
} snag__entry;

struct snag_world {
    snag_allocator allocator;  // the user's, or malloc
    // The same, with bytes counted by what they are for; `own`: slots of bodies, and threads.
    snag__counted body_memory, method_memory, answer_memory, own_memory;
    snag_log log;
    snag__parallel parallel;
    snag_isa isa;
    snag__clock clock;  // zero, but in tests
    atomic_bool in_call;  // a call is in progress; others are refused

    uint32_t first_generation;  // of bodies; each world has another: see docs/decisions/0004-ids-of-a-world.md
    snag__buffer entries;  // of snag__entry
    uint32_t entry_count;
    uint32_t body_count;
    uint32_t source_count;  // bodies that are sources
    snag__body *moved;  // the first of those that have moved in this step: see snag__body.next_moved
    uint64_t stamp;  // the last one given: see snag__body.pose
    uint64_t element_count;  // of all bodies; contacts are sorted by numbers of 32 bits

    snag__scratch scratch;
    snag__tracks tracks;
    snag_answer answer;
    snag_statistics statistics;  // of the answer
    snag_lab_results lab;
    size_t degenerate;  // that the log was told of
    snag__buffer issues;
    snag_mesh_report report;

    const char *_Atomic words;  // what snag_world_message returns: `message`, or words that are static
    char message[512];
};

// A call in progress.
typedef struct snag__call {
    snag__float_env callers;  // its floating-point environment
} snag__call;

// Every public function that changes the world begins and ends with these. A world is in one call at a time: what its callbacks,
// tasks or other threads ask of it meanwhile is refused (SNAG_ERROR_BUSY) and nothing is touched. `refusal` is static: it may be
// that many threads are refused at once. SNAG_ERROR_ARGUMENT without a world.
snag_status snag__call_begin(snag_world *world, const char *refusal, snag__call *call);
// Hands on the status of the call.
snag_status snag__call_end(snag_world *world, const snag__call *call, snag_status status);

#define SNAG__REFUSAL(name)                                                                                                        \
    name ": the world is in the middle of another call: callbacks, tasks and other threads must not use it until that "            \
         "has returned"

// Keeps a message for the user and returns the status.
snag_status snag__fail(snag_world *world, snag_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// The body of an id, or NULL if it is gone.
snag__body *snag__world_find(const snag_world *world, snag_body_id id);

#endif
