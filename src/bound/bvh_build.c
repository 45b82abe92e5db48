// Building the trees of a BVH: top-down, by the centres of the elements' boxes.
#include "bound/bvh.h"

#include "base/assert.h"
#include "base/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// From this level down ranges are halved by count: the depth stays below SNAG__TREE_LEVELS for any distribution of elements.
enum { LEVEL_OF_HALVING = 30 };

// Slots of one task while a level of a tree is split, and elements of one while they are read or written.
enum { SLOTS_TO_CUT = 1024, ELEMENTS_OF_A_TASK = 8192 };

// So many elements are brought across a cut one by one.
enum { FEW = SNAG__LEAF_ELEMENTS };

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

// An element, before it has its slot: the centre of its box, relative to the middle of the body and in units of its size. So floats are
// enough, wherever the body is and however large: trees need no more, since bounds are made afterwards.
typedef struct item {
    float centre[3];
    uint32_t element;
} item;

// How centres are made: (x - middle) * scale for half of x and middle, which do not overflow.
typedef struct frame {
    double half_middle[3], scale;
} frame;

// A tree while it is built: its elements, ordered as far as ranges have been split. Items live where the bounds of slots will be.
typedef struct growth {
    snag__bvh *bvh;
    snag__tree *tree;
    frame frame;
    item *items;  // by slot of the tree
    item *spare;  // by slot / 2
    float directions[SNAG__KDOP_SLABS_MAX][3], lengths[SNAG__KDOP_SLABS_MAX];
    // By node of the tree: the end of its slots, and once it is split those of its children.
    uint32_t *last;
    uint32_t (*ends)[SNAG__ARITY_MAX];
    uint32_t level_first, level_count;  // nodes of the level that is being split
    uint32_t tasks;
} growth;

