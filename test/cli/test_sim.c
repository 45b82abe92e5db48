// `snag sim` from outside: the list of scenes, runs, what they write, and what it says of bad input.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include "read_json.h"
#include "snag/sim.h"

static tool_run sim_json(const char *arguments)
{
    char command[2000];
    snprintf(command, sizeof command, "sim --json --quiet --threads 1 %s", arguments);
    tool_run run = tool_expect(0, command);
    if (!read_json_valid(run.out))
        fail_msg("not JSON: %s", run.out);
    return run;
}

static void without_a_scene_all_are_listed(void **state)
{
    (void)state;
    tool_run words = tool_expect(0, "sim"), listed = sim_json("");
    size_t count = 0;
    for (; snag_sim_scene_name(count); count++)
        assert_non_null(strstr(words.out, snag_sim_scene_name(count)));
    assert_int_equal(read_json_count(listed.out, "scenes"), count);
    assert_true(read_json_is(listed.out, "scenes[0].name", "cloth-ball"));
    assert_true(read_json_at(listed.out, "scenes[0].steps") == 300);
    tool_free(&words);
    tool_free(&listed);
}

static void a_run_tells_how_it_went(void **state)
{
    (void)state;
    tool_run run = sim_json("soft-blocks --size 0.04 --steps 14");
    assert_true(read_json_is(run.out, "scene", "soft-blocks"));
    assert_int_equal(read_json_count(run.out, "bodies"), 4);
    assert_int_equal(read_json_count(run.out, "steps"), 14);
    assert_true(read_json_at(run.out, "steps[13].step") == 14);
    assert_true(read_json_at(run.out, "steps[13].contacts") > 0);
    assert_true(read_json_at(run.out, "steps_per_second") > 0);
    assert_true(read_json_at(run.out, "worst_penetration") >= read_json_at(run.out, "last_penetration"));
    assert_true(read_json_at(run.out, "worst_crossing") >= read_json_at(run.out, "last_crossing"));
    assert_true(read_json_at(run.out, "last_crossing") == read_json_at(run.out, "steps[13].crossing"));
    assert_true(read_json_at(run.out, "detect_ms") > 0);
    assert_true(read_json_at(run.out, "ms") >= read_json_at(run.out, "solve_ms"));
    tool_free(&run);
    run = tool_expect(0, "sim soft-blocks --size 0.04 --steps 3 --threads 1");
    assert_non_null(strstr(run.out, "steps per second"));
    assert_non_null(strstr(run.out, "penetration"));
    assert_non_null(strstr(run.out, "pairs of triangles"));
    assert_non_null(strstr(run.out, "energy"));
    assert_non_null(strstr(run.out, "detection"));
    tool_free(&run);
}

// A step that is long is cut until nothing goes further than it can.
static void steps_may_be_longer_than_the_scene_s(void **state)
{
    (void)state;
    tool_run run = sim_json("dressed-figure --size 0.01 --steps 2 --dt 1");
    assert_true(read_json_at(run.out, "steps[1].time") == 2);
    assert_true(read_json_at(run.out, "cuts") > 0 && read_json_at(run.out, "steps[0].substeps") > 1);
    tool_free(&run);
    run = tool_expect(0, "sim sphere --size 0.01 --steps 2 --threads 1");
    assert_non_null(strstr(run.out, "not looked for"));
    tool_free(&run);
}

// The triangles of a scene that is cut change from frame to frame.
static void a_scene_that_is_cut_is_written_as_meshes(void **state)
{
    (void)state;
    tool_run run = tool_expect(0, "sim block-cut --size 0.05 --steps 80 --out halves --threads 1");
    assert_non_null(strstr(run.out, "vertices split"));
    tool_free(&run);
    assert_true(tool_has("halves/frame_0000.obj") && tool_has("halves/frame_0080.obj"));
    run = tool_expect(0, "check --json --sequence halves");
    assert_int_equal(read_json_count(run.out, "frames"), 81);
    tool_free(&run);
    run = tool_expect(2, "sim block-cut --size 0.05 --steps 2 --out halves.pc2");
    assert_non_null(strstr(run.err, "give a folder"));
    tool_free(&run);
    run = tool_expect(2, "sim block-cut --tear 1.5");
    assert_non_null(strstr(run.err, "tear"));
    tool_free(&run);
    run = tool_expect(2, "sim cloth-rip --tear 1");
    assert_non_null(strstr(run.err, "such as 1.5"));
    tool_free(&run);
    run = tool_expect(2, "sim cloth-rip --tear 0");
    tool_free(&run);
    run = sim_json("cloth-rip --size 0.05 --steps 4 --tear 1.0001");
    assert_true(read_json_at(run.out, "steps[3].splits") >= 0);
    tool_free(&run);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    tool_run run = tool_expect(0, "sim loop --size 0.01 --steps 4 --out motion --threads 1");
    tool_free(&run);
    assert_true(tool_has("motion/mesh_00.obj") && tool_has("motion/strip.pc2"));
    run = tool_expect(0, "check --json motion");
    assert_int_equal(read_json_count(run.out, "frames"), 5);  // the start and four steps
    tool_free(&run);
    run = tool_expect(0, "sim cloth-ball --size 0.01 --steps 2 --out both.pc2 --threads 1");
    tool_free(&run);
    assert_true(tool_has("both.obj") && tool_has("both.pc2"));
    run = tool_expect(0, "check --json both.obj both.pc2");
    assert_int_equal(read_json_count(run.out, "bodies"), 2);
    assert_int_equal(read_json_count(run.out, "frames"), 3);
    tool_free(&run);
    tool_refuses("sim cloth-ball --size 0.01 --steps 2 --out both.pc2", "already exists", NULL);
}

