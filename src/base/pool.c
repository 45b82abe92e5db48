// One job at a time. `turn` holds the job's number in its upper half and the next task in the lower; the thread that increments it
// takes that task. The job's fields are written only while `turn` is closed, so a successful increment proves that the fields read
// before belong to that job: had they been written since, `turn` would have changed.
#include "base/pool.h"

#include "base/assert.h"
#include "base/float_env.h"
#include "base/platform_threads.h"

#include <stdatomic.h>
#include <string.h>

// The next task of a pool without a job: more than any job has.
#define CLOSED UINT32_MAX

// Spins before a thread sleeps. Waking one takes some 50 microseconds. Where more work is expected a worker spins for a few hundred,
// which covers the serial parts of a step; else for some tens.
enum { SPINS_OF_WORKER = 2000, SPINS_WHEN_EXPECTING = 20000, SPINS_OF_CALLER = 5000 };

typedef struct worker {
    struct snag__pool *pool;
    snag__thread thread;
    snag__sleep_place place;  // under the lock
} worker;

struct snag__pool {
    _Alignas(SNAG__ALIGNMENT) _Atomic uint64_t turn;
    _Alignas(SNAG__ALIGNMENT) _Atomic uint32_t finished;  // tasks of the job
    // The job.
    _Alignas(SNAG__ALIGNMENT) _Atomic uint32_t count;
    void (*_Atomic task)(void *context, uint32_t index);
    void *_Atomic context;
    _Atomic snag__float_env float_env;  // of the caller

    _Atomic uint32_t sleeping;  // workers
    atomic_bool caller_sleeps, stops, busy, expecting;
    int caller_at;  // the caller's processor when it last woke workers
    snag__lock lock;
    snag__signal work, done;

    bool started;
    uint64_t process;  // in which the threads were started
    uint32_t wanted, worker_count;
    worker workers[];
};

static size_t bytes_of(uint32_t workers)
{
    return sizeof(snag__pool) + workers * sizeof(worker);
}

static bool offers_work(snag__pool *pool)
{
    uint64_t turn = atomic_load(&pool->turn);
    return (uint32_t)turn < atomic_load(&pool->count);
}

// Runs a task of the current job. False if none is left.
static bool run_task(snag__pool *pool)
{
    uint64_t turn = atomic_load(&pool->turn);
    for (;;) {
        uint32_t count = atomic_load(&pool->count);
        void (*task)(void *context, uint32_t index) = atomic_load(&pool->task);
        void *context = atomic_load(&pool->context);
        snag__float_env float_env = atomic_load(&pool->float_env);
        if ((uint32_t)turn >= count)
            return false;
        if (!atomic_compare_exchange_weak(&pool->turn, &turn, turn + 1))
            continue;
        snag__float_env_set(float_env);
        task(context, (uint32_t)turn);
        uint32_t finished = atomic_fetch_add(&pool->finished, 1) + 1;
        SNAG__ASSERT(finished <= count);
        if (finished == count && atomic_load(&pool->caller_sleeps)) {
            snag__lock_enter(&pool->lock);
            snag__signal_one(&pool->done);
            snag__lock_leave(&pool->lock);
        }
        return true;
    }
}

// The caller is about to wake the workers, under the lock.
static void before_wake(snag__pool *pool)
{
    pool->caller_at = snag__processor_now();
    for (uint32_t i = 0; i < pool->worker_count; i++)
        snag__sleep_avoid(&pool->workers[i].place, &pool->workers[i].thread, pool->caller_at);
}

static void sleep_until_work(worker *w)
{
    snag__pool *pool = w->pool;
    snag__lock_enter(&pool->lock);
    // Counted as sleeping before the last look: a job offered after that look wakes it.
    atomic_fetch_add(&pool->sleeping, 1);
    if (!offers_work(pool) && !atomic_load(&pool->stops))
        snag__sleep_begin(&w->place, pool->caller_at);
    while (!offers_work(pool) && !atomic_load(&pool->stops))
        snag__signal_wait(&pool->work, &pool->lock);
    snag__sleep_end(&w->place);
    atomic_fetch_sub(&pool->sleeping, 1);
    snag__lock_leave(&pool->lock);
}

static int spins_before_sleep(snag__pool *pool)
{
    return atomic_load_explicit(&pool->expecting, memory_order_relaxed) ? SPINS_WHEN_EXPECTING : SPINS_OF_WORKER;
}

