#define _POSIX_C_SOURCE 200809L
#include "parts.h"

#include "part_file.h"
#include "common/system.h"
#include "progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if !defined(_WIN32) && !defined(__wasm__)
#include <sys/wait.h>
#endif

enum { PARTS_MOST = 9999 };

// ---- which part ----

static bool read_number(const char *text, char end, size_t *number, const char **rest)
{
    char *after;
    errno = 0;
    unsigned long value = strtoul(text, &after, 10);
    *number = value;
    *rest = after + 1;
    return text[0] >= '0' && text[0] <= '9' && *after == end && errno == 0 && value <= PARTS_MOST;
}

// A job array counts from any number on, in any step; its tasks are numbered from its environment.
static bool read_slurm(words *w, size_t *part, size_t *parts)
{
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT",
                                        "SLURM_ARRAY_TASK_STEP"};
    size_t values[4] = {0, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        const char *text = getenv(names[i]), *rest;
        if ((!text && i < 3) || (text && !read_number(text, 0, &values[i], &rest))) {
            words_error(w, "--part slurm: %s is not set to a number; run it as a task of a job array (sbatch --array=1-8)",
                        names[i]);
            return false;
        }
    }
    *parts = values[2];
    *part = values[3] > 0 && values[0] >= values[1] ? (values[0] - values[1]) / values[3] + 1 : 0;
    if (*part < 1 || *part > *parts) {
        words_error(w, "--part slurm: task %zu does not fit an array of %zu tasks from %zu on", values[0], values[2], values[1]);
        return false;
    }
    return true;
}

bool parts_read(const char *text, words *w, size_t *part, size_t *parts)
{
    const char *rest;
    if (strcmp(text, "slurm") == 0)
        return read_slurm(w, part, parts);
    if (!read_number(text, '/', part, &rest) || !read_number(rest, 0, parts, &rest) || *part < 1 || *part > *parts) {
        words_error(w, "--part: expected I/N with 1 <= I <= N <= %d, such as 2/7, or slurm; found '%s'", PARTS_MOST, text);
        return false;
    }
    return true;
}

static int check_options(const options *o, words *w)
{
    if (o->first || o->limit_us || o->budget_us)
        return words_error(w, "--first, --limit and --budget end a search early, and parts must be whole: drop them");
    if (o->method == SNAG_METHOD_ACTIVE || o->hierarchy)
        return words_error(w, "--method active and --hierarchy go from frame to frame and cannot be done in parts");
    for (size_t i = 0; i < o->inputs.count; i++)
        if (strcmp(o->inputs.items[i], "-") == 0)
            return words_error(w, "standard input cannot be read by several parts; give a file");
    return EXIT_CLEAN;
}

// ---- searching a part ----

typedef struct searching {
    const options *o;
    const char *folder;
    words *w;
    part_head head;
    char *arguments;
    part_writer writer;
    const scene *scene;
    size_t frame, ask;
    bool done;  // a finished part is there already
    char message[200];
} searching;

static const char *search_message(void *context)
{
    return ((searching *)context)->message;
}

static bool is_finished(searching *s)
{
    char *path = part_path(s->folder, s->head.part, s->head.parts, ".answers");
    sys_info status;
    bool exists = path && sys_stat(path, &status) == 0;
    free(path);
    if (!exists)
        return false;
    char reason[600] = "";
    part_reader r;
    s->w->caught = reason;
    s->w->caught_size = sizeof reason;
    bool good = part_open(&r, s->folder, s->head.part, s->head.parts, s->w) == EXIT_CLEAN && r.head.inputs == s->head.inputs &&
                r.head.first == s->head.first && r.head.last == s->head.last && r.head.argument_bytes == s->head.argument_bytes &&
                memcmp(r.arguments, s->arguments, s->head.argument_bytes) == 0;
    s->w->caught = NULL;
    part_close(&r);
    return good;
}

