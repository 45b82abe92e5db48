// snag check --batch: a process for each file, so that one that crashes or takes all memory is only one line of the result.
#define _DEFAULT_SOURCE
#include "batch.h"

#include "check.h"
#include "json.h"
#include "progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32) && !defined(__wasm__)
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#if defined(_WIN32) || defined(__wasm__)
int batch_run(const options *o, words *w)
{
    (void)o;
    return words_error(w, "--batch is not available on this system; check the files one by one");
}
#else

typedef struct batch_file {
    char *path;
    int code;  // of the check; -1: ended by a signal
    size_t contacts, frames;
    double seconds;
    char *message;  // the last line of its errors
    FILE *result, *errors;  // what it prints, while it runs
    pid_t process;
    double started;
} batch_file;

typedef struct batch {
    const options *o;
    words *w;
    batch_file *files;
    size_t count, capacity;
} batch;

// ---- which files ----

static bool add_file(batch *b, const char *path)
{
    char *copy = strdup(path);
    if (!copy || !words_grow((void **)&b->files, &b->capacity, b->count + 1, sizeof *b->files)) {
        free(copy);
        return false;
    }
    b->files[b->count++] = (batch_file){.path = copy};
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_folder(batch *b, const char *folder, int depth);

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static int add_entry(batch *b, const char *path, int depth)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return EXIT_CLEAN;
    if (S_ISDIR(status.st_mode) && depth < 32)
        return add_folder(b, path, depth + 1);
    if (S_ISREG(status.st_mode) && snag_io_is_mesh(path))
        return add_file(b, path) ? EXIT_CLEAN : words_out_of_memory(b->w);
    return EXIT_CLEAN;
}

// All mesh files below a folder, in the order of their names.
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static int add_folder(batch *b, const char *folder, int depth)
{
    DIR *open = opendir(folder);
    char **names = NULL;
    size_t count = 0, capacity = 0;
    int result = EXIT_CLEAN;
    if (!open)
        return words_error(b->w, "%s: cannot read the folder: %s", folder, strerror(errno));
    for (const struct dirent *entry; result == EXIT_CLEAN && (entry = readdir(open)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        size_t room = strlen(folder) + strlen(entry->d_name) + 2;
        char *path = malloc(room);
        if (!path || !words_grow((void **)&names, &capacity, count + 1, sizeof *names)) {
            free(path);
            result = words_out_of_memory(b->w);
            break;
        }
        snprintf(path, room, "%s/%s", folder, entry->d_name);
        names[count++] = path;
    }
    closedir(open);
    if (count > 1)
        qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        if (result == EXIT_CLEAN)
            result = add_entry(b, names[i], depth);
        free(names[i]);
    }
    free(names);
    return result;
}

// One path a line; empty lines and lines that begin with # are skipped.
static int add_list(batch *b, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    int result = EXIT_CLEAN;
    if (!file)
        return words_error(b->w, "%s: cannot read the list: %s", path, strerror(errno));
    for (ssize_t length; result == EXIT_CLEAN && (length = getline(&line, &room, file)) >= 0;) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = 0;
        if (length > 0 && line[0] != '#' && !add_file(b, line))
            result = words_out_of_memory(b->w);
    }
    free(line);
    fclose(file);
    return result;
}

static int list_files(batch *b)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < b->o->inputs.count && result == EXIT_CLEAN; i++) {
        struct stat status;
        const char *input = b->o->inputs.items[i];
        if (stat(input, &status) != 0)
            result = words_error(b->w, "%s: %s; --batch takes lists of files and folders", input, strerror(errno));
        else if (S_ISDIR(status.st_mode))
            result = add_folder(b, input, 0);
        else if (snag_io_is_mesh(input))
            result = add_file(b, input) ? EXIT_CLEAN : words_out_of_memory(b->w);
        else
            result = add_list(b, input);
    }
    if (result == EXIT_CLEAN && b->count == 0)
        result = words_error(b->w, "--batch: no mesh files there");
    return result;
}

// ---- checking ----

