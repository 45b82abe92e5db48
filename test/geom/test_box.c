// Boxes and k-DOPs against plain loops, and every instruction set against the scalar one.
#include "base/random.h"
#include "geom/box.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const snag_isa all_isas[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4, SNAG_ISA_NEON};
#define ISA_COUNT (sizeof all_isas / sizeof *all_isas)

static const snag__box_kernels *kernels(snag_isa isa)
{
    return snag__isa_available(isa) ? snag__box_kernels_for(isa) : NULL;
}

static float *floats(size_t count)
{
    size_t padded = snag__box_padded(count);
    float *memory = aligned_alloc(64, (padded ? padded : 16) * sizeof(float));
    assert_non_null(memory);
    memset(memory, 0x7f, padded * sizeof(float));
    return memory;
}

static snag__boxes boxes_create(size_t count)
{
    snag__boxes boxes = {.count = count};
    for (int i = 0; i < 3; i++) {
        boxes.lo[i] = floats(count);
        boxes.hi[i] = floats(count);
    }
    return boxes;
}

static void boxes_free(snag__boxes *boxes)
{
    for (int i = 0; i < 3; i++) {
        free(boxes->lo[i]);
        free(boxes->hi[i]);
    }
}

static snag__kdops kdops_create(uint32_t k, size_t count)
{
    snag__kdops kdops = {.count = count, .k = k};
    for (uint32_t i = 0; i < k / 2; i++) {
        kdops.lo[i] = floats(count);
        kdops.hi[i] = floats(count);
    }
    return kdops;
}

static void kdops_free(snag__kdops *kdops)
{
    for (uint32_t i = 0; i < kdops->k / 2; i++) {
        free(kdops->lo[i]);
        free(kdops->hi[i]);
    }
}

// Any finite double: plain ones, whole numbers, floats, every exponent, and the edges of float and double.
static double any_double(snag__random *random)
{
    static const double edges[] = {0.0,       -0.0,      0x1p-149,       0x1.8p-149,     0x1p-126, 0x1.fffffep-127,
                                   0x1p-1074, 0x1p-1022, 0x1.fffffep127, 0x1.ffffffp127, 0x1p128,  0x1.fffffffffffffp1023,
                                   1e300,     1e-300};
    double sign = snag__random_u64(random) & 1 ? -1 : 1;
    switch (snag__random_below(random, 6)) {
    case 0: return snag__random_range(random, -1, 1);
    case 1: return (double)snag__random_below(random, 9) - 4;
    case 2: return (float)snag__random_range(random, -1, 1);
    case 3: return sign * edges[snag__random_below(random, sizeof edges / sizeof *edges)];
    case 4: return sign * ldexp(1 + snag__random_unit(random), (int)snag__random_below(random, 2000) - 1000);
    default: return sign * ldexp(1 + snag__random_unit(random), (int)snag__random_below(random, 300) - 155);
    }
}

// ---- oracle: the C library's directed neighbours, and long double (64 bits of mantissa) for the sums ----

static float float_down(long double x)
{
    float f = (float)(x > FLT_MAX ? FLT_MAX : x < -(long double)FLT_MAX ? -INFINITY : x);
    while ((long double)f > x)
        f = nextafterf(f, -INFINITY);
    while ((long double)nextafterf(f, INFINITY) <= x)
        f = nextafterf(f, INFINITY);
    return f;
}

// Whether bound is the tightest float not above x - d. The sum is exact in long double unless exponents are far apart;
// then its rounding cannot pass a float but in one place at most.
static void assert_lower(float bound, double x, double d)
{
    long double difference = (long double)x - d;
    float expected = float_down(difference);
    if (bound != expected)
        assert_true(bound == nextafterf(expected, -INFINITY) && d != 0 && (long double)expected == difference);
}

