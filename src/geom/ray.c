// See ray.h. The filter is the test of Moeller and Trumbore (Fast, Minimum Storage Ray/Triangle Intersection, 1997) with error bounds;
// the exact stage takes the same determinants as integers, and t as a quotient of two of them.
#include "geom/ray.h"

#include "base/vec3.h"
#include "geom/distance.h"
#include "geom/exact.h"

#include <math.h>

// A determinant of three vectors, each with a relative rounding of 2^-53 in every coordinate, goes through ten roundings at most: its
// error is below 10 * 2^-53 times the sum of the magnitudes of its six products. 12 also covers the rounding of that sum.
#define DETERMINANT_ERROR (12 * 0x1p-53)
// If no factor is larger than MOST, products that underflow cost less than LEAST.
#define MOST 1e40
#define LEAST 1e-280
// The error of t and of the weights, beyond which they are computed from integers.
#define ROUGH 0x1p-41

snag__ray snag__ray_make(const double origin[3], const double direction[3], bool segment, double limit)
{
    snag__ray ray = {.origin = origin, .direction = direction, .segment = segment, .limit = limit};
    ray.tame = true;
    for (int k = 0; k < 3; k++) {
        ray.d[k] = segment ? direction[k] - origin[k] : direction[k];
        ray.tame &= fabs(ray.d[k]) < MOST;
    }
    return ray;
}

// ---- in doubles ----

typedef struct bounded {
    double value, error;
} bounded;

// a . (b x c) and a bound on its error.
static bounded determinant(const double a[3], const double b[3], const double c[3])
{
    double x = b[1] * c[2], X = b[2] * c[1], y = b[2] * c[0], Y = b[0] * c[2], z = b[0] * c[1], Z = b[1] * c[0];
    double magnitude = fabs(a[0]) * (fabs(x) + fabs(X)) + fabs(a[1]) * (fabs(y) + fabs(Y)) + fabs(a[2]) * (fabs(z) + fabs(Z));
    return (bounded){a[0] * (x - X) + a[1] * (y - Y) + a[2] * (z - Z), DETERMINANT_ERROR * magnitude + LEAST};
}

typedef enum verdict { MISS, HIT, DOUBT } verdict;

// A quotient n / d with d > 0 certain: the value and the farthest it can be off.
static bounded quotient(bounded n, bounded d)
{
    double value = n.value / d.value;
    double error = (n.error + fabs(value) * d.error) / (d.value - d.error);
    return (bounded){value, error * (1 + 0x1p-40) + fabs(value) * 0x1p-51};
}

static verdict meets_fast(const snag__ray *ray, const double *const p[3], snag__ray_hit *hit)
{
    double e1[3], e2[3], s[3];
    snag__vec3_subtract(p[1], p[0], e1);
    snag__vec3_subtract(p[2], p[0], e2);
    snag__vec3_subtract(ray->origin, p[0], s);
    double size = 0;
    for (int k = 0; k < 3; k++) {
        size = fabs(s[k]) > size ? fabs(s[k]) : size;
        size = fabs(e1[k]) > size ? fabs(e1[k]) : size;
        size = fabs(e2[k]) > size ? fabs(e2[k]) : size;
    }
    bounded det = determinant(e1, ray->d, e2);
    if (!ray->tame || !(size < MOST) || !(fabs(det.value) > 2 * det.error) || !(fabs(det.value) < 1e280))
        return DOUBT;
    bounded u = determinant(s, ray->d, e2), v = determinant(ray->d, s, e1), t = determinant(e2, s, e1);
    hit->facing = det.value > 0 ? 1 : -1;
    if (det.value < 0) {
        det.value = -det.value;
        u.value = -u.value;
        v.value = -v.value;
        t.value = -t.value;
    }
    bounded w = {det.value - u.value - v.value, (det.error + u.error + v.error) * (1 + 0x1p-50) + det.value * 0x1p-51};
    w.error += (fabs(u.value) + fabs(v.value)) * 0x1p-51;
    if (u.value < -u.error || v.value < -v.error || w.value < -w.error || t.value < -t.error)
        return MISS;
    if (!(u.value > u.error && v.value > v.error && w.value > w.error && t.value > t.error))
        return DOUBT;
    bounded when = quotient(t, det);
    if (!(when.error < 1e280))
        return DOUBT;
    hit->t = when.value;
    hit->t_low = when.value - when.error;
    hit->t_high = when.value + when.error;
    if (hit->t_low > ray->limit)
        return MISS;
    if (hit->t_high > ray->limit)
        return DOUBT;
    bounded wu = quotient(u, det), wv = quotient(v, det);
    hit->weight[0] = w.value / det.value;
    hit->weight[1] = wu.value;
    hit->weight[2] = wv.value;
    hit->coarse = when.error > ROUGH * when.value || wu.error > ROUGH || wv.error > ROUGH;
    return HIT;
}

// ---- in integers ----

