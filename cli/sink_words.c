// Results as text: the contacts of a single frame if they are few, and a summary by pair of bodies and place (summary.h).
#include "progress.h"
#include "sink.h"
#include "skipped.h"
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How many contacts of a single frame and how many bodies of a scene are listed.
#define LINES_SHOWN 10
#define BODIES_SHOWN 20

typedef struct words_sink {
    sink sink;
    const sink_scene *scene;
    size_t *degenerate;  // per body: the most in any frame
    size_t kinds[SNAG_CONTACT_KIND_COUNT];  // of the last frame
    double earliest;  // impacts: of the last frame
    bool noted;
    size_t frame_of_note;  // the first with contacts; for distance the one with the smallest
    double distance;  // the smallest
    double ratio, ratio_low, ratio_high;  // active: of the frame with the smallest ratio
    size_t nested_frames;  // with bodies that lie wholly inside others
} words_sink;

// ---- bodies --------------------------------------------------------------------------------------------------------

static void print_body(const sink_body *body, size_t width)
{
    words_put(stdout, body->name, width);
    printf("  %zu vertices, %zu triangles", body->info.vertex_count, body->info.triangle_count);
    if (body->info.tet_count)
        printf(", %zu tetrahedra", body->info.tet_count);
    if (body->info.rod_count)
        printf(", %zu rods", body->info.rod_count);
    if (body->info.point_count)
        printf(", %zu points", body->info.point_count);
    if (body->cache) {
        fputs(", moved by ", stdout);
        words_put(stdout, scene_base_name(body->cache), 0);
    }
    putchar('\n');
}

static void print_bodies(const sink_scene *about)
{
    size_t shown = about->body_count < BODIES_SHOWN ? about->body_count : BODIES_SHOWN, width = 0;
    for (size_t i = 0; i < shown; i++)
        if (words_width(about->bodies[i].name) > width)
            width = words_width(about->bodies[i].name);
    for (size_t i = 0; i < shown; i++)
        print_body(&about->bodies[i], width);
    if (shown < about->body_count)
        printf("... and %zu more bodies\n", about->body_count - shown);
    putchar('\n');
}

static int begin(sink *s, const sink_scene *about)
{
    words_sink *made = (words_sink *)s;
    made->scene = about;
    made->distance = INFINITY;
    made->ratio = INFINITY;
    made->degenerate = calloc(about->body_count + 1, sizeof *made->degenerate);
    if (!made->degenerate)
        return words_out_of_memory(s->w);
    if (!s->o->quiet)
        print_bodies(about);
    return EXIT_CLEAN;
}

// ---- frames --------------------------------------------------------------------------------------------------------

// A single frame lists its most important contacts if there are few; else, and with several frames, the summary tells.
static void print_frame(const words_sink *made, const sink_frame *frame)
{
    const contact_list *list = frame->contacts;
    const contact_line *foremost[LINES_SHOWN];
    if (list->streamed || made->scene->frames.first < made->scene->frames.last ||
        (list->count > LINES_SHOWN && list->question != SNAG_DISTANCE))
        return;
    size_t shown = contacts_foremost(list, foremost, LINES_SHOWN);
    for (size_t i = 0; i < shown; i++) {
        contacts_describe(stdout, list, foremost[i]);
        putchar('\n');
    }
    if (shown < list->count)
        printf("... and %zu more%s\n", list->count - shown, made->sink.o->pairs ? "" : "; --pairs FILE.csv writes all");
}

static void keep_what_is_of_note(words_sink *made, const sink_frame *frame)
{
    const contact_list *list = frame->contacts;
    double distance = INFINITY;
    for (size_t i = 0; list->question == SNAG_DISTANCE && i < list->count; i++)
        distance = fmin(distance, list->lines[i].contact->value);
    if (list->question == SNAG_DISTANCE ? !made->noted || distance < made->distance : list->count && !made->noted) {
        made->noted = true;
        made->frame_of_note = frame->frame;
        made->distance = distance;
    }
    if (frame->answer->ratio < made->ratio) {
        made->ratio = frame->answer->ratio;
        made->ratio_low = frame->answer->ratio_low;
        made->ratio_high = frame->answer->ratio_high;
    }
    memcpy(made->kinds, list->kinds, sizeof made->kinds);
    made->earliest = frame->answer->earliest;
    for (size_t i = 0; i < made->scene->body_count; i++)
        if (frame->degenerate[i] > made->degenerate[i])
            made->degenerate[i] = frame->degenerate[i];
}

