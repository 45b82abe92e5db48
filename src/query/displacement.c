// Bounds on how far bodies move, for data that methods keep from ask to ask: see snag__body.
#include "query/method.h"

#include <math.h>

void snag__body_note_move(snag__body *body, double farthest)
{
    SNAG__ASSERT(farthest >= 0);
    // A path whose length overflows counts as unknown too.
    if (!isfinite(body->displacement + farthest))
        body->jumps++;
    else
        body->displacement += farthest;
}

double snag__body_displacement_since(const snag__body *body, double displacement, uint32_t jumps)
{
    SNAG__ASSERT(jumps <= body->jumps && (jumps < body->jumps || displacement <= body->displacement));
    // 2^-40 of the path covers the rounding of 2^13 moves since then.
    return body->jumps == jumps ? (body->displacement - displacement) + 0x1p-40 * body->displacement : INFINITY;
}
