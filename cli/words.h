// What the tool says on stderr: errors, notes and hints. Results go to stdout, by other means.
#ifndef SNAG_CLI_WORDS_H
#define SNAG_CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// What every verb ends with.
enum { EXIT_CLEAN = 0, EXIT_CONTACTS = 1, EXIT_ERROR = 2 };

typedef struct words {
    const char *program;  // as it was called, for commands to try next
    const char *verb;  // NULL: before a verb is known
    bool quiet;  // no notes and no progress bar; errors are always said
    bool bar_shown;  // a progress bar stands on the current line of the terminal
    bool no_memory;  // an error was that there is no memory: nothing that could be passed over
    char *caught;  // where errors go instead of stderr, while somebody may still pass over them; NULL: to stderr
    size_t caught_size;
} words;

#if defined(__GNUC__)
#define WORDS_FORMAT(at) __attribute__((format(printf, (at), (at) + 1)))
#else
#define WORDS_FORMAT(at)
#endif

// "snag check: ..." and a newline. Returns EXIT_ERROR, so that a caller can say and end in one line.
int words_error(words *w, const char *format, ...) WORDS_FORMAT(2);
void words_note(words *w, const char *format, ...) WORDS_FORMAT(2);
static inline int words_out_of_memory(words *w)
{
    w->no_memory = true;
    return words_error(w, "out of memory");
}

// Takes a progress bar off the terminal's line before something else is printed.
void words_clear_bar(words *w);

// Whether a character could lead a terminal, or the eyes of its reader, astray: controls (C0 and C1), line separators, and
// those that turn the direction of writing.
bool words_misleads(uint32_t code);

// Writes text that came from a file or a command line so that a terminal cannot be led astray by it: such characters, and bytes
// that are not UTF-8, are written as \x1b or \u202e. Pads with spaces to `width` characters.
void words_put(FILE *out, const char *text, size_t width);
// How many columns words_put takes for the text.
size_t words_width(const char *text);

// The candidate nearest to `typed` by edits, or NULL if none is near enough to be what was meant.
const char *words_nearest(const char *typed, const char *const *candidates, size_t count);

// Makes room for `needed` items in an array that grows by doubling. False: no memory, and nothing has changed.
bool words_grow(void **items, size_t *capacity, size_t needed, size_t item_size);

#endif