// Bodies that lie wholly inside others, in the first frame that has some.
static void show_nested(words_sink *made, const sink_frame *frame)
{
    const contact_list *list = frame->contacts;
    if (frame->nested_count == 0)
        return;
    made->nested_frames++;
    if (made->nested_frames > 1)
        return;
    words_clear_bar(made->sink.w);
    for (size_t i = 0; i < frame->nested_count && i < LINES_SHOWN; i++) {
        const snag_nested *nested = &frame->nested[i];
        if (made->scene->frames.first < made->scene->frames.last)
            printf("frame %zu: ", frame->frame);
        words_put(stdout, list->bodies[list->body_of_index[nested->inner.index]].name, 0);
        fputs(" lies wholly inside ", stdout);
        words_put(stdout, list->bodies[list->body_of_index[nested->outer.index]].name, 0);
        printf(", %.9g to %.9g below its surface\n", nested->gap, nested->depth);
    }
    if (frame->nested_count > LINES_SHOWN)
        printf("... and %zu more bodies inside others\n", frame->nested_count - LINES_SHOWN);
}

static int show_frame(sink *s, const sink_frame *frame)
{
    words_sink *made = (words_sink *)s;
    keep_what_is_of_note(made, frame);
    show_nested(made, frame);
    if (frame->contacts->count == 0)
        return EXIT_CLEAN;
    words_clear_bar(s->w);
    print_frame(made, frame);
    return EXIT_CLEAN;
}

// ---- the end -------------------------------------------------------------------------------------------------------

// "12 contacts (8 crossing, 4 touching)" for one frame.
static void print_kinds(const words_sink *made)
{
    const char *before = " (";
    for (int i = 0; i < SNAG_CONTACT_KIND_COUNT; i++)
        if (made->kinds[i]) {
            printf("%s%zu %s", before, made->kinds[i], snag_contact_kind_name((snag_contact_kind)i));
            before = ", ";
        }
    if (before[0] == ',')
        putchar(')');
}

static void print_totals(const words_sink *made, const sink_summary *summary)
{
    snag_question question = made->scene->question->question;
    const char *what = question == SNAG_IMPACTS ? "move" : "frame";
    if (question == SNAG_DISTANCE) {
        if (made->noted)
            printf("smallest distance %.9g", made->distance);
        if (made->noted && summary->frames > 1)
            printf(", in frame %zu", made->frame_of_note);
    } else if (summary->contacts == 0) {
        printf("%s %s", summary->complete && !summary->solids_overlap ? "clean: no" : "no", snag_question_name(question));
        if (made->scene->question_count > 1)
            printf(" and no %s", snag_question_name(made->scene->questions[1]));
        if (summary->frames != 1)
            printf(" in %zu %ss", summary->frames, what);
    } else if (summary->frames == 1) {
        printf("%zu contact%s", summary->contacts, summary->contacts == 1 ? "" : "s");
        print_kinds(made);
        if (question == SNAG_IMPACTS)
            printf("; free of impacts up to time %.9g", made->earliest);
    } else {
        printf("%zu contact%s in %zu of %zu %ss, the first in frame %zu", summary->contacts, summary->contacts == 1 ? "" : "s",
               summary->frames_with_contacts, summary->frames, what, made->frame_of_note);
    }
    putchar('\n');
}

static void print_nested(const words_sink *made)
{
    if (made->nested_frames > 1)
        printf("bodies lie wholly inside others in %zu frames\n", made->nested_frames);
}

static void print_degenerate(const words_sink *made)
{
    size_t degenerate = 0;
    for (size_t i = 0; i < made->scene->body_count; i++)
        degenerate += made->degenerate[i];
    if (degenerate)
        printf("%zu degenerate element%s ignored (`snag info` lists them)\n", degenerate, degenerate == 1 ? "" : "s");
}

