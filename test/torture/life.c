// A life: its profile, its operations one after the other, and its end. A new operation is a line in the table below.
#include "torture.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const torture_family_names[TORTURE_FAMILIES] = {"rounding", "foreign",  "reentry", "scales",   "memory",
                                                            "stops",    "response", "gl",      "distance", "thin",
                                                            "thick",    "filters",  "edits"};

typedef struct operation {
    const char *name;
    uint32_t often, often_steady;  // how often beside the others, in phases of all kinds and in steady ones
    void (*run)(torture_life *life, snag__random *random);
} operation;

static const operation operations[] = {
    {"add", 12, 2, torture_add},        {"begin_step", 8, 14, torture_begin_step},
    {"move", 24, 34, torture_move},     {"teleport", 4, 1, torture_teleport},
    {"remove", 4, 1, torture_remove},   {"ask", 44, 48, torture_ask},
    {"look", 2, 1, torture_look},       {"err", 5, 2, torture_err},
    {"respond", 5, 1, torture_respond}, {"probe", 6, 3, torture_probe},
    {"collect", 4, 4, torture_collect}, {"ask_set", 10, 14, torture_ask_set},
    {"exclude", 3, 2, torture_exclude}, {"edit", 6, 4, torture_edit},
};
enum { OPERATIONS = sizeof operations / sizeof *operations, ADDS_FIRST = 3 };

const char *torture_operation_name(int i)
{
    return i < OPERATIONS ? operations[i].name : NULL;
}

// ---- helpers of all parts ----

void torture_say(torture_life *life, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(life->board->doing, sizeof life->board->doing, format, arguments);
    va_end(arguments);
    if (!life->options->verbose)
        return;
    printf("%8.3f s %4u  %s\n", (double)clock() / CLOCKS_PER_SEC, life->op, life->board->doing);
    fflush(stdout);
}

_Noreturn void torture_fail(torture_life *life, const char *tag, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    snprintf(life->board->tag, sizeof life->board->tag, "%s", tag);
    vsnprintf(life->board->message, sizeof life->board->message, format, arguments);
    va_end(arguments);
    fflush(stdout);
    _exit(1);
}

bool torture_may(const torture_life *life, torture_family family)
{
    return (life->options->without >> family & 1u) == 0;
}

snag__random torture_stream(const torture_life *life, uint32_t op, const char *purpose)
{
    snag__random random = {life->options->seed * 0x9e3779b97f4a7c15u + op};
    for (const char *at = purpose; *at != 0; at++)
        random.state = snag__random_u64(&random) ^ (uint64_t)*at;
    return random;
}

bool torture_chance(snag__random *random, double part)
{
    return snag__random_unit(random) < part;
}

void torture_arm(torture_life *life, snag__random *random)
{
    bool fail = torture_chance(random, life->profile.starving);
    // Early allocations fail as often as late ones: of a call it is not known how many it makes.
    double at = exp(snag__random_range(random, 0, 5.5));
    life->memory.keep_failing = torture_chance(random, 0.5);
    life->memory.fail_at = fail ? atomic_load(&life->memory.calls) + (size_t)at : 0;
}

bool torture_disarm(torture_life *life)
{
    bool failed = life->memory.fail_at != 0 && atomic_load(&life->memory.calls) >= life->memory.fail_at;
    life->memory.fail_at = 0;
    return failed;
}

bool torture_worked(torture_life *life, snag_status status, bool starved, const char *what)
{
    const char *message = snag_world_message(life->world);
    if (status == SNAG_OK && starved)
        torture_fail(life, "an allocation failed and the call did not", "%s returned ok", what);
    if (status == SNAG_ERROR_MEMORY && starved) {
        life->board->starved++;
        if (message[0] == 0)
            torture_fail(life, "no message", "%s ran out of memory and left no message", what);
        return false;
    }
    if (status != SNAG_OK)
        torture_fail(life, "refused", "%s: %s: %s", what, snag_status_name(status), message);
    return true;
}

// ---- the profile ----

static double extreme_scale(snag__random *random)
{
    static const double scales[] = {1e-310, 1e-300, 1e-200, 1e-155, 1e-110, 1e-60, 1e-45, 1e-38, 1e-30, 1e-6, 1e6,
                                    1e19,   1e30,   1e37,   1e38,   1e39,   1e60,  1e110, 1e154, 1e200, 1e300};
    return scales[snag__random_below(random, sizeof scales / sizeof *scales)] * snag__random_range(random, 0.5, 3);
}

