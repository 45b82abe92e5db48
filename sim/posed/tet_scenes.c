#include "tet_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../models.h"

typedef struct layout {
    size_t grid[2];  // bodies side by side along x and y; the others are stacked above
    double spacing[3];  // distance of their centres, in cells
    double tilt;  // maximum random rotation, in radians
    double amplitude, wave;
} layout;

static const layout layouts[SNAG__SETUPS] = {
    [SNAG__SETUP_A] = {{5, 5}, {1.9, 0.95, 1.02}, 0.5, 0.06, 2.5}, [SNAG__SETUP_B] = {{2, 2}, {9.8, 9.8, 1.15}, 0.03, 0.25, 9},
    [SNAG__SETUP_C] = {{2, 2}, {9.8, 9.8, 1.15}, 0.03, 0.25, 9},   [SNAG__SETUP_E] = {{5, 5}, {9.8, 9.8, 1.15}, 0.03, 0.25, 9},
    [SNAG__SETUP_M] = {{5, 1}, {33.4, 0, 0}, 0.0, 0.35, 17},
};

// ---- random numbers ----

static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void turn_at_random(tet_body *body, double tilt, uint64_t *random)
{
    double angle[3];
    for (int axis = 0; axis < 3; axis++)
        angle[axis] = tilt * (2 * chance(random) - 1);
    snag__turn_rows(angle, body->turn);
    for (int axis = 0; axis < 3; axis++)
        body->phase[axis] = 6.28 * chance(random);
}

// ---- bodies ----

static bool make_block(tet_body *body, const uint32_t cells[3])
{
    if (snag_shape_block(cells[0], cells[1], cells[2], 1, &body->shape) != SNAG_OK)
        return false;
    snag_shape_transform(&body->shape, 1, -0.5 * cells[0], -0.5 * cells[1], -0.5 * cells[2]);
    size_t bytes = 3 * body->shape.vertex_count * sizeof(double);
    body->rest = malloc(bytes);
    if (body->rest)
        memcpy(body->rest, body->shape.positions, bytes);
    return body->rest != NULL;
}

static bool make_blocks(const layout *l, const uint32_t cells[3], tet_scene *scene)
{
    uint64_t random = 2003;
    for (size_t i = 0; i < scene->body_count; i++) {
        tet_body *body = &scene->bodies[i];
        if (!make_block(body, cells))
            return false;
        size_t at[3] = {i % l->grid[0], i / l->grid[0] % l->grid[1], i / (l->grid[0] * l->grid[1])};
        for (int axis = 0; axis < 3; axis++)
            body->centre[axis] = (double)at[axis] * l->spacing[axis];
        turn_at_random(body, l->tilt, &random);
    }
    return true;
}

// Cuts `count` tetrahedra, evenly spread, into four at a new vertex in their middle: one more vertex and three more tetrahedra each.
static bool cut_in_four(tet_body *body, size_t count)
{
    snag_shape *shape = &body->shape;
    size_t vertices = shape->vertex_count, tets = shape->tet_count, bytes = 3 * (vertices + count) * sizeof(double);
    double *rest = realloc(body->rest, bytes), *positions = realloc(shape->positions, bytes);
    uint32_t *cut = realloc(shape->tets, 4 * (tets + 3 * count) * sizeof *cut);
    body->rest = rest ? rest : body->rest;
    shape->positions = positions ? positions : shape->positions;
    shape->tets = cut ? cut : shape->tets;
    if (!rest || !positions || !cut)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t *tet = &cut[4 * (i * tets / count)], middle = (uint32_t)(vertices + i);
        for (int axis = 0; axis < 3; axis++) {
            rest[3 * middle + (uint32_t)axis] = 0;
            for (int c = 0; c < 4; c++)
                rest[3 * middle + (uint32_t)axis] += rest[3 * tet[c] + (uint32_t)axis] / 4;
        }
        for (int c = 1; c < 4; c++) {
            uint32_t *added = &cut[4 * (tets + 3 * i + (size_t)c - 1)];
            memcpy(added, tet, 4 * sizeof *tet);
            added[c] = middle;
        }
        tet[0] = middle;
    }
    shape->vertex_count += count;
    shape->tet_count += 3 * count;
    memcpy(shape->positions, rest, bytes);
    return true;
}

