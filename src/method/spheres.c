// The on-collide sphere tree: branches exist only where bodies have recently come close to each other.
// Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection pipeline, 2005, section 5.
// Differs: the larger of two spheres is opened, not always both; the tree of a body that deforms starts over; triangles of leaves
// that meet are tested exactly, which the paper leaves to future work (see docs/design/spheres.md).
#include "method/spheres.h"

#include <math.h>

enum {
    OVERLAPS_DEPTH = 5,  // the paper's
    FEW_TRIANGLES = 12,  // a node with no more is a leaf, where triangles are tested anyway
    IDLE_ASKS = 64,  // after which an unused branch is freed
    STACK = 16 * (SNAG__SPHERE_DEPTH_MAX + 1),  // 8 children for each level of both trees
    BLOCK = 64,  // triangles of a leaf that are compared together
    CANDIDATES = 2 * BLOCK * BLOCK,
    OPENED = 64,  // nodes between two checks of the clock
};

typedef struct search {
    snag__ask *ask;
    snag__spheres_state *state;
    const snag__sphere_kernels *kernels;
    uint32_t depth;
    bool exact;  // triangles are wanted, not spheres
    bool count_only;  // pairs of leaves are counted but not kept
    uint32_t opened;  // nodes
} search;

// ---- descent ----

static bool is_leaf(const search *s, snag__sphere_node node)
{
    if (s->exact && snag__sphere_is_coarse(node))
        return false;  // its triangles are not known yet
    bool fine = snag__sphere_count(node) <= FEW_TRIANGLES || node.level->crowded;
    return node.level->depth >= s->depth || (s->exact && fine) || node.level->blurred || !snag__sphere_can_cut(node);
}

// Writes a pair field by field: copying whole pairs would stall on the stores of their parts.
static void put_pair(snag__sphere_pair *pair, snag__sphere_node opened, snag__sphere_node other, bool open_a, uint32_t body_a,
                     uint32_t body_b)
{
    pair->a.level = open_a ? opened.level : other.level;
    pair->a.child = open_a ? opened.child : other.child;
    pair->b.level = open_a ? other.level : opened.level;
    pair->b.child = open_a ? other.child : opened.child;
    pair->body_a = body_a;
    pair->body_b = body_b;
}

static void count_pairs(search *s)
{
    s->ask->scratch->lists[0].pair_count += s->state->pair_count;
    s->state->pair_count = 0;
}

// Opens one node of a pair. Its children that meet the other node go to the stack; pairs of leaves go to state->pairs.
static snag_status open_node(search *s, const snag__sphere_pair *pair, bool open_a, snag__sphere_pair *stack, size_t *waiting)
{
    uint32_t body_a = pair->body_a, body_b = pair->body_b, i = open_a ? body_a : body_b;
    snag__sphere_node opened = open_a ? pair->a : pair->b, other = open_a ? pair->b : pair->a;
    snag__sphere_level *level;
    snag_status status = snag__spheres_below(s->ask, s->state, i, opened, &level);
    if (status != SNAG_OK)
        return status;
    snag__sphere_visit(&snag__spheres_body_of(s->state, s->ask, i)->tree, level, s->state->step);
    size_t count = s->state->pair_count;
    SNAG__ASSERT(*waiting + 8 <= STACK);
    if (!snag__buffer_reserve(s->ask->allocator, &s->state->pairs, count, count + 8, sizeof *pair))
        return SNAG_ERROR_MEMORY;
    snag__sphere_pair *found = (snag__sphere_pair *)s->state->pairs.data + count, *next = stack + *waiting;
    snag__sphere sphere;
    snag__sphere_of(other, &sphere);
    bool other_leaf = is_leaf(s, other);
    s->ask->statistics.visited += level->child_count;
    for (uint32_t rest = s->kernels->touch(&level->spheres, &sphere, s->exact) & level->grey; rest != 0; rest &= rest - 1) {
        snag__sphere_node child = {level, (uint32_t)__builtin_ctz(rest)};
        put_pair(other_leaf && is_leaf(s, child) ? found++ : next++, child, other, open_a, body_a, body_b);
    }
    s->state->pair_count = (size_t)(found - (snag__sphere_pair *)s->state->pairs.data);
    *waiting = (size_t)(next - stack);
    if (s->count_only)
        count_pairs(s);
    return SNAG_OK;
}

