// Pairs per second of the triangle kernels, one thread, for every instruction set:
//     build-bench/bench_triangles [MESH]
// on pairs of triangles of a mesh with overlapping boxes (default: frame 92 of cloth-ball in SNAG_DATA). Segment-triangle takes an
// edge of the first triangle of each pair. Point-in-tetrahedron takes the first triangle and a corner of the second as the
// tetrahedron, and another corner of the second as the point.
#include <math.h>
#include <string.h>
#include <time.h>

#include "candidates.h"
#include "geom/edge_plane.h"
#include "geom/geom.h"
#include "geom/segment.h"
#include "geom/tetrahedron_kernel.h"
#include "geom/triangle_kernel.h"

enum { REPEATS = 7 };

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;  // processor time of this process: other programs do not count
}

// One measured workload: runs once with the kernels of an instruction set and returns how many pairs needed exact arithmetic.
typedef struct work {
    const char *what;
    size_t count;
    size_t (*run)(const struct work *work, snag_isa isa);
    const void *input;
    void *output;
} work;

static size_t run_triangles(const work *w, snag_isa isa)
{
    return snag__triangle_kernels_for(isa)->meet(w->input, w->output);
}

static size_t run_segments(const work *w, snag_isa isa)
{
    return snag__segment_kernels_for(isa)->meet(w->input, w->output);
}

static size_t run_tets(const work *w, snag_isa isa)
{
    return snag__tet_kernels_for(isa)->inside(w->input, w->output);
}

static size_t run_tets_half_spaces(const work *w, snag_isa isa)
{
    return snag__tet_kernels_for(isa)->inside_half_spaces(w->input, w->output);
}

static size_t run_ends(const work *w, snag_isa isa)
{
    return snag__triangles_segments(w->input, isa, w->output);
}

static void measure(const work *w)
{
    for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available(isa))
            continue;
        double best = 1e300;
        size_t exact = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double start = seconds();
            exact = w->run(w, isa);
            double taken = seconds() - start;
            best = taken < best ? taken : best;
        }
        printf("%-34s %-10s %8zu pairs %7.1f ns %7.1f M/s  exact %.3f %%\n", w->what, snag_isa_name(isa), w->count,
               best / (double)w->count * 1e9, (double)w->count / best * 1e-6, 100.0 * (double)exact / (double)w->count);
    }
}

static snag__triangle_pairs triangle_pairs(const candidates *c, size_t first, size_t count, bool same_body)
{
    return (snag__triangle_pairs){
        .x_a = (const double(*)[3])c->positions,
        .triangles_a = (const uint32_t(*)[3])c->triangles,
        .x_b = (const double(*)[3])c->positions,
        .triangles_b = (const uint32_t(*)[3])c->triangles,
        .same_body = same_body,
        .pairs = (const uint32_t(*)[2])c->pairs + first,
        .count = count,
    };
}

typedef struct filtered {
    const candidates *mesh;
    snag__triangle_pairs pairs;
    snag__f32_triangle *near;
    uint8_t *meeting;
} filtered;

// Includes the copy to single precision, which every step must make.
static size_t run_filtered(const work *w, snag_isa isa)
{
    const filtered *f = w->input;
    static const double centre[3];
    snag__f32_filter_kernels_for(isa)->fill(f->pairs.x_a, f->pairs.triangles_a, f->mesh->triangle_count, centre, f->near);
    return snag__triangle_kernels_for(isa)->meet(&f->pairs, f->meeting);
}

// All candidates through the single-precision filter.
static void measure_filtered(const candidates *c, uint8_t *meeting)
{
    double reach = 0;
    for (size_t i = 0; i < 3 * c->vertex_count; i++)
        reach = fmax(reach, fabs(c->positions[i / 3][i % 3]));
    snag__f32_triangle *near = aligned_alloc(64, c->triangle_count * sizeof *near);
    snag__f32_pairs near_pairs = {near, near, snag__f32_rounding(reach), true};
    filtered f = {c, triangle_pairs(c, 0, c->pair_count, true), near, meeting};
    f.pairs.near = &near_pairs;
    measure(&(work){"triangles, all, filtered", f.pairs.count, run_filtered, &f, meeting});
    free(near);
}

