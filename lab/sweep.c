// snag bench sweep: one question about any file or sequence, over the values of an option of a method.
//
// Every value has a world of its own, and all values are replayed in rounds; the time of a frame is the least of its rounds. Complete
// methods must find the same contacts whatever the value.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/any_question.h"
#include "papers/measure.h"
#include "../cli/progress.h"
#include "../cli/scene.h"
#include "../cli/tuning.h"
#include "lab.h"
#include "machine.h"
#include "page.h"

enum { MOST_VALUES = 32, ROUNDS = 3, MOST_FRAMES = 2000 };

typedef struct swept_value {
    char text[64];
    double ms[MOST_FRAMES];  // by frame, the least of all rounds
    double candidates, visited, tested, contacts, ratio;  // sums over the frames of the last round
    bool complete;
} swept_value;

typedef struct sweep {
    const options *o;
    words *w;
    char name[32];  // of the option
    swept_value *values;
    size_t count;
    any_question question;
    size_t first, frames;  // the first frame, and how many
    progress progress;
} sweep;

// ---- what is asked -------------------------------------------------------------------------------------------------

static int read_values(sweep *s)
{
    const char *list = s->o->sweep, *equals = list ? strchr(list, '=') : NULL;
    if (!equals || equals == list || (size_t)(equals - list) >= sizeof s->name)
        return words_error(s->w, "give an option and its values: --sweep k=6,14,18,26");
    memcpy(s->name, list, (size_t)(equals - list));
    for (const char *at = equals; at; at = strchr(at + 1, ',')) {
        size_t length = strcspn(at + 1, ",");
        if (length == 0 || length >= sizeof s->values->text)
            return words_error(s->w, "--sweep %s: a value is empty or too long; separate values by commas", list);
        if (s->count == MOST_VALUES)
            return words_error(s->w, "--sweep: at most %d values", (int)MOST_VALUES);
        memcpy(s->values[s->count++].text, at + 1, length);
    }
    any_question unused = any_default(SNAG_DISTANCE);
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < s->count && result == EXIT_CLEAN; i++)
        result = tuning_set("--sweep", s->name, s->values[i].text, &unused, s->w);
    return result;
}

// The method that has the option, and a question that it answers about these bodies.
static int choose_question(sweep *s, bool tets)
{
    static const snag_question order[] = {SNAG_PENETRATIONS, SNAG_INTERSECTIONS, SNAG_PROXIMITIES, SNAG_DISTANCE, SNAG_OVERLAPS};
    const options *o = s->o;
    snag_method method = o->method;
    for (int m = 1; m < SNAG_METHOD_COUNT && method == SNAG_METHOD_AUTO; m++)
        method = tuning_belongs(s->name, (snag_method)m) ? (snag_method)m : method;
    if (!tuning_belongs(s->name, method))
        return words_error(s->w, "--sweep %s: the method %s has no such option", s->name, snag_method_name(method));
    snag_question question = o->question_given ? o->question : SNAG_QUESTION_COUNT;
    if (strcmp(s->name, "epsilon") == 0 && !o->question_given)
        question = SNAG_DISTANCE;
    for (size_t i = tets ? 0 : 1; i < sizeof order / sizeof *order && question == SNAG_QUESTION_COUNT; i++)
        if (snag_method_answers(method, order[i]))
            question = order[i];
    if (question == SNAG_QUESTION_COUNT || !snag_method_answers(method, question))
        return words_error(s->w, "the method %s does not answer %s (`snag info` lists the methods for each question)",
                           snag_method_name(method),
                           question == SNAG_QUESTION_COUNT ? "any question" : snag_question_name(question));
    s->question = any_default(question);
    s->question.method = method;
    s->question.self = snag_method_finds_self(method, question);
    s->question.seed = 1;
    s->question.forced = method == SNAG_METHOD_REGULARITY;  // else kdop would answer where it is faster
    if (o->distance >= 0)
        s->question.distance = o->distance;
    else if (question == SNAG_PROXIMITIES)
        return words_error(s->w, "proximities need a distance: --distance D");
    return tuning_take_own(o, &s->question, s->w);
}

// ---- measuring -----------------------------------------------------------------------------------------------------

static int say_failure(const sweep *s, snag_world *world, const char *value)
{
    return words_error(s->w, "%s = %s: %s", s->name, value, snag_world_message(world));
}

