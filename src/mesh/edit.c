#include "mesh/edit.h"

#include "base/assert.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FAIL(status, ...) (snprintf(error->message, sizeof error->message, __VA_ARGS__), (status))

enum { REMOVED = 1, REWIRED = 2, SPLIT = 4 };

static const char *name_of(const snag__edited *e)
{
    return e->corners == 4 ? "tetrahedron" : "triangle";
}

static uint32_t old_elements(const snag__edited *e)
{
    return e->corners == 4 ? e->old->tet_count : e->old->triangle_count;
}

static uint32_t *corners_of(const snag__edited *e, uint32_t element)
{
    return e->elements + (size_t)element * e->corners;
}

static bool has(const snag__edited *e, uint32_t element, uint32_t v)
{
    const uint32_t *corner = corners_of(e, element);
    return corner[0] == v || corner[1] == v || corner[2] == v || (e->corners == 4 && corner[3] == v);
}

// ---- room ----

static bool reserve_elements(snag__edited *e, size_t count)
{
    const snag_allocator *allocator = &e->old->allocator;
    const size_t old = old_elements(e), keep = e->element_count;
    if (count <= e->room)
        return true;
    count += count / 2;
    if (!snag__buffer_reserve(allocator, &e->memory[0], keep * e->corners, count * e->corners, sizeof(uint32_t)) ||
        !snag__buffer_reserve(allocator, &e->memory[1], keep - old, count - old, sizeof(uint32_t)) ||
        !snag__buffer_reserve(allocator, &e->memory[2], keep, count, 1))
        return false;
    e->elements = e->memory[0].data;
    e->element_from = e->memory[1].data;
    e->touched = e->memory[2].data;
    e->room = count;
    return true;
}

static bool start(snag__edited *e)
{
    const snag__mesh *old = e->old;
    const snag_allocator *allocator = &old->allocator;
    const size_t count = old_elements(e), vertices = e->vertex_count - old->vertex_count;
    const snag__room rooms[] = {
        {&e->memory[3], &e->vertex_from, vertices + 1, sizeof(uint32_t)},
        {&e->memory[4], &e->vertex_other, vertices + 1, sizeof(uint32_t)},
        {&e->memory[5], &e->vertex_at, vertices + 1, sizeof(double)},
        {&e->memory[6], &e->edges, old->edge_count + 1u, sizeof(uint32_t)},
        {&e->memory[7], &e->triangles, old->triangle_count + 1u, sizeof(uint32_t)},
    };
    e->element_count = (uint32_t)count;
    e->room = 0;
    if (!snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms))
        return false;
    // Nothing is in the buffers yet, so nothing is kept while they get their first memory.
    e->element_count = 0;
    if (!snag__buffer_reserve(allocator, &e->memory[0], 0, (count + e->def->added_count + 1) * e->corners, sizeof(uint32_t)) ||
        !snag__buffer_reserve(allocator, &e->memory[1], 0, e->def->added_count + 1, sizeof(uint32_t)) ||
        !snag__buffer_reserve(allocator, &e->memory[2], 0, count + e->def->added_count + 1, 1))
        return false;
    e->elements = e->memory[0].data;
    e->element_from = e->memory[1].data;
    e->touched = e->memory[2].data;
    e->room = count + e->def->added_count + 1;
    e->element_count = (uint32_t)count;
    if (count > 0)
        memcpy(e->elements, e->corners == 4 ? &old->tets[0][0] : &old->triangles[0][0], count * e->corners * sizeof(uint32_t));
    memset(e->touched, 0, count);
    return true;
}

void snag__edited_free(const snag_allocator *allocator, snag__edited *edited)
{
    snag__buffers_free(allocator, edited->memory, sizeof edited->memory / sizeof *edited->memory);
    snag__buffers_free(allocator, edited->repair.memory, sizeof edited->repair.memory / sizeof *edited->repair.memory);
    *edited = (snag__edited){0};
}

// ---- checks ----

