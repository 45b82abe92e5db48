#include "bound/cells.h"

#include <math.h>
#include <string.h>

enum { LEAVES_OF_A_PIECE = 128 };

// Cells of a leaf of ordinary size: a triangle then has some 200, and what a box grows by does not matter.
static const double CELLS_WANTED = 2048;
// With fewer it does.
static const double CELLS_NEEDED = 64;

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
    const snag__forest *forest;
    uint32_t part_count;
    tally parts[PARTS];
} survey;

static void look_at_part(void *context, uint32_t part)
{
    survey *s = context;
    const snag__forest *forest = s->forest;
    uint64_t nodes = forest->node_count;
    uint32_t first = (uint32_t)(nodes * part / s->part_count), last = (uint32_t)(nodes * (part + 1) / s->part_count);
    tally t = {0};
    for (uint32_t i = first; i < last; i++)
        if (is_full(&forest->nodes[i])) {
            float side = largest_side(&forest->node_bounds, i);
            t.largest = side > t.largest ? side : t.largest;
            t.count[exponent_of(side)]++;
            t.leaves++;
        }
    s->parts[part] = t;
}

// The median, of how many halvings lead from the largest to a leaf's: a mean would be that of the few that are huge.
static sizes sizes_of_leaves(const snag__forest *forest, const snag__parallel *parallel)
{
    uint32_t wanted = forest->node_count / NODES_OF_A_PART + 1;
    survey s = {.forest = forest, .part_count = wanted < PARTS ? wanted : PARTS};
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
static double reach_from(const snag__forest *forest, const double origin[3])
{
    double reach = 0;
    for (uint32_t i = 0; i < forest->tree_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            uint32_t root = forest->trees[i].root;
            double lo = (double)forest->node_bounds.lo[axis][root], hi = (double)forest->node_bounds.hi[axis][root];
            if (lo <= hi)
                reach = fmax(reach, fmax(hi - origin[axis], origin[axis] - lo));
        }
    return reach;
}

// The grid stays while leaves are about as large as they were: trees that stay need no new boxes.
static bool still_fits(const snag__cells *cells, const snag__forest *forest, sizes s)
{
    double most = (SNAG__CELLS_OF_A_LEAF - 8) * cells->cell;
    return cells->cell > 0 && s.largest <= most && s.usual <= 4 * cells->size && cells->size <= 4 * s.usual &&
           reach_from(forest, cells->origin) <= SNAG__CELLS_OF_THE_GRID * cells->cell;
}

static void make_grid(snag__cells *cells, const snag__forest *forest, sizes s)
{
    for (int axis = 0; axis < 3; axis++) {
        double corner = (double)forest->node_bounds.lo[axis][forest->trees[0].root];
        cells->origin[axis] = isfinite(corner) ? corner : 0;
    }
    double cell = fmax(s.usual / CELLS_WANTED, 2 * s.largest / SNAG__CELLS_OF_A_LEAF);
    bool fine = isfinite(cell) && s.usual >= CELLS_NEEDED * cell && isfinite(1 / cell) && isfinite(cell * SNAG__CELLS_OF_THE_GRID);
    cells->cell = fine && reach_from(forest, cells->origin) <= SNAG__CELLS_OF_THE_GRID * cell ? cell : 0;
    cells->size = s.usual;
}

static bool reserve(snag__cells *cells, const snag__forest *forest, const snag_allocator *allocator)
{
    size_t leaves = forest->place_count / SNAG__LEAF_ELEMENTS + 1u;
    if (!snag__buffer_reserve(allocator, &cells->memory[0], 0, leaves, sizeof *cells->boxes) ||
        !snag__buffer_reserve(allocator, &cells->memory[1], 0, leaves, sizeof *cells->bounds) ||
        !snag__buffer_reserve(allocator, &cells->memory[2], 0, forest->tree_count + 1u, sizeof *cells->refits))
        return false;
    cells->boxes = cells->memory[0].data;
    cells->bounds = cells->memory[1].data;
    cells->refits = cells->memory[2].data;
    return true;
}

typedef struct refit {
    snag__cells *cells;
    const snag__forest *forest;
    const snag__cell_kernels *kernels;
    uint32_t first, last;  // leaves
} refit;

static void fill_piece(void *context, uint32_t piece)
{
    const refit *r = context;
    uint32_t first = r->first + piece * LEAVES_OF_A_PIECE;
    uint32_t last = r->last - first < LEAVES_OF_A_PIECE ? r->last : first + LEAVES_OF_A_PIECE;
    r->kernels->fill(r->forest, first, last, r->cells);
}

const snag__cell_kernels *snag__cell_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__cell_kernels, isa)
}

bool snag__cells_fit(const snag__cells *cells, const snag__forest *forest)
{
    return cells->builds != 0 && cells->builds == forest->builds && snag__cells_usable(cells);
}

bool snag__cells_refit(snag__cells *cells, const snag__forest *forest, const snag_allocator *allocator,
                       const snag__parallel *parallel, snag_isa isa)
{
    sizes s = sizes_of_leaves(forest, parallel);
    bool anew = cells->builds != forest->builds || !still_fits(cells, forest, s);
    if (anew) {
        cells->cell = 0;
        cells->builds = 0;
        if (!reserve(cells, forest, allocator))
            return false;
        if (forest->tree_count > 0)
            make_grid(cells, forest, s);
        cells->builds = forest->builds;
    }
    if (!snag__cells_usable(cells))
        return true;
    refit r = {.cells = cells, .forest = forest, .kernels = snag__cell_kernels_for(isa)};
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        const snag__tree *tree = &forest->trees[i];
        if (!anew && cells->refits[i] == tree->refits)
            continue;
        r.first = tree->first_place / SNAG__LEAF_ELEMENTS;
        r.last = (tree->first_place + tree->place_count + SNAG__LEAF_ELEMENTS - 1) / SNAG__LEAF_ELEMENTS;
        snag__parallel_for(parallel, (r.last - r.first + LEAVES_OF_A_PIECE - 1) / LEAVES_OF_A_PIECE, fill_piece, &r);
        cells->refits[i] = tree->refits;
    }
    return true;
}

void snag__cells_free(const snag_allocator *allocator, snag__cells *cells)
{
    for (size_t i = 0; i < sizeof cells->memory / sizeof *cells->memory; i++)
        snag__buffer_free(allocator, &cells->memory[i]);
    *cells = (snag__cells){0};
}
