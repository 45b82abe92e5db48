// Numbers of about 106 bits as the sum of two doubles: high + low with |low| <= ulp(high) / 2.
// Dekker: A floating-point technique for extending the available precision, Numerische Mathematik 18 (1971).
// For values of moderate size (products must not overflow or underflow). No fused multiply-add, so that every platform has the same bits.
#ifndef SNAG_GEOM_DOUBLE_DOUBLE_H
#define SNAG_GEOM_DOUBLE_DOUBLE_H

typedef struct snag__dd {
    double high, low;
} snag__dd;

// a + b for |a| >= |b|, exactly.
static inline snag__dd snag__dd_quick_sum(double a, double b)
{
    double sum = a + b;
    return (snag__dd){sum, b - (sum - a)};
}

// a + b, exactly.
static inline snag__dd snag__dd_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (snag__dd){sum, (a - (sum - part)) + (b - part)};
}

// a * b, exactly.
static inline snag__dd snag__dd_product(double a, double b)
{
    const double split = 0x1p27 + 1;
    double p = a * b, ta = split * a, tb = split * b;
    double a_high = ta - (ta - a), b_high = tb - (tb - b), a_low = a - a_high, b_low = b - b_high;
    return (snag__dd){p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

static inline snag__dd snag__dd_add(snag__dd a, snag__dd b)
{
    snag__dd s = snag__dd_sum(a.high, b.high), t = snag__dd_sum(a.low, b.low);
    s = snag__dd_quick_sum(s.high, s.low + t.high);
    return snag__dd_quick_sum(s.high, s.low + t.low);
}

static inline snag__dd snag__dd_negate(snag__dd a)
{
    return (snag__dd){-a.high, -a.low};
}

static inline snag__dd snag__dd_subtract(snag__dd a, snag__dd b)
{
    return snag__dd_add(a, snag__dd_negate(b));
}

static inline snag__dd snag__dd_multiply(snag__dd a, snag__dd b)
{
    snag__dd p = snag__dd_product(a.high, b.high);
    return snag__dd_quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

// a / b for b != 0.
static inline snag__dd snag__dd_divide(snag__dd a, snag__dd b)
{
    double first = a.high / b.high;
    snag__dd rest = snag__dd_subtract(a, snag__dd_multiply(b, (snag__dd){first, 0}));
    double second = rest.high / b.high;
    rest = snag__dd_subtract(rest, snag__dd_multiply(b, (snag__dd){second, 0}));
    snag__dd sum = snag__dd_quick_sum(first, second);
    return snag__dd_add(sum, (snag__dd){rest.high / b.high, 0});
}

static inline snag__dd snag__dd_dot(const snag__dd a[3], const snag__dd b[3])
{
    snag__dd sum = snag__dd_multiply(a[0], b[0]);
    sum = snag__dd_add(sum, snag__dd_multiply(a[1], b[1]));
    return snag__dd_add(sum, snag__dd_multiply(a[2], b[2]));
}

static inline void snag__dd_cross(const snag__dd a[3], const snag__dd b[3], snag__dd cross[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        cross[i] = snag__dd_subtract(snag__dd_multiply(a[j], b[k]), snag__dd_multiply(a[k], b[j]));
    }
}

#endif
