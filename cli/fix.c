// snag fix: reads the frames of a scene one by one, lets the library free them, and writes what was proved.
#include "fix.h"

#include "check.h"
#include "common/coordinate.h"
#include "ignore.h"
#include "progress.h"
#include "sink.h"
#include "skipped.h"
#include "snag/mesh.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The part of the last frame's change that the next one starts from, and the size, in mean edges, below which it ends.
#define FADE 0.8
#define FADED 0.01

// ---- bodies ----

static void free_bodies(fix_run *run)
{
    for (size_t b = 0; b < run->body_count; b++) {
        free(run->bodies[b].positions);
        free(run->start[b]);
        free(run->change[b]);
        free(run->ones[b]);
        free(run->welded[b]);
    }
    free(run->bodies);
    free(run->start);
    free(run->change);
    free(run->ones);
    free(run->welded);
    free(run->rigid_ids);
    run->bodies = NULL;
    run->start = run->change = run->ones = NULL;
    run->welded = NULL;
    run->rigid_ids = NULL;
    run->body_count = run->rigid_count = 0;
}

static bool make_body(fix_run *run, size_t b)
{
    const scene_body *body = &run->scene.bodies[b];
    size_t count = body->source->vertex_count, room = 3 * count + 1;
    run->bodies[b] = (snag_response_body){.body = body->id, .vertex_count = count};
    run->bodies[b].positions = malloc(room * sizeof(double));
    run->start[b] = malloc(room * sizeof(double));
    run->change[b] = calloc(room, sizeof(double));
    if (!run->bodies[b].positions || !run->start[b] || !run->change[b])
        return false;
    if (run->o->weld && !body->source->tet_count && !(run->welded[b] = malloc((count + 1) * sizeof **run->welded)))
        return false;
    if (run->pinned[b])
        return true;
    run->ones[b] = malloc((count + 1) * sizeof(double));
    for (size_t v = 0; v < count && run->ones[b]; v++)
        run->ones[b][v] = 1;
    run->bodies[b].inverse_masses = run->ones[b];
    if (run->rigid[b])
        run->rigid_ids[run->rigid_count++] = body->id;
    return run->ones[b] != NULL;
}

// Makes arrays for the bodies of the scene, also when faces have changed.
static int make_bodies(fix_run *run)
{
    free_bodies(run);
    size_t count = run->scene.body_count;
    run->bodies = calloc(count + 1, sizeof *run->bodies);
    run->start = calloc(count + 1, sizeof *run->start);
    run->change = calloc(count + 1, sizeof *run->change);
    run->ones = calloc(count + 1, sizeof *run->ones);
    run->welded = calloc(count + 1, sizeof *run->welded);
    run->rigid_ids = calloc(count + 1, sizeof *run->rigid_ids);
    if (!run->bodies || !run->start || !run->change || !run->ones || !run->welded || !run->rigid_ids)
        return words_out_of_memory(run->w);
    run->body_count = count;
    for (size_t b = 0; b < count; b++)
        if (!make_body(run, b))
            return words_out_of_memory(run->w);
    return EXIT_CLEAN;
}

static int read_names(fix_run *run)
{
    const scene *s = &run->scene;
    run->pinned = calloc(s->body_count + 1, sizeof *run->pinned);
    run->rigid = calloc(s->body_count + 1, sizeof *run->rigid);
    int result = EXIT_CLEAN;
    if (!run->pinned || !run->rigid)
        return words_out_of_memory(run->w);
    for (size_t i = 0; i < run->o->pinned.count && result == EXIT_CLEAN; i++)
        result = ignore_mark_bodies(s, "pin", run->o->pinned.items[i], run->pinned, run->w);
    for (size_t i = 0; i < run->o->rigid.count && result == EXIT_CLEAN; i++)
        result = ignore_mark_bodies(s, "rigid", run->o->rigid.items[i], run->rigid, run->w);
    bool all = s->body_count > 0;
    for (size_t b = 0; b < s->body_count && result == EXIT_CLEAN; b++) {
        all = all && run->pinned[b];
        if (run->pinned[b] && run->rigid[b])
            result = words_error(run->w, "%s is both pinned (--pin) and rigid (--rigid); choose one", s->bodies[b].name);
    }
    if (result == EXIT_CLEAN && all)
        result = words_error(run->w, "every body is pinned, so that nothing may move; leave one out of --pin, or use --rigid");
    return result;
}

