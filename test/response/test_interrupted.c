// A response whose world, or which itself, runs out of memory says so and gives nothing back; the next call does what it would have
// done. What cannot be a response is refused.
#include "base/random.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"
#include "snag/snag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 3, VERTICES = 200 };

// Two cloths and an obstacle, which are listed, and a bystander in the world that is not.
typedef struct stage {
    failing_allocator memory;
    snag_world *world;
    snag_response *response;
    snag_shape shapes[BODIES];
    double start[BODIES][3 * VERTICES], v[BODIES][3 * VERTICES], inverse[VERTICES];
    snag_response_body bodies[BODIES];
    snag_response_def def;
} stage;

static snag_body_id add(snag_world *world, const snag_shape *shape)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
    def.triangles = shape->triangles;
    def.triangle_count = shape->triangle_count;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    return id;
}

static void open_stage(stage *s)
{
    memset(s, 0, sizeof *s);
    snag_world_def def = snag_default_world_def();
    def.allocator = failing_allocator_start(&s->memory, 0);
    def.threads = 1;
    assert_int_equal(snag_world_create(&def, &s->world), SNAG_OK);
    assert_int_equal(snag_response_create(&def.allocator, &s->response), SNAG_OK);
    s->def = snag_default_response_def();
    s->def.thickness = 0.01;
    s->def.dt = 0.02;
    for (int i = 0; i < VERTICES; i++)
        s->inverse[i] = 1;
    assert_int_equal(snag_shape_sheet(5, 5, 1, 1, &s->shapes[0]), SNAG_OK);
    assert_int_equal(snag_shape_sheet(4, 4, 1, 1, &s->shapes[1]), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(1, 0.2, &s->shapes[2]), SNAG_OK);
    snag_shape_transform(&s->shapes[1], 1, 0.03, 0.02, 0.1);
    snag_shape_transform(&s->shapes[2], 1, 0, 0, -0.25);
    for (int i = 0; i < BODIES; i++) {
        snag_shape *shape = &s->shapes[i];
        memcpy(s->start[i], shape->positions, 24 * shape->vertex_count);
        s->bodies[i] = (snag_response_body){.body = add(s->world, shape),
                                            .vertex_count = shape->vertex_count,
                                            .positions = shape->positions,
                                            .velocities = s->v[i],
                                            .inverse_masses = i < 2 ? s->inverse : NULL,
                                            .start = s->start[i]};
    }
    add(s->world, &s->shapes[2]);  // where the obstacle is, and of no concern
}

static void close_stage(stage *s)
{
    snag_response_destroy(s->response);
    snag_world_destroy(s->world);
    failing_allocator_assert_clean(&s->memory);
    for (int i = 0; i < BODIES; i++)
        snag_shape_free(&s->shapes[i]);
}

typedef snag_status (*call)(stage *s, snag_response_report *report);

static snag_status advance(stage *s, snag_response_report *report)
{
    return snag_response_advance(s->response, s->world, &s->def, s->bodies, BODIES, report);
}

static snag_status untangle(stage *s, snag_response_report *report)
{
    return snag_response_untangle(s->response, s->world, &s->def, s->bodies, BODIES, report);
}

static void keep(const stage *s, double x[BODIES][3 * VERTICES], double v[BODIES][3 * VERTICES])
{
    for (int i = 0; i < BODIES; i++) {
        memcpy(x[i], s->shapes[i].positions, 24 * s->shapes[i].vertex_count);
        memcpy(v[i], s->v[i], sizeof s->v[i]);
    }
}

static void assert_unchanged(const stage *s, double x[BODIES][3 * VERTICES], double v[BODIES][3 * VERTICES])
{
    for (int i = 0; i < BODIES; i++) {
        assert_memory_equal(x[i], s->shapes[i].positions, 24 * s->shapes[i].vertex_count);
        assert_memory_equal(v[i], s->v[i], sizeof s->v[i]);
    }
}

// Lets one allocation after the other fail, whosever it is. What was allocated before it failed may be kept: so the first new one
// fails again and again, as long as something changes.
static size_t call_until_memory_is_enough(stage *s, call what, snag_response_report *report)
{
    double x[BODIES][3 * VERTICES], v[BODIES][3 * VERTICES];
    size_t failures = 0;
    keep(s, x, v);
    for (size_t n = 1;; failures++) {
        size_t bytes = s->memory.live_bytes, at = s->memory.calls + n;
        s->memory.fail_at = at;
        snag_status status = what(s, report);
        s->memory.fail_at = 0;
        if (s->memory.calls < at) {
            assert_int_equal(status, SNAG_OK);
            return failures;
        }
        assert_int_equal(status, SNAG_ERROR_MEMORY);
        assert_non_null(strstr(snag_response_message(s->response), "memory"));
        assert_unchanged(s, x, v);
        n = bytes == s->memory.live_bytes ? n + 1 : 1;
    }
}

