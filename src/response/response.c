// Creating and destroying a response, and its defaults.
#include "base/cookie.h"
#include "response/group.h"
#include "snag/candidates.h"

#include <string.h>

snag_response_def snag_default_response_def(void)
{
    return (snag_response_def){.cookie = SNAG__COOKIE_RESPONSE,
                               .thickness = 1e-3,
                               .friction = 0.3,
                               .correction = 1,
                               .iterations = 8,
                               .rings = 2,
                               .ratio = 1,
                               .rounds = 10,
                               .safe = SNAG_SAFE_HALF_SPACES};
}

snag_status snag_response_create(const snag_allocator *allocator, snag_response **response)
{
    if (response == NULL)
        return SNAG_ERROR_ARGUMENT;
    *response = NULL;
    if (allocator != NULL && (allocator->allocate == NULL) != (allocator->release == NULL))
        return SNAG_ERROR_ARGUMENT;
    bool given = allocator != NULL && allocator->allocate != NULL;
    snag_allocator use = given ? *allocator : snag__default_allocator();
    snag_response *made = snag__allocate(&use, 1, sizeof *made);
    if (made == NULL)
        return SNAG_ERROR_MEMORY;
    memset(made, 0, sizeof *made);
    made->allocator = use;
    atomic_store(&made->words, made->message);
    *response = made;
    return SNAG_OK;
}

void snag_response_destroy(snag_response *response)
{
    if (response == NULL || atomic_load(&response->in_call))
        return;
    snag_allocator allocator = response->allocator;
    snag__buffer *buffers[] = {
        &response->infos,       &response->first_vertex,  &response->body_of,         &response->x,      &response->v,
        &response->inverse,     &response->rows,          &response->changes,         &response->tangle, &response->parts,
        &response->fix,         &response->fix_places,    &response->rigid,           &response->start,  &response->moves,
        &response->reference,   &response->kept,          &response->body_free,       &response->parent, &response->resting,
        &response->fits,        &response->first_element, &response->excepted.memory, &response->limit,  &response->alone,
        &response->plane_block, &response->planes,        &response->plane_lists};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(&allocator, buffers[i]);
    snag_candidates_destroy(response->set);
    snag__release(&allocator, response, 1, sizeof *response);
}

const char *snag_response_message(const snag_response *response)
{
    return response != NULL ? atomic_load(&response->words) : "";
}
