// Groups, materials, parts and what hangs together as bodies: each element goes to one body and keeps its number, and vertices that
// several bodies use are copied.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"
#include "snag/question.h"

static snag_io_mesh split_text(const char *name, const char *text, snag_io_split split, snag_io_error *error)
{
    snag_io_mesh mesh;
    snag_io_read_options options = snag_io_default_read_options();
    options.split = split;
    if (snag_io_parse_mesh_with(name, text, strlen(text), &options, &mesh, error) != SNAG_OK)
        fail_msg("%s", error->message);
    for (size_t b = 0; b < mesh.body_count; b++) {
        const snag_io_body *body = &mesh.bodies[b];
        for (size_t i = 0; i < 4 * body->tet_count; i++)
            assert_true(body->tets[i] < body->vertex_count);
        for (size_t v = 0; body->vertex_numbers && v < body->vertex_count; v++)
            assert_true(body->vertex_numbers[v] < mesh.vertex_count);
    }
    return mesh;
}

static snag_io_mesh label_text(const char *name, const char *text, snag_io_split label, snag_io_split split, snag_io_error *error)
{
    snag_io_mesh mesh;
    snag_io_read_options options = snag_io_default_read_options();
    options.label = label;
    options.split = split;
    if (snag_io_parse_mesh_with(name, text, strlen(text), &options, &mesh, error) != SNAG_OK)
        fail_msg("%s", error->message);
    return mesh;
}

static const char *label_name(const snag_io_mesh *mesh, uint32_t label)
{
    assert_true(label <= mesh->label_count);
    return label ? mesh->label_names[label - 1] : "";
}

static const snag_io_body *body_named(const snag_io_mesh *mesh, const char *name)
{
    for (size_t b = 0; b < mesh->body_count; b++)
        if (strcmp(mesh->bodies[b].name, name) == 0)
            return &mesh->bodies[b];
    fail_msg("there is no body %s", name);
    return NULL;
}

static uint32_t number(const uint32_t *numbers, size_t i)
{
    return numbers ? numbers[i] : (uint32_t)i;
}

// Two triangles that share an edge, in groups that come and go, and a third one apart.
static const char obj[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\ng left\nusemtl red\nf 1 2 3\ng right\nf 2 4 3\ng left\n"
    "usemtl blue\nf 5 6 7\n";

static void groups_and_materials_of_obj(void **state)
{
    (void)state;
    snag_io_error error;
    snag_io_mesh mesh = split_text("a.obj", obj, SNAG_IO_SPLIT_OBJECTS, &error);
    assert_int_equal(mesh.body_count, 1);
    snag_io_mesh_free(&mesh);
    mesh = split_text("a.obj", obj, SNAG_IO_SPLIT_GROUPS, &error);
    assert_int_equal(mesh.body_count, 2);
    assert_int_equal(mesh.vertex_count, 7);
    const snag_io_body *left = body_named(&mesh, "left"), *right = body_named(&mesh, "right");
    assert_int_equal(left->polygon_count, 2);
    assert_int_equal(left->vertex_count, 6);
    assert_int_equal(number(left->polygon_numbers, 1), 2);
    assert_int_equal(right->polygon_count, 1);
    assert_int_equal(right->polygon_numbers[0], 1);
    // The corners of the face are vertices 2, 4 and 3 of the file, whichever are copies.
    static const uint32_t corners[] = {1, 3, 2};
    for (int i = 0; i < 3; i++) {
        uint32_t v = right->polygon_vertices[i];
        assert_int_equal(right->vertex_numbers[v], corners[i]);
    }
    assert_vertex(right, right->polygon_vertices[1], 1, 1, 0);
    assert_vertex(right, right->polygon_vertices[0], 1, 0, 0);
    snag_io_mesh_free(&mesh);
    mesh = split_text("a.obj", obj, SNAG_IO_SPLIT_MATERIALS, &error);
    assert_int_equal(mesh.body_count, 2);
    assert_int_equal(body_named(&mesh, "red")->polygon_count, 2);
    assert_int_equal(body_named(&mesh, "blue")->polygon_count, 1);
    snag_io_mesh_free(&mesh);
    // Objects with groups in them.
    mesh = split_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\no A\ng x\nf 1 2 3\no B\nf 1 2 3\ng y\nf 1 3 2\n", SNAG_IO_SPLIT_GROUPS,
                      &error);
    assert_int_equal(mesh.body_count, 3);
    assert_int_equal(body_named(&mesh, "A.x")->polygon_count, 1);
    assert_int_equal(body_named(&mesh, "B.x")->polygon_count, 1);
    assert_int_equal(body_named(&mesh, "B.y")->polygon_count, 1);
    snag_io_mesh_free(&mesh);
    // Where there are none it is said.
    mesh = split_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SNAG_IO_SPLIT_GROUPS, &error);
    assert_says(&error, "a.obj: has no groups to split by");
    snag_io_mesh_free(&mesh);
}

