// The calls of snag/queries.h: what they refuse and with which words, budgets, memory, and bodies that come and go.
#include "helpers/clock.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"
#include "snag/snag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static snag_world *make_world(const snag_allocator *allocator)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 2;
    if (allocator != NULL)
        def.allocator = *allocator;
    snag_world *world = NULL;
    return snag_world_create(&def, &world) == SNAG_OK ? world : NULL;
}

static snag_status add_shape(snag_world *world, const snag_shape *shape, const char *name, snag_body_id *id)
{
    snag_body_def def = snag_default_body_def();
    def.name = name;
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->tet_count > 0 ? NULL : shape->triangles;
    def.triangle_count = shape->tet_count > 0 ? 0 : shape->triangle_count;
    def.tets = shape->tets;
    def.tet_count = shape->tet_count;
    return snag_world_add(world, &def, id);
}

static snag_body_id add_box(snag_world *world)
{
    snag_shape box;
    snag_body_id id;
    assert_int_equal(snag_shape_box(2, 2, 2, 2, &box), SNAG_OK);
    assert_int_equal(add_shape(world, &box, "box", &id), SNAG_OK);
    snag_shape_free(&box);
    return id;
}

static void assert_says(const snag_world *world, const char *part)
{
    if (strstr(snag_world_message(world), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", snag_world_message(world), part);
}

static const double origin[3] = {0, 0, 0};

static void points_are_checked(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    snag_body_id box = add_box(world);
    snag_closest_def def = snag_default_closest_def();
    snag_closest results[3];
    snag_side sides[3];
    double numbers[3], points[9] = {0, 0, 0, 1, NAN, 0, 0, 0, 0};
    snag_positions view = snag_positions_f64(points, 3);
    assert_int_equal(snag_world_closest(world, &def, view, results, NULL), SNAG_ERROR_NOT_FINITE);
    assert_says(world, "closest: point 1 is not finite");
    points[4] = INFINITY;
    assert_int_equal(snag_world_contains(world, box, view, sides), SNAG_ERROR_NOT_FINITE);
    assert_says(world, "contains: point 1");
    assert_int_equal(snag_world_winding(world, box, view, numbers), SNAG_ERROR_NOT_FINITE);
    points[4] = 0;
    view.stride = 8;
    assert_int_equal(snag_world_closest(world, &def, view, results, NULL), SNAG_ERROR_ARGUMENT);
    assert_says(world, "stride of 8");
    view.stride = 24;
    view.scalar = (snag_scalar)7;
    assert_int_equal(snag_world_closest(world, &def, view, results, NULL), SNAG_ERROR_ARGUMENT);
    view.scalar = SNAG_F64;
    view.data = NULL;
    assert_int_equal(snag_world_closest(world, &def, view, results, NULL), SNAG_ERROR_ARGUMENT);
    view.data = points;
    assert_int_equal(snag_world_closest(world, &def, view, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_closest(world, NULL, view, results, NULL), SNAG_ERROR_ARGUMENT);
    for (int i = 0; i < 2; i++) {
        def.within = i == 0 ? NAN : -1;
        assert_int_equal(snag_world_closest(world, &def, view, results, NULL), SNAG_ERROR_ARGUMENT);
        assert_says(world, "within");
    }
    snag_closest_def zero = {0};
    assert_int_equal(snag_world_closest(world, &zero, view, results, NULL), SNAG_ERROR_ARGUMENT);
    assert_says(world, "snag_default_closest_def");
    // No points at all are fine, and so are those of an array of structs, in floats.
    def.within = INFINITY;
    assert_int_equal(snag_world_closest(world, &def, (snag_positions){0}, NULL, NULL), SNAG_OK);
    const float floats[2][5] = {{3, 0, 0, 9, 9}, {0, 0, 4, 9, 9}};
    assert_int_equal(snag_world_closest(world, &def, (snag_positions){floats, 2, sizeof floats[0], SNAG_F32}, results, NULL),
                     SNAG_OK);
    assert_true(results[0].distance == 2 && results[1].distance == 3);
    snag_world_destroy(world);
}

static void rays_are_checked(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    add_box(world);
    snag_cast_def def = snag_default_cast_def();
    snag_hit hits[2];
    uint8_t any[2];
    const snag_hit_lists *lists;
    snag_ray rays[2] = {{{0, 0, 5}, {0, 0, -1}, INFINITY}, {{0, 0, 5}, {0, 0, 0}, INFINITY}};
    assert_int_equal(snag_world_cast(world, &def, rays, 2, hits, NULL), SNAG_ERROR_ARGUMENT);
    assert_says(world, "direction of ray 1 is zero");
    assert_int_equal(snag_world_cast_any(world, &def, rays, 2, any, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_cast_all(world, &def, rays, 2, &lists), SNAG_ERROR_ARGUMENT);
    rays[1].direction[0] = NAN;
    assert_int_equal(snag_world_cast(world, &def, rays, 2, hits, NULL), SNAG_ERROR_NOT_FINITE);
    assert_says(world, "ray 1 is not finite");
    rays[1].direction[0] = 1;
    rays[1].limit = NAN;
    assert_int_equal(snag_world_cast(world, &def, rays, 2, hits, NULL), SNAG_ERROR_ARGUMENT);
    assert_says(world, "limit");
    rays[1].limit = -1;
    assert_int_equal(snag_world_cast(world, &def, rays, 2, hits, NULL), SNAG_ERROR_ARGUMENT);
    def.segments = true;
    rays[0].limit = 1;
    rays[1] = (snag_ray){{1, 2, 3}, {1, 2, 3}, 1};
    assert_int_equal(snag_world_cast(world, &def, rays, 2, hits, NULL), SNAG_ERROR_ARGUMENT);
    assert_says(world, "ends of segment 1 are the same point");
    rays[1] = (snag_ray){{1, 2, 3}, {1, 2, 4}, 2};
    assert_int_equal(snag_world_cast(world, &def, rays, 2, hits, NULL), SNAG_ERROR_ARGUMENT);
    rays[1].limit = 1;
    assert_int_equal(snag_world_cast(world, &def, NULL, 2, hits, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_cast(world, &def, rays, 2, NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_cast(world, NULL, rays, 2, hits, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_cast_all(world, &def, rays, 2, NULL), SNAG_ERROR_ARGUMENT);
    snag_cast_def zero = {0};
    assert_int_equal(snag_world_cast_all(world, &zero, rays, 2, &lists), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_cast(world, &def, rays, 2, hits, NULL), SNAG_OK);
    assert_true(fabs(hits[0].t - 2.0 / 3) < 1e-12 && hits[0].facing == 1 && hits[1].body.index == 0);
    snag_world_destroy(world);
}

static void shapes_are_checked(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    add_box(world);
    snag_overlap_def def = snag_default_overlap_def(), zero = {0};
    const snag_overlap_lists *lists;
    snag_box box = {{0, 0, 1}, {1, 1, 0}};
    snag_sphere sphere = {{0, 0, 0}, -1};
    assert_int_equal(snag_world_overlap_boxes(world, &def, &box, 1, &lists), SNAG_ERROR_ARGUMENT);
    assert_says(world, "box 0 has lo above hi along z");
    box.hi[2] = NAN;
    assert_int_equal(snag_world_overlap_boxes(world, &def, &box, 1, &lists), SNAG_ERROR_NOT_FINITE);
    assert_int_equal(snag_world_overlap_spheres(world, &def, &sphere, 1, &lists), SNAG_ERROR_ARGUMENT);
    assert_says(world, "radius -1");
    sphere.radius = INFINITY;
    assert_int_equal(snag_world_overlap_spheres(world, &def, &sphere, 1, &lists), SNAG_ERROR_NOT_FINITE);
    sphere.radius = 0.5;
    assert_int_equal(snag_world_overlap_spheres(world, &zero, &sphere, 1, &lists), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_overlap_spheres(world, &def, NULL, 1, &lists), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_overlap_spheres(world, &def, &sphere, 1, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_overlap_spheres(world, &def, &sphere, 1, &lists), SNAG_OK);
    assert_int_equal(lists->start[1], 1);
    assert_int_equal(lists->items[0].triangle, SNAG_NO_TRIANGLE);
    assert_int_equal(snag_world_overlap_spheres(world, &def, NULL, 0, &lists), SNAG_OK);
    assert_int_equal(lists->start[0], 0);
    snag_world_destroy(world);
}

static snag_status read_nothing(void *context, size_t block, double *to)
{
    (void)context, (void)block, (void)to;
    return SNAG_ERROR_FILE;
}

static void bodies_are_checked(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    snag_body_id box = add_box(world), gone = add_box(world), sheet;
    assert_int_equal(snag_world_remove(world, gone), SNAG_OK);
    snag_closest_def def = snag_default_closest_def();
    snag_closest result;
    snag_side side;
    snag_enclosure enclosure;
    double number;
    const snag_positions point = snag_positions_f64(origin, 1);
    def.bodies = &gone;
    def.body_count = 1;
    assert_int_equal(snag_world_closest(world, &def, point, &result, NULL), SNAG_ERROR_BODY);
    assert_says(world, "removed");
    assert_int_equal(snag_world_contains(world, gone, point, &side), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_winding(world, (snag_body_id){0, 0}, point, &number), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_enclosure(world, gone, &enclosure), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_enclosure(world, box, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_contains(world, box, point, NULL), SNAG_ERROR_ARGUMENT);
    def.bodies = NULL;
    assert_int_equal(snag_world_closest(world, &def, point, &result, NULL), SNAG_ERROR_ARGUMENT);
    def.body_count = 0;
    assert_int_equal(snag_world_nested(world, NULL, NULL), SNAG_ERROR_ARGUMENT);

    // An open surface has no inside; asked for a sign it has none.
    snag_shape shape;
    snag_shape_sheet(2, 2, 1, 1, &shape);
    assert_int_equal(add_shape(world, &shape, "sheet", &sheet), SNAG_OK);
    snag_shape_free(&shape);
    assert_int_equal(snag_world_contains(world, sheet, point, &side), SNAG_ERROR_UNSUPPORTED);
    assert_says(world, "sheet is open (8 edges");
    def.sign = true;
    def.bodies = &sheet;
    def.body_count = 1;
    const double above[3] = {0.1, 0.2, 3};
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(above, 1), &result, NULL), SNAG_OK);
    assert_true(result.distance == 3 && result.side == SNAG_SIDE_NONE);

    snag_source_def source = snag_default_source_def();
    source.read = read_nothing;
    source.name = "on disk";
    snag_body_id disk;
    assert_int_equal(snag_world_add_source(world, &source, &disk), SNAG_OK);
    assert_int_equal(snag_world_closest(world, &def, point, &result, NULL), SNAG_OK);  // of the sheet alone
    def.bodies = NULL;
    def.body_count = 0;
    assert_int_equal(snag_world_closest(world, &def, point, &result, NULL), SNAG_ERROR_UNSUPPORTED);
    assert_says(world, "on disk stays on disk");
    assert_int_equal(snag_world_contains(world, disk, point, &side), SNAG_ERROR_UNSUPPORTED);
    snag_world_destroy(world);
}

static void an_empty_world_has_nothing_to_find(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    snag_closest_def closest = snag_default_closest_def();
    snag_cast_def cast = snag_default_cast_def();
    snag_closest result;
    snag_hit hit;
    const snag_ray ray = {{0, 0, 0}, {1, 0, 0}, INFINITY};
    const snag_nested *nested;
    size_t count = 1;
    assert_int_equal(snag_world_closest(world, &closest, snag_positions_f64(origin, 1), &result, NULL), SNAG_OK);
    assert_true(result.body.index == 0 && isinf(result.distance));
    assert_int_equal(snag_world_cast(world, &cast, &ray, 1, &hit, NULL), SNAG_OK);
    assert_true(hit.body.index == 0 && isinf(hit.t));
    assert_int_equal(snag_world_nested(world, &nested, &count), SNAG_OK);
    assert_int_equal(count, 0);
    snag_world_destroy(world);
}

// ---- budgets ----

static bool stop_at_half(void *context, double done)
{
    *(double *)context = done;
    return done < 0.5;
}

static void budget_and_progress_end_a_query_early(void **state)
{
    (void)state;
    enum { MANY = 50000 };
    static double points[MANY][3];
    static snag_closest results[MANY];
    static snag_ray rays[MANY];
    static uint8_t any[MANY];
    snag_world *world = make_world(NULL);
    add_box(world);
    for (int i = 0; i < MANY; i++) {
        points[i][0] = 2 + i;
        rays[i] = (snag_ray){{0, 0, 2.0 + i}, {0, 0, -1}, INFINITY};
    }
    snag_closest_def def = snag_default_closest_def();
    size_t answered = 0;
    double done = 0;
    def.progress = stop_at_half;
    def.context = &done;
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(points[0], MANY), results, NULL), SNAG_ERROR_ARGUMENT);
    assert_says(world, "answered");
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(points[0], MANY), results, &answered), SNAG_OK);
    assert_true(answered >= MANY / 2 && answered < MANY && done == (double)answered / MANY);
    for (size_t i = 0; i < answered; i++)
        assert_true(results[i].distance == 1 + (double)i);
    test_clock clock = {.us_of_a_look = 1000};
    test_clock_set(world, &clock);
    snag_cast_def cast = snag_default_cast_def();
    cast.budget_us = 1500;
    assert_int_equal(snag_world_cast_any(world, &cast, rays, MANY, any, &answered), SNAG_OK);
    assert_true(answered > 0 && answered < MANY);
    for (size_t i = 0; i < answered; i++)
        assert_int_equal(any[i], 1);
    const snag_hit_lists *lists;
    assert_int_equal(snag_world_cast_all(world, &cast, rays, MANY, &lists), SNAG_OK);
    assert_true(lists->answered > 0 && lists->answered < MANY);
    assert_int_equal(lists->start[lists->answered], 16 * lists->answered);  // through a vertex of eight triangles, twice
    snag_world_destroy(world);
}

// ---- memory ----

typedef struct query_set {
    snag_shape shapes[3];
} query_set;

// All queries once, with every call that may fail.
static snag_status run_queries(snag_world *world, const snag_body_id ids[3])
{
    static const double points[4][3] = {{0, 0, 0}, {0.1, 0.2, 0.3}, {5, 5, 5}, {0, 0, 1}};
    const snag_positions view = snag_positions_f64(points[0], 4);
    const snag_ray rays[2] = {{{0, 0, 5}, {0, 0, -1}, INFINITY}, {{5, 0.1, 0.2}, {-1, 0, 0}, INFINITY}};
    const snag_box box = {{-3, -3, -3}, {3, 3, 3}};
    const snag_sphere sphere = {{0, 0, 0}, 3};
    snag_closest_def closest = snag_default_closest_def();
    snag_cast_def cast = snag_default_cast_def();
    snag_overlap_def overlap = snag_default_overlap_def();
    snag_closest results[4];
    snag_hit hits[2];
    snag_side sides[4];
    double numbers[4];
    const snag_hit_lists *lists;
    const snag_overlap_lists *overlaps;
    const snag_nested *nested;
    size_t count;
    overlap.elements = true;
    closest.sign = true;
    snag_status status = snag_world_closest(world, &closest, view, results, NULL);
    closest.bodies = ids;
    closest.body_count = 2;
    status = status != SNAG_OK ? status : snag_world_closest(world, &closest, view, results, NULL);
    status = status != SNAG_OK ? status : snag_world_cast(world, &cast, rays, 2, hits, NULL);
    status = status != SNAG_OK ? status : snag_world_cast_all(world, &cast, rays, 2, &lists);
    status = status != SNAG_OK ? status : snag_world_contains(world, ids[1], view, sides);
    status = status != SNAG_OK ? status : snag_world_winding(world, ids[2], view, numbers);
    status = status != SNAG_OK ? status : snag_world_overlap_boxes(world, &overlap, &box, 1, &overlaps);
    status = status != SNAG_OK ? status : snag_world_overlap_spheres(world, &overlap, &sphere, 1, &overlaps);
    return status != SNAG_OK ? status : snag_world_nested(world, &nested, &count);
}

static snag_status query_cycle(const snag_allocator *allocator, void *context)
{
    query_set *set = context;
    snag_world *world = make_world(allocator);
    snag_body_id ids[3];
    snag_status status = world != NULL ? SNAG_OK : SNAG_ERROR_MEMORY;
    for (int i = 0; i < 3 && status == SNAG_OK; i++)
        status = add_shape(world, &set->shapes[i], NULL, &ids[i]);
    if (status == SNAG_OK)
        status = run_queries(world, ids);
    snag_world_destroy(world);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    query_set set;
    snag_shape_box(2, 2, 2, 2, &set.shapes[0]);
    snag_shape_block(1, 1, 1, 0.5, &set.shapes[1]);
    snag_shape_sheet(3, 3, 4, 4, &set.shapes[2]);
    assert_true(failing_allocator_sweep(query_cycle, &set) > 20);
    for (int i = 0; i < 3; i++)
        snag_shape_free(&set.shapes[i]);
}

static void warm_queries_allocate_nothing(void **state)
{
    (void)state;
    query_set set;
    snag_shape_box(2, 2, 2, 2, &set.shapes[0]);
    snag_shape_block(1, 1, 1, 0.5, &set.shapes[1]);
    snag_shape_sheet(3, 3, 4, 4, &set.shapes[2]);
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_world *world = make_world(&allocator);
    snag_body_id ids[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(add_shape(world, &set.shapes[i], NULL, &ids[i]), SNAG_OK);
    size_t calls = 0;
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < 3; i++) {
            snag_shape_transform(&set.shapes[i], 1, 0.001, 0, 0);
            assert_int_equal(
                snag_world_move(world, ids[i], snag_positions_f64(set.shapes[i].positions, set.shapes[i].vertex_count)), SNAG_OK);
        }
        assert_int_equal(run_queries(world, ids), SNAG_OK);
        if (step == 1)
            calls = memory.calls;
    }
    assert_int_equal(memory.calls, calls);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
    for (int i = 0; i < 3; i++)
        snag_shape_free(&set.shapes[i]);
}

// ---- bodies come and go ----

static void clouds_and_removed_bodies_do_not_confuse_insides(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    snag_body_id first = add_box(world), box = add_box(world), cloud;
    const snag_positions point = snag_positions_f64(origin, 1);
    snag_side side;
    assert_int_equal(snag_world_contains(world, box, point, &side), SNAG_OK);
    assert_int_equal(side, SNAG_SIDE_INSIDE);
    assert_int_equal(snag_world_remove(world, first), SNAG_OK);
    snag_body_def def = snag_default_body_def();  // takes the slot before the box
    const double far[3] = {0, 0, 0.25};
    def.positions = snag_positions_f64(far, 1);
    assert_int_equal(snag_world_add(world, &def, &cloud), SNAG_OK);
    assert_int_equal(cloud.index, first.index);
    assert_int_equal(snag_world_contains(world, box, point, &side), SNAG_OK);
    assert_int_equal(side, SNAG_SIDE_INSIDE);
    assert_int_equal(snag_world_contains(world, cloud, point, &side), SNAG_ERROR_UNSUPPORTED);
    snag_closest_def ask = snag_default_closest_def();
    snag_closest result;
    assert_int_equal(snag_world_closest(world, &ask, point, &result, NULL), SNAG_OK);
    assert_true(result.body.index == cloud.index && result.element.kind == SNAG_VERTEX && result.distance == 0.25);
    const snag_nested *nested;
    size_t count;
    assert_int_equal(snag_world_nested(world, &nested, &count), SNAG_OK);
    assert_true(count == 1 && nested[0].inner.index == cloud.index && nested[0].depth == 0.75);
    snag_world_destroy(world);
}

// A body of a triangle, a rod and a point: the closest of them is found; rays hit the triangle alone.
static void rods_and_points_are_found(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    const double x[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {5, 0, 4}, {9, 0, 0}};
    const uint32_t triangle[3] = {0, 1, 2}, rod[2] = {4, 3}, point[1] = {5};
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(x[0], 6);
    def.triangles = triangle;
    def.triangle_count = 1;
    def.edges = rod;
    def.edge_count = 1;
    def.points = point;
    def.point_count = 1;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    const double p[4][3] = {{0.25, 0.25, 1}, {6, 0, 1}, {5, 0, 6}, {9, 2, 0}};
    snag_closest_def ask = snag_default_closest_def();
    snag_closest found[4];
    ask.sign = true;
    assert_int_equal(snag_world_closest(world, &ask, snag_positions_f64(p[0], 4), found, NULL), SNAG_OK);
    assert_true(found[0].element.kind == SNAG_TRIANGLE && found[0].distance == 1 && found[0].side == SNAG_SIDE_NONE);
    assert_true(found[1].element.kind == SNAG_EDGE && found[1].element.index == info.rods[0] && found[1].kind == SNAG_VERTEX_EDGE);
    assert_true(found[1].element.vertex[0] == 3 && found[1].element.vertex[1] == 4 && found[1].distance == 1);
    assert_true(found[1].weight[0] == 0.75 && found[1].weight[1] == 0.25 && found[1].weight[2] == 0 && found[1].point[2] == 1);
    assert_true(found[2].element.kind == SNAG_EDGE && found[2].kind == SNAG_VERTEX_VERTEX && found[2].weight[1] == 1);
    assert_true(found[3].element.kind == SNAG_VERTEX && found[3].element.index == 5 && found[3].weight[0] == 1 &&
                found[3].distance == 2);
    const snag_ray rays[2] = {{{5, -1, 1}, {0, 1, 0}, INFINITY}, {{0.25, 0.25, 1}, {0, 0, -1}, INFINITY}};
    snag_cast_def cast = snag_default_cast_def();
    uint8_t any[2];
    assert_int_equal(snag_world_cast_any(world, &cast, rays, 2, any, NULL), SNAG_OK);
    assert_true(any[0] == 0 && any[1] == 1);
    // A rod beside a closed surface leaves it closed.
    snag_enclosure enclosure;
    snag_shape box;
    assert_int_equal(snag_shape_box(1, 2, 2, 2, &box), SNAG_OK);
    def = snag_default_body_def();
    const uint32_t diagonal[2] = {0, 7};
    def.positions = snag_positions_f64(box.positions, box.vertex_count);
    def.triangles = box.triangles;
    def.triangle_count = box.triangle_count;
    def.edges = diagonal;
    def.edge_count = 1;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(snag_world_enclosure(world, id, &enclosure), SNAG_OK);
    assert_true(enclosure.closed && enclosure.oriented);
    snag_shape_free(&box);
    snag_world_destroy(world);
}

static bool call_back(void *context, double done)
{
    (void)done;
    snag_world *world = context;
    const snag_nested *nested;
    size_t count;
    assert_int_equal(snag_world_nested(world, &nested, &count), SNAG_ERROR_BUSY);
    return true;
}

static void queries_from_callbacks_are_refused(void **state)
{
    (void)state;
    snag_world *world = make_world(NULL);
    add_box(world);
    snag_closest_def def = snag_default_closest_def();
    snag_closest result;
    size_t answered;
    def.progress = call_back;
    def.context = world;
    assert_int_equal(snag_world_closest(world, &def, snag_positions_f64(origin, 1), &result, &answered), SNAG_OK);
    assert_int_equal(answered, 1);
    snag_world_destroy(world);
}

static void sides_have_names(void **state)
{
    (void)state;
    assert_string_equal(snag_side_name(SNAG_SIDE_OUTSIDE), "outside");
    assert_string_equal(snag_side_name(SNAG_SIDE_INSIDE), "inside");
    assert_string_equal(snag_side_name(SNAG_SIDE_ON), "on");
    assert_string_equal(snag_side_name(SNAG_SIDE_NONE), "none");
    assert_string_equal(snag_side_name((snag_side)9), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_checked),
        cmocka_unit_test(rays_are_checked),
        cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(bodies_are_checked),
        cmocka_unit_test(an_empty_world_has_nothing_to_find),
        cmocka_unit_test(budget_and_progress_end_a_query_early),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(warm_queries_allocate_nothing),
        cmocka_unit_test(clouds_and_removed_bodies_do_not_confuse_insides),
        cmocka_unit_test(rods_and_points_are_found),
        cmocka_unit_test(queries_from_callbacks_are_refused),
        cmocka_unit_test(sides_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
