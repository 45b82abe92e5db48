// The wide triangle kernels against the single functions, which test_triangle.c judges.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/meeting.h"
#include "helpers/soup.h"

#include "../../bench/candidates.h"

enum { BLOB_VERTICES = 60, BLOB_TRIANGLES = 120 };

// Triangles that share vertices at random, on a grid or not: every kind of adjacency, many pairs with one first
// triangle.
typedef struct blob {
    double positions[BLOB_VERTICES][3];
    uint32_t triangles[BLOB_TRIANGLES][3];
    uint32_t pairs[BLOB_TRIANGLES * BLOB_TRIANGLES][2];
    size_t count;
} blob;

static void make_blob(snag__random *random, bool on_grid, blob *b)
{
    for (int v = 0; v < BLOB_VERTICES; v++)
        for (int k = 0; k < 3; k++)
            b->positions[v][k] = on_grid ? hard_grid(random, 2) : snag__random_range(random, -1, 1);
    for (int t = 0; t < BLOB_TRIANGLES; t++)
        for (int i = 0; i < 3; i++)
            b->triangles[t][i] = snag__random_below(random, BLOB_VERTICES);
    b->count = 0;
    for (uint32_t s = 0; s < BLOB_TRIANGLES; s++)
        for (uint32_t t = 0; t < BLOB_TRIANGLES; t++)
            if (snag__random_below(random, 3) == 0) {
                b->pairs[b->count][0] = s;
                b->pairs[b->count++][1] = t;
            }
}

static snag__triangle_pairs blob_pairs(const blob *b, bool same_body)
{
    return (snag__triangle_pairs){
        .x_a = b->positions,
        .triangles_a = b->triangles,
        .x_b = b->positions,
        .triangles_b = b->triangles,
        .same_body = same_body,
        .pairs = b->pairs,
        .count = b->count,
    };
}

static void assert_kernels_agree(const snag__triangle_pairs *pairs)
{
    static uint8_t meeting[BLOB_TRIANGLES * BLOB_TRIANGLES + 1];
    size_t exact = 0;
    for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available(isa))
            continue;
        memset(meeting, 0xee, sizeof meeting);
        size_t needed = snag__triangle_kernels_for(isa)->meet(pairs, meeting);
        for (size_t i = 0; i < pairs->count; i++)
            assert_int_equal(meeting[i], meeting_told_singly(pairs, i));
        assert_int_equal(meeting[pairs->count], 0xee);  // nothing beyond is touched
        if (isa == SNAG_ISA_SCALAR)
            exact = needed;
        assert_int_equal(needed, exact);
    }
}

static void every_instruction_set_gives_the_answers_of_the_single_function(void **state)
{
    (void)state;
    static blob b;
    snag__random random = {1};
    for (int round = 0; round < 12; round++) {
        make_blob(&random, round % 2, &b);
        snag__triangle_pairs pairs = blob_pairs(&b, round % 4 < 2);
        assert_kernels_agree(&pairs);
    }
}

static void hard_pairs_too(void **state)
{
    (void)state;
    static hard_soup soup;
    snag__random random = {2};
    for (int round = 0; round < 100; round++) {
        for (soup.count = 0; soup.count < HARD_SOUP;) {
            hard_pair pair;
            hard_triangle_pair(&random, &pair);
            hard_soup_add(&soup, &pair);
        }
        snag__triangle_pairs pairs = hard_soup_pairs(&soup);
        assert_kernels_agree(&pairs);
    }
}

// The segments of pairs that meet, as doubles, one by one and together.
static void assert_segments_agree(const snag__triangle_pairs *pairs)
{
    static double segments[HARD_SOUP][2][3];
    for (snag_isa isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available(isa))
            continue;
        snag__triangles_segments(pairs, isa, segments);
        for (size_t i = 0; i < pairs->count; i++) {
            const uint32_t *va = pairs->triangles_a[pairs->pairs[i][0]], *vb = pairs->triangles_b[pairs->pairs[i][1]];
            const double *a[3] = {pairs->x_a[va[0]], pairs->x_a[va[1]], pairs->x_a[va[2]]};
            const double *b[3] = {pairs->x_b[vb[0]], pairs->x_b[vb[1]], pairs->x_b[vb[2]]};
            double from[3], to[3];
            snag__triangles_segment(a, b, from, to);
            assert_memory_equal(from, segments[i][0], sizeof from);
            assert_memory_equal(to, segments[i][1], sizeof to);
        }
    }
}

static void segments_have_the_same_bits_one_by_one_and_together(void **state)
{
    (void)state;
    static hard_soup soup;
    snag__random random = {5};
    for (int round = 0; round < 60; round++) {
        for (soup.count = 0; soup.count < HARD_SOUP;) {
            hard_pair pair;
            hard_triangle_pair(&random, &pair);
            hard_soup_add(&soup, &pair);
        }
        snag__triangle_pairs pairs = hard_soup_pairs(&soup);
        pairs.count -= (size_t)round % 7;
        assert_segments_agree(&pairs);
    }
}

// More cuts than are made at once, all of triangles that clearly pass through each other.
static void many_clear_segments_have_the_same_bits_one_by_one_and_together(void **state)
{
    (void)state;
    static hard_soup soup;
    snag__random random = {15};
    for (soup.count = 0; soup.count < HARD_SOUP;) {
        hard_pair pair = {
            .a = {{-2, -2, 0}, {2, -2, 0}, {0, 3, 0}}, .b = {{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}}, .va = {0, 1, 2}, .vb = {3, 4, 5}};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                pair.a[i][k] += snag__random_range(&random, -0.3, 0.3);
                pair.b[i][k] += snag__random_range(&random, -0.3, 0.3);
            }
        hard_soup_add(&soup, &pair);
    }
    snag__triangle_pairs pairs = hard_soup_pairs(&soup);
    assert_true(pairs.count > 128);
    assert_segments_agree(&pairs);
}

