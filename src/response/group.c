// Checks the bodies that the user passes to a call, copies them into one group, and copies the results back.
#include "base/cookie.h"
#include "response/group.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

snag_status snag__response_fail(snag_response *response, snag_status status, const char *format, ...)
{
    SNAG__ASSERT(status != SNAG_OK);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(response->message, sizeof response->message, format, arguments);
    va_end(arguments);
    atomic_store(&response->words, response->message);
    return status;
}

snag_status snag__response_begin(snag_response *response, const snag_world *world, const char *refusal, snag__float_env *callers)
{
    if (response == NULL)
        return SNAG_ERROR_ARGUMENT;
    bool in_call = atomic_exchange(&response->in_call, true);
    if (in_call || snag_world_is_busy(world)) {
        atomic_store(&response->words, refusal);
        if (!in_call)
            atomic_store(&response->in_call, false);
        return SNAG_ERROR_BUSY;
    }
    *callers = snag__float_env_begin();
    return SNAG_OK;
}

snag_status snag__response_end(snag_response *response, snag__float_env callers, snag_status status)
{
    SNAG__ASSERT(atomic_load(&response->in_call));
    snag__float_env_end(callers);
    atomic_store(&response->in_call, false);
    return status;
}

snag_status snag__response_fail_memory(snag_response *response)
{
    return snag__response_fail(response, SNAG_ERROR_MEMORY, "the allocator has no more memory");
}

snag_status snag__response_reserve(snag_response *response, const snag__room *rooms, size_t count)
{
    return snag__rooms_reserve(&response->allocator, rooms, count) ? SNAG_OK : snag__response_fail_memory(response);
}

snag_status snag__response_carve(snag_response *response, snag__buffer *buffer, const snag__room *rooms, size_t count)
{
    return snag__rooms_carve(&response->allocator, buffer, rooms, count) ? SNAG_OK : snag__response_fail_memory(response);
}

static bool is_part(double x)
{
    return x >= 0 && x <= 1;
}

static snag_status check_def(snag_response *response, const snag_response_def *def)
{
    if (def->cookie != SNAG__COOKIE_RESPONSE)
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT,
                                   "the def was not made by snag_default_response_def of this version: start from that");
    const struct {
        const char *name;
        double value;
        bool part;
    } numbers[] = {
        {"thickness", def->thickness, false},  {"friction", def->friction, false}, {"dt", def->dt, false},
        {"correction", def->correction, true}, {"spread", def->spread, true},      {"ratio", def->ratio, true},
        {"reach", def->reach, false},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value = numbers[i].value;
        if (numbers[i].part ? !is_part(value) : !(isfinite(value) && value >= 0))
            return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "%s must be %s, not %g", numbers[i].name,
                                       numbers[i].part ? "0 to 1" : "finite and not negative", value);
    }
    if (def->iterations == 0)
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "there must be at least one iteration");
    return SNAG_OK;
}

snag_status snag__response_check(snag_response *response, const snag_world *world, const snag_response_def *def,
                                 const snag_response_body *bodies, size_t body_count)
{
    if (world == NULL || def == NULL || (bodies == NULL && body_count > 0))
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "world, def and bodies must not be NULL");
    return check_def(response, def);
}

// ---- gathering ----

static snag_status check_body(snag_response *response, const snag_world *world, const snag_response_body *body, size_t i,
                              snag_body_info *info)
{
    snag_status status = snag_world_body(world, body->body, info);
    if (status != SNAG_OK)
        return snag__response_fail(response, status, "body %zu of the list is not in the world", i);
    if (body->positions == NULL)
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "%s: positions must not be NULL", info->name);
    if (body->vertex_count != info->vertex_count)
        return snag__response_fail(response, SNAG_ERROR_MISMATCH, "%s: vertex_count is %zu, but the body has %zu", info->name,
                                   body->vertex_count, info->vertex_count);
    return SNAG_OK;
}

// Checks ids and sizes and numbers the vertices.
static snag_status number_vertices(snag_response *response, const snag_world *world, snag__group *group)
{
    const snag_response_body *bodies = group->bodies;
    uint64_t vertices = 0, indices = 0;
    for (uint32_t i = 0; i < group->body_count; i++) {
        snag_status status = check_body(response, world, &bodies[i], i, &group->infos[i]);
        if (status != SNAG_OK)
            return status;
        group->first_vertex[i] = (uint32_t)vertices;
        vertices += bodies[i].vertex_count;
        indices = bodies[i].body.index >= indices ? bodies[i].body.index + (uint64_t)1 : indices;
    }
    if (vertices > UINT32_MAX)
        return snag__response_fail(response, SNAG_ERROR_SIZE, "all bodies together have more than 2^32 - 1 vertices");
    group->first_vertex[group->body_count] = group->vertex_count = (uint32_t)vertices;
    if (!snag__buffer_reserve(&response->allocator, &response->body_of, 0, indices + 1, sizeof(uint32_t)))
        return snag__response_fail_memory(response);
    group->body_of = response->body_of.data;
    group->index_count = (uint32_t)indices;
    for (uint32_t i = 0; i < group->index_count; i++)
        group->body_of[i] = SNAG__NO_BODY;
    for (uint32_t i = 0; i < group->body_count; i++) {
        uint32_t *index = &group->body_of[bodies[i].body.index];
        if (*index != SNAG__NO_BODY)
            return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "%s is listed twice", group->infos[i].name);
        *index = i;
    }
    return SNAG_OK;
}