static snag_status check_element(const snag__edited *e, const char *what, uint32_t element, snag__mesh_error *error)
{
    if (element >= old_elements(e))
        return FAIL(SNAG_ERROR_INDEX, "%s: %s %" PRIu32 " does not exist (the body has %" PRIu32 ")", what, name_of(e), element,
                    old_elements(e));
    const uint32_t *old = e->corners == 4 ? e->old->tets[element] : e->old->triangles[element];
    if (snag__is_hole(old, e->corners))
        return FAIL(SNAG_ERROR_INDEX, "%s: %s %" PRIu32 " was removed before", what, name_of(e), element);
    if (e->touched[element] & (REMOVED | REWIRED))
        return FAIL(SNAG_ERROR_ARGUMENT, "%s: the edit contradicts itself: %s %" PRIu32 " is already %s", what, name_of(e), element,
                    e->touched[element] & REMOVED ? "removed" : "rewired");
    return SNAG_OK;
}

static snag_status check_vertex(const snag__edited *e, const char *what, size_t number, uint32_t v, snag__mesh_error *error)
{
    if (v < e->vertex_count)
        return SNAG_OK;
    return FAIL(SNAG_ERROR_INDEX, "%s %zu: vertex %" PRIu32 " does not exist (there are %" PRIu32 " with the new ones)", what,
                number, v, e->vertex_count);
}

#define CHECK_ARRAY(pointer, count, what)                                                                                          \
    if ((pointer) == NULL && (count) > 0)                                                                                          \
    return FAIL(SNAG_ERROR_ARGUMENT, what " are NULL, and their count is %zu", (size_t)(count))

static snag_status check_def(const snag__edited *e, snag__mesh_error *error)
{
    const snag_edit_def *def = e->def;
    CHECK_ARRAY(def->removed, def->removed_count, "removed elements");
    CHECK_ARRAY(def->split_vertices, def->split_vertex_count, "split vertices");
    CHECK_ARRAY(def->split_edges, def->split_edge_count, "split edges");
    CHECK_ARRAY(def->rewired, def->rewired_count, "rewired elements");
    CHECK_ARRAY(def->rewired_vertices, def->rewired_count, "vertices of rewired elements");
    CHECK_ARRAY(def->added, def->added_count, "added elements");
    CHECK_ARRAY(def->removed_vertices, def->removed_vertex_count, "removed vertices");
    const uint64_t most = e->corners == 4 ? SNAG__MAX_TETS : SNAG__MAX_TRIANGLES;
    if (def->added_count > most - old_elements(e) || def->split_vertex_count > UINT32_MAX / 2 ||
        def->split_edge_count > UINT32_MAX / 2 ||
        (uint64_t)e->old->vertex_count + def->vertices.count + def->split_vertex_count + def->split_edge_count > SNAG__MAX_VERTICES)
        return FAIL(SNAG_ERROR_SIZE, "the edit adds more than a body can hold");
    return snag__positions_check(def->vertices, &snag__alone, error);
}

// ---- changes ----

static snag_status remove_elements(snag__edited *e, snag__mesh_error *error)
{
    for (size_t i = 0; i < e->def->removed_count; i++) {
        uint32_t element = e->def->removed[i];
        snag_status status = check_element(e, "removed", element, error);
        if (status != SNAG_OK)
            return status;
        uint32_t *corner = corners_of(e, element);
        for (uint32_t c = 1; c < e->corners; c++)
            corner[c] = corner[0];
        e->touched[element] = REMOVED;
    }
    return SNAG_OK;
}

