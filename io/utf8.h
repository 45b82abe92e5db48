// Writes text of unknown encoding as valid UTF-8.
#ifndef SNAG_IO_UTF8_H
#define SNAG_IO_UTF8_H

#include "snag/io.h"

#include <stdio.h>

// Replacement for an invalid byte: U+FFFD.
#define SNAG__UTF8_REPLACEMENT "\xEF\xBF\xBD"

// Writes `size` bytes of a zero-terminated text; replaces every byte that is not valid UTF-8. The text must not end before `size`.
void snag__utf8_write(FILE *out, const char *text, size_t size);

#endif
