// Without memory the tool ends with 2, says so, leaves nothing half-written and leaks nothing, wherever it runs out.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include <dirent.h>
#include <fcntl.h>

#include "helpers/failing_malloc.h"
#include "verbs.h"

static const char crossing[] = "o floor\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n"
                               "o wall\nv 0.25 -3 -1\nv 0.25 -3 1\nv 0.25 3 1\nv 0.25 3 -1\nf 4 5 6 7\n";

// Runs a verb in this program, whose words then go nowhere.
static int run_inside(int (*verb)(const options *, words *), const char *name, const char *text)
{
    char buffer[500], *arguments[32];
    int count = 0;
    snprintf(buffer, sizeof buffer, "%s", text);
    for (char *word = strtok(buffer, " "); word; word = strtok(NULL, " "))
        arguments[count++] = word;
    words w = {.program = "snag", .verb = name};
    options parsed;
    int result = options_parse(verb_from_name(name), count, arguments, &w, &parsed);
    if (result == EXIT_CLEAN)
        result = verb(&parsed, &w);
    options_free(&parsed);
    return result;
}

static int silence(int descriptor)
{
    fflush(NULL);
    int kept = dup(descriptor), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, descriptor);
    close(nowhere);
    return kept;
}

static void give_back(int descriptor, int kept)
{
    fflush(NULL);
    dup2(kept, descriptor);
    close(kept);
}

static void assert_nothing_half_written(void)
{
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        assert_null(strstr(entry->d_name, ".part"));
    closedir(folder);
}

// Lets the first, second, ... allocation fail and all after it, until none is refused any more.
static void sweep(int (*verb)(const options *, words *), const char *name, const char *text, int code)
{
    int out = silence(STDOUT_FILENO), err = silence(STDERR_FILENO);
    int result = EXIT_ERROR, wrong = -1;
    size_t n = 0;
    for (bool refused = true; refused && wrong < 0;) {
        failing_malloc_start(++n);
        result = run_inside(verb, name, text);
        refused = failing_malloc_stop();
        if (refused && result != EXIT_ERROR)
            wrong = result;
    }
    give_back(STDERR_FILENO, err);
    give_back(STDOUT_FILENO, out);
    if (wrong >= 0)
        fail_msg("snag %s %s: ends with %d although allocation %zu failed", name, text, wrong, n);
    assert_int_equal(result, code);
    assert_true(n > 10);
    assert_nothing_half_written();
}

static int setup(void **state)
{
    return tool_setup(state) == 0 && chdir(tool_folder) == 0 ? 0 : -1;
}

static void check_survives_without_memory(void **state)
{
    (void)state;
    const float wall[2][12] = {{0.25f, -3, -1, 0.25f, -3, 1, 0.25f, 3, 1, 0.25f, 3, -1}, {9, -3, -1, 9, -3, 1, 9, 3, 1, 9, 3, -1}};
    tool_make_folder("scene");
    tool_write("scene/mesh.obj", crossing);
    tool_write_pc2("scene/wall.pc2", 4, 2, wall[0]);
    tool_write("f1.obj", crossing);
    tool_write("f2.obj", crossing);
    sweep(verb_check, "check", "scene --pairs out.csv", EXIT_CONTACTS);
#if SNAG_REPORT
    sweep(verb_check, "check", "scene --report out.html", EXIT_CONTACTS);
#endif
    sweep(verb_check, "check", "scene --json f1.obj f1.obj --cache wall.2=scene/wall.pc2", EXIT_CONTACTS);
    sweep(verb_check, "check", "--json --sequence f*.obj", EXIT_CONTACTS);
    sweep(verb_check, "check", "--json --sequence f1.obj f2.obj", EXIT_CONTACTS);
    sweep(verb_check, "check", "f1.obj f1.obj --json", EXIT_CONTACTS);
    // Two questions, and elements that are not read.
    tool_write("volume.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n7 7 7 0\n"
                              "Tetrahedra\n1\n1 2 3 4 0\nTriangles\n2\n1 2 3 0\n1 2 5 0\nHexahedra\n1\n1 2 3 4 1 2 3 4 0\nEnd\n");
    sweep(verb_check, "check", "f1.obj volume.mesh", EXIT_CONTACTS);
    sweep(verb_check, "check", "--json volume.mesh", EXIT_ERROR);
    // Faces that change, groups as bodies, a deck.
    tool_write("f3.obj", "o floor\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 3 2 1\no wall\nv 0.25 -3 -1\nv 0.25 -3 1\nv 0.25 3 1\nv 0.25 3 "
                         "-1\ng top\nf 4 5 6\ng low\nf 4 6 7\n");
    sweep(verb_check, "check", "--json --sequence f1.obj f3.obj f2.obj --ply c.ply", EXIT_CONTACTS);
    sweep(verb_check, "check", "--split groups f3.obj", EXIT_CONTACTS);
    sweep(verb_check, "check", "--label groups f3.obj --pairs f3.csv", EXIT_CONTACTS);
    tool_write("deck.inp", "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,.1,.1,.1\n6,9,9,9\n7,9,8,9\n8,8,9,9\n*ELEMENT, "
                           "TYPE=C3D4\n1,1,2,3,4\n2,5,6,7,8\n");
    sweep(verb_check, "check", "deck.inp", EXIT_CONTACTS);
    sweep(verb_check, "check", "--jsonl --sequence f1.obj f2.obj --ply o.ply --glb o.glb --vtu o.vtu", EXIT_CONTACTS);
}

static void info_survives_without_memory(void **state)
{
    (void)state;
    sweep(verb_info, "info", "scene", EXIT_CLEAN);
    sweep(verb_info, "info", "--json scene", EXIT_CLEAN);
}

static void demo_survives_without_memory(void **state)
{
    (void)state;
    sweep(verb_demo, "demo", "--frames 1 --size 0.001 --out shown", EXIT_CLEAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_survives_without_memory),
        cmocka_unit_test(info_survives_without_memory),
        cmocka_unit_test(demo_survives_without_memory),
    };
    return cmocka_run_group_tests(tests, setup, tool_teardown);
}
