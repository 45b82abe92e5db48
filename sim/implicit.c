// Backward Euler, linearised once a step, solved by conjugate gradients with constraints filtered out.
// Baraff, Witkin: Large Steps in Cloth Simulation, SIGGRAPH 1998 (the filtered solver);
// Ascher, Boxerman: On the modified conjugate gradient method in cloth simulation, 2003 (its starting point).
// Differs: constraint impulses of the solve decide which points stay on an obstacle, and whether friction holds them. All work is
// cut into ranges of points that may run side by side; sums are taken range by range, so that they do not depend on who ran them.
#include "implicit.h"

#include <string.h>

// Points per range. A matrix product over a range of cloth takes some 10 microseconds, many times the scheduling cost.
#define RANGE 1024u

bool snag__implicit_reserve(snag__implicit *system, uint32_t count, snag__sim_memory *memory)
{
    const struct {
        void *array;
        size_t size;
    } arrays[] = {
        {&system->x, sizeof *system->x},
        {&system->v, sizeof *system->v},
        {&system->mass, sizeof *system->mass},
        {&system->clearance, sizeof *system->clearance},
        {&system->hold, sizeof *system->hold},
        {&system->holder, sizeof *system->holder},
        {&system->force, sizeof *system->force},
        {&system->diagonal, sizeof *system->diagonal},
        {&system->step_mass, sizeof *system->step_mass},
        {&system->inverse, sizeof *system->inverse},
        {&system->normal, sizeof *system->normal},
        {&system->change, sizeof *system->change},
        {&system->rhs, sizeof *system->rhs},
        {&system->residual, sizeof *system->residual},
        {&system->search, sizeof *system->search},
        {&system->product, sizeof *system->product},
        {&system->scaled, sizeof *system->scaled},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!snag__sim_grow(memory, arrays[i].array, system->count, count, arrays[i].size))
            return false;
    return snag__sim_grow(memory, &system->sums, 0, count / RANGE + 1, sizeof *system->sums);
}

bool snag__implicit_create(snag__implicit *system, uint32_t count, snag__sim_memory *memory)
{
    bool made = snag__implicit_reserve(system, count, memory);
    system->count = count;
    return made;
}

// ---- ranges ----

typedef struct range {
    uint32_t from, to;
} range;

// Data shared by the ranges of one pass over the points.
typedef struct pass {
    snag__implicit *system;
    double h;
    float factor;
    double (*task)(snag__implicit *system, const struct pass *p, range r);  // its results are summed
} pass;

static range range_of(uint32_t index, uint32_t count)
{
    uint32_t from = index * RANGE;
    return (range){from, count - from < RANGE ? count : from + RANGE};
}

static void run(const snag_tasks *tasks, uint32_t count, void (*task)(void *context, uint32_t index), void *context)
{
    uint32_t ranges = count / RANGE + (count % RANGE > 0);
    if (tasks->run != NULL && ranges > 1)
        tasks->run(tasks->context, ranges, task, context);
    else
        for (uint32_t i = 0; i < ranges; i++)
            task(context, i);
}

static void run_range(void *context, uint32_t index)
{
    const pass *p = context;
    p->system->sums[index] = p->task(p->system, p, range_of(index, p->system->count));
}

// Runs a pass over all points. Returns the sum of the ranges' results.
static double run_points(pass *p, double (*task)(snag__implicit *system, const pass *p, range r))
{
    double sum = 0;
    p->task = task;
    run(&p->system->tasks, p->system->count, run_range, p);
    for (uint32_t i = 0; i * RANGE < p->system->count; i++)
        sum += p->system->sums[i];
    return sum;
}

// ---- the linear system (M + h D + h^2 K) change = rhs ----

static void multiply(const snag__implicit *system, const snag__f4 *x, range r, snag__f4 *y)
{
    for (uint32_t i = r.from; i < r.to; i++)
        y[i] = system->step_mass[i] * x[i];
    system->model.multiply(system->model.self, x, r.from, r.to, y);
}

