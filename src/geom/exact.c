// Exact integers: sign and magnitude in 64-bit limbs, schoolbook arithmetic. Numbers are short (one to three limbs per degree in
// ordinary input), so nothing cleverer pays.
#include "base/assert.h"
#include "common/int128.h"
#include "geom/exact.h"

#include <math.h>
#include <string.h>

static uint64_t *take(snag__exact_room *room, int32_t length)
{
    uint64_t *limb = room->next;
    SNAG__ASSERT(room->end - limb >= length && "the room for exact numbers is too small");
    room->next = limb + length;
    return limb;
}

// The number whose limbs were just taken from the room; returns its leading zero limbs to the room.
static snag__exact trimmed(snag__exact_room *room, const uint64_t *limb, int32_t length, int32_t sign)
{
    while (length > 0 && limb[length - 1] == 0)
        length--;
    room->next = (uint64_t *)limb + length;
    return (snag__exact){limb, length, length ? sign : 0};
}

// ---- from doubles ----

// |value| = mantissa * 2^exponent, with an integer mantissa below 2^53.
static uint64_t split(double value, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    SNAG__ASSERT(biased != 0x7ff && "exact numbers are made of finite doubles");
    uint64_t fraction = bits & 0xfffffffffffffu;
    *exponent = (biased ? biased : 1) - 1075;
    return biased ? fraction | 1ull << 52 : fraction;
}

int snag__exact_unit(int unit, double value)
{
    int exponent;
    uint64_t mantissa = split(value, &exponent);
    if (mantissa == 0)
        return unit;
    exponent += __builtin_ctzll(mantissa);
    return exponent < unit ? exponent : unit;
}

int snag__exact_unit_of_points(const double *const *points, size_t count)
{
    SNAG__ASSERT(points != NULL && count > 0);
    int unit = SNAG__EXACT_NO_UNIT;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            unit = snag__exact_unit(unit, points[i][k]);
    return unit;
}

snag__exact snag__exact_from(snag__exact_room *room, double value, int unit)
{
    int exponent;
    uint64_t mantissa = split(value, &exponent);
    if (mantissa == 0)
        return (snag__exact){room->next, 0, 0};
    int shift = exponent - unit;
    if (shift < 0) {
        SNAG__ASSERT(__builtin_ctzll(mantissa) >= -shift);
        mantissa >>= -shift;
        shift = 0;
    }
    int32_t whole = shift / 64, part = shift % 64;
    uint64_t *limb = take(room, whole + 2);
    memset(limb, 0, (size_t)whole * sizeof *limb);
    limb[whole] = mantissa << part;
    limb[whole + 1] = part ? mantissa >> (64 - part) : 0;
    return trimmed(room, limb, whole + 2, value < 0 ? -1 : 1);
}

static snag__exact from_u128(snag__exact_room *room, snag__u128 magnitude, int32_t sign)
{
    uint64_t *limb = take(room, 2);
    limb[0] = snag__u128_low(magnitude);
    limb[1] = snag__u128_high(magnitude);
    return trimmed(room, limb, 2, sign);
}

#if SNAG__INT128
// Computes value / 2^unit if that is below 2^126.
static bool fits_i128(double value, int unit, snag__i128 *integer)
{
    int exponent;
    uint64_t mantissa = split(value, &exponent);
    int shift = exponent - unit;
    *integer = 0;
    if (mantissa == 0)
        return true;
    if (shift > 126 - 53)
        return false;
    snag__i128 magnitude = shift < 0 ? (snag__i128)(mantissa >> -shift) : (snag__i128)mantissa << shift;
    *integer = value < 0 ? -magnitude : magnitude;
    return true;
}
#endif

snag__exact snag__exact_from_difference(snag__exact_room *room, double a, double b, int unit)
{
#if SNAG__INT128
    snag__i128 small_a, small_b;
    if (fits_i128(a, unit, &small_a) && fits_i128(b, unit, &small_b)) {
        snag__i128 difference = small_a - small_b;
        return from_u128(room, difference < 0 ? -(snag__u128)difference : (snag__u128)difference, difference < 0 ? -1 : 1);
    }
#endif
    snag__exact_room inner = *room;
    snag__exact long_a = snag__exact_from(&inner, a, unit);
    snag__exact long_b = snag__exact_from(&inner, b, unit);
    return snag__exact_keep(room, snag__exact_subtract(&inner, long_a, long_b));
}

