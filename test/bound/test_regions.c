// Regions hold what they should: each vertex once, each element once, every corner within radius and box, at every step.
#include "bound/regions_kernel.h"
#include "helpers/mesh_of.h"
#include "helpers/scenes.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const snag__parallel one_thread = {.threads = 1};

// Every element of a kind is in exactly one leaf.
static void assert_dealt_out(const snag__regions *regions, const snag__mesh *mesh)
{
    const uint32_t counts[3] = {mesh->vertex_count, mesh->edge_count, mesh->triangle_count};
    for (int kind = 0; kind < 3; kind++) {
        uint8_t *seen = calloc(counts[kind] + 1, 1);
        for (uint32_t i = 0; i < regions->leaf_count; i++) {
            snag__run run = regions->regions[regions->leaves[i]].elements[kind];
            for (uint32_t k = run.first; k < run.first + run.count; k++)
                assert_int_equal(seen[regions->elements[kind][k]]++, 0);
        }
        for (uint32_t i = 0; i < counts[kind]; i++)
            assert_int_equal(seen[i], kind == SNAG_VERTEX ? mesh->vertex_used[i] : 1);
        free(seen);
    }
}

static void assert_holds(const snag__regions *regions, uint32_t region, const double x[3])
{
    double squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        double d = x[axis] - (double)regions->bounds.middle[axis][region];
        squared += d * d;
        assert_true((double)regions->bounds.lo[axis][region] <= x[axis]);
        assert_true((double)regions->bounds.hi[axis][region] >= x[axis]);
    }
    assert_true(sqrt(squared) <= (double)regions->bounds.radius[region]);
}

// From the leaves up: the corners of all elements are in the bounds of the leaf and of every region above.
static void assert_all_hold(const snag__regions *regions, const snag__mesh *mesh)
{
    uint32_t *parent = calloc(regions->region_count, sizeof *parent);
    for (uint32_t i = 0; i < regions->region_count; i++)
        for (uint32_t k = 0; k < regions->regions[i].parts.count; k++)
            parent[regions->regions[i].parts.first + k] = i;
    for (uint32_t i = 0; i < regions->leaf_count; i++)
        for (int kind = 0; kind < 3; kind++) {
            snag__run run = regions->regions[regions->leaves[i]].elements[kind];
            for (uint32_t k = (uint32_t)(kind + 1) * run.first; k < (uint32_t)(kind + 1) * (run.first + run.count); k++)
                for (uint32_t above = regions->leaves[i];; above = parent[above]) {
                    assert_holds(regions, above, mesh->x_t1[regions->corners[kind][k]]);
                    if (above == 0)
                        break;
                }
        }
    free(parent);
}

static void assert_divided(const snag__regions *regions, const snag__mesh *mesh, bool apart)
{
    for (uint32_t i = 0; i < regions->region_count; i++) {
        const snag__region *region = &regions->regions[i];
        assert_true(region->level < regions->levels);
        assert_true(i >= regions->level_first[region->level] && i < regions->level_first[region->level + 1]);
        if (apart && snag__region_is_leaf(region))
            assert_true(region->elements[SNAG_VERTEX].count <= SNAG__REGION_VERTICES);
        if (!snag__region_is_leaf(region))
            assert_true(region->elements[SNAG_VERTEX].count > SNAG__REGION_VERTICES);
        // The middle vertex is the one nearest to the mean.
        double mean[3] = {0}, own = 0, least = INFINITY;
        snag__run run = region->elements[SNAG_VERTEX];
        for (uint32_t k = 0; k < run.count; k++)
            for (int axis = 0; axis < 3; axis++)
                mean[axis] += mesh->x_t1[regions->elements[SNAG_VERTEX][run.first + k]][axis] / run.count;
        for (uint32_t k = 0; k < run.count; k++) {
            uint32_t v = regions->elements[SNAG_VERTEX][run.first + k];
            const double *x = mesh->x_t1[v];
            double d = hypot(hypot(x[0] - mean[0], x[1] - mean[1]), x[2] - mean[2]);
            least = fmin(least, d);
            own = v == region->middle ? d : own;
        }
        assert_true(own <= least * (1 + 1e-12) + 1e-150);  // what is nearer has no square
    }
}

