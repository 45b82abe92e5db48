// Distances in double with forward error bounds; distance_exact.c decides what these leave in doubt. See distance.h.
#include "geom/distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "geom/distance_bounds.h"
#include "geom/distance_exact.h"

#define LEAST SNAG__DISTANCE_LEAST
#define MOST SNAG__DISTANCE_MOST
#define U SNAG__U
// A measure whose error bound is above this goes to integers; bounds exceed errors by a factor of ten to a thousand.
#define TOLERANCE SNAG__DISTANCE_TOLERANCE

SNAG__DECLARE_KERNELS(snag__distance_kernels, snag__distance_kernels);

const snag__distance_kernels *snag__distance_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__distance_kernels, isa)
}

// ---- vectors ----

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

// Adding 0 makes -0 to 0, so that equal points give equal bits.
static inline void difference(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (a[k] - b[k]) + 0.0;
}

static inline double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double largest(const double a[3])
{
    return larger(larger(fabs(a[0]), fabs(a[1])), fabs(a[2]));
}

static inline double unit_interval(double x)
{
    return x > 0 ? smaller(x, 1) : 0;
}

// ---- which features: signs with an error bound; 0 where one is in doubt ----

static uint32_t vertex_triangle_feature_fast(const double p[3], const double *const x[3])
{
    double to_p[3][3], edge[3][3];  // edge i runs from corner i to corner i + 1
    double size = 0;
    for (int i = 0; i < 3; i++) {
        difference(p, x[i], to_p[i]);
        difference(x[i == 2 ? 0 : i + 1], x[i], edge[i]);
        size = larger(size, larger(largest(to_p[i]), largest(edge[i])));
    }
    if (!(size > LEAST && size < MOST))
        return 0;
    double n[3], m[3], side[3], error[3];
    cross(edge[0], edge[1], n);
    double n_size = largest(n);
    for (int i = 0; i < 3; i++) {
        cross(edge[i], to_p[i], m);
        side[i] = dot(n, m);
        error[i] = SNAG__SIDE_ERROR(size, n_size, largest(m));
    }
    if (side[0] > error[0] && side[1] > error[1] && side[2] > error[2])
        return 7;

    const double doubt = SNAG__DOT_ERROR(size);
    double forth[3], back[3];  // along edge i from its first corner, and from its second
    for (int i = 0; i < 3; i++) {
        int next = i == 2 ? 0 : i + 1;
        forth[i] = dot(to_p[i], edge[i]);
        back[i] = -dot(to_p[next], edge[i]);
        if (side[i] < -error[i] && forth[i] > doubt && back[i] > doubt)
            return 1u << i | 1u << next;
    }
    for (int i = 0; i < 3; i++)
        if (forth[i] < -doubt && back[i == 0 ? 2 : i - 1] < -doubt)
            return 1u << i;
    return 0;
}

static uint32_t edge_edge_feature_fast(const double *const a[2], const double *const b[2])
{
    double e[3], g[3], gap[2][2][3];  // gap: end of a minus end of b
    difference(a[1], a[0], e);
    difference(b[1], b[0], g);
    double size = larger(largest(e), largest(g));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            difference(a[i], b[j], gap[i][j]);
            size = larger(size, largest(gap[i][j]));
        }
    if (!(size > LEAST && size < MOST))
        return 0;
    // past_a[i] > 0: the lines are closest beyond end i of a; likewise past_b. Below 0: before it, inside as seen from
    // it.
    double n[3], m[3], past_a[2], past_b[2], error_a[2], error_b[2];
    cross(e, g, n);
    double n_size = largest(n);
    for (int i = 0; i < 2; i++) {
        cross(gap[i][0], g, m);
        past_a[i] = i == 0 ? dot(m, n) : -dot(m, n);
        error_a[i] = SNAG__SIDE_ERROR(size, n_size, largest(m));
        cross(gap[0][i], e, m);
        past_b[i] = i == 0 ? dot(m, n) : -dot(m, n);
        error_b[i] = SNAG__SIDE_ERROR(size, n_size, largest(m));
    }
    if (past_a[0] < -error_a[0] && past_a[1] < -error_a[1] && past_b[0] < -error_b[0] && past_b[1] < -error_b[1])
        return 15;

    const double doubt = SNAG__DOT_ERROR(size);
    double along_e[2][2], along_g[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            along_e[i][j] = dot(gap[i][j], e);
            along_g[i][j] = dot(gap[i][j], g);
        }
    for (int i = 0; i < 2; i++) {
        if (past_a[i] > error_a[i] && along_g[i][0] > doubt && along_g[i][1] < -doubt)
            return 1u << i | 12u;
        if (past_b[i] > error_b[i] && along_e[0][i] < -doubt && along_e[1][i] > doubt)
            return 3u | 4u << i;
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if ((i == 0 ? along_e[i][j] > doubt : along_e[i][j] < -doubt) &&
                (j == 0 ? along_g[i][j] < -doubt : along_g[i][j] > doubt))
                return 1u << i | 4u << j;
    return 0;
}

