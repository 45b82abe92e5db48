// The outputs of a run: the table of options and sinks, and calls to all of them.
#define _POSIX_C_SOURCE 200809L
#include "sink.h"

#include "common/system.h"

#include <string.h>

static const struct {
    const char *option;
    size_t path;  // offset in options: the value of the option; NULL there: not requested
    sink_maker *make;
} kinds[] = {
    {"pairs", offsetof(options, pairs), sink_pairs_make},    {"ply", offsetof(options, ply), sink_ply_make},
    {"glb", offsetof(options, glb), sink_glb_make},          {"vtu", offsetof(options, vtu), sink_vtu_make},
    {"report", offsetof(options, report), sink_report_make}, {"hierarchy", offsetof(options, hierarchy), sink_hierarchy_make},
    {"select", offsetof(options, select), sink_select_make}, {"sets", offsetof(options, sets), sink_sets_make},
};

static bool same_file(const sys_info *a, const sys_info *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether an earlier output has the same path or is the same file.
static bool same_path(const options *o, size_t kind, const char *path)
{
    sys_info status, other_status;
    bool exists = sys_stat(path, &status) == 0;
    for (size_t i = 0; i < kind; i++) {
        const char *other = *(const char *const *)((const char *)o + kinds[i].path);
        if (other &&
            (strcmp(other, path) == 0 || (exists && sys_stat(other, &other_status) == 0 && same_file(&status, &other_status))))
            return true;
    }
    return false;
}

// Whether the path is the file that standard output is redirected to.
static bool is_standard_output(const sys_info *status)
{
    sys_info output;
    return sys_fstat(STDOUT_FILENO, &output) == 0 && same_file(status, &output);
}

// Refuses to overwrite an input, a device or another output.
static int check_target(const options *o, size_t kind, const char *path, const scene *inputs, words *w)
{
    sys_info status;
    const char *name = kinds[kind].option;
    if (inputs && scene_reads(inputs, path))
        return words_error(w, "--%s %s: this would overwrite an input; choose another name", name, path);
    if (sys_stat(path, &status) == 0 && (!S_ISREG(status.st_mode) || is_standard_output(&status)))
        return words_error(w, "--%s %s: not a regular file that can be overwritten; choose another name", name, path);
    if (same_path(o, kind, path))
        return words_error(w, "--%s %s: another output has the same name; choose another one", name, path);
    return EXIT_CLEAN;
}

int sinks_make(sink_list *list, const options *o, const scene *inputs, words *w)
{
    *list = (sink_list){0};
    if (o->json && o->jsonl)
        return words_error(w, "--json and --jsonl both print to standard output; choose one");
    sink_maker *printer = o->json ? sink_json_make : o->jsonl ? sink_jsonl_make : sink_words_make;
    int result = o->silent ? EXIT_CLEAN : printer(o, NULL, w, &list->sinks[0]);
    if (result == EXIT_CLEAN && !o->silent)
        list->count = 1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && result == EXIT_CLEAN; i++) {
        const char *path = *(const char *const *)((const char *)o + kinds[i].path);
        if (!path)
            continue;
        result = check_target(o, i, path, inputs, w);
        if (result == EXIT_CLEAN)
            result = kinds[i].make(o, path, w, &list->sinks[list->count]);
        if (result == EXIT_CLEAN)
            list->count++;
    }
    return result;
}

int sinks_begin(const sink_list *list, const sink_scene *about)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < list->count && result == EXIT_CLEAN; i++)
        if (list->sinks[i]->type->begin)
            result = list->sinks[i]->type->begin(list->sinks[i], about);
    return result;
}

int sinks_block(const sink_list *list, const contact_list *contacts, size_t frame)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < list->count && result == EXIT_CLEAN; i++)
        if (list->sinks[i]->type->block)
            result = list->sinks[i]->type->block(list->sinks[i], contacts, frame);
    return result;
}

int sinks_frame(const sink_list *list, const sink_frame *frame)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < list->count && result == EXIT_CLEAN; i++)
        result = list->sinks[i]->type->frame(list->sinks[i], frame);
    return result;
}

int sinks_skip(const sink_list *list, frame_range frames, const char *reason)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < list->count && result == EXIT_CLEAN; i++)
        if (list->sinks[i]->type->skip)
            result = list->sinks[i]->type->skip(list->sinks[i], frames, reason);
    return result;
}

// End the files first, so that the printed summary can name them.
int sinks_end(const sink_list *list, const sink_summary *summary)
{
    int result = EXIT_CLEAN;
    for (size_t i = list->count; i-- > 0 && result == EXIT_CLEAN;)
        if (list->sinks[i]->type->end)
            result = list->sinks[i]->type->end(list->sinks[i], summary);
    return result;
}

void sinks_free(sink_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        list->sinks[i]->type->free(list->sinks[i]);
    *list = (sink_list){0};
}
