// Squared distances with gradient and Hessian.
//
// A vertex p over the plane of a triangle, and two lines, obey one formula. Let m be the unit normal, s the signed distance along it,
// c_k the weights with which the four points x_k make up the gap (sum c_k x_k = s m), and g_k the gradients with which the normal
// tilts: dm = - sum g_k (m . dx_k). Then
//
//     ds   = sum c_k m . dx_k
//     dc_k = - g_k . sum_l c_l dx_l - s sum_l (g_k . g_l) (m . dx_l)
//
// and with block (k, l) of the Hessian of s^2 = 2 ds ds + 2 s dds:
//
//     2 (c_k c_l - s^2 g_k . g_l) m m^T - 2 s (c_l m g_k^T + c_k g_l m^T)
//
// All terms are products of s, c, g and m, and terms of different size stand in orthogonal directions: if these four are accurate, so is
// the Hessian. Where the vertex is close to the plane, or edges are nearly parallel, s, c and g lose many digits in double arithmetic;
// they are computed with 106 bits from exact differences of coordinates. So the result has ten digits also at distances of 1e-12 edge
// lengths.
//
// The mollifier: Li et al., Incremental Potential Contact, ACM Trans. Graph. 39 (2020), section 5 and its supplement.
#include "geom/derivatives.h"

#include "base/assert.h"
#include "base/clamp.h"
#include "geom/double_double.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Edges and sines below these count as zero: see derivatives.h. Within them no product below overflows or underflows.
#define LEAST_EDGE 0x1p-200
#define LEAST_SQUARED_SINE 0x1p-120

// ---- scaled differences ----

// The four points in units of 2^exponent, where all differences are below 4.
typedef struct frame {
    const double *point[4];
    double before;  // a factor that keeps differences finite
    int exponent;
    int count;
} frame;

static int points_of(snag_contact_kind kind)
{
    return kind == SNAG_VERTEX_VERTEX ? 2 : kind == SNAG_VERTEX_EDGE ? 3 : 4;
}

static frame frame_of(const double *const points[4], int count)
{
    frame f = {.before = 1, .count = count};
    double largest = 0, extent = 0;
    for (int i = 0; i < count; i++) {
        f.point[i] = points[i];
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(points[i][k]));
    }
    if (largest > 0x1p1020)
        f.before = 0.25;
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 3; k++)
            extent = fmax(extent, fabs(f.before * points[i][k] - f.before * points[0][k]));
    if (extent > 0)
        (void)frexp(extent, &f.exponent);
    return f;
}

// point[a] - point[b], exactly but for underflow far below the extent.
static void difference(const frame *f, int a, int b, snag__dd d[3])
{
    for (int k = 0; k < 3; k++) {
        snag__dd sum = snag__dd_sum(f->before * f->point[a][k], -(f->before * f->point[b][k]));
        d[k] = (snag__dd){ldexp(sum.high, -f->exponent), ldexp(sum.low, -f->exponent)};
    }
}

static double largest_of(const snag__dd d[3])
{
    return fmax(fabs(d[0].high), fmax(fabs(d[1].high), fabs(d[2].high)));
}

static double finite(double x)
{
    return fmax(-DBL_MAX, fmin(DBL_MAX, x));
}

// ---- results ----

// Where results go. Gradients are in units of the frame until `finish`.
typedef struct output {
    double *squared, *gradient, *hessian;
} output;

static void clear(const output *out)
{
    *out->squared = 0;
    if (out->gradient != NULL)
        memset(out->gradient, 0, 12 * sizeof(double));
    if (out->hessian != NULL)
        memset(out->hessian, 0, 144 * sizeof(double));
}

static double *block_row(const output *out, int k, int l, int row)
{
    return out->hessian + (size_t)(12 * (3 * k + row) + 3 * l);
}

// From units of the frame to those of the points: the Hessian has no unit.
static void finish(const frame *f, const output *out)
{
    int exponent = f->exponent + (f->before < 1 ? 2 : 0);
    *out->squared = finite(ldexp(*out->squared, 2 * exponent));
    for (int i = 0; i < 12 && out->gradient != NULL; i++)
        out->gradient[i] = finite(ldexp(out->gradient[i], exponent)) + 0.0;
}

