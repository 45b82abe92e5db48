#include "query/sink.h"

#include "query/kind.h"

#include <stdio.h>
#include <string.h>

enum {
    BLOCK = 65536,  // contacts or pairs in a block, unless the sink says otherwise
    // A record in its list, which may be half empty; joined, sorted, and its words of the sort: see answer.c.
    BYTES_OF_A_RECORD = 2 * 24 + 2 * 24 + 2 * 8,
    READ_AT_ONCE = 1 << 16,  // bytes of a run, at least
};
static const size_t MEMORY = (size_t)256 << 20;

_Static_assert(sizeof(snag__record) == 24, "see BYTES_OF_A_RECORD");

static size_t memory_of(const snag__ask *ask)
{
    return ask->def->sink->memory > 0 ? ask->def->sink->memory : MEMORY;
}

// Whether contacts are written record by record, so that not all of them are needed at once.
static bool is_streamed(const snag__ask *ask)
{
    snag_question question = ask->def->question;
    bool whole = ask->kind->complete != NULL && ask->def->output == SNAG_OUTPUT_CONTACTS;
    return !whole && !ask->method->partial && question != SNAG_DISTANCE && question != SNAG_OVERLAPS;
}

bool snag__spills(const snag__ask *ask)
{
    return ask->def->sink != NULL && ask->def->sink->write != NULL && is_streamed(ask);
}

static snag_status fail(snag__ask *ask, const char *what)
{
    snprintf(ask->message, sizeof ask->message, "the sink could not %s its storage", what);
    return SNAG_ERROR_FILE;
}

static size_t count_records(const snag__ask *ask)
{
    size_t count = 0;
    for (int i = 0; i < SNAG__MAX_TASKS; i++)
        count += ask->scratch->lists[i].count;
    return count;
}

static snag_status write_run(snag__ask *ask)
{
    snag__spilled *spilled = &ask->scratch->spilled;
    size_t count = count_records(ask);
    if (!snag__buffer_reserve(ask->answer_allocator, &spilled->runs, ask->run_count, ask->run_count + 1u, sizeof(snag__record_run)))
        return SNAG_ERROR_MEMORY;
    const snag__record *records = snag__order_records(ask, &count);
    if (records == NULL)
        return SNAG_ERROR_MEMORY;
    if (!ask->def->sink->write(ask->def->sink->context, ask->spilled_bytes, records, count * sizeof *records))
        return fail(ask, "write");
    ((snag__record_run *)spilled->runs.data)[ask->run_count++] = (snag__record_run){.offset = ask->spilled_bytes, .left = count};
    ask->spilled_bytes += count * sizeof *records;
    for (int i = 0; i < SNAG__MAX_TASKS; i++)
        ask->scratch->lists[i].count = 0;
    return SNAG_OK;
}

snag_status snag__spill(snag__ask *ask)
{
    return count_records(ask) >= memory_of(ask) / BYTES_OF_A_RECORD + 1 ? write_run(ask) : SNAG_OK;
}

// ---- blocks ----

typedef struct blocks {
    snag__ask *ask;
    snag_answer *answer;
    size_t most;  // in a block
    bool contacts;
    snag__record *records;  // that wait for a full block
    size_t count;
    void *written;  // contacts or pairs
} blocks;

static bool hand_out(const snag__ask *ask, const snag_contact *contacts, const snag_pair *pairs, size_t count)
{
    return ask->def->sink->take(ask->def->sink->context, contacts, pairs, count);
}

// False if the sink says stop.
static bool flush(blocks *b, const snag__record *records, size_t count)
{
    if (count == 0)
        return true;
    snag__note_earliest(b->ask, records, count, b->answer);
    snag__write_records(b->ask, records, count, b->contacts ? b->written : NULL, b->contacts ? NULL : b->written);
    b->answer->count += count;
    return hand_out(b->ask, b->contacts ? b->written : NULL, b->contacts ? NULL : b->written, count);
}

static bool begin_blocks(snag__ask *ask, snag_answer *answer, blocks *b)
{
    size_t most = ask->def->sink->block > 0 ? ask->def->sink->block : BLOCK;
    *b = (blocks){.ask = ask, .answer = answer, .most = most, .contacts = ask->def->output == SNAG_OUTPUT_CONTACTS};
    snag__spilled *spilled = &ask->scratch->spilled;
    size_t size = b->contacts ? sizeof(snag_contact) : sizeof(snag_pair);
    const snag__room rooms[] = {
        {&spilled->block, &b->records, most, sizeof *b->records},
        {&spilled->written, &b->written, most, size},
    };
    return snag__rooms_reserve(ask->answer_allocator, rooms, sizeof rooms / sizeof *rooms);
}

// ---- merging runs ----

static bool comes_first(const snag__record *a, const snag__record *b)
{
    return a->key != b->key ? a->key < b->key : snag__record_is_before(a, b);
}

static bool is_same(const snag__record *a, const snag__record *b)
{
    return a->key == b->key && a->kind == b->kind && a->extra == b->extra;
}

