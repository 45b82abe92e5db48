// Depth and direction of penetrations: exact for blocks, smooth for deep overlaps, defined for everything inside.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include "geom/distance.h"
#include "mesh/material.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- scenes ----

static snag_shape block(uint32_t nx, uint32_t ny, uint32_t nz, double cell, double x, double y, double z)
{
    snag_shape shape;
    assert_int_equal(snag_shape_block(nx, ny, nz, cell, &shape), SNAG_OK);
    snag_shape_transform(&shape, 1, x, y, z);
    return shape;
}

// A ball of radius 1 about (x, 0, 0): a block of cells whose shells of equal maximum norm become spheres.
static snag_shape ball(uint32_t cells, double x)
{
    snag_shape shape = block(cells, cells, cells, 2.0 / cells, -1, -1, -1);
    for (size_t v = 0; v < shape.vertex_count; v++) {
        double *p = &shape.positions[3 * v];
        double most = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
        double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        for (int axis = 0; axis < 3 && length > 0; axis++)
            p[axis] *= most / length;
        p[0] += x;
    }
    return shape;
}

static snag_world *world_of(snag_shape *shapes, int count, uint32_t threads)
{
    snag_world *world = scene_world(&(scene_options){.threads = threads});
    for (int i = 0; i < count; i++) {
        snag_body_id id;
        assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &id), SNAG_OK);
    }
    return world;
}

static const snag_answer *ask(snag_world *world, bool self, bool between)
{
    any_question def = any_default(SNAG_PENETRATIONS);
    def.self = self;
    def.between = between;
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &def, &answer), SNAG_OK);
    return answer;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What holds for every contact: finite, a unit normal or none, and the point where the normal leads.
static void assert_sound(const snag_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        double length = sqrt(dot(c->normal, c->normal)), size = fabs(c->value);
        assert_true(isfinite(c->value) && c->value >= 0);
        assert_true(length == 0 || fabs(length - 1) < 1e-12);
        for (int axis = 0; axis < 3; axis++) {
            size = fmax(size, fabs(c->point_a[axis]));
            assert_true(isfinite(c->point_b[axis]));
        }
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs(c->point_a[axis] + c->value * c->normal[axis] - c->point_b[axis]) <= 1e-9 * size);
    }
}

static void assert_normal(const snag_contact *c, double x, double y, double z)
{
    assert_true(fabs(c->normal[0] - x) < 1e-12 && fabs(c->normal[1] - y) < 1e-12 && fabs(c->normal[2] - z) < 1e-12);
}

static void free_all(snag_world *world, snag_shape *shapes, int count)
{
    snag_world_destroy(world);
    for (int i = 0; i < count; i++)
        snag_shape_free(&shapes[i]);
}

// ---- between bodies ----

static void blocks_that_overlap_by_a_known_amount_have_that_depth(void **state)
{
    (void)state;
    // The second stands out at all sides but one. Grids that fall together in y and z, and grids that do not.
    static const double shifts[] = {0, 0.03125, 0.01, 0.125};
    for (int s = 0; s < 4; s++)
        for (int overlap = 1; overlap <= 6; overlap++) {
            double depth = overlap * 0.0625;
            snag_shape shapes[2] = {block(4, 4, 4, 0.25, 0, 0, 0),
                                    block(6, 8, 8, 0.25, 1 - depth, -0.5 - shifts[s], -0.5 - shifts[s])};
            snag_world *world = world_of(shapes, 2, 2);
            const snag_answer *answer = ask(world, false, true);
            assert_sound(answer);
            size_t seen = 0;
            for (size_t i = 0; i < answer->count; i++) {
                const snag_contact *c = &answer->contacts[i];
                if (c->body_a.index != answer->contacts[0].body_a.index)
                    continue;
                seen++;
                assert_normal(c, -1, 0, 0);
                assert_true(fabs(c->value - (c->point_a[0] - (1 - depth))) < 1e-14);
                assert_true(fabs(c->point_b[0] - (1 - depth)) < 1e-14);
                assert_true(c->point_b[1] == c->point_a[1] && c->point_b[2] == c->point_a[2]);
            }
            assert_true(seen >= 25);
            free_all(world, shapes, 2);
        }
}

