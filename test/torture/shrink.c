// From a failing life to a short one: operations are left out, shapes made small, threads and wide kernels taken away, as
// long as the failure stays the same. (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002.)
#include "torture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// What shrinking may cost: runs of one life, and seconds. A failure that takes long to show is left longer.
enum { RUNS = 1500, SECONDS = 60 };

typedef struct search {
    torture_options best;
    uint32_t *ops, *trial;
    size_t count;
    torture_board *board;
    char tag[160];
    int runs;
    double started;
} search;

static bool may_go_on(const search *s)
{
    return s->runs < RUNS && torture_seconds() - s->started < SECONDS;
}

static bool still_fails(search *s, const torture_options *options)
{
    s->runs++;
    return !torture_run(options, s->board) && strcmp(s->board->tag, s->tag) == 0;
}

// Leaves out operations from..end-1. True if it fails without them.
static bool try_without(search *s, size_t from, size_t end)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (i < from || i >= end)
            s->trial[count++] = s->ops[i];
    torture_options options = s->best;
    options.ops = s->trial;
    options.op_count = count;
    if (!still_fails(s, &options))
        return false;
    memcpy(s->ops, s->trial, count * sizeof *s->ops);
    s->count = s->best.op_count = count;
    return true;
}

static void leave_out_operations(search *s)
{
    for (size_t part = s->count; part > 0; part /= 2)
        for (size_t from = 0; from < s->count && may_go_on(s);) {
            size_t end = from + part < s->count ? from + part : s->count;
            // Later operations first: what is built on goes with what was built.
            if (!try_without(s, s->count - end, s->count - from))
                from = end;
        }
}

static void try_options(search *s, torture_options options)
{
    if (may_go_on(s) && still_fails(s, &options))
        s->best = options;
}

static void simplify(search *s)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 20};
    torture_options options = s->best;
    options.threads = 1;
    try_options(s, options);
    options = s->best;
    options.isa = SNAG_ISA_SCALAR;
    try_options(s, options);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && (s->best.size == 0 || sizes[i] < s->best.size); i++) {
        options = s->best;
        options.size = sizes[i];
        try_options(s, options);
        if (s->best.size == sizes[i])
            break;
    }
}

static void print_replay(const search *s, const char *program, const torture_board *board)
{
    const torture_options *o = &s->best;
    printf("FAILED seed %" PRIu64 ": %s\n  %s\n  in operation %u: %s\n", o->seed, board->tag, board->message, board->op,
           board->doing);
    torture_print_errors(stdout);
    printf("  replay: %s --seed %" PRIu64 " --ops ", program, o->seed);
    for (size_t i = 0; i < s->count; i++)
        printf("%s%u", i > 0 ? "," : "", s->ops[i]);
    if (o->size != 0)
        printf(" --size %u", o->size);
    if (o->threads != 0)
        printf(" --threads %u", o->threads);
    if (o->isa != SNAG_ISA_BEST)
        printf(" --isa %s", snag_isa_name(o->isa));
    for (int i = 0; i < TORTURE_FAMILIES; i++)
        if ((o->without >> i & 1u) != 0)
            printf(" --without %s", torture_family_names[i]);
    printf("\n");
    fflush(stdout);
}

void torture_shrink(const torture_options *options, const torture_board *failure, const char *program)
{
    size_t count = options->ops != NULL ? options->op_count : (size_t)failure->op + 1;
    search s = {.best = *options, .count = count, .board = torture_make_board(), .started = torture_seconds()};
    s.ops = malloc((count + 1) * sizeof *s.ops);
    s.trial = malloc((count + 1) * sizeof *s.trial);
    if (s.ops == NULL || s.trial == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        s.ops[i] = options->ops != NULL ? options->ops[i] : (uint32_t)i;
    s.best.ops = s.ops;
    s.best.op_count = count;
    s.best.verbose = false;
    s.best.cpu_seconds = SECONDS;
    snprintf(s.tag, sizeof s.tag, "%s", failure->tag);
    // A failure of the end, such as a leak, may need what came after the last operation that was noted. What hangs is not tried
    // again: each time would take as long as the limit.
    bool hangs = strcmp(s.tag, TORTURE_ENDLESS) == 0 || strcmp(s.tag, TORTURE_IDLE) == 0;
    if (!hangs) {
        if (!still_fails(&s, &s.best))
            printf("seed %" PRIu64 ": %s; it does not happen each time\n", options->seed, failure->tag);
        leave_out_operations(&s);
        simplify(&s);
        leave_out_operations(&s);
        torture_run(&s.best, s.board);
    }
    print_replay(&s, program, s.board->tag[0] != 0 ? s.board : failure);
    free(s.ops);
    free(s.trial);
}