// A vessel: a rod with a round section, wound into a helix. Two of them wind around each other. The paper's two have 20,514
// tetrahedra and 5,898 vertices: rods of 5 x 6 x 64 cells have 9,600 and 2,730 each, and 219 more vertices make the rest.
static bool make_vessel(tet_body *body, int which)
{
    static const uint32_t cells[3] = {5, 6, 64};
    enum { CUT = 219 };
    if (!make_block(body, cells))
        return false;
    // The size of the rod that the scene of the simulator has.
    for (size_t v = 0; v < body->shape.vertex_count; v++)
        for (int axis = 0; axis < 3; axis++)
            body->rest[3 * v + (size_t)axis] *= (double)snag__vessel_cells[axis] / cells[axis];
    const double pi = 3.14159265358979323846, radius = SNAG__VESSEL_RADIUS, rise = 4.9;
    for (size_t v = 0; v < body->shape.vertex_count; v++) {
        double *x = &body->rest[3 * v];
        double u, w;
        snag__round_section(x, &u, &w);
        double angle = x[2] / radius + pi * which, r = radius + u;
        x[0] = r * cos(angle);
        x[1] = r * sin(angle);
        x[2] = rise * (angle - pi * which) / pi - w;  // outward, down, along: a right-handed frame
    }
    for (int axis = 0; axis < 3; axis++)
        body->turn[axis][axis] = 1;
    body->phase[0] = which;
    return cut_in_four(body, CUT);
}

// ---- scenes ----

static bool make_vessels(tet_scene *scene)
{
    return make_vessel(&scene->bodies[0], 0) && make_vessel(&scene->bodies[1], 1);
}

static bool begin(tet_scene *scene, const char *name, size_t bodies, double amplitude, double wave)
{
    *scene = (tet_scene){.name = name, .body_count = bodies, .amplitude = amplitude, .wave = wave};
    scene->bodies = calloc(bodies, sizeof *scene->bodies);
    return scene->bodies != NULL;
}

static bool make(const char *name, size_t tet_count, tet_scene *scene)
{
    if (name && strcmp(name, "D") == 0)
        return begin(scene, "D", 2, 0.4, 20) && make_vessels(scene);
    if (!name) {
        uint32_t side = (uint32_t)fmax(1, round(cbrt((double)tet_count / 25))), cells[3] = {side, side, side};
        layout row = {{5, 1}, {side - 0.6, 0, 0}, 0, 0.35, 17};
        return begin(scene, "blocks", 5, row.amplitude, row.wave) && make_blocks(&row, cells, scene);
    }
    for (size_t i = 0; i < SNAG__SETUPS; i++) {
        const snag__setup *setup = &snag__setups[i];
        if (strcmp(setup->name, name) == 0)
            return begin(scene, setup->name, setup->bodies, layouts[i].amplitude, layouts[i].wave) &&
                   make_blocks(&layouts[i], setup->cells, scene);
    }
    *scene = (tet_scene){0};
    return false;
}

bool tet_scene_make(const char *name, size_t tet_count, tet_scene *scene)
{
    if (!make(name, tet_count, scene)) {
        tet_scene_free(scene);
        return false;
    }
    for (size_t i = 0; i < scene->body_count; i++) {
        scene->vertex_count += scene->bodies[i].shape.vertex_count;
        scene->tet_count += scene->bodies[i].shape.tet_count;
    }
    tet_scene_pose(scene, 0);
    return true;
}

void tet_scene_free(tet_scene *scene)
{
    for (size_t i = 0; scene->bodies && i < scene->body_count; i++) {
        snag_shape_free(&scene->bodies[i].shape);
        free(scene->bodies[i].rest);
    }
    free(scene->bodies);
    *scene = (tet_scene){0};
}

// Bends each body with waves that run along it, then rotates it and moves it to its position.
void tet_scene_pose(tet_scene *scene, int step)
{
    double k = 6.283185307179586 / scene->wave, time = 0.1 * step;
    for (size_t i = 0; i < scene->body_count; i++) {
        tet_body *body = &scene->bodies[i];
        for (size_t v = 0; v < body->shape.vertex_count; v++) {
            const double *rest = &body->rest[3 * v];
            double bent[3];
            for (int axis = 0; axis < 3; axis++)
                bent[axis] = rest[axis] + scene->amplitude * sin(k * rest[(axis + 1) % 3] + body->phase[axis] + time) *
                                              cos(k * rest[(axis + 2) % 3] - 0.7 * time);
            for (int axis = 0; axis < 3; axis++)
                body->shape.positions[3 * v + (size_t)axis] = body->centre[axis] + body->turn[axis][0] * bent[0] +
                                                              body->turn[axis][1] * bent[1] + body->turn[axis][2] * bent[2];
        }
    }
}

snag_status tet_scene_add(const tet_scene *scene, snag_world *world, snag_body_id *ids)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < scene->body_count && status == SNAG_OK; i++) {
        const snag_shape *shape = &scene->bodies[i].shape;
        snag_body_def def = snag_default_body_def();
        def.positions = snag_positions_f64(shape->positions, shape->vertex_count);
        def.tets = shape->tets;
        def.tet_count = shape->tet_count;
        status = snag_world_add(world, &def, &ids[i]);
    }
    return status;
}

snag_status tet_scene_move(const tet_scene *scene, snag_world *world, const snag_body_id *ids)
{
    snag_status status = snag_world_begin_step(world);
    for (size_t i = 0; i < scene->body_count && status == SNAG_OK; i++) {
        const snag_shape *shape = &scene->bodies[i].shape;
        status = snag_world_move(world, ids[i], snag_positions_f64(shape->positions, shape->vertex_count));
    }
    return status;
}
