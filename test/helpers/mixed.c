#include "helpers/mixed.h"

#include "helpers/test.h"

#include <string.h>

static double coordinate(uint32_t grid, snag__random *random)
{
    return grid > 0 ? (double)snag__random_below(random, grid) : snag__random_unit(random);
}

static bool is_listed(const mixed_body *body, uint32_t v, uint32_t w)
{
    for (uint32_t e = 0; e < body->edge_count; e++)
        if ((body->edges[e][0] == v && body->edges[e][1] == w) || (body->edges[e][0] == w && body->edges[e][1] == v))
            return true;
    return false;
}

static bool is_point(const mixed_body *body, uint32_t v)
{
    for (uint32_t p = 0; p < body->point_count; p++)
        if (body->points[p] == v)
            return true;
    return false;
}

void mixed_make(mixed_body *body, uint32_t grid, snag__random *random)
{
    memset(body, 0, sizeof *body);
    body->vertex_count = 4 + snag__random_below(random, MIXED_VERTICES - 3);
    uint32_t n = body->vertex_count, sort = snag__random_below(random, 4);
    for (uint32_t v = 0; v < n; v++)
        for (int k = 0; k < 3; k++) {
            body->x_t0[v][k] = coordinate(grid, random);
            body->x[v][k] = snag__random_below(random, 4) == 0 ? body->x_t0[v][k] : coordinate(grid, random);
        }
    body->triangle_count = sort == 0 || sort == 1 ? snag__random_below(random, MIXED_ELEMENTS / 2 + 1) : 0;
    body->tet_count = sort == 2 ? snag__random_below(random, MIXED_ELEMENTS / 3 + 1) : 0;
    for (uint32_t t = 0; t < body->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            body->triangles[t][c] = snag__random_below(random, n);
    for (uint32_t k = 0; k < body->tet_count; k++)
        for (int c = 0; c < 4; c++)
            body->tets[k][c] = snag__random_below(random, n);
    for (uint32_t i = snag__random_below(random, MIXED_ELEMENTS + 1); i > 0; i--) {
        // Half of them are chains.
        uint32_t v = body->edge_count > 0 && i % 2 == 0 ? body->edges[body->edge_count - 1][1] : snag__random_below(random, n);
        uint32_t w = snag__random_below(random, n);
        if (v == w || is_listed(body, v, w))
            continue;
        body->edges[body->edge_count][0] = v;
        body->edges[body->edge_count++][1] = w;
    }
    for (uint32_t i = snag__random_below(random, MIXED_ELEMENTS / 2 + 1); i > 0; i--) {
        uint32_t v = snag__random_below(random, n);
        if (!is_point(body, v))
            body->points[body->point_count++] = v;
    }
}

void mixed_thicken(mixed_body *body, double most, snag__random *random)
{
    uint32_t sort = snag__random_below(random, 4);
    body->radius = sort == 1 ? most * 0.125 * snag__random_below(random, 9) : 0;
    body->tapered = sort >= 2;
    for (uint32_t v = 0; v < body->vertex_count; v++)
        body->radii[v] =
            (float)(most * 0.125 * (sort == 3 ? 8 * (snag__random_below(random, 5) == 0) : snag__random_below(random, 9)));
}

snag_body_def mixed_def(const mixed_body *body)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&body->x_t0[0][0], body->vertex_count);
    def.triangles = &body->triangles[0][0];
    def.triangle_count = body->triangle_count;
    def.tets = &body->tets[0][0];
    def.tet_count = body->tet_count;
    def.edges = &body->edges[0][0];
    def.edge_count = body->edge_count;
    def.points = body->points;
    def.point_count = body->point_count;
    def.radius = body->radius;
    def.radii = body->tapered ? body->radii : NULL;
    return def;
}

snag_body_id mixed_add(snag_world *world, const mixed_body *body)
{
    snag_body_def def = mixed_def(body);
    snag_body_id id = {0};
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(&body->x[0][0], body->vertex_count)), SNAG_OK);
    return id;
}