typedef struct merging {
    snag__ask *ask;
    snag__record_run *runs;
    uint32_t *heap;  // runs that have records left, the one with the first record at the top
    uint32_t heap_count;
    snag__record *memory;  // `room` records for each run
    size_t room;
} merging;

static const snag__record *head(const merging *m, uint32_t run)
{
    return m->memory + run * m->room + m->runs[run].at;
}

// Reads the next records of a run whose memory is used up. False: reading failed.
static bool refill(merging *m, uint32_t index)
{
    snag__record_run *run = &m->runs[index];
    const snag_sink *sink = m->ask->def->sink;
    run->loaded = run->left < m->room ? run->left : m->room;
    run->at = 0;
    if (run->loaded == 0)
        return true;
    if (!sink->read(sink->context, run->offset, m->memory + index * m->room, run->loaded * sizeof(snag__record)))
        return false;
    run->offset += run->loaded * sizeof(snag__record);
    run->left -= run->loaded;
    return true;
}

static void sift_down(merging *m, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1, top = m->heap[at];
        if (child >= m->heap_count)
            return;
        if (child + 1 < m->heap_count && comes_first(head(m, m->heap[child + 1]), head(m, m->heap[child])))
            child++;
        if (!comes_first(head(m, m->heap[child]), head(m, top)))
            return;
        m->heap[at] = m->heap[child];
        m->heap[child] = top;
        at = child;
    }
}

static bool begin_merge(snag__ask *ask, merging *m)
{
    snag__spilled *spilled = &ask->scratch->spilled;
    uint32_t count = ask->run_count;
    size_t bytes = memory_of(ask) / count;
    *m = (merging){.ask = ask, .runs = spilled->runs.data};
    m->room = (bytes > READ_AT_ONCE ? bytes : READ_AT_ONCE) / sizeof(snag__record);
    const snag__room rooms[] = {
        {&spilled->heap, &m->heap, count, sizeof *m->heap},
        {&spilled->merged, &m->memory, m->room * count, sizeof *m->memory},
    };
    return snag__rooms_reserve(ask->answer_allocator, rooms, sizeof rooms / sizeof *rooms);
}

static snag_status merge(snag__ask *ask, blocks *b)
{
    merging m;
    if (!begin_merge(ask, &m))
        return SNAG_ERROR_MEMORY;
    for (uint32_t i = 0; i < ask->run_count; i++) {
        if (!refill(&m, i))
            return fail(ask, "read");
        if (m.runs[i].loaded > 0)
            m.heap[m.heap_count++] = i;
    }
    for (uint32_t i = m.heap_count; i-- > 0;)
        sift_down(&m, i);
    snag__record last = {.kind = UINT32_MAX};
    while (m.heap_count > 0) {
        uint32_t top = m.heap[0];
        const snag__record *record = head(&m, top);
        // The search may have found a pair twice, in different runs.
        if (!is_same(record, &last)) {
            last = b->records[b->count++] = *record;
            if (b->count == b->most) {
                if (!flush(b, b->records, b->count)) {
                    ask->stopped = true;
                    return SNAG_OK;
                }
                b->count = 0;
            }
        }
        if (++m.runs[top].at == m.runs[top].loaded && !refill(&m, top))
            return fail(ask, "read");
        if (m.runs[top].loaded == 0)
            m.heap[0] = m.heap[--m.heap_count];
        sift_down(&m, 0);
    }
    ask->stopped = !flush(b, b->records, b->count) || ask->stopped;
    return SNAG_OK;
}

// ---- finishing ----

// What is in memory anyway.
static snag_status hand_out_all(snag__ask *ask, snag_answer *answer, size_t count)
{
    snag_status status = snag__finish_in_memory(ask, answer, count);
    size_t most = ask->def->sink->block > 0 ? ask->def->sink->block : BLOCK;
    for (size_t i = 0; i < answer->count && status == SNAG_OK; i += most) {
        size_t now = answer->count - i < most ? answer->count - i : most;
        const snag_contact *contacts = answer->contacts != NULL ? answer->contacts + i : NULL;
        const snag_pair *pairs = answer->pairs != NULL ? answer->pairs + i : NULL;
        if (!hand_out(ask, contacts, pairs, now)) {
            ask->stopped = true;
            answer->count = i + now;
        }
    }
    answer->contacts = NULL;
    answer->pairs = NULL;
    return status;
}

snag_status snag__finish_to_sink(snag__ask *ask, snag_answer *answer, size_t count)
{
    blocks b;
    if (count == 0 && ask->run_count == 0)
        return SNAG_OK;
    if (!is_streamed(ask))
        return hand_out_all(ask, answer, count);
    if (!begin_blocks(ask, answer, &b))
        return SNAG_ERROR_MEMORY;
    if (ask->run_count > 0) {
        snag_status status = count > 0 ? write_run(ask) : SNAG_OK;
        return status == SNAG_OK ? merge(ask, &b) : status;
    }
    const snag__record *records = snag__order_records(ask, &count);
    if (records == NULL)
        return SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < count && !ask->stopped; i += b.most)
        ask->stopped = !flush(&b, records + i, count - i < b.most ? count - i : b.most);
    return SNAG_OK;
}