static void a_vertex_on_the_surface_has_depth_zero_and_the_surfaces_normal(void **state)
{
    (void)state;
    // One block stands on the other; their grids fall together, or not.
    for (int shifted = 0; shifted < 2; shifted++) {
        double shift = shifted ? 0.1 : 0;
        snag_shape shapes[2] = {block(2, 2, 2, 0.5, shift, shift, 1), block(6, 6, 2, 0.5, -1, -1, 0)};
        snag_world *world = world_of(shapes, 2, 1);
        const snag_answer *answer = ask(world, false, true);
        assert_sound(answer);
        size_t seen = 0;
        for (size_t i = 0; i < answer->count; i++) {
            const snag_contact *c = &answer->contacts[i];
            if (c->body_a.index != answer->contacts[0].body_a.index)
                continue;
            seen++;
            assert_true(c->value < 1e-15);
            assert_normal(c, 0, 0, 1);
        }
        assert_true(seen >= 9);
        free_all(world, shapes, 2);
    }
}

// The direction of each vertex of the first body: that of its first contact with the other.
static size_t directions_of(const snag_answer *answer, uint32_t body, const double **direction, size_t vertex_count)
{
    size_t seen = 0;
    memset(direction, 0, vertex_count * sizeof *direction);
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        if (c->body_a.index != body || direction[c->a.index] != NULL)
            continue;
        direction[c->a.index] = c->normal;
        seen++;
    }
    return seen;
}

static void assert_neighbours_agree(const snag_shape *shape, const double *const *direction)
{
    for (size_t k = 0; k < shape->tet_count; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++) {
                const double *a = direction[shape->tets[4 * k + i]], *b = direction[shape->tets[4 * k + j]];
                if (a != NULL && b != NULL)
                    assert_true(dot(a, b) > 0);
            }
}

static void neighbours_in_deep_overlaps_do_not_point_opposite_ways(void **state)
{
    (void)state;
    static const double distances[] = {1.6, 1.2, 0.8, 0.5};
    for (int d = 0; d < 4; d++) {
        snag_shape shapes[2] = {ball(8, 0), ball(9, distances[d])};
        snag_world *world = world_of(shapes, 2, 2);
        const snag_answer *answer = ask(world, false, true);
        assert_sound(answer);
        for (int side = 0; side < 2; side++) {
            const double **direction = malloc(shapes[side].vertex_count * sizeof *direction);
            uint32_t body = side == 0 ? answer->contacts[0].body_a.index : answer->contacts[0].body_b.index;
            size_t seen = directions_of(answer, body, direction, shapes[side].vertex_count);
            assert_true(seen > 10);
            assert_neighbours_agree(&shapes[side], direction);
            free(direction);
        }
        // The way out ends on the other ball's surface, which is flat between the vertices of a sphere.
        for (size_t i = 0; i < answer->count; i++) {
            const snag_contact *c = &answer->contacts[i];
            double centre = c->body_b.index == answer->contacts[0].body_b.index ? distances[d] : 0;
            double p[3] = {c->point_b[0] - centre, c->point_b[1], c->point_b[2]};
            assert_true(sqrt(dot(p, p)) > 0.9 && sqrt(dot(p, p)) < 1 + 1e-9);
            // And it leads away from the other's middle rather than through it.
            assert_true((centre > 0 ? -c->normal[0] : c->normal[0]) > -0.2);
        }
        free_all(world, shapes, 2);
    }
}

static void a_body_fully_inside_is_led_out_together_by_the_nearest_side(void **state)
{
    (void)state;
    snag_shape shapes[2] = {block(2, 2, 2, 0.25, 0.5, 3.5, 1.75), block(8, 8, 8, 0.625, 0, 0, 0)};
    snag_world *world = world_of(shapes, 2, 2);
    const snag_answer *answer = ask(world, false, true);
    assert_sound(answer);
    assert_true(answer->count >= 27);
    for (size_t i = 0; i < answer->count; i++) {
        // One vertex of the large block lies in the small one as well.
        const snag_contact *c = &answer->contacts[i];
        if (c->body_a.index != answer->contacts[0].body_a.index)
            continue;
        assert_normal(c, -1, 0, 0);
        assert_true(fabs(c->value - c->point_a[0]) < 1e-14);
    }
    free_all(world, shapes, 2);
}

