// Reads a report back as described in docs/design/report-format.md: base 64, inflated by zlib, columns.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include "read_json.h"
#include "snag/question.h"

#include <math.h>

#if SNAG_REPORT

#include <zlib.h>

enum { FRAMES = 20, POINTS = 4 };

typedef struct bytes {
    uint8_t *data;
    size_t count, at;
} bytes;

static int digit_of(char c)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

// The n-th block of a name, unpacked.
static bytes block(const char *page, const char *name, size_t n)
{
    char open[100];
    snprintf(open, sizeof open, "<script type=\"application/x-snag\" data-block=\"%s\">", name);
    const char *at = page;
    for (size_t i = 0; i <= n; i++) {
        at = strstr(at, open);
        if (!at)
            return (bytes){0};
        at += strlen(open);
    }
    const char *end = strstr(at, "</script>");
    assert_non_null(end);
    uint8_t *packed = malloc((size_t)(end - at) + 4);
    size_t size = 0;
    for (; at + 3 < end; at += 4)
        for (int k = 0; k < 3 && (k == 0 || at[k + 1] != '='); k++)
            packed[size++] = (uint8_t)(digit_of(at[k]) << (2 * k + 2) | digit_of(at[k + 1]) >> (4 - 2 * k));
    assert_ptr_equal(at, end);
    bytes made = {.data = calloc(1, 1 << 20)};
    z_stream stream = {.next_in = packed, .avail_in = (uInt)size, .next_out = made.data, .avail_out = (1 << 20) - 1};
    assert_int_equal(inflateInit2(&stream, -15), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    made.count = stream.total_out;
    inflateEnd(&stream);
    free(packed);
    return made;
}

// Number i of a column of n, `width` bytes each, that begins where the reading stands.
static uint64_t in_column(const bytes *b, size_t n, size_t i, size_t width)
{
    uint64_t value = 0;
    for (size_t k = 0; k < width; k++)
        value |= (uint64_t)b->data[b->at + k * n + i] << (8 * k);
    return value;
}

static uint32_t next_u32(bytes *b)
{
    uint32_t value = (uint32_t)in_column(b, 1, 0, 4);
    b->at += 4;
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t unfolded(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

// A triangle that stands, and a square (one face, two triangles) that falls through it and off the scene.
static void make_scene(float falling[FRAMES][POINTS][3])
{
    static const float square[POINTS][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    tool_write("scene.obj", "o stands\nv 0 0 -1\nv 3 0.25 1\nv -3 0.25 1\nf 1 2 3\n"
                            "o falls\nv -1 -1 9\nv 1 -1 9\nv 1 1 9\nv -1 1 9\nf 4 5 6 7\n");
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < POINTS; i++) {
            memcpy(falling[f][i], square[i], sizeof square[i]);
            falling[f][i][2] = f < 18 ? 1.03f - 0.1f * (float)f : -1e10f;
        }
    tool_write_pc2("falls.pc2", POINTS, FRAMES, falling[0][0]);
}

static void check_mesh(const char *page)
{
    bytes mesh = block(page, "mesh", 0);
    const uint32_t counts[2][5] = {{3, 1, 0, 0, 0}, {4, 2, 0, 0, 0}};
    for (int body = 0; body < 2; body++) {
        for (int k = 0; k < 5; k++)
            assert_int_equal(next_u32(&mesh), counts[body][k]);
        assert_true(double_of(in_column(&mesh, 1, 0, 8)) == 0);  // its thickness
        mesh.at += 8;
        uint32_t vertices = counts[body][0], triangles = counts[body][1];
        if (body == 1) {  // the fan of the square: 0 1 2, 0 2 3, as differences to the corner of the triangle before
            const uint32_t fan[] = {0, 1, 2, 0, 1, 1};
            for (size_t i = 0; i < 6; i++)
                assert_int_equal(in_column(&mesh, 6, i, 4), fan[i]);
        }
        mesh.at += (size_t)triangles * 12;
        assert_int_equal(in_column(&mesh, vertices, 0, 4), body ? 3 : 0);  // vertices count through the file
        assert_int_equal(in_column(&mesh, vertices, 1, 4), 1);
        mesh.at += (size_t)vertices * 4;
        assert_int_equal(in_column(&mesh, triangles, 0, 4), body);  // faces too, and both triangles are face 1
        if (body)
            assert_int_equal(in_column(&mesh, triangles, 1, 4), 0);
        mesh.at += (size_t)triangles * 4;
    }
    assert_int_equal(mesh.at, mesh.count);
    free(mesh.data);
}

typedef struct track {
    double origin[3], step;
    int64_t steps[3 * POINTS];
} track;

static int read_positions(bytes *frame, track *grid, size_t points)
{
    int state = frame->data[frame->at++];
    if (state == 1) {
        for (int k = 0; k < 4; k++, frame->at += 8)
            *(k < 3 ? &grid->origin[k] : &grid->step) = double_of(in_column(frame, 1, 0, 8));
        memset(grid->steps, 0, sizeof grid->steps);
    }
    for (size_t k = 0; state && k < 3; k++) {
        int64_t change = 0;
        for (size_t i = 0; i < points; i++) {
            change += unfolded(in_column(frame, 3 * points, k * points + i, 4));
            grid->steps[k * points + i] += change;
        }
    }
    if (state)
        frame->at += 12 * points;
    return state;
}

static void check_contacts(bytes *frame, uint32_t expected)
{
    enum { WHOLE = 2 * (1 + 3 * 4) + 1, DETAILS = 11 };
    assert_int_equal(next_u32(frame), expected);
    assert_int_equal(next_u32(frame), expected);
    if (expected) {
        assert_int_equal(expected, 1);  // two triangles of one face are one contact
        assert_int_equal(frame->data[frame->at], SNAG_TRIANGLE);
        assert_int_equal(frame->data[frame->at + WHOLE - 1], SNAG_CROSSING);
        frame->at += WHOLE;
        assert_int_equal(unfolded(in_column(frame, 1, 0, 4)), 1);  // its place
        frame->at += 4;
        assert_int_equal(frame->data[frame->at++], 1);
        for (int k = 0; k < DETAILS; k++, frame->at += 8)
            assert_true(fabs(double_of(in_column(frame, 1, 0, 8))) <= 3);
    } else {
        assert_int_equal(frame->data[frame->at++], 1);
    }
    assert_int_equal(next_u32(frame), 0);  // no lines between regions
    assert_int_equal(frame->at, frame->count);
}

static void a_report_holds_mesh_frames_and_contacts(void **state)
{
    (void)state;
    static float falling[FRAMES][POINTS][3];
    make_scene(falling);
    tool_run run = tool_expect(1, "check --json scene.obj --cache falls=falls.pc2 --report scene.html");
    char *page = tool_read("scene.html");
    assert_non_null(page);
    assert_int_equal(strncmp(page, "<!doctype html>", 15), 0);
    assert_non_null(strstr(page, "</html>"));
    check_mesh(page);
    track tracks[2] = {0};
    for (size_t f = 0; f < FRAMES; f++) {
        bytes frame = block(page, "frame", f);
        assert_non_null(frame.data);
        int stands = read_positions(&frame, &tracks[0], 3), falls = read_positions(&frame, &tracks[1], POINTS);
        assert_int_equal(stands, f % 16 == 0 ? 1 : 0);
        // It leaves its grid in frame 18, and is written anew; then it rests.
        assert_int_equal(falls, f % 16 == 0 || f == 18 ? 1 : f == 19 ? 0 : 2);
        for (size_t i = 0; i < POINTS; i++)
            for (size_t k = 0; k < 3; k++)
                assert_true(fabs(tracks[1].origin[k] + tracks[1].step * (double)tracks[1].steps[k * POINTS + i] -
                                 (double)falling[f][i][k]) <= 0.51 * tracks[1].step);
        char key[40];
        snprintf(key, sizeof key, "frames[%zu].contacts", f);
        check_contacts(&frame, (uint32_t)read_json_at(run.out, key));
        free(frame.data);
    }
    assert_null(block(page, "frame", FRAMES).data);
    bytes json = block(page, "json", 0), index = block(page, "index", 0);
    assert_string_equal((char *)json.data, run.out);
    assert_true(read_json_at((char *)index.data, "format") == 3);
    assert_true(read_json_at((char *)index.data, "low[2]") == -1e10);
    assert_true(read_json_at((char *)index.data, "high[0]") == 3);
    free(json.data);
    free(index.data);
    free(page);
    tool_free(&run);
}

static void a_report_overwrites_no_input_and_needs_a_folder(void **state)
{
    (void)state;
    tool_write("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_refuses("check one.obj --report one.obj", "--report one.obj", "would overwrite an input", NULL);
    tool_refuses("check one.obj --report no/such/folder.html", "no/such/folder.html", NULL);
    tool_refuses("check one.obj --pairs same.html --report same.html", "same.html", NULL);
    tool_run run = tool_expect(0, "check one.obj --report one.html");
    assert_non_null(strstr(run.out, "one.html"));
    tool_free(&run);
}

static void a_report_holds_rods_and_points(void **state)
{
    (void)state;
    tool_write("knot.obj", "v 0 0 0\nv 1 0 0\nv 2 0 1\nv 0.5 -1 0.05\nv 0.5 1 0.05\nv 0 3 0\nl 1 2 3\nl 4 5\np 6\n");
    tool_run run = tool_expect(1, "check knot.obj --thickness 0.1 --report knot.html");
    tool_free(&run);
    char *page = tool_read("knot.html");
    assert_non_null(page);
    bytes mesh = block(page, "mesh", 0);
    const uint32_t counts[5] = {6, 0, 0, 3, 1}, ends[6] = {0, 1, 1, 1, 2, 2};
    for (int k = 0; k < 5; k++)
        assert_int_equal(next_u32(&mesh), counts[k]);
    assert_true(double_of(in_column(&mesh, 1, 0, 8)) == 0.05);
    mesh.at += 8;
    for (size_t i = 0; i < 6; i++)  // each less the same end of the rod before: 0-1, 1-2, 3-4
        assert_int_equal(in_column(&mesh, 6, i, 4), ends[i]);
    mesh.at += 24;
    assert_int_equal(next_u32(&mesh), 5);
    mesh.at += 24;
    assert_int_equal(mesh.at, mesh.count);
    free(mesh.data);
    free(page);
}

#else

static void a_tool_without_the_page_says_what_to_install(void **state)
{
    (void)state;
    tool_write("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_refuses("check one.obj --report one.html", "built without the report page", "npm", NULL);
    assert_false(tool_has("one.html"));
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if SNAG_REPORT
        cmocka_unit_test(a_report_holds_mesh_frames_and_contacts),
        cmocka_unit_test(a_report_holds_rods_and_points),
        cmocka_unit_test(a_report_overwrites_no_input_and_needs_a_folder),
#else
        cmocka_unit_test(a_tool_without_the_page_says_what_to_install),
#endif
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
