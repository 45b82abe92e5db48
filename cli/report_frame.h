// A frame of a report: positions on a grid, and contacts.
#ifndef SNAG_CLI_REPORT_FRAME_H
#define SNAG_CLI_REPORT_FRAME_H

#include "contacts.h"
#include "report_block.h"

// Points, normals and values are stored for at most this many contacts of a frame, the most important ones; the others have only
// their elements. The page mentions it.
#define REPORT_DETAILED 20000
// Above this many contacts, points and normals are stored as floats to save space.
#define REPORT_EXACT 2000

// Distance between key frames, which have all positions, so that the page can start there.
#define REPORT_KEY_FRAMES 16

// The positions of a body as last written, in grid steps.
typedef struct report_track {
    uint32_t *steps;  // x of all vertices, then y, then z
    size_t vertex_count;
    double origin[3], step;
} report_track;

// Metadata the page needs before it has read all frames.
typedef struct report_range {
    double low[3], high[3];  // the box of all frames
    double value[2], time[2];  // lowest and highest value and time of detailed contacts
} report_range;

report_range report_empty_range(void);

// Adds a body's positions to the block: differences from the previous frame, or with `key` all of them. `scratch` has room for
// three numbers per vertex.
void report_positions(report_block *block, report_track *track, snag_positions positions, bool key, uint32_t *scratch,
                      report_range *range);

// Adds the contacts. False: no memory.
bool report_contacts(report_block *block, const contact_list *list, report_range *range);

// Adds the lines between the regions that were compared. False: no memory.
bool report_lines(report_block *block, const snag_answer *answer);

#endif
