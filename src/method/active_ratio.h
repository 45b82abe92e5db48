// What part of all contacts was found, from samples of them: the statistics of the method `active`.
//
// A probe draws a few contacts with a probability p that is known, so that each stands for 1/p contacts. Over many probes, the
// mean of what their contacts weigh is the number of all contacts, and the mean of what the known ones weigh is the number of
// those. See docs/methods/active.md for what this assumes.
#ifndef SNAG_METHOD_ACTIVE_RATIO_H
#define SNAG_METHOD_ACTIVE_RATIO_H

#include <stdbool.h>

// An estimate and its interval, all 0..1.
typedef struct snag__ratio {
    double ratio, low, high;
} snag__ratio;

// Sums over probes: x is what the contacts of a probe weigh, y what those that were known do.
typedef struct snag__tally {
    double probes, x, y, xx, xy, yy;
} snag__tally;

// The number of all contacts, as the mean of what probes weigh, where older probes count less: sums of their factors and of
// factor x weight, and the same of the factors squared.
typedef struct snag__census {
    double factor, x, factor2, x2, xx2;
} snag__census;

void snag__tally_add(snag__tally *tally, double x, double y);
// What is left of what earlier steps tell, 0..1, once a body has moved so far since the last one (infinite: nobody knows how
// far): nearly all within a small part of the contact distance, half at twice that distance, nothing after a jump.
double snag__ratio_memory(double moved, double distance);
// The tally of a step, and of those before it as far as they still tell: the less the older they are, the more probes there are
// in this step, the more the number of contacts that are found has changed, and the less memory is left.
snag__tally snag__tally_join(const snag__tally *before, double found_before, const snag__tally *now, double found, double memory);
// The same of the count, which changes little from step to step, whatever was found.
snag__census snag__census_join(const snag__census *before, const snag__tally *now, double memory);

snag__ratio snag__ratio_unknown(void);
// From the known part of what probes came upon; or, where that tells less, from what was found and the count of all contacts.
snag__ratio snag__ratio_from_probes(const snag__tally *tally, const snag__census *all, double found);
// Capture and recapture: of `landed` contacts, drawn as if each were as likely as any other, `known` were known. That is so
// where clusters have grown over whole contact regions: `settled` says how far, 0 (just begun: nothing is known) to 1.
snag__ratio snag__ratio_from_landings(double landed, double known, double settled);
// How far clusters have grown in a step more, of which so much memory is left.
double snag__ratio_settle(double settled, double memory);

#endif
