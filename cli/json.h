// A small JSON writer: handles commas and indentation, escapes text, and always writes valid JSON.
#ifndef SNAG_CLI_JSON_H
#define SNAG_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    unsigned depth;
    unsigned flat;  // nesting depth of objects or arrays on one line
    bool has_items;  // the innermost object or array is not empty
} json;

void json_begin(json *j, FILE *out);
// Ends the text with a newline.
void json_end(json *j);

// `key` is NULL inside an array and at the top level. A flat object or array is written on one line with all its contents.
void json_object(json *j, const char *key);
void json_flat_object(json *j, const char *key);
void json_close_object(json *j);
void json_array(json *j, const char *key);
void json_flat_array(json *j, const char *key);
void json_close_array(json *j);

// Text in UTF-8; characters that could mislead a terminal are escaped, a byte that is not UTF-8 becomes U+FFFD. NULL is null.
void json_text(json *j, const char *key, const char *value);
void json_bool(json *j, const char *key, bool value);
void json_count(json *j, const char *key, uint64_t value);
// The shortest digits that round-trip; NaN and infinities, which JSON lacks, become null.
void json_number(json *j, const char *key, double value);
// Three decimal places.
void json_ms(json *j, const char *key, double value);
void json_point(json *j, const char *key, const double point[3]);

#endif
