// The world and its bodies. A call either succeeds or changes nothing.
#include "world/world.h"

#include "mesh/edit_log.h"
#include "mesh/thin.h"

#include "base/isa.h"
#include "base/platform.h"
#include "query/exclusions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

snag_status snag__fail(snag_world *world, snag_status status, const char *format, ...)
{
    SNAG__ASSERT(status != SNAG_OK);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(world->message, sizeof world->message, format, arguments);
    va_end(arguments);
    atomic_store(&world->words, world->message);
    return status;
}

snag_status snag__call_begin_unlinked(snag_world *world, const char *refusal, snag__call *call)
{
    if (world == NULL)
        return SNAG_ERROR_ARGUMENT;
    if (atomic_exchange(&world->in_call, true)) {
        atomic_store(&world->words, refusal);
        return SNAG_ERROR_BUSY;
    }
    call->callers = snag__float_env_begin();
    return SNAG_OK;
}

bool snag__world_link(snag_world *world)
{
    const snag__entry *entries = world->entries.data;
    for (uint32_t i = 0; i < world->entry_count && world->unlinked_count > 0; i++) {
        if (entries[i].body == NULL || entries[i].body->mesh.linked)
            continue;
        if (!snag__mesh_link(&entries[i].body->mesh, &world->parallel))
            return false;
        world->unlinked_count--;
    }
    SNAG__ASSERT(world->unlinked_count == 0);
    return true;
}

snag_status snag__call_begin(snag_world *world, const char *refusal, snag__call *call)
{
    snag_status status = snag__call_begin_unlinked(world, refusal, call);
    if (status != SNAG_OK || snag__world_link(world))
        return status;
    return snag__call_end(world, call, snag__fail_memory(world));
}

snag_status snag__call_end(snag_world *world, const snag__call *call, snag_status status)
{
    SNAG__ASSERT(atomic_load(&world->in_call));
    snag__float_env_end(call->callers);
    atomic_store(&world->in_call, false);
    return status;
}

snag_status snag__fail_memory(snag_world *world)
{
    return snag__fail(world, SNAG_ERROR_MEMORY, "the allocator has no more memory");
}

// ---- create and destroy ----

snag_world_def snag_default_world_def(void)
{
    return (snag_world_def){.cookie = SNAG__COOKIE_WORLD};
}

// More threads are a mistake, such as a negative number that was cast.
enum { THREADS_MAX = 1024 };

// Where the generations of a world begin. Multiples of the golden ratio are spread evenly, so that ids of two worlds coincide only
// after millions of bodies in one slot. Worlds numbered by the user and others differ in the top bit.
static uint32_t first_generation(uint32_t number, uint64_t serial)
{
    const uint32_t golden = 0x9e3779b9u, top = 1u << 31;
    return number > 0 ? number * golden | top : (uint32_t)serial * golden & ~top;
}

snag_status snag_world_create(const snag_world_def *def, snag_world **world)
{
    if (world == NULL)
        return SNAG_ERROR_ARGUMENT;
    *world = NULL;
    if (def == NULL || def->cookie != SNAG__COOKIE_WORLD || def->threads > THREADS_MAX)
        return SNAG_ERROR_ARGUMENT;
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
        return SNAG_ERROR_ARGUMENT;
    snag_isa isa = def->isa == SNAG_ISA_BEST ? snag__isa_best() : def->isa;
    if (!snag__isa_available(isa))
        return SNAG_ERROR_UNSUPPORTED;

    snag_allocator allocator = def->allocator.allocate != NULL ? def->allocator : snag__default_allocator();
    snag_world *made = snag__allocate(&allocator, 1, sizeof *made);
    if (made == NULL)
        return SNAG_ERROR_MEMORY;
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    snag__counted_init(&made->body_memory, &allocator);
    snag__counted_init(&made->method_memory, &allocator);
    snag__counted_init(&made->answer_memory, &allocator);
    snag__counted_init(&made->own_memory, &allocator);
    made->log = def->log;
    made->parallel.tasks = def->tasks;
    made->parallel.threads = def->threads > 0 ? def->threads : snag__processor_count();
    made->isa = isa;
    static _Atomic uint64_t worlds;
    made->serial = atomic_fetch_add(&worlds, 1) + 1;
    made->first_generation = first_generation(def->number, made->serial);
    atomic_store(&made->words, made->message);
    if (def->tasks.run == NULL && made->parallel.threads > 1) {
        made->parallel.pool = snag__pool_create(&made->own_memory.allocator, made->parallel.threads);
        if (made->parallel.pool == NULL) {
            snag__release(&allocator, made, 1, sizeof *made);
            return SNAG_ERROR_MEMORY;
        }
    }
    *world = made;
    return SNAG_OK;
}

