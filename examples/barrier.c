// A small complete solver for cloth with incremental potential contact: implicit Euler as a minimum of energies, found by Newton's method,
// with a barrier that keeps every pair of elements apart and a line search that never passes through one.
//
// Li et al.: Incremental Potential Contact, ACM Trans. Graph. 39 (2020). What the solver needs of snag:
//
//     snag_world_collect        once for each line search: all pairs that can matter on the way
//     snag_world_ask            earliest impact: how far the step may go; proximities: which pairs have a barrier
//     snag_world_derivatives    squared distances with gradients and Hessians, and the mollifier of parallel edges
//
// A sheet falls on a ball. The program prints a line for each tenth step, and checks at the end that nothing ever crossed.
//
// build: cc barrier.c -lsnag -lm
#include "snag/snag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 14, STEPS = 30, NEWTON = 12, CG = 200, LINE = 24 };

static const double DT = 0.02, DENSITY = 0.2, STIFFNESS = 400, GRAVITY = 9.81;
static const double NEAR = 0.02;  // the barrier acts below this distance (d hat)
static const double BARRIER = 0.02;  // its stiffness (kappa)

typedef struct solver {
    snag_world *world;
    snag_body_id cloth, ball;
    size_t n, spring_count;  // vertices, springs
    double *x, *v, *goal, *step, *gradient, *trial;  // 3 each
    double mass, (*springs)[3];  // two vertices and the rest length
    snag_candidates *set;
    const snag_answer *near;  // pairs with a barrier
    snag_derivative *pairs;
    double *hessians;
    size_t pair_count, pair_room;
    double *r, *p, *q;  // of conjugate gradients
} solver;

static void check(const solver *s, snag_status status)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "barrier: %s\n", snag_world_message(s->world));
    exit(1);
}

static void *room(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL)
        exit(1);
    return memory;
}

// ---- the barrier ----

// b(D) = (D - H)^2 (log D / H)^2 / H^2 of the squared distance D below H = NEAR^2: zero with two derivatives at H, infinite at 0. Returns
// the value, and writes its first two derivatives after D.
static double barrier(double squared, double *first, double *second)
{
    const double h = NEAR * NEAR, d = squared / h;
    *first = *second = 0;
    if (d >= 1)
        return 0;
    double l = log(d), m = d - 1;
    *first = BARRIER * (2 * m * l * l + 2 * m * m * l / d) / h;
    *second = BARRIER * (2 * l * l + 8 * m * l / d + 2 * m * m * (1 - l) / (d * d)) / (h * h);
    return BARRIER * m * m * l * l;
}

// All pairs that are near, with their derivatives at the present positions of the world.
static void find_pairs(solver *s, bool hessians)
{
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.output = SNAG_OUTPUT_PAIRS;
    ask.every_pair = true;
    ask.distance = NEAR;
    ask.candidates = s->set;  // no search, as long as the set holds
    check(s, snag_world_ask(s->world, &ask, &s->near));
    s->pair_count = s->near->count;
    if (s->pair_count > s->pair_room) {
        s->pair_room = 2 * s->pair_count;
        free(s->pairs);
        free(s->hessians);
        s->pairs = room(s->pair_room, sizeof *s->pairs);
        s->hessians = room(144 * s->pair_room, sizeof *s->hessians);
    }
    snag_derivatives_def def = snag_default_derivatives_def();
    def.pairs = s->near->pairs;
    def.count = s->pair_count;
    def.hessians = hessians ? s->hessians : NULL;
    def.mollifier = 1e-3;
    check(s, snag_world_derivatives(s->world, &def, s->pairs));
}

// ---- energies ----

static void move_cloth(solver *s, const double *x)
{
    check(s, snag_world_move(s->world, s->cloth, snag_positions_f64(x, s->n)));
}

static double spring_length(const double *x, const double *spring, double d[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = x[3 * (size_t)spring[0] + (size_t)k] - x[3 * (size_t)spring[1] + (size_t)k];
        sum += d[k] * d[k];
    }
    return sqrt(sum);
}

// The sum of all energies at x, which the world is moved to.
static double energy(solver *s, const double *x)
{
    double sum = 0, first, second, d[3];
    for (size_t i = 0; i < 3 * s->n; i++)
        sum += 0.5 * s->mass * (x[i] - s->goal[i]) * (x[i] - s->goal[i]);
    for (size_t i = 0; i < s->spring_count; i++) {
        double stretch = spring_length(x, s->springs[i], d) - s->springs[i][2];
        sum += DT * DT * 0.5 * STIFFNESS * stretch * stretch;
    }
    move_cloth(s, x);
    find_pairs(s, false);
    for (size_t i = 0; i < s->pair_count; i++)
        sum += DT * DT * s->pairs[i].mollifier * barrier(s->pairs[i].squared, &first, &second);
    return sum;
}

// The vertex of the cloth that point i of a pair is; SIZE_MAX for the ball.
static size_t cloth_vertex(const solver *s, const snag_derivative *pair, uint32_t i)
{
    return i < pair->point_count && pair->body[i] == s->cloth.index ? pair->vertex[i] : SIZE_MAX;
}

