// What the tool does with inputs of all kinds: archives, pipes, files that would take all memory, importers that fail.
#define _XOPEN_SOURCE 700
#include "tool_shapes.h"

#include "helpers/zip_writer.h"
#include "snag/io.h"

#define CORE "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
#define TRIANGLE(z)                                                                                                                \
    "<mesh><vertices><vertex x=\"0\" y=\"0\" z=\"" z "\"/><vertex x=\"4\" y=\"0\" z=\"" z "\"/><vertex x=\"0\" y=\"4\" z=\"" z     \
    "\"/>"                                                                                                                         \
    "</vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh>"

// Two triangles, the second of which a transform puts through the first.
static void write_3mf(const char *name, const char *unit)
{
    static uint8_t archive[8192];
    char model[4000];
    snprintf(model, sizeof model,
             "<model unit=\"%s\" xmlns=\"" CORE "\"><resources><object id=\"1\" name=\"floor\">" TRIANGLE(
                 "0") "</object><object id=\"2\" "
                      "name=\"wall\">" TRIANGLE("0") "</object></resources><build><item objectid=\"1\"/><item objectid=\"2\" "
                                                     "transform=\"1 0 0 0 0 1 0 -1 0 0 1 -1\"/></build></model>",
             unit);
    const zip_file files[] = {{"[Content_Types].xml", "<Types/>", 8}, {"3D/3dmodel.model", model, strlen(model)}};
    tool_write_bytes(name, (const char *)archive, write_zip(archive, sizeof archive, files, 2, ZIP_64));
}

static void a_3mf_is_checked_like_any_other(void **state)
{
    (void)state;
    write_3mf("two.3mf", "millimeter");
    tool_run run = tool_expect(1, "check --json two.3mf");
    assert_true(read_json_is(run.out, "bodies[0].name", "floor") && read_json_is(run.out, "bodies[1].name", "wall"));
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    assert_string_equal(run.err, "");
    tool_free(&run);
    char command[1500];
    snprintf(command, sizeof command, "cd '%s' && \"$SNAG_TOOL\" check -q - <two.3mf >stdout.txt 2>stderr.txt", tool_folder);
    int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    write_3mf("inch.3mf", "inch");
    run = tool_expect(1, "check two.3mf inch.3mf");
    assert_non_null(strstr(run.err, "two.3mf uses units of 0.001 m, inch.3mf units of 0.0254 m"));
    tool_free(&run);
}

static void a_pipe_is_refused_at_once(void **state)
{
    (void)state;
    static const char *const names[] = {"pipe.obj", "pipe.gltf", "pipe.fbx", "pipe.pc2", "pipe.snag"};
    tool_write("cross.obj", crossing);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char arguments[100];
        assert_int_equal(mkfifo(tool_path(names[i]), 0600), 0);
        snprintf(arguments, sizeof arguments, "check cross.obj %s", names[i]);
        if (i != 2 || snag_io_is_mesh("x.fbx"))
            tool_refuses(arguments, names[i], "is a pipe or a device", NULL);
    }
}

static void a_small_file_that_becomes_large_is_refused_unless_allowed(void **state)
{
    (void)state;
    static char text[100000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "{\"asset\":{},\"nodes\":[{\"mesh\":0}],\"accessors\":[{\"componentType\":5126,"
                                 "\"count\":90000,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[");
    for (size_t i = 0; i < 600; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":%zu}}", i ? "," : "", i);
    snprintf(text + at, sizeof text - at, "]}]}");
    memset(text + strlen(text), ' ', sizeof text - 1 - strlen(text));
    tool_write("zeros.gltf", text);
    tool_refuses("check zeros.gltf", "zeros.gltf: its 99999 bytes expand to more than",
                 "raise the limit with --input-memory SIZE, such as 4G", NULL);
    tool_write("cross.obj", crossing);
    tool_refuses("check cross.obj --input-memory 1K", "cross.obj: its ", NULL);
    tool_run run = tool_expect(1, "check -q cross.obj --input-memory 1.5m");
    tool_free(&run);
    tool_refuses("check cross.obj --input-memory lots", "--input-memory: \"lots\" is not a size", NULL);
    tool_refuses("check cross.obj --input-memory 4GB", "is not a size", NULL);
    tool_refuses("check cross.obj --input-memory 0", "is not a size", NULL);
}

static void a_note_tells_what_was_passed_over(void **state)
{
    (void)state;
    tool_write("long.ply",
               "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
               "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 9 9\n");
    tool_run run = tool_expect(0, "check long.ply");
    assert_non_null(strstr(run.err, "long.ply:13: the line has more numbers than the header declares"));
    tool_free(&run);
}

// The file of the audit on which assimp took 5.5 GB.
static void an_importer_that_fails_is_a_message(void **state)
{
    (void)state;
    const char *data = getenv("SNAG_DATA");
    char path[1000], arguments[1200];
    snprintf(path, sizeof path, "%s/../audit/crash/a4d0e48e.dae", data ? data : ".");
    if (!snag_io_is_mesh("x.dae") || access(path, R_OK) != 0) {
        print_message("left out: no COLLADA here, or no file of the audit\n");
        return;
    }
    snprintf(arguments, sizeof arguments, "check '%s'", path);
    tool_refuses(arguments, "a4d0e48e.dae: the importer of COLLADA files", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_3mf_is_checked_like_any_other),
        cmocka_unit_test(a_pipe_is_refused_at_once),
        cmocka_unit_test(a_small_file_that_becomes_large_is_refused_unless_allowed),
        cmocka_unit_test(a_note_tells_what_was_passed_over),
        cmocka_unit_test(an_importer_that_fails_is_a_message),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
