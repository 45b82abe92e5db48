#include "helpers/rational_impact.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#define DEGREE_MAX 12
#define WIDTH_BITS 80

// ---- polynomials over the rationals ----

typedef struct poly {
    mpq_t c[DEGREE_MAX + 1];
    int degree;  // -1 for zero
} poly;

static void poly_init(poly *p)
{
    for (int i = 0; i <= DEGREE_MAX; i++)
        mpq_init(p->c[i]);
    p->degree = -1;
}

static void poly_clear(poly *p)
{
    for (int i = 0; i <= DEGREE_MAX; i++)
        mpq_clear(p->c[i]);
}

static void poly_trim(poly *p)
{
    p->degree = DEGREE_MAX;
    while (p->degree >= 0 && mpq_sgn(p->c[p->degree]) == 0)
        p->degree--;
}

static void poly_set(poly *out, const poly *a)
{
    for (int i = 0; i <= DEGREE_MAX; i++)
        mpq_set(out->c[i], a->c[i]);
    out->degree = a->degree;
}

// out += sign * a * b
static void poly_add_product(poly *out, const poly *a, const poly *b, int sign)
{
    mpq_t x;
    mpq_init(x);
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++) {
            mpq_mul(x, a->c[i], b->c[j]);
            if (sign > 0)
                mpq_add(out->c[i + j], out->c[i + j], x);
            else
                mpq_sub(out->c[i + j], out->c[i + j], x);
        }
    mpq_clear(x);
    poly_trim(out);
}

static void poly_subtract(poly *out, const poly *a, const poly *b)
{
    for (int i = 0; i <= DEGREE_MAX; i++)
        mpq_sub(out->c[i], a->c[i], b->c[i]);
    poly_trim(out);
}

// quotient (may be NULL) and remainder of a by b
static void poly_divide(poly *quotient, poly *rest, const poly *a, const poly *b)
{
    mpq_t factor, x;
    mpq_inits(factor, x, NULL);
    poly_set(rest, a);
    if (quotient) {
        for (int i = 0; i <= DEGREE_MAX; i++)
            mpq_set_ui(quotient->c[i], 0, 1);
        quotient->degree = -1;
    }
    while (rest->degree >= b->degree) {
        int shift = rest->degree - b->degree;
        mpq_div(factor, rest->c[rest->degree], b->c[b->degree]);
        if (quotient)
            mpq_set(quotient->c[shift], factor);
        for (int i = 0; i <= b->degree; i++) {
            mpq_mul(x, factor, b->c[i]);
            mpq_sub(rest->c[i + shift], rest->c[i + shift], x);
        }
        poly_trim(rest);
    }
    if (quotient)
        poly_trim(quotient);
    mpq_clears(factor, x, NULL);
}

static void poly_derivative(poly *out, const poly *a)
{
    mpq_t x;
    mpq_init(x);
    for (int i = 0; i < DEGREE_MAX; i++) {
        mpq_set_ui(x, (unsigned long)i + 1, 1);
        mpq_mul(out->c[i], a->c[i + 1], x);
    }
    mpq_set_ui(out->c[DEGREE_MAX], 0, 1);
    poly_trim(out);
    mpq_clear(x);
}

static int poly_sign(const poly *p, const mpq_t t)
{
    mpq_t value;
    mpq_init(value);
    for (int i = p->degree; i >= 0; i--) {
        mpq_mul(value, value, t);
        mpq_add(value, value, p->c[i]);
    }
    int sign = mpq_sgn(value);
    mpq_clear(value);
    return sign;
}

// A signed remainder sequence: each term is the negative of the remainder of the two before.
typedef struct sequence {
    poly term[DEGREE_MAX + 2];
    int count;
} sequence;

