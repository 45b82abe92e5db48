#include "helpers/rational_polygon.h"

#include "helpers/rational.h"

#include <gmp.h>

// area += the area of the triangle, twice, with its sign
static void add_area(mpq_t area, const double a[3], const double b[3], const double c[3], int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    mpq_t x[3], y[3], product;
    const double *const points[3] = {a, b, c};
    mpq_init(product);
    for (int i = 0; i < 3; i++) {
        mpq_inits(x[i], y[i], NULL);
        mpq_set_d(x[i], points[i][u]);
        mpq_set_d(y[i], points[i][v]);
    }
    for (int i = 0; i < 3; i++) {  // the shoelace formula
        mpq_mul(product, x[i], y[(i + 1) % 3]);
        mpq_add(area, area, product);
        mpq_mul(product, x[(i + 1) % 3], y[i]);
        mpq_sub(area, area, product);
    }
    for (int i = 0; i < 3; i++)
        mpq_clears(x[i], y[i], NULL);
    mpq_clear(product);
}

static const double *corner(const judge_polygon *p, uint32_t i)
{
    return p->x[p->vertices[i % p->count]];
}

static void polygon_area(mpq_t area, const judge_polygon *p, int axis)
{
    const double origin[3] = {0, 0, 0};
    mpq_set_ui(area, 0, 1);
    for (uint32_t i = 0; i < p->count; i++)
        add_area(area, origin, corner(p, i), corner(p, i + 1), axis);
}

int judge_polygon_axis(const judge_polygon *polygon, int *sign)
{
    mpq_t area, largest;
    int best = 0;
    *sign = 0;
    mpq_inits(area, largest, NULL);
    for (int axis = 0; axis < 3; axis++) {
        polygon_area(area, polygon, axis);
        int side = mpq_sgn(area);
        mpq_abs(area, area);
        if (mpq_cmp(area, largest) > 0) {
            mpq_set(largest, area);
            best = axis;
            *sign = side;
        }
    }
    mpq_clears(area, largest, NULL);
    return best;
}

bool judge_area_is_kept(const judge_polygon *polygon, const uint32_t (*triangles)[3], int axis)
{
    mpq_t area, sum;
    mpq_inits(area, sum, NULL);
    polygon_area(area, polygon, axis);
    for (uint32_t t = 0; t + 2 < polygon->count; t++)
        add_area(sum, polygon->x[triangles[t][0]], polygon->x[triangles[t][1]], polygon->x[triangles[t][2]], axis);
    bool same = mpq_equal(area, sum);
    mpq_clears(area, sum, NULL);
    return same;
}

static bool are_apart(const double (*x)[3], const uint32_t a[3], const uint32_t b[3], int axis, int k)
{
    double lo[2], hi[2];
    const uint32_t *both[2] = {a, b};
    for (int s = 0; s < 2; s++) {
        lo[s] = hi[s] = x[both[s][0]][k];
        for (int i = 1; i < 3; i++) {
            lo[s] = x[both[s][i]][k] < lo[s] ? x[both[s][i]][k] : lo[s];
            hi[s] = x[both[s][i]][k] > hi[s] ? x[both[s][i]][k] : hi[s];
        }
    }
    return k != axis && (hi[0] <= lo[1] || hi[1] <= lo[0]);
}

// Whether a side of `a` has all of `b` on its other side, or on itself.
static bool side_parts(const double (*x)[3], const uint32_t a[3], const uint32_t b[3], int axis, int turn)
{
    for (int i = 0; i < 3; i++) {
        bool parts = true;
        for (int k = 0; k < 3 && parts; k++)
            parts = judge_orient2d(x[a[i]], x[a[(i + 1) % 3]], x[b[k]], axis) * turn <= 0;
        if (parts)
            return true;
    }
    return false;
}

bool judge_overlap(const double (*x)[3], const uint32_t a[3], const uint32_t b[3], int axis)
{
    for (int k = 0; k < 3; k++)
        if (are_apart(x, a, b, axis, k))
            return false;
    int turn_a = judge_orient2d(x[a[0]], x[a[1]], x[a[2]], axis), turn_b = judge_orient2d(x[b[0]], x[b[1]], x[b[2]], axis);
    return turn_a != 0 && turn_b != 0 && !side_parts(x, a, b, axis, turn_a) && !side_parts(x, b, a, axis, turn_b);
}

int judge_winding(const judge_polygon *polygon, int axis, const double point[3], bool *on)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, winding = 0;
    *on = false;
    for (uint32_t i = 0; i < polygon->count; i++) {
        const double *a = corner(polygon, i), *b = corner(polygon, i + 1);
        bool at_corner = a[u] == point[u] && a[v] == point[v];
        if (at_corner || judge_between(a, b, axis, point))
            *on = true;
        // Upward edges own their lower end, downward ones too: a corner on the ray counts once, or not at all.
        int side = judge_orient2d(a, b, point, axis);
        if (a[v] <= point[v] && b[v] > point[v] && side > 0)
            winding++;
        if (a[v] > point[v] && b[v] <= point[v] && side < 0)
            winding--;
    }
    return winding;
}

bool judge_in_triangle(const double (*x)[3], const uint32_t t[3], int axis, const double point[3])
{
    int side[3];
    for (int i = 0; i < 3; i++)
        side[i] = judge_orient2d(x[t[i]], x[t[(i + 1) % 3]], point, axis);
    return side[0] != 0 && side[0] == side[1] && side[1] == side[2];
}

bool judge_between(const double a[3], const double b[3], int axis, const double point[3])
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, k = a[u] != b[u] ? u : v;
    bool within = (a[k] < point[k] && point[k] < b[k]) || (b[k] < point[k] && point[k] < a[k]);
    return within && judge_orient2d(a, b, point, axis) == 0;
}

static bool same_place(const double a[3], const double b[3], int axis)
{
    return a[(axis + 1) % 3] == b[(axis + 1) % 3] && a[(axis + 2) % 3] == b[(axis + 2) % 3];
}

static bool edges_meet(const double a[3], const double b[3], const double c[3], const double d[3], int axis)
{
    int abc = judge_orient2d(a, b, c, axis), abd = judge_orient2d(a, b, d, axis);
    int cda = judge_orient2d(c, d, a, axis), cdb = judge_orient2d(c, d, b, axis);
    if (abc * abd < 0 && cda * cdb < 0)
        return true;
    return judge_between(a, b, axis, c) || judge_between(a, b, axis, d) || judge_between(c, d, axis, a) ||
           judge_between(c, d, axis, b) || same_place(a, c, axis) || same_place(a, d, axis) || same_place(b, c, axis) ||
           same_place(b, d, axis);
}

bool judge_is_simple(const judge_polygon *polygon, int axis)
{
    uint32_t n = polygon->count;
    for (uint32_t i = 0; i < n; i++) {
        const double *a = corner(polygon, i), *b = corner(polygon, i + 1), *c = corner(polygon, i + 2);
        if (same_place(a, b, axis) || same_place(a, c, axis) || judge_between(a, b, axis, c) || judge_between(b, c, axis, a))
            return false;
        for (uint32_t k = i + 2; k < n; k++)
            if (k + 1 - i < n && edges_meet(a, b, corner(polygon, k), corner(polygon, k + 1), axis))
                return false;
    }
    return true;
}
