#include "helpers/rational.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

typedef mpq_t vector[3];

static void vector_init(vector v)
{
    for (int k = 0; k < 3; k++)
        mpq_init(v[k]);
}

static void vector_clear(vector v)
{
    for (int k = 0; k < 3; k++)
        mpq_clear(v[k]);
}

// v = to - from
static void vector_between(vector v, const double from[3], const double to[3])
{
    mpq_t x;
    mpq_init(x);
    for (int k = 0; k < 3; k++) {
        mpq_set_d(v[k], to[k]);
        mpq_set_d(x, from[k]);
        mpq_sub(v[k], v[k], x);
    }
    mpq_clear(x);
}

// r = p q - s t
static void determinant2(mpq_t r, const mpq_t p, const mpq_t q, const mpq_t s, const mpq_t t)
{
    mpq_t product;
    mpq_init(product);
    mpq_mul(product, s, t);
    mpq_mul(r, p, q);
    mpq_sub(r, r, product);
    mpq_clear(product);
}

int judge_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    vector u, v, w;
    mpq_t sum, minor;
    vector_init(u);
    vector_init(v);
    vector_init(w);
    mpq_inits(sum, minor, NULL);
    vector_between(u, a, b);
    vector_between(v, a, c);
    vector_between(w, a, d);
    for (int k = 0; k < 3; k++) {  // expanded along the first row: u . (v x w)
        int l = (k + 1) % 3, m = (k + 2) % 3;
        determinant2(minor, v[l], w[m], v[m], w[l]);
        mpq_mul(minor, minor, u[k]);
        mpq_add(sum, sum, minor);
    }
    int sign = mpq_sgn(sum);
    mpq_clears(sum, minor, NULL);
    vector_clear(u);
    vector_clear(v);
    vector_clear(w);
    return sign;
}

int judge_orient2d(const double a[3], const double b[3], const double c[3], int axis)
{
    vector u, v;
    mpq_t area;
    vector_init(u);
    vector_init(v);
    mpq_init(area);
    vector_between(u, a, b);
    vector_between(v, a, c);
    int l = (axis + 1) % 3, m = (axis + 2) % 3;
    determinant2(area, u[l], v[m], u[m], v[l]);
    int sign = mpq_sgn(area);
    mpq_clear(area);
    vector_clear(u);
    vector_clear(v);
    return sign;
}

bool judge_is_collinear(const double a[3], const double b[3], const double c[3])
{
    return judge_orient2d(a, b, c, 0) == 0 && judge_orient2d(a, b, c, 1) == 0 && judge_orient2d(a, b, c, 2) == 0;
}

// ---- points where segments meet triangles ----

enum { CORNERS = 12 };  // of the common part: two for each of the six edges

typedef struct corners {
    vector point[CORNERS];
    int count;
} corners;

static void corners_init(corners *c)
{
    c->count = 0;
    for (int i = 0; i < CORNERS; i++)
        vector_init(c->point[i]);
}

static void corners_clear(corners *c)
{
    for (int i = 0; i < CORNERS; i++)
        vector_clear(c->point[i]);
}

// A triangle with its normal and, for each edge, the inward direction in its plane.
typedef struct plane {
    vector corner[3], normal, inward[3];
} plane;

// Coordinates are multiplied by a common power of two that makes integers of them all: rationals without denominators
// are quicker, and nothing that is asked depends on the scale.
static int integer_shift(int shift, const double (*points)[3], int count)
{
    for (int i = 0; i < 3 * count; i++) {
        int exponent;
        double x = points[i / 3][i % 3];
        frexp(x, &exponent);
        if (x != 0 && 53 - exponent > shift)
            shift = 53 - exponent;
    }
    return shift;
}

static void vector_set(vector v, const double x[3], int shift)
{
    for (int k = 0; k < 3; k++) {
        mpq_set_d(v[k], x[k]);
        if (shift > 0)
            mpq_mul_2exp(v[k], v[k], (mp_bitcnt_t)shift);
        else
            mpq_div_2exp(v[k], v[k], (mp_bitcnt_t)-shift);
    }
}

// For the corners of both of two triangles.
static int shift_of(const double a[3][3], const double b[3][3])
{
    return integer_shift(integer_shift(-2000, a, 3), b, 3);
}

