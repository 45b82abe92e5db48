// snag sim: runs a scene with collision response and prints a summary: steps per second, contacts, penetration depths, energy
// and timings.
#include "json.h"
#include "progress.h"
#include "sim_data.h"
#include "sim_files.h"
#include "sim_scenes.h"
#include "verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Number of depth measurements per run, at most: each needs its own search.
#define MEASURES 24

typedef struct run {
    const options *o;
    words *w;
    size_t scene;
    snag_sim *sim;
    sim_files files;
    bool writes;
    size_t step_count;  // requested
    snag_sim_report *steps;  // done
    snag_sim_depth *depths;  // by step; `inside` SIZE_MAX: not measured
    size_t done;
    double seconds;
} run;

static int list_scenes(const options *o)
{
    if (o->json) {
        json j;
        json_begin(&j, stdout);
        json_object(&j, NULL);
        json_text(&j, "snag", snag_version());
        json_array(&j, "scenes");
        for (size_t i = 0; snag_sim_scene_name(i); i++) {
            json_flat_object(&j, NULL);
            json_text(&j, "name", snag_sim_scene_name(i));
            json_count(&j, "steps", snag_sim_scene_steps(i));
            json_text(&j, "data", sim_data_kind(i));
            json_text(&j, "words", snag_sim_scene_words(i));
            json_close_object(&j);
        }
        json_close_array(&j);
        json_close_object(&j);
        json_end(&j);
        return EXIT_CLEAN;
    }
    printf("scene             steps  description\n");
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        printf("%-16s %6u  %s\n", snag_sim_scene_name(i), (unsigned)snag_sim_scene_steps(i), snag_sim_scene_words(i));
    return EXIT_CLEAN;
}

// ---- before the first step -----------------------------------------------------------------------------------------

static snag_sim_response response_from(const char *name)
{
    static const char *const names[] = {"scene", "none", "contacts", "impacts", "bounds", "half-spaces"};
    for (int i = 0; name && i < 6; i++)
        if (strcmp(name, names[i]) == 0)
            return (snag_sim_response)i;
    return SNAG_SIM_RESPONSE_SCENE;
}

static int create(run *r)
{
    const options *o = r->o;
    snag_sim_def def = snag_default_sim_def();
    def.scene = snag_sim_scene_name(r->scene);
    def.size = o->size;
    def.seed = o->seed ? o->seed : 1;
    def.response = response_from(o->response);
    def.method = o->method;
    def.response_ratio = o->response_ratio;
    def.new_pairs = o->new_pairs < UINT32_MAX ? (uint32_t)o->new_pairs : UINT32_MAX;
    def.threads = o->threads;
    def.adaptive = o->adaptive;
    def.step_seconds = o->step_seconds;
    def.tear = o->tear;
    if (o->tear > 0 && !(o->tear > 1))
        return words_error(r->w, "--tear %g: cloth at rest has a stretch of 1, so give more than that, such as 1.5", o->tear);
    sim_data data;
    int result = sim_data_read(&data, r->scene, o->sim_data, o->sim_models, r->w);
    if (result != EXIT_CLEAN) {
        sim_data_free(&data);
        return result;
    }
    char why[300] = "";
    def.models = data.models;
    def.model_count = data.count;
    def.message = why;
    def.message_size = sizeof why;
    snag_status status = snag_sim_create(&def, &r->sim);
    sim_data_free(&data);
    if (status == SNAG_ERROR_UNSUPPORTED && !why[0])
        return words_error(r->w,
                           "method %s cannot answer the questions of scene %s; drop --method (snag info lists the methods for each "
                           "question)",
                           snag_method_name(o->method), def.scene);
    if (why[0])
        return words_error(r->w, "cannot create scene %s: %s", def.scene, why);
    if (status == SNAG_ERROR_ARGUMENT || status == SNAG_ERROR_SIZE)
        return words_error(r->w, "cannot create scene %s at size %g; try --size 1", def.scene, def.size);
    if (status != SNAG_OK)
        return words_error(r->w, "cannot create scene %s: %s", def.scene, snag_status_name(status));
    r->step_count = o->sim_steps ? o->sim_steps : snag_sim_scene_steps(r->scene);
    bool fits = r->step_count < SIZE_MAX / sizeof *r->steps;
    r->steps = fits ? calloc(r->step_count, sizeof *r->steps) : NULL;
    r->depths = fits ? calloc(r->step_count, sizeof *r->depths) : NULL;
    return r->steps && r->depths
               ? EXIT_CLEAN
               : words_error(r->w, "out of memory for the reports of %zu steps; set fewer --steps", r->step_count);
}

