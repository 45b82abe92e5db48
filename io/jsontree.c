// JSON as a flat list of values.
#include "jsontree.h"
#include "number.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const snag__source *source;
    const char *begin, *at, *end;
    snag__json *json;
    uint32_t open;  // the innermost open array or object; its `next` is the enclosing one
} parser;

static snag_status fail(const parser *p, const char *expected)
{
    size_t line = 1;
    for (const char *c = p->begin; c < p->at; c++)
        line += *c == '\n';
    if (p->at >= p->end)
        return snag__io_fail(p->source->error, SNAG_ERROR_FORMAT, "%s:%zu: the JSON ends before %s; is it cut off?",
                             snag__path_shown(p->source->name), line, expected);
    return snag__io_fail(p->source->error, SNAG_ERROR_FORMAT, "%s:%zu: expected %s in the JSON, at byte %zu",
                         snag__path_shown(p->source->name), line, expected, (size_t)(p->at - p->begin));
}

static snag_status fail_memory(const parser *p)
{
    return snag__io_fail(p->source->error, SNAG_ERROR_MEMORY, "%s: not enough memory for its JSON",
                         snag__path_shown(p->source->name));
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static snag_status push(parser *p, snag__json_kind kind, const char *at, size_t length, uint32_t *index)
{
    snag__json *json = p->json;
    if (json->count == json->capacity) {
        snag_status status = json->capacity < UINT32_MAX / 2 ? snag__reading_goes_on(p->source) : fail_memory(p);
        if (status != SNAG_OK)
            return status;
        uint32_t larger = json->capacity ? 2 * json->capacity : 64;
        snag__json_value *values = realloc(json->values, larger * sizeof *values);
        if (!values)
            return fail_memory(p);
        json->values = values;
        json->capacity = larger;
    }
    *index = json->count++;
    json->values[*index] = (snag__json_value){.at = at, .length = (uint32_t)length, .next = json->count, .kind = kind};
    return SNAG_OK;
}

// ---- scalars ----

static bool read_hex(const char *at, const char *end, uint32_t *code)
{
    *code = 0;
    if (end - at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit > 15)
            return false;
        *code = *code << 4 | digit;
    }
    return true;
}

// Checks the escape after a backslash and advances past it.
static snag_status read_escape(parser *p)
{
    uint32_t code;
    if (p->at >= p->end)
        return fail(p, "an escape");
    char letter = *p->at++;
    if (letter == 'u' && !read_hex(p->at, p->end, &code))
        return fail(p, "four hexadecimal digits");
    if (letter == 'u')
        p->at += 4;
    else if (letter == 0 || !strchr("\"\\/bfnrt", letter))
        return p->at--, fail(p, "an escape that JSON knows");
    return SNAG_OK;
}

static snag_status read_string(parser *p)
{
    if (p->at >= p->end || *p->at != '"')
        return fail(p, "a string");
    const char *start = ++p->at;
    while (p->at < p->end && *p->at != '"') {
        if ((unsigned char)*p->at < 0x20)
            return fail(p, "no line end within a string");
        snag_status status = *p->at++ == '\\' ? read_escape(p) : SNAG_OK;
        if (status != SNAG_OK)
            return status;
    }
    if (p->at >= p->end)
        return fail(p, "the end of a string");
    uint32_t index;
    return push(p, SNAG__JSON_STRING, start, (size_t)(p->at++ - start), &index);
}

