// Splits a file into bodies: objects that share no vertex become separate bodies; objects that share vertices become one
// body with the name of the first. Objects with the same name stay separate and keep their name.
//
// A vertex that no polygon uses belongs to the object that defines it. The part before the first object has no name: if it
// has elements, it becomes an object named like the file; if not, its unused vertices go to the first object.
// Faces beside the tetrahedra of an object that do not touch them (beside.c) become a separate body.
// Rods go with what they hang on. One that would join a volume and a surface has no place in either, since a body has only one
// of them: it is left out and counted.
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

// Range 0 is the part before the first object; range r is object r - 1. A range is one section, or two in a file with both
// faces and tetrahedra; the second one has the faces.
typedef struct splitting {
    const snag__builder *builder;
    uint32_t kinds;  // sections per range: 1 or 2
    size_t section_count;
    uint32_t *parent;  // of each section: an earlier section that it is joined to, or itself
    uint32_t *body;  // of each root section: its body; NONE: it has no vertices
    uint32_t *owner;  // of each vertex: its section, later its body
    uint32_t *local;  // of each vertex: its number within its body
    uint8_t *has;  // of each root section: FACES, CELLS or both
    size_t body_count;
} splitting;

enum { FACES = 1, CELLS = 2 };

// ---- ranges of the file ----

typedef enum element_kind { VERTICES, POLYGONS, TETS, EDGES } element_kind;

static size_t end_of_range(const snag__builder *builder, size_t range, element_kind kind)
{
    if (range < builder->object_count) {
        const snag__object *next = &builder->objects[range];
        return kind == POLYGONS ? next->first_polygon
               : kind == TETS   ? next->first_tet
               : kind == EDGES  ? next->first_edge
                                : next->first_vertex;
    }
    return kind == POLYGONS ? builder->polygon_count
           : kind == TETS   ? builder->tet_count
           : kind == EDGES  ? builder->edge_count
                            : builder->vertex_count;
}

static bool has_any(const snag__builder *builder, size_t range, element_kind kind)
{
    return end_of_range(builder, range, kind) > (range ? end_of_range(builder, range - 1, kind) : 0);
}

// ---- numbers and names ----

static uint32_t number_of_polygon(const snag__builder *builder, size_t p)
{
    return builder->polygon_numbers ? builder->polygon_numbers[p] : (uint32_t)p;
}

static uint32_t number_of_vertex(const snag__builder *builder, size_t v)
{
    bool copy = builder->file_vertices && v >= builder->file_vertices;
    return copy ? builder->copied[v - builder->file_vertices] : (uint32_t)v;
}

