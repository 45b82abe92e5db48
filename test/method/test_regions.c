// What is peculiar to `regions`: lists that are kept while bodies move, pairs of bodies near each other, and meshes that are
// hard to divide. The witness is brute, and kdop where that is too slow.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"

#include "snag/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const snag_answer *ask_world(snag_world *world, const any_question *ask)
{
    const snag_answer *answer = NULL;
    if (any_ask(world, ask, &answer) != SNAG_OK)
        fail_msg("%s", snag_world_message(world));
    return answer;
}

// Returns how many contacts there are.
static size_t assert_same(snag_world *world, any_question ask, snag_method witness)
{
    ask.method = witness;
    const snag_answer *answer = ask_world(world, &ask);
    size_t count = answer->count;
    snag_contact *contacts = malloc((count + 1) * sizeof *contacts);
    if (count > 0)
        memcpy(contacts, answer->contacts, count * sizeof *contacts);
    ask.method = SNAG_METHOD_REGIONS;
    answer = ask_world(world, &ask);
    assert_int_equal(answer->count, count);
    if (count > 0)
        assert_memory_equal(answer->contacts, contacts, count * sizeof *contacts);
    free(contacts);
    return count;
}

static any_question distance_question(void)
{
    return any_default(SNAG_DISTANCE);
}

static snag_body_id add(snag_world *world, const snag_shape *shape)
{
    snag_body_id id;
    assert_int_equal(scene_add(world, shape, SNAG_F64, NULL, &id), SNAG_OK);
    return id;
}

static snag_positions positions_of(const snag_shape *shape)
{
    return snag_positions_f64(shape->positions, shape->vertex_count);
}

// ---- sequences ----

typedef struct scene {
    snag_shape shapes[2];
    snag_body_id ids[2];
    snag_world *world;
} scene;

typedef snag_status maker(snag_shape *shape);

static snag_status small_torus(snag_shape *shape)
{
    return snag_shape_torus(16, 8, 1, 0.3, shape);
}

static snag_status ball(snag_shape *shape)
{
    return snag_shape_icosphere(2, 0.8, shape);
}

static snag_status fine_torus(snag_shape *shape)
{
    return snag_shape_torus(40, 24, 1, 0.3, shape);
}

static snag_status fine_ball(snag_shape *shape)
{
    return snag_shape_icosphere(3, 0.8, shape);
}

static snag_status large_ball(snag_shape *shape)
{
    return snag_shape_icosphere(2, 1.6, shape);
}

static snag_status box(snag_shape *shape)
{
    return snag_shape_box(5, 1, 1, 1, shape);
}

static snag_status small_box(snag_shape *shape)
{
    return snag_shape_box(2, 1, 1, 1, shape);
}

static snag_status few_triangles(snag_shape *shape)
{
    return snag_shape_icosphere(0, 0.4, shape);
}

static snag_status block(snag_shape *shape)
{
    return snag_shape_block(4, 3, 4, 0.25, shape);
}

static scene make_scene(maker *first, maker *second, double x, double y, double z, uint32_t threads)
{
    scene s = {.world = scene_world(&(scene_options){.threads = threads})};
    assert_int_equal(first(&s.shapes[0]), SNAG_OK);
    assert_int_equal(second(&s.shapes[1]), SNAG_OK);
    snag_shape_transform(&s.shapes[1], 1, x, y, z);
    for (int i = 0; i < 2; i++)
        s.ids[i] = add(s.world, &s.shapes[i]);
    return s;
}

static void free_scene(scene *s)
{
    snag_world_destroy(s->world);
    for (int i = 0; i < 2; i++)
        snag_shape_free(&s->shapes[i]);
}

