// Overlap of a node's octants with its triangles by the backend gl, in units of the node's box. Triangles too large for single
// precision, and all in a box that is not cut in half, are tested by exact arithmetic.
#include "method/spheres.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The largest offset of the centre, in units of the box: the rounding of single precision.
static const double OFF_CENTRE = 0x1p-24;

static snag_status open_gpu(snag__ask *ask, snag__spheres_state *state)
{
    if (state->gpu != NULL)
        return SNAG_OK;
    snag__gpu_error error = {""};
    snag_status status = snag__gpu_gl()->open(ask->allocator, &state->gpu, &error);
    snprintf(ask->message, sizeof ask->message, "%s", error.message);
    return status;
}

// Whether the box is cut in half, as the views assume: a box that is only a few units in the last place wide has no number in its
// middle.
static bool is_cut_in_half(const snag__octants *box)
{
    for (int k = 0; k < 3; k++) {
        double half = box->hi[k] / 2 - box->lo[k] / 2, off = (box->mid[k] - box->lo[k]) / half - 1;
        if ((box->cut >> k & 1) != 0 && !(fabs(off) <= OFF_CENTRE))
            return false;
    }
    return true;
}

// Converts a triangle to units of the box; 0 along an axis that is not cut. False if it is too large for the complete rule.
static bool in_units(const double (*x)[3], const uint32_t v[3], const snag__octants *box, float (*corners)[3])
{
    bool small = true;
    for (int k = 0; k < 3; k++) {
        bool cut = (box->cut >> k & 1) != 0;
        double half = box->hi[k] / 2 - box->lo[k] / 2;
        for (int c = 0; c < 3; c++) {
            double at = cut ? (x[v[c]][k] - box->mid[k]) / half : 0;
            corners[c][k] = (float)at;
            small = small && fabs(at) <= (double)SNAG__GPU_LARGEST;
        }
    }
    return small;
}

// The octants of `wanted` that a triangle meets, exactly.
static uint8_t exact_octants(const double (*x)[3], const uint32_t v[3], const snag__octants *octants, uint32_t wanted)
{
    const double *const corner[3] = {x[v[0]], x[v[1]], x[v[2]]};
    uint8_t met = 0;
    for (; wanted != 0; wanted &= wanted - 1) {
        int o = __builtin_ctz(wanted);
        double lo[3], hi[3];
        snag__octant_box(octants, o, lo, hi);
        if (snag__triangle_meets_box(corner, lo, hi))
            met |= (uint8_t)(1u << o);
    }
    return met;
}

snag_status snag__spheres_gl_octants(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                     const uint32_t *list, uint32_t count, const snag__octants *octants, const uint8_t *masks,
                                     uint8_t *grey)
{
    snag_status status = open_gpu(ask, state);
    if (status != SNAG_OK)
        return status;
    float(*corners)[3];
    uint32_t *lists;  // eight of them
    const snag__room rooms[] = {
        {&state->corners, &corners, 3 * (size_t)count + 1, sizeof *corners},
        {&state->octants, &lists, 8 * (size_t)count + 1, sizeof *lists},
    };
    if (!snag__rooms_reserve(ask->allocator, rooms, sizeof rooms / sizeof *rooms))
        return SNAG_ERROR_MEMORY;
    snag__gpu_triangles triangles = {.corners = (const float(*)[3])corners, .cut = octants->cut};
    uint8_t certain = 0, met = 0;
    bool halves = is_cut_in_half(octants);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *v = geometry->triangles[list != NULL ? list[i] : i];
        if (!halves || !in_units(geometry->x, v, octants, corners + 3 * triangles.count)) {
            certain |= exact_octants(geometry->x, v, octants, masks[i] & ~(uint32_t)certain);
            continue;
        }
        for (uint32_t rest = masks[i]; rest != 0; rest &= rest - 1) {
            int o = __builtin_ctz(rest);
            SNAG__ASSERT(triangles.list_counts[o] < count);
            lists[(size_t)o * count + triangles.list_counts[o]++] = (uint32_t)triangles.count;
        }
        triangles.count++;
    }
    for (int o = 0; o < 8; o++) {
        triangles.lists[o] = lists + (size_t)o * count;
        // An octant that is known to be met needs no query.
        if ((certain >> o & 1) != 0)
            triangles.list_counts[o] = 0;
    }
    snag__gpu_error error = {""};
    status = snag__gpu_gl()->octants(state->gpu, &triangles, &met, &ask->statistics.tested, &error);
    if (status != SNAG_OK)
        snprintf(ask->message, sizeof ask->message, "%s", error.message);
    *grey = met | certain;
    return status;
}

bool snag__spheres_gl_can_be_plain(const snag__octants *octants)
{
    return is_cut_in_half(octants);
}

// As printed: the whole surface is drawn for each query, whatever the node.
snag_status snag__spheres_gl_plain(snag__ask *ask, snag__spheres_state *state, const snag__sphere_geometry *geometry,
                                   const snag__octants *octants, uint8_t *grey)
{
    snag_status status = open_gpu(ask, state);
    if (status != SNAG_OK)
        return status;
    size_t count = geometry->triangle_count;
    if (!snag__buffer_reserve(ask->allocator, &state->corners, 0, 3 * count + 1, 3 * sizeof(float)))
        return SNAG_ERROR_MEMORY;
    float(*corners)[3] = state->corners.data;
    for (size_t i = 0; i < count; i++)
        in_units(geometry->x, geometry->triangles[i], octants, corners + 3 * i);
    const snag__gpu_triangles triangles = {
        .corners = (const float(*)[3])corners, .count = count, .cut = octants->cut, .plain = true};
    snag__gpu_error error = {""};
    status = snag__gpu_gl()->octants(state->gpu, &triangles, grey, &ask->statistics.tested, &error);
    if (status != SNAG_OK)
        snprintf(ask->message, sizeof ask->message, "%s", error.message);
    return status;
}