static uint32_t number_of_tet(const snag__builder *builder, size_t k)
{
    uint32_t cell = builder->tet_cells ? builder->tet_cells[k] : (uint32_t)k;
    return builder->cell_numbers ? builder->cell_numbers[cell] : cell;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

static char *name_of_range(const snag__builder *builder, const snag__source *source, size_t range)
{
    const char *name = range > 0 ? builder->objects[range - 1].name : NULL;
    if (name)
        return copy_text(name, strlen(name));
    size_t length;
    const char *stem = snag__path_stem(source->name, &length);
    return copy_text(stem, length);
}

// Faces beside the tetrahedra of object X are named "X.faces".
static char *name_of_section(const splitting *split, const snag__source *source, size_t section)
{
    static const char ending[] = ".faces";
    size_t range = section / split->kinds;
    char *name = name_of_range(split->builder, source, range);
    if (!name || section % split->kinds == 0 || !has_any(split->builder, range, TETS))
        return name;
    size_t length = strlen(name);
    char *longer = realloc(name, length + sizeof ending);
    if (longer)
        memcpy(longer + length, ending, sizeof ending);
    else
        free(name);
    return longer;
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

// Numbers that just count from 0 carry no information.
static void drop_plain_numbers(uint32_t **numbers, size_t count)
{
    for (size_t i = 0; i < count && *numbers; i++)
        if ((*numbers)[i] != i)
            return;
    free(*numbers);
    *numbers = NULL;
}

// The numbers of all tetrahedra, unless they just count from 0.
static snag_status number_all_tets(const snag__builder *builder, uint32_t **numbers)
{
    *numbers = NULL;
    if (builder->tet_count == 0 || (!builder->tet_cells && !builder->cell_numbers))
        return SNAG_OK;
    *numbers = malloc(builder->tet_count * sizeof **numbers);
    if (!*numbers)
        return SNAG_ERROR_MEMORY;
    for (size_t k = 0; k < builder->tet_count; k++)
        (*numbers)[k] = number_of_tet(builder, k);
    return SNAG_OK;
}

// ---- rods and points ----

static void count_edge(const uint32_t *edge, snag_io_body *body)
{
    body->edge_count += edge[0] != edge[1];
    body->point_count += edge[0] == edge[1];
}

// `local` has the number of each vertex within the body; NULL: the same.
static void put_edge(const uint32_t *edge, const uint32_t *local, const uint32_t *label, snag_io_body *body)
{
    uint32_t a = local ? local[edge[0]] : edge[0], b = local ? local[edge[1]] : edge[1];
    if (edge[0] == edge[1]) {
        if (body->point_labels && label)
            body->point_labels[body->point_count] = *label;
        body->points[body->point_count++] = a;
        return;
    }
    if (body->edge_labels && label)
        body->edge_labels[body->edge_count] = *label;
    body->edges[2 * body->edge_count] = a;
    body->edges[2 * body->edge_count++ + 1] = b;
}

static void *array_of(size_t count, size_t size, snag_status *status)
{
    void *array = count ? malloc(count * size) : NULL;
    if (count && !array)
        *status = SNAG_ERROR_MEMORY;
    return array;
}

static snag_status allocate_edges(snag_io_body *body, bool labelled)
{
    snag_status status = SNAG_OK;
    body->edges = array_of(body->edge_count, 2 * sizeof(uint32_t), &status);
    body->points = array_of(body->point_count, sizeof(uint32_t), &status);
    body->edge_labels = labelled ? array_of(body->edge_count, sizeof(uint32_t), &status) : NULL;
    body->point_labels = labelled ? array_of(body->point_count, sizeof(uint32_t), &status) : NULL;
    return status;
}

snag_status snag__body_set_edges(snag_io_body *body, const uint32_t *edges, const uint32_t *labels, size_t count)
{
    for (size_t e = 0; e < count; e++)
        count_edge(edges + 2 * e, body);
    snag_status status = allocate_edges(body, labels != NULL);
    body->edge_count = body->point_count = 0;
    for (size_t e = 0; e < count && status == SNAG_OK; e++)
        put_edge(edges + 2 * e, NULL, labels ? labels + e : NULL, body);
    return status;
}

static snag_status make_one_body(snag__builder *builder, const snag__source *source, size_t range, snag_io_mesh *mesh)
{
    uint32_t *tet_numbers = NULL;
    if (number_all_tets(builder, &tet_numbers) != SNAG_OK)
        return SNAG_ERROR_MEMORY;
    char *name = name_of_range(builder, source, range);
    snag_io_body thin = {0};
    snag_status status = snag__body_set_edges(&thin, builder->edges, builder->edge_groups, builder->edge_count);
    mesh->bodies = name && status == SNAG_OK ? calloc(1, sizeof *mesh->bodies) : NULL;
    if (!mesh->bodies) {
        free(tet_numbers);
        free(name);
        free(thin.edges);
        free(thin.points);
        free(thin.edge_labels);
        free(thin.point_labels);
        return SNAG_ERROR_MEMORY;
    }
    mesh->body_count = 1;
    *mesh->bodies = (snag_io_body){
        .name = name,
        .instance_length = range > 0 ? builder->objects[range - 1].instance_length : 0,
        .vertex_count = builder->vertex_count,
        .positions = shrunk(builder->positions, builder->vertex_count, 3 * sizeof(double)),
        .polygon_count = builder->polygon_count,
        .polygon_sizes = shrunk(builder->sizes, builder->polygon_count, sizeof(uint32_t)),
        .polygon_vertices = shrunk(builder->corners, builder->corner_count, sizeof(uint32_t)),
        .tet_count = builder->tet_count,
        .polygon_numbers = builder->polygon_numbers,
        .tets = shrunk(builder->tets, builder->tet_count, 4 * sizeof(uint32_t)),
        .tet_numbers = tet_numbers,
        .vertex_labels = builder->vertex_labels,
        .edge_count = thin.edge_count,
        .edges = thin.edges,
        .point_count = thin.point_count,
        .points = thin.points,
        .edge_labels = thin.edge_labels,
        .point_labels = thin.point_labels,
        .labels = builder->tet_count ? builder->tet_groups : builder->polygon_groups,
    };
    *(builder->tet_count ? &builder->tet_groups : &builder->polygon_groups) = NULL;
    builder->positions = NULL;
    builder->sizes = builder->corners = builder->tets = NULL;
    builder->polygon_numbers = builder->vertex_labels = NULL;
    drop_plain_numbers(&mesh->bodies->polygon_numbers, mesh->bodies->polygon_count);
    drop_plain_numbers(&mesh->bodies->tet_numbers, mesh->bodies->tet_count);
    return SNAG_OK;
}

// ---- section of each vertex ----

static uint32_t root_of(uint32_t *parent, uint32_t section)
{
    while (parent[section] != section) {
        parent[section] = parent[parent[section]];
        section = parent[section];
    }
    return section;
}

// The earlier section stays the root: the body takes its name.
static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static void use_vertex(splitting *split, uint32_t vertex, uint32_t section)
{
    uint32_t *owner = &split->owner[vertex];
    if (*owner == NONE)
        *owner = section;
    else if (*owner != section)
        join(split->parent, *owner, section);
}

static void join_sections(splitting *split)
{
    const snag__builder *builder = split->builder;
    const uint32_t *corner = builder->corners;
    size_t p = 0, k = 0;
    for (uint32_t range = 0; range <= builder->object_count; range++) {
        uint32_t volume = range * split->kinds, faces = volume + split->kinds - 1;
        for (size_t end = end_of_range(builder, range, POLYGONS); p < end; p++)
            for (uint32_t i = 0, size = builder->sizes ? builder->sizes[p] : 3; i < size; i++)
                use_vertex(split, *corner++, faces);
        for (size_t end = end_of_range(builder, range, TETS); k < end; k++)
            for (size_t i = 0; i < 4; i++)
                use_vertex(split, builder->tets[4 * k + i], volume);
    }
}

// Whether a rod would make one body of a surface and a volume.
static bool joins_face_and_cell(splitting *split, const uint32_t *edge)
{
    uint32_t a = split->owner[edge[0]], b = split->owner[edge[1]];
    if (a == NONE || b == NONE)
        return false;
    return (split->has[root_of(split->parent, a)] | split->has[root_of(split->parent, b)]) == (FACES | CELLS);
}

// After all faces and cells.
static void join_rods(splitting *split, snag__builder *builder)
{
    size_t kept = 0, e = 0;
    for (uint32_t range = 0; range <= builder->object_count; range++) {
        uint32_t section = range * split->kinds;
        size_t end = end_of_range(builder, range, EDGES);
        if (split->kinds == 2 && !has_any(builder, range, TETS) && has_any(builder, range, POLYGONS))
            section++;
        for (; e < end; e++) {
            const uint32_t *edge = builder->edges + 2 * e;
            if (joins_face_and_cell(split, edge)) {
                snag__builder_skip(builder, 1, true);
                continue;
            }
            for (int i = 0; i < 2; i++)
                if (split->owner[edge[i]] == NONE)
                    split->owner[edge[i]] = split->owner[edge[1 - i]] != NONE ? split->owner[edge[1 - i]] : section;
            uint32_t a = root_of(split->parent, split->owner[edge[0]]), b = root_of(split->parent, split->owner[edge[1]]);
            uint8_t both = split->has[a] | split->has[b];
            join(split->parent, a, b);
            split->has[root_of(split->parent, a)] = both;
            if (builder->edge_groups)
                builder->edge_groups[kept] = builder->edge_groups[e];
            memmove(builder->edges + 2 * kept++, edge, 2 * sizeof *edge);
        }
    }
    builder->edge_count = kept;
}

// What each root section has, once they are joined.
static void note_kinds(splitting *split)
{
    const snag__builder *builder = split->builder;
    for (size_t i = 0; i < builder->corner_count; i++)
        split->has[root_of(split->parent, split->owner[builder->corners[i]])] |= FACES;
    for (size_t i = 0; i < 4 * builder->tet_count; i++)
        split->has[root_of(split->parent, split->owner[builder->tets[i]])] |= CELLS;
}

// The section that gets the unused vertices of a range.
static uint32_t section_of_rest(const splitting *split, uint32_t range)
{
    const snag__builder *builder = split->builder;
    // If there are no elements before the first object, it also gets the unused vertices there.
    if (range == 0 && !has_any(builder, 0, POLYGONS) && !has_any(builder, 0, TETS) && !has_any(builder, 0, EDGES) &&
        builder->object_count)
        range = 1;
    bool only_faces = !has_any(builder, range, TETS) && has_any(builder, range, POLYGONS);
    return range * split->kinds + (only_faces ? split->kinds - 1 : 0);
}

static void place_unused_vertices(splitting *split)
{
    const snag__builder *builder = split->builder;
    size_t v = 0;
    for (uint32_t range = 0; range <= builder->object_count; range++)
        for (size_t end = end_of_range(builder, range, VERTICES); v < end; v++)
            if (split->owner[v] == NONE)
                split->owner[v] = section_of_rest(split, range);
}

// Numbers the bodies by their first section, and changes owners from sections to bodies.
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

// Counts per body; `corner_counts` counts the polygon_vertices.
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
    for (size_t k = 0; k < builder->tet_count; k++)
        mesh->bodies[split->owner[builder->tets[4 * k]]].tet_count++;
    for (size_t e = 0; e < builder->edge_count; e++)
        count_edge(builder->edges + 2 * e, &mesh->bodies[split->owner[builder->edges[2 * e]]]);
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
        body->tets = array_of(body->tet_count, 4 * sizeof(uint32_t), &status);
        body->tet_numbers = array_of(body->tet_count, sizeof(uint32_t), &status);
        if (split->builder->vertex_labels)
            body->vertex_labels = array_of(body->vertex_count, sizeof(uint32_t), &status);
        if (status == SNAG_OK)
            status = allocate_edges(body, split->builder->edge_groups != NULL);
        if (split->builder->polygon_groups)
            body->labels = array_of(body->tet_count ? body->tet_count : body->polygon_count, sizeof(uint32_t), &status);
    }
    return status;
}

