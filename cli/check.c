// snag check: asks a question about every frame of a scene and passes the contacts to the requested outputs.
#include "batch.h"
#include "check.h"

#include "common/any_question.h"
#include "hints.h"
#include "ignore.h"
#include "parts.h"
#include "progress.h"
#include "reading.h"
#include "sink.h"
#include "skipped.h"
#include "stream.h"
#include "thin.h"
#include "tuning.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Default lengths are fractions of the scene's diagonal: an absolute length would be huge for one scene and tiny for another.
#define DISTANCE_OF_DIAGONAL 1e-3
#define TOLERANCE_OF_DIAGONAL 1e-6

typedef struct check {
    const options *o;
    words *w;
    asker by;  // who answers
    scene scene;
    snag_world *world;
    any_question question;
    snag_method named;  // method the tool chose instead of `auto`, so that its options apply; auto: none
    const char *named_reason;
    joint joint;  // for a scene of volumes and surfaces: this question and a second one
    frame_range range;
    frame_range stretch;  // of these, searched by this run
    frame_range missing;  // frames of the range missing from a truncated cache; last < first: none
    char missing_reason[600];
    contact_list list;
    ignore_list ignore;
    frame_places places;
    place_book book;
    sink_list sinks;
    stream stream;  // --stream
    sink_body *bodies;
    sink_scene told;  // scene description for the sinks
    snag_positions *positions;  // of each body in the frame
    size_t *degenerate;  // of each body in the frame
    progress progress;
    double started;  // seconds
    size_t changes;  // frames whose faces differ from the previous frame's
    bool moved_on;  // the bodies are in a frame that was read: the next one can be a move
    sink_summary summary;
    bool touching;  // decides the exit code
    bool stopped;  // by the user
    bool timed_out;  // by --limit
    bool searched_all;  // no search was ended by --budget
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

// Progress callback of the search; false stops it.
static bool keep_going(void *context, double done)
{
    check *c = context;
    c->stopped = !progress_callback(&c->progress, done);
    c->timed_out = reading_time_is_over(c->o);
    return !c->stopped && !c->timed_out;
}

// Method options need a named method. Where `auto` has only one choice, name it.
static void name_method(check *c)
{
    bool lines = c->question.question == SNAG_DISTANCE && c->question.lines;
    bool tree = c->question.question == SNAG_OVERLAPS && (c->o->depth || c->o->idle || c->o->backend || c->o->hierarchy);
    if (c->question.method != SNAG_METHOD_AUTO || (!lines && !tree))
        return;
    c->named = snag_method_auto(c->question.question);
    c->named_reason = lines ? "regions: the fastest for distances" : "spheres: the only method with sphere trees";
}

static void choose_question(check *c)
{
    bool tets = scene_has_tets(&c->scene);
    snag_question question = c->o->question_given    ? c->o->question
                             : c->o->thickness.count ? SNAG_PROXIMITIES
                             : tets                  ? SNAG_PENETRATIONS
                                                     : SNAG_INTERSECTIONS;
    c->question = any_default(question);
    c->question.method = c->o->method;
    if (c->question.method == SNAG_METHOD_AUTO && scene_is_on_disk(&c->scene)) {
        c->question.method = SNAG_METHOD_SPHERES;  // the only method that reads from disk
        c->named_reason = "spheres: the only method that reads .snag files from disk";
    }
    c->question.self = c->o->self;
    c->question.between = c->o->between;
    c->question.every_pair = c->o->every_pair;
    c->question.edges = question == SNAG_PENETRATIONS && !c->o->no_edges;
    if (c->o->distance >= 0)
        c->question.distance = c->o->distance;
    if (c->o->tolerance >= 0)
        c->question.tolerance = c->o->tolerance;
    if (c->o->separation >= 0)
        c->question.separation = c->o->separation;
    c->question.exclude_rings = (uint32_t)c->o->exclude_rings;
    c->question.exclude_rest = c->o->exclude_rest;
    c->question.directions = (uint32_t)c->o->directions;
    c->question.within = c->o->within;
    c->question.closest = c->o->closest > UINT32_MAX ? UINT32_MAX : (uint32_t)c->o->closest;
    c->question.lines = c->o->hierarchy || c->o->report;
    c->question.trees = c->o->hierarchy;
    c->question.depth = c->o->depth > UINT32_MAX ? UINT32_MAX : (uint32_t)c->o->depth;
    c->question.idle = c->o->idle > UINT32_MAX ? UINT32_MAX : (uint32_t)c->o->idle;
    if (c->o->backend)
        snag_backend_from_name(c->o->backend, &c->question.backend);
    c->question.target_ratio = c->o->target;
    c->question.new_pairs = c->o->new_pairs > UINT32_MAX ? UINT32_MAX : (uint32_t)c->o->new_pairs;
    c->question.seed = c->o->seed ? c->o->seed : 1;
    c->question.budget_us = c->o->budget_us;
    c->question.pure = c->o->pure;
    c->question.progress = keep_going;
    c->question.context = c;
    c->summary.method = c->o->method;
    c->summary.reason = "no frame was searched";
    name_method(c);
}

// A scene of volumes and surfaces needs two questions, unless the user chose one.
static bool asks_both(const check *c)
{
    return !c->o->question_given && !c->o->thickness.count && joint_needed(&c->scene) &&
           snag_method_answers(c->question.method, SNAG_PENETRATIONS) &&
           snag_method_finds_self(c->question.method, SNAG_INTERSECTIONS);
}

static void leave_out(sink_scene *told, const char *name, const char *what)
{
    told->left_out[told->left_out_count++] = (sink_left_out){name, what};
}

// Bodies wholly inside others touch nothing, so that questions about contacts do not see them.
static bool finds_nested(const check *c)
{
    snag_question question = c->question.question;
    return (question == SNAG_INTERSECTIONS || question == SNAG_PENETRATIONS) && c->question.between && !c->o->no_nested &&
           c->scene.body_count > 1 && !scene_is_on_disk(&c->scene);
}

// Kinds of contact that "clean" does not cover.
static void list_left_out(check *c)
{
    sink_scene *told = &c->told;
    bool penetrations = c->question.question == SNAG_PENETRATIONS;
    bool volumes = scene_has_tets(&c->scene);
    if (penetrations && !c->question.edges)
        leave_out(told, "edges", "edges that pass through tetrahedra (--no-edges)");
    if (penetrations && !c->joint.wanted && joint_needed(&c->scene))
        leave_out(told, "surfaces", "intersecting triangles of surfaces (use --question intersections)");
    if (c->question.question == SNAG_INTERSECTIONS && volumes && !finds_nested(c))
        leave_out(told, "inside", "bodies completely inside a volume (use --question penetrations)");
    if (!c->question.self && c->question.question != SNAG_DISTANCE && c->question.question != SNAG_OVERLAPS)
        leave_out(told, "self", "self-contacts");
    if (!c->question.between)
        leave_out(told, "between", "contacts between bodies");
}

// The method active finds only a fraction of the contacts by design; its search still counts as complete.
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
        return words_error(c->w, "this build has no method for %s", question);
    return words_error(c->w, "method %s cannot answer %s; these can: %s", snag_method_name(c->question.method), question, list);
}

