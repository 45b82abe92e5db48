#include "bound/bvh.h"

#include "bound/bvh_kernel.h"

#include <math.h>
#include <string.h>

// Below this level ranges are halved by count, so that no distribution of elements makes a tree deeper than its arrays.
enum { LEVEL_OF_HALVING = 30 };

// Elements of one task of parallel work, while a level of a tree is cut.
enum { SLOTS_TO_CUT = 1024 };

// ---- which elements ----

static uint32_t corners_of(snag_element_kind kind)
{
    return (uint32_t)kind + 1;
}

static const uint32_t *vertices_of(const snag__mesh *mesh, snag_element_kind kind)
{
    switch (kind) {
    case SNAG_EDGE: return (const uint32_t *)mesh->edges;
    case SNAG_TRIANGLE: return (const uint32_t *)mesh->triangles;
    case SNAG_TET: return (const uint32_t *)mesh->tets;
    default: return NULL;
    }
}

static uint32_t count_of(const snag__mesh *mesh, snag_element_kind kind)
{
    const uint32_t counts[] = {mesh->vertex_count, mesh->edge_count, mesh->triangle_count, mesh->tet_count};
    return counts[kind];
}

bool snag__bvh_fits(const snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                    uint32_t body_count)
{
    if (bvh->trees == NULL || bvh->kind != kind || bvh->tree_count != body_count || bvh->shape.k != shape.k ||
        bvh->shape.arity != shape.arity)
        return false;
    for (uint32_t i = 0; i < body_count; i++)
        if (bvh->trees[i].body != bodies[i].body || bvh->trees[i].mesh != bodies[i].mesh)
            return false;
    return true;
}

// ---- memory ----

// Points the slabs of a run of bounds into one block of memory.
static bool carve_bounds(const snag_allocator *allocator, snag__buffer *memory, uint32_t k, size_t count, snag__kdops *bounds)
{
    // One vector more than padding asks for: leaves are read from any slot by whole vectors.
    size_t padded = snag__box_padded(count) + SNAG__BOX_PAD;
    if (!snag__buffer_reserve(allocator, memory, 0, k * padded, sizeof(float)))
        return false;
    *bounds = (snag__kdops){.count = count, .k = k};
    for (uint32_t slab = 0; slab < k / 2; slab++) {
        bounds->lo[slab] = (float *)memory->data + 2 * (size_t)slab * padded;
        bounds->hi[slab] = bounds->lo[slab] + padded;
    }
    snag__kdops_clear(bounds, count, padded);
    return true;
}

static bool reserve(snag__bvh *bvh, uint32_t tree_count, size_t slots, size_t nodes, const snag_allocator *allocator)
{
    snag__buffer *memory = bvh->memory;
    if (!snag__buffer_reserve(allocator, &memory[0], 0, tree_count + 1u, sizeof *bvh->trees) ||
        !snag__buffer_reserve(allocator, &memory[1], 0, slots + 1, sizeof *bvh->elements) ||
        !snag__buffer_reserve(allocator, &memory[2], 0, slots * bvh->corners + 1, sizeof *bvh->vertices) ||
        !snag__buffer_reserve(allocator, &memory[3], 0, nodes + 1, sizeof *bvh->nodes) ||
        !carve_bounds(allocator, &memory[4], bvh->shape.k, slots, &bvh->slot_bounds) ||
        !carve_bounds(allocator, &memory[5], bvh->shape.k, nodes, &bvh->node_bounds) ||
        !snag__buffer_reserve(allocator, &memory[9], 0, slots / SNAG__LEAF_ELEMENTS + 1, sizeof *bvh->leaves))
        return false;
    bvh->trees = memory[0].data;
    bvh->elements = memory[1].data;
    bvh->vertices = memory[2].data;
    bvh->nodes = memory[3].data;
    bvh->leaves = memory[9].data;
    return true;
}

void snag__bvh_free(const snag_allocator *allocator, snag__bvh *bvh)
{
    for (size_t i = 0; i < sizeof bvh->memory / sizeof *bvh->memory; i++)
        snag__buffer_free(allocator, &bvh->memory[i]);
    *bvh = (snag__bvh){0};
}

// ---- building ----

// An element on its way to its slot.
typedef struct item {
    double centre[3];
    uint32_t element;
} item;

