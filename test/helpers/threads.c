#include "helpers/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct crew {
    atomic_uint next;
    uint32_t count;
    void (*task)(void *context, uint32_t index);
    void *context;
} crew;

static void *work(void *argument)
{
    crew *c = argument;
    for (;;) {
        uint32_t i = atomic_fetch_add(&c->next, 1);
        if (i >= c->count)
            return NULL;
        c->task(c->context, i);
    }
}

static void run(void *context, uint32_t count, void (*task)(void *task_context, uint32_t index), void *task_context)
{
    enum { THREADS_MAX = 16 };
    uint32_t threads = *(const uint32_t *)context;
    crew c = {.count = count, .task = task, .context = task_context};
    pthread_t ids[THREADS_MAX];
    if (threads > THREADS_MAX)
        abort();
    for (uint32_t i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, &c) != 0)
            abort();
    for (uint32_t i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

snag_tasks test_threads(const uint32_t *threads)
{
    return (snag_tasks){.run = run, .context = (void *)threads};
}
