// Rigid impact zones.
// Provot: Collision and Self-Collision Handling in Cloth Model Dedicated to Design Garments, 1997; Bridson, Fedkiw, Anderson 2002.
// Differs: a zone with held vertices follows these; the rotation is applied as a rotation, not as a velocity.
#include "response/zones.h"

#include "base/roots.h"
#include "base/trig.h"
#include "response/vector.h"

#include <string.h>

// A zone rotates by at most this many radians in a step, well below 180 degrees.
#define MOST_ROTATION 1.0
// The inertia of points on a line is singular: this part of its trace is added to the diagonal.
#define INERTIA_FLOOR 1e-9

// The rigid motion of a zone, and the sums that it is computed from.
typedef struct fit {
    double mass;
    double centre[3], move[3];
    double momentum[3];
    double inertia[6];  // xx, yy, zz, xy, xz, yz
    double rotation[3];  // axis times angle
    bool held;  // some vertex is held: only those count
} fit;

void snag__zones_clear(snag__zones *zones)
{
    memset(zones->parent, 0xff, zones->vertex_count * sizeof *zones->parent);
    memset(zones->resting, 0, zones->vertex_count);
}

uint32_t snag__zones_root(snag__zones *zones, uint32_t vertex)
{
    SNAG__ASSERT(vertex < zones->vertex_count && zones->parent[vertex] != SNAG__NO_ZONE);
    return snag__root_of(zones->parent, vertex);
}

bool snag__zones_hold(snag__zones *zones, const snag__row *row)
{
    for (uint32_t i = 0; i < row->count; i++)
        if (zones->parent[row->vertex[i]] == SNAG__NO_ZONE ||
            snag__zones_root(zones, row->vertex[i]) != snag__zones_root(zones, row->vertex[0]))
            return false;
    return true;
}

bool snag__zones_merge(snag__zones *zones, const snag__row *row)
{
    bool changed = false;
    uint32_t root = SNAG__NO_ZONE;
    SNAG__ASSERT(row->count > 0 && row->count <= SNAG__ROW_VERTICES);
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t v = row->vertex[i];
        if (zones->parent[v] == SNAG__NO_ZONE) {
            zones->parent[v] = v;
            changed = true;
        }
        uint32_t other = snag__zones_root(zones, v);
        if (root == SNAG__NO_ZONE || root == other) {
            root = other;
            continue;
        }
        // The lower vertex is the root, so that the result does not depend on the order of merging.
        uint32_t low = root < other ? root : other, high = root < other ? other : root;
        zones->parent[high] = low;
        zones->resting[low] |= zones->resting[high];
        root = low;
        changed = true;
    }
    return changed;
}

size_t snag__zones_vertices(const snag__zones *zones)
{
    size_t count = 0;
    for (uint32_t v = 0; v < zones->vertex_count; v++)
        count += zones->parent[v] != SNAG__NO_ZONE;
    return count;
}

// ---- the rigid motion of each zone ----

// The weight of a vertex: its mass, or if some are held, 1 for these and 0 for the others.
static double weight_of(const fit *f, double inverse)
{
    if (f->held)
        return inverse == 0 ? 1 : 0;
    return 1 / inverse;
}

static void add_to_centre(fit *f, double mass, const double x[3], const double move[3])
{
    f->mass += mass;
    snag__add_scaled(f->centre, mass, x);
    snag__add_scaled(f->move, mass, move);
}

static void add_to_rotation(fit *f, double mass, const double x[3], const double move[3])
{
    double r[3], product[3];
    snag__subtract(x, f->centre, r);
    snag__cross(r, move, product);
    snag__add_scaled(f->momentum, mass, product);
    double squared = snag__dot(r, r);
    for (int k = 0; k < 3; k++)
        f->inertia[k] += mass * (squared - r[k] * r[k]);
    f->inertia[3] -= mass * r[0] * r[1];
    f->inertia[4] -= mass * r[0] * r[2];
    f->inertia[5] -= mass * r[1] * r[2];
}

