// Closest points: the same element as every element tried in rationals, whatever the trees, threads and instruction set.
#include "helpers/rational.h"
#include "helpers/rational_distance.h"
#include "probe/probe_scene.h"

enum { POINTS = 40, SEEDS = 18 };

static double points[POINTS][3];
static snag_closest results[POINTS], others[POINTS];

typedef struct judged {
    rational_distance distance;
    uint32_t body, element;
    bool found;
} judged;

static void offer(judged *best, rational_distance *one, uint32_t body, uint32_t element)
{
    if (best->found && mpq_cmp(one->squared, best->distance.squared) >= 0)
        return;
    mpq_set(best->distance.squared, one->squared);
    best->distance.feature_b = one->feature_b;
    best->distance.unique = one->unique;
    best->body = body;
    best->element = element;
    best->found = true;
}

// All elements, in order: of equal ones the first stays.
static void judge_closest(const snag_world *world, const probe_scene *scene, const double p[3], judged *best)
{
    rational_distance one;
    rational_distance_init(&one);
    best->found = false;
    for (uint32_t b = 0; b < scene->count; b++) {
        probe_mesh mesh = probe_mesh_of(world, scene, b);
        for (size_t t = 0; t < mesh.triangle_count; t++) {
            const double *corner[3];
            probe_corners(&mesh, t, corner);
            if (judge_is_collinear(corner[0], corner[1], corner[2]))
                continue;
            rational_vertex_triangle(p, corner, &one);
            offer(best, &one, b, (uint32_t)t);
        }
        for (size_t v = 0; v < mesh.vertex_count && mesh.triangle_count == 0; v++) {
            const double *corner[3] = {mesh.x[v], mesh.x[v], mesh.x[v]};
            rational_vertex_triangle(p, corner, &one);
            one.unique = 0;
            offer(best, &one, b, (uint32_t)v);
        }
    }
    rational_distance_clear(&one);
}

static void check_result(const snag_world *world, const probe_scene *scene, const double p[3], const snag_closest *result,
                         const judged *right)
{
    assert_int_equal(result->body.index != 0, right->found);
    if (!right->found) {
        assert_true(isinf(result->distance));
        return;
    }
    assert_int_equal(result->body.index, scene->id[right->body].index);
    assert_int_equal(result->element.index, right->element);
    assert_true(rational_relative_error(&right->distance, result->distance) < 0x1p-26);
    if (result->element.kind == SNAG_VERTEX) {
        assert_int_equal(result->kind, SNAG_VERTEX_VERTEX);
        return;
    }
    int corners = __builtin_popcount(right->distance.feature_b);
    if (right->distance.unique)
        assert_int_equal(result->kind, corners == 1 ? SNAG_VERTEX_VERTEX : corners == 2 ? SNAG_VERTEX_EDGE : SNAG_VERTEX_FACE);
    probe_mesh mesh = probe_mesh_of(world, scene, right->body);
    const double *corner[3];
    probe_corners(&mesh, right->element, corner);
    double sum = 0, size = 0;
    for (int c = 0; c < 3; c++) {
        sum += result->weight[c];
        assert_true(result->weight[c] >= 0 && result->weight[c] <= 1);
        for (int k = 0; k < 3; k++)
            size = fmax(size, fmax(fabs(corner[c][k]), fabs(p[k])));
    }
    assert_true(fabs(sum - 1) < 1e-12);
    for (int k = 0; k < 3; k++) {
        double x = result->weight[0] * corner[0][k] + result->weight[1] * corner[1][k] + result->weight[2] * corner[2][k];
        assert_true(fabs(x - result->point[k]) <= 1e-7 * size);
    }
}

static void every_point_gets_the_element_that_rationals_find(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        snag_world *world = probe_world(1, SNAG_ISA_BEST);
        probe_scene scene;
        probe_scene_make(&scene, world, seed);
        if (seed % 2 == 1)
            probe_scene_shake(&scene, world);
        snag__random random = {seed + 1000};
        for (int i = 0; i < POINTS; i++)
            probe_point(&scene, &random, points[i]);
        snag_closest_def def = snag_default_closest_def();
        snag_positions all = snag_positions_f64(&points[0][0], POINTS);
        size_t answered = 0;
        assert_int_equal(snag_world_closest(world, &def, all, results, &answered), SNAG_OK);
        assert_int_equal(answered, POINTS);
        judged right;
        rational_distance_init(&right.distance);
        for (int i = 0; i < POINTS; i++) {
            judge_closest(world, &scene, points[i], &right);
            check_result(world, &scene, points[i], &results[i], &right);
        }
        rational_distance_clear(&right.distance);
        probe_scene_free(&scene);
        snag_world_destroy(world);
    }
}

