// The oracle itself, judged: every pair of random meshes is decided by rationals that share no code with the library.
#include "common/any_question.h"
#include "helpers/rational.h"
#include "helpers/rational_distance.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const snag_contact_kind kind_of[] = {
    [JUDGE_CROSSING] = SNAG_CROSSING, [JUDGE_TOUCHING] = SNAG_TOUCHING, [JUDGE_COPLANAR] = SNAG_COPLANAR};

static void corners(const snag_shape *shape, const uint32_t *vertices, int count, double (*out)[3])
{
    for (int i = 0; i < count; i++)
        memcpy(out[i], &shape->positions[3 * vertices[i]], sizeof out[i]);
}

// The next contact of the answer must be this one.
static void expect(const snag_answer *answer, size_t *next, uint32_t a, uint32_t b, snag_contact_kind kind)
{
    assert_true(*next < answer->count);
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
    assert_int_equal(next, answer->count);
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
        any_question ask = any_default(SNAG_INTERSECTIONS);
        ask.method = SNAG_METHOD_BRUTE;
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        judge_self_intersections(&soup, answer);
        contacts += answer->count;
        for (size_t i = 0; i < answer->count; i++)
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
        any_question ask = any_default(SNAG_PENETRATIONS);
        ask.method = SNAG_METHOD_BRUTE;
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        size_t next = 0;
        for (uint32_t v = 0; v < tets.vertex_count; v++)
            for (uint32_t k = 0; k < tets.tet_count; k++) {
                double corner[4][3];
                corners(&tets, &tets.tets[4 * k], 4, corner);
                // Soups share no vertices: tetrahedron k has the vertices 4k .. 4k + 3.
                if (v / 4 != k && judge_point_in_tet(&tets.positions[3 * v], (const double(*)[3])corner))
                    expect(answer, &next, v, k, SNAG_INSIDE);
            }
        assert_int_equal(next, answer->count);
        contacts += answer->count;
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
    any_question ask = any_default(SNAG_PENETRATIONS);
    const snag_answer *answer = NULL;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->count > 10);
    for (size_t i = 0; i < answer->count; i++) {
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

// The edges of a body as it knows them, each against each tetrahedron by rational arithmetic.
static size_t assert_passages_are_judged_so(snag_world *world, const snag_body_id ids[2], const snag_shape shapes[2],
                                            const snag_answer *answer)
{
    size_t next = 0;
    snag_body_info info[2];
    for (int a = 0; a < 2; a++)
        assert_int_equal(snag_world_body(world, ids[a], &info[a]), SNAG_OK);
    for (int a = 0; a < 2; a++)
        for (uint32_t e = 0; e < info[a].edge_count; e++)
            for (int b = 0; b < 2; b++)
                for (uint32_t k = 0; k < shapes[b].tet_count; k++) {
                    const uint32_t *end = &info[a].edges[2 * e], *corner = &shapes[b].tets[4 * k];
                    double tet[4][3], enters[3], leaves[3];
                    bool shared = false;
                    for (int c = 0; c < 4; c++) {
                        memcpy(tet[c], &shapes[b].positions[3 * corner[c]], sizeof tet[c]);
                        shared = shared || (a == b && (corner[c] == end[0] || corner[c] == end[1]));
                    }
                    const double *p = &shapes[a].positions[3 * end[0]], *q = &shapes[a].positions[3 * end[1]];
                    if (shared || !judge_segment_through_tet(p, q, (const double(*)[3])tet, enters, leaves))
                        continue;
                    while (next < answer->count && answer->contacts[next].kind != SNAG_THROUGH)
                        next++;
                    assert_true(next < answer->count);
                    const snag_contact *contact = &answer->contacts[next++];
                    assert_int_equal(contact->body_a.index, ids[a].index);
                    assert_int_equal(contact->body_b.index, ids[b].index);
                    assert_int_equal(contact->a.kind, SNAG_EDGE);
                    assert_int_equal(contact->a.index, e);
                    assert_memory_equal(contact->a.vertex, end, sizeof contact->a.vertex);
                    assert_int_equal(contact->b.kind, SNAG_TET);
                    assert_int_equal(contact->b.index, k);
                    double length = 0;
                    for (int axis = 0; axis < 3; axis++) {
                        assert_true(contact->point_a[axis] == enters[axis] && contact->point_b[axis] == leaves[axis]);
                        double at = contact->weight[0] * p[axis] + contact->weight[1] * q[axis];
                        double to = contact->weight[2] * p[axis] + contact->weight[3] * q[axis];
                        assert_true(fabs(at - enters[axis]) < 1e-12 && fabs(to - leaves[axis]) < 1e-12);
                        length += (leaves[axis] - enters[axis]) * (leaves[axis] - enters[axis]);
                    }
                    assert_true(fabs(contact->value - sqrt(length)) < 1e-12);
                }
    size_t passages = 0, seen = next;
    for (; next < answer->count; next++)
        assert_int_equal(answer->contacts[next].kind, SNAG_INSIDE);
    for (size_t i = 0; i < seen; i++)
        passages += answer->contacts[i].kind == SNAG_THROUGH;
    return passages;
}

static void edges_through_tetrahedra_are_those_of_rational_arithmetic(void **state)
{
    (void)state;
    snag__random random = {36};
    size_t passages = 0;
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t grid = round % 2 ? 4 : 0;
        snag_shape shapes[2] = {scene_tet_soup(8, grid, &random), scene_soup(20, grid, true, &random)};
        snag_world *world = scene_world(&(scene_options){0});
        snag_body_id ids[2];
        for (int i = 0; i < 2; i++)
            assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
        any_question ask = any_default(SNAG_PENETRATIONS);
        ask.method = SNAG_METHOD_BRUTE;
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        size_t inside = answer->count;
        snag_contact *vertices = malloc((inside + 1) * sizeof *vertices);
        memcpy(vertices, answer->contacts, inside * sizeof *vertices);
        ask.edges = true;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        size_t found = assert_passages_are_judged_so(world, ids, shapes, answer);
        assert_int_equal(answer->count, inside + found);
        // Contacts of vertices, their depths too, are what they are without edges.
        for (size_t i = 0, v = 0; i < answer->count; i++)
            if (answer->contacts[i].kind == SNAG_INSIDE)
                assert_memory_equal(&answer->contacts[i], &vertices[v++], sizeof *vertices);
        passages += found;
        free(vertices);
        snag_world_destroy(world);
        snag_shape_free(&shapes[0]);
        snag_shape_free(&shapes[1]);
    }
    assert_true(passages > 100);
}

