#include "bound/planes.h"

#include <math.h>

enum { RECORDS_OF_A_PIECE = 8192 };

// Sizes at which squares and products of three floats neither overflow nor lose their precision.
static const double SIZE_SMALLEST = 1e-12, SIZE_LARGEST = 1e12;

// Errors of a signed distance in units of 2^-24 times the size of the coordinates: corners 3, normal 3.1, products 3,
// offset 3, sums 11. The rest is reserve.
static const double MARGIN = 32 * 0x1p-24;

typedef struct filling {
    snag__planes *planes;
    const snag__forest *forest;
    const snag__tree *tree;
    const snag__plane_kernels *kernels;
    uint32_t first_vertex;
} filling;

static void fill_piece(void *context, uint32_t piece)
{
    const filling *f = context;
    uint32_t done = piece * RECORDS_OF_A_PIECE, left = f->tree->place_count - done;
    size_t place = (size_t)f->tree->first_place + done;
    f->kernels->fill(f->tree->mesh, (const uint32_t(*)[3])f->forest->vertices + place, f->first_vertex, f->planes->centre,
                     left < RECORDS_OF_A_PIECE ? left : RECORDS_OF_A_PIECE, f->planes->records + place);
}

// The box of all trees.
static bool box_of(const snag__forest *forest, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
        for (uint32_t i = 0; i < forest->tree_count; i++) {
            lo[axis] = fmin(lo[axis], forest->node_bounds.lo[axis][forest->trees[i].root]);
            hi[axis] = fmax(hi[axis], forest->node_bounds.hi[axis][forest->trees[i].root]);
        }
    }
    return lo[0] <= hi[0] && isfinite(hi[0] - lo[0]) && isfinite(hi[1] - lo[1]) && isfinite(hi[2] - lo[2]);
}

float snag__plane_margin(const snag__forest *forest, bool anew, double centre[3])
{
    double lo[3], hi[3], size = 0;
    bool finite = box_of(forest, lo, hi);
    for (int axis = 0; axis < 3; axis++) {
        if (anew)
            centre[axis] = finite ? lo[axis] + (hi[axis] - lo[axis]) / 2 : 0;
        size = fmax(size, fmax(hi[axis] - centre[axis], centre[axis] - lo[axis]));
    }
    return finite && size > SIZE_SMALLEST && size < SIZE_LARGEST ? (float)(size * MARGIN) : INFINITY;
}

bool snag__planes_refit(snag__planes *planes, const snag__forest *forest, bool rebuilt, const snag_allocator *allocator,
                        const snag__parallel *parallel, snag_isa isa)
{
    if (!snag__buffer_reserve(allocator, &planes->memory, 0, forest->place_count + 1u, sizeof *planes->records) ||
        !snag__buffer_reserve(allocator, &planes->poses, 0, forest->tree_count + 1u, sizeof(uint64_t)))
        return false;
    rebuilt |= planes->records != planes->memory.data;
    planes->records = planes->memory.data;
    uint64_t *poses = planes->poses.data;

    planes->margin = snag__plane_margin(forest, rebuilt, planes->centre);

    filling f = {.planes = planes, .forest = forest, .kernels = snag__plane_kernels_for(isa)};
    for (uint32_t i = 0; i < forest->tree_count; i++) {
        f.tree = &forest->trees[i];
        if (rebuilt || poses[i] != f.tree->pose)
            snag__parallel_for(parallel, (f.tree->place_count + RECORDS_OF_A_PIECE - 1) / RECORDS_OF_A_PIECE, fill_piece, &f);
        poses[i] = f.tree->pose;
        f.first_vertex += f.tree->mesh->vertex_count;
    }
    return true;
}

void snag__planes_free(const snag_allocator *allocator, snag__planes *planes)
{
    snag__buffer_free(allocator, &planes->memory);
    snag__buffer_free(allocator, &planes->poses);
    *planes = (snag__planes){0};
}

const snag__plane_kernels *snag__plane_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__plane_kernels, isa)
}
