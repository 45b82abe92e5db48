// Serializes a rig. The same code walks a rig when writing and when reading, so the two formats cannot differ. The writer
// may have crashed halfway or be corrupted, so the reader trusts nothing.
#define _POSIX_C_SOURCE 200809L
#include "rig_stream.h"

#include "common/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool snag__write_whole(int descriptor, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        ssize_t written = sys_write(descriptor, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

typedef struct stream {
    bool writes;
    int descriptor;  // output
    const char *at, *end;  // input
    snag_status status;
} stream;

static void fail(stream *s, snag_status status)
{
    if (s->status == SNAG_OK)
        s->status = status;
}

static void pass(stream *s, void *data, size_t size)
{
    if (s->status != SNAG_OK || size == 0)
        return;
    if (!s->writes) {
        if ((size_t)(s->end - s->at) < size) {
            fail(s, SNAG_ERROR_FORMAT);
            return;
        }
        memcpy(data, s->at, size);
        s->at += size;
        return;
    }
    if (!snag__write_whole(s->descriptor, data, size))
        fail(s, SNAG_ERROR_FILE);
}

// Stored as a byte: reading a value other than 0 or 1 as a bool would be undefined behaviour.
static void pass_bool(stream *s, bool *value)
{
    uint8_t byte = 0;
    if (s->writes)
        byte = *value;
    pass(s, &byte, sizeof byte);
    if (byte > 1)
        fail(s, SNAG_ERROR_FORMAT);
    *value = byte == 1;
}

// Number of items that follow, of at least `bytes` bytes each; rejects more than can fit.
static void pass_count(stream *s, size_t *count, size_t bytes)
{
    pass(s, count, sizeof *count);
    if (s->status == SNAG_OK && !s->writes && *count > (size_t)(s->end - s->at) / bytes)
        fail(s, SNAG_ERROR_FORMAT);
    if (s->status != SNAG_OK && !s->writes)
        *count = 0;
}

// An array of `count` items, or NULL. `array` is the address of a pointer of any type.
static void pass_array(stream *s, void *array, size_t count, size_t size, bool may_be_missing)
{
    void *items;
    memcpy(&items, array, sizeof items);
    bool there = items != NULL;
    pass_bool(s, &there);
    if (s->status == SNAG_OK && !there && !may_be_missing && count > 0)
        fail(s, SNAG_ERROR_FORMAT);
    if (s->status != SNAG_OK || !there)
        return;
    if (!s->writes) {
        if (count > (size_t)(s->end - s->at) / size) {
            fail(s, SNAG_ERROR_FORMAT);
            return;
        }
        items = malloc(count * size + 1);
        if (!items)
            fail(s, SNAG_ERROR_MEMORY);
        memcpy(array, &items, sizeof items);
    }
    pass(s, items, count * size);
}

static void pass_text(stream *s, char **text)
{
    size_t size = *text && s->writes ? strlen(*text) + 1 : 0;
    pass_count(s, &size, 1);
    if (size == 0)
        return;
    pass_array(s, text, size, 1, false);
    if (s->status == SNAG_OK && !s->writes)
        (*text)[size - 1] = 0;
}

// The product if it fits, else more than any array has.
static size_t times(size_t a, size_t b)
{
    return b && a > SIZE_MAX / 64 / b ? SIZE_MAX / 64 : a * b;
}

// ---- parts of a rig ----

static void pass_nodes(stream *s, snag__rig *rig)
{
    pass_count(s, &rig->node_count, sizeof *rig->nodes);
    pass_array(s, &rig->nodes, rig->node_count, sizeof *rig->nodes, false);
    for (size_t i = 0; i < rig->node_count && s->status == SNAG_OK; i++) {
        uint8_t has_matrix;
        memcpy(&has_matrix, &rig->nodes[i].has_matrix, sizeof has_matrix);
        if (has_matrix > 1 || (rig->nodes[i].parent >= rig->node_count && rig->nodes[i].parent != SNAG__RIG_NONE))
            fail(s, SNAG_ERROR_FORMAT);
    }
}

static void pass_skin(stream *s, snag__rig_skin *skin)
{
    pass_count(s, &skin->joint_count, sizeof *skin->joints);
    pass_array(s, &skin->joints, skin->joint_count, sizeof *skin->joints, false);
    pass_array(s, &skin->inverses, times(skin->joint_count, 16), sizeof *skin->inverses, false);
}

static void pass_faces(stream *s, snag__rig_body *body)
{
    pass_count(s, &body->polygon_count, sizeof *body->corners);
    pass(s, &body->face_count, sizeof body->face_count);
    pass_array(s, &body->sizes, body->polygon_count, sizeof *body->sizes, true);
    pass_array(s, &body->polygon_numbers, body->polygon_count, sizeof *body->polygon_numbers, true);
    size_t corners = body->sizes ? 0 : times(body->polygon_count, 3);
    for (size_t p = 0; body->sizes && p < body->polygon_count && s->status == SNAG_OK; p++) {
        if (body->sizes[p] < 3)
            fail(s, SNAG_ERROR_FORMAT);
        corners += body->sizes[p];
    }
    pass_array(s, &body->corners, corners, sizeof *body->corners, false);
}