// ---- proximities ----

static void every_pair_within_reach_is_listed(void **state)
{
    (void)state;
    snag__random random = {35};
    size_t vertices = 0, edges = 0;
    for (int round = 0; round < 6; round++) {
        const double reach = 0.1;
        snag_shape soup = scene_soup(8, 0, false, &random);
        snag_world *world = scene_world(&(scene_options){0});
        snag_body_id id;
        assert_int_equal(scene_add(world, &soup, SNAG_F64, NULL, &id), SNAG_OK);
        any_question ask = any_default(SNAG_PROXIMITIES);
        ask.distance = reach;
        ask.every_pair = true;
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        size_t near_vertices = 0, near_edges = 0;
        rational_distance distance;
        rational_distance_init(&distance);
        for (uint32_t v = 0; v < soup.vertex_count; v++)
            for (uint32_t t = 0; t < soup.triangle_count; t++) {
                const double *corner[3] = {&soup.positions[9 * t], &soup.positions[9 * t + 3], &soup.positions[9 * t + 6]};
                rational_vertex_triangle(&soup.positions[3 * v], corner, &distance);
                near_vertices += v / 3 != t && rational_compare(&distance, reach) <= 0;
            }
        for (uint32_t s = 0; s < soup.vertex_count; s++)
            for (uint32_t t = (s / 3 + 1) * 3; t < soup.vertex_count; t++) {
                uint32_t s_next = s % 3 == 2 ? s - 2 : s + 1, t_next = t % 3 == 2 ? t - 2 : t + 1;
                const double *a[2] = {&soup.positions[3 * s], &soup.positions[3 * s_next]};
                const double *b[2] = {&soup.positions[3 * t], &soup.positions[3 * t_next]};
                rational_edge_edge(a, b, &distance);
                near_edges += rational_compare(&distance, reach) <= 0;
            }
        for (size_t i = 0; i < answer->count; i++) {
            assert_true(answer->contacts[i].value <= reach * (1 + 1e-7));
            near_vertices -= answer->contacts[i].a.kind == SNAG_VERTEX;
            near_edges -= answer->contacts[i].a.kind == SNAG_EDGE;
            vertices += answer->contacts[i].a.kind == SNAG_VERTEX;
            edges += answer->contacts[i].a.kind == SNAG_EDGE;
        }
        assert_int_equal(near_vertices, 0);
        assert_int_equal(near_edges, 0);
        rational_distance_clear(&distance);
        snag_world_destroy(world);
        snag_shape_free(&soup);
    }
    assert_true(vertices > 20 && edges > 20);
}

// ---- distance ----

// Keeps the smaller of two exact distances.
static void keep_smaller(rational_distance *best, rational_distance *candidate, bool *found)
{
    if (!*found || mpq_cmp(candidate->squared, best->squared) < 0)
        mpq_set(best->squared, candidate->squared);
    *found = true;
}

