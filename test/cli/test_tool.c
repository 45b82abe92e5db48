// The tool from outside, on small files made here: exit codes, JSON, CSV, and what it says of bad input.
#define _XOPEN_SOURCE 700
#include "tool_shapes.h"

#include "snag/io.h"

// ---- check ---------------------------------------------------------------------------------------------------------

static void a_clean_mesh_ends_with_0_and_json_has_the_promised_keys(void **state)
{
    (void)state;
    tool_write("clean.obj", tetrahedron);
    tool_run run = check_json(0, "clean.obj");
    assert_true(read_json_is(run.out, "snag", snag_version()));
    assert_true(read_json_is(run.out, "question", "intersections"));
    assert_non_null(read_json_find(run.out, "method"));
    assert_true(read_json_at(run.out, "threads") >= 1);
    assert_int_equal(read_json_count(run.out, "bodies"), 1);
    assert_true(read_json_is(run.out, "bodies[0].name", "clean"));
    assert_true(read_json_at(run.out, "bodies[0].vertices") == 4);
    assert_true(read_json_at(run.out, "bodies[0].triangles") == 4);
    assert_true(read_json_at(run.out, "bodies[0].tets") == 0);
    assert_true(read_json_at(run.out, "bodies[0].degenerate") == 0);
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    assert_true(read_json_at(run.out, "frames[0].frame") == 0);
    assert_true(read_json_at(run.out, "frames[0].contacts") == 0);
    assert_true(read_json_at(run.out, "frames[0].ms") >= 0);
    assert_true(read_json_at(run.out, "contacts_total") == 0);
    assert_int_equal(strncmp(read_json_find(run.out, "complete"), "true", 4), 0);
    assert_string_equal(run.err, "");
    tool_free(&run);
}

static void contacts_end_with_1_and_are_listed_once(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = check_json(1, "cross.obj --pairs cross.csv");
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    tool_free(&run);
    char *csv = tool_read("cross.csv");
    assert_string_equal(csv, "frame,body_a,a,body_b,b,kind,value,t,px,py,pz,nx,ny,nz,place,object_a,object_b\n"
                             "0,cross,t0,cross,t1,crossing,0,0,0.25,0.4375,0,0,0,0,1,t0,t1\n");
    free(csv);
    run = tool_expect(1, "check cross.obj");
    assert_non_null(strstr(run.out, "t0 - t1, crossing"));
    assert_non_null(strstr(run.out, "1 contact"));
    tool_free(&run);
}

static void active_finds_a_part_and_says_how_large_it_is(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = check_json(1, "cross.obj --question proximities --distance 1 --method active --seed 3");
    assert_true(read_json_is(run.out, "method", "active"));
    assert_int_equal(strncmp(read_json_find(run.out, "complete"), "false", 5), 0);
    assert_true(read_json_at(run.out, "frames[0].ratio_low") <= read_json_at(run.out, "frames[0].ratio"));
    assert_true(read_json_at(run.out, "frames[0].ratio_high") <= 1);
    tool_free(&run);
    run = tool_expect(1, "check cross.obj --question proximities --distance 1 --method active");
    assert_non_null(strstr(run.out, "found about"));
    tool_free(&run);
    run = tool_expect(2, "check cross.obj --question proximities --target 0.5");
    assert_non_null(strstr(run.err, "--method active"));
    tool_free(&run);
    run = tool_expect(2, "check cross.obj --question intersections --method active");
    assert_non_null(strstr(run.err, "active cannot answer intersections"));
    tool_free(&run);
}

static void objects_are_bodies_and_elements_count_through_the_file(void **state)
{
    (void)state;
    tool_write("two.obj", two_objects);
    tool_run run = check_json(1, "two.obj --pairs two.csv");
    assert_int_equal(read_json_count(run.out, "bodies"), 2);
    assert_true(read_json_is(run.out, "bodies[1].name", "wall"));
    assert_true(read_json_at(run.out, "bodies[1].triangles") == 2);
    assert_true(read_json_at(run.out, "contacts_total") == 1);  // the quad is one face
    assert_true(read_json_at(run.out, "frames[0].triangle_pairs") == 2);
    assert_true(read_json_at(run.out, "frames[0].between") == 1);
    assert_true(read_json_at(run.out, "frames[0].self") == 0);
    tool_free(&run);
    char *csv = tool_read("two.csv");
    assert_int_equal(line_count(csv), 2);
    assert_non_null(strstr(csv, "\n0,floor,t0,wall,t1,crossing,"));
    free(csv);
}

static void self_and_between_can_be_left_out(void **state)
{
    (void)state;
    tool_write("two.obj", two_objects);
    tool_write("cross.obj", crossing);
    tool_run run = check_json(0, "two.obj --no-between");
    tool_free(&run);
    run = check_json(1, "two.obj --no-self");
    tool_free(&run);
    run = check_json(1, "cross.obj two.obj --no-between");
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    tool_free(&run);
    run = check_json(0, "cross.obj --no-self");
    tool_free(&run);
    tool_refuses("check two.obj --no-self --no-between", "nothing to look for", NULL);
}

