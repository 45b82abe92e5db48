// Answers over ranks beside those of one world, byte for byte: scenes, decompositions, questions and results, moving over steps with recuts.
// usage: mpirun -n N ranks [--steps N] [--scene NAME] [--quick]
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include "snag/mpi.h"
#include "snag/shapes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures;
static size_t compared;

static void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "rank %d of %d: ", rank, size);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    if (++failures > 10)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static double random_unit(uint64_t *state)
{
    return (double)random_next(state) / (double)(1u << 31);
}

// ---- scenes: the same on every rank ----

enum { BODIES = 8 };

typedef struct scene {
    const char *name;
    snag_shape shapes[BODIES];
    double *x[BODIES];  // at the present step
    uint32_t count;
    double distance;
} scene;

static snag_shape *next_shape(scene *s)
{
    return &s->shapes[s->count++];
}

static void jitter(snag_shape *shape, double by, uint64_t seed)
{
    for (size_t i = 0; i < 3 * shape->vertex_count; i++)
        shape->positions[i] += by * (random_unit(&seed) - 0.5);
}

static void make_cloth_ball(scene *s)
{
    snag_shape_icosphere(3, 0.5, next_shape(s));
    snag_shape *cloth = next_shape(s);
    snag_shape_sheet(40, 40, 2, 2, cloth);
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        double *x = cloth->positions + 3 * i;
        x[2] = 0.49 - 0.6 * (x[0] * x[0] + x[1] * x[1]) + 0.05 * sin(9 * x[0]) * cos(11 * x[1]);
    }
    s->distance = 0.02;
}

static void make_sheets(scene *s)
{
    for (int i = 0; i < 3; i++) {
        snag_shape *sheet = next_shape(s);
        snag_shape_sheet(16, 16, 1, 1, sheet);
        for (size_t v = 0; v < sheet->vertex_count; v++)
            sheet->positions[3 * v + 2] +=
                0.01 * i + 0.008 * sin(13 * sheet->positions[3 * v] + i) * cos(7 * sheet->positions[3 * v + 1]);
    }
    s->distance = 0.006;
}

static void make_pile(scene *s)
{
    for (int i = 0; i < 6; i++) {
        snag_shape *body = next_shape(s);
        if (i % 2)
            snag_shape_torus(16, 8, 0.5, 0.2, body);
        else
            snag_shape_icosphere(2, 0.45, body);
        snag_shape_transform(body, 1, 0.5 * (i % 3), 0.4 * (i / 3), 0.3 * i);
    }
    s->distance = 0.05;
}

static void make_tets(scene *s)
{
    for (int i = 0; i < 3; i++) {
        snag_shape *block = next_shape(s);
        snag_shape_block(4, 4, 4, 0.25, block);
        snag_shape_transform(block, i == 2 ? 0.3 : 1, 0.73 * i, 0.11 * i, 0.07 * i);
        jitter(block, 0.03, 7u + (unsigned)i);
    }
    snag_shape_sheet(12, 12, 3, 3, next_shape(s));
    snag_shape_transform(&s->shapes[3], 1, 0.5, 0.5, 0.37);
    snag_shape *cloud = next_shape(s);
    snag_shape_icosphere(1, 0.6, cloud);
    cloud->triangle_count = 0;
    s->distance = 0.05;
}

// A vertex inside a volume right beside one inside of another, and nothing else near: they are no impact, but in the part of a rank they are two
// points, which meet before all others.
static void make_core(scene *s)
{
    snag_shape_block(4, 4, 4, 0.25, next_shape(s));
    snag_shape_block(2, 2, 2, 0.2, next_shape(s));
    double offset[3], x = 0;
    for (int k = 0; k < 3; k++) {
        double from[2] = {INFINITY, INFINITY}, to[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 2; i++)
            for (size_t v = 0; v < s->shapes[i].vertex_count; v++) {
                from[i] = fmin(from[i], s->shapes[i].positions[3 * v + (size_t)k]);
                to[i] = fmax(to[i], s->shapes[i].positions[3 * v + (size_t)k]);
            }
        offset[k] = (from[0] + to[0] - from[1] - to[1]) / 2 + 0.001 * k;
        x = k == 0 ? (from[0] + to[0]) / 2 : x;
    }
    offset[2] += 0.02 * (sin(5 * x) - sin(5 * x + 1));  // the first pose moves them apart by this
    snag_shape_transform(&s->shapes[1], 1, offset[0], offset[1], offset[2]);
    s->distance = 0.05;
}

