// Questions of all kinds to all methods, and how an ask is made: with little memory, little time, other rounding.
#include "common/any_question.h"
#include "torture.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

bool torture_has_source(const torture_life *life)
{
    for (int i = 0; i < TORTURE_BODIES; i++)
        if (life->bodies[i].alive && life->bodies[i].source)
            return true;
    return false;
}

// ---- making a question ----

static snag_question choose_question(const torture_life *life, snag__random *random)
{
    static const snag_question questions[] = {SNAG_INTERSECTIONS, SNAG_INTERSECTIONS, SNAG_INTERSECTIONS, SNAG_PROXIMITIES,
                                              SNAG_PROXIMITIES,   SNAG_PENETRATIONS,  SNAG_PENETRATIONS,  SNAG_IMPACTS,
                                              SNAG_IMPACTS,       SNAG_DISTANCE,      SNAG_OVERLAPS};
    snag_question question = questions[snag__random_below(random, sizeof questions / sizeof *questions)];
    bool tets = false, thin = torture_is_thin(life);
    if (question == SNAG_OVERLAPS && thin)
        question = SNAG_DISTANCE;
    for (int i = 0; i < TORTURE_BODIES; i++)
        tets = tets || (life->bodies[i].alive && life->bodies[i].shape.tet_count > 0);
    if (question == SNAG_PENETRATIONS && !tets && torture_chance(random, 0.9))
        question = SNAG_INTERSECTIONS;
    return question == SNAG_DISTANCE && !torture_may(life, TORTURE_DISTANCE) ? SNAG_PROXIMITIES : question;
}

static snag_method choose_method(snag_question question, snag__random *random)
{
    bool automatic = torture_chance(random, 0.2);
    uint32_t at = snag__random_below(random, 1000);
    for (;; at++) {
        snag_method method = (snag_method)(at % SNAG_METHOD_COUNT);
        // Brute is its own judge: it is asked now and then only, with other threads and instructions.
        if (method == SNAG_METHOD_BRUTE && at % 3 != 0)
            continue;
        if (snag_method_answers(method, question))
            return automatic ? SNAG_METHOD_AUTO : method;
    }
}

double torture_length(const torture_life *life, snag__random *random)
{
    double scale = life->profile.scale[snag__random_below(random, 3)];
    double most = fmin(0.08, 0.3 / life->profile.size), length = scale * most * pow(10, -snag__random_range(random, 0, 3));
    return torture_chance(random, 0.05) || !isfinite(length) ? 0 : length;
}

// Deep leaves are many, and each is looked at by the judge; where floats cannot tell them apart each overlaps all others.
static bool has_many_leaves(const torture_life *life)
{
    const torture_profile *profile = &life->profile;
    return profile->bodies > 3 || profile->wild || fabs(profile->offset[0]) > 1e3 * profile->scale[0];
}

static void choose_options(const torture_life *life, snag__random *random, any_question *def)
{
    static const uint32_t ks[] = {0, 6, 14, 18, 26}, arities[] = {0, 2, 4, 8}, directions[] = {0, 6, 12, 32, 62};
    def->k = ks[snag__random_below(random, 5)];
    def->arity = arities[snag__random_below(random, 4)];
    def->directions = directions[snag__random_below(random, 5)];
    def->lazy = torture_chance(random, 0.3) ? torture_length(life, random) : 0;
    def->regularity = torture_chance(random, 0.8) ? SNAG_REGULARITY_CERTIFIED : (snag_regularity_mode)snag__random_below(random, 3);
    def->cell_size = torture_chance(random, 0.3) ? torture_length(life, random) * pow(10, snag__random_range(random, -3, 3)) : 0;
    if (!isfinite(def->cell_size))
        def->cell_size = 0;
    def->table_size = torture_chance(random, 0.3) ? snag__random_below(random, 300) : 0;
    def->new_pairs = torture_chance(random, 0.5) ? snag__random_below(random, 400) : 0;
    def->seed = snag__random_u64(random);
    def->target_ratio = torture_chance(random, 0.3) ? snag__random_unit(random) : 0;
    def->pure = torture_chance(random, 0.3);
    // Deep leaves are many, and each is looked at by the judge. Where one axis is far longer than the others, all of them meet.
    bool many = def->question == SNAG_OVERLAPS && has_many_leaves(life);
    def->depth = torture_chance(random, 0.3) && !many ? 0 : 1 + snag__random_below(random, many ? 3 : 6);
    // Leaves of a body drawn out to a needle are wide spheres that all meet: each level has up to 64 times the pairs of the one above.
    if (def->question == SNAG_OVERLAPS && def->depth > 4)
        def->depth = 4;
    def->idle = torture_chance(random, 0.5) ? 0 : 1 + snag__random_below(random, 4);
    def->backend = life->profile.gl ? (snag_backend)snag__random_below(random, 2) : SNAG_BACKEND_CPU;
    def->lines = torture_chance(random, 0.3);
}