uint32_t snag__vertex_triangle_feature(const double p[3], const double *const triangle[3], bool *exact)
{
    uint32_t feature = vertex_triangle_feature_fast(p, triangle);
    if (feature == 0) {
        *exact = true;
        feature = snag__vertex_triangle_feature_exact(p, triangle);
    }
    return feature;
}

uint32_t snag__edge_edge_feature(const double *const a[2], const double *const b[2], bool *exact)
{
    uint32_t feature = edge_edge_feature_fast(a, b);
    if (feature == 0) {
        *exact = true;
        feature = snag__edge_edge_feature_exact(a, b);
    }
    return feature;
}

uint32_t snag__vertex_edge_feature(const double p[3], const double *const edge[2], bool *exact)
{
    double g[3], gap[2][3];
    difference(edge[1], edge[0], g);
    difference(p, edge[0], gap[0]);
    difference(p, edge[1], gap[1]);
    double size = larger(largest(g), larger(largest(gap[0]), largest(gap[1])));
    if (size > LEAST && size < MOST) {
        const double doubt = SNAG__DOT_ERROR(size), past[2] = {-dot(gap[0], g), dot(gap[1], g)};
        if (past[0] > doubt || past[1] > doubt)
            return past[0] > doubt ? 1 : 2;
        if (past[0] < -doubt && past[1] < -doubt)
            return 3;
    }
    *exact = true;
    return snag__edge_edge_feature_exact((const double *const[2]){p, p}, edge) >> 2;
}

bool snag__vertex_edge_is_farther(const double p[3], const double *const edge[2], double d)
{
    double g[3], q[3];
    difference(edge[1], edge[0], g);
    difference(p, edge[0], q);
    double size = larger(largest(g), largest(q)), gg = dot(g, g);
    if (!(size > LEAST && size < MOST))
        return false;
    double along = gg > 0 ? unit_interval(dot(q, g) / gg) : 0;
    for (int k = 0; k < 3; k++)
        q[k] -= along * g[k];
    // The point found on the edge is a few roundings off, along the edge and away from it: the distance by as much.
    return sqrt(dot(q, q)) > d * (1 + 0x1p-40) + 0x1p-44 * size;
}

// ---- how far apart: each is false where the error bound is too large ----

static bool measure_vertices(const double *const x[4], snag__gap *gap)
{
    difference(x[0], x[1], gap->separation);
    double size = largest(gap->separation);
    if (size != 0 && !(size > 1e-140 && size < 1e150))
        return false;
    gap->squared = dot(gap->separation, gap->separation);
    gap->distance = sqrt(gap->squared);
    gap->weight[0] = gap->weight[1] = 1;
    memcpy(gap->point_a, x[0], sizeof gap->point_a);
    memcpy(gap->point_b, x[1], sizeof gap->point_b);
    return true;
}

static bool measure_edge(const double *const x[4], snag__gap *gap)
{
    double e[3], q[3], m[3], rest[3];
    difference(x[2], x[1], e);
    difference(x[0], x[1], q);
    double e_size = largest(e), q_size = largest(q);
    if (!(e_size > LEAST && e_size < MOST && q_size > LEAST && q_size < MOST))
        return false;
    // The distance is |m| / |e|. The weight is off by at most 18 u q / e.
    cross(e, q, m);
    if (!(largest(m) * TOLERANCE > 32 * U * e_size * q_size && e_size * TOLERANCE > 18 * U * q_size))
        return false;
    double ee = dot(e, e), along = unit_interval(dot(e, q) / ee);
    gap->squared = dot(m, m) / ee;
    gap->distance = sqrt(gap->squared);
    cross(m, e, rest);
    gap->weight[0] = 1;
    gap->weight[1] = 1 - along;
    gap->weight[2] = along;
    for (int k = 0; k < 3; k++) {
        gap->separation[k] = rest[k] / ee + 0.0;
        gap->point_a[k] = x[0][k];
        gap->point_b[k] = x[1][k] + along * e[k];
    }
    return true;
}

