// Queries about points and rays, judged by every element of every body, one after the other: without trees, lists and kernels.
#include "geom/crossing.h"
#include "geom/distance.h"
#include "geom/geom.h"
#include "geom/ray.h"
#include "torture.h"

#include <math.h>
#include <string.h>

enum { PROBES = 12 };

// The bodies as a fresh world has them.
typedef struct probe_bodies {
    snag_world *world;
    snag_body_id ids[TORTURE_BODIES];
    torture_body *alive[TORTURE_BODIES];
    snag_body_info info[TORTURE_BODIES];
    uint32_t count;
} probe_bodies;

static bool open_bodies(torture_life *life, probe_bodies *b)
{
    b->count = torture_alive(life, b->alive);
    if (b->count == 0 || torture_has_source(life))
        return false;
    b->world = torture_fresh_world(life, b->ids);
    for (uint32_t i = 0; i < b->count; i++)
        if (snag_world_body(b->world, b->ids[i], &b->info[i]) != SNAG_OK)
            torture_fail(life, "probe", "the fresh world does not know a body");
    return true;
}

static const double *vertex_of(const probe_bodies *b, uint32_t body, uint32_t v)
{
    return b->alive[body]->t1 + 3 * (size_t)v;
}

static bool corners_of(const probe_bodies *b, uint32_t body, size_t t, const double *x[3])
{
    for (size_t c = 0; c < 3; c++)
        x[c] = vertex_of(b, body, b->info[body].triangles[3 * t + c]);
    return !snag__is_collinear(x[0], x[1], x[2]);
}