// The columns of the inverse of a symmetric positive definite matrix (xx, yy, zz, xy, xz, yz).
static void invert(const double a[6], snag__f4 column[3])
{
    double c00 = a[1] * a[2] - a[5] * a[5], c01 = a[4] * a[5] - a[3] * a[2], c02 = a[3] * a[5] - a[4] * a[1];
    double c11 = a[0] * a[2] - a[4] * a[4], c12 = a[3] * a[4] - a[0] * a[5], c22 = a[0] * a[1] - a[3] * a[3];
    double s = 1 / (a[0] * c00 + a[3] * c01 + a[4] * c02);
    column[0] = snag__f4_from((double[3]){s * c00, s * c01, s * c02});
    column[1] = snag__f4_from((double[3]){s * c01, s * c11, s * c12});
    column[2] = snag__f4_from((double[3]){s * c02, s * c12, s * c22});
}

static void prepare_range(void *context, uint32_t index)
{
    const snag__implicit *system = context;
    const snag__model *model = &system->model;
    range r = range_of(index, model->element_count);
    model->prepare(model->self, (const double(*)[3])system->x, r.from, r.to);
}

// rhs = h (f + M g - drag M v) - (h D + h^2 K) v
static void write_equation(snag__implicit *system, uint32_t i, double h)
{
    double m = system->mass[i], impulse[3], block[6];
    for (int k = 0; k < 3; k++)
        impulse[k] = h * (system->force[i][k] - system->drag * m * system->v[i][k]);
    impulse[2] -= h * m * system->gravity;
    if (system->support != NULL)
        snag__add_scaled3(impulse, h, system->support[i]);
    system->rhs[i] = snag__f4_from(impulse) - system->product[i];
    system->step_mass[i] = (float)(m * (1 + h * system->drag));
    for (int k = 0; k < 6; k++)
        block[k] = (double)system->diagonal[i][k] + (k < 3 ? (double)system->step_mass[i] : 0);
    invert(block, system->inverse[i]);
}

static double linearise_range(snag__implicit *system, const pass *p, range r)
{
    (void)p;
    memset(system->force + r.from, 0, (r.to - r.from) * sizeof *system->force);
    memset(system->diagonal + r.from, 0, (r.to - r.from) * sizeof *system->diagonal);
    system->model.linearise(system->model.self, (const double(*)[3])system->x, r.from, r.to, system->force, system->diagonal);
    return 0;
}

// `search` comes in with the velocities.
static double equation_range(snag__implicit *system, const pass *p, range r)
{
    memset(system->product + r.from, 0, (r.to - r.from) * sizeof *system->product);
    system->model.multiply(system->model.self, system->search, r.from, r.to, system->product);
    for (uint32_t i = r.from; i < r.to; i++)
        write_equation(system, i, p->h);
    return 0;
}

static void linearise(pass *p)
{
    const snag__model *model = &p->system->model;
    if (model->begin != NULL)
        model->begin(model->self, p->h);
    if (model->prepare != NULL)
        run(&p->system->tasks, model->element_count, prepare_range, p->system);
    run_points(p, linearise_range);
    run_points(p, equation_range);
}

// ---- constraints ----

// A constraint that holds or may hold a point.
typedef struct contact {
    uint8_t holder;
    double clearance;
    double gap;  // less the clearance
    double normal[3], velocity[3];
} contact;

