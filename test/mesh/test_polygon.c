// Polygons and their triangles, judged in rational arithmetic: the triangles tile the polygon, whatever it looks like.
#include "helpers/test.h"

#include "helpers/failing_allocator.h"
#include "helpers/polygons.h"
#include "helpers/rational.h"
#include "helpers/rational_polygon.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snag_body_def def_of(const test_polygon *p)
{
    return (snag_body_def){.positions = snag_positions_f64(&p->x[0][0], p->vertex_count),
                           .polygon_sizes = &p->count,
                           .polygon_vertices = p->vertices,
                           .polygon_count = 1};
}

static snag__mesh split(const test_polygon *p)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_allocator allocator = snag__default_allocator();
    snag_body_def def = def_of(p);
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.triangle_count, p->count - 2);
    return mesh;
}

static judge_polygon judged(const test_polygon *p)
{
    return (judge_polygon){p->x, p->vertices, p->count};
}

// Whether all triangles turn as the polygon does or have no area, and no two overlap.
static bool tiles(const test_polygon *p, const snag__mesh *mesh, int axis, int sign)
{
    const uint32_t(*t)[3] = (const uint32_t(*)[3])mesh->triangles;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        if (judge_orient2d(p->x[t[i][0]], p->x[t[i][1]], p->x[t[i][2]], axis) * sign < 0)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (judge_overlap(p->x, t[i], t[k], axis))
                return false;
    }
    return true;
}

static uint32_t count_flat(const test_polygon *p, const snag__mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        count += judge_is_collinear(p->x[mesh->triangles[t][0]], p->x[mesh->triangles[t][1]], p->x[mesh->triangles[t][2]]);
    return count;
}

static void sample(snag__random *random, const test_polygon *p, double point[3])
{
    // Between three corners: mostly near edges.
    double weight = snag__random_unit(random), other = snag__random_unit(random) * (1 - weight);
    const double *a = p->x[p->vertices[snag__random_below(random, p->count)]];
    uint32_t near = snag__random_below(random, p->count);
    const double *b = p->x[p->vertices[near]], *c = p->x[p->vertices[(near + 1) % p->count]];
    for (int k = 0; k < 3; k++)
        point[k] = weight * a[k] + other * b[k] + (1 - weight - other) * c[k];
}

// Each sampled point is in as many triangles as the polygon goes around it.
static void assert_points_agree(snag__random *random, const test_polygon *p, const snag__mesh *mesh, int axis, int sign)
{
    judge_polygon polygon = judged(p);
    for (int n = 0; n < 12; n++) {
        double point[3];
        bool on, beside = false;
        sample(random, p, point);
        int winding = judge_winding(&polygon, axis, point, &on), inside = 0;
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *v = mesh->triangles[t];
            inside += judge_in_triangle(p->x, v, axis, point);
            for (int k = 0; k < 3; k++)
                beside |= judge_between(p->x[v[k]], p->x[v[(k + 1) % 3]], axis, point);
        }
        if (!on && !beside)
            assert_int_equal(inside, winding * sign);
    }
}

static void print(const test_polygon *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        print_message("%u:(%.17g %.17g %.17g) ", p->vertices[i], p->x[p->vertices[i]][0], p->x[p->vertices[i]][1],
                      p->x[p->vertices[i]][2]);
    print_message("\n");
}

// All that must hold of a polygon that is simple, or a limit of simple ones. Returns how many triangles have no area.
static uint32_t assert_tiled(snag__random *random, const test_polygon *p)
{
    judge_polygon polygon = judged(p);
    snag__mesh mesh = split(p);
    int sign, axis = judge_polygon_axis(&polygon, &sign);
    bool good = tiles(p, &mesh, axis, sign) && mesh.crossed_count == 0;
    if (!good)
        print(p);
    assert_true(good);
    assert_true(judge_area_is_kept(&polygon, (const uint32_t(*)[3])mesh.triangles, axis));
    assert_points_agree(random, p, &mesh, axis, sign);
    uint32_t flat = count_flat(p, &mesh);
    snag__mesh_free(&mesh);
    return flat;
}

