// Dividing a body into regions: see regions.h.
#include "bound/regions.h"

#include "base/assert.h"
#include "mesh/proximity.h"

#include <math.h>
#include <string.h>

static const uint32_t NO_LEAF = UINT32_MAX;  // of a triangle that was removed

// ---- memory ----

void snag__regions_free(const snag_allocator *allocator, snag__regions *regions)
{
    snag__buffers_free(allocator, regions->memory, SNAG__REGIONS_BUFFERS);
    *regions = (snag__regions){0};
}

// Regions while they are built.
typedef struct builder {
    snag__regions *regions;
    const snag__mesh *mesh;
    const snag_allocator *allocator;
    uint32_t *other;  // scratch, by vertex
    uint32_t *vertex_leaf;  // by vertex: the number of its leaf
    uint32_t *element_leaf[SNAG__REGION_KINDS];  // the same by edge and triangle
} builder;

static uint32_t kind_count(const snag__mesh *mesh, int kind, uint32_t vertex_count)
{
    return kind == SNAG_VERTEX ? vertex_count : kind == SNAG_EDGE ? mesh->edge_count : mesh->triangle_count;
}

static bool reserve_scratch(builder *b, snag__buffer *scratch)
{
    const snag__mesh *mesh = b->mesh;
    const snag__room rooms[] = {
        {NULL, &b->other, mesh->vertex_count + 1u, sizeof(uint32_t)},
        {NULL, &b->vertex_leaf, mesh->vertex_count, sizeof(uint32_t)},
        {NULL, &b->element_leaf[SNAG_EDGE], mesh->edge_count, sizeof(uint32_t)},
        {NULL, &b->element_leaf[SNAG_TRIANGLE], mesh->triangle_count, sizeof(uint32_t)},
    };
    return snag__rooms_carve(b->allocator, scratch, rooms, sizeof rooms / sizeof *rooms);
}

// Reserves one array. False without memory.
static bool reserve(const builder *b, int buffer, void *pointer, size_t count, size_t size)
{
    return snag__rooms_reserve(b->allocator, &(snag__room){&b->regions->memory[buffer], pointer, count + 1, size}, 1);
}

// ---- dividing ----

static const double *point_at(const builder *b, uint32_t place)
{
    return b->mesh->x_t1[b->regions->elements[SNAG_VERTEX][place]];
}

// The mesh vertex nearest to the mean of the region's vertices, the lowest-numbered of several. Divides before it adds, so that no
// sum overflows; where squares do, any vertex will do.
static uint32_t middle_of(const builder *b, snag__run vertices)
{
    double mean[3] = {0}, best = INFINITY;
    uint32_t middle = UINT32_MAX;
    for (uint32_t i = 0; i < vertices.count; i++)
        for (int axis = 0; axis < 3; axis++)
            mean[axis] += point_at(b, vertices.first + i)[axis] / vertices.count;
    for (uint32_t i = 0; i < vertices.count; i++) {
        const double *x = point_at(b, vertices.first + i);
        uint32_t v = b->regions->elements[SNAG_VERTEX][vertices.first + i];
        double squared = 0;
        for (int axis = 0; axis < 3; axis++)
            squared += (x[axis] - mean[axis]) * (x[axis] - mean[axis]);
        if (squared < best || (squared == best && v < middle) || middle == UINT32_MAX) {
            best = squared;
            middle = v;
        }
    }
    return middle;
}

// The centre of the box of the vertices, infinite along an axis without extent. False if there is no extent at all.
static bool cut_of(const builder *b, snag__run vertices, double cut[3])
{
    bool extended = false;
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < vertices.count; i++) {
            double x = point_at(b, vertices.first + i)[axis];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        cut[axis] = lo / 2 + hi / 2;
        if (!(cut[axis] > lo))
            cut[axis] = hi;
        if (!(lo < hi))
            cut[axis] = INFINITY;
        extended |= lo < hi;
    }
    return extended;
}

static uint32_t part_of(const double x[3], const double cut[3])
{
    return (uint32_t)(x[0] >= cut[0]) | (uint32_t)(x[1] >= cut[1]) << 1 | (uint32_t)(x[2] >= cut[2]) << 2;
}

