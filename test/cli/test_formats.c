// What people bring, through the tool: sequences whose faces change, groups as bodies, decks with labels, lists of files.
#define _POSIX_C_SOURCE 200809L
#include "tool_shapes.h"

#include <string.h>

// ---- changing faces ----

#define SHEET "o sheet\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\n"
#define ONE_DIAGONAL "f 1 2 3\nf 1 3 4\n"
#define OTHER_DIAGONAL "f 1 2 4\nf 2 3 4\n"
// A needle that stands, or passes through the sheet.
#define NEEDLE(low) "o needle\nv .1 .2 " low "\nv .2 .2 3\nv .1 .3 3\nf -3 -2 -1\n"

static void write_frames(void)
{
    tool_write("c_0.obj", SHEET ONE_DIAGONAL NEEDLE("1"));
    tool_write("c_1.obj", SHEET OTHER_DIAGONAL NEEDLE("1"));
    tool_write("c_2.obj", SHEET OTHER_DIAGONAL NEEDLE("-1"));
    tool_write("c_3.obj",
               "o sheet\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv 0 0 0\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n" NEEDLE("-1"));
    tool_write("c_4.obj", SHEET ONE_DIAGONAL NEEDLE("-1"));
}

static void frames_with_other_faces_are_checked(void **state)
{
    (void)state;
    write_frames();
    tool_run run = tool_expect(1, "check --json --sequence 'c_*.obj' --pairs c.csv --ply c.ply --vtu c.vtu");
    assert_true(read_json_valid(run.out));
    assert_null(read_json_find(run.out, "skipped"));
    assert_int_equal(strncmp(read_json_find(run.out, "complete"), "true", 4), 0);
    static const size_t expected[] = {0, 0, 1, 1, 1};
    for (size_t i = 0; i < 5; i++) {
        char key[40], command[60];
        snprintf(key, sizeof key, "frames[%zu].contacts", i);
        assert_true(read_json_at(run.out, key) == (double)expected[i]);
        // The same as the file by itself.
        snprintf(command, sizeof command, "check --json c_%zu.obj", i);
        tool_run alone = tool(command);
        assert_true(read_json_at(alone.out, "contacts_total") == (double)expected[i]);
        tool_free(&alone);
    }
    assert_non_null(strstr(run.err, "the faces change at frame 1"));
    tool_free(&run);
    char *csv = tool_read("c.csv");
    assert_non_null(strstr(csv, "3,sheet,t2,needle,t4,crossing"));
    free(csv);
    tool_run again = tool_expect(0, "info -q c_0003.ply c_0003.vtu");
    tool_free(&again);
}

static void impacts_say_which_frames_they_cannot_join(void **state)
{
    (void)state;
    write_frames();
    tool_run run = tool_expect(1, "check --json --question impacts --sequence 'c_*.obj'");
    assert_true(read_json_at(run.out, "skipped[0].frame") == 1);
    assert_true(read_json_at(run.out, "frames[0].frame") == 2);
    assert_true(read_json_at(run.out, "frames[0].contacts") > 0);
    assert_true(read_json_at(run.out, "skipped[1].frame") == 3);
    assert_int_equal(strncmp(read_json_find(run.out, "complete"), "false", 5), 0);
    assert_non_null(strstr(run.err, "skipping the move to frame 1: its faces differ from the previous frame's"));
    tool_free(&run);
    run = tool_expect(2, "check --strict --sequence 'c_*.obj'");
    assert_non_null(strstr(run.err, "c_1.obj: the faces of \"sheet\" differ from those in c_0.obj"));
    tool_free(&run);
}

