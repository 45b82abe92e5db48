// snag bench sweep --sweep leaf=1,2,4,8: how many triangles a leaf holds, in the active pairs paper as it is written
// (papers/paper_active.c), for the first body of any scene against all others, or one body against itself. The library's own trees have
// leaves of one size.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/progress.h"
#include "bench_scene.h"
#include "lab.h"
#include "machine.h"
#include "page.h"
#include "papers/paper_active.h"

enum { MOST_LEAVES = 32, ROUNDS = 3, NEW_PAIRS = 100 };

typedef struct leaf_value {
    uint32_t leaf;
    double total, update, overlap;  // milliseconds of a pose, in the round with the least total
    double leaf_pairs, looked_at, found;  // a pose; the same in every round
} leaf_value;

typedef struct leaf_sweep {
    const options *o;
    words *w;
    leaf_value values[MOST_LEAVES];
    size_t count;
    surface_scene scene;
    snag_shape sides[2];  // the first body, and all others, if there are any; they borrow a pose
    bool self;
    double truth;  // pairs of points a pose
} leaf_sweep;

static int read_leaves(leaf_sweep *s)
{
    for (const char *at = strchr(s->o->sweep, '='); at; at = strchr(at + 1, ',')) {
        char text[16] = "", *end = text;
        size_t length = strcspn(at + 1, ",");
        if (s->count == MOST_LEAVES)
            return words_error(s->w, "--sweep: at most %d values", (int)MOST_LEAVES);
        memcpy(text, at + 1, length < sizeof text ? length : 0);
        unsigned long leaf = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
        if (leaf < 1 || leaf > 1000000 || *end != 0)
            return words_error(s->w, "--sweep: %.*s is not offered for leaf: give whole numbers from 1 to 1000000", (int)length,
                               at + 1);
        s->values[s->count++] = (leaf_value){.leaf = (uint32_t)leaf, .total = INFINITY};
    }
    return EXIT_CLEAN;
}

static int check_request(const leaf_sweep *s)
{
    const options *o = s->o;
    if (o->inputs.count < 2)
        return words_error(s->w, "give a mesh file, a folder or a sequence: snag bench sweep --sweep leaf=1,2,4,8 --distance 0.01 "
                                 "body.obj dress.obj");
    if (o->question_given || o->method != SNAG_METHOD_AUTO || o->bench_scene)
        return words_error(s->w,
                           "--sweep leaf measures the active pairs paper as it is written; leave out --question, --method and "
                           "--scene");
    if (!(o->distance > 0))
        return words_error(s->w, "points closer than a distance collide: --distance D, about the length of an edge");
    return o->bench_out ? page_check_folder(o->bench_out, "sweep", s->w) : EXIT_CLEAN;
}

// The triangles of the second side number its vertices from 0.
static int open_sides(leaf_sweep *s)
{
    const surface_scene *scene = &s->scene;
    const surface_body *first = scene->bodies;
    size_t others = scene->triangle_count - first->triangle_count;
    s->self = scene->body_count == 1;
    if (first->triangle_count == 0 || (others == 0 && !s->self))
        return words_error(s->w,
                           "--sweep leaf needs bodies with triangles: the first is searched against all others, or one against "
                           "itself");
    for (int side = 0; side < (s->self ? 1 : 2); side++) {
        s->sides[side].vertex_count = side == 0 ? first->vertex_count : scene->vertex_count - first->vertex_count;
        s->sides[side].triangle_count = side == 0 ? first->triangle_count : others;
        s->sides[side].triangles = malloc(3 * s->sides[side].triangle_count * sizeof(uint32_t));
        if (!s->sides[side].triangles)
            return words_out_of_memory(s->w);
        const uint32_t *from = scene->triangles[side == 0 ? 0 : first->triangle_count];
        for (size_t i = 0; i < 3 * s->sides[side].triangle_count; i++)
            s->sides[side].triangles[i] = from[i] - (side == 0 ? 0 : (uint32_t)first->vertex_count);
    }
    return EXIT_CLEAN;
}

