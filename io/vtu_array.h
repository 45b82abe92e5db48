// Arrays in VTK XML files: text, base64, or appended at the end; plain or compressed with zlib.
#ifndef SNAG_IO_VTU_ARRAY_H
#define SNAG_IO_VTU_ARRAY_H

#include "bounds.h"

// Settings shared by all arrays of a file.
typedef struct snag__vtu {
    const snag__source *source;
    bool big_endian;
    bool compressed;
    size_t header_bytes;  // size of the integers in array headers: 4 or 8
    const char *appended;  // data after the underscore; NULL: none
    size_t appended_size;
    bool appended_raw;  // else base64
} snag__vtu;

// Where an array is stored. Zero: missing.
typedef struct snag__vtu_array {
    const char *name;  // for messages
    char type[12];  // "Float32", "Int64", ...
    char format[12];  // "ascii", "binary", "appended"
    uint64_t offset;  // of an appended array
    const char *text;  // of the other two formats
    size_t text_size;
} snag__vtu_array;

// Reads the `count` numbers of an array; the array must have exactly that many. Free them with snag__vtu_free.
snag_status snag__vtu_doubles(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, double **numbers);
snag_status snag__vtu_integers(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, int64_t **numbers);
// NULL is allowed.
void snag__vtu_free(const snag__vtu *vtu, void *numbers, size_t count);

#endif
