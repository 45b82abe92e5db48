// JSON (RFC 8259) as a flat list of values, without recursion: a value is followed by all that is inside it. Objects with many
// members have an index, so that a file cannot make its reader look through the same members again and again.
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
    const char *at;  // of a string: after the quote; its escapes still stand in it
    uint32_t length;  // of an object with an index: where in it its members begin
    uint32_t count;  // elements of an array, members of an object (each a string and a value)
    uint32_t next;  // the value after this one and all inside it
    snag__json_kind kind;
} snag__json_value;

typedef struct snag__json {
    snag__json_value *values;  // the first is the whole
    uint32_t count, capacity;
    uint32_t *index;  // names of members, of each object sorted by length and letters; then by their order
} snag__json;

#define SNAG__JSON_NONE UINT32_MAX

// Reads text that stays where it is as long as the tree is used. On failure the message is in source->error, naming the
// line within `text`. Free it in any case.
snag_status snag__json_parse(const snag__source *source, const char *text, size_t size, snag__json *json);
// The same of a text that is written to: escapes of strings are resolved in it, and each string ends with a zero byte.
snag_status snag__json_parse_own(const snag__source *source, char *text, size_t size, snag__json *json);
void snag__json_free(snag__json *json);

// The value of a member, or SNAG__JSON_NONE if `object` is none, is no object or has no such member.
uint32_t snag__json_member(const snag__json *json, uint32_t object, const char *name);
// The same if it is of a kind.
uint32_t snag__json_array(const snag__json *json, uint32_t object, const char *name);

// The elements of an array one after the other: for (e = first; e != NONE; e = after(e)).
uint32_t snag__json_first(const snag__json *json, uint32_t array);
uint32_t snag__json_after(const snag__json *json, uint32_t array, uint32_t element);
uint32_t snag__json_size(const snag__json *json, uint32_t array);  // 0 of none

// Whether the value is a number (finite), a whole number from 0 to `most`, or a string of these characters.
bool snag__json_number(const snag__json *json, uint32_t value, double *number);
bool snag__json_count(const snag__json *json, uint32_t value, uint64_t most, uint64_t *count);
bool snag__json_is(const snag__json *json, uint32_t value, const char *text);
// Up to `count` numbers of an array; whether it has just so many.
bool snag__json_numbers(const snag__json *json, uint32_t array, double *numbers, uint32_t count);
// A string with its escapes resolved, to be freed; *copy is NULL if the value is no string. False: no memory.
bool snag__json_copy(const snag__json *json, uint32_t value, char **copy);

#endif
