#include "bound/bvh.h"

#include "base/assert.h"
#include "base/vec3.h"
#include "bound/bvh_kernel.h"

#include <math.h>
#include <string.h>

// From this level down ranges are halved by count: the depth stays below SNAG__TREE_LEVELS for any distribution of elements.
enum { LEVEL_OF_HALVING = 30 };

// Slots of one task while a level of a tree is split.
enum { SLOTS_TO_CUT = 1024 };

// ---- which elements ----

// Rods and points are lists of two vertices.
static uint32_t corners_of(snag_element_kind kind)
{
    return kind <= SNAG_TET ? (uint32_t)kind + 1 : 2;
}

static const uint32_t *vertices_of(const snag__mesh *mesh, snag_element_kind kind)
{
    return snag__mesh_elements(mesh, kind).vertices;
}

static uint32_t count_of(const snag__mesh *mesh, snag_element_kind kind)
{
    return snag__mesh_elements(mesh, kind).count;
}

bool snag__bvh_fits(const snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                    uint32_t body_count)
{
    SNAG__ASSERT(bodies != NULL || body_count == 0);
    if (bvh->trees == NULL || bvh->kind != kind || bvh->tree_count != body_count || bvh->shape.k != shape.k ||
        bvh->shape.arity != shape.arity)
        return false;
    for (uint32_t i = 0; i < body_count; i++)
        if (bvh->trees[i].body != bodies[i].body || bvh->trees[i].mesh != bodies[i].mesh)
            return false;
    return true;
}

// ---- memory ----

static bool reserve(snag__bvh *bvh, uint32_t tree_count, size_t slots, size_t nodes, const snag_allocator *allocator)
{
    snag__buffer *memory = bvh->memory;
    const snag__room rooms[] = {
        {&memory[SNAG__BVH_TREES], &bvh->trees, tree_count + 1u, sizeof *bvh->trees},
        {&memory[SNAG__BVH_ELEMENTS], &bvh->elements, slots + 1, sizeof *bvh->elements},
        {&memory[SNAG__BVH_VERTICES], &bvh->vertices, slots * bvh->corners + 1, sizeof *bvh->vertices},
        {&memory[SNAG__BVH_NODES], &bvh->nodes, nodes + 1, sizeof *bvh->nodes},
        {&memory[SNAG__BVH_LEAVES], &bvh->leaves, slots / SNAG__LEAF_ELEMENTS + 1, sizeof *bvh->leaves},
    };
    return snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms) &&
           snag__kdops_reserve(allocator, &memory[SNAG__BVH_SLOT_BOUNDS], bvh->shape.k, slots, &bvh->slot_bounds) &&
           snag__kdops_reserve(allocator, &memory[SNAG__BVH_NODE_BOUNDS], bvh->shape.k, nodes, &bvh->node_bounds);
}

void snag__bvh_free(const snag_allocator *allocator, snag__bvh *bvh)
{
    snag__buffers_free(allocator, bvh->memory, SNAG__BVH_BUFFERS);
    *bvh = (snag__bvh){0};
}

// ---- building ----

// An element, before it has its slot.
typedef struct item {
    double centre[3];
    uint32_t element;
} item;

// A tree while it is built: its elements, ordered as far as ranges have been split.
typedef struct growth {
    snag__bvh *bvh;
    snag__tree *tree;
    item *items;  // by slot of the tree
    double *key;  // by slot: projections of the centres of the range that is being split
    double directions[SNAG__KDOP_SLABS_MAX][3];
    // By node of the tree: the end of its slots, and once it is split those of its children.
    uint32_t *last;
    uint32_t (*ends)[SNAG__ARITY_MAX];
    uint32_t level_first, level_count;  // nodes of the level that is being split
    uint32_t tasks;
} growth;

// The centres of the elements' boxes: splitting by them gives less overlap than splitting by the elements' centroids.
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
    return snag__vec3_dot(plan->directions[slab], x->centre);
}

// The slab along which the centres of a range spread the most, relative to the length of its direction.
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
        double lo = spans[slab].lo, hi = spans[slab].hi;
        double length = (hi - lo) / snag__vec3_length(plan->directions[slab]);
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

// Partitions first .. last - 1 into keys below a limit and the rest; returns the first slot of the rest.
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

// Brings the smallest keys of first .. last - 1 to the slots before `cut`: quickselect, median of three.
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

// Sorts a leaf into two halves, so that elements near each other are in one vector.
static void halve_leaf(const growth *plan, uint32_t first, uint32_t last)
{
    double middle;
    find_keys(plan, first, last, longest_side(plan, first, last, &middle));
    select_smallest(plan, first, last, first + SNAG__LEAF_ELEMENTS / 2);
}

// Splits a range through the centre of its longest side, rounded to whole leaves on the left: so all leaves of the tree but the last
// are full. Returns the first slot of the right part.
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

// Splits the range of a node into at most `arity` parts, always the largest next; `bounds` gets their ends.
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

// Makes the node a leaf or finds the ranges of its children.
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