static void boxes_hold_their_elements_and_are_tight(void **state)
{
    (void)state;
    enum { VERTICES = 90, ELEMENTS = 203 };
    snag__random random = {1};
    double x_t0[VERTICES][3], x_t1[VERTICES][3];
    uint32_t elements[4][ELEMENTS * 4];
    for (int round = 0; round < 20; round++) {
        for (int v = 0; v < VERTICES; v++)
            for (int axis = 0; axis < 3; axis++) {
                x_t0[v][axis] = any_double(&random);
                x_t1[v][axis] = any_double(&random);
            }
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < ELEMENTS * 4; i++)
                elements[c][i] = snag__random_below(&random, VERTICES);
        double inflate = round % 3 == 0 ? 0 : fabs(any_double(&random));
        bool swept = round % 2;
        const double(*t0)[3] = swept ? (const double(*)[3])x_t0 : NULL, (*t1)[3] = (const double(*)[3])x_t1;

        for (uint32_t corners = 1; corners <= 4; corners++) {
            size_t count = corners == 1 ? VERTICES : ELEMENTS;
            snag__boxes scalar = boxes_create(count);
            for (size_t i = 0; i < ISA_COUNT; i++) {
                const snag__box_kernels *table = kernels(all_isas[i]);
                if (!table)
                    continue;
                snag__boxes boxes = all_isas[i] == SNAG_ISA_SCALAR ? scalar : boxes_create(count);
                size_t cut = snag__random_below(&random, (uint32_t)count);  // two pieces, as two threads would
                for (int piece = 0; piece < 2; piece++) {
                    size_t first = piece ? cut : 0, n = piece ? count - cut : cut;
                    if (corners == 1)
                        table->from_vertices(t0, t1, first, n, inflate, &boxes);
                    if (corners == 2)
                        table->from_edges(t0, t1, (const uint32_t(*)[2])elements[1], first, n, inflate, &boxes);
                    if (corners == 3)
                        table->from_triangles(t0, t1, (const uint32_t(*)[3])elements[2], first, n, inflate, &boxes);
                    if (corners == 4)
                        table->from_tets(t0, t1, (const uint32_t(*)[4])elements[3], first, n, inflate, &boxes);
                }
                if (all_isas[i] == SNAG_ISA_SCALAR)
                    continue;
                for (int axis = 0; axis < 3; axis++) {
                    assert_memory_equal(boxes.lo[axis], scalar.lo[axis], count * sizeof(float));
                    assert_memory_equal(boxes.hi[axis], scalar.hi[axis], count * sizeof(float));
                }
                boxes_free(&boxes);
            }
            for (size_t e = 0; e < count; e++)
                for (int axis = 0; axis < 3; axis++) {
                    double lo = INFINITY, hi = -INFINITY;
                    for (uint32_t c = 0; c < corners; c++) {
                        size_t v = corners == 1 ? e : elements[corners - 1][e * corners + c];
                        lo = fmin(lo, swept ? fmin(x_t0[v][axis], x_t1[v][axis]) : x_t1[v][axis]);
                        hi = fmax(hi, swept ? fmax(x_t0[v][axis], x_t1[v][axis]) : x_t1[v][axis]);
                    }
                    assert_lower(scalar.lo[axis][e], lo, inflate);
                    assert_lower(-scalar.hi[axis][e], -hi, inflate);
                }
            boxes_free(&scalar);
        }
    }
}

static void boxes_write_nothing_outside_their_piece(void **state)
{
    (void)state;
    double x[40][3] = {{0}};
    for (size_t i = 0; i < ISA_COUNT; i++) {
        const snag__box_kernels *table = kernels(all_isas[i]);
        if (!table)
            continue;
        snag__boxes boxes = boxes_create(40), before = boxes_create(40);
        table->from_vertices(NULL, (const double(*)[3])x, 5, 18, 0.5, &boxes);
        for (int axis = 0; axis < 3; axis++) {
            assert_memory_equal(boxes.lo[axis], before.lo[axis], 5 * sizeof(float));
            assert_memory_equal(boxes.hi[axis] + 23, before.hi[axis] + 23, (48 - 23) * sizeof(float));
            assert_true(boxes.lo[axis][5] == -0.5f && boxes.hi[axis][22] == 0.5f);
        }
        snag__boxes_pad(&boxes);
        assert_true(isnan(boxes.lo[2][40]) && isnan(boxes.hi[0][47]) && !isnan(boxes.lo[0][39]));
        boxes_free(&boxes);
        boxes_free(&before);
    }
}