// What a face and two edges have in common: w = alpha u + beta v + h n / n.n with n = u x v.
typedef struct plane_span {
    double u[3], v[3], n[3];
    double nn, h, alpha, beta;
} plane_span;

static bool plane_span_of(const double u_to[3], const double u_from[3], const double v_to[3], const double v_from[3],
                          const double w_to[3], const double w_from[3], plane_span *s)
{
    double w[3], wv[3], uw[3];
    difference(u_to, u_from, s->u);
    difference(v_to, v_from, s->v);
    difference(w_to, w_from, w);
    double u_size = largest(s->u), v_size = largest(s->v), w_size = largest(w);
    if (!(smaller(smaller(u_size, v_size), w_size) > LEAST && larger(larger(u_size, v_size), w_size) < MOST))
        return false;
    cross(s->u, s->v, s->n);
    s->nn = dot(s->n, s->n);
    s->h = dot(s->n, w);
    double n_size = largest(s->n), uv = u_size * v_size;
    if (!(n_size * TOLERANCE > 32 * U * uv && fabs(s->h) * TOLERANCE > SNAG__HEIGHT_ERROR(uv * w_size)))
        return false;
    cross(w, s->v, wv);
    cross(s->u, w, uw);
    double wv_size = largest(wv), uw_size = largest(uw);
    double alpha_error = 24 * U * (uv * wv_size + n_size * (w_size * v_size + wv_size));
    double beta_error = 24 * U * (uv * uw_size + n_size * (w_size * u_size + uw_size));
    if (!(larger(alpha_error, beta_error) < s->nn * TOLERANCE))
        return false;
    s->alpha = dot(s->n, wv) / s->nn;
    s->beta = dot(s->n, uw) / s->nn;
    return true;
}

static void plane_gap(const plane_span *s, snag__gap *gap)
{
    double height = s->h / s->nn;
    gap->squared = s->h * height;
    gap->distance = fabs(s->h) / sqrt(s->nn);
    for (int k = 0; k < 3; k++)
        gap->separation[k] = s->n[k] * height + 0.0;
}

static bool measure_face(const double *const x[4], snag__gap *gap)
{
    plane_span s;
    if (!plane_span_of(x[2], x[1], x[3], x[1], x[0], x[1], &s))
        return false;
    plane_gap(&s, gap);
    double alpha = unit_interval(s.alpha), beta = smaller(unit_interval(s.beta), 1 - alpha);
    gap->weight[0] = 1;
    gap->weight[1] = 1 - (alpha + beta);
    gap->weight[2] = alpha;
    gap->weight[3] = beta;
    for (int k = 0; k < 3; k++) {
        gap->point_a[k] = x[0][k];
        gap->point_b[k] = x[1][k] + (alpha * s.u[k] + beta * s.v[k]);
    }
    return true;
}

static bool measure_edges(const double *const x[4], snag__gap *gap)
{
    plane_span s;
    if (!plane_span_of(x[1], x[0], x[3], x[2], x[0], x[2], &s))
        return false;
    plane_gap(&s, gap);
    double along_a = unit_interval(-s.alpha), along_b = unit_interval(s.beta);
    gap->weight[0] = 1 - along_a;
    gap->weight[1] = along_a;
    gap->weight[2] = 1 - along_b;
    gap->weight[3] = along_b;
    for (int k = 0; k < 3; k++) {
        gap->point_a[k] = x[0][k] + along_a * s.u[k];
        gap->point_b[k] = x[2][k] + along_b * s.v[k];
    }
    return true;
}

