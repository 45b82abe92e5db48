// The quick proof about projected loops is never wrong: where it says that a loop meets itself nowhere, two edges that
// meet are found by no oracle that looks at every pair, in exact arithmetic, at the end of the move and at many times
// of it. It is not timid either: jagged loops that are simple are mostly proven so.
#include "base/random.h"
#include "helpers/test.h"
#include "method/regularity_chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES_MAX = 160, GRID = 1 << 16, TIMES = 16 };

// A loop in the plane. Coordinates are whole numbers, so that the oracle's determinants are exact, also at times k /
// TIMES.
typedef struct loop {
    uint32_t count, vertices[2 * EDGES_MAX];
    int64_t x[2][2 * EDGES_MAX][2];  // by pose: at the end of the move, and at its beginning
} loop;

// ---- the oracle ----

static void point_at(const loop *l, uint32_t i, int64_t time, int64_t p[2])
{
    for (int k = 0; k < 2; k++)
        p[k] = time * l->x[0][l->vertices[i % l->count]][k] + (TIMES - time) * l->x[1][l->vertices[i % l->count]][k];
}

static int side(const int64_t a[2], const int64_t b[2], const int64_t c[2])
{
    // Below 2^48.
    int64_t d = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    return (d > 0) - (d < 0);
}

static bool within(const int64_t a[2], const int64_t b[2], const int64_t c[2])
{
    for (int k = 0; k < 2; k++)
        if (c[k] < (a[k] < b[k] ? a[k] : b[k]) || c[k] > (a[k] > b[k] ? a[k] : b[k]))
            return false;
    return side(a, b, c) == 0;
}

static bool segments_meet(const int64_t a[2], const int64_t b[2], const int64_t c[2], const int64_t d[2])
{
    if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0)
        return true;
    return within(a, b, c) || within(a, b, d) || within(c, d, a) || within(c, d, b);
}

// Whether edges i and j meet at more than the end that they share in the order of the loop.
static bool edges_meet(const loop *l, uint32_t i, uint32_t j, int64_t time)
{
    int64_t p[4][2];
    point_at(l, i, time, p[0]);
    point_at(l, i + 1, time, p[1]);
    point_at(l, j, time, p[2]);
    point_at(l, j + 1, time, p[3]);
    if ((i + 1) % l->count == j)
        return within(p[0], p[1], p[3]) || within(p[2], p[3], p[0]);
    if ((j + 1) % l->count == i)
        return within(p[2], p[3], p[1]) || within(p[0], p[1], p[2]);
    return segments_meet(p[0], p[1], p[2], p[3]);
}

static bool meets_itself(const loop *l, bool moves)
{
    for (int64_t time = moves ? 0 : TIMES; time <= TIMES; time++)
        for (uint32_t i = 0; i < l->count; i++)
            for (uint32_t j = i + 1; j < l->count; j++)
                if (edges_meet(l, i, j, time))
                    return true;
    return false;
}

// ---- loops ----

// A ring with teeth. At the beginning it may be elsewhere, or turned.
static void make_ring(loop *l, double jagged, double sway, snag__random *random)
{
    l->count = 3 + snag__random_below(random, EDGES_MAX - 3);
    double shift = snag__random_range(random, -1, 1) * sway * GRID, turn = snag__random_range(random, -1, 1) * sway;
    for (uint32_t i = 0; i < l->count; i++) {
        double angle = 2 * 3.14159265358979 * (i + snag__random_range(random, -jagged, jagged)) / l->count;
        double radius = GRID * (1 + jagged * snag__random_range(random, -1, 1) * 3 / l->count);
        l->vertices[i] = i;
        for (int pose = 0; pose < 2; pose++) {
            double at = angle + pose * turn, r = radius * (1 + pose * sway * snag__random_range(random, -1, 1) / l->count);
            l->x[pose][i][0] = (int64_t)(r * cos(at) + pose * shift);
            l->x[pose][i][1] = (int64_t)(r * sin(at) - pose * shift);
        }
    }
}

// Puts a vertex onto another slot of the loop: onto a vertex, onto an edge, or beyond one.
static void spoil(loop *l, snag__random *random)
{
    uint32_t a = snag__random_below(random, l->count), b = snag__random_below(random, l->count), c = (b + 1) % l->count;
    int64_t at = 2 * (int64_t)snag__random_below(random, 3);
    int pose = (int)snag__random_below(random, 2);
    for (int k = 0; k < 2; k++) {
        // Differences made even, so that the middle of the edge is a whole number.
        l->x[pose][c][k] += (l->x[pose][c][k] - l->x[pose][b][k]) & 1;
        l->x[pose][a][k] = l->x[pose][b][k] + (l->x[pose][c][k] - l->x[pose][b][k]) / 2 * at / 2;
    }
}

// ---- the proof ----

typedef struct rig {
    snag__chain chain;
    void *memory;
} rig;

static rig make_rig(void)
{
    rig r;
    size_t bytes = (snag__chain_bytes(2 * EDGES_MAX) + 63) / 64 * 64;
    r.memory = aligned_alloc(64, bytes);
    memset(r.memory, 0, bytes);
    snag__chain_make(&r.chain, r.memory, 2 * EDGES_MAX);
    return r;
}