static void choose_epsilons(const torture_life *life, snag__random *random, any_question *def)
{
    def->regions = torture_chance(random, 0.15) ? SNAG_REGIONS_PAPER : SNAG_REGIONS_EXACT;
    def->epsilon_count = snag__random_below(random, SNAG_REGION_LEVELS + 1);
    double epsilon = torture_length(life, random) * 10;
    for (uint32_t i = 0; i < def->epsilon_count; i++, epsilon *= snag__random_range(random, 0.3, 1))
        def->epsilon[i] = isfinite(epsilon) ? epsilon : 0;
}

static snag_output choose_output(snag__random *random)
{
    double part = snag__random_unit(random);
    return part < 0.6   ? SNAG_OUTPUT_CONTACTS
           : part < 0.8 ? SNAG_OUTPUT_PAIRS
           : part < 0.9 ? SNAG_OUTPUT_COUNT
                        : SNAG_OUTPUT_EARLIEST;
}

// What `auto` hands over from one method to another.
static void let_auto_choose(any_question *def)
{
    def->question = def->question == SNAG_IMPACTS ? SNAG_IMPACTS : SNAG_INTERSECTIONS;
    def->method = SNAG_METHOD_AUTO;
    def->self = true;
    def->k = def->arity = def->directions = 0;
    def->lazy = def->separation = 0;
    def->regularity = SNAG_REGULARITY_CERTIFIED;
    def->candidates = false;
}

// Rods and points, and radii where they count, are for three methods.
static void make_legal_for_thin(const torture_life *life, any_question *def)
{
    static const snag_method known[] = {SNAG_METHOD_AUTO, SNAG_METHOD_KDOP, SNAG_METHOD_HASH, SNAG_METHOD_BRUTE};
    bool near = def->question == SNAG_PROXIMITIES || def->question == SNAG_IMPACTS;
    bool thick = near && !def->ignore_radius && torture_largest_radius(life) > 0;
    if ((!thick && !torture_is_thin(life)) || def->method == SNAG_METHOD_BRUTE || def->method == SNAG_METHOD_KDOP ||
        def->method == SNAG_METHOD_HASH || def->method == SNAG_METHOD_AUTO)
        return;
    def->method = known[def->seed % 4];
    if (!snag_method_answers(def->method, def->question))
        def->method = SNAG_METHOD_KDOP;
}

// How bodies pass through each other is left to cheaper asks where impacts take long.
static void avoid_dear_impacts(const torture_life *life, any_question *def)
{
    if (def->question != SNAG_IMPACTS || !torture_impacts_are_dear(life))
        return;
    def->question = SNAG_INTERSECTIONS;
    if (!snag_method_answers(def->method, def->question))
        def->method = SNAG_METHOD_KDOP;
}

// Where all of a large body has met in a point, or in a plane.
static void avoid_too_many_contacts(const torture_life *life, any_question *def)
{
    if (def->question == SNAG_DISTANCE || def->question == SNAG_OVERLAPS || torture_has_source(life) ||
        !torture_contacts_are_too_many(life))
        return;
    def->question = SNAG_DISTANCE;
    if (!snag_method_answers(def->method, def->question))
        def->method = SNAG_METHOD_KDOP;
}

