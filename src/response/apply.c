// Response to proximities and penetrations at one time.
// Kimmerle, Nesme, Faure 2004, section 3 (see rows.c); for tetrahedra from depth and direction, after Teschner,
// Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable Objects,
// VMV 2003, section 8.
#include "base/random.h"
#include "response/rows.h"
#include "response/spread.h"
#include "response/vector.h"

#include <string.h>

// Per vertex: changes of positions and velocities, and scratch for spreading them.
typedef struct changes {
    double (*moved)[3], (*v)[3];
    uint32_t *rank, *counts;
} changes;

// Sets gap and bounds of a row.
static void set_bounds(const snag_response_def *def, snag_question question, double value, snag__row *row)
{
    double want = question == SNAG_PENETRATIONS ? 0 : def->thickness + row->thickness;
    row->gap = question == SNAG_PENETRATIONS ? -value : value;
    row->least_gap = row->gap < want ? row->gap + def->correction * (want - row->gap) : want;
    row->least_speed = row->gap <= want ? 0 : def->dt > 0 ? (want - row->gap) / def->dt : -HUGE_VAL;
}

static snag_status fail_contact(snag_response *response, size_t i, snag__row_status why)
{
    if (why == SNAG__ROW_NO_BODY)
        return snag__response_fail(response, SNAG_ERROR_BODY, "contact %zu: one of its bodies is not listed", i);
    if (why == SNAG__ROW_NO_ELEMENT)
        return snag__response_fail(response, SNAG_ERROR_INDEX, "contact %zu names an element that its body does not have", i);
    return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "contact %zu has no weights: pass contacts as they are in an answer",
                               i);
}

static bool is_chosen(const snag_response_def *def, size_t i)
{
    if (def->ratio >= 1)
        return true;
    snag__random random = {def->seed};
    random.state = snag__random_u64(&random) + i;
    return snag__random_unit(&random) < def->ratio;
}

static snag_status make_rows(snag_response *response, const snag__group *group, const snag_response_def *def,
                             const snag_answer *answer, size_t *count, snag_response_report *report)
{
    if (!snag__buffer_reserve(&response->allocator, &response->rows, 0, answer->count + 1, sizeof(snag__row)))
        return snag__response_fail_memory(response);
    snag__row *rows = response->rows.data;
    *count = 0;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *contact = &answer->contacts[i];
        // An edge that passes through a tetrahedron has no direction; the vertices around it do.
        if (contact->kind == SNAG_THROUGH || !is_chosen(def, i)) {
            report->left_out++;
            continue;
        }
        snag__row_status made = snag__row_make(group, contact, &rows[*count]);
        if (made != SNAG__ROW_MADE && made != SNAG__ROW_IDLE)
            return fail_contact(response, i, made);
        if (!isfinite(contact->value))
            return snag__response_fail(response, SNAG_ERROR_NOT_FINITE, "the distance of contact %zu is not finite", i);
        set_bounds(def, answer->question, contact->value, &rows[*count]);
        *(made == SNAG__ROW_MADE ? &report->contacts : &report->left_out) += 1;
        *count += made == SNAG__ROW_MADE;
    }
    return SNAG_OK;
}

// The largest distance that is missing after positions were moved.
static double missing(const snag_response_def *def, snag_question question, const snag__row *rows, size_t count,
                      const double (*moved)[3])
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double sum[3];
        snag__row_sum(&rows[i], moved, sum);
        double gap = rows[i].gap + snag__dot(rows[i].normal, sum);
        most = fmax(most, (question == SNAG_PENETRATIONS ? 0 : def->thickness + rows[i].thickness) - gap);
    }
    return most;
}

static void mark_vertices(const snag__group *group, const snag__row *rows, size_t count, uint32_t *rank)
{
    memset(rank, 0xff, group->vertex_count * sizeof *rank);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++)
            rank[rows[i].vertex[k]] = 0;
}