// Drops numbers that carry no information, and polygon sizes if all are triangles.
static void drop_what_goes_without_saying(snag_io_body *body)
{
    drop_plain_numbers(&body->vertex_numbers, body->vertex_count);
    drop_plain_numbers(&body->polygon_numbers, body->polygon_count);
    drop_plain_numbers(&body->tet_numbers, body->tet_count);
    size_t p = 0;
    while (body->polygon_sizes && p < body->polygon_count && body->polygon_sizes[p] == 3)
        p++;
    if (p == body->polygon_count) {
        free(body->polygon_sizes);
        body->polygon_sizes = NULL;
    }
}

static void fill_vertices(const splitting *split, snag_io_mesh *mesh)
{
    const snag__builder *builder = split->builder;
    for (size_t v = 0; v < builder->vertex_count; v++) {
        snag_io_body *body = &mesh->bodies[split->owner[v]];
        uint32_t local = split->local[v];
        memcpy(body->positions + 3 * (size_t)local, builder->positions + 3 * v, 3 * sizeof(double));
        body->vertex_numbers[local] = number_of_vertex(builder, v);
        if (body->vertex_labels && builder->vertex_labels)
            body->vertex_labels[local] = builder->vertex_labels[v];
    }
}

static void fill_polygons(const splitting *split, snag_io_mesh *mesh, size_t *corner_counts)
{
    const snag__builder *builder = split->builder;
    const uint32_t *corner = builder->corners;
    for (size_t p = 0; p < builder->polygon_count; p++) {
        uint32_t size = builder->sizes ? builder->sizes[p] : 3;
        uint32_t b = split->owner[*corner];
        snag_io_body *body = &mesh->bodies[b];
        for (uint32_t i = 0; i < size; i++)
            body->polygon_vertices[corner_counts[b]++] = split->local[*corner++];
        if (body->polygon_sizes)
            body->polygon_sizes[body->polygon_count] = size;
        if (body->labels && !body->tets)
            body->labels[body->polygon_count] = builder->polygon_groups[p];
        body->polygon_numbers[body->polygon_count++] = number_of_polygon(builder, p);
    }
}

