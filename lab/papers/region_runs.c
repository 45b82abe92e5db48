#define _POSIX_C_SOURCE 200809L
#include "common/any_question.h"
#include "region_runs.h"

#include <math.h>
#include <string.h>

#include "measure.h"
#include "one_world.h"

enum { MAX_BODIES = 16 };

const region_experiment region_experiments[REGION_EXPERIMENTS] = {
    {"madera-a", 180, false, {{{20, 14, 8}}, {{22, 14, 8}}, {{24, 14, 8}}, {{30, 14, 8}}, {{30, 20, 10}}}},
    {"madera-b",
     90,
     true,
     {{{20, 15, 10}, {25, 20, 10}},
      {{45, 30, 10}, {35, 30, 10}},
      {{25, 15, 10}, {35, 30, 10}},
      {{40, 25, 10}, {40, 30, 10}},
      {{25, 15, 10}, {45, 30, 10}}}},
    {"madera-c", 40, false, {{{20, 15, 10}}, {{25, 12, 8}}, {{25, 13, 10}}, {{25, 15, 8}}, {{30, 15, 10}}}},
};

enum { BEST = 2 };  // the set that the paper calls optimal, in every experiment

typedef struct stage {
    const region_experiment *experiment;
    snag_sim *sim;
    snag_world *world;
    snag_body_id ids[MAX_BODIES];
    size_t count;
    bool near[MAX_BODIES][MAX_BODIES];  // pairs of bodies to test in the current step
    bool truth[MAX_BODIES][MAX_BODIES];  // pairs of bodies that collide
    // All collisions of the current step, for each last epsilon requested.
    struct {
        double last;
        size_t collisions;
    } all[REGION_RUNS];
    int all_count;
} stage;

// ---- one step ------------------------------------------------------------------------------------------------------

// Selects pairs of bodies.
typedef struct pair_filter {
    const stage *s;
    bool near;  // only near pairs
    bool kinds;  // only pairs with the last body, or only pairs without it
    bool with_last;
} pair_filter;

static bool is_wanted(void *context, snag_body_id a, snag_body_id b)
{
    const pair_filter *f = context;
    uint32_t low = (a.index < b.index ? a.index : b.index) % MAX_BODIES,
             high = (a.index < b.index ? b.index : a.index) % MAX_BODIES;
    uint32_t last = f->s->ids[f->s->count - 1].index;
    return (!f->near || f->s->near[low][high]) && (!f->kinds || (a.index == last || b.index == last) == f->with_last);
}

static void keep_answer(const snag_answer *answer, bool pairs[MAX_BODIES][MAX_BODIES], region_tally *t)
{
    for (size_t i = 0; i < answer->count; i++) {
        uint32_t a = answer->contacts[i].body_a.index % MAX_BODIES, b = answer->contacts[i].body_b.index % MAX_BODIES;
        pairs[a < b ? a : b][a < b ? b : a] = true;
        contact_type type = contact_type_of(answer->contacts[i].kind);
        if (type < CONTACT_TYPES)
            t->types[type]++;
    }
    t->collisions += answer->statistics->region_contacts;
    for (int level = 0; level < SNAG_REGION_LEVELS; level++)
        t->opened[level] += answer->statistics->regions_opened[level];
}

static any_question paper_question(pair_filter *filter)
{
    any_question question = any_default(SNAG_DISTANCE);
    question.method = SNAG_METHOD_REGIONS;
    question.regions = SNAG_REGIONS_PAPER;
    question.filter = is_wanted;
    question.context = filter;
    return question;
}

static snag_status ask(stage *s, const any_question *question, bool pairs[MAX_BODIES][MAX_BODIES], region_tally *t)
{
    const snag_answer *answer = NULL;
    double start = measure_cpu_ms();
    snag_status status = any_ask(s->world, question, &answer);
    t->ms += measure_cpu_ms() - start;
    if (status == SNAG_OK)
        keep_answer(answer, pairs, t);
    return status;
}

