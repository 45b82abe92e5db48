// Building a mesh from a def, after checking all of it, and moving it.
#include "mesh/mesh.h"

#include "base/assert.h"
#include "mesh/polygon.h"
#include "mesh/thickness.h"
#include "mesh/thin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// How many items an array has room for.
static size_t room_or(uint32_t room, uint32_t count)
{
    return room > 0 ? room : count;
}

#define FAIL(status, ...) (snprintf(error->message, sizeof error->message, __VA_ARGS__), (status))

// ---- positions ----

void snag__positions_get(snag_positions positions, size_t i, double xyz[3])
{
    SNAG__ASSERT(i < positions.count);
    // memcpy: the stride may leave the numbers unaligned.
    const char *at = (const char *)positions.data + i * positions.stride;
    if (positions.scalar == SNAG_F64) {
        memcpy(xyz, at, 3 * sizeof(double));
    } else {
        float f[3];
        memcpy(f, at, sizeof f);
        for (int c = 0; c < 3; c++)
            xyz[c] = f[c];
    }
}

// Tasks of parallel work on vertices.
enum { PARTS_MAX = 64, VERTICES_OF_A_PART = 2048 };

static uint32_t parts_of(size_t count)
{
    size_t parts = count / VERTICES_OF_A_PART;
    return parts < 1 ? 1 : parts > PARTS_MAX ? PARTS_MAX : (uint32_t)parts;
}

static size_t start_of_part(size_t count, uint32_t part)
{
    uint32_t parts = parts_of(count);
    return count / parts * part + count % parts * part / parts;
}

typedef struct looking {
    snag_positions positions;
    size_t bad[PARTS_MAX];  // by part: the first vertex that is not finite, or the vertex count
} looking;

static void look_at_part(void *context, uint32_t part)
{
    looking *l = context;
    size_t last = start_of_part(l->positions.count, part + 1);
    l->bad[part] = l->positions.count;
    for (size_t i = start_of_part(l->positions.count, part); i < last; i++) {
        double p[3];
        snag__positions_get(l->positions, i, p);
        // Zero times a finite number is zero, times infinity or NaN it is NaN.
        if (p[0] * 0.0 + p[1] * 0.0 + p[2] * 0.0 != 0.0) {
            l->bad[part] = i;
            return;
        }
    }
}

// The first vertex that is not finite, or the vertex count.
static size_t find_not_finite(snag_positions positions, const snag__parallel *parallel)
{
    looking l = {.positions = positions};
    uint32_t parts = parts_of(positions.count), part = 0;
    snag__parallel_for(parallel, parts, look_at_part, &l);
    while (part + 1 < parts && l.bad[part] == positions.count)
        part++;
    return l.bad[part];
}

snag_status snag__positions_check(snag_positions positions, const snag__parallel *parallel, snag__mesh_error *error)
{
    if (positions.count == 0)
        return SNAG_OK;
    if (positions.data == NULL)
        return FAIL(SNAG_ERROR_ARGUMENT, "positions are NULL, and their count is %zu", positions.count);
    if (positions.scalar != SNAG_F32 && positions.scalar != SNAG_F64)
        return FAIL(SNAG_ERROR_ARGUMENT, "positions are neither float nor double (scalar %d)", (int)positions.scalar);
    size_t least = 3 * (positions.scalar == SNAG_F64 ? sizeof(double) : sizeof(float));
    if (positions.stride < least)
        return FAIL(SNAG_ERROR_ARGUMENT, "positions with a stride of %zu bytes: a vertex needs %zu", positions.stride, least);
    if (positions.count > SNAG__MAX_VERTICES || positions.count > SIZE_MAX / positions.stride)
        return FAIL(SNAG_ERROR_SIZE, "%zu vertices are more than a body can hold", positions.count);
    size_t bad = find_not_finite(positions, parallel);
    if (bad < positions.count)
        return FAIL(SNAG_ERROR_NOT_FINITE, "vertex %zu is not finite", bad);
    return SNAG_OK;
}

typedef struct moving {
    snag_positions positions;
    const double (*from)[3];
    double (*to)[3];  // may be `from`
    bool measure;
    double farthest[PARTS_MAX];  // by part: the largest displacement along an axis
} moving;

