// The mesh check: reports issues, repairs nothing. Zero area and the sign of volumes are exact.
#include "mesh/thin.h"

#include "base/assert.h"
#include "base/counting_sort.h"
#include "base/roots.h"
#include "base/vec3.h"
#include "geom/geom.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NOT_A_COPY UINT32_MAX

// The thickness of a flat polygon, relative to its size: rounding to float leaves 1e-7, and bent polygons have more.
#define THICKNESS 1e-3
// A sum of normals shorter than this part of their lengths has cancelled out.
#define CANCELLED 0.01

enum { NOT_FLAT = 1, CROSSED = 2 };

const char *snag_mesh_issue_name(snag_mesh_issue_kind kind)
{
    switch (kind) {
    case SNAG_ISSUE_NON_MANIFOLD_EDGE: return "non-manifold edge";
    case SNAG_ISSUE_FLIPPED_EDGE: return "flipped edge";
    case SNAG_ISSUE_DEGENERATE_TRIANGLE: return "degenerate triangle";
    case SNAG_ISSUE_DUPLICATE_TRIANGLE: return "duplicate triangle";
    case SNAG_ISSUE_DEGENERATE_TET: return "degenerate tetrahedron";
    case SNAG_ISSUE_INVERTED_TET: return "inverted tetrahedron";
    case SNAG_ISSUE_DUPLICATE_TET: return "duplicate tetrahedron";
    case SNAG_ISSUE_UNREFERENCED_VERTEX: return "unreferenced vertex";
    case SNAG_ISSUE_POLYGON_NOT_FLAT: return "polygon not flat";
    case SNAG_ISSUE_POLYGON_CROSSES_ITSELF: return "polygon crosses itself";
    case SNAG_ISSUE_KIND_COUNT: break;
    }
    return "unknown issue";
}

// Findings by element, so that the issues can be counted before memory is reserved for them.
typedef struct findings {
    const snag__mesh *mesh;
    uint32_t *triangle_original, *tet_original;  // the first element with the same vertices, or NOT_A_COPY
    uint8_t *triangle_flat;  // 1: zero area
    uint8_t *polygon_kind;  // NOT_FLAT and CROSSED, at the first triangle of each polygon; 0 at the others
    int8_t *tet_sign;  // of the volume
    uint32_t *sorting;  // scratch of find_copies
} findings;

// ---- elements with the same vertices ----

static void sort_corners(uint32_t *v, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
            uint32_t swap = v[j];
            v[j] = v[j - 1];
            v[j - 1] = swap;
        }
}

// For each element of `corners` vertices the first one with the same vertices in any order, or NOT_A_COPY. `words` has room for
// count * (corners + 2) + vertex_count + 1.
static void find_copies(const uint32_t *elements, uint32_t count, uint32_t corners, uint32_t vertex_count, uint32_t *words,
                        uint32_t *original)
{
    uint32_t *column = words;  // column c holds the c-th lowest vertex of each element
    uint32_t *order = words + (size_t)corners * count, *next = order + count, *start = next + count;
    for (size_t i = 0; i < count; i++) {
        uint32_t v[4];
        memcpy(v, elements + i * corners, corners * sizeof *v);
        sort_corners(v, (int)corners);
        for (size_t c = 0; c < corners; c++)
            column[c * count + i] = v[c];
        order[i] = (uint32_t)i;
    }
    for (size_t c = corners; c-- > 0;) {
        snag__counting_sort(column + c * count, vertex_count, order, count, start, next);
        uint32_t *swap = order;
        order = next;
        next = swap;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool same = i > 0;
        for (size_t c = 0; c < corners && same; c++)
            same = column[c * count + order[i]] == column[c * count + order[i - 1]];
        uint32_t before = same ? order[i - 1] : 0;
        original[order[i]] = !same ? NOT_A_COPY : original[before] == NOT_A_COPY ? before : original[before];
    }
}

// ---- area and volume ----

static void find_flat(const findings *f)
{
    const snag__mesh *mesh = f->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles[t];
        f->triangle_flat[t] = snag__is_collinear(mesh->x_t1[v[0]], mesh->x_t1[v[1]], mesh->x_t1[v[2]]);
    }
    for (uint32_t k = 0; k < mesh->tet_count; k++) {
        const uint32_t *v = mesh->tets[k];
        f->tet_sign[k] = (int8_t)snag__orient3d(mesh->x_t1[v[0]], mesh->x_t1[v[1]], mesh->x_t1[v[2]], mesh->x_t1[v[3]]);
    }
}

