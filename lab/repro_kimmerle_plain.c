// Parameters of the active pairs paper that `active` does not have, by a plain implementation of it (papers/paper_active.c): the number
// of triangles in a leaf (section 5), and the recursive search of clusters of earlier work (section 3).
#define _POSIX_C_SOURCE 200809L
#include "repro_kimmerle.h"

#include <math.h>
#include <stdlib.h>

#include "../sim/posed/figure_scene.h"
#include "papers/paper_active.h"

enum { LEAVES = 10, MODES = 2 };

#define POINT_DISTANCE 0.02  // of colliding points: between the edge lengths of the figure and of the dress

// Means of all steps.
typedef struct plain_run {
    double update, overlap, total, leaf_pairs, looked_at, ratio, least;
} plain_run;

static void add_step(plain_run *run, const paper_active_step *step, size_t truth, int steps)
{
    double ratio = truth > 0 ? (double)step->found / (double)truth : 1;
    run->update += step->update_ms / steps;
    run->overlap += step->overlap_ms / steps;
    run->total += step->total_ms / steps;
    run->leaf_pairs += (double)step->leaf_pairs / steps;
    run->looked_at += (double)step->looked_at / steps;
    run->ratio += ratio / steps;
    run->least = fmin(run->least, ratio);
}

// All variants take turns on the posed figure; the first steps are not counted.
static int run_plain(repro *r, const paper_active_def *defs, size_t count, plain_run *runs, size_t triangles[2])
{
    enum { WARM = 10 };
    int steps = r->quick ? 5 : 100;
    figure_scene scene;
    double fineness = r->quick ? 0.35 : 1;
    if (!figure_scene_make(&scene, fineness, fineness))
        return words_out_of_memory(r->w);
    figure_scene_pose(&scene, 0);
    triangles[0] = scene.figure.triangle_count;
    triangles[1] = scene.dress.triangle_count;
    paper_active *ways[LEAVES] = {NULL};
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        paper_active_def def = defs[i];
        def.a = &scene.figure;
        def.b = &scene.dress;
        def.distance = POINT_DISTANCE;
        def.seed = 1;
        runs[i] = (plain_run){.least = 1};
        ways[i] = paper_active_new(&def);
        good = ways[i] != NULL;
    }
    for (int step = -WARM; step < steps && good; step++) {
        figure_scene_pose(&scene, step + WARM + 1);
        size_t truth = paper_active_truth(ways[0]);
        good = truth != SIZE_MAX;
        for (size_t i = 0; i < count && good; i++) {
            paper_active_step taken;
            good = paper_active_run(ways[i], &taken);
            if (step >= 0)
                add_step(&runs[i], &taken, truth, steps);
        }
        repro_show(r, (double)(step + WARM) / (steps + WARM));
    }
    for (size_t i = 0; i < count; i++)
        paper_active_free(ways[i]);
    figure_scene_free(&scene);
    return good ? EXIT_CLEAN : words_out_of_memory(r->w);
}

