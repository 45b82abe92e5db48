// Half-spaces that let vertices slide and separate.
// Divide and truncate: each two elements that are close are divided by a plane perpendicular to the line between their closest points. While
// the vertices of both stay on their sides, so do all points of the elements, all the way since half-spaces are convex: they
// cannot meet. Moves along the plane and away from it are free. Where the plane stands between the two is up to how much each side
// wants to approach the other.
//
// Differs: the plane is trusted for what it is, not for what it was meant to be: its distance to every vertex is measured and lowered by
// what rounding may add, and where it does not separate the two, their vertices stay. A move that leaves half-spaces is first projected
// onto them, so that vertices slide, and truncated where that is not enough. What is beyond the reach is kept apart by a limit of half
// the reach on all moves. Elements closer than the thickness slide and separate, and approach no more: without that, gaps would shrink
// from step to step until rounding stops all motion.
#include "response/safe.h"

#include "base/clamp.h"
#include "geom/distance.h"
#include "response/vector.h"

#include <string.h>

enum {
    PAIRS_OF_A_TASK = 512,
    PAIRS_AT_ONCE = 128 * PAIRS_OF_A_TASK,  // planes are made before it is known which of them matter
    VERTICES_OF_A_TASK = 1024,
    SWEEPS = 8,
};

// A side gets at least this part of the gap, also if only the other one wants to move.
static const double LEAST_SHARE = 0.05;
// The part of a slack that is used.
static const double USED = 1 - 0x1p-20;

// ---- planes ----

typedef struct planes {
    const snag__safe *safe;
    size_t first, count;  // pairs of this round
    snag__half_space *made;  // of each
    bool *matters;
} planes;

static double side_sign(const snag__close_pair *pair, uint32_t i)
{
    return i < pair->of_a ? 1 : -1;
}

// The direction from b to a, as well as it can be told; zero where they touch.
static void find_normal(const snag__safe *safe, const snag__close_pair *pair, double normal[3])
{
    const double *x[4];
    for (uint32_t i = 0; i < 4; i++)  // a point is a triangle whose corners are one, a rod one that is folded
        x[i] = safe->start[pair->vertex[i < pair->count ? i : 1]];
    snag__distance distance;
    if (pair->of_a == 1)
        snag__vertex_triangle_distance(x[0], x + 1, &distance);
    else
        snag__edge_edge_distance(x, x + 2, &distance);
    if (!snag__gap_normal(&distance.gap, normal))
        memset(normal, 0, 3 * sizeof *normal);
}

// Which part of the gap side a gets: by how much each side wants to approach.
static double share_of_a(const snag__safe *safe, const snag__half_space *h)
{
    double want[2] = {0, 0};
    for (uint32_t i = 0; i < h->pair.count; i++) {
        int side = i >= h->pair.of_a;
        want[side] = fmax(want[side], -side_sign(&h->pair, i) * snag__dot(h->normal, safe->moves[h->pair.vertex[i]]));
    }
    double both = want[0] + want[1];
    return both > 0 ? fmax(LEAST_SHARE, fmin(1 - LEAST_SHARE, want[0] / both)) : 0.5;
}

// Measures how far each vertex is from the plane, on its own side. Heights are taken from the first vertex of b, so that they are small.
static void measure_slacks(const snag__safe *safe, snag__half_space *h)
{
    double height[4] = {0}, low = HUGE_VAL, high = -HUGE_VAL, size = 0;
    const double *origin = safe->start[h->pair.vertex[h->pair.of_a]];
    for (uint32_t i = 0; i < h->pair.count; i++) {
        double d[3];
        snag__subtract(safe->start[h->pair.vertex[i]], origin, d);
        height[i] = snag__dot(h->normal, d);
        size = fmax(size, snag__length(d));
        if (i < h->pair.of_a)
            low = fmin(low, height[i]);
        else
            high = fmax(high, height[i]);
    }
    double error = 0x1p-48 * (size + safe->largest), gap = low - high, share = share_of_a(safe, h);
    double plane = high + (1 - share) * gap, kept = fmin(gap, safe->thickness);
    for (uint32_t i = 0; i < h->pair.count; i++) {
        double slack = (side_sign(&h->pair, i) * (height[i] - plane)) * USED - error;
        h->slack[i] = gap > 0 && slack > 0 ? slack : -1;
        h->use[i] = snag__max(0, h->slack[i] - (i < h->pair.of_a ? share : 1 - share) * kept);
    }
}

