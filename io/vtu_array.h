// Arrays of VTK's XML files: as text, as base64, or appended at the end; plain or compressed by zlib.
#ifndef SNAG_IO_VTU_ARRAY_H
#define SNAG_IO_VTU_ARRAY_H

#include "bounds.h"

// What is the same for all arrays of a file.
typedef struct snag__vtu {
    const snag__source *source;
    bool big_endian;
    bool compressed;
    size_t header_bytes;  // of the numbers before an array's data: 4 or 8
    const char *appended;  // after the underscore; NULL: there is none
    size_t appended_size;
    bool appended_raw;  // else base64
} snag__vtu;

// Where an array is. Zero: it is not there.
typedef struct snag__vtu_array {
    const char *name;  // for messages
    char type[12];  // "Float32", "Int64", ...
    char format[12];  // "ascii", "binary", "appended"
    uint64_t offset;  // of an appended one
    const char *text;  // of the others
    size_t text_size;
} snag__vtu_array;

// The `count` numbers of an array, to be given back by snag__vtu_free; exactly so many must be there.
snag_status snag__vtu_doubles(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, double **numbers);
snag_status snag__vtu_integers(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, int64_t **numbers);
// NULL is let pass.
void snag__vtu_free(const snag__vtu *vtu, void *numbers, size_t count);

#endif