static void pose_sides(leaf_sweep *s, size_t pose)
{
    s->sides[0].positions = s->scene.poses[pose][0];
    if (!s->self)
        s->sides[1].positions = s->scene.poses[pose][s->sides[0].vertex_count];
}

// The algorithm as it is in the first pose. NULL: out of memory.
static paper_active *open_paper(leaf_sweep *s, uint32_t leaf)
{
    pose_sides(s, 0);
    const paper_active_def def = {.a = &s->sides[0],
                                  .b = &s->sides[s->self ? 0 : 1],
                                  .distance = s->o->distance,
                                  .leaf = leaf,
                                  .new_pairs = NEW_PAIRS,
                                  .seed = 1};
    return paper_active_new(&def);
}

// One round of one value. False: out of memory.
static bool run_value(leaf_sweep *s, leaf_value *v)
{
    double poses = (double)s->scene.pose_count;
    paper_active *paper = open_paper(s, v->leaf);
    leaf_value sum = {.leaf = v->leaf};
    bool good = paper != NULL;
    for (size_t pose = 0; pose < s->scene.pose_count && good; pose++) {
        paper_active_step step = {0};
        pose_sides(s, pose);
        good = paper_active_run(paper, &step);
        sum.total += step.total_ms / poses;
        sum.update += step.update_ms / poses;
        sum.overlap += step.overlap_ms / poses;
        sum.leaf_pairs += (double)step.leaf_pairs / poses;
        sum.looked_at += (double)step.looked_at / poses;
        sum.found += (double)step.found / poses;
    }
    paper_active_free(paper);
    if (good && sum.total < v->total)
        *v = sum;
    return good;
}

// How many pairs collide in a pose. False: out of memory.
static bool count_truth(leaf_sweep *s)
{
    paper_active *paper = open_paper(s, 1);
    bool good = paper != NULL;
    for (size_t pose = 0; pose < s->scene.pose_count && good; pose++) {
        pose_sides(s, pose);
        size_t truth = paper_active_truth(paper);
        good = truth != SIZE_MAX;
        s->truth += (double)truth / (double)s->scene.pose_count;
    }
    paper_active_free(paper);
    return good;
}

static int run_rounds(leaf_sweep *s)
{
    progress shown;
    bool good = count_truth(s), stopped = false;
    progress_catch_interrupt();
    progress_begin(&shown, s->w, "replay", ROUNDS * s->count);
    for (size_t i = 0; i < ROUNDS * s->count && good && !stopped; i++) {
        progress_show(&shown, i, 0);
        good = run_value(s, &s->values[i % s->count]);
        stopped = progress_interrupted();
    }
    progress_end(&shown);
    if (stopped)
        return words_error(s->w, "interrupted; nothing was written");
    return good ? EXIT_CLEAN : words_out_of_memory(s->w);
}

// The part of the colliding pairs that was found; NaN if there are none.
static double part(const leaf_sweep *s, const leaf_value *v)
{
    return s->truth > 0 ? v->found / s->truth : NAN;
}

