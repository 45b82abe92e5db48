// Where contacts go: to the owners of their elements, sorted over all ranks (a sample sort), or to rank 0.
#include "mpi_inside.h"

#include <stdlib.h>
#include <string.h>

int compare_sides(uint32_t body_a, const snag_mpi_element *a, uint32_t body_b, const snag_mpi_element *b)
{
    if (body_a != body_b)
        return body_a < body_b ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->other > b->other) - (a->other < b->other);
}

// What contacts and pairs have in common, in the same place.
typedef struct common {
    uint32_t body_a, body_b;
    snag_mpi_element a, b;
} common;

_Static_assert(offsetof(common, a) == offsetof(snag_mpi_contact, a) && offsetof(common, b) == offsetof(snag_mpi_contact, b),
               "same head");
_Static_assert(offsetof(common, a) == offsetof(snag_mpi_pair, a) && offsetof(common, b) == offsetof(snag_mpi_pair, b), "same head");

static int compare(const void *x, const void *y)
{
    const common *p = x, *q = y;
    int order = compare_sides(p->body_a, &p->a, q->body_a, &q->a);
    return order ? order : compare_sides(p->body_b, &p->b, q->body_b, &q->b);
}

// Contacts of the same two elements were found by one rank, in their order: a stable sort keeps it. Runs that are in order already, one for
// each source, are merged.
static void merge(char *from, char *to, size_t size, size_t first, size_t middle, size_t last)
{
    size_t a = first, b = middle;
    for (size_t k = first; k < last; k++) {
        bool left = a < middle && (b >= last || compare(from + size * a, from + size * b) <= 0);
        memcpy(to + size * k, from + size * (left ? a++ : b++), size);
    }
}

static bool sort(snag_mpi *m, char *records, size_t count, size_t size)
{
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = compare(records + size * (i - 1), records + size * i) <= 0;
    if (sorted)
        return true;
    char *spare = mpi_take(m, count, size), *from = records, *to = spare;
    if (spare == NULL)
        return false;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t first = 0; first < count; first += 2 * run) {
            size_t middle = first + run < count ? first + run : count, last = middle + run < count ? middle + run : count;
            merge(from, to, size, first, middle, last);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != records)
        memcpy(records, from, count * size);
    mpi_free(m, spare);
    return true;
}

enum { SAMPLES = 32 };  // of each rank

// The records with which the ranks after the first begin.
static snag_status find_splitters(snag_mpi *m, const char *records, size_t count, size_t size, common *splitters)
{
    const size_t n = (size_t)m->size * SAMPLES;
    common *all = mpi_take(m, n, sizeof *all), mine[SAMPLES];
    int *counts = mpi_take(m, (size_t)m->size, sizeof *counts), own = count < SAMPLES ? (int)count : SAMPLES;
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK) {
        memset(mine, 0, sizeof mine);
        for (int i = 0; i < own; i++)
            memcpy(&mine[i], records + size * (count * (size_t)i / (size_t)own), sizeof *mine);
        MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, m->comm);
        MPI_Allgather(mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, m->comm);
        size_t used = 0;
        for (int i = 0; i < m->size; i++)
            for (int k = 0; k < counts[i]; k++)
                all[used++] = all[(size_t)i * SAMPLES + (size_t)k];
        qsort(all, used, sizeof *all, compare);
        for (int i = 1; i < m->size; i++)
            splitters[i - 1] = used > 0 ? all[used * (size_t)i / (size_t)m->size] : (common){0};
    }
    mpi_free(m, all);
    mpi_free(m, counts);
    return status;
}

static void post_owners(snag_mpi *m, outbox *box, const char *record)
{
    const common *c = (const common *)record;
    mpi_post(m, box, c->a.rank, record);
    if (c->b.rank != c->a.rank)
        mpi_post(m, box, c->b.rank, record);
}

static snag_status address(snag_mpi *m, const snag_mpi_question_def *def, const char *records, size_t count, outbox *box)
{
    common *splitters = mpi_take(m, (size_t)m->size, sizeof *splitters);
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK && def->results == SNAG_MPI_SORTED)
        status = find_splitters(m, records, count, box->size, splitters);
    for (size_t i = 0, to = 0; i < count && status == SNAG_OK && m->status == SNAG_OK; i++) {
        const char *record = records + box->size * i;
        if (def->results == SNAG_MPI_AT_OWNERS) {
            post_owners(m, box, record);
            continue;
        }
        while (def->results == SNAG_MPI_SORTED && to + 1 < (size_t)m->size && compare(record, &splitters[to]) >= 0)
            to++;
        mpi_post(m, box, (int32_t)to, record);
    }
    mpi_free(m, splitters);
    return status;
}

snag_status results_route(snag_mpi *m, const snag_mpi_question_def *def)
{
    bool contacts = def->question.output == SNAG_OUTPUT_CONTACTS;
    size_t size = contacts ? sizeof *m->contacts : sizeof *m->pairs;
    size_t count = contacts ? m->contact_count : m->pair_count;
    char *records = contacts ? (char *)m->contacts : (char *)m->pairs;
    outbox box = {.size = size};
    arrivals got = {0};
    sort(m, records, count, size);
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK)
        status = address(m, def, records, count, &box);
    if (status == SNAG_OK)
        status = mpi_deliver(m, &box, &got);
    if (status == SNAG_OK) {
        sort(m, got.data, got.count, size);
        status = mpi_settle(m);
    }
    if (status != SNAG_OK) {
        mpi_arrivals_free(m, &got);
        mpi_free(m, box.records);
        mpi_free(m, box.to);
        return status;
    }
    mpi_free(m, records);
    mpi_free(m, got.first);
    if (contacts) {
        m->contacts = (snag_mpi_contact *)got.data;
        m->contact_count = m->contact_capacity = got.count;
    } else {
        m->pairs = (snag_mpi_pair *)got.data;
        m->pair_count = m->pair_capacity = got.count;
    }
    return SNAG_OK;
}
