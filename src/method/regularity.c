// Self-collision whose cost depends on what collides, not on the size of the surface.
// Volino, Magnenat Thalmann: Efficient self-collision detection on smoothly discretized surface animations using
// geometrical shape regularity, Eurographics 1994.
// Differs: the contour test is done, so that the answer is complete (`certified`); the paper's version without it (`paper`)
// and the hierarchy alone (`classical`) exist for comparison. The lowest patches hold 16 triangles, whose boxes are compared
// as a block. Patches are visited from a stack instead of by recursion. Impacts are answered too: the proof holds at all
// times of a move. See docs/design/regularity.md.
#include "bound/body_pairs.h"
#include "bound/bvh_kernel.h"
#include "bound/local_origin.h"
#include "bound/surface_tree.h"
#include "query/kind.h"
#include "method/regularity_contour.h"
#include "method/regularity_features.h"
#include "method/regularity_visits.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

_Static_assert((int)SNAG__PATCH_TRIANGLES == (int)SNAG__LEAF_ELEMENTS, "a patch without children is a leaf of the BVH");

enum {
    STACK = 4096,  // visits that wait: 55 for each level within patches, 10 for each level between two
    LEAF_PAIRS_OF_A_VISIT = SNAG__PATCH_CHILDREN * SNAG__PATCH_CHILDREN,
    FRONTIER = 512,  // visits to deal out: 8 for each task
    LEAF_PAIRS_OF_A_TASK = 256,
    CANDIDATES = 2 * SNAG__COMPARE_ROOM,  // pairs of triangles that wait for the exact test
    LEAVES_OF_A_TASK = 64,
};

// Fewest triangles for which a contour test pays, and most levels away: see is_worth_a_test and are_regular. Measured on
// crumpled and draped cloth, where the rest of the search is slowest.
enum { TRIANGLES_WITHIN = 16, TRIANGLES_BETWEEN = 64, TRIANGLES_AWAY = 512, AWAY_MAX = 2 };
// A part of the body's triangles that is always tested, so that small bodies are too.
enum { SMALL_BODY_PART = 128 };

// More directions make larger patches, but each costs time in every refit: see bench/bench_regularity.c.
enum { BEST_DIRECTIONS = 32 };

// Search for collisions within patch a (a == b in one tree), or between a and b.
typedef struct visit {
    uint32_t tree_a, a;
    uint32_t tree_b, b;
    uint32_t away;  // for how many levels the two have not been adjacent
} visit;

// The stack of one task of the search, and the pairs of leaves that it has found.
typedef struct worker {
    visit stack[STACK];
    uint32_t stack_count;
    snag__node_pair *leaf_pairs;  // leaves whose triangles are to be compared
    size_t leaf_pair_count, leaf_pair_capacity;
    size_t calls;  // of look_within and look_between
    size_t edges;  // of tested contours
    snag__contour_room room;
    snag__buffer leaf_pair_memory, room_memory;
} worker;

struct snag__regularity_state {
    snag__surface_tree *trees;  // one per body, in the order of the ask
    uint32_t tree_count;
    uint32_t *first_patch;  // by tree: the number of its first patch among all
    snag__directions directions;
    uint32_t direction_count;
    snag__projection projections[2 * SNAG__AXES];

    // The leaves in the form of the SIMD kernels of `kdop`: every patch is a node and a leaf of one BVH. Bounds are filled in
    // only for leaves that are compared. Its arrays are in the three buffers below, not in leaves.memory.
    snag__bvh leaves;
    snag__buffer leaf_memory, slot_bound_memory, node_bound_memory;
    snag__local_origin local_origin;  // of the triangles in single precision, by slot
    snag__buffer f32;
    snag__body_pairs body_pairs;
    snag__patch_features features;  // of the leaves, for impacts
    bool local_origin_fresh;  // the local origin belongs to the present trees
    uint8_t *wanted;  // by patch: its triangles are to be compared

    worker *workers;  // SNAG__MAX_TASKS, and one for the frontier
    snag__buffer tree_memory, worker_memory, bodies, visits[2], pairs, fills, looked, visited;
};

typedef struct search {
    snag__ask *ask;
    struct snag__regularity_state *state;
    snag_regularity_mode mode;
    bool moves;  // a swept question
    uint8_t *looked;  // by patch: the search looked at it; NULL: nobody wants to know
    const visit *visits;
    size_t visit_count;
    const snag__node_pair *pairs;
    size_t pair_count, first_pair;
    const uint32_t *fills;  // leaves whose bounds are filled in
    size_t fill_count;
    size_t tests[SNAG__MAX_TASKS];
    size_t edges;
} search;

// ---- state ----

