// Shapes: counted, closed, turned outward and without flat elements; bad arguments are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "snag/shapes.h"

// ---- oracles: directed edges and faces sorted, volumes summed ----

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static const double *at(const snag_shape *shape, uint32_t v)
{
    assert_true(v < shape->vertex_count);
    return shape->positions + 3 * (size_t)v;
}

static void normal_of(const double *a, const double *b, const double *c, double n[3])
{
    double u[3], w[3];
    for (int i = 0; i < 3; i++)
        u[i] = b[i] - a[i], w[i] = c[i] - a[i];
    n[0] = u[1] * w[2] - u[2] * w[1];
    n[1] = u[2] * w[0] - u[0] * w[2];
    n[2] = u[0] * w[1] - u[1] * w[0];
}

typedef struct surface_facts {
    size_t edges, boundary;
    double volume, area, smallest_area;
} surface_facts;

// Fails where a directed edge stands twice: then the surface is not manifold or not turned one way.
static surface_facts surface_study(const snag_shape *shape)
{
    surface_facts facts = {.smallest_area = INFINITY};
    size_t count = 3 * shape->triangle_count;
    uint64_t *keys = malloc(count * sizeof *keys);
    for (size_t t = 0; t < shape->triangle_count; t++) {
        const uint32_t *c = shape->triangles + 3 * t;
        for (int i = 0; i < 3; i++)
            keys[3 * t + (size_t)i] = (uint64_t)c[i] << 32 | c[(i + 1) % 3];
        const double *p = at(shape, c[0]);
        double n[3];
        normal_of(p, at(shape, c[1]), at(shape, c[2]), n);
        double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
        facts.area += area;
        facts.smallest_area = fmin(facts.smallest_area, area);
        facts.volume += (p[0] * n[0] + p[1] * n[1] + p[2] * n[2]) / 6;
    }
    qsort(keys, count, sizeof *keys, compare_u64);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || keys[i] != keys[i - 1]);
        uint64_t reverse = keys[i] << 32 | keys[i] >> 32;
        bool paired = bsearch(&reverse, keys, count, sizeof *keys, compare_u64) != NULL;
        facts.boundary += !paired;
        facts.edges += !paired || keys[i] < reverse;
    }
    free(keys);
    return facts;
}

static void assert_all_vertices_used_and_apart(const snag_shape *shape)
{
    uint8_t *used = calloc(shape->vertex_count, 1);
    for (size_t i = 0; i < 3 * shape->triangle_count; i++)
        used[shape->triangles[i]] = 1;
    for (size_t i = 0; i < 4 * shape->tet_count; i++)
        used[shape->tets[i]] = 1;
    for (size_t v = 0; v < shape->vertex_count; v++) {
        assert_true(used[v]);
        for (size_t w = 0; w < v; w++)
            assert_memory_not_equal(shape->positions + 3 * v, shape->positions + 3 * w, 3 * sizeof(double));
    }
    free(used);
}

static void assert_closed(snag_shape *shape, size_t vertices, size_t triangles, int euler, double volume, double within)
{
    assert_int_equal(shape->vertex_count, vertices);
    assert_int_equal(shape->triangle_count, triangles);
    assert_int_equal(shape->tet_count, 0);
    surface_facts facts = surface_study(shape);
    assert_int_equal(facts.boundary, 0);
    assert_int_equal((int)shape->vertex_count - (int)facts.edges + (int)shape->triangle_count, euler);
    assert_true(facts.volume > 0 && fabs(facts.volume / volume - 1) < within);
    assert_true(facts.smallest_area > 1e-4 * facts.area / (double)triangles);
    assert_all_vertices_used_and_apart(shape);
    snag_shape_free(shape);
    assert_null(shape->positions);
}

// ---- one test for each shape ----

static void test_a_sheet_faces_up_and_alternates_its_diagonals(void **state)
{
    (void)state;
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(7, 4, 3, 2, &sheet), SNAG_OK);
    assert_int_equal(sheet.vertex_count, 40);
    assert_int_equal(sheet.triangle_count, 56);
    surface_facts facts = surface_study(&sheet);
    assert_int_equal(facts.boundary, 22);
    assert_int_equal(40 - (int)facts.edges + 56, 1);
    assert_true(fabs(facts.area - 6) < 1e-12);
    assert_all_vertices_used_and_apart(&sheet);
    for (size_t t = 0; t < sheet.triangle_count; t++) {
        const uint32_t *c = sheet.triangles + 3 * t;
        double n[3];
        normal_of(at(&sheet, c[0]), at(&sheet, c[1]), at(&sheet, c[2]), n);
        assert_true(n[2] > 0);
    }
    // Alternating: the vertices inside are met by four or by eight triangles.
    for (uint32_t j = 1; j < 4; j++) {
        for (uint32_t i = 1; i < 7; i++) {
            size_t valence = 0;
            for (size_t k = 0; k < 3 * sheet.triangle_count; k++)
                valence += sheet.triangles[k] == j * 8 + i;
            assert_int_equal(valence, (i + j) % 2 == 0 ? 8 : 4);
        }
    }
    assert_true(sheet.positions[0] == -1.5 && sheet.positions[1] == -1 && sheet.positions[2] == 0);
    snag_shape_free(&sheet);
}

