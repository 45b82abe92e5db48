// --report: one HTML file with a view of the scene, its frames and its contacts, which opens in any browser without a server or a
// network. The page is built from web/ together with the tool; here the scene is inserted between its two halves, frame by
// frame, as blocks of text. docs/design/report-format.md describes the format.
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "page.h"

#include "common/system.h"
#include "report_after.h"
#include "report_frame.h"
#include "sink.h"

#include <stdlib.h>
#include <string.h>

#if SNAG_REPORT

// Items of an array that is printed later.
typedef struct text_items {
    json j;
    FILE *stream;
    char *text;
    size_t size;
} text_items;

typedef struct report_sink {
    sink sink;
    const sink_scene *scene;
    snag_io_file *file;
    report_block block;
    report_track *tracks;  // of each body
    uint32_t *scratch;  // large enough for the largest column of a body
    report_range range;
    size_t frame_count;
    json frames;  // the frame numbers, an array
    text_items tally;  // for each frame how many contacts of each kind each place has
    FILE *frames_stream;
    char *frames_text;
    size_t frames_size;
    report_after *after;  // --after: the scene that was fixed; NULL: none
    sink *about;  // the --json sink, so that page and JSON agree
    FILE *about_stream;
    char *about_text;
    size_t about_size;
} report_sink;

// ---- blocks --------------------------------------------------------------------------------------------------------

// A block is a script element of a type that browsers do not run.
static int put_block(report_sink *r, const char *name)
{
    static const char close[] = "</script>\n";
    char open[100];
    snprintf(open, sizeof open, "<script type=\"application/x-snag\" data-block=\"%s\">", name);
    snag_io_error error;
    if (snag_io_file_write(r->file, open, strlen(open), &error) != SNAG_OK || block_write(&r->block, r->file, &error) != SNAG_OK ||
        snag_io_file_write(r->file, close, sizeof close - 1, &error) != SNAG_OK)
        return words_error(r->sink.w, "%s", error.message);
    block_clear(&r->block);
    return EXIT_CLEAN;
}

static int put_text_block(report_sink *r, const char *name, const char *text, size_t size)
{
    block_text(&r->block, text, size);
    return put_block(r, name);
}

// ---- the mesh ------------------------------------------------------------------------------------------------------

// Replaces each number by its difference from the one `stride` before it.
static void put_differences(report_sink *r, const uint32_t *values, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++)
        r->scratch[i] = values[i] - (i >= stride ? values[i - stride] : 0);
    block_column32(&r->block, r->scratch, count);
}

// The numbers of all elements of a kind in the user's file.
static void put_numbers(report_sink *r, const contact_body *body, snag_element_kind kind, size_t count)
{
    uint32_t before = 0;
    for (size_t i = 0; i < count; i++) {
        snag_element element = {.kind = kind, .index = (uint32_t)i};
        uint32_t number = contacts_number(body, &element).number[0];
        r->scratch[i] = number - before;
        before = number;
    }
    block_column32(&r->block, r->scratch, count);
}

// The two vertices of each rod.
static void put_rods(report_sink *r, const snag_body_info *info)
{
    uint32_t before[2] = {0, 0};
    for (size_t i = 0; i < 2 * info->rod_count; i++) {
        uint32_t vertex = info->edges[2 * (size_t)info->rods[i / 2] + i % 2];
        r->scratch[i] = vertex - before[i % 2];
        before[i % 2] = vertex;
    }
    block_column32(&r->block, r->scratch, 2 * info->rod_count);
}

