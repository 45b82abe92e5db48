// Rods and points: see thin.h.
#include "mesh/thin.h"

#include "base/assert.h"
#include "base/counting_sort.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FAIL(status, ...) (snprintf(error->message, sizeof error->message, __VA_ARGS__), (status))

// ---- elements ----

static snag__elements thin_elements(const snag__thin *thin, snag_element_kind kind)
{
    if (thin == NULL)
        return (snag__elements){.corners = 2};
    if (kind == SNAG__ROD)
        return (snag__elements){(const uint32_t *)thin->rods, 2, thin->rod_count};
    if (kind == SNAG__THIN_VERTEX)
        return (snag__elements){(const uint32_t *)thin->vertices, 2, thin->vertex_count};
    SNAG__ASSERT(kind == SNAG__POINT);
    return (snag__elements){(const uint32_t *)thin->points, 2, thin->point_count};
}

snag__elements snag__mesh_elements(const snag__mesh *mesh, snag_element_kind kind)
{
    switch (kind) {
    case SNAG_VERTEX: return (snag__elements){NULL, 1, mesh->vertex_count};
    case SNAG_EDGE: return (snag__elements){(const uint32_t *)mesh->edges, 2, mesh->edge_count};
    case SNAG_TRIANGLE: return (snag__elements){(const uint32_t *)mesh->triangles, 3, mesh->triangle_count};
    case SNAG_TET: return (snag__elements){(const uint32_t *)mesh->tets, 4, mesh->tet_count};
    case SNAG_LEAF: return (snag__elements){0};  // no element of a mesh
    default: return thin_elements(mesh->thin, kind);
    }
}

// Where the edge between two vertices is in a sorted list; `count` if it is not there.
static uint32_t find_edge(uint32_t (*edges)[2], uint32_t count, uint32_t v, uint32_t w)
{
    const uint32_t low = v < w ? v : w, high = v < w ? w : v;
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const uint32_t *e = edges[middle];
        if (e[0] < low || (e[0] == low && e[1] < high))
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && edges[from][0] == low && edges[from][1] == high ? from : count;
}

bool snag__are_joined(const snag__mesh *mesh, uint32_t v, uint32_t w)
{
    return find_edge(mesh->edges, mesh->edge_count, v, w) < mesh->edge_count;
}

uint32_t snag__rod_between(const snag__mesh *mesh, uint32_t v, uint32_t w)
{
    return mesh->thin != NULL ? find_edge(mesh->thin->rods, mesh->thin->rod_count, v, w) : 0;
}

// ---- checks ----

static snag_status check_list(const char *element, const uint32_t *vertices, size_t count, size_t corners, size_t vertex_count,
                              snag__mesh_error *error)
{
    if (count > 0 && vertices == NULL)
        return FAIL(SNAG_ERROR_ARGUMENT, "the list of %s vertices is NULL, and the count is %zu", element, count);
    if (count > SNAG__MAX_TRIANGLES)
        return FAIL(SNAG_ERROR_SIZE, "%zu elements (%s) are more than a body can hold (%" PRIu32 ")", count, element,
                    SNAG__MAX_TRIANGLES);
    for (size_t i = 0; i < count * corners; i++)
        if (vertices[i] >= vertex_count)
            return FAIL(SNAG_ERROR_INDEX, "%s %zu: vertex %" PRIu32 " does not exist (the body has %zu vertices)", element,
                        i / corners, vertices[i], vertex_count);
    return SNAG_OK;
}

snag_status snag__thin_check(const snag_body_def *def, snag__mesh_error *error)
{
    snag_status status = check_list("edge", def->edges, def->edge_count, 2, def->positions.count, error);
    if (status == SNAG_OK)
        status = check_list("point", def->points, def->point_count, 1, def->positions.count, error);
    for (size_t i = 0; i < def->edge_count && status == SNAG_OK; i++)
        if (def->edges[2 * i] == def->edges[2 * i + 1])
            return FAIL(SNAG_ERROR_ARGUMENT, "edge %zu has vertex %" PRIu32 " at both ends; list it as a point", i,
                        def->edges[2 * i]);
    return status;
}

// ---- copying ----

static uint32_t welded(const snag__mesh *mesh, uint32_t v)
{
    return mesh->vertex_of != NULL ? mesh->vertex_of[v] : v;
}