static void what_hangs_together(void **state)
{
    (void)state;
    snag_io_error error;
    snag_io_mesh mesh = split_text("a.obj", obj, SNAG_IO_SPLIT_SHELLS, &error);
    assert_int_equal(mesh.body_count, 2);
    assert_string_equal(mesh.bodies[0].name, "a");
    assert_int_equal(mesh.bodies[0].polygon_count, 2);
    assert_int_equal(mesh.bodies[1].polygon_count, 1);
    assert_int_equal(mesh.bodies[1].polygon_numbers[0], 2);
    assert_int_equal(mesh.bodies[1].vertex_numbers[0], 4);
    snag_io_mesh_free(&mesh);
    mesh = split_text("two.stl",
                      "solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
                      "facet normal 0 0 0\nouter loop\nvertex 5 0 0\nvertex 6 0 0\nvertex 5 1 0\nendloop\nendfacet\nendsolid a\n",
                      SNAG_IO_SPLIT_SHELLS, &error);
    assert_int_equal(mesh.body_count, 2);
    snag_io_mesh_free(&mesh);
    // A hexahedron and a tetrahedron beside it: numbers of cells stay.
    mesh = split_text(
        "v.mesh",
        "MeshVersionFormatted 2\nDimension 3\nVertices\n12\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n1 1 1 0\n"
        "0 1 1 0\n5 0 0 0\n6 0 0 0\n5 1 0 0\n5 0 1 0\nTetrahedra\n1\n9 10 11 12 0\nHexahedra\n1\n1 2 3 4 5 6 7 8 0\nEnd\n",
        SNAG_IO_SPLIT_SHELLS, &error);
    assert_int_equal(mesh.body_count, 2);
    assert_int_equal(mesh.bodies[0].tet_count, 1);
    assert_int_equal(mesh.bodies[1].tet_count, 6);
    assert_int_equal(mesh.bodies[1].tet_numbers[5], 1);
    snag_io_mesh_free(&mesh);
}

#define CUBES "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n2 0 0\n2 1 0\n2 0 1\n2 1 1\n"

