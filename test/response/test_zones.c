// Zones: who belongs together, and that a zone moves as a rigid body with the momentum its vertices had.
#include "base/random.h"
#include "helpers/test.h"
#include "response/vector.h"
#include "response/zones.h"

#include <string.h>

enum { COUNT = 12 };

typedef struct scene {
    snag__zones zones;
    snag_allocator allocator;
    snag__buffer fits;
    uint32_t parent[COUNT];
    uint8_t resting[COUNT];
    double x[COUNT][3], move[COUNT][3], inverse[COUNT];
} scene;

static void scene_open(scene *s, uint64_t seed)
{
    snag__random random = {seed};
    memset(s, 0, sizeof *s);
    s->allocator = snag__default_allocator();
    s->zones = (snag__zones){s->parent, s->resting, COUNT, &s->fits, &s->allocator};
    for (int i = 0; i < COUNT; i++) {
        s->inverse[i] = snag__random_range(&random, 0.5, 2);
        for (int k = 0; k < 3; k++) {
            s->x[i][k] = snag__random_range(&random, -1, 1);
            s->move[i][k] = snag__random_range(&random, -0.2, 0.2);
        }
    }
    snag__zones_clear(&s->zones);
}

static void scene_close(scene *s)
{
    snag__buffer_free(&s->allocator, &s->fits);
}

static bool merge(scene *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    snag__row row = {.vertex = {a, b, c, d}, .count = 4};
    return snag__zones_merge(&s->zones, &row);
}

static bool hold(scene *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    snag__row row = {.vertex = {a, b, c, d}, .count = 4};
    return snag__zones_hold(&s->zones, &row);
}

static void zones_grow_by_what_they_share(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 1);
    assert_false(hold(&s, 0, 1, 2, 3));
    assert_true(merge(&s, 7, 1, 5, 3));
    assert_true(merge(&s, 0, 2, 4, 6));
    assert_true(hold(&s, 1, 3, 5, 7) && hold(&s, 0, 2, 4, 6) && !hold(&s, 0, 1, 2, 3) && !hold(&s, 0, 2, 4, 8));
    assert_false(merge(&s, 1, 3, 5, 7));
    assert_int_equal(snag__zones_vertices(&s.zones), 8);
    s.resting[snag__zones_root(&s.zones, 5)] = 1;
    assert_true(merge(&s, 6, 5, 8, 9));
    assert_true(hold(&s, 0, 1, 8, 9));
    assert_int_equal(snag__zones_root(&s.zones, 9), 0);
    // What rested still rests.
    assert_true(s.resting[0]);
    scene_close(&s);
}

static void sums(const scene *s, double linear[3], double angular[3])
{
    memset(linear, 0, 24);
    memset(angular, 0, 24);
    for (int i = 0; i < 8; i++) {
        double product[3];
        snag__cross(s->x[i], s->move[i], product);
        snag__add_scaled(linear, 1 / s->inverse[i], s->move[i]);
        snag__add_scaled(angular, 1 / s->inverse[i], product);
    }
}

static void a_zone_keeps_distances_and_momentum(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        scene s;
        scene_open(&s, seed);
        // Small moves: of large ones the angular momentum is kept to first order only.
        for (int i = 0; i < COUNT; i++)
            for (int k = 0; k < 3; k++)
                s.move[i][k] *= 1e-3;
        merge(&s, 0, 1, 2, 3);
        merge(&s, 3, 4, 5, 6);
        merge(&s, 6, 7, 0, 1);
        double other[3], linear[2][3], angular[2][3];
        memcpy(other, s.move[9], sizeof other);
        sums(&s, linear[0], angular[0]);
        assert_true(snag__zones_move(&s.zones, (const double(*)[3])s.x, s.inverse, s.move));
        sums(&s, linear[1], angular[1]);
        assert_memory_equal(other, s.move[9], sizeof other);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(linear[0][k] - linear[1][k]) < 1e-12);
            assert_true(fabs(angular[0][k] - angular[1][k]) < 1e-5);
        }
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < i; j++) {
                double before[3], after[3], change[3];
                snag__subtract(s.x[i], s.x[j], before);
                snag__subtract(s.move[i], s.move[j], change);
                memcpy(after, before, sizeof after);
                snag__add_scaled(after, 1, change);
                assert_true(fabs(snag__length(after) - snag__length(before)) < 1e-12);
            }
        scene_close(&s);
    }
}

// The held vertices turn by a quarter about z; the others follow.
static void a_zone_with_held_vertices_follows_them(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 4);
    const double turn = 0.3;
    for (int i = 0; i < COUNT; i++) {
        s.inverse[i] = i < 5 ? 0 : 1;
        if (i >= 5)
            continue;
        const double *x = s.x[i];
        s.move[i][0] = -turn * x[1];
        s.move[i][1] = turn * x[0];
        s.move[i][2] = 0.5;
    }
    merge(&s, 0, 1, 2, 3);
    merge(&s, 3, 4, 7, 8);
    assert_true(snag__zones_move(&s.zones, (const double(*)[3])s.x, s.inverse, s.move));
    assert_true(s.move[0][1] == turn * s.x[0][0]);
    for (int i = 7; i < 9; i++) {
        assert_true(fabs(s.move[i][2] - 0.5) < 1e-6);
        assert_true(fabs(s.move[i][0] + turn * s.x[i][1]) < 0.1 && fabs(s.move[i][1] - turn * s.x[i][0]) < 0.1);
    }
    scene_close(&s);
}

static void a_zone_that_rests_does_not_move_at_all(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, 5);
    merge(&s, 2, 4, 6, 8);
    s.resting[snag__zones_root(&s.zones, 4)] = 1;
    assert_true(snag__zones_move(&s.zones, (const double(*)[3])s.x, s.inverse, s.move));
    for (int i = 2; i <= 8; i += 2)
        assert_true(s.move[i][0] == 0 && s.move[i][1] == 0 && s.move[i][2] == 0);
    // Points on a line have no inertia about it, and a single place has none at all.
    scene_close(&s);
    scene_open(&s, 6);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            s.x[i][k] = 0.25 * i, s.x[4 + i][k] = 1;
    merge(&s, 0, 1, 2, 3);
    merge(&s, 4, 5, 6, 7);
    assert_true(snag__zones_move(&s.zones, (const double(*)[3])s.x, s.inverse, s.move));
    for (int i = 0; i < 8; i++)
        assert_true(snag__length(s.move[i]) < 2);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_grow_by_what_they_share),
        cmocka_unit_test(a_zone_keeps_distances_and_momentum),
        cmocka_unit_test(a_zone_with_held_vertices_follows_them),
        cmocka_unit_test(a_zone_that_rests_does_not_move_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
