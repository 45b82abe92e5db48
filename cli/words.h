// Messages on stderr: errors, notes and hints. Results go to stdout and are printed elsewhere.
#ifndef SNAG_CLI_WORDS_H
#define SNAG_CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Exit codes.
enum { EXIT_CLEAN = 0, EXIT_CONTACTS = 1, EXIT_ERROR = 2 };

typedef struct words {
    const char *program;  // argv[0], for suggested commands
    const char *verb;  // NULL: before a verb is known
    bool quiet;  // no notes and no progress bar; errors are always printed
    bool bar_shown;  // a progress bar is on the terminal's current line
    bool no_memory;  // an error was out of memory, which cannot be skipped
    char *caught;  // buffer for errors that may still be skipped; NULL: print to stderr
    size_t caught_size;
} words;

#if defined(__GNUC__)
#define WORDS_FORMAT(at) __attribute__((format(printf, (at), (at) + 1)))
#else
#define WORDS_FORMAT(at)
#endif

// Prints "snag check: ..." and a newline. Returns EXIT_ERROR, so that a caller can report and return in one line.
int words_error(words *w, const char *format, ...) WORDS_FORMAT(2);
void words_note(words *w, const char *format, ...) WORDS_FORMAT(2);
static inline int words_out_of_memory(words *w)
{
    w->no_memory = true;
    return words_error(w, "out of memory");
}

// Clears a progress bar before something else is printed.
void words_clear_bar(words *w);

// Whether a character could mislead a terminal or its reader: controls (C0 and C1), line separators, bidirectional overrides.
bool words_misleads(uint32_t code);

// Writes text from a file or a command line safely to a terminal: such characters, and bytes that are not UTF-8, are written as
// \x1b or \u202e. Pads with spaces to `width` characters.
void words_put(FILE *out, const char *text, size_t width);
// Width in columns of the text written by words_put.
size_t words_width(const char *text);

// The candidate with the smallest edit distance to `typed`, or NULL if none is close.
const char *words_nearest(const char *typed, const char *const *candidates, size_t count);

// Grows an array to hold `needed` items, by doubling. False: out of memory, nothing changed.
bool words_grow(void **items, size_t *capacity, size_t needed, size_t item_size);

#endif
