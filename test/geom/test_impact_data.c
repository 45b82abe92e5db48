// The impact test on public sets with exact answers: single queries in rationals, and three steps of real scenes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geom/impact.h"
#include "helpers/motions.h"
#include "snag/io.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the public queries ----

static const char *data_folder(void)
{
    const char *folder = getenv("SNAG_DATA");
    if (folder == NULL)
        skip();
    return folder;
}

static FILE *open_data(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "rb");
}

// up/down as a double, which it must be without rounding.
static double fraction(const char *up, const char *down)
{
    mpq_t exact, rounded;
    mpq_inits(exact, rounded, NULL);
    assert_int_equal(mpz_set_str(mpq_numref(exact), up, 10), 0);
    assert_int_equal(mpz_set_str(mpq_denref(exact), down, 10), 0);
    mpq_canonicalize(exact);
    double value = mpq_get_d(exact);
    mpq_set_d(rounded, value);
    assert_true(mpq_equal(exact, rounded));
    mpq_clears(exact, rounded, NULL);
    return value;
}

// Eight lines of three fractions and the answer.
static bool read_query(FILE *file, snag__impact_pair pair, snag__motion *m, bool *truth)
{
    m->pair = pair;
    for (int row = 0; row < 8; row++) {
        char part[6][400];
        int answer;
        if (fscanf(file, " %399[^,],%399[^,],%399[^,],%399[^,],%399[^,],%399[^,],%d", part[0], part[1], part[2], part[3], part[4],
                   part[5], &answer) != 7)
            return false;
        *truth = answer != 0;
        for (int k = 0; k < 3; k++)
            (row < 4 ? m->t0[row] : m->t1[row - 4])[k] = fraction(part[2 * k], part[2 * k + 1]);
    }
    return true;
}

static bool filter_rejects(const snag__motion *m)
{
    static const uint32_t pair[1][2] = {{0, 0}}, first[3] = {0, 1}, edge[2] = {2, 3}, triangle[3] = {1, 2, 3};
    snag__impact_run run = {.pair = m->pair, .pairs = pair};
    run.a = (snag__impact_side){m->t0, m->t1, first};
    run.b = (snag__impact_side){m->t0, m->t1, m->pair == EE ? edge : triangle};
    uint32_t open[1];
    return snag__impact_kernels_for(snag__isa_best())->filter(&run, 0, 1, open) == 0;
}

static void every_public_query_is_answered_rightly_in_every_order(void **state)
{
    (void)state;
    static const char *groups[] = {"unit-tests",
                                   "erleben-cube-cliff-edges",
                                   "erleben-cube-internal-edges",
                                   "erleben-sliding-spike",
                                   "erleben-sliding-wedge",
                                   "erleben-spike-crack"};
    const char *folder = data_folder();
    int positives = 0, negatives = 0, missed = 0, false_alarms = 0, exact = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (int pair = 0; pair < 2; pair++)
            for (int part = 0; part < 2; part++) {
                char name[256];
                snprintf(name, sizeof name, "ccd_queries/%s/%s/data_0_%d.csv", groups[g], pair == EE ? "edge-edge" : "vertex-face",
                         part);
                FILE *file = open_data(folder, name);
                if (file == NULL)
                    skip();
                snag__motion m;
                bool truth;
                while (read_query(file, (snag__impact_pair)pair, &m, &truth)) {
                    for (int i = 0; i < order_count(m.pair); i++) {
                        snag__motion other = in_order(&m, order_of(m.pair, i));
                        snag__impact impact = snag__impact_find(&other, 0, 0);
                        positives += truth;
                        negatives += !truth;
                        missed += truth && !is_hit(impact);
                        false_alarms += !truth && is_hit(impact);
                        exact += impact.exact;
                        if (i == 0 && truth != is_hit(impact))
                            print_motion(&m);
                        missed += truth && filter_rejects(&other);
                    }
                }
                fclose(file);
            }
    print_message("%d colliding, %d missed; %d free, %d false alarms (%.3f %%); %d exact\n", positives, missed, negatives,
                  false_alarms, 100.0 * false_alarms / negatives, exact);
    assert_int_equal(missed, 0);
    assert_true(false_alarms < 0.02 * negatives);
}

// ---- the public scenes ----

typedef struct scene {
    double *x_t0, *x_t1;
    uint32_t *triangles;
    uint32_t (*edges)[2];
    size_t vertex_count, triangle_count, edge_count;
} scene;

static int by_higher_vertex(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[1] != y[1])
        return x[1] < y[1] ? -1 : 1;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

// Edges as the lists of pairs count them: (lower, higher) vertex, sorted by the higher, then the lower.
static void make_edges(scene *s)
{
    s->edges = malloc(3 * s->triangle_count * sizeof *s->edges);
    size_t count = 0;
    for (size_t t = 0; t < s->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            uint32_t v = s->triangles[3 * t + (size_t)i], w = s->triangles[3 * t + (size_t)(i + 1) % 3];
            s->edges[count][0] = v < w ? v : w;
            s->edges[count++][1] = v < w ? w : v;
        }
    qsort(s->edges, count, sizeof *s->edges, by_higher_vertex);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || by_higher_vertex(s->edges[i], s->edges[s->edge_count - 1]) != 0)
            memmove(s->edges[s->edge_count++], s->edges[i], sizeof *s->edges);
}

