// --ply, --glb and --vtu: writes every frame as a mesh file for viewers, with elements in contact highlighted.
// A single frame gets the given name; several frames get a number appended.
#define _POSIX_C_SOURCE 200809L
#include "highlight.h"

#include "common/system.h"

#include <stdlib.h>
#include <string.h>

typedef struct shapes_sink shapes_sink;

typedef struct shape_format {
    const char *option, *ending;
    int (*write)(shapes_sink *s, const sink_frame *frame, const char *path);
} shape_format;

struct shapes_sink {
    sink sink;
    const shape_format *format;
    const char *path;  // as given
    const sink_scene *scene;
    highlight marks;
    char **written;  // paths of the frames
    double *times;
    size_t written_count, capacity, time_capacity;
    bool ended;
};

// ---- names ---------------------------------------------------------------------------------------------------------

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0;
}

// The given name without its extension, one of the two of the format.
static size_t stem_length(const shapes_sink *s)
{
    size_t length = strlen(s->path);
    return has_ending(s->path, s->format->ending) || has_ending(s->path, ".pvd") ? length - 4 : length;
}

static char *frame_path(const shapes_sink *s, size_t frame)
{
    size_t stem = stem_length(s), size = stem + 40;
    bool single = s->scene->frames.first == s->scene->frames.last;
    char *path = malloc(size);
    if (path && single)
        snprintf(path, size, "%.*s%s", (int)stem, s->path, s->format->ending);
    else if (path)
        snprintf(path, size, "%.*s_%04zu%s", (int)stem, s->path, frame, s->format->ending);
    return path;
}

// ---- frames --------------------------------------------------------------------------------------------------------

static int write_surfaces(shapes_sink *s, const sink_frame *frame, const char *path,
                          snag_status (*write)(const char *path, const snag_io_surface *surfaces, size_t surface_count,
                                               snag_io_error *error))
{
    snag_io_surface *surfaces = calloc(s->scene->body_count + 1, sizeof *surfaces);
    if (!surfaces)
        return words_out_of_memory(s->sink.w);
    for (size_t i = 0; i < s->scene->body_count; i++) {
        const sink_body *body = &s->scene->bodies[i];
        surfaces[i].positions = frame->positions[i];
        surfaces[i].triangles = body->info.triangles;
        surfaces[i].triangle_count = body->info.triangle_count;
        surfaces[i].name = body->name;
        surfaces[i].rgb = s->marks.bodies[i].rgb;
        surfaces[i].places = s->marks.bodies[i].triangle_places;
    }
    snag_io_error error;
    snag_status status = write(path, surfaces, s->scene->body_count, &error);
    free(surfaces);
    return status == SNAG_OK ? EXIT_CLEAN : words_error(s->sink.w, "%s", error.message);
}

static int write_ply(shapes_sink *s, const sink_frame *frame, const char *path)
{
    return write_surfaces(s, frame, path, snag_io_write_ply);
}

static int write_glb(shapes_sink *s, const sink_frame *frame, const char *path)
{
    return write_surfaces(s, frame, path, snag_io_write_glb);
}

// The file's numbers of a body's cells, and the number of the body.
static void fill_numbers(const sink_frame *frame, size_t body, snag_element_kind kind, size_t count, int32_t *numbers,
                         int32_t *bodies)
{
    const contact_body *by = &frame->contacts->bodies[body];
    for (size_t i = 0; i < count; i++) {
        snag_element element = {.kind = kind, .index = (uint32_t)i};
        numbers[i] = (int32_t)contacts_number(by, &element).number[0];
        bodies[i] = (int32_t)body;
    }
}

typedef struct place_depth {
    int32_t place;
    double depth;
} place_depth;

