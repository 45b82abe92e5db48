// A step without a crossing: contacts at the start, impacts one by one, impact zones, and cutting the step.
// After Bridson, Fedkiw, Anderson: Robust Treatment of Collisions, Contact and Friction for Cloth Animation, SIGGRAPH 2002.
// Differs: rows of all rounds are kept and solved together, so that a round does not undo an earlier one; features may
// approach up to the thickness within the step; zones that cannot move rest, so that every step ends; the searches are
// exact.
#include "response/advance.h"
#include "response/vector.h"

#include <string.h>

// The part of the missing distance that one step corrects; with more, stacks of layers jitter.
#define PUSH 0.25
// The first round of impacts makes `iterations` sweeps, the second twice as many, and so on up to this factor.
enum { HARD_ROUND = 4 };
// Rounds of merging until zones rest instead of moving, and until all vertices rest.
enum { MOVING_ROUNDS = 12, RESTING_ROUNDS = 24 };
// How many parts a step may be cut into, and how often the length of one part is cut.
enum { PARTS = 8, CUTS = 6 };
// A part goes this far towards the earliest impact.
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
            return snag__response_fail(step->response, SNAG_ERROR_ARGUMENT, "%s: start must not be NULL", group->infos[i].name);
        snag_status status = snag__group_copy(step->response, group, i, "start", body->start, step->start);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

// Sets the moves, and the velocities of bodies that the user gave none. Velocities of held vertices follow from their moves.
static snag_status set_moves(snag__step *step)
{
    const snag__group *group = &step->group;
    for (uint32_t i = 0; i < group->body_count; i++) {
        bool given = group->bodies[i].velocities != NULL;
        for (uint32_t v = group->first_vertex[i]; v < group->first_vertex[i + 1]; v++) {
            snag__subtract(group->x[v], step->start[v], step->moves[v]);
            if (!isfinite(snag__length(step->moves[v])))
                return snag__response_fail(step->response, SNAG_ERROR_NOT_FINITE, "%s: the move of vertex %u is not finite",
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
    SNAG__ASSERT(step->row_count == 0 && step->found == 0);
    number_elements(step);
    status = copy_start(step);
    return status == SNAG_OK ? set_moves(step) : status;
}

// ---- contacts at the start ----

static void add_contacts(snag__step *step, const snag_answer *answer)
{
    snag__row *rows = step->response->rows.data;
    for (size_t i = 0; i < answer->count; i++) {
        snag__row *row = &rows[step->row_count];
        SNAG__ASSERT(step->row_count < step->response->rows.bytes / sizeof *rows);
        if (snag__row_make(&step->group, &answer->contacts[i], row) != SNAG__ROW_MADE) {
            step->report.left_out++;
            continue;
        }
        double thickness = step->def->thickness + row->thickness;
        row->gap = answer->contacts[i].value;
        row->least_gap = row->gap + PUSH * step->def->correction * (thickness - row->gap);
        step->report.missing = fmax(step->report.missing, thickness - row->gap);
        step->row_count++;
    }
    step->report.contacts = step->row_count;
}

static bool is_thick(const snag__group *group)
{
    for (uint32_t i = 0; i < group->body_count; i++)
        if (group->infos[i].radius > 0)
            return true;
    return false;
}

// Stops features that approach, then pushes apart those that are too close; the push does not change velocities.
static snag_status respond_at_start(snag__step *step)
{
    const snag__group *group = &step->group;
    const snag_response_def *def = step->def;
    const snag_answer *answer = NULL;
    if (def->thickness == 0 && !is_thick(group))
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
        snag__step_add_moves(step);
        snag_status status = snag__step_search(step);
        if (round == 0)
            step->report.impacts = step->report.impacts > 0 ? step->report.impacts : step->found;
        if (status != SNAG_OK || step->found == 0 || round >= def->rounds)
            return status;
        // A search costs more than a few sweeps, so hard cases get more sweeps.
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

// Merges the vertices of the last impacts into zones. A zone that collides within itself although it moved as one rests from
// now on; with `rest` all merged zones do. Returns whether anything changed.
static bool merge_found(snag__step *step, bool rest)
{
    const snag__row *rows = step->response->rows.data;
    snag__zones *zones = &step->zones;
    bool changed = false;
    SNAG__ASSERT(step->found <= step->row_count);
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

// Merges vertices that keep colliding until nothing collides: then found == 0. If that fails, held vertices move into resting
// zones.
static snag_status merge_zones(snag__step *step)
{
    snag__zones_clear(&step->zones);
    for (uint32_t round = 0; step->found > 0; round++) {
        if (!merge_found(step, round >= MOVING_ROUNDS) || round > RESTING_ROUNDS)
            return SNAG_OK;
        // The zones replace the rows that led to them.
        step->row_count -= step->found;
        if (round == RESTING_ROUNDS)
            rest_all(step);
        else if (!snag__zones_move(&step->zones, (const double(*)[3])step->start, step->group.inverse, step->moves))
            return snag__response_fail_memory(step->response);
        snag__step_add_moves(step);
        snag_status status = snag__step_search(step);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

// ---- cutting the step ----

// Moves all vertices by this part of their moves; 0 leaves them exactly where they are.
static void move_part(snag__step *step, double part)
{
    SNAG__ASSERT(part >= 0 && part <= 1);
    for (uint32_t v = 0; v < step->group.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            step->group.x[v][k] = part > 0 ? step->start[v][k] + part * step->moves[v][k] : step->start[v][k];
}

// Finds a part of the moves that is free of impacts.
static snag_status cut_step(snag__step *step, double *part)
{
    snag_status status = SNAG_OK;
    *part = 1;
    for (uint32_t cut = 0; step->found > 0 && status == SNAG_OK; cut++) {
        *part = cut < CUTS ? CUT * step->earliest * *part : 0;
        move_part(step, *part);
        if (*part == 0)
            return SNAG_OK;
        step->row_count -= step->found;
        status = snag__step_show(step, true);
        if (status == SNAG_OK)
            status = snag__step_search(step);
    }
    return status;
}

// Changes the velocities of free vertices by as much as their moves were changed.
static void change_velocities(snag__step *step)
{
    for (uint32_t v = 0; v < step->group.vertex_count; v++)
        for (int k = 0; k < 3 && step->group.inverse[v] > 0; k++)
            step->group.v[v][k] += (step->moves[v][k] - step->reference[v][k]) / step->def->dt;
}

// The rest of the moves becomes the next part. Held vertices still end where the user said.
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

// Leaves the world at the user's start and, if the step succeeded, at its end.
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
