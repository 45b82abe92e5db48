// --sets: sets of elements and nodes for Abaqus and CalculiX.
#define _POSIX_C_SOURCE 200809L
#include "tool_shapes.h"

#include <string.h>

static void assert_holds(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("\"%s\" is not in: %s", words, text);
}

static char *sets_of(const char *arguments)
{
    tool_run run = tool_expect(1, arguments);
    tool_free(&run);
    return tool_read("sets.inp");
}

#define BOLT                                                                                                                       \
    "*PART, NAME=Bolt\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n6, 0, 0, -1\n*ELEMENT, TYPE=C3D4, ELSET=all\n"       \
    "7, 1, 2, 3, 4\n8, 1, 3, 2, 6\n*END PART\n"

static void instances_are_named(void **state)
{
    (void)state;
    tool_write("two.inp", BOLT "*ASSEMBLY, NAME=A\n*INSTANCE, NAME=Bolt-1, PART=Bolt\n*END INSTANCE\n"
                               "*INSTANCE, NAME=\"Bolt 2\", PART=Bolt\n.1, .1, .1\n*END INSTANCE\n*END ASSEMBLY\n");
    char *text = sets_of("check -q two.inp --sets sets.inp");
    assert_holds(text, "** place 1: Bolt-1 and Bolt 2, frame 0, at ");
    assert_holds(text, "*ELSET, ELSET=SNAG-1, INSTANCE=Bolt-1\n7, 8\n");
    // Of a vertex that is inside, and of the edge that it ends: their nodes, and the elements at them.
    assert_holds(text, "*NSET, NSET=SNAG-1, INSTANCE=\"Bolt 2\"\n1, 6\n");
    assert_holds(text, "*ELSET, ELSET=SNAG-1, INSTANCE=\"Bolt 2\"\n7, 8\n");
    free(text);
    // Triangles of a boundary stand for their cells; bodies of sets know their instance.
    text = sets_of("check -q two.inp --split groups --question intersections --sets sets.inp");
    assert_holds(text, "*ELSET, ELSET=SNAG-1, INSTANCE=Bolt-1\n7, 8\n");
    assert_null(strstr(text, "*NSET"));
    free(text);
    // The same from several processes.
    text = sets_of("check -q two.inp --jobs 2 --parts parts --sets sets.inp");
    assert_holds(text, "*ELSET, ELSET=SNAG-1, INSTANCE=Bolt-1\n7, 8\n");
    free(text);
}

// What is written can be included: each place is a set of the deck.
static void a_deck_can_include_them(void **state)
{
    (void)state;
    char deck[8000] = "*NODE\n";
    size_t at = strlen(deck);
    // A comb of twenty triangles, all through one large triangle.
    for (int i = 0; i < 20; i++)
        at += (size_t)snprintf(deck + at, sizeof deck - at, "%d, %d, 1, -1\n%d, %d, 1, 1\n%d, %d, 2, 1\n", 10 * i + 1, i + 1,
                               10 * i + 2, i + 1, 10 * i + 3, i + 1);
    at +=
        (size_t)snprintf(deck + at, sizeof deck - at, "901, -50, -50, 0\n902, 100, -50, 0\n903, -50, 100, 0\n*ELEMENT, TYPE=S3\n");
    for (int i = 0; i < 20; i++)
        at += (size_t)snprintf(deck + at, sizeof deck - at, "%d, %d, %d, %d\n", 100 + i, 10 * i + 1, 10 * i + 2, 10 * i + 3);
    snprintf(deck + at, sizeof deck - at, "500, 901, 902, 903\n");
    tool_write("comb.inp", deck);
    char *text = sets_of("check -q comb.inp --sets sets.inp");
    // Sixteen labels on a line.
    assert_null(strstr(text, "INSTANCE"));
    if (strstr(text, "place 2") == NULL)
        assert_holds(text, "*ELSET, ELSET=SNAG-1\n100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115\n"
                           "116, 117, 118, 119, 500\n");
    free(text);
    snprintf(deck + strlen(deck), sizeof deck - strlen(deck), "*INCLUDE, INPUT=sets.inp\n");
    tool_write("with.inp", deck);
    tool_run run = tool_expect(0, "info --split groups with.inp");
    assert_holds(run.out, "SNAG-1");
    tool_free(&run);
}

static void what_cannot_be_named_is_refused(void **state)
{
    (void)state;
    tool_write("plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    tool_run run = tool_expect(2, "check plain.obj --sets sets2.inp");
    assert_holds(run.err, "has no labels");
    assert_holds(run.err, "snag convert");
    tool_free(&run);
    tool_refuses("check comb.inp --sets sets.txt", "ends in .inp", NULL);
    tool_refuses("check comb.inp --sets comb.inp", "overwrite an input", NULL);
    tool_refuses("check comb.inp --stream --pairs x.csv --sets sets.inp", "--stream", NULL);
    // Nothing in contact: a file without sets.
    tool_write("one.inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n");
    run = tool_expect(0, "check -q one.inp --sets none.inp");
    tool_free(&run);
    char *text = tool_read("none.inp");
    assert_null(strstr(text, "*ELSET"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_named),
        cmocka_unit_test(a_deck_can_include_them),
        cmocka_unit_test(what_cannot_be_named_is_refused),
    };
    return cmocka_run_group_tests(tests, tool_setup, tool_teardown);
}
