// Decks of finite-element programs: one mesh written by hand in each format is the same mesh, labels are those of the file, and what
// is wrong is named with its file and line.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

static char *seed(const char *name, size_t *size)
{
    char path[PATH_BYTES];
    const char *source = getenv("SNAG_SOURCE");
    snprintf(path, sizeof path, "%s/fuzz/corpus/%s", source ? source : ".", name);
    return get_file(path, size);
}

// ---- one mesh in four formats ----

// A hexahedron, a pyramid on it, a wedge beside it, a tetrahedron on the wedge, and a triangle that repeats a face; a line.
static void every_format_has_the_same_cells_and_the_labels_of_the_file(void **state)
{
    (void)state;
    static const char *const files[][2] = {
        {"abaqus/flat.inp", "x.inp"}, {"nastran/fields.bdf", "x.bdf"}, {"nastran/fields.bdf", "x.NAS"},
        {"dyna/standard.k", "x.k"},   {"dyna/standard.k", "x.key"},    {"ansys/solids.cdb", "x.cdb"},
    };
    static const uint32_t labels[] = {100, 100, 100, 100, 100, 100, 101, 101, 102, 102, 102, 103};
    static const double volumes[] = {1, 1. / 3, 0.5, 1. / 6};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        char *text = seed(files[i][0], &size);
        snag_io_mesh mesh = read_ok(files[i][1], text, size);
        const snag_io_body *body = only_body(&mesh);
        assert_string_equal(body->name, "x");
        assert_true(mesh.labelled);
        assert_int_equal(body->vertex_count, 11);
        assert_int_equal(body->tet_count, 12);
        assert_memory_equal(body->tet_numbers, labels, sizeof labels);
        assert_int_equal(body->polygon_count, 0);
        assert_int_equal(mesh.left_out, 0);
        for (size_t v = 0; v < 11; v++)
            assert_int_equal(body->vertex_labels[v], v + 1);
        assert_vertex(body, 8, .5, .5, 2);
        double sums[4] = {0};
        for (size_t k = 0; k < 12; k++) {
            const double *p[4];
            for (size_t c = 0; c < 4; c++)
                p[c] = body->positions + 3 * (size_t)body->tets[4 * k + c];
            double e[3][3];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    e[r][c] = p[r + 1][c] - p[0][c];
            sums[body->tet_numbers[k] - 100] +=
                (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                6;
        }
        for (int c = 0; c < 4; c++)
            if (fabs(fabs(sums[c]) - volumes[c]) > 1e-12)
                fail_msg("%s: cell %d has the volume %g", files[i][0], 100 + c, sums[c]);
        snag_io_mesh_free(&mesh);
        free(text);
    }
}

static void no_damage_does_harm(void **state)
{
    (void)state;
    static const char *const files[][2] = {{"abaqus/flat.inp", "x.inp"},    {"abaqus/parts.inp", "x.inp"},
                                           {"nastran/fields.bdf", "x.bdf"}, {"nastran/frames.bdf", "x.bdf"},
                                           {"dyna/standard.k", "x.k"},      {"dyna/i10.k", "x.k"},
                                           {"ansys/solids.cdb", "x.cdb"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        char *text = seed(files[i][0], &size);
        cut_everywhere(files[i][1], text, size);
        assert_changes_survived(files[i][1], text, size);
        assert_failing_allocations_survived(files[i][1], text, size);
        free(text);
    }
}

// A file that is cut off within the mesh is never taken for a smaller mesh, except after whole lines where the format has no end.
static void what_is_cut_off_within_a_line_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *seed, *name, *last;  // the last word of the mesh
    } files[] = {{"abaqus/flat.inp", "x.inp", "*MATERIAL"},
                 {"nastran/fields.bdf", "x.bdf", "PSOLID"},
                 {"dyna/standard.k", "x.k", "*PART"},
                 {"ansys/solids.cdb", "x.cdb", "       -1\nFINISH"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        char *text = seed(files[i].seed, &size);
        size_t end = (size_t)(strstr(text, files[i].last) - text);
        for (size_t length = 0; length < end; length++)
            if (length == 0 || text[length - 1] != '\n') {
                snag_io_mesh mesh;
                snag_io_error error;
                if (parse(files[i].name, text, length, &mesh, &error) == SNAG_OK && text[length - 1] != '*' && text[length] != '\n')
                    fail_msg("%s: the first %zu of %zu bytes were read", files[i].seed, length, size);
                snag_io_mesh_free(&mesh);
            }
        free(text);
    }
}