// Whether some vertex of the pair could leave its half-space: moves get no longer by being truncated.
static bool make_plane(const snag__safe *safe, size_t i, snag__half_space *h)
{
    if (!snag__safe_pair(safe, i, &h->pair))
        return false;
    double most[4] = {0}, all = 0;
    for (uint32_t k = 0; k < h->pair.count; k++)
        all = fmax(all, most[k] = snag__length(safe->moves[h->pair.vertex[k]]));
    if (all == 0)
        return false;
    find_normal(safe, &h->pair, h->normal);
    measure_slacks(safe, h);
    for (uint32_t k = 0; k < h->pair.count; k++)
        if (h->slack[k] < 0 || h->use[k] < most[k])
            return true;
    return false;
}

static void make_some(void *context, uint32_t task)
{
    const planes *p = context;
    snag__float_env callers = snag__float_env_begin();
    size_t first = (size_t)task * PAIRS_OF_A_TASK, last = first + PAIRS_OF_A_TASK < p->count ? first + PAIRS_OF_A_TASK : p->count;
    for (size_t i = first; i < last; i++)
        p->matters[i] = make_plane(p->safe, p->first + i, &p->made[i]);
    snag__float_env_end(callers);
}

// All planes that matter, in the order of the pairs.
static snag_status make_planes(const snag__safe *safe, size_t *count)
{
    snag_response *response = safe->response;
    size_t all = safe->pair_count;
    planes p = {.safe = safe};
    const snag__room rooms[] = {
        {NULL, &p.made, PAIRS_AT_ONCE, sizeof *p.made},
        {NULL, &p.matters, PAIRS_AT_ONCE, sizeof *p.matters},
    };
    snag_status status = snag__response_carve(response, &response->plane_block, rooms, 2);
    if (status != SNAG_OK)
        return status;
    *count = 0;
    for (p.first = 0; p.first < all; p.first += p.count) {
        p.count = all - p.first < PAIRS_AT_ONCE ? all - p.first : PAIRS_AT_ONCE;
        snag_world_run(safe->world, (uint32_t)((p.count + PAIRS_OF_A_TASK - 1) / PAIRS_OF_A_TASK), make_some, &p);
        if (!snag__buffer_reserve(&response->allocator, &response->planes, *count, *count + p.count, sizeof *p.made))
            return snag__response_fail_memory(response);
        snag__half_space *kept = response->planes.data;
        for (size_t i = 0; i < p.count; i++)
            if (p.matters[i])
                kept[(*count)++] = p.made[i];
    }
    return SNAG_OK;
}

// ---- truncating ----

typedef struct truncating {
    const snag__safe *safe;
    const snag__half_space *planes;
    const size_t *start;  // by vertex, one more
    const uint64_t *items;  // plane * 4 + which of its vertices
    double *held;  // by vertex: the part that a held vertex may make
} truncating;

