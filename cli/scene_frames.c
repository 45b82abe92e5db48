// Puts the bodies of a scene into a world and moves them from frame to frame.
#include "common/system.h"
#include "reading.h"
#include "scene_match.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- into a world --------------------------------------------------------------------------------------------------

int scene_create_world(const options *o, snag_world **world, words *w)
{
    snag_world_def def = snag_default_world_def();
    def.threads = o->threads;
    snag_status status = snag_world_create(&def, world);
    if (status != SNAG_OK)
        return words_error(w, "cannot create the world: %s", snag_status_name(status));
    return EXIT_CLEAN;
}

snag_status scene_add_body(snag_world *world, const scene_body *body, const options *o, snag_body_id *id)
{
    snag_body_def def = snag_io_body_def(body->source);
    def.weld = o->weld && !def.tet_count;
    def.radius = body->radius;
    if (o->exclude_rest > 0)
        def.rest = def.positions;
    def.name = body->name;
    return snag_world_add(world, &def, id);
}

static snag_status add_source(snag_world *world, const scene_body *body, scene_file *file, snag_body_id *id)
{
    snag_source_def def = snag_io_chunked_source(file->chunked);
    def.name = body->name;
    snag_status status = snag_world_add_source(world, &def, id);
    if (status == SNAG_OK)
        file->chunked = NULL;
    return status;
}

// "D" for all bodies, or "NAME=D", where the name may have equals signs.
static int set_thickness(scene *s, const char *text, words *w)
{
    const char *equals = strrchr(text, '=');
    char name[512] = "*", *end;
    const char *number = equals ? equals + 1 : text;
    double thickness = strtod(number, &end);
    size_t found = 0;
    if (end == number || *end || !isfinite(thickness) || thickness < 0)
        return words_error(w, "--thickness: expected a length of 0 or more, or NAME=LENGTH, not '%s'", text);
    if (equals && (size_t)(equals - text) < sizeof name)
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    for (size_t i = 0; i < s->body_count; i++)
        if (!equals || strcmp(s->bodies[i].name, name) == 0 || sys_matches(name, s->bodies[i].name)) {
            s->bodies[i].radius = 0.5 * thickness;
            found++;
        }
    if (found == 0)
        return words_error(w, "--thickness: there is no body '%s'; the bodies are listed by `snag info`, the first is '%s'", name,
                           s->bodies[0].name);
    return EXIT_CLEAN;
}

int scene_add(scene *s, const options *o, snag_world *world, words *w)
{
    for (size_t i = 0; i < o->thickness.count; i++)
        if (set_thickness(s, o->thickness.items[i], w) != EXIT_CLEAN)
            return EXIT_ERROR;
    for (size_t i = 0; i < s->body_count; i++) {
        scene_body *body = &s->bodies[i];
        const char *path = s->files[body->file].path;
        scene_file *file = &s->files[body->file];
        snag_status status = file->on_disk ? add_source(world, body, file, &body->id) : scene_add_body(world, body, o, &body->id);
        if (status == SNAG_OK)
            status = snag_world_body(world, body->id, &body->info);
        if (status != SNAG_OK)
            return words_error(w, "%s: %s", path, snag_world_message(world));
    }
    return EXIT_CLEAN;
}

// Reports a file that failed: damaged, missing, or out of memory.
static int file_failed(const snag_io_error *error, words *w)
{
    w->no_memory = w->no_memory || error->status == SNAG_ERROR_MEMORY;
    return words_error(w, "%s", error->message);
}

// ---- frames of caches ----

static const float *gather(scene_body *body, const float *xyz)
{
    if (!body->source->vertex_numbers)
        return xyz;
    if (!body->gathered)
        body->gathered = malloc((body->source->vertex_count + 1) * 3 * sizeof(float));
    for (size_t i = 0; body->gathered && i < body->source->vertex_count; i++)
        memcpy(body->gathered + 3 * i, xyz + 3 * (size_t)body->source->vertex_numbers[i], 3 * sizeof(float));
    return body->gathered;
}

