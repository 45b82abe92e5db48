// The statistics of the method `active`: estimates which part of all contacts was found, from samples.
//
// A probe draws a few contacts with a known probability p, so that each has the weight 1/p (Horvitz-Thompson). The mean over many
// probes of the weight of all contacts is their number, and the mean of the weight of the known ones is the number of those. See
// docs/design/active.md for the assumptions.
#ifndef SNAG_METHOD_ACTIVE_RATIO_H
#define SNAG_METHOD_ACTIVE_RATIO_H

#include <stdbool.h>

// An estimate and its interval, all 0..1.
typedef struct snag__ratio {
    double ratio, low, high;
} snag__ratio;

// Sums over probes: x is the weight of the contacts of a probe, y that of the known ones.
typedef struct snag__tally {
    double probes, x, y, xx, xy, yy;
} snag__tally;

// The number of all contacts as a weighted mean over probes, in which older ones count less: sums of the factors and of factor times
// weight, and the same with squared factors.
typedef struct snag__census {
    double factor, x, factor2, x2, xx2;
} snag__census;

void snag__tally_add(snag__tally *tally, double x, double y);
// The weight of earlier steps, 0..1, after a body has moved this far since the last one (INFINITY: unknown): nearly 1 within a small
// part of the contact distance, 0.5 at twice that distance, 0 after a jump.
double snag__ratio_memory(double moved, double distance);
// The tally of this step and of earlier ones. Earlier ones count less the older they are, the more probes this step has, the more the
// number of contacts found has changed, and the less memory is left.
snag__tally snag__tally_join(const snag__tally *before, double found_before, const snag__tally *now, double found, double memory);
// The same for the count of all contacts, which changes little from step to step, whatever was found.
snag__census snag__census_join(const snag__census *before, const snag__tally *now, double memory);

snag__ratio snag__ratio_unknown(void);
// From the known part of the contacts that probes hit, or from the number found and the count of all contacts: whichever interval is
// narrower.
snag__ratio snag__ratio_from_probes(const snag__tally *tally, const snag__census *all, double found);
// Capture and recapture: of `landed` contacts, drawn as if with equal probability, `known` were known. This holds once clusters have
// grown over whole contact regions: `settled` says how far they have, 0 (just started: nothing is known) to 1.
snag__ratio snag__ratio_from_landings(double landed, double known, double settled);
// `settled` after one more step.
double snag__ratio_settle(double settled, double memory);

#endif
