// Boxes and spheres against bodies, and bodies inside bodies.
#include "helpers/rational.h"
#include "helpers/rational_distance.h"
#include "helpers/rational_query.h"
#include "probe/probe_scene.h"

enum { SHAPES = 40, SEEDS = 18 };

static snag_box boxes[SHAPES];
static snag_sphere spheres[SHAPES];

static void draw_shapes(const probe_scene *scene, snag__random *random)
{
    for (int i = 0; i < SHAPES; i++) {
        double a[3], b[3];
        probe_point(scene, random, a);
        probe_point(scene, random, b);
        bool small = snag__random_below(random, 2) == 0;
        for (int k = 0; k < 3; k++) {
            if (small)
                b[k] = a[k] + hard_grid(random, 2) / 2;
            boxes[i].lo[k] = fmin(a[k], b[k]);
            boxes[i].hi[k] = fmax(a[k], b[k]);
            spheres[i].centre[k] = a[k];
        }
        spheres[i].radius = snag__random_below(random, 2) == 0 ? 0.5 * snag__random_below(random, 5) : fabs(a[0] / 2 - b[0] / 2);
    }
}

static bool meets(int i, bool box, const double *const corner[3])
{
    if (judge_is_collinear(corner[0], corner[1], corner[2]))
        return false;
    if (box)
        return judge_box(boxes[i].lo, boxes[i].hi, corner);
    rational_distance distance;
    rational_distance_init(&distance);
    rational_vertex_triangle(spheres[i].centre, corner, &distance);
    bool within = rational_compare(&distance, spheres[i].radius) <= 0;
    rational_distance_clear(&distance);
    return within;
}

// Compares the lists with and without elements for one shape.
static size_t check_shape(snag_world *world, const probe_scene *scene, int i, bool box, const snag_overlap *bodies,
                          size_t body_count, const snag_overlap *elements, size_t element_count)
{
    size_t body = 0, element = 0;
    for (uint32_t b = 0; b < scene->count; b++) {
        probe_mesh mesh = probe_mesh_of(world, scene, b);
        uint32_t lowest = SNAG_NO_TRIANGLE;
        for (uint32_t t = 0; t < mesh.triangle_count; t++) {
            const double *corner[3];
            probe_corners(&mesh, t, corner);
            if (!meets(i, box, corner))
                continue;
            lowest = lowest < t ? lowest : t;
            assert_true(element < element_count);
            assert_int_equal(elements[element].body.index, scene->id[b].index);
            assert_int_equal(elements[element++].triangle, t);
        }
        if (lowest == SNAG_NO_TRIANGLE) {
            snag_side side = SNAG_SIDE_OUTSIDE;
            const double *p = box ? boxes[i].hi : spheres[i].centre;
            if (snag_world_contains(world, scene->id[b], snag_positions_f64(p, 1), &side) != SNAG_OK || side == SNAG_SIDE_OUTSIDE)
                continue;
            assert_true(element < element_count && elements[element++].triangle == SNAG_NO_TRIANGLE);
        }
        assert_true(body < body_count);
        assert_int_equal(bodies[body].body.index, scene->id[b].index);
        assert_int_equal(bodies[body++].triangle, lowest);
    }
    assert_int_equal(body, body_count);
    assert_int_equal(element, element_count);
    return element;
}

static void check_scene(snag_world *world, const probe_scene *scene, bool box, size_t *found)
{
    static snag_overlap bodies[SHAPES * SCENE_BODIES];
    size_t starts[SHAPES + 1];
    snag_overlap_def def = snag_default_overlap_def();
    const snag_overlap_lists *lists;
    for (int elements = 0; elements < 2; elements++) {
        def.elements = elements;
        snag_status status = box ? snag_world_overlap_boxes(world, &def, boxes, SHAPES, &lists)
                                 : snag_world_overlap_spheres(world, &def, spheres, SHAPES, &lists);
        assert_int_equal(status, SNAG_OK);
        assert_int_equal(lists->answered, SHAPES);
        if (elements)
            break;
        memcpy(bodies, lists->items, lists->start[SHAPES] * sizeof *bodies);
        memcpy(starts, lists->start, sizeof starts);
    }
    for (int i = 0; i < SHAPES; i++)
        *found += check_shape(world, scene, i, box, bodies + starts[i], starts[i + 1] - starts[i], lists->items + lists->start[i],
                              lists->start[i + 1] - lists->start[i]);
}

static void shapes_meet_what_rationals_say(void **state)
{
    (void)state;
    size_t found[2] = {0, 0};
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        snag_world *world = probe_world(1 + seed % 2, seed % 3 == 0 ? SNAG_ISA_SCALAR : SNAG_ISA_BEST);
        probe_scene scene;
        probe_scene_make(&scene, world, seed);
        snag__random random = {seed + 6000};
        draw_shapes(&scene, &random);
        for (int i = 0; i < SHAPES; i++)
            if (!isfinite(spheres[i].radius))
                spheres[i].radius = 1;
        check_scene(world, &scene, true, &found[0]);
        check_scene(world, &scene, false, &found[1]);
        probe_scene_free(&scene);
        snag_world_destroy(world);
    }
    assert_true(found[0] > 500 && found[1] > 500);
}

// ---- nested ----

