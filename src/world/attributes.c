// What a body has beside its mesh: groups, masks, labels and a rest pose.
#include "mesh/thin.h"
#include "world/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FAIL(status, ...) (snprintf(error->message, sizeof error->message, __VA_ARGS__), (status))

// ---- groups and masks ----

// The first of `count` elements whose vertices have no bit in common; count if there is none.
static uint32_t find_without_bits(const uint32_t *bits, const uint32_t *vertices, uint32_t count, uint32_t corners)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t common = UINT32_MAX;
        if (snag__is_hole(vertices + (size_t)i * corners, corners))
            continue;
        for (uint32_t c = 0; c < corners; c++)
            common &= bits[vertices[(size_t)i * corners + c]];
        if (common == 0)
            return i;
    }
    return count;
}

// `what`: "group" or "mask".
static snag_status check_bits(const char *what, uint32_t of_body, const uint32_t *bits, const snag__mesh *mesh,
                              snag__mesh_error *error)
{
    if (bits == NULL)
        return of_body != 0 ? SNAG_OK
                            : FAIL(SNAG_ERROR_ARGUMENT, "the %s of the body is 0, so that it would meet nothing: set a bit", what);
    uint32_t tet = find_without_bits(bits, &mesh->tets[0][0], mesh->tet_count, 4);
    uint32_t triangle = find_without_bits(bits, &mesh->triangles[0][0], mesh->triangle_count, 3);
    if (tet < mesh->tet_count || triangle < mesh->triangle_count)
        return FAIL(SNAG_ERROR_ARGUMENT,
                    "%s %" PRIu32 ": its vertices have no bit of their %ss in common, so that it would meet nothing",
                    tet < mesh->tet_count ? "tetrahedron" : "triangle", tet < mesh->tet_count ? tet : triangle, what);
    uint32_t edge = find_without_bits(bits, &mesh->edges[0][0], mesh->edge_count, 2);
    if (edge < mesh->edge_count)
        return FAIL(SNAG_ERROR_ARGUMENT,
                    "edge %" PRIu32 "-%" PRIu32 ": its vertices have no bit of their %ss in common, so that it would meet nothing",
                    mesh->edges[edge][0], mesh->edges[edge][1], what);
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (mesh->vertex_used[v] && bits[v] == 0)
            return FAIL(SNAG_ERROR_ARGUMENT, "vertex %" PRIu32 ": its %s is 0, so that it would meet nothing", v, what);
    return SNAG_OK;
}

static uint32_t all_bits(uint32_t of_body, const uint32_t *bits, const snag__mesh *mesh)
{
    uint32_t all = 0;
    for (uint32_t v = 0; v < mesh->vertex_count && bits != NULL; v++)
        all |= mesh->vertex_used[v] ? bits[v] : 0;
    return bits != NULL && all != 0 ? all : of_body;
}

// ---- rest pose ----

static snag_status check_rest(const snag_body_def *def, snag__mesh_error *error)
{
    if (def->rest.count == 0)
        return SNAG_OK;
    if (def->rest.count != def->positions.count)
        return FAIL(SNAG_ERROR_MISMATCH, "the rest pose has %zu vertices, and the positions have %zu", def->rest.count,
                    def->positions.count);
    snag__mesh_error inner = {""};
    snag_status status = snag__positions_check(def->rest, &snag__alone, &inner);
    return status == SNAG_OK ? SNAG_OK : FAIL(status, "the rest pose: %.120s", inner.message);
}

// ---- all ----

static void *copy(const snag_allocator *allocator, const uint32_t *from, size_t count, bool *failed)
{
    if (from == NULL || count == 0)
        return NULL;
    uint32_t *made = snag__allocate(allocator, count, sizeof *made);
    if (made != NULL)
        memcpy(made, from, count * sizeof *made);
    *failed = *failed || made == NULL;
    return made;
}

// ---- labels of rods and points ----