// The plane lies aslant in space.
static bool is_proven(rig *r, const loop *l, uint32_t loops, bool moves, snag_isa isa)
{
    static double x[2][2 * EDGES_MAX][3];
    snag__chain_view view = {.poses = moves ? 2 : 1, .across = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}}};
    for (int pose = 0; pose < 2; pose++) {
        for (uint32_t i = 0; i < 2 * EDGES_MAX; i++) {
            double u = (double)l->x[pose][i][0], v = (double)l->x[pose][i][1];
            x[pose][i][0] = 0.6 * u - 0.8 * v;
            x[pose][i][1] = 0.8 * u + 0.6 * v;
            x[pose][i][2] = 0.1 * u + i;
        }
        view.x[pose] = (const double(*)[3])x[pose];
    }
    view.reach = 4.0 * GRID;
    snag__chain_begin(&r->chain);
    uint32_t first = 0, each = l->count / loops;
    for (uint32_t i = 0; i < loops; i++) {
        memcpy(r->chain.vertices + first, l->vertices + (size_t)i * each, each * sizeof *l->vertices);
        first = snag__chain_end_loop(&r->chain, first, each);
        assert_true(first > 0);
    }
    return snag__chain_kernels_for(isa)->is_simple(&r->chain, &view);
}

static bool is_proven_by_all(rig *r, const loop *l, uint32_t loops, bool moves)
{
    bool proven = is_proven(r, l, loops, moves, SNAG_ISA_SCALAR);
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
        if (snag__isa_available((snag_isa)isa))
            assert_true(is_proven(r, l, loops, moves, (snag_isa)isa) == proven);
    return proven;
}

static void compare_with_oracle(bool moves, size_t rounds, size_t proven_least)
{
    rig r = make_rig();
    snag__random random = {moves ? 81u : 80u};
    static loop l;
    size_t simple = 0, proven = 0;
    for (size_t round = 0; round < rounds; round++) {
        make_ring(&l, snag__random_range(&random, 0, 1.2), moves ? snag__random_range(&random, 0, 0.6) : 0, &random);
        if (round % 3 == 0)
            spoil(&l, &random);
        bool meets = meets_itself(&l, moves), says = is_proven_by_all(&r, &l, 1, moves);
        assert_false(meets && says);
        simple += !meets;
        proven += says;
    }
    assert_true(simple > rounds / 10 && simple < 9 * rounds / 10);
    assert_true(100 * proven > proven_least * simple);
    free(r.memory);
}

static void loops_that_meet_themselves_are_not_proven_simple(void **state)
{
    (void)state;
    compare_with_oracle(false, 3000, 95);
}

static void loops_that_meet_themselves_during_a_move_are_not_proven_simple(void **state)
{
    (void)state;
    compare_with_oracle(true, 1000, 60);
}

static void a_loop_that_is_simple_at_both_ends_may_not_be_in_between(void **state)
{
    (void)state;
    rig r = make_rig();
    static loop l;
    l.count = 4;
    static const int64_t before[4][2] = {{-4, 0}, {0, -1}, {4, 0}, {0, 3}}, after[4][2] = {{-4, 0}, {0, -3}, {4, 0}, {0, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        l.vertices[i] = i;
        for (int k = 0; k < 2; k++) {
            l.x[0][i][k] = after[i][k] * GRID;
            l.x[1][i][k] = before[i][k] * GRID;
        }
    }
    assert_true(is_proven_by_all(&r, &l, 1, false) && is_proven_by_all(&r, &l, 1, true));
    // Turned by half a turn, on straight paths, the loop shrinks to a point on its way. Of three edges each follows
    // each.
    for (l.count = 3; l.count <= 4; l.count++) {
        for (uint32_t i = 0; i < 4; i++)
            for (int k = 0; k < 2; k++)
                l.x[0][i][k] = -before[i][k] * GRID;
        assert_true(is_proven_by_all(&r, &l, 1, false));
        assert_false(is_proven_by_all(&r, &l, 1, true));
    }
    free(r.memory);
}

static void pinched_loops_are_left_to_the_sweep(void **state)
{
    (void)state;
    rig r = make_rig();
    static loop l;
    snag__random random = {82};
    for (int round = 0; round < 200; round++) {
        make_ring(&l, 0.1, 0, &random);
        if (l.count < 12)
            continue;
        uint32_t a = snag__random_below(&random, l.count), b = (a + 3 + snag__random_below(&random, l.count - 6)) % l.count;
        assert_true(is_proven_by_all(&r, &l, 1, false));
        l.vertices[b] = l.vertices[a];
        assert_false(is_proven_by_all(&r, &l, 1, false));
    }
    free(r.memory);
}

// Two squares: beside each other, one inside the other, crossing.
static void two_loops_must_not_be_nested_nor_meet(void **state)
{
    (void)state;
    static const struct {
        double size, shift;
        bool simple;
    } cases[] = {{1, 3, true}, {1, 2.01, true}, {1, 2, false}, {1, 1.5, false}, {0.5, 0, false}, {2, 0, false}, {0.5, 1.8, true}};
    rig r = make_rig();
    static loop l;
    l.count = 8;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (uint32_t i = 0; i < 8; i++) {
            double size = i < 4 ? 1 : cases[c].size, shift = i < 4 ? 0 : cases[c].shift;
            uint32_t corner = i % 4;
            l.vertices[i] = i;
            l.x[0][i][0] = (int64_t)(GRID * (shift + (corner == 0 || corner == 3 ? -size : size)));
            l.x[0][i][1] = (int64_t)(GRID * (corner < 2 ? -size : size));
            memcpy(l.x[1][i], l.x[0][i], sizeof l.x[0][i]);
        }
        assert_true(is_proven_by_all(&r, &l, 2, false) == cases[c].simple);
        assert_true(is_proven_by_all(&r, &l, 2, true) == cases[c].simple);
    }
    free(r.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_meet_themselves_are_not_proven_simple),
        cmocka_unit_test(loops_that_meet_themselves_during_a_move_are_not_proven_simple),
        cmocka_unit_test(a_loop_that_is_simple_at_both_ends_may_not_be_in_between),
        cmocka_unit_test(pinched_loops_are_left_to_the_sweep),
        cmocka_unit_test(two_loops_must_not_be_nested_nor_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
