// Accessors of glTF 2.0: section 3.6.2 of its specification.
#include "gltf_accessor.h"
#include "bytes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE = 5120, UNSIGNED_BYTE = 5121, SHORT = 5122, UNSIGNED_SHORT = 5123, UNSIGNED_INT = 5125, FLOAT = 5126 };

snag_status snag__gltf_fail(const snag__gltf *g, snag_status status, const char *format, ...)
{
    char words[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return snag__io_fail(g->source->error, status, "%s: %s", snag__path_shown(g->source->name), words);
}

snag_status snag__gltf_fail_memory(const snag__gltf *g)
{
    return snag__gltf_fail(g, SNAG_ERROR_MEMORY, "not enough memory for this scene");
}

static uint32_t component_bytes(uint32_t component)
{
    switch (component) {
    case BYTE:
    case UNSIGNED_BYTE: return 1;
    case SHORT:
    case UNSIGNED_SHORT: return 2;
    case UNSIGNED_INT:
    case FLOAT: return 4;
    default: return 0;
    }
}

static uint32_t width_of_type(const snag__gltf *g, uint32_t type)
{
    static const struct {
        const char *name;
        uint32_t width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (snag__json_is(&g->json, type, types[i].name))
            return types[i].width;
    return 0;
}

static bool count_member(const snag__gltf *g, uint32_t object, const char *name, uint64_t otherwise, uint64_t *count)
{
    uint32_t value = snag__json_member(&g->json, object, name);
    *count = otherwise;
    return value == SNAG__JSON_NONE || snag__json_count(&g->json, value, SIZE_MAX / 2, count);
}

// Start of `bytes` bytes at an offset in a buffer view; NULL if they are not all there. *stride becomes the stride of the
// view, if it has one.
static const char *find_bytes(const snag__gltf *g, uint32_t object, uint64_t element_bytes, uint64_t count, size_t *stride)
{
    uint64_t view_index, offset, view_offset, view_length, buffer, apart;
    uint32_t value = snag__json_member(&g->json, object, "bufferView");
    if (!snag__json_count(&g->json, value, UINT32_MAX, &view_index) || view_index >= g->views.count)
        return NULL;
    uint32_t view = g->views.values[view_index];
    if (!count_member(g, object, "byteOffset", 0, &offset) || !count_member(g, view, "byteOffset", 0, &view_offset) ||
        !count_member(g, view, "byteLength", 0, &view_length) || !count_member(g, view, "buffer", UINT64_MAX, &buffer) ||
        !count_member(g, view, "byteStride", element_bytes, &apart))
        return NULL;
    if (buffer >= g->buffer_count || apart < element_bytes || apart > 65535 || count == 0)
        return NULL;
    const snag__gltf_buffer *in = &g->buffers[buffer];
    if (view_offset > in->size || view_length > in->size - view_offset || offset > view_length)
        return NULL;
    uint64_t room = view_length - offset;
    if (element_bytes > room || (count - 1) > (room - element_bytes) / apart)
        return NULL;
    *stride = (size_t)apart;
    return in->data + view_offset + offset;
}

static uint32_t load_index(const char *at, uint32_t component)
{
    return (uint32_t)snag__bytes_unsigned(at, component_bytes(component), false);
}

static snag_status open_sparse(const snag__gltf *g, uint64_t index, uint32_t sparse, snag__gltf_accessor *a)
{
    uint64_t count, component;
    uint32_t indices = snag__json_member(&g->json, sparse, "indices");
    uint32_t values = snag__json_member(&g->json, sparse, "values");
    size_t index_stride = 0, value_stride = 0;
    uint32_t element = a->width * component_bytes(a->component);
    if (!count_member(g, sparse, "count", 0, &count) || !count_member(g, indices, "componentType", 0, &component))
        return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "accessor %llu: its sparse part is not described", (unsigned long long)index);
    if (count == 0)
        return SNAG_OK;
    a->sparse_component = (uint32_t)component;
    uint32_t index_bytes = component == FLOAT ? 0 : component_bytes((uint32_t)component);
    a->sparse_indices = index_bytes ? find_bytes(g, indices, index_bytes, count, &index_stride) : NULL;
    a->sparse_values = find_bytes(g, values, element, count, &value_stride);
    if (!a->sparse_indices || !a->sparse_values || index_stride != index_bytes || value_stride != element)
        return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "accessor %llu: its sparse part reaches past the end of a buffer",
                               (unsigned long long)index);
    a->sparse_count = (size_t)count;
    for (size_t i = 0; i < a->sparse_count; i++) {
        uint32_t replaced = load_index(a->sparse_indices + i * index_bytes, a->sparse_component);
        if (replaced >= a->count)
            return snag__gltf_fail(g, SNAG_ERROR_INDEX, "accessor %llu: its sparse part replaces element %lu, but there are %zu",
                                   (unsigned long long)index, (unsigned long)replaced, a->count);
    }
    return SNAG_OK;
}

