// A small JSON writer: keeps track of commas and indentation, escapes text, and never writes what JSON cannot say.
#ifndef SNAG_CLI_JSON_H
#define SNAG_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    unsigned depth;
    unsigned flat;  // inside this many objects or arrays that stand on one line
    bool has_items;  // the innermost object or array is not empty
} json;

void json_begin(json *j, FILE *out);
// Ends the text with a newline.
void json_end(json *j);

// `key` is NULL inside an array and at the top. A flat object or array stands on one line with all that is in it.
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
// The shortest digits that read back as the same number; NaN and infinities, which JSON does not know, become null.
void json_number(json *j, const char *key, double value);
// Three digits after the point.
void json_ms(json *j, const char *key, double value);
void json_point(json *j, const char *key, const double point[3]);

#endif
