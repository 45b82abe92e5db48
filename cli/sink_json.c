// --json: one object at the end; finished frames are kept as text, some hundred bytes each. --jsonl: a line for the scene, one for
// each frame with its contacts as soon as it is done, and one for the summary.
#define _POSIX_C_SOURCE 200809L
#include "json.h"

#include "common/system.h"
#include "sink.h"
#include "skipped.h"

#include <math.h>
#include <stdlib.h>

// Items of an array that is printed later.
typedef struct text_store {
    FILE *stream;  // writes to `text`
    char *text;
    size_t size;
    json j;
} text_store;

typedef struct json_sink {
    sink sink;
    FILE *out;
    const sink_scene *scene;
    size_t *degenerate;  // per body: the most in any frame
    text_store frames, skipped;
} json_sink;

// ---- parts ---------------------------------------------------------------------------------------------------------

// With --label: the groups of the two sides, where they have one.
static void put_labels(json *j, const char *a, const char *b)
{
    if (a)
        json_text(j, "label_a", a);
    if (b)
        json_text(j, "label_b", b);
}

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
        put_labels(j, contacts_label_a(list, line), contacts_label_b(list, line));
        json_text(j, "kind", snag_contact_kind_name(contact->kind));
        json_number(j, "distance", contact->value);
        json_point(j, "point_a", line->swapped ? contact->point_b : contact->point_a);
        json_point(j, "point_b", line->swapped ? contact->point_a : contact->point_b);
        json_close_object(j);
    }
    json_close_array(j);
}

static size_t count_intersections(const snag_answer *answer)
{
    size_t count = 0;
    if (answer->question == SNAG_INTERSECTIONS)
        return answer->count;
    for (size_t i = 0; i < answer->count; i++)
        count += contacts_is_intersection(answer->question, &answer->contacts[i]);
    return count;
}

