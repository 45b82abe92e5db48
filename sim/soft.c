// Corotational linear tetrahedra.
// Mueller, Gross: Interactive Virtual Materials, Graphics Interface 2004 (rotated linear elements).
// Differs: the matrix takes rotations as constant and is never put together; each tetrahedron multiplies by its own.
#include "soft.h"

#include <stdlib.h>
#include <string.h>

#include "rotation.h"

// ---- building ----

// A face of a tetrahedron: its points sorted to find its like, and as they turn outward.
typedef struct face {
    uint32_t sorted[3];
    uint32_t outward[3];
} face;

static void face_make(uint32_t a, uint32_t b, uint32_t c, face *made)
{
    *made = (face){.sorted = {a, b, c}, .outward = {a, b, c}};
    uint32_t *s = made->sorted;
    for (int k = 0; k < 3; k++) {  // 0-1, 1-2, 0-1
        int i = k % 2;
        if (s[i] > s[i + 1]) {
            uint32_t larger = s[i];
            s[i] = s[i + 1];
            s[i + 1] = larger;
        }
    }
}

static int compare_faces(const void *a, const void *b)
{
    const face *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->sorted[k] != q->sorted[k])
            return p->sorted[k] < q->sorted[k] ? -1 : 1;
    return 0;
}

// Faces that stand alone are the surface.
bool snag__soft_surface(snag_shape *volume)
{
    static const int corners[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    snag__sim_memory scratch = {0};
    size_t count = 4 * volume->tet_count, single = 0;
    face *faces = snag__sim_new(&scratch, count, sizeof *faces);
    if (faces == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *tet = volume->tets + 4 * (i / 4);
        const int *c = corners[i % 4];
        face_make(tet[c[0]], tet[c[1]], tet[c[2]], &faces[i]);
    }
    qsort(faces, count, sizeof *faces, compare_faces);
    for (size_t i = 0; i < count; i++) {
        bool paired = i + 1 < count && compare_faces(&faces[i], &faces[i + 1]) == 0;
        if (paired)
            i++;
        else
            faces[single++] = faces[i];
    }
    if (single > 0)
        volume->triangles = malloc(single * 3 * sizeof *volume->triangles);
    if (volume->triangles != NULL) {
        volume->triangle_count = single;
        for (size_t i = 0; i < single; i++)
            memcpy(volume->triangles + 3 * i, faces[i].outward, sizeof faces[i].outward);
    }
    snag__sim_free_all(&scratch);
    return volume->triangles != NULL;
}

// Rows of the inverse of the matrix whose columns are the edges from point 0: the gradients of the shape functions.
static double shape_gradients(const double *const x[4], float gradient[3][3])
{
    double e[3][3], n[3][3];
    for (int k = 0; k < 3; k++)
        snag__subtract3(x[k + 1], x[0], e[k]);
    for (int k = 0; k < 3; k++)
        snag__cross3(e[(k + 1) % 3], e[(k + 2) % 3], n[k]);
    double six_volumes = snag__dot3(e[0], n[0]);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            gradient[k][c] = (float)(n[k][c] / six_volumes);
    return six_volumes / 6;
}

static void add_tet(snag__soft *soft, const snag_shape *volume, const uint32_t *corner, double *mass)
{
    snag__soft_tet *tet = &soft->tets[soft->tet_count++];
    const double *x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = volume->positions + 3 * (size_t)corner[k];
        tet->point[k] = corner[k];
    }
    double size = shape_gradients(x, tet->shape);
    tet->volume = (float)size;
    tet->turn[0] = 1;
    for (int k = 0; k < 4; k++)
        mass[tet->point[k]] += soft->material.density * size / 4;
}

bool snag__soft_create(snag__soft *soft, const snag_shape *volume, const snag__material *material, double *mass,
                       snag__sim_memory *memory)
{
    *soft = (snag__soft){.material = *material};
    soft->tets = snag__sim_new(memory, volume->tet_count, sizeof *soft->tets);
    if (soft->tets == NULL)
        return false;
    for (size_t k = 0; k < volume->tet_count; k++)
        add_tet(soft, volume, volume->tets + 4 * k, mass);
    return true;
}

// ---- forces and their matrix ----

static double shear_modulus(const snag__material *m)
{
    return m->young / (2 * (1 + m->poisson));
}

static double lame_lambda(const snag__material *m)
{
    return m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
}

// Columns of the deformation gradient.
static void deformation(const snag__soft_tet *tet, const double (*x)[3], double f[3][3])
{
    memset(f, 0, 3 * sizeof *f);
    for (int k = 0; k < 3; k++) {
        double edge[3];
        snag__subtract3(x[tet->point[k + 1]], x[tet->point[0]], edge);
        for (int c = 0; c < 3; c++)
            snag__add_scaled3(f[c], (double)tet->shape[k][c], edge);
    }
}

