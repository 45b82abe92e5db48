// A step without a crossing: contacts at the start, impacts one by one, zones, and cutting the step.
// After Bridson, Fedkiw, Anderson: Robust Treatment of Collisions, Contact and Friction for Cloth Animation, SIGGRAPH
// 2002. Differs: rows of all rounds are kept and solved together, so that a round does not undo what an earlier one
// did; features may approach up to the thickness within the step; zones that cannot move rest, which ends every step
// with certainty; the searches are exact.
#include "response/advance.h"
#include "response/vector.h"

#include <string.h>

// The part of the distance that is missing at the start which a step makes up for: more makes stacks of layers
// restless.
#define PUSH 0.25
// The first round of impacts makes `iterations` sweeps, the second twice as many, and so on up to this many times.
enum { HARD_ROUND = 4 };
// Rounds of merging in which zones move, and after which all of them rest; then all vertices do.
enum { MOVING_ROUNDS = 12, RESTING_ROUNDS = 24 };
// How often a step is cut and continued, and tries to find the length of one part.
enum { PARTS = 8, CUTS = 6 };
// How much of the way to the earliest impact a part goes.
#define CUT 0.9

// ---- setting up ----

static snag_status reserve(snag__step *step)
{
    snag_response *r = step->response;
    size_t vertices = step->group.vertex_count + (size_t)1, bodies = step->group.body_count + (size_t)1;
    step->zones = (snag__zones){.vertex_count = step->group.vertex_count, .fits = &r->fits, .allocator = &r->allocator};
    const snag__room rooms[] = {
        {&r->start, &step->start, vertices, sizeof *step->start},
        {&r->moves, &step->moves, vertices, sizeof *step->moves},
        {&r->reference, &step->reference, vertices, sizeof *step->reference},
        {&r->kept, &step->kept, vertices, sizeof *step->kept},
        {&r->parent, &step->zones.parent, vertices, sizeof *step->zones.parent},
        {&r->resting, &step->zones.resting, vertices, sizeof *step->zones.resting},
        {&r->body_free, &step->body_free, bodies, sizeof *step->body_free},
        {&r->first_element, &step->first_element, bodies, sizeof *step->first_element},
    };
    return snag__response_reserve(r, rooms, sizeof rooms / sizeof *rooms);
}

static void number_elements(snag__step *step)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < step->group.body_count; i++) {
        const snag_body_info *info = &step->group.infos[i];
        step->first_element[i] = number;
        number += (uint32_t)(info->vertex_count + info->edge_count + info->triangle_count);
        step->body_free[i] = 0;
        for (uint32_t v = step->group.first_vertex[i]; v < step->group.first_vertex[i + 1]; v++)
            step->body_free[i] |= step->group.inverse[v] > 0;
    }
}

