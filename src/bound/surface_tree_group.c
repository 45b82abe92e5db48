// The hierarchy of section 2.3.1: elements of a level are grouped, about three neighbours at a time, so that the shape
// factor sqrt(area) / perimeter of the groups is as large as can be; the groups are the elements of the next level.
//
// Differs: groups are formed along a front that advances over the surface, which leaves few elements alone. Those join
// a group beside them, and what has no neighbour at all (loose triangles, components) is grouped by nearness in space,
// so that every level has at most five eighths of the elements of the one below, whatever the topology. Then elements
// that share more border with another group than with their own change over, which makes contours a quarter shorter.
#include "bound/surface_tree_group.h"

#include "base/counting_sort.h"
#include "base/sort.h"
#include "bound/surface_tree.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

// The elements of one level, and where they touch along edges.
typedef struct level {
    uint32_t count;
    uint32_t *triangles;  // how many each holds
    double *area, *perimeter;
    double (*centre)[3];
    uint32_t *arc_start;  // neighbours of each: arcs arc_start[e] .. arc_start[e + 1] - 1
    uint32_t *arc_to;
    double *arc_length;  // of the border they share
} level;

// What the groups of a level may hold.
typedef struct limits {
    uint32_t members;  // to aim at
    uint32_t triangles;  // at most
} limits;

// Two levels of leaves in the making (four by four triangles: full blocks), then three at a time as in the paper.
static limits limits_of(uint32_t level_number)
{
    if (level_number < 2)
        return (limits){4, SNAG__PATCH_TRIANGLES};
    return (limits){3, UINT32_MAX};
}

typedef struct work {
    const snag_allocator *allocator;
    level levels[2];  // the present one and the next
    uint32_t *group;  // by element: its group, or NONE
    uint32_t *group_size;  // by group: members
    uint32_t *group_triangles;
    double *group_area, *group_perimeter;
    double *shared;  // by element: border with the group in the making; 0 if none
    uint32_t *queue, *members, *member_start;
    uint8_t *queued;
    snag__record *records;  // two for each element: sorting by nearness
    uint32_t group_count;
    snag__buffer memory[3];
} work;

// ---- memory ----

// Hands out aligned tasks of one block.
static void *carve(char **at, size_t count, size_t size)
{
    void *task = *at;
    *at += (count * size + 63) / 64 * 64;
    return task;
}

static void carve_level(level *l, char **at, size_t count, size_t arcs)
{
    l->triangles = carve(at, count, sizeof *l->triangles);
    l->area = carve(at, count, sizeof *l->area);
    l->perimeter = carve(at, count, sizeof *l->perimeter);
    l->centre = carve(at, count, sizeof *l->centre);
    l->arc_start = carve(at, count + 1, sizeof *l->arc_start);
    l->arc_to = carve(at, arcs, sizeof *l->arc_to);
    l->arc_length = carve(at, arcs, sizeof *l->arc_length);
}

static bool reserve(work *w, size_t count, size_t arcs)
{
    size_t level_bytes = count * (4 + 8 + 8 + 24 + 4) + arcs * 12 + 512;
    size_t work_bytes = count * (4 + 4 + 4 + 8 + 8 + 8 + 4 + 4 + 4 + 1) + 1024;
    if (!snag__buffer_reserve(w->allocator, &w->memory[0], 0, 2 * level_bytes + work_bytes, 1) ||
        !snag__buffer_reserve(w->allocator, &w->memory[1], 0, 2 * count + 1, sizeof(snag__record)))
        return false;
    char *at = w->memory[0].data;
    carve_level(&w->levels[0], &at, count, arcs);
    carve_level(&w->levels[1], &at, count, arcs);
    w->group_area = carve(&at, count, sizeof *w->group_area);
    w->group_perimeter = carve(&at, count, sizeof *w->group_perimeter);
    w->shared = carve(&at, count, sizeof *w->shared);
    w->group = carve(&at, count, sizeof *w->group);
    w->group_size = carve(&at, count, sizeof *w->group_size);
    w->group_triangles = carve(&at, count, sizeof *w->group_triangles);
    w->queue = carve(&at, count, sizeof *w->queue);
    w->members = carve(&at, count, sizeof *w->members);
    w->member_start = carve(&at, count + 1, sizeof *w->member_start);
    w->queued = carve(&at, count, sizeof *w->queued);
    w->records = w->memory[1].data;
    return true;
}

// ---- the lowest level: triangles ----