static struct snag__regularity_state *state_of(snag__ask *ask)
{
    return snag__state_of(ask, SNAG_METHOD_REGULARITY, sizeof(struct snag__regularity_state));
}

static void free_state(const snag_allocator *allocator, snag__buffer *memory)
{
    struct snag__regularity_state *state = memory->data;
    if (state == NULL)
        return;
    for (uint32_t i = 0; i < state->tree_count; i++)
        snag__surface_tree_free(allocator, &state->trees[i]);
    for (int i = 0; state->workers != NULL && i <= SNAG__MAX_TASKS; i++) {
        snag__buffer_free(allocator, &state->workers[i].leaf_pair_memory);
        snag__buffer_free(allocator, &state->workers[i].room_memory);
    }
    snag__body_pairs_free(allocator, &state->body_pairs);
    snag__patch_features_free(allocator, &state->features);
    snag__buffer *buffers[] = {&state->leaf_memory,
                               &state->slot_bound_memory,
                               &state->node_bound_memory,
                               &state->f32,
                               &state->tree_memory,
                               &state->worker_memory,
                               &state->bodies,
                               &state->visits[0],
                               &state->visits[1],
                               &state->pairs,
                               &state->fills,
                               &state->looked,
                               &state->visited};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
    snag__buffer_free(allocator, memory);
}

// ---- trees of the bodies ----

static uint64_t name_of(const snag__body *body)
{
    return body->topology;
}

static bool trees_fit(const snag__ask *ask, const struct snag__regularity_state *state)
{
    if (state->leaves.trees == NULL || state->tree_count != ask->body_count)
        return false;
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (state->trees[i].body != name_of(ask->bodies[i]) || state->trees[i].mesh != &ask->bodies[i]->mesh)
            return false;
    return true;
}

// Takes the tree of a body from the old trees. False: there is none.
static bool take_tree(struct snag__regularity_state *state, uint64_t body, const snag__mesh *mesh, snag__surface_tree *tree)
{
    for (uint32_t i = 0; i < state->tree_count; i++)
        if (state->trees[i].body == body && state->trees[i].mesh == mesh) {
            *tree = state->trees[i];
            state->trees[i] = (snag__surface_tree){0};
            return true;
        }
    return false;
}

// Keeps the trees of bodies that still exist and builds those of new ones. On failure no trees are left.
static bool gather_trees(snag__ask *ask, struct snag__regularity_state *state)
{
    snag__buffer memory = {0};
    if (!snag__buffer_reserve(ask->allocator, &memory, 0, ask->body_count + 1u, sizeof(snag__surface_tree)))
        return false;
    snag__surface_tree *trees = memory.data;
    bool done = true;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        trees[i] = (snag__surface_tree){0};
        if (!done || take_tree(state, name_of(body), &body->mesh, &trees[i]))
            continue;
        done = snag__surface_tree_build(&trees[i], &body->mesh, ask->allocator);
        trees[i].body = name_of(body);
    }
    for (uint32_t i = 0; i < state->tree_count; i++)
        snag__surface_tree_free(ask->allocator, &state->trees[i]);
    snag__buffer_free(ask->allocator, &state->tree_memory);
    state->tree_memory = memory;
    state->trees = trees;
    state->tree_count = ask->body_count;
    return done;
}

// ---- the BVH of leaves ----

static bool reserve_leaves(snag__ask *ask, struct snag__regularity_state *state, size_t slots, size_t patches, snag__tree **trees)
{
    snag__bvh *leaves = &state->leaves;
    const snag__room rooms[] = {
        {NULL, trees, ask->body_count + 1u, sizeof **trees},
        {NULL, &state->first_patch, ask->body_count + 1u, sizeof *state->first_patch},
        {NULL, &leaves->elements, slots + 1, sizeof *leaves->elements},
        {NULL, &leaves->vertices, 3 * slots + 1, sizeof *leaves->vertices},
        {NULL, &leaves->nodes, patches + 1, sizeof *leaves->nodes},
        {NULL, &state->wanted, patches + 1, sizeof *state->wanted},
    };
    if (!snag__rooms_carve(ask->allocator, &state->leaf_memory, rooms, sizeof rooms / sizeof *rooms) ||
        !snag__patch_bounds_reserve(ask->allocator, &state->slot_bound_memory, slots, &leaves->slot_bounds) ||
        !snag__patch_bounds_reserve(ask->allocator, &state->node_bound_memory, patches, &leaves->node_bounds))
        return false;
    memset(state->wanted, 0, patches + 1);
    return true;
}