static void add_gradient(solver *s)
{
    double first, second, d[3];
    for (size_t i = 0; i < 3 * s->n; i++)
        s->gradient[i] = s->mass * (s->x[i] - s->goal[i]);
    for (size_t i = 0; i < s->spring_count; i++) {
        double length = spring_length(s->x, s->springs[i], d), force = DT * DT * STIFFNESS * (length - s->springs[i][2]) / length;
        for (size_t k = 0; k < 3; k++) {
            s->gradient[3 * (size_t)s->springs[i][0] + k] += force * d[k];
            s->gradient[3 * (size_t)s->springs[i][1] + k] -= force * d[k];
        }
    }
    // The mollifier changes slowly beside the barrier: it scales the force and is left out of the derivative.
    for (size_t i = 0; i < s->pair_count; i++) {
        const snag_derivative *pair = &s->pairs[i];
        barrier(pair->squared, &first, &second);
        for (uint32_t a = 0; a < 4; a++)
            for (size_t k = 0, v = cloth_vertex(s, pair, a); v != SIZE_MAX && k < 3; k++)
                s->gradient[3 * v + k] += DT * DT * pair->mollifier * first * pair->gradient[3 * a + k];
    }
}

// y = H x for the parts of the Hessian that are positive: masses, springs along their direction, and b'' g g^T of the barrier together with
// the part of b' Hess that pushes along the gradient.
static void multiply(const solver *s, const double *x, double *y)
{
    double first, second, d[3];
    for (size_t i = 0; i < 3 * s->n; i++)
        y[i] = s->mass * x[i];
    for (size_t i = 0; i < s->spring_count; i++) {
        size_t a = 3 * (size_t)s->springs[i][0], b = 3 * (size_t)s->springs[i][1];
        double length = spring_length(s->x, s->springs[i], d), along = 0;
        double across = fmax(0, 1 - s->springs[i][2] / length);
        for (size_t k = 0; k < 3; k++)
            along += d[k] * (x[a + k] - x[b + k]) / (length * length);
        for (size_t k = 0; k < 3; k++) {
            double difference = x[a + k] - x[b + k];
            double force = DT * DT * STIFFNESS * (along * d[k] + across * (difference - along * d[k]));
            y[a + k] += force;
            y[b + k] -= force;
        }
    }
    for (size_t i = 0; i < s->pair_count; i++) {
        const snag_derivative *pair = &s->pairs[i];
        const double *g = pair->gradient;
        double dot = 0, weight;
        barrier(pair->squared, &first, &second);
        // |g|^2 Hess is about 2 g g^T along the gradient: what b' takes away of b'' there.
        double square = 0;
        for (uint32_t a = 0; a < 12; a++)
            square += g[a] * g[a];
        double curvature = 0;
        for (uint32_t a = 0; a < 12; a++)
            for (uint32_t b = 0; b < 12; b++)
                curvature += g[a] * s->hessians[144 * i + 12 * a + b] * g[b];
        weight = square > 0 ? fmax(0, second + first * curvature / (square * square)) : 0;
        for (uint32_t a = 0; a < 4; a++)
            for (size_t k = 0, v = cloth_vertex(s, pair, a); v != SIZE_MAX && k < 3; k++)
                dot += g[3 * a + k] * x[3 * v + k];
        for (uint32_t a = 0; a < 4; a++)
            for (size_t k = 0, v = cloth_vertex(s, pair, a); v != SIZE_MAX && k < 3; k++)
                y[3 * v + k] += DT * DT * pair->mollifier * weight * dot * g[3 * a + k];
    }
}

// Solves H step = -gradient by conjugate gradients.
static void solve(solver *s)
{
    size_t n = 3 * s->n;
    double rr = 0, start;
    for (size_t i = 0; i < n; i++) {
        s->step[i] = 0;
        s->r[i] = s->p[i] = -s->gradient[i];
        rr += s->r[i] * s->r[i];
    }
    start = rr;
    for (int k = 0; k < CG && rr > 1e-8 * start && rr > 0; k++) {
        double pq = 0, next = 0;
        multiply(s, s->p, s->q);
        for (size_t i = 0; i < n; i++)
            pq += s->p[i] * s->q[i];
        for (size_t i = 0; i < n; i++) {
            s->step[i] += rr / pq * s->p[i];
            s->r[i] -= rr / pq * s->q[i];
            next += s->r[i] * s->r[i];
        }
        for (size_t i = 0; i < n; i++)
            s->p[i] = s->r[i] + next / rr * s->p[i];
        rr = next;
    }
}

// ---- a step ----

static void add_step(const solver *s, double part)
{
    for (size_t i = 0; i < 3 * s->n; i++)
        s->trial[i] = s->x[i] + part * s->step[i];
}

// The largest part of the step that is free of impacts, and from then on pairs that hold for the whole line search.
static double free_part(solver *s)
{
    snag_collect_def collect = snag_default_collect_def();
    collect.distance = NEAR;
    add_step(s, 1);
    check(s, snag_world_begin_step(s->world));  // t0 is where the cloth is
    move_cloth(s, s->trial);
    check(s, snag_world_collect(s->world, &collect, &s->set));
    snag_question_def ask = snag_default_question_def(SNAG_IMPACTS);
    const snag_answer *answer = NULL;
    ask.output = SNAG_OUTPUT_EARLIEST;
    ask.candidates = s->set;
    check(s, snag_world_ask(s->world, &ask, &answer));
    return answer->count > 0 ? 0.8 * answer->earliest : 1;
}

