// snag demo: simulates a scene, checks it frame by frame, prints a table and writes a sequence that other programs and
// `snag check` can open.
#include "common/any_question.h"
#include "contacts.h"
#include "demo_folder.h"
#include "json.h"
#include "progress.h"
#include "sim_scenes.h"
#include "sink.h"
#include "snag/sim.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MESH_NAME "mesh_00.obj"
#define PAIRS_NAME "contacts.csv"
#define REPORT_NAME "report.html"

typedef struct demo_body {
    snag_sim_body now;
    snag_body_id id;
    snag_body_info info;
    float *xyz;  // checked as written: caches store floats
    snag_io_pc2 *cache;
} demo_body;

typedef struct demo_frame {
    size_t self, between;
    double ms;
} demo_frame;

typedef struct demo {
    const options *o;
    words *w;
    demo_folder folder;
    snag_sim *sim;
    snag_world *world;
    demo_body *bodies;
    size_t body_count;
    contact_list list;
    frame_places places;
    place_book book;
    snag_io_pairs *pairs;
    sink *report;  // NULL: this tool was built without the page
    sink_scene told;  // scene description for the report, and its arrays
    sink_body *told_bodies;
    snag_positions *positions;
    size_t *degenerate;
    any_question question;
    progress progress;
    demo_frame *frames;
    size_t frame_count;
    size_t total;
    snag_method method;
    bool complete;
} demo;

// ---- before the first frame ----------------------------------------------------------------------------------------

static int create_sim(demo *d)
{
    size_t index;
    int found = sim_scene_find(d->o->scene, d->w, &index);
    if (found != EXIT_CLEAN)
        return found;
    snag_sim_def def = snag_default_sim_def();
    def.scene = d->o->scene;
    def.size = d->o->size;
    def.threads = d->o->threads;
    // Cloth without response shows the most contacts; soft bodies without response would just fall through each other.
    def.response = SNAG_SIM_RESPONSE_NONE;
    snag_status status = snag_sim_create(&def, &d->sim);
    if (status == SNAG_OK && snag_sim_body_at(d->sim, 0).tet_count > 0) {
        snag_sim_destroy(d->sim);
        def.response = SNAG_SIM_RESPONSE_SCENE;
        status = snag_sim_create(&def, &d->sim);
    }
    if (status == SNAG_ERROR_ARGUMENT || status == SNAG_ERROR_SIZE)
        return words_error(d->w, "cannot create scene %s at size %g; try --size 1", def.scene, def.size);
    if (status != SNAG_OK)
        return words_error(d->w, "cannot create scene %s: %s", def.scene, snag_status_name(status));
    return EXIT_CLEAN;
}

static void take_positions(demo_body *body)
{
    for (size_t i = 0; i < 3 * body->now.vertex_count; i++)
        body->xyz[i] = (float)body->now.positions[i];
}

static snag_status add_body(demo *d, demo_body *body)
{
    snag_positions positions = snag_positions_f32(body->xyz, body->now.vertex_count);
    if (body->now.tet_count) {
        snag_body_def def = snag_default_body_def();
        def.positions = positions;
        def.tets = body->now.tets;
        def.tet_count = body->now.tet_count;
        def.name = body->now.name;
        return snag_world_add(d->world, &def, &body->id);
    }
    snag_body_def def = snag_default_body_def();
    def.positions = positions;
    def.triangles = body->now.triangles;
    def.triangle_count = body->now.triangle_count;
    def.name = body->now.name;
    return snag_world_add(d->world, &def, &body->id);
}

