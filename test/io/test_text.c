// The scanner: words, lines and places are found whatever the line ends, blanks and comments.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "text.h"

static snag_io_error error;

static snag__text begin(snag__source *source, const char *text, char comment)
{
    *source = (snag__source){"some.txt", text, strlen(text), &error, NULL};
    return snag__text_begin(source, comment);
}

static void assert_word(snag__word word, const char *expected)
{
    if (word.length != strlen(expected) || memcmp(word.at, expected, word.length) != 0)
        fail_msg("\"%.*s\" instead of \"%s\"", (int)word.length, word.at, expected);
}

static void words_are_found_across_blanks_lines_and_comments(void **state)
{
    (void)state;
    snag__source source;
    snag__text text = begin(&source, "\xef\xbb\xbf one\ttwo # not me\r\n\r\n#nor me\n  three\rfour#4", '#');
    assert_word(snag__text_word(&text), "one");
    assert_word(snag__text_word_in_line(&text), "two");
    assert_word(snag__text_word_in_line(&text), "");
    assert_word(snag__text_word(&text), "three");
    assert_word(snag__text_word_in_line(&text), "");
    assert_word(snag__text_word(&text), "four#4");
    assert_false(snag__text_more(&text));
    assert_word(snag__text_word(&text), "");
}

static void without_a_comment_sign_there_are_no_comments(void **state)
{
    (void)state;
    snag__source source;
    snag__text text = begin(&source, "# 1", 0);
    assert_word(snag__text_word(&text), "#");
    assert_word(snag__text_word(&text), "1");
}

static void a_line_is_left_at_any_kind_of_end(void **state)
{
    (void)state;
    snag__source source;
    snag__text text = begin(&source, "a b\nc d\r\ne f\rg h", 0);
    static const char *const firsts[] = {"a", "c", "e", "g"};
    for (int i = 0; i < 4; i++) {
        assert_word(snag__text_word(&text), firsts[i]);
        snag__text_skip_line(&text);
    }
    assert_ptr_equal(text.at, text.end);
    snag__text_skip_line(&text);
    assert_ptr_equal(text.at, text.end);
}

static void a_backslash_joins_lines_where_it_is_told_to(void **state)
{
    (void)state;
    snag__source source;
    snag__text text = begin(&source, "a \\\n b \\\r\n c\\\nd\ne \\ f", '#');
    text.continues = true;
    static const char *const words[] = {"a", "b", "c", "d", ""};
    for (int i = 0; i < 5; i++)
        assert_word(snag__text_word_in_line(&text), words[i]);
    assert_word(snag__text_word(&text), "e");
    assert_word(snag__text_word_in_line(&text), "\\");

    text = begin(&source, "x \\\n y \\\n z\nnext", 0);
    text.continues = true;
    snag__text_skip_line(&text);
    assert_word(snag__text_word(&text), "next");

    text = begin(&source, "x \\\n y", 0);
    snag__text_skip_line(&text);
    assert_word(snag__text_word(&text), "y");
}

static void the_rest_of_a_line_is_trimmed(void **state)
{
    (void)state;
    snag__source source;
    snag__text text = begin(&source, "o  my dress#2 \t# of silk\r\no\no last", '#');
    assert_word(snag__text_word(&text), "o");
    assert_word(snag__text_rest_of_line(&text), "my dress#2");
    assert_word(snag__text_word(&text), "o");
    assert_word(snag__text_rest_of_line(&text), "");
    assert_word(snag__text_word(&text), "o");
    assert_word(snag__text_rest_of_line(&text), "last");
    assert_ptr_equal(text.at, text.end);
}

static void words_are_compared_without_regard_to_capitals(void **state)
{
    (void)state;
    assert_true(snag__word_is((snag__word){"Facet!", 5}, "fACET"));
    assert_false(snag__word_is((snag__word){"Facet", 5}, "face"));
    assert_false(snag__word_is((snag__word){"Face", 4}, "facet"));
    assert_true(snag__word_is((snag__word){"", 0}, ""));
}

