#include "helpers/gl_judge.h"

#include "helpers/test.h"
#include "query/kind.h"

#include <math.h>
#include <stdlib.h>

bool gl_judge_begin(gl_judge *judge)
{
    if (snag__gpu_gl() == NULL) {
        print_message("skipped: this build has no backend gl\n");
        return false;
    }
    static const snag_log silent = {0};
    *judge = (gl_judge){.allocator = snag__default_allocator()};
    snag_question_def def = snag_default_question_def(SNAG_OVERLAPS);
    snag__words words;
    assert_int_equal(snag__question_read(&def, &judge->def, &words), SNAG_OK);
    judge->ask = (snag__ask){.allocator = &judge->allocator,
                             .answer_allocator = &judge->allocator,
                             .def = &judge->def,
                             .kind = snag__kind_of(SNAG_OVERLAPS),
                             .log = &silent,
                             .isa = snag__isa_best()};
    snag__gpu_error error = {""};
    if (snag__gpu_gl()->open(&judge->allocator, &judge->state.gpu, &error) == SNAG_OK)
        return true;
    print_message("skipped: %s\n", error.message);
    return false;
}

void gl_judge_end(gl_judge *judge)
{
    snag__gpu_gl()->close(judge->state.gpu);
    snag__buffer_free(&judge->allocator, &judge->state.corners);
    snag__buffer_free(&judge->allocator, &judge->state.octants);
}

static void keep(gl_judge *judge, uint8_t exact, uint8_t seen)
{
    judge->score.exact += (size_t)__builtin_popcount(exact);
    judge->score.missed += (size_t)__builtin_popcount(exact & ~seen);
    judge->score.extra += (size_t)__builtin_popcount(seen & ~exact);
}

// Triangles of a node, which octants each goes to, and which octants are grey. Without a list: all of the body.
static void look_exactly(gl_judge *judge, const snag__sphere_geometry *geometry, const snag__octants *octants,
                         snag__sphere_parts *parts, uint8_t *masks)
{
    snag__sphere_kernels_for(judge->ask.isa)->octants(geometry->x, geometry->triangles, parts->list, parts->count, octants, masks);
    parts->masks = masks;
    parts->grey = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        parts->grey |= masks[i];
}

static void look_by_queries(gl_judge *judge, const snag__sphere_geometry *geometry, const snag__octants *octants,
                            snag__sphere_parts *parts, uint8_t *masks)
{
    snag__sphere_kernels_for(judge->ask.isa)
        ->box_octants(geometry->x, geometry->triangles, parts->list, parts->count, octants, masks);
    parts->masks = masks;
    assert_int_equal(
        snag__spheres_gl_octants(&judge->ask, &judge->state, geometry, parts->list, parts->count, octants, masks, &parts->grey),
        SNAG_OK);
}

void gl_judge_box(gl_judge *judge, const snag__sphere_geometry *geometry, const snag__octants *octants)
{
    uint8_t *masks = malloc(geometry->triangle_count + 1u);
    assert_non_null(masks);
    snag__sphere_parts exact = {.count = geometry->triangle_count}, seen = exact;
    look_exactly(judge, geometry, octants, &exact, masks);
    look_by_queries(judge, geometry, octants, &seen, masks);
    keep(judge, exact.grey, seen.grey);
    free(masks);
}

// ---- trees ----

// The same node in both trees; `met` is false if the exact one has none there.
typedef struct twin {
    snag__sphere_node seen, exact;
    bool met;
} twin;

typedef struct grove {
    gl_judge *judge;
    const snag__sphere_geometry *geometry;
    snag__sphere_tree seen, exact;
    uint8_t *masks;
} grove;

typedef void looker(gl_judge *judge, const snag__sphere_geometry *geometry, const snag__octants *octants, snag__sphere_parts *parts,
                    uint8_t *masks);

