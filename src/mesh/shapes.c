// Simple shapes. Grids are numbered row by row; closed shapes share their vertices, so nothing has to be welded.
#include "snag/shapes.h"

#include "base/trig.h"

#include <math.h>
#include <stdlib.h>

#define TAU 6.283185307179586476925286766559

// ---- sizes, memory, appending elements ----

static bool is_length(double length)
{
    return isfinite(length) && length > 0;
}

// A product that saturates, so that one check at the end finds every overflow.
static uint64_t times(uint64_t a, uint64_t b)
{
    return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static void *array_of(uint64_t count, size_t size)
{
    return count == 0 || count > SIZE_MAX / size ? NULL : malloc((size_t)count * size);
}

// Allocates room for the given numbers of elements; the counts of triangles and tetrahedra start at 0. Indices have 32 bits.
static snag_status shape_allocate(snag_shape *shape, uint64_t vertices, uint64_t triangles, uint64_t tets)
{
    if (vertices > UINT32_MAX || triangles > UINT32_MAX || tets > UINT32_MAX)
        return SNAG_ERROR_SIZE;
    snag_shape made = {.vertex_count = (size_t)vertices};
    made.positions = array_of(vertices, 3 * sizeof(double));
    made.triangles = array_of(triangles, 3 * sizeof(uint32_t));
    made.tets = array_of(tets, 4 * sizeof(uint32_t));
    if (made.positions == NULL || (triangles > 0 && made.triangles == NULL) || (tets > 0 && made.tets == NULL)) {
        snag_shape_free(&made);
        return SNAG_ERROR_MEMORY;
    }
    *shape = made;
    return SNAG_OK;
}

static void put_vertex(snag_shape *shape, size_t v, double x, double y, double z)
{
    shape->positions[3 * v] = x;
    shape->positions[3 * v + 1] = y;
    shape->positions[3 * v + 2] = z;
}

static void put_triangle(snag_shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = shape->triangles + 3 * shape->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

// The quad abcd, counter-clockwise, split from a to c, or with `flip` from b to d.
static void put_quad(snag_shape *shape, uint32_t a, uint32_t b, uint32_t c, uint32_t d, bool flip)
{
    if (flip) {
        put_triangle(shape, a, b, d);
        put_triangle(shape, b, c, d);
    } else {
        put_triangle(shape, a, b, c);
        put_triangle(shape, a, c, d);
    }
}

void snag_shape_free(snag_shape *shape)
{
    if (shape == NULL)
        return;
    free(shape->positions);
    free(shape->triangles);
    free(shape->tets);
    *shape = (snag_shape){0};
}

void snag_shape_transform(snag_shape *shape, double scale, double x, double y, double z)
{
    for (size_t v = 0; shape != NULL && v < shape->vertex_count; v++) {
        double *p = shape->positions + 3 * v;
        put_vertex(shape, v, scale * p[0] + x, scale * p[1] + y, scale * p[2] + z);
    }
}

// ---- sheet ----

snag_status snag_shape_sheet(uint32_t columns, uint32_t rows, double width, double height, snag_shape *shape)
{
    if (shape == NULL)
        return SNAG_ERROR_ARGUMENT;
    *shape = (snag_shape){0};
    if (columns == 0 || rows == 0 || !is_length(width) || !is_length(height))
        return SNAG_ERROR_ARGUMENT;
    uint64_t vertices = times((uint64_t)columns + 1, (uint64_t)rows + 1);
    uint64_t triangles = times(2, times(columns, rows));
    snag_status status = shape_allocate(shape, vertices, triangles, 0);
    if (status != SNAG_OK)
        return status;

    size_t v = 0;
    for (uint32_t j = 0; j <= rows; j++)
        for (uint32_t i = 0; i <= columns; i++)
            put_vertex(shape, v++, width * ((double)i / columns - 0.5), height * ((double)j / rows - 0.5), 0);
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t a = j * (columns + 1) + i, d = a + columns + 1;
            put_quad(shape, a, a + 1, d + 1, d, (i + j) % 2 == 1);
        }
    }
    return SNAG_OK;
}

// ---- icosphere ----