static double farther(double most, double a, double b)
{
    double way = fabs(a - b);
    return way > most ? way : most;
}

static void move_part(void *context, uint32_t part)
{
    moving *m = context;
    size_t first = start_of_part(m->positions.count, part), last = start_of_part(m->positions.count, part + 1);
    double most[3] = {0, 0, 0};
    m->farthest[part] = 0;
    if (m->measure)
        for (size_t i = first; i < last; i++) {
            double x[3];
            snag__positions_get(m->positions, i, x);
            for (int axis = 0; axis < 3; axis++)
                most[axis] = farther(most[axis], x[axis], m->from[i][axis]);
        }
    for (size_t i = first; i < last; i++)
        snag__positions_get(m->positions, i, m->to[i]);
    for (int axis = 0; axis < 3; axis++)
        m->farthest[part] = farther(m->farthest[part], most[axis], 0);
}

snag_status snag__mesh_move(snag__mesh *mesh, snag_positions positions, bool teleport, const snag__parallel *parallel,
                            double *farthest, snag__mesh_error *error)
{
    if (positions.count != mesh->vertex_count)
        return FAIL(SNAG_ERROR_MISMATCH, "positions of %zu vertices for a body of %" PRIu32, positions.count, mesh->vertex_count);
    snag_status status = snag__positions_check(positions, parallel, error);
    if (status != SNAG_OK)
        return status;
    double(*to)[3] = mesh->x_t1;
    SNAG__ASSERT(mesh->x_t1 != NULL && mesh->x_t0 != NULL);
    if (snag__mesh_rests(mesh) && !teleport) {
        if (mesh->spare == NULL)
            mesh->spare = snag__mesh_array(mesh, room_or(mesh->vertex_room, mesh->vertex_count), sizeof *mesh->spare);
        if (mesh->spare == NULL)
            return FAIL(SNAG_ERROR_MEMORY, "not enough memory to move a body of %" PRIu32 " vertices", mesh->vertex_count);
        to = mesh->spare;
        mesh->spare = NULL;
    }
    moving m = {.positions = positions, .from = (const double(*)[3])mesh->x_t1, .to = to, .measure = farthest != NULL};
    snag__parallel_for(parallel, parts_of(positions.count), move_part, &m);
    mesh->x_t1 = to;
    mesh->has_area = false;
    if (teleport)
        snag__mesh_begin_step(mesh);
    for (uint32_t part = 0; farthest != NULL && part < parts_of(positions.count); part++)
        *farthest = part == 0 ? m.farthest[0] : fmax(*farthest, m.farthest[part]);
    return SNAG_OK;
}

void snag__mesh_begin_step(snag__mesh *mesh)
{
    if (snag__mesh_rests(mesh))
        return;
    SNAG__ASSERT(mesh->spare == NULL);
    mesh->spare = mesh->x_t0;
    mesh->x_t0 = mesh->x_t1;
}

// ---- checks of a def ----

static snag_status check_index(const char *element, size_t number, uint32_t v, size_t vertex_count, snag__mesh_error *error)
{
    if (v < vertex_count)
        return SNAG_OK;
    return FAIL(SNAG_ERROR_INDEX, "%s %zu: vertex %" PRIu32 " does not exist (the body has %zu vertices)", element, number, v,
                vertex_count);
}

// Checks elements of `corners` vertices each.
static snag_status check_elements(const char *element, const uint32_t *vertices, size_t count, size_t limit, unsigned corners,
                                  size_t vertex_count, snag__mesh_error *error)
{
    if (count == 0)
        return SNAG_OK;
    if (vertices == NULL)
        return FAIL(SNAG_ERROR_ARGUMENT, "the list of %s vertices is NULL, and the count is %zu", element, count);
    if (count > limit)
        return FAIL(SNAG_ERROR_SIZE, "%zu elements (%s) are more than a body can hold (%zu)", count, element, limit);
    for (size_t i = 0; i < count; i++)
        for (unsigned c = 0; c < corners; c++) {
            snag_status status = check_index(element, i, vertices[i * corners + c], vertex_count, error);
            if (status != SNAG_OK)
                return status;
        }
    return SNAG_OK;
}