static int open_files(run *r)
{
    progress_catch_interrupt();  // before the first file is created, so that Ctrl-C leaves no half-written file
    if (!r->o->sim_out)
        return EXIT_CLEAN;
    r->writes = true;
    int result = sim_files_open(&r->files, r->o->sim_out, r->sim, snag_sim_scene_edits(r->scene) ? r->step_count + 1 : 0, r->w);
    return result == EXIT_CLEAN ? sim_files_write(&r->files, r->sim, r->w) : result;
}

// ---- steps ---------------------------------------------------------------------------------------------------------

// How far below a surface to look for penetrating vertices.
static double depth_reach(const run *r)
{
    return fmax(10 * snag_sim_thickness(r->sim), snag_sim_mean_edge(r->sim));
}

static int measure(run *r)
{
    size_t every = (r->step_count + MEASURES - 1) / MEASURES;
    snag_sim_depth *depth = &r->depths[r->done];
    if (r->done % every != every - 1 && r->done + 1 != r->step_count) {
        depth->inside = SIZE_MAX;
        return EXIT_CLEAN;
    }
    snag_status status = snag_sim_measure(r->sim, depth_reach(r), depth);
    return status == SNAG_OK ? EXIT_CLEAN : words_error(r->w, "%s", snag_sim_message(r->sim));
}

static int step(run *r)
{
    double began = progress_seconds();
    snag_status status = snag_sim_step(r->sim);
    r->seconds += progress_seconds() - began;
    if (status == SNAG_ERROR_NOT_FINITE)
        return words_error(r->w, "%s (%s); try a shorter --dt, or --adaptive", snag_sim_message(r->sim), snag_status_name(status));
    if (status != SNAG_OK)
        return words_error(r->w, "%s (%s)", snag_sim_message(r->sim), snag_status_name(status));
    r->steps[r->done] = snag_sim_last_step(r->sim);
    int result = measure(r);
    if (result == EXIT_CLEAN && r->writes)
        result = sim_files_write(&r->files, r->sim, r->w);
    r->done += result == EXIT_CLEAN;
    return result;
}

static int run_steps(run *r)
{
    progress bar;
    int result = EXIT_CLEAN;
    progress_begin(&bar, r->w, "step", r->step_count);
    while (r->done < r->step_count && result == EXIT_CLEAN && !progress_interrupted()) {
        progress_show(&bar, r->done, 0);
        result = step(r);
    }
    progress_end(&bar);
    if (result == EXIT_CLEAN && r->done < r->step_count)
        words_note(r->w, "stopped after %zu of %zu steps", r->done, r->step_count);
    return result;
}

// ---- results -------------------------------------------------------------------------------------------------------

typedef struct summary {
    double steps_per_second, contacts, worst, last_worst, mean_depth, ratio;
    double first_energy, highest_energy, last_energy;
    double solve, detect, respond, all;  // ms
    size_t cuts, substeps, merged, splits;
    size_t most_crossing, last_crossing;  // pairs of triangles
} summary;