// Puts the positions of the frame into `start`, and with the last frame's change into the bodies.
static int take_frame(fix_run *run)
{
    for (size_t b = 0; b < run->body_count; b++) {
        const scene_body *body = &run->scene.bodies[b];
        double *start = run->start[b], *positions = run->bodies[b].positions;
        bool changed = false;
        for (size_t v = 0; v < run->bodies[b].vertex_count; v++)
            for (size_t k = 0; k < 3; k++) {
                size_t i = 3 * v + k;
                start[i] = coordinate_at(body->now, v, (int)k);
                changed = changed || run->change[b][i] != 0;
                positions[i] = start[i] + run->change[b][i];
            }
        run->bodies[b].start = changed ? start : NULL;
        if (run->welded[b] && snag_mesh_weld(body->now, NULL, run->welded[b]) != SNAG_OK)
            return words_out_of_memory(run->w);
    }
    return EXIT_CLEAN;
}

// Vertices that were welded follow the one that moved.
static void follow_welded(fix_run *run)
{
    for (size_t b = 0; b < run->body_count; b++)
        for (size_t v = 0; run->welded[b] && v < run->bodies[b].vertex_count; v++)
            memcpy(&run->bodies[b].positions[3 * v], &run->bodies[b].positions[3 * (size_t)run->welded[b][v]], 3 * sizeof(double));
}

// Keeps what was changed for the next frame, faded. Small rests end.
static void keep_change(fix_run *run, double mean_edge)
{
    for (size_t b = 0; b < run->body_count; b++)
        for (size_t v = 0; v < run->bodies[b].vertex_count; v++) {
            double *change = &run->change[b][3 * v], length = 0;
            for (size_t k = 0; k < 3; k++) {
                change[k] = FADE * (run->bodies[b].positions[3 * v + k] - run->start[b][3 * v + k]);
                length += change[k] * change[k];
            }
            if (!(sqrt(length) > FADED * mean_edge))
                change[0] = change[1] = change[2] = 0;
        }
}

