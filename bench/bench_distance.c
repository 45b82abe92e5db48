// Pairs per second of the distance and box kernels on the candidates of a real folded cloth, for each instruction set, and the
// fraction that needed exact arithmetic.
//
//     bench_distance MESH [distance as a fraction of the diagonal, default 0.001]
//
// Candidates are all vertex-triangle and edge-edge pairs without a shared vertex whose boxes are within the distance. Times are
// processor time, best of several runs, one thread.
#define _POSIX_C_SOURCE 200809L

#include "geom/box.h"
#include "geom/distance.h"
#include "mesh/proximity.h"
#include "snag/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5, BATCH = 4096 };

// Processor time of this process, so that other programs disturb less.
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t count, size_t size)
{
    void *p = aligned_alloc(64, (count * size + 127) / 64 * 64);
    if (p == NULL) {
        fprintf(stderr, "bench_distance: out of memory\n");
        exit(2);
    }
    return p;
}

// ---- candidates ----

typedef struct pair_list {
    uint32_t (*pairs)[2];
    size_t count, capacity;
} pair_list;

static void add_pair(pair_list *list, uint32_t a, uint32_t b)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1 << 20;
        list->pairs = realloc(list->pairs, list->capacity * sizeof *list->pairs);
        if (list->pairs == NULL)
            exit(2);
    }
    list->pairs[list->count][0] = a;
    list->pairs[list->count++][1] = b;
}

static snag__boxes make_boxes(size_t count)
{
    snag__boxes boxes = {.count = count};
    for (int axis = 0; axis < 3; axis++) {
        boxes.lo[axis] = memory(snag__box_padded(count) + 16, sizeof(float));
        boxes.hi[axis] = memory(snag__box_padded(count) + 16, sizeof(float));
    }
    return boxes;
}

// Boxes sorted by their low x, with their elements: the boxes that can overlap a given box form one contiguous run.
typedef struct sorted_boxes {
    snag__boxes boxes;
    uint32_t *element;
    float widest;
} sorted_boxes;

static const float *sort_keys;

static int by_low_x(const void *a, const void *b)
{
    float x = sort_keys[*(const uint32_t *)a], y = sort_keys[*(const uint32_t *)b];
    return (x > y) - (x < y);
}

static sorted_boxes sort_boxes(const snag__boxes *from)
{
    sorted_boxes s = {.boxes = make_boxes(from->count), .element = memory(from->count, sizeof(uint32_t))};
    for (size_t i = 0; i < from->count; i++) {
        s.element[i] = (uint32_t)i;
        s.widest = fmaxf(s.widest, from->hi[0][i] - from->lo[0][i]);
    }
    sort_keys = from->lo[0];
    qsort(s.element, from->count, sizeof *s.element, by_low_x);
    for (size_t i = 0; i < from->count; i++)
        for (int axis = 0; axis < 3; axis++) {
            s.boxes.lo[axis][i] = from->lo[axis][s.element[i]];
            s.boxes.hi[axis][i] = from->hi[axis][s.element[i]];
        }
    snag__boxes_pad(&s.boxes);
    return s;
}

