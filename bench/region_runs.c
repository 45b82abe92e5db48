#define _POSIX_C_SOURCE 200809L
#include "region_runs.h"

#include <stdbool.h>
#include <string.h>

#include "measure.h"
#include "snag/sim.h"

enum { MAX_BODIES = 16 };

const region_experiment region_experiments[REGION_EXPERIMENTS] = {
    {"madera-a", {{{20, 14, 8}, {20, 14, 8}}, {{22, 14, 8}, {22, 14, 8}}, {{24, 14, 8}, {24, 14, 8}}, {{30, 14, 8}, {30, 14, 8}},
                  {{30, 20, 10}, {30, 20, 10}}}},
    {"madera-b", {{{20, 15, 10}, {25, 20, 10}}, {{45, 30, 10}, {35, 30, 10}}, {{25, 15, 10}, {35, 30, 10}},
                  {{40, 25, 10}, {40, 30, 10}}, {{25, 15, 10}, {45, 30, 10}}}},
    {"madera-c", {{{20, 15, 10}, {20, 15, 10}}, {{25, 12, 8}, {25, 12, 8}}, {{25, 13, 10}, {25, 13, 10}},
                  {{25, 15, 8}, {25, 15, 8}}, {{30, 15, 10}, {30, 15, 10}}}},
};

static const double UNIT = 0.01;  // of the tables, in metres

typedef struct stage {
    const region_experiment *experiment;
    snag_sim *sim;
    snag_world *world;
    snag_body_id ids[MAX_BODIES];
    size_t count;
    bool truth[MAX_BODIES][MAX_BODIES];  // pairs of bodies that touch within the contact distance, in the present step
} stage;

// ---- one step ------------------------------------------------------------------------------------------------------

typedef struct kind_filter {
    snag_body_id last;
    bool with_last;
} kind_filter;

static bool is_of_kind(void *context, snag_body_id a, snag_body_id b)
{
    const kind_filter *filter = context;
    return (a.index == filter->last.index || b.index == filter->last.index) == filter->with_last;
}

static void keep_answer(const snag_answer *answer, bool pairs[MAX_BODIES][MAX_BODIES], region_tally *t)
{
    for (size_t i = 0; i < answer->contact_count; i++) {
        uint32_t a = answer->contacts[i].body_a.index % MAX_BODIES, b = answer->contacts[i].body_b.index % MAX_BODIES;
        pairs[a < b ? a : b][a < b ? b : a] = true;
    }
    t->collisions += answer->region_contacts;
    for (int level = 0; level < SNAG_REGION_LEVELS; level++)
        t->opened[level] += answer->regions_opened[level];
}

static snag_status run_epsilons(stage *s, int run, region_tally *t)
{
    bool found[MAX_BODIES][MAX_BODIES] = {{0}};
    for (int kind = 0; kind < 2; kind++) {
        kind_filter filter = {s->ids[s->count - 1], kind == 1};
        snag_question_def question = snag_default_question_def(SNAG_DISTANCE);
        question.method = SNAG_METHOD_REGIONS;
        question.regions = SNAG_REGIONS_PAPER;
        question.epsilon_count = REGION_EPSILONS;
        for (int level = 0; level < REGION_EPSILONS; level++)
            question.epsilon[level] = UNIT * s->experiment->epsilon[run][kind][level];
        question.filter = is_of_kind;
        question.context = &filter;
        const snag_answer *answer = NULL;
        double start = measure_cpu_ms();
        snag_status status = snag_world_ask(s->world, &question, &answer);
        t->ms += measure_cpu_ms() - start;
        if (status != SNAG_OK)
            return status;
        keep_answer(answer, found, t);
    }
    for (int a = 0; a < MAX_BODIES; a++)
        for (int b = 0; b < MAX_BODIES; b++) {
            t->pairs += found[a][b];
            t->missed += s->truth[a][b] && !found[a][b];
            t->too_many += found[a][b] && !s->truth[a][b];
        }
    return SNAG_OK;
}

static snag_status run_exact(stage *s, double contact, region_tally *t)
{
    snag_question_def question = snag_default_question_def(SNAG_DISTANCE);
    question.method = SNAG_METHOD_REGIONS;
    question.within = contact;
    const snag_answer *answer = NULL;
    double start = measure_cpu_ms();
    snag_status status = snag_world_ask(s->world, &question, &answer);
    t->ms += measure_cpu_ms() - start;
    memset(s->truth, 0, sizeof s->truth);
    if (status == SNAG_OK) {
        keep_answer(answer, s->truth, t);
        t->pairs += answer->contact_count;
    }
    return status;
}

static snag_status step(stage *s, region_result *result)
{
    snag_status status = snag_sim_step(s->sim);
    for (size_t b = 0; b < s->count && status == SNAG_OK; b++) {
        snag_sim_body body = snag_sim_body_at(s->sim, b);
        status = snag_world_move(s->world, s->ids[b], snag_positions_f64(body.positions, body.vertex_count));
    }
    if (status == SNAG_OK)
        status = run_exact(s, result->contact, &result->exact);
    for (int run = 0; run < REGION_RUNS && status == SNAG_OK; run++)
        status = run_epsilons(s, run, &result->runs[run]);
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
    snag_world_def world_def = snag_default_world_def();
    world_def.threads = 1;
    snag_status status = snag_sim_create(&def, &s->sim);
    if (status == SNAG_OK)
        status = snag_world_create(&world_def, &s->world);
    s->count = status == SNAG_OK ? snag_sim_body_count(s->sim) : 0;
    if (s->count > MAX_BODIES)
        return SNAG_ERROR_SIZE;
    for (size_t b = 0; b < s->count && status == SNAG_OK; b++) {
        snag_sim_body body = snag_sim_body_at(s->sim, b);
        snag_surface_def surface = snag_default_surface_def();
        surface.positions = snag_positions_f64(body.positions, body.vertex_count);
        surface.triangles = body.triangles;
        surface.triangle_count = body.triangle_count;
        status = snag_world_add_surface(s->world, &surface, &s->ids[b]);
    }
    return status;
}

snag_status region_epsilons(size_t experiment, size_t most_steps, region_result *result, void (*progress)(void *context, double done),
                            void *context)
{
    stage s = {.experiment = &region_experiments[experiment]};
    size_t steps = steps_of(s.experiment->scene);
    memset(result, 0, sizeof *result);
    result->steps = steps < most_steps ? steps : most_steps;
    result->contact = UNIT * s.experiment->epsilon[2][0][REGION_EPSILONS - 1];
    snag_status status = open_stage(&s);
    result->bodies = s.count;
    for (size_t i = 0; i < result->steps && status == SNAG_OK; i++) {
        status = step(&s, result);
        if (progress)
            progress(context, ((double)i + 1) / (double)result->steps);
    }
    snag_world_destroy(s.world);
    snag_sim_destroy(s.sim);
    return status;
}
