// Outputs for other programs: what is in contact stands out, files are named by frame, inputs are safe, and a full disk leaves
// nothing behind.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include <dirent.h>

#include "read_json.h"
#include "snag/io.h"

static const char crossing[] = "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv 0.25 0 -1\nv 0.25 0 1\nv 0.25 3 0\nv 9 9 9\nv 9 9 8\nv 9 8 9\n"
                               "f 1 2 3\nf 4 5 6\nf 7 8 9\n";

static size_t files_ending(const char *ending)
{
    DIR *folder = opendir(tool_folder);
    assert_non_null(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name), size = strlen(ending);
        count += length > size && strcmp(entry->d_name + length - size, ending) == 0;
    }
    closedir(folder);
    return count;
}

static snag_io_mesh read_back(const char *name)
{
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_read_mesh(tool_path(name), &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    return mesh;
}

static void a_frame_is_written_for_three_programs(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = tool_expect(1, "check -q cross.obj --ply out.ply --glb out.glb --vtu out.vtu");
    tool_free(&run);
    static const char *const names[] = {"out.ply", "out.glb", "out.vtu"};
    for (int i = 0; i < 3; i++) {
        snag_io_mesh mesh = read_back(names[i]);
        assert_int_equal(mesh.face_count, 3);
        snag_io_mesh_free(&mesh);
    }
    assert_int_equal(files_ending(".pvd"), 0);
    // Faces 0 and 1 cross and are red, face 2 is not.
    FILE *ply = fopen(tool_path("out.ply"), "rb");
    uint8_t faces[3][20];
    assert_non_null(ply);
    assert_int_equal(fseek(ply, -(long)sizeof faces, SEEK_END), 0);
    assert_int_equal(fread(faces, 1, sizeof faces, ply), sizeof faces);
    fclose(ply);
    static const uint8_t red[3] = {214, 39, 40};
    assert_memory_equal(faces[0] + 13, red, 3);
    assert_memory_equal(faces[1] + 13, red, 3);
    assert_memory_not_equal(faces[2] + 13, red, 3);
    static const uint8_t place[2][4] = {{1, 0, 0, 0}, {0, 0, 0, 0}};
    for (int i = 0; i < 3; i++)
        assert_memory_equal(faces[i] + 16, place[i == 2], 4);
    char *vtu = tool_read("out.vtu");
    assert_non_null(strstr(vtu, "Name=\"place\""));
    assert_non_null(strstr(vtu, "Name=\"contacts\""));
    assert_non_null(strstr(vtu, "Name=\"depth\""));
    // 12 bytes (as a number of 8), then 1 1 0 in base64.
    assert_non_null(strstr(vtu, ">DAAAAAAAAAABAAAAAQAAAAAAAAA=<"));
    free(vtu);
    char *glb = tool_read("out.glb");
    assert_int_equal(memcmp(glb, "glTF", 4), 0);
    assert_int_equal(read_json_count(glb + 20, "materials"), 2);
    assert_non_null(strstr(glb + 20, "\"_PLACE\":"));
    free(glb);
}

static void frames_are_numbered_and_listed(void **state)
{
    (void)state;
    tool_write("s_1.obj", crossing);
    tool_write("s_2.obj", crossing);
    tool_run run = tool_expect(1, "check -q --sequence s_1.obj s_2.obj --ply all.ply --glb all.glb --vtu all.pvd");
    tool_free(&run);
    assert_true(tool_has("all_0000.ply") && tool_has("all_0001.ply") && tool_has("all_0001.glb") && tool_has("all_0001.vtu"));
    char *list = tool_read("all.pvd");
    assert_non_null(strstr(list, "file=\"all_0001.vtu\""));
    free(list);
}

static void inputs_are_not_overwritten_by_numbered_frames(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = tool_expect(1, "check -q cross.obj --ply in_0001.ply");
    tool_free(&run);
    char *before = tool_read("in_0001.ply");
    tool_refuses("check -q --json --sequence in_0001.ply in_0001.ply --ply in.ply", "in_0001.ply", "input", NULL);
    assert_false(tool_has("in_0000.ply"));  // what was written before is taken back
    char *after = tool_read("in_0001.ply");
    assert_string_equal(before, after);
    free(before);
    free(after);
    tool_refuses("check cross.obj --ply out.obj", "ends in .ply", NULL);
    tool_refuses("check cross.obj --vtu out.vtk", ".vtu or .pvd", NULL);
    tool_refuses("check cross.obj --json --jsonl", "choose one", NULL);
    tool_refuses("check cross.obj --ply same.ply --pairs same.ply", "same.ply", NULL);
}

// A limit on the size of files is as good as a full disk.
static void a_full_disk_leaves_nothing_behind(void **state)
{
    (void)state;
    FILE *mesh = fopen(tool_path("large.obj"), "w");
    assert_non_null(mesh);
    for (int i = 0; i < 3000; i++)
        fprintf(mesh, "v %d 0 0\nv %d 1 0\nv %d 0 1\nf %d %d %d\n", i, i, i, 3 * i + 1, 3 * i + 2, 3 * i + 3);
    fclose(mesh);
    static const char *const outputs[] = {"--ply full.ply", "--glb full.glb", "--vtu full.vtu"};
    for (int i = 0; i < 3; i++) {
        char command[1000];
        snprintf(command, sizeof command,
                 "cd '%s' && trap '' XFSZ && ulimit -f 40 && \"$SNAG_TOOL\" check -q large.obj %s >stdout.txt 2>stderr.txt",
                 tool_folder, outputs[i]);
        int status = system(command);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 2);
        char *err = tool_read("stderr.txt");
        assert_non_null(strstr(err, "cannot write"));
        free(err);
    }
    assert_false(tool_has("full.ply") || tool_has("full.glb") || tool_has("full.vtu"));
    assert_int_equal(files_ending(".part0"), 0);
}

