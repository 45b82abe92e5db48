// What a report keeps of a frame: positions on a grid, and contacts.
#ifndef SNAG_CLI_REPORT_FRAME_H
#define SNAG_CLI_REPORT_FRAME_H

#include "contacts.h"
#include "report_block.h"

// A frame's contacts have their points, normals and values up to this many, the foremost ones; beyond, they name their
// elements only. The page says so where it happens.
#define REPORT_DETAILED 20000
// Where a frame has more than this many, points and normals are floats: they are doubles only where that costs little.
#define REPORT_EXACT 2000

// After this many frames all positions are written anew, so that the page can begin there.
#define REPORT_KEY_FRAMES 16

// One body's positions as they were written last, in steps of its grid.
typedef struct report_track {
    uint32_t *steps;  // x of all vertices, then y, then z
    size_t vertex_count;
    double origin[3], step;
} report_track;

// What the page wants to know before it has read all frames.
typedef struct report_range {
    double low[3], high[3];  // the box of all frames
    double value[2], time[2];  // lowest and highest value and time of detailed contacts
} report_range;

report_range report_empty_range(void);

// Adds a body's positions to the block: the difference to the frame before, or all of them with `key`. `scratch` has
// room for three numbers a vertex.
void report_positions(report_block *block, report_track *track, snag_positions positions, bool key, uint32_t *scratch,
                      report_range *range);

// Adds the contacts. False: no memory.
bool report_contacts(report_block *block, const contact_list *list, report_range *range);

// Adds the lines between the regions that were compared. False: no memory.
bool report_lines(report_block *block, const snag_answer *answer);

#endif
