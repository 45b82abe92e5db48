// Derivatives of squared distances and of the mollifier against differences of the functions themselves in multi-precision (GMP), over
// friendly and hostile input. SNAG_CASES asks for more cases of each sort.
#include "base/random.h"
#include "geom/derivatives.h"
#include "helpers/test.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Differences over 2^-200 of the extent have an error of 2^-400, and second differences leave 1000 of these bits.
enum { BITS = 1536, STEP = 200 };

static size_t case_count(size_t usual)
{
    const char *asked = getenv("SNAG_CASES");
    return asked != NULL ? (size_t)strtoull(asked, NULL, 10) : usual;
}

// ---- the judge: the functions by their textbook formulas ----

typedef struct vec {
    mpf_t x[3];
} vec;

typedef struct judge {
    vec point[4], u, v, w, n;
    mpf_t a, b, c, step;
    double threshold;
} judge;

static void judge_init(judge *j)
{
    vec *all[] = {&j->point[0], &j->point[1], &j->point[2], &j->point[3], &j->u, &j->v, &j->w, &j->n};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 3; k++)
            mpf_init2(all[i]->x[k], BITS);
    mpf_init2(j->a, BITS);
    mpf_init2(j->b, BITS);
    mpf_init2(j->c, BITS);
    mpf_init2(j->step, BITS);
}

static void judge_clear(judge *j)
{
    vec *all[] = {&j->point[0], &j->point[1], &j->point[2], &j->point[3], &j->u, &j->v, &j->w, &j->n};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 3; k++)
            mpf_clear(all[i]->x[k]);
    mpf_clears(j->a, j->b, j->c, j->step, NULL);
}

static void minus(const vec *a, const vec *b, vec *out)
{
    for (int k = 0; k < 3; k++)
        mpf_sub(out->x[k], a->x[k], b->x[k]);
}

static void dot_of(judge *j, const vec *a, const vec *b, mpf_t out)
{
    mpf_mul(out, a->x[0], b->x[0]);
    for (int k = 1; k < 3; k++) {
        mpf_mul(j->c, a->x[k], b->x[k]);
        mpf_add(out, out, j->c);
    }
}

static void cross_of(judge *j, const vec *a, const vec *b, vec *out)
{
    for (int k = 0; k < 3; k++) {
        mpf_mul(out->x[k], a->x[(k + 1) % 3], b->x[(k + 2) % 3]);
        mpf_mul(j->c, a->x[(k + 2) % 3], b->x[(k + 1) % 3]);
        mpf_sub(out->x[k], out->x[k], j->c);
    }
}

enum { MOLLIFIER = -1 };

// The value at the judge's points.
static void value_of(judge *j, int kind, mpf_t out)
{
    const vec *p = j->point;
    if (kind == SNAG_VERTEX_VERTEX) {
        minus(&p[0], &p[1], &j->u);
        dot_of(j, &j->u, &j->u, out);
        return;
    }
    if (kind == SNAG_VERTEX_EDGE) {
        minus(&p[2], &p[1], &j->u);
        minus(&p[0], &p[1], &j->w);
        cross_of(j, &j->u, &j->w, &j->n);
        dot_of(j, &j->n, &j->n, j->a);
        dot_of(j, &j->u, &j->u, j->b);
        mpf_div(out, j->a, j->b);
        return;
    }
    bool face = kind == SNAG_VERTEX_FACE;
    minus(&p[face ? 2 : 1], &p[face ? 1 : 0], &j->u);
    minus(&p[3], &p[face ? 1 : 2], &j->v);
    minus(&p[0], &p[face ? 1 : 2], &j->w);
    cross_of(j, &j->u, &j->v, &j->n);
    dot_of(j, &j->n, &j->n, j->b);
    if (kind == MOLLIFIER) {
        mpf_set_d(j->a, j->threshold);
        mpf_div(j->b, j->b, j->a);
        mpf_ui_sub(j->a, 2, j->b);
        mpf_mul(out, j->a, j->b);
        return;
    }
    dot_of(j, &j->n, &j->w, j->a);
    mpf_mul(j->a, j->a, j->a);
    mpf_div(out, j->a, j->b);
}

static void shift(judge *j, int coordinate, int sign)
{
    mpf_ptr x = j->point[coordinate / 3].x[coordinate % 3];
    if (sign > 0)
        mpf_add(x, x, j->step);
    else
        mpf_sub(x, x, j->step);
}

typedef struct verdict {
    double squared, gradient[12], hessian[144];
} verdict;

// The value at the points shifted by (s, t) steps along coordinates a and b.
static void value_at(judge *j, int kind, int a, int s, int b, int t, mpf_t out)
{
    shift(j, a, s);
    shift(j, b, t);
    value_of(j, kind, out);
    shift(j, a, -s);
    shift(j, b, -t);
}