static double edge_length(const snag__mesh *mesh, uint32_t a, uint32_t b)
{
    double d[3];
    for (int axis = 0; axis < 3; axis++)
        d[axis] = mesh->x_t1[a][axis] - mesh->x_t1[b][axis];
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void measure_triangle(const snag__mesh *mesh, uint32_t t, level *l)
{
    const uint32_t *v = mesh->triangles[t];
    double a = edge_length(mesh, v[0], v[1]), b = edge_length(mesh, v[1], v[2]), c = edge_length(mesh, v[2], v[0]);
    double half = (a + b + c) / 2, square = half * (half - a) * (half - b) * (half - c);
    l->triangles[t] = 1;
    l->area[t] = square > 0 ? sqrt(square) : 0;
    l->perimeter[t] = a + b + c;
    for (int axis = 0; axis < 3; axis++)
        l->centre[t][axis] = mesh->x_t1[v[0]][axis] / 3 + mesh->x_t1[v[1]][axis] / 3 + mesh->x_t1[v[2]][axis] / 3;
}

// Triangles at an edge are linked in a ring, so that an edge of very many costs no more than others: two at a time.
static uint32_t arcs_at_edges(const snag__mesh *mesh)
{
    uint32_t arcs = 0;
    for (uint32_t e = 0; e < mesh->edge_count; e++)
        arcs += 2 * (mesh->edge_triangles.start[e + 1] - mesh->edge_triangles.start[e] - 1);
    return arcs;
}

static void link_triangles(const snag__mesh *mesh, level *l)
{
    const snag__csr *at = &mesh->edge_triangles;
    memset(l->arc_start, 0, (l->count + 1u) * sizeof *l->arc_start);
    for (uint32_t e = 0; e < mesh->edge_count; e++)
        for (uint32_t k = at->start[e]; k + 1 < at->start[e + 1]; k++) {
            l->arc_start[at->items[k] + 1]++;
            l->arc_start[at->items[k + 1] + 1]++;
        }
    snag__sizes_to_starts(l->arc_start, l->count);
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        double length = edge_length(mesh, mesh->edges[e][0], mesh->edges[e][1]);
        for (uint32_t k = at->start[e]; k + 1 < at->start[e + 1]; k++)
            for (uint32_t side = 0; side < 2; side++) {
                uint32_t arc = l->arc_start[at->items[k + side]]++;
                l->arc_to[arc] = at->items[k + 1 - side];
                l->arc_length[arc] = length;
            }
    }
    snag__cursors_to_starts(l->arc_start, l->count);
}

// ---- one group ----

// The paper's shape factor. Sizes beyond the range of double make it nothing to go by, not NaN.
static double shape_factor(double area, double perimeter)
{
    double factor = perimeter > 0 ? sqrt(area) / perimeter : INFINITY;
    return factor >= 0 ? factor : 0;
}

static void add_to_group(work *w, const level *l, uint32_t g, uint32_t e)
{
    w->group[e] = g;
    w->group_size[g]++;
    w->group_triangles[g] += l->triangles[e];
    w->group_area[g] += l->area[e];
    w->group_perimeter[g] += l->perimeter[e] - 2 * w->shared[e];
}

static uint32_t new_group(work *w)
{
    uint32_t g = w->group_count++;
    w->group_size[g] = w->group_triangles[g] = 0;
    w->group_area[g] = w->group_perimeter[g] = 0;
    return g;
}

// Grows a group from a free element, always by the neighbour that makes the best shape. `touched` gets the elements
// beside it; returns how many.
static uint32_t grow_group(work *w, const level *l, const limits *limit, uint32_t seed, uint32_t *touched)
{
    uint32_t g = new_group(w), touched_count = 0, next = seed;
    while (next != NONE) {
        add_to_group(w, l, g, next);
        for (uint32_t arc = l->arc_start[next]; arc < l->arc_start[next + 1]; arc++) {
            uint32_t e = l->arc_to[arc];
            if (w->group[e] != NONE)
                continue;
            if (w->shared[e] == 0)
                touched[touched_count++] = e;
            // A border of length 0 is a border all the same.
            w->shared[e] += l->arc_length[arc] > 0 ? l->arc_length[arc] : 1e-300;
        }
        next = NONE;
        double best = -1;
        for (uint32_t i = 0; i < touched_count && w->group_size[g] < limit->members; i++) {
            uint32_t e = touched[i];
            if (w->group[e] != NONE || l->triangles[e] > limit->triangles - w->group_triangles[g])
                continue;
            double factor = shape_factor(w->group_area[g] + l->area[e], w->group_perimeter[g] + l->perimeter[e] - 2 * w->shared[e]);
            if (factor > best) {
                best = factor;
                next = e;
            }
        }
    }
    for (uint32_t i = 0; i < touched_count; i++)
        w->shared[touched[i]] = 0;
    w->shared[seed] = 0;
    return touched_count;
}

// ---- elements that are left alone ----