static void choose_scales(torture_life *life, torture_profile *profile, snag__random *random)
{
    double scale = 1, part = snag__random_unit(random), shift = 0;
    bool axes = torture_chance(random, 0.1), wild = torture_chance(random, 0.3) && torture_may(life, TORTURE_SCALES);
    profile->wild = wild;
    if (wild)
        scale = extreme_scale(random);
    if (part > 0.7 && torture_may(life, TORTURE_SCALES))
        shift = part > 0.95 ? 1e12 : part > 0.85 ? 1e6 : 3;
    for (int k = 0; k < 3; k++) {
        double own = extreme_scale(random);
        profile->scale[k] = axes && wild ? own : scale;
        profile->offset[k] = shift * snag__random_range(random, -1, 1) * scale;
    }
}

static snag_isa choose_isa(const torture_life *life, snag__random *random)
{
    static const snag_isa isas[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4, SNAG_ISA_BEST};
    snag_isa isa = isas[snag__random_below(random, sizeof isas / sizeof *isas)];
    return life->options->isa != SNAG_ISA_BEST ? life->options->isa : isa;
}

static void choose_profile(torture_life *life)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    torture_profile *profile = &life->profile;
    snag__random random = torture_stream(life, 0, "profile");
    double part = snag__random_unit(&random);
    profile->length = TORTURE_PHASE / 2 + snag__random_below(&random, 3 * TORTURE_PHASE / 2);
    profile->threads = threads[snag__random_below(&random, 4)];
    profile->shuffle = torture_chance(&random, 0.3);
    profile->isa = choose_isa(life, &random);
    choose_scales(life, profile, &random);
    profile->smooth = part > 0.97;
    profile->size = part < 0.5 ? 4 : part < 0.94 ? 10 : 36;
    profile->bodies = torture_chance(&random, 0.1) ? TORTURE_BODIES : 2 + snag__random_below(&random, 4);
    // Where floats cannot tell places apart all methods compare every two elements, exactly: as documented, and slow.
    bool blind = profile->wild || fabs(profile->offset[0]) > 1e3 * profile->scale[0];
    if (blind && profile->size > 6)
        profile->size = 6;
    profile->smooth = profile->smooth && !blind;
    // On a grid, fine meshes would fall together into points.
    bool grid = torture_chance(&random, 0.3) && profile->size <= 10;
    profile->grid = grid ? ldexp(1, -2 - (int)snag__random_below(&random, 4)) : 0;
    if (profile->size > 10 || blind)
        profile->bodies = profile->size > 10 ? 2 : 3;
    profile->starving = torture_chance(&random, 0.4) && torture_may(life, TORTURE_MEMORY) ? 0.15 : 0;
    profile->disk = torture_chance(&random, 0.1);
    profile->gl = torture_chance(&random, 0.01) && torture_may(life, TORTURE_GL) && snag_backend_built_in(SNAG_BACKEND_GL);
    profile->thin = torture_chance(&random, 0.4) && torture_may(life, TORTURE_THIN) && !profile->disk && !profile->smooth;
    profile->thick = torture_chance(&random, 0.3) && torture_may(life, TORTURE_THICK) && !profile->smooth;
    profile->grouped = torture_chance(&random, 0.3) && torture_may(life, TORTURE_FILTERS);
    profile->made = torture_chance(&random, 0.5) && torture_may(life, TORTURE_FILTERS);
    profile->labelled = torture_chance(&random, 0.3);
    if (life->options->threads != 0)
        profile->threads = life->options->threads;
    if (life->options->size != 0 && profile->size > life->options->size)
        profile->size = life->options->size;
}

// ---- beginning and end ----

// Runs the pieces one after the other, forwards or backwards, each time from another one on.
static void run_shuffled(void *context, uint32_t count, void (*task)(void *task_context, uint32_t index), void *task_context)
{
    torture_life *life = context;
    uint64_t order = life->order++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)((i + order) % count);
        task(task_context, order % 2 == 0 ? index : count - 1 - index);
    }
}

