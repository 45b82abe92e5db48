// Places and what is left out, as the tool tells them: pairs of bodies with their frames, lists of accepted contacts, names, limits,
// and the script for Blender.
#define _GNU_SOURCE
#include "helpers/test.h"
#include "read_json.h"
#include "run_tool.h"

#include <math.h>
#include <unistd.h>

// A head whose sockets always cross (two triangles), and a cloth above it that comes down at frame 2.
static void write_frame(const char *name, double height, double shift)
{
    char text[1024];
    snprintf(text, sizeof text,
             "o head\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nv -0.2 -0.5 -0.3\nv 0.2 -0.5 -0.3\nv 0 -0.5 0.2\nf 1 2 3\nf 4 5 6\n"
             "o cloth\nv %g 0.3 %g\nv %g 0.3 %g\nv %g 0.3 %g\nf 7 8 9\n",
             -0.1 + shift, height, 0.1 + shift, height, shift, height - 1);
    tool_write(name, text);
}

static void write_scene(void)
{
    write_frame("f_0.obj", 3, 0);
    write_frame("f_1.obj", 2, 0);
    write_frame("f_2.obj", 0.4, 0);
    write_frame("f_3.obj", 0.6, 0.1);
}

static void the_text_names_the_pair_with_its_first_frame(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check --sequence f_0.obj f_1.obj f_2.obj f_3.obj");
    assert_non_null(strstr(run.out, "6 contacts in 4 of 4 frames, the first in frame 0"));
    assert_non_null(strstr(run.out, "head - cloth      frames 2-3, worst 2: 2 contacts in 1 place, 0.4 deep"));
    assert_non_null(strstr(run.out, "head with itself  frames 0-3, worst 0: 4 contacts in 1 place"));
    assert_non_null(strstr(run.out, "t0 - t2 (t0 of the object), crossing"));
    assert_non_null(strstr(run.out, "--ignore-initial leaves out what is there from frame 0 on"));
    assert_null(strstr(run.out, "frame 0:"));  // no line for each frame
    assert_null(strchr(run.out, '\033'));  // no colours in a file
    tool_free(&run);
    run = tool_expect(1, "check --ignore-initial --sequence f_0.obj f_1.obj f_2.obj f_3.obj");
    assert_null(strstr(run.out, "head with itself"));
    assert_non_null(strstr(run.out, "2 contacts in 2 of 4 frames, the first in frame 2"));
    assert_non_null(strstr(run.out, "ignored: 4 contacts that were there in the first frame"));
    tool_free(&run);
    // Nothing else: clean, and it says beside what.
    run = tool_expect(0, "check -q --ignore-initial --sequence f_0.obj f_1.obj");
    assert_non_null(strstr(run.out, "clean"));
    assert_non_null(strstr(run.out, "ignored: 2 contacts"));
    tool_free(&run);
    // Faces are counted, not the triangles that they are cut into: two quads that cross in three pairs of triangles are one contact.
    tool_write("quads.obj",
               "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 0.5 -1\nv 3 2.5 -1\nv 3 2.5 1\nv 1 0.5 1\nf 1 2 3 4\nf 5 6 7 8\n");
    run = tool_expect(1, "check --json quads.obj");
    assert_true(read_json_at(run.out, "contacts_total") == 1 && read_json_at(run.out, "frames[0].triangle_pairs") > 1);
    tool_free(&run);
    run = tool_expect(0, "check --json --ignore-initial --sequence quads.obj quads.obj");
    assert_true(read_json_at(run.out, "ignored") == 2);
    tool_free(&run);
}

