// Long work: what stops it early, frames that cannot be read, and what is said and left behind then.
#define _XOPEN_SOURCE 700
#include "tool_shapes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// Two triangles; the second crosses the first where `shift` is 0.
static void write_frame(const char *name, double shift)
{
    char text[300];
    snprintf(text, sizeof text, "v 0 -1 0\nv 2 0 0\nv 0 1 0\nv %g 0 -1\nv %g 0 1\nv %g 3 0\nf 1 2 3\nf 4 5 6\n", 0.25 + shift,
             0.25 + shift, 0.25 + shift);
    tool_write(name, text);
}

// Frames 0 to 5 of a sequence; 1, 3 and 4 cross.
static void write_sequence(void)
{
    static const double shifts[] = {9, 0, 9, 0, 0, 9};
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "s_%d.obj", i);
        write_frame(name, shifts[i]);
    }
}

static bool is_complete(const tool_run *run)
{
    return strncmp(read_json_find(run->out, "complete"), "true", 4) == 0;
}

static void the_first_contacts_may_be_enough(void **state)
{
    (void)state;
    write_sequence();
    tool_run run = check_json(1, "--first --sequence 's_*.obj'");
    assert_int_equal(read_json_count(run.out, "frames"), 2);
    assert_true(read_json_at(run.out, "contacts_total") == 1);
    assert_false(is_complete(&run));
    assert_non_null(strstr(run.err, "from frame 2 on"));
    tool_free(&run);
    run = check_json(0, "--first s_0.obj");
    assert_true(is_complete(&run));
    tool_free(&run);
    run = check_json(1, "--first s_1.obj");  // nothing was left out
    assert_true(is_complete(&run));
    tool_free(&run);
}

// A cache of five frames, of which the file holds three and a half; frame 1 crosses. Its header may promise more.
static void write_cut_cache(const char *name, uint32_t promised)
{
    float xyz[5][18];
    for (int f = 0; f < 5; f++) {
        float x = f == 1 ? 0.25f : 9.0f;
        const float frame[18] = {0, -1, 0, 2, 0, 0, 0, 1, 0, x, 0, -1, x, 0, 1, x, 3, 0};
        memcpy(xyz[f], frame, sizeof frame);
    }
    tool_write_pc2(name, 6, (int32_t)promised, xyz[0]);
    char *bytes = tool_read(name);
    tool_write_bytes(name, bytes, 32 + 7 * sizeof xyz[0] / 2);
    free(bytes);
}

static void a_truncated_cache_is_checked_as_far_as_it_goes(void **state)
{
    (void)state;
    write_frame("cut.obj", 9);
    write_cut_cache("cut.pc2", 5);
    tool_run run = check_json(1, "cut.obj cut.pc2");
    assert_int_equal(read_json_count(run.out, "frames"), 3);
    assert_true(read_json_at(run.out, "frames[1].contacts") == 1 && read_json_at(run.out, "contacts_total") == 1);
    assert_int_equal(read_json_count(run.out, "skipped"), 1);
    assert_true(read_json_at(run.out, "skipped[0].frame") == 3 && read_json_at(run.out, "skipped[0].last") == 4);
    assert_non_null(strstr(read_json_find(run.out, "skipped[0].reason"), "has 3 complete frames of 5"));
    assert_non_null(strstr(run.err, "skipping frames 3 to 4"));
    assert_false(is_complete(&run));
    tool_free(&run);
    // Nothing crosses in what is left, and that is not clean; a range that is there is.
    run = check_json(2, "cut.obj cut.pc2 --frames 2:4");
    assert_false(is_complete(&run));
    tool_free(&run);
    run = check_json(0, "cut.obj cut.pc2 --frames 2:2 --strict");
    assert_true(is_complete(&run));
    tool_free(&run);
    tool_refuses("check cut.obj cut.pc2 --strict", "cut.pc2", "3 complete frames of 5", NULL);
    tool_refuses("check cut.obj cut.pc2 --frames 3:4", "no frame can be read", NULL);
    run = tool_expect(1, "check --jsonl cut.obj cut.pc2");
    assert_non_null(strstr(run.out, "{\"frame\": 3, \"last\": 4, \"reason\""));
    tool_free(&run);
    run = check_json(1, "--question impacts cut.obj cut.pc2");
    assert_int_equal(read_json_count(run.out, "frames"), 2);
    assert_false(is_complete(&run));
    tool_free(&run);
    run = tool_expect(0, "info cut.obj cut.pc2");
    assert_non_null(strstr(run.out, "truncated after 3"));
    tool_free(&run);
}