static void open_world(torture_life *life)
{
    snag__random random = torture_stream(life, 0, "world");
    snag_world_def def = snag_default_world_def();
    life->allocator = failing_allocator_start(&life->memory, 0);
    def.allocator = life->allocator;
    def.threads = life->profile.threads;
    def.isa = life->profile.isa;
    if (life->profile.shuffle)
        def.tasks = (snag_tasks){run_shuffled, life};
    for (int attempt = 0; life->world == NULL; attempt++) {
        if (attempt < 2)
            torture_arm(life, &random);
        snag_status status = snag_world_create(&def, &life->world);
        bool starved = torture_disarm(life);
        if (status == SNAG_ERROR_UNSUPPORTED && def.isa != SNAG_ISA_BEST)
            def.isa = SNAG_ISA_BEST;
        else if (status != SNAG_OK && !(status == SNAG_ERROR_MEMORY && starved))
            torture_fail(life, "create", "the world could not be created: %s", snag_status_name(status));
    }
}

static void close_world(torture_life *life)
{
    snprintf(life->board->doing, sizeof life->board->doing, "the end: all is freed");
    snag_world_destroy(life->world);
    snag_candidates_destroy(life->set);
    snag_response_destroy(life->response);
    if (life->sources_opened != life->sources_closed)
        torture_fail(life, "sources", "%u sources were added and %u closed", life->sources_opened, life->sources_closed);
    size_t blocks = atomic_load(&life->memory.live_blocks), bytes = atomic_load(&life->memory.live_bytes);
    if (blocks != 0 || bytes != 0)
        torture_fail(life, "leak", "%zu blocks of %zu bytes were never released", blocks, bytes);
    for (int i = 0; i < TORTURE_BODIES; i++)
        torture_free_body(&life->bodies[i]);
    torture_free_tracks(life);
    torture_forget(life);
}

// ---- operations ----

bool torture_is_steady(const torture_life *life, uint32_t op)
{
    snag__random random = torture_stream(life, op / TORTURE_PHASE, "phase");
    return torture_chance(&random, 0.6) || life->profile.smooth;
}

static const operation *choose_operation(const torture_life *life, uint32_t op)
{
    snag__random random = torture_stream(life, op, "operation");
    bool steady = torture_is_steady(life, op);
    uint32_t sum = 0;
    for (int i = 0; i < OPERATIONS; i++)
        sum += steady ? operations[i].often_steady : operations[i].often;
    uint32_t at = snag__random_below(&random, sum);
    if (op < ADDS_FIRST)
        return &operations[0];
    for (int i = 0;; i++) {
        uint32_t often = steady ? operations[i].often_steady : operations[i].often;
        if (at < often)
            return &operations[i];
        at -= often;
    }
}

static void do_operation(torture_life *life, uint32_t op)
{
    const operation *chosen = choose_operation(life, op);
    life->op = life->board->op = op;
    life->board->operations[chosen - operations]++;
    snprintf(life->board->doing, sizeof life->board->doing, "%s", chosen->name);
    snag__random random = torture_stream(life, op, chosen->name);
    chosen->run(life, &random);
    if (atomic_load(&life->memory.faults) != 0)
        torture_fail(life, "memory", "bytes outside of a block were written, or a block was released with a wrong size");
    torture_body *alive[TORTURE_BODIES];
    if (snag_world_body_count(life->world) != torture_alive(life, alive))
        torture_fail(life, "count", "the world has %zu bodies, and %u were added and not removed",
                     snag_world_body_count(life->world), torture_alive(life, alive));
}

void torture_live(const torture_options *options, torture_board *board)
{
    torture_life *life = calloc(1, sizeof *life);
    if (life == NULL)
        abort();
    life->options = options;
    life->board = board;
    choose_profile(life);
    open_world(life);
    if (options->verbose)
        printf("seed %" PRIu64 ": %u operations, %u threads%s, %s, size %u, scale %g %g %g, offset %g %g %g%s%s\n", options->seed,
               life->profile.length, life->profile.threads, life->profile.shuffle ? " shuffled" : "",
               snag_isa_name(snag_world_isa(life->world)), life->profile.size, life->profile.scale[0], life->profile.scale[1],
               life->profile.scale[2], life->profile.offset[0], life->profile.offset[1], life->profile.offset[2],
               life->profile.grid > 0 ? ", on a grid" : "", life->profile.disk ? ", disk" : "");
    if (options->ops != NULL)
        for (size_t i = 0; i < options->op_count; i++)
            do_operation(life, options->ops[i]);
    else
        for (uint32_t i = 0; i < life->profile.length; i++)
            do_operation(life, i);
    close_world(life);
    free(life);
    board->lives++;
}
