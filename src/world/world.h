// The world's inside. Public functions are declared in snag/world.h and snag/mesh.h.
#ifndef SNAG_WORLD_INSIDE_H
#define SNAG_WORLD_INSIDE_H

#include "base/clock.h"
#include "base/float_env.h"
#include "base/counted.h"
#include "mesh/edit.h"
#include "query/plan.h"
#include "world/places.h"
#include "world/queries.h"
#include "world/track.h"

#include <stdatomic.h>

// A slot for a body. The generation counts its bodies, starting at world->first_generation: an id with another generation is stale
// or belongs to another world.
typedef struct snag__entry {
    snag__body *body;  // NULL: free
    uint32_t generation;
} snag__entry;

struct snag_world {
    snag_allocator allocator;  // the user's, or malloc
    // The same, each counting the bytes of one purpose; `own`: slots of bodies, and threads.
    snag__counted body_memory, method_memory, answer_memory, own_memory;
    snag_log log;
    snag__parallel parallel;
    snag_isa isa;
    snag__clock clock;  // zero except in tests
    atomic_bool in_call;  // a call is in progress; others are refused

    uint64_t serial;  // of all worlds of the process
    uint32_t first_generation;  // of bodies; each world has its own: see docs/decisions/0004-ids-of-a-world.md
    snag__buffer entries;  // of snag__entry
    uint32_t entry_count;
    uint32_t body_count;
    uint32_t source_count;  // bodies that are sources
    uint32_t thin_count;  // bodies with rods or points
    uint32_t thick_count;  // bodies with a radius
    uint32_t unlinked_count;  // bodies without links: see snag__mesh_link
    snag__body *moved;  // list of the bodies that have moved in this step: see snag__body.next_moved
    uint64_t stamp;  // the last one given out: see snag__body.pose
    uint64_t element_count;  // of all bodies; at most 2^32 - 1, since keys of contacts hold 32-bit numbers

    struct snag_exclusions *exclusions;  // all of them, a list

    snag__scratch scratch;
    snag__tracks tracks;
    snag__edited edited, next_edited;  // the last edit, whose arrays its map points to; and memory for the next
    snag__places places;
    snag__queries queries;
    snag_answer answer;
    snag_statistics statistics;  // of the answer
    snag_lab_results lab;
    size_t degenerate;  // elements that the log was last told of
    snag__buffer issues;
    snag_mesh_report report;

    const char *_Atomic words;  // returned by snag_world_message: `message`, or a static string
    char message[512];
};

// A call in progress.
typedef struct snag__call {
    snag__float_env callers;  // the caller's floating-point environment
} snag__call;

// Every public function that changes the world begins and ends with these. A world runs one call at a time: calls from callbacks,
// tasks or other threads meanwhile are refused with SNAG_ERROR_BUSY and change nothing. `refusal` must be static, since several
// threads may be refused at once. SNAG_ERROR_ARGUMENT if world is NULL.
snag_status snag__call_begin(snag_world *world, const char *refusal, snag__call *call);
// The same for calls that look at no neighbours. snag__call_begin also makes the links that bodies lack, which may fail without memory.
snag_status snag__call_begin_unlinked(snag_world *world, const char *refusal, snag__call *call);
// Makes the links that bodies lack. False without memory.
bool snag__world_link(snag_world *world);
// Returns `status`.
snag_status snag__call_end(snag_world *world, const snag__call *call, snag_status status);

#define SNAG__REFUSAL(name)                                                                                                        \
    name ": the world is in the middle of another call: callbacks, tasks and other threads must not use it until that "            \
         "has returned"

// Stores the error message and returns the status.
snag_status snag__fail(snag_world *world, snag_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

bool snag__world_has_exclusions(const snag_world *world, const struct snag_exclusions *exclusions);

// Checks groups, masks and rest pose of a def and copies them. On failure nothing is kept.
snag_status snag__body_attributes_read(const snag_body_def *def, const snag_allocator *allocator, snag__body *body,
                                       snag__mesh_error *error);
// The attributes of a body after an edit: those of old vertices, and for new ones those of the edit. `to` has the edited mesh.
snag_status snag__body_attributes_edit(const snag__body *from, const snag__edited *edited, const snag_allocator *allocator,
                                       snag__body *to, snag__mesh_error *error);
void snag__body_attributes_free(const snag_allocator *allocator, snag__body *body);
snag_status snag__fail_memory(snag_world *world);
// Says what is wrong with an id that names no body.
snag_status snag__fail_body(snag_world *world, snag_body_id id);

// The body with this id, or NULL if there is none.
snag__body *snag__world_find(const snag_world *world, snag_body_id id);

#endif