// Triangles at random, some of them degenerate, repeated or with an edge of many.
static void make_soup(scene *s)
{
    for (int b = 0; b < 3; b++) {
        uint64_t seed = 99u + (unsigned)b;
        snag_shape *soup = next_shape(s);
        snag_shape_sheet(6, 6, 1, 1, soup);
        for (size_t i = 0; i < 3 * soup->vertex_count; i++)
            soup->positions[i] = random_unit(&seed);
        for (size_t i = 0; i < soup->triangle_count; i++) {
            uint32_t *t = soup->triangles + 3 * i;
            for (int k = 0; k < 3; k++)
                t[k] = (uint32_t)(random_next(&seed) % soup->vertex_count);
            if (i % 17 == 0)
                t[1] = t[0];
            if (i % 23 == 0 && i > 0)
                memcpy(t, t - 3, 3 * sizeof *t);
        }
        for (size_t i = 0; i < soup->vertex_count; i += 9)
            memcpy(soup->positions + 3 * i, soup->positions + 3 * ((i + 5) % soup->vertex_count), 3 * sizeof(double));
    }
    s->distance = 0.01;
}

static const struct {
    const char *name;
    void (*make)(scene *s);
} scenes[] = {{"cloth-ball", make_cloth_ball},
              {"sheets", make_sheets},
              {"pile", make_pile},
              {"tets", make_tets},
              {"core", make_core},
              {"soup", make_soup}};

static void make_scene(int which, scene *s)
{
    memset(s, 0, sizeof *s);
    scenes[which].make(s);
    s->name = scenes[which].name;
    for (uint32_t i = 0; i < s->count; i++) {
        s->x[i] = malloc(3 * sizeof(double) * s->shapes[i].vertex_count);
        memcpy(s->x[i], s->shapes[i].positions, 3 * sizeof(double) * s->shapes[i].vertex_count);
    }
}

static void free_scene(scene *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        free(s->x[i]);
        snag_shape_free(&s->shapes[i]);
    }
}

static void pose(scene *s, int step)
{
    for (uint32_t b = 0; b < s->count; b++)
        for (size_t i = 0; i < s->shapes[b].vertex_count; i++) {
            const double *from = s->shapes[b].positions + 3 * i;
            double *to = s->x[b] + 3 * i, a = 0.05 * step * (b % 2 ? 1 : -1), c = cos(a), d = sin(a);
            to[0] = c * from[0] - d * from[1] + 0.01 * step * (b % 3);
            to[1] = d * from[0] + c * from[1];
            to[2] = from[2] + 0.02 * sin(0.7 * step + 5 * from[0] + b);
        }
}

// ---- decompositions ----

enum { ALL_ON_ONE, ROUND_ROBIN, RANDOM, BLOCKS, DECOMPOSITIONS };
static const char *const decomposition_names[] = {"all on one", "round robin", "random", "blocks"};

static int owner_of(int decomposition, uint32_t b, size_t element, size_t count)
{
    uint64_t seed = 12345 + 977 * (uint64_t)element + 31 * b;
    switch (decomposition) {
    case ALL_ON_ONE: return size - 1;
    case ROUND_ROBIN: return (int)((element + b) % (size_t)size);
    case RANDOM: random_next(&seed); return (int)(random_next(&seed) % (uint64_t)size);
    default: return (int)(element * (size_t)size / count);
    }
}

