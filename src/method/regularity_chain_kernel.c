// The quick proof about projected contours: see regularity_chain.h.
//
// Errors. Let m be the largest coordinate, u = 2^-53. A coordinate is projected in double with an error below 9 u m (see
// regularity_contour.c) and rounded to single precision: it is at most 1.8 m, and off by less than e = 2^-23 m. Sums and differences
// of two are at most 4 m and off by less than 2 e + 2^-24 * 4 m = 4 e, and adding a margin rounds by less than e. Values that differ
// by more than 16 e therefore certainly differ. A cross product of two such differences, with coordinates of at most D <= 4 m, is
// off by less than 4 * 4 e D + 2 (4 e)^2, and by 4 * 2^-24 * 2 D^2 < 16 e D from rounding: together less than 64 e (D + e); so is
// the mean of two.
#include "base/simd.h"
#include "geom/simd_vec3.h"
#include "method/regularity_chain.h"

#define LANES_F32 ((size_t)SNAG__LANES_F32)
#define LANES_F64 ((size_t)SNAG__LANES_F64)

enum { AXES = SNAG__CHAIN_AXES };

static const double COORDINATE_ERROR = 0x1p-23;
// Within these limits squares of coordinates and of their errors neither underflow nor overflow in single precision.
static const double SMALLEST = 1e-10, LARGEST = 1e15;

typedef struct prover {
    snag__chain *chain;
    const snag__chain_view *view;
    float error;
    float gap;  // coordinates that differ by more certainly differ
} prover;

static size_t round_up(size_t count)
{
    return (count + LANES_F32 - 1) / LANES_F32 * LANES_F32;
}

// ---- coordinates ----

// Projects vertices `first` .. first + count - 1 of the chain; up to a whole vector behind them is written too.
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

static inline float least_of_four(const float *x)
{
    float a = x[0] < x[1] ? x[0] : x[1], b = x[2] < x[3] ? x[2] : x[3];
    return a < b ? a : b;
}

static inline float most_of_four(const float *x)
{
    float a = x[0] > x[1] ? x[0] : x[1], b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}

_Static_assert(SNAG__BLOCK_EDGES == 4 && SNAG__CHAIN_WINDOW >= 3,
               "the last block of a loop may be bounded with the edges that follow");

// Boxes of blocks. Those behind the last one are empty. That of the last block of a loop is with the first edges of the loop again,
// which only makes it larger.
static void bound_blocks_along(const prover *p, int pose, int axis)
{
    const snag__chain *chain = p->chain;
    const snag__chain_boxes *blocks = &chain->blocks;
    const float *lo = chain->lo[pose][axis], *hi = chain->hi[pose][axis];
    for (size_t b = 0; b < blocks->count; b++) {
        blocks->lo[pose][axis][b] = least_of_four(lo + chain->block_first[b]);
        blocks->hi[pose][axis][b] = most_of_four(hi + chain->block_first[b]);
    }
    for (size_t b = blocks->count; b < round_up(blocks->count); b++) {
        blocks->lo[pose][axis][b] = INFINITY;
        blocks->hi[pose][axis][b] = -INFINITY;
    }
}

// Group g becomes the union of as many blocks as a vector holds.
static void bound_group(const prover *p, int pose, size_t g)
{
    const snag__chain_boxes *blocks = &p->chain->blocks, *groups = &p->chain->groups;
    for (int axis = 0; axis < 2; axis++) {
        float least = INFINITY, most = -INFINITY;
        for (size_t i = g * LANES_F32; i < (g + 1) * LANES_F32 && g < groups->count; i++) {
            least = blocks->lo[pose][axis][i] < least ? blocks->lo[pose][axis][i] : least;
            most = blocks->hi[pose][axis][i] > most ? blocks->hi[pose][axis][i] : most;
        }
        groups->lo[pose][axis][g] = least;
        groups->hi[pose][axis][g] = most;
    }
}

static void bound_blocks(const prover *p, int pose)
{
    snag__chain_boxes *groups = &p->chain->groups;
    for (int axis = 0; axis < 2; axis++)
        bound_blocks_along(p, pose, axis);
    groups->count = (uint32_t)(round_up(p->chain->blocks.count) / LANES_F32);
    for (size_t g = 0; g < round_up(groups->count); g++)
        bound_group(p, pose, g);
}

// ---- vectors of pairs of edges ----

// Which of the pairs (a, b), (a + 1, b + 1), ... are certainly apart at all times: separated along one coordinate, in the same order
// at both ends of the move. The difference of two points changes linearly, so that this holds in between too.
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

// The angle from u to v over time: the least Bernstein coefficients of the dot product (ahead), of the cross product (left) and of
// its negative (right).
typedef struct angles {
    snag__f32w ahead, left, right;
} angles;

SNAG__INLINE void add_angle(vectors u, vectors v, vectors u_too, vectors v_too, angles *t)
{
    snag__f32w half = snag__f32w_all(0.5F);
    snag__f32w dot = (u.x * v.x + u.y * v.y + (u_too.x * v_too.x + u_too.y * v_too.y)) * half;
    snag__f32w cross = (u.x * v.y - u.y * v.x + (u_too.x * v_too.y - u_too.y * v_too.x)) * half;
    t->ahead = snag__f32w_min(t->ahead, dot);
    t->left = snag__f32w_min(t->left, cross);
    t->right = snag__f32w_min(t->right, -cross);
}

