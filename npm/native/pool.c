#include "base/pool.h"
struct snag__pool { uint32_t threads; };
snag__pool *snag__pool_create(const snag_allocator *a, uint32_t threads) { snag__pool *p = snag__allocate(a, 1, sizeof *p); if (p) p->threads = threads; return p; }
void snag__pool_destroy(const snag_allocator *a, snag__pool *p) { if (p) snag__release(a, p, 1, sizeof *p); }
void snag__pool_run(snag__pool *p, uint32_t count, void (*task)(void *, uint32_t), void *context) { (void)p; for (uint32_t i = 0; i < count; i++) task(context, i); }
void snag__pool_expect(snag__pool *p, bool more) { (void)p, (void)more; }