typedef struct piece {
    uint64_t *vertex_numbers, *numbers;
    uint32_t *elements;
    double *x;
    size_t vertex_count, count;
} piece;

static piece cut_piece(const scene *s, uint32_t b, int decomposition)
{
    const snag_shape *shape = &s->shapes[b];
    size_t corners = shape->tet_count ? 4 : 3, count = shape->tet_count ? shape->tet_count : shape->triangle_count;
    const uint32_t *from = shape->tet_count ? shape->tets : shape->triangles;
    piece p = {
        .vertex_numbers = malloc(8 * (shape->vertex_count + 1)),
        .numbers = malloc(8 * (count + 1)),
        .elements = malloc(4 * corners * (count + 1)),
        .x = malloc(24 * (shape->vertex_count + 1)),
    };
    uint32_t *local = malloc(4 * (shape->vertex_count + 1));
    memset(local, 0xff, 4 * (shape->vertex_count + 1));
    // Backwards, so that neither vertices nor elements are in order.
    for (size_t e = count; e-- > 0;) {
        if (owner_of(decomposition, b, e, count) != rank)
            continue;
        for (size_t k = 0; k < corners; k++) {
            uint32_t v = from[corners * e + k];
            if (local[v] == UINT32_MAX) {
                local[v] = (uint32_t)p.vertex_count;
                p.vertex_numbers[p.vertex_count++] = v;
            }
            p.elements[corners * p.count + k] = local[v];
        }
        p.numbers[p.count++] = e;
    }
    for (size_t v = 0; count == 0 && v < shape->vertex_count; v++)
        if (owner_of(decomposition, b, v, shape->vertex_count) == rank)
            p.vertex_numbers[p.vertex_count++] = v;
    free(local);
    return p;
}

static snag_positions piece_positions(const scene *s, uint32_t b, piece *p)
{
    for (size_t v = 0; v < p->vertex_count; v++)
        memcpy(p->x + 3 * v, s->x[b] + 3 * p->vertex_numbers[v], 24);
    return snag_positions_f64(p->x, p->vertex_count);
}

static void free_piece(piece *p)
{
    free(p->vertex_numbers);
    free(p->numbers);
    free(p->elements);
    free(p->x);
}

// ---- the one world ----

static snag_world *one_world(const scene *s, snag_body_id *ids)
{
    snag_world_def def = snag_default_world_def();
    snag_world *world = NULL;
    def.threads = 1;
    snag_world_create(&def, &world);
    for (uint32_t b = 0; b < s->count; b++) {
        const snag_shape *shape = &s->shapes[b];
        snag_body_def body = snag_default_body_def();
        body.positions = snag_positions_f64(s->x[b], shape->vertex_count);
        if (shape->tet_count) {
            body.tets = shape->tets;
            body.tet_count = shape->tet_count;
        } else {
            body.triangles = shape->triangles;
            body.triangle_count = shape->triangle_count;
        }
        if (snag_world_add(world, &body, &ids[b]) != SNAG_OK)
            fail("one world: %s", snag_world_message(world));
    }
    return world;
}

static snag_mpi_element element_of(const snag_element *e)
{
    snag_mpi_element made;
    memset(&made, 0, sizeof made);
    made.kind = e->kind;
    made.number = e->kind == SNAG_EDGE ? e->vertex[0] : e->index;
    made.other = e->kind == SNAG_EDGE ? e->vertex[1] : 0;
    return made;
}

static snag_mpi_contact contact_of(const snag_contact *c)
{
    snag_mpi_contact made;
    memset(&made, 0, sizeof made);
    made.body_a = c->body_a.index - 1;
    made.body_b = c->body_b.index - 1;
    made.a = element_of(&c->a);
    made.b = element_of(&c->b);
    made.kind = c->kind;
    made.shared = c->shared;
    made.value = c->value;
    made.t = c->t;
    memcpy(made.point_a, c->point_a, sizeof made.point_a);
    memcpy(made.point_b, c->point_b, sizeof made.point_b);
    memcpy(made.normal, c->normal, sizeof made.normal);
    memcpy(made.weight, c->weight, sizeof made.weight);
    return made;
}