// One Newton iteration. Returns the largest coordinate of the move that was made.
static double iterate(solver *s)
{
    add_gradient(s);
    solve(s);
    double part = free_part(s), most = 0, before;
    before = energy(s, s->x);
    add_step(s, part);
    for (int i = 0; i < LINE && energy(s, s->trial) > before; i++)
        add_step(s, part *= 0.5);
    for (size_t i = 0; i < 3 * s->n; i++)
        most = fmax(most, fabs(s->trial[i] - s->x[i]));
    memcpy(s->x, s->trial, 3 * s->n * sizeof *s->x);
    move_cloth(s, s->x);
    find_pairs(s, true);
    return most;
}

static int make_step(solver *s)
{
    double *before = room(3 * s->n, sizeof *before);
    memcpy(before, s->x, 3 * s->n * sizeof *before);
    for (size_t i = 0; i < 3 * s->n; i++)
        s->goal[i] = s->x[i] + DT * s->v[i] - (i % 3 == 2 ? DT * DT * GRAVITY : 0);
    check(s, snag_world_begin_step(s->world));
    snag_candidates_destroy(s->set);
    s->set = NULL;
    find_pairs(s, true);
    int count = 0;
    while (count < NEWTON && iterate(s) > 1e-3 * DT)
        count++;
    for (size_t i = 0; i < 3 * s->n; i++)
        s->v[i] = (s->x[i] - before[i]) / DT;
    free(before);
    return count;
}

// ---- the scene ----

static void add_springs(solver *s, const snag_body_info *info)
{
    s->springs = room(info->edge_count, sizeof *s->springs);
    for (size_t e = 0; e < info->edge_count; e++) {
        double d[3], *spring = s->springs[s->spring_count++];
        spring[0] = info->edges[2 * e];
        spring[1] = info->edges[2 * e + 1];
        spring[2] = spring_length(s->x, spring, d);
    }
}

static void open_scene(solver *s)
{
    snag_world_def def = snag_default_world_def();
    snag_shape sheet, ball;
    snag_body_info info;
    if (snag_world_create(&def, &s->world) != SNAG_OK || snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet) != SNAG_OK ||
        snag_shape_icosphere(3, 0.3, &ball) != SNAG_OK)
        exit(1);
    snag_shape_transform(&sheet, 1, 0.05, 0.02, 0.33);
    snag_body_def body = snag_default_body_def();
    body.positions = snag_positions_f64(sheet.positions, sheet.vertex_count);
    body.triangles = sheet.triangles;
    body.triangle_count = sheet.triangle_count;
    check(s, snag_world_add(s->world, &body, &s->cloth));
    body.positions = snag_positions_f64(ball.positions, ball.vertex_count);
    body.triangles = ball.triangles;
    body.triangle_count = ball.triangle_count;
    check(s, snag_world_add(s->world, &body, &s->ball));
    s->n = sheet.vertex_count;
    s->mass = DENSITY / (double)s->n;
    double **arrays[] = {&s->x, &s->v, &s->goal, &s->step, &s->gradient, &s->trial, &s->r, &s->p, &s->q};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = room(3 * s->n, sizeof(double));
    memcpy(s->x, sheet.positions, 3 * s->n * sizeof *s->x);
    check(s, snag_world_body(s->world, s->cloth, &info));
    add_springs(s, &info);
    snag_shape_free(&sheet);
    snag_shape_free(&ball);
}

static size_t count_crossings(const solver *s)
{
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *answer = NULL;
    ask.output = SNAG_OUTPUT_COUNT;
    check(s, snag_world_ask(s->world, &ask, &answer));
    return answer->count;
}

static void close_scene(solver *s)
{
    double *arrays[] = {s->x, s->v, s->goal, s->step, s->gradient, s->trial, s->r, s->p, s->q, s->hessians};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free(s->springs);
    free(s->pairs);
    snag_candidates_destroy(s->set);
    snag_world_destroy(s->world);
}

int main(void)
{
    solver s = {0};
    size_t crossings = 0;
    double lowest = HUGE_VAL;
    open_scene(&s);
    for (int step = 1; step <= STEPS; step++) {
        int newton = make_step(&s);
        crossings += count_crossings(&s);
        for (size_t i = 0; i < s.pair_count; i++)
            lowest = fmin(lowest, s.pairs[i].squared);
        if (step % 10 == 0)
            printf("step %2d: %2d Newton iterations, %5zu pairs within %g, closest so far %.2g\n", step, newton, s.pair_count, NEAR,
                   sqrt(lowest));
    }
    printf("%zu crossings in %d steps\n", crossings, STEPS);
    close_scene(&s);
    return crossings > 0 || !(lowest > 0) || lowest >= NEAR * NEAR ? 1 : 0;
}
