// Largest, smallest and clamped numbers with the same bytes on every system: C leaves open which of two equal zeros fmax() and fmin()
// return, and libraries differ. For numbers that reach an answer; a bound that is only compared may as well use fmax().
#ifndef SNAG_BASE_CLAMP_H
#define SNAG_BASE_CLAMP_H

// Of equal numbers b, zeros included; of a number and a NaN the number.
static inline double snag__max(double a, double b)
{
    return a > b || b != b ? a : b;
}

static inline double snag__min(double a, double b)
{
    return a < b || b != b ? a : b;
}

// x, or +0 if x is negative, -0 or not a number.
static inline double snag__not_negative(double x)
{
    return x > 0 ? x : 0;
}

// The same, and at most `most`, which must be a number.
static inline double snag__clamp_to(double x, double most)
{
    return snag__min(snag__not_negative(x), most);
}

#endif
