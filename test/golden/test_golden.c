// The answers of version 0.1, hashed: each later version must give the same bytes, whatever the method, the threads and the
// instruction set. Where an answer is to change, say why in CHANGELOG.md and run with --write.
//
//     test_golden_golden [--write | --library | --brief]      --write: records what this build answers in test/golden/hashes.txt
//     --library: without the simulator, whose scenes are shaped by the C library's sines and powers: these differ in the last bit
//     --brief: the same for emulated processors: asks each method once with each instruction set
#include "base/platform.h"
#include "golden/golden.h"
#include "helpers/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- hashing ----

void golden_begin(golden_stream *stream)
{
    *stream = (golden_stream){.hash = 0x9e3779b97f4a7c15u};
}

void golden_add(golden_stream *stream, uint64_t value)
{
    uint64_t h = (stream->hash ^ value) * 0xd6e8feb86659fd93u;
    stream->hash = h ^ h >> 32;
}

void golden_add_double(golden_stream *stream, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    golden_add(stream, bits);
}

void golden_add_doubles(golden_stream *stream, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        golden_add_double(stream, values[i]);
}

void golden_add_id(golden_stream *stream, uint64_t id)
{
    // Those that persist were mostly added a short while ago.
    for (size_t i = stream->id_count; i-- > 0;)
        if (stream->ids[i] == id) {
            golden_add(stream, i);
            return;
        }
    if (stream->id_count == stream->id_room) {
        stream->id_room = 2 * stream->id_room + 64;
        stream->ids = realloc(stream->ids, stream->id_room * sizeof *stream->ids);
        assert_non_null(stream->ids);
    }
    stream->ids[stream->id_count] = id;
    golden_add(stream, stream->id_count++);
}

void golden_end(golden_stream *stream)
{
    free(stream->ids);
    *stream = (golden_stream){0};
}

// ---- recorded lines ----

typedef struct recorded {
    char key[160];
    size_t contacts;
    size_t degenerate;  // SIZE_MAX: not counted
    uint64_t hash;
    size_t witnesses;  // that were seen
    bool differs;
} recorded;

static recorded *lines;
static size_t line_count, line_room;
static size_t differing;
static bool writing, library_only;
bool golden_brief;

static recorded *find_line(const char *key)
{
    for (size_t i = line_count; i-- > 0;)
        if (strcmp(lines[i].key, key) == 0)
            return &lines[i];
    return NULL;
}

static recorded *new_line(const char *key)
{
    if (line_count == line_room) {
        line_room = 2 * line_room + 256;
        lines = realloc(lines, line_room * sizeof *lines);
        assert_non_null(lines);
    }
    recorded *line = &lines[line_count++];
    memset(line, 0, sizeof *line);
    snprintf(line->key, sizeof line->key, "%s", key);
    return line;
}

static bool same(const recorded *line, const golden_stream *stream)
{
    bool degenerate = line->degenerate == stream->degenerate || line->degenerate == SIZE_MAX || stream->degenerate == SIZE_MAX;
    return line->hash == stream->hash && line->contacts == stream->contacts && degenerate;
}

void golden_line(const char *key, const golden_stream *stream, const char *witness)
{
    recorded *line = find_line(key);
    if (!line && !writing) {
        line = new_line(key);
        line->differs = true;
        differing++;
        printf("%s: not recorded in hashes.txt (%s)\n", key, witness);
    } else if (!line) {
        line = new_line(key);
        line->hash = stream->hash;
        line->contacts = stream->contacts;
        line->degenerate = stream->degenerate;
    } else if (!line->differs && !same(line, stream)) {
        line->differs = true;
        differing++;
        printf("%s: %s: %zu contacts, %zu degenerate, hash %016llx; recorded: %zu, %zu, %016llx\n", key, witness, stream->contacts,
               stream->degenerate, (unsigned long long)stream->hash, line->contacts, line->degenerate,
               (unsigned long long)line->hash);
    }
    if (writing && line->degenerate == SIZE_MAX)
        line->degenerate = stream->degenerate;
    line->witnesses++;
}

static const char *file_path(void)
{
    static char path[1024];
    const char *source = getenv("SNAG_SOURCE");
    snprintf(path, sizeof path, "%s/test/golden/hashes.txt", source ? source : ".");
    return path;
}

static bool read_lines(void)
{
    FILE *file = fopen(file_path(), "r");
    if (!file)
        return false;
    char text[256], scene[64], question[32], variant[48], degenerate[24];
    while (fgets(text, sizeof text, file)) {
        size_t contacts;
        unsigned long long hash;
        if (*text == '#' ||
            sscanf(text, "%63s %31s %47s %zu %23s %llx", scene, question, variant, &contacts, degenerate, &hash) != 6)
            continue;
        char key[160];
        snprintf(key, sizeof key, "%s %s %s", scene, question, variant);
        recorded *line = new_line(key);
        line->contacts = contacts;
        line->degenerate = *degenerate == '-' ? SIZE_MAX : strtoull(degenerate, NULL, 10);
        line->hash = hash;
    }
    fclose(file);
    return true;
}