// The header is damaged: it promises more frames than anybody could list.
static void billions_of_missing_frames_are_one_line(void **state)
{
    (void)state;
    write_frame("cut.obj", 9);
    write_cut_cache("far.pc2", 5);
    char *bytes = tool_read("far.pc2");
    static const unsigned char many[4] = {0xff, 0xff, 0xff, 0x7f};
    memcpy(bytes + 28, many, 4);
    tool_write_bytes("far.pc2", bytes, 32 + 7 * 18 * 4 / 2);
    free(bytes);
    tool_run run = check_json(1, "cut.obj far.pc2");
    assert_int_equal(read_json_count(run.out, "frames"), 3);
    assert_true(read_json_at(run.out, "skipped[0].last") == 2147483646.0);
    tool_free(&run);
}

static void damaged_frames_are_passed_over(void **state)
{
    (void)state;
    write_sequence();
    tool_write("s_0.obj", "v 1 2\n");
    tool_write("s_3.obj", "v 0 0 nonsense\n");
    tool_run run = check_json(1, "--sequence 's_*.obj'");
    assert_int_equal(read_json_count(run.out, "frames"), 4);
    assert_true(read_json_at(run.out, "frames[0].frame") == 1);
    assert_true(read_json_at(run.out, "frames[2].frame") == 4);
    assert_true(read_json_at(run.out, "contacts_total") == 2);
    assert_int_equal(read_json_count(run.out, "skipped"), 2);
    assert_true(read_json_at(run.out, "skipped[1].frame") == 3);
    assert_non_null(strstr(read_json_find(run.out, "skipped[1].reason"), "s_3.obj"));
    assert_false(is_complete(&run));
    assert_non_null(strstr(run.err, "skipping frame 3: s_3.obj:1"));
    tool_free(&run);
    tool_refuses("check --json --strict --sequence 's_*.obj'", "s_0.obj", NULL);
    tool_refuses("check --json --strict --sequence s_1.obj s_3.obj", "s_3.obj", NULL);
    // Without a contact elsewhere it is not clean either: a part was not looked at.
    run = check_json(2, "--sequence s_2.obj s_3.obj s_5.obj");
    assert_int_equal(read_json_count(run.out, "frames"), 2);
    tool_free(&run);
    tool_refuses("check --sequence s_0.obj s_3.obj", "s_0.obj", NULL);
}

static void a_move_needs_both_its_frames(void **state)
{
    (void)state;
    write_sequence();
    tool_write("s_3.obj", "");
    tool_run run = check_json(1, "--question impacts --sequence 's_*.obj'");
    // 0 to 1, 1 to 2 and 4 to 5; the moves to and from frame 3 are not there.
    assert_int_equal(read_json_count(run.out, "frames"), 3);
    assert_true(read_json_at(run.out, "frames[1].frame") == 2);
    assert_true(read_json_at(run.out, "frames[2].frame") == 5);
    assert_int_equal(read_json_count(run.out, "skipped"), 2);
    tool_free(&run);
}

static void missing_numbers_are_noted_or_refused(void **state)
{
    (void)state;
    write_sequence();
    assert_int_equal(remove(tool_path("s_2.obj")), 0);
    tool_run run = check_json(1, "--sequence s_%d.obj");
    assert_int_equal(read_json_count(run.out, "frames"), 5);
    assert_true(read_json_is(run.out, "frames[2].file", "s_3.obj"));
    assert_non_null(strstr(run.err, "the first is 2"));
    tool_free(&run);
    tool_refuses("check --strict --sequence s_%d.obj", "the first is 2", NULL);
}

// ---- time ----------------------------------------------------------------------------------------------------------

enum { SIDE = 60, FRAMES = 500 };

