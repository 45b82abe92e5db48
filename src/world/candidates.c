// Sets of candidates as objects of the caller: made, filtered, merged, read.
#include "world/collect.h"

#include <string.h>

static snag_candidates *make(const snag_allocator *allocator)
{
    snag_candidates *set = snag__allocate(allocator, 1, sizeof *set);
    if (set != NULL) {
        memset(set, 0, sizeof *set);
        set->allocator = *allocator;
    }
    return set;
}

snag_candidates *snag__set_make(const snag_world *world)
{
    return make(&world->allocator);
}

snag_status snag_candidates_empty(const snag_allocator *allocator, snag_candidates **set)
{
    if (set == NULL)
        return SNAG_ERROR_ARGUMENT;
    *set = NULL;
    if (allocator != NULL && (allocator->allocate == NULL) != (allocator->release == NULL))
        return SNAG_ERROR_ARGUMENT;
    const snag_allocator use = allocator != NULL && allocator->allocate != NULL ? *allocator : snag__default_allocator();
    *set = make(&use);
    return *set != NULL ? SNAG_OK : SNAG_ERROR_MEMORY;
}

static void free_lists(const snag_allocator *allocator, snag__candidate_lists *lists)
{
    snag__buffer_free(allocator, &lists->memory);
    snag__buffer_free(allocator, &lists->run_memory);
}

void snag_candidates_destroy(snag_candidates *set)
{
    if (set == NULL)
        return;
    const snag_allocator allocator = set->allocator;
    free_lists(&allocator, &set->lists);
    free_lists(&allocator, &set->spare);
    snag__clearance_free(&allocator, &set->clearance);
    snag__ground_free(&allocator, set->grounds);
    snag__ground_free(&allocator, set->spare_ground);
    snag__release(&allocator, set, 1, sizeof *set);
}

// ---- reading ----

size_t snag_candidates_count(const snag_candidates *set)
{
    return set != NULL ? set->lists.start[SNAG_CANDIDATE_KIND_COUNT] : 0;
}

const snag_candidate *snag_candidates_list(const snag_candidates *set, snag_candidate_kind kind, size_t *count)
{
    size_t first = 0, last = 0;
    if (set != NULL && (unsigned)kind < SNAG_CANDIDATE_KIND_COUNT) {
        first = set->lists.start[kind];
        last = set->lists.start[kind + 1];
    }
    if (count != NULL)
        *count = last - first;
    return last > first ? set->lists.items + first : NULL;
}

size_t snag_candidates_bytes(const snag_candidates *set)
{
    if (set == NULL)
        return 0;
    size_t bytes =
        sizeof *set + set->lists.memory.bytes + set->lists.run_memory.bytes + set->spare.memory.bytes + set->spare.run_memory.bytes;
    bytes += set->clearance.memory.bytes;
    const snag__candidate_ground *chains[] = {set->grounds, set->spare_ground};
    for (int i = 0; i < 2; i++)
        for (const snag__candidate_ground *ground = chains[i]; ground != NULL; ground = ground->next)
            bytes += sizeof *ground + ground->memory.bytes;
    return bytes;
}

bool snag_candidates_are_complete(const snag_candidates *set)
{
    return set != NULL && snag__candidates_complete(set);
}

// ---- pairs of the caller ----

static snag_status check_side(snag_world *world, snag_candidate_kind kind, size_t i, uint32_t slot, uint32_t element, bool b)
{
    const snag__entry *entries = world->entries.data;
    const snag__body *body = slot >= 1 && slot <= world->entry_count ? entries[slot - 1].body : NULL;
    static const char *const names[SNAG_CANDIDATE_KIND_COUNT] = {"vertex-triangle", "edge-edge", "vertex-edge", "vertex-vertex"};
    const char *list = names[kind];
    if (body == NULL)
        return snag__fail(world, SNAG_ERROR_BODY, "candidates: %s pair %zu: there is no body %u in this world", list, i, slot);
    if (body->source != NULL)
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED, "candidates: %s pair %zu: %s stays on disk", list, i, body->name);
    if (element >= snag__element_count(&body->mesh, snag__candidate_side(kind, b)))
        return snag__fail(world, SNAG_ERROR_INDEX, "candidates: %s pair %zu: %s has no such element %u", list, i, body->name,
                          element);
    return SNAG_OK;
}

static snag_status check_pairs(snag_world *world, const snag_candidate *const pairs[], const size_t counts[])
{
    if (pairs == NULL || counts == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "candidates: pairs and counts must not be NULL");
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++) {
        if (pairs[kind] == NULL && counts[kind] > 0)
            return snag__fail(world, SNAG_ERROR_ARGUMENT, "candidates: list %d is NULL", kind);
        for (size_t i = 0; i < counts[kind]; i++) {
            const snag_candidate *pair = &pairs[kind][i];
            snag_status status = check_side(world, (snag_candidate_kind)kind, i, pair->body_a, pair->a, false);
            if (status == SNAG_OK)
                status = check_side(world, (snag_candidate_kind)kind, i, pair->body_b, pair->b, true);
            if (status != SNAG_OK)
                return status;
        }
    }
    return SNAG_OK;
}