// Takes back what the header says does not go together.
static void make_legal(const torture_life *life, any_question *def)
{
    if (torture_has_source(life)) {
        if (def->question != SNAG_OVERLAPS)
            def->question = SNAG_INTERSECTIONS;
        def->method = def->method == SNAG_METHOD_AUTO ? SNAG_METHOD_AUTO : SNAG_METHOD_SPHERES;
    }
    make_legal_for_thin(life, def);
    snag_method method = def->method == SNAG_METHOD_AUTO && (torture_has_source(life) || def->question == SNAG_OVERLAPS)
                             ? SNAG_METHOD_SPHERES
                             : def->method;
    if (method == SNAG_METHOD_SPHERES)
        def->self = false;
    // `auto` has no options, and at the usual depth there would be too many.
    if (def->question == SNAG_OVERLAPS && has_many_leaves(life))
        def->method = SNAG_METHOD_SPHERES;
    if (def->regions == SNAG_REGIONS_PAPER && (def->question != SNAG_DISTANCE || def->method != SNAG_METHOD_REGIONS))
        def->regions = SNAG_REGIONS_EXACT;
    if (def->question != SNAG_IMPACTS && def->output == SNAG_OUTPUT_EARLIEST)
        def->output = SNAG_OUTPUT_CONTACTS;
    if (def->question == SNAG_OVERLAPS || def->output != SNAG_OUTPUT_CONTACTS)
        def->track = false;
    def->between = def->between || !def->self;
    if ((method != SNAG_METHOD_KDOP && method != SNAG_METHOD_ACTIVE) || def->question == SNAG_DISTANCE)
        def->candidates = false;
}

static void choose_limits(const torture_life *life, snag__random *random, any_question *def, torture_calls *calls)
{
    bool limited = torture_chance(random, 0.1), watched = torture_chance(random, 0.2);
    uint32_t kind = snag__random_below(random, 3), at = 1 + snag__random_below(random, 8);
    uint64_t budget = (uint64_t)pow(10, snag__random_range(random, 0, 4));
    if (watched)
        def->progress = torture_progress;
    if (!limited || !torture_may(life, TORTURE_STOPS))
        return;
    if (kind < 2) {
        def->progress = torture_progress;
        calls->stop_at = at;
    } else
        def->budget_us = budget;
}

void torture_make_question(torture_life *life, snag__random *random, any_question *def, torture_calls *calls)
{
    *def = any_default(choose_question(life, random));
    def->method = choose_method(def->question, random);
    def->self = torture_chance(random, 0.8);
    def->between = torture_chance(random, 0.85) || !def->self;
    def->output = choose_output(random);
    def->every_pair = torture_chance(random, 0.4);
    def->edges = torture_chance(random, 0.5);
    def->distance = torture_length(life, random);
    def->within = torture_chance(random, 0.3) ? torture_length(life, random) * 10 : 0;
    def->within = isfinite(def->within) ? def->within : 0;
    def->closest = torture_chance(random, 0.2) ? 1 + snag__random_below(random, 6) : 0;
    def->tolerance = torture_chance(random, 0.5) ? def->tolerance : torture_length(life, random) * 0.01;
    def->separation = torture_chance(random, 0.1) ? torture_length(life, random) * 0.3 : 0;
    def->until = torture_chance(random, 0.2) ? snag__random_unit(random) : 1;
    def->until = torture_chance(random, 0.02) ? 0 : def->until;
    def->track = torture_chance(random, 0.35);
    def->candidates = torture_chance(random, 0.04);
    def->ignore_radius = torture_chance(random, 0.15);
    choose_options(life, random, def);
    choose_epsilons(life, random, def);
    if (life->profile.smooth && torture_chance(random, 0.7))
        let_auto_choose(def);
    avoid_dear_impacts(life, def);
    avoid_too_many_contacts(life, def);
    make_legal(life, def);
    if (torture_chance(random, 0.15)) {
        def->filter = torture_filter;
        calls->filter_salt = snag__random_u64(random) | 1;
    }
    torture_choose_filters(life, random, def, calls);
}

// ---- in words ----

static const char *word(bool is, const char *text)
{
    return is ? text : "";
}