static void judge_vertices(const snag_shape *points, const snag_shape *triangles, rational_distance *best, bool *found)
{
    rational_distance candidate;
    rational_distance_init(&candidate);
    for (uint32_t v = 0; v < points->vertex_count; v++)
        for (uint32_t t = 0; t < triangles->triangle_count; t++) {
            const uint32_t *c = &triangles->triangles[3 * t];
            const double *corner[3] = {&triangles->positions[3 * c[0]], &triangles->positions[3 * c[1]],
                                       &triangles->positions[3 * c[2]]};
            rational_vertex_triangle(&points->positions[3 * v], corner, &candidate);
            keep_smaller(best, &candidate, found);
        }
    rational_distance_clear(&candidate);
}

static void judge_edges(const snag_shape *a, const snag_shape *b, rational_distance *best, bool *found)
{
    rational_distance candidate;
    rational_distance_init(&candidate);
    for (uint32_t s = 0; s < 3 * a->triangle_count; s++)
        for (uint32_t t = 0; t < 3 * b->triangle_count; t++) {
            uint32_t s_next = s % 3 == 2 ? s - 2 : s + 1, t_next = t % 3 == 2 ? t - 2 : t + 1;
            const double *end_a[2] = {&a->positions[3 * a->triangles[s]], &a->positions[3 * a->triangles[s_next]]};
            const double *end_b[2] = {&b->positions[3 * b->triangles[t]], &b->positions[3 * b->triangles[t_next]]};
            rational_edge_edge(end_a, end_b, &candidate);
            keep_smaller(best, &candidate, found);
        }
    rational_distance_clear(&candidate);
}

static bool judge_crossing(const snag_shape *a, const snag_shape *b)
{
    static const uint32_t unshared[2][3] = {{0, 1, 2}, {3, 4, 5}};
    for (uint32_t s = 0; s < a->triangle_count; s++)
        for (uint32_t t = 0; t < b->triangle_count; t++) {
            double ca[3][3], cb[3][3];
            corners(a, &a->triangles[3 * s], 3, ca);
            corners(b, &b->triangles[3 * t], 3, cb);
            if (judge_triangles((const double(*)[3])ca, unshared[0], (const double(*)[3])cb, unshared[1]) != JUDGE_APART)
                return true;
        }
    return false;
}

static void distance_is_that_of_the_rational_judge(void **state)
{
    (void)state;
    snag__random random = {34};
    int apart = 0, crossing = 0, touching = 0;
    for (int round = 0; round < 30; round++) {
        uint32_t grid = round % 3 == 0 ? 4 : 0;
        snag_shape a = scene_soup(3, grid, false, &random), b = scene_soup(4, grid, false, &random);
        snag_shape_transform(&b, 1, round % 5 * 0.5, 0, 0);
        snag_world *world = scene_world(&(scene_options){0});
        snag_body_id id;
        assert_int_equal(scene_add(world, &a, SNAG_F64, NULL, &id), SNAG_OK);
        assert_int_equal(scene_add(world, &b, SNAG_F64, NULL, &id), SNAG_OK);
        any_question ask = any_default(SNAG_DISTANCE);
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        if (answer->degenerate == 0) {
            assert_int_equal(answer->count, 1);
            const snag_contact *contact = &answer->contacts[0];
            rational_distance best;
            rational_distance_init(&best);
            bool found = false;
            judge_vertices(&a, &b, &best, &found);
            judge_vertices(&b, &a, &best, &found);
            judge_edges(&a, &b, &best, &found);
            bool crosses = judge_crossing(&a, &b), touches = mpq_sgn(best.squared) == 0;
            assert_int_equal(contact->kind == SNAG_CROSSING, crosses && !touches);
            if (crosses)
                assert_true(contact->value == 0);
            else
                assert_true(rational_relative_error(&best, contact->value) < 1e-12);
            crossing += crosses && !touches;
            touching += touches;
            apart += !crosses;
            rational_distance_clear(&best);
        }
        snag_world_destroy(world);
        snag_shape_free(&a);
        snag_shape_free(&b);
    }
    assert_true(apart > 4 && crossing > 2 && touching > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intersections_are_those_of_the_rational_judge),
        cmocka_unit_test(penetrations_are_those_of_the_rational_judge),
        cmocka_unit_test(weights_of_a_penetration_rebuild_its_point),
        cmocka_unit_test(edges_through_tetrahedra_are_those_of_rational_arithmetic),
        cmocka_unit_test(every_pair_within_reach_is_listed),
        cmocka_unit_test(distance_is_that_of_the_rational_judge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
