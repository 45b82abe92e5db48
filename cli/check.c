// snag check: asks a question of every frame of a scene and tells what was found, in words, as JSON and as CSV.
#define _POSIX_C_SOURCE 200809L
#include "contacts.h"
#include "json.h"
#include "progress.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// In words a single frame shows its first contacts one by one, and a scene its first bodies.
#define LINES_SHOWN 10
#define BODIES_SHOWN 20

// Lengths that are not given are parts of the scene's diagonal: an absolute length would be everything for one scene
// and nothing for another.
#define DISTANCE_OF_DIAGONAL 1e-3
#define TOLERANCE_OF_DIAGONAL 1e-6

// Of the question `distance`: the closest features of two bodies, kept until the JSON is written.
typedef struct closest_pair {
    contact_line line;
    snag_contact contact;
} closest_pair;

typedef struct frame_result {
    size_t frame;
    size_t contacts, self, between;
    size_t answered;  // before the triangles of one polygon were merged
    size_t degenerate;
    double ms;
    double earliest;  // impacts
    double distance;  // distance: the smallest; infinity if there is none
    double ratio, ratio_low, ratio_high;  // active: the part that was found
    size_t first_closest;  // distance: its pairs are closest[first_closest] .. + contacts
} frame_result;

typedef struct check {
    const options *o;
    words *w;
    scene scene;
    snag_world *world;
    snag_question_def question;
    snag_method method;  // the one that answered
    frame_range range;
    contact_list list;
    snag_io_pairs *pairs;
    size_t *degenerate;  // per body: the most in any frame
    progress progress;
    frame_result *frames;
    size_t frame_count, frame_capacity;
    closest_pair *closest;
    size_t closest_count, closest_capacity;
    size_t total, frames_with_contacts;
    bool touching;  // what the exit code says
    bool complete;  // nobody stopped it
    double seconds;
} check;

// ---- before the first frame ----------------------------------------------------------------------------------------

static bool mode_from_name(const char *name, snag_regularity_mode *mode)
{
    static const char *const names[SNAG_REGULARITY_MODE_COUNT] = {"certified", "paper", "classical"};
    for (int i = 0; i < SNAG_REGULARITY_MODE_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *mode = (snag_regularity_mode)i;
            return true;
        }
    return false;
}

static void choose_question(check *c)
{
    bool tets = scene_has_tets(&c->scene);
    snag_question question = c->o->question_given ? c->o->question : tets ? SNAG_PENETRATIONS : SNAG_INTERSECTIONS;
    c->question = snag_default_question_def(question);
    c->question.method = c->o->method;
    c->question.self = c->o->self;
    c->question.between = c->o->between;
    c->question.every_pair = c->o->every_pair;
    c->question.edges = c->o->edges;
    if (c->o->distance >= 0)
        c->question.distance = c->o->distance;
    if (c->o->tolerance >= 0)
        c->question.tolerance = c->o->tolerance;
    if (c->o->separation >= 0)
        c->question.separation = c->o->separation;
    c->question.directions = (uint32_t)c->o->directions;
    c->question.target_ratio = c->o->target;
    c->question.new_pairs = c->o->new_pairs > UINT32_MAX ? UINT32_MAX : (uint32_t)c->o->new_pairs;
    c->question.seed = c->o->seed ? c->o->seed : 1;
    c->question.budget_us = c->o->budget_us;
    c->question.pure = c->o->pure;
    c->question.progress = progress_callback;
    c->question.context = &c->progress;
    c->method = c->o->method;

    bool surfaces = false;
    for (size_t i = 0; i < c->scene.body_count; i++)
        surfaces = surfaces || !c->scene.bodies[i].source->tet_count;
    if (!c->o->question_given && tets && surfaces)
        words_note(c->w, "asking for penetrations, since there are tetrahedra; for contacts among the surfaces add "
                         "--question intersections");
}

// The method active lists a part of the contacts: that is its answer, and not a search that was stopped.
static bool finds_a_part(const check *c)
{
    return c->question.method == SNAG_METHOD_ACTIVE;
}

static int method_cannot(check *c)
{
    const char *question = snag_question_name(c->question.question);
    char list[200] = "";
    for (int i = SNAG_METHOD_AUTO + 1; i < SNAG_METHOD_COUNT; i++) {
        if (!snag_method_answers((snag_method)i, c->question.question))
            continue;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", snag_method_name((snag_method)i));
    }
    if (!list[0])
        return words_error(c->w, "no method of this build can answer %s", question);
    return words_error(c->w, "the method %s cannot answer %s; these can: %s", snag_method_name(c->question.method),
                       question, list);
}

