// The on-collide sphere tree.
// Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection pipeline, 2005.
// Differs: a level is made from the triangles of its node, not of the whole model, and every node keeps their list; a level counts as
// used when anything below it is, so that idle branches are dropped as a whole (see docs/design/spheres.md).
#include "bound/sphere_tree.h"

#include "base/assert.h"
#include "base/vec3.h"

#include <math.h>
#include <string.h>

// Spheres are enlarged by this fraction, which is more than all rounding errors.
static const double MARGIN = 1e-12;

// Triangles that meet more octants than this on average are about as large as an octant, or larger.
static const double CROWDED = 2.5;

// ---- order of use ----

static void unlink_level(snag__sphere_tree *tree, snag__sphere_level *level)
{
    *(level->newer != NULL ? &level->newer->older : &tree->newest) = level->older;
    *(level->older != NULL ? &level->older->newer : &tree->oldest) = level->newer;
}

static void link_newest(snag__sphere_tree *tree, snag__sphere_level *level)
{
    level->newer = NULL;
    level->older = tree->newest;
    *(tree->newest != NULL ? &tree->newest->newer : &tree->oldest) = level;
    tree->newest = level;
}

// ---- boxes and spheres ----

static double middle(double lo, double hi)
{
    double sum = lo + hi;
    return isfinite(sum) ? sum / 2 : lo / 2 + hi / 2;
}

static void cut_box(const double lo[3], const double hi[3], snag__octants *octants)
{
    octants->cut = 0;
    for (int axis = 0; axis < 3; axis++) {
        octants->lo[axis] = lo[axis];
        octants->hi[axis] = hi[axis];
        octants->mid[axis] = middle(lo[axis], hi[axis]);
        if (lo[axis] < octants->mid[axis] && octants->mid[axis] < hi[axis])
            octants->cut |= (uint8_t)(1u << axis);
    }
}

// Half the sides of the largest octant, used for all children.
static void half_sides(const snag__octants *octants, double half[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = octants->lo[axis], mid = octants->mid[axis], hi = octants->hi[axis];
        half[axis] = (octants->cut >> axis & 1) != 0 ? fmax(mid / 2 - lo / 2, hi / 2 - mid / 2) : hi / 2 - lo / 2;
    }
}

void snag__sphere_cut(snag__sphere_node node, snag__octants *octants)
{
    SNAG__ASSERT(node.child < 8);
    double lo[3], hi[3];
    snag__octant_box(&node.level->octants, (int)node.child, lo, hi);
    cut_box(lo, hi, octants);
}

static void note_divisible(snag__sphere_level *level)
{
    for (uint32_t child = 0; child < 8; child++) {
        snag__octants octants;
        snag__sphere_cut((snag__sphere_node){level, child}, &octants);
        level->divisible |= (uint8_t)((octants.cut != 0) << child);
    }
}

uint32_t snag__sphere_code(snag__sphere_node node)
{
    return node.level->depth == 0 ? 1 : node.level->code << 3 | node.child;
}

void snag__sphere_of(snag__sphere_node node, snag__sphere *sphere)
{
    SNAG__ASSERT(node.child < 8 && (node.level->grey >> node.child & 1) != 0);
    const snag__eight_spheres *eight = &node.level->spheres;
    for (int axis = 0; axis < 3; axis++) {
        sphere->centre[axis] = eight->centre[axis][node.child];
        sphere->half[axis] = eight->half[axis];
    }
    sphere->radius = eight->radius;
}

// The spheres of a level, where the body is now. Huge coordinates may overflow: infinite and NaN spheres overlap everything.
static void place_spheres(const snag__sphere_tree *tree, snag__sphere_level *level)
{
    double half[3], reach = 0;
    half_sides(&level->octants, half);
    for (int o = 0; o < 8; o++) {
        double lo[3], hi[3], centre[3];
        snag__octant_box(&level->octants, o, lo, hi);
        for (int axis = 0; axis < 3; axis++)
            centre[axis] = middle(lo[axis], hi[axis]);
        for (int axis = 0; axis < 3; axis++) {
            const double *row = tree->rotation[axis];
            double at = snag__vec3_dot(row, centre) + tree->shift[axis];
            level->spheres.centre[axis][o] = at;
            reach = fmax(reach, fabs(at));
        }
    }
    double slack = tree->slack + MARGIN * reach;
    for (int axis = 0; axis < 3; axis++) {
        const double *row = tree->rotation[axis];
        double side = fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        level->spheres.half[axis] = side * (1 + MARGIN) + slack;
    }
    double radius = snag__length(half);
    level->spheres.radius = radius * (1 + MARGIN) + slack;
    level->blurred = radius <= slack;
    level->placed = tree->place;
}

// ---- the tree ----