static size_t first_not_below(const sorted_boxes *s, float x)
{
    size_t low = 0, high = s->boxes.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->boxes.lo[0][middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t columns_over(const sorted_boxes *s, const snag__boxes *rows, size_t row, uint32_t *hits)
{
    const float lo[3] = {rows->lo[0][row], rows->lo[1][row], rows->lo[2][row]};
    const float hi[3] = {rows->hi[0][row], rows->hi[1][row], rows->hi[2][row]};
    size_t first = first_not_below(s, nextafterf(lo[0] - s->widest, -INFINITY));
    size_t last = first_not_below(s, nextafterf(hi[0], INFINITY));
    return first < last ? snag__box_kernels_for(snag__isa_best())->overlaps(&s->boxes, first, last, lo, hi, hits) : 0;
}

static void find_candidates(const snag__mesh *mesh, double d, pair_list *vertex_triangle, pair_list *edge_edge)
{
    const snag__box_kernels *kernels = snag__box_kernels_for(snag__isa_best());
    const double(*x)[3] = (const double(*)[3])mesh->x_t1;
    snag__boxes vertices = make_boxes(mesh->vertex_count), triangles = make_boxes(mesh->triangle_count),
                edges = make_boxes(mesh->edge_count);
    kernels->from_vertices(NULL, x, 0, mesh->vertex_count, d / 2, &vertices);
    kernels->from_triangles(NULL, x, (const uint32_t(*)[3])mesh->triangles, 0, mesh->triangle_count, d / 2, &triangles);
    kernels->from_edges(NULL, x, (const uint32_t(*)[2])mesh->edges, 0, mesh->edge_count, d / 2, &edges);
    sorted_boxes sorted_vertices = sort_boxes(&vertices), sorted_edges = sort_boxes(&edges);
    uint32_t *hits = memory(mesh->edge_count + mesh->vertex_count + 16, sizeof *hits);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles[t];
        size_t count = columns_over(&sorted_vertices, &triangles, t, hits);
        for (size_t i = 0; i < count; i++) {
            uint32_t v = sorted_vertices.element[hits[i]];
            if (v != c[0] && v != c[1] && v != c[2])
                add_pair(vertex_triangle, t, v);
        }
    }
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const uint32_t *a = mesh->edges[e];
        size_t count = columns_over(&sorted_edges, &edges, e, hits);
        for (size_t i = 0; i < count; i++) {
            uint32_t f = sorted_edges.element[hits[i]];
            const uint32_t *b = mesh->edges[f];
            if (e < f && a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1])
                add_pair(edge_edge, e, f);
        }
    }
    free(hits);
}

// ---- rows ----

static void row(const char *what, const char *isa, size_t pairs, double best, const char *words, double share)
{
    printf("%-28s %-10s %10zu pairs %9.2f ms %8.1f M/s %7.1f ns", what, isa, pairs, 1e3 * best, 1e-6 * (double)pairs / best,
           1e9 * best / (double)pairs);
    if (words != NULL)
        printf("   %s %.3f %%", words, 100 * share);
    printf("\n");
}

typedef struct scene {
    const snag__mesh *mesh;
    double d;
    pair_list vt, ee;
    uint32_t *near;
    snag__distance *out;
} scene;

static snag__vertex_triangles vertex_triangles(const scene *s, size_t first, size_t count)
{
    const double(*x)[3] = (const double(*)[3])s->mesh->x_t1;
    return (snag__vertex_triangles){x, x, (const uint32_t(*)[3])s->mesh->triangles, (const uint32_t(*)[2])s->vt.pairs + first,
                                    count};
}

static snag__edge_edges edge_edges(const scene *s, size_t first, size_t count)
{
    const double(*x)[3] = (const double(*)[3])s->mesh->x_t1;
    const uint32_t(*edges)[2] = (const uint32_t(*)[2])s->mesh->edges;
    return (snag__edge_edges){x, x, edges, edges, (const uint32_t(*)[2])s->ee.pairs + first, count};
}

static size_t batch_size(size_t count, size_t first)
{
    return count - first < BATCH ? count - first : BATCH;
}

// One run over all pairs of a kind. Returns the number of pairs kept; `exact` gets the number that needed integer arithmetic.
typedef size_t run(const scene *s, snag_isa isa, size_t *exact);

static size_t sieve_vertex_triangles(const scene *s, snag_isa isa, size_t *exact)
{
    *exact = 0;
    size_t left = 0;
    for (size_t i = 0; i < s->vt.count; i += BATCH) {
        snag__vertex_triangles batch = vertex_triangles(s, i, batch_size(s->vt.count, i));
        left += snag__distance_kernels_for(isa)->vertex_triangles_near(&batch, s->d, s->near);
    }
    return left;
}

