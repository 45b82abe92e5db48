// The rules by which repro judges a claim.
#include "verdicts.h"

#include <math.h>
#include <stdio.h>

// ---- bricks --------------------------------------------------------------------------------------------------------

static page_ruling ruling_of(bool holds, double margin)
{
    // A number that is missing fails by everything.
    return (page_ruling){.judgement = holds ? PAGE_HOLDS : PAGE_FAILS, .margin = holds || !isnan(margin) ? margin : 0};
}

page_ruling rule_at_least(const char *what, double value, double limit)
{
    page_ruling made = ruling_of(value >= limit, limit > 0 ? value / limit : NAN);
    snprintf(made.rule, sizeof made.rule, "%s is at least %g", what, limit);
    return made;
}

page_ruling rule_at_most(const char *what, double value, double limit)
{
    page_ruling made = ruling_of(value <= limit, value > 0 ? limit / value : NAN);
    snprintf(made.rule, sizeof made.rule, "%s is at most %g", what, limit);
    return made;
}

page_ruling rule_between(const char *what, double value, double least, double most)
{
    page_ruling made = ruling_of(value >= least && value <= most, fmin(value / least, most / value));
    snprintf(made.rule, sizeof made.rule, "%s is %g to %g", what, least, most);
    return made;
}

page_ruling rule_both(page_ruling a, page_ruling b)
{
    if (a.judgement == PAGE_SKIPPED || b.judgement == PAGE_SKIPPED)
        return a.judgement == PAGE_SKIPPED ? a : b;
    page_ruling made = ruling_of(a.judgement == PAGE_HOLDS && b.judgement == PAGE_HOLDS, fmin(a.margin, b.margin));
    snprintf(made.rule, sizeof made.rule, "%.*s; %.*s", (int)(sizeof made.rule / 2 - 2), a.rule, (int)(sizeof made.rule / 2 - 2),
             b.rule);
    return made;
}

page_ruling rule_skipped(const char *why)
{
    page_ruling made = {.judgement = PAGE_SKIPPED, .margin = NAN};
    snprintf(made.rule, sizeof made.rule, "%s", why);
    return made;
}

// ---- Teschner ------------------------------------------------------------------------------------------------------

page_ruling rule_same_pairs(size_t differing_steps)
{
    return rule_at_most("the number of steps with other pairs", (double)differing_steps, 0);
}

page_ruling rule_rate(double hertz)
{
    return rule_at_least("the rate in Hz", hertz, 15);
}

page_ruling rule_linear_time(double power)
{
    return rule_between("the power of growth", power, 0.8, 1.15);
}

page_ruling rule_table_size(const double *slots, const double *ms, size_t count, double vertices)
{
    double best = INFINITY, worst_large = 0;
    for (size_t i = 0; i < count; i++) {
        best = fmin(best, ms[i]);
        worst_large = slots[i] >= vertices ? fmax(worst_large, ms[i]) : worst_large;
    }
    if (count == 0 || worst_large == 0)
        return rule_skipped("no table is as large as the number of vertices");
    return rule_both(rule_at_least("time with the smallest table over the best", ms[0] / best, 1.1),
                     rule_at_most("time with as many slots as vertices, or more, over the best", worst_large / best, 1.5));
}

page_ruling rule_cell_size(double best)
{
    return rule_between("the best cell in mean edges", best, 0.5, 2);
}

page_ruling rule_cells_over_tables(double cells_span, double tables_span)
{
    return rule_at_least("slowest over fastest cell size, over the same of table sizes", cells_span / tables_span, RULE_NOISE);
}

page_ruling rule_faster_variant(double ratio)
{
    return rule_at_least("time of the other over its time (less is noise)", ratio, RULE_NOISE);
}

page_ruling rule_objects(double span, bool same_contacts)
{
    return rule_both(rule_at_most("slowest over fastest", span, 1.3),
                     rule_at_most("the number of groupings with other contacts", same_contacts ? 0 : 1, 0));
}

// ---- Madera --------------------------------------------------------------------------------------------------------

int rule_best_set(const rule_sets *sets)
{
    int best = 0;
    for (int i = 1; i < RULE_SETS; i++) {
        double wrong = sets->missed[i] + sets->too_many[i], least = sets->missed[best] + sets->too_many[best];
        if (wrong < least || (wrong == least && sets->nodes[i] < sets->nodes[best]))
            best = i;
    }
    return best;
}