// Bodies are matched by name: those that are missing in a frame catch nothing there, and their order does not matter.
static void other_counts_of_bodies_are_checked(void **state)
{
    (void)state;
    write_frames();
    tool_write("c_1.obj", SHEET ONE_DIAGONAL);
    tool_write("c_2.obj", "o needle\nv .1 .2 -1\nv .2 .2 3\nv .1 .3 3\nf -3 -2 -1\n"
                          "o sheet\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 4 5 6\nf 4 6 7\n");
    tool_run run =
        tool_expect(1, "check --json --sequence 'c_*.obj' --pairs c.csv --vtu m.vtu --ply m.ply --glb m.glb --select m.py");
    assert_null(read_json_find(run.out, "skipped"));
    assert_true(read_json_at(run.out, "frames[1].contacts") == 0);
    for (int i = 2; i < 5; i++) {
        char key[40];
        snprintf(key, sizeof key, "frames[%d].contacts", i);
        assert_true(read_json_at(run.out, key) == 1);
    }
    assert_int_equal(strncmp(read_json_find(run.out, "complete"), "true", 4), 0);
    tool_free(&run);
    char *csv = tool_read("c.csv");
    assert_non_null(strstr(csv, "2,sheet,t"));  // though its file has the needle first
    free(csv);
    // Impacts cannot join what comes or goes.
    run = tool("%s", "check --json --question impacts --sequence 'c_*.obj'");
    assert_non_null(strstr(run.err, "frame 1"));
    tool_free(&run);
    // A strict run takes no other meshes.
    run = tool_expect(2, "check --strict --sequence 'c_*.obj'");
    assert_non_null(strstr(run.err, "c_1.obj: 1 bodies"));
    tool_free(&run);
}

// A splinter through the sheet, which other frames do not have.
#define SPLINTER "o splinter\nv -.5 -.6 -1\nv -.5 -.6 1\nv -.4 -.6 1\nf -3 -2 -1\n"

static void bodies_that_only_later_frames_have_are_checked(void **state)
{
    (void)state;
    write_frames();
    tool_write("c_1.obj", SHEET ONE_DIAGONAL SPLINTER NEEDLE("1"));
    tool_write("c_3.obj", SHEET ONE_DIAGONAL NEEDLE("-1") SPLINTER);
    tool_run run = tool_expect(1, "check --json --sequence 'c_*.obj' --pairs c.csv --report c.html --vtu m.vtu --ply m.ply");
    assert_null(read_json_find(run.out, "skipped"));
    assert_int_equal(strncmp(read_json_find(run.out, "complete"), "true", 4), 0);
    static const int expected[] = {0, 1, 1, 2, 1};
    for (int i = 0; i < 5; i++) {
        char key[40];
        snprintf(key, sizeof key, "frames[%d].contacts", i);
        assert_true(read_json_at(run.out, key) == expected[i]);
    }
    assert_non_null(strstr(run.err, "\"splinter\" is first in frame 1 (c_1.obj)"));
    tool_free(&run);
    char *csv = tool_read("c.csv");
    assert_non_null(strstr(csv, "1,sheet,t0,splinter,t2"));
    assert_non_null(strstr(csv, "3,sheet,t0,splinter,t3"));  // the number in its file
    free(csv);
    // It can be asked for by its name, and a question that needs two bodies has them.
    run = tool_expect(1, "check --json --between sheet,splinter --sequence 'c_*.obj'");
    assert_true(read_json_at(run.out, "contacts_total") == 2);
    tool_free(&run);
    // Frames that are not asked for bring no bodies; a strict run refuses them.
    run = tool_expect(1, "check --json --frames 2:2 --sequence 'c_*.obj'");
    assert_null(strstr(run.out, "splinter"));
    tool_free(&run);
    run = tool_expect(2, "check --strict --sequence 'c_*.obj'");
    assert_non_null(strstr(run.err, "c_1.obj: 3 bodies, but c_0.obj has 2"));
    tool_free(&run);
}

#define MSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"

