#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/failing_allocator.h"
#include "mesh/random_mesh.h"
#include "snag/shapes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct checked {
    snag__mesh mesh;
    snag__buffer issues;
    snag_mesh_report report;
} checked;

static void check(checked *c)
{
    assert_int_equal(snag__mesh_check(&c->mesh, &c->issues, &c->report), SNAG_OK);
}

static checked check_surface(const snag_body_def *def)
{
    checked c = {0};
    snag__mesh_error error;
    snag_allocator allocator = snag__default_allocator();
    assert_int_equal(snag__mesh_from_def(def, &allocator, &c.mesh, &error), SNAG_OK);
    check(&c);
    return c;
}

static checked check_volume(const snag_body_def *def)
{
    checked c = {0};
    snag__mesh_error error;
    snag_allocator allocator = snag__default_allocator();
    assert_int_equal(snag__mesh_from_def(def, &allocator, &c.mesh, &error), SNAG_OK);
    check(&c);
    return c;
}

static void release(checked *c)
{
    snag__buffer_free(&c->mesh.allocator, &c->issues);
    snag__mesh_free(&c->mesh);
}

// ---- an oracle of plain loops ----

static bool same_vertices(const uint32_t *a, const uint32_t *b, uint32_t corners)
{
    // As often in a as in b, for each vertex of a.
    for (uint32_t i = 0; i < corners; i++) {
        int in_a = 0, in_b = 0;
        for (uint32_t j = 0; j < corners; j++) {
            in_a += a[j] == a[i];
            in_b += b[j] == a[i];
        }
        if (in_a != in_b)
            return false;
    }
    return true;
}

static bool repeats_a_vertex(const uint32_t *t)
{
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

// How often the triangle runs from a to b.
static int runs(const uint32_t *t, uint32_t a, uint32_t b)
{
    int count = 0;
    for (int i = 0; i < 3; i++)
        count += t[i] == a && t[(i + 1) % 3] == b;
    return count;
}

static double twice_area_squared(const double a[3], const double b[3], const double c[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double n = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]);
        sum += n * n;
    }
    return sum;
}

typedef struct expected {
    snag_mesh_issue issues[1000];
    size_t count;
} expected;

static void expect(expected *e, snag_mesh_issue_kind kind, snag_element_kind element, uint32_t index, uint32_t other)
{
    e->issues[e->count++] = (snag_mesh_issue){kind, {element, index, {0, 0}}, other};
}

static void expect_edges(expected *e, const snag__mesh *mesh, bool flipped)
{
    for (uint32_t i = 0; i < mesh->edge_count; i++) {
        uint32_t a = mesh->edges[i][0], b = mesh->edges[i][1];
        int up = 0, down = 0;
        for (uint32_t t = 0; t < mesh->triangle_count; t++)
            if (!repeats_a_vertex(mesh->triangles[t])) {
                up += runs(mesh->triangles[t], a, b);
                down += runs(mesh->triangles[t], b, a);
            }
        if (flipped ? up + down == 2 && up != down : up + down > 2) {
            expect(e, flipped ? SNAG_ISSUE_FLIPPED_EDGE : SNAG_ISSUE_NON_MANIFOLD_EDGE, SNAG_EDGE, i, 0);
            memcpy(e->issues[e->count - 1].element.vertex, mesh->edges[i], sizeof mesh->edges[i]);
        }
    }
}

static void expect_copies(expected *e, const uint32_t *elements, uint32_t count, uint32_t corners)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (same_vertices(elements + i * corners, elements + j * corners, corners)) {
                bool triangle = corners == 3;
                expect(e, triangle ? SNAG_ISSUE_DUPLICATE_TRIANGLE : SNAG_ISSUE_DUPLICATE_TET, triangle ? SNAG_TRIANGLE : SNAG_TET,
                       i, j);
                break;
            }
}

static void expect_tets(expected *e, const snag__mesh *mesh, snag_mesh_issue_kind kind)
{
    for (uint32_t k = 0; k < mesh->tet_count; k++) {
        const uint32_t *v = mesh->tets[k];
        double volume = small_determinant(mesh->x_t1[v[0]], mesh->x_t1[v[1]], mesh->x_t1[v[2]], mesh->x_t1[v[3]]);
        if (kind == SNAG_ISSUE_DEGENERATE_TET ? volume == 0 : volume < 0)
            expect(e, kind, SNAG_TET, k, 0);
    }
}