// What building one tree works on: its elements, and their order as far as it is known.
typedef struct growth {
    snag__bvh *bvh;
    snag__tree *tree;
    item *items;  // by slot of the tree
    double *key;  // projections of the centres of the range that is being split, by slot
    double directions[SNAG__KDOP_SLABS_MAX][3];
    // By node of the tree: the end of its range, while it has not been split; and then of its children's.
    uint32_t *last;
    uint32_t (*ends)[SNAG__ARITY_MAX];
    uint32_t level_first, level_count;  // nodes of the level that is being split
    uint32_t tasks;  // of parallel work
} growth;

// The centres of the elements' boxes: split by them the boxes of the parts overlap less than by the elements' own centres.
static void find_centres(const snag__mesh *mesh, snag_element_kind kind, item *items)
{
    const uint32_t *vertices = vertices_of(mesh, kind);
    uint32_t corners = corners_of(kind), count = count_of(mesh, kind);
    for (uint32_t e = 0; e < count; e++) {
        items[e].element = e;
        for (int axis = 0; axis < 3; axis++) {
            double lo = INFINITY, hi = -INFINITY;
            for (uint32_t c = 0; c < corners; c++) {
                double x = mesh->x_t1[vertices != NULL ? vertices[(size_t)e * corners + c] : e][axis];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            items[e].centre[axis] = lo / 2 + hi / 2;
        }
    }
}

typedef struct span {
    double lo, hi;
} span;

static void widen_span(span *s, double x)
{
    s->lo = x < s->lo ? x : s->lo;
    s->hi = x > s->hi ? x : s->hi;
}

static double along(const growth *plan, uint32_t slab, const item *x)
{
    const double *n = plan->directions[slab];
    return n[0] * x->centre[0] + n[1] * x->centre[1] + n[2] * x->centre[2];
}

// The slab in which the centres of a range spread the most, relative to the length of its direction. The first three are the axes.
static uint32_t longest_side(const growth *plan, uint32_t first, uint32_t last, double *middle)
{
    uint32_t slabs = plan->bvh->shape.k / 2, longest = 0;
    span spans[SNAG__KDOP_SLABS_MAX];
    for (uint32_t slab = 0; slab < SNAG__KDOP_SLABS_MAX; slab++)
        spans[slab] = (span){INFINITY, -INFINITY};
    for (uint32_t i = first; i < last; i++)
        for (uint32_t axis = 0; axis < 3; axis++)
            widen_span(&spans[axis], plan->items[i].centre[axis]);
    for (uint32_t slab = 3; slab < slabs; slab++)
        for (uint32_t i = first; i < last; i++)
            widen_span(&spans[slab], along(plan, slab, &plan->items[i]));
    double best = -1;
    *middle = 0;
    for (uint32_t slab = 0; slab < slabs; slab++) {
        const double *n = plan->directions[slab];
        double lo = spans[slab].lo, hi = spans[slab].hi;
        double length = (hi - lo) / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length > best) {
            best = length;
            longest = slab;
            *middle = lo + (hi - lo) / 2;
        }
    }
    return longest;
}

static void find_keys(const growth *plan, uint32_t first, uint32_t last, uint32_t slab)
{
    for (uint32_t i = first; i < last; i++)
        plan->key[i] = slab < 3 ? plan->items[i].centre[slab] : along(plan, slab, &plan->items[i]);
}

static void swap_slots(const growth *plan, uint32_t i, uint32_t j)
{
    item moved = plan->items[i];
    plan->items[i] = plan->items[j];
    plan->items[j] = moved;
    double key = plan->key[i];
    plan->key[i] = plan->key[j];
    plan->key[j] = key;
}

// Brings the keys of first .. last - 1 that are below a limit to the front; returns the first slot behind them.
static uint32_t part_below(const growth *plan, uint32_t first, uint32_t last, double limit)
{
    for (;; first++) {
        while (first < last && plan->key[first] < limit)
            first++;
        while (first < last && !(plan->key[last - 1] < limit))
            last--;
        if (first == last)
            return first;
        swap_slots(plan, first, --last);
    }
}

