// Ratios estimated from probes: right in the mean, and inside their interval in nine cases of ten, on made-up populations whose
// contacts cluster, are known in clusters, and are drawn with very different probabilities.
#include "base/random.h"
#include "helpers/test.h"
#include "method/active_ratio.h"

#include <math.h>

enum { LEAVES = 1000, TRIALS = 400 };

typedef struct population {
    double contacts[LEAVES], known[LEAVES], chance[LEAVES];  // chances add up to 1
    double all, found;
} population;

// Most leaves have no contacts; what is known is known in whole leaves, mostly.
static void populate(population *p, double part, double skew, snag__random *random)
{
    double sum = 0;
    *p = (population){0};
    for (int i = 0; i < LEAVES; i++) {
        p->contacts[i] = snag__random_below(random, 3) == 0 ? 1 + snag__random_below(random, 30) : 0;
        double share = snag__random_unit(random) < part ? 0.9 + 0.1 * snag__random_unit(random) : 0.1 * snag__random_unit(random);
        p->known[i] = floor(p->contacts[i] * share);
        p->chance[i] = exp(skew * snag__random_unit(random));
        sum += p->chance[i];
        p->all += p->contacts[i];
        p->found += p->known[i];
    }
    for (int i = 0; i < LEAVES; i++)
        p->chance[i] /= sum;
}

static snag__tally probe(const population *p, int probes, snag__random *random)
{
    snag__tally tally = {0};
    for (int k = 0; k < probes; k++) {
        double at = snag__random_unit(random);
        int i = 0;
        while (i < LEAVES - 1 && at >= p->chance[i])
            at -= p->chance[i++];
        snag__tally_add(&tally, p->contacts[i] / p->chance[i], p->known[i] / p->chance[i]);
    }
    return tally;
}

static void intervals_hold_and_estimates_are_right_in_the_mean(void **state)
{
    (void)state;
    snag__random random = {17};
    static const double parts[] = {0, 0.02, 0.3, 0.7, 0.95, 1}, skews[] = {0, 1, 3};
    static const int probes[] = {16, 64, 256};
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 3; c++) {
                double error = 0, held = 0;
                for (int trial = 0; trial < TRIALS; trial++) {
                    static population p;
                    if (trial % 20 == 0)
                        populate(&p, parts[a], skews[b], &random);
                    snag__tally tally = probe(&p, probes[c], &random);
                    snag__census none = {0}, all = snag__census_join(&none, &tally, 1);
                    snag__ratio ratio = snag__ratio_from_probes(&tally, &all, p.found);
                    double truth = p.found / p.all;
                    assert_true(ratio.low <= ratio.ratio && ratio.ratio <= ratio.high && ratio.low >= 0 && ratio.high <= 1);
                    error += (ratio.ratio - truth) / TRIALS;
                    held += (truth >= ratio.low && truth <= ratio.high) / (double)TRIALS;
                }
                assert_true(held >= 0.9);
                assert_true(fabs(error) < (probes[c] < 64 ? 0.1 : 0.03));
            }
}

static void probes_of_many_steps_tell_more_than_those_of_one(void **state)
{
    (void)state;
    snag__random random = {18};
    static population p;
    populate(&p, 0.5, 1, &random);
    snag__tally sum = {0};
    snag__census all = {0};
    double first = 0, last = 0, held = 0;
    for (int step = 0; step < 200; step++) {
        snag__tally now = probe(&p, 12, &random);
        sum = snag__tally_join(&sum, p.found, &now, p.found, 1);
        all = snag__census_join(&all, &now, 1);
        snag__ratio ratio = snag__ratio_from_probes(&sum, &all, p.found);
        held += p.found / p.all >= ratio.low && p.found / p.all <= ratio.high;
        first += step < 3 ? (ratio.high - ratio.low) / 3 : 0;
        last += step >= 190 ? (ratio.high - ratio.low) / 10 : 0;
    }
    assert_true(last < 0.7 * first && held >= 180);
}

// Few leaves have contacts, some of them very many, and a hundredth of the leaves is known.
static void populate_unevenly(population *p, snag__random *random)
{
    double sum = 0;
    *p = (population){0};
    for (int i = 0; i < LEAVES; i++) {
        double many = 1 + floor(3 * pow(1 - snag__random_unit(random), -0.8));
        p->contacts[i] = snag__random_unit(random) < 0.3 ? fmin(many, 300) : 0;
        p->known[i] = snag__random_unit(random) < 0.01 ? p->contacts[i] : 0;
        p->chance[i] = exp(6 * snag__random_unit(random));
        sum += p->chance[i];
        p->all += p->contacts[i];
        p->found += p->known[i];
    }
    for (int i = 0; i < LEAVES; i++)
        p->chance[i] /= sum;
}

// Six probes a step, which are remembered for many: what goes wrong goes wrong for long.
static void small_parts_are_held_in_nearly_all_steps(void **state)
{
    (void)state;
    enum { RUNS = 40, STEPS = 500 };
    snag__random random = {20};
    double held = 0, wide = 0;
    int poor = 0;
    for (int run = 0; run < RUNS; run++) {
        static population p;
        populate_unevenly(&p, &random);
        snag__tally sum = {0};
        snag__census all = {0};
        double in_run = 0;
        for (int step = 0; step < STEPS; step++) {
            snag__tally now = probe(&p, 6, &random);
            sum = snag__tally_join(&sum, p.found, &now, p.found, 1);
            all = snag__census_join(&all, &now, 1);
            snag__ratio ratio = snag__ratio_from_probes(&sum, &all, p.found);
            in_run += (p.found / p.all >= ratio.low && p.found / p.all <= ratio.high) / (double)STEPS;
            wide += (ratio.high - ratio.low) / (STEPS * RUNS);
        }
        held += in_run / RUNS;
        poor += in_run < 0.9;
    }
    assert_true(held >= 0.97);
    assert_true(poor <= RUNS / 20);
    assert_true(wide < 0.3);
}