static snag_status split_vertex(snag__edited *e, size_t i, uint32_t made, snag__mesh_error *error)
{
    const snag_split_vertex *split = &e->def->split_vertices[i];
    if (split->vertex >= e->old->vertex_count)
        return FAIL(SNAG_ERROR_INDEX, "split vertex %zu: vertex %" PRIu32 " does not exist (the body has %" PRIu32 ")", i,
                    split->vertex, e->old->vertex_count);
    if (split->elements == NULL || split->element_count == 0)
        return FAIL(SNAG_ERROR_ARGUMENT, "split vertex %zu: no elements are listed for the new vertex", i);
    for (size_t k = 0; k < split->element_count; k++) {
        uint32_t element = split->elements[k];
        snag_status status = check_element(e, "split vertex", element, error);
        if (status != SNAG_OK)
            return status;
        if (!has(e, element, split->vertex))
            return FAIL(SNAG_ERROR_ARGUMENT, "split vertex %zu: %s %" PRIu32 " does not have vertex %" PRIu32, i, name_of(e),
                        element, split->vertex);
        for (uint32_t c = 0; c < e->corners; c++)
            if (corners_of(e, element)[c] == split->vertex)
                corners_of(e, element)[c] = made;
        e->touched[element] |= SPLIT;
    }
    e->vertex_from[made - e->old->vertex_count] = split->vertex;
    return SNAG_OK;
}

static bool repeats_a_vertex(const snag__edited *e, uint32_t element)
{
    const uint32_t *v = corners_of(e, element);
    for (uint32_t i = 1; i < e->corners; i++)
        for (uint32_t k = 0; k < i; k++)
            if (v[i] == v[k])
                return true;
    return false;
}

// Elements that repeat a vertex have no edges, as everywhere.
static bool has_edge(const snag__edited *e, uint32_t element, const uint32_t v[2])
{
    return has(e, element, v[0]) && has(e, element, v[1]) && !repeats_a_vertex(e, element);
}

// Cuts an element with the edge in two.
static bool cut(snag__edited *e, uint32_t element, const snag_split_edge *split, uint32_t made)
{
    if (!reserve_elements(e, e->element_count + 1u))
        return false;
    uint32_t *first = corners_of(e, element), *second = corners_of(e, e->element_count);
    for (uint32_t c = 0; c < e->corners; c++) {
        second[c] = first[c] == split->vertex[0] ? made : first[c];
        first[c] = first[c] == split->vertex[1] ? made : first[c];
    }
    const uint32_t old = old_elements(e);
    // Half of an element that the edit adds: from that one, until snag__edited_forget_added.
    const uint32_t from = element < old ? element : e->element_from[element - old];
    e->element_from[e->element_count - old] = from != SNAG_NO_NUMBER ? from : element;
    e->touched[element] |= SPLIT;
    e->touched[e->element_count++] = SPLIT;
    return true;
}

// The old vertex that a vertex came from, through all splits; SNAG_NO_NUMBER for one that the edit adds.
static uint32_t origin_of(const snag__edited *e, uint32_t v)
{
    while (v != SNAG_NO_NUMBER && v >= e->old->vertex_count)
        v = v < e->vertex_count ? e->vertex_from[v - e->old->vertex_count] : SNAG_NO_NUMBER;
    return v;
}

static snag_status split_edge(snag__edited *e, size_t i, uint32_t made, snag__mesh_error *error)
{
    const snag_split_edge *split = &e->def->split_edges[i];
    const uint32_t *v = split->vertex, old = old_elements(e), last = e->element_count;
    uint32_t found = 0;
    if (!(split->at > 0 && split->at < 1))
        return FAIL(SNAG_ERROR_ARGUMENT, "split edge %zu (%" PRIu32 "-%" PRIu32 "): at must be strictly between 0 and 1, not %g", i,
                    v[0], v[1], split->at);
    // Elements with the edge: old ones are at an old end; new ones are looked through.
    const snag__csr *at = e->corners == 4 ? &e->old->vertex_tets : &e->old->vertex_triangles;
    for (int end = 0; end < 2 && v[0] != v[1]; end++) {
        uint32_t from = origin_of(e, v[end]);
        for (uint32_t k = from != SNAG_NO_NUMBER ? at->start[from] : 0; from != SNAG_NO_NUMBER && k < at->start[from + 1]; k++)
            if (has_edge(e, at->items[k], v)) {
                if (!cut(e, at->items[k], split, made))
                    return FAIL(SNAG_ERROR_MEMORY, "not enough memory for the edit");
                found++;
            }
    }
    for (uint32_t element = old; element < last; element++)
        if (v[0] != v[1] && has_edge(e, element, v)) {
            if (!cut(e, element, split, made))
                return FAIL(SNAG_ERROR_MEMORY, "not enough memory for the edit");
            found++;
        }
    if (found == 0)
        return FAIL(SNAG_ERROR_INDEX, "split edge %zu: no %s has the edge %" PRIu32 "-%" PRIu32, i, name_of(e), v[0], v[1]);
    e->vertex_from[made - e->old->vertex_count] = v[0];
    e->vertex_other[made - e->old->vertex_count] = v[1];
    e->vertex_at[made - e->old->vertex_count] = split->at;
    return SNAG_OK;
}