// Appends a region for a run of vertices.
static bool add_region(builder *b, snag__run vertices, uint32_t level)
{
    snag__regions *regions = b->regions;
    const snag__room room = {&regions->memory[SNAG__REGIONS_REGIONS], &regions->regions, regions->region_count + 1u,
                             sizeof *regions->regions};
    if (!snag__rooms_grow(b->allocator, &room, 1, regions->region_count))
        return false;
    regions->regions[regions->region_count++] = (snag__region){
        .middle = middle_of(b, vertices),
        .level = level,
        .elements = {[SNAG_VERTEX] = vertices},
    };
    return true;
}

// Divides a region into octants; leaves out empty ones.
static bool divide(builder *b, uint32_t region)
{
    snag__regions *regions = b->regions;
    const snag__run vertices = regions->regions[region].elements[SNAG_VERTEX];
    const uint32_t level = regions->regions[region].level;
    double cut[3];
    if (vertices.count <= SNAG__REGION_VERTICES || level + 1 >= SNAG__REGION_LEVELS || !cut_of(b, vertices, cut))
        return true;
    uint32_t *places = regions->elements[SNAG_VERTEX] + vertices.first, start[SNAG__REGION_PARTS + 1] = {0};
    for (uint32_t i = 0; i < vertices.count; i++)
        start[part_of(b->mesh->x_t1[places[i]], cut) + 1]++;
    for (int part = 0; part < SNAG__REGION_PARTS; part++)
        start[part + 1] += start[part];
    uint32_t next[SNAG__REGION_PARTS];
    memcpy(next, start, sizeof next);
    for (uint32_t i = 0; i < vertices.count; i++)
        b->other[next[part_of(b->mesh->x_t1[places[i]], cut)]++] = places[i];
    memcpy(places, b->other, vertices.count * sizeof *places);

    snag__run parts = {regions->region_count, 0};
    for (int part = 0; part < SNAG__REGION_PARTS; part++) {
        uint32_t count = start[part + 1] - start[part];
        if (count > 0 && !add_region(b, (snag__run){vertices.first + start[part], count}, level + 1))
            return false;
        parts.count += count > 0;
    }
    regions->regions[region].parts = parts;
    return true;
}

static bool divide_all(builder *b)
{
    snag__regions *regions = b->regions;
    const snag__mesh *mesh = b->mesh;
    uint32_t *vertices, count = 0;
    if (!reserve(b, SNAG__REGIONS_VERTICES, &vertices, mesh->vertex_count, sizeof *vertices))
        return false;
    regions->elements[SNAG_VERTEX] = regions->corners[SNAG_VERTEX] = vertices;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (snag__proximity_has_vertex(mesh, v) || (regions->inside && mesh->vertex_used[v]))
            vertices[count++] = v;
    if (count == 0)
        return true;
    if (!add_region(b, (snag__run){0, count}, 0))
        return false;
    for (uint32_t i = 0; i < regions->region_count; i++) {
        if (regions->regions[i].level == regions->levels)
            regions->level_first[regions->levels++] = i;
        if (!divide(b, i))
            return false;
    }
    regions->level_first[regions->levels] = regions->region_count;
    return true;
}

// ---- elements of leaves ----

static bool list_leaves(builder *b)
{
    snag__regions *regions = b->regions;
    if (!reserve(b, SNAG__REGIONS_LEAVES, &regions->leaves, regions->region_count, sizeof *regions->leaves))
        return false;
    for (uint32_t i = 0; i < regions->region_count; i++) {
        const snag__run vertices = regions->regions[i].elements[SNAG_VERTEX];
        if (!snag__region_is_leaf(&regions->regions[i]))
            continue;
        for (uint32_t k = 0; k < vertices.count; k++)
            b->vertex_leaf[regions->elements[SNAG_VERTEX][vertices.first + k]] = regions->leaf_count;
        regions->leaves[regions->leaf_count++] = i;
    }
    return true;
}