// Two cubes that share a face, each in a group of its own: in every format the same two bodies.
static void groups_of_solids_in_all_formats(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        snag_io_split split;
        const char *first, *second;
    } files[] = {
        {"g.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"steel part\"\n$EndPhysicalNames\n$Nodes\n12\n1 0 0 0\n2 1 "
         "0 0\n3 1 1 0\n"
         "4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 2 0 0\n10 2 1 0\n11 2 0 1\n12 2 1 1\n$EndNodes\n$Elements\n2\n1 5 2 7 1 1 "
         "2 3 4 5 6 7 8\n"
         "2 5 2 8 2 2 9 10 3 6 11 12 7\n$EndElements\n",
         SNAG_IO_SPLIT_GROUPS, "steel part", "physical 8"},
        {"g4.msh",
         "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"steel part\"\n$EndPhysicalNames\n$Entities\n1 0 0 2\n1 0 "
         "0 0 0\n"
         "1 0 0 0 1 1 1 1 7 0\n2 1 0 0 2 1 1 1 8 0\n$EndEntities\n$Nodes\n1 12 1 12\n3 1 0 "
         "12\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n" CUBES
         "$EndNodes\n$Elements\n2 2 1 2\n3 1 5 1\n1 1 2 3 4 5 6 7 8\n3 2 5 1\n2 2 9 10 3 6 11 12 7\n$EndElements\n",
         SNAG_IO_SPLIT_GROUPS, "steel part", "physical 8"},
        {"g4.msh",
         "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 12 1 12\n3 1 0 12\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n" CUBES
         "$EndNodes\n$Elements\n2 2 1 2\n3 1 5 1\n1 1 2 3 4 5 6 7 8\n3 2 5 1\n2 2 9 10 3 6 11 12 7\n$EndElements\n",
         SNAG_IO_SPLIT_PARTS, "entity 1", "entity 2"},
        {"g.mesh",
         "MeshVersionFormatted 2\nDimension 3\nVertices\n12\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 0 1 0\n1 0 1 0\n1 1 1 0\n0 1 1 "
         "0\n2 0 0 0\n"
         "2 1 0 0\n2 0 1 0\n2 1 1 0\nHexahedra\n2\n1 2 3 4 5 6 7 8 3\n2 9 10 3 6 11 12 7 4\nEnd\n",
         SNAG_IO_SPLIT_GROUPS, "reference 3", "reference 4"},
        {"g.inp",
         "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n9,2,0,0\n10,2,1,0\n11,2,0,1\n12,2,1,1\n"
         "*ELEMENT, TYPE=C3D8, ELSET=Left\n10,1,2,3,4,5,6,7,8\n*ELEMENT, TYPE=C3D8\n11,2,9,10,3,6,11,12,7\n*ELSET, ELSET=RIGHT, "
         "GENERATE\n11,11,1\n",
         SNAG_IO_SPLIT_GROUPS, "Left", "RIGHT"},
        {"g.bdf",
         "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\nGRID,5,,0.,0.,1.\nGRID,6,,1.,0.,1.\nGRID,7,,1.,1."
         ",1.\n"
         "GRID,8,,0.,1.,1.\nGRID,9,,2.,0.,0.\nGRID,10,,2.,1.,0.\nGRID,11,,2.,0.,1.\nGRID,12,,2.,1.,1.\nCHEXA,10,5,1,2,3,4,5,6\n,7,"
         "8\n"
         "CHEXA,11,6,2,9,10,3,6,11\n,12,7\nENDDATA\n",
         SNAG_IO_SPLIT_PARTS, "property 5", "property 6"},
        {"g.k",
         "*KEYWORD\n*PART\nleft "
         "cube\n5,1,1\n*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n9,2,0,0\n10,2,1,0\n"
         "11,2,0,1\n12,2,1,1\n*ELEMENT_SOLID\n10,5,1,2,3,4,5,6,7,8\n11,6,2,9,10,3,6,11,12,7\n*END\n",
         SNAG_IO_SPLIT_PARTS, "left cube", "part 6"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snag_io_error error;
        snag_io_mesh mesh = split_text(files[i].name, files[i].text, files[i].split, &error);
        if (mesh.body_count != 2)
            fail_msg("%s: %zu bodies", files[i].name, mesh.body_count);
        const snag_io_body *first = body_named(&mesh, files[i].first), *second = body_named(&mesh, files[i].second);
        assert_int_equal(first->tet_count, 6);
        assert_int_equal(second->tet_count, 6);
        assert_int_equal(first->vertex_count, 8);
        assert_int_equal(second->vertex_count, 8);
        assert_int_equal(mesh.vertex_count, 12);
        uint32_t base = mesh.labelled ? 10 : 0;
        assert_int_equal(number(first->tet_numbers, 0), base);
        assert_int_equal(second->tet_numbers[5], base + 1);
        for (size_t v = 0; mesh.labelled && v < 8; v++)
            assert_int_equal(second->vertex_labels[v], number(second->vertex_numbers, v) + 1);
        snag_io_mesh_free(&mesh);
        // As labels of one body, they are the same.
        mesh = label_text(files[i].name, files[i].text, files[i].split, SNAG_IO_SPLIT_OBJECTS, &error);
        assert_int_equal(mesh.body_count, 1);
        for (size_t t = 0; t < 12; t++)
            assert_string_equal(label_name(&mesh, mesh.bodies[0].labels[t]),
                                number(mesh.bodies[0].tet_numbers, t) == base ? files[i].first : files[i].second);
        snag_io_mesh_free(&mesh);
    }
}