static snag_status check_corners(const snag__edited *e, const char *what, size_t number, const uint32_t *v, snag__mesh_error *error)
{
    for (uint32_t c = 0; c < e->corners; c++) {
        snag_status status = check_vertex(e, what, number, v[c], error);
        if (status != SNAG_OK)
            return status;
        for (uint32_t b = 0; b < c; b++)
            if (v[b] == v[c])
                return FAIL(SNAG_ERROR_ARGUMENT, "%s %zu: its vertex %" PRIu32 " is there twice", what, number, v[c]);
    }
    return SNAG_OK;
}

static snag_status rewire(snag__edited *e, snag__mesh_error *error)
{
    for (size_t i = 0; i < e->def->rewired_count; i++) {
        uint32_t element = e->def->rewired[i];
        const uint32_t *v = e->def->rewired_vertices + i * e->corners;
        snag_status status = check_element(e, "rewired", element, error);
        if (status == SNAG_OK)
            status = check_corners(e, "rewired element", i, v, error);
        if (status != SNAG_OK)
            return status;
        if (e->touched[element] & SPLIT)
            return FAIL(SNAG_ERROR_ARGUMENT, "rewired: the edit contradicts itself: %s %" PRIu32 " is split", name_of(e), element);
        memcpy(corners_of(e, element), v, e->corners * sizeof *v);
        e->touched[element] = REWIRED;
    }
    return SNAG_OK;
}

static snag_status add_elements(snag__edited *e, snag__mesh_error *error)
{
    for (size_t i = 0; i < e->def->added_count; i++) {
        const uint32_t *v = e->def->added + i * e->corners;
        snag_status status = check_corners(e, "added element", i, v, error);
        if (status != SNAG_OK)
            return status;
        memcpy(corners_of(e, e->element_count), v, e->corners * sizeof *v);
        e->element_from[e->element_count - old_elements(e)] = SNAG_NO_NUMBER;
        e->touched[e->element_count++] = 0;
    }
    return SNAG_OK;
}

// ---- vertices ----

// Every vertex that had elements has some, or is listed as removed; and none is listed that has some.
static snag_status check_left(const snag__edited *e, const uint8_t *used, uint8_t *listed, snag__mesh_error *error)
{
    const snag_edit_def *def = e->def;
    memset(listed, 0, e->vertex_count);
    for (size_t i = 0; i < def->removed_vertex_count; i++) {
        uint32_t v = def->removed_vertices[i];
        if (v >= e->old->vertex_count)
            return FAIL(SNAG_ERROR_INDEX, "removed vertices: vertex %" PRIu32 " does not exist (the body has %" PRIu32 ")", v,
                        e->old->vertex_count);
        if (!e->old->vertex_used[v] || listed[v])
            return FAIL(listed[v] ? SNAG_ERROR_ARGUMENT : SNAG_ERROR_INDEX, "removed vertices: vertex %" PRIu32 " %s", v,
                        listed[v] ? "is listed twice" : "has no elements or was removed before");
        if (used[v])
            return FAIL(SNAG_ERROR_ARGUMENT, "removed vertices: vertex %" PRIu32 " still has elements: remove or rewire them too",
                        v);
        listed[v] = 1;
    }
    for (uint32_t v = 0; v < e->vertex_count; v++)
        if (!used[v] && !listed[v] && (v >= e->old->vertex_count || e->old->vertex_used[v]))
            return FAIL(SNAG_ERROR_ARGUMENT, "vertex %" PRIu32 " would be left without elements: %s", v,
                        v < e->old->vertex_count ? "list it in removed_vertices" : "use the new vertex, or leave it out");
    return SNAG_OK;
}

