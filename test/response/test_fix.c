// Fixing: what intersects ends free, judged by brute intersections; what cannot be freed is named and put back; nothing else moves.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"
#include "snag/snag.h"
#include "tangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 3 };

typedef struct scene {
    snag_world *world;
    snag_response *response;
    snag_shape shapes[MOST_BODIES];
    size_t count;
    double *inverse[MOST_BODIES], *first[MOST_BODIES];
    snag_response_body bodies[MOST_BODIES];
    snag_fix_def def;
    snag_fix_report report;
} scene;

// Takes over the shapes.
static void scene_open(scene *s, const snag_shape *shapes, size_t count, uint32_t threads)
{
    memset(s, 0, sizeof *s);
    s->count = count;
    s->def = snag_default_fix_def();
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = threads;
    assert_int_equal(snag_world_create(&world_def, &s->world), SNAG_OK);
    assert_int_equal(snag_response_create(NULL, &s->response), SNAG_OK);
    for (size_t i = 0; i < count; i++) {
        s->shapes[i] = shapes[i];
        size_t vertices = shapes[i].vertex_count;
        s->inverse[i] = malloc(vertices * sizeof(double));
        s->first[i] = malloc(3 * vertices * sizeof(double));
        assert_non_null(s->inverse[i]);
        assert_non_null(s->first[i]);
        for (size_t v = 0; v < vertices; v++)
            s->inverse[i][v] = 1;
        memcpy(s->first[i], shapes[i].positions, 3 * vertices * sizeof(double));
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(shapes[i].positions, vertices);
        def.triangles = shapes[i].triangles;
        def.triangle_count = shapes[i].triangle_count;
        s->bodies[i] =
            (snag_response_body){.vertex_count = vertices, .positions = shapes[i].positions, .inverse_masses = s->inverse[i]};
        assert_int_equal(snag_world_add(s->world, &def, &s->bodies[i].body), SNAG_OK);
    }
}

static void scene_close(scene *s)
{
    snag_response_destroy(s->response);
    snag_world_destroy(s->world);
    for (size_t i = 0; i < s->count; i++) {
        free(s->inverse[i]);
        free(s->first[i]);
        snag_shape_free(&s->shapes[i]);
    }
}

// By the oracle, of the user's positions.
static size_t intersections(scene *s)
{
    for (size_t i = 0; i < s->count; i++)
        assert_int_equal(
            snag_world_teleport(s->world, s->bodies[i].body, snag_positions_f64(s->bodies[i].positions, s->bodies[i].vertex_count)),
            SNAG_OK);
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    const snag_answer *answer;
    assert_int_equal(any_ask(s->world, &ask, &answer), SNAG_OK);
    return answer->count;
}

static void fix(scene *s)
{
    if (snag_response_fix(s->response, s->world, &s->def, s->bodies, s->count, &s->report) != SNAG_OK)
        fail_msg("%s", snag_response_message(s->response));
    assert_int_equal(intersections(s), s->report.left);
}

static double move_of(const scene *s, size_t body, size_t v)
{
    const double *x = &s->bodies[body].positions[3 * v], *y = &s->first[body][3 * v];
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
}

static double largest_move(const scene *s, size_t body)
{
    double most = 0;
    for (size_t v = 0; v < s->bodies[body].vertex_count; v++)
        most = fmax(most, move_of(s, body, v));
    return most;
}

static bool is_as_it_was(const scene *s, size_t body)
{
    return memcmp(s->bodies[body].positions, s->first[body], 24 * s->bodies[body].vertex_count) == 0;
}

// Joins two shapes into one body of two parts.
static snag_shape join(snag_shape a, snag_shape b)
{
    snag_shape made = {.vertex_count = a.vertex_count + b.vertex_count, .triangle_count = a.triangle_count + b.triangle_count};
    made.positions = malloc(24 * made.vertex_count);
    made.triangles = malloc(12 * made.triangle_count);
    assert_non_null(made.positions);
    assert_non_null(made.triangles);
    memcpy(made.positions, a.positions, 24 * a.vertex_count);
    memcpy(made.positions + 3 * a.vertex_count, b.positions, 24 * b.vertex_count);
    memcpy(made.triangles, a.triangles, 12 * a.triangle_count);
    for (size_t i = 0; i < 3 * b.triangle_count; i++)
        made.triangles[3 * a.triangle_count + i] = b.triangles[i] + (uint32_t)a.vertex_count;
    snag_shape_free(&a);
    snag_shape_free(&b);
    return made;
}

