// Named arrays: what netCDF and HDF5 files hold. Readers of Exodus, XDMF and MED files look up arrays by name, and know nothing of
// the two containers.
#ifndef SNAG_IO_ARRAYS_H
#define SNAG_IO_ARRAYS_H

#include "bounds.h"

typedef enum snag__array_kind {
    SNAG__ARRAY_TEXT,
    SNAG__ARRAY_INTEGERS,
    SNAG__ARRAY_NUMBERS,
    SNAG__ARRAY_KIND_COUNT
} snag__array_kind;

enum { SNAG__ARRAY_RANK = 4 };  // arrays of more dimensions are passed over

typedef struct snag__array {
    char *name;  // path within the file, without a leading slash; an attribute is "path@name"
    snag__array_kind kind;
    size_t rank, sizes[SNAG__ARRAY_RANK];
    size_t count;  // product of the sizes
    void *items;  // char, int64_t or double
} snag__array;

typedef struct snag__arrays {
    snag__array *list;
    size_t count, capacity;
    uint64_t claimed;  // bytes counted against the limits of the reading
} snag__arrays;

// Whether a reader needs the array of this name; the others are not loaded.
typedef bool snag__array_wanted(const char *name, void *context);

// Adds the arrays that are wanted. On failure the message is in source->error, and the caller frees what was added.
typedef snag_status snag__arrays_loader(const snag__source *source, snag__array_wanted *wanted, void *context,
                                        snag__arrays *arrays);
snag__arrays_loader snag__load_netcdf;  // classic netCDF: CDF-1, CDF-2 and CDF-5
snag__arrays_loader snag__load_hdf5;  // HDF5, and with it netCDF-4
// By the first bytes of the file.
snag__arrays_loader snag__load_arrays;

void snag__arrays_free(const snag__source *source, snag__arrays *arrays);

// Adds an array with room for its items, which the caller fills. NULL: the message is in source->error.
snag__array *snag__arrays_add(const snag__source *source, snag__arrays *arrays, const char *name, snag__array_kind kind,
                              size_t rank, const size_t *sizes);
const snag__array *snag__arrays_find(const snag__arrays *arrays, const char *name);
// Item `index` of an array of integers or numbers.
double snag__array_number(const snag__array *array, size_t index);
int64_t snag__array_integer(const snag__array *array, size_t index);
// Row `row` of a two-dimensional text array, or the whole of another one, without trailing blanks and zeros; terminated.
void snag__array_text(const snag__array *array, size_t row, char *text, size_t size);

// For a child process that loads the arrays: writes them to a pipe, and reads them again. The reader trusts nothing.
bool snag__arrays_write(const snag__arrays *arrays, int descriptor);
snag_status snag__arrays_read(const snag__source *source, const char *bytes, size_t size, snag__arrays *arrays);

#endif