static void keep(swept_value *v, const snag_answer *answer, bool last)
{
    v->complete = v->complete && answer->complete;
    if (!last)
        return;
    v->candidates += (double)answer->statistics->candidates;
    v->visited += (double)answer->statistics->visited;
    v->tested += (double)answer->statistics->tested;
    v->contacts += (double)answer->count;
    // Only `active` knows which part it has found.
    v->ratio += answer->complete || answer->method == SNAG_METHOD_ACTIVE ? answer->ratio : NAN;
}

static int replay_value(sweep *s, scene *from, size_t index, int round)
{
    swept_value *v = &s->values[index];
    any_question ask = s->question;
    snag_world *world = NULL;
    int result = tuning_set("--sweep", s->name, v->text, &ask, s->w);
    if (result == EXIT_CLEAN)
        result = scene_create_world(s->o, &world, s->w);
    if (result == EXIT_CLEAN)
        result = scene_add(from, s->o, world, s->w);
    for (size_t f = 0; f < s->frames && result == EXIT_CLEAN; f++) {
        result = scene_go(from, world, s->first + f, f == 0, s->w);
        if (result != EXIT_CLEAN)
            break;
        const snag_answer *answer = NULL;
        clockid_t clock = measure_clock(snag_world_threads(world));
        double start = measure_ms(clock);
        if (any_ask(world, &ask, &answer) != SNAG_OK) {
            result = say_failure(s, world, v->text);
            break;
        }
        double ms = measure_ms(clock) - start;
        v->ms[f] = round == 0 ? ms : fmin(v->ms[f], ms);
        keep(v, answer, round == ROUNDS - 1);
        if (progress_interrupted())
            result = words_error(s->w, "interrupted; nothing was written");
    }
    snag_world_destroy(world);
    return result;
}

// Whether complete answers differ in their number of contacts, which no value may change. Leaf spheres do depend on depth and backend,
// and regularity as in the paper may miss contacts.
static int compare(const sweep *s)
{
    const swept_value *first = NULL;
    for (size_t i = 0; i < s->count && s->question.question != SNAG_OVERLAPS; i++) {
        const swept_value *v = &s->values[i];
        if (!v->complete || strcmp(v->text, "paper") == 0)
            continue;
        if (first && first->contacts != v->contacts)
            return words_error(s->w, "%s = %s and %s find different contacts; this is a bug, so no time is printed", s->name,
                               first->text, v->text);
        first = v;
    }
    return EXIT_CLEAN;
}

// Milliseconds of a frame: without the first, which builds, if there are others.
static double mean_ms(const sweep *s, const swept_value *v)
{
    double sum = 0;
    for (size_t f = 1; f < s->frames; f++)
        sum += v->ms[f] / (double)(s->frames - 1);
    return s->frames > 1 ? sum : v->ms[0];
}

// ---- results -------------------------------------------------------------------------------------------------------

static void fill_page(const sweep *s, page *p)
{
    char caption[200];
    double frames = (double)s->frames;
    machine_add_facts(p);
    page_fact(p, "question", "%s, method %s", snag_question_name(s->question.question), snag_method_name(s->question.method));
    page_fact(p, "input", "%s, %zu frames", s->o->inputs.items[1], s->frames);
    page_section(p, "sweep", s->name);
    snprintf(caption, sizeof caption, "%s, %s: the option %s; means of a frame, time is the least of %d rounds",
             snag_question_name(s->question.question), snag_method_name(s->question.method), s->name, (int)ROUNDS);
    char columns[200];
    snprintf(columns, sizeof columns, "%s|ms|first frame, ms|candidates|visited|tested|contacts|part found", s->name);
    page_table(p, "values", caption, columns);
    for (size_t i = 0; i < s->count; i++) {
        const swept_value *v = &s->values[i];
        page_row(p);
        page_cell(p, "%s", v->text);
        page_number(p, mean_ms(s, v), 4);
        page_number(p, v->ms[0], 4);
        page_number(p, v->candidates / frames, 1);
        page_number(p, v->visited / frames, 1);
        page_number(p, v->tested / frames, 1);
        page_number(p, v->contacts / frames, 1);
        page_number(p, v->ratio / frames, 3);
    }
    bool numbers = true;
    char *end;
    for (size_t i = 0; i < s->count; i++) {
        strtod(s->values[i].text, &end);
        numbers = numbers && *end == 0;
    }
    static const char *const labels[2] = {"ms a frame", "candidates a frame"};
    for (int which = 0; which < 2; which++) {
        const char *id = which == 0 ? "time" : "candidates";
        if (numbers)
            page_plot(p, id, labels[which], s->name, labels[which], PAGE_FROM_ZERO);
        else
            page_bars(p, id, labels[which], labels[which], PAGE_FROM_ZERO);
        page_series(p, snag_method_name(s->question.method));
        for (size_t i = 0; i < s->count; i++) {
            const swept_value *v = &s->values[i];
            double y = which == 0 ? mean_ms(s, v) : v->candidates / frames;
            if (numbers)
                page_point(p, strtod(v->text, NULL), y);
            else
                page_bar(p, v->text, y);
        }
    }
}