static bool load_scene(const char *folder, const char *first, const char *second, scene *s)
{
    char path[1024];
    snag_io_mesh mesh_t0, mesh_t1;
    snag_io_error error;
    snprintf(path, sizeof path, "%s/ccd_scenes/%s", folder, first);
    if (snag_io_read_mesh(path, &mesh_t0, &error) != SNAG_OK) {
        print_message("%s\n", error.message);
        return false;
    }
    snprintf(path, sizeof path, "%s/ccd_scenes/%s", folder, second);
    assert_int_equal(snag_io_read_mesh(path, &mesh_t1, &error), SNAG_OK);
    assert_int_equal(mesh_t0.body_count, 1);
    *s = (scene){.vertex_count = mesh_t0.vertex_count, .triangle_count = mesh_t0.face_count};
    // The arrays are taken over; each mesh keeps none of them.
    s->x_t0 = mesh_t0.bodies[0].positions;
    s->x_t1 = mesh_t1.bodies[0].positions;
    s->triangles = mesh_t0.bodies[0].polygon_vertices;
    mesh_t0.bodies[0].positions = mesh_t1.bodies[0].positions = NULL;
    mesh_t0.bodies[0].polygon_vertices = NULL;
    snag_io_mesh_free(&mesh_t0);
    snag_io_mesh_free(&mesh_t1);
    make_edges(s);
    return true;
}

static void free_scene(scene *s)
{
    free(s->x_t0);
    free(s->x_t1);
    free(s->triangles);
    free(s->edges);
}

static snag__motion scene_motion(const scene *s, snag__impact_pair pair, unsigned long id_a, unsigned long id_b)
{
    snag__motion m;
    snag__impact_side side = {(const double(*)[3])s->x_t0, (const double(*)[3])s->x_t1, NULL};
    snag__impact_side faces = side, edges = side;
    faces.elements = s->triangles;
    edges.elements = (const uint32_t *)s->edges;
    if (pair == VF)
        snag__motion_gather(VF, &side, &faces, (uint32_t)id_a, (uint32_t)(id_b - s->vertex_count - s->edge_count), &m);
    else
        snag__motion_gather(EE, &edges, &edges, (uint32_t)(id_a - s->vertex_count), (uint32_t)(id_b - s->vertex_count), &m);
    return m;
}

typedef struct tally {
    long pairs, colliding, missed, false_alarms, exact, timed;
    double largest_difference;
} tally;

// One list of pairs, its answers and its times.
static void judge_list(const char *folder, const char *name, const char *step, const scene *s, snag__impact_pair pair, tally *sum)
{
    static const char *pattern[3] = {"ccd_scenes/%s/boxes/%s%s.json", "ccd_scenes/%s/mma_bool/%s%s_mma_bool.json",
                                     "ccd_scenes/%s/toi/%s%s_toi.txt"};
    FILE *file[3];
    for (int i = 0; i < 3; i++) {
        char path[256];
        snprintf(path, sizeof path, pattern[i], name, step, pair == EE ? "ee" : "vf");
        file[i] = open_data(folder, path);
        assert_non_null(file[i]);
    }
    unsigned long a, b;
    char truth[8], time[64];
    while (fscanf(file[0], "%*[^0-9]%lu,%lu", &a, &b) == 2) {
        assert_int_equal(fscanf(file[1], "%*[^a-z]%7[a-z]", truth), 1);
        assert_int_equal(fscanf(file[2], "%63s", time), 1);
        // The two sides of a pair are in no order.
        bool first_is_face = pair == VF && a >= s->vertex_count;
        snag__motion m = scene_motion(s, pair, first_is_face ? b : a, first_is_face ? a : b);
        snag__impact impact = snag__impact_find(&m, 0, 0);
        bool collides = strcmp(truth, "true") == 0;
        sum->pairs++;
        sum->colliding += collides;
        sum->missed += collides && (!is_hit(impact) || filter_rejects(&m));
        sum->false_alarms += !collides && is_hit(impact);
        sum->exact += impact.exact;
        double given;
        if (collides && sscanf(time, "%lf", &given) == 1) {
            sum->timed++;
            sum->largest_difference = fmax(sum->largest_difference, fabs(given - impact.t));
        }
    }
    for (int i = 0; i < 3; i++)
        fclose(file[i]);
}

static void every_pair_of_the_public_scenes_is_answered_rightly(void **state)
{
    (void)state;
    static const char *scenes[][4] = {
        {"cloth-ball", "92", "cloth-ball/frames/cloth_ball92.ply", "cloth-ball/frames/cloth_ball93.ply"},
        {"cloth-funnel", "227", "cloth-funnel/frames/227.ply", "cloth-funnel/frames/228.ply"},
        {"rod-twist", "3036", "rod-twist/frames/3036.ply", "rod-twist/frames/3037.ply"}};
    const char *folder = data_folder();
    for (size_t i = 0; i < 3; i++) {
        scene s;
        if (!load_scene(folder, scenes[i][2], scenes[i][3], &s))
            skip();
        for (int pair = 0; pair < 2; pair++) {
            tally sum = {0};
            judge_list(folder, scenes[i][0], scenes[i][1], &s, (snag__impact_pair)pair, &sum);
            print_message("%s %s: %ld pairs, %ld colliding, %ld missed, %ld false alarms, %ld exact; times of %ld differ by "
                          "%.2g at most\n",
                          scenes[i][0], pair == EE ? "edge-edge" : "vertex-face", sum.pairs, sum.colliding, sum.missed,
                          sum.false_alarms, sum.exact, sum.timed, sum.largest_difference);
            assert_true(sum.pairs > 0);
            assert_int_equal(sum.missed, 0);
            assert_int_equal(sum.false_alarms, 0);
            // The given times have nine digits.
            assert_true(sum.largest_difference <= 1e-9);
        }
        free_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_query_is_answered_rightly_in_every_order),
        cmocka_unit_test(every_pair_of_the_public_scenes_is_answered_rightly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
