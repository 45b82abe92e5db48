// The quick proof about projected contours: see regularity_chain.h.
//
// Errors. Let m be the reach, u = 2^-53. A coordinate is projected in double with an error below 9 u m (see
// regularity_contour.c) and rounded to single precision: it is at most 1.8 m, and off by less than e = 2^-23 m. Sums
// and differences of two are at most 4 m and off by less than 2 e + 2^-24 * 4 m = 4 e, and to add a margin rounds by
// less than e. What differs by more than 16 e is therefore certainly different. A cross product of two such
// differences, each coordinate of which is at most D <= 4 m, is off by less than 4 * 4 e D + 2 (4 e)^2 and by 4 * 2^-24
// * 2 D^2 < 16 e D from rounding: together less than 64 e (D + e); so is the mean of two.
#include "base/simd.h"
#include "geom/simd_vec3.h"
#include "method/regularity_chain.h"

#define LANES_F32 ((size_t)SNAG__LANES_F32)
#define LANES_F64 ((size_t)SNAG__LANES_F64)

enum { AXES = SNAG__CHAIN_AXES };

static const double COORDINATE_ERROR = 0x1p-23;

typedef struct prover {
    snag__chain *chain;
    const snag__chain_view *view;
    float error;
    float gap;  // what differs by more is different
} prover;

static size_t round_up(size_t count)
{
    return (count + LANES_F32 - 1) / LANES_F32 * LANES_F32;
}

// ---- coordinates ----

// Vertices `first` .. first + count - 1 of the chain; up to a whole vector behind them are written too.
static void project(const prover *p, int pose, size_t first, size_t count)
{
    const uint32_t *vertices = p->chain->vertices;
    const double *e = p->view->across[0], *f = p->view->across[1], *origin = p->view->origin;
    for (size_t i = first; i < first + count; i += LANES_F64) {
        const double *v[SNAG__LANES_F64];
        for (size_t lane = 0; lane < LANES_F64; lane++)
            v[lane] = p->view->x[pose][vertices[i + lane < first + count ? i + lane : first]];
        snag__simd_vec3 at = snag__simd_vec3_gather(v);
        at = (snag__simd_vec3){at.x - origin[0], at.y - origin[1], at.z - origin[2]};
        double x[SNAG__LANES_F64], y[SNAG__LANES_F64];
        snag__f64w_store(x, at.x * e[0] + at.y * e[1] + at.z * e[2]);
        snag__f64w_store(y, at.x * f[0] + at.y * f[1] + at.z * f[2]);
        for (size_t lane = 0; lane < LANES_F64; lane++) {
            p->chain->x[pose][i + lane] = (float)x[lane];
            p->chain->y[pose][i + lane] = (float)y[lane];
        }
    }
}

static void bound_edges(const prover *p, int pose, size_t first, size_t count)
{
    const float *all_x = p->chain->x[pose], *all_y = p->chain->y[pose];
    for (size_t i = first; i < first + count; i += LANES_F32) {
        snag__f32w x = snag__f32w_load(all_x + i), y = snag__f32w_load(all_y + i);
        snag__f32w next_x = snag__f32w_load(all_x + i + 1), next_y = snag__f32w_load(all_y + i + 1);
        const snag__f32w from[AXES] = {x, y, x + y, x - y};
        const snag__f32w to[AXES] = {next_x, next_y, next_x + next_y, next_x - next_y};
        for (int axis = 0; axis < AXES; axis++) {
            snag__f32w_store(p->chain->lo[pose][axis] + i, snag__f32w_min(from[axis], to[axis]));
            snag__f32w_store(p->chain->hi[pose][axis] + i, snag__f32w_max(from[axis], to[axis]) + snag__f32w_all(p->gap));
        }
    }
}

// Box `box` from those at slots first .. end - 1.
static void join_boxes(float *const lo[2], float *const hi[2], size_t first, size_t end, float *const to_lo[2],
                       float *const to_hi[2], size_t box)
{
    for (int axis = 0; axis < 2; axis++) {
        float least = INFINITY, most = -INFINITY;
        for (size_t i = first; i < end; i++) {
            least = lo[axis][i] < least ? lo[axis][i] : least;
            most = hi[axis][i] > most ? hi[axis][i] : most;
        }
        to_lo[axis][box] = least;
        to_hi[axis][box] = most;
    }
}