// Slow motion, so that lists are kept; then a leap; a body that rests, and one that is put somewhere else.
static void follow(scene *s, double step, snag__random *random)
{
    any_question near = any_default(SNAG_PROXIMITIES);
    near.self = false;
    near.distance = 0.08;
    for (int i = 0; i < 14; i++) {
        assert_int_equal(snag_world_begin_step(s->world), SNAG_OK);
        for (int body = 0; body < (i % 3 == 2 ? 1 : 2); body++) {
            double by = i == 9 ? 20 * step : step;
            scene_shake(&s->shapes[body], by, random);
            snag_shape_transform(&s->shapes[body], 1, by * (body == 0 ? 1 : -1), by / 2, 0);
            snag_status (*give)(snag_world *, snag_body_id, snag_positions) = i == 6 ? snag_world_teleport : snag_world_move;
            assert_int_equal(give(s->world, s->ids[body], positions_of(&s->shapes[body])), SNAG_OK);
            if (i == 11)  // twice between two asks
                assert_int_equal(snag_world_move(s->world, s->ids[body], positions_of(&s->shapes[body])), SNAG_OK);
        }
        assert_int_equal(assert_same(s->world, distance_question(), SNAG_METHOD_BRUTE), 1);
        assert_same(s->world, near, SNAG_METHOD_BRUTE);
    }
}

static void bodies_apart_interlocked_nested_touching_and_through_each_other(void **state)
{
    (void)state;
    static const struct {
        maker *first, *second;
        double at[3];
    } scenes[] = {
        {ball, ball, {2, 0.3, 0.1}},       {small_torus, small_torus, {1, 0, 0.05}},
        {large_ball, ball, {0.2, 0.1, 0}}, {box, box, {1, 0.25, 0.25}},
        {ball, ball, {1, 0.2, 0.1}},       {block, small_torus, {1.1, 0.4, 0.6}},
    };
    snag__random random = {71};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene s = make_scene(scenes[i].first, scenes[i].second, scenes[i].at[0], scenes[i].at[1], scenes[i].at[2], i == 1 ? 2 : 1);
        assert_int_equal(assert_same(s.world, distance_question(), SNAG_METHOD_BRUTE), 1);
        follow(&s, i % 2 == 0 ? 0.001 : 0.01, &random);
        free_scene(&s);
    }
}

static void a_crushed_body_is_divided_anew(void **state)
{
    (void)state;
    snag__random random = {72};
    scene s = make_scene(small_torus, ball, 2.5, 0, 0, 1);
    for (int i = 0; i < 8; i++) {
        // Vertices are dealt out anew: what was a region is all over the place.
        for (size_t v = 0; v < s.shapes[0].vertex_count; v++)
            for (int axis = 0; axis < 3; axis++)
                s.shapes[0].positions[3 * v + (size_t)axis] += i * 0.05 * (snag__random_unit(&random) - 0.5);
        assert_int_equal(snag_world_move(s.world, s.ids[0], positions_of(&s.shapes[0])), SNAG_OK);
        assert_same(s.world, distance_question(), SNAG_METHOD_BRUTE);
    }
    free_scene(&s);
}

// ---- many bodies ----

