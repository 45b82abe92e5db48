// A reader of JSON for tests, which shares nothing with the tool's writer: says whether a text is JSON, by the grammar
// of RFC 8259, and finds a value by a path such as "frames[2].contacts".
#ifndef SNAG_TEST_READ_JSON_H
#define SNAG_TEST_READ_JSON_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline const char *read_json_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static inline const char *read_json_value(const char *at);

// The byte after the closing quote, or NULL.
static inline const char *read_json_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            for (int i = 1; i <= 4; i++)
                if (!isxdigit((unsigned char)at[i]))
                    return NULL;
            at += 4;
        } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static inline const char *read_json_digits(const char *at)
{
    return isdigit((unsigned char)*at) ? at + strspn(at, "0123456789") : NULL;
}

static inline const char *read_json_number(const char *at)
{
    at += *at == '-';
    at = *at == '0' ? at + 1 : read_json_digits(at);
    if (at && *at == '.')
        at = read_json_digits(at + 1);
    if (at && (*at == 'e' || *at == 'E')) {
        at++;
        at = read_json_digits(at + (*at == '+' || *at == '-'));
    }
    return at;
}

static inline const char *read_json_list(const char *at, char close, bool keys)
{
    at = read_json_blank(at + 1);
    if (*at == close)
        return at + 1;
    for (;;) {
        if (keys) {
            at = read_json_string(at);
            at = at ? read_json_blank(at) : NULL;
            if (!at || *at != ':')
                return NULL;
            at = read_json_blank(at + 1);
        }
        at = read_json_value(at);
        at = at ? read_json_blank(at) : NULL;
        if (!at || (*at != ',' && *at != close))
            return NULL;
        if (*at == close)
            return at + 1;
        at = read_json_blank(at + 1);
    }
}

// The byte after the value that begins at `at`, or NULL if there is none.
static inline const char *read_json_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*at == '{')
        return read_json_list(at, '}', true);
    if (*at == '[')
        return read_json_list(at, ']', false);
    if (*at == '"')
        return read_json_string(at);
    for (int i = 0; i < 3; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return at + strlen(words[i]);
    return read_json_number(at);
}

// Whether the whole text is one JSON value.
static inline bool read_json_valid(const char *text)
{
    const char *end = read_json_value(read_json_blank(text));
    return end && *read_json_blank(end) == 0;
}

// The value of a key of `length` bytes in the object at `at`, or of item `item` in the array there (key NULL); else
// NULL. Keys must not hold escapes.
static inline const char *read_json_member(const char *at, const char *key, size_t length, size_t item)
{
    if (*at != (key ? '{' : '['))
        return NULL;
    char close = key ? '}' : ']';
    at = read_json_blank(at + 1);
    for (size_t i = 0; *at != close; i++) {
        bool found = !key && i == item;
        if (key) {
            found = strncmp(at + 1, key, length) == 0 && at[1 + length] == '"';
            at = read_json_blank(read_json_blank(read_json_string(at)) + 1);
        }
        if (found)
            return at;
        at = read_json_blank(read_json_value(at));
        if (*at == ',')
            at = read_json_blank(at + 1);
    }
    return NULL;
}

// Where the value of a path begins in a valid text, or NULL.
static inline const char *read_json_find(const char *text, const char *path)
{
    const char *at = text ? read_json_blank(text) : NULL;
    while (at && *path) {
        bool item = *path == '[';
        size_t length = item ? strcspn(path, "]") + 1 : strcspn(path, ".[");
        at = item ? read_json_member(at, NULL, 0, strtoul(path + 1, NULL, 10)) : read_json_member(at, path, length, 0);
        path += length;
        path += *path == '.';
    }
    return at;
}

// The number at a path; -999 if there is none.
static inline double read_json_at(const char *text, const char *path)
{
    const char *at = read_json_find(text, path);
    return at ? strtod(at, NULL) : -999;
}

// Whether the value at a path is this text.
static inline bool read_json_is(const char *text, const char *path, const char *expected)
{
    const char *at = read_json_find(text, path);
    return at && *at == '"' && strncmp(at + 1, expected, strlen(expected)) == 0 && at[1 + strlen(expected)] == '"';
}

// How many items the array at a path has.
static inline size_t read_json_count(const char *text, const char *path)
{
    const char *at = read_json_find(text, path);
    size_t count = 0;
    if (!at || *at != '[')
        return 0;
    at = read_json_blank(at + 1);
    while (*at != ']') {
        count++;
        at = read_json_blank(read_json_value(at));
        if (*at == ',')
            at = read_json_blank(at + 1);
    }
    return count;
}

#endif