static double tet_volume(const double *x, const uint32_t *corner)
{
    double a[3], b[3], c[3];
    for (size_t k = 0; k < 3; k++) {
        a[k] = x[3 * (size_t)corner[1] + k] - x[3 * (size_t)corner[0] + k];
        b[k] = x[3 * (size_t)corner[2] + k] - x[3 * (size_t)corner[0] + k];
        c[k] = x[3 * (size_t)corner[3] + k] - x[3 * (size_t)corner[0] + k];
    }
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void count_inverted(fix_run *run)
{
    for (size_t b = 0; b < run->body_count; b++) {
        const snag_io_body *source = run->scene.bodies[b].source;
        for (size_t k = 0; k < source->tet_count; k++) {
            const uint32_t *corner = source->tets + 4 * k;
            run->inverted += (tet_volume(run->start[b], corner) > 0) != (tet_volume(run->bodies[b].positions, corner) > 0);
        }
    }
}

// ---- frames ----

static int keep_report(fix_run *run, size_t frame, const snag_fix_report *report)
{
    if (!words_grow((void **)&run->frames, &run->frame_capacity, run->frame_count + 1, sizeof *run->frames))
        return words_out_of_memory(run->w);
    fixed_frame *f = &run->frames[run->frame_count++];
    *f = (fixed_frame){.frame = frame, .report = *report};
    f->places = malloc((report->place_count + 1) * sizeof *f->places);
    f->bodies = malloc((report->place_count + 1) * sizeof *f->bodies);
    if (!f->places || !f->bodies)
        return words_out_of_memory(run->w);
    if (report->place_count)
        memcpy(f->places, report->places, report->place_count * sizeof *f->places);
    f->report.places = f->places;
    for (size_t i = 0; i < report->place_count; i++)
        for (size_t b = 0; b < run->body_count; b++) {
            if (run->scene.bodies[b].id.index == f->places[i].body_a.index)
                f->bodies[i][0] = (uint32_t)b;
            if (run->scene.bodies[b].id.index == f->places[i].body_b.index)
                f->bodies[i][1] = (uint32_t)b;
        }
    return EXIT_CLEAN;
}

int fix_place(fix_run *run, bool at_start)
{
    for (size_t b = 0; b < run->body_count; b++) {
        const double *positions = at_start ? run->start[b] : run->bodies[b].positions;
        if (snag_world_teleport(run->world, run->bodies[b].body, snag_positions_f64(positions, run->bodies[b].vertex_count)) !=
            SNAG_OK)
            return words_error(run->w, "%s", snag_world_message(run->world));
    }
    return EXIT_CLEAN;
}

int fix_count(const fix_run *run, snag_world *world, size_t *count)
{
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.output = SNAG_OUTPUT_COUNT;
    const snag_answer *answer;
    if (snag_world_ask(world, &ask, &answer) != SNAG_OK)
        return words_error(run->w, "%s", snag_world_message(world));
    *count = answer->count;
    return EXIT_CLEAN;
}

// After --limit frames are only counted, and written as they are.
static int count_frame(fix_run *run, snag_fix_report *report)
{
    for (size_t b = 0; b < run->body_count; b++)
        for (size_t i = 0; i < 3 * run->bodies[b].vertex_count; i++)
            run->bodies[b].positions[i] = run->single ? (double)(float)run->start[b][i] : run->start[b][i];
    *report = (snag_fix_report){0};
    int result = fix_place(run, false);
    if (result == EXIT_CLEAN)
        result = fix_count(run, run->world, &report->contacts);
    report->left = report->contacts;
    return result;
}

// Rounding to floats can make contacts, even where moving vertices cannot free them: says how many there were before.
static int count_unrounded(fix_run *run, fixed_frame *f)
{
    f->rounded = run->single && f->report.left > 0;
    if (!f->rounded)
        return EXIT_CLEAN;
    int result = fix_place(run, true);
    return result == EXIT_CLEAN ? fix_count(run, run->world, &f->unrounded) : result;
}

static int fix_frame(fix_run *run, progress *bar, snag_fix_report *report)
{
    snag_fix_def def = snag_default_fix_def();
    def.max_move = run->o->max_move;
    def.rigid = run->rigid_ids;
    def.rigid_count = run->rigid_count;
    def.single = run->single;
    def.sheets_yield = !run->o->move_solids;
    def.progress = progress_callback;
    def.context = bar;
    if (run->o->limit_us) {
        double left = 1e-6 * (double)run->o->limit_us - (progress_seconds() - run->o->started);
        if (left <= 0) {
            run->stopped = true;
            return count_frame(run, report);
        }
        def.budget_us = (uint64_t)(1e6 * left) + 1;
    }
    if (snag_response_fix(run->response, run->world, &def, run->bodies, run->body_count, report) != SNAG_OK)
        return words_error(run->w, "%s", snag_response_message(run->response));
    if (progress_interrupted())
        return words_error(run->w, "stopped; nothing was written");
    run->stopped = run->stopped || !report->complete;
    // Even the first search was cut short: the contacts are still to be counted.
    return !report->complete && report->place_count == 0 ? count_frame(run, report) : EXIT_CLEAN;
}

static int run_frames(fix_run *run, fix_files *files, size_t first, size_t last)
{
    progress bar;
    int result = EXIT_CLEAN;
    double mean_edge = 0;
    progress_begin(&bar, run->w, "frame", last - first + 1);
    for (size_t frame = first; frame <= last && result == EXIT_CLEAN; frame++) {
        snag_fix_report report = {0};
        progress_show(&bar, frame - first, 0);
        result = scene_go(&run->scene, run->world, frame, true, run->w);
        if (result == EXIT_CLEAN && run->scene.changed)
            result = files->form == FIX_MESH
                         ? make_bodies(run)
                         : words_error(run->w,
                                       "frame %zu has other faces than those before it, which a cache cannot hold; "
                                       "give --out as a mesh file",
                                       frame);
        if (result == EXIT_CLEAN)
            result = take_frame(run);
        if (result == EXIT_CLEAN)
            result = fix_frame(run, &bar, &report);
        if (result != EXIT_CLEAN)
            break;
        follow_welded(run);
        count_inverted(run);
        mean_edge = report.mean_edge > 0 ? report.mean_edge : mean_edge;
        keep_change(run, mean_edge);
        result = keep_report(run, frame, &report);
        if (result == EXIT_CLEAN)
            result = count_unrounded(run, &run->frames[run->frame_count - 1]);
        if (result == EXIT_CLEAN)
            result = fix_files_write(files, run, frame);
    }
    progress_end(&bar);
    return result;
}

// ---- the verb ----

static int prepare(fix_run *run, size_t *first, size_t *last)
{
    const options *o = run->o;
    int result = scene_open(o, false, run->w, &run->scene);
    if (result != EXIT_CLEAN)
        return result;
    if (scene_is_on_disk(&run->scene))
        return words_error(run->w, "a .snag file of blocks stays on disk and is not moved; give the mesh it was made from");
    *first = o->frames.first;
    *last = o->frames.last < run->scene.frame_count ? o->frames.last : run->scene.frame_count - 1;
    if (*first > *last)
        return words_error(run->w, "--frames: the scene has %zu frames, 0 to %zu", run->scene.frame_count,
                           run->scene.frame_count - 1);
    char reason[300];
    size_t missing = scene_first_missing(&run->scene, reason, sizeof reason);
    if (missing <= *last)
        return words_error(run->w, "%s; give --frames to leave out what is missing", reason);
    result = read_names(run);
    if (result == EXIT_CLEAN)
        result = scene_create_world(o, &run->world, run->w);
    if (result == EXIT_CLEAN)
        result = scene_add(&run->scene, o, run->world, run->w);
    if (result == EXIT_CLEAN && snag_response_create(NULL, &run->response) != SNAG_OK)
        result = words_out_of_memory(run->w);
    return result == EXIT_CLEAN ? make_bodies(run) : result;
}

static int exit_code(const fix_run *run)
{
    for (size_t i = 0; i < run->frame_count; i++)
        if (run->frames[i].report.left)
            return EXIT_CONTACTS;
    return EXIT_CLEAN;
}

static void free_run(fix_run *run)
{
    free_bodies(run);
    for (size_t i = 0; i < run->frame_count; i++) {
        free(run->frames[i].places);
        free(run->frames[i].bodies);
    }
    free(run->frames);
    free(run->pinned);
    free(run->rigid);
    snag_response_destroy(run->response);
    snag_world_destroy(run->world);
    scene_close(&run->scene);
}

// The page: a check of the input, with the output as what became of it.
static int write_report(const fix_run *run, const fix_files *files)
{
    options o = *run->o;
    o.question = SNAG_INTERSECTIONS;
    o.question_given = true;
    o.silent = true;
    o.json = o.jsonl = false;
    o.limit_us = 0;
    const char *folder[] = {run->o->fix_out};
    o.after = (text_list){.items = (const char **)files->wanted, .count = files->count};
    if (files->form == FIX_FOLDER)
        o.after = (text_list){.items = folder, .count = 1};
    o.after_sequence = files->form == FIX_MESH && files->numbered;
    return check_run(&o, &(asker){.ask = NULL}, run->w) == EXIT_ERROR ? EXIT_ERROR : EXIT_CLEAN;
}

// Refuses a page that could not be made in the end.
static int check_report(const fix_run *run)
{
    const options *o = run->o;
    size_t length = strlen(o->fix_out);
    if (!o->report)
        return EXIT_CLEAN;
    if (!sink_report_is_built())
        return words_error(run->w, "--report: this tool was built without the report page");
    if (o->overwrite && scene_reads(&run->scene, o->fix_out))
        return words_error(run->w, "--report shows the input beside the output, but --overwrite replaces it; choose another --out");
    if (scene_reads(&run->scene, o->report) || strcmp(o->report, o->fix_out) == 0)
        return words_error(run->w, "--report %s: this would overwrite an input or --out; choose another name", o->report);
    if (length > 4 && strcmp(o->fix_out + length - 4, ".stl") == 0)
        return words_error(run->w, "--report: an STL has no vertices that could be compared with the input's; write .ply or .obj");
    return EXIT_CLEAN;
}

int verb_fix(const options *o, words *w)
{
    if (!o->fix_out)
        return words_error(w, "no output; give --out FILE, such as -o fixed.obj");
    if (!o->fix_out[0])
        return words_error(w, "--out: the name is empty");
    fix_run run = {.o = o, .w = w, .single = fix_files_are_floats(o->fix_out)};
    fix_files files = {0};
    size_t first = 0, last = 0;
    progress_catch_interrupt();  // so that Ctrl-C leaves no half-written file
    int result = prepare(&run, &first, &last);
    if (result == EXIT_CLEAN)
        result = check_report(&run);
    if (result == EXIT_CLEAN)
        result = fix_files_open(&files, &run, last - first + 1);
    if (result == EXIT_CLEAN)
        result = run_frames(&run, &files, first, last);
    int closed = fix_files_close(&files, &run, result == EXIT_CLEAN);
    result = result == EXIT_CLEAN ? closed : result;
    if (result == EXIT_CLEAN) {
        for (size_t i = 0; i < run.scene.file_count; i++)
            skipped_note(run.scene.files[i].path, &run.scene.files[i].mesh, o->curved, w);
        if (o->report)
            result = write_report(&run, &files);
        (o->json ? fix_print_json : fix_print)(&run, &files);
        result = result == EXIT_CLEAN ? exit_code(&run) : result;
    }
    fix_files_free(&files);
    free_run(&run);
    return result;
}