static void sequence_init(sequence *s, const poly *a, const poly *b)
{
    for (int i = 0; i < DEGREE_MAX + 2; i++)
        poly_init(&s->term[i]);
    poly_set(&s->term[0], a);
    poly_set(&s->term[1], b);
    for (s->count = 1; s->term[s->count].degree >= 0; s->count++) {
        poly *next = &s->term[s->count + 1];
        poly_divide(NULL, next, &s->term[s->count - 1], &s->term[s->count]);
        for (int i = 0; i <= DEGREE_MAX; i++)
            mpq_neg(next->c[i], next->c[i]);
    }
}

static void sequence_clear(sequence *s)
{
    for (int i = 0; i < DEGREE_MAX + 2; i++)
        poly_clear(&s->term[i]);
}

static int changes_at(const sequence *s, const mpq_t t)
{
    int changes = 0, last = 0;
    for (int i = 0; i < s->count; i++) {
        int sign = poly_sign(&s->term[i], t);
        changes += sign * last < 0;
        last = sign ? sign : last;
    }
    return changes;
}

// With b = a' q: the number of roots of a in (l, u) with q > 0 less that with q < 0, where neither end is a root of a
// (Tarski).
static int tarski(const poly *a, const poly *b, const mpq_t l, const mpq_t u)
{
    sequence s;
    sequence_init(&s, a, b);
    int count = changes_at(&s, l) - changes_at(&s, u);
    sequence_clear(&s);
    return count;
}

// out = a without its repeated factors
static void square_free(poly *out, const poly *a)
{
    poly x, y, rest;
    poly_init(&x);
    poly_init(&y);
    poly_init(&rest);
    poly_set(&x, a);
    poly_derivative(&y, a);
    while (y.degree >= 0) {
        poly_divide(NULL, &rest, &x, &y);
        poly_set(&x, &y);
        poly_set(&y, &rest);
    }
    poly_divide(out, &rest, a, &x);
    poly_clear(&x);
    poly_clear(&y);
    poly_clear(&rest);
}

// ---- times: a rational number, or the only root of a polynomial between two ----

typedef struct moment {
    poly of;
    mpq_t l, u;  // equal: the time is rational
} moment;

static void moment_clear(moment *m)
{
    poly_clear(&m->of);
    mpq_clears(m->l, m->u, NULL);
}

static bool is_rational(const moment *m)
{
    return mpq_equal(m->l, m->u) != 0;
}

static int sign_at(const moment *m, const poly *q)
{
    if (is_rational(m))
        return poly_sign(q, m->l);
    poly slope, b;
    poly_init(&slope);
    poly_init(&b);
    poly_derivative(&slope, &m->of);
    poly_add_product(&b, &slope, q, 1);
    int sign = tarski(&m->of, &b, m->l, m->u);
    poly_clear(&slope);
    poly_clear(&b);
    return sign;
}

static void moment_narrow(moment *m)
{
    mpq_t middle, width, limit;
    mpq_inits(middle, width, limit, NULL);
    mpq_set_ui(limit, 1, 1);
    mpq_div_2exp(limit, limit, WIDTH_BITS);
    while (!is_rational(m)) {
        mpq_sub(width, m->u, m->l);
        if (mpq_cmp(width, limit) <= 0)
            break;
        mpq_add(middle, m->l, m->u);
        mpq_div_2exp(middle, middle, 1);
        int at_middle = poly_sign(&m->of, middle);
        if (at_middle == 0) {
            mpq_set(m->l, middle);
            mpq_set(m->u, middle);
        } else if (at_middle == poly_sign(&m->of, m->l)) {
            mpq_set(m->l, middle);
        } else {
            mpq_set(m->u, middle);
        }
    }
    mpq_clears(middle, width, limit, NULL);
}

typedef struct moments {
    moment *items;
    int count, capacity;
} moments;

static void add_moment(moments *list, const poly *of, const mpq_t l, const mpq_t u)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 8;
        list->items = realloc(list->items, (size_t)list->capacity * sizeof *list->items);
        if (list->items == NULL)
            abort();
    }
    moment *m = &list->items[list->count++];
    poly_init(&m->of);
    poly_set(&m->of, of);
    mpq_inits(m->l, m->u, NULL);
    mpq_set(m->l, l);
    mpq_set(m->u, u);
    moment_narrow(m);
}

