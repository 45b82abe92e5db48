// Corotational linear tetrahedra.
// Mueller, Gross: Interactive Virtual Materials, Graphics Interface 2004 (rotated linear elements).
// Differs: the matrix treats rotations as constant. It is assembled by rows: each point sums over its element corners, always in
// the same order, so that rows can be built in parallel; and since rows sum to zero, no diagonal is stored.
#include "soft.h"

#include <stdlib.h>
#include <string.h>

#include "rotation.h"

// ---- building ----

// A face of a tetrahedron: its points sorted to find the matching face, and in outward order.
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

// Unmatched faces are the surface.
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

// Rows of the inverse of the matrix whose columns are the edges from point 0: the gradients of the shape functions. Those of all
// four sum to zero.
static double shape_gradients(const double *const x[4], snag__f4 gradient[4])
{
    double e[3][3], n[3][3];
    for (int k = 0; k < 3; k++)
        snag__subtract3(x[k + 1], x[0], e[k]);
    for (int k = 0; k < 3; k++)
        snag__cross3(e[(k + 1) % 3], e[(k + 2) % 3], n[k]);
    double six_volumes = snag__dot3(e[0], n[0]);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            gradient[k + 1][c] = (float)(n[k][c] / six_volumes);
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
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

// Lists the element corners of each point.
static bool list_corners(snag__soft *soft, snag__sim_memory *memory)
{
    uint32_t *row = snag__sim_new(memory, (size_t)soft->point_count + 2, sizeof *row);
    soft->corners = snag__sim_new(memory, 4 * soft->tet_count, sizeof *soft->corners);
    if (memory->failed)
        return false;
    for (size_t i = 0; i < 4 * soft->tet_count; i++)
        row[soft->tets[i / 4].point[i % 4] + 2]++;
    for (uint32_t i = 0; i < soft->point_count; i++)
        row[i + 2] += row[i + 1];
    for (size_t i = 0; i < 4 * soft->tet_count; i++)
        soft->corners[row[soft->tets[i / 4].point[i % 4] + 1]++] =
            (snag__soft_corner){.tet = (uint32_t)(i / 4), .corner = (uint16_t)(i % 4)};
    soft->corner_row = row;
    return true;
}

// The other three corners of a tetrahedron, in order.
static uint32_t other_corner(uint32_t corner, uint32_t n)
{
    return n < corner ? n : n + 1;
}

// Index of a neighbour in the list; appends it if new.
static uint32_t find_or_add(uint32_t *list, uint32_t *count, uint32_t point)
{
    uint32_t at = 0;
    while (at < *count && list[at] != point)
        at++;
    if (at == *count)
        list[(*count)++] = point;
    return at;
}

// A point has a few dozen corners at most, so neighbours are found by a linear search. `other` has room for three per corner.
static bool list_neighbours(snag__soft *soft, uint32_t *other)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < soft->point_count; i++) {
        uint32_t count = 0;
        for (uint32_t c = soft->corner_row[i]; c < soft->corner_row[i + 1]; c++) {
            snag__soft_corner *corner = &soft->corners[c];
            for (uint32_t n = 0; n < 3; n++) {
                uint32_t point = soft->tets[corner->tet].point[other_corner(corner->corner, n)];
                uint32_t slot = find_or_add(other + next, &count, point);
                if (slot > UINT16_MAX)
                    return false;
                corner->slot[n] = (uint16_t)slot;
            }
        }
        next += count;
        soft->row[i + 1] = next;
    }
    return true;
}

static bool build_rows(snag__soft *soft, snag__sim_memory *memory)
{
    snag__sim_memory scratch = {0};
    uint32_t *other = snag__sim_new(&scratch, 12 * soft->tet_count, sizeof *other);
    soft->row = snag__sim_new(memory, (size_t)soft->point_count + 1, sizeof *soft->row);
    bool done = other != NULL && soft->row != NULL && list_neighbours(soft, other);
    if (done) {
        size_t count = soft->row[soft->point_count];
        soft->other = snag__sim_new(memory, count, sizeof *soft->other);
        soft->block = snag__sim_new(memory, count + 1, sizeof *soft->block);
        done = !memory->failed;
        if (done)
            memcpy(soft->other, other, count * sizeof *other);
    }
    snag__sim_free_all(&scratch);
    return done;
}

bool snag__soft_create(snag__soft *soft, const snag_shape *volume, const snag__material *material, double *mass,
                       snag__sim_memory *memory)
{
    *soft = (snag__soft){.material = *material, .point_count = (uint32_t)volume->vertex_count};
    soft->tets = snag__sim_new(memory, volume->tet_count, sizeof *soft->tets);
    if (soft->tets == NULL || volume->tet_count > UINT32_MAX / 12)
        return false;
    for (size_t k = 0; k < volume->tet_count; k++)
        add_tet(soft, volume, volume->tets + 4 * k, mass);
    return list_corners(soft, memory) && build_rows(soft, memory);
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
            snag__add_scaled3(f[c], (double)tet->shape[k + 1][c], edge);
    }
}