static int add_bodies(demo *d)
{
    d->body_count = snag_sim_body_count(d->sim);
    d->bodies = calloc(d->body_count + 1, sizeof *d->bodies);
    if (!d->bodies || !contacts_begin(&d->list, d->body_count))
        return words_out_of_memory(d->w);
    uint32_t first_vertex = 0, first_face = 0;
    for (size_t i = 0; i < d->body_count; i++) {
        demo_body *body = &d->bodies[i];
        body->now = snag_sim_body_at(d->sim, i);
        body->xyz = malloc((3 * body->now.vertex_count + 1) * sizeof *body->xyz);
        if (!body->xyz)
            return words_out_of_memory(d->w);
        take_positions(body);
        if (add_body(d, body) != SNAG_OK || snag_world_body(d->world, body->id, &body->info) != SNAG_OK)
            return words_error(d->w, "%s: %s", d->o->scene, snag_world_message(d->world));
        // Elements are numbered through the whole file, body after body.
        d->list.bodies[i] =
            (contact_body){.name = body->now.name, .id = body->id, .first_vertex = first_vertex, .first_face = first_face};
        first_vertex += (uint32_t)body->now.vertex_count;
        first_face += (uint32_t)body->info.triangle_count;
    }
    return EXIT_CLEAN;
}

static int write_mesh(demo *d)
{
    char *path = demo_folder_path(&d->folder, MESH_NAME);
    snag_io_surface *surfaces = calloc(d->body_count + 1, sizeof *surfaces);
    snag_io_error error;
    int result = EXIT_CLEAN;
    for (size_t i = 0; surfaces && i < d->body_count; i++) {
        const demo_body *body = &d->bodies[i];
        surfaces[i].positions = snag_positions_f32(body->xyz, body->now.vertex_count);
        surfaces[i].triangles = body->info.triangles;
        surfaces[i].triangle_count = body->info.triangle_count;
        surfaces[i].name = body->now.name;
    }
    if (!path || !surfaces)
        result = words_out_of_memory(d->w);
    else if (snag_io_write_obj(path, surfaces, d->body_count, &error) != SNAG_OK)
        result = words_error(d->w, "%s", error.message);
    free(surfaces);
    free(path);
    return result;
}

static bool describe_scene(demo *d)
{
    d->told_bodies = calloc(d->body_count + 1, sizeof *d->told_bodies);
    d->positions = calloc(d->body_count + 1, sizeof *d->positions);
    d->degenerate = calloc(d->body_count + 1, sizeof *d->degenerate);
    if (!d->told_bodies || !d->positions || !d->degenerate)
        return false;
    for (size_t i = 0; i < d->body_count; i++)
        d->told_bodies[i] = (sink_body){.name = d->bodies[i].now.name, .info = d->bodies[i].info};
    d->told = (sink_scene){
        .world = d->world,
        .question = &d->question,
        .questions = {d->question.question},
        .question_count = 1,
        .bodies = d->told_bodies,
        .body_count = d->body_count,
        .frames = {0, d->o->frame_count - 1},
        .up = 'z',
    };
    return true;
}

static int open_report(demo *d)
{
    if (!sink_report_is_built())
        return EXIT_CLEAN;
    char *path = describe_scene(d) ? demo_folder_path(&d->folder, REPORT_NAME) : NULL;
    int result = path ? sink_report_make(d->o, path, d->w, &d->report) : words_out_of_memory(d->w);
    free(path);
    return result == EXIT_CLEAN ? d->report->type->begin(d->report, &d->told) : result;
}

static int open_outputs(demo *d)
{
    snag_io_error error;
    progress_catch_interrupt();  // before the first file is created, so that Ctrl-C leaves no half-written file
    for (size_t i = 0; i < d->body_count; i++) {
        char *path = demo_folder_path(&d->folder, d->folder.names[i]);
        if (!path)
            return words_out_of_memory(d->w);
        snag_status status = snag_io_pc2_create(path, d->bodies[i].now.vertex_count, &d->bodies[i].cache, &error);
        free(path);
        if (status != SNAG_OK)
            return words_error(d->w, "%s", error.message);
    }
    char *path = demo_folder_path(&d->folder, PAIRS_NAME);
    if (!path)
        return words_out_of_memory(d->w);
    snag_status status = snag_io_pairs_create(path, &d->pairs, &error);
    free(path);
    return status == SNAG_OK ? open_report(d) : words_error(d->w, "%s", error.message);
}