static void the_same_seed_gives_the_same_bytes_on_one_and_two_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        char command[200];
        snprintf(command, sizeof command, "sim cloth-twist --size 0.02 --steps 30 --threads %d --out t%d.pc2", threads, threads);
        tool_run run = tool_expect(0, command);
        tool_free(&run);
    }
    char command[400];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", tool_path("t1.pc2"), tool_path("t2.pc2"));
    assert_int_equal(system(command), 0);
}

static void bad_input_is_told(void **state)
{
    (void)state;
    tool_refuses("sim cloth-bal", "unknown scene \"cloth-bal\"", "did you mean cloth-ball?", NULL);
    tool_refuses("sim cloth-ball loop", "one scene", NULL);
    tool_refuses("sim cloth-ball --size 1e9", "--size", NULL);
    tool_refuses("sim cloth-ball --response-ratio 2", "--response-ratio", NULL);
    tool_refuses("sim cloth-ball --response maybe", "maybe", "impacts", NULL);
    tool_refuses("sim soft-blocks --size 0.01 --method active", "active", "cannot answer", NULL);
    tool_refuses("sim cloth-ball --steps 0", "--steps", NULL);
    tool_refuses("sim cloth-ball --dt 0", "--dt", NULL);
    tool_refuses("sim cloth-ball --size 0.01 --steps 2 --dt 1e6", "cloth: vertex", "step 1", "--adaptive", NULL);
    tool_refuses("sim cloth-ball --size 0.01 --steps 2 --out here.obj", "here.obj", "FILE.pc2", NULL);
    tool_refuses("sim cloth-ball --size 0.01 --steps 9000000000000000000", "--steps", NULL);
    tool_refuses("sim cloth-ball --size 0.01 --steps 1 --out /dev/null/x", "/dev/null/x", NULL);
}

// Models of one's own: a mesh file of tetrahedra for soft blocks, one of triangles for the ball.
static void models_of_files_stand_for_those_of_the_scene(void **state)
{
    (void)state;
    tool_make_folder("models");
    tool_write("models/one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    tool_make_folder("tets");
    tool_write("tets/two.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n9 9 9 0\n"
                                "Tetrahedra 1\n1 2 4 3 0\nEnd\n");
    tool_run run = sim_json("cloth-ball --size 0.01 --steps 2 --data models");
    assert_true(read_json_at(run.out, "bodies[1].vertices") == 4);
    assert_true(read_json_at(run.out, "bodies[1].triangles") == 4);
    assert_true(read_json_is(run.out, "data", "models"));
    tool_free(&run);
    run = sim_json("soft-blocks --steps 2 --data tets");
    for (int b = 0; b < 4; b++) {
        char at[40];
        snprintf(at, sizeof at, "bodies[%d].tets", b);
        assert_true(read_json_at(run.out, at) == 1);  // turned the right way, and without the vertex that none uses
        snprintf(at, sizeof at, "bodies[%d].vertices", b);
        assert_true(read_json_at(run.out, at) == 4);
    }
    tool_free(&run);
    run = sim_json("teschner-a --steps 1 --data tets");
    assert_true(read_json_at(run.out, "bodies[99].tets") == 1);
    tool_free(&run);
    static const char *const surfaces[] = {"madera-a", "madera-b", "madera-c", "torus-ellipsoid", "sphere", "rodriguez"};
    for (size_t i = 0; i < sizeof surfaces / sizeof *surfaces; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "%s --steps 1 --data models", surfaces[i]);
        run = sim_json(arguments);
        assert_true(read_json_at(run.out, "bodies[0].triangles") == 4);
        tool_free(&run);
    }
    tool_refuses("sim soft-blocks --data models", "one.obj", "tetrahedra", NULL);
    tool_refuses("sim loop --data models", "loop takes no models", "soft-pile", NULL);
    tool_refuses("sim cloth-ball --data nowhere", "nowhere", NULL);
    tool_make_folder("empty");
    tool_write("empty/words.txt", "nothing");
    tool_refuses("sim rodriguez --data empty", "empty", "models.txt", "--models", NULL);
    tool_make_folder("flat");
    tool_write("flat/flat.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\n"
                                 "Tetrahedra 1\n1 2 3 4 0\nEnd\n");
    tool_refuses("sim soft-blocks --data flat", "flat.mesh", "tetrahedron 0 without volume", NULL);
}