static void json_has_places_over_all_frames(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check --json --sequence f_0.obj f_1.obj f_2.obj f_3.obj");
    assert_int_equal(read_json_count(run.out, "places"), 2);
    assert_int_equal(read_json_count(run.out, "pairs_of_bodies"), 2);
    assert_true(read_json_at(run.out, "places[0].first") == 2 && read_json_at(run.out, "places[0].last") == 3);
    assert_true(read_json_at(run.out, "places[0].contacts") + read_json_at(run.out, "places[1].contacts") ==
                read_json_at(run.out, "contacts_total"));
    assert_true(read_json_at(run.out, "places[0].depth") > read_json_at(run.out, "places[1].depth"));
    assert_true(read_json_at(run.out, "frames[2].places") == 2);
    assert_true(read_json_at(run.out, "pairs_of_bodies[1].frames") == 4);
    tool_free(&run);
    run = tool_expect(1, "check --jsonl --sequence f_0.obj f_1.obj f_2.obj f_3.obj --pairs all.csv");
    assert_non_null(strstr(run.out, "\"place\": 2"));
    assert_non_null(strstr(run.out, "\"object_b\": \"t0\""));
    tool_free(&run);
    char *csv = tool_read("all.csv");
    assert_non_null(strstr(csv, "2,head,t0,cloth,t2,crossing,"));
    assert_non_null(strstr(csv, ",2,t0,t0\n"));
    free(csv);
}

static void accepted_contacts_are_ignored_later_and_in_a_sorted_file(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check f_0.obj --accept accepted.txt");
    assert_non_null(strstr(run.err, "accepted 1 contact"));
    tool_free(&run);
    run = tool_expect(0, "check f_0.obj --ignore accepted.txt");
    tool_free(&run);
    run = tool_expect(1, "check f_2.obj --ignore accepted.txt");
    assert_non_null(strstr(run.out, "1 contact"));
    tool_free(&run);
    // The faces in another order: the same vertices are accepted.
    char *text = tool_read("f_0.obj"), *faces = strstr(text, "f 1 2 3\nf 4 5 6\n");
    assert_non_null(faces);
    memcpy(faces, "f 5 6 4\nf 2 3 1\n", 16);
    tool_write("sorted.obj", text);
    free(text);
    run = tool_expect(0, "check sorted.obj --ignore accepted.txt");
    tool_free(&run);
}

// A list that is read and written anew keeps what it had.
static void a_list_can_be_brought_up_to_date(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check f_0.obj --accept kept.txt");
    tool_free(&run);
    run = tool_expect(1, "check f_2.obj --ignore kept.txt --accept kept.txt");
    assert_non_null(strstr(run.err, "accepted 2 contacts"));
    tool_free(&run);
    run = tool_expect(0, "check -q f_2.obj --ignore kept.txt");
    assert_non_null(strstr(run.out, "ignored: 2 contacts"));
    tool_free(&run);
}

// Vertices of other faces have other numbers: they must not get into the list of these, where they would hide something else.
static void nothing_is_accepted_once_faces_have_changed(void **state)
{
    (void)state;
    write_scene();
    char *text = tool_read("f_2.obj"), *more = malloc(strlen(text) + 100);
    sprintf(more, "%sv 5 5 5\nf 7 8 10\n", text);
    tool_write("more.obj", more);
    free(more);
    free(text);
    tool_run run = tool_expect(1, "check --sequence f_0.obj more.obj --accept some.txt");
    assert_non_null(strstr(run.err, "from frame 1 on nothing is accepted"));
    assert_non_null(strstr(run.err, "accepted 1 contact"));
    tool_free(&run);
    run = tool_expect(1, "check -q f_2.obj --ignore some.txt");
    assert_non_null(strstr(run.out, "1 contact"));
    tool_free(&run);
    // A run that begins with the other faces has a list of these.
    run = tool_expect(1, "check --sequence f_0.obj more.obj --frames 1 --accept some.txt");
    tool_free(&run);
    run = tool_expect(0, "check -q more.obj --ignore some.txt");
    tool_free(&run);
}

