// A cloth on MPI ranks: it falls over a ball, and moves alike on any number of them.
//
//     mpirun -n 3 build-mpi/example_mpi_cloth [STEPS]
//
// The rows of the cloth are dealt out to the ranks. A rank owns the triangles of its rows and has the vertices of both borders, which its
// neighbours have too; it moves all of them. What the solver exchanges is its own business, here one row of positions beyond each border before
// the springs pull (the halo). Contact is snag's: every rank says where its part is, asks, and gets the contacts of its own elements.
//
// Sums of contact forces come in whole numbers (of 2^-40), so that their order, and with it the number of ranks, does not matter.
#include "snag/mpi.h"
#include "snag/shapes.h"

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 48, COLUMNS = N + 1, TRIANGLES_OF_A_ROW = 2 * N, PRINTED = 50 };
static const double DT = 1.0 / 500, EDGE = 1.0 / N, THICKNESS = 0.4 / N;
static const double SPRING = 2e4, DAMPING = 20, CONTACT = 6e4, GRAVITY = 9.81;  // by mass
static const double UNIT = 0x1p-40;

typedef double point[3];

typedef struct rank {
    int number, count;
    int first, last;  // rows of vertices: first .. last; the triangles between them are this rank's
    int rows;
    // One row of the halo before and one behind the rank's own.
    point *x, *v;  // [(rows + 2) * COLUMNS]
    long long (*force)[3];  // [rows * COLUMNS], of contacts, in units
    snag_mpi *mpi;
    uint32_t cloth, ball;
} rank;

