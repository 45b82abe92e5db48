// Edges, adjacency lists and the boundary of a tetrahedral mesh, by counting and radix sorts: in linear time whatever the valence of vertices.
#include "mesh/mesh.h"

#include "base/assert.h"
#include "base/counting_sort.h"
#include "base/sort.h"
#include "geom/geom.h"
#include "mesh/thin.h"

#include <string.h>

static bool repeats_a_vertex(const uint32_t *vertices, int count)
{
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            if (vertices[i] == vertices[j])
                return true;
    return false;
}

// ---- edges ----

// The sides of all triangles, and the rods, are listed by their lower vertex: each list holds the higher ones, which are then sorted.
typedef struct sides {
    uint32_t *high;
    uint32_t *start;  // by lower vertex
    uint64_t *words;  // scratch of sorting, twice the longest list
} sides;

// Longer lists are not sorted by insertion.
enum { FEW_SIDES = 32 };

static void count_side(sides *s, uint32_t a, uint32_t b)
{
    s->start[(a < b ? a : b) + 1]++;
}

static void list_side(sides *s, uint32_t a, uint32_t b)
{
    s->high[s->start[a < b ? a : b]++] = a < b ? b : a;
}

// Triangles that repeat a vertex have no edges.
static void list_sides(const snag__mesh *mesh, sides *s)
{
    memset(s->start, 0, ((size_t)mesh->vertex_count + 1) * sizeof *s->start);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3 && !repeats_a_vertex(mesh->triangles[t], 3); i++)
            count_side(s, mesh->triangles[t][i], mesh->triangles[t][(i + 1) % 3]);
    for (uint32_t r = 0; r < snag__rod_count(mesh); r++)
        count_side(s, mesh->thin->rods[r][0], mesh->thin->rods[r][1]);
    snag__sizes_to_starts(s->start, mesh->vertex_count);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3 && !repeats_a_vertex(mesh->triangles[t], 3); i++)
            list_side(s, mesh->triangles[t][i], mesh->triangles[t][(i + 1) % 3]);
    for (uint32_t r = 0; r < snag__rod_count(mesh); r++)
        list_side(s, mesh->thin->rods[r][0], mesh->thin->rods[r][1]);
    snag__cursors_to_starts(s->start, mesh->vertex_count);
}

static size_t longest_list(const snag__mesh *mesh, const sides *s)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        most = s->start[v + 1] - s->start[v] > most ? s->start[v + 1] - s->start[v] : most;
    return most;
}

static void sort_long_list(const sides *s, uint32_t *high, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        s->words[i] = high[i];
    const uint64_t *sorted = snag__sort_words(s->words, s->words + count, count, 0, 32);
    for (uint32_t i = 0; i < count; i++)
        high[i] = (uint32_t)sorted[i];
}

// Sorts each list, and returns how many edges there are.
static uint32_t sort_sides(const snag__mesh *mesh, const sides *s)
{
    uint32_t edges = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t *high = s->high + s->start[v], count = s->start[v + 1] - s->start[v];
        if (count > FEW_SIDES)
            sort_long_list(s, high, count);
        for (uint32_t i = 1; i < count && count <= FEW_SIDES; i++) {
            uint32_t one = high[i], to = i;
            for (; to > 0 && high[to - 1] > one; to--)
                high[to] = high[to - 1];
            high[to] = one;
        }
        for (uint32_t i = 0; i < count; i++)
            edges += i == 0 || high[i] != high[i - 1];
    }
    return edges;
}

static bool number_edges(snag__mesh *mesh, const sides *s, uint32_t count)
{
    mesh->edges = snag__mesh_array(mesh, count, sizeof *mesh->edges);
    if (mesh->edges == NULL)
        return false;
    mesh->edge_count = count;
    uint32_t e = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (uint32_t i = s->start[v]; i < s->start[v + 1]; i++)
            if (i == s->start[v] || s->high[i] != s->high[i - 1]) {
                mesh->edges[e][0] = v;
                mesh->edges[e++][1] = s->high[i];
            }
    SNAG__ASSERT(e == count);
    return mesh->thin == NULL || snag__thin_reserve_edges(mesh);
}