// Puts an element into the group beside it that it suits best. False: there is none with room.
static bool join_neighbours(work *w, const level *l, const limits *limit, uint32_t e)
{
    uint32_t best_group = NONE;
    double best = -1, best_border = 0;
    for (uint32_t arc = l->arc_start[e]; arc < l->arc_start[e + 1]; arc++) {
        uint32_t g = w->group[l->arc_to[arc]];
        if (g == NONE || w->group_size[g] >= SNAG__PATCH_CHILDREN || l->triangles[e] > limit->triangles - w->group_triangles[g])
            continue;
        double factor =
            shape_factor(w->group_area[g] + l->area[e], w->group_perimeter[g] + l->perimeter[e] - 2 * l->arc_length[arc]);
        if (factor > best) {
            best = factor;
            best_group = g;
            best_border = l->arc_length[arc];
        }
    }
    if (best_group == NONE)
        return false;
    w->shared[e] = best_border;
    add_to_group(w, l, best_group, e);
    w->shared[e] = 0;
    return true;
}

// Bits of a number of 0..2^21-1, with two zeros between each.
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static uint64_t morton_key(const double centre[3], const double lo[3], const double hi[3])
{
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        double part = (centre[axis] - lo[axis]) / (hi[axis] - lo[axis]);
        uint64_t cell = part > 0 && part < 1 ? (uint64_t)(part * 0x1p21) : part >= 1 ? (1u << 21) - 1 : 0;
        key |= spread_bits(cell) << axis;
    }
    return key;
}

// Groups elements by nearness: along a space-filling curve.
static void group_by_nearness(work *w, const level *l, const limits *limit, const uint32_t *alone, uint32_t count)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = fmin(lo[axis], l->centre[alone[i]][axis]);
            hi[axis] = fmax(hi[axis], l->centre[alone[i]][axis]);
        }
    for (uint32_t i = 0; i < count; i++)
        w->records[i] = (snag__record){.key = morton_key(l->centre[alone[i]], lo, hi), .extra = alone[i]};
    snag__sort_records(w->records, w->records + count, count);
    uint32_t g = NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t e = w->records[i].extra;
        if (g == NONE || w->group_size[g] >= limit->members || l->triangles[e] > limit->triangles - w->group_triangles[g])
            g = new_group(w);
        add_to_group(w, l, g, e);
    }
}

// ---- straightening borders ----

// The group beside an element, other than its own, with which it shares the longest border; `own` gets the border with
// its own group. Elements of very many neighbours are left where they are.
static uint32_t longest_border(const work *w, const level *l, uint32_t e, double *own, double *longest)
{
    enum { MOST = 16 };
    uint32_t groups[MOST], count = 0, best = NONE;
    double border[MOST];
    *own = *longest = 0;
    if (l->arc_start[e + 1] - l->arc_start[e] > MOST)
        return NONE;
    for (uint32_t arc = l->arc_start[e]; arc < l->arc_start[e + 1]; arc++) {
        uint32_t g = w->group[l->arc_to[arc]], i = 0;
        if (g == w->group[e]) {
            *own += l->arc_length[arc];
            continue;
        }
        while (i < count && groups[i] != g)
            i++;
        if (i == count) {
            groups[count] = g;
            border[count++] = 0;
        }
        border[i] += l->arc_length[arc];
    }
    for (uint32_t i = 0; i < count; i++)
        if (border[i] > *longest) {
            *longest = border[i];
            best = groups[i];
        }
    return best;
}

// Moves elements to the group with which they share more border than with their own: every move makes contours shorter.
static void straighten(work *w, const level *l, const limits *limit)
{
    enum { PASSES = 3 };
    for (int pass = 0; pass < PASSES; pass++)
        for (uint32_t e = 0; e < l->count; e++) {
            uint32_t from = w->group[e];
            if (w->group_size[from] < 3)
                continue;
            double own, longest;
            uint32_t to = longest_border(w, l, e, &own, &longest);
            if (to == NONE || longest <= own || w->group_size[to] > limit->members ||
                l->triangles[e] > limit->triangles - w->group_triangles[to])
                continue;
            w->group_size[from]--;
            w->group_triangles[from] -= l->triangles[e];
            w->group_area[from] -= l->area[e];
            add_to_group(w, l, to, e);
        }
}

// ---- one level ----

