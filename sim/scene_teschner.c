// The setups of the spatial hashing paper's table 1 as bodies that fall, pile up and come to rest, and a larger one.
// Teschner et al., Optimized Spatial Hashing for Collision Detection of Deformable Objects, VMV 2003, section 6.
// The counts are those of the paper (see sim/posed/tet_scenes.h, where the same bodies bend in place).
#include <stdio.h>
#include <string.h>

#include "models.h"
#include "scene.h"

typedef struct layout {
    double cell;  // in metres
    uint32_t grid[2];  // bodies side by side along x and y; the others lie above
    double spacing[2];  // of their centres along x and y, in cells; layers leave 0.6 cells free
    double shift;  // of every other layer along x and y, in cells, so that each body rests on several others
    double tilt;  // maximum random rotation, in radians
} layout;

static const layout layouts[SNAG__SETUPS] = {
    [SNAG__SETUP_A] = {0.1, {5, 5}, {2.4, 1.5}, 0.6, 0.3},  [SNAG__SETUP_B] = {0.1, {2, 2}, {10.4, 10.4}, 4, 0.03},
    [SNAG__SETUP_C] = {0.1, {2, 2}, {10.4, 10.4}, 4, 0.03}, [SNAG__SETUP_E] = {0.1, {5, 5}, {10.4, 10.4}, 4, 0.03},
    [SNAG__SETUP_M] = {0.03, {2, 2}, {35, 35}, 17, 0.01},
};

static const snag__material foam = {.density = 200, .young = 6e4, .poisson = 0.3, .damping = 0.02};

// Rotated about the centre of its block and moved to its cell of the grid, a cell above the floor. Coarser cells make thicker
// blocks, and the layers adapt.
static void place(snag__body *body, const layout *l, const double extent[3], uint32_t index, uint64_t *random)
{
    const double *rest = body->shape.positions;
    uint32_t layer = index / (l->grid[0] * l->grid[1]);
    double at[3] = {index % l->grid[0], index / l->grid[0] % l->grid[1], 0}, angle[3], rows[3][3];
    for (int k = 0; k < 3; k++)
        angle[k] = snag__scene_random(random, -l->tilt, l->tilt);
    for (int k = 0; k < 2; k++)
        at[k] = l->cell * (at[k] * l->spacing[k] + (layer % 2 == 1 ? l->shift : 0));
    at[2] = l->cell + 0.5 * extent[2] + layer * (extent[2] + 0.6 * l->cell);
    snag__turn_rows(angle, rows);
    for (size_t i = 0; i < body->shape.vertex_count; i++) {
        double p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = rest[3 * i + k] - extent[k] / 2;
        for (int k = 0; k < 3; k++)
            body->x[i][k] = at[k] + snag__dot3(rows[k], p);
    }
}

static const char *numbered(snag_sim *sim, const char *what, uint32_t number)
{
    enum { LONGEST = 24 };
    char *name = snag__sim_new(&sim->memory, LONGEST, 1);
    if (name != NULL)
        snprintf(name, LONGEST, "%s-%03u", what, (unsigned)number);
    return name;
}