// Where a key is in an ascending list; `count` if it is not there.
static uint32_t find_in(const uint32_t *list, uint32_t count, uint32_t key)
{
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (list[middle] < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from < count && list[from] == key ? from : count;
}

// The world sorts rods and points. Of several that weld makes one, the first counts.
static void read_thin_labels(const snag_body_def *def, const snag_allocator *allocator, snag__body *body, bool *failed)
{
    const snag__thin *thin = body->mesh.thin;
    const uint32_t *welded = body->mesh.vertex_of;
    if (thin == NULL)
        return;
    if (def->edge_labels != NULL && thin->rod_count > 0)
        body->rod_labels = snag__allocate(allocator, thin->rod_count, sizeof *body->rod_labels);
    if (def->point_labels != NULL && thin->listed_count > 0)
        body->point_labels = snag__allocate(allocator, thin->listed_count, sizeof *body->point_labels);
    *failed = *failed || (def->edge_labels != NULL && thin->rod_count > 0 && body->rod_labels == NULL) ||
              (def->point_labels != NULL && thin->listed_count > 0 && body->point_labels == NULL);
    for (size_t i = def->edge_count; i-- > 0 && def->edge_labels != NULL && body->rod_labels != NULL;) {
        uint32_t a = def->edges[2 * i], b = def->edges[2 * i + 1];
        body->rod_labels[snag__rod_between(&body->mesh, welded ? welded[a] : a, welded ? welded[b] : b)] = def->edge_labels[i];
    }
    for (size_t i = def->point_count; i-- > 0 && def->point_labels != NULL && body->point_labels != NULL;) {
        uint32_t v = welded ? welded[def->points[i]] : def->points[i];
        body->point_labels[find_in(thin->listed, thin->listed_count, v)] = def->point_labels[i];
    }
}

snag_status snag__body_attributes_read(const snag_body_def *def, const snag_allocator *allocator, snag__body *body,
                                       snag__mesh_error *error)
{
    const snag__mesh *mesh = &body->mesh;
    snag_status status = check_bits("group", def->group, def->vertex_groups, mesh, error);
    if (status == SNAG_OK)
        status = check_bits("mask", def->mask, def->vertex_masks, mesh, error);
    if (status == SNAG_OK)
        status = check_rest(def, error);
    if (status != SNAG_OK)
        return status;
    bool failed = false;
    body->group = all_bits(def->group, def->vertex_groups, mesh);
    body->mask = all_bits(def->mask, def->vertex_masks, mesh);
    body->vertex_groups = copy(allocator, def->vertex_groups, mesh->vertex_count, &failed);
    body->vertex_masks = copy(allocator, def->vertex_masks, mesh->vertex_count, &failed);
    body->label_count = (uint32_t)(def->polygon_count + def->triangle_count + def->tet_count);  // only one of them is not zero
    body->labels = copy(allocator, def->labels, body->label_count, &failed);
    read_thin_labels(def, allocator, body, &failed);
    if (def->rest.count > 0) {
        body->rest = snag__allocate(allocator, mesh->vertex_count, sizeof *body->rest);
        failed = failed || body->rest == NULL;
        for (uint32_t v = 0; v < mesh->vertex_count && body->rest != NULL; v++)
            snag__positions_get(def->rest, v, body->rest[v]);
    }
    if (!failed)
        return SNAG_OK;
    snag__body_attributes_free(allocator, body);
    return FAIL(SNAG_ERROR_MEMORY, "not enough memory for groups and rest pose of %" PRIu32 " vertices", mesh->vertex_count);
}

// ---- edits ----

static const char need[] = "the body has %s by vertex, so that the edit needs those of its new vertices";

static snag_status check_given(const snag__body *from, const snag_edit_def *def, snag__mesh_error *error)
{
    if (def->vertices.count == 0)
        return SNAG_OK;
    if (from->vertex_groups != NULL && def->vertex_groups == NULL)
        return FAIL(SNAG_ERROR_ARGUMENT, need, "groups");
    if (from->vertex_masks != NULL && def->vertex_masks == NULL)
        return FAIL(SNAG_ERROR_ARGUMENT, need, "masks");
    if (from->rest != NULL && def->rest.count != def->vertices.count)
        return FAIL(SNAG_ERROR_MISMATCH, "the body has a rest pose, so that the edit needs one of its %zu new vertices, not of %zu",
                    def->vertices.count, def->rest.count);
    snag__mesh_error inner = {""};
    snag_status status = from->rest != NULL ? snag__positions_check(def->rest, &snag__alone, &inner) : SNAG_OK;
    return status == SNAG_OK ? SNAG_OK : FAIL(status, "the rest pose of new vertices: %.100s", inner.message);
}

static uint32_t *extend_bits(const uint32_t *from, const uint32_t *given, const snag__edited *edited,
                             const snag_allocator *allocator, bool *failed)
{
    const uint32_t old = edited->old->vertex_count, count = (uint32_t)edited->def->vertices.count;
    uint32_t *bits = from != NULL ? snag__allocate(allocator, edited->vertex_count, sizeof *bits) : NULL;
    *failed = *failed || (from != NULL && bits == NULL);
    if (bits == NULL)
        return NULL;
    memcpy(bits, from, old * sizeof *bits);
    if (count > 0)
        memcpy(bits + old, given, count * sizeof *bits);
    for (uint32_t v = old + count; v < edited->vertex_count; v++) {
        uint32_t a = edited->vertex_from[v - old], b = edited->vertex_other[v - old];
        bits[v] = bits[a] & (b != SNAG_NO_NUMBER ? bits[b] : UINT32_MAX);
    }
    return bits;
}

static void extend_rest(const snag__body *from, const snag__edited *edited, double (*rest)[3])
{
    const uint32_t old = edited->old->vertex_count, count = (uint32_t)edited->def->vertices.count;
    memcpy(rest, from->rest, old * sizeof *rest);
    for (uint32_t i = 0; i < count; i++)
        snag__positions_get(edited->def->rest, i, rest[old + i]);
    for (uint32_t v = old + count; v < edited->vertex_count; v++)
        snag__edited_mix(edited, (const double(*)[3])rest, v, rest[v]);
}

static uint32_t *extend_labels(const snag__body *from, const snag__edited *edited, const snag_allocator *allocator, bool *failed)
{
    const uint32_t old = from->label_count, *given = edited->def->added_labels;
    uint32_t *labels = from->labels != NULL ? snag__allocate(allocator, edited->element_count, sizeof *labels) : NULL;
    *failed = *failed || (from->labels != NULL && labels == NULL);
    if (labels == NULL)
        return NULL;
    memcpy(labels, from->labels, old * sizeof *labels);
    for (uint32_t i = 0; i < edited->element_count - old; i++) {
        uint32_t split_from = edited->element_from[i];
        // Split from an element that was old, or is new and stands before it.
        labels[old + i] = split_from != SNAG_NO_NUMBER                    ? labels[split_from]
                          : i < edited->def->added_count && given != NULL ? given[i]
                                                                          : 0;
    }
    return labels;
}

snag_status snag__body_attributes_edit(const snag__body *from, const snag__edited *edited, const snag_allocator *allocator,
                                       snag__body *to, snag__mesh_error *error)
{
    bool failed = false;
    snag_status status = check_given(from, edited->def, error);
    if (status != SNAG_OK)
        return status;
    to->vertex_groups = extend_bits(from->vertex_groups, edited->def->vertex_groups, edited, allocator, &failed);
    to->vertex_masks = extend_bits(from->vertex_masks, edited->def->vertex_masks, edited, allocator, &failed);
    to->label_count = edited->element_count;
    to->labels = extend_labels(from, edited, allocator, &failed);
    to->rest = from->rest != NULL ? snag__allocate(allocator, edited->vertex_count, sizeof *to->rest) : NULL;
    if (to->rest != NULL)
        extend_rest(from, edited, to->rest);
    if (failed || (from->rest != NULL && to->rest == NULL))
        status = FAIL(SNAG_ERROR_MEMORY, "not enough memory for the edit");
    if (status == SNAG_OK)
        status = check_bits("group", from->group, to->vertex_groups, &to->mesh, error);
    if (status == SNAG_OK)
        status = check_bits("mask", from->mask, to->vertex_masks, &to->mesh, error);
    to->group = all_bits(from->group, to->vertex_groups, &to->mesh);
    to->mask = all_bits(from->mask, to->vertex_masks, &to->mesh);
    if (status != SNAG_OK)
        snag__body_attributes_free(allocator, to);
    return status;
}

void snag__body_attributes_free(const snag_allocator *allocator, snag__body *body)
{
    const size_t count = body->mesh.vertex_count;
    snag__release(allocator, body->vertex_groups, count, sizeof *body->vertex_groups);
    snag__release(allocator, body->vertex_masks, count, sizeof *body->vertex_masks);
    snag__release(allocator, body->rest, count, sizeof *body->rest);
    snag__release(allocator, body->labels, body->label_count, sizeof *body->labels);
    if (body->mesh.thin != NULL) {
        snag__release(allocator, body->rod_labels, body->mesh.thin->rod_count, sizeof *body->rod_labels);
        snag__release(allocator, body->point_labels, body->mesh.thin->listed_count, sizeof *body->point_labels);
    }
    body->vertex_groups = body->vertex_masks = body->labels = body->rod_labels = body->point_labels = NULL;
    body->rest = NULL;
}

// ---- labels ----

// The lowest element of a list, or `none`.
static uint32_t lowest(const snag__csr *lists, uint32_t i, uint32_t none)
{
    return lists->start[i] < lists->start[i + 1] ? lists->items[lists->start[i]] : none;
}

// An edge or vertex without triangles and tetrahedra.
static uint32_t thin_label(const snag__body *body, snag_element_kind kind, uint32_t index)
{
    const snag__thin *thin = body->mesh.thin;
    if (thin == NULL || (kind != SNAG_VERTEX && kind != SNAG_EDGE))
        return 0;
    uint32_t edge = index;
    if (kind == SNAG_VERTEX) {
        uint32_t point = body->point_labels != NULL ? find_in(thin->listed, thin->listed_count, index) : thin->listed_count;
        if (point < thin->listed_count)
            return body->point_labels[point];
        edge = lowest(&thin->vertex_rods, index, UINT32_MAX);
    }
    uint32_t rod = body->rod_labels != NULL ? find_in(thin->rod_edges, thin->rod_count, edge) : thin->rod_count;
    return rod < thin->rod_count ? body->rod_labels[rod] : 0;
}

uint32_t snag_world_label(const snag_world *world, snag_body_id id, const struct snag_element *element)
{
    const snag__body *body = world != NULL && element != NULL ? snag__world_find(world, id) : NULL;
    if (body == NULL || body->source != NULL || (unsigned)element->kind > SNAG_TET ||
        element->index >= snag__element_count(&body->mesh, element->kind))
        return 0;
    const snag__mesh *mesh = &body->mesh;
    const uint32_t none = UINT32_MAX;
    uint32_t triangle = none, tet = none;
    if (!mesh->linked)
        return 0;  // bodies with labels, rods or points have links from the first
    switch (element->kind) {
    case SNAG_VERTEX:
        triangle = lowest(&mesh->vertex_triangles, element->index, none);
        tet = lowest(&mesh->vertex_tets, element->index, none);
        break;
    case SNAG_EDGE: triangle = lowest(&mesh->edge_triangles, element->index, none); break;
    case SNAG_TRIANGLE: triangle = element->index; break;
    default: tet = element->index; break;
    }
    if (triangle == none && tet == none)
        return thin_label(body, element->kind, element->index);
    return body->labels == NULL ? 0 : body->labels[triangle != none ? mesh->triangle_faces[triangle] : tet];
}