// Runs triangle-triangle on all candidates; writes the verdict on each pair to `meeting`.
static void measure_triangles(const candidates *c, uint8_t *meeting)
{
    snag__triangle_pairs two_bodies = triangle_pairs(c, 0, c->unshared_count, false);
    snag__triangle_pairs unshared = triangle_pairs(c, 0, c->unshared_count, true);
    snag__triangle_pairs shared = triangle_pairs(c, c->unshared_count, c->pair_count - c->unshared_count, true);
    snag__triangle_pairs all = triangle_pairs(c, 0, c->pair_count, true);
    measure(&(work){"triangles, as two bodies", two_bodies.count, run_triangles, &two_bodies, meeting});
    measure(&(work){"triangles, none shared", unshared.count, run_triangles, &unshared, meeting});
    measure(&(work){"triangles, some shared", shared.count, run_triangles, &shared, meeting});
    measure(&(work){"triangles, all", all.count, run_triangles, &all, meeting});
    measure_filtered(c, meeting);
    size_t kinds[5] = {0};
    for (size_t i = 0; i < c->pair_count; i++)
        kinds[meeting[i] & SNAG__MEETING_MASK]++;
    printf("crossing %zu, touching %zu, coplanar %zu\n", kinds[SNAG__CROSSING], kinds[SNAG__TOUCHING], kinds[SNAG__COPLANAR]);
}

// The segment ends of the intersecting pairs.
static void measure_ends(const candidates *c, const uint8_t *meeting)
{
    uint32_t(*pairs)[2] = malloc(c->pair_count * sizeof *pairs);
    size_t count = 0;
    for (size_t i = 0; i < c->pair_count; i++)
        if (meeting[i] != SNAG__APART && meeting[i] != SNAG__DEGENERATE)
            memcpy(pairs[count++], c->pairs[i], sizeof *pairs);
    double(*segments)[2][3] = malloc((count + 1) * sizeof *segments);
    snag__triangle_pairs meeting_pairs = triangle_pairs(c, 0, count, true);
    meeting_pairs.pairs = (const uint32_t(*)[2])pairs;
    if (count > 0)
        measure(&(work){"ends of the segments", count, run_ends, &meeting_pairs, segments});
    free(segments);
    free(pairs);
}

static void measure_others(const candidates *c, uint8_t *output)
{
    uint32_t(*edges)[2] = malloc(c->triangle_count * sizeof *edges);
    uint32_t(*tets)[4] = malloc(c->unshared_count * sizeof *tets);
    uint32_t(*pairs)[2] = malloc(c->unshared_count * sizeof *pairs);
    for (size_t t = 0; t < c->triangle_count; t++)
        memcpy(edges[t], c->triangles[t], sizeof edges[t]);
    for (size_t i = 0; i < c->unshared_count; i++) {
        memcpy(tets[i], c->triangles[c->pairs[i][0]], 3 * sizeof tets[i][0]);
        tets[i][3] = c->triangles[c->pairs[i][1]][0];
        pairs[i][0] = (uint32_t)i;
        pairs[i][1] = c->triangles[c->pairs[i][1]][1];
    }
    snag__segment_pairs segments = {
        .x_a = (const double(*)[3])c->positions,
        .edges_a = (const uint32_t(*)[2])edges,
        .x_b = (const double(*)[3])c->positions,
        .triangles_b = (const uint32_t(*)[3])c->triangles,
        .pairs = (const uint32_t(*)[2])c->pairs,
        .count = c->unshared_count,
    };
    snag__tet_pairs points = {
        .x_a = (const double(*)[3])c->positions,
        .tets_a = (const uint32_t(*)[4])tets,
        .x_b = (const double(*)[3])c->positions,
        .pairs = (const uint32_t(*)[2])pairs,
        .count = c->unshared_count,
    };
    measure(&(work){"segment against triangle", c->unshared_count, run_segments, &segments, output});
    measure(&(work){"point in tetrahedron, weights", c->unshared_count, run_tets, &points, output});
    measure(&(work){"point in tetrahedron, half-spaces", c->unshared_count, run_tets_half_spaces, &points, output});
    free(edges);
    free(tets);
    free(pairs);
}

int main(int argc, char **argv)
{
    const char *data = getenv("SNAG_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/ccd_scenes/cloth-ball/frames/cloth_ball92.ply", data ? data : "../shared/data");
    candidates c;
    if (!candidates_read(argc > 1 ? argv[1] : path, &c))
        return 2;
    uint8_t *meeting = malloc(c.pair_count);
    measure_triangles(&c, meeting);
    measure_ends(&c, meeting);
    measure_others(&c, meeting);
    free(meeting);
    candidates_free(&c);
    return 0;
}