// ---- Abaqus ----

static void instances_are_bodies_where_they_are_placed(void **state)
{
    (void)state;
    size_t size;
    char *text = seed("abaqus/parts.inp", &size);
    snag_io_mesh mesh = read_ok("x.inp", text, size);
    free(text);
    assert_int_equal(mesh.body_count, 3);
    const snag_io_body *bolt = &mesh.bodies[0], *turned = &mesh.bodies[1], *sheet = &mesh.bodies[2];
    assert_string_equal(bolt->name, "Bolt-1");
    assert_string_equal(turned->name, "Bolt-2");
    assert_string_equal(sheet->name, "Sheet-1");
    assert_vertex(bolt, 1, 1, 0, 0);
    // Moved by 10 along x, then turned by 90 degrees about the axis along z at x = 10.
    const double *p = turned->positions;
    assert_true(fabs(p[0] - 10) < 1e-12 && fabs(p[1]) < 1e-12);
    assert_true(fabs(p[3] - 10) < 1e-12 && fabs(p[4] - 1) < 1e-12);
    assert_true(fabs(p[6] - 9) < 1e-12 && fabs(p[7]) < 1e-12);
    assert_int_equal(turned->tet_numbers[0], 7);
    assert_int_equal(turned->vertex_numbers[0], 4);
    assert_int_equal(turned->vertex_labels[0], 1);
    assert_vertex(sheet, 2, 1, 1, 5);
    assert_int_equal(sheet->polygon_numbers[0], 70);
    assert_int_equal(sheet->vertex_labels[3], 40);
    snag_io_mesh_free(&mesh);
}

#define FOUR "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"

static void kinds_of_elements_are_told_by_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int nodes;
        size_t faces, tets, no_area, unknown, curved;
    } cases[] = {
        {"C3D4", 4, 0, 1, 0, 0, 0},    {"c3d10M", 10, 0, 1, 0, 0, 1}, {"C3D8I", 8, 0, 6, 0, 0, 0},  {"C3D20RH", 20, 0, 6, 0, 0, 1},
        {"C3D6", 6, 0, 3, 0, 0, 0},    {"C3D15", 15, 0, 3, 0, 0, 1},  {"C3D27", 27, 0, 6, 0, 0, 1}, {"DC3D8", 8, 0, 6, 0, 0, 0},
        {"S3", 3, 1, 0, 0, 0, 0},      {"S4R5", 4, 1, 0, 0, 0, 0},    {"S8R", 8, 1, 0, 0, 0, 1},    {"STRI65", 6, 1, 0, 0, 0, 1},
        {"STRI3", 3, 1, 0, 0, 0, 0},   {"M3D4R", 4, 1, 0, 0, 0, 0},   {"R3D3", 3, 1, 0, 0, 0, 0},   {"CPS4R", 4, 1, 0, 0, 0, 0},
        {"CPE6", 6, 1, 0, 0, 0, 1},    {"CAX8", 8, 1, 0, 0, 0, 1},    {"SC8R", 8, 0, 6, 0, 0, 0},   {"COH3D6", 6, 0, 3, 0, 0, 0},
        {"SFM3D4", 4, 1, 0, 0, 0, 0},  {"B31", 2, 0, 0, 0, 0, 0},     {"T3D2", 2, 0, 0, 0, 0, 0},   {"CONN3D2", 2, 0, 0, 1, 0, 0},
        {"SPRINGA", 2, 0, 0, 1, 0, 0}, {"MASS", 1, 0, 0, 1, 0, 0},    {"U1", 8, 0, 0, 0, 1, 0},     {"CIN3D8", 8, 0, 0, 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        int n = sprintf(text, "*NODE\n");
        // The corners of a cube, then others.
        for (int v = 0; v < 30; v++)
            n += sprintf(text + n, "%d,%d,%d,%d\n", v + 1, v < 8 ? (v % 4 == 1 || v % 4 == 2) : v, v < 8 ? v % 4 > 1 : v,
                         v < 8 ? v / 4 : v);
        n += sprintf(text + n, "*ELEMENT, TYPE=S3\n900, 28, 29, 30\n*Element, type = %s\n7", cases[i].type);
        for (int v = 0; v < cases[i].nodes; v++)
            n += sprintf(text + n, v % 10 == 9 ? ",\n%d" : ", %d", v + 1);
        sprintf(text + n, "\n*END STEP\n");
        snag_io_mesh mesh = read_text("e.inp", text);
        if (mesh.tet_count != cases[i].tets || mesh.face_count != cases[i].faces + 1 || mesh.curved != cases[i].curved ||
            mesh.skipped != cases[i].no_area + cases[i].unknown || mesh.left_out != cases[i].unknown)
            fail_msg("%s: %zu tetrahedra, %zu faces, %zu curved, %zu skipped, %zu left out", cases[i].type, mesh.tet_count,
                     mesh.face_count, mesh.curved, mesh.skipped, mesh.left_out);
        snag_io_mesh_free(&mesh);
    }
}

