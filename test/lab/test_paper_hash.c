// The variants of the spatial hashing paper: the same pairs, and what "once" means.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tet_rig.h"

static void variants_find_the_same_and_one_lists_once(void **state)
{
    (void)state;
    tet_rig rig;
    assert_true(tet_rig_open(&rig, "B", 0, 1, 0));
    for (int step = 0; step < 2; step++) {
        const snag_answer *answer;
        assert_int_equal(tet_rig_pose(&rig, 3 * step), SNAG_OK);
        assert_int_equal(tet_rig_ask(&rig, SNAG_METHOD_HASH, 0, 0, &answer), SNAG_OK);
        assert_true(answer->count > 0);
        // Also with a table so small that many cells share a slot.
        paper_hash *small = paper_hash_new(&rig.mesh, 0, 37);
        assert_non_null(small);
        for (int variant = 0; variant < PAPER_VARIANTS; variant++)
            for (int table = 0; table < 2; table++) {
                const paper_pair *pairs;
                size_t count;
                assert_true(paper_hash_step(table ? small : rig.paper, &rig.mesh, (paper_variant)variant, &pairs, &count));
                if (variant == PAPER_ONE_PASS_ONCE)
                    assert_int_equal(count, answer->count);
                else if (variant == PAPER_ONE_PASS)
                    assert_true(count > 2 * answer->count);
                assert_true(tet_rig_agree(&rig, answer, pairs, count));
            }
        paper_hash_free(small);
    }
    tet_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(variants_find_the_same_and_one_lists_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