// Two bodies that overlap everywhere may take long, so budget and progress are checked on the way.
static bool may_go_on(search *s)
{
    s->opened++;
    if (s->opened % OPENED != 0 || !snag__round_over(s->ask))
        return true;
    if (!snag__go_on(s->ask, s->ask->done))
        return false;
    snag__round_begin(s->ask);
    return true;
}

// Finds all pairs of leaves of two bodies whose spheres meet, or some if the search is stopped.
static snag_status descend(search *s, uint32_t i, uint32_t j)
{
    snag__sphere_pair stack[STACK];
    size_t waiting = 0;
    stack[waiting++] = (snag__sphere_pair){
        .a = snag__sphere_root(&snag__spheres_body_of(s->state, s->ask, i)->tree),
        .b = snag__sphere_root(&snag__spheres_body_of(s->state, s->ask, j)->tree),
        .body_a = i,
        .body_b = j,
    };
    while (waiting > 0 && may_go_on(s)) {
        const snag__sphere_pair *pair = &stack[--waiting];
        bool leaf_a = is_leaf(s, pair->a), leaf_b = is_leaf(s, pair->b);
        if (leaf_a && leaf_b) {  // both roots
            if (!snag__buffer_reserve(s->ask->allocator, &s->state->pairs, s->state->pair_count, s->state->pair_count + 1,
                                      sizeof *pair))
                return SNAG_ERROR_MEMORY;
            ((snag__sphere_pair *)s->state->pairs.data)[s->state->pair_count++] = *pair;
            continue;
        }
        bool open_a = leaf_b || (!leaf_a && pair->a.level->spheres.radius >= pair->b.level->spheres.radius);
        snag_status status = open_node(s, pair, open_a, stack, &waiting);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

// ---- pairs of bodies ----

static float float_below(double x)
{
    float rounded = (float)x;
    return (double)rounded <= x ? rounded : nextafterf(rounded, -INFINITY);
}

// The box of a body, or of its sphere where spheres are the answer.
static snag__body_box body_pairs_box(const search *s, uint32_t i)
{
    const snag__spheres_body *body = snag__spheres_body_of(s->state, s->ask, i);
    snag__body_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (snag__triangle_count(s->ask->bodies[i]) == 0)
        return box;
    snag__sphere sphere;
    snag__sphere_of((snag__sphere_node){(snag__sphere_level *)&body->tree.root, 0}, &sphere);
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = float_below(s->exact ? body->lo[axis] : sphere.centre[axis] - sphere.radius);
        box.hi[axis] = -float_below(-(s->exact ? body->hi[axis] : sphere.centre[axis] + sphere.radius));
    }
    return box;
}

static snag_status pair_bodies(search *s)
{
    snag__ask *ask = s->ask;
    snag__spheres_state *state = s->state;
    if (!snag__buffer_reserve(ask->allocator, &state->boxes, 0, ask->body_count + 1u, sizeof(snag__body_box)))
        return SNAG_ERROR_MEMORY;
    snag__body_box *boxes = state->boxes.data;
    for (uint32_t i = 0; i < ask->body_count; i++)
        boxes[i] = body_pairs_box(s, i);
    if (!snag__body_pairs_find(&state->body_pairs, boxes, ask->body_count, ask->allocator))
        return SNAG_ERROR_MEMORY;
    snag_status status = SNAG_OK;
    snag__round_begin(ask);
    for (size_t k = 0; k < state->body_pairs.pair_count && status == SNAG_OK && !ask->stopped; k++) {
        snag__body_pair pair = state->body_pairs.pairs[k];
        if (pair.a != pair.b && snag__wanted(ask, pair.a, pair.b))
            status = descend(s, pair.a, pair.b);
        if (s->count_only)
            count_pairs(s);
        if (status == SNAG_OK && !ask->stopped)
            snag__go_on(ask, 0.5 * (double)(k + 1) / (double)state->body_pairs.pair_count);
    }
    return status;
}

// ---- overlaps: the leaves themselves ----

static bool note_leaf(search *s, snag__sphere_node node, uint32_t body, size_t *count)
{
    if (node.level->rank[node.child] != 0)
        return true;
    snag__buffer *leaves = &s->state->leaves;
    if (!snag__buffer_reserve(s->ask->allocator, leaves, *count, *count + 1, sizeof(snag__leaf)))
        return false;
    snag__leaf *leaf = (snag__leaf *)leaves->data + *count;
    snag__sphere sphere;
    snag__sphere_of(node, &sphere);
    *leaf = (snag__leaf){.body = body, .code = snag__sphere_code(node), .radius = sphere.radius};
    for (int axis = 0; axis < 3; axis++)
        leaf->centre[axis] = sphere.centre[axis];
    node.level->rank[node.child] = (uint32_t)++ * count;
    return true;
}

// Sorts the leaves by body and code into the second half of state->leaves. Afterwards `extra` of record i is the new number of the
// leaf that was number i.
static bool sort_leaves(search *s, size_t count)
{
    if (!snag__buffer_reserve(s->ask->allocator, &s->state->sorted, 0, 2 * count + 2, sizeof(snag__record)) ||
        !snag__buffer_reserve(s->ask->allocator, &s->state->leaves, count, 2 * count + 2, sizeof(snag__leaf)))
        return false;
    snag__record *records = s->state->sorted.data;
    snag__leaf *leaves = s->state->leaves.data, *sorted = leaves + count;
    for (size_t i = 0; i < count; i++)
        records[i] = (snag__record){.key = (uint64_t)leaves[i].body << 32 | leaves[i].code, .kind = (uint32_t)i};
    snag__sort_records(records, records + count + 1, count);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = leaves[records[i].kind];
        records[records[i].kind].extra = (uint32_t)i;
    }
    return true;
}

