// HDF5 files, read by the HDF5 library of the system. It is looked for when a file needs it, so that nothing else depends on it: a
// program without HDF5 starts as fast, and reads everything else.
//
// The library crashes on some damaged files, keeps state of its own and is not safe for threads: it runs in a child process if the
// caller wants that, and otherwise one call at a time.
#define _POSIX_C_SOURCE 200809L
#include "arrays.h"
#include "isolate.h"

#include <stdlib.h>
#include <string.h>

#if defined(_WIN32) || defined(__wasm__)

snag_status snag__load_hdf5(const snag__source *source, snag__array_wanted *wanted, void *context, snag__arrays *arrays)
{
    (void)wanted, (void)context, (void)arrays;
    return snag__io_fail(source->error, SNAG_ERROR_UNSUPPORTED,
                         "%s: is an HDF5 file, which this build cannot read; save it as VTU, or Exodus as netCDF-3",
                         snag__path_shown(source->name));
}

#else

#include <dlfcn.h>
#include <pthread.h>

// The calls that we need, as declared by HDF5 1.10 to 1.14 (hid_t and hsize_t have 64 bits since 1.10).
typedef int64_t hid;
typedef unsigned long long hsize;
typedef struct group_info {
    int storage;
    hsize links;
    int64_t order;
    bool mounted;
} group_info;

typedef struct hdf5 {
    void *library;
    int (*open)(void);
    int (*version)(unsigned *, unsigned *, unsigned *);
    int (*silence)(hid, void *, void *);
    hid (*create_list)(hid);
    int (*set_core)(hid, size_t, bool);
    int (*set_image)(hid, void *, size_t);
    int (*close_list)(hid);
    hid (*open_file)(const char *, unsigned, hid);
    int (*close_file)(hid);
    int (*group_info)(hid, group_info *);
    ssize_t (*link_name)(hid, const char *, int, int, hsize, char *, size_t, hid);
    hid (*open_object)(hid, const char *, hid);
    int (*close_object)(hid);
    int (*kind)(hid);
    hid (*data_space)(hid);
    hid (*data_type)(hid);
    int (*read_data)(hid, hid, hid, hid, hid, void *);
    int (*space_rank)(hid);
    int (*space_sizes)(hid, hsize *, hsize *);
    int (*close_space)(hid);
    int (*type_class)(hid);
    size_t (*type_size)(hid);
    int (*type_varies)(hid);
    int (*close_type)(hid);
    int (*has_attribute)(hid, const char *);
    hid (*open_attribute)(hid, const char *, hid);
    hid (*attribute_space)(hid);
    hid (*attribute_type)(hid);
    int (*read_attribute)(hid, hid, void *);
    int (*close_attribute)(hid);
    int (*free_memory)(void *);
    const hid *file_access, *native_double, *native_integer;
} hdf5;

enum { KIND_GROUP = 2, KIND_DATASET = 5 };
enum { CLASS_INTEGER = 0, CLASS_FLOAT = 1, CLASS_STRING = 3 };
enum { MOST_DEPTH = 12, MOST_PATH = 480, MOST_TEXT = 4096 };