// Brings the smallest keys of first .. last - 1 to the slots before `cut`. Quickselect with the middle of three.
static void select_smallest(const growth *plan, uint32_t first, uint32_t last, uint32_t cut)
{
    while (last - first > 2) {
        uint32_t middle = first + (last - first) / 2;
        double a = plan->key[first], b = plan->key[middle], c = plan->key[last - 1];
        double pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        uint32_t i = first, j = last - 1;
        while (i <= j) {
            while (plan->key[i] < pivot)
                i++;
            while (plan->key[j] > pivot)
                j--;
            if (i <= j) {
                swap_slots(plan, i, j);
                i++;
                if (j == 0)
                    break;
                j--;
            }
        }
        if (cut <= j)
            last = j + 1;
        else if (cut >= i)
            first = i;
        else
            return;
    }
    if (last - first == 2 && plan->key[first] > plan->key[first + 1])
        swap_slots(plan, first, first + 1);
}

// Neighbours among the elements of a leaf should be in one vector.
static void halve_leaf(const growth *plan, uint32_t first, uint32_t last)
{
    double middle;
    find_keys(plan, first, last, longest_side(plan, first, last, &middle));
    select_smallest(plan, first, last, first + SNAG__LEAF_ELEMENTS / 2);
}

// Splits a range through the centre of its longest side, at a slot that leaves whole leaves on the left: all leaves but
// the tree's last are then full. Returns the first slot of the right part.
static uint32_t split(const growth *plan, uint32_t first, uint32_t last, uint32_t level)
{
    double middle;
    find_keys(plan, first, last, longest_side(plan, first, last, &middle));
    uint32_t centre = part_below(plan, first, last, middle);
    uint32_t leaves = (last - first + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    uint32_t left_leaves = (centre - first + SNAG__LEAF_ELEMENTS / 2) / SNAG__LEAF_ELEMENTS;
    if (level >= LEVEL_OF_HALVING)
        left_leaves = leaves / 2;
    if (left_leaves < 1)
        left_leaves = 1;
    if (left_leaves > leaves - 1)
        left_leaves = leaves - 1;
    uint32_t cut = first + left_leaves * SNAG__LEAF_ELEMENTS;
    if (cut < centre)
        select_smallest(plan, first, centre, cut);
    else if (cut > centre)
        select_smallest(plan, centre, last, cut);
    return cut;
}

// Cuts the range of a node into at most `arity` parts, always the largest next; `bounds` gets their ends.
static uint32_t cut_range(const growth *plan, uint32_t first, uint32_t last, uint32_t level, uint32_t bounds[SNAG__ARITY_MAX + 1])
{
    uint32_t parts = 1;
    bounds[0] = first;
    bounds[1] = last;
    while (parts < plan->bvh->shape.arity) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < parts; i++)
            if (bounds[i + 1] - bounds[i] > bounds[largest + 1] - bounds[largest])
                largest = i;
        if (bounds[largest + 1] - bounds[largest] <= SNAG__LEAF_ELEMENTS)
            break;
        uint32_t middle = split(plan, bounds[largest], bounds[largest + 1], level);
        memmove(&bounds[largest + 2], &bounds[largest + 1], (parts - largest) * sizeof *bounds);
        bounds[largest + 1] = middle;
        parts++;
    }
    return parts;
}

// Makes a node a leaf, or finds the ranges of its children.
static void cut_node(const growth *plan, uint32_t node_index)
{
    snag__node *node = &plan->bvh->nodes[node_index];
    const snag__tree *tree = plan->tree;
    uint32_t first = node->first, last = plan->last[node_index - tree->root];
    if (last - first <= SNAG__LEAF_ELEMENTS) {
        if (last - first > SNAG__LEAF_ELEMENTS / 2)
            halve_leaf(plan, first, last);
        *node = (snag__node){.first = tree->first_slot + first, .count = (uint8_t)(last - first), .leaf = 1, .tree = node->tree};
        plan->bvh->leaves[node->first / SNAG__LEAF_ELEMENTS] = node_index;
        return;
    }
    uint32_t bounds[SNAG__ARITY_MAX + 1];
    node->count = (uint8_t)cut_range(plan, first, last, tree->levels, bounds);
    memcpy(plan->ends[node_index - tree->root], bounds + 1, node->count * sizeof *bounds);
}

// Ranges of nodes share no slot.
static void cut_some_nodes(void *context, uint32_t task)
{
    const growth *plan = context;
    uint64_t count = plan->level_count;
    uint32_t last = plan->level_first + (uint32_t)(count * (task + 1) / plan->tasks);
    for (uint32_t node = plan->level_first + (uint32_t)(count * task / plan->tasks); node < last; node++)
        cut_node(plan, node);
}

