#include "helpers/rational_query.h"

#include "base/random.h"
#include "helpers/rational.h"

#include <math.h>
#include <string.h>

typedef mpq_t vector[3];

static void init(vector v)
{
    mpq_inits(v[0], v[1], v[2], NULL);
}

static void clear(vector v)
{
    mpq_clears(v[0], v[1], v[2], NULL);
}

static void set(vector v, const double x[3])
{
    for (int k = 0; k < 3; k++)
        mpq_set_d(v[k], x[k]);
}

static void subtract(vector out, const vector a, const vector b)
{
    for (int k = 0; k < 3; k++)
        mpq_sub(out[k], a[k], b[k]);
}

static void dot(mpq_t out, const vector a, const vector b)
{
    mpq_t sum, product;
    mpq_inits(sum, product, NULL);
    for (int k = 0; k < 3; k++) {
        mpq_mul(product, a[k], b[k]);
        mpq_add(sum, sum, product);
    }
    mpq_set(out, sum);
    mpq_clears(sum, product, NULL);
}

static void cross(vector out, const vector a, const vector b)
{
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        mpq_mul(out[k], a[l], b[m]);
        mpq_mul(product, a[m], b[l]);
        mpq_sub(out[k], out[k], product);
    }
    mpq_clear(product);
}

// A triangle in rationals, with its normal.
typedef struct rational_triangle {
    vector p[3], normal;
} rational_triangle;

static void triangle_init(rational_triangle *t, const double *const triangle[3])
{
    vector e1, e2;
    init(e1);
    init(e2);
    init(t->normal);
    for (int c = 0; c < 3; c++) {
        init(t->p[c]);
        set(t->p[c], triangle[c]);
    }
    subtract(e1, t->p[1], t->p[0]);
    subtract(e2, t->p[2], t->p[0]);
    cross(t->normal, e1, e2);
    clear(e1);
    clear(e2);
}

static void triangle_clear(rational_triangle *t)
{
    for (int c = 0; c < 3; c++)
        clear(t->p[c]);
    clear(t->normal);
}

// The weights of a point of the plane, times normal . normal, and its height.
static void weigh(const rational_triangle *t, const vector x, mpq_t weight[3], mpq_t height)
{
    vector to[3], area, up;
    for (int c = 0; c < 3; c++) {
        init(to[c]);
        subtract(to[c], t->p[c], x);
    }
    init(area);
    init(up);
    for (int c = 0; c < 3; c++) {
        cross(area, to[(c + 1) % 3], to[(c + 2) % 3]);
        dot(weight[c], area, t->normal);
    }
    subtract(up, x, t->p[0]);
    dot(height, up, t->normal);
    for (int c = 0; c < 3; c++)
        clear(to[c]);
    clear(area);
    clear(up);
}

bool judge_on_triangle(const double p[3], const double *const triangle[3])
{
    rational_triangle t;
    vector x;
    mpq_t weight[3], height;
    triangle_init(&t, triangle);
    init(x);
    mpq_inits(weight[0], weight[1], weight[2], height, NULL);
    set(x, p);
    weigh(&t, x, weight, height);
    bool on = mpq_sgn(height) == 0 && mpq_sgn(weight[0]) >= 0 && mpq_sgn(weight[1]) >= 0 && mpq_sgn(weight[2]) >= 0;
    mpq_clears(weight[0], weight[1], weight[2], height, NULL);
    clear(x);
    triangle_clear(&t);
    return on;
}

// x = o + t d
static void point_at(vector x, const vector o, const mpq_t t, const vector d)
{
    for (int k = 0; k < 3; k++) {
        mpq_mul(x[k], t, d[k]);
        mpq_add(x[k], x[k], o[k]);
    }
}

// In the plane of the triangle: weights are linear in t, so that each is not negative on one side of some t.
static bool clip(const rational_triangle *t, const vector o, const vector d, mpq_t first, double limit)
{
    vector x;
    mpq_t at0[3], at1[3], height, one, last;
    init(x);
    mpq_inits(at0[0], at0[1], at0[2], at1[0], at1[1], at1[2], height, one, last, NULL);
    mpq_set_si(one, 1, 1);
    mpq_set_si(first, 0, 1);
    bool bounded = isfinite(limit), meets = true;
    if (bounded)
        mpq_set_d(last, limit);
    weigh(t, o, at0, height);
    point_at(x, o, one, d);
    weigh(t, x, at1, height);
    for (int c = 0; c < 3; c++) {
        mpq_sub(at1[c], at1[c], at0[c]);  // the slope
        int slope = mpq_sgn(at1[c]);
        if (slope == 0) {
            meets &= mpq_sgn(at0[c]) >= 0;
            continue;
        }
        mpq_div(height, at0[c], at1[c]);
        mpq_neg(height, height);  // where it is zero
        if (slope > 0 && mpq_cmp(height, first) > 0)
            mpq_set(first, height);
        if (slope < 0 && (!bounded || mpq_cmp(height, last) < 0)) {
            mpq_set(last, height);
            bounded = true;
        }
    }
    meets = meets && (!bounded || mpq_cmp(first, last) <= 0);
    clear(x);
    mpq_clears(at0[0], at0[1], at0[2], at1[0], at1[1], at1[2], height, one, last, NULL);
    return meets;
}

