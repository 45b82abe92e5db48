// 3MF: the archive, and the objects in its parts.
#include "threemf.h"
#include "xml.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Parser state of one part.
typedef struct reader {
    snag__3mf *package;
    uint32_t part;
    const char *path;
    snag__xml xml;
    const char *text;
    snag__tag tag;
    char prefix[24];  // prefix of core elements, with the colon; mostly ""
    char production[24];  // prefix of Production Extension attributes, likewise
    snag__3mf_object *object;  // the open object
    bool in_mesh, in_build;
    bool has_model;
} reader;

// ---- messages ----

SNAG__PRINTF(3, 4)
static snag_status fail(const reader *r, snag_status status, const char *format, ...)
{
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    size_t line = 1;
    for (const char *c = r->text; r->tag.at && c < r->tag.at; c++)
        line += *c == '\n';
    return snag__io_fail(r->package->source->error, status, "%s: %.80s:%zu: %s", snag__path_shown(r->package->source->name),
                         r->path, line, words);
}

static snag_status fail_memory(const snag__3mf *package)
{
    return snag__builder_fail(package->source, SNAG_ERROR_MEMORY);
}

// ---- lists ----

// Makes room for one more item. `array` is the address of a pointer of any type.
static snag_status grow(const snag__3mf *package, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return SNAG_OK;
    size_t larger = 2 * *capacity + 64;
    if (larger > SIZE_MAX / size / 2)
        return snag__builder_fail(package->source, SNAG_ERROR_SIZE);
    snag_status status = snag__claim_bytes(package->source, (larger - *capacity) * size);
    if (status == SNAG_OK)
        status = snag__reading_goes_on(package->source);
    if (status != SNAG_OK)
        return status;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, larger * size);
    if (!items)
        return fail_memory(package);
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return SNAG_OK;
}

static bool same_path(const char *a, const char *b)
{
    a += *a == '/';
    b += *b == '/';
    for (; *a && *b; a++, b++) {
        char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a, y = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
        if (x != y)
            return false;
    }
    return *a == *b;
}

// Finds the part with this path, or adds it. Takes ownership of `path`.
static snag_status find_part(snag__3mf *package, char *path, uint32_t *part)
{
    assert(path);
    for (size_t i = 0; i < package->part_count; i++)
        if (same_path(package->parts[i].path, path)) {
            free(path);
            *part = (uint32_t)i;
            return SNAG_OK;
        }
    snag_status status = grow(package, &package->parts, package->part_count, &package->part_capacity, sizeof *package->parts);
    if (status != SNAG_OK) {
        free(path);
        return status;
    }
    *part = (uint32_t)package->part_count;
    package->parts[package->part_count++] = (snag__3mf_part){.path = path};
    return SNAG_OK;
}

// ---- values ----

static snag__word trimmed(snag__word word)
{
    while (word.length && snag__is_space(*word.at))
        word.at++, word.length--;
    while (word.length && snag__is_space(word.at[word.length - 1]))
        word.length--;
    return word;
}

static bool read_number(snag__word value, double *number)
{
    value = trimmed(value);
    return value.length && snag__read_double(value.at, value.at + value.length, number) == value.at + value.length &&
           isfinite(*number);
}

static bool read_count(snag__word value, uint64_t *count)
{
    value = trimmed(value);
    *count = 0;
    if (value.length == 0 || value.length > 18)
        return false;
    for (size_t i = 0; i < value.length; i++) {
        if (value.at[i] < '0' || value.at[i] > '9')
            return false;
        *count = 10 * *count + (uint64_t)(value.at[i] - '0');
    }
    return true;
}