static void body_free(const snag_allocator *allocator, snag__body *body)
{
    snag__body_attributes_free(allocator, body);
    snag__mesh_free(&body->mesh);
    if (body->log != NULL)
        snag__edit_log_free(allocator, body->log);
    snag__release(allocator, body->log, 1, sizeof *body->log);
    if (body->source != NULL && body->source->def.close != NULL)
        body->source->def.close(body->source->def.context);
    snag__release(allocator, body->source, 1, sizeof *body->source);
    if (body->name != NULL)
        snag__release(allocator, body->name, strlen(body->name) + 1, 1);
    snag__release(allocator, body, 1, sizeof *body);
}

void snag_world_destroy(snag_world *world)
{
    snag__call call;
    if (snag__call_begin_unlinked(world, SNAG__REFUSAL("destroy"), &call) != SNAG_OK)
        return;
    const snag_allocator allocator = world->allocator, *bodies = &world->body_memory.allocator;
    const snag_allocator *answers = &world->answer_memory.allocator, *own = &world->own_memory.allocator;
    snag__entry *entries = world->entries.data;
    for (uint32_t i = 0; i < world->entry_count; i++) {
        snag__body *body = entries[i].body;
        entries[i].body = NULL;  // first, since the user's close callback may ask for the body
        if (body != NULL)
            body_free(bodies, body);
    }
    while (world->exclusions != NULL) {
        struct snag_exclusions *next = world->exclusions->next;
        snag__exclusions_free(bodies, world->exclusions);
        world->exclusions = next;
    }
    snag__edited_free(bodies, &world->edited);
    snag__edited_free(bodies, &world->next_edited);
    snag__buffer_free(own, &world->entries);
    snag__buffer_free(bodies, &world->issues);
    snag__scratch_free(&world->method_memory.allocator, answers, &world->scratch);
    snag__tracks_free(answers, &world->tracks);
    snag__places_free(answers, &world->places);
    snag__queries_free(&world->method_memory.allocator, answers, &world->queries);
    snag__pool_destroy(own, world->parallel.pool);
    snag__release(&allocator, world, 1, sizeof *world);
    snag__float_env_end(call.callers);
}

const char *snag_world_message(const snag_world *world)
{
    return world != NULL ? atomic_load(&world->words) : "";
}

bool snag_world_is_busy(const snag_world *world)
{
    return world != NULL && atomic_load(&world->in_call);
}

uint32_t snag_world_threads(const snag_world *world)
{
    return world != NULL ? world->parallel.threads : 0;
}

// The user's tasks run in the user's floating-point environment, so this does not go through snag__call_begin.
void snag_world_run(snag_world *world, uint32_t count, void (*task)(void *context, uint32_t index), void *context)
{
    if (task == NULL)
        return;
    if (world == NULL || atomic_exchange(&world->in_call, true)) {
        snag__parallel_for(&snag__alone, count, task, context);
        return;
    }
    const snag_tasks *tasks = &world->parallel.tasks;
    if (tasks->run != NULL && count > 1)
        tasks->run(tasks->context, count, task, context);
    else
        snag__parallel_for(&world->parallel, count, task, context);
    atomic_store(&world->in_call, false);
}

snag_isa snag_world_isa(const snag_world *world)
{
    return world != NULL ? world->isa : SNAG_ISA_BEST;
}

// ---- bodies ----

snag_body_def snag_default_body_def(void)
{
    return (snag_body_def){.cookie = SNAG__COOKIE_BODY, .group = 1, .mask = UINT32_MAX};
}

