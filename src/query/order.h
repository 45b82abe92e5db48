// A parallel sort of the records of all tasks by key. Each record becomes one word of 64 bits: its key minus the least key, and a tag
// in the low bits. Words are dealt out to ranges of keys (a bucket sort), and each range is sorted by one task.
#ifndef SNAG_QUERY_ORDER_H
#define SNAG_QUERY_ORDER_H

#include "query/method.h"

// What the low bits of a word hold.
typedef enum snag__order_tag {
    SNAG__TAG_KIND,  // SNAG__TAG_BITS bits: kind and number of shared vertices of an intersection
    SNAG__TAG_INDEX,  // the index of the record, counted through all record lists
} snag__order_tag;

enum { SNAG__TAG_EXTRA_BITS = 2, SNAG__TAG_BITS = 4 + SNAG__TAG_EXTRA_BITS };

typedef struct snag__order {
    const snag__record_list *lists;  // SNAG__MAX_TASKS
    size_t count;  // of their records
    snag__order_tag tag;
    uint32_t least_a, least_b;  // subtracted from the upper and the lower halves of keys
    int shift_a, shift_b;  // positions of these in a word; the bits below shift_b are the tag
    int high;  // bits in use
} snag__order;

// Bounds on the upper (a) and the lower (b) halves of all keys.
typedef struct snag__order_span {
    uint32_t least_a, most_a, least_b, most_b;
} snag__order_span;

// Lays out the words. `span` bounds the keys; if it leaves too many bits, the keys are measured. False if they do not fit into a word.
bool snag__order_plan(snag__order *order, const snag__parallel *parallel, const snag__record_list *lists, size_t count,
                      snag__order_tag tag, snag__order_span span);

static inline uint64_t snag__order_key(const snag__order *order, uint64_t word)
{
    SNAG__ASSERT(order->shift_a >= order->shift_b && order->high >= order->shift_a);
    uint64_t mask_b = ((uint64_t)1 << (order->shift_a - order->shift_b)) - 1;
    return (order->least_a + (word >> order->shift_a)) << 32 | (uint32_t)(order->least_b + (word >> order->shift_b & mask_b));
}

// What a record says beside its key: its value, rounded down.
typedef struct snag__order_note {
    float value;
    uint32_t kind;
} snag__order_note;

// Receives the sorted words first .. first + count - 1. Called in parallel for different ranges.
typedef void snag__order_take(void *context, const snag__order *order, const uint64_t *words, size_t first, size_t count);

// Words of memory that snag__order_run needs for `count` records.
size_t snag__order_room(size_t count);

// Sorts the words and passes them to `take`; equal keys stay in the order of the lists. Returns whether some keys are equal. With `notes`,
// room for one of each record, tags of SNAG__TAG_INDEX are others: that of a word which `take` gets is the place of its note behind
// notes[first], where all of a range lie together.
bool snag__order_run(const snag__order *order, const snag__parallel *parallel, uint64_t *memory, snag__order_note *notes,
                     snag__order_take *take, void *context);

#endif
