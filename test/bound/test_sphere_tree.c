// Octants that triangles meet, against an oracle of triangle pairs; levels that come and go.
#include "bound/sphere_tree.h"

#include "base/random.h"
#include "geom/geom.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"

#include <math.h>
#include <string.h>

enum { TRIANGLES = 400 };

typedef struct soup {
    double x[3 * TRIANGLES][3];
    uint32_t triangles[TRIANGLES][3];
} soup;

// Whether a triangle with area meets a box: a corner of it is inside, or it meets one of the twelve triangles of the sides.
static bool oracle_meets(const double *const corner[3], const double lo[3], const double hi[3])
{
    for (int c = 0; c < 3; c++) {
        bool inside = true;
        for (int k = 0; k < 3; k++)
            inside = inside && lo[k] <= corner[c][k] && corner[c][k] <= hi[k];
        if (inside)
            return true;
    }
    double p[8][3];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = (i >> k & 1) != 0 ? hi[k] : lo[k];
    static const int sides[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 3, 7}, {1, 7, 5}};
    static const uint32_t va[3] = {0, 1, 2}, vb[3] = {3, 4, 5};
    for (int s = 0; s < 12; s++) {
        const double *const side[3] = {p[sides[s][0]], p[sides[s][1]], p[sides[s][2]]};
        snag__meeting meeting = snag__triangles_meet(corner, va, side, vb);
        if (meeting != SNAG__APART && meeting != SNAG__DEGENERATE)
            return true;
    }
    return false;
}

// kind 0: anywhere; 1: on a grid that the planes lie on; 2: needles; 3: far smaller than the box; 4: far larger.
static void make_soup(soup *s, int kind, snag__random *random)
{
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        double at[3], size = kind == 3 ? 1e-7 : kind == 4 ? 1e6 : 1.5;
        for (int k = 0; k < 3; k++)
            at[k] = snag__random_range(random, -1.5, 1.5);
        for (uint32_t c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                double step = snag__random_range(random, -size, size);
                s->x[3 * t + c][k] = kind == 1 ? floor(snag__random_range(random, -6, 7)) / 4 : at[k] + step;
                if (kind == 2 && c == 2)
                    s->x[3 * t + c][k] = (s->x[3 * t][k] + s->x[3 * t + 1][k]) / 2 + 1e-12 * step;
            }
            s->triangles[t][c] = 3 * t + c;
        }
    }
}

static void compare_octants(const soup *s, const snag__octants *octants, snag_isa isa, size_t *met, size_t *missed)
{
    double lo[3], hi[3];
    uint32_t list[TRIANGLES], count = 0;
    memcpy(lo, octants->lo, sizeof lo);
    memcpy(hi, octants->hi, sizeof hi);
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        const double *const corner[3] = {s->x[3 * t], s->x[3 * t + 1], s->x[3 * t + 2]};
        if (!snag__is_collinear(corner[0], corner[1], corner[2]) && oracle_meets(corner, lo, hi))
            list[count++] = t;
    }
    uint8_t masks[TRIANGLES], boxes[TRIANGLES];
    const snag__sphere_kernels *kernels = snag__sphere_kernels_for(isa);
    kernels->octants(s->x, s->triangles, list, count, octants, masks);
    kernels->box_octants(s->x, s->triangles, list, count, octants, boxes);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *v = s->triangles[list[i]];
        const double *const corner[3] = {s->x[v[0]], s->x[v[1]], s->x[v[2]]};
        assert_int_equal(masks[i] & ~boxes[i], 0);
        for (int o = 0; o < 8; o++) {
            bool exists = (o & ~octants->cut) == 0;
            snag__octant_box(octants, o, lo, hi);
            bool meets = exists && oracle_meets(corner, lo, hi);
            assert_int_equal(masks[i] >> o & 1, meets);
            if (exists)
                assert_int_equal(snag__triangle_meets_box(corner, lo, hi), meets);
            *met += meets;
            *missed += exists && !meets && (boxes[i] >> o & 1) != 0;
        }
    }
}

static void octants_are_those_that_the_triangle_meets(void **state)
{
    (void)state;
    static const snag_isa isas[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4, SNAG_ISA_NEON};
    snag__random random = {31};
    static soup s;
    size_t met = 0, missed = 0;
    for (int kind = 0; kind < 5; kind++)
        for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
            if (!snag__isa_available(isas[isa]))
                continue;
            make_soup(&s, kind, &random);
            snag__octants octants = {{-1, -1, -1}, {0, 0.25, -0.5}, {1, 1, 1}, 7};
            compare_octants(&s, &octants, isas[isa], &met, &missed);
            octants.cut = 5;  // as if the box had no inside along y
            compare_octants(&s, &octants, isas[isa], &met, &missed);
        }
    assert_true(met > 2500 && missed > 250);  // with one instruction set only
}

static void octants_are_exact_at_extreme_scales(void **state)
{
    (void)state;
    static const double scales[] = {1e-310, 1e-160, 1e-100, 1e100, 1e160, 1e307};
    snag__random random = {32};
    static soup s;
    size_t met = 0, missed = 0;
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        make_soup(&s, 1, &random);
        for (size_t v = 0; v < 3 * TRIANGLES; v++)
            for (int k = 0; k < 3; k++)
                s.x[v][k] *= scales[i];
        double a = scales[i];
        snag__octants octants = {{-a, -a, -a}, {0, 0.25 * a, -0.5 * a}, {a, a, a}, 7};
        compare_octants(&s, &octants, snag__isa_best(), &met, &missed);
    }
    assert_true(met > 1000);
}