// The caches come first in the list, in the order of the bodies.
static int prepare_folder(demo *d)
{
    d->folder.path = d->o->out;
    for (size_t i = 0; i < d->body_count; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s.pc2", d->bodies[i].now.name);
        if (!demo_folder_add(&d->folder, name))
            return words_out_of_memory(d->w);
    }
    if (!demo_folder_add(&d->folder, MESH_NAME) || !demo_folder_add(&d->folder, PAIRS_NAME) ||
        (sink_report_is_built() && !demo_folder_add(&d->folder, REPORT_NAME)))
        return words_out_of_memory(d->w);
    return demo_folder_prepare(&d->folder, d->w);
}

static int prepare(demo *d)
{
    d->question = any_default(SNAG_INTERSECTIONS);
    d->question.method = d->o->method;
    d->question.progress = progress_callback;
    d->question.context = &d->progress;
    int result = create_sim(d);
    if (result == EXIT_CLEAN)
        result = scene_create_world(d->o, &d->world, d->w);
    if (result == EXIT_CLEAN && !snag_method_finds_self(d->o->method, SNAG_INTERSECTIONS))
        result = words_error(d->w, "method %s cannot find self-intersections, which the demo needs; drop --method",
                             snag_method_name(d->o->method));
    if (result == EXIT_CLEAN)
        result = add_bodies(d);
    if (result == EXIT_CLEAN)
        result = prepare_folder(d);
    if (result == EXIT_CLEAN)
        result = write_mesh(d);
    if (result == EXIT_CLEAN)
        result = open_outputs(d);
    if (result != EXIT_CLEAN)
        return result;
    d->frames = d->o->frame_count < SIZE_MAX / sizeof *d->frames ? calloc(d->o->frame_count, sizeof *d->frames) : NULL;
    return d->frames ? EXIT_CLEAN : words_out_of_memory(d->w);
}

// ---- frames --------------------------------------------------------------------------------------------------------

static int step(demo *d, size_t frame)
{
    snag_status status = frame > 0 ? snag_sim_step(d->sim) : SNAG_OK;
    if (status != SNAG_OK)
        return words_error(d->w, "cannot simulate frame %zu: %s", frame, snag_status_name(status));
    if (snag_world_begin_step(d->world) != SNAG_OK)
        return words_error(d->w, "frame %zu: %s", frame, snag_world_message(d->world));
    for (size_t i = 0; i < d->body_count; i++) {
        demo_body *body = &d->bodies[i];
        snag_io_error error;
        body->now = snag_sim_body_at(d->sim, i);
        take_positions(body);
        snag_positions positions = snag_positions_f32(body->xyz, body->now.vertex_count);
        if (snag_world_move(d->world, body->id, positions) != SNAG_OK)
            return words_error(d->w, "frame %zu: %s", frame, snag_world_message(d->world));
        if (snag_io_pc2_write(body->cache, positions, &error) != SNAG_OK)
            return words_error(d->w, "%s", error.message);
    }
    return EXIT_CLEAN;
}

// Square-root scale: 5 and 10 differ visibly, and thousands still fit.
static void print_bar(size_t contacts)
{
    for (double i = 0; i < 0.8 * sqrt((double)contacts) && i < 60; i++)
        putchar('#');
}

static void print_row(demo *d, size_t frame)
{
    if (d->o->json || d->o->quiet)
        return;
    const demo_frame *result = &d->frames[frame];
    words_clear_bar(d->w);
    if (frame == 0)
        printf("frame     self  between       ms\n");
    printf("%5zu %8zu %8zu %8.1f  ", frame, result->self, result->between, result->ms);
    print_bar(result->self + result->between);
    putchar('\n');
    fflush(stdout);
}

static int report_frame(demo *d, size_t frame, const snag_answer *answer, double ms)
{
    if (!d->report)
        return EXIT_CLEAN;
    for (size_t i = 0; i < d->body_count; i++)
        d->positions[i] = snag_positions_f32(d->bodies[i].xyz, d->bodies[i].now.vertex_count);
    const sink_frame found = {
        .frame = frame,
        .positions = d->positions,
        .answer = answer,
        .contacts = &d->list,
        .places = &d->places,
        .degenerate = d->degenerate,
        .ms = ms,
    };
    return d->report->type->frame(d->report, &found);
}

