// Bad input over ranks: every call ends on all ranks, with the same status and one message that names the culprit; the object works afterwards.
// usage: mpirun -n N bad      bad --hang: rank 1 never makes the call      bad --die: rank 1 kills itself
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "snag/mpi.h"
#include "snag/shapes.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures;

static void expect(const snag_mpi *mpi, snag_status got, snag_status expected, const char *word, const char *what)
{
    const char *message = snag_mpi_message(mpi);
    char first[512] = "";
    snprintf(first, sizeof first, "%s", message);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    bool same = strcmp(first, message) == 0 || got == SNAG_ERROR_MISMATCH;
    if (got == expected && (got == SNAG_OK || (strstr(message, word) != NULL && same)))
        return;
    fprintf(stderr, "rank %d: %s: status %s, expected %s; \"%s\", expected \"%s\"\n", rank, what, snag_status_name(got),
            snag_status_name(expected), message, word);
    failures++;
}

// A sheet whose triangles are dealt out in blocks.
typedef struct sheet {
    snag_shape shape;
    uint64_t *vertex_numbers, *numbers;
    snag_mpi_body_def def;
} sheet;

static sheet make_sheet(void)
{
    sheet s;
    snag_shape_sheet(8, 8, 1, 1, &s.shape);
    s.vertex_numbers = malloc(8 * s.shape.vertex_count);
    s.numbers = malloc(8 * s.shape.triangle_count);
    for (size_t i = 0; i < s.shape.vertex_count; i++)
        s.vertex_numbers[i] = i;
    for (size_t i = 0; i < s.shape.triangle_count; i++)
        s.numbers[i] = i;
    size_t n = s.shape.triangle_count, first = n * (size_t)rank / (size_t)size, last = n * (size_t)(rank + 1) / (size_t)size;
    s.def = snag_default_mpi_body_def();
    s.def.positions = snag_positions_f64(s.shape.positions, s.shape.vertex_count);
    s.def.vertex_numbers = s.vertex_numbers;
    s.def.triangles = s.shape.triangles + 3 * first;
    s.def.triangle_numbers = s.numbers + first;
    s.def.triangle_count = last - first;
    s.def.triangle_total = n;
    return s;
}

static void free_sheet(sheet *s)
{
    snag_shape_free(&s->shape);
    free(s->vertex_numbers);
    free(s->numbers);
}

static void bad_bodies(snag_mpi *mpi)
{
    int culprit = size - 1;
    uint32_t body;
    sheet s = make_sheet();
    snag_mpi_body_def def = s.def;
    if (rank == culprit)
        def.cookie = 0;
    expect(mpi, snag_mpi_add(mpi, &def, &body), SNAG_ERROR_ARGUMENT, "snag_default_mpi_body_def", "no cookie on one rank");
    expect(mpi, snag_mpi_add(mpi, rank == culprit ? NULL : &s.def, &body), SNAG_ERROR_ARGUMENT, "NULL", "NULL on one rank");
    s.numbers[s.shape.triangle_count - 1] = 3;
    expect(mpi, snag_mpi_add(mpi, &s.def, &body), SNAG_ERROR_INDEX, "triangle 3 is given twice", "overlapping ownership");
    s.numbers[s.shape.triangle_count - 1] = 1000000;
    expect(mpi, snag_mpi_add(mpi, &s.def, &body), SNAG_ERROR_INDEX, "has the number 1000000", "a number beyond the total");
    s.numbers[s.shape.triangle_count - 1] = s.shape.triangle_count - 1;
    def = s.def;
    def.triangle_total++;
    expect(mpi, snag_mpi_add(mpi, &def, &body), SNAG_ERROR_INDEX, "no rank gives triangle", "a missing number");
    def = s.def;
    def.triangle_total += (uint64_t)(rank == culprit && size > 1);
    if (size > 1)
        expect(mpi, snag_mpi_add(mpi, &def, &body), SNAG_ERROR_MISMATCH, "names or totals", "totals that differ");
    def = s.def;
    def.positions.count = rank == culprit ? 2 : def.positions.count;
    expect(mpi, snag_mpi_add(mpi, &def, &body), SNAG_ERROR_INDEX, "names vertex", "a vertex that is not given");
    s.vertex_numbers[0] = 1;
    expect(mpi, snag_mpi_add(mpi, &s.def, &body), SNAG_ERROR_INDEX, "gives vertex 1 twice", "a vertex number twice");
    s.vertex_numbers[0] = 0;
    double kept = s.shape.positions[5];
    s.shape.positions[5] = rank == culprit ? NAN : kept;
    expect(mpi, snag_mpi_add(mpi, &s.def, &body), SNAG_ERROR_NOT_FINITE, "vertex 1 of this rank is not finite", "NaN on one rank");
    s.shape.positions[5] = rank == culprit ? 0.25 : kept;
    if (size > 1)
        expect(mpi, snag_mpi_add(mpi, &s.def, &body), SNAG_ERROR_MISMATCH, "vertex 1 at different positions", "copies that differ");
    free_sheet(&s);
}

