#include "report_after.h"

#include "common/coordinate.h"

#include <stdlib.h>
#include <string.h>

typedef struct slot {
    uint32_t number, body, local;
} slot;

struct report_after {
    options o;  // those of the report, with other inputs
    words *w;
    const sink_scene *about;
    scene scene;
    snag_world *world;  // with the faces of the report's bodies
    snag_body_id *ids;
    contact_list list;
    slot *before, *now;  // vertices of the report's scene and of this one, by number
    size_t vertex_count;
    double **positions;  // of each body of the report
    size_t left;
};

static int compare_slots(const void *a, const void *b)
{
    const slot *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->body != y->body ? (x->body < y->body ? -1 : 1) : (x->local > y->local) - (x->local < y->local);
}

// Vertices of several files follow each other, file by file.
static slot *list_slots(const scene *s, size_t *count)
{
    size_t at = 0, all = 0;
    for (size_t b = 0; b < s->body_count; b++)
        all += s->bodies[b].source->vertex_count;
    slot *slots = malloc((all + 1) * sizeof *slots);
    for (size_t b = 0; b < s->body_count && slots; b++) {
        const uint32_t *numbers = s->bodies[b].source->vertex_numbers;
        for (size_t v = 0; v < s->bodies[b].source->vertex_count; v++, at++)
            slots[at] = (slot){s->file_count > 1 ? (uint32_t)at : numbers ? numbers[v] : (uint32_t)v, (uint32_t)b, (uint32_t)v};
    }
    if (slots)
        qsort(slots, all, sizeof *slots, compare_slots);
    *count = all;
    return slots;
}

static int match_vertices(report_after *a)
{
    size_t count = 0;
    a->before = list_slots(a->about->inputs, &a->vertex_count);
    a->now = list_slots(&a->scene, &count);
    if (!a->before || !a->now)
        return words_out_of_memory(a->w);
    if (count != a->vertex_count)
        return words_error(a->w, "--after: %s has %zu vertices, the input has %zu; give what `snag fix` wrote for it",
                           a->o.inputs.items[0], count, a->vertex_count);
    return EXIT_CLEAN;
}

static int make_world(report_after *a)
{
    const sink_scene *about = a->about;
    int result = scene_create_world(&a->o, &a->world, a->w);
    a->ids = calloc(about->body_count + 1, sizeof *a->ids);
    a->positions = calloc(about->body_count + 1, sizeof *a->positions);
    if (!a->ids || !a->positions || !contacts_begin(&a->list, about->body_count))
        return words_out_of_memory(a->w);
    for (size_t b = 0; b < about->body_count && result == EXIT_CLEAN; b++) {
        const snag_body_info *info = &about->bodies[b].info;
        a->positions[b] = calloc(3 * info->vertex_count + 1, sizeof(double));
        if (!a->positions[b])
            return words_out_of_memory(a->w);
        snag_body_def def = snag_default_body_def();
        def.name = about->bodies[b].name;
        def.positions = snag_positions_f64(a->positions[b], info->vertex_count);
        def.triangles = info->triangles;
        def.triangle_count = info->triangle_count;
        if (snag_world_add(a->world, &def, &a->ids[b]) != SNAG_OK)
            result = words_error(a->w, "%s", snag_world_message(a->world));
    }
    return result;
}

int report_after_open(const options *o, const sink_scene *about, words *w, report_after **made)
{
    report_after *a = calloc(1, sizeof *a);
    if (!a)
        return words_out_of_memory(w);
    *made = a;
    a->w = w;
    a->about = about;
    a->o = *o;
    a->o.inputs = o->after;
    a->o.caches = (text_list){0};
    a->o.sequence = o->after_sequence;
    if (about->questions[0] != SNAG_INTERSECTIONS || !about->inputs)
        return words_error(w, "--after shows what became of intersections; leave out --question");
    int result = scene_open(&a->o, false, w, &a->scene);
    if (result == EXIT_CLEAN)
        result = match_vertices(a);
    return result == EXIT_CLEAN ? make_world(a) : result;
}

static int take_nothing(void *context, const scene_body *body, snag_positions positions, size_t frame, const char *path)
{
    (void)context, (void)body, (void)positions, (void)frame, (void)path;
    return EXIT_CLEAN;  // scene_body.now has them
}

static int read_frame(report_after *a, size_t frame)
{
    size_t index = frame - a->about->frames.first;
    int result =
        scene_visit(&a->scene, index < a->scene.frame_count ? index : a->scene.frame_count - 1, true, take_nothing, NULL, a->w);
    for (size_t i = 0; i < a->vertex_count && result == EXIT_CLEAN; i++)
        for (size_t k = 0; k < 3; k++)
            a->positions[a->before[i].body][3 * (size_t)a->before[i].local + k] =
                coordinate_at(a->scene.bodies[a->now[i].body].now, a->now[i].local, (int)k);
    return result;
}

static int find_contacts(report_after *a, const contact_list *numbering)
{
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *answer;
    for (size_t b = 0; b < a->about->body_count; b++) {
        size_t count = a->about->bodies[b].info.vertex_count;
        if (snag_world_teleport(a->world, a->ids[b], snag_positions_f64(a->positions[b], count)) != SNAG_OK)
            return words_error(a->w, "%s", snag_world_message(a->world));
        a->list.bodies[b] = numbering->bodies[b];
        a->list.bodies[b].id = a->ids[b];
    }
    if (snag_world_ask(a->world, &ask, &answer) != SNAG_OK)
        return words_error(a->w, "%s", snag_world_message(a->world));
    a->left += answer->count;
    return contacts_fill(&a->list, answer) ? EXIT_CLEAN : words_out_of_memory(a->w);
}

int report_after_frame(report_after *a, const sink_frame *frame, report_block *block, report_track *tracks, uint32_t *scratch,
                       report_range *range)
{
    int result = read_frame(a, frame->frame);
    if (result == EXIT_CLEAN)
        result = find_contacts(a, frame->contacts);
    for (size_t b = 0; b < a->about->body_count && result == EXIT_CLEAN; b++) {
        size_t count = tracks[b].vertex_count;
        report_track kept = tracks[b];
        uint32_t *steps = malloc((3 * count + 1) * sizeof *steps);
        if (!steps)
            return words_out_of_memory(a->w);
        memcpy(steps, tracks[b].steps, 3 * count * sizeof *steps);
        report_positions(block, &tracks[b], snag_positions_f64(a->positions[b], count), false, scratch, range);
        tracks[b] = kept;
        memcpy(tracks[b].steps, steps, 3 * count * sizeof *steps);
        free(steps);
    }
    if (result == EXIT_CLEAN && !report_contacts(block, &a->list, range))
        result = words_out_of_memory(a->w);
    return result;
}

size_t report_after_left(const report_after *a)
{
    return a->left;
}

void report_after_free(report_after *a)
{
    if (!a)
        return;
    for (size_t b = 0; a->positions && b < a->about->body_count; b++)
        free(a->positions[b]);
    free(a->positions);
    free(a->ids);
    free(a->before);
    free(a->now);
    contacts_free(&a->list);
    snag_world_destroy(a->world);
    scene_close(&a->scene);
    free(a);
}