// Puts the corners of an edge or a face, or two edges, into the order of their coordinates: order[i] is the point of
// `features` that stands i-th in `sorted`. Returns whether the two edges changed places.
static bool sort_features(const snag__features *features, snag__features *sorted, int order[4])
{
    const double *const *x = features->point;
    *sorted = *features;
    for (int i = 0; i < 4; i++)
        order[i] = i;
    int first = features->kind == SNAG_EDGE_EDGE ? 0 : 1, last = features->kind == SNAG_VERTEX_FACE   ? 3
                                                                 : features->kind == SNAG_VERTEX_EDGE ? 2
                                                                                                      : 1;
    for (int i = first + 1; i <= last; i++)
        for (int at = i; at > first && snag__point_order(x[order[at]], x[order[at - 1]]) < 0; at--) {
            int swap = order[at];
            order[at] = order[at - 1];
            order[at - 1] = swap;
        }
    bool swapped = false;
    if (features->kind == SNAG_EDGE_EDGE) {
        if (snag__point_order(x[3], x[2]) < 0) {
            order[2] = 3;
            order[3] = 2;
        }
        int edges = snag__point_order(x[order[0]], x[order[2]]);
        swapped = edges > 0 || (edges == 0 && snag__point_order(x[order[1]], x[order[3]]) > 0);
        for (int i = 0; i < 2 && swapped; i++) {
            int swap = order[i];
            order[i] = order[i + 2];
            order[i + 2] = swap;
        }
    }
    for (int i = 0; i < 4; i++)
        sorted->point[i] = features->point[order[i]];
    return swapped;
}

static void swap_points(double a[3], double b[3])
{
    for (int k = 0; k < 3; k++) {
        double swap = a[k];
        a[k] = b[k];
        b[k] = swap;
    }
}

void snag__features_measure(const snag__features *features, snag__gap *gap)
{
    snag__features sorted;
    int order[4];
    bool swapped = sort_features(features, &sorted, order), done = false;
    memset(gap, 0, sizeof *gap);
    switch (features->kind) {
    case SNAG_VERTEX_VERTEX: done = measure_vertices(sorted.point, gap); break;
    case SNAG_VERTEX_EDGE: done = measure_edge(sorted.point, gap); break;
    case SNAG_VERTEX_FACE: done = measure_face(sorted.point, gap); break;
    default: done = measure_edges(sorted.point, gap); break;
    }
    if (!done)
        snag__features_measure_exact(&sorted, gap);
    for (int k = 0; k < 3; k++) {  // of two equal corners one may have a -0
        gap->point_a[k] += 0.0;
        gap->point_b[k] += 0.0;
    }
    double weight[4];
    memcpy(weight, gap->weight, sizeof weight);
    for (int i = 0; i < 4; i++)
        gap->weight[order[i]] = weight[i];
    if (swapped) {
        swap_points(gap->point_a, gap->point_b);
        for (int k = 0; k < 3; k++)
            gap->separation[k] = 0.0 - gap->separation[k];
    }
}

// The squared distance as a quotient with error bounds: of `top` (absolute) and of `bottom` (absolute).
typedef struct quotient {
    double top, top_error, bottom, bottom_error;
} quotient;

static bool squared_quotient(const snag__features *features, quotient *q)
{
    const double *const *x = features->point;
    bool edges = features->kind == SNAG_EDGE_EDGE;
    double u[3], v[3], w[3], n[3];
    difference(x[0], x[edges ? 2 : 1], w);
    double w_size = largest(w);
    if (features->kind == SNAG_VERTEX_VERTEX) {
        double square = dot(w, w);
        *q = (quotient){square, 8 * U * square, 1, 0};
        return w_size > LEAST && w_size < MOST;
    }
    difference(edges ? x[1] : x[2], edges ? x[0] : x[1], u);
    double u_size = largest(u), least = smaller(u_size, w_size), most = larger(u_size, w_size);
    if (features->kind == SNAG_VERTEX_EDGE) {
        cross(u, w, n);
        double top = dot(n, n), bottom = dot(u, u);
        *q = (quotient){top, SNAG__SQUARE_ERROR(top, largest(n), SNAG__CROSS_ERROR(u_size * w_size)), bottom, 8 * U * bottom};
        return least > LEAST && most < MOST;
    }
    difference(x[3], edges ? x[2] : x[1], v);
    double v_size = largest(v), uv = u_size * v_size;
    cross(u, v, n);
    double h = fabs(dot(n, w)), h_error = SNAG__HEIGHT_ERROR(uv * w_size), nn = dot(n, n);
    *q = (quotient){h * h, (2 * h + h_error) * h_error + 4 * U * h * h, nn,
                    SNAG__SQUARE_ERROR(nn, largest(n), SNAG__CROSS_ERROR(uv))};
    return smaller(least, v_size) > LEAST && larger(most, v_size) < MOST;
}