static snag_mpi_question_def question(snag_question which)
{
    snag_mpi_question_def def = snag_default_mpi_question_def(which);
    if (which == SNAG_PROXIMITIES)
        def.question.distance = 0.1;
    return def;
}

static void bad_calls(snag_mpi *mpi)
{
    int culprit = size - 1;
    uint32_t body = 99;
    const snag_mpi_answer *answer = NULL;
    sheet s = make_sheet();
    expect(mpi, snag_mpi_add(mpi, &s.def, &body), SNAG_OK, "", "a good body");
    expect(mpi, snag_mpi_move(mpi, 7, s.def.positions), SNAG_ERROR_BODY, "no body 7", "a body that does not exist");
    snag_positions few = s.def.positions;
    few.count -= rank == culprit;
    expect(mpi, snag_mpi_move(mpi, body, few), SNAG_ERROR_MISMATCH, "positions, but this rank gave", "too few positions");
    double kept = s.shape.positions[5];
    s.shape.positions[5] = rank == culprit ? INFINITY : kept;
    expect(mpi, snag_mpi_move(mpi, body, s.def.positions), SNAG_ERROR_NOT_FINITE, "not finite", "infinity on one rank");
    s.shape.positions[5] = rank == culprit ? 7 : kept;
    if (size > 1)
        expect(mpi, snag_mpi_move(mpi, body, s.def.positions), SNAG_ERROR_MISMATCH, "to different positions",
               "copies that move apart");
    s.shape.positions[5] = kept;
    snag_mpi_question_def def = question(SNAG_PROXIMITIES);
    if (rank == culprit)
        def.question.distance = 0.2;
    if (size > 1)
        expect(mpi, snag_mpi_ask(mpi, &def, &answer), SNAG_ERROR_MISMATCH, "different questions",
               "ranks that disagree on the question");
    def.question.distance = rank == culprit ? -1 : 0.1;
    expect(mpi, snag_mpi_ask(mpi, &def, &answer), SNAG_ERROR_ARGUMENT, "distance", "a bad length on one rank");
    def = question(SNAG_INTERSECTIONS);
    def.question.track = true;
    expect(mpi, snag_mpi_ask(mpi, &def, &answer), SNAG_ERROR_UNSUPPORTED, "tracking", "tracking");
    def = question(SNAG_OVERLAPS);
    expect(mpi, snag_mpi_ask(mpi, &def, &answer), SNAG_ERROR_UNSUPPORTED, "overlaps", "overlaps");
    def = question(SNAG_INTERSECTIONS);
    def.cookie = rank == culprit ? 1 : def.cookie;
    expect(mpi, snag_mpi_ask(mpi, &def, &answer), SNAG_ERROR_ARGUMENT, "snag_default_mpi_question_def",
           "a question without cookie");
    if (size > 1) {
        snag_status status = rank == culprit ? snag_mpi_begin_step(mpi) : snag_mpi_move(mpi, body, s.def.positions);
        expect(mpi, status, SNAG_ERROR_MISMATCH, "ranks disagree", "different calls");
    }
    // After all that, it works.
    def = question(SNAG_INTERSECTIONS);
    expect(mpi, snag_mpi_ask(mpi, &def, &answer), SNAG_OK, "", "a good question");
    if (answer == NULL || answer->total != 0 || answer->statistics.elements != s.shape.triangle_count)
        failures++;
    free_sheet(&s);
}

// ---- memory that runs out on one rank ----

typedef struct short_memory {
    size_t left;
    long held;
} short_memory;