page_ruling rule_has_best_set(const rule_sets *sets)
{
    int best = rule_best_set(sets);
    if (sets->touching == 0)
        return rule_skipped("no two bodies collide");
    page_ruling right = rule_at_most("collisions missed and added by the best set", sets->missed[best] + sets->too_many[best], 0);
    // A set that only is the largest finds everything by looking everywhere: that is no choice. Nor is one of two that cost the same.
    double largest = 0, rival = INFINITY;
    for (int i = 0; i < RULE_SETS; i++) {
        largest = fmax(largest, sets->nodes[i]);
        if (i != best && sets->missed[i] + sets->too_many[i] == 0)
            rival = fmin(rival, sets->nodes[i]);
    }
    return rule_both(right, rule_at_least("nodes of the next set without mistakes, or of the largest set, over its nodes",
                                          fmin(rival, largest) / sets->nodes[best], 1.1));
}

page_ruling rule_reports_leaves(double least_part)
{
    return rule_at_least("part of the colliding pairs of leaves", least_part, 1);
}

page_ruling rule_experiments(int holding, int judged)
{
    return judged == 0 ? rule_skipped("no two bodies collide in any experiment")
                       : rule_at_least("part of the experiments with a best set", (double)holding / judged, 1);
}

page_ruling rule_equal_collisions(const double *collisions, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, collisions[i]);
        most = fmax(most, collisions[i]);
    }
    return most > 0 ? rule_at_least("fewest over most collisions of a set", least / most, 0.95) : rule_skipped("nothing collides");
}

page_ruling rule_too_few_too_many(const double collisions[RULE_SETS])
{
    double few = fmax(collisions[0], collisions[1]), many = fmin(collisions[3], collisions[4]);
    if (collisions[2] == 0)
        return rule_skipped("nothing collides");
    return rule_both(rule_at_least("collisions of set 3 over those of sets 1 and 2", collisions[2] / few, 1.01),
                     rule_at_least("collisions of sets 4 and 5 over those of set 3", many / collisions[2], 1.01));
}

page_ruling rule_same_with_fewer_nodes(const double collisions[2], const double nodes[2])
{
    double most = fmax(collisions[0], collisions[1]);
    if (most == 0)
        return rule_skipped("nothing collides");
    return rule_both(rule_at_least("fewer over more collisions of sets 2 and 3", fmin(collisions[0], collisions[1]) / most, 0.99),
                     rule_at_least("nodes of set 2 over those of set 3", nodes[0] / nodes[1], 1.1));
}

// ---- Kimmerle ------------------------------------------------------------------------------------------------------

page_ruling rule_converges_faster(int combined_step, int pure_step)
{
    page_ruling reached = rule_at_least("steps of the combined method to 90 % (0: never)", combined_step, 1);
    return rule_both(reached, rule_at_least("steps of active pairs alone over that",
                                            pure_step == 0 ? INFINITY : (double)pure_step / combined_step, 1.1));
}

page_ruling rule_samples_needed(double combined, double pure)
{
    page_ruling reached = rule_at_least("pairs a step of the combined method (0: more than were tried)", combined, 1);
    return rule_both(reached, rule_at_least("pairs of active pairs alone over that", pure == 0 ? INFINITY : pure / combined, 3));
}

page_ruling rule_combined(double kdop_over_combined, double pure_over_combined)
{
    double pure = isnan(pure_over_combined) ? INFINITY : pure_over_combined;
    return rule_both(rule_at_least("time of k-DOPs over the combined method", kdop_over_combined, RULE_NOISE),
                     rule_at_least("time of active pairs alone at the same ratio over it", pure, RULE_NOISE));
}

page_ruling rule_leaf_size(double ratio, double best)
{
    return rule_both(rule_at_least("update and overlapping volumes, one triangle over 16", ratio, RULE_NOISE),
                     rule_at_least("triangles in the smallest leaf within 5 % of the best time", best, 2));
}

// "Much more efficient": by half at least.
page_ruling rule_cluster_search(double looked_at, double time)
{
    return rule_both(rule_at_least("pairs looked at by the recursive search over those of the paper's", looked_at, 1.5),
                     rule_at_least("its time over the paper's", time, 1.5));
}

page_ruling rule_walk_ratios(double hundred, double fifty)
{
    return rule_both(rule_between("part found with 100 pairs", hundred, 0.4, 0.8), rule_between("with 50", fifty, 0.2, 0.7));
}