static void a_cloud_of_vertices_has_depths_too(void **state)
{
    (void)state;
    snag_shape solid = block(4, 4, 4, 0.25, 0, 0, 0);
    const double cloud[][3] = {{0.5, 0.5, 0.9375}, {0.0625, 0.5, 0.4375}, {0.5, 1.5, 0.5}};
    snag_world *world = world_of(&solid, 1, 1);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&cloud[0][0], 3);
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    const snag_answer *answer = ask(world, false, true);
    assert_sound(answer);
    assert_true(answer->count >= 2);
    for (size_t i = 0; i < answer->count; i++) {
        bool first = answer->contacts[i].a.index == 0;
        assert_normal(&answer->contacts[i], first ? 0 : -1, 0, first ? 1 : 0);
        assert_true(fabs(answer->contacts[i].value - 0.0625) < 1e-15);
    }
    free_all(world, &solid, 1);
}

// ---- a body with itself ----

// A bar along x bent into a U around the y axis, with legs so close that they overlap by `overlap`. The leg of the
// lower x lies below the other and has its upper side at z = overlap / 2; the other's lower side is at z = -overlap
// / 2.
static snag_shape folded_bar(double overlap)
{
    snag_shape bar = block(32, 3, 4, 0.25, -4, 0, 0);
    for (size_t v = 0; v < bar.vertex_count; v++) {
        double *p = &bar.positions[3 * v], along = p[0], radius = p[2] - overlap / 2;
        if (along <= -1 || along >= 1) {
            p[0] = 1 - fabs(along);
            p[2] = along < 0 ? -radius : radius;
        } else {
            // The bow bulges, so that its inside is not folded over.
            double angle = (along + 1) * acos(-1.0) / 2;
            p[0] = sin(angle) * (radius + 0.5 * sin(angle));
            p[2] = -cos(angle) * (radius + 0.5 * sin(angle));
        }
    }
    return bar;
}

static void legs_of_a_folded_bar_are_led_out_of_each_other(void **state)
{
    (void)state;
    snag_shape straight = block(32, 3, 4, 0.25, -4, 0, 0);
    for (int i = 1; i <= 5; i++) {
        double overlap = 0.125 * i;
        snag_shape bar = folded_bar(overlap);
        snag_world *world = world_of(&bar, 1, 2);
        const snag_answer *answer = ask(world, true, false);
        assert_sound(answer);
        size_t seen = 0;
        for (size_t c = 0; c < answer->count; c++) {
            const snag_contact *contact = &answer->contacts[c];
            if (contact->point_a[0] > -1)
                continue;
            // The vertex's own surface is nearer than the other leg's, or at least as near.
            double turn = straight.positions[3 * contact->a.index] < 0 ? -1 : 1;
            double depth = overlap / 2 - turn * contact->point_a[2];
            assert_true(fabs(contact->point_b[2] - turn * overlap / 2) < 1e-12);
            // The bow is not flat, and the more edges lie between a vertex and the surface the more it is felt.
            assert_true(turn * contact->normal[2] > (overlap < 0.3 ? 1 - 1e-12 : 0.99));
            assert_true(fabs(contact->value - depth) < (overlap < 0.3 ? 1e-12 : 1e-12 + 0.01 * depth));
            seen++;
        }
        assert_true(seen > 40);
        free_all(world, &bar, 1);
    }
    snag_shape_free(&straight);
}

// ---- bad meshes ----

static void inverted_and_flat_tetrahedra_leave_every_depth_sound(void **state)
{
    (void)state;
    snag__random random = {41};
    size_t contacts = 0, defined = 0;
    for (int round = 0; round < 20; round++) {
        snag_shape shapes[2] = {block(4, 4, 4, 0.25, 0, 0, 0), block(4, 4, 4, 0.25, 0.3, 0.2, 0.1)};
        // Shaken by more than a cell: tetrahedra turn over. On a coarse grid: they also become flat.
        for (int i = 0; i < 2; i++) {
            scene_shake(&shapes[i], 0.05 * round / 2, &random);
            for (size_t k = 0; round % 2 == 1 && k < 3 * shapes[i].vertex_count; k++)
                shapes[i].positions[k] = rint(shapes[i].positions[k] * 8) / 8;
        }
        snag_world *world = world_of(shapes, 2, 2);
        const snag_answer *answer = ask(world, true, true);
        assert_sound(answer);
        contacts += answer->count;
        for (size_t i = 0; i < answer->count; i++)
            defined += dot(answer->contacts[i].normal, answer->contacts[i].normal) > 0;
        free_all(world, shapes, 2);
    }
    assert_true(contacts > 1000);
    assert_true(defined > contacts * 99 / 100);
}

