// Impacts without a separation: the cubic in floating point with error bounds where that decides, integers elsewhere.
//
// The two sides can meet only when the four points are coplanar: f(t) = det(A, B, C) = 0, where A and B span the triangle (or are the
// edges) and C leads from one side to the other. f is a cubic whose Bernstein coefficients are sums of determinants of the differences
// at t0 and t1. Between its critical points and its inflection the Bernstein coefficients of f are monotone, so signs prove the
// absence of roots, and a root is enclosed in an interval of a few roundings. The weights of the contact, as polynomials of degree 4
// without a division, are then evaluated there with a bound that covers the interval. What this leaves undecided goes to
// impact_exact.c.
#include "geom/impact_inside.h"

#include "geom/impact_bounds.h"

#include "base/assert.h"
#include "base/clamp.h"
#include "base/vec3.h"

#include <math.h>
#include <string.h>

#define NEWTON_STEPS 60
// Of the normal of a contact, in relative coordinates: cross products with a smaller squared sine are unclear; closest points with a
// smaller squared distance give no line; a plane's normal at more than 60 degrees to that line is not taken.
#define LEAST_SINE_SQUARED 0x1p-60
#define LEAST_APART_SQUARED 0x1p-52
#define LEAST_COSINE 0.5

// ---- canonical order: the same bits whatever the order of vertices and sides ----

static int compare_points(const snag__motion *motion, int i, int j)
{
    for (int k = 0; k < 3; k++)
        if (motion->t0[i][k] != motion->t0[j][k])
            return motion->t0[i][k] < motion->t0[j][k] ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (motion->t1[i][k] != motion->t1[j][k])
            return motion->t1[i][k] < motion->t1[j][k] ? -1 : 1;
    return 0;
}

static void order_two(const snag__motion *motion, int place[4], int i, int j)
{
    if (compare_points(motion, place[i], place[j]) > 0) {
        int swap = place[i];
        place[i] = place[j];
        place[j] = swap;
    }
}

// Sorts the points of a motion by their coordinates: point i of `ordered` is point place[i]. Returns whether the sides are exchanged
// (edges only).
static bool put_in_order(const snag__motion *motion, snag__motion *ordered, int place[4])
{
    bool exchanged = false;
    for (int i = 0; i < 4; i++)
        place[i] = i;
    if (motion->pair == SNAG__IMPACT_EDGE_EDGE) {
        order_two(motion, place, 0, 1);
        order_two(motion, place, 2, 3);
        int first = compare_points(motion, place[0], place[2]);
        exchanged = first > 0 || (first == 0 && compare_points(motion, place[1], place[3]) > 0);
        if (exchanged) {
            int swap[4] = {place[2], place[3], place[0], place[1]};
            memcpy(place, swap, sizeof swap);
        }
    } else {
        order_two(motion, place, 1, 2);
        order_two(motion, place, 2, 3);
        order_two(motion, place, 1, 2);
    }
    ordered->pair = motion->pair;
    for (int i = 0; i < 4; i++) {
        memcpy(ordered->t0[i], motion->t0[place[i]], sizeof ordered->t0[i]);
        memcpy(ordered->t1[i], motion->t1[place[i]], sizeof ordered->t1[i]);
    }
    return exchanged;
}

// ---- the cubic ----

typedef struct frame {
    double a[2][3], b[2][3], c[2][3];  // at t0 and t1
    double length[3];  // of a, b, c, the larger of both ends and rounded up
    bool edges;
} frame;

static double longer(double v[2][3])
{
    return sqrt(fmax(snag__vec3_dot(v[0], v[0]), snag__vec3_dot(v[1], v[1]))) * (1 + 0x1p-49);
}

static void make_frame(const snag__motion *m, frame *f)
{
    f->edges = m->pair == SNAG__IMPACT_EDGE_EDGE;
    int a_to = f->edges ? 1 : 2, a_from = f->edges ? 0 : 1, b_from = f->edges ? 2 : 1, c_to = f->edges ? 2 : 0;
    for (int end = 0; end < 2; end++) {
        const double(*x)[3] = end == 0 ? m->t0 : m->t1;
        for (int k = 0; k < 3; k++) {
            f->a[end][k] = x[a_to][k] - x[a_from][k];
            f->b[end][k] = x[3][k] - x[b_from][k];
            f->c[end][k] = x[c_to][k] - x[a_from][k];
        }
    }
    f->length[0] = longer(f->a);
    f->length[1] = longer(f->b);
    f->length[2] = longer(f->c);
}