static size_t sieve_edge_edges(const scene *s, snag_isa isa, size_t *exact)
{
    *exact = 0;
    size_t left = 0;
    for (size_t i = 0; i < s->ee.count; i += BATCH) {
        snag__edge_edges batch = edge_edges(s, i, batch_size(s->ee.count, i));
        left += snag__distance_kernels_for(isa)->edge_edges_near(&batch, s->d, s->near);
    }
    return left;
}

static size_t all_vertex_triangles(const scene *s, snag_isa isa, size_t *exact)
{
    size_t left = 0;
    for (size_t i = 0; i < s->vt.count; i += BATCH) {
        snag__vertex_triangles batch = vertex_triangles(s, i, batch_size(s->vt.count, i));
        size_t count = snag__vertex_triangles_within(snag__distance_kernels_for(isa), &batch, s->d, s->near, s->out);
        for (size_t k = 0; k < count; k++)
            *exact += s->out[k].gap.exact;
        left += count;
    }
    return left;
}

static size_t all_edge_edges(const scene *s, snag_isa isa, size_t *exact)
{
    size_t left = 0;
    for (size_t i = 0; i < s->ee.count; i += BATCH) {
        snag__edge_edges batch = edge_edges(s, i, batch_size(s->ee.count, i));
        size_t count = snag__edge_edges_within(snag__distance_kernels_for(isa), &batch, s->d, s->near, s->out);
        for (size_t k = 0; k < count; k++)
            *exact += s->out[k].gap.exact;
        left += count;
    }
    return left;
}

static size_t single_vertex_triangles(const scene *s, snag_isa isa, size_t *exact)
{
    (void)isa;
    size_t left = 0;
    const double(*x)[3] = (const double(*)[3])s->mesh->x_t1;
    for (size_t i = 0; i < s->vt.count; i++) {
        const uint32_t *c = s->mesh->triangles[s->vt.pairs[i][0]];
        const double *const corner[3] = {x[c[0]], x[c[1]], x[c[2]]};
        left += snag__vertex_triangle_within(x[s->vt.pairs[i][1]], corner, s->d, s->out);
        *exact += s->out->gap.exact;
    }
    return left;
}

static size_t single_edge_edges(const scene *s, snag_isa isa, size_t *exact)
{
    (void)isa;
    size_t left = 0;
    const double(*x)[3] = (const double(*)[3])s->mesh->x_t1;
    for (size_t i = 0; i < s->ee.count; i++) {
        const uint32_t *a = s->mesh->edges[s->ee.pairs[i][0]], *b = s->mesh->edges[s->ee.pairs[i][1]];
        const double *const ends_a[2] = {x[a[0]], x[a[1]]}, *const ends_b[2] = {x[b[0]], x[b[1]]};
        left += snag__edge_edge_within(ends_a, ends_b, s->d, s->out);
        *exact += s->out->gap.exact;
    }
    return left;
}

static size_t contact_vertex_triangles(const scene *s, snag_isa isa, size_t *exact)
{
    static snag__proximity contacts[SNAG__PROXIMITY_BATCH];
    size_t count = 0;
    for (size_t i = 0; i < s->vt.count; i += SNAG__PROXIMITY_BATCH) {
        size_t now = s->vt.count - i < SNAG__PROXIMITY_BATCH ? s->vt.count - i : SNAG__PROXIMITY_BATCH;
        const uint32_t(*pairs)[2] = (const uint32_t(*)[2])s->vt.pairs + i;
        count += snag__proximity_vertex_triangles(snag__distance_kernels_for(isa), s->mesh, s->mesh, true, pairs, now,
                                                  snag__limit_of(s->d), NULL, contacts, exact);
    }
    return count;
}

