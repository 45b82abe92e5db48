// The rules by which repro judges a claim: from measured numbers to a verdict, and nothing else. Each rule is a function of its own, so
// that a test can feed it numbers for which it must fail.
#ifndef SNAG_LAB_VERDICTS_H
#define SNAG_LAB_VERDICTS_H

#include "page.h"

// Times of two programs within this factor are called equal: repeated runs of the same program differ by as much.
#define RULE_NOISE 1.02

// ---- bricks --------------------------------------------------------------------------------------------------------

// Holds if value >= limit, value <= limit, or least <= value <= most; a NaN fails. `what` names the value in the rule.
page_ruling rule_at_least(const char *what, double value, double limit);
page_ruling rule_at_most(const char *what, double value, double limit);
page_ruling rule_between(const char *what, double value, double least, double most);
// Both must hold: the rule names both, the margin is the smaller one.
page_ruling rule_both(page_ruling a, page_ruling b);
// Nothing to judge, because of `why`.
page_ruling rule_skipped(const char *why);

// ---- Teschner ------------------------------------------------------------------------------------------------------

page_ruling rule_same_pairs(size_t differing_steps);
page_ruling rule_rate(double hertz);  // interactive: 15 Hz
page_ruling rule_linear_time(double power);
// Over the size of the table: the smallest is slower than the best, and from as many slots as there are vertices on all are alike.
page_ruling rule_table_size(const double *slots, const double *ms, size_t count, double vertices);
// The best cell, in mean edges.
page_ruling rule_cell_size(double best);
page_ruling rule_cells_over_tables(double cells_span, double tables_span);
// A variant beats another by more than noise. `ratio`: time of the other over time of the one that is claimed to be faster.
page_ruling rule_faster_variant(double ratio);
page_ruling rule_objects(double span, bool same_contacts);

// ---- Madera --------------------------------------------------------------------------------------------------------

enum { RULE_SETS = 5 };
typedef struct rule_sets {
    size_t touching;  // steps in which bodies collide
    double missed[RULE_SETS], too_many[RULE_SETS], nodes[RULE_SETS];
} rule_sets;

// The set with the fewest mistakes; of those, the one with the fewest nodes.
int rule_best_set(const rule_sets *sets);
// A best set exists: it makes no mistakes, and the next set without mistakes expands a tenth more nodes or more. If there is no other, the
// largest set must expand that many more: looking everywhere is not a choice.
page_ruling rule_has_best_set(const rule_sets *sets);
// The best set reports every two leaves that collide.
page_ruling rule_reports_leaves(double least_part);
page_ruling rule_experiments(int holding, int judged);
// Figure 11: the sets report almost equal numbers of collisions.
page_ruling rule_equal_collisions(const double *collisions, size_t count);
// Figure 9: sets 1 and 2 report fewer collisions than set 3, sets 4 and 5 more.
page_ruling rule_too_few_too_many(const double collisions[RULE_SETS]);
// Figure 10: sets 2 and 3 report the same collisions, and set 3 expands a tenth fewer nodes or less.
page_ruling rule_same_with_fewer_nodes(const double collisions[2], const double nodes[2]);

// ---- Kimmerle ------------------------------------------------------------------------------------------------------

// The step that reaches a ratio, counted from 1; 0: none.
page_ruling rule_converges_faster(int combined_step, int pure_step);
page_ruling rule_samples_needed(double combined, double pure);  // pairs a step; 0: more than were tried
// At a matched ratio: time of kdop and of active pairs alone over that of the combined method. NaN: active pairs alone never find as
// much, which counts as slower.
page_ruling rule_combined(double kdop_over_combined, double pure_over_combined);
// Time of update and overlapping volumes with one triangle in a leaf over that with 16; the smallest leaf that is as fast in all as the
// best.
page_ruling rule_leaf_size(double ratio, double best);
// Recursive search over the paper's: pairs of points looked at, and time.
page_ruling rule_cluster_search(double looked_at, double time);
// Figure 6: the parts found with 100 and with 50 new pairs a step, means over the steps and over all seeds.
page_ruling rule_walk_ratios(double hundred, double fifty);
// 100 and 50 new pairs a step: ratio found, and speed beside kdop.
page_ruling rule_fewer_pairs(const double ratio[2], const double speed[2]);
page_ruling rule_trade(const double ratio[2], const double speed[2]);
// A walk: the deepest vertex in metres, and the kinetic energy at its end in joules.
typedef struct rule_walk {
    double deepest, kinetic;
} rule_walk;

// Figure 6: every walk must be stable, whatever its seed. Nothing is judged if a complete search does not keep the walk stable.
page_ruling rule_stable(const rule_walk *walks, size_t count, rule_walk complete);

// ---- Volino --------------------------------------------------------------------------------------------------------

page_ruling rule_constant_calls(double power, size_t tests);
page_ruling rule_linear_calls(double power);
page_ruling rule_linear_in_colliding(double calls_power, double tests_power);
page_ruling rule_no_contact_skipped(size_t differing);
// The method that answered must be regularity.
page_ruling rule_regularity_gain(double gain, bool answered_by_regularity);

// Fig. 8: elements of the hierarchy considered on a sphere, at growing numbers of polygons.
page_ruling rule_constant_elements(double power);
// Fig. 9: the part of the polygons that is separated down to the lowest elements, at the coarsest and at the finest discretisation.
page_ruling rule_local_elements(double coarse, double fine);

// ---- Rodriguez -----------------------------------------------------------------------------------------------------

page_ruling rule_level_time(double ms);
page_ruling rule_queries_flat(double times_as_long);
// Frames with about as many pairs of leaves, with and without levels made: `pairs` bins that hold both kinds, and in how many of them
// the building frames are slower by more than noise.
page_ruling rule_dips(size_t slower, size_t bins);
// Algorithm 1 as printed: the fewest and the most queries of a level; what it misses.
page_ruling rule_printed_queries(double least, double most);
page_ruling rule_printed_misses(size_t missed, size_t all);
page_ruling rule_memory(double first, double most, bool falls);

#endif