static void lines_stream_frame_by_frame(void **state)
{
    (void)state;
    tool_write("s_1.obj", crossing);
    tool_write("s_2.obj", crossing);
    tool_run run = tool_expect(1, "check --jsonl --sequence s_1.obj s_2.obj");
    char *line = strtok(run.out, "\n");
    for (int i = 0; i < 4; i++, line = strtok(NULL, "\n")) {
        assert_non_null(line);
        if (!read_json_valid(line))
            fail_msg("not JSON: %s", line);
        if (i == 1 || i == 2) {
            assert_true(read_json_at(line, "frame") == i - 1);
            assert_true(read_json_at(line, "contacts") == 1);
            assert_true(read_json_is(line, "pairs[0].a", "t0"));
            assert_true(read_json_is(line, "pairs[0].b", "t1"));
        }
        if (i == 3)
            assert_true(read_json_at(line, "contacts_total") == 2);
    }
    assert_null(line);
    tool_free(&run);
}

static void meshes_come_by_the_standard_input(void **state)
{
    (void)state;
    tool_write("cross.obj", crossing);
    tool_run run = tool_expect(1, "check -q cross.obj --ply pipe.ply");
    tool_free(&run);
    static const char *const names[] = {"cross.obj", "pipe.ply"};
    for (int i = 0; i < 2; i++) {
        char command[1000];
        snprintf(command, sizeof command, "cd '%s' && \"$SNAG_TOOL\" check --json - <%s >stdout.txt 2>stderr.txt", tool_folder,
                 names[i]);
        int status = system(command);
        assert_int_equal(WEXITSTATUS(status), 1);
        char *out = tool_read("stdout.txt");
        assert_true(read_json_is(out, "bodies[0].name", "stdin"));
        assert_true(read_json_at(out, "contacts_total") == 1);
        free(out);
    }
    tool_refuses("check -", "standard input is empty", NULL);
}

// A glTF of text: two triangles that share an edge but no vertex, and a third that is lifted through them by an animation.
static const char moving[] =
    "{\"asset\":{},\"nodes\":[{\"mesh\":0,\"name\":\"floor\"},{\"mesh\":1,\"name\":\"dart\"}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},{\"primitives\":[{\"attributes\":{\"POSITION\":1}}]}],"
    "\"animations\":[{\"name\":\"rise\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}],"
    "\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"LINEAR\"}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"
    "{\"bufferView\":0,\"byteOffset\":72,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
    "{\"bufferView\":0,\"byteOffset\":108,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
    "{\"bufferView\":0,\"byteOffset\":116,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":140}],\"buffers\":[{\"uri\":\"moving.bin\"}]}";

