// glTF 2.0: skins and animations.
#include "gltf.h"

#include <stdlib.h>
#include <string.h>

// ---- skins ----

static snag_status read_skin(const snag__gltf *g, uint32_t value, snag__rig_skin *skin)
{
    uint32_t array = snag__json_array(&g->json, value, "joints");
    uint32_t inverses = snag__json_member(&g->json, value, "inverseBindMatrices");
    size_t count = snag__json_size(&g->json, array), inverse_count = 0;
    skin->joints = malloc((count + 1) * sizeof *skin->joints);
    if (!skin->joints)
        return snag__gltf_fail_memory(g);
    for (uint32_t e = snag__json_first(&g->json, array); e != SNAG__JSON_NONE; e = snag__json_after(&g->json, array, e)) {
        uint64_t joint;
        if (!snag__json_count(&g->json, e, UINT32_MAX, &joint) || joint >= g->nodes.count)
            return snag__gltf_fail(g, SNAG_ERROR_INDEX, "a joint of a skin does not exist");
        skin->joints[skin->joint_count++] = (uint32_t)joint;
    }
    if (inverses != SNAG__JSON_NONE) {
        snag_status status = snag__gltf_numbers(g, inverses, 16, &skin->inverses, &inverse_count);
        if (status == SNAG_OK && inverse_count < count)
            status = snag__gltf_fail(g, SNAG_ERROR_FORMAT, "a skin has %zu joints, but %zu matrices", count, inverse_count);
        return status;
    }
    skin->inverses = calloc(16 * count + 1, sizeof *skin->inverses);
    for (size_t i = 0; skin->inverses && i < count; i++)
        for (size_t k = 0; k < 4; k++)
            skin->inverses[16 * i + 5 * k] = 1;
    return skin->inverses ? SNAG_OK : snag__gltf_fail_memory(g);
}

snag_status snag__gltf_read_skins(const snag__gltf *g, snag__rig *rig)
{
    rig->skins = calloc((size_t)g->skins.count + 1, sizeof *rig->skins);
    if (!rig->skins)
        return snag__gltf_fail_memory(g);
    snag_status status = SNAG_OK;
    for (uint32_t i = 0; i < g->skins.count && status == SNAG_OK; i++) {
        rig->skin_count++;
        status = read_skin(g, g->skins.values[i], &rig->skins[i]);
    }
    return status;
}

// ---- animations ----

static bool read_path(const snag__gltf *g, uint32_t target, snag__rig_path *path, size_t *width)
{
    static const struct {
        const char *name;
        snag__rig_path path;
        size_t width;
    } paths[] = {{"translation", SNAG__RIG_TRANSLATION, 3},
                 {"rotation", SNAG__RIG_ROTATION, 4},
                 {"scale", SNAG__RIG_SCALE, 3},
                 {"weights", SNAG__RIG_WEIGHTS, 1}};
    uint32_t value = snag__json_member(&g->json, target, "path");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (snag__json_is(&g->json, value, paths[i].name)) {
            *path = paths[i].path;
            *width = paths[i].width;
            return true;
        }
    return false;
}

static snag_status read_track(const snag__gltf *g, uint32_t sampler, snag__rig_track *track)
{
    size_t values = 0;
    uint32_t curve = snag__json_member(&g->json, sampler, "interpolation");
    track->curve = snag__json_is(&g->json, curve, "STEP")          ? SNAG__RIG_STEP
                   : snag__json_is(&g->json, curve, "CUBICSPLINE") ? SNAG__RIG_CUBIC
                                                                   : SNAG__RIG_LINEAR;
    size_t each = track->curve == SNAG__RIG_CUBIC ? 3 : 1;
    snag_status status = snag__gltf_numbers(g, snag__json_member(&g->json, sampler, "input"), 1, &track->times, &track->key_count);
    if (status == SNAG_OK)
        status =
            snag__gltf_numbers(g, snag__json_member(&g->json, sampler, "output"), (uint32_t)track->width, &track->values, &values);
    if (status != SNAG_OK)
        return status;
    if (track->path == SNAG__RIG_WEIGHTS)
        track->width = values / track->key_count / each;
    if (values < track->key_count * each || (track->path == SNAG__RIG_WEIGHTS && track->width == 0))
        return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "an animation has %zu keys, but %zu values", track->key_count, values);
    return SNAG_OK;
}

// Skip channels that animate an unknown property.
static snag_status read_channel(const snag__gltf *g, const snag__gltf_list *samplers, uint32_t channel, snag__rig_animation *made)
{
    uint64_t node, sampler;
    uint32_t target = snag__json_member(&g->json, channel, "target");
    snag__rig_track *track = &made->tracks[made->track_count];
    uint32_t named = snag__json_member(&g->json, target, "node");
    if (named == SNAG__JSON_NONE || !read_path(g, target, &track->path, &track->width))
        return SNAG_OK;
    if (!snag__json_count(&g->json, snag__json_member(&g->json, channel, "sampler"), UINT32_MAX, &sampler) ||
        sampler >= samplers->count || !snag__json_count(&g->json, named, UINT32_MAX, &node) || node >= g->nodes.count)
        return snag__gltf_fail(g, SNAG_ERROR_INDEX, "a node or sampler of an animation does not exist");
    track->node = (uint32_t)node;
    made->track_count++;
    snag_status status = read_track(g, samplers->values[sampler], track);
    if (status == SNAG_OK && track->times[track->key_count - 1] > made->seconds)
        made->seconds = track->times[track->key_count - 1];
    return status;
}

static snag_status read_animation(const snag__gltf *g, uint32_t value, snag__rig_animation *made)
{
    uint32_t channels = snag__json_array(&g->json, value, "channels");
    made->tracks = calloc((size_t)snag__json_size(&g->json, channels) + 1, sizeof *made->tracks);
    if (!made->tracks || !snag__json_copy(&g->json, snag__json_member(&g->json, value, "name"), &made->name))
        return snag__gltf_fail_memory(g);
    snag__gltf_list samplers = {0};
    snag_status status = snag__gltf_make_list(g, value, "samplers", &samplers);
    uint32_t e = snag__json_first(&g->json, channels);
    for (; e != SNAG__JSON_NONE && status == SNAG_OK; e = snag__json_after(&g->json, channels, e))
        status = read_channel(g, &samplers, e, made);
    free(samplers.values);
    return status;
}

snag_status snag__gltf_read_animations(const snag__gltf *g, snag__rig *rig)
{
    uint32_t array = snag__json_array(&g->json, 0, "animations");
    rig->animations = calloc((size_t)snag__json_size(&g->json, array) + 1, sizeof *rig->animations);
    if (!rig->animations)
        return snag__gltf_fail_memory(g);
    snag_status status = SNAG_OK;
    uint32_t e = snag__json_first(&g->json, array);
    for (; e != SNAG__JSON_NONE && status == SNAG_OK; e = snag__json_after(&g->json, array, e))
        status = read_animation(g, e, &rig->animations[rig->animation_count++]);
    return status;
}