void snag__edited_mix(const snag__edited *e, const double (*x)[3], uint32_t v, double out[3])
{
    uint32_t i = v - e->old->vertex_count, from = e->vertex_from[i], other = e->vertex_other[i];
    double at = e->vertex_at[i];
    for (int axis = 0; axis < 3; axis++)
        out[axis] = at > 0 ? (1 - at) * x[from][axis] + at * x[other][axis] : x[from][axis];
}

// Positions of all vertices, from those of the old ones.
static void place_vertices(const snag__edited *e, const double (*old)[3], double (*x)[3])
{
    const uint32_t count = e->old->vertex_count, given = (uint32_t)e->def->vertices.count;
    memcpy(x, old, count * sizeof *x);
    for (uint32_t i = 0; i < given; i++)
        snag__positions_get(e->def->vertices, i, x[count + i]);
    for (uint32_t v = count + given; v < e->vertex_count; v++)
        snag__edited_mix(e, (const double(*)[3])x, v, x[v]);
}

// ---- maps ----

static void map_edges(const snag__edited *e, const snag__mesh *made)
{
    const snag__mesh *old = e->old;
    for (uint32_t i = 0, k = 0; i < old->edge_count; i++) {
        const uint32_t *edge = old->edges[i];
        while (k < made->edge_count &&
               (made->edges[k][0] < edge[0] || (made->edges[k][0] == edge[0] && made->edges[k][1] < edge[1])))
            k++;
        bool stays = k < made->edge_count && made->edges[k][0] == edge[0] && made->edges[k][1] == edge[1];
        e->edges[i] = stays ? k : SNAG_NO_NUMBER;
    }
}

static bool same_corners(const uint32_t *a, const uint32_t *b)
{
    int shared = 0;
    for (int i = 0; i < 3; i++)
        shared += a[i] == b[0] || a[i] == b[1] || a[i] == b[2];
    return shared == 3;
}

// A triangle of a surface stays if it has any corners; one of a boundary if its tetrahedron still has it.
static void map_triangles(const snag__edited *e, const snag__mesh *made)
{
    const snag__mesh *old = e->old;
    for (uint32_t t = 0; t < old->triangle_count && e->corners == 3; t++)
        e->triangles[t] = snag__is_hole(corners_of(e, t), 3) ? SNAG_NO_NUMBER : t;
    for (uint32_t t = 0, k = 0; t < old->triangle_count && e->corners == 4; t++) {
        uint32_t tet = old->triangle_faces[t];
        while (k < made->triangle_count && made->triangle_faces[k] < tet)
            k++;
        e->triangles[t] = SNAG_NO_NUMBER;
        for (uint32_t n = k; n < made->triangle_count && made->triangle_faces[n] == tet; n++)
            if (same_corners(old->triangles[t], made->triangles[n]))
                e->triangles[t] = n;
    }
}

// ---- all ----

static snag_status change(snag__edited *e, snag__mesh_error *error)
{
    const snag_edit_def *def = e->def;
    for (uint32_t i = 0; i < e->vertex_count - e->old->vertex_count; i++) {
        e->vertex_from[i] = e->vertex_other[i] = SNAG_NO_NUMBER;
        e->vertex_at[i] = 0;
    }
    uint32_t next = e->old->vertex_count + (uint32_t)def->vertices.count;
    snag_status status = remove_elements(e, error);
    if (status == SNAG_OK)
        status = add_elements(e, error);
    for (size_t i = 0; i < def->split_vertex_count && status == SNAG_OK; i++)
        status = split_vertex(e, i, next++, error);
    for (size_t i = 0; i < def->split_edge_count && status == SNAG_OK; i++)
        status = split_edge(e, i, next++, error);
    return status == SNAG_OK ? rewire(e, error) : status;
}