// Makes the leaf of a patch, with 16 slots of its own. The bounds of unused slots overlap nothing.
static void fill_node(snag__bvh *leaves, const snag__surface_tree *tree, const snag__patch *patch, uint32_t node, uint32_t slot)
{
    SNAG__ASSERT(patch->slot_count <= SNAG__LEAF_ELEMENTS && slot % SNAG__LEAF_ELEMENTS == 0);
    leaves->nodes[node].first = slot;
    leaves->nodes[node].count = (uint8_t)patch->slot_count;
    memcpy(leaves->elements + slot, tree->triangles + patch->first_slot, patch->slot_count * sizeof *tree->triangles);
    memcpy(leaves->vertices + 3 * (size_t)slot, tree->corners + patch->first_slot, patch->slot_count * sizeof *tree->corners);
}

// The trees of the BVH have no slots of their own: the local origin depends on their roots only.
static void fill_bvh(struct snag__regularity_state *state)
{
    snag__bvh *leaves = &state->leaves;
    uint32_t slot = 0, node = 0, vertex = 0;
    for (uint32_t i = 0; i < state->tree_count; i++) {
        const snag__surface_tree *tree = &state->trees[i];
        leaves->trees[i] = (snag__tree){.mesh = tree->mesh, .body = tree->body, .first_vertex = vertex, .root = node};
        state->first_patch[i] = node;
        for (uint32_t p = 0; p < tree->patch_count; p++) {
            leaves->nodes[node + p] = (snag__node){.leaf = 1, .tree = i};
            if (tree->patches[p].child_count > 0)
                continue;
            fill_node(leaves, tree, &tree->patches[p], node + p, slot);
            slot += SNAG__LEAF_ELEMENTS;
        }
        // A body without triangles has no patch, but a root: an empty box.
        node += tree->patch_count > 0 ? tree->patch_count : 1;
        vertex += tree->mesh->vertex_count;
    }
    leaves->slot_count = slot;
    leaves->node_count = node;
    leaves->tree_count = state->tree_count;
    leaves->kind = SNAG_TRIANGLE;
    leaves->corners = 3;
    leaves->shape = (snag__tree_shape){.k = 6, .arity = 8};
}

// Makes room for the longest contour test in each worker.
static bool reserve_workers(snag__ask *ask, struct snag__regularity_state *state)
{
    uint32_t longest = 0;
    for (uint32_t i = 0; i < state->tree_count; i++)
        longest = state->trees[i].longest_contour > longest ? state->trees[i].longest_contour : longest;
    if (state->workers == NULL) {
        if (!snag__buffer_reserve(ask->allocator, &state->worker_memory, 0, SNAG__MAX_TASKS + 1, sizeof(worker)))
            return false;
        state->workers = state->worker_memory.data;
        memset(state->workers, 0, (SNAG__MAX_TASKS + 1) * sizeof(worker));
    }
    for (int i = 0; i <= SNAG__MAX_TASKS; i++) {
        worker *w = &state->workers[i];
        if (!snag__contour_room_reserve(ask->allocator, &w->room_memory, 2 * longest, &w->room))
            return false;
    }
    return true;
}

static bool build_trees(snag__ask *ask, struct snag__regularity_state *state)
{
    state->leaves.trees = NULL;
    state->local_origin_fresh = state->features.fresh = false;
    if (!gather_trees(ask, state))
        return false;
    size_t slots = 0, patches = 0;
    for (uint32_t i = 0; i < state->tree_count; i++) {
        const snag__surface_tree *tree = &state->trees[i];
        for (uint32_t p = 0; p < tree->patch_count; p++)
            slots += tree->patches[p].child_count == 0 ? SNAG__LEAF_ELEMENTS : 0;
        patches += tree->patch_count + 1u;
    }
    snag__tree *trees;
    if (!reserve_leaves(ask, state, slots, patches, &trees) || !reserve_workers(ask, state))
        return false;
    state->leaves.trees = trees;
    fill_bvh(state);
    SNAG__ASSERT(state->leaves.slot_count == slots && state->leaves.node_count <= patches);
    return true;
}