static int check_question_fits(check *c)
{
    const options *o = c->o;
    snag_question question = c->question.question;
    if (!snag_method_answers(c->question.method, question))
        return method_cannot(c);
    if (o->self && !snag_method_finds_self(c->question.method, question)) {
        c->question.self = false;
        if (question != SNAG_OVERLAPS)
            words_note(c->w, "method %s does not find self-contacts; looking between bodies only",
                       snag_method_name(c->question.method));
    }
    if (scene_is_on_disk(&c->scene) && c->question.method != SNAG_METHOD_SPHERES)
        return words_error(c->w, "only method spheres can read a .snag file from disk");
    if (scene_is_on_disk(&c->scene) && (o->report || o->ply || o->glb || o->vtu))
        return words_error(c->w, "--report, --ply, --glb and --vtu need all triangles in memory, but a .snag file stays on disk");
    if ((o->depth || o->idle || o->backend) && o->method != SNAG_METHOD_SPHERES && question != SNAG_OVERLAPS)
        return words_error(c->w, "--depth, --idle and --backend need --method spheres");
    if (o->depth > SNAG_DEPTH_MAX)
        return words_error(c->w, "--depth: at most %d, not %zu", SNAG_DEPTH_MAX, o->depth);
    if (o->up && strcmp(o->up, "y") != 0 && strcmp(o->up, "z") != 0)
        return words_error(c->w, "--up: y or z, not '%s'", o->up);
    if (!o->self && !o->between)
        return words_error(c->w, "--no-self with --no-between leaves nothing to look for; drop one of them");
    if (!c->question.self && !o->between && question != SNAG_DISTANCE)
        return words_error(c->w, "%s exist only between bodies; drop --no-between", snag_question_name(question));
    if (question == SNAG_DISTANCE && c->scene.body_count < 2)
        return words_error(c->w, "distance needs two bodies, and there is only one; give a second mesh");
    if (question == SNAG_DISTANCE && !o->between)
        return words_error(c->w, "distance is measured between bodies; drop --no-between");
    if (!o->self && c->scene.body_count < 2)
        words_note(c->w, "a single body with --no-self: there is nothing to find");
    if (o->distance >= 0 && question != SNAG_PROXIMITIES && question != SNAG_DISTANCE)
        words_note(c->w, "--distance has no effect on %s", snag_question_name(question));
    if (o->every_pair && question != SNAG_PROXIMITIES)
        words_note(c->w, "--every-pair has no effect on %s", snag_question_name(question));
    if (o->edges && o->no_edges)
        return words_error(c->w, "--edges and --no-edges contradict each other; choose one");
    if ((o->edges || o->no_edges) && question != SNAG_PENETRATIONS)
        words_note(c->w, "--%s has no effect on %s", o->edges ? "edges" : "no-edges", snag_question_name(question));
    if ((o->target > 0 || o->new_pairs || o->seed || o->pure) && !finds_a_part(c))
        return words_error(c->w, "--target, --new-pairs, --seed and --pure need --method active");
    bool has_hierarchy = o->method == SNAG_METHOD_REGIONS || o->method == SNAG_METHOD_SPHERES;
    if (o->method == SNAG_METHOD_AUTO)
        has_hierarchy = question == SNAG_DISTANCE || question == SNAG_OVERLAPS;
    if (o->hierarchy && !has_hierarchy)
        return words_error(c->w, "--hierarchy needs --method regions or spheres");
    if ((o->within > 0 || o->closest) && question != SNAG_DISTANCE)
        return words_error(c->w, "--within and --closest need --question distance");
    if ((o->regularity || o->directions) && o->method != SNAG_METHOD_REGULARITY)
        return words_error(c->w, "--regularity and --directions need --method regularity");
    if (o->regularity && !mode_from_name(o->regularity, &c->question.regularity))
        return words_error(c->w, "--regularity: unknown mode '%s'; use certified, paper or classical", o->regularity);
    if (o->directions && o->directions != 6 && o->directions != 12 && o->directions != 32 && o->directions != 62)
        return words_error(c->w, "--directions: 6, 12, 32 or 62, not %zu", o->directions);
    if (o->solid && !finds_nested(c) && c->scene.body_count > 1)
        return words_error(c->w, "--solid needs a search for bodies inside others; drop --no-nested, or ask for intersections");
    if (tuning_take(o, &c->question, c->w) != EXIT_CLEAN)
        return EXIT_ERROR;
    if ((o->ignore_initial || o->ignore || o->accept) && (question == SNAG_DISTANCE || question == SNAG_OVERLAPS))
        return words_error(c->w, "--ignore-initial, --ignore and --accept have no meaning for %s", snag_question_name(question));
    if (o->max_depth >= 0 && question != SNAG_INTERSECTIONS && question != SNAG_PENETRATIONS && question != SNAG_OVERLAPS)
        return words_error(c->w, "--max-depth: %s have no depth; use --max-contacts", snag_question_name(question));
    if (thin_fits(&c->scene, o, &c->question, c->w) != EXIT_CLEAN)
        return EXIT_ERROR;
    if ((o->tolerance >= 0 || o->separation >= 0) && question != SNAG_IMPACTS)
        words_note(c->w, "--tolerance and --separation have no effect on %s", snag_question_name(question));
    return EXIT_CLEAN;
}