// A box of 1.7 m; a tube of four sides around its upper half, moved by `aside`; the box may lack its lid.
static void write_dressed(const char *path, bool closed, double aside)
{
    char text[2000], *at = text;
    at += sprintf(at, "o body\n");
    for (int v = 0; v < 8; v++)
        at += sprintf(at, "v %g %g %g\n", v & 1 ? 0.1 : -0.1, v & 2 ? 0.1 : -0.1, v & 4 ? 1.7 : 0.0);
    at += sprintf(at, "f 1 3 4 2\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n%s", closed ? "f 5 6 8 7\n" : "");
    if (aside < 0) {
        tool_write(path, text);
        return;
    }
    at += sprintf(at, "o dress\n");
    for (int v = 0; v < 12; v++) {
        static const double corner[4][2] = {{-0.2, -0.2}, {0.2, -0.2}, {0.2, 0.2}, {-0.2, 0.2}};
        at += sprintf(at, "v %g %g %g\n", corner[v % 4][0] + aside, corner[v % 4][1], 0.8 + 0.3 * (v / 4));
    }
    for (int row = 0; row < 2; row++)
        for (int k = 0; k < 4; k++)
            at += sprintf(at, "f %d %d %d %d\n", 9 + 4 * row + k, 9 + 4 * row + (k + 1) % 4, 13 + 4 * row + (k + 1) % 4,
                          13 + 4 * row + k);
    tool_write(path, text);
}

static void a_figure_of_a_file_wears_the_garments_of_the_file(void **state)
{
    (void)state;
    static const char *const scenes[] = {"dressed-figure", "dressed-man", "walking-figure", "body-cloth", "body-cloth-fine"};
    tool_make_folder("dressed");
    write_dressed("dressed/both.obj", true, 0);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "%s --steps 3 --data dressed", scenes[i]);
        tool_run run = sim_json(arguments);
        assert_int_equal(read_json_count(run.out, "bodies"), 2);
        assert_true(read_json_is(run.out, "bodies[0].name", "body") && read_json_at(run.out, "bodies[0].triangles") == 12);
        assert_true(read_json_is(run.out, "bodies[1].name", "dress") && read_json_at(run.out, "bodies[1].triangles") == 16);
        tool_free(&run);
    }
    write_dressed("dressed/both.obj", false, 0);
    tool_refuses("sim dressed-man --data dressed", "both.obj#body", "not closed", NULL);
    write_dressed("dressed/both.obj", true, 0.5);
    tool_refuses("sim walking-figure --data dressed", "both.obj#dress", "does not lie around", NULL);
    write_dressed("dressed/both.obj", true, -1);
    tool_refuses("sim body-cloth --data dressed", "both.obj#body", "is alone", NULL);
    tool_make_folder("nothing");
    tool_refuses("sim dressed-man --data nothing", "a figure and its garments", "models.txt", NULL);
}