static void add_children(const growth *plan, uint32_t node_index)
{
    snag__bvh *bvh = plan->bvh;
    snag__node *node = &bvh->nodes[node_index];
    const uint32_t *ends = plan->ends[node_index - plan->tree->root];
    if (node->leaf)
        return;
    uint32_t first = node->first;
    node->first = bvh->node_count;
    for (uint32_t i = 0; i < node->count; i++) {
        plan->last[bvh->node_count - plan->tree->root] = ends[i];
        bvh->nodes[bvh->node_count++] = (snag__node){.first = first, .tree = node->tree};
        node->leaf_children |= (uint8_t)((ends[i] - first <= SNAG__LEAF_ELEMENTS) << i);
        first = ends[i];
    }
}

// The elements and their vertices, in the order that was found.
static void settle(const growth *plan)
{
    const snag__tree *tree = plan->tree;
    snag__bvh *bvh = plan->bvh;
    const uint32_t *vertices = vertices_of(tree->mesh, bvh->kind);
    for (uint32_t i = 0; i < tree->slot_count; i++) {
        uint32_t slot = tree->first_slot + i, element = plan->items[i].element;
        bvh->elements[slot] = element;
        for (uint32_t c = 0; c < bvh->corners; c++)
            bvh->vertices[(size_t)slot * bvh->corners + c] =
                vertices != NULL ? vertices[(size_t)element * bvh->corners + c] : element;
    }
}

static void grow_tree(growth *plan, uint32_t tree_index, const snag__parallel *parallel)
{
    snag__bvh *bvh = plan->bvh;
    snag__tree *tree = plan->tree = &bvh->trees[tree_index];
    find_centres(tree->mesh, bvh->kind, plan->items);
    tree->root = bvh->node_count++;
    bvh->nodes[tree->root] = (snag__node){.first = 0, .tree = tree_index};
    plan->last[0] = tree->slot_count;
    tree->levels = 0;
    for (plan->level_first = tree->root; plan->level_first < bvh->node_count; plan->level_first += plan->level_count) {
        plan->level_count = bvh->node_count - plan->level_first;
        tree->level_first[tree->levels] = plan->level_first;
        uint32_t tasks = tree->slot_count / SLOTS_TO_CUT + 1;
        plan->tasks = tasks < plan->level_count ? tasks : plan->level_count;
        snag__parallel_for(parallel, plan->tasks, cut_some_nodes, plan);
        for (uint32_t i = 0; i < plan->level_count; i++)
            add_children(plan, plan->level_first + i);
        tree->levels++;
    }
    tree->level_first[tree->levels] = bvh->node_count;
    settle(plan);
}