static bool is_used(const snag__mesh *mesh, uint32_t v)
{
    bool used = mesh->triangle_count == 0 && mesh->tet_count == 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            used = used || (mesh->triangles[t][c] == v && !snag__is_hole(mesh->triangles[t], 3));
    for (uint32_t k = 0; k < mesh->tet_count; k++)
        for (int c = 0; c < 4; c++)
            used = used || (mesh->tets[k][c] == v && !snag__is_hole(mesh->tets[k], 4));
    return used;
}

static void expect_all(expected *e, const snag__mesh *mesh)
{
    e->count = 0;
    expect_edges(e, mesh, false);
    expect_edges(e, mesh, true);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles[t];
        if (twice_area_squared(mesh->x_t1[v[0]], mesh->x_t1[v[1]], mesh->x_t1[v[2]]) == 0)
            expect(e, SNAG_ISSUE_DEGENERATE_TRIANGLE, SNAG_TRIANGLE, t, 0);
    }
    expect_copies(e, &mesh->triangles[0][0], mesh->triangle_count, 3);
    expect_tets(e, mesh, SNAG_ISSUE_DEGENERATE_TET);
    expect_tets(e, mesh, SNAG_ISSUE_INVERTED_TET);
    expect_copies(e, &mesh->tets[0][0], mesh->tet_count, 4);
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (!is_used(mesh, v))
            expect(e, SNAG_ISSUE_UNREFERENCED_VERTEX, SNAG_VERTEX, v, 0);
}

// Spreads the lowest vertex number of each part until nothing changes.
static size_t count_parts(const snag__mesh *mesh)
{
    uint32_t part[RANDOM_MESH_VERTICES];
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        part[v] = v;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < mesh->triangle_count + mesh->tet_count; i++) {
            bool tet = i >= mesh->triangle_count;
            const uint32_t *v = tet ? mesh->tets[i - mesh->triangle_count] : mesh->triangles[i];
            for (int a = 0; a < (tet ? 4 : 3); a++)
                for (int b = 0; b < (tet ? 4 : 3); b++)
                    if (part[v[a]] < part[v[b]]) {
                        part[v[b]] = part[v[a]];
                        changed = true;
                    }
        }
    }
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        count += part[v] == v && is_used(mesh, v);
    return count;
}

static void assert_report_is_expected(const checked *c)
{
    static expected e;
    const snag__mesh *mesh = &c->mesh;
    const snag_mesh_report *report = &c->report;
    expect_all(&e, mesh);
    assert_int_equal(report->issue_count, e.count);
    size_t counts[SNAG_ISSUE_KIND_COUNT] = {0};
    for (size_t i = 0; i < e.count; i++) {
        const snag_mesh_issue *is = &report->issues[i], *should = &e.issues[i];
        assert_int_equal(is->kind, should->kind);
        assert_int_equal(is->element.kind, should->element.kind);
        assert_int_equal(is->element.index, should->element.index);
        assert_memory_equal(is->element.vertex, should->element.vertex, sizeof is->element.vertex);
        assert_int_equal(is->other, should->other);
        counts[should->kind]++;
    }
    assert_memory_equal(report->counts, counts, sizeof counts);
    assert_int_equal(report->components, count_parts(mesh));
}

static void random_surfaces_match_plain_loops(void **state)
{
    (void)state;
    snag__random random = {6};
    for (int round = 0; round < 4000; round++) {
        random_mesh made;
        random_mesh_make(&made, &random, 3);
        snag_body_def def = random_mesh_surface(&made);
        checked c = check_surface(&def);
        assert_report_is_expected(&c);
        release(&c);
    }
}

static void random_volumes_match_plain_loops(void **state)
{
    (void)state;
    snag__random random = {7};
    for (int round = 0; round < 4000; round++) {
        random_mesh made;
        random_mesh_make(&made, &random, 4);
        snag_body_def def = random_mesh_volume(&made);
        checked c = check_volume(&def);
        assert_report_is_expected(&c);
        release(&c);
    }
}

// ---- meshes one can picture ----