static int write_results(const sweep *s)
{
    page *p = page_new("snag: sweep of an option");
    if (!p)
        return words_out_of_memory(s->w);
    fill_page(s, p);
    int result = page_failed(p) ? words_out_of_memory(s->w) : EXIT_CLEAN;
    if (result == EXIT_CLEAN && s->o->json)
        page_write_json(p, stdout);
    else if (result == EXIT_CLEAN) {
        printf("%s, method %s, %zu frame%s\n%-14s%12s%14s%14s%12s%12s%10s\n", snag_question_name(s->question.question),
               snag_method_name(s->question.method), s->frames, s->frames == 1 ? "" : "s", s->name, "ms", "candidates", "visited",
               "tested", "contacts", "found");
        for (size_t i = 0; i < s->count; i++) {
            const swept_value *v = &s->values[i];
            double n = (double)s->frames;
            printf("%-14s%12.4f%14.1f%14.1f%12.1f%12.1f", v->text, mean_ms(s, v), v->candidates / n, v->visited / n, v->tested / n,
                   v->contacts / n);
            if (isnan(v->ratio))
                printf("%10s\n", "?");
            else
                printf("%10.3f\n", v->ratio / n);
        }
    }
    if (result == EXIT_CLEAN && s->o->bench_out) {
        result = page_write_folder(p, s->o->bench_out, "sweep", s->w);
        if (result == EXIT_CLEAN && !s->o->json)
            printf("Report: %s/sweep.html\n", s->o->bench_out);
    }
    page_free(p);
    return result;
}

static int run_rounds(sweep *s, scene *from)
{
    int result = EXIT_CLEAN;
    progress_catch_interrupt();
    progress_begin(&s->progress, s->w, "replay", ROUNDS * s->count);
    for (size_t i = 0; i < s->count; i++)
        s->values[i].complete = true;
    for (int round = 0; round < ROUNDS && result == EXIT_CLEAN; round++)
        for (size_t i = 0; i < s->count && result == EXIT_CLEAN; i++) {
            progress_show(&s->progress, (size_t)round * s->count + i, 0);
            result = replay_value(s, from, i, round);
        }
    progress_end(&s->progress);
    return result == EXIT_CLEAN ? compare(s) : result;
}

static int choose_frames(sweep *s, const scene *from)
{
    size_t last = s->o->frames.last < from->frame_count ? s->o->frames.last : from->frame_count - 1;
    s->first = s->o->frames.first;
    if (s->first >= from->frame_count)
        return words_error(s->w, "--frames: there is no frame %zu; the scene has frames 0 to %zu", s->first, from->frame_count - 1);
    s->frames = last - s->first + 1;
    if (s->frames <= MOST_FRAMES)
        return EXIT_CLEAN;
    return words_error(s->w, "%zu frames are too many: choose at most %d with --frames A:B", s->frames, (int)MOST_FRAMES);
}

int bench_sweep(const options *o, words *w)
{
    if (o->sweep && strncmp(o->sweep, "leaf=", 5) == 0)
        return bench_sweep_leaf(o, w);
    sweep s = {.o = o, .w = w, .values = calloc(MOST_VALUES, sizeof *s.values)};
    if (!s.values)
        return words_out_of_memory(w);
    options inputs = *o;
    inputs.inputs.items = o->inputs.items + 1;
    inputs.inputs.count = o->inputs.count - 1;
    int result = read_values(&s);
    if (result == EXIT_CLEAN && inputs.inputs.count == 0)
        result = words_error(w, "give a mesh file, a folder or a sequence: snag bench sweep --sweep k=6,14,18,26 cloth.obj");
    if (result == EXIT_CLEAN && o->bench_out)
        result = page_check_folder(o->bench_out, "sweep", w);
    if (result == EXIT_CLEAN) {
        scene from;
        result = scene_open(&inputs, false, w, &from);
        if (result == EXIT_CLEAN)
            result = choose_question(&s, scene_has_tets(&from));
        if (result == EXIT_CLEAN)
            result = choose_frames(&s, &from);
        if (result == EXIT_CLEAN)
            result = run_rounds(&s, &from);
        scene_close(&from);
    }
    if (result == EXIT_CLEAN)
        result = write_results(&s);
    free(s.values);
    return result;
}