static void figures_are_played_and_keep_their_numbers(void **state)
{
    (void)state;
    static const float numbers[35] = {0, 0, 0,  4,    0, 0,  4, 4,    0,  /* */ 0,         0, 0,
                                      4, 4, 0,  0,    4, 0, /* a dart at z = -3 .. -2 */
                                      3, 1, -3, 3.2f, 1, -2, 3, 1.2f, -2, /* seconds */ 0, 1, /* from and to */ 0,
                                      0, 0, 0,  0,    10};
    tool_write("moving.gltf", moving);
    tool_write_bytes("moving.bin", numbers, sizeof numbers);
    tool_run run = tool_expect(1, "check --json --fps 4 moving.gltf --pairs moving.csv");
    assert_int_equal(read_json_count(run.out, "frames"), 5);
    assert_true(read_json_at(run.out, "bodies[0].vertices") == 4);
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    assert_true(read_json_at(run.out, "frames[1].contacts") == 1);  // at 0.25 s the dart is at z = -0.5 .. 0.5
    tool_free(&run);
    char *csv = tool_read("moving.csv");
    // The face of the dart is the third of the file; no contact of the floor with itself.
    assert_non_null(strstr(csv, "1,floor,t0,dart,t2,crossing"));
    free(csv);
    run = tool_expect(0, "info moving.gltf");
    assert_non_null(strstr(run.out, "animation rise, 1 s, 31 frames at 30 per second"));
    tool_free(&run);
    tool_refuses("check moving.gltf --animation risse", "did you mean rise", NULL);
    tool_refuses("check moving.gltf --fps 1e30", "too many frames", NULL);
    tool_refuses("check moving.xyz", "moving.xyz", NULL);
    tool_write("moving.xyz", "");
    tool_refuses("check moving.xyz", ".obj .ply", ".glb", ".pc2", NULL);
}

static void manual_and_completions_know_every_option(void **state)
{
    (void)state;
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (int i = 0; i < 3; i++) {
        char command[40];
        snprintf(command, sizeof command, "completion %s", shells[i]);
        tool_run run = tool_expect(0, command);
        assert_non_null(strstr(run.out, i == 2 ? "-l jsonl" : "--jsonl"));
        assert_non_null(strstr(run.out, "intersections proximities"));
        tool_free(&run);
    }
    tool_run run = tool_expect(0, "manual check");
    assert_non_null(strstr(run.out, ".TH SNAG-CHECK 1"));
    assert_non_null(strstr(run.out, "\\-\\-every\\-pair"));
    assert_non_null(strstr(run.out, ".SH EXAMPLES"));
    tool_free(&run);
    tool_refuses("manual nonsense", "usage", NULL);
    tool_refuses("completion csh", "bash|zsh|fish", NULL);
    char command[1000];
    snprintf(command, sizeof command, "\"$SNAG_TOOL\" completion bash | bash -n");
    assert_int_equal(system(command), 0);
}

// ---- numbers of the input ------------------------------------------------------------------------------------------

// A floor of a quad and a pentagon that does not begin at its first vertices, and a wall through it, as three formats write them.
static const char hall_obj[] = "o floor\nv 7 7 7\nv 2 1 0\nv 0 -1 0\nv 0 1 0\nv 2 -1 0\nv 4 1 0\nv 5 0 0\nv 4 -1 0\n"
                               "f 3 5 2 4\nf 5 8 7 6 2\no wall\nv 1.25 -3 1\nv 1.25 -3 -1\nv 1.25 3 -1\nv 1.25 3 1\nf 12 9 10 11\n";

static const char hall_fbx[] =
    "FBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\nObjects:  {\n"
    "\tGeometry: 1, \"Geometry::floor\", \"Mesh\" {\n\t\tVertices: *24 {\n\t\t\ta: "
    "7,7,7,2,1,0,0,-1,0,0,1,0,2,-1,0,4,1,0,5,0,0,4,-1,0\n\t\t}\n"
    "\t\tPolygonVertexIndex: *9 {\n\t\t\ta: 2,4,1,-4,4,7,6,5,-2\n\t\t}\n\t}\n"
    "\tGeometry: 2, \"Geometry::wall\", \"Mesh\" {\n\t\tVertices: *12 {\n\t\t\ta: 1.25,-3,1,1.25,-3,-1,1.25,3,-1,1.25,3,1\n\t\t}\n"
    "\t\tPolygonVertexIndex: *4 {\n\t\t\ta: 3,0,1,-3\n\t\t}\n\t}\n"
    "\tModel: 3, \"Model::floor\", \"Mesh\" {\n\t\tVersion: 232\n\t}\n\tModel: 4, \"Model::wall\", \"Mesh\" {\n\t\tVersion: "
    "232\n\t}\n}\n"
    "Connections:  {\n\tC: \"OO\",3,0\n\tC: \"OO\",4,0\n\tC: \"OO\",1,3\n\tC: \"OO\",2,4\n}\n";

#define SOURCE(id, count, numbers)                                                                                                 \
    "<source id=\"" id "\"><float_array id=\"" id "a\" count=\"" count "\">" numbers "</float_array><technique_common><accessor "  \
    "source=\"#" id                                                                                                                \
    "a\" count=\"8\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" "          \
    "type=\"float\"/></accessor></technique_common></source><vertices id=\"" id "v\"><input semantic=\"POSITION\" source=\"#" id   \
    "\"/></vertices>"
