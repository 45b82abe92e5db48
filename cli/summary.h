// The summary of a run as text that fits a screen: pairs of bodies with their frames, the worst places, and what to do next.
#ifndef SNAG_CLI_SUMMARY_H
#define SNAG_CLI_SUMMARY_H

#include "sink.h"

// Pairs of bodies and the worst three places.
void summary_print(const sink_scene *about, const sink_summary *summary);
// Commands to go on with.
void summary_next(const sink_scene *about, const sink_summary *summary, const options *o);

#endif