static void prepare_fall(stage *s)
{
    snag__random random = {4};
    // The lower cloth touches the obstacle's top before the step already.
    double top = -1;
    for (size_t i = 0; i < s->shapes[2].vertex_count; i++)
        top = fmax(top, s->shapes[2].positions[3 * i + 2]);
    for (size_t i = 0; i < s->shapes[0].vertex_count; i++)
        s->start[0][3 * i + 2] = top;
    for (int body = 0; body < 2; body++)
        for (size_t i = 0; i < 3 * s->shapes[body].vertex_count; i++)
            s->shapes[body].positions[i] =
                s->start[body][i] + snag__random_range(&random, -0.02, 0.02) - (i % 3 == 2 ? 0.15 * body : 0);
}

static void a_step_that_ran_out_of_memory_is_made_by_the_next_call(void **state)
{
    (void)state;
    stage with, without;
    snag_response_report report = {0}, expected = {0};
    open_stage(&with);
    open_stage(&without);
    prepare_fall(&with);
    prepare_fall(&without);
    assert_true(call_until_memory_is_enough(&with, advance, &report) > 20);
    assert_int_equal(advance(&without, &expected), SNAG_OK);
    assert_true(report.impacts > 0 && report.impacts == expected.impacts && report.asks == expected.asks);
    assert_true(report.excepted > 0);
    for (int i = 0; i < BODIES; i++) {
        assert_memory_equal(with.shapes[i].positions, without.shapes[i].positions, 24 * with.shapes[i].vertex_count);
        assert_memory_equal(with.v[i], without.v[i], sizeof with.v[i]);
    }
    close_stage(&with);
    close_stage(&without);
}

static void prepare_tangle(stage *s)
{
    snag_shape_transform(&s->shapes[1], 1, 0, 0, -0.11);
    for (size_t i = 0; i < s->shapes[0].vertex_count; i++)
        s->shapes[0].positions[3 * i + 2] += 0.08 * sin(7 * s->shapes[0].positions[3 * i]);
}

static void an_untangling_that_ran_out_of_memory_is_made_by_the_next_call(void **state)
{
    (void)state;
    stage with, without;
    snag_response_report report = {0}, expected = {0};
    open_stage(&with);
    open_stage(&without);
    prepare_tangle(&with);
    prepare_tangle(&without);
    assert_true(call_until_memory_is_enough(&with, untangle, &report) > 10);
    assert_int_equal(untangle(&without, &expected), SNAG_OK);
    assert_true(report.tangled > 0 && report.tangled == expected.tangled && report.left == expected.left);
    for (int i = 0; i < BODIES; i++)
        assert_memory_equal(with.shapes[i].positions, without.shapes[i].positions, 24 * with.shapes[i].vertex_count);
    close_stage(&with);
    close_stage(&without);
}

static void what_cannot_be_a_response_is_refused(void **state)
{
    (void)state;
    stage s;
    open_stage(&s);
    snag_response *none = (snag_response *)1;
    snag_allocator half = {.allocate = failing_allocator_start(&s.memory, 0).allocate};
    s.memory.live_blocks = 0;
    assert_int_equal(snag_response_create(NULL, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_create(&half, &none), SNAG_ERROR_ARGUMENT);
    assert_string_equal(snag_response_message(NULL), "");
    assert_int_equal(snag_response_advance(NULL, s.world, &s.def, s.bodies, BODIES, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_untangle(NULL, s.world, &s.def, s.bodies, BODIES, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_advance(s.response, s.world, NULL, s.bodies, BODIES, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_advance(s.response, s.world, &s.def, NULL, BODIES, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_untangle(s.response, NULL, &s.def, s.bodies, BODIES, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_response_message(s.response), "NULL"));
    // Nobody is free to move where nobody is listed.
    assert_int_equal(snag_response_advance(s.response, s.world, &s.def, NULL, 0, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_advance(s.response, s.world, &s.def, s.bodies, UINT32_MAX, NULL), SNAG_ERROR_SIZE);
    const snag_answer lost = {.question = SNAG_PROXIMITIES, .count = 1};
    assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &lost, NULL), SNAG_ERROR_ARGUMENT);
    static const double wrong[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 3; i++) {
        snag_response_def def = s.def;
        def.correction = wrong[i];
        assert_int_equal(snag_response_advance(s.response, s.world, &def, s.bodies, BODIES, NULL), SNAG_ERROR_ARGUMENT);
        assert_non_null(strstr(snag_response_message(s.response), "correction"));
    }
    s.shapes[1].positions[3] = INFINITY;
    assert_int_equal(advance(&s, NULL), SNAG_ERROR_NOT_FINITE);
    s.shapes[1].positions[3] = 0;
    for (int i = 0; i < BODIES; i++)
        snag_shape_free(&s.shapes[i]);
    snag_response_destroy(s.response);
    snag_world_destroy(s.world);
}

// Contacts of bodies, vertices, edges and tetrahedra that are not there.
static void contacts_name_elements_that_exist(void **state)
{
    (void)state;
    stage s;
    open_stage(&s);
    snag_contact contact = {.body_a = s.bodies[0].body, .body_b = s.bodies[1].body, .kind = SNAG_VERTEX_FACE};
    contact.a.kind = SNAG_VERTEX, contact.b.kind = SNAG_TRIANGLE;
    contact.normal[2] = contact.weight[0] = 1;
    const snag_answer answer = {.question = SNAG_PROXIMITIES, .contacts = &contact, .count = 1};
    snag_response_report report;
    assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &answer, &report), SNAG_OK);
    assert_int_equal(report.contacts, 1);
    const snag_contact good = contact;
    for (int wrong = 0; wrong < 6; wrong++) {
        contact = good;
        switch (wrong) {
        case 0: contact.a.index = (uint32_t)s.shapes[0].vertex_count; break;
        case 1: contact.a.kind = SNAG_EDGE, contact.a.index = 1u << 20; break;
        case 2: contact.b.kind = SNAG_TET; break;
        case 3: contact.b.kind = SNAG_LEAF; break;
        case 4: contact.a.kind = SNAG_TRIANGLE; break;  // two triangles have more vertices than a contact
        default: contact.b.index = (uint32_t)s.shapes[1].triangle_count; break;
        }
        assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &answer, NULL), SNAG_ERROR_INDEX);
    }
    contact = good;
    contact.body_a.generation++;
    assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &answer, NULL), SNAG_ERROR_BODY);
    contact = good;
    contact.body_b.index = 4;
    assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &answer, NULL), SNAG_ERROR_BODY);
    contact = good;
    contact.weight[1] = 1;
    assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &answer, NULL), SNAG_ERROR_ARGUMENT);
    // An edge that passes through has no way out.
    contact = good;
    contact.kind = SNAG_THROUGH;
    assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &answer, &report), SNAG_OK);
    assert_true(report.contacts == 0 && report.left_out == 1);
    // A correction beyond the range of numbers is no correction.
    contact = good;
    contact.value = -1e308;
    s.def.thickness = 1e308;
    double before[BODIES][3 * VERTICES], v[BODIES][3 * VERTICES];
    keep(&s, before, v);
    assert_int_equal(snag_response_apply(s.response, s.world, &s.def, s.bodies, BODIES, &answer, NULL), SNAG_ERROR_NOT_FINITE);
    assert_unchanged(&s, before, v);
    close_stage(&s);
}