void snag__exact_from_points(snag__exact_room *room, const double a[3], const double b[3], int unit, snag__exact difference[3])
{
    for (int k = 0; k < 3; k++)
        difference[k] = snag__exact_from_difference(room, a[k], b[k], unit);
}

snag__exact snag__exact_from_integer(snag__exact_room *room, int64_t value)
{
    return from_u128(room, snag__u128_of(0, value < 0 ? -(uint64_t)value : (uint64_t)value), value < 0 ? -1 : 1);
}

// ---- arithmetic ----

static int compare_magnitudes(snag__exact a, snag__exact b)
{
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    for (int32_t i = a.length; i-- > 0;)
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
}

// a + b + carry; the carry out of it replaces the one that went in.
static uint64_t add_carry(uint64_t a, uint64_t b, uint64_t *carry)
{
    snag__u128 sum = snag__u128_add64(snag__u128_add64(snag__u128_of(0, *carry), a), b);
    *carry = snag__u128_high(sum);
    return snag__u128_low(sum);
}

static snag__exact add_magnitudes(snag__exact_room *room, snag__exact a, snag__exact b, int32_t sign)
{
    if (a.length < b.length) {
        snag__exact swap = a;
        a = b;
        b = swap;
    }
    uint64_t *limb = take(room, a.length + 1);
    uint64_t carry = 0;
    int32_t i = 0;
    for (; i < b.length; i++)
        limb[i] = add_carry(a.limb[i], b.limb[i], &carry);
    for (; i < a.length; i++)
        limb[i] = add_carry(a.limb[i], 0, &carry);
    limb[i] = carry;
    return trimmed(room, limb, a.length + 1, sign);
}

// For |a| >= |b|.
static snag__exact subtract_magnitudes(snag__exact_room *room, snag__exact a, snag__exact b, int32_t sign)
{
    uint64_t *limb = take(room, a.length);
    uint64_t borrow = 0;
    int32_t i = 0;
    for (; i < b.length; i++) {
        snag__u128 difference = snag__u128_subtract(snag__u128_of(0, a.limb[i]), snag__u128_of(0, b.limb[i]));
        difference = snag__u128_subtract(difference, snag__u128_of(0, borrow));
        limb[i] = snag__u128_low(difference);
        borrow = snag__u128_high(difference) & 1;
    }
    for (; i < a.length; i++) {
        limb[i] = a.limb[i] - borrow;
        borrow = a.limb[i] < borrow;
    }
    return trimmed(room, limb, a.length, sign);
}

snag__exact snag__exact_add(snag__exact_room *room, snag__exact a, snag__exact b)
{
    if (a.sign == 0)
        return b;
    if (b.sign == 0)
        return a;
    if (a.sign == b.sign)
        return add_magnitudes(room, a, b, a.sign);
    return compare_magnitudes(a, b) >= 0 ? subtract_magnitudes(room, a, b, a.sign) : subtract_magnitudes(room, b, a, b.sign);
}

snag__exact snag__exact_subtract(snag__exact_room *room, snag__exact a, snag__exact b)
{
    return snag__exact_add(room, a, snag__exact_negate(b));
}

// limb[0..length] = factor * b, of `length` limbs.
static void multiply_limb(uint64_t *limb, uint64_t factor, const uint64_t *b, int32_t length)
{
    uint64_t carry = 0;
    for (int32_t j = 0; j < length; j++) {
        snag__u128 product = snag__u128_add64(snag__u128_multiply(factor, b[j]), carry);
        limb[j] = snag__u128_low(product);
        carry = snag__u128_high(product);
    }
    limb[length] = carry;
}

// limb[0..length] += factor * b, where limb[length] is not yet set.
static void add_multiple(uint64_t *limb, uint64_t factor, const uint64_t *b, int32_t length)
{
    uint64_t carry = 0;
    for (int32_t j = 0; j < length; j++) {
        snag__u128 sum = snag__u128_add64(snag__u128_add64(snag__u128_multiply(factor, b[j]), limb[j]), carry);
        limb[j] = snag__u128_low(sum);
        carry = snag__u128_high(sum);
    }
    limb[length] = carry;
}

