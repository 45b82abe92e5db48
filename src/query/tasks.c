// Running a search in tasks: record lists grow only between runs; progress and budget are checked between rounds.
#include "query/depth.h"
#include "query/f32_paths.h"
#include "query/f32_vertices.h"
#include "query/filter.h"
#include "query/plan.h"
#include "query/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct snag__round {
    void (*task)(void *context, uint32_t index, snag__record_list *list);
    void *context;
    snag__record_list *lists;
    uint8_t which[SNAG__MAX_TASKS];  // the tasks that this round runs
} snag__round;

static void run_task(void *context, uint32_t i)
{
    const snag__round *round = context;
    uint32_t index = round->which[i];
    round->task(round->context, index, &round->lists[index]);
}

bool snag__record_list_reserve(const snag_allocator *allocator, snag__record_list *list, size_t count)
{
    if (!snag__buffer_reserve(allocator, &list->memory, list->count, count, sizeof *list->records))
        return false;
    SNAG__ASSERT(list->count * sizeof *list->records <= list->memory.bytes);
    list->records = list->memory.data;
    list->capacity = list->memory.bytes / sizeof *list->records;
    return true;
}

// Resets each list that was too short and gives it a quarter more room than it asked for, so that the next step with a few contacts more
// need not run tasks twice. Returns how many tasks run again.
static uint32_t make_room(snag__ask *ask, snag__round *round, uint32_t count, const snag__record_list *before, bool *failed)
{
    uint32_t again = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = round->which[i];
        snag__record_list *list = &round->lists[index];
        if (list->count <= list->capacity)
            continue;
        size_t wanted = list->count;
        list->count = before[index].count;
        list->pair_count = before[index].pair_count;
        list->exact_count = before[index].exact_count;
        if (list->count == 0) {
            // Nothing to keep: the old memory goes first, and the new is no larger than said.
            snag__buffer_free(ask->answer_allocator, &list->memory);
            list->capacity = 0;
        }
        if (!snag__record_list_reserve(ask->answer_allocator, list, wanted + wanted / 4 + 64))
            *failed = true;
        round->which[again++] = (uint8_t)index;
    }
    return again;
}

snag_status snag__run_tasks(snag__ask *ask, uint32_t count, void (*task)(void *context, uint32_t index, snag__record_list *list),
                            void *context)
{
    snag__round round = {.task = task, .context = context, .lists = ask->scratch->lists};
    snag__record_list before[SNAG__MAX_TASKS];
    SNAG__ASSERT(count <= SNAG__MAX_TASKS);
    memcpy(before, round.lists, count * sizeof *before);
    for (uint32_t i = 0; i < count; i++)
        round.which[i] = (uint8_t)i;

    bool failed = false;
    while (count > 0 && !failed) {
        snag__parallel_for(ask->parallel, count, run_task, &round);
        count = make_room(ask, &round, count, before, &failed);
    }
    if (failed)
        return SNAG_ERROR_MEMORY;
    return snag__spills(ask) ? snag__spill(ask) : SNAG_OK;
}

bool snag__go_on(snag__ask *ask, double done)
{
    const snag__question *def = ask->def;
    SNAG__ASSERT(done >= 0 && done <= 1);
    ask->done = done;
    if (def->progress != NULL && !def->progress(def->progress_context, done))
        ask->stopped = true;
    if (def->budget_us > 0 && snag__ask_now(ask) - ask->started_us >= def->budget_us)
        ask->stopped = true;
    return !ask->stopped;
}

enum { ROUND_US = 10000 };  // between calls of the progress callback

void snag__round_begin(snag__ask *ask)
{
    const snag__question *def = ask->def;
    ask->round_until_us = UINT64_MAX;
    if (def->budget_us > 0 && def->budget_us < UINT64_MAX - ask->started_us)
        ask->round_until_us = ask->started_us + def->budget_us;
    uint64_t next = def->progress != NULL ? snag__ask_now(ask) + ROUND_US : UINT64_MAX;
    ask->last_round = ask->round_until_us <= next;
    if (!ask->last_round)
        ask->round_until_us = next;
}

void *snag__state_of(snag__ask *ask, snag_method method, size_t size)
{
    SNAG__ASSERT((unsigned)method < SNAG_METHOD_COUNT && size > 0);
    snag__buffer *state = &ask->scratch->states[method];
    if (state->data == NULL) {
        if (!snag__buffer_reserve(ask->allocator, state, 0, 1, size))
            return NULL;
        memset(state->data, 0, size);
    }
    SNAG__ASSERT(state->bytes >= size);
    return state->data;
}

void snag__ask_log(const snag__ask *ask, snag_log_level level, const char *format, ...)
{
    if (ask->log->write == NULL)
        return;
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ask->log->write(ask->log->context, level, message);
}

void snag__scratch_empty(const snag_allocator *answer_allocator, snag__scratch *scratch)
{
    for (int i = 0; i < SNAG__MAX_TASKS; i++) {
        snag__buffer_free(answer_allocator, &scratch->lists[i].memory);
        scratch->lists[i] = (snag__record_list){0};
    }
    snag__buffer_free(answer_allocator, &scratch->records);
    snag__buffer_free(answer_allocator, &scratch->sorted);
    snag__buffer_free(answer_allocator, &scratch->answer);
    snag__spilled *spilled = &scratch->spilled;
    snag__buffer *buffers[] = {&spilled->runs, &spilled->heap, &spilled->merged, &spilled->block, &spilled->written};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(answer_allocator, buffers[i]);
}

void snag__scratch_free(const snag_allocator *allocator, const snag_allocator *answer_allocator, snag__scratch *scratch)
{
    snag__scratch_empty(answer_allocator, scratch);
    snag__buffer_free(answer_allocator, &scratch->inside);
    snag__buffer_free(allocator, &scratch->boxes);
    snag__buffer_free(allocator, &scratch->sides);
    snag__buffer_free(allocator, &scratch->first_element);
    snag__buffer_free(allocator, &scratch->bodies);
    snag__depth_free(allocator, &scratch->depth);
    snag__nearest_free(allocator, &scratch->nearest);
    snag__filter_free(allocator, &scratch->filter);
    snag__f32_vertices_free(allocator, &scratch->f32_vertices);
    snag__f32_paths_free(allocator, &scratch->f32_paths);
    snag__plan_free(allocator, scratch);
}