// A triangle goes to the leaf of most of its corners; an edge to the leaf of both its ends, or else to that of one of its triangles.
// So the corners of a leaf's elements reach little beyond its own vertices.
static void choose_leaves(const builder *b)
{
    const snag__mesh *mesh = b->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles[t];
        if (snag__is_hole(v, 3)) {  // its vertex may be in no leaf
            b->element_leaf[SNAG_TRIANGLE][t] = NO_LEAF;
            continue;
        }
        const uint32_t leaf[3] = {b->vertex_leaf[v[0]], b->vertex_leaf[v[1]], b->vertex_leaf[v[2]]};
        b->element_leaf[SNAG_TRIANGLE][t] = leaf[1] == leaf[2] ? leaf[1] : leaf[0];
    }
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const uint32_t leaf[2] = {b->vertex_leaf[mesh->edges[e][0]], b->vertex_leaf[mesh->edges[e][1]]};
        uint32_t triangle = mesh->edge_triangles.items[mesh->edge_triangles.start[e]];
        b->element_leaf[SNAG_EDGE][e] = leaf[0] == leaf[1] ? leaf[0] : b->element_leaf[SNAG_TRIANGLE][triangle];
    }
}

static const uint32_t *corners_of(const snag__mesh *mesh, int kind, uint32_t element)
{
    return kind == SNAG_EDGE ? mesh->edges[element] : mesh->triangles[element];
}

// Sorts the edges or the triangles by their leaves.
static void sort_elements(builder *b, int kind)
{
    snag__regions *regions = b->regions;
    const uint32_t count = kind_count(b->mesh, kind, 0), *leaf = b->element_leaf[kind], corners = (uint32_t)kind + 1;
    uint32_t *elements = regions->elements[kind], *vertices = regions->corners[kind], first = 0;
    for (uint32_t i = 0; i < count; i++)
        if (leaf[i] != NO_LEAF)
            regions->regions[regions->leaves[leaf[i]]].elements[kind].count++;
    for (uint32_t i = 0; i < regions->leaf_count; i++) {
        snag__run *run = &regions->regions[regions->leaves[i]].elements[kind];
        run->first = first;
        first += run->count;
        run->count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (leaf[i] == NO_LEAF)
            continue;
        snag__run *run = &regions->regions[regions->leaves[leaf[i]]].elements[kind];
        uint32_t place = run->first + run->count++;
        elements[place] = i;
        memcpy(vertices + (size_t)corners * place, corners_of(b->mesh, kind, i), corners * sizeof *vertices);
    }
}

static bool reserve_elements(builder *b)
{
    snag__regions *regions = b->regions;
    const size_t edges = b->mesh->edge_count, triangles = b->mesh->triangle_count;
    const snag__room rooms[] = {
        {NULL, &regions->elements[SNAG_EDGE], edges, sizeof(uint32_t)},
        {NULL, &regions->corners[SNAG_EDGE], 2 * edges, sizeof(uint32_t)},
        {NULL, &regions->elements[SNAG_TRIANGLE], triangles, sizeof(uint32_t)},
        {NULL, &regions->corners[SNAG_TRIANGLE], 3 * triangles, sizeof(uint32_t)},
        {NULL, &regions->cover, b->mesh->vertex_count + 3 * triangles + 1, sizeof(uint32_t)},
    };
    return snag__rooms_carve(b->allocator, &regions->memory[SNAG__REGIONS_ELEMENTS], rooms, sizeof rooms / sizeof *rooms);
}

// The corners of each leaf's elements, each once. The marks overwrite the numbers of the leaves, which are no longer needed.
static void cover_leaves(builder *b)
{
    snag__regions *regions = b->regions;
    uint32_t *mark = b->vertex_leaf, count = 0;
    memset(mark, 0xff, b->mesh->vertex_count * sizeof *mark);
    for (uint32_t i = 0; i < regions->leaf_count; i++) {
        snag__region *leaf = &regions->regions[regions->leaves[i]];
        leaf->cover.first = count;
        for (int kind = 0; kind < SNAG__REGION_KINDS; kind++) {
            size_t corners = (size_t)kind + 1, first = corners * leaf->elements[kind].first;
            for (size_t k = first; k < first + corners * leaf->elements[kind].count; k++) {
                uint32_t v = regions->corners[kind][k];
                if (mark[v] != i)
                    regions->cover[count++] = v;
                mark[v] = i;
            }
        }
        leaf->cover.count = count - leaf->cover.first;
    }
}

