// VTK XML files that list other files.
//
// The parts of a parallel mesh (PVTU, PVTP) repeat the points between them. Points of different parts at exactly the same
// position are merged, unless one part has two points there, as at a crack: then we cannot tell which belong together.
// Ghost cells are read only from the part that owns them. In a PVD with one time step each file is a body; one with several
// time steps is a sequence (snag_io_sequence).
#include "collection.h"

#include "common/system.h"
#include "gzip.h"
#include "vtu.h"
#include "xml.h"

#include <stdlib.h>

static snag_status fail(const snag__source *source, snag_status status, const char *words)
{
    return snag__io_fail(source->error, status, "%s: %s", snag__path_shown(source->name), words);
}

// ---- the list ----

void snag__collection_free(snag__listed *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(files[i].path);
    free(files);
}

// Makes the path of a listed file, which is named relative to the folder of the list.
static snag_status make_path(const snag__source *source, snag__word value, char **path)
{
    *path = NULL;
    if (!value.at)
        return fail(source, SNAG_ERROR_FORMAT, "a file of the list has no name");
    char *name = snag__xml_copy(value);
    const char *slash = sys_last_separator(source->name);
    size_t folder = slash ? (size_t)(slash - source->name) + 1 : 0, length = name ? strlen(name) : 0;
    *path = name ? malloc(folder + length + 1) : NULL;
    if (*path) {
        memcpy(*path, source->name, folder);
        memcpy(*path + folder, name, length + 1);
    }
    bool whole = name && sys_is_absolute(name);
    free(name);
    if (!*path)
        return fail(source, SNAG_ERROR_MEMORY, "there is not enough memory for this list");
    if (!whole && length)
        return SNAG_OK;
    free(*path);
    *path = NULL;
    return fail(source, SNAG_ERROR_UNSUPPORTED,
                "a file of the list has no name, or a whole path; name it from the folder of the list");
}

static snag_status add_file(const snag__source *source, snag__word value, double time, snag__listed **files, size_t *count,
                            size_t *capacity)
{
    if (*count == *capacity) {
        size_t larger = 2 * *capacity + 16;
        snag_status status = snag__claim_bytes(source, (larger - *capacity) * sizeof **files);
        snag__listed *grown = status == SNAG_OK ? realloc(*files, larger * sizeof *grown) : NULL;
        if (!grown)
            return status == SNAG_OK ? fail(source, SNAG_ERROR_MEMORY, "there is not enough memory for this list") : status;
        *files = grown;
        *capacity = larger;
    }
    (*files)[*count] = (snag__listed){NULL, time};
    snag_status status = make_path(source, value, &(*files)[*count].path);
    *count += status == SNAG_OK;
    return status;
}

static int compare_times(const void *a, const void *b)
{
    const snag__listed *x = *(snag__listed *const *)a, *y = *(snag__listed *const *)b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : (x > y) - (x < y);
}

// Sorts by time; files with equal times keep the order of the list.
static snag_status sort_files(const snag__source *source, snag__listed *files, size_t count)
{
    snag__listed **order = malloc((count + 1) * sizeof *order), *sorted = malloc((count + 1) * sizeof *sorted);
    if (!order || !sorted) {
        free(order);
        free(sorted);
        return fail(source, SNAG_ERROR_MEMORY, "there is not enough memory for this list");
    }
    for (size_t i = 0; i < count; i++)
        order[i] = &files[i];
    qsort(order, count, sizeof *order, compare_times);
    for (size_t i = 0; i < count; i++)
        sorted[i] = *order[i];
    for (size_t i = 0; i < count; i++)
        files[i] = sorted[i];
    free(order);
    free(sorted);
    return SNAG_OK;
}

snag_status snag__collection_read(const snag__source *source, snag__listed **files, size_t *count)
{
    snag__xml xml = {source->data, source->data + source->size};
    snag__tag t;
    size_t capacity = 0;
    bool begun = false, pvd = false, ended = false;
    snag_status status = SNAG_OK;
    *files = NULL;
    *count = 0;
    while (status == SNAG_OK && snag__xml_next(&xml, &t)) {
        if (snag__tag_is(t, "VTKFile")) {
            pvd = snag__tag_value_is(t, "type", "Collection");
            begun = pvd || snag__tag_value_is(t, "type", "PUnstructuredGrid") || snag__tag_value_is(t, "type", "PPolyData");
        } else if (begun && pvd && snag__tag_is(t, "DataSet")) {
            snag__word at = snag__tag_value(t, "timestep");
            double time = 0;
            if (at.at && snag__read_double(at.at, at.at + at.length, &time) != at.at + at.length)
                status = fail(source, SNAG_ERROR_FORMAT, "a time step is not a number");
            else
                status = add_file(source, snag__tag_value(t, "file"), time - time == 0 ? time : 0, files, count, &capacity);
        } else if (begun && !pvd && snag__tag_is(t, "Piece")) {
            status = add_file(source, snag__tag_value(t, "Source"), 0, files, count, &capacity);
        }
        ended = snag__tag_is(t, "/VTKFile");
    }
    if (status == SNAG_OK && (!begun || !ended))
        status = fail(source, SNAG_ERROR_FORMAT,
                      begun ? "is cut off: its last tag is not </VTKFile>" : "is no list of VTK files (PVTU, PVTP or PVD)");
    if (status == SNAG_OK && *count == 0)
        status = fail(source, SNAG_ERROR_FORMAT, "names no files");
    if (status == SNAG_OK)
        status = sort_files(source, *files, *count);
    if (status != SNAG_OK) {
        snag__collection_free(*files, *count);
        *files = NULL;
        *count = 0;
    }
    return status;
}

