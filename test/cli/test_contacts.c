// Answers in the user's words: the file's numbers, one line for each pair of faces, sorted.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "contacts.h"

static const snag_body_id id_a = {4, 1}, id_b = {1, 1};

static snag_contact triangles(snag_body_id a, uint32_t ta, snag_body_id b, uint32_t tb, snag_contact_kind kind)
{
    return (snag_contact){
        .body_a = a, .body_b = b, .a = {SNAG_TRIANGLE, ta, {0, 0}}, .b = {SNAG_TRIANGLE, tb, {0, 0}}, .kind = kind};
}

static contact_list fill(const contact_body *bodies, size_t body_count, snag_question question, const snag_contact *contacts,
                         size_t count)
{
    contact_list list;
    snag_answer answer = {.question = question, .contacts = contacts, .count = count};
    assert_true(contacts_begin(&list, body_count));
    memcpy(list.bodies, bodies, body_count * sizeof *bodies);
    assert_true(contacts_fill(&list, &answer));
    return list;
}

static void assert_line(const contact_list *list, size_t i, const char *a, const char *b)
{
    assert_true(i < list->count);
    assert_string_equal(contacts_element(list->lines[i].a).text, a);
    assert_string_equal(contacts_element(list->lines[i].b).text, b);
}

static void triangles_of_a_polygon_are_one_face_of_the_strongest_kind(void **state)
{
    (void)state;
    // Two quads of two triangles each, and faces counted from 10.
    const uint32_t faces[] = {0, 0, 1, 1}, numbers[] = {10, 11};
    const contact_body body = {.name = "q", .id = id_a, .triangle_faces = faces, .polygon_numbers = numbers};
    const snag_contact contacts[] = {
        triangles(id_a, 0, id_a, 1, SNAG_COPLANAR),  // a quad folded onto itself
        triangles(id_a, 0, id_a, 2, SNAG_TOUCHING), triangles(id_a, 0, id_a, 3, SNAG_COPLANAR),
        triangles(id_a, 1, id_a, 2, SNAG_CROSSING), triangles(id_a, 1, id_a, 3, SNAG_TOUCHING),
    };
    contact_list list = fill(&body, 1, SNAG_INTERSECTIONS, contacts, 5);
    assert_int_equal(list.count, 2);
    assert_line(&list, 0, "t10", "t10");
    assert_line(&list, 1, "t10", "t11");
    assert_int_equal(list.lines[1].contact->kind, SNAG_CROSSING);
    assert_int_equal(list.self, 2);
    assert_int_equal(list.between, 0);
    assert_int_equal(list.kinds[SNAG_CROSSING], 1);
    assert_int_equal(list.kinds[SNAG_COPLANAR], 1);
    contacts_free(&list);
}

static void the_lower_number_stands_first_and_lines_are_sorted_by_number(void **state)
{
    (void)state;
    // A file that numbers the faces of its body the other way round.
    const uint32_t numbers[] = {120, 13, 2};
    const contact_body body = {.name = "x", .id = id_a, .polygon_numbers = numbers};
    snag_contact contacts[] = {
        triangles(id_a, 0, id_a, 1, SNAG_CROSSING),
        triangles(id_a, 0, id_a, 2, SNAG_CROSSING),
        triangles(id_a, 1, id_a, 2, SNAG_CROSSING),
    };
    contacts[2].point_a[0] = 1, contacts[2].point_b[0] = 2;
    contact_list list = fill(&body, 1, SNAG_DISTANCE, contacts, 3);
    assert_int_equal(list.count, 3);
    assert_line(&list, 0, "t2", "t13");
    assert_line(&list, 1, "t2", "t120");
    assert_line(&list, 2, "t13", "t120");
    assert_true(list.lines[0].swapped);
    double point[3];
    contacts_point(&list, &list.lines[0], point);  // the point on a of the line is that on b of the contact
    assert_true(point[0] == 2);
    contacts_free(&list);
}

static void bodies_are_in_the_order_given_whatever_their_ids(void **state)
{
    (void)state;
    const contact_body bodies[] = {{.name = "first", .id = id_a}, {.name = "second", .id = id_b}};
    const snag_contact contacts[] = {
        triangles(id_b, 5, id_b, 9, SNAG_CROSSING),
        triangles(id_b, 7, id_a, 3, SNAG_CROSSING),
        triangles(id_a, 8, id_a, 9, SNAG_TOUCHING),
    };
    contact_list list = fill(bodies, 2, SNAG_INTERSECTIONS, contacts, 3);
    assert_int_equal(list.count, 3);
    assert_line(&list, 0, "t3", "t7");
    assert_int_equal(list.lines[0].body_a, 0);
    assert_int_equal(list.lines[0].body_b, 1);
    assert_line(&list, 1, "t8", "t9");
    assert_line(&list, 2, "t5", "t9");
    assert_int_equal(list.lines[2].body_a, 1);
    assert_int_equal(list.self, 2);
    assert_int_equal(list.between, 1);
    contacts_free(&list);
}