// What is hit in the first move was not there before it; what crosses before it was.
static void impacts_of_the_first_move_are_not_initial(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check --question impacts --ignore-initial --sequence f_1.obj f_2.obj");
    assert_null(strstr(run.out, "ignored"));
    tool_free(&run);
    run = tool_expect(1, "check --question impacts --sequence f_2.obj f_0.obj");
    tool_free(&run);
    run = tool_expect(0, "check -q --question impacts --ignore-initial --sequence f_2.obj f_0.obj");
    assert_non_null(strstr(run.out, "ignored"));
    tool_free(&run);
    run = tool_expect(0, "check -q --question impacts --ignore-initial --rest f_2.obj --sequence f_1.obj f_2.obj");
    tool_free(&run);
}

static void lists_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check -q f_0.obj --accept accepted.txt");
    tool_free(&run);
    tool_write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_refuses("check other.obj --ignore accepted.txt", "another mesh", "head", NULL);
    tool_write("larger.obj", "o head\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no cloth\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 5 6\n");
    tool_refuses("check larger.obj --ignore accepted.txt", "another mesh", "6 vertices", NULL);
    tool_refuses("check f_0.obj --ignore missing.txt", "missing.txt", "No such file", NULL);
    tool_refuses("check f_0.obj --ignore f_0.obj", "line 1", "--accept", NULL);
    tool_write("empty.txt", "");
    tool_refuses("check f_0.obj --ignore empty.txt", "empty", NULL);
    static const char *const bad[] = {"contact 9:0 0:1\n", "contact 0:99 1:0\n", "contact 0:x 1:0\n",
                                      "contact 0:1\n",     "rubbish\n",          "body 1 2\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        snprintf(text, sizeof text, "snag accepted contacts 1\nbody 6 2 0 head\nbody 3 1 0 cloth\n%s", bad[i]);
        tool_write("bad.txt", text);
        tool_refuses("check f_0.obj --ignore bad.txt", "bad.txt", NULL);
    }
    tool_refuses("check f_0.obj --accept f_0.obj", "overwrite an input", NULL);
    tool_refuses("check f_0.obj --accept new.obj", "not a mesh", NULL);
    tool_refuses("check --question distance f_0.obj --ignore-initial", "no meaning", NULL);
    tool_refuses("check f_0.obj --rest f_1.obj", "--ignore-initial", NULL);
    tool_refuses("check f_0.obj --ignore-initial --rest other.obj", "other.obj", "1 bodies", NULL);
}

static void a_rest_pose_says_what_is_meant_to_be(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check --ignore-initial --rest f_0.obj f_2.obj");
    assert_non_null(strstr(run.out, "1 contact"));
    assert_non_null(strstr(run.out, "are there in the rest pose"));
    tool_free(&run);
    run = tool_expect(0, "check --ignore-initial --rest f_2.obj f_3.obj");
    tool_free(&run);
}

static void distances_are_summed_up_by_pair(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check --question distance --sequence f_0.obj f_1.obj f_2.obj");
    assert_non_null(strstr(run.out, "head - cloth  frames 0-2, worst 2: 0 apart\n"));
    assert_null(strstr(run.out, "contact"));
    tool_free(&run);
}

static void bodies_are_chosen_by_name(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check --json --only head f_2.obj");
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    assert_true(read_json_is(run.out, "places[0].body_b", "head"));
    tool_free(&run);
    run = tool_expect(1, "check --json --between cloth,head f_2.obj");
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    assert_true(read_json_is(run.out, "places[0].body_b", "cloth"));
    tool_free(&run);
    run = tool_expect(0, "check --json --only 'cl*' f_2.obj");
    tool_free(&run);
    run = tool_expect(1, "check --json --only cloth,head f_2.obj");
    assert_true(read_json_at(run.out, "contacts_total") == 2);
    tool_free(&run);
    tool_write("comma.obj", "o a,b\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\no c\nv 0 0 -1\nv 0.2 0 -1\nv 0 0 1\nf 4 5 6\n");
    run = tool_expect(1, "check --json --between a,b,c comma.obj");
    tool_free(&run);
    tool_refuses("check --only hed f_2.obj", "no body 'hed'", "did you mean 'head'", NULL);
    tool_refuses("check --between head f_2.obj", "two bodies", NULL);
    tool_refuses("check --between head,clot f_2.obj", "did you mean 'cloth'", NULL);
}