static void put_body(report_sink *r, const contact_body *body, const snag_body_info *info)
{
    block_u32(&r->block, (uint32_t)info->vertex_count);
    block_u32(&r->block, (uint32_t)info->triangle_count);
    block_u32(&r->block, (uint32_t)info->tet_count);
    block_u32(&r->block, (uint32_t)info->rod_count);
    block_u32(&r->block, (uint32_t)info->point_count);
    block_f64(&r->block, info->radius);
    put_differences(r, info->triangles, 3 * info->triangle_count, 3);
    put_differences(r, info->tets, 4 * info->tet_count, 4);
    put_rods(r, info);
    put_differences(r, info->points, info->point_count, 1);
    put_numbers(r, body, SNAG_VERTEX, info->vertex_count);
    put_numbers(r, body, SNAG_TRIANGLE, info->triangle_count);
    put_numbers(r, body, SNAG_TET, info->tet_count);
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool make_tracks(report_sink *r)
{
    size_t most = 0;
    r->tracks = calloc(r->scene->body_count + 1, sizeof *r->tracks);
    for (size_t i = 0; r->tracks && i < r->scene->body_count; i++) {
        const snag_body_info *info = &r->scene->bodies[i].info;
        most = largest(most, largest(3 * info->vertex_count, largest(3 * info->triangle_count, 4 * info->tet_count)));
        most = largest(most, 2 * info->rod_count);
        r->tracks[i].vertex_count = info->vertex_count;
        r->tracks[i].steps = calloc(3 * info->vertex_count + 1, sizeof *r->tracks[i].steps);
        if (!r->tracks[i].steps)
            return false;
    }
    r->scratch = malloc((most + 1) * sizeof *r->scratch);
    return r->tracks && r->scratch;
}

// ---- the sink ------------------------------------------------------------------------------------------------------

static int begin(sink *s, const sink_scene *about)
{
    report_sink *r = (report_sink *)s;
    snag_io_error error;
    r->scene = about;
    r->range = report_empty_range();
    if (!make_tracks(r))
        return words_out_of_memory(s->w);
    if (page_write(PAGE_TOP, r->file, &error) != SNAG_OK)
        return words_error(s->w, "%s", error.message);
    json_begin(&r->frames, r->frames_stream);
    json_flat_array(&r->frames, NULL);
    json_begin(&r->tally.j, r->tally.stream);
    json_flat_array(&r->tally.j, NULL);
    int result = s->o->after.count ? report_after_open(s->o, about, s->w, &r->after) : EXIT_CLEAN;
    return result == EXIT_CLEAN ? r->about->type->begin(r->about, about) : result;
}

// The numbering of elements is known with the first contacts.
static int put_mesh(report_sink *r, const contact_list *list)
{
    for (size_t i = 0; i < r->scene->body_count; i++)
        put_body(r, &list->bodies[i], &r->scene->bodies[i].info);
    return put_block(r, "mesh");
}

static int by_place_and_kind(const void *a, const void *b)
{
    const contact_line *x = *(const contact_line *const *)a, *y = *(const contact_line *const *)b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->contact->kind > y->contact->kind) - (x->contact->kind < y->contact->kind);
}

// place, kind, count, place, ...: so that the page can filter its timeline without reading all frames. False: out of memory.
static bool tally(report_sink *r, const contact_list *list)
{
    const contact_line **lines = malloc((list->count + 1) * sizeof *lines);
    json *j = &r->tally.j;
    for (size_t i = 0; lines && i < list->count; i++)
        lines[i] = &list->lines[i];
    if (lines)
        qsort(lines, list->count, sizeof *lines, by_place_and_kind);
    json_flat_array(j, NULL);
    for (size_t i = 0, next; lines && i < list->count; i = next) {
        for (next = i + 1; next < list->count && by_place_and_kind(&lines[i], &lines[next]) == 0;)
            next++;
        json_count(j, NULL, lines[i]->place);
        json_count(j, NULL, (uint64_t)lines[i]->contact->kind);
        json_count(j, NULL, next - i);
    }
    json_close_array(j);
    free(lines);
    return lines != NULL;
}

static int skip_frames(sink *s, frame_range frames, const char *reason);

static int put_frame(sink *s, const sink_frame *frame)
{
    report_sink *r = (report_sink *)s;
    if (frame->changed)
        return skip_frames(s, (frame_range){frame->frame, frame->frame},
                           "its faces differ from the first frame's, which the page shows");
    int result = r->frame_count ? EXIT_CLEAN : put_mesh(r, frame->contacts);
    if (result != EXIT_CLEAN)
        return result;
    bool key = r->frame_count % REPORT_KEY_FRAMES == 0;
    for (size_t i = 0; i < r->scene->body_count; i++)
        report_positions(&r->block, &r->tracks[i], frame->positions[i], key, r->scratch, &r->range);
    if (!report_contacts(&r->block, frame->contacts, &r->range) || !report_lines(&r->block, frame->answer))
        return words_out_of_memory(s->w);
    json_count(&r->frames, NULL, frame->frame);
    if (!tally(r, frame->contacts))
        return words_out_of_memory(s->w);
    r->frame_count++;
    result = put_block(r, "frame");
    if (result == EXIT_CLEAN && r->after) {
        result = report_after_frame(r->after, frame, &r->block, r->tracks, r->scratch, &r->range);
        if (result == EXIT_CLEAN)
            result = put_block(r, "after");
    }
    return result == EXIT_CLEAN ? r->about->type->frame(r->about, frame) : result;
}

static int skip_frames(sink *s, frame_range frames, const char *reason)
{
    report_sink *r = (report_sink *)s;
    return r->about->type->skip ? r->about->type->skip(r->about, frames, reason) : EXIT_CLEAN;
}

// ---- the end -------------------------------------------------------------------------------------------------------

// Closes a text printed to memory.
static bool end_text(FILE **stream)
{
    FILE *ending = *stream;
    *stream = NULL;
    return ending && sys_memory_close(ending) == 0;
}

