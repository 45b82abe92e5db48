// Messages on stderr, and small text helpers for every verb.
#include "words.h"

#include "snag/io.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void words_clear_bar(words *w)
{
    if (w->bar_shown) {
        fputs("\r\033[K", stderr);
        w->bar_shown = false;
    }
}

#define LONGEST_MESSAGE 1200

// Escapes control characters, which may come from file names; newlines pass.
static void say(words *w, const char *prefix, const char *message)
{
    words_clear_bar(w);
    fflush(stdout);
    fprintf(stderr, "snag%s%s: %s", w->verb ? " " : "", w->verb ? w->verb : "", prefix);
    const char *line = message;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char part[LONGEST_MESSAGE];
        snprintf(part, sizeof part, "%.*s", (int)(end - line), line);
        words_put(stderr, part, 0);
        fputc('\n', stderr);
    }
    words_put(stderr, line, 0);
    fputc('\n', stderr);
}

int words_error(words *w, const char *format, ...)
{
    char message[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (w->caught)
        snprintf(w->caught, w->caught_size, "%s", message);
    else
        say(w, "", message);
    return EXIT_ERROR;
}

void words_note(words *w, const char *format, ...)
{
    if (w->quiet)
        return;
    char message[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    say(w, "note: ", message);
}

bool words_misleads(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Writes a text if `out` is not NULL; returns its width in columns.
static size_t put_text(FILE *out, const char *text)
{
    size_t width = 0;
    while (*text) {
        uint32_t code;
        char escape[16];
        size_t length = snag_io_utf8(text, &code);
        int escaped = 0;
        if (length == 0 || words_misleads(code))
            escaped = snprintf(escape, sizeof escape, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
        if (out && escaped)
            fputs(escape, out);
        else if (out)
            fwrite(text, 1, length, out);
        width += escaped ? (size_t)escaped : 1;
        text += length ? length : 1;
    }
    return width;
}

size_t words_width(const char *text)
{
    return put_text(NULL, text);
}

void words_put(FILE *out, const char *text, size_t width)
{
    for (size_t used = put_text(out, text); used < width; used++)
        fputc(' ', out);
}

// Edits (insert, delete, replace, swap of neighbours) that turn one word into another; long words are cut off.
static unsigned edits_between(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST)
        n = LONGEST;
    if (m > LONGEST)
        m = LONGEST;
    unsigned rows[3][LONGEST + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        unsigned *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[m];
}

const char *words_nearest(const char *typed, const char *const *candidates, size_t count)
{
    const char *nearest = NULL;
    unsigned fewest = 0;
    size_t length = strlen(typed);
    for (size_t i = 0; i < count; i++) {
        unsigned edits = edits_between(typed, candidates[i]);
        // A prefix counts as a small typo: "prox" means proximities.
        if (length >= 2 && strncmp(typed, candidates[i], length) == 0)
            edits = 1;
        // Up to a third of the letters may be wrong; beyond that a suggestion is a guess.
        if (edits <= (length < 6 ? 1 : length / 3) && edits < strlen(candidates[i]) && (!nearest || edits < fewest)) {
            nearest = candidates[i];
            fewest = edits;
        }
    }
    return nearest;
}

bool words_grow(void **items, size_t *capacity, size_t needed, size_t item_size)
{
    if (needed <= *capacity)
        return true;
    size_t larger = *capacity ? *capacity : 16;
    while (larger < needed) {
        if (larger > SIZE_MAX / 2)
            return false;
        larger *= 2;
    }
    if (larger > SIZE_MAX / item_size)
        return false;
    void *grown = realloc(*items, larger * item_size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = larger;
    return true;
}