snag__body *snag__world_find(const snag_world *world, snag_body_id id)
{
    const snag__entry *entries = world->entries.data;
    // Ids count slots from 1, so that the zero id is null.
    if (id.index == 0 || id.index > world->entry_count || entries[id.index - 1].generation != id.generation)
        return NULL;
    return entries[id.index - 1].body;
}

snag_status snag__fail_body(snag_world *world, snag_body_id id)
{
    if (id.index == 0)
        return snag__fail(world, SNAG_ERROR_BODY, "the id is zero, which names no body");
    const snag__entry *entries = world->entries.data;
    bool known = id.index <= world->entry_count;
    uint32_t age = id.generation - world->first_generation - 1;
    if (known && age < entries[id.index - 1].generation - world->first_generation)
        return snag__fail(world, SNAG_ERROR_BODY, "the id %u/%u is of a body that has been removed", id.index, id.generation);
    return snag__fail(world, SNAG_ERROR_BODY,
                      "the id %u/%u is none of this world: ids are valid only in the world where the body was added", id.index,
                      id.generation);
}

// The index of a free slot, the first or a new one; UINT32_MAX if there is no memory.
static uint32_t free_entry(snag_world *world)
{
    snag__entry *entries = world->entries.data;
    if (world->body_count < world->entry_count)
        for (uint32_t i = 0; i < world->entry_count; i++)
            if (entries[i].body == NULL)
                return i;
    if (!snag__buffer_reserve(&world->own_memory.allocator, &world->entries, world->entry_count, world->entry_count + 1u,
                              sizeof *entries))
        return UINT32_MAX;
    entries = world->entries.data;
    entries[world->entry_count] = (snag__entry){.generation = world->first_generation};
    return world->entry_count;
}

static char *copy_name(const snag_allocator *allocator, const char *name, uint32_t entry)
{
    char made[32];
    if (name == NULL) {
        snprintf(made, sizeof made, "body %u", entry + 1);
        name = made;
    }
    size_t size = strlen(name) + 1;
    char *copy = snag__allocate(allocator, size, 1);
    if (copy != NULL)
        memcpy(copy, name, size);
    return copy;
}

static uint64_t elements_of(const snag__mesh *mesh)
{
    return (uint64_t)mesh->vertex_count + mesh->edge_count + mesh->triangle_count + mesh->tet_count;
}

// Makes a body like `made`: its mesh, source, user and attributes. Its mesh is empty for a source. On failure all but the source is freed.
static snag_status add_mesh(snag_world *world, snag__body *made, const char *name, snag_body_id *id)
{
    snag__mesh *mesh = &made->mesh;
    const snag__source *source = made->source;
    const snag_allocator *allocator = &world->body_memory.allocator;
    snag_status status = SNAG_ERROR_MEMORY;
    SNAG__ASSERT(source == NULL || elements_of(mesh) == 0);
    uint64_t elements = elements_of(mesh) + (source != NULL ? source->triangle_count : 0);
    uint32_t entry = free_entry(world);
    snag__body *body = snag__allocate(allocator, 1, sizeof *body);
    char *copy = copy_name(allocator, name, entry);
    if (world->element_count + elements > UINT32_MAX)
        status = SNAG_ERROR_SIZE;
    else if (entry != UINT32_MAX && body != NULL && copy != NULL) {
        snag__entry *entries = world->entries.data;
        world->entry_count += entry == world->entry_count;
        world->body_count++;
        world->source_count += source != NULL;
        world->thin_count += mesh->thin != NULL;
        world->thick_count += mesh->radius > 0;
        world->unlinked_count += !mesh->linked;
        world->element_count += elements;
        SNAG__ASSERT(entries[entry].body == NULL && world->body_count <= world->entry_count);
        entries[entry].body = body;
        entries[entry].generation++;
        *id = (snag_body_id){entry + 1, entries[entry].generation};
        uint64_t stamp = ++world->stamp;
        *body = *made;
        body->id = *id;
        body->name = copy;
        body->pose = body->pose_t0 = body->motion = body->topology = stamp;
        return SNAG_OK;
    }
    snag__body_attributes_free(allocator, made);
    snag__mesh_free(mesh);
    if (copy != NULL)
        snag__release(allocator, copy, strlen(copy) + 1, 1);
    snag__release(allocator, body, 1, sizeof *body);
    if (status == SNAG_ERROR_SIZE)
        return snag__fail(world, status, "all bodies together would have more than 2^32 - 1 elements");
    return snag__fail_memory(world);
}