void snag__sphere_tree_begin(snag__sphere_tree *tree, const double lo[3], const double hi[3], uint32_t count, bool coarse)
{
    SNAG__ASSERT(tree->newest == NULL && tree->level_count == 0);
    snag__sphere_level *root = &tree->root;
    *root = (snag__sphere_level){.grey = 1, .child_count = 1, .coarse = coarse};
    for (int axis = 0; axis < 3; axis++) {
        root->octants.lo[axis] = lo[axis];
        root->octants.mid[axis] = hi[axis];
        root->octants.hi[axis] = hi[axis];
    }
    for (int i = 1; i <= 8; i++)
        root->start[i] = count;
    note_divisible(root);
    static const double none[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, rest[3] = {0, 0, 0};
    snag__sphere_tree_move(tree, none, rest, 0);
}

void snag__sphere_tree_move(snag__sphere_tree *tree, const double rotation[3][3], const double shift[3], double slack)
{
    memcpy(tree->rotation, rotation, sizeof tree->rotation);
    memcpy(tree->shift, shift, sizeof tree->shift);
    SNAG__ASSERT(!(slack < 0));
    tree->slack = slack;
    tree->place++;
    place_spheres(tree, &tree->root);
    SNAG__VALIDATE(snag__sphere_tree_validate(tree));
}

static void count_children(const snag__sphere_parts *parts, uint32_t sizes[8])
{
    memset(sizes, 0, 8 * sizeof *sizes);
    for (uint32_t i = 0; i < parts->count; i++)
        for (uint32_t rest = parts->masks[i] & parts->grey; rest != 0; rest &= rest - 1)
            sizes[__builtin_ctz(rest)]++;
}

static void fill_lists(const snag__sphere_parts *parts, const uint32_t *start, uint32_t *lists)
{
    uint32_t next[8];
    memcpy(next, start, sizeof next);
    for (uint32_t i = 0; i < parts->count; i++)
        for (uint32_t rest = parts->masks[i] & parts->grey; rest != 0; rest &= rest - 1)
            lists[next[__builtin_ctz(rest)]++] = parts->list != NULL ? parts->list[i] : i;
}

snag__sphere_level *snag__sphere_make(snag__sphere_tree *tree, snag__sphere_node node, const snag__octants *octants,
                                      const snag__sphere_parts *parts, const snag_allocator *allocator)
{
    SNAG__ASSERT(node.child < 8 && node.level->below[node.child] == NULL && (node.level->grey >> node.child & 1) != 0);
    SNAG__ASSERT(node.level->depth < SNAG__SPHERE_DEPTH_MAX && (parts->masks != NULL || parts->count == 0));
    uint32_t sizes[8];
    size_t total = 0;
    count_children(parts, sizes);
    for (int o = 0; o < 8; o++)
        total += sizes[o];
    if (total > UINT32_MAX)
        return NULL;
    size_t bytes = sizeof(snag__sphere_level) + total * sizeof(uint32_t);
    snag__sphere_level *level = snag__allocate(allocator, bytes, 1);
    if (level == NULL)
        return NULL;
    *level = (snag__sphere_level){
        .octants = *octants,
        .above = node.level,
        .code = snag__sphere_code(node),
        .depth = (uint8_t)(node.level->depth + 1),
        .triangles = (uint32_t *)(level + 1),
        .crowded = !parts->coarse && (double)total > CROWDED * parts->count,
        .bytes = bytes,
    };
    for (int o = 0; o < 8; o++) {
        level->start[o + 1] = level->start[o] + sizes[o];
        level->grey |= (uint8_t)((sizes[o] > 0) << o);
        level->child_count += sizes[o] > 0;
    }
    level->coarse = parts->coarse ? level->grey : 0;
    note_divisible(level);
    fill_lists(parts, level->start, (uint32_t *)(level + 1));
    node.level->below[node.child] = level;
    link_newest(tree, level);
    tree->level_count++;
    tree->levels_made++;
    tree->bytes += bytes;
    return level;
}

void snag__sphere_place(snag__sphere_tree *tree, snag__sphere_level *level)
{
    if (level->placed != tree->place)
        place_spheres(tree, level);
}

void snag__sphere_visit(snag__sphere_tree *tree, snag__sphere_level *level, uint64_t step)
{
    SNAG__ASSERT(level->used <= step);
    snag__sphere_place(tree, level);
    if (level->used == step || level == &tree->root)
        return;
    level->used = step;
    unlink_level(tree, level);
    link_newest(tree, level);
}

// Frees a level without levels below it.
static void free_level(snag__sphere_tree *tree, snag__sphere_level *level, const snag_allocator *allocator)
{
    snag__sphere_level *above = level->above;
    SNAG__ASSERT(tree->level_count > 0 && tree->bytes >= level->bytes);
    for (int i = 0; i < 8; i++)
        if (above->below[i] == level)
            above->below[i] = NULL;
    unlink_level(tree, level);
    tree->level_count--;
    tree->bytes -= level->bytes;
    snag__release(allocator, level, level->bytes, 1);
}

static snag__sphere_level *any_below(const snag__sphere_level *level)
{
    for (int i = 0; i < 8; i++)
        if (level->below[i] != NULL)
            return level->below[i];
    return NULL;
}

void snag__sphere_drop(snag__sphere_tree *tree, snag__sphere_level *level, const snag_allocator *allocator)
{
    SNAG__ASSERT(level != &tree->root && level->above != NULL);
    const snag__sphere_level *end = level->above;
    for (snag__sphere_level *at = level; at != end;) {
        snag__sphere_level *below = any_below(at), *above = at->above;
        if (below == NULL)
            free_level(tree, at, allocator);
        at = below != NULL ? below : above;
    }
}

// Levels below a level were not used later than it, so dropping them along with it is right.
void snag__sphere_forget(snag__sphere_tree *tree, uint64_t step, const snag_allocator *allocator)
{
    while (tree->oldest != NULL && tree->oldest->used < step)
        snag__sphere_drop(tree, tree->oldest, allocator);
    SNAG__VALIDATE(snag__sphere_tree_validate(tree));
}

void snag__sphere_tree_clear(snag__sphere_tree *tree, const snag_allocator *allocator)
{
    while (tree->oldest != NULL)
        snag__sphere_drop(tree, tree->oldest, allocator);
    SNAG__ASSERT(tree->level_count == 0 && tree->bytes == 0 && tree->newest == NULL);
}