// ---- parts of a mesh ----

typedef struct part_point {
    double position[3];
    uint32_t vertex, part;
} part_point;

static int compare_points(const void *a, const void *b)
{
    const part_point *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->position[k] != y->position[k])
            return x->position[k] < y->position[k] ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static bool same_place(const part_point *a, const part_point *b)
{
    return a->position[0] == b->position[0] && a->position[1] == b->position[1] && a->position[2] == b->position[2];
}

// Merges the points at one position into the first, if each is from a different part.
static void join_run(const part_point *points, size_t count, uint32_t *joined)
{
    for (size_t i = 1; i < count; i++)
        if (points[i].part == points[i - 1].part)
            return;
    uint32_t lowest = points[0].vertex;
    for (size_t i = 1; i < count; i++)
        lowest = points[i].vertex < lowest ? points[i].vertex : lowest;
    for (size_t i = 0; i < count; i++)
        joined[points[i].vertex] = lowest;
}

// `starts`: the first vertex of each part.
static snag_status glue(const snag__source *source, snag__builder *b, const size_t *starts, size_t part_count)
{
    size_t count = b->vertex_count;
    part_point *points = malloc((count + 1) * sizeof *points);
    uint32_t *joined = malloc((count + 1) * sizeof *joined);
    if (!points || !joined) {
        free(points);
        free(joined);
        return fail(source, SNAG_ERROR_MEMORY, "there is not enough memory for this mesh");
    }
    size_t part = 0;
    for (size_t v = 0; v < count; v++) {
        while (part + 1 < part_count && v >= starts[part + 1])
            part++;
        points[v] =
            (part_point){{b->positions[3 * v], b->positions[3 * v + 1], b->positions[3 * v + 2]}, (uint32_t)v, (uint32_t)part};
        joined[v] = (uint32_t)v;
    }
    qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 0, run = 1; i < count; i += run, run = 1) {
        while (i + run < count && same_place(&points[i], &points[i + run]))
            run++;
        join_run(points + i, run, joined);
    }
    for (size_t i = 0; i < b->corner_count; i++)
        b->corners[i] = joined[b->corners[i]];
    for (size_t i = 0; i < 4 * b->tet_count; i++)
        b->tets[i] = joined[b->tets[i]];
    free(points);
    free(joined);
    return SNAG_OK;
}

static snag_status read_listed(const snag__source *list, const char *path, bool parallel, snag__builder *builder)
{
    snag__source part = {.name = path, .error = list->error, .reading = list->reading};
    char *data = NULL, *unpacked = NULL;
    if (!snag__path_has_ending(path, ".vtu") && !snag__path_has_ending(path, ".vtp"))
        return snag__io_fail(list->error, SNAG_ERROR_UNSUPPORTED, "%s: names %s, which is neither a VTU nor a VTP file",
                             snag__path_shown(list->name), snag__path_shown(path));
    snag_status status = snag__file_read(path, list->reading, &data, &part.size, list->error);
    part.data = data ? data : "";
    if (status == SNAG_OK)
        status = snag__gzip_open(&part, &unpacked);
    if (status == SNAG_OK)
        status = snag__vtu_pieces(&part, parallel, builder);
    free(data);
    free(unpacked);
    return status;
}

// The name of a body: the file name without folder and extension.
static snag_status begin_body(const snag__source *source, const char *path, snag__builder *builder)
{
    size_t length;
    const char *stem = snag__path_stem(path, &length);
    snag_status status = snag__builder_object(builder, stem, length);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(source, status);
}

snag_status snag__read_collection(const snag__source *source, snag__builder *builder)
{
    snag__listed *files;
    size_t count;
    bool parallel = !snag__path_has_ending(source->name, ".pvd");
    snag_status status = snag__collection_read(source, &files, &count);
    if (status != SNAG_OK)
        return status;
    size_t *starts = malloc((count + 1) * sizeof *starts);
    if (!starts) {
        snag__collection_free(files, count);
        return snag__builder_fail(source, SNAG_ERROR_MEMORY);
    }
    if (count == 0)
        status = fail(source, SNAG_ERROR_FORMAT, "names no files");
    else if (!source->reading || !source->reading->beside)
        status = fail(source, SNAG_ERROR_FILE, "is a list of files, which can only be found when it is read as a file");
    else if (files[0].time != files[count - 1].time)
        status = fail(source, SNAG_ERROR_UNSUPPORTED, "is a list of several time steps, which is a sequence and not a mesh");
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        starts[i] = builder->vertex_count;
        if (!parallel && count > 1)
            status = begin_body(source, files[i].path, builder);
        if (status == SNAG_OK)
            status = read_listed(source, files[i].path, parallel || count > 1, builder);
    }
    if (status == SNAG_OK && parallel)
        status = glue(source, builder, starts, count);
    if (status == SNAG_OK && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    free(starts);
    snag__collection_free(files, count);
    return status;
}