static void test_an_icosphere_is_cut_in_four(void **state)
{
    (void)state;
    const double inside[5] = {0.61, 0.88, 0.97, 0.992, 0.998};  // volume as a part of the ball's, rounded down
    for (uint32_t n = 0; n < 5; n++) {
        snag_shape ball;
        assert_int_equal(snag_shape_icosphere(n, 2, &ball), SNAG_OK);
        for (size_t v = 0; v < ball.vertex_count; v++) {
            const double *p = at(&ball, (uint32_t)v);
            assert_true(fabs(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 2) < 1e-14);
        }
        size_t pieces = (size_t)1 << (2 * n);
        double whole = 4.0 / 3 * 3.14159265358979323846 * 8;
        surface_facts facts = surface_study(&ball);
        assert_true(facts.volume < whole && facts.volume > 0.99 * inside[n] * whole);
        // No triangle is much smaller than the mean: midpoints keep the triangles even.
        assert_true(facts.smallest_area > 0.6 * facts.area / (double)ball.triangle_count);
        assert_closed(&ball, 10 * pieces + 2, 20 * pieces, 2, whole, 0.4);
    }
}

static void test_round_shapes_are_closed_and_outward(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    snag_shape shape;
    assert_int_equal(snag_shape_sphere(40, 20, 1.5, &shape), SNAG_OK);
    assert_closed(&shape, 40 * 19 + 2, 2 * 40 * 19, 2, 4.0 / 3 * pi * 3.375, 0.02);
    assert_int_equal(snag_shape_sphere(3, 2, 1, &shape), SNAG_OK);
    assert_closed(&shape, 5, 6, 2, sqrt(3) / 2, 1e-12);
    assert_int_equal(snag_shape_torus(60, 30, 2, 0.5, &shape), SNAG_OK);
    assert_closed(&shape, 1800, 3600, 0, 2 * pi * pi * 2 * 0.25, 0.02);
    assert_int_equal(snag_shape_torus(3, 3, 2, 0.5, &shape), SNAG_OK);
    assert_closed(&shape, 9, 18, 0, 27.0 / 16, 1e-12);  // three wedges of a triangle of area 3 sqrt(3) / 16 at radius 2
    assert_int_equal(snag_shape_cylinder(50, 7, 0.5, 3, &shape), SNAG_OK);
    assert_closed(&shape, 402, 2 * 50 * 8, 2, pi * 0.25 * 3, 0.01);
    assert_int_equal(snag_shape_cylinder(3, 1, 1, 1, &shape), SNAG_OK);
    assert_closed(&shape, 8, 12, 2, 3 * sqrt(3) / 4, 1e-12);
}

static void test_boxes_of_all_cuts_are_closed_and_outward(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 6; n++) {
        snag_shape box;
        assert_int_equal(snag_shape_box(n, 1, 2, 3, &box), SNAG_OK);
        surface_facts facts = surface_study(&box);
        assert_true(fabs(facts.area - 22) < 1e-12);
        for (size_t v = 0; v < box.vertex_count; v++) {
            const double *p = at(&box, (uint32_t)v);
            assert_true(fabs(p[0]) == 0.5 || fabs(p[1]) == 1 || fabs(p[2]) == 1.5);
        }
        assert_closed(&box, 6 * n * n + 2, 12 * n * n, 2, 6, 1e-12);
    }
}

// A face of a tetrahedron as a number that says its vertices (by rank) and, in the lowest bit, which way it turns.
static uint64_t face_key(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t odd = 0;
    uint32_t s;
    if (a > b)
        s = a, a = b, b = s, odd ^= 1;
    if (b > c)
        s = b, b = c, c = s, odd ^= 1;
    if (a > b)
        s = a, a = b, b = s, odd ^= 1;
    return ((uint64_t)a << 42 | (uint64_t)b << 21 | c) << 1 | odd;
}

