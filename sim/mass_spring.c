// The mass-spring model that moves the bodies of Madera, Day and Laycock (2007). Differs: backward Euler, so that stiff
// springs need no short steps.
#include "mass_spring.h"

// ---- springs ----

static double distance(const double *a, const double *b)
{
    double d[3];
    snag__subtract3(a, b, d);
    return snag__length3(d);
}

static void add_spring(snag__mass_spring *body, const snag_shape *surface, uint32_t a, uint32_t b, double stiffness)
{
    if (a == b)
        return;
    double rest = distance(surface->positions + 3 * (size_t)a, surface->positions + 3 * (size_t)b);
    body->springs[body->spring_count++] = (snag__spring){a, b, (float)rest, (float)stiffness};
}

// Each half-edge of a closed surface has a partner in another triangle; the one of the lower triangle makes the springs of
// the edge. Triangles at a vertex are few, so that the partner is looked for among all that begin at its end.
typedef struct half_edges {
    uint32_t *start, *items;  // by vertex: half-edges 3 t + side that leave it
} half_edges;

static bool list_half_edges(const snag_shape *surface, half_edges *list, snag__sim_memory *memory)
{
    const size_t halves = 3 * surface->triangle_count;
    list->start = snag__sim_new(memory, surface->vertex_count + 2, sizeof *list->start);
    list->items = snag__sim_new(memory, halves + 1, sizeof *list->items);
    if (list->start == NULL || list->items == NULL)
        return false;
    for (size_t i = 0; i < halves; i++)
        list->start[surface->triangles[i] + 2]++;
    for (size_t v = 0; v < surface->vertex_count; v++)
        list->start[v + 2] += list->start[v + 1];
    for (size_t i = 0; i < halves; i++)
        list->items[list->start[surface->triangles[i] + 1]++] = (uint32_t)i;
    return true;
}

static uint32_t next_corner(const snag_shape *surface, uint32_t half, uint32_t by)
{
    return surface->triangles[half / 3 * 3 + (half % 3 + by) % 3];
}

// The half-edge the other way round; UINT32_MAX at a border.
static uint32_t partner_of(const snag_shape *surface, const half_edges *list, uint32_t half)
{
    uint32_t from = next_corner(surface, half, 0), to = next_corner(surface, half, 1);
    for (uint32_t k = list->start[to]; k < list->start[to + 1]; k++)
        if (next_corner(surface, list->items[k], 1) == from)
            return list->items[k];
    return UINT32_MAX;
}

static void add_springs(snag__mass_spring *body, const snag_shape *surface, const half_edges *list,
                        const snag__springs_def *def)
{
    for (uint32_t half = 0; half < 3 * surface->triangle_count; half++) {
        uint32_t partner = partner_of(surface, list, half);
        if (partner != UINT32_MAX && partner < half)
            continue;
        add_spring(body, surface, next_corner(surface, half, 0), next_corner(surface, half, 1), def->stiffness);
        if (partner != UINT32_MAX)
            add_spring(body, surface, next_corner(surface, half, 2), next_corner(surface, partner, 2),
                       def->stiffness * def->bend);
    }
    // Struts to vertices far away in the numbering, which in a surface made row by row lie across the body.
    const uint32_t count = (uint32_t)surface->vertex_count;
    for (uint32_t v = 0; v < count; v++)
        add_spring(body, surface, v, (v + count / 2) % count, def->stiffness * def->strut);
}

static void add_masses(const snag_shape *surface, double density, double *mass)
{
    for (size_t t = 0; t < surface->triangle_count; t++) {
        const uint32_t *v = surface->triangles + 3 * t;
        double u[3], w[3], n[3];
        snag__subtract3(surface->positions + 3 * (size_t)v[1], surface->positions + 3 * (size_t)v[0], u);
        snag__subtract3(surface->positions + 3 * (size_t)v[2], surface->positions + 3 * (size_t)v[0], w);
        snag__cross3(u, w, n);
        for (int i = 0; i < 3; i++)
            mass[v[i]] += density * snag__length3(n) / 6;
    }
}

bool snag__mass_spring_create(snag__mass_spring *body, const snag_shape *surface, const snag__springs_def *def, double *mass,
                              snag__sim_memory *memory)
{
    const size_t most = 6 * surface->triangle_count + surface->vertex_count;
    half_edges list;
    *body = (snag__mass_spring){.damping = def->damping};
    body->springs = snag__sim_new(memory, most, sizeof *body->springs);
    body->along = snag__sim_new(memory, most, sizeof *body->along);
    body->across = snag__sim_new(memory, most, sizeof *body->across);
    if (!list_half_edges(surface, &list, memory) || memory->failed)
        return false;
    add_springs(body, surface, &list, def);
    add_masses(surface, def->density, mass);
    return true;
}

// ---- the model ----

// A spring pulls along itself; where it is longer than at rest it also resists turning.
static void stretch(const snag__mass_spring *body, uint32_t s, const double *a, const double *b, double h, double *force_a,
                    double *force_b)
{
    const snag__spring *spring = &body->springs[s];
    double d[3];
    snag__subtract3(b, a, d);
    double length = snag__length3(d), rest = (double)spring->rest, k = (double)spring->stiffness;
    body->along[s] = (snag__f4){0};
    body->across[s] = 0;
    if (!(length > 0))
        return;
    double pull = k * (length - rest) / length, turn = fmax(1 - rest / length, 0), scale = h * h + h * body->damping;
    snag__add_scaled3(force_a, pull, d);
    snag__add_scaled3(force_b, -pull, d);
    double part = sqrt(scale * k * (1 - turn)) / length;
    body->across[s] = (float)(scale * k * turn);
    body->along[s] = (snag__f4){(float)(part * d[0]), (float)(part * d[1]), (float)(part * d[2]), 0};
}

static void linearise(void *self, const double (*x)[3], const double (*v)[3], double h, double (*force)[3],
                      float (*diagonal)[6])
{
    (void)v;
    snag__mass_spring *body = self;
    for (uint32_t s = 0; s < body->spring_count; s++) {
        const snag__spring *spring = &body->springs[s];
        stretch(body, s, x[spring->a], x[spring->b], h, force[spring->a], force[spring->b]);
        const snag__f4 g = body->along[s];
        const float block[6] = {g[0] * g[0] + body->across[s], g[1] * g[1] + body->across[s], g[2] * g[2] + body->across[s],
                                g[0] * g[1], g[0] * g[2], g[1] * g[2]};
        for (int k = 0; k < 6; k++) {
            diagonal[spring->a][k] += block[k];
            diagonal[spring->b][k] += block[k];
        }
    }
}

static void multiply(const void *self, const snag__f4 *x, snag__f4 *y)
{
    const snag__mass_spring *body = self;
    for (uint32_t s = 0; s < body->spring_count; s++) {
        const snag__spring *spring = &body->springs[s];
        snag__f4 d = x[spring->a] - x[spring->b], g = body->along[s];
        snag__f4 product = body->across[s] * d + snag__f4_dot(g, d) * g;
        y[spring->a] += product;
        y[spring->b] -= product;
    }
}

snag__model snag__mass_spring_model(snag__mass_spring *body)
{
    return (snag__model){.self = body, .linearise = linearise, .multiply = multiply};
}