static void vector_sub(vector r, vector a, vector b)
{
    for (int k = 0; k < 3; k++)
        mpq_sub(r[k], a[k], b[k]);
}

static void vector_cross(vector r, vector a, vector b)
{
    for (int k = 0; k < 3; k++)
        determinant2(r[k], a[(k + 1) % 3], b[(k + 2) % 3], a[(k + 2) % 3], b[(k + 1) % 3]);
}

// r = direction . (x - origin)
static void height(mpq_t r, vector direction, vector origin, vector x)
{
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(r, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_sub(term, x[k], origin[k]);
        mpq_mul(term, term, direction[k]);
        mpq_add(r, r, term);
    }
    mpq_clear(term);
}

static void plane_init(plane *p, const double t[3][3], int shift)
{
    vector u, v;
    vector_init(u);
    vector_init(v);
    vector_init(p->normal);
    for (int i = 0; i < 3; i++) {
        vector_init(p->corner[i]);
        vector_init(p->inward[i]);
        vector_set(p->corner[i], t[i], shift);
    }
    vector_sub(u, p->corner[1], p->corner[0]);
    vector_sub(v, p->corner[2], p->corner[0]);
    vector_cross(p->normal, u, v);
    for (int i = 0; i < 3; i++) {
        vector_sub(u, p->corner[(i + 1) % 3], p->corner[i]);
        vector_cross(p->inward[i], p->normal, u);
    }
    vector_clear(u);
    vector_clear(v);
}

static void plane_clear(plane *p)
{
    vector_clear(p->normal);
    for (int i = 0; i < 3; i++) {
        vector_clear(p->corner[i]);
        vector_clear(p->inward[i]);
    }
}

static bool plane_is_degenerate(plane *p)
{
    return mpq_sgn(p->normal[0]) == 0 && mpq_sgn(p->normal[1]) == 0 && mpq_sgn(p->normal[2]) == 0;
}

static int plane_side(plane *p, vector x)
{
    mpq_t h;
    mpq_init(h);
    height(h, p->normal, p->corner[0], x);
    int side = mpq_sgn(h);
    mpq_clear(h);
    return side;
}

// For a point of the plane: 1 inside, 0 on the boundary, -1 outside the triangle.
static int plane_place(plane *p, vector x)
{
    mpq_t h;
    mpq_init(h);
    int place = 1;
    for (int i = 0; i < 3; i++) {
        height(h, p->inward[i], p->corner[i], x);
        if (mpq_sgn(h) < place)
            place = mpq_sgn(h);
    }
    mpq_clear(h);
    return place;
}

// r = a + t (b - a)
static void vector_between_at(vector r, vector a, vector b, mpq_t t)
{
    for (int k = 0; k < 3; k++) {
        mpq_sub(r[k], b[k], a[k]);
        mpq_mul(r[k], r[k], t);
        mpq_add(r[k], r[k], a[k]);
    }
}

// Keeps the part low..high of the segment a-b where direction . (x - origin) >= 0. False if nothing is left.
static bool keep_above(mpq_t low, mpq_t high, vector a, vector b, vector direction, vector origin)
{
    mpq_t at_a, at_b, t;
    mpq_inits(at_a, at_b, t, NULL);
    height(at_a, direction, origin, a);
    height(at_b, direction, origin, b);
    bool left = true;
    mpq_sub(t, at_a, at_b);
    if (mpq_sgn(t) == 0) {
        left = mpq_sgn(at_a) >= 0;
    } else {
        bool rising = mpq_sgn(t) < 0;
        mpq_div(t, at_a, t);
        if (rising && mpq_cmp(t, low) > 0)
            mpq_set(low, t);
        if (!rising && mpq_cmp(t, high) < 0)
            mpq_set(high, t);
        left = mpq_cmp(low, high) <= 0;
    }
    mpq_clears(at_a, at_b, t, NULL);
    return left;
}

static bool vector_equal(vector a, vector b)
{
    return mpq_equal(a[0], b[0]) && mpq_equal(a[1], b[1]) && mpq_equal(a[2], b[2]);
}