static void check(snag_status status, const rank *r)
{
    if (status == SNAG_OK)
        return;
    if (r->number == 0)
        fprintf(stderr, "mpi_cloth: %s\n", r->mpi != NULL ? snag_mpi_message(r->mpi) : snag_status_name(status));
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void *allocate(size_t count, size_t size)
{
    void *made = calloc(count, size);
    if (made == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return made;
}

// ---- the cloth -----------------------------------------------------------------------------------------------------

// Corners of a triangle by its global number.
static void corners_of(uint64_t triangle, uint64_t corner[3])
{
    uint64_t row = triangle / TRIANGLES_OF_A_ROW, column = triangle % TRIANGLES_OF_A_ROW / 2, v = row * COLUMNS + column;
    const uint64_t lower[3] = {v, v + 1, v + COLUMNS}, upper[3] = {v + 1, v + COLUMNS + 1, v + COLUMNS};
    memcpy(corner, triangle % 2 == 0 ? lower : upper, sizeof lower);
}

static void make_cloth(rank *r)
{
    r->first = N * r->number / r->count;
    r->last = N * (r->number + 1) / r->count;
    r->rows = r->last - r->first + 1;
    r->x = allocate((size_t)(r->rows + 2) * COLUMNS, sizeof *r->x);
    r->v = allocate((size_t)(r->rows + 2) * COLUMNS, sizeof *r->v);
    r->force = allocate((size_t)r->rows * COLUMNS, sizeof *r->force);
    for (int row = r->first; row <= r->last; row++)
        for (int column = 0; column < COLUMNS; column++) {
            double *x = r->x[(row - r->first + 1) * COLUMNS + column];
            x[0] = column * EDGE - 0.47;
            x[1] = row * EDGE - 0.52;
            x[2] = 0.32 + 0.01 * (column % 5) * EDGE;
        }
}

static snag_positions positions_of(const rank *r)
{
    return snag_positions_f64(r->x[COLUMNS], (size_t)r->rows * COLUMNS);
}

static void add_cloth(rank *r)
{
    size_t vertices = (size_t)r->rows * COLUMNS, triangles = (size_t)(r->rows - 1) * TRIANGLES_OF_A_ROW;
    uint64_t *numbers = allocate(vertices, sizeof *numbers), *names = allocate(triangles, sizeof *names);
    uint32_t(*local)[3] = allocate(triangles, sizeof *local);
    for (size_t i = 0; i < vertices; i++)
        numbers[i] = (uint64_t)r->first * COLUMNS + i;
    for (size_t t = 0; t < triangles; t++) {
        uint64_t corner[3];
        names[t] = (uint64_t)r->first * TRIANGLES_OF_A_ROW + t;
        corners_of(names[t], corner);
        for (int k = 0; k < 3; k++)
            local[t][k] = (uint32_t)(corner[k] - numbers[0]);
    }
    snag_mpi_body_def def = snag_default_mpi_body_def();
    def.name = "cloth";
    def.positions = positions_of(r);
    def.vertex_numbers = numbers;
    def.triangles = local[0];
    def.triangle_numbers = names;
    def.triangle_count = triangles;
    def.triangle_total = (uint64_t)N * TRIANGLES_OF_A_ROW;
    check(snag_mpi_add(r->mpi, &def, &r->cloth), r);
    free(numbers);
    free(names);
    free(local);
}

// The first rank has all of the ball.
static void add_ball(rank *r)
{
    snag_shape shape;
    check(snag_shape_icosphere(3, 0.3, &shape), r);
    snag_mpi_body_def def = snag_default_mpi_body_def();
    size_t most = shape.vertex_count > shape.triangle_count ? shape.vertex_count : shape.triangle_count;
    uint64_t *numbers = allocate(most, sizeof *numbers);
    for (size_t i = 0; i < most; i++)
        numbers[i] = i;
    def.name = "ball";
    def.positions = snag_positions_f64(shape.positions, r->number == 0 ? shape.vertex_count : 0);
    def.vertex_numbers = def.triangle_numbers = numbers;
    def.triangles = shape.triangles;
    def.triangle_count = r->number == 0 ? shape.triangle_count : 0;
    def.triangle_total = shape.triangle_count;
    check(snag_mpi_add(r->mpi, &def, &r->ball), r);
    free(numbers);
    snag_shape_free(&shape);
}

// ---- what the solver exchanges -------------------------------------------------------------------------------------

static int neighbour(const rank *r, int side)
{
    int other = r->number + side;
    return other < 0 || other >= r->count ? MPI_PROC_NULL : other;
}

// The row beyond each border: the neighbour's second row from its border.
static void exchange_rows(const rank *r, point *rows)
{
    const int size = 3 * COLUMNS;
    MPI_Sendrecv(rows[2 * COLUMNS], size, MPI_DOUBLE, neighbour(r, -1), 0, rows[(r->rows + 1) * COLUMNS], size, MPI_DOUBLE,
                 neighbour(r, 1), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(rows[(r->rows - 1) * COLUMNS], size, MPI_DOUBLE, neighbour(r, 1), 1, rows[0], size, MPI_DOUBLE, neighbour(r, -1),
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Both ranks at a border add up what each knows of its vertices.
static void add_borders(const rank *r)
{
    const int size = 3 * COLUMNS;
    long long other[2][3 * COLUMNS] = {{0}}, *mine[2] = {r->force[0], r->force[(r->rows - 1) * COLUMNS]};
    for (int side = 0; side < 2; side++) {
        int with = neighbour(r, side == 0 ? -1 : 1);
        MPI_Request request;
        MPI_Irecv(other[side], size, MPI_LONG_LONG, with, 2, MPI_COMM_WORLD, &request);
        MPI_Send(mine[side], size, MPI_LONG_LONG, with, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < size; i++)
            mine[side][i] += other[side][i];
}

// ---- forces --------------------------------------------------------------------------------------------------------

// The pull of one spring on a vertex, added to `a`.
static void pull(const rank *r, size_t i, size_t k, double length, point a)
{
    point d, w;
    double square = 0, along = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = r->x[k][c] - r->x[i][c];
        w[c] = r->v[k][c] - r->v[i][c];
        square += d[c] * d[c];
        along += d[c] * w[c];
    }
    double now = sqrt(square), s = (SPRING * (now - length) + DAMPING * along / now) / now;
    for (int c = 0; c < 3; c++)
        a[c] += s * d[c];
}

static void add_springs(const rank *r, int row, int column, point a)
{
    // Along the threads, across, and two vertices ahead against bending; all within one row of the vertex.
    static const int springs[][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {0, 2}, {0, -2}};
    size_t i = (size_t)(row - r->first + 1) * COLUMNS + (size_t)column;
    for (size_t s = 0; s < sizeof springs / sizeof *springs; s++) {
        int down = springs[s][0], right = springs[s][1], to_row = row + down, to_column = column + right;
        if (to_row >= 0 && to_row <= N && to_column >= 0 && to_column <= N)
            pull(r, i, (size_t)(to_row - r->first + 1) * COLUMNS + (size_t)to_column, EDGE * sqrt(down * down + right * right), a);
    }
}

// The vertices of one side of a contact that this rank answers for. Returns how many.
static int vertices_of(const rank *r, uint32_t body, const snag_mpi_element *element, uint64_t vertex[3])
{
    if (body != r->cloth || element->rank != r->number)
        return 0;
    if (element->kind == SNAG_TRIANGLE) {
        corners_of(element->number, vertex);
        return 3;
    }
    vertex[0] = element->number;
    vertex[1] = element->other;
    return element->kind == SNAG_EDGE ? 2 : 1;
}

static void push(const rank *r, uint32_t body, const snag_mpi_element *element, const double *weight, double strength,
                 const point normal)
{
    uint64_t vertex[3];
    int count = vertices_of(r, body, element, vertex);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            r->force[vertex[i] - (uint64_t)r->first * COLUMNS][c] += llrint(strength * weight[i] * normal[c] / UNIT);
}

// Contacts within the thickness push their elements apart. Returns how many there are on all ranks.
static uint64_t add_contacts(const rank *r)
{
    static const double one = 1;
    snag_mpi_question_def ask = snag_default_mpi_question_def(SNAG_PROXIMITIES);
    const snag_mpi_answer *answer;
    ask.question.distance = THICKNESS;
    ask.results = SNAG_MPI_AT_OWNERS;
    check(snag_mpi_ask(r->mpi, &ask, &answer), r);
    memset(r->force, 0, (size_t)r->rows * COLUMNS * sizeof *r->force);
    for (size_t i = 0; i < answer->count; i++) {
        const snag_mpi_contact *c = &answer->contacts[i];
        double strength = CONTACT * (THICKNESS - c->value);
        bool edges = c->a.kind == SNAG_EDGE;
        push(r, c->body_a, &c->a, edges ? c->weight : &one, strength, c->normal);
        push(r, c->body_b, &c->b, edges ? c->weight + 2 : c->weight, -strength, c->normal);
    }
    add_borders(r);
    return answer->total;
}

static uint64_t step(const rank *r)
{
    uint64_t contacts = add_contacts(r);
    size_t vertices = (size_t)r->rows * COLUMNS;
    point *a = allocate(vertices, sizeof *a);
    exchange_rows(r, r->x);
    exchange_rows(r, r->v);
    for (size_t i = 0; i < vertices; i++) {
        for (int c = 0; c < 3; c++)
            a[i][c] = (double)r->force[i][c] * UNIT - (c == 2 ? GRAVITY : 0);
        add_springs(r, r->first + (int)(i / COLUMNS), (int)(i % COLUMNS), a[i]);
    }
    for (size_t i = 0; i < vertices; i++)
        for (int c = 0; c < 3; c++) {
            double *v = &r->v[COLUMNS + i][c];
            *v = 0.995 * (*v + DT * a[i][c]);
            r->x[COLUMNS + i][c] += DT * *v;
        }
    free(a);
    check(snag_mpi_begin_step(r->mpi), r);
    check(snag_mpi_move(r->mpi, r->cloth, positions_of(r)), r);
    return contacts;
}

// ---- what is printed -----------------------------------------------------------------------------------------------

// The whole cloth comes to rank 0, where a hash says whether it is the same, bit for bit.
static void print(const rank *r, int number, uint64_t contacts)
{
    int *counts = allocate((size_t)r->count, sizeof *counts), *starts = allocate((size_t)r->count, sizeof *starts);
    for (int i = 0; i < r->count; i++) {  // the last row only from the last rank
        int first = N * i / r->count, last = N * (i + 1) / r->count;
        counts[i] = 3 * COLUMNS * (last - first + (i == r->count - 1));
        starts[i] = 3 * COLUMNS * first;
    }
    point *all = allocate(COLUMNS * COLUMNS, sizeof *all);
    MPI_Gatherv(r->x[COLUMNS], counts[r->number], MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (r->number == 0) {
        uint64_t hash = 14695981039346656037u;
        double lowest = INFINITY;
        for (size_t i = 0; i < COLUMNS * COLUMNS * sizeof *all; i++)
            hash = (hash ^ ((const unsigned char *)all)[i]) * 1099511628211u;
        for (size_t i = 0; i < COLUMNS * COLUMNS; i++)
            lowest = fmin(lowest, all[i][2]);
        printf("step %4d: %5llu contacts, lowest vertex %7.4f, hash %016llx\n", number, (unsigned long long)contacts, lowest,
               (unsigned long long)hash);
        fflush(stdout);
    }
    free(all);
    free(counts);
    free(starts);
}

int main(int argc, char **argv)
{
    rank r = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.number);
    MPI_Comm_size(MPI_COMM_WORLD, &r.count);
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    if (r.count > N || steps < 1) {
        if (r.number == 0)
            fprintf(stderr, "mpi_cloth: at most %d ranks, and at least one step\n", N);
        MPI_Finalize();
        return 2;
    }
    snag_mpi_def def = snag_default_mpi_def();
    check(snag_mpi_create(&def, &r.mpi), &r);
    make_cloth(&r);
    add_cloth(&r);
    add_ball(&r);
    for (int i = 1; i <= steps; i++) {
        uint64_t contacts = step(&r);
        if (i % PRINTED == 0 || i == steps)
            print(&r, i, contacts);
    }
    snag_mpi_destroy(r.mpi);
    free(r.x);
    free(r.v);
    free(r.force);
    MPI_Finalize();
    return 0;
}
