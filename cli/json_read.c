#define _POSIX_C_SOURCE 200809L
#include "json_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

// Deeper than any of our files, so that damaged ones end.
#define MOST_DEPTH 64

typedef struct reader {
    json_document *document;
    char *at;
    size_t open[MOST_DEPTH];  // the arrays and objects around
    size_t depth;
    const char *problem;
} reader;

static bool fail(reader *r, const char *problem)
{
    if (!r->problem)
        r->problem = problem;
    return false;
}

static void skip_blank(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

// ---- text ----------------------------------------------------------------------------------------------------------

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

// Four hexadecimal digits; halves of pairs stand for themselves, which our files never hold.
static bool read_code(reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int c = (unsigned char)*r->at;
        if (!isxdigit(c))
            return fail(r, "a character is not four hexadecimal digits");
        *code = *code * 16 + (uint32_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
        r->at++;
    }
    // A text ends at 0: it is kept as the sign for what cannot be shown.
    *code = *code == 0 ? 0xfffd : *code;
    return true;
}

// Unescapes in place, which never makes a text longer. The offset of the text is given back.
static bool read_text(reader *r, size_t *offset)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char *out = ++r->at;
    *offset = (size_t)(out - r->document->text);
    while (*r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return fail(r, "a text does not end");
        if (*r->at != '\\') {
            *out++ = *r->at++;
            continue;
        }
        const char *escape = r->at[1] ? strchr(from, r->at[1]) : NULL;
        uint32_t code;
        r->at += 2;
        if (escape)
            *out++ = to[escape - from];
        else if (r->at[-1] != 'u' || !read_code(r, &code))
            return fail(r, "an escape is not known");
        else
            out = put_utf8(out, code);
    }
    r->at++;
    *out = 0;
    return true;
}

// ---- values --------------------------------------------------------------------------------------------------------

