// Whether the ways of the two sides, from t0 to t1, are apart along one of the directions that bounds of elements are made with. A
// pair whose bounds are apart is never offered by some methods and is by others: what cannot be decided otherwise must be
// decided by this, so that the answer is one for all. Exact, and so slow: for verdicts that are rare.
#include "geom/box.h"
#include "geom/exact.h"
#include "geom/impact_inside.h"

#include <float.h>
#include <math.h>

enum {
    POINTS = 8,  // four at both ends
    VALUES = 3 * POINTS + 1,  // coordinates and the separation
    ROOM = VALUES + 4 * POINTS + 8,  // and their sums along a direction, differences, squares (each as two)
};

typedef struct ways {
    snag__exact x[POINTS][3];
    snag__exact separation;
    int a_count;  // points 0 .. a_count - 1 and 4 .. 4 + a_count - 1 are those of side a
} ways;

static bool is_of_a(const ways *w, int point)
{
    return point % 4 < w->a_count;
}

static snag__exact along(snag__exact_room *room, const snag__exact x[3], const double direction[3])
{
    snag__exact sum = snag__exact_from_integer(room, 0);
    for (int k = 0; k < 3; k++)
        if (direction[k] != 0)
            sum = snag__exact_add(room, sum, direction[k] > 0 ? x[k] : snag__exact_negate(x[k]));
    return sum;
}

// Whether `high` is above `low` by more than the separation times the length of the direction, whose square is given.
static bool is_above(snag__exact_room room, const ways *w, snag__exact high, snag__exact low, int squared)
{
    snag__exact gap = snag__exact_subtract(&room, high, low);
    if (gap.sign <= 0)
        return false;
    snag__exact least = snag__exact_multiply(&room, w->separation, w->separation);
    least = snag__exact_multiply(&room, least, snag__exact_from_integer(&room, squared));
    return snag__exact_compare(snag__exact_multiply(&room, gap, gap), least) > 0;
}

static bool are_apart_along(snag__exact_room room, const ways *w, const double direction[3])
{
    snag__exact low[2], high[2];
    bool seen[2] = {false, false};
    int squared = 0;
    for (int k = 0; k < 3; k++)
        squared += direction[k] != 0;
    for (int i = 0; i < POINTS; i++) {
        int side = is_of_a(w, i) ? 0 : 1;
        snag__exact at = along(&room, w->x[i], direction);
        low[side] = !seen[side] || snag__exact_compare(at, low[side]) < 0 ? at : low[side];
        high[side] = !seen[side] || snag__exact_compare(at, high[side]) > 0 ? at : high[side];
        seen[side] = true;
    }
    return is_above(room, w, low[0], high[1], squared) || is_above(room, w, low[1], high[0], squared);
}

bool snag__impact_hulls_apart(const snag__motion *motion, double separation)
{
    uint64_t limbs[SNAG__EXACT_LIMBS(1) * ROOM];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    double directions[SNAG__KDOP_SLABS_MAX][3];
    const double *points[POINTS];
    for (int i = 0; i < POINTS; i++)
        points[i] = i < 4 ? motion->t0[i] : motion->t1[i - 4];
    int unit = snag__exact_unit(snag__exact_unit_of_points(points, POINTS), separation);
    ways w = {.a_count = motion->pair == SNAG__IMPACT_EDGE_EDGE ? 2 : 1};
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            w.x[i][k] = snag__exact_from(&room, points[i][k], unit);
    w.separation = snag__exact_from(&room, separation, unit);
    snag__kdop_directions(2 * SNAG__KDOP_SLABS_MAX, directions);
    for (int i = 0; i < SNAG__KDOP_SLABS_MAX; i++)
        if (are_apart_along(room, &w, directions[i]))
            return true;
    return false;
}

// The same in doubles: false only if they are not.
static bool seem_apart(const snag__motion *motion, double separation)
{
    double directions[SNAG__KDOP_SLABS_MAX][3], largest = 0;
    int a_count = motion->pair == SNAG__IMPACT_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fmax(fabs(motion->t0[i][k]), fabs(motion->t1[i][k])));
    snag__kdop_directions(2 * SNAG__KDOP_SLABS_MAX, directions);
    for (int d = 0; d < SNAG__KDOP_SLABS_MAX; d++) {
        const double *n = directions[d];
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < POINTS; i++) {
            const double *x = i < 4 ? motion->t0[i] : motion->t1[i - 4];
            double at = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
            int side = i % 4 < a_count ? 0 : 1;
            low[side] = fmin(low[side], at);
            high[side] = fmax(high[side], at);
        }
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), gap = fmax(low[0] - high[1], low[1] - high[0]);
        // Sums are off by less than three roundings of the largest coordinate, and what they lose where it is tiny.
        if (gap + 0x1p-48 * largest + 0x1p-1070 >= separation * length * (1 - 0x1p-48))
            return true;
    }
    return false;
}

bool snag__impact_bounds_drop(const snag__motion *motion, double separation, double tolerance)
{
    double grown = 2 * ((separation + tolerance) / 2);  // what bounds grow by: half on each side
    return grown <= DBL_MAX && seem_apart(motion, grown) && snag__impact_hulls_apart(motion, grown);
}