static void count_pairs(const stage *s, bool found[MAX_BODIES][MAX_BODIES], region_tally *t)
{
    for (int a = 0; a < MAX_BODIES; a++)
        for (int b = 0; b < MAX_BODIES; b++) {
            t->pairs += found[a][b];
            t->missed += s->truth[a][b] && !found[a][b];
            t->too_many += found[a][b] && !s->truth[a][b];
        }
}

// Compares all pairs of leaves of near bodies: finds every collision at this epsilon.
static snag_status run_all(stage *s, double last, bool found[MAX_BODIES][MAX_BODIES], region_tally *t)
{
    pair_filter filter = {.s = s, .near = true};
    any_question question = paper_question(&filter);
    const double everything = 1e6;
    question.epsilon_count = REGION_EPSILONS;
    for (int level = 0; level < REGION_EPSILONS; level++)
        question.epsilon[level] = level + 1 < REGION_EPSILONS ? everything : last;
    return ask(s, &question, found, t);
}

static snag_status count_all(stage *s, double last, size_t *collisions)
{
    for (int i = 0; i < s->all_count; i++)
        if (s->all[i].last == last) {
            *collisions = s->all[i].collisions;
            return SNAG_OK;
        }
    region_tally all = {0};
    snag_status status = run_all(s, last, (bool[MAX_BODIES][MAX_BODIES]){{0}}, &all);
    s->all[s->all_count].last = last;
    s->all[s->all_count++].collisions = *collisions = all.collisions;
    return status;
}

static snag_status run_set(stage *s, int run, const region_result *result, region_tally *t)
{
    bool found[MAX_BODIES][MAX_BODIES] = {{0}};
    const double(*epsilon)[REGION_EPSILONS] = s->experiment->epsilon[run];
    region_tally own = {0};
    size_t all = 0;
    snag_status status = SNAG_OK;
    for (int kind = 0; kind < 1 + s->experiment->kinds && status == SNAG_OK; kind++) {
        pair_filter filter = {.s = s, .kinds = s->experiment->kinds, .with_last = kind == 1};
        any_question question = paper_question(&filter);
        question.epsilon_count = REGION_EPSILONS;
        for (int level = 0; level < REGION_EPSILONS; level++)
            question.epsilon[level] = result->unit * epsilon[kind][level];
        status = ask(s, &question, found, &own);
    }
    if (status == SNAG_OK)
        status = count_all(s, result->unit * epsilon[0][REGION_EPSILONS - 1], &all);
    count_pairs(s, found, t);
    t->collisions += own.collisions;
    t->lost += all - own.collisions;
    t->ms += own.ms;
    for (int level = 0; level < SNAG_REGION_LEVELS; level++)
        t->opened[level] += own.opened[level];
    return status;
}

// Uses exact bounds, which need no epsilons.
static snag_status run_exact(stage *s, double within, bool pairs[MAX_BODIES][MAX_BODIES], region_tally *t)
{
    any_question question = any_default(SNAG_DISTANCE);
    question.method = SNAG_METHOD_REGIONS;
    question.within = within;
    memset(pairs, 0, sizeof(bool[MAX_BODIES][MAX_BODIES]));
    return ask(s, &question, pairs, t);
}

static double longest_last(const region_experiment *experiment)
{
    double longest = 0;
    for (int run = 0; run < REGION_RUNS; run++)
        longest = fmax(longest, experiment->epsilon[run][0][REGION_EPSILONS - 1]);
    return longest;
}

