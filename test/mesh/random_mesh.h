// Small random meshes, full of what goes wrong: repeated vertices, copies, non-manifold edges, flat elements.
#ifndef SNAG_TEST_RANDOM_MESH_H
#define SNAG_TEST_RANDOM_MESH_H

#include "base/random.h"
#include "mesh/mesh.h"

#define RANDOM_MESH_VERTICES 12
#define RANDOM_MESH_ELEMENTS 40

typedef struct random_mesh {
    double positions[RANDOM_MESH_VERTICES][3];  // small whole numbers: products of differences are exact in double
    uint32_t elements[RANDOM_MESH_ELEMENTS][4];
    uint32_t flat[RANDOM_MESH_ELEMENTS * 4];  // the same, `corners` to an element
    uint32_t vertex_count, element_count;
} random_mesh;

static inline void random_mesh_make(random_mesh *mesh, snag__random *random, uint32_t corners)
{
    mesh->vertex_count = 1 + snag__random_below(random, RANDOM_MESH_VERTICES);
    mesh->element_count = snag__random_below(random, RANDOM_MESH_ELEMENTS + 1);
    uint32_t grid = 2 + snag__random_below(random, 6);
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (int c = 0; c < 3; c++)
            mesh->positions[v][c] = (double)snag__random_below(random, grid) - 2.0;
    for (uint32_t i = 0; i < mesh->element_count; i++)
        for (uint32_t c = 0; c < corners; c++) {
            mesh->elements[i][c] = snag__random_below(random, mesh->vertex_count);
            mesh->flat[i * corners + c] = mesh->elements[i][c];
        }
}

static inline snag_body_def random_mesh_surface(const random_mesh *mesh)
{
    return (snag_body_def){.positions = snag_positions_f64(&mesh->positions[0][0], mesh->vertex_count),
                           .triangles = mesh->flat,
                           .triangle_count = mesh->element_count};
}

static inline snag_body_def random_mesh_volume(const random_mesh *mesh)
{
    return (snag_body_def){.positions = snag_positions_f64(&mesh->positions[0][0], mesh->vertex_count),
                           .tets = mesh->flat,
                           .tet_count = mesh->element_count};
}

// The determinant of b - a, c - a, d - a; exact for the coordinates made above.
static inline double small_determinant(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

#endif