static void overlaps_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    enum { COUNT = 333 };
    snag__random random = {7};
    snag__boxes boxes = boxes_create(COUNT);
    uint32_t hits[COUNT + 16], expected[COUNT];
    size_t found = 0;
    for (int round = 0; round < 300; round++) {
        bool grid = round % 2;
        for (int i = 0; i < COUNT; i++)
            for (int axis = 0; axis < 3; axis++) {
                float at = grid ? (float)snag__random_below(&random, 5) : (float)snag__random_unit(&random);
                boxes.lo[axis][i] = snag__random_below(&random, 50) ? at : -INFINITY;
                boxes.hi[axis][i] = snag__random_below(&random, 50) ? at + (grid ? 1.0f : 0.3f) : INFINITY;
            }
        snag__boxes_pad(&boxes);
        size_t first = snag__random_below(&random, COUNT), last = first + snag__random_below(&random, COUNT - (uint32_t)first + 1);
        float lo[3], hi[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = boxes.lo[axis][round];
            hi[axis] = boxes.hi[axis][round];
        }
        if (round % 16 == 0) {
            lo[0] = lo[1] = lo[2] = -INFINITY;
            hi[0] = hi[1] = hi[2] = INFINITY;
        }
        size_t expected_count = 0;
        for (size_t i = first; i < last; i++) {
            bool overlap = true;
            for (int axis = 0; axis < 3; axis++)
                overlap = overlap && boxes.lo[axis][i] <= hi[axis] && lo[axis] <= boxes.hi[axis][i];
            if (overlap)
                expected[expected_count++] = (uint32_t)i;
        }
        for (size_t i = 0; i < ISA_COUNT; i++) {
            const snag__box_kernels *table = kernels(all_isas[i]);
            if (!table)
                continue;
            size_t count = table->overlaps(&boxes, first, last, lo, hi, hits);
            assert_int_equal(count, expected_count);
            assert_memory_equal(hits, expected, count * sizeof *hits);
            // A 6-DOP is a box.
            snag__kdops kdops = {.count = COUNT, .k = 6};
            memcpy(kdops.lo, boxes.lo, sizeof boxes.lo);
            memcpy(kdops.hi, boxes.hi, sizeof boxes.hi);
            count = table->kdop_overlaps(&kdops, first, last, lo, hi, hits);
            assert_int_equal(count, expected_count);
            assert_memory_equal(hits, expected, count * sizeof *hits);
        }
        found += expected_count;
    }
    assert_true(found > 1000);
    boxes_free(&boxes);
}

