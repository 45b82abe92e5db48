// Text scanner.
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

snag__text snag__text_begin(const snag__source *source, char comment)
{
    snag__text text = {.source = source, .comment = comment};
    // An empty source may have a null pointer; do no arithmetic on it.
    text.begin = text.at = source->data ? source->data : "";
    text.end = text.at + (source->data ? source->size : 0);
    if (text.end - text.at >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0)
        text.at += 3;
    return text;
}

// ---- blanks and lines ----

static const char *find_line_end(const char *at, const char *end)
{
    while (at < end && !snag__is_line_end(*at))
        at++;
    return at;
}

// The byte after the line end at `at`; a line end has one or two bytes.
static const char *past_line_end(const char *at, const char *end)
{
    if (at < end && *at == '\r')
        return at + 1 < end && at[1] == '\n' ? at + 2 : at + 1;
    return at < end ? at + 1 : end;
}

static bool at_continuation(const snag__text *text)
{
    return text->continues && *text->at == '\\' && text->at + 1 < text->end && snag__is_line_end(text->at[1]);
}

bool snag__text_skip_blanks(snag__text *text)
{
    while (text->at < text->end) {
        char c = *text->at;
        if (snag__is_blank(c))
            text->at++;
        else if (at_continuation(text))
            text->at = past_line_end(text->at + 1, text->end);
        else if (text->comment && c == text->comment)
            text->at = find_line_end(text->at, text->end);
        else
            return !snag__is_line_end(c);
    }
    return false;
}

bool snag__text_more(snag__text *text)
{
    while (!snag__text_skip_blanks(text)) {
        if (text->at >= text->end)
            return false;
        text->at = past_line_end(text->at, text->end);
    }
    return true;
}

void snag__text_skip_line(snag__text *text)
{
    const char *begin = text->at;
    text->at = find_line_end(text->at, text->end);
    while (text->continues && text->at > begin && text->at < text->end && text->at[-1] == '\\') {
        begin = past_line_end(text->at, text->end);
        text->at = find_line_end(begin, text->end);
    }
    text->at = past_line_end(text->at, text->end);
}

// ---- words ----

static snag__word word_at(snag__text *text)
{
    snag__word word = {text->at, 0};
    while (text->at < text->end && !snag__is_space(*text->at) && !at_continuation(text))
        text->at++;
    word.length = (size_t)(text->at - word.at);
    return word;
}

snag__word snag__text_word(snag__text *text)
{
    snag__text_more(text);
    return word_at(text);
}

snag__word snag__text_word_in_line(snag__text *text)
{
    if (!snag__text_more_in_line(text))
        return (snag__word){text->at, 0};
    return word_at(text);
}

snag__word snag__text_rest_of_line(snag__text *text)
{
    snag__text_more_in_line(text);
    const char *end = find_line_end(text->at, text->end);
    snag__word rest = {text->at, (size_t)(end - text->at)};
    // A name may contain the comment character ("part#2"); a comment is a separate word.
    for (size_t i = 1; text->comment && i < rest.length; i++)
        if (rest.at[i] == text->comment && snag__is_blank(rest.at[i - 1]))
            rest.length = i;
    while (rest.length && snag__is_blank(rest.at[rest.length - 1]))
        rest.length--;
    text->at = past_line_end(end, text->end);
    return rest;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool snag__word_is(snag__word word, const char *expected)
{
    size_t i = 0;
    while (i < word.length && expected[i] && lower(word.at[i]) == lower(expected[i]))
        i++;
    return i == word.length && !expected[i];
}

char *snag__put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

// ---- numbers ----

static snag_status fail_expected(const snag__text *text, const char *at, const char *what, const char *kind)
{
    snag__shown found = snag__text_show(text, at);
    return snag__text_fail(text, at, SNAG_ERROR_FORMAT, "%s: expected %s, found %s", what, kind, found.text);
}

snag_status snag__text_double(snag__text *text, const char *what, double *value)
{
    snag__text_more(text);
    const char *after = snag__read_double(text->at, text->end, value);
    if (after == text->at || !snag__text_ends_word(text, after))
        return fail_expected(text, text->at, what, "a number");
    text->at = after;
    return SNAG_OK;
}

snag_status snag__text_coordinate(snag__text *text, const char *what, double *value)
{
    snag__text_more(text);
    const char *at = text->at;
    snag_status status = snag__text_double(text, what, value);
    // x - x is 0, except for NaN and infinities.
    if (status == SNAG_OK && *value - *value != 0)
        return snag__text_fail(text, at, SNAG_ERROR_NOT_FINITE, "%s is not finite: %s", what, snag__text_show(text, at).text);
    return status;
}

snag_status snag__text_integer(snag__text *text, const char *what, int64_t *value)
{
    snag__text_more(text);
    const char *after = snag__read_integer(text->at, text->end, value);
    if (after == text->at || !snag__text_ends_word(text, after))
        return fail_expected(text, text->at, what, "a whole number");
    text->at = after;
    return SNAG_OK;
}

snag_status snag__text_count(snag__text *text, const char *what, uint64_t most, uint64_t *value)
{
    snag__text_more(text);
    const char *at = text->at;
    int64_t number = 0;
    snag_status status = snag__text_integer(text, what, &number);
    if (status != SNAG_OK)
        return status;
    if (number < 0)
        return snag__text_fail(text, at, SNAG_ERROR_FORMAT, "%s is negative: %s", what, snag__text_show(text, at).text);
    if ((uint64_t)number > most)
        return snag__text_fail(text, at, SNAG_ERROR_SIZE, "%s is %s, but at most %llu are possible here", what,
                               snag__text_show(text, at).text, (unsigned long long)most);
    *value = (uint64_t)number;
    return SNAG_OK;
}

// ---- messages ----

size_t snag__text_line(const snag__text *text, const char *at)
{
    size_t line = 1;
    const char *c = text->begin;
    while (c < at) {
        c = find_line_end(c, at);
        if (c == at)
            break;
        c = past_line_end(c, text->end);
        // A position between the two bytes of a line end belongs to the line before.
        line += c <= at;
    }
    return line;
}

snag_status snag__text_fail(const snag__text *text, const char *at, snag_status status, const char *format, ...)
{
    char words[sizeof((snag_io_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    const char *name = snag__path_shown(text->source->name);
    if (text->binary)
        return snag__io_fail(text->source->error, status, "%s: %s", name, words);
    return snag__io_fail(text->source->error, status, "%s:%zu: %s", name, snag__text_line(text, at), words);
}

snag__shown snag__text_show(const snag__text *text, const char *at)
{
    snag__shown shown = {{0}};
    if (at >= text->end || snag__is_line_end(*at)) {
        snprintf(shown.text, sizeof shown.text, at >= text->end ? "the end of the file" : "the end of the line");
        return shown;
    }
    enum { LONGEST = 32 };
    size_t n = 0;
    shown.text[n++] = '\'';
    for (; at < text->end && !snag__is_space(*at) && n <= LONGEST; at++)
        shown.text[n++] = *at >= ' ' && *at <= '~' ? *at : '?';
    if (n > LONGEST) {
        memcpy(shown.text + n, "...", 3);
        n += 3;
    }
    shown.text[n] = '\'';
    return shown;
}
