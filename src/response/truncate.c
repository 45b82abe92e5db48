// snag_response_bounds and snag_response_truncate: see safe.c and half_spaces.c for what keeps elements apart.
#include "response/safe.h"

#include "response/vector.h"

#include <string.h>

// ---- opening ----

// Marks the points at which no edge ends.
static snag_status find_points(snag__safe *safe)
{
    const snag__group *group = &safe->group;
    size_t points = 0;
    for (uint32_t i = 0; i < group->body_count; i++)
        points += group->infos[i].point_count;
    if (points == 0)
        return SNAG_OK;
    bool *alone;
    snag_status status = snag__response_reserve(
        safe->response, &(snag__room){&safe->response->alone, &alone, group->vertex_count + (size_t)1, sizeof *alone}, 1);
    if (status != SNAG_OK)
        return status;
    memset(alone, 0, group->vertex_count * sizeof *alone);
    for (uint32_t i = 0; i < group->body_count; i++) {
        const snag_body_info *info = &group->infos[i];
        bool *of_body = alone + group->first_vertex[i];
        for (size_t k = 0; k < info->point_count; k++)
            of_body[info->points[k]] = true;
        for (size_t k = 0; k < 2 * info->edge_count && info->point_count > 0; k++)
            of_body[info->edges[k]] = false;
    }
    safe->alone = alone;
    return SNAG_OK;
}

static snag_status open_safe(snag__safe *safe, const snag_response_def *def, const snag_response_body *bodies, size_t body_count)
{
    snag_response *response = safe->response;
    snag_status status = snag__response_check(response, safe->world, def, bodies, body_count);
    if (status == SNAG_OK)
        status = snag__group_gather(response, safe->world, bodies, body_count, &safe->group);
    if (status == SNAG_OK)
        status = find_points(safe);
    if (status != SNAG_OK)
        return status;
    size_t vertices = safe->group.vertex_count + (size_t)1;
    const snag__room rooms[] = {
        {&response->start, &safe->start, vertices, sizeof *safe->start},
        {&response->moves, &safe->moves, vertices, sizeof *safe->moves},
        {&response->limit, &safe->limit, vertices, sizeof *safe->limit},
    };
    return snag__response_reserve(response, rooms, 3);
}

static void find_largest(snag__safe *safe)
{
    safe->largest = 0;
    for (uint32_t v = 0; v < safe->group.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            safe->largest = fmax(safe->largest, fmax(fabs(safe->start[v][k]), fabs(safe->group.x[v][k])));
}

// ---- bounds ----

static snag_status find_bounds(snag_response *response, snag_world *world, const snag_response_def *def,
                               const snag_response_body *bodies, size_t body_count)
{
    snag__safe safe = {.response = response, .world = world};
    snag_status status = open_safe(&safe, def, bodies, body_count);
    if (status != SNAG_OK)
        return status;
    if (!(def->reach > 0))
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "bounds: the reach must be above 0");
    for (size_t i = 0; i < body_count; i++)
        if (bodies[i].bounds == NULL)
            return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "bounds: %s: bounds must not be NULL",
                                       safe.group.infos[i].name);
    safe.reach = def->reach;
    memcpy(safe.start, safe.group.x, safe.group.vertex_count * sizeof *safe.start);
    find_largest(&safe);
    status = snag__safe_bounds(&safe);
    if (status != SNAG_OK)
        return status;
    for (size_t i = 0; i < body_count; i++)
        memcpy(bodies[i].bounds, safe.limit + safe.group.first_vertex[i], bodies[i].vertex_count * sizeof *bodies[i].bounds);
    return SNAG_OK;
}

snag_status snag_response_bounds(snag_response *response, snag_world *world, const snag_response_def *def,
                                 const snag_response_body *bodies, size_t body_count)
{
    snag__float_env callers;
    snag_status status = snag__response_begin(response, world, SNAG__RESPONSE_REFUSAL("bounds"), &callers);
    if (status != SNAG_OK)
        return status;
    return snag__response_end(response, callers, find_bounds(response, world, def, bodies, body_count));
}

// ---- truncating ----

// A round that brings no vertex closer to where it wants to be than by this part of the largest wish is the last one.
static const double LEAST_PROGRESS = 0x1p-7;
// Where no reach is given, it is twice the largest move and a little more: then it holds nothing back.
static const double REACH_OF_MOVE = 2.01;