static const double directions[13][3] = {{1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 1},  {1, 1, -1}, {1, -1, 1}, {1, -1, -1},
                                         {1, 1, 0}, {1, -1, 0}, {1, 0, 1}, {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

static const double *direction_of(uint32_t k, uint32_t slab)
{
    return directions[k == 18 && slab >= 3 ? slab + 4 : slab];
}

static void kdops_hold_their_elements_and_are_close(void **state)
{
    (void)state;
    enum { VERTICES = 60, ELEMENTS = 77 };
    static const uint32_t ks[] = {6, 14, 18, 26};
    snag__random random = {3};
    double x_t0[VERTICES][3], x_t1[VERTICES][3];
    uint32_t triangles[ELEMENTS * 3];
    for (int round = 0; round < 40; round++) {
        bool wild = round % 4 == 3;
        for (int v = 0; v < VERTICES; v++)
            for (int axis = 0; axis < 3; axis++) {
                x_t0[v][axis] = wild ? any_double(&random) : snag__random_range(&random, -3, 3);
                x_t1[v][axis] = wild ? any_double(&random) : snag__random_range(&random, -3, 3);
            }
        for (int i = 0; i < ELEMENTS * 3; i++)
            triangles[i] = snag__random_below(&random, VERTICES);
        uint32_t k = ks[round % 3 + (round / 3) % 2];
        double inflate = round % 2 ? 0.25 : 0;
        const double(*t0)[3] = round % 5 ? (const double(*)[3])x_t0 : NULL, (*t1)[3] = (const double(*)[3])x_t1;
        snag__kdops scalar = kdops_create(k, ELEMENTS);
        snag__box_kernels_for(SNAG_ISA_SCALAR)->kdop_from_elements(t0, t1, triangles, 3, 0, ELEMENTS, inflate, &scalar);
        for (size_t i = 0; i < ISA_COUNT; i++) {
            const snag__box_kernels *table = kernels(all_isas[i]);
            if (!table)
                continue;
            snag__kdops wide = kdops_create(k, ELEMENTS);
            table->kdop_from_elements(t0, t1, triangles, 3, 0, ELEMENTS, inflate, &wide);
            for (uint32_t slab = 0; slab < k / 2; slab++) {
                assert_memory_equal(wide.lo[slab], scalar.lo[slab], ELEMENTS * sizeof(float));
                assert_memory_equal(wide.hi[slab], scalar.hi[slab], ELEMENTS * sizeof(float));
            }
            kdops_free(&wide);
        }
        for (size_t e = 0; e < ELEMENTS; e++)
            for (uint32_t slab = 0; slab < k / 2; slab++) {
                const double *n = direction_of(k, slab);
                long double scale = slab < 3 ? 1 : 0.25L;
                long double length = scale * sqrtl((long double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
                long double lo = INFINITY, hi = -INFINITY;
                for (int c = 0; c < 3; c++)
                    for (int time = 0; time < (t0 ? 2 : 1); time++) {
                        const double *x = (time ? t0 : t1)[triangles[3 * e + (size_t)c]];
                        long double at = scale * ((long double)x[0] * n[0] + (long double)x[1] * n[1] + (long double)x[2] * n[2]);
                        lo = fminl(lo, at - inflate * length);
                        hi = fmaxl(hi, at + inflate * length);
                    }
                assert_true((long double)scalar.lo[slab][e] <= lo && hi <= (long double)scalar.hi[slab][e]);
                if (!wild) {
                    assert_true(lo - (long double)scalar.lo[slab][e] < 1e-6L);
                    assert_true((long double)scalar.hi[slab][e] - hi < 1e-6L);
                }
            }
        kdops_free(&scalar);
    }
}

static void kdops_overlap_where_all_slabs_do(void **state)
{
    (void)state;
    enum { COUNT = 150 };
    static const uint32_t ks[] = {6, 14, 18, 26};
    snag__random random = {5};
    double x[3 * COUNT][3];
    uint32_t triangles[3 * COUNT], hits[COUNT + 16];
    size_t by_k[4] = {0};
    for (uint32_t v = 0; v < 3 * COUNT; v++) {
        triangles[v] = v;
        for (int axis = 0; axis < 3; axis++)
            x[v][axis] = (v % 3 ? x[v - v % 3][axis] : 0) + snag__random_range(&random, -0.5, 0.5);
    }
    for (int which = 0; which < 4; which++) {
        snag__kdops kdops = kdops_create(ks[which], COUNT);
        snag__box_kernels_for(snag__isa_best())->kdop_from_elements(NULL, (const double(*)[3])x, triangles, 3, 0, COUNT, 0, &kdops);
        snag__kdops_pad(&kdops);
        for (size_t a = 0; a < COUNT; a++) {
            float lo[SNAG__KDOP_SLABS_MAX], hi[SNAG__KDOP_SLABS_MAX];
            uint32_t slabs = ks[which] / 2;
            for (uint32_t slab = 0; slab < slabs; slab++) {
                lo[slab] = kdops.lo[slab][a];
                hi[slab] = kdops.hi[slab][a];
            }
            for (size_t i = 0; i < ISA_COUNT; i++) {
                const snag__box_kernels *table = kernels(all_isas[i]);
                if (!table)
                    continue;
                size_t count = table->kdop_overlaps(&kdops, a, COUNT, lo, hi, hits), at = 0;
                for (size_t b = a; b < COUNT; b++) {
                    bool overlap = true;
                    for (uint32_t slab = 0; slab < slabs; slab++)
                        overlap = overlap && kdops.lo[slab][b] <= hi[slab] && lo[slab] <= kdops.hi[slab][b];
                    if (overlap)
                        assert_true(at < count && hits[at++] == b);
                }
                assert_int_equal(at, count);
                if (all_isas[i] == SNAG_ISA_SCALAR)
                    by_k[which] += count;
            }
        }
        kdops_free(&kdops);
    }
    // More slabs, fewer overlaps.
    assert_true(by_k[0] > by_k[1] && by_k[0] > by_k[2] && by_k[1] > by_k[3] && by_k[2] > by_k[3] && by_k[3] > COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_their_elements_and_are_tight), cmocka_unit_test(boxes_write_nothing_outside_their_piece),
        cmocka_unit_test(overlaps_are_those_of_a_plain_loop),      cmocka_unit_test(kdops_hold_their_elements_and_are_close),
        cmocka_unit_test(kdops_overlap_where_all_slabs_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