// Also counts the triangles that the polygons are split into.
static snag_status check_polygons(const snag_body_def *def, uint32_t *triangle_count, snag__mesh_error *error)
{
    if (def->polygon_sizes == NULL || def->polygon_vertices == NULL)
        return FAIL(SNAG_ERROR_ARGUMENT, "the polygons' %s are NULL, and their count is %zu",
                    def->polygon_sizes == NULL ? "sizes" : "vertices", def->polygon_count);
    uint64_t triangles = 0;
    const uint32_t *vertices = def->polygon_vertices;
    for (size_t i = 0; i < def->polygon_count; i++) {
        uint32_t size = def->polygon_sizes[i];
        if (size < 3)
            return FAIL(SNAG_ERROR_ARGUMENT, "polygon %zu has %" PRIu32 " vertices; it needs at least 3", i, size);
        triangles += size - 2;
        if (triangles > SNAG__MAX_TRIANGLES)
            return FAIL(SNAG_ERROR_SIZE, "polygon %zu: more triangles than a body can hold (%" PRIu32 ")", i, SNAG__MAX_TRIANGLES);
        for (uint32_t c = 0; c < size; c++) {
            snag_status status = check_index("polygon", i, vertices[c], def->positions.count, error);
            if (status != SNAG_OK)
                return status;
        }
        vertices += size;
    }
    *triangle_count = (uint32_t)triangles;
    return SNAG_OK;
}

static snag_status check_def(const snag_body_def *def, uint32_t *triangle_count, snag__mesh_error *error)
{
    if (def == NULL)
        return FAIL(SNAG_ERROR_ARGUMENT, "the body def is NULL");
    if ((def->triangle_count > 0) + (def->polygon_count > 0) + (def->tet_count > 0) > 1)
        return FAIL(SNAG_ERROR_ARGUMENT,
                    "a body has triangles, polygons or tetrahedra, not several of them: add them as bodies of their own");
    if (def->weld && def->tet_count > 0)
        return FAIL(SNAG_ERROR_ARGUMENT, "tetrahedra cannot be welded: weld is for triangles and polygons");
    snag_status status = snag__positions_check(def->positions, &snag__alone, error);
    if (status == SNAG_OK)
        status = snag__thin_check(def, error);
    if (status == SNAG_OK)
        status = snag__thickness_check(def, error);
    if (status != SNAG_OK)
        return status;
    if (def->polygon_count > 0)
        return check_polygons(def, triangle_count, error);
    if (def->tet_count > 0)
        return check_elements("tetrahedron", def->tets, def->tet_count, SNAG__MAX_TETS, 4, def->positions.count, error);
    *triangle_count = (uint32_t)def->triangle_count;  // if it does not fit, the next check fails
    return check_elements("triangle", def->triangles, def->triangle_count, SNAG__MAX_TRIANGLES, 3, def->positions.count, error);
}

// ---- building ----

static bool copy_positions(snag__mesh *mesh, snag_positions positions)
{
    mesh->x_t0 = mesh->x_t1 = snag__mesh_array(mesh, mesh->vertex_count, sizeof *mesh->x_t1);
    for (size_t i = 0; i < mesh->vertex_count && mesh->x_t1 != NULL; i++)
        snag__positions_get(positions, i, mesh->x_t1[i]);
    return mesh->x_t1 != NULL;
}

static bool copy_triangles(snag__mesh *mesh, const snag_body_def *def)
{
    mesh->triangles = snag__mesh_array(mesh, mesh->triangle_count, sizeof *mesh->triangles);
    mesh->triangle_faces = snag__mesh_array(mesh, mesh->triangle_count, sizeof *mesh->triangle_faces);
    mesh->tets = snag__mesh_array(mesh, 0, sizeof *mesh->tets);
    if (mesh->triangles == NULL || mesh->triangle_faces == NULL || mesh->tets == NULL)
        return false;
    if (def->polygon_count > 0)
        return snag__split_polygons(mesh, def);
    if (mesh->triangle_count > 0)
        memcpy(mesh->triangles, def->triangles, mesh->triangle_count * sizeof *mesh->triangles);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        mesh->triangle_faces[t] = t;
    return true;
}