// The obstacle or plane nearest to point i; false if there are none.
static bool nearest_contact(const snag__implicit *system, uint32_t i, contact *nearest)
{
    nearest->gap = HUGE_VAL;
    for (uint32_t o = 0; o < system->obstacle_count; o++) {
        contact c = {.holder = (uint8_t)o, .clearance = system->clearance[i]};
        c.gap = snag__obstacle_distance(&system->obstacles[o], system->x[i], c.normal) - system->clearance[i];
        if (c.gap < nearest->gap)
            *nearest = c;
    }
    const snag__plane *plane = system->planes != NULL && system->planes[i].set ? &system->planes[i] : NULL;
    if (plane != NULL) {
        contact c = {.holder = SNAG__PLANE, .clearance = plane->clearance};
        double from_place[3];
        snag__subtract3(system->x[i], plane->place, from_place);
        memcpy(c.normal, plane->normal, sizeof c.normal);
        memcpy(c.velocity, plane->velocity, sizeof c.velocity);
        c.gap = snag__dot3(from_place, plane->normal) - plane->clearance;
        if (c.gap < nearest->gap)
            *nearest = c;
    }
    return nearest->gap < HUGE_VAL;
}

static void hold_pins(snag__implicit *system, double h)
{
    for (uint32_t p = 0; p < system->pin_count; p++) {
        const snag__pin *pin = &system->pins[p];
        uint32_t i = pin->point;
        double wanted[3];
        for (int k = 0; k < 3; k++)
            wanted[k] = (pin->target[k] - system->x[i][k]) / h - system->v[i][k];
        system->hold[i] = SNAG__PINNED;
        system->change[i] = snag__f4_from(wanted);
    }
}

// A point is constrained from the step in which it would enter an obstacle until the obstacle would have to pull it.
static void hold_contact(snag__implicit *system, uint32_t i, double h)
{
    contact c = {0};
    double relative[3];
    system->change[i] = (snag__f4){0};
    bool near_any = nearest_contact(system, i, &c);
    snag__subtract3(system->v[i], c.velocity, relative);
    bool enters = near_any && c.gap + h * snag__dot3(c.normal, relative) < 0;
    bool stays = near_any && system->hold[i] != SNAG__FREE && c.holder == system->holder[i] && c.gap <= 0.5 * c.clearance + 1e-6;
    if (!enters && !stays) {
        system->hold[i] = SNAG__FREE;
        return;
    }
    if (!stays)
        system->hold[i] = SNAG__SLIDING;
    system->holder[i] = c.holder;
    system->normal[i] = snag__f4_from(c.normal);

    // It may come as close as its clearance. A point already closer is moved out after the step, by position only: a velocity
    // correction would throw it off.
    double along = -fmax(c.gap, 0) / h, wanted[3] = {0};
    snag__add_scaled3(wanted, along - snag__dot3(c.normal, relative), c.normal);
    if (system->hold[i] == SNAG__STICKING)
        for (int k = 0; k < 3; k++)
            wanted[k] = along * c.normal[k] - relative[k];
    system->change[i] = snag__f4_from(wanted);
}

// Also passes the velocities to the solver.
static double hold_range(snag__implicit *system, const pass *p, range r)
{
    for (uint32_t i = r.from; i < r.to; i++) {
        system->search[i] = snag__f4_from(system->v[i]);
        if (system->hold[i] != SNAG__PINNED)
            hold_contact(system, i, p->h);
    }
    return 0;
}

static void find_holds(pass *p)
{
    hold_pins(p->system, p->h);
    run_points(p, hold_range);
}

// Filter: removes the components of a point's change that its constraint forbids.
static snag__f4 filtered(const snag__implicit *system, uint32_t i, snag__f4 x)
{
    if (system->hold[i] == SNAG__FREE)
        return x;
    if (system->hold[i] == SNAG__SLIDING)
        return x - snag__f4_dot(x, system->normal[i]) * system->normal[i];
    return (snag__f4){0};
}

// ---- conjugate gradients ----

// Sums floats in short blocks and the blocks in double: exact enough, and the compiler keeps the block in registers.
static double dot(const snag__f4 *a, const snag__f4 *b, range r)
{
    double sum = 0;
    for (uint32_t from = r.from; from < r.to; from += 32) {
        uint32_t to = r.to - from < 32 ? r.to : from + 32;
        snag__f4 block = {0};
        for (uint32_t i = from; i < to; i++)
            block += a[i] * b[i];
        sum += ((double)block[0] + (double)block[1]) + (double)block[2];
    }
    return sum;
}

