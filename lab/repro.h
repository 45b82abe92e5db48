// snag repro: the experiments of the five papers, compared with the papers' numbers. One file per paper; shared code is here.
#ifndef SNAG_LAB_REPRO_H
#define SNAG_LAB_REPRO_H

#include "../cli/options.h"
#include "../cli/progress.h"
#include "verdicts.h"

typedef struct repro {
    words *w;
    page *page;
    progress progress;
    bool quick;
    const char *out;  // folder of the results
    size_t step;  // experiments begun
} repro;

typedef struct repro_paper {
    const char *name;  // as on the command line, and the id of its section
    const char *title;  // of its section
    const char *machine;  // on which the paper's times were measured
    size_t experiments;  // number of calls of repro_begin
    // EXIT_CLEAN, or EXIT_ERROR after printing the reason.
    int (*run)(repro *r);
} repro_paper;

extern const repro_paper repro_teschner, repro_madera, repro_kimmerle, repro_volino, repro_rodriguez;

// Begins the next experiment. False: the user wants to stop.
bool repro_begin(repro *r);
// Progress callback of an experiment; the context is the repro.
void repro_show(void *context, double done);
// Runs experiments one after the other, as long as none fails and the user does not want to stop.
int repro_run_parts(repro *r, int (*const parts[])(repro *), size_t count);
// Prints what failed and returns EXIT_ERROR.
int repro_failed(repro *r, const char *what, snag_status status);
// The ruling on times or on scenes of full size: a quick run is too small to tell.
static inline page_ruling repro_full(const repro *r, page_ruling ruling)
{
    return r->quick ? rule_skipped("the scenes of a quick run are too small to tell") : ruling;
}

// ---- numbers -------------------------------------------------------------------------------------------------------

typedef struct repro_spread {
    double mean, least, most, deviation;
} repro_spread;

repro_spread repro_spread_of(const double *values, size_t count);
// The exponent of growth of y with x: the slope of a least-squares line in log-log space. NaN for fewer than two points.
double repro_power(const double *x, const double *y, size_t count);
// Spearman's rank correlation, -1 to 1. Equal values share their rank.
double repro_rank_correlation(const double *x, const double *y, size_t count);

#endif
