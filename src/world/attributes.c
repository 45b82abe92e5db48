// What a body has beside its mesh: groups, masks and a rest pose.
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

void snag__body_attributes_free(const snag_allocator *allocator, snag__body *body)
{
    const size_t count = body->mesh.vertex_count;
    snag__release(allocator, body->vertex_groups, count, sizeof *body->vertex_groups);
    snag__release(allocator, body->vertex_masks, count, sizeof *body->vertex_masks);
    snag__release(allocator, body->rest, count, sizeof *body->rest);
    body->vertex_groups = body->vertex_masks = NULL;
    body->rest = NULL;
}
