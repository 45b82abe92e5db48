// State shared by the stages of snag_response_advance.
#ifndef SNAG_RESPONSE_ADVANCE_H
#define SNAG_RESPONSE_ADVANCE_H

#include "base/hash_set.h"
#include "response/rows.h"
#include "response/zones.h"

typedef struct snag__step {
    snag_response *response;
    snag_world *world;
    const snag_response_def *def;
    snag__group group;  // x: positions at the end
    double (*start)[3];  // positions at the start of the present part of the step
    double (*moves)[3];  // from start to x, before rounding
    double (*reference)[3];  // the moves that belong to the velocities: moves - reference changes the velocities
    double (*kept)[3];  // scratch
    uint8_t *body_free;  // per body: some vertex is free
    uint32_t *first_element;  // per body, with vertices, edges and triangles in one numbering
    snag__zones zones;
    snag__hash_set *excepted;  // pairs that touch at the start
    bool start_checked;  // `excepted` is filled

    // Rows of all searches so far, in response->rows; the last `found` are those of the last search.
    size_t row_count, found;
    double earliest;  // time of the first impact of the last search; 1 if there is none
    snag_response_report report;
} snag__step;

// Moves the bodies of the world from `start` to x: all, or only those with free vertices.
snag_status snag__step_show(snag__step *step, bool all);
// x = start + moves, for the free vertices.
void snag__step_add_moves(snag__step *step);
// Asks a question about the bodies of the step.
snag_status snag__step_ask(snag__step *step, snag_question question, const snag_answer **answer);
// Shows the step, asks for impacts and appends a row for each that has a free vertex and is not excepted.
snag_status snag__step_search(snag__step *step);

#endif
