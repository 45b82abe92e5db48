// snag_torture: random lives of worlds, judged by brute. See CONTRIBUTING.md.
#define _POSIX_C_SOURCE 200809L
#include "torture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: snag_torture [--seed N] [--lives N] [--seconds S] [--failures N] [--table]\n"
    "       snag_torture --seed N [--ops LIST] [--size N] [--threads N] [--isa NAME] [--verbose]\n"
    "  --seed N       the first life (1); the next ones follow it\n"
    "  --lives N      so many lives (1, or without end if there are --seconds)\n"
    "  --seconds S    begin no life after this time\n"
    "  --failures N   end after so many failing lives (1)\n"
    "  --ops LIST     these operations of a life only, such as 0,3,17\n"
    "  --size N       shapes of at most this size; --threads N, --isa NAME: instead of what the seed says\n"
    "  --without NAME leave out rounding, foreign, reentry, scales, memory, stops, response, gl or distance\n"
    "  --no-shrink    print a failing life as it is\n"
    "  --verbose      print each operation\n"
    "  --table        print how many answers were judged, by question and method\n";

typedef struct command {
    torture_options options;
    uint64_t lives;
    double seconds;
    uint64_t failures;
    bool shrink, table;
} command;

_Noreturn static void refuse(const char *what, const char *value)
{
    fprintf(stderr, "snag_torture: %s %s\n%s", what, value, usage);
    exit(2);
}

static uint64_t number(const char *option, const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (end == text || *end != 0)
        refuse(option, "wants a number");
    return value;
}

static void read_ops(const char *text, torture_options *options)
{
    uint32_t *ops = calloc(strlen(text) + 1, sizeof *ops);
    if (ops == NULL)
        abort();
    for (char *at = (char *)text; *at != 0; at += *at == ',') {
        char *end;
        ops[options->op_count++] = (uint32_t)strtoul(at, &end, 10);
        if (end == at || (*end != 0 && *end != ','))
            refuse("--ops", "wants numbers with commas between them");
        at = end;
    }
    options->ops = ops;
}

static snag_isa isa_of(const char *name)
{
    for (int isa = SNAG_ISA_BEST; isa <= SNAG_ISA_NEON; isa++)
        if (strcmp(name, snag_isa_name((snag_isa)isa)) == 0)
            return (snag_isa)isa;
    refuse("--isa", name);
}

static uint32_t family_of(const char *name)
{
    for (int i = 0; i < TORTURE_FAMILIES; i++)
        if (strcmp(name, torture_family_names[i]) == 0)
            return 1u << i;
    refuse("--without", name);
}

static bool read_switch(const char *option, command *c)
{
    if (strcmp(option, "--verbose") == 0)
        return c->options.verbose = true;
    if (strcmp(option, "--table") == 0)
        return c->table = true;
    if (strcmp(option, "--no-shrink") == 0) {
        c->shrink = false;
        return true;
    }
    return false;
}

static void read_option(const char *option, const char *value, command *c)
{
    if (value == NULL)
        refuse(option, "wants a value");
    if (strcmp(option, "--seed") == 0)
        c->options.seed = number(option, value);
    else if (strcmp(option, "--lives") == 0)
        c->lives = number(option, value);
    else if (strcmp(option, "--seconds") == 0)
        c->seconds = (double)number(option, value);
    else if (strcmp(option, "--failures") == 0)
        c->failures = number(option, value);
    else if (strcmp(option, "--ops") == 0)
        read_ops(value, &c->options);
    else if (strcmp(option, "--size") == 0)
        c->options.size = (uint32_t)number(option, value);
    else if (strcmp(option, "--threads") == 0)
        c->options.threads = (uint32_t)number(option, value);
    else if (strcmp(option, "--isa") == 0)
        c->options.isa = isa_of(value);
    else if (strcmp(option, "--without") == 0)
        c->options.without |= family_of(value);
    else
        refuse("there is no option", option);
}

