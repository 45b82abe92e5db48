// --hierarchy: writes a line between the centre vertices of each two regions that were compared, as an OBJ file with one object
// for each frame and level (Fig. 7 of Madera, Day, Laycock 2007). Spheres of trees are circles around x, y and z (Fig. 2, 6 and 8 of
// Rodriguez, Franquesa 2005).
#include "sink.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hierarchy_sink {
    sink sink;
    snag_io_file *file;
    size_t vertices;
} hierarchy_sink;

static bool has_level(const snag_answer *answer, uint32_t level)
{
    for (size_t i = 0; i < answer->statistics->lab->sphere_count; i++)
        if (answer->statistics->lab->spheres[i].depth == level)
            return true;
    for (size_t i = 0; i < answer->statistics->lab->line_count; i++)
        if (answer->statistics->lab->lines[i].level == level)
            return true;
    return false;
}

static int print(hierarchy_sink *h, const char *format, ...) WORDS_FORMAT(2);

static int print(hierarchy_sink *h, const char *format, ...)
{
    char text[300];
    snag_io_error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (snag_io_file_write(h->file, text, strlen(text), &error) == SNAG_OK)
        return EXIT_CLEAN;
    return words_error(h->sink.w, "%s", error.message);
}

static int write_circle(hierarchy_sink *h, const snag_tree_sphere *s, int axis)
{
    enum { CORNERS = 16 };
    int result = EXIT_CLEAN;
    for (int i = 0; i < CORNERS && result == EXIT_CLEAN; i++) {
        double x[3] = {s->centre[0], s->centre[1], s->centre[2]}, angle = 6.283185307179586 * i / CORNERS;
        x[(axis + 1) % 3] += s->radius * cos(angle);
        x[(axis + 2) % 3] += s->radius * sin(angle);
        result = print(h, "v %.9g %.9g %.9g\n", x[0], x[1], x[2]);
    }
    for (int i = 0; i <= CORNERS && result == EXIT_CLEAN; i++)
        result = print(h, "%s%zu%s", i == 0 ? "l " : " ", h->vertices + 1 + (size_t)(i % CORNERS), i == CORNERS ? "\n" : "");
    h->vertices += CORNERS;
    return result;
}

static int write_spheres(hierarchy_sink *h, const snag_lab_results *lab, uint32_t level)
{
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < lab->sphere_count && result == EXIT_CLEAN; i++)
        for (int axis = 0; axis < 3 && lab->spheres[i].depth == level && result == EXIT_CLEAN; axis++)
            result = write_circle(h, &lab->spheres[i], axis);
    return result;
}

static int write_level(hierarchy_sink *h, const snag_answer *answer, size_t frame, uint32_t level)
{
    int result = print(h, "o frame-%zu-level-%u\n", frame, (unsigned)level);
    for (size_t i = 0; i < answer->statistics->lab->line_count && result == EXIT_CLEAN; i++) {
        const snag_region_line *line = &answer->statistics->lab->lines[i];
        if (line->level != level)
            continue;
        result = print(h, "v %.17g %.17g %.17g\nv %.17g %.17g %.17g\nl %zu %zu\n", line->from[0], line->from[1], line->from[2],
                       line->to[0], line->to[1], line->to[2], h->vertices + 1, h->vertices + 2);
        h->vertices += 2;
    }
    return result == EXIT_CLEAN ? write_spheres(h, answer->statistics->lab, level) : result;
}

static int write_frame(sink *s, const sink_frame *frame)
{
    uint32_t deepest = 0;
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < frame->answer->statistics->lab->line_count; i++)
        if (frame->answer->statistics->lab->lines[i].level > deepest)
            deepest = frame->answer->statistics->lab->lines[i].level;
    for (size_t i = 0; i < frame->answer->statistics->lab->sphere_count; i++)
        if (frame->answer->statistics->lab->spheres[i].depth > deepest)
            deepest = frame->answer->statistics->lab->spheres[i].depth;
    for (uint32_t level = 0; level <= deepest && result == EXIT_CLEAN; level++)
        if (has_level(frame->answer, level))
            result = write_level((hierarchy_sink *)s, frame->answer, frame->frame, level);
    return result;
}

static int end(sink *s, const sink_summary *summary)
{
    (void)summary;
    hierarchy_sink *h = (hierarchy_sink *)s;
    snag_io_error error;
    snag_io_file *file = h->file;
    h->file = NULL;
    return snag_io_file_close(file, true, &error) == SNAG_OK ? EXIT_CLEAN : words_error(s->w, "%s", error.message);
}

static void free_sink(sink *s)
{
    snag_io_file_close(((hierarchy_sink *)s)->file, false, NULL);
    free(s);
}

int sink_hierarchy_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.frame = write_frame, .end = end, .free = free_sink};
    const size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".obj") != 0)
        return words_error(w, "--hierarchy %s: the output is an OBJ file; give a name such as lines.obj", path);
    hierarchy_sink *h = calloc(1, sizeof *h);
    if (!h)
        return words_out_of_memory(w);
    h->sink = (sink){&type, o, w};
    snag_io_error error;
    int result = EXIT_CLEAN;
    if (snag_io_file_create(path, &h->file, &error) != SNAG_OK)
        result = words_error(w, "%s", error.message);
    if (result == EXIT_CLEAN)
        result = print(
            h, "# lines between the centre vertices of compared regions, or spheres of trees as circles, by frame and level\n");
    if (result == EXIT_CLEAN)
        *made = &h->sink;
    else
        free_sink(&h->sink);
    return result;
}
