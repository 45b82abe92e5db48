// Shared code of the surface writers: input validation before a file is touched, and number formatting.
#ifndef SNAG_IO_SURFACE_H
#define SNAG_IO_SURFACE_H

#include "snag/io.h"

// Vertices and triangles of all surfaces together.
typedef struct snag__io_totals {
    uint64_t vertices;
    uint64_t triangles;
    bool doubles;  // some positions are double
    bool colours;  // some triangles have a colour
} snag__io_totals;

// Rejects null pointers, vertices that are not finite, triangles with missing vertices, and more than 2^32 vertices or
// triangles. Messages start with `path`.
snag_status snag__io_surfaces_check(const char *path, const snag_io_surface *surfaces, size_t surface_count,
                                    snag__io_totals *totals, snag_io_error *error);

// Vertex `vertex` as doubles; alignment does not matter.
void snag__io_position_get(const snag_positions *positions, size_t vertex, double xyz[3]);
// Rejects null data, an unknown scalar type and values that are not finite; with `as_float` also values out of the range of
// float. *bad is the vertex with the bad value.
snag_status snag__io_positions_check(const snag_positions *positions, bool as_float, size_t *bad);

// Buffer size for any number printed by snag__io_print_number.
#define SNAG__NUMBER_BYTES 40

// Prints a number so that reading it as `scalar` gives the same bits: 17 significant digits for a double, 9 for a float.
// Always uses "." as the decimal point. Returns the length.
size_t snag__io_print_number(char text[SNAG__NUMBER_BYTES], double value, snag_scalar scalar);

#endif