// Edges of the def in the order of their vertices; each with its number in the def.
static snag_status sort_edges(const snag__mesh *mesh, const snag_body_def *def, snag__record *edges, snag__mesh_error *error)
{
    for (size_t i = 0; i < def->edge_count; i++) {
        uint32_t v = welded(mesh, def->edges[2 * i]), w = welded(mesh, def->edges[2 * i + 1]);
        if (v == w)
            return FAIL(SNAG_ERROR_ARGUMENT, "edge %zu has both ends at one place, which weld makes one vertex", i);
        edges[i] = (snag__record){.key = (uint64_t)(v < w ? v : w) << 32 | (v < w ? w : v), .extra = (uint32_t)i};
    }
    snag__sort_records(edges, edges + def->edge_count, def->edge_count);
    for (size_t i = 1; i < def->edge_count && !def->weld; i++)
        if (edges[i].key == edges[i - 1].key)
            return FAIL(SNAG_ERROR_ARGUMENT,
                        "edge %" PRIu32 " joins vertices %" PRIu32 " and %" PRIu32 ", as edge %" PRIu32 " does: list it once",
                        edges[i].extra, (uint32_t)(edges[i].key >> 32), (uint32_t)edges[i].key, edges[i - 1].extra);
    return SNAG_OK;
}

static snag_status sort_points(const snag__mesh *mesh, const snag_body_def *def, snag__record *points, snag__mesh_error *error)
{
    for (size_t i = 0; i < def->point_count; i++)
        points[i] = (snag__record){.key = welded(mesh, def->points[i]), .extra = (uint32_t)i};
    snag__sort_records(points, points + def->point_count, def->point_count);
    for (size_t i = 1; i < def->point_count && !def->weld; i++)
        if (points[i].key == points[i - 1].key)
            return FAIL(SNAG_ERROR_ARGUMENT, "point %" PRIu32 " is vertex %" PRIu32 ", as point %" PRIu32 " is: list it once",
                        points[i].extra, (uint32_t)points[i].key, points[i - 1].extra);
    return SNAG_OK;
}

// Keys in ascending order, each once; returns how many.
static size_t keep_each_once(snag__record *records, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || records[i].key != records[i - 1].key)
            records[kept++] = records[i];
    return kept;
}

static bool write_listed(snag__mesh *mesh, snag__record *edges, size_t edge_count, snag__record *points, size_t point_count)
{
    snag__thin *thin = mesh->thin;
    size_t rods = keep_each_once(edges, edge_count), listed = keep_each_once(points, point_count);
    thin->rods = snag__mesh_array(mesh, rods, sizeof *thin->rods);
    thin->rod_count = (uint32_t)rods;
    thin->listed = snag__mesh_array(mesh, listed, sizeof *thin->listed);
    thin->listed_count = (uint32_t)listed;
    if (thin->rods == NULL || thin->listed == NULL)
        return false;
    for (size_t i = 0; i < rods; i++) {
        thin->rods[i][0] = (uint32_t)(edges[i].key >> 32);
        thin->rods[i][1] = (uint32_t)edges[i].key;
    }
    for (size_t i = 0; i < listed; i++)
        thin->listed[i] = (uint32_t)points[i].key;
    return true;
}

snag_status snag__thin_copy(snag__mesh *mesh, const snag_body_def *def, snag__mesh_error *error)
{
    if (def->edge_count == 0 && def->point_count == 0)
        return SNAG_OK;
    mesh->thin = snag__mesh_array(mesh, 1, sizeof *mesh->thin);
    if (mesh->thin == NULL)
        return SNAG_ERROR_MEMORY;
    *mesh->thin = (snag__thin){0};
    snag__record *edges, *points;
    snag__buffer scratch = {0};
    const snag__room rooms[] = {
        {NULL, &edges, 2 * def->edge_count + 1, sizeof *edges},
        {NULL, &points, 2 * def->point_count + 1, sizeof *points},
    };
    if (!snag__rooms_carve(&mesh->allocator, &scratch, rooms, sizeof rooms / sizeof *rooms))
        return SNAG_ERROR_MEMORY;
    snag_status status = sort_edges(mesh, def, edges, error);
    if (status == SNAG_OK)
        status = sort_points(mesh, def, points, error);
    if (status == SNAG_OK && !write_listed(mesh, edges, def->edge_count, points, def->point_count))
        status = SNAG_ERROR_MEMORY;
    snag__buffer_free(&mesh->allocator, &scratch);
    return status;
}

bool snag__thin_reserve_edges(snag__mesh *mesh)
{
    snag__thin *thin = mesh->thin;
    thin->edge_is_rod = snag__mesh_array(mesh, mesh->edge_count, 1);
    if (thin->edge_is_rod != NULL)
        memset(thin->edge_is_rod, 0, mesh->edge_count);
    return thin->edge_is_rod != NULL;
}

// ---- lists ----

enum { AT_EDGE = 1, THIN = 2, LISTED = 4 };