static void every_way_gives_the_same_bytes(void **state)
{
    (void)state;
    probe_way ways[8];
    size_t count = probe_ways(ways);
    for (uint32_t seed = 0; seed < 2 * SCENE_STYLES; seed++)
        for (size_t w = 0; w < count; w++) {
            snag_world *world = probe_world(ways[w].threads, ways[w].isa);
            probe_scene scene;
            probe_scene_make(&scene, world, seed);
            if (w % 2 == 1)
                probe_scene_shake(&scene, world);
            snag__random random = {seed + 2000};
            for (int i = 0; i < POINTS; i++)
                probe_point(&scene, &random, points[i]);
            snag_closest_def def = snag_default_closest_def();
            def.sign = true;
            snag_positions all = snag_positions_f64(&points[0][0], POINTS);
            assert_int_equal(snag_world_closest(world, &def, all, w == 0 ? results : others, NULL), SNAG_OK);
            if (w > 0)
                assert_memory_equal(results, others, sizeof results);
            probe_scene_free(&scene);
            snag_world_destroy(world);
        }
}

// The centre of a sphere is as far from every vertex: lists of candidates overflow, and the lowest triangle wins.
static void ties_of_thousands_go_to_the_lowest(void **state)
{
    (void)state;
    snag_world *world = probe_world(2, SNAG_ISA_BEST);
    snag_shape box;
    assert_int_equal(snag_shape_box(24, 2, 2, 2, &box), SNAG_OK);
    snag_body_id id = probe_add(world, &box);
    snag_closest_def def = snag_default_closest_def();
    const double centre[3] = {0, 0, 0};
    snag_closest result;
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(centre, 1), &result, NULL), SNAG_OK);
    assert_int_equal(result.body.index, id.index);
    assert_true(result.distance == 1);
    // The six middles of the sides are equally close; of the triangles around them the lowest is named.
    uint32_t lowest = UINT32_MAX;
    for (uint32_t t = 0; t < box.triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            const double *x = box.positions + 3 * (size_t)box.triangles[3 * t + (uint32_t)c];
            double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            if (length < 1 + 1e-9 && t < lowest)
                lowest = t;
        }
    assert_int_equal(result.element.index, lowest);
    snag_shape_free(&box);
    snag_world_destroy(world);
}

// A fan of flat needles whose tips all are the point closest to queries.
static void a_list_that_overflows_is_settled(void **state)
{
    (void)state;
    enum { NEEDLES = 500 };
    static double x[3 * (2 * NEEDLES + 1)];
    static uint32_t t[3 * NEEDLES];
    for (uint32_t i = 0; i < NEEDLES; i++) {
        double angle = 2 * 3.14159265358979 * (NEEDLES - 1 - i) / NEEDLES;
        for (int k = 0; k < 2; k++) {
            double *p = x + 3 * (1 + 2 * (size_t)i + (size_t)k);
            p[0] = cos(angle + 0.001 * k);
            p[1] = sin(angle + 0.001 * k);
            p[2] = -1;
        }
        t[3 * i] = 0;
        t[3 * i + 1] = 1 + 2 * i;
        t[3 * i + 2] = 2 + 2 * i;
    }
    snag_world *world = probe_world(1, SNAG_ISA_BEST);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(x, 2 * NEEDLES + 1);
    def.triangles = t;
    def.triangle_count = NEEDLES;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    snag_closest_def ask = snag_default_closest_def();
    const double above[3] = {0, 0, 3};
    snag_closest result;
    assert_int_equal(snag_world_closest(world, &ask, snag_positions_f64(above, 1), &result, NULL), SNAG_OK);
    assert_int_equal(result.element.index, 0);
    assert_int_equal(result.kind, SNAG_VERTEX_VERTEX);
    assert_true(result.distance == 3 && result.weight[0] == 1);
    snag_world_destroy(world);
}

static void within_is_exact_and_bodies_can_be_chosen(void **state)
{
    (void)state;
    snag_world *world = probe_world(2, SNAG_ISA_BEST);
    snag_shape box;
    assert_int_equal(snag_shape_box(1, 2, 2, 2, &box), SNAG_OK);
    snag_body_id near = probe_add(world, &box);
    snag_shape_transform(&box, 1, 10, 0, 0);
    snag_body_id far = probe_add(world, &box);
    const double p[2][3] = {{3, 0.25, 0.5}, {0.5, 0.25, 0.5}};
    snag_closest_def def = snag_default_closest_def();
    snag_closest result[2];
    def.sign = true;
    def.within = 2;
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(p[0], 2), result, NULL), SNAG_OK);
    assert_int_equal(result[0].body.index, near.index);
    assert_true(result[0].distance == 2 && result[0].side == SNAG_SIDE_OUTSIDE);
    assert_true(result[1].distance == -0.5 && result[1].side == SNAG_SIDE_INSIDE);
    def.within = nextafter(2, 0);
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(p[0], 2), result, NULL), SNAG_OK);
    assert_int_equal(result[0].body.index, 0);
    def.within = INFINITY;
    const snag_body_id only[2] = {far, far};
    def.bodies = only;
    def.body_count = 2;
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(p[0], 2), result, NULL), SNAG_OK);
    assert_int_equal(result[0].body.index, far.index);
    assert_true(result[0].distance == 6);
    snag_shape_free(&box);
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_gets_the_element_that_rationals_find),
        cmocka_unit_test(every_way_gives_the_same_bytes),
        cmocka_unit_test(ties_of_thousands_go_to_the_lowest),
        cmocka_unit_test(a_list_that_overflows_is_settled),
        cmocka_unit_test(within_is_exact_and_bodies_can_be_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