// All roots of a square-free p strictly between l and u, neither of which is a root, with changes_l and changes_u
// changes of sign there.
static void separate(moments *list, const poly *p, const sequence *s, const mpq_t l, int changes_l, const mpq_t u, int changes_u)
{
    if (changes_l == changes_u)
        return;
    if (changes_l - changes_u == 1) {
        add_moment(list, p, l, u);
        return;
    }
    // A point inside that is not a root: (l + k u) / (1 + k) for some small k.
    mpq_t middle, k;
    mpq_inits(middle, k, NULL);
    for (unsigned long i = 1;; i++) {
        mpq_set_ui(k, i, 1);
        mpq_mul(middle, k, u);
        mpq_add(middle, middle, l);
        mpq_set_ui(k, i + 1, 1);
        mpq_div(middle, middle, k);
        if (poly_sign(p, middle) != 0)
            break;
    }
    int changes = changes_at(s, middle);
    separate(list, p, s, l, changes_l, middle, changes);
    separate(list, p, s, middle, changes, u, changes_u);
    mpq_clears(middle, k, NULL);
}

// All roots of p in [0, 1].
static void add_roots(moments *list, const poly *p)
{
    if (p->degree < 1)
        return;
    poly simple;
    mpq_t l, u;
    poly_init(&simple);
    mpq_inits(l, u, NULL);
    square_free(&simple, p);
    int before = list->count;
    // Ends a little outside that are no roots; roots outside [0, 1] are thrown out afterwards.
    for (int i = 0; i == 0 || poly_sign(&simple, l) == 0 || poly_sign(&simple, u) == 0; i++) {
        mpq_set_si(l, -1, (unsigned long)i + 3);
        mpq_set_si(u, i + 4, (unsigned long)i + 3);
        mpq_canonicalize(l);
        mpq_canonicalize(u);
    }
    poly slope;
    sequence s;
    poly_init(&slope);
    poly_derivative(&slope, &simple);
    sequence_init(&s, &simple, &slope);
    separate(list, &simple, &s, l, changes_at(&s, l), u, changes_at(&s, u));
    sequence_clear(&s);
    poly_clear(&slope);
    mpq_set_ui(l, 0, 1);
    mpq_set_ui(u, 1, 1);
    for (int i = before; i < list->count;) {
        moment *m = &list->items[i];
        // The ends 0 and 1 may be the roots themselves.
        if (!is_rational(m)) {
            const mpq_t *ends[2] = {&l, &u};
            for (int e = 0; e < 2; e++)
                if (mpq_cmp(m->l, *ends[e]) < 0 && mpq_cmp(*ends[e], m->u) < 0 && poly_sign(&m->of, *ends[e]) == 0) {
                    mpq_set(m->l, *ends[e]);
                    mpq_set(m->u, *ends[e]);
                    break;
                }
        }
        bool outside = mpq_cmp(m->u, l) < 0 || mpq_cmp(m->l, u) > 0;
        if (!outside && !is_rational(m)) {
            // A root that is not 0 or 1 but whose interval holds that end: on which side is it?
            poly t;
            poly_init(&t);
            mpq_set_ui(t.c[1], 1, 1);
            poly_trim(&t);
            outside = sign_at(m, &t) < 0;
            mpq_set_si(t.c[0], -1, 1);
            outside = outside || sign_at(m, &t) > 0;
            poly_clear(&t);
        }
        if (outside) {
            moment_clear(m);
            list->items[i] = list->items[--list->count];
        } else {
            i++;
        }
    }
    poly_clear(&simple);
    mpq_clears(l, u, NULL);
}

// ---- the geometry ----

typedef struct vec {
    poly v[3];
} vec;

static void vec_init(vec *a)
{
    for (int k = 0; k < 3; k++)
        poly_init(&a->v[k]);
}

static void vec_clear(vec *a)
{
    for (int k = 0; k < 3; k++)
        poly_clear(&a->v[k]);
}

