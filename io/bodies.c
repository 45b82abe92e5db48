// Bodies out of a file: objects that share no vertex become bodies of their own, objects that do are one body, named
// like the first of them. Objects of one name are kept apart as well, and keep their name.
//
// A vertex that no polygon uses goes where it was defined. What stands before the first object is nameless: with
// polygons it is an object named like the file, without them its unused vertices go to the first object.
// Meshes with tetrahedra are one body.
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

// Section 0 is what stands before the first object; section s is object s - 1.
typedef struct splitting {
    const snag__builder *builder;
    size_t section_count;
    uint32_t *parent;  // of each section: an earlier one that it is joined to, or itself
    uint32_t *body;  // of each section that is not joined to an earlier one: its body; NONE: it has no vertices
    uint32_t *owner;  // of each vertex: its section, later its body
    uint32_t *local;  // of each vertex: its number in its body
    size_t body_count;
} splitting;

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

static char *name_of_section(const snag__builder *builder, const snag__source *source, size_t section)
{
    const char *name = section > 0 ? builder->objects[section - 1].name : NULL;
    if (name)
        return copy_text(name, strlen(name));
    size_t length;
    const char *stem = snag__path_stem(source->name, &length);
    return copy_text(stem, length);
}

// ---- one body: the builder's arrays are handed over as they are ----

static void *shrunk(void *array, size_t count, size_t size)
{
    if (!array || count == 0) {
        free(array);
        return NULL;
    }
    void *smaller = realloc(array, count * size);
    return smaller ? smaller : array;
}

static snag_status make_one_body(snag__builder *builder, const snag__source *source, size_t section, snag_io_mesh *mesh)
{
    char *name = name_of_section(builder, source, section);
    mesh->bodies = name ? calloc(1, sizeof *mesh->bodies) : NULL;
    if (!mesh->bodies) {
        free(name);
        return SNAG_ERROR_MEMORY;
    }
    mesh->body_count = 1;
    *mesh->bodies = (snag_io_body){
        .name = name,
        .vertex_count = builder->vertex_count,
        .positions = shrunk(builder->positions, builder->vertex_count, 3 * sizeof(double)),
        .polygon_count = builder->polygon_count,
        .polygon_sizes = shrunk(builder->sizes, builder->polygon_count, sizeof(uint32_t)),
        .polygon_vertices = shrunk(builder->corners, builder->corner_count, sizeof(uint32_t)),
        .tet_count = builder->tet_count,
        .tets = shrunk(builder->tets, builder->tet_count, 4 * sizeof(uint32_t)),
    };
    builder->positions = NULL;
    builder->sizes = builder->corners = builder->tets = NULL;
    return SNAG_OK;
}

// ---- which section a vertex belongs to ----

static uint32_t root_of(uint32_t *parent, uint32_t section)
{
    while (parent[section] != section) {
        parent[section] = parent[parent[section]];
        section = parent[section];
    }
    return section;
}

// The earlier of two sections stays the root: its name is the body's.
static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static size_t end_of_section(const snag__builder *builder, size_t section, bool polygons)
{
    if (section < builder->object_count)
        return polygons ? builder->objects[section].first_polygon : builder->objects[section].first_vertex;
    return polygons ? builder->polygon_count : builder->vertex_count;
}

static void join_sections_by_polygons(splitting *split)
{
    const snag__builder *builder = split->builder;
    const uint32_t *corner = builder->corners;
    size_t p = 0;
    for (uint32_t section = 0; section < split->section_count; section++)
        for (size_t end = end_of_section(builder, section, true); p < end; p++)
            for (uint32_t i = 0, size = builder->sizes ? builder->sizes[p] : 3; i < size; i++, corner++) {
                uint32_t *owner = &split->owner[*corner];
                if (*owner == NONE)
                    *owner = section;
                else if (*owner != section)
                    join(split->parent, *owner, section);
            }
}