static frame frame_of(const snag__mesh *mesh)
{
    frame f = {{0, 0, 0}, 1};
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (int axis = 0; axis < 3; axis++) {
            double x = mesh->x_t1[v][axis];
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
    for (int axis = 0; axis < 3 && mesh->vertex_count > 0; axis++) {
        f.half_middle[axis] = lo[axis] / 4 + hi[axis] / 4;
        size = fmax(size, hi[axis] / 2 - lo[axis] / 2);
    }
    if (size > DBL_MIN)
        f.scale = 1 / size;
    return f;
}

// The centres of the elements' boxes: splitting by them gives less overlap than splitting by the elements' centroids.
static void find_centres(void *context, uint32_t task)
{
    const growth *plan = context;
    const snag__mesh *mesh = plan->tree->mesh;
    const uint32_t *vertices = vertices_of(mesh, plan->bvh->kind);
    uint32_t corners = plan->bvh->corners;
    snag__range elements = snag__task_range(0, plan->tree->slot_count, ELEMENTS_OF_A_TASK, task);
    for (uint32_t e = elements.first; e < elements.last; e++) {
        plan->items[e].element = e;
        for (int axis = 0; axis < 3; axis++) {
            double lo = INFINITY, hi = -INFINITY;
            for (uint32_t c = 0; c < corners; c++) {
                double x = mesh->x_t1[vertices != NULL ? vertices[(size_t)e * corners + c] : e][axis];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            plan->items[e].centre[axis] = (float)((lo / 4 + hi / 4 - plan->frame.half_middle[axis]) * plan->frame.scale);
        }
    }
}

typedef struct span {
    float lo, hi;
} span;

static void widen_span(span *s, float x)
{
    s->lo = x < s->lo ? x : s->lo;
    s->hi = x > s->hi ? x : s->hi;
}

static float along(const growth *plan, uint32_t slab, const item *x)
{
    if (slab < 3)
        return x->centre[slab];
    const float *d = plan->directions[slab];
    return d[0] * x->centre[0] + d[1] * x->centre[1] + d[2] * x->centre[2];
}

// The slab along which the centres of a range spread the most, relative to the length of its direction.
static uint32_t longest_side(const growth *plan, uint32_t first, uint32_t last, float *middle)
{
    uint32_t slabs = plan->bvh->shape.k / 2, longest = 0;
    span spans[SNAG__KDOP_SLABS_MAX];
    for (uint32_t slab = 0; slab < SNAG__KDOP_SLABS_MAX; slab++)
        spans[slab] = (span){INFINITY, -INFINITY};
    span x = spans[0], y = x, z = x;
    for (uint32_t i = first; i < last; i++) {
        widen_span(&x, plan->items[i].centre[0]);
        widen_span(&y, plan->items[i].centre[1]);
        widen_span(&z, plan->items[i].centre[2]);
    }
    spans[0] = x;
    spans[1] = y;
    spans[2] = z;
    for (uint32_t slab = 3; slab < slabs; slab++)
        for (uint32_t i = first; i < last; i++)
            widen_span(&spans[slab], along(plan, slab, &plan->items[i]));
    float best = -1;
    *middle = 0;
    for (uint32_t slab = 0; slab < slabs; slab++) {
        float lo = spans[slab].lo, hi = spans[slab].hi, length = (hi - lo) / plan->lengths[slab];
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
    item moved = plan->items[i];
    plan->items[i] = plan->items[j];
    plan->items[j] = moved;
}

// Partitions first .. last - 1 into keys below a limit and the rest; returns the first slot of the rest. Where an element belongs cannot
// be guessed: it is written to both sides, of which the smaller is collected in `spare`, and one of them counts it.
static uint32_t part_below(const growth *plan, uint32_t first, uint32_t last, uint32_t slab, float limit)
{
    item *items = plan->items, *spare = plan->spare + (first + 1) / 2;
    uint32_t below = 0, spared = 0;
    for (uint32_t i = first; i < last; i++)
        below += along(plan, slab, &items[i]) < limit;
    uint32_t cut = first + below, rest = last - cut;
    if (below < rest) {
        uint32_t i = last, to = last;
        while (spared < below) {
            item x = items[--i];
            bool is_below = along(plan, slab, &x) < limit;
            spare[spared] = items[to - 1] = x;
            spared += is_below;
            to -= !is_below;
        }
        memmove(items + cut, items + first, (i - first) * sizeof *items);
        memcpy(items + first, spare, below * sizeof *items);
    } else {
        uint32_t i = first, to = first;
        while (spared < rest) {
            item x = items[i++];
            bool is_below = along(plan, slab, &x) < limit;
            spare[spared] = items[to] = x;
            spared += !is_below;
            to += is_below;
        }
        memmove(items + to, items + i, (last - i) * sizeof *items);
        memcpy(items + cut, spare, rest * sizeof *items);
    }
    return cut;
}

// Brings the smallest keys of first .. last - 1 to the slots before `cut`: quickselect, median of three.
static void select_smallest(const growth *plan, uint32_t first, uint32_t last, uint32_t cut, uint32_t slab)
{
    while (last - first > 2) {
        uint32_t middle = first + (last - first) / 2;
        float a = along(plan, slab, &plan->items[first]), b = along(plan, slab, &plan->items[middle]);
        float c = along(plan, slab, &plan->items[last - 1]);
        float pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        uint32_t i = first, j = last - 1;
        while (i <= j) {
            while (along(plan, slab, &plan->items[i]) < pivot)
                i++;
            while (along(plan, slab, &plan->items[j]) > pivot)
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
    if (last - first == 2 && along(plan, slab, &plan->items[first]) > along(plan, slab, &plan->items[first + 1]))
        swap_slots(plan, first, first + 1);
}

// Brings the `count` largest keys of first .. last - 1 (times `sign`, which is 1 or -1) to the slots from `to` on. Few elements are
// larger than those found before, so that the branch is guessed right.
static void move_largest(const growth *plan, uint32_t first, uint32_t last, uint32_t slab, float sign, uint32_t to, uint32_t count)
{
    uint32_t slot[FEW], least = 0, in_place = 0;
    float key[FEW];
    SNAG__ASSERT(count > 0 && count <= FEW && count <= last - first);
    for (uint32_t i = first; i < last; i++) {
        float x = sign * along(plan, slab, &plan->items[i]);
        uint32_t found = i - first;
        if (found >= count) {
            if (!(x > key[least]))
                continue;
            found = least;
        }
        slot[found] = i;
        key[found] = x;
        if (i - first + 1 < count)
            continue;
        least = 0;
        for (uint32_t k = 1; k < count; k++)
            least = key[k] < key[least] ? k : least;
    }
    for (uint32_t k = 0; k < count; k++)
        if (slot[k] - to < count)
            in_place |= 1u << (slot[k] - to);
    for (uint32_t k = 0; k < count; k++)
        if (slot[k] - to >= count) {
            uint32_t hole = (uint32_t)__builtin_ctz(~in_place);
            swap_slots(plan, slot[k], to + hole);
            in_place |= 1u << hole;
        }
}

// Sorts a leaf into two halves, so that elements near each other are in one vector.
static void halve_leaf(const growth *plan, uint32_t first, uint32_t last)
{
    enum { HALF = SNAG__LEAF_ELEMENTS / 2 };
    float middle, key[SNAG__LEAF_ELEMENTS];
    item moved[SNAG__LEAF_ELEMENTS + 1];
    uint32_t slab = longest_side(plan, first, last, &middle), count = last - first, low = 0, high = HALF;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS; i++)
        key[i] = i < count ? along(plan, slab, &plan->items[first + i]) : INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = 0;
        for (uint32_t j = 0; j < i; j++)
            rank += key[j] <= key[i];
        for (uint32_t j = i + 1; j < SNAG__LEAF_ELEMENTS; j++)
            rank += key[j] < key[i];
        moved[rank < HALF ? low : high] = plan->items[first + i];
        low += rank < HALF;
        high += rank >= HALF;
    }
    memcpy(plan->items + first, moved, count * sizeof *moved);
}

// Splits a range through the centre of its longest side, rounded to whole leaves on the left: so all leaves of the tree but the last
// are full. Returns the first slot of the right part.
static uint32_t split(const growth *plan, uint32_t first, uint32_t last, uint32_t level)
{
    float middle;
    uint32_t slab = longest_side(plan, first, last, &middle);
    uint32_t centre = part_below(plan, first, last, slab, middle);
    uint32_t leaves = (last - first + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
    uint32_t left_leaves = (centre - first + SNAG__LEAF_ELEMENTS / 2) / SNAG__LEAF_ELEMENTS;
    if (level >= LEVEL_OF_HALVING)
        left_leaves = leaves / 2;
    if (left_leaves < 1)
        left_leaves = 1;
    if (left_leaves > leaves - 1)
        left_leaves = leaves - 1;
    uint32_t cut = first + left_leaves * SNAG__LEAF_ELEMENTS;
    uint32_t moved = cut < centre ? centre - cut : cut - centre;
    if (moved > FEW)
        select_smallest(plan, cut < centre ? first : centre, cut < centre ? centre : last, cut, slab);
    else if (cut < centre)
        move_largest(plan, first, centre, slab, 1, cut, moved);
    else if (cut > centre)
        move_largest(plan, centre, last, slab, -1, centre, moved);
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
static void settle(void *context, uint32_t task)
{
    const growth *plan = context;
    const snag__tree *tree = plan->tree;
    snag__bvh *bvh = plan->bvh;
    const uint32_t *vertices = vertices_of(tree->mesh, bvh->kind);
    snag__range slots = snag__task_range(0, tree->slot_count, ELEMENTS_OF_A_TASK, task);
    for (uint32_t i = slots.first; i < slots.last; i++) {
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
    plan->frame = frame_of(tree->mesh);
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
    snag__parallel_for(parallel, snag__task_count(tree->slot_count, ELEMENTS_OF_A_TASK), settle, plan);
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
    uint32_t first = tree->first_slot + tree->slot_count, last = tree->first_slot + (uint32_t)padded(tree->slot_count);
    for (uint32_t slot = first; slot < last; slot++)
        bvh->elements[slot] = UINT32_MAX;
    snag__kdops_clear(&bvh->slot_bounds, first, last);
}

// Items need 24 bytes a slot, and the bounds of slots have as many or more.
static void place_items(growth *plan, size_t elements)
{
    const snag__buffer *bounds = &plan->bvh->memory[SNAG__BVH_SLOT_BOUNDS];
    plan->items = bounds->data;
    plan->spare = plan->items + elements;
    SNAG__ASSERT((elements + (elements + 1) / 2) * sizeof(item) <= bounds->bytes);
}

static bool reserve_plan(growth *plan, size_t elements, const snag_allocator *allocator, snag__buffer *scratch)
{
    size_t nodes = nodes_at_most(elements);
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
    double directions[SNAG__KDOP_SLABS_MAX][3];
    snag__kdop_directions(shape.k, directions);
    for (uint32_t slab = 0; slab < shape.k / 2; slab++) {
        for (int axis = 0; axis < 3; axis++)
            plan.directions[slab][axis] = (float)directions[slab][axis];
        plan.lengths[slab] = (float)snag__vec3_length(directions[slab]);
    }
    if (!reserve_plan(&plan, largest, allocator, scratch) || !reserve(bvh, body_count, slots, nodes, allocator)) {
        bvh->trees = NULL;
        return false;
    }

    place_items(&plan, largest);
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
    }
    for (uint32_t i = 0; i < body_count; i++)
        clear_padding(bvh, &bvh->trees[i]);
    snag__kdops_clear(&bvh->slot_bounds, slots, snag__box_padded(slots) + SNAG__BOX_PAD);
    SNAG__ASSERT(bvh->slot_count == slots && bvh->node_count <= nodes);
    SNAG__VALIDATE(snag__bvh_validate(bvh));
    return true;
}