// Updates trees, boxes and directions to the present positions, or to the motion of the step.
static snag_status update(snag__ask *ask, struct snag__regularity_state *state, bool moves)
{
    if (!trees_fit(ask, state) && !build_trees(ask, state))
        return SNAG_ERROR_MEMORY;
    if (moves && !state->features.fresh &&
        !snag__patch_features_build(&state->features, state->trees, state->tree_count, state->first_patch, state->leaves.node_count,
                                    ask->allocator))
        return SNAG_ERROR_MEMORY;
    uint32_t count = ask->def->directions != 0 ? ask->def->directions : BEST_DIRECTIONS;
    if (count != state->direction_count) {
        snag__directions_make(count, &state->directions);
        snag__projections_make(&state->directions, state->projections);
        state->direction_count = count;
    }
    for (uint32_t i = 0; i < state->tree_count; i++) {
        snag__surface_tree *tree = &state->trees[i];
        snag__body *body = ask->bodies[i];
        if (tree->pose == (moves ? body->motion : body->pose) && tree->axes == state->directions.axes && tree->swept == moves)
            continue;
        tree->swept = moves;
        snag__surface_tree_refit(tree, &state->directions, ask->parallel, ask->isa);
        tree->pose = moves ? body->motion : body->pose;
        tree->axes = state->directions.axes;
        // If all normals are certain, no triangle has zero area.
        if (tree->needles == 0) {
            body->degenerate = 0;
            body->degenerate_pose = body->pose;
        }
    }
    return SNAG_OK;
}

// ---- the paper's two procedures ----

// Whether a contour test of this many triangles costs less than the search that it may save. With few triangles it does not,
// since whole blocks of them are compared at once; small bodies are tested all the same.
static bool is_worth_a_test(const search *s, const snag__surface_tree *tree, uint32_t triangles, uint32_t worth_while)
{
    if (s->mode != SNAG_REGULARITY_CERTIFIED)
        return s->mode == SNAG_REGULARITY_PAPER;
    return triangles >= worth_while || triangles >= tree->triangle_count / SMALL_BODY_PART;
}

// Condition (b) of properties I and II: the projected contour does not intersect itself. The paper assumes it.
static bool contour_is_good(const search *s, worker *w, const snag__surface_tree *tree, uint32_t a, uint32_t b, uint64_t faced)
{
    if (s->mode == SNAG_REGULARITY_PAPER)
        return true;
    w->edges += tree->patches[a].contour_count + (b != NONE ? tree->patches[b].contour_count : 0);
    uint32_t direction = snag__middle_direction(&s->state->directions, faced);
    return snag__contour_is_simple(tree, a, b, &s->state->projections[direction], s->moves, s->ask->isa, &w->room);
}

// Property I: a patch that faces one direction and whose contour is good has no self-collision.
static bool is_regular(const search *s, worker *w, const snag__surface_tree *tree, uint32_t a)
{
    uint64_t faced = tree->patches[a].directions;
    return faced != 0 && is_worth_a_test(s, tree, tree->patches[a].slot_count, TRIANGLES_WITHIN) &&
           contour_is_good(s, w, tree, a, NONE, faced);
}

// Property II: two adjacent patches that face one direction do not collide with each other either. The contour test proves this
// for any two patches; it also pays for those that only a thin strip separates. `away` counts for how many levels they have not
// been adjacent.
static bool are_regular(const search *s, worker *w, const snag__surface_tree *tree, uint32_t a, uint32_t b, uint32_t *away)
{
    uint64_t faced = tree->patches[a].directions & tree->patches[b].directions;
    uint32_t triangles = tree->patches[a].slot_count + tree->patches[b].slot_count;
    if (faced == 0 || !is_worth_a_test(s, tree, triangles, TRIANGLES_BETWEEN))
        return false;
    *away = snag__patches_adjacent(tree, a, b, NULL) ? 0 : *away + 1;
    if (*away > 0 && (s->mode == SNAG_REGULARITY_PAPER || *away > AWAY_MAX || !is_worth_a_test(s, tree, triangles, TRIANGLES_AWAY)))
        return false;
    return contour_is_good(s, w, tree, a, b, faced);
}

static bool boxes_meet(const snag__patch *a, const snag__patch *b)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(a->lo[axis] <= b->hi[axis] && b->lo[axis] <= a->hi[axis]))
            return false;
    return true;
}

// Several workers may look at one patch.
static void note_look(const search *s, uint32_t tree, uint32_t patch)
{
    if (s->looked != NULL)
        __atomic_store_n(&s->looked[s->state->first_patch[tree] + patch], 1, __ATOMIC_RELAXED);
}

static void push(worker *w, uint32_t tree_a, uint32_t a, uint32_t tree_b, uint32_t b, uint32_t away)
{
    SNAG__ASSERT(w->stack_count < STACK);
    w->stack[w->stack_count++] = (visit){tree_a, a, tree_b, b, away};
}

// Adds a pair of leaves whose triangles are to be compared.
static void add_leaf_pair(const search *s, worker *w, const visit *t)
{
    if (w->leaf_pair_count < w->leaf_pair_capacity)
        w->leaf_pairs[w->leaf_pair_count] =
            (snag__node_pair){s->state->first_patch[t->tree_a] + t->a, s->state->first_patch[t->tree_b] + t->b};
    w->leaf_pair_count++;
}