static void any_number_of_pairs_is_taken(void **state)
{
    (void)state;
    static blob b;
    snag__random random = {3};
    make_blob(&random, false, &b);
    snag__triangle_pairs pairs = blob_pairs(&b, true);
    for (size_t count = 0; count < 40; count++) {
        pairs.count = count;
        assert_kernels_agree(&pairs);
    }
    for (size_t count = 250; count < 270; count++) {
        pairs.count = count;
        assert_kernels_agree(&pairs);
    }
}

static void clear_pairs_need_no_exact_arithmetic(void **state)
{
    (void)state;
    static blob b;
    snag__random random = {4};
    make_blob(&random, false, &b);
    snag__triangle_pairs pairs = blob_pairs(&b, false);
    size_t clear = 0;
    for (size_t i = 0; i < b.count; i++) {  // pairs without an equal corner: nothing about them is in doubt
        const uint32_t *s = b.triangles[b.pairs[i][0]], *t = b.triangles[b.pairs[i][1]];
        bool shares = s[0] == s[1] || s[1] == s[2] || s[0] == s[2] || t[0] == t[1] || t[1] == t[2] || t[0] == t[2];
        for (int k = 0; k < 9; k++)
            shares = shares || s[k / 3] == t[k % 3];
        if (!shares)
            memmove(b.pairs[clear++], b.pairs[i], sizeof b.pairs[i]);
    }
    pairs.count = clear;
    uint8_t meeting[BLOB_TRIANGLES * BLOB_TRIANGLES];
    assert_true(clear > 1000);
    assert_int_equal(snag__triangle_kernels_for(snag__isa_best())->meet(&pairs, meeting), 0);
}

// ---- real meshes ----

// Compares the pairs that meet with the list of an exact geometry kernel, one pair "lower higher" a line, sorted.
static void assert_listed(const char *folder, const char *mesh, const char *list)
{
    char path[1024];
    candidates c;
    snprintf(path, sizeof path, "%s/%s", folder, mesh);
    assert_true(candidates_read(path, &c));
    snag__triangle_pairs pairs = {
        .x_a = (const double(*)[3])c.positions,
        .triangles_a = (const uint32_t(*)[3])c.triangles,
        .x_b = (const double(*)[3])c.positions,
        .triangles_b = (const uint32_t(*)[3])c.triangles,
        .same_body = true,
        .pairs = (const uint32_t(*)[2])c.pairs,
        .count = c.pair_count,
    };
    uint8_t *meeting = malloc(c.pair_count);
    snag__triangle_kernels_for(snag__isa_best())->meet(&pairs, meeting);
    size_t found = 0;
    for (size_t i = 0; i < c.pair_count; i++)
        if (meeting[i] != SNAG__APART && meeting[i] != SNAG__DEGENERATE)
            memmove(c.pairs[found++], c.pairs[i], sizeof c.pairs[i]);
    qsort(c.pairs, found, sizeof *c.pairs, candidate_pair_order);
    snprintf(path, sizeof path, "%s/gt/pairs/%s", folder, list);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    unsigned a, b;
    size_t listed = 0;
    for (; fscanf(file, "%u %u", &a, &b) == 2; listed++)
        if (listed < found && (c.pairs[listed][0] != a || c.pairs[listed][1] != b))
            fail_msg("%s: %u-%u instead of %u-%u", mesh, c.pairs[listed][0], c.pairs[listed][1], a, b);
    assert_int_equal(found, listed);
    fclose(file);
    free(meeting);
    candidates_free(&c);
}

static void real_meshes_have_the_pairs_that_are_listed(void **state)
{
    (void)state;
    static const char *const meshes[][2] = {
        {"self_int/self_intersectA.obj", "self_int__self_intersectA.obj.txt"},
        {"self_int/openscad-nonmanifold-crash.obj", "self_int__openscad-nonmanifold-crash.obj.txt"},
        {"self_int/klein_bottle_blocky.obj", "self_int__klein_bottle_blocky.obj.txt"},
        {"self_int/dress-v7k-f14k.obj", "self_int__dress-v7k-f14k.obj.txt"},
        {"self_int/two-cubes-intersecting.ply", "self_int__two-cubes-intersecting.ply.txt"},
        {"self_int/two_spheres.obj", "self_int__two_spheres.obj.txt"},
        {"sequences/thick-cloth/t1.ply", "sequences__thick-cloth__t1.ply.txt"},
        {"ccd_scenes/cloth-funnel/frames/227.ply", "ccd_scenes__cloth-funnel__frames__227.ply.txt"},
        {"mesh_mesh/rob.obj", "mesh_mesh__rob.obj.txt"},
    };
    const char *folder = getenv("SNAG_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/gt/pairs", folder ? folder : "");
    if (!folder || access(path, R_OK) != 0) {
        print_message("no meshes with listed pairs in SNAG_DATA\n");
        skip();
    }
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        assert_listed(folder, meshes[i][0], meshes[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_gives_the_answers_of_the_single_function),
        cmocka_unit_test(hard_pairs_too),
        cmocka_unit_test(segments_have_the_same_bits_one_by_one_and_together),
        cmocka_unit_test(many_clear_segments_have_the_same_bits_one_by_one_and_together),
        cmocka_unit_test(any_number_of_pairs_is_taken),
        cmocka_unit_test(clear_pairs_need_no_exact_arithmetic),
        cmocka_unit_test(real_meshes_have_the_pairs_that_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