// Of a simple polygon no triangle is without area, and no corner lies inside a side of one.
static void assert_simple_is_tiled(snag__random *random, const test_polygon *p)
{
    assert_int_equal(assert_tiled(random, p), 0);
    snag__mesh mesh = split(p);
    judge_polygon polygon = judged(p);
    int sign, axis = judge_polygon_axis(&polygon, &sign);
    for (uint32_t t = 0; t < mesh.triangle_count; t++)
        for (int k = 0; k < 3; k++)
            for (uint32_t i = 0; i < p->count; i++)
                assert_false(
                    judge_between(p->x[mesh.triangles[t][k]], p->x[mesh.triangles[t][(k + 1) % 3]], axis, p->x[p->vertices[i]]));
    snag__mesh_free(&mesh);
}

static void place(snag__random *random, test_polygon *p)
{
    turn_loop(random, p);
    shear(random, p);
}

static void simple_polygons_are_tiled_without_flat_triangles(void **state)
{
    (void)state;
    snag__random random = {1};
    static test_polygon p;
    for (int n = 0; n < 150; n++) {
        uint32_t count = 4 + snag__random_below(&random, 16);
        make_star(&random, count, &p);
        place(&random, &p);
        assert_simple_is_tiled(&random, &p);
        make_monotone(&random, count, &p);
        place(&random, &p);
        assert_simple_is_tiled(&random, &p);
    }
}

static void untangled_polygons_are_tiled(void **state)
{
    (void)state;
    snag__random random = {2};
    static test_polygon p;
    int simple = 0;
    for (int n = 0; n < 300; n++) {
        // A small grid gives straight corners and corners that touch edges; those are no longer simple, and left out.
        if (!make_untangled(&random, 4 + snag__random_below(&random, 12), n % 2 ? 1 << 20 : 8, &p))
            continue;
        judge_polygon polygon = judged(&p);
        if (!judge_is_simple(&polygon, 2))
            continue;
        simple++;
        place(&random, &p);
        assert_simple_is_tiled(&random, &p);
    }
    assert_true(simple > 150);
}

static void straight_corners_need_no_flat_triangles(void **state)
{
    (void)state;
    snag__random random = {3};
    static test_polygon p;
    for (int n = 0; n < 100; n++) {
        make_star(&random, 3 + snag__random_below(&random, 10), &p);
        add_straight_corners(&random, 1 + snag__random_below(&random, 8), &p);
        place(&random, &p);
        assert_simple_is_tiled(&random, &p);
    }
}

static void repeated_corners_give_as_many_flat_triangles(void **state)
{
    (void)state;
    snag__random random = {4};
    static test_polygon p;
    for (int n = 0; n < 100; n++) {
        make_star(&random, 4 + snag__random_below(&random, 10), &p);
        uint32_t more = 1 + snag__random_below(&random, 6);
        add_repeated_corners(&random, more, &p);
        place(&random, &p);
        if (n % 2)
            share_vertices(&p);
        assert_int_equal(assert_tiled(&random, &p), more);
    }
}

static void holes_behind_bridges_stay_free(void **state)
{
    (void)state;
    snag__random random = {5};
    static test_polygon p;
    for (int n = 0; n < 100; n++) {
        make_holes(&random, 6 + snag__random_below(&random, 8), 1 + snag__random_below(&random, 4), &p);
        place(&random, &p);
        if (n % 2)
            share_vertices(&p);
        assert_int_equal(assert_tiled(&random, &p), 0);
    }
}

static void slits_antennas_and_touching_parts_are_tiled(void **state)
{
    (void)state;
    snag__random random = {6};
    static test_polygon p;
    for (int n = 0; n < 200; n++) {
        make_cells(&random, &p);
        if (n % 4 == 1)
            drop_straight_corners(&random, 100, &p);
        if (n % 4 == 2)
            drop_straight_corners(&random, 50, &p);
        if (n % 4 == 3)
            add_repeated_corners(&random, 3, &p);
        place(&random, &p);
        if (snag__random_below(&random, 2))
            share_vertices(&p);
        assert_tiled(&random, &p);
    }
}