static void fill_tets(const splitting *split, snag_io_mesh *mesh)
{
    const snag__builder *builder = split->builder;
    for (size_t k = 0; k < builder->tet_count; k++) {
        const uint32_t *tet = builder->tets + 4 * k;
        snag_io_body *body = &mesh->bodies[split->owner[tet[0]]];
        for (size_t i = 0; i < 4; i++)
            body->tets[4 * body->tet_count + i] = split->local[tet[i]];
        if (body->labels)
            body->labels[body->tet_count] = builder->tet_groups[k];
        body->tet_numbers[body->tet_count++] = number_of_tet(builder, k);
    }
}

// Copies every element to its body in file order; recounts the elements of each body on the way.
static void fill_bodies(const splitting *split, snag_io_mesh *mesh, size_t *corner_counts)
{
    const snag__builder *builder = split->builder;
    for (size_t b = 0; b < mesh->body_count; b++) {
        snag_io_body *body = &mesh->bodies[b];
        body->polygon_count = body->tet_count = body->edge_count = body->point_count = corner_counts[b] = 0;
    }
    for (size_t e = 0; e < builder->edge_count; e++)
        put_edge(builder->edges + 2 * e, split->local, builder->edge_groups ? builder->edge_groups + e : NULL,
                 &mesh->bodies[split->owner[builder->edges[2 * e]]]);
    fill_vertices(split, mesh);
    fill_polygons(split, mesh, corner_counts);
    fill_tets(split, mesh);
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
                char *name = name_of_section(split, source, section);
                mesh->bodies[split->body[section]].name = name;
                size_t range = section / split->kinds;
                mesh->bodies[split->body[section]].instance_length =
                    range > 0 ? split->builder->objects[range - 1].instance_length : 0;
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
    splitting split = {.builder = builder, .kinds = builder->tet_count && builder->polygon_count ? 2 : 1};
    if (builder->object_count >= NONE / 2 - 1)
        return SNAG_ERROR_SIZE;
    split.section_count = (builder->object_count + 1) * split.kinds;
    split.parent = malloc(split.section_count * sizeof(uint32_t));
    split.body = malloc(split.section_count * sizeof(uint32_t));
    split.owner = malloc(builder->vertex_count * sizeof(uint32_t));
    split.local = malloc(builder->vertex_count * sizeof(uint32_t));
    split.has = calloc(split.section_count, 1);
    snag_status status = SNAG_ERROR_MEMORY;
    if (split.parent && split.body && split.owner && split.local && split.has) {
        for (uint32_t section = 0; section < split.section_count; section++)
            split.parent[section] = section;
        memset(split.owner, 0xff, builder->vertex_count * sizeof(uint32_t));
        join_sections(&split);
        if (builder->edge_count > 0) {
            note_kinds(&split);
            join_rods(&split, builder);
        }
        place_unused_vertices(&split);
        number_bodies(&split);
        if (split.body_count == 1) {
            size_t section = 0;
            while (split.body[section] == NONE)
                section++;
            status = make_one_body(builder, source, section / split.kinds, mesh);
        } else {
            status = make_bodies(&split, source, mesh);
        }
    }
    free(split.parent);
    free(split.body);
    free(split.owner);
    free(split.local);
    free(split.has);
    return status;
}

