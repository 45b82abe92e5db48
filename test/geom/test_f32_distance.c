// The filter in single precision never drops a pair that is within d, whatever is rounded, and drops nearly all that are not.
#include "geom/f32_distance.h"
#include "base/random.h"
#include "geom/distance.h"
#include "helpers/test.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PAIRS = 512, ROUNDS = 400 };

static const snag_isa all_isas[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4, SNAG_ISA_NEON};
enum { ISAS = sizeof all_isas / sizeof *all_isas };

// By how much a coordinate below 1 is off as a float.
static const float ROUNDING = 0x1.01p-25f;

typedef struct batch {
    double x[4 * PAIRS][3];
    snag__f32_vertex vertices[4 * PAIRS];
    uint32_t triangles[PAIRS][3], edges[2 * PAIRS][2];
    uint32_t vertex_pairs[PAIRS][2], edge_pairs[PAIRS][2];
} batch;

static void fill_in(batch *b, snag_isa isa)
{
    snag__f32_distance_kernels_for(isa)->fill((const double(*)[3])b->x, 0, 4 * PAIRS, (const double[3]){0, 0, 0}, 1, b->vertices);
}

// Four points for each pair, near each other somewhere within 1 of the origin: `size` is that of elements, `gap` how far apart they are
// about. `floats`: all coordinates are floats, so that nothing is lost by `fill`.
static void make(snag__random *random, double size, double gap, bool floats, batch *b)
{
    for (uint32_t i = 0; i < PAIRS; i++) {
        double centre[3], way[3];
        for (int k = 0; k < 3; k++) {
            centre[k] = snag__random_range(random, -1 + 2 * size, 1 - 2 * size) * (1 - gap);
            way[k] = snag__random_range(random, -1, 1) * gap;
        }
        for (uint32_t p = 0; p < 4; p++)
            for (int k = 0; k < 3; k++) {
                double x = centre[k] + snag__random_range(random, -1, 1) * size + (p >= 2 ? way[k] : 0);
                b->x[4 * i + p][k] = floats ? (double)(float)x : x;
            }
        for (uint32_t k = 0; k < 3; k++)
            b->triangles[i][k] = 4 * i + k;
        for (uint32_t k = 0; k < 2; k++) {
            b->edges[2 * i][k] = 4 * i + k;
            b->edges[2 * i + 1][k] = 4 * i + 2 + k;
        }
        memcpy(b->vertex_pairs[i], (uint32_t[]){i, 4 * i + 3}, sizeof *b->vertex_pairs);
        memcpy(b->edge_pairs[i], (uint32_t[]){2 * i, 2 * i + 1}, sizeof *b->edge_pairs);
    }
}

static double distance_of(const batch *b, bool edges, uint32_t i)
{
    const double *x[4] = {b->x[4 * i], b->x[4 * i + 1], b->x[4 * i + 2], b->x[4 * i + 3]};
    snag__distance distance;
    if (edges)
        snag__edge_edge_distance(x, x + 2, &distance);
    else
        snag__vertex_triangle_distance(x[3], x, &distance);
    return distance.gap.distance;
}

static bool keeps(const batch *b, bool edges, uint32_t i, double d, float rounding, snag_isa isa)
{
    uint32_t kept[1][2];
    snag__f32_candidates c = {
        .row_vertices = b->vertices,
        .column_vertices = b->vertices,
        .rows = edges ? b->edges[0] : b->triangles[0],
        .columns = edges ? b->edges[0] : NULL,
        .pairs = edges ? (const uint32_t(*)[2])b->edge_pairs + i : (const uint32_t(*)[2])b->vertex_pairs + i,
        .count = 1,
        .same_body = true,
        .distance = nextafterf((float)d, INFINITY),
        .rounding = rounding,
    };
    const snag__f32_distance_kernels *kernels = snag__f32_distance_kernels_for(isa);
    return (edges ? kernels->edge_edges : kernels->triangle_vertices)(&c, kept) == 1;
}

static const double sizes[] = {0.3, 1e-2, 1e-3, 1e-5}, gaps[] = {0.3, 1e-2, 1e-4, 1e-6, 1e-7};

// d is the distance itself: no pair may be dropped.
static void pairs_within_the_distance_are_kept(void **state)
{
    (void)state;
    static batch b;
    snag__random random = {1};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        make(&random, sizes[round % 4], gaps[round / 4 % 5], round % 2 == 0, &b);
        fill_in(&b, SNAG_ISA_SCALAR);
        for (uint32_t i = 0; i < PAIRS; i++)
            for (int edges = 0; edges < 2; edges++)
                if (!keeps(&b, edges, i, distance_of(&b, edges, i), round % 2 == 0 ? 0 : ROUNDING, SNAG_ISA_SCALAR))
                    fail_msg("round %u, pair %u, edges %d: dropped at its own distance %g", round, i, edges,
                             distance_of(&b, edges, i));
    }
}

