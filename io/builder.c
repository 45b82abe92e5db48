// The builder: arrays that grow while a file is read, and the final checks on every mesh.
#include "groups.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void snag__builder_free(snag__builder *builder)
{
    for (size_t i = 0; i < builder->object_count; i++)
        free(builder->objects[i].name);
    free(builder->objects);
    free(builder->positions);
    free(builder->corners);
    free(builder->sizes);
    free(builder->tets);
    free(builder->edges);
    free(builder->tet_cells);
    free(builder->polygon_faces);
    free(builder->polygon_numbers);
    free(builder->cell_numbers);
    free(builder->vertex_labels);
    for (size_t i = 0; i < builder->group_count; i++)
        free(builder->groups[i]);
    free(builder->groups);
    free(builder->group_slots);
    free(builder->group_runs);
    free(builder->copied);
    free(builder->polygon_groups);
    free(builder->tet_groups);
    free(builder->edge_groups);
    *builder = (snag__builder){0};
}

// Makes room for `count + more` items of `size` bytes. At least doubles the capacity, so that growing one by one stays
// cheap. `array` is the address of a pointer of any type.
static snag_status grow(const snag__builder *builder, void *array, size_t count, size_t *capacity, size_t more, size_t size)
{
    if (more <= *capacity - count)
        return SNAG_OK;
    if (more > SIZE_MAX / size - count)
        return SNAG_ERROR_SIZE;
    size_t needed = count + more;
    if (*capacity <= SIZE_MAX / size / 2 && needed < 2 * *capacity)
        needed = 2 * *capacity;
    if (needed < 64)
        needed = 64;
    snag_status status = builder->source ? snag__claim_bytes(builder->source, (needed - *capacity) * size) : SNAG_OK;
    if (status != SNAG_OK)
        return status;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, needed * size);
    if (!items)
        return SNAG_ERROR_MEMORY;
    snag__file_large_pages(items, needed * size);
    memcpy(array, &items, sizeof items);
    *capacity = needed;
    return SNAG_OK;
}

static bool too_many(size_t count, size_t more)
{
    return count > SNAG__MOST_VERTICES || more > SNAG__MOST_VERTICES - count;
}

snag_status snag__builder_reserve_vertices(snag__builder *builder, size_t more)
{
    if (too_many(builder->vertex_count, more))
        return SNAG_ERROR_SIZE;
    return grow(builder, &builder->positions, builder->vertex_count, &builder->vertex_capacity, more, 3 * sizeof(double));
}

snag_status snag__builder_reserve_polygons(snag__builder *builder, size_t more, size_t more_corners)
{
    if (too_many(builder->polygon_count, more))
        return SNAG_ERROR_SIZE;
    snag_status status =
        grow(builder, &builder->corners, builder->corner_count, &builder->corner_capacity, more_corners, sizeof *builder->corners);
    if (status == SNAG_OK && builder->sizes)
        status = grow(builder, &builder->sizes, builder->polygon_count, &builder->size_capacity, more, sizeof *builder->sizes);
    return status;
}

snag_status snag__builder_reserve_tets(snag__builder *builder, size_t more)
{
    if (too_many(builder->tet_count, more))
        return SNAG_ERROR_SIZE;
    return grow(builder, &builder->tets, builder->tet_count, &builder->tet_capacity, more, 4 * sizeof *builder->tets);
}

// ---- one by one ----

static snag_status look_at_limits(const snag__builder *builder)
{
    return builder->source ? snag__reading_goes_on(builder->source) : SNAG_OK;
}

static size_t next_stop(size_t count, size_t capacity)
{
    enum { APART = 1 << 16 };
    return capacity - count < APART ? capacity : count + APART;
}

snag_status snag__builder_more_vertices(snag__builder *builder)
{
    snag_status status = look_at_limits(builder);
    if (status == SNAG_OK)
        status = snag__builder_reserve_vertices(builder, 1);
    builder->vertex_stop = next_stop(builder->vertex_count, builder->vertex_capacity);
    return status;
}

snag_status snag__builder_more_corners(snag__builder *builder)
{
    snag_status status = look_at_limits(builder);
    if (status == SNAG_OK)
        status = snag__builder_reserve_polygons(builder, 0, 1);
    builder->corner_stop = next_stop(builder->corner_count, builder->corner_capacity);
    return status;
}

snag_status snag__builder_more_tets(snag__builder *builder)
{
    snag_status status = look_at_limits(builder);
    if (status == SNAG_OK)
        status = snag__builder_reserve_tets(builder, 1);
    builder->tet_stop = next_stop(builder->tet_count, builder->tet_capacity);
    return status;
}

