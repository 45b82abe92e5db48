// Walks through the material of a volume: see material.h.
#include "mesh/material.h"

#include "base/assert.h"
#include "base/clamp.h"
#include "base/vec3.h"
#include "geom/distance.h"
#include "geom/geom.h"

#include <math.h>
#include <string.h>

// Face i lies opposite corner i and looks outward where the volume is positive.
static const uint8_t face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// ---- neighbours ----

static bool has_vertex(const uint32_t tet[4], uint32_t v)
{
    return tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v;
}

static uint32_t valence(const snag__csr *lists, uint32_t v)
{
    return lists->start[v + 1] - lists->start[v];
}

// Searches the tetrahedra at the face's vertex with the fewest. A table of neighbours would cost 16 bytes per tetrahedron, and would
// be used near overlaps only.
snag__beyond snag__tet_beyond(const snag__mesh *mesh, uint32_t k, int i, uint32_t *other)
{
    SNAG__ASSERT(k < mesh->tet_count && i >= 0 && i < 4);
    const snag__csr *lists = &mesh->vertex_tets;
    const uint32_t *tet = mesh->tets[k];
    uint32_t a = tet[face_corners[i][0]], b = tet[face_corners[i][1]], c = tet[face_corners[i][2]], swap = a;
    if (valence(lists, b) < valence(lists, a))
        a = b, b = swap;
    swap = a;
    if (valence(lists, c) < valence(lists, a))
        a = c, c = swap;
    *other = SNAG__NO_TET;
    for (uint32_t at = lists->start[a]; at < lists->start[a + 1]; at++) {
        uint32_t candidate = lists->items[at];
        if (candidate == k || !has_vertex(mesh->tets[candidate], b) || !has_vertex(mesh->tets[candidate], c))
            continue;
        if (*other != SNAG__NO_TET)
            return SNAG__BEYOND_SEVERAL;
        *other = candidate;
    }
    return *other != SNAG__NO_TET ? SNAG__BEYOND_TET : SNAG__BEYOND_SURFACE;
}

// ---- along a line ----

// The line is perturbed by this part of the first tetrahedron, towards its inside: on regular grids it would else pass through edges
// and corners all the time. The perturbed line decides which faces are crossed; the exit point is computed from the true line.
#define ASIDE 0x1p-30
// Unequal, so that the perturbation follows no symmetry of the tetrahedron.
static const double aside_weight[4] = {0.29, 0.23, 0.27, 0.21};

// How far before its start a walk may leave, in units of d or of the first tetrahedron, because of ASIDE and rounding.
#define BEHIND 0x1p-24

// Sizes beyond these cannot be scaled without overflow or underflow.
#define SIZE_LOW 0x1p-1000
#define SIZE_HIGH 0x1p1000

// The line relative to x, divided by a power of two, so that products of three lengths stay in range.
typedef struct line {
    const snag__mesh *mesh;
    const double *x;
    double inverse_size;
    double d[3], aside[3];
} line;

// A corner of the face that the walk crosses, relative to the line.
typedef struct corner {
    uint32_t vertex;
    double p[3];
} corner;

static corner corner_at(const line *l, uint32_t v)
{
    corner c = {.vertex = v};
    for (int axis = 0; axis < 3; axis++)
        c.p[axis] = l->mesh->x_t1[v][axis] * l->inverse_size - l->x[axis] * l->inverse_size - l->aside[axis];
    return c;
}

// On which side of the edge from a to b the line passes: 1 or -1, and always the opposite for b to a (vertex numbers decide a zero).
// So the line crosses at most two faces of a tetrahedron, and no walk can run in a circle, whatever the rounding.
static int side(const line *l, const corner *a, const corner *b)
{
    double n[3];
    snag__vec3_cross(a->p, b->p, n);
    double s = snag__vec3_dot(l->d, n);
    return s > 0 ? 1 : s < 0 ? -1 : a->vertex < b->vertex ? 1 : -1;
}