// A point near the bodies: a vertex, or between two of them, or beside.
static void choose_point(const probe_bodies *b, snag__random *random, double p[3])
{
    const double *at[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        for (int tries = 0; at[i] == NULL && tries < 20; tries++) {
            uint32_t body = snag__random_below(random, b->count);
            if (b->info[body].vertex_count > 0)
                at[i] = vertex_of(b, body, snag__random_below(random, (uint32_t)b->info[body].vertex_count));
        }
    uint32_t pick = snag__random_below(random, 4);
    double part = pick == 0 ? 0 : pick == 1 ? 0.5 : snag__random_range(random, -0.5, 1.5);
    for (int k = 0; k < 3; k++) {
        p[k] = at[0] == NULL || at[1] == NULL ? 0 : at[0][k] * (1 - part) + at[1][k] * part;
        if (!isfinite(p[k]))
            p[k] = at[0][k];
    }
}

// ---- closest ----

typedef struct found {
    bool any;
    uint32_t body, element;
    snag_element_kind kind;
    snag__distance distance;
} found;

static void offer(found *best, const double p[3], const double *const x[3], uint32_t body, snag_element_kind kind, uint32_t element)
{
    snag__distance one;
    snag__vertex_triangle_distance(p, x, &one);
    if (best->any && snag__features_compare(&one.features, &one.gap, &best->distance.features, &best->distance.gap) >= 0)
        return;
    *best = (found){true, body, element, kind, one};
}

// A point at which an edge ends is found as a part of what has the edge.
static bool has_edges(const snag_body_info *info, uint32_t vertex)
{
    for (size_t i = 0; i < 2 * info->edge_count; i++)
        if (info->edges[i] == vertex)
            return true;
    return false;
}

static found closest_of_all(const probe_bodies *b, const double p[3])
{
    found best = {0};
    for (uint32_t body = 0; body < b->count; body++) {
        const snag_body_info *info = &b->info[body];
        const double *x[3];
        for (size_t t = 0; t < info->triangle_count; t++)
            if (corners_of(b, body, t, x))
                offer(&best, p, x, body, SNAG_TRIANGLE, (uint32_t)t);
        for (size_t r = 0; r < info->rod_count; r++) {
            x[0] = vertex_of(b, body, info->edges[2 * (size_t)info->rods[r]]);
            x[1] = x[2] = vertex_of(b, body, info->edges[2 * (size_t)info->rods[r] + 1]);
            offer(&best, p, x, body, SNAG_EDGE, info->rods[r]);
        }
        for (size_t i = 0; i < info->point_count; i++) {
            if (has_edges(info, info->points[i]))
                continue;
            x[0] = x[1] = x[2] = vertex_of(b, body, info->points[i]);
            offer(&best, p, x, body, SNAG_VERTEX, info->points[i]);
        }
        bool cloud = info->triangle_count == 0 && info->tet_count == 0 && info->rod_count == 0 && info->point_count == 0;
        for (uint32_t v = 0; v < info->vertex_count && cloud; v++) {
            x[0] = x[1] = x[2] = vertex_of(b, body, v);
            offer(&best, p, x, body, SNAG_VERTEX, v);
        }
    }
    return best;
}

static void judge_closest(torture_life *life, const probe_bodies *b, const double p[3], const snag_closest *is)
{
    found right = closest_of_all(b, p);
    if ((is->body.index != 0) != right.any)
        torture_fail(life, "closest", "a closest point is there or is not: %d", right.any);
    if (!right.any)
        return;
    if (is->body.index != b->alive[right.body]->id.index || is->element.index != right.element || is->element.kind != right.kind ||
        memcmp(&is->distance, &right.distance.gap.distance, sizeof is->distance) != 0)
        torture_fail(life, "closest", "point %.17g %.17g %.17g: body %u element %d:%u at %.17g, not body %u element %d:%u at %.17g",
                     p[0], p[1], p[2], is->body.index, (int)is->element.kind, is->element.index, is->distance,
                     b->alive[right.body]->id.index, (int)right.kind, right.element, right.distance.gap.distance);
}

static void probe_points(torture_life *life, const probe_bodies *b, snag__random *random)
{
    double p[PROBES][3];
    snag_closest results[PROBES];
    snag_closest_def def = snag_default_closest_def();
    for (int i = 0; i < PROBES; i++)
        choose_point(b, random, p[i]);
    torture_say(life, "closest points of %u bodies", b->count);
    torture_arm(life, random);
    snag_status status = snag_world_closest(life->world, &def, snag_positions_f64(p[0], PROBES), results, NULL);
    if (!torture_worked(life, status, torture_disarm(life), "closest"))
        return;
    for (int i = 0; i < PROBES; i++)
        judge_closest(life, b, p[i], &results[i]);
}

// ---- rays ----

static void judge_hit(torture_life *life, const probe_bodies *b, const snag_ray *from, const snag_hit *is)
{
    snag__ray ray = snag__ray_make(from->origin, from->direction, true, from->limit);
    snag__ray_hit best = {0}, one;
    const double *best_x[3], *x[3];
    bool any = false;
    uint32_t best_body = 0, best_triangle = 0;
    for (uint32_t body = 0; body < b->count; body++)
        for (size_t t = 0; t < b->info[body].triangle_count; t++) {
            if (!corners_of(b, body, t, x) || !snag__ray_meets(&ray, x, &one) ||
                (any && snag__ray_compare(&ray, x, &one, best_x, &best) >= 0))
                continue;
            any = true;
            best = one;
            memcpy(best_x, x, sizeof x);
            best_body = body;
            best_triangle = (uint32_t)t;
        }
    if ((is->body.index != 0) != any || (any && (is->body.index != b->alive[best_body]->id.index || is->triangle != best_triangle)))
        torture_fail(life, "cast", "segment %.17g %.17g %.17g - %.17g %.17g %.17g: body %u triangle %u, not body %u triangle %u",
                     from->origin[0], from->origin[1], from->origin[2], from->direction[0], from->direction[1], from->direction[2],
                     is->body.index, is->triangle, any ? b->alive[best_body]->id.index : 0, best_triangle);
}

static void probe_segments(torture_life *life, const probe_bodies *b, snag__random *random)
{
    snag_ray rays[PROBES];
    snag_hit hits[PROBES];
    snag_cast_def def = snag_default_cast_def();
    uint32_t count = 0;
    def.segments = true;
    for (int i = 0; i < PROBES; i++) {
        choose_point(b, random, rays[count].origin);
        choose_point(b, random, rays[count].direction);
        rays[count].limit = torture_chance(random, 0.2) ? 0.5 : 1;
        const double *o = rays[count].origin, *d = rays[count].direction;
        count += o[0] != d[0] || o[1] != d[1] || o[2] != d[2];
    }
    torture_say(life, "segments against %u bodies", b->count);
    torture_arm(life, random);
    snag_status status = snag_world_cast(life->world, &def, rays, count, hits, NULL);
    if (!torture_worked(life, status, torture_disarm(life), "cast"))
        return;
    for (uint32_t i = 0; i < count; i++)
        judge_hit(life, b, &rays[i], &hits[i]);
}

// ---- inside ----

static snag_side side_of(const probe_bodies *b, uint32_t body, const double p[3], bool oriented)
{
    const snag_body_info *info = &b->info[body];
    int64_t winding = 0;
    uint64_t crossings = 0;
    for (size_t t = 0; t < info->triangle_count; t++) {
        const double *x[3];
        if (!corners_of(b, body, t, x))
            continue;
        if (snag__point_on_triangle(p, x))
            return SNAG_SIDE_ON;
        int crossing = snag__ray_crossing(p, 1, true, x);
        winding += crossing;
        crossings += crossing != 0;
    }
    for (size_t k = 0; k < info->tet_count; k++) {
        const double *tet[4];
        for (size_t c = 0; c < 4; c++)
            tet[c] = vertex_of(b, body, info->tets[4 * k + c]);
        if (snag__point_in_tet(p, tet))
            return SNAG_SIDE_INSIDE;
    }
    if (info->tet_count > 0)
        return SNAG_SIDE_OUTSIDE;
    return (oriented ? winding != 0 : (crossings & 1) != 0) ? SNAG_SIDE_INSIDE : SNAG_SIDE_OUTSIDE;
}

static void probe_sides(torture_life *life, const probe_bodies *b, snag__random *random)
{
    uint32_t body = snag__random_below(random, b->count);
    double p[PROBES][3];
    snag_side sides[PROBES];
    snag_enclosure enclosure;
    for (int i = 0; i < PROBES; i++)
        choose_point(b, random, p[i]);
    torture_say(life, "what body %u/%u contains", b->alive[body]->id.index, b->alive[body]->id.generation);
    if (snag_world_enclosure(b->world, b->ids[body], &enclosure) != SNAG_OK)
        torture_fail(life, "contains", "no enclosure: %s", snag_world_message(b->world));
    bool encloses = enclosure.volume || enclosure.closed;
    torture_arm(life, random);
    snag_status status = snag_world_contains(life->world, b->alive[body]->id, snag_positions_f64(p[0], PROBES), sides);
    bool starved = torture_disarm(life);
    if (!encloses && !starved && status != SNAG_ERROR_UNSUPPORTED)
        torture_fail(life, "contains", "an open body was not refused: %s", snag_status_name(status));
    if (!encloses || !torture_worked(life, status, starved, "contains"))
        return;
    for (int i = 0; i < PROBES; i++) {
        snag_side right = side_of(b, body, p[i], enclosure.oriented);
        if (sides[i] != right)
            torture_fail(life, "contains", "point %.17g %.17g %.17g: %s, not %s", p[i][0], p[i][1], p[i][2],
                         snag_side_name(sides[i]), snag_side_name(right));
    }
}

void torture_probe(torture_life *life, snag__random *random)
{
    static void (*const probes[])(torture_life * life, const probe_bodies *b, snag__random *random) = {probe_points, probe_segments,
                                                                                                       probe_sides};
    uint32_t what = snag__random_below(random, 3);
    probe_bodies b = {0};
    if (!open_bodies(life, &b))
        return;
    probes[what](life, &b, random);
    snag_world_destroy(b.world);
}
