// The distance hierarchy: bodies are divided into regions, and the regions of two bodies are compared from the largest down to the
// leaves that can contain the closest features.
// Madera, Day, Laycock: A Distance Hierarchy to Detect Collisions Between Deformable Objects, 2007.
// Differs: regions are opened by bounds that contain the surface, not by lengths that the user tunes, and the closest features are
// exact; pairs of near leaves are kept until the bodies have moved as far as the pairs reach (see docs/design/regions.md).
#include "method/regions.h"

#include <math.h>
#include <string.h>

// Leaves with twice the squared radii they had when built cost more than new regions.
static const double DEGRADED = 2.0;
// A bound along each axis is one of the distance after multiplication by sqrt(3), rounded up.
static const double DIAGONAL = 1.7320509;

// ---- state ----

static void free_state(const snag_allocator *allocator, snag__buffer *memory)
{
    snag__region_state *state = memory->data;
    if (state == NULL)
        return;
    snag__region_tree *trees = state->trees[0].data;
    for (uint32_t i = 0; i < state->tree_count; i++)
        snag__regions_free(allocator, &trees[i].regions);
    for (int i = 0; i < SNAG__REGION_LINKS; i++)
        snag__region_links_free(&state->links[i], allocator);
    snag__body_pairs_free(allocator, &state->body_pairs);
    snag__buffer *buffers[] = {&state->trees[0], &state->trees[1], &state->frontier[0], &state->frontier[1], &state->near,
                               &state->stale,    &state->scratch,  &state->boxes,       &state->lines};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
    snag__buffer_free(allocator, memory);
}

static bool is_same_body(snag_body_id a, snag_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

static bool trees_fit(const snag__region_state *state, const snag__ask *ask)
{
    const snag__region_tree *trees = state->trees[0].data;
    for (uint32_t i = 0; i < ask->body_count && i < state->tree_count; i++)
        if (!is_same_body(trees[i].id, ask->bodies[i]->id) || trees[i].topology != ask->bodies[i]->topology)
            return false;
    return state->tree_count == ask->body_count;
}

// Frees the trees of removed bodies and gives new bodies empty ones. Old trees and bodies are both in the order of ids.
static bool fit_trees(snag__region_state *state, const snag__ask *ask)
{
    if (trees_fit(state, ask))
        return true;
    if (!snag__buffer_reserve(ask->allocator, &state->trees[1], 0, ask->body_count + 1u, sizeof(snag__region_tree)))
        return false;
    snag__region_tree *old = state->trees[0].data, *trees = state->trees[1].data;
    uint32_t at = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        snag_body_id id = ask->bodies[i]->id;
        for (; at < state->tree_count && old[at].id.index < id.index; at++)
            snag__regions_free(ask->allocator, &old[at].regions);
        trees[i] = (snag__region_tree){.id = id, .topology = ask->bodies[i]->topology};
        if (at < state->tree_count && is_same_body(old[at].id, id) && old[at].topology == ask->bodies[i]->topology)
            trees[i] = old[at++];
    }
    for (; at < state->tree_count; at++)
        snag__regions_free(ask->allocator, &old[at].regions);
    snag__buffer swap = state->trees[0];
    state->trees[0] = state->trees[1];
    state->trees[1] = swap;
    state->tree_count = ask->body_count;
    return true;
}

// Marks degraded trees as not built, and keeps their memory. Links name the build that their leaves belong to, so old leaves are not
// used any more.
static void drop_rebuild_due(snag__region_state *state)
{
    snag__region_tree *trees = state->trees[0].data;
    for (uint32_t i = 0; i < state->tree_count; i++)
        if (trees[i].rebuild_due) {
            trees[i].regions.build = 0;
            trees[i].rebuild_due = false;
        }
}

snag__region_state *snag__region_state_of(snag__ask *ask)
{
    snag__region_state *state = snag__state_of(ask, SNAG_METHOD_REGIONS, sizeof *state);
    if (state == NULL || !fit_trees(state, ask))
        return NULL;
    drop_rebuild_due(state);
    return state;
}

// ---- trees ----

// Whether the question is also about vertices inside a volume, as proximities with `every_pair` are.
static bool wants_inside(const snag__ask *ask, uint32_t index)
{
    return ask->def->question == SNAG_PROXIMITIES && ask->def->every_pair && ask->bodies[index]->mesh.tet_count > 0;
}

static bool build_tree(snag__ask *ask, snag__region_state *state, uint32_t index)
{
    SNAG__ASSERT(index < state->tree_count);
    snag__region_tree *tree = (snag__region_tree *)state->trees[0].data + index;
    if (!snag__regions_build(&tree->regions, &ask->bodies[index]->mesh, wants_inside(ask, index), ask->allocator, &state->scratch))
        return false;
    tree->regions.build = ++state->builds;
    return true;
}

bool snag__region_tree_need(snag__ask *ask, snag__region_state *state, uint32_t index)
{
    SNAG__ASSERT(index < state->tree_count && state->tree_count == ask->body_count);
    const snag__regions *regions = &((snag__region_tree *)state->trees[0].data)[index].regions;
    bool good = regions->build > 0 && (regions->inside || !wants_inside(ask, index));
    return good || build_tree(ask, state, index);
}

static void bound_tree(snag__ask *ask, snag__region_state *state, uint32_t index)
{
    snag__region_tree *tree = (snag__region_tree *)state->trees[0].data + index;
    const snag__body *body = ask->bodies[index];
    snag__regions_update(&tree->regions, &body->mesh, body->pose, ask->parallel, ask->isa);
    tree->displacement = body->displacement;
    tree->jumps = body->jumps;
}

bool snag__region_tree_update(snag__ask *ask, snag__region_state *state, uint32_t index)
{
    snag__region_tree *tree = (snag__region_tree *)state->trees[0].data + index;
    const snag__regions *regions = &tree->regions;
    if (!snag__region_tree_need(ask, state, index))
        return false;
    if (regions->region_count == 0 || regions->bounded[0] == ask->bodies[index]->pose)
        return true;
    bound_tree(ask, state, index);
    tree->rebuild_due = snag__regions_degradation(regions) > DEGRADED;
    return true;
}

bool snag__region_bodies_of(snag__ask *ask, snag__region_state *state, uint32_t first, uint32_t second,
                            snag__region_bodies *body_pair)
{
    *body_pair =
        (snag__region_bodies){.ask = ask, .state = state, .kernels = snag__region_kernels_for(ask->isa), .index = {first, second}};
    for (int side = 0; side < 2; side++) {
        uint32_t index = body_pair->index[side];
        body_pair->tree[side] = &((snag__region_tree *)state->trees[0].data)[index].regions;
        body_pair->mesh[side] = &ask->bodies[index]->mesh;
        if (!snag__region_tree_need(ask, state, index))
            return false;
    }
    return true;
}

double snag__region_approach(const snag__region_bodies *body_pair, const double displacement[2], const uint32_t jumps[2])
{
    double sum = 0;
    for (int side = 0; side < 2; side++)
        sum += snag__body_displacement_since(body_pair->ask->bodies[body_pair->index[side]], displacement[side], jumps[side]);
    return DIAGONAL * sum;
}

// ---- the method ----

static snag_status find(snag__ask *ask)
{
    return ask->def->question == SNAG_DISTANCE ? snag__regions_distance(ask) : snag__regions_proximities(ask);
}

const snag__method snag__regions_method = {
    .method = SNAG_METHOD_REGIONS,
    .questions = 1u << SNAG_DISTANCE | 1u << SNAG_PROXIMITIES,
    .follows_motion = true,
    .find = find,
    .free = free_state,
};