static void forget_ranks(const search *s)
{
    const snag__sphere_pair *pairs = s->state->pairs.data;
    for (size_t k = 0; k < s->state->pair_count; k++) {
        pairs[k].a.level->rank[pairs[k].a.child] = 0;
        pairs[k].b.level->rank[pairs[k].b.child] = 0;
    }
}

// Appends a record for each pair of leaves. Keys are indices into the sorted leaves.
static snag_status list_overlaps(search *s)
{
    const snag__sphere_pair *pairs = s->state->pairs.data;
    size_t count = 0, pair_count = s->state->pair_count;
    bool good = pair_count < UINT32_MAX / 2;
    for (size_t k = 0; k < pair_count && good; k++)
        good = note_leaf(s, pairs[k].a, pairs[k].body_a, &count) && note_leaf(s, pairs[k].b, pairs[k].body_b, &count);
    snag__record_list *list = &s->ask->scratch->lists[0];
    good = good && sort_leaves(s, count) && snag__record_list_reserve(s->ask->answer_allocator, list, pair_count + 1);
    const snag__record *order = s->state->sorted.data;
    for (size_t k = 0; k < pair_count && good; k++) {
        uint64_t a = order[pairs[k].a.level->rank[pairs[k].a.child] - 1].extra;
        uint64_t b = order[pairs[k].b.level->rank[pairs[k].b.child] - 1].extra;
        SNAG__ASSERT(a < count && b < count && list->count < list->capacity);
        list->records[list->count++] = (snag__record){.key = a < b ? a << 32 | b : b << 32 | a, .kind = SNAG_OVERLAP};
    }
    list->pair_count += good ? pair_count : 0;
    forget_ranks(s);
    if (count > 0)
        s->ask->leaves = (const snag__leaf *)s->state->leaves.data + count;
    return good ? SNAG_OK : SNAG_ERROR_MEMORY;
}

