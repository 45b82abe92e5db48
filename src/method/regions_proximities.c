// The question `proximities` by regions: pairs of leaves within the distance, from lists that persist, then their elements.
#include "method/regions.h"

#include <math.h>

enum { PAIRS_OF_A_TASK = 64, PAIRS_OF_A_ROUND = SNAG__MAX_TASKS * PAIRS_OF_A_TASK };

// ---- pairs of bodies ----

// The box of a body, from bounds that may be older: grown by what it has moved since, and by half the distance.
static bool box_of_body(snag__ask *ask, snag__region_state *state, uint32_t place, snag__body_box *box)
{
    const snag__region_tree *tree = (snag__region_tree *)state->trees[0].data + place;
    const snag__body *body = ask->bodies[place];
    if (!snag__region_tree_need(ask, state, place))
        return false;
    bool known = tree->jumps == body->jumps && (tree->regions.region_count == 0 || tree->regions.bounded[0] != UINT64_MAX);
    if (!known && !snag__region_tree_update(ask, state, place))
        return false;
    *box = (snag__body_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (tree->regions.region_count == 0)
        return true;
    double moved = snag__body_displacement_since(body, tree->displacement, tree->jumps);
    float grown = nextafterf((float)(moved + ask->def->distance / 2), INFINITY);
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = nextafterf(tree->regions.bounds.lo[axis][0] - grown, -INFINITY);
        box->hi[axis] = nextafterf(tree->regions.bounds.hi[axis][0] + grown, INFINITY);
    }
    return true;
}

static bool find_bodies(snag__ask *ask, snag__region_state *state)
{
    if (!snag__buffer_reserve(ask->allocator, &state->boxes, 0, ask->body_count + 1u, sizeof(snag__body_box)))
        return false;
    snag__body_box *boxes = state->boxes.data;
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (!box_of_body(ask, state, i, &boxes[i]))
            return false;
    return snag__body_pairs_find(&state->body_pairs, boxes, ask->body_count, ask->allocator);
}

// ---- pairs of leaves ----

// Appends the pairs of leaves of two bodies that may be within the distance.
static bool find_leaves(snag__ask *ask, snag__region_state *state, uint32_t first, uint32_t second, size_t *count)
{
    snag__region_links *links = &state->links[SNAG__REGION_LINKS_PROXIMITIES];
    snag__region_bodies body_pair;
    if (!snag__region_bodies_of(ask, state, first, second, &body_pair))
        return false;
    const snag__region_link *old = snag__region_links_find(links, &body_pair);
    snag__region_link link = snag__region_link_new(&body_pair);
    if (old != NULL && !ask->def->lines && snag__region_link_holds(old, &body_pair, ask->def->distance)) {
        if (!snag__region_links_keep(links, old, &body_pair, &link))
            return false;
    } else {
        for (int side = 0; side < 2; side++)
            if (!snag__region_tree_update(ask, state, body_pair.place[side]))
                return false;
        snag__region_visit visit = {.reach = ask->def->distance + snag__region_link_margin(old, &body_pair)};
        if (!snag__region_links_search(links, &body_pair, &visit, &link))
            return false;
    }
    const snag__region_pair *pairs = (const snag__region_pair *)links->pairs[links->now].data + link.first;
    return snag__leaves_near(&body_pair, pairs, link.count, ask->def->distance, NULL, count) &&
           snag__region_links_add(links, &link, ask->allocator);
}

static bool find_all_leaves(snag__ask *ask, snag__region_state *state, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < state->body_pairs.pair_count; i++) {
        snag__body_pair pair = state->body_pairs.pairs[i];
        if (snag__wanted(ask, pair.a, pair.b) && !find_leaves(ask, state, pair.a, pair.b, count))
            return false;
    }
    return snag__leaves_box(ask, state, *count, NULL);
}

// ---- elements ----

typedef struct search {
    snag__ask *ask;
    const snag__region_tree *trees;
    const snag__box_kernels *boxes;
    const snag__leaf_pair *near;
    size_t count, first;
    float reach;
} search;

// Pairs of one pass between two bodies, on their way to the exact stage.
typedef struct taking {
    const search *s;
    snag__record_list *list;
    snag__pass pass;
    uint32_t row_body, column_body;
} taking;

static float take_pairs(void *context, const uint32_t (*pairs)[2], size_t count)
{
    const taking *t = context;
    snag__narrow_phase(t->s->ask, t->list, &t->pass, t->row_body, t->column_body, pairs, count);
    return t->s->reach;
}

// Triangles of either side with vertices of the other, and edges. Of a leaf with itself once.
static void compare_leaves(const search *s, snag__record_list *list, const snag__leaf_pair *leaves)
{
    static const struct {
        snag__pass pass;
        int rows;
    } passes[] = {{{SNAG_TRIANGLE, SNAG_VERTEX}, 0}, {{SNAG_EDGE, SNAG_EDGE}, 0}, {{SNAG_TRIANGLE, SNAG_VERTEX}, 1}};
    bool same = leaves->place[0] == leaves->place[1] && leaves->leaf[0] == leaves->leaf[1];
    for (int i = 0; i < (same ? 2 : 3); i++) {
        int rows = passes[i].rows;
        taking t = {s, list, passes[i].pass, leaves->place[rows], leaves->place[!rows]};
        snag__leaf_side row = {&s->trees[leaves->place[rows]].regions, leaves->leaf[rows], t.pass.row};
        snag__leaf_side column = {&s->trees[leaves->place[!rows]].regions, leaves->leaf[!rows], t.pass.column};
        snag__leaves_compare(s->boxes, &row, &column, false, s->reach, take_pairs, &t);
    }
}

static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    const search *s = context;
    // Neighbours in the list cost alike: they go to different tasks.
    for (size_t i = 0; i < PAIRS_OF_A_TASK; i++) {
        size_t pair = s->first + i * SNAG__MAX_TASKS + index;
        if (pair < s->count)
            compare_leaves(s, list, &s->near[pair]);
    }
}

snag_status snag__regions_proximities(snag__ask *ask)
{
    snag__region_state *state = snag__region_state_of(ask);
    search s = {.ask = ask, .boxes = snag__box_kernels_for(ask->isa)};
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    snag__region_links *links = &state->links[SNAG__REGION_LINKS_PROXIMITIES];
    snag__region_links_begin(links);
    snag__region_lines_begin(state);
    if (!find_bodies(ask, state) || !find_all_leaves(ask, state, &s.count) || !snag__region_links_turn(links, ask->allocator))
        return SNAG_ERROR_MEMORY;
    snag__region_lines_end(ask, state);
    ask->statistics.region_contacts = s.count;
    s.trees = state->trees[0].data;
    s.near = state->near.data;
    s.reach = snag__region_float_reach(ask->def->distance);
    snag_status status = SNAG_OK;
    for (; status == SNAG_OK && s.first < s.count; s.first += PAIRS_OF_A_ROUND) {
        status = snag__run_tasks(ask, SNAG__MAX_TASKS, run_task, &s);
        double part = (double)(s.first + PAIRS_OF_A_ROUND) / (double)s.count;
        if (status == SNAG_OK && !snag__go_on(ask, fmin(part, 1)))
            break;
    }
    return status;
}