// Subdividing triangles with numbered edges needs no search: edge e gets the vertex `vertices + e` in its middle, its halves become
// edges 2e (at its first end) and 2e + 1, and triangle t adds three inner edges.
typedef struct edged_mesh {
    uint32_t (*edges)[2];
    uint32_t (*triangle_edges)[3];  // edge i runs between corners i and i + 1
    size_t edge_count;
} edged_mesh;

static void edged_mesh_free(edged_mesh *mesh)
{
    free(mesh->edges);
    free(mesh->triangle_edges);
    *mesh = (edged_mesh){0};
}

static bool edged_mesh_allocate(edged_mesh *mesh, uint64_t edges, uint64_t triangles)
{
    *mesh =
        (edged_mesh){.edges = array_of(edges, 2 * sizeof(uint32_t)), .triangle_edges = array_of(triangles, 3 * sizeof(uint32_t))};
    if (mesh->edges != NULL && mesh->triangle_edges != NULL)
        return true;
    edged_mesh_free(mesh);
    return false;
}

static const uint32_t icosahedron[20][3] = {
    {0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
    {3, 9, 4},  {3, 4, 2}, {3, 2, 6}, {3, 6, 8},  {3, 8, 9},   {4, 9, 5}, {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1},
};

static void put_on_sphere(snag_shape *shape, size_t v, double x, double y, double z, double radius)
{
    double length = sqrt(x * x + y * y + z * z);
    put_vertex(shape, v, radius * (x / length), radius * (y / length), radius * (z / length));
}

static uint32_t edge_between(edged_mesh *mesh, uint32_t a, uint32_t b)
{
    for (uint32_t e = 0; e < mesh->edge_count; e++)
        if ((mesh->edges[e][0] == a && mesh->edges[e][1] == b) || (mesh->edges[e][0] == b && mesh->edges[e][1] == a))
            return e;
    uint32_t e = (uint32_t)mesh->edge_count++;
    mesh->edges[e][0] = a, mesh->edges[e][1] = b;
    return e;
}

// Of unit radius. The arrays have room for all subdivisions.
static void icosahedron_put(snag_shape *shape, edged_mesh *mesh)
{
    const double g = 1.6180339887498948482;  // the golden ratio
    const double corners[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    for (size_t v = 0; v < 12; v++)
        put_on_sphere(shape, v, corners[v][0], corners[v][1], corners[v][2], 1);
    shape->vertex_count = 12;
    for (uint32_t t = 0; t < 20; t++) {
        const uint32_t *c = icosahedron[t];
        put_triangle(shape, c[0], c[1], c[2]);
        for (int i = 0; i < 3; i++)
            mesh->triangle_edges[t][i] = edge_between(mesh, c[i], c[(i + 1) % 3]);
    }
}

// Splits triangle t into four: the middle one replaces it, those at the corners are appended.
static void cut_triangle(snag_shape *shape, edged_mesh *mesh, uint32_t t, uint32_t triangles, uint32_t vertices, uint32_t edges)
{
    uint32_t *corners = shape->triangles + 3 * (size_t)t, *sides = mesh->triangle_edges[t];
    uint32_t corner[3] = {corners[0], corners[1], corners[2]}, side[3] = {sides[0], sides[1], sides[2]}, inner[3];
    for (int i = 0; i < 3; i++) {
        uint32_t before = side[(i + 2) % 3], after = side[i];
        inner[i] = 2 * edges + 3 * t + (uint32_t)i;
        mesh->edges[inner[i]][0] = vertices + after;
        mesh->edges[inner[i]][1] = vertices + before;
        put_triangle(shape, corner[i], vertices + after, vertices + before);
        uint32_t *new_sides = mesh->triangle_edges[triangles + 3 * t + (uint32_t)i];
        // The halves at this corner; an even half is at the edge's first end.
        new_sides[0] = 2 * after + (mesh->edges[2 * (size_t)after][0] != corner[i]);
        new_sides[1] = inner[i];
        new_sides[2] = 2 * before + (mesh->edges[2 * (size_t)before][0] != corner[i]);
    }
    for (int i = 0; i < 3; i++) {
        corners[i] = vertices + side[i];
        sides[i] = inner[(i + 1) % 3];
    }
}

static void icosphere_subdivide(snag_shape *shape, edged_mesh *mesh)
{
    uint32_t vertices = (uint32_t)shape->vertex_count, triangles = (uint32_t)shape->triangle_count;
    uint32_t edges = (uint32_t)mesh->edge_count;
    // From the last edge down, since the halves of edge e overwrite edges 2e and 2e + 1.
    for (uint32_t e = edges; e-- > 0;) {
        uint32_t a = mesh->edges[e][0], b = mesh->edges[e][1], middle = vertices + e;
        const double *p = shape->positions + 3 * (size_t)a, *q = shape->positions + 3 * (size_t)b;
        put_on_sphere(shape, middle, p[0] + q[0], p[1] + q[1], p[2] + q[2], 1);
        uint32_t(*halves)[2] = mesh->edges + 2 * (size_t)e;
        halves[0][0] = a, halves[0][1] = middle;
        halves[1][0] = middle, halves[1][1] = b;
    }
    for (uint32_t t = 0; t < triangles; t++)
        cut_triangle(shape, mesh, t, triangles, vertices, edges);
    shape->vertex_count = vertices + edges;
    mesh->edge_count = 2 * (size_t)edges + 3 * (size_t)triangles;
}

snag_status snag_shape_icosphere(uint32_t subdivisions, double radius, snag_shape *shape)
{
    if (shape == NULL)
        return SNAG_ERROR_ARGUMENT;
    *shape = (snag_shape){0};
    if (!is_length(radius))
        return SNAG_ERROR_ARGUMENT;
    uint64_t parts = subdivisions < 20 ? (uint64_t)1 << (2 * subdivisions) : UINT64_MAX;
    if (times(30, parts) > UINT32_MAX)  // edges are the most numerous
        return SNAG_ERROR_SIZE;
    snag_status status = shape_allocate(shape, 10 * parts + 2, 20 * parts, 0);
    if (status != SNAG_OK)
        return status;
    edged_mesh mesh;
    if (!edged_mesh_allocate(&mesh, 30 * parts, 20 * parts)) {
        snag_shape_free(shape);
        return SNAG_ERROR_MEMORY;
    }
    icosahedron_put(shape, &mesh);
    for (uint32_t i = 0; i < subdivisions; i++)
        icosphere_subdivide(shape, &mesh);
    edged_mesh_free(&mesh);
    snag_shape_transform(shape, radius, 0, 0, 0);
    return SNAG_OK;
}

// ---- sphere of longitudes and latitudes ----

snag_status snag_shape_sphere(uint32_t segments, uint32_t rings, double radius, snag_shape *shape)
{
    if (shape == NULL)
        return SNAG_ERROR_ARGUMENT;
    *shape = (snag_shape){0};
    if (segments < 3 || rings < 2 || !is_length(radius))
        return SNAG_ERROR_ARGUMENT;
    uint64_t between = times(segments, rings - 1);  // vertices between the poles
    snag_status status = shape_allocate(shape, between > UINT32_MAX ? between : between + 2, times(2, between), 0);
    if (status != SNAG_OK)
        return status;

    uint32_t south = (uint32_t)between, north = south + 1;
    for (uint32_t j = 0; j < rings - 1; j++) {
        double latitude = TAU / 2 * (j + 1.0) / rings - TAU / 4;
        for (uint32_t i = 0; i < segments; i++) {
            double longitude = TAU * i / segments;
            put_vertex(shape, (size_t)j * segments + i, radius * (snag__cos(latitude) * snag__cos(longitude)),
                       radius * (snag__cos(latitude) * snag__sin(longitude)), radius * snag__sin(latitude));
        }
    }
    put_vertex(shape, south, 0, 0, -radius);
    put_vertex(shape, north, 0, 0, radius);

    uint32_t last = (rings - 2) * segments;  // the ring below the north pole
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t next = (i + 1) % segments;
        put_triangle(shape, south, next, i);
        for (uint32_t j = 0; j + 2 < rings; j++) {
            uint32_t row = j * segments;
            put_quad(shape, row + i, row + next, row + segments + next, row + segments + i, (i + j) % 2 == 1);
        }
        put_triangle(shape, north, last + i, last + next);
    }
    return SNAG_OK;
}

// ---- torus ----

snag_status snag_shape_torus(uint32_t segments, uint32_t sides, double radius, double tube, snag_shape *shape)
{
    if (shape == NULL)
        return SNAG_ERROR_ARGUMENT;
    *shape = (snag_shape){0};
    // A tube as wide as the radius would touch itself in the middle.
    if (segments < 3 || sides < 3 || !is_length(radius) || !is_length(tube) || tube >= radius || isinf(radius + tube))
        return SNAG_ERROR_ARGUMENT;
    uint64_t vertices = times(segments, sides);
    snag_status status = shape_allocate(shape, vertices, times(2, vertices), 0);
    if (status != SNAG_OK)
        return status;

    for (uint32_t i = 0; i < segments; i++) {
        double around = TAU * i / segments;
        for (uint32_t j = 0; j < sides; j++) {
            double side = TAU * j / sides, distance = radius + tube * snag__cos(side);
            put_vertex(shape, (size_t)i * sides + j, distance * snag__cos(around), distance * snag__sin(around),
                       tube * snag__sin(side));
        }
    }
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t row = i * sides, next_row = (i + 1) % segments * sides;
        for (uint32_t j = 0; j < sides; j++) {
            uint32_t next = (j + 1) % sides;
            put_quad(shape, row + j, next_row + j, next_row + next, row + next, (i + j) % 2 == 1);
        }
    }
    return SNAG_OK;
}

