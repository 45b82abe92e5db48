// Kernel of impact_solve.h: decide_in_doubles of impact.c, a pair in each lane, by the same operations in the same order, so that a lane
// has the same bits as the scalar code. A lane that would need integers, or more steps than most, is left open.
#include "geom/impact_solve.h"

#include "geom/distance_lanes.h"
#include "geom/impact_bounds.h"

// Few pairs need more: the scalar code takes those.
enum { STEPS = 12, WIDENINGS = 3, PIECES = 4 };

typedef struct points {
    wide3 at[2][4];  // at both ends of the move
} points;

// ---- canonical order ----

static inline void compare_axis(wide a, wide b, snag__i64w *after, snag__i64w *equal)
{
    *after |= *equal & snag__f64w_lt(b, a);
    *equal &= snag__f64w_eq(a, b);
}

// Where point i stands after point j.
static inline snag__i64w stands_after(const points *p, int i, int j, snag__i64w *equal)
{
    snag__i64w after = snag__i64w_all(0);
    *equal = snag__i64w_all(-1);
    for (int end = 0; end < 2; end++) {
        compare_axis(p->at[end][i].x, p->at[end][j].x, &after, equal);
        compare_axis(p->at[end][i].y, p->at[end][j].y, &after, equal);
        compare_axis(p->at[end][i].z, p->at[end][j].z, &after, equal);
    }
    return after;
}

static inline void exchange(points *p, int i, int j, snag__i64w swap)
{
    for (int end = 0; end < 2; end++) {
        wide3 old = p->at[end][i];
        p->at[end][i] = choose(swap, p->at[end][j], old);
        p->at[end][j] = choose(swap, old, p->at[end][j]);
    }
}

static inline void order_two(points *p, int i, int j)
{
    snag__i64w equal;
    exchange(p, i, j, stands_after(p, i, j, &equal));
}

static inline void put_in_order(points *p, bool edges)
{
    if (!edges) {
        order_two(p, 1, 2);
        order_two(p, 2, 3);
        order_two(p, 1, 2);
        return;
    }
    order_two(p, 0, 1);
    order_two(p, 2, 3);
    snag__i64w equal, equal_ends, first = stands_after(p, 0, 2, &equal);
    snag__i64w swap = first | (equal & stands_after(p, 1, 3, &equal_ends));
    exchange(p, 0, 2, swap);
    exchange(p, 1, 3, swap);
}

// ---- the cubic ----

typedef struct frame {
    wide3 a[2], b[2], c[2];
    wide length[3];
} frame;

typedef struct cubic {
    wide f[4], bound;
} cubic;

static inline wide longer(const wide3 v[2])
{
    return square_root(snag__f64w_max(dot(v[0], v[0]), dot(v[1], v[1]))) * (1 + 0x1p-49);
}

static inline void make_frame(const points *p, bool edges, frame *f)
{
    int a_to = edges ? 1 : 2, a_from = edges ? 0 : 1, b_from = edges ? 2 : 1, c_to = edges ? 2 : 0;
    for (int end = 0; end < 2; end++) {
        const wide3 *x = p->at[end];
        f->a[end] = subtract(x[a_to], x[a_from]);
        f->b[end] = subtract(x[3], x[b_from]);
        f->c[end] = subtract(x[c_to], x[a_from]);
    }
    f->length[0] = longer(f->a);
    f->length[1] = longer(f->b);
    f->length[2] = longer(f->c);
}