static void vec_subtract(vec *out, const vec *a, const vec *b)
{
    for (int k = 0; k < 3; k++)
        poly_subtract(&out->v[k], &a->v[k], &b->v[k]);
}

static void vec_cross(vec *out, const vec *a, const vec *b)
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        poly_add_product(&out->v[k], &a->v[l], &b->v[m], 1);
        poly_add_product(&out->v[k], &a->v[m], &b->v[l], -1);
    }
}

static void vec_dot(poly *out, const vec *a, const vec *b)
{
    for (int k = 0; k < 3; k++)
        poly_add_product(out, &a->v[k], &b->v[k], 1);
}

enum {
    VOLUME,
    NORMAL_SQUARED,
    FIRST_WEIGHT,
    WEIGHTS = 4,
    FIRST_OFF = FIRST_WEIGHT + WEIGHTS,
    FIRST_ALONG = FIRST_OFF + 4,
    POLYS = FIRST_ALONG + 4
};

// Which vertex may lie on which segment when the normal is zero.
static const int on_segment[2][4][3] = {{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {-1, 0, 0}},
                                        {{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}}};

typedef struct scene {
    bool edges;
    poly p[POLYS];
} scene;

static void make_weights(scene *s, const vec x[4])
{
    vec a, b, c, n, cb, ca;
    vec *all[6] = {&a, &b, &c, &n, &cb, &ca};
    for (int i = 0; i < 6; i++)
        vec_init(all[i]);
    poly first, second;
    poly_init(&first);
    poly_init(&second);
    if (s->edges) {
        vec_subtract(&a, &x[1], &x[0]);
        vec_subtract(&b, &x[3], &x[2]);
        vec_subtract(&c, &x[2], &x[0]);
    } else {
        vec_subtract(&a, &x[2], &x[1]);
        vec_subtract(&b, &x[3], &x[1]);
        vec_subtract(&c, &x[0], &x[1]);
    }
    vec_cross(&n, &a, &b);
    vec_cross(&cb, &c, &b);
    if (s->edges)
        vec_cross(&ca, &c, &a);
    else
        vec_cross(&ca, &a, &c);
    vec_dot(&s->p[VOLUME], &n, &c);
    vec_dot(&s->p[NORMAL_SQUARED], &n, &n);
    vec_dot(&first, &cb, &n);
    vec_dot(&second, &ca, &n);
    poly_set(&s->p[FIRST_WEIGHT], &first);
    poly_set(&s->p[FIRST_WEIGHT + 1], &second);
    poly_subtract(&s->p[FIRST_WEIGHT + 2], &s->p[NORMAL_SQUARED], &first);
    if (s->edges) {
        poly_subtract(&s->p[FIRST_WEIGHT + 3], &s->p[NORMAL_SQUARED], &second);
    } else {
        poly_subtract(&s->p[FIRST_WEIGHT + 2], &s->p[FIRST_WEIGHT + 2], &second);
        poly_set(&s->p[FIRST_WEIGHT + 3], &s->p[FIRST_WEIGHT + 2]);
    }
    poly_clear(&first);
    poly_clear(&second);
    for (int i = 0; i < 6; i++)
        vec_clear(all[i]);
}

// How far off the line of a segment its vertex is, and whether beyond its ends.
static void make_segments(scene *s, const vec x[4])
{
    for (int i = 0; i < 4 && on_segment[s->edges][i][0] >= 0; i++) {
        const int *k = on_segment[s->edges][i];
        vec from, to, cross;
        vec_init(&from);
        vec_init(&to);
        vec_init(&cross);
        vec_subtract(&from, &x[k[0]], &x[k[1]]);
        vec_subtract(&to, &x[k[0]], &x[k[2]]);
        vec_cross(&cross, &from, &to);
        vec_dot(&s->p[FIRST_OFF + i], &cross, &cross);
        vec_dot(&s->p[FIRST_ALONG + i], &from, &to);
        vec_clear(&from);
        vec_clear(&to);
        vec_clear(&cross);
    }
}