// ---- polygons: consecutive triangles with one number ----

// Half of the largest extent of the corners of triangles first .. last - 1, along any axis.
static double half_size(const snag__mesh *mesh, uint32_t first, uint32_t last)
{
    const double *from = mesh->x_t1[mesh->triangles[first][0]];
    double low[3], high[3], size = 0;
    memcpy(low, from, sizeof low);
    memcpy(high, from, sizeof high);
    for (uint32_t i = 3 * first; i < 3 * last; i++)
        for (int k = 0; k < 3; k++) {
            double x = mesh->x_t1[mesh->triangles[i / 3][i % 3]][k];
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
    for (int k = 0; k < 3; k++)
        size = fmax(size, 0.5 * high[k] - 0.5 * low[k]);
    return size;
}

// A corner relative to the first, in units of the size.
static void place_of(const snag__mesh *mesh, const double origin[3], double size, uint32_t v, double place[3])
{
    for (int k = 0; k < 3; k++)
        place[k] = (0.5 * mesh->x_t1[v][k] - 0.5 * origin[k]) / size;
}

// The sum of the normals of triangles first .. last - 1, or the largest of them where they cancel out. Returns its length.
static double normal_of(const snag__mesh *mesh, uint32_t first, uint32_t last, double size, double normal[3])
{
    const double *origin = mesh->x_t1[mesh->triangles[first][0]];
    double sum[3] = {0}, total = 0, most = 0;
    for (uint32_t t = first; t < last; t++) {
        double x[3][3], cross[3];
        for (int c = 0; c < 3; c++)
            place_of(mesh, origin, size, mesh->triangles[t][c], x[c]);
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            cross[k] = (x[1][u] - x[0][u]) * (x[2][v] - x[0][v]) - (x[1][v] - x[0][v]) * (x[2][u] - x[0][u]);
            sum[k] += cross[k];
        }
        double length = snag__vec3_length(cross);
        total += length;
        if (length > most) {
            most = length;
            memcpy(normal, cross, sizeof cross);
        }
    }
    double length = snag__vec3_length(sum);
    if (length < CANCELLED * total)
        return most;
    memcpy(normal, sum, sizeof sum);
    return length;
}

static bool is_thick(const snag__mesh *mesh, uint32_t first, uint32_t last)
{
    double size = half_size(mesh, first, last), normal[3] = {0}, low = 0, high = 0;
    double length = size > 0 ? normal_of(mesh, first, last, size, normal) : 0;
    if (length == 0)
        return false;
    for (uint32_t i = 3 * first; i < 3 * last; i++) {
        double x[3];
        place_of(mesh, mesh->x_t1[mesh->triangles[first][0]], size, mesh->triangles[i / 3][i % 3], x);
        double height = snag__vec3_dot(normal, x) / length;
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return high - low > THICKNESS;
}

static void find_polygons(const findings *f)
{
    const snag__mesh *mesh = f->mesh;
    uint32_t first = 0, crossed = 0;
    memset(f->polygon_kind, 0, mesh->triangle_count);
    while (first < mesh->triangle_count && mesh->tet_count == 0) {
        uint32_t polygon = mesh->triangle_faces[first], last = first + 1;
        while (last < mesh->triangle_count && mesh->triangle_faces[last] == polygon)
            last++;
        if (last - first > 1 && is_thick(mesh, first, last))
            f->polygon_kind[first] |= NOT_FLAT;
        if (crossed < mesh->crossed_count && mesh->crossed[crossed] == polygon) {
            f->polygon_kind[first] |= CROSSED;
            crossed++;
        }
        first = last;
    }
}

// ---- connected components ----

static void join_corners(uint32_t *parent, const uint32_t *v, int corners)
{
    for (int c = 1; c < corners; c++) {
        uint32_t a = snag__root_of(parent, v[0]), b = snag__root_of(parent, v[c]);
        // The lower one stays the root, so that the result does not depend on the order.
        if (a < b)
            parent[b] = a;
        else
            parent[a] = b;
    }
}

static size_t count_components(const snag__mesh *mesh, uint32_t *parent)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        parent[v] = v;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        join_corners(parent, mesh->triangles[t], 3);
    for (uint32_t k = 0; k < mesh->tet_count; k++)
        join_corners(parent, mesh->tets[k], 4);
    for (uint32_t r = 0; r < snag__rod_count(mesh); r++)
        join_corners(parent, mesh->thin->rods[r], 2);
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        count += mesh->vertex_used[v] && parent[v] == v;
    return count;
}

// ---- measures of the whole mesh ----

