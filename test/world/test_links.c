// Links of a mesh (which triangles are at an edge or a vertex) are made when something wants them: not by adding a body, nor by the first
// question for intersections.
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "world/world.h"

#include <string.h>

typedef struct scene {
    snag_world *world;
    snag_shape shape;
    snag_body_id body;
} scene;

static scene start(const snag_allocator *allocator)
{
    scene_options options = {.threads = 2};
    if (allocator != NULL)
        options.allocator = *allocator;
    snag__random random = {7};
    scene s = {scene_world(&options), scene_crumpled_sheet(20, 0.4, &random), {0}};
    assert_int_equal(scene_add(s.world, &s.shape, SNAG_F64, "sheet", &s.body), SNAG_OK);
    return s;
}

static void end(scene *s)
{
    snag_world_destroy(s->world);
    snag_shape_free(&s->shape);
}

static bool is_linked(const scene *s)
{
    return snag__world_find(s->world, s->body)->mesh.linked;
}

static snag_status ask(const scene *s, snag_question question, snag_method method, const snag_answer **answer)
{
    snag_question_def def = snag_default_question_def(question);
    def.method = method;
    def.distance = question == SNAG_PROXIMITIES ? 0.01 : 0;
    return snag_world_ask(s->world, &def, answer);
}

static void first_ask_needs_none(void **state)
{
    (void)state;
    static const snag_method methods[] = {SNAG_METHOD_AUTO, SNAG_METHOD_KDOP};
    for (int i = 0; i < 2; i++) {
        scene s = start(NULL);
        const snag_answer *answer;
        assert_false(is_linked(&s));
        assert_int_equal(ask(&s, SNAG_INTERSECTIONS, methods[i], &answer), SNAG_OK);
        assert_true(answer->count > 0);
        uint64_t hash = scene_hash(answer);
        assert_false(is_linked(&s));
        assert_int_equal(s.world->unlinked_count, 1);
        // The next one learns from neighbours, to be faster; and `brute` looks at all.
        assert_int_equal(ask(&s, SNAG_INTERSECTIONS, methods[i], &answer), SNAG_OK);
        assert_true(is_linked(&s));
        assert_int_equal(s.world->unlinked_count, 0);
        assert_true(snag__mesh_validate(&snag__world_find(s.world, s.body)->mesh));
        assert_int_equal(scene_hash(answer), hash);
        assert_int_equal(ask(&s, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, &answer), SNAG_OK);
        assert_int_equal(scene_hash(answer), hash);
        end(&s);
    }
}

// A body that comes later is new to the world, and so are its links.
static void each_body_has_its_own_first_ask(void **state)
{
    (void)state;
    scene s = start(NULL);
    snag_body_id second;
    const snag_answer *answer;
    for (int i = 0; i < 2; i++)
        assert_int_equal(ask(&s, SNAG_INTERSECTIONS, SNAG_METHOD_AUTO, &answer), SNAG_OK);
    assert_int_equal(scene_add(s.world, &s.shape, SNAG_F64, "second", &second), SNAG_OK);
    assert_int_equal(ask(&s, SNAG_INTERSECTIONS, SNAG_METHOD_AUTO, &answer), SNAG_OK);
    assert_true(is_linked(&s) && !snag__world_find(s.world, second)->mesh.linked);
    assert_int_equal(snag_world_remove(s.world, second), SNAG_OK);
    assert_int_equal(s.world->unlinked_count, 0);
    end(&s);
}

static void other_questions_and_calls_make_them(void **state)
{
    (void)state;
    for (int question = 0; question < SNAG_QUESTION_COUNT; question++) {
        const snag_answer *answer;
        scene s = start(NULL);
        // Whatever it answers: overlaps have no method for a body alone.
        (void)ask(&s, (snag_question)question, SNAG_METHOD_BRUTE, &answer);
        assert_int_equal(is_linked(&s), question != SNAG_OVERLAPS);
        end(&s);
    }
    scene s = start(NULL);
    const snag_mesh_report *report;
    assert_int_equal(snag_world_check(s.world, s.body, &report), SNAG_OK);
    assert_true(is_linked(&s));
    end(&s);
}

// snag_world_label is allowed while another call is in progress, when nothing can be made.
static void labels_have_links_from_the_first(void **state)
{
    (void)state;
    static const double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2}, label[1] = {42};
    const snag_element edge = {.kind = SNAG_EDGE, .index = 1};
    for (int labelled = 0; labelled < 2; labelled++) {
        snag_world *world = scene_world(&(scene_options){0});
        snag_body_def def = snag_default_body_def();
        snag_body_id id;
        def.positions = snag_positions_f64(xyz, 3);
        def.triangles = triangle;
        def.triangle_count = 1;
        def.labels = labelled ? label : NULL;
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
        assert_int_equal(snag_world_label(world, id, &edge), labelled ? 42 : 0);
        assert_int_equal(snag__world_find(world, id)->mesh.linked, labelled);
        snag_world_destroy(world);
    }
}

// Without memory there are no links, the call says so, and works once there is memory again.
static void no_memory(void **state)
{
    (void)state;
    size_t failed = 0;
    for (size_t at = 1; at <= 12; at++) {
        failing_allocator failing;
        snag_allocator allocator = failing_allocator_start(&failing, 0);
        scene s = start(&allocator);
        const snag_mesh_report *report;
        size_t bytes = atomic_load(&failing.live_bytes);
        failing.fail_at = atomic_load(&failing.calls) + at;
        snag_status status = snag_world_check(s.world, s.body, &report);
        failing.fail_at = 0;
        if (status == SNAG_ERROR_MEMORY && !is_linked(&s)) {
            failed++;
            assert_int_equal(s.world->unlinked_count, 1);
            assert_int_equal(atomic_load(&failing.live_bytes), bytes);
            assert_string_equal(snag_world_message(s.world), "the allocator has no more memory");
        }
        assert_int_equal(snag_world_check(s.world, s.body, &report), SNAG_OK);
        assert_true(is_linked(&s));
        end(&s);
        failing_allocator_assert_clean(&failing);
    }
    assert_int_equal(failed, 8);  // seven arrays and one that is needed meanwhile
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_ask_needs_none),
        cmocka_unit_test(each_body_has_its_own_first_ask),
        cmocka_unit_test(other_questions_and_calls_make_them),
        cmocka_unit_test(labels_have_links_from_the_first),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