static void a_vertex_stays_in_front_and_the_closest_of_a_polygon_is_kept(void **state)
{
    (void)state;
    const uint32_t faces[] = {0, 0};
    const contact_body bodies[] = {{.name = "quad", .id = id_a, .triangle_faces = faces, .first_face = 7},
                                   {.name = "other", .id = id_b, .first_vertex = 100}};
    snag_contact contacts[2] = {
        {.body_a = id_b, .body_b = id_a, .a = {SNAG_VERTEX, 3, {0, 0}}, .b = {SNAG_TRIANGLE, 0, {0, 0}}, .value = 0.5},
        {.body_a = id_b, .body_b = id_a, .a = {SNAG_VERTEX, 3, {0, 0}}, .b = {SNAG_TRIANGLE, 1, {0, 0}}, .value = 0.25},
    };
    contact_list list = fill(bodies, 2, SNAG_PROXIMITIES, contacts, 2);
    assert_int_equal(list.count, 1);
    assert_line(&list, 0, "v103", "t7");
    assert_true(list.lines[0].contact->value == 0.25);
    contacts_free(&list);
}

static void edges_are_named_by_their_vertices_in_the_file(void **state)
{
    (void)state;
    const uint32_t numbers[] = {50, 40, 30, 20};
    const contact_body body = {.name = "e", .id = id_a, .vertex_numbers = numbers};
    const snag_contact contact = {.body_a = id_a, .body_b = id_a, .a = {SNAG_EDGE, 0, {0, 1}}, .b = {SNAG_EDGE, 5, {2, 3}}};
    contact_list list = fill(&body, 1, SNAG_PROXIMITIES, &contact, 1);
    assert_line(&list, 0, "e20-30", "e40-50");
    contacts_free(&list);
}

static void volumes_name_tetrahedra_by_the_file_and_boundary_triangles_by_themselves(void **state)
{
    (void)state;
    const uint32_t numbers[] = {500, 501}, faces[] = {0, 0, 0, 1, 1, 1};
    const contact_body body = {.name = "k", .id = id_a, .volume = true, .tet_numbers = numbers, .triangle_faces = faces};
    snag_element tet = {SNAG_TET, 1, {0, 0}}, triangle = {SNAG_TRIANGLE, 4, {0, 0}};
    assert_string_equal(contacts_element(contacts_number(&body, &tet)).text, "k501");
    assert_string_equal(contacts_element(contacts_number(&body, &triangle)).text, "t4");
}

static void the_foremost_are_the_closest_in_order(void **state)
{
    (void)state;
    const contact_body body = {.name = "x", .id = id_a};
    snag_contact contacts[5];
    const double values[5] = {0.5, 0.1, 0.3, 0.1, 0.2};
    for (uint32_t i = 0; i < 5; i++) {
        contacts[i] = triangles(id_a, i, id_a, 9, SNAG_VERTEX_FACE);
        contacts[i].value = values[i];
    }
    contact_list list = fill(&body, 1, SNAG_PROXIMITIES, contacts, 5);
    const contact_line *found[5];
    assert_int_equal(contacts_foremost(&list, found, 3), 3);
    assert_ptr_equal(found[0], &list.lines[1]);
    assert_ptr_equal(found[1], &list.lines[3]);
    assert_ptr_equal(found[2], &list.lines[4]);
    assert_int_equal(contacts_foremost(&list, found, 5), 5);
    assert_ptr_equal(found[4], &list.lines[0]);
    contacts_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_of_a_polygon_are_one_face_of_the_strongest_kind),
        cmocka_unit_test(the_lower_number_stands_first_and_lines_are_sorted_by_number),
        cmocka_unit_test(bodies_are_in_the_order_given_whatever_their_ids),
        cmocka_unit_test(a_vertex_stays_in_front_and_the_closest_of_a_polygon_is_kept),
        cmocka_unit_test(the_foremost_are_the_closest_in_order),
        cmocka_unit_test(edges_are_named_by_their_vertices_in_the_file),
        cmocka_unit_test(volumes_name_tetrahedra_by_the_file_and_boundary_triangles_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
