#include "model_list.h"

#include "common/system.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "snag/sim.h"

typedef struct reader {
    const char *path, *scene;
    size_t line;
    bool in_section;  // below a line in brackets
    bool wanted;  // and the line names the scene
    model_list *list;
    words *w;
} reader;

static bool is_scene(const char *name)
{
    for (size_t i = 0; snag_sim_scene_name(i); i++)
        if (strcmp(snag_sim_scene_name(i), name) == 0)
            return true;
    return false;
}

// [SCENE SCENE ...]
static int read_section(reader *r, char *text)
{
    char *end = strchr(text, ']');
    if (!end || end[1] != 0)
        return words_error(r->w, "%s:%zu: missing ] at the end of the line, as in [soft-blocks soft-pile]", r->path, r->line);
    *end = 0;
    bool named_before = r->list->count > 0;
    size_t names = 0;
    r->in_section = true;
    r->wanted = false;
    for (char *name = strtok(text + 1, " \t"); name; name = strtok(NULL, " \t")) {
        names++;
        if (!is_scene(name))
            return words_error(r->w, "%s:%zu: unknown scene \"%s\" (`snag sim` lists them)", r->path, r->line, name);
        if (strcmp(name, r->scene) == 0)
            r->wanted = true;
    }
    if (names == 0)
        return words_error(r->w, "%s:%zu: no scene between the brackets", r->path, r->line);
    if (r->wanted && named_before)
        return words_error(r->w, "%s:%zu: scene %s is listed twice", r->path, r->line, r->scene);
    return EXIT_CLEAN;
}

static int read_path(reader *r, const char *text)
{
    if (!r->in_section)
        return words_error(r->w, "%s:%zu: model before the first scene; start with a line such as [soft-blocks]", r->path, r->line);
    if (!r->wanted)
        return EXIT_CLEAN;
    if (r->list->count == MODEL_LIST_MOST)
        return words_error(r->w, "%s:%zu: more than %d models for %s", r->path, r->line, MODEL_LIST_MOST, r->scene);
    snprintf(r->list->paths[r->list->count++], MODEL_LIST_PATH, "%s", text);
    return EXIT_CLEAN;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = 0;
    return text;
}

static int read_line(reader *r, char *text)
{
    r->line++;
    if (!strchr(text, '\n') && strlen(text) == MODEL_LIST_PATH - 1)
        return words_error(r->w, "%s:%zu: line longer than %d bytes", r->path, r->line, MODEL_LIST_PATH - 2);
    char *line = trimmed(text);
    if (*line == 0 || *line == '#')
        return EXIT_CLEAN;
    return *line == '[' ? read_section(r, line) : read_path(r, line);
}

int model_list_read(const char *path, const char *scene, model_list *list, words *w)
{
    list->count = 0;
    FILE *file = sys_fopen(path, "r");
    if (!file)
        return words_error(w, "%s: cannot read the list of models: %s", path, strerror(errno));
    reader r = {.path = path, .scene = scene, .list = list, .w = w};
    char text[MODEL_LIST_PATH];
    int result = EXIT_CLEAN;
    while (result == EXIT_CLEAN && fgets(text, sizeof text, file))
        result = read_line(&r, text);
    if (result == EXIT_CLEAN && ferror(file))
        result = words_error(w, "%s: cannot read the list of models: %s", path, strerror(errno));
    fclose(file);
    return result;
}
