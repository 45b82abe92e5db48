// snag_world_collect: a search that keeps its candidates, and whether a question may be answered from them.
#include "query/filter.h"
#include "world/collect.h"

#include <float.h>
#include <math.h>
#include <string.h>

snag_collect_def snag_default_collect_def(void)
{
    return (snag_collect_def){.cookie = SNAG__COOKIE_COLLECT, .self = true, .between = true, .distance = 1e-6};
}

// Positions that were rounded to float on the way here still count as on the recorded move.
#define ROUNDING 0x1p-22
// Covers the rounding of the check itself.
#define A_LITTLE_MORE (1 + 0x1p-30)

static double largest_coordinate(const snag__ask *ask)
{
    double largest = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            for (int k = 0; k < 3; k++)
                largest = fmax(largest, fmax(fabs(mesh->x_t0[v][k]), fabs(mesh->x_t1[v][k])));
    }
    return largest;
}

static bool any_moves(const snag__ask *ask)
{
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (!snag__mesh_rests(&ask->bodies[i]->mesh))
            return true;
    return false;
}

static snag_status check_def(snag_world *world, const snag_collect_def *def, snag_candidates **set)
{
    if (def == NULL || set == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "collect: def and set must not be NULL");
    if (def->cookie != SNAG__COOKIE_COLLECT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "collect: the def was not made by snag_default_collect_def of this version: start from that");
    if (!def->self && !def->between)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "collect: neither self nor between is set, so there is nothing to find: set one or both");
    if (!snag__is_length(def->distance))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "collect: the distance must be finite and not negative, not %g",
                          def->distance);
    if (!snag__is_length(def->margin))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "collect: the margin must be finite and not negative, not %g", def->margin);
    if (def->filter != NULL && def->filter->cookie != SNAG__COOKIE_FILTER)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "collect: the filter was not made by snag_default_filter of this version: start from that");
    if (world->source_count > 0)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED,
                          "collect: there are bodies that stay on disk, and only spheres reads them");
    return SNAG_OK;
}

// Pairs of elements are filtered when a question is asked, so that it may have other filters of elements.
static snag__question question_of(const snag_collect_def *def)
{
    return (snag__question){
        .method = SNAG_METHOD_KDOP,
        .output = SNAG_OUTPUT_COUNT,
        .self = def->self,
        .between = def->between,
        .every_pair = true,
        .until = 1,
        .filter = def->filter != NULL ? def->filter->bodies : NULL,
        .filter_context = def->filter != NULL ? def->filter->context : NULL,
        .collect = true,
    };
}

static bool reserve_ground(snag_candidates *set)
{
    if (set->spare_ground != NULL)
        return true;
    set->spare_ground = snag__allocate(&set->allocator, 1, sizeof *set->spare_ground);
    if (set->spare_ground == NULL)
        return false;
    *set->spare_ground = (snag__candidate_ground){0};
    return true;
}

snag_status snag__set_take(snag_candidates *set, snag__ask *ask)
{
    size_t count = 0;
    for (int i = 0; i < SNAG__MAX_TASKS; i++)
        count += ask->scratch->lists[i].count;
    const snag__record *records = NULL;
    if (count > 0) {
        records = snag__order_records(ask, &count);
        if (records == NULL ||
            !snag__buffer_reserve(ask->answer_allocator, &ask->scratch->answer, 0, count, sizeof(snag_candidate)))
            return SNAG_ERROR_MEMORY;
    }
    set->spare.start[0] = 0;
    if (!reserve_ground(set) || !snag__ground_make(&set->allocator, ask, set->spare_ground))
        return SNAG_ERROR_MEMORY;
    return snag__candidates_take(&set->allocator, ask, records, count, ask->scratch->answer.data, &set->spare) ? SNAG_OK
                                                                                                               : SNAG_ERROR_MEMORY;
}

static snag_status search(snag_world *world, const snag_collect_def *def, snag_candidates *set)
{
    snag__question question = question_of(def);
    snag__ask ask;
    // The kind of question, and with it which bounds are made, depends on whether anything moves.
    if (!snag__ask_begin(world, &question, &ask))
        return snag__fail(world, SNAG_ERROR_MEMORY, "collect: the allocator has no more memory");
    bool swept = any_moves(&ask);
    double allowed = def->margin + ROUNDING * largest_coordinate(&ask);
    double reach = (def->distance + 2 * allowed) * A_LITTLE_MORE + DBL_MIN;
    if (!isfinite(reach))
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "collect: the distance and twice the margin are too large: %g and %g",
                          def->distance, def->margin);
    question.question = swept ? SNAG_IMPACTS : SNAG_PROXIMITIES;
    ask.kind = snag__kind_of(question.question);
    *(swept ? &question.separation : &question.distance) = reach;
    snag_status status = snag__filter_prepare(&ask);
    if (status == SNAG_OK)
        status = snag__plan_run(&ask, (snag__plan_bodies){0});
    if (status == SNAG_OK)
        status = snag__set_take(set, &ask);
    if (status == SNAG_OK) {
        set->spare_ground->allowed = allowed;
        set->spare_ground->narrow = def->margin == 0;
    }
    return status == SNAG_OK ? SNAG_OK : snag__fail(world, status, "collect: %s", snag_status_name(status));
}

