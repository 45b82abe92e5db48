// Cells of second order, cut at their mid-nodes.
//
// A face with mid-nodes becomes triangles that depend on the nodes of the face alone, so that two cells agree on the face between them,
// and a shell agrees with the solid under it:
//   - with a node at its centre: a fan around that node;
//   - else every corner between two mid-nodes is cut off, and the rest is a fan around its lowest mid-node (lowest corner, if it has none).
// A solid without face centres loses the corners whose edges all have mid-nodes: what is left of a tetrahedron is an octahedron, of a
// hexahedron a cuboctahedron. The remaining polyhedron is a cone over its triangles. Its apex is the node at the centre of the cell, or else
// the lowest node that sees no triangle of its own planes edge-on: where mid-nodes are missing there may be no such node, and the one with the
// fewest is taken.
#include "curved.h"

#include <stdlib.h>
#include <string.h>

#define NONE SNAG__NO_NODE

enum { MOST_FACES = 6, MOST_RING = 8, MOST_TRIANGLES = 96, MOST_PLANES = MOST_FACES + SNAG__MOST_CORNERS };

// ---- order of the nodes ----

// For each order of the formats: which node of the file is node i of our order, which is VTK's: corners, mid-nodes of the edges below,
// centres of faces, centre of the cell. Kinds that are not listed are in our order.
typedef struct node_table {
    uint8_t order, kind;
    uint8_t from[SNAG__MOST_NODES];
} node_table;

static const node_table tables[] = {
    {SNAG__ORDER_GMSH, SNAG__CELL_TET, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
    {SNAG__ORDER_GMSH, SNAG__CELL_PYRAMID, {0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12, 13, 14, 15, 16, 17, 18}},
    {SNAG__ORDER_GMSH, SNAG__CELL_WEDGE, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11, 15, 17, 16}},
    {SNAG__ORDER_GMSH, SNAG__CELL_HEXAHEDRON, {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                               19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26}},
    {SNAG__ORDER_EXODUS, SNAG__CELL_WEDGE, {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11, 15, 16, 17}},
    {SNAG__ORDER_EXODUS, SNAG__CELL_HEXAHEDRON, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 16, 17,
                                                 18, 19, 12, 13, 14, 15, 23, 24, 25, 26, 21, 22, 20}},
    {SNAG__ORDER_ABAQUS, SNAG__CELL_HEXAHEDRON, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                                 14, 15, 16, 17, 18, 19, 26, 24, 23, 25, 21, 22, 20}},
    {SNAG__ORDER_MED, SNAG__CELL_HEXAHEDRON, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                              14, 15, 16, 17, 18, 19, 24, 22, 21, 23, 20, 25, 26}},
    // Before VTK 9.0, Lagrange hexahedra had their last two edges the other way around.
    {SNAG__ORDER_VTK_8, SNAG__CELL_HEXAHEDRON, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                                14, 15, 16, 17, 19, 18, 20, 21, 22, 23, 24, 25, 26}},
};