static void bodies_of_one_name_are_told_apart(void **state)
{
    (void)state;
    tool_make_folder("a");
    tool_make_folder("b");
    tool_write("a/x.obj", tetrahedron);
    tool_write("b/x.obj", tetrahedron);
    tool_write("x.2.obj", tetrahedron);
    tool_run run = check_json(1, "a/x.obj x.2.obj b/x.obj a/x.obj --pairs names.csv");
    assert_true(read_json_is(run.out, "bodies[0].name", "x"));
    assert_true(read_json_is(run.out, "bodies[1].name", "x.2"));
    assert_true(read_json_is(run.out, "bodies[2].name", "x.3"));
    assert_true(read_json_is(run.out, "bodies[3].name", "x.4"));
    double total = read_json_at(run.out, "contacts_total");
    tool_free(&run);
    char *csv = tool_read("names.csv");
    assert_true((double)line_count(csv) == total + 1);
    free(csv);
}

static void names_pass_through_as_utf8_and_are_escaped(void **state)
{
    (void)state;
    tool_write("odd.obj", "o Kleid \xc3\xa4 \"rot\\,\x01\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n"
                          "o bad\xff\nv 0.25 0 -1\nv 0.25 0 1\nv 0.25 3 0\nf 4 5 6\n");
    tool_run run = check_json(1, "odd.obj --pairs odd.csv");
    assert_non_null(strstr(run.out, "Kleid \xc3\xa4 \\\"rot\\\\,\\u0001"));
    assert_non_null(strstr(run.out, "\"bad\\ufffd\""));
    tool_free(&run);
    char *csv = tool_read("odd.csv");
    assert_non_null(strstr(csv, "\"Kleid \xc3\xa4 \"\"rot\\,"));
    free(csv);
    run = tool_expect(1, "check odd.obj");
    assert_null(strchr(run.out, '\x01'));  // no control byte reaches a terminal
    tool_free(&run);
}

// A needle in the notch of a U, and one through its ground: a fan from the first corner would cover the notch, and itself.
static void concave_polygons_hold_nothing_in_their_notch(void **state)
{
    (void)state;
    static const char *const polygon[] = {"f 1 2 3 4 5 6 7 8", "f 8 7 6 5 4 3 2 1", "f 4 5 6 7 8 1 2 3"};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "o u\nv 1 0 0\nv 0 0 0\nv 0 3 0\nv 3 3 0\nv 3 1 0\nv 2 1 0\nv 2 2 0\nv 1 2 0\n%s\n"
                 "o free\nv 1.5 1.2 -1\nv 1.6 1.2 1\nv 1.5 1.3 1\nf 9 10 11\n"
                 "o stuck\nv 0.5 2.5 -1\nv 0.6 2.5 1\nv 0.5 2.6 1\nf 12 13 14\n",
                 polygon[i]);
        tool_write("notch.obj", text);
        tool_run run = check_json(1, "notch.obj");
        assert_true(read_json_at(run.out, "contacts_total") == 1);
        tool_free(&run);
        run = tool_expect(1, "check notch.obj");
        assert_non_null(strstr(run.out, "u t0 - stuck t2, crossing"));
        tool_free(&run);
    }
}

static void degenerate_triangles_are_counted_and_take_no_part(void **state)
{
    (void)state;
    tool_write("thin.obj", "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv 0.25 0 -1\nv 0.25 0 1\nf 1 2 3\nf 4 5 4\n");
    tool_run run = check_json(0, "thin.obj");
    assert_true(read_json_at(run.out, "bodies[0].degenerate") == 1);
    tool_free(&run);
}