static void pass_body(stream *s, snag__rig_body *body)
{
    size_t n;
    pass_text(s, &body->name);
    pass(s, &body->node, sizeof body->node);
    pass(s, &body->skin, sizeof body->skin);
    pass_bool(s, &body->keeps_numbers);
    pass_count(s, &body->vertex_count, 3 * sizeof *body->positions);
    n = body->vertex_count;
    pass_array(s, &body->positions, times(3, n), sizeof *body->positions, false);
    // In a body without vertices the counts mean nothing and could have any value.
    pass_count(s, &body->target_count, 1);
    pass_array(s, &body->targets, times(times(3, n), body->target_count), sizeof *body->targets, false);
    pass_array(s, &body->target_weights, body->target_count, sizeof *body->target_weights, true);
    pass(s, &body->influence_count, sizeof body->influence_count);
    pass_array(s, &body->joints, times(n, body->influence_count), sizeof *body->joints, false);
    pass_array(s, &body->weights, times(n, body->influence_count), sizeof *body->weights, false);
    pass_faces(s, body);
}

static void pass_track(stream *s, snag__rig_track *track)
{
    static const size_t widths[] = {[SNAG__RIG_TRANSLATION] = 3, [SNAG__RIG_ROTATION] = 4, [SNAG__RIG_SCALE] = 3};
    uint32_t path = (uint32_t)track->path, curve = (uint32_t)track->curve;
    pass(s, &track->node, sizeof track->node);
    pass(s, &path, sizeof path);
    pass(s, &curve, sizeof curve);
    pass_count(s, &track->key_count, sizeof *track->times);
    pass(s, &track->width, sizeof track->width);
    if (path > SNAG__RIG_WEIGHTS || curve > SNAG__RIG_CUBIC || (path < SNAG__RIG_WEIGHTS && track->width != widths[path]))
        fail(s, SNAG_ERROR_FORMAT);
    if (s->status != SNAG_OK)
        return;
    track->path = (snag__rig_path)path;
    track->curve = (snag__rig_curve)curve;
    pass_array(s, &track->times, track->key_count, sizeof *track->times, false);
    size_t values = times(times(track->key_count, track->width), track->curve == SNAG__RIG_CUBIC ? 3 : 1);
    pass_array(s, &track->values, values, sizeof *track->values, false);
}

static void pass_animation(stream *s, snag__rig_animation *animation)
{
    pass_text(s, &animation->name);
    pass(s, &animation->seconds, sizeof animation->seconds);
    pass(s, &animation->rate, sizeof animation->rate);
    pass_count(s, &animation->track_count, 1);
    if (!s->writes && s->status == SNAG_OK && !(animation->tracks = calloc(animation->track_count + 1, sizeof *animation->tracks)))
        fail(s, SNAG_ERROR_MEMORY);
    if (s->status != SNAG_OK && !s->writes)
        animation->track_count = 0;
    for (size_t i = 0; i < animation->track_count && s->status == SNAG_OK; i++)
        pass_track(s, &animation->tracks[i]);
}

// Allocates a list of a rig. Its items may take a multiple of the bytes in the stream.
static void *new_list(stream *s, size_t *count, size_t size)
{
    void *list = s->status == SNAG_OK ? calloc(*count + 1, size) : NULL;
    if (s->status == SNAG_OK && !list)
        fail(s, SNAG_ERROR_MEMORY);
    *count = list ? *count : 0;
    return list;
}

static void pass_rig(stream *s, snag__rig *rig)
{
    pass_nodes(s, rig);
    pass_count(s, &rig->skin_count, 1);
    if (!s->writes)
        rig->skins = new_list(s, &rig->skin_count, sizeof *rig->skins);
    for (size_t i = 0; i < rig->skin_count && s->status == SNAG_OK; i++)
        pass_skin(s, &rig->skins[i]);
    pass_count(s, &rig->body_count, 1);
    if (!s->writes)
        rig->bodies = new_list(s, &rig->body_count, sizeof *rig->bodies);
    for (size_t i = 0; i < rig->body_count && s->status == SNAG_OK; i++)
        pass_body(s, &rig->bodies[i]);
    pass_count(s, &rig->animation_count, 1);
    if (!s->writes)
        rig->animations = new_list(s, &rig->animation_count, sizeof *rig->animations);
    for (size_t i = 0; i < rig->animation_count && s->status == SNAG_OK; i++)
        pass_animation(s, &rig->animations[i]);
    pass(s, &rig->skipped, sizeof rig->skipped);
    pass(s, &rig->unnumbered, sizeof rig->unnumbered);
}

bool snag__rig_write(const snag__rig *rig, int descriptor)
{
    snag__rig copy = *rig;  // the copy is only read
    stream s = {.writes = true, .descriptor = descriptor};
    pass_rig(&s, &copy);
    return s.status == SNAG_OK;
}

snag_status snag__rig_read(const char *bytes, size_t size, snag__rig *rig)
{
    *rig = (snag__rig){0};
    stream s = {.at = bytes, .end = bytes + size};
    pass_rig(&s, rig);
    if (s.at != s.end)
        fail(&s, SNAG_ERROR_FORMAT);
    if (s.status != SNAG_OK)
        snag__rig_free(rig);
    return s.status;
}