static int check_question_fits(check *c)
{
    const options *o = c->o;
    snag_question question = c->question.question;
    if (!snag_method_answers(c->question.method, question))
        return method_cannot(c);
    if (!o->self && !o->between)
        return words_error(c->w, "--no-self and --no-between leave nothing to look for; leave one of them out");
    if (question == SNAG_DISTANCE && c->scene.body_count < 2)
        return words_error(c->w, "distance is asked of two bodies, and there is only one; give a second mesh");
    if (question == SNAG_DISTANCE && !o->between)
        return words_error(c->w, "distance is asked of two bodies; leave out --no-between");
    if (!o->self && c->scene.body_count < 2)
        words_note(c->w, "with --no-self and a single body there is nothing to find");
    if (o->distance >= 0 && question != SNAG_PROXIMITIES && question != SNAG_DISTANCE)
        words_note(c->w, "--distance has no part in %s", snag_question_name(question));
    if (o->every_pair && question != SNAG_PROXIMITIES)
        words_note(c->w, "--every-pair has no part in %s", snag_question_name(question));
    if (o->edges && question != SNAG_PENETRATIONS)
        words_note(c->w, "--edges has no part in %s", snag_question_name(question));
    if ((o->target > 0 || o->new_pairs || o->seed || o->budget_us || o->pure) && !finds_a_part(c))
        return words_error(c->w, "--target, --new-pairs, --seed, --budget and --pure are for --method active");
    if ((o->regularity || o->directions) && o->method != SNAG_METHOD_REGULARITY)
        return words_error(c->w, "--regularity and --directions are for --method regularity");
    if (o->regularity && !mode_from_name(o->regularity, &c->question.regularity))
        return words_error(c->w, "--regularity: there is no mode '%s'; give certified, paper or classical", o->regularity);
    if (o->directions && o->directions != 6 && o->directions != 12 && o->directions != 32 && o->directions != 62)
        return words_error(c->w, "--directions: 6, 12, 32 or 62, not %zu", o->directions);
    if ((o->tolerance >= 0 || o->separation >= 0) && question != SNAG_IMPACTS)
        words_note(c->w, "--tolerance and --separation have no part in %s", snag_question_name(question));
    return EXIT_CLEAN;
}

static int choose_frames(check *c)
{
    size_t last = c->scene.frame_count - 1;
    c->range = c->o->frames;
    if (c->range.first > last)
        return words_error(c->w, "--frames: there is no frame %zu; the scene has %zu frame%s, counted from 0",
                           c->range.first, last + 1, last ? "s" : "");
    if (c->range.last > last) {
        if (c->range.last != SIZE_MAX)
            words_note(c->w, "--frames: the scene ends with frame %zu", last);
        c->range.last = last;
    }
    if (c->question.question != SNAG_IMPACTS || c->range.last > c->range.first)
        return EXIT_CLEAN;
    if (last > 0)
        return words_error(c->w,
                           "impacts happen on the way from one frame to the next; give two at least, such as "
                           "--frames %zu:%zu",
                           c->range.first ? c->range.first - 1 : 0, c->range.first ? c->range.first : 1);
    return words_error(c->w,
                       "impacts happen on the way from one frame to the next, and nothing moves here; give a cache "
                       "(.pc2 .mdd), or with --sequence the files of two frames or more");
}

static int measure_diagonal(const check *c, double *diagonal)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < c->scene.body_count; i++) {
        const snag_mesh_report *report;
        if (snag_world_check(c->world, c->scene.bodies[i].id, &report) != SNAG_OK)
            return words_error(c->w, "%s", snag_world_message(c->world));
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], report->minimum[k]);
            high[k] = fmax(high[k], report->maximum[k]);
        }
    }
    *diagonal = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    if (!isfinite(*diagonal))
        *diagonal = 0;
    return EXIT_CLEAN;
}

// Lengths that were not given are chosen by the size of the first frame.
static int choose_lengths(check *c)
{
    bool distance = c->question.question == SNAG_PROXIMITIES && c->o->distance < 0;
    bool tolerance = c->question.question == SNAG_IMPACTS && c->o->tolerance < 0;
    double diagonal = 0;
    if (!distance && !tolerance)
        return EXIT_CLEAN;
    int result = measure_diagonal(c, &diagonal);
    if (result != EXIT_CLEAN)
        return result;
    if (tolerance)
        c->question.tolerance = TOLERANCE_OF_DIAGONAL * diagonal;
    if (distance) {
        c->question.distance = DISTANCE_OF_DIAGONAL * diagonal;
        words_note(c->w, "looking for pairs closer than %.6g, 1/1000 of the scene's diagonal; --distance D sets it",
                   c->question.distance);
    }
    return EXIT_CLEAN;
}