void torture_describe(const any_question *def, const torture_calls *calls, char *text, size_t size)
{
    static const char *const outputs[SNAG_OUTPUT_FORM_COUNT] = {"contacts", "pairs", "count", "earliest"};
    int at = snprintf(text, size, "%s by %s: %s%s%s%s%s%s%s%s", snag_question_name(def->question), snag_method_name(def->method),
                      outputs[def->output], word(def->self, " self"), word(def->between, " between"), word(def->track, " track"),
                      word(def->candidates, " candidates"), word(def->filter != NULL, " filter"),
                      word(def->edges && def->question == SNAG_PENETRATIONS, " edges"),
                      word(def->every_pair && def->question == SNAG_PROXIMITIES, " every_pair"));
    if (def->question == SNAG_PROXIMITIES)
        at += snprintf(text + at, size - (size_t)at, " distance %g", def->distance);
    if (def->question == SNAG_IMPACTS)
        at += snprintf(text + at, size - (size_t)at, " tolerance %g separation %g until %g", def->tolerance, def->separation,
                       def->until);
    if (def->question == SNAG_DISTANCE)
        at += snprintf(text + at, size - (size_t)at, " within %g closest %u%s", def->within, def->closest,
                       word(def->regions == SNAG_REGIONS_PAPER, " paper"));
    if (def->method == SNAG_METHOD_KDOP)
        at += snprintf(text + at, size - (size_t)at, " k %u arity %u lazy %g", def->k, def->arity, def->lazy);
    if (def->method == SNAG_METHOD_REGULARITY)
        at += snprintf(text + at, size - (size_t)at, " mode %d directions %u", (int)def->regularity, def->directions);
    if (def->method == SNAG_METHOD_SPHERES)
        at += snprintf(text + at, size - (size_t)at, " depth %u idle %u", def->depth, def->idle);
    if (def->exclude_rings > 0 || def->exclude_rest > 0 || def->exclusions != NULL)
        at += snprintf(text + at, size - (size_t)at, " rings %u rest %g%s", def->exclude_rings, def->exclude_rest,
                       word(def->exclusions != NULL, " exclusions"));
    if (calls->stop_at != 0 || def->budget_us != 0)
        snprintf(text + at, size - (size_t)at, " stop at %u budget %u", calls->stop_at, (uint32_t)def->budget_us);
}

// ---- the floating-point environment of the caller ----

typedef struct environment {
    int rounding;
    bool flush;
} environment;

static environment choose_environment(const torture_life *life, snag__random *random)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    environment e = {modes[snag__random_below(random, 4)], torture_chance(random, 0.5)};
    return torture_chance(random, 0.04) && torture_may(life, TORTURE_ROUNDING) ? e : (environment){FE_TONEAREST, false};
}