static int ask(demo *d, size_t frame)
{
    const snag_answer *answer = NULL;
    snag_io_error error;
    double before = progress_seconds();
    if (any_ask(d->world, &d->question, &answer) != SNAG_OK)
        return words_error(d->w, "frame %zu: %s", frame, snag_world_message(d->world));
    double ms = 1e3 * (progress_seconds() - before);
    if (!contacts_fill(&d->list, answer))
        return words_out_of_memory(d->w);
    if (frame_places_fill(&d->places, d->world, answer, &d->list, d->w) != EXIT_CLEAN)
        return EXIT_ERROR;
    if (!place_book_add(&d->book, &d->places, &d->list, answer, frame))
        return words_out_of_memory(d->w);
    if (contacts_write(&d->list, frame, d->pairs, &error) != SNAG_OK)
        return words_error(d->w, "%s", error.message);
    d->frames[frame] = (demo_frame){d->list.self, d->list.between, ms};
    d->total += d->list.count;
    d->method = answer->method;
    d->complete = d->complete && answer->complete && !progress_interrupted();
    return report_frame(d, frame, answer, ms);
}

static int run_frames(demo *d)
{
    progress_begin(&d->progress, d->w, "frame", d->o->frame_count);
    d->complete = true;
    int result = EXIT_CLEAN;
    while (d->frame_count < d->o->frame_count && result == EXIT_CLEAN && d->complete) {
        progress_show(&d->progress, d->frame_count, 0);
        result = step(d, d->frame_count);
        if (result == EXIT_CLEAN)
            result = ask(d, d->frame_count);
        if (result == EXIT_CLEAN)
            print_row(d, d->frame_count++);
    }
    progress_end(&d->progress);
    if (result == EXIT_CLEAN && !d->complete)
        words_error(d->w, "interrupted; the files contain the frames so far");
    return result;
}

// ---- results -------------------------------------------------------------------------------------------------------

static int end_report(demo *d, sink *page)
{
    place_book_close(&d->book);
    sink_summary summary = {
        .book = &d->book,
        .complete = d->complete,
        .method = d->method,
        .contacts = d->total,
        .frames = d->frame_count,
    };
    for (size_t i = 0; i < d->frame_count; i++)
        summary.frames_with_contacts += d->frames[i].self + d->frames[i].between > 0;
    return page->type->end(page, &summary);
}

static int close_outputs(demo *d, bool keep)
{
    int result = EXIT_CLEAN;
    snag_io_error error;
    for (size_t i = 0; d->bodies && i < d->body_count; i++) {
        snag_io_pc2 *cache = d->bodies[i].cache;
        d->bodies[i].cache = NULL;
        if (cache && snag_io_pc2_close(cache, keep, &error) != SNAG_OK && keep)
            result = words_error(d->w, "%s", error.message);
    }
    snag_io_pairs *pairs = d->pairs;
    d->pairs = NULL;
    if (pairs && snag_io_pairs_close(pairs, keep, &error) != SNAG_OK && keep)
        result = words_error(d->w, "%s", error.message);
    sink *page = d->report;
    d->report = NULL;
    if (page && keep && result == EXIT_CLEAN)
        result = end_report(d, page);
    if (page)
        page->type->free(page);
    return result;
}