static int open_pairs(check *c)
{
    const char *path = c->o->pairs;
    struct stat status;
    if (!path)
        return EXIT_CLEAN;
    if (scene_reads(&c->scene, path))
        return words_error(c->w, "--pairs %s: this is one of the inputs, and would be overwritten; choose another name",
                           path);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return words_error(c->w, "--pairs %s: this is not a file that can be replaced; choose another name", path);
    if (snag_io_is_mesh(path) || snag_io_is_cache(path))
        return words_error(c->w, "--pairs %s: the pairs are a table, not a mesh; give a name such as contacts.csv",
                           path);
    snag_io_error error;
    if (snag_io_pairs_create(path, &c->pairs, &error) != SNAG_OK)
        return words_error(c->w, "%s", error.message);
    return EXIT_CLEAN;
}

static int prepare(check *c)
{
    int result = scene_open(c->o, false, c->w, &c->scene);
    if (result == EXIT_CLEAN) {
        choose_question(c);
        result = check_question_fits(c);
    }
    if (result == EXIT_CLEAN)
        result = choose_frames(c);
    if (result == EXIT_CLEAN)
        result = scene_create_world(c->o, &c->world, c->w);
    if (result == EXIT_CLEAN)
        result = scene_add(&c->scene, c->o, c->world, c->w);
    if (result != EXIT_CLEAN)
        return result;
    c->degenerate = calloc(c->scene.body_count + 1, sizeof *c->degenerate);
    if (!c->degenerate || !contacts_begin_scene(&c->list, &c->scene))
        return words_out_of_memory(c->w);
    return open_pairs(c);
}

// ---- frames --------------------------------------------------------------------------------------------------------

// The answer counts degenerate elements of the whole world; only if there are any is it worth asking each body.
static int count_degenerate(check *c, const snag_answer *answer)
{
    snag_mesh_issue_kind kind =
        c->question.question == SNAG_PENETRATIONS ? SNAG_ISSUE_DEGENERATE_TET : SNAG_ISSUE_DEGENERATE_TRIANGLE;
    for (size_t i = 0; answer->degenerate && i < c->scene.body_count; i++) {
        const snag_mesh_report *report;
        if (snag_world_check(c->world, c->scene.bodies[i].id, &report) != SNAG_OK)
            return words_error(c->w, "%s", snag_world_message(c->world));
        if (report->counts[kind] > c->degenerate[i])
            c->degenerate[i] = report->counts[kind];
    }
    return EXIT_CLEAN;
}

static bool keep_closest(check *c, frame_result *result)
{
    result->first_closest = c->closest_count;
    if (!words_grow((void **)&c->closest, &c->closest_capacity, c->closest_count + c->list.count, sizeof c->closest[0]))
        return false;
    for (size_t i = 0; i < c->list.count; i++) {
        closest_pair *pair = &c->closest[c->closest_count++];
        pair->line = c->list.lines[i];
        pair->contact = *c->list.lines[i].contact;
        result->distance = fmin(result->distance, pair->contact.value);
    }
    return true;
}

static bool keep_result(check *c, size_t frame, const snag_answer *answer, double ms)
{
    if (!words_grow((void **)&c->frames, &c->frame_capacity, c->frame_count + 1, sizeof c->frames[0]))
        return false;
    frame_result result = {
        .frame = frame,
        .contacts = c->list.count,
        .self = c->list.self,
        .between = c->list.between,
        .answered = answer->contact_count,
        .degenerate = answer->degenerate,
        .ms = ms,
        .earliest = answer->earliest,
        .distance = INFINITY,
        .ratio = answer->ratio,
        .ratio_low = answer->ratio_low,
        .ratio_high = answer->ratio_high,
    };
    if (c->question.question == SNAG_DISTANCE && !keep_closest(c, &result))
        return false;
    c->frames[c->frame_count++] = result;
    c->total += result.contacts;
    c->frames_with_contacts += result.contacts > 0;
    bool touching =
        c->question.question == SNAG_DISTANCE ? result.distance <= c->question.distance : result.contacts > 0;
    c->touching = c->touching || touching;
    c->method = answer->method;
    c->complete = c->complete && (answer->complete || finds_a_part(c));
    return true;
}