static summary sum_up(const run *r)
{
    summary s = {.last_worst = NAN};
    for (size_t i = 0; i < r->done; i++) {
        const snag_sim_report *step = &r->steps[i];
        double energy = step->kinetic + step->height + step->elastic;
        s.contacts += (double)step->contacts / step->substeps;
        s.ratio += step->ratio;
        s.cuts += step->cuts;
        s.substeps += step->substeps;
        s.merged += step->merged;
        s.splits += step->splits;
        s.solve += step->solve_ms;
        s.detect += step->detect_ms;
        s.respond += step->respond_ms;
        s.all += step->step_ms;
        s.highest_energy = i == 0 ? energy : fmax(s.highest_energy, energy);
        s.last_energy = energy;
        if (i == 0)
            s.first_energy = energy;
        if (r->depths[i].inside != SIZE_MAX) {
            s.worst = fmax(s.worst, r->depths[i].worst);
            s.last_worst = r->depths[i].worst;
            s.mean_depth = r->depths[i].mean;
            s.last_crossing = r->depths[i].crossing;
            if (s.last_crossing > s.most_crossing)
                s.most_crossing = s.last_crossing;
        }
    }
    if (r->done > 0) {
        s.contacts /= (double)r->done;
        s.ratio /= (double)r->done;
    }
    s.steps_per_second = r->seconds > 0 ? (double)r->done / r->seconds : 0;
    return s;
}

static void print_words(const run *r)
{
    summary s = sum_up(r);
    double edge = snag_sim_mean_edge(r->sim), steps = r->done > 0 ? (double)r->done : 1, all = s.all > 0 ? s.all : 1;
    printf("%s: %zu steps in %.1f s, %.1f steps per second\n", snag_sim_scene_name(r->scene), r->done, r->seconds,
           s.steps_per_second);
    for (size_t b = 0; b < snag_sim_body_count(r->sim) && b < 8; b++) {
        snag_sim_body body = snag_sim_body_at(r->sim, b);
        fputs("  ", stdout);
        words_put(stdout, body.name, 12);
        printf(" %zu vertices, %zu triangles", body.vertex_count, body.triangle_count);
        if (body.tet_count)
            printf(", %zu tetrahedra", body.tet_count);
        putchar('\n');
    }
    if (snag_sim_body_count(r->sim) > 8)
        printf("  and %zu more bodies\n", snag_sim_body_count(r->sim) - 8);
    if (s.ratio > 0)
        printf("contacts      %.0f responses per substep (mean), %.0f %% of all contacts found\n", s.contacts, 100 * s.ratio);
    else
        printf("contacts      not looked for: %s\n", r->o->response && strcmp(r->o->response, "none") == 0
                                                         ? "--response none"
                                                         : "the motion of this scene is prescribed");
    printf("penetration   deepest vertex %.3g (%.2f %% of the mean edge), at the end %.3g\n", s.worst,
           edge > 0 ? 100 * s.worst / edge : 0, isnan(s.last_worst) ? 0 : s.last_worst);
    printf("crossing      at most %zu pair%s of triangles, at the end %zu\n", s.most_crossing, s.most_crossing == 1 ? "" : "s",
           s.last_crossing);
    if (snag_sim_scene_edits(r->scene))
        printf("torn or cut   %zu %s split\n", s.splits, s.splits == 1 ? "vertex" : "vertices");
    printf("energy        %.4g J after the first step, at most %.4g, at the end %.4g (kinetic, potential and elastic)\n",
           s.first_energy, s.highest_energy, s.last_energy);
    printf("substeps      %.1f per step; %zu halved because they exploded\n", (double)s.substeps / steps, s.cuts);
    printf("time per step   %.2f ms: solver %.2f (%.0f %%), detection %.2f (%.0f %%), response %.2f (%.0f %%)\n", s.all / steps,
           s.solve / steps, 100 * s.solve / all, s.detect / steps, 100 * s.detect / all, s.respond / steps, 100 * s.respond / all);
    if (r->writes) {
        fputs("Written to ", stdout);
        words_put(stdout, r->o->sim_out, 0);
        putchar('\n');
    }
}

