// The JSON reader: what it reads, and that damaged text is refused with the line where it breaks.
#define _XOPEN_SOURCE 700
#include "run_tool.h"

#include "helpers/failing_malloc.h"
#include "json_read.h"

static void values_are_read_as_they_are(void **state)
{
    (void)state;
    json_document d;
    char message[128];
    assert_true(json_read(" {\"a\": [1, -2.5e3, true, null, \"x\"], \"b\": {\"c\": {}}, \"d\": []} \n", &d, message));
    size_t a = json_member(&d, 0, "a"), item = json_first(&d, a);
    assert_true(json_number_of(&d, item, 0) == 1);
    item = json_next(&d, item);
    assert_true(json_number_of(&d, item, 0) == -2500);
    item = json_next(&d, item);
    assert_int_equal(d.values[item].kind, JSON_TRUE);
    assert_true(json_number_of(&d, item, 7) == 7);
    item = json_next(&d, json_next(&d, item));
    assert_string_equal(json_text_of(&d, item), "x");
    assert_int_equal(json_next(&d, item), 0);
    size_t b = json_member(&d, 0, "b");
    assert_string_equal(json_key_of(&d, json_first(&d, b)), "c");
    assert_int_equal(json_member(&d, 0, "none"), 0);
    assert_int_equal(json_member(&d, a, "a"), 0);
    assert_int_equal(json_first(&d, json_member(&d, 0, "d")), 0);
    json_document_free(&d);
}

static void texts_are_unescaped(void **state)
{
    (void)state;
    json_document d;
    char message[128];
    assert_true(json_read("{\"k\\u0065y\\n\": \"\\\"\\\\\\/\\t\\u00e9\\u20ac\\u0000é\"}", &d, message));
    assert_string_equal(json_text_of(&d, json_member(&d, 0, "key\n")), "\"\\/\té€\xef\xbf\xbdé");
    json_document_free(&d);
}

static void damaged_text_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "line 1"},
        {"{\"a\": 1,\n\"b\" 2}", "line 2: there is no colon"},
        {"{\"a\": [1, 2\n\n}", "line 3: a comma or an end is missing"},
        {"[1, 2,]", "there is no value"},
        {"[1 2]", "a comma or an end is missing"},
        {"{1: 2}", "a member has no name"},
        {"[\"ab", "a text does not end"},
        {"[\"\\x\"]", "an escape is not known"},
        {"[\"\\u12g4\"]", "hexadecimal"},
        {"[nul]", "there is no value"},
        {"[0x10]", "there is no value"},
        {"[inf]", "there is no value"},
        {"[1] [2]", "something follows the end"},
        {"{\"a\": }", "there is no value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_document d;
        char message[128] = "";
        assert_false(json_read(cases[i].text, &d, message));
        if (!strstr(message, cases[i].words))
            fail_msg("`%s` does not say \"%s\" but: %s", cases[i].text, cases[i].words, message);
        json_document_free(&d);
    }
}

static void depth_is_bounded_and_truncation_never_reads_on(void **state)
{
    (void)state;
    json_document d;
    char message[128], deep[200];
    memset(deep, '[', sizeof deep);
    deep[sizeof deep - 1] = 0;
    assert_false(json_read(deep, &d, message));
    assert_non_null(strstr(message, "too deeply"));
    json_document_free(&d);
    static const char whole[] = "{\"rows\": [{\"a\": -1.5, \"b\": \"\\u00e9\"}, [true, false, null]], \"z\": {}}";
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        char *part = malloc(length + 1);
        memcpy(part, whole, length);
        part[length] = 0;
        assert_false(json_read(part, &d, message));
        json_document_free(&d);
        free(part);
    }
}

static void files_that_are_not_there_and_memory_that_is_not_are_said(void **state)
{
    (void)state;
    json_document d;
    char message[128];
    assert_false(json_read_file(tool_path("none.json"), &d, message));
    assert_non_null(strstr(message, "No such file"));
    json_document_free(&d);
    tool_write("some.json", "{\"a\": [1, 2, 3]}");
    bool refused = true;
    for (size_t n = 1; refused; n++) {
        failing_malloc_start(n);
        bool good = json_read_file(tool_path("some.json"), &d, message);
        refused = failing_malloc_stop();
        assert_true(good != refused || good);
        json_document_free(&d);
    }
    tool_write_bytes("zero.json", "{}\0{}", 5);
    assert_false(json_read_file(tool_path("zero.json"), &d, message));
    json_document_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_as_they_are),
        cmocka_unit_test(texts_are_unescaped),
        cmocka_unit_test(damaged_text_is_refused_with_its_line),
        cmocka_unit_test(depth_is_bounded_and_truncation_never_reads_on),
        cmocka_unit_test(files_that_are_not_there_and_memory_that_is_not_are_said),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
