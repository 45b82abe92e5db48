// Searching for the impacts of a step.
#include "base/clock.h"
#include "response/advance.h"
#include "response/vector.h"

#include <string.h>

// If the sides are hardly apart along the normal at the start, the direction between the two points that will meet is used
// instead: the cosine of the angle between the two.
#define LEAST_COSINE 0.1

static snag_status fail_world(snag__step *step, snag_status status)
{
    return snag__response_fail(step->response, status, "%s", snag_world_message(step->world));
}

snag_status snag__step_show(snag__step *step, bool all)
{
    const snag__group *group = &step->group;
    for (uint32_t i = 0; i < group->body_count; i++) {
        uint32_t first = group->first_vertex[i];
        size_t count = group->bodies[i].vertex_count;
        if (!all && !step->body_free[i])
            continue;
        snag_positions start = snag_positions_f64(step->start[first], count), end = snag_positions_f64(group->x[first], count);
        snag_status status = snag_world_teleport(step->world, group->bodies[i].body, start);
        if (status == SNAG_OK && memcmp(start.data, end.data, count * sizeof *group->x) != 0)
            status = snag_world_move(step->world, group->bodies[i].body, end);
        if (status != SNAG_OK)
            return fail_world(step, status);
    }
    return SNAG_OK;
}

void snag__step_add_moves(snag__step *step)
{
    for (uint32_t v = 0; v < step->group.vertex_count; v++)
        if (step->group.inverse[v] > 0)
            for (int k = 0; k < 3; k++)
                step->group.x[v][k] = step->start[v][k] + step->moves[v][k];
}

// Both bodies are listed, and at least one has a free vertex.
static bool takes_part(void *context, snag_body_id a, snag_body_id b)
{
    const snag__step *step = context;
    uint32_t i = snag__group_find(&step->group, a), k = snag__group_find(&step->group, b);
    return i != SNAG__NO_BODY && k != SNAG__NO_BODY && (step->body_free[i] || step->body_free[k]);
}

snag_status snag__step_ask(snag__step *step, snag_question question, const snag_answer **answer)
{
    snag_question_def ask = snag_default_question_def(question);
    ask.method = step->def->method;
    ask.distance = step->def->thickness;
    ask.ignore_radius = question == SNAG_IMPACTS;  // no two features meet; thickness is kept as well as can be
    snag_filter filter = snag_default_filter();
    filter.bodies = takes_part;
    filter.context = step;
    ask.filter = &filter;
    uint64_t began = snag__clock_us();
    snag_status status = snag_world_ask(step->world, &ask, answer);
    step->report.search_us += snag__clock_us() - began;
    return status == SNAG_OK ? SNAG_OK : fail_world(step, status);
}

// ---- pairs that touch at the start ----

static uint32_t element_number(const snag__step *step, snag_body_id body, const snag_element *element)
{
    uint32_t i = snag__group_find(&step->group, body);
    SNAG__ASSERT(i != SNAG__NO_BODY && element->kind <= SNAG_TRIANGLE);
    const snag_body_info *info = &step->group.infos[i];
    size_t before = element->kind == SNAG_VERTEX ? 0
                    : element->kind == SNAG_EDGE ? info->vertex_count
                                                 : info->vertex_count + info->edge_count;
    return step->first_element[i] + (uint32_t)before + element->index;
}

static uint64_t key_of(const snag__step *step, const snag_contact *contact)
{
    return (uint64_t)element_number(step, contact->body_a, &contact->a) << 32 | element_number(step, contact->body_b, &contact->b);
}