static uint32_t place_of(const snag__ask *ask, uint32_t slot)
{
    uint32_t low = 0, high = ask->body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (ask->bodies[middle]->id.index <= slot)
            low = middle;
        else
            high = middle;
    }
    SNAG__ASSERT(ask->bodies[low]->id.index == slot);
    return low;
}

// Writes the pairs as records, and lets the order of answers sort them.
static bool append_pairs(snag__ask *ask, const snag_candidate *const pairs[], const size_t counts[])
{
    snag__record_list *list = &ask->scratch->lists[0];
    size_t all = 0;
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++)
        all += counts[kind];
    if (!snag__record_list_reserve(ask->answer_allocator, list, all + 1))
        return false;
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++)
        for (size_t i = 0; i < counts[kind]; i++) {
            const snag_candidate *p = &pairs[kind][i];
            uint32_t body_a = place_of(ask, p->body_a), body_b = place_of(ask, p->body_b);
            snag_element_kind kind_a = snag__candidate_side(kind, false), kind_b = snag__candidate_side(kind, true);
            uint64_t a = snag__element_number(ask, body_a, kind_a, p->a), b = snag__element_number(ask, body_b, kind_b, p->b);
            bool turn = kind_a == kind_b && b < a;
            snag__append(list, turn ? b << 32 | a : a << 32 | b, 0, 0, 0);
        }
    return true;
}

// Only the bodies of the pairs must be there later, wherever they are.
static void keep_named_bodies(const snag__ask *ask, snag_candidates *set)
{
    snag__candidate_ground *ground = set->grounds;
    const snag__candidate_lists *lists = &set->lists;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ground->body_count; i++)
        ground->bodies[i].moves = false;
    for (size_t i = 0; i < lists->run_start[SNAG_CANDIDATE_KIND_COUNT]; i++)
        ground->bodies[place_of(ask, lists->runs[i].body_a)].moves = ground->bodies[place_of(ask, lists->runs[i].body_b)].moves =
            true;
    for (uint32_t i = 0; i < ground->body_count; i++)
        if (ground->bodies[i].moves)
            ground->bodies[kept++] = ground->bodies[i];
    ground->body_count = kept;
    ground->anywhere = true;
}

static snag_status create(snag_world *world, const snag_candidate *const pairs[], const size_t counts[], snag_candidates **out)
{
    if (out == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "candidates: set must not be NULL");
    snag_status status = check_pairs(world, pairs, counts);
    if (status != SNAG_OK)
        return status;
    snag_candidates *set = *out != NULL ? *out : snag__set_make(world);
    const snag__question question = {.question = SNAG_PROXIMITIES, .output = SNAG_OUTPUT_COUNT};
    snag__ask ask;
    if (set == NULL || !snag__ask_begin(world, &question, &ask) || !append_pairs(&ask, pairs, counts) ||
        snag__set_take(set, &ask) != SNAG_OK) {
        if (*out == NULL)
            snag_candidates_destroy(set);
        return snag__fail(world, SNAG_ERROR_MEMORY, "candidates: the allocator has no more memory");
    }
    snag__set_commit(world, set);
    keep_named_bodies(&ask, set);
    *out = set;
    return SNAG_OK;
}

snag_status snag_candidates_create(snag_world *world, const snag_candidate *const *pairs, const size_t *counts,
                                   snag_candidates **set)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("candidates"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, create(world, pairs, counts, set)) : status;
}

// ---- filtering and merging ----

snag_status snag_candidates_filter(snag_candidates *set,
                                   bool (*keep)(void *context, snag_candidate_kind kind, const snag_candidate *pair), void *context)
{
    if (set == NULL || keep == NULL)
        return SNAG_ERROR_ARGUMENT;
    snag__candidate_lists *lists = &set->lists;
    size_t kept = 0, before = lists->start[SNAG_CANDIDATE_KIND_COUNT];
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++) {
        size_t first = lists->start[kind], last = lists->start[kind + 1];
        lists->start[kind] = kept;
        for (size_t i = first; i < last; i++) {
            const snag_candidate pair = lists->items[i];
            if (keep(context, (snag_candidate_kind)kind, &pair))
                lists->items[kept++] = pair;
        }
    }
    lists->start[SNAG_CANDIDATE_KIND_COUNT] = kept;
    set->dropped = set->dropped || kept < before;
    snag__clearance_forget(&set->clearance);
    // There are no more runs than before, so there is memory for them.
    bool found = snag__candidates_find_runs(&set->allocator, lists);
    SNAG__ASSERT(found);
    (void)found;
    return SNAG_OK;
}