// Numbers of degree 1 to 3, and what sums of products take meanwhile.
enum { LIMBS = 24 * SNAG__EXACT_LIMBS(1) + 24 * SNAG__EXACT_LIMBS(2) + 24 * SNAG__EXACT_LIMBS(3) };
enum { LIMBS_OF_QUOTIENT = 2 * SNAG__EXACT_LIMBS(3) + SNAG__EXACT_LIMBS(2) };

// n / d with d > 0.
typedef struct fraction {
    snag__exact n, d;
} fraction;

typedef struct exact_pair {
    snag__exact_room room;
    int unit;
    snag__exact d[3], s[3], e1[3], e2[3];  // D, origin - p0, p1 - p0, p2 - p0
    snag__exact det;
    const double *const *p;
} exact_pair;

static void begin_exact(exact_pair *x, const snag__ray *ray, const double *const p[3], uint64_t *limbs, size_t count)
{
    static const double zero[3] = {0, 0, 0};
    const double *const points[5] = {ray->origin, ray->direction, p[0], p[1], p[2]};
    x->room = snag__exact_room_of(limbs, count);
    x->unit = snag__exact_unit_of_points(points, 5);
    x->p = p;
    snag__exact_from_points(&x->room, ray->direction, ray->segment ? ray->origin : zero, x->unit, x->d);
    snag__exact_from_points(&x->room, ray->origin, p[0], x->unit, x->s);
    snag__exact_from_points(&x->room, p[1], p[0], x->unit, x->e1);
    snag__exact_from_points(&x->room, p[2], p[0], x->unit, x->e2);
    x->det = snag__exact_determinant3(&x->room, x->e1, x->d, x->e2);
}

static fraction fraction_of(snag__exact n, snag__exact d)
{
    return d.sign < 0 ? (fraction){snag__exact_negate(n), snag__exact_negate(d)} : (fraction){n, d};
}

static int compare_fractions(snag__exact_room room, fraction a, fraction b)
{
    return snag__exact_compare(snag__exact_multiply(&room, a.n, b.d), snag__exact_multiply(&room, b.n, a.d));
}

// The sign of t - limit.
static int compare_with_limit(fraction t, double limit)
{
    if (isinf(limit))
        return -1;
    uint64_t limbs[3 * SNAG__EXACT_LIMBS(1) + 3 * SNAG__EXACT_LIMBS(5)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    int unit = snag__exact_unit(SNAG__EXACT_NO_UNIT, limit);
    if (unit == SNAG__EXACT_NO_UNIT)
        unit = 0;
    snag__exact whole = snag__exact_from(&room, limit, unit), n = t.n;
    if (unit < 0)
        n = snag__exact_shift(&room, n, -unit);
    else
        whole = snag__exact_shift(&room, whole, unit);
    return snag__exact_compare(n, snag__exact_multiply(&room, whole, t.d));
}

// ---- a ray in the plane of the triangle ----

// Where the line of the ray lies in the triangle, both seen along an axis: from `first` to `last`.
typedef struct stay {
    bool any;
    fraction first, last;
} stay;

static void extend(exact_pair *x, stay *s, fraction t)
{
    if (!s->any || compare_fractions(x->room, t, s->first) < 0)
        s->first = t;
    if (!s->any || compare_fractions(x->room, t, s->last) > 0)
        s->last = t;
    s->any = true;
}

// Along which axis the triangle is seen with an area.
static int axis_of(exact_pair *x)
{
    snag__exact_room room = x->room;
    snag__exact normal[3];
    snag__exact_cross(&room, x->e1, x->e2, normal);
    return normal[0].sign != 0 ? 0 : normal[1].sign != 0 ? 1 : 2;
}

static stay find_stay(exact_pair *x)
{
    int axis = axis_of(x), i = (axis + 1) % 3, j = (axis + 2) % 3, along = x->d[i].sign != 0 ? i : j;
    snag__exact to[3][3], side[3];  // from the origin to each corner, and on which side of the line that is
    for (int k = 0; k < 3; k++) {
        to[0][k] = snag__exact_negate(x->s[k]);
        to[1][k] = snag__exact_subtract(&x->room, x->e1[k], x->s[k]);
        to[2][k] = snag__exact_subtract(&x->room, x->e2[k], x->s[k]);
    }
    for (int c = 0; c < 3; c++)
        side[c] = snag__exact_determinant2(&x->room, x->d[i], x->d[j], to[c][i], to[c][j]);
    stay s = {0};
    for (int c = 0; c < 3; c++) {
        int next = (c + 1) % 3;
        if (side[c].sign == 0)
            extend(x, &s, fraction_of(to[c][along], x->d[along]));
        if (side[c].sign * side[next].sign >= 0)
            continue;
        // Where the edge crosses the line: (to_c x to_next) / (D x (to_next - to_c)), seen along the axis.
        snag__exact n = snag__exact_determinant2(&x->room, to[c][i], to[c][j], to[next][i], to[next][j]);
        extend(x, &s, fraction_of(n, snag__exact_subtract(&x->room, side[next], side[c])));
    }
    return s;
}

static bool stays(exact_pair *x, const snag__ray *ray, fraction *t)
{
    stay s = find_stay(x);
    if (!s.any || s.last.n.sign < 0)
        return false;
    *t = s.first;
    if (s.first.n.sign < 0)
        *t = (fraction){snag__exact_from_integer(&x->room, 0), snag__exact_from_integer(&x->room, 1)};
    return compare_with_limit(*t, ray->limit) <= 0;
}

// Whether they meet, and the exact t.
static bool meets_exact(exact_pair *x, const snag__ray *ray, fraction *t, int *facing)
{
    snag__exact height = snag__exact_determinant3(&x->room, x->e2, x->s, x->e1);
    *facing = x->det.sign;
    if (x->det.sign == 0)
        return height.sign == 0 && stays(x, ray, t);
    int sign = x->det.sign;
    snag__exact u = snag__exact_determinant3(&x->room, x->s, x->d, x->e2);
    snag__exact v = snag__exact_determinant3(&x->room, x->d, x->s, x->e1);
    snag__exact w = snag__exact_subtract(&x->room, snag__exact_subtract(&x->room, x->det, u), v);
    if (u.sign * sign < 0 || v.sign * sign < 0 || w.sign * sign < 0 || height.sign * sign < 0)
        return false;
    *t = fraction_of(height, x->det);
    return compare_with_limit(*t, ray->limit) <= 0;
}

static double to_double(fraction q)
{
    uint64_t limbs[LIMBS_OF_QUOTIENT];
    return snag__exact_ratio(snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs), q.n, q.d, 0) + 0.0;
}

