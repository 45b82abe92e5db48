// snag repro: runs the experiments of the papers and writes a page that compares our numbers with theirs.
#define _POSIX_C_SOURCE 200809L
#include "repro.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "figures.h"
#include "machine.h"
#include "lab.h"
#include "papers/measure.h"

static const repro_paper *const papers[] = {&repro_teschner, &repro_madera, &repro_kimmerle, &repro_volino, &repro_rodriguez};
enum { PAPERS = sizeof papers / sizeof *papers };

// ---- shared by the papers ------------------------------------------------------------------------------------------

bool repro_begin(repro *r)
{
    progress_show(&r->progress, r->step++, 0);
    return !progress_interrupted();
}

void repro_show(void *context, double done)
{
    repro *r = context;
    progress_show(&r->progress, r->step > 0 ? r->step - 1 : 0, done);
}

int repro_run_parts(repro *r, int (*const parts[])(repro *), size_t count)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < count && result == EXIT_CLEAN && repro_begin(r); i++)
        result = parts[i](r);
    return result;
}

int repro_failed(repro *r, const char *what, snag_status status)
{
    if (status == SNAG_ERROR_MEMORY)
        return words_out_of_memory(r->w);
    return words_error(r->w, "%s: %s", what, snag_status_name(status));
}

repro_spread repro_spread_of(const double *values, size_t count)
{
    if (count == 0)
        return (repro_spread){NAN, NAN, NAN, NAN};
    repro_spread s = {0, values[0], values[0], 0};
    for (size_t i = 0; i < count; i++) {
        s.mean += values[i] / (double)count;
        s.least = fmin(s.least, values[i]);
        s.most = fmax(s.most, values[i]);
    }
    for (size_t i = 0; i < count; i++)
        s.deviation += (values[i] - s.mean) * (values[i] - s.mean) / (double)count;
    s.deviation = sqrt(s.deviation);
    return s;
}

double repro_power(const double *x, const double *y, size_t count)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        mean_x += log(x[i]) / (double)count;
        mean_y += log(y[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
        xy += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
    }
    return count < 2 || xx == 0 ? NAN : xy / xx;
}

// Rank: the number of smaller values, plus half the number of equal ones.
static double rank_of(const double *values, size_t count, double value)
{
    double rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += values[i] < value ? 1 : values[i] == value ? 0.5 : 0;
    return rank;
}

