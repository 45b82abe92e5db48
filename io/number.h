// Parses decimal numbers in text, independent of the locale.
#ifndef SNAG_IO_NUMBER_H
#define SNAG_IO_NUMBER_H

#include <stdint.h>

// Each function reads a number at `at` and returns the byte after it, or `at` if there is no number. It ignores the text
// after the number: "12abc" reads as 12.

// The double nearest to the decimal, ties to even: the same bits as strtod in the C locale. Also reads "nan", "inf" and
// "infinity"; a value that is too large becomes infinite.
const char *snag__read_double(const char *at, const char *end, double *value);

// An integer with or without a sign. A value out of range becomes the nearest one in range.
const char *snag__read_integer(const char *at, const char *end, int64_t *value);

#endif