bool snag__features_within(const snag__features *features, double d, bool *exact)
{
    quotient q;
    if (squared_quotient(features, &q)) {
        // A reach below LEAST is taken for that where it proves farther, and proves nothing else: its square has no
        // digits.
        double reach = larger(d, LEAST), squared = reach * reach;
        if (q.top - q.top_error > squared * (1 + 8 * U) * (q.bottom + q.bottom_error))
            return false;
        if (d >= LEAST && q.top + q.top_error < squared * (1 - 8 * U) * (q.bottom - q.bottom_error))
            return true;
    }
    *exact = true;
    return snag__features_compare_with_exact(features, d) <= 0;
}

int snag__features_compare_with(const snag__features *features, const snag__gap *gap, double d, bool *exact)
{
    if (gap->distance == 0)  // zero is exact
        return d > 0 ? -1 : 0;
    // A distance below the normal numbers has no relative error to speak of, and d may be anything.
    if (gap->distance > DBL_MIN && gap->distance < DBL_MAX) {
        if (gap->distance * (1 - 2 * TOLERANCE) > d)
            return 1;
        if (gap->distance * (1 + 2 * TOLERANCE) < d)
            return -1;
    }
    if (isinf(d))
        return -1;  // every distance is finite, whatever its double says
    *exact = true;
    return snag__features_compare_with_exact(features, d);
}

int snag__features_compare(const snag__features *x, const snag__gap *gap_x, const snag__features *y, const snag__gap *gap_y)
{
    if (gap_x->distance == 0 || gap_y->distance == 0)  // zero is exact
        return (gap_x->distance > 0) - (gap_y->distance > 0);
    if (gap_x->distance * (1 + 4 * TOLERANCE) < gap_y->distance && gap_x->distance > DBL_MIN)
        return -1;
    if (gap_y->distance * (1 + 4 * TOLERANCE) < gap_x->distance && gap_y->distance > DBL_MIN)
        return 1;
    return snag__features_compare_exact(x, y);
}

// ---- vertex and triangle, edge and edge ----

void snag__vertex_triangle_distance(const double p[3], const double *const triangle[3], snag__distance *out)
{
    static const snag_contact_kind kinds[4] = {0, SNAG_VERTEX_VERTEX, SNAG_VERTEX_EDGE, SNAG_VERTEX_FACE};
    bool exact = false;
    uint32_t feature = snag__vertex_triangle_feature(p, triangle, &exact);
    int corner[3], corners = 0;
    for (int i = 0; i < 3; i++)
        if (feature >> i & 1)
            corner[corners++] = i;
    *out = (snag__distance){.kind = kinds[corners], .feature_a = 1, .feature_b = (uint8_t)feature};
    out->features = (snag__features){.kind = out->kind, .point = {p}};
    for (int i = 0; i < corners; i++)
        out->features.point[i + 1] = triangle[corner[i]];
    snag__features_measure(&out->features, &out->gap);
    double weight[3] = {0};
    for (int i = 0; i < corners; i++)
        weight[corner[i]] = out->gap.weight[i + 1];
    memcpy(out->gap.weight, weight, sizeof weight);
    out->gap.weight[3] = 0;
    out->gap.exact |= exact;
}

snag__features snag__edge_edge_features(const double *const a[2], const double *const b[2], uint32_t feature)
{
    bool whole_a = (feature & 3) == 3, whole_b = feature >> 2 == 3;
    snag__features f = {.kind = whole_a && whole_b ? SNAG_EDGE_EDGE : whole_a || whole_b ? SNAG_VERTEX_EDGE : SNAG_VERTEX_VERTEX};
    // Features have the lower dimension first, so an edge of a comes second where b has an end.
    bool swapped = whole_a && !whole_b;
    int count = 0;
    for (int side = 0; side < 2; side++) {
        bool of_b = (side == 1) != swapped;
        const double *const *x = of_b ? b : a;
        uint32_t ends = of_b ? feature >> 2 : feature & 3;
        for (int end = 0; end < 2; end++)
            if (ends >> end & 1)
                f.point[count++] = x[end];
    }
    return f;
}

