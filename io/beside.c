// Faces beside tetrahedra. A volume mesh often lists its boundary too; we derive it, so such faces are removed. Faces that
// share no vertex with the volume are a separate surface and stay. Faces that are attached to the volume but are not a face
// of a cell (shells on a solid) are removed and counted as left out.
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

// Hash set of triangles; the order of the vertices does not matter.
typedef struct face_set {
    uint32_t (*faces)[3];  // sorted vertices
    uint32_t *slots;  // face number, counted from 1; 0: free
    uint8_t *found;  // bits below
    uint32_t *cells;  // the last cell that contains the face
    size_t mask, count;
} face_set;

enum { OF_TET = 1, OF_CUT_CELL = 2, WITHIN_CELL = 4, ACROSS_FACE = 8 };

static void sort_face(uint32_t face[3])
{
    for (int i = 0; i < 3; i++) {
        int at = i == 1 ? 1 : 0;  // compare 0-1, 1-2, 0-1
        if (face[at] > face[at + 1]) {
            uint32_t larger = face[at];
            face[at] = face[at + 1];
            face[at + 1] = larger;
        }
    }
}

// The slot of a face, or the free slot for it.
static uint32_t *find_face(const face_set *set, const uint32_t face[3])
{
    uint64_t hash = face[0] * 0x9E3779B97F4A7C15u ^ face[1] * 0xC2B2AE3D27D4EB4Fu ^ face[2] * 0x165667B19E3779F9u;
    size_t at = (size_t)(hash ^ hash >> 32) & set->mask;
    while (set->slots[at] && memcmp(set->faces[set->slots[at] - 1], face, 3 * sizeof *face) != 0)
        at = (at + 1) & set->mask;
    return &set->slots[at];
}

static bool begin_faces(face_set *set, size_t count)
{
    size_t slots = 64;
    while (slots < 2 * count)
        slots *= 2;
    *set = (face_set){
        .faces = malloc((count + 1) * sizeof *set->faces),
        .slots = calloc(slots, sizeof *set->slots),
        .found = calloc(count + 1, 1),
        .cells = malloc((count + 1) * sizeof *set->cells),
        .mask = slots - 1,
    };
    return set->faces && set->slots && set->found && set->cells;
}

static void free_faces(face_set *set)
{
    free(set->faces);
    free(set->slots);
    free(set->found);
    free(set->cells);
}

static uint32_t size_of(const snag__builder *builder, size_t polygon)
{
    return builder->sizes ? builder->sizes[polygon] : 3;
}

// Triangle `i` of a polygon, split like cell faces in cells.c: a fan around its lowest vertex.
static void triangle_of(const uint32_t *corners, uint32_t size, uint32_t i, uint32_t face[3])
{
    uint32_t lowest = 0;
    for (uint32_t c = 1; c < size; c++)
        lowest = corners[c] < corners[lowest] ? c : lowest;
    face[0] = corners[lowest];
    face[1] = corners[(lowest + 1 + i) % size];
    face[2] = corners[(lowest + 2 + i) % size];
    sort_face(face);
}

static void add_triangles(const snag__builder *builder, face_set *set)
{
    const uint32_t *corners = builder->corners;
    for (size_t p = 0; p < builder->polygon_count; corners += size_of(builder, p), p++)
        for (uint32_t i = 0; i + 2 < size_of(builder, p); i++) {
            triangle_of(corners, size_of(builder, p), i, set->faces[set->count]);
            uint32_t *slot = find_face(set, set->faces[set->count]);
            if (!*slot)
                *slot = (uint32_t)++set->count;
        }
}

// Whether a tetrahedron is part of a cell that was cut.
static bool is_part(const snag__builder *builder, size_t k)
{
    const uint32_t *cells = builder->tet_cells;
    size_t end = builder->numbered_tets;
    return cells && k < end && ((k > 0 && cells[k - 1] == cells[k]) || (k + 1 < end && cells[k + 1] == cells[k]));
}

// A face shared by two tetrahedra of one cell is inside the cell.
static void mark_face(const snag__builder *builder, const face_set *set, size_t face, size_t k)
{
    bool part = is_part(builder, k);
    uint32_t cell = part ? builder->tet_cells[k] : UINT32_MAX;
    if (part && (set->found[face] & OF_CUT_CELL) && set->cells[face] == cell)
        set->found[face] |= WITHIN_CELL;
    set->found[face] |= (uint8_t)(part ? OF_TET | OF_CUT_CELL : OF_TET);
    set->cells[face] = cell;
}

static void mark_faces_of_tets(const snag__builder *builder, const face_set *set)
{
    for (size_t k = 0; k < builder->tet_count; k++)
        for (int opposite = 0; opposite < 4; opposite++) {
            const uint32_t *tet = builder->tets + 4 * k;
            uint32_t face[3] = {tet[(opposite + 1) % 4], tet[(opposite + 2) % 4], tet[(opposite + 3) % 4]};
            sort_face(face);
            uint32_t slot = *find_face(set, face);
            if (slot)
                mark_face(builder, set, slot - 1, k);
        }
}