static snag__f4 preconditioned(const snag__implicit *system, uint32_t i, snag__f4 r)
{
    const snag__f4 *column = system->inverse[i];
    return filtered(system, i, r[0] * column[0] + r[1] * column[1] + r[2] * column[2]);
}

// The residual of a zero solution; the solver's tolerance is relative to it.
static double measure_range(snag__implicit *system, const pass *p, range r)
{
    (void)p;
    for (uint32_t i = r.from; i < r.to; i++) {
        system->residual[i] = filtered(system, i, system->rhs[i]);
        system->scaled[i] = preconditioned(system, i, system->residual[i]);
    }
    return dot(system->residual, system->scaled, r);
}

static double start_range(snag__implicit *system, const pass *p, range r)
{
    (void)p;
    multiply(system, system->change, r, system->product);
    for (uint32_t i = r.from; i < r.to; i++) {
        system->residual[i] = filtered(system, i, system->rhs[i] - system->product[i]);
        system->scaled[i] = system->search[i] = preconditioned(system, i, system->residual[i]);
    }
    return dot(system->residual, system->scaled, r);
}

static double multiply_range(snag__implicit *system, const pass *p, range r)
{
    (void)p;
    multiply(system, system->search, r, system->product);
    for (uint32_t i = r.from; i < r.to; i++)
        system->product[i] = filtered(system, i, system->product[i]);
    return dot(system->search, system->product, r);
}

static double advance_range(snag__implicit *system, const pass *p, range r)
{
    for (uint32_t i = r.from; i < r.to; i++) {
        system->change[i] += p->factor * system->search[i];
        system->residual[i] -= p->factor * system->product[i];
        system->scaled[i] = preconditioned(system, i, system->residual[i]);
    }
    return dot(system->residual, system->scaled, r);
}

static double turn_range(snag__implicit *system, const pass *p, range r)
{
    for (uint32_t i = r.from; i < r.to; i++)
        system->search[i] = system->scaled[i] + p->factor * system->search[i];
    return 0;
}

// `change` starts with the values demanded by constraints, zero elsewhere. False if the system is not finite.
static bool solve(pass *p)
{
    snag__implicit *system = p->system;
    double goal = system->tolerance * system->tolerance * run_points(p, measure_range);
    double delta = run_points(p, start_range);

    uint32_t iteration = 0;
    for (; iteration < system->max_iterations && delta > goal; iteration++) {
        double curvature = run_points(p, multiply_range);
        if (!(curvature > 0))
            break;
        p->factor = (float)(delta / curvature);
        double before = delta;
        delta = run_points(p, advance_range);
        p->factor = (float)(delta / before);
        run_points(p, turn_range);
    }
    system->iterations = iteration;
    return isfinite(delta);
}

// ---- applying the solution ----

// The obstacle's impulse decides: a pulling one releases the point, one inside Coulomb's cone makes it stick.
static void apply_friction(snag__implicit *system, uint32_t i, snag__f4 impulse)
{
    static const double still[3];
    snag__f4 normal = system->normal[i];
    bool plane = system->holder[i] == SNAG__PLANE;
    double friction = plane ? system->planes[i].friction : system->obstacles[system->holder[i]].friction;
    const double *carried = plane ? system->planes[i].velocity : still;
    double push = (double)snag__f4_dot(impulse, normal), limit = friction * push;
    if (!(push > 0)) {
        system->hold[i] = SNAG__FREE;
        return;
    }
    double n[3] = {(double)normal[0], (double)normal[1], (double)normal[2]}, *v = system->v[i];
    if (system->hold[i] == SNAG__STICKING) {
        snag__f4 sideways = impulse - (float)push * normal;
        if ((double)snag__f4_dot(sideways, sideways) > limit * limit)
            system->hold[i] = SNAG__SLIDING;
        return;
    }
    double sideways[3];
    snag__subtract3(v, carried, sideways);
    snag__add_scaled3(sideways, -snag__dot3(sideways, n), n);
    double speed = snag__length3(sideways), slowing = limit / system->mass[i];
    if (speed <= slowing)
        system->hold[i] = SNAG__STICKING;
    snag__add_scaled3(v, speed <= slowing ? -1 : -slowing / speed, sideways);
}

