// How far bodies move, for what is kept from ask to ask: see snag__body.
#include "method/method.h"

#include <math.h>

// The largest coordinate of a difference. Several maxima side by side, so that they are taken by vectors.
static double farthest_apart(const double *a, const double *b, size_t count)
{
    enum { SIDE_BY_SIDE = 8 };
    double most[SIDE_BY_SIDE] = {0};
    size_t i = 0;
    for (; i + SIDE_BY_SIDE <= count; i += SIDE_BY_SIDE)
        for (size_t k = 0; k < SIDE_BY_SIDE; k++) {
            double d = fabs(a[i + k] - b[i + k]);
            most[k] = d > most[k] ? d : most[k];
        }
    for (; i < count; i++)
        most[0] = fmax(most[0], fabs(a[i] - b[i]));
    for (size_t k = 1; k < SIDE_BY_SIDE; k++)
        most[0] = fmax(most[0], most[k]);
    return most[0];
}

void snag__body_note_move(snag__body *body, bool placed)
{
    const snag__mesh *mesh = &body->mesh;
    double farthest = placed ? 0 : farthest_apart(mesh->x_t1[0], mesh->x_t0[0], 3 * (size_t)mesh->vertex_count);
    // The path from where it was put before is not known; neither is one that is too long for a number.
    if (placed || !isfinite(body->travel + farthest))
        body->jumps++;
    else
        body->travel += farthest;
}

double snag__body_travel_since(const snag__body *body, double travel, uint32_t jumps)
{
    // The sums of a long way are rounded now and then.
    return body->jumps == jumps ? (body->travel - travel) + 0x1p-40 * body->travel : INFINITY;
}