static void sets_that_name_nothing_are_refused_or_noted(void **state)
{
    (void)state;
    snag_io_mesh mesh;
    snag_io_error error;
    snag_io_read_options options = snag_io_default_read_options();
    options.split = SNAG_IO_SPLIT_GROUPS;
    static const char text[] = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n*ELEMENT, TYPE=S3\n5,1,2,3\n*ELSET, ELSET=X\n5, 9\n";
    assert_int_equal(snag_io_parse_mesh_with("x.inp", text, strlen(text), &options, &mesh, &error), SNAG_ERROR_INDEX);
    assert_says(&error, "x.inp:8: a set names element 9, which does not exist");
    // Without a wish to split by them, sets are not needed: a note.
    options.split = SNAG_IO_SPLIT_OBJECTS;
    assert_int_equal(snag_io_parse_mesh_with("x.inp", text, strlen(text), &options, &mesh, &error), SNAG_OK);
    assert_says(&error, "x.inp:8: a set names element 9, which does not exist");
    snag_io_mesh_free(&mesh);
    // Numbers in a row are one range, and each of them counts; of generated ones some may have no element.
    static const struct {
        const char *set, *words;
    } sets[] = {
        {"*ELSET, ELSET=X\n5, 6, 7, 8\n", "x.inp:10: a set names element 7, which does not exist"},
        {"*ELSET, ELSET=X\n5, 6\n4, 5\n3\n", "x.inp:11: a set names element 4, which does not exist; it is not the only one"},
        {"*ELSET, ELSET=X, GENERATE\n1, 9, 1\n", ""},
        {"*ELSET, ELSET=X, GENERATE\n7, 9, 1\n", "x.inp:10: a set names element 7, which does not exist"},
        {"*ELSET, ELSET=X\n6, 5, OTHER\n", ""},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char whole[400];
        snprintf(whole, sizeof whole, "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n*ELEMENT, TYPE=S3\n5,1,2,3\n6,1,3,4\n%s",
                 sets[i].set);
        assert_int_equal(snag_io_parse_mesh_with("x.inp", whole, strlen(whole), &options, &mesh, &error), SNAG_OK);
        if (strcmp(error.message, sets[i].words) != 0 && (sets[i].words[0] == 0 || !strstr(error.message, sets[i].words)))
            fail_msg("set %zu: %s", i, error.message);
        snag_io_mesh_free(&mesh);
    }
}

static void failing_allocations_are_a_status(void **state)
{
    (void)state;
    static const snag_io_split splits[] = {SNAG_IO_SPLIT_GROUPS, SNAG_IO_SPLIT_MATERIALS, SNAG_IO_SPLIT_SHELLS};
    static const snag_io_split labels[] = {SNAG_IO_SPLIT_GROUPS, SNAG_IO_SPLIT_OBJECTS, SNAG_IO_SPLIT_GROUPS};
    for (size_t s = 0; s < 3; s++) {
        size_t n = 1;
        for (bool refused = true; refused; n++) {
            snag_io_mesh mesh;
            snag_io_error error;
            snag_io_read_options options = snag_io_default_read_options();
            options.split = splits[s];
            options.label = labels[s];
            failing_malloc_start(n);
            snag_status status = snag_io_parse_mesh_with("x.obj", obj, strlen(obj), &options, &mesh, &error);
            refused = failing_malloc_stop();
            assert_true(status == SNAG_OK || (refused && status == SNAG_ERROR_MEMORY));
            snag_io_mesh_free(&mesh);
        }
        assert_true(n > 10);
    }
}

// ---- labels ----