// ---- triangles across a face's diagonal ----

#define MOST_PARTS 64  // tetrahedra of a cell; polyhedra with more are not looked at
#define FLATNESS 1e-3  // height of the fourth corner above the other three, by the longer diagonal

static void subtract(const double *a, const double *b, double difference[3])
{
    for (int i = 0; i < 3; i++)
        difference[i] = a[i] - b[i];
}

static void normal_of(const double *a, const double *b, const double *c, double normal[3])
{
    double e[3], f[3];
    subtract(b, a, e);
    subtract(c, a, f);
    for (int i = 0; i < 3; i++)
        normal[i] = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Whether the triangles a b d and b c d, cut along the other diagonal, are the same flat and convex quad.
static bool is_flat_quad(const snag__builder *builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const double *x[4] = {builder->positions + 3 * (size_t)a, builder->positions + 3 * (size_t)b,
                          builder->positions + 3 * (size_t)c, builder->positions + 3 * (size_t)d};
    double normals[4][3], across[2][3];
    normal_of(x[0], x[1], x[3], normals[0]);
    normal_of(x[1], x[2], x[3], normals[1]);
    normal_of(x[0], x[1], x[2], normals[2]);
    normal_of(x[0], x[2], x[3], normals[3]);
    for (int i = 1; i < 4; i++)
        if (!(dot(normals[0], normals[i]) > 0))
            return false;
    subtract(x[2], x[0], across[0]);
    subtract(x[3], x[1], across[1]);
    double longest = dot(across[0], across[0]) > dot(across[1], across[1]) ? dot(across[0], across[0]) : dot(across[1], across[1]);
    double height = dot(across[0], normals[0]);
    return height * height <= FLATNESS * FLATNESS * longest * dot(normals[0], normals[0]);
}

static void mark_across(const face_set *set, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t face[3] = {a, b, c};
    sort_face(face);
    uint32_t slot = *find_face(set, face);
    if (slot)
        set->found[slot - 1] |= ACROSS_FACE;
}

// Two triangles of a cell's boundary that share an edge: looks for the two that the other diagonal makes.
static void mark_other_diagonal(const snag__builder *builder, const face_set *set, const uint32_t s[3], const uint32_t t[3])
{
    uint32_t shared[3], apex[2] = {0, 0};
    int count = 0;
    for (int i = 0; i < 3; i++) {
        bool in_s = s[0] == t[i] || s[1] == t[i] || s[2] == t[i];
        bool in_t = t[0] == s[i] || t[1] == s[i] || t[2] == s[i];
        if (in_s)
            shared[count++] = t[i];
        else
            apex[1] = t[i];
        if (!in_t)
            apex[0] = s[i];
    }
    if (count == 2 && is_flat_quad(builder, apex[0], shared[0], apex[1], shared[1])) {
        mark_across(set, apex[0], shared[0], apex[1]);
        mark_across(set, apex[0], shared[1], apex[1]);
    }
}

static void mark_diagonals_of_cell(const snag__builder *builder, const face_set *set, size_t first, size_t end)
{
    uint32_t faces[4 * MOST_PARTS][3];
    size_t count = 0;
    for (size_t k = first; k < end; k++)
        for (int opposite = 0; opposite < 4; opposite++) {
            const uint32_t *tet = builder->tets + 4 * k;
            uint32_t face[3] = {tet[(opposite + 1) % 4], tet[(opposite + 2) % 4], tet[(opposite + 3) % 4]};
            sort_face(face);
            size_t twin = 0;
            while (twin < count && memcmp(faces[twin], face, sizeof face) != 0)
                twin++;
            // What two tetrahedra share is within the cell.
            if (twin < count)
                memmove(faces[twin], faces[--count], sizeof face);
            else
                memcpy(faces[count++], face, sizeof face);
        }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            mark_other_diagonal(builder, set, faces[i], faces[j]);
}

// Shells of three nodes on the face of a hexahedron may cut it along the other diagonal than we do. If the face is flat, they are the same face.
static void mark_faces_across_diagonals(const snag__builder *builder, const face_set *set)
{
    bool all_found = true;
    for (size_t face = 0; face < set->count; face++)
        all_found &= set->found[face] != 0;
    if (all_found || builder->tet_cells == NULL)
        return;
    for (size_t first = 0, end; first < builder->numbered_tets; first = end) {
        for (end = first + 1; end < builder->numbered_tets && builder->tet_cells[end] == builder->tet_cells[first];)
            end++;
        if (end - first > 1 && end - first <= MOST_PARTS)
            mark_diagonals_of_cell(builder, set, first, end);
    }
}

// Whether a polygon is a face of a cell, or the half of one along either diagonal. With more than three corners the cell must be one that was cut.
static bool is_face_of_cell(const face_set *set, const uint32_t *corners, uint32_t size)
{
    if (size == 3) {
        uint32_t face[3];
        triangle_of(corners, size, 0, face);
        if (set->found[*find_face(set, face) - 1] & ACROSS_FACE)
            return true;
    }
    uint8_t wanted = size == 3 ? OF_TET : OF_CUT_CELL;
    for (uint32_t i = 0; i + 2 < size; i++) {
        uint32_t face[3];
        triangle_of(corners, size, i, face);
        uint8_t found = set->found[*find_face(set, face) - 1];
        if (!(found & wanted) || (found & WITHIN_CELL))
            return false;
    }
    return true;
}

// ---- connected components ----

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// Joins the vertices of each polygon that is not a face of a cell, and all vertices of tetrahedra.
static void join_vertices(const snag__builder *builder, const face_set *set, uint32_t *parent)
{
    for (size_t v = 0; v < builder->vertex_count; v++)
        parent[v] = (uint32_t)v;
    for (size_t i = 1; i < 4 * builder->tet_count; i++)
        join(parent, builder->tets[0], builder->tets[i]);
    const uint32_t *corners = builder->corners;
    for (size_t p = 0; p < builder->polygon_count; corners += size_of(builder, p), p++)
        if (!is_face_of_cell(set, corners, size_of(builder, p)))
            for (uint32_t i = 1; i < size_of(builder, p); i++)
                join(parent, corners[0], corners[i]);
}

// Keeps the separate polygons, with their old numbers.
static void keep_loose(snag__builder *builder, const face_set *set, uint32_t *parent, uint32_t *numbers)
{
    uint32_t volume = root_of(parent, builder->tets[0]);
    const uint32_t *corners = builder->corners;
    uint32_t *kept_corners = builder->corners;
    size_t kept = 0, object = 0, run = 0;
    for (size_t p = 0; p < builder->polygon_count; p++) {
        uint32_t size = size_of(builder, p);
        for (; object < builder->object_count && builder->objects[object].first_polygon <= p; object++)
            builder->objects[object].first_polygon = kept;
        for (; run < builder->group_run_count && builder->group_runs[run].first_polygon <= p; run++)
            builder->group_runs[run].first_polygon = kept;
        bool face = is_face_of_cell(set, corners, size);
        // A face of second order is several polygons, and counts once.
        bool same = p > 0 && builder->polygon_numbers && builder->polygon_numbers[p] == builder->polygon_numbers[p - 1];
        if (!face && root_of(parent, corners[0]) != volume) {
            numbers[kept] = builder->polygon_numbers ? builder->polygon_numbers[p] : (uint32_t)p;
            memmove(kept_corners, corners, size * sizeof *corners);
            kept_corners += size;
            if (builder->sizes)
                builder->sizes[kept] = size;
            kept++;
        } else {
            snag__builder_skip(builder, same ? 0 : 1, !face);
        }
        corners += size;
    }
    for (; object < builder->object_count; object++)
        builder->objects[object].first_polygon = kept;
    for (; run < builder->group_run_count; run++)
        builder->group_runs[run].first_polygon = kept;
    builder->polygon_count = kept;
    builder->corner_count = (size_t)(kept_corners - builder->corners);
}

static bool names_exist(const snag__builder *builder)
{
    for (size_t i = 0; i < builder->corner_count; i++)
        if (builder->corners[i] >= builder->vertex_count)
            return false;
    for (size_t i = 0; i < 4 * builder->tet_count; i++)
        if (builder->tets[i] >= builder->vertex_count)
            return false;
    return true;
}

snag_status snag__builder_drop_polygons(snag__builder *builder)
{
    // snag__builder_finish reports vertices that do not exist.
    if (builder->polygon_count == 0 || builder->tet_count == 0 || !names_exist(builder))
        return SNAG_OK;
    snag_status status = snag__builder_number_polygons(builder);
    if (status != SNAG_OK)
        return status;
    face_set set;
    bool room = begin_faces(&set, builder->corner_count - 2 * builder->polygon_count);
    uint32_t *parent = malloc(builder->vertex_count * sizeof *parent);
    uint32_t *numbers = malloc(builder->polygon_count * sizeof *numbers);
    room = room && parent && numbers;
    if (room) {
        add_triangles(builder, &set);
        mark_faces_of_tets(builder, &set);
        mark_faces_across_diagonals(builder, &set);
        join_vertices(builder, &set, parent);
        keep_loose(builder, &set, parent, numbers);
        free(builder->polygon_numbers);
        builder->polygon_numbers = numbers;
    } else {
        free(numbers);
    }
    free(parent);
    free_faces(&set);
    return room ? SNAG_OK : SNAG_ERROR_MEMORY;
}
