// Ranks agree on a status, exchange records, and take memory.
#define _POSIX_C_SOURCE 200809L
#include "mpi_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- memory ----

typedef struct header {
    _Alignas(16) size_t bytes;
} header;

void *mpi_take(snag_mpi *m, size_t count, size_t size)
{
    size_t bytes;
    header *head = NULL;
    if (!__builtin_mul_overflow(count > 0 ? count : 1, size, &bytes) && bytes < SIZE_MAX - sizeof *head)
        head = m->allocator.allocate(m->allocator.context, bytes + sizeof *head, _Alignof(header));
    if (head == NULL) {
        mpi_fail(m, SNAG_ERROR_MEMORY, "the allocator has no more memory");
        return NULL;
    }
    head->bytes = bytes + sizeof *head;
    memset(head + 1, 0, bytes);
    return head + 1;
}

void mpi_free(snag_mpi *m, void *memory)
{
    if (memory == NULL)
        return;
    header *head = (header *)memory - 1;
    m->allocator.release(m->allocator.context, head, head->bytes);
}

bool mpi_grow(snag_mpi *m, void *array, size_t *capacity, size_t count, size_t size)
{
    void **data = array;
    if (count <= *capacity && *data != NULL)
        return true;
    size_t room = count + count / 2 + 16;
    void *larger = mpi_take(m, room, size);
    if (larger == NULL)
        return false;
    if (*data != NULL)
        memcpy(larger, *data, *capacity * size);
    mpi_free(m, *data);
    *data = larger;
    *capacity = room;
    return true;
}

// ---- agreement ----

snag_status mpi_fail(snag_mpi *m, snag_status status, const char *format, ...)
{
    if (m->status != SNAG_OK)
        return m->status;
    va_list list;
    va_start(list, format);
    int used = m->size > 1 ? snprintf(m->message, sizeof m->message, "rank %d: ", m->rank) : 0;
    vsnprintf(m->message + used, sizeof m->message - (size_t)used, format, list);
    va_end(list);
    return m->status = status;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Waits for a collective operation, but not forever: a rank may never come.
static bool wait_for(snag_mpi *m, MPI_Request *request)
{
    double until = seconds_now() + m->def.wait_seconds;
    for (int done = 0, rounds = 0;; rounds++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return true;
        if (rounds < 1000)
            continue;
        if (seconds_now() > until)
            return false;
        // More ranks than processors: let the others run.
        nanosleep(&(struct timespec){0, rounds < 20000 ? 20000 : 500000}, NULL);
    }
}

static snag_status give_up(snag_mpi *m, const char *call)
{
    m->broken = true;
    snprintf(m->message, sizeof m->message,
             "%s: the other ranks did not make this call within %g seconds; only snag_mpi_destroy is possible now", call,
             m->def.wait_seconds);
    return m->status = SNAG_ERROR_MISMATCH;
}

// The lowest rank that has failed tells the others why.
static snag_status tell(snag_mpi *m, int failed)
{
    int status = m->status;
    MPI_Bcast(&status, 1, MPI_INT, failed, m->comm);
    MPI_Bcast(m->message, sizeof m->message, MPI_CHAR, failed, m->comm);
    m->status = SNAG_OK;
    return (snag_status)status;
}

snag_status mpi_settle(snag_mpi *m)
{
    int failed = m->status != SNAG_OK ? m->rank : m->size, lowest = failed;
    MPI_Request request;
    MPI_Iallreduce(&failed, &lowest, 1, MPI_INT, MPI_MIN, m->comm, &request);
    if (!wait_for(m, &request))
        return give_up(m, "snag_mpi");
    return lowest < m->size ? tell(m, lowest) : SNAG_OK;
}

snag_status mpi_begin(snag_mpi *m, const char *call, uint64_t what, const char *disagree)
{
    if (m->broken)
        return SNAG_ERROR_MISMATCH;
    uint64_t name = mpi_hash(0, call, strlen(call));
    // Lowest and highest of: the call, what must agree, and the rank that failed.
    uint64_t mine[5] = {name, ~name, what, ~what, m->status != SNAG_OK ? (uint64_t)m->rank : (uint64_t)m->size}, all[5];
    MPI_Request request;
    MPI_Iallreduce(mine, all, 5, MPI_UINT64_T, MPI_MIN, m->comm, &request);
    if (!wait_for(m, &request))
        return give_up(m, call);
    if (all[0] != ~all[1]) {
        snprintf(m->message, sizeof m->message, "ranks disagree: this one calls %s, another one does not", call);
        m->status = SNAG_OK;
        return SNAG_ERROR_MISMATCH;
    }
    if (all[4] < (uint64_t)m->size)
        return tell(m, (int)all[4]);
    if (all[2] != ~all[3]) {
        snprintf(m->message, sizeof m->message, "%s: ranks disagree: %s", call, disagree);
        return SNAG_ERROR_MISMATCH;
    }
    return SNAG_OK;
}

uint64_t mpi_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    hash ^= 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ from[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

void mpi_sum(snag_mpi *m, uint64_t *values, int count)
{
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, m->comm);
}

double mpi_most(snag_mpi *m, double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, m->comm);
    return value;
}