static bool write_lines(void)
{
    FILE *file = fopen(file_path(), "w");
    if (!file)
        return false;
    fprintf(file, "# Answers of snag, hashed field by field: see golden.h. Written by test_golden_golden --write.\n"
                  "# scene question variant contacts degenerate hash\n");
    for (size_t i = 0; i < line_count; i++) {
        char degenerate[24] = "-";
        if (lines[i].degenerate != SIZE_MAX)
            snprintf(degenerate, sizeof degenerate, "%zu", lines[i].degenerate);
        fprintf(file, "%s %zu %s %016llx\n", lines[i].key, lines[i].contacts, degenerate, (unsigned long long)lines[i].hash);
    }
    return fclose(file) == 0;
}

// ---- tests ----

static double seconds(void)
{
    return 1e-6 * (double)snag__clock_us();
}

static void play_and_tell(const golden_scene *scene)
{
    double start = seconds();
    golden_play(scene);
    printf("  %-20s %.2f s\n", scene->name, seconds() - start);
}

static void scenes_made_here(void **state)
{
    (void)state;
    size_t before = differing;
    golden_made_scenes(play_and_tell);
    assert_int_equal(differing, before);
}

static bool has_files(void)
{
    const char *folder = getenv("SNAG_DATA");
    FILE *file = NULL;
    if (folder) {
        char path[1024];
        snprintf(path, sizeof path, "%s/SOURCES.md", folder);
        file = fopen(path, "r");
    }
    if (file)
        fclose(file);
    return file != NULL;
}

static void scenes_of_real_data(void **state)
{
    (void)state;
    if (!has_files() || GOLDEN_SLOW_BUILD) {
        printf("skipped: %s\n",
               GOLDEN_SLOW_BUILD ? "this build is too slow for them" : "SNAG_DATA does not name the folder of real data");
        skip();
    }
    size_t before = differing;
    golden_file_scenes(play_and_tell);
    assert_int_equal(differing, before);
}

static void choices_of_auto(void **state)
{
    (void)state;
    size_t before = differing;
    golden_auto_choices();
    assert_int_equal(differing, before);
}

static void positions_after_responses(void **state)
{
    (void)state;
    size_t before = differing;
    golden_responses();
    assert_int_equal(differing, before);
}

static void positions_after_steps_of_the_simulator(void **state)
{
    (void)state;
    if (library_only)
        skip();
    size_t before = differing;
    golden_simulations();
    assert_int_equal(differing, before);
}

static void every_recorded_line_was_seen(void **state)
{
    (void)state;
    size_t missing = 0, witnesses = 0, compared = 0;
    for (size_t i = 0; i < line_count; i++) {
        bool left_out = (strncmp(lines[i].key, "data/", 5) == 0 && (!has_files() || GOLDEN_SLOW_BUILD)) ||
                        (strncmp(lines[i].key, "sim ", 4) == 0 && library_only);
        witnesses += lines[i].witnesses;
        compared += lines[i].witnesses > 0;
        if (lines[i].witnesses == 0 && !left_out) {
            missing++;
            printf("%s: recorded, but not asked any more\n", lines[i].key);
        }
    }
    printf("%zu of %zu lines compared, %zu witnesses\n", compared, line_count, witnesses);
    assert_int_equal(missing, 0);
}

int main(int argc, char **argv)
{
    writing = argc == 2 && strcmp(argv[1], "--write") == 0;
    golden_brief = argc == 2 && strcmp(argv[1], "--brief") == 0;
    library_only = golden_brief || (argc == 2 && strcmp(argv[1], "--library") == 0);
    if (argc > 1 && !writing && !library_only) {
        fprintf(stderr, "usage: test_golden_golden [--write | --library | --brief]\n");
        return 2;
    }
    if (writing && (!has_files() || GOLDEN_SLOW_BUILD)) {
        fprintf(stderr, "--write needs SNAG_DATA (../shared/data) and a release build: else lines would be lost\n");
        return 2;
    }
    if (!writing && !read_lines()) {
        fprintf(stderr, "%s: cannot be read\n", file_path());
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_made_here),
        cmocka_unit_test(scenes_of_real_data),
        cmocka_unit_test(choices_of_auto),
        cmocka_unit_test(positions_after_responses),
        cmocka_unit_test(positions_after_steps_of_the_simulator),
        cmocka_unit_test(every_recorded_line_was_seen),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    if (writing && failures == 0 && !write_lines()) {
        fprintf(stderr, "%s: cannot be written\n", file_path());
        failures = 2;
    }
    free(lines);
    return failures;
}