static void nothing_has_no_issues(void **state)
{
    (void)state;
    checked c = check_surface(&(snag_body_def){0});
    assert_int_equal(c.report.issue_count + c.report.components + c.report.boundary_edges, 0);
    assert_false(c.report.closed);
    for (int i = 0; i < 3; i++)
        assert_true(c.report.minimum[i] == 0 && c.report.maximum[i] == 0);
    assert_true(c.report.mean_edge == 0);
    release(&c);
}

static void one_triangle_is_open(void **state)
{
    (void)state;
    const double x[3][3] = {{0, 0, 5}, {3, 0, 5}, {0, 4, 5}};
    const uint32_t t[3] = {0, 1, 2};
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 3), .triangles = t, .triangle_count = 1};
    checked c = check_surface(&def);
    assert_int_equal(c.report.issue_count, 0);
    assert_int_equal(c.report.boundary_edges, 3);
    assert_int_equal(c.report.components, 1);
    assert_false(c.report.closed);
    assert_true(fabs(c.report.mean_edge - 4) < 1e-15);
    assert_true(c.report.minimum[2] == 5 && c.report.maximum[0] == 3 && c.report.maximum[1] == 4);
    release(&c);
}

static void sphere_is_closed_and_clean(void **state)
{
    (void)state;
    snag_shape sphere;
    assert_int_equal(snag_shape_icosphere(2, 1, &sphere), SNAG_OK);
    snag_body_def def = {.positions = snag_positions_f64(sphere.positions, sphere.vertex_count),
                         .triangles = sphere.triangles,
                         .triangle_count = sphere.triangle_count};
    checked c = check_surface(&def);
    assert_int_equal(c.report.issue_count, 0);
    assert_int_equal(c.report.components, 1);
    assert_true(c.report.closed);
    release(&c);
    snag_shape_free(&sphere);
}

static void moebius_strip_has_a_flipped_edge_and_one_rim(void **state)
{
    (void)state;
    // Quad i lies between rungs i and i + 1; the last closes the strip with its ends swapped.
    enum { RUNGS = 9 };
    double x[2 * RUNGS][3];
    uint32_t triangles[2 * RUNGS][3];
    for (uint32_t i = 0; i < RUNGS; i++) {
        double around = 6.283185307179586 * i / RUNGS, half = around / 2;
        for (uint32_t side = 0; side < 2; side++) {
            double r = 2 + (side ? 0.5 : -0.5) * cos(half);
            x[2 * i + side][0] = r * cos(around);
            x[2 * i + side][1] = r * sin(around);
            x[2 * i + side][2] = (side ? 0.5 : -0.5) * sin(half);
        }
        uint32_t a = 2 * i, b = 2 * i + 1, next_a = i + 1 < RUNGS ? a + 2 : 1, next_b = i + 1 < RUNGS ? b + 2 : 0;
        memcpy(triangles[2 * i], (uint32_t[3]){a, next_a, b}, sizeof triangles[0]);
        memcpy(triangles[2 * i + 1], (uint32_t[3]){b, next_a, next_b}, sizeof triangles[0]);
    }
    snag_body_def def = {
        .positions = snag_positions_f64(&x[0][0], 2 * RUNGS), .triangles = &triangles[0][0], .triangle_count = 2 * RUNGS};
    checked c = check_surface(&def);
    assert_int_equal(c.report.counts[SNAG_ISSUE_FLIPPED_EDGE], 1);
    assert_int_equal(c.report.issue_count, 1);
    assert_int_equal(c.report.issues[0].element.vertex[0], 0);
    assert_int_equal(c.report.issues[0].element.vertex[1], 1);
    assert_int_equal(c.report.boundary_edges, 2 * RUNGS);
    assert_int_equal(c.report.components, 1);
    assert_false(c.report.closed);
    release(&c);
}

static void collapsed_triangle_leaves_its_neighbours_closed(void **state)
{
    (void)state;
    const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t t[5][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 1, 0}};
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 4), .triangles = &t[0][0], .triangle_count = 5};
    checked c = check_surface(&def);
    assert_true(c.report.closed);
    assert_int_equal(c.report.issue_count, 1);
    assert_int_equal(c.report.issues[0].kind, SNAG_ISSUE_DEGENERATE_TRIANGLE);
    assert_int_equal(c.report.issues[0].element.index, 4);
    release(&c);
}