bool snag__mesh_build_edges(snag__mesh *mesh)
{
    SNAG__ASSERT(mesh->triangle_count <= SNAG__MAX_TRIANGLES && mesh->vertex_count <= SNAG__MAX_VERTICES);
    size_t side_count = (size_t)mesh->triangle_count * 3 + snag__rod_count(mesh);
    sides s = {0};
    snag__buffer scratch = {0}, sorting = {0};
    const snag__room rooms[] = {
        {NULL, &s.high, side_count, sizeof *s.high},
        {NULL, &s.start, (size_t)mesh->vertex_count + 1, sizeof *s.start},
    };
    bool built = snag__rooms_carve(&mesh->allocator, &scratch, rooms, sizeof rooms / sizeof *rooms);
    if (built) {
        list_sides(mesh, &s);
        size_t longest = longest_list(mesh, &s);
        const snag__room room = {&sorting, &s.words, 2 * longest, sizeof *s.words};
        built = (longest <= FEW_SIDES || snag__rooms_reserve(&mesh->allocator, &room, 1)) &&
                number_edges(mesh, &s, sort_sides(mesh, &s));
    }
    snag__buffer_free(&mesh->allocator, &sorting);
    snag__buffer_free(&mesh->allocator, &scratch);
    return built;
}

// ---- links: which triangles are at an edge or a vertex, and which edges a triangle has ----

// Edges are sorted: those with the lower vertex v are first[v] .. first[v + 1] - 1.
static void list_edges(const snag__mesh *mesh, uint32_t *first)
{
    memset(first, 0, ((size_t)mesh->vertex_count + 1) * sizeof *first);
    for (uint32_t e = 0; e < mesh->edge_count; e++)
        first[mesh->edges[e][0] + 1]++;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        first[v + 1] += first[v];
}

// The edge between two vertices, which exists.
static uint32_t edge_between(const snag__mesh *mesh, const uint32_t *first, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a, from = first[low], to = first[low + 1];
    while (to - from > FEW_SIDES) {
        uint32_t middle = from + (to - from) / 2;
        if (mesh->edges[middle][1] <= high)
            from = middle;
        else
            to = middle;
    }
    while (mesh->edges[from][1] != high)
        from++;
    SNAG__ASSERT(from < to && mesh->edges[from][0] == low);
    return from;
}

static void mark_rods(const snag__mesh *mesh, const uint32_t *first)
{
    for (uint32_t r = 0; r < snag__rod_count(mesh); r++)
        mesh->thin->edge_is_rod[edge_between(mesh, first, mesh->thin->rods[r][0], mesh->thin->rods[r][1])] = 1;
}

static void link_edges(const snag__mesh *mesh, uint32_t *first)
{
    list_edges(mesh, first);
    const snag__csr *lists = &mesh->edge_triangles;
    memset(lists->start, 0, ((size_t)mesh->edge_count + 1) * sizeof(uint32_t));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles[t];
        bool none = repeats_a_vertex(v, 3);
        for (int i = 0; i < 3; i++) {
            mesh->triangle_edges[t][i] = none ? SNAG__NO_EDGE : edge_between(mesh, first, v[i], v[(i + 1) % 3]);
            if (!none)
                lists->start[mesh->triangle_edges[t][i] + 1]++;
        }
    }
    snag__sizes_to_starts(lists->start, mesh->edge_count);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3 && mesh->triangle_edges[t][i] != SNAG__NO_EDGE; i++)
            lists->items[lists->start[mesh->triangle_edges[t][i]]++] = t;
    snag__cursors_to_starts(lists->start, mesh->edge_count);
    mark_rods(mesh, first);
}

// Whether corner c is the first of its triangle with this vertex.
static bool is_first_corner(const uint32_t *v, int c)
{
    return !snag__is_hole(v, 3) && (c < 1 || v[c] != v[0]) && (c < 2 || v[c] != v[1]);
}

static void link_vertices(const snag__mesh *mesh)
{
    const snag__csr *lists = &mesh->vertex_triangles;
    memset(lists->start, 0, ((size_t)mesh->vertex_count + 1) * sizeof(uint32_t));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            if (is_first_corner(mesh->triangles[t], c))
                lists->start[mesh->triangles[t][c] + 1]++;
    snag__sizes_to_starts(lists->start, mesh->vertex_count);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            if (is_first_corner(mesh->triangles[t], c))
                lists->items[lists->start[mesh->triangles[t][c]]++] = t;
    snag__cursors_to_starts(lists->start, mesh->vertex_count);
}

