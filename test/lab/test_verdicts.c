// Every verdict of repro can fail: each rule is fed numbers that must hold, and numbers that must not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "../../lab/verdicts.h"

static void holds(page_ruling r)
{
    if (r.judgement != PAGE_HOLDS)
        fail_msg("does not hold: %s", r.rule);
    assert_true(isnan(r.margin) || r.margin >= 1);
    assert_true(strlen(r.rule) > 0);
}

static void fails(page_ruling r)
{
    if (r.judgement != PAGE_FAILS)
        fail_msg("does not fail: %s", r.rule);
    assert_true(isnan(r.margin) || r.margin < 1);
}

static void skipped(page_ruling r)
{
    assert_int_equal(r.judgement, PAGE_SKIPPED);
    assert_true(isnan(r.margin) && strlen(r.rule) > 0);
}

static void bricks(void **state)
{
    (void)state;
    holds(rule_at_least("it", 2, 2));
    fails(rule_at_least("it", 1.999, 2));
    fails(rule_at_least("it", (double)NAN, 2));
    holds(rule_at_most("it", 2, 2));
    fails(rule_at_most("it", 2.001, 2));
    fails(rule_at_most("it", (double)NAN, 2));
    holds(rule_between("it", 1, 1, 2));
    holds(rule_between("it", 2, 1, 2));
    fails(rule_between("it", 0.99, 1, 2));
    fails(rule_between("it", 2.01, 1, 2));
    fails(rule_between("it", (double)NAN, 1, 2));
    page_ruling yes = rule_at_least("one", 3, 2), no = rule_at_least("two", 1, 2);
    holds(rule_both(yes, yes));
    fails(rule_both(yes, no));
    fails(rule_both(no, yes));
    assert_true(rule_both(yes, no).margin == 0.5);
    assert_non_null(strstr(rule_both(yes, no).rule, "two"));
    skipped(rule_both(yes, rule_skipped("why")));
    skipped(rule_both(rule_skipped("why"), no));
}

static void teschner(void **state)
{
    (void)state;
    holds(rule_same_pairs(0));
    fails(rule_same_pairs(1));
    holds(rule_rate(15));
    fails(rule_rate(14.9));
    holds(rule_linear_time(1));
    fails(rule_linear_time(1.3));
    fails(rule_linear_time(0.5));
    const double slots[4] = {99, 500, 1000, 2000}, good[4] = {2, 1.2, 1, 1.05}, flat[4] = {1, 1, 1, 1}, rising[4] = {2, 1, 1, 1.8};
    holds(rule_table_size(slots, good, 4, 1000));
    fails(rule_table_size(slots, flat, 4, 1000));
    fails(rule_table_size(slots, rising, 4, 1000));
    skipped(rule_table_size(slots, good, 4, 3000));
    holds(rule_cell_size(1));
    fails(rule_cell_size(0.4));
    fails(rule_cell_size(2.5));
    holds(rule_cells_over_tables(3, 2));
    fails(rule_cells_over_tables(2, 3));
    fails(rule_cells_over_tables(2.02, 2));
    holds(rule_faster_variant(1.05));
    fails(rule_faster_variant(1.01));
    fails(rule_faster_variant(0.9));
    holds(rule_objects(1.2, true));
    fails(rule_objects(1.4, true));
    fails(rule_objects(1.2, false));
}

static void madera(void **state)
{
    (void)state;
    rule_sets s = {.touching = 9, .missed = {5, 2, 0, 0, 0}, .nodes = {10, 20, 30, 40, 50}};
    assert_int_equal(rule_best_set(&s), 2);
    holds(rule_has_best_set(&s));
    s.nodes[3] = 32;  // the next set without mistakes costs the same: no margin
    fails(rule_has_best_set(&s));
    s.missed[3] = 1;  // but if it makes mistakes, the one after it counts
    holds(rule_has_best_set(&s));
    s.too_many[4] = 1;  // the only set without mistakes, and not the largest
    holds(rule_has_best_set(&s));
    s.nodes[4] = 31;  // but next to it
    fails(rule_has_best_set(&s));
    s.nodes[4] = 50;
    s.too_many[4] = 0;
    s.missed[2] = s.missed[3] = 1;  // only the largest set finds all
    assert_int_equal(rule_best_set(&s), 4);
    fails(rule_has_best_set(&s));
    s.nodes[0] = 80;  // the order of the sets is not that of their size
    holds(rule_has_best_set(&s));
    s.too_many[4] = 3;  // no set is right
    fails(rule_has_best_set(&s));
    s.touching = 0;
    skipped(rule_has_best_set(&s));
    holds(rule_reports_leaves(1));
    fails(rule_reports_leaves(0.999));
    holds(rule_experiments(3, 3));
    fails(rule_experiments(2, 3));
    skipped(rule_experiments(0, 0));
    const double alike[5] = {199, 198, 199, 197, 196}, unlike[5] = {199, 150, 199, 199, 199}, none[5] = {0};
    holds(rule_equal_collisions(alike, 5));
    fails(rule_equal_collisions(unlike, 5));
    skipped(rule_equal_collisions(none, 5));
    const double growing[5] = {50, 60, 100, 120, 130}, second[5] = {50, 100, 100, 120, 130}, fourth[5] = {50, 60, 100, 100, 130};
    holds(rule_too_few_too_many(growing));
    fails(rule_too_few_too_many(second));
    fails(rule_too_few_too_many(fourth));
    fails(rule_too_few_too_many(alike));
    skipped(rule_too_few_too_many(none));
    const double same[2] = {200, 199}, other[2] = {200, 150}, fewer[2] = {900, 500}, as_many[2] = {900, 880};
    holds(rule_same_with_fewer_nodes(same, fewer));
    fails(rule_same_with_fewer_nodes(other, fewer));
    fails(rule_same_with_fewer_nodes(same, as_many));
    skipped(rule_same_with_fewer_nodes(none, fewer));
}

