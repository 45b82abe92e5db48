// How far each vertex may move.
// Chen, Hsu, Yuksel et al.: Offset Geometric Contact, ACM Trans. Graph. 44 (2025): no vertex moves farther than half the distance to the
// nearest element that does not contain it. If all vertices keep to that, the points of two elements at distance d move by less than d / 2
// each, and never meet. Elements that share a vertex need no bound of their own: before two triangles at a vertex cross, a vertex of
// the one meets the other triangle or two opposite edges meet, and these pairs share no vertex. The same holds for a rod and a triangle
// at a vertex: the rod's other end meets the triangle, or the rod the opposite edge. Two rods at a vertex are not kept from folding
// onto each other: that takes a coincidence, and they are on no other side of each other after it.
//
// Differs: distances are those of all pairs within a reach, found by one question; what is farther apart than the reach cannot
// meet while no vertex moves by half of it. Every bound is lowered by what rounding may add.
#include "response/safe.h"

#include "base/clamp.h"
#include "response/vector.h"

#include <string.h>

// The part of a bound that is used, so that two vertices that both use theirs do not touch.
#define USED (1 - 0x1p-20)

enum { PAIRS_OF_A_TASK = 1024 };

// Positions and sums of a few of them are off by no more than this.
static double rounding(const snag__safe *safe)
{
    return 0x1p-48 * safe->largest;
}

snag_status snag__safe_collect(snag__safe *safe)
{
    snag_response *response = safe->response;
    snag_collect_def def = snag_default_collect_def();
    def.distance = safe->reach;
    if (response->set == NULL && snag_candidates_empty(&response->allocator, &response->set) != SNAG_OK)
        return snag__response_fail_memory(response);
    snag_status status = snag_world_collect(safe->world, &def, &response->set);
    if (status != SNAG_OK)
        return snag__response_fail(response, status, "%s", snag_world_message(safe->world));
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++)
        safe->lists[kind] = snag_candidates_list(response->set, (snag_candidate_kind)kind, &safe->list_counts[kind]);
    safe->pair_count = snag_candidates_count(response->set);
    return SNAG_OK;
}

// The vertices of one side, in the numbering of the group. Returns how many; 0 if its body takes no part.
static uint32_t side_of(const snag__group *group, uint32_t slot, uint32_t element, snag_element_kind kind, uint32_t *vertex)
{
    uint32_t body = slot < group->index_count ? group->body_of[slot] : SNAG__NO_BODY;
    if (body == SNAG__NO_BODY)
        return 0;
    const snag_body_info *info = &group->infos[body];
    uint32_t first = group->first_vertex[body], count = kind == SNAG_VERTEX ? 1 : kind == SNAG_EDGE ? 2 : 3;
    const uint32_t *of = kind == SNAG_VERTEX ? &element
                         : kind == SNAG_EDGE ? info->edges + 2 * (size_t)element
                                             : info->triangles + 3 * (size_t)element;
    for (uint32_t i = 0; i < count; i++)
        vertex[i] = first + of[i];
    return count;
}

// A vertex near a rod or another vertex: only points need such pairs. Ends of rods and corners of triangles are kept apart by
// their edges and triangles.
static bool is_covered(const snag__safe *safe, const snag__close_pair *pair, snag_element_kind kind_b)
{
    return safe->alone == NULL || !safe->alone[pair->vertex[0]] || (kind_b == SNAG_VERTEX && !safe->alone[pair->vertex[1]]);
}

// False if the pair takes no part: one of its bodies is not in the group, other pairs keep it apart, or see skip_held.
static bool close_pair(const snag__safe *safe, uint32_t body_a, uint32_t a, snag_element_kind kind_a, uint32_t body_b, uint32_t b,
                       snag_element_kind kind_b, snag__close_pair *pair)
{
    pair->of_a = side_of(&safe->group, body_a, a, kind_a, pair->vertex);
    uint32_t of_b = pair->of_a > 0 ? side_of(&safe->group, body_b, b, kind_b, pair->vertex + pair->of_a) : 0;
    pair->count = pair->of_a + of_b;
    if (of_b == 0 || (pair->count < 4 && is_covered(safe, pair, kind_b)))
        return false;
    bool free = !safe->skip_held;
    for (uint32_t k = 0; k < pair->count && !free; k++)
        free = safe->group.inverse[pair->vertex[k]] > 0;
    return free;
}