// ---- box ----

// The number of the lattice point (i, j, k) on the surface of a cube of n cells a side: the whole bottom layer, then the rims of the
// layers between, then the whole top layer.
static uint32_t box_vertex(uint32_t n, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t layer = (n + 1) * (n + 1), rim = 4 * n;
    if (k == 0)
        return j * (n + 1) + i;
    uint32_t start = layer + (k - 1) * rim;
    if (k == n)
        return start + j * (n + 1) + i;
    if (j == 0)
        return start + i;
    if (j == n)
        return start + 3 * n - 1 + i;
    return start + n + 1 + 2 * (j - 1) + (i == n);
}

// Whether (i, j, k) is on the surface: inner lattice points have no number.
static bool on_box(uint32_t n, uint32_t i, uint32_t j, uint32_t k)
{
    return i == 0 || j == 0 || k == 0 || i == n || j == n || k == n;
}

// The side of the box where coordinate `axis` is 0 or, with `upper`, n.
static void put_box_side(snag_shape *shape, uint32_t n, int axis, bool upper)
{
    int u = (axis + 1) % 3, w = (axis + 2) % 3;
    for (uint32_t q = 0; q < n; q++) {
        for (uint32_t p = 0; p < n; p++) {
            uint32_t corner[4];
            for (uint32_t c = 0; c < 4; c++) {
                uint32_t at[3];
                at[axis] = upper ? n : 0;
                at[u] = p + (c == 1 || c == 2);
                at[w] = q + (c >= 2);
                corner[c] = box_vertex(n, at[0], at[1], at[2]);
            }
            if (upper)
                put_quad(shape, corner[0], corner[1], corner[2], corner[3], (p + q) % 2 == 1);
            else
                put_quad(shape, corner[0], corner[3], corner[2], corner[1], (p + q) % 2 == 1);
        }
    }
}