// ---- bounds ----

// Wide loads may start at any item.
static size_t padded(size_t count)
{
    return snag__box_padded(count) + SNAG__BOX_PAD;
}

static bool make_bounds(builder *b)
{
    snag__regions *regions = b->regions;
    snag__region_bounds *bounds = &regions->bounds;
    const size_t length = padded(regions->region_count), count = regions->region_count;
    const snag__room rooms[] = {
        {NULL, &bounds->middle[0], length, sizeof(float)},
        {NULL, &bounds->middle[1], length, sizeof(float)},
        {NULL, &bounds->middle[2], length, sizeof(float)},
        {NULL, &bounds->lo[0], length, sizeof(float)},
        {NULL, &bounds->lo[1], length, sizeof(float)},
        {NULL, &bounds->lo[2], length, sizeof(float)},
        {NULL, &bounds->hi[0], length, sizeof(float)},
        {NULL, &bounds->hi[1], length, sizeof(float)},
        {NULL, &bounds->hi[2], length, sizeof(float)},
        {NULL, &bounds->radius, length, sizeof(float)},
        {NULL, &regions->leaf_heights, length, sizeof(float)},
        {NULL, &regions->bounded, count, sizeof(uint64_t)},
        {NULL, &regions->boxed, count, sizeof(uint64_t)},
        {NULL, &regions->heights_stamp, count, sizeof(uint64_t)},
        {NULL, &regions->leaf_heights_stamp, count, sizeof(uint64_t)},
    };
    snag__buffer *memory = &regions->memory[SNAG__REGIONS_BOUNDS];
    if (!snag__rooms_carve(b->allocator, memory, rooms, sizeof rooms / sizeof *rooms))
        return false;
    memset(memory->data, 0, memory->bytes);
    uint64_t *const stamps[] = {regions->bounded, regions->boxed, regions->heights_stamp, regions->leaf_heights_stamp};
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++)
        memset(stamps[i], 0xff, count * sizeof **stamps);
    return true;
}

// Boxes and heights of elements, which are measured where they are needed.
static bool make_boxes(builder *b)
{
    enum { ARRAYS = 7, ROOMS = ARRAYS * SNAG__REGION_KINDS };
    snag__regions *regions = b->regions;
    snag__room rooms[ROOMS];
    for (int kind = 0; kind < SNAG__REGION_KINDS; kind++) {
        snag__kdops *boxes = &regions->boxes[kind];
        *boxes = (snag__kdops){.count = kind_count(b->mesh, kind, b->mesh->vertex_count), .k = 6};
        float **arrays[ARRAYS] = {&boxes->lo[0], &boxes->hi[0], &boxes->lo[1],          &boxes->hi[1],
                                  &boxes->lo[2], &boxes->hi[2], &regions->heights[kind]};
        for (int i = 0; i < ARRAYS; i++)
            rooms[ARRAYS * kind + i] = (snag__room){NULL, arrays[i], padded(boxes->count), sizeof(float)};
    }
    return snag__rooms_carve(b->allocator, &regions->memory[SNAG__REGIONS_BOXES], rooms, ROOMS);
}

bool snag__regions_build(snag__regions *regions, const snag__mesh *mesh, bool inside, const snag_allocator *allocator,
                         snag__buffer *scratch)
{
    snag__regions fresh = {.inside = inside};
    memcpy(fresh.memory, regions->memory, sizeof fresh.memory);
    *regions = fresh;
    builder b = {.regions = regions, .mesh = mesh, .allocator = allocator};
    if (!reserve_scratch(&b, scratch) || !divide_all(&b) || !list_leaves(&b) || !reserve_elements(&b) || !make_bounds(&b) ||
        !make_boxes(&b)) {
        snag__regions_free(allocator, regions);
        return false;
    }
    choose_leaves(&b);
    sort_elements(&b, SNAG_EDGE);
    sort_elements(&b, SNAG_TRIANGLE);
    cover_leaves(&b);
    SNAG__VALIDATE(snag__regions_validate(regions, mesh));
    return true;
}