static snag_status read_scalar(parser *p)
{
    static const struct {
        const char *word;
        snag__json_kind kind;
    } words[] = {{"true", SNAG__JSON_TRUE}, {"false", SNAG__JSON_FALSE}, {"null", SNAG__JSON_NULL}};
    uint32_t index;
    if (p->at < p->end && *p->at == '"')
        return read_string(p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(p->end - p->at) >= length && memcmp(p->at, words[i].word, length) == 0) {
            p->at += length;
            return push(p, words[i].kind, p->at - length, length, &index);
        }
    }
    // Other formats accept "nan", "inf" and a plus sign as numbers; JSON does not.
    double value;
    bool may = p->at < p->end && (*p->at == '-' || (*p->at >= '0' && *p->at <= '9'));
    const char *after = may ? snag__read_double(p->at, p->end, &value) : p->at;
    if (after == p->at)
        return fail(p, "a value");
    const char *start = p->at;
    p->at = after;
    return push(p, SNAG__JSON_NUMBER, start, (size_t)(after - start), &index);
}

// ---- arrays and objects ----

static snag_status read_key(parser *p)
{
    skip_blanks(p);
    snag_status status = read_string(p);
    if (status != SNAG_OK)
        return status;
    skip_blanks(p);
    if (p->at >= p->end || *p->at != ':')
        return fail(p, "a colon");
    p->at++;
    return SNAG_OK;
}

static void close_innermost(parser *p)
{
    snag__json_value *closed = &p->json->values[p->open];
    p->open = closed->next;
    closed->next = p->json->count;
    p->at++;
}

// Reads a value, or the start of an array or object. *opened: its contents follow.
static snag_status read_value(parser *p, bool *opened)
{
    *opened = false;
    skip_blanks(p);
    if (p->at >= p->end || (*p->at != '{' && *p->at != '['))
        return read_scalar(p);
    bool object = *p->at == '{';
    uint32_t index = 0;
    snag_status status = push(p, object ? SNAG__JSON_OBJECT : SNAG__JSON_ARRAY, p->at, 0, &index);
    if (status != SNAG_OK)
        return status;
    p->json->values[index].next = p->open;
    p->open = index;
    p->at++;
    skip_blanks(p);
    if (p->at < p->end && *p->at == (object ? '}' : ']')) {
        close_innermost(p);
        return SNAG_OK;
    }
    *opened = true;
    return object ? read_key(p) : SNAG_OK;
}

// After a value: closes the arrays and objects that end here. *more: another value follows.
static snag_status read_end(parser *p, bool *more)
{
    *more = false;
    while (p->open != SNAG__JSON_NONE) {
        snag__json_value *around = &p->json->values[p->open];
        bool object = around->kind == SNAG__JSON_OBJECT;
        skip_blanks(p);
        around->count++;
        if (p->at < p->end && *p->at == ',') {
            p->at++;
            *more = true;
            return object ? read_key(p) : SNAG_OK;
        }
        if (p->at >= p->end || *p->at != (object ? '}' : ']'))
            return fail(p, object ? "a comma or a closing brace" : "a comma or a closing bracket");
        close_innermost(p);
    }
    return SNAG_OK;
}

// ---- strings ----

// Decodes the digits after "\u", which the parser has checked: one code unit, or a surrogate pair. Invalid code points and
// zero become U+FFFD.
static const char *read_code(const char *at, const char *end, uint32_t *code)
{
    uint32_t low;
    read_hex(at, end, code);
    at += 4;
    bool high = *code >= 0xD800 && *code < 0xDC00;
    if (high && end - at >= 6 && at[0] == '\\' && at[1] == 'u' && read_hex(at + 2, end, &low) && low >= 0xDC00 && low < 0xE000) {
        *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
        return at + 6;
    }
    if ((*code >= 0xD800 && *code < 0xE000) || *code == 0)
        *code = 0xFFFD;
    return at;
}

// Copies a string and resolves its escapes. The result is never longer, so `out` may be `at`. Returns its end.
static char *resolve(const char *at, const char *end, char *out)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    while (at < end) {
        if (*at != '\\' || at + 1 == end) {
            *out++ = *at++;
            continue;
        }
        char letter = at[1];
        const char *known = strchr(letters, letter);
        at += 2;
        if (letter == 'u') {
            uint32_t code;
            at = read_code(at, end, &code);
            out = snag__put_utf8(out, code);
        } else {
            *out++ = known && *known ? meant[known - letters] : letter;
        }
    }
    return out;
}