snag_status snag_shape_box(uint32_t cells, double x, double y, double z, snag_shape *shape)
{
    if (shape == NULL)
        return SNAG_ERROR_ARGUMENT;
    *shape = (snag_shape){0};
    if (cells == 0 || !is_length(x) || !is_length(y) || !is_length(z))
        return SNAG_ERROR_ARGUMENT;
    uint64_t squares = times(6, times(cells, cells));
    snag_status status = shape_allocate(shape, squares > UINT32_MAX ? squares : squares + 2, times(2, squares), 0);
    if (status != SNAG_OK)
        return status;

    uint32_t n = cells;
    for (uint32_t k = 0; k <= n; k++) {
        for (uint32_t j = 0; j <= n; j++) {
            // Of an inner row only the two ends are vertices.
            for (uint32_t i = 0; i <= n; i += on_box(n, 1, j, k) ? 1 : n)
                put_vertex(shape, box_vertex(n, i, j, k), x * ((double)i / n - 0.5), y * ((double)j / n - 0.5),
                           z * ((double)k / n - 0.5));
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        put_box_side(shape, n, axis, false);
        put_box_side(shape, n, axis, true);
    }
    return SNAG_OK;
}

// ---- cylinder ----

snag_status snag_shape_cylinder(uint32_t segments, uint32_t rings, double radius, double height, snag_shape *shape)
{
    if (shape == NULL)
        return SNAG_ERROR_ARGUMENT;
    *shape = (snag_shape){0};
    if (segments < 3 || rings == 0 || !is_length(radius) || !is_length(height))
        return SNAG_ERROR_ARGUMENT;
    uint64_t around = times(segments, (uint64_t)rings + 1);
    snag_status status = shape_allocate(shape, around > UINT32_MAX ? around : around + 2, times(2, around), 0);
    if (status != SNAG_OK)
        return status;

    uint32_t bottom = (uint32_t)around, top = bottom + 1, last = rings * segments;
    for (uint32_t j = 0; j <= rings; j++) {
        for (uint32_t i = 0; i < segments; i++) {
            double angle = TAU * i / segments;
            put_vertex(shape, (size_t)j * segments + i, radius * snag__cos(angle), radius * snag__sin(angle),
                       height * ((double)j / rings - 0.5));
        }
    }
    put_vertex(shape, bottom, 0, 0, -height / 2);
    put_vertex(shape, top, 0, 0, height / 2);
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t next = (i + 1) % segments;
        put_triangle(shape, bottom, next, i);
        for (uint32_t j = 0; j < rings; j++) {
            uint32_t row = j * segments;
            put_quad(shape, row + i, row + next, row + segments + next, row + segments + i, (i + j) % 2 == 1);
        }
        put_triangle(shape, top, last + i, last + next);
    }
    return SNAG_OK;
}