static const struct {
    size_t offset;
    const char *name;
} symbols[] = {
    {offsetof(hdf5, open), "H5open"},
    {offsetof(hdf5, version), "H5get_libversion"},
    {offsetof(hdf5, silence), "H5Eset_auto2"},
    {offsetof(hdf5, create_list), "H5Pcreate"},
    {offsetof(hdf5, set_core), "H5Pset_fapl_core"},
    {offsetof(hdf5, set_image), "H5Pset_file_image"},
    {offsetof(hdf5, close_list), "H5Pclose"},
    {offsetof(hdf5, open_file), "H5Fopen"},
    {offsetof(hdf5, close_file), "H5Fclose"},
    {offsetof(hdf5, group_info), "H5Gget_info"},
    {offsetof(hdf5, link_name), "H5Lget_name_by_idx"},
    {offsetof(hdf5, open_object), "H5Oopen"},
    {offsetof(hdf5, close_object), "H5Oclose"},
    {offsetof(hdf5, kind), "H5Iget_type"},
    {offsetof(hdf5, data_space), "H5Dget_space"},
    {offsetof(hdf5, data_type), "H5Dget_type"},
    {offsetof(hdf5, read_data), "H5Dread"},
    {offsetof(hdf5, space_rank), "H5Sget_simple_extent_ndims"},
    {offsetof(hdf5, space_sizes), "H5Sget_simple_extent_dims"},
    {offsetof(hdf5, close_space), "H5Sclose"},
    {offsetof(hdf5, type_class), "H5Tget_class"},
    {offsetof(hdf5, type_size), "H5Tget_size"},
    {offsetof(hdf5, type_varies), "H5Tis_variable_str"},
    {offsetof(hdf5, close_type), "H5Tclose"},
    {offsetof(hdf5, has_attribute), "H5Aexists"},
    {offsetof(hdf5, open_attribute), "H5Aopen"},
    {offsetof(hdf5, attribute_space), "H5Aget_space"},
    {offsetof(hdf5, attribute_type), "H5Aget_type"},
    {offsetof(hdf5, read_attribute), "H5Aread"},
    {offsetof(hdf5, close_attribute), "H5Aclose"},
    {offsetof(hdf5, free_memory), "H5free_memory"},
    {offsetof(hdf5, file_access), "H5P_CLS_FILE_ACCESS_ID_g"},
    {offsetof(hdf5, native_double), "H5T_NATIVE_DOUBLE_g"},
    {offsetof(hdf5, native_integer), "H5T_NATIVE_INT64_g"},
};

// Attributes that some reader may want; others are not looked at.
static const char *const attributes[] = {"elem_type", "PDT", "NBR"};

// ---- the library ----

static bool find_symbols(hdf5 *h)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(h->library, symbols[i].name);
        if (!found)
            return false;
        memcpy((char *)h + symbols[i].offset, &found, sizeof found);
    }
    unsigned major = 0, minor = 0, release = 0;
    return h->open() >= 0 && h->version(&major, &minor, &release) >= 0 && major == 1 && minor >= 10;
}

// The library stays loaded: it registers functions to be called at exit.
static const hdf5 *load_library(void)
{
    static const char *const names[] = {"libhdf5_serial.so.103", "libhdf5.so.103",    "libhdf5.so.200", "libhdf5.so.310",
                                        "libhdf5_serial.so.310", "libhdf5_serial.so", "libhdf5.so",     "libhdf5.dylib"};
    static hdf5 library;
    static bool tried, found;
    for (size_t i = 0; i < sizeof names / sizeof *names && !tried && !found; i++) {
        library = (hdf5){.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL)};
        found = library.library && find_symbols(&library);
    }
    tried = true;
    return found ? &library : NULL;
}

// ---- reading ----

typedef struct loading {
    const hdf5 *h;
    const snag__source *source;
    snag__array_wanted *wanted;
    void *context;
    snag__arrays *arrays;
    size_t objects;  // visited
} loading;

static snag_status fail(const loading *l, const char *name)
{
    return snag__io_fail(l->source->error, SNAG_ERROR_FORMAT, "%s: the array %.100s is damaged or cannot be read",
                         snag__path_shown(l->source->name), name);
}

static snag_status status_of(const loading *l)
{
    return l->source->error && l->source->error->status != SNAG_OK ? l->source->error->status : SNAG_ERROR_MEMORY;
}

// The shape of a data space. False: more dimensions than we take, or none that can be read.
static bool shape_of(const loading *l, hid space, size_t *rank, size_t sizes[SNAG__ARRAY_RANK])
{
    hsize found[SNAG__ARRAY_RANK] = {0};
    int dimensions = l->h->space_rank(space);
    if (dimensions < 0 || dimensions > SNAG__ARRAY_RANK || l->h->space_sizes(space, found, NULL) < 0)
        return false;
    *rank = (size_t)dimensions;
    for (int i = 0; i < dimensions; i++)
        sizes[i] = (size_t)found[i];
    return true;
}

