// Classic netCDF files (CDF-1, CDF-2, CDF-5): a header of dimensions, attributes and variables, then the values, big-endian. Variables
// whose first dimension is the record dimension are stored record by record, all variables of a record together.
#include "arrays.h"
#include "bytes.h"

#include <string.h>

enum { LIST_OF_DIMENSIONS = 10, LIST_OF_VARIABLES = 11, LIST_OF_ATTRIBUTES = 12, MOST_NAME = 256 };

enum { MOST_DIMENSIONS = 4096 };

typedef struct netcdf {
    const snag__source *source;
    const char *at, *end;
    int version;
    uint64_t records;
    uint64_t dimensions[MOST_DIMENSIONS];  // 0: the record dimension
    size_t dimension_count;
    uint64_t record_bytes;  // of all record variables
    size_t record_variables;
} netcdf;

typedef struct variable {
    char name[MOST_NAME];
    size_t rank, sizes[SNAG__ARRAY_RANK];
    bool fits;  // few enough dimensions
    bool by_record;
    uint64_t count;  // values; of one record if by_record
    int type;
    uint64_t begin;
} variable;

static snag_status fail(const netcdf *n, const char *words)
{
    return snag__io_fail(n->source->error, SNAG_ERROR_FORMAT, "%s: byte %zu: %s", snag__path_shown(n->source->name),
                         (size_t)(n->at - n->source->data), words);
}

// Bytes of a value; 0: unknown type.
static size_t bytes_of(int type)
{
    static const size_t bytes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    return type > 0 && type < 12 ? bytes[type] : 0;
}

static bool read_number(netcdf *n, size_t bytes, uint64_t *value)
{
    if ((size_t)(n->end - n->at) < bytes)
        return false;
    *value = snag__bytes_unsigned(n->at, bytes, true);
    n->at += bytes;
    return true;
}

// A count or size: 8 bytes in CDF-5.
static bool read_size(netcdf *n, uint64_t *value)
{
    return read_number(n, n->version == 5 ? 8 : 4, value);
}

static bool skip(netcdf *n, uint64_t bytes)
{
    uint64_t padded = bytes + (4 - bytes % 4) % 4;
    if (padded < bytes || (uint64_t)(n->end - n->at) < padded)
        return false;
    n->at += padded;
    return true;
}

static bool read_name(netcdf *n, char name[MOST_NAME])
{
    uint64_t length;
    if (!read_size(n, &length) || length >= MOST_NAME || length > (uint64_t)(n->end - n->at))
        return false;
    memcpy(name, n->at, (size_t)length);
    name[length] = 0;
    return skip(n, length);
}

// The head of a list: how many items follow.
static bool read_list(netcdf *n, uint64_t expected, uint64_t *count)
{
    uint64_t tag;
    return read_number(n, 4, &tag) && read_size(n, count) && (tag == expected || (tag == 0 && *count == 0)) &&
           *count <= (uint64_t)(n->end - n->at);
}

static snag_status read_dimensions(netcdf *n)
{
    uint64_t count;
    if (!read_list(n, LIST_OF_DIMENSIONS, &count) || count > MOST_DIMENSIONS)
        return fail(n, "expected the list of dimensions");
    for (uint64_t i = 0; i < count; i++) {
        char name[MOST_NAME];
        if (!read_name(n, name) || !read_size(n, &n->dimensions[i]))
            return fail(n, "the file ends within the dimensions; is it cut off?");
        n->dimension_count++;
    }
    return SNAG_OK;
}

// Attributes of a variable (`owner`) or of the file (NULL). Keeps the text ones that are wanted.
static snag_status read_attributes(netcdf *n, const char *owner, snag__array_wanted *wanted, void *context, snag__arrays *arrays)
{
    uint64_t count;
    if (!read_list(n, LIST_OF_ATTRIBUTES, &count))
        return fail(n, "expected a list of attributes");
    for (uint64_t i = 0; i < count; i++) {
        char name[MOST_NAME], whole[2 * MOST_NAME + 2];
        uint64_t type, values;
        if (!read_name(n, name) || !read_number(n, 4, &type) || !read_size(n, &values) || bytes_of((int)(type & 15)) == 0 ||
            type > 11)
            return fail(n, "an attribute is damaged");
        const char *data = n->at;
        if (values > (uint64_t)(n->end - n->at) || !skip(n, values * bytes_of((int)type)))
            return fail(n, "the file ends within an attribute; is it cut off?");
        snprintf(whole, sizeof whole, "%s@%s", owner ? owner : "", name);
        if (type != 2 || !arrays || !wanted(whole, context))
            continue;
        size_t size = (size_t)values;
        snag__array *array = snag__arrays_add(n->source, arrays, whole, SNAG__ARRAY_TEXT, 1, &size);
        if (!array)
            return n->source->error ? n->source->error->status : SNAG_ERROR_MEMORY;
        memcpy(array->items, data, size);
    }
    return SNAG_OK;
}

static snag_status read_shape(netcdf *n, variable *v)
{
    uint64_t rank;
    if (!read_size(n, &rank) || rank > (uint64_t)(n->end - n->at))
        return fail(n, "a variable is damaged");
    v->fits = rank <= SNAG__ARRAY_RANK;
    v->rank = v->fits ? (size_t)rank : 0;
    v->count = 1;
    for (uint64_t i = 0; i < rank; i++) {
        uint64_t dimension;
        if (!read_size(n, &dimension) || dimension >= n->dimension_count)
            return fail(n, "a variable has a dimension that does not exist");
        uint64_t size = n->dimensions[dimension];
        if (size == 0 && i == 0)
            v->by_record = true;
        else if (size > (uint64_t)n->source->size || (size && v->count > (uint64_t)n->source->size / size))
            return fail(n, "a variable is larger than the file; is it cut off?");
        else
            v->count *= size;
        if (v->fits)
            v->sizes[i] = (size_t)(size == 0 && i == 0 ? n->records : size);
    }
    return SNAG_OK;
}