typedef struct cubic {
    double f[4];  // Bernstein coefficients over 0..1
    double bound;  // error bound of these, of any value, and of the coefficients over any part of 0..1
} cubic;

static void make_cubic(const frame *f, cubic *q)
{
    double n0[3], n2[3], ab[3], ba[3], n1[3];
    snag__vec3_cross(f->a[0], f->b[0], n0);
    snag__vec3_cross(f->a[1], f->b[1], n2);
    snag__vec3_cross(f->a[0], f->b[1], ab);
    snag__vec3_cross(f->a[1], f->b[0], ba);
    for (int k = 0; k < 3; k++)
        n1[k] = ab[k] + ba[k];
    q->f[0] = snag__vec3_dot(n0, f->c[0]);
    q->f[1] = (snag__vec3_dot(n0, f->c[1]) + snag__vec3_dot(n1, f->c[0])) * (1.0 / 3);
    q->f[2] = (snag__vec3_dot(n2, f->c[0]) + snag__vec3_dot(n1, f->c[1])) * (1.0 / 3);
    q->f[3] = snag__vec3_dot(n2, f->c[1]);
    q->bound = SNAG__CUBIC_BOUND * f->length[0] * f->length[1] * f->length[2];
}

// The blossom (polar form) of the cubic: at t, t, t its value; at s, s, e etc. its coefficients over s..e.
static double blossom(const cubic *q, double r, double s, double t)
{
    double x0 = q->f[0] + r * (q->f[1] - q->f[0]), x1 = q->f[1] + r * (q->f[2] - q->f[1]);
    double x2 = q->f[2] + r * (q->f[3] - q->f[2]);
    double y0 = x0 + s * (x1 - x0), y1 = x1 + s * (x2 - x1);
    return y0 + t * (y1 - y0);
}

static double value_and_slope(const cubic *q, double t, double *slope)
{
    double x0 = q->f[0] + t * (q->f[1] - q->f[0]), x1 = q->f[1] + t * (q->f[2] - q->f[1]);
    double x2 = q->f[2] + t * (q->f[3] - q->f[2]);
    double y0 = x0 + t * (x1 - x0), y1 = x1 + t * (x2 - x1);
    *slope = 3 * (y1 - y0);
    return y0 + t * (y1 - y0);
}

// The sign of a number with this error bound; 0 if undecided.
static int sure_sign(double x, double bound)
{
    return (x > bound) - (x < -bound);
}

// The sign of the cubic all over s..e, or 0 if that is not proven.
static int sign_over(const cubic *q, double s, double e)
{
    int sign = sure_sign(blossom(q, s, s, s), q->bound);
    if (sign == sure_sign(blossom(q, e, e, e), q->bound) && sign == sure_sign(blossom(q, s, s, e), q->bound) &&
        sign == sure_sign(blossom(q, s, e, e), q->bound))
        return sign;
    return 0;
}

// ---- roots ----

typedef struct enclosure {
    double low, middle, high;
} enclosure;

// Encloses the root between s and e, where the cubic has different, certain signs and is monotone. False if the enclosure is not
// narrow, or if there is no proof that the rest has no root.
static bool enclose_root(const cubic *q, double s, double e, enclosure *root)
{
    double at_s = blossom(q, s, s, s), at_e = blossom(q, e, e, e);
    double from = s, to = e, slope, t = s + (e - s) * (at_s / (at_s - at_e));
    int sign = sure_sign(at_s, q->bound);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        double value = value_and_slope(q, t, &slope);
        if ((value > 0) == (sign > 0))
            from = t;
        else
            to = t;
        double next = t - value / slope;
        if (fabs(value) <= q->bound) {  // as near as values can tell: the last step is the best guess
            t = next >= from && next <= to ? next : t;
            break;
        }
        t = next > from && next < to ? next : (from + to) / 2;
    }
    for (double half = fmax(2 * q->bound / fabs(slope), 0x1p-52); half <= SNAG__WIDEST_ENCLOSURE; half *= 4) {
        double low = fmax(s, t - half), high = fmin(e, t + half);
        if (sure_sign(blossom(q, low, low, low), q->bound) != sign || sure_sign(blossom(q, high, high, high), q->bound) != -sign)
            continue;
        *root = (enclosure){low, t, high};
        return sign_over(q, s, low) == sign && sign_over(q, high, e) == -sign;
    }
    return false;
}