static void print_frame_head(const check *c, size_t frame)
{
    const char *file = scene_frame_file(&c->scene, frame);
    printf("frame %zu", frame);
    if (file) {
        fputs(" (", stdout);
        words_put(stdout, file, 0);
        fputc(')', stdout);
    }
    fputs(": ", stdout);
}

// A frame of many is one line; a single frame shows its foremost contacts.
static void print_frame(check *c, size_t frame)
{
    if (c->o->json || c->list.count == 0)
        return;
    words_clear_bar(c->w);
    const contact_line *foremost[LINES_SHOWN];
    size_t shown = contacts_foremost(&c->list, foremost, LINES_SHOWN);
    if (c->range.first + (c->question.question == SNAG_IMPACTS) < c->range.last) {
        print_frame_head(c, frame);
        if (c->question.question != SNAG_DISTANCE)
            printf("%zu contact%s, first ", c->list.count, c->list.count == 1 ? "" : "s");
        contacts_describe(stdout, &c->list, foremost[0]);
        putchar('\n');
        return;
    }
    for (size_t i = 0; i < shown; i++) {
        contacts_describe(stdout, &c->list, foremost[i]);
        putchar('\n');
    }
    if (shown < c->list.count)
        printf("... and %zu more%s\n", c->list.count - shown, c->o->pairs ? "" : "; --pairs FILE.csv writes all");
}

// Clusters of active pairs grow from step to step; where there is no step before, some are made up.
static int warm_up(check *c)
{
    enum { STEPS = 15 };
    const snag_answer *answer = NULL;
    for (int i = 0; i < STEPS && finds_a_part(c); i++)
        if (snag_world_ask(c->world, &c->question, &answer) != SNAG_OK)
            return words_error(c->w, "%s", snag_world_message(c->world));
    return EXIT_CLEAN;
}

static int ask_frame(check *c, size_t frame)
{
    const snag_answer *answer = NULL;
    double before = progress_seconds();
    if (snag_world_ask(c->world, &c->question, &answer) != SNAG_OK)
        return words_error(c->w, "frame %zu: %s", frame, snag_world_message(c->world));
    double ms = 1e3 * (progress_seconds() - before);
    if (!contacts_fill(&c->list, answer) || !keep_result(c, frame, answer, ms))
        return words_out_of_memory(c->w);
    snag_io_error error;
    if (c->pairs && contacts_write(&c->list, frame, c->pairs, &error) != SNAG_OK)
        return words_error(c->w, "%s", error.message);
    print_frame(c, frame);
    return count_degenerate(c, answer);
}

static int run_frames(check *c)
{
    bool moves = c->question.question == SNAG_IMPACTS;
    size_t first = c->range.first, count = c->range.last - first + 1;
    double before = progress_seconds();
    int result = scene_go(&c->scene, c->world, first, true, c->w);
    if (result == EXIT_CLEAN)
        result = choose_lengths(c);
    progress_catch_interrupt();
    progress_begin(&c->progress, c->w, "frame", count);
    c->complete = true;
    for (size_t i = moves ? 1 : 0; i < count && result == EXIT_CLEAN && c->complete; i++) {
        progress_show(&c->progress, i, 0);
        result = i > 0 ? scene_go(&c->scene, c->world, first + i, false, c->w) : warm_up(c);
        if (result == EXIT_CLEAN)
            result = ask_frame(c, first + i);
        if (progress_interrupted())
            c->complete = false;
    }
    progress_end(&c->progress);
    c->seconds = progress_seconds() - before;
    if (result == EXIT_CLEAN && !c->complete)
        words_error(c->w, "stopped before the end; what was found so far is not all there is");
    return result;
}

// ---- results -------------------------------------------------------------------------------------------------------

static void print_json_closest(json *j, const check *c, const frame_result *frame)
{
    json_number(j, "distance", frame->distance);
    json_array(j, "closest");
    for (size_t i = 0; i < frame->contacts; i++) {
        const closest_pair *pair = &c->closest[frame->first_closest + i];
        const contact_line *line = &pair->line;
        json_object(j, NULL);
        json_text(j, "body_a", c->list.bodies[line->body_a].name);
        json_text(j, "a", contacts_element(line->a).text);
        json_text(j, "body_b", c->list.bodies[line->body_b].name);
        json_text(j, "b", contacts_element(line->b).text);
        json_text(j, "kind", snag_contact_kind_name(pair->contact.kind));
        json_number(j, "distance", pair->contact.value);
        json_point(j, "point_a", line->swapped ? pair->contact.point_b : pair->contact.point_a);
        json_point(j, "point_b", line->swapped ? pair->contact.point_a : pair->contact.point_b);
        json_close_object(j);
    }
    json_close_array(j);
}

