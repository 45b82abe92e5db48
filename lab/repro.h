// snag repro: the experiments of the five papers, each beside the paper's own numbers. One file for each paper; this is what
// they share.
#ifndef SNAG_LAB_REPRO_H
#define SNAG_LAB_REPRO_H

#include "../cli/options.h"
#include "page.h"
#include "../cli/progress.h"

typedef struct repro {
    words *w;
    page *page;
    progress progress;
    bool quick;
    size_t step;  // experiments begun
} repro;

typedef struct repro_paper {
    const char *name;  // as on the command line, and the id of its section
    const char *title;  // of its section
    const char *machine;  // that the paper's times are of
    size_t experiments;  // how often repro_begin is called
    // EXIT_CLEAN, or EXIT_ERROR after it was said why.
    int (*run)(repro *r);
} repro_paper;

extern const repro_paper repro_teschner, repro_madera, repro_kimmerle, repro_volino, repro_rodriguez;

// The next experiment begins. False: the user wants to stop.
bool repro_begin(repro *r);
// A part of the experiment is done: the context is the repro.
void repro_show(void *context, double done);
// Runs experiments one after the other, as long as none fails and the user does not want to stop.
int repro_run_parts(repro *r, int (*const parts[])(repro *), size_t count);
// Says what failed, and is EXIT_ERROR.
int repro_failed(repro *r, const char *what, snag_status status);
static inline page_judgement repro_judge(bool holds)
{
    return holds ? PAGE_HOLDS : PAGE_FAILS;
}

// ---- numbers -------------------------------------------------------------------------------------------------------

typedef struct repro_spread {
    double mean, least, most, deviation;
} repro_spread;

repro_spread repro_spread_of(const double *values, size_t count);
// The power with which y grows with x: the slope of the line nearest to the logarithms. NaN for fewer than two points.
double repro_power(const double *x, const double *y, size_t count);
// Spearman's rank correlation, -1 to 1: whether one grows with the other, however. Equal values share their rank.
double repro_rank_correlation(const double *x, const double *y, size_t count);

#endif