static bool weld_triangles(snag__mesh *mesh)
{
    mesh->vertex_of = snag__mesh_array(mesh, mesh->vertex_count, sizeof *mesh->vertex_of);
    if (mesh->vertex_of == NULL)
        return false;
    snag_positions positions = snag_positions_f64(&mesh->x_t1[0][0], mesh->vertex_count);
    // The positions have been checked, so this fails only without memory.
    if (snag_mesh_weld(positions, &mesh->allocator, mesh->vertex_of) != SNAG_OK)
        return false;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            mesh->triangles[t][c] = mesh->vertex_of[mesh->triangles[t][c]];
    return true;
}

static bool mark_used(snag__mesh *mesh)
{
    mesh->vertex_used = snag__mesh_array(mesh, mesh->vertex_count, sizeof *mesh->vertex_used);
    if (mesh->vertex_used == NULL)
        return false;
    memset(mesh->vertex_used, 0, mesh->vertex_count);
    mesh->triangle_holes = mesh->tet_holes = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        mesh->triangle_holes += snag__is_hole(mesh->triangles[t], 3);
    for (size_t k = 0; k < mesh->tet_count; k++)
        mesh->tet_holes += snag__is_hole(mesh->tets[k], 4);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3 && !snag__is_hole(mesh->triangles[t], 3); c++)
            mesh->vertex_used[mesh->triangles[t][c]] = 1;
    for (size_t k = 0; k < mesh->tet_count; k++)
        for (int c = 0; c < 4 && !snag__is_hole(mesh->tets[k], 4); c++)
            mesh->vertex_used[mesh->tets[k][c]] = 1;
    for (uint32_t i = 0; mesh->thin != NULL && i < mesh->thin->vertex_count; i++)
        mesh->vertex_used[mesh->thin->vertices[i][0]] = 1;
    if (mesh->triangle_count == 0 && mesh->tet_count == 0 && mesh->thin == NULL)
        for (size_t v = 0; v < mesh->vertex_count; v++)
            mesh->vertex_used[mesh->vertex_of != NULL ? mesh->vertex_of[v] : v] = 1;
    return true;
}

static snag_status finish(snag__mesh *mesh, bool built, snag__mesh_error *error)
{
    SNAG__VALIDATE(!built || snag__mesh_validate(mesh));
    if (built)
        return SNAG_OK;
    snag_status status = FAIL(SNAG_ERROR_MEMORY, "not enough memory for a body of %" PRIu32 " vertices", mesh->vertex_count);
    snag__mesh_free(mesh);
    return status;
}

static bool copy_tets(snag__mesh *mesh, const snag_body_def *def)
{
    mesh->tets = snag__mesh_array(mesh, mesh->tet_count, sizeof *mesh->tets);
    if (mesh->tets == NULL)
        return false;
    memcpy(mesh->tets, def->tets, mesh->tet_count * sizeof *mesh->tets);
    return snag__mesh_build_boundary(mesh);
}

static snag_status make(const snag_body_def *def, const snag_allocator *allocator, bool linked, snag__mesh *mesh,
                        snag__mesh_error *error)
{
    SNAG__ASSERT(allocator != NULL && mesh != NULL && error != NULL);
    *mesh = (snag__mesh){0};
    uint32_t triangle_count = 0;
    snag_status status = check_def(def, &triangle_count, error);
    if (status != SNAG_OK)
        return status;
    mesh->allocator = *allocator;
    mesh->vertex_count = (uint32_t)def->positions.count;
    mesh->triangle_count = triangle_count;
    mesh->tet_count = (uint32_t)def->tet_count;
    bool built = copy_positions(mesh, def->positions) && (mesh->tet_count > 0 ? copy_tets : copy_triangles)(mesh, def) &&
                 (!def->weld || weld_triangles(mesh));
    status = built ? snag__thin_copy(mesh, def, error) : SNAG_ERROR_MEMORY;
    if (status != SNAG_OK && status != SNAG_ERROR_MEMORY) {
        snag__mesh_free(mesh);
        return status;
    }
    // Rods are marked along with the links.
    linked = linked || mesh->thin != NULL || mesh->tet_count > 0;
    built = status == SNAG_OK && snag__mesh_build_edges(mesh) && (!linked || snag__mesh_link(mesh, &snag__alone)) &&
            snag__thin_finish(mesh) && mark_used(mesh) && snag__thickness_copy(mesh, def);
    return finish(mesh, built, error);
}