static void insert(double cuts[6], int *count, double t)
{
    if (!(t > 0 && t < 1))
        return;
    int i = (*count)++;
    for (; cuts[i - 1] > t; i--)
        cuts[i] = cuts[i - 1];
    cuts[i] = t;
}

// Splits 0..1 near the zeros of f' and f''. Any split is right; with these the pieces are decided.
static int split_at_extrema(const cubic *q, double cuts[6])
{
    double d0 = q->f[1] - q->f[0], d1 = q->f[2] - q->f[1], d2 = q->f[3] - q->f[2];
    int count = 1;
    cuts[0] = 0;
    bool monotone = (d0 >= 0 && d1 >= 0 && d2 >= 0) || (d0 <= 0 && d1 <= 0 && d2 <= 0);
    if (!monotone) {
        double a = d0 - 2 * d1 + d2, half = d1 - d0;
        insert(cuts, &count, -half / a);
        double inside = half * half - a * d0;
        if (inside > 0) {
            double sum = -(half + copysign(sqrt(inside), half));
            insert(cuts, &count, sum / a);
            insert(cuts, &count, d0 / sum);
        }
    }
    cuts[count] = 1;
    return count;
}

// ---- weights ----

// Whether the contact at the root is inside (1) or outside (-1) of the features; 0 if undecided.
static int inside_at(const frame *f, const enclosure *root)
{
    double a[3], b[3], c[3], n[3], cb[3], ca[3], t = root->middle;
    for (int k = 0; k < 3; k++) {
        a[k] = f->a[0][k] + t * (f->a[1][k] - f->a[0][k]);
        b[k] = f->b[0][k] + t * (f->b[1][k] - f->b[0][k]);
        c[k] = f->c[0][k] + t * (f->c[1][k] - f->c[0][k]);
    }
    snag__vec3_cross(a, b, n);
    snag__vec3_cross(c, b, cb);
    snag__vec3_cross(c, a, ca);
    double whole = snag__vec3_dot(n, n), u = snag__vec3_dot(cb, n), v = snag__vec3_dot(ca, n);
    double weight[4] = {u, whole - u, v, whole - v};
    if (!f->edges) {
        weight[1] = whole - u + v;
        weight[2] = weight[3] = -v;
    }
    double least = fmin(fmin(weight[0], weight[1]), fmin(weight[2], weight[3]));
    double ab = f->length[0] * f->length[1], width = fmax(root->high - t, t - root->low);
    double largest = fmax(ab, f->length[2] * fmax(f->length[0], f->length[1]));
    return sure_sign(least, (SNAG__WEIGHT_BOUND + SNAG__WEIGHT_SLOPE * width) * ab * largest);
}

// ---- the answer ----

typedef enum outcome { FREE, MEETS, OPEN } outcome;

// Sets t if they meet, and `exact` if integers refined it. A pair that is free up to some time after `until` counts as free.
static outcome decide_in_doubles(const snag__motion *motion, double until, double *t, bool *exact)
{
    frame f;
    cubic q;
    make_frame(motion, &f);
    for (int i = 0; i < 3; i++)
        if (!(f.length[i] >= SNAG__LENGTH_LOW && f.length[i] <= SNAG__LENGTH_HIGH))
            return OPEN;
    make_cubic(&f, &q);
    double cuts[6];
    int pieces = split_at_extrema(&q, cuts);
    for (int i = 0; i < pieces; i++) {
        double s = cuts[i], e = cuts[i + 1];
        if (s > until)
            break;
        if (sign_over(&q, s, e) != 0)
            continue;
        enclosure root;
        int at_s = sure_sign(blossom(&q, s, s, s), q.bound), at_e = sure_sign(blossom(&q, e, e, e), q.bound);
        if (at_s * at_e >= 0 || !enclose_root(&q, s, e, &root))
            return OPEN;
        int inside = inside_at(&f, &root);
        if (inside == 0)
            return OPEN;
        if (inside > 0) {
            *exact = root.high - root.low > SNAG__SHARP_WIDTH;
            *t = *exact ? snag__impact_exact_time(motion, root.low, root.high) : root.low;
            return MEETS;
        }
    }
    return FREE;
}