typedef struct visit {
    size_t frame;
    scene_taker *take;
    void *context;
} visit;

static int visit_cache(scene *s, size_t index, const visit *v, bool resting, words *w)
{
    scene_cache *cache = &s->caches[index];
    size_t last = cache->frame_count - 1;
    if (v->frame > last && !resting)
        return EXIT_CLEAN;
    snag_io_error error;
    if (snag_io_cache_read(cache->cache, v->frame > last ? last : v->frame, cache->xyz, &error) != SNAG_OK)
        return file_failed(&error, w);
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < s->body_count && result == EXIT_CLEAN; i++) {
        scene_body *body = &s->bodies[i];
        if (body->cache != index)
            continue;
        const float *xyz = body->whole_file ? gather(body, cache->xyz) : cache->xyz;
        if (!xyz)
            return words_out_of_memory(w);
        body->now = snag_positions_f32(xyz, body->source->vertex_count);
        result = v->take(v->context, body, body->now, v->frame, cache->path);
    }
    return result;
}

// ---- frames of animated files ----

static int visit_posed(scene *s, scene_body *body, const visit *v, words *w)
{
    const scene_file *file = &s->files[body->file];
    size_t count = body->source->vertex_count;
    snag_io_error error;
    if (!body->posed)
        body->posed = malloc((count + 1) * 3 * sizeof *body->posed);
    if (!body->posed)
        return words_out_of_memory(w);
    if (snag_io_motion_positions(file->motion, (size_t)(body->source - file->mesh.bodies), body->posed, &error) != SNAG_OK)
        return file_failed(&error, w);
    body->now = snag_positions_f64(body->posed, count);
    return v->take(v->context, body, body->now, v->frame, file->path);
}

static int visit_motion(scene *s, size_t index, const visit *v, bool resting, words *w)
{
    scene_file *file = &s->files[index];
    if (!file->motion || file->rate <= 0 || (v->frame >= file->frame_count && !resting))
        return EXIT_CLEAN;
    int result = scene_pose_motion(file, v->frame, w);
    for (size_t i = 0; i < s->body_count && result == EXIT_CLEAN; i++)
        if (s->bodies[i].file == index && s->bodies[i].cache == SCENE_NONE)
            result = visit_posed(s, &s->bodies[i], v, w);
    return result;
}

// ---- frames that are files ----

static bool same_numbers(const uint32_t *a, const uint32_t *b, size_t count)
{
    if (!a || !b)
        return a == b || count == 0;
    return memcmp(a, b, count * sizeof *a) == 0;
}

static size_t corner_count(const snag_io_body *body)
{
    if (!body->polygon_sizes)
        return 3 * body->polygon_count;
    size_t corners = 0;
    for (size_t i = 0; i < body->polygon_count; i++)
        corners += body->polygon_sizes[i];
    return corners;
}

static bool same_elements(const snag_io_body *a, const snag_io_body *b)
{
    return a->polygon_count == b->polygon_count && a->tet_count == b->tet_count &&
           same_numbers(a->polygon_sizes, b->polygon_sizes, a->polygon_count) &&
           same_numbers(a->polygon_vertices, b->polygon_vertices, corner_count(a)) &&
           same_numbers(a->tets, b->tets, 4 * a->tet_count) && a->edge_count == b->edge_count && a->point_count == b->point_count &&
           same_numbers(a->edges, b->edges, 2 * a->edge_count) && same_numbers(a->points, b->points, a->point_count);
}

// Whether the bodies have the same faces as in the world.
static bool same_bodies(const scene *s, const snag_io_mesh *mesh)
{
    for (size_t i = 0; i < s->body_count; i++)
        if (mesh->bodies[i].vertex_count != s->bodies[i].source->vertex_count ||
            !same_elements(&mesh->bodies[i], s->bodies[i].source))
            return false;
    return true;
}