static void a_soup_can_be_welded(void **state)
{
    (void)state;
    // Two triangles with an edge in common, each with vertices of its own: touching, unless the vertices are the same.
    tool_write("soup.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    tool_run run = check_json(1, "soup.obj");
    tool_free(&run);
    run = check_json(0, "soup.obj --weld");
    tool_free(&run);
}

static void threads_and_method_are_taken(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = check_json(1, "cross.obj --threads 1 --method brute");
    assert_true(read_json_at(run.out, "threads") == 1);
    assert_true(read_json_is(run.out, "method", "brute"));
    tool_free(&run);
}

// A smooth sheet that bends, of 4,232 triangles: some frames are answered by kdop, the later ones by regularity.
static void frames_of_several_methods_are_told_by_what_was_asked_for(void **state)
{
    (void)state;
    enum { CELLS = 46, SIDE = CELLS + 1, FRAMES = 34 };
    static float frames[FRAMES][SIDE * SIDE][3];
    FILE *obj = fopen(tool_path("bending.obj"), "w");
    assert_non_null(obj);
    for (int f = 0; f < FRAMES; f++)
        for (int v = 0; v < SIDE * SIDE; v++) {
            int row = v / SIDE;
            float x = (float)(v % SIDE), y = (float)row;
            frames[f][v][0] = x;
            frames[f][v][1] = y;
            frames[f][v][2] = 0.001f * (float)f * (x * x + y * y);
            if (f == 0)
                fprintf(obj, "v %g %g 0\n", (double)x, (double)y);
        }
    for (int y = 0; y < CELLS; y++)
        for (int x = 0; x < CELLS; x++)
            fprintf(obj, "f %d %d %d %d\n", y * SIDE + x + 1, y * SIDE + x + 2, (y + 1) * SIDE + x + 2, (y + 1) * SIDE + x + 1);
    fclose(obj);
    tool_write_pc2("bending.pc2", SIDE * SIDE, FRAMES, frames[0][0]);
    tool_run run = check_json(0, "bending.obj bending.pc2");
    assert_true(read_json_is(run.out, "method", "auto"));
    assert_true(read_json_is(run.out, "reason", "frames were answered by different methods"));
    tool_free(&run);
    run = check_json(0, "bending.obj bending.pc2 --frames 0:31");
    assert_true(read_json_is(run.out, "method", "kdop"));
    tool_free(&run);
    run = check_json(0, "bending.obj bending.pc2 --method regularity");
    assert_true(read_json_is(run.out, "method", "regularity"));
    assert_true(read_json_is(run.out, "reason", "regularity: asked for by name"));
    tool_free(&run);
}

static void quiet_says_only_the_result(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = tool_expect(1, "check --quiet cross.obj");
    assert_string_equal(run.err, "");
    assert_null(strstr(run.out, "thread"));
    assert_non_null(strstr(run.out, "1 contact"));
    tool_free(&run);
}

// ---- scenes that move ----------------------------------------------------------------------------------------------

static void write_falling(const char *mesh, const char *cache)
{
    char text[200];
    const float *p = falling[0];
    snprintf(text, sizeof text, "v %g %g %g\nv %g %g %g\nv %g %g %g\nf 1 2 3\n", p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7],
             p[8]);
    tool_write(mesh, text);
    if (cache)
        tool_write_pc2(cache, 3, 4, falling[0]);
}

// Frames of a triangle that cuts through `flat` in frames 1 and 3 of 4.
static void write_cutting(const char *cache)
{
    const float up[9] = {1, 1, 5, 1.5f, 1, 5, 1, 1.5f, 6}, through[9] = {1, 1, -1, 1.5f, 1, -1, 1, 1.5f, 1};
    float frames[4][9];
    for (int i = 0; i < 4; i++)
        memcpy(frames[i], i % 2 ? through : up, sizeof up);
    tool_write_pc2(cache, 3, 4, frames[0]);
}

static void a_cache_moves_the_mesh_before_it(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    tool_write("piece.obj", flat);
    write_cutting("piece.pc2");
    tool_run run = check_json(1, "flat.obj piece.obj piece.pc2 --pairs moving.csv");
    assert_int_equal(read_json_count(run.out, "frames"), 4);
    const int expected[] = {0, 1, 0, 1};
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "frames[%d].contacts", i);
        assert_true(read_json_at(run.out, path) == expected[i]);
    }
    assert_true(read_json_at(run.out, "contacts_total") == 2);
    tool_free(&run);
    char *csv = tool_read("moving.csv");
    assert_int_equal(line_count(csv), 3);
    assert_non_null(strstr(csv, "\n1,flat,t0,piece,t0,crossing,"));
    assert_non_null(strstr(csv, "\n3,flat,t0,piece,t0,crossing,"));
    free(csv);
    run = tool_expect(1, "check flat.obj piece.obj piece.pc2");
    assert_non_null(strstr(run.out, "flat - piece  frames 1-3, worst "));
    assert_non_null(strstr(run.out, ": 2 contacts in 1 place"));
    assert_non_null(strstr(run.out, "2 contacts in 2 of 4 frames, the first in frame 1"));
    tool_free(&run);
    // The same by name.
    run = check_json(1, "flat.obj piece.obj --cache piece=piece.pc2");
    assert_true(read_json_at(run.out, "contacts_total") == 2);
    tool_free(&run);
}

static void frames_can_be_chosen(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    tool_write("piece.obj", flat);
    write_cutting("piece.pc2");
    tool_run run = check_json(1, "flat.obj piece.obj piece.pc2 --frames 1:2");
    assert_int_equal(read_json_count(run.out, "frames"), 2);
    assert_true(read_json_at(run.out, "frames[0].frame") == 1);
    assert_true(read_json_at(run.out, "frames[1].frame") == 2);
    tool_free(&run);
    run = check_json(0, "flat.obj piece.obj piece.pc2 --frames 2");
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    tool_free(&run);
    run = check_json(1, "flat.obj piece.obj piece.pc2 --frames 2:");
    assert_int_equal(read_json_count(run.out, "frames"), 2);
    tool_free(&run);
    run = check_json(0, "flat.obj piece.obj piece.pc2 --frames :0");
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    tool_free(&run);
    run = check_json(1, "flat.obj piece.obj piece.pc2 --frames 3:99");
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    assert_non_null(strstr(run.err, "last frame is 3"));
    tool_free(&run);
    tool_refuses("check flat.obj piece.obj piece.pc2 --frames 4", "no frame 4", "4 frames", NULL);
    tool_refuses("check flat.obj piece.obj piece.pc2 --frames 9:2", "2:9", NULL);
}

