// Rigid bodies as points that are matched to their shape after each step, so that everything that moves points moves them too.
// Mueller, Heidelberger, Teschner, Gross: Meshless deformations based on shape matching, SIGGRAPH 2005.
// Differs: velocities are matched too, by momentum, so that contacts at single vertices act correctly.
#include "rigid.h"

#include <string.h>

#include "rotation.h"

bool snag__rigid_create(snag__rigid *rigid, uint32_t first_point, uint32_t point_count, const double (*x)[3], const double *mass,
                        snag__sim_memory *memory)
{
    *rigid = (snag__rigid){.first_point = first_point, .point_count = point_count, .turn = {1, 0, 0, 0}};
    rigid->rest = snag__sim_new(memory, point_count, sizeof *rigid->rest);
    if (rigid->rest == NULL)
        return false;
    double total = 0;
    for (uint32_t i = first_point; i < first_point + point_count; i++) {
        snag__add_scaled3(rigid->centre, mass[i], x[i]);
        total += mass[i];
    }
    for (int k = 0; k < 3; k++)
        rigid->centre[k] /= total;
    for (uint32_t i = 0; i < point_count; i++)
        snag__subtract3(x[first_point + i], rigid->centre, rigid->rest[i]);
    return true;
}

// Solves a w = b for symmetric a (xx, yy, zz, xy, xz, yz); false if there is no unique solution.
static bool solve_symmetric(const double a[6], const double b[3], double w[3])
{
    double c0[3] = {a[0], a[3], a[4]}, c1[3] = {a[3], a[1], a[5]}, c2[3] = {a[4], a[5], a[2]}, n[3];
    snag__cross3(c1, c2, n);
    double determinant = snag__dot3(c0, n), size = a[0] + a[1] + a[2];
    if (!(fabs(determinant) > 1e-12 * size * size * size))
        return false;
    w[0] = snag__dot3(b, n) / determinant;
    snag__cross3(c2, c0, n);
    w[1] = snag__dot3(b, n) / determinant;
    snag__cross3(c0, c1, n);
    w[2] = snag__dot3(b, n) / determinant;
    return true;
}

// How a rigid body moves.
typedef struct motion {
    double mass;
    double centre[3], drift[3], spin[3];
    double inertia[6];  // xx, yy, zz, xy, xz, yz
} motion;

static void add_inertia(double inertia[6], double m, const double r[3])
{
    inertia[0] += m * (r[1] * r[1] + r[2] * r[2]);
    inertia[1] += m * (r[0] * r[0] + r[2] * r[2]);
    inertia[2] += m * (r[0] * r[0] + r[1] * r[1]);
    inertia[3] -= m * r[0] * r[1];
    inertia[4] -= m * r[0] * r[2];
    inertia[5] -= m * r[1] * r[2];
}

// Angular velocity from angular momentum; zero if it is not unique, as for a needle.
static void turn_by(const motion *m, const double momentum[3], double spin[3])
{
    if (!solve_symmetric(m->inertia, momentum, spin))
        memset(spin, 0, 3 * sizeof *spin);
}

static motion find_motion(const snag__rigid *rigid, const double (*x)[3], const double *mass, const double (*v)[3])
{
    uint32_t from = rigid->first_point, to = from + rigid->point_count;
    motion found = {0};
    double momentum[3] = {0};
    for (uint32_t i = from; i < to; i++) {
        found.mass += mass[i];
        snag__add_scaled3(found.centre, mass[i], x[i]);
        snag__add_scaled3(found.drift, mass[i], v[i]);
    }
    for (int k = 0; k < 3; k++) {
        found.centre[k] /= found.mass;
        found.drift[k] /= found.mass;
    }
    for (uint32_t i = from; i < to; i++) {
        double r[3], turn[3];
        snag__subtract3(x[i], found.centre, r);
        snag__cross3(r, v[i], turn);
        snag__add_scaled3(momentum, mass[i], turn);
        add_inertia(found.inertia, mass[i], r);
    }
    turn_by(&found, momentum, found.spin);
    return found;
}

static void velocity_at(const motion *m, const double r[3], double v[3])
{
    snag__cross3(m->spin, r, v);
    snag__add_scaled3(v, 1, m->drift);
}

static void write_velocities(const snag__rigid *rigid, const motion *m, const double (*x)[3], double (*v)[3])
{
    for (uint32_t i = rigid->first_point; i < rigid->first_point + rigid->point_count; i++) {
        double r[3];
        snag__subtract3(x[i], m->centre, r);
        velocity_at(m, r, v[i]);
    }
}

void snag__rigid_velocities(const snag__rigid *rigid, const double (*x)[3], const double *mass, double (*v)[3])
{
    motion m = find_motion(rigid, x, mass, (const double(*)[3])v);
    write_velocities(rigid, &m, x, v);
}