static int compare_with_first(const scene *s, const snag_io_mesh *mesh, const char *path, words *w)
{
    const char *first = s->frame_paths[s->reference];
    if (mesh->body_count != s->body_count)
        return words_error(w, "%s: %zu bodies, but %s has %zu; all frames of a sequence must have the same meshes", path,
                           mesh->body_count, first, s->body_count);
    for (size_t i = 0; i < s->body_count && !s->may_change; i++) {
        const snag_io_body *now = &mesh->bodies[i], *then = s->bodies[i].source;
        if (now->vertex_count != then->vertex_count)
            return words_error(w,
                               "%s: \"%s\" has %zu vertices, but in %s it has %zu; all frames of a sequence must have the "
                               "same mesh (check different meshes one by one)",
                               path, s->bodies[i].name, now->vertex_count, first, then->vertex_count);
        if (!same_elements(now, then))
            return words_error(w,
                               "%s: the faces of \"%s\" differ from those in %s; all frames of a sequence must have the "
                               "same mesh (check different meshes one by one)",
                               path, s->bodies[i].name, first);
    }
    return EXIT_CLEAN;
}

// Keep the previous frame's mesh until the next one is read: if that fails, the bodies stay where they are.
static int read_frame(scene *s, size_t frame, words *w)
{
    const char *path = s->frame_paths[frame];
    snag_io_mesh mesh = {0};
    snag_io_error error;
    snag_io_read_options reading = reading_options(s->options);
    if (snag_io_read_mesh_with(path, &reading, &mesh, &error) != SNAG_OK)
        return reading_failed(s->options, &error, w);
    int result =
        s->may_change ? scene_match(&s->files[0].mesh, s->own_count, s->frame_paths[s->reference], &mesh, path, w) : EXIT_CLEAN;
    if (result == EXIT_CLEAN)
        result = compare_with_first(s, &mesh, path, w);
    if (result != EXIT_CLEAN) {
        snag_io_mesh_free(&mesh);
        return result;
    }
    // The faces are the same in all frames, but the number of skipped elements may differ: report the maximum.
    if (mesh.left_out > s->files[0].mesh.left_out)
        s->files[0].mesh.left_out = mesh.left_out;
    if (mesh.skipped > s->files[0].mesh.skipped)
        s->files[0].mesh.skipped = mesh.skipped;
    snag_io_mesh_free(&s->frame_mesh);
    s->frame_mesh = mesh;
    return EXIT_CLEAN;
}

static int visit_file(scene *s, const visit *v, words *w)
{
    bool other = v->frame != s->reference;
    int result = other ? read_frame(s, v->frame, w) : EXIT_CLEAN;
    if (result != EXIT_CLEAN)
        return result;
    const snag_io_mesh *mesh = other ? &s->frame_mesh : &s->files[0].mesh;
    for (size_t i = 0; i < s->body_count; i++)
        s->bodies[i].now = snag_positions_f64(mesh->bodies[i].positions, mesh->bodies[i].vertex_count);
    if (s->may_change && !same_bodies(s, mesh)) {
        s->changed = true;  // a caller that allows it replaces them
        return EXIT_CLEAN;
    }
    for (size_t i = 0; i < s->body_count && result == EXIT_CLEAN; i++)
        result = v->take(v->context, &s->bodies[i], s->bodies[i].now, v->frame, s->frame_paths[v->frame]);
    return result;
}

// After the end of a truncated cache its body has no position, since its last frame is missing too.
size_t scene_first_missing(const scene *s, char *reason, size_t reason_size)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < s->cache_count; i++) {
        const scene_cache *cache = &s->caches[i];
        if (cache->held_count == cache->frame_count || cache->held_count >= first)
            continue;
        first = cache->held_count;
        snprintf(reason, reason_size, "%s is truncated: it has %zu complete frames of %zu", cache->path, first, cache->frame_count);
    }
    return first;
}

