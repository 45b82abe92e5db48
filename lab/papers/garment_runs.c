#define _POSIX_C_SOURCE 200809L
#include "garment_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "one_world.h"

typedef struct garment_world {
    snag_world *world;
    snag_body_id ids[GARMENT_BODIES];
    uint32_t figure;  // the index of its id
} garment_world;

// As in active_runs.c: one world answers, one only updates its hierarchy, one stops at overlapping volumes.
enum { ANSWERING, UPDATING, OVERLAPPING, STAGES };

typedef struct garment_runner {
    garment_world worlds[STAGES];
    any_question questions[STAGES];
    int stages;  // 1: only the first
} garment_runner;

static bool is_wanted(void *context, snag_body_id a, snag_body_id b)
{
    uint32_t figure = *(const uint32_t *)context;
    return a.index != figure || b.index != figure;
}

static snag_status open_world(const snag_sim *sim, garment_world *w)
{
    snag_status status = one_world(&w->world);
    for (size_t b = 0; b < snag_sim_body_count(sim) && b < GARMENT_BODIES && status == SNAG_OK; b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        status = one_world_add_body(w->world, &body, &w->ids[b]);
    }
    w->figure = w->ids[0].index;
    return status;
}

static snag_status move_world(const garment_world *w, const snag_sim *sim)
{
    snag_status status = snag_world_begin_step(w->world);
    for (size_t b = 0; b < snag_sim_body_count(sim) && b < GARMENT_BODIES && status == SNAG_OK; b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        status = snag_world_move(w->world, w->ids[b], snag_positions_f64(body.positions, body.vertex_count));
    }
    return status;
}

static snag_status open_runner(const snag_sim *sim, const figure_way *way, bool staged, uint64_t seed, garment_runner *r)
{
    snag_status status = SNAG_OK;
    r->stages = staged ? STAGES : 1;
    for (int i = 0; i < r->stages && status == SNAG_OK; i++) {
        status = open_world(sim, &r->worlds[i]);
        any_question ask = any_default(SNAG_PROXIMITIES);
        ask.method = way->method;
        ask.distance = FIGURE_DISTANCE;
        ask.seed = seed;
        ask.pure = way->pure;
        ask.new_pairs = way->new_pairs;
        ask.target_ratio = i == OVERLAPPING ? 0 : way->target;
        ask.candidates = i == OVERLAPPING;
        ask.filter = i == UPDATING ? one_world_nothing : is_wanted;
        ask.context = &r->worlds[i].figure;
        r->questions[i] = ask;
        const snag_answer *answer = NULL;
        if (status == SNAG_OK)
            status = any_ask(r->worlds[i].world, &ask, &answer);  // builds the trees before timing
    }
    return status;
}

static snag_status step_runner(garment_runner *r, const snag_sim *sim, figure_run *run, const snag_answer **answer)
{
    double us[STAGES] = {0};
    snag_status status = SNAG_OK;
    for (int i = 0; i < r->stages && status == SNAG_OK; i++) {
        const snag_answer *made = NULL;
        double start = measure_cpu_ms();
        status = move_world(&r->worlds[i], sim);
        // Only the answering world counts its moves: the others are compared with each other.
        if (i != ANSWERING)
            start = measure_cpu_ms();
        if (status == SNAG_OK)
            status = any_ask(r->worlds[i].world, &r->questions[i], &made);
        us[i] = 1e3 * (measure_cpu_ms() - start);
        if (i == ANSWERING)
            *answer = made;
        // Use as many random pairs as the answer did.
        if (i == ANSWERING && status == SNAG_OK && made->statistics->new_pairs > 0)
            r->questions[OVERLAPPING].new_pairs = made->statistics->new_pairs;
    }
    run->total_us += us[ANSWERING];
    run->update_us += us[UPDATING];
    run->overlap_us += us[OVERLAPPING] - us[UPDATING];
    return status;
}

static snag_status step_all(const garment_job *job, const snag_sim *sim, garment_runner *runners, int step, figure_run *runs)
{
    double all = 0;
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < job->count && status == SNAG_OK; i++) {
        const snag_answer *answer = NULL;
        figure_run unused = {0};
        status = step_runner(&runners[i], sim, step >= 0 ? &runs[i] : &unused, &answer);
        if (status != SNAG_OK || !answer)
            break;
        all = i == 0 ? (double)answer->count : all;
        if (step >= 0)
            figure_run_keep(&runs[i], step, job->steps, all, answer);
    }
    return status;
}

snag_status garment_runs(const garment_job *job, figure_run *runs, size_t triangles[2])
{
    snag_sim *sim = NULL;
    garment_runner *runners = calloc(job->count + 1, sizeof *runners);
    snag_status status = runners ? snag_sim_create(job->def, &sim) : SNAG_ERROR_MEMORY;
    memset(runs, 0, job->count * sizeof *runs);
    triangles[0] = triangles[1] = 0;
    for (size_t b = 0; status == SNAG_OK && b < snag_sim_body_count(sim) && b < GARMENT_BODIES; b++)
        triangles[b > 0] += snag_sim_body_at(sim, b).triangle_count;
    enum { WARM = 5 };  // steps of the searches before the first that counts
    for (int step = -job->settle; step < job->steps && status == SNAG_OK; step++) {
        status = snag_sim_step(sim);
        for (size_t i = 0; i < job->count && step == (job->settle > WARM ? -WARM : -job->settle) && status == SNAG_OK; i++) {
            runs[i].least = 1;
            status = open_runner(sim, &job->ways[i], i < job->staged, job->def->seed, &runners[i]);
        }
        if (status == SNAG_OK && step >= -WARM)
            status = step_all(job, sim, runners, step, runs);
        if (status == SNAG_OK && job->watch && step >= 0)
            job->watch(job->context, sim, step);
        if (job->progress)
            job->progress(job->context, (double)(step + 1 + job->settle) / (job->steps + job->settle));
    }
    for (size_t i = 0; runners && i < job->count; i++)
        for (int k = 0; k < STAGES; k++)
            snag_world_destroy(runners[i].worlds[k].world);
    free(runners);
    snag_sim_destroy(sim);
    return status;
}

double garment_time_at(const figure_run *runs, size_t count, double ratio, bool least)
{
    for (size_t i = 0; i < count; i++) {
        double here = least ? runs[i].least : runs[i].ratio;
        if (here < ratio)
            continue;
        if (i == 0)
            return runs[0].total_us;
        double before = least ? runs[i - 1].least : runs[i - 1].ratio,
               part = here > before ? (ratio - before) / (here - before) : 1;
        return exp(log(runs[i - 1].total_us) + part * (log(runs[i].total_us) - log(runs[i - 1].total_us)));
    }
    return NAN;
}
