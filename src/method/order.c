#include "method/order.h"

#include <string.h>

// Ranges are made of buckets: words that agree in their first bits.
enum { BUCKET_BITS = 7, BUCKETS = 1 << BUCKET_BITS, RANGES_MAX = 64 };

_Static_assert(SNAG_CONTACT_KIND_COUNT <= 1 << (SNAG__TAG_BITS - SNAG__TAG_EXTRA_BITS), "a tag holds every kind");

// ---- the plan ----

// The least and the largest halves of keys.
typedef struct extent {
    uint32_t least_a, most_a, least_b, most_b;
} extent;

static const extent nothing = {UINT32_MAX, 0, UINT32_MAX, 0};

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static extent joined(extent a, extent b)
{
    return (extent){lower(a.least_a, b.least_a), higher(a.most_a, b.most_a), lower(a.least_b, b.least_b),
                    higher(a.most_b, b.most_b)};
}

typedef struct measuring {
    const snag__list *lists;
    extent extents[SNAG__LISTS];
} measuring;

static void measure_list(void *context, uint32_t index)
{
    measuring *m = context;
    const snag__list *list = &m->lists[index];
    extent all = nothing;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t a = (uint32_t)(list->records[i].key >> 32), b = (uint32_t)list->records[i].key;
        all = joined(all, (extent){a, a, b, b});
    }
    m->extents[index] = all;
}

static int bits_of(uint64_t largest)
{
    return largest > 0 ? 64 - __builtin_clzll(largest) : 0;
}

bool snag__order_plan(snag__order *order, const snag__parallel *parallel, const snag__list *lists, size_t count,
                      snag__order_tag tag)
{
    measuring m = {.lists = lists};
    snag__parallel_for(parallel, SNAG__LISTS, measure_list, &m);
    extent all = nothing;
    for (int i = 0; i < SNAG__LISTS; i++)
        all = joined(all, m.extents[i]);
    int shift_b = tag == SNAG__TAG_KIND ? SNAG__TAG_BITS : bits_of(count);
    int shift_a = shift_b + bits_of(all.most_b - all.least_b), high = shift_a + bits_of(all.most_a - all.least_a);
    *order = (snag__order){lists, count, tag, all.least_a, all.least_b, shift_a, shift_b, high};
    return high < 64 && count <= UINT32_MAX;
}

// ---- ranges ----

typedef struct range {
    uint64_t first_bucket, last_bucket;  // not including the last
    size_t first, count;                 // of words
    bool equal;                          // some keys are
} range;

typedef struct sorting {
    const snag__order *order;
    int shift;  // what is left of a word is its bucket
    uint32_t counts[SNAG__LISTS][BUCKETS];
    size_t first_place[SNAG__LISTS];
    range ranges[RANGES_MAX];
    uint64_t *words, *spare;
    snag__order_take *take;
    void *context;
} sorting;

static uint64_t key_bits(const snag__order *order, uint64_t key)
{
    uint64_t a = (uint32_t)(key >> 32) - order->least_a, b = (uint32_t)key - order->least_b;
    return a << order->shift_a | b << order->shift_b;
}

static void count_list(void *context, uint32_t index)
{
    sorting *s = context;
    const snag__list *list = &s->order->lists[index];
    memset(s->counts[index], 0, sizeof s->counts[index]);
    for (size_t i = 0; i < list->count; i++)
        s->counts[index][key_bits(s->order, list->records[i].key) >> s->shift]++;
}

// Cuts the buckets into ranges with about the same number of words each.
static void cut_ranges(sorting *s, uint32_t range_count)
{
    uint64_t bucket = 0;
    size_t place = 0;
    for (uint32_t k = 0; k < range_count; k++) {
        range *r = &s->ranges[k];
        *r = (range){.first_bucket = bucket, .first = place};
        for (size_t end = s->order->count / range_count * (k + 1);
             bucket < BUCKETS && (place < end || k + 1 == range_count); bucket++)
            for (int i = 0; i < SNAG__LISTS; i++)
                place += s->counts[i][bucket];
        r->last_bucket = bucket;
        r->count = place - r->first;
    }
}

// The words of a range, in the order of the lists; there is room for one more.
static void collect(const sorting *s, const range *r, uint64_t *words)
{
    const snag__order *order = s->order;
    uint64_t low = r->first_bucket << s->shift, width = (r->last_bucket - r->first_bucket) << s->shift;
    bool kinds = order->tag == SNAG__TAG_KIND;
    size_t n = 0;
    for (int k = 0; k < SNAG__LISTS; k++)
        for (size_t i = 0; i < order->lists[k].count; i++) {
            const snag__record *record = &order->lists[k].records[i];
            uint64_t bits = key_bits(order, record->key);
            uint64_t tag = kinds ? record->kind << SNAG__TAG_EXTRA_BITS | record->extra : s->first_place[k] + i;
            words[n] = bits | tag;
            n += bits - low < width;
        }
}

static bool some_equal(const uint64_t *words, size_t count, int shift)
{
    bool equal = false;
    for (size_t i = 1; i < count; i++)
        equal |= words[i - 1] >> shift == words[i] >> shift;
    return equal;
}

static void sort_range(void *context, uint32_t index)
{
    sorting *s = context;
    range *r = &s->ranges[index];
    // Each range has room for one word more: that of the last record, which need not be in it.
    uint64_t *words = s->words + r->first + index;
    collect(s, r, words);
    words = snag__sort_words(words, s->spare + r->first + index, r->count, s->order->shift_b, s->order->high);
    r->equal = some_equal(words, r->count, s->order->shift_b);
    s->take(s->context, s->order, words, r->first, r->count);
}

size_t snag__order_room(size_t count)
{
    return 2 * (count + RANGES_MAX);
}

bool snag__order_run(const snag__order *order, const snag__parallel *parallel, uint64_t *memory, snag__order_take *take,
                     void *context)
{
    sorting s = {
        .order = order,
        .shift = order->high > BUCKET_BITS ? order->high - BUCKET_BITS : 0,
        .take = take,
        .context = context,
    };
    s.words = memory;
    s.spare = memory + snag__order_room(order->count) / 2;
    for (int i = 1; i < SNAG__LISTS; i++)
        s.first_place[i] = s.first_place[i - 1] + order->lists[i - 1].count;
    uint32_t range_count = parallel->threads < RANGES_MAX ? parallel->threads : RANGES_MAX;
    if (range_count > 1) {
        snag__parallel_for(parallel, SNAG__LISTS, count_list, &s);
        cut_ranges(&s, range_count);
    } else {
        range_count = 1;
        s.ranges[0] = (range){.last_bucket = BUCKETS, .count = order->count};
    }
    snag__parallel_for(parallel, range_count, sort_range, &s);
    bool equal = false;
    for (uint32_t i = 0; i < range_count; i++)
        equal |= s.ranges[i].equal;
    return equal;
}