snag__impact snag__impact_find_until(const snag__motion *motion, double separation, double tolerance, double until)
{
    SNAG__ASSERT(separation >= 0 && isfinite(separation) && tolerance >= 0);
    snag__motion ordered;
    int place[4];
    put_in_order(motion, &ordered, place);
    const snag__impact free_pair = {.verdict = SNAG__IMPACT_FREE, .t = 1};
    snag__impact impact = free_pair;
    if (separation > 0) {
        impact = snag__impact_gap(&ordered, separation, tolerance);
        bool unresolved = impact.verdict == SNAG__IMPACT_UNRESOLVED;
        if ((unresolved && snag__impact_hulls_apart(&ordered, separation)) ||
            (impact.verdict == SNAG__IMPACT_MEETS && snag__impact_bounds_drop(&ordered, separation, tolerance)))
            return free_pair;
        return impact;
    }
    switch (decide_in_doubles(&ordered, until, &impact.t, &impact.exact)) {
    case FREE: return impact;
    case MEETS: impact.verdict = SNAG__IMPACT_MEETS; return impact;
    case OPEN: break;
    }
    impact = snag__impact_exact(&ordered);
    if (impact.verdict == SNAG__IMPACT_UNRESOLVED && snag__impact_hulls_apart(&ordered, 0))
        return (snag__impact){.verdict = SNAG__IMPACT_FREE, .t = 1, .exact = true};
    return impact;
}

snag__impact snag__impact_find(const snag__motion *motion, double separation, double tolerance)
{
    return snag__impact_find_until(motion, separation, tolerance, 1);
}

// ---- where and how ----

static bool normalize(double v[3])
{
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest > 0))
        return false;
    int exponent;
    frexp(largest, &exponent);
    for (int k = 0; k < 3; k++)
        v[k] = ldexp(v[k], -exponent);
    double length = snag__vec3_length(v);
    for (int k = 0; k < 3; k++)
        v[k] /= length;
    return true;
}

// The normal of the triangle or of both edges at time t. False if it is unclear.
static bool plane_normal(const snag__relative *relative, double t, double n[3])
{
    bool edges = relative->pair == SNAG__IMPACT_EDGE_EDGE;
    double x[3][3], a[3], b[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] = relative->t0[i][k] + t * (relative->t1[i][k] - relative->t0[i][k]);
    for (int k = 0; k < 3; k++) {
        a[k] = edges ? x[0][k] : x[1][k] - x[0][k];
        b[k] = edges ? x[2][k] - x[1][k] : x[2][k] - x[0][k];
    }
    snag__vec3_cross(a, b, n);
    return snag__vec3_dot(n, n) > LEAST_SINE_SQUARED * snag__vec3_dot(a, a) * snag__vec3_dot(b, b) && normalize(n);
}

// The velocity of a's contact point relative to b's.
static void contact_velocity(const snag__relative *relative, const double weight[4], double velocity[3])
{
    bool edges = relative->pair == SNAG__IMPACT_EDGE_EDGE;
    for (int k = 0; k < 3; k++) {
        double v[3];
        for (int i = 0; i < 3; i++)
            v[i] = relative->t1[i][k] - relative->t0[i][k];
        velocity[k] = edges ? weight[1] * v[0] - (weight[2] * v[1] + weight[3] * v[2])
                            : -(weight[0] * v[0] + weight[1] * v[1] + weight[2] * v[2]);
    }
}

