// Radii of a body: see thickness.h.
#include "mesh/thickness.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FAIL(status, ...) (snprintf(error->message, sizeof error->message, __VA_ARGS__), (status))

snag_status snag__thickness_check(const snag_body_def *def, snag__mesh_error *error)
{
    if (!(isfinite(def->radius) && def->radius >= 0))
        return FAIL(SNAG_ERROR_ARGUMENT, "the radius must be finite and not negative, not %g", def->radius);
    if (def->radii == NULL)
        return SNAG_OK;
    if (def->radius > 0)
        return FAIL(SNAG_ERROR_ARGUMENT, "a body has one radius or radii of its vertices, not both");
    for (size_t v = 0; v < def->positions.count; v++)
        if (!(isfinite(def->radii[v]) && def->radii[v] >= 0))
            return FAIL(SNAG_ERROR_ARGUMENT, "vertex %zu: the radius must be finite and not negative, not %g", v,
                        (double)def->radii[v]);
    return SNAG_OK;
}

static void raise(float *to, float value)
{
    *to = value > *to ? value : *to;
}

bool snag__thickness_copy(snag__mesh *mesh, const snag_body_def *def)
{
    const uint32_t count = mesh->vertex_count;
    mesh->radius = def->radius;
    if (def->radii == NULL || count == 0)
        return true;
    bool equal = true;
    float most = 0;
    for (uint32_t v = 0; v < count; v++) {
        equal = equal && def->radii[v] == def->radii[0];
        raise(&most, def->radii[v]);
    }
    mesh->radius = (double)most;
    if (equal)
        return true;
    mesh->radii = snag__mesh_array(mesh, count, sizeof *mesh->radii);
    mesh->ring_radii = snag__mesh_array(mesh, count, sizeof *mesh->ring_radii);
    if (mesh->radii == NULL || mesh->ring_radii == NULL)
        return false;
    memcpy(mesh->radii, def->radii, count * sizeof *mesh->radii);
    // Of welded vertices the one that is used has the largest of their radii.
    for (uint32_t v = 0; v < count && mesh->vertex_of != NULL; v++)
        raise(&mesh->radii[mesh->vertex_of[v]], def->radii[v]);
    memcpy(mesh->ring_radii, mesh->radii, count * sizeof *mesh->radii);
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const uint32_t *v = mesh->edges[e];
        raise(&mesh->ring_radii[v[0]], mesh->radii[v[1]]);
        raise(&mesh->ring_radii[v[1]], mesh->radii[v[0]]);
    }
    return true;
}