// Without the term of rounded coordinates pairs are lost: the term is needed, and the test above can fail.
static void the_rounding_of_coordinates_counts(void **state)
{
    (void)state;
    static batch b;
    snag__random random = {2};
    uint32_t lost = 0;
    for (uint32_t round = 0; round < 40; round++) {
        make(&random, 1e-5, 1e-6, false, &b);
        fill_in(&b, SNAG_ISA_SCALAR);
        for (uint32_t i = 0; i < PAIRS; i++)
            for (int edges = 0; edges < 2; edges++)
                lost += !keeps(&b, edges, i, distance_of(&b, edges, i), 0, SNAG_ISA_SCALAR);
    }
    assert_true(lost > 100);
}

// What is clearly farther goes: the filter is worth its time.
static void pairs_farther_away_are_dropped(void **state)
{
    (void)state;
    static batch b;
    snag__random random = {3};
    uint32_t kept = 0, looked = 0;
    for (uint32_t round = 0; round < 40; round++) {
        make(&random, 1e-2, 3e-2, false, &b);
        fill_in(&b, SNAG_ISA_SCALAR);
        for (uint32_t i = 0; i < PAIRS; i++)
            for (int edges = 0; edges < 2; edges++, looked++)
                kept += keeps(&b, edges, i, 0.98 * distance_of(&b, edges, i) - 1e-6, ROUNDING, SNAG_ISA_SCALAR);
    }
    assert_true(kept < looked / 100);
}

static void pairs_that_share_a_vertex_go_within_a_body(void **state)
{
    (void)state;
    static batch b;
    snag__random random = {4};
    make(&random, 1e-2, 1e-3, false, &b);
    fill_in(&b, SNAG_ISA_SCALAR);
    for (uint32_t i = 0; i < PAIRS; i++) {
        uint32_t kept[2][2], shared_vertex[1][2] = {{i, 4 * i + i % 3}}, shared_edge[1][2] = {{2 * i, 2 * i}};
        for (int edges = 0; edges < 2; edges++)
            for (int same = 0; same < 2; same++) {
                snag__f32_candidates c = {
                    .row_vertices = b.vertices,
                    .column_vertices = b.vertices,
                    .rows = edges ? b.edges[0] : b.triangles[0],
                    .columns = edges ? b.edges[0] : NULL,
                    .pairs = (const uint32_t(*)[2])(edges ? shared_edge : shared_vertex),
                    .count = 1,
                    .same_body = same,
                    .distance = 1e-3f,
                    .rounding = ROUNDING,
                };
                const snag__f32_distance_kernels *kernels = snag__f32_distance_kernels_for(SNAG_ISA_SCALAR);
                assert_int_equal((edges ? kernels->edge_edges : kernels->triangle_vertices)(&c, kept), !same);
            }
    }
}

static void every_instruction_set_keeps_the_same(void **state)
{
    (void)state;
    static batch b;
    static uint32_t first[PAIRS][2], kept[PAIRS][2];
    static snag__f32_vertex ends[2 * 2 * PAIRS];
    snag__random random = {5};
    for (uint32_t round = 0; round < 60; round++) {
        make(&random, sizes[round % 4], gaps[round / 4 % 5], false, &b);
        for (int edges = 0; edges < 2; edges++) {
            size_t first_count = 0;
            for (int isa = 0; isa < ISAS; isa++) {
                if (!snag__isa_available(all_isas[isa]))
                    continue;
                fill_in(&b, all_isas[isa]);
                const snag__f32_distance_kernels *kernels = snag__f32_distance_kernels_for(all_isas[isa]);
                snag__f32_candidates c = {
                    .row_vertices = b.vertices,
                    .column_vertices = b.vertices,
                    .rows = edges ? b.edges[0] : b.triangles[0],
                    .columns = edges ? b.edges[0] : NULL,
                    .pairs = edges ? (const uint32_t(*)[2])b.edge_pairs : (const uint32_t(*)[2])b.vertex_pairs,
                    .count = PAIRS - round % 19,
                    .same_body = true,
                    .distance = (float)(gaps[round / 4 % 5] * 0.3),
                    .rounding = ROUNDING,
                };
                size_t count = (edges ? kernels->edge_edges : kernels->triangle_vertices)(&c, isa == 0 ? first : kept);
                if (isa == 0)
                    first_count = count;
                else {
                    assert_int_equal(count, first_count);
                    assert_memory_equal(kept, first, count * sizeof *kept);
                }
                if (!edges)
                    continue;
                // Given by their ends in place of the numbers of these.
                for (uint32_t e = 0; e < 2 * PAIRS; e++)
                    for (uint32_t k = 0; k < 2; k++)
                        ends[2 * e + k] = b.vertices[b.edges[e][k]];
                c.row_vertices = c.column_vertices = ends;
                c.rows = c.columns = NULL;
                assert_int_equal(kernels->edge_edges(&c, kept), first_count);
                assert_memory_equal(kept, first, first_count * sizeof *kept);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_within_the_distance_are_kept),   cmocka_unit_test(the_rounding_of_coordinates_counts),
        cmocka_unit_test(pairs_farther_away_are_dropped),       cmocka_unit_test(pairs_that_share_a_vertex_go_within_a_body),
        cmocka_unit_test(every_instruction_set_keeps_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