static void print_json_frame(json *j, const check *c, const frame_result *frame)
{
    json_flat_object(j, NULL);
    json_count(j, "frame", frame->frame);
    json_count(j, "contacts", frame->contacts);
    json_ms(j, "ms", frame->ms);
    json_count(j, "self", frame->self);
    json_count(j, "between", frame->between);
    json_count(j, "degenerate", frame->degenerate);
    if (c->question.question == SNAG_INTERSECTIONS)
        json_count(j, "triangle_pairs", frame->answered);
    if (c->question.question == SNAG_IMPACTS)
        json_number(j, "earliest", frame->earliest);
    if (c->question.question == SNAG_DISTANCE)
        print_json_closest(j, c, frame);
    if (finds_a_part(c)) {
        json_number(j, "ratio", frame->ratio);
        json_number(j, "ratio_low", frame->ratio_low);
        json_number(j, "ratio_high", frame->ratio_high);
    }
    if (scene_frame_file(&c->scene, frame->frame))
        json_text(j, "file", scene_frame_file(&c->scene, frame->frame));
    json_close_object(j);
}

static void print_json_body(json *j, const check *c, size_t i)
{
    const scene_body *body = &c->scene.bodies[i];
    json_flat_object(j, NULL);
    json_text(j, "name", body->name);
    json_count(j, "vertices", body->info.vertex_count);
    json_count(j, "triangles", body->info.triangle_count);
    json_count(j, "tets", body->info.tet_count);
    json_count(j, "degenerate", c->degenerate[i]);
    json_text(j, "file", c->scene.files[body->file].path);
    if (body->cache != SCENE_NONE)
        json_text(j, "cache", c->scene.caches[body->cache].path);
    json_close_object(j);
}

static void print_json(const check *c)
{
    json j;
    json_begin(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "snag", snag_version());
    json_text(&j, "question", snag_question_name(c->question.question));
    json_text(&j, "method", snag_method_name(c->method));
    json_count(&j, "threads", snag_world_threads(c->world));
    if (c->question.question == SNAG_PROXIMITIES)
        json_number(&j, "distance", c->question.distance);
    if (c->question.question == SNAG_IMPACTS) {
        json_number(&j, "tolerance", c->question.tolerance);
        json_number(&j, "separation", c->question.separation);
    }
    json_array(&j, "bodies");
    for (size_t i = 0; i < c->scene.body_count; i++)
        print_json_body(&j, c, i);
    json_close_array(&j);
    json_array(&j, "frames");
    for (size_t i = 0; i < c->frame_count; i++)
        print_json_frame(&j, c, &c->frames[i]);
    json_close_array(&j);
    json_count(&j, "contacts_total", c->total);
    json_bool(&j, "complete", c->complete && !finds_a_part(c));
    json_close_object(&j);
    json_end(&j);
}

static void print_body(const scene *s, const scene_body *body, size_t width)
{
    words_put(stdout, body->name, width);
    printf("  %zu vertices, %zu triangles", body->info.vertex_count, body->info.triangle_count);
    if (body->info.tet_count)
        printf(", %zu tetrahedra", body->info.tet_count);
    if (body->cache != SCENE_NONE) {
        fputs(", moved by ", stdout);
        words_put(stdout, scene_base_name(s->caches[body->cache].path), 0);
    }
    putchar('\n');
}

static void print_bodies(const check *c)
{
    if (c->o->json || c->o->quiet)
        return;
    const scene *s = &c->scene;
    size_t shown = s->body_count < BODIES_SHOWN ? s->body_count : BODIES_SHOWN, width = 0;
    for (size_t i = 0; i < shown; i++)
        if (words_width(s->bodies[i].name) > width)
            width = words_width(s->bodies[i].name);
    for (size_t i = 0; i < shown; i++)
        print_body(s, &s->bodies[i], width);
    if (shown < s->body_count)
        printf("... and %zu bodies more\n", s->body_count - shown);
    putchar('\n');
}

