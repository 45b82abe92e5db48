#include "query/order.h"

#include "query/kind.h"

#include <string.h>

// A bucket holds the words that agree in their first bits, a range several buckets. 4096 words (two copies: 64 kB) are sorted in the
// second-level cache.
enum { BUCKET_BITS = 7, BUCKETS = 1 << BUCKET_BITS, RANGES_MAX = 64, WORDS_OF_A_RANGE = 4096 };

_Static_assert(SNAG_CONTACT_KIND_COUNT <= 1 << (SNAG__TAG_BITS - SNAG__TAG_EXTRA_BITS), "a tag holds every kind");

// ---- the plan ----

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static const snag__order_span nothing = {UINT32_MAX, 0, UINT32_MAX, 0};

static snag__order_span joined(snag__order_span a, snag__order_span b)
{
    return (snag__order_span){lower(a.least_a, b.least_a), higher(a.most_a, b.most_a), lower(a.least_b, b.least_b),
                              higher(a.most_b, b.most_b)};
}

typedef struct measuring {
    const snag__record_list *lists;
    snag__order_span spans[SNAG__MAX_TASKS];
} measuring;

static void measure_list(void *context, uint32_t index)
{
    measuring *m = context;
    const snag__record_list *list = &m->lists[index];
    snag__order_span all = nothing;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t a = (uint32_t)(list->records[i].key >> 32), b = (uint32_t)list->records[i].key;
        all = joined(all, (snag__order_span){a, a, b, b});
    }
    m->spans[index] = all;
}

static snag__order_span measure(const snag__record_list *lists, const snag__parallel *parallel)
{
    measuring m = {.lists = lists};
    snag__parallel_for(parallel, SNAG__MAX_TASKS, measure_list, &m);
    snag__order_span all = nothing;
    for (int i = 0; i < SNAG__MAX_TASKS; i++)
        all = joined(all, m.spans[i]);
    return all;
}

static int bits_of(uint64_t largest)
{
    return largest > 0 ? 64 - __builtin_clzll(largest) : 0;
}

static snag__order plan_of(const snag__record_list *lists, size_t count, snag__order_tag tag, snag__order_span span)
{
    int shift_b = tag == SNAG__TAG_KIND ? SNAG__TAG_BITS : bits_of(count);
    int shift_a = shift_b + bits_of(span.most_b - span.least_b), high = shift_a + bits_of(span.most_a - span.least_a);
    return (snag__order){lists, count, tag, span.least_a, span.least_b, shift_a, shift_b, high};
}

bool snag__order_plan(snag__order *order, const snag__parallel *parallel, const snag__record_list *lists, size_t count,
                      snag__order_tag tag, snag__order_span span)
{
    *order = plan_of(lists, count, tag, span);
    if (order->high >= 64)
        *order = plan_of(lists, count, tag, measure(lists, parallel));
    return order->high < 64 && count <= UINT32_MAX;
}

// ---- ranges ----

typedef struct range {
    size_t first, count;  // of words
    bool equal;  // some keys are
} range;

typedef struct sorting {
    const snag__order *order;
    int shift;  // word >> shift is the bucket
    uint32_t counts[SNAG__MAX_TASKS][BUCKETS];
    uint8_t range_of[BUCKETS];
    range ranges[RANGES_MAX];
    size_t next[SNAG__MAX_TASKS][RANGES_MAX];  // where the next word of a list goes
    size_t first_index[SNAG__MAX_TASKS];  // of a list's first record among those of all lists
    uint64_t *words, *spare;
    snag__order_note *notes;  // NULL: none are wanted
    snag__order_take *take;
    void *context;
} sorting;

static uint64_t key_bits(const snag__order *order, uint64_t key)
{
    SNAG__ASSERT((uint32_t)(key >> 32) >= order->least_a && (uint32_t)key >= order->least_b);
    uint64_t a = (uint32_t)(key >> 32) - order->least_a, b = (uint32_t)key - order->least_b;
    SNAG__ASSERT(order->high == 0 || (a << order->shift_a | b << order->shift_b) >> (order->high - 1) <= 1);
    return a << order->shift_a | b << order->shift_b;
}

static void count_list(void *context, uint32_t index)
{
    sorting *s = context;
    const snag__order order = *s->order;
    const snag__record_list *list = &order.lists[index];
    memset(s->counts[index], 0, sizeof s->counts[index]);
    for (size_t i = 0; i < list->count; i++)
        s->counts[index][key_bits(&order, list->records[i].key) >> s->shift]++;
}