// A rippled sheet, and a cache that lets it lie still for many frames: brute force takes
// some 20 ms for each, ten seconds in all, so that no machine is at the end when a test lets go of it.
static void write_slow_scene(void)
{
    static float xyz[FRAMES][SIDE * SIDE][3];
    FILE *mesh = fopen(tool_path("slow.obj"), "w");
    assert_non_null(mesh);
    for (int i = 0; i < SIDE * SIDE; i++) {
        float point[3] = {(float)(i % SIDE), (float)(i / SIDE), (float)((i * 7) % 3)};
        fprintf(mesh, "v %g %g %g\n", (double)point[0], (double)point[1], (double)point[2]);
        for (int f = 0; f < FRAMES; f++)
            memcpy(xyz[f][i], point, sizeof point);
    }
    for (int y = 0; y + 1 < SIDE; y++)
        for (int x = 0; x + 1 < SIDE; x++) {
            int v = y * SIDE + x + 1;
            fprintf(mesh, "f %d %d %d\nf %d %d %d\n", v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE);
        }
    fclose(mesh);
    tool_write_pc2("slow.pc2", SIDE * SIDE, FRAMES, xyz[0][0]);
}

static void a_limit_ends_the_whole(void **state)
{
    (void)state;
    write_slow_scene();
    tool_run run = tool_expect(2, "check --json slow.obj slow.pc2 --method brute --threads 1 --limit 500ms --pairs slow.csv");
    assert_non_null(strstr(run.err, "--limit"));
    if (run.out[0]) {  // else this machine is so busy that the time was over before the files were read
        assert_true(read_json_count(run.out, "frames") < FRAMES);
        assert_false(is_complete(&run));
        assert_true(tool_has("slow.csv"));
    }
    tool_free(&run);
}

// Reading is part of the whole: a microsecond is over before the first file is there.
static void a_limit_counts_reading(void **state)
{
    (void)state;
    tool_refuses("check slow.obj --limit 1us", "slow.obj: reading was stopped", "--limit reached", NULL);
    tool_refuses("check --json --sequence slow.obj slow.obj --limit 1us", "--limit reached", NULL);
}

static void a_budget_ends_a_frame_and_goes_on(void **state)
{
    (void)state;
    tool_run run = check_json(2, "slow.obj slow.pc2 --method brute --threads 1 --budget 1us --frames 0:3");
    assert_int_equal(read_json_count(run.out, "frames"), 4);
    assert_false(is_complete(&run));
    assert_non_null(strstr(run.err, "--budget"));
    tool_free(&run);
    run = check_json(0, "slow.obj slow.pc2 --budget 10min --frames 0:3");
    assert_true(is_complete(&run));
    tool_free(&run);
}

// The file that is begun tells that the signal is waited for.
static void a_signal_ends_cleanly(const char *name)
{
    char command[1500];
    unlink(tool_path("stop.csv"));
    snprintf(command, sizeof command,
             "cd '%s' && { \"$SNAG_TOOL\" check --json slow.obj slow.pc2 --method brute --threads 1 --pairs stop.csv "
             ">stdout.txt 2>stderr.txt & p=$!; n=0; "
             "until test -e stop.csv.part0 || test $n -gt 12000; do sleep 0.05; n=$((n + 1)); done; kill -%s $p; wait $p; }",
             tool_folder, name);
    int status = system(command);
    char *out = tool_read("stdout.txt"), *err = tool_read("stderr.txt");
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
    assert_true(read_json_valid(out));
    assert_true(read_json_count(out, "frames") < FRAMES);
    assert_int_equal(strncmp(read_json_find(out, "complete"), "false", 5), 0);
    assert_non_null(strstr(err, "interrupted"));
    assert_true(tool_has("stop.csv"));
    assert_false(tool_has("stop.csv.part0"));
    free(out);
    free(err);
}

static void a_signal_ends_cleanly_with_what_was_found(void **state)
{
    (void)state;
    static const char *const signals[] = {"INT", "TERM", "HUP"};
    for (int i = 0; i < 3; i++)
        a_signal_ends_cleanly(signals[i]);
}

