// Rigid bodies as points that are matched to their shape after each step, so that whatever moves points moves them too.
// Mueller, Heidelberger, Teschner, Gross: Meshless deformations based on shape matching, SIGGRAPH 2005.
// Differs: velocities are matched too, by momentum, which contacts at single vertices change rightly.
#include "rigid.h"

#include <string.h>

#include "rotation.h"

bool snag__rigid_create(snag__rigid *rigid, uint32_t first_point, uint32_t point_count, const double (*x)[3],
                        const double *mass, snag__sim_memory *memory)
{
    *rigid = (snag__rigid){.first_point = first_point, .point_count = point_count, .turn = {1, 0, 0, 0}};
    rigid->rest = snag__sim_new(memory, point_count, sizeof *rigid->rest);
    if (rigid->rest == NULL)
        return false;
    double total = 0;
    for (uint32_t i = first_point; i < first_point + point_count; i++) {
        snag__add_scaled3(rigid->centre, mass[i], x[i]);
        total += mass[i];
    }
    for (int k = 0; k < 3; k++)
        rigid->centre[k] /= total;
    for (uint32_t i = 0; i < point_count; i++)
        snag__subtract3(x[first_point + i], rigid->centre, rigid->rest[i]);
    return true;
}

// Solves the symmetric a (xx, yy, zz, xy, xz, yz) w = b; false if there is no one solution.
static bool solve_symmetric(const double a[6], const double b[3], double w[3])
{
    double c0[3] = {a[0], a[3], a[4]}, c1[3] = {a[3], a[1], a[5]}, c2[3] = {a[4], a[5], a[2]}, n[3];
    snag__cross3(c1, c2, n);
    double determinant = snag__dot3(c0, n), size = a[0] + a[1] + a[2];
    if (!(fabs(determinant) > 1e-12 * size * size * size))
        return false;
    w[0] = snag__dot3(b, n) / determinant;
    snag__cross3(c2, c0, n);
    w[1] = snag__dot3(b, n) / determinant;
    snag__cross3(c0, c1, n);
    w[2] = snag__dot3(b, n) / determinant;
    return true;
}

void snag__rigid_velocities(const snag__rigid *rigid, const double (*x)[3], const double *mass, double (*v)[3])
{
    uint32_t from = rigid->first_point, to = from + rigid->point_count;
    double total = 0, centre[3] = {0}, drift[3] = {0}, momentum[3] = {0}, inertia[6] = {0}, spin[3] = {0};
    for (uint32_t i = from; i < to; i++) {
        total += mass[i];
        snag__add_scaled3(centre, mass[i], x[i]);
        snag__add_scaled3(drift, mass[i], v[i]);
    }
    for (int k = 0; k < 3; k++) {
        centre[k] /= total;
        drift[k] /= total;
    }
    for (uint32_t i = from; i < to; i++) {
        double r[3], turn[3], m = mass[i];
        snag__subtract3(x[i], centre, r);
        snag__cross3(r, v[i], turn);
        snag__add_scaled3(momentum, m, turn);
        inertia[0] += m * (r[1] * r[1] + r[2] * r[2]);
        inertia[1] += m * (r[0] * r[0] + r[2] * r[2]);
        inertia[2] += m * (r[0] * r[0] + r[1] * r[1]);
        inertia[3] -= m * r[0] * r[1];
        inertia[4] -= m * r[0] * r[2];
        inertia[5] -= m * r[1] * r[2];
    }
    if (!solve_symmetric(inertia, momentum, spin))
        memset(spin, 0, sizeof spin);
    for (uint32_t i = from; i < to; i++) {
        double r[3], turn[3];
        snag__subtract3(x[i], centre, r);
        snag__cross3(spin, r, turn);
        for (int k = 0; k < 3; k++)
            v[i][k] = drift[k] + turn[k];
    }
}

void snag__rigid_positions(snag__rigid *rigid, const double *mass, double (*x)[3])
{
    double(*points)[3] = x + rigid->first_point;
    mass += rigid->first_point;
    double total = 0, centre[3] = {0}, f[3][3] = {{0}}, rotation[3][3], spread = 0;
    for (uint32_t i = 0; i < rigid->point_count; i++) {
        total += mass[i];
        snag__add_scaled3(centre, mass[i], points[i]);
    }
    for (int k = 0; k < 3; k++)
        rigid->centre[k] = centre[k] / total;
    // Columns of the sum of m (x - centre) rest^T, which is near a rotation once divided by the spread.
    for (uint32_t i = 0; i < rigid->point_count; i++) {
        double from_centre[3];
        snag__subtract3(points[i], rigid->centre, from_centre);
        for (int k = 0; k < 3; k++)
            snag__add_scaled3(f[k], mass[i] * rigid->rest[i][k], from_centre);
        spread += mass[i] * snag__dot3(rigid->rest[i], rigid->rest[i]);
    }
    for (int k = 0; k < 3 && spread > 0; k++)
        for (int c = 0; c < 3; c++)
            f[k][c] /= spread;
    snag__follow_rotation(rigid->turn, (const double(*)[3])f, rotation);
    for (uint32_t i = 0; i < rigid->point_count; i++) {
        memcpy(points[i], rigid->centre, sizeof points[i]);
        for (int k = 0; k < 3; k++)
            snag__add_scaled3(points[i], rigid->rest[i][k], rotation[k]);
    }
}