static snag_status search_begins(searching *s, const scene *of, frame_range frames)
{
    s->head.inputs = part_inputs(of);
    s->head.first = frames.first;
    s->head.last = frames.last;
    s->done = is_finished(s);
    if (s->done)
        return SNAG_OK;
    char *old = part_path(s->folder, s->head.part, s->head.parts, ".answers");
    if (old)
        sys_unlink(old);
    free(old);
    if (part_begin(&s->writer, s->folder, &s->head, s->arguments, s->w) == EXIT_CLEAN)
        return SNAG_OK;
    snprintf(s->message, sizeof s->message, "cannot write the part");
    return SNAG_ERROR_FILE;
}

static bool search_starts(void *context, const scene *of, frame_range *frames, bool moves)
{
    searching *s = context;
    size_t items = frames->last - frames->first + !moves, part = s->head.part, parts = s->head.parts;
    size_t first = frames->first + items * (part - 1) / parts, last = frames->first + items * part / parts;
    if (!moves)
        last = last > first ? last - 1 : SIZE_MAX;
    if (items * part / parts == items * (part - 1) / parts)
        *frames = (frame_range){1, 0};
    else
        *frames = (frame_range){first, last};
    if (search_begins(s, of, *frames) != SNAG_OK)
        return false;
    if (s->done)
        *frames = (frame_range){1, 0};
    return true;
}

static snag_status search_moved(void *context, const scene *of, size_t frame, bool jump)
{
    searching *s = context;
    (void)jump;
    s->scene = of;
    s->frame = frame;
    s->ask = 0;
    return SNAG_OK;
}

static snag_status search_ask(void *context, snag_world *world, const any_question *question, const snag_answer **answer)
{
    searching *s = context;
    snag_status status = any_ask(world, question, answer);
    if (status != SNAG_OK)
        snprintf(s->message, sizeof s->message, "%s", snag_world_message(world));
    else if (part_add(&s->writer, s->scene, s->frame, s->ask++, *answer, s->w) != EXIT_CLEAN) {
        snprintf(s->message, sizeof s->message, "cannot write the part");
        status = SNAG_ERROR_FILE;
    }
    return status;
}

static int search_done(void *context)
{
    searching *s = context;
    return s->done ? EXIT_CLEAN : part_finish(&s->writer, s->w);
}

int parts_search(const options *o, size_t part, size_t parts, words *w)
{
    int result = check_options(o, w);
    if (result != EXIT_CLEAN)
        return result;
    if (sys_mkdir(o->parts) != 0 && errno != EEXIST)
        return words_error(w, "--parts %s: cannot create the folder: %s", o->parts, strerror(errno));
    searching s = {.o = o, .folder = o->parts, .w = w, .head = {.part = part, .parts = parts}};
    size_t bytes;
    s.arguments = part_arguments(o, &bytes);
    if (!s.arguments)
        return words_out_of_memory(w);
    s.head.argument_bytes = bytes;
    asker by = {.ask = search_ask,
                .moved = search_moved,
                .message = search_message,
                .starts = search_starts,
                .done = search_done,
                .context = &s};
    result = check_run(o, &by, w);
    if (s.done)
        words_note(w, "part %zu of %zu was finished before", part, parts);
    part_drop(&s.writer);
    free(s.arguments);
    return result;
}

// ---- merging ----

typedef struct merging {
    const char *folder;
    words *w;
    size_t parts, part;  // the part that is open
    part_reader reader;
    uint64_t inputs;
    char *arguments;
    size_t argument_bytes;
    const scene *scene;
    size_t frame, ask;
    snag_contact *contacts;
    size_t capacity;
    snag_answer answer;
    snag_statistics statistics;
    char message[300];
} merging;

static const char *merge_message(void *context)
{
    return ((merging *)context)->message;
}

