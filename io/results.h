// Result files of finite elements: a mesh, and its displaced vertices at some times.
#ifndef SNAG_IO_RESULTS_H
#define SNAG_IO_RESULTS_H

#include "arrays.h"
#include "cells.h"

typedef struct snag__frames {
    size_t count;
    size_t vertex_count;  // of the file
    double *times;  // ascending
    double *positions;  // frame by frame, three numbers a vertex
} snag__frames;

void snag__frames_free(snag__frames *frames);
// Room for all frames, counted against the limits. On failure the message is in source->error.
snag_status snag__frames_make(const snag__source *source, size_t count, size_t vertex_count, snag__frames *frames);
// Sets the time of a frame: SNAG_ERROR_FORMAT if it is not finite or not later than the frame before.
snag_status snag__frames_set_time(const snag__source *source, snag__frames *frames, size_t frame, double time);
// SNAG_ERROR_NOT_FINITE, with the frame and the vertex, if a position is not finite.
snag_status snag__frames_check(const snag__source *source, const snag__frames *frames);
// Positions of a body's vertices at a time, linear between two frames; before the first and after the last they do not move.
void snag__frames_positions(const snag__frames *frames, const snag_io_body *body, double time, double *xyz);

// Whether a field of this name is the displacement: "displacement", "DISPL_", "disp", "U", "DEPL".
bool snag__is_displacement(const char *name, size_t length);

// Reads the mesh, and the frames unless `frames` is NULL. `beside`: source->name is a path, and files beside it may be read.
typedef snag_status snag__results_reader(const snag__source *source, bool beside, snag__builder *builder, snag__frames *frames);
snag__results_reader snag__read_exodus;
snag__results_reader snag__read_xdmf;
snag__results_reader snag__read_med;

#define SNAG__RESULTS_ENDINGS " .exo .e .ex2 .g .xdmf .xmf .med"
// NULL: not a result file.
snag__results_reader *snag__results_reader_of(const char *path);

#endif
