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

typedef struct spring_list {
    snag__spring *items;
    size_t count;
} spring_list;

static void add_spring(spring_list *list, const snag_shape *surface, uint32_t a, uint32_t b, double stiffness)
{
    if (a == b)
        return;
    double rest = distance(surface->positions + 3 * (size_t)a, surface->positions + 3 * (size_t)b);
    list->items[list->count++] = (snag__spring){a < b ? a : b, a < b ? b : a, (float)rest, (float)stiffness, 0};
}

// Each half-edge of a closed surface has a partner in another triangle; the one with the lower triangle index creates the springs
// of the edge. A vertex has few triangles, so the partner is found by a linear search.
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

// The opposite half-edge; UINT32_MAX at a border.
static uint32_t partner_of(const snag_shape *surface, const half_edges *list, uint32_t half)
{
    uint32_t from = next_corner(surface, half, 0), to = next_corner(surface, half, 1);
    for (uint32_t k = list->start[to]; k < list->start[to + 1]; k++)
        if (next_corner(surface, list->items[k], 1) == from)
            return list->items[k];
    return UINT32_MAX;
}

static void add_springs(spring_list *springs, const snag_shape *surface, const half_edges *list, const snag__springs_def *def)
{
    for (uint32_t half = 0; half < 3 * surface->triangle_count; half++) {
        uint32_t partner = partner_of(surface, list, half);
        if (partner != UINT32_MAX && partner < half)
            continue;
        add_spring(springs, surface, next_corner(surface, half, 0), next_corner(surface, half, 1), def->stiffness);
        if (partner != UINT32_MAX)
            add_spring(springs, surface, next_corner(surface, half, 2), next_corner(surface, partner, 2),
                       def->stiffness * def->bend);
    }
    // Struts to vertices with distant numbers, which lie across the body in a surface built row by row.
    const uint32_t count = (uint32_t)surface->vertex_count;
    for (uint32_t v = 0; v < count; v++)
        add_spring(springs, surface, v, (v + count / 2) % count, def->stiffness * def->strut);
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
    snag__sim_memory scratch = {0};  // for building only
    half_edges list = {0};
    spring_list springs = {0};
    springs.items = snag__sim_new(&scratch, 6 * surface->triangle_count + surface->vertex_count, sizeof *springs.items);
    bool done = springs.items != NULL && list_half_edges(surface, &list, &scratch);
    if (done) {
        add_springs(&springs, surface, &list, def);
        add_masses(surface, def->density, mass);
        done = snag__springs_create(&body->springs, (uint32_t)surface->vertex_count, springs.items, springs.count, def->damping,
                                    memory);
    }
    snag__sim_free_all(&scratch);
    return done;
}

// ---- the model ----

static void begin(void *self, double h)
{
    snag__mass_spring *body = self;
    snag__springs_begin(&body->springs, h);
}

static void linearise(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    snag__mass_spring *body = self;
    snag__springs_linearise(&body->springs, x, from, to, force, diagonal);
}

static void multiply(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    const snag__mass_spring *body = self;
    snag__springs_multiply(&body->springs, x, from, to, y);
}

static double energy(const void *self, const double (*x)[3])
{
    const snag__mass_spring *body = self;
    return snag__springs_energy(&body->springs, x);
}

snag__model snag__mass_spring_model(snag__mass_spring *body)
{
    return (snag__model){.self = body,
                         .point_count = body->springs.point_count,
                         .begin = begin,
                         .linearise = linearise,
                         .multiply = multiply,
                         .energy = energy};
}