static void bound_blocks(const prover *p, int pose)
{
    snag__chain *chain = p->chain;
    snag__chain_boxes *blocks = &chain->blocks, *groups = &chain->groups;
    groups->count = (uint32_t)(round_up(blocks->count) / LANES_F32);
    // An empty range makes an empty box.
    for (size_t b = 0; b < round_up(blocks->count); b++) {
        bool there = b < blocks->count;
        join_boxes(chain->lo[pose], chain->hi[pose], there ? chain->block_first[b] : 0, there ? chain->block_end[b] : 0,
                   blocks->lo[pose], blocks->hi[pose], b);
    }
    for (size_t g = 0; g < round_up(groups->count); g++) {
        bool there = g < groups->count;
        join_boxes(blocks->lo[pose], blocks->hi[pose], g * LANES_F32, there ? (g + 1) * LANES_F32 : g * LANES_F32, groups->lo[pose],
                   groups->hi[pose], g);
    }
}

// ---- vectors of pairs of edges ----

// Edges a, a + 1, .. and b, b + 1, ..: those that are certainly apart at all times, along one coordinate, in one order,
// at both ends of the move. What a point of one is ahead of a point of the other changes linearly, so that this holds
// in between too.
SNAG__INLINE snag__i32w are_apart(const prover *p, int poses, size_t a, size_t b)
{
    snag__i32w apart = snag__i32w_all(0);
    for (int axis = 0; axis < AXES; axis++) {
        snag__i32w below = snag__i32w_all(-1), above = below;
        for (int pose = 0; pose < poses; pose++) {
            const float *lo = p->chain->lo[pose][axis], *hi = p->chain->hi[pose][axis];
            below &= snag__f32w_lt(snag__f32w_load(hi + a), snag__f32w_load(lo + b));
            above &= snag__f32w_lt(snag__f32w_load(hi + b), snag__f32w_load(lo + a));
        }
        apart |= below | above;
    }
    return apart;
}

typedef struct vectors {
    snag__f32w x, y;
} vectors;

SNAG__INLINE vectors vectors_of(const prover *p, int pose, size_t edge)
{
    const float *x = p->chain->x[pose] + edge, *y = p->chain->y[pose] + edge;
    return (vectors){snag__f32w_load(x + 1) - snag__f32w_load(x), snag__f32w_load(y + 1) - snag__f32w_load(y)};
}

SNAG__INLINE snag__f32w size_of(vectors a)
{
    return snag__f32w_max(snag__f32w_max(a.x, -a.x), snag__f32w_max(a.y, -a.y));
}

// What is seen of the turns from u to v: Bernstein coefficients of their scalar and cross products, the least and the
// largest.
typedef struct turns {
    snag__f32w ahead, left, right;
} turns;

SNAG__INLINE void add_turn(vectors u, vectors v, vectors u_too, vectors v_too, turns *t)
{
    snag__f32w half = snag__f32w_all(0.5F);
    snag__f32w dot = (u.x * v.x + u.y * v.y + (u_too.x * v_too.x + u_too.y * v_too.y)) * half;
    snag__f32w cross = (u.x * v.y - u.y * v.x + (u_too.x * v_too.y - u_too.y * v_too.x)) * half;
    t->ahead = snag__f32w_min(t->ahead, dot);
    t->left = snag__f32w_min(t->left, cross);
    t->right = snag__f32w_min(t->right, -cross);
}

// Edges b that begin where edges a end: those that certainly meet nowhere else, as at no time they turn straight back.
SNAG__INLINE snag__i32w turn_well(const prover *p, int poses, size_t a, size_t b)
{
    vectors u = vectors_of(p, 0, a), v = vectors_of(p, 0, b);
    snag__f32w size = snag__f32w_max(size_of(u), size_of(v)), inf = snag__f32w_all(INFINITY);
    turns t = {inf, inf, inf};
    add_turn(u, v, u, v, &t);
    if (poses == 2) {
        vectors u_t0 = vectors_of(p, 1, a), v_t0 = vectors_of(p, 1, b);
        size = snag__f32w_max(size, snag__f32w_max(size_of(u_t0), size_of(v_t0)));
        add_turn(u_t0, v_t0, u_t0, v_t0, &t);
        add_turn(u, v_t0, u_t0, v, &t);
    }
    snag__f32w margin = (size + snag__f32w_all(p->error)) * snag__f32w_all(64 * p->error);
    return snag__f32w_lt(margin, t.ahead) | snag__f32w_lt(margin, t.left) | snag__f32w_lt(margin, t.right);
}

