// snag_world_edit: makes the edited body beside the old one, then exchanges them; or plans what to repair in a surface, then repairs it in
// place. All that may fail comes first.
#include "mesh/edit_log.h"
#include "query/exclusions.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

snag_edit_def snag_default_edit_def(void)
{
    return (snag_edit_def){.cookie = SNAG__COOKIE_EDIT};
}

static uint64_t elements_of(const snag__mesh *mesh)
{
    return (uint64_t)mesh->vertex_count + mesh->edge_count + mesh->triangle_count + mesh->tet_count;
}

// ---- what may fail ----

static snag_status check_body(snag_world *world, const snag__body *body)
{
    const snag__mesh *mesh = &body->mesh;
    const char *what = body->source != NULL                                ? "stays on disk"
                       : mesh->vertex_of != NULL                           ? "has welded vertices"
                       : mesh->radii != NULL                               ? "has radii by vertex"
                       : mesh->thin != NULL                                ? "has rods or points"
                       : mesh->triangle_count == 0 && mesh->tet_count == 0 ? "has no elements"
                                                                           : NULL;
    for (uint32_t t = 0; t < mesh->triangle_count && what == NULL && mesh->tet_count == 0; t++)
        if (mesh->triangle_faces[t] != t)
            what = "was made of polygons";
    if (what == NULL)
        return SNAG_OK;
    return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "edit: %s %s: only bodies of triangles or tetrahedra can be edited",
                      body->name, what);
}

// Makes room for all that follows the edit.
static bool reserve(snag_world *world, snag__body *body, const snag__edited *edited, const snag__mesh *made)
{
    const snag_allocator *allocator = &world->body_memory.allocator;
    if (body->log == NULL) {
        body->log = snag__allocate(allocator, 1, sizeof *body->log);
        if (body->log == NULL)
            return false;
        *body->log = (snag__edit_log){0};
    }
    if (edited->in_place && !snag__edit_log_reserve(body->log, edited, allocator))
        return false;
    if (!snag__tracks_reserve_edit(&world->tracks, &world->answer_memory.allocator))
        return false;
    for (struct snag_exclusions *one = world->exclusions; one != NULL && made->tet_count > 0; one = one->next)
        if (!snag__exclusions_reserve_edit(one, body->id, made->triangle_count, &world->body_memory.allocator))
            return false;
    return true;
}

static snag_status prepare(snag_world *world, snag__body *body, const snag_edit_def *def, snag__edited *edited, snag__body *made)
{
    const snag_allocator *allocator = &world->body_memory.allocator;
    snag__mesh_error error = {""};
    // Groups and masks by vertex are checked against the whole mesh that is made.
    const bool anew = body->vertex_groups != NULL || body->vertex_masks != NULL;
    snag_status status = snag__mesh_edit(&body->mesh, def, anew, edited, &made->mesh, &error);
    if (status != SNAG_OK)
        return snag__fail(world, status, "edit: %s: %s", body->name, error.message);
    status = snag__body_attributes_edit(body, edited, allocator, made, &error);
    if (status != SNAG_OK)
        snag__fail(world, status, "edit: %s: %s", body->name, error.message);
    else if (world->element_count - elements_of(&body->mesh) + elements_of(&made->mesh) > UINT32_MAX)
        status = snag__fail(world, SNAG_ERROR_SIZE, "edit: all bodies together would have more than 2^32 - 1 elements");
    else if (!reserve(world, body, edited, &made->mesh))
        status = snag__fail(world, SNAG_ERROR_MEMORY, "edit: the allocator has no more memory");
    if (status == SNAG_OK)
        return SNAG_OK;
    snag__body_attributes_free(allocator, made);
    if (!edited->in_place)
        snag__mesh_free(&made->mesh);
    return status;
}

// ---- what cannot fail ----

typedef struct numbers {
    const snag__edited *edited;
    const snag__mesh *made;
} numbers;

static uint32_t new_index(const void *context, snag_element_kind kind, uint32_t index)
{
    const numbers *n = context;
    switch (kind) {
    case SNAG_VERTEX: return n->made->vertex_used[index] ? index : SNAG__GONE;
    case SNAG_EDGE: return n->edited->edges[index];
    case SNAG_TRIANGLE: return n->edited->triangles[index];
    default: return snag__is_hole(n->made->tets[index], 4) ? SNAG__GONE : index;
    }
}