// A spike out and back covers nothing, in whatever direction it points; if it crosses the loop, the loop may be called
// crossed.
static void spikes_change_nothing(void **state)
{
    (void)state;
    snag__random random = {7};
    static test_polygon p;
    for (int n = 0; n < 100; n++) {
        make_star(&random, 5 + snag__random_below(&random, 10), &p);
        add_spikes(&random, 1 + snag__random_below(&random, 3), 0.01, &p);
        place(&random, &p);
        judge_polygon polygon = judged(&p);
        int sign, axis = judge_polygon_axis(&polygon, &sign);
        snag__mesh mesh = split(&p);
        assert_true(mesh.crossed_count > 0 || tiles(&p, &mesh, axis, sign));
        assert_true(judge_area_is_kept(&polygon, (const uint32_t(*)[3])mesh.triangles, axis));
        assert_points_agree(&random, &p, &mesh, axis, sign);
        snag__mesh_free(&mesh);
    }
}

// Corners at random places of a small grid: they repeat, touch, turn back, lie upon each other, and mostly cross. A
// polygon is said to cross itself just when its triangles do not tile it, but for those that cross without an area.
static void polygons_that_cross_are_told(void **state)
{
    (void)state;
    snag__random random = {8};
    static test_polygon p;
    int tiled = 0, crossed = 0;
    for (int n = 0; n < 3000; n++) {
        memset(&p, 0, sizeof p);
        p.count = p.vertex_count = 4 + snag__random_below(&random, 6);
        uint32_t side = 2 + snag__random_below(&random, 4);
        for (uint32_t i = 0; i < p.count; i++) {
            p.vertices[i] = i;
            p.x[i][0] = snag__random_below(&random, side);
            p.x[i][1] = snag__random_below(&random, side);
        }
        if (n % 2)
            place(&random, &p);
        judge_polygon polygon = judged(&p);
        int sign, axis = judge_polygon_axis(&polygon, &sign);
        snag__mesh mesh = split(&p);
        assert_true(judge_area_is_kept(&polygon, (const uint32_t(*)[3])mesh.triangles, axis));
        if (sign != 0) {
            bool good = tiles(&p, &mesh, axis, sign);
            assert_true(good || mesh.crossed_count == 1);
            if (judge_is_simple(&polygon, axis))
                assert_true(good && mesh.crossed_count == 0);
            tiled += mesh.crossed_count == 0;
            crossed += mesh.crossed_count;
        }
        snag__mesh_free(&mesh);
    }
    assert_true(tiled > 300 && crossed > 1000);
}

// Powers of two change nothing at all; other factors round, so that the polygon is no longer flat.
static void scale_does_not_matter(void **state)
{
    (void)state;
    snag__random random = {9};
    static test_polygon p, scaled;
    static const int exponents[] = {-1000, -400, -100, 100, 400, 1000};
    static const double factors[] = {1e-300, 1e-160, 1e-40, 1e40, 1e160, 1e300};
    for (int n = 0; n < 60; n++) {
        make_holes(&random, 6 + snag__random_below(&random, 8), 2, &p);
        place(&random, &p);
        snag__mesh mesh = split(&p);
        scaled = p;
        for (uint32_t i = 0; i < p.vertex_count; i++)
            for (int k = 0; k < 3; k++)
                scaled.x[i][k] = ldexp(p.x[i][k], exponents[n % 6]);
        snag__mesh other = split(&scaled);
        assert_memory_equal(mesh.triangles, other.triangles, mesh.triangle_count * sizeof *mesh.triangles);
        snag__mesh_free(&mesh);
        snag__mesh_free(&other);
        for (uint32_t i = 0; i < p.vertex_count; i++)
            for (int k = 0; k < 3; k++)
                scaled.x[i][k] = p.x[i][k] * factors[n % 6];
        assert_tiled(&random, &scaled);
    }
}