// The message for a mesh that could not be built or moved.
static snag_status fail_mesh(snag_world *world, const char *name, snag_status status, const snag__mesh_error *error)
{
    return snag__fail(world, status, "%s: %s", name != NULL ? name : "new body", error->message);
}

static snag_status add_body(snag_world *world, const snag_body_def *def, snag_body_id *body)
{
    if (def == NULL || body == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "add: def and body must not be NULL");
    if (def->cookie != SNAG__COOKIE_BODY)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "add: the def was not made by snag_default_body_def of this version: start from that");
    snag__body made = {.user = def->user};
    snag__mesh_error error = {""};
    const snag_allocator *allocator = &world->body_memory.allocator;
    // snag_world_label looks at links, even while another call is in progress.
    snag_status status =
        (def->labels != NULL ? snag__mesh_from_def : snag__mesh_unlinked_from_def)(def, allocator, &made.mesh, &error);
    if (status == SNAG_OK) {
        status = snag__body_attributes_read(def, allocator, &made, &error);
        if (status != SNAG_OK)
            snag__mesh_free(&made.mesh);
    }
    return status == SNAG_OK ? add_mesh(world, &made, def->name, body) : fail_mesh(world, def->name, status, &error);
}

snag_status snag_world_add(snag_world *world, const snag_body_def *def, snag_body_id *body)
{
    snag__call call;
    snag_status status = snag__call_begin_unlinked(world, SNAG__REFUSAL("add"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, add_body(world, def, body)) : status;
}

snag_source_def snag_default_source_def(void)
{
    return (snag_source_def){.cookie = SNAG__COOKIE_SOURCE};
}

// Checks the blocks of a source and sums up their triangles and boxes.
static bool sum_blocks(const snag_source_def *def, snag__source *source)
{
    uint64_t triangles = 0;
    for (size_t i = 0; i < def->block_count; i++) {
        const snag_surface_block *block = &def->blocks[i];
        if (block->first_triangle != triangles || block->triangle_count == 0)
            return false;
        triangles += block->triangle_count;
        if (triangles > SNAG__MAX_TRIANGLES)
            return false;
        for (int axis = 0; axis < 3; axis++) {
            double lo = block->minimum[axis], hi = block->maximum[axis];
            if (!isfinite(lo) || !isfinite(hi) || lo > hi)
                return false;
            source->lo[axis] = i == 0 ? lo : fmin(source->lo[axis], lo);
            source->hi[axis] = i == 0 ? hi : fmax(source->hi[axis], hi);
        }
    }
    source->triangle_count = (uint32_t)triangles;
    return def->block_count < UINT32_MAX;
}

static snag_status add_source(snag_world *world, const snag_source_def *def, snag_body_id *body)
{
    if (def == NULL || body == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "add_source: def and body must not be NULL");
    if (def->cookie != SNAG__COOKIE_SOURCE)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "add_source: the def was not made by snag_default_source_def of this version: start from that");
    if (def->read == NULL || (def->blocks == NULL && def->block_count > 0))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "add_source: the blocks and the read callback of the def must not be NULL");
    snag__source sum = {.def = *def};
    if (!sum_blocks(def, &sum))
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "add_source: each block must have triangles, start where the last one ends and have a finite box");
    snag__body made = {.user = def->user, .group = 1, .mask = UINT32_MAX};
    snag__mesh_error error = {""};
    snag_body_def empty = snag_default_body_def();
    const snag_allocator *allocator = &world->body_memory.allocator;
    snag__source *source = snag__allocate(allocator, 1, sizeof *source);
    if (source == NULL)
        return snag__fail_memory(world);
    *source = sum;
    made.source = source;
    snag_status status = snag__mesh_from_def(&empty, allocator, &made.mesh, &error);
    if (status == SNAG_OK)
        status = add_mesh(world, &made, def->name, body);
    else
        fail_mesh(world, def->name, status, &error);
    if (status != SNAG_OK)
        snag__release(allocator, source, 1, sizeof *source);
    return status;
}

