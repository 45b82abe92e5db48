// A small JSON writer.
#include "json.h"

#include <math.h>
#include <stdlib.h>

void json_begin(json *j, FILE *out)
{
    *j = (json){.out = out};
}

void json_end(json *j)
{
    fputc('\n', j->out);
}

static void new_line(json *j)
{
    fputc('\n', j->out);
    for (unsigned i = 0; i < j->depth; i++)
        fputs("  ", j->out);
}

// The length of the UTF-8 sequence at `text`, or 0 if it is not one (overlong forms and surrogates included).
static unsigned utf8_length(const unsigned char *text)
{
    unsigned char c = text[0];
    unsigned length = c < 0x80                ? 1
                      : c >= 0xC2 && c < 0xE0 ? 2
                      : c >= 0xE0 && c < 0xF0 ? 3
                      : c >= 0xF0 && c < 0xF5 ? 4
                                              : 0;
    for (unsigned i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    if ((c == 0xE0 && text[1] < 0xA0) || (c == 0xED && text[1] > 0x9F) || (c == 0xF0 && text[1] < 0x90) ||
        (c == 0xF4 && text[1] > 0x8F))
        return 0;
    return length;
}

static void quoted(json *j, const char *text)
{
    fputc('"', j->out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        unsigned length = utf8_length(c);
        if (length == 0) {
            fputs("\\ufffd", j->out);
            c++;
        } else if (*c == '"' || *c == '\\') {
            fprintf(j->out, "\\%c", *c++);
        } else if (*c < 0x20 || *c == 0x7F) {
            fprintf(j->out, "\\u%04x", *c++);
        } else {
            fwrite(c, 1, length, j->out);
            c += length;
        }
    }
    fputc('"', j->out);
}

static void begin_item(json *j, const char *key)
{
    if (j->has_items)
        fputs(j->flat ? ", " : ",", j->out);
    if (j->depth > 0 && !j->flat)
        new_line(j);
    j->has_items = true;
    if (key) {
        quoted(j, key);
        fputs(": ", j->out);
    }
}

static void open_bracket(json *j, const char *key, char bracket, bool flat)
{
    begin_item(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->flat += flat || j->flat ? 1 : 0;
    j->has_items = false;
}

static void close_bracket(json *j, char bracket)
{
    bool had_items = j->has_items;
    bool flat = j->flat > 0;
    j->depth--;
    j->flat -= flat ? 1 : 0;
    if (had_items && !flat)
        new_line(j);
    fputc(bracket, j->out);
    j->has_items = true;
}

void json_object(json *j, const char *key)
{
    open_bracket(j, key, '{', false);
}

void json_flat_object(json *j, const char *key)
{
    open_bracket(j, key, '{', true);
}

void json_close_object(json *j)
{
    close_bracket(j, '}');
}

void json_array(json *j, const char *key)
{
    open_bracket(j, key, '[', false);
}

void json_flat_array(json *j, const char *key)
{
    open_bracket(j, key, '[', true);
}

void json_close_array(json *j)
{
    close_bracket(j, ']');
}

void json_text(json *j, const char *key, const char *value)
{
    begin_item(j, key);
    if (value)
        quoted(j, value);
    else
        fputs("null", j->out);
}

void json_bool(json *j, const char *key, bool value)
{
    begin_item(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_count(json *j, const char *key, uint64_t value)
{
    begin_item(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_number(json *j, const char *key, double value)
{
    begin_item(j, key);
    if (!isfinite(value)) {
        fputs("null", j->out);
        return;
    }
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    fputs(digits, j->out);
}

void json_ms(json *j, const char *key, double value)
{
    begin_item(j, key);
    fprintf(j->out, "%.3f", value);
}

void json_point(json *j, const char *key, const double point[3])
{
    json_flat_array(j, key);
    for (int i = 0; i < 3; i++)
        json_number(j, NULL, point[i]);
    json_close_array(j);
}