static void work(void *context)
{
    worker *w = context;
    snag__pool *pool = w->pool;
    while (!atomic_load(&pool->stops)) {
        while (run_task(pool))
            continue;
        int spins = 0;
        while (spins < spins_before_sleep(pool) && !offers_work(pool) && !atomic_load(&pool->stops)) {
            snag__pause();
            spins++;
        }
        if (!offers_work(pool))
            sleep_until_work(w);
    }
}

// If a thread cannot be created, run with fewer.
static void start(snag__pool *pool)
{
    pool->started = true;
    pool->process = snag__process_id();
    while (pool->worker_count < pool->wanted) {
        worker *w = &pool->workers[pool->worker_count];
        *w = (worker){.pool = pool, .place.avoided = -1};
        if (!snag__thread_start(&w->thread, work, w))
            return;
        pool->worker_count++;
    }
}

// The state before the first job.
static void reset(snag__pool *pool)
{
    pool->started = false;
    pool->worker_count = 0;
    atomic_store(&pool->turn, CLOSED);
    atomic_store(&pool->sleeping, 0);
    atomic_store(&pool->caller_sleeps, false);
    atomic_store(&pool->busy, false);
    snag__lock_init(&pool->lock);
    snag__signal_init(&pool->work);
    snag__signal_init(&pool->done);
}

// After a fork the child has no workers, and a lock that one of them held stays locked for ever. So the child makes new locks; it
// does not destroy the old ones, since that would wait for their waiters.
static bool is_orphaned(const snag__pool *pool)
{
    return pool->started && pool->process != snag__process_id();
}

static void offer(snag__pool *pool, uint32_t count, void (*task)(void *context, uint32_t index), void *context)
{
    uint64_t job = (atomic_load(&pool->turn) >> 32) + 1;
    atomic_store(&pool->turn, job << 32 | CLOSED);
    atomic_store(&pool->finished, 0);
    atomic_store(&pool->task, task);
    atomic_store(&pool->context, context);
    atomic_store(&pool->float_env, snag__float_env_now());
    atomic_store(&pool->count, count);
    atomic_store(&pool->turn, (job + 1) << 32);
    if (atomic_load(&pool->sleeping) > 0) {
        snag__lock_enter(&pool->lock);
        before_wake(pool);
        snag__signal_all(&pool->work);
        snag__lock_leave(&pool->lock);
    }
}

static void wait_for_others(snag__pool *pool, uint32_t count)
{
    for (int spins = SPINS_OF_CALLER; spins > 0; spins--) {
        if (atomic_load(&pool->finished) == count)
            return;
        snag__pause();
    }
    snag__lock_enter(&pool->lock);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->finished) != count)
        snag__signal_wait(&pool->done, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    snag__lock_leave(&pool->lock);
}

void snag__pool_run(snag__pool *pool, uint32_t count, void (*task)(void *context, uint32_t index), void *context)
{
    SNAG__ASSERT(pool != NULL && task != NULL);
    if (count >= 2 && is_orphaned(pool))
        reset(pool);
    if (count < 2 || count == CLOSED || atomic_exchange(&pool->busy, true)) {
        for (uint32_t i = 0; i < count; i++)
            task(context, i);
        return;
    }
    if (!pool->started)
        start(pool);
    offer(pool, count, task, context);
    while (run_task(pool))
        continue;
    wait_for_others(pool, count);
    atomic_store(&pool->busy, false);
}

void snag__pool_expect(snag__pool *pool, bool more)
{
    if (pool != NULL)
        atomic_store_explicit(&pool->expecting, more, memory_order_relaxed);
}

snag__pool *snag__pool_create(const snag_allocator *allocator, uint32_t threads)
{
    uint32_t workers = threads > 1 ? threads - 1 : 0;
    snag__pool *pool = snag__allocate(allocator, 1, bytes_of(workers));
    if (pool == NULL)
        return NULL;
    memset(pool, 0, bytes_of(workers));
    pool->wanted = workers;
    reset(pool);
    return pool;
}

void snag__pool_destroy(const snag_allocator *allocator, snag__pool *pool)
{
    if (pool == NULL)
        return;
    if (is_orphaned(pool))
        reset(pool);
    SNAG__ASSERT(!atomic_load(&pool->busy) && "a pool is destroyed while it runs a job");
    snag__lock_enter(&pool->lock);
    atomic_store(&pool->stops, true);
    snag__signal_all(&pool->work);
    snag__lock_leave(&pool->lock);
    for (uint32_t i = 0; i < pool->worker_count; i++)
        snag__thread_join(&pool->workers[i].thread);
    snag__signal_destroy(&pool->done);
    snag__signal_destroy(&pool->work);
    snag__lock_destroy(&pool->lock);
    snag__release(allocator, pool, 1, bytes_of(pool->wanted));
}