static bool start_line(const snag__mesh *mesh, uint32_t k, const double x[3], const double d[3], line *l)
{
    double most = 0;
    for (int axis = 0; axis < 3; axis++) {
        most = fmax(most, fabs(d[axis]));
        for (int i = 0; i < 4; i++)
            most = fmax(most, fabs(mesh->x_t1[mesh->tets[k][i]][axis] - x[axis]));
    }
    if (!(most > SIZE_LOW && most < SIZE_HIGH))
        return false;
    *l = (line){.mesh = mesh, .x = x, .inverse_size = ldexp(1, -ilogb(most))};
    for (int axis = 0; axis < 3; axis++)
        l->d[axis] = d[axis] * l->inverse_size;
    double aside[3] = {0};
    for (int i = 0; i < 4; i++) {
        corner c = corner_at(l, mesh->tets[k][i]);
        for (int axis = 0; axis < 3; axis++)
            aside[axis] += ASIDE * aside_weight[i] * c.p[axis];
    }
    memcpy(l->aside, aside, sizeof aside);
    return true;
}

// The face through which the walk leaves the first tetrahedron; -1 if rounding hides it.
static int first_face(const line *l, uint32_t k, int orientation, corner face[3])
{
    for (int i = 0; i < 4; i++) {
        for (int c = 0; c < 3; c++)
            face[c] = corner_at(l, l->mesh->tets[k][face_corners[i][c]]);
        if (side(l, &face[0], &face[1]) == orientation && side(l, &face[1], &face[2]) == orientation &&
            side(l, &face[2], &face[0]) == orientation)
            return i;
    }
    return -1;
}

// The corner of a tetrahedron that is not in the face.
static int corner_opposite(const uint32_t tet[4], const corner face[3])
{
    int i = 0;
    while (tet[i] == face[0].vertex || tet[i] == face[1].vertex || tet[i] == face[2].vertex)
        i++;
    return i;
}

// The walk entered a tetrahedron, with fourth corner q, through `face`. It leaves through the face in which q replaces one of the
// three corners: returns which, or -1. Seen along the line, the edge between the other two is the one across from q.
static int replaced_corner(const line *l, const corner face[3], const corner *q, int orientation)
{
    int turn[3];
    for (int c = 0; c < 3; c++)
        turn[c] = orientation * side(l, &face[c], q);
    for (int c = 0; c < 3; c++)
        if (turn[(c + 1) % 3] < 0 && turn[(c + 2) % 3] > 0)
            return c;
    return -1;
}

// Where the true line meets the plane of a face; and the face's normal, not normalized.
static double meets_plane(const line *l, const corner face[3], double normal[3])
{
    double u[3], v[3], a[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = face[1].p[axis] - face[0].p[axis];
        v[axis] = face[2].p[axis] - face[0].p[axis];
        a[axis] = face[0].p[axis] + l->aside[axis];
    }
    snag__vec3_cross(u, v, normal);
    double along = snag__vec3_dot(normal, l->d);
    // A face parallel to the line: any of its points will do.
    return along != 0 ? snag__vec3_dot(normal, a) / along : snag__vec3_dot(a, l->d) / snag__vec3_dot(l->d, l->d);
}

static snag__way_end leave(const line *l, const corner face[3], snag__way *way)
{
    double normal[3];
    way->t = meets_plane(l, face, normal);
    double length = snag__vec3_length(normal), span = sqrt(snag__vec3_dot(l->d, l->d));
    if (!(way->t * span >= -BEHIND * (1 + span)) || !isfinite(way->t) || !(length > 0) || !isfinite(length))
        return SNAG__WAY_LOST;
    way->t = snag__not_negative(way->t);
    int turn = snag__vec3_dot(normal, l->d) < 0 ? -1 : 1;
    for (int axis = 0; axis < 3; axis++)
        way->normal[axis] = turn * normal[axis] / length + 0.0;
    for (int c = 0; c < 3; c++)
        way->face[c] = face[turn > 0 ? c : 2 - c].vertex;
    return SNAG__WAY_OUT;
}

