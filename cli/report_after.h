// Before and after: a report of a scene that was fixed holds the positions of both, and what still intersects.
#ifndef SNAG_CLI_REPORT_AFTER_H
#define SNAG_CLI_REPORT_AFTER_H

#include "report_frame.h"
#include "sink.h"

typedef struct report_after report_after;

// Opens the scene of --after, which has the vertices of the report's scene in the order of their numbers, however it is split into
// bodies. On failure prints the reason; free in any case.
int report_after_open(const options *o, const sink_scene *about, words *w, report_after **made);
// Adds the bodies of a frame to the block, as changes from the positions that the tracks have, which stay, and the contacts that are left.
int report_after_frame(report_after *after, const sink_frame *frame, report_block *block, report_track *tracks, uint32_t *scratch,
                       report_range *range);
// How many contacts the frames so far have.
size_t report_after_left(const report_after *after);
void report_after_free(report_after *after);

#endif
