// What the tool's JSON writer writes is JSON, whatever it is given.
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "json.h"
#include "read_json.h"

typedef struct page {
    json j;
    FILE *file;
    char *text;
    size_t size;
} page;

static void begin(page *p)
{
    p->file = open_memstream(&p->text, &p->size);
    assert_non_null(p->file);
    json_begin(&p->j, p->file);
}

static const char *end(page *p)
{
    json_end(&p->j);
    fclose(p->file);
    return p->text;
}

static void nested_values_are_json(void **state)
{
    (void)state;
    page p;
    begin(&p);
    json_object(&p.j, NULL);
    json_array(&p.j, "empty");
    json_close_array(&p.j);
    json_array(&p.j, "items");
    json_flat_object(&p.j, NULL);
    json_count(&p.j, "n", 18446744073709551615ull);
    json_array(&p.j, "inner");
    json_object(&p.j, NULL);
    json_close_object(&p.j);
    json_bool(&p.j, NULL, false);
    json_close_array(&p.j);
    json_close_object(&p.j);
    json_text(&p.j, NULL, NULL);
    json_close_array(&p.j);
    json_point(&p.j, "p", (double[3]){1, -2.5, 1e-300});
    json_ms(&p.j, "ms", 1.0 / 3);
    json_close_object(&p.j);
    const char *text = end(&p);
    assert_true(read_json_valid(text));
    assert_int_equal(read_json_count(text, "empty"), 0);
    assert_int_equal(read_json_count(text, "items"), 2);
    assert_int_equal(read_json_count(text, "items[0].inner"), 2);
    assert_true(strncmp(read_json_find(text, "items[0].n"), "18446744073709551615", 20) == 0);
    assert_true(strncmp(read_json_find(text, "items[1]"), "null", 4) == 0);
    assert_true(read_json_at(text, "p[2]") == 1e-300);
    assert_true(strncmp(read_json_find(text, "ms"), "0.333", 5) == 0);
    free(p.text);
}

static void numbers_read_back_the_same_and_what_is_none_is_null(void **state)
{
    (void)state;
    const double numbers[] = {0, 0.1, 1.0 / 3, 1e308, 5e-324, -123456789.123456789, 1e15, 0.30000000000000004};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        page p;
        begin(&p);
        json_number(&p.j, NULL, numbers[i]);
        const char *text = end(&p);
        assert_true(read_json_valid(text));
        assert_true(strtod(text, NULL) == numbers[i]);
        free(p.text);
    }
    const double none[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        page p;
        begin(&p);
        json_number(&p.j, NULL, none[i]);
        assert_string_equal(end(&p), "null\n");
        free(p.text);
    }
}

static void assert_text(const char *given, const char *written)
{
    page p;
    begin(&p);
    json_text(&p.j, NULL, given);
    const char *text = end(&p);
    assert_true(read_json_valid(text));
    assert_string_equal(text, written);
    free(p.text);
}

static void text_is_escaped_and_utf8_passes_through(void **state)
{
    (void)state;
    assert_text("plain", "\"plain\"\n");
    assert_text("a\"b\\c", "\"a\\\"b\\\\c\"\n");
    assert_text("tab\tline\nbell\a\x7f", "\"tab\\u0009line\\u000abell\\u0007\\u007f\"\n");
    assert_text("Kleid \xc3\xa4\xe2\x82\xac\xf0\x9f\x91\x97", "\"Kleid \xc3\xa4\xe2\x82\xac\xf0\x9f\x91\x97\"\n");
}

static void bytes_that_are_not_utf8_become_replacements(void **state)
{
    (void)state;
    assert_text("a\xff\x62", "\"a\\ufffdb\"\n");
    assert_text("cut \xe2\x82", "\"cut \\ufffd\\ufffd\"\n");
    assert_text("overlong \xc0\xaf", "\"overlong \\ufffd\\ufffd\"\n");
    assert_text("surrogate \xed\xa0\x80", "\"surrogate \\ufffd\\ufffd\\ufffd\"\n");
    assert_text("beyond \xf4\x90\x80\x80", "\"beyond \\ufffd\\ufffd\\ufffd\\ufffd\"\n");
    assert_text("\xc3\"", "\"\\ufffd\\\"\"\n");
}

static void the_reader_of_these_tests_can_say_no(void **state)
{
    (void)state;
    const char *const bad[] = {"",      "{",     "[1,]", "{\"a\" 1}", "{\"a\":1,}", "\"\n\"", "\"\\x\"",  "01", "1.", "nan",
                               "[1 2]", "{1:2}", "1 1",  "\"open",    "[1]]",       "truer",  "{\"a\":}", "-",  "1e", "+1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (read_json_valid(bad[i]))
            fail_msg("taken for JSON: %s", bad[i]);
    assert_true(read_json_valid(" {\"a\": [1, -0.5e+3, \"x\\u00e4\", {}, [], true, null]} "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_values_are_json),
        cmocka_unit_test(numbers_read_back_the_same_and_what_is_none_is_null),
        cmocka_unit_test(text_is_escaped_and_utf8_passes_through),
        cmocka_unit_test(bytes_that_are_not_utf8_become_replacements),
        cmocka_unit_test(the_reader_of_these_tests_can_say_no),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