static void a_folder_with_a_mesh_and_caches_is_a_scene(void **state)
{
    (void)state;
    tool_make_folder("scene");
    tool_write("scene/mesh_00.obj", two_objects);
    tool_write("scene/notes.txt", "not a mesh");
    // The wall, which has 4 vertices, leaves the floor in the second frame.
    float wall[2][12] = {{0.25f, -3, -1, 0.25f, -3, 1, 0.25f, 3, 1, 0.25f, 3, -1}, {9, -3, -1, 9, -3, 1, 9, 3, 1, 9, 3, -1}};
    tool_write_pc2("scene/wall.pc2", 4, 2, wall[0]);
    tool_run run = check_json(1, "scene");
    assert_int_equal(read_json_count(run.out, "frames"), 2);
    assert_true(read_json_at(run.out, "frames[0].contacts") == 1);
    assert_true(read_json_at(run.out, "frames[1].contacts") == 0);
    tool_free(&run);
    run = check_json(1, "scene/ --frames 0:0");
    tool_free(&run);
    // A cache that counts through the whole file moves both.
    float both[2][21];
    for (int f = 0; f < 2; f++) {
        const float floor_points[9] = {0, -1, 0, 2, 0, 0, 0, 1, 0};
        memcpy(both[f], floor_points, sizeof floor_points);
        memcpy(both[f] + 9, wall[f], sizeof wall[f]);
    }
    tool_write_pc2("all.pc2", 7, 2, both[0]);
    run = check_json(1, "scene/mesh_00.obj all.pc2");
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    assert_true(read_json_at(run.out, "frames[0].contacts") == 1);
    tool_free(&run);
    tool_write_pc2("scene/roof.pc2", 4, 2, wall[0]);
    tool_refuses("check scene", "roof.pc2", "2 bodies", "--cache", NULL);
    unlink(tool_path("scene/roof.pc2"));
    tool_write("scene/other.obj", flat);
    tool_refuses("check scene", "2 mesh files", "--sequence", NULL);
    tool_make_folder("bare");
    tool_refuses("check bare", "bare", "no mesh file", NULL);
}

static void a_sequence_is_files_a_pattern_or_a_folder(void **state)
{
    (void)state;
    tool_make_folder("numbered");
    // Frame 10 crosses; by number it is the last, by letters it would be the second.
    const int numbers[] = {1, 2, 10};
    for (int i = 0; i < 3; i++) {
        char name[64], text[300];
        double shift = numbers[i] == 10 ? 0 : 9;
        snprintf(name, sizeof name, "numbered/f_%d.obj", numbers[i]);
        snprintf(text, sizeof text, "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv %g 0 -1\nv %g 0 1\nv %g 3 0\nf 1 2 3\nf 4 5 6\n", 0.25 + shift,
                 0.25 + shift, 0.25 + shift);
        tool_write(name, text);
    }
    const char *const ways[] = {"--sequence numbered", "--sequence 'numbered/f_*.obj'",
                                "numbered/f_1.obj numbered/f_2.obj numbered/f_10.obj --sequence"};
    for (int i = 0; i < 3; i++) {
        tool_run run = check_json(1, ways[i]);
        assert_int_equal(read_json_count(run.out, "frames"), 3);
        assert_int_equal(read_json_count(run.out, "bodies"), 1);
        assert_true(read_json_at(run.out, "frames[0].contacts") == 0);
        assert_true(read_json_at(run.out, "frames[2].contacts") == 1);
        assert_true(read_json_is(run.out, "frames[2].file", "f_10.obj"));
        tool_free(&run);
    }
    tool_run run = check_json(1, "--sequence numbered/*.obj");  // as a shell sorts them
    assert_non_null(strstr(run.err, "f_10.obj before f_2.obj"));
    assert_true(read_json_at(run.out, "frames[1].contacts") == 1);
    tool_free(&run);
    tool_write("numbered/f_11.obj", flat);
    tool_refuses("check --json --strict --sequence numbered/f_10.obj numbered/f_11.obj", "f_11.obj", "3 vertices", "6", NULL);
    tool_write("numbered/f_11.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\nf 4 6 5\n");
    tool_refuses("check --json --strict --sequence numbered/f_10.obj numbered/f_11.obj", "f_11.obj", "faces", NULL);
    tool_refuses("check 'numbered/f_*.obj'", "--sequence", NULL);
    tool_refuses("check --sequence 'nowhere_*.obj'", "nowhere_", NULL);
}

