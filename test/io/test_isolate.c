// Readers in a process of their own: whatever they do, the caller gets a rig or a status with words, and no process stays.
#define _GNU_SOURCE 1
#include "isolate.h"
#include "reading.h"
#include "rig_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

// ---- rigs ----

static void *copy_of(const void *data, size_t size)
{
    void *copy = malloc(size);
    if (copy)
        memcpy(copy, data, size);
    return copy;
}

// A triangle and a quad on two nodes, with a skin, a morph target and an animation.
static snag_status read_good(const snag__source *source, bool beside, snag__rig *rig)
{
    (void)source, (void)beside;
    static const double xyz[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0}, offsets[15] = {0, 0, 1}, times[2] = {0, 2};
    static const double moves[6] = {0, 0, 0, 0, 0, 8}, weights[5] = {1, 1, 1, 1, 1}, half = 0.5;
    static const uint32_t sizes[2] = {4, 3}, corners[7] = {0, 1, 2, 3, 1, 4, 2}, numbers[2] = {0, 2}, joints[5] = {0}, joint = 1;
    double inverse[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    snag__rig_node nodes[2] = {{.parent = SNAG__RIG_NONE, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}},
                               {.parent = 0, .translation = {10, 0, 0}, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    *rig = (snag__rig){.node_count = 2, .skin_count = 1, .body_count = 2, .animation_count = 1, .skipped = 3, .unnumbered = 1};
    rig->nodes = copy_of(nodes, sizeof nodes);
    snag__rig_skin skin = {copy_of(&joint, sizeof joint), copy_of(inverse, sizeof inverse), 1};
    rig->skins = copy_of(&skin, sizeof skin);
    snag__rig_body body = {.node = 1,
                           .skin = SNAG__RIG_NONE,
                           .vertex_count = 5,
                           .positions = copy_of(xyz, sizeof xyz),
                           .target_count = 1,
                           .targets = copy_of(offsets, sizeof offsets),
                           .target_weights = copy_of(&half, sizeof half),
                           .polygon_count = 2,
                           .sizes = copy_of(sizes, sizeof sizes),
                           .corners = copy_of(corners, sizeof corners),
                           .face_count = 3,
                           .polygon_numbers = copy_of(numbers, sizeof numbers),
                           .keeps_numbers = true,
                           .name = copy_of("sheet", 6)};
    snag__rig_body bodies[2] = {body, body};
    bodies[1] = (snag__rig_body){.node = 0,
                                 .skin = 0,
                                 .vertex_count = 5,
                                 .positions = copy_of(xyz, sizeof xyz),
                                 .influence_count = 1,
                                 .joints = copy_of(joints, sizeof joints),
                                 .weights = copy_of(weights, sizeof weights),
                                 .polygon_count = 2,
                                 .corners = copy_of(corners, 6 * sizeof *corners)};
    rig->bodies = copy_of(bodies, sizeof bodies);
    snag__rig_track track = {.node = 1,
                             .path = SNAG__RIG_TRANSLATION,
                             .key_count = 2,
                             .width = 3,
                             .times = copy_of(times, sizeof times),
                             .values = copy_of(moves, sizeof moves)};
    snag__rig_animation animation = {
        .name = copy_of("wave", 5), .seconds = 2, .rate = 24, .tracks = copy_of(&track, sizeof track), .track_count = 1};
    rig->animations = copy_of(&animation, sizeof animation);
    return SNAG_OK;
}

static void assert_same_rig(snag__rig *a, snag__rig *b, const snag__source *source)
{
    snag_io_mesh x = {0}, y = {0};
    assert_int_equal(snag__rig_finish(a, source, &x), SNAG_OK);
    assert_int_equal(snag__rig_finish(b, source, &y), SNAG_OK);
    assert_int_equal(x.body_count, y.body_count);
    assert_int_equal(x.skipped, y.skipped);
    assert_int_equal(x.unnumbered, y.unnumbered);
    assert_string_equal(a->animations[0].name, b->animations[0].name);
    for (size_t i = 0; i < x.body_count; i++) {
        assert_string_equal(x.bodies[i].name, y.bodies[i].name);
        assert_int_equal(x.bodies[i].vertex_count, y.bodies[i].vertex_count);
        assert_int_equal(x.bodies[i].polygon_count, y.bodies[i].polygon_count);
        for (int frame = 0; frame < 3; frame++) {
            double p[15], q[15];
            snag__rig_pose(a, 0, frame);
            snag__rig_pose(b, 0, frame);
            snag__rig_positions(a, i, p);
            snag__rig_positions(b, i, q);
            assert_memory_equal(p, q, 3 * x.bodies[i].vertex_count * sizeof *p);
        }
    }
    snag_io_mesh_free(&x);
    snag_io_mesh_free(&y);
}

// The bytes of a rig, which fit a pipe.
static size_t write_rig(const snag__rig *rig, char *out, size_t room)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_true(snag__rig_write(rig, ends[1]));
    close(ends[1]);
    ssize_t size = read(ends[0], out, room);
    close(ends[0]);
    assert_true(size > 0 && (size_t)size < room);
    return (size_t)size;
}

static void a_rig_survives_its_way_as_bytes_and_damage_does_no_harm(void **state)
{
    (void)state;
    static char written[65536];
    snag_io_error error;
    snag__source source = {"x.dae", "", 0, &error, NULL};
    snag__rig rig, other;
    assert_int_equal(read_good(&source, false, &rig), SNAG_OK);
    size_t size = write_rig(&rig, written, sizeof written);
    assert_int_equal(snag__rig_read(written, size, &other), SNAG_OK);
    assert_same_rig(&rig, &other, &source);
    snag__rig_free(&rig);
    snag__rig_free(&other);
    for (size_t length = 0; length < size; length++) {
        char *part = copy_of(written, length + 1);
        assert_int_equal(snag__rig_read(part, length, &other), SNAG_ERROR_FORMAT);
        assert_null(other.nodes);
        free(part);
    }
    static const uint8_t others[] = {0, 1, 2, 3, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < sizeof others; k++) {
            char before = written[i];
            snag_io_mesh mesh = {0};
            written[i] = (char)others[k];
            if (snag__rig_read(written, size, &other) == SNAG_OK && snag__rig_finish(&other, &source, &mesh) == SNAG_OK)
                snag__rig_pose(&other, 0, 1);
            snag_io_mesh_free(&mesh);
            snag__rig_free(&other);
            written[i] = before;
        }
    size_t n = 1;
    for (bool refused = true; refused; n++) {
        failing_malloc_start(n);
        snag_status status = snag__rig_read(written, size, &other);
        refused = failing_malloc_stop();
        assert_int_equal(status, refused ? SNAG_ERROR_MEMORY : SNAG_OK);
        snag__rig_free(&other);
    }
    assert_true(n > 10);
}

// ---- children ----

static volatile char sink;

static snag_status crash(const snag__source *source, bool beside, snag__rig *rig)
{
    (void)source, (void)beside, (void)rig;
    raise(SIGSEGV);
    return SNAG_OK;
}

static snag_status give_up(const snag__source *source, bool beside, snag__rig *rig)
{
    (void)source, (void)beside, (void)rig;
    abort();
}

static snag_status leave(const snag__source *source, bool beside, snag__rig *rig)
{
    (void)source, (void)beside, (void)rig;
    _exit(0);
}

static snag_status loop_forever(const snag__source *source, bool beside, snag__rig *rig)
{
    (void)source, (void)beside, (void)rig;
    while (pause() != 0)
        sink++;
    return SNAG_OK;
}

static snag_status devour(const snag__source *source, bool beside, snag__rig *rig)
{
    (void)beside, (void)rig;
    enum { BLOCK = 1 << 20 };
    for (;;) {
        char *block = malloc(BLOCK);
        if (!block)
            return snag__io_fail(source->error, SNAG_ERROR_MEMORY, "no memory");
        memset(block, 1, BLOCK);
        sink = block[BLOCK / 2];
    }
}

static snag_status refuse(const snag__source *source, bool beside, snag__rig *rig)
{
    (void)beside, (void)rig;
    return snag__io_fail(source->error, SNAG_ERROR_INDEX, "x.dae: a joint is lost");
}

static snag_status isolated(snag__rig_reader *read, snag_io_read_options options, snag__rig *rig, snag_io_error *error)
{
    snag__reading reading = snag__reading_begin(&options);
    *error = (snag_io_error){.status = SNAG_OK};
    snag__source source = {"x.dae", "text", 4, error, &reading};
    *rig = (snag__rig){0};
    snag_status status = snag__read_isolated(read, "COLLADA", &source, false, rig);
    // No child is left, dead or alive.
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(reading.claimed_bytes, 0);
    return status;
}

static void a_good_reader_gives_the_same_rig(void **state)
{
    (void)state;
    snag_io_error error;
    snag__source source = {"x.dae", "", 0, &error, NULL};
    snag__rig rig, direct;
    if (isolated(read_good, snag_io_default_read_options(), &rig, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    read_good(&source, false, &direct);
    assert_same_rig(&direct, &rig, &source);
    snag__rig_free(&rig);
    snag__rig_free(&direct);
}

static void whatever_happens_to_a_reader_is_said(void **state)
{
    (void)state;
    static const struct {
        snag__rig_reader *read;
        snag_status status;
        const char *words;
    } cases[] = {
        {crash, SNAG_ERROR_FORMAT, "x.dae: the importer of COLLADA files crashed on it (signal 11, Segmentation fault)"},
        {give_up, SNAG_ERROR_FORMAT, "crashed on it (signal 6, Aborted); export it again, or as glTF"},
        {leave, SNAG_ERROR_FORMAT, "failed without a message"},
        {refuse, SNAG_ERROR_INDEX, "x.dae: a joint is lost"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snag_io_error error;
        snag__rig rig;
        assert_int_equal(isolated(cases[i].read, snag_io_default_read_options(), &rig, &error), cases[i].status);
        assert_int_equal(error.status, cases[i].status);
        assert_says(&error, cases[i].words);
        assert_null(rig.nodes);
    }
}

static void memory_and_time_are_bounded(void **state)
{
    (void)state;
    snag_io_error error;
    snag__rig rig;
    snag_io_read_options options = snag_io_default_read_options();
    options.most_bytes = 64 << 20;
    options.advice = "buy more";
    assert_int_equal(isolated(devour, options, &rig, &error), SNAG_ERROR_LIMIT);
    assert_says(&error, "x.dae: the importer of COLLADA files needs more than 64 MB of memory for this one");
    assert_says(&error, "; buy more");
    options.isolate_seconds = 0.1;
    assert_int_equal(isolated(loop_forever, options, &rig, &error), SNAG_ERROR_LIMIT);
    assert_says(&error, "x.dae: the importer of COLLADA files took longer than 0.1 s and was stopped");
}

static bool a_few_times(void *context)
{
    int *left = context;
    return (*left)-- > 0;
}

static void a_caller_who_wants_to_stop_is_heard(void **state)
{
    (void)state;
    snag_io_error error;
    snag__rig rig;
    for (int times = 0; times < 4; times++) {
        int left = times;
        snag_io_read_options options = snag_io_default_read_options();
        options.go_on = a_few_times;
        options.context = &left;
        assert_int_equal(isolated(loop_forever, options, &rig, &error), SNAG_ERROR_LIMIT);
        assert_says(&error, "reading was stopped");
    }
}

static void without_memory_or_processes_there_is_a_status(void **state)
{
    (void)state;
    snag_io_error error;
    snag__rig rig;
    size_t n = 1;
    for (bool refused = true; refused; n++) {
        // What is refused in the child is refused there alone.
        failing_malloc_start(n);
        snag_status status = isolated(refuse, snag_io_default_read_options(), &rig, &error);
        refused = failing_malloc_stop();
        assert_int_equal(status, refused ? SNAG_ERROR_MEMORY : SNAG_ERROR_INDEX);
    }
    // Where no file can be opened there is no pipe.
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    snag_status status = isolated(refuse, snag_io_default_read_options(), &rig, &error);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, SNAG_ERROR_FILE);
    assert_says(&error, "cannot start a process");
}

// ---- the end of the caller ----

static int told;

static snag_status tell_and_wait(const snag__source *source, bool beside, snag__rig *rig)
{
    pid_t me = getpid();
    if (write(told, &me, sizeof me) != sizeof me)
        _exit(1);
    return loop_forever(source, beside, rig);
}

static void a_child_ends_with_its_caller(void **state)
{
    (void)state;
    int ends[2], ended;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // orphans become ours
    told = ends[1];
    pid_t caller = fork();
    if (caller == 0) {
        snag_io_error error;
        snag__rig rig;
        snag_io_read_options options = snag_io_default_read_options();
        options.isolate_seconds = 1e6;
        isolated(tell_and_wait, options, &rig, &error);
        _exit(0);
    }
    assert_true(caller > 0);
    pid_t reader;
    assert_int_equal(read(ends[0], &reader, sizeof reader), sizeof reader);
    assert_int_equal(kill(caller, SIGKILL), 0);
    assert_int_equal(waitpid(caller, &ended, 0), caller);
    assert_int_equal(waitpid(reader, &ended, 0), reader);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    close(ends[0]);
    close(ends[1]);
}

// ---- through the front door ----

#ifdef SNAG_ASSIMP
static const char collada[] =
    "<COLLADA version=\"1.4.1\"><library_geometries><geometry id=\"g\" name=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\" "
    "count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source=\"#pa\" count=\"3\" stride=\"3\"><param "
    "name=\"X\" "
    "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" "
    "source=\"#v\" offset=\"0\"/><p>0 1 "
    "2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene "
    "id=\"s\"><node id=\"n\" name=\"n\"><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene>"
    "<instance_visual_scene url=\"#s\"/></scene></COLLADA>";

static void assimp_may_be_isolated(void **state)
{
    (void)state;
    snag_io_mesh mesh, other;
    snag_io_error error;
    snag_io_read_options options = snag_io_default_read_options();
    options.isolate = true;
    if (snag_io_parse_mesh_with("x.dae", collada, sizeof collada - 1, &options, &mesh, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    assert_int_equal(snag_io_parse_mesh("x.dae", collada, sizeof collada - 1, &other, &error), SNAG_OK);
    assert_int_equal(only_body(&mesh)->vertex_count, 3);
    assert_memory_equal(mesh.bodies[0].positions, other.bodies[0].positions, 9 * sizeof(double));
    assert_polygon(only_body(&mesh), 0, 0, 1, 2);
    snag_io_mesh_free(&mesh);
    snag_io_mesh_free(&other);
    assert_int_equal(snag_io_parse_mesh_with("x.fbx", "nonsense", 8, &options, &mesh, &error), SNAG_ERROR_FORMAT);
    assert_says(&error, "x.fbx: ");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rig_survives_its_way_as_bytes_and_damage_does_no_harm),
        cmocka_unit_test(a_good_reader_gives_the_same_rig),
        cmocka_unit_test(whatever_happens_to_a_reader_is_said),
        cmocka_unit_test(memory_and_time_are_bounded),
        cmocka_unit_test(a_caller_who_wants_to_stop_is_heard),
        cmocka_unit_test(without_memory_or_processes_there_is_a_status),
        cmocka_unit_test(a_child_ends_with_its_caller),
#ifdef SNAG_ASSIMP
        cmocka_unit_test(assimp_may_be_isolated),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