static void group_level(work *w, const level *l, const limits *limit)
{
    memset(w->queued, 0, l->count);
    for (uint32_t e = 0; e < l->count; e++) {
        w->group[e] = NONE;
        w->shared[e] = 0;
    }
    w->group_count = 0;
    uint32_t alone_count = 0, *alone = w->members, *touched = w->member_start;  // both are free until link_groups
    for (uint32_t first = 0; first < l->count; first++) {
        uint32_t head = 0, tail = 0;
        if (!w->queued[first]) {
            w->queued[first] = 1;
            w->queue[tail++] = first;
        }
        while (head < tail) {
            uint32_t seed = w->queue[head++];
            if (w->group[seed] != NONE)
                continue;
            uint32_t touched_count = grow_group(w, l, limit, seed, touched);
            uint32_t g = w->group[seed];
            if (w->group_size[g] == 1) {
                w->group[seed] = NONE;
                w->group_count--;
                alone[alone_count++] = seed;
            }
            for (uint32_t i = 0; i < touched_count; i++)
                if (!w->queued[touched[i]]) {
                    w->queued[touched[i]] = 1;
                    w->queue[tail++] = touched[i];
                }
        }
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < alone_count; i++)
        if (!join_neighbours(w, l, limit, alone[i]))
            alone[left++] = alone[i];
    // Where few have neighbours without room they wait for the next level, as what is near in space may be far apart on
    // the surface. Where they are many (thousands around one hub) every level must lead on.
    bool wait = left <= l->count / 4 || limit->triangles < UINT32_MAX;
    uint32_t loose = 0;
    for (uint32_t i = 0; i < left; i++) {
        uint32_t e = alone[i];
        if (wait && l->arc_start[e + 1] > l->arc_start[e])
            add_to_group(w, l, new_group(w), e);
        else
            alone[loose++] = e;
    }
    group_by_nearness(w, l, limit, alone, loose);
    straighten(w, l, limit);
}

// Makes the groups the elements of the next level, with the borders between them.
static void link_groups(work *w, const level *l, level *next)
{
    snag__counting_sort(w->group, w->group_count, NULL, l->count, w->member_start, w->members);
    next->count = w->group_count;
    uint32_t arcs = 0, *touched = w->queue;
    memset(w->shared, 0, w->group_count * sizeof *w->shared);
    next->arc_start[0] = 0;
    for (uint32_t g = 0; g < w->group_count; g++) {
        uint32_t touched_count = 0;
        next->triangles[g] = w->group_triangles[g];
        next->area[g] = w->group_area[g];
        next->perimeter[g] = 0;
        memset(next->centre[g], 0, sizeof next->centre[g]);
        for (uint32_t m = w->member_start[g]; m < w->member_start[g + 1]; m++) {
            uint32_t e = w->members[m];
            next->perimeter[g] += l->perimeter[e];
            for (int axis = 0; axis < 3; axis++)
                next->centre[g][axis] += l->centre[e][axis] / w->group_size[g];
            for (uint32_t arc = l->arc_start[e]; arc < l->arc_start[e + 1]; arc++) {
                uint32_t other = w->group[l->arc_to[arc]];
                double length = l->arc_length[arc] > 0 ? l->arc_length[arc] : 1e-300;
                if (other == g) {
                    next->perimeter[g] -= length;
                    continue;
                }
                if (w->shared[other] == 0)
                    touched[touched_count++] = other;
                w->shared[other] += length;
            }
        }
        for (uint32_t i = 0; i < touched_count; i++) {
            next->arc_to[arcs] = touched[i];
            next->arc_length[arcs++] = w->shared[touched[i]];
            w->shared[touched[i]] = 0;
        }
        next->arc_start[g + 1] = arcs;
    }
}

// ---- all levels ----

// Two levels may keep as many elements as there are triangles; from then on each has five eighths as many, or one more.
static size_t elements_at_most(size_t triangles)
{
    return 6 * triangles + 4 * (size_t)SNAG__SURFACE_LEVELS;
}

bool snag__group_surface(const snag__mesh *mesh, const snag_allocator *allocator, snag__grouping *grouping)
{
    *grouping = (snag__grouping){0};
    uint32_t n = mesh->triangle_count;
    work w = {.allocator = allocator};
    bool done = snag__buffer_reserve(allocator, &grouping->memory, 0, elements_at_most(n), sizeof *grouping->parent) &&
                reserve(&w, n + 1u, arcs_at_edges(mesh) + 1u);
    if (done && n > 0) {
        uint32_t *parent = grouping->parent = grouping->memory.data;
        level *l = &w.levels[0], *next = &w.levels[1];
        l->count = n;
        for (uint32_t t = 0; t < n; t++)
            measure_triangle(mesh, t, l);
        link_triangles(mesh, l);
        uint32_t first = 0;
        for (uint32_t number = 0; l->count > 1; number++) {
            limits limit = limits_of(number);
            group_level(&w, l, &limit);
            for (uint32_t e = 0; e < l->count; e++)
                parent[first + e] = first + l->count + w.group[e];
            link_groups(&w, l, next);
            first += l->count;
            level *swap = l;
            l = next;
            next = swap;
        }
        parent[first] = first;
        grouping->count = first + 1;
    }
    for (size_t i = 0; i < sizeof w.memory / sizeof *w.memory; i++)
        snag__buffer_free(allocator, &w.memory[i]);
    return done;
}
