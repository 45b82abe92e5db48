// The bodies of a call with all their vertices in one numbering.
#ifndef SNAG_RESPONSE_GROUP_H
#define SNAG_RESPONSE_GROUP_H

#include "base/assert.h"
#include "base/float_env.h"
#include "base/hash_set.h"
#include "snag/response.h"

#include <stdatomic.h>

#define SNAG__NO_BODY UINT32_MAX

typedef struct snag__group {
    const snag_response_body *bodies;
    uint32_t body_count;
    uint32_t vertex_count;
    snag_body_info *infos;  // [body_count]
    uint32_t *first_vertex;  // [body_count + 1]
    uint32_t *body_of;  // by the index of an id: the index into `bodies`, or SNAG__NO_BODY
    uint32_t index_count;
    double (*x)[3];  // copies of the user's positions
    double (*v)[3];  // and velocities
    double *inverse;  // inverse masses; 0: held
} snag__group;

struct snag_response {
    snag_allocator allocator;
    atomic_bool in_call;  // a call is in progress; others are refused
    const char *_Atomic words;  // returned by snag_response_message: `message`, or a static string
    char message[256];
    // Memory kept from call to call.
    snag__buffer infos, first_vertex, body_of, x, v, inverse;  // of snag__group
    snag__buffer rows;
    snag__buffer changes;  // of `apply` and of `untangle`: one value per vertex
    snag__buffer tangle;  // of snag__tangle
    snag__buffer parts;  // of snag__parts
    snag__buffer fix, fix_places, rigid;  // of `fix`
    snag__buffer start, moves, reference, kept, body_free, first_element, parent, resting, fits;  // of snag__step
    snag__hash_set excepted;
    snag__buffer limit, alone, plane_block, planes, plane_lists;  // of snag__safe
    struct snag_candidates *set;
};

// Stores the error message and returns the status.
snag_status snag__response_fail(snag_response *response, snag_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
snag_status snag__response_fail_memory(snag_response *response);

// Every call begins and ends with these. It is refused (SNAG_ERROR_BUSY) while another call of the same response or the same world is
// in progress. `refusal` must be static. Sets the default floating-point environment.
snag_status snag__response_begin(snag_response *response, const snag_world *world, const char *refusal, snag__float_env *callers);
// Returns `status`.
snag_status snag__response_end(snag_response *response, snag__float_env callers, snag_status status);

#define SNAG__RESPONSE_REFUSAL(name)                                                                                               \
    name ": the world or the response is in the middle of another call: callbacks, tasks and other threads must not "              \
         "use them until that has returned"

// snag__rooms_reserve and snag__rooms_carve with an error message.
snag_status snag__response_reserve(snag_response *response, const snag__room *rooms, size_t count);
snag_status snag__response_carve(snag_response *response, snag__buffer *buffer, const snag__room *rooms, size_t count);

// Checks the arguments that all calls have.
snag_status snag__response_check(snag_response *response, const snag_world *world, const snag_response_def *def,
                                 const snag_response_body *bodies, size_t body_count);
// Copies the bodies into the group and checks them: ids, sizes, finite numbers, masses.
snag_status snag__group_gather(snag_response *response, const snag_world *world, const snag_response_body *bodies,
                               size_t body_count, snag__group *group);
// Copies one vector per vertex of a body into an array of the group; NULL: zeros. `what` names them in the message if one is not
// finite.
snag_status snag__group_copy(snag_response *response, const snag__group *group, uint32_t body, const char *what, const double *from,
                             double (*to)[3]);
// Writes positions and velocities of free vertices back to the user's arrays; with `held` also the positions of held vertices.
void snag__group_return(const snag__group *group, bool held);

// The index of a body in the group, or SNAG__NO_BODY.
static inline uint32_t snag__group_find(const snag__group *group, snag_body_id id)
{
    uint32_t index = id.index < group->index_count ? group->body_of[id.index] : SNAG__NO_BODY;
    SNAG__ASSERT(index == SNAG__NO_BODY || index < group->body_count);
    return index != SNAG__NO_BODY && group->bodies[index].body.generation == id.generation ? index : SNAG__NO_BODY;
}

#endif
