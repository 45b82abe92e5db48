// Named arrays of netCDF and HDF5 files.
#include "arrays.h"
#include "rig_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t item_bytes(snag__array_kind kind)
{
    return kind == SNAG__ARRAY_TEXT ? 1 : 8;
}

void snag__arrays_free(const snag__source *source, snag__arrays *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) {
        free(arrays->list[i].name);
        free(arrays->list[i].items);
    }
    free(arrays->list);
    snag__release_bytes(source, arrays->claimed);
    *arrays = (snag__arrays){0};
}

static snag_status fail_memory(const snag__source *source)
{
    return snag__io_fail(source->error, SNAG_ERROR_MEMORY, "%s: not enough memory for its arrays", snag__path_shown(source->name));
}

// The number of items, or SIZE_MAX if it is too large to count.
static size_t count_of(size_t rank, const size_t *sizes)
{
    size_t count = 1;
    for (size_t i = 0; i < rank; i++)
        count = sizes[i] && count > SIZE_MAX / 16 / sizes[i] ? SIZE_MAX : count == SIZE_MAX ? count : count * sizes[i];
    return count;
}

static bool make_room(snag__arrays *arrays)
{
    if (arrays->count < arrays->capacity)
        return true;
    size_t larger = 2 * arrays->capacity + 16;
    snag__array *list = realloc(arrays->list, larger * sizeof *list);
    if (!list)
        return false;
    arrays->list = list;
    arrays->capacity = larger;
    return true;
}

snag__array *snag__arrays_add(const snag__source *source, snag__arrays *arrays, const char *name, snag__array_kind kind,
                              size_t rank, const size_t *sizes)
{
    size_t count = count_of(rank, sizes), length = strlen(name);
    if (count == SIZE_MAX) {
        snag__io_fail(source->error, SNAG_ERROR_SIZE, "%s: the array %.80s is too large", snag__path_shown(source->name), name);
        return NULL;
    }
    if (snag__claim_bytes(source, count * item_bytes(kind)) != SNAG_OK)
        return NULL;
    arrays->claimed += count * item_bytes(kind);
    snag__array made = {
        .name = malloc(length + 1), .kind = kind, .rank = rank, .count = count, .items = malloc(count * item_bytes(kind) + 1)};
    if (!made.name || !made.items || !make_room(arrays)) {
        free(made.name);
        free(made.items);
        fail_memory(source);
        return NULL;
    }
    memcpy(made.name, name, length + 1);
    for (size_t i = 0; i < rank; i++)
        made.sizes[i] = sizes[i];
    arrays->list[arrays->count] = made;
    return &arrays->list[arrays->count++];
}

const snag__array *snag__arrays_find(const snag__arrays *arrays, const char *name)
{
    for (size_t i = 0; i < arrays->count; i++)
        if (strcmp(arrays->list[i].name, name) == 0)
            return &arrays->list[i];
    return NULL;
}

double snag__array_number(const snag__array *array, size_t index)
{
    if (array->kind == SNAG__ARRAY_NUMBERS)
        return ((const double *)array->items)[index];
    return (double)((const int64_t *)array->items)[index];
}

int64_t snag__array_integer(const snag__array *array, size_t index)
{
    if (array->kind == SNAG__ARRAY_INTEGERS)
        return ((const int64_t *)array->items)[index];
    double value = ((const double *)array->items)[index];
    return value > -9e18 && value < 9e18 ? (int64_t)value : -1;
}

void snag__array_text(const snag__array *array, size_t row, char *text, size_t size)
{
    size_t length = array->rank == 2 ? array->sizes[1] : array->count, begin = array->rank == 2 ? row * length : 0;
    text[0] = 0;
    if (array->kind != SNAG__ARRAY_TEXT || begin + length > array->count || size == 0)
        return;
    const char *at = (const char *)array->items + begin;
    const char *zero = memchr(at, 0, length);
    length = zero ? (size_t)(zero - at) : length;
    while (length > 0 && at[length - 1] == ' ')
        length--;
    length = length < size ? length : size - 1;
    memcpy(text, at, length);
    text[length] = 0;
}

snag_status snag__load_arrays(const snag__source *source, snag__array_wanted *wanted, void *context, snag__arrays *arrays)
{
    static const char hdf5[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    if (source->size >= 8 && memcmp(source->data, hdf5, 8) == 0)
        return snag__load_hdf5(source, wanted, context, arrays);
    if (source->size >= 4 && memcmp(source->data, "CDF", 3) == 0)
        return snag__load_netcdf(source, wanted, context, arrays);
    return snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: is neither a netCDF nor an HDF5 file",
                         snag__path_shown(source->name));
}

// ---- through a pipe ----

bool snag__arrays_write(const snag__arrays *arrays, int descriptor)
{
    bool written = snag__write_whole(descriptor, &arrays->count, sizeof arrays->count);
    for (size_t i = 0; i < arrays->count && written; i++) {
        const snag__array *array = &arrays->list[i];
        size_t head[3 + SNAG__ARRAY_RANK] = {strlen(array->name), (size_t)array->kind, array->rank};
        memcpy(head + 3, array->sizes, sizeof array->sizes);
        written = snag__write_whole(descriptor, head, sizeof head) && snag__write_whole(descriptor, array->name, head[0]) &&
                  snag__write_whole(descriptor, array->items, array->count * item_bytes(array->kind));
    }
    return written;
}

snag_status snag__arrays_read(const snag__source *source, const char *bytes, size_t size, snag__arrays *arrays)
{
    const char *at = bytes, *end = bytes + size;
    size_t count = 0;
    if (size < sizeof count)
        return SNAG_ERROR_FORMAT;
    memcpy(&count, at, sizeof count);
    at += sizeof count;
    for (size_t i = 0; i < count; i++) {
        size_t head[3 + SNAG__ARRAY_RANK];
        char name[512];
        if ((size_t)(end - at) < sizeof head)
            return SNAG_ERROR_FORMAT;
        memcpy(head, at, sizeof head);
        at += sizeof head;
        if (head[0] >= sizeof name || head[0] > (size_t)(end - at) || head[1] >= SNAG__ARRAY_KIND_COUNT ||
            head[2] > SNAG__ARRAY_RANK)
            return SNAG_ERROR_FORMAT;
        memcpy(name, at, head[0]);
        name[head[0]] = 0;
        at += head[0];
        size_t items = count_of(head[2], head + 3), each = item_bytes((snag__array_kind)head[1]);
        if (items > (size_t)(end - at) / each)
            return SNAG_ERROR_FORMAT;
        snag__array *array = snag__arrays_add(source, arrays, name, (snag__array_kind)head[1], head[2], head + 3);
        if (!array)
            return source->error ? source->error->status : SNAG_ERROR_MEMORY;
        memcpy(array->items, at, items * each);
        at += items * each;
    }
    return at == end ? SNAG_OK : SNAG_ERROR_FORMAT;
}
