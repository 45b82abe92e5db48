// A small JSON writer.
#include "json.h"

#include "snag/io.h"
#include "words.h"

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

static void quoted(json *j, const char *text)
{
    fputc('"', j->out);
    while (*text) {
        uint32_t code;
        size_t length = snag_io_utf8(text, &code);
        if (length == 0)
            fputs("\\ufffd", j->out);
        else if (code == '"' || code == '\\')
            fprintf(j->out, "\\%c", (int)code);
        else if (words_misleads(code))
            fprintf(j->out, "\\u%04x", (unsigned)code);  // all of them are below U+10000
        else
            fwrite(text, 1, length, j->out);
        text += length ? length : 1;
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