#define INPUT(id) "<input semantic=\"VERTEX\" source=\"#" id "v\" offset=\"0\"/>"

static const char hall_dae[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
    "version=\"1.4.1\"><asset><up_axis>Y_UP</up_axis></asset>"
    "<library_geometries><geometry id=\"f\" name=\"f\"><mesh>" SOURCE("p", "24", "7 7 7 2 1 0 0 -1 0 0 1 0 2 -1 0 4 1 0 5 0 0 4 -1 0") "<polylist count=\"1\" material=\"a\">" INPUT(
        "p") "<vcount>4</vcount><p>2 4 1 3</p></polylist>"
             "<polylist count=\"1\" material=\"b\">" INPUT(
                 "p") "<vcount>5</vcount><p>4 7 6 5 1</p></polylist></mesh></geometry>"
                      "<geometry id=\"w\" name=\"w\"><mesh>" SOURCE(
                          "q", "12",
                          "1.25 -3 1 1.25 -3 -1 1.25 3 -1 1.25 3 1") "<polylist count=\"1\">" INPUT("q") "<vcount>4</vcount><p>3 0 "
                                                                                                         "1 "
                                                                                                         "2</p></polylist></mesh></"
                                                                                                         "geometry></"
                                                                                                         "library_geometries>"
                                                                                                         "<library_visual_scenes><"
                                                                                                         "visual_scene "
                                                                                                         "id=\"s\"><node id=\"m\" "
                                                                                                         "name=\"floor\"><instance_"
                                                                                                         "geometry "
                                                                                                         "url=\"#f\"/></node>"
                                                                                                         "<node id=\"n\" "
                                                                                                         "name=\"wall\"><instance_"
                                                                                                         "geometry "
                                                                                                         "url=\"#w\"/></node></"
                                                                                                         "visual_scene></"
                                                                                                         "library_visual_scenes>"
                                                                                                         "<scene><instance_visual_"
                                                                                                         "scene "
                                                                                                         "url=\"#s\"/></scene></"
                                                                                                         "COLLADA>";

// Takes the last two fields from every line: which vertices an object has, and so their numbers within it, depends on the format.
static void drop_object_numbers(char *csv)
{
    char *to = csv;
    for (char *line = csv, *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        char *cut = end;
        for (int commas = 0; commas < 2;)
            commas += *--cut == ',';
        memmove(to, line, (size_t)(cut - line));
        to += cut - line;
        *to++ = '\n';
    }
    *to = 0;
}

static void scene_files_give_the_pairs_of_an_obj(void **state)
{
    (void)state;
    if (!strstr(snag_io_mesh_endings(), ".fbx")) {
        print_message("left out: this build reads no FBX or COLLADA\n");
        skip();
    }
    tool_write("hall.obj", hall_obj);
    tool_write("hall.fbx", hall_fbx);
    tool_write("hall.dae", hall_dae);
    static const char *const questions[] = {"intersections", "proximities --distance 1.5"};
    for (int q = 0; q < 2; q++) {
        char *lines[3];
        for (int i = 0; i < 3; i++) {
            char command[200];
            static const char *const endings[] = {"obj", "fbx", "dae"};
            snprintf(command, sizeof command, "check -q hall.%s --question %s --pairs hall.csv", endings[i], questions[q]);
            tool_run run = tool_expect(1, command);
            assert_null(strstr(run.err, "numbered"));
            tool_free(&run);
            lines[i] = tool_read("hall.csv");
            drop_object_numbers(lines[i]);
        }
        assert_true(strchr(lines[0], '\n')[1] != 0);
        assert_string_equal(lines[1], lines[0]);
        assert_string_equal(lines[2], lines[0]);
        for (int i = 0; i < 3; i++)
            free(lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_written_for_three_programs),
        cmocka_unit_test(frames_are_numbered_and_listed),
        cmocka_unit_test(inputs_are_not_overwritten_by_numbered_frames),
        cmocka_unit_test(a_full_disk_leaves_nothing_behind),
        cmocka_unit_test(lines_stream_frame_by_frame),
        cmocka_unit_test(meshes_come_by_the_standard_input),
        cmocka_unit_test(figures_are_played_and_keep_their_numbers),
        cmocka_unit_test(manual_and_completions_know_every_option),
        cmocka_unit_test(scene_files_give_the_pairs_of_an_obj),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