static snag_status copy_start(snag__step *step)
{
    const snag__group *group = &step->group;
    for (uint32_t i = 0; i < group->body_count; i++) {
        const snag_response_body *body = &group->bodies[i];
        if (body->start == NULL)
            return snag__response_fail(step->response, SNAG_ERROR_ARGUMENT, "%s: there are no positions at the start",
                                       group->infos[i].name);
        snag_status status = snag__group_copy(step->response, group, i, "start", body->start, step->start);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

// Moves, and velocities where the user has none. Held vertices have those that their way takes.
static snag_status set_moves(snag__step *step)
{
    const snag__group *group = &step->group;
    for (uint32_t i = 0; i < group->body_count; i++) {
        bool given = group->bodies[i].velocities != NULL;
        for (uint32_t v = group->first_vertex[i]; v < group->first_vertex[i + 1]; v++) {
            snag__subtract(group->x[v], step->start[v], step->moves[v]);
            if (!isfinite(snag__length(step->moves[v])))
                return snag__response_fail(step->response, SNAG_ERROR_NOT_FINITE, "%s: the way of vertex %u is not finite",
                                           group->infos[i].name, v - group->first_vertex[i]);
            for (int k = 0; k < 3 && (!given || group->inverse[v] == 0); k++)
                group->v[v][k] = step->moves[v][k] / step->def->dt;
        }
    }
    memcpy(step->reference, step->moves, group->vertex_count * sizeof *step->moves);
    return SNAG_OK;
}

static snag_status open_step(snag__step *step, const snag_response_body *bodies, size_t body_count)
{
    snag_response *response = step->response;
    snag_status status = snag__response_check(response, step->world, step->def, bodies, body_count);
    if (status == SNAG_OK && !(step->def->dt > 0))
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "advance: dt must be positive, not %g", step->def->dt);
    if (status == SNAG_OK)
        status = snag__group_gather(response, step->world, bodies, body_count, &step->group);
    if (status == SNAG_OK)
        status = reserve(step);
    if (status != SNAG_OK)
        return status;
    step->excepted = &response->excepted;
    number_elements(step);
    status = copy_start(step);
    return status == SNAG_OK ? set_moves(step) : status;
}

// ---- contacts at the start ----

static void add_contacts(snag__step *step, const snag_answer *answer)
{
    snag__row *rows = step->response->rows.data;
    double thickness = step->def->thickness;
    for (size_t i = 0; i < answer->count; i++) {
        snag__row *row = &rows[step->row_count];
        if (snag__row_make(&step->group, &answer->contacts[i], row) != SNAG__ROW_MADE) {
            step->report.left_out++;
            continue;
        }
        row->gap = answer->contacts[i].value;
        row->least_gap = row->gap + PUSH * step->def->correction * (thickness - row->gap);
        step->report.missing = fmax(step->report.missing, thickness - row->gap);
        step->row_count++;
    }
    step->report.contacts = step->row_count;
}

// Stops what approaches, then moves apart what is too close; the latter is no concern of the velocities.
static snag_status respond_at_start(snag__step *step)
{
    const snag__group *group = &step->group;
    const snag_response_def *def = step->def;
    const snag_answer *answer = NULL;
    if (def->thickness == 0)
        return SNAG_OK;
    memcpy(step->kept, group->x, group->vertex_count * sizeof *group->x);
    memcpy(group->x, step->start, group->vertex_count * sizeof *group->x);
    snag_status status = snag__step_show(step, true);
    if (status == SNAG_OK)
        status = snag__step_ask(step, SNAG_PROXIMITIES, &answer);
    memcpy(group->x, step->kept, group->vertex_count * sizeof *group->x);
    if (status != SNAG_OK)
        return status;
    if (!snag__buffer_reserve(&step->response->allocator, &step->response->rows, 0, answer->count + 1, sizeof(snag__row)))
        return snag__response_fail_memory(step->response);
    add_contacts(step, answer);
    snag__row *rows = step->response->rows.data;
    for (uint32_t i = 0; i < def->iterations; i++)
        snag__rows_stop(rows, step->row_count, group->inverse, def->friction, step->moves);
    memcpy(step->kept, step->moves, group->vertex_count * sizeof *step->moves);
    for (uint32_t i = 0; i < def->iterations; i++)
        snag__rows_push(rows, step->row_count, group->inverse, step->moves);
    for (uint32_t v = 0; v < group->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            step->reference[v][k] += step->moves[v][k] - step->kept[v][k];
    return SNAG_OK;
}

// ---- impacts ----

// Resolves impacts one by one. Returns with found == 0 if that was enough.
static snag_status resolve_impacts(snag__step *step)
{
    const snag_response_def *def = step->def;
    for (uint32_t round = 0;; round++) {
        snag__step_place(step);
        snag_status status = snag__step_search(step);
        if (round == 0)
            step->report.impacts = step->report.impacts > 0 ? step->report.impacts : step->found;
        if (status != SNAG_OK || step->found == 0 || round >= def->rounds)
            return status;
        // A search costs more than a few sweeps: what is hard gets more of these.
        uint64_t sweeps = (uint64_t)def->iterations * (round < HARD_ROUND ? round + 1 : HARD_ROUND);
        for (uint64_t i = 0; i < sweeps; i++)
            snag__rows_stop(step->response->rows.data, step->row_count, step->group.inverse, def->friction, step->moves);
    }
}

// Every free vertex rests.
static void rest_all(snag__step *step)
{
    for (uint32_t v = 0; v < step->group.vertex_count; v++)
        if (step->group.inverse[v] > 0)
            memset(step->moves[v], 0, sizeof step->moves[v]);
}

// Merges what was found last. A zone that collides within itself although it moved as one rests from now on, and so do
// all with `rest`. Returns whether anything changed.
static bool merge_found(snag__step *step, bool rest)
{
    const snag__row *rows = step->response->rows.data;
    snag__zones *zones = &step->zones;
    bool changed = false;
    for (size_t i = step->row_count - step->found; i < step->row_count; i++) {
        if (!snag__zones_hold(zones, &rows[i]))
            continue;
        uint8_t *resting = &zones->resting[snag__zones_root(zones, rows[i].vertex[0])];
        changed |= !*resting;
        *resting = 1;
    }
    for (size_t i = step->row_count - step->found; i < step->row_count; i++) {
        changed |= snag__zones_merge(zones, &rows[i]);
        zones->resting[snag__zones_root(zones, rows[i].vertex[0])] |= rest;
    }
    return changed;
}

// Merges what keeps colliding until nothing does: then found == 0. Else held vertices move into zones that rest.
static snag_status merge_zones(snag__step *step)
{
    snag__zones_clear(&step->zones);
    for (uint32_t round = 0; step->found > 0; round++) {
        if (!merge_found(step, round >= MOVING_ROUNDS) || round > RESTING_ROUNDS)
            return SNAG_OK;
        // Zones take the place of the rows that led to them.
        step->row_count -= step->found;
        if (round == RESTING_ROUNDS)
            rest_all(step);
        else if (!snag__zones_move(&step->zones, (const double(*)[3])step->start, step->group.inverse, step->moves))
            return snag__response_fail_memory(step->response);
        snag__step_place(step);
        snag_status status = snag__step_search(step);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

// ---- cutting the step ----

// All vertices go this part of their way; 0 leaves every one exactly where it is.
static void place_part(snag__step *step, double part)
{
    for (uint32_t v = 0; v < step->group.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            step->group.x[v][k] = part > 0 ? step->start[v][k] + part * step->moves[v][k] : step->start[v][k];
}

// Finds a part of the way that is free of impacts.
static snag_status cut_step(snag__step *step, double *part)
{
    snag_status status = SNAG_OK;
    *part = 1;
    for (uint32_t cut = 0; step->found > 0 && status == SNAG_OK; cut++) {
        *part = cut < CUTS ? CUT * step->earliest * *part : 0;
        place_part(step, *part);
        if (*part == 0)
            return SNAG_OK;
        step->row_count -= step->found;
        status = snag__step_show(step, true);
        if (status == SNAG_OK)
            status = snag__step_search(step);
    }
    return status;
}

// What the moves were changed by changes the velocities. Held ones move as before.
static void change_velocities(snag__step *step)
{
    for (uint32_t v = 0; v < step->group.vertex_count; v++)
        for (int k = 0; k < 3 && step->group.inverse[v] > 0; k++)
            step->group.v[v][k] += (step->moves[v][k] - step->reference[v][k]) / step->def->dt;
}

// What is left of the way becomes the way of the next part. Held vertices still want to end where the user said.
static void continue_from(snag__step *step, double part)
{
    const snag__group *group = &step->group;
    memcpy(step->start, group->x, group->vertex_count * sizeof *step->start);
    for (uint32_t i = 0; i < group->body_count; i++) {
        const double(*wanted)[3] = (const double(*)[3])group->bodies[i].positions;
        for (uint32_t v = group->first_vertex[i]; v < group->first_vertex[i + 1]; v++) {
            for (int k = 0; k < 3; k++)
                step->moves[v][k] *= 1 - part;
            if (group->inverse[v] == 0) {
                memcpy(group->x[v], wanted[v - group->first_vertex[i]], sizeof group->x[v]);
                snag__subtract(group->x[v], step->start[v], step->moves[v]);
            }
        }
    }
    memcpy(step->reference, step->moves, group->vertex_count * sizeof *step->moves);
    step->row_count = 0;
    step->start_checked = false;
}

static snag_status make_part(snag__step *step, double *part)
{
    *part = 1;
    snag_status status = snag__step_show(step, true);
    if (status == SNAG_OK)
        status = resolve_impacts(step);
    if (status == SNAG_OK && step->found > 0)
        status = merge_zones(step);
    if (status == SNAG_OK && step->found > 0)
        status = cut_step(step, part);
    if (status == SNAG_OK)
        change_velocities(step);
    return status;
}

static snag_status make_step(snag__step *step)
{
    double left = 1;
    snag_status status = respond_at_start(step);
    for (uint32_t i = 0; i < PARTS && status == SNAG_OK; i++) {
        double part;
        status = make_part(step, &part);
        left *= 1 - part;
        if (part == 0 || part == 1)
            break;
        if (status == SNAG_OK && i + 1 < PARTS)
            continue_from(step, part);
    }
    step->report.fraction = 1 - left;
    return status;
}

// ---- the call ----

// Shows the world the user's start, and the end if there is one.
static snag_status show_outcome(snag__step *step, bool moved)
{
    snag_status status = copy_start(step);
    if (!moved)
        memcpy(step->group.x, step->start, step->group.vertex_count * sizeof *step->start);
    return status == SNAG_OK ? snag__step_show(step, true) : status;
}

static void describe(snag__step *step)
{
    const snag__group *group = &step->group;
    for (uint32_t i = 0; i < group->body_count; i++) {
        const double(*wanted)[3] = (const double(*)[3])group->bodies[i].positions;
        for (uint32_t v = group->first_vertex[i]; v < group->first_vertex[i + 1]; v++) {
            double move[3];
            snag__subtract(group->x[v], wanted[v - group->first_vertex[i]], move);
            step->report.largest_move = fmax(step->report.largest_move, snag__length(move));
        }
    }
}

static snag_status advance(snag_response *response, snag_world *world, const snag_response_def *def,
                           const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    snag__step step = {.response = response, .world = world, .def = def};
    snag_status status = open_step(&step, bodies, body_count);
    if (status != SNAG_OK)
        return status;
    snag__zones_clear(&step.zones);
    status = make_step(&step);
    if (status == SNAG_OK)
        status = show_outcome(&step, true);
    else
        show_outcome(&step, false);
    if (status != SNAG_OK)
        return status;
    describe(&step);
    step.report.merged = snag__zones_vertices(&step.zones);
    snag__group_return(&step.group, step.report.fraction < 1);
    if (report != NULL)
        *report = step.report;
    return SNAG_OK;
}

snag_status snag_response_advance(snag_response *response, snag_world *world, const snag_response_def *def,
                                  const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    snag__float_env callers;
    snag_status status = snag__response_begin(response, world, SNAG__RESPONSE_REFUSAL("advance"), &callers);
    if (status != SNAG_OK)
        return status;
    return snag__response_end(response, callers, advance(response, world, def, bodies, body_count, report));
}