// ---- intersections: the triangles of leaves ----

// Triangles of a leaf whose boxes meet the other leaf's box.
typedef struct near_triangles {
    uint32_t count, triangles[BLOCK];
    double lo[BLOCK][3], hi[BLOCK][3];
} near_triangles;

static void gather_near(const snag__triangle_view *view, const uint32_t *list, uint32_t first, uint32_t last,
                        const snag__sphere *other, near_triangles *near)
{
    near->count = 0;
    SNAG__ASSERT(first <= last && last - first <= BLOCK);
    for (uint32_t i = first; i < last; i++) {
        uint32_t t = snag__view_index(view, list != NULL ? list[i] : i);
        const uint32_t *v = view->triangles[t];
        const double *a = view->x[v[0]], *b = view->x[v[1]], *c = view->x[v[2]];
        double *lo = near->lo[near->count], *hi = near->hi[near->count];
        bool apart = false;
        for (int axis = 0; axis < 3; axis++) {
            double low = a[axis] < b[axis] ? a[axis] : b[axis], high = a[axis] > b[axis] ? a[axis] : b[axis];
            lo[axis] = low < c[axis] ? low : c[axis];
            hi[axis] = high > c[axis] ? high : c[axis];
            apart =
                apart || hi[axis] < other->centre[axis] - other->half[axis] || lo[axis] > other->centre[axis] + other->half[axis];
        }
        near->triangles[near->count] = t;
        near->count += !apart;
    }
}

static size_t compare_near(const near_triangles *a, const near_triangles *b, uint32_t (*pairs)[2])
{
    size_t count = 0;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) {
            bool meet = true;
            for (int axis = 0; axis < 3; axis++)
                meet &= (a->lo[i][axis] <= b->hi[j][axis]) & (b->lo[j][axis] <= a->hi[i][axis]);
            pairs[count][0] = a->triangles[i];
            pairs[count][1] = b->triangles[j];
            count += meet;
        }
    return count;
}

// Candidates of one pair of bodies that wait for the exact test.
typedef struct candidates {
    uint32_t body_a, body_b;
    size_t count;
    uint32_t pairs[CANDIDATES][2];
} candidates;

static void flush(const search *s, snag__record_list *list, candidates *h)
{
    static const snag__pass pass = {SNAG_TRIANGLE, SNAG_TRIANGLE};
    if (h->count > 0)
        snag__narrow_phase(s->ask, list, &pass, h->body_a, h->body_b, (const uint32_t(*)[2])h->pairs, h->count);
    h->count = 0;
}

static void compare_leaves(const search *s, snag__record_list *list, const snag__sphere_pair *pair, candidates *h)
{
    snag__triangle_view view_a = snag__view_triangles(s->ask->bodies[pair->body_a]);
    snag__triangle_view view_b = snag__view_triangles(s->ask->bodies[pair->body_b]);
    const uint32_t *list_a = snag__sphere_list(pair->a), *list_b = snag__sphere_list(pair->b);
    uint32_t count_a = snag__sphere_count(pair->a), count_b = snag__sphere_count(pair->b);
    snag__sphere sphere_a, sphere_b;
    snag__sphere_of(pair->a, &sphere_a);
    snag__sphere_of(pair->b, &sphere_b);
    if (h->count > 0 && (h->body_a != pair->body_a || h->body_b != pair->body_b))
        flush(s, list, h);
    h->body_a = pair->body_a;
    h->body_b = pair->body_b;
    near_triangles a, b;
    for (uint32_t i = 0; i < count_a; i += BLOCK) {
        gather_near(&view_a, list_a, i, i + BLOCK < count_a ? i + BLOCK : count_a, &sphere_b, &a);
        for (uint32_t j = 0; j < count_b && a.count > 0; j += BLOCK) {
            gather_near(&view_b, list_b, j, j + BLOCK < count_b ? j + BLOCK : count_b, &sphere_a, &b);
            h->count += compare_near(&a, &b, h->pairs + h->count);
            if (h->count > CANDIDATES - BLOCK * BLOCK)
                flush(s, list, h);
        }
    }
}

