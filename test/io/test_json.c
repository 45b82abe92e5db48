// The JSON reader: what it reads, that damaged text is refused with the line where it breaks, and that members are found
// through an index.
#define _POSIX_C_SOURCE 200809L
#include "jsontree.h"
#include "support.h"

static snag_io_json *read_ok(const char *text)
{
    snag_io_json *json;
    snag_io_error error;
    if (snag_io_json_parse("x.json", text, strlen(text), &json, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    return json;
}

static void values_are_read_as_they_are(void **state)
{
    (void)state;
    snag_io_json *json = read_ok(" {\"a\": [1, -2.5e3, true, null, \"x\"], \"b\": {\"c\": {}}, \"d\": []} \n");
    uint32_t a = snag_io_json_member(json, 0, "a"), item = snag_io_json_first(json, a);
    assert_true(snag_io_json_is_array(json, a) && !snag_io_json_is_array(json, 0));
    assert_true(snag_io_json_number(json, item, 0) == 1);
    item = snag_io_json_next(json, a, item);
    assert_true(snag_io_json_number(json, item, 0) == -2500);
    item = snag_io_json_next(json, a, item);
    assert_true(snag_io_json_number(json, item, 7) == 7);
    item = snag_io_json_next(json, a, snag_io_json_next(json, a, item));
    assert_string_equal(snag_io_json_text(json, item), "x");
    assert_int_equal(snag_io_json_next(json, a, item), 0);
    uint32_t b = snag_io_json_member(json, 0, "b");
    assert_string_equal(snag_io_json_name(json, b, snag_io_json_first(json, b)), "c");
    assert_string_equal(snag_io_json_name(json, 0, b), "b");
    assert_int_equal(snag_io_json_next(json, 0, b), snag_io_json_member(json, 0, "d"));
    assert_int_equal(snag_io_json_member(json, 0, "none"), 0);
    assert_int_equal(snag_io_json_member(json, a, "a"), 0);
    assert_int_equal(snag_io_json_first(json, snag_io_json_member(json, 0, "d")), 0);
    assert_string_equal(snag_io_json_text(json, UINT32_MAX), "");
    snag_io_json_free(json);
}

static void texts_are_unescaped(void **state)
{
    (void)state;
    snag_io_json *json = read_ok("{\"k\\u0065y\\n\": \"\\\"\\\\\\/\\t\\u00e9\\u20ac\\u0000é\\ud83d\\ude00\\ud83d!\"}");
    assert_string_equal(snag_io_json_text(json, snag_io_json_member(json, 0, "key\n")),
                        "\"\\/\té€\xef\xbf\xbdé\xf0\x9f\x98\x80\xef\xbf\xbd!");
    snag_io_json_free(json);
}

static void damaged_text_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "x.json:1: the JSON ends before a value"},
        {"{\"a\": 1,\n\"b\" 2}", "x.json:2: expected a colon in the JSON"},
        {"{\"a\": [1, 2\n\n}", "x.json:3: expected a comma or a closing bracket in the JSON"},
        {"[1, 2,]", "a value"},
        {"[1 2]", "a comma"},
        {"{1: 2}", "a string"},
        {"[\"ab", "the end of a string"},
        {"[\"a\nb\"]", "no line end within a string"},
        {"[\"\\x\"]", "an escape that JSON knows"},
        {"[\"\\u12g4\"]", "four hexadecimal digits"},
        {"[\"\\u12", "four hexadecimal digits"},
        {"[\"\\", "an escape"},
        {"[nul]", "a value"},
        {"[0x10]", "a comma"},
        {"[inf]", "a value"},
        {"[1] [2]", "its end"},
        {"{\"a\": }", "a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snag_io_json *json;
        snag_io_error error;
        assert_int_equal(snag_io_json_parse("x.json", cases[i].text, strlen(cases[i].text), &json, &error), SNAG_ERROR_FORMAT);
        assert_null(json);
        assert_says(&error, cases[i].words);
    }
}

