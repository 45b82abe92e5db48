// Dividing a body into regions: see regions.h.
#include "bound/regions.h"

#include "mesh/proximity.h"

#include <math.h>
#include <string.h>

enum { MEMORY = sizeof((snag__regions){0}.memory) / sizeof(snag__buffer) };

// ---- memory ----

void snag__regions_free(const snag_allocator *allocator, snag__regions *regions)
{
    for (int i = 0; i < MEMORY; i++)
        snag__buffer_free(allocator, &regions->memory[i]);
    *regions = (snag__regions){0};
}

// What building needs for a while.
typedef struct workshop {
    snag__regions *regions;
    const snag__mesh *mesh;
    const snag_allocator *allocator;
    uint32_t *other;  // room for as many vertices
    uint32_t *vertex_leaf;  // by vertex: its leaf, counted from 0
    uint32_t *element_leaf[SNAG__REGION_KINDS];  // likewise by element; of vertices by place
} workshop;

static uint32_t kind_count(const snag__mesh *mesh, int kind, uint32_t vertex_count)
{
    return kind == SNAG_VERTEX ? vertex_count : kind == SNAG_EDGE ? mesh->edge_count : mesh->triangle_count;
}

static bool open_workshop(workshop *shop, snag__buffer *scratch)
{
    const snag__mesh *mesh = shop->mesh;
    size_t words = 2 * (size_t)mesh->vertex_count + mesh->edge_count + mesh->triangle_count + 1;
    if (!snag__buffer_reserve(shop->allocator, scratch, 0, words, sizeof(uint32_t)))
        return false;
    shop->other = scratch->data;
    shop->vertex_leaf = shop->other + mesh->vertex_count;
    shop->element_leaf[SNAG_EDGE] = shop->vertex_leaf + mesh->vertex_count;
    shop->element_leaf[SNAG_TRIANGLE] = shop->element_leaf[SNAG_EDGE] + mesh->edge_count;
    return true;
}

// Memory number `which` for `count` items; NULL if there is none.
static void *take(const workshop *shop, int which, size_t count, size_t size)
{
    snag__buffer *buffer = &shop->regions->memory[which];
    return snag__buffer_reserve(shop->allocator, buffer, 0, count + 1, size) ? buffer->data : NULL;
}

// ---- dividing ----

static const double *point_at(const workshop *shop, uint32_t place)
{
    return shop->mesh->x_t1[shop->regions->elements[SNAG_VERTEX][place]];
}

