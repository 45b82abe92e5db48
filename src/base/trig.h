// Sine and cosine with the same bits on every system, where bytes of an answer depend on them: C libraries differ in the last bit.
#ifndef SNAG_BASE_TRIG_H
#define SNAG_BASE_TRIG_H

// Computed with twice the digits and rounded once, so nearly always correctly rounded. For |x| up to a million; a few hundred operations.
double snag__sin(double x);
double snag__cos(double x);

#endif