// ---- one pair of edges ----

// Whether edge b lies beyond edge a along (x, y) at both ends of the move, and so at all times.
static bool is_beyond(const prover *p, size_t a, size_t b, double x, double y)
{
    double margin = 8 * (double)p->error * (fabs(x) + fabs(y));
    for (int pose = 0; pose < p->view->poses; pose++) {
        const float *all_x = p->chain->x[pose], *all_y = p->chain->y[pose];
        for (size_t i = a; i < a + 2; i++)
            for (size_t j = b; j < b + 2; j++)
                if (!(x * ((double)all_x[j] - (double)all_x[i]) + y * ((double)all_y[j] - (double)all_y[i]) > margin))
                    return false;
    }
    return true;
}

// By a line along one of them, at the end of the move.
static bool are_parted(const prover *p, size_t a, size_t b)
{
    const size_t both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const float *x = p->chain->x[0] + both[i], *y = p->chain->y[0] + both[i];
        double dx = (double)x[1] - (double)x[0], dy = (double)y[1] - (double)y[0];
        if (is_beyond(p, a, b, -dy, dx) || is_beyond(p, a, b, dy, -dx))
            return true;
    }
    return false;
}

// Two edges that both end, or both begin, at one vertex are not apart: a pinched loop is left to the sweep.
static __attribute__((noinline)) bool edges_are_good(const prover *p, size_t a, size_t b)
{
    const uint32_t *of_a = p->chain->vertices + a, *of_b = p->chain->vertices + b;
    int poses = p->view->poses;
    bool a_first = of_a[1] == of_b[0], b_first = of_b[1] == of_a[0];
    if (a_first || b_first)
        return a_first != b_first && (snag__i32w_bits(a_first ? turn_well(p, poses, a, b) : turn_well(p, poses, b, a)) & 1) != 0;
    return (snag__i32w_bits(are_apart(p, poses, a, b)) & 1) != 0 || are_parted(p, a, b);
}

// ---- edges and those that follow ----

SNAG__INLINE bool window_is_good(const prover *p, int poses, size_t first, size_t count)
{
    size_t window = count > SNAG__CHAIN_WINDOW ? SNAG__CHAIN_WINDOW : count - 1;
    for (size_t i = first; i < first + count; i += LANES_F32) {
        size_t left = first + count - i;
        uint32_t there = left < LANES_F32 ? (1u << left) - 1u : SNAG__ALL_F32;
        for (size_t ahead = 1; ahead <= window; ahead++) {
            snag__i32w good = ahead == 1 ? turn_well(p, poses, i, i + 1) : are_apart(p, poses, i, i + ahead);
            for (uint32_t bad = there & ~snag__i32w_bits(good); bad != 0; bad &= bad - 1) {
                size_t edge = i + (size_t)__builtin_ctz(bad);
                if (ahead == 1 || !edges_are_good(p, edge, edge + ahead))
                    return false;
            }
        }
    }
    return true;
}

// ---- blocks ----

// Those of W boxes that are not certainly apart from box a, at all times. Upper ends have the margin in them.
SNAG__INLINE uint32_t near_boxes(const snag__chain_boxes *boxes, int poses, size_t a, size_t first)
{
    snag__i32w apart = snag__i32w_all(0);
    for (int axis = 0; axis < 2; axis++) {
        snag__i32w below = snag__i32w_all(-1), above = below;
        for (int pose = 0; pose < poses; pose++) {
            const float *lo = boxes->lo[pose][axis], *hi = boxes->hi[pose][axis];
            below &= snag__f32w_lt(snag__f32w_load(hi + first), snag__f32w_all(lo[a]));
            above &= snag__f32w_lt(snag__f32w_all(hi[a]), snag__f32w_load(lo + first));
        }
        apart |= below | above;
    }
    return ~snag__i32w_bits(apart) & SNAG__ALL_F32;
}