snag__way_end snag__way_follow(const snag__mesh *mesh, uint32_t k, const double x[3], const double d[3], bool arrive,
                               snag__way *way)
{
    SNAG__ASSERT(k < mesh->tet_count);
    *way = (snag__way){.tet = k};
    line l;
    corner face[3];
    const double *corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = mesh->x_t1[mesh->tets[k][i]];
    int orientation = snag__tet_orientation(corners);
    if (orientation == 0 || !start_line(mesh, k, x, d, &l))
        return SNAG__WAY_LOST;
    int opposite = first_face(&l, k, orientation, face);

    for (uint32_t steps = 0; opposite >= 0 && steps < mesh->tet_count; steps++) {
        double normal[3];
        if (arrive && meets_plane(&l, face, normal) >= 1)
            return SNAG__WAY_ARRIVED;
        uint32_t next;
        snag__beyond beyond = snag__tet_beyond(mesh, way->tet, opposite, &next);
        if (beyond == SNAG__BEYOND_SURFACE)
            return leave(&l, face, way);
        // Back at the start: a closed walk, which leads nowhere.
        if (beyond == SNAG__BEYOND_SEVERAL || next == k)
            return SNAG__WAY_LOST;
        corner q = corner_at(&l, mesh->tets[next][corner_opposite(mesh->tets[next], face)]);
        int replaced = replaced_corner(&l, face, &q, orientation);
        if (replaced < 0)
            return SNAG__WAY_LOST;
        way->tet = next;
        // The replaced corner is now opposite to the face.
        opposite = 0;
        while (mesh->tets[next][opposite] != face[replaced].vertex)
            opposite++;
        face[replaced] = q;
    }
    return SNAG__WAY_LOST;
}

// ---- the nearest surface ----

// A face in the queue of a search.
typedef struct gate {
    double distance;
    uint32_t tet;
    uint32_t opposite;  // the face's number in its tetrahedron
} gate;

typedef struct growth {
    const snag__mesh *mesh;
    const double *x;
    double limit;
    const snag_allocator *allocator;
    snag__material_scratch *scratch;
    size_t gates, visited;
} growth;

static bool is_before(const gate *a, const gate *b)
{
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return a->tet != b->tet ? a->tet < b->tet : a->opposite < b->opposite;
}