// Adds the ends of what a segment and a triangle have in common. Returns whether there is any.
static bool add_common(corners *c, vector a, vector b, plane *p)
{
    mpq_t low, high, below;
    vector down, x;
    int side_a = plane_side(p, a), side_b = plane_side(p, b);
    if (side_a * side_b > 0)
        return false;
    mpq_inits(low, high, below, NULL);
    vector_init(down);
    vector_init(x);
    mpq_set_ui(high, 1, 1);
    for (int k = 0; k < 3; k++)
        mpq_neg(down[k], p->normal[k]);
    bool left = keep_above(low, high, a, b, p->normal, p->corner[0]) && keep_above(low, high, a, b, down, p->corner[0]);
    for (int i = 0; i < 3; i++)
        left = left && keep_above(low, high, a, b, p->inward[i], p->corner[i]);
    for (int end = 0; left && end < 2; end++) {
        vector_between_at(x, a, b, end ? high : low);
        bool is_new = true;
        for (int i = 0; i < c->count; i++)
            is_new = is_new && !vector_equal(c->point[i], x);
        for (int k = 0; is_new && k < 3; k++)
            mpq_set(c->point[c->count][k], x[k]);
        c->count += is_new;
    }
    mpq_clears(low, high, below, NULL);
    vector_clear(down);
    vector_clear(x);
    return left;
}

static void add_all_common(corners *c, plane *a, plane *b)
{
    for (int i = 0; i < 3; i++) {
        add_common(c, a->corner[i], a->corner[(i + 1) % 3], b);
        add_common(c, b->corner[i], b->corner[(i + 1) % 3], a);
    }
}

static bool is_coplanar(plane *a, plane *b)
{
    return plane_side(b, a->corner[0]) == 0 && plane_side(b, a->corner[1]) == 0 && plane_side(b, a->corner[2]) == 0;
}

static judge_meeting kind_of(plane *a, plane *b)
{
    corners c;
    vector middle;
    mpq_t count;
    corners_init(&c);
    vector_init(middle);
    mpq_init(count);
    add_all_common(&c, a, b);
    mpq_set_si(count, c.count, 1);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < c.count; i++)
            mpq_add(middle[k], middle[k], c.point[i][k]);
        mpq_div(middle[k], middle[k], count);
    }
    bool inside = plane_place(a, middle) > 0 && plane_place(b, middle) > 0;
    mpq_clear(count);
    vector_clear(middle);
    corners_clear(&c);
    return !inside ? JUDGE_TOUCHING : is_coplanar(a, b) ? JUDGE_COPLANAR : JUDGE_CROSSING;
}

static bool meet_anywhere(plane *a, plane *b)
{
    corners c;
    corners_init(&c);
    add_all_common(&c, a, b);
    corners_clear(&c);
    return c.count > 0;
}

static bool opposite_edge_meets(plane *a, int shared, plane *b)
{
    corners c;
    corners_init(&c);
    bool meets = add_common(&c, a->corner[(shared + 1) % 3], a->corner[(shared + 2) % 3], b);
    corners_clear(&c);
    return meets;
}

// The corners that are not shared lie on the same side of the shared edge, in one plane.
static bool is_folded(plane *a, int i, plane *b, int j)
{
    if (!is_coplanar(a, b))
        return false;
    mpq_t h;
    mpq_init(h);
    height(h, a->inward[(i + 1) % 3], a->corner[(i + 1) % 3], b->corner[j]);
    bool folded = mpq_sgn(h) > 0;
    mpq_clear(h);
    return folded;
}

static int find_vertex(uint32_t v, const uint32_t in[3])
{
    for (int i = 0; i < 3; i++)
        if (in[i] == v)
            return i;
    return -1;
}

static bool meet_by_rule(plane *a, const uint32_t va[3], plane *b, const uint32_t vb[3])
{
    int shared = 0, i_shared = 0, j_shared = 0, i_other = 0, j_other = 0;
    for (int i = 0; i < 3; i++) {
        if (find_vertex(va[i], vb) >= 0) {
            shared++;
            i_shared = i;
            j_shared = find_vertex(va[i], vb);
        } else {
            i_other = i;
        }
        if (find_vertex(vb[i], va) < 0)
            j_other = i;
    }
    switch (shared) {
    case 0: return meet_anywhere(a, b);
    case 1: return opposite_edge_meets(a, i_shared, b) || opposite_edge_meets(b, j_shared, a);
    case 2: return is_folded(a, i_other, b, j_other);
    default: return true;
    }
}

