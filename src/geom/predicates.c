// Orientation of points: a floating-point filter with a forward error bound, then exact integers.
// The filter follows the semi-static scheme of Meyer and Pion (FPG: A code generator for fast and certified geometric predicates,
// 2008): the bound is a product of the largest coordinate differences. The exact stage differs from the usual one (expansions,
// Shewchuk 1997): expansions overflow and underflow, integers scaled by a power of two do not.
#include "geom/geom.h"

#include <math.h>

#include "base/assert.h"
#include "common/int128.h"
#include "geom/exact.h"

// Each of the six products of the determinant goes through at most eight roundings (differences, products, sums), so the error is
// below 8 * 6 * 2^-53 times the product of the largest differences along x, y and z; 49 instead of 48 covers the rounding of the bound.
#define ORIENT3D_ERROR (49 * 0x1p-53)
// Two products of two, with four roundings each.
#define ORIENT2D_ERROR (9 * 0x1p-53)
// If all largest differences lie between these, nothing overflows, and underflow is far below the bound.
#define ORIENT3D_LEAST 1e-97
#define ORIENT3D_MOST 1e102
#define ORIENT2D_LEAST 1e-140
#define ORIENT2D_MOST 1e150

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// ---- exact, if all coordinates are integers of 60 bits in one unit, as most degenerate input is: grids, floats of like magnitude,
// flat and axis-aligned parts ----

#if SNAG__INT128

// Between these 2^-unit is finite and normal.
enum { UNIT_MIN = -1000, UNIT_MAX = 900 };

static bool to_integers(const double *const points[], int count, int unit, int64_t (*integers)[3])
{
    if (unit < UNIT_MIN || unit > UNIT_MAX)
        return false;
    double scale = ldexp(1.0, -unit);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double scaled = points[i][k] * scale;  // exact
            if (!(fabs(scaled) < 0x1p60))
                return false;
            integers[i][k] = (int64_t)scaled;
        }
    return true;
}

static int orient3d_integers(int64_t p[4][3])
{
    int64_t e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = p[i + 1][k] - p[0][k];
    snag__i128 high = 0, low = 0;  // the determinant is high 2^64 + low
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        snag__i128 minor = (snag__i128)e[0][l] * e[1][m] - (snag__i128)e[0][m] * e[1][l];
        high += (minor >> 64) * e[2][k];
        low += (snag__i128)(uint64_t)minor * e[2][k];
    }
    high += low >> 64;
    return high != 0 ? (high > 0 ? 1 : -1) : (uint64_t)low != 0;
}

#endif

// ---- exact, for all finite coordinates ----

static int orient3d_exact(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double *const points[4] = {a, b, c, d};
    int unit = snag__exact_unit_of_points(points, 4);
#if SNAG__INT128
    int64_t integers[4][3];
    if (to_integers(points, 4, unit, integers))
        return orient3d_integers(integers);
#endif
    uint64_t limbs[9 * SNAG__EXACT_LIMBS(1) + 8 * SNAG__EXACT_LIMBS(2) + 6 * SNAG__EXACT_LIMBS(3)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    snag__exact ab[3], ac[3], ad[3];
    snag__exact_from_points(&room, b, a, unit, ab);
    snag__exact_from_points(&room, c, a, unit, ac);
    snag__exact_from_points(&room, d, a, unit, ad);
    return snag__exact_determinant3(&room, ad, ab, ac).sign;
}

int snag__orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double abx = b[0] - a[0], aby = b[1] - a[1], abz = b[2] - a[2];
    double acx = c[0] - a[0], acy = c[1] - a[1], acz = c[2] - a[2];
    double adx = d[0] - a[0], ady = d[1] - a[1], adz = d[2] - a[2];
    double x = larger(larger(fabs(abx), fabs(acx)), fabs(adx));
    double y = larger(larger(fabs(aby), fabs(acy)), fabs(ady));
    double z = larger(larger(fabs(abz), fabs(acz)), fabs(adz));
    double least = x < y ? x : y, most = larger(x, y);
    least = z < least ? z : least;
    most = larger(most, z);
    if (least == 0)  // all four in a plane x, y or z = constant: differences that round to zero are zero
        return 0;
    if (least > ORIENT3D_LEAST && most < ORIENT3D_MOST) {
        double det = adx * (aby * acz - abz * acy) + ady * (abz * acx - abx * acz) + adz * (abx * acy - aby * acx);
        double error = ORIENT3D_ERROR * x * y * z;
        if (det > error)
            return 1;
        if (det < -error)
            return -1;
    }
    return orient3d_exact(a, b, c, d);
}

static int orient2d_exact(const double a[2], const double b[2], const double c[2])
{
    uint64_t limbs[4 * SNAG__EXACT_LIMBS(1) + 5 * SNAG__EXACT_LIMBS(2)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = SNAG__EXACT_NO_UNIT;
    for (int k = 0; k < 2; k++)
        unit = snag__exact_unit(snag__exact_unit(snag__exact_unit(unit, a[k]), b[k]), c[k]);
    snag__exact ab[2], ac[2];
    for (int k = 0; k < 2; k++) {
        ab[k] = snag__exact_from_difference(&room, b[k], a[k], unit);
        ac[k] = snag__exact_from_difference(&room, c[k], a[k], unit);
    }
    return snag__exact_determinant2(&room, ab[0], ab[1], ac[0], ac[1]).sign;
}

int snag__orient2d(const double a[3], const double b[3], const double c[3], int axis)
{
    SNAG__ASSERT(axis >= 0 && axis < 3);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double abx = b[i] - a[i], aby = b[j] - a[j];
    double acx = c[i] - a[i], acy = c[j] - a[j];
    double x = larger(fabs(abx), fabs(acx)), y = larger(fabs(aby), fabs(acy));
    double least = x < y ? x : y, most = larger(x, y);
    if (least == 0)
        return 0;
    if (least > ORIENT2D_LEAST && most < ORIENT2D_MOST) {
        double det = abx * acy - aby * acx;
        double error = ORIENT2D_ERROR * x * y;
        if (det > error)
            return 1;
        if (det < -error)
            return -1;
    }
    return orient2d_exact((const double[2]){a[i], a[j]}, (const double[2]){b[i], b[j]}, (const double[2]){c[i], c[j]});
}

bool snag__is_collinear(const double a[3], const double b[3], const double c[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (snag__orient2d(a, b, c, axis) != 0)
            return false;
    return true;
}