// ---- exchange ----

void mpi_arrivals_free(snag_mpi *m, arrivals *got)
{
    mpi_free(m, got->data);
    mpi_free(m, got->first);
    *got = (arrivals){0};
}

typedef struct plan {
    int *counts;  // to, to_first, from, from_first: `size` entries each
    size_t *place;  // size + 1
    char *packed;
    uint64_t *totals;
} plan;

static void plan_free(snag_mpi *m, plan *p)
{
    mpi_free(m, p->counts);
    mpi_free(m, p->place);
    mpi_free(m, p->packed);
    mpi_free(m, p->totals);
}

// Counts must fit into an int: MPI's interface.
static bool fits(snag_mpi *m, const uint64_t *counts, int *to, int *first)
{
    uint64_t sum = 0;
    for (int i = 0; i < m->size; i++) {
        if (sum + counts[i] > INT32_MAX) {
            mpi_fail(m, SNAG_ERROR_SIZE, "%llu records are too many for one exchange; use more ranks",
                     (unsigned long long)(sum + counts[i]));
            return false;
        }
        to[i] = (int)counts[i];
        first[i] = (int)sum;
        sum += counts[i];
    }
    return true;
}

static void pack(snag_mpi *m, plan *p, const void *records, const int32_t *to, size_t count, size_t size)
{
    for (int i = 0; i < m->size; i++)
        p->place[i + 1] = p->place[i] + p->totals[i];
    for (size_t i = 0; i < count; i++)
        memcpy(p->packed + size * p->place[to[i]]++, (const char *)records + size * i, size);
}

snag_status mpi_exchange(snag_mpi *m, const void *records, const int32_t *to, size_t count, size_t size, arrivals *got)
{
    const size_t n = (size_t)m->size;
    *got = (arrivals){0};
    plan p = {mpi_take(m, 4 * n, sizeof(int)), mpi_take(m, n + 1, sizeof(size_t)), mpi_take(m, count, size),
              mpi_take(m, 2 * n, sizeof(uint64_t))};
    got->first = mpi_take(m, n + 1, sizeof(size_t));
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK) {
        uint64_t *from = p.totals + n;
        for (size_t i = 0; i < count; i++)
            p.totals[to[i]]++;
        MPI_Alltoall(p.totals, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, m->comm);
        bool ok = fits(m, p.totals, p.counts, p.counts + n) && fits(m, from, p.counts + 2 * n, p.counts + 3 * n);
        for (size_t i = 0; i < n; i++)
            got->first[i + 1] = got->first[i] + from[i];
        got->count = got->first[n];
        got->data = ok ? mpi_take(m, got->count, size) : NULL;
        status = mpi_settle(m);
    }
    if (status == SNAG_OK) {
        pack(m, &p, records, to, count, size);
        MPI_Datatype record;
        MPI_Type_contiguous((int)size, MPI_BYTE, &record);
        MPI_Type_commit(&record);
        MPI_Alltoallv(p.packed, p.counts, p.counts + n, record, got->data, p.counts + 2 * n, p.counts + 3 * n, record, m->comm);
        MPI_Type_free(&record);
        m->bytes += (count - p.totals[m->rank]) * size;
    }
    plan_free(m, &p);
    if (status != SNAG_OK)
        mpi_arrivals_free(m, got);
    return status;
}

bool mpi_post(snag_mpi *m, outbox *box, int32_t to, const void *record)
{
    if (!mpi_grow(m, &box->records, &box->capacity, box->count + 1, box->size) ||
        !mpi_grow(m, &box->to, &box->to_capacity, box->count + 1, sizeof *box->to))
        return false;
    memcpy((char *)box->records + box->size * box->count, record, box->size);
    box->to[box->count++] = to;
    return true;
}

snag_status mpi_deliver(snag_mpi *m, outbox *box, arrivals *got)
{
    snag_status status = mpi_exchange(m, box->records, box->to, box->count, box->size, got);
    mpi_free(m, box->records);
    mpi_free(m, box->to);
    *box = (outbox){.size = box->size};
    return status;
}