static void only_pairs_of_bodies_that_are_asked_for(void **state)
{
    (void)state;
    snag__random random = {73};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_id ids[12];
    snag_shape shapes[12];
    for (int i = 0; i < 12; i++) {
        assert_int_equal(snag_shape_icosphere(1, 0.3, &shapes[i]), SNAG_OK);
        snag_shape_transform(&shapes[i], 1, 3 * snag__random_unit(&random), 3 * snag__random_unit(&random),
                             3 * snag__random_unit(&random));
        ids[i] = add(world, &shapes[i]);
    }
    static const snag_method methods[] = {SNAG_METHOD_BRUTE, SNAG_METHOD_KDOP, SNAG_METHOD_REGIONS};
    const snag_answer *answer = NULL;
    any_question ask = distance_question();
    ask.method = SNAG_METHOD_BRUTE;
    answer = ask_world(world, &ask);
    assert_int_equal(answer->count, 66);
    double values[66];
    for (int i = 0; i < 66; i++)
        values[i] = answer->contacts[i].kind == SNAG_CROSSING ? 0 : answer->contacts[i].value;
    for (int i = 0; i < 66; i++)  // sorted, plainly
        for (int k = i + 1; k < 66; k++)
            if (values[k] < values[i]) {
                double swap = values[i];
                values[i] = values[k];
                values[k] = swap;
            }
    static const uint32_t counts[] = {1, 7, 40, 66, 500};
    for (size_t m = 0; m < 3; m++) {
        ask = distance_question();
        ask.method = methods[m];
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            ask.closest = counts[i];
            ask.within = 0;
            answer = ask_world(world, &ask);
            uint32_t expected = counts[i] < 66 ? counts[i] : 66;
            assert_int_equal(answer->count, expected);
            for (size_t k = 0; k < answer->count; k++)
                assert_true(answer->contacts[k].value <= values[expected - 1]);
            ask.closest = 0;
            ask.within = values[expected - 1] * (1 + 1e-12) + 1e-300;
            while (expected < 66 && values[expected] <= ask.within)
                expected++;
            assert_int_equal(ask_world(world, &ask)->count, expected);
        }
    }
    for (size_t i = 0; i < 4; i++) {
        ask = distance_question();
        ask.closest = (uint32_t)(3 * i);
        ask.within = i == 3 ? 0.4 : 0.5 * (double)i;
        assert_same(world, ask, SNAG_METHOD_BRUTE);
        assert_int_equal(snag_world_remove(world, ids[i]), SNAG_OK);
        assert_same(world, ask, SNAG_METHOD_BRUTE);
        assert_int_equal(snag_world_move(world, ids[10], positions_of(&shapes[11])), SNAG_OK);
        assert_same(world, distance_question(), SNAG_METHOD_BRUTE);
    }
    ask.within = -1;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask.within = NAN;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    for (int i = 0; i < 12; i++)
        snag_shape_free(&shapes[i]);
    snag_world_destroy(world);
}

// ---- meshes that are hard to divide ----

static snag_body_id add_polygons(snag_world *world, const double *positions, size_t vertex_count, const uint32_t *sizes,
                                 const uint32_t *vertices, size_t count)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(positions, vertex_count);
    def.polygon_sizes = sizes;
    def.polygon_vertices = vertices;
    def.polygon_count = count;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static void clouds_single_vertices_coincident_ones_components_and_bent_quads(void **state)
{
    (void)state;
    snag__random random = {74};
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    double cloud[300];
    for (int i = 0; i < 300; i++)
        cloud[i] = snag__random_unit(&random);
    add_polygons(world, cloud, 100, NULL, NULL, 0);
    add_polygons(world, cloud + 7, 1, NULL, NULL, 0);
    add_polygons(world, cloud, 0, NULL, NULL, 0);
    // A hundred vertices in one point, around which there are triangles; and some without an area.
    double positions[106 * 3];
    for (int i = 0; i < 106; i++)
        for (int axis = 0; axis < 3; axis++)
            positions[3 * i + axis] = i < 100 ? 0.5 : snag__random_unit(&random);
    uint32_t triangles[99][3], sizes[99];
    for (uint32_t i = 0; i < 99; i++) {
        sizes[i] = 3;
        triangles[i][0] = i;
        triangles[i][1] = i % 3 == 0 ? i + 1 : 100 + i % 6;
        triangles[i][2] = 100 + (i + 1) % 6;
    }
    add_polygons(world, positions, 106, sizes, triangles[0], 99);
    // Quads that are not flat, one of them in a place of its own.
    double quads[24];
    for (int i = 0; i < 24; i++)
        quads[i] = snag__random_unit(&random) + (i >= 12 ? 3 : 0);
    const uint32_t four[2] = {4, 4}, corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    add_polygons(world, quads, 8, four, corners, 2);
    // Separate tasks in one body.
    snag_shape soup = surface_soup(60, false, &random);
    add(world, &soup);
    any_question near = any_default(SNAG_PROXIMITIES);
    near.distance = 0.1;
    for (int round = 0; round < 2; round++) {
        assert_true(assert_same(world, distance_question(), SNAG_METHOD_BRUTE) > 5);
        near.every_pair = round == 1;
        assert_true(assert_same(world, near, SNAG_METHOD_BRUTE) > 20);
    }
    snag_shape_free(&soup);
    snag_world_destroy(world);
}

