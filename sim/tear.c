// A cloth that rips. A vertex is split where the cloth around it is stretched too far, across the direction of the largest stretch.
// O'Brien, Hodgins: Graphical Modeling and Animation of Brittle Fracture, SIGGRAPH 1999 (separation across the largest tension).
// Differs: strain instead of stress, in the plane of the cloth at rest; tears run along edges, so that no triangle is cut.
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define SIDE 1.0  // of the square
#define PEG_RADIUS 0.06
#define PEG_LENGTH 1.2
#define PULL_SECONDS 2.0
#define PULL_DEPTH 0.9

static const snag__fabric gauze = {.density = 0.12, .stretch = 150, .shear = 0.4, .bend = 2e-4, .damping = 4e-3};

// ---- the scene ----

// Two opposite borders are pulled down.
void snag__drive_cloth_rip(snag_sim *sim, double time)
{
    const snag__body *cloth = &sim->bodies[1];
    double done = fmin(time / PULL_SECONDS, 1), eased = done * done * (3 - 2 * done);
    for (uint32_t p = 0; p < sim->system.pin_count; p++) {
        const double *rest = cloth->shape.positions + 3 * (size_t)sim->system.pins[p].point;
        double *target = sim->system.pins[p].target;
        target[0] = rest[0];
        target[1] = rest[1];
        target[2] = -PULL_DEPTH * eased;
    }
}

// Round at the top and long below.
static snag_status add_peg(snag_sim *sim, double size, double aside)
{
    snag_shape peg;
    uint32_t n = (uint32_t)fmax(round(10 * sqrt(size)), 6);
    snag_status status = snag_shape_sphere(2 * n, n, PEG_RADIUS, &peg);
    if (status != SNAG_OK)
        return status;
    for (size_t v = 0; v < peg.vertex_count; v++) {
        double *x = peg.positions + 3 * v;
        x[0] += aside;
        x[2] = (x[2] < 0 ? x[2] * PEG_LENGTH / PEG_RADIUS : x[2]) - 1.3 * PEG_RADIUS;
    }
    return snag__scene_add_body(sim, SNAG__STILL, "peg", &peg);
}

snag_status snag__build_cloth_rip(snag_sim *sim, const snag_sim_def *def)
{
    uint32_t n = snag__scene_cells(44, 2, def->size);
    uint64_t random = def->seed;
    snag_shape sheet;
    snag_status status = add_peg(sim, def->size, snag__scene_random(&random, -0.03, 0.03));
    if (status == SNAG_OK)
        status = snag_shape_sheet(n, n, SIDE, SIDE, &sheet);
    if (status == SNAG_OK)
        status = snag__scene_add_body(sim, SNAG__DEFORMING, "cloth", &sheet);
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    if (status == SNAG_OK)
        status = snag__scene_weave(sim, 1, &gauze);
    if (status == SNAG_OK)
        status = snag__scene_pin(sim, 2 * (n + 1));
    if (status != SNAG_OK)
        return status;
    for (uint32_t p = 0; p < sim->system.pin_count; p++)
        sim->system.pins[p].point = p / 2 * (n + 1) + p % 2 * n;
    sim->contact.response = SNAG_SIM_RESPONSE_IMPACTS;
    sim->contact.thickness = 0.1 * SIDE / n;
    sim->contact.friction = 0.2;
    sim->editing = (snag__editing){.body = 1, .fabric = &gauze};
    return SNAG_OK;
}

// ---- where it tears ----

// The mean of F^T F over the triangles at a vertex, weighted by area: xx, yy, xy; and the area.
typedef struct strain {
    double xx, yy, xy, area;
} strain;

static void add_strain(const snag__body *cloth, const uint32_t *corner, strain *at)
{
    const double *rest = cloth->shape.positions, *r0 = rest + 3 * (size_t)corner[0];
    const double *r1 = rest + 3 * (size_t)corner[1], *r2 = rest + 3 * (size_t)corner[2];
    double a = r1[0] - r0[0], b = r2[0] - r0[0], c = r1[1] - r0[1], d = r2[1] - r0[1], det = a * d - b * c;
    double e1[3], e2[3], fx[3], fy[3];
    snag__subtract3(cloth->x[corner[1]], cloth->x[corner[0]], e1);
    snag__subtract3(cloth->x[corner[2]], cloth->x[corner[0]], e2);
    for (int k = 0; k < 3; k++) {
        fx[k] = (e1[k] * d - e2[k] * c) / det;
        fy[k] = (e2[k] * a - e1[k] * b) / det;
    }
    double area = fabs(det) / 2, xx = snag__dot3(fx, fx), yy = snag__dot3(fy, fy), xy = snag__dot3(fx, fy);
    for (int k = 0; k < 3; k++) {
        strain *s = &at[corner[k]];
        s->xx += area * xx;
        s->yy += area * yy;
        s->xy += area * xy;
        s->area += area;
    }
}