static void bodies_inside_bodies_are_found(void **state)
{
    (void)state;
    snag_world *world = probe_world(2, SNAG_ISA_BEST);
    snag_shape big, small, block, open;
    snag_shape_box(3, 4, 4, 4, &big);
    snag_shape_icosphere(1, 1, &small);
    snag_shape_block(1, 1, 1, 0.25, &block);
    snag_shape_sheet(2, 2, 0.5, 0.5, &open);
    snag_body_id outer = probe_add(world, &big), ball = probe_add(world, &small);
    snag_body_id inner = probe_add(world, &block), sheet = probe_add(world, &open);
    const snag_nested *nested;
    size_t count;
    assert_int_equal(snag_world_nested(world, &nested, &count), SNAG_OK);
    // The sheet passes through the block: each is in the ball and in the box, the ball is in the box.
    assert_int_equal(count, 5);
    const snag_body_id inners[5] = {ball, inner, inner, sheet, sheet}, outers[5] = {outer, outer, ball, outer, ball};
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(nested[i].inner.index, inners[i].index);
        assert_int_equal(nested[i].outer.index, outers[i].index);
    }
    assert_true(fabs(nested[0].gap - 1) < 1e-12 && nested[0].depth < 2 && nested[0].depth > 1);
    assert_true(fabs(nested[1].depth - 2) < 1e-12 && nested[1].deepest == 0 && fabs(nested[1].gap - 1.75) < 1e-12);
    // The ball reaches the side: no longer inside.
    snag_shape_transform(&small, 1, 1, 0, 0);
    assert_int_equal(snag_world_move(world, ball, probe_positions(&small)), SNAG_OK);
    assert_int_equal(snag_world_nested(world, &nested, &count), SNAG_OK);
    for (size_t i = 0; i < count; i++)
        assert_false(nested[i].inner.index == ball.index);
    snag_shape_free(&big);
    snag_shape_free(&small);
    snag_shape_free(&block);
    snag_shape_free(&open);
    snag_world_destroy(world);
}

// All vertices inside, but an edge leaves through a dent, or a spike of the outer one comes in between them.
static void vertices_inside_are_not_enough(void **state)
{
    (void)state;
    snag_world *world = probe_world(1, SNAG_ISA_BEST);
    snag_shape ring;
    snag_shape_torus(24, 12, 3, 1, &ring);
    snag_body_id torus = probe_add(world, &ring);
    // A triangle whose corners are in the tube, and whose edges go through the hole.
    const double x[9] = {3, 0, 0, -1.5, 2.6, 0, -1.5, -2.6, 0};
    const uint32_t t[3] = {0, 1, 2};
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(x, 3);
    def.triangles = t;
    def.triangle_count = 1;
    snag_body_id triangle;
    assert_int_equal(snag_world_add(world, &def, &triangle), SNAG_OK);
    snag_side sides[3];
    assert_int_equal(snag_world_contains(world, torus, snag_positions_f64(x, 3), sides), SNAG_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(sides[i], SNAG_SIDE_INSIDE);
    const snag_nested *nested;
    size_t count = 7;
    assert_int_equal(snag_world_nested(world, &nested, &count), SNAG_OK);
    assert_int_equal(count, 0);
    snag_shape_free(&ring);
    snag_world_destroy(world);
}

// What a surface encloses follows its edits, whether rays have been asked for before or not, and whether it was closed when first asked about.
static void an_edit_opens_and_closes_the_outer_body(void **state)
{
    (void)state;
    for (int round = 0; round < 4; round++) {
        const bool rays = round % 2 == 1;
        const int from = round / 2;
        snag_world *world = probe_world(1, SNAG_ISA_BEST);
        snag_shape big, small;
        snag_shape_box(3, 4, 4, 4, &big);
        snag_shape_icosphere(1, 1, &small);
        snag_body_id outer = probe_add(world, &big), ball = probe_add(world, &small);
        const uint32_t first = 0;
        snag_edit_def edits[2] = {snag_default_edit_def(), snag_default_edit_def()};
        edits[0].removed = &first, edits[0].removed_count = 1;
        edits[1].added = big.triangles, edits[1].added_count = 1;
        for (int i = 0; i < 3; i++) {
            const snag_nested *nested;
            size_t count = 7;
            if (i >= from) {
                assert_int_equal(snag_world_nested(world, &nested, &count), SNAG_OK);
                assert_int_equal(count, i == 1 ? 0 : 1);
                assert_true(i == 1 || (nested[0].inner.index == ball.index && nested[0].outer.index == outer.index));
            }
            if (rays) {
                const snag_ray ray = {.origin = {0, 0, -9}, .direction = {0, 0, 1}, .limit = INFINITY};
                snag_cast_def cast = snag_default_cast_def();
                snag_hit hit;
                assert_int_equal(snag_world_cast(world, &cast, &ray, 1, &hit, NULL), SNAG_OK);
                assert_true(hit.body.index == outer.index);
            }
            snag_edit_map map;
            if (i < 2)
                assert_int_equal(snag_world_edit(world, outer, &edits[i], &map), SNAG_OK);
        }
        snag_shape_free(&big);
        snag_shape_free(&small);
        snag_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_meet_what_rationals_say),
        cmocka_unit_test(bodies_inside_bodies_are_found),
        cmocka_unit_test(vertices_inside_are_not_enough),
        cmocka_unit_test(an_edit_opens_and_closes_the_outer_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
