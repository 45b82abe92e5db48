// The container of glTF 2.0: .glb chunks, and buffers as data URIs or as files beside the .gltf.
#define _POSIX_C_SOURCE 200809L
#include "bytes.h"

#include "common/system.h"
#include "gltf.h"

#include <stdlib.h>
#include <string.h>

enum { GLB_MAGIC = 0x46546C67, GLB_JSON = 0x4E4F534A, GLB_BINARY = 0x004E4942, GLB_HEADER = 12, GLB_CHUNK = 8 };

typedef struct chunks {
    const char *json, *binary;
    size_t json_size, binary_size;
} chunks;

static snag_status split_glb(const snag__gltf *g, chunks *found)
{
    const snag__source *source = g->source;
    uint64_t length = snag__bytes_u32(source->data + 8, false);
    if (snag__bytes_u32(source->data + 4, false) != 2)
        return snag__gltf_fail(g, SNAG_ERROR_UNSUPPORTED, "has glTF version %lu; only version 2 is supported",
                               (unsigned long)snag__bytes_u32(source->data + 4, false));
    if (length > source->size)
        return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "promises %llu bytes, but has %zu; is it cut off?", (unsigned long long)length,
                               source->size);
    for (size_t at = GLB_HEADER; at + GLB_CHUNK <= length;) {
        size_t size = snag__bytes_u32(source->data + at, false);
        uint32_t kind = snag__bytes_u32(source->data + at + 4, false);
        at += GLB_CHUNK;
        if (size > length - at)
            return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "a chunk reaches past the end of the file; is it cut off?");
        if (kind == GLB_JSON && !found->json) {
            found->json = source->data + at;
            found->json_size = size;
        } else if (kind == GLB_BINARY && !found->binary) {
            found->binary = source->data + at;
            found->binary_size = size;
        }
        at += size;
    }
    return found->json ? SNAG_OK : snag__gltf_fail(g, SNAG_ERROR_FORMAT, "it has no JSON chunk");
}

// ---- lists ----

snag_status snag__gltf_make_list(const snag__gltf *g, uint32_t object, const char *name, snag__gltf_list *list)
{
    uint32_t array = snag__json_array(&g->json, object, name);
    uint32_t count = snag__json_size(&g->json, array);
    list->values = malloc(((size_t)count + 1) * sizeof *list->values);
    if (!list->values)
        return snag__gltf_fail_memory(g);
    uint32_t value = snag__json_first(&g->json, array);
    for (; list->count < count; value = snag__json_after(&g->json, array, value))
        list->values[list->count++] = value;
    return SNAG_OK;
}

// ---- buffers ----

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : c == '-' ? 62 : c == '_' ? 63 : -1;
}

static snag_status decode_base64(const snag__gltf *g, const char *text, size_t length, snag__gltf_buffer *buffer)
{
    char *bytes = malloc(length / 4 * 3 + 4);
    if (!bytes)
        return snag__gltf_fail_memory(g);
    uint32_t bits = 0;
    unsigned bit_count = 0;
    buffer->owned = bytes;
    buffer->data = bytes;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0)
            return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "a data URI is not valid base64");
        bits = bits << 6 | (uint32_t)digit;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            bytes[buffer->size++] = (char)(bits >> bit_count);
        }
    }
    return SNAG_OK;
}

// Accept only regular files in the folder of this file or below it: no URL, no "..", no special file.
static bool is_beside(const char *uri)
{
    size_t segment = 0;
    if (uri[0] == '/' || uri[0] == 0 || strchr(uri, ':') || strchr(uri, '\\'))
        return false;
    for (const char *at = uri; *at; at += segment + (at[segment] != 0)) {
        segment = strcspn(at, "/");
        if (segment == 2 && at[0] == '.' && at[1] == '.')
            return false;
    }
    return true;
}

static void resolve_percent(char *uri)
{
    char *out = uri;
    for (const char *at = uri; *at; at++) {
        char digits[3] = {at[0] == '%' ? at[1] : 0, at[0] == '%' && at[1] ? at[2] : 0, 0};
        char *end = digits;
        long code = digits[1] ? strtol(digits, &end, 16) : 0;
        if (end == digits + 2 && code > 0) {
            *out++ = (char)code;
            at += 2;
        } else {
            *out++ = *at;
        }
    }
    *out = 0;
}

// Do not read a file again if another buffer has already read it, even under another name.
static snag_status read_once(const snag__gltf *g, const char *path, snag__gltf_buffer *buffer)
{
    sys_info about;
    int descriptor;
    snag_status status = snag__file_open(path, &descriptor, g->source->error);
    if (status != SNAG_OK)
        return status;
    if (sys_fstat(descriptor, &about) == 0) {
        buffer->device = (uint64_t)about.st_dev;
        buffer->file = (uint64_t)about.st_ino;
    }
    for (const snag__gltf_buffer *other = g->buffers; other < buffer && !buffer->data; other++)
        if (other->owned && other->file == buffer->file && other->device == buffer->device && buffer->file) {
            buffer->data = other->data;
            buffer->size = other->size;
        }
    if (!buffer->data) {
        status = snag__file_read_open(descriptor, path, g->source->reading, &buffer->owned, &buffer->size, g->source->error);
        buffer->data = buffer->owned;
    }
    sys_close(descriptor);
    return status;
}