static const frame_result *first_frame_of_note(const check *c)
{
    const frame_result *first = NULL;
    for (size_t i = 0; i < c->frame_count; i++) {
        const frame_result *frame = &c->frames[i];
        if (c->question.question == SNAG_DISTANCE ? !first || frame->distance < first->distance
                                                  : frame->contacts && !first)
            first = frame;
    }
    return first;
}

// "12 contacts (8 crossing, 4 touching)" for one frame.
static void print_kinds(const check *c)
{
    const char *before = " (";
    for (int i = 0; i < SNAG_CONTACT_KIND_COUNT; i++)
        if (c->list.kinds[i]) {
            printf("%s%zu %s", before, c->list.kinds[i], snag_contact_kind_name((snag_contact_kind)i));
            before = ", ";
        }
    if (before[0] == ',')
        putchar(')');
}

static void print_totals(const check *c)
{
    const frame_result *first = first_frame_of_note(c);
    const char *what = c->question.question == SNAG_IMPACTS ? "move" : "frame";
    if (c->question.question == SNAG_DISTANCE) {
        if (first)
            printf("smallest distance %.9g", first->distance);
        if (first && c->frame_count > 1)
            printf(", in frame %zu", first->frame);
    } else if (c->total == 0) {
        printf("clean: no %s", snag_question_name(c->question.question));
        if (c->frame_count > 1)
            printf(" in %zu %ss", c->frame_count, what);
    } else if (c->frame_count == 1) {
        printf("%zu contact%s", c->total, c->total == 1 ? "" : "s");
        print_kinds(c);
        if (c->question.question == SNAG_IMPACTS)
            printf("; free of impacts up to time %.9g", c->frames[0].earliest);
    } else {
        printf("%zu contact%s in %zu of %zu %ss, the first in frame %zu", c->total, c->total == 1 ? "" : "s",
               c->frames_with_contacts, c->frame_count, what, first->frame);
    }
    putchar('\n');
}

// The smallest part of any frame, and between which bounds it lies.
static void print_part(const check *c)
{
    const frame_result *least = NULL;
    for (size_t i = 0; i < c->frame_count; i++)
        if (!least || c->frames[i].ratio < least->ratio)
            least = &c->frames[i];
    if (least)
        printf("this is a part: about %.0f %% (%.0f to %.0f %%) of all contacts%s\n", 100 * least->ratio,
               100 * least->ratio_low, 100 * least->ratio_high, c->frame_count > 1 ? " in the worst frame" : "");
}

static void print_summary(const check *c)
{
    if (c->frames_with_contacts && !c->o->quiet)
        putchar('\n');
    print_totals(c);
    size_t degenerate = 0;
    for (size_t i = 0; i < c->scene.body_count; i++)
        degenerate += c->degenerate[i];
    if (degenerate)
        printf("%zu element%s of zero size took part in nothing (`snag info` lists them)\n", degenerate,
               degenerate == 1 ? "" : "s");
    if (finds_a_part(c))
        print_part(c);
    if (c->o->quiet)
        return;
    printf("asked for %s by %s on %u thread%s, %.3g s in all\n", snag_question_name(c->question.question),
           snag_method_name(c->method), snag_world_threads(c->world), snag_world_threads(c->world) == 1 ? "" : "s",
           c->seconds);
    if (c->o->pairs) {
        fputs("all contacts are in ", stdout);
        words_put(stdout, c->o->pairs, 0);
        putchar('\n');
    }
}

static int close_pairs(check *c, bool keep)
{
    snag_io_error error;
    snag_io_pairs *pairs = c->pairs;
    c->pairs = NULL;
    if (pairs && snag_io_pairs_close(pairs, keep, &error) != SNAG_OK && keep)
        return words_error(c->w, "%s", error.message);
    return EXIT_CLEAN;
}

static void free_check(check *c)
{
    close_pairs(c, false);
    contacts_free(&c->list);
    free(c->degenerate);
    free(c->frames);
    free(c->closest);
    snag_world_destroy(c->world);
    scene_close(&c->scene);
}

int verb_check(const options *o, words *w)
{
    check c = {.o = o, .w = w};
    int result = prepare(&c);
    if (result == EXIT_CLEAN) {
        print_bodies(&c);
        result = run_frames(&c);
    }
    if (result == EXIT_CLEAN)
        result = close_pairs(&c, c.complete);
    if (result == EXIT_CLEAN) {
        if (o->json)
            print_json(&c);
        else
            print_summary(&c);
        result = !c.complete ? EXIT_ERROR : c.touching ? EXIT_CONTACTS : EXIT_CLEAN;
    }
    free_check(&c);
    return result;
}