// The stress is 2 mu (F - R) + lambda tr(R^T F - 1) R; the force on point k is minus the volume times stress times its
// gradient.
static void add_tet_forces(const snag__soft *soft, snag__soft_tet *tet, const double (*x)[3], double (*force)[3])
{
    double f[3][3], r[3][3], mu = shear_modulus(&soft->material), lambda = lame_lambda(&soft->material);
    deformation(tet, x, f);
    snag__follow_rotation(tet->turn, (const double(*)[3])f, r);
    double trace = -3;
    for (int c = 0; c < 3; c++)
        trace += snag__dot3(r[c], f[c]);
    for (int k = 0; k < 3; k++) {
        double push[3] = {0}, rotated[3] = {0};
        for (int c = 0; c < 3; c++) {
            double g = (double)tet->shape[k][c];
            snag__add_scaled3(push, 2 * mu * g, f[c]);
            snag__add_scaled3(rotated, g, r[c]);
        }
        snag__add_scaled3(push, lambda * trace - 2 * mu, rotated);
        snag__add_scaled3(force[tet->point[k + 1]], -(double)tet->volume, push);
        snag__add_scaled3(force[tet->point[0]], (double)tet->volume, push);
        tet->gradient[k] = snag__f4_from(rotated);
    }
}

static void add_to_diagonal(float diagonal[6], float round, float along, snag__f4 g)
{
    diagonal[0] += round + along * g[0] * g[0];
    diagonal[1] += round + along * g[1] * g[1];
    diagonal[2] += round + along * g[2] * g[2];
    diagonal[3] += along * g[0] * g[1];
    diagonal[4] += along * g[0] * g[2];
    diagonal[5] += along * g[1] * g[2];
}

static float shape_dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The matrix of a tetrahedron: between points k and l it is round * (s_k . s_l) + along * (g_k g_l^T), with the
// gradients s at rest and g rotated.
static void tet_factors(const snag__soft *soft, const snag__soft_tet *tet, float *round, float *along)
{
    *round = soft->scale * tet->volume * (float)(2 * shear_modulus(&soft->material));
    *along = soft->scale * tet->volume * (float)lame_lambda(&soft->material);
}

static void add_tet_diagonal(const snag__soft *soft, const snag__soft_tet *tet, float (*diagonal)[6])
{
    float round, along, s0[3];
    tet_factors(soft, tet, &round, &along);
    for (int c = 0; c < 3; c++)
        s0[c] = tet->shape[0][c] + tet->shape[1][c] + tet->shape[2][c];
    add_to_diagonal(diagonal[tet->point[0]], round * shape_dot(s0, s0), along,
                    tet->gradient[0] + tet->gradient[1] + tet->gradient[2]);
    for (int k = 0; k < 3; k++)
        add_to_diagonal(diagonal[tet->point[k + 1]], round * shape_dot(tet->shape[k], tet->shape[k]), along,
                        tet->gradient[k]);
}

static void linearise(void *self, const double (*x)[3], const double (*v)[3], double h, double (*force)[3],
                      float (*diagonal)[6])
{
    (void)v;
    snag__soft *soft = self;
    soft->scale = (float)(h * h + h * soft->material.damping);
    for (size_t k = 0; k < soft->tet_count; k++) {
        add_tet_forces(soft, &soft->tets[k], x, force);
        add_tet_diagonal(soft, &soft->tets[k], diagonal);
    }
}

static void multiply_tet(const snag__soft *soft, const snag__soft_tet *tet, const snag__f4 *x, snag__f4 *y)
{
    float round, along;
    tet_factors(soft, tet, &round, &along);
    snag__f4 x0 = x[tet->point[0]], f[3] = {{0}}, sum = {0};
    float trace = 0;
    for (int k = 0; k < 3; k++) {
        snag__f4 edge = x[tet->point[k + 1]] - x0;
        trace += snag__f4_dot(tet->gradient[k], edge);
        for (int c = 0; c < 3; c++)
            f[c] += tet->shape[k][c] * edge;
    }
    for (int k = 0; k < 3; k++) {
        snag__f4 product = tet->shape[k][0] * f[0] + tet->shape[k][1] * f[1] + tet->shape[k][2] * f[2];
        product = round * product + (along * trace) * tet->gradient[k];
        y[tet->point[k + 1]] += product;
        sum += product;
    }
    y[tet->point[0]] -= sum;
}

static void multiply(const void *self, const snag__f4 *x, snag__f4 *y)
{
    const snag__soft *soft = self;
    for (size_t k = 0; k < soft->tet_count; k++)
        multiply_tet(soft, &soft->tets[k], x, y);
}

snag__model snag__soft_model(snag__soft *soft)
{
    return (snag__model){.self = soft, .linearise = linearise, .multiply = multiply};
}