static void limits_decide_the_exit_code(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(0, "check --max-contacts 2 f_2.obj");
    assert_non_null(strstr(run.out, "within the limits"));
    tool_free(&run);
    run = tool_expect(1, "check --max-contacts 1 f_2.obj");
    assert_non_null(strstr(run.out, "exceeds the limits"));
    tool_free(&run);
    run = tool_expect(1, "check --max-contacts 0 f_2.obj");
    tool_free(&run);
    run = tool_expect(0, "check --max-depth 0.41 --json f_2.obj");
    assert_int_equal(strncmp(read_json_find(run.out, "exceeded"), "false", 5), 0);
    tool_free(&run);
    run = tool_expect(1, "check --max-depth 0.39 f_2.obj");
    tool_free(&run);
    run = tool_expect(1, "check --max-depth 1 --max-contacts 1 f_2.obj");
    tool_free(&run);
    tool_refuses("check --max-depth 1 --question proximities f_2.obj", "no depth", NULL);
    tool_refuses("check --max-contacts many f_2.obj", "whole number", NULL);
}

// A stand-in for Blender: objects with polygons and vertices that can be selected.
static const char stand_in[] =
    "import sys, types\n"
    "class Items(list):\n"
    "    def foreach_set(self, name, values):\n"
    "        for item, value in zip(self, values): setattr(item, name, value)\n"
    "class Groups(dict):\n"
    "    def new(self, name):\n"
    "        self[name] = types.SimpleNamespace(add=lambda *given: None)\n"
    "        return self[name]\n"
    "def item(**given): return types.SimpleNamespace(select=True, **given)\n"
    "def thing(name, faces, count):\n"
    "    data = types.SimpleNamespace(name=name, polygons=Items(item(vertices=f) for f in faces), edges=Items(),\n"
    "                                 vertices=Items(item() for _ in range(count)))\n"
    "    return types.SimpleNamespace(name=name, type='MESH', data=data, vertex_groups=Groups(), select_set=lambda on: None)\n"
    "things = [thing('head.001', [(0, 1, 2), (3, 4, 5)], 6), thing('cloth', [(0, 1, 2)], 3)]\n"
    "frames = []\n"
    "bpy = types.ModuleType('bpy')\n"
    "bpy.data = types.SimpleNamespace(objects=things)\n"
    "bpy.context = types.SimpleNamespace(object=None, "
    "view_layer=types.SimpleNamespace(objects=types.SimpleNamespace(active=None)),\n"
    "                                    scene=types.SimpleNamespace(frame_start=1, frame_set=frames.append))\n"
    "sys.modules['bpy'] = bpy\n"
    "import importlib.util\n"
    "spec = importlib.util.spec_from_file_location('chosen', sys.argv[1])\n"
    "chosen = importlib.util.module_from_spec(spec)\n"
    "spec.loader.exec_module(chosen)\n"
    "assert chosen.select() == [], chosen.select()\n"
    "assert [p.select for p in things[0].data.polygons] == [True, True]\n"
    "assert [p.select for p in things[1].data.polygons] == [True]\n"
    "assert chosen.select(1) == []\n"
    "assert [p.select for p in things[0].data.polygons] == [True, False]\n"
    "assert list(things[0].vertex_groups) == ['snag 1', 'snag 2'], things[0].vertex_groups\n"
    "assert frames == [3]\n"
    "del things[1]\n"
    "assert chosen.select() == ['cloth']\n";