judge_meeting judge_triangles(const double a[3][3], const uint32_t va[3], const double b[3][3], const uint32_t vb[3])
{
    plane pa, pb;
    int shift = shift_of(a, b);
    plane_init(&pa, a, shift);
    plane_init(&pb, b, shift);
    judge_meeting meeting = JUDGE_APART;
    if (plane_is_degenerate(&pa) || plane_is_degenerate(&pb))
        meeting = JUDGE_DEGENERATE;
    else if (meet_by_rule(&pa, va, &pb, vb))
        meeting = kind_of(&pa, &pb);
    plane_clear(&pa);
    plane_clear(&pb);
    return meeting;
}

judge_meeting judge_segment_triangle(const double p[3], const double q[3], const double t[3][3])
{
    plane plane_t;
    corners c;
    vector a, b;
    int shift = integer_shift(integer_shift(integer_shift(-2000, t, 3), (const double(*)[3])p, 1), (const double(*)[3])q, 1);
    plane_init(&plane_t, t, shift);
    corners_init(&c);
    vector_init(a);
    vector_init(b);
    vector_set(a, p, shift);
    vector_set(b, q, shift);
    judge_meeting meeting = JUDGE_APART;
    if (add_common(&c, a, b, &plane_t)) {
        bool through = plane_side(&plane_t, a) * plane_side(&plane_t, b) < 0;
        meeting = through && plane_place(&plane_t, c.point[0]) > 0 ? JUDGE_CROSSING : JUDGE_TOUCHING;
    }
    vector_clear(a);
    vector_clear(b);
    corners_clear(&c);
    plane_clear(&plane_t);
    return meeting;
}

// ---- back to doubles ----

// q / 2^shift, rounded to nearest.
static double nearest_double(mpq_t q, int shift)
{
    if (shift > 0)
        mpq_div_2exp(q, q, (mp_bitcnt_t)shift);
    else
        mpq_mul_2exp(q, q, (mp_bitcnt_t)-shift);
    double low = mpq_get_d(q);  // truncated towards zero
    double high = nextafter(low, mpq_sgn(q) < 0 ? -INFINITY : INFINITY);
    if (isinf(low))
        return low;
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, low);
    mpq_sub(x, q, x);
    mpq_abs(x, x);
    if (isinf(high)) {  // the step to the next double, were there one
        mpq_set_d(y, ldexp(1, 971));
        mpq_sub(y, y, x);
    } else {
        mpq_set_d(y, high);
        mpq_sub(y, y, q);
        mpq_abs(y, y);
    }
    int order = mpq_cmp(x, y);
    uint64_t bits;
    memcpy(&bits, &low, sizeof bits);
    mpq_clears(x, y, NULL);
    return order < 0 || (order == 0 && (bits & 1) == 0) ? low : high;
}

static bool point_before(const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k];
    return false;
}

int judge_common_corners(const double a[3][3], const double b[3][3], double corner[12][3])
{
    plane pa, pb;
    corners c;
    int shift = shift_of(a, b);
    plane_init(&pa, a, shift);
    plane_init(&pb, b, shift);
    corners_init(&c);
    add_all_common(&c, &pa, &pb);
    for (int i = 0; i < c.count; i++) {
        double point[3];
        for (int k = 0; k < 3; k++)
            point[k] = nearest_double(c.point[i][k], shift);
        int j = i;
        for (; j > 0 && point_before(point, corner[j - 1]); j--)
            memcpy(corner[j], corner[j - 1], sizeof point);
        memcpy(corner[j], point, sizeof point);
    }
    int count = c.count;
    corners_clear(&c);
    plane_clear(&pa);
    plane_clear(&pb);
    return count;
}

// ---- tetrahedra ----