static size_t contact_edge_edges(const scene *s, snag_isa isa, size_t *exact)
{
    size_t count = 0;
    for (size_t i = 0; i < s->ee.count; i += SNAG__PROXIMITY_BATCH) {
        size_t now = s->ee.count - i < SNAG__PROXIMITY_BATCH ? s->ee.count - i : SNAG__PROXIMITY_BATCH;
        const uint32_t(*pairs)[2] = (const uint32_t(*)[2])s->ee.pairs + i;
        count += snag__proximity_edge_edges(snag__distance_kernels_for(isa), s->mesh, s->mesh, pairs, now, snag__limit_of(s->d),
                                            s->near, exact);
    }
    return count;
}

static void measure(const char *what, const scene *s, snag_isa isa, size_t pairs, run *run_once, bool says_exact)
{
    double best = INFINITY;
    size_t left = 0, exact = 0;
    for (int i = 0; i < REPEATS; i++) {
        exact = 0;
        double start = seconds();
        left = run_once(s, isa, &exact);
        best = fmin(best, seconds() - start);
    }
    row(what, snag_isa_name(isa), pairs, best, "left", (double)left / (double)pairs);
    if (says_exact)
        printf("%-28s %-10s %10zu needed integers, %.4f %% of the pairs\n", "", "", exact, 100.0 * (double)exact / (double)pairs);
}

// ---- boxes ----

