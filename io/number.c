// Decimal numbers to doubles, correctly rounded.
//
// Three algorithms, each for the cases the previous one cannot decide. For nearly all numbers of a mesh file, the digits and the
// power of ten both fit a double exactly: one multiplication or division rounds once (Clinger: How to Read Floating Point Numbers
// Accurately, PLDI 1990). Otherwise the digits, as 64 bits, are multiplied with 128 bits of the power of five, as in Lemire: Number
// Parsing at a Gigabyte per Second, Software: Practice and Experience 2021. A value within 2^-60 of the midpoint between two
// doubles, or one of more than 19 digits near it, is compared with that midpoint in big integers.
//
// Difference to Lemire: the powers of five come from two short tables, 25 entries of 128 bits and 28 of 64 bits. Their
// product costs two more multiplications and has a known error; a table of all powers takes 10 kB.
#include "number.h"

#include "common/int128.h"

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// ---- digits ----

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

// Loads eight bytes, little-endian on every machine.
static inline uint64_t load8(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

// The value of eight digits stored as bytes 0..9, the first one lowest: joins digits to pairs, pairs to fours, fours to eight.
static inline uint64_t join_digits(uint64_t digits)
{
    const uint64_t bytes = 0x00ff00ff00ff00ff, pairs = 0x0000ffff0000ffff, fours = 0x00000000ffffffff;
    digits = (digits & bytes) * 10 + (digits >> 8 & bytes);
    digits = (digits & pairs) * 100 + (digits >> 16 & pairs);
    return (digits & fours) * 10000 + (digits >> 32);
}

// Appends up to eight digits at `at` to `number`. Returns how many there are.
static inline unsigned read_up_to_8(const char *at, const char *end, uint64_t *number)
{
    static const uint32_t power[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    if (end - at < 8) {
        unsigned count = 0;
        for (; at + count < end && is_digit(at[count]); count++)
            *number = *number * 10 + (uint64_t)(at[count] - '0');
        return count;
    }
    uint64_t digits = load8(at) ^ 0x3030303030303030;
    // A byte above 9 sets its highest bit; carries only affect bytes after the first such one, and we only need the first.
    uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
    unsigned count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (count == 0)
        return 0;
    // Shift in leading zeros for the missing digits.
    *number = *number * power[count] + join_digits(digits << (64 - 8 * count));
    return count;
}

// ---- powers of five ----

// The highest 128 bits of 5^(28 k), k = -13..11, truncated; exact for k = 0 and 1.
static const uint64_t big_power[25][2] = {
    {0xe1afa13afbd14d6d, 0x82189c09a3a1ec21}, {0xe3e27a444d8d98b7, 0xfd1b1b2308169b25}, {0xe61acf033d1a45df, 0x6fb92487298e33bd},
    {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68}, {0xea9c227723ee8bcb, 0x465e15a979c1cadc}, {0xece53cec4a314ebd, 0xa4f8bf5635246428},
    {0xef340a98172aace4, 0x86fb897116c87c34}, {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1}, {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa},
    {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5}, {0xf8a95fcf88747d94, 0x75a44c6397ce912a}, {0xfb158592be068d2e, 0xeed6e2f0f0d56712},
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc}, {0x8000000000000000, 0x0000000000000000}, {0x813f3978f8940984, 0x4000000000000000},
    {0x82818f1281ed449f, 0xbff8f10e7a8921a4}, {0x83c7088e1aab65db, 0x792667c6da79e0fa}, {0x850fadc09923329e, 0x03e2cf6bc604ddb0},
    {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2}, {0x87aa9aff79042286, 0x90fb44d2f05d0842}, {0x88fcf317f22241e2, 0x441fece3bdf81f03},
    {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f}, {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e}, {0x8d07e33455637eb2, 0xdb0b487b6423e1e8},
    {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648},
};
enum { BIG_STEP = 28, BIG_FIRST = -13 };

// 5^0..5^27, exact.
static const uint64_t small_power[BIG_STEP] = {
    1,
    5,
    25,
    125,
    625,
    3125,
    15625,
    78125,
    390625,
    1953125,
    9765625,
    48828125,
    244140625,
    1220703125,
    6103515625,
    30517578125,
    152587890625,
    762939453125,
    3814697265625,
    19073486328125,
    95367431640625,
    476837158203125,
    2384185791015625,
    11920928955078125,
    59604644775390625,
    298023223876953125,
    1490116119384765625,
    7450580596923828125,
};

// floor(log2(5^n)); correct for |n| < 400.
static int log2_of_power(int n)
{
    return (n * 152170) >> 16;
}

// A 128-bit mantissa with the highest bit set, times 2^exponent. The true value is at least mantissa * 2^exponent and less
// than (mantissa + slack) * 2^exponent.
typedef struct scaled {
    snag__u128 mantissa;
    int exponent;
} scaled;

// The highest 128 bits of a * b, normalized: the highest bit of the product may be one position lower.
static inline scaled multiply(snag__u128 a, uint64_t b, int exponent)
{
    snag__u128 low = snag__u128_multiply(snag__u128_low(a), b);
    snag__u128 high = snag__u128_add64(snag__u128_multiply(snag__u128_high(a), b), snag__u128_high(low));
    if (snag__u128_high(high) >> 63)
        return (scaled){high, exponent + 64};
    return (scaled){snag__u128_add64(snag__u128_left(high, 1), snag__u128_low(low) >> 63), exponent + 63};
}

// 5^n from below, with an error of less than 3 units in the last place: the large power is up to one unit too small,
// normalizing may double that, and the product is truncated. n = -343..308.
static inline scaled power_of_five(int n)
{
    int k = (n - BIG_STEP * BIG_FIRST) / BIG_STEP, small = n - BIG_STEP * (BIG_FIRST + k);
    snag__u128 big = snag__u128_of(big_power[k][0], big_power[k][1]);
    int big_exponent = log2_of_power(BIG_STEP * (BIG_FIRST + k)) - 127;
    int shift = __builtin_clzll(small_power[small]);
    return multiply(big, small_power[small] << shift, big_exponent - shift);
}

// ---- big integers, for undecided cases ----

enum {
    BIG_WORDS = 100,  // 3200 bits; see compare_with_middle for the largest value
    MOST_DIGITS = 770,  // more digits than any midpoint between two doubles; further digits only mean "slightly more"
};

typedef struct big {
    uint32_t word[BIG_WORDS];  // lowest first
    unsigned count;
} big;

static void big_multiply_add(big *number, uint32_t factor, uint32_t summand)
{
    uint64_t carry = summand;
    for (unsigned i = 0; i < number->count; i++) {
        carry += (uint64_t)number->word[i] * factor;
        number->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(number->count < BIG_WORDS);
        number->word[number->count++] = (uint32_t)carry;
    }
}

static void big_multiply_power_of_five(big *number, unsigned n)
{
    for (; n >= 13; n -= 13)
        big_multiply_add(number, 1220703125, 0);
    if (n)
        big_multiply_add(number, (uint32_t)small_power[n], 0);
}

static void big_shift_left(big *number, unsigned bits)
{
    unsigned words = bits / 32;
    assert(number->count + words < BIG_WORDS);
    memmove(number->word + words, number->word, number->count * sizeof *number->word);
    memset(number->word, 0, words * sizeof *number->word);
    number->count += words;
    if (bits % 32)
        big_multiply_add(number, (uint32_t)1 << bits % 32, 0);
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (unsigned i = a->count; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

// A decimal number as written: its digits are between `first` and `last`, possibly with a decimal point, and the last digit
// has the weight 10^exponent.
typedef struct decimal {
    const char *first, *last;
    int64_t exponent;
} decimal;

// The digits as an integer, and the power of ten of the last digit. If there are very many digits, the tail is replaced by
// a 1 unless it is all zero: no midpoint lies between the two values.
static int64_t big_from_decimal(big *number, const decimal *source)
{
    int64_t exponent = source->exponent;
    unsigned digits = 0;
    bool more = false;
    number->count = 0;
    for (const char *c = source->first; c < source->last; c++) {
        if (!is_digit(*c) || (digits == 0 && *c == '0'))
            continue;
        if (digits < MOST_DIGITS) {
            big_multiply_add(number, 10, (uint32_t)(*c - '0'));
            digits++;
        } else {
            exponent++;
            more |= *c != '0';
        }
    }
    if (more) {
        big_multiply_add(number, 10, 1);
        exponent--;
    }
    return exponent;
}

// Compares a decimal with the midpoint between mantissa * 2^exponent and the next double. The two are close, so the
// integers below have at most 771 digits, times 2^64: 2640 bits.
static int compare_with_middle(const decimal *source, uint64_t mantissa, int exponent)
{
    big left, right = {{0}, 0};
    int64_t ten = big_from_decimal(&left, source);
    uint64_t middle = 2 * mantissa + 1;
    right.word[0] = (uint32_t)middle;
    right.word[1] = (uint32_t)(middle >> 32);
    right.count = right.word[1] ? 2 : 1;
    if (ten >= 0)
        big_multiply_power_of_five(&left, (unsigned)ten);
    else
        big_multiply_power_of_five(&right, (unsigned)-ten);
    int64_t shift = ten - (exponent - 1);
    if (shift >= 0)
        big_shift_left(&left, (unsigned)shift);
    else
        big_shift_left(&right, (unsigned)-shift);
    return big_compare(&left, &right);
}

// ---- rounding ----

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum {
    EXPONENT_OF_SMALLEST = -1074,  // the smallest positive double is 2^-1074
    EXPONENT_OF_LARGEST = 971,  // the largest is (2^53 - 1) * 2^971
};
#define INFINITE_BITS ((uint64_t)0x7ff << 52)

// Makes mantissa * 2^exponent, where the mantissa has 53 bits, or fewer at the smallest exponent, or is 2^53.
static double assemble(uint64_t mantissa, int exponent)
{
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    if (exponent > EXPONENT_OF_LARGEST)
        return from_bits(INFINITE_BITS);
    if (!(mantissa >> 52))
        return from_bits(mantissa);
    // The highest bit is not stored; it adds one to the exponent field.
    return from_bits(mantissa + ((uint64_t)(exponent - EXPONENT_OF_SMALLEST) << 52));
}

// Rounds number * 10^power. If `cut`, the true decimal (`source`) may be larger, by less than one unit of `number`.
static double round_scaled(uint64_t number, int power, bool cut, const decimal *source)
{
    int zeros = __builtin_clzll(number);
    scaled five = power_of_five(power);
    scaled product = multiply(five.mantissa, number << zeros, five.exponent + power - zeros);
    // The error of the power of five (3 units) and the truncation of the product, doubled by normalizing, make 8; dropped
    // digits count up to one unit of `number`.
    snag__u128 slack = cut ? snag__u128_of((uint64_t)2 << zeros, 8) : snag__u128_of(0, 8);

    int drop = 128 - 53;
    if (product.exponent + drop < EXPONENT_OF_SMALLEST)
        drop = EXPONENT_OF_SMALLEST - product.exponent;
    int exponent = product.exponent + drop;
    if (exponent > EXPONENT_OF_LARGEST)
        return from_bits(INFINITE_BITS);
    snag__u128 most = snag__u128_subtract(snag__u128_of(0, 0), slack);  // 2^128 - slack
    if (drop > 129 || (drop == 129 && !snag__u128_less(most, product.mantissa)))
        return 0;  // below the midpoint of 0 and the smallest double
    uint64_t mantissa = drop < 128 ? snag__u128_low(snag__u128_right(product.mantissa, drop)) : 0;
    bool up;
    if (drop == 129) {
        up = compare_with_middle(source, 0, exponent) > 0;
    } else {
        snag__u128 kept = drop < 128 ? snag__u128_left(snag__u128_of(0, mantissa), drop) : snag__u128_of(0, 0);
        snag__u128 rest = snag__u128_subtract(product.mantissa, kept);
        snag__u128 half = snag__u128_left(snag__u128_of(0, 1), drop - 1);
        if (snag__u128_less(half, rest))
            up = true;
        else if (!snag__u128_less(snag__u128_subtract(half, rest), slack))
            up = false;
        else {
            int order = compare_with_middle(source, mantissa, exponent);
            up = order > 0 || (order == 0 && (mantissa & 1));
        }
    }
    return assemble(mantissa + up, exponent);
}

// number * 10^power, correctly rounded. `digits` is the number of digits of the source without leading zeros.
static double convert(uint64_t number, size_t digits, int64_t power, const decimal *source)
{
    static const double exact_power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool cut = digits > 19;
    if (FLT_EVAL_METHOD == 0 && !cut && number <= (uint64_t)1 << 53 && power >= -22 && power <= 22)
        return power < 0 ? (double)number / exact_power[-power] : (double)number * exact_power[power];
    // 19 digits times 10^-344 are less than half of the smallest double; 1 times 10^309 exceeds the largest.
    if (number == 0 || power < -343)
        return 0;
    if (power > 308)
        return from_bits(INFINITE_BITS);
    return round_scaled(number, (int)power, cut, source);
}

// ---- words ----

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26 || c == '_';
}

static bool begins_with(const char *at, const char *end, const char *word)
{
    for (; *word; at++, word++)
        if (at == end || (*at | 0x20) != *word)
            return false;
    return true;
}

static const char *read_not_finite(const char *at, const char *end, double *value)
{
    if (begins_with(at, end, "infinity") || begins_with(at, end, "inf")) {
        *value = from_bits(INFINITE_BITS);
        return at + (begins_with(at, end, "infinity") ? 8 : 3);
    }
    if (!begins_with(at, end, "nan"))
        return NULL;
    *value = from_bits(INFINITE_BITS | (uint64_t)1 << 51);
    at += 3;
    // "nan(ind)": some libraries add the kind of NaN in brackets.
    const char *close = at;
    if (close < end && *close == '(')
        for (close++; close < end && (is_digit(*close) || is_letter(*close));)
            close++;
    return close < end && close > at && *close == ')' ? close + 1 : at;
}

// Reads the exponent after the digits, "e-12". Without digits it is not part of the number.
static const char *read_exponent(const char *at, const char *end, int64_t *exponent)
{
    *exponent = 0;
    if (at == end || (*at | 0x20) != 'e')
        return at;
    const char *first = at + 1;
    bool minus = first < end && *first == '-';
    if (first < end && (*first == '-' || *first == '+'))
        first++;
    if (first == end || !is_digit(*first))
        return at;
    int64_t number = 0;
    const char *c = first;
    // A larger exponent makes no difference: no file has that many digits.
    for (; c < end && is_digit(*c); c++)
        if (number < INT64_MAX / 100)
            number = number * 10 + (*c - '0');
    *exponent = minus ? -number : number;
    return c;
}

// Appends all digits of a run to `number`, modulo 2^64: correct for at most 19 digits after leading zeros.
static inline const char *read_digits(const char *at, const char *end, uint64_t *number)
{
    unsigned count;
    do {
        count = read_up_to_8(at, end, number);
        at += count;
    } while (count == 8);
    // Near the end of the text, fewer than eight digits do not mean that the run has ended.
    while (at < end && is_digit(*at))
        *number = *number * 10 + (uint64_t)(*at++ - '0');
    return at;
}

// The first 19 digits after leading zeros; `significant` counts all of them.
static uint64_t first_digits(const char *first, const char *last, size_t *significant)
{
    uint64_t number = 0;
    *significant = 0;
    for (const char *c = first; c < last; c++) {
        if (!is_digit(*c) || (*significant == 0 && *c == '0'))
            continue;
        if (++*significant <= 19)
            number = number * 10 + (uint64_t)(*c - '0');
    }
    return number;
}

static inline const char *read_sign(const char *at, const char *end, bool *minus)
{
    *minus = at < end && *at == '-';
    return at + (*minus || (at < end && *at == '+'));
}

const char *snag__read_double(const char *at, const char *end, double *value)
{
    bool minus;
    const char *first = read_sign(at, end, &minus);
    uint64_t number = 0;
    const char *last = read_digits(first, end, &number);
    size_t digits = (size_t)(last - first);
    int64_t fraction = 0;
    if (last < end && *last == '.') {
        const char *point = last;
        last = read_digits(point + 1, end, &number);
        fraction = last - point - 1;
        digits += (size_t)fraction;
    }
    if (digits == 0) {
        const char *after = read_not_finite(first, end, value);
        if (after && minus)
            *value = -*value;
        return after ? after : at;
    }
    decimal source = {first, last, 0};
    const char *after = read_exponent(last, end, &source.exponent);
    source.exponent -= fraction;
    int64_t power = source.exponent;
    if (digits > 19) {
        uint64_t cut = first_digits(first, last, &digits);
        if (digits > 19) {
            number = cut;
            power += (int64_t)digits - 19;
        }
    }
    double result = convert(number, digits, power, &source);
    *value = minus ? -result : result;
    return after;
}

const char *snag__read_integer(const char *at, const char *end, int64_t *value)
{
    bool minus;
    const char *first = read_sign(at, end, &minus);
    uint64_t number = 0;
    const char *last = read_digits(first, end, &number);
    if (last == first)
        return at;
    size_t digits = (size_t)(last - first);
    if (digits > 18) {
        number = first_digits(first, last, &digits);
        if (digits > 19 || number > INT64_MAX)
            number = INT64_MAX;
    }
    *value = minus ? -(int64_t)number : (int64_t)number;
    return last;
}
