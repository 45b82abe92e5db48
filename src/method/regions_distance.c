// The question `distance` by regions: part III of the paper first, then part II.
//
// A walk over mesh neighbours from the vertices that were closest in the last ask leads to two that are closest among their
// neighbours, and from there to features: a distance to begin with, which is the right one in most steps. Pairs of leaves
// that may be nearer come from the list that the last ask has left or, where the bodies have moved too far for it, from a
// new search through the regions. Their elements decide, exactly.
#include "method/regions_walk.h"

#include <float.h>
#include <math.h>

enum { PAIRS_OF_A_TASK = 8 };  // fewer pairs of leaves are not worth another task

// The search between two bodies.
typedef struct search {
    snag__region_bodies regions;
    snag__near_bodies body_pair;
    const snag__box_kernels *boxes;
    const snag__distance_kernels *sieves;
    uint32_t vertex[2];  // closest, as far as the walk knows
    double margin;  // by which the list reaches farther than needed
    snag__nearest *best;

    const snag__leaf_pair *near;
    size_t near_count;
    uint32_t tasks;
    size_t at[SNAG__MAX_TASKS];  // by task: the pair of leaves that is next
    snag__nearest found[SNAG__MAX_TASKS];
} search;

// ---- part III: from vertices to features ----

// What lies around the vertices, and around those that a walk leads to if they are nearer than what was found.
static void walk_and_offer(search *s, const uint32_t from[2])
{
    const snag__mesh *const *mesh = s->regions.mesh;
    uint32_t v[2] = {from[0], from[1]};
    snag__region_offer_around(&s->body_pair, mesh, v, s->best);
    snag__region_walk(mesh, v);
    double squared = snag__region_squared(mesh[0]->x_t1[v[0]], mesh[1]->x_t1[v[1]]);
    bool nearer = !s->best->closest.found || squared < s->best->closest.gap.squared;
    if (nearer && (v[0] != from[0] || v[1] != from[1]))
        snag__region_offer_around(&s->body_pair, mesh, v, s->best);
    s->vertex[0] = v[0];
    s->vertex[1] = v[1];
}

// A vertex of a feature.
static uint32_t vertex_of(const snag__mesh *mesh, const snag__closest *closest, bool second)
{
    uint32_t element = second ? closest->second : closest->first;
    bool vertex = closest->kind == SNAG_VERTEX_VERTEX || (closest->kind != SNAG_EDGE_EDGE && closest->vertex_second == second);
    if (vertex)
        return element;
    return closest->kind == SNAG_VERTEX_FACE ? mesh->triangles[element][0] : mesh->edges[element][0];
}

// ---- part II: leaves that may be near ----

static snag__near_bodies without_pass(const search *s)
{
    snag__near_bodies body_pair = s->body_pair;
    body_pair.pass = (snag__pass){SNAG_EDGE, SNAG_EDGE};
    return body_pair;
}

static double reach_now(const search *s)
{
    snag__near_bodies body_pair = without_pass(s);
    return (double)snag__nearest_reach(&body_pair, s->best);
}

// After each level: the two middle vertices that are closest to each other may lead to a shorter distance.
static void level_done(void *context, uint32_t region_a, uint32_t region_b, double *reach)
{
    search *s = context;
    const uint32_t v[2] = {s->regions.tree[0]->regions[region_a].middle, s->regions.tree[1]->regions[region_b].middle};
    double squared = snag__region_squared(s->regions.mesh[0]->x_t1[v[0]], s->regions.mesh[1]->x_t1[v[1]]);
    double now = snag__region_squared(s->regions.mesh[0]->x_t1[s->vertex[0]], s->regions.mesh[1]->x_t1[s->vertex[1]]);
    if (squared < now)
        walk_and_offer(s, v);
    *reach = fmin(*reach, reach_now(s) + s->margin);
}

// Pairs of leaves that can hold what is closest, from the last list or by a new search; and the link that keeps them.
static bool find_leaves(search *s, snag__region_links *links, const snag__region_link *old, snag__region_link *link)
{
    snag__region_bodies *body_pair = &s->regions;
    snag__region_state *state = body_pair->state;
    if (old != NULL && !body_pair->ask->def->lines && snag__region_link_holds(old, body_pair, reach_now(s)))
        return snag__region_links_keep(links, old, body_pair, link);
    for (int side = 0; side < 2; side++)
        if (!snag__region_tree_update(body_pair->ask, state, body_pair->place[side]))
            return false;
    s->margin = snag__region_link_margin(old, body_pair);
    snag__region_visit visit = {.reach = reach_now(s) + s->margin, .level_done = level_done, .context = s};
    return snag__region_links_search(links, body_pair, &visit, link);
}

