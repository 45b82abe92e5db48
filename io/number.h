// Decimal numbers in text, read the same in every locale.
#ifndef SNAG_IO_NUMBER_H
#define SNAG_IO_NUMBER_H

#include <stdint.h>

// Each reads a number that begins at `at` and returns the byte after it, or `at` if no number begins there. What
// follows the number is not looked at: "12abc" reads as 12.

// The double nearest to the decimal, ties to even: the same bits as strtod in the C locale. Reads "nan", "inf" and
// "infinity" too; what is too large becomes infinite.
const char *snag__read_double(const char *at, const char *end, double *value);

// An integer with or without a sign. One that does not fit becomes the nearest that does.
const char *snag__read_integer(const char *at, const char *end, int64_t *value);

#endif