static void follow(snag_world *world, const snag__body *body, const snag__edited *edited, uint64_t topology)
{
    const snag__mesh *made = &body->mesh;
    const numbers context = {edited, made};
    const snag__body_edit edit = {
        .id = body->id,
        .topology = topology,
        .counts = {made->vertex_count, made->edge_count, made->triangle_count, made->tet_count},
        .new_index = new_index,
        .context = &context,
    };
    snag__tracks_edit(&world->tracks, &edit);
    for (struct snag_exclusions *one = world->exclusions; one != NULL && made->tet_count > 0; one = one->next)
        snag__exclusions_edit(one, body->id, edited->triangles, made->triangle_count);
    world->scratch.culprit.known = false;
}

// The body gets the mesh and the attributes of `made`. New stamps make all that was derived from the old ones stale.
static void exchange(snag_world *world, snag__body *body, snag__body *made, snag__edited *edited)
{
    const snag_allocator *allocator = &world->body_memory.allocator;
    world->element_count = world->element_count - elements_of(&body->mesh) + elements_of(&made->mesh);
    SNAG__ASSERT((made->mesh.radius > 0) == (body->mesh.radius > 0));  // world->thick_count stays
    snag__body_attributes_free(allocator, body);
    if (edited->in_place) {
        snag__mesh_repair(&body->mesh, edited);
    } else {
        snag__mesh_free(&body->mesh);
        body->mesh = made->mesh;
    }
    body->group = made->group;
    body->mask = made->mask;
    body->vertex_groups = made->vertex_groups;
    body->vertex_masks = made->vertex_masks;
    body->rest = made->rest;
    body->labels = made->labels;
    body->label_count = made->label_count;
    body->pose_t0 = ++world->stamp;
    body->pose = snag__mesh_rests(&body->mesh) ? body->pose_t0 : ++world->stamp;
    body->motion = ++world->stamp;
    body->degenerate = body->zero_volume_tets = 0;
    body->degenerate_pose = body->zero_volume_pose = 0;
    body->zero_area_slack = 0;
    snag__body_note_move(body, INFINITY);
    world->answer = (snag_answer){0};
}

static snag_edit_map map_of(const snag__edited *edited, uint32_t old_vertices, uint32_t old_elements, uint32_t old_edges,
                            uint32_t old_triangles)
{
    return (snag_edit_map){
        .first_vertex = old_vertices,
        .vertex_count = edited->vertex_count - old_vertices,
        .first_element = old_elements,
        .element_count = edited->element_count - old_elements,
        .vertex_from = edited->vertex_from,
        .element_from = edited->element_from,
        .old_edge_count = old_edges,
        .old_triangle_count = old_triangles,
        .edges = edited->edges,
        .triangles = edited->triangles,
    };
}

static snag_status edit_body(snag_world *world, snag_body_id id, const snag_edit_def *def, snag_edit_map *map)
{
    if (def == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "edit: the def must not be NULL");
    if (def->cookie != SNAG__COOKIE_EDIT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "edit: the def was not made by snag_default_edit_def of this version: start from that");
    snag__body *body = snag__world_find(world, id);
    if (body == NULL)
        return snag__fail_body(world, id);
    snag_status status = check_body(world, body);
    snag__edited *edited = &world->next_edited;
    snag__body made = {0};
    if (status == SNAG_OK)
        status = prepare(world, body, def, edited, &made);
    if (status != SNAG_OK)
        return status;
    const snag__mesh *old = &body->mesh;
    const uint32_t old_edges = old->edge_count, old_triangles = old->triangle_count;
    const uint64_t before = body->topology;
    snag__edited_forget_added(edited);
    snag_edit_map changes = map_of(edited, old->vertex_count, old->tet_count > 0 ? old->tet_count : old->triangle_count,
                                   old->edge_count, old->triangle_count);
    body->topology = ++world->stamp;
    exchange(world, body, &made, edited);
    if (edited->in_place)
        snag__edit_log_add(body->log, edited, &body->mesh, old_edges, old_triangles, before, body->topology);
    else
        snag__edit_log_forget(body->log);
    follow(world, body, edited, body->topology);
    snag__edited done = world->edited;
    world->edited = world->next_edited;
    world->next_edited = done;
    if (map != NULL)
        *map = changes;
    return SNAG_OK;
}

snag_status snag_world_edit(snag_world *world, snag_body_id body, const snag_edit_def *edit, snag_edit_map *map)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("edit"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, edit_body(world, body, edit, map)) : status;
}