// ---- elements of leaves ----

// One task: pairs of leaves, and the best of its own.
typedef struct task {
    const search *s;
    snag__near_bodies body_pair;
    snag__nearest *best;
} task;

// Pairs of elements that may be as close as the best, sieved wide and then offered one by one.
static float take_pairs(void *context, const uint32_t (*pairs)[2], size_t count)
{
    task *p = context;
    const snag__mesh *rows = &p->body_pair.ask->bodies[p->body_pair.row_body]->mesh;
    const snag__mesh *columns = &p->body_pair.ask->bodies[p->body_pair.column_body]->mesh;
    double d = (double)snag__nearest_reach(&p->body_pair, p->best);
    uint32_t near[SNAG__LEAF_BATCH];
    size_t left = count;
    bool sieved = p->body_pair.pass.column != SNAG_TRIANGLE && d < (double)FLT_MAX;
    if (sieved && p->body_pair.pass.column == SNAG_EDGE)
        left = p->s->sieves->edge_edges_near(&(snag__edge_edges){(const double(*)[3])rows->x_t1, (const double(*)[3])columns->x_t1,
                                                                 (const uint32_t(*)[2])rows->edges,
                                                                 (const uint32_t(*)[2])columns->edges, pairs, count},
                                             d, near);
    else if (sieved)
        left = p->s->sieves->vertex_triangles_near(&(snag__vertex_triangles){(const double(*)[3])columns->x_t1,
                                                                             (const double(*)[3])rows->x_t1,
                                                                             (const uint32_t(*)[3])rows->triangles, pairs, count},
                                                   d, near);
    for (size_t i = 0; i < left; i++) {
        const uint32_t *pair = pairs[sieved ? near[i] : i];
        snag__nearest_offer(&p->body_pair, pair[0], pair[1], p->best);
    }
    return snag__nearest_reach(&p->body_pair, p->best);
}

static void compare_leaves(task *p, const snag__leaf_pair *leaves)
{
    const search *s = p->s;
    bool swap = p->body_pair.row_body != s->body_pair.first;
    snag__leaf_side sides[2];
    for (int side = 0; side < 2; side++)
        sides[side] = (snag__leaf_side){s->regions.tree[side], leaves->leaf[side], SNAG_VERTEX};
    snag__leaf_side *rows = &sides[swap ? 1 : 0], *columns = &sides[swap ? 0 : 1];
    rows->kind = p->body_pair.pass.row;
    columns->kind = p->body_pair.pass.column;
    float reach = snag__nearest_reach(&p->body_pair, p->best), squared[16];
    snag__region_bound bound = snag__region_bound_of(&columns->tree->bounds, columns->leaf);
    if (s->regions.kernels->near(&rows->tree->bounds, rows->leaf, 1, &bound, reach, squared))
        snag__leaves_compare(s->boxes, rows, columns, p->body_pair.pass.column != SNAG_TRIANGLE, reach, take_pairs, p);
}

// The passes over vertices and edges, pair of leaves by pair; or the one over triangles that intersect.
static void run_task(void *context, uint32_t index)
{
    search *s = context;
    task p = {.s = s, .body_pair = s->body_pair, .best = &s->found[index]};
    s->found[index] = *s->best;
    for (size_t *i = &s->at[index]; *i < s->near_count && !snag__budget_over(s->regions.ask);) {
        for (int step = 0; step < 3; step++) {
            snag__nearest_pass(&p.body_pair, step, p.best);
            compare_leaves(&p, &s->near[*i]);
        }
        *i += s->tasks;
        if (snag__round_over(s->regions.ask))
            return;
    }
}

static void run_crossing_task(void *context, uint32_t index)
{
    search *s = context;
    task p = {.s = s, .body_pair = s->body_pair, .best = &s->found[index]};
    s->found[index] = *s->best;
    snag__nearest_pass(&p.body_pair, 3, p.best);
    for (size_t *i = &s->at[index]; *i < s->near_count && !snag__budget_over(s->regions.ask);) {
        compare_leaves(&p, &s->near[*i]);
        *i += s->tasks;
        if (snag__round_over(s->regions.ask))
            return;
    }
}

// In rounds, until all pairs of leaves are compared. False if it was ended before. `step` is that of the couple's comparison.
static bool run_tasks(search *s, snag__task *run, int step)
{
    for (uint32_t i = 0; i < s->tasks; i++)
        s->at[i] = i;
    for (;;) {
        snag__parallel_for(s->body_pair.ask->parallel, s->tasks, run, s);
        size_t done = 0, left = 0;
        for (uint32_t i = 0; i < s->tasks; i++) {
            snag__nearest_join(s->best, &s->found[i]);
            done += (s->at[i] - i) / s->tasks;
            left += s->at[i] < s->near_count;
        }
        if (left == 0)
            return true;
        snag__near_bodies body_pair = s->body_pair;
        body_pair.step = step;
        if (!snag__nearest_go_on(s->regions.ask, &body_pair, (double)done / (double)s->near_count))
            return false;
    }
}

