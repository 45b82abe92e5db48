// Inside and outside: judged by rays of integers in a general direction, and by rationals. With an argument it judges so many points:
//     build/test_contains_probe 100000000
#include "helpers/rational.h"
#include "helpers/rational_query.h"
#include "probe/probe_scene.h"

#include <stdio.h>

// ---- integers: closed surfaces and points on a small grid ----

enum { GRID = 8, BLOCK = 4096 };

typedef struct grid_surface {
    int32_t x[64][3];
    uint32_t triangles[128][3];
    size_t vertex_count, triangle_count;
} grid_surface;

// Several closed surfaces in one: boxes, tetrahedra, bipyramids and prisms with random integer corners, any of which may cross each other,
// turn inside out or lose their volume.
static void add_solid(grid_surface *s, snag__random *random)
{
    uint32_t first = (uint32_t)s->vertex_count, sides = 3 + snag__random_below(random, 4);
    bool bipyramid = snag__random_below(random, 2) == 0;
    uint32_t vertices = bipyramid ? sides + 2 : 4;
    for (uint32_t i = 0; i < vertices; i++)
        for (int k = 0; k < 3; k++)
            s->x[first + i][k] = (int32_t)hard_grid(random, GRID);
    s->vertex_count += vertices;
    if (!bipyramid) {
        static const uint32_t tet[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
        for (int t = 0; t < 4; t++, s->triangle_count++)
            for (int c = 0; c < 3; c++)
                s->triangles[s->triangle_count][c] = first + tet[t][c];
        return;
    }
    for (uint32_t i = 0; i < sides; i++)
        for (uint32_t end = 0; end < 2; end++, s->triangle_count++) {
            uint32_t a = first + i, b = first + (i + 1) % sides;
            uint32_t *t = s->triangles[s->triangle_count];
            t[0] = end ? b : a;
            t[1] = end ? a : b;
            t[2] = first + sides + end;
        }
}

static int64_t triple(const int64_t a[3], const int64_t b[3], const int64_t c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static int sign_of(int64_t x)
{
    return (x > 0) - (x < 0);
}

// Doubled coordinates are at most 33 from a point, so that components of cross products are below 2^12: with this direction a determinant is
// zero only if the cross product is.
#define MUCH 8192

// The side by a ray in a general direction; points have twice the grid's resolution.
static snag_side judge_grid(const grid_surface *s, const int32_t p[3])
{
    static const int64_t d[3] = {1, MUCH, (int64_t)MUCH * MUCH};
    int64_t winding = 0;
    for (size_t i = 0; i < s->triangle_count; i++) {
        int64_t to[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                to[c][k] = 2 * s->x[s->triangles[i][c]][k] - p[k];
        int e[3];
        for (int c = 0; c < 3; c++)
            e[c] = sign_of(triple(d, to[c], to[(c + 1) % 3]));
        bool both = (e[0] > 0 || e[1] > 0 || e[2] > 0) && (e[0] < 0 || e[1] < 0 || e[2] < 0);
        if (both || (e[0] == 0 && e[1] == 0 && e[2] == 0))
            continue;  // missed; or of no area, seen from p
        int volume = sign_of(triple(to[0], to[1], to[2]));
        if (volume == 0) {
            // In the plane, and seen in the triangle: on it, unless it lies ahead or behind edge-on, which no general ray sees.
            return SNAG_SIDE_ON;
        }
        if (volume == (e[0] + e[1] + e[2] > 0 ? 1 : -1))
            winding += volume;
    }
    return winding != 0 ? SNAG_SIDE_INSIDE : SNAG_SIDE_OUTSIDE;
}

// Points of one surface, all judged.
static void judge_block(snag__random *random, size_t counts[3])
{
    static int32_t p[BLOCK][3];
    static float points[BLOCK][3];
    static snag_side sides[BLOCK];
    grid_surface s = {0};
    uint32_t solids = 1 + snag__random_below(random, 3);
    for (uint32_t i = 0; i < solids; i++)
        add_solid(&s, random);
    double x[64][3];
    for (size_t v = 0; v < s.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            x[v][k] = s.x[v][k];
    for (int i = 0; i < BLOCK; i++) {
        const int32_t *a = s.x[snag__random_below(random, (uint32_t)s.vertex_count)];
        const int32_t *b = s.x[snag__random_below(random, (uint32_t)s.vertex_count)];
        uint32_t pick = snag__random_below(random, 8);
        for (int k = 0; k < 3; k++) {
            p[i][k] = pick == 0   ? 2 * a[k]
                      : pick == 1 ? a[k] + b[k]
                                  : (int32_t)snag__random_below(random, 4 * GRID + 3) - 2 * GRID - 1;
            points[i][k] = (float)p[i][k] / 2;
        }
    }
    snag_world *world = probe_world(1, SNAG_ISA_BEST);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&x[0][0], s.vertex_count);
    def.triangles = &s.triangles[0][0];
    def.triangle_count = s.triangle_count;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(snag_world_contains(world, id, snag_positions_f32(&points[0][0], BLOCK), sides), SNAG_OK);
    for (int i = 0; i < BLOCK; i++) {
        snag_side right = judge_grid(&s, p[i]);
        counts[right]++;
        if (sides[i] != right)
            fail_msg("point %g %g %g: %s instead of %s", (double)points[i][0], (double)points[i][1], (double)points[i][2],
                     snag_side_name(sides[i]), snag_side_name(right));
    }
    snag_world_destroy(world);
}

static size_t points_wanted = 1000000;

static void sides_on_a_grid_are_right(void **state)
{
    (void)state;
    snag__random random = {11};
    size_t counts[3] = {0, 0, 0}, judged = 0;
    for (; judged < points_wanted; judged += BLOCK)
        judge_block(&random, counts);
    print_message("%zu points judged: %zu outside, %zu inside, %zu on the surface, 0 wrong\n", judged, counts[0], counts[1],
                  counts[2]);
    assert_true(counts[0] > judged / 20 && counts[1] > judged / 50 && counts[2] > judged / 50);
}

// ---- rationals: any coordinates, volumes too ----

static snag_side judge_side(const probe_mesh *mesh, const double p[3], bool oriented)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const double *corner[3];
        probe_corners(mesh, t, corner);
        if (!judge_is_collinear(corner[0], corner[1], corner[2]) && judge_on_triangle(p, corner))
            return SNAG_SIDE_ON;
    }
    for (size_t k = 0; k < mesh->tet_count; k++) {
        double tet[4][3];
        for (int c = 0; c < 4; c++)
            memcpy(tet[c], mesh->x[mesh->tets[k][c]], sizeof tet[c]);
        if (judge_point_in_tet(p, (const double(*)[3])tet))
            return SNAG_SIDE_INSIDE;
    }
    if (mesh->tet_count > 0)
        return SNAG_SIDE_OUTSIDE;
    judge_winding wind = judge_wind(p, mesh->x, mesh->triangles, mesh->triangle_count);
    return (oriented ? wind.winding != 0 : (wind.crossings & 1) != 0) ? SNAG_SIDE_INSIDE : SNAG_SIDE_OUTSIDE;
}

enum { POINTS = 60, SEEDS = 24 };

static void sides_of_any_coordinates_are_right(void **state)
{
    (void)state;
    size_t counts[4] = {0};
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        snag_world *world = probe_world(2, SNAG_ISA_BEST);
        probe_scene scene;
        probe_scene_make(&scene, world, seed);
        if (seed % 2 == 1)
            probe_scene_shake(&scene, world);
        snag__random random = {seed + 5000};
        double points[POINTS][3];
        for (int i = 0; i < POINTS; i++)
            probe_point(&scene, &random, points[i]);
        for (uint32_t b = 0; b < scene.count; b++) {
            snag_enclosure enclosure;
            snag_side sides[POINTS];
            assert_int_equal(snag_world_enclosure(world, scene.id[b], &enclosure), SNAG_OK);
            snag_status status = snag_world_contains(world, scene.id[b], snag_positions_f64(points[0], POINTS), sides);
            assert_int_equal(status, enclosure.closed || enclosure.volume ? SNAG_OK : SNAG_ERROR_UNSUPPORTED);
            probe_mesh mesh = probe_mesh_of(world, &scene, b);
            for (int i = 0; i < POINTS && status == SNAG_OK; i++) {
                snag_side right = judge_side(&mesh, points[i], enclosure.oriented);
                assert_int_equal(sides[i], right);
                counts[right]++;
            }
        }
        probe_scene_free(&scene);
        snag_world_destroy(world);
    }
    assert_true(counts[SNAG_SIDE_INSIDE] > 50 && counts[SNAG_SIDE_ON] > 50 && counts[SNAG_SIDE_OUTSIDE] > 50);
}

