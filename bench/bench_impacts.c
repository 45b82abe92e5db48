// Compares the cost of an impact query with that of the swept-box test of the same pair. The pairs are all pairs of one step whose
// swept boxes overlap: vertex-triangle and edge-edge, without a shared vertex.
//
//     bench_impacts [first.ply second.ply]
//
// Without files: cloth-ball 92 -> 93 in the folder SNAG_DATA. One thread. Times are processor time, minimum of interleaved
// repetitions. The box test reads two precomputed boxes; the impact query reads vertices. Both loop over the same array of pairs.
#define _POSIX_C_SOURCE 200809L
#include "measure.h"
#include "geom/box.h"
#include "geom/impact.h"
#include "snag/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };
#define TOLERANCE 1e-6

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- the scene ----

typedef struct scene {
    double (*x_t0)[3], (*x_t1)[3];
    uint32_t (*triangles)[3], (*edges)[2];
    size_t vertex_count, triangle_count, edge_count;
} scene;

static snag_io_body read_body(const char *path)
{
    snag_io_mesh mesh;
    snag_io_error error = {0};
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK || mesh.body_count != 1 || mesh.bodies[0].polygon_sizes) {
        fprintf(stderr, "%s\n", error.status != SNAG_OK ? error.message : "one body of triangles is wanted");
        exit(2);
    }
    return mesh.bodies[0];
}

static int by_vertices(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void read_scene(const char *first, const char *second, scene *s)
{
    snag_io_body body_t0 = read_body(first), body_t1 = read_body(second);
    *s = (scene){.x_t0 = (double(*)[3])body_t0.positions,
                 .x_t1 = (double(*)[3])body_t1.positions,
                 .triangles = (uint32_t(*)[3])body_t0.polygon_vertices,
                 .vertex_count = body_t0.vertex_count,
                 .triangle_count = body_t0.polygon_count};
    s->edges = measure_array(3 * s->triangle_count, sizeof *s->edges);
    size_t count = 0;
    for (size_t t = 0; t < s->triangle_count; t++)
        for (int i = 0; i < 3; i++, count++) {
            uint32_t v = s->triangles[t][i], w = s->triangles[t][(i + 1) % 3];
            s->edges[count][0] = v < w ? v : w;
            s->edges[count][1] = v < w ? w : v;
        }
    qsort(s->edges, count, sizeof *s->edges, by_vertices);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || by_vertices(s->edges[i], s->edges[s->edge_count - 1]) != 0)
            memmove(s->edges[s->edge_count++], s->edges[i], sizeof *s->edges);
}

// ---- swept boxes, and the overlapping pairs of them, found with a grid ----

typedef struct box {
    float lo[3], hi[3];
} box;

static box *make_boxes(const scene *s, const uint32_t *elements, uint32_t corners, size_t count)
{
    snag__boxes wide = {.count = count};
    box *boxes = measure_array(count, sizeof *boxes);
    for (int k = 0; k < 3; k++) {
        wide.lo[k] = measure_array(snag__box_padded(count), sizeof(float));
        wide.hi[k] = measure_array(snag__box_padded(count), sizeof(float));
    }
    const snag__box_kernels *kernels = snag__box_kernels_for(snag__isa_best());
    const double(*x_t0)[3] = (const double(*)[3])s->x_t0, (*x_t1)[3] = (const double(*)[3])s->x_t1;
    if (corners == 1)
        kernels->from_vertices(x_t0, x_t1, 0, count, 0, &wide);
    else if (corners == 2)
        kernels->from_edges(x_t0, x_t1, (const uint32_t(*)[2])elements, 0, count, 0, &wide);
    else
        kernels->from_triangles(x_t0, x_t1, (const uint32_t(*)[3])elements, 0, count, 0, &wide);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < count; i++) {
            boxes[i].lo[k] = wide.lo[k][i];
            boxes[i].hi[k] = wide.hi[k][i];
        }
        free(wide.lo[k]);
        free(wide.hi[k]);
    }
    return boxes;
}

static inline bool overlap(const box *a, const box *b)
{
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) &
           (a->lo[2] <= b->hi[2]) & (b->lo[2] <= a->hi[2]);
}

typedef struct grid {
    float lo[3], cell;
    int size[3];
    uint32_t *start, *items;
} grid;

static void cell_of(const grid *g, const float p[3], int cell[3])
{
    for (int k = 0; k < 3; k++) {
        int c = (int)((p[k] - g->lo[k]) / g->cell);
        cell[k] = c < 0 ? 0 : c >= g->size[k] ? g->size[k] - 1 : c;
    }
}

static size_t cell_number(const grid *g, const int at[3])
{
    return ((size_t)at[2] * (size_t)g->size[1] + (size_t)at[1]) * (size_t)g->size[0] + (size_t)at[0];
}