snag_status snag__mesh_from_def(const snag_body_def *def, const snag_allocator *allocator, snag__mesh *mesh,
                                snag__mesh_error *error)
{
    return make(def, allocator, true, mesh, error);
}

snag_status snag__mesh_unlinked_from_def(const snag_body_def *def, const snag_allocator *allocator, snag__mesh *mesh,
                                         snag__mesh_error *error)
{
    return make(def, allocator, false, mesh, error);
}

// ---- memory ----

static void release(const snag__mesh *mesh, void *memory, size_t count, size_t size)
{
    snag__mesh_release_array(mesh, memory, count, size);
}

void snag__mesh_free(snag__mesh *mesh)
{
    snag__thin_free(mesh);
    size_t vertices = room_or(mesh->vertex_room, mesh->vertex_count), edges = room_or(mesh->edge_room, mesh->edge_count);
    size_t triangles = room_or(mesh->triangle_room, mesh->triangle_count);
    release(mesh, mesh->radii, vertices, sizeof *mesh->radii);
    release(mesh, mesh->ring_radii, vertices, sizeof *mesh->ring_radii);
    if (!snag__mesh_rests(mesh))
        release(mesh, mesh->x_t0, vertices, sizeof *mesh->x_t0);
    release(mesh, mesh->x_t1, vertices, sizeof *mesh->x_t1);
    release(mesh, mesh->spare, vertices, sizeof *mesh->spare);
    release(mesh, mesh->triangles, triangles, sizeof *mesh->triangles);
    release(mesh, mesh->triangle_faces, triangles, sizeof *mesh->triangle_faces);
    release(mesh, mesh->tets, mesh->tet_count, sizeof *mesh->tets);
    release(mesh, mesh->edges, edges, sizeof *mesh->edges);
    release(mesh, mesh->next_edges, edges, sizeof *mesh->edges);
    release(mesh, mesh->triangle_edges, triangles, sizeof *mesh->triangle_edges);
    snag__csr *of_vertices[] = {&mesh->vertex_triangles, &mesh->next_vertex_triangles};
    snag__csr *of_edges[] = {&mesh->edge_triangles, &mesh->next_edge_triangles};
    for (int i = 0; i < 2; i++) {
        release(mesh, of_vertices[i]->start, vertices + 1, sizeof(uint32_t));
        release(mesh, of_vertices[i]->items, 3 * triangles, sizeof(uint32_t));
        release(mesh, of_edges[i]->start, edges + 1, sizeof(uint32_t));
        release(mesh, of_edges[i]->items, 3 * triangles, sizeof(uint32_t));
    }
    release(mesh, mesh->vertex_tets.start, vertices + 1, sizeof(uint32_t));
    release(mesh, mesh->vertex_tets.items, 4 * (size_t)mesh->tet_count, sizeof(uint32_t));
    release(mesh, mesh->vertex_used, vertices, sizeof *mesh->vertex_used);
    release(mesh, mesh->vertex_of, mesh->vertex_count, sizeof *mesh->vertex_of);
    release(mesh, mesh->crossed, mesh->crossed_count, sizeof *mesh->crossed);
    *mesh = (snag__mesh){0};
}

// An array of a surface: how many items there are, how many it has room for, and how many it shall have room for.
typedef struct growing {
    void *at;  // address of the pointer
    size_t size, count, room, wanted;
    void *made;
} growing;