static snag_status ask_all(stage *s, region_result *result)
{
    bool exact[MAX_BODIES][MAX_BODIES];
    region_tally unused = {0};
    memset(s->truth, 0, sizeof s->truth);
    s->all_count = 0;
    snag_status status = run_exact(s, result->contact, exact, &result->exact);
    if (status == SNAG_OK)
        status = run_exact(s, result->unit * longest_last(s->experiment), s->near, &unused);
    if (status == SNAG_OK)
        status = run_all(s, result->contact, s->truth, &result->all);
    size_t before = result->all.pairs;
    count_pairs(s, s->truth, &result->all);
    count_pairs(s, exact, &result->exact);
    result->touching += result->all.pairs > before;
    for (int run = 0; run < REGION_RUNS && status == SNAG_OK; run++)
        status = run_set(s, run, result, &result->runs[run]);
    return status;
}

// ---- an experiment -------------------------------------------------------------------------------------------------

static size_t steps_of(const char *scene)
{
    for (size_t k = 0; snag_sim_scene_name(k) != NULL; k++)
        if (strcmp(snag_sim_scene_name(k), scene) == 0)
            return snag_sim_scene_steps(k);
    return 0;
}

static snag_status open_stage(stage *s)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = s->experiment->scene;
    def.threads = 1;
    snag_status status = snag_sim_create(&def, &s->sim);
    if (status == SNAG_OK)
        status = one_world(&s->world);
    s->count = status == SNAG_OK ? snag_sim_body_count(s->sim) : 0;
    if (s->count > MAX_BODIES)
        return SNAG_ERROR_SIZE;
    for (size_t b = 0; b < s->count && status == SNAG_OK; b++) {
        snag_sim_body body = snag_sim_body_at(s->sim, b);
        status = one_world_add_body(s->world, &body, &s->ids[b]);
    }
    return status;
}

// The paper does not give the size of its models. It does say that it computes epsilons with equation 3 and sums them with equation
// 6. So choose the unit of a table such that the first epsilon of the set it calls optimal equals the one these equations give for
// our models.
static snag_status choose_unit(stage *s, region_result *result)
{
    snag_status status = SNAG_OK;
    for (int kind = 0; kind < 1 + s->experiment->kinds && status == SNAG_OK; kind++) {
        pair_filter filter = {.s = s, .kinds = s->experiment->kinds, .with_last = kind == 1};
        any_question question = paper_question(&filter);
        const snag_answer *answer = NULL;
        status = any_ask(s->world, &question, &answer);
        for (int level = 0; level + 1 < REGION_EPSILONS && status == SNAG_OK; level++)
            result->radii[kind][level] = answer->statistics->lab->epsilon[level];
    }
    const double *best = s->experiment->epsilon[BEST][0];
    result->unit = result->radii[0][0] / best[0];
    result->contact = result->unit * best[REGION_EPSILONS - 1];
    return status;
}

static snag_status move_bodies(stage *s)
{
    snag_status status = snag_world_begin_step(s->world);
    for (size_t b = 0; b < s->count && status == SNAG_OK; b++) {
        snag_sim_body body = snag_sim_body_at(s->sim, b);
        status = snag_world_move(s->world, s->ids[b], snag_positions_f64(body.positions, body.vertex_count));
    }
    return status;
}

snag_status region_epsilons(size_t experiment, bool quick, region_result *result, void (*progress)(void *context, double done),
                            void *context)
{
    enum { QUICK_EVERY = 6 };
    stage s = {.experiment = &region_experiments[experiment]};
    memset(result, 0, sizeof *result);
    result->steps = quick ? s.experiment->quick_steps : steps_of(s.experiment->scene);
    snag_status status = open_stage(&s);
    result->bodies = s.count;
    if (status == SNAG_OK)
        status = choose_unit(&s, result);
    for (size_t i = 1; i <= result->steps && status == SNAG_OK; i++) {
        status = snag_sim_step(s.sim);
        if (progress)
            progress(context, (double)i / (double)result->steps);
        if (status != SNAG_OK || (quick && i % QUICK_EVERY != 0))
            continue;
        result->asked++;
        status = move_bodies(&s);
        if (status == SNAG_OK)
            status = ask_all(&s, result);
    }
    snag_world_destroy(s.world);
    snag_sim_destroy(s.sim);
    return status;
}