bool judge_ray(const double origin[3], const double direction[3], bool segment, double limit, const double *const triangle[3],
               mpq_t t)
{
    rational_triangle tri;
    vector o, d, x;
    mpq_t weight[3], height, slope, bound;
    bool meets = false;
    triangle_init(&tri, triangle);
    init(o);
    init(d);
    init(x);
    mpq_inits(weight[0], weight[1], weight[2], height, slope, bound, NULL);
    set(o, origin);
    set(d, direction);
    if (segment)
        subtract(d, d, o);
    dot(slope, tri.normal, d);
    weigh(&tri, o, weight, height);
    if (mpq_sgn(slope) == 0) {
        meets = mpq_sgn(height) == 0 && clip(&tri, o, d, t, limit);
    } else {
        mpq_div(t, height, slope);
        mpq_neg(t, t);
        point_at(x, o, t, d);
        weigh(&tri, x, weight, height);
        meets = mpq_sgn(t) >= 0 && mpq_sgn(weight[0]) >= 0 && mpq_sgn(weight[1]) >= 0 && mpq_sgn(weight[2]) >= 0;
        if (isfinite(limit)) {
            mpq_set_d(bound, limit);
            meets = meets && mpq_cmp(t, bound) <= 0;
        }
    }
    mpq_clears(weight[0], weight[1], weight[2], height, slope, bound, NULL);
    clear(o);
    clear(d);
    clear(x);
    triangle_clear(&tri);
    return meets;
}

// One ray. False if it meets an edge or lies in a plane.
static bool wind_once(const vector p, const vector d, const double (*x)[3], const uint32_t (*triangles)[3], size_t count,
                      judge_winding *out)
{
    vector to[3], normal;
    mpq_t side[3], height;
    bool clean = true;
    init(normal);
    mpq_inits(side[0], side[1], side[2], height, NULL);
    for (int c = 0; c < 3; c++)
        init(to[c]);
    *out = (judge_winding){0};
    for (size_t i = 0; i < count && clean; i++) {
        const double *const corner[3] = {x[triangles[i][0]], x[triangles[i][1]], x[triangles[i][2]]};
        if (judge_is_collinear(corner[0], corner[1], corner[2]))
            continue;
        for (int c = 0; c < 3; c++) {
            set(to[c], corner[c]);
            subtract(to[c], to[c], p);
        }
        for (int c = 0; c < 3; c++) {
            cross(normal, to[c], to[(c + 1) % 3]);
            dot(side[c], normal, d);
        }
        int s[3] = {mpq_sgn(side[0]), mpq_sgn(side[1]), mpq_sgn(side[2])};
        // Zero, and the others not of both signs: the ray's line meets an edge.
        bool both = (s[0] > 0 || s[1] > 0 || s[2] > 0) && (s[0] < 0 || s[1] < 0 || s[2] < 0);
        if (both)
            continue;
        if (s[0] == 0 || s[1] == 0 || s[2] == 0) {
            clean = false;
            continue;
        }
        cross(normal, to[0], to[1]);
        dot(height, normal, to[2]);  // six times the volume: of the same sign if the triangle is ahead
        if (mpq_sgn(height) == s[0]) {
            out->winding += s[0];
            out->crossings++;
        }
    }
    clear(normal);
    mpq_clears(side[0], side[1], side[2], height, NULL);
    for (int c = 0; c < 3; c++)
        clear(to[c]);
    return clean;
}

judge_winding judge_wind(const double p[3], const double (*x)[3], const uint32_t (*triangles)[3], size_t count)
{
    snag__random random = {77};
    judge_winding out = {0};
    vector o, d;
    init(o);
    init(d);
    set(o, p);
    do {
        double direction[3];
        for (int k = 0; k < 3; k++)
            direction[k] = snag__random_range(&random, -1, 1);
        set(d, direction);
    } while (!wind_once(o, d, x, triangles, count, &out));
    clear(o);
    clear(d);
    return out;
}

enum { POLYGON_MOST = 12 };

// Keeps the part of a polygon where sign * (x_k - bound) >= 0. Returns how many corners it has.
static int clip_polygon(vector *polygon, int count, int k, double bound, int sign)
{
    vector kept[POLYGON_MOST];
    mpq_t limit, d0, d1, part;
    int left = 0;
    for (int i = 0; i < POLYGON_MOST; i++)
        init(kept[i]);
    mpq_inits(limit, d0, d1, part, NULL);
    mpq_set_d(limit, bound);
    for (int i = 0; i < count; i++) {
        vector *a = &polygon[i], *b = &polygon[(i + 1) % count];
        mpq_sub(d0, (*a)[k], limit);
        mpq_sub(d1, (*b)[k], limit);
        int s0 = sign * mpq_sgn(d0), s1 = sign * mpq_sgn(d1);
        if (s0 >= 0) {
            for (int j = 0; j < 3; j++)
                mpq_set(kept[left][j], (*a)[j]);
            left++;
        }
        if (s0 * s1 < 0) {
            mpq_sub(d1, d0, d1);
            mpq_div(part, d0, d1);
            for (int j = 0; j < 3; j++) {
                mpq_sub(d1, (*b)[j], (*a)[j]);
                mpq_mul(d1, d1, part);
                mpq_add(kept[left][j], (*a)[j], d1);
            }
            left++;
        }
    }
    for (int i = 0; i < left; i++)
        for (int j = 0; j < 3; j++)
            mpq_set(polygon[i][j], kept[i][j]);
    for (int i = 0; i < POLYGON_MOST; i++)
        clear(kept[i]);
    mpq_clears(limit, d0, d1, part, NULL);
    return left;
}

bool judge_box(const double lo[3], const double hi[3], const double *const triangle[3])
{
    vector polygon[POLYGON_MOST];
    int count = 3;
    for (int i = 0; i < POLYGON_MOST; i++)
        init(polygon[i]);
    for (int i = 0; i < 3; i++)
        set(polygon[i], triangle[i]);
    for (int k = 0; k < 3; k++) {
        count = clip_polygon(polygon, count, k, lo[k], 1);
        count = clip_polygon(polygon, count, k, hi[k], -1);
    }
    for (int i = 0; i < POLYGON_MOST; i++)
        clear(polygon[i]);
    return count > 0;
}