static const uint8_t edges_of_triangle[][2] = {{0, 1}, {1, 2}, {2, 0}};
static const uint8_t edges_of_quad[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const uint8_t edges_of_tet[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const uint8_t edges_of_pyramid[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
static const uint8_t edges_of_wedge[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
static const uint8_t edges_of_hexahedron[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                                 {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

typedef struct curved_kind {
    const uint8_t (*edges)[2];
    uint8_t edge_count;
    uint8_t centres[MOST_FACES];  // node at the centre of each face, in the order of snag__cell_faces; 0: none
    uint8_t middle;  // node at the centre of the cell, or of a face of its own; 0: none
    uint8_t counts[4];  // numbers of nodes that are of second order
} curved_kind;

static const curved_kind kinds[SNAG__CELL_COUNT] = {
    [SNAG__CELL_TRIANGLE] = {edges_of_triangle, 3, {0}, 6, {6, 7}},
    [SNAG__CELL_QUAD] = {edges_of_quad, 4, {0}, 8, {8, 9}},
    [SNAG__CELL_TET] = {edges_of_tet, 6, {0}, 0, {10}},
    [SNAG__CELL_PYRAMID] = {edges_of_pyramid, 8, {13, 14, 15, 16, 17}, 18, {13, 14, 19}},
    [SNAG__CELL_WEDGE] = {edges_of_wedge, 9, {0, 0, 15, 16, 17}, 0, {12, 15, 18}},
    [SNAG__CELL_HEXAHEDRON] = {edges_of_hexahedron, 12, {24, 25, 22, 21, 23, 20}, 26, {20, 21, 24, 27}},
};

static bool has_mid_nodes(snag__cell kind, size_t count)
{
    if (kind == SNAG__CELL_LINE)
        return count == 3;
    for (size_t i = 0; i < 4; i++)
        if (kinds[kind].counts[i] && kinds[kind].counts[i] == count)
            return true;
    return false;
}

static void sort_nodes(snag__cell kind, snag__node_order order, const uint32_t *nodes, size_t count,
                       uint32_t sorted[SNAG__MOST_NODES])
{
    const node_table *table = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].order == order && tables[i].kind == kind)
            table = &tables[i];
    for (size_t i = 0; i < SNAG__MOST_NODES; i++) {
        size_t from = table ? table->from[i] : i;
        sorted[i] = from < count && (i == 0 || from > 0) ? nodes[from] : NONE;
    }
}

// Squared distances of the mid-nodes from the middles of their edges, and of face centres from the middles of their corners.
static double misfit(const snag__builder *builder, snag__cell kind, const uint32_t nodes[SNAG__MOST_NODES])
{
    const curved_kind *k = &kinds[kind];
    const uint8_t *face = NULL;
    size_t corners = snag__cell_corners(kind), faces = snag__cell_faces(kind, &face);
    double sum = 0;
    for (size_t e = 0; e < k->edge_count; e++)
        for (size_t x = 0; x < 3 && nodes[corners + e] != NONE; x++) {
            const double *p = builder->positions;
            double d = p[3 * (size_t)nodes[corners + e] + x] -
                       (p[3 * (size_t)nodes[k->edges[e][0]] + x] + p[3 * (size_t)nodes[k->edges[e][1]] + x]) / 2;
            sum += d * d;
        }
    for (size_t f = 0; f < faces; face += 1 + *face, f++)
        for (size_t x = 0; x < 3 && k->centres[f] && nodes[k->centres[f]] != NONE; x++) {
            double d = builder->positions[3 * (size_t)nodes[k->centres[f]] + x];
            for (size_t i = 1; i <= *face; i++)
                d -= builder->positions[3 * (size_t)nodes[face[i]] + x] / *face;
            sum += d * d;
        }
    return sum;
}

// Writers disagree with the descriptions of formats. The order whose mid-nodes lie nearest to their edges, if it fits much better than the
// expected one. Mid-nodes in a wrong order are half an edge away; a curve as strong as a quarter of a circle moves them by a fifth.
static snag__node_order fitting_order(const snag__builder *builder, snag__cell kind, snag__node_order expected,
                                      const uint32_t *nodes, size_t count)
{
    uint32_t sorted[SNAG__MOST_NODES];
    sort_nodes(kind, expected, nodes, count, sorted);
    snag__node_order best = expected;
    double least = misfit(builder, kind, sorted) / 4;
    for (snag__node_order order = SNAG__ORDER_VTK; order < SNAG__ORDER_UNKNOWN && least > 0; order++) {
        sort_nodes(kind, order, nodes, count, sorted);
        double here = misfit(builder, kind, sorted);
        if (here < least) {
            best = order;
            least = here;
        }
    }
    return best;
}

// ---- faces ----

typedef struct triangle {
    uint32_t v[3];
    uint8_t plane;
} triangle;

// A face: corners and mid-nodes in turn, counterclockwise seen from outside; `is_mid` says which is which.
typedef struct ring {
    uint32_t *nodes;
    bool *is_mid;
    size_t count, corners;
    uint32_t centre;  // NONE: it has none
} ring;

static bool is_ear(const ring *r, size_t i)
{
    return !r->is_mid[i] && r->is_mid[(i + r->count - 1) % r->count] && r->is_mid[(i + 1) % r->count];
}

static void put_triangle(triangle *list, size_t *count, uint32_t a, uint32_t b, uint32_t c, uint8_t plane)
{
    if (a != b && b != c && c != a)
        list[(*count)++] = (triangle){{a, b, c}, plane};
}

static void put_fan(triangle *list, size_t *count, const uint32_t *nodes, size_t size, size_t first, uint8_t plane)
{
    for (size_t i = 1; i + 1 < size; i++)
        put_triangle(list, count, nodes[first], nodes[(first + i) % size], nodes[(first + i + 1) % size], plane);
}

// The triangles of a face; `rest` has room for the ring. `is_gone` says which corners a solid has lost already: they get no triangle.
static void cut_face(const ring *r, const bool *is_gone, uint32_t *rest, triangle *list, size_t *count, uint8_t plane)
{
    if (r->centre != NONE) {
        for (size_t i = 0; i < r->count; i++)
            put_triangle(list, count, r->centre, r->nodes[i], r->nodes[(i + 1) % r->count], plane);
        return;
    }
    size_t left = 0, first = 0;
    bool mid = false;
    for (size_t i = 0; i < r->count; i++) {
        if (is_ear(r, i)) {
            if (!is_gone || !is_gone[i])
                put_triangle(list, count, r->nodes[(i + r->count - 1) % r->count], r->nodes[i], r->nodes[(i + 1) % r->count],
                             plane);
            continue;
        }
        rest[left] = r->nodes[i];
        if (left == 0 || r->is_mid[i] > mid || (r->is_mid[i] == mid && rest[left] < rest[first])) {
            first = left;
            mid = r->is_mid[i];
        }
        left++;
    }
    put_fan(list, count, rest, left, first, plane);
}

// Appends a corner and the mid-node after it, unless the edge to the next corner has collapsed.
static void put_edge(ring *r, uint32_t corner, uint32_t next, uint32_t mid)
{
    if (corner == next)
        return;
    r->nodes[r->count] = corner;
    r->is_mid[r->count++] = false;
    r->corners++;
    if (mid == NONE || mid == corner || mid == next)
        return;
    r->nodes[r->count] = mid;
    r->is_mid[r->count++] = true;
}

static snag_status add_polygons(snag__builder *builder, const triangle *list, size_t count)
{
    snag_status status = snag__builder_begin_face(builder);
    for (size_t i = 0; i < count && status == SNAG_OK; i++)
        status = snag__builder_polygon(builder, list[i].v, 3);
    return status == SNAG_OK ? snag__builder_end_face(builder) : status;
}

snag_status snag__curved_polygon(snag__builder *builder, const uint32_t *corners, const uint32_t *mids, size_t count,
                                 uint32_t centre)
{
    uint32_t *nodes = malloc(4 * count * sizeof *nodes);
    bool *is_mid = malloc(2 * count * sizeof *is_mid);
    triangle *list = malloc(2 * count * sizeof *list);
    snag_status status = nodes && is_mid && list ? SNAG_OK : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK) {
        ring r = {.nodes = nodes, .is_mid = is_mid, .centre = centre};
        size_t triangles = 0;
        for (size_t i = 0; i < count; i++)
            put_edge(&r, corners[i], corners[(i + 1) % count], mids[i]);
        if (r.corners >= 3)
            cut_face(&r, NULL, nodes + 2 * count, list, &triangles, 0);
        builder->curved_cut += triangles > 0;
        // A face that collapses to a line is reported as degenerate, like any other.
        status = triangles ? add_polygons(builder, list, triangles) : snag__builder_polygon(builder, corners, count);
    }
    free(nodes);
    free(is_mid);
    free(list);
    return status;
}

// ---- solids ----

typedef struct solid {
    uint32_t nodes[SNAG__MOST_NODES];
    struct {
        uint32_t nodes[MOST_RING];
        bool is_mid[MOST_RING], is_gone[MOST_RING];
    } store[MOST_FACES];
    ring faces[MOST_FACES];
    size_t face_count;
    bool has_centres;
    triangle triangles[MOST_TRIANGLES];
    size_t triangle_count;
} solid;

static uint32_t mid_between(const solid *s, snag__cell kind, uint8_t a, uint8_t b)
{
    const curved_kind *k = &kinds[kind];
    for (size_t e = 0; e < k->edge_count; e++)
        if ((k->edges[e][0] == a && k->edges[e][1] == b) || (k->edges[e][0] == b && k->edges[e][1] == a))
            return s->nodes[snag__cell_corners(kind) + e];
    return NONE;
}

static void make_faces(solid *s, snag__cell kind)
{
    const uint8_t *face;
    size_t count = snag__cell_faces(kind, &face);
    for (size_t f = 0; f < count; f++, face += 1 + *face) {
        ring *r = &s->faces[s->face_count];
        uint8_t centre = kinds[kind].centres[f];
        *r = (ring){.nodes = s->store[s->face_count].nodes,
                    .is_mid = s->store[s->face_count].is_mid,
                    .centre = centre ? s->nodes[centre] : NONE};
        for (uint8_t i = 0; i < *face; i++) {
            uint8_t a = face[1 + i], b = face[1 + (i + 1) % *face];
            put_edge(r, s->nodes[a], s->nodes[b], mid_between(s, kind, a, b));
        }
        for (size_t i = 0; i < r->count; i++)
            r->centre = r->nodes[i] == r->centre ? NONE : r->centre;
        if (r->corners < 3)
            continue;
        s->has_centres = s->has_centres || r->centre != NONE;
        s->face_count++;
    }
}

// Where a node stands in a ring; `count` of the ring: not in it, or twice.
static size_t place_in(const ring *r, uint32_t node)
{
    size_t place = r->count;
    for (size_t i = 0; i < r->count; i++)
        if (r->nodes[i] == node) {
            if (place < r->count)
                return r->count;
            place = i;
        }
    return place;
}

// The mid-nodes around a corner, in order; 0: it is not a corner between mid-nodes on all its faces.
static size_t nodes_around(const solid *s, uint32_t corner, uint32_t around[MOST_FACES])
{
    uint32_t before[MOST_FACES], after[MOST_FACES];
    size_t count = 0;
    for (size_t f = 0; f < s->face_count; f++) {
        const ring *r = &s->faces[f];
        bool found = false;
        for (size_t i = 0; i < r->count; i++)
            found = found || r->nodes[i] == corner;
        size_t at = place_in(r, corner);
        if (!found)
            continue;
        if (at == r->count || !is_ear(r, at))
            return 0;
        before[count] = r->nodes[(at + r->count - 1) % r->count];
        after[count++] = r->nodes[(at + 1) % r->count];
    }
    uint32_t wanted = count ? before[0] : NONE;
    for (size_t step = 0; step < count; step++) {
        size_t f = 0;
        while (f < count && before[f] != wanted)
            f++;
        for (size_t i = 0; i < step; i++)
            if (f == count || around[i] == wanted)
                return 0;
        if (f == count)
            return 0;
        around[step] = wanted;
        wanted = after[f];
    }
    return count >= 3 && wanted == around[0] ? count : 0;
}

static size_t lowest_place(const uint32_t *nodes, size_t count)
{
    size_t lowest = 0;
    for (size_t i = 1; i < count; i++)
        lowest = nodes[i] < nodes[lowest] ? i : lowest;
    return lowest;
}

// Cuts a corner off; what is left gets a face in its place.
static snag_status cut_corner(snag__builder *builder, solid *s, uint32_t corner, uint8_t plane)
{
    uint32_t around[MOST_FACES], outward[MOST_FACES];
    size_t count = nodes_around(s, corner, around);
    if (count == 0)
        return SNAG_OK;
    snag_status status = SNAG_OK;
    size_t lowest = lowest_place(around, count);
    for (size_t i = 1; i + 1 < count && status == SNAG_OK; i++)
        status = snag__builder_tet(
            builder, (const uint32_t[4]){around[lowest], around[(lowest + i) % count], corner, around[(lowest + i + 1) % count]});
    for (size_t i = 0; i < count; i++)
        outward[i] = around[count - 1 - i];
    put_fan(s->triangles, &s->triangle_count, outward, count, count - 1 - lowest, plane);
    for (size_t f = 0; f < s->face_count; f++) {
        size_t at = place_in(&s->faces[f], corner);
        if (at < s->faces[f].count)
            s->store[f].is_gone[at] = true;
    }
    return status;
}

static bool has(const triangle *t, uint32_t node)
{
    return t->v[0] == node || t->v[1] == node || t->v[2] == node;
}

// How many triangles lie in a plane of the node without having it as a corner: tetrahedra over these are flat.
static size_t edge_on(const solid *s, uint32_t node)
{
    bool own[MOST_PLANES] = {false};
    size_t count = 0;
    for (size_t i = 0; i < s->triangle_count; i++)
        own[s->triangles[i].plane] = own[s->triangles[i].plane] || has(&s->triangles[i], node);
    for (size_t i = 0; i < s->triangle_count; i++)
        count += own[s->triangles[i].plane] && !has(&s->triangles[i], node);
    return count;
}

static uint32_t find_apex(const solid *s, snag__cell kind)
{
    uint8_t middle = kinds[kind].middle;
    if (middle && s->nodes[middle] != NONE && edge_on(s, s->nodes[middle]) == 0)
        return s->nodes[middle];
    uint32_t best = NONE;
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < 3 * s->triangle_count; i++) {
        uint32_t node = s->triangles[i / 3].v[i % 3];
        if (fewest == 0 && node >= best)
            continue;
        size_t here = edge_on(s, node);
        if (here < fewest || (here == fewest && node < best)) {
            best = node;
            fewest = here;
        }
    }
    return best;
}

static snag_status add_solid(snag__builder *builder, snag__cell kind, const uint32_t nodes[SNAG__MOST_NODES])
{
    solid s = {.face_count = 0};
    memcpy(s.nodes, nodes, sizeof s.nodes);
    make_faces(&s, kind);
    size_t first = builder->tet_count;
    snag_status status = snag__builder_begin_cell(builder, &first);
    for (uint8_t c = 0; c < snag__cell_corners(kind) && !s.has_centres && status == SNAG_OK; c++) {
        bool again = false;
        for (uint8_t i = 0; i < c; i++)
            again = again || nodes[i] == nodes[c];
        if (!again)
            status = cut_corner(builder, &s, nodes[c], (uint8_t)(MOST_FACES + c));
    }
    uint32_t rest[MOST_RING];
    for (size_t f = 0; f < s.face_count; f++)
        cut_face(&s.faces[f], s.store[f].is_gone, rest, s.triangles, &s.triangle_count, (uint8_t)f);
    uint32_t apex = find_apex(&s, kind);
    for (size_t i = 0; i < s.triangle_count && status == SNAG_OK; i++)
        if (!has(&s.triangles[i], apex))
            status = snag__builder_tet(builder,
                                       (const uint32_t[4]){apex, s.triangles[i].v[0], s.triangles[i].v[1], s.triangles[i].v[2]});
    builder->curved_cut++;
    return status == SNAG_OK ? snag__builder_end_cell(builder, first) : status;
}

snag_status snag__curved_cell(snag__builder *builder, snag__cell kind, snag__node_order order, const uint32_t *nodes, size_t count,
                              bool *done)
{
    size_t corners = snag__cell_corners(kind);
    uint32_t sorted[SNAG__MOST_NODES];
    *done = false;
    if (order == SNAG__ORDER_UNKNOWN || !has_mid_nodes(kind, count))
        return SNAG_OK;
    // Wedges with mid-nodes at their ends alone have one order in all formats.
    if (kind == SNAG__CELL_WEDGE && count == 12)
        order = SNAG__ORDER_VTK;
    else if (snag__cell_faces(kind, &(const uint8_t *){NULL}) > 0)
        order = fitting_order(builder, kind, order, nodes, count);
    sort_nodes(kind, order, nodes, count, sorted);
    bool any = false;
    for (size_t i = corners; i < SNAG__MOST_NODES; i++)
        any = any || sorted[i] != NONE;
    if (!any)
        return SNAG_OK;
    *done = true;
    if (kind == SNAG__CELL_LINE) {
        builder->curved_cut++;
        return snag__builder_polyline(builder, (const uint32_t[3]){sorted[0], sorted[2], sorted[1]}, 3);
    }
    if (kind == SNAG__CELL_TRIANGLE || kind == SNAG__CELL_QUAD)
        return snag__curved_polygon(builder, sorted, sorted + corners, corners, sorted[kinds[kind].middle]);
    return add_solid(builder, kind, sorted);
}
