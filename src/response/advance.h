// A step in the making: what the stages of snag_response_advance share.
#ifndef SNAG_RESPONSE_ADVANCE_H
#define SNAG_RESPONSE_ADVANCE_H

#include "base/hash_set.h"
#include "response/rows.h"
#include "response/zones.h"

typedef struct snag__step {
    snag_response *response;
    snag_world *world;
    const snag_response_def *def;
    snag__group group;  // x: where the vertices are to be at the end
    double (*start)[3];  // where they are at the start of the part of the step that is being made
    double (*moves)[3];  // from start to x, before rounding
    double (*reference)[3];  // the moves that the velocities stand for: what moves differ by changes the velocities
    double (*kept)[3];  // scratch
    uint8_t *body_free;  // of each body: some vertex is free
    uint32_t *first_element;  // of each body, with vertices, edges and triangles in one numbering
    snag__zones zones;
    snag__hash_set *excepted;  // pairs that touch at the start
    bool start_checked;  // those have been looked for

    // Rows of all searches so far, in response->rows; those of the last one are the last `found`.
    size_t row_count, found;
    double earliest;  // impact of the last search; 1 if there is none
    snag_response_report report;
} snag__step;

// Moves the bodies in the world from `start` to x: all, or those that have free vertices.
snag_status snag__step_show(snag__step *step, bool all);
// x = start + moves, for the free vertices.
void snag__step_place(snag__step *step);
// Asks a question about the bodies of the step.
snag_status snag__step_ask(snag__step *step, snag_question question, const snag_answer **answer);
// Shows the step, asks for impacts and appends those that count to the rows: of a free vertex, and not excepted.
snag_status snag__step_search(snag__step *step);

#endif