// Flipped triangles of a closed surface: the parity decides.
static void flipped_triangles_do_not_matter(void **state)
{
    (void)state;
    snag_shape shape;
    assert_int_equal(snag_shape_icosphere(2, 1, &shape), SNAG_OK);
    for (size_t t = 0; t < shape.triangle_count; t += 3) {
        uint32_t swap = shape.triangles[3 * t];
        shape.triangles[3 * t] = shape.triangles[3 * t + 1];
        shape.triangles[3 * t + 1] = swap;
    }
    snag_world *world = probe_world(2, SNAG_ISA_BEST);
    snag_body_id id = probe_add(world, &shape);
    snag_enclosure enclosure;
    assert_int_equal(snag_world_enclosure(world, id, &enclosure), SNAG_OK);
    assert_true(enclosure.closed && !enclosure.oriented && enclosure.open_edges == 0 && enclosure.unbalanced_edges > 0);
    const double points[3][3] = {{0, 0, 0}, {0.5, 0.5, 0.5}, {0, 0, 1.01}};
    snag_side sides[3];
    assert_int_equal(snag_world_contains(world, id, snag_positions_f64(points[0], 3), sides), SNAG_OK);
    assert_true(sides[0] == SNAG_SIDE_INSIDE && sides[1] == SNAG_SIDE_INSIDE && sides[2] == SNAG_SIDE_OUTSIDE);
    snag_shape_free(&shape);
    snag_world_destroy(world);
}