static void polygons_that_are_not_flat_are_split_as_they_are_seen(void **state)
{
    (void)state;
    snag__random random = {10};
    static test_polygon p;
    for (int n = 0; n < 100; n++) {
        if (n % 2)
            make_star(&random, 4 + snag__random_below(&random, 12), &p);
        else
            make_monotone(&random, 4 + snag__random_below(&random, 12), &p);
        for (uint32_t i = 0; i < p.vertex_count && n % 4 < 2; i++)
            p.x[i][2] = snag__random_range(&random, -0.1, 0.1);
        rotate(&random, &p);
        turn_loop(&random, &p);
        // Seen along another axis than before, it may cross itself.
        judge_polygon polygon = judged(&p);
        int sign, axis = judge_polygon_axis(&polygon, &sign);
        if (judge_is_simple(&polygon, axis))
            assert_simple_is_tiled(&random, &p);
    }
}

// Along a diagonal and a few last bits wide: an area in double is mere rounding, so axis and turn are found exactly.
static void slivers_are_tiled(void **state)
{
    (void)state;
    snag__random random = {12};
    static test_polygon p;
    static const double scales[] = {1, 0x1p-900, 0x1p900};
    for (int n = 0; n < 200; n++) {
        make_monotone(&random, 4 + snag__random_below(&random, n % 2 ? 1 : 8), &p);
        double scale = scales[n % 3];
        for (uint32_t i = 0; i < p.vertex_count; i++) {
            double bits = ceil(4 * p.x[i][1]), t = 1 + p.x[i][0] + 0x1p-52 * snag__random_below(&random, 1 << 20);
            p.x[i][0] = t * scale;
            p.x[i][1] = (t + 0x1p-51 * bits) * scale;
            p.x[i][2] = 0;
        }
        turn_loop(&random, &p);
        judge_polygon polygon = judged(&p);
        if (judge_is_simple(&polygon, 2))
            assert_simple_is_tiled(&random, &p);
    }
}

// ---- small ones, by hand ----

typedef struct example {
    const char *what;
    double x[12][2];
    uint32_t count;
    bool crossed;
    uint32_t triangles[10][3];
} example;

static void small_polygons_have_the_triangles_that_were_promised(void **state)
{
    (void)state;
    static const example examples[] = {
        {"a convex quad keeps its first diagonal", {{0, 0}, {3, 0}, {2, 2}, {0, 1}}, 4, false, {{0, 1, 2}, {0, 2, 3}}},
        {"a convex pentagon is a fan", {{0, 0}, {2, 0}, {3, 1}, {2, 2}, {0, 2}}, 5, false, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}},
        {"a dart seen from its tip keeps the fan", {{0, 0}, {2, 3}, {0, 1}, {-2, 3}}, 4, false, {{0, 1, 2}, {0, 2, 3}}},
        {"a dart that the first diagonal leaves", {{-2, 3}, {0, 0}, {2, 3}, {0, 1}}, 4, false, {{3, 0, 1}, {1, 2, 3}}},
        {"a straight corner beside the first", {{0, 0}, {1, 0}, {2, 0}, {1, 1}}, 4, false, {{3, 0, 1}, {1, 2, 3}}},
        {"a star-shaped one keeps the fan", {{0, 0}, {3, -1}, {3, 2}, {1, 1}, {1, 3}}, 5, false, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}},
        {"all on a line", {{0, 0}, {1, 1}, {3, 3}, {2, 2}, {5, 5}}, 5, false, {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}},
        {"all at one place", {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, 4, false, {{0, 1, 2}, {0, 2, 3}}},
        {"a bow-tie of two equal halves", {{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 4, true, {{0}}},
        {"a bow-tie of a large and a small half", {{0, 0}, {4, 0}, {0, 1}, {4, 3}}, 4, true, {{0}}},
        {"a pentagram", {{0, 3}, {-2, -3}, {3, 1}, {-3, 1}, {2, -3}}, 5, true, {{0}}},
    };
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++) {
        static test_polygon p;
        memset(&p, 0, sizeof p);
        p.count = p.vertex_count = examples[e].count;
        for (uint32_t i = 0; i < p.count; i++) {
            p.vertices[i] = i;
            memcpy(p.x[i], examples[e].x[i], sizeof examples[e].x[i]);
        }
        snag__mesh mesh = split(&p);
        if (mesh.crossed_count != examples[e].crossed ||
            (!examples[e].crossed && memcmp(mesh.triangles, examples[e].triangles, mesh.triangle_count * sizeof *mesh.triangles)))
            fail_msg("%s", examples[e].what);
        snag__mesh_free(&mesh);
    }
}