static bool is_finite3(const double x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

snag_status snag__group_copy(snag_response *response, const snag__group *group, uint32_t body, const char *what, const double *from,
                             double (*to)[3])
{
    SNAG__ASSERT(body < group->body_count && group->first_vertex[body] <= group->vertex_count);
    to += group->first_vertex[body];
    size_t count = group->bodies[body].vertex_count;
    if (from != NULL)
        memcpy(to, from, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
    for (size_t i = 0; i < count; i++)
        if (!is_finite3(to[i]))
            return snag__response_fail(response, SNAG_ERROR_NOT_FINITE, "%s: the %s of vertex %zu is not finite",
                                       group->infos[body].name, what, i);
    return SNAG_OK;
}

static snag_status copy_masses(snag_response *response, const snag__group *group, uint32_t body)
{
    double *to = group->inverse + group->first_vertex[body];
    const double *from = group->bodies[body].inverse_masses;
    for (size_t i = 0; i < group->bodies[body].vertex_count; i++) {
        to[i] = from != NULL ? from[i] : 0;
        if (!isfinite(to[i]))
            return snag__response_fail(response, SNAG_ERROR_NOT_FINITE,
                                       "%s: the inverse mass of vertex %zu is not finite: a mass must not be zero",
                                       group->infos[body].name, i);
        if (to[i] < 0)
            return snag__response_fail(response, SNAG_ERROR_ARGUMENT, "%s: the mass of vertex %zu is negative",
                                       group->infos[body].name, i);
    }
    return SNAG_OK;
}

static snag_status copy_bodies(snag_response *response, const snag__group *group)
{
    bool free = false;
    for (uint32_t i = 0; i < group->body_count; i++) {
        snag_status status = snag__group_copy(response, group, i, "position", group->bodies[i].positions, group->x);
        if (status == SNAG_OK)
            status = snag__group_copy(response, group, i, "velocity", group->bodies[i].velocities, group->v);
        if (status == SNAG_OK)
            status = copy_masses(response, group, i);
        if (status != SNAG_OK)
            return status;
    }
    for (uint32_t i = 0; i < group->vertex_count && !free; i++)
        free = group->inverse[i] > 0;
    if (!free)
        return snag__response_fail(response, SNAG_ERROR_ARGUMENT,
                                   "all vertices are held: at least one needs an inverse mass above 0");
    return SNAG_OK;
}

snag_status snag__group_gather(snag_response *response, const snag_world *world, const snag_response_body *bodies,
                               size_t body_count, snag__group *group)
{
    if (body_count >= UINT32_MAX)
        return snag__response_fail(response, SNAG_ERROR_SIZE, "there are more than 2^32 - 1 bodies");
    *group = (snag__group){.bodies = bodies, .body_count = (uint32_t)body_count};
    const snag__room of_bodies[] = {
        {&response->infos, &group->infos, body_count + 1, sizeof *group->infos},
        {&response->first_vertex, &group->first_vertex, body_count + 1, sizeof *group->first_vertex},
    };
    snag_status status = snag__response_reserve(response, of_bodies, 2);
    if (status == SNAG_OK)
        status = number_vertices(response, world, group);
    if (status != SNAG_OK)
        return status;
    size_t count = group->vertex_count + (size_t)1;
    const snag__room of_vertices[] = {
        {&response->x, &group->x, count, sizeof *group->x},
        {&response->v, &group->v, count, sizeof *group->v},
        {&response->inverse, &group->inverse, count, sizeof *group->inverse},
    };
    status = snag__response_reserve(response, of_vertices, 3);
    return status == SNAG_OK ? copy_bodies(response, group) : status;
}

void snag__group_return(const snag__group *group, bool held)
{
    for (uint32_t i = 0; i < group->body_count; i++) {
        const snag_response_body *body = &group->bodies[i];
        uint32_t first = group->first_vertex[i];
        for (size_t k = 0; k < body->vertex_count; k++) {
            bool free = group->inverse[first + k] > 0;
            if (free || held)
                memcpy(&body->positions[3 * k], group->x[first + k], sizeof *group->x);
            if (free && body->velocities != NULL)
                memcpy(&body->velocities[3 * k], group->v[first + k], sizeof *group->v);
        }
    }
}
