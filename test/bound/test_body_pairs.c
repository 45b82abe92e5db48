// Pairs of boxes are those of all pairs, however boxes lie.
#include "bound/body_pairs.h"

#include "base/random.h"
#include "helpers/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 300 };

static bool meet(const snag__body_box *a, const snag__body_box *b)
{
    bool meeting = true;
    for (int axis = 0; axis < 3; axis++)
        meeting &= a->lo[axis] <= b->hi[axis] && b->lo[axis] <= a->hi[axis];
    return meeting;
}

static void assert_pairs_are_all(const snag__body_box *boxes, uint32_t count)
{
    static uint8_t seen[BOXES][BOXES];
    memset(seen, 0, sizeof seen);
    snag__body_pairs body_pairs = {0};
    snag_allocator allocator = snag__default_allocator();
    assert_true(snag__body_pairs_find(&body_pairs, boxes, count, &allocator));
    for (size_t i = 0; i < body_pairs.pair_count; i++) {
        assert_true(body_pairs.pairs[i].a <= body_pairs.pairs[i].b && body_pairs.pairs[i].b < count);
        assert_int_equal(seen[body_pairs.pairs[i].a][body_pairs.pairs[i].b]++, 0);
    }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a; b < count; b++)
            assert_int_equal(seen[a][b], meet(&boxes[a], &boxes[b]));
    snag__body_pairs_free(&allocator, &body_pairs);
}

static snag__body_box random_box(snag__random *random, double size)
{
    snag__body_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = (float)snag__random_unit(random);
        box.hi[axis] = box.lo[axis] + (float)(size * snag__random_unit(random));
    }
    return box;
}

static void pairs_of_random_boxes(void **state)
{
    (void)state;
    snag__random random = {5};
    snag__body_box boxes[BOXES];
    static const double sizes[] = {0, 0.01, 0.2, 2};
    for (int round = 0; round < 16; round++) {
        for (int i = 0; i < BOXES; i++)
            boxes[i] = random_box(&random, sizes[round % 4]);
        assert_pairs_are_all(boxes, (uint32_t)(BOXES - round * round));
    }
    assert_pairs_are_all(boxes, 0);
    assert_pairs_are_all(boxes, 1);
}

static void empty_infinite_and_equal_boxes(void **state)
{
    (void)state;
    snag__random random = {6};
    snag__body_box boxes[BOXES];
    for (int i = 0; i < BOXES; i++) {
        boxes[i] = random_box(&random, 0.1);
        if (i % 7 == 0)
            boxes[i] = (snag__body_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if (i % 11 == 0)
            boxes[i] = (snag__body_box){{-INFINITY, 0, 0}, {INFINITY, 1, 1}};
        if (i % 13 == 0)
            boxes[i] = (snag__body_box){{-FLT_MAX, -FLT_MAX, 0.5f}, {FLT_MAX, FLT_MAX, 0.5f}};
        if (i % 5 == 0)
            boxes[i] = (snag__body_box){{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};
    }
    assert_pairs_are_all(boxes, BOXES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_random_boxes),
        cmocka_unit_test(empty_infinite_and_equal_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