static void grow(grove *g, snag__sphere_tree *tree, snag__sphere_node node, looker *look)
{
    snag__octants octants;
    snag__sphere_cut(node, &octants);
    snag__sphere_parts parts = {.list = snag__sphere_list(node), .count = snag__sphere_count(node)};
    look(g->judge, g->geometry, &octants, &parts, g->masks);
    assert_non_null(snag__sphere_make(tree, node, &octants, &parts, &g->judge->allocator));
}

// The children that queries see of a node, at most eight; judged when they are seen for the first time.
static uint32_t open_twin(grove *g, twin at, twin children[8])
{
    if (at.seen.level->below[at.seen.child] == NULL) {
        grow(g, &g->seen, at.seen, look_by_queries);
        if (at.met)
            grow(g, &g->exact, at.exact, look_exactly);
        keep(g->judge, at.met ? at.exact.level->below[at.exact.child]->grey : 0, at.seen.level->below[at.seen.child]->grey);
    }
    snag__sphere_level *seen = at.seen.level->below[at.seen.child];
    snag__sphere_level *exact = at.met ? at.exact.level->below[at.exact.child] : NULL;
    uint32_t count = 0;
    for (uint32_t o = 0; o < 8; o++)
        if ((seen->grey >> o & 1) != 0)
            children[count++] = (twin){{seen, o}, {exact, o}, exact != NULL && (exact->grey >> o & 1) != 0};
    return count;
}

static bool can_open(twin at, uint32_t depth)
{
    return at.seen.level->depth < depth && snag__sphere_can_cut(at.seen);
}

static void look_whole(grove *g, twin root, uint32_t depth)
{
    twin waiting[8 * SNAG__SPHERE_DEPTH_MAX + 8];
    uint32_t count = 1;
    waiting[0] = root;
    while (count > 0) {
        twin at = waiting[--count];
        if (can_open(at, depth))
            count += open_twin(g, at, waiting + count);
    }
}

static void look_along_branch(grove *g, twin root, uint32_t depth, snag__random *random)
{
    twin at = root, children[8];
    uint32_t count = 1;
    while (count > 0 && can_open(at, depth)) {
        count = open_twin(g, at, children);
        if (count > 0)
            at = children[snag__random_below(random, count)];
    }
}

static void box_of(const snag__sphere_geometry *geometry, double lo[3], double hi[3])
{
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
        for (uint32_t t = 0; t < geometry->triangle_count; t++)
            for (int c = 0; c < 3; c++) {
                lo[k] = fmin(lo[k], geometry->x[geometry->triangles[t][c]][k]);
                hi[k] = fmax(hi[k], geometry->x[geometry->triangles[t][c]][k]);
            }
    }
}

void gl_judge_tree(gl_judge *judge, const snag__sphere_geometry *geometry, gl_branches which, snag__random *random)
{
    double lo[3], hi[3];
    uint32_t count = geometry->triangle_count;
    grove g = {.judge = judge, .geometry = geometry, .masks = malloc(count + 1u)};
    assert_non_null(g.masks);
    box_of(geometry, lo, hi);
    snag__sphere_tree_begin(&g.seen, lo, hi, count, false);
    snag__sphere_tree_begin(&g.exact, lo, hi, count, false);
    twin root = {snag__sphere_root(&g.seen), snag__sphere_root(&g.exact), true};
    look_whole(&g, root, which.whole);
    for (uint32_t i = 0; i < which.branches; i++)
        look_along_branch(&g, root, which.depth, random);
    snag__sphere_tree_clear(&g.seen, &judge->allocator);
    snag__sphere_tree_clear(&g.exact, &judge->allocator);
    free(g.masks);
}

// ---- scores ----

double gl_extra_percent(const gl_score *score)
{
    return score->exact > 0 ? 100.0 * (double)score->extra / (double)score->exact : 0;
}

void gl_assert_score(const gl_score *score, const char *what, double most)
{
    print_message("%s: %zu nodes met, %zu missed, %.2f %% more seen\n", what, score->exact, score->missed, gl_extra_percent(score));
    assert_true(score->exact > 0);
    assert_int_equal(score->missed, 0);
    assert_true(gl_extra_percent(score) < most);
}