static bool read_transform(snag__word value, snag__3mf_transform *transform)
{
    *transform = (snag__3mf_transform){{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
    if (!value.at)
        return true;
    const char *at = value.at, *end = at + value.length;
    for (int i = 0; i < 12; i++) {
        while (at < end && snag__is_space(*at))
            at++;
        const char *after = snag__read_double(at, end, &transform->m[i]);
        if (after == at || !isfinite(transform->m[i]))
            return false;
        at = after;
    }
    while (at < end && snag__is_space(*at))
        at++;
    return at == end;
}

static bool name_is(snag__word name, const char *prefix, const char *local)
{
    size_t before = strlen(prefix), length = strlen(local);
    return name.length == before + length && memcmp(name.at, prefix, before) == 0 && memcmp(name.at + before, local, length) == 0;
}

// ---- elements ----

// The prefix that a model binds to a namespace (attribute xmlns:PREFIX).
static void find_prefix(snag__tag tag, const char *space, char *prefix, size_t size)
{
    snag__word name, value;
    static const char binds[] = "xmlns:";
    size_t begins = sizeof binds - 1;
    for (const char *at = NULL; snag__tag_attribute(tag, &at, &name, &value);)
        if (name.length > begins && memcmp(name.at, binds, begins) == 0 && value.length == strlen(space) &&
            memcmp(value.at, space, value.length) == 0 && name.length - begins + 2 <= size)
            snprintf(prefix, size, "%.*s:", (int)(name.length - begins), name.at + begins);
}

static const struct {
    const char *name;
    double metres;
} units[] = {{"millimeter", 1e-3}, {"micron", 1e-6}, {"centimeter", 1e-2}, {"inch", 0.0254}, {"foot", 0.3048}, {"meter", 1}};

static size_t length_of_name(snag__tag tag)
{
    size_t length = 0;
    while (length < tag.length && !snag__is_space(tag.at[length]) && tag.at[length] != '/')
        length++;
    return length;
}

// <model>, with any prefix.
static bool is_model(snag__tag tag)
{
    static const char local[] = "model";
    size_t length = length_of_name(tag), size = sizeof local - 1;
    return length >= size && memcmp(tag.at + length - size, local, size) == 0 &&
           (length == size || tag.at[length - size - 1] == ':');
}

static snag_status begin_model(reader *r)
{
    snag__3mf *package = r->package;
    size_t prefix = length_of_name(r->tag) - strlen("model");
    snag__word unit = trimmed(snag__tag_value(r->tag, "unit"));
    if (prefix >= sizeof r->prefix)
        return fail(r, SNAG_ERROR_FORMAT, "the namespace prefix of its elements is too long");
    memcpy(r->prefix, r->tag.at, prefix);
    r->prefix[prefix] = 0;
    find_prefix(r->tag, "http://schemas.microsoft.com/3dmanufacturing/production/2015/06", r->production, sizeof r->production);
    r->has_model = true;
    size_t found = 0;
    while (unit.at && found < sizeof units / sizeof *units && !name_is(unit, "", units[found].name))
        found++;
    if (found == sizeof units / sizeof *units)
        return fail(r, SNAG_ERROR_FORMAT, "the unit \"%.*s\" is unknown in 3MF", (int)(unit.length < 40 ? unit.length : 40),
                    unit.at);
    if (r->part == 0)
        package->metres = units[found].metres;
    else if (package->metres != units[found].metres)
        return fail(r, SNAG_ERROR_UNSUPPORTED, "its unit is %s, unlike the model that refers to it", units[found].name);
    package->parts[r->part].unit = units[found].name;
    return SNAG_OK;
}

static snag_status begin_object(reader *r)
{
    snag__3mf *package = r->package;
    uint64_t id;
    if (!read_count(snag__tag_value(r->tag, "id"), &id))
        return fail(r, SNAG_ERROR_FORMAT, "an object has no id");
    snag_status status =
        grow(package, &package->objects, package->object_count, &package->object_capacity, sizeof *package->objects);
    if (status != SNAG_OK)
        return status;
    snag__word name = snag__tag_value(r->tag, "name");
    char *copy = name.length ? snag__xml_copy(name) : NULL;
    if (name.length && !copy)
        return fail_memory(package);
    r->object = &package->objects[package->object_count++];
    package->parts[r->part].object_count++;
    *r->object = (snag__3mf_object){
        .id = id,
        .name = copy,
        .first_vertex = package->vertex_count,
        .first_triangle = package->triangle_count,
        .first_use = package->use_count,
    };
    return SNAG_OK;
}

static snag_status end_object(reader *r)
{
    const snag__3mf_object *object = r->object;
    for (size_t i = 0; object && i < 3 * object->triangle_count; i++) {
        uint32_t vertex = r->package->triangles[3 * object->first_triangle + i];
        if (vertex >= object->vertex_count)
            return fail(r, SNAG_ERROR_INDEX, "object %llu: triangle %zu names vertex %lu (both counted from 0), but there are %zu",
                        (unsigned long long)object->id, i / 3, (unsigned long)vertex, object->vertex_count);
    }
    r->object = NULL;
    r->in_mesh = false;
    return SNAG_OK;
}

static snag_status read_vertex(reader *r)
{
    snag__3mf *package = r->package;
    double position[3];
    unsigned found = 0;
    snag__word name, value;
    for (const char *at = NULL; snag__tag_attribute(r->tag, &at, &name, &value);)
        if (name.length == 1 && *name.at >= 'x' && *name.at <= 'z' && read_number(value, &position[*name.at - 'x']))
            found |= 1u << (*name.at - 'x');
    if (found != 7)
        return fail(r, SNAG_ERROR_FORMAT, "object %llu: vertex %zu (counted from 0) has no x, y and z that are finite numbers",
                    (unsigned long long)r->object->id, r->object->vertex_count);
    snag_status status = grow(package, &package->positions, package->vertex_count, &package->vertex_capacity, sizeof position);
    if (status != SNAG_OK)
        return status;
    memcpy(package->positions + 3 * package->vertex_count++, position, sizeof position);
    r->object->vertex_count++;
    return SNAG_OK;
}

static snag_status read_triangle(reader *r)
{
    snag__3mf *package = r->package;
    uint32_t corners[3];
    unsigned found = 0;
    snag__word name, value;
    uint64_t vertex;
    for (const char *at = NULL; snag__tag_attribute(r->tag, &at, &name, &value);)
        if (name.length == 2 && *name.at == 'v' && name.at[1] >= '1' && name.at[1] <= '3' && read_count(value, &vertex)) {
            corners[name.at[1] - '1'] = vertex < UINT32_MAX ? (uint32_t)vertex : UINT32_MAX;
            found |= 1u << (name.at[1] - '1');
        }
    if (found != 7)
        return fail(r, SNAG_ERROR_FORMAT, "object %llu: triangle %zu (counted from 0) has no v1, v2 and v3 that are numbers",
                    (unsigned long long)r->object->id, r->object->triangle_count);
    snag_status status = grow(package, &package->triangles, package->triangle_count, &package->triangle_capacity, sizeof corners);
    if (status != SNAG_OK)
        return status;
    memcpy(package->triangles + 3 * package->triangle_count++, corners, sizeof corners);
    r->object->triangle_count++;
    return SNAG_OK;
}

// A component or an item: object, transform and part.
static snag_status read_use(reader *r, snag__3mf_use *use)
{
    char path_name[32];
    use->part = r->part;
    if (!read_count(snag__tag_value(r->tag, "objectid"), &use->id))
        return fail(r, SNAG_ERROR_FORMAT, "a component or item has no object id");
    if (!read_transform(snag__tag_value(r->tag, "transform"), &use->transform))
        return fail(r, SNAG_ERROR_FORMAT, "the transform of a component or item is not 12 finite numbers");
    snprintf(path_name, sizeof path_name, "%spath", r->production);
    snag__word path = r->production[0] ? snag__tag_value(r->tag, path_name) : (snag__word){NULL, 0};
    if (!path.length)
        return SNAG_OK;
    char *copy = snag__xml_copy(path);
    return copy ? find_part(r->package, copy, &use->part) : fail_memory(r->package);
}

static snag_status read_component(reader *r)
{
    snag__3mf *package = r->package;
    snag__3mf_use use;
    snag_status status = read_use(r, &use);
    if (status == SNAG_OK)
        status = grow(package, &package->uses, package->use_count, &package->use_capacity, sizeof use);
    if (status != SNAG_OK)
        return status;
    package->uses[package->use_count++] = use;
    r->object->use_count++;
    return SNAG_OK;
}

// Only the build of the root part counts.
static snag_status read_item(reader *r)
{
    snag__3mf *package = r->package;
    snag__3mf_use use;
    if (r->part != 0)
        return SNAG_OK;
    snag_status status = read_use(r, &use);
    if (status == SNAG_OK)
        status = grow(package, &package->items, package->item_count, &package->item_capacity, sizeof use);
    if (status == SNAG_OK)
        package->items[package->item_count++] = use;
    return status;
}

static bool is(const reader *r, const char *local)
{
    bool closes = *r->tag.at == '/';
    snag__tag tag = {r->tag.at + closes, r->tag.length - closes};
    size_t prefix = strlen(r->prefix);
    if (closes != (*local == '/') || tag.length < prefix || memcmp(tag.at, r->prefix, prefix) != 0)
        return false;
    return snag__tag_is((snag__tag){tag.at + prefix, tag.length - prefix}, local + (*local == '/'));
}

// Elements of other namespaces, with any prefix; of a lattice, count only the beams.
static bool is_beam(const reader *r)
{
    const char *colon = memchr(r->tag.at, ':', r->tag.length);
    size_t before = colon ? (size_t)(colon - r->tag.at) + 1 : 0;
    return colon && snag__tag_is((snag__tag){colon + 1, r->tag.length - before}, "beam");
}

static snag_status read_element(reader *r)
{
    bool empty = snag__tag_is_empty(r->tag);
    if (r->in_mesh && is(r, "vertex"))
        return read_vertex(r);
    if (r->in_mesh && is(r, "triangle"))
        return read_triangle(r);
    if (r->in_mesh && is(r, "/mesh"))
        r->in_mesh = false;
    else if (r->object && is(r, "mesh"))
        r->in_mesh = !empty, r->object->has_mesh = true;
    else if (r->object && is(r, "components"))
        r->object->has_components = true;
    else if (r->object && is(r, "component"))
        return read_component(r);
    else if (is(r, "/object"))
        return end_object(r);
    else if (is(r, "build"))
        r->in_build = !empty;
    else if (is(r, "/build"))
        r->in_build = false;
    else if (r->in_build && is(r, "item"))
        return read_item(r);
    else if (r->object && is_beam(r))
        r->package->beams++;
    else if (is(r, "object")) {
        snag_status status = end_object(r);  // an object that was not closed
        if (status == SNAG_OK)
            status = begin_object(r);
        return status == SNAG_OK && empty ? end_object(r) : status;
    }
    return SNAG_OK;
}

static int compare_objects(const void *a, const void *b)
{
    const snag__3mf_object *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static snag_status sort_objects(const reader *r)
{
    const snag__3mf_part *part = &r->package->parts[r->part];
    if (part->object_count < 2)
        return SNAG_OK;
    snag__3mf_object *objects = r->package->objects + part->first_object;
    qsort(objects, part->object_count, sizeof *objects, compare_objects);
    for (size_t i = 1; i < part->object_count; i++)
        if (objects[i].id == objects[i - 1].id)
            return fail(r, SNAG_ERROR_FORMAT, "two objects have the id %llu", (unsigned long long)objects[i].id);
    return SNAG_OK;
}

static snag_status read_text(reader *r, size_t size)
{
    const unsigned char *first = (const unsigned char *)r->text;
    if (size >= 2 && ((first[0] == 0xFE && first[1] == 0xFF) || (first[0] == 0xFF && first[1] == 0xFE)))
        return fail(r, SNAG_ERROR_UNSUPPORTED, "it is written in UTF-16; only UTF-8 is supported");
    snag_status status = SNAG_OK;
    r->xml = (snag__xml){r->text, r->text + size};
    r->package->parts[r->part].first_object = r->package->object_count;
    while (status == SNAG_OK && snag__xml_next(&r->xml, &r->tag))
        status = r->has_model       ? read_element(r)
                 : is_model(r->tag) ? begin_model(r)
                                    : fail(r, SNAG_ERROR_FORMAT, "it does not begin with <model>");
    if (status == SNAG_OK && !r->has_model)
        status = fail(r, SNAG_ERROR_FORMAT, "it is empty; a <model> is expected");
    if (status == SNAG_OK)
        status = end_object(r);
    return status == SNAG_OK ? sort_objects(r) : status;
}

static snag_status read_part(snag__3mf *package, uint32_t part)
{
    const char *path = package->parts[part].path;
    const snag__zip_entry *entry = snag__zip_find(&package->zip, path);
    if (!entry)
        return snag__io_fail(package->source->error, SNAG_ERROR_FORMAT, "%s: it refers to the part \"%.80s\", which does not exist",
                             snag__path_shown(package->source->name), path);
    char *text;
    size_t size;
    snag_status status = snag__zip_read(&package->zip, entry, &text, &size);
    if (status != SNAG_OK)
        return status;
    reader r = {.package = package, .part = part, .path = path, .text = text};
    status = read_text(&r, size);
    snag__zip_free(&package->zip, text, size);
    return status;
}

// ---- the archive ----

// The value of `wanted` in the first element with this value of `key`; NULL if there is none. The caller frees *path.
static snag_status find_in_part(const snag__3mf *package, const char *part, const char *element, const char *key, const char *kind,
                                const char *wanted, char **path)
{
    char *text = NULL;
    size_t size = 0;
    snag__tag tag;
    const snag__zip_entry *entry = snag__zip_find(&package->zip, part);
    *path = NULL;
    snag_status status = entry ? snag__zip_read(&package->zip, entry, &text, &size) : SNAG_OK;
    if (!text)
        return status;
    snag__xml xml = {text, text + size};
    while (!*path && status == SNAG_OK && snag__xml_next(&xml, &tag)) {
        snag__word value = snag__tag_value(tag, wanted);
        if (!snag__tag_is(tag, element) || !snag__tag_value_is(tag, key, kind) || !value.length)
            continue;
        *path = snag__xml_copy(value);
        status = *path ? SNAG_OK : fail_memory(package);
    }
    snag__zip_free(&package->zip, text, size);
    return status;
}

// The relationships of the package name the root part. Otherwise try the content types, then the usual name.
static snag_status find_root(const snag__3mf *package, char **path)
{
    static const char usual[] = "/3D/3dmodel.model";
    char *override = NULL;
    if (!snag__zip_find(&package->zip, "[Content_Types].xml"))
        return snag__io_fail(package->source->error, SNAG_ERROR_FORMAT,
                             "%s: is a zip archive, but not 3MF: it has no [Content_Types].xml",
                             snag__path_shown(package->source->name));
    snag_status status = find_in_part(package, "[Content_Types].xml", "Override", "ContentType",
                                      "application/vnd.ms-package.3dmanufacturing-3dmodel+xml", "PartName", &override);
    if (status == SNAG_OK)
        status = find_in_part(package, "_rels/.rels", "Relationship", "Type",
                              "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel", "Target", path);
    if (status == SNAG_OK && !*path) {
        *path = override;
        override = NULL;
    }
    free(override);
    if (status != SNAG_OK || *path)
        return status;
    *path = malloc(sizeof usual);
    if (!*path)
        return fail_memory(package);
    memcpy(*path, usual, sizeof usual);
    return SNAG_OK;
}

snag_status snag__3mf_open(const snag__source *source, snag__3mf *package)
{
    char *root = NULL;
    uint32_t first;
    *package = (snag__3mf){.source = source};
    snag_status status = snag__zip_open(source, &package->zip);
    if (status == SNAG_OK)
        status = find_root(package, &root);
    if (status == SNAG_OK)
        status = find_part(package, root, &first);
    else
        free(root);
    // Referenced parts are appended to the list.
    for (uint32_t i = 0; i < package->part_count && status == SNAG_OK; i++)
        status = read_part(package, i);
    return status;
}

void snag__3mf_close(snag__3mf *package)
{
    for (size_t i = 0; i < package->part_count; i++)
        free(package->parts[i].path);
    for (size_t i = 0; i < package->object_count; i++)
        free(package->objects[i].name);
    void *const arrays[] = {package->parts,     package->objects, package->positions,
                            package->triangles, package->uses,    package->items};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    snag__zip_close(&package->zip);
    *package = (snag__3mf){0};
}
