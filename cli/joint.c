// Joins penetrations and intersections into one answer.
#include "joint.h"

#include "progress.h"

#include <stdlib.h>
#include <string.h>

bool joint_needed(const scene *s)
{
    bool volumes = false, surfaces = false;
    for (size_t i = 0; i < s->body_count; i++) {
        scene_kinds kinds = scene_kinds_of(&s->bodies[i]);
        volumes = volumes || kinds.tets;
        surfaces = surfaces || (!kinds.tets && kinds.faces);
    }
    return volumes && surfaces;
}

// ---- the second question -------------------------------------------------------------------------------------------

// Between two volumes, penetrations with edges find every contact; intersections of their boundaries would only repeat them.
static bool has_surface(void *context, snag_body_id a, snag_body_id b)
{
    const joint *j = context;
    return !j->is_volume[a.index] || !j->is_volume[b.index];
}

static bool go_on(const joint *j, double done)
{
    return !j->first.progress || j->first.progress(j->first.context, done);
}

static bool go_on_first(void *context, double done)
{
    return go_on(context, 0.5 * done);
}

static bool go_on_second(void *context, double done)
{
    return go_on(context, 0.5 + 0.5 * done);
}

bool joint_begin(joint *j, const scene *s, const any_question *first)
{
    uint32_t highest = 0;
    *j = (joint){.wanted = true, .first = *first, .second = any_default(SNAG_INTERSECTIONS)};
    j->second.method = first->method;
    j->second.self = first->self;
    j->second.between = first->between;
    j->second.filter = has_surface;
    j->second.progress = go_on_second;
    j->second.context = j;
    for (size_t i = 0; i < s->body_count; i++)
        if (s->bodies[i].id.index > highest)
            highest = s->bodies[i].id.index;
    j->is_volume = calloc((size_t)highest + 1, sizeof *j->is_volume);
    for (size_t i = 0; j->is_volume && i < s->body_count; i++)
        j->is_volume[s->bodies[i].id.index] = s->bodies[i].source->tet_count > 0;
    return j->is_volume != NULL;
}

void joint_free(joint *j)
{
    free(j->is_volume);
    free(j->contacts);
    *j = (joint){0};
}

// ---- asking --------------------------------------------------------------------------------------------------------

static bool append(joint *j, size_t count, const snag_answer *answer)
{
    if (!words_grow((void **)&j->contacts, &j->capacity, count + answer->count, sizeof *j->contacts))
        return false;
    if (answer->count)
        memcpy(j->contacts + count, answer->contacts, answer->count * sizeof *j->contacts);
    return true;
}

// The second question gets the time the first one left.
static uint64_t time_left(uint64_t budget_us, double seconds)
{
    double left = (double)budget_us - 1e6 * seconds;
    return budget_us == 0 ? 0 : left > 1 ? (uint64_t)left : 1;
}

static void join(joint *j, const snag_answer *other)
{
    snag_answer *all = &j->answer;
    if (all->method != other->method) {
        all->method = SNAG_METHOD_AUTO;
        all->reason = "two questions, answered by different methods";
    }
    all->count += other->count;
    all->complete = all->complete && other->complete;
    all->covered = 0.5 * all->covered + 0.5 * other->covered;
    all->degenerate += other->degenerate;
    j->statistics.candidates += other->statistics->candidates;
    j->statistics.exact += other->statistics->exact;
}

snag_status joint_ask(joint *j, const asker *by, snag_world *world, const snag_answer **answer)
{
    const snag_answer *found = NULL;
    double began = progress_seconds();
    any_question first = j->first;
    first.progress = go_on_first;
    first.context = j;
    snag_status status = asker_ask(by, world, &first, &found);
    if (status != SNAG_OK)
        return status;
    if (!append(j, 0, found))
        return SNAG_ERROR_MEMORY;
    j->answer = *found;
    j->statistics = *found->statistics;
    j->second.budget_us = time_left(j->first.budget_us, progress_seconds() - began);
    status = asker_ask(by, world, &j->second, &found);
    if (status != SNAG_OK)
        return status;
    if (!append(j, j->answer.count, found))
        return SNAG_ERROR_MEMORY;
    join(j, found);
    j->answer.contacts = j->contacts;
    j->answer.statistics = &j->statistics;
    *answer = &j->answer;
    return SNAG_OK;
}