static inline wide3 add(wide3 a, wide3 b)
{
    return (wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline void make_cubic(const frame *f, cubic *q)
{
    wide3 n0 = cross(f->a[0], f->b[0]), n2 = cross(f->a[1], f->b[1]);
    wide3 n1 = add(cross(f->a[0], f->b[1]), cross(f->a[1], f->b[0]));
    q->f[0] = dot(n0, f->c[0]);
    q->f[1] = (dot(n0, f->c[1]) + dot(n1, f->c[0])) * (1.0 / 3);
    q->f[2] = (dot(n2, f->c[0]) + dot(n1, f->c[1])) * (1.0 / 3);
    q->f[3] = dot(n2, f->c[1]);
    q->bound = SNAG__CUBIC_BOUND * f->length[0] * f->length[1] * f->length[2];
}

static inline wide blossom(const cubic *q, wide r, wide s, wide t)
{
    wide x0 = q->f[0] + r * (q->f[1] - q->f[0]), x1 = q->f[1] + r * (q->f[2] - q->f[1]);
    wide x2 = q->f[2] + r * (q->f[3] - q->f[2]);
    wide y0 = x0 + s * (x1 - x0), y1 = x1 + s * (x2 - x1);
    return y0 + t * (y1 - y0);
}

static inline wide value_and_slope(const cubic *q, wide t, wide *slope)
{
    wide x0 = q->f[0] + t * (q->f[1] - q->f[0]), x1 = q->f[1] + t * (q->f[2] - q->f[1]);
    wide x2 = q->f[2] + t * (q->f[3] - q->f[2]);
    wide y0 = x0 + t * (x1 - x0), y1 = x1 + t * (x2 - x1);
    *slope = 3 * (y1 - y0);
    return y0 + t * (y1 - y0);
}

// Certain signs: where a number is above its error bound, and where it is below.
typedef struct signs {
    snag__i64w above, below;
} signs;

static inline signs signs_of(wide x, wide bound)
{
    return (signs){snag__f64w_lt(bound, x), snag__f64w_lt(x, -bound)};
}

static inline signs both(signs a, signs b)
{
    return (signs){a.above & b.above, a.below & b.below};
}

// Of the cubic all over s..e.
static inline signs signs_over(const cubic *q, wide s, wide e)
{
    signs ends = both(signs_of(blossom(q, s, s, s), q->bound), signs_of(blossom(q, e, e, e), q->bound));
    return both(ends, both(signs_of(blossom(q, s, s, e), q->bound), signs_of(blossom(q, s, e, e), q->bound)));
}

// ---- pieces ----

static inline wide cut_at(wide t, snag__i64w wanted)
{
    const wide zero = snag__f64w_all(0.0), one = snag__f64w_all(1.0);
    return snag__f64w_select(wanted & snag__f64w_lt(zero, t) & snag__f64w_lt(t, one), t, one);
}

static inline void sort_two(wide *a, wide *b)
{
    wide low = snag__f64w_min(*a, *b);
    *b = snag__f64w_max(*a, *b);
    *a = low;
}

static inline snag__i64w not_less(wide a, wide b)
{
    return snag__f64w_le(b, a);
}

// A cut at 1 is none.
static inline void split_at_extrema(const cubic *q, wide cuts[PIECES + 1])
{
    const wide zero = snag__f64w_all(0.0), one = snag__f64w_all(1.0);
    wide d0 = q->f[1] - q->f[0], d1 = q->f[2] - q->f[1], d2 = q->f[3] - q->f[2];
    snag__i64w split = ~((not_less(d0, zero) & not_less(d1, zero) & not_less(d2, zero)) |
                         (not_less(zero, d0) & not_less(zero, d1) & not_less(zero, d2)));
    wide a = d0 - 2 * d1 + d2, half = d1 - d0, inside = half * half - a * d0;
    snag__i64w two = split & snag__f64w_lt(zero, inside);
    wide root = square_root(snag__f64w_max(inside, zero)), size = snag__f64w_abs(root);
    // copysign(root, half); of half = -0 the sign counts too
    snag__i64w sign_bit, size_bits;
    memcpy(&sign_bit, &half, sizeof sign_bit);
    memcpy(&size_bits, &size, sizeof size_bits);
    size_bits |= sign_bit & snag__i64w_all(INT64_MIN);
    memcpy(&size, &size_bits, sizeof size);
    wide sum = -(half + size);
    cuts[0] = zero;
    cuts[1] = cut_at(-half / a, split);
    cuts[2] = cut_at(sum / a, two);
    cuts[3] = cut_at(d0 / sum, two);
    cuts[4] = one;
    sort_two(&cuts[1], &cuts[2]);
    sort_two(&cuts[2], &cuts[3]);
    sort_two(&cuts[1], &cuts[2]);
}

// ---- roots ----

typedef struct enclosure {
    wide low, middle, high;
} enclosure;

// Of the lanes in `wanted`, in which the cubic rises or falls from one certain sign to the other between s and e. Returns those in which
// the root is enclosed; the others are not decided.
static inline snag__i64w enclose_root(const cubic *q, wide s, wide e, wide at_s, wide at_e, snag__i64w wanted, enclosure *root)
{
    const wide zero = snag__f64w_all(0.0);
    wide from = s, to = e, slope = zero, t = s + (e - s) * (at_s / (at_s - at_e));
    signs start = signs_of(at_s, q->bound);
    snag__i64w left = wanted;
    for (int i = 0; i < STEPS && snag__i64w_bits(left) != 0; i++) {
        wide new_slope, value = value_and_slope(q, t, &new_slope);
        slope = snag__f64w_select(left, new_slope, slope);
        snag__i64w like_start = ~(snag__f64w_lt(zero, value) ^ start.above);
        from = snag__f64w_select(left & like_start, t, from);
        to = snag__f64w_select(left & ~like_start, t, to);
        wide next = t - value / new_slope;
        snag__i64w near = snag__f64w_le(snag__f64w_abs(value), q->bound);
        wide last = snag__f64w_select(snag__f64w_le(from, next) & snag__f64w_le(next, to), next, t);
        wide step = snag__f64w_select(snag__f64w_lt(from, next) & snag__f64w_lt(next, to), next, (from + to) / 2);
        t = snag__f64w_select(left, snag__f64w_select(near, last, step), t);
        left &= ~near;
    }
    snag__i64w open = wanted & ~left, found = snag__i64w_all(0);
    wide half = snag__f64w_max(2 * q->bound / snag__f64w_abs(slope), snag__f64w_all(0x1p-52));
    root->middle = t;
    root->low = root->high = t;
    for (int i = 0; i < WIDENINGS && snag__i64w_bits(open) != 0; i++) {
        wide low = snag__f64w_max(s, t - half), high = snag__f64w_min(e, t + half);
        signs at_low = signs_of(blossom(q, low, low, low), q->bound), at_high = signs_of(blossom(q, high, high, high), q->bound);
        snag__i64w here = (start.above & at_low.above & at_high.below) | (start.below & at_low.below & at_high.above);
        here &= open & snag__f64w_le(half, snag__f64w_all(SNAG__WIDEST_ENCLOSURE));
        root->low = snag__f64w_select(here, low, root->low);
        root->high = snag__f64w_select(here, high, root->high);
        found |= here;
        open &= ~here;
        half = half * 4;
    }
    signs before = signs_over(q, s, root->low), after = signs_over(q, root->high, e);
    return found & ((start.above & before.above & after.below) | (start.below & before.below & after.above));
}

// ---- weights ----

static inline wide3 at_time(const wide3 x[2], wide t)
{
    return (wide3){x[0].x + t * (x[1].x - x[0].x), x[0].y + t * (x[1].y - x[0].y), x[0].z + t * (x[1].z - x[0].z)};
}

static inline signs inside_at(const frame *f, bool edges, const enclosure *root)
{
    wide t = root->middle;
    wide3 a = at_time(f->a, t), b = at_time(f->b, t), c = at_time(f->c, t);
    wide3 n = cross(a, b), cb = cross(c, b), ca = cross(c, a);
    wide whole = dot(n, n), u = dot(cb, n), v = dot(ca, n);
    wide least =
        snag__f64w_min(u, edges ? snag__f64w_min(whole - u, snag__f64w_min(v, whole - v)) : snag__f64w_min(whole - u + v, -v));
    wide ab = f->length[0] * f->length[1], width = snag__f64w_max(root->high - t, t - root->low);
    wide largest_product = snag__f64w_max(ab, f->length[2] * snag__f64w_max(f->length[0], f->length[1]));
    return signs_of(least, (SNAG__WEIGHT_BOUND + SNAG__WEIGHT_SLOPE * width) * ab * largest_product);
}

// ---- runs ----

static inline void load(const snag__impact_run *run, bool edges, const uint32_t *open, size_t lanes, points *p)
{
    const double *x[2][4][SNAG__LANES_F64];
    for (size_t lane = 0; lane < LANES_F64; lane++) {
        const uint32_t *pair = run->pairs[open[lane < lanes ? lane : 0]];
        uint32_t ia = pair[run->a_column], ib = pair[1 - run->a_column];
        const uint32_t *b = run->b.elements + (edges ? 2 : 3) * (size_t)ib, *a = edges ? run->a.elements + 2 * (size_t)ia : &ia;
        int of_a = edges ? 2 : 1;
        for (int i = 0; i < 4; i++) {
            x[0][i][lane] = i < of_a ? run->a.x_t0[a[i]] : run->b.x_t0[b[i - of_a]];
            x[1][i][lane] = i < of_a ? run->a.x_t1[a[i]] : run->b.x_t1[b[i - of_a]];
        }
    }
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < 4; i++)
            p->at[end][i] = gather(x[end][i]);
}

static inline void solve_lanes(const snag__impact_run *run, bool edges, const uint32_t *open, size_t lanes, uint8_t *outcome,
                               double *t)
{
    points p;
    frame f;
    cubic q;
    wide cuts[PIECES + 1], time = snag__f64w_all(1.0);
    load(run, edges, open, lanes, &p);
    put_in_order(&p, edges);
    make_frame(&p, edges, &f);
    snag__i64w left = snag__i64w_all(-1), meets = snag__i64w_all(0), unclear;
    for (int i = 0; i < 3; i++)
        left &= snag__f64w_le(snag__f64w_all(SNAG__LENGTH_LOW), f.length[i]) &
                snag__f64w_le(f.length[i], snag__f64w_all(SNAG__LENGTH_HIGH));
    unclear = ~left;
    make_cubic(&f, &q);
    split_at_extrema(&q, cuts);
    for (int i = 0; i < PIECES && snag__i64w_bits(left) != 0; i++) {
        wide s = cuts[i], e = cuts[i + 1];
        // A piece that begins with a cut at 1 is none.
        snag__i64w here = i == 0 ? left : left & snag__f64w_lt(s, snag__f64w_all(1.0));
        if (snag__i64w_bits(here) == 0)
            break;
        wide at_s = blossom(&q, s, s, s), at_e = blossom(&q, e, e, e);
        signs all_over = signs_over(&q, s, e);
        here &= ~(all_over.above | all_over.below);
        if (snag__i64w_bits(here) == 0)
            continue;
        signs at_start = signs_of(at_s, q.bound), at_end = signs_of(at_e, q.bound);
        snag__i64w differ = (at_start.above & at_end.below) | (at_start.below & at_end.above);
        enclosure root;
        snag__i64w enclosed = enclose_root(&q, s, e, at_s, at_e, here & differ, &root);
        signs inside = inside_at(&f, edges, &root);
        snag__i64w sharp = snag__f64w_le(root.high - root.low, snag__f64w_all(SNAG__SHARP_WIDTH));
        snag__i64w hit = enclosed & inside.above & sharp, miss = enclosed & inside.below;
        time = snag__f64w_select(hit, root.low, time);
        meets |= hit;
        unclear |= here & ~(hit | miss);
        left &= ~(here & ~miss);
    }
    uint32_t meets_bits = snag__i64w_bits(meets), unclear_bits = snag__i64w_bits(unclear);
    double times[SNAG__LANES_F64];
    snag__f64w_store(times, time);
    for (size_t lane = 0; lane < lanes; lane++) {
        outcome[lane] = unclear_bits >> lane & 1 ? SNAG__SOLVE_OPEN : meets_bits >> lane & 1 ? SNAG__SOLVE_MEETS : SNAG__SOLVE_FREE;
        t[lane] = times[lane];
    }
}

static void solve(const snag__impact_run *run, const uint32_t *open, size_t count, uint8_t *outcome, double *t)
{
    for (size_t i = 0; i < count; i += LANES_F64) {
        size_t lanes = count - i < LANES_F64 ? count - i : LANES_F64;
        if (run->pair == SNAG__IMPACT_EDGE_EDGE)
            solve_lanes(run, true, open + i, lanes, outcome + i, t + i);
        else
            solve_lanes(run, false, open + i, lanes, outcome + i, t + i);
    }
}

const snag__impact_solve_kernels SNAG__KERNEL(snag__impact_solve_kernels) = {
    .solve = solve,
};
