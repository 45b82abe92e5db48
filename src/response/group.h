// The bodies of a call with all their vertices in one numbering: what every part of the response works on.
#ifndef SNAG_RESPONSE_GROUP_H
#define SNAG_RESPONSE_GROUP_H

#include "base/float_env.h"
#include "base/hash_set.h"
#include "snag/response.h"

#include <stdatomic.h>

#define SNAG__NO_BODY UINT32_MAX

typedef struct snag__group {
    const snag_response_body *bodies;
    uint32_t body_count;
    uint32_t vertex_count;
    snag_body_info *infos;  // of each body
    uint32_t *first_vertex;  // of each body, and the end
    uint32_t *body_of;  // by the index of an id: the place in `bodies`, or SNAG__NO_BODY
    uint32_t index_count;
    double (*x)[3];  // copies of the user's positions
    double (*v)[3];  // and velocities
    double *inverse;  // masses; 0: held
} snag__group;

struct snag_response {
    snag_allocator allocator;
    atomic_bool in_call;  // a call is in progress; others are refused
    const char *_Atomic words;  // what snag_response_message returns: `message`, or words that are static
    char message[256];
    // What a call gathers, kept for the next one.
    snag__buffer infos, first_vertex, body_of, x, v, inverse;
    snag__buffer rows, moved, rank;
    // Of a step in the making.
    snag__buffer start, moves, reference, kept, body_free, first_element, parent, resting, fits;
    snag__hash_set excepted;
    // Of a tangle.
    snag__buffer piercings, crossings, contours, records, orders, body_words, closed, pierced, vertex_words, tally;
};

// Keeps a message and returns the status.
snag_status snag__response_fail(snag_response *response, snag_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
snag_status snag__response_fail_memory(snag_response *response);

// Every call begins and ends with these, as those of the world do: one is refused (SNAG_ERROR_BUSY) while another of the same
// response or of the same world is in progress. `refusal` is static. Sets the default floating-point environment.
snag_status snag__response_begin(snag_response *response, const snag_world *world, const char *refusal, snag__float_env *callers);
// Hands on the status of the call.
snag_status snag__response_end(snag_response *response, snag__float_env callers, snag_status status);

#define SNAG__RESPONSE_REFUSAL(name)                                                                                               \
    name ": the world or the response is in the middle of another call: callbacks, tasks and other threads must not "              \
         "use them until that has returned"

// Makes room for what a call needs in the response's buffers. Keeps a message if memory is short.
snag_status snag__response_reserve(snag_response *response, const snag__room *rooms, size_t count);

// Checks what every call is given.
snag_status snag__response_check(snag_response *response, const snag_world *world, const snag_response_def *def,
                                 const snag_response_body *bodies, size_t body_count);
// Copies the bodies together and checks them: ids, sizes, finite numbers, masses.
snag_status snag__group_gather(snag_response *response, const snag_world *world, const snag_response_body *bodies,
                               size_t body_count, snag__group *group);
// Copies one vector for each vertex of a body to its place, zeros for NULL. `what` names them if one is not finite.
snag_status snag__group_copy(snag_response *response, const snag__group *group, uint32_t body, const char *what, const double *from,
                             double (*to)[3]);
// Gives the user his positions and velocities back. Of held vertices nothing is written, or their positions with
// `held`.
void snag__group_return(const snag__group *group, bool held);

// The place of a body in the group, or SNAG__NO_BODY.
static inline uint32_t snag__group_find(const snag__group *group, snag_body_id id)
{
    uint32_t place = id.index < group->index_count ? group->body_of[id.index] : SNAG__NO_BODY;
    return place != SNAG__NO_BODY && group->bodies[place].body.generation == id.generation ? place : SNAG__NO_BODY;
}

#endif
