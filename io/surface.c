// Shared code of the surface writers.
#include "surface.h"
#include "file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void snag__io_position_get(const snag_positions *positions, size_t vertex, double xyz[3])
{
    const char *at = (const char *)positions->data + vertex * positions->stride;
    if (positions->scalar == SNAG_F64) {
        memcpy(xyz, at, 3 * sizeof(double));
        return;
    }
    float values[3];
    memcpy(values, at, sizeof values);
    for (int axis = 0; axis < 3; axis++)
        xyz[axis] = values[axis];
}

snag_status snag__io_positions_check(const snag_positions *positions, bool as_float, size_t *bad)
{
    if (positions->count > 0 && !positions->data)
        return SNAG_ERROR_ARGUMENT;
    if (positions->scalar != SNAG_F32 && positions->scalar != SNAG_F64)
        return SNAG_ERROR_ARGUMENT;
    for (size_t v = 0; v < positions->count; v++) {
        double xyz[3];
        snag__io_position_get(positions, v, xyz);
        for (int axis = 0; axis < 3; axis++)
            if (!isfinite(xyz[axis]) || (as_float && !isfinite((float)xyz[axis]))) {
                *bad = v;
                return SNAG_ERROR_NOT_FINITE;
            }
    }
    return SNAG_OK;
}

static snag_status check_triangles(const char *path, const snag_io_surface *surface, size_t number, snag_io_error *error)
{
    if (surface->triangle_count > 0 && !surface->triangles)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: surface %zu: no triangles are given", path, number);
    for (size_t i = 0; i < surface->triangle_count; i++)
        for (int corner = 0; corner < 3; corner++) {
            uint32_t v = surface->triangles[3 * i + (size_t)corner];
            if (v >= surface->positions.count)
                return snag__io_fail(error, SNAG_ERROR_INDEX,
                                     "%s: surface %zu: triangle %zu names vertex %u, but there are %zu vertices", path, number, i,
                                     v, surface->positions.count);
        }
    return SNAG_OK;
}

static snag_status check_surface(const char *path, const snag_io_surface *surface, size_t number, snag_io_error *error)
{
    size_t bad = 0;
    snag_status status = snag__io_positions_check(&surface->positions, false, &bad);
    if (status == SNAG_ERROR_NOT_FINITE)
        return snag__io_fail(error, status, "%s: surface %zu: vertex %zu is not finite", path, number, bad);
    if (status != SNAG_OK)
        return snag__io_fail(error, status, "%s: surface %zu: positions are not given, or neither float nor double", path, number);
    return check_triangles(path, surface, number, error);
}

snag_status snag__io_surfaces_check(const char *path, const snag_io_surface *surfaces, size_t surface_count,
                                    snag__io_totals *totals, snag_io_error *error)
{
    *totals = (snag__io_totals){0};
    if (!path)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "write: a path must be given");
    path = snag__path_shown(path);
    if (surface_count > 0 && !surfaces)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: no surfaces are given", path);
    for (size_t i = 0; i < surface_count; i++) {
        snag_status status = check_surface(path, &surfaces[i], i, error);
        if (status != SNAG_OK)
            return status;
        // Each count is at most SIZE_MAX and the sum is at most 2^32 before the addition, so an overflow is always detected.
        if (surfaces[i].positions.count > UINT32_MAX - totals->vertices ||
            surfaces[i].triangle_count > UINT32_MAX - totals->triangles)
            return snag__io_fail(error, SNAG_ERROR_SIZE, "%s: more than 2^32 vertices or triangles", path);
        totals->vertices += surfaces[i].positions.count;
        totals->triangles += surfaces[i].triangle_count;
        totals->doubles |= surfaces[i].positions.scalar == SNAG_F64;
        totals->colours |= surfaces[i].rgb != NULL;
    }
    return SNAG_OK;
}

size_t snag__io_print_number(char text[SNAG__NUMBER_BYTES], double value, snag_scalar scalar)
{
    int digits = scalar == SNAG_F64 ? DBL_DECIMAL_DIG : FLT_DECIMAL_DIG;
    int length = snprintf(text, SNAG__NUMBER_BYTES, "%.*g", digits, value);
    // Only the decimal point of printf depends on the locale; it may have several bytes.
    size_t kept = 0;
    for (int i = 0; i < length; i++) {
        bool point = !strchr("0123456789+-einfa", text[i]);
        if (!point)
            text[kept++] = text[i];
        else if (kept > 0 && text[kept - 1] != '.')
            text[kept++] = '.';
    }
    text[kept] = 0;
    return kept;
}