static bool list_vertex_tets(snag__mesh *mesh)
{
    snag__csr *lists = &mesh->vertex_tets;
    lists->start = snag__mesh_array(mesh, (size_t)mesh->vertex_count + 1, sizeof(uint32_t));
    lists->items = snag__mesh_array(mesh, (size_t)mesh->tet_count * 4, sizeof(uint32_t));
    if (lists->start == NULL || lists->items == NULL)
        return false;
    memset(lists->start, 0, ((size_t)mesh->vertex_count + 1) * sizeof(uint32_t));
    for (uint32_t k = 0; k < mesh->tet_count; k++)
        for (int c = 0; c < 4 && !repeats_a_vertex(mesh->tets[k], 4); c++)
            lists->start[mesh->tets[k][c] + 1]++;
    snag__sizes_to_starts(lists->start, mesh->vertex_count);
    for (uint32_t k = 0; k < mesh->tet_count; k++)
        for (int c = 0; c < 4 && !repeats_a_vertex(mesh->tets[k], 4); c++)
            lists->items[lists->start[mesh->tets[k][c]]++] = k;
    snag__cursors_to_starts(lists->start, mesh->vertex_count);
    return true;
}

typedef struct linking {
    const snag__mesh *mesh;
    uint32_t *first;
} linking;

// The two halves write different arrays.
static void link_half(void *context, uint32_t task)
{
    const linking *l = context;
    if (task == 0)
        link_edges(l->mesh, l->first);
    else
        link_vertices(l->mesh);
}

void snag__mesh_unlink(snag__mesh *mesh)
{
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    snag__mesh_release_array(mesh, mesh->triangle_edges, triangles, sizeof *mesh->triangle_edges);
    snag__mesh_release_array(mesh, mesh->vertex_triangles.start, vertices + 1, sizeof(uint32_t));
    snag__mesh_release_array(mesh, mesh->vertex_triangles.items, 3 * triangles, sizeof(uint32_t));
    snag__mesh_release_array(mesh, mesh->edge_triangles.start, (size_t)mesh->edge_count + 1, sizeof(uint32_t));
    snag__mesh_release_array(mesh, mesh->edge_triangles.items, 3 * triangles, sizeof(uint32_t));
    snag__mesh_release_array(mesh, mesh->vertex_tets.start, vertices + 1, sizeof(uint32_t));
    snag__mesh_release_array(mesh, mesh->vertex_tets.items, 4 * (size_t)mesh->tet_count, sizeof(uint32_t));
    mesh->triangle_edges = NULL;
    mesh->vertex_triangles = mesh->edge_triangles = mesh->vertex_tets = (snag__csr){0};
    mesh->linked = false;
}

bool snag__mesh_link(snag__mesh *mesh, const snag__parallel *parallel)
{
    if (mesh->linked)
        return true;
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    mesh->triangle_edges = snag__mesh_array(mesh, triangles, sizeof *mesh->triangle_edges);
    mesh->vertex_triangles.start = snag__mesh_array(mesh, vertices + 1, sizeof(uint32_t));
    mesh->vertex_triangles.items = snag__mesh_array(mesh, 3 * triangles, sizeof(uint32_t));
    mesh->edge_triangles.start = snag__mesh_array(mesh, (size_t)mesh->edge_count + 1, sizeof(uint32_t));
    mesh->edge_triangles.items = snag__mesh_array(mesh, 3 * triangles, sizeof(uint32_t));
    linking l = {mesh, snag__mesh_array(mesh, vertices + 1, sizeof *l.first)};
    mesh->linked = mesh->triangle_edges != NULL && mesh->vertex_triangles.start != NULL && mesh->vertex_triangles.items != NULL &&
                   mesh->edge_triangles.start != NULL && mesh->edge_triangles.items != NULL && l.first != NULL &&
                   list_vertex_tets(mesh);
    if (mesh->linked)
        snag__parallel_for(parallel, 2, link_half, &l);
    snag__mesh_release_array(mesh, l.first, vertices + 1, sizeof *l.first);
    if (!mesh->linked)
        snag__mesh_unlink(mesh);
    SNAG__VALIDATE(!mesh->linked || mesh->vertex_used == NULL || snag__mesh_validate(mesh));
    return mesh->linked;
}