// Drop all frames after the end of a truncated cache at once: a damaged header may promise billions.
static int leave_out_missing(check *c)
{
    c->missing = (frame_range){1, 0};
    size_t first = scene_first_missing(&c->scene, c->missing_reason, sizeof c->missing_reason);
    if (c->range.last < first)
        return EXIT_CLEAN;
    if (c->o->strict)
        return words_error(c->w, "%s", c->missing_reason);
    if (c->range.first >= first)
        return words_error(c->w, "no frame can be read: %s", c->missing_reason);
    c->missing = (frame_range){first, c->range.last};
    c->range.last = first - 1;
    words_note(c->w, "skipping frames %zu to %zu: %s", first, c->missing.last, c->missing_reason);
    return EXIT_CLEAN;
}

static int skip_missing(check *c)
{
    if (c->missing.last < c->missing.first)
        return EXIT_CLEAN;
    c->summary.frames_skipped += c->missing.last - c->missing.first + 1;
    return sinks_skip(&c->sinks, c->missing, c->missing_reason);
}

static int choose_frames(check *c)
{
    size_t last = c->scene.frame_count - 1;
    c->range = c->o->frames;
    if (c->range.first > last)
        return words_error(c->w, "--frames: there is no frame %zu; the scene has %zu frame%s, counted from 0", c->range.first,
                           last + 1, last ? "s" : "");
    if (c->range.last > last) {
        if (c->range.last != SIZE_MAX)
            words_note(c->w, "--frames: the last frame is %zu", last);
        c->range.last = last;
    }
    int result = leave_out_missing(c);
    if (result != EXIT_CLEAN)
        return result;
    if (c->question.question != SNAG_IMPACTS || c->range.last > c->range.first)
        return EXIT_CLEAN;
    if (last > 0)
        return words_error(c->w, "impacts need at least two frames, such as --frames %zu:%zu",
                           c->range.first ? c->range.first - 1 : 0, c->range.first ? c->range.first : 1);
    return words_error(c->w, "impacts need motion, and nothing moves here; give a cache (.pc2 .mdd), or two or more "
                             "frame files with --sequence");
}