snag__exact snag__exact_multiply(snag__exact_room *room, snag__exact a, snag__exact b)
{
    int32_t length = a.length + b.length, sign = a.sign * b.sign;
    if (sign == 0)
        return (snag__exact){room->next, 0, 0};
    uint64_t *limb = take(room, length);
    multiply_limb(limb, a.limb[0], b.limb, b.length);
    for (int32_t i = 1; i < a.length; i++) {
        if (a.limb[i] == 0)  // wide ranges of magnitude give numbers that are mostly zeros
            limb[i + b.length] = 0;
        else
            add_multiple(limb + i, a.limb[i], b.limb, b.length);
    }
    return trimmed(room, limb, length, sign);
}

snag__exact snag__exact_shift(snag__exact_room *room, snag__exact a, int bits)
{
    SNAG__ASSERT(bits >= 0);
    if (a.sign == 0)
        return a;
    int32_t whole = bits / 64, part = bits % 64;
    uint64_t *limb = take(room, a.length + whole + 1);
    memset(limb, 0, (size_t)whole * sizeof *limb);
    uint64_t carry = 0;
    for (int32_t i = 0; i < a.length; i++) {
        limb[whole + i] = a.limb[i] << part | carry;
        carry = part ? a.limb[i] >> (64 - part) : 0;
    }
    limb[whole + a.length] = carry;
    return trimmed(room, limb, a.length + whole + 1, a.sign);
}

int snag__exact_compare(snag__exact a, snag__exact b)
{
    if (a.sign != b.sign)
        return a.sign < b.sign ? -1 : 1;
    return a.sign * compare_magnitudes(a, b);
}

snag__exact snag__exact_determinant2(snag__exact_room *room, snag__exact a, snag__exact b, snag__exact c, snag__exact d)
{
    snag__exact_room inner = *room;
    snag__exact left = snag__exact_multiply(&inner, a, d);
    snag__exact right = snag__exact_multiply(&inner, b, c);
    return snag__exact_keep(room, snag__exact_subtract(&inner, left, right));
}

snag__exact snag__exact_dot(snag__exact_room *room, const snag__exact a[3], const snag__exact b[3])
{
    snag__exact_room inner = *room;
    snag__exact sum = snag__exact_multiply(&inner, a[0], b[0]);
    for (int k = 1; k < 3; k++)
        sum = snag__exact_add(&inner, sum, snag__exact_multiply(&inner, a[k], b[k]));
    return snag__exact_keep(room, sum);
}

void snag__exact_cross(snag__exact_room *room, const snag__exact a[3], const snag__exact b[3], snag__exact cross[3])
{
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        cross[k] = snag__exact_determinant2(room, a[l], a[m], b[l], b[m]);
    }
}

snag__exact snag__exact_determinant3(snag__exact_room *room, const snag__exact a[3], const snag__exact b[3], const snag__exact c[3])
{
    snag__exact_room inner = *room;
    snag__exact cross[3];
    snag__exact_cross(&inner, b, c, cross);
    return snag__exact_keep(room, snag__exact_dot(&inner, a, cross));
}

snag__exact snag__exact_keep(snag__exact_room *room, snag__exact a)
{
    uint64_t *limb = take(room, a.length);
    memmove(limb, a.limb, (size_t)a.length * sizeof *limb);
    return (snag__exact){limb, a.length, a.sign};
}

// ---- back to doubles ----

static int bit_length(snag__exact a)
{
    return a.length * 64 - __builtin_clzll(a.limb[a.length - 1]);
}

// |a| * 2^bits in exactly `length` limbs.
static uint64_t *shifted_limbs(snag__exact_room *room, snag__exact a, int bits, int32_t length)
{
    snag__exact_room inner = *room;
    snag__exact shifted = snag__exact_shift(&inner, a, bits);
    uint64_t *limb = take(room, length);
    memset(limb + shifted.length, 0, (size_t)(length - shifted.length) * sizeof *limb);
    return limb;
}