// Numbers and integers come as doubles and 64-bit integers, texts of a fixed length as they are.
static snag_status read_dataset(loading *l, hid object, const char *name)
{
    hid space = l->h->data_space(object), type = l->h->data_type(object);
    int class = type >= 0 ? l->h->type_class(type) : -1;
    size_t rank = 0, sizes[SNAG__ARRAY_RANK] = {0};
    snag_status status = SNAG_OK;
    bool known = class == CLASS_INTEGER || class == CLASS_FLOAT || (class == CLASS_STRING && l->h->type_varies(type) == 0);
    if (space < 0 || type < 0) {
        status = fail(l, name);
    } else if (known && shape_of(l, space, &rank, sizes)) {
        snag__array_kind kind = class == CLASS_INTEGER ? SNAG__ARRAY_INTEGERS
                                : class == CLASS_FLOAT ? SNAG__ARRAY_NUMBERS
                                                       : SNAG__ARRAY_TEXT;
        size_t length = l->h->type_size(type);
        if (kind == SNAG__ARRAY_TEXT && length > 1 && rank < SNAG__ARRAY_RANK)
            sizes[rank++] = length;
        hid memory = class == CLASS_INTEGER ? *l->h->native_integer : class == CLASS_FLOAT ? *l->h->native_double : type;
        snag__array *array = snag__arrays_add(l->source, l->arrays, name, kind, rank, sizes);
        if (!array)
            status = status_of(l);
        else if (array->count && l->h->read_data(object, memory, 0, 0, 0, array->items) < 0)
            status = fail(l, name);
    }
    if (type >= 0)
        l->h->close_type(type);
    if (space >= 0)
        l->h->close_space(space);
    return status;
}

static snag_status add_text(loading *l, const char *name, const char *text, size_t size)
{
    snag__array *array = snag__arrays_add(l->source, l->arrays, name, SNAG__ARRAY_TEXT, 1, &size);
    if (!array)
        return status_of(l);
    memcpy(array->items, text, size);
    return SNAG_OK;
}

// A text or a single number.
static snag_status read_attribute_value(loading *l, hid attribute, hid type, const char *whole)
{
    int class = l->h->type_class(type);
    if (class == CLASS_STRING && l->h->type_varies(type) > 0) {
        char *text = NULL;
        if (l->h->read_attribute(attribute, type, &text) < 0 || !text)
            return SNAG_OK;
        snag_status status = add_text(l, whole, text, strlen(text));
        l->h->free_memory(text);
        return status;
    }
    size_t size = l->h->type_size(type);
    if (class == CLASS_STRING && size > 0 && size <= MOST_TEXT) {
        char text[MOST_TEXT];
        return l->h->read_attribute(attribute, type, text) < 0 ? SNAG_OK : add_text(l, whole, text, size);
    }
    double value;
    if ((class != CLASS_FLOAT && class != CLASS_INTEGER) || l->h->read_attribute(attribute, *l->h->native_double, &value) < 0)
        return SNAG_OK;
    snag__array *array = snag__arrays_add(l->source, l->arrays, whole, SNAG__ARRAY_NUMBERS, 0, NULL);
    if (!array)
        return status_of(l);
    memcpy(array->items, &value, sizeof value);
    return SNAG_OK;
}

static snag_status read_attributes(loading *l, hid object, const char *name)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && status == SNAG_OK; i++) {
        char whole[MOST_PATH + 16];
        snprintf(whole, sizeof whole, "%s@%s", name, attributes[i]);
        if (!l->wanted(whole, l->context) || l->h->has_attribute(object, attributes[i]) <= 0)
            continue;
        hid attribute = l->h->open_attribute(object, attributes[i], 0);
        hid type = attribute >= 0 ? l->h->attribute_type(attribute) : -1;
        hid space = attribute >= 0 ? l->h->attribute_space(attribute) : -1;
        size_t rank = 0, sizes[SNAG__ARRAY_RANK] = {0};
        // An array would need more room than the single value that is read.
        if (type >= 0 && space >= 0 && shape_of(l, space, &rank, sizes) && (rank == 0 || (rank == 1 && sizes[0] == 1)))
            status = read_attribute_value(l, attribute, type, whole);
        if (space >= 0)
            l->h->close_space(space);
        if (type >= 0)
            l->h->close_type(type);
        if (attribute >= 0)
            l->h->close_attribute(attribute);
    }
    return status;
}