// ---- winding numbers ----

// The sum of solid angles over all triangles, by libm.
static double judge_solid_angles(const snag_shape *shape, const double p[3])
{
    double sum = 0;
    for (size_t t = 0; t < shape->triangle_count; t++) {
        double v[3][3], length[3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++)
                v[c][k] = shape->positions[3 * (size_t)shape->triangles[3 * t + (size_t)c] + (size_t)k] - p[k];
            length[c] = sqrt(v[c][0] * v[c][0] + v[c][1] * v[c][1] + v[c][2] * v[c][2]);
        }
#define DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])
        double cross[3] = {v[1][1] * v[2][2] - v[1][2] * v[2][1], v[1][2] * v[2][0] - v[1][0] * v[2][2],
                           v[1][0] * v[2][1] - v[1][1] * v[2][0]};
        double below = length[0] * length[1] * length[2] + DOT(v[0], v[1]) * length[2] + DOT(v[1], v[2]) * length[0] +
                       DOT(v[2], v[0]) * length[1];
        sum += atan2(DOT(v[0], cross), below) / (2 * 3.14159265358979323846);
    }
    return sum;
}

static void winding_numbers_are_the_sum_of_solid_angles(void **state)
{
    (void)state;
    snag__random random = {5};
    for (int turn = 0; turn < 12; turn++) {
        snag_shape shape;
        if (turn % 3 == 0)
            snag_shape_sheet(6, 6, 2, 2, &shape);
        else
            snag_shape_icosphere(2, 1, &shape);
        probe_jitter(&shape, 0.02, &random);
        bool open = turn % 3 != 1;
        if (turn % 3 == 2)
            shape.triangle_count -= 60;
        snag_world *world = probe_world(2, SNAG_ISA_BEST);
        snag_body_id id = probe_add(world, &shape);
        double points[200][3], numbers[200];
        for (int i = 0; i < 200; i++)
            for (int k = 0; k < 3; k++)
                points[i][k] = snag__random_range(&random, -1.5, 1.5) * (i % 10 == 0 ? 100 : 1);
        assert_int_equal(snag_world_winding(world, id, snag_positions_f64(points[0], 200), numbers), SNAG_OK);
        for (int i = 0; i < 200; i++) {
            double right = judge_solid_angles(&shape, points[i]);
            assert_true(fabs(numbers[i] - right) < 1e-9);
            if (!open)
                assert_true(numbers[i] == round(right));
        }
        snag_shape_free(&shape);
        snag_world_destroy(world);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        points_wanted = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_on_a_grid_are_right),
        cmocka_unit_test(sides_of_any_coordinates_are_right),
        cmocka_unit_test(flipped_triangles_do_not_matter),
        cmocka_unit_test(winding_numbers_are_the_sum_of_solid_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