// Opens a part, and checks that it belongs to the others.
static bool open_part(merging *m, size_t part)
{
    part_close(&m->reader);
    m->part = part;
    char reason[280] = "";
    m->w->caught = reason;
    m->w->caught_size = sizeof reason;
    int result = part_open(&m->reader, m->folder, part, m->parts, m->w);
    m->w->caught = NULL;
    if (result != EXIT_CLEAN) {
        snprintf(m->message, sizeof m->message, "%s", reason);
        return false;
    }
    if (m->reader.head.argument_bytes != m->argument_bytes || memcmp(m->reader.arguments, m->arguments, m->argument_bytes) != 0) {
        snprintf(m->message, sizeof m->message, "part %zu of %zu is of another check: its options or inputs differ; run it again",
                 part, m->parts);
        return false;
    }
    if (m->inputs && m->reader.head.inputs != m->inputs) {
        snprintf(m->message, sizeof m->message,
                 "part %zu of %zu was made from other input files, or they have changed since; run it again", part, m->parts);
        return false;
    }
    return true;
}

// Before anything is written, every part is checked.
static bool merge_starts(void *context, const scene *of, frame_range *frames, bool moves)
{
    merging *m = context;
    (void)frames, (void)moves;
    m->inputs = part_inputs(of);
    for (size_t i = 1; i <= m->parts; i++)
        if (!open_part(m, i))
            return false;
    m->part = 0;
    return true;
}

static snag_status merge_moved(void *context, const scene *of, size_t frame, bool jump)
{
    merging *m = context;
    (void)jump;
    m->scene = of;
    m->frame = frame;
    m->ask = 0;
    return SNAG_OK;
}

static snag_status merge_ask(void *context, snag_world *world, const any_question *question, const snag_answer **answer)
{
    merging *m = context;
    (void)world, (void)question;
    bool moves = question->question == SNAG_IMPACTS;
    // A part of impacts begins with the frame before its first move.
    for (;;) {
        const part_head *head = &m->reader.head;
        if (m->part > 0 && head->first + moves <= m->frame && m->frame <= head->last && head->last >= head->first)
            break;
        if (m->part == m->parts || !open_part(m, m->part + 1)) {
            if (!m->message[0])
                snprintf(m->message, sizeof m->message, "no part has frame %zu; were they made with other --frames?", m->frame);
            return SNAG_ERROR_MISMATCH;
        }
    }
    if (!part_read(&m->reader, m->scene, m->frame, m->ask++, &m->contacts, &m->capacity, &m->answer, &m->statistics)) {
        snprintf(m->message, sizeof m->message, "part %zu of %zu has no answer for frame %zu; run it again", m->part, m->parts,
                 m->frame);
        return SNAG_ERROR_MISMATCH;
    }
    *answer = &m->answer;
    return SNAG_OK;
}

int parts_merge(const options *o, const char *folder, words *w)
{
    part_state any;
    int result = check_options(o, w);
    if (result != EXIT_CLEAN)
        return result;
    if (!parts_look(folder, 0, 0, &any))
        return words_error(w, "%s: no parts of a check here", folder);
    merging m = {.folder = folder, .w = w, .parts = any.parts};
    m.arguments = part_arguments(o, &m.argument_bytes);
    if (!m.arguments)
        return words_out_of_memory(w);
    asker by = {
        .ask = merge_ask, .moved = merge_moved, .message = merge_message, .starts = merge_starts, .whole = true, .context = &m};
    result = check_run(o, &by, w);
    part_close(&m.reader);
    free(m.arguments);
    free(m.contacts);
    return result;
}

// ---- looking at parts ----

static bool look_at(const char *path, part_state *state)
{
    FILE *file = sys_fopen(path, "rb");
    part_head head;
    if (!file)
        return false;
    bool good = fread(&head, sizeof head, 1, file) == 1 && memcmp(head.magic, "snagpart", 8) == 0 &&
                fseek(file, (long)head.argument_bytes, SEEK_CUR) == 0;
    if (good) {
        state->exists = true;
        state->part = head.part;
        state->parts = head.parts;
        state->frames = head.last >= head.first ? head.last - head.first + 1 : 0;
        state->done = 0;
        uint64_t last = UINT64_MAX;
        part_record record;
        while (fread(&record, sizeof record, 1, file) == 1 && record.frame >= head.first && record.frame <= head.last &&
               fseek(file, (long)(record.reason_bytes + record.contacts * sizeof(snag_contact)), SEEK_CUR) == 0) {
            state->done += record.frame != last;
            last = record.frame;
        }
    }
    fclose(file);
    return good;
}

