// glTF inside: the file's JSON, its buffers, and the accessors that say what numbers stand in them.
#ifndef SNAG_IO_GLTF_ACCESSOR_H
#define SNAG_IO_GLTF_ACCESSOR_H

#include "jsontree.h"

// The elements of one of the file's lists, such as "accessors", by number.
typedef struct snag__gltf_list {
    uint32_t *values;
    uint32_t count;
} snag__gltf_list;

typedef struct snag__gltf_buffer {
    const char *data;
    size_t size;
    char *owned;  // freed with the file; NULL: part of the source, or another buffer's
    uint64_t device, file;  // of one that was read from a file: which it is
} snag__gltf_buffer;

typedef struct snag__gltf {
    const snag__source *source;
    snag__json json;
    snag__gltf_list accessors, views, nodes, meshes, skins;
    snag__gltf_buffer *buffers;
    uint32_t buffer_count;
} snag__gltf;

// Numbers in a buffer. Zero where the file gives none.
typedef struct snag__gltf_accessor {
    size_t count;
    uint32_t width;  // numbers of an element
    uint32_t component;  // how they are written, as glTF numbers it
    bool normalized;
    const char *data;  // NULL: all zero
    size_t stride;
    size_t sparse_count;  // elements that are written elsewhere
    const char *sparse_indices, *sparse_values;
    uint32_t sparse_component;
} snag__gltf_accessor;

// Fails with "FILE: WORDS"; the words may name what of the file they are about.
snag_status snag__gltf_fail(const snag__gltf *g, snag_status status, const char *format, ...) SNAG__PRINTF(3, 4);
snag_status snag__gltf_fail_memory(const snag__gltf *g);

// `value` of the JSON names an accessor; `width` is what it must have (0: any). Everything it reaches exists.
snag_status snag__gltf_open_accessor(const snag__gltf *g, uint32_t value, uint32_t width, snag__gltf_accessor *accessor);

// All numbers of an accessor, `stride` apart from element to element (at least its width).
void snag__gltf_read(const snag__gltf_accessor *accessor, double *numbers, size_t stride);
// The numbers in an array of their own, of width 1 as indices.
snag_status snag__gltf_indices(const snag__gltf *g, uint32_t value, uint32_t **indices, size_t *count);
snag_status snag__gltf_numbers(const snag__gltf *g, uint32_t value, uint32_t width, double **numbers, size_t *count);

#endif
