// What the Python package cannot do in Python: memory that stays while NumPy looks at it, and callbacks that see Ctrl-C.
// Plain C that links to no Python: the package hands over the few functions of the interpreter that are needed.
#include "snag/snag.h"
#include "snag/io.h"
#include "snag/lab.h"
#include "snag/sim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- layout --------------------------------------------------------------------------------------------------------

typedef struct struct_size {
    const char *name;
    size_t size;
} struct_size;

SNAG_API const struct_size snag_python_structs[] = {
#define STRUCT(name) {#name, sizeof(name)},
#include "structs.h"
#undef STRUCT
    {NULL, 0},
};

SNAG_API const char *snag_python_version(void)
{
    return SNAG_VERSION;
}

// ---- memory --------------------------------------------------------------------------------------------------------
//
// An allocator for one world. A block that is pinned stays when the world gives it back, until the last pin is gone: an array
// that looks at an old answer may then show something else, but never memory that is not there.

typedef struct block {
    struct block *previous, *next;
    void *whole;  // as malloc gave it
    size_t size;  // of what the world sees, right behind this header
    size_t pins;
    bool released;  // by the world
} block;

typedef struct holder {
    pthread_mutex_t lock;
    block *first;
    size_t blocks, bytes;
    bool closed;  // the world is gone: the last block ends it
} holder;

static unsigned char *begin_of(block *b)
{
    return (unsigned char *)(b + 1);
}

SNAG_API holder *snag_python_holder_create(void)
{
    holder *h = calloc(1, sizeof *h);
    if (h && pthread_mutex_init(&h->lock, NULL) != 0) {
        free(h);
        h = NULL;
    }
    return h;
}

static void end_if_done(holder *h)
{
    bool done = h->closed && h->first == NULL;
    pthread_mutex_unlock(&h->lock);
    if (done) {
        pthread_mutex_destroy(&h->lock);
        free(h);
    }
}

// Once the world is destroyed.
SNAG_API void snag_python_holder_close(holder *h)
{
    pthread_mutex_lock(&h->lock);
    h->closed = true;
    end_if_done(h);
}

static void unlink_block(holder *h, block *b)
{
    if (b->previous)
        b->previous->next = b->next;
    else
        h->first = b->next;
    if (b->next)
        b->next->previous = b->previous;
    h->blocks--;
    h->bytes -= b->size;
}

static void *allocate(void *context, size_t size, size_t alignment)
{
    holder *h = context;
    if (alignment < _Alignof(max_align_t))
        alignment = _Alignof(max_align_t);
    if (size > SIZE_MAX - alignment - sizeof(block))
        return NULL;
    unsigned char *whole = malloc(size + alignment + sizeof(block));
    if (!whole)
        return NULL;
    uintptr_t at = ((uintptr_t)whole + sizeof(block) + alignment - 1) / alignment * alignment;
    block *b = (block *)(whole + (at - (uintptr_t)whole)) - 1;
    *b = (block){.whole = whole, .size = size};
    pthread_mutex_lock(&h->lock);
    b->next = h->first;
    if (b->next)
        b->next->previous = b;
    h->first = b;
    h->blocks++;
    h->bytes += size;
    pthread_mutex_unlock(&h->lock);
    return begin_of(b);
}

static void release(void *context, void *memory, size_t size)
{
    holder *h = context;
    (void)size;
    if (!memory)
        return;
    block *b = (block *)memory - 1;
    pthread_mutex_lock(&h->lock);
    b->released = true;
    bool free_it = b->pins == 0;
    if (free_it)
        unlink_block(h, b);
    pthread_mutex_unlock(&h->lock);
    if (free_it)
        free(b->whole);
}

SNAG_API snag_allocator snag_python_allocator(holder *h)
{
    return (snag_allocator){allocate, release, h};
}

// Pins the block that holds the address and returns it; NULL if no block does.
SNAG_API block *snag_python_pin(holder *h, const void *address)
{
    uintptr_t at = (uintptr_t)address;
    pthread_mutex_lock(&h->lock);
    block *b = h->first;
    while (b && (at < (uintptr_t)begin_of(b) || at >= (uintptr_t)begin_of(b) + b->size))
        b = b->next;
    if (b)
        b->pins++;
    pthread_mutex_unlock(&h->lock);
    return b;
}

SNAG_API void snag_python_unpin(holder *h, block *b)
{
    pthread_mutex_lock(&h->lock);
    void *whole = NULL;
    if (--b->pins == 0 && b->released) {
        unlink_block(h, b);
        whole = b->whole;
    }
    end_if_done(h);
    free(whole);
}

SNAG_API void snag_python_held(holder *h, size_t *blocks, size_t *bytes)
{
    pthread_mutex_lock(&h->lock);
    *blocks = h->blocks;
    *bytes = h->bytes;
    pthread_mutex_unlock(&h->lock);
}

// ---- signals and progress ------------------------------------------------------------------------------------------
//
// Python runs its signal handlers only when the main thread runs Python. A callback written in Python would run them as its
// first act, where nobody can catch what they raise. So signals are looked at here.

typedef struct interpreter {
    int (*gil_ensure)(void);
    void (*gil_release)(int);
    int (*check_signals)(void);
    void (*fetch)(void **type, void **value, void **trace);
    void (*normalize)(void **type, void **value, void **trace);
} interpreter;

static interpreter python;

SNAG_API void snag_python_interpreter(const interpreter *functions)
{
    python = *functions;
}

typedef struct watch {
    void (*progress)(double done, int *go_on);  // the user's, or NULL. Leaves *go_on at 0 if it raises
    void (*filter)(uint32_t a, uint32_t b, int *keep);
    const uint8_t *table;  // filter as data: keep the pair (a, b) if the bit a * table_width + b is set
    uint32_t table_width;
    int stop;  // set by whoever wants the search to end
    void *type, *value, *trace;  // what a signal handler raised: the package takes these over
} watch;

static void look_at_signals(watch *w)
{
    if (!python.check_signals || w->value)
        return;
    int gil = python.gil_ensure();
    if (python.check_signals() < 0) {
        python.fetch(&w->type, &w->value, &w->trace);
        python.normalize(&w->type, &w->value, &w->trace);
        w->stop = 1;
    }
    python.gil_release(gil);
}

SNAG_API bool snag_python_progress(void *context, double done)
{
    watch *w = context;
    look_at_signals(w);
    if (!w->stop && w->progress) {
        int go_on = 0;
        w->progress(done, &go_on);
        if (!go_on)
            w->stop = 1;
    }
    return !w->stop;
}

SNAG_API bool snag_python_go_on(void *context)
{
    watch *w = context;
    look_at_signals(w);
    return !w->stop;
}

SNAG_API bool snag_python_filter(void *context, snag_body_id a, snag_body_id b)
{
    watch *w = context;
    if (w->table) {
        size_t bit = (size_t)a.index * w->table_width + b.index;
        return a.index < w->table_width && b.index < w->table_width && (w->table[bit / 8] >> bit % 8 & 1);
    }
    int keep = 0;
    if (!w->stop)
        w->filter(a.index, b.index, &keep);
    return keep != 0;
}