// The largest stretch, and its direction at rest.
static double largest_stretch(const strain *s, double way[2])
{
    double xx = s->xx / s->area, yy = s->yy / s->area, xy = s->xy / s->area;
    double mean = (xx + yy) / 2, half = (xx - yy) / 2, root = hypot(half, xy);
    double angle = 0.5 * atan2(xy, half);
    way[0] = cos(angle);
    way[1] = sin(angle);
    return sqrt(mean + root);
}

// No two places of a fabric are equally strong. The same for all vertices that were one.
static double strength_at(const snag_sim *sim, const double *rest)
{
    uint64_t bits[2], random;
    memcpy(bits, rest, sizeof bits);
    random = sim->seed ^ bits[0] ^ (bits[1] << 1 | bits[1] >> 63);
    return 1 + snag__scene_random(&random, -0.1, 0.1);
}

typedef struct place {
    uint32_t vertex;
    double load;  // stretch relative to what it stands
    double way[2];
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->load != q->load)
        return p->load > q->load ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// Scratch of one change.
typedef struct tearing {
    snag__sim_memory memory;
    snag__fans fans;
    strain *strains;
    place *places;
    size_t place_count;
    uint8_t *taken;  // by vertex: pinned, or beside one that tears now
    snag_split_vertex *splits;
    uint32_t *lists;  // of the splits
    size_t split_count, list_count;
} tearing;

static bool begin(const snag_sim *sim, const snag__body *cloth, tearing *t)
{
    size_t vertices = cloth->shape.vertex_count;
    t->strains = snag__sim_new(&t->memory, vertices, sizeof *t->strains);
    t->places = snag__sim_new(&t->memory, vertices, sizeof *t->places);
    t->taken = snag__sim_new(&t->memory, vertices, sizeof *t->taken);
    t->splits = snag__sim_new(&t->memory, vertices, sizeof *t->splits);
    t->lists = snag__sim_new(&t->memory, 3 * cloth->shape.triangle_count + 1, sizeof *t->lists);
    if (t->memory.failed || !snag__fans_create(&t->fans, &cloth->shape, &t->memory))
        return false;
    for (uint32_t p = 0; p < sim->system.pin_count; p++)
        t->taken[sim->system.pins[p].point - cloth->first_point] = 1;
    return true;
}

static void find_places(const snag_sim *sim, const snag__body *cloth, tearing *t)
{
    for (size_t i = 0; i < cloth->shape.triangle_count; i++)
        add_strain(cloth, cloth->shape.triangles + 3 * i, t->strains);
    for (uint32_t v = 0; v < cloth->shape.vertex_count; v++) {
        place p = {.vertex = v};
        p.load = largest_stretch(&t->strains[v], p.way) / (sim->tear * strength_at(sim, cloth->shape.positions + 3 * (size_t)v));
        if (p.load > 1 && !t->taken[v])
            t->places[t->place_count++] = p;
    }
    qsort(t->places, t->place_count, sizeof *t->places, compare_places);
}

// The triangles on the far side of a vertex get a vertex of their own. Neighbours of a vertex that tears wait for the next step, when the
// load has found its new way.
static void split_at(const snag__body *cloth, const place *p, tearing *t)
{
    const double *rest = cloth->shape.positions;
    uint32_t *list = t->lists + t->list_count;
    size_t count = 0, from = t->fans.start[p->vertex], end = t->fans.start[p->vertex + 1];
    for (size_t i = from; i < end; i++) {
        const uint32_t *corner = cloth->shape.triangles + 3 * (size_t)t->fans.items[i];
        double along = 0;
        for (int k = 0; k < 3; k++)
            for (size_t c = 0; c < 2; c++)
                along += p->way[c] * (rest[3 * (size_t)corner[k] + c] - rest[3 * (size_t)p->vertex + c]);
        if (along > 0)
            list[count++] = t->fans.items[i];
    }
    if (count == 0 || count == end - from)
        return;
    for (size_t i = from; i < end; i++)
        for (int k = 0; k < 3; k++)
            t->taken[cloth->shape.triangles[3 * (size_t)t->fans.items[i] + (size_t)k]] = 1;
    t->splits[t->split_count++] = (snag_split_vertex){p->vertex, list, count};
    t->list_count += count;
}

snag_status snag__change_cloth_rip(snag_sim *sim)
{
    const snag__body *cloth = &sim->bodies[sim->editing.body];
    tearing t = {0};
    snag_status status = begin(sim, cloth, &t) ? SNAG_OK : SNAG_ERROR_MEMORY;
    if (status == SNAG_OK) {
        find_places(sim, cloth, &t);
        for (size_t i = 0; i < t.place_count; i++)
            if (!t.taken[t.places[i].vertex])
                split_at(cloth, &t.places[i], &t);
        status = snag__scene_split(sim, t.splits, t.split_count);
    }
    snag__sim_free_all(&t.memory);
    return status;
}