// Cuts the buckets into ranges with about the same number of words each.
static void cut_ranges(sorting *s, uint32_t range_count)
{
    size_t words = 0, all = s->order->count;
    uint32_t k = 0;
    SNAG__ASSERT(range_count > 0 && range_count <= RANGES_MAX);
    for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
        while (k + 1 < range_count && words >= all / range_count * (k + 1))
            k++;
        s->range_of[bucket] = (uint8_t)k;
        for (int i = 0; i < SNAG__MAX_TASKS; i++) {
            words += s->counts[i][bucket];
            s->ranges[k].count += s->counts[i][bucket];
            s->next[i][k] += s->counts[i][bucket];
        }
    }
    words = 0;
    for (k = 0; k < range_count; k++) {
        s->ranges[k].first = words;
        for (int i = 0; i < SNAG__MAX_TASKS; i++) {
            size_t count = s->next[i][k];
            s->next[i][k] = words;
            words += count;
        }
    }
    SNAG__ASSERT(words == all);
}

// Turns a list's records into words and deals them out to the ranges.
static void deal_list(void *context, uint32_t index)
{
    sorting *s = context;
    const snag__order order = *s->order;
    const snag__record_list *list = &order.lists[index];
    bool kinds = order.tag == SNAG__TAG_KIND;
    for (size_t i = 0; i < list->count; i++) {
        const snag__record *record = &list->records[i];
        uint64_t bits = key_bits(&order, record->key);
        uint64_t tag = kinds ? record->kind << SNAG__TAG_EXTRA_BITS | record->extra : s->first_index[index] + i;
        SNAG__ASSERT(tag >> order.shift_b == 0);
        s->words[s->next[index][s->range_of[bits >> s->shift]]++] = bits | tag;
    }
}

// The same with notes, which go to the ranges along with their words. Tags come later, since they are places in a range.
static void deal_noted_list(void *context, uint32_t index)
{
    sorting *s = context;
    const snag__order order = *s->order;
    const snag__record_list *list = &order.lists[index];
    for (size_t i = 0; i < list->count; i++) {
        const snag__record *record = &list->records[i];
        uint64_t bits = key_bits(&order, record->key);
        size_t to = s->next[index][s->range_of[bits >> s->shift]]++;
        s->words[to] = bits;
        s->notes[to] = (snag__order_note){snag__round_down(record->value), record->kind};
    }
}

// The bits in which the words differ: all words of a range have the first bits in common.
static uint64_t difference(const uint64_t *words, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 1; i < count; i++)
        bits |= words[i] ^ words[0];
    return bits;
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
    uint64_t *words = s->words + r->first;
    for (size_t i = 0; s->notes != NULL && i < r->count; i++) {
        words[i] |= i;
        // Notes are read in the order of the words, which is any: by then they are near.
        __builtin_prefetch(&s->notes[r->first + i]);
    }
    int low = s->order->shift_b, high = bits_of(difference(words, r->count) | (((uint64_t)1 << low) - 1));
    words = snag__sort_words(words, s->spare + r->first, r->count, low, high);
    r->equal = some_equal(words, r->count, s->order->shift_b);
    s->take(s->context, s->order, words, r->first, r->count);
}

size_t snag__order_room(size_t count)
{
    return 2 * count;
}

bool snag__order_run(const snag__order *order, const snag__parallel *parallel, uint64_t *memory, snag__order_note *notes,
                     snag__order_take *take, void *context)
{
    SNAG__ASSERT(notes == NULL || order->tag == SNAG__TAG_INDEX);
    sorting s = {
        .order = order,
        .shift = order->high > BUCKET_BITS ? order->high - BUCKET_BITS : 0,
        .notes = notes,
        .take = take,
        .context = context,
    };
    s.words = memory;
    s.spare = memory + order->count;
    for (int i = 1; i < SNAG__MAX_TASKS; i++)
        s.first_index[i] = s.first_index[i - 1] + order->lists[i - 1].count;
    SNAG__ASSERT(s.first_index[SNAG__MAX_TASKS - 1] + order->lists[SNAG__MAX_TASKS - 1].count == order->count);
    size_t wanted = order->count / WORDS_OF_A_RANGE + 1;
    uint32_t range_count = wanted < RANGES_MAX ? (uint32_t)wanted : RANGES_MAX;
    snag__parallel_for(parallel, SNAG__MAX_TASKS, count_list, &s);
    cut_ranges(&s, range_count);
    snag__parallel_for(parallel, SNAG__MAX_TASKS, notes != NULL ? deal_noted_list : deal_list, &s);
    snag__parallel_for(parallel, range_count, sort_range, &s);
    bool equal = false;
    for (uint32_t i = 0; i < range_count; i++)
        equal |= s.ranges[i].equal;
    return equal;
}