static snag_shape sphere(double radius, double x, double y, double z)
{
    snag_shape made;
    assert_int_equal(snag_shape_icosphere(2, radius, &made), SNAG_OK);
    snag_shape_transform(&made, 1, x, y, z);
    return made;
}

static snag_shape cylinder(double radius, double height)
{
    snag_shape made;
    assert_int_equal(snag_shape_cylinder(12, 12, radius, height, &made), SNAG_OK);
    return made;
}

static snag_shape sheet(uint32_t cells, double z)
{
    snag_shape made;
    assert_int_equal(snag_shape_sheet(cells, cells, 2, 2, &made), SNAG_OK);
    snag_shape_transform(&made, 1, 0, 0, z);
    return made;
}

// ---- freed ----

static void tangled_cloth_is_freed_place_by_place(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            tangle t = tangle_make((tangle_kind)kind, 14, seed);
            scene s;
            scene_open(&s, t.shapes, t.count, 1);
            size_t before = intersections(&s);
            fix(&s);
            assert_int_equal(s.report.contacts, before);
            assert_int_equal(s.report.left, 0);
            assert_int_equal(s.report.freed, s.report.place_count);
            assert_true(s.report.complete);
            size_t contacts = 0;
            double most = 0;
            for (size_t i = 0; i < s.report.place_count; i++) {
                contacts += s.report.places[i].contacts;
                most = fmax(most, s.report.places[i].largest_move);
                assert_int_equal(s.report.places[i].left, 0);
                assert_int_equal(s.report.places[i].outcome, SNAG_FIX_FREED);
            }
            assert_int_equal(contacts, before);
            assert_true(most == s.report.largest_move);
            scene_close(&s);
        }
}

static void only_vertices_near_a_place_move(void **state)
{
    (void)state;
    snag_shape shapes[2] = {sheet(40, 0), sphere(0.2, 0.5, 0.5, 0.18)};
    scene s;
    scene_open(&s, shapes, 2, 1);
    fix(&s);
    assert_true(s.report.contacts > 0);
    assert_int_equal(s.report.left, 0);
    // The sheet gives way to the closed body, which stays, and so do vertices of the sheet that are ten cells away.
    assert_true(is_as_it_was(&s, 1));
    for (size_t v = 0; v < s.bodies[0].vertex_count; v++) {
        const double *x = &s.first[0][3 * v];
        if (hypot(x[0] - 0.5, x[1] - 0.5) > 0.2 + 10 * 0.05)
            assert_true(move_of(&s, 0, v) == 0);
    }
    scene_close(&s);
}

static void parts_of_one_body_and_two_bodies_come_apart_alike(void **state)
{
    (void)state;
    for (int joined = 0; joined < 2; joined++) {
        snag_shape shapes[2] = {sphere(1, 0, 0, 0), sphere(1, 1.8, 0.05, 0.02)};
        if (joined)
            shapes[0] = join(shapes[0], shapes[1]);
        scene s;
        scene_open(&s, shapes, joined ? 1 : 2, 1);
        fix(&s);
        assert_true(s.report.contacts > 0);
        assert_int_equal(s.report.left, 0);
        assert_true(s.report.largest_move < 0.5);
        scene_close(&s);
    }
}

// The winding decides, not the order of corners: a sphere whose triangles face inward is as solid as any.
static void bodies_that_face_inward_are_closed_too(void **state)
{
    (void)state;
    snag_shape shapes[2] = {sphere(1, 0, 0, 0), sphere(1, 1.8, 0.05, 0.02)};
    for (size_t t = 0; t < shapes[1].triangle_count; t++) {
        uint32_t *corner = &shapes[1].triangles[3 * t], first = corner[0];
        corner[0] = corner[1];
        corner[1] = first;
    }
    scene s;
    scene_open(&s, shapes, 2, 1);
    fix(&s);
    assert_int_equal(s.report.left, 0);
    assert_true(s.report.largest_move < 0.5);
    scene_close(&s);
}