static int measure_diagonal(const check *c, double *diagonal)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < c->scene.body_count; i++) {
        const snag_mesh_report *report;
        if (snag_world_check(c->world, c->scene.bodies[i].id, &report) != SNAG_OK)
            return words_error(c->w, "%s", snag_world_message(c->world));
        for (int k = 0; k < 3 && c->scene.bodies[i].info.vertex_count; k++) {
            low[k] = fmin(low[k], report->minimum[k]);
            high[k] = fmax(high[k], report->maximum[k]);
        }
    }
    *diagonal = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    if (!isfinite(*diagonal))
        *diagonal = 0;
    return EXIT_CLEAN;
}

// Default lengths come from the size of the first frame.
static int choose_lengths(check *c)
{
    // With a thickness, bodies meet where their surfaces do.
    bool distance = c->question.question == SNAG_PROXIMITIES && c->o->distance < 0 && !c->o->thickness.count;
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
        words_note(c->w, "distance %.6g: 1/1000 of the scene's diagonal; set it with --distance D", c->question.distance);
    }
    return EXIT_CLEAN;
}

// Fills the scene description for the sinks. The bodies must be in the world.
static int describe_scene(check *c)
{
    size_t count = c->scene.body_count;
    c->bodies = calloc(count + 1, sizeof *c->bodies);
    c->positions = calloc(count + 1, sizeof *c->positions);
    c->degenerate = calloc(count + 1, sizeof *c->degenerate);
    if (!c->bodies || !c->positions || !c->degenerate || !contacts_begin_scene(&c->list, &c->scene) ||
        (asks_both(c) && !joint_begin(&c->joint, &c->scene, &c->question)))
        return words_out_of_memory(c->w);
    c->list.world = c->world;
    for (size_t i = 0; i < count; i++) {
        const scene_body *body = &c->scene.bodies[i];
        c->bodies[i] = (sink_body){
            .name = body->name,
            .file = c->scene.files[body->file].path,
            .cache = body->cache != SCENE_NONE ? c->scene.caches[body->cache].path : NULL,
            .info = body->info,
        };
    }
    c->summary.book = &c->book;
    c->summary.limited = c->o->max_depth >= 0 || c->o->max_contacts != SIZE_MAX;
    c->told = (sink_scene){
        .inputs = &c->scene,
        .world = c->world,
        .question = &c->question,
        .part = finds_a_part(c),
        .questions = {c->question.question, SNAG_INTERSECTIONS},
        .question_count = c->joint.wanted ? 2 : 1,
        .bodies = c->bodies,
        .body_count = count,
        .frames = c->range,
        .up = c->o->up ? c->o->up[0] : c->scene.up,
    };
    if (c->question.question == SNAG_IMPACTS)
        c->told.frames.first++;
    list_left_out(c);
    return EXIT_CLEAN;
}

// Body filter of the search.
static bool is_wanted(void *context, snag_body_id a, snag_body_id b)
{
    const check *c = context;
    return ignore_wants(&c->ignore, c->list.body_of_index[a.index], c->list.body_of_index[b.index]);
}