// The paper's procedure (b), between two patches: if their boxes meet, between the smaller one and the children of the larger.
// Returns whether the two were proven regular, each and together.
static bool look_between(const search *s, worker *w, const visit *t)
{
    const snag__surface_tree *tree_a = &s->state->trees[t->tree_a], *tree_b = &s->state->trees[t->tree_b];
    const snag__patch *a = &tree_a->patches[t->a], *b = &tree_b->patches[t->b];
    uint32_t away = t->away;
    w->calls++;
    note_look(s, t->tree_a, t->a);
    note_look(s, t->tree_b, t->b);
    if (!boxes_meet(a, b))
        return false;
    if (tree_a == tree_b && are_regular(s, w, tree_a, t->a, t->b, &away))
        return true;
    if (a->child_count == 0 && b->child_count == 0)
        add_leaf_pair(s, w, t);
    else if (b->child_count == 0 || (a->child_count > 0 && a->slot_count >= b->slot_count))
        for (uint32_t i = 0; i < a->child_count; i++)
            push(w, t->tree_a, a->first_child + i, t->tree_b, t->b, away);
    else
        for (uint32_t i = 0; i < b->child_count; i++)
            push(w, t->tree_a, t->a, t->tree_b, b->first_child + i, away);
    return false;
}

// The paper's procedure (a), within a patch: within each of its children, and between any two of them. The latter comes first: two
// that are regular together are each regular too.
static void look_within(const search *s, worker *w, const visit *t)
{
    const snag__surface_tree *tree = &s->state->trees[t->tree_a];
    const snag__patch *patch = &tree->patches[t->a];
    w->calls++;
    note_look(s, t->tree_a, t->a);
    if (is_regular(s, w, tree, t->a))
        return;
    if (patch->child_count == 0) {
        add_leaf_pair(s, w, t);
        return;
    }
    uint32_t proven = 0, first = patch->first_child;
    for (uint32_t i = 0; i < patch->child_count; i++)
        for (uint32_t j = i + 1; j < patch->child_count; j++)
            if (look_between(s, w, &(visit){t->tree_a, first + i, t->tree_a, first + j, 0}))
                proven |= 1u << i | 1u << j;
    for (uint32_t i = 0; i < patch->child_count; i++)
        if ((proven >> i & 1) == 0)
            push(w, t->tree_a, first + i, t->tree_a, first + i, 0);
}

static void look(const search *s, worker *w, const visit *t)
{
    SNAG__ASSERT(t->tree_a < s->state->tree_count && t->a < s->state->trees[t->tree_a].patch_count);
    SNAG__ASSERT(t->tree_b < s->state->tree_count && t->b < s->state->trees[t->tree_b].patch_count);
    if (t->tree_a == t->tree_b && t->a == t->b)
        look_within(s, w, t);
    else
        look_between(s, w, t);
}

// ---- many bodies ----

// Appends a visit to a growing array; false if there is no memory.
static bool add_visit(const search *s, snag__buffer *buffer, size_t *count, visit t)
{
    if (!snag__buffer_reserve(s->ask->allocator, buffer, *count, *count + 1, sizeof(visit)))
        return false;
    ((visit *)buffer->data)[(*count)++] = t;
    return true;
}

// Starts with each body and all pairs of bodies whose boxes meet, by a hierarchy of bodies (2.3.6).
static snag_status start_at_bodies(search *s, size_t *count)
{
    struct snag__regularity_state *state = s->state;
    *count = 0;
    if (!snag__buffer_reserve(s->ask->allocator, &state->bodies, 0, state->tree_count + 1u, sizeof(snag__body_box)))
        return SNAG_ERROR_MEMORY;
    snag__body_box *boxes = state->bodies.data;
    for (uint32_t i = 0; i < state->tree_count; i++) {
        const snag__surface_tree *tree = &state->trees[i];
        for (int axis = 0; axis < 3; axis++) {
            boxes[i].lo[axis] = tree->patch_count > 0 ? tree->patches[0].lo[axis] : INFINITY;
            boxes[i].hi[axis] = tree->patch_count > 0 ? tree->patches[0].hi[axis] : -INFINITY;
        }
    }
    if (!snag__body_pairs_find(&state->body_pairs, boxes, state->tree_count, s->ask->allocator))
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < state->body_pairs.pair_count; i++) {
        snag__body_pair pair = state->body_pairs.pairs[i];
        if (snag__wanted(s->ask, pair.a, pair.b) && !add_visit(s, &state->visits[0], count, (visit){pair.a, 0, pair.b, 0, 0}))
            return SNAG_ERROR_MEMORY;
    }
    return SNAG_OK;
}