static void zero_area_is_decided_exactly(void **state)
{
    (void)state;
    // The third point lies on the diagonal; the fourth is one bit off it, too little for double arithmetic to see.
    const double big = 0x1p52;
    const double x[4][3] = {{0, 0, 0}, {big, big, big}, {0.5, 0.5, 0.5}, {0.5, 0.5, nextafter(0.5, 1)}};
    const uint32_t t[6] = {0, 1, 2, 1, 0, 3};
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 4), .triangles = t, .triangle_count = 2};
    checked c = check_surface(&def);
    assert_int_equal(c.report.issue_count, 1);
    assert_int_equal(c.report.issues[0].kind, SNAG_ISSUE_DEGENERATE_TRIANGLE);
    assert_int_equal(c.report.issues[0].element.index, 0);
    release(&c);
}

static void welded_vertices_are_not_unreferenced(void **state)
{
    (void)state;
    const double x[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {9, 9, 9}, {9, 9, 9}};
    const uint32_t t[3] = {0, 1, 2};
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 6), .triangles = t, .triangle_count = 1, .weld = true};
    checked c = check_surface(&def);
    assert_int_equal(c.report.issue_count, 2);
    assert_int_equal(c.report.issues[0].element.index, 4);
    assert_int_equal(c.report.issues[1].element.index, 5);
    release(&c);
}

static void cloud_has_no_unreferenced_vertices(void **state)
{
    (void)state;
    const double x[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 3)};
    checked c = check_surface(&def);
    assert_int_equal(c.report.issue_count, 0);
    assert_int_equal(c.report.components, 3);
    release(&c);
}

static void mean_edge_neither_overflows_nor_vanishes(void **state)
{
    (void)state;
    const double sizes[4] = {5e-324, 1e-300, 1e300, DBL_MAX};
    for (int i = 0; i < 4; i++) {
        double s = sizes[i];
        const double x[3][3] = {{-s, 0, 0}, {s, 0, 0}, {0, s, 0}};
        const uint32_t t[3] = {0, 1, 2};
        snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 3), .triangles = t, .triangle_count = 1};
        checked c = check_surface(&def);
        double ideal = (2 + 2 * sqrt(2)) / 3;
        assert_true(isfinite(c.report.mean_edge));
        if (i == 1 || i == 2)
            assert_true(fabs(c.report.mean_edge / s - ideal) < 1e-14);
        release(&c);
    }
}

static void issues_are_of_t1(void **state)
{
    (void)state;
    const double flat[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, fine[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}};
    const uint32_t t[3] = {0, 1, 2};
    snag_body_def def = {.positions = snag_positions_f64(&fine[0][0], 3), .triangles = t, .triangle_count = 1};
    checked c = check_surface(&def);
    assert_int_equal(c.report.issue_count, 0);
    snag__mesh_error error;
    assert_int_equal(snag__mesh_move(&c.mesh, snag_positions_f64(&flat[0][0], 3), false, &snag__alone, NULL, &error), SNAG_OK);
    check(&c);
    assert_int_equal(c.report.counts[SNAG_ISSUE_DEGENERATE_TRIANGLE], 1);
    release(&c);
}

static snag_status check_cycle(const snag_allocator *allocator, void *context)
{
    const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {7, 7, 7}};
    const uint32_t tets[8] = {0, 1, 2, 3, 1, 0, 2, 3};
    snag_body_def def = {.positions = snag_positions_f64(&x[0][0], 5), .tets = tets, .tet_count = 2};
    (void)context;
    snag__mesh mesh;
    snag__mesh_error error;
    snag_status status = snag__mesh_from_def(&def, allocator, &mesh, &error);
    if (status != SNAG_OK)
        return status;
    snag__buffer issues = {0};
    snag_mesh_report report, untouched;
    memset(&report, 0x5a, sizeof report);
    untouched = report;
    status = snag__mesh_check(&mesh, &issues, &report);
    if (status != SNAG_OK)
        assert_memory_equal(&report, &untouched, sizeof report);
    snag__buffer_free(allocator, &issues);
    snag__mesh_free(&mesh);
    return status;
}

static void every_failing_allocation_is_reported_and_leaves_the_report(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(check_cycle, NULL) >= 12);
}