// ---- boundary of a tetrahedral mesh ----

// Face i lies opposite vertex i and looks outward where the volume is positive.
static const uint8_t face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

typedef struct faces {
    uint32_t *vertex[3];  // of face 4 k + i: its vertices in ascending order
    uint32_t *sorted;
    uint32_t *other;
    uint32_t *start;
    uint32_t count;  // entries of `sorted`: tetrahedra that repeat a vertex have no faces
} faces;

static void swap_if_greater(uint32_t *a, uint32_t *b)
{
    uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

// Writes the faces that count to `other`.
static void collect_faces(const snag__mesh *mesh, faces *f)
{
    f->count = 0;
    for (uint32_t k = 0; k < mesh->tet_count; k++) {
        const uint32_t *v = mesh->tets[k];
        bool none = repeats_a_vertex(v, 4);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t a = v[face_corners[i][0]], b = v[face_corners[i][1]], c = v[face_corners[i][2]];
            swap_if_greater(&a, &b);
            swap_if_greater(&b, &c);
            swap_if_greater(&a, &b);
            f->vertex[0][4 * k + i] = a;
            f->vertex[1][4 * k + i] = b;
            f->vertex[2][4 * k + i] = c;
            if (!none)
                f->other[f->count++] = 4 * k + i;
        }
    }
}

static bool is_same_face(const faces *f, uint32_t a, uint32_t b)
{
    return f->vertex[0][a] == f->vertex[0][b] && f->vertex[1][a] == f->vertex[1][b] && f->vertex[2][a] == f->vertex[2][b];
}

// Marks in `single`, by face, those that no other face equals; returns their number.
static uint32_t mark_single_faces(const snag__mesh *mesh, faces *f, uint32_t *single)
{
    snag__counting_sort(f->vertex[2], mesh->vertex_count, f->other, f->count, f->start, f->sorted);
    snag__counting_sort(f->vertex[1], mesh->vertex_count, f->sorted, f->count, f->start, f->other);
    snag__counting_sort(f->vertex[0], mesh->vertex_count, f->other, f->count, f->start, f->sorted);
    memset(single, 0, (size_t)mesh->tet_count * 4 * sizeof *single);
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t face = f->sorted[i];
        bool alone =
            (i == 0 || !is_same_face(f, face, f->sorted[i - 1])) && (i + 1 == f->count || !is_same_face(f, face, f->sorted[i + 1]));
        single[face] = alone;
        count += alone;
    }
    return count;
}

static bool is_inverted(const snag__mesh *mesh, uint32_t k)
{
    const uint32_t *v = mesh->tets[k];
    return snag__orient3d(mesh->x_t1[v[0]], mesh->x_t1[v[1]], mesh->x_t1[v[2]], mesh->x_t1[v[3]]) < 0;
}

static bool write_boundary(snag__mesh *mesh, const uint32_t *single, uint32_t count)
{
    mesh->triangle_count = count;
    mesh->triangles = snag__mesh_array(mesh, count, sizeof *mesh->triangles);
    mesh->triangle_faces = snag__mesh_array(mesh, count, sizeof *mesh->triangle_faces);
    if (mesh->triangles == NULL || mesh->triangle_faces == NULL)
        return false;
    uint32_t t = 0;
    for (uint32_t k = 0; k < mesh->tet_count; k++)
        for (uint32_t i = 0; i < 4; i++) {
            if (!single[4 * k + i])
                continue;
            bool inverted = is_inverted(mesh, k);
            const uint8_t *corner = face_corners[i];
            mesh->triangles[t][0] = mesh->tets[k][corner[0]];
            mesh->triangles[t][1] = mesh->tets[k][corner[inverted ? 2 : 1]];
            mesh->triangles[t][2] = mesh->tets[k][corner[inverted ? 1 : 2]];
            mesh->triangle_faces[t++] = k;
        }
    return true;
}