page_ruling rule_fewer_pairs(const double ratio[2], const double speed[2])
{
    page_ruling faster = rule_at_least("the lower speed beside k-DOPs", fmin(speed[0], speed[1]), RULE_NOISE);
    return rule_both(faster, rule_at_least("part found with 100 pairs over part with 50", ratio[0] / ratio[1], 1.05));
}

page_ruling rule_trade(const double ratio[2], const double speed[2])
{
    page_ruling faster = rule_both(rule_at_least("speed at 60 % beside k-DOPs", speed[0], RULE_NOISE),
                                   rule_at_least("speed at 40 % over that at 60 %", speed[1] / speed[0], RULE_NOISE));
    return rule_both(faster, rule_at_least("part found at 60 % over part at 40 %", ratio[0] / ratio[1], 1.05));
}

// Every part of the figure is thicker than 3 cm; a garment that explodes has more energy than a joule.
static page_ruling rule_of_walk(rule_walk walk)
{
    return rule_both(rule_at_most("the deepest vertex of any seed in mm", 1e3 * walk.deepest, 30),
                     rule_at_most("the kinetic energy at its end in J", walk.kinetic, 1));
}

// The larger one; a NaN is the largest.
static double worse(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

page_ruling rule_stable(const rule_walk *walks, size_t count, rule_walk complete)
{
    rule_walk worst = {0, 0};
    for (size_t i = 0; i < count; i++) {
        worst.deepest = worse(walks[i].deepest, worst.deepest);
        worst.kinetic = worse(walks[i].kinetic, worst.kinetic);
    }
    if (count == 0)
        return rule_skipped("there are no walks");
    if (rule_of_walk(complete).judgement != PAGE_HOLDS)
        return rule_skipped("the walk is not stable with a complete search either");
    return rule_of_walk(worst);
}

// ---- Volino --------------------------------------------------------------------------------------------------------

page_ruling rule_constant_calls(double power, size_t tests)
{
    page_ruling flat = rule_at_most("the power of growth of calls, either way", fabs(power), 0.15);
    return rule_both(flat, rule_at_most("tests of two polygons", (double)tests, 0));
}

page_ruling rule_linear_calls(double power)
{
    return rule_between("the power of growth of calls", power, 0.85, 1.15);
}

page_ruling rule_linear_in_colliding(double calls_power, double tests_power)
{
    return rule_both(rule_between("the power of growth of calls", calls_power, 0.8, 1.2),
                     rule_between("the power of growth of tests", tests_power, 0.8, 1.2));
}

page_ruling rule_no_contact_skipped(size_t differing)
{
    return rule_at_most("the number of scenes with other contacts", (double)differing, 0);
}

page_ruling rule_regularity_gain(double gain, bool answered_by_regularity)
{
    return answered_by_regularity ? rule_at_least("time of the classical hierarchy over it", gain, RULE_NOISE)
                                  : rule_skipped("another method answered");
}

page_ruling rule_constant_elements(double power)
{
    return rule_at_most("exponent of the elements considered over the polygons", power, 0.2);
}

page_ruling rule_local_elements(double coarse, double fine)
{
    return rule_at_least("part of the polygons in the lowest elements, coarse over fine", fine > 0 ? coarse / fine : NAN, 1.5);
}

// ---- Rodriguez -----------------------------------------------------------------------------------------------------

page_ruling rule_level_time(double ms)
{
    return rule_at_most("milliseconds of a level", ms, 30);
}

// The paper's three models take 1.3 times as long in the mean.
page_ruling rule_queries_flat(double times_as_long)
{
    return rule_at_most("time with 3.4 times the triangles over time with few", times_as_long, 1.5);
}

page_ruling rule_dips(size_t slower, size_t bins)
{
    return bins == 0
               ? rule_skipped("no frames with as many contacts to compare")
               : rule_at_least("part of the bins in which frames that make levels are slower", (double)slower / (double)bins, 0.9);
}

// The paper's models take 9 or 13. Ours are others: one query more or less for each of two octants is the same.
page_ruling rule_printed_queries(double least, double most)
{
    return rule_both(rule_at_least("the fewest queries", least, 8), rule_at_most("the most queries", most, 15));
}

page_ruling rule_printed_misses(size_t missed, size_t all)
{
    return all == 0 ? rule_skipped("nothing that could be missed") : rule_at_most("missed", (double)missed, 0);
}

page_ruling rule_memory(double first, double most, bool falls)
{
    return rule_both(rule_at_most("bytes at the start over the peak", most > 0 ? first / most : NAN, 0.2),
                     rule_at_least("times that memory falls by a tenth (at least once)", falls ? 1 : 0, 1));
}