static void write_weights(exact_pair *x, const snag__ray *ray, snag__ray_hit *hit)
{
    if (x->det.sign != 0) {
        fraction u = fraction_of(snag__exact_determinant3(&x->room, x->s, x->d, x->e2), x->det);
        fraction v = fraction_of(snag__exact_determinant3(&x->room, x->d, x->s, x->e1), x->det);
        fraction w = {snag__exact_subtract(&x->room, snag__exact_subtract(&x->room, u.d, u.n), v.n), u.d};
        hit->weight[0] = to_double(w);
        hit->weight[1] = to_double(u);
        hit->weight[2] = to_double(v);
        return;
    }
    // Edge-on: those of the corner of the triangle that is closest to where the ray enters.
    double point[3];
    for (int k = 0; k < 3; k++) {
        double step = hit->t * ray->d[k];
        point[k] = ray->origin[k] + (isfinite(step) ? step : 0);
        if (!isfinite(point[k]))
            point[k] = ray->origin[k];
    }
    snag__distance distance;
    snag__vertex_triangle_distance(point, x->p, &distance);
    for (int c = 0; c < 3; c++)
        hit->weight[c] = distance.gap.weight[c];
}

static bool meets_slowly(const snag__ray *ray, const double *const p[3], snag__ray_hit *hit)
{
    uint64_t limbs[LIMBS];
    exact_pair x;
    fraction t;
    begin_exact(&x, ray, p, limbs, LIMBS);
    if (!meets_exact(&x, ray, &t, &hit->facing))
        return false;
    hit->t = to_double(t);
    hit->t_low = hit->t > 0 ? nextafter(hit->t, 0) : 0;
    hit->t_high = nextafter(hit->t, INFINITY);
    hit->coarse = false;
    write_weights(&x, ray, hit);
    return true;
}

// ---- outside ----

bool snag__ray_meets(const snag__ray *ray, const double *const triangle[3], snag__ray_hit *hit)
{
    verdict fast = meets_fast(ray, triangle, hit);
    return fast == DOUBT ? meets_slowly(ray, triangle, hit) : fast == HIT;
}

void snag__ray_refine(const snag__ray *ray, const double *const triangle[3], snag__ray_hit *hit)
{
    if (hit->coarse)
        meets_slowly(ray, triangle, hit);
}

int snag__ray_compare(const snag__ray *ray, const double *const triangle_x[3], const snag__ray_hit *x,
                      const double *const triangle_y[3], const snag__ray_hit *y)
{
    if (x->t_high < y->t_low)
        return -1;
    if (y->t_high < x->t_low)
        return 1;
    uint64_t limbs[2][LIMBS], products[3 * SNAG__EXACT_LIMBS(6)];
    exact_pair a, b;
    fraction t_a, t_b;
    int facing;
    begin_exact(&a, ray, triangle_x, limbs[0], LIMBS);
    begin_exact(&b, ray, triangle_y, limbs[1], LIMBS);
    // Both are hits, as was decided before.
    if (!meets_exact(&a, ray, &t_a, &facing) || !meets_exact(&b, ray, &t_b, &facing))
        return 0;
    return compare_fractions(snag__exact_room_of(products, sizeof products / sizeof *products), t_a, t_b);
}