// ---- block of tetrahedra ----

// The corners of a cell are numbered by bits: 1 for x, 2 for y, 4 for z. One tetrahedron has the four corners of which no two share
// an edge, the other four each cut off a corner. Cells of odd parity are mirrored, so that the diagonals of all faces join lattice
// points of even parity, and neighbours fit.
static const uint32_t cell_tets[5][4] = {{0, 3, 6, 5}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 6, 5, 0}, {7, 5, 6, 3}};

static void put_cell(snag_shape *shape, const uint32_t corner[8], bool mirrored)
{
    for (int k = 0; k < 5; k++) {
        const uint32_t *c = cell_tets[k];
        uint32_t *tet = shape->tets + 4 * shape->tet_count++;
        uint32_t flip = mirrored ? 1 : 0;
        tet[0] = corner[c[0] ^ flip];
        tet[1] = corner[c[1] ^ flip];
        // Mirroring inverts a tetrahedron; swapping two corners inverts it back.
        tet[2] = corner[c[2 + flip] ^ flip];
        tet[3] = corner[c[3 - flip] ^ flip];
    }
}

snag_status snag_shape_block(uint32_t nx, uint32_t ny, uint32_t nz, double cell, snag_shape *shape)
{
    if (shape == NULL)
        return SNAG_ERROR_ARGUMENT;
    *shape = (snag_shape){0};
    if (nx == 0 || ny == 0 || nz == 0 || !is_length(cell) || isinf(cell * nx) || isinf(cell * ny) || isinf(cell * nz))
        return SNAG_ERROR_ARGUMENT;
    uint64_t vertices = times(times((uint64_t)nx + 1, (uint64_t)ny + 1), (uint64_t)nz + 1);
    snag_status status = shape_allocate(shape, vertices, 0, times(5, times(times(nx, ny), nz)));
    if (status != SNAG_OK)
        return status;

    size_t v = 0;
    for (uint32_t k = 0; k <= nz; k++)
        for (uint32_t j = 0; j <= ny; j++)
            for (uint32_t i = 0; i <= nx; i++)
                put_vertex(shape, v++, cell * i, cell * j, cell * k);
    uint32_t row = nx + 1, layer = row * (ny + 1);
    for (uint32_t k = 0; k < nz; k++) {
        for (uint32_t j = 0; j < ny; j++) {
            for (uint32_t i = 0; i < nx; i++) {
                uint32_t corner[8];
                for (uint32_t c = 0; c < 8; c++)
                    corner[c] = k * layer + j * row + i + (c & 1) + (c >> 1 & 1) * row + (c >> 2) * layer;
                put_cell(shape, corner, (i + j + k) % 2 == 1);
            }
        }
    }
    return SNAG_OK;
}