// Moves a point that ended inside an obstacle back to its surface, removes its inward velocity, and constrains it from the next
// step on.
static void push_out(snag__implicit *system, uint32_t i)
{
    for (uint32_t o = 0; o < system->obstacle_count; o++) {
        double n[3];
        double gap = snag__obstacle_distance(&system->obstacles[o], system->x[i], n) - system->clearance[i];
        if (gap >= 0)
            continue;
        snag__add_scaled3(system->x[i], -gap, n);
        if (system->hold[i] == SNAG__FREE) {
            system->hold[i] = SNAG__SLIDING;
            system->holder[i] = (uint8_t)o;
        }
        double along = snag__dot3(system->v[i], n);
        if (along < 0)
            snag__add_scaled3(system->v[i], -along, n);
    }
}

void snag__implicit_push_out(snag__implicit *system)
{
    for (uint32_t i = 0; i < system->count; i++)
        if (system->hold[i] != SNAG__PINNED)
            push_out(system, i);
}

bool snag__implicit_is_sane(snag__implicit *system)
{
    for (uint32_t i = 0; i < system->count; i++) {
        double speed = snag__length3(system->v[i]), place = snag__length3(system->x[i]);
        if (!(speed < SNAG__SPEED_LIMIT) || !isfinite(place)) {
            system->exploded = i;
            return false;
        }
    }
    return true;
}

// Finds a point whose part of the linear system is not finite.
static void note_explosion(snag__implicit *system)
{
    system->exploded = 0;
    for (uint32_t i = 0; i < system->count; i++) {
        snag__f4 r = system->rhs[i];
        if (!isfinite(r[0] + r[1] + r[2])) {
            system->exploded = i;
            return;
        }
    }
}

static bool holds_any(const snag__implicit *system, range r)
{
    for (uint32_t i = r.from; i < r.to; i++)
        if (system->hold[i] == SNAG__SLIDING || system->hold[i] == SNAG__STICKING)
            return true;
    return false;
}

static double move_range(snag__implicit *system, const pass *p, range r)
{
    for (uint32_t i = r.from; i < r.to; i++)
        for (int k = 0; k < 3; k++)
            system->v[i][k] += (double)system->change[i][k];
    // The residual of a constrained point is the impulse of its constraint.
    if (holds_any(system, r)) {
        multiply(system, system->change, r, system->product);
        for (uint32_t i = r.from; i < r.to; i++)
            if (system->hold[i] == SNAG__SLIDING || system->hold[i] == SNAG__STICKING)
                apply_friction(system, i, system->product[i] - system->rhs[i]);
    }
    for (uint32_t i = r.from; i < r.to; i++)
        snag__add_scaled3(system->x[i], p->h, system->v[i]);
    return 0;
}

// In a step that is far too long, points may be slow but far away, so check the distance too.
static bool goes_near(snag__implicit *system, double h)
{
    for (uint32_t i = 0; i < system->count && system->furthest > 0; i++)
        if (!(h * snag__length3(system->v[i]) < system->furthest)) {
            system->exploded = i;
            return false;
        }
    return true;
}

bool snag__implicit_step(snag__implicit *system, double h)
{
    pass p = {.system = system, .h = h};
    find_holds(&p);
    linearise(&p);
    if (!solve(&p)) {
        note_explosion(system);
        return false;
    }
    run_points(&p, move_range);
    for (uint32_t i = 0; i < system->pin_count; i++)
        memcpy(system->x[system->pins[i].point], system->pins[i].target, sizeof system->pins[i].target);
    snag__implicit_push_out(system);
    return snag__implicit_is_sane(system) && goes_near(system, h);
}
