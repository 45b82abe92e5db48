// Triangles of zero area, which take part in no pair.
#include "geom/zero_area.h"
#include "query/plan.h"

// In worlds that note how far bodies move, a body whose triangles are all wide needs no count for a while.
size_t snag__count_degenerate(const snag__ask *ask, snag__body *body)
{
    snag__mesh *mesh = &body->mesh;
    bool follows = snag__plan_follows_motion(ask->scratch);
    if (body->degenerate_pose == body->pose)
        return body->degenerate;
    if (!follows ||
        snag__body_displacement_since(body, body->zero_area_displacement, body->zero_area_jumps) >= body->zero_area_slack) {
        double width;
        body->degenerate = snag__count_zero_area((const double(*)[3])mesh->x_t1, (const uint32_t(*)[3])mesh->triangles,
                                                 mesh->triangle_count, ask->parallel, ask->isa, &width);
        // Each corner may move by sqrt(3) times the way along an axis, and the width changes by twice that.
        body->zero_area_slack = follows ? 0.28 * width : 0;
        body->zero_area_displacement = body->displacement;
        body->zero_area_jumps = body->jumps;
    }
    body->degenerate_pose = body->pose;
    mesh->has_area = body->degenerate == 0;
    return body->degenerate;
}