static void *load(const void *at)
{
    void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

// Grows all arrays or none. A new array (NULL so far) has no items.
static bool grow(snag__mesh *mesh, growing *arrays, size_t count)
{
    size_t made = 0;
    for (; made < count; made++) {
        arrays[made].made = snag__mesh_array(mesh, arrays[made].wanted, arrays[made].size);
        if (arrays[made].made == NULL)
            break;
    }
    for (size_t i = 0; i < count; i++) {
        growing *one = &arrays[i];
        if (made < count) {
            if (i < made)
                release(mesh, one->made, one->wanted, one->size);
            continue;
        }
        void *old = load(one->at);
        if (old != NULL && one->count > 0)
            memcpy(one->made, old, one->count * one->size);
        release(mesh, old, one->room, one->size);
        memcpy(one->at, &one->made, sizeof one->made);
    }
    return made == count;
}

bool snag__mesh_make_room(snag__mesh *mesh, uint32_t vertices, uint32_t triangles, uint32_t edges)
{
    SNAG__ASSERT(mesh->tet_count == 0 && mesh->thin == NULL && mesh->vertex_of == NULL && mesh->radii == NULL);
    if (mesh->next_edges != NULL && vertices <= mesh->vertex_room && triangles <= mesh->triangle_room && edges <= mesh->edge_room)
        return true;
    // At least what there is now, where the edit leaves less; and an eighth more, so that arrays seldom grow.
    edges = edges > mesh->edge_count ? edges : mesh->edge_count;
    const uint64_t most = UINT32_MAX / 3 - 1, v = vertices + vertices / 8u + 1u, t = (uint64_t)triangles + triangles / 8u + 1u;
    const uint64_t e = (uint64_t)edges + edges / 8u + 1u;
    const size_t nv = v < vertices ? vertices : (size_t)v, nt = t > most ? triangles : (size_t)t;
    const size_t ne = e > UINT32_MAX - 1 ? edges : (size_t)e;
    const size_t v0 = mesh->vertex_count, t0 = mesh->triangle_count, e0 = mesh->edge_count;
    const size_t rv = room_or(mesh->vertex_room, mesh->vertex_count), rt = room_or(mesh->triangle_room, mesh->triangle_count);
    const size_t re = room_or(mesh->edge_room, mesh->edge_count), word = sizeof(uint32_t);
    const bool rests = snag__mesh_rests(mesh);
    growing arrays[20] = {
        {&mesh->x_t1, sizeof *mesh->x_t1, v0, rv, nv, NULL},
        {&mesh->vertex_used, 1, v0, rv, nv, NULL},
        {&mesh->vertex_tets.start, word, v0 + 1, rv + 1, nv + 1, NULL},
        {&mesh->vertex_triangles.start, word, v0 + 1, rv + 1, nv + 1, NULL},
        {&mesh->next_vertex_triangles.start, word, 0, rv + 1, nv + 1, NULL},
        {&mesh->triangles, sizeof *mesh->triangles, t0, rt, nt, NULL},
        {&mesh->triangle_faces, word, t0, rt, nt, NULL},
        {&mesh->triangle_edges, sizeof *mesh->triangle_edges, t0, rt, nt, NULL},
        {&mesh->vertex_triangles.items, word, 3 * t0, 3 * rt, 3 * nt, NULL},
        {&mesh->next_vertex_triangles.items, word, 0, 3 * rt, 3 * nt, NULL},
        {&mesh->edge_triangles.items, word, 3 * t0, 3 * rt, 3 * nt, NULL},
        {&mesh->next_edge_triangles.items, word, 0, 3 * rt, 3 * nt, NULL},
        {&mesh->edges, sizeof *mesh->edges, e0, re, ne, NULL},
        {&mesh->next_edges, sizeof *mesh->edges, 0, re, ne, NULL},
        {&mesh->edge_triangles.start, word, e0 + 1, re + 1, ne + 1, NULL},
        {&mesh->next_edge_triangles.start, word, 0, re + 1, ne + 1, NULL},
    };
    size_t count = 16;
    if (!rests)
        arrays[count++] = (growing){&mesh->x_t0, sizeof *mesh->x_t0, v0, rv, nv, NULL};
    if (mesh->spare != NULL)
        arrays[count++] = (growing){&mesh->spare, sizeof *mesh->spare, 0, rv, nv, NULL};
    if (!grow(mesh, arrays, count))
        return false;
    if (rests)
        mesh->x_t0 = mesh->x_t1;
    mesh->vertex_room = (uint32_t)nv;
    mesh->triangle_room = (uint32_t)nt;
    mesh->edge_room = (uint32_t)ne;
    return true;
}