snag_status snag_world_add_source(snag_world *world, const snag_source_def *def, snag_body_id *body)
{
    snag__call call;
    snag_status status = snag__call_begin_unlinked(world, SNAG__REFUSAL("add_source"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, add_source(world, def, body)) : status;
}

// ---- time ----

// The list of bodies that have moved in this step is doubly linked, so that a body leaves it in constant time.
static void add_to_moved(snag_world *world, snag__body *body)
{
    body->previous_moved = NULL;
    body->next_moved = world->moved;
    if (world->moved != NULL)
        world->moved->previous_moved = body;
    world->moved = body;
}

static void take_from_moved(snag_world *world, snag__body *body)
{
    if (body->previous_moved != NULL)
        body->previous_moved->next_moved = body->next_moved;
    else
        world->moved = body->next_moved;
    if (body->next_moved != NULL)
        body->next_moved->previous_moved = body->previous_moved;
    body->next_moved = body->previous_moved = NULL;
}

static snag_status begin_step(snag_world *world)
{
    while (world->moved != NULL) {
        snag__body *body = world->moved;
        SNAG__ASSERT(!snag__mesh_rests(&body->mesh) && body->previous_moved == NULL);
        take_from_moved(world, body);
        snag__mesh_begin_step(&body->mesh);
        body->pose_t0 = body->pose;
        body->motion = ++world->stamp;
    }
    return SNAG_OK;
}

snag_status snag_world_begin_step(snag_world *world)
{
    snag__call call;
    snag_status status = snag__call_begin_unlinked(world, SNAG__REFUSAL("begin_step"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, begin_step(world)) : status;
}

static snag_status remove_body(snag_world *world, snag_body_id id)
{
    snag__body *body = snag__world_find(world, id);
    if (body == NULL)
        return snag__fail_body(world, id);
    snag__entry *entries = world->entries.data;
    if (!snag__mesh_rests(&body->mesh))
        take_from_moved(world, body);
    entries[id.index - 1].body = NULL;
    SNAG__ASSERT(world->body_count > 0 && elements_of(&body->mesh) <= world->element_count);
    world->body_count--;
    world->source_count -= body->source != NULL;
    world->thin_count -= body->mesh.thin != NULL;
    world->thick_count -= body->mesh.radius > 0;
    world->unlinked_count -= !body->mesh.linked;
    world->element_count -= elements_of(&body->mesh) + (body->source != NULL ? body->source->triangle_count : 0);
    body_free(&world->body_memory.allocator, body);
    return SNAG_OK;
}

snag_status snag_world_remove(snag_world *world, snag_body_id id)
{
    snag__call call;
    snag_status status = snag__call_begin_unlinked(world, SNAG__REFUSAL("remove"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, remove_body(world, id)) : status;
}

static snag_status give_positions(snag_world *world, snag_body_id id, snag_positions positions, bool teleport)
{
    snag__body *body = snag__world_find(world, id);
    if (body == NULL)
        return snag__fail_body(world, id);
    if (body->source != NULL)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "%s: a body that stays on disk does not move", body->name);
    snag__mesh_error error = {""};
    snag__pool_expect(world->parallel.pool, true);  // usually a question follows
    bool rested = snag__mesh_rests(&body->mesh), follow = snag__plan_follows_motion(&world->scratch);
    double farthest = INFINITY;  // a teleport has no known path
    snag_status status =
        snag__mesh_move(&body->mesh, positions, teleport, &world->parallel, follow && !teleport ? &farthest : NULL, &error);
    if (status != SNAG_OK)
        return fail_mesh(world, body->name, status, &error);
    SNAG__ASSERT(body->motion <= world->stamp && body->pose <= body->motion);
    body->pose = body->motion = ++world->stamp;
    if (teleport)
        body->pose_t0 = body->pose;
    if (teleport && !rested)
        take_from_moved(world, body);
    if (!teleport && rested)
        add_to_moved(world, body);
    if (follow)
        snag__body_note_move(body, farthest);
    return SNAG_OK;
}

snag_status snag_world_move(snag_world *world, snag_body_id body, snag_positions positions)
{
    snag__call call;
    snag_status status = snag__call_begin_unlinked(world, SNAG__REFUSAL("move"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, give_positions(world, body, positions, false)) : status;
}

snag_status snag_world_teleport(snag_world *world, snag_body_id body, snag_positions positions)
{
    snag__call call;
    snag_status status = snag__call_begin_unlinked(world, SNAG__REFUSAL("teleport"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, give_positions(world, body, positions, true)) : status;
}

snag_status snag_world_body(const snag_world *world, snag_body_id id, snag_body_info *info)
{
    if (world == NULL || info == NULL)
        return SNAG_ERROR_ARGUMENT;
    const snag__body *body = snag__world_find(world, id);
    if (body == NULL)
        return SNAG_ERROR_BODY;
    const snag__mesh *mesh = &body->mesh;
    *info = (snag_body_info){
        .name = body->name,
        .user = body->user,
        .vertex_count = mesh->vertex_count,
        .triangle_count = snag__triangle_count(body),
        .edge_count = mesh->edge_count,
        .tet_count = mesh->tet_count,
        .triangles = (const uint32_t *)mesh->triangles,
        .triangle_faces = mesh->triangle_faces,
        .labels = body->labels,
        .edges = (const uint32_t *)mesh->edges,
        .tets = (const uint32_t *)mesh->tets,
        .radius = mesh->radius,
        .radii = mesh->radii,
    };
    if (mesh->thin != NULL) {
        info->rod_count = mesh->thin->rod_count;
        info->point_count = mesh->thin->listed_count;
        info->rods = info->rod_count > 0 ? mesh->thin->rod_edges : NULL;
        info->points = info->point_count > 0 ? mesh->thin->listed : NULL;
        info->rod_labels = body->rod_labels;
        info->point_labels = body->point_labels;
    }
    if (body->source != NULL)
        info->triangles = info->triangle_faces = info->edges = info->tets = NULL;
    return SNAG_OK;
}

size_t snag_world_body_count(const snag_world *world)
{
    return world != NULL ? world->body_count : 0;
}

static snag_status check_body(snag_world *world, snag_body_id id, const snag_mesh_report **report)
{
    if (report == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "check: report must not be NULL");
    const snag__body *body = snag__world_find(world, id);
    if (body == NULL)
        return snag__fail_body(world, id);
    if (body->source != NULL)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "%s: a body that stays on disk is not checked", body->name);
    snag_status status = snag__mesh_check(&body->mesh, &world->issues, &world->report);
    if (status != SNAG_OK)
        return snag__fail_memory(world);
    *report = &world->report;
    return SNAG_OK;
}

snag_status snag_world_check(snag_world *world, snag_body_id id, const snag_mesh_report **report)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("check"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, check_body(world, id, report)) : status;
}

snag_status snag_world_tree(const snag_world *world, snag_body_id id, snag_tree_info *info)
{
    if (world == NULL || info == NULL)
        return SNAG_ERROR_ARGUMENT;
    if (snag_world_is_busy(world))
        return SNAG_ERROR_BUSY;
    if (snag__world_find(world, id) == NULL)
        return SNAG_ERROR_BODY;
    snag__spheres_describe(&world->scratch.states[SNAG_METHOD_SPHERES], id, info);
    return SNAG_OK;
}

snag_status snag_world_memory(const snag_world *world, snag_memory *memory)
{
    if (world == NULL || memory == NULL)
        return SNAG_ERROR_ARGUMENT;
    if (snag_world_is_busy(world))
        return SNAG_ERROR_BUSY;
    *memory = (snag_memory){
        .bodies = snag__counted_bytes(&world->body_memory),
        .methods = snag__counted_bytes(&world->method_memory),
        .answers = snag__counted_bytes(&world->answer_memory),
    };
    memory->total = memory->bodies + memory->methods + memory->answers + snag__counted_bytes(&world->own_memory) + sizeof *world;
    return SNAG_OK;
}