// Bodies that lie wholly inside others.
static void put_nested(json *j, const sink_frame *frame)
{
    const contact_list *list = frame->contacts;
    json_array(j, "nested");
    for (size_t i = 0; i < frame->nested_count; i++) {
        const snag_nested *nested = &frame->nested[i];
        const contact_body *inner = &list->bodies[list->body_of_index[nested->inner.index]];
        const contact_body *outer = &list->bodies[list->body_of_index[nested->outer.index]];
        snag_element vertex = {.kind = SNAG_VERTEX, .index = nested->deepest};
        json_object(j, NULL);
        json_text(j, "inner", inner->name);
        json_text(j, "outer", outer->name);
        json_number(j, "gap", nested->gap);
        json_number(j, "depth", nested->depth);
        json_text(j, "deepest", contacts_element(contacts_number(inner, &vertex)).text);
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
    if (frame->places)
        json_count(j, "places", frame->places->count);
    if (about->question_count > 1 || answer->question == SNAG_INTERSECTIONS)
        json_count(j, "triangle_pairs", count_intersections(answer));
    if (answer->question == SNAG_IMPACTS)
        json_number(j, "earliest", answer->earliest);
    if (answer->question == SNAG_DISTANCE)
        put_closest(j, frame->contacts);
    if (about->part) {
        json_number(j, "ratio", answer->ratio);
        json_number(j, "ratio_low", answer->ratio_low);
        json_number(j, "ratio_high", answer->ratio_high);
    }
    if (frame->nested_count > 0)
        put_nested(j, frame);
    if (frame->file)
        json_text(j, "file", frame->file);
}

static void put_frames(json *j, size_t first, size_t last, size_t worst, size_t frames)
{
    json_count(j, "first", first);
    json_count(j, "last", last);
    json_count(j, "worst", worst);
    json_count(j, "frames", frames);
}

// What is measured of a place: only what its question has.
static void put_measures(json *j, snag_question question, double depth, double length, double value)
{
    if (!places_least_is_worst(question))
        json_number(j, "depth", depth);
    if (question == SNAG_INTERSECTIONS || question == SNAG_PENETRATIONS)
        json_number(j, "length", length);
    if (places_least_is_worst(question))
        json_number(j, question == SNAG_IMPACTS ? "t" : "distance", value);
}

static void put_place(json *j, const sink_scene *about, const place_book *book, const place_record *place)
{
    json_flat_object(j, NULL);
    json_count(j, "id", place->id);
    json_text(j, "body_a", about->bodies[place->body_a].name);
    json_text(j, "body_b", about->bodies[place->body_b].name);
    json_count(j, "contacts", place->contacts);
    put_frames(j, place->first, place->last, place->worst, place->frames);
    json_count(j, "most", place->most);
    put_measures(j, book->question, place->depth, place->length, place->value);
    json_number(j, "size", place->size);
    json_point(j, "centre", place->centre);
    json_text(j, "kind", snag_contact_kind_name(place->kind));
    json_text(j, "a", contacts_element(place->a).text);
    json_text(j, "b", contacts_element(place->b).text);
    json_text(j, "object_a", contacts_element(place->object_a).text);
    json_text(j, "object_b", contacts_element(place->object_b).text);
    put_labels(j, place->label_a, place->label_b);
    json_close_object(j);
}

// Places and pairs of bodies over all frames, the worst first.
static void put_book(json *j, const sink_scene *about, const place_book *book)
{
    if (!book)
        return;
    json_array(j, "pairs_of_bodies");
    for (size_t i = 0; i < book->pair_count; i++) {
        const pair_record *pair = &book->pairs[i];
        json_flat_object(j, NULL);
        json_text(j, "body_a", about->bodies[pair->body_a].name);
        json_text(j, "body_b", about->bodies[pair->body_b].name);
        json_count(j, "contacts", pair->contacts);
        if (!book->counts_only)
            json_count(j, "places", pair->places);
        put_frames(j, pair->first, pair->last, pair->worst, pair->frames);
        if (!book->counts_only || book->question != SNAG_INTERSECTIONS)
            put_measures(j, book->question, pair->depth, pair->length, pair->value);
        json_close_object(j);
    }
    json_close_array(j);
    if (book->counts_only)
        return;
    json_array(j, "places");
    for (size_t i = 0; i < book->count; i++)
        put_place(j, about, book, &book->places[i]);
    json_close_array(j);
}

static void put_body(json *j, const sink_body *body, size_t degenerate)
{
    json_flat_object(j, NULL);
    json_text(j, "name", body->name);
    json_count(j, "vertices", body->info.vertex_count);
    json_count(j, "triangles", body->info.triangle_count);
    json_count(j, "tets", body->info.tet_count);
    if (body->info.rod_count || body->info.point_count) {
        json_count(j, "rods", body->info.rod_count);
        json_count(j, "points", body->info.point_count);
    }
    json_count(j, "degenerate", degenerate);
    if (body->file)
        json_text(j, "file", body->file);
    if (body->cache)
        json_text(j, "cache", body->cache);
    json_close_object(j);
}

// Before the first answer there is no reason to print.
static void put_question(json *j, const sink_scene *about, snag_method method, const char *reason)
{
    json_text(j, "snag", snag_version());
    json_text(j, "question", snag_question_name(about->question->question));
    json_text(j, "method", snag_method_name(method));
    if (reason)
        json_text(j, "reason", reason);
    json_count(j, "threads", snag_world_threads(about->world));
    json_flat_array(j, "questions");
    for (size_t i = 0; i < about->question_count; i++)
        json_text(j, NULL, snag_question_name(about->questions[i]));
    json_close_array(j);
    json_flat_array(j, "not_searched");
    for (size_t i = 0; i < about->left_out_count; i++)
        json_text(j, NULL, about->left_out[i].name);
    json_close_array(j);
    if (about->question->question == SNAG_PENETRATIONS)
        json_bool(j, "edges", about->question->edges);
    if (about->question->question == SNAG_PROXIMITIES)
        json_number(j, "distance", about->question->distance);
    if (about->question->question == SNAG_IMPACTS) {
        json_number(j, "tolerance", about->question->tolerance);
        json_number(j, "separation", about->question->separation);
    }
}

static void put_totals(json *j, const sink_scene *about, const sink_summary *summary)
{
    skipped_json(j, about->inputs);
    put_book(j, about, summary->book);
    if (summary->ignored)
        json_count(j, "ignored", summary->ignored);
    if (summary->limited)
        json_bool(j, "exceeded", summary->exceeded);
    json_count(j, "contacts_total", summary->contacts);
    json_bool(j, "complete", summary->complete && !about->part);
}

static void put_skipped(json *j, frame_range frames, const char *reason)
{
    json_flat_object(j, NULL);
    json_count(j, "frame", frames.first);
    if (frames.last > frames.first)
        json_count(j, "last", frames.last);
    json_text(j, "reason", reason);
    json_close_object(j);
}

// ---- the sink ------------------------------------------------------------------------------------------------------

static bool open_store(text_store *store)
{
    store->stream = sys_memory_stream(&store->text, &store->size);
    if (store->stream)
        json_begin(&store->j, store->stream);
    store->j.depth = 2;  // within the object and its array
    return store->stream != NULL;
}

static bool close_store(text_store *store)
{
    FILE *stream = store->stream;
    store->stream = NULL;
    return !stream || sys_memory_close(stream) == 0;
}

static void put_store(json *j, const char *key, const text_store *store)
{
    json_array(j, key);
    fwrite(store->text, 1, store->size, j->out);
    j->has_items = store->size > 0;
    json_close_array(j);
}

static int begin(sink *s, const sink_scene *about)
{
    json_sink *made = (json_sink *)s;
    made->scene = about;
    made->degenerate = calloc(about->body_count + 1, sizeof *made->degenerate);
    if (!made->degenerate || !open_store(&made->frames) || !open_store(&made->skipped))
        return words_out_of_memory(s->w);
    return EXIT_CLEAN;
}

static int keep_frame(sink *s, const sink_frame *frame)
{
    json_sink *made = (json_sink *)s;
    json *j = &made->frames.j;
    for (size_t i = 0; i < made->scene->body_count; i++)
        if (frame->degenerate[i] > made->degenerate[i])
            made->degenerate[i] = frame->degenerate[i];
    json_flat_object(j, NULL);
    put_frame(j, made->scene, frame);
    json_close_object(j);
    return ferror(made->frames.stream) ? words_out_of_memory(s->w) : EXIT_CLEAN;
}

static int keep_skipped(sink *s, frame_range frames, const char *reason)
{
    text_store *store = &((json_sink *)s)->skipped;
    put_skipped(&store->j, frames, reason);
    return ferror(store->stream) ? words_out_of_memory(s->w) : EXIT_CLEAN;
}

static int print(sink *s, const sink_summary *summary)
{
    json_sink *made = (json_sink *)s;
    const sink_scene *about = made->scene;
    if (!close_store(&made->frames) || !close_store(&made->skipped))
        return words_out_of_memory(s->w);
    json j;
    json_begin(&j, made->out);
    json_object(&j, NULL);
    put_question(&j, about, summary->method, summary->reason);
    json_array(&j, "bodies");
    for (size_t i = 0; i < about->body_count; i++)
        put_body(&j, &about->bodies[i], made->degenerate[i]);
    json_close_array(&j);
    put_store(&j, "frames", &made->frames);
    if (made->skipped.size)
        put_store(&j, "skipped", &made->skipped);
    put_totals(&j, about, summary);
    json_close_object(&j);
    json_end(&j);
    return EXIT_CLEAN;
}

static void free_sink(sink *s)
{
    json_sink *made = (json_sink *)s;
    close_store(&made->frames);
    close_store(&made->skipped);
    free(made->frames.text);
    free(made->skipped.text);
    free(made->degenerate);
    free(made);
}

int sink_json_make_to(FILE *out, const options *o, words *w, sink **made)
{
    static const sink_type type = {.begin = begin, .frame = keep_frame, .skip = keep_skipped, .end = print, .free = free_sink};
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

// ---- --jsonl -------------------------------------------------------------------------------------------------------

typedef struct lines_sink {
    sink sink;
    const sink_scene *scene;
} lines_sink;

// Flush each line at once.
static void end_line(json *j)
{
    json_close_object(j);
    json_end(j);
    fflush(j->out);
}

static void begin_line(json *j)
{
    json_begin(j, stdout);
    json_flat_object(j, NULL);
}

static int print_scene(sink *s, const sink_scene *about)
{
    json j;
    ((lines_sink *)s)->scene = about;
    begin_line(&j);
    put_question(&j, about, about->question->method, NULL);
    json_array(&j, "bodies");
    for (size_t i = 0; i < about->body_count; i++)
        put_body(&j, &about->bodies[i], 0);
    json_close_array(&j);
    end_line(&j);
    return EXIT_CLEAN;
}

static void put_pair(json *j, const contact_list *list, const contact_line *line)
{
    double point[3];
    contacts_point(list, line, point);
    json_flat_object(j, NULL);
    json_text(j, "body_a", list->bodies[line->body_a].name);
    json_text(j, "a", contacts_element(line->a).text);
    json_text(j, "body_b", list->bodies[line->body_b].name);
    json_text(j, "b", contacts_element(line->b).text);
    json_text(j, "object_a", contacts_element(line->object_a).text);
    json_text(j, "object_b", contacts_element(line->object_b).text);
    put_labels(j, contacts_label_a(list, line), contacts_label_b(list, line));
    json_text(j, "kind", snag_contact_kind_name(line->contact->kind));
    if (line->place)
        json_count(j, "place", line->place);
    json_number(j, "value", line->contact->value);
    json_number(j, "t", line->contact->t);
    json_point(j, "point", point);
    json_close_object(j);
}

static int print_line(sink *s, const sink_frame *frame)
{
    json j;
    begin_line(&j);
    put_frame(&j, ((lines_sink *)s)->scene, frame);
    json_array(&j, "pairs");
    for (size_t i = 0; i < frame->contacts->count; i++)
        put_pair(&j, frame->contacts, &frame->contacts->lines[i]);
    json_close_array(&j);
    end_line(&j);
    // The reader may have closed the pipe; then stop.
    return ferror(stdout) ? words_error(s->w, "cannot write the result to standard output") : EXIT_CLEAN;
}

static int print_skipped(sink *s, frame_range frames, const char *reason)
{
    json j;
    (void)s;
    json_begin(&j, stdout);
    put_skipped(&j, frames, reason);
    json_end(&j);
    return EXIT_CLEAN;
}

static int print_last(sink *s, const sink_summary *summary)
{
    json j;
    begin_line(&j);
    json_text(&j, "method", snag_method_name(summary->method));
    json_text(&j, "reason", summary->reason);
    put_totals(&j, ((lines_sink *)s)->scene, summary);
    end_line(&j);
    return EXIT_CLEAN;
}

static void free_lines(sink *s)
{
    free(s);
}

int sink_jsonl_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {
        .begin = print_scene, .frame = print_line, .skip = print_skipped, .end = print_last, .free = free_lines};
    (void)path;
    lines_sink *lines = calloc(1, sizeof *lines);
    if (!lines)
        return words_out_of_memory(w);
    lines->sink = (sink){&type, o, w};
    *made = &lines->sink;
    return EXIT_CLEAN;
}