static int compare_places(const void *a, const void *b)
{
    const place_depth *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

// The places of a frame by their id; NULL: out of memory.
static place_depth *sort_depths(const frame_places *of)
{
    place_depth *sorted = malloc((of->count + 1) * sizeof *sorted);
    for (size_t i = 0; sorted && i < of->count; i++)
        sorted[i] = (place_depth){(int32_t)of->places[i].id, of->places[i].depth};
    if (sorted && of->count)
        qsort(sorted, of->count, sizeof *sorted, compare_places);
    return sorted;
}

// The depth of the place that each cell is in, in this frame.
static void fill_depths(const place_depth *sorted, size_t place_count, const int32_t *places, size_t count, double *depths)
{
    for (size_t i = 0; i < count; i++) {
        const place_depth wanted = {places[i], 0};
        const place_depth *found =
            places[i] && place_count ? bsearch(&wanted, sorted, place_count, sizeof wanted, compare_places) : NULL;
        depths[i] = found ? found->depth : 0;
    }
}

static int write_grids(shapes_sink *s, const sink_frame *frame, const char *path, snag_io_grid *grids, const int32_t *(*fields)[4],
                       int32_t *numbers, const place_depth *sorted, double *depths)
{
    static const char *const names[] = {"contacts", "number", "body", "place"};
    for (size_t i = 0; i < s->scene->body_count; i++) {
        const snag_body_info *info = &s->scene->bodies[i].info;
        const highlight_body *marks = &s->marks.bodies[i];
        bool volume = info->tet_count > 0;
        size_t count = volume ? info->tet_count : info->triangle_count;
        fill_numbers(frame, i, volume ? SNAG_TET : SNAG_TRIANGLE, count, numbers, numbers + count);
        fields[i][0] = volume ? marks->tet_contacts : marks->triangle_contacts;
        fields[i][1] = numbers;
        fields[i][2] = numbers + count;
        fields[i][3] = volume ? marks->tet_places : marks->triangle_places;
        numbers += 2 * count;
        fill_depths(sorted, frame->places->count, fields[i][3], count, depths);
        grids[i] = (snag_io_grid){
            .positions = frame->positions[i],
            .cells = volume ? info->tets : info->triangles,
            .cell_count = count,
            .corners = volume ? 4 : 3,
            .fields = fields[i],
            .depths = depths,
        };
        depths += count;
    }
    snag_io_error error;
    snag_status status = snag_io_write_vtu(path, grids, s->scene->body_count, names, sizeof names / sizeof names[0], &error);
    return status == SNAG_OK ? EXIT_CLEAN : words_error(s->sink.w, "%s", error.message);
}

static int write_vtu(shapes_sink *s, const sink_frame *frame, const char *path)
{
    size_t cells = 0;
    for (size_t i = 0; i < s->scene->body_count; i++) {
        const snag_body_info *info = &s->scene->bodies[i].info;
        cells += info->tet_count ? info->tet_count : info->triangle_count;
    }
    snag_io_grid *grids = calloc(s->scene->body_count + 1, sizeof *grids);
    const int32_t *(*fields)[4] = calloc(s->scene->body_count + 1, sizeof *fields);
    int32_t *numbers = malloc((2 * cells + 1) * sizeof *numbers);
    double *depths = malloc((cells + 1) * sizeof *depths);
    place_depth *sorted = sort_depths(frame->places);
    int result = grids && fields && numbers && depths && sorted
                     ? write_grids(s, frame, path, grids, fields, numbers, sorted, depths)
                     : words_out_of_memory(s->sink.w);
    free(depths);
    free(sorted);
    free(grids);
    free(fields);
    free(numbers);
    return result;
}

static int begin(sink *base, const sink_scene *about)
{
    shapes_sink *s = (shapes_sink *)base;
    s->scene = about;
    return highlight_begin(&s->marks, about) ? EXIT_CLEAN : words_out_of_memory(base->w);
}

static int write_frame(sink *base, const sink_frame *frame)
{
    shapes_sink *s = (shapes_sink *)base;
    if (!highlight_fill(&s->marks, frame) ||
        !words_grow((void **)&s->written, &s->capacity, s->written_count + 1, sizeof *s->written) ||
        !words_grow((void **)&s->times, &s->time_capacity, s->written_count + 1, sizeof *s->times))
        return words_out_of_memory(base->w);
    char *path = frame_path(s, frame->frame);
    if (!path)
        return words_out_of_memory(base->w);
    int result = EXIT_CLEAN;
    if (s->scene->inputs && scene_reads(s->scene->inputs, path))
        result = words_error(base->w, "--%s %s: frame %zu would overwrite the input %s; choose another name", s->format->option,
                             s->path, frame->frame, path);
    else
        result = s->format->write(s, frame, path);
    if (result != EXIT_CLEAN) {
        free(path);
        return result;
    }
    s->times[s->written_count] = (double)frame->frame;
    s->written[s->written_count++] = path;
    return EXIT_CLEAN;
}

// ---- the end -------------------------------------------------------------------------------------------------------

static int write_list(shapes_sink *s)
{
    size_t stem = stem_length(s), size = stem + 8;
    char *path = malloc(size);
    const char **names = malloc((s->written_count + 1) * sizeof *names);
    int result = EXIT_CLEAN;
    if (!path || !names) {
        result = words_out_of_memory(s->sink.w);
    } else {
        snag_io_error error;
        snprintf(path, size, "%.*s.pvd", (int)stem, s->path);
        for (size_t i = 0; i < s->written_count; i++)
            names[i] = scene_base_name(s->written[i]);
        if (snag_io_write_pvd(path, names, s->times, s->written_count, &error) != SNAG_OK)
            result = words_error(s->sink.w, "%s", error.message);
    }
    free(path);
    free(names);
    return result;
}

static int end(sink *base, const sink_summary *summary)
{
    shapes_sink *s = (shapes_sink *)base;
    (void)summary;
    bool list = s->format->write == write_vtu && (s->written_count > 1 || has_ending(s->path, ".pvd"));
    int result = list ? write_list(s) : EXIT_CLEAN;
    s->ended = result == EXIT_CLEAN;
    return result;
}

static void free_sink(sink *base)
{
    shapes_sink *s = (shapes_sink *)base;
    for (size_t i = 0; i < s->written_count; i++) {
        if (!s->ended)
            sys_unlink(s->written[i]);
        free(s->written[i]);
    }
    free(s->written);
    free(s->times);
    highlight_free(&s->marks);
    free(s);
}

static int make(const shape_format *format, const char *other, const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.begin = begin, .frame = write_frame, .end = end, .free = free_sink};
    if (!has_ending(path, format->ending) && !(other && has_ending(path, other)))
        return words_error(w, "--%s %s: give a name that ends in %s%s%s", format->option, path, format->ending, other ? " or " : "",
                           other ? other : "");
    shapes_sink *s = calloc(1, sizeof *s);
    if (!s)
        return words_out_of_memory(w);
    s->sink = (sink){&type, o, w};
    s->format = format;
    s->path = path;
    *made = &s->sink;
    return EXIT_CLEAN;
}

int sink_ply_make(const options *o, const char *path, words *w, sink **made)
{
    static const shape_format format = {"ply", ".ply", write_ply};
    return make(&format, NULL, o, path, w, made);
}

int sink_glb_make(const options *o, const char *path, words *w, sink **made)
{
    static const shape_format format = {"glb", ".glb", write_glb};
    return make(&format, NULL, o, path, w, made);
}

int sink_vtu_make(const options *o, const char *path, words *w, sink **made)
{
    static const shape_format format = {"vtu", ".vtu", write_vtu};
    return make(&format, ".pvd", o, path, w, made);
}
