// Decimal numbers. The judge is strtod of the C library, which rounds correctly; the hardest inputs, exact middles
// between two doubles, are made with GMP.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "base/random.h"
#include "number.h"

#include <float.h>
#include <gmp.h>
#include <locale.h>
#include <math.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Reads the text from a block of just its size, and once more with other bytes after it.
static void assert_reads_like_strtod(const char *text)
{
    char *rest;
    double expected = strtod(text, &rest), value = 12345;
    const char *end = text + strlen(text);
    const char *after = snag__read_double(text, end, &value);
    if (after != rest || (bits_of(value) != bits_of(expected) && !(isnan(value) && isnan(expected))))
        fail_msg("%s: %a, %td bytes; should be %a, %td bytes", text, value, after - text, expected, rest - text);
}

static void small_and_plain_numbers_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5e1",
        "1e5",
        "1E+5",
        "1e-5",
        "0.1",
        "123456789",
        "0.000001",
        "3.141592653589793",
        "9007199254740993",
        "9007199254740992",
        "18446744073709551615",
        "18446744073709551616",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "0.6177698369999999883",
        "00000000000000000000000000001.5",
        "0.00000000000000000000000000000000015",
        "12345678",
        "123456789012345678",
        "1234567.12345678",
        "0e999999999999999999999",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "-1e400",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793e289",
        "5e-324",
        "3e-324",
        "2e-324",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_reads_like_strtod(texts[i]);
}

static void a_number_ends_where_it_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {"1e", "1e+", "1.5e-x", "1.5.5", "1-2", "12/3", "7 8", "1e5e5", "1..2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_reads_like_strtod(texts[i]);
}

static void what_is_no_number_is_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "-", "+", ".", "-.", "e5", ".e5", "abc", "--1", "+-1", " 1", "in", "na"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        int64_t integer;
        const char *end = texts[i] + strlen(texts[i]);
        assert_ptr_equal(snag__read_double(texts[i], end, &value), texts[i]);
        assert_ptr_equal(snag__read_integer(texts[i], end, &integer), texts[i]);
    }
}