// Lists the planes of each vertex.
static snag_status list_planes(const snag__safe *safe, size_t plane_count, truncating *t)
{
    snag_response *response = safe->response;
    const snag__half_space *all = response->planes.data;
    uint32_t vertices = safe->group.vertex_count;
    size_t *start;
    uint64_t *items;
    const snag__room rooms[] = {
        {NULL, &start, vertices + (size_t)2, sizeof *start},
        {NULL, &items, 4 * plane_count + 1, sizeof *items},
        {NULL, &t->held, vertices + (size_t)1, sizeof *t->held},
    };
    snag_status status = snag__response_carve(response, &response->plane_lists, rooms, 3);
    if (status != SNAG_OK)
        return status;
    memset(start, 0, (vertices + (size_t)2) * sizeof *start);
    for (size_t i = 0; i < plane_count; i++)
        for (uint32_t k = 0; k < all[i].pair.count; k++)
            start[all[i].pair.vertex[k] + 2]++;
    for (uint32_t v = 0; v < vertices; v++)
        start[v + 2] += start[v + 1];
    for (size_t i = 0; i < plane_count; i++)
        for (uint32_t k = 0; k < all[i].pair.count; k++)
            items[start[all[i].pair.vertex[k] + 1]++] = 4 * (uint64_t)i + k;
    t->planes = all;
    t->start = start;
    t->items = items;
    return SNAG_OK;
}

// How far a move goes beyond a half-space; and its allowance.
static double overrun(const truncating *t, uint64_t item, const double move[3], double *slack)
{
    const snag__half_space *h = &t->planes[item / 4];
    *slack = h->slack[item % 4];
    return -side_sign(&h->pair, (uint32_t)(item % 4)) * snag__dot(h->normal, move);
}

// The part of a move that stays in all half-spaces.
static double part_within(const truncating *t, uint32_t v, const double move[3])
{
    double part = 1, slack, length = snag__length(move), limit = t->safe->limit[v];
    if (length > limit)
        part = limit / length;
    for (size_t i = t->start[v]; i < t->start[v + 1]; i++) {
        double over = overrun(t, t->items[i], move, &slack);
        if (slack < 0)
            return 0;
        if (over * part > slack)
            part = slack / over * USED;
    }
    return part;
}

// Projects a move onto the half-spaces it leaves, one after the other, a few times over.
static void slide(const truncating *t, uint32_t v, double move[3])
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool left = false;
        for (size_t i = t->start[v]; i < t->start[v + 1]; i++) {
            const uint64_t item = t->items[i];
            const snag__half_space *h = &t->planes[item / 4];
            double slack, over = overrun(t, item, move, &slack);
            double use = h->use[item % 4];
            if (slack < 0 || over <= use)
                continue;
            snag__add_scaled(move, side_sign(&h->pair, (uint32_t)(item % 4)) * (over - use * USED), h->normal);
            left = true;
        }
        if (!left)
            return;
    }
}

static void truncate_some(void *context, uint32_t task)
{
    const truncating *t = context;
    const snag__group *group = &t->safe->group;
    snag__float_env callers = snag__float_env_begin();
    uint32_t first = task * VERTICES_OF_A_TASK, left = group->vertex_count - first;
    for (uint32_t v = first; v < first + (left < VERTICES_OF_A_TASK ? left : VERTICES_OF_A_TASK); v++) {
        double *move = t->safe->moves[v];
        bool held = !(group->inverse[v] > 0);
        if (!held)
            slide(t, v, move);
        double part = part_within(t, v, move);
        t->held[v] = held ? part : 1;
        for (int k = 0; k < 3 && !held; k++)
            move[k] *= part;
    }
    snag__float_env_end(callers);
}

snag_status snag__safe_truncate(const snag__safe *safe, double *fraction)
{
    const snag__group *group = &safe->group;
    size_t count;
    truncating t = {.safe = safe};
    // Farther than this nobody moves, whatever the planes say. A slack of a sliding move may use up rounding, so a little is left.
    for (uint32_t v = 0; v < group->vertex_count; v++)
        safe->limit[v] = snag__max(0, safe->reach / 2 * USED - 0x1p-48 * safe->largest);
    snag_status status = make_planes(safe, &count);
    if (status == SNAG_OK)
        status = list_planes(safe, count, &t);
    if (status != SNAG_OK)
        return status;
    snag_world_run(safe->world, (group->vertex_count + VERTICES_OF_A_TASK - 1) / VERTICES_OF_A_TASK, truncate_some, &t);
    *fraction = 1;
    for (uint32_t v = 0; v < group->vertex_count; v++)
        *fraction = fmin(*fraction, t.held[v]);
    return SNAG_OK;
}
