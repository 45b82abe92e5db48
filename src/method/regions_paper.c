// The paper's own rule: two regions are opened while their middle vertices are nearer to each other than a length that is
// given for their level (equations 4 and 6), and two leaves that are opened collide if a walk between their vertices comes
// below the last of these lengths: vertices are the last level of the paper's tree. Lengths that are too short miss what
// collides, longer ones find more than there is: it is here to be compared with.
#include "method/regions_walk.h"

#include <math.h>

typedef struct paper_search {
    const snag__region_bodies *body_pair;
    const snag__near_bodies *bodies;
    snag__nearest *best;
    double half[2][SNAG__REGION_LEVELS + 1];  // of the epsilon, by side and level
    size_t count;  // pairs that wait
} paper_search;

// What a region of a level adds to the distance below which it and another are opened: half of the length given for two of
// that level, or the largest radius of the level in its body (equations 3 and 6). Below the levels that lengths are given for,
// nothing is left to be compared but vertices.
static double half_epsilon(const snag__region_bodies *body_pair, int side, uint32_t level)
{
    const snag__question *def = body_pair->ask->def;
    if (def->epsilon_count == 0)
        return snag__regions_level_radius(body_pair->tree[side], body_pair->mesh[side], level);
    if (level >= def->epsilon_count)
        return INFINITY;
    return 0.5 * def->epsilon[level > 0 ? level - 1 : 0];
}

static void choose_epsilons(paper_search *p)
{
    for (uint32_t level = 0; level <= SNAG__REGION_LEVELS; level++) {
        for (int side = 0; side < 2; side++)
            p->half[side][level] = half_epsilon(p->body_pair, side, level);
        double epsilon = p->half[0][level] + p->half[1][level];
        if (level > 0 && level <= SNAG_REGION_LEVELS && epsilon < INFINITY)
            p->body_pair->ask->lab.epsilon[level - 1] = fmax(p->body_pair->ask->lab.epsilon[level - 1], epsilon);
    }
}

static double collision_distance(const snag__question *def)
{
    return def->epsilon_count > 0 ? def->epsilon[def->epsilon_count - 1] : def->distance;
}

static bool push(paper_search *p, int next, uint32_t a, uint32_t b)
{
    snag__buffer *buffer = &p->body_pair->state->frontier[next];
    if (!snag__buffer_reserve(p->body_pair->ask->allocator, buffer, p->count, p->count + 1, sizeof(snag__region_pair)))
        return false;
    ((snag__region_pair *)buffer->data)[p->count++] = (snag__region_pair){a, b};
    return true;
}

// The closest vertices of two leaves (equation 5), then the walk.
static void compare_leaves(paper_search *p, snag__region_pair pair)
{
    const snag__region_bodies *body_pair = p->body_pair;
    const snag__mesh *const *mesh = body_pair->mesh;
    const snag__run a = body_pair->tree[0]->regions[pair.a].elements[SNAG_VERTEX];
    const snag__run b = body_pair->tree[1]->regions[pair.b].elements[SNAG_VERTEX];
    const uint32_t *vertices[2] = {body_pair->tree[0]->elements[SNAG_VERTEX] + a.first,
                                   body_pair->tree[1]->elements[SNAG_VERTEX] + b.first};
    uint32_t v[2] = {vertices[0][0], vertices[1][0]};
    double least = INFINITY;
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t k = 0; k < b.count; k++) {
            double squared = snag__region_squared(mesh[0]->x_t1[vertices[0][i]], mesh[1]->x_t1[vertices[1][k]]);
            if (squared < least) {
                least = squared;
                v[0] = vertices[0][i];
                v[1] = vertices[1][k];
            }
        }
    if (!(sqrt(least) < collision_distance(body_pair->ask->def)))
        return;
    body_pair->ask->statistics.region_contacts++;
    snag__region_walk(mesh, v);
    snag__region_offer_around(p->bodies, mesh, v, p->best);
}

// The parts of a region, or itself where it is a leaf.
static snag__run parts_of(const snag__regions *tree, uint32_t region)
{
    snag__run parts = tree->regions[region].parts;
    return parts.count > 0 ? parts : (snag__run){region, 1};
}

static bool open_both(paper_search *p, int next, snag__region_pair pair)
{
    snag__run a = parts_of(p->body_pair->tree[0], pair.a), b = parts_of(p->body_pair->tree[1], pair.b);
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t k = 0; k < b.count; k++)
            if (!push(p, next, a.first + i, b.first + k))
                return false;
    return true;
}

// Opens a pair if its middle vertices are near; opened leaves are compared.
static bool follow(paper_search *p, int next, snag__region_pair pair)
{
    const snag__region_bodies *body_pair = p->body_pair;
    const snag__region *a = &body_pair->tree[0]->regions[pair.a], *b = &body_pair->tree[1]->regions[pair.b];
    double squared = snag__region_squared(body_pair->mesh[0]->x_t1[a->middle], body_pair->mesh[1]->x_t1[b->middle]);
    bool whole = a->level == 0 && b->level == 0;
    if (!whole && !(sqrt(squared) < p->half[0][a->level] + p->half[1][b->level]))
        return true;
    if (!snag__region_note_opened(body_pair, pair))
        return false;
    if (!snag__region_is_leaf(a) || !snag__region_is_leaf(b))
        return open_both(p, next, pair);
    compare_leaves(p, pair);
    return true;
}

snag_status snag__region_paper_search(void *context, const snag__near_bodies *bodies, snag__nearest *best)
{
    const snag__region_bodies *from = context;
    snag__region_bodies body_pair;
    if (!snag__region_bodies_of(from->ask, from->state, bodies->first, bodies->second, &body_pair))
        return SNAG_ERROR_MEMORY;
    if (body_pair.tree[0]->region_count == 0 || body_pair.tree[1]->region_count == 0)
        return SNAG_OK;
    paper_search p = {.body_pair = &body_pair, .bodies = bodies, .best = best};
    choose_epsilons(&p);
    int now = 0;
    if (!push(&p, now, 0, 0))
        return SNAG_ERROR_MEMORY;
    while (p.count > 0) {
        const size_t count = p.count;
        p.count = 0;
        for (size_t i = 0; i < count; i++) {
            if (!follow(&p, !now, ((const snag__region_pair *)body_pair.state->frontier[now].data)[i]))
                return SNAG_ERROR_MEMORY;
            if (snag__round_over(body_pair.ask) && !snag__nearest_go_on(body_pair.ask, bodies, 0))
                return SNAG_OK;
        }
        now = !now;
    }
    return SNAG_OK;
}