// ---- levels ----

// A tree around triangles anywhere, and the memory it has.
typedef struct planted {
    soup triangles;
    failing_allocator memory;
    snag_allocator allocator;
    snag__sphere_tree tree;
} planted;

static void plant(planted *p, uint64_t seed)
{
    snag__random random = {seed};
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    memset(p, 0, sizeof *p);
    make_soup(&p->triangles, 0, &random);
    for (size_t v = 0; v < 3 * TRIANGLES; v++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], p->triangles.x[v][k]);
            hi[k] = fmax(hi[k], p->triangles.x[v][k]);
        }
    p->allocator = failing_allocator_start(&p->memory, 0);
    snag__sphere_tree_begin(&p->tree, lo, hi, TRIANGLES, false);
}

static snag__sphere_level *make_level(planted *p, snag__sphere_node node, uint64_t step)
{
    static uint8_t masks[TRIANGLES];
    const soup *s = &p->triangles;
    snag__octants octants;
    snag__sphere_cut(node, &octants);
    snag__sphere_kernels_for(SNAG_ISA_SCALAR)
        ->octants(s->x, s->triangles, snag__sphere_list(node), snag__sphere_count(node), &octants, masks);
    snag__sphere_parts parts = {snag__sphere_list(node), snag__sphere_count(node), masks, 0xff, false};
    snag__sphere_level *level = snag__sphere_make(&p->tree, node, &octants, &parts, &p->allocator);
    assert_non_null(level);
    snag__sphere_visit(&p->tree, level, step);
    return level;
}

static void spheres_hold_their_triangles_parts_and_lie_in_their_parents(void **state)
{
    (void)state;
    static planted p;
    plant(&p, 33);
    static const double turn[3][3] = {{0.6, -0.8, 0}, {0.8, 0.6, 0}, {0, 0, 1}}, shift[3] = {5, -3, 1};
    snag__sphere_tree_move(&p.tree, turn, shift, 1e-3);
    snag__sphere_node node = snag__sphere_root(&p.tree);
    snag__sphere outer, inner;
    snag__sphere_of(node, &outer);
    for (int depth = 1; depth < 6; depth++) {
        snag__sphere_level *level = make_level(&p, node, 1);
        for (uint32_t child = 0; child < 8; child++) {
            if ((level->grey >> child & 1) == 0)
                continue;
            snag__sphere_node at = {level, child};
            snag__sphere_of(at, &inner);
            double way = hypot(hypot(inner.centre[0] - outer.centre[0], inner.centre[1] - outer.centre[1]),
                               inner.centre[2] - outer.centre[2]);
            assert_true(way + inner.radius - 1e-3 < (outer.radius - 1e-3) * (1 + 1e-9));
            // The middle of its box is where the motion takes it, and its corners are in the sphere.
            double low[3], high[3], corner[3];
            snag__octant_box(&level->octants, (int)child, low, high);
            for (int i = 0; i < 3; i++)
                corner[i] = turn[i][0] * low[0] + turn[i][1] * high[1] + turn[i][2] * low[2] + shift[i];
            double reach = hypot(hypot(corner[0] - inner.centre[0], corner[1] - inner.centre[1]), corner[2] - inner.centre[2]);
            assert_true(reach <= inner.radius && reach > inner.radius - 2e-3);
            for (int i = 0; i < 3; i++)
                assert_true(fabs(corner[i] - inner.centre[i]) <= inner.half[i]);
            node = at;
        }
        snag__sphere_of(node, &outer);
        assert_int_equal(31 - __builtin_clz(snag__sphere_code(node)), 3 * depth);
    }
    snag__sphere_tree_clear(&p.tree, &p.allocator);
    failing_allocator_assert_clean(&p.memory);
}

static void levels_that_nobody_visits_are_forgotten_with_all_below(void **state)
{
    (void)state;
    static planted p;
    plant(&p, 34);
    snag__sphere_tree *tree = &p.tree;
    snag__sphere_level *first = make_level(&p, snag__sphere_root(tree), 1);
    size_t one = tree->bytes;
    assert_int_equal(one, atomic_load(&p.memory.live_bytes));
    for (uint32_t child = 0; child < 8; child++) {
        snag__sphere_level *second = make_level(&p, (snag__sphere_node){first, child}, 1);
        make_level(&p, (snag__sphere_node){second, 3}, 1);
    }
    assert_int_equal(tree->level_count, 17);
    // Of step 3 on only one branch is looked at.
    snag__sphere_visit(tree, first, 3);
    snag__sphere_visit(tree, first->below[2], 3);
    snag__sphere_forget(tree, 1, &p.allocator);
    assert_int_equal(tree->level_count, 17);
    snag__sphere_forget(tree, 2, &p.allocator);
    assert_int_equal(tree->level_count, 2);
    assert_non_null(first->below[2]);
    assert_null(first->below[2]->below[3]);
    snag__sphere_forget(tree, 4, &p.allocator);
    assert_int_equal(tree->level_count, 0);
    assert_int_equal(tree->bytes, 0);
    assert_null(tree->root.below[0]);
    failing_allocator_assert_clean(&p.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octants_are_those_that_the_triangle_meets),
        cmocka_unit_test(octants_are_exact_at_extreme_scales),
        cmocka_unit_test(spheres_hold_their_triangles_parts_and_lie_in_their_parents),
        cmocka_unit_test(levels_that_nobody_visits_are_forgotten_with_all_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
