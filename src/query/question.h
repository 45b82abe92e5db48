// A checked question: the public def, the options of its method and those of the lab in one flat struct.
#ifndef SNAG_QUERY_QUESTION_H
#define SNAG_QUERY_QUESTION_H

#include "base/assert.h"
#include "base/cookie.h"
#include "query/auto_policy.h"
#include "snag/lab.h"

typedef bool snag__body_filter(void *context, snag_body_id a, snag_body_id b);

typedef struct snag__question {
    snag_question question;
    snag_method method;
    snag_output output;
    bool self, between, every_pair, edges, track, ignore_radius;
    double distance;  // of `proximities`; for `distance` by the paper's rule: see snag_lab.vertex_distance
    double within;  // of `distance`: ignore bodies farther apart; 0: no limit
    double separation, tolerance, until;
    uint32_t closest;
    snag__body_filter *filter;
    void *filter_context;
    const snag_sink *sink;
    uint32_t exclude_rings;
    double exclude_rest;
    const struct snag_exclusions *exclusions;
    const struct snag_candidates *set;  // answer from this alone; NULL: search
    // Make records of all pairs that come within `distance`, or within `separation` during the move, and no more: see collect.c.
    bool collect;
    uint64_t budget_us;
    bool (*progress)(void *context, double done);
    void *progress_context;
    // options of methods: see snag/methods.h
    uint32_t k, arity;
    double lazy;
    double cell_size;
    uint32_t table_size;
    uint32_t directions;
    uint32_t new_pairs;
    uint64_t seed;
    double target_ratio;
    uint32_t depth, idle;
    snag_backend backend;
    // experiments: see snag/lab.h
    snag_regularity_mode regularity;
    snag_regions_rule regions;
    double epsilon[SNAG_REGION_LEVELS];
    uint32_t epsilon_count;
    bool lines, pure, candidates;
    snag_spheres_rule spheres;
    bool trees, visits, forced;
} snag__question;

enum { SNAG__MAX_RINGS = 16 };

// Error message for the user.
typedef struct snag__words {
    char text[360];
} snag__words;

snag_status snag__refuse(snag__words *message, snag_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline bool snag__is_length(double x)
{
    return x >= 0 && x <= 1.7976931348623157e308;
}

// Copies a def into a question and checks all that can be checked without looking at the bodies.
snag_status snag__question_read(const snag_question_def *def, snag__question *question, snag__words *message);

#endif
