// Building the trees of a BVH: top-down, by the centres of the elements' boxes.
#include "bound/bvh.h"

#include "base/assert.h"
#include "base/vec3.h"

#include <math.h>
#include <string.h>

// From this level down ranges are halved by count: the depth stays below SNAG__TREE_LEVELS for any distribution of elements.
enum { LEVEL_OF_HALVING = 30 };

// Slots of one task while a level of a tree is split, and elements of one while they are read or written.
enum { SLOTS_TO_CUT = 1024, ELEMENTS_OF_A_TASK = 8192 };

// Elements of a leaf of a body that has been edited, so that new ones find room: with 14 many edits of a cloth that tears all over needed
// new trees, with 12 none (bench/bench_edit.c).
enum { LEAF_ELEMENTS_ROOMY = 12 };

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

// ---- building ----

// A tree while it is built: its elements, ordered as far as ranges have been split.
typedef struct growth {
    snag__bvh *bvh;
    snag__tree *tree;
    uint32_t fill;  // elements of a leaf
    // By slot of the tree: an element, and the centre of its box, which lives where the bounds of slots will be.
    uint32_t *elements;
    double (*centre)[3];
    double directions[SNAG__KDOP_SLABS_MAX][3];
    // By node of the tree: the end of its slots, and once it is split those of its children.
    uint32_t *last;
    uint32_t (*ends)[SNAG__ARITY_MAX];
    uint32_t level_first, level_count;  // nodes of the level that is being split
    uint32_t tasks;
} growth;