static void put_range(json *j, const char *key, const double range[2])
{
    json_flat_array(j, key);
    json_number(j, NULL, range[0]);
    json_number(j, NULL, range[1]);
    json_close_array(j);
}

// Metadata the page needs before it has read all frames.
static int put_index(report_sink *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = sys_memory_stream(&text, &size);
    if (!out)
        return words_out_of_memory(r->sink.w);
    json j;
    json_begin(&j, out);
    json_object(&j, NULL);
    json_count(&j, "format", 3);
    json_count(&j, "key_frames", REPORT_KEY_FRAMES);
    json_point(&j, "low", r->range.low);
    json_point(&j, "high", r->range.high);
    char up[2] = {r->scene->up, 0};
    json_text(&j, "up", r->scene->up ? up : NULL);
    put_range(&j, "value", r->range.value);
    put_range(&j, "time", r->range.time);
    if (r->after)
        json_count(&j, "after_left", report_after_left(r->after));
    json_close_object(&j);
    json_end(&j);
    int result = end_text(&out) ? put_text_block(r, "index", text, size) : words_out_of_memory(r->sink.w);
    free(text);
    return result;
}

static int put_texts(report_sink *r, const sink_summary *summary)
{
    json_close_array(&r->frames);
    json_close_array(&r->tally.j);
    int result = r->about->type->end(r->about, summary);
    if (result != EXIT_CLEAN)
        return result;
    if (!end_text(&r->frames_stream) || !end_text(&r->about_stream) || !end_text(&r->tally.stream))
        return words_out_of_memory(r->sink.w);
    result = put_index(r);
    if (result == EXIT_CLEAN)
        result = put_text_block(r, "frames", r->frames_text, r->frames_size);
    if (result == EXIT_CLEAN)
        result = put_text_block(r, "tally", r->tally.text, r->tally.size);
    if (result == EXIT_CLEAN)
        result = put_text_block(r, "json", r->about_text, r->about_size);
    return result;
}

static int end(sink *s, const sink_summary *summary)
{
    report_sink *r = (report_sink *)s;
    int result = put_texts(r, summary);
    if (result != EXIT_CLEAN)
        return result;
    snag_io_error error;
    if (page_write(PAGE_END, r->file, &error) != SNAG_OK)
        return words_error(s->w, "%s", error.message);
    snag_io_file *file = r->file;
    r->file = NULL;
    return snag_io_file_close(file, true, &error) == SNAG_OK ? EXIT_CLEAN : words_error(s->w, "%s", error.message);
}

static void free_sink(sink *s)
{
    report_sink *r = (report_sink *)s;
    snag_io_file_close(r->file, false, NULL);
    report_after_free(r->after);
    if (r->about)
        r->about->type->free(r->about);
    end_text(&r->about_stream);
    end_text(&r->frames_stream);
    end_text(&r->tally.stream);
    free(r->tally.text);
    free(r->about_text);
    free(r->frames_text);
    for (size_t i = 0; r->tracks && i < r->scene->body_count; i++)
        free(r->tracks[i].steps);
    free(r->tracks);
    free(r->scratch);
    block_free(&r->block);
    free(r);
}

static int open_outputs(report_sink *r, const char *path)
{
    snag_io_error error;
    r->frames_stream = sys_memory_stream(&r->frames_text, &r->frames_size);
    r->about_stream = sys_memory_stream(&r->about_text, &r->about_size);
    r->tally.stream = sys_memory_stream(&r->tally.text, &r->tally.size);
    if (!r->frames_stream || !r->about_stream || !r->tally.stream)
        return words_out_of_memory(r->sink.w);
    int result = sink_json_make_to(r->about_stream, r->sink.o, r->sink.w, &r->about);
    if (result == EXIT_CLEAN && snag_io_file_create(path, &r->file, &error) != SNAG_OK)
        result = words_error(r->sink.w, "%s", error.message);
    return result;
}

bool sink_report_is_built(void)
{
    return true;
}

int sink_report_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.begin = begin, .frame = put_frame, .skip = skip_frames, .end = end, .free = free_sink};
    report_sink *r = calloc(1, sizeof *r);
    if (!r)
        return words_out_of_memory(w);
    r->sink = (sink){&type, o, w};
    int result = open_outputs(r, path);
    if (result == EXIT_CLEAN)
        *made = &r->sink;
    else
        free_sink(&r->sink);
    return result;
}

#else

bool sink_report_is_built(void)
{
    return false;
}

int sink_report_make(const options *o, const char *path, words *w, sink **made)
{
    (void)o, (void)made;
    return words_error(w,
                       "--report %s: this tool was built without the report page; install nodejs and npm, and run "
                       "script/build again",
                       path);
}

#endif