// If cells were cut: the tetrahedra after the last cut cell are cells of their own.
static snag_status number_last_tets(snag__builder *builder)
{
    if (!builder->tet_cells)
        return SNAG_OK;
    snag_status status = snag__builder_reserve_tet_cells(builder);
    while (status == SNAG_OK && builder->numbered_tets < builder->tet_count)
        builder->tet_cells[builder->numbered_tets++] = (uint32_t)builder->cell_count++;
    return status;
}

snag_status snag__make_bodies(snag__builder *builder, const snag__source *source, snag_io_mesh *mesh)
{
    mesh->vertex_count = builder->file_vertices ? builder->file_vertices : builder->vertex_count;
    mesh->face_count = builder->polygon_count;
    mesh->tet_count = builder->tet_count;
    mesh->metres = builder->metres;
    mesh->curved = builder->curved;
    mesh->curved_cut = builder->curved_cut;
    mesh->labelled = builder->vertex_labels != NULL;
    bool mixed = builder->tet_count && builder->polygon_count;
    bool only_named =
        builder->object_count == 1 && !has_any(builder, 0, POLYGONS) && !has_any(builder, 0, TETS) && !has_any(builder, 0, EDGES);
    snag_status status = number_last_tets(builder);
    if (status != SNAG_OK)
        return snag__builder_fail(source, status);
    if (!mixed && (builder->object_count == 0 || only_named))
        status = make_one_body(builder, source, only_named ? 1 : 0, mesh);
    else
        status = split_objects(builder, source, mesh);
    mesh->skipped = builder->skipped;
    mesh->left_out = builder->left_out;
    // Only the tables of runs need the names from here on, and nobody reads these any more.
    if (builder->polygon_groups || builder->tet_groups || builder->edge_groups) {
        mesh->label_names = builder->groups;
        mesh->label_count = builder->group_count;
        builder->groups = NULL;
        builder->group_count = 0;
    }
    for (size_t b = 0; status == SNAG_OK && b < mesh->body_count; b++) {
        mesh->edge_count += mesh->bodies[b].edge_count;
        mesh->point_count += mesh->bodies[b].point_count;
    }
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(source, status);
}
