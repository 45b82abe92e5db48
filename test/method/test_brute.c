// The oracle itself, judged: every pair of random meshes is decided by rationals that share no code with the library.
#include "helpers/rational.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const snag_contact_kind kind_of[] = {[JUDGE_CROSSING] = SNAG_CROSSING, [JUDGE_TOUCHING] = SNAG_TOUCHING,
                                            [JUDGE_COPLANAR] = SNAG_COPLANAR};

static void corners(const snag_shape *shape, const uint32_t *vertices, int count, double (*out)[3])
{
    for (int i = 0; i < count; i++)
        memcpy(out[i], &shape->positions[3 * vertices[i]], sizeof out[i]);
}

// The next contact of the answer must be this one.
static void expect(const snag_answer *answer, size_t *next, uint32_t a, uint32_t b, snag_contact_kind kind)
{
    assert_true(*next < answer->contact_count);
    const snag_contact *contact = &answer->contacts[(*next)++];
    assert_int_equal(contact->a.index, a);
    assert_int_equal(contact->b.index, b);
    assert_int_equal(contact->kind, kind);
}

static void judge_self_intersections(const snag_shape *soup, const snag_answer *answer)
{
    size_t next = 0;
    for (uint32_t s = 0; s < soup->triangle_count; s++)
        for (uint32_t t = s + 1; t < soup->triangle_count; t++) {
            const uint32_t *vs = &soup->triangles[3 * s], *vt = &soup->triangles[3 * t];
            double cs[3][3], ct[3][3];
            corners(soup, vs, 3, cs);
            corners(soup, vt, 3, ct);
            judge_meeting meeting = judge_triangles((const double(*)[3])cs, vs, (const double(*)[3])ct, vt);
            if (meeting != JUDGE_APART && meeting != JUDGE_DEGENERATE)
                expect(answer, &next, s, t, kind_of[meeting]);
        }
    assert_int_equal(next, answer->contact_count);
}

static void intersections_are_those_of_the_rational_judge(void **state)
{
    (void)state;
    snag__random random = {31};
    size_t contacts = 0, kinds[3] = {0};
    for (int round = 0; round < 24; round++) {
        snag_shape soup = scene_soup(24, round % 3 == 2 ? 0 : 2 + (uint32_t)round % 3, round % 2 == 0, &random);
        snag_world *world = scene_world(&(scene_options){0});
        snag_body_id id;
        assert_int_equal(scene_add(world, &soup, SNAG_F64, NULL, &id), SNAG_OK);
        snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
        ask.method = SNAG_METHOD_BRUTE;
        const snag_answer *answer = NULL;
        assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
        judge_self_intersections(&soup, answer);
        contacts += answer->contact_count;
        for (size_t i = 0; i < answer->contact_count; i++)
            kinds[answer->contacts[i].kind]++;
        snag_world_destroy(world);
        snag_shape_free(&soup);
    }
    assert_true(contacts > 500 && kinds[0] > 50 && kinds[1] > 50 && kinds[2] > 20);
}

static void penetrations_are_those_of_the_rational_judge(void **state)
{
    (void)state;
    snag__random random = {32};
    size_t contacts = 0;
    for (int round = 0; round < 20; round++) {
        snag_shape tets = scene_tet_soup(14, round % 2 == 0 ? 3 : 0, &random);
        snag_world *world = scene_world(&(scene_options){0});
        snag_body_id id;
        assert_int_equal(scene_add(world, &tets, SNAG_F64, NULL, &id), SNAG_OK);
        snag_question_def ask = snag_default_question_def(SNAG_PENETRATIONS);
        ask.method = SNAG_METHOD_BRUTE;
        const snag_answer *answer = NULL;
        assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
        size_t next = 0;
        for (uint32_t v = 0; v < tets.vertex_count; v++)
            for (uint32_t k = 0; k < tets.tet_count; k++) {
                double corner[4][3];
                corners(&tets, &tets.tets[4 * k], 4, corner);
                // Soups share no vertices: tetrahedron k has the vertices 4k .. 4k + 3.
                if (v / 4 != k && judge_point_in_tet(&tets.positions[3 * v], (const double(*)[3])corner))
                    expect(answer, &next, v, k, SNAG_INSIDE);
            }
        assert_int_equal(next, answer->contact_count);
        contacts += answer->contact_count;
        snag_world_destroy(world);
        snag_shape_free(&tets);
    }
    assert_true(contacts > 100);
}

static void weights_of_a_penetration_rebuild_its_point(void **state)
{
    (void)state;
    snag__random random = {33};
    snag_shape tets = scene_tet_soup(40, 0, &random);
    snag_world *world = scene_world(&(scene_options){0});
    snag_body_id id;
    assert_int_equal(scene_add(world, &tets, SNAG_F64, NULL, &id), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PENETRATIONS);
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->contact_count > 10);
    for (size_t i = 0; i < answer->contact_count; i++) {
        const snag_contact *contact = &answer->contacts[i];
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0;
            for (int c = 0; c < 4; c++)
                sum += contact->weight[c] * tets.positions[3 * tets.tets[4 * contact->b.index + (uint32_t)c] + (uint32_t)axis];
            assert_true(fabs(sum - contact->point_a[axis]) < 1e-9);
        }
    }
    snag_world_destroy(world);
    snag_shape_free(&tets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intersections_are_those_of_the_rational_judge),
        cmocka_unit_test(penetrations_are_those_of_the_rational_judge),
        cmocka_unit_test(weights_of_a_penetration_rebuild_its_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
