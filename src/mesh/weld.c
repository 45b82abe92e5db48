// Welding of vertices with equal coordinates by a hash table, in linear time; or by sorting if there are more collisions than chance
// allows, so that no input is quadratic.
// bench_mesh: 3 million vertices of a triangle soup take the table 0.1 to 0.2 s; sorting them all took 1.2 s.
#include "base/assert.h"
#include "base/float_env.h"
#include "mesh/mesh.h"

#include <string.h>

#define EMPTY UINT32_MAX
// A table two thirds full has runs of about 300 slots at most, even for a billion vertices.
#define MOST_PROBES 500

static uint64_t hash_of(const double xyz[3])
{
    uint64_t h = 0;
    for (int c = 0; c < 3; c++) {
        double x = xyz[c] + 0.0;  // -0 becomes 0, so that equal coordinates have equal bits
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h * 0xd6e8feb86659fd93u;
}

// Negative, zero or positive, by x, then y, then z.
static int compare(const double p[3], const double q[3])
{
    for (int c = 0; c < 3; c++)
        if (p[c] != q[c])
            return p[c] < q[c] ? -1 : 1;
    return 0;
}

// Returns false if there are too many collisions; some of vertex_of is then written.
static bool weld_by_table(snag_positions positions, uint32_t *slots, uint64_t slot_count, uint32_t *vertex_of)
{
    SNAG__ASSERT(slot_count > positions.count && positions.count < EMPTY);
    memset(slots, 0xff, (size_t)slot_count * sizeof *slots);
    for (uint32_t v = 0; v < (uint32_t)positions.count; v++) {
        double here[3], there[3];
        snag__positions_get(positions, v, here);
        uint64_t slot = ((hash_of(here) >> 32) * slot_count) >> 32;
        int probes = 0;
        for (; slots[slot] != EMPTY; slot = slot + 1 < slot_count ? slot + 1 : 0) {
            snag__positions_get(positions, slots[slot], there);
            if (compare(here, there) == 0)
                break;
            if (++probes == MOST_PROBES)
                return false;
        }
        if (slots[slot] == EMPTY)
            slots[slot] = v;
        vertex_of[v] = slots[slot];
    }
    return true;
}

static int compare_vertices(snag_positions positions, uint32_t a, uint32_t b)
{
    double p[3], q[3];
    snag__positions_get(positions, a, p);
    snag__positions_get(positions, b, q);
    return compare(p, q);
}

// Merges two neighbouring sorted runs of `items` through `room`. Stable.
static void merge(snag_positions positions, uint32_t *items, size_t middle, size_t count, uint32_t *room)
{
    memcpy(room, items, middle * sizeof *items);
    size_t a = 0, b = middle, to = 0;
    while (a < middle && b < count)
        items[to++] = compare_vertices(positions, items[b], room[a]) < 0 ? items[b++] : room[a++];
    memcpy(items + to, room + a, (middle - a) * sizeof *items);
}

// A stable merge sort brings equal vertices together, the lowest first.
static void weld_by_sorting(snag_positions positions, uint32_t *items, uint32_t *room, uint32_t *vertex_of)
{
    size_t count = positions.count;
    for (size_t i = 0; i < count; i++)
        items[i] = (uint32_t)i;
    for (size_t run = 1; run < count; run *= 2)
        for (size_t i = 0; i + run < count; i += 2 * run)
            merge(positions, items + i, run, count - i < 2 * run ? count - i : 2 * run, room);
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && compare_vertices(positions, items[i - 1], items[i]) == 0;
        vertex_of[items[i]] = same ? vertex_of[items[i - 1]] : items[i];
    }
}

static snag_status weld(snag_positions positions, const snag_allocator *allocator, uint32_t *vertex_of)
{
    snag__mesh_error error;
    snag_status status = snag__positions_check(positions, &snag__alone, &error);
    if (status != SNAG_OK || positions.count == 0)
        return status;
    if (vertex_of == NULL)
        return SNAG_ERROR_ARGUMENT;
    snag_allocator standard = snag__default_allocator();
    if (allocator == NULL || allocator->allocate == NULL)
        allocator = &standard;

    uint64_t slot_count = positions.count + (uint64_t)positions.count / 2 + 1;
    size_t word_count = 2 * positions.count + 1;  // sorting needs more than the table
    uint32_t *words = snag__allocate(allocator, word_count, sizeof *words);
    if (words == NULL)
        return SNAG_ERROR_MEMORY;
    if (!weld_by_table(positions, words, slot_count, vertex_of))
        weld_by_sorting(positions, words, words + positions.count, vertex_of);
    snag__release(allocator, words, word_count, sizeof *words);
    return SNAG_OK;
}

snag_status snag_mesh_weld(snag_positions positions, const snag_allocator *allocator, uint32_t *vertex_of)
{
    snag__float_env callers = snag__float_env_begin();
    snag_status status = weld(positions, allocator, vertex_of);
    snag__float_env_end(callers);
    return status;
}