static bool push(growth *g, gate added)
{
    if (!snag__buffer_reserve(g->allocator, &g->scratch->heap, g->gates, g->gates + 1, sizeof(gate)))
        return false;
    gate *heap = g->scratch->heap.data;
    size_t i = g->gates++;
    for (; i > 0 && is_before(&added, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = added;
    return true;
}

static gate pop(growth *g)
{
    SNAG__ASSERT(g->gates > 0);
    gate *heap = g->scratch->heap.data, top = heap[0], last = heap[--g->gates];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < g->gates && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (child >= g->gates || !is_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

// The slot of a tetrahedron in the hash table, or the empty one where it belongs.
static size_t slot_of(const snag__material_scratch *scratch, uint32_t k)
{
    const uint32_t *table = scratch->table.data;
    size_t slot = (k * (size_t)0x9e3779b1u) & (scratch->table_size - 1);
    while (table[slot] != SNAG__NO_TET && table[slot] != k)
        slot = (slot + 1) & (scratch->table_size - 1);
    return slot;
}

// Doubles the table, which is at most half full.
static bool grow_table(growth *g)
{
    snag__material_scratch *scratch = g->scratch;
    size_t size = scratch->table_size > 0 ? 2 * scratch->table_size : 64;
    if (!snag__buffer_reserve(g->allocator, &scratch->slots, g->visited, size / 2, sizeof(uint32_t)) ||
        !snag__buffer_reserve(g->allocator, &scratch->table, scratch->table_size, size, sizeof(uint32_t)))
        return false;
    uint32_t *table = scratch->table.data, *slots = scratch->slots.data;
    for (size_t i = 0; i < g->visited; i++)
        slots[i] = table[slots[i]];
    memset(table, 0xff, size * sizeof *table);
    scratch->table_size = size;
    for (size_t i = 0; i < g->visited; i++) {
        size_t slot = slot_of(scratch, slots[i]);
        table[slot] = slots[i];
        slots[i] = (uint32_t)slot;
    }
    return true;
}

static void empty_table(growth *g)
{
    uint32_t *table = g->scratch->table.data;
    const uint32_t *slots = g->scratch->slots.data;
    for (size_t i = 0; i < g->visited; i++)
        table[slots[i]] = SNAG__NO_TET;
}

// Marks a tetrahedron as visited and, unless it was before, queues its faces. False without memory.
static bool visit(growth *g, uint32_t k)
{
    snag__material_scratch *scratch = g->scratch;
    if (2 * (g->visited + 1) > scratch->table_size && !grow_table(g))
        return false;
    size_t slot = slot_of(scratch, k);
    if (((uint32_t *)scratch->table.data)[slot] == k)
        return true;
    ((uint32_t *)scratch->table.data)[slot] = k;
    ((uint32_t *)scratch->slots.data)[g->visited++] = (uint32_t)slot;
    for (uint32_t i = 0; i < 4; i++) {
        const double *corners[3];
        for (int c = 0; c < 3; c++)
            corners[c] = g->mesh->x_t1[g->mesh->tets[k][face_corners[i][c]]];
        snag__distance d;
        snag__vertex_triangle_distance(g->x, corners, &d);
        if (d.gap.distance <= g->limit && !push(g, (gate){d.gap.distance, k, i}))
            return false;
    }
    return true;
}

// The normal of a face that x lies on, pointing out of the tetrahedron.
static void normal_of(const snag__mesh *mesh, const gate *at, const double *const corners[3], double normal[3])
{
    snag__unit_cross(corners[0], corners[1], corners[0], corners[2], normal);
    if (snag__orient3d(corners[0], corners[1], corners[2], mesh->x_t1[mesh->tets[at->tet][at->opposite]]) > 0)
        for (int axis = 0; axis < 3; axis++)
            normal[axis] = 0 - normal[axis];
}

static void describe(const growth *g, const gate *at, snag__way_out *out)
{
    const double *corners[3];
    for (int c = 0; c < 3; c++)
        corners[c] = g->mesh->x_t1[g->mesh->tets[at->tet][face_corners[at->opposite][c]]];
    snag__distance d;
    snag__vertex_triangle_distance(g->x, corners, &d);
    *out = (snag__way_out){.found = true, .distance = d.gap.distance};
    memcpy(out->point, d.gap.point_b, sizeof out->point);
    if (!snag__gap_normal(&d.gap, out->normal))
        normal_of(g->mesh, at, corners, out->normal);
    else
        for (int axis = 0; axis < 3; axis++)
            out->normal[axis] = 0 - out->normal[axis];
}

// Whether a gate is a boundary triangle without vertex `own`.
static bool is_way_out(const growth *g, const gate *at, snag__beyond beyond, uint32_t own)
{
    const uint32_t *tet = g->mesh->tets[at->tet];
    return beyond == SNAG__BEYOND_SURFACE && (own == SNAG__NO_VERTEX || !has_vertex(tet, own) || tet[at->opposite] == own);
}

bool snag__nearest_way_out(const snag__mesh *mesh, uint32_t k, const double x[3], uint32_t own, double limit,
                           const snag_allocator *allocator, snag__material_scratch *scratch, snag__way_out *out)
{
    SNAG__ASSERT(k < mesh->tet_count && limit >= 0);
    *out = (snag__way_out){0};
    growth g = {mesh, x, limit, allocator, scratch, 0, 0};
    bool going = visit(&g, k), had_memory = going;
    while (going && g.gates > 0) {
        gate at = pop(&g);
        uint32_t next;
        snag__beyond beyond = snag__tet_beyond(mesh, at.tet, (int)at.opposite, &next);
        if (is_way_out(&g, &at, beyond, own)) {
            describe(&g, &at, out);
            break;
        }
        if (beyond == SNAG__BEYOND_TET)
            going = had_memory = visit(&g, next);
    }
    empty_table(&g);
    return had_memory;
}

void snag__material_scratch_free(const snag_allocator *allocator, snag__material_scratch *scratch)
{
    snag__buffer_free(allocator, &scratch->heap);
    snag__buffer_free(allocator, &scratch->table);
    snag__buffer_free(allocator, &scratch->slots);
    *scratch = (snag__material_scratch){0};
}
