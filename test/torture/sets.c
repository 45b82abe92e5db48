// Sets of candidates: one is collected now and then and asked again and again while bodies move, come and go. An answer from it must be
// that of brute; where it does not hold, the ask must say so, or search.
#include "torture.h"

#include <math.h>

void torture_collect(torture_life *life, snag__random *random)
{
    snag_collect_def def = snag_default_collect_def();
    def.distance = torture_length(life, random);
    // From none to as far as bodies move in a few steps.
    def.margin = torture_chance(random, 0.2) ? 0 : torture_length(life, random) * pow(10, snag__random_range(random, -1, 1.2));
    def.self = torture_chance(random, 0.8);
    def.between = torture_chance(random, 0.8) || !def.self;
    def.search_if_stale = torture_chance(random, 0.3);
    bool anew = torture_chance(random, 0.3);
    if (!isfinite(def.margin))
        def.margin = 0;
    torture_say(life, "collect distance %g margin %g%s%s", def.distance, def.margin, def.self ? " self" : "",
                def.between ? " between" : "");
    if (anew) {
        snag_candidates_destroy(life->set);
        life->set = NULL;
    }
    torture_arm(life, random);
    snag_status status = snag_world_collect(life->world, &def, &life->set);
    bool starved = torture_disarm(life);
    if (torture_has_source(life)) {
        if (status != SNAG_ERROR_UNSUPPORTED && !(starved && status == SNAG_ERROR_MEMORY))
            torture_fail(life, "collect", "with a source it returned %s", snag_status_name(status));
        return;
    }
    // Where twice the margin leaves the range of doubles.
    if (status == SNAG_ERROR_ARGUMENT && life->profile.wild)
        return;
    if (!torture_worked(life, status, starved, "collect"))
        return;
    life->board->sets++;
    life->set_distance = def.distance;
    life->set_self = def.self;
    life->set_between = def.between;
    life->set_searches = def.search_if_stale;
}

// A question that the set was made for.
static void make_question(torture_life *life, snag__random *random, any_question *def, torture_calls *calls)
{
    torture_make_question(life, random, def, calls);
    bool impacts = torture_chance(random, 0.5) && !torture_impacts_are_dear(life);
    if (def->question != SNAG_PROXIMITIES && def->question != SNAG_IMPACTS) {
        def->question = impacts ? SNAG_IMPACTS : SNAG_PROXIMITIES;
        def->output = def->output == SNAG_OUTPUT_EARLIEST && !impacts ? SNAG_OUTPUT_PAIRS : def->output;
    }
    def->method = SNAG_METHOD_AUTO;
    def->candidates = false;
    def->filter = NULL;
    calls->filter_salt = 0;
    def->track = false;
    def->distance *= fmin(1, life->set_distance / fmax(def->distance, 1e-300));
    if (def->distance > life->set_distance)
        def->distance = life->set_distance;
    if (def->separation + def->tolerance > life->set_distance) {
        def->separation = 0;
        def->tolerance = fmin(def->tolerance, life->set_distance);
    }
    def->self = def->self && life->set_self;
    def->between = (def->between || !def->self) && life->set_between;
    def->self = def->self || !def->between;
}

void torture_ask_set(torture_life *life, snag__random *random)
{
    any_question def;
    torture_calls calls = {0};
    torture_body *alive[TORTURE_BODIES];
    snag_body_id ids[TORTURE_BODIES];
    if (life->set == NULL || torture_has_source(life))
        return;
    make_question(life, random, &def, &calls);
    calls.ids = ids;
    calls.count = torture_alive(life, alive);
    for (uint32_t i = 0; i < calls.count; i++)
        ids[i] = alive[i]->id;
    def.set = life->set;
    def.context = &calls;
    char text[300];
    torture_describe(&def, &calls, text, sizeof text);
    torture_say(life, "ask a set: %s", text);
    const snag_answer *answer = NULL;
    torture_arm(life, random);
    snag_status status = any_ask(life->world, &def, &answer);
    bool starved = torture_disarm(life);
    if (status == SNAG_ERROR_BODY || (status == SNAG_ERROR_STALE && !life->set_searches)) {
        if (snag_world_message(life->world)[0] == 0)
            torture_fail(life, "no message", "a stale set was refused without a message");
        life->board->stale++;
        return;
    }
    if (!torture_worked(life, status, starved, "ask"))
        return;
    if (!answer->complete)
        torture_fail(life, "set", "an answer from a set is not complete");
    life->board->from_sets += answer->method == SNAG_METHOD_BRUTE;
    torture_judge(life, &def, &calls, answer);
}