// ---- two points ----

static void measure_points(const frame *f, const int at[4], const output *out)
{
    snag__dd r[3];
    difference(f, at[0], at[1], r);
    *out->squared = snag__dd_dot(r, r).high;
    for (int k = 0; k < 3 && out->gradient != NULL; k++) {
        out->gradient[3 * at[0] + k] = 2 * r[k].high;
        out->gradient[3 * at[1] + k] = -2 * r[k].high;
    }
    for (int k = 0; k < 3 && out->hessian != NULL; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                block_row(out, at[i], at[j], k)[k] = i == j ? 2 : -2;
}

// ---- point and line ----

// With r from the line to the point, e along the edge, E = e . e, and the weights c of the gap: block (k, l) is
//     2 c_k c_l (I - e e^T / E) + 2 (o_k c_l r e^T + c_k o_l e r^T - o_k o_l r r^T) / E,   o = (0, 1, -1).
static void measure_line(const frame *f, const int at[4], const output *out)
{
    snag__dd e[3], w[3], n[3], r[3];
    difference(f, at[2], at[1], e);
    difference(f, at[0], at[1], w);
    snag__dd square = snag__dd_dot(e, e), t = snag__dd_divide(snag__dd_dot(w, e), square);
    snag__dd_cross(w, e, n);
    snag__dd_cross(e, n, r);
    double c[3] = {1, -snag__dd_subtract((snag__dd){1, 0}, t).high, -t.high}, rest[3], along[3], unit[3], lever[3];
    for (int k = 0; k < 3; k++) {
        rest[k] = snag__dd_divide(r[k], square).high;
        along[k] = e[k].high;
        unit[k] = snag__dd_divide(e[k], square).high;
        lever[k] = rest[k] / square.high;
    }
    *out->squared = rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2];
    for (int i = 0; i < 3 && out->gradient != NULL; i++)
        for (int k = 0; k < 3; k++)
            out->gradient[3 * at[i] + k] = 2 * c[i] * rest[k];
    static const double o[3] = {0, 1, -1};
    for (int i = 0; i < 9 && out->hessian != NULL; i++) {
        int k = i / 3, l = i % 3;
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                block_row(out, at[k], at[l], row)[column] =
                    2 * (c[k] * c[l] * ((row == column) - along[row] * unit[column]) +
                         (o[k] * c[l] * rest[row] * unit[column] + c[k] * o[l] * unit[row] * rest[column]) -
                         o[k] * o[l] * rest[row] * lever[column]);
    }
}

// ---- point and plane, line and line ----

typedef struct gap {
    double s, m[3], c[4], g[4][3];
} gap;

// The dual vectors of u and v in their plane, and the unit normal. False if u and v are nearly parallel.
static bool span(const snag__dd u[3], const snag__dd v[3], snag__dd n[3], snag__dd dual_u[3], snag__dd dual_v[3], snag__dd *normal)
{
    if (!(largest_of(u) >= LEAST_EDGE && largest_of(v) >= LEAST_EDGE))
        return false;
    snag__dd_cross(u, v, n);
    *normal = snag__dd_dot(n, n);
    if (!(normal->high >= LEAST_SQUARED_SINE * snag__dd_dot(u, u).high * snag__dd_dot(v, v).high))
        return false;
    snag__dd_cross(v, n, dual_u);
    snag__dd_cross(n, u, dual_v);
    for (int k = 0; k < 3; k++) {
        dual_u[k] = snag__dd_divide(dual_u[k], *normal);
        dual_v[k] = snag__dd_divide(dual_v[k], *normal);
    }
    return true;
}