static void measure_box(const snag__mesh *mesh, snag_mesh_report *report)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (int c = 0; c < 3; c++) {
            double x = mesh->x_t1[v][c];
            if (v == 0 || x < report->minimum[c])
                report->minimum[c] = x;
            if (v == 0 || x > report->maximum[c])
                report->maximum[c] = x;
        }
}

// Half of the length of an edge, without overflow for any finite ends.
static double half_length(const double a[3], const double b[3])
{
    double d[3], largest = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = 0.5 * a[c] - 0.5 * b[c];
        largest = fmax(largest, fabs(d[c]));
    }
    if (largest == 0)
        return 0;
    double x = d[0] / largest, y = d[1] / largest, z = d[2] / largest;
    return largest * sqrt(x * x + y * y + z * z);
}

static double mean_edge(const snag__mesh *mesh)
{
    // A running mean: the sum of the lengths may overflow where their mean does not.
    double mean = 0;
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const uint32_t *v = mesh->edges[e];
        mean += (half_length(mesh->x_t1[v[0]], mesh->x_t1[v[1]]) - mean) / (e + 1.0);
    }
    return fmin(2 * mean, DBL_MAX);
}

static uint32_t triangles_at_edge(const snag__mesh *mesh, uint32_t e)
{
    return mesh->edge_triangles.start[e + 1] - mesh->edge_triangles.start[e];
}

// ---- the issues ----

// Whether the triangle runs through the edge from its lower vertex to the other.
static bool runs_upward(const snag__mesh *mesh, uint32_t t, uint32_t e)
{
    int i = mesh->triangle_edges[t][0] == e ? 0 : mesh->triangle_edges[t][1] == e ? 1 : 2;
    return mesh->triangles[t][i] == mesh->edges[e][0];
}

static bool is_flipped(const snag__mesh *mesh, uint32_t e)
{
    if (triangles_at_edge(mesh, e) != 2)
        return false;
    const uint32_t *t = mesh->edge_triangles.items + mesh->edge_triangles.start[e];
    return runs_upward(mesh, t[0], e) == runs_upward(mesh, t[1], e);
}

// A welded vertex is used if the one that it is merged into is.
static bool is_unreferenced(const snag__mesh *mesh, uint32_t v)
{
    return !mesh->vertex_used[mesh->vertex_of != NULL ? mesh->vertex_of[v] : v];
}

// Whether element i has the issue; `other` gets the other element involved.
static bool has_issue(const findings *f, snag_mesh_issue_kind kind, uint32_t i, uint32_t *other)
{
    *other = 0;
    switch (kind) {
    case SNAG_ISSUE_NON_MANIFOLD_EDGE: return triangles_at_edge(f->mesh, i) > 2;
    case SNAG_ISSUE_FLIPPED_EDGE: return is_flipped(f->mesh, i);
    case SNAG_ISSUE_DEGENERATE_TRIANGLE: return f->triangle_flat[i];
    case SNAG_ISSUE_DUPLICATE_TRIANGLE: *other = f->triangle_original[i]; return *other != NOT_A_COPY;
    case SNAG_ISSUE_DEGENERATE_TET: return f->tet_sign[i] == 0;
    case SNAG_ISSUE_INVERTED_TET: return f->tet_sign[i] < 0;
    case SNAG_ISSUE_DUPLICATE_TET: *other = f->tet_original[i]; return *other != NOT_A_COPY;
    case SNAG_ISSUE_UNREFERENCED_VERTEX: return is_unreferenced(f->mesh, i);
    case SNAG_ISSUE_POLYGON_NOT_FLAT: *other = f->mesh->triangle_faces[i]; return (f->polygon_kind[i] & NOT_FLAT) != 0;
    case SNAG_ISSUE_POLYGON_CROSSES_ITSELF: *other = f->mesh->triangle_faces[i]; return (f->polygon_kind[i] & CROSSED) != 0;
    case SNAG_ISSUE_KIND_COUNT: break;
    }
    return false;
}

static snag_element_kind element_of(snag_mesh_issue_kind kind)
{
    switch (kind) {
    case SNAG_ISSUE_NON_MANIFOLD_EDGE:
    case SNAG_ISSUE_FLIPPED_EDGE: return SNAG_EDGE;
    case SNAG_ISSUE_DEGENERATE_TRIANGLE:
    case SNAG_ISSUE_DUPLICATE_TRIANGLE:
    case SNAG_ISSUE_POLYGON_NOT_FLAT:
    case SNAG_ISSUE_POLYGON_CROSSES_ITSELF: return SNAG_TRIANGLE;
    case SNAG_ISSUE_DEGENERATE_TET:
    case SNAG_ISSUE_INVERTED_TET:
    case SNAG_ISSUE_DUPLICATE_TET: return SNAG_TET;
    default: return SNAG_VERTEX;
    }
}

