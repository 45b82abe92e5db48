// The closest pairs of bodies, whatever their boxes look like: those that come first among all pairs by distance.
#include "common/any_question.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 5, PAIRS = BODIES * (BODIES - 1) / 2 };

static int by_distance(const void *a, const void *b)
{
    double x = ((const snag_contact *)a)->value, y = ((const snag_contact *)b)->value;
    return (x > y) - (x < y);
}

static int by_bodies(const void *a, const void *b)
{
    const snag_contact *x = a, *y = b;
    uint32_t low[2] = {x->body_a.index < x->body_b.index ? x->body_a.index : x->body_b.index,
                       y->body_a.index < y->body_b.index ? y->body_a.index : y->body_b.index};
    uint32_t sum[2] = {x->body_a.index + x->body_b.index, y->body_a.index + y->body_b.index};
    return low[0] != low[1] ? (low[0] > low[1]) - (low[0] < low[1]) : (sum[0] > sum[1]) - (sum[0] < sum[1]);
}

// Within each other, side by side, or half of both. No two pairs are equally far apart.
static snag_world *make_world(int nested)
{
    scene_options options = {.threads = 2};
    snag_world *world = scene_world(&options);
    assert_non_null(world);
    for (int i = 0; i < BODIES; i++) {
        snag_shape shape;
        snag_body_id id;
        assert_int_equal(snag_shape_icosphere(1, 1, &shape), SNAG_OK);
        bool inside = nested == 2 || (nested == 1 && i < BODIES / 2);
        snag_shape_transform(&shape, inside ? 1 + 0.3 * i + 0.03 * i * i : 1, inside ? 0 : 4.0 * i + 0.1 * i * i, 0, 0);
        assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &id), SNAG_OK);
        snag_shape_free(&shape);
    }
    return world;
}

static void the_closest_are_the_first_of_all(void **state)
{
    (void)state;
    static const snag_method methods[] = {SNAG_METHOD_BRUTE, SNAG_METHOD_KDOP, SNAG_METHOD_REGIONS};
    for (int nested = 0; nested < 3; nested++)
        for (int m = 0; m < 3; m++) {
            snag_world *world = make_world(nested);
            any_question ask = any_default(SNAG_DISTANCE);
            ask.method = methods[m];
            const snag_answer *answer = NULL;
            assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
            assert_int_equal(answer->count, PAIRS);
            snag_contact all[PAIRS], first[PAIRS], got[PAIRS];
            memcpy(all, answer->contacts, sizeof all);
            qsort(all, PAIRS, sizeof *all, by_distance);
            for (uint32_t closest = 1; closest <= PAIRS + 2; closest++)
                for (int limited = 0; limited < 2; limited++) {
                    size_t count = closest < PAIRS ? closest : PAIRS;
                    ask.closest = closest;
                    ask.within = limited ? 2 * all[PAIRS - 1].value : 0;
                    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
                    assert_int_equal(answer->count, count);
                    assert_true(answer->complete);
                    memcpy(first, all, sizeof all);
                    memcpy(got, answer->contacts, count * sizeof *got);
                    qsort(first, count, sizeof *first, by_bodies);
                    qsort(got, count, sizeof *got, by_bodies);
                    assert_memory_equal(first, got, count * sizeof *first);
                }
            snag_world_destroy(world);
        }
}

// ---- every scale ----

// Two spheres, and the same scaled by a power of two: the same features are closest, as far apart as they should be.
static void the_same_features_at_every_scale(void **state)
{
    (void)state;
    static const int shifts[] = {0, 100, 200, 664, 1018, -100, -200, -664, -1000};
    static const snag_method methods[] = {SNAG_METHOD_BRUTE, SNAG_METHOD_KDOP, SNAG_METHOD_REGIONS};
    for (int crossing = 0; crossing < 2; crossing++) {
        snag_contact first = {0};
        for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++) {
            snag_contact by_brute = {0};
            for (int m = 0; m < 3; m++) {
                scene_options options = {.threads = 2};
                snag_world *world = scene_world(&options);
                for (int i = 0; i < 2; i++) {
                    snag_shape shape;
                    snag_body_id id;
                    assert_int_equal(snag_shape_icosphere(2, 1, &shape), SNAG_OK);
                    snag_shape_transform(&shape, 1, i * (crossing ? 0.9 : 2.5), 0.1 * i, 0.07 * i);
                    snag_shape_transform(&shape, ldexp(1, shifts[s]), 0, 0, 0);
                    assert_int_equal(scene_add(world, &shape, SNAG_F64, NULL, &id), SNAG_OK);
                    snag_shape_free(&shape);
                }
                any_question ask = any_default(SNAG_DISTANCE);
                ask.method = methods[m];
                const snag_answer *answer = NULL;
                assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
                assert_int_equal(answer->count, 1);
                const snag_contact *c = &answer->contacts[0];
                if (m == 0)
                    by_brute = *c;
                if (m == 0 && s == 0)
                    first = *c;
                assert_memory_equal(c, &by_brute, sizeof *c);
                assert_true(c->kind == first.kind && c->a.index == first.a.index && c->b.index == first.b.index);
                assert_true(fabs(ldexp(c->value, -shifts[s]) - first.value) <= 1e-12 * first.value);
                snag_world_destroy(world);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closest_are_the_first_of_all),
        cmocka_unit_test(the_same_features_at_every_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