// ---- the search ----

static bool reserve_leaf_pairs(const search *s, worker *w, size_t count)
{
    if (!snag__buffer_reserve(s->ask->allocator, &w->leaf_pair_memory,
                              w->leaf_pair_count < w->leaf_pair_capacity ? w->leaf_pair_count : w->leaf_pair_capacity, count,
                              sizeof *w->leaf_pairs))
        return false;
    w->leaf_pairs = w->leaf_pair_memory.data;
    w->leaf_pair_capacity = w->leaf_pair_memory.bytes / sizeof *w->leaf_pairs;
    return true;
}

// Processes visits breadth first until there are enough to deal out.
static snag_status widen_frontier(search *s, size_t count)
{
    worker *front = &s->state->workers[SNAG__MAX_TASKS];
    snag__buffer *visits = s->state->visits;
    int now = 0;
    for (int step = 0; step < SNAG__SURFACE_LEVELS && count > 0 && count < FRONTIER; step++) {
        size_t next = 0;
        for (size_t i = 0; i < count; i++) {
            front->stack_count = 0;
            if (!reserve_leaf_pairs(s, front, front->leaf_pair_count + LEAF_PAIRS_OF_A_VISIT))
                return SNAG_ERROR_MEMORY;
            look(s, front, (const visit *)visits[now].data + i);
            for (uint32_t k = 0; k < front->stack_count; k++)
                if (!add_visit(s, &visits[!now], &next, front->stack[k]))
                    return SNAG_ERROR_MEMORY;
        }
        count = next;
        now = !now;
    }
    s->visits = visits[now].data;
    s->visit_count = count;
    return SNAG_OK;
}

// Neighbours in the frontier have similar costs, so they go to different workers.
static void run_worker(void *context, uint32_t index)
{
    const search *s = context;
    worker *w = &s->state->workers[index];
    w->calls = w->edges = w->leaf_pair_count = 0;
    for (size_t i = index; i < s->visit_count; i += SNAG__MAX_TASKS) {
        w->stack_count = 0;
        look(s, w, &s->visits[i]);
        while (w->stack_count > 0) {
            visit top = w->stack[--w->stack_count];
            look(s, w, &top);
        }
    }
}

// Runs all workers, and again if one had too little room.
static snag_status run_workers(search *s)
{
    for (bool again = true; again;) {
        snag__parallel_for(s->ask->parallel, SNAG__MAX_TASKS, run_worker, s);
        again = false;
        for (int i = 0; i < SNAG__MAX_TASKS; i++) {
            worker *w = &s->state->workers[i];
            if (w->leaf_pair_count <= w->leaf_pair_capacity)
                continue;
            again = true;
            if (!reserve_leaf_pairs(s, w, w->leaf_pair_count))
                return SNAG_ERROR_MEMORY;
        }
    }
    return SNAG_OK;
}

static snag_status join_leaf_pairs(search *s)
{
    struct snag__regularity_state *state = s->state;
    size_t count = 0, joined = 0;
    for (int i = 0; i <= SNAG__MAX_TASKS; i++) {
        count += state->workers[i].leaf_pair_count;
        s->ask->statistics.visited += state->workers[i].calls;
        s->edges += state->workers[i].edges;
    }
    if (!snag__buffer_reserve(s->ask->allocator, &state->pairs, 0, count + 1, sizeof(snag__node_pair)))
        return SNAG_ERROR_MEMORY;
    snag__node_pair *pairs = state->pairs.data;
    for (int i = 0; i <= SNAG__MAX_TASKS; i++) {
        const worker *w = &state->workers[i];
        if (w->leaf_pair_count > 0)
            memcpy(pairs + joined, w->leaf_pairs, w->leaf_pair_count * sizeof *pairs);
        joined += w->leaf_pair_count;
    }
    SNAG__ASSERT(joined == count);
    s->pairs = pairs;
    s->pair_count = count;
    return SNAG_OK;
}

// ---- triangles of leaves ----

