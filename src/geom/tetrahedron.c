// Point against tetrahedron.
// Both variants of Teschner et al., Optimized Spatial Hashing for Collision Detection of Deformable Objects, VMV 2003,
// decided exactly: signs of the barycentric weights, and sides of the four faces.
#include "geom/geom.h"

#include <math.h>

#include "geom/exact.h"
#include "geom/tetrahedron_kernel.h"

SNAG__DECLARE_KERNELS(snag__tet_kernels, snag__tet_kernels);

const snag__tet_kernels *snag__tet_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__tet_kernels, isa)
}

// As in predicates.c: the error of a determinant of differences is below this times the product of the largest differences along x, y
// and z, if these lie between LEAST and MOST; of a sum of four, six times.
#define DETERMINANT_ERROR (49 * 0x1p-53)
#define LEAST 1e-97
#define MOST 1e102

// If the volume is so much larger than its error, the error of weights in double is below 1e-12. Flatter tetrahedra need exact ones.
#define CLEAR_VOLUME 1e12

typedef struct volumes {
    double of[4];  // the tetrahedron's with corner i replaced by p; their sum is the whole
    double whole;
    double error;  // bound for each of them; infinite where floating point cannot decide
} volumes;

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static volumes volumes_of(const double p[3], const double *const tet[4])
{
    double e[4][3], error = 6 * DETERMINANT_ERROR;  // e[0] is p, all from corner 0
    bool in_range = true;
    for (int k = 0; k < 3; k++) {
        double most = 0;
        for (int i = 0; i < 4; i++) {
            e[i][k] = (i == 0 ? p[k] : tet[i][k]) - tet[0][k];
            most = fmax(most, fabs(e[i][k]));
        }
        in_range = in_range && most > LEAST && most < MOST;
        error *= most;
    }
    volumes v;
    v.whole = determinant(e[1], e[2], e[3]);
    v.of[1] = determinant(e[0], e[2], e[3]);
    v.of[2] = determinant(e[1], e[0], e[3]);
    v.of[3] = determinant(e[1], e[2], e[0]);
    v.of[0] = v.whole - v.of[1] - v.of[2] - v.of[3];
    v.error = in_range ? error : INFINITY;
    return v;
}

#define VOLUME_LIMBS (14 * SNAG__EXACT_LIMBS(1) + 8 * SNAG__EXACT_LIMBS(2) + 18 * SNAG__EXACT_LIMBS(3))

// The same volumes exactly.
static void exact_volumes(snag__exact_room *room, const double p[3], const double *const tet[4], snag__exact of[4],
                          snag__exact *whole)
{
    int unit = snag__exact_unit_of_points((const double *const[5]){p, tet[0], tet[1], tet[2], tet[3]}, 5);
    snag__exact e[4][3];
    for (int i = 0; i < 4; i++)
        snag__exact_from_points(room, i == 0 ? p : tet[i], tet[0], unit, e[i]);
    *whole = snag__exact_determinant3(room, e[1], e[2], e[3]);
    of[1] = snag__exact_determinant3(room, e[0], e[2], e[3]);
    of[2] = snag__exact_determinant3(room, e[1], e[0], e[3]);
    of[3] = snag__exact_determinant3(room, e[1], e[2], e[0]);
    of[0] = *whole;
    for (int i = 1; i < 4; i++)
        of[0] = snag__exact_subtract(room, of[0], of[i]);
}

bool snag__point_in_tet(const double p[3], const double *const tet[4])
{
    volumes v = volumes_of(p, tet);
    if (fabs(v.whole) > v.error) {
        double turn = v.whole > 0 ? 1 : -1;
        int inside = 0;
        for (int i = 0; i < 4; i++) {
            if (turn * v.of[i] < -v.error)
                return false;
            inside += turn * v.of[i] > v.error;
        }
        if (inside == 4)
            return true;
    }
    uint64_t limbs[VOLUME_LIMBS];
    snag__exact_room room = snag__exact_room_of(limbs, VOLUME_LIMBS);
    snag__exact of[4], whole;
    exact_volumes(&room, p, tet, of, &whole);
    bool inside = whole.sign != 0;
    for (int i = 0; i < 4; i++)
        inside = inside && of[i].sign * whole.sign >= 0;
    return inside;
}

bool snag__point_in_tet_half_spaces(const double p[3], const double *const tet[4])
{
    // In a tetrahedron of positive volume the fourth corner is on the positive side of each face.
    static const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    int turn = snag__tet_orientation(tet);
    if (turn == 0)
        return false;
    for (int i = 0; i < 4; i++)
        if (snag__orient3d(tet[face[i][0]], tet[face[i][1]], tet[face[i][2]], p) == -turn)
            return false;
    return true;
}

void snag__tet_weights(const double p[3], const double *const tet[4], double weight[4])
{
    volumes v = volumes_of(p, tet);
    bool clear = fabs(v.whole) > CLEAR_VOLUME * v.error;
    for (int i = 0; i < 4; i++)
        clear = clear && fabs(v.of[i]) > v.error;
    if (clear) {
        for (int i = 0; i < 4; i++)
            weight[i] = v.of[i] / v.whole;
        return;
    }
    uint64_t limbs[VOLUME_LIMBS];
    snag__exact_room room = snag__exact_room_of(limbs, VOLUME_LIMBS);
    snag__exact of[4], whole;
    exact_volumes(&room, p, tet, of, &whole);
    for (int i = 0; i < 4; i++)
        weight[i] = whole.sign == 0 ? 0.0 : snag__exact_ratio(room, of[i], whole, 0) + 0.0;
}

int snag__tet_orientation(const double *const tet[4])
{
    return snag__orient3d(tet[0], tet[1], tet[2], tet[3]);
}