static void fill_page(const leaf_sweep *s, page *p)
{
    machine_add_facts(p);
    page_fact(p, "question", "pairs of points closer than %g, the active pairs paper as it is written, %d new pairs a pose",
              s->o->distance, (int)NEW_PAIRS);
    if (s->self)
        page_fact(p, "input", "%s, %zu poses, %zu triangles against themselves", s->o->inputs.items[1], s->scene.pose_count,
                  s->sides[0].triangle_count);
    else
        page_fact(p, "input", "%s, %zu poses, %zu and %zu triangles", s->o->inputs.items[1], s->scene.pose_count,
                  s->sides[0].triangle_count, s->sides[1].triangle_count);
    page_section(p, "sweep", "leaf");
    page_table(p, "values", "Triangles in a leaf; means of a pose, the round of three with the least time",
               "leaf|ms|update, ms|overlapping volumes, ms|pairs of leaves|pairs of points looked at|contacts|part found");
    for (size_t i = 0; i < s->count; i++) {
        const leaf_value *v = &s->values[i];
        page_row(p);
        page_number(p, v->leaf, 0);
        page_number(p, v->total, 4);
        page_number(p, v->update, 4);
        page_number(p, v->overlap, 4);
        page_number(p, v->leaf_pairs, 1);
        page_number(p, v->looked_at, 1);
        page_number(p, v->found, 1);
        page_number(p, part(s, v), 3);
    }
    page_plot(p, "time", "ms a pose", "triangles in a leaf", "ms a pose", PAGE_LOG_X | PAGE_FROM_ZERO);
    static const char *const names[3] = {"total", "update", "overlapping volumes"};
    for (int k = 0; k < 3; k++) {
        page_series(p, names[k]);
        for (size_t i = 0; i < s->count; i++) {
            const leaf_value *v = &s->values[i];
            page_point(p, v->leaf, k == 0 ? v->total : k == 1 ? v->update : v->overlap);
        }
    }
    page_plot(p, "found", "part of the contacts found", "triangles in a leaf", "part found", PAGE_LOG_X | PAGE_FROM_ZERO);
    page_series(p, "part found");
    for (size_t i = 0; i < s->count && s->truth > 0; i++)
        page_point(p, s->values[i].leaf, part(s, &s->values[i]));
}

static void print_rows(const leaf_sweep *s)
{
    printf("pairs of points closer than %g, the active pairs paper as it is written, %zu poses\n", s->o->distance,
           s->scene.pose_count);
    printf("%-10s%12s%12s%12s%14s%14s%12s%10s\n", "leaf", "ms", "update", "overlap", "leaf pairs", "looked at", "contacts",
           "found");
    for (size_t i = 0; i < s->count; i++) {
        const leaf_value *v = &s->values[i];
        printf("%-10u%12.4f%12.4f%12.4f%14.1f%14.1f%12.1f", v->leaf, v->total, v->update, v->overlap, v->leaf_pairs, v->looked_at,
               v->found);
        if (s->truth > 0)
            printf("%10.3f\n", part(s, v));
        else
            printf("%10s\n", "?");
    }
}

static int write_results(const leaf_sweep *s)
{
    page *p = page_new("snag: sweep of the leaf size");
    if (!p)
        return words_out_of_memory(s->w);
    fill_page(s, p);
    int result = page_failed(p) ? words_out_of_memory(s->w) : EXIT_CLEAN;
    if (result == EXIT_CLEAN && s->o->json)
        page_write_json(p, stdout);
    else if (result == EXIT_CLEAN)
        print_rows(s);
    if (result == EXIT_CLEAN && s->o->bench_out) {
        result = page_write_folder(p, s->o->bench_out, "sweep", s->w);
        if (result == EXIT_CLEAN && !s->o->json)
            printf("Report: %s/sweep.html\n", s->o->bench_out);
    }
    page_free(p);
    return result;
}

int bench_sweep_leaf(const options *o, words *w)
{
    const bench_scene files = {SIZE_MAX, 0};
    leaf_sweep *s = calloc(1, sizeof *s);
    if (!s)
        return words_out_of_memory(w);
    s->o = o;
    s->w = w;
    int result = read_leaves(s);
    if (result == EXIT_CLEAN)
        result = check_request(s);
    if (result == EXIT_CLEAN)
        result = bench_scene_open(o, &files, w, &s->scene);
    if (result == EXIT_CLEAN)
        result = open_sides(s);
    if (result == EXIT_CLEAN)
        result = run_rounds(s);
    if (result == EXIT_CLEAN)
        result = write_results(s);
    for (int side = 0; side < 2; side++)
        free(s->sides[side].triangles);
    surface_scene_free(&s->scene);
    free(s);
    return result;
}