// Up from the closest point of the second body to that of the first. Level where nothing is known, or they touch.
static snag__region_slope slope_of(const snag__nearest *best)
{
    snag__region_slope slope = {{0}, {0}};
    const snag__closest *closest = &best->closest;
    if (!closest->found || !snag__gap_normal(&closest->gap, slope.direction))
        return slope;
    // The gap leads from the vertex to the other feature.
    bool turned = closest->kind != SNAG_EDGE_EDGE && closest->vertex_second;
    for (int axis = 0; axis < 3; axis++) {
        slope.origin[axis] = closest->gap.point_a[axis];
        slope.direction[axis] *= turned ? -1 : 1;
    }
    return slope;
}

static bool compare_elements(search *s, const snag__region_links *links, const snag__region_link *link)
{
    snag__region_state *state = s->regions.state;
    const snag__region_pair *pairs = (const snag__region_pair *)links->pairs[links->now].data + link->first;
    s->near_count = 0;
    const snag__region_slope slope = slope_of(s->best);
    if (!snag__leaves_near(&s->regions, pairs, link->count, reach_now(s), &slope, &s->near_count) ||
        !snag__leaves_box(s->regions.ask, state, s->near_count, &slope))
        return false;
    s->near = state->near.data;
    s->regions.ask->statistics.region_contacts += s->near_count;
    size_t tasks = s->near_count / PAIRS_OF_A_TASK + 1;
    s->tasks = s->body_pair.ask->parallel->threads == 1 ? 1 : tasks < SNAG__MAX_TASKS ? (uint32_t)tasks : SNAG__MAX_TASKS;
    snag__near_bodies crossing = s->body_pair;
    if (run_tasks(s, run_task, 0) && snag__nearest_pass(&crossing, 3, s->best))
        run_tasks(s, run_crossing_task, 3);
    return true;
}

// ---- two bodies ----

static snag_status search_body_pair(void *context, const snag__near_bodies *body_pair, snag__nearest *best)
{
    search *s = context;
    snag__region_state *state = s->regions.state;
    snag__region_links *links = &state->links[SNAG__REGION_LINKS_DISTANCE];
    snag__ask *ask = s->regions.ask;
    s->body_pair = *body_pair;
    s->best = best;
    if (!snag__region_bodies_of(ask, state, body_pair->first, body_pair->second, &s->regions))
        return SNAG_ERROR_MEMORY;
    snag__regions *const *tree = s->regions.tree;
    if (tree[0]->region_count == 0 || tree[1]->region_count == 0 ||
        s->regions.mesh[0]->triangle_count + s->regions.mesh[1]->triangle_count == 0)
        return SNAG_OK;
    const snag__region_link *old = snag__region_links_find(links, &s->regions);
    const uint32_t middles[2] = {tree[0]->regions[0].middle, tree[1]->regions[0].middle};
    walk_and_offer(s, old != NULL ? old->vertex : middles);
    snag__region_link link = snag__region_link_new(&s->regions);
    if (!find_leaves(s, links, old, &link) || !compare_elements(s, links, &link))
        return SNAG_ERROR_MEMORY;
    for (int side = 0; side < 2; side++)
        link.vertex[side] = best->closest.found ? vertex_of(s->regions.mesh[side], &best->closest, side == 1) : s->vertex[side];
    return snag__region_links_add(links, &link, ask->allocator) ? SNAG_OK : SNAG_ERROR_MEMORY;
}

snag_status snag__regions_distance(snag__ask *ask)
{
    search s = {.regions = {.ask = ask, .state = snag__region_state_of(ask)},
                .boxes = snag__box_kernels_for(ask->isa),
                .sieves = snag__distance_kernels_for(ask->isa)};
    if (s.regions.state == NULL)
        return SNAG_ERROR_MEMORY;
    snag__region_links *links = &s.regions.state->links[SNAG__REGION_LINKS_DISTANCE];
    snag__region_links_begin(links);
    snag__region_lines_begin(s.regions.state);
    const bool paper = ask->def->regions == SNAG_REGIONS_PAPER;
    snag_status status =
        snag__nearest_find(ask, paper ? snag__region_paper_search : search_body_pair, paper ? (void *)&s.regions : &s);
    snag__region_lines_end(ask, s.regions.state);
    if (status == SNAG_OK && !snag__region_links_turn(links, ask->allocator))
        status = SNAG_ERROR_MEMORY;
    return status;
}