static void fill_task(void *context, uint32_t task)
{
    const search *s = context;
    struct snag__regularity_state *state = s->state;
    snag__bvh *leaves = &state->leaves;
    const snag__box_kernels *boxes = snag__box_kernels_for(s->ask->isa);
    const snag__f32_filter_kernels *f32 = snag__f32_filter_kernels_for(s->ask->isa);
    size_t first = (size_t)task * LEAVES_OF_A_TASK;
    for (size_t i = first; i < first + LEAVES_OF_A_TASK && i < s->fill_count; i++) {
        uint32_t patch = s->fills[i];
        const snag__node *node = &leaves->nodes[patch];
        const snag__surface_tree *tree = &state->trees[node->tree];
        const snag__patch *leaf = &tree->patches[patch - state->first_patch[node->tree]];
        for (int axis = 0; axis < 3; axis++) {
            leaves->node_bounds.lo[axis][patch] = leaf->lo[axis];
            leaves->node_bounds.hi[axis][patch] = leaf->hi[axis];
        }
        boxes->kdop_from_elements(s->moves ? (const double(*)[3])tree->mesh->x_t0 : NULL, (const double(*)[3])tree->mesh->x_t1,
                                  leaves->vertices, 3, node->first, node->count, 0, &leaves->slot_bounds);
        if (s->moves)
            snag__patch_features_fill(&state->features, tree->mesh, patch, s->ask->isa);
        else if (s->mode != SNAG_REGULARITY_CLASSICAL)
            f32->fill((const double(*)[3])tree->mesh->x_t1, (const uint32_t(*)[3])leaves->vertices + node->first, node->count,
                      state->local_origin.centre, (snag__f32_triangle *)state->f32.data + node->first);
    }
}

// Fills in bounds and single-precision copies of the triangles of all leaves that are to be compared, each once.
static snag_status fill_leaves(search *s)
{
    struct snag__regularity_state *state = s->state;
    if (!snag__buffer_reserve(s->ask->allocator, &state->fills, 0, state->leaves.node_count + 1u, sizeof(uint32_t)))
        return SNAG_ERROR_MEMORY;
    uint32_t *fills = state->fills.data;
    size_t count = 0;
    for (size_t i = 0; i < s->pair_count; i++) {
        const uint32_t both[2] = {s->pairs[i].a, s->pairs[i].b};
        for (int k = 0; k < 2; k++)
            if (!state->wanted[both[k]]) {
                state->wanted[both[k]] = 1;
                fills[count++] = both[k];
            }
    }
    for (size_t i = 0; i < count; i++)
        state->wanted[fills[i]] = 0;
    s->fills = fills;
    s->fill_count = count;

    snag__bvh *leaves = &state->leaves;
    for (uint32_t i = 0; i < state->tree_count; i++)
        for (int axis = 0; axis < 3 && state->trees[i].patch_count > 0; axis++) {
            leaves->node_bounds.lo[axis][leaves->trees[i].root] = state->trees[i].patches[0].lo[axis];
            leaves->node_bounds.hi[axis][leaves->trees[i].root] = state->trees[i].patches[0].hi[axis];
        }
    if (!s->moves && s->mode != SNAG_REGULARITY_CLASSICAL) {
        if (!snag__buffer_reserve(s->ask->allocator, &state->f32, 0, leaves->slot_count + 1u, sizeof(snag__f32_triangle)))
            return SNAG_ERROR_MEMORY;
        snag__local_origin_fit(&state->local_origin, leaves, !state->local_origin_fresh);
        state->local_origin_fresh = true;
    }
    snag__parallel_for(s->ask->parallel, (uint32_t)((count + LEAVES_OF_A_TASK - 1) / LEAVES_OF_A_TASK), fill_task, s);
    return SNAG_OK;
}

// Candidates for the exact test, by their slots.
typedef struct candidates {
    uint32_t rows[CANDIDATES], columns[CANDIDATES];
    uint32_t pairs[CANDIDATES][2];
} candidates;

// Compares the triangles of pairs of leaves of the same two bodies.
static void compare_leaves(search *s, uint32_t task, snag__record_list *list, candidates *h, const snag__node_pair *pairs,
                           size_t count)
{
    const snag__bvh *leaves = &s->state->leaves;
    const snag__bvh_search bvhs = {.rows = leaves, .columns = leaves, .symmetric = true};
    const snag__slots slots = {
        .elements = leaves->elements,
        .vertices = (const uint32_t(*)[3])leaves->vertices,
        .f32 = s->mode != SNAG_REGULARITY_CLASSICAL ? s->state->f32.data : NULL,
        .f32_rounding = snag__f32_rounding(s->state->local_origin.reach),
    };
    uint32_t body_a = leaves->nodes[pairs[0].a].tree, body_b = leaves->nodes[pairs[0].b].tree;
    for (size_t next = 0; next < count;) {
        size_t found = snag__bvh_kernels_for(s->ask->isa)->compare(&bvhs, pairs, count, &next, h->rows, h->columns, CANDIDATES);
        SNAG__ASSERT(found <= CANDIDATES);
        s->tests[task] += found;
        for (size_t i = 0; i < found; i++) {
            h->pairs[i][0] = h->rows[i];
            h->pairs[i][1] = h->columns[i];
        }
        snag__narrow_phase_slots(s->ask, list, &slots, body_a, body_b, (const uint32_t(*)[2])h->pairs, found);
    }
}