static void check_surface(snag_shape *shape, bool apart, snag__random *random)
{
    snag__mesh mesh = mesh_of(shape);
    snag_allocator allocator = snag__default_allocator();
    snag__regions regions = {0};
    snag__buffer scratch = {0};
    assert_true(snag__regions_build(&regions, &mesh, false, &allocator, &scratch));
    assert_dealt_out(&regions, &mesh);
    assert_divided(&regions, &mesh, apart);
    for (uint64_t pose = 1; pose < 6; pose++) {
        snag__mesh_error error;
        snag_isa isa = snag__isa_available((snag_isa)(pose % 4 + 1)) ? (snag_isa)(pose % 4 + 1) : SNAG_ISA_SCALAR;
        snag__regions_update(&regions, &mesh, pose, &one_thread, isa);
        assert_all_hold(&regions, &mesh);
        scene_shake(shape, 0.1, random);
        assert_int_equal(
            snag__mesh_move(&mesh, snag_positions_f64(shape->positions, shape->vertex_count), false, &snag__alone, NULL, &error),
            SNAG_OK);
    }
    snag__regions_free(&allocator, &regions);
    snag__buffer_free(&allocator, &scratch);
    snag__mesh_free(&mesh);
    snag_shape_free(shape);
}

static void regions_deal_out_all_elements_and_hold_them_while_they_move(void **state)
{
    (void)state;
    snag__random random = {91};
    snag_shape shape;
    assert_int_equal(snag_shape_torus(24, 12, 1, 0.3, &shape), SNAG_OK);
    check_surface(&shape, true, &random);
    assert_int_equal(snag_shape_icosphere(0, 1, &shape), SNAG_OK);
    check_surface(&shape, true, &random);
    shape = surface_soup(200, true, &random);
    check_surface(&shape, true, &random);
    shape = surface_fan(100);
    check_surface(&shape, true, &random);
    shape = surface_soup(100, false, &random);
    for (size_t i = 0; i < 3 * shape.vertex_count; i++)
        shape.positions[i] = i < 2 * shape.vertex_count ? 0.25 : ldexp(1, -(int)(i % 900));
    check_surface(&shape, false, &random);
}

// Where the kernel says "far", the least distance of any two points of the bounds is greater than the reach.
static void far_is_far(void **state)
{
    (void)state;
    snag__random random = {92};
    float arrays[10][32];
    snag__region_bounds bounds = {
        {arrays[0], arrays[1], arrays[2]}, arrays[3], {arrays[4], arrays[5], arrays[6]}, {arrays[7], arrays[8], arrays[9]}};
    size_t far = 0, near = 0;
    for (int round = 0; round < 3000; round++) {
        double size = pow(10, snag__random_range(&random, -44, 38));
        snag__region_bound all[9];
        for (int i = 0; i < 9; i++) {
            double squared = 0;
            for (int axis = 0; axis < 3; axis++) {
                double middle = snag__random_range(&random, -1, 1) * size, half = snag__random_unit(&random) * 0.2 * size;
                all[i].middle[axis] = (float)middle;
                all[i].lo[axis] = (float)(middle - half);
                all[i].hi[axis] = (float)(middle + half);
                squared += half * half;
            }
            all[i].radius = (float)(sqrt(squared) * snag__random_unit(&random));
            for (int axis = 0; axis < 3 && i > 0; axis++) {
                bounds.middle[axis][i - 1] = all[i].middle[axis];
                bounds.lo[axis][i - 1] = all[i].lo[axis];
                bounds.hi[axis][i - 1] = all[i].hi[axis];
                bounds.radius[i - 1] = all[i].radius;
            }
        }
        float reach = (float)(snag__random_unit(&random) * size), squared[16];
        uint32_t scalar = snag__region_kernels_for(SNAG_ISA_SCALAR)->near(&bounds, 0, 8, &all[0], reach, squared);
        uint32_t best = snag__region_kernels_for(snag__isa_best())->near(&bounds, 0, 8, &all[0], reach, squared);
        assert_int_equal(scalar, best);
        for (int i = 0; i < 8; i++) {
            long double centres = 0, boxes = 0;
            for (int axis = 0; axis < 3; axis++) {
                long double d = (long double)all[0].middle[axis] - all[i + 1].middle[axis];
                long double gap = fmaxl(0, fmaxl((long double)all[0].lo[axis] - all[i + 1].hi[axis],
                                                 (long double)all[i + 1].lo[axis] - all[0].hi[axis]));
                centres += d * d;
                boxes += gap * gap;
            }
            bool apart = sqrtl(centres) - all[0].radius - all[i + 1].radius > reach || sqrtl(boxes) > reach;
            assert_true(apart || (best >> i & 1));
            far += !(best >> i & 1);
            near += best >> i & 1;
        }
    }
    assert_true(far > 1000 && near > 1000);
}