// Bodies that were not asked for need not be searched. Two questions have filters of their own: there contacts are left out later.
static int filter_bodies(check *c)
{
    if (!c->o->only && !c->o->between_names && !c->o->no_contact.count)
        return EXIT_CLEAN;
    if (!contacts_index(&c->list))
        return words_out_of_memory(c->w);
    if (!c->joint.wanted && !c->by.ask)
        c->question.filter = is_wanted;
    return EXIT_CLEAN;
}

static int prepare(check *c)
{
    int result = scene_open(c->o, false, c->w, &c->scene);
    if (result == EXIT_CLEAN) {
        hints_note_sizes(&c->scene, c->w);
        hints_note_inverted(&c->scene, c->w);
        choose_question(c);
        result = check_question_fits(c);
    }
    if (result == EXIT_CLEAN)
        result = choose_frames(c);
    if (result == EXIT_CLEAN)
        result = scene_create_world(c->o, &c->world, c->w);
    if (result == EXIT_CLEAN)
        result = scene_add(&c->scene, c->o, c->world, c->w);
    if (result == EXIT_CLEAN)
        result = describe_scene(c);
    if (result == EXIT_CLEAN)
        result = stream_fits(c->o, c->question.question, c->joint.wanted, c->by.ask != NULL || asker_is_part(&c->by), c->w);
    if (result == EXIT_CLEAN)
        result = ignore_begin(&c->ignore, c->o, &c->scene, c->w);
    if (result == EXIT_CLEAN)
        result = filter_bodies(c);
    progress_catch_interrupt();  // before the first file is created, so that Ctrl-C leaves no half-written file
    if (result == EXIT_CLEAN)
        result = asker_is_part(&c->by) ? EXIT_CLEAN : sinks_make(&c->sinks, c->o, &c->scene, c->w);
    if (result == EXIT_CLEAN && c->o->stream)
        result = stream_begin(&c->stream, c->o, &c->scene, &c->list, &c->sinks, &c->book, c->w);
    return result;
}

// ---- frames --------------------------------------------------------------------------------------------------------

// The answer counts degenerate elements of the whole world; ask each body only if there are any.
static int count_degenerate(check *c, const snag_answer *answer)
{
    size_t sum = 0;
    memset(c->degenerate, 0, c->scene.body_count * sizeof *c->degenerate);
    for (size_t i = 0; answer->degenerate && i < c->scene.body_count; i++) {
        const snag_mesh_report *report;
        if (snag_world_check(c->world, c->scene.bodies[i].id, &report) != SNAG_OK)
            return words_error(c->w, "%s", snag_world_message(c->world));
        bool tets = c->question.question == SNAG_PENETRATIONS && (!c->joint.wanted || c->scene.bodies[i].source->tet_count > 0);
        c->degenerate[i] = report->counts[tets ? SNAG_ISSUE_DEGENERATE_TET : SNAG_ISSUE_DEGENERATE_TRIANGLE];
        sum += c->degenerate[i];
    }
    if (c->joint.wanted)
        c->joint.answer.degenerate = sum;  // the two answers together would count them twice
    return EXIT_CLEAN;
}

// With --max-contacts and --max-depth only what exceeds them counts.
static bool exceeds(const check *c, const contact_list *list)
{
    bool deep = c->o->max_depth >= 0 && c->places.count > 0 && c->places.places[0].depth > c->o->max_depth;
    return deep || list->count > c->o->max_contacts;
}

static bool is_touching(const check *c, const contact_list *list)
{
    if (c->summary.limited)
        return exceeds(c, list);
    if (c->question.question != SNAG_DISTANCE)
        return list->count > 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->lines[i].contact->value <= c->question.distance)
            return true;
    return false;
}

static void sum_up(check *c, const snag_answer *answer)
{
    c->summary.frames++;
    c->summary.contacts += c->list.count;
    c->summary.frames_with_contacts += c->list.count > 0;
    // If different methods answered different frames, report the method that was asked for.
    bool alike = c->summary.frames == 1 || c->summary.method == answer->method;
    c->summary.method = alike ? answer->method : c->question.method;
    c->summary.reason = !alike ? "frames were answered by different methods" : c->named_reason ? c->named_reason : answer->reason;
    c->searched_all = c->searched_all && (answer->complete || finds_a_part(c));
    bool touching = is_touching(c, &c->list);
    c->touching = c->touching || touching;
    c->summary.exceeded = c->summary.exceeded || (c->summary.limited && touching);
    c->summary.ignored = c->ignore.ignored;
}