// Impacts without any motion are pairs that touch already. Shows the step again afterwards.
static snag_status except_touching(snag__step *step)
{
    const snag__group *group = &step->group;
    const snag_answer *answer = NULL;
    snag_status status = SNAG_OK;
    for (uint32_t i = 0; i < group->body_count && status == SNAG_OK; i++)
        status = snag_world_teleport(step->world, group->bodies[i].body,
                                     snag_positions_f64(step->start[group->first_vertex[i]], group->bodies[i].vertex_count));
    if (status != SNAG_OK)
        return fail_world(step, status);
    status = snag__step_ask(step, SNAG_IMPACTS, &answer);
    if (status != SNAG_OK)
        return status;
    if (!snag__hash_set_clear(&step->response->allocator, step->excepted, answer->count))
        return snag__response_fail_memory(step->response);
    for (size_t i = 0; i < answer->count; i++)
        snag__hash_set_add(step->excepted, key_of(step, &answer->contacts[i]));
    step->report.excepted += answer->count;
    step->start_checked = true;
    return snag__step_show(step, true);
}

// ---- impacts as rows ----

// Equal weights, for an impact without weights.
static void even_weights(snag__row *row, uint32_t count_a)
{
    SNAG__ASSERT(count_a < row->count);
    for (uint32_t i = 0; i < row->count; i++)
        row->weight[i] = i < count_a ? 1.0 / count_a : -1.0 / (row->count - count_a);
}

// Sets the direction along which the sides are kept apart, and their gap at the start.
static void set_direction(const snag__step *step, snag__row *row)
{
    double apart[3];
    snag__row_sum(row, (const double(*)[3])step->start, apart);
    double length = snag__length(apart), along = snag__dot(apart, row->normal);
    if (length == 0)
        row->give = 0;
    else if (along < LEAST_COSINE * length) {
        for (int k = 0; k < 3; k++)
            row->normal[k] = apart[k] / length;
        along = length;
    }
    row->gap = along;
    // The sides may approach up to the thickness; those that are closer stay as far apart as they are.
    row->least_speed = fmin(along, step->def->thickness + row->thickness) - along;
}

// Appends a row for an impact. False if the impact is excepted or all its vertices are held.
static bool append(snag__step *step, const snag_contact *contact)
{
    snag__row *row = (snag__row *)step->response->rows.data + step->row_count;
    SNAG__ASSERT(step->row_count < step->response->rows.bytes / sizeof *row);
    SNAG__ASSERT(contact->t >= 0 && contact->t <= 1);
    snag__row_status made = snag__row_make(&step->group, contact, row);
    SNAG__ASSERT(made != SNAG__ROW_NO_BODY && made != SNAG__ROW_NO_ELEMENT);
    if (made == SNAG__ROW_NO_DETAILS)
        even_weights(row, contact->a.kind == SNAG_EDGE ? 2 : 1);
    row->give = snag__row_give(row, step->group.inverse);
    bool held = true;
    for (uint32_t i = 0; i < row->count && held; i++)
        held = step->group.inverse[row->vertex[i]] == 0;
    if (held || (step->start_checked && snag__hash_set_has(step->excepted, key_of(step, contact))))
        return false;
    set_direction(step, row);
    step->row_count++;
    step->found++;
    step->earliest = fmin(step->earliest, contact->t);
    return true;
}

static snag_status ask_impacts(snag__step *step)
{
    const snag_answer *answer = NULL;
    snag_status status = snag__step_ask(step, SNAG_IMPACTS, &answer);
    if (status != SNAG_OK)
        return status;
    step->report.asks++;
    step->found = 0;
    step->earliest = 1;
    if (!snag__buffer_reserve(&step->response->allocator, &step->response->rows, step->row_count,
                              step->row_count + answer->count + 1, sizeof(snag__row)))
        return snag__response_fail_memory(step->response);
    for (size_t i = 0; i < answer->count; i++)
        append(step, &answer->contacts[i]);
    return SNAG_OK;
}

snag_status snag__step_search(snag__step *step)
{
    snag_status status = snag__step_show(step, false);
    if (status == SNAG_OK)
        status = ask_impacts(step);
    if (status == SNAG_OK && step->found > 0 && step->earliest == 0 && !step->start_checked) {
        step->row_count -= step->found;
        status = except_touching(step);
        if (status == SNAG_OK)
            status = ask_impacts(step);
    }
    return status;
}
