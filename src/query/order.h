// Putting the records of all lists into the order of an answer, by many threads. Each record becomes one word: its key, less
// what all keys have in common, and below it a few bits that go with it. Words are dealt out to ranges, and each is sorted by itself.
#ifndef SNAG_QUERY_ORDER_H
#define SNAG_QUERY_ORDER_H

#include "query/method.h"

// What goes with a key.
typedef enum snag__order_tag {
    SNAG__TAG_KIND,  // the kind and the shared vertices of an intersection: SNAG__TAG_BITS of them
    SNAG__TAG_INDEX,  // the place of the record, counted through all lists
} snag__order_tag;

enum { SNAG__TAG_EXTRA_BITS = 2, SNAG__TAG_BITS = 4 + SNAG__TAG_EXTRA_BITS };

typedef struct snag__order {
    const snag__record_list *lists;  // SNAG__MAX_TASKS
    size_t count;  // of their records
    snag__order_tag tag;
    uint32_t least_a, least_b;  // upper and lower halves of keys are relative to these
    int shift_a, shift_b;  // where they begin in a word; the bits below shift_b are the tag
    int high;  // bits in use
} snag__order;

// The least and the largest halves of keys: no key has others.
typedef struct snag__order_span {
    uint32_t least_a, most_a, least_b, most_b;
} snag__order_span;

// Finds out how words of these records look. False if they would not fit into 63 bits.
bool snag__order_plan(snag__order *order, const snag__parallel *parallel, const snag__record_list *lists, size_t count,
                      snag__order_tag tag, snag__order_span span);

static inline uint64_t snag__order_key(const snag__order *order, uint64_t word)
{
    uint64_t mask_b = ((uint64_t)1 << (order->shift_a - order->shift_b)) - 1;
    return (order->least_a + (word >> order->shift_a)) << 32 | (uint32_t)(order->least_b + (word >> order->shift_b & mask_b));
}

// Takes words number first .. first + count - 1 of the order. Called for parts of it, at the same time.
typedef void snag__order_take(void *context, const snag__order *order, const uint64_t *words, size_t first, size_t count);

// How many words of memory it takes to put `count` records into order.
size_t snag__order_room(size_t count);

// Sorts the words and hands them on; those of equal keys in the order of the lists. Returns whether some keys are equal.
bool snag__order_run(const snag__order *order, const snag__parallel *parallel, uint64_t *memory, snag__order_take *take,
                     void *context);

#endif