// A triangle whose corners are all one vertex is no element (welding makes such ones): its vertex may be in no leaf at all.
static void triangles_that_are_one_vertex(void **state)
{
    (void)state;
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 0.5, 0.3, 0.3, -0.5};
    static const uint32_t some[] = {0, 1, 2, 3, 3, 3, 4, 4, 4, 0, 0, 0}, all[] = {3, 3, 3, 0, 0, 0};
    static const struct {
        const uint32_t *triangles;
        size_t count;
    } bodies[] = {{some, 4}, {all, 2}};
    for (int b = 0; b < 2; b++)
        for (int welded = 0; welded < 2; welded++) {
            snag_world_def world_def = snag_default_world_def();
            snag_world *world;
            assert_int_equal(snag_world_create(&world_def, &world), SNAG_OK);
            snag_shape ball;
            assert_int_equal(snag_shape_icosphere(2, 0.1, &ball), SNAG_OK);
            snag_shape_transform(&ball, 1, 0.2, 0.2, 0.5);
            add(world, &ball);
            snag_body_def def = snag_default_body_def();
            def.positions = snag_positions_f64(x, 5);
            def.triangles = bodies[b].triangles;
            def.triangle_count = bodies[b].count;
            def.weld = welded;
            snag_body_id id;
            assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
            assert_same(world, distance_question(), SNAG_METHOD_BRUTE);
            any_question near = any_default(SNAG_PROXIMITIES);
            near.within = 0.6;
            assert_same(world, near, SNAG_METHOD_BRUTE);
            snag_shape_free(&ball);
            snag_world_destroy(world);
        }
}

static void coordinates_from_the_least_to_the_greatest(void **state)
{
    (void)state;
    static const double scales[] = {5e-324, 1e-300, 1e-40, 1e18, 1e38, 1e154, 5e307};
    snag__random random = {75};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        scene s = make_scene(small_box, few_triangles, 1.5, 0.1, 0.2, 1);
        for (int step = 0; step < 2; step++) {
            for (int body = 0; body < 2; body++) {
                scene_shake(&s.shapes[body], 0.01, &random);
                snag_shape scaled = s.shapes[body];
                scaled.positions = malloc(3 * scaled.vertex_count * sizeof(double));
                for (size_t k = 0; k < 3 * scaled.vertex_count; k++)
                    // The second may stay small: its distance from what is huge is a matter of rounding.
                    scaled.positions[k] = s.shapes[body].positions[k] * (body == 1 && i % 2 == 1 ? 1 : scales[i]);
                assert_int_equal(snag_world_move(s.world, s.ids[body], positions_of(&scaled)), SNAG_OK);
                free(scaled.positions);
            }
            assert_same(s.world, distance_question(), SNAG_METHOD_BRUTE);
        }
        free_scene(&s);
    }
}

// ---- the paper's rule ----

static any_question paper_question(double first, double second, double third)
{
    any_question ask = distance_question();
    ask.method = SNAG_METHOD_REGIONS;
    ask.regions = SNAG_REGIONS_PAPER;
    ask.epsilon_count = 3;
    ask.epsilon[0] = first;
    ask.epsilon[1] = second;
    ask.epsilon[2] = third;
    return ask;
}