static void kimmerle(void **state)
{
    (void)state;
    holds(rule_converges_faster(3, 9));
    holds(rule_converges_faster(3, 0));
    fails(rule_converges_faster(9, 3));
    fails(rule_converges_faster(3, 3));
    fails(rule_converges_faster(0, 0));
    holds(rule_samples_needed(16, 64));
    holds(rule_samples_needed(16, 0));
    fails(rule_samples_needed(16, 32));
    fails(rule_samples_needed(0, 0));
    holds(rule_combined(1.5, 2));
    holds(rule_combined(1.5, (double)NAN));
    fails(rule_combined(0.9, 2));
    fails(rule_combined(1.5, 0.9));
    fails(rule_combined((double)NAN, 2));
    const double more[2] = {0.8, 0.6}, same[2] = {0.8, 0.79}, quick[2] = {1.5, 2}, slow[2] = {1.5, 0.8};
    holds(rule_fewer_pairs(more, quick));
    fails(rule_fewer_pairs(same, quick));
    fails(rule_fewer_pairs(more, slow));
    holds(rule_leaf_size(1.5, 8));
    fails(rule_leaf_size(1.01, 8));
    fails(rule_leaf_size(1.5, 1));
    holds(rule_cluster_search(3, 2));
    fails(rule_cluster_search(1.2, 2));
    fails(rule_cluster_search(3, 1.1));
    holds(rule_walk_ratios(0.6, 0.5));
    fails(rule_walk_ratios(0.9, 0.5));
    fails(rule_walk_ratios(0.6, 0.1));
    holds(rule_trade(more, quick));
    fails(rule_trade(same, quick));
    fails(rule_trade(more, slow));
}

// One seed that sinks, explodes or has no number is enough, wherever it stands.
static void a_walk_is_stable_if_it_is_with_every_seed(void **state)
{
    (void)state;
    const rule_walk good = {0.001, 0.1}, bad[4] = {{0.05, 0.1}, {0.001, 50}, {(double)NAN, 0.1}, {0.001, (double)NAN}};
    const rule_walk all_good[3] = {good, good, {0.029, 0.9}};
    holds(rule_stable(all_good, 3, good));
    for (int i = 0; i < 4; i++) {
        for (int place = 0; place < 3; place++) {
            rule_walk walks[3] = {good, good, good};
            walks[place] = bad[i];
            fails(rule_stable(walks, 3, good));
        }
        skipped(rule_stable(all_good, 3, bad[i]));
    }
    skipped(rule_stable(all_good, 0, good));
}

static void volino(void **state)
{
    (void)state;
    holds(rule_constant_calls(-0.1, 0));
    fails(rule_constant_calls(0.3, 0));
    fails(rule_constant_calls(0, 1));
    holds(rule_linear_calls(1));
    fails(rule_linear_calls(1.3));
    fails(rule_linear_calls(0.5));
    holds(rule_linear_in_colliding(1, 1.1));
    fails(rule_linear_in_colliding(1.5, 1));
    fails(rule_linear_in_colliding(1, 0.3));
    holds(rule_no_contact_skipped(0));
    fails(rule_no_contact_skipped(1));
    holds(rule_constant_elements(0.05));
    fails(rule_constant_elements(0.9));
    fails(rule_constant_elements((double)NAN));
    holds(rule_local_elements(0.5, 0.1));
    fails(rule_local_elements(0.5, 0.45));
    fails(rule_local_elements(0.5, 0));
    holds(rule_regularity_gain(5, true));
    fails(rule_regularity_gain(1.01, true));
    skipped(rule_regularity_gain(5, false));
}

static void rodriguez(void **state)
{
    (void)state;
    holds(rule_level_time(10));
    fails(rule_level_time(31));
    holds(rule_queries_flat(1.1));
    fails(rule_queries_flat(1.6));
    holds(rule_dips(9, 9));
    fails(rule_dips(5, 9));
    skipped(rule_dips(0, 0));
    holds(rule_printed_queries(9, 13));
    fails(rule_printed_queries(9, 24));
    fails(rule_printed_queries(3, 13));
    holds(rule_printed_misses(0, 5));
    fails(rule_printed_misses(1, 5));
    skipped(rule_printed_misses(0, 0));
    holds(rule_memory(1, 10, true));
    fails(rule_memory(5, 10, true));
    fails(rule_memory(1, 10, false));
    fails(rule_memory(0, 0, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricks),
        cmocka_unit_test(teschner),
        cmocka_unit_test(madera),
        cmocka_unit_test(kimmerle),
        cmocka_unit_test(a_walk_is_stable_if_it_is_with_every_seed),
        cmocka_unit_test(volino),
        cmocka_unit_test(rodriguez),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