static void a_script_selects_the_faces_in_blender(void **state)
{
    (void)state;
    write_scene();
    tool_run run = tool_expect(1, "check -q --select chosen.py --sequence f_0.obj f_1.obj f_2.obj f_3.obj");
    tool_free(&run);
    tool_write("stand_in.py", stand_in);
    char command[1200], chosen[512];
    snprintf(chosen, sizeof chosen, "%s", tool_path("chosen.py"));
    snprintf(command, sizeof command, "python3 '%s' '%s'", tool_path("stand_in.py"), chosen);
    if (system("python3 -c pass") != 0)
        skip();
    assert_int_equal(system(command), 0);
    // Names with markup, quotes and line ends stay names.
    tool_write("odd.obj", "o \"</script>\\\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\no c\nv 0 0 -1\nv 0.2 0 -1\nv 0 0 1\nf 4 5 6\n");
    run = tool_expect(1, "check -q --select odd.py odd.obj");
    tool_free(&run);
    snprintf(command, sizeof command, "python3 -m py_compile '%s'", tool_path("odd.py"));
    assert_int_equal(system(command), 0);
    char *script = tool_read("odd.py");
    assert_non_null(strstr(script, "\"\\\"</script>\\\\\""));
    free(script);
    tool_refuses("check f_2.obj --select chosen.txt", "ends in .py", NULL);
}

static void audit_scene_names_cloth_and_head(void **state)
{
    (void)state;
    const char *data = getenv("SNAG_DATA");
    char folder[500];
    snprintf(folder, sizeof folder, "%s/../audit/blender/A_frames", data ? data : "");
    if (!data || access(folder, R_OK) != 0)
        skip();
    char arguments[700];
    snprintf(arguments, sizeof arguments, "check --sequence %s", folder);
    tool_run run = tool_expect(1, arguments);
    assert_non_null(strstr(run.out, "Suzanne - Cloth      frames 11-39"));
    assert_non_null(strstr(run.out, "Suzanne with itself  frames 0-39"));
    tool_free(&run);
    snprintf(arguments, sizeof arguments, "check --ignore-initial --sequence %s", folder);
    run = tool_expect(1, arguments);
    assert_non_null(strstr(run.out, "Suzanne - Cloth    frames 11-39"));
    assert_non_null(strstr(run.out, "the first in frame 11"));
    assert_null(strstr(run.out, "Suzanne with itself"));
    tool_free(&run);
}

// Writes an OBJ file again with its faces in another order, each beginning at another corner.
static void shuffle_faces(const char *from, const char *to)
{
    char *text = tool_read(from);
    size_t count = 0, length = strlen(text);
    char **faces = malloc((length / 8 + 1) * sizeof *faces);
    FILE *file = fopen(tool_path(to), "w");
    assert_true(faces != NULL && file != NULL);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "f ", 2) == 0)
            faces[count++] = line + 2;
        else
            fprintf(file, "%s\n", line);
    assert_true(count > 2);
    uint64_t random = 7;
    for (size_t i = count - 1; i > 0; i--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t k = (size_t)(random >> 33) % (i + 1);
        char *swap = faces[i];
        faces[i] = faces[k];
        faces[k] = swap;
    }
    for (size_t i = 0; i < count; i++) {
        char corners[3][40];
        assert_int_equal(sscanf(faces[i], "%39s %39s %39s", corners[0], corners[1], corners[2]), 3);
        fprintf(file, "f %s %s %s\n", corners[(i + 1) % 3], corners[(i + 2) % 3], corners[i % 3]);
    }
    fclose(file);
    free(faces);
    free(text);
}

static double place_at(const char *json, size_t place, const char *key)
{
    char path[80];
    snprintf(path, sizeof path, "places[%zu].%s", place, key);
    return read_json_at(json, path);
}

