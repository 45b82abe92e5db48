// How deep bodies are in each other, and how many triangles cross.
#include "collider.h"

snag_status snag__collider_place(snag_sim *sim)
{
    const snag__collider *c = sim->collider;
    snag_status status = SNAG_OK;
    for (size_t b = 0; b < sim->body_count && status == SNAG_OK; b++) {
        const snag__body *body = &sim->bodies[b];
        if (body->kind != SNAG__STILL)
            status = snag_world_teleport(c->world, c->bodies[b].body, snag_positions_f64(body->x[0], body->shape.vertex_count));
    }
    return status;
}

static bool same_vertex(const snag_contact *a, const snag_contact *b)
{
    return a->body_a.index == b->body_a.index && a->a.kind == b->a.kind && a->a.index == b->a.index;
}

// Contacts are sorted by vertex. The nearest surface of a vertex tells whether it is inside; for volumes one tetrahedron does.
static void sum_depths(const snag_sim *sim, const snag_answer *answer, snag_sim_depth *depth)
{
    const snag__collider *c = sim->collider;
    for (size_t i = 0, next; i < answer->count; i = next) {
        const snag_contact *nearest = NULL;
        for (next = i; next < answer->count && same_vertex(&answer->contacts[i], &answer->contacts[next]); next++) {
            const snag_contact *contact = &answer->contacts[next];
            bool counts = answer->question == SNAG_PENETRATIONS || c->closed[c->body_of[contact->body_b.index]];
            if (counts && contact->a.kind == SNAG_VERTEX && (nearest == NULL || fabs(contact->value) < fabs(nearest->value)))
                nearest = contact;
        }
        if (nearest == NULL)
            continue;
        double value = answer->question == SNAG_PENETRATIONS ? nearest->value : -nearest->value;
        if (value > 0) {
            depth->inside++;
            depth->mean += value;
            depth->worst = fmax(depth->worst, value);
        }
    }
    if (depth->inside > 0)
        depth->mean /= (double)depth->inside;
}

// Counts the triangles that cross at the current positions.
static snag_status count_crossings(snag_sim *sim, size_t *count)
{
    const snag__collider *c = sim->collider;
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *found = NULL;
    ask.output = SNAG_OUTPUT_PAIRS;
    ask.filter = &c->filter;
    snag_status status = snag_world_ask(c->world, &ask, &found);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, snag_world_message(c->world));
    for (size_t i = 0; i < found->count; i++)
        *count += found->pairs[i].kind == SNAG_CROSSING;
    return SNAG_OK;
}

snag_status snag_sim_measure(snag_sim *sim, double reach, snag_sim_depth *depth)
{
    if (sim == NULL || depth == NULL || !(reach > 0) || isinf(reach))
        return SNAG_ERROR_ARGUMENT;
    *depth = (snag_sim_depth){0};
    snag__collider *c = sim->collider;
    snag_question_def ask = c->ask;
    const snag_answer *found = NULL;
    ask.method = SNAG_METHOD_AUTO;
    ask.options = NULL;
    ask.distance = reach;
    snag_status status = snag__collider_place(sim);
    if (status == SNAG_OK)
        status = snag_world_ask(c->world, &ask, &found);
    if (status != SNAG_OK)
        return snag__collider_fail(sim, status, snag_world_message(c->world));
    snag_answer answer = *found;
    status = snag__collider_take(sim, &answer);
    if (status != SNAG_OK)
        return status;
    for (size_t i = 0; i < answer.count; i++)
        if (snag__collider_inside_another(&c->contacts[i]))
            snag__collider_shorten(sim, NULL, &c->contacts[i]);
    sum_depths(sim, &answer, depth);
    return count_crossings(sim, &depth->crossing);
}