static void soups_and_copies_leave_every_depth_sound(void **state)
{
    (void)state;
    snag__random random = {42};
    for (uint32_t round = 0; round < 40; round++) {
        snag_shape shapes[2] = {scene_tet_soup(12, round % 4, &random), scene_tet_soup(9, round % 3, &random)};
        for (uint32_t k = 0; k < 4; k++)
            memcpy(&shapes[0].tets[4 * k + 16], &shapes[0].tets[4 * k], 4 * sizeof *shapes[0].tets);
        snag_world *world = world_of(shapes, 2, 1);
        assert_sound(ask(world, true, true));
        free_all(world, shapes, 2);
    }
}

static void a_flat_tetrahedron_in_the_way_is_passed_through(void **state)
{
    (void)state;
    // Two tetrahedra on both sides of a flat one: the way out of the lower one leads through it and the upper one.
    const double x[][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {3, 3, 0}, {1, 1, -4}, {1, 1, 4}, {3, 3, 4}};
    const uint32_t tets[] = {0, 2, 1, 4, 0, 1, 2, 3, 0, 1, 3, 5, 0, 3, 2, 6};
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&x[0][0], 7);
    def.tets = tets;
    def.tet_count = 4;
    snag__mesh mesh;
    snag__mesh_error error;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    snag__way way;
    const double start[3] = {1.25, 1, -1}, up[3] = {0, 0, 1};
    assert_int_equal(snag__way_follow(&mesh, 0, start, up, false, &way), SNAG__WAY_OUT);
    assert_int_equal(way.tet, 2);
    assert_true(way.t > 1);
    snag__mesh_free(&mesh);
    failing_allocator_assert_clean(&memory);
}

// ---- the nearest way out ----

static double naive_distance(const snag__mesh *mesh, const double x[3])
{
    double best = INFINITY;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const double *corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = mesh->x_t1[mesh->triangles[t][c]];
        snag__distance d;
        snag__vertex_triangle_distance(x, corner, &d);
        best = fmin(best, d.gap.distance);
    }
    return best;
}

static void the_nearest_way_out_is_the_closest_point_of_the_boundary(void **state)
{
    (void)state;
    snag_shape shape = ball(7, 0.25);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape.positions, shape.vertex_count);
    def.tets = shape.tets;
    def.tet_count = shape.tet_count;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    snag__random random = {43};
    snag__material_scratch scratch = {0};
    for (uint32_t k = 0; k < mesh.tet_count; k++) {
        double w[4], x[3] = {0}, sum = 0;
        for (int i = 0; i < 4; i++)
            sum += w[i] = snag__random_unit(&random);
        for (int i = 0; i < 4; i++)
            for (int axis = 0; axis < 3; axis++)
                x[axis] += w[i] / sum * mesh.x_t1[mesh.tets[k][i]][axis];
        snag__way_out out;
        assert_true(snag__nearest_way_out(&mesh, k, x, SNAG__NO_VERTEX, INFINITY, &allocator, &scratch, &out));
        double expected = naive_distance(&mesh, x);
        assert_true(out.found && out.distance == expected);
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs(x[axis] + out.distance * out.normal[axis] - out.point[axis]) < 1e-12);
        assert_true(snag__nearest_way_out(&mesh, k, x, SNAG__NO_VERTEX, expected / 2, &allocator, &scratch, &out));
        assert_false(out.found);
    }
    snag__material_scratch_free(&allocator, &scratch);
    snag__mesh_free(&mesh);
    failing_allocator_assert_clean(&memory);
    snag_shape_free(&shape);
}