static snag_status copy_start(snag__safe *safe)
{
    const snag__group *group = &safe->group;
    for (uint32_t i = 0; i < group->body_count; i++) {
        if (group->bodies[i].start == NULL)
            return snag__response_fail(safe->response, SNAG_ERROR_ARGUMENT, "truncate: %s: start must not be NULL",
                                       group->infos[i].name);
        snag_status status = snag__group_copy(safe->response, group, i, "start", group->bodies[i].start, safe->start);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

// Puts all bodies of the world at positions of the group, as a start or as the end of a move.
static snag_status show(const snag__safe *safe, double (*x)[3], bool teleport)
{
    const snag__group *group = &safe->group;
    for (uint32_t i = 0; i < group->body_count; i++) {
        snag_positions positions = snag_positions_f64(x[group->first_vertex[i]], group->bodies[i].vertex_count);
        snag_status status = (teleport ? snag_world_teleport : snag_world_move)(safe->world, group->bodies[i].body, positions);
        if (status != SNAG_OK)
            return snag__response_fail(safe->response, status, "%s", snag_world_message(safe->world));
    }
    return SNAG_OK;
}

// What is left to move. Returns the largest length.
static double find_moves(const snag__safe *safe, const double (*wanted)[3])
{
    double longest = 0;
    for (uint32_t v = 0; v < safe->group.vertex_count; v++) {
        snag__subtract(wanted[v], safe->start[v], safe->moves[v]);
        longest = fmax(longest, snag__length(safe->moves[v]));
    }
    return longest;
}

// Makes the truncated moves: start becomes their end. Held vertices make a common part of theirs. Returns the longest.
static double make_moves(const snag__safe *safe, double fraction)
{
    const snag__group *group = &safe->group;
    double longest = 0;
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        double part = group->inverse[v] > 0 ? 1 : fraction;
        longest = fmax(longest, part * snag__length(safe->moves[v]));
        snag__add_scaled(safe->start[v], part, safe->moves[v]);
    }
    return longest;
}

// One round: pairs around the present start, then the moves within what they allow.
static snag_status make_round(snag__safe *safe, const snag_response_def *def, double longest, double *fraction)
{
    safe->reach = def->reach > 0 ? def->reach : REACH_OF_MOVE * longest + 0x1p-40 * safe->largest;
    snag_status status = show(safe, safe->start, true);
    if (status != SNAG_OK)
        return status;
    if (def->safe == SNAG_SAFE_HALF_SPACES) {
        status = snag__safe_collect(safe);
        return status == SNAG_OK ? snag__safe_truncate(safe, fraction) : status;
    }
    status = snag__safe_bounds(safe);
    if (status == SNAG_OK)
        snag__safe_clamp(safe, fraction);
    return status;
}

static snag_status make_rounds(snag__safe *safe, const snag_response_def *def, snag_response_report *report)
{
    const double(*wanted)[3] = (const double(*)[3])safe->group.x;
    double first = find_moves(safe, wanted), longest = first, left = 1;
    snag_status status = SNAG_OK;
    for (uint32_t round = 0; round < (def->rounds > 0 ? def->rounds : 1) && longest > 0 && status == SNAG_OK; round++) {
        double fraction = 1;
        status = make_round(safe, def, longest, &fraction);
        report->asks++;
        report->contacts = safe->pair_count;
        if (status != SNAG_OK)
            break;
        left *= 1 - fraction;
        double progress = make_moves(safe, fraction);
        longest = find_moves(safe, wanted);
        if (longest <= 0x1p-40 * first || progress < LEAST_PROGRESS * first)
            break;
    }
    report->fraction = 1 - left;
    report->missing = longest;
    return status;
}

// The velocities of free vertices change by as much as their moves did.
static void change_velocities(const snag__safe *safe, double dt)
{
    const snag__group *group = &safe->group;
    for (uint32_t v = 0; v < group->vertex_count; v++)
        for (int k = 0; k < 3 && dt > 0 && group->inverse[v] > 0; k++)
            group->v[v][k] += (safe->start[v][k] - group->x[v][k]) / dt;
}

static void describe(const snag__safe *safe, snag_response_report *report)
{
    for (uint32_t v = 0; v < safe->group.vertex_count; v++) {
        double held_back[3];
        snag__subtract(safe->group.x[v], safe->start[v], held_back);
        double length = snag__length(held_back);
        report->largest_move = fmax(report->largest_move, length);
        report->held_back += length > 0;
    }
}

static snag_status truncate_moves(snag_response *response, snag_world *world, const snag_response_def *def,
                                  const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    snag__safe safe = {.response = response, .world = world, .skip_held = true};
    snag_response_report made = {0};
    snag_status status = open_safe(&safe, def, bodies, body_count);
    if (status == SNAG_OK && (unsigned)def->safe >= SNAG_SAFE_COUNT)
        status = snag__response_fail(response, SNAG_ERROR_ARGUMENT, "truncate: there is no way %d of safe motion", (int)def->safe);
    if (status == SNAG_OK)
        status = copy_start(&safe);
    if (status != SNAG_OK)
        return status;
    safe.thickness = def->thickness;
    find_largest(&safe);
    status = make_rounds(&safe, def, &made);
    describe(&safe, &made);
    if (status == SNAG_OK)
        change_velocities(&safe, def->dt);
    // The world is left at the start that the user gave, and if all went well at the end of the moves.
    double(*ends)[3] = safe.moves;
    memcpy(ends, safe.start, safe.group.vertex_count * sizeof *ends);
    snag_status back = copy_start(&safe);
    if (back == SNAG_OK)
        back = show(&safe, safe.start, true);
    if (back == SNAG_OK && status == SNAG_OK)
        back = show(&safe, ends, false);
    if (status != SNAG_OK || back != SNAG_OK)
        return status != SNAG_OK ? status : back;
    memcpy(safe.group.x, ends, safe.group.vertex_count * sizeof *ends);
    snag__group_return(&safe.group, true);
    if (report != NULL)
        *report = made;
    return SNAG_OK;
}

snag_status snag_response_truncate(snag_response *response, snag_world *world, const snag_response_def *def,
                                   const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    snag__float_env callers;
    snag_status status = snag__response_begin(response, world, SNAG__RESPONSE_REFUSAL("truncate"), &callers);
    if (status != SNAG_OK)
        return status;
    return snag__response_end(response, callers, truncate_moves(response, world, def, bodies, body_count, report));
}