// The rotation that has the angular momentum of the zone.
static void solve_rotation(fit *f)
{
    double trace = f->inertia[0] + f->inertia[1] + f->inertia[2];
    double floor = INERTIA_FLOOR * trace;
    double row[3][3] = {{f->inertia[0] + floor, f->inertia[3], f->inertia[4]},
                        {f->inertia[3], f->inertia[1] + floor, f->inertia[5]},
                        {f->inertia[4], f->inertia[5], f->inertia[2] + floor}};
    double cofactor[3][3];
    for (int k = 0; k < 3; k++)
        snag__cross(row[(k + 1) % 3], row[(k + 2) % 3], cofactor[k]);
    double determinant = snag__dot(row[0], cofactor[0]);
    memset(f->rotation, 0, sizeof f->rotation);
    if (!(determinant > 0))
        return;
    for (int k = 0; k < 3; k++)
        snag__add_scaled(f->rotation, f->momentum[k] / determinant, cofactor[k]);
    double angle = snag__length(f->rotation);
    if (!isfinite(angle))
        memset(f->rotation, 0, sizeof f->rotation);
    else if (angle > MOST_ROTATION)
        for (int k = 0; k < 3; k++)
            f->rotation[k] *= MOST_ROTATION / angle;
}

// The displacement of x by the rigid motion. Exactly zero for a zone that does not move.
static void rigid_move(const fit *f, const double x[3], double move[3])
{
    double r[3], once[3], twice[3], angle = snag__length(f->rotation);
    memcpy(move, f->move, sizeof f->move);
    if (angle == 0)
        return;
    snag__subtract(x, f->centre, r);
    snag__cross(f->rotation, r, once);
    snag__cross(f->rotation, once, twice);
    double half = snag__sin(angle / 2) / angle;
    snag__add_scaled(move, snag__sin(angle) / angle, once);
    snag__add_scaled(move, 2 * half * half, twice);
}

typedef struct pass {
    snag__zones *zones;
    const double (*start)[3];
    const double *inverse;
    double (*moves)[3];
    fit *fits;
} pass;

// The fit of the zone of a vertex; NULL if it is in none. Fits are indexed by the root.
static fit *fit_of(const pass *p, uint32_t v)
{
    return p->zones->parent[v] == SNAG__NO_ZONE ? NULL : &p->fits[snag__zones_root(p->zones, v)];
}

static void find_fits(const pass *p)
{
    uint32_t count = p->zones->vertex_count;
    for (uint32_t v = 0; v < count; v++) {
        fit *f = fit_of(p, v);
        if (f != NULL && p->inverse[v] == 0)
            f->held = true;
    }
    for (uint32_t v = 0; v < count; v++) {
        fit *f = fit_of(p, v);
        if (f != NULL)
            add_to_centre(f, weight_of(f, p->inverse[v]), p->start[v], p->moves[v]);
    }
    for (uint32_t v = 0; v < count; v++) {
        fit *f = &p->fits[v];
        if (f->mass > 0)
            for (int k = 0; k < 3; k++)
                f->centre[k] /= f->mass, f->move[k] /= f->mass;
    }
    for (uint32_t v = 0; v < count; v++) {
        fit *f = fit_of(p, v);
        if (f != NULL)
            add_to_rotation(f, weight_of(f, p->inverse[v]), p->start[v], p->moves[v]);
    }
    for (uint32_t v = 0; v < count; v++)
        if (p->fits[v].mass > 0)
            solve_rotation(&p->fits[v]);
}

bool snag__zones_move(snag__zones *zones, const double (*start)[3], const double *inverse, double (*moves)[3])
{
    if (!snag__buffer_reserve(zones->allocator, zones->fits, 0, zones->vertex_count + (size_t)1, sizeof(fit)))
        return false;
    pass p = {zones, start, inverse, moves, zones->fits->data};
    memset(p.fits, 0, zones->vertex_count * sizeof *p.fits);
    find_fits(&p);
    for (uint32_t v = 0; v < zones->vertex_count; v++) {
        const fit *f = fit_of(&p, v);
        if (f == NULL || inverse[v] == 0)
            continue;
        if (zones->resting[snag__zones_root(zones, v)])
            memset(moves[v], 0, sizeof moves[v]);
        else
            rigid_move(f, start[v], moves[v]);
    }
    return true;
}