static void straight_ways_leave_where_the_line_leaves_the_block(void **state)
{
    (void)state;
    snag_shape shape = block(5, 5, 5, 0.2, 0, 0, 0);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape.positions, shape.vertex_count);
    def.tets = shape.tets;
    def.tet_count = shape.tet_count;
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag__mesh mesh;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &allocator, &mesh, &error), SNAG_OK);
    snag__random random = {44};
    // From corners of tetrahedra and along the grid too, where every side is in doubt.
    for (uint32_t k = 0; k < mesh.tet_count; k++)
        for (int round = 0; round < 8; round++) {
            double x[3], d[3], t = INFINITY;
            for (int axis = 0; axis < 3; axis++) {
                x[axis] = round < 4 ? mesh.x_t1[mesh.tets[k][round]][axis]
                                    : (mesh.x_t1[mesh.tets[k][0]][axis] + mesh.x_t1[mesh.tets[k][1]][axis]) / 2;
                d[axis] = round % 2 == 0 ? (double)snag__random_below(&random, 3) - 1 : snag__random_unit(&random) - 0.5;
            }
            if (dot(d, d) == 0)
                continue;
            for (int axis = 0; axis < 3; axis++)
                if (d[axis] != 0)
                    t = fmin(t, ((d[axis] > 0 ? 1 : 0) - x[axis]) / d[axis]);
            snag__way way;
            assert_int_equal(snag__way_follow(&mesh, k, x, d, false, &way), SNAG__WAY_OUT);
            assert_true(fabs(way.t - t) < 1e-7);
            assert_true(dot(way.normal, d) >= 0);
        }
    snag__mesh_free(&mesh);
    failing_allocator_assert_clean(&memory);
    snag_shape_free(&shape);
}

// ---- memory ----

static snag_status whole_cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    // A border, a body without one, and a fold: all stages take memory.
    snag_shape shapes[4] = {block(2, 2, 2, 0.5, 0, 0, 0), block(2, 2, 2, 0.5, 0.3, 0.2, 0.1), block(1, 1, 1, 0.125, 0.7, 0.7, 0.7),
                            folded_bar(0.2)};
    snag_world *world = scene_world(&(scene_options){.threads = 2, .allocator = *allocator});
    snag_status status = world != NULL ? SNAG_OK : SNAG_ERROR_MEMORY;
    for (int i = 0; i < 4; i++) {
        snag_body_id id;
        if (status == SNAG_OK)
            status = scene_add(world, &shapes[i], SNAG_F64, NULL, &id);
        snag_shape_free(&shapes[i]);
    }
    any_question def = any_default(SNAG_PENETRATIONS);
    const snag_answer *answer = NULL;
    if (status == SNAG_OK)
        status = any_ask(world, &def, &answer);
    if (status == SNAG_OK)
        assert_true(answer->count > 0);
    snag_world_destroy(world);
    return status;
}

static void nothing_is_lost_when_any_allocation_fails(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(whole_cycle, NULL) > 20);
}

static void the_same_bytes_for_any_number_of_threads_and_every_method(void **state)
{
    (void)state;
    snag_shape shapes[3] = {ball(6, 0), ball(7, 0.9), folded_bar(0.3)};
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        snag_world *world = world_of(shapes, 3, threads);
        for (int method = SNAG_METHOD_AUTO; method < SNAG_METHOD_COUNT; method++) {
            any_question def = any_default(SNAG_PENETRATIONS);
            def.method = (snag_method)method;
            const snag_answer *answer = NULL;
            if (!snag_method_answers(def.method, def.question))
                continue;
            assert_int_equal(any_ask(world, &def, &answer), SNAG_OK);
            uint64_t hash = 1469598103934665603u;
            for (size_t i = 0; i < answer->count * sizeof(snag_contact); i++)
                hash = (hash ^ ((const uint8_t *)answer->contacts)[i]) * 1099511628211u;
            if (expected == 0)
                expected = hash;
            assert_true(hash == expected);
        }
        snag_world_destroy(world);
    }
    for (int i = 0; i < 3; i++)
        snag_shape_free(&shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_overlap_by_a_known_amount_have_that_depth),
        cmocka_unit_test(a_vertex_on_the_surface_has_depth_zero_and_the_surfaces_normal),
        cmocka_unit_test(neighbours_in_deep_overlaps_do_not_point_opposite_ways),
        cmocka_unit_test(a_body_fully_inside_is_led_out_together_by_the_nearest_side),
        cmocka_unit_test(a_cloud_of_vertices_has_depths_too),
        cmocka_unit_test(legs_of_a_folded_bar_are_led_out_of_each_other),
        cmocka_unit_test(inverted_and_flat_tetrahedra_leave_every_depth_sound),
        cmocka_unit_test(soups_and_copies_leave_every_depth_sound),
        cmocka_unit_test(a_flat_tetrahedron_in_the_way_is_passed_through),
        cmocka_unit_test(the_nearest_way_out_is_the_closest_point_of_the_boundary),
        cmocka_unit_test(straight_ways_leave_where_the_line_leaves_the_block),
        cmocka_unit_test(nothing_is_lost_when_any_allocation_fails),
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads_and_every_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