// The stress is 2 mu (F - R) + lambda tr(R^T F - 1) R; the force on point k is minus the volume times stress times its
// gradient.
static void prepare_tet(const snag__soft *soft, snag__soft_tet *tet, const double (*x)[3])
{
    double f[3][3], r[3][3], mu = shear_modulus(&soft->material), lambda = lame_lambda(&soft->material);
    deformation(tet, x, f);
    snag__follow_rotation(tet->turn, (const double(*)[3])f, r);
    double trace = -3;
    for (int c = 0; c < 3; c++)
        trace += snag__dot3(r[c], f[c]);
    memset(tet->force, 0, sizeof tet->force);
    for (int k = 1; k < 4; k++) {
        double push[3] = {0}, rotated[3] = {0};
        for (int c = 0; c < 3; c++) {
            double g = (double)tet->shape[k][c];
            snag__add_scaled3(push, 2 * mu * g, f[c]);
            snag__add_scaled3(rotated, g, r[c]);
        }
        snag__add_scaled3(push, lambda * trace - 2 * mu, rotated);
        snag__add_scaled3(tet->force[k], -(double)tet->volume, push);
        snag__add_scaled3(tet->force[0], (double)tet->volume, push);
        tet->gradient[k] = snag__f4_from(rotated);
    }
    tet->gradient[0] = -(tet->gradient[1] + tet->gradient[2] + tet->gradient[3]);
}

static void begin(void *self, double h)
{
    snag__soft *soft = self;
    soft->scale = (float)(h * h + h * soft->material.damping);
}

static void prepare(void *self, const double (*x)[3], uint32_t from, uint32_t to)
{
    snag__soft *soft = self;
    for (uint32_t k = from; k < to; k++)
        prepare_tet(soft, &soft->tets[k], x);
}

static void add_to_diagonal(float diagonal[6], float round, float along, snag__f4 g)
{
    diagonal[0] += round + along * (g[0] * g[0]);
    diagonal[1] += round + along * (g[1] * g[1]);
    diagonal[2] += round + along * (g[2] * g[2]);
    diagonal[3] += along * (g[0] * g[1]);
    diagonal[4] += along * (g[0] * g[2]);
    diagonal[5] += along * (g[1] * g[2]);
}

// The block between two points of a tetrahedron is round (s_k . s_l) + along (g_k g_l^T), with the gradients s at rest and g
// rotated. The order of the products gives the same floats from both sides.
static void add_block(float block[9], float round, float along, snag__f4 g, snag__f4 other)
{
    for (int c = 0; c < 3; c++) {
        snag__f4 column = along * (g * other[c]);
        for (int r = 0; r < 3; r++)
            block[3 * c + r] += column[r];
        block[3 * c + c] += round;
    }
}

static void add_corner(snag__soft *soft, const snag__soft_corner *corner, uint32_t row, double force[3], float diagonal[6])
{
    const snag__soft_tet *tet = &soft->tets[corner->tet];
    float round = soft->scale * tet->volume * (float)(2 * shear_modulus(&soft->material));
    float along = soft->scale * tet->volume * (float)lame_lambda(&soft->material);
    uint32_t k = corner->corner;
    snag__add_scaled3(force, 1, tet->force[k]);
    add_to_diagonal(diagonal, round * snag__f4_dot(tet->shape[k], tet->shape[k]), along, tet->gradient[k]);
    for (uint32_t n = 0; n < 3; n++) {
        uint32_t l = other_corner(k, n);
        add_block(soft->block[row + corner->slot[n]], round * snag__f4_dot(tet->shape[k], tet->shape[l]), along, tet->gradient[k],
                  tet->gradient[l]);
    }
}

static void linearise(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    (void)x;  // already used by prepare
    snag__soft *soft = self;
    for (uint32_t i = from; i < to; i++) {
        uint32_t row = soft->row[i];
        memset(soft->block[row], 0, (soft->row[i + 1] - row) * sizeof *soft->block);
        for (uint32_t c = soft->corner_row[i]; c < soft->corner_row[i + 1]; c++)
            add_corner(soft, &soft->corners[c], row, force[i], diagonal[i]);
    }
}

// Three floats of a column, and one ignored.
static snag__f4 column_at(const float *block)
{
    snag__f4 column;
    memcpy(&column, block, sizeof column);
    return column;
}

static void multiply(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    const snag__soft *soft = self;
    for (uint32_t i = from; i < to; i++) {
        snag__f4 xi = x[i], sum = {0};
        for (uint32_t n = soft->row[i]; n < soft->row[i + 1]; n++) {
            snag__f4 d = x[soft->other[n]] - xi;
            const float *block = soft->block[n];
            sum += d[0] * column_at(block) + d[1] * column_at(block + 3) + d[2] * column_at(block + 6);
        }
        sum[3] = 0;
        y[i] += sum;
    }
}

// mu |F - R|^2 + lambda / 2 tr(R^T F - 1)^2 per unit of volume.
static double energy(const void *self, const double (*x)[3])
{
    const snag__soft *soft = self;
    double sum = 0, mu = shear_modulus(&soft->material), lambda = lame_lambda(&soft->material);
    for (size_t k = 0; k < soft->tet_count; k++) {
        const snag__soft_tet *tet = &soft->tets[k];
        double f[3][3], r[3][3], turn[4], trace = -3, square = 0;
        memcpy(turn, tet->turn, sizeof turn);
        deformation(tet, x, f);
        snag__follow_rotation(turn, (const double(*)[3])f, r);
        for (int c = 0; c < 3; c++) {
            double d[3];
            trace += snag__dot3(r[c], f[c]);
            snag__subtract3(f[c], r[c], d);
            square += snag__dot3(d, d);
        }
        sum += (double)tet->volume * (mu * square + lambda / 2 * trace * trace);
    }
    return sum;
}

snag__model snag__soft_model(snag__soft *soft)
{
    return (snag__model){.self = soft,
                         .point_count = soft->point_count,
                         .element_count = (uint32_t)soft->tet_count,
                         .begin = begin,
                         .prepare = prepare,
                         .linearise = linearise,
                         .multiply = multiply,
                         .energy = energy};
}