// From b towards a just before t.
static void find_normal(const snag__relative *relative, double t, const double weight[4], double normal[3])
{
    // The line between the closest points, at t or at the latest time before where there is one.
    static const double back[] = {0, 0x1p-30, 0x1p-20, 0x1p-10, 1};
    double apart[3], other_weight[4], before = t;
    bool has_apart = false;
    for (int i = 0; i < 5 && !has_apart && before > 0; i++) {
        before = snag__not_negative(t - back[i]);
        snag__relative_closest(relative, before, other_weight, apart);
        has_apart = snag__vec3_dot(apart, apart) > LEAST_APART_SQUARED && normalize(apart);
    }
    bool has_plane = plane_normal(relative, t, normal);
    if (has_plane && has_apart) {
        double along = snag__vec3_dot(normal, apart);
        if (fabs(along) > LEAST_COSINE && before < t) {
            for (int k = 0; k < 3; k++)
                normal[k] = copysign(1, along) * normal[k];
            return;
        }
    }
    if (has_apart) {
        memcpy(normal, apart, sizeof apart);
        return;
    }
    // They touch from the start: the normal opposes the motion.
    double velocity[3];
    contact_velocity(relative, weight, velocity);
    if (has_plane) {
        if (snag__vec3_dot(velocity, normal) > 0)
            for (int k = 0; k < 3; k++)
                normal[k] = -normal[k];
        return;
    }
    for (int k = 0; k < 3; k++)
        normal[k] = -velocity[k];
    if (!normalize(normal))
        memset(normal, 0, 3 * sizeof *normal);
}

static double between(double x0, double x1, double t)
{
    return x0 * (1 - t) + x1 * t;
}

void snag__impact_describe(const snag__motion *motion, double t, snag__impact_details *details)
{
    SNAG__ASSERT(t >= 0 && t <= 1);
    snag__motion ordered;
    int place[4];
    bool exchanged = put_in_order(motion, &ordered, place);
    snag__relative relative;
    double weight[4], apart[3];
    snag__relative_of(&ordered, &relative);
    snag__relative_closest(&relative, t, weight, apart);
    find_normal(&relative, t, weight, details->normal);
    if (exchanged)
        for (int k = 0; k < 3; k++)
            details->normal[k] = -details->normal[k];

    bool edges = motion->pair == SNAG__IMPACT_EDGE_EDGE;
    int first = edges ? 0 : 1;
    memset(details->weight, 0, sizeof details->weight);
    for (int i = first; i < 4; i++)
        details->weight[place[i] - first] = weight[i - first];
    for (int k = 0; k < 3; k++) {
        double x[4];
        for (int i = 0; i < 4; i++)
            x[i] = between(motion->t0[i][k], motion->t1[i][k], t);
        const double *w = details->weight;
        details->point_a[k] = edges ? w[0] * x[0] + w[1] * x[1] : x[0];
        details->point_b[k] = edges ? w[2] * x[2] + w[3] * x[3] : w[0] * x[1] + w[1] * x[2] + w[2] * x[3];
    }
}

void snag__motion_gather(snag__impact_pair pair, const snag__impact_side *side_a, const snag__impact_side *side_b, uint32_t a,
                         uint32_t b, snag__motion *motion)
{
    bool edges = pair == SNAG__IMPACT_EDGE_EDGE;
    SNAG__ASSERT(side_b->elements != NULL && (!edges || side_a->elements != NULL));
    motion->pair = pair;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t v;
        if (edges)
            v = i < 2 ? side_a->elements[2 * (size_t)a + i] : side_b->elements[2 * (size_t)b + i - 2];
        else
            v = i == 0 ? a : side_b->elements[3 * (size_t)b + i - 1];
        const snag__impact_side *side = i < (edges ? 2u : 1u) ? side_a : side_b;
        memcpy(motion->t0[i], side->x_t0[v], sizeof motion->t0[i]);
        memcpy(motion->t1[i], side->x_t1[v], sizeof motion->t1[i]);
    }
}

void snag__impact_run_motion(const snag__impact_run *run, size_t i, snag__motion *motion)
{
    SNAG__ASSERT(run->a_column < 2);
    const uint32_t *pair = run->pairs[i];
    snag__motion_gather(run->pair, &run->a, &run->b, pair[run->a_column], pair[1 - run->a_column], motion);
}

SNAG__DECLARE_KERNELS(snag__impact_kernels, snag__impact_kernels);

const snag__impact_kernels *snag__impact_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__impact_kernels, isa)
}