static void enter(environment e)
{
    fesetround(e.rounding);
#if defined(__x86_64__)
    _MM_SET_FLUSH_ZERO_MODE(e.flush ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
#endif
}

// Back to what the program itself needs. Returns whether the call left the caller's environment alone.
static bool leave(environment e)
{
    bool kept = fegetround() == e.rounding;
#if defined(__x86_64__)
    kept = kept && _MM_GET_FLUSH_ZERO_MODE() == (e.flush ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
#endif
    enter((environment){FE_TONEAREST, false});
    return kept;
}

// ---- asking ----

// Asks once, perhaps with little memory. False if it failed as it may.
static bool ask_once(torture_life *life, snag__random *random, any_question *def, torture_calls *calls, bool starve,
                     const snag_answer **answer)
{
    environment e = choose_environment(life, random);
    calls->calls = 0;
    def->context = calls;
    if (starve)
        torture_arm(life, random);
    enter(e);
    snag_status status = any_ask(life->world, def, answer);
    bool kept = leave(e), starved = torture_disarm(life);
    if (!kept)
        torture_fail(life, "environment", "the ask changed the rounding mode or flush-to-zero of its caller");
    if (calls->broken)
        torture_fail(life, "callback", "a callback got a body that is not there, or progress outside of 0..1");
    if (calls->reenter != NULL && calls->calls > 0 && calls->reentered == SNAG_OK)
        torture_fail(life, "reentry", "an ask from within the progress callback was not refused");
    if (status == SNAG_ERROR_UNSUPPORTED && def->backend == SNAG_BACKEND_GL)
        return false;  // no driver
    return torture_worked(life, status, starved, "ask");
}

static void count(torture_life *life, const any_question *def, const snag_answer *answer, size_t expected)
{
    torture_board *board = life->board;
    board->asks++;
    board->judged[answer->question][answer->method]++;
    board->filled[answer->question][answer->method] += expected > 0;
    board->handed_over += def->method == SNAG_METHOD_AUTO && answer->method == SNAG_METHOD_REGULARITY;
    board->partial += !answer->complete;
    board->large += torture_triangles(life) >= 1000;
    board->thin += torture_is_thin(life);
    board->thick += (def->question == SNAG_PROXIMITIES || def->question == SNAG_IMPACTS) && !def->ignore_radius &&
                    torture_largest_radius(life) > 0;
    board->filtered += def->exclude_rings > 0 || def->exclude_rest > 0 || def->exclusions != NULL;
}

void torture_judge(torture_life *life, const any_question *def, const torture_calls *calls, const snag_answer *answer)
{
    const torture_reference *reference = torture_judge_answer(life, def, calls, answer);
    count(life, def, answer, reference->count);
    if (def->track)
        torture_judge_tracks(life, def, answer);
}

// A source whose file breaks in the middle of an ask.
static void ask_broken_source(torture_life *life, snag__random *random, any_question *def, torture_calls *calls)
{
    bool format = torture_chance(random, 0.5), broken = torture_has_source(life) && torture_chance(random, 0.2);
    const snag_answer *answer = NULL;
    life->fail_read = 1 + snag__random_below(random, 6);
    life->read_fails_with = format ? SNAG_ERROR_FORMAT : SNAG_ERROR_FILE;
    calls->calls = 0;
    def->context = calls;
    snag_status status = broken ? any_ask(life->world, def, &answer) : SNAG_ERROR_FILE;
    bool read = life->fail_read == 0;
    life->fail_read = 0;
    if (read && status != life->read_fails_with)
        torture_fail(life, "source", "a read of a source failed and the ask returned %s", snag_status_name(status));
    if (read && snag_world_message(life->world)[0] == 0)
        torture_fail(life, "no message", "a read of a source failed, without a message");
    life->board->refused += read;
    if (broken && !read && torture_worked(life, status, false, "ask"))
        torture_judge(life, def, calls, answer);
}

// The same question to another method, often: brute's answer is known by then, which is most of the work.
static void ask_another(torture_life *life, const any_question *asked, torture_calls *calls)
{
    snag__random random = torture_stream(life, life->op, "another");
    any_question def = *asked;
    if (def.question == SNAG_OVERLAPS || !torture_chance(&random, 0.6))
        return;
    def.method = choose_method(def.question, &random);
    def.progress = NULL;
    def.budget_us = 0;
    def.track = def.candidates = false;
    calls->stop_at = 0;
    calls->reenter = NULL;
    make_legal(life, &def);
    char text[300];
    torture_describe(&def, calls, text, sizeof text);
    torture_say(life, "ask also %s", text);
    const snag_answer *answer = NULL;
    if (ask_once(life, &random, &def, calls, false, &answer))
        torture_judge(life, &def, calls, answer);
}

void torture_ask(torture_life *life, snag__random *random)
{
    any_question def;
    torture_calls calls = {0};
    // In a steady phase most asks are the same.
    bool steady = torture_is_steady(life, life->op) && torture_chance(random, 0.9);
    snag__random question = torture_stream(life, steady ? life->op / TORTURE_PHASE : life->op, steady ? "steady" : "question");
    torture_make_question(life, &question, &def, &calls);
    choose_limits(life, random, &def, &calls);
    torture_body *alive[TORTURE_BODIES];
    snag_body_id ids[TORTURE_BODIES];
    calls.ids = ids;
    calls.count = torture_alive(life, alive);
    for (uint32_t i = 0; i < calls.count; i++)
        ids[i] = alive[i]->id;
    if (torture_chance(random, 0.02) && torture_may(life, TORTURE_REENTRY) && calls.stop_at == 0) {
        calls.reenter = life->world;
        def.progress = torture_progress;
    }
    char text[300];
    torture_describe(&def, &calls, text, sizeof text);
    torture_say(life, "ask %s", text);
    const snag_answer *answer = NULL;
    ask_broken_source(life, random, &def, &calls);
    bool again = torture_chance(random, 0.5), twice = torture_chance(random, 0.1);
    bool worked = ask_once(life, random, &def, &calls, true, &answer);
    if (worked)
        torture_judge(life, &def, &calls, answer);
    if ((!worked && again) || twice)
        if (ask_once(life, random, &def, &calls, false, &answer))
            torture_judge(life, &def, &calls, answer);
    ask_another(life, &def, &calls);
}