// Who reads the results has gone: nothing half-written is left.
static void a_reader_who_has_gone_leaves_no_half_written_file(void **state)
{
    (void)state;
    char command[1500];
    tool_write("cross.obj", crossing);
    unlink(tool_path("gone.csv"));
    snprintf(command, sizeof command,
             "cd '%s' && { \"$SNAG_TOOL\" check --jsonl --sequence cross.obj cross.obj cross.obj cross.obj --pairs gone.csv "
             "2>stderr.txt; "
             "echo $? >code.txt; } | true",
             tool_folder);
    // The reader may be gone before the first line or after the last one; never is a part left behind.
    for (int i = 0; i < 20; i++) {
        assert_int_equal(system(command), 0);
        char *code = tool_read("code.txt");
        if (strcmp(code, "1\n") != 0 && strcmp(code, "2\n") != 0)
            fail_msg("ended with %s", code);
        free(code);
        assert_false(tool_has("gone.csv.part0"));
    }
}

// nohup: what is to outlive its terminal does.
static void a_closed_terminal_is_ignored_where_it_was_ignored(void **state)
{
    (void)state;
    char command[1500];
    snprintf(command, sizeof command,
             "cd '%s' && trap '' HUP && { \"$SNAG_TOOL\" check -q slow.obj slow.pc2 --method brute --threads 1 --frames 0:4 "
             "--pairs hup.csv "
             ">stdout.txt 2>stderr.txt & p=$!; n=0; "
             "until test -e hup.csv.part0 || test -e hup.csv || test $n -gt 12000; do sleep 0.05; n=$((n + 1)); done; kill -HUP "
             "$p; wait $p; }",
             tool_folder);
    int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 2);
    assert_true(tool_has("hup.csv"));
}

// Starts a check of the slow scene that says on a terminal what it has to say.
static pid_t start_check(const char *terminal)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    int words = open(terminal, O_RDWR | O_NOCTTY), nowhere = open("/dev/null", O_WRONLY);
    const char *tool = getenv("SNAG_TOOL");
    if (words < 0 || nowhere < 0 || tool == NULL || chdir(tool_folder) != 0 || dup2(nowhere, 1) < 0 || dup2(words, 2) < 0)
        _exit(9);
    execl(tool, tool, "check", "slow.obj", "slow.pc2", "--method", "brute", "--threads", "1", "--frames", "0:399", (char *)NULL);
    _exit(9);
}

// On a terminal, here one that nobody looks at, a bar shows how far it is and how long it will take. It is listened to until it has
// said so, however long that takes.
static void a_terminal_sees_how_long_it_will_take(void **state)
{
    (void)state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        print_message("left out: there is no terminal to be had\n");
        skip();
    }
    pid_t tool = start_check(ptsname(terminal));
    assert_true(tool > 0);
    char said[1024] = "";
    size_t length = 0;
    bool bar = false, frames = false, time = false;
    while (!(bar && frames && time)) {
        if (length > sizeof said / 2) {  // what is old is forgotten, but for the beginning of a word
            memmove(said, said + length - 100, 100);
            length = 100;
        }
        ssize_t got = read(terminal, said + length, sizeof said - 1 - length);
        if (got <= 0)
            break;  // the tool has ended
        said[length += (size_t)got] = 0;
        bar = bar || strstr(said, "[#") != NULL;
        frames = frames || strstr(said, " of 400") != NULL;
        time = time || strstr(said, " s left") != NULL;
    }
    kill(tool, SIGINT);
    int status;
    while (read(terminal, said, sizeof said) > 0)
        continue;
    assert_int_equal(waitpid(tool, &status, 0), tool);
    assert_true(bar && frames && time);
    close(terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_contacts_may_be_enough),
        cmocka_unit_test(a_truncated_cache_is_checked_as_far_as_it_goes),
        cmocka_unit_test(billions_of_missing_frames_are_one_line),
        cmocka_unit_test(damaged_frames_are_passed_over),
        cmocka_unit_test(a_move_needs_both_its_frames),
        cmocka_unit_test(missing_numbers_are_noted_or_refused),
        cmocka_unit_test(a_limit_ends_the_whole),
        cmocka_unit_test(a_limit_counts_reading),
        cmocka_unit_test(a_budget_ends_a_frame_and_goes_on),
        cmocka_unit_test(a_signal_ends_cleanly_with_what_was_found),
        cmocka_unit_test(a_reader_who_has_gone_leaves_no_half_written_file),
        cmocka_unit_test(a_closed_terminal_is_ignored_where_it_was_ignored),
        cmocka_unit_test(a_terminal_sees_how_long_it_will_take),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
