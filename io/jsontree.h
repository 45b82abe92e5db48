// JSON (RFC 8259) as a flat list of values, without recursion: a value is followed by its contents. Large objects have an
// index, so that a file cannot force repeated linear searches.
#ifndef SNAG_IO_JSONTREE_H
#define SNAG_IO_JSONTREE_H

#include "bounds.h"

typedef enum snag__json_kind {
    SNAG__JSON_NULL,
    SNAG__JSON_TRUE,
    SNAG__JSON_FALSE,
    SNAG__JSON_NUMBER,
    SNAG__JSON_STRING,
    SNAG__JSON_ARRAY,
    SNAG__JSON_OBJECT,
} snag__json_kind;

typedef struct snag__json_value {
    const char *at;  // of a string: after the quote; escapes are not resolved
    uint32_t length;  // of an indexed object: start of its members in the index
    uint32_t count;  // elements of an array, or members of an object (each a string and a value)
    uint32_t next;  // the value after this one and its contents
    snag__json_kind kind;
} snag__json_value;

typedef struct snag__json {
    snag__json_value *values;  // the first is the root
    uint32_t count, capacity;
    uint32_t *index;  // member names of each object, sorted by length, then text, then order
} snag__json;

#define SNAG__JSON_NONE UINT32_MAX

// Parses text that must outlive the tree. On failure the message is in source->error and names the line within `text`.
// Always free it, even on failure.
snag_status snag__json_parse(const snag__source *source, const char *text, size_t size, snag__json *json);
// The same, but modifies the text: resolves escapes in place and ends each string with a zero byte.
snag_status snag__json_parse_own(const snag__source *source, char *text, size_t size, snag__json *json);
void snag__json_free(snag__json *json);

// The value of a member; SNAG__JSON_NONE if `object` is none, not an object or has no such member.
uint32_t snag__json_member(const snag__json *json, uint32_t object, const char *name);
// The same, if the value is of this kind.
uint32_t snag__json_array(const snag__json *json, uint32_t object, const char *name);

// Iterates over an array: for (e = first; e != NONE; e = after(e)).
uint32_t snag__json_first(const snag__json *json, uint32_t array);
uint32_t snag__json_after(const snag__json *json, uint32_t array, uint32_t element);
uint32_t snag__json_size(const snag__json *json, uint32_t array);  // 0 for none

// Whether the value is a finite number, an integer from 0 to `most`, or this string.
bool snag__json_number(const snag__json *json, uint32_t value, double *number);
bool snag__json_count(const snag__json *json, uint32_t value, uint64_t most, uint64_t *count);
bool snag__json_is(const snag__json *json, uint32_t value, const char *text);
// Reads up to `count` numbers of an array; returns whether it has exactly that many.
bool snag__json_numbers(const snag__json *json, uint32_t array, double *numbers, uint32_t count);
// Copies a string with its escapes resolved; the caller frees it. *copy is NULL if the value is not a string. False: out of memory.
bool snag__json_copy(const snag__json *json, uint32_t value, char **copy);

#endif
