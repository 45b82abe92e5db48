// 3MF: expands the build. Each mesh shown by an item, directly or through components, becomes an object, placed by the
// transforms along the path. Coordinates stay in the unit of the file. Vertices and triangles are numbered within their
// mesh, and meshes in the order of the build.
#include "threemf.h"

#include <stdlib.h>
#include <string.h>

// A longer path from the build to a mesh is an error; assemblies have a handful of levels.
enum { MOST_LEVELS = 100 };

// An object whose components are being expanded.
typedef struct level {
    snag__3mf_object *object;
    const char *name;  // its own name, or that of the nearest enclosing object with a name
    snag__3mf_transform transform;
    size_t next;  // of its components
} level;

typedef struct layout {
    snag__3mf *package;
    snag__builder *builder;
    level levels[MOST_LEVELS];
    size_t depth;
} layout;

static snag_status fail(const snag__3mf *package, snag_status status, const char *words, uint64_t id)
{
    return snag__io_fail(package->source->error, status, "%s: object %llu %s", snag__path_shown(package->source->name),
                         (unsigned long long)id, words);
}

// Applies `inner` first, then `outer`.
static snag__3mf_transform product(const snag__3mf_transform *inner, const snag__3mf_transform *outer)
{
    snag__3mf_transform made;
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 3; column++) {
            const double *r = inner->m + 3 * (size_t)row, *m = outer->m + column;
            made.m[3 * row + column] = r[0] * m[0] + r[1] * m[3] + r[2] * m[6] + (row == 3 ? m[9] : 0);
        }
    return made;
}

static bool is_identity(const snag__3mf_transform *t)
{
    static const double identity[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 12; i++)
        if (t->m[i] != identity[i])
            return false;
    return true;
}

static snag__3mf_object *find_object(const snag__3mf *package, const snag__3mf_use *use)
{
    const snag__3mf_part *part = &package->parts[use->part];
    size_t low = part->first_object, high = low + part->object_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (package->objects[middle].id < use->id)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < part->first_object + part->object_count && package->objects[low].id == use->id;
    return found ? &package->objects[low] : NULL;
}

static snag_status add_mesh(const layout *l, const snag__3mf_object *object, const char *name, const snag__3mf_transform *t)
{
    snag__builder *builder = l->builder;
    size_t first = builder->vertex_count;
    bool moved = !is_identity(t);  // else keep the numbers exactly, including the sign of zero
    snag_status status = snag__builder_object(builder, name ? name : "", name ? strlen(name) : 0);
    for (size_t v = 0; v < object->vertex_count && status == SNAG_OK; v++) {
        const double *p = l->package->positions + 3 * (object->first_vertex + v);
        double q[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3 && moved; k++)
            q[k] = p[0] * t->m[k] + p[1] * t->m[3 + k] + p[2] * t->m[6 + k] + t->m[9 + k];
        status = snag__builder_vertex(builder, q[0], q[1], q[2]);
    }
    for (size_t i = 0; i < object->triangle_count && status == SNAG_OK; i++) {
        const uint32_t *corner = l->package->triangles + 3 * (object->first_triangle + i);
        const uint32_t vertices[3] = {(uint32_t)(first + corner[0]), (uint32_t)(first + corner[1]), (uint32_t)(first + corner[2])};
        status = snag__builder_polygon(builder, vertices, 3);
    }
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(l->package->source, status);
}

// Shows an object: adds its mesh now, pushes its components as a new level.
static snag_status show(layout *l, const snag__3mf_use *use, const char *name, const snag__3mf_transform *around)
{
    snag__3mf *package = l->package;
    snag__3mf_object *object = find_object(package, use);
    snag__3mf_transform transform = around ? product(&use->transform, around) : use->transform;
    if (!object)
        return fail(package, SNAG_ERROR_INDEX, "is used by a component or a build item, but does not exist", use->id);
    if (object->entered)
        return fail(package, SNAG_ERROR_FORMAT, "contains itself as a component", use->id);
    if (!object->has_mesh && !object->has_components)
        return fail(package, SNAG_ERROR_UNSUPPORTED,
                    "has neither a mesh nor components; shapes defined by 3MF extensions are not supported", use->id);
    // Never released: objects that each show the next one twice would grow exponentially.
    snag_status status = snag__claim_bytes(package->source, sizeof(level));
    if (object->name)
        name = object->name;
    if (status == SNAG_OK && object->has_mesh)
        status = add_mesh(l, object, name, &transform);
    if (status != SNAG_OK || object->use_count == 0)
        return status;
    if (l->depth == MOST_LEVELS)
        return fail(package, SNAG_ERROR_SIZE, "is nested more than a hundred components deep", use->id);
    object->entered = true;
    l->levels[l->depth++] = (level){object, name, transform, 0};
    return SNAG_OK;
}

static snag_status show_item(layout *l, const snag__3mf_use *item)
{
    snag_status status = show(l, item, NULL, NULL);
    while (l->depth > 0 && status == SNAG_OK) {
        level *inner = &l->levels[l->depth - 1];
        if (inner->next < inner->object->use_count) {
            const snag__3mf_use *use = &l->package->uses[inner->object->first_use + inner->next++];
            status = show(l, use, inner->name, &inner->transform);
        } else {
            inner->object->entered = false;
            l->depth--;
        }
    }
    return status;
}

snag_status snag__read_3mf(const snag__source *source, snag__builder *builder)
{
    snag__3mf package;
    layout l = {.package = &package, .builder = builder};
    snag_status status = snag__3mf_open(source, &package);
    if (status == SNAG_OK && package.item_count == 0)
        status = snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: its <build> has no items", snag__path_shown(source->name));
    for (size_t i = 0; i < package.item_count && status == SNAG_OK; i++)
        status = show_item(&l, &package.items[i]);
    snag__builder_skip(builder, package.beams, true);  // struts have a volume
    builder->metres = package.metres;
    snag__3mf_close(&package);
    return status;
}