static void faults_of_abaqus_decks_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "no vertices"},
        {FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 9\n", SNAG_ERROR_INDEX, "x.inp:7: element 1 names node 9, which does not exist"},
        {FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n*STEP\n", SNAG_ERROR_FORMAT, "x.inp:7: element 1 has 3 nodes, but its type has 4"},
        {FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 1\n", SNAG_ERROR_FORMAT, "x.inp:7: element 1 has"},
        {FOUR "*ELEMENT, TYPE=C3D4\n1, 1, 2, x, 4\n", SNAG_ERROR_FORMAT, "x.inp:7: expected the number of a node, found 'x'"},
        {FOUR "*ELEMENT\n1, 1, 2, 3, 4\n", SNAG_ERROR_FORMAT, "x.inp:6: elements without a TYPE"},
        {"*NODE\n1, 0, nan, 0\n", SNAG_ERROR_FORMAT, "x.inp:2: a coordinate of node 1"},
        {"*NODE\n0, 0, 0, 0\n", SNAG_ERROR_FORMAT, "x.inp:2: expected the number of a node"},
        {"*NODE\n99999999999, 0, 0, 0\n", SNAG_ERROR_FORMAT, "x.inp:2: expected the number of a node"},
        {FOUR "2, 5, 5, 5\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", SNAG_ERROR_FORMAT, "x.inp:6: node 2 is there twice"},
        {FOUR "*ELGEN\n1, 2\n", SNAG_ERROR_UNSUPPORTED, "x.inp:6: *ELGEN makes or moves"},
        {"*NODE, SYSTEM=C\n", SNAG_ERROR_UNSUPPORTED, "x.inp:1: nodes in cylindrical"},
        {"*PART, NAME=A\n" FOUR "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n", SNAG_ERROR_FORMAT, "*END PART is missing"},
        {"*PART, NAME=A\n*PART, NAME=B\n", SNAG_ERROR_FORMAT, "x.inp:2: a part begins before"},
        {"*PART, NAME=A\n*END PART\n*PART, NAME=a\n", SNAG_ERROR_FORMAT, "x.inp:3: a second part"},
        {"*INSTANCE, NAME=I, PART=A\n", SNAG_ERROR_FORMAT, "x.inp:1: an instance of the part A, which does not exist"},
        {"*INCLUDE, INPUT=other.inp\n", SNAG_ERROR_FILE, "x.inp:1: another file is included here"},
        {FOUR "*ELEMENT, TYPE=SPRINGA\n1, 1, 2\n", SNAG_ERROR_UNSUPPORTED, "all are of kinds that are not read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.inp", cases[i].text, cases[i].status, cases[i].words);
}

static void a_node_that_is_repeated_at_its_place_is_one(void **state)
{
    (void)state;
    snag_io_mesh mesh = read_text("x.inp", FOUR "2, 1, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n");
    assert_int_equal(only_body(&mesh)->tets[1], 1);
    snag_io_mesh_free(&mesh);
}

// ---- included files ----

static void write_in(const char *folder, const char *name, const char *text)
{
    put_file(path_in(folder, name), text, strlen(text));
}

static void refuse_file(const char *folder, const char *name, const char *words)
{
    snag_io_mesh mesh;
    snag_io_error error;
    assert_int_not_equal(snag_io_read_mesh(path_in(folder, name), &mesh, &error), SNAG_OK);
    assert_says(&error, words);
}

static void included_files_are_read_from_beside(void **state)
{
    (void)state;
    char folder[PATH_BYTES], below[PATH_BYTES];
    make_folder(folder);
    write_in(folder, "nodes.inp", FOUR);
    write_in(folder, "more.txt", "7, 1, 2, 3, 4\n");
    write_in(folder, "all.inp", "*INCLUDE, INPUT=nodes.inp\n*ELEMENT, TYPE=C3D4, INPUT=\"more.txt\"\n");
    write_in(folder, "grids.bdf", "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\n");
    write_in(folder, "all.bdf", "BEGIN BULK\nINCLUDE 'grids.bdf'\nCTRIA3,9,1,1,2,3\nENDDATA\n");
    write_in(folder, "nodes.k", "*KEYWORD\n*NODE\n1,0.,0.,0.\n2,1.,0.,0.\n3,0.,1.,0.\n*END\n");
    write_in(folder, "all.k", "*KEYWORD\n*INCLUDE\nnodes.k\n*ELEMENT_SHELL\n9,1,1,2,3,3\n*END\n");
    static const char *const names[] = {"all.inp", "all.bdf", "all.k"};
    for (int i = 0; i < 3; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        snprintf(below, sizeof below, "%s", path_in(folder, names[i]));
        if (snag_io_read_mesh(below, &mesh, &error) != SNAG_OK)
            fail_msg("%s", error.message);
        assert_int_equal(mesh.tet_count + mesh.face_count, 1);
        snag_io_mesh_free(&mesh);
    }
    write_in(folder, "round.inp", "*INCLUDE, INPUT=back.inp\n");
    write_in(folder, "back.inp", "** a comment\n*INCLUDE, INPUT=round.inp\n");
    refuse_file(folder, "round.inp", "includes itself");
    write_in(folder, "self.k", "*INCLUDE\nself.k\n");
    refuse_file(folder, "self.k", "self.k:2: ");
    write_in(folder, "lost.inp", "*NODE\n1,0,0,0\n*INCLUDE, INPUT=nowhere.inp\n");
    refuse_file(folder, "lost.inp", "lost.inp:3: nowhere.inp is included here, but cannot be read: ");
    write_in(folder, "whole.inp", "*INCLUDE, INPUT=/etc/hostname\n");
    refuse_file(folder, "whole.inp", "whole.inp:1: an included file is named by its whole path");
    write_in(folder, "bad.inp", "*NODE\n1, 0, 0\nx, 1\n");
    write_in(folder, "outer.inp", "*INCLUDE, INPUT=bad.inp\n");
    refuse_file(folder, "outer.inp", "bad.inp:3: expected the number of a node");
    remove_folder(folder);
}

// ---- Nastran ----

static void fields_of_all_kinds_are_read(void **state)
{
    (void)state;
    static const char *const grids[] = {
        "GRID    5               1.5     -2.5-1  .3E2\n",
        "GRID,5,,1.5,-2.5-1,.3E2\n",
        "GRID,5,0,1.5D0,-2.5E-01,30.,,,\n",
        "GRID*   5                               1.5             -.25\n*       30.\n",
        "GRID*                  5                             1.5            -.25*G1\n*G1                 3.+1\n",
        "GRID*,5,,1.5,-0.25\n*,30.0\n",
        "GRID\t5\t\t1.5\t-.25\t30.0\n",
        "grid,5,,1.5,-.25,30.  $ a comment\n",
    };
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        char text[400];
        snprintf(text, sizeof text, "%sGRID,6\nGRID,7,,1.\nCTRIA3,1,1,5,6,7\n", grids[i]);
        snag_io_mesh mesh = read_text("x.bdf", text);
        const double expected[3] = {1.5, -0.25, 30};
        if (memcmp(mesh.bodies[0].positions, expected, sizeof expected) != 0)
            fail_msg("%s is read as %g %g %g", grids[i], mesh.bodies[0].positions[0], mesh.bodies[0].positions[1],
                     mesh.bodies[0].positions[2]);
        snag_io_mesh_free(&mesh);
    }
}

static void coordinate_systems_are_resolved(void **state)
{
    (void)state;
    size_t size;
    char *text = seed("nastran/frames.bdf", &size);
    snag_io_mesh mesh = read_ok("x.bdf", text, size);
    const double *p = only_body(&mesh)->positions;
    const double expected[4][3] = {{1, 1, 2}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int v = 0; v < 4; v++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(p[3 * v + k] - expected[v][k]) < 1e-12);
    snag_io_mesh_free(&mesh);
    free(text);
    snag_io_mesh sphere =
        read_text("x.bdf", "CORD2S,3,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,1,3,2.,90.,90.\nGRID,2,3,1.,0.,0.\nGRID,3,3,1.,90.,0.\n"
                           "CTRIA3,1,1,1,2,3\n");
    const double *s = only_body(&sphere)->positions;
    assert_true(fabs(s[1] - 2) < 1e-12 && fabs(s[5] - 1) < 1e-12 && fabs(s[6] - 1) < 1e-12);
    snag_io_mesh_free(&sphere);
}

#define THREE "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\n"

static void cards_that_are_not_read_are_counted(void **state)
{
    (void)state;
    snag_io_mesh mesh;
    snag_io_error error;
    static const char text[] =
        "BEGIN BULK\n" THREE "CTETRA,1,1,1,2,3,4\nCBAR,2,1,1,2\nRBE2,3,1,123,2\nCTRIAX6,4,1,1,2,3\nPSOLID,1,1\nMAT1,1,2.,,.3\n"
        "SPC1,1,123,1,2,3\nENDDATA\n";
    assert_int_equal(parse("x.nas", text, strlen(text), &mesh, &error), SNAG_OK);
    assert_int_equal(mesh.tet_count, 1);
    assert_int_equal(mesh.skipped, 3);
    assert_int_equal(mesh.left_out, 1);  // CTRIAX6 has an area
    assert_says(&error, "x.nas: 3 cards that are neither nodes nor elements are passed over");
    snag_io_mesh_free(&mesh);
}

static void faults_of_nastran_decks_are_named_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"", SNAG_ERROR_FORMAT, "cut off"},
        {"ENDDATA\n", SNAG_ERROR_FORMAT, "no vertices"},
        {THREE "CTRIA3,1,1,1,2,9\n", SNAG_ERROR_INDEX, "x.bdf:5: element 1 names node 9, which does not exist"},
        {THREE "CTRIA3,1,1,1,2\n", SNAG_ERROR_FORMAT, "x.bdf:5: expected a node in field 6 of CTRIA3"},
        {THREE "CTRIA3,x,1,1,2,3\n", SNAG_ERROR_FORMAT,
         "x.bdf:5: expected the number of an element in field 2 of CTRIA3, found 'x'"},
        {"GRID,1,,0.,zero\n", SNAG_ERROR_FORMAT, "x.bdf:1: expected a coordinate in field 5 of GRID, found 'zero'"},
        {"GRID,1,7,0.,0.\nCTRIA3,1,1,1,1,1\n", SNAG_ERROR_UNSUPPORTED, "x.bdf:1: coordinate system 7 is not there"},
        {"CORD2R,7,8,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,8,7,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,1,7\nCTRIA3,1,1,1,1,1\n",
         SNAG_ERROR_FORMAT, "is given in itself"},
        {"CORD2R,7,,0.,0.,0.,0.,0.,1.\n,0.,0.,5.\nGRID,1,7\nCTRIA3,1,1,1,1,1\n", SNAG_ERROR_FORMAT, "x.bdf:1: the three points"},
        {THREE "GRID,2,,5.,5.,5.\nCTRIA3,1,1,1,2,3\n", SNAG_ERROR_FORMAT, "x.bdf:5: node 2 is there twice"},
        {"INCLUDE 'a.bdf'\n", SNAG_ERROR_FILE, "x.bdf:1: another file is included here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.bdf", cases[i].text, cases[i].status, cases[i].words);
}