// Nodes that a tree of so many elements can have: its leaves are full, and every other node has two children or more.
static size_t nodes_at_most(size_t elements)
{
    size_t leaves = (elements + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    return 2 * leaves + 1;
}

// Every leaf has a whole vector of slots to itself, the empty leaf of a body without elements too.
static size_t padded(size_t elements)
{
    size_t leaves = (elements + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    return (leaves > 0 ? leaves : 1) * SNAG__LEAF_ELEMENTS;
}

// Slots that hold no element overlap nothing, not even what is infinite: leaves are compared by all their slots.
static void clear_padding(snag__bvh *bvh, const snag__tree *tree)
{
    uint32_t first = tree->first_slot + tree->slot_count;
    for (uint32_t slot = first; slot < bvh->slot_count; slot++)
        bvh->elements[slot] = UINT32_MAX;
    snag__kdops_clear(&bvh->slot_bounds, first, bvh->slot_count);
}

static bool reserve_plan(growth *plan, size_t elements, const snag_allocator *allocator, snag__buffer *scratch)
{
    size_t nodes = nodes_at_most(elements);
    size_t bytes = elements * (sizeof *plan->items + sizeof *plan->key) + nodes * (sizeof *plan->ends + sizeof *plan->last);
    if (!snag__buffer_reserve(allocator, scratch, 0, bytes + 1, 1))
        return false;
    plan->items = scratch->data;
    plan->key = (double *)(plan->items + elements);
    plan->ends = (uint32_t(*)[SNAG__ARITY_MAX])(plan->key + elements);
    plan->last = (uint32_t *)(plan->ends + nodes);
    return true;
}

bool snag__bvh_build(snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                     uint32_t body_count, const snag_allocator *allocator, const snag__parallel *parallel, snag__buffer *scratch)
{
    size_t slots = 0, nodes = 0, largest = 0;
    for (uint32_t i = 0; i < body_count; i++) {
        size_t count = count_of(bodies[i].mesh, kind);
        slots += padded(count);
        nodes += nodes_at_most(count);
        largest = count > largest ? count : largest;
    }
    bvh->trees = NULL;
    bvh->builds++;
    bvh->tree_count = bvh->node_count = 0;
    bvh->kind = kind;
    bvh->shape = shape;
    bvh->corners = corners_of(kind);
    growth plan = {.bvh = bvh};
    snag__kdop_directions(shape.k, plan.directions);
    if (!reserve_plan(&plan, largest, allocator, scratch) || !reserve(bvh, body_count, slots, nodes, allocator)) {
        bvh->trees = NULL;
        return false;
    }

    uint32_t vertices = 0;
    bvh->slot_count = 0;
    for (uint32_t i = 0; i < body_count; i++) {
        bvh->trees[i] = (snag__tree){
            .mesh = bodies[i].mesh,
            .body = bodies[i].body,
            .first_slot = bvh->slot_count,
            .slot_count = count_of(bodies[i].mesh, kind),
            .first_vertex = vertices,
        };
        vertices += bodies[i].mesh->vertex_count;
        bvh->tree_count = i + 1;
        grow_tree(&plan, i, parallel);
        bvh->slot_count += (uint32_t)padded(bvh->trees[i].slot_count);
        clear_padding(bvh, &bvh->trees[i]);
    }
    return true;
}

// ---- refitting ----

// Elements of one task of parallel work; a multiple of the leaf, so that tasks share no vector.
enum { SLOTS_OF_A_TASK = 2048, NODES_OF_A_TASK = 256 };

typedef struct refit {
    snag__bvh *bvh;
    const snag__tree *tree;
    const double (*x_t0)[3], (*x_t1)[3];  // what the tree's bounds are made of
    double inflate;
    const snag__box_kernels *boxes;
    const snag__bvh_kernels *kernels;
    snag__plane_cull *plane_cull;  // to be filled on the way, or NULL
    const snag__plane_cull_kernels *plane_cull_kernels;
    snag__quantized_aabbs *quantized;  // the same
    const snag__quantized_aabb_kernels *quantum_kernels;
    uint32_t first, last;  // nodes, or slots, or vertices of this stage
} refit;

static void bound_slots(const refit *r, uint32_t first, uint32_t count)
{
    snag__bvh *bvh = r->bvh;
    if (r->plane_cull == NULL) {
        r->boxes->kdop_from_elements(r->x_t0, r->x_t1, bvh->vertices, bvh->corners, first, count, r->inflate, &bvh->slot_bounds);
        return;
    }
    r->plane_cull_kernels->fill(r->tree->mesh, (const uint32_t(*)[3])bvh->vertices, first, count, r->plane_cull, &bvh->slot_bounds);
    r->boxes->kdop_grow(first, count, r->inflate, &bvh->slot_bounds);
}

// What is made of the bounds of slots is made while they are in the cache.
static void refit_slots(void *context, uint32_t task)
{
    const refit *r = context;
    uint32_t first = r->first + task * SLOTS_OF_A_TASK;
    uint32_t last = r->last - first < SLOTS_OF_A_TASK ? r->last : first + SLOTS_OF_A_TASK;
    uint32_t first_leaf = first / SNAG__LEAF_ELEMENTS, last_leaf = (last + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    bound_slots(r, first, last - first);
    r->kernels->merge_leaves(r->bvh, first_leaf, last_leaf);
    if (r->quantized != NULL)
        r->quantum_kernels->fill(r->bvh, first_leaf, last_leaf, r->quantized);
}

static void refit_nodes(void *context, uint32_t task)
{
    const refit *r = context;
    uint32_t first = r->first + task * NODES_OF_A_TASK;
    uint32_t last = r->last - first < NODES_OF_A_TASK ? r->last : first + NODES_OF_A_TASK;
    r->kernels->merge_inner(r->bvh, first, last);
}

static uint32_t tasks_of(uint32_t count, uint32_t of_a_task)
{
    return (count + of_a_task - 1) / of_a_task;
}

// Runs a stage on the nodes of each level, from the lowest up.
static void for_levels(refit *r, const snag__parallel *parallel, snag__task *stage)
{
    for (uint32_t level = r->tree->levels; level-- > 0;) {
        r->first = r->tree->level_first[level];
        r->last = r->tree->level_first[level + 1];
        snag__parallel_for(parallel, tasks_of(r->last - r->first, NODES_OF_A_TASK), stage, r);
    }
}

static void refit_tree(refit *r, const snag__parallel *parallel)
{
    r->first = r->tree->first_slot;
    r->last = r->tree->first_slot + r->tree->slot_count;
    snag__parallel_for(parallel, tasks_of(r->tree->slot_count, SLOTS_OF_A_TASK), refit_slots, r);
    if (r->tree->slot_count == 0)
        r->kernels->merge_leaves(r->bvh, r->first / SNAG__LEAF_ELEMENTS, r->first / SNAG__LEAF_ELEMENTS + 1);
    for_levels(r, parallel, refit_nodes);
}

// ---- lazy refitting ----
// Bounds are made of reference positions and grown by the margin. A vertex that leaves the ball of that radius around its
// reference gets a new one, and only leaves with such a vertex, and the nodes above them, get new bounds.

static bool reserve_lazy(snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t vertices = 0;
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        vertices += bvh->trees[i].mesh->vertex_count;
    if (!snag__buffer_reserve(allocator, &bvh->memory[6], 0, vertices + 1, sizeof *bvh->reference) ||
        !snag__buffer_reserve(allocator, &bvh->memory[7], 0, vertices + 1, 1) ||
        !snag__buffer_reserve(allocator, &bvh->memory[8], 0, bvh->node_count + 1u, 1))
        return false;
    bvh->reference = bvh->memory[6].data;
    bvh->moved = bvh->memory[7].data;
    bvh->renewed = bvh->memory[8].data;
    return true;
}

// Per axis, so that no square can overflow or vanish: a cube inside the ball.
static bool has_left(const double x[3], const double reference[3], double margin)
{
    return !(fabs(x[0] - reference[0]) <= margin && fabs(x[1] - reference[1]) <= margin && fabs(x[2] - reference[2]) <= margin);
}

static void follow_vertices(void *context, uint32_t task)
{
    const refit *r = context;
    const snag__bvh *bvh = r->bvh;
    const double(*x)[3] = (const double(*)[3])r->tree->mesh->x_t1;
    double(*reference)[3] = bvh->reference + r->tree->first_vertex, margin = 0.577 * bvh->lazy;
    uint8_t *moved = bvh->moved + r->tree->first_vertex;
    uint32_t first = r->first + task * SLOTS_OF_A_TASK;
    uint32_t last = r->last - first < SLOTS_OF_A_TASK ? r->last : first + SLOTS_OF_A_TASK;
    for (uint32_t v = first; v < last; v++) {
        moved[v] = has_left(x[v], reference[v], margin);
        if (moved[v])
            memcpy(reference[v], x[v], sizeof x[v]);
    }
}

static bool is_stale(const refit *r, const snag__node *node)
{
    const snag__bvh *bvh = r->bvh;
    uint8_t stale = 0;
    if (node->leaf) {
        const uint8_t *moved = bvh->moved + r->tree->first_vertex;
        size_t first = (size_t)node->first * bvh->corners, count = (size_t)node->count * bvh->corners;
        for (size_t i = first; i < first + count; i++)
            stale |= moved[bvh->vertices[i]];
    } else {
        for (uint32_t i = 0; i < node->count; i++)
            stale |= bvh->renewed[node->first + i];
    }
    return stale;
}

static void refit_stale_nodes(void *context, uint32_t task)
{
    const refit *r = context;
    uint32_t first = r->first + task * NODES_OF_A_TASK;
    uint32_t last = r->last - first < NODES_OF_A_TASK ? r->last : first + NODES_OF_A_TASK;
    for (uint32_t n = first; n < last; n++) {
        const snag__node *node = &r->bvh->nodes[n];
        r->bvh->renewed[n] = is_stale(r, node);
        if (!r->bvh->renewed[n])
            continue;
        if (node->leaf)
            bound_slots(r, node->first, node->count);
        r->kernels->merge(r->bvh, n, n + 1);
    }
}

static void refit_tree_lazily(refit *r, const snag__parallel *parallel, bool all)
{
    const snag__tree *tree = r->tree;
    uint32_t vertices = tree->mesh->vertex_count;
    r->x_t1 = (const double(*)[3])r->bvh->reference + tree->first_vertex;
    if (all) {
        if (vertices > 0)
            memcpy(r->bvh->reference + tree->first_vertex, tree->mesh->x_t1, vertices * sizeof *r->bvh->reference);
        refit_tree(r, parallel);
        return;
    }
    r->first = 0;
    r->last = vertices;
    snag__parallel_for(parallel, tasks_of(vertices, SLOTS_OF_A_TASK), follow_vertices, r);
    for_levels(r, parallel, refit_stale_nodes);
}

// ---- quality ----

// Half the surface of a node's box.
static double surface_of(const snag__kdops *bounds, uint32_t node)
{
    double side[3];
    for (int axis = 0; axis < 3; axis++)
        side[axis] = (double)bounds->hi[axis][node] - (double)bounds->lo[axis][node];
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

// The surface of the boxes of all nodes over that of the root: what a search pays for.
static double quality(const snag__bvh *bvh, const snag__tree *tree)
{
    double sum = 0, root = surface_of(&bvh->node_bounds, tree->root);
    for (uint32_t node = tree->root; node < tree->level_first[tree->levels]; node++)
        sum += surface_of(&bvh->node_bounds, node);
    return root > 0 ? sum / root : 1;
}

double snag__tree_degradation(const snag__bvh *bvh, uint32_t tree)
{
    return quality(bvh, &bvh->trees[tree]) / bvh->trees[tree].quality_built;
}

// Whether plane culls can be filled along with bounds: those of the triangles as they are, with no slab but the axes.
static bool can_fill(const snag__bvh *bvh, const snag__refit_def *def, double lazy)
{
    return def->plane_cull != NULL && bvh->kind == SNAG_TRIANGLE && bvh->shape.k == 6 && !def->swept && lazy == 0 &&
           snag__plane_cull_fit(def->plane_cull, bvh);
}

bool snag__bvh_refit(snag__bvh *bvh, const snag__refit_def *def, const snag_allocator *allocator, const snag__parallel *parallel,
                     snag_isa isa)
{
    double lazy = def->swept ? 0 : def->lazy;
    if (lazy > 0 && !reserve_lazy(bvh, allocator))
        return false;
    bool all = bvh->swept != def->swept || bvh->inflate != def->inflate || bvh->lazy != lazy;
    bvh->swept = def->swept;
    bvh->inflate = def->inflate;
    bvh->lazy = lazy;
    refit r = {
        .bvh = bvh,
        .inflate = lazy > 0 ? nextafter(def->inflate + lazy, INFINITY) : def->inflate,
        .boxes = snag__box_kernels_for(isa),
        .kernels = snag__bvh_kernels_for(isa),
        .plane_cull = can_fill(bvh, def, lazy) ? def->plane_cull : NULL,
        .plane_cull_kernels = snag__plane_cull_kernels_for(isa),
        .quantized = def->quantized != NULL && lazy == 0 && snag__quantized_aabbs_fit(def->quantized, bvh) ? def->quantized : NULL,
        .quantum_kernels = snag__quantized_aabb_kernels_for(isa),
    };
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        snag__tree *tree = &bvh->trees[i];
        bool is_new = all || tree->quality_built == 0;
        if (!is_new && tree->pose == def->poses[i])
            continue;
        r.tree = tree;
        r.x_t0 = def->swept ? (const double(*)[3])tree->mesh->x_t0 : NULL;
        r.x_t1 = def->x_t1 != NULL ? def->x_t1[i] : (const double(*)[3])tree->mesh->x_t1;
        if (lazy > 0)
            refit_tree_lazily(&r, parallel, is_new);
        else
            refit_tree(&r, parallel);
        tree->pose = def->poses[i];
        tree->refits++;
        if (r.plane_cull != NULL)
            r.plane_cull->trees[i].filled = tree->pose;
        if (r.quantized != NULL)
            r.quantized->refits[i] = tree->refits;
        if (tree->quality_built == 0)
            tree->quality_built = quality(bvh, tree);
    }
    return true;
}

const snag__bvh_kernels *snag__bvh_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__bvh_kernels, isa)
}