int kimmerle_leaves(repro *r)
{
    static const uint32_t leaves[LEAVES] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
    paper_active_def defs[LEAVES];
    plain_run runs[LEAVES];
    size_t triangles[2] = {0};
    for (int i = 0; i < LEAVES; i++)
        defs[i] = (paper_active_def){.leaf = leaves[i], .new_pairs = 100};
    int result = run_plain(r, defs, LEAVES, runs, triangles);
    if (result != EXIT_CLEAN)
        return result;
    char caption[240];
    snprintf(caption, sizeof caption,
             "Section 5: triangles in a leaf; the paper's way written plainly, pairs of points of a posed figure (%zu triangles) "
             "and its "
             "dress (%zu), 100 new pairs a step; milliseconds a step",
             triangles[0], triangles[1]);
    page_table(r->page, "leaves", caption, "triangles in a leaf|total|update|overlapping volumes|pairs of leaves|part found");
    int best = 0;
    for (int i = 0; i < LEAVES; i++) {
        const double numbers[4] = {runs[i].total, runs[i].update, runs[i].overlap, runs[i].leaf_pairs};
        page_row(r->page);
        page_number(r->page, leaves[i], 0);
        for (int k = 0; k < 4; k++)
            page_number(r->page, numbers[k], k < 3 ? 3 : 0);
        page_number(r->page, runs[i].ratio, 3);
        best = runs[i].total < runs[best].total ? i : best;
    }
    page_plot(r->page, "leaves-plot", "Section 5: time over the number of triangles in a leaf", "triangles in a leaf", "ms a step",
              PAGE_LOG_X | PAGE_FROM_ZERO);
    static const char *const names[3] = {"total", "update", "overlapping volumes"};
    for (int k = 0; k < 3; k++) {
        page_series(r->page, names[k]);
        for (int i = 0; i < LEAVES; i++)
            page_point(r->page, leaves[i], k == 0 ? runs[i].total : k == 1 ? runs[i].update : runs[i].overlap);
    }
    // Beyond some size the time is flat: the smallest leaf that is as good as the best.
    int enough = 0;
    while (runs[enough].total > 1.05 * runs[best].total)
        enough++;
    double one = runs[0].update + runs[0].overlap, sixteen = runs[4].update + runs[4].overlap;
    page_ruling larger = repro_full(r, rule_leaf_size(one / sixteen, leaves[enough]));
    page_ruled(
        r->page, &larger, false,
        "Section 6.1: with more faces in a leaf the update and the detection of colliding volumes are faster",
        "Update and overlapping volumes take %.2f ms with one triangle in a leaf and %.2f ms with 16. All of it takes %.2f ms "
        "with one, and from %u on within 5 %% of the best, %.2f ms; that finds %.0f %% of the pairs (with one %.0f %%).",
        one, sixteen, runs[0].total, leaves[enough], runs[best].total, 100 * runs[best].ratio, 100 * runs[0].ratio);
    return EXIT_CLEAN;
}

int kimmerle_clusters(repro *r)
{
    static const uint32_t pairs[3] = {25, 100, 400};
    static const char *const names[MODES] = {"one ring of neighbours a step (the paper)",
                                             "recursive, all of a cluster (earlier work)"};
    paper_active_def defs[3 * MODES];
    plain_run runs[3 * MODES];
    size_t triangles[2] = {0};
    for (int i = 0; i < 3 * MODES; i++)
        defs[i] = (paper_active_def){.leaf = 16, .new_pairs = pairs[i / MODES], .recursive = i % MODES == 1};
    int result = run_plain(r, defs, (size_t)3 * MODES, runs, triangles);
    if (result != EXIT_CLEAN)
        return result;
    page_table(
        r->page, "clusters",
        "Section 3: how clusters of collisions are followed, on the same figure; milliseconds a step, 16 triangles in a leaf",
        "clusters|new pairs a step|total|pairs of points looked at|part found: mean|part found: least");
    for (int i = 0; i < 3 * MODES; i++) {
        page_row(r->page);
        page_cell(r->page, "%s", names[i % MODES]);
        page_number(r->page, defs[i].new_pairs, 0);
        page_number(r->page, runs[i].total, 3);
        page_number(r->page, runs[i].looked_at, 0);
        page_number(r->page, runs[i].ratio, 3);
        page_number(r->page, runs[i].least, 3);
    }
    // With 100 new pairs, the paper's number.
    const plain_run *step = &runs[2], *recursive = &runs[3];
    page_ruling faster = repro_full(r, rule_cluster_search(recursive->looked_at / step->looked_at, recursive->total / step->total));
    page_ruled(r->page, &faster, false, "Section 3: following clusters step by step is much more efficient than a recursive search",
               "With 100 new pairs a step the recursive search looks at %.1f times as many pairs of points and takes %.2f times as "
               "long; it finds "
               "%.0f %% of the pairs, step by step %.0f %%.",
               recursive->looked_at / step->looked_at, recursive->total / step->total, 100 * recursive->ratio, 100 * step->ratio);
    return EXIT_CLEAN;
}
