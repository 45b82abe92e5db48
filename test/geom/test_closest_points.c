// Distances, closest points, normals and weights of many features at a time are, bit by bit, those of one feature at a time, for every
// instruction set. Distances that come with the features of pairs are, rounded down to floats.
#include "geom/closest_points.h"
#include "base/random.h"
#include "helpers/test.h"
#include "query/kind.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 64, ROUNDS = 300 };

static const snag_isa all_isas[] = {SNAG_ISA_SCALAR,    SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3,
                                    SNAG_ISA_X86_64_V4, SNAG_ISA_NEON,      SNAG_ISA_SIMD128};
enum { ISAS = sizeof all_isas / sizeof *all_isas };

// Points in a cube; on a coarse grid, where many coordinates are equal, and some are -0; of very different sizes; and in a thin plate.
typedef enum layout { IN_A_CUBE, ON_A_GRID, TINY, LARGE, MIXED_SIZES, THIN, LAYOUTS } layout;

static void make_points(snag__random *random, layout how, double x[4][3])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            double at = snag__random_range(random, -1, 1);
            switch (how) {
            case ON_A_GRID: at = copysign(floor(fabs(at) * 3), at); break;
            case TINY: at *= 1e-42; break;
            case LARGE: at *= 1e49; break;
            case THIN: at *= k == 1 ? 1e-4 : 1; break;
            case MIXED_SIZES: at = ldexp(at, (int)(snag__random_range(random, -1, 1) * 500)); break;
            default: break;
            }
            x[i][k] = at;
        }
}

static void check_one(const snag__features *features, const snag__closest_points *out)
{
    snag__gap gap;
    double normal[3];
    snag__features_measure(features, &gap);
    assert_true(snag__gap_normal(&gap, normal));
    assert_true(gap.distance > 0 && !gap.exact);
    assert_memory_equal(&out->distance, &gap.distance, sizeof gap.distance);
    assert_memory_equal(out->point_a, gap.point_a, sizeof gap.point_a);
    assert_memory_equal(out->point_b, gap.point_b, sizeof gap.point_b);
    assert_memory_equal(out->normal, normal, sizeof normal);
    int points = features->kind == SNAG_VERTEX_VERTEX ? 2 : features->kind == SNAG_VERTEX_EDGE ? 3 : 4;
    assert_memory_equal(out->weight, gap.weight, (size_t)points * sizeof *gap.weight);
}

static void many_features_are_measured_like_one(void **state)
{
    (void)state;
    static double x[FEATURES][4][3];
    static const double *points[FEATURES][4];
    static snag__closest_points out[FEATURES];
    snag__random random = {1};
    size_t good_count[LAYOUTS] = {0}, all_count[LAYOUTS] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        layout how = (layout)(round % LAYOUTS);
        snag_contact_kind kind = (snag_contact_kind)(SNAG_VERTEX_VERTEX + (int)(round / LAYOUTS % 4));
        size_t count = FEATURES - round % 9;
        for (size_t i = 0; i < FEATURES; i++) {
            make_points(&random, how, x[i]);
            for (int k = 0; k < 4; k++)
                points[i][k] = x[i][k];
        }
        uint64_t first = 0;
        for (int isa = 0; isa < ISAS; isa++) {
            if (!snag__isa_available(all_isas[isa]))
                continue;
            uint64_t good =
                snag__closest_points_kernels_for(all_isas[isa])->measure(kind, (const double *const(*)[4])points, count, out);
            if (isa == 0)
                first = good;
            assert_true(good == first);
            for (size_t i = 0; i < count; i++) {
                all_count[how]++;
                if (!(good >> i & 1))
                    continue;
                good_count[how]++;
                snag__features features = {.kind = kind, .point = {x[i][0], x[i][1], x[i][2], x[i][3]}};
                check_one(&features, &out[i]);
            }
        }
    }
    assert_true(good_count[IN_A_CUBE] == all_count[IN_A_CUBE]);
    // Those without a distance, and those without an area, are left to one at a time.
    assert_true(good_count[ON_A_GRID] > all_count[ON_A_GRID] / 3 && good_count[ON_A_GRID] < all_count[ON_A_GRID]);
    assert_true(good_count[TINY] > 0 && good_count[LARGE] > 0 && good_count[MIXED_SIZES] < all_count[MIXED_SIZES]);
}

static void check_distance(double distance, const snag__features *features)
{
    snag__gap gap;
    snag__features_measure(features, &gap);
    float rounded = snag__round_down(distance), wanted = snag__round_down(gap.distance);
    assert_memory_equal(&rounded, &wanted, sizeof rounded);
}