// Iterates over the cells that a box covers.
typedef struct cells {
    int first[3], last[3], at[3];
} cells;

static cells cells_of(const grid *g, const box *b)
{
    cells c;
    cell_of(g, b->lo, c.first);
    cell_of(g, b->hi, c.last);
    memcpy(c.at, c.first, sizeof c.at);
    return c;
}

static bool next_cell(cells *c)
{
    for (int k = 0; k < 3; k++) {
        if (c->at[k] < c->last[k]) {
            c->at[k]++;
            return true;
        }
        c->at[k] = c->first[k];
    }
    return false;
}

static grid make_grid(const box *boxes, size_t count)
{
    grid g = {.lo = {INFINITY, INFINITY, INFINITY}};
    float hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            g.lo[k] = fminf(g.lo[k], boxes[i].lo[k]);
            hi[k] = fmaxf(hi[k], boxes[i].hi[k]);
            sum += (double)boxes[i].hi[k] - (double)boxes[i].lo[k];
        }
    g.cell = (float)(1.5 * sum / (3 * (double)count));
    size_t total = 1;
    for (int k = 0; k < 3; k++) {
        g.size[k] = (int)((hi[k] - g.lo[k]) / g.cell) + 1;
        total *= (size_t)g.size[k];
    }
    // Counting sort: counts go two slots ahead, so that after filling start[c] is where cell c begins.
    g.start = measure_array(total + 2, sizeof *g.start);
    memset(g.start, 0, (total + 2) * sizeof *g.start);
    for (size_t i = 0; i < count; i++) {
        cells c = cells_of(&g, &boxes[i]);
        do {
            g.start[cell_number(&g, c.at) + 2]++;
        } while (next_cell(&c));
    }
    for (size_t c = 2; c < total + 2; c++)
        g.start[c] += g.start[c - 1];
    g.items = measure_array(g.start[total + 1] + 1, sizeof *g.items);
    for (size_t i = 0; i < count; i++) {
        cells c = cells_of(&g, &boxes[i]);
        do {
            g.items[g.start[cell_number(&g, c.at) + 1]++] = (uint32_t)i;
        } while (next_cell(&c));
    }
    return g;
}

static bool share_vertex(const scene *s, snag__impact_pair pair, uint32_t a, uint32_t b)
{
    if (pair == SNAG__IMPACT_EDGE_EDGE) {
        const uint32_t *e = s->edges[a], *f = s->edges[b];
        return e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1];
    }
    const uint32_t *t = s->triangles[b];
    return t[0] == a || t[1] == a || t[2] == a;
}

// Lists each pair once: in the cell where the overlap of the two boxes begins.
static bool is_home(const grid *g, const int at[3], const box *a, const box *b)
{
    float begin[3];
    int home[3];
    for (int k = 0; k < 3; k++)
        begin[k] = fmaxf(a->lo[k], b->lo[k]);
    cell_of(g, begin, home);
    return home[0] == at[0] && home[1] == at[1] && home[2] == at[2];
}

// With pairs NULL it only counts.
static size_t list_pairs(const scene *s, snag__impact_pair pair, const box *a, size_t a_count, const box *b, const grid *g,
                         uint32_t (*pairs)[2])
{
    size_t count = 0;
    for (uint32_t i = 0; i < a_count; i++) {
        cells c = cells_of(g, &a[i]);
        do {
            size_t cell = cell_number(g, c.at);
            for (uint32_t k = g->start[cell]; k < g->start[cell + 1]; k++) {
                uint32_t j = g->items[k];
                if ((pair == SNAG__IMPACT_EDGE_EDGE && j <= i) || !overlap(&a[i], &b[j]) || !is_home(g, c.at, &a[i], &b[j]) ||
                    share_vertex(s, pair, i, j))
                    continue;
                if (pairs) {
                    pairs[count][0] = i;
                    pairs[count][1] = j;
                }
                count++;
            }
        } while (next_cell(&c));
    }
    return count;
}

// ---- the measured loops ----

static size_t test_boxes(const box *a, const box *b, const uint32_t (*pairs)[2], size_t count)
{
    size_t hits = 0;
    for (size_t i = 0; i < count; i++)
        hits += overlap(&a[pairs[i][0]], &b[pairs[i][1]]);
    return hits;
}

typedef struct found {
    size_t meets, unresolved, exact;
    double earliest;
} found;

static found find_open(const snag__impact_run *run, const uint32_t *open, size_t count)
{
    found f = {.earliest = 1};
    for (size_t i = 0; i < count; i++) {
        snag__motion motion;
        snag__impact_run_motion(run, open[i], &motion);
        snag__impact impact = snag__impact_find(&motion, 0, TOLERANCE);
        f.meets += impact.verdict == SNAG__IMPACT_MEETS;
        f.unresolved += impact.verdict == SNAG__IMPACT_UNRESOLVED;
        f.exact += impact.exact;
        f.earliest = fmin(f.earliest, impact.t);
    }
    return f;
}

