#include "bound/quantized_aabb.h"

#include <math.h>
#include <string.h>

enum { LEAVES_OF_A_TASK = 128 };

// Cells of a leaf of ordinary size: a triangle then has some 200, and what a box grows by does not matter.
static const double QUANTIZED_WANTED = 2048;
// With fewer it does.
static const double QUANTIZED_NEEDED = 64;

// The largest sides of leaves: what most of them have, to a factor of two, and the largest.
typedef struct sizes {
    double usual, largest;
} sizes;

static float largest_side(const snag__kdops *bounds, uint32_t node)
{
    float largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        float side = bounds->hi[axis][node] - bounds->lo[axis][node];
        largest = side > largest ? side : largest;
    }
    return largest;
}

static bool is_full(const snag__node *node)
{
    return node->leaf && node->count > 0;
}

enum { EXPONENTS = 256, MANTISSA_BITS = 23, PARTS = 8, NODES_OF_A_PART = 512 };

// Of a float that is not negative.
static uint32_t exponent_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> MANTISSA_BITS;
}

typedef struct tally {
    float largest;
    uint32_t leaves, count[EXPONENTS];
} tally;

typedef struct survey {
    const snag__bvh *bvh;
    uint32_t part_count;
    tally parts[PARTS];
} survey;

static void look_at_part(void *context, uint32_t part)
{
    survey *s = context;
    const snag__bvh *bvh = s->bvh;
    uint64_t nodes = bvh->node_count;
    uint32_t first = (uint32_t)(nodes * part / s->part_count), last = (uint32_t)(nodes * (part + 1) / s->part_count);
    tally t = {0};
    for (uint32_t i = first; i < last; i++)
        if (is_full(&bvh->nodes[i])) {
            float side = largest_side(&bvh->node_bounds, i);
            t.largest = side > t.largest ? side : t.largest;
            t.count[exponent_of(side)]++;
            t.leaves++;
        }
    s->parts[part] = t;
}

// The median, of how many halvings lead from the largest to a leaf's: a mean would be that of the few that are huge.
static sizes sizes_of_leaves(const snag__bvh *bvh, const snag__parallel *parallel)
{
    uint32_t wanted = bvh->node_count / NODES_OF_A_PART + 1;
    survey s = {.bvh = bvh, .part_count = wanted < PARTS ? wanted : PARTS};
    snag__parallel_for(parallel, s.part_count, look_at_part, &s);
    float largest = 0;
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < s.part_count; i++) {
        largest = s.parts[i].largest > largest ? s.parts[i].largest : largest;
        leaves += s.parts[i].leaves;
    }
    if (!(largest > 0 && isfinite(largest)))
        return (sizes){0};
    uint32_t exponent = exponent_of(largest) + 1, above = 0;
    do {
        exponent--;
        for (uint32_t i = 0; i < s.part_count; i++)
            above += s.parts[i].count[exponent];
    } while (above < (leaves + 1) / 2);
    return (sizes){.usual = ldexp((double)largest, (int)exponent - (int)exponent_of(largest)), .largest = (double)largest};
}

// How far the trees reach from a point; infinite where floats are.
static double reach_from(const snag__bvh *bvh, const double origin[3])
{
    double reach = 0;
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            uint32_t root = bvh->trees[i].root;
            double lo = (double)bvh->node_bounds.lo[axis][root], hi = (double)bvh->node_bounds.hi[axis][root];
            if (lo <= hi)
                reach = fmax(reach, fmax(hi - origin[axis], origin[axis] - lo));
        }
    return reach;
}

// The grid stays while leaves are about as large as they were: trees that stay need no new boxes.
static bool still_fits(const snag__quantized_aabbs *quantized, const snag__bvh *bvh, sizes s)
{
    double most = (SNAG__QUANTIZED_LEAF_MAX - 8) * quantized->quantum;
    return quantized->quantum > 0 && s.largest <= most && s.usual <= 4 * quantized->size && quantized->size <= 4 * s.usual &&
           reach_from(bvh, quantized->origin) <= SNAG__QUANTIZED_GRID_MAX * quantized->quantum;
}

