// Walks of the method `active`: feet and crossings agree with the exact distances, and walks end where nothing around is
// closer.
#include "geom/distance.h"
#include "helpers/mesh_of.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "method/active_walk.h"

#include <math.h>

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a));
}

static void feet_are_where_the_exact_distance_is(void **state)
{
    (void)state;
    snag__random random = {31};
    snag_shape soup = scene_soup(200, 0, true, &random);
    snag__mesh mesh = mesh_of(&soup);
    for (uint32_t t = 0; t < mesh.triangle_count; t++)
        // One that repeats a vertex has no inside.
        for (int i = 0; i < 20 && mesh.triangle_edges[t][0] != SNAG__NO_EDGE; i++) {
            double p[3];
            for (int k = 0; k < 3; k++)
                p[k] = snag__random_range(&random, -0.5, 1.5);
            const double *corner[3];
            for (int c = 0; c < 3; c++)
                corner[c] = mesh.x_t1[mesh.triangles[t][c]];
            snag__distance exact;
            snag__vertex_triangle_distance(p, corner, &exact);
            snag__foot foot = snag__foot_on_triangle(p, &mesh, t);
            assert_true(is_close(foot.squared, exact.gap.squared));
            assert_int_equal(foot.feature, exact.feature_b);
            assert_true(foot.above == snag__is_above(p, &mesh, t));
        }
    snag__mesh_free(&mesh);
    snag_shape_free(&soup);
}

static void crossings_are_where_the_exact_distance_is(void **state)
{
    (void)state;
    snag__random random = {32};
    snag_shape soup = scene_soup(60, 0, false, &random);
    snag__mesh mesh = mesh_of(&soup);
    size_t inside = 0;
    for (uint32_t e = 0; e < mesh.edge_count; e++)
        for (uint32_t f = 0; f < mesh.edge_count; f++) {
            const uint32_t *v = mesh.edges[e], *w = mesh.edges[f];
            if (v[0] == w[0] || v[0] == w[1] || v[1] == w[0] || v[1] == w[1])
                continue;
            const double *a[2] = {mesh.x_t1[mesh.edges[e][0]], mesh.x_t1[mesh.edges[e][1]]};
            const double *b[2] = {mesh.x_t1[mesh.edges[f][0]], mesh.x_t1[mesh.edges[f][1]]};
            snag__distance exact;
            snag__edge_edge_distance(a, b, &exact);
            snag__edge_crossing between = snag__edges_crossing(&mesh, e, &mesh, f, false);
            snag__edge_crossing any = snag__edges_crossing(&mesh, e, &mesh, f, true);
            assert_true(is_close(any.squared, exact.gap.squared) && any.inside);
            assert_true(between.inside == (exact.kind == SNAG_EDGE_EDGE));
            assert_true(!between.inside || is_close(between.squared, exact.gap.squared));
            inside += between.inside;
        }
    assert_true(inside > 1000);
    snag__mesh_free(&mesh);
    snag_shape_free(&soup);
}

// Over a convex body from outside there is one local minimum: the closest triangle of all.
static void a_vertex_over_a_convex_body_walks_to_its_closest_triangle(void **state)
{
    (void)state;
    snag__random random = {33};
    snag_shape sphere;
    assert_int_equal(snag_shape_icosphere(3, 1, &sphere), SNAG_OK);
    snag__mesh mesh = mesh_of(&sphere);
    for (int i = 0; i < 200; i++) {
        double p[3], length = 0, least = INFINITY;
        for (int k = 0; k < 3; k++)
            p[k] = snag__random_range(&random, -1, 1);
        length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int k = 0; k < 3; k++)
            p[k] *= 1.3 / length;
        for (uint32_t t = 0; t < mesh.triangle_count; t++)
            least = fmin(least, snag__foot_on_triangle(p, &mesh, t).squared);
        uint32_t t = snag__random_below(&random, mesh.triangle_count);
        snag__foot foot = snag__walk_triangle(p, &mesh, &t, SNAG__NOBODY, 1000);
        assert_true(is_close(foot.squared, least));
        assert_true(is_close(snag__foot_on_triangle(p, &mesh, t).squared, least));
    }
    snag__mesh_free(&mesh);
    snag_shape_free(&sphere);
}

static void two_points_end_where_no_neighbour_is_closer(void **state)
{
    (void)state;
    snag__random random = {34};
    snag_shape one = scene_crumpled_sheet(20, 0.1, &random), two = scene_crumpled_sheet(15, 0.2, &random);
    snag__mesh a = mesh_of(&one), b = mesh_of(&two);
    for (int i = 0; i < 300; i++) {
        bool same = i % 2 == 0;
        const snag__mesh *other = same ? &a : &b;
        uint32_t v = snag__random_below(&random, a.vertex_count), w = snag__random_below(&random, other->vertex_count);
        if (same && snag__are_neighbours(&a, v, w))
            continue;
        double began = snag__squared_distance(a.x_t1[v], other->x_t1[w]);
        double squared = snag__walk_points(&a, &v, other, &w, 1000);
        assert_true(squared <= began && squared == snag__squared_distance(a.x_t1[v], other->x_t1[w]));
        assert_true(!same || !snag__are_neighbours(&a, v, w));
        for (uint32_t k = a.vertex_triangles.start[v]; k < a.vertex_triangles.start[v + 1]; k++)
            for (int c = 0; c < 3; c++) {
                uint32_t n = a.triangles[a.vertex_triangles.items[k]][c];
                assert_true((same && snag__are_neighbours(&a, n, w)) ||
                            !(snag__squared_distance(a.x_t1[n], other->x_t1[w]) < squared));
            }
    }
    snag__mesh_free(&a);
    snag__mesh_free(&b);
    snag_shape_free(&one);
    snag_shape_free(&two);
}

// Nothing here may hang or index out of range, whatever the numbers.
static void walks_end_on_flat_huge_and_tiny_meshes(void **state)
{
    (void)state;
    static const double scales[] = {0, 1e-200, 1, 1e200, 1.7e308};
    snag__random random = {35};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        snag_shape soup = scene_soup(60, 2, true, &random);
        for (size_t k = 0; k < 3 * soup.vertex_count; k++)
            soup.positions[k] *= scales[i];
        snag__mesh mesh = mesh_of(&soup);
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            uint32_t t = snag__random_below(&random, mesh.triangle_count), a = v, b = mesh.vertex_count - 1 - v;
            snag__walk_triangle(mesh.x_t1[v], &mesh, &t, v, 1000);
            assert_true(t < mesh.triangle_count);
            snag__walk_points(&mesh, &a, &mesh, &b, 1000);
            assert_true(a < mesh.vertex_count && b < mesh.vertex_count);
        }
        snag__mesh_free(&mesh);
        snag_shape_free(&soup);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_are_where_the_exact_distance_is),
        cmocka_unit_test(crossings_are_where_the_exact_distance_is),
        cmocka_unit_test(a_vertex_over_a_convex_body_walks_to_its_closest_triangle),
        cmocka_unit_test(two_points_end_where_no_neighbour_is_closer),
        cmocka_unit_test(walks_end_on_flat_huge_and_tiny_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