static void assert_block(uint32_t nx, uint32_t ny, uint32_t nz)
{
    snag_shape block;
    assert_int_equal(snag_shape_block(nx, ny, nz, 0.5, &block), SNAG_OK);
    assert_int_equal(block.vertex_count, (nx + 1) * (ny + 1) * (nz + 1));
    assert_int_equal(block.tet_count, 5 * nx * ny * nz);
    assert_int_equal(block.triangle_count, 0);
    assert_true(block.vertex_count < (1 << 20));  // face_key packs three of them
    double volume = 0;
    size_t count = 4 * block.tet_count;
    uint64_t *faces = malloc(count * sizeof *faces);
    for (size_t k = 0; k < block.tet_count; k++) {
        const uint32_t *v = block.tets + 4 * k;
        const double *p = at(&block, v[0]), *q = at(&block, v[3]);
        double n[3];
        normal_of(p, at(&block, v[1]), at(&block, v[2]), n);
        double six = n[0] * (q[0] - p[0]) + n[1] * (q[1] - p[1]) + n[2] * (q[2] - p[2]);
        assert_true(six > 0.1);
        volume += six / 6;
        faces[4 * k] = face_key(v[0], v[2], v[1]);
        faces[4 * k + 1] = face_key(v[0], v[1], v[3]);
        faces[4 * k + 2] = face_key(v[1], v[2], v[3]);
        faces[4 * k + 3] = face_key(v[0], v[3], v[2]);
    }
    assert_true(fabs(volume - nx * ny * nz * 0.125) < 1e-9);
    // Each face stands once each way round, but for those on the six sides: two to a cell.
    qsort(faces, count, sizeof *faces, compare_u64);
    size_t single = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || faces[i] != faces[i - 1]);
        uint64_t other = faces[i] ^ 1;
        single += bsearch(&other, faces, count, sizeof *faces, compare_u64) == NULL;
    }
    assert_int_equal(single, 4 * (nx * ny + ny * nz + nz * nx));
    free(faces);
    assert_all_vertices_used_and_apart(&block);
    snag_shape_free(&block);
}

static void test_blocks_of_tetrahedra_fit_together(void **state)
{
    (void)state;
    snag_shape block;
    assert_int_equal(snag_shape_block(10, 10, 1, 1, &block), SNAG_OK);
    assert_int_equal(block.vertex_count, 242);
    assert_int_equal(block.tet_count, 500);
    snag_shape_free(&block);
    assert_int_equal(snag_shape_block(2, 1, 1, 1, &block), SNAG_OK);
    assert_int_equal(block.vertex_count, 12);
    assert_int_equal(block.tet_count, 10);
    snag_shape_free(&block);
    assert_block(1, 1, 1);
    assert_block(2, 1, 1);
    assert_block(3, 4, 5);
    assert_block(10, 10, 1);
}

static void test_a_transform_scales_then_shifts(void **state)
{
    (void)state;
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(1, 1, 2, 2, &sheet), SNAG_OK);
    snag_shape_transform(&sheet, 3, 10, 20, 30);
    const double expected[12] = {7, 17, 30, 13, 17, 30, 7, 23, 30, 13, 23, 30};
    assert_memory_equal(sheet.positions, expected, sizeof expected);
    snag_shape_free(&sheet);
}

static void test_the_same_call_gives_the_same_bytes(void **state)
{
    (void)state;
    snag_shape a, b;
    assert_int_equal(snag_shape_icosphere(3, 1.7, &a), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(3, 1.7, &b), SNAG_OK);
    assert_memory_equal(a.positions, b.positions, 3 * sizeof(double) * a.vertex_count);
    assert_memory_equal(a.triangles, b.triangles, 3 * sizeof(uint32_t) * a.triangle_count);
    snag_shape_free(&a);
    snag_shape_free(&b);
}

// ---- bad arguments ----

