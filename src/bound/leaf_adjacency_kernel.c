// Wide kernels of adjacency tables.h.
#include "base/simd.h"
#include "bound/leaf_adjacency.h"

typedef uint16_t rows __attribute__((vector_size(sizeof(snag__leaf_table))));

static inline rows load_rows(const snag__leaf_table *from)
{
    rows x;
    memcpy(&x, from, sizeof x);
    return x;
}

static void note(snag__leaf_adjacency *adjacency, uint32_t leaf, const snag__leaf_table proven[3])
{
    // The first table is that of the leaf with itself.
    static const snag__leaf_table itself = {
        {0x1, 0x3, 0x7, 0xf, 0x1f, 0x3f, 0x7f, 0xff, 0x1ff, 0x3ff, 0x7ff, 0xfff, 0x1fff, 0x3fff, 0x7fff, 0xffff}};
    rows at[3] = {load_rows(&proven[0]), load_rows(&proven[1]), load_rows(&proven[2])}, seen = load_rows(&itself);
    for (uint32_t adjacent = adjacency->start[leaf], end = adjacency->start[leaf + 1]; adjacent < end; adjacent++) {
        const snag__leaf_table *corner = adjacency->corner[adjacent];
        rows apart = (load_rows(&corner[0]) & at[0]) | (load_rows(&corner[1]) & at[1]) | (load_rows(&corner[2]) & at[2]) | seen;
        memcpy(&adjacency->apart[adjacent], &apart, sizeof apart);
        seen ^= seen;
    }
}

const snag__leaf_adjacency_kernels SNAG__KERNEL(snag__leaf_adjacency_kernels) = {.note = note};