static void real_meshes_have_the_same_places_in_any_order_of_their_faces(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Generic_Twin_7081_right.obj",    "dress-v7k-f14k.obj",  "klein_bottle_blocky.obj", "octagonal_pocket.stl",
        "openscad-nonmanifold-crash.obj", "self_intersectA.obj", "self_intersectB.obj",     "tshirt1900-biFolded.obj",
        "two-cubes-intersecting.ply",     "two_spheres.obj"};
    static const char *const keys[] = {"length", "size", "centre[0]", "centre[1]", "centre[2]"};
    const char *data = getenv("SNAG_DATA");
    char arguments[700];
    snprintf(arguments, sizeof arguments, "%s/self_int", data ? data : "");
    if (!data || access(arguments, R_OK) != 0)
        skip();
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        snprintf(arguments, sizeof arguments, "convert %s/self_int/%s -o order.obj", data, names[n]);
        tool_run run = tool_expect(0, arguments);
        tool_free(&run);
        shuffle_faces("order.obj", "other.obj");
        run = tool_expect(1, "check --json --quiet order.obj");
        tool_run other = tool_expect(1, "check --json --quiet other.obj");
        size_t count = read_json_count(run.out, "places");
        assert_true(count > 0);
        assert_int_equal(read_json_count(other.out, "places"), count);
        for (size_t i = 0; i < count; i++) {
            assert_true(place_at(run.out, i, "contacts") == place_at(other.out, i, "contacts"));
            assert_true(place_at(run.out, i, "depth") == place_at(other.out, i, "depth"));
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                double a = place_at(run.out, i, keys[k]), b = place_at(other.out, i, keys[k]);
                if (!(fabs(a - b) <= 1e-9 * (1 + fabs(a))))
                    fail_msg("%s, place %zu: %s is %.17g, then %.17g", names[n], i, keys[k], a, b);
            }
        }
        tool_free(&run);
        tool_free(&other);
    }
}

// Hexahedra are cut into six tetrahedra each: within the object, too, cells count, not parts of them. The labels of the deck have a gap.
static void cells_that_were_cut_count_once_in_their_object(void **state)
{
    (void)state;
    char deck[2048] = "*NODE\n";
    static const double at[3] = {0, 5, 5.5};
    for (int cell = 0; cell < 3; cell++)
        for (int v = 0; v < 8; v++)
            snprintf(deck + strlen(deck), sizeof deck - strlen(deck), "%d, %g, %g, %g\n", 10 * cell + v + 1,
                     at[cell] + (v % 4 == 1 || v % 4 == 2), v % 4 > 1 ? 1.1 : 0.1 * cell, v > 3 ? 1.2 : 0.05 * cell);
    strcat(deck, "*ELEMENT, TYPE=C3D8\n7, 1,2,3,4,5,6,7,8\n20, 11,12,13,14,15,16,17,18\n31, 21,22,23,24,25,26,27,28\n");
    tool_write("gap.inp", deck);
    tool_run run = tool_expect(1, "check gap.inp --pairs gap.csv");
    tool_free(&run);
    char *csv = tool_read("gap.csv");
    assert_non_null(strstr(csv, ",k31,"));
    assert_non_null(strstr(csv, ",k2\n"));
    // k20 and k31 of the deck are k1 and k2 of the object.
    for (const char *k = strstr(csv, ",k"); k != NULL; k = strstr(k + 1, ",k")) {
        long number = strtol(k + 2, NULL, 10);
        if (k[2] >= '0' && k[2] <= '9' && number != 20 && number != 31 && number != 1 && number != 2)
            fail_msg("there is no cell %ld", number);
    }
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_that_were_cut_count_once_in_their_object),
        cmocka_unit_test(the_text_names_the_pair_with_its_first_frame),
        cmocka_unit_test(json_has_places_over_all_frames),
        cmocka_unit_test(accepted_contacts_are_ignored_later_and_in_a_sorted_file),
        cmocka_unit_test(a_list_can_be_brought_up_to_date),
        cmocka_unit_test(nothing_is_accepted_once_faces_have_changed),
        cmocka_unit_test(impacts_of_the_first_move_are_not_initial),
        cmocka_unit_test(lists_that_do_not_fit_are_refused),
        cmocka_unit_test(a_rest_pose_says_what_is_meant_to_be),
        cmocka_unit_test(distances_are_summed_up_by_pair),
        cmocka_unit_test(bodies_are_chosen_by_name),
        cmocka_unit_test(limits_decide_the_exit_code),
        cmocka_unit_test(a_script_selects_the_faces_in_blender),
        cmocka_unit_test(audit_scene_names_cloth_and_head),
        cmocka_unit_test(real_meshes_have_the_same_places_in_any_order_of_their_faces),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