// A flat box whose top was pushed through its bottom in the middle: the dent goes back, the box is not turned inside out.
static void a_dent_through_the_other_side_goes_back(void **state)
{
    (void)state;
    snag_shape box;
    assert_int_equal(snag_shape_box(12, 2, 2, 0.1, &box), SNAG_OK);
    for (size_t v = 0; v < box.vertex_count; v++) {
        double *x = &box.positions[3 * v];
        if (x[2] > 0.04 && hypot(x[0], x[1]) < 0.5)
            x[2] -= 0.2 * (1 - hypot(x[0], x[1]) / 0.5);
    }
    scene s;
    scene_open(&s, &box, 1, 1);
    assert_true(intersections(&s) > 0);
    fix(&s);
    assert_int_equal(s.report.left, 0);
    for (size_t v = 0; v < s.bodies[0].vertex_count; v++)
        assert_true(move_of(&s, 0, v) < 0.2);
    scene_close(&s);
}

static void what_is_free_is_left_alone(void **state)
{
    (void)state;
    snag_shape shapes[2] = {sphere(1, 0, 0, 0), sphere(1, 3, 0, 0)};
    scene s;
    scene_open(&s, shapes, 2, 1);
    fix(&s);
    assert_int_equal(s.report.contacts, 0);
    assert_int_equal(s.report.place_count, 0);
    assert_int_equal(s.report.moved, 0);
    assert_true(is_as_it_was(&s, 0) && is_as_it_was(&s, 1));
    scene_close(&s);
}

// ---- limits ----

static void held_bodies_stay_and_rigid_ones_keep_their_shape(void **state)
{
    (void)state;
    snag_shape shapes[2] = {sphere(1, 0, 0, 0), sphere(1, 1.8, 0.05, 0.02)};
    scene s;
    scene_open(&s, shapes, 2, 1);
    s.bodies[0].inverse_masses = NULL;
    s.def.rigid = &s.bodies[1].body;
    s.def.rigid_count = 1;
    fix(&s);
    assert_int_equal(s.report.left, 0);
    assert_true(is_as_it_was(&s, 0));
    assert_true(largest_move(&s, 1) > 0);
    for (size_t v = 1; v < s.bodies[1].vertex_count; v++) {
        double now[3], then[3];
        for (size_t k = 0; k < 3; k++) {
            now[k] = s.bodies[1].positions[3 * v + k] - s.bodies[1].positions[k];
            then[k] = s.first[1][3 * v + k] - s.first[1][k];
        }
        double a = sqrt(now[0] * now[0] + now[1] * now[1] + now[2] * now[2]);
        double b = sqrt(then[0] * then[0] + then[1] * then[1] + then[2] * then[2]);
        assert_true(fabs(a - b) < 1e-12);
    }
    scene_close(&s);
}

static void no_vertex_moves_farther_than_allowed(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        snag_shape shapes[2] = {sphere(1, 0, 0, 0), sphere(1, 1.5, 0.05, 0.02)};
        scene s;
        scene_open(&s, shapes, 2, 1);
        s.def.max_move = 0.01;
        s.def.rigid = &s.bodies[1].body;
        s.def.rigid_count = (size_t)rigid;
        fix(&s);
        assert_true(s.report.left > 0);
        assert_true(s.report.largest_move <= 0.01);
        assert_int_equal(s.report.places[0].outcome, SNAG_FIX_MAX_MOVE);
        scene_close(&s);
    }
}

static void a_place_within_the_limit_is_freed_beside_one_that_is_not(void **state)
{
    (void)state;
    snag_shape shapes[3] = {sphere(1, 0, 0, 0), sphere(0.4, 1.1, 0.05, 0.02), sphere(0.4, 0.68, 1.17, 0.04)};
    scene s;
    scene_open(&s, shapes, 3, 1);
    s.def.max_move = 0.06;
    fix(&s);
    assert_int_equal(s.report.place_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const snag_fix_place *place = &s.report.places[i];
        bool deep = place->centre[1] < 0.5;
        assert_int_equal(place->outcome, deep ? SNAG_FIX_MAX_MOVE : SNAG_FIX_FREED);
        assert_int_equal(place->left, deep ? place->contacts : 0);
    }
    assert_true(s.report.freed == 1 && s.report.left == intersections(&s));
    assert_true(s.report.largest_move > 0 && s.report.largest_move <= 0.06);
    assert_true(is_as_it_was(&s, 1));
    scene_close(&s);
}

