// How far bodies move, for what is kept from ask to ask: see snag__body.
#include "query/method.h"

#include <math.h>

void snag__body_note_move(snag__body *body, double farthest)
{
    // Neither is a path known that is too long for a number.
    if (!isfinite(body->displacement + farthest))
        body->jumps++;
    else
        body->displacement += farthest;
}

double snag__body_displacement_since(const snag__body *body, double displacement, uint32_t jumps)
{
    // The sums of a long way are rounded now and then.
    return body->jumps == jumps ? (body->displacement - displacement) + 0x1p-40 * body->displacement : INFINITY;
}
