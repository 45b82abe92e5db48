// Response: contacts become corrections. What comes out is finite, what fails leaves the user's arrays as they were, a
// step that starts free ends free, and untangling never leaves more than there was.
#include "common/any_question.h"
#include "torture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Steps and untangling search many times over: they are tried where that takes milliseconds.
enum { TRIANGLES = 300, WILD_TRIANGLES = 60, TANGLED = 200 };

static bool is_quick(const torture_life *life, size_t tangled)
{
    return torture_triangles(life) <= (life->profile.wild ? WILD_TRIANGLES : TRIANGLES) && tangled <= TANGLED;
}

// The bodies as a user would keep them.
typedef struct group {
    uint32_t count;
    torture_body *bodies[TORTURE_BODIES];
    snag_response_body items[TORTURE_BODIES];
    double *before[TORTURE_BODIES], *masses[TORTURE_BODIES];
    bool held, weld, free;  // there are vertices that are held; welded bodies; vertices that are not held
    bool huge;  // numbers whose squares leave the range of doubles
} group;

static double *numbers(size_t count)
{
    double *made = calloc(count + 1, sizeof *made);
    if (made == NULL)
        abort();
    return made;
}

static bool is_huge(const torture_life *life, double x)
{
    return life->profile.wild || fabs(x) > 1e60 || (x != 0 && fabs(x) < 1e-60);
}

static void open_group(torture_life *life, group *g, snag__random *random)
{
    bool velocities = torture_chance(random, 0.5), hold_some = torture_chance(random, 0.3);
    *g = (group){0};
    g->count = torture_alive(life, g->bodies);
    for (uint32_t i = 0; i < g->count; i++) {
        torture_body *body = g->bodies[i];
        size_t n = body->shape.vertex_count;
        bool obstacle = hold_some && torture_chance(random, 0.3);
        snag_response_body *item = &g->items[i];
        *item = (snag_response_body){.body = body->id, .vertex_count = n, .positions = numbers(3 * n)};
        memcpy(item->positions, body->t1, 3 * n * sizeof(double));
        item->velocities = velocities ? numbers(3 * n) : NULL;
        g->before[i] = numbers(3 * n);
        g->masses[i] = numbers(n);
        for (size_t v = 0; v < n; v++)
            g->masses[i][v] = hold_some && torture_chance(random, 0.2) ? 0 : snag__random_range(random, 0.5, 2);
        for (size_t v = 0; v < n; v++) {
            g->held = g->held || obstacle || g->masses[i][v] == 0;
            g->free = g->free || (!obstacle && g->masses[i][v] != 0);
        }
        for (size_t k = 0; k < 3 * n; k++)
            g->huge = g->huge || is_huge(life, body->t1[k]);
        item->inverse_masses = obstacle ? NULL : g->masses[i];
        item->start = body->t1;
        g->weld = g->weld || body->weld;
    }
}

static void close_group(group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        free(g->items[i].positions);
        free(g->items[i].velocities);
        free(g->before[i]);
        free(g->masses[i]);
    }
}

static void keep(group *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        memcpy(g->before[i], g->items[i].positions, 3 * g->items[i].vertex_count * sizeof(double));
}

static void must_be_finite(torture_life *life, const group *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < 3 * g->items[i].vertex_count; k++)
            if (!isfinite(g->items[i].positions[k]) || (g->items[i].velocities != NULL && !isfinite(g->items[i].velocities[k])))
                torture_fail(life, "response", "%s made a number that is not finite", life->board->doing);
}