static void a_list_names_the_models_of_a_scene(void **state)
{
    (void)state;
    static const char *const tetrahedron = "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                                           "Tetrahedra 1\n1 2 3 4 0\nEnd\n";
    tool_make_folder("part");
    tool_make_folder("part/deep");
    tool_write("part/deep/one.mesh", tetrahedron);
    tool_write("part/unlisted.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_dressed("part/deep/both.obj", true, 0);
    tool_write("part/models.txt", "# models\n\n[soft-blocks teschner-a]\n  deep/one.mesh \r\n[dressed-figure]\ndeep/both.obj#body\n"
                                  "deep/both.obj#dress\n");
    tool_run run = sim_json("soft-blocks --steps 1 --data part");
    assert_true(read_json_at(run.out, "bodies[0].tets") == 1);
    tool_free(&run);
    run = sim_json("dressed-figure --steps 1 --data part");
    assert_true(read_json_at(run.out, "bodies[1].triangles") == 16);
    tool_free(&run);
    // The list has nothing for this one: the mesh files of the folder itself.
    run = sim_json("torus-ellipsoid --steps 1 --data part");
    assert_true(read_json_at(run.out, "bodies[0].triangles") == 1);
    tool_free(&run);
    // A list from elsewhere comes before the folder's own, and stands alone.
    tool_write("other.txt", "[soft-pile]\ndeep/one.mesh\n[cloth-ball]\ndeep/none.obj\n[dressed-figure]\ndeep/both.obj#hat\n");
    run = sim_json("soft-pile --steps 1 --data part --models other.txt");
    assert_true(read_json_at(run.out, "bodies[0].tets") == 1);
    tool_free(&run);
    tool_refuses("sim torus-ellipsoid --data part --models other.txt", "other.txt", "no models listed for scene torus-ellipsoid",
                 NULL);
    tool_refuses("sim cloth-ball --data part --models other.txt", "deep/none.obj", "file not found", NULL);
    tool_refuses("sim dressed-figure --data part --models other.txt", "no object \"hat\"", NULL);
    tool_refuses("sim soft-blocks --models other.txt", "--data", NULL);
    tool_refuses("sim soft-blocks --data part --models nowhere.txt", "nowhere.txt", "list of models", NULL);
}

static void a_bad_list_is_refused_with_its_line(void **state)
{
    (void)state;
    tool_make_folder("listed");
    tool_write("bad.txt", "# models\na.mesh\n");
    tool_refuses("sim soft-blocks --data listed --models bad.txt", "bad.txt:2", "before the first scene", NULL);
    tool_write("bad.txt", "[soft-blocks sft-pile]\na.mesh\n");
    tool_refuses("sim soft-blocks --data listed --models bad.txt", "bad.txt:1", "unknown scene \"sft-pile\"", NULL);
    tool_write("bad.txt", "\n[soft-blocks\na.mesh\n");
    tool_refuses("sim soft-blocks --data listed --models bad.txt", "bad.txt:2", "]", NULL);
    tool_write("bad.txt", "[]\n");
    tool_refuses("sim soft-blocks --data listed --models bad.txt", "bad.txt:1", "no scene", NULL);
    tool_write("bad.txt", "[soft-blocks]\na.mesh\n[soft-blocks]\n");
    tool_refuses("sim soft-blocks --data listed --models bad.txt", "bad.txt:3", "listed twice", NULL);
    char text[2000] = "[soft-blocks]\n";
    for (int i = 0; i < 9; i++)
        strcat(text, "a.mesh\n");
    tool_write("bad.txt", text);
    tool_refuses("sim soft-blocks --data listed --models bad.txt", "bad.txt:10", "more than 8", NULL);
    strcpy(text, "[soft-blocks]\n");
    memset(text + strlen(text), 'x', 1200);
    tool_write("bad.txt", text);
    tool_refuses("sim soft-blocks --data listed --models bad.txt", "bad.txt:2", "longer", NULL);
    tool_refuses("sim soft-blocks --data listed --models listed", "listed", "list of models", NULL);
}

static void scenes_run_with_real_models(void **state)
{
    (void)state;
    const char *folder = getenv("SNAG_DATA"), *source = getenv("SNAG_SOURCE");
    if (!folder || !source) {
        print_message("SNAG_DATA names no folder of real meshes: skipped\n");
        skip();
    }
    static const struct {
        const char *scene, *at;
        double count;
    } scenes[] = {{"soft-blocks", "bodies[1].tets", 5029},
                  {"rodriguez", "bodies[0].triangles", 10018},
                  {"cloth-ball --size 0.01", "bodies[1].triangles", 10506},
                  {"dressed-figure", "bodies[1].triangles", 4000},
                  {"walking-figure", "bodies[0].triangles", 28224},
                  {"torus-ellipsoid", "bodies[0].triangles", 10506},
                  {"sphere", "bodies[0].triangles", 10506},
                  {"madera-a", "bodies[9].triangles", 1176},
                  {"madera-b", "bodies[2].triangles", 256},
                  {"madera-c", "bodies[1].triangles", 1176},
                  {"teschner-b", "bodies[5].tets", 5029}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char arguments[1000];
        snprintf(arguments, sizeof arguments, "%s --steps 1 --data '%s' --models '%s/lab/models.txt'", scenes[i].scene, folder,
                 source);
        tool_run run = sim_json(arguments);
        assert_true(read_json_at(run.out, scenes[i].at) == scenes[i].count);
        assert_int_equal(read_json_count(run.out, "steps"), 1);
        tool_free(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_scene_all_are_listed),
        cmocka_unit_test(a_run_tells_how_it_went),
        cmocka_unit_test(steps_may_be_longer_than_the_scene_s),
        cmocka_unit_test(a_scene_that_is_cut_is_written_as_meshes),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes_on_one_and_two_threads),
        cmocka_unit_test(bad_input_is_told),
        cmocka_unit_test(models_of_files_stand_for_those_of_the_scene),
        cmocka_unit_test(a_figure_of_a_file_wears_the_garments_of_the_file),
        cmocka_unit_test(a_list_names_the_models_of_a_scene),
        cmocka_unit_test(a_bad_list_is_refused_with_its_line),
        cmocka_unit_test(scenes_run_with_real_models),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