// Clusters of active pairs grow from step to step; before the first step, warm them up.
static int warm_up(check *c)
{
    enum { STEPS = 15 };
    const snag_answer *answer = NULL;
    for (int i = 0; i < STEPS && finds_a_part(c); i++)
        if (asker_ask(&c->by, c->world, &c->question, &answer) != SNAG_OK)
            return words_error(c->w, "%s", snag_world_message(c->world));
    return EXIT_CLEAN;
}

// Asks one question, or both in a scene of volumes and surfaces.
static int ask(check *c, size_t frame, const snag_answer **answer)
{
    any_question question = c->question;
    if (c->named != SNAG_METHOD_AUTO)
        question.method = c->named;
    if (c->o->stream)
        question.sink = &c->stream.taker;
    snag_status status =
        c->joint.wanted ? joint_ask(&c->joint, &c->by, c->world, answer) : asker_ask(&c->by, c->world, &question, answer);
    if (status == SNAG_OK)
        return EXIT_CLEAN;
    const char *message = c->by.message ? c->by.message(c->by.context) : snag_world_message(c->world);
    return words_error(c->w, "frame %zu: %s", frame, message[0] ? message : snag_status_name(status));
}

// Drops what is ignored, names the rest as in the files, and groups it into places.
static int group_contacts(check *c, const snag_answer **answer, size_t frame)
{
    int result = ignore_apply(&c->ignore, c->list.body_of_index, answer, c->w);
    if (result == EXIT_CLEAN && !(ignore_count(&c->ignore, &c->list) && contacts_fill(&c->list, *answer)))
        result = words_out_of_memory(c->w);
    if (result == EXIT_CLEAN)
        result = frame_places_fill(&c->places, c->world, *answer, &c->list, c->w);
    if (result == EXIT_CLEAN && !place_book_add(&c->book, &c->places, &c->list, *answer, frame))
        result = words_out_of_memory(c->w);
    return result;
}

static int ask_frame(check *c, size_t frame)
{
    const snag_answer *answer = NULL;
    double before = progress_seconds();
    if (c->o->stream)
        stream_begin_frame(&c->stream, c->question.question, frame);
    int result = ask(c, frame, &answer);
    if (result != EXIT_CLEAN)
        return result;
    double ms = 1e3 * (progress_seconds() - before);
    if (!contacts_index(&c->list))
        return words_out_of_memory(c->w);
    result = count_degenerate(c, answer);
    if (result == EXIT_CLEAN)
        result = c->o->stream ? stream_end_frame(&c->stream) : group_contacts(c, &answer, frame);
    if (result != EXIT_CLEAN)
        return result;
    for (size_t i = 0; i < c->scene.body_count; i++)
        c->positions[i] = c->scene.bodies[i].now;
    sum_up(c, answer);
    const snag_nested *nested = NULL;
    size_t nested_count = 0;
    if (finds_nested(c) && snag_world_nested(c->world, &nested, &nested_count) != SNAG_OK)
        return words_error(c->w, "frame %zu: %s", frame, snag_world_message(c->world));
    c->touching |= c->summary.solids_overlap |= c->o->solid && nested_count > 0;
    const sink_frame found = {
        .frame = frame,
        .file = scene_frame_file(&c->scene, frame),
        .positions = c->positions,
        .answer = answer,
        .contacts = &c->list,
        .places = c->o->stream ? NULL : &c->places,
        .degenerate = c->degenerate,
        .nested = nested,
        .nested_count = nested_count,
        .changed = !c->scene.is_first,
        .ms = ms,
    };
    return sinks_frame(&c->sinks, &found);
}

// The topology has changed: describe the bodies again.
static int renew_bodies(check *c, size_t frame)
{
    if (c->changes++ == 0)
        words_note(c->w, "the faces change at frame %zu; frames with new faces are checked on their own", frame);
    contacts_renew(&c->list, &c->scene);
    if (c->ignore.begun && (c->o->ignore_initial || c->o->ignore))
        words_note(c->w, "from frame %zu on nothing is ignored, since the vertices are others", frame);
    if (c->ignore.begun && c->o->accept)
        words_note(c->w, "from frame %zu on nothing is accepted, since the vertices are others", frame);
    if (ignore_renew(&c->ignore, c->w) != EXIT_CLEAN)
        return EXIT_ERROR;
    if (!contacts_index(&c->list))
        return words_out_of_memory(c->w);
    for (size_t i = 0; i < c->scene.body_count; i++)
        c->bodies[i].info = c->scene.bodies[i].info;
    if (c->joint.wanted) {
        joint_free(&c->joint);
        if (!joint_begin(&c->joint, &c->scene, &c->question))
            return words_out_of_memory(c->w);
    }
    return EXIT_CLEAN;
}