// ---- the index ----

// Smaller objects are searched linearly.
enum { FEW_MEMBERS = 8 };

static int compare_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length != b_length ? (a_length < b_length ? -1 : 1) : memcmp(a, b, a_length);
}

static int compare_keys(const void *a, const void *b)
{
    // Equal names are sorted by their address, which is their order in the file.
    const snag__json_value *x = *(const snag__json_value *const *)a, *y = *(const snag__json_value *const *)b;
    int order = compare_text(x->at, x->length, y->at, y->length);
    return order ? order : (x > y) - (x < y);
}

static bool make_index(snag__json *json)
{
    size_t total = 0, most = 0;
    for (uint32_t v = 0; v < json->count; v++) {
        const snag__json_value *value = &json->values[v];
        if (value->kind != SNAG__JSON_OBJECT || value->count <= FEW_MEMBERS)
            continue;
        total += value->count;
        most = value->count > most ? value->count : most;
    }
    if (total == 0)
        return true;
    const snag__json_value **keys = malloc(most * sizeof *keys);
    json->index = malloc(total * sizeof *json->index);
    uint32_t used = 0;
    for (uint32_t v = 0; keys && json->index && v < json->count; v++) {
        snag__json_value *object = &json->values[v];
        if (object->kind != SNAG__JSON_OBJECT || object->count <= FEW_MEMBERS)
            continue;
        size_t n = 0;
        for (uint32_t key = v + 1; key < object->next; key = json->values[key + 1].next)
            keys[n++] = &json->values[key];
        qsort(keys, n, sizeof *keys, compare_keys);
        object->length = used;
        for (size_t i = 0; i < n; i++)
            json->index[used++] = (uint32_t)(keys[i] - json->values);
    }
    bool made = keys && json->index;
    free(keys);
    return made;
}

// ---- parsing ----

static snag_status parse_values(parser *p, size_t size)
{
    if (size >= UINT32_MAX)
        return snag__io_fail(p->source->error, SNAG_ERROR_SIZE, "%s: its JSON is too large", snag__path_shown(p->source->name));
    for (bool more = true; more;) {
        bool opened;
        snag_status status = read_value(p, &opened);
        if (status == SNAG_OK && !opened)
            status = read_end(p, &more);
        if (status != SNAG_OK)
            return status;
    }
    skip_blanks(p);
    return SNAG_OK;
}

snag_status snag__json_parse(const snag__source *source, const char *text, size_t size, snag__json *json)
{
    *json = (snag__json){0};
    parser p = {source, text, text, text + size, json, SNAG__JSON_NONE};
    snag_status status = parse_values(&p, size);
    while (status == SNAG_OK && p.at < p.end && *p.at == 0)  // padding of a chunk
        p.at++;
    if (status == SNAG_OK && p.at != p.end)
        status = fail(&p, "its end");
    if (status == SNAG_OK && !make_index(json))
        status = fail_memory(&p);
    return status;
}

snag_status snag__json_parse_own(const snag__source *source, char *text, size_t size, snag__json *json)
{
    *json = (snag__json){0};
    parser p = {source, text, text, text + size, json, SNAG__JSON_NONE};
    snag_status status = parse_values(&p, size);
    if (status == SNAG_OK && p.at != p.end)
        status = fail(&p, "its end");
    for (uint32_t v = 0; status == SNAG_OK && v < json->count; v++) {
        snag__json_value *value = &json->values[v];
        if (value->kind != SNAG__JSON_STRING)
            continue;
        char *own = text + (value->at - text), *end = resolve(own, own + value->length, own);
        *end = 0;
        value->length = (uint32_t)(end - own);
    }
    if (status == SNAG_OK && !make_index(json))
        status = fail_memory(&p);
    return status;
}

void snag__json_free(snag__json *json)
{
    free(json->values);
    free(json->index);
    *json = (snag__json){0};
}