static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    const search *s = context;
    const snag__sphere_pair *pairs = s->state->pairs.data;
    size_t count = s->state->pair_count;
    candidates h;  // not cleared: clearing 64 kB for each task would cost more than the search
    h.count = 0;
    for (size_t k = count * index / SNAG__MAX_TASKS; k < count * (index + 1) / SNAG__MAX_TASKS; k++)
        compare_leaves(s, list, &pairs[k], &h);
    flush(s, list, &h);
}

// ---- an ask ----

static snag_status find(snag__ask *ask)
{
    snag__spheres_state *state = snag__spheres_state_of(ask);
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    search s = {
        .ask = ask,
        .state = state,
        .kernels = snag__sphere_kernels_for(ask->isa),
        .depth = ask->def->depth,
        .exact = ask->def->question == SNAG_INTERSECTIONS,
        .count_only = ask->def->question == SNAG_OVERLAPS && ask->def->candidates,
    };
    if (s.depth == 0)
        s.depth = s.exact ? SNAG__SPHERE_DEPTH_MAX : OVERLAPS_DEPTH;
    SNAG__ASSERT(s.depth <= SNAG__SPHERE_DEPTH_MAX);
    SNAG__ASSERT(state->busy <= state->step);
    state->step++;
    state->pair_count = 0;
    snag_status status = snag__spheres_update(ask, state, s.depth);
    if (status == SNAG_OK)
        status = pair_bodies(&s);
    if (ask->statistics.visited > 0 || state->pair_count > 0)
        state->busy = state->step;
    if (status == SNAG_OK && s.exact)
        status = snag__spheres_fill_windows(ask, state);
    if (status == SNAG_OK)
        status = s.exact ? snag__run_tasks(ask, SNAG__MAX_TASKS, run_task, &s) : list_overlaps(&s);
    uint64_t idle = ask->def->idle != 0 ? ask->def->idle : IDLE_ASKS;
    if (status == SNAG_OK && state->step > idle)
        snag__spheres_forget(ask, state, state->step - idle);
    if (status == SNAG_OK && ask->def->trees)
        status = snag__spheres_draw(ask, state);
    return status;
}

static snag_status read_options(const snag_method_options *options, snag__question *question, snag__words *message)
{
    const snag_spheres_options *own = (const snag_spheres_options *)options;
    if (own->depth > SNAG_DEPTH_MAX)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the depth must be 0 to %d, not %u", SNAG_DEPTH_MAX, own->depth);
    if ((unsigned)own->backend >= SNAG_BACKEND_COUNT)
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: there is no backend %d", (int)own->backend);
    if (!snag_backend_built_in(own->backend))
        return snag__refuse(message, SNAG_ERROR_UNSUPPORTED, "ask: this build has no backend %s", snag_backend_name(own->backend));
    question->depth = own->depth;
    question->idle = own->idle;
    question->backend = own->backend;
    return SNAG_OK;
}

const snag__method snag__spheres = {
    .method = SNAG_METHOD_SPHERES,
    .questions = 1u << SNAG_INTERSECTIONS | 1u << SNAG_OVERLAPS,
    .between = true,
    .blind = true,
    .counts_candidates = true,
    .read_options = read_options,
    .find = find,
    .free = snag__spheres_free,
};
