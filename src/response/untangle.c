// Untangling: rounds of pushes (rounds.c) until surfaces do not intersect.
#include "response/rounds.h"
#include "response/vector.h"

#include <string.h>

// After ROUNDS a new attempt starts from the beginning in another manner.
enum { ROUNDS = 100, ATTEMPTS = 4 };
static const snag__manner manners[ATTEMPTS] = {
    {.smoothness = 0.2, .quiet_rounds = 5},
    {.smoothness = 0.1},
    {.smoothness = 0.4},
    {.smoothness = 0.6},
};

// One attempt from the user's positions. Ends early if no intersections are left.
static snag_status make_attempt(snag__rounds *r, const snag__manner *manner, size_t *tangled)
{
    snag_status status = SNAG_OK;
    memcpy(r->group.x, r->home, r->group.vertex_count * sizeof *r->home);
    for (uint32_t round = 0; round < ROUNDS && r->fewest > 0; round++) {
        const snag_answer *answer = NULL;
        status = snag__rounds_ask(r, &answer);
        if (status != SNAG_OK || answer == NULL)
            return status;
        if (r->asks == 1)
            *tangled = answer->count;
        if (answer->count == 0)
            return SNAG_OK;
        status = snag__rounds_push(r, answer, manner, round);
        if (status != SNAG_OK)
            return status;
    }
    return status;
}

static snag_status untangle(snag_response *response, snag_world *world, const snag_response_def *def,
                            const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    snag__rounds r = {.response = response, .world = world};
    snag_status status = snag__response_check(response, world, def, bodies, body_count);
    if (status != SNAG_OK)
        return status;
    r.method = def->method;
    r.seed = def->seed;
    status = snag__rounds_open(&r, bodies, body_count);
    if (status != SNAG_OK)
        return status;
    size_t tangled = 0;
    for (uint32_t attempt = 0; attempt < ATTEMPTS && status == SNAG_OK && r.fewest > 0; attempt++)
        status = make_attempt(&r, &manners[attempt], &tangled);
    memcpy(r.group.x, status == SNAG_OK ? r.best : r.home, r.group.vertex_count * sizeof *r.group.x);
    if (status == SNAG_OK)
        status = snag__rounds_place(&r);
    else
        snag__rounds_place(&r);
    if (status != SNAG_OK)
        return status;
    snag_response_report made = {.asks = r.asks, .search_us = r.search_us, .tangled = tangled, .left = r.fewest};
    for (uint32_t v = 0; v < r.group.vertex_count; v++) {
        double move[3];
        snag__subtract(r.group.x[v], r.home[v], move);
        made.largest_move = fmax(made.largest_move, snag__length(move));
    }
    snag__group_return(&r.group, false);
    if (report != NULL)
        *report = made;
    return SNAG_OK;
}

snag_status snag_response_untangle(snag_response *response, snag_world *world, const snag_response_def *def,
                                   const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    snag__float_env callers;
    snag_status status = snag__response_begin(response, world, SNAG__RESPONSE_REFUSAL("untangle"), &callers);
    if (status != SNAG_OK)
        return status;
    return snag__response_end(response, callers, untangle(response, world, def, bodies, body_count, report));
}