static void short_epsilons_miss_and_long_ones_find_too_much(void **state)
{
    (void)state;
    scene s = make_scene(fine_torus, fine_ball, 1, 0, 1.12, 1);
    any_question exact = distance_question();
    exact.method = SNAG_METHOD_REGIONS;
    double distance = ask_world(s.world, &exact)->contacts[0].value;
    assert_true(distance > 0.005 && distance < 0.1);
    any_question ask = paper_question(10, 10, 0.5);
    const snag_answer *answer = ask_world(s.world, &ask);
    assert_int_equal(answer->count, 1);
    assert_false(answer->complete);
    assert_true(answer->contacts[0].value >= distance && answer->contacts[0].value < 0.5);
    size_t opened = answer->statistics->regions_opened[1], collisions = answer->statistics->region_contacts;
    assert_true(answer->statistics->regions_opened[0] == 1 && opened > 0 && collisions > 0);
    size_t leaves = answer->statistics->regions_opened[2];
    assert_true(answer->statistics->lab->epsilon[0] == 10 && answer->statistics->lab->epsilon[1] == 10 &&
                answer->statistics->lab->epsilon[2] == 0);
    ask = paper_question(10, 0.5, 0.5);  // leaves of level 2 are opened by the second
    answer = ask_world(s.world, &ask);
    assert_int_equal(answer->statistics->regions_opened[1], opened);
    assert_true(answer->statistics->regions_opened[2] < leaves && answer->statistics->region_contacts <= collisions);
    ask = paper_question(0.1, 0.1, 0.1);  // they are nearer than that, but the middle vertices of level 1 are not: missed
    answer = ask_world(s.world, &ask);
    assert_int_equal(answer->count, 0);
    assert_true(answer->statistics->regions_opened[1] < opened);
    ask = paper_question(10, 10, 2);  // far more than there is
    assert_true(ask_world(s.world, &ask)->statistics->region_contacts > collisions);
    ask.epsilon_count = 0;  // from the radii of the regions
    ask.distance = 0.5;
    answer = ask_world(s.world, &ask);
    assert_int_equal(answer->count, 1);
    assert_true(answer->statistics->lab->epsilon[0] > answer->statistics->lab->epsilon[1] &&
                answer->statistics->lab->epsilon[1] > 0);

    ask = paper_question(1, 2, 1);
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask = paper_question(NAN, 1, 1);
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask = paper_question(1, 1, -1);
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    ask.epsilon_count = 9;
    assert_int_equal(any_ask(s.world, &ask, &answer), SNAG_ERROR_ARGUMENT);
    snag_lab lab = snag_default_lab();
    lab.regions = SNAG_REGIONS_PAPER;
    snag_kdop_options options = snag_default_kdop_options();
    options.head.lab = &lab;
    snag_question_def plain = snag_default_question_def(SNAG_DISTANCE);
    plain.method = SNAG_METHOD_KDOP;
    plain.options = &options.head;
    assert_int_equal(snag_world_ask(s.world, &plain, &answer), SNAG_ERROR_UNSUPPORTED);
    free_scene(&s);
}

static void lines_join_middle_vertices_of_compared_regions(void **state)
{
    (void)state;
    scene s = make_scene(small_torus, ball, 2.5, 0, 0, 1);
    any_question ask = distance_question();
    ask.method = SNAG_METHOD_REGIONS;
    assert_int_equal(ask_world(s.world, &ask)->statistics->lab->line_count, 0);
    ask.lines = true;
    for (int round = 0; round < 2; round++) {
        const snag_answer *answer = ask_world(s.world, &ask);
        size_t sum = 0;
        for (int level = 0; level < SNAG_REGION_LEVELS; level++)
            sum += answer->statistics->regions_opened[level];
        assert_true(answer->statistics->lab->line_count == sum && sum > 4);
        for (size_t i = 0; i < answer->statistics->lab->line_count; i++) {
            const snag_region_line *line = &answer->statistics->lab->lines[i];
            const double *ends[2] = {line->from, line->to};
            for (int body = 0; body < 2; body++) {
                bool vertex = false;
                for (size_t v = 0; v < s.shapes[body].vertex_count; v++)
                    vertex |= memcmp(ends[body], s.shapes[body].positions + 3 * v, 3 * sizeof(double)) == 0;
                assert_true(vertex);
            }
        }
    }
    free_scene(&s);
}

// ---- real surfaces ----