// Goes to a frame. If it cannot be read, skips it with a note and sets *skipped, unless --strict.
static int go_to(check *c, size_t frame, bool *skipped)
{
    char reason[600] = "";
    *skipped = false;
    c->w->caught = reason;
    c->w->caught_size = sizeof reason;
    bool jump = !c->moved_on;
    int result = scene_go(&c->scene, c->world, frame, jump, c->w);
    c->w->caught = NULL;
    c->moved_on = result == EXIT_CLEAN;
    if (result == EXIT_CLEAN && c->by.moved && c->by.moved(c->by.context, &c->scene, frame, jump) != SNAG_OK)
        return words_error(c->w, "frame %zu: %s", frame, c->by.message(c->by.context));
    if (result == EXIT_CLEAN)
        return c->scene.changed ? renew_bodies(c, frame) : EXIT_CLEAN;
    if (c->o->strict || c->w->no_memory || c->scene.frame_count == 1)
        return words_error(c->w, "%s", reason);
    *skipped = true;
    c->summary.frames_skipped++;
    words_note(c->w, "skipping frame %zu: %s", frame, reason);
    return sinks_skip(&c->sinks, (frame_range){frame, frame}, reason);
}

// Goes to the first readable frame, from which the remaining defaults are chosen.
static int begin_frames(check *c, size_t *frame)
{
    size_t first = *frame;
    bool skipped = true;
    // The sinks begin with the first readable frame, so frames skipped before it are reported to them later.
    sink_list waiting = c->sinks;
    c->sinks.count = 0;
    int result = EXIT_CLEAN;
    for (; skipped && result == EXIT_CLEAN && *frame <= c->range.last; *frame += skipped)
        result = go_to(c, *frame, &skipped);
    c->sinks = waiting;
    if (result == EXIT_CLEAN && skipped)
        return words_error(c->w, "no frame can be read");
    if (result == EXIT_CLEAN)
        result = choose_lengths(c);
    if (result == EXIT_CLEAN)
        result = ignore_rest(&c->ignore, &c->question, c->w);
    if (result == EXIT_CLEAN && !contacts_index(&c->list))
        result = words_out_of_memory(c->w);
    if (result == EXIT_CLEAN)
        result = ignore_first(&c->ignore, c->world, c->list.body_of_index, &c->question, c->w);
    if (result == EXIT_CLEAN && c->by.starts &&
        !c->by.starts(c->by.context, &c->scene, &c->stretch, c->question.question == SNAG_IMPACTS))
        result = words_error(c->w, "%s", c->by.message(c->by.context));
    if (result == EXIT_CLEAN)
        result = sinks_begin(&c->sinks, &c->told);
    for (; first < *frame && result == EXIT_CLEAN; first++)
        result = sinks_skip(&c->sinks, (frame_range){first, first}, "cannot be read");
    return result;
}

static bool is_over(check *c)
{
    c->stopped = c->stopped || progress_interrupted();
    c->timed_out = c->timed_out || reading_time_is_over(c->o);
    return c->stopped || c->timed_out || (c->o->first && c->touching);
}

// For impacts, a frame without a predecessor is only the start of the next move.
static int run_frame(check *c, size_t frame)
{
    bool begins = !c->moved_on, skipped = false;
    int result = go_to(c, frame, &skipped);
    if (result != EXIT_CLEAN || skipped)
        return result;
    if (c->scene.changed && !begins && c->question.question == SNAG_IMPACTS) {
        c->summary.frames_skipped++;
        words_note(c->w, "skipping the move to frame %zu: its faces differ from the previous frame's", frame);
        return sinks_skip(&c->sinks, (frame_range){frame, frame},
                          "its faces differ from the previous frame's, so there is no move");
    }
    if (begins && c->question.question == SNAG_IMPACTS)
        return sinks_skip(&c->sinks, (frame_range){frame, frame}, "the previous frame cannot be read, so there is no move");
    return ask_frame(c, frame);
}