// ---- lookup ----

static bool same(const snag__json_value *value, const char *text)
{
    return value->kind == SNAG__JSON_STRING && value->length == strlen(text) && memcmp(value->at, text, value->length) == 0;
}

// The first member with this name, as without an index.
static uint32_t indexed_member(const snag__json *json, uint32_t object, const char *name)
{
    const uint32_t *keys = json->index + json->values[object].length;
    size_t low = 0, high = json->values[object].count, length = strlen(name);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const snag__json_value *key = &json->values[keys[middle]];
        if (compare_text(key->at, key->length, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < json->values[object].count && same(&json->values[keys[low]], name);
    return found ? keys[low] + 1 : SNAG__JSON_NONE;
}

uint32_t snag__json_member(const snag__json *json, uint32_t object, const char *name)
{
    if (object == SNAG__JSON_NONE || json->values[object].kind != SNAG__JSON_OBJECT)
        return SNAG__JSON_NONE;
    if (json->values[object].count > FEW_MEMBERS)
        return indexed_member(json, object, name);
    for (uint32_t key = object + 1; key < json->values[object].next; key = json->values[key + 1].next)
        if (same(&json->values[key], name))
            return key + 1;
    return SNAG__JSON_NONE;
}

uint32_t snag__json_array(const snag__json *json, uint32_t object, const char *name)
{
    uint32_t value = snag__json_member(json, object, name);
    return value != SNAG__JSON_NONE && json->values[value].kind == SNAG__JSON_ARRAY ? value : SNAG__JSON_NONE;
}

uint32_t snag__json_size(const snag__json *json, uint32_t array)
{
    bool is_array = array != SNAG__JSON_NONE && json->values[array].kind == SNAG__JSON_ARRAY;
    return is_array ? json->values[array].count : 0;
}

uint32_t snag__json_first(const snag__json *json, uint32_t array)
{
    return snag__json_size(json, array) ? array + 1 : SNAG__JSON_NONE;
}

uint32_t snag__json_after(const snag__json *json, uint32_t array, uint32_t element)
{
    uint32_t next = json->values[element].next;
    return next < json->values[array].next ? next : SNAG__JSON_NONE;
}

bool snag__json_number(const snag__json *json, uint32_t value, double *number)
{
    if (value == SNAG__JSON_NONE || json->values[value].kind != SNAG__JSON_NUMBER)
        return false;
    const snag__json_value *found = &json->values[value];
    snag__read_double(found->at, found->at + found->length, number);
    return isfinite(*number);
}

bool snag__json_count(const snag__json *json, uint32_t value, uint64_t most, uint64_t *count)
{
    double number;
    if (!snag__json_number(json, value, &number) || number < 0 || number > 9007199254740992.0 || number != floor(number))
        return false;
    *count = (uint64_t)number;
    return *count <= most;
}

bool snag__json_is(const snag__json *json, uint32_t value, const char *text)
{
    return value != SNAG__JSON_NONE && same(&json->values[value], text);
}

bool snag__json_numbers(const snag__json *json, uint32_t array, double *numbers, uint32_t count)
{
    if (snag__json_size(json, array) != count)
        return false;
    uint32_t element = snag__json_first(json, array);
    for (uint32_t i = 0; i < count; i++, element = snag__json_after(json, array, element))
        if (!snag__json_number(json, element, &numbers[i]))
            return false;
    return true;
}

// ---- copies ----

bool snag__json_copy(const snag__json *json, uint32_t value, char **copy)
{
    *copy = NULL;
    if (value == SNAG__JSON_NONE || json->values[value].kind != SNAG__JSON_STRING)
        return true;
    const snag__json_value *found = &json->values[value];
    *copy = malloc((size_t)found->length + 1);
    if (!*copy)
        return false;
    *resolve(found->at, found->at + found->length, *copy) = 0;
    return true;
}