snag_status snag__builder_reserve_tet_cells(snag__builder *builder)
{
    return grow(builder, &builder->tet_cells, builder->numbered_tets, &builder->tet_cell_capacity,
                builder->tet_count - builder->numbered_tets + 1, sizeof *builder->tet_cells);
}

// The first polygon that is not a triangle: store the size of every polygon from now on.
static snag_status begin_sizes(snag__builder *builder)
{
    snag_status status =
        grow(builder, &builder->sizes, 0, &builder->size_capacity, builder->polygon_count + 1, sizeof *builder->sizes);
    if (status != SNAG_OK)
        return status;
    assert(builder->sizes);
    for (size_t i = 0; i < builder->polygon_count; i++)
        builder->sizes[i] = 3;
    return SNAG_OK;
}

snag_status snag__builder_close_polygon(snag__builder *builder, size_t size)
{
    if (size > SNAG__MOST_VERTICES || builder->polygon_count >= SNAG__MOST_VERTICES)
        return SNAG_ERROR_SIZE;
    snag_status status = SNAG_OK;
    if (builder->sizes)
        status = grow(builder, &builder->sizes, builder->polygon_count, &builder->size_capacity, 1, sizeof *builder->sizes);
    else if (size != 3)
        status = begin_sizes(builder);
    if (status != SNAG_OK)
        return status;
    if (builder->sizes)
        builder->sizes[builder->polygon_count] = (uint32_t)size;
    builder->polygon_count++;
    return SNAG_OK;
}

snag_status snag__builder_polygon(snag__builder *builder, const uint32_t *vertices, size_t size)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < size && status == SNAG_OK; i++)
        status = snag__builder_corner(builder, vertices[i]);
    return status == SNAG_OK ? snag__builder_close_polygon(builder, size) : status;
}

static snag_status add_edge(snag__builder *builder, uint32_t a, uint32_t b)
{
    enum { APART = 1 << 16 };
    snag_status status = builder->edge_count % APART == 0 ? look_at_limits(builder) : SNAG_OK;
    if (status == SNAG_OK && too_many(builder->edge_count, 1))
        status = SNAG_ERROR_SIZE;
    if (status == SNAG_OK)
        status = grow(builder, &builder->edges, builder->edge_count, &builder->edge_capacity, 1, 2 * sizeof *builder->edges);
    if (status != SNAG_OK)
        return status;
    builder->edges[2 * builder->edge_count] = a;
    builder->edges[2 * builder->edge_count++ + 1] = b;
    return SNAG_OK;
}

// ---- faces in several polygons ----

// Gives the polygons since the last one with a face one each, or all the same.
static snag_status number_faces(snag__builder *builder, bool same)
{
    size_t more = builder->polygon_count - builder->numbered_polygons;
    snag_status status = grow(builder, &builder->polygon_faces, builder->numbered_polygons, &builder->polygon_face_capacity,
                              more + 1, sizeof *builder->polygon_faces);
    while (status == SNAG_OK && builder->numbered_polygons < builder->polygon_count) {
        builder->polygon_faces[builder->numbered_polygons++] = (uint32_t)builder->face_count;
        builder->face_count += !same;
    }
    builder->face_count += status == SNAG_OK && same;
    return status;
}

snag_status snag__builder_begin_face(snag__builder *builder)
{
    return number_faces(builder, false);
}

snag_status snag__builder_end_face(snag__builder *builder)
{
    return number_faces(builder, true);
}

snag_status snag__builder_number_polygons(snag__builder *builder)
{
    if (!builder->polygon_faces)
        return SNAG_OK;
    snag_status status = number_faces(builder, false);
    if (status != SNAG_OK)
        return status;
    for (size_t p = 0; p < builder->polygon_count && builder->polygon_numbers; p++)
        builder->polygon_faces[p] = builder->polygon_numbers[builder->polygon_faces[p]];
    free(builder->polygon_numbers);
    builder->polygon_numbers = builder->polygon_faces;
    builder->polygon_faces = NULL;
    builder->polygon_face_capacity = builder->numbered_polygons = builder->face_count = 0;
    return SNAG_OK;
}

snag_status snag__builder_edge(snag__builder *builder, uint32_t a, uint32_t b)
{
    if (a != b)
        return add_edge(builder, a, b);
    snag__builder_skip(builder, 1, false);
    return SNAG_OK;
}

snag_status snag__builder_polyline(snag__builder *builder, const uint32_t *vertices, size_t count)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i + 1 < count && status == SNAG_OK; i++)
        status = snag__builder_edge(builder, vertices[i], vertices[i + 1]);
    return status;
}