static void measure_boxes(const snag__mesh *mesh, double d, snag_isa isa)
{
    enum { ROWS = 512 };
    const snag__box_kernels *kernels = snag__box_kernels_for(isa);
    const double(*x)[3] = (const double(*)[3])mesh->x_t1;
    const size_t count = mesh->triangle_count;
    snag__boxes boxes = make_boxes(count);
    uint32_t *hits = memory(count + 16, sizeof *hits);
    double build = INFINITY, overlap = INFINITY;
    size_t found = 0;
    for (int i = 0; i < REPEATS; i++) {
        double start = seconds();
        kernels->from_triangles(NULL, x, (const uint32_t(*)[3])mesh->triangles, 0, count, d / 2, &boxes);
        build = fmin(build, seconds() - start);
        snag__boxes_pad(&boxes);
        start = seconds();
        found = 0;
        for (size_t t = 0; t < ROWS; t++) {
            size_t r = t * (count / ROWS);
            const float lo[3] = {boxes.lo[0][r], boxes.lo[1][r], boxes.lo[2][r]};
            const float hi[3] = {boxes.hi[0][r], boxes.hi[1][r], boxes.hi[2][r]};
            found += kernels->overlaps(&boxes, 0, count, lo, hi, hits);
        }
        overlap = fmin(overlap, seconds() - start);
    }
    row("boxes of triangles", snag_isa_name(isa), count, build, NULL, 0);
    row("box against boxes", snag_isa_name(isa), ROWS * count, overlap, "left", (double)found / (double)(ROWS * count));
    for (int k = 14; k <= 26; k += k == 14 ? 4 : 8) {
        snag__kdops kdops = {.count = count, .k = (uint32_t)k};
        for (int slab = 0; slab < k / 2; slab++) {
            kdops.lo[slab] = memory(snag__box_padded(count) + 16, sizeof(float));
            kdops.hi[slab] = memory(snag__box_padded(count) + 16, sizeof(float));
        }
        build = overlap = INFINITY;
        for (int i = 0; i < REPEATS; i++) {
            double start = seconds();
            kernels->kdop_from_elements(NULL, x, (const uint32_t *)mesh->triangles, 3, 0, count, d / 2, &kdops);
            build = fmin(build, seconds() - start);
            snag__kdops_pad(&kdops);
            start = seconds();
            found = 0;
            for (size_t t = 0; t < ROWS; t++) {
                float lo[SNAG__KDOP_SLABS_MAX], hi[SNAG__KDOP_SLABS_MAX];
                for (int slab = 0; slab < k / 2; slab++) {
                    lo[slab] = kdops.lo[slab][t * (count / ROWS)];
                    hi[slab] = kdops.hi[slab][t * (count / ROWS)];
                }
                found += kernels->kdop_overlaps(&kdops, 0, count, lo, hi, hits);
            }
            overlap = fmin(overlap, seconds() - start);
        }
        char name[64];
        snprintf(name, sizeof name, "%d-DOPs of triangles", k);
        row(name, snag_isa_name(isa), count, build, NULL, 0);
        snprintf(name, sizeof name, "%d-DOP against %d-DOPs", k, k);
        row(name, snag_isa_name(isa), ROWS * count, overlap, "left", (double)found / (double)(ROWS * count));
        for (int slab = 0; slab < k / 2; slab++) {
            free(kdops.lo[slab]);
            free(kdops.hi[slab]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        free(boxes.lo[axis]);
        free(boxes.hi[axis]);
    }
    free(hits);
}

static double diagonal(const snag__mesh *mesh)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            lo = fmin(lo, mesh->x_t1[v][k]);
            hi = fmax(hi, mesh->x_t1[v][k]);
        }
        square += (hi - lo) * (hi - lo);
    }
    return sqrt(square);
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "bench_distance MESH [distance as a part of the diagonal]\n");
        return 2;
    }
    snag_io_mesh file;
    snag_io_error io_error;
    if (snag_io_read_mesh(words[1], &file, &io_error) != SNAG_OK || file.body_count == 0 || file.bodies[0].polygon_sizes != NULL) {
        fprintf(stderr, "bench_distance: %s\n", io_error.message[0] ? io_error.message : "a mesh of triangles is wanted");
        return 2;
    }
    const snag_io_body *body = &file.bodies[0];
    snag_body_def def = {.positions = snag_positions_f64(body->positions, body->vertex_count),
                         .triangles = body->polygon_vertices,
                         .triangle_count = body->polygon_count};
    snag_allocator allocator = snag__default_allocator();
    snag__mesh mesh;
    snag__mesh_error mesh_error;
    if (snag__mesh_from_def(&def, &allocator, &mesh, &mesh_error) != SNAG_OK) {
        fprintf(stderr, "bench_distance: %s\n", mesh_error.message);
        return 2;
    }
    scene s = {.mesh = &mesh, .d = diagonal(&mesh) * (count > 2 ? strtod(words[2], NULL) : 0.001)};
    s.near = memory(BATCH, sizeof *s.near);
    s.out = memory(BATCH, sizeof *s.out);
    find_candidates(&mesh, s.d, &s.vt, &s.ee);
    printf("%u vertices, %u edges, %u triangles; distance %g; %zu vertex-triangle and %zu edge-edge candidates\n",
           mesh.vertex_count, mesh.edge_count, mesh.triangle_count, s.d, s.vt.count, s.ee.count);
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available((snag_isa)isa))
            continue;
        measure("vertex-triangle sieve", &s, (snag_isa)isa, s.vt.count, sieve_vertex_triangles, false);
        measure("edge-edge sieve", &s, (snag_isa)isa, s.ee.count, sieve_edge_edges, false);
        measure("vertex-triangle distance", &s, (snag_isa)isa, s.vt.count, all_vertex_triangles, true);
        measure("edge-edge distance", &s, (snag_isa)isa, s.ee.count, all_edge_edges, true);
        measure("vertex-triangle contacts", &s, (snag_isa)isa, s.vt.count, contact_vertex_triangles, true);
        measure("edge-edge contacts", &s, (snag_isa)isa, s.ee.count, contact_edge_edges, true);
        measure_boxes(&mesh, s.d, (snag_isa)isa);
    }
    measure("vertex-triangle, no sieve", &s, SNAG_ISA_SCALAR, s.vt.count, single_vertex_triangles, true);
    measure("edge-edge, no sieve", &s, SNAG_ISA_SCALAR, s.ee.count, single_edge_edges, true);
    return 0;
}
