// Boxes and directions of a surface's patches, once for each pose.
#include "bound/surface_tree.h"

#include <math.h>
#include <string.h>

enum { TASKS = 64, PATCHES_OF_A_TASK = 128 };  // tasks at most, and patches of a task at least

// ---- directions ----

// Adds an axis unless it is there already, in either direction.
static void add_axis(snag__directions *directions, const double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (uint32_t i = 0; i < directions->axes; i++) {
        double dot = 0;
        for (int k = 0; k < 3; k++)
            dot += directions->axis[k][i] * v[k] / length;
        if (fabs(dot) > 0.999)
            return;
    }
    for (int k = 0; k < 3; k++)
        directions->axis[k][directions->axes] = (float)(v[k] / length);
    directions->axes++;
}

// Adds the axes with the given coordinates in their three cyclic orders and with all signs.
static void add_axes(snag__directions *directions, double x, double y, double z)
{
    for (int turn = 0; turn < 3; turn++)
        for (int signs = 0; signs < 4; signs++) {
            double v[3];
            v[turn] = x;
            v[(turn + 1) % 3] = signs & 1 ? -y : y;
            v[(turn + 2) % 3] = signs & 2 ? -z : z;
            add_axis(directions, v);
        }
}

void snag__directions_make(uint32_t count, snag__directions *directions)
{
    const double golden = (1 + sqrt(5)) / 2;
    memset(directions, 0, sizeof *directions);
    if (count == 6) {
        add_axes(directions, 1, 0, 0);
        return;
    }
    add_axes(directions, 1, golden, 0);  // corners of an icosahedron: 12
    if (count >= 32) {  // the middles of its faces: 20
        add_axes(directions, 1, 1, 1);
        add_axes(directions, golden, 1 / golden, 0);
    }
    if (count >= 62) {  // and of its edges: 30
        add_axes(directions, 1, 0, 0);
        add_axes(directions, 1, golden * golden, golden);
    }
}

uint32_t snag__middle_direction(const snag__directions *directions, uint64_t faced)
{
    double sum[3] = {0};
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint64_t bits = faced; bits != 0; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(bits);
        for (int k = 0; k < 3; k++)
            sum[k] += i < SNAG__AXES ? directions->axis[k][i] : -directions->axis[k][i - SNAG__AXES];
    }
    for (uint64_t bits = faced; bits != 0; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(bits), axis = i % SNAG__AXES;
        double dot = sum[0] * directions->axis[0][axis] + sum[1] * directions->axis[1][axis] + sum[2] * directions->axis[2][axis];
        dot = i < SNAG__AXES ? dot : -dot;
        if (dot > most) {
            most = dot;
            best = i;
        }
    }
    return best;
}

// ---- refit ----

typedef struct refit {
    snag__surface_tree *tree;
    const snag__directions *directions;
    const snag__surface_kernels *kernels;
    uint32_t first, last;  // patches of the level
    uint32_t step;  // patches of a task
    uint32_t needles[TASKS];
} refit;

static void merge_children(const snag__surface_tree *tree, snag__patch *patch)
{
    const snag__patch *child = &tree->patches[patch->first_child];
    snag__patch sum = *child;
    for (uint32_t i = 1; i < patch->child_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            sum.lo[axis] = child[i].lo[axis] < sum.lo[axis] ? child[i].lo[axis] : sum.lo[axis];
            sum.hi[axis] = child[i].hi[axis] > sum.hi[axis] ? child[i].hi[axis] : sum.hi[axis];
        }
        sum.directions &= child[i].directions;
    }
    memcpy(patch->lo, sum.lo, sizeof patch->lo);
    memcpy(patch->hi, sum.hi, sizeof patch->hi);
    patch->directions = sum.directions;
}

static void refit_task(void *context, uint32_t task)
{
    refit *r = context;
    uint32_t first = r->first + task * r->step, last = r->last - first < r->step ? r->last : first + r->step;
    r->needles[task] += r->kernels->leaves(r->tree, r->directions, first, last);
    for (uint32_t i = first; i < last; i++)
        if (r->tree->patches[i].child_count > 0)
            merge_children(r->tree, &r->tree->patches[i]);
}

void snag__surface_tree_refit(snag__surface_tree *tree, const snag__directions *directions, const snag__parallel *parallel,
                              snag_isa isa)
{
    refit r = {.tree = tree, .directions = directions, .kernels = snag__surface_kernels_for(isa)};
    for (uint32_t level = tree->levels; level-- > 0;) {
        r.first = tree->level_first[level];
        r.last = tree->level_first[level + 1];
        uint32_t count = r.last - r.first;
        r.step = (count + TASKS - 1) / TASKS;
        r.step = r.step > PATCHES_OF_A_TASK ? r.step : PATCHES_OF_A_TASK;
        snag__parallel_for(parallel, (count + r.step - 1) / r.step, refit_task, &r);
    }
    tree->needles = 0;
    for (int i = 0; i < TASKS; i++)
        tree->needles += r.needles[i];
}

const snag__surface_kernels *snag__surface_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__surface_kernels, isa)
}