static void judge_all(judge *j, int kind, double x[4][3], verdict *out)
{
    mpf_t f[4];
    double extent = 0;
    for (int i = 0; i < 4; i++)
        mpf_init2(f[i], BITS);
    for (int i = 0; i < 12; i++) {
        mpf_set_d(j->point[i / 3].x[i % 3], x[i / 3][i % 3]);
        extent = fmax(extent, fabs(x[i / 3][i % 3] - x[0][i % 3]));
    }
    mpf_set_d(j->step, extent);
    mpf_div_2exp(j->step, j->step, STEP);
    value_of(j, kind, f[0]);
    out->squared = mpf_get_d(f[0]);
    for (int a = 0; a < 12; a++) {
        shift(j, a, 1);
        value_of(j, kind, f[0]);
        shift(j, a, -1);
        shift(j, a, -1);
        value_of(j, kind, f[1]);
        shift(j, a, 1);
        mpf_sub(f[0], f[0], f[1]);
        mpf_div(f[0], f[0], j->step);
        mpf_div_2exp(f[0], f[0], 1);
        out->gradient[a] = mpf_get_d(f[0]);
        for (int b = a; b < 12; b++) {
            value_at(j, kind, a, 1, b, 1, f[0]);
            value_at(j, kind, a, 1, b, -1, f[1]);
            value_at(j, kind, a, -1, b, 1, f[2]);
            value_at(j, kind, a, -1, b, -1, f[3]);
            mpf_sub(f[0], f[0], f[1]);
            mpf_sub(f[0], f[0], f[2]);
            mpf_add(f[0], f[0], f[3]);
            mpf_div(f[0], f[0], j->step);
            mpf_div(f[0], f[0], j->step);
            mpf_div_2exp(f[0], f[0], 2);
            out->hessian[12 * a + b] = out->hessian[12 * b + a] = mpf_get_d(f[0]);
        }
    }
    for (int i = 0; i < 4; i++)
        mpf_clear(f[i]);
}

// ---- points ----

// Generic, close to touching, needles, nearly parallel, far from the origin, of all sizes.
enum { SORTS = 7 };

static void make_points(snag__random *random, int sort, double x[4][3])
{
    double small = pow(10, snag__random_range(random, -9, -1));
    for (int i = 0; i < 12; i++)
        x[i / 3][i % 3] = snag__random_range(random, -1, 1);
    if (sort == 1)  // the first point close to the plane of the others
        for (int k = 0; k < 3; k++)
            x[0][k] = 0.3 * x[1][k] + 0.3 * x[2][k] + 0.4 * x[3][k] + small * x[0][k];
    if (sort == 2)  // a needle
        for (int k = 0; k < 3; k++)
            x[3][k] = x[1][k] + 0.6 * (x[2][k] - x[1][k]) + small * x[3][k];
    if (sort == 3)  // edges nearly parallel, and close
        for (int k = 0; k < 3; k++) {
            x[2][k] = x[0][k] + 0.1 * small * x[2][k];
            x[3][k] = x[1][k] + small * x[3][k];
        }
    if (sort == 4)  // crossing edges that nearly touch
        for (int k = 0; k < 3; k++)
            x[3][k] = x[2][k] + 2 * (0.5 * (x[0][k] + x[1][k]) + small * x[3][k] - x[2][k]);
    if (sort == 5)
        for (int i = 0; i < 12; i++)
            x[i / 3][i % 3] += 1000;
    if (sort == 6) {
        int exponent = (int)snag__random_below(random, 400) - 200;
        for (int i = 0; i < 12; i++)
            x[i / 3][i % 3] = ldexp(x[i / 3][i % 3], exponent);
    }
}

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double error_of(const double *x, const double *truth, int count)
{
    double most = 0, size = largest(truth, count);
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i] - truth[i]));
    return most == 0 ? 0 : most / size;
}

// A gradient or a Hessian has ten digits, measured by its largest entry.
static void judge_case(judge *j, int kind, double x[4][3], int sort)
{
    const double *const points[4] = {x[0], x[1], x[2], x[3]};
    verdict truth, mine;
    judge_all(j, kind, x, &truth);
    if (kind == MOLLIFIER)
        mine.squared = snag__derive_mollifier(points, j->threshold, mine.gradient, mine.hessian);
    else
        assert_int_equal(snag__derive_distance((snag_contact_kind)kind, points, &mine.squared, mine.gradient, mine.hessian), kind);
    double errors[3] = {error_of(&mine.squared, &truth.squared, 1), error_of(mine.gradient, truth.gradient, 12),
                        error_of(mine.hessian, truth.hessian, 144)};
    for (int i = 0; i < 3; i++)
        if (!(errors[i] < 1e-10))
            fail_msg("kind %d, sort %d: relative errors of value, gradient, Hessian: %g %g %g", kind, sort, errors[0], errors[1],
                     errors[2]);
    for (int i = 0; i < 144; i++)
        assert_true(fabs(mine.hessian[i] - mine.hessian[12 * (i % 12) + i / 12]) <= 1e-14 * largest(mine.hessian, 144));
}

static void derivatives_have_ten_digits(void **state)
{
    (void)state;
    judge j;
    judge_init(&j);
    snag__random random = {23};
    size_t cases = case_count(50);
    for (int kind = SNAG_VERTEX_VERTEX; kind <= SNAG_EDGE_EDGE; kind++)
        for (int sort = 0; sort < SORTS; sort++)
            for (size_t i = 0; i < cases; i++) {
                double x[4][3];
                make_points(&random, sort, x);
                judge_case(&j, kind, x, sort);
            }
    judge_clear(&j);
}