// Contacts are left in every tenth leaf only.
static void thin_out(population *p)
{
    p->all = p->found = 0;
    for (int i = 0; i < LEAVES; i++) {
        p->contacts[i] *= i % 10 == 0;
        p->known[i] *= i % 10 == 0;
        p->all += p->contacts[i];
        p->found += p->known[i];
    }
}

// Steps with many contacts, of which few are known, then a jump to a scene with few, of which half are: what was found over the
// old count says that next to nothing was. Six probes a step.
static double held_after_a_jump(double moved, snag__random *random)
{
    enum { RUNS = 60, BEFORE = 40, AFTER = 8 };
    double held = 0, memory = snag__ratio_memory(moved, 0.01);
    for (int run = 0; run < RUNS; run++) {
        static population p;
        snag__tally sum = {0};
        snag__census all = {0};
        populate(&p, 0.1, 1, random);
        for (int step = 0; step < BEFORE + AFTER; step++) {
            if (step == BEFORE) {
                populate(&p, 0.5, 1, random);
                thin_out(&p);
            }
            snag__tally now = probe(&p, 6, random);
            double rest = step >= BEFORE ? memory : 1;
            // As many were found as before, so that the number does not tell.
            sum = snag__tally_join(&sum, p.found, &now, p.found, rest);
            all = snag__census_join(&all, &now, rest);
            snag__ratio ratio = snag__ratio_from_probes(&sum, &all, p.found);
            if (step >= BEFORE)
                held += (p.found / p.all >= ratio.low && p.found / p.all <= ratio.high) / (double)(RUNS * AFTER);
        }
    }
    return held;
}

static void what_a_jump_has_made_stale_is_forgotten(void **state)
{
    (void)state;
    snag__random random = {21};
    assert_true(held_after_a_jump(0, &random) < 0.5);  // had nobody told that there was a jump
    assert_true(held_after_a_jump(INFINITY, &random) >= 0.9);
    assert_true(held_after_a_jump(0.2, &random) >= 0.9);
    assert_true(snag__ratio_memory(0, 0) == 1 && snag__ratio_memory(1e-9, 0) == 0 && snag__ratio_memory(INFINITY, 1) == 0);
    assert_true(snag__ratio_memory(0.0002, 0.01) > 0.999 && snag__ratio_memory(0.02, 0.01) == 0.5);
}

// Clusters that have just begun tell nothing, and those that grow in peace tell ever more.
static void landings_tell_nothing_until_clusters_have_grown(void **state)
{
    (void)state;
    snag__ratio ratio = snag__ratio_from_landings(100, 50, 0);
    assert_true(ratio.low == 0 && ratio.high == 1 && ratio.ratio == 0.5);
    double settled = 0, width = 1;
    for (int step = 0; step < 20; step++) {
        settled = snag__ratio_settle(settled, 1);
        ratio = snag__ratio_from_landings(100, 50, settled);
        assert_true(ratio.high - ratio.low < width && settled <= 1);
        width = ratio.high - ratio.low;
    }
    assert_true(settled > 0.99 && snag__ratio_settle(1, 0) < 0.3);
}

static void where_nothing_is_known_that_is_said(void **state)
{
    (void)state;
    snag__tally tally = {0};
    snag__census all = {0};
    snag__ratio ratio = snag__ratio_from_probes(&tally, &all, 100);
    assert_true(ratio.ratio == 0 && ratio.low == 0 && ratio.high == 1);
    ratio = snag__ratio_from_landings(0, 0, 1);
    assert_true(ratio.low == 0 && ratio.high == 1);
    for (int k = 0; k < 50; k++)
        snag__tally_add(&tally, 0, 0);
    ratio = snag__ratio_from_probes(&tally, &all, 0);
    assert_true(ratio.low == 0 && ratio.high == 1);
}

static void landings_hold_the_part_they_were_drawn_from(void **state)
{
    (void)state;
    snag__random random = {19};
    for (int part = 0; part <= 10; part++) {
        int held = 0;
        for (int trial = 0; trial < 200; trial++) {
            double known = 0;
            for (int k = 0; k < 40; k++)
                known += snag__random_unit(&random) < part / 10.0;
            snag__ratio ratio = snag__ratio_from_landings(40, known, 1);
            assert_true(ratio.low <= ratio.ratio && ratio.ratio <= ratio.high);
            held += part / 10.0 >= ratio.low && part / 10.0 <= ratio.high;
        }
        assert_true(held >= 180);
    }
}

static void faded_probes_tell_nothing(void **state)
{
    (void)state;
    const snag__tally faded = {.probes = 10, .x = 1e-170, .y = 1e-170};
    const snag__census none = {0};
    snag__ratio ratio = snag__ratio_from_probes(&faded, &none, 3);
    assert_true(ratio.low == 0 && ratio.high == 1 && ratio.low <= ratio.ratio && ratio.ratio <= ratio.high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faded_probes_tell_nothing),
        cmocka_unit_test(intervals_hold_and_estimates_are_right_in_the_mean),
        cmocka_unit_test(probes_of_many_steps_tell_more_than_those_of_one),
        cmocka_unit_test(small_parts_are_held_in_nearly_all_steps),
        cmocka_unit_test(what_a_jump_has_made_stale_is_forgotten),
        cmocka_unit_test(landings_tell_nothing_until_clusters_have_grown),
        cmocka_unit_test(where_nothing_is_known_that_is_said),
        cmocka_unit_test(landings_hold_the_part_they_were_drawn_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
