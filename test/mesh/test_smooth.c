// What looks smooth: triangles that face one direction, whatever their winding and their topology.
#include "helpers/mesh_of.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"
#include "mesh/smooth.h"

#include <math.h>
#include <stdlib.h>

// How many triangles of a shape lie in smooth neighbourhoods of a size.
static size_t count_smooth(const snag_shape *shape, uint32_t size)
{
    snag__mesh mesh = mesh_of(shape);
    size_t count = 0;
    for (uint32_t t = 0; t < mesh.triangle_count; t++)
        count += snag__is_smooth_around(&mesh, t, size);
    snag__mesh_free(&mesh);
    return count;
}

static void a_sheet_is_smooth_whatever_its_winding_and_its_holes(void **state)
{
    (void)state;
    snag__random random = {5};
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(20, 20, 1, 1, &sheet), SNAG_OK);
    assert_int_equal(count_smooth(&sheet, 512), sheet.triangle_count);
    surface_flip_triangles(&sheet, 0.3, &random);
    assert_int_equal(count_smooth(&sheet, 512), sheet.triangle_count);
    surface_remove_triangles(&sheet, 0.1, &random);
    assert_int_equal(count_smooth(&sheet, 512), sheet.triangle_count);
    snag_shape_free(&sheet);
}

static void a_sphere_is_smooth_in_parts_and_not_as_a_whole(void **state)
{
    (void)state;
    snag_shape sphere;
    assert_int_equal(snag_shape_icosphere(2, 1, &sphere), SNAG_OK);
    assert_int_equal(sphere.triangle_count, 320);
    assert_int_equal(count_smooth(&sphere, 40), 320);
    assert_int_equal(count_smooth(&sphere, 320), 0);
    assert_int_equal(count_smooth(&sphere, 1000000), 0);
    snag_shape_free(&sphere);
}

// A roof: only what lies so near to a steep ridge that its neighbourhood crosses it is rough.
static void a_sharp_fold_is_rough_and_what_is_far_from_it_is_not(void **state)
{
    (void)state;
    snag_shape roof;
    assert_int_equal(snag_shape_sheet(40, 40, 1, 1, &roof), SNAG_OK);
    for (size_t v = 0; v < roof.vertex_count; v++)
        roof.positions[3 * v + 2] = -50 * fabs(roof.positions[3 * v]);
    snag__mesh mesh = mesh_of(&roof);
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        double x = 0;
        for (int i = 0; i < 3; i++)
            x += fabs(mesh.x_t1[mesh.triangles[t][i]][0]) / 3;
        bool smooth = snag__is_smooth_around(&mesh, t, 64);
        // 64 triangles reach three to six cells far.
        if (x < 1.0 / 40)
            assert_false(smooth);
        if (x > 8.0 / 40)
            assert_true(smooth);
    }
    snag__mesh_free(&mesh);
    snag_shape_free(&roof);
}

static void triangles_without_area_and_flat_folds_are_rough(void **state)
{
    (void)state;
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(4, 4, 1, 1, &sheet), SNAG_OK);
    double *middle = sheet.positions + 36, *next = sheet.positions + 39;
    middle[0] = next[0];
    middle[1] = next[1];
    assert_int_equal(count_smooth(&sheet, 32), 0);
    // All of it on one line.
    for (size_t v = 0; v < sheet.vertex_count; v++)
        sheet.positions[3 * v + 1] = 0;
    assert_int_equal(count_smooth(&sheet, 1), 0);
    snag_shape_free(&sheet);
    // Folded over: the two halves face opposite ways.
    assert_int_equal(snag_shape_sheet(4, 4, 1, 1, &sheet), SNAG_OK);
    for (size_t v = 0; v < sheet.vertex_count; v++)
        sheet.positions[3 * v] = fabs(sheet.positions[3 * v]);
    assert_int_equal(count_smooth(&sheet, 32), 0);
    snag_shape_free(&sheet);
}

// Three at an edge, a Moebius strip, triangles that repeat a vertex or hang together by one: nothing but an answer.
static void any_topology_gets_an_answer(void **state)
{
    (void)state;
    snag__random random = {9};
    for (int i = 0; i < 60; i++) {
        snag_shape shape = i % 3 == 0   ? surface_moebius(12, 2)
                           : i % 3 == 1 ? surface_soup(60, true, &random)
                                        : surface_klein(10, 8);
        surface_repeat_triangles(&shape, 3, &random);
        surface_collapse(&shape, 2, &random);
        assert_true(count_smooth(&shape, 1 + snag__random_below(&random, 600)) <= shape.triangle_count);
        snag_shape_free(&shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_is_smooth_whatever_its_winding_and_its_holes),
        cmocka_unit_test(a_sphere_is_smooth_in_parts_and_not_as_a_whole),
        cmocka_unit_test(a_sharp_fold_is_rough_and_what_is_far_from_it_is_not),
        cmocka_unit_test(triangles_without_area_and_flat_folds_are_rough),
        cmocka_unit_test(any_topology_gets_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