static void say_what_is_left(const check *c, size_t next)
{
    if (!c->touching)
        skipped_warn(&c->scene, c->w);
    if (c->stopped)
        words_error(c->w, "interrupted; the contacts found so far are incomplete");
    else if (c->timed_out)
        words_note(c->w, "--limit reached; not checked completely from frame %zu on", next ? next - 1 : 0);
    else if (c->o->first && c->touching && next <= c->range.last)
        words_note(c->w, "stopped at the first contacts; not checked from frame %zu on", next);
    else if (!c->searched_all)
        words_note(c->w, "--budget was too short for some frames; the contacts found are incomplete");
}

static int run_frames(check *c)
{
    size_t frame = c->range.first;
    c->stretch = c->range;
    c->started = progress_seconds();
    progress_begin(&c->progress, c->w, "frame", c->range.last - frame + 1);
    c->searched_all = true;
    int result = begin_frames(c, &frame);
    bool part = asker_is_part(&c->by);
    if (result == EXIT_CLEAN && c->question.question != SNAG_IMPACTS && !part) {
        result = warm_up(c);
        if (result == EXIT_CLEAN)
            result = ask_frame(c, frame);
    }
    // A stretch begins with a jump from the first frame, which tells the default lengths.
    c->moved_on = c->moved_on && !part;
    for (frame = part ? c->stretch.first : frame + 1; frame <= c->stretch.last && result == EXIT_CLEAN && !is_over(c); frame++) {
        progress_show(&c->progress, frame - c->range.first, 0);
        result = run_frame(c, frame);
    }
    progress_end(&c->progress);
    if (result == EXIT_CLEAN)
        result = skip_missing(c);
    if (result == EXIT_CLEAN && frame > c->stretch.last && !c->stopped && c->by.done)
        result = c->by.done(c->by.context);
    place_book_close(&c->book);
    c->summary.seconds = progress_seconds() - c->started;
    c->summary.complete = c->searched_all;
    if (frame <= c->stretch.last || c->stopped || c->timed_out || c->summary.frames_skipped || skipped_count(&c->scene))
        c->summary.complete = false;
    bool overlaps = c->question.question == SNAG_INTERSECTIONS || c->question.question == SNAG_PENETRATIONS;
    if (result == EXIT_CLEAN && c->touching && overlaps)
        result = hints_note(&c->scene, c->w);
    if (result == EXIT_CLEAN)
        say_what_is_left(c, frame);
    return result;
}

// Contacts found count even if the search ended early; "clean" needs a complete search.
static int exit_code(const check *c)
{
    if (c->stopped)
        return EXIT_ERROR;
    if (c->touching)
        return EXIT_CONTACTS;
    return c->summary.complete ? EXIT_CLEAN : EXIT_ERROR;
}

static void free_check(check *c)
{
    stream_free(&c->stream);
    sinks_free(&c->sinks);
    contacts_free(&c->list);
    ignore_free(&c->ignore);
    frame_places_free(&c->places);
    place_book_free(&c->book);
    joint_free(&c->joint);
    free(c->bodies);
    free(c->positions);
    free(c->degenerate);
    snag_world_destroy(c->world);
    scene_close(&c->scene);
}

int check_run(const options *o, const asker *by, words *w)
{
    check c = {.o = o, .w = w, .by = *by};
    int result = prepare(&c);
    if (result == EXIT_CLEAN)
        result = run_frames(&c);
    if (result == EXIT_CLEAN)
        result = ignore_end(&c.ignore, w);
    if (result == EXIT_CLEAN)
        result = sinks_end(&c.sinks, &c.summary);
    if (result == EXIT_CLEAN)
        result = exit_code(&c);
    free_check(&c);
    return result;
}

int verb_check(const options *o, words *w)
{
    size_t part, parts;
    if (o->batch)
        return batch_run(o, w);
    if (o->jobs > 0 && o->part)
        return words_error(w, "--jobs runs all parts, --part one of them; choose one");
    if (o->jobs > 0)
        return parts_run_jobs(o, w);
    if (o->part && !o->parts)
        return words_error(w, "--part needs a folder for its answers: --parts FOLDER");
    if (o->parts && !o->part)
        return words_error(w, "--parts FOLDER needs --part I/N or --jobs N; to join parts: snag merge FOLDER");
    if (o->part)
        return parts_read(o->part, w, &part, &parts) ? parts_search(o, part, parts, w) : EXIT_ERROR;
    return check_run(o, &(asker){.ask = NULL}, w);
}
