// The trees of queries: built once, refitted after moves. See probe.h.
#include "probe/probe.h"

#include "base/assert.h"
#include "geom/geom.h"
#include "mesh/thin.h"
#include "probe/probe_kernel.h"

#include <string.h>

// As `kdop` has them: boxes, eight children.
static const snag__tree_shape shape = {.k = 6, .arity = 8};

// Nodes with twice the surface they had when new: searches then cost more than a new tree does.
static const double DEGRADED = 2.0;

static const snag_element_kind kinds[SNAG__PROBE_SETS] = {SNAG_TRIANGLE, SNAG__ROD, SNAG__POINT, SNAG_VERTEX, SNAG_TET};

enum { SET_BODY_OF, SET_TREE_OF, SET_CORNERS, SET_VALID, SET_REFITS, SET_TREES };
enum { PROBE_BODIES, PROBE_ENCLOSURES, PROBE_POSES };

bool snag__probe_reserve(snag__probe *probe, uint32_t body_count, const snag__probe_room *room)
{
    const snag__room rooms[] = {{&probe->memory[PROBE_BODIES], &probe->bodies, body_count + 1u, sizeof *probe->bodies}};
    bool reserved = snag__rooms_reserve(room->allocator, rooms, sizeof rooms / sizeof *rooms);
    probe->body_count = reserved ? body_count : 0;
    return reserved;
}

void snag__probe_free(const snag_allocator *allocator, snag__probe *probe)
{
    for (int i = 0; i < SNAG__PROBE_SETS; i++) {
        snag__bvh_free(allocator, &probe->sets[i].bvh);
        snag__cast_tree_free(&probe->sets[i].cast, allocator);
        snag__buffers_free(allocator, probe->sets[i].memory, sizeof probe->sets[i].memory / sizeof(snag__buffer));
    }
    snag__buffers_free(allocator, probe->memory, sizeof probe->memory / sizeof(snag__buffer));
    snag__buffer_free(allocator, &probe->scratch);
    *probe = (snag__probe){0};
}

// ---- topology ----

int32_t snag__probe_edge_balance(const snag__mesh *mesh, uint32_t edge)
{
    int32_t balance = 0;
    const uint32_t *ends = mesh->edges[edge];
    for (uint32_t i = mesh->edge_triangles.start[edge]; i < mesh->edge_triangles.start[edge + 1]; i++) {
        uint32_t t = mesh->edge_triangles.items[i];
        for (int c = 0; c < 3; c++)
            if (mesh->triangle_edges[t][c] == edge)
                balance += mesh->triangles[t][c] == ends[0] ? 1 : -1;
    }
    return balance;
}

snag__probe_enclosure snag__probe_enclosure_by(const snag__mesh *mesh)
{
    snag__probe_enclosure enclosure = {0};
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        enclosure.open_edges += (mesh->edge_triangles.start[e + 1] - mesh->edge_triangles.start[e]) & 1;
        enclosure.unbalanced_edges += snag__probe_edge_balance(mesh, e) != 0;
    }
    return enclosure;
}