static void labels_of_faces_rods_and_points(void **state)
{
    (void)state;
    static const char text[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\ng skin\nf 1 2 4\ng hair\nl 3 4\n"
        "p 5\ng skin\nl 5 6\ng\np 7\n";
    snag_io_error error;
    snag_io_mesh mesh = label_text("a.obj", text, SNAG_IO_SPLIT_GROUPS, SNAG_IO_SPLIT_OBJECTS, &error);
    assert_int_equal(mesh.body_count, 1);
    const snag_io_body *body = &mesh.bodies[0];
    assert_string_equal(label_name(&mesh, body->labels[0]), "");
    assert_string_equal(label_name(&mesh, body->labels[1]), "skin");
    assert_int_equal(body->edge_count, 2);
    assert_string_equal(label_name(&mesh, body->edge_labels[0]), "hair");
    assert_string_equal(label_name(&mesh, body->edge_labels[1]), "skin");
    snag_io_mesh_free(&mesh);
    // Sorted by what hangs together, each element keeps its own.
    mesh = label_text("a.obj", text, SNAG_IO_SPLIT_GROUPS, SNAG_IO_SPLIT_SHELLS, &error);
    size_t seen = 0;
    for (size_t b = 0; b < mesh.body_count; b++) {
        body = &mesh.bodies[b];
        for (size_t p = 0; p < body->polygon_count; p++, seen++)
            assert_string_equal(label_name(&mesh, body->labels[p]), number(body->polygon_numbers, p) ? "skin" : "");
        for (size_t e = 0; e < body->edge_count; e++, seen++)
            assert_string_equal(label_name(&mesh, body->edge_labels[e]), body->polygon_count ? "hair" : "skin");
        for (size_t p = 0; p < body->point_count; p++, seen++)
            assert_string_equal(label_name(&mesh, body->point_labels[p]), "");
    }
    assert_int_equal(seen, 5);  // the point at the end of a rod is none of its own
    snag_io_mesh_free(&mesh);
    mesh = label_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", SNAG_IO_SPLIT_GROUPS, SNAG_IO_SPLIT_OBJECTS, &error);
    assert_says(&error, "a.obj: has no groups to label its elements with");
    assert_null(mesh.bodies[0].labels);
    snag_io_mesh_free(&mesh);
}

// The numbers reach the world, and come back by element.
static void labels_reach_the_world(void **state)
{
    (void)state;
    snag_io_error error;
    snag_io_mesh mesh = label_text("a.obj", obj, SNAG_IO_SPLIT_MATERIALS, SNAG_IO_SPLIT_OBJECTS, &error);
    snag_world_def wd = snag_default_world_def();
    snag_world *world = NULL;
    snag_body_id id;
    assert_int_equal(snag_world_create(&wd, &world), SNAG_OK);
    assert_int_equal(snag_io_add_body(world, &mesh.bodies[0], &id), SNAG_OK);
    static const char *const names[] = {"red", "red", "blue"};
    for (uint32_t t = 0; t < 3; t++) {
        snag_element element = {.kind = SNAG_TRIANGLE, .index = t};
        assert_string_equal(label_name(&mesh, snag_world_label(world, id, &element)), names[t]);
    }
    snag_world_destroy(world);
    snag_io_mesh_free(&mesh);
    assert_int_equal(snag_io_body_def(NULL).triangle_count, 0);
}

static void labels_and_bodies_by_different_groups_are_refused(void **state)
{
    (void)state;
    snag_io_mesh mesh;
    snag_io_error error;
    snag_io_read_options options = snag_io_default_read_options();
    options.split = SNAG_IO_SPLIT_GROUPS;
    options.label = SNAG_IO_SPLIT_MATERIALS;
    assert_int_equal(snag_io_parse_mesh_with("a.obj", obj, strlen(obj), &options, &mesh, &error), SNAG_ERROR_ARGUMENT);
    assert_says(&error, "a.obj: cannot be split by groups and labelled by materials");
    options.label = SNAG_IO_SPLIT_COUNT;
    options.split = SNAG_IO_SPLIT_OBJECTS;
    assert_int_equal(snag_io_parse_mesh_with("a.obj", obj, strlen(obj), &options, &mesh, &error), SNAG_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_materials_of_obj),      cmocka_unit_test(what_hangs_together),
        cmocka_unit_test(groups_of_solids_in_all_formats),  cmocka_unit_test(sets_that_name_nothing_are_refused_or_noted),
        cmocka_unit_test(failing_allocations_are_a_status), cmocka_unit_test(labels_of_faces_rods_and_points),
        cmocka_unit_test(labels_reach_the_world),           cmocka_unit_test(labels_and_bodies_by_different_groups_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