static snag_status visit_group(loading *l, hid group, const char *path, int depth);

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static snag_status visit(loading *l, hid object, const char *path, int depth)
{
    int kind = l->h->kind(object);
    snag_status status = snag__reading_goes_on(l->source);
    if (status == SNAG_OK && (kind == KIND_GROUP || kind == KIND_DATASET))
        status = read_attributes(l, object, path);
    if (status == SNAG_OK && kind == KIND_DATASET && l->wanted(path, l->context))
        status = read_dataset(l, object, path);
    if (status == SNAG_OK && kind == KIND_GROUP && depth < MOST_DEPTH)
        status = visit_group(l, object, path, depth);
    return status;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static snag_status visit_group(loading *l, hid group, const char *path, int depth)
{
    group_info info = {0};
    if (l->h->group_info(group, &info) < 0)
        return fail(l, path);
    snag_status status = SNAG_OK;
    for (hsize i = 0; i < info.links && status == SNAG_OK; i++) {
        char name[MOST_PATH], whole[MOST_PATH];
        // Groups may contain themselves through links: bound the number of visits.
        if (++l->objects > 1000000)
            return snag__io_fail(l->source->error, SNAG_ERROR_SIZE, "%s: has more than a million objects",
                                 snag__path_shown(l->source->name));
        ssize_t length = l->h->link_name(group, ".", 0, 0, i, name, sizeof name, 0);
        if (length < 0 || (size_t)length >= sizeof name)
            continue;
        int written = snprintf(whole, sizeof whole, "%s%s%s", path, path[0] ? "/" : "", name);
        if (written < 0 || (size_t)written >= sizeof whole)
            continue;
        hid object = l->h->open_object(group, name, 0);
        if (object < 0)  // a link to something that is not there
            continue;
        status = visit(l, object, whole, depth + 1);
        l->h->close_object(object);
    }
    return status;
}

static snag_status load_file(loading *l)
{
    const hdf5 *h = l->h;
    h->silence(0, NULL, NULL);
    hid list = h->create_list(*h->file_access);
    // The image is copied by the library; it is not changed.
    bool made = list >= 0 && h->set_core(list, (size_t)1 << 20, false) >= 0 &&
                // NOLINTNEXTLINE(performance-no-int-to-ptr): the library does not change the image
                h->set_image(list, (void *)(uintptr_t)l->source->data, l->source->size) >= 0;
    hid file = made ? h->open_file("image", 0, list) : -1;
    snag_status status;
    if (file < 0)
        status = snag__io_fail(l->source->error, SNAG_ERROR_FORMAT, "%s: is not an HDF5 file, or is cut off or damaged",
                               snag__path_shown(l->source->name));
    else
        status = visit_group(l, file, "", 0);
    if (file >= 0)
        h->close_file(file);
    if (list >= 0)
        h->close_list(list);
    return status;
}

// ---- in a child process ----

static snag_status load_in_child(const snag__source *source, bool beside, void *result)
{
    (void)beside;
    loading *l = result;
    l->source = source;
    return load_file(l);
}

static bool write_arrays(const void *result, int descriptor)
{
    return snag__arrays_write(((const loading *)result)->arrays, descriptor);
}

static snag_status take_arrays(const snag__source *source, const char *bytes, size_t size, void *result)
{
    return snag__arrays_read(source, bytes, size, ((const loading *)result)->arrays);
}

snag_status snag__load_hdf5(const snag__source *source, snag__array_wanted *wanted, void *context, snag__arrays *arrays)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static const snag__isolated isolated = {"HDF5", "save it as VTU", load_in_child, write_arrays, take_arrays};
    pthread_mutex_lock(&one_at_a_time);
    loading l = {.h = load_library(), .source = source, .wanted = wanted, .context = context, .arrays = arrays};
    snag_status status;
    if (!l.h)
        status = snag__io_fail(source->error, SNAG_ERROR_UNSUPPORTED,
                               "%s: is an HDF5 file, and the HDF5 library (1.10 or later; Debian: libhdf5-103-1) is not installed; "
                               "install it, or save the file as VTU",
                               snag__path_shown(source->name));
    else if (source->reading && source->reading->options.isolate)
        status = snag__run_isolated(&isolated, source, false, &l);
    else
        status = load_file(&l);
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

#endif