static void scene_init(scene *s, bool edges, const double t0[4][3], const double t1[4][3])
{
    vec x[4];
    s->edges = edges;
    for (int i = 0; i < POLYS; i++)
        poly_init(&s->p[i]);
    for (int i = 0; i < 4; i++) {
        vec_init(&x[i]);
        for (int k = 0; k < 3; k++) {
            poly *p = &x[i].v[k];
            mpq_set_d(p->c[0], t0[i][k]);
            mpq_set_d(p->c[1], t1[i][k]);
            mpq_sub(p->c[1], p->c[1], p->c[0]);
            poly_trim(p);
        }
    }
    make_weights(s, x);
    make_segments(s, x);
    for (int i = 0; i < 4; i++)
        vec_clear(&x[i]);
}

static bool meets_at(const scene *s, const moment *m)
{
    if (sign_at(m, &s->p[NORMAL_SQUARED]) > 0) {
        if (sign_at(m, &s->p[VOLUME]) != 0)
            return false;
        for (int i = 0; i < WEIGHTS; i++)
            if (sign_at(m, &s->p[FIRST_WEIGHT + i]) < 0)
                return false;
        return true;
    }
    for (int i = 0; i < 4 && on_segment[s->edges][i][0] >= 0; i++)
        if (sign_at(m, &s->p[FIRST_OFF + i]) == 0 && sign_at(m, &s->p[FIRST_ALONG + i]) <= 0)
            return true;
    return false;
}

static int by_time(const void *a, const void *b)
{
    return mpq_cmp(((const moment *)a)->l, ((const moment *)b)->l);
}

// In a motion within one plane the answer can change at any root, and only there: the times between are looked at too.
static void add_times_between(moments *list)
{
    poly none;
    mpq_t middle;
    poly_init(&none);
    mpq_init(middle);
    qsort(list->items, (size_t)list->count, sizeof *list->items, by_time);
    int count = list->count;
    for (int i = 0; i + 1 < count; i++) {
        if (mpq_cmp(list->items[i].u, list->items[i + 1].l) >= 0)
            continue;
        mpq_add(middle, list->items[i].u, list->items[i + 1].l);
        mpq_div_2exp(middle, middle, 1);
        add_moment(list, &none, middle, middle);
    }
    poly_clear(&none);
    mpq_clear(middle);
}

static double not_above(const mpq_t q)
{
    double d = mpq_get_d(q);  // towards zero
    return mpq_sgn(q) < 0 ? nextafter(d, -INFINITY) : d;
}

static double not_below(const mpq_t q)
{
    double d = mpq_get_d(q);
    mpq_t back;
    mpq_init(back);
    mpq_set_d(back, d);
    if (mpq_cmp(back, q) < 0)
        d = nextafter(d, INFINITY);
    mpq_clear(back);
    return d;
}

bool rational_impact_first(bool edges, const double t0[4][3], const double t1[4][3], double *low, double *high)
{
    scene s;
    moments list = {0};
    poly none;
    mpq_t end;
    scene_init(&s, edges, t0, t1);
    poly_init(&none);
    mpq_init(end);
    add_moment(&list, &none, end, end);
    if (s.p[VOLUME].degree >= 0) {
        add_roots(&list, &s.p[VOLUME]);
    } else {
        mpq_set_ui(end, 1, 1);
        add_moment(&list, &none, end, end);
        for (int i = 0; i < POLYS; i++)
            add_roots(&list, &s.p[i]);
        add_times_between(&list);
    }
    qsort(list.items, (size_t)list.count, sizeof *list.items, by_time);
    bool found = false;
    for (int i = 0; i < list.count && !found; i++) {
        found = meets_at(&s, &list.items[i]);
        *low = not_above(list.items[i].l);
        *high = not_below(list.items[i].u);
    }
    for (int i = 0; i < list.count; i++)
        moment_clear(&list.items[i]);
    free(list.items);
    for (int i = 0; i < POLYS; i++)
        poly_clear(&s.p[i]);
    poly_clear(&none);
    mpq_clear(end);
    return found;
}