static void place_unused_vertices(splitting *split)
{
    const snag__builder *builder = split->builder;
    // Where no polygon stands before the first object, the loose vertices there are its own.
    bool begins_loose = builder->objects[0].first_polygon == 0;
    size_t v = 0;
    for (uint32_t section = 0; section < split->section_count; section++)
        for (size_t end = end_of_section(builder, section, false); v < end; v++)
            if (split->owner[v] == NONE)
                split->owner[v] = section == 0 && begins_loose ? 1 : section;
}

// Numbers the bodies in the order of their first section, and turns owners from sections into bodies.
static void number_bodies(splitting *split)
{
    for (size_t section = 0; section < split->section_count; section++)
        split->body[section] = NONE;
    for (size_t v = 0; v < split->builder->vertex_count; v++)
        split->body[root_of(split->parent, split->owner[v])] = 0;
    for (size_t section = 0; section < split->section_count; section++)
        if (split->body[section] != NONE)
            split->body[section] = (uint32_t)split->body_count++;
    for (size_t v = 0; v < split->builder->vertex_count; v++)
        split->owner[v] = split->body[root_of(split->parent, split->owner[v])];
}

// ---- several bodies: each gets arrays of its own ----

static void *array_of(size_t count, size_t size, snag_status *status)
{
    void *array = count ? malloc(count * size) : NULL;
    if (count && !array)
        *status = SNAG_ERROR_MEMORY;
    return array;
}

// Counts of each body; polygon_vertices are counted in `corner_counts`.
static void count_elements(const splitting *split, snag_io_mesh *mesh, size_t *corner_counts)
{
    const snag__builder *builder = split->builder;
    for (size_t v = 0; v < builder->vertex_count; v++)
        split->local[v] = (uint32_t)mesh->bodies[split->owner[v]].vertex_count++;
    const uint32_t *corner = builder->corners;
    for (size_t p = 0; p < builder->polygon_count; p++) {
        uint32_t size = builder->sizes ? builder->sizes[p] : 3;
        uint32_t body = split->owner[*corner];
        mesh->bodies[body].polygon_count++;
        corner_counts[body] += size;
        corner += size;
    }
}

static snag_status allocate_bodies(const splitting *split, snag_io_mesh *mesh, const size_t *corner_counts)
{
    snag_status status = SNAG_OK;
    for (size_t b = 0; b < mesh->body_count && status == SNAG_OK; b++) {
        snag_io_body *body = &mesh->bodies[b];
        body->positions = array_of(body->vertex_count, 3 * sizeof(double), &status);
        body->vertex_numbers = array_of(body->vertex_count, sizeof(uint32_t), &status);
        body->polygon_vertices = array_of(corner_counts[b], sizeof(uint32_t), &status);
        body->polygon_numbers = array_of(body->polygon_count, sizeof(uint32_t), &status);
        if (corner_counts[b] != 3 * body->polygon_count || split->builder->sizes)
            body->polygon_sizes = array_of(body->polygon_count, sizeof(uint32_t), &status);
    }
    return status;
}

// Takes away the numbers where they say nothing, and the sizes where all are triangles.
static void drop_what_goes_without_saying(snag_io_body *body)
{
    uint32_t **numbers[2] = {&body->vertex_numbers, &body->polygon_numbers};
    size_t counts[2] = {body->vertex_count, body->polygon_count};
    for (int i = 0; i < 2; i++) {
        // Numbers rise, so the last one tells whether any is left out.
        if (counts[i] && (*numbers[i])[counts[i] - 1] == counts[i] - 1) {
            free(*numbers[i]);
            *numbers[i] = NULL;
        }
    }
    size_t p = 0;
    while (body->polygon_sizes && p < body->polygon_count && body->polygon_sizes[p] == 3)
        p++;
    if (p == body->polygon_count) {
        free(body->polygon_sizes);
        body->polygon_sizes = NULL;
    }
}

