// Kernels of closest_points.h: the operations of distance.c in the same order, lane by lane, so that the bits are the same. Points are put
// into the order of their coordinates by exchanging lanes, and weights go back by the same exchanges in reverse.
#include "geom/closest_points.h"

#include "geom/distance_lanes.h"

typedef struct gap_lanes {
    wide3 separation, a, b;
    wide distance, weight[4];
    snag__i64w good;
} gap_lanes;

static inline void exchange(snag__i64w swap, wide *a, wide *b)
{
    wide old = *a;
    *a = snag__f64w_select(swap, *b, old);
    *b = snag__f64w_select(swap, old, *b);
}

static inline void exchange_points(snag__i64w swap, wide3 *a, wide3 *b)
{
    wide3 old = *a;
    *a = choose(swap, *b, old);
    *b = choose(swap, old, *b);
}

// Adding 0 makes -0 to 0.
static inline wide3 without_minus_zero(wide3 a)
{
    const wide zero = snag__f64w_all(0.0);
    return (wide3){a.x + zero, a.y + zero, a.z + zero};
}

// a + s b
static inline wide3 along(wide3 a, wide s, wide3 b)
{
    return (wide3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline wide3 difference(wide3 a, wide3 b)
{
    return without_minus_zero(subtract(a, b));
}

static inline gap_lanes vertices(const wide3 x[4])
{
    gap_lanes g = {.separation = difference(x[0], x[1]), .a = x[0], .b = x[1]};
    g.good = between(largest(g.separation), 1e-140, 1e150);
    g.distance = square_root(dot(g.separation, g.separation));
    g.weight[0] = g.weight[1] = snag__f64w_all(1.0);
    g.weight[2] = g.weight[3] = snag__f64w_all(0.0);
    return g;
}

static inline gap_lanes edge(wide3 x[4])
{
    const wide one = snag__f64w_all(1.0);
    snag__i64w swap = order_points(&x[1], &x[2]);
    wide3 e = difference(x[2], x[1]), q = difference(x[0], x[1]), m = cross(e, q), rest = cross(m, e);
    wide ee = dot(e, e), t = unit_interval(dot(e, q) / ee);
    gap_lanes g = {.a = x[0], .b = along(x[1], t, e), .good = edge_is_good(e, q, m)};
    g.distance = square_root(dot(m, m) / ee);
    g.separation = without_minus_zero((wide3){rest.x / ee, rest.y / ee, rest.z / ee});
    g.weight[0] = one;
    g.weight[1] = one - t;
    g.weight[2] = t;
    g.weight[3] = snag__f64w_all(0.0);
    exchange(swap, &g.weight[1], &g.weight[2]);
    return g;
}

static inline gap_lanes gap_over(const plane_lanes *s)
{
    wide height = s->h / s->nn;
    wide3 over = {s->n.x * height, s->n.y * height, s->n.z * height};
    return (gap_lanes){
        .separation = without_minus_zero(over), .distance = snag__f64w_abs(s->h) / square_root(s->nn), .good = s->good};
}

static inline gap_lanes face(wide3 x[4])
{
    const wide one = snag__f64w_all(1.0);
    snag__i64w first = order_points(&x[1], &x[2]), second = order_points(&x[2], &x[3]), third = order_points(&x[1], &x[2]);
    wide3 u = difference(x[2], x[1]), v = difference(x[3], x[1]);
    plane_lanes s = plane_of(u, v, difference(x[0], x[1]));
    gap_lanes g = gap_over(&s);
    wide alpha = unit_interval(dot(s.n, s.wv) / s.nn), beta = snag__f64w_min(unit_interval(dot(s.n, s.uw) / s.nn), one - alpha);
    g.a = x[0];
    g.b = (wide3){x[1].x + (alpha * u.x + beta * v.x), x[1].y + (alpha * u.y + beta * v.y), x[1].z + (alpha * u.z + beta * v.z)};
    g.weight[0] = one;
    g.weight[1] = one - (alpha + beta);
    g.weight[2] = alpha;
    g.weight[3] = beta;
    exchange(third, &g.weight[1], &g.weight[2]);
    exchange(second, &g.weight[2], &g.weight[3]);
    exchange(first, &g.weight[1], &g.weight[2]);
    return g;
}

static inline snag__i64w point_is_before(wide3 a, wide3 b)
{
    return snag__f64w_lt(a.x, b.x) |
           (snag__f64w_eq(a.x, b.x) & (snag__f64w_lt(a.y, b.y) | (snag__f64w_eq(a.y, b.y) & snag__f64w_lt(a.z, b.z))));
}

static inline gap_lanes edges(wide3 x[4])
{
    const wide one = snag__f64w_all(1.0), zero = snag__f64w_all(0.0);
    snag__i64w swap_a = order_points(&x[0], &x[1]), swap_b = order_points(&x[2], &x[3]);
    snag__i64w swap = point_is_before(x[2], x[0]) | (~point_is_before(x[0], x[2]) & point_is_before(x[3], x[1]));
    exchange_points(swap, &x[0], &x[2]);
    exchange_points(swap, &x[1], &x[3]);
    wide3 u = difference(x[1], x[0]), v = difference(x[3], x[2]);
    plane_lanes s = plane_of(u, v, difference(x[0], x[2]));
    gap_lanes g = gap_over(&s);
    wide a = unit_interval(-(dot(s.n, s.wv) / s.nn)), b = unit_interval(dot(s.n, s.uw) / s.nn);
    g.a = along(x[0], a, u);
    g.b = along(x[2], b, v);
    g.weight[0] = one - a;
    g.weight[1] = a;
    g.weight[2] = one - b;
    g.weight[3] = b;
    exchange(swap, &g.weight[0], &g.weight[2]);
    exchange(swap, &g.weight[1], &g.weight[3]);
    exchange(swap_a, &g.weight[0], &g.weight[1]);
    exchange(swap_b, &g.weight[2], &g.weight[3]);
    exchange_points(swap, &g.a, &g.b);
    g.separation = choose(swap, (wide3){zero - g.separation.x, zero - g.separation.y, zero - g.separation.z}, g.separation);
    return g;
}

// As snag__gap_normal: scaled by the power of two that makes the largest coordinate 1/2 to 1. Of lanes that are good.
static inline wide3 normal_of(wide3 separation, snag__i64w *good)
{
    wide size = largest(separation), scale;
    snag__i64w bits;
    *good &= between(size, 1e-140, 1e150);
    memcpy(&bits, &size, sizeof bits);
    // Of lanes that are not good the exponent may be negative, and such numbers cannot be shifted.
    bits = (snag__i64w_all(2045) - (bits >> 52)) * ((int64_t)1 << 52);
    memcpy(&scale, &bits, sizeof scale);
    wide3 n = {separation.x * scale, separation.y * scale, separation.z * scale};
    wide length = square_root(dot(n, n));
    return (wide3){n.x / length, n.y / length, n.z / length};
}

static inline void store(const gap_lanes *g, wide3 normal, size_t lanes, snag__closest_points *out)
{
    enum { NUMBERS = sizeof *out / sizeof(double) };
    const wide all[NUMBERS] = {g->distance, g->a.x,   g->a.y,   g->a.z,       g->b.x,       g->b.y,       g->b.z,
                               normal.x,    normal.y, normal.z, g->weight[0], g->weight[1], g->weight[2], g->weight[3]};
    double numbers[NUMBERS][SNAG__LANES_F64];
    for (int k = 0; k < NUMBERS; k++)
        snag__f64w_store(numbers[k], all[k]);
    for (size_t lane = 0; lane < lanes; lane++) {
        double of_lane[NUMBERS];
        for (int k = 0; k < NUMBERS; k++)
            of_lane[k] = numbers[k][lane];
        memcpy(&out[lane], of_lane, sizeof of_lane);
    }
}

static uint64_t measure(snag_contact_kind kind, const double *const (*points)[4], size_t count, snag__closest_points *out)
{
    int corners = kind == SNAG_VERTEX_VERTEX ? 2 : kind == SNAG_VERTEX_EDGE ? 3 : 4;
    uint64_t good = 0;
    for (size_t i = 0; i < count; i += LANES_F64) {
        size_t lanes = count - i < LANES_F64 ? count - i : LANES_F64;
        wide3 x[4];
        for (int k = 0; k < corners; k++) {
            const double *corner[SNAG__LANES_F64];
            for (size_t lane = 0; lane < LANES_F64; lane++)
                corner[lane] = points[i + (lane < lanes ? lane : 0)][k];
            x[k] = gather(corner);
        }
        gap_lanes g = kind == SNAG_VERTEX_VERTEX ? vertices(x)
                      : kind == SNAG_VERTEX_EDGE ? edge(x)
                      : kind == SNAG_VERTEX_FACE ? face(x)
                                                 : edges(x);
        g.a = without_minus_zero(g.a);
        g.b = without_minus_zero(g.b);
        wide3 normal = normal_of(g.separation, &g.good);
        store(&g, normal, lanes, out + i);
        good |= (uint64_t)(snag__i64w_bits(g.good) & ((1u << lanes) - 1u)) << i;
    }
    return good;
}

const snag__closest_points_kernels SNAG__KERNEL(snag__closest_points_kernels) = {
    .measure = measure,
};
