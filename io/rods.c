// Lines and points of a file: which of them are rods and points of their own.
//
// Programs write lines for two reasons: as bodies (yarns, wires, beams), and to mark borders and features of surfaces, as Gmsh does with
// physical curves and corners. The latter would only repeat what the surface says, so a line that is a side of a face, or an edge of a
// tetrahedron, is dropped, and so is a point at a vertex that any other element uses. What is left stands for itself.
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

// Open addressing, by the two vertices of a line.
typedef struct line_table {
    const uint32_t *edges;
    uint32_t *slots;  // the number of a line, or NONE
    size_t mask;
    uint8_t *drop;  // by line
} line_table;

static size_t slot_of(const line_table *t, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t hash = (((uint64_t)low << 32) | high) * 0x9e3779b97f4a7c15u;
    for (size_t at = (size_t)(hash >> 32) & t->mask;; at = (at + 1) & t->mask) {
        uint32_t line = t->slots[at];
        if (line == NONE)
            return at;
        const uint32_t *v = t->edges + 2 * (size_t)line;
        if ((v[0] == low && v[1] == high) || (v[0] == high && v[1] == low))
            return at;
    }
}

static void drop_side(const line_table *t, uint32_t a, uint32_t b)
{
    uint32_t line = t->slots[slot_of(t, a, b)];
    if (line != NONE)
        t->drop[line] = 1;
}

static void drop_sides(const snag__builder *builder, const line_table *t)
{
    static const uint8_t tet_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const uint32_t *corner = builder->corners;
    for (size_t p = 0; p < builder->polygon_count; p++) {
        uint32_t size = builder->sizes ? builder->sizes[p] : 3;
        for (uint32_t i = 0; i < size; i++)
            drop_side(t, corner[i], corner[(i + 1) % size]);
        corner += size;
    }
    for (size_t k = 0; k < builder->tet_count; k++)
        for (int e = 0; e < 6; e++)
            drop_side(t, builder->tets[4 * k + tet_edges[e][0]], builder->tets[4 * k + tet_edges[e][1]]);
}

// Points at vertices of other elements, and those that are listed twice. `used` is by vertex.
static void drop_points(const snag__builder *builder, const line_table *t, uint8_t *used)
{
    for (size_t i = 0; i < builder->corner_count; i++)
        used[builder->corners[i]] = 1;
    for (size_t i = 0; i < 4 * builder->tet_count; i++)
        used[builder->tets[i]] = 1;
    for (size_t e = 0; e < builder->edge_count; e++) {
        const uint32_t *v = builder->edges + 2 * e;
        if (v[0] != v[1] && !t->drop[e])
            used[v[0]] = used[v[1]] = 1;
    }
    for (size_t e = 0; e < builder->edge_count; e++) {
        const uint32_t *v = builder->edges + 2 * e;
        if (v[0] != v[1])
            continue;
        t->drop[e] = used[v[0]];
        used[v[0]] = 1;
    }
}

// Objects and groups start where their first line that is kept now stands.
static void keep_lines(snag__builder *builder, const uint8_t *drop)
{
    size_t kept = 0, object = 0, run = 0;
    for (size_t e = 0; e <= builder->edge_count; e++) {
        for (; object < builder->object_count && builder->objects[object].first_edge <= e; object++)
            builder->objects[object].first_edge = kept;
        for (; run < builder->group_run_count && builder->group_runs[run].first_edge <= e; run++)
            builder->group_runs[run].first_edge = kept;
        if (e == builder->edge_count || drop[e])
            continue;
        memmove(builder->edges + 2 * kept++, builder->edges + 2 * e, 2 * sizeof *builder->edges);
    }
    snag__builder_skip(builder, builder->edge_count - kept, false);
    builder->edge_count = kept;
}

snag_status snag__builder_keep_rods(snag__builder *builder)
{
    size_t slots = 64;
    while (slots < 2 * builder->edge_count)
        slots *= 2;
    line_table t = {builder->edges, malloc(slots * sizeof *t.slots), slots - 1, calloc(builder->edge_count + 1, 1)};
    uint8_t *used = calloc(builder->vertex_count + 1, 1);
    bool room = t.slots && t.drop && used;
    if (room) {
        memset(t.slots, 0xff, slots * sizeof *t.slots);
        for (size_t e = 0; e < builder->edge_count; e++) {
            const uint32_t *v = builder->edges + 2 * e;
            if (v[0] == v[1])
                continue;
            size_t at = slot_of(&t, v[0], v[1]);
            t.drop[e] = t.slots[at] != NONE;
            if (t.slots[at] == NONE)
                t.slots[at] = (uint32_t)e;
        }
        drop_sides(builder, &t);
        drop_points(builder, &t, used);
        keep_lines(builder, t.drop);
    }
    free(t.slots);
    free(t.drop);
    free(used);
    return room ? SNAG_OK : SNAG_ERROR_MEMORY;
}