// The centres of the elements' boxes: splitting by them gives less overlap than splitting by the elements' centroids.
static void find_centres(void *context, uint32_t task)
{
    const growth *plan = context;
    const snag__mesh *mesh = plan->tree->mesh;
    const uint32_t *vertices = vertices_of(mesh, plan->bvh->kind);
    uint32_t corners = plan->bvh->corners;
    snag__range elements = snag__task_range(0, plan->tree->slot_count, ELEMENTS_OF_A_TASK, task);
    for (uint32_t e = elements.first; e < elements.last; e++) {
        plan->elements[e] = e;
        for (int axis = 0; axis < 3; axis++) {
            double lo = INFINITY, hi = -INFINITY;
            for (uint32_t c = 0; c < corners; c++) {
                double x = mesh->x_t1[vertices != NULL ? vertices[(size_t)e * corners + c] : e][axis];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            plan->centre[e][axis] = lo / 2 + hi / 2;
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

static inline double along(const growth *plan, uint32_t slab, uint32_t slot)
{
    return slab < 3 ? plan->centre[slot][slab] : snag__vec3_dot(plan->directions[slab], plan->centre[slot]);
}

// The slab along which the centres of a range spread the most, relative to the length of its direction.
static uint32_t longest_side(const growth *plan, uint32_t first, uint32_t last, double *middle)
{
    uint32_t slabs = plan->bvh->shape.k / 2, longest = 0;
    span spans[SNAG__KDOP_SLABS_MAX];
    for (uint32_t slab = 0; slab < SNAG__KDOP_SLABS_MAX; slab++)
        spans[slab] = (span){INFINITY, -INFINITY};
    span x = spans[0], y = x, z = x;
    for (uint32_t i = first; i < last; i++) {
        widen_span(&x, plan->centre[i][0]);
        widen_span(&y, plan->centre[i][1]);
        widen_span(&z, plan->centre[i][2]);
    }
    spans[0] = x;
    spans[1] = y;
    spans[2] = z;
    for (uint32_t slab = 3; slab < slabs; slab++)
        for (uint32_t i = first; i < last; i++)
            widen_span(&spans[slab], along(plan, slab, i));
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

static void swap_slots(const growth *plan, uint32_t i, uint32_t j)
{
    double moved[3];
    memcpy(moved, plan->centre[i], sizeof moved);
    memcpy(plan->centre[i], plan->centre[j], sizeof moved);
    memcpy(plan->centre[j], moved, sizeof moved);
    uint32_t element = plan->elements[i];
    plan->elements[i] = plan->elements[j];
    plan->elements[j] = element;
}

// Partitions first .. last - 1 into keys below a limit and the rest; returns the first slot of the rest. On which side an element
// belongs cannot be guessed: those on the wrong one are listed, some from the left and some from the right, and then exchanged.
static uint32_t part_below(const growth *plan, uint32_t first, uint32_t last, uint32_t slab, double limit)
{
    enum { LISTED = 128 };
    uint32_t left[LISTED], right[LISTED], cut = first, lefts = 0, rights = 0, left_done = 0, right_done = 0;
    for (uint32_t i = first; i < last; i++)
        cut += along(plan, slab, i) < limit;
    for (uint32_t i = first, j = last;;) {
        if (left_done == lefts)
            for (left_done = lefts = 0; i < cut && lefts < LISTED; i++) {
                left[lefts] = i;
                lefts += !(along(plan, slab, i) < limit);
            }
        if (right_done == rights)
            for (right_done = rights = 0; j > cut && rights < LISTED; j--) {
                right[rights] = j - 1;
                rights += along(plan, slab, j - 1) < limit;
            }
        // There are as many on the one side as on the other.
        if (left_done == lefts || right_done == rights)
            return cut;
        while (left_done < lefts && right_done < rights)
            swap_slots(plan, left[left_done++], right[right_done++]);
    }
}

// Brings the smallest keys of first .. last - 1 to the slots before `cut`: quickselect, median of three.
static void select_smallest(const growth *plan, uint32_t first, uint32_t last, uint32_t cut, uint32_t slab)
{
    while (last - first > 2) {
        uint32_t middle = first + (last - first) / 2;
        double a = along(plan, slab, first), b = along(plan, slab, middle), c = along(plan, slab, last - 1);
        double pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        uint32_t i = first, j = last - 1;
        while (i <= j) {
            while (along(plan, slab, i) < pivot)
                i++;
            while (along(plan, slab, j) > pivot)
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
    if (last - first == 2 && along(plan, slab, first) > along(plan, slab, first + 1))
        swap_slots(plan, first, first + 1);
}

// Sorts a leaf into two halves, so that elements near each other are in one vector.
static void halve_leaf(const growth *plan, uint32_t first, uint32_t last)
{
    double middle;
    uint32_t slab = longest_side(plan, first, last, &middle);
    select_smallest(plan, first, last, first + SNAG__LEAF_ELEMENTS / 2, slab);
}

// Splits a range through the centre of its longest side, rounded to whole leaves on the left: so all leaves of the tree but the last
// are full. Returns the first slot of the right part.
static uint32_t split(const growth *plan, uint32_t first, uint32_t last, uint32_t level)
{
    double middle;
    uint32_t slab = longest_side(plan, first, last, &middle);
    uint32_t centre = part_below(plan, first, last, slab, middle);
    uint32_t leaves = (last - first + plan->fill - 1) / plan->fill;
    uint32_t left_leaves = (centre - first + plan->fill / 2) / plan->fill;
    if (level >= LEVEL_OF_HALVING)
        left_leaves = leaves / 2;
    if (left_leaves < 1)
        left_leaves = 1;
    if (left_leaves > leaves - 1)
        left_leaves = leaves - 1;
    uint32_t cut = first + left_leaves * plan->fill;
    if (cut < centre)
        select_smallest(plan, first, centre, cut, slab);
    else if (cut > centre)
        select_smallest(plan, centre, last, cut, slab);
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
        if (bounds[largest + 1] - bounds[largest] <= plan->fill)
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
    if (last - first <= plan->fill) {
        if (last - first > SNAG__LEAF_ELEMENTS / 2)
            halve_leaf(plan, first, last);
        uint32_t slot = tree->first_slot + first / plan->fill * SNAG__LEAF_ELEMENTS;
        *node = (snag__node){.first = slot, .count = (uint8_t)(last - first), .leaf = 1, .tree = node->tree};
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
        node->leaf_children |= (uint8_t)((ends[i] - first <= plan->fill) << i);
        first = ends[i];
    }
}

// Spreads the elements of a roomy tree over the slots of its leaves, from the last on, since they move up.
static void spread(const growth *plan)
{
    snag__tree *tree = plan->tree;
    const uint32_t leaves = (tree->slot_count + plan->fill - 1) / plan->fill;
    for (uint32_t leaf = leaves; leaf-- > 0;) {
        const uint32_t first = leaf * plan->fill,
                       last = first + plan->fill < tree->slot_count ? first + plan->fill : tree->slot_count;
        uint32_t *slots = plan->elements + (size_t)leaf * SNAG__LEAF_ELEMENTS;
        memmove(slots, plan->elements + first, (last - first) * sizeof *slots);
        for (uint32_t i = last - first; i < SNAG__LEAF_ELEMENTS; i++)
            slots[i] = UINT32_MAX;
    }
    tree->slot_count = leaves * SNAG__LEAF_ELEMENTS;
}

// Writes the vertices of the elements in their final order. Empty slots get those of the one before.
static void settle(void *context, uint32_t task)
{
    const growth *plan = context;
    const snag__tree *tree = plan->tree;
    snag__bvh *bvh = plan->bvh;
    const uint32_t *vertices = vertices_of(tree->mesh, bvh->kind);
    snag__range slots = snag__task_range(0, tree->slot_count, ELEMENTS_OF_A_TASK, task);
    for (uint32_t i = slots.first; i < slots.last; i++) {
        uint32_t slot = tree->first_slot + i, used = i;
        while (plan->elements[used] == UINT32_MAX)
            used--;
        const uint32_t element = plan->elements[used];
        for (uint32_t c = 0; c < bvh->corners; c++)
            bvh->vertices[(size_t)slot * bvh->corners + c] =
                vertices != NULL ? vertices[(size_t)element * bvh->corners + c] : element;
    }
}

static void grow_tree(growth *plan, uint32_t tree_index, const snag__parallel *parallel)
{
    snag__bvh *bvh = plan->bvh;
    snag__tree *tree = plan->tree = &bvh->trees[tree_index];
    plan->elements = bvh->elements + tree->first_slot;
    snag__parallel_for(parallel, snag__task_count(tree->slot_count, ELEMENTS_OF_A_TASK), find_centres, plan);
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
    if (tree->roomy)
        spread(plan);
    snag__parallel_for(parallel, snag__task_count(tree->slot_count, ELEMENTS_OF_A_TASK), settle, plan);
}

// Elements of a leaf, as long as there are any.
static uint32_t fill_of(const snag__bvh_body *body, snag_element_kind kind)
{
    bool roomy = body->log != NULL && body->log->edited && kind <= SNAG_TRIANGLE;
    return roomy ? LEAF_ELEMENTS_ROOMY : SNAG__LEAF_ELEMENTS;
}

// The most nodes of a tree: all leaves but one are full, and inner nodes have two children or more.
static size_t nodes_at_most(size_t elements, uint32_t fill)
{
    size_t leaves = (elements + fill - 1) / fill;
    return 2 * leaves + 1;
}

// The slots of a tree: whole leaves, and one empty leaf for a body without elements.
static size_t padded(size_t elements, uint32_t fill)
{
    size_t leaves = (elements + fill - 1) / fill;
    return (leaves > 0 ? leaves : 1) * SNAG__LEAF_ELEMENTS;
}

// Makes slots without an element overlap nothing, not even infinite bounds: leaves are compared by all their slots.
static void clear_padding(snag__bvh *bvh, const snag__tree *tree)
{
    uint32_t first = tree->first_slot + tree->slot_count;
    uint32_t last = tree->first_slot + (uint32_t)padded(tree->slot_count, SNAG__LEAF_ELEMENTS);
    for (uint32_t slot = first; slot < last; slot++)
        bvh->elements[slot] = UINT32_MAX;
    snag__kdops_clear(&bvh->slot_bounds, first, last);
}

static bool reserve_plan(growth *plan, size_t elements, const snag_allocator *allocator, snag__buffer *scratch)
{
    size_t nodes = nodes_at_most(elements, LEAF_ELEMENTS_ROOMY);
    const snag__room rooms[] = {
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
        slots += padded(count, fill_of(&bodies[i], kind));
        nodes += nodes_at_most(count, fill_of(&bodies[i], kind));
        largest = count > largest ? count : largest;
    }
    bvh->trees = NULL;
    bvh->builds++;
    bvh->tree_count = bvh->node_count = 0;
    bvh->kind = kind;
    bvh->shape = shape;
    bvh->corners = corners_of(kind);
    bvh->end_bounds[0].count = bvh->end_bounds[1].count = 0;
    growth plan = {.bvh = bvh};
    snag__kdop_directions(shape.k, plan.directions);
    if (!reserve_plan(&plan, largest, allocator, scratch) || !reserve(bvh, body_count, slots, nodes, allocator)) {
        bvh->trees = NULL;
        return false;
    }

    // A bound of a slot has six floats or more: as much as a centre.
    plan.centre = bvh->memory[SNAG__BVH_SLOT_BOUNDS].data;
    SNAG__ASSERT(largest * sizeof *plan.centre <= bvh->memory[SNAG__BVH_SLOT_BOUNDS].bytes);
    uint32_t vertices = 0;
    bvh->slot_count = 0;
    for (uint32_t i = 0; i < body_count; i++) {
        bvh->trees[i] = (snag__tree){
            .mesh = bodies[i].mesh,
            .body = bodies[i].body,
            .first_slot = bvh->slot_count,
            .slot_count = count_of(bodies[i].mesh, kind),
            .first_vertex = vertices,
            .roomy = fill_of(&bodies[i], kind) != SNAG__LEAF_ELEMENTS && count_of(bodies[i].mesh, kind) > 0,
        };
        plan.fill = bvh->trees[i].roomy ? LEAF_ELEMENTS_ROOMY : SNAG__LEAF_ELEMENTS;
        vertices += bodies[i].mesh->vertex_count;
        bvh->tree_count = i + 1;
        grow_tree(&plan, i, parallel);
        bvh->slot_count += (uint32_t)padded(bvh->trees[i].slot_count, SNAG__LEAF_ELEMENTS);
    }
    for (uint32_t i = 0; i < body_count; i++)
        clear_padding(bvh, &bvh->trees[i]);
    snag__kdops_clear(&bvh->slot_bounds, slots, snag__box_padded(slots) + SNAG__BOX_PAD);
    SNAG__ASSERT(bvh->slot_count == slots && bvh->node_count <= nodes);
    SNAG__VALIDATE(snag__bvh_validate(bvh));
    return true;
}