static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    search *s = context;
    const snag__node *nodes = s->state->leaves.nodes;
    candidates h;
    s->tests[index] = 0;
    size_t first = s->first_pair + (size_t)index * LEAF_PAIRS_OF_A_TASK;
    size_t last = first + LEAF_PAIRS_OF_A_TASK < s->pair_count ? first + LEAF_PAIRS_OF_A_TASK : s->pair_count;
    for (size_t i = first, j; i < last; i = j) {
        for (j = i + 1; j < last && nodes[s->pairs[j].a].tree == nodes[s->pairs[i].a].tree &&
                        nodes[s->pairs[j].b].tree == nodes[s->pairs[i].b].tree;)
            j++;
        if (s->moves)
            s->tests[index] +=
                snag__patch_features_compare(&s->state->features, &s->state->leaves, s->ask, list, s->pairs + i, j - i);
        else
            compare_leaves(s, index, list, &h, s->pairs + i, j - i);
    }
}

static snag_status compare_all(search *s)
{
    const size_t round = (size_t)SNAG__MAX_TASKS * LEAF_PAIRS_OF_A_TASK;
    snag_status status = SNAG_OK;
    for (; status == SNAG_OK && s->first_pair < s->pair_count; s->first_pair += round) {
        size_t left = s->pair_count - s->first_pair;
        uint32_t tasks = left < round ? (uint32_t)((left + LEAF_PAIRS_OF_A_TASK - 1) / LEAF_PAIRS_OF_A_TASK) : SNAG__MAX_TASKS;
        status = snag__run_tasks(s->ask, tasks, run_task, s);
        for (uint32_t i = 0; i < tasks; i++)
            s->ask->statistics.tested += s->tests[i];
        if (status == SNAG_OK && !snag__go_on(s->ask, fmin((double)(s->first_pair + round) / (double)s->pair_count, 1)))
            break;
    }
    return status;
}

// ---- all of it ----

static snag_status search_trees(search *s)
{
    worker *front = &s->state->workers[SNAG__MAX_TASKS];
    front->calls = front->edges = front->leaf_pair_count = 0;
    size_t count;
    snag_status status = start_at_bodies(s, &count);
    if (status == SNAG_OK)
        status = widen_frontier(s, count);
    if (status == SNAG_OK)
        status = run_workers(s);
    if (status == SNAG_OK)
        status = join_leaf_pairs(s);
    if (status == SNAG_OK && s->pair_count > 0)
        status = fill_leaves(s);
    return status == SNAG_OK ? compare_all(s) : status;
}

static snag_status find(snag__ask *ask)
{
    search s = {.ask = ask, .mode = ask->def->regularity, .moves = ask->kind->swept};
    s.state = state_of(ask);
    snag_status status = s.state != NULL ? update(ask, s.state, s.moves) : SNAG_ERROR_MEMORY;
    if (status != SNAG_OK)
        return status;
    if (s.moves && s.state->features.loose)
        return SNAG__DECLINED;
    if (ask->def->visits) {
        size_t patches = s.state->leaves.node_count + 1u;
        if (!snag__buffer_reserve(ask->allocator, &s.state->looked, 0, patches, 1))
            return SNAG_ERROR_MEMORY;
        s.looked = memset(s.state->looked.data, 0, patches);
    }
    status = search_trees(&s);
    if (status == SNAG_OK && s.looked != NULL)
        status = snag__patch_visits_list(ask, &s.state->visited, s.state->trees, s.state->first_patch, s.looked);
    ask->contour_edges = s.edges;
    return status;
}

// The proofs say nothing about distances: with a separation neighbours are too close whatever direction they face.
static bool declines(const snag__question *question)
{
    return question->question == SNAG_IMPACTS && question->separation > 0;
}

static snag_status read_options(const snag_method_options *options, snag__question *question, snag__words *message)
{
    const snag_regularity_options *own = (const snag_regularity_options *)options;
    if (own->directions != 0 && own->directions != 6 && own->directions != 12 && own->directions != 32 && own->directions != 62)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the directions must be 6, 12, 32 or 62, not %u", own->directions);
    question->directions = own->directions;
    SNAG__ASSERT(question->method == SNAG_METHOD_REGULARITY && own->directions <= 2 * SNAG__AXES);
    return SNAG_OK;
}

const snag__method snag__regularity = {
    .method = SNAG_METHOD_REGULARITY,
    .questions = 1u << SNAG_INTERSECTIONS | 1u << SNAG_IMPACTS,
    .read_options = read_options,
    .declines = declines,
    .find = find,
    .free = free_state,
};