// True if the call worked.
static bool judge_call(torture_life *life, const group *g, snag_status status, bool starved)
{
    life->board->responses++;
    if (status == SNAG_OK && starved)
        torture_fail(life, "an allocation failed and the call did not", "%s returned ok", life->board->doing);
    if (status == SNAG_OK) {
        must_be_finite(life, g);
        return true;
    }
    bool expected = (status == SNAG_ERROR_MEMORY && starved) || (status == SNAG_ERROR_NOT_FINITE && g->huge) ||
                    (status == SNAG_ERROR_ARGUMENT && !g->free) || (status == SNAG_ERROR_UNSUPPORTED && torture_has_source(life));
    if (!expected)
        torture_fail(life, "response refused", "%s: %s: %s", life->board->doing, snag_status_name(status),
                     snag_response_message(life->response));
    if (snag_response_message(life->response)[0] == 0)
        torture_fail(life, "no message", "%s failed without a message", life->board->doing);
    for (uint32_t i = 0; i < g->count; i++)
        if (memcmp(g->before[i], g->items[i].positions, 3 * g->items[i].vertex_count * sizeof(double)) != 0)
            torture_fail(life, "response", "%s failed and changed the user's arrays", life->board->doing);
    life->board->starved += starved;
    return false;
}

// Puts bodies where the group has them, and notes it. With `teleport` they rest there.
static void settle(torture_life *life, group *g, bool teleport)
{
    for (uint32_t i = 0; i < g->count; i++) {
        torture_body *body = g->bodies[i];
        size_t n = body->shape.vertex_count;
        snag_positions positions = snag_positions_f64(g->items[i].positions, n);
        if (body->source)
            continue;
        snag_status status =
            teleport ? snag_world_teleport(life->world, body->id, positions) : snag_world_move(life->world, body->id, positions);
        torture_worked(life, status, false, "positions after a response");
        if (teleport)
            memcpy(body->t0, g->items[i].positions, 3 * n * sizeof(double));
        memcpy(body->t1, g->items[i].positions, 3 * n * sizeof(double));
    }
    life->version++;
}

static size_t count_brute(torture_life *life, const group *g, bool *degenerate)
{
    any_question def = any_default(SNAG_INTERSECTIONS);
    snag_body_id ids[TORTURE_BODIES];
    torture_calls calls = {.ids = ids, .count = g->count};
    for (uint32_t i = 0; i < g->count; i++)
        ids[i] = g->bodies[i]->id;
    const torture_reference *reference = torture_brute(life, &def, &calls);
    *degenerate = reference->degenerate > 0;
    return reference->count;
}

// ---- the three calls ----

static void apply(torture_life *life, group *g, snag_response_def *def, snag__random *random)
{
    bool tets = torture_chance(random, 0.4);
    any_question ask = any_default(tets ? SNAG_PENETRATIONS : SNAG_PROXIMITIES);
    ask.distance = def->thickness;
    snag_body_id ids[TORTURE_BODIES];
    torture_calls calls = {.ids = ids, .count = g->count};
    for (uint32_t i = 0; i < g->count; i++)
        ids[i] = g->bodies[i]->id;
    torture_say(life, "apply to %s, thickness %g", snag_question_name(ask.question), def->thickness);
    if (torture_has_source(life))
        return;
    const snag_answer *answer = NULL;
    torture_worked(life, any_ask(life->world, &ask, &answer), false, "ask for a response");
    torture_judge_answer(life, &ask, &calls, answer);
    snag_response_report report;
    keep(g);
    torture_arm(life, random);
    snag_status status = snag_response_apply(life->response, life->world, def, g->items, g->count, answer, &report);
    if (judge_call(life, g, status, torture_disarm(life)))
        settle(life, g, torture_chance(random, 0.3));
}

static void wish(torture_life *life, group *g, snag__random *random)
{
    for (uint32_t i = 0; i < g->count; i++) {
        double by[3], scale = pow(10, -snag__random_range(random, 0.3, 3)), shake = torture_chance(random, 0.5) ? 0.1 : 0;
        for (int k = 0; k < 3; k++)
            by[k] = scale * snag__random_range(random, -1, 1);
        for (size_t k = 0; k < 3 * g->items[i].vertex_count; k++)
            g->items[i].positions[k] +=
                (by[k % 3] + shake * scale * snag__random_range(random, -1, 1)) * life->profile.scale[k % 3];
        for (size_t k = 0; k < 3 * g->items[i].vertex_count; k++)
            if (!isfinite(g->items[i].positions[k]))
                g->items[i].positions[k] = g->bodies[i]->t1[k];
    }
}