static int check_in_child(const batch *b, const batch_file *file)
{
    options mine = *b->o;
    const char *input = file->path;
    mine.inputs = (text_list){&input, 1, 1};
    mine.batch = false;
    mine.json = true;
    mine.jsonl = false;
    mine.quiet = true;
    if (b->o->jobs > 1 && mine.threads == 0)
        mine.threads = 1;
    words w = {.program = b->w->program, .verb = "check", .quiet = true};
    if (dup2(fileno(file->result), STDOUT_FILENO) < 0 || dup2(fileno(file->errors), STDERR_FILENO) < 0)
        return EXIT_ERROR;
    int code = check_run(&mine, &(asker){.ask = NULL}, &w);
    return fflush(NULL) == 0 ? code : EXIT_ERROR;
}

static bool start(batch *b, batch_file *file)
{
    file->result = tmpfile();
    file->errors = tmpfile();
    file->started = progress_seconds();
    if (!file->result || !file->errors)
        return false;
    fflush(NULL);
    file->process = fork();
    if (file->process == 0)
        _exit(check_in_child(b, file));
    return file->process > 0;
}

static char *read_all(FILE *file)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!text)
        return NULL;
    rewind(file);
    text[fread(text, 1, (size_t)size, file)] = 0;
    return text;
}

static void take_result(batch_file *file)
{
    char *text = read_all(file->result), *errors = read_all(file->errors);
    const char *total = text ? strstr(text, "\"contacts_total\": ") : NULL;
    file->contacts = total ? strtoul(total + strlen("\"contacts_total\": "), NULL, 10) : 0;
    for (const char *at = text; at && (at = strstr(at, "\"frame\": ")) != NULL; at++)
        file->frames++;
    if (errors && errors[0]) {
        size_t length = strlen(errors);
        while (length > 0 && errors[length - 1] == '\n')
            errors[--length] = 0;
        char *last = strrchr(errors, '\n');
        file->message = strdup(last ? last + 1 : errors);
    }
    free(text);
    free(errors);
    fclose(file->result);
    fclose(file->errors);
    file->result = file->errors = NULL;
}

static const char *word_of(const batch_file *file)
{
    return file->code == EXIT_CLEAN ? "clean" : file->code == EXIT_CONTACTS ? "contacts" : file->code < 0 ? "crashed" : "error";
}

static void print_line(const batch *b, const batch_file *file)
{
    if (b->o->json || b->o->jsonl) {
        json j;
        json_begin(&j, stdout);
        json_flat_object(&j, NULL);
        json_text(&j, "file", file->path);
        json_text(&j, "result", word_of(file));
        json_count(&j, "contacts", file->contacts);
        json_count(&j, "frames", file->frames);
        json_ms(&j, "ms", 1e3 * file->seconds);
        if (file->message)
            json_text(&j, "message", file->message);
        json_close_object(&j);
        json_end(&j);
    } else {
        printf("%-8s %10zu  ", word_of(file), file->contacts);
        words_put(stdout, file->path, 0);
        if (file->code != EXIT_CLEAN && file->code != EXIT_CONTACTS && file->message) {
            fputs("  ", stdout);
            words_put(stdout, file->message, 0);
        }
        putchar('\n');
    }
    fflush(stdout);
}

static int run_all(batch *b)
{
    size_t most = b->o->jobs > 0 ? b->o->jobs : 1, next = 0, running = 0, printed = 0;
    bool *ended = calloc(b->count + 1, sizeof *ended);
    if (!ended)
        return words_out_of_memory(b->w);
    progress_catch_interrupt();
    while (next < b->count || running > 0) {
        if (next < b->count && running < most && !progress_interrupted()) {
            if (!start(b, &b->files[next])) {
                free(ended);
                return words_error(b->w, "cannot start a process: %s", strerror(errno));
            }
            next++;
            running++;
            continue;
        }
        if (running == 0)
            break;
        int status;
        pid_t process = waitpid(-1, &status, 0);
        for (size_t i = 0; i < next; i++) {
            batch_file *file = &b->files[i];
            if (process <= 0 || ended[i] || file->process != process)
                continue;
            file->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            file->seconds = progress_seconds() - file->started;
            take_result(file);
            ended[i] = true;
            running--;
        }
        // In the order of the list, whichever is done first.
        for (; printed < next && ended[printed]; printed++)
            print_line(b, &b->files[printed]);
    }
    free(ended);
    if (progress_interrupted())
        return words_error(b->w, "interrupted after %zu of %zu files", next, b->count);
    return EXIT_CLEAN;
}

