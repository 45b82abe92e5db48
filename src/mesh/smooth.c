// Smoothness around a triangle: see smooth.h.
#include "mesh/smooth.h"

#include "base/assert.h"
#include "base/vec3.h"

#include <math.h>
#include <string.h>

#define EMPTY UINT32_MAX

// Triangles almost edge-on to the common direction are as bad as those that face away: no sampled direction suits them.
static const double LEAST_COSINE = 0.1;

enum { SLOTS = 4 * SNAG__NEIGHBOURHOOD_MAX };
// A crumpled surface mostly shows within so many triangles.
enum { FIRST_LOOK = 48 };

// Triangles in the order in which they were reached, and whether each is flipped to agree with the first.
typedef struct neighbourhood {
    uint32_t triangles[SNAG__NEIGHBOURHOOD_MAX];
    bool turned[SNAG__NEIGHBOURHOOD_MAX];
    uint32_t count, most;
    uint32_t slots[SLOTS];  // the same as a set
} neighbourhood;

// Returns false if it was there.
static bool add_to_set(neighbourhood *n, uint32_t triangle)
{
    uint32_t slot = triangle * 2654435761u >> 16 & (SLOTS - 1);
    for (; n->slots[slot] != EMPTY; slot = (slot + 1) & (SLOTS - 1))
        if (n->slots[slot] == triangle)
            return false;
    n->slots[slot] = triangle;
    return true;
}

static void add(neighbourhood *n, uint32_t triangle, bool turned)
{
    if (n->count == n->most || !add_to_set(n, triangle))
        return;
    n->turned[n->count] = turned;
    n->triangles[n->count++] = triangle;
}

// Whether a triangle runs through one of its edges starting at this vertex.
static bool runs_from(const snag__mesh *mesh, uint32_t triangle, uint32_t edge, uint32_t vertex)
{
    for (int i = 0; i < 3; i++)
        if (mesh->triangle_edges[triangle][i] == edge)
            return mesh->triangles[triangle][i] == vertex;
    return false;
}

// Adds the triangles across a triangle's edges. Neighbours that agree run through an edge in opposite directions.
static void add_neighbours(const snag__mesh *mesh, neighbourhood *n, uint32_t triangle, bool turned)
{
    for (int i = 0; i < 3; i++) {
        uint32_t edge = mesh->triangle_edges[triangle][i];
        if (edge == SNAG__NO_EDGE)
            continue;
        for (uint32_t k = mesh->edge_triangles.start[edge]; k < mesh->edge_triangles.start[edge + 1]; k++) {
            uint32_t other = mesh->edge_triangles.items[k];
            if (other != triangle)
                add(n, other, turned != runs_from(mesh, other, edge, mesh->triangles[triangle][i]));
        }
    }
}

// The unit normal; zero if there is none.
static void normal_of(const snag__mesh *mesh, uint32_t triangle, bool turned, double normal[3])
{
    const uint32_t *v = mesh->triangles[triangle];
    const double *a = mesh->x_t1[v[0]], *b = mesh->x_t1[v[1]], *c = mesh->x_t1[v[2]];
    double u[3], w[3], n[3];
    snag__vec3_subtract(b, a, u);
    snag__vec3_subtract(c, a, w);
    snag__vec3_cross(u, w, n);
    double length = snag__vec3_length(n);
    double scale = length > 0 && isfinite(length) ? (turned ? -1 : 1) / length : 0;
    for (int k = 0; k < 3; k++)
        normal[k] = scale != 0 ? scale * n[k] : 0;
}

static void grow(const snag__mesh *mesh, neighbourhood *n, uint32_t most)
{
    n->most = most;
    for (uint32_t i = 0; i < n->count && n->count < most; i++)
        add_neighbours(mesh, n, n->triangles[i], n->turned[i]);
}

static bool faces_one_direction(const snag__mesh *mesh, const neighbourhood *n)
{
    double normals[SNAG__NEIGHBOURHOOD_MAX][3], mean[3] = {0};
    for (uint32_t i = 0; i < n->count; i++) {
        normal_of(mesh, n->triangles[i], n->turned[i], normals[i]);
        for (int k = 0; k < 3; k++)
            mean[k] += normals[i][k];
    }
    double length = snag__vec3_length(mean);
    for (uint32_t i = 0; i < n->count; i++)
        if (!(snag__vec3_dot(normals[i], mean) > LEAST_COSINE * length))
            return false;
    return true;
}

bool snag__is_smooth_around(const snag__mesh *mesh, uint32_t triangle, uint32_t count)
{
    SNAG__ASSERT(triangle < mesh->triangle_count);
    neighbourhood n;
    n.count = 0;
    n.most = 1;
    memset(n.slots, 0xff, sizeof n.slots);
    add(&n, triangle, false);
    count = count < SNAG__NEIGHBOURHOOD_MAX ? count : SNAG__NEIGHBOURHOOD_MAX;
    grow(mesh, &n, count < FIRST_LOOK ? count : FIRST_LOOK);
    if (!faces_one_direction(mesh, &n))
        return false;
    grow(mesh, &n, count);
    return faces_one_direction(mesh, &n);
}