// The inside of a volume hears of what its surface is pushed by, ring by ring.
static void corrections_are_handed_on_through_tetrahedra(void **state)
{
    (void)state;
    // Four corners and one vertex in the middle of them, which no triangle has.
    double x[5][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}, {1, 1, 1}}, inverse[5] = {1, 1, 1, 1, 1};
    const uint32_t tets[] = {0, 1, 2, 4, 0, 3, 1, 4, 0, 2, 3, 4, 1, 3, 2, 4};
    double table[3][3] = {{-9, -9, -0.5}, {9, -9, -0.5}, {0, 20, -0.5}};
    const uint32_t triangle[] = {0, 1, 2};
    snag_world_def world_def = snag_default_world_def();
    snag_world *world;
    assert_int_equal(snag_world_create(&world_def, &world), SNAG_OK);
    snag_body_def volume = snag_default_body_def();
    volume.positions = snag_positions_f64(x[0], 5), volume.tets = tets, volume.tet_count = 4;
    snag_body_def surface = snag_default_body_def();
    surface.positions = snag_positions_f64(table[0], 3), surface.triangles = triangle, surface.triangle_count = 1;
    snag_response_body bodies[2] = {{.vertex_count = 5, .positions = x[0], .inverse_masses = inverse},
                                    {.vertex_count = 3, .positions = table[0]}};
    assert_int_equal(snag_world_add(world, &volume, &bodies[0].body), SNAG_OK);
    assert_int_equal(snag_world_add(world, &surface, &bodies[1].body), SNAG_OK);
    snag_contact contact = {.body_a = bodies[0].body, .body_b = bodies[1].body, .kind = SNAG_VERTEX_FACE, .value = 0.5};
    contact.a = (snag_element){.kind = SNAG_VERTEX, .index = 3};  // the top, which shares an edge with the middle
    contact.b = (snag_element){.kind = SNAG_TRIANGLE};
    contact.normal[2] = contact.weight[0] = 1;
    const snag_answer answer = {.question = SNAG_PROXIMITIES, .contacts = &contact, .count = 1};
    snag_response_def def = snag_default_response_def();
    def.thickness = 1.5, def.correction = 1, def.spread = 0.5, def.rings = 1, def.iterations = 1;
    snag_response *response;
    assert_int_equal(snag_response_create(NULL, &response), SNAG_OK);
    assert_int_equal(snag_response_apply(response, world, &def, bodies, 2, &answer, NULL), SNAG_OK);
    assert_true(x[3][2] == 5 && x[4][2] == 1.5);
    for (int i = 0; i < 3; i++)
        assert_true(x[i][2] == 0.5);
    snag_response_destroy(response);
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_ran_out_of_memory_is_made_by_the_next_call),
        cmocka_unit_test(an_untangling_that_ran_out_of_memory_is_made_by_the_next_call),
        cmocka_unit_test(what_cannot_be_a_response_is_refused),
        cmocka_unit_test(contacts_name_elements_that_exist),
        cmocka_unit_test(corrections_are_handed_on_through_tetrahedra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