static void results_are_floats_if_wanted(void **state)
{
    (void)state;
    tangle t = tangle_make(TANGLE_FOLD, 12, 3);
    scene s;
    scene_open(&s, t.shapes, t.count, 1);
    s.def.single = true;
    fix(&s);
    assert_int_equal(s.report.left, 0);
    for (size_t i = 0; i < 3 * s.bodies[0].vertex_count; i++) {
        volatile float rounded = (float)s.bodies[0].positions[i];
        assert_true((double)rounded == s.bodies[0].positions[i]);
    }
    scene_close(&s);
}

static bool stop_at_once(void *context, double done)
{
    ++*(int *)context;
    assert_true(done >= 0 && done <= 1);
    return false;
}

static bool stop_later(void *context, double done)
{
    (void)done;
    return ++*(int *)context < 12;
}

static void it_ends_when_it_is_told(void **state)
{
    (void)state;
    int calls = 0;
    tangle t = tangle_make(TANGLE_LAYERS, 14, 2);
    scene s;
    scene_open(&s, t.shapes, t.count, 1);
    s.def.progress = stop_at_once;
    s.def.context = &calls;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, s.count, &s.report), SNAG_OK);
    assert_true(calls > 0);
    assert_false(s.report.complete);
    assert_int_equal(s.report.place_count, 0);
    assert_true(is_as_it_was(&s, 0) && is_as_it_was(&s, 1));
    calls = 0;
    s.def.progress = stop_later;
    fix(&s);
    assert_false(s.report.complete);
    for (size_t i = 0; i < s.report.place_count; i++)
        assert_true(s.report.places[i].left == 0 || s.report.places[i].outcome == SNAG_FIX_TIME);
    scene_close(&s);
}

// ---- what cannot be freed ----

// A bar through a plate, both closed: recognised, and put back bit for bit.
static void what_passes_right_through_is_named_and_put_back(void **state)
{
    (void)state;
    snag_shape plate;
    assert_int_equal(snag_shape_box(14, 3, 3, 0.3, &plate), SNAG_OK);
    snag_shape shapes[2] = {plate, cylinder(0.8, 4)};
    scene s;
    scene_open(&s, shapes, 2, 1);
    s.def.max_move = 0.3;
    fix(&s);
    assert_true(s.report.left > 0);
    for (size_t i = 0; i < s.report.place_count; i++)
        if (s.report.places[i].left > 0)
            assert_int_equal(s.report.places[i].outcome, SNAG_FIX_THROUGH);
    assert_true(is_as_it_was(&s, 0) && is_as_it_was(&s, 1));
    scene_close(&s);
}

// The same faces twice: the corners are shared, so the two lie on each other wherever these go.
static void doubled_faces_are_named(void **state)
{
    (void)state;
    snag_shape ball = sphere(1, 0, 0, 0);
    uint32_t *more = realloc(ball.triangles, 12 * (ball.triangle_count + 1));
    assert_non_null(more);
    ball.triangles = more;
    memcpy(more + 3 * ball.triangle_count, more, 12);
    ball.triangle_count++;
    scene s;
    scene_open(&s, &ball, 1, 1);
    fix(&s);
    assert_true(s.report.left > 0);
    assert_int_equal(s.report.places[0].outcome, SNAG_FIX_SHARED);
    assert_true(is_as_it_was(&s, 0));
    scene_close(&s);
}

// A torus glued with a twist: a Klein bottle, in the shape of a figure eight that turns by half a turn on its way around.
static snag_shape klein_bottle(uint32_t around, uint32_t sides)
{
    snag_shape made = {.vertex_count = (size_t)around * sides, .triangle_count = 2 * (size_t)around * sides};
    made.positions = malloc(24 * made.vertex_count);
    made.triangles = malloc(12 * made.triangle_count);
    assert_non_null(made.positions);
    assert_non_null(made.triangles);
    const double pi = 3.14159265358979323846;
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t k = 0; k < sides; k++) {
            double u = 2 * pi * i / around, v = 2 * pi * k / sides;
            double r = 3 + cos(u / 2) * sin(v) - sin(u / 2) * sin(2 * v);
            double *x = &made.positions[3 * ((size_t)i * sides + k)];
            x[0] = r * cos(u), x[1] = r * sin(u), x[2] = sin(u / 2) * sin(v) + cos(u / 2) * sin(2 * v);
            // After a turn the figure eight is seen from behind: v becomes -v.
            bool last = i + 1 == around;
            uint32_t next = (k + 1) % sides, row = i * sides, other = last ? 0 : row + sides;
            uint32_t a = row + k, b = row + next;
            uint32_t c = other + (last ? (sides - k) % sides : k), d = other + (last ? (sides - next) % sides : next);
            const uint32_t corners[6] = {a, b, d, a, d, c};
            memcpy(&made.triangles[6 * ((size_t)i * sides + k)], corners, sizeof corners);
        }
    return made;
}