static snag_status read_beside(const snag__gltf *g, char *uri, snag__gltf_buffer *buffer)
{
    const char *name = g->source->name, *slash = sys_last_separator(name);
    resolve_percent(uri);
    if (!is_beside(uri))
        return snag__gltf_fail(g, SNAG_ERROR_UNSUPPORTED, "a buffer is \"%.100s\"; only files beside this one are read", uri);
    size_t folder = slash ? (size_t)(slash - name) + 1 : 0, size = folder + strlen(uri) + 1;
    char *path = malloc(size);
    if (!path)
        return snag__gltf_fail_memory(g);
    memcpy(path, name, folder);
    memcpy(path + folder, uri, size - folder);
    snag_status status = read_once(g, path, buffer);
    free(path);
    return status;
}

static snag_status read_buffer(const snag__gltf *g, uint32_t value, bool first, bool beside, const chunks *found,
                               snag__gltf_buffer *buffer)
{
    uint32_t uri = snag__json_member(&g->json, value, "uri");
    if (uri == SNAG__JSON_NONE) {
        buffer->data = first ? found->binary : NULL;
        buffer->size = first ? found->binary_size : 0;
        return SNAG_OK;
    }
    const snag__json_value *text = &g->json.values[uri];
    if (text->kind == SNAG__JSON_STRING && text->length > 5 && memcmp(text->at, "data:", 5) == 0) {
        const char *comma = memchr(text->at, ',', text->length);
        size_t head = comma ? (size_t)(comma - text->at) : 0;
        if (head < 7 || memcmp(comma - 7, ";base64", 7) != 0)
            return snag__gltf_fail(g, SNAG_ERROR_UNSUPPORTED, "a buffer is a data URI that is not base64");
        return decode_base64(g, comma + 1, text->length - head - 1, buffer);
    }
    char *copy;
    if (!snag__json_copy(&g->json, uri, &copy))
        return snag__gltf_fail_memory(g);
    snag_status status = SNAG_OK;
    if (!copy || !beside)
        status = snag__gltf_fail(g, SNAG_ERROR_FILE, "its buffer \"%.100s\" is in another file", copy ? copy : "");
    else
        status = read_beside(g, copy, buffer);
    free(copy);
    return status;
}

static snag_status read_buffers(snag__gltf *g, bool beside, const chunks *found)
{
    uint32_t array = snag__json_array(&g->json, 0, "buffers");
    uint32_t count = snag__json_size(&g->json, array);
    g->buffers = calloc((size_t)count + 1, sizeof *g->buffers);
    if (!g->buffers)
        return snag__gltf_fail_memory(g);
    snag_status status = SNAG_OK;
    uint32_t value = snag__json_first(&g->json, array);
    for (; g->buffer_count < count && status == SNAG_OK; value = snag__json_after(&g->json, array, value)) {
        bool first = g->buffer_count == 0;
        status = read_buffer(g, value, first, beside, found, &g->buffers[g->buffer_count++]);
    }
    return status;
}

// ---- the file ----

// Rejects required extensions that change the shape and that we cannot read. Extensions for the appearance do not matter.
static snag_status check_extensions(const snag__gltf *g)
{
    static const char *const compressed[] = {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "EXT_mesh_gpu_instancing"};
    uint32_t array = snag__json_array(&g->json, 0, "extensionsRequired");
    for (uint32_t e = snag__json_first(&g->json, array); e != SNAG__JSON_NONE; e = snag__json_after(&g->json, array, e))
        for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
            if (snag__json_is(&g->json, e, compressed[i]))
                return snag__gltf_fail(g, SNAG_ERROR_UNSUPPORTED, "needs %s, which is not supported; export it without",
                                       compressed[i]);
    return SNAG_OK;
}

snag_status snag__gltf_open(const snag__source *source, bool beside, snag__gltf *g)
{
    *g = (snag__gltf){.source = source};
    chunks found = {source->data, NULL, source->size, 0};
    snag_status status = SNAG_OK;
    if (source->size >= GLB_HEADER && snag__bytes_u32(source->data, false) == GLB_MAGIC) {
        found = (chunks){0};
        status = split_glb(g, &found);
    }
    if (status == SNAG_OK)
        status = snag__json_parse(source, found.json, found.json_size, &g->json);
    if (status == SNAG_OK && snag__json_member(&g->json, 0, "asset") == SNAG__JSON_NONE)
        status = snag__gltf_fail(g, SNAG_ERROR_FORMAT, "is not glTF 2.0: it has no \"asset\"");
    if (status == SNAG_OK)
        status = check_extensions(g);
    const struct {
        const char *name;
        snag__gltf_list *list;
    } lists[] = {{"accessors", &g->accessors},
                 {"bufferViews", &g->views},
                 {"nodes", &g->nodes},
                 {"meshes", &g->meshes},
                 {"skins", &g->skins}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == SNAG_OK; i++)
        status = snag__gltf_make_list(g, 0, lists[i].name, lists[i].list);
    return status == SNAG_OK ? read_buffers(g, beside, &found) : status;
}

void snag__gltf_close(snag__gltf *g)
{
    snag__gltf_list *const lists[] = {&g->accessors, &g->views, &g->nodes, &g->meshes, &g->skins};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->values);
    for (uint32_t i = 0; i < g->buffer_count; i++)
        free(g->buffers[i].owned);
    free(g->buffers);
    snag__json_free(&g->json);
}