snag_status snag__builder_point(snag__builder *builder, uint32_t vertex)
{
    return add_edge(builder, vertex, vertex);
}

snag_status snag__builder_object(snag__builder *builder, const char *name, size_t length)
{
    snag_status status =
        grow(builder, &builder->objects, builder->object_count, &builder->object_capacity, 1, sizeof *builder->objects);
    if (status != SNAG_OK)
        return status;
    char *copy = NULL;
    if (length) {
        copy = malloc(length + 1);
        if (!copy)
            return SNAG_ERROR_MEMORY;
        memcpy(copy, name, length);
        copy[length] = 0;
    }
    builder->objects[builder->object_count++] =
        (snag__object){copy, builder->vertex_count, builder->polygon_count, builder->tet_count, builder->edge_count, 0};
    return SNAG_OK;
}

snag_status snag__builder_fail(const snag__source *source, snag_status status)
{
    const char *name = snag__path_shown(source->name);
    if (status == SNAG_ERROR_LIMIT)
        return status;
    if (status == SNAG_ERROR_MEMORY)
        return snag__io_fail(source->error, status, "%s: not enough memory for this mesh", name);
    return snag__io_fail(source->error, status, "%s: more than %llu vertices, faces or tetrahedra", name,
                         (unsigned long long)SNAG__MOST_VERTICES);
}

// ---- final checks ----

static snag_status check_positions(const snag__builder *builder, const snag__source *source)
{
    for (size_t v = 0; v < builder->vertex_count; v++) {
        const double *p = builder->positions + 3 * v;
        double sum = (p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2]);  // 0, except for NaN and infinities
        if (sum != 0)
            return snag__io_fail(source->error, SNAG_ERROR_NOT_FINITE, "%s: vertex %zu (counted from 0) is not finite: %g %g %g",
                                 snag__path_shown(source->name), v, p[0], p[1], p[2]);
    }
    return SNAG_OK;
}

static uint32_t highest_of(const uint32_t *numbers, size_t count)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < count; i++)
        highest = numbers[i] > highest ? numbers[i] : highest;
    return highest;
}

static snag_status fail_index(const snag__builder *builder, const snag__source *source, const char *kind, size_t element,
                              uint32_t vertex)
{
    return snag__io_fail(source->error, SNAG_ERROR_INDEX,
                         "%s: %s %zu names vertex %lu (both counted from 0), but the file has %zu vertices",
                         snag__path_shown(source->name), kind, element, (unsigned long)vertex, builder->vertex_count);
}

static snag_status check_polygons(const snag__builder *builder, const snag__source *source)
{
    if (builder->corner_count == 0 || highest_of(builder->corners, builder->corner_count) < builder->vertex_count)
        return SNAG_OK;
    const uint32_t *corner = builder->corners;
    for (size_t p = 0; p < builder->polygon_count; p++)
        for (uint32_t i = 0, size = builder->sizes ? builder->sizes[p] : 3; i < size; i++, corner++)
            if (*corner >= builder->vertex_count)
                return fail_index(builder, source, "face", p, *corner);
    return SNAG_OK;
}

static snag_status check_tets(const snag__builder *builder, const snag__source *source)
{
    for (size_t i = 0; i < 4 * builder->tet_count; i++)
        if (builder->tets[i] >= builder->vertex_count)
            return fail_index(builder, source, "tetrahedron", i / 4, builder->tets[i]);
    return SNAG_OK;
}

static snag_status check_edges(const snag__builder *builder, const snag__source *source)
{
    for (size_t i = 0; i < 2 * builder->edge_count; i++)
        if (builder->edges[i] >= builder->vertex_count)
            return fail_index(builder, source, "line or point", i / 2, builder->edges[i]);
    return SNAG_OK;
}

snag_status snag__builder_finish(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh)
{
    if (builder->vertex_count == 0)
        return snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: no vertices in the file", snag__path_shown(source->name));
    snag_status status = check_positions(builder, source);
    if (status == SNAG_OK)
        status = check_polygons(builder, source);
    if (status == SNAG_OK)
        status = check_tets(builder, source);
    if (status == SNAG_OK)
        status = check_edges(builder, source);
    if (status == SNAG_OK && snag__builder_number_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    if (status == SNAG_OK && builder->edge_count > 0 && snag__builder_keep_rods(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    if (status == SNAG_OK)
        status = snag__builder_label(builder, source);
    if (status == SNAG_OK)
        status = snag__builder_split(builder, source);
    if (status == SNAG_OK)
        status = snag__make_bodies(builder, source, mesh);
    return status;
}