void snag__set_commit(snag_world *world, snag_candidates *set)
{
    snag__candidate_lists lists = set->lists;
    set->lists = set->spare;
    set->spare = lists;
    snag__clearance_forget(&set->clearance);
    snag__candidate_ground *ground = set->grounds;
    set->grounds = set->spare_ground;
    set->grounds->next = NULL;
    set->grounds->anywhere = false;
    set->spare_ground = ground;
    if (ground != NULL) {
        snag__ground_free(&set->allocator, ground->next);
        ground->next = NULL;
    }
    set->world = world->serial;
    set->collected = set->dropped = set->self = set->between = set->search_if_stale = false;
    set->distance = 0;
    set->filter = (snag_filter){0};
}

static void note_scope(const snag_collect_def *def, snag_candidates *set)
{
    set->collected = true;
    set->self = def->self;
    set->between = def->between;
    set->search_if_stale = def->search_if_stale;
    set->distance = def->distance;
    if (def->filter != NULL)
        set->filter = *def->filter;
}

static snag_status collect(snag_world *world, const snag_collect_def *def, snag_candidates **out)
{
    snag_status status = check_def(world, def, out);
    if (status != SNAG_OK)
        return status;
    snag_candidates *set = *out != NULL ? *out : snag__set_make(world);
    if (set == NULL)
        return snag__fail(world, SNAG_ERROR_MEMORY, "collect: the allocator has no more memory");
    status = search(world, def, set);
    if (status != SNAG_OK) {
        if (*out == NULL)
            snag_candidates_destroy(set);
        return status;
    }
    snag__set_commit(world, set);
    note_scope(def, set);
    *out = set;
    return SNAG_OK;
}

snag_status snag_world_collect(snag_world *world, const snag_collect_def *def, snag_candidates **set)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("collect"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, collect(world, def, set)) : status;
}

// ---- asking ----

static bool is_same_filter(const snag_filter *filter, const snag__question *question)
{
    return filter->bodies == question->filter && (filter->bodies == NULL || filter->context == question->filter_context);
}

static snag_status check_question(snag_world *world, const snag__question *question, const snag_candidates *set)
{
    double wanted = question->question == SNAG_IMPACTS ? question->separation + question->tolerance : question->distance;
    if (wanted > set->distance)
        return snag__fail(
            world, SNAG_ERROR_ARGUMENT,
            "ask: the candidates were collected for a distance of %g, and the question asks for %g%s: collect for that",
            set->distance, wanted, question->question == SNAG_IMPACTS ? " (separation + tolerance)" : "");
    if ((question->self && !set->self) || (question->between && !set->between))
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "ask: the candidates were collected without %s: ask without it, or collect again",
                          question->self && !set->self ? "self" : "between");
    if (!is_same_filter(&set->filter, question))
        return snag__fail(
            world, SNAG_ERROR_ARGUMENT,
            "ask: the candidates were collected with another filter: ask with the same one, or collect without a filter");
    return SNAG_OK;
}

snag_status snag__candidates_suit(snag_world *world, snag__ask *ask)
{
    const snag_candidates *set = ask->def->set;
    snag_status status = set->collected ? check_question(world, ask->def, set) : SNAG_OK;
    return status == SNAG_OK ? snag__ground_check(world, ask, set, ask->kind->swept, ask->set_times) : status;
}

static snag_status check(snag_world *world, const snag_candidates *set, bool moving)
{
    if (set == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "check: the candidates must not be NULL");
    const snag__question question = {.question = moving ? SNAG_IMPACTS : SNAG_PROXIMITIES};
    snag__ask ask;
    if (!snag__ask_begin(world, &question, &ask))
        return snag__fail(world, SNAG_ERROR_MEMORY, "check: the allocator has no more memory");
    double times[2];
    return snag__ground_check(world, &ask, set, moving, times);
}

snag_status snag_candidates_check(snag_world *world, const snag_candidates *set, bool moving)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("check"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, check(world, set, moving)) : status;
}