static void make_grid(snag__quantized_aabbs *quantized, const snag__bvh *bvh, sizes s)
{
    for (int axis = 0; axis < 3; axis++) {
        double corner = (double)bvh->node_bounds.lo[axis][bvh->trees[0].root];
        quantized->origin[axis] = isfinite(corner) ? corner : 0;
    }
    double quantum = fmax(s.usual / QUANTIZED_WANTED, 2 * s.largest / SNAG__QUANTIZED_LEAF_MAX);
    bool fine = isfinite(quantum) && s.usual >= QUANTIZED_NEEDED * quantum && isfinite(1 / quantum) &&
                isfinite(quantum * SNAG__QUANTIZED_GRID_MAX);
    quantized->quantum = fine && reach_from(bvh, quantized->origin) <= SNAG__QUANTIZED_GRID_MAX * quantum ? quantum : 0;
    quantized->size = s.usual;
}

static bool reserve(snag__quantized_aabbs *quantized, const snag__bvh *bvh, const snag_allocator *allocator)
{
    size_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS + 1u;
    if (!snag__buffer_reserve(allocator, &quantized->memory[0], 0, leaves, sizeof *quantized->boxes) ||
        !snag__buffer_reserve(allocator, &quantized->memory[1], 0, leaves, sizeof *quantized->bounds) ||
        !snag__buffer_reserve(allocator, &quantized->memory[2], 0, bvh->tree_count + 1u, sizeof *quantized->refits))
        return false;
    quantized->boxes = quantized->memory[0].data;
    quantized->bounds = quantized->memory[1].data;
    quantized->refits = quantized->memory[2].data;
    return true;
}

typedef struct refit {
    snag__quantized_aabbs *quantized;
    const snag__bvh *bvh;
    const snag__quantized_aabb_kernels *kernels;
    uint32_t first, last;  // leaves
} refit;

static void fill_task(void *context, uint32_t task)
{
    const refit *r = context;
    uint32_t first = r->first + task * LEAVES_OF_A_TASK;
    uint32_t last = r->last - first < LEAVES_OF_A_TASK ? r->last : first + LEAVES_OF_A_TASK;
    r->kernels->fill(r->bvh, first, last, r->quantized);
}

const snag__quantized_aabb_kernels *snag__quantized_aabb_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__quantized_aabb_kernels, isa)
}

bool snag__quantized_aabbs_fit(const snag__quantized_aabbs *quantized, const snag__bvh *bvh)
{
    return quantized->builds != 0 && quantized->builds == bvh->builds && snag__quantized_aabbs_usable(quantized);
}

bool snag__quantized_aabbs_refit(snag__quantized_aabbs *quantized, const snag__bvh *bvh, const snag_allocator *allocator,
                                 const snag__parallel *parallel, snag_isa isa)
{
    sizes s = sizes_of_leaves(bvh, parallel);
    bool anew = quantized->builds != bvh->builds || !still_fits(quantized, bvh, s);
    if (anew) {
        quantized->quantum = 0;
        quantized->builds = 0;
        if (!reserve(quantized, bvh, allocator))
            return false;
        if (bvh->tree_count > 0)
            make_grid(quantized, bvh, s);
        quantized->builds = bvh->builds;
    }
    if (!snag__quantized_aabbs_usable(quantized))
        return true;
    refit r = {.quantized = quantized, .bvh = bvh, .kernels = snag__quantized_aabb_kernels_for(isa)};
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        const snag__tree *tree = &bvh->trees[i];
        if (!anew && quantized->refits[i] == tree->refits)
            continue;
        r.first = tree->first_slot / SNAG__LEAF_ELEMENTS;
        r.last = (tree->first_slot + tree->slot_count + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
        snag__parallel_for(parallel, (r.last - r.first + LEAVES_OF_A_TASK - 1) / LEAVES_OF_A_TASK, fill_task, &r);
        quantized->refits[i] = tree->refits;
    }
    return true;
}

void snag__quantized_aabbs_free(const snag_allocator *allocator, snag__quantized_aabbs *quantized)
{
    for (size_t i = 0; i < sizeof quantized->memory / sizeof *quantized->memory; i++)
        snag__buffer_free(allocator, &quantized->memory[i]);
    *quantized = (snag__quantized_aabbs){0};
}