// Solves sum w_i (corner_i, 1) = (p, 1) by elimination with rows swapped where a pivot is zero.
static bool solve_weights(const double p[3], const double tet[4][3], mpq_t w[4])
{
    mpq_t m[4][5], factor, term;
    mpq_inits(factor, term, NULL);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 5; column++) {
            mpq_init(m[row][column]);
            const double *x = column == 4 ? p : tet[column];
            mpq_set_d(m[row][column], row == 3 ? 1.0 : x[row]);
        }
    bool regular = true;
    for (int i = 0; i < 4 && regular; i++) {
        int pivot = i;
        while (pivot < 4 && mpq_sgn(m[pivot][i]) == 0)
            pivot++;
        regular = pivot < 4;
        for (int column = 0; regular && column < 5; column++)
            mpq_swap(m[i][column], m[pivot][column]);
        for (int row = 0; regular && row < 4; row++) {
            if (row == i)
                continue;
            mpq_div(factor, m[row][i], m[i][i]);
            for (int column = i; column < 5; column++) {
                mpq_mul(term, factor, m[i][column]);
                mpq_sub(m[row][column], m[row][column], term);
            }
        }
    }
    for (int i = 0; i < 4 && regular; i++)
        mpq_div(w[i], m[i][4], m[i][i]);
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 5; column++)
            mpq_clear(m[row][column]);
    mpq_clears(factor, term, NULL);
    return regular;
}

bool judge_tet_weights(const double p[3], const double tet[4][3], double weight[4])
{
    mpq_t w[4];
    mpq_inits(w[0], w[1], w[2], w[3], NULL);
    bool regular = solve_weights(p, tet, w);
    for (int i = 0; i < 4; i++)
        weight[i] = regular ? nearest_double(w[i], 0) : 0.0;
    mpq_clears(w[0], w[1], w[2], w[3], NULL);
    return regular;
}

bool judge_point_in_tet(const double p[3], const double tet[4][3])
{
    mpq_t w[4];
    mpq_inits(w[0], w[1], w[2], w[3], NULL);
    bool inside = solve_weights(p, tet, w);
    for (int i = 0; i < 4; i++)
        inside = inside && mpq_sgn(w[i]) >= 0;
    mpq_clears(w[0], w[1], w[2], w[3], NULL);
    return inside;
}

// p + t (q - p), rounded to nearest.
static void point_at(const double p[3], const double q[3], mpq_t t, double x[3])
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    for (int axis = 0; axis < 3; axis++) {
        mpq_set_d(a, p[axis]);
        mpq_set_d(b, q[axis]);
        mpq_sub(b, b, a);
        mpq_mul(b, b, t);
        mpq_add(a, a, b);
        x[axis] = nearest_double(a, 0);
    }
    mpq_clears(a, b, NULL);
}

bool judge_segment_through_tet(const double p[3], const double q[3], const double tet[4][3], double enters[3], double leaves[3])
{
    mpq_t at_p[4], at_q[4], low, high, t;
    mpq_inits(at_p[0], at_p[1], at_p[2], at_p[3], at_q[0], at_q[1], at_q[2], at_q[3], low, high, t, NULL);
    mpq_set_ui(high, 1, 1);
    bool regular = solve_weights(p, tet, at_p) && solve_weights(q, tet, at_q), p_inside = true, q_inside = true;
    for (int i = 0; i < 4 && regular; i++) {
        int sign_p = mpq_sgn(at_p[i]), sign_q = mpq_sgn(at_q[i]);
        p_inside = p_inside && sign_p >= 0;
        q_inside = q_inside && sign_q >= 0;
        if (sign_p < 0 && sign_q < 0)
            mpq_set_si(high, -1, 1);
        if (sign_p >= 0 && sign_q >= 0)
            continue;
        // The weight is 0 at t = at_p / (at_p - at_q).
        mpq_sub(t, at_p[i], at_q[i]);
        if (mpq_sgn(t) == 0)
            continue;
        mpq_div(t, at_p[i], t);
        if (sign_p < 0 && mpq_cmp(t, low) > 0)
            mpq_set(low, t);
        if (sign_q < 0 && mpq_cmp(t, high) < 0)
            mpq_set(high, t);
    }
    bool passes = regular && !p_inside && !q_inside && mpq_cmp(low, high) <= 0;
    memset(enters, 0, 3 * sizeof *enters);
    memset(leaves, 0, 3 * sizeof *leaves);
    if (passes) {
        point_at(p, q, low, enters);
        point_at(p, q, high, leaves);
    }
    mpq_clears(at_p[0], at_p[1], at_p[2], at_p[3], at_q[0], at_q[1], at_q[2], at_q[3], low, high, t, NULL);
    return passes;
}