double repro_rank_correlation(const double *x, const double *y, size_t count)
{
    double middle = (double)count / 2, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        double a = rank_of(x, count, x[i]) - middle, b = rank_of(y, count, y[i]) - middle;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static int unknown_paper(const char *typed, words *w)
{
    const char *names[PAPERS + 1] = {"all"};
    for (size_t i = 0; i < PAPERS; i++)
        names[i + 1] = papers[i]->name;
    const char *nearest = words_nearest(typed, names, PAPERS + 1);
    return words_error(w, "unknown paper \"%s\"%s%s%s; papers: teschner, madera, kimmerle, volino, rodriguez and all", typed,
                       nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int choose_papers(const options *o, words *w, bool wanted[PAPERS])
{
    for (size_t i = 0; i < PAPERS; i++)
        wanted[i] = o->inputs.count == 0;
    for (size_t k = 0; k < o->inputs.count; k++) {
        bool is_all = strcmp(o->inputs.items[k], "all") == 0, is_known = is_all;
        for (size_t i = 0; i < PAPERS; i++) {
            bool is_this = is_all || strcmp(o->inputs.items[k], papers[i]->name) == 0;
            wanted[i] = wanted[i] || is_this;
            is_known = is_known || is_this;
        }
        if (!is_known)
            return unknown_paper(o->inputs.items[k], w);
    }
    return EXIT_CLEAN;
}

// Processor seconds of each paper go to `used`.
static int run_papers(repro *r, const bool wanted[PAPERS], double used[PAPERS])
{
    size_t experiments = 0;
    for (size_t i = 0; i < PAPERS; i++)
        experiments += wanted[i] ? papers[i]->experiments : 0;
    progress_begin(&r->progress, r->w, "experiment", experiments);
    int result = EXIT_CLEAN;
    for (size_t i = 0, before = 0; i < PAPERS && result == EXIT_CLEAN; i++) {
        if (!wanted[i])
            continue;
        r->step = before;
        before += papers[i]->experiments;
        page_section(r->page, papers[i]->name, papers[i]->title);
        page_words(r->page, "The paper's times were measured on a %s.", papers[i]->machine);
        double began = measure_cpu_ms();
        result = papers[i]->run(r);
        used[i] = 1e-3 * (measure_cpu_ms() - began);
        if (result == EXIT_CLEAN && progress_interrupted())
            result = words_error(r->w, "interrupted; no page was written");
    }
    progress_end(&r->progress);
    return result;
}

static void add_facts(repro *r, const options *o)
{
    char command[256] = "snag repro";
    for (size_t i = 0; i < o->inputs.count && strlen(command) < 200; i++)
        snprintf(command + strlen(command), sizeof command - strlen(command), " %.40s", o->inputs.items[i]);
    page_fact(r->page, "command", "%s%s", command, o->quick ? " --quick" : "");
    machine_add_facts(r->page);
    page_fact(r->page, "how measured", "one thread, processor time, the variants take turns in one process%s",
              o->quick ? "; quick: small scenes and few steps, so times are rough" : "");
}

// How long the run took: on an idle machine about its processor time, whatever else this one did meanwhile.
static void add_duration(repro *r, double seconds, const double used[PAPERS])
{
    char parts[160] = "";
    double sum = 0;
    for (size_t i = 0; i < PAPERS; i++) {
        size_t length = strlen(parts);
        if (used[i] > 0)
            snprintf(parts + length, sizeof parts - length, "%s%s %.0f", length > 0 ? ", " : "", papers[i]->name, used[i]);
        sum += used[i];
    }
    page_fact(r->page, "took", "%.0f s, %.0f s of processor time (%s)", seconds, sum, parts);
}

static int print_result(const repro *r, const options *o)
{
    if (o->json) {
        page_write_json(r->page, stdout);
    } else {
        page_write_verdicts(r->page, stdout);
        size_t holds = page_verdict_count(r->page, PAGE_HOLDS), fails = page_verdict_count(r->page, PAGE_FAILS);
        printf("\n%zu of %zu claims hold, %zu could not be judged\nReport: %s/repro.html\n", holds, holds + fails,
               page_verdict_count(r->page, PAGE_SKIPPED), o->repro_out);
    }
    return page_verdict_count(r->page, PAGE_FAILS) > 0 ? EXIT_CONTACTS : EXIT_CLEAN;
}

int verb_repro(const options *o, words *w)
{
    bool wanted[PAPERS];
    int result = choose_papers(o, w, wanted);
    if (result == EXIT_CLEAN)
        result = page_check_folder(o->repro_out, "repro", w);
    if (result == EXIT_CLEAN)
        result = figure_check_folder(o->repro_out, w);
    if (result != EXIT_CLEAN)
        return result;
    repro r = {.w = w, .quick = o->quick, .out = o->repro_out, .page = page_new("snag compared with the five papers")};
    if (!r.page)
        return words_out_of_memory(w);
    progress_catch_interrupt();
    double started = progress_seconds(), used[PAPERS] = {0};
    add_facts(&r, o);
    result = run_papers(&r, wanted, used);
    add_duration(&r, progress_seconds() - started, used);
    if (result == EXIT_CLEAN)
        result = page_write_folder(r.page, o->repro_out, "repro", w);
    if (result == EXIT_CLEAN)
        result = print_result(&r, o);
    page_free(r.page);
    return result;
}