// ---- LS-DYNA ----

static void formats_of_dyna_are_told_apart(void **state)
{
    (void)state;
    static const char *const nodes[] = {
        "*NODE\n       1             0.0             0.5             2.0\n       2             1.0\n       3             0.0       "
        "      1.0\n",
        "*NODE\n1, 0.0, 0.5, 2.0\n2, 1.0\n3, 0, 1\n",
        "*NODE %\n         1             0.0             0.5             2.0\n         2             1.0\n         3             "
        "0.0             1.0\n",
        "*NODE +\n                   1                 0.0                 0.5                 2.0\n                   2           "
        "      1.0\n"
        "                   3                 0.0                 1.0\n",
    };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        char text[600];
        snprintf(text, sizeof text, "*KEYWORD\n%s*ELEMENT_SHELL\n       8       1       1       2       3\n*END\n", nodes[i]);
        snag_io_mesh mesh = read_text("x.k", text);
        const snag_io_body *body = only_body(&mesh);
        assert_vertex(body, 0, 0, 0.5, 2);
        assert_vertex(body, 2, 0, 1, 0);
        assert_int_equal(body->polygon_numbers[0], 8);
        snag_io_mesh_free(&mesh);
    }
}

static void faults_of_dyna_decks_are_named_with_their_line(void **state)
{
    (void)state;
#define NODES "*NODE\n1,0.,0.,0.\n2,1.,0.,0.\n3,0.,1.,0.\n4,0.,0.,1.\n"
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"*KEYWORD\n*END\n", SNAG_ERROR_FORMAT, "no vertices"},
        {NODES "*ELEMENT_SOLID\n7,1\n", SNAG_ERROR_FORMAT, "x.k:7: the nodes of element 7 are missing"},
        {NODES "*ELEMENT_SOLID\n7,1\n*END\n", SNAG_ERROR_FORMAT, "x.k:7: the nodes of element 7 are missing"},
        {NODES "*ELEMENT_SOLID\n7,1,1,2,3,9,9,9,9,9\n*END\n", SNAG_ERROR_INDEX, "x.k:7: element 7 names node 9"},
        {NODES "*ELEMENT_SHELL\nx,1,1,2,3,3\n*END\n", SNAG_ERROR_FORMAT, "x.k:7: expected the number of an element, found 'x'"},
        {"*NODE\n1,zero\n", SNAG_ERROR_FORMAT, "x.k:2: expected a coordinate, found 'zero'"},
        {"*INCLUDE_TRANSFORM\nfile.k\n", SNAG_ERROR_UNSUPPORTED, "x.k:1: *INCLUDE_TRANSFORM cannot be read"},
        {NODES "*ELEMENT_SOLID_H20\n", SNAG_ERROR_UNSUPPORTED, "x.k:6: elements of *ELEMENT_SOLID_H20 cannot be read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.k", cases[i].text, cases[i].status, cases[i].words);
    snag_io_mesh mesh = read_text(
        "x.k", NODES "*ELEMENT_SOLID\n7,1,1,2,3,4,4,4,4,4\n8,1\n1,2,3,4\n*ELEMENT_BEAM\n9,1,1,2\n*ELEMENT_FANCY\n10,1\n*END\n");
    assert_int_equal(mesh.tet_count, 2);
    assert_int_equal(mesh.skipped, 2);
    assert_int_equal(mesh.left_out, 1);
    snag_io_mesh_free(&mesh);
}