static void a_cache_that_ends_early_rests_and_says_so(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    tool_write("piece.obj", flat);
    tool_write("long.obj", flat);
    float two[2][9];
    memcpy(two[0], falling[0], sizeof two[0]);
    memcpy(two[1], (const float[9]){1, 1, -1, 1.5f, 1, -1, 1, 1.5f, 1}, sizeof two[1]);
    tool_write_pc2("piece.pc2", 3, 2, two[0]);
    float far[4][9];
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < 9; i++)
            far[f][i] = 100.0f + (float)f + falling[0][i];
    tool_write_pc2("long.pc2", 3, 4, far[0]);
    tool_run run = check_json(1, "flat.obj piece.obj piece.pc2 long.obj long.pc2");
    assert_non_null(strstr(run.err, "piece.pc2 ends after 2 of 4 frames"));
    assert_int_equal(read_json_count(run.out, "frames"), 4);
    assert_true(read_json_at(run.out, "contacts_total") == 3);
    tool_free(&run);
    if (!answers(SNAG_IMPACTS))
        return;
    run = check_json(1, "--question impacts flat.obj piece.obj piece.pc2 long.obj long.pc2");
    assert_true(read_json_at(run.out, "frames[0].contacts") > 0);
    assert_true(read_json_at(run.out, "frames[0].earliest") < 1);
    // What rests moves no more: the last move of the cache is not made again.
    assert_true(read_json_at(run.out, "frames[1].contacts") == 0);
    assert_true(read_json_at(run.out, "frames[2].contacts") == 0);
    tool_free(&run);
}

// ---- questions -----------------------------------------------------------------------------------------------------

static void distance_names_the_closest_features(void **state)
{
    (void)state;
    if (!answers(SNAG_DISTANCE))
        skip();
    tool_write("flat.obj", flat);
    write_falling("piece.obj", NULL);
    tool_run run = check_json(0, "--question distance flat.obj piece.obj --pairs distance.csv");
    assert_true(read_json_is(run.out, "question", "distance"));
    assert_true(read_json_at(run.out, "frames[0].distance") == 3);
    assert_true(read_json_at(run.out, "frames[0].closest[0].distance") == 3);
    assert_int_equal(read_json_count(run.out, "frames[0].closest[0].point_a"), 3);
    tool_free(&run);
    run = tool_expect(0, "check --question distance flat.obj piece.obj");
    assert_non_null(strstr(run.out, ", distance 3, at ("));
    assert_non_null(strstr(run.out, ") and ("));
    tool_free(&run);
    char *csv = tool_read("distance.csv");
    assert_int_equal(line_count(csv), 2);
    free(csv);
    run = check_json(1, "--question distance --distance 3 flat.obj piece.obj");
    tool_free(&run);
    tool_write("through.obj", "v 1 1 -1\nv 1.5 1 -1\nv 1 1.5 1\nf 1 2 3\n");
    run = check_json(1, "--question distance flat.obj through.obj");
    assert_true(read_json_at(run.out, "frames[0].distance") == 0);
    tool_free(&run);
    tool_refuses("check --question distance flat.obj", "two bodies", NULL);
}

static void proximities_are_within_the_distance(void **state)
{
    (void)state;
    if (!answers(SNAG_PROXIMITIES))
        skip();
    tool_write("flat.obj", flat);
    write_falling("piece.obj", NULL);
    tool_run run = check_json(0, "--question proximities --distance 2.9 flat.obj piece.obj");
    assert_true(read_json_at(run.out, "distance") == 2.9);
    tool_free(&run);
    run = check_json(1, "--question proximities --distance 3 flat.obj piece.obj --pairs near.csv");
    char *csv = tool_read("near.csv");
    assert_true((double)line_count(csv) == read_json_at(run.out, "contacts_total") + 1);
    assert_non_null(strstr(csv, "piece,v0,flat,t0,"));
    free(csv);
    tool_free(&run);
    // Two triangles of a tetrahedron's side see a vertex above their common edge: one contact, two pairs.
    tool_write("ridge.obj", "v 0 0 0\nv 2 0 0\nv 1 1 -1\nv 1 -1 -1\nf 1 2 3\nf 2 1 4\n");
    tool_write("above.obj", "v 1 0 1\nv 1 9 9\nv 1 -9 9\nf 1 2 3\n");
    run = check_json(1, "--question proximities --distance 1 ridge.obj above.obj --pairs once.csv");
    double once = read_json_at(run.out, "contacts_total");
    tool_free(&run);
    run = check_json(1, "--question proximities --distance 1 --every-pair ridge.obj above.obj --pairs every.csv");
    assert_true(read_json_at(run.out, "contacts_total") > once);
    tool_free(&run);
    csv = tool_read("every.csv");
    assert_non_null(strstr(csv, "above,v0,ridge,t0,"));
    assert_non_null(strstr(csv, "above,v0,ridge,t1,"));
    free(csv);
    run = check_json(0, "--question proximities flat.obj piece.obj");
    assert_non_null(strstr(run.err, "--distance"));
    assert_true(read_json_at(run.out, "distance") > 0);
    tool_free(&run);
}