static void mollifiers_have_ten_digits(void **state)
{
    (void)state;
    judge j;
    judge_init(&j);
    snag__random random = {24};
    size_t cases = case_count(50);
    for (int sort = 0; sort < SORTS; sort++)
        for (size_t i = 0; i < cases; i++) {
            double x[4][3];
            make_points(&random, sort, x);
            const double *const points[4] = {x[0], x[1], x[2], x[3]};
            // A threshold a little or much above |u x v|^2, so that the edges count as nearly parallel.
            double u[3], v[3], n[3], c = 0;
            for (int k = 0; k < 3; k++) {
                u[k] = x[1][k] - x[0][k];
                v[k] = x[3][k] - x[2][k];
            }
            for (int k = 0; k < 3; k++) {
                n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
                c += n[k] * n[k];
            }
            j.threshold = c * pow(10, snag__random_range(&random, 0.01, 12));
            judge_case(&j, MOLLIFIER, x, sort);
            assert_true(snag__derive_mollifier(points, 0.9 * c, NULL, NULL) == 1);
            assert_true(snag__derive_mollifier(points, 0, NULL, NULL) == 1);
        }
    judge_clear(&j);
}

// ---- no NaN ----

static double any_double(snag__random *random)
{
    static const double special[] = {0, -0.0, 1, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, -5e-324, 0x1p-537, 0x1p511, 1e-200, 1e200};
    uint64_t choice = snag__random_below(random, 4);
    if (choice == 0)
        return special[snag__random_below(random, sizeof special / sizeof *special)];
    if (choice == 1)
        return (double)snag__random_below(random, 3) - 1;
    double sign = snag__random_u64(random) & 1 ? -1 : 1;
    return sign * ldexp(1 + snag__random_unit(random), (int)snag__random_below(random, 2090) - 1070);
}

static void assert_all_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        assert_true(isfinite(x[i]));
}

static void nothing_is_nan(void **state)
{
    (void)state;
    snag__random random = {25};
    for (size_t i = 0; i < 20000; i++) {
        double x[4][3];
        for (int k = 0; k < 12; k++)
            x[k / 3][k % 3] = any_double(&random);
        // Points that coincide, edges and triangles without extent.
        for (uint64_t repeats = snag__random_below(&random, 4); repeats > 0; repeats--)
            memmove(x[snag__random_below(&random, 4)], x[snag__random_below(&random, 4)], sizeof *x);
        const double *const points[4] = {x[0], x[1], x[2], x[3]};
        double value, gradient[12], hessian[144];
        for (int kind = SNAG_VERTEX_VERTEX; kind <= SNAG_EDGE_EDGE; kind++) {
            snag_contact_kind measured = snag__derive_distance((snag_contact_kind)kind, points, &value, gradient, hessian);
            assert_true(measured <= (snag_contact_kind)kind && value >= 0);
            assert_all_finite(&value, 1);
            assert_all_finite(gradient, 12);
            assert_all_finite(hessian, 144);
        }
        double threshold = fabs(any_double(&random));
        value = snag__derive_mollifier(points, threshold, gradient, hessian);
        assert_true(value >= 0 && value <= 1);
        assert_all_finite(gradient, 12);
        assert_all_finite(hessian, 144);
    }
}

// ---- degenerate features ----

static void degenerate_features_have_a_lower_dimension(void **state)
{
    (void)state;
    const double p[3] = {0.5, 2, 0}, a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {3, 0, 0}, far[3] = {9, 0, 0};
    double squared, gradient[12], hessian[144];
    const double *const segment[4] = {p, a, b, c};
    assert_int_equal(snag__derive_distance(SNAG_VERTEX_FACE, segment, &squared, gradient, hessian), SNAG_VERTEX_EDGE);
    assert_true(squared == 4 && gradient[1] == 4 && gradient[3 * 3 + 1] == 0);
    const double *const point[4] = {p, a, a, a};
    assert_int_equal(snag__derive_distance(SNAG_VERTEX_FACE, point, &squared, gradient, hessian), SNAG_VERTEX_VERTEX);
    assert_true(squared == 4.25);
    const double *const parallel[4] = {a, b, c, far};
    assert_int_equal(snag__derive_distance(SNAG_EDGE_EDGE, parallel, &squared, gradient, hessian), SNAG_VERTEX_VERTEX);
    assert_true(squared == 4 && gradient[3] == -4 && gradient[6] == 4 && gradient[0] == 0);
    const double *const stub[4] = {p, b, b, b};
    assert_int_equal(snag__derive_distance(SNAG_VERTEX_EDGE, stub, &squared, NULL, NULL), SNAG_VERTEX_VERTEX);
    assert_true(squared == 4.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_have_ten_digits),
        cmocka_unit_test(mollifiers_have_ten_digits),
        cmocka_unit_test(nothing_is_nan),
        cmocka_unit_test(degenerate_features_have_a_lower_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