static bool read_number(reader *r, double *number)
{
    const char *digits = r->at + (*r->at == '-');
    char *end;
    if (!isdigit((unsigned char)*digits) || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')))
        return fail(r, "there is no value");
    *number = strtod(r->at, &end);
    r->at = end;
    return true;
}

static bool read_word(reader *r, json_value *value)
{
    static const struct {
        const char *word;
        json_kind kind;
    } known[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(r->at, known[i].word, strlen(known[i].word)) == 0) {
            value->kind = known[i].kind;
            r->at += strlen(known[i].word);
            return true;
        }
    return fail(r, "there is no value");
}

// Adds a value to the innermost array or object.
static bool add_value(reader *r, const json_value *value)
{
    json_document *d = r->document;
    if (!words_grow((void **)&d->values, &d->capacity, d->count + 1, sizeof *d->values))
        return fail(r, "out of memory");
    size_t number = d->count++;
    d->values[number] = *value;
    if (r->depth > 0) {
        json_value *parent = &d->values[r->open[r->depth - 1]];
        if (parent->last > 0)
            d->values[parent->last].next = number;
        else
            parent->first = number;
        parent->last = number;
    }
    if (value->kind != JSON_ARRAY && value->kind != JSON_OBJECT)
        return true;
    if (r->depth == MOST_DEPTH)
        return fail(r, "it is nested too deeply");
    r->open[r->depth++] = number;
    return true;
}

static bool read_key(reader *r, json_value *value)
{
    if (*r->at != '"')
        return fail(r, "a member has no name");
    if (!read_text(r, &value->key))
        return false;
    skip_blank(r);
    if (*r->at != ':')
        return fail(r, "there is no colon after a name");
    r->at++;
    skip_blank(r);
    return true;
}

// A value with its name; of an array or object only the beginning.
static bool read_value(reader *r)
{
    json_value value = {JSON_NULL};
    if (r->depth > 0 && r->document->values[r->open[r->depth - 1]].kind == JSON_OBJECT && !read_key(r, &value))
        return false;
    bool good = true;
    if (*r->at == '{' || *r->at == '[') {
        value.kind = *r->at++ == '{' ? JSON_OBJECT : JSON_ARRAY;
    } else if (*r->at == '"') {
        value.kind = JSON_TEXT;
        good = read_text(r, &value.text);
    } else if (isalpha((unsigned char)*r->at)) {
        good = read_word(r, &value);
    } else {
        value.kind = JSON_NUMBER;
        good = read_number(r, &value.number);
    }
    return good && add_value(r, &value);
}

static bool is_closing(const reader *r)
{
    return *r->at == (r->document->values[r->open[r->depth - 1]].kind == JSON_OBJECT ? '}' : ']');
}

// What stands between two values: ends of arrays and objects, and a comma.
static bool read_between(reader *r, bool *done)
{
    bool is_first = r->document->values[r->open[r->depth - 1]].first == 0;
    skip_blank(r);
    while (r->depth > 0 && is_closing(r)) {
        r->at++;
        r->depth--;
        skip_blank(r);
        is_first = false;
    }
    *done = r->depth == 0;
    if (*done || is_first)
        return true;
    if (*r->at != ',')
        return fail(r, "a comma or an end is missing");
    r->at++;
    skip_blank(r);
    return true;
}

static bool read_all(reader *r)
{
    skip_blank(r);
    if (!read_value(r))
        return false;
    for (bool done = r->depth == 0; !done;) {
        if (!read_between(r, &done))
            return false;
        if (!done && !read_value(r))
            return false;
    }
    skip_blank(r);
    return *r->at == 0 || fail(r, "something follows the end");
}

static size_t line_of(const char *text, const char *at, const char *original)
{
    size_t line = 1;
    for (const char *c = original; c < original + (at - text); c++)
        line += *c == '\n';
    return line;
}

bool json_read(const char *text, json_document *document, char message[128])
{
    *document = (json_document){.text = strdup(text)};
    if (!document->text) {
        snprintf(message, 128, "out of memory");
        return false;
    }
    reader r = {.document = document, .at = document->text};
    if (read_all(&r))
        return true;
    snprintf(message, 128, "line %zu: %s", line_of(document->text, r.at, text), r.problem);
    return false;
}

bool json_read_file(const char *path, json_document *document, char message[128])
{
    *document = (json_document){0};
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, capacity = 0, got = 1;
    while (file && got > 0 && words_grow((void **)&text, &capacity, size + 65536, 1)) {
        got = fread(text + size, 1, capacity - size - 1, file);
        size += got;
    }
    bool failed = !file || got > 0 || ferror(file);
    if (failed)
        snprintf(message, 128, "%s", !file || ferror(file) ? strerror(errno) : "out of memory");
    if (file)
        fclose(file);
    if (!failed) {
        text[size] = 0;
        failed = !json_read(text, document, message);
        if (!failed && strlen(text) != size) {
            snprintf(message, 128, "it holds a byte of zero");
            failed = true;
        }
    }
    free(text);
    return !failed;
}

void json_document_free(json_document *document)
{
    free(document->text);
    free(document->values);
    *document = (json_document){0};
}

// ---- looking -------------------------------------------------------------------------------------------------------

size_t json_member(const json_document *d, size_t object, const char *key)
{
    if (object >= d->count || d->values[object].kind != JSON_OBJECT)
        return 0;
    for (size_t i = d->values[object].first; i > 0; i = d->values[i].next)
        if (strcmp(d->text + d->values[i].key, key) == 0)
            return i;
    return 0;
}

size_t json_first(const json_document *d, size_t value)
{
    return value < d->count ? d->values[value].first : 0;
}

size_t json_next(const json_document *d, size_t value)
{
    return value < d->count ? d->values[value].next : 0;
}

const char *json_text_of(const json_document *d, size_t value)
{
    return value > 0 && value < d->count && d->values[value].kind == JSON_TEXT ? d->text + d->values[value].text : "";
}

const char *json_key_of(const json_document *d, size_t value)
{
    return value > 0 && value < d->count && d->values[value].key > 0 ? d->text + d->values[value].key : "";
}

double json_number_of(const json_document *d, size_t value, double otherwise)
{
    return value > 0 && value < d->count && d->values[value].kind == JSON_NUMBER ? d->values[value].number : otherwise;
}