// All blocks have the same size, `extent`.
static snag_status add_blocks(snag_sim *sim, const snag__setup *setup, double cell, double fineness, double extent[3])
{
    for (uint32_t i = 0; i < setup->bodies; i++) {
        uint32_t n[3];
        snag_shape block;
        for (int k = 0; k < 3; k++)
            n[k] = (uint32_t)fmax(floor(setup->cells[k] * fineness + 0.5), 1);
        // The width is that of the layout at any resolution.
        snag_status status = snag_shape_block(n[0], n[1], n[2], cell * setup->cells[0] / n[0], &block);
        const char *name = numbered(sim, setup->cells[1] == 1 ? "bar" : setup->cells[2] == 1 ? "plate" : "block", i);
        for (int k = 0; k < 3; k++)
            extent[k] = cell * setup->cells[0] / n[0] * n[k];
        if (status == SNAG_OK)
            status = snag__scene_add_body(sim, SNAG__DEFORMING, name, &block);
        if (status == SNAG_OK && name == NULL)
            status = SNAG_ERROR_MEMORY;
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

static void set_up(snag_sim *sim)
{
    snag__scene_add_obstacle(sim, &(snag__obstacle){.kind = SNAG__FLOOR, .friction = 0.6});
    sim->contact.self = false;  // a vertex inside a tetrahedron of its own body means an inverted element
    sim->contact.iterations = 16;
    sim->system.drag = 0.5;
    sim->system.max_iterations = 60;
}

static snag_status build_blocks(snag_sim *sim, const snag_sim_def *def, int which)
{
    const snag__setup *setup = &snag__setups[which];
    const layout *l = &layouts[which];
    // At least two cells per side of a plate: a plate of one cell would be a cube.
    double extent[3] = {0};
    snag_status status = add_blocks(sim, setup, l->cell, fmax(cbrt(def->size), 2.0 / setup->cells[0]), extent);
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    uint64_t random = def->seed;
    for (uint32_t i = 0; i < setup->bodies && status == SNAG_OK; i++) {
        status = snag__scene_fill(sim, i, &foam);
        place(&sim->bodies[i], l, extent, i, &random);
    }
    if (status == SNAG_OK)
        set_up(sim);
    return status;
}

// ---- D: two vessels that wind around each other ----

#define VESSEL_CELL 0.01
#define VESSEL_RISE 6.2  // in half a turn, in cells
#define VESSEL_SECONDS 1.5  // until they are pressed together
#define VESSEL_PRESS 0.25  // by this part of their height

static const double PI = 3.14159265358979323846;

// A rod with a round section, wound into a helix.
static snag_status make_vessel(double fineness, int which, snag_shape *vessel)
{
    const uint32_t *cells = snag__vessel_cells;
    uint32_t n[3];
    for (int k = 0; k < 3; k++)
        n[k] = (uint32_t)fmax(floor(cells[k] * fineness + 0.5), k < 2 ? 1 : 8);
    snag_status status = snag_shape_block(n[0], n[1], n[2], 1, vessel);
    if (status != SNAG_OK)
        return status;
    for (size_t v = 0; v < vessel->vertex_count; v++) {
        double *x = &vessel->positions[3 * v];
        for (int k = 0; k < 3; k++)
            x[k] = cells[k] * (x[k] / n[k] - 0.5);
        double u, w;
        snag__round_section(x, &u, &w);
        double turn = x[2] / SNAG__VESSEL_RADIUS, angle = turn + PI * which, r = SNAG__VESSEL_RADIUS + u;
        x[0] = VESSEL_CELL * r * cos(angle);
        x[1] = VESSEL_CELL * r * sin(angle);
        x[2] = VESSEL_CELL * (VESSEL_RISE * turn / PI - w);  // outward, down, along: a right-handed frame
    }
    return SNAG_OK;
}

// Both ends of a vessel are its first and its last layer of vertices.
static uint32_t end_size(const snag__body *vessel)
{
    const snag_shape *shape = &vessel->shape;
    double sides = fmax(floor(cbrt((double)shape->tet_count / (5.0 * 5 * 5 * 82)) * 5 + 0.5), 1);
    return (uint32_t)((sides + 1) * (sides + 1));
}

static uint32_t end_vertex(const snag__body *vessel, uint32_t index)
{
    uint32_t size = end_size(vessel);
    return index < size ? index : (uint32_t)vessel->shape.vertex_count - 2 * size + index;
}

void snag__drive_teschner_d(snag_sim *sim, double time)
{
    double done = fmin(time / VESSEL_SECONDS, 1), lower = 1 - VESSEL_PRESS * done * done * (3 - 2 * done);
    uint32_t p = 0;
    for (size_t b = 0; b < sim->body_count; b++) {
        const snag__body *vessel = &sim->bodies[b];
        for (uint32_t i = 0; i < 2 * end_size(vessel); i++, p++) {
            uint32_t v = end_vertex(vessel, i);
            memcpy(sim->system.pins[p].target, vessel->shape.positions + 3 * (size_t)v, 3 * sizeof(double));
            sim->system.pins[p].point = vessel->first_point + v;
            sim->system.pins[p].target[2] *= lower;
        }
    }
}

snag_status snag__build_teschner_d(snag_sim *sim, const snag_sim_def *def)
{
    static const snag__material tissue = {.density = 1000, .young = 4e4, .poisson = 0.35, .damping = 0.01};
    static const char *const names[2] = {"artery", "vein"};
    snag_status status = SNAG_OK;
    for (int which = 0; which < 2 && status == SNAG_OK; which++) {
        snag_shape vessel;
        status = make_vessel(cbrt(def->size), which, &vessel);
        if (status == SNAG_OK)
            status = snag__scene_add_body(sim, SNAG__DEFORMING, names[which], &vessel);
    }
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    uint32_t pins = 0;
    uint64_t random = def->seed;
    for (size_t b = 0; b < 2 && status == SNAG_OK; b++) {
        status = snag__scene_fill(sim, b, &tissue);
        pins += 2 * end_size(&sim->bodies[b]);
    }
    if (status == SNAG_OK)
        status = snag__scene_pin(sim, pins);
    if (status != SNAG_OK)
        return status;
    set_up(sim);
    sim->system.obstacle_count = 0;
    sim->system.gravity = 0;  // vessels are supported by the body around them
    for (uint32_t i = 0; i < sim->system.count; i++)
        for (int k = 0; k < 3; k++)
            sim->system.v[i][k] = snag__scene_random(&random, -0.05, 0.05);
    return SNAG_OK;
}

// ---- by letter ----

snag_status snag__build_teschner_a(snag_sim *sim, const snag_sim_def *def)
{
    return build_blocks(sim, def, SNAG__SETUP_A);
}

snag_status snag__build_teschner_b(snag_sim *sim, const snag_sim_def *def)
{
    return build_blocks(sim, def, SNAG__SETUP_B);
}

snag_status snag__build_teschner_c(snag_sim *sim, const snag_sim_def *def)
{
    return build_blocks(sim, def, SNAG__SETUP_C);
}

snag_status snag__build_teschner_e(snag_sim *sim, const snag_sim_def *def)
{
    return build_blocks(sim, def, SNAG__SETUP_E);
}

snag_status snag__build_teschner_m(snag_sim *sim, const snag_sim_def *def)
{
    return build_blocks(sim, def, SNAG__SETUP_M);
}