// ---- what was done ----

static uint64_t sum(const uint64_t *counts, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += counts[i];
    return total;
}

static void print_table(const torture_board *board)
{
    printf("judged answers, and of these those with contacts\n%-14s", "");
    for (int m = 1; m < SNAG_METHOD_COUNT; m++)
        printf(" %15s", snag_method_name((snag_method)m));
    for (int q = 0; q < SNAG_QUESTION_COUNT; q++) {
        printf("\n%-14s", snag_question_name((snag_question)q));
        for (int m = 1; m < SNAG_METHOD_COUNT; m++)
            printf(" %7" PRIu64 " %7" PRIu64, board->judged[q][m], board->filled[q][m]);
    }
    printf("\noperations:");
    for (int i = 0; torture_operation_name(i) != NULL; i++)
        printf(" %s %" PRIu64, torture_operation_name(i), board->operations[i]);
    printf("\n%" PRIu64 " asks of 1,000 triangles or more, %" PRIu64 " partial answers, %" PRIu64
           " by regularity in place of auto\n",
           board->large, board->partial, board->handed_over);
    printf("tracked: %" PRIu64 " answers, %" PRIu64 " contacts persisted, %" PRIu64 " ended\n", board->tracked, board->persisted,
           board->ended);
    printf("candidates: %" PRIu64 " sets, %" PRIu64 " answers from them, %" PRIu64 " asks for which they were stale\n", board->sets,
           board->from_sets, board->stale);
    printf("answers with rods or points: %" PRIu64 ", with radii: %" PRIu64 ", with filters of elements: %" PRIu64 "; %" PRIu64
           " edits of %" PRIu64 " elements\n",
           board->thin, board->thick, board->filtered, board->edits, board->elements_edited);
    printf("response: %" PRIu64 " calls that ended, %" PRIu64 " steps, %" PRIu64 " of them with impacts\n", board->responses,
           board->steps, board->crossings);
}

static void print_sums(const torture_board *board)
{
    size_t cells = SNAG_QUESTION_COUNT * SNAG_METHOD_COUNT;
    uint64_t judged = sum(&board->judged[0][0], cells), filled = sum(&board->filled[0][0], cells);
    printf("%" PRIu64 " lives, %" PRIu64 " operations, %" PRIu64 " judged asks (%.0f %% with contacts), %" PRIu64
           " calls refused, %" PRIu64 " out of memory\n",
           board->lives, sum(board->operations, TORTURE_OPERATIONS), judged,
           judged > 0 ? 100.0 * (double)filled / (double)judged : 0, board->refused, board->starved);
}

double torture_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_lives(const command *c, const char *program)
{
    torture_board *board = torture_make_board();
    uint64_t passed = 0, failed = 0;
    double start = torture_seconds();
    torture_options options = c->options;
    for (uint64_t i = 0; i < c->lives && failed < c->failures; i++, options.seed++) {
        if (c->seconds > 0 && torture_seconds() - start >= c->seconds)
            break;
        if (torture_run(&options, board)) {
            passed++;
            continue;
        }
        failed++;
        if (c->shrink)
            torture_shrink(&options, board, program);
        else
            printf("FAILED seed %" PRIu64 ": %s\n  %s\n  in operation %u: %s\n", options.seed, board->tag, board->message,
                   board->op, board->doing);
        fflush(stdout);
    }
    if (c->table)
        print_table(board);
    print_sums(board);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", passed, failed);
    return failed > 0;
}

int main(int argc, char **argv)
{
    command c = {.options = {.seed = 1}, .failures = 1, .shrink = true};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (!read_switch(argv[i], &c)) {
            read_option(argv[i], argv[i + 1], &c);
            i++;
        }
    }
    if (c.lives == 0)
        c.lives = c.seconds > 0 ? UINT64_MAX : 1;
    return run_lives(&c, argv[0]);
}
