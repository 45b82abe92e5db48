// The state of `active` from step to step, and its budget. See active.c.
#include "method/active_step.h"

#include <math.h>
#include <string.h>

enum {
    RESERVE_NS = 10000,  // for work that is not accounted for
    // First guesses of costs: of an exact test, of writing a contact, and of a unit of growing, starting or probing.
    CONFIRM_NS = 100,
    FINISH_NS = 400,
    UNIT_NS = 5000,
};
// How fast costs follow measurements, up and down: see snag__active_learn.
static const double LEARN_UP = 0.5, LEARN_DOWN = 0.03;

typedef snag__active_pair pair;
typedef snag__active_step step;
typedef snag__active_state active_state;
typedef snag__active_list pair_list;

// ---- the state ----

active_state *snag__active_state_of(snag__ask *ask)
{
    bool is_new = ask->scratch->states[SNAG_METHOD_ACTIVE].data == NULL;
    active_state *state = snag__state_of(ask, SNAG_METHOD_ACTIVE, sizeof *state);
    if (state != NULL && is_new) {
        state->effort = state->keep = 1;
        state->confirm_ns = CONFIRM_NS;
        state->finish_ns = FINISH_NS;
        state->grow_ns = state->start_ns = state->probe_ns = UNIT_NS;
    }
    return state;
}

void snag__active_free(const snag_allocator *allocator, snag__buffer *memory)
{
    active_state *state = memory->data;
    if (state == NULL)
        return;
    for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++) {
        snag__buffer_free(allocator, &state->lists[kind].memory);
        snag__buffer_free(allocator, &state->next[kind].memory);
    }
    snag__buffer_free(allocator, &state->snapshot.memory);
    snag__buffer_free(allocator, &state->past);
    snag__buffer_free(allocator, &state->vertices);
    snag__buffer_free(allocator, &state->probe.memory);
    snag__hash_set_free(allocator, &state->visited);
    snag__buffer_free(allocator, &state->met);
    snag__buffer_free(allocator, &state->sorting);
    snag__buffer_free(allocator, &state->spare);
    snag__active_tree_free(allocator, &state->tree);
    snag__buffer_free(allocator, memory);
}

// Drops the pairs of removed bodies; the others get the present indices of their bodies.
static void renumber(active_state *state, pair_list *list)
{
    const snag__body_snapshot_entry *snapshot = state->snapshot.memory.data;
    pair *pairs = list->memory.data;
    size_t kept = 0, fresh_from = 0, fresh = 0;
    for (size_t i = 0; i < list->count; i++) {
        SNAG__ASSERT(pairs[i].body_a < state->snapshot.count && pairs[i].body_b < state->snapshot.count);
        uint32_t a = snapshot[pairs[i].body_a].index_now, b = snapshot[pairs[i].body_b].index_now;
        if (a == SNAG__GONE || b == SNAG__GONE)
            continue;
        pairs[kept] = pairs[i];
        pairs[kept].body_a = a;
        pairs[kept++].body_b = b;
        fresh_from += i < list->fresh_from;
        fresh += i >= list->fresh_from && i < list->fresh_from + list->fresh;
    }
    *list = (pair_list){list->memory, kept, fresh_from, fresh};
}

static size_t elements_of(const snag__ask *ask, uint32_t body)
{
    const snag__mesh *mesh = &ask->bodies[body]->mesh;
    return (size_t)mesh->vertex_count + mesh->edge_count;
}

bool snag__active_meet_bodies(snag__ask *ask, active_state *state)
{
    if (!snag__body_snapshot_reserve(&state->snapshot, ask, ask->allocator) ||
        !snag__buffer_reserve(ask->allocator, &state->past, state->past_known ? state->snapshot.count : 0, ask->body_count + 1u,
                              sizeof(snag__active_past)) ||
        !snag__buffer_reserve(ask->allocator, &state->vertices, 0, ask->body_count + 1u, sizeof(uint32_t)))
        return false;
    if (!snag__body_snapshot_compare(&state->snapshot, ask)) {
        state->past_known = false;
        for (int kind = 0; kind < SNAG__ACTIVE_KINDS; kind++)
            renumber(state, &state->lists[kind]);
    }
    snag__body_snapshot_write(&state->snapshot, ask);
    uint32_t *before = state->vertices.data, last = ask->body_count;
    before[0] = 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        before[i + 1] = before[i] + ask->bodies[i]->mesh.vertex_count;
    size_t had = state->met.bytes, elements = last == 0 ? 0 : ask->first_element[last - 1] + elements_of(ask, last - 1);
    if (!snag__buffer_reserve(ask->allocator, &state->met, 0, elements + 1, sizeof(uint64_t)))
        return false;
    if (state->met.bytes != had)
        memset(state->met.data, 0, state->met.bytes);
    return true;
}

double snag__active_moved(const snag__ask *ask, const active_state *state)
{
    const snag__active_past *past = state->past.data;
    double most = state->past_known ? 0 : INFINITY;
    for (uint32_t i = 0; i < ask->body_count && state->past_known; i++)
        most = fmax(most, snag__body_displacement_since(ask->bodies[i], past[i].displacement, past[i].jumps));
    return most;
}

void snag__active_note_past(const snag__ask *ask, active_state *state)
{
    snag__active_past *past = state->past.data;
    for (uint32_t i = 0; i < ask->body_count; i++)
        past[i] = (snag__active_past){ask->bodies[i]->displacement, ask->bodies[i]->jumps};
    state->past_known = true;
}

// ---- time ----

// The part of the budget that is spent, counting candidates that are still to be tested and contacts to be written.
static double spent(const step *s)
{
    const active_state *state = s->state;
    const snag__record_list *list = &s->ask->scratch->lists[0];
    double queued =
        (double)(state->queues[SNAG__ACTIVE_POINTS].count + state->queues[SNAG__ACTIVE_EDGES].count + state->settling.queue.count);
    double owed =
        ((double)list->count + SNAG__ACTIVE_FINISHING) * state->finish_ns + queued * (state->confirm_ns + state->finish_ns);
    return (1e3 * (double)(snag__ask_now(s->ask) - s->ask->started_us) + owed + RESERVE_NS) / (double)s->budget_ns;
}

bool snag__active_in_time(const step *s, double share)
{
    return s->budget_ns == 0 || spent(s) < share;
}

double snag__active_share_of(const step *s, double share, double end)
{
    return s->budget_ns == 0 ? 1 : fmin(spent(s) + share, end);
}

void snag__active_learn(double *cost, double measured)
{
    *cost += (measured > *cost ? LEARN_UP : LEARN_DOWN) * (fmin(measured, 2 * *cost) - *cost);
}

bool snag__active_has_time_for(const step *s, double *unit_ns, double share, uint64_t *began_us)
{
    if (s->budget_ns == 0)
        return true;
    uint64_t now = snag__ask_now(s->ask);
    if (*began_us > 0)
        snag__active_learn(unit_ns, 1e3 * (double)(now - *began_us));
    *began_us = now;
    return snag__active_in_time(s, share - *unit_ns / (double)s->budget_ns);
}