// Changes positions and velocities by way of arrays of changes, which can be spread.
static void respond(const snag__group *group, const snag_response_def *def, snag__row *rows, size_t count, const changes *c,
                    snag_response_report *report, snag_question question)
{
    double(*moved)[3] = c->moved, (*v)[3] = c->v;
    memset(moved, 0, group->vertex_count * sizeof *moved);
    memcpy(v, group->v, group->vertex_count * sizeof *v);
    report->missing = missing(def, question, rows, count, (const double(*)[3])moved);
    for (uint32_t i = 0; i < def->iterations; i++) {
        snag__rows_stop(rows, count, group->inverse, def->friction, v);
        snag__rows_push(rows, count, group->inverse, moved);
    }
    report->remaining = missing(def, question, rows, count, (const double(*)[3])moved);
    for (uint32_t i = 0; i < group->vertex_count; i++)
        snag__subtract(v[i], group->v[i], v[i]);
    if (def->spread > 0) {
        mark_vertices(group, rows, count, c->rank);
        snag__spread(group, def->spread, def->rings, c->rank, c->counts, moved);
        mark_vertices(group, rows, count, c->rank);
        snag__spread(group, def->spread, def->rings, c->rank, c->counts, v);
    }
    for (uint32_t i = 0; i < group->vertex_count; i++) {
        report->largest_move = fmax(report->largest_move, snag__length(moved[i]));
        snag__add_scaled(group->x[i], 1, moved[i]);
        snag__add_scaled(group->v[i], 1, v[i]);
    }
}

// Corrections of finite contacts may still overflow.
static snag_status check_outcome(snag_response *response, const snag__group *group)
{
    for (uint32_t i = 0; i < group->vertex_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(group->x[i][k]) || !isfinite(group->v[i][k]))
                return snag__response_fail(response, SNAG_ERROR_NOT_FINITE, "the correction of vertex %u is not finite", i);
    return SNAG_OK;
}

static snag_status apply(snag_response *response, const snag_world *world, const snag_response_def *def,
                         const snag_response_body *bodies, size_t body_count, const snag_answer *answer,
                         snag_response_report *report)
{
    if (answer == NULL || (answer->contacts == NULL && answer->count > 0))
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "apply: the answer must not be NULL, and must have contacts");
    if (answer->question != SNAG_PROXIMITIES && answer->question != SNAG_PENETRATIONS)
        return snag__response_fail(response, SNAG_ERROR_UNSUPPORTED, "apply responds to proximities and penetrations, not to %s",
                                   snag_question_name(answer->question));
    snag__group group;
    snag_response_report made = {0};
    size_t count = 0;
    snag_status status = snag__response_check(response, world, def, bodies, body_count);
    if (status == SNAG_OK)
        status = snag__group_gather(response, world, bodies, body_count, &group);
    if (status == SNAG_OK)
        status = make_rows(response, &group, def, answer, &count, &made);
    if (status != SNAG_OK)
        return status;
    SNAG__ASSERT(count <= answer->count && made.contacts + made.left_out == answer->count);
    changes c;
    size_t vertices = group.vertex_count + (size_t)1;
    const snag__room rooms[] = {
        {NULL, &c.moved, vertices, sizeof *c.moved},
        {NULL, &c.v, vertices, sizeof *c.v},
        {NULL, &c.rank, vertices, sizeof *c.rank},
        {NULL, &c.counts, vertices, sizeof *c.counts},
    };
    status = snag__response_carve(response, &response->changes, rooms, sizeof rooms / sizeof *rooms);
    if (status != SNAG_OK)
        return status;
    respond(&group, def, response->rows.data, count, &c, &made, answer->question);
    status = check_outcome(response, &group);
    if (status != SNAG_OK)
        return status;
    snag__group_return(&group, false);
    if (report != NULL)
        *report = made;
    return SNAG_OK;
}

snag_status snag_response_apply(snag_response *response, const snag_world *world, const snag_response_def *def,
                                const snag_response_body *bodies, size_t body_count, const snag_answer *answer,
                                snag_response_report *report)
{
    snag__float_env callers;
    snag_status status = snag__response_begin(response, world, SNAG__RESPONSE_REFUSAL("apply"), &callers);
    if (status != SNAG_OK)
        return status;
    return snag__response_end(response, callers, apply(response, world, def, bodies, body_count, answer, report));
}