// Copies every element to its body; counts the bodies' elements once more on the way, in file order.
static void fill_bodies(const splitting *split, snag_io_mesh *mesh, size_t *corner_counts)
{
    const snag__builder *builder = split->builder;
    for (size_t v = 0; v < builder->vertex_count; v++) {
        snag_io_body *body = &mesh->bodies[split->owner[v]];
        uint32_t local = split->local[v];
        memcpy(body->positions + 3 * (size_t)local, builder->positions + 3 * v, 3 * sizeof(double));
        body->vertex_numbers[local] = (uint32_t)v;
    }
    for (size_t b = 0; b < mesh->body_count; b++)
        mesh->bodies[b].polygon_count = corner_counts[b] = 0;
    const uint32_t *corner = builder->corners;
    for (size_t p = 0; p < builder->polygon_count; p++) {
        uint32_t size = builder->sizes ? builder->sizes[p] : 3;
        uint32_t b = split->owner[*corner];
        snag_io_body *body = &mesh->bodies[b];
        for (uint32_t i = 0; i < size; i++)
            body->polygon_vertices[corner_counts[b]++] = split->local[*corner++];
        if (body->polygon_sizes)
            body->polygon_sizes[body->polygon_count] = size;
        body->polygon_numbers[body->polygon_count++] = (uint32_t)p;
    }
    for (size_t b = 0; b < mesh->body_count; b++)
        drop_what_goes_without_saying(&mesh->bodies[b]);
}

static snag_status make_bodies(const splitting *split, const snag__source *source, snag_io_mesh *mesh)
{
    size_t *corner_counts = calloc(split->body_count + 1, sizeof *corner_counts);
    mesh->bodies = calloc(split->body_count + 1, sizeof *mesh->bodies);
    snag_status status = mesh->bodies && corner_counts ? SNAG_OK : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK) {
        mesh->body_count = split->body_count;
        for (size_t section = 0; section < split->section_count; section++)
            if (split->body[section] != NONE) {
                char *name = name_of_section(split->builder, source, section);
                mesh->bodies[split->body[section]].name = name;
                status = name ? status : SNAG_ERROR_MEMORY;
            }
        count_elements(split, mesh, corner_counts);
        if (status == SNAG_OK)
            status = allocate_bodies(split, mesh, corner_counts);
        if (status == SNAG_OK)
            fill_bodies(split, mesh, corner_counts);
    }
    free(corner_counts);
    return status;
}

static snag_status split_objects(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh)
{
    splitting split = {.builder = builder, .section_count = builder->object_count + 1};
    if (split.section_count >= NONE)
        return SNAG_ERROR_SIZE;
    split.parent = malloc(split.section_count * sizeof(uint32_t));
    split.body = malloc(split.section_count * sizeof(uint32_t));
    split.owner = malloc(builder->vertex_count * sizeof(uint32_t));
    split.local = malloc(builder->vertex_count * sizeof(uint32_t));
    snag_status status = SNAG_ERROR_MEMORY;
    if (split.parent && split.body && split.owner && split.local) {
        for (uint32_t section = 0; section < split.section_count; section++)
            split.parent[section] = section;
        memset(split.owner, 0xff, builder->vertex_count * sizeof(uint32_t));
        join_sections_by_polygons(&split);
        place_unused_vertices(&split);
        number_bodies(&split);
        if (split.body_count == 1) {
            size_t section = 0;
            while (split.body[section] == NONE)
                section++;
            status = make_one_body(builder, source, section, mesh);
        } else {
            status = make_bodies(&split, source, mesh);
        }
    }
    free(split.parent);
    free(split.body);
    free(split.owner);
    free(split.local);
    return status;
}

snag_status snag__make_bodies(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh)
{
    mesh->vertex_count = builder->vertex_count;
    mesh->face_count = builder->polygon_count;
    mesh->tet_count = builder->tet_count;
    mesh->skipped = builder->skipped;
    mesh->metres = builder->metres;
    mesh->left_out = builder->left_out;
    bool one = builder->object_count == 0 || builder->tet_count > 0;
    bool only_named = builder->object_count == 1 && builder->objects[0].first_polygon == 0;
    snag_status status;
    if (one || only_named)
        status = make_one_body(builder, source, only_named ? 1 : 0, mesh);
    else
        status = split_objects(builder, source, mesh);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(source, status);
}