static snag_status read_variable(netcdf *n, variable *v, snag__array_wanted *wanted, void *context, snag__arrays *arrays)
{
    uint64_t type, size;
    *v = (variable){0};
    if (!read_name(n, v->name))
        return fail(n, "a variable has no name");
    snag_status status = read_shape(n, v);
    if (status == SNAG_OK)
        status = read_attributes(n, v->name, wanted, context, arrays);
    if (status != SNAG_OK)
        return status;
    // The size is redundant, and too small for its field in large files.
    if (!read_number(n, 4, &type) || !read_size(n, &size) || !read_number(n, n->version == 1 ? 4 : 8, &v->begin) || type > 11 ||
        bytes_of((int)type) == 0)
        return fail(n, "a variable is damaged");
    v->type = (int)type;
    return SNAG_OK;
}

static double number_at(const char *at, int type)
{
    return type == 5 ? (double)snag__bytes_f32(at, true) : snag__bytes_f64(at, true);
}

static int64_t integer_at(const char *at, int type)
{
    uint64_t bits = snag__bytes_unsigned(at, bytes_of(type), true);
    switch (type) {
    case 1: return (int8_t)bits;
    case 3: return (int16_t)bits;
    case 4: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

// Values `first` to `first + count` of an array from bytes that are there.
static void convert(const char *at, int type, snag__array *array, size_t first, size_t count)
{
    size_t bytes = bytes_of(type);
    if (array->kind == SNAG__ARRAY_TEXT)
        memcpy((char *)array->items + first, at, count);
    for (size_t i = 0; i < count && array->kind != SNAG__ARRAY_TEXT; i++)
        if (array->kind == SNAG__ARRAY_NUMBERS)
            ((double *)array->items)[first + i] = number_at(at + i * bytes, type);
        else
            ((int64_t *)array->items)[first + i] = integer_at(at + i * bytes, type);
}

static snag_status load_variable(netcdf *n, const variable *v, snag__arrays *arrays)
{
    snag__array_kind kind = v->type == 2                   ? SNAG__ARRAY_TEXT
                            : v->type == 5 || v->type == 6 ? SNAG__ARRAY_NUMBERS
                                                           : SNAG__ARRAY_INTEGERS;
    uint64_t bytes = v->count * bytes_of(v->type), rows = v->by_record ? n->records : 1, size = n->source->size;
    uint64_t stride = v->by_record ? n->record_bytes : bytes;
    if (rows && bytes &&
        (v->begin > size || bytes > size - v->begin || (rows - 1 && stride > (size - v->begin - bytes) / (rows - 1)))) {
        n->at = n->source->data + (v->begin < size ? v->begin : size);
        return fail(n, "the file ends before a variable; is it cut off?");
    }
    snag__array *array = snag__arrays_add(n->source, arrays, v->name, kind, v->rank, v->sizes);
    if (!array)
        return n->source->error ? n->source->error->status : SNAG_ERROR_MEMORY;
    for (uint64_t r = 0; r < rows && bytes; r++)
        convert(n->source->data + v->begin + r * stride, v->type, array, (size_t)(r * v->count), (size_t)v->count);
    return snag__reading_goes_on(n->source);
}

// Two passes over the variables: the size of a record must be known before the values can be found.
static snag_status read_variables(netcdf *n, snag__array_wanted *wanted, void *context, snag__arrays *arrays)
{
    uint64_t count;
    if (!read_list(n, LIST_OF_VARIABLES, &count))
        return fail(n, "expected the list of variables");
    const char *begin = n->at;
    uint64_t unpadded = 0;
    snag_status status = SNAG_OK;
    variable v;
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        status = read_variable(n, &v, wanted, context, NULL);
        if (status != SNAG_OK || !v.by_record)
            continue;
        unpadded = v.count * bytes_of(v.type);
        n->record_bytes += unpadded + (4 - unpadded % 4) % 4;
        n->record_variables++;
    }
    if (n->record_variables == 1)  // a single record variable is not padded
        n->record_bytes = unpadded;
    n->at = begin;
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        status = read_variable(n, &v, wanted, context, arrays);
        const char *next = n->at;
        if (status == SNAG_OK && v.fits && wanted(v.name, context))
            status = load_variable(n, &v, arrays);
        n->at = status == SNAG_OK ? next : n->at;
    }
    return status;
}

snag_status snag__load_netcdf(const snag__source *source, snag__array_wanted *wanted, void *context, snag__arrays *arrays)
{
    netcdf n = {.source = source, .at = source->data + 4, .end = source->data + source->size};
    n.version = source->size >= 4 ? source->data[3] : 0;
    if (n.version != 1 && n.version != 2 && n.version != 5)
        return snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: is not a netCDF file of version 1, 2 or 5",
                             snag__path_shown(source->name));
    if (!read_size(&n, &n.records) || n.records > source->size)
        return fail(&n, "the number of records is damaged, or the file was not closed");
    snag_status status = read_dimensions(&n);
    if (status == SNAG_OK)
        status = read_attributes(&n, NULL, wanted, context, arrays);
    return status == SNAG_OK ? read_variables(&n, wanted, context, arrays) : status;
}