// What a body is made of where it first appears decides which questions are asked; bodies named like their files keep their name.
static void late_bodies_may_be_of_another_kind(void **state)
{
    (void)state;
    static const char sheet[] =
        "$Nodes\n3\n1 -2 -2 .3\n2 3 -2 .3\n3 0 3 .3\n$EndNodes\n$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n";
    static const char both[] = "$Nodes\n7\n1 -2 -2 .3\n2 3 -2 .3\n3 0 3 .3\n4 0 0 0\n5 1 0 0\n6 0 1 0\n7 0 0 1\n$EndNodes\n"
                               "$Elements\n2\n1 2 2 0 1 1 2 3\n2 4 2 0 1 4 5 6 7\n$EndElements\n";
    char text[2000];
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "m_%d.msh", i);
        snprintf(text, sizeof text, "%s%s", MSH, i == 1 ? both : sheet);
        tool_write(name, text);
    }
    tool_run alone = tool_expect(1, "check --json m_1.msh"), run = tool_expect(1, "check --json --sequence 'm_*.msh'");
    assert_true(read_json_at(run.out, "frames[1].contacts") == read_json_at(alone.out, "contacts_total"));
    assert_true(read_json_at(run.out, "frames[0].contacts") == 0);
    assert_null(read_json_find(run.out, "skipped"));
    tool_free(&alone);
    tool_free(&run);
    // As many bodies of other names as the first frame has are those of the first frame, in the order of the file.
    tool_write("n_0.obj", "o one0\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_write("n_1.obj", "o one1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" SPLINTER);
    tool_write("n_2.obj", "o one2\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    run = tool_expect(0, "check --json --sequence 'n_*.obj'");
    assert_null(read_json_find(run.out, "skipped"));
    tool_free(&run);
    // A frame that cannot be read is told of once, and stops nothing.
    tool_write("n_2.obj", "o other\nv 0 0\nf 1 2 9\n");
    run = tool_expect(2, "check --json --sequence 'n_*.obj'");
    assert_true(read_json_at(run.out, "skipped[0].frame") == 2);
    tool_free(&run);
}

// ---- shells on solids ----

#define BLOCK                                                                                                                      \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n9,2,0,1\n10,2,1,1\n"                           \
    "*ELEMENT, TYPE=C3D8, ELSET=block\n1, 1,2,3,4,5,6,7,8\n"
#define PIN(x) "*NODE\n21, " x ",.5,.5\n22, " x ",.6,1.5\n23, " x ",.5,1.5\n*ELEMENT, TYPE=S3, ELSET=pin\n9, 21,22,23\n"

// A skin repeats the faces of its solid: it does not catch on it, and what catches on it catches on the solid.
static void a_skin_does_not_catch_on_its_solid(void **state)
{
    (void)state;
    tool_write("skin.inp", BLOCK "*ELEMENT, TYPE=S4, ELSET=skin\n2, 5,6,7,8\n3, 1,2,6,5\n");
    tool_run run = tool_expect(0, "check skin.inp");
    assert_non_null(strstr(run.out, "clean"));
    assert_non_null(strstr(run.err, "2 elements ignored: points, lines and faces that only repeat"));
    tool_free(&run);
    run = tool_expect(0, "check --split groups skin.inp");
    tool_free(&run);
    tool_write("pinned.inp", BLOCK "*ELEMENT, TYPE=S4, ELSET=skin\n2, 5,6,7,8\n" PIN(".5"));
    run = tool_expect(1, "check pinned.inp");
    tool_free(&run);
}

// A flange hangs on the solid without being its face: it is not looked at, and never clean.
static void a_flange_is_never_clean(void **state)
{
    (void)state;
    tool_write("flange.inp", BLOCK "*ELEMENT, TYPE=S4, ELSET=flange\n2, 6,9,10,7\n" PIN("1.5"));
    tool_run run = tool_expect(2, "check flange.inp");
    assert_null(strstr(run.out, "clean"));
    assert_non_null(strstr(run.err, "1 elements were ignored"));
    tool_free(&run);
}

// ---- groups ----

static void groups_become_bodies(void **state)
{
    (void)state;
    tool_write("g.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv .2 .2 -1\nv .3 .2 1\nv .2 .3 1\ng floor\nf 1 2 3\ng pin\nf 4 5 6\n");
    tool_run run = tool_expect(1, "check --json --split groups --no-self g.obj");
    assert_true(read_json_is(run.out, "bodies[0].name", "floor"));
    assert_true(read_json_is(run.out, "bodies[1].name", "pin"));
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    tool_free(&run);
    run = tool_expect(1, "check --json --split shells --no-self g.obj");
    assert_true(read_json_is(run.out, "bodies[1].name", "g.2"));
    tool_free(&run);
    run = tool_expect(0, "check --json --no-self g.obj");
    tool_free(&run);
    run = tool_expect(1, "check -q --label groups --pairs g.csv g.obj");
    tool_free(&run);
    char *csv = tool_read("g.csv");
    assert_non_null(strstr(csv, ",object_a,object_b,label_a,label_b\n"));
    assert_non_null(strstr(csv, ",t0,t1,floor,pin\n"));
    free(csv);
    run = tool_expect(1, "check --json --label groups g.obj");
    assert_true(read_json_is(run.out, "bodies[0].name", "g"));
    assert_true(read_json_is(run.out, "places[0].label_a", "floor"));
    assert_true(read_json_is(run.out, "places[0].label_b", "pin"));
    tool_free(&run);
    run = tool_expect(1, "check --label groups g.obj");
    assert_non_null(strstr(run.out, "t0 (floor) - t1 (pin), crossing"));
    tool_free(&run);
    tool_refuses("check --label colours g.obj", "colours", "materials", NULL);
    tool_refuses("check --label materials --split groups g.obj", "use one of them", NULL);
    tool_refuses("check --split colours g.obj", "colours", "materials", NULL);
}

// ---- decks ----

static void contacts_have_the_labels_of_a_deck(void **state)
{
    (void)state;
    tool_write(
        "d.inp",
        "*NODE\n101,0,0,0\n102,1,0,0\n103,1,1,0\n104,0,1,0\n105,0,0,1\n106,1,0,1\n107,1,1,1\n108,0,1,1\n"
        "201,.25,.5,.4\n202,.25,.5,3\n203,1.25,.5,3\n204,.25,1.5,3\n*ELEMENT, TYPE=C3D8\n7001,101,102,103,104,105,106,107,108\n"
        "*ELEMENT, TYPE=C3D4\n7002,201,203,204,202\n");
    tool_run run = tool_expect(1, "check -q d.inp --pairs d.csv");
    tool_free(&run);
    char *csv = tool_read("d.csv");
    assert_non_null(strstr(csv, "v201,d,k7001,inside"));
    free(csv);
}

static void a_pvd_plays_by_itself(void **state)
{
    (void)state;
    write_frames();
    tool_run run = tool_expect(1, "check -q --sequence 'c_*.obj' --vtu out.pvd");
    tool_free(&run);
    run = tool_expect(1, "check --json out.pvd");
    assert_true(read_json_at(run.out, "frames[4].frame") == 4);
    assert_true(read_json_at(run.out, "contacts_total") == 3);
    tool_free(&run);
}

// ---- hints ----

static void hints_name_the_option_that_helps(void **state)
{
    (void)state;
    // Two triangles that share an edge by places and not by vertices; a third one repeats the first.
    tool_write("soup.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    tool_run run = tool_expect(1, "check soup.obj");
    assert_non_null(strstr(run.err, "2 vertices stand exactly where another one of their body stands (\"soup\")"));
    assert_non_null(strstr(run.err, "--weld"));
    tool_free(&run);
    run = tool_expect(0, "check --weld soup.obj");
    assert_null(strstr(run.err, "stand exactly"));
    tool_free(&run);
    run = tool_expect(0, "info soup.obj");
    assert_non_null(strstr(run.out, "hint       2 vertices stand exactly where another one stands; --weld joins them"));
    tool_free(&run);
    run = tool_expect(1, "check soup.obj soup.obj");
    assert_non_null(strstr(run.err, "\"soup\" and \"soup.2\" are the same mesh at the same place; leave one out"));
    tool_free(&run);
    tool_write("twice.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 3 1\nf 3 2 1\n");
    run = tool("check twice.obj");
    if (run.code == 1)
        assert_non_null(strstr(run.err, "2 faces or cells have the same vertices as another one"));
    tool_free(&run);
    tool_write("inside_out.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 3 1\n3 1 3 2\n3 0 2 3\n");
    run = tool_expect(0, "info inside_out.off");
    assert_non_null(strstr(run.out, "its faces look inward"));
    tool_free(&run);
    // Also where it touches something; an open surface has no inside, and one that looks outward needs no hint.
    tool_write("pin.obj", "v .2 .2 -1\nv .2 .2 1\nv .3 .2 1\nf 1 2 3\n");
    run = tool_expect(1, "check inside_out.off pin.obj");
    assert_non_null(strstr(run.err, "the faces of \"inside_out\" look inward"));
    tool_free(&run);
    tool_write("outside_out.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n");
    tool_write("open.off", "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 3 1\n3 1 3 2\n");
    for (int i = 0; i < 2; i++) {
        run = tool_expect(1, i ? "check open.off pin.obj" : "check outside_out.off pin.obj");
        assert_null(strstr(run.err, "look inward"));
        tool_free(&run);
    }
    run = tool_expect(0, "info soup.obj soup.obj");
    assert_non_null(strstr(run.err, "are the same mesh at the same place"));
    tool_free(&run);
}

static void units_that_may_differ_are_told(void **state)
{
    (void)state;
    tool_write("metres.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_write("millimetres.obj", "v 0 0 5\nv 900 0 5\nv 0 900 5\nf 1 2 3\n");
    tool_write("larger.obj", "v 0 0 6\nv 200 0 6\nv 0 200 6\nf 1 2 3\n");
    static const char said[] = "millimetres.obj is 1273 across, metres.obj only 1.414; if they are in different units, scale one";
    tool_run run = tool_expect(0, "check metres.obj millimetres.obj larger.obj");  // clean: they miss each other
    assert_non_null(strstr(run.err, said));
    tool_free(&run);
    run = tool_expect(0, "info metres.obj millimetres.obj");
    assert_non_null(strstr(run.err, said));
    tool_free(&run);
    run = tool_expect(0, "check metres.obj larger.obj");
    assert_null(strstr(run.err, "units"));
    tool_free(&run);
}

// A hexahedron that is inside out finds what the same one outside in finds, and says so, whether it meets anything or not.
static void inverted_cells_are_told_and_looked_at(void **state)
{
    (void)state;
    static const char nodes[] =
        "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n11,.4,.3,.6\n12,3,3,3\n"
        "13,3,4,3\n14,4,3,3\n*ELEMENT, TYPE=C3D8\n70, ";
    char text[2][600];
    static const char *const corners[2] = {"1,2,3,4,5,6,7,8\n", "5,6,7,8,1,2,3,4\n"};
    for (int k = 0; k < 2; k++) {
        snprintf(text[k], sizeof text[k], "%s%s", nodes, corners[k]);
        tool_write(k == 0 ? "right.inp" : "inverted.inp", text[k]);
    }
    static const char said[] = "1 of 1 cells are inverted, k70 of \"inverted\" first";
    tool_run run = tool_expect(0, "check inverted.inp");
    assert_non_null(strstr(run.err, said));
    tool_free(&run);
    run = tool_expect(0, "check right.inp");
    assert_null(strstr(run.err, "inverted"));
    tool_free(&run);
    for (int k = 0; k < 2; k++) {
        strcat(text[k], "*ELEMENT, TYPE=C3D4\n2,11,13,12,14\n");
        tool_write("both.inp", text[k]);
        run = tool_expect(1, k == 0 ? "check both.inp --pairs right.csv" : "check both.inp --pairs inverted.csv");
        assert_int_equal(strstr(run.err, "of 2 cells are inverted") != NULL, k == 1);
        tool_free(&run);
    }
    char *right = tool_read("right.csv"), *inverted = tool_read("inverted.csv");
    assert_string_equal(right, inverted);
    free(right);
    free(inverted);
    // The cell once, not each tetrahedron that it was cut into.
    run = tool_expect(0, "info inverted.inp");
    assert_non_null(strstr(run.out, "inverted tetrahedron: 6 (k70)\n"));
    tool_free(&run);
}

static void what_is_not_a_mesh_is_counted_in_decks(void **state)
{
    (void)state;
    tool_write("more.inp", BLOCK "*MATERIAL, NAME=STEEL\n*ELASTIC\n2e5,0.3\n*NSET, NSET=all\n1,2\n");
    tool_run run = tool_expect(0, "check more.inp");
    assert_non_null(strstr(run.err, "more.inp: 2 keywords that are neither nodes nor elements are passed over"));
    tool_free(&run);
    tool_write("more.k", "*KEYWORD\n*NODE\n       1             0.0             0.0             0.0\n       2             1.0      "
                         "       0.0             0.0\n"
                         "       3             0.0             1.0             0.0\n*ELEMENT_SHELL\n       1       1       1       "
                         "2       3       3\n"
                         "*FOO_BAR\n1,2\n*END\n");
    run = tool_expect(0, "check more.k");
    assert_non_null(strstr(run.err, "more.k: 1 keywords that are neither"));
    tool_free(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverted_cells_are_told_and_looked_at),
        cmocka_unit_test(what_is_not_a_mesh_is_counted_in_decks),
        cmocka_unit_test(frames_with_other_faces_are_checked),
        cmocka_unit_test(impacts_say_which_frames_they_cannot_join),
        cmocka_unit_test(other_counts_of_bodies_are_checked),
        cmocka_unit_test(bodies_that_only_later_frames_have_are_checked),
        cmocka_unit_test(late_bodies_may_be_of_another_kind),
        cmocka_unit_test(a_skin_does_not_catch_on_its_solid),
        cmocka_unit_test(a_flange_is_never_clean),
        cmocka_unit_test(groups_become_bodies),
        cmocka_unit_test(contacts_have_the_labels_of_a_deck),
        cmocka_unit_test(a_pvd_plays_by_itself),
        cmocka_unit_test(hints_name_the_option_that_helps),
        cmocka_unit_test(units_that_may_differ_are_told),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