static void not_a_number_and_infinity_are_read_as_such(void **state)
{
    (void)state;
    static const char *const texts[] = {"nan", "-nan", "NaN",      "nan(12)", "nan(ind)", "nan(",
                                        "inf", "-inf", "Infinity", "infinit", "INF",      "+inf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_reads_like_strtod(texts[i]);
}

static void nothing_is_read_past_the_end(void **state)
{
    (void)state;
    const char *text = "-123456.789012345678e-10";
    for (size_t length = 0; length <= strlen(text); length++) {
        char *block = malloc(length + 1), cut[64];
        assert_non_null(block);
        memcpy(block, text, length);
        block[length] = '7';  // must not become part of the number
        memcpy(cut, text, length);
        cut[length] = 0;
        char *rest;
        double expected = strtod(cut, &rest), value = 0;
        const char *after = snag__read_double(block, block + length, &value);
        assert_int_equal(after - block, rest - cut);
        assert_int_equal(bits_of(value), bits_of(expected));
        free(block);
    }
}

static void random_numbers_are_rounded_as_strtod_rounds(void **state)
{
    (void)state;
    snag__random random = {1};
    char text[128];
    for (int i = 0; i < 1500000; i++) {
        uint64_t bits = snag__random_u64(&random);
        unsigned digits = snag__random_below(&random, 25);
        switch (i % 6) {
        case 0: snprintf(text, sizeof text, "%.17g", from_bits(bits)); break;
        case 1: snprintf(text, sizeof text, "%.6f", (double)(int64_t)bits * 1e-17); break;
        case 2:
            snprintf(text, sizeof text, "%llue%d", (unsigned long long)bits, (int)snag__random_below(&random, 700) - 360);
            break;
        case 3: snprintf(text, sizeof text, "%.*e", (int)digits, from_bits(bits >> 12 >> snag__random_below(&random, 52))); break;
        case 4: snprintf(text, sizeof text, "%.*e", (int)digits, from_bits(bits)); break;
        default: snprintf(text, sizeof text, "%.17g", ldexp((double)(bits >> 11), -50)); break;
        }
        assert_reads_like_strtod(text);
    }
}

// Writes the exact decimal of mantissa * 2^exponent, with `more` added to its last digit, to `text`.
static void print_exactly(char *text, size_t size, uint64_t mantissa, int exponent, int more, unsigned zeros)
{
    mpz_t digits, factor;
    mpz_init_set_ui(digits, mantissa);
    mpz_init(factor);
    mpz_ui_pow_ui(factor, exponent < 0 ? 5 : 2, (unsigned)abs(exponent));
    mpz_mul(digits, digits, factor);
    // Zeros after the last digit make room for a difference as small as wanted.
    mpz_ui_pow_ui(factor, 10, zeros);
    mpz_mul(digits, digits, factor);
    if (more < 0)
        mpz_sub_ui(digits, digits, 1);
    else
        mpz_add_ui(digits, digits, (unsigned)more);
    int length = gmp_snprintf(text, size, "%Zde%d", digits, (exponent < 0 ? exponent : 0) - (int)zeros);
    assert_true(length > 0 && (size_t)length < size);
    mpz_clears(digits, factor, NULL);
}

// The middle between two neighbours goes to the even one, and what is just below or above it to the nearer one.
static void middles_are_rounded_to_even_and_their_neighbours_to_the_nearest(void **state)
{
    (void)state;
    snag__random random = {2};
    static char text[4096];
    for (int i = 0; i < 12000; i++) {
        uint64_t bits = snag__random_u64(&random) >> 1;
        if (i % 4 == 0)
            bits = snag__random_u64(&random) >> 12 >> snag__random_below(&random, 53);  // subnormal, or zero
        if (i % 4 == 1)
            bits = (bits & 0xfffffffffffff) | (uint64_t)(1023 + snag__random_below(&random, 80) - 40) << 52;
        int exponent = (int)(bits >> 52);
        if (exponent >= 0x7fe)
            continue;
        uint64_t mantissa = (bits & 0xfffffffffffff) | (exponent ? (uint64_t)1 << 52 : 0);
        exponent = (exponent ? exponent : 1) - 1075;
        for (int more = -1; more <= 1; more++) {
            print_exactly(text, sizeof text, 2 * mantissa + 1, exponent - 1, more,
                          snag__random_below(&random, 3) * snag__random_below(&random, 60));
            double value;
            snag__read_double(text, text + strlen(text), &value);
            uint64_t expected = bits + (more > 0 || (more == 0 && (bits & 1)));
            if (bits_of(value) != expected)
                fail_msg("%s: %a instead of %a", text, value, from_bits(expected));
            assert_reads_like_strtod(text);
        }
    }
}

static void thousands_of_digits_count_to_the_last(void **state)
{
    (void)state;
    // The middle of 1 and the next double, then zeros, then a 1.
    static char text[20000];
    strcpy(text, "1.00000000000000011102230246251565404236316680908203125");
    size_t length = strlen(text);
    assert_reads_like_strtod(text);
    memset(text + length, '0', 15000);
    text[length + 15000] = 0;
    assert_reads_like_strtod(text);
    double value;
    snag__read_double(text, text + strlen(text), &value);
    assert_true(value == 1.0);
    strcat(text, "1");
    assert_reads_like_strtod(text);
    snag__read_double(text, text + strlen(text), &value);
    assert_true(value == 1.0 + DBL_EPSILON);
    // As many zeros in front, of both kinds.
    memset(text, '0', 15000);
    strcpy(text + 15000, "1.5");
    assert_reads_like_strtod(text);
    text[1] = '.';
    strcpy(text + 15000, "15e15000");
    assert_reads_like_strtod(text);
}

static void the_locale_makes_no_difference(void **state)
{
    (void)state;
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (size_t i = 0; i < sizeof with_comma / sizeof *with_comma && !found; i++)
        found = setlocale(LC_ALL, with_comma[i]) != NULL;
    if (!found)
        skip();
    double value = 0;
    const char *text = "1.0000000000000001110223024625156540423631668090820313";
    const char *after = snag__read_double(text, text + strlen(text), &value);
    setlocale(LC_ALL, "C");
    assert_ptr_equal(after, text + strlen(text));
    assert_true(value == 1.0 + DBL_EPSILON);
}

static void integers_are_read_and_held_to_their_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
        size_t length;
    } cases[] = {
        {"0", 0, 1},
        {"-7/3", -7, 2},
        {"+12345678 ", 12345678, 9},
        {"123456789", 123456789, 9},
        {"000000000000000000000000000012", 12, 30},
        {"9223372036854775807", INT64_MAX, 19},
        {"9223372036854775808", INT64_MAX, 19},
        {"-9223372036854775808", -INT64_MAX, 20},
        {"99999999999999999999999", INT64_MAX, 23},
        {"18446744073709551617", INT64_MAX, 20},
        {"1.5", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 77;
        const char *text = cases[i].text;
        const char *after = snag__read_integer(text, text + strlen(text), &value);
        assert_int_equal(after - text, cases[i].length);
        assert_int_equal(value, cases[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_and_plain_numbers_are_read),
        cmocka_unit_test(a_number_ends_where_it_ends),
        cmocka_unit_test(what_is_no_number_is_left_alone),
        cmocka_unit_test(not_a_number_and_infinity_are_read_as_such),
        cmocka_unit_test(nothing_is_read_past_the_end),
        cmocka_unit_test(random_numbers_are_rounded_as_strtod_rounds),
        cmocka_unit_test(middles_are_rounded_to_even_and_their_neighbours_to_the_nearest),
        cmocka_unit_test(thousands_of_digits_count_to_the_last),
        cmocka_unit_test(the_locale_makes_no_difference),
        cmocka_unit_test(integers_are_read_and_held_to_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