static void keep_least(double *least, double time)
{
    *least = fmin(*least, time);
}

static void measure(const scene *s, snag__impact_pair pair)
{
    bool edges = pair == SNAG__IMPACT_EDGE_EDGE;
    size_t a_count = edges ? s->edge_count : s->vertex_count, b_count = edges ? s->edge_count : s->triangle_count;
    box *boxes_b = make_boxes(s, edges ? s->edges[0] : s->triangles[0], edges ? 2 : 3, b_count);
    box *boxes_a = edges ? boxes_b : make_boxes(s, NULL, 1, a_count);
    grid g = make_grid(boxes_b, b_count);
    size_t count = list_pairs(s, pair, boxes_a, a_count, boxes_b, &g, NULL);
    uint32_t(*pairs)[2] = measure_array(count, sizeof *pairs);
    list_pairs(s, pair, boxes_a, a_count, boxes_b, &g, pairs);

    snag__impact_run run = {.pair = pair, .pairs = (const uint32_t(*)[2])pairs};
    run.a.x_t0 = run.b.x_t0 = (const double(*)[3])s->x_t0;
    run.a.x_t1 = run.b.x_t1 = (const double(*)[3])s->x_t1;
    run.a.elements = edges ? s->edges[0] : NULL;
    run.b.elements = edges ? s->edges[0] : s->triangles[0];
    uint32_t *open = measure_array(count, sizeof *open);

    double box_time = INFINITY, find_time = INFINITY, filter_time[SNAG_ISA_NEON + 1];
    size_t open_count = 0;
    found f = {0};
    for (int isa = 0; isa <= SNAG_ISA_NEON; isa++)
        filter_time[isa] = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = now();
        size_t overlaps = test_boxes(boxes_a, boxes_b, run.pairs, count);
        keep_least(&box_time, now() - start);
        for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            if (!snag__isa_available((snag_isa)isa))
                continue;
            start = now();
            open_count = snag__impact_kernels_for((snag_isa)isa)->filter(&run, 0, count, open);
            keep_least(&filter_time[isa], now() - start);
        }
        start = now();
        f = find_open(&run, open, open_count);
        keep_least(&find_time, now() - start);
        if (overlaps != count)
            printf("  the box test disagrees with the list\n");
    }

    double n = (double)count;
    printf("%s: %zu pairs, %zu meet, %zu unresolved, earliest at %.9g\n", edges ? "edge-edge" : "vertex-face", count, f.meets,
           f.unresolved, f.earliest);
    printf("  swept boxes: %.2f ns a pair, %.1f million pairs a second\n", 1e9 * box_time / n, 1e-6 * n / box_time);
    printf("  the filter leaves %.3f %% open; %.4f %% need integers\n", 100 * (double)open_count / n, 100 * (double)f.exact / n);
    printf("  open pairs: %.0f ns each, %.2f ns a pair\n", 1e9 * find_time / (double)open_count, 1e9 * find_time / n);
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
        if (filter_time[isa] < INFINITY) {
            double all = filter_time[isa] + find_time;
            printf("  %-9s: filter %.2f ns, whole query %.2f ns, %.1f million pairs a second, %.1f times the boxes\n",
                   snag_isa_name((snag_isa)isa), 1e9 * filter_time[isa] / n, 1e9 * all / n, 1e-6 * n / all, all / box_time);
        }
    free(open);
    free(pairs);
    free(g.start);
    free(g.items);
    free(boxes_b);
    if (!edges)
        free(boxes_a);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("SNAG_DATA");
    char first[1024], second[1024];
    if (argc == 3) {
        snprintf(first, sizeof first, "%s", argv[1]);
        snprintf(second, sizeof second, "%s", argv[2]);
    } else if (argc == 1 && folder) {
        snprintf(first, sizeof first, "%s/ccd_scenes/cloth-ball/frames/cloth_ball92.ply", folder);
        snprintf(second, sizeof second, "%s/ccd_scenes/cloth-ball/frames/cloth_ball93.ply", folder);
    } else {
        fprintf(stderr, "usage: bench_impacts [first.ply second.ply], or SNAG_DATA names the folder of the data\n");
        return 2;
    }
    scene s;
    read_scene(first, second, &s);
    printf("%zu vertices, %zu triangles, %zu edges; tolerance %g\n", s.vertex_count, s.triangle_count, s.edge_count, TOLERANCE);
    measure(&s, SNAG__IMPACT_VERTEX_FACE);
    measure(&s, SNAG__IMPACT_EDGE_EDGE);
    return 0;
}
