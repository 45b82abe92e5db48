// Sums and products of numbers with twice the digits, as unevaluated sums of two doubles.
// Dekker: A floating-point technique for extending the available precision, Numerische Mathematik 18, 1971.
// Differs: no division; the series is divided by small integers, whose quotients are corrected by one step.
#include "base/trig.h"

#include <math.h>

typedef struct twofold {
    double high, low;
} twofold;

static twofold sum(double a, double b)
{
    double high = a + b, part = high - a;
    return (twofold){high, (a - (high - part)) + (b - part)};
}

static twofold product(double a, double b)
{
    const double split = 134217729;  // 2^27 + 1: cuts a double into two halves whose products are exact
    double a_high = split * a - (split * a - a), a_low = a - a_high;
    double b_high = split * b - (split * b - b), b_low = b - b_high;
    double high = a * b;
    return (twofold){high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

static twofold add(twofold a, twofold b)
{
    twofold high = sum(a.high, b.high), low = sum(a.low, b.low);
    twofold carried = sum(high.high, high.low + low.high);
    return sum(carried.high, carried.low + low.low);
}

static twofold multiply(twofold a, twofold b)
{
    twofold made = product(a.high, b.high);
    return sum(made.high, made.low + (a.high * b.low + a.low * b.high));
}

static twofold divide(twofold a, double b)
{
    double quotient = a.high / b;
    twofold back = product(quotient, b);
    twofold rest = add(a, (twofold){-back.high, -back.low});
    return sum(quotient, rest.high / b);
}

// x - turns * pi / 2. The parts of pi / 2 have 33 bits each but the last, so that their multiples are exact.
static twofold reduce(double x, double turns)
{
    static const double parts[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e0p-69, 0x1.b839a252049c1p-104};
    twofold left = {x, 0};
    for (int i = 0; i < 4; i++)
        left = add(left, product(-turns, parts[i]));
    return left;
}

// The series of sine (first term x, exponents 1, 3, ...) or cosine (first term 1, exponents 0, 2, ...) for |x| <= pi / 4.
static twofold series(twofold term, int exponent, twofold x)
{
    enum { LAST = 28 };  // the next term is below 2^-106 of the sum
    twofold square = multiply(x, x), total = term;
    for (; exponent + 2 <= LAST; exponent += 2) {
        term = divide(multiply(term, square), -(double)((exponent + 1) * (exponent + 2)));
        total = add(total, term);
    }
    return total;
}

static double sine_of_quarters(double x, int quarters)
{
    const double two_over_pi = 0x1.45f306dc9c883p-1;
    double turns = rint(x * two_over_pi);
    twofold left = reduce(x, turns), value;
    quarters = (int)fmod(turns + quarters, 4);
    if (quarters < 0)
        quarters += 4;
    value = quarters % 2 ? series((twofold){1, 0}, 0, left) : series(left, 1, left);
    double rounded = value.high + value.low;
    return quarters >= 2 ? -rounded : rounded;
}

double snag__sin(double x)
{
    return x == 0 ? x : sine_of_quarters(x, 0);
}

double snag__cos(double x)
{
    return sine_of_quarters(x, 1);
}