// The gap between a point and a plane (w from the plane's first corner to the point, u and v along its edges), or between two lines
// (w from b's first end to a's, u along a and v along b).
static bool find_gap(const frame *f, bool lines, gap *out)
{
    snag__dd u[3], v[3], w[3], n[3], dual_u[3], dual_v[3], normal, one = {1, 0};
    difference(f, lines ? 1 : 2, lines ? 0 : 1, u);
    difference(f, 3, lines ? 2 : 1, v);
    difference(f, 0, lines ? 2 : 1, w);
    if (!span(u, v, n, dual_u, dual_v, &normal))
        return false;
    double length = sqrt(normal.high);
    out->s = snag__dd_dot(n, w).high / length;
    snag__dd x = snag__dd_dot(dual_u, w), y = snag__dd_dot(dual_v, w);
    if (lines) {
        out->c[0] = snag__dd_add(one, x).high;
        out->c[1] = -x.high;
        out->c[2] = snag__dd_subtract(y, one).high;
        out->c[3] = -y.high;
    } else {
        out->c[0] = 1;
        out->c[1] = snag__dd_subtract(snag__dd_add(x, y), one).high;
        out->c[2] = -x.high;
        out->c[3] = -y.high;
    }
    for (int k = 0; k < 3; k++) {
        out->m[k] = n[k].high / length;
        out->g[0][k] = lines ? -dual_u[k].high : 0;
        out->g[1][k] = lines ? dual_u[k].high : -snag__dd_add(dual_u[k], dual_v[k]).high;
        out->g[2][k] = lines ? -dual_v[k].high : dual_u[k].high;
        out->g[3][k] = dual_v[k].high;
    }
    return true;
}

static void write_gap(const gap *p, const output *out)
{
    const double s = p->s, *m = p->m, *c = p->c;
    *out->squared = s * s;
    for (int i = 0; i < 12 && out->gradient != NULL; i++)
        out->gradient[i] = 2 * s * (c[i / 3] * m[i % 3]);
    for (int i = 0; i < 16 && out->hessian != NULL; i++) {
        int k = i / 4, l = i % 4;
        const double *gk = p->g[k], *gl = p->g[l];
        double both = c[k] * c[l] - s * (gk[0] * gl[0] + gk[1] * gl[1] + gk[2] * gl[2]) * s;
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                block_row(out, k, l, row)[column] =
                    2 * both * (m[row] * m[column]) - 2 * s * (c[l] * m[row] * gk[column] + c[k] * gl[row] * m[column]);
    }
}

// ---- degenerate features ----

// The closest of a vertex and an edge's inside or ends, in double: good enough to choose by.
static double choose_on_edge(const frame *f, const int at[3], int chosen[4], snag_contact_kind *kind)
{
    snag__dd e[3], w[3];
    difference(f, at[2], at[1], e);
    difference(f, at[0], at[1], w);
    double square = 0, dot = 0, distance = 0;
    for (int k = 0; k < 3; k++) {
        square += e[k].high * e[k].high;
        dot += w[k].high * e[k].high;
    }
    double t = largest_of(e) >= LEAST_EDGE ? snag__max(0, snag__min(1, dot / square)) : dot > 0;
    for (int k = 0; k < 3; k++) {
        double r = w[k].high - t * e[k].high;
        distance += r * r;
    }
    *kind = t > 0 && t < 1 ? SNAG_VERTEX_EDGE : SNAG_VERTEX_VERTEX;
    chosen[0] = at[0];
    chosen[1] = t == 1 ? at[2] : at[1];
    chosen[2] = at[2];
    return distance;
}

// A vertex and a triangle that is nearly a segment, or two edges that are nearly parallel: the closest vertex and edge.
static snag_contact_kind choose(const frame *f, bool lines, int chosen[4])
{
    static const int options[2][4][3] = {{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}},
                                         {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};
    snag_contact_kind kind = SNAG_VERTEX_VERTEX;
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        int other[4] = {0};
        snag_contact_kind other_kind;
        double distance = choose_on_edge(f, options[lines][i], other, &other_kind);
        if (distance < least) {
            least = distance;
            kind = other_kind;
            memcpy(chosen, other, sizeof other);
        }
    }
    return kind;
}