// No three corners that follow each other are off a line, and yet not all are on one.
static void spikes_from_one_place_have_no_area(void **state)
{
    (void)state;
    static test_polygon p = {.x = {{0, 0}, {0, 0}, {4, 0}, {0, 0}, {0, 0}, {0, 3}, {0, 0}, {0, 0}},
                             .vertices = {0, 1, 2, 3, 4, 5, 6, 7},
                             .vertex_count = 8,
                             .count = 8};
    snag__mesh mesh = split(&p);
    assert_int_equal(count_flat(&p, &mesh), 6);
    assert_int_equal(mesh.crossed_count, 0);
    snag__mesh_free(&mesh);
}

// ---- large ones ----

static void assert_areas_sum_up(const double (*x)[3], const snag__mesh *mesh, double area)
{
    double sum = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const double *a = x[mesh->triangles[t][0]], *b = x[mesh->triangles[t][1]], *c = x[mesh->triangles[t][2]];
        double part = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert_true(part > 0);
        sum += part;
    }
    assert_true(fabs(sum - area) < 1e-9 * area);
}

// Whatever is quadratic in the corners would take minutes.
static void many_corners_take_little_time(void **state)
{
    (void)state;
    uint32_t count = 100000;
    double(*x)[3] = calloc(count, sizeof *x), area = 0;
    uint32_t *vertices = calloc(count, sizeof *vertices);
    make_spiral(count, x);
    for (uint32_t i = 0; i < count; i++) {
        const double *a = x[i], *b = x[(i + 1) % count];
        area += a[0] * b[1] - a[1] * b[0];
        vertices[i] = i;
    }
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], count),
                         .polygon_sizes = &count,
                         .polygon_vertices = vertices,
                         .polygon_count = 1};
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh;
    snag__mesh_error error = {""};
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.crossed_count, 0);
    assert_areas_sum_up((const double(*)[3])x, &mesh, area);
    snag__mesh_free(&mesh);

    // Corners in four places alone, a worst case for every structure over places.
    snag__random random = {11};
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            x[i][k] = snag__random_below(&random, 2);
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.crossed_count, 1);
    snag__mesh_free(&mesh);
    free(x);
    free(vertices);
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    const snag_body_def *def = context;
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_status status = snag__mesh_from_def(def, allocator, &mesh, &error);
    snag__mesh_free(&mesh);
    return status;
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    // A U, and enough bow-ties for their list to grow.
    static const double x[][3] = {{0, 0, 0}, {3, 0, 0}, {3, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    static const uint32_t sizes[] = {8, 4, 4, 4}, vertices[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 7, 0, 2, 1, 7, 0, 2, 1, 7};
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 8),
                         .polygon_sizes = sizes,
                         .polygon_vertices = vertices,
                         .polygon_count = 4,
                         .weld = true};
    assert_true(failing_allocator_sweep(cycle, &def) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_polygons_are_tiled_without_flat_triangles),
        cmocka_unit_test(untangled_polygons_are_tiled),
        cmocka_unit_test(straight_corners_need_no_flat_triangles),
        cmocka_unit_test(repeated_corners_give_as_many_flat_triangles),
        cmocka_unit_test(holes_behind_bridges_stay_free),
        cmocka_unit_test(slits_antennas_and_touching_parts_are_tiled),
        cmocka_unit_test(spikes_change_nothing),
        cmocka_unit_test(polygons_that_cross_are_told),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(polygons_that_are_not_flat_are_split_as_they_are_seen),
        cmocka_unit_test(slivers_are_tiled),
        cmocka_unit_test(small_polygons_have_the_triangles_that_were_promised),
        cmocka_unit_test(spikes_from_one_place_have_no_area),
        cmocka_unit_test(many_corners_take_little_time),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