static size_t merge_lists(const snag_candidate *a, size_t a_count, const snag_candidate *b, size_t b_count, snag_candidate *out)
{
    size_t i = 0, j = 0, count = 0;
    while (i < a_count || j < b_count) {
        int order = i == a_count ? 1 : j == b_count ? -1 : snag__candidate_order(&a[i], &b[j]);
        out[count++] = order <= 0 ? a[i] : b[j];
        i += order <= 0;
        j += order >= 0;
    }
    return count;
}

// A copy of a chain of grounds; NULL if there is no memory.
static snag__candidate_ground *copy_grounds(const snag_allocator *allocator, const snag__candidate_ground *from)
{
    snag__candidate_ground *first = NULL, **next = &first;
    for (; from != NULL; from = from->next) {
        snag__candidate_ground *copy = snag__allocate(allocator, 1, sizeof *copy);
        if (copy == NULL) {
            snag__ground_free(allocator, first);
            return NULL;
        }
        *copy = *from;
        copy->memory = (snag__buffer){0};
        copy->next = NULL;
        *next = copy;
        next = &copy->next;
        const snag__room rooms[] = {
            {NULL, &copy->bodies, from->body_count + 1u, sizeof *copy->bodies},
            {NULL, &copy->x, from->vertex_count + 1, sizeof *copy->x},
        };
        if (!snag__rooms_carve(allocator, &copy->memory, rooms, sizeof rooms / sizeof *rooms)) {
            snag__ground_free(allocator, first);
            return NULL;
        }
        memcpy(copy->bodies, from->bodies, from->body_count * sizeof *copy->bodies);
        memcpy(copy->x, from->x, from->vertex_count * sizeof *copy->x);
    }
    return first;
}

static bool is_same_filter(const snag_filter *a, const snag_filter *b)
{
    return a->bodies == b->bodies && a->context == b->context;
}

// What the merged set may be asked.
static void merge_scope(snag_candidates *set, const snag_candidates *other)
{
    if (set->collected && other->collected) {
        set->self = set->self || other->self;
        set->between = set->between || other->between;
        set->distance = set->distance < other->distance ? set->distance : other->distance;
        set->search_if_stale = set->search_if_stale && other->search_if_stale;
        set->dropped = set->dropped || other->dropped;
    } else if (other->collected) {
        set->collected = true;
        set->dropped = other->dropped;
        set->self = other->self;
        set->between = other->between;
        set->distance = other->distance;
        set->search_if_stale = other->search_if_stale;
        set->filter = other->filter;
    }
}

static bool is_ready_to_merge(const snag_candidates *set, const snag_candidates *other, snag_status *status)
{
    *status = SNAG_ERROR_ARGUMENT;
    if (set == NULL || other == NULL || set == other)
        return false;
    if (set->collected && other->collected && !is_same_filter(&set->filter, &other->filter))
        return false;
    *status = SNAG_ERROR_BODY;
    return set->world == other->world;
}

snag_status snag_candidates_merge(snag_candidates *set, const snag_candidates *other)
{
    snag_status status;
    if (!is_ready_to_merge(set, other, &status))
        return status;
    snag__candidate_ground *grounds = copy_grounds(&set->allocator, other->grounds);
    size_t most = snag_candidates_count(set) + snag_candidates_count(other);
    snag__candidate_lists *out = &set->spare;
    if ((grounds == NULL && other->grounds != NULL) || !snag__candidates_reserve(&set->allocator, out, most)) {
        snag__ground_free(&set->allocator, grounds);
        return SNAG_ERROR_MEMORY;
    }
    for (int kind = 0; kind < SNAG_CANDIDATE_KIND_COUNT; kind++) {
        size_t counts[2];
        const snag_candidate *a = snag_candidates_list(set, (snag_candidate_kind)kind, &counts[0]);
        const snag_candidate *b = snag_candidates_list(other, (snag_candidate_kind)kind, &counts[1]);
        out->start[kind + 1] = out->start[kind] + merge_lists(a, counts[0], b, counts[1], out->items + out->start[kind]);
    }
    if (!snag__candidates_find_runs(&set->allocator, out)) {
        snag__ground_free(&set->allocator, grounds);
        return SNAG_ERROR_MEMORY;
    }
    snag__candidate_lists before = set->lists;
    set->lists = set->spare;
    set->spare = before;
    snag__clearance_forget(&set->clearance);
    snag__candidate_ground **last = &set->grounds;
    while (*last != NULL)
        last = &(*last)->next;
    *last = grounds;
    merge_scope(set, other);
    return SNAG_OK;
}