bool parts_look(const char *folder, size_t part, size_t parts, part_state *state)
{
    static const char *const endings[] = {".answers", ".partial"};
    *state = (part_state){.part = part, .parts = parts};
    size_t least = parts ? parts : 1, most = parts ? parts : PARTS_MOST;
    for (size_t n = least; n <= most; n++)
        for (size_t i = part ? part : 1; i <= (part ? part : n < 3 ? n : 3); i++)
            for (int k = 0; k < 2; k++) {
                char *path = part_path(folder, i, n, endings[k]);
                bool found = path && access(path, R_OK) == 0 && look_at(path, state);
                state->finished = found && k == 0;
                free(path);
                if (found)
                    return true;
            }
    return false;
}

// ---- watching ----

enum { PATIENCE = 600 };  // seconds without any progress

static void nap(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

// Prints how far all parts are whenever that changes, until all are finished.
static int watch(const char *folder, words *w)
{
    double changed = progress_seconds();
    size_t before = SIZE_MAX;
    progress_catch_interrupt();
    for (;;) {
        part_state any, one;
        size_t finished = 0, done = 0, running = 0, parts = parts_look(folder, 0, 0, &any) ? any.parts : 0;
        for (size_t i = 1; i <= parts; i++) {
            if (!parts_look(folder, i, parts, &one))
                continue;
            finished += one.finished;
            running += !one.finished;
            done += one.done;
        }
        size_t now = done + 1000003 * finished + 7 * running;
        if (now != before) {
            fprintf(stderr, "parts: %zu of %zu finished, %zu running; %zu frames done\n", finished, parts, running, done);
            for (size_t i = 1; i <= parts && running > 0; i++)
                if (parts_look(folder, i, parts, &one) && !one.finished)
                    fprintf(stderr, "  part %zu: %zu of %zu frames\n", i, one.done, one.frames);
            before = now;
            changed = progress_seconds();
        }
        if (parts > 0 && finished == parts)
            return EXIT_CLEAN;
        if (progress_interrupted())
            return words_error(w, "interrupted; %zu of %zu parts are finished", finished, parts);
        if (progress_seconds() - changed > PATIENCE)
            return words_error(w, "no part has made progress for %d seconds; %zu of %zu are finished", PATIENCE, finished, parts);
        nap(0.2);
    }
}

// ---- the verb merge: the arguments of the parts, and its own ----

static int merge_with(const options *o, const char *folder, const part_reader *first, words *w)
{
    const verb_description *check = verb_from_name("check");
    size_t count = 0;
    char **arguments = calloc(first->head.argument_bytes + (size_t)o->argument_count + 1, sizeof *arguments);
    if (!arguments)
        return words_out_of_memory(w);
    // Options first: the inputs of the parts may follow a `--`.
    for (int i = 0; i < o->argument_count; i++)
        if (strcmp(o->arguments[i], folder) != 0 && strcmp(o->arguments[i], "--watch") != 0)
            arguments[count++] = o->arguments[i];
    for (char *at = first->arguments; at < first->arguments + first->head.argument_bytes; at += strlen(at) + 1)
        arguments[count++] = at;
    options joined;
    int result = options_parse(check, (int)count, arguments, w, &joined);
    if (result == EXIT_CLEAN)
        result = parts_merge(&joined, folder, w);
    options_free(&joined);
    free(arguments);
    return result;
}

int verb_merge(const options *o, words *w)
{
    part_state any;
    part_reader first;
    if (o->inputs.count != 1)
        return words_error(w, "give one folder with parts, such as: snag merge parts");
    const char *folder = o->inputs.items[0];
    int result = o->watch ? watch(folder, w) : EXIT_CLEAN;
    if (result != EXIT_CLEAN)
        return result;
    if (!parts_look(folder, 0, 0, &any))
        return words_error(w, "%s: no parts of a check here; make them with snag check --part I/N --parts %s", folder, folder);
    result = part_open(&first, folder, 1, any.parts, w);
    if (result == EXIT_CLEAN)
        result = merge_with(o, folder, &first, w);
    part_close(&first);
    return result;
}

// ---- jobs ----

#if defined(_WIN32) || defined(__wasm__)
int parts_run_jobs(const options *o, words *w)
{
    (void)o;
    return words_error(w, "--jobs is not available on this system; start the parts yourself with --part");
}
#else
static int search_in_child(const options *o, size_t part, const char *folder, words *w)
{
    char *log = part_path(folder, part, o->jobs, ".log");
    options mine = *o;
    mine.parts = folder;
    if (mine.threads == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        mine.threads = processors > (long)o->jobs ? (uint32_t)(processors / (long)o->jobs) : 1;
    }
    if (log && freopen(log, "w", stderr) == NULL)
        return EXIT_ERROR;
    free(log);
    w->quiet = true;
    return parts_search(&mine, part, o->jobs, w);
}

static void show_log(const char *folder, size_t part, size_t parts)
{
    char *path = part_path(folder, part, parts, ".log"), line[600];
    FILE *file = path ? sys_fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        fputs(line, stderr);
    if (file)
        fclose(file);
    free(path);
}

static void remove_parts(const char *folder, size_t parts, bool all)
{
    static const char *const endings[] = {".log", ".answers", ".partial"};
    for (size_t i = 1; i <= parts; i++)
        for (int k = 0; k < (all ? 3 : 1); k++) {
            char *path = part_path(folder, i, parts, endings[k]);
            if (path)
                sys_unlink(path);
            free(path);
        }
    if (all)
        rmdir(folder);
}

static int run_children(const options *o, const char *folder, words *w)
{
    int result = EXIT_CLEAN;
    pid_t *children = calloc(o->jobs + 1, sizeof *children);
    if (!children)
        return words_out_of_memory(w);
    fflush(NULL);
    for (size_t i = 0; i < o->jobs; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            int code = search_in_child(o, i + 1, folder, w);
            fflush(NULL);
            _exit(code);
        }
    }
    for (size_t i = 0; i < o->jobs; i++) {
        int status = 0;
        part_state state;
        if (children[i] > 0)
            while (waitpid(children[i], &status, 0) < 0 && errno == EINTR)
                ;
        bool finished = children[i] > 0 && parts_look(folder, i + 1, o->jobs, &state) && state.finished;
        if (finished || result != EXIT_CLEAN)
            continue;
        show_log(folder, i + 1, o->jobs);
        if (children[i] > 0 && WIFSIGNALED(status))
            result = words_error(w, "job %zu of %zu was ended by signal %d", i + 1, o->jobs, WTERMSIG(status));
        else
            result = words_error(w, "job %zu of %zu failed", i + 1, o->jobs);
    }
    free(children);
    return result;
}

int parts_run_jobs(const options *o, words *w)
{
    char made[4096] = "";
    const char *folder = o->parts, *place = getenv("TMPDIR");
    int result = check_options(o, w);
    if (result != EXIT_CLEAN)
        return result;
    if (o->jobs > PARTS_MOST)
        return words_error(w, "--jobs: at most %d, not %zu", PARTS_MOST, o->jobs);
    if (!folder) {
        snprintf(made, sizeof made, "%s/snag-parts-XXXXXX", place && place[0] ? place : "/tmp");
        folder = mkdtemp(made);
        if (!folder)
            return words_error(w, "%s: cannot create a temporary folder: %s", made, strerror(errno));
    } else if (sys_mkdir(folder) != 0 && errno != EEXIST)
        return words_error(w, "--parts %s: cannot create the folder: %s", folder, strerror(errno));
    result = run_children(o, folder, w);
    if (result == EXIT_CLEAN)
        result = parts_merge(o, folder, w);
    remove_parts(folder, o->jobs, folder == made);
    return result;
}
#endif
