// A small JSON reader: the whole text as a tree of values. Damaged text is refused with the line where it breaks.
#ifndef SNAG_CLI_JSON_READ_H
#define SNAG_CLI_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

typedef enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT } json_kind;

// Values point to each other by number in the document's list; 0, the whole, is nobody's child and so means none.
typedef struct json_value {
    json_kind kind;
    size_t key, text;  // offsets into the document's text, unescaped there; key 0: none
    double number;
    size_t first, last, next;  // children, and the next of its own kin
} json_value;

typedef struct json_document {
    char *text;
    json_value *values;
    size_t count, capacity;
} json_document;

// False: no memory, or not JSON; the message says why. The document is to be freed in any case.
bool json_read(const char *text, json_document *document, char message[128]);
// The same from a file.
bool json_read_file(const char *path, json_document *document, char message[128]);
void json_document_free(json_document *document);

// Members by name; 0 if there is none, or `object` is not one.
size_t json_member(const json_document *d, size_t object, const char *key);
size_t json_first(const json_document *d, size_t value);
size_t json_next(const json_document *d, size_t value);
// "" for what is not text; `otherwise` for what is not a number.
const char *json_text_of(const json_document *d, size_t value);
const char *json_key_of(const json_document *d, size_t value);
double json_number_of(const json_document *d, size_t value, double otherwise);

#endif