int scene_visit(scene *s, size_t frame, bool resting, scene_taker *take, void *context, words *w)
{
    visit v = {frame, take, context};
    if (s->frame_path_count)
        return visit_file(s, &v, w);
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < s->cache_count && result == EXIT_CLEAN; i++)
        result = visit_cache(s, i, &v, resting, w);
    for (size_t i = 0; i < s->file_count && result == EXIT_CLEAN; i++)
        result = visit_motion(s, i, &v, resting, w);
    return result;
}

typedef struct mover {
    snag_world *world;
    bool place;
    words *words;
} mover;

static int set_positions(void *context, const scene_body *body, snag_positions positions, size_t frame, const char *path)
{
    mover *m = context;
    snag_status status =
        m->place ? snag_world_teleport(m->world, body->id, positions) : snag_world_move(m->world, body->id, positions);
    if (status == SNAG_OK)
        return EXIT_CLEAN;
    m->words->no_memory = m->words->no_memory || status == SNAG_ERROR_MEMORY;
    return words_error(m->words, "%s: frame %zu: %s", path, frame, snag_world_message(m->world));
}

// Replaces all bodies of the world by those of the frame just read; if one cannot be added, nothing changes.
static int replace_bodies(scene *s, snag_world *world, size_t frame, words *w)
{
    bool is_first = frame == s->reference;
    const snag_io_mesh *mesh = is_first ? &s->files[0].mesh : &s->frame_mesh;
    snag_body_id *ids = calloc(s->body_count + 1, sizeof *ids);
    size_t added = 0;
    snag_status status = SNAG_OK;
    if (!ids)
        return words_out_of_memory(w);
    if (s->options->exclude_rest > 0) {
        free(ids);
        return words_error(w, "%s: its faces are others than in the first frame, so that --exclude-rest has no rest pose for them",
                           s->frame_paths[frame]);
    }
    for (; added < s->body_count && status == SNAG_OK; added += status == SNAG_OK) {
        scene_body body = s->bodies[added];
        body.source = &mesh->bodies[added];
        status = scene_add_body(world, &body, s->options, &ids[added]);
    }
    int result = EXIT_CLEAN;
    if (status != SNAG_OK) {
        w->no_memory = w->no_memory || status == SNAG_ERROR_MEMORY;
        result = words_error(w, "%s: %s", s->frame_paths[frame], snag_world_message(world));
        for (size_t i = 0; i < added; i++)
            snag_world_remove(world, ids[i]);
    }
    for (size_t i = 0; i < s->body_count && result == EXIT_CLEAN; i++) {
        snag_world_remove(world, s->bodies[i].id);
        s->bodies[i].source = &mesh->bodies[i];
        s->bodies[i].id = ids[i];
    }
    for (size_t i = 0; i < s->body_count && result == EXIT_CLEAN; i++)
        if (snag_world_body(world, s->bodies[i].id, &s->bodies[i].info) != SNAG_OK)
            result = words_error(w, "%s: %s", s->frame_paths[frame], snag_world_message(world));
    free(ids);
    if (result != EXIT_CLEAN)
        return result;
    // The sources now point into the frame's mesh, so keep it.
    snag_io_mesh_free(&s->changed_mesh);
    if (!is_first) {
        s->changed_mesh = s->frame_mesh;
        s->frame_mesh = (snag_io_mesh){0};
    }
    s->is_first = is_first;
    return EXIT_CLEAN;
}

int scene_go(scene *s, snag_world *world, size_t frame, bool place, words *w)
{
    mover m = {world, place, w};
    if (!place && snag_world_begin_step(world) != SNAG_OK)
        return words_error(w, "frame %zu: %s", frame, snag_world_message(world));
    s->changed = false;
    s->may_change = !s->options->strict;
    int result = scene_visit(s, frame, place, set_positions, &m, w);
    s->may_change = false;
    if (result == EXIT_CLEAN && s->changed)
        result = replace_bodies(s, world, frame, w);
    return result;
}