void snag__rigid_positions(snag__rigid *rigid, const double *mass, double (*x)[3])
{
    double(*points)[3] = x + rigid->first_point;
    mass += rigid->first_point;
    double total = 0, centre[3] = {0}, f[3][3] = {{0}}, rotation[3][3], spread = 0;
    for (uint32_t i = 0; i < rigid->point_count; i++) {
        total += mass[i];
        snag__add_scaled3(centre, mass[i], points[i]);
    }
    for (int k = 0; k < 3; k++)
        rigid->centre[k] = centre[k] / total;
    // Columns of the sum of m (x - centre) rest^T, which is near a rotation once divided by the spread.
    for (uint32_t i = 0; i < rigid->point_count; i++) {
        double from_centre[3];
        snag__subtract3(points[i], rigid->centre, from_centre);
        for (int k = 0; k < 3; k++)
            snag__add_scaled3(f[k], mass[i] * rigid->rest[i][k], from_centre);
        spread += mass[i] * snag__dot3(rigid->rest[i], rigid->rest[i]);
    }
    for (int k = 0; k < 3 && spread > 0; k++)
        for (int c = 0; c < 3; c++)
            f[k][c] /= spread;
    snag__follow_rotation(rigid->turn, (const double(*)[3])f, rotation);
    for (uint32_t i = 0; i < rigid->point_count; i++) {
        memcpy(points[i], rigid->centre, sizeof points[i]);
        for (int k = 0; k < 3; k++)
            snag__add_scaled3(points[i], rigid->rest[i][k], rotation[k]);
    }
}

// ---- obstacles ----

// Sweeps over the touching vertices: enough for a body on many vertices to come to rest.
#define SWEEPS 16

static void push(motion *m, const double r[3], double impulse, const double direction[3])
{
    double turn[3], spin[3], momentum[3] = {0};
    snag__add_scaled3(m->drift, impulse / m->mass, direction);
    snag__cross3(r, direction, turn);
    snag__add_scaled3(momentum, impulse, turn);
    turn_by(m, momentum, spin);
    snag__add_scaled3(m->spin, 1, spin);
}

// The speed that a unit impulse gives to a point of the body in its direction.
static double yielding(const motion *m, const double r[3], const double direction[3])
{
    double turn[3], spin[3], v[3];
    snag__cross3(r, direction, turn);
    turn_by(m, turn, spin);
    snag__cross3(spin, r, v);
    return 1 / m->mass + snag__dot3(v, direction);
}

// One vertex: stop its inward motion, with friction of at most the coefficient times the stopping impulse.
static void stop(motion *m, const double r[3], const double normal[3], double friction)
{
    double v[3], inward;
    velocity_at(m, r, v);
    inward = -snag__dot3(v, normal);
    if (!(inward > 0))
        return;
    double impulse = inward / yielding(m, r, normal), sideways[3];
    push(m, r, impulse, normal);
    velocity_at(m, r, sideways);
    snag__add_scaled3(sideways, -snag__dot3(sideways, normal), normal);
    double speed = snag__length3(sideways);
    if (!(speed > 0))
        return;
    for (int k = 0; k < 3; k++)
        sideways[k] /= -speed;
    push(m, r, fmin(speed / yielding(m, r, sideways), friction * impulse), sideways);
}

// The largest depth of the body in an obstacle, and the direction out.
static double deepest(const snag__rigid *rigid, const snag__obstacle *obstacle, const double (*x)[3], double out[3])
{
    double depth = 0, normal[3];
    for (uint32_t i = rigid->first_point; i < rigid->first_point + rigid->point_count; i++) {
        double distance = snag__obstacle_distance(obstacle, x[i], normal);
        if (-distance > depth) {
            depth = -distance;
            memcpy(out, normal, sizeof normal);
        }
    }
    return depth;
}

void snag__rigid_meet(snag__rigid *rigid, const snag__obstacle *obstacles, uint32_t obstacle_count, const double *mass,
                      double (*x)[3], double (*v)[3])
{
    uint32_t from = rigid->first_point, to = from + rigid->point_count;
    for (uint32_t o = 0; o < obstacle_count; o++) {
        double out[3] = {0}, depth = deepest(rigid, &obstacles[o], (const double(*)[3])x, out);
        if (!(depth > 0))
            continue;
        motion m = find_motion(rigid, (const double(*)[3])x, mass, (const double(*)[3])v);
        for (int sweep = 0; sweep < SWEEPS; sweep++)
            for (uint32_t i = from; i < to; i++) {
                double normal[3], r[3];
                snag__subtract3(x[i], m.centre, r);
                if (snag__obstacle_distance(&obstacles[o], x[i], normal) < 0)
                    stop(&m, r, normal, obstacles[o].friction);
            }
        write_velocities(rigid, &m, (const double(*)[3])x, v);
        for (uint32_t i = from; i < to; i++)
            snag__add_scaled3(x[i], depth, out);
        snag__add_scaled3(rigid->centre, depth, out);
    }
}