static bool edges_of_blocks_are_good(const prover *p, size_t a, size_t b)
{
    const snag__chain *chain = p->chain;
    for (size_t i = chain->block_first[a]; i < chain->block_end[a]; i++)
        for (size_t j = chain->block_first[b]; j < chain->block_end[b]; j++)
            if (!edges_are_good(p, i, j))
                return false;
    return true;
}

// Block a and those of a group behind it. A block and the next one have been compared edge by edge.
SNAG__INLINE bool block_is_good(const prover *p, int poses, size_t a, size_t group)
{
    const snag__chain *chain = p->chain;
    for (uint32_t bits = near_boxes(&chain->blocks, poses, a, group * LANES_F32); bits != 0; bits &= bits - 1) {
        size_t b = group * LANES_F32 + (size_t)__builtin_ctz(bits);
        bool is_next = b == a + 1 && chain->block_first[b] == chain->block_end[a];
        if (b > a && !is_next && !edges_of_blocks_are_good(p, a, b))
            return false;
    }
    return true;
}

SNAG__INLINE bool groups_are_good(const prover *p, int poses, size_t a, size_t b)
{
    for (size_t block = a * LANES_F32; block < (a + 1) * LANES_F32 && block < p->chain->blocks.count; block++)
        if (!block_is_good(p, poses, block, b))
            return false;
    return true;
}

SNAG__INLINE bool blocks_are_good(const prover *p, int poses)
{
    const snag__chain_boxes *groups = &p->chain->groups;
    for (size_t a = 0; a < groups->count; a++)
        for (size_t first = a / LANES_F32 * LANES_F32; first < groups->count; first += LANES_F32)
            for (uint32_t bits = near_boxes(groups, poses, a, first); bits != 0; bits &= bits - 1) {
                size_t b = first + (size_t)__builtin_ctz(bits);
                if (b >= a && !groups_are_good(p, poses, a, b))
                    return false;
            }
    return true;
}

// ---- the whole ----

// Whether the box of one of two loops is certainly not within that of the other at the end of the move: then neither is
// the loop.
static bool sticks_out(const prover *p, int loop)
{
    const snag__chain *chain = p->chain;
    for (int axis = 0; axis < 2; axis++) {
        float lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 2; i++)
            for (size_t k = chain->loop_first[i]; k < chain->loop_first[i] + chain->loop_edges[i]; k++) {
                lo[i] = fminf(lo[i], chain->lo[0][axis][k]);
                hi[i] = fmaxf(hi[i], chain->hi[0][axis][k]);
            }
        if (lo[loop] + p->gap < lo[!loop] || hi[loop] - p->gap > hi[!loop])
            return true;
    }
    return false;
}

// Compiled once for one pose and once for two.
SNAG__INLINE bool prove(const prover *p, int poses)
{
    const snag__chain *chain = p->chain;
    for (uint32_t loop = 0; loop < chain->loops; loop++) {
        size_t first = chain->loop_first[loop], count = chain->loop_edges[loop];
        for (int pose = 0; pose < poses; pose++) {
            project(p, pose, first, count + SNAG__CHAIN_WINDOW + 1);
            bound_edges(p, pose, first, count + SNAG__CHAIN_WINDOW);
        }
        if (!window_is_good(p, poses, first, count))
            return false;
    }
    for (int pose = 0; pose < poses; pose++)
        bound_blocks(p, pose);
    return blocks_are_good(p, poses) && (chain->loops == 1 || (sticks_out(p, 0) && sticks_out(p, 1)));
}

static bool is_simple(snag__chain *chain, const snag__chain_view *view)
{
    // Squares must be far from the ends of single precision.
    if (!(view->reach > 1e-10 && view->reach < 1e15))
        return false;
    float error = (float)(COORDINATE_ERROR * view->reach);
    prover p = {chain, view, error, 16 * error};
    return view->poses == 1 ? prove(&p, 1) : prove(&p, 2);
}

const snag__chain_kernels SNAG__KERNEL(snag__chain_kernels) = {.is_simple = is_simple};
