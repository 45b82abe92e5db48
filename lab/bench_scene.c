// Scenes for `snag bench surfaces`.
#define _POSIX_C_SOURCE 200809L
#include "bench_scene.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/scene.h"
#include "common/coordinate.h"

// Default sizes of the built-in scenes; two, to show growth.
static const size_t sizes[] = {10000, 100000};
enum { SIZES = sizeof sizes / sizeof *sizes };

// Measures at most this many frames of a sequence, so that all fit into memory.
#define MOST_FRAMES 24

// ---- names ---------------------------------------------------------------------------------------------------------

static int no_such_scene(const char *text, words *w)
{
    const char *kinds[8];
    size_t count = 0;
    while (count < 8 && surface_scene_kind(count)) {
        kinds[count] = surface_scene_kind(count);
        count++;
    }
    const char *nearest = words_nearest(text, kinds, count);
    char advice[64] = "";
    if (nearest)
        snprintf(advice, sizeof advice, "; did you mean %s?", nearest);
    return words_error(w,
                       "no scene or file \"%s\"%s (built-in scenes: sphere, pair, sheet, cloth-ball and cloth-twist, optionally "
                       "with a size, such as sheet-100k or sphere-1M; or give a mesh file, a sequence or a folder)",
                       text, advice);
}

static bool add_scene(bench_scene *scenes, size_t *count, size_t kind, size_t triangle_count)
{
    for (size_t i = 0; i < (triangle_count > 0 ? 1 : SIZES); i++) {
        if (*count == BENCH_SCENES)
            return false;
        scenes[(*count)++] = (bench_scene){kind, triangle_count > 0 ? triangle_count : sizes[i]};
    }
    return true;
}

// Lists the names between commas.
static int list_names(const char *names, words *w, bench_scene *scenes, size_t *count)
{
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        char name[64];
        size_t triangle_count, length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        size_t kind = length < sizeof name ? surface_scene_parse(name, &triangle_count) : SIZE_MAX;
        if (kind == SIZE_MAX)
            return no_such_scene(name, w);
        if (!add_scene(scenes, count, kind, triangle_count))
            return words_error(w, "more than %d scenes; give fewer", BENCH_SCENES);
    }
    return EXIT_CLEAN;
}

static bool is_path(const char *text)
{
    return access(text, F_OK) == 0;
}

int bench_scene_list(const options *o, words *w, bench_scene scenes[BENCH_SCENES], size_t *count)
{
    *count = 0;
    if (o->bench_scene && o->inputs.count > 1)
        return words_error(w, "give either --scene or \"%s\", not both", o->inputs.items[1]);
    if (o->inputs.count > 1 || (o->bench_scene && is_path(o->bench_scene))) {
        scenes[(*count)++] = (bench_scene){SIZE_MAX, 0};
        return EXIT_CLEAN;
    }
    if (o->bench_scene)
        return list_names(o->bench_scene, w, scenes, count);
    for (size_t size = 0; size < SIZES; size++)
        for (size_t kind = 0; surface_scene_kind(kind); kind++)
            add_scene(scenes, count, kind, sizes[size]);
    return EXIT_CLEAN;
}

// ---- from files ----------------------------------------------------------------------------------------------------

typedef struct filling {
    const scene *from;
    surface_scene *to;
    double (*pose)[3];
} filling;

static int fill_pose(void *context, const scene_body *body, snag_positions positions, size_t frame, const char *path)
{
    (void)frame;
    (void)path;
    filling *f = context;
    double(*x)[3] = f->pose + f->to->bodies[body - f->from->bodies].first_vertex;
    for (size_t i = 0; i < positions.count; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] = coordinate_at(positions, i, k);
    return EXIT_CLEAN;
}

// Uses the world's triangles: polygons are split, soups welded, and volumes replaced by their boundary.
static int add_bodies(const options *o, scene *s, surface_scene *made, words *w)
{
    snag_world *world = NULL;
    int result = scene_create_world(o, &world, w);
    if (result == EXIT_CLEAN)
        result = scene_add(s, o, world, w);
    for (size_t i = 0; i < s->body_count && result == EXIT_CLEAN; i++) {
        const scene_body *body = &s->bodies[i];
        if (surface_scene_add_body(made, body->source->positions, body->source->vertex_count, body->info.triangles,
                                   body->info.triangle_count) != SNAG_OK)
            result = words_out_of_memory(w);
    }
    snag_world_destroy(world);
    return result;
}

// Chooses the frames: those of --frames, or the last ones, which have the most contacts.
static int choose_frames(const options *o, const scene *s, words *w, size_t *first, size_t *last)
{
    *first = o->frames.first;
    *last = o->frames.last < s->frame_count ? o->frames.last : s->frame_count - 1;
    if (*first >= s->frame_count)
        return words_error(w, "--frames: there is no frame %zu; the scene has frames 0 to %zu", *first, s->frame_count - 1);
    if (*last - *first >= MOST_FRAMES) {
        *first = *last + 1 - MOST_FRAMES;
        words_note(w, "%zu frames are too many; measuring frames %zu to %zu (choose others with --frames A:B)", s->frame_count,
                   *first, *last);
    }
    return EXIT_CLEAN;
}

static int add_poses(scene *s, size_t first, size_t last, surface_scene *made, words *w)
{
    int result = EXIT_CLEAN;
    for (size_t frame = first; frame <= last && result == EXIT_CLEAN; frame++) {
        filling f = {s, made, frame == first ? made->poses[0] : surface_scene_add_pose(made)};
        result = f.pose ? scene_visit(s, frame, true, fill_pose, &f, w) : words_out_of_memory(w);
    }
    return result;
}

// The inputs as other verbs see them: without the benchmark's name, or the path of --scene.
static options inputs_of(const options *o)
{
    options inputs = *o;
    inputs.inputs.items = o->bench_scene ? (const char **)&o->bench_scene : o->inputs.items + 1;
    inputs.inputs.count = o->bench_scene ? 1 : o->inputs.count - 1;
    return inputs;
}

static int open_files(const options *o, words *w, surface_scene *made)
{
    options inputs = inputs_of(o);
    scene s;
    size_t first, last;
    int result = scene_open(&inputs, false, w, &s);
    if (result == EXIT_CLEAN)
        result = add_bodies(&inputs, &s, made, w);
    if (result == EXIT_CLEAN && made->triangle_count == 0)
        result = words_error(w, "%s: no triangles to measure", inputs.inputs.items[0]);
    if (result == EXIT_CLEAN)
        result = choose_frames(o, &s, w, &first, &last);
    if (result == EXIT_CLEAN)
        result = add_poses(&s, first, last, made, w);
    if (result == EXIT_CLEAN && surface_scene_finish(made, scene_base_name(inputs.inputs.items[0])) != SNAG_OK)
        result = words_out_of_memory(w);
    scene_close(&s);
    return result;
}

int bench_scene_open(const options *o, const bench_scene *chosen, words *w, surface_scene *made)
{
    memset(made, 0, sizeof *made);
    if (chosen->kind == SIZE_MAX) {
        int result = open_files(o, w, made);
        if (result != EXIT_CLEAN)
            surface_scene_free(made);
        return result;
    }
    const char *kind = surface_scene_kind(chosen->kind);
    snag_status status = surface_scene_make(kind, chosen->triangle_count, made);
    if (status != SNAG_OK)
        return words_error(w, "cannot create scene %s: %s", kind, snag_status_name(status));
    return EXIT_CLEAN;
}
