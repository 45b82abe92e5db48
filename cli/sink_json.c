// --json: one object at the end. Frames are kept as the text they will be, some hundred bytes each.
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "sink.h"

#include <math.h>
#include <stdlib.h>

typedef struct json_sink {
    sink sink;
    FILE *out;
    const sink_scene *scene;
    size_t *degenerate;  // per body: the most in any frame
    FILE *frames;  // writes to `text`
    char *text;
    size_t size;
    json j;  // of the frames
} json_sink;

// ---- parts ---------------------------------------------------------------------------------------------------------

static void put_closest(json *j, const contact_list *list)
{
    double smallest = INFINITY;
    for (size_t i = 0; i < list->count; i++)
        smallest = fmin(smallest, list->lines[i].contact->value);
    json_number(j, "distance", smallest);
    json_array(j, "closest");
    for (size_t i = 0; i < list->count; i++) {
        const contact_line *line = &list->lines[i];
        const snag_contact *contact = line->contact;
        json_object(j, NULL);
        json_text(j, "body_a", list->bodies[line->body_a].name);
        json_text(j, "a", contacts_element(line->a).text);
        json_text(j, "body_b", list->bodies[line->body_b].name);
        json_text(j, "b", contacts_element(line->b).text);
        json_text(j, "kind", snag_contact_kind_name(contact->kind));
        json_number(j, "distance", contact->value);
        json_point(j, "point_a", line->swapped ? contact->point_b : contact->point_a);
        json_point(j, "point_b", line->swapped ? contact->point_a : contact->point_b);
        json_close_object(j);
    }
    json_close_array(j);
}

// The keys of a frame, within an object.
static void put_frame(json *j, const sink_scene *about, const sink_frame *frame)
{
    const snag_answer *answer = frame->answer;
    json_count(j, "frame", frame->frame);
    json_count(j, "contacts", frame->contacts->count);
    json_ms(j, "ms", frame->ms);
    json_count(j, "self", frame->contacts->self);
    json_count(j, "between", frame->contacts->between);
    json_count(j, "degenerate", answer->degenerate);
    if (answer->question == SNAG_INTERSECTIONS)
        json_count(j, "triangle_pairs", answer->contact_count);
    if (answer->question == SNAG_IMPACTS)
        json_number(j, "earliest", answer->earliest);
    if (answer->question == SNAG_DISTANCE)
        put_closest(j, frame->contacts);
    if (about->part) {
        json_number(j, "ratio", answer->ratio);
        json_number(j, "ratio_low", answer->ratio_low);
        json_number(j, "ratio_high", answer->ratio_high);
    }
    if (frame->file)
        json_text(j, "file", frame->file);
}

static void put_body(json *j, const sink_body *body, size_t degenerate)
{
    json_flat_object(j, NULL);
    json_text(j, "name", body->name);
    json_count(j, "vertices", body->info.vertex_count);
    json_count(j, "triangles", body->info.triangle_count);
    json_count(j, "tets", body->info.tet_count);
    json_count(j, "degenerate", degenerate);
    json_text(j, "file", body->file);
    if (body->cache)
        json_text(j, "cache", body->cache);
    json_close_object(j);
}

static void put_question(json *j, const sink_scene *about, snag_method method)
{
    json_text(j, "snag", snag_version());
    json_text(j, "question", snag_question_name(about->question->question));
    json_text(j, "method", snag_method_name(method));
    json_count(j, "threads", snag_world_threads(about->world));
    if (about->question->question == SNAG_PROXIMITIES)
        json_number(j, "distance", about->question->distance);
    if (about->question->question == SNAG_IMPACTS) {
        json_number(j, "tolerance", about->question->tolerance);
        json_number(j, "separation", about->question->separation);
    }
}

static void put_totals(json *j, const sink_scene *about, const sink_summary *summary)
{
    json_count(j, "contacts_total", summary->contacts);
    json_bool(j, "complete", summary->complete && !about->part);
}

// ---- the sink ------------------------------------------------------------------------------------------------------

static int begin(sink *s, const sink_scene *about)
{
    json_sink *made = (json_sink *)s;
    made->scene = about;
    made->degenerate = calloc(about->body_count + 1, sizeof *made->degenerate);
    made->frames = open_memstream(&made->text, &made->size);
    if (!made->degenerate || !made->frames)
        return words_out_of_memory(s->w);
    json_begin(&made->j, made->frames);
    made->j.depth = 2;  // where the array of frames stands
    return EXIT_CLEAN;
}

static int keep_frame(sink *s, const sink_frame *frame)
{
    json_sink *made = (json_sink *)s;
    for (size_t i = 0; i < made->scene->body_count; i++)
        if (frame->degenerate[i] > made->degenerate[i])
            made->degenerate[i] = frame->degenerate[i];
    json_flat_object(&made->j, NULL);
    put_frame(&made->j, made->scene, frame);
    json_close_object(&made->j);
    return ferror(made->frames) ? words_out_of_memory(s->w) : EXIT_CLEAN;
}

static int print(sink *s, const sink_summary *summary)
{
    json_sink *made = (json_sink *)s;
    const sink_scene *about = made->scene;
    FILE *frames = made->frames;
    made->frames = NULL;
    if (fclose(frames) != 0)
        return words_out_of_memory(s->w);
    json j;
    json_begin(&j, made->out);
    json_object(&j, NULL);
    put_question(&j, about, summary->method);
    json_array(&j, "bodies");
    for (size_t i = 0; i < about->body_count; i++)
        put_body(&j, &about->bodies[i], made->degenerate[i]);
    json_close_array(&j);
    json_array(&j, "frames");
    fwrite(made->text, 1, made->size, made->out);
    j.has_items = made->size > 0;
    json_close_array(&j);
    put_totals(&j, about, summary);
    json_close_object(&j);
    json_end(&j);
    return EXIT_CLEAN;
}

static void free_sink(sink *s)
{
    json_sink *made = (json_sink *)s;
    if (made->frames)
        fclose(made->frames);
    free(made->text);
    free(made->degenerate);
    free(made);
}

int sink_json_make_to(FILE *out, const options *o, words *w, sink **made)
{
    static const sink_type type = {.begin = begin, .frame = keep_frame, .end = print, .free = free_sink};
    json_sink *j = calloc(1, sizeof *j);
    if (!j)
        return words_out_of_memory(w);
    j->sink = (sink){&type, o, w};
    j->out = out;
    *made = &j->sink;
    return EXIT_CLEAN;
}

int sink_json_make(const options *o, const char *path, words *w, sink **made)
{
    (void)path;
    return sink_json_make_to(stdout, o, w, made);
}
