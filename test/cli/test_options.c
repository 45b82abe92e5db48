// Options: what is understood, and that every slip is told with what to do.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "options.h"

// Parses words separated by blanks, as `snag VERB WORDS`. Every message goes to stderr, which these tests do not read:
// test_tool.c does.
static int parse(const char *verb, const char *text, options *parsed)
{
    static char buffer[1000];
    static char *arguments[64];
    int count = 0;
    words w = {.verb = verb};
    snprintf(buffer, sizeof buffer, "%s", text);
    for (char *word = strtok(buffer, " "); word; word = strtok(NULL, " "))
        arguments[count++] = word;
    return options_parse(verb_from_name(verb), count, arguments, &w, parsed);
}

static void assert_refused(const char *verb, const char *text)
{
    options parsed;
    if (parse(verb, text, &parsed) != EXIT_ERROR)
        fail_msg("accepted: snag %s %s", verb, text);
    options_free(&parsed);
}

static void options_are_understood_in_any_place_and_form(void **state)
{
    (void)state;
    options parsed;
    assert_int_equal(parse("check",
                           "a.obj --json --question=impacts --method brute b.obj -q --threads 3 --tolerance 1e-9 "
                           "--separation 0 --no-self --pairs c.csv --cache x=y.pc2 --cache z=w.mdd -- --odd.obj",
                           &parsed),
                     EXIT_CLEAN);
    assert_true(parsed.json && parsed.quiet && parsed.question_given && !parsed.self && parsed.between && !parsed.weld);
    assert_int_equal(parsed.question, SNAG_IMPACTS);
    assert_int_equal(parsed.method, SNAG_METHOD_BRUTE);
    assert_int_equal(parsed.threads, 3);
    assert_true(parsed.tolerance == 1e-9 && parsed.separation == 0 && parsed.distance < 0);
    assert_string_equal(parsed.pairs, "c.csv");
    assert_int_equal(parsed.caches.count, 2);
    assert_string_equal(parsed.caches.items[1], "z=w.mdd");
    assert_int_equal(parsed.inputs.count, 3);
    assert_string_equal(parsed.inputs.items[2], "--odd.obj");
    options_free(&parsed);
}

static void what_steers_active_is_read(void **state)
{
    (void)state;
    options parsed;
    assert_int_equal(parse("check", "x.obj --method active --target 0.8 --new-pairs 50 --seed 9 --budget 500 --pure", &parsed),
                     EXIT_CLEAN);
    assert_true(parsed.target == 0.8 && parsed.new_pairs == 50 && parsed.seed == 9 && parsed.budget_us == 500);
    assert_true(parsed.pure);
    options_free(&parsed);
}

static void the_last_of_two_opposites_counts(void **state)
{
    (void)state;
    options parsed;
    assert_int_equal(parse("check", "--no-self --self --no-between x.obj", &parsed), EXIT_CLEAN);
    assert_true(parsed.self && !parsed.between);
    options_free(&parsed);
}

static void assert_range(const char *text, size_t first, size_t last)
{
    char command[64];
    options parsed;
    snprintf(command, sizeof command, "x.obj --frames %s", text);
    assert_int_equal(parse("check", command, &parsed), EXIT_CLEAN);
    assert_int_equal(parsed.frames.first, first);
    assert_int_equal(parsed.frames.last, last);
    options_free(&parsed);
}

static void frames_are_a_range_with_both_ends(void **state)
{
    (void)state;
    assert_range("3:7", 3, 7);
    assert_range("3:", 3, SIZE_MAX);
    assert_range(":7", 0, 7);
    assert_range("5", 5, 5);
    assert_range("0:0", 0, 0);
}

static void slips_are_refused(void **state)
{
    (void)state;
    const char *const check[] = {
        "",
        "x.obj --nonsense",
        "x.obj -x",
        "x.obj -qq",
        "x.obj --quetion impacts",
        "x.obj --question",
        "x.obj --question --json",
        "x.obj --question collisions",
        "x.obj --method fast",
        "x.obj --json=yes",
        "x.obj --threads -1",
        "x.obj --threads 2.5",
        "x.obj --threads many",
        "x.obj --threads 99999999999999999999",
        "x.obj --threads 5000",
        "x.obj --frames 9:2",
        "x.obj --frames :",
        "x.obj --frames a:b",
        "x.obj --frames -1:3",
        "x.obj --frames 1:2:3",
        "x.obj --frames 99999999999999999999999999",
        "x.obj --distance nan",
        "x.obj --distance inf",
        "x.obj --distance -1",
        "x.obj --distance 1e999",
        "x.obj --distance 1mm",
        "x.obj --distance=",
        "x.obj --tolerance 0",
        "x.obj --separation -0.5",
        "x.obj --target 0",
        "x.obj --target 1.5",
        "x.obj --target nan",
        "x.obj --target=-0.5",
        "x.obj --budget 0",
        "x.obj --budget -3",
        "x.obj --budget 1.5",
        "x.obj --new-pairs 0",
        "x.obj --seed x",
        "x.obj --pairs=",
        "x.obj --out folder",
    };
    for (size_t i = 0; i < sizeof check / sizeof check[0]; i++)
        assert_refused("check", check[i]);
    assert_refused("demo", "--frames 0");
    assert_refused("demo", "--frames 3:5");
    assert_refused("demo", "--size 0");
    assert_refused("demo", "--size -1");
    assert_refused("demo", "file.obj");
    assert_refused("info", "--question impacts");
}

static void every_option_is_described_and_belongs_to_a_verb(void **state)
{
    (void)state;
    unsigned all = 0;
    for (size_t i = 0; i < verb_table_count; i++)
        all |= verb_table[i].verb;
    for (size_t i = 0; i < option_table_count; i++) {
        const option *o = &option_table[i];
        assert_true(o->name && o->help && o->help[0]);
        assert_true(o->verbs != 0 && (o->verbs & ~all) == 0);
        bool switch_only = o->kind == OPTION_ON || o->kind == OPTION_OFF;
        assert_true(switch_only == (o->argument == NULL));
        for (size_t k = 0; k < i; k++)  // a verb has one option of a name
            assert_false(strcmp(o->name, option_table[k].name) == 0 && (o->verbs & option_table[k].verbs));
    }
}

static void near_words_are_suggested_and_far_ones_are_not(void **state)
{
    (void)state;
    const char *const names[] = {"intersections", "proximities", "penetrations", "impacts", "distance"};
    assert_string_equal(words_nearest("intersection", names, 5), "intersections");
    assert_string_equal(words_nearest("proximites", names, 5), "proximities");
    assert_string_equal(words_nearest("ipmacts", names, 5), "impacts");
    assert_string_equal(words_nearest("prox", names, 5), "proximities");
    assert_null(words_nearest("xyz", names, 5));
    assert_null(words_nearest("", names, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_understood_in_any_place_and_form),
        cmocka_unit_test(what_steers_active_is_read),
        cmocka_unit_test(the_last_of_two_opposites_counts),
        cmocka_unit_test(frames_are_a_range_with_both_ends),
        cmocka_unit_test(slips_are_refused),
        cmocka_unit_test(every_option_is_described_and_belongs_to_a_verb),
        cmocka_unit_test(near_words_are_suggested_and_far_ones_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
