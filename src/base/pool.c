// One job at a time, dealt out by a single number: `turn` holds the job in its upper half and the next task in the lower.
// Whoever raises it by one has that task. The job's fields are written while no task is on offer, so who raises a turn that
// offers one has read the fields of that job: had they been written since, the turn would be another.
#define _GNU_SOURCE
#include "base/pool.h"

#include "base/float_env.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// No task: more than any job has.
#define CLOSED UINT32_MAX

// How often a thread looks before it sleeps. To wake one takes some 50 microseconds; where more work is expected a worker looks
// for a few hundred, which is longer than what a step does by a single thread, else for some tens.
enum { LOOKS_OF_WORKER = 2000, LOOKS_WHEN_EXPECTING = 20000, LOOKS_OF_CALLER = 5000 };

// A worker, and while it sleeps what becomes of it when it wakes.
typedef struct worker {
    struct snag__pool *pool;
    pthread_t thread;
#ifdef CPU_COUNT
    cpu_set_t allowed;  // processors, if one is avoided
#endif
    int avoided;  // processor, or -1
} worker;

struct snag__pool {
    _Alignas(SNAG__ALIGNMENT) _Atomic uint64_t turn;
    _Alignas(SNAG__ALIGNMENT) _Atomic uint32_t finished;  // tasks of the job
    // The job.
    _Alignas(SNAG__ALIGNMENT) _Atomic uint32_t count;
    void (*_Atomic task)(void *context, uint32_t index);
    void *_Atomic context;
    _Atomic snag__float_env float_env;  // of who offers it: tasks are run under the same

    _Atomic uint32_t sleeping;  // workers
    atomic_bool caller_sleeps, stops, busy, expecting;
    int caller_at;  // processor from which workers were last woken
    pthread_mutex_t lock;
    pthread_cond_t work, done;

    bool started;
    pid_t process;  // in which the threads were started
    uint32_t wanted, worker_count;
    worker workers[];
};

static size_t bytes_of(uint32_t workers)
{
    return sizeof(snag__pool) + workers * sizeof(worker);
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool offers_work(snag__pool *pool)
{
    uint64_t turn = atomic_load(&pool->turn);
    return (uint32_t)turn < atomic_load(&pool->count);
}

// Runs a task of the present job. False: there is none left.
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
        if (atomic_fetch_add(&pool->finished, 1) + 1 == count && atomic_load(&pool->caller_sleeps)) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->lock);
        }
        return true;
    }
}

// ---- where a worker wakes up ----
// The system may wake a thread on the processor of the thread that called for it though others are idle: in a virtual machine a
// processor that has been idle for some milliseconds passes for one that is taken. There it waits for the next tick, up to 4 ms, which
// is half a step. So a worker sleeps with one processor forbidden, the caller's. All of this is done under the lock.

#ifdef CPU_COUNT
// Lets a worker, whose thread this is, run wherever it may but there.
static void avoid(worker *w, pthread_t thread, int processor)
{
    cpu_set_t others = w->allowed;
    if (processor < 0 || processor >= CPU_SETSIZE)
        return;
    CPU_CLR(processor, &others);
    if (CPU_COUNT(&others) > 0 && pthread_setaffinity_np(thread, sizeof others, &others) == 0)
        w->avoided = processor;
}

static void before_sleep(worker *w)
{
    if (pthread_getaffinity_np(pthread_self(), sizeof w->allowed, &w->allowed) == 0)
        avoid(w, pthread_self(), w->pool->caller_at);
}

// Whoever has changed where it may run meanwhile is obeyed.
static void after_sleep(worker *w)
{
    cpu_set_t now, left = w->allowed;
    if (w->avoided < 0)
        return;
    CPU_CLR(w->avoided, &left);
    if (pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0 && CPU_EQUAL(&now, &left))
        pthread_setaffinity_np(pthread_self(), sizeof w->allowed, &w->allowed);
    w->avoided = -1;
}

// The caller is about to wake them.
static void before_wake(snag__pool *pool)
{
    pool->caller_at = sched_getcpu();
    for (uint32_t i = 0; i < pool->worker_count; i++)
        if (pool->workers[i].avoided >= 0 && pool->workers[i].avoided != pool->caller_at)
            avoid(&pool->workers[i], pool->workers[i].thread, pool->caller_at);
}
#else
static void before_sleep(worker *w)
{
    (void)w;
}
static void after_sleep(worker *w)
{
    (void)w;
}
static void before_wake(snag__pool *pool)
{
    (void)pool;
}
#endif

static void sleep_until_work(worker *w)
{
    snag__pool *pool = w->pool;
    pthread_mutex_lock(&pool->lock);
    // Counted before it looks for the last time: a job that is offered later wakes it.
    atomic_fetch_add(&pool->sleeping, 1);
    if (!offers_work(pool) && !atomic_load(&pool->stops))
        before_sleep(w);
    while (!offers_work(pool) && !atomic_load(&pool->stops))
        pthread_cond_wait(&pool->work, &pool->lock);
    after_sleep(w);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->lock);
}

static int looks_before_sleep(snag__pool *pool)
{
    return atomic_load_explicit(&pool->expecting, memory_order_relaxed) ? LOOKS_WHEN_EXPECTING : LOOKS_OF_WORKER;
}

static void *work(void *context)
{
    worker *w = context;
    snag__pool *pool = w->pool;
    while (!atomic_load(&pool->stops)) {
        while (run_task(pool))
            continue;
        int looks = 0;
        while (looks < looks_before_sleep(pool) && !offers_work(pool) && !atomic_load(&pool->stops)) {
            pause_briefly();
            looks++;
        }
        if (!offers_work(pool))
            sleep_until_work(w);
    }
    return NULL;
}

// If a thread cannot be created, run with fewer.
static void start(snag__pool *pool)
{
    pool->started = true;
    pool->process = getpid();
    while (pool->worker_count < pool->wanted) {
        worker *w = &pool->workers[pool->worker_count];
        *w = (worker){.pool = pool, .avoided = -1};
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            return;
        pool->worker_count++;
    }
}

// Locks, and what workers and caller know of each other, as before the first job.
static void reset(snag__pool *pool)
{
    pool->started = false;
    pool->worker_count = 0;
    atomic_store(&pool->turn, CLOSED);
    atomic_store(&pool->sleeping, 0);
    atomic_store(&pool->caller_sleeps, false);
    atomic_store(&pool->busy, false);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
}

// After a fork the threads are those of the parent: in this process there are none, and a lock that one of them held is never
// given back. Locks are made anew; they are not destroyed first, since that waits for whoever waits on them.
static bool is_orphaned(const snag__pool *pool)
{
    return pool->started && pool->process != getpid();
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
        pthread_mutex_lock(&pool->lock);
        before_wake(pool);
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
    }
}

static void wait_for_others(snag__pool *pool, uint32_t count)
{
    for (int looks = LOOKS_OF_CALLER; looks > 0; looks--) {
        if (atomic_load(&pool->finished) == count)
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->finished) != count)
        pthread_cond_wait(&pool->done, &pool->lock);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
}

void snag__pool_run(snag__pool *pool, uint32_t count, void (*task)(void *context, uint32_t index), void *context)
{
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
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stops, true);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->worker_count; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    snag__release(allocator, pool, 1, bytes_of(pool->wanted));
}
