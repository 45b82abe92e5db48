// A question with the options of all methods in one flat struct, for programs that take them from a command line or a table: the
// tool, the lab, benches and tests. any_ask passes on the options of the chosen method and drops those of others.
#ifndef SNAG_ANY_QUESTION_H
#define SNAG_ANY_QUESTION_H

#include "snag/lab.h"

typedef struct any_question {
    snag_question question;
    snag_method method;
    snag_output output;
    bool self, between, every_pair, edges, track;
    double distance;  // of proximities; of distance by the paper's rule: of vertices that collide
    double within;  // of distance
    uint32_t closest;
    double tolerance, separation, until;
    uint32_t k, arity;
    double lazy;
    snag_regularity_mode regularity;
    uint32_t directions;
    snag_regions_rule regions;
    double epsilon[SNAG_REGION_LEVELS];
    uint32_t epsilon_count;
    bool lines;
    double cell_size;
    uint32_t table_size;
    uint32_t new_pairs;
    uint64_t seed;
    double target_ratio;
    bool pure;
    uint32_t depth, idle;
    snag_backend backend;
    snag_spheres_rule spheres;
    bool trees, visits, forced;
    bool candidates;
    const struct snag_candidates *set;  // to answer from; NULL: search
    const snag_sink *sink;  // takes the contacts in blocks; NULL: the answer lists them
    uint64_t budget_us;
    bool (*progress)(void *context, double done);
    bool (*filter)(void *context, snag_body_id a, snag_body_id b);
    void *context;  // for both
    uint32_t exclude_rings;
    double exclude_rest;
    const struct snag_exclusions *exclusions;
    bool ignore_radius;
} any_question;

// Like snag_default_question_def, except that penetrations test vertices only (`edges` is false).
static inline any_question any_default(snag_question question)
{
    snag_question_def def = snag_default_question_def(question);
    any_question q = {
        .question = question, .self = def.self, .between = def.between, .tolerance = def.tolerance, .until = def.until};
    return q;
}

// The def of a question, and the data it points to.
typedef struct any_def {
    snag_question_def def;
    snag_filter filter;
    snag_lab lab;
    snag_method_options plain;
    snag_kdop_options kdop;
    snag_hash_options hash;
    snag_regularity_options regularity;
    snag_active_options active;
    snag_spheres_options spheres;
} any_def;

// The method's options, filled from the question. NULL for auto and for methods without options.
static inline snag_method_options *any_options(const any_question *q, any_def *to)
{
    switch (q->method) {
    case SNAG_METHOD_KDOP:
        to->kdop = snag_default_kdop_options();
        to->kdop.k = q->k;
        to->kdop.arity = q->arity;
        to->kdop.lazy = q->lazy;
        return &to->kdop.head;
    case SNAG_METHOD_HASH:
        to->hash = snag_default_hash_options();
        to->hash.cell_size = q->cell_size;
        to->hash.table_size = q->table_size;
        return &to->hash.head;
    case SNAG_METHOD_REGULARITY:
        to->regularity = snag_default_regularity_options();
        to->regularity.directions = q->directions;
        return &to->regularity.head;
    case SNAG_METHOD_ACTIVE:
        to->active = snag_default_active_options();
        to->active.new_pairs = q->new_pairs;
        to->active.seed = q->seed;
        to->active.target_ratio = q->target_ratio;
        to->active.lazy = q->lazy;
        return &to->active.head;
    case SNAG_METHOD_SPHERES:
        to->spheres = snag_default_spheres_options();
        to->spheres.depth = q->depth;
        to->spheres.idle = q->idle;
        to->spheres.backend = q->backend;
        return &to->spheres.head;
    case SNAG_METHOD_AUTO: return NULL;
    default: to->plain = snag_default_method_options(q->method); return &to->plain;
    }
}

// Fills `to`, which must not move until the question has been asked.
static inline const snag_question_def *any_def_of(const any_question *q, any_def *to)
{
    to->def = snag_default_question_def(q->question);
    to->def.method = q->method;
    to->def.output = q->output;
    to->def.self = q->self;
    to->def.between = q->between;
    to->def.every_pair = q->every_pair;
    to->def.edges = q->edges;
    to->def.track = q->track;
    to->def.distance = q->question == SNAG_DISTANCE ? q->within : q->distance;
    to->def.closest = q->closest;
    to->def.tolerance = q->tolerance;
    to->def.separation = q->separation;
    to->def.until = q->until;
    to->def.candidates = q->set;
    to->def.sink = q->sink;
    to->def.budget_us = q->budget_us;
    to->def.progress = q->progress;
    to->def.context = q->context;
    to->filter = snag_default_filter();
    to->filter.bodies = q->filter;
    to->filter.context = q->context;
    to->filter.exclude_rings = q->exclude_rings;
    to->filter.exclude_rest = q->exclude_rest;
    to->filter.exclusions = q->exclusions;
    bool filters = q->filter != NULL || q->exclude_rings > 0 || q->exclude_rest != 0 || q->exclusions != NULL;
    to->def.filter = filters ? &to->filter : NULL;
    to->def.ignore_radius = q->ignore_radius;

    to->lab = snag_default_lab();
    to->lab.candidates = q->candidates;
    if (q->method == SNAG_METHOD_REGULARITY) {
        to->lab.regularity = q->regularity;
        to->lab.visits = q->visits;
        to->lab.forced = q->forced;
    }
    if (q->method == SNAG_METHOD_ACTIVE)
        to->lab.pure = q->pure;
    if (q->method == SNAG_METHOD_SPHERES) {
        to->lab.spheres = q->spheres;
        to->lab.trees = q->trees;
    }
    if (q->method == SNAG_METHOD_REGIONS) {
        to->lab.regions = q->regions;
        to->lab.lines = q->lines;
        to->lab.epsilon_count = q->epsilon_count;
        for (int i = 0; i < SNAG_REGION_LEVELS; i++)
            to->lab.epsilon[i] = q->epsilon[i];
        to->lab.vertex_distance = q->question == SNAG_DISTANCE ? q->distance : 0;
    }
    snag_method_options *chosen = any_options(q, to);
    if (chosen != NULL)
        chosen->lab = &to->lab;
    to->def.options = chosen;
    return &to->def;
}

static inline snag_status any_ask(snag_world *world, const any_question *q, const snag_answer **answer)
{
    any_def made;
    return snag_world_ask(world, q != NULL ? any_def_of(q, &made) : NULL, answer);
}

#endif
