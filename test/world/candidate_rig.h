// Sheets and a soup of triangles that move, for tests of sets of candidates; and asks with and without a set, compared.
#ifndef CANDIDATE_RIG_H
#define CANDIDATE_RIG_H

#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 3 };

typedef struct rig {
    snag_world *world;
    snag_body_id ids[BODIES];
    snag_shape shapes[BODIES];
    double *x[BODIES], *step[BODIES];  // where they are, and how they want to move
} rig;

static inline snag_status open_rig_with(rig *r, const scene_options *options)
{
    snag__random random = {11};
    *r = (rig){.world = scene_world(options)};
    if (r->world == NULL)
        return SNAG_ERROR_MEMORY;
    snag_status status = SNAG_OK;
    for (int i = 0; i < BODIES && status == SNAG_OK; i++) {
        r->shapes[i] = i < 2 ? scene_crumpled_sheet(10, 0.15, &random) : scene_soup(60, 8, true, &random);
        size_t bytes = 3 * r->shapes[i].vertex_count * sizeof(double);
        r->x[i] = malloc(bytes);
        r->step[i] = malloc(bytes);
        memcpy(r->x[i], r->shapes[i].positions, bytes);
        status = scene_add(r->world, &r->shapes[i], SNAG_F64, NULL, &r->ids[i]);
    }
    return status;
}

static inline void open_rig(rig *r, uint32_t threads)
{
    assert_int_equal(open_rig_with(r, &(scene_options){.threads = threads}), SNAG_OK);
}

static inline void close_rig(rig *r)
{
    snag_world_destroy(r->world);
    for (int i = 0; i < BODIES; i++) {
        snag_shape_free(&r->shapes[i]);
        free(r->x[i]);
        free(r->step[i]);
    }
}

static inline void choose_step(rig *r, double length, snag__random *random)
{
    for (int i = 0; i < BODIES; i++)
        for (size_t k = 0; k < 3 * r->shapes[i].vertex_count; k++)
            r->step[i][k] = snag__random_range(random, -length, length);
}

// Moves all bodies to a part of their steps, and every coordinate by up to `noise` besides.
static inline void move_by(rig *r, double part, double noise, snag__random *random)
{
    for (int i = 0; i < BODIES; i++) {
        size_t n = r->shapes[i].vertex_count;
        double *moved = malloc(3 * n * sizeof *moved);
        for (size_t k = 0; k < 3 * n; k++)
            moved[k] = r->x[i][k] + part * r->step[i][k] + snag__random_range(random, -noise, noise);
        assert_int_equal(snag_world_move(r->world, r->ids[i], snag_positions_f64(moved, n)), SNAG_OK);
        free(moved);
    }
}

// Asks with and without the set, and compares.
static inline size_t assert_same(rig *r, snag_question_def ask, const snag_candidates *set)
{
    const snag_answer *answer = NULL;
    ask.candidates = NULL;
    assert_int_equal(snag_world_ask(r->world, &ask, &answer), SNAG_OK);
    uint64_t hash = scene_hash(answer);
    double earliest = answer->earliest;
    size_t count = answer->count;
    snag_pair culprit = answer->culprit;
    ask.candidates = set;
    snag_status status = snag_world_ask(r->world, &ask, &answer);
    if (status != SNAG_OK)
        fail_msg("%s", snag_world_message(r->world));
    assert_true(answer->complete);
    assert_int_equal(answer->count, count);
    assert_true(scene_hash(answer) == hash);
    assert_true(answer->earliest == earliest);
    assert_memory_equal(&answer->culprit, &culprit, sizeof culprit);
    assert_non_null(strstr(answer->reason, "candidates"));
    return count;
}

#endif