// The mesh vertex nearest to the mean of the region's vertices, the lowest of several. Halves and parts, so that no sum
// overflows; where squares do, any vertex is as good.
static uint32_t middle_of(const workshop *shop, snag__run vertices)
{
    double mean[3] = {0}, best = INFINITY;
    uint32_t middle = UINT32_MAX;
    for (uint32_t i = 0; i < vertices.count; i++)
        for (int axis = 0; axis < 3; axis++)
            mean[axis] += point_at(shop, vertices.first + i)[axis] / vertices.count;
    for (uint32_t i = 0; i < vertices.count; i++) {
        const double *x = point_at(shop, vertices.first + i);
        uint32_t v = shop->regions->elements[SNAG_VERTEX][vertices.first + i];
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

// Where the box of the vertices is cut; along an axis without extent nothing lies above the cut. False if there is no
// extent at all.
static bool cut_of(const workshop *shop, snag__run vertices, double cut[3])
{
    bool extended = false;
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < vertices.count; i++) {
            double x = point_at(shop, vertices.first + i)[axis];
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
static bool add_region(workshop *shop, snag__run vertices, uint32_t level)
{
    snag__regions *regions = shop->regions;
    if (!snag__buffer_reserve(shop->allocator, &regions->memory[0], regions->region_count, regions->region_count + 1u,
                              sizeof *regions->regions))
        return false;
    regions->regions = regions->memory[0].data;
    regions->regions[regions->region_count++] = (snag__region){
        .middle = middle_of(shop, vertices),
        .level = level,
        .elements = {[SNAG_VERTEX] = vertices},
    };
    return true;
}

// Divides a region in eight, of which those without vertices are left out.
static bool divide(workshop *shop, uint32_t region)
{
    snag__regions *regions = shop->regions;
    const snag__run vertices = regions->regions[region].elements[SNAG_VERTEX];
    const uint32_t level = regions->regions[region].level;
    double cut[3];
    if (vertices.count <= SNAG__REGION_VERTICES || level + 1 >= SNAG__REGION_LEVELS || !cut_of(shop, vertices, cut))
        return true;
    uint32_t *places = regions->elements[SNAG_VERTEX] + vertices.first, start[SNAG__REGION_PARTS + 1] = {0};
    for (uint32_t i = 0; i < vertices.count; i++)
        start[part_of(shop->mesh->x_t1[places[i]], cut) + 1]++;
    for (int part = 0; part < SNAG__REGION_PARTS; part++)
        start[part + 1] += start[part];
    uint32_t next[SNAG__REGION_PARTS];
    memcpy(next, start, sizeof next);
    for (uint32_t i = 0; i < vertices.count; i++)
        shop->other[next[part_of(shop->mesh->x_t1[places[i]], cut)]++] = places[i];
    memcpy(places, shop->other, vertices.count * sizeof *places);

    snag__run parts = {regions->region_count, 0};
    for (int part = 0; part < SNAG__REGION_PARTS; part++) {
        uint32_t count = start[part + 1] - start[part];
        if (count > 0 && !add_region(shop, (snag__run){vertices.first + start[part], count}, level + 1))
            return false;
        parts.count += count > 0;
    }
    regions->regions[region].parts = parts;
    return true;
}

static bool divide_all(workshop *shop)
{
    snag__regions *regions = shop->regions;
    const snag__mesh *mesh = shop->mesh;
    uint32_t *vertices = take(shop, 1, mesh->vertex_count, sizeof *vertices), count = 0;
    if (vertices == NULL)
        return false;
    regions->elements[SNAG_VERTEX] = regions->corners[SNAG_VERTEX] = vertices;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (snag__proximity_has_vertex(mesh, v) || (regions->inside && mesh->vertex_used[v]))
            vertices[count++] = v;
    if (count == 0)
        return true;
    if (!add_region(shop, (snag__run){0, count}, 0))
        return false;
    for (uint32_t i = 0; i < regions->region_count; i++) {
        if (regions->regions[i].level == regions->levels)
            regions->level_first[regions->levels++] = i;
        if (!divide(shop, i))
            return false;
    }
    regions->level_first[regions->levels] = regions->region_count;
    return true;
}

// ---- elements of leaves ----

static bool list_leaves(workshop *shop)
{
    snag__regions *regions = shop->regions;
    regions->leaves = take(shop, 2, regions->region_count, sizeof *regions->leaves);
    if (regions->leaves == NULL)
        return false;
    for (uint32_t i = 0; i < regions->region_count; i++) {
        const snag__run vertices = regions->regions[i].elements[SNAG_VERTEX];
        if (!snag__region_is_leaf(&regions->regions[i]))
            continue;
        for (uint32_t k = 0; k < vertices.count; k++)
            shop->vertex_leaf[regions->elements[SNAG_VERTEX][vertices.first + k]] = regions->leaf_count;
        regions->leaves[regions->leaf_count++] = i;
    }
    return true;
}

// A triangle goes where most of its corners are, an edge where both ends are or else to one of its triangles: the corners
// of a leaf's elements then reach little beyond its own vertices.
static void choose_leaves(const workshop *shop)
{
    const snag__mesh *mesh = shop->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles[t];
        uint32_t a = shop->vertex_leaf[v[0]], b = shop->vertex_leaf[v[1]], c = shop->vertex_leaf[v[2]];
        shop->element_leaf[SNAG_TRIANGLE][t] = b == c ? b : a;
    }
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        uint32_t a = shop->vertex_leaf[mesh->edges[e][0]], b = shop->vertex_leaf[mesh->edges[e][1]];
        uint32_t triangle = mesh->edge_triangles.items[mesh->edge_triangles.start[e]];
        shop->element_leaf[SNAG_EDGE][e] = a == b ? a : shop->element_leaf[SNAG_TRIANGLE][triangle];
    }
}

static const uint32_t *corners_of(const snag__mesh *mesh, int kind, uint32_t element)
{
    return kind == SNAG_EDGE ? mesh->edges[element] : mesh->triangles[element];
}

// Sorts the edges or the triangles by their leaves.
static bool sort_elements(workshop *shop, int kind, int memory)
{
    snag__regions *regions = shop->regions;
    const uint32_t count = kind_count(shop->mesh, kind, 0), *leaf = shop->element_leaf[kind], corners = (uint32_t)kind + 1;
    uint32_t *elements = take(shop, memory, count, sizeof *elements);
    uint32_t *vertices = take(shop, memory + 1, (size_t)corners * count, sizeof *vertices), first = 0;
    if (elements == NULL || vertices == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        regions->regions[regions->leaves[leaf[i]]].elements[kind].count++;
    for (uint32_t i = 0; i < regions->leaf_count; i++) {
        snag__run *run = &regions->regions[regions->leaves[i]].elements[kind];
        run->first = first;
        first += run->count;
        run->count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        snag__run *run = &regions->regions[regions->leaves[leaf[i]]].elements[kind];
        uint32_t place = run->first + run->count++;
        elements[place] = i;
        memcpy(vertices + (size_t)corners * place, corners_of(shop->mesh, kind, i), corners * sizeof *vertices);
    }
    regions->elements[kind] = elements;
    regions->corners[kind] = vertices;
    return true;
}

// The corners of each leaf's elements, each once. The marks take the place of the leaves' numbers.
static bool cover_leaves(workshop *shop)
{
    snag__regions *regions = shop->regions;
    uint32_t *mark = shop->vertex_leaf, count = 0;
    const size_t most = (size_t)shop->mesh->vertex_count + 3 * (size_t)shop->mesh->triangle_count;
    regions->cover = take(shop, 7, most, sizeof *regions->cover);
    if (regions->cover == NULL)
        return false;
    memset(mark, 0xff, shop->mesh->vertex_count * sizeof *mark);
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
    return true;
}

// ---- bounds ----

// Wide loads of any run of regions stay inside.
static size_t padded(size_t count)
{
    return snag__box_padded(count) + SNAG__BOX_PAD;
}

static bool make_bounds(workshop *shop)
{
    snag__regions *regions = shop->regions;
    enum { ARRAYS = 11, STAMPS = 4 };
    const size_t length = padded(regions->region_count), count = regions->region_count;
    float *floats = take(shop, 8, ARRAYS * length, sizeof *floats);
    uint64_t *stamps = take(shop, 9, STAMPS * count, sizeof *stamps);
    if (floats == NULL || stamps == NULL)
        return false;
    memset(floats, 0, ARRAYS * length * sizeof *floats);
    memset(stamps, 0xff, STAMPS * count * sizeof *stamps);
    for (size_t axis = 0; axis < 3; axis++) {
        regions->bounds.middle[axis] = floats + axis * length;
        regions->bounds.lo[axis] = floats + (3 + axis) * length;
        regions->bounds.hi[axis] = floats + (6 + axis) * length;
    }
    regions->bounds.radius = floats + 9 * length;
    regions->leaf_heights = floats + 10 * length;
    regions->bounded = stamps;
    regions->boxed = stamps + count;
    regions->heights_stamp = stamps + 2 * count;
    regions->leaf_heights_stamp = stamps + 3 * count;
    return true;
}

// Boxes and heights of elements, which are measured where they are needed.
static bool make_boxes(workshop *shop)
{
    enum { ARRAYS = 7 };
    snag__regions *regions = shop->regions;
    size_t room = 0;
    for (int kind = 0; kind < SNAG__REGION_KINDS; kind++)
        room += ARRAYS * padded(kind_count(shop->mesh, kind, shop->mesh->vertex_count));
    float *floats = take(shop, 10, room, sizeof *floats);
    if (floats == NULL)
        return false;
    for (int kind = 0; kind < SNAG__REGION_KINDS; kind++) {
        uint32_t count = kind_count(shop->mesh, kind, shop->mesh->vertex_count);
        const size_t length = padded(count);
        regions->boxes[kind] = (snag__kdops){.count = count, .k = 6};
        for (int axis = 0; axis < 3; axis++) {
            regions->boxes[kind].lo[axis] = floats + 2 * (size_t)axis * length;
            regions->boxes[kind].hi[axis] = floats + (2 * (size_t)axis + 1) * length;
        }
        regions->heights[kind] = floats + 6 * length;
        floats += ARRAYS * length;
    }
    return true;
}

bool snag__regions_build(snag__regions *regions, const snag__mesh *mesh, bool inside, const snag_allocator *allocator,
                         snag__buffer *scratch)
{
    snag__regions fresh = {.inside = inside};
    memcpy(fresh.memory, regions->memory, sizeof fresh.memory);
    *regions = fresh;
    workshop shop = {.regions = regions, .mesh = mesh, .allocator = allocator};
    if (!open_workshop(&shop, scratch) || !divide_all(&shop) || !list_leaves(&shop)) {
        snag__regions_free(allocator, regions);
        return false;
    }
    choose_leaves(&shop);
    if (!sort_elements(&shop, SNAG_EDGE, 3) || !sort_elements(&shop, SNAG_TRIANGLE, 5) || !cover_leaves(&shop) ||
        !make_bounds(&shop) || !make_boxes(&shop)) {
        snag__regions_free(allocator, regions);
        return false;
    }
    return true;
}