static void edges_through_tetrahedra_are_listed_unless_not_wanted(void **state)
{
    (void)state;
    tool_write("one.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n4 0 0 0\n0 4 0 0\n0 0 4 0\n"
                           "Tetrahedra\n1\n1 2 3 4 0\nEnd\n");
    tool_write("blade.obj", "v 1 1 -5\nv 1 1 9\nv 20 1 2\nf 1 2 3\n");
    tool_run run = check_json(0, "--question penetrations --no-edges one.mesh blade.obj");
    tool_free(&run);
    run = check_json(1, "--question penetrations one.mesh blade.obj --pairs through.csv");
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    tool_free(&run);
    char *csv = tool_read("through.csv");
    assert_non_null(strstr(csv, "blade,e0-1,one,k0,through,2,0,1,1,0,"));
    free(csv);
    run = check_json(0, "--edges --question intersections blade.obj");
    assert_non_null(strstr(run.err, "--edges"));
    tool_free(&run);
}

static void impacts_are_moves_between_frames(void **state)
{
    (void)state;
    if (!answers(SNAG_IMPACTS))
        skip();
    tool_write("flat.obj", flat);
    write_falling("piece.obj", "piece.pc2");
    tool_run run = check_json(1, "--question impacts flat.obj piece.obj piece.pc2 --pairs impacts.csv");
    assert_int_equal(read_json_count(run.out, "frames"), 3);
    assert_true(read_json_at(run.out, "frames[0].frame") == 1);
    assert_true(read_json_at(run.out, "frames[0].contacts") == 0);
    assert_true(read_json_at(run.out, "frames[0].earliest") == 1);
    assert_true(read_json_at(run.out, "frames[1].frame") == 2);
    assert_true(read_json_at(run.out, "frames[1].contacts") == 3);
    double earliest = read_json_at(run.out, "frames[1].earliest");
    assert_true(earliest <= 0.5 && earliest > 0.499);
    assert_true(read_json_at(run.out, "frames[2].contacts") == 0);
    tool_free(&run);
    char *csv = tool_read("impacts.csv");
    assert_int_equal(line_count(csv), 4);
    assert_non_null(strstr(csv, "\n2,piece,v0,flat,t0,"));
    free(csv);
    run = check_json(1, "--question impacts flat.obj piece.obj piece.pc2 --frames 1:2");
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    assert_true(read_json_at(run.out, "frames[0].frame") == 2);
    tool_free(&run);
    tool_refuses("check --question impacts flat.obj piece.obj", "--sequence", NULL);
    tool_refuses("check --question impacts flat.obj piece.obj piece.pc2 --frames 2", "--frames 1:2", NULL);

    // Two files as two frames.
    tool_write("before.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 1\nv 1.5 1 1\nv 1 1.5 1\nf 1 2 3\nf 4 5 6\n");
    tool_write("after.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 -1\nv 1.5 1 -1\nv 1 1.5 -1\nf 1 2 3\nf 4 5 6\n");
    run = check_json(1, "--question impacts --sequence before.obj after.obj");
    assert_int_equal(read_json_count(run.out, "frames"), 1);
    assert_true(read_json_at(run.out, "contacts_total") == 3);
    tool_free(&run);
}