static void assert_refused(snag_status got, snag_status expected, snag_shape *shape)
{
    const snag_shape zero = {0};
    assert_int_equal(got, expected);
    assert_memory_equal(shape, &zero, sizeof zero);
    memset(shape, 0x5a, sizeof *shape);  // the next maker must not read what it is given
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    snag_shape shape;
    memset(&shape, 0x5a, sizeof shape);
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
    const snag_status argument = SNAG_ERROR_ARGUMENT;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double d = bad[i];
        assert_refused(snag_shape_sheet(1, 1, d, 1, &shape), argument, &shape);
        assert_refused(snag_shape_sheet(1, 1, 1, d, &shape), argument, &shape);
        assert_refused(snag_shape_icosphere(1, d, &shape), argument, &shape);
        assert_refused(snag_shape_sphere(8, 4, d, &shape), argument, &shape);
        assert_refused(snag_shape_torus(8, 4, d, 1, &shape), argument, &shape);
        assert_refused(snag_shape_torus(8, 4, 1, d, &shape), argument, &shape);
        assert_refused(snag_shape_box(1, d, 1, 1, &shape), argument, &shape);
        assert_refused(snag_shape_box(1, 1, d, 1, &shape), argument, &shape);
        assert_refused(snag_shape_box(1, 1, 1, d, &shape), argument, &shape);
        assert_refused(snag_shape_cylinder(8, 1, d, 1, &shape), argument, &shape);
        assert_refused(snag_shape_cylinder(8, 1, 1, d, &shape), argument, &shape);
        assert_refused(snag_shape_block(1, 1, 1, d, &shape), argument, &shape);
    }
    assert_refused(snag_shape_sheet(0, 1, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_sheet(1, 0, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_sphere(2, 4, 1, &shape), argument, &shape);
    assert_refused(snag_shape_sphere(3, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_torus(2, 3, 2, 1, &shape), argument, &shape);
    assert_refused(snag_shape_torus(3, 2, 2, 1, &shape), argument, &shape);
    assert_refused(snag_shape_torus(3, 3, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_torus(3, 3, 1.7e308, 1.6e308, &shape), argument, &shape);
    assert_refused(snag_shape_box(0, 1, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_cylinder(2, 1, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_cylinder(3, 0, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_block(0, 1, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_block(1, 0, 1, 1, &shape), argument, &shape);
    assert_refused(snag_shape_block(1, 1, 0, 1, &shape), argument, &shape);
    assert_refused(snag_shape_block(1, 2, 1, 1e308, &shape), argument, &shape);
    assert_int_equal(snag_shape_sheet(1, 1, 1, 1, NULL), argument);
    assert_int_equal(snag_shape_icosphere(1, 1, NULL), argument);
    assert_int_equal(snag_shape_sphere(3, 2, 1, NULL), argument);
    assert_int_equal(snag_shape_torus(3, 3, 2, 1, NULL), argument);
    assert_int_equal(snag_shape_box(1, 1, 1, 1, NULL), argument);
    assert_int_equal(snag_shape_cylinder(3, 1, 1, 1, NULL), argument);
    assert_int_equal(snag_shape_block(1, 1, 1, 1, NULL), argument);
}

static void test_counts_beyond_32_bits_are_refused(void **state)
{
    (void)state;
    snag_shape shape;
    memset(&shape, 0x5a, sizeof shape);
    const uint32_t most = UINT32_MAX;
    const snag_status size = SNAG_ERROR_SIZE;
    assert_refused(snag_shape_sheet(most, most, 1, 1, &shape), size, &shape);
    assert_refused(snag_shape_sheet(most, 1, 1, 1, &shape), size, &shape);
    assert_refused(snag_shape_sheet(65535, 65535, 1, 1, &shape), size, &shape);
    assert_refused(snag_shape_icosphere(14, 1, &shape), size, &shape);
    assert_refused(snag_shape_icosphere(most, 1, &shape), size, &shape);
    assert_refused(snag_shape_sphere(most, most, 1, &shape), size, &shape);
    assert_refused(snag_shape_torus(most, most, 2, 1, &shape), size, &shape);
    assert_refused(snag_shape_box(most, 1, 1, 1, &shape), size, &shape);
    assert_refused(snag_shape_box(20000, 1, 1, 1, &shape), size, &shape);
    assert_refused(snag_shape_cylinder(most, most, 1, 1, &shape), size, &shape);
    assert_refused(snag_shape_block(most, most, most, 1, &shape), size, &shape);
    assert_refused(snag_shape_block(1000, 1000, 1000, 1, &shape), size, &shape);
}

static void test_freeing_nothing_is_harmless(void **state)
{
    (void)state;
    snag_shape shape = {0};
    snag_shape_free(NULL);
    snag_shape_free(&shape);
    snag_shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sheet_faces_up_and_alternates_its_diagonals),
        cmocka_unit_test(test_an_icosphere_is_cut_in_four),
        cmocka_unit_test(test_round_shapes_are_closed_and_outward),
        cmocka_unit_test(test_boxes_of_all_cuts_are_closed_and_outward),
        cmocka_unit_test(test_blocks_of_tetrahedra_fit_together),
        cmocka_unit_test(test_a_transform_scales_then_shifts),
        cmocka_unit_test(test_the_same_call_gives_the_same_bytes),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_counts_beyond_32_bits_are_refused),
        cmocka_unit_test(test_freeing_nothing_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