// The nodes of a level have disjoint ranges of slots, so threads may split them at the same time.
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

// Writes the elements and their vertices in their final order.
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
        SNAG__ASSERT(tree->levels <= SNAG__TREE_LEVELS);
    }
    tree->level_first[tree->levels] = bvh->node_count;
    settle(plan);
}

// The most nodes of a tree: all leaves but one are full, and inner nodes have two children or more.
static size_t nodes_at_most(size_t elements)
{
    size_t leaves = (elements + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    return 2 * leaves + 1;
}

// The slots of a tree: whole leaves, and one empty leaf for a body without elements.
static size_t padded(size_t elements)
{
    size_t leaves = (elements + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    return (leaves > 0 ? leaves : 1) * SNAG__LEAF_ELEMENTS;
}

// Makes slots without an element overlap nothing, not even infinite bounds: leaves are compared by all their slots.
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
    const snag__room rooms[] = {
        {NULL, &plan->items, elements, sizeof *plan->items},
        {NULL, &plan->key, elements, sizeof *plan->key},
        {NULL, &plan->ends, nodes, sizeof *plan->ends},
        {NULL, &plan->last, nodes, sizeof *plan->last},
    };
    return snag__rooms_carve(allocator, scratch, rooms, sizeof rooms / sizeof *rooms);
}

bool snag__bvh_build(snag__bvh *bvh, snag_element_kind kind, snag__tree_shape shape, const snag__bvh_body *bodies,
                     uint32_t body_count, const snag_allocator *allocator, const snag__parallel *parallel, snag__buffer *scratch)
{
    SNAG__ASSERT(kind != SNAG_LEAF && (uint32_t)kind < SNAG__SEARCH_KINDS && (bodies != NULL || body_count == 0));
    SNAG__ASSERT(shape.arity == 2 || shape.arity == 4 || shape.arity == SNAG__ARITY_MAX);
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
    SNAG__ASSERT(bvh->slot_count == slots && bvh->node_count <= nodes);
    SNAG__VALIDATE(snag__bvh_validate(bvh));
    return true;
}

// ---- refitting ----

// A multiple of SNAG__LEAF_ELEMENTS, so that tasks share no leaf.
enum { SLOTS_OF_A_TASK = 2048, NODES_OF_A_TASK = 256 };

typedef struct refit {
    snag__bvh *bvh;
    const snag__tree *tree;
    const double (*x_t0)[3], (*x_t1)[3];  // positions of the tree; x_t0 is NULL unless swept
    double inflate;
    const snag__box_kernels *boxes;
    const snag__bvh_kernels *kernels;
    snag__plane_cull *plane_cull;  // to be filled along with the bounds, or NULL
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

// Leaves and quantized boxes follow while the bounds of the slots are in the cache.
static void refit_slots(void *context, uint32_t task)
{
    const refit *r = context;
    snag__range slots = snag__task_range(r->first, r->last, SLOTS_OF_A_TASK, task);
    uint32_t first_leaf = slots.first / SNAG__LEAF_ELEMENTS;
    uint32_t last_leaf = (slots.last + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    bound_slots(r, slots.first, slots.last - slots.first);
    r->kernels->merge_leaves(r->bvh, first_leaf, last_leaf);
    if (r->quantized != NULL)
        r->quantum_kernels->fill(r->bvh, first_leaf, last_leaf, r->quantized);
}

static void refit_nodes(void *context, uint32_t task)
{
    const refit *r = context;
    snag__range nodes = snag__task_range(r->first, r->last, NODES_OF_A_TASK, task);
    r->kernels->merge_inner(r->bvh, nodes.first, nodes.last);
}

// Runs a stage on the nodes of each level, bottom up.
static void for_levels(refit *r, const snag__parallel *parallel, snag__task *stage)
{
    for (uint32_t level = r->tree->levels; level-- > 0;) {
        r->first = r->tree->level_first[level];
        r->last = r->tree->level_first[level + 1];
        snag__parallel_for(parallel, snag__task_count(r->last - r->first, NODES_OF_A_TASK), stage, r);
    }
}

static void refit_tree(refit *r, const snag__parallel *parallel)
{
    r->first = r->tree->first_slot;
    r->last = r->tree->first_slot + r->tree->slot_count;
    snag__parallel_for(parallel, snag__task_count(r->tree->slot_count, SLOTS_OF_A_TASK), refit_slots, r);
    if (r->tree->slot_count == 0)
        r->kernels->merge_leaves(r->bvh, r->first / SNAG__LEAF_ELEMENTS, r->first / SNAG__LEAF_ELEMENTS + 1);
    for_levels(r, parallel, refit_nodes);
}

// ---- lazy refitting ----
// Bounds are made from reference positions and grown by a margin. A vertex farther than the margin from its reference gets a new
// one; only leaves with such a vertex, and the nodes above them, are refitted.

// A ball of radius 1 holds the cube of this half side: 1 / sqrt(3), rounded down.
static const double CUBE_IN_BALL = 0.577;

static bool reserve_lazy(snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t vertices = 0;
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        vertices += bvh->trees[i].mesh->vertex_count;
    const snag__room rooms[] = {
        {&bvh->memory[SNAG__BVH_REFERENCE], &bvh->reference, vertices + 1, sizeof *bvh->reference},
        {&bvh->memory[SNAG__BVH_MOVED], &bvh->moved, vertices + 1, sizeof *bvh->moved},
        {&bvh->memory[SNAG__BVH_RENEWED], &bvh->renewed, bvh->node_count + 1u, sizeof *bvh->renewed},
    };
    return snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms);
}

// Compares axis by axis, with a cube inside the ball: squares could overflow or underflow.
static bool has_left(const double x[3], const double reference[3], double margin)
{
    return !(fabs(x[0] - reference[0]) <= margin && fabs(x[1] - reference[1]) <= margin && fabs(x[2] - reference[2]) <= margin);
}

static void follow_vertices(void *context, uint32_t task)
{
    const refit *r = context;
    const snag__bvh *bvh = r->bvh;
    const double(*x)[3] = (const double(*)[3])r->tree->mesh->x_t1;
    double(*reference)[3] = bvh->reference + r->tree->first_vertex, margin = CUBE_IN_BALL * bvh->lazy;
    uint8_t *moved = bvh->moved + r->tree->first_vertex;
    snag__range vertices = snag__task_range(r->first, r->last, SLOTS_OF_A_TASK, task);
    for (uint32_t v = vertices.first; v < vertices.last; v++) {
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
    snag__range nodes = snag__task_range(r->first, r->last, NODES_OF_A_TASK, task);
    for (uint32_t n = nodes.first; n < nodes.last; n++) {
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
    snag__parallel_for(parallel, snag__task_count(vertices, SLOTS_OF_A_TASK), follow_vertices, r);
    for_levels(r, parallel, refit_stale_nodes);
}

// ---- quality ----

// Half the surface area of a node's box.
static double surface_of(const snag__kdops *bounds, uint32_t node)
{
    double side[3];
    for (int axis = 0; axis < 3; axis++)
        side[axis] = (double)bounds->hi[axis][node] - (double)bounds->lo[axis][node];
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

// The surface area of all nodes over that of the root: the cost of a search.
static double quality(const snag__bvh *bvh, const snag__tree *tree)
{
    double sum = 0, root = surface_of(&bvh->node_bounds, tree->root);
    for (uint32_t node = tree->root; node < tree->level_first[tree->levels]; node++)
        sum += surface_of(&bvh->node_bounds, node);
    return root > 0 ? sum / root : 1;
}

double snag__tree_degradation(const snag__bvh *bvh, uint32_t tree)
{
    SNAG__ASSERT(tree < bvh->tree_count && bvh->trees[tree].quality_built != 0);
    return quality(bvh, &bvh->trees[tree]) / bvh->trees[tree].quality_built;
}

// Plane culls can be filled along with the boxes of triangles at t1.
static bool can_fill(const snag__bvh *bvh, const snag__refit_def *def, double lazy)
{
    return def->plane_cull != NULL && bvh->kind == SNAG_TRIANGLE && bvh->shape.k == 6 && !def->swept && lazy == 0 &&
           snag__plane_cull_fit(def->plane_cull, bvh);
}

bool snag__bvh_refit(snag__bvh *bvh, const snag__refit_def *def, const snag_allocator *allocator, const snag__parallel *parallel,
                     snag_isa isa)
{
    SNAG__ASSERT(bvh->trees != NULL && (def->poses != NULL || bvh->tree_count == 0) && def->inflate >= 0 && def->lazy >= 0);
    double lazy = def->swept ? 0 : def->lazy;
    if (lazy > 0 && !reserve_lazy(bvh, allocator))
        return false;
    bool all = bvh->swept != def->swept || bvh->inflate != def->inflate || bvh->lazy != lazy || bvh->grown != (def->grow != NULL);
    bvh->grown = def->grow != NULL;
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
        if (def->grow != NULL)
            r.inflate = nextafter(def->inflate + lazy + def->grow[i], INFINITY);
        r.x_t0 = def->swept ? (const double(*)[3])tree->mesh->x_t0 : NULL;
        r.x_t1 = def->x_t1 != NULL ? def->x_t1[i] : (const double(*)[3])tree->mesh->x_t1;
        if (lazy > 0)
            refit_tree_lazily(&r, parallel, is_new);
        else
            refit_tree(&r, parallel);
        tree->pose = def->poses[i];
        tree->refits++;
        if (r.plane_cull != NULL)
            snag__plane_cull_note_filled(r.plane_cull, i, tree);
        if (r.quantized != NULL)
            snag__quantized_aabbs_note_filled(r.quantized, i, tree);
        if (tree->quality_built == 0)
            tree->quality_built = quality(bvh, tree);
    }
    SNAG__VALIDATE(snag__bvh_validate(bvh));
    return true;
}

const snag__bvh_kernels *snag__bvh_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__bvh_kernels, isa)
}