static void volumes_are_asked_for_penetrations(void **state)
{
    (void)state;
    tool_write("block.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                             "Tetrahedra\n1\n1 2 3 4 0\nEnd\n");
    tool_write("point.obj", "v 0.1 0.1 0.1\nv 5 5 5\nv 6 5 5\nf 1 2 3\n");
    tool_run run = check_json(0, "block.mesh");
    assert_true(read_json_is(run.out, "question", "penetrations"));
    assert_true(read_json_at(run.out, "bodies[0].tets") == 1);
    assert_true(read_json_at(run.out, "bodies[0].triangles") == 4);
    tool_free(&run);
    run = check_json(1, "block.mesh point.obj --pairs inside.csv");
    assert_true(read_json_at(run.out, "contacts_total") == 2);
    tool_free(&run);
    char *csv = tool_read("inside.csv");
    assert_non_null(strstr(csv, "\n0,point,v0,block,k0,inside,"));
    assert_non_null(strstr(csv, "\n0,block,t"));  // and where its triangle cuts the boundary
    free(csv);
    run = check_json(1, "--question intersections block.mesh point.obj");
    assert_true(read_json_is(run.out, "question", "intersections"));
    tool_free(&run);
}

static void what_a_method_cannot_answer_is_said(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    for (int q = 0; q < SNAG_QUESTION_COUNT; q++)
        for (int m = 0; m < SNAG_METHOD_COUNT; m++) {
            if (snag_method_answers((snag_method)m, (snag_question)q))
                continue;
            char command[200];
            snprintf(command, sizeof command, "check flat.obj --question %s --method %s", snag_question_name((snag_question)q),
                     snag_method_name((snag_method)m));
            tool_refuses(command, "answer", snag_question_name((snag_question)q), NULL);
        }
}

// ---- bad input -----------------------------------------------------------------------------------------------------

static void bad_files_are_refused_by_name(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    tool_write("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    tool_write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_write("short.obj", "v 0 0 0\nv 1 0\n");
    tool_write("empty.obj", "");
    tool_write("cloud.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    tool_write("text.txt", "hello");
    tool_write("junk.stl", "hello");
    tool_write("junk.ply", "ply\nformat nothing 1.0\n");
    tool_write("cut.pc2", "POINTCACHE2");
    tool_refuses("check index.obj", "index.obj:4", NULL);
    tool_refuses("check nan.obj", "nan.obj:2", NULL);
    tool_refuses("check short.obj", "short.obj:2", NULL);
    tool_refuses("check empty.obj", "empty.obj", NULL);
    tool_refuses("check cloud.obj", "cloud.obj", "no faces", NULL);
    tool_refuses("check text.txt", "text.txt", ".obj", NULL);
    tool_refuses("check junk.stl", "junk.stl", NULL);
    tool_refuses("check junk.ply", "junk.ply", NULL);
    tool_refuses("check missing.obj", "missing.obj", NULL);
    tool_refuses("check missing-folder", "missing-folder", NULL);
    tool_refuses("check flat.obj cut.pc2", "cut.pc2", NULL);
    tool_refuses("check cut.pc2 flat.obj", "cut.pc2", "before it", NULL);
    tool_refuses("check ''", "empty input name", NULL);
    tool_refuses("info index.obj", "index.obj:4", NULL);
    tool_refuses("info missing.obj", "missing.obj", NULL);
    tool_refuses("check --sequence flat.obj cut.pc2", "cut.pc2", NULL);
}

static void unknown_formats_list_the_known_ones(void **state)
{
    (void)state;
    tool_write("film.mp4", "nothing");
    tool_refuses("check film.mp4", "film.mp4", ".obj .ply .off .stl", ".vtu .3mf .node", ".gltf .glb", ".pc2 .mdd", NULL);
    tool_refuses("info film.mp4", ".gltf .glb", NULL);
    tool_refuses("check --sequence film.mp4", ".gltf .glb", NULL);
    // An assimp that reads USD would say what is wrong with this one.
    tool_write("hall.usdc", "nothing");
    tool_run run = tool_expect(2, "check hall.usdc");
    assert_non_null(strstr(run.err, "hall.usdc"));
    if (!strstr(snag_io_mesh_endings(), ".usdc")) {
        assert_non_null(strstr(run.err, "USD needs assimp 5.4 or later"));
        assert_non_null(strstr(run.err, ".gltf .glb"));
    }
    tool_free(&run);
}

static void caches_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    float xyz[2][12] = {{0}};
    tool_write_pc2("four.pc2", 4, 2, xyz[0]);
    tool_refuses("check flat.obj four.pc2", "four.pc2", "4 points", "3 vertices", NULL);
    tool_refuses("check flat.obj --cache flat=four.pc2", "four.pc2", "3 vertices", NULL);
    tool_write_pc2("three.pc2", 3, 2, falling[0]);
    tool_refuses("check flat.obj three.pc2 --cache flat=three.pc2", "already moved", NULL);
    tool_refuses("check flat.obj --cache flta=three.pc2", "flta", "did you mean flat", NULL);
    tool_refuses("check flat.obj --cache three.pc2", "NAME=three.pc2", NULL);
    tool_refuses("check flat.obj --cache flat=flat.obj", "not a cache", NULL);
    tool_refuses("check flat.obj --cache flat=nowhere.pc2", "nowhere.pc2", NULL);
    tool_refuses("check --sequence flat.obj --cache flat=three.pc2", "--sequence", NULL);
    float bad[2][9];
    memcpy(bad, falling, sizeof bad);
    bad[1][4] = 0.0f / 0.0f;
    tool_write_pc2("bad.pc2", 3, 2, bad[0]);
    tool_run run = tool_expect(2, "check flat.obj bad.pc2 --strict --pairs bad.csv");
    assert_non_null(strstr(run.err, "bad.pc2"));
    assert_non_null(strstr(run.err, "finite"));
    assert_false(tool_has("bad.csv"));  // nothing half-written is left
    tool_free(&run);
    // A cache whose header promises more than the file holds.
    char *bytes = tool_read("three.pc2");
    tool_write_bytes("less.pc2", bytes, 32 + 50);
    free(bytes);
    tool_refuses("check flat.obj less.pc2 --strict", "less.pc2", NULL);
    bytes = tool_read("three.pc2");
    tool_write_bytes("none.pc2", bytes, 32 + 30);
    free(bytes);
    tool_refuses("check flat.obj none.pc2", "none.pc2", "not even one complete frame", NULL);
}

static void inputs_are_never_overwritten(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_write("other.csv", "precious");
    tool_write_pc2("cross.pc2", 6, 0, falling[0]);
    tool_refuses("check cross.obj --pairs cross.obj", "cross.obj", "input", NULL);
    tool_refuses("check cross.obj --pairs ./cross.obj", "input", NULL);
    assert_int_equal(symlink("cross.obj", tool_path("link.csv")), 0);
    tool_refuses("check cross.obj --pairs link.csv", "input", NULL);
    char *text = tool_read("cross.obj");
    assert_string_equal(text, crossing);
    free(text);
    tool_refuses("check cross.obj --pairs other.obj", "other.obj", NULL);
    tool_refuses("check cross.obj --pairs /dev/null", "/dev/null", NULL);
    tool_refuses("check cross.obj --pairs .", "--pairs", NULL);
    tool_refuses("check cross.obj --pairs no/such/folder.csv", "folder.csv", NULL);
    // A result that was there before may be replaced.
    tool_run run = check_json(1, "cross.obj --pairs other.csv");
    tool_free(&run);
    text = tool_read("other.csv");
    assert_int_equal(line_count(text), 2);
    free(text);
}

static void slips_on_the_command_line_are_told_apart(void **state)
{
    (void)state;
    tool_write("flat.obj", flat);
    tool_refuses("", "snag VERB", NULL);
    tool_refuses("chekc flat.obj", "did you mean `snag check`", NULL);
    tool_refuses("flat.obj", "verbs: check, info, demo", NULL);
    tool_refuses("check", "no input", NULL);
    tool_refuses("check flat.obj --quesiton impacts", "--question", NULL);
    tool_refuses("check flat.obj --question impact", "did you mean impacts", NULL);
    tool_refuses("check flat.obj --method brutte", "did you mean brute", NULL);
    tool_refuses("check flat.obj --threads -2", "--threads", "-2", NULL);
    tool_refuses("check flat.obj --distance nan", "--distance", NULL);
    tool_refuses("check flat.obj --pairs", "needs a value", NULL);
    tool_refuses("help nonsense", "nonsense", NULL);
}

static void help_has_examples_and_every_option(void **state)
{
    (void)state;
    tool_run run = tool_expect(0, "--help");
    assert_non_null(strstr(run.out, "check"));
    tool_free(&run);
    run = tool_expect(0, "check --help");
    assert_non_null(strstr(run.out, "Examples:"));
    assert_non_null(strstr(run.out, "--no-self"));
    assert_non_null(strstr(run.out, "Exit code"));
    assert_string_equal(run.err, "");
    tool_free(&run);
    run = tool_expect(0, "help demo");
    assert_non_null(strstr(run.out, "--scene"));
    tool_free(&run);
    run = tool_expect(0, "--version");
    assert_non_null(strstr(run.out, snag_version()));
    tool_free(&run);
}

static void a_result_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    tool_write("flat.obj", flat);
    // stdout.txt is made a link to a device that is always full.
    unlink(tool_path("stdout.txt"));
    char command[900];
    snprintf(command, sizeof command, "cd '%s' && \"$SNAG_TOOL\" check flat.obj >/dev/full 2>full.txt", tool_folder);
    int status = system(command);
    assert_int_equal(WEXITSTATUS(status), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_mesh_ends_with_0_and_json_has_the_promised_keys),
        cmocka_unit_test(contacts_end_with_1_and_are_listed_once),
        cmocka_unit_test(active_finds_a_part_and_says_how_large_it_is),
        cmocka_unit_test(objects_are_bodies_and_elements_count_through_the_file),
        cmocka_unit_test(self_and_between_can_be_left_out),
        cmocka_unit_test(bodies_of_one_name_are_told_apart),
        cmocka_unit_test(names_pass_through_as_utf8_and_are_escaped),
        cmocka_unit_test(concave_polygons_hold_nothing_in_their_notch),
        cmocka_unit_test(degenerate_triangles_are_counted_and_take_no_part),
        cmocka_unit_test(a_soup_can_be_welded),
        cmocka_unit_test(threads_and_method_are_taken),
        cmocka_unit_test(frames_of_several_methods_are_told_by_what_was_asked_for),
        cmocka_unit_test(quiet_says_only_the_result),
        cmocka_unit_test(a_cache_moves_the_mesh_before_it),
        cmocka_unit_test(frames_can_be_chosen),
        cmocka_unit_test(a_folder_with_a_mesh_and_caches_is_a_scene),
        cmocka_unit_test(a_sequence_is_files_a_pattern_or_a_folder),
        cmocka_unit_test(a_cache_that_ends_early_rests_and_says_so),
        cmocka_unit_test(distance_names_the_closest_features),
        cmocka_unit_test(proximities_are_within_the_distance),
        cmocka_unit_test(edges_through_tetrahedra_are_listed_unless_not_wanted),
        cmocka_unit_test(impacts_are_moves_between_frames),
        cmocka_unit_test(volumes_are_asked_for_penetrations),
        cmocka_unit_test(what_a_method_cannot_answer_is_said),
        cmocka_unit_test(bad_files_are_refused_by_name),
        cmocka_unit_test(unknown_formats_list_the_known_ones),
        cmocka_unit_test(caches_that_do_not_fit_are_refused),
        cmocka_unit_test(inputs_are_never_overwritten),
        cmocka_unit_test(slips_on_the_command_line_are_told_apart),
        cmocka_unit_test(help_has_examples_and_every_option),
        cmocka_unit_test(a_result_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