// Scales points so that their distance is a float, or less than a few of its own errors from one.
static void move_to_a_float(snag__random *random, bool edges, double x[4][3])
{
    snag__distance distance;
    const double *points[4] = {x[0], x[1], x[2], x[3]};
    if (edges)
        snag__edge_edge_distance(points, points + 2, &distance);
    else
        snag__vertex_triangle_distance(x[0], points + 1, &distance);
    double now = distance.gap.distance, scale = (double)(float)now / now * (1 + ldexp(snag__random_range(random, -1, 1), -40));
    if (snag__random_range(random, -1, 1) > 0)
        scale = (double)(float)now / now;
    for (int i = 0; i < 4 && now > 1e-30 && now < 1e30; i++)
        for (int k = 0; k < 3; k++)
            x[i][k] *= scale;
}

static void features_that_are_seen_come_with_their_distance(void **state)
{
    (void)state;
    static double x[4 * FEATURES][3], distance[FEATURES];
    static uint32_t triangles[FEATURES][3], edges[2 * FEATURES][2], vertex_pairs[FEATURES][2], edge_pairs[FEATURES][2],
        near[FEATURES];
    static uint8_t feature[FEATURES];
    snag__random random = {2};
    size_t measured = 0, seen = 0;
    for (uint32_t i = 0; i < FEATURES; i++) {
        for (uint32_t k = 0; k < 3; k++)
            triangles[i][k] = 4 * i + 1 + k;
        for (uint32_t k = 0; k < 2; k++) {
            edges[2 * i][k] = 4 * i + k;
            edges[2 * i + 1][k] = 4 * i + 2 + k;
        }
        memcpy(vertex_pairs[i], (uint32_t[]){i, 4 * i}, sizeof *vertex_pairs);
        memcpy(edge_pairs[i], (uint32_t[]){2 * i, 2 * i + 1}, sizeof *edge_pairs);
    }
    const double(*positions)[3] = (const double(*)[3])x;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < FEATURES; i++) {
            make_points(&random, (layout)(round % LAYOUTS), x + 4 * (size_t)i);
            if (round / LAYOUTS % 3 > 0)
                move_to_a_float(&random, round / LAYOUTS % 3 == 1, x + 4 * (size_t)i);
        }
        size_t count = FEATURES - round % 9;
        const snag__vertex_triangles vt = {positions, positions, (const uint32_t(*)[3])triangles,
                                           (const uint32_t(*)[2])vertex_pairs, count};
        const snag__edge_edges ee = {
            positions, positions, (const uint32_t(*)[2])edges, (const uint32_t(*)[2])edges, (const uint32_t(*)[2])edge_pairs,
            count};
        for (int isa = 0; isa < ISAS; isa++) {
            if (!snag__isa_available(all_isas[isa]))
                continue;
            const snag__distance_kernels *kernels = snag__distance_kernels_for(all_isas[isa]);
            size_t left = kernels->vertex_triangles_seen(&vt, 1e60, near, feature, distance);
            for (size_t k = 0; k < left; k++) {
                const double(*at)[3] = positions + 4 * (size_t)near[k];
                seen += feature[k] != 0;
                if (feature[k] == 0 || !(distance[k] >= 0))
                    continue;
                snag__features features = {.point = {at[0]}};
                int points = 1;
                for (int c = 0; c < 3; c++)
                    if (feature[k] >> c & 1)
                        features.point[points++] = at[1 + c];
                features.kind = points == 4 ? SNAG_VERTEX_FACE : points == 3 ? SNAG_VERTEX_EDGE : SNAG_VERTEX_VERTEX;
                check_distance(distance[k], &features);
                measured++;
            }
            left = kernels->edge_edges_seen(&ee, 1e60, near, feature, distance);
            for (size_t k = 0; k < left; k++) {
                const double(*at)[3] = positions + 4 * (size_t)near[k];
                seen += feature[k] != 0;
                if (feature[k] == 0 || !(distance[k] >= 0))
                    continue;
                snag__features features = snag__edge_edge_features((const double *const[2]){at[0], at[1]},
                                                                   (const double *const[2]){at[2], at[3]}, feature[k]);
                check_distance(distance[k], &features);
                measured++;
            }
        }
    }
    assert_true(seen > 10000 && measured > seen - seen / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_features_are_measured_like_one),
        cmocka_unit_test(features_that_are_seen_come_with_their_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