// ---- the page ----

static int rank_of(const batch_file *file)
{
    return file->code == EXIT_CONTACTS ? 0 : file->code == EXIT_CLEAN ? 2 : 1;
}

// Contacts before errors before clean; more contacts first.
static int compare_worst(const void *a, const void *b)
{
    const batch_file *x = a, *y = b;
    if (rank_of(x) != rank_of(y))
        return rank_of(x) - rank_of(y);
    if (x->contacts != y->contacts)
        return x->contacts > y->contacts ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void put_html(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;
        if (as)
            fputs(as, out);
        else
            fputc(*text, out);
    }
}

static int write_page(const batch *b, const size_t counts[3])
{
    const char *path = b->o->summary;
    size_t room = strlen(path) + 16;
    char *partial = malloc(room);
    FILE *out = NULL;
    if (partial) {
        snprintf(partial, room, "%s.partial", path);
        out = fopen(partial, "w");
    }
    if (!out) {
        free(partial);
        return words_error(b->w, "--summary %s: cannot create: %s", path, strerror(errno));
    }
    fprintf(
        out,
        "<!doctype html><meta charset=\"utf-8\"><title>snag check: %zu files</title>\n<style>body{font:15px system-ui;margin:2em}"
        "td,th{padding:.2em "
        ".8em;text-align:left}td.n{text-align:right}.contacts{background:#fdd}.error,.crashed{background:#ffd}</style>\n"
        "<h1>%zu files: %zu with contacts, %zu errors, %zu "
        "clean</h1>\n<table><tr><th>result<th>contacts<th>frames<th>seconds<th>file<th>\n",
        b->count, b->count, counts[0], counts[1], counts[2]);
    for (size_t i = 0; i < b->count; i++) {
        const batch_file *file = &b->files[i];
        fprintf(out, "<tr class=\"%s\"><td>%s<td class=n>%zu<td class=n>%zu<td class=n>%.2f<td>", word_of(file), word_of(file),
                file->contacts, file->frames, file->seconds);
        put_html(out, file->path);
        fputs("<td>", out);
        put_html(out, file->message ? file->message : "");
        fputc('\n', out);
    }
    fputs("</table>\n", out);
    bool good = ferror(out) == 0;
    good = fclose(out) == 0 && good && rename(partial, path) == 0;
    free(partial);
    return good ? EXIT_CLEAN : words_error(b->w, "--summary %s: cannot write: %s", path, strerror(errno));
}

static int sum_up(batch *b)
{
    size_t counts[3] = {0, 0, 0};
    for (size_t i = 0; i < b->count; i++)
        counts[rank_of(&b->files[i])]++;
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the status says that it is there
    qsort(b->files, b->count, sizeof *b->files, compare_worst);
    if (!b->o->json && !b->o->jsonl)
        printf("%zu files: %zu with contacts, %zu errors, %zu clean\n", b->count, counts[0], counts[1], counts[2]);
    int result = b->o->summary ? write_page(b, counts) : EXIT_CLEAN;
    return result != EXIT_CLEAN ? result : counts[0] > 0 ? EXIT_CONTACTS : counts[1] > 0 ? EXIT_ERROR : EXIT_CLEAN;
}

int batch_run(const options *o, words *w)
{
    batch b = {.o = o, .w = w};
    int result = EXIT_CLEAN;
    if (o->part || o->parts)
        result = words_error(w, "--batch checks whole files; drop --part and --parts, and use --jobs");
    if (o->pairs || o->report || o->ply || o->glb || o->vtu || o->hierarchy)
        result = words_error(w, "--batch would write every file's output to the same name; use --summary FILE.html");
    if (result == EXIT_CLEAN)
        result = list_files(&b);
    if (result == EXIT_CLEAN)
        result = run_all(&b);
    if (result == EXIT_CLEAN)
        result = sum_up(&b);
    for (size_t i = 0; i < b.count; i++) {
        free(b.files[i].path);
        free(b.files[i].message);
    }
    free(b.files);
    return result;
}
#endif