// By vertex: whether an edge ends there, whether a rod does or it is a point of the def.
static void mark_vertices(const snag__mesh *mesh, uint8_t *marks)
{
    const snag__thin *thin = mesh->thin;
    memset(marks, 0, mesh->vertex_count);
    for (uint32_t e = 0; e < mesh->edge_count; e++)
        for (int i = 0; i < 2; i++)
            marks[mesh->edges[e][i]] |= thin->edge_is_rod[e] ? AT_EDGE | THIN : AT_EDGE;
    for (uint32_t i = 0; i < thin->listed_count; i++)
        marks[thin->listed[i]] |= THIN | LISTED;
}

static bool is_lone(uint8_t mark)
{
    return (mark & LISTED) != 0 && (mark & AT_EDGE) == 0;
}

static bool list_vertices(snag__mesh *mesh, uint8_t *marks)
{
    snag__thin *thin = mesh->thin;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        thin->vertex_count += (marks[v] & THIN) != 0;
        thin->point_count += is_lone(marks[v]);
    }
    thin->vertices = snag__mesh_array(mesh, thin->vertex_count, sizeof *thin->vertices);
    thin->points = snag__mesh_array(mesh, thin->point_count, sizeof *thin->points);
    if (thin->vertices == NULL || thin->points == NULL)
        return false;
    uint32_t vertices = 0, points = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if ((marks[v] & THIN) != 0) {
            thin->vertices[vertices][0] = v;
            thin->vertices[vertices++][1] = v;
        }
        if (is_lone(marks[v])) {
            thin->points[points][0] = v;
            thin->points[points++][1] = v;
        }
        marks[v] = (marks[v] & THIN) != 0;
    }
    return true;
}

static bool list_rods(snag__mesh *mesh)
{
    snag__thin *thin = mesh->thin;
    snag__csr *lists = &thin->vertex_rods;
    thin->rod_edges = snag__mesh_array(mesh, thin->rod_count, sizeof *thin->rod_edges);
    lists->start = snag__mesh_array(mesh, (size_t)mesh->vertex_count + 1, sizeof *lists->start);
    lists->items = snag__mesh_array(mesh, 2 * (size_t)thin->rod_count, sizeof *lists->items);
    if (thin->rod_edges == NULL || lists->start == NULL || lists->items == NULL)
        return false;
    memset(lists->start, 0, ((size_t)mesh->vertex_count + 1) * sizeof *lists->start);
    uint32_t r = 0;
    for (uint32_t e = 0; e < mesh->edge_count; e++)
        if (thin->edge_is_rod[e])
            thin->rod_edges[r++] = e;
    SNAG__ASSERT(r == thin->rod_count);
    for (r = 0; r < thin->rod_count; r++)
        for (int i = 0; i < 2; i++)
            lists->start[thin->rods[r][i] + 1]++;
    snag__sizes_to_starts(lists->start, mesh->vertex_count);
    for (r = 0; r < thin->rod_count; r++)
        for (int i = 0; i < 2; i++)
            lists->items[lists->start[thin->rods[r][i]]++] = thin->rod_edges[r];
    snag__cursors_to_starts(lists->start, mesh->vertex_count);
    return true;
}

bool snag__thin_finish(snag__mesh *mesh)
{
    if (mesh->thin == NULL)
        return true;
    uint8_t *marks = snag__mesh_array(mesh, mesh->vertex_count, 1);
    mesh->thin->vertex_is_thin = marks;
    if (marks == NULL)
        return false;
    mark_vertices(mesh, marks);
    return list_vertices(mesh, marks) && list_rods(mesh);
}

static void release(const snag__mesh *mesh, void *memory, size_t count, size_t size)
{
    snag__release(&mesh->allocator, memory, count > 0 ? count : 1, size);
}

void snag__thin_free(snag__mesh *mesh)
{
    snag__thin *thin = mesh->thin;
    if (thin == NULL)
        return;
    release(mesh, thin->listed, thin->listed_count, sizeof *thin->listed);
    release(mesh, thin->rods, thin->rod_count, sizeof *thin->rods);
    release(mesh, thin->rod_edges, thin->rod_count, sizeof *thin->rod_edges);
    release(mesh, thin->vertices, thin->vertex_count, sizeof *thin->vertices);
    release(mesh, thin->points, thin->point_count, sizeof *thin->points);
    release(mesh, thin->edge_is_rod, mesh->edge_count, 1);
    release(mesh, thin->vertex_is_thin, mesh->vertex_count, 1);
    release(mesh, thin->vertex_rods.start, (size_t)mesh->vertex_count + 1, sizeof(uint32_t));
    release(mesh, thin->vertex_rods.items, 2 * (size_t)thin->rod_count, sizeof(uint32_t));
    release(mesh, thin, 1, sizeof *thin);
    mesh->thin = NULL;
}
