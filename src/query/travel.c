// How far bodies move, for what is kept from ask to ask: see snag__body.
#include "query/method.h"

#include <math.h>

void snag__body_note_move(snag__body *body, double farthest)
{
    // Neither is a path known that is too long for a number.
    if (!isfinite(body->travel + farthest))
        body->jumps++;
    else
        body->travel += farthest;
}

double snag__body_travel_since(const snag__body *body, double travel, uint32_t jumps)
{
    // The sums of a long way are rounded now and then.
    return body->jumps == jumps ? (body->travel - travel) + 0x1p-40 * body->travel : INFINITY;
}