void snag__edge_edge_distance(const double *const a[2], const double *const b[2], snag__distance *out)
{
    bool exact = false;
    uint32_t feature = snag__edge_edge_feature(a, b, &exact);
    uint32_t feature_a = feature & 3, feature_b = feature >> 2;
    bool whole_a = feature_a == 3, whole_b = feature_b == 3, swapped = whole_a && !whole_b;
    int end_a = feature_a == 2, end_b = feature_b == 2;
    *out = (snag__distance){.feature_a = (uint8_t)feature_a, .feature_b = (uint8_t)feature_b};
    out->features = snag__edge_edge_features(a, b, feature);
    out->kind = out->features.kind;
    snag__gap *gap = &out->gap;
    snag__features_measure(&out->features, gap);
    double weight[4] = {0};
    const double *from = gap->weight;
    for (int side = 0; side < 2; side++) {
        bool of_b = (side == 1) != swapped;
        double *to = of_b ? weight + 2 : weight;
        if (of_b ? whole_b : whole_a) {
            to[0] = *from++;
            to[1] = *from++;
        } else {
            to[of_b ? end_b : end_a] = *from++;
        }
    }
    memcpy(gap->weight, weight, sizeof weight);
    if (swapped) {
        swap_points(gap->point_a, gap->point_b);
        for (int k = 0; k < 3; k++)
            gap->separation[k] = 0.0 - gap->separation[k];
    }
    gap->exact |= exact;
}

bool snag__vertex_triangle_within(const double p[3], const double *const triangle[3], double d, snag__distance *out)
{
    snag__vertex_triangle_distance(p, triangle, out);
    return snag__features_compare_with(&out->features, &out->gap, d, &out->gap.exact) <= 0;
}

bool snag__edge_edge_within(const double *const a[2], const double *const b[2], double d, snag__distance *out)
{
    snag__edge_edge_distance(a, b, out);
    return snag__features_compare_with(&out->features, &out->gap, d, &out->gap.exact) <= 0;
}

// ---- farther than something known, at any scale ----
//
// Four points are scaled by a power of two, so that the largest coordinate is about 1. That is exact, but for coordinates that are so
// much smaller that they underflow: those are off by 2^-1075 at most. Signs that the filters above call certain, and quotients that they
// call good, are of vectors above 1e-45 (of a sign n . m: of products above 2^-48), to which that is nothing.

typedef struct scaled {
    double x[4][3];
    const double *point[4];
    double scale;
} scaled;

static void scale_points(const double *const point[4], scaled *out)
{
    double size = 0;
    int exponent;
    for (int i = 0; i < 4; i++)
        size = larger(size, largest(point[i]));
    frexp(size, &exponent);
    // No number is 2^1074: the smallest become 2^-74, which is large enough.
    out->scale = ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    for (int i = 0; i < 4; i++) {
        out->point[i] = out->x[i];
        for (int k = 0; k < 3; k++)
            out->x[i][k] = out->scale * point[i][k];
    }
}

// No less than a true distance that was measured as d. Below the normal numbers that is off by units of the last place.
static double at_most(double d)
{
    return d < 2 * DBL_MIN ? d + 0x1p-1070 : d * (1 + 8 * TOLERANCE);
}

// Whether the boxes of the first `count` points and of the others are farther apart than d along an axis. A difference is rounded
// once, and one that overflows is larger than any d.
static bool boxes_are_farther(const double *const point[4], int count, double d)
{
    double reach = at_most(d);
    for (int k = 0; k < 3; k++) {
        double lo[2] = {point[0][k], point[3][k]}, hi[2] = {point[0][k], point[3][k]};
        for (int i = 1; i < 3; i++) {
            int side = i >= count;
            lo[side] = smaller(lo[side], point[i][k]);
            hi[side] = larger(hi[side], point[i][k]);
        }
        if (lo[0] - hi[1] > reach || lo[1] - hi[0] > reach)
            return true;
    }
    return false;
}

static bool features_are_farther(const snag__features *features, double reach)
{
    quotient q;
    if (!squared_quotient(features, &q))
        return false;
    reach = larger(reach, LEAST);
    return q.top - q.top_error > reach * reach * (1 + 8 * U) * (q.bottom + q.bottom_error);
}

