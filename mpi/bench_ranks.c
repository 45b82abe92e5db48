// What an ask over ranks costs: ghosts, balance, bytes and work, for docs/design/scale.md.
//
//     mpirun -n 4 build-mpi/bench_mpi_ranks [sheet|pile [MILLIONS [STEPS [DISTANCE]]]]     one million triangles, 5 steps, half an edge
//
// A sheet is one wavy cloth; a pile is 32 of them, twisted against each other, half an edge apart. Each rank makes its rows of every cloth and
// moves them in each step; then all ask for the number of proximities. Rank 0 prints a line for the last step. Work is processor time of a step
// summed over all ranks, the mean of the steps after the second: of the searches, and of all. The scene's own motion and time inside of MPI, which
// is mostly waiting, are left out. Divided by what one rank prints it says what ranks cost: ghosts, which are searched twice, and sending.
#define _DEFAULT_SOURCE
#include "snag/mpi.h"

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PILE = 32 };

typedef struct part {
    uint32_t body;
    int cloth, cells, first, rows;  // rows of vertices from `first` on
    double *xyz;
} part;

static void check(snag_status status, const snag_mpi *mpi)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "bench_mpi_ranks: %s\n", mpi != NULL ? snag_mpi_message(mpi) : snag_status_name(status));
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void *allocate(size_t count, size_t size)
{
    void *made = malloc((count > 0 ? count : 1) * size);
    if (made == NULL) {
        fprintf(stderr, "bench_mpi_ranks: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return made;
}

// ---- work: processor time outside MPI ----

static double work, left;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void enter(void)
{
    work += processor_seconds() - left;
}

static int leave(int result)
{
    left = processor_seconds();
    return result;
}

// These stand before MPI's own, which wait with a busy processor (MPI's profiling interface).
int MPI_Alltoallv(const void *from, const int counts[], const int first[], MPI_Datatype type, void *to, const int counts_got[],
                  const int first_got[], MPI_Datatype type_got, MPI_Comm comm)
{
    enter();
    return leave(PMPI_Alltoallv(from, counts, first, type, to, counts_got, first_got, type_got, comm));
}

int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int count_got, MPI_Datatype type_got, MPI_Comm comm)
{
    enter();
    return leave(PMPI_Alltoall(from, count, type, to, count_got, type_got, comm));
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    enter();
    return leave(PMPI_Allreduce(from, to, count, type, op, comm));
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int count_got, MPI_Datatype type_got, MPI_Comm comm)
{
    enter();
    return leave(PMPI_Allgather(from, count, type, to, count_got, type_got, comm));
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    enter();
    return leave(PMPI_Test(request, done, status));
}

// ---- the scene ----

// The cloth turns a little in every step, and its waves run.
static void place(part *p, int step)
{
    double turn = 0.02 * p->cloth + 0.002 * step, c = cos(turn), s = sin(turn), edge = 1.0 / p->cells;
    for (int row = 0; row < p->rows; row++)
        for (int column = 0; column <= p->cells; column++) {
            double u = column * edge - 0.5, v = (p->first + row) * edge - 0.5;
            double *x = p->xyz + 3 * ((size_t)row * (size_t)(p->cells + 1) + (size_t)column);
            x[0] = c * u - s * v;
            x[1] = s * u + c * v;
            x[2] = 0.5 * edge * p->cloth + 0.05 * sin(9 * x[0] + 0.01 * step) * cos(7 * x[1]);
        }
}

static snag_positions positions_of(const part *p)
{
    return snag_positions_f64(p->xyz, (size_t)p->rows * (size_t)(p->cells + 1));
}

static void add(snag_mpi *mpi, part *p, int rank, int ranks)
{
    p->first = (int)((long long)p->cells * rank / ranks);
    p->rows = (int)((long long)p->cells * (rank + 1) / ranks) - p->first + 1;
    const size_t columns = (size_t)p->cells + 1, vertices = (size_t)p->rows * columns,
                 count = 2 * (size_t)(p->rows - 1) * (columns - 1);
    p->xyz = allocate(3 * vertices, sizeof *p->xyz);
    uint64_t *numbers = allocate(vertices, sizeof *numbers), *names = allocate(count, sizeof *names);
    uint32_t(*triangles)[3] = allocate(count, sizeof *triangles);
    for (size_t i = 0; i < vertices; i++)
        numbers[i] = (uint64_t)p->first * columns + i;
    for (size_t t = 0; t < count; t++) {
        uint32_t v = (uint32_t)(t / 2 / (columns - 1) * columns + t / 2 % (columns - 1)), n = (uint32_t)columns;
        const uint32_t lower[3] = {v, v + 1, v + n}, upper[3] = {v + 1, v + n + 1, v + n};
        memcpy(triangles[t], t % 2 == 0 ? lower : upper, sizeof lower);
        names[t] = 2 * (uint64_t)p->first * (columns - 1) + t;
    }
    place(p, 0);
    snag_mpi_body_def def = snag_default_mpi_body_def();
    def.positions = positions_of(p);
    def.vertex_numbers = numbers;
    def.triangles = triangles[0];
    def.triangle_numbers = names;
    def.triangle_count = count;
    def.triangle_total = 2 * (uint64_t)p->cells * (uint64_t)p->cells;
    check(snag_mpi_add(mpi, &def, &p->body), mpi);
    free(numbers);
    free(names);
    free(triangles);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool pile = argc > 1 && strcmp(argv[1], "pile") == 0;
    const double millions = argc > 2 ? atof(argv[2]) : 1, distance = argc > 4 ? atof(argv[4]) : 0.5;
    const int steps = argc > 3 ? atoi(argv[3]) : 5, cloths = pile ? PILE : 1, cells = (int)sqrt(millions * 1e6 / 2 / cloths);
    if (cells < ranks || steps < 1) {
        fprintf(stderr, "bench_mpi_ranks: too few triangles or steps\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    snag_mpi *mpi = NULL;
    snag_mpi_def def = snag_default_mpi_def();
    check(snag_mpi_create(&def, &mpi), mpi);
    part *parts = allocate((size_t)cloths, sizeof *parts);
    for (int i = 0; i < cloths; i++) {
        parts[i] = (part){.cloth = i, .cells = cells};
        add(mpi, &parts[i], rank, ranks);
    }
    snag_mpi_question_def ask = snag_default_mpi_question_def(SNAG_PROXIMITIES);
    ask.question.output = SNAG_OUTPUT_COUNT;
    ask.question.distance = distance / cells;
    ask.question.every_pair = true;
    const snag_mpi_answer *answer = NULL;
    double began = MPI_Wtime(), searches = 0, sums[2];
    int judged = 0;
    for (int step = 1; step <= steps; step++) {
        for (int i = 0; i < cloths; i++)
            place(&parts[i], step);
        began = MPI_Wtime();
        // The first steps build; those after them deal anew from time to time, so all of them count.
        if (step <= 2 && steps > 2)
            work = searches = judged = 0;
        left = processor_seconds();
        check(snag_mpi_begin_step(mpi), mpi);
        for (int i = 0; i < cloths; i++)
            check(snag_mpi_move(mpi, parts[i].body, positions_of(&parts[i])), mpi);
        check(snag_mpi_ask(mpi, &ask, &answer), mpi);
        enter();
        searches += answer->statistics.seconds / ranks;  // every rank has the sum
        judged++;
    }
    MPI_Reduce((double[2]){work / judged, searches / judged}, sums, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const snag_mpi_statistics *s = &answer->statistics;
        printf("ranks %d scene %s triangles %.0f pairs %llu ghosts %.2f %% balance %.3f bytes %.1f MB work %.3f s searches "
               "%.3f s all step %.3f s cuts %llu\n",
               ranks, pile ? "pile" : "sheet", 2.0 * cells * cells * cloths, (unsigned long long)answer->total,
               100.0 * (double)s->ghosts / (double)s->elements, (double)s->candidates_most * ranks / (double)s->candidates,
               1e-6 * (double)s->bytes, sums[1], sums[0], MPI_Wtime() - began, (unsigned long long)s->cuts);
    }
    snag_mpi_destroy(mpi);
    for (int i = 0; i < cloths; i++)
        free(parts[i].xyz);
    free(parts);
    MPI_Finalize();
    return 0;
}