static void surfaces_of_the_data_in_pairs(void **state)
{
    (void)state;
    const char *data = getenv("SNAG_DATA");
    if (data == NULL || *data == '\0') {
        print_message("SNAG_DATA is not set: no real surfaces\n");
        skip();
    }
    static const char *const files[] = {"clean/borromean.obj",
                                        "clean/hopf.obj",
                                        "clean/doubletorus10k.obj",
                                        "clean/two-cubes-close.ply",
                                        "mesh_mesh/env.obj",
                                        "mesh_mesh/rob.obj",
                                        "self_int/klein_bottle_blocky.obj",
                                        "self_int/two_spheres.obj",
                                        "self_int/octagonal_pocket.stl",
                                        "self_int/tshirt1900-biFolded.obj"};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snag_io_mesh mesh;
        snag_io_error error;
        snprintf(path, sizeof path, "%s/%s", data, files[i]);
        if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        for (size_t b = 0; b < mesh.body_count && b < 3; b++) {
            const snag_io_body *body = &mesh.bodies[b];
            // To one size, one beside the other and some through each other.
            double lo[3], hi[3], size = 0;
            for (int axis = 0; axis < 3; axis++) {
                lo[axis] = INFINITY;
                hi[axis] = -INFINITY;
                for (size_t v = 0; v < body->vertex_count; v++) {
                    lo[axis] = fmin(lo[axis], body->positions[3 * v + (size_t)axis]);
                    hi[axis] = fmax(hi[axis], body->positions[3 * v + (size_t)axis]);
                }
                size = fmax(size, hi[axis] - lo[axis]);
            }
            for (size_t v = 0; v < body->vertex_count; v++)
                for (int axis = 0; axis < 3; axis++) {
                    double *x = &body->positions[3 * v + (size_t)axis];
                    *x = (*x - lo[axis]) / size + (axis == 0 ? 0.8 * (double)i : 0);
                }
            add_polygons(world, body->positions, body->vertex_count, body->polygon_sizes, body->polygon_vertices,
                         body->polygon_sizes != NULL ? body->polygon_count : 0);
            if (body->polygon_sizes == NULL) {
                snag_body_def def = snag_default_body_def();
                def.positions = snag_positions_f64(body->positions, body->vertex_count);
                def.triangles = body->polygon_vertices;
                def.triangle_count = body->polygon_count;
                snag_body_id id;
                assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
            }
        }
        snag_io_mesh_free(&mesh);
    }
    assert_true(assert_same(world, distance_question(), SNAG_METHOD_KDOP) > 40);
    any_question near = any_default(SNAG_PROXIMITIES);
    near.distance = 0.004;
    near.self = false;
    assert_true(assert_same(world, near, SNAG_METHOD_KDOP) > 100);
    snag_world_destroy(world);
}

// ---- memory ----

static snag_status whole_cycle(const snag_allocator *allocator, void *context)
{
    (void)context;
    snag_world_def def = snag_default_world_def();
    def.allocator = *allocator;
    def.threads = 1;
    snag_world *world = NULL;
    snag_status status = snag_world_create(&def, &world);
    snag_shape shapes[3];
    snag_body_id ids[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(snag_shape_icosphere(2, 0.5, &shapes[i]), SNAG_OK);
        snag_shape_transform(&shapes[i], 1, 1.1 * i, 0, 0);
        if (status == SNAG_OK)
            status = scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]);
    }
    for (int step = 0; step < 3 && status == SNAG_OK; step++) {
        snag_shape_transform(&shapes[0], 1, 0.001, 0, 0);
        status = snag_world_move(world, ids[0], positions_of(&shapes[0]));
        any_question asks[3] = {distance_question(), distance_question(), any_default(SNAG_PROXIMITIES)};
        asks[1].closest = 1;
        asks[2].distance = 0.2;
        for (int i = 0; i < 3 && status == SNAG_OK; i++) {
            const snag_answer *answer = NULL;
            asks[i].method = SNAG_METHOD_REGIONS;
            status = any_ask(world, &asks[i], &answer);
        }
    }
    if (status == SNAG_OK)
        status = snag_world_remove(world, ids[1]);
    const snag_answer *answer = NULL;
    any_question ask = distance_question();
    ask.method = SNAG_METHOD_REGIONS;
    if (status == SNAG_OK)
        status = any_ask(world, &ask, &answer);
    for (int i = 0; i < 3; i++)
        snag_shape_free(&shapes[i]);
    snag_world_destroy(world);
    return status;
}