// A flat quad, one that rounding has bent a little, a bent one, a bow-tie with equal halves, a triangle.
static void polygons_that_are_bent_or_cross_are_named(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e-300, 1e300};
    for (int scale = 0; scale < 3; scale++) {
        double x[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1e-6}, {0, 1, 0.01}};
        for (size_t i = 0; i < sizeof x / sizeof(double); i++)
            (&x[0][0])[i] *= scales[scale];
        const uint32_t sizes[] = {4, 4, 4, 4, 3}, vertices[] = {0, 1, 2, 3, 0, 1, 2, 4, 0, 1, 2, 5, 0, 2, 1, 3, 0, 1, 2};
        snag_body_def def = {
            .positions = snag_positions_f64(&x[0][0], 6), .polygon_sizes = sizes, .polygon_vertices = vertices, .polygon_count = 5};
        checked c = check_surface(&def);
        assert_int_equal(c.report.counts[SNAG_ISSUE_POLYGON_NOT_FLAT], 1);
        assert_int_equal(c.report.counts[SNAG_ISSUE_POLYGON_CROSSES_ITSELF], 1);
        const snag_mesh_issue *bent = &c.report.issues[c.report.issue_count - 2], *crossed = bent + 1;
        assert_int_equal(bent->kind, SNAG_ISSUE_POLYGON_NOT_FLAT);
        assert_true(bent->element.kind == SNAG_TRIANGLE && bent->element.index == 4 && bent->other == 2);
        assert_int_equal(crossed->kind, SNAG_ISSUE_POLYGON_CROSSES_ITSELF);
        assert_true(crossed->element.kind == SNAG_TRIANGLE && crossed->element.index == 6 && crossed->other == 3);

        // Flatness is that of t1, as all else; whether a polygon crosses itself was seen when it was added.
        snag__mesh_error error;
        for (size_t i = 0; i < 6; i++)
            x[i][2] = 0;
        assert_int_equal(snag__mesh_move(&c.mesh, def.positions, false, &snag__alone, NULL, &error), SNAG_OK);
        check(&c);
        assert_int_equal(c.report.counts[SNAG_ISSUE_POLYGON_NOT_FLAT], 0);
        assert_int_equal(c.report.counts[SNAG_ISSUE_POLYGON_CROSSES_ITSELF], 1);
        release(&c);
    }
}

// Four corners at one place, on a line, and as a fold whose halves cancel each other out.
static void polygons_without_an_area_are_flat_or_not(void **state)
{
    (void)state;
    const double x[][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {0, 1, 0}, {1, 1, 1}};
    const uint32_t sizes[] = {4, 4, 4}, vertices[] = {0, 0, 0, 0, 0, 2, 1, 3, 0, 4, 1, 5};
    snag_body_def def = {
        .positions = snag_positions_f64(&x[0][0], 6), .polygon_sizes = sizes, .polygon_vertices = vertices, .polygon_count = 3};
    checked c = check_surface(&def);
    assert_int_equal(c.report.counts[SNAG_ISSUE_POLYGON_NOT_FLAT], 1);
    assert_int_equal(c.report.issues[c.report.issue_count - 1 - c.report.counts[SNAG_ISSUE_POLYGON_CROSSES_ITSELF]].other, 2);
    release(&c);
}

static void every_issue_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int a = 0; a <= SNAG_ISSUE_KIND_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(snag_mesh_issue_name((snag_mesh_issue_kind)a), snag_mesh_issue_name((snag_mesh_issue_kind)b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_surfaces_match_plain_loops),
        cmocka_unit_test(random_volumes_match_plain_loops),
        cmocka_unit_test(nothing_has_no_issues),
        cmocka_unit_test(one_triangle_is_open),
        cmocka_unit_test(sphere_is_closed_and_clean),
        cmocka_unit_test(moebius_strip_has_a_flipped_edge_and_one_rim),
        cmocka_unit_test(collapsed_triangle_leaves_its_neighbours_closed),
        cmocka_unit_test(zero_area_is_decided_exactly),
        cmocka_unit_test(welded_vertices_are_not_unreferenced),
        cmocka_unit_test(cloud_has_no_unreferenced_vertices),
        cmocka_unit_test(mean_edge_neither_overflows_nor_vanishes),
        cmocka_unit_test(issues_are_of_t1),
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaves_the_report),
        cmocka_unit_test(polygons_that_are_bent_or_cross_are_named),
        cmocka_unit_test(polygons_without_an_area_are_flat_or_not),
        cmocka_unit_test(every_issue_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