// NOLINTNEXTLINE(readability-non-const-parameter): others write through it
snag_contact_kind snag__derive_distance(snag_contact_kind kind, const double *const points[4], double *squared, double *gradient,
                                        // NOLINTNEXTLINE(readability-non-const-parameter): others write through it
                                        double *hessian)
{
    SNAG__ASSERT(kind >= SNAG_VERTEX_VERTEX && kind <= SNAG_EDGE_EDGE);
    const frame f = frame_of(points, points_of(kind));
    const output out = {squared, gradient, hessian};
    int at[4] = {0, 1, 2, 3};
    gap found;
    clear(&out);
    if (kind == SNAG_VERTEX_FACE || kind == SNAG_EDGE_EDGE) {
        if (find_gap(&f, kind == SNAG_EDGE_EDGE, &found)) {
            write_gap(&found, &out);
            finish(&f, &out);
            return kind;
        }
        kind = choose(&f, kind == SNAG_EDGE_EDGE, at);
    } else if (kind == SNAG_VERTEX_EDGE) {
        snag__dd e[3];
        difference(&f, 2, 1, e);
        if (!(largest_of(e) >= LEAST_EDGE))
            choose_on_edge(&f, (const int[3]){0, 1, 2}, at, &kind);
    }
    (kind == SNAG_VERTEX_EDGE ? measure_line : measure_points)(&f, at, &out);
    finish(&f, &out);
    return kind;
}

// ---- the mollifier ----

static void unit_edge(const double *from, const double *to, double unit[3], snag__dd exact[3], int *exponent)
{
    const double *ends[4] = {from, to};
    frame f = frame_of(ends, 2);
    difference(&f, 1, 0, exact);
    for (int k = 0; k < 3; k++)
        unit[k] = exact[k].high;
    *exponent = f.exponent + (f.before < 1 ? 2 : 0);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// First and second derivatives of c = |u x v|^2 after u and v.
static void derive_cross(const double u[3], const double v[3], const snag__dd n[3], const snag__dd du[3], const snag__dd dv[3],
                         double first[2][3], double second[2][2][3][3])
{
    snag__dd vn[3], nu[3];
    snag__dd_cross(dv, n, vn);
    snag__dd_cross(n, du, nu);
    double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v);
    for (int i = 0; i < 3; i++) {
        first[0][i] = 2 * vn[i].high;
        first[1][i] = 2 * nu[i].high;
        for (int j = 0; j < 3; j++) {
            second[0][0][i][j] = 2 * ((i == j) * vv - v[i] * v[j]);
            second[1][1][i][j] = 2 * ((i == j) * uu - u[i] * u[j]);
            second[0][1][i][j] = second[1][0][j][i] = 2 * (2 * u[i] * v[j] - (i == j) * uv - v[i] * u[j]);
        }
    }
}

// In units of the two edges' own sizes, so that nothing overflows; each derivative is then divided by its unit.
double snag__derive_mollifier(const double *const points[4], double threshold, double *gradient, double *hessian)
{
    double u[3], v[3], first[2][3], second[2][2][3][3];
    snag__dd du[3], dv[3], n[3];
    int exponent[2];
    double one = 1;
    const output out = {&one, gradient, hessian};
    clear(&out);
    unit_edge(points[0], points[1], u, du, &exponent[0]);
    unit_edge(points[2], points[3], v, dv, &exponent[1]);
    // Between these nothing overflows; a threshold beyond them counts as the nearer one.
    double limit = fmax(0x1p-200, fmin(0x1p200, ldexp(threshold, -2 * (exponent[0] + exponent[1]))));
    snag__dd_cross(du, dv, n);
    snag__dd c = snag__dd_dot(n, n);
    if (!(threshold > 0 && c.high < limit))
        return 1;
    double x = c.high / limit, left = snag__dd_subtract((snag__dd){limit, 0}, c).high / limit;
    double slope = 2 * left / limit, bend = -2 / limit / limit;
    derive_cross(u, v, n, du, dv, first, second);
    for (int i = 0; i < 12 && gradient != NULL; i++) {
        int edge = i / 6, sign = i % 6 < 3 ? -1 : 1;
        gradient[i] = finite(ldexp(sign * slope * first[edge][i % 3], -exponent[edge])) + 0.0;
    }
    for (int i = 0; i < 144 && hessian != NULL; i++) {
        int row = i / 12, column = i % 12, a = row / 6, b = column / 6;
        int sign = (row % 6 < 3) == (column % 6 < 3) ? 1 : -1;
        double both = bend * first[a][row % 3] * first[b][column % 3] + slope * second[a][b][row % 3][column % 3];
        hessian[i] = finite(ldexp(sign * both, -exponent[a] - exponent[b])) + 0.0;
    }
    return x * (2 - x);
}