static void print_json_steps(json *j, const run *r)
{
    json_array(j, "steps");
    for (size_t i = 0; i < r->done; i++) {
        const snag_sim_report *step = &r->steps[i];
        json_flat_object(j, NULL);
        json_count(j, "step", step->step);
        json_number(j, "time", step->time);
        json_count(j, "substeps", step->substeps);
        json_count(j, "contacts", step->contacts);
        json_number(j, "missing", step->missing);
        if (snag_sim_scene_edits(r->scene))
            json_count(j, "splits", step->splits);
        json_number(j, "ratio", step->ratio);
        json_number(j, "kinetic", step->kinetic);
        json_number(j, "height", step->height);
        json_number(j, "elastic", step->elastic);
        json_ms(j, "ms", step->step_ms);
        if (r->depths[i].inside != SIZE_MAX) {
            json_count(j, "inside", r->depths[i].inside);
            json_number(j, "worst", r->depths[i].worst);
            json_number(j, "mean", r->depths[i].mean);
            json_count(j, "crossing", r->depths[i].crossing);
        }
        json_close_object(j);
    }
    json_close_array(j);
}

static void print_json(const run *r)
{
    summary s = sum_up(r);
    json j;
    json_begin(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "snag", snag_version());
    json_text(&j, "scene", snag_sim_scene_name(r->scene));
    json_number(&j, "size", r->o->size);
    json_count(&j, "seed", r->o->seed ? r->o->seed : 1);
    json_text(&j, "method", snag_method_name(r->o->method));
    json_number(&j, "response_ratio", r->o->response_ratio);
    json_array(&j, "bodies");
    for (size_t b = 0; b < snag_sim_body_count(r->sim); b++) {
        snag_sim_body body = snag_sim_body_at(r->sim, b);
        json_flat_object(&j, NULL);
        json_text(&j, "name", body.name);
        json_count(&j, "vertices", body.vertex_count);
        json_count(&j, "triangles", body.triangle_count);
        json_count(&j, "tets", body.tet_count);
        json_close_object(&j);
    }
    json_close_array(&j);
    print_json_steps(&j, r);
    json_number(&j, "steps_per_second", s.steps_per_second);
    json_number(&j, "contacts_mean", s.contacts);
    json_number(&j, "ratio", s.ratio);
    json_number(&j, "worst_penetration", s.worst);
    json_number(&j, "last_penetration", s.last_worst);
    json_count(&j, "worst_crossing", s.most_crossing);
    json_count(&j, "last_crossing", s.last_crossing);
    json_number(&j, "mean_edge", snag_sim_mean_edge(r->sim));
    json_number(&j, "highest_energy", s.highest_energy);
    json_number(&j, "last_energy", s.last_energy);
    json_count(&j, "cuts", s.cuts);
    json_ms(&j, "solve_ms", s.solve);
    json_ms(&j, "detect_ms", s.detect);
    json_ms(&j, "respond_ms", s.respond);
    json_ms(&j, "ms", s.all);
    json_bool(&j, "complete", r->done == r->step_count);
    json_text(&j, "data", r->o->sim_data);
    json_text(&j, "out", r->o->sim_out);
    json_close_object(&j);
    json_end(&j);
}

int verb_sim(const options *o, words *w)
{
    if (o->inputs.count == 0)
        return list_scenes(o);
    if (o->inputs.count > 1)
        return words_error(w, "give one scene, not both %s and %s", o->inputs.items[0], o->inputs.items[1]);
    run r = {.o = o, .w = w};
    int result = sim_scene_find(o->inputs.items[0], w, &r.scene);
    if (result == EXIT_CLEAN)
        result = create(&r);
    if (result == EXIT_CLEAN)
        result = open_files(&r);
    if (result == EXIT_CLEAN)
        result = run_steps(&r);
    if (r.writes) {
        int closed = sim_files_close(&r.files, r.done > 0, w);
        result = result == EXIT_CLEAN ? closed : result;
    }
    if (result == EXIT_CLEAN && o->json)
        print_json(&r);
    else if (result == EXIT_CLEAN)
        print_words(&r);
    if (r.done < r.step_count)
        result = EXIT_ERROR;  // stopped before the end
    free(r.steps);
    free(r.depths);
    snag_sim_destroy(r.sim);
    return result;
}
