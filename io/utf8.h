// Text that may come from anywhere, written as UTF-8 all the same.
#ifndef SNAG_IO_UTF8_H
#define SNAG_IO_UTF8_H

#include "snag/io.h"

#include <stdio.h>

// What stands for a byte that is no UTF-8: U+FFFD.
#define SNAG__UTF8_REPLACEMENT "\xEF\xBF\xBD"

// Writes `size` bytes of a text that ends with a 0 there or later; every byte that is no UTF-8 is replaced.
void snag__utf8_write(FILE *out, const char *text, size_t size);

#endif