static snag_mpi_pair pair_of(snag_world *world, const snag_body_id *ids, const snag_pair *p)
{
    snag_mpi_pair made;
    memset(&made, 0, sizeof made);
    made.body_a = p->body_a - 1;
    made.body_b = p->body_b - 1;
    const uint8_t kinds[2] = {p->kind_a, p->kind_b};
    const uint32_t elements[2] = {p->a, p->b}, bodies[2] = {made.body_a, made.body_b};
    snag_mpi_element *to[2] = {&made.a, &made.b};
    for (int i = 0; i < 2; i++) {
        snag_body_info info;
        snag_world_body(world, ids[bodies[i]], &info);
        snag_element e = {.kind = (snag_element_kind)kinds[i], .index = elements[i]};
        if (e.kind == SNAG_EDGE)
            memcpy(e.vertex, info.edges + 2 * (size_t)e.index, sizeof e.vertex);
        *to[i] = element_of(&e);
    }
    made.kind = p->kind;
    made.shared = p->shared;
    made.value = p->value;
    return made;
}

// ---- comparing ----

typedef struct run {
    scene scene;
    int decomposition, step;
    snag_mpi *mpi;
    snag_world *world;  // on rank 0
    snag_body_id ids[BODIES];
    piece pieces[BODIES];
} run;

static void differ(const run *r, const snag_question_def *q, const char *what, size_t i, size_t got, size_t expected)
{
    fail("%s, %s, step %d, %s output %d%s: %s differ at %zu (%zu, one world has %zu)", r->scene.name,
         decomposition_names[r->decomposition], r->step, snag_question_name(q->question), (int)q->output,
         q->every_pair ? " every pair" : "", what, i, got, expected);
}

static void compare_contacts(const run *r, const snag_question_def *q, const snag_mpi_contact *got, size_t count,
                             const snag_answer *one)
{
    size_t i = 0;
    for (; i < count && i < one->count; i++) {
        snag_mpi_contact mine = got[i], expected = contact_of(&one->contacts[i]);
        mine.a.rank = mine.b.rank = 0;
        if (memcmp(&mine, &expected, sizeof mine) != 0)
            break;
    }
    if (i < count || i < one->count)
        differ(r, q, "contacts", i, count, one->count);
    compared += count;
}

static void compare_pairs(const run *r, const snag_question_def *q, const snag_mpi_pair *got, size_t count, const snag_answer *one)
{
    size_t i = 0;
    for (; i < count && i < one->count; i++) {
        snag_mpi_pair mine = got[i], expected = pair_of(r->world, r->ids, &one->pairs[i]);
        mine.a.rank = mine.b.rank = 0;
        if (memcmp(&mine, &expected, sizeof mine) != 0)
            break;
    }
    if (i < count || i < one->count)
        differ(r, q, "pairs", i, count, one->count);
    compared += count;
}

static void compare_rest(const run *r, const snag_question_def *q, const snag_mpi_answer *got, const snag_answer *one)
{
    if (got->total != one->count)
        differ(r, q, "counts", 0, got->total, one->count);
    if (got->degenerate != one->degenerate)
        differ(r, q, "degenerate elements", 0, got->degenerate, one->degenerate);
    if (q->question != SNAG_IMPACTS)
        return;
    if (got->earliest != one->earliest)
        differ(r, q, "earliest times", 0, 0, 0);
    if (one->count > 0) {
        snag_mpi_pair mine = got->culprit, expected = pair_of(r->world, r->ids, &one->culprit);
        mine.a.rank = mine.b.rank = 0;
        if (memcmp(&mine, &expected, sizeof mine) != 0)
            differ(r, q, "culprits", 0, 0, 0);
    }
}