// limb -= factor * divisor over length + 1 limbs, modulo 2^(64 (length + 1)). Returns whether it became negative.
static bool subtract_multiple(uint64_t *limb, uint64_t factor, const uint64_t *divisor, int32_t length)
{
    uint64_t carry = 0;
    for (int32_t i = 0; i < length; i++) {
        snag__u128 product = snag__u128_add64(snag__u128_multiply(factor, divisor[i]), carry);
        carry = snag__u128_high(product) + (limb[i] < snag__u128_low(product));
        limb[i] -= snag__u128_low(product);
    }
    bool below = limb[length] < carry;
    limb[length] -= carry;
    return below;
}

// limb += divisor over length + 1 limbs. Returns whether it is no longer negative.
static bool add_back(uint64_t *limb, const uint64_t *divisor, int32_t length)
{
    uint64_t carry = 0;
    for (int32_t i = 0; i < length; i++)
        limb[i] = add_carry(limb[i], divisor[i], &carry);
    limb[length] += carry;
    return carry != 0 && limb[length] == 0;
}

// The quotient, below 2^64, of two positive numbers, rounded down; the remainder is left in `dividend` (length + 1 limbs). The
// highest bit of the divisor is set, so the estimate from the highest limbs is at most 2 too large.
static uint64_t divide(uint64_t *dividend, const uint64_t *divisor, int32_t length)
{
    uint64_t top = divisor[length - 1];
    snag__u128 head = snag__u128_of(dividend[length], dividend[length - 1]);
    uint64_t quotient = dividend[length] >= top ? UINT64_MAX : snag__u128_divide(head, top);
    bool below = subtract_multiple(dividend, quotient, divisor, length);
    while (below) {
        quotient--;
        below = !add_back(dividend, divisor, length);
    }
    return quotient;
}

// mantissa * 2^exponent rounded to double, where `more` says that the true value is a little larger.
static double rounded(uint64_t mantissa, bool more, int exponent)
{
    int bits = 64 - __builtin_clzll(mantissa);
    int lowest = bits + exponent - 53;  // exponent of the last place of the result
    if (lowest < -1074)
        lowest = -1074;
    int drop = lowest - exponent;
    if (drop > bits)
        return 0.0;
    // Between 1 and 64 bits are dropped.
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t kept = drop < 64 ? mantissa >> drop : 0;
    uint64_t rest = drop < 64 ? mantissa - (kept << drop) : mantissa;
    if (rest > half || (rest == half && (more || (kept & 1))))
        kept++;
    return ldexp((double)kept, lowest);
}

double snag__exact_ratio(snag__exact_room room, snag__exact a, snag__exact b, int unit)
{
    SNAG__ASSERT(b.sign != 0);
    if (a.sign == 0)
        return 0.0;
    // The quotient of a 2^shift_a and b 2^shift_b has 63 or 64 bits, and b 2^shift_b ends at the top of a limb.
    int shift = bit_length(b) - bit_length(a) + 63;
    int shift_b = shift < 0 ? -shift : 0;
    shift_b += (64 - (bit_length(b) + shift_b) % 64) % 64;
    int shift_a = shift + shift_b;
    int32_t length = (bit_length(b) + shift_b) / 64;
    uint64_t *divisor = shifted_limbs(&room, b, shift_b, length);
    uint64_t *dividend = shifted_limbs(&room, a, shift_a, length + 1);
    uint64_t quotient = divide(dividend, divisor, length);
    bool more = false;
    for (int32_t i = 0; i < length; i++)
        more |= dividend[i] != 0;
    return a.sign * b.sign * rounded(quotient, more, unit - shift);
}

void snag__exact_zero_between(snag__exact_room room, const double from[3], const double to[3], snag__exact at_from,
                              snag__exact at_to, int unit, double point[3])
{
    snag__exact whole = snag__exact_subtract(&room, at_to, at_from);
    SNAG__ASSERT(whole.sign != 0);
    for (int k = 0; k < 3; k++) {
        snag__exact_room inner = room;
        snag__exact left = snag__exact_multiply(&inner, snag__exact_from(&inner, from[k], unit), at_to);
        snag__exact right = snag__exact_multiply(&inner, snag__exact_from(&inner, to[k], unit), at_from);
        snag__exact part = snag__exact_subtract(&inner, left, right);
        point[k] = snag__exact_ratio(inner, part, whole, unit) + 0.0;
    }
}
