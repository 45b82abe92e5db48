// Small shapes for tests of the tool, and what they ask of it again and again.
#ifndef SNAG_TEST_TOOL_SHAPES_H
#define SNAG_TEST_TOOL_SHAPES_H

#include "run_tool.h"

#include "read_json.h"
#include "snag/question.h"

// A closed surface: a tetrahedron. Vertices 0..3, faces 0..3.
static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

// Two triangles that cross: face 0 in the plane z = 0, face 1 upright through it at x = 0.25.
static const char crossing[] = "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv 0.25 0 -1\nv 0.25 0 1\nv 0.25 3 0\nf 1 2 3\nf 4 5 6\n";

// The same as two objects, the second of which is a quad.
static const char two_objects[] = "o floor\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n"
                                  "o wall\nv 0.25 -3 -1\nv 0.25 -3 1\nv 0.25 3 1\nv 0.25 3 -1\nf 4 5 6 7\n";

// A triangle of three vertices, shifted along z.
static const char flat[] = "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n";

// Frames of a small triangle that falls through the plane z = 0 between frame 1 and 2, where `flat` is.
static const float falling[4][9] = {
    {1, 1, 3, 1.5f, 1, 3, 1, 1.5f, 3},
    {1, 1, 1, 1.5f, 1, 1, 1, 1.5f, 1},
    {1, 1, -1, 1.5f, 1, -1, 1, 1.5f, -1},
    {1, 1, -2, 1.5f, 1, -2, 1, 1.5f, -2},
};

static inline bool answers(snag_question question)
{
    return snag_method_answers(SNAG_METHOD_AUTO, question);
}

static inline size_t line_count(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

// Runs `check --json`, which must print valid JSON and nothing else.
static inline tool_run check_json(int code, const char *arguments)
{
    char command[2000];
    snprintf(command, sizeof command, "check --json %s", arguments);
    tool_run run = tool_expect(code, command);
    if (!read_json_valid(run.out))
        fail_msg("not JSON: %s", run.out);
    return run;
}

#endif