// Builds the mesh of the changed elements.
static snag_status build(const snag__edited *e, snag__mesh *made, snag__mesh_error *error)
{
    const snag__mesh *old = e->old;
    const snag_allocator *allocator = &old->allocator;
    const size_t vertices = e->vertex_count;
    double(*x)[3] = snag__allocate(allocator, vertices > 0 ? vertices : 1, sizeof *x);
    if (x == NULL)
        return FAIL(SNAG_ERROR_MEMORY, "not enough memory for the edit");
    place_vertices(e, (const double(*)[3])old->x_t1, x);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&x[0][0], vertices);
    def.radius = old->radius;
    *(e->corners == 4 ? &def.tets : &def.triangles) = e->elements;
    *(e->corners == 4 ? &def.tet_count : &def.triangle_count) = e->element_count;
    snag_status status = snag__mesh_from_def(&def, allocator, made, error);
    // A body that moves has positions at t0 of its own.
    if (status == SNAG_OK && !snag__mesh_rests(old)) {
        double(*x_t0)[3] = snag__mesh_array(made, vertices, sizeof *x_t0);
        if (x_t0 != NULL) {
            place_vertices(e, (const double(*)[3])old->x_t0, x_t0);
            made->x_t0 = x_t0;
        } else {
            snag__mesh_free(made);
            status = FAIL(SNAG_ERROR_MEMORY, "not enough memory for the edit");
        }
    }
    snag__release(allocator, x, vertices > 0 ? vertices : 1, sizeof *x);
    return status;
}

static snag_status edit(snag__edited *e, snag__mesh *old, bool anew, snag__mesh *made, snag__mesh_error *error)
{
    static const char no_memory[] = "not enough memory for the edit";
    snag_status status = check_def(e, error);
    if (status != SNAG_OK)
        return status;
    e->vertex_count =
        (uint32_t)(e->old->vertex_count + e->def->vertices.count + e->def->split_vertex_count + e->def->split_edge_count);
    e->new_vertices = e->vertex_count - e->old->vertex_count;
    if (!start(e))
        return FAIL(SNAG_ERROR_MEMORY, no_memory);
    status = change(e, error);
    if (status != SNAG_OK)
        return status;
    e->in_place = !anew && snag__repair_is_worth_it(e);
    uint8_t *listed;
    const snag__room room = {&e->memory[8], &listed, e->vertex_count + 1u, 1};
    if (!snag__rooms_reserve(&e->old->allocator, &room, 1) || (e->in_place && !snag__repair_plan(e)))
        return FAIL(SNAG_ERROR_MEMORY, no_memory);
    if (!e->in_place)
        status = build(e, made, error);
    if (status != SNAG_OK)
        return status;
    status = check_left(e, e->in_place ? e->repair.used : made->vertex_used, listed, error);
    if (status == SNAG_OK && e->in_place && !snag__mesh_make_room(old, e->vertex_count, e->element_count, e->repair.edge_count))
        status = FAIL(SNAG_ERROR_MEMORY, no_memory);
    if (status != SNAG_OK) {
        if (!e->in_place)
            snag__mesh_free(made);
        return status;
    }
    if (e->in_place)
        *made = (snag__mesh){
            .vertex_count = e->vertex_count,
            .edge_count = e->repair.edge_count,
            .triangle_count = e->element_count,
            .radius = old->radius,
        };
    else
        map_edges(e, made);
    map_triangles(e, made);
    return SNAG_OK;
}

snag_status snag__mesh_edit(snag__mesh *old, const snag_edit_def *def, bool anew, snag__edited *edited, snag__mesh *made,
                            snag__mesh_error *error)
{
    edited->old = old;
    edited->def = def;
    edited->corners = old->tet_count > 0 ? 4 : 3;
    edited->in_place = false;
    *made = (snag__mesh){0};
    return edit(edited, old, anew, made, error);
}

void snag__edited_forget_added(snag__edited *edited)
{
    const uint32_t old = old_elements(edited);
    for (uint32_t i = 0; i < edited->element_count - old; i++)
        if (edited->element_from[i] >= old)
            edited->element_from[i] = SNAG_NO_NUMBER;
}