static void an_allocator_that_fails_anywhere_leaves_a_status(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(whole_cycle, NULL) > 20);
}

// ---- regions that deformation has spoilt ----

// A sheet whose parts of an eighth, which are its leaves, are blown up around their middles.
static snag_shape blown_up(double by)
{
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(24, 24, 1, 1, &sheet), SNAG_OK);
    for (size_t v = 0; v < sheet.vertex_count; v++)
        for (int axis = 0; axis < 2; axis++) {
            double *x = &sheet.positions[3 * v + (size_t)axis], part = floor(8 * (*x + 0.5) * 0.9999);
            double middle = (part + 0.5) / 8 - 0.5;
            *x = middle + (*x - middle) * (1 + by);
        }
    return sheet;
}

// The list of two sheets still holds when a ball comes near one of them, whose regions are found to be spoilt while the bounds
// for the ball are made: they must stay until the leaves that the list names have been looked at.
static void spoil_while_a_list_holds(double x, double y, double z, bool ball_first)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_shape ball, other, sheet = blown_up(0);
    assert_int_equal(snag_shape_icosphere(1, 0.05, &ball), SNAG_OK);
    assert_int_equal(snag_shape_sheet(20, 20, 1, 1, &other), SNAG_OK);
    snag_shape_transform(&other, 1, 0.01, 0.02, 0.012);
    snag_shape_transform(&ball, 1, 50, 50, 50);
    snag_body_id ball_id = {0};
    if (ball_first)
        ball_id = add(world, &ball);
    snag_body_id id = add(world, &sheet);
    add(world, &other);
    if (!ball_first)
        ball_id = add(world, &ball);
    any_question ask = any_default(SNAG_PROXIMITIES);
    ask.distance = 0.02;
    ask.self = false;
    const double steps[] = {0, 0.1, 0.85, 0.86};
    for (int i = 0; i < 4; i++) {
        snag_shape now = blown_up(steps[i]);
        assert_int_equal(snag_world_move(world, id, positions_of(&now)), SNAG_OK);
        snag_shape_free(&now);
        if (i == 2) {
            snag_shape_transform(&ball, 1, x - 50, y - 50, z - 50);
            assert_int_equal(snag_world_teleport(world, ball_id, positions_of(&ball)), SNAG_OK);
        }
        assert_true(assert_same(world, ask, SNAG_METHOD_KDOP) > 100);
    }
    snag_world_destroy(world);
    snag_shape_free(&ball);
    snag_shape_free(&other);
    snag_shape_free(&sheet);
}

static void spoilt_regions_stay_while_lists_name_their_leaves(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        spoil_while_a_list_holds(i % 2 == 0 ? 0.45 : -0.45, i / 2 % 2 == 0 ? 0.45 : -0.45, -0.06, i >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spoilt_regions_stay_while_lists_name_their_leaves),
        cmocka_unit_test(bodies_apart_interlocked_nested_touching_and_through_each_other),
        cmocka_unit_test(a_crushed_body_is_divided_anew),
        cmocka_unit_test(only_pairs_of_bodies_that_are_asked_for),
        cmocka_unit_test(clouds_single_vertices_coincident_ones_components_and_bent_quads),
        cmocka_unit_test(triangles_that_are_one_vertex),
        cmocka_unit_test(coordinates_from_the_least_to_the_greatest),
        cmocka_unit_test(short_epsilons_miss_and_long_ones_find_too_much),
        cmocka_unit_test(lines_join_middle_vertices_of_compared_regions),
        cmocka_unit_test(surfaces_of_the_data_in_pairs),
        cmocka_unit_test(an_allocator_that_fails_anywhere_leaves_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
