#include "bound/bvh.h"

#include "base/assert.h"
#include "bound/bvh_kernel.h"

#include <math.h>
#include <string.h>

void snag__bvh_free(const snag_allocator *allocator, snag__bvh *bvh)
{
    snag__buffers_free(allocator, bvh->memory, SNAG__BVH_BUFFERS);
    *bvh = (snag__bvh){0};
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

// Bounds of both ends, and their union. Rounding outward keeps the order, so that this is the bound of the whole move.
static void bound_ends(const refit *r, uint32_t first, uint32_t count)
{
    snag__bvh *bvh = r->bvh;
    const double(*const x[2])[3] = {r->x_t0, r->x_t1};
    for (int end = 0; end < 2; end++)
        r->boxes->kdop_from_elements(NULL, x[end], bvh->vertices, bvh->corners, first, count, r->inflate, &bvh->end_bounds[end]);
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t slot = first; slot < first + count; slot++) {
            float lo0 = bvh->end_bounds[0].lo[axis][slot], lo1 = bvh->end_bounds[1].lo[axis][slot];
            float hi0 = bvh->end_bounds[0].hi[axis][slot], hi1 = bvh->end_bounds[1].hi[axis][slot];
            bvh->slot_bounds.lo[axis][slot] = lo0 < lo1 ? lo0 : lo1;
            bvh->slot_bounds.hi[axis][slot] = hi0 > hi1 ? hi0 : hi1;
        }
}

static void bound_used_slots(const refit *r, uint32_t first, uint32_t count)
{
    snag__bvh *bvh = r->bvh;
    if (bvh->two_ended) {
        bound_ends(r, first, count);
        return;
    }
    if (r->plane_cull == NULL) {
        r->boxes->kdop_from_elements(r->x_t0, r->x_t1, bvh->vertices, bvh->corners, first, count, r->inflate, &bvh->slot_bounds);
        return;
    }
    r->plane_cull_kernels->fill(r->tree->mesh, (const uint32_t(*)[3])bvh->vertices, first, count, r->plane_cull, &bvh->slot_bounds);
    r->boxes->kdop_grow(first, count, r->inflate, &bvh->slot_bounds);
}

// Whole leaves, as far as trees are roomy.
static void bound_slots(const refit *r, uint32_t first, uint32_t count)
{
    snag__bvh *bvh = r->bvh;
    bound_used_slots(r, first, count);
    for (uint32_t leaf = first; leaf < first + count && r->tree->roomy; leaf += SNAG__LEAF_ELEMENTS)
        snag__kdops_clear(&bvh->slot_bounds, leaf + bvh->nodes[bvh->leaves[leaf / SNAG__LEAF_ELEMENTS]].count,
                          leaf + SNAG__LEAF_ELEMENTS);
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
    if (!(bounds->lo[0][node] <= bounds->hi[0][node]))
        return 0;  // a leaf that edits have emptied
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

static bool reserve_ends(snag__bvh *bvh, const snag_allocator *allocator)
{
    for (int end = 0; end < 2; end++)
        if (bvh->end_bounds[end].count < bvh->slot_count &&
            !snag__kdops_reserve(allocator, &bvh->memory[SNAG__BVH_END_BOUNDS + end], bvh->shape.k, bvh->slot_count,
                                 &bvh->end_bounds[end])) {
            bvh->end_bounds[end].count = 0;
            return false;
        }
    return true;
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
    bool two_ended = def->two_ended && def->swept && bvh->shape.k == 6;
    if (two_ended && !reserve_ends(bvh, allocator))
        return false;
    bool all = bvh->swept != def->swept || bvh->two_ended != two_ended || bvh->inflate != def->inflate || bvh->lazy != lazy ||
               bvh->grown != (def->grow != NULL);
    bvh->grown = def->grow != NULL;
    bvh->swept = def->swept;
    bvh->two_ended = two_ended;
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