bool snag__mesh_build_boundary(snag__mesh *mesh)
{
    SNAG__ASSERT(mesh->tet_count <= SNAG__MAX_TETS);
    size_t face_count = (size_t)mesh->tet_count * 4;
    faces f = {0};
    snag__buffer scratch = {0};
    const snag__room rooms[] = {
        {NULL, &f.vertex[0], face_count, sizeof(uint32_t)}, {NULL, &f.vertex[1], face_count, sizeof(uint32_t)},
        {NULL, &f.vertex[2], face_count, sizeof(uint32_t)}, {NULL, &f.sorted, face_count, sizeof(uint32_t)},
        {NULL, &f.other, face_count, sizeof(uint32_t)},     {NULL, &f.start, (size_t)mesh->vertex_count + 1, sizeof(uint32_t)},
    };
    if (!snag__rooms_carve(&mesh->allocator, &scratch, rooms, sizeof rooms / sizeof *rooms))
        return false;
    collect_faces(mesh, &f);
    uint32_t *single = f.other;  // unused once the faces are sorted
    uint32_t count = mark_single_faces(mesh, &f, single);
    bool built = write_boundary(mesh, single, count);
    snag__buffer_free(&mesh->allocator, &scratch);
    return built;
}

// ---- validation ----

// Whether the starts and the items of each list are ascending, and items are below `limit`.
static bool lists_are_valid(const snag__csr *lists, uint32_t count, uint32_t limit)
{
    if (lists->start[0] != 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (lists->start[i] > lists->start[i + 1])
            return false;
        for (uint32_t k = lists->start[i]; k < lists->start[i + 1]; k++)
            if (lists->items[k] >= limit || (k > lists->start[i] && lists->items[k - 1] >= lists->items[k]))
                return false;
    }
    return true;
}

static bool edges_are_valid(const snag__mesh *mesh)
{
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const uint32_t *v = mesh->edges[e], *before = e > 0 ? mesh->edges[e - 1] : v;
        bool ascending = e == 0 || before[0] < v[0] || (before[0] == v[0] && before[1] < v[1]);
        if (!ascending || v[0] >= v[1] || v[1] >= mesh->vertex_count ||
            (mesh->linked && mesh->edge_triangles.start[e] == mesh->edge_triangles.start[e + 1] && !snag__is_rod(mesh, e)))
            return false;
    }
    return true;
}

static bool triangle_is_valid(const snag__mesh *mesh, uint32_t t)
{
    const uint32_t *v = mesh->triangles[t], *e = mesh->linked ? mesh->triangle_edges[t] : NULL;
    bool none = repeats_a_vertex(v, 3);
    for (int i = 0; i < 3; i++) {
        uint32_t from = v[i], to = v[(i + 1) % 3];
        if (from >= mesh->vertex_count || (!mesh->vertex_used[from] && !snag__is_hole(v, 3)))
            return false;
        if (e != NULL && none != (e[i] == SNAG__NO_EDGE))
            return false;
        if (e != NULL && !none &&
            (e[i] >= mesh->edge_count || mesh->edges[e[i]][0] != (from < to ? from : to) ||
             mesh->edges[e[i]][1] != (from < to ? to : from)))
            return false;
    }
    return true;
}

bool snag__mesh_validate(const snag__mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (!triangle_is_valid(mesh, t))
            return false;
    for (uint32_t k = 0; k < mesh->tet_count; k++)
        for (int c = 0; c < 4; c++)
            if (mesh->tets[k][c] >= mesh->vertex_count ||
                (!mesh->vertex_used[mesh->tets[k][c]] && !snag__is_hole(mesh->tets[k], 4)))
                return false;
    if (mesh->linked && (!lists_are_valid(&mesh->vertex_tets, mesh->vertex_count, mesh->tet_count) ||
                         !lists_are_valid(&mesh->vertex_triangles, mesh->vertex_count, mesh->triangle_count) ||
                         !lists_are_valid(&mesh->edge_triangles, mesh->edge_count, mesh->triangle_count)))
        return false;
    return edges_are_valid(mesh) &&
           (mesh->thin == NULL || lists_are_valid(&mesh->thin->vertex_rods, mesh->vertex_count, mesh->edge_count));
}