bool snag__vertex_triangle_is_farther(const double p[3], const double *const triangle[3], double d)
{
    const double *const point[4] = {p, triangle[0], triangle[1], triangle[2]};
    if (boxes_are_farther(point, 1, d))
        return true;
    scaled s;
    scale_points(point, &s);
    uint32_t feature = vertex_triangle_feature_fast(s.point[0], s.point + 1);
    if (feature == 0)
        return false;
    static const snag_contact_kind kinds[4] = {0, SNAG_VERTEX_VERTEX, SNAG_VERTEX_EDGE, SNAG_VERTEX_FACE};
    snag__features features = {.point = {s.point[0], s.point[0], s.point[0], s.point[0]}};
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (feature >> i & 1)
            features.point[++count] = s.point[i + 1];
    features.kind = kinds[count];
    return features_are_farther(&features, at_most(d) * s.scale);
}

bool snag__edge_edge_is_farther(const double *const a[2], const double *const b[2], double d)
{
    const double *const point[4] = {a[0], a[1], b[0], b[1]};
    if (boxes_are_farther(point, 2, d))
        return true;
    scaled s;
    scale_points(point, &s);
    uint32_t feature = edge_edge_feature_fast(s.point, s.point + 2);
    if (feature != 15)
        return feature != 0;
    snag__features features = {SNAG_EDGE_EDGE, {s.point[0], s.point[1], s.point[2], s.point[3]}};
    return features_are_farther(&features, at_most(d) * s.scale);
}

// ---- normals ----

bool snag__gap_normal(const snag__gap *gap, double normal[3])
{
    double size = largest(gap->separation);
    int exponent = 0;
    frexp(size, &exponent);
    for (int k = 0; k < 3; k++)
        normal[k] = ldexp(gap->separation[k], -exponent);
    double length = sqrt(dot(normal, normal));
    for (int k = 0; k < 3; k++)
        normal[k] = size > 0 ? normal[k] / length : 0;
    return size > 0;
}

bool snag__unit_cross(const double a[3], const double b[3], const double c[3], const double d[3], double unit[3])
{
    double u[3], v[3], n[3];
    difference(b, a, u);
    difference(d, c, v);
    double u_size = largest(u), v_size = largest(v);
    if (smaller(u_size, v_size) > LEAST && larger(u_size, v_size) < MOST) {
        cross(u, v, n);
        if (largest(n) * TOLERANCE > 32 * U * u_size * v_size) {
            double length = sqrt(dot(n, n));
            for (int k = 0; k < 3; k++)
                unit[k] = n[k] / length + 0.0;
            return true;
        }
    }
    return snag__unit_cross_exact(a, b, c, d, unit);
}

// ---- batches ----

size_t snag__vertex_triangles_within(const snag__distance_kernels *kernels, const snag__vertex_triangles *pairs, double d,
                                     uint32_t *index, snag__distance *out)
{
    size_t near = kernels->vertex_triangles_near(pairs, d, index), count = 0;
    for (size_t i = 0; i < near; i++) {
        const uint32_t *corner = pairs->triangles[pairs->pairs[index[i]][0]];
        const double *const x[3] = {pairs->xb[corner[0]], pairs->xb[corner[1]], pairs->xb[corner[2]]};
        if (snag__vertex_triangle_within(pairs->xa[pairs->pairs[index[i]][1]], x, d, &out[count]))
            index[count++] = index[i];
    }
    return count;
}

size_t snag__edge_edges_within(const snag__distance_kernels *kernels, const snag__edge_edges *pairs, double d, uint32_t *index,
                               snag__distance *out)
{
    size_t near = kernels->edge_edges_near(pairs, d, index), count = 0;
    for (size_t i = 0; i < near; i++) {
        const uint32_t *a = pairs->edges_a[pairs->pairs[index[i]][0]], *b = pairs->edges_b[pairs->pairs[index[i]][1]];
        const double *const xa[2] = {pairs->xa[a[0]], pairs->xa[a[1]]}, *const xb[2] = {pairs->xb[b[0]], pairs->xb[b[1]]};
        if (snag__edge_edge_within(xa, xb, d, &out[count]))
            index[count++] = index[i];
    }
    return count;
}
