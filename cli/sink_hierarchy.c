// --hierarchy: the lines between the middle vertices of regions that were compared, as an OBJ file with an object for each
// frame and level (Fig. 7 of Madera, Day, Laycock 2007).
#include "sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hierarchy_sink {
    sink sink;
    const char *path;
    char *part;  // what is written until the end
    FILE *file;
    size_t vertices;
} hierarchy_sink;

static bool has_level(const snag_answer *answer, uint32_t level)
{
    for (size_t i = 0; i < answer->line_count; i++)
        if (answer->lines[i].level == level)
            return true;
    return false;
}

static void write_level(hierarchy_sink *h, const snag_answer *answer, size_t frame, uint32_t level)
{
    fprintf(h->file, "o frame-%zu-level-%u\n", frame, (unsigned)level);
    for (size_t i = 0; i < answer->line_count; i++) {
        const snag_region_line *line = &answer->lines[i];
        if (line->level != level)
            continue;
        fprintf(h->file, "v %.17g %.17g %.17g\nv %.17g %.17g %.17g\nl %zu %zu\n", line->from[0], line->from[1],
                line->from[2], line->to[0], line->to[1], line->to[2], h->vertices + 1, h->vertices + 2);
        h->vertices += 2;
    }
}

static int write_frame(sink *s, const sink_frame *frame)
{
    hierarchy_sink *h = (hierarchy_sink *)s;
    uint32_t deepest = 0;
    for (size_t i = 0; i < frame->answer->line_count; i++)
        if (frame->answer->lines[i].level > deepest)
            deepest = frame->answer->lines[i].level;
    for (uint32_t level = 0; level <= deepest; level++)
        if (has_level(frame->answer, level))
            write_level(h, frame->answer, frame->frame, level);
    return ferror(h->file) ? words_error(s->w, "%s: cannot be written", h->path) : EXIT_CLEAN;
}

static int end(sink *s, const sink_summary *summary)
{
    (void)summary;
    hierarchy_sink *h = (hierarchy_sink *)s;
    FILE *file = h->file;
    h->file = NULL;
    if (fclose(file) != 0 || rename(h->part, h->path) != 0)
        return words_error(s->w, "%s: cannot be written", h->path);
    return EXIT_CLEAN;
}

static void free_sink(sink *s)
{
    hierarchy_sink *h = (hierarchy_sink *)s;
    if (h->file) {
        fclose(h->file);
        remove(h->part);
    }
    free(h->part);
    free(h);
}

int sink_hierarchy_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.frame = write_frame, .end = end, .free = free_sink};
    const size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".obj") != 0)
        return words_error(w, "--hierarchy %s: the lines are written as OBJ; give a name such as lines.obj", path);
    hierarchy_sink *h = calloc(1, sizeof *h);
    char *part = malloc(length + 6);
    if (!h || !part) {
        free(h);
        free(part);
        return words_out_of_memory(w);
    }
    snprintf(part, length + 6, "%s.part", path);
    *h = (hierarchy_sink){.sink = {&type, o, w}, .path = path, .part = part, .file = fopen(part, "w")};
    *made = &h->sink;
    if (!h->file) {
        words_error(w, "%s: cannot be written", path);
        free_sink(&h->sink);
        *made = NULL;
        return EXIT_ERROR;
    }
    fputs("# lines between the middle vertices of compared regions, by frame and level\n", h->file);
    return EXIT_CLEAN;
}