static void numbers_are_words_of_their_own(void **state)
{
    (void)state;
    snag__source source;
    snag__text text = begin(&source, " 1.5\n-2 7#c\n 12x", '#');
    double value;
    int64_t integer;
    uint64_t count;
    assert_int_equal(snag__text_double(&text, "a", &value), SNAG_OK);
    assert_true(value == 1.5);
    assert_int_equal(snag__text_integer(&text, "b", &integer), SNAG_OK);
    assert_int_equal(integer, -2);
    assert_int_equal(snag__text_count(&text, "c", 7, &count), SNAG_OK);
    assert_int_equal(count, 7);
    assert_int_equal(snag__text_integer(&text, "the size", &integer), SNAG_ERROR_FORMAT);
    assert_string_equal(error.message, "some.txt:3: the size: expected a whole number, found '12x'");
    assert_int_equal(snag__text_double(&text, "the size", &value), SNAG_ERROR_FORMAT);
    text.at = text.end;
    assert_int_equal(snag__text_double(&text, "the size", &value), SNAG_ERROR_FORMAT);
    assert_says(&error, "the end of the file");
}

static void coordinates_are_finite_and_counts_in_range(void **state)
{
    (void)state;
    snag__source source;
    double value;
    uint64_t count;
    snag__text text = begin(&source, "\n-inf", 0);
    assert_int_equal(snag__text_coordinate(&text, "x", &value), SNAG_ERROR_NOT_FINITE);
    assert_string_equal(error.message, "some.txt:2: x is not finite: '-inf'");
    text = begin(&source, "1e999", 0);
    assert_int_equal(snag__text_coordinate(&text, "x", &value), SNAG_ERROR_NOT_FINITE);
    text = begin(&source, "-1", 0);
    assert_int_equal(snag__text_count(&text, "the count", 10, &count), SNAG_ERROR_FORMAT);
    text = begin(&source, "11", 0);
    assert_int_equal(snag__text_count(&text, "the count", 10, &count), SNAG_ERROR_SIZE);
    assert_says(&error, "at most 10");
}

static void lines_are_counted_whatever_their_ends(void **state)
{
    (void)state;
    snag__source source;
    const char *content = "1\n\r\n3\r4\r\n5";
    snag__text text = begin(&source, content, 0);
    static const size_t lines[] = {1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5};
    for (size_t i = 0; i <= strlen(content); i++)
        assert_int_equal(snag__text_line(&text, content + i), lines[i]);
}

static void long_and_strange_words_are_shown_short_and_clean(void **state)
{
    (void)state;
    snag__source source;
    snag__text text = begin(&source,
                            "\x01\xff"
                            "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n",
                            0);
    assert_string_equal(snag__text_show(&text, text.at).text, "'?\?abcdefghijklmnopqrstuvwxyzabcd...'");
    assert_string_equal(snag__text_show(&text, text.end - 1).text, "the end of the line");
    assert_string_equal(snag__text_show(&text, text.end).text, "the end of the file");
}

static void an_empty_source_is_at_its_end(void **state)
{
    (void)state;
    snag__source source = {"some.txt", NULL, 0, &error, NULL};
    snag__text text = snag__text_begin(&source, '#');
    assert_false(snag__text_more(&text));
    snag__text_skip_line(&text);
    assert_int_equal(snag__text_fail(&text, text.at, SNAG_ERROR_FORMAT, "it is empty"), SNAG_ERROR_FORMAT);
    assert_string_equal(error.message, "some.txt:1: it is empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_across_blanks_lines_and_comments),
        cmocka_unit_test(without_a_comment_sign_there_are_no_comments),
        cmocka_unit_test(a_line_is_left_at_any_kind_of_end),
        cmocka_unit_test(a_backslash_joins_lines_where_it_is_told_to),
        cmocka_unit_test(the_rest_of_a_line_is_trimmed),
        cmocka_unit_test(words_are_compared_without_regard_to_capitals),
        cmocka_unit_test(numbers_are_words_of_their_own),
        cmocka_unit_test(coordinates_are_finite_and_counts_in_range),
        cmocka_unit_test(lines_are_counted_whatever_their_ends),
        cmocka_unit_test(long_and_strange_words_are_shown_short_and_clean),
        cmocka_unit_test(an_empty_source_is_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
