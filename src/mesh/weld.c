// Exact-coordinate welding: vertices fall into buckets by a hash of their coordinates, and each bucket is sorted.
// A plain hash table would be quadratic for coordinates chosen to collide; this is n log n for any.
#include "mesh/mesh.h"

#include "base/counting_sort.h"

#include <string.h>

// Sorted by insertion below this many: nearly all buckets are, a vertex of a triangle soup having about six copies.
#define SMALL_RUN 16

// -0 becomes 0, so that equal coordinates have equal bits.
static void canonical(snag_positions positions, size_t v, double xyz[3])
{
    snag__positions_get(positions, v, xyz);
    for (int c = 0; c < 3; c++)
        xyz[c] += 0.0;
}

static uint64_t hash_of(const double xyz[3])
{
    uint64_t bits[3];
    memcpy(bits, xyz, sizeof bits);
    uint64_t h = 0;
    for (int c = 0; c < 3; c++) {
        h = (h ^ bits[c]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h * 0xd6e8feb86659fd93u;
}

// Negative, zero or positive, by x, then y, then z.
static int compare(snag_positions positions, uint32_t a, uint32_t b)
{
    double p[3], q[3];
    snag__positions_get(positions, a, p);
    snag__positions_get(positions, b, q);
    for (int c = 0; c < 3; c++)
        if (p[c] != q[c])
            return p[c] < q[c] ? -1 : 1;
    return 0;
}

static void insertion_sort(snag_positions positions, uint32_t *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t item = items[i];
        size_t j = i;
        for (; j > 0 && compare(positions, items[j - 1], item) > 0; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

// Merges two neighbouring sorted runs of `items` through `room`. Stable.
static void merge(snag_positions positions, uint32_t *items, size_t middle, size_t count, uint32_t *room)
{
    memcpy(room, items, middle * sizeof *items);
    size_t a = 0, b = middle, to = 0;
    while (a < middle && b < count)
        items[to++] = compare(positions, items[b], room[a]) < 0 ? items[b++] : room[a++];
    memcpy(items + to, room + a, (middle - a) * sizeof *items);
}

// Stable merge sort from the bottom up.
static void sort_bucket(snag_positions positions, uint32_t *items, size_t count, uint32_t *room)
{
    for (size_t i = 0; i < count; i += SMALL_RUN)
        insertion_sort(positions, items + i, count - i < SMALL_RUN ? count - i : SMALL_RUN);
    for (size_t run = SMALL_RUN; run < count; run *= 2)
        for (size_t i = 0; i + run < count; i += 2 * run)
            merge(positions, items + i, run, count - i < 2 * run ? count - i : 2 * run, room);
}

// Items of equal coordinates stand together now, the lowest first.
static void name_lowest(snag_positions positions, const uint32_t *items, size_t count, uint32_t *vertex_of)
{
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && compare(positions, items[i - 1], items[i]) == 0;
        vertex_of[items[i]] = same ? vertex_of[items[i - 1]] : items[i];
    }
}

snag_status snag_mesh_weld(snag_positions positions, const snag_allocator *allocator, uint32_t *vertex_of)
{
    snag__mesh_error error;
    snag_status status = snag__positions_check(positions, &error);
    if (status != SNAG_OK || positions.count == 0)
        return status;
    if (vertex_of == NULL)
        return SNAG_ERROR_ARGUMENT;
    snag_allocator standard = snag__default_allocator();
    if (allocator == NULL || allocator->allocate == NULL)
        allocator = &standard;

    uint32_t count = (uint32_t)positions.count;
    uint32_t bucket_count = count / 4 + 1;
    uint64_t word_count = 2 * (uint64_t)count + bucket_count + 1;
    uint32_t *words = snag__allocate_words(allocator, word_count);
    if (words == NULL)
        return SNAG_ERROR_MEMORY;
    uint32_t *bucket = words, *items = words + count, *start = items + count;
    for (uint32_t v = 0; v < count; v++) {
        double xyz[3];
        canonical(positions, v, xyz);
        bucket[v] = (uint32_t)(((hash_of(xyz) >> 32) * bucket_count) >> 32);
    }
    snag__counting_sort(bucket, bucket_count, NULL, count, start, items);
    uint32_t *room = bucket;  // the buckets' numbers have served
    for (uint32_t b = 0; b < bucket_count; b++) {
        uint32_t *first = items + start[b];
        size_t size = start[b + 1] - start[b];
        sort_bucket(positions, first, size, room);
        name_lowest(positions, first, size, vertex_of);
    }
    snag__release_words(allocator, words, word_count);
    return SNAG_OK;
}