// For edges b that begin where edges a end: which certainly meet nowhere else, because at no time b runs straight back.
SNAG__INLINE snag__i32w angles_are_good(const prover *p, int poses, size_t a, size_t b)
{
    vectors u = vectors_of(p, 0, a), v = vectors_of(p, 0, b);
    snag__f32w size = snag__f32w_max(size_of(u), size_of(v)), inf = snag__f32w_all(INFINITY);
    angles t = {inf, inf, inf};
    add_angle(u, v, u, v, &t);
    if (poses == 2) {
        vectors u_t0 = vectors_of(p, 1, a), v_t0 = vectors_of(p, 1, b);
        size = snag__f32w_max(size, snag__f32w_max(size_of(u_t0), size_of(v_t0)));
        add_angle(u_t0, v_t0, u_t0, v_t0, &t);
        add_angle(u, v_t0, u_t0, v, &t);
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

// Whether a line parallel to one of the edges at the end of the move separates them at all times.
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

// False for two edges that both end, or both begin, at one vertex: a pinched loop is left to the sweep.
static __attribute__((noinline)) bool edges_are_good(const prover *p, size_t a, size_t b)
{
    const uint32_t *of_a = p->chain->vertices + a, *of_b = p->chain->vertices + b;
    int poses = p->view->poses;
    bool a_first = of_a[1] == of_b[0], b_first = of_b[1] == of_a[0];
    if (a_first || b_first)
        return a_first != b_first &&
               (snag__i32w_bits(a_first ? angles_are_good(p, poses, a, b) : angles_are_good(p, poses, b, a)) & 1) != 0;
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
            snag__i32w good = ahead == 1 ? angles_are_good(p, poses, i, i + 1) : are_apart(p, poses, i, i + ahead);
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

// Which of a vector of boxes are not certainly apart from box a at all times. Upper ends include the margin.
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

// Which of a vector of edges from b on are certainly apart from edge a at all times, as in are_apart.
SNAG__INLINE snag__i32w are_apart_from(const prover *p, int poses, size_t a, size_t b)
{
    snag__i32w apart = snag__i32w_all(0);
    for (int axis = 0; axis < AXES; axis++) {
        snag__i32w below = snag__i32w_all(-1), above = below;
        for (int pose = 0; pose < poses; pose++) {
            const float *lo = p->chain->lo[pose][axis], *hi = p->chain->hi[pose][axis];
            below &= snag__f32w_lt(snag__f32w_all(hi[a]), snag__f32w_load(lo + b));
            above &= snag__f32w_lt(snag__f32w_load(hi + b), snag__f32w_all(lo[a]));
        }
        apart |= below | above;
    }
    return apart;
}

SNAG__INLINE bool edges_of_blocks_are_good(const prover *p, int poses, size_t a, size_t b)
{
    const snag__chain *chain = p->chain;
    size_t end = chain->block_end[b];
    for (size_t i = chain->block_first[a]; i < chain->block_end[a]; i++)
        for (size_t j = chain->block_first[b]; j < end; j += LANES_F32) {
            uint32_t there = end - j < LANES_F32 ? (1u << (end - j)) - 1u : SNAG__ALL_F32;
            for (uint32_t bad = there & ~snag__i32w_bits(are_apart_from(p, poses, i, j)); bad != 0; bad &= bad - 1)
                if (!edges_are_good(p, i, j + (size_t)__builtin_ctz(bad)))
                    return false;
        }
    return true;
}

// Compares block a with those of a group that come after it. A block and the next one have been compared edge by edge already.
SNAG__INLINE bool block_is_good(const prover *p, int poses, size_t a, size_t group)
{
    const snag__chain *chain = p->chain;
    for (uint32_t bits = near_boxes(&chain->blocks, poses, a, group * LANES_F32); bits != 0; bits &= bits - 1) {
        size_t b = group * LANES_F32 + (size_t)__builtin_ctz(bits);
        bool is_next = b == a + 1 && chain->block_first[b] == chain->block_end[a];
        if (b > a && !is_next && !edges_of_blocks_are_good(p, poses, a, b))
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

// Whether the box of one of two loops is certainly not inside that of the other at the end of the move. Then the loop is not inside
// the other loop. The first blocks are those of the first loop.
static bool sticks_out(const prover *p, int loop)
{
    const snag__chain *chain = p->chain;
    uint32_t blocks = chain->blocks.count, second = (chain->loop_edges[0] + SNAG__BLOCK_EDGES - 1) / SNAG__BLOCK_EDGES;
    for (int axis = 0; axis < 2; axis++) {
        const float *block_lo = chain->blocks.lo[0][axis], *block_hi = chain->blocks.hi[0][axis];
        float lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (uint32_t b = 0; b < blocks; b++) {
            int of = b >= second;
            lo[of] = block_lo[b] < lo[of] ? block_lo[b] : lo[of];
            hi[of] = block_hi[b] > hi[of] ? block_hi[b] : hi[of];
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
    SNAG__ASSERT(view->poses == 1 || view->poses == 2);
    SNAG__ASSERT(chain->loops > 0 && chain->loops <= SNAG__CHAIN_LOOPS);
    if (!(view->largest > SMALLEST && view->largest < LARGEST))
        return false;
    float error = (float)(COORDINATE_ERROR * view->largest);
    prover p = {chain, view, error, 16 * error};
    return view->poses == 1 ? prove(&p, 1) : prove(&p, 2);
}

const snag__chain_kernels SNAG__KERNEL(snag__chain_kernels) = {.is_simple = is_simple};