snag_status snag__gltf_open_accessor(const snag__gltf *g, uint32_t value, uint32_t width, snag__gltf_accessor *accessor)
{
    uint64_t index, count, component;
    *accessor = (snag__gltf_accessor){0};
    if (!snag__json_count(&g->json, value, UINT32_MAX, &index) || index >= g->accessors.count)
        return snag__gltf_fail(g, SNAG_ERROR_INDEX, "a reference to an accessor that does not exist (there are %lu)",
                               (unsigned long)g->accessors.count);
    uint32_t object = g->accessors.values[index];
    accessor->width = width_of_type(g, snag__json_member(&g->json, object, "type"));
    if (!count_member(g, object, "count", 0, &count) || !count_member(g, object, "componentType", 0, &component) || count == 0 ||
        accessor->width == 0 || component > UINT32_MAX || component_bytes((uint32_t)component) == 0 ||
        (width && width != accessor->width))
        return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "accessor %llu: invalid count, type or componentType",
                               (unsigned long long)index);
    accessor->count = (size_t)count;
    accessor->component = (uint32_t)component;
    uint32_t normalized = snag__json_member(&g->json, object, "normalized");
    accessor->normalized = normalized != SNAG__JSON_NONE && g->json.values[normalized].kind == SNAG__JSON_TRUE;
    uint64_t element = (uint64_t)accessor->width * component_bytes(accessor->component);
    uint32_t sparse = snag__json_member(&g->json, object, "sparse");
    if (snag__json_member(&g->json, object, "bufferView") != SNAG__JSON_NONE) {
        accessor->data = find_bytes(g, object, element, count, &accessor->stride);
        if (!accessor->data)
            return snag__gltf_fail(g, SNAG_ERROR_FORMAT,
                                   "accessor %llu: its data reaches past the end of a buffer; is the file cut off?",
                                   (unsigned long long)index);
    } else if (count > g->source->size) {
        // No buffer view means all zeros: a few characters of JSON could request any amount of memory.
        return snag__gltf_fail(g, SNAG_ERROR_SIZE, "accessor %llu: %llu elements without a buffer", (unsigned long long)index,
                               (unsigned long long)count);
    }
    return sparse == SNAG__JSON_NONE ? SNAG_OK : open_sparse(g, index, sparse, accessor);
}

static double load(const char *at, uint32_t component, bool normalized)
{
    switch (component) {
    case BYTE: {
        double value = (int8_t)*at;
        return !normalized ? value : value < -127 ? -1 : value / 127;
    }
    case UNSIGNED_BYTE: return (uint8_t)*at / (normalized ? 255.0 : 1.0);
    case SHORT: {
        double value = (int16_t)(uint16_t)snag__bytes_unsigned(at, 2, false);
        return !normalized ? value : value < -32767 ? -1 : value / 32767;
    }
    case UNSIGNED_SHORT: return (double)snag__bytes_unsigned(at, 2, false) / (normalized ? 65535.0 : 1.0);
    case UNSIGNED_INT: return snag__bytes_u32(at, false);
    default: return snag__bytes_f32(at, false);
    }
}

void snag__gltf_read(const snag__gltf_accessor *accessor, double *numbers, size_t stride)
{
    uint32_t bytes = component_bytes(accessor->component);
    for (size_t i = 0; i < accessor->count; i++)
        for (uint32_t k = 0; k < accessor->width; k++)
            numbers[i * stride + k] = accessor->data ? load(accessor->data + i * accessor->stride + (size_t)k * bytes,
                                                            accessor->component, accessor->normalized)
                                                     : 0;
    for (size_t i = 0; i < accessor->sparse_count; i++) {
        size_t at =
            load_index(accessor->sparse_indices + i * component_bytes(accessor->sparse_component), accessor->sparse_component);
        const char *value = accessor->sparse_values + i * accessor->width * bytes;
        for (uint32_t k = 0; k < accessor->width; k++)
            numbers[at * stride + k] = load(value + (size_t)k * bytes, accessor->component, accessor->normalized);
    }
}

snag_status snag__gltf_indices(const snag__gltf *g, uint32_t value, uint32_t **indices, size_t *count)
{
    snag__gltf_accessor a;
    *indices = NULL;
    snag_status status = snag__gltf_open_accessor(g, value, 1, &a);
    if (status == SNAG_OK)
        status = snag__claim_bytes(g->source, a.count * sizeof **indices);
    if (status != SNAG_OK)
        return status;
    *count = a.count;
    *indices = calloc(a.count + 1, sizeof **indices);
    if (!*indices)
        return snag__gltf_fail_memory(g);
    for (size_t i = 0; a.data && i < a.count; i++)
        (*indices)[i] = load_index(a.data + i * a.stride, a.component);
    for (size_t i = 0; i < a.sparse_count; i++) {
        uint32_t at = load_index(a.sparse_indices + i * component_bytes(a.sparse_component), a.sparse_component);
        (*indices)[at] = load_index(a.sparse_values + i * component_bytes(a.component), a.component);
    }
    return SNAG_OK;
}

snag_status snag__gltf_numbers(const snag__gltf *g, uint32_t value, uint32_t width, double **numbers, size_t *count)
{
    snag__gltf_accessor accessor;
    snag_status status = snag__gltf_open_accessor(g, value, width, &accessor);
    if (status != SNAG_OK)
        return status;
    if (accessor.count > SIZE_MAX / 16 / sizeof **numbers)
        return snag__gltf_fail(g, SNAG_ERROR_SIZE, "it has too many numbers");
    // Many users may share an accessor, and each gets its own copy of the numbers.
    status = snag__claim_bytes(g->source, (accessor.count * accessor.width + 1) * sizeof **numbers);
    if (status != SNAG_OK)
        return status;
    *numbers = malloc((accessor.count * accessor.width + 1) * sizeof **numbers);
    if (!*numbers)
        return snag__gltf_fail_memory(g);
    snag__gltf_read(&accessor, *numbers, accessor.width);
    *count = accessor.count;
    return SNAG_OK;
}