// ---- Ansys ----

#define HEAD                                                                                                                       \
    "ET,1,187\nET,2,188\nNBLOCK,6,SOLID\n(3i8,6e16.9)\n       1       0       0 0.000000000E+00\n       2       0       0 "        \
    "1.000000000E+00\n"                                                                                                            \
    "       3       0       0 0.000000000E+00 1.000000000E+00\n       4       0       0 0.000000000E+00 0.000000000E+00 "          \
    "1.000000000E+00\n"                                                                                                            \
    "       5       0       0 9.000000000E+00\nN,R5.3,LOC,       -1,\nEBLOCK,19,SOLID\n(19i8)\n"

static void archives_of_ansys(void **state)
{
    (void)state;
    // A tetrahedron of ten nodes, which go on in the next line; some of those between its corners are missing.
    static const char whole[] = HEAD
        "       1       1       1       1       0       0       0       0      10       0       7       1       2       3       4"
        "       5       5       0       0\n       5       5\n"
        "       1       2       1       1       0       0       0       0       3       0       8       1       2       3\n      "
        "-1\n";
    snag_io_mesh mesh = read_text("x.cdb", whole);
    assert_int_equal(only_body(&mesh)->tet_count, 1);
    assert_int_equal(mesh.bodies[0].tet_numbers[0], 7);
    assert_int_equal(mesh.curved, 1);
    assert_int_equal(mesh.skipped, 1);
    assert_int_equal(mesh.left_out, 0);
    snag_io_mesh_free(&mesh);
    static const struct {
        const char *text;
        snag_status status;
        const char *words;
    } cases[] = {
        {"/PREP7\n", SNAG_ERROR_FORMAT, "there is no NBLOCK"},
        {"NBLOCK,6,SOLID\n(nothing)\n", SNAG_ERROR_FORMAT, "x.cdb:2: expected a format such as"},
        {"NBLOCK,6,SOLID\n(3i8,6e16.9)\n       1\n", SNAG_ERROR_FORMAT, "the file ends within NBLOCK"},
        {HEAD "       1       1\n      -1\n", SNAG_ERROR_FORMAT, "x.cdb:13: expected an element of eleven numbers"},
        {HEAD "       1       1       1       1       0       0       0       0       4       0       7       1       2       3    "
              "   6\n      -1\n",
         SNAG_ERROR_INDEX, "x.cdb:13: element 7 names node 6"},
        {HEAD "       1       1       1       1       0       0       0       0       4       0       7       1       2       3    "
              "   4\n",
         SNAG_ERROR_FORMAT, "ends within EBLOCK"},
        {"NBLOCK,6,SOLID\n(3i8,6e16.9)\n       1\n      -1\nEBLOCK,10\n(10i8)\n      -1\n", SNAG_ERROR_UNSUPPORTED,
         "x.cdb:5: an EBLOCK without"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text_refused("x.cdb", cases[i].text, cases[i].status, cases[i].words);
}

// Nodes that come after an instance belong to the next one.
static void a_part_may_grow_between_its_instances(void **state)
{
    (void)state;
    snag_io_mesh mesh =
        read_text("grows.inp", "*PART, NAME=P\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n"
                               "*INSTANCE, NAME=A, PART=P\n*END INSTANCE\n"
                               "*NODE\n90, 0, 0, 1\n*ELEMENT, TYPE=S3\n2, 1, 2, 90\n"
                               "*INSTANCE, NAME=B, PART=P\n0, 0, 5\n*END INSTANCE\n*END PART\n");
    assert_int_equal(mesh.body_count, 2);
    assert_int_equal(mesh.bodies[0].polygon_count, 1);
    assert_int_equal(mesh.bodies[1].polygon_count, 2);
    assert_int_equal(mesh.bodies[1].vertex_labels[3], 90);
    snag_io_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_may_grow_between_its_instances),
        cmocka_unit_test(every_format_has_the_same_cells_and_the_labels_of_the_file),
        cmocka_unit_test(no_damage_does_harm),
        cmocka_unit_test(what_is_cut_off_within_a_line_is_refused),
        cmocka_unit_test(instances_are_bodies_where_they_are_placed),
        cmocka_unit_test(kinds_of_elements_are_told_by_their_names),
        cmocka_unit_test(faults_of_abaqus_decks_are_named_with_their_line),
        cmocka_unit_test(a_node_that_is_repeated_at_its_place_is_one),
        cmocka_unit_test(included_files_are_read_from_beside),
        cmocka_unit_test(fields_of_all_kinds_are_read),
        cmocka_unit_test(coordinate_systems_are_resolved),
        cmocka_unit_test(cards_that_are_not_read_are_counted),
        cmocka_unit_test(faults_of_nastran_decks_are_named_with_their_line),
        cmocka_unit_test(formats_of_dyna_are_told_apart),
        cmocka_unit_test(faults_of_dyna_decks_are_named_with_their_line),
        cmocka_unit_test(archives_of_ansys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
