// A def that was zeroed, not made by its default function, is refused by every call of 0.2 that takes one. Those of worlds, bodies, sources,
// questions, options and responses are in query/question.
#include "helpers/test.h"
#include "snag/candidates.h"
#include "snag/derivatives.h"
#include "snag/edit.h"
#include "snag/filter.h"
#include "snag/queries.h"
#include "snag/snag.h"

#include <string.h>

static void refuses(snag_world *world, const char *what, snag_status status)
{
    if (status != SNAG_ERROR_ARGUMENT || !strstr(snag_world_message(world), "snag_default_"))
        fail_msg("%s: %s, \"%s\"", what, snag_status_name(status), snag_world_message(world));
}

static void zeroed_defs_are_refused(void **state)
{
    (void)state;
    static const double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    snag_world_def wd = snag_default_world_def();
    snag_body_def bd = snag_default_body_def();
    snag_world *world = NULL;
    snag_body_id id;
    bd.positions = snag_positions_f64(xyz, 3);
    bd.triangles = triangle;
    bd.triangle_count = 1;
    assert_int_equal(snag_world_create(&wd, &world), SNAG_OK);
    assert_int_equal(snag_world_add(world, &bd, &id), SNAG_OK);

    snag_closest closest;
    snag_closest_def closest_def;
    memset(&closest_def, 0, sizeof closest_def);
    refuses(world, "closest", snag_world_closest(world, &closest_def, snag_positions_f64(xyz, 1), &closest, NULL));

    snag_hit hit;
    snag_cast_def cast_def;
    const snag_ray ray = {{0, 0, 1}, {0, 0, -1}, 9};
    memset(&cast_def, 0, sizeof cast_def);
    refuses(world, "cast", snag_world_cast(world, &cast_def, &ray, 1, &hit, NULL));

    snag_overlap_def overlap_def;
    const snag_overlap_lists *lists;
    const snag_box box = {{0, 0, 0}, {1, 1, 1}};
    memset(&overlap_def, 0, sizeof overlap_def);
    refuses(world, "overlap", snag_world_overlap_boxes(world, &overlap_def, &box, 1, &lists));

    snag_edit_def edit;
    snag_edit_map map;
    memset(&edit, 0, sizeof edit);
    refuses(world, "edit", snag_world_edit(world, id, &edit, &map));

    snag_exclusion_def exclusion;
    const snag_exclusions *exclusions;
    memset(&exclusion, 0, sizeof exclusion);
    refuses(world, "exclude", snag_world_exclude(world, &exclusion, &exclusions));

    snag_collect_def collect;
    snag_candidates *set = NULL;
    memset(&collect, 0, sizeof collect);
    refuses(world, "collect", snag_world_collect(world, &collect, &set));

    snag_derivatives_def derivatives;
    snag_derivative result;
    memset(&derivatives, 0, sizeof derivatives);
    refuses(world, "derivatives", snag_world_derivatives(world, &derivatives, &result));

    snag_sink sink;
    const snag_answer *answer;
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    memset(&sink, 0, sizeof sink);
    ask.sink = &sink;
    refuses(world, "sink", snag_world_ask(world, &ask, &answer));
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zeroed_defs_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