static bool find_enclosures(snag__probe *probe, const snag__probe_room *room)
{
    const snag__bvh *bvh = &probe->sets[SNAG__PROBE_TRIANGLES].bvh;
    const snag__room rooms[] = {
        {&probe->memory[PROBE_ENCLOSURES], &probe->enclosures, bvh->tree_count + 1u, sizeof *probe->enclosures}};
    if (probe->enclosed_builds == bvh->builds)
        return true;
    probe->enclosed_builds = 0;
    if (!snag__rooms_reserve(room->allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        probe->enclosures[i] = snag__probe_enclosure_by(bvh->trees[i].mesh);
    probe->enclosed_builds = bvh->builds;
    return true;
}

// ---- trees ----

static bool has_elements(const snag__mesh *mesh, uint32_t set)
{
    switch (set) {
    case SNAG__PROBE_TRIANGLES: return mesh->triangle_count > 0;
    case SNAG__PROBE_RODS: return snag__rod_count(mesh) > 0;
    case SNAG__PROBE_POINTS: return mesh->thin != NULL && mesh->thin->point_count > 0;
    case SNAG__PROBE_CLOUDS:
        return mesh->triangle_count == 0 && mesh->tet_count == 0 && mesh->thin == NULL && mesh->vertex_count > 0;
    default: return mesh->tet_count > 0;
    }
}

// Lists the bodies of a set. Returns how many.
static uint32_t list_trees(const snag__probe *probe, uint32_t which, snag__bvh_body *trees)
{
    const snag__probe_set *set = &probe->sets[which];
    uint32_t count = 0;
    for (uint32_t i = 0; i < probe->body_count; i++) {
        const snag__probe_body *body = &probe->bodies[i];
        set->tree_of[i] = UINT32_MAX;
        if (!has_elements(body->mesh, which))
            continue;
        set->tree_of[i] = count;
        set->body_of[count] = i;
        trees[count++] = (snag__bvh_body){body->mesh, body->topology, NULL};
    }
    return count;
}

static bool is_degraded(const snag__bvh *bvh)
{
    for (uint32_t i = 0; i < bvh->tree_count; i++)
        if (snag__tree_degradation(bvh, i) > DEGRADED)
            return true;
    return false;
}

// ---- corners ----

typedef struct filling {
    snag__probe_set *set;
    uint32_t tree;
    uint32_t first, last;  // leaves
    void (*fill)(const struct filling *filling, uint32_t leaf);
} filling;

enum { LEAVES_OF_A_TASK = 64 };

static bool takes_part(const snag__bvh *bvh, const snag__probe_element *element)
{
    return bvh->kind != SNAG_TRIANGLE || !snag__is_collinear(element->x[0], element->x[1], element->x[2]);
}

static void fill_leaf(const filling *f, uint32_t leaf)
{
    snag__probe_set *set = f->set;
    const snag__bvh *bvh = &set->bvh;
    const snag__tree *tree = &bvh->trees[f->tree];
    uint32_t end = tree->first_slot + tree->slot_count, first = leaf * SNAG__LEAF_ELEMENTS;
    double *corners = set->corners + (size_t)leaf * SNAG__LEAF_CORNERS;
    uint16_t valid = 0;
    for (uint32_t i = 0; i < SNAG__LEAF_ELEMENTS && first + i < end; i++) {
        if (bvh->kind == SNAG_TET) {
            valid |= (uint16_t)(1u << i);
            continue;
        }
        snag__probe_element element = snag__probe_element_at(bvh, f->tree, first + i);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                corners[(size_t)(3 * c + k) * SNAG__LEAF_ELEMENTS + i] = element.x[c][k];
        if (takes_part(bvh, &element))
            valid |= (uint16_t)(1u << i);
    }
    set->valid[leaf] = valid;
}

static void fill_some(void *context, uint32_t task)
{
    const filling *f = context;
    snag__range leaves = snag__task_range(f->first, f->last, LEAVES_OF_A_TASK, task);
    for (uint32_t leaf = leaves.first; leaf < leaves.last; leaf++)
        f->fill(f, leaf);
}

static void fill_tree(snag__probe_set *set, uint32_t i, void (*fill)(const filling *filling, uint32_t leaf),
                      const snag__probe_room *room)
{
    const snag__tree *tree = &set->bvh.trees[i];
    uint32_t first = tree->first_slot / SNAG__LEAF_ELEMENTS;
    filling f = {.set = set, .tree = i, .first = first, .fill = fill};
    f.last = first + snag__task_count(tree->slot_count, SNAG__LEAF_ELEMENTS);
    snag__parallel_for(room->parallel, snag__task_count(f.last - f.first, LEAVES_OF_A_TASK), fill_some, &f);
}

static bool fill(snag__probe_set *set, const snag__probe_room *room)
{
    const snag__bvh *bvh = &set->bvh;
    size_t leaves = bvh->slot_count / SNAG__LEAF_ELEMENTS;
    const snag__room rooms[] = {
        {&set->memory[SET_CORNERS], &set->corners, bvh->kind == SNAG_TET ? 1 : leaves * SNAG__LEAF_CORNERS + 1,
         sizeof *set->corners},
        {&set->memory[SET_VALID], &set->valid, leaves + 1, sizeof *set->valid},
        {&set->memory[SET_REFITS], &set->refits, bvh->tree_count + 1u, sizeof *set->refits},
    };
    if (set->builds != bvh->builds) {
        set->builds = 0;
        if (!snag__rooms_reserve(room->allocator, rooms, sizeof rooms / sizeof *rooms))
            return false;
        memset(set->corners, 0, rooms[0].count * sizeof *set->corners);
        memset(set->refits, 0, bvh->tree_count * sizeof *set->refits);
        set->builds = bvh->builds;
    }
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        if (set->refits[i] == bvh->trees[i].refits)
            continue;
        fill_tree(set, i, fill_leaf, room);
        set->refits[i] = bvh->trees[i].refits;
    }
    return true;
}

bool snag__probe_update(snag__probe *probe, uint32_t which, const snag__probe_room *room)
{
    SNAG__ASSERT(which < SNAG__PROBE_SETS);
    snag__probe_set *set = &probe->sets[which];
    snag__bvh *bvh = &set->bvh;
    snag__bvh_body *trees;
    uint64_t *poses;
    const snag__room rooms[] = {
        {&set->memory[SET_BODY_OF], &set->body_of, probe->body_count + 1u, sizeof *set->body_of},
        {&set->memory[SET_TREE_OF], &set->tree_of, probe->body_count + 1u, sizeof *set->tree_of},
        {&set->memory[SET_TREES], &trees, probe->body_count + 1u, sizeof *trees},
        {&probe->memory[PROBE_POSES], &poses, probe->body_count + 1u, sizeof *poses},
    };
    if (!snag__rooms_reserve(room->allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    uint32_t count = list_trees(probe, which, trees);
    for (uint32_t i = 0; i < count; i++)
        poses[i] = probe->bodies[set->body_of[i]].pose;
    const snag__refit_def refit = {.poses = poses};
    bool fits = snag__bvh_fits(bvh, kinds[which], shape, trees, count);
    if (fits) {
        if (!snag__bvh_refit(bvh, &refit, room->allocator, room->parallel, room->isa))
            return false;
        fits = !is_degraded(bvh);
    }
    if (!fits && (!snag__bvh_build(bvh, kinds[which], shape, trees, count, room->allocator, room->parallel, &probe->scratch) ||
                  !snag__bvh_refit(bvh, &refit, room->allocator, room->parallel, room->isa)))
        return false;
    return fill(set, room) && (which != SNAG__PROBE_TRIANGLES || find_enclosures(probe, room));
}

static void fill_cast_leaf(const filling *f, uint32_t leaf)
{
    snag__cast_tree_fill_leaf(&f->set->cast, leaf, f->set->corners + (size_t)leaf * SNAG__LEAF_CORNERS);
}

bool snag__probe_update_rays(snag__probe *probe, const snag__probe_room *room)
{
    snag__probe_set *set = &probe->sets[SNAG__PROBE_TRIANGLES];
    if (!snag__cast_tree_reserve(&set->cast, &set->bvh, room->allocator))
        return false;
    for (uint32_t i = 0; i < set->bvh.tree_count; i++) {
        if (snag__cast_tree_is_current(&set->cast, &set->bvh, i))
            continue;
        snag__cast_tree_fill(&set->cast, &set->bvh, i);
        fill_tree(set, i, fill_cast_leaf, room);
        set->cast.refits[i] = set->bvh.trees[i].refits;
    }
    return true;
}

const snag__probe_kernels *snag__probe_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__probe_kernels, isa)
}

const snag__cast_kernels *snag__cast_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__cast_kernels, isa)
}