static uint32_t element_count(const snag__mesh *mesh, snag_element_kind kind)
{
    switch (kind) {
    case SNAG_VERTEX: return mesh->vertex_count;
    case SNAG_EDGE: return mesh->edge_count;
    case SNAG_TRIANGLE: return mesh->triangle_count;
    case SNAG_TET: return mesh->tet_count;
    case SNAG_LEAF: break;
    }
    return 0;
}

static size_t count_issues(const findings *f, snag_mesh_report *report)
{
    size_t total = 0;
    for (int kind = 0; kind < SNAG_ISSUE_KIND_COUNT; kind++) {
        uint32_t count = element_count(f->mesh, element_of(kind)), other;
        for (uint32_t i = 0; i < count; i++)
            report->counts[kind] += has_issue(f, kind, i, &other);
        total += report->counts[kind];
    }
    return total;
}

static void write_issues(const findings *f, snag_mesh_issue *issue)
{
    for (int kind = 0; kind < SNAG_ISSUE_KIND_COUNT; kind++) {
        snag_element_kind element = element_of(kind);
        uint32_t count = element_count(f->mesh, element), other;
        for (uint32_t i = 0; i < count; i++) {
            if (!has_issue(f, kind, i, &other))
                continue;
            *issue = (snag_mesh_issue){.kind = kind, .element = {.kind = element, .index = i}, .other = other};
            if (element == SNAG_EDGE)
                memcpy(issue->element.vertex, f->mesh->edges[i], sizeof issue->element.vertex);
            issue++;
        }
    }
}

// ---- the check ----

static void measure(const snag__mesh *mesh, uint32_t *words, snag_mesh_report *report)
{
    report->components = count_components(mesh, words);
    bool sides = false, closed = true;
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        uint32_t triangles = triangles_at_edge(mesh, e);
        report->boundary_edges += triangles == 1;
        sides = sides || triangles > 0;
        closed = closed && (triangles == 2 || triangles == 0);  // 0: a rod
    }
    report->closed = sides && closed;
    measure_box(mesh, report);
    report->mean_edge = mean_edge(mesh);
}

snag_status snag__mesh_check(const snag__mesh *mesh, snag__buffer *issues, snag_mesh_report *report)
{
    SNAG__ASSERT(mesh->triangles != NULL && mesh->tets != NULL && mesh->vertex_used != NULL);
    size_t triangles = mesh->triangle_count, tets = mesh->tet_count;
    size_t sort_words = (triangles * 5 > tets * 6 ? triangles * 5 : tets * 6) + mesh->vertex_count + 1;
    findings f = {.mesh = mesh};
    snag__buffer scratch = {0};
    const snag__room rooms[] = {
        {NULL, &f.triangle_original, triangles, sizeof *f.triangle_original},
        {NULL, &f.tet_original, tets, sizeof *f.tet_original},
        {NULL, &f.triangle_flat, triangles, sizeof *f.triangle_flat},
        {NULL, &f.polygon_kind, triangles, sizeof *f.polygon_kind},
        {NULL, &f.tet_sign, tets, sizeof *f.tet_sign},
        {NULL, &f.sorting, sort_words, sizeof *f.sorting},
    };
    if (!snag__rooms_carve(&mesh->allocator, &scratch, rooms, sizeof rooms / sizeof *rooms))
        return SNAG_ERROR_MEMORY;

    snag_mesh_report made = {0};
    find_copies(&mesh->triangles[0][0], mesh->triangle_count, 3, mesh->vertex_count, f.sorting, f.triangle_original);
    find_copies(&mesh->tets[0][0], mesh->tet_count, 4, mesh->vertex_count, f.sorting, f.tet_original);
    find_flat(&f);
    find_polygons(&f);
    measure(mesh, f.sorting, &made);
    made.issue_count = count_issues(&f, &made);
    bool fits = snag__buffer_reserve(&mesh->allocator, issues, 0, made.issue_count, sizeof(snag_mesh_issue));
    if (fits) {
        made.issues = issues->data;
        write_issues(&f, issues->data);
        *report = made;
    }
    snag__buffer_free(&mesh->allocator, &scratch);
    return fits ? SNAG_OK : SNAG_ERROR_MEMORY;
}