// "Clean" covers only what was looked for, so always say what was not, even with --quiet.
static void print_left_out(const words_sink *made, const sink_summary *summary)
{
    const sink_scene *about = made->scene;
    for (size_t i = 0; i < about->left_out_count && (summary->contacts == 0 || !made->sink.o->quiet); i++)
        printf("not looked for: %s\n", about->left_out[i].words);
}

// What was left out and which limits held, even with --quiet: "clean" is true only beside these.
static void print_limits(const words_sink *made, const sink_summary *summary)
{
    const options *o = made->sink.o;
    if (summary->ignored)
        printf("ignored: %zu contact%s that %s\n", summary->ignored, summary->ignored == 1 ? "" : "s",
               o->ignore_initial && o->ignore ? "were there at first or are accepted"
               : o->ignore                    ? "are accepted"
               : o->rest                      ? "are there in the rest pose"
                                              : "were there in the first frame");
    if (o->only || o->between_names)
        printf("looked only at the bodies that --%s names\n", o->only ? "only" : "between");
    for (size_t i = 0; i < o->no_contact.count; i++)
        printf("did not look for contacts of %s (--no-contact)\n", o->no_contact.items[i]);
    if (o->exclude_rings)
        printf("left out: neighbours on the mesh up to %zu edges away (--exclude-rings)\n", o->exclude_rings);
    if (o->exclude_rest > 0)
        printf("left out: pairs up to %g apart in the first frame (--exclude-rest)\n", o->exclude_rest);
    if (summary->limited && summary->contacts)
        printf("%s the limits that were given\n", summary->exceeded ? "exceeds" : "within");
}

static void print_where(const char *before, const char *path)
{
    if (!path)
        return;
    fputs(before, stdout);
    words_put(stdout, path, 0);
    putchar('\n');
}

static int print_summary(sink *s, const sink_summary *summary)
{
    const words_sink *made = (const words_sink *)s;
    const sink_scene *about = made->scene;
    bool listed =
        !s->o->stream && summary->frames == 1 && (summary->contacts <= LINES_SHOWN || about->question->question == SNAG_DISTANCE);
    if (summary->frames_with_contacts && !s->o->quiet && listed)
        putchar('\n');
    print_totals(made, summary);
    if (!listed)
        summary_print(about, summary);
    print_limits(made, summary);
    print_left_out(made, summary);
    skipped_print(stdout, about->inputs);
    print_nested(made);
    print_degenerate(made);
    if (about->part && summary->frames)
        printf("found about %.0f %% (%.0f to %.0f %%) of all contacts%s\n", 100 * made->ratio, 100 * made->ratio_low,
               100 * made->ratio_high, summary->frames > 1 ? " in the worst frame" : "");
    if (s->o->quiet)
        return EXIT_CLEAN;
    uint32_t threads = snag_world_threads(about->world);
    printf("%s%s%s, method %s, %u thread%s, %.3g s\n", snag_question_name(about->question->question),
           about->question_count > 1 ? " and " : "", about->question_count > 1 ? snag_question_name(about->questions[1]) : "",
           snag_method_name(summary->method), threads, threads == 1 ? "" : "s", summary->seconds);
    print_where("All contacts: ", s->o->pairs);
    print_where("Report: ", s->o->report);
    print_where("To select the elements in Blender, run there: ", s->o->select);
    print_where("Sets of elements, for *INCLUDE: ", s->o->sets);
    summary_next(about, summary, s->o);
    return EXIT_CLEAN;
}

static void free_sink(sink *s)
{
    free(((words_sink *)s)->degenerate);
    free(s);
}

int sink_words_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.begin = begin, .frame = show_frame, .end = print_summary, .free = free_sink};
    (void)path;
    words_sink *made_words = calloc(1, sizeof *made_words);
    if (!made_words)
        return words_out_of_memory(w);
    made_words->sink = (sink){&type, o, w};
    *made = &made_words->sink;
    return EXIT_CLEAN;
}
