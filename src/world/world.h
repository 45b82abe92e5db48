// The world's inside. Public functions are declared in snag/world.h and snag/mesh.h.
#ifndef SNAG_WORLD_INSIDE_H
#define SNAG_WORLD_INSIDE_H

#include "method/method.h"
#include "world/track.h"

// A place for a body. The generation counts who has had it; an id with an older one is stale.
typedef struct snag__place {
    snag__body *body;  // NULL: free
    uint32_t generation;
} snag__place;

struct snag_world {
    snag_allocator allocator;
    snag_log log;
    snag__parallel parallel;
    snag_isa isa;

    snag__buffer places;  // of snag__place
    uint32_t place_count;
    uint32_t body_count;
    uint32_t source_count;   // bodies that are sources
    uint64_t element_count;  // of all bodies; contacts are sorted by numbers of 32 bits

    snag__scratch scratch;
    snag__tracks tracks;
    snag_answer answer;
    snag__buffer issues;
    snag_mesh_report report;

    char message[512];
};

// Keeps a message for the user and returns the status.
snag_status snag__fail(snag_world *world, snag_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The body of an id, or NULL if it is gone.
snag__body *snag__world_find(const snag_world *world, snag_body_id id);

#endif