static void one_sided_surfaces_are_named(void **state)
{
    (void)state;
    snag_shape bottle = klein_bottle(24, 15);
    scene s;
    scene_open(&s, &bottle, 1, 1);
    fix(&s);
    assert_true(s.report.left > 0);
    for (size_t i = 0; i < s.report.place_count; i++)
        if (s.report.places[i].left > 0)
            assert_int_equal(s.report.places[i].outcome, SNAG_FIX_ONE_SIDED);
    scene_close(&s);
}

static void two_held_bodies_are_named_while_others_are_freed(void **state)
{
    (void)state;
    snag_shape shapes[2] = {join(sphere(1, 0, 0, 0), sphere(1, 8, 0, 0)),
                            join(sphere(1, 1.8, 0.05, 0.02), sphere(1, 9.8, 0.05, 0.02))};
    scene s;
    scene_open(&s, shapes, 2, 1);
    // The pair at the origin is held.
    for (size_t b = 0; b < 2; b++)
        for (size_t v = 0; v < s.bodies[b].vertex_count / 2; v++)
            s.inverse[b][v] = 0;
    fix(&s);
    assert_int_equal(s.report.place_count, 2);
    assert_int_equal(s.report.freed, 1);
    for (size_t i = 0; i < 2; i++) {
        const snag_fix_place *place = &s.report.places[i];
        assert_int_equal(place->outcome, place->centre[0] < 4 ? SNAG_FIX_HELD : SNAG_FIX_FREED);
        assert_true(place->centre[0] < 4 ? place->left == place->contacts && place->moved == 0 : place->left == 0);
    }
    scene_close(&s);
}

// ---- sequences ----

// The next frame starts from the last one's correction: the result stays near it, and is measured from the frame itself.
static void a_guess_that_is_free_is_taken(void **state)
{
    (void)state;
    tangle t = tangle_make(TANGLE_FOLD, 14, 2);
    scene s;
    scene_open(&s, t.shapes, t.count, 1);
    fix(&s);
    double moved = s.report.largest_move;
    double *freed = malloc(24 * s.bodies[0].vertex_count);
    assert_non_null(freed);
    memcpy(freed, s.bodies[0].positions, 24 * s.bodies[0].vertex_count);
    s.bodies[0].start = s.first[0];
    fix(&s);
    assert_memory_equal(freed, s.bodies[0].positions, 24 * s.bodies[0].vertex_count);
    assert_true(s.report.largest_move == moved);
    assert_true(s.report.contacts > 0 && s.report.left == 0);
    // A guess that is worse than nothing is dropped where the frame is free.
    memcpy(s.first[0], freed, 24 * s.bodies[0].vertex_count);
    for (size_t v = 0; v < s.bodies[0].vertex_count; v++)
        s.bodies[0].positions[3 * v + 2] = 0;
    fix(&s);
    assert_int_equal(s.report.contacts, 0);
    assert_true(is_as_it_was(&s, 0));
    free(freed);
    scene_close(&s);
}

static void the_same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        scene s[2];
        for (uint32_t i = 0; i < 2; i++) {
            tangle t = tangle_make((tangle_kind)kind, 12, 5);
            scene_open(&s[i], t.shapes, t.count, 1 + i);
            fix(&s[i]);
        }
        for (size_t b = 0; b < s[0].count; b++)
            assert_memory_equal(s[0].bodies[b].positions, s[1].bodies[b].positions, 24 * s[0].bodies[b].vertex_count);
        scene_close(&s[0]);
        scene_close(&s[1]);
    }
}

// ---- bad input ----