static void depth_takes_no_stack_and_truncation_never_reads_on(void **state)
{
    (void)state;
    snag_io_json *json;
    snag_io_error error;
    enum { DEEP = 1000000 };
    char *deep = malloc(2 * DEEP);
    assert_non_null(deep);
    memset(deep, '[', DEEP);
    memset(deep + DEEP, ']', DEEP);
    assert_int_equal(snag_io_json_parse("x.json", deep, 2 * DEEP, &json, &error), SNAG_OK);
    snag_io_json_free(json);
    assert_int_equal(snag_io_json_parse("x.json", deep, DEEP, &json, &error), SNAG_ERROR_FORMAT);
    free(deep);
    static const char whole[] = "{\"rows\": [{\"a\": -1.5, \"b\": \"\\u00e9\"}, [true, false, null]], \"z\": {}}";
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        char *part = malloc(length + 1);
        assert_non_null(part);
        memcpy(part, whole, length);
        assert_int_equal(snag_io_json_parse("x.json", part, length, &json, &error), SNAG_ERROR_FORMAT);
        free(part);
    }
}

// An object of a hundred thousand members that is asked a hundred thousand times: looking through them would take minutes.
static void members_are_found_by_an_index(void **state)
{
    (void)state;
    enum { MEMBERS = 100000, BYTES = 24 };
    char *text = malloc((size_t)MEMBERS * BYTES);
    assert_non_null(text);
    size_t size = 0;
    for (size_t i = 0; i < MEMBERS; i++)
        size += (size_t)sprintf(text + size, "%c\"k%zu\":%zu", i ? ',' : '{', i, i);
    size += (size_t)sprintf(text + size, ",\"k7\":-1}");
    snag__source source = {"x.json", text, size, NULL, NULL};
    snag__json json;
    assert_int_equal(snag__json_parse(&source, text, size, &json), SNAG_OK);
    for (size_t i = 0; i < MEMBERS; i++) {
        char name[16];
        double number;
        snprintf(name, sizeof name, "k%zu", i);
        assert_true(snag__json_number(&json, snag__json_member(&json, 0, name), &number));
        assert_true(number == (double)i);  // of two members of one name the first
    }
    assert_int_equal(snag__json_member(&json, 0, "k"), SNAG__JSON_NONE);
    assert_int_equal(snag__json_member(&json, 0, "l1"), SNAG__JSON_NONE);
    assert_int_equal(snag__json_member(&json, 0, "longer than all of them"), SNAG__JSON_NONE);
    snag__json_free(&json);
    free(text);
}

static void files_that_are_not_there_and_memory_that_is_not_are_said(void **state)
{
    (void)state;
    snag_io_json *json;
    snag_io_error error;
    char folder[PATH_BYTES];
    make_folder(folder);
    assert_int_equal(snag_io_json_read(path_in(folder, "none.json"), &json, &error), SNAG_ERROR_FILE);
    assert_says(&error, "No such file");
    static const char some[] = "{\"a\": [1, 2, 3], \"b\":1, \"c\":1, \"d\":1, \"e\":1, \"f\":1, \"g\":1, \"h\":1, \"i\":1}";
    put_file(path_in(folder, "some.json"), some, sizeof some - 1);
    bool refused = true;
    for (size_t n = 1; refused; n++) {
        failing_malloc_start(n);
        snag_status status = snag_io_json_read(path_in(folder, "some.json"), &json, &error);
        refused = failing_malloc_stop();
        assert_int_equal(status, refused ? SNAG_ERROR_MEMORY : SNAG_OK);
        assert_true((status == SNAG_OK) == (json != NULL));
        snag_io_json_free(json);
    }
    put_file(path_in(folder, "zero.json"), "{}\0{}", 5);
    assert_int_equal(snag_io_json_read(path_in(folder, "zero.json"), &json, &error), SNAG_ERROR_FORMAT);
    assert_int_equal(snag_io_json_read(NULL, &json, &error), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_io_json_parse("x", NULL, 1, &json, &error), SNAG_ERROR_ARGUMENT);
    snag_io_json_free(NULL);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_as_they_are),
        cmocka_unit_test(texts_are_unescaped),
        cmocka_unit_test(damaged_text_is_refused_with_its_line),
        cmocka_unit_test(depth_takes_no_stack_and_truncation_never_reads_on),
        cmocka_unit_test(members_are_found_by_an_index),
        cmocka_unit_test(files_that_are_not_there_and_memory_that_is_not_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