static void print_json(const demo *d)
{
    json j;
    json_begin(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "snag", snag_version());
    json_text(&j, "scene", d->o->scene);
    json_text(&j, "question", snag_question_name(SNAG_INTERSECTIONS));
    json_text(&j, "method", snag_method_name(d->method));
    json_count(&j, "threads", snag_world_threads(d->world));
    json_array(&j, "bodies");
    for (size_t i = 0; i < d->body_count; i++) {
        json_flat_object(&j, NULL);
        json_text(&j, "name", d->bodies[i].now.name);
        json_count(&j, "vertices", d->bodies[i].info.vertex_count);
        json_count(&j, "triangles", d->bodies[i].info.triangle_count);
        json_count(&j, "tets", d->bodies[i].info.tet_count);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_array(&j, "frames");
    for (size_t i = 0; i < d->frame_count; i++) {
        json_flat_object(&j, NULL);
        json_count(&j, "frame", i);
        json_count(&j, "contacts", d->frames[i].self + d->frames[i].between);
        json_ms(&j, "ms", d->frames[i].ms);
        json_count(&j, "self", d->frames[i].self);
        json_count(&j, "between", d->frames[i].between);
        json_close_object(&j);
    }
    json_close_array(&j);
    json_count(&j, "contacts_total", d->total);
    json_bool(&j, "complete", d->complete);
    json_text(&j, "folder", d->o->out);
    json_array(&j, "files");
    for (size_t i = 0; i < d->folder.name_count; i++)
        json_text(&j, NULL, d->folder.names[i]);
    json_text(&j, NULL, DEMO_LIST);
    json_close_array(&j);
    json_close_object(&j);
    json_end(&j);
}

static void print_beginning(const demo *d)
{
    if (d->o->json || d->o->quiet)
        return;
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        if (strcmp(snag_sim_scene_name(i), d->o->scene) == 0)
            printf("%s: %s\n", d->o->scene, snag_sim_scene_words(i));
    for (size_t i = 0; i < d->body_count; i++)
        printf("  %s: %zu vertices, %zu triangles\n", d->bodies[i].now.name, d->bodies[i].info.vertex_count,
               d->bodies[i].info.triangle_count);
    printf("Intersecting triangle pairs, within a body (self) and between bodies:\n\n");
}

static void print_findings(const demo *d)
{
    size_t with_contacts = 0, first = 0;
    double ms = 0;
    for (size_t i = d->frame_count; i-- > 0;) {
        ms += d->frames[i].ms;
        if (d->frames[i].self + d->frames[i].between) {
            with_contacts++;
            first = i;
        }
    }
    if (!d->o->quiet)
        putchar('\n');
    if (d->total)
        printf("%zu contacts in %zu of %zu frames, the first in frame %zu", d->total, with_contacts, d->frame_count, first);
    else
        printf("no contacts in %zu frames", d->frame_count);
    printf("; method %s, %.1f ms per frame\n", snag_method_name(d->method), ms / (double)(d->frame_count ? d->frame_count : 1));
    fputs("Written to ", stdout);
    words_put(stdout, d->o->out, 0);
    printf(": %s and a .pc2 for each body (open them in Blender), %s (every contact)\n", MESH_NAME, PAIRS_NAME);
    if (sink_report_is_built()) {
        fputs("Report: ", stdout);
        words_put(stdout, d->o->out, 0);
        printf("/%s\n", REPORT_NAME);
    }
    if (d->o->quiet)
        return;
    fputs("\nTry next:\n", stdout);
    char impacts[100];  // of the moves around the first contact
    snprintf(impacts, sizeof impacts, "check --question impacts --frames %zu:%zu", first ? first - 1 : 0, first + 1);
    const char *const tries[] = {"check", impacts, "info"};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        fputs("  ", stdout);
        words_put(stdout, d->w->program, 0);
        printf(" %s ", tries[i]);
        words_put(stdout, d->o->out, 0);
        putchar('\n');
    }
}

static void free_demo(demo *d)
{
    close_outputs(d, false);
    contacts_free(&d->list);
    frame_places_free(&d->places);
    place_book_free(&d->book);
    for (size_t i = 0; d->bodies && i < d->body_count; i++)
        free(d->bodies[i].xyz);
    free(d->bodies);
    free(d->told_bodies);
    free(d->positions);
    free(d->degenerate);
    free(d->frames);
    demo_folder_free(&d->folder);
    snag_world_destroy(d->world);
    snag_sim_destroy(d->sim);
}

int verb_demo(const options *o, words *w)
{
    demo d = {.o = o, .w = w};
    int result = prepare(&d);
    if (result == EXIT_CLEAN) {
        print_beginning(&d);
        result = run_frames(&d);
    }
    if (result == EXIT_CLEAN)
        result = close_outputs(&d, true);
    if (result == EXIT_CLEAN && o->json)
        print_json(&d);
    else if (result == EXIT_CLEAN)
        print_findings(&d);
    if (result == EXIT_CLEAN && !d.complete)
        result = EXIT_ERROR;
    free_demo(&d);
    return result;
}