static void advance(torture_life *life, group *g, snag_response_def *def, snag__random *random)
{
    snag_response_report report;
    bool flat_before, flat_after;
    size_t before = count_brute(life, g, &flat_before);
    if (!is_quick(life, before))
        return;
    def->dt = 1.0 / 60;
    wish(life, g, random);
    keep(g);
    torture_say(life, "advance %u bodies, thickness %g, rounds %u", g->count, def->thickness, def->rounds);
    torture_arm(life, random);
    snag_status status = snag_response_advance(life->response, life->world, def, g->items, g->count, &report);
    if (!judge_call(life, g, status, torture_disarm(life))) {
        for (uint32_t i = 0; i < g->count; i++)
            memcpy(g->items[i].positions, g->bodies[i]->t1, 3 * g->items[i].vertex_count * sizeof(double));
        settle(life, g, true);
        return;
    }
    if (!(report.fraction >= 0 && report.fraction <= 1))
        torture_fail(life, "response", "advance made a fraction of %g", report.fraction);
    // The world stands at start and at the new positions already: later answers judge that.
    for (uint32_t i = 0; i < g->count; i++) {
        memcpy(g->bodies[i]->t0, g->bodies[i]->t1, 3 * g->items[i].vertex_count * sizeof(double));
        memcpy(g->bodies[i]->t1, g->items[i].positions, 3 * g->items[i].vertex_count * sizeof(double));
    }
    life->version++;
    life->board->steps++;
    life->board->crossings += report.impacts > 0;
    size_t after = count_brute(life, g, &flat_after);
    if (before == 0 && after > 0 && !flat_before && !g->held && !g->weld && report.excepted == 0)
        torture_fail(life, "crossing", "a step that started free ends with %zu intersections", after);
}

static void untangle(torture_life *life, group *g, snag_response_def *def, snag__random *random)
{
    snag_response_report report;
    bool flat;
    size_t before = count_brute(life, g, &flat);
    keep(g);
    torture_say(life, "untangle %u bodies with %zu intersections", g->count, before);
    if (!is_quick(life, before))
        return;
    torture_arm(life, random);
    snag_status status = snag_response_untangle(life->response, life->world, def, g->items, g->count, &report);
    bool worked = judge_call(life, g, status, torture_disarm(life));
    settle(life, g, true);
    if (!worked)
        return;
    size_t after = count_brute(life, g, &flat);
    if (report.tangled != before || report.left != after || after > before)
        torture_fail(life, "untangle", "%zu intersections became %zu; the report says %zu and %zu", before, after, report.tangled,
                     report.left);
}

void torture_respond(torture_life *life, snag__random *random)
{
    group g;
    uint32_t what = snag__random_below(random, 5);
    snag_response_def def = snag_default_response_def();
    def.thickness = life->profile.scale[0] * pow(10, -snag__random_range(random, 1.5, 5));
    def.friction = torture_chance(random, 0.5) ? 0.3 : 0;
    def.spread = torture_chance(random, 0.3) ? 0.5 : 0;
    def.ratio = torture_chance(random, 0.3) ? 0.5 : 1;
    def.rounds = torture_chance(random, 0.3) ? 0 : 10;
    def.seed = snag__random_u64(random);
    if (!torture_may(life, TORTURE_RESPONSE) || torture_has_source(life))
        return;
    if (life->response == NULL && snag_response_create(&life->allocator, &life->response) != SNAG_OK)
        torture_fail(life, "response refused", "no response could be created");
    open_group(life, &g, random);
    if (g.count > 0 && what < 2)
        apply(life, &g, &def, random);
    else if (g.count > 0 && what < 4)
        advance(life, &g, &def, random);
    else if (g.count > 0)
        untangle(life, &g, &def, random);
    close_group(&g);
}