static void bad_input_gets_a_status_and_changes_nothing(void **state)
{
    (void)state;
    tangle t = tangle_make(TANGLE_LAYERS, 6, 3);
    scene s;
    scene_open(&s, t.shapes, t.count, 1);
    snag_fix_def zero = {0};
    assert_int_equal(snag_response_fix(s.response, s.world, &zero, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_response_message(s.response), "snag_default_fix_def"));
    s.def.max_move = NAN;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    s.def.max_move = -1;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_response_message(s.response), "max_move"));
    s.def = snag_default_fix_def();
    s.def.rigid_count = 1;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    snag_body_id none = {77, 1};
    s.def.rigid = &none;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    s.def.rigid = &s.bodies[1].body;
    s.inverse[1][2] = 0;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_response_message(s.response), "vertex 2"));
    s.def = snag_default_fix_def();
    s.bodies[0].inverse_masses = s.bodies[1].inverse_masses = NULL;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    s.bodies[0].inverse_masses = s.inverse[0];
    double *start = malloc(24 * s.bodies[0].vertex_count);
    assert_non_null(start);
    memcpy(start, s.first[0], 24 * s.bodies[0].vertex_count);
    start[4] = INFINITY;
    s.bodies[0].start = start;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_NOT_FINITE);
    free(start);
    s.bodies[0].start = NULL;
    s.def.method = SNAG_METHOD_ACTIVE;
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_UNSUPPORTED);
    s.def.method = SNAG_METHOD_AUTO;
    assert_int_equal(snag_response_fix(s.response, NULL, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_fix(s.response, s.world, NULL, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_fix(s.response, s.world, &s.def, NULL, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_fix(NULL, s.world, &s.def, s.bodies, 2, NULL), SNAG_ERROR_ARGUMENT);
    assert_true(is_as_it_was(&s, 0) && is_as_it_was(&s, 1));
    assert_string_equal(snag_fix_outcome_name(SNAG_FIX_OUTCOME_COUNT), "unknown");
    for (int i = 0; i < SNAG_FIX_OUTCOME_COUNT; i++)
        assert_true(strlen(snag_fix_outcome_name((snag_fix_outcome)i)) > 0 &&
                    strlen(snag_fix_outcome_sentence((snag_fix_outcome)i)) > 10);
    scene_close(&s);
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    scene *s = context;
    snag_response *response = NULL;
    snag_status status = snag_response_create(allocator, &response);
    s->def.rigid = &s->bodies[1].body;
    s->def.rigid_count = 1;
    if (status == SNAG_OK)
        status = snag_response_fix(response, s->world, &s->def, s->bodies, s->count, NULL);
    if (status != SNAG_OK)
        assert_true(is_as_it_was(s, 0) && is_as_it_was(s, 1));
    for (size_t i = 0; i < s->count; i++)
        memcpy(s->bodies[i].positions, s->first[i], 24 * s->bodies[i].vertex_count);
    snag_response_destroy(response);
    return status;
}

static void failing_memory_is_a_status_and_changes_nothing(void **state)
{
    (void)state;
    tangle t = tangle_make(TANGLE_LAYERS, 6, 3);
    scene s;
    scene_open(&s, t.shapes, t.count, 1);
    assert_true(intersections(&s) > 0);
    assert_true(failing_allocator_sweep(cycle, &s) > 5);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangled_cloth_is_freed_place_by_place),
        cmocka_unit_test(only_vertices_near_a_place_move),
        cmocka_unit_test(parts_of_one_body_and_two_bodies_come_apart_alike),
        cmocka_unit_test(bodies_that_face_inward_are_closed_too),
        cmocka_unit_test(a_dent_through_the_other_side_goes_back),
        cmocka_unit_test(what_is_free_is_left_alone),
        cmocka_unit_test(held_bodies_stay_and_rigid_ones_keep_their_shape),
        cmocka_unit_test(no_vertex_moves_farther_than_allowed),
        cmocka_unit_test(a_place_within_the_limit_is_freed_beside_one_that_is_not),
        cmocka_unit_test(results_are_floats_if_wanted),
        cmocka_unit_test(it_ends_when_it_is_told),
        cmocka_unit_test(what_passes_right_through_is_named_and_put_back),
        cmocka_unit_test(doubled_faces_are_named),
        cmocka_unit_test(one_sided_surfaces_are_named),
        cmocka_unit_test(two_held_bodies_are_named_while_others_are_freed),
        cmocka_unit_test(a_guess_that_is_free_is_taken),
        cmocka_unit_test(the_same_bytes_for_any_number_of_threads),
        cmocka_unit_test(bad_input_gets_a_status_and_changes_nothing),
        cmocka_unit_test(failing_memory_is_a_status_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