// The lists of all ranks, one after the other, on rank 0.
static snag_mpi_contact *gather(const snag_mpi_answer *answer, size_t *count)
{
    int mine = (int)(answer->count * sizeof(snag_mpi_contact)), *counts = calloc((size_t)size, sizeof *counts);
    int *first = calloc((size_t)size + 1, sizeof *first);
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        first[i + 1] = first[i] + counts[i];
    snag_mpi_contact *all = malloc((size_t)first[size] + 1);
    MPI_Gatherv(answer->contacts, mine, MPI_BYTE, all, counts, first, MPI_BYTE, 0, MPI_COMM_WORLD);
    *count = (size_t)first[size] / sizeof *all;
    free(counts);
    free(first);
    return all;
}

static void check_owners(const run *r, const snag_question_def *q, const snag_mpi_answer *answer, const snag_mpi_contact *all,
                         size_t count)
{
    unsigned long long mine = answer->count, sum = 0, expected = 0;
    for (size_t i = 0; i < answer->count; i++)
        if (answer->contacts[i].a.rank != rank && answer->contacts[i].b.rank != rank)
            differ(r, q, "owners", i, 0, 0);
    MPI_Reduce(&mine, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    for (size_t i = 0; rank == 0 && i < count; i++)
        expected += all[i].a.rank != all[i].b.rank ? 2 : 1;
    if (rank == 0 && sum != expected)
        differ(r, q, "copies at owners", 0, sum, expected);
}

static const snag_mpi_answer *ask(const run *r, snag_question_def q, snag_mpi_results results)
{
    snag_mpi_question_def def = snag_default_mpi_question_def(q.question);
    const snag_mpi_answer *answer = NULL;
    def.question = q;
    def.results = results;
    if (snag_mpi_ask(r->mpi, &def, &answer) != SNAG_OK) {
        fail("%s: %s: %s", r->scene.name, snag_question_name(q.question), snag_mpi_message(r->mpi));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return answer;
}

static void compare_question(run *r, snag_question_def q, bool thorough)
{
    const snag_answer *one = NULL;
    if (rank == 0 && snag_world_ask(r->world, &q, &one) != SNAG_OK)
        fail("one world: %s", snag_world_message(r->world));
    const snag_mpi_answer *answer = ask(r, q, SNAG_MPI_AT_ROOT);
    if (rank == 0) {
        if (q.output == SNAG_OUTPUT_CONTACTS)
            compare_contacts(r, &q, answer->contacts, answer->count, one);
        if (q.output == SNAG_OUTPUT_PAIRS)
            compare_pairs(r, &q, answer->pairs, answer->count, one);
        compare_rest(r, &q, answer, one);
    }
    if (!thorough || q.output != SNAG_OUTPUT_CONTACTS || r->step > 0)
        return;
    size_t count;
    snag_mpi_contact *all = gather(ask(r, q, SNAG_MPI_SORTED), &count);
    if (rank == 0)
        compare_contacts(r, &q, all, count, one);
    check_owners(r, &q, ask(r, q, SNAG_MPI_AT_OWNERS), all, count);
    free(all);
}

static void compare_all(run *r, bool thorough)
{
    for (int question = 0; question <= SNAG_DISTANCE; question++)
        for (int output = 0; output < SNAG_OUTPUT_FORM_COUNT; output++) {
            snag_question_def q = snag_default_question_def((snag_question)question);
            q.output = (snag_output)output;
            if ((output == SNAG_OUTPUT_EARLIEST && question != SNAG_IMPACTS) || (!thorough && output != (r->step % 3)))
                continue;
            if (question == SNAG_PROXIMITIES)
                q.distance = r->scene.distance;
            if (question == SNAG_IMPACTS && r->step % 2)
                q.separation = 0.2 * r->scene.distance;
            compare_question(r, q, thorough);
            q.every_pair = question == SNAG_PROXIMITIES;
            q.closest = question == SNAG_DISTANCE ? 2 : 0;
            if (q.every_pair || q.closest)
                compare_question(r, q, thorough);
        }
}

static void begin(run *r, int which, int decomposition)
{
    memset(r, 0, sizeof *r);
    make_scene(which, &r->scene);
    r->decomposition = decomposition;
    pose(&r->scene, 0);
    if (rank == 0)
        r->world = one_world(&r->scene, r->ids);
    snag_mpi_def def = snag_default_mpi_def();
    def.recut_every = decomposition == RANDOM ? 3 : 0;
    def.threads = decomposition == BLOCKS ? 2 : 1;
    if (snag_mpi_create(&def, &r->mpi) != SNAG_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (uint32_t b = 0; b < r->scene.count; b++) {
        const snag_shape *shape = &r->scene.shapes[b];
        piece *p = &r->pieces[b];
        *p = cut_piece(&r->scene, b, decomposition);
        snag_mpi_body_def body = snag_default_mpi_body_def();
        uint32_t index;
        body.positions = piece_positions(&r->scene, b, p);
        body.vertex_numbers = p->vertex_numbers;
        if (shape->tet_count) {
            body.tets = p->elements;
            body.tet_numbers = p->numbers;
            body.tet_count = p->count;
            body.tet_total = shape->tet_count;
        } else {
            body.triangles = p->elements;
            body.triangle_numbers = p->numbers;
            body.triangle_count = p->count;
            body.triangle_total = shape->triangle_count;
        }
        if (snag_mpi_add(r->mpi, &body, &index) != SNAG_OK || index != b) {
            fail("%s: add: %s", r->scene.name, snag_mpi_message(r->mpi));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void step(run *r)
{
    pose(&r->scene, ++r->step);
    if (rank == 0)
        snag_world_begin_step(r->world);
    snag_mpi_begin_step(r->mpi);
    for (uint32_t b = 0; b < r->scene.count; b++) {
        if (b == 2 && r->step % 4 == 0)
            continue;  // rests
        if (rank == 0)
            snag_world_move(r->world, r->ids[b], snag_positions_f64(r->scene.x[b], r->scene.shapes[b].vertex_count));
        if (snag_mpi_move(r->mpi, b, piece_positions(&r->scene, b, &r->pieces[b])) != SNAG_OK)
            fail("%s: move: %s", r->scene.name, snag_mpi_message(r->mpi));
    }
}

static void end(run *r)
{
    snag_mpi_destroy(r->mpi);
    snag_world_destroy(r->world);
    for (uint32_t b = 0; b < r->scene.count; b++)
        free_piece(&r->pieces[b]);
    free_scene(&r->scene);
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int steps = 6;
    const char *only = NULL;
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--steps") == 0 && i + 1 < count)
            steps = atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--scene") == 0 && i + 1 < count)
            only = arguments[++i];
    }
    int scenes_run = 0;
    for (size_t which = 0; which < sizeof scenes / sizeof *scenes; which++) {
        uint64_t cuts = 0;
        if (only && strcmp(only, scenes[which].name) != 0)
            continue;
        scenes_run++;
        for (int decomposition = 0; decomposition < DECOMPOSITIONS; decomposition++) {
            run r;
            begin(&r, (int)which, decomposition);
            compare_all(&r, true);
            for (int i = 0; i < steps; i++) {
                step(&r);
                compare_all(&r, i == steps - 1);
            }
            snag_question_def q = snag_default_question_def(SNAG_INTERSECTIONS);
            cuts += ask(&r, q, SNAG_MPI_AT_ROOT)->statistics.cuts;
            end(&r);
        }
        if (rank == 0)
            printf("%d ranks, %s: %zu contacts compared, %llu cuts\n", size, scenes[which].name, compared,
                   (unsigned long long)cuts);
    }
    if (scenes_run == 0)
        fail("there is no scene \"%s\"", only);
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all ? 1 : 0;
}