static void *take(void *context, size_t bytes, size_t alignment)
{
    short_memory *s = context;
    (void)alignment;
    if (s->left == 0)
        return NULL;
    s->left--;
    s->held++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *context, void *memory, size_t bytes)
{
    (void)bytes;
    ((short_memory *)context)->held--;
    free(memory);
}

// A whole life, in which allocation `left` of the last rank fails. True if it came to its end.
static bool live(size_t left)
{
    short_memory memory = {rank == size - 1 ? left : SIZE_MAX, 0};
    snag_mpi_def def = snag_default_mpi_def();
    def.allocator = (snag_allocator){take, release, &memory};
    snag_mpi *mpi = NULL;
    uint32_t body;
    const snag_mpi_answer *answer = NULL;
    sheet s = make_sheet();
    snag_status status = snag_mpi_create(&def, &mpi);
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = snag_mpi_add(mpi, &s.def, &body);
    snag_mpi_question_def ask = question(SNAG_PROXIMITIES);
    if (status == SNAG_OK)
        status = snag_mpi_ask(mpi, &ask, &answer);
    if (status == SNAG_OK)
        status = snag_mpi_move(mpi, body, s.def.positions);
    if (status == SNAG_OK)
        status = snag_mpi_ask(mpi, &ask, &answer);
    if (status != SNAG_OK)
        expect(mpi, status, SNAG_ERROR_MEMORY, "memory", "memory that runs out");
    if (status == SNAG_OK && answer->total == 0)
        failures++;
    // With memory again, the same object answers.
    memory.left = SIZE_MAX;
    if (status != SNAG_OK && mpi != NULL && snag_mpi_add(mpi, &s.def, &body) == SNAG_OK &&
        snag_mpi_ask(mpi, &ask, &answer) != SNAG_OK) {
        fprintf(stderr, "rank %d: after memory ran out: %s\n", rank, snag_mpi_message(mpi));
        failures++;
    }
    snag_mpi_destroy(mpi);
    free_sheet(&s);
    if (memory.held != 0) {
        fprintf(stderr, "rank %d: %ld allocations are not released\n", rank, memory.held);
        failures++;
    }
    return status == SNAG_OK;
}

// Rank 1 does not come: the others must not wait forever.
static int hang(void)
{
    snag_mpi_def def = snag_default_mpi_def();
    def.wait_seconds = 1;
    snag_mpi *mpi = NULL;
    snag_mpi_create(&def, &mpi);
    int result = 0;
    if (rank != 1) {
        snag_status status = snag_mpi_begin_step(mpi);
        result = status != SNAG_ERROR_MISMATCH || strstr(snag_mpi_message(mpi), "within 1 seconds") == NULL ||
                 snag_mpi_begin_step(mpi) != SNAG_ERROR_MISMATCH;
        snag_mpi_destroy(mpi);
    }
    if (result)
        fprintf(stderr, "rank %d: the wait for rank 1 did not end as it should\n", rank);
    MPI_Abort(MPI_COMM_WORLD, result ? 1 : 42);
    return result;
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (count > 1 && strcmp(arguments[1], "--hang") == 0 && rank != 1)
        return hang();
    if (count > 1 && strcmp(arguments[1], "--hang") == 0) {
        snag_mpi_def def = snag_default_mpi_def();
        snag_mpi *mpi = NULL;
        snag_mpi_create(&def, &mpi);
        for (;;)
            MPI_Recv(&(int){0}, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    snag_mpi_def def = snag_default_mpi_def();
    snag_mpi *mpi = NULL;
    if (count > 1 && strcmp(arguments[1], "--die") == 0 && rank == 1)
        raise(SIGKILL);
    def.imbalance = rank == size - 1 ? 0.5 : def.imbalance;
    if (snag_mpi_create(&def, &mpi) != SNAG_ERROR_ARGUMENT || mpi != NULL)
        failures++;
    def = snag_default_mpi_def();
    if (snag_mpi_create(&def, &mpi) != SNAG_OK)
        failures++;
    bad_bodies(mpi);
    bad_calls(mpi);
    snag_mpi_destroy(mpi);
    snag_mpi_destroy(NULL);
    // Every third allocation in turn, to be quick.
    size_t lives = 0;
    for (size_t left = 0;; left += 3, lives++) {
        int done = live(left);
        MPI_Bcast(&done, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
        if (done)
            break;
    }
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, bad input: %zu lives with too little memory, %d failures\n", size, lives, all);
    MPI_Finalize();
    return all ? 1 : 0;
}
