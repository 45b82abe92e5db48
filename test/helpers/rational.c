#include "helpers/rational.h"

#include <gmp.h>

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
