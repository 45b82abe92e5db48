// Comparing the regions of two bodies, level by level: the paper's part II (DMV).
#include "method/regions.h"

#include <math.h>
#include <string.h>

bool snag__region_note_opened(const snag__region_bodies *body_pair, snag__region_pair pair)
{
    snag__ask *ask = body_pair->ask;
    snag__region_state *state = body_pair->state;
    const snag__region *region[2] = {&body_pair->tree[0]->regions[pair.a], &body_pair->tree[1]->regions[pair.b]};
    uint32_t level = region[0]->level > region[1]->level ? region[0]->level : region[1]->level;
    ask->statistics.regions_opened[level < SNAG_REGION_LEVELS ? level : SNAG_REGION_LEVELS - 1]++;
    if (!ask->def->lines)
        return true;
    if (!snag__buffer_reserve(ask->allocator, &state->lines, state->line_count, state->line_count + 1, sizeof(snag_region_line)))
        return false;
    snag_region_line *line = (snag_region_line *)state->lines.data + state->line_count++;
    *line = (snag_region_line){
        .body_a = ask->bodies[body_pair->place[0]]->id, .body_b = ask->bodies[body_pair->place[1]]->id, .level = level};
    memcpy(line->from, body_pair->mesh[0]->x_t1[region[0]->middle], sizeof line->from);
    memcpy(line->to, body_pair->mesh[1]->x_t1[region[1]->middle], sizeof line->to);
    return true;
}

void snag__region_lines_begin(snag__region_state *state)
{
    state->line_count = 0;
}

void snag__region_lines_end(snag__ask *ask, const snag__region_state *state)
{
    ask->lab.lines = state->line_count > 0 ? state->lines.data : NULL;
    ask->lab.line_count = state->line_count;
}

// The pairs of one level, and of the next that is written.
typedef struct traversal {
    const snag__region_bodies *body_pair;
    snag__region_visit *visit;
    size_t next_count;
    float reach;
    float closest;  // the least square of a distance of middle vertices, of this level
    snag__region_pair closest_pair;
} traversal;

static bool push(traversal *t, int next, uint32_t a, uint32_t b)
{
    snag__region_state *state = t->body_pair->state;
    if (!snag__buffer_reserve(t->body_pair->ask->allocator, &state->frontier[next], t->next_count, t->next_count + 1,
                              sizeof(snag__region_pair)))
        return false;
    ((snag__region_pair *)state->frontier[next].data)[t->next_count++] = (snag__region_pair){a, b};
    return true;
}

static bool keep_leaves(traversal *t, snag__region_pair pair)
{
    snag__region_links *links = t->visit->links;
    snag__region_pair *room = snag__region_links_room(links, 1, t->body_pair->ask->allocator);
    if (room == NULL)
        return false;
    *room = pair;
    links->pair_count[links->now]++;
    t->visit->count++;
    return true;
}

// The parts of one side's region against the other side's region: those that may be near come next.
static bool open_side(traversal *t, int next, int side, snag__run parts, uint32_t other)
{
    const snag__region_bounds *opened = &t->body_pair->tree[side]->bounds, *kept = &t->body_pair->tree[!side]->bounds;
    snag__region_bound bound = snag__region_bound_of(kept, other);
    float squared[16];
    uint32_t near = t->body_pair->kernels->near(opened, parts.first, parts.count, &bound, t->reach, squared);
    for (; near; near &= near - 1) {
        uint32_t part = parts.first + (uint32_t)__builtin_ctz(near);
        uint32_t a = side == 0 ? part : other, b = side == 0 ? other : part;
        if (!push(t, next, a, b))
            return false;
        if (squared[part - parts.first] < t->closest) {
            t->closest = squared[part - parts.first];
            t->closest_pair = (snag__region_pair){a, b};
        }
    }
    return true;
}

// Of a region with itself, in one tree: each two of its parts, and each part with itself.
static bool open_self(traversal *t, int next, snag__run parts)
{
    for (uint32_t i = 0; i < parts.count; i++)
        if (!open_side(t, next, 1, (snag__run){parts.first + i, parts.count - i}, parts.first + i))
            return false;
    return true;
}

// The larger region is opened.
static bool open_pair(traversal *t, int next, snag__region_pair pair)
{
    const snag__regions *const *tree = (const snag__regions *const *)t->body_pair->tree;
    const snag__region *a = &tree[0]->regions[pair.a], *b = &tree[1]->regions[pair.b];
    if (!snag__region_note_opened(t->body_pair, pair))
        return false;
    if (snag__region_is_leaf(a) && snag__region_is_leaf(b))
        return keep_leaves(t, pair);
    if (tree[0] == tree[1] && pair.a == pair.b)
        return open_self(t, next, a->parts);
    bool first =
        snag__region_is_leaf(b) || (!snag__region_is_leaf(a) && tree[0]->bounds.radius[pair.a] >= tree[1]->bounds.radius[pair.b]);
    return open_side(t, next, first ? 0 : 1, first ? a->parts : b->parts, first ? pair.b : pair.a);
}

bool snag__region_traverse(const snag__region_bodies *body_pair, snag__region_visit *visit)
{
    traversal t = {.body_pair = body_pair, .visit = visit};
    int now = 0;
    if (!push(&t, now, 0, 0))
        return false;
    while (t.next_count > 0) {
        const size_t count = t.next_count;
        t.next_count = 0;
        t.reach = snag__region_float_reach(visit->reach);
        t.closest = INFINITY;
        for (size_t i = 0; i < count; i++) {
            snag__region_pair pair = ((const snag__region_pair *)body_pair->state->frontier[now].data)[i];
            if (!open_pair(&t, !now, pair))
                return false;
        }
        now = !now;
        if (visit->level_done != NULL && t.closest < INFINITY)
            visit->level_done(visit->context, t.closest_pair.a, t.closest_pair.b, &visit->reach);
    }
    return true;
}
