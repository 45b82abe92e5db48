// Internals of the glTF reader: the JSON of the file, its buffers, and the accessors that describe the numbers in them.
#ifndef SNAG_IO_GLTF_ACCESSOR_H
#define SNAG_IO_GLTF_ACCESSOR_H

#include "jsontree.h"

// The elements of a top-level list such as "accessors", by index.
typedef struct snag__gltf_list {
    uint32_t *values;
    uint32_t count;
} snag__gltf_list;

typedef struct snag__gltf_buffer {
    const char *data;
    size_t size;
    char *owned;  // freed with the file; NULL: part of the source, or another buffer's
    uint64_t device, file;  // identity of the file, if the buffer was read from one
} snag__gltf_buffer;

typedef struct snag__gltf {
    const snag__source *source;
    snag__json json;
    snag__gltf_list accessors, views, nodes, meshes, skins;
    snag__gltf_buffer *buffers;
    uint32_t buffer_count;
} snag__gltf;

// Numbers in a buffer. Zero if the file has none.
typedef struct snag__gltf_accessor {
    size_t count;
    uint32_t width;  // numbers per element
    uint32_t component;  // component type, as numbered by glTF
    bool normalized;
    const char *data;  // NULL: all zero
    size_t stride;
    size_t sparse_count;  // sparse elements, stored elsewhere
    const char *sparse_indices, *sparse_values;
    uint32_t sparse_component;
} snag__gltf_accessor;

// Fails with "FILE: MESSAGE"; the message may name the part of the file that is wrong.
snag_status snag__gltf_fail(const snag__gltf *g, snag_status status, const char *format, ...) SNAG__PRINTF(3, 4);
snag_status snag__gltf_fail_memory(const snag__gltf *g);

// Finds the accessor named by the JSON value `value` and checks that its width is `width` (0: any) and that all its data exists.
snag_status snag__gltf_open_accessor(const snag__gltf *g, uint32_t value, uint32_t width, snag__gltf_accessor *accessor);

// Reads all numbers of an accessor; elements are `stride` apart in the output (at least the width).
void snag__gltf_read(const snag__gltf_accessor *accessor, double *numbers, size_t stride);
// Reads the numbers into a new array; indices have width 1.
snag_status snag__gltf_indices(const snag__gltf *g, uint32_t value, uint32_t **indices, size_t *count);
snag_status snag__gltf_numbers(const snag__gltf *g, uint32_t value, uint32_t width, double **numbers, size_t *count);

#endif