bool snag__safe_pair(const snag__safe *safe, size_t i, snag__close_pair *pair)
{
    static const snag_element_kind kinds[SNAG_CANDIDATE_KIND_COUNT][2] = {
        [SNAG_CANDIDATE_VERTEX_TRIANGLE] = {SNAG_VERTEX, SNAG_TRIANGLE},
        [SNAG_CANDIDATE_EDGE_EDGE] = {SNAG_EDGE, SNAG_EDGE},
        [SNAG_CANDIDATE_VERTEX_EDGE] = {SNAG_VERTEX, SNAG_EDGE},
        [SNAG_CANDIDATE_VERTEX_VERTEX] = {SNAG_VERTEX, SNAG_VERTEX},
    };
    int kind = 0;
    for (; i >= safe->list_counts[kind]; kind++)
        i -= safe->list_counts[kind];
    const snag_candidate *p = &safe->lists[kind][i];
    return close_pair(safe, p->body_a, p->a, kinds[kind][0], p->body_b, p->b, kinds[kind][1], pair);
}

// ---- bounds ----

typedef struct bounding {
    const snag__safe *safe;
    const snag_pair *pairs;
    size_t count;
    _Atomic uint64_t *least;  // by vertex: the bits of the smallest distance
} bounding;

// Bits of numbers that are not negative are in their order.
static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void lower(_Atomic uint64_t *least, uint64_t bits)
{
    uint64_t before = atomic_load_explicit(least, memory_order_relaxed);
    while (bits < before &&
           !atomic_compare_exchange_weak_explicit(least, &before, bits, memory_order_relaxed, memory_order_relaxed))
        ;
}

// The order in which tasks come does not matter: the least is the least.
static void bound_some(void *context, uint32_t task)
{
    const bounding *b = context;
    snag__float_env callers = snag__float_env_begin();
    size_t first = (size_t)task * PAIRS_OF_A_TASK, last = first + PAIRS_OF_A_TASK < b->count ? first + PAIRS_OF_A_TASK : b->count;
    for (size_t i = first; i < last; i++) {
        const snag_pair *p = &b->pairs[i];
        snag__close_pair pair;
        if (close_pair(b->safe, p->body_a, p->a, p->kind_a, p->body_b, p->b, p->kind_b, &pair))
            for (uint32_t k = 0; k < pair.count; k++)
                lower(&b->least[pair.vertex[k]], bits_of(p->value));
    }
    snag__float_env_end(callers);
}

_Static_assert(sizeof(_Atomic uint64_t) == sizeof(double), "limits are kept where their bits are compared");

snag_status snag__safe_bounds(snag__safe *safe)
{
    const snag__group *group = &safe->group;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer;
    ask.output = SNAG_OUTPUT_PAIRS;  // their distances are rounded down
    ask.every_pair = true;
    ask.distance = safe->reach;
    ask.ignore_radius = true;
    snag_status status = snag_world_ask(safe->world, &ask, &answer);
    if (status != SNAG_OK)
        return snag__response_fail(safe->response, status, "%s", snag_world_message(safe->world));
    safe->pair_count = answer->count;
    bounding b = {safe, answer->pairs, answer->count, (_Atomic uint64_t *)(void *)safe->limit};
    for (uint32_t v = 0; v < group->vertex_count; v++)
        atomic_store_explicit(&b.least[v], bits_of(safe->reach), memory_order_relaxed);
    snag_world_run(safe->world, (uint32_t)((b.count + PAIRS_OF_A_TASK - 1) / PAIRS_OF_A_TASK), bound_some, &b);
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        // The measured distance may be off by 2^-26 of itself.
        double least = number_of(atomic_load_explicit(&b.least[v], memory_order_relaxed));
        safe->limit[v] = snag__max(0, least / 2 * USED - rounding(safe));
    }
    return SNAG_OK;
}

void snag__safe_clamp(const snag__safe *safe, double *fraction)
{
    const snag__group *group = &safe->group;
    *fraction = 1;
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        double length = snag__length(safe->moves[v]);
        double part = length > safe->limit[v] ? safe->limit[v] / length : 1;
        if (group->inverse[v] > 0)
            for (int k = 0; k < 3 && part < 1; k++)
                safe->moves[v][k] *= part;
        else
            *fraction = fmin(*fraction, part);
    }
}