// Heights are never above the true ones, and close below.
static void heights_are_lower_bounds(void **state)
{
    (void)state;
    snag__random random = {93};
    for (int round = 0; round < 200; round++) {
        double x[40][3];
        uint32_t triangles[37][3];
        double size = pow(10, snag__random_range(&random, -30, 30));
        snag__region_slope slope;
        for (int v = 0; v < 40; v++)
            for (int axis = 0; axis < 3; axis++)
                x[v][axis] = size * snag__random_range(&random, -1, 1);
        for (int axis = 0; axis < 3; axis++) {
            slope.origin[axis] = size * snag__random_unit(&random);
            slope.direction[axis] = snag__random_range(&random, -0.57, 0.57);
        }
        for (int t = 0; t < 37; t++)
            for (int i = 0; i < 3; i++)
                triangles[t][i] = snag__random_below(&random, 40);
        float heights[2][64];
        snag_isa isas[2] = {SNAG_ISA_SCALAR, snag__isa_best()};
        for (int i = 0; i < 2; i++)
            snag__region_kernels_for(isas[i])->heights((const double(*)[3])x, triangles[0], 3, 0, 37, &slope, heights[i]);
        assert_memory_equal(heights[0], heights[1], 37 * sizeof(float));
        for (int t = 0; t < 37; t++) {
            long double lowest = INFINITY;
            for (int i = 0; i < 3; i++) {
                long double h = 0;
                for (int axis = 0; axis < 3; axis++)
                    h += ((long double)x[triangles[t][i]][axis] - slope.origin[axis]) * slope.direction[axis];
                lowest = fminl(lowest, h);
            }
            assert_true((long double)heights[0][t] <= lowest);
            assert_true((long double)heights[0][t] >= lowest - 1e-5L * size);
        }
    }
}

static void a_sheet_and_a_ball_are_convex_and_a_torus_is_not(void **state)
{
    (void)state;
    snag_shape shapes[3];
    assert_int_equal(snag_shape_sheet(12, 12, 1, 1, &shapes[0]), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(3, 1, &shapes[1]), SNAG_OK);
    assert_int_equal(snag_shape_torus(32, 24, 1, 0.3, &shapes[2]), SNAG_OK);
    snag_allocator allocator = snag__default_allocator();
    for (int i = 0; i < 3; i++) {
        snag__mesh mesh = mesh_of(&shapes[i]);
        snag__regions regions = {0};
        snag__buffer scratch = {0};
        assert_true(snag__regions_build(&regions, &mesh, false, &allocator, &scratch));
        uint32_t convex = 0;
        for (uint32_t k = 0; k < regions.leaf_count; k++)
            convex += snag__region_is_convex(&regions, &mesh, regions.leaves[k]);
        assert_true(i < 2 ? convex == regions.leaf_count : convex < regions.leaf_count);
        // The paper's radii: those of a level are no less than those of the next by much, and the first holds all.
        assert_true(snag__regions_level_radius(&regions, &mesh, 0) >= snag__regions_level_radius(&regions, &mesh, 1));
        assert_true(snag__regions_level_radius(&regions, &mesh, 99) == 0);
        snag__regions_free(&allocator, &regions);
        snag__buffer_free(&allocator, &scratch);
        snag__mesh_free(&mesh);
        snag_shape_free(&shapes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_deal_out_all_elements_and_hold_them_while_they_move),
        cmocka_unit_test(far_is_far),
        cmocka_unit_test(heights_are_lower_bounds),
        cmocka_unit_test(a_sheet_and_a_ball_are_convex_and_a_torus_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
