// A scanner over text in memory: words, numbers, lines. Lines are counted only for messages. A line ends with "\n", "\r\n" or "\r".
#ifndef SNAG_IO_TEXT_H
#define SNAG_IO_TEXT_H

#include "file.h"
#include "number.h"

#include <string.h>

typedef struct snag__text {
    const snag__source *source;
    const char *begin;
    const char *at;  // the next byte
    const char *end;
    char comment;  // starts a comment to the end of the line; 0: no comments
    bool continues;  // a backslash at the end of a line continues it
    bool binary;  // messages give no line number
} snag__text;

// A run of bytes without blanks; not terminated.
typedef struct snag__word {
    const char *at;
    size_t length;
} snag__word;

// Starts at the first byte, or after a byte order mark.
snag__text snag__text_begin(const snag__source *source, char comment);

static inline bool snag__is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static inline bool snag__is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool snag__is_space(char c)
{
    return snag__is_blank(c) || snag__is_line_end(c);
}

// Skips blanks and a comment; returns whether anything is left on this line.
bool snag__text_skip_blanks(snag__text *text);

static inline bool snag__text_more_in_line(snag__text *text)
{
    // Fast path: a single blank before a word, the usual case in a mesh file.
    const char *at = text->at;
    if (text->end - at >= 2 && at[0] == ' ' && ((at[1] >= '0' && at[1] <= '9') || at[1] == '-')) {
        text->at = at + 1;
        return true;
    }
    return snag__text_skip_blanks(text);
}

// Skips blanks, comments and line ends; returns whether anything is left.
bool snag__text_more(snag__text *text);
// Goes to the start of the next line, or to the end.
void snag__text_skip_line(snag__text *text);

// The next word, on this line or a later one; empty at the end.
snag__word snag__text_word(snag__text *text);
// The next word on this line; empty if there is none.
snag__word snag__text_word_in_line(snag__text *text);
// The rest of the line, trimmed and without a comment. Advances to the next line.
snag__word snag__text_rest_of_line(snag__text *text);

// Writes a code point as UTF-8 (at most 4 bytes); returns the byte after it.
char *snag__put_utf8(char *out, uint32_t code);

// Ignores case.
bool snag__word_is(snag__word word, const char *expected);

// Reads the next word, on this line or a later one, as a number. `what` names it in messages, such as "x of vertex". A
// coordinate must be finite, a count between 0 and `most`.
snag_status snag__text_double(snag__text *text, const char *what, double *value);
snag_status snag__text_coordinate(snag__text *text, const char *what, double *value);
snag_status snag__text_integer(snag__text *text, const char *what, int64_t *value);
snag_status snag__text_count(snag__text *text, const char *what, uint64_t most, uint64_t *value);

// Whether a number that ends at `after` is a whole word.
static inline bool snag__text_ends_word(const snag__text *text, const char *after)
{
    return after == text->end || snag__is_space(*after) || (text->comment && *after == text->comment) ||
           (text->continues && *after == '\\');
}

// The line number of `at`, counted from 1.
size_t snag__text_line(const snag__text *text, const char *at);
// Fails with a message that starts with file and line of `at`: "cloth.obj:12: ..."; binary files have no line.
snag_status snag__text_fail(const snag__text *text, const char *at, snag_status status, const char *format, ...) SNAG__PRINTF(4, 5);

// Describes the text at `at` for a message: the quoted word, "the end of the line" or "the end of the file".
typedef struct snag__shown {
    char text[48];
} snag__shown;
snag__shown snag__text_show(const snag__text *text, const char *at);

#endif
