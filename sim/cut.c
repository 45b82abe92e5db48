// A blade that cuts a block of tetrahedra. The blade's plane is known in the block's rest shape, so that what is cut does not depend on how the
// block gives way. Edges that pass through the plane get a vertex there, unless one of their ends is close enough to serve instead; then the vertices in
// the plane are split, from the top down as the blade advances.
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define CELL 0.05  // at size 1
#define PULL 0.04  // of each end, relative to the length: the cut gapes
#define PULL_SECONDS 0.3
#define CUT_SECONDS 1.6  // from above the block to below it
#define BLADE_HEIGHT 0.9
#define BLADE_HALF_WIDTH 0.4
#define BLADE_HALF_THICKNESS 0.004  // at the back
// A vertex that is closer to the plane, in edges of a cell, counts as in it: slivers would make the block stiff there.
#define SNAP 0.2
// How far ahead of the blade the block opens, in edges of a cell.
#define LEAD 1.5

static const snag__material gel = {.density = 200, .young = 3e4, .poisson = 0.3, .damping = 0.02};

typedef struct cutter {
    double normal[3], offset;  // the plane: normal . x = offset
    double cell, half_length, top;  // of the block
} cutter;

static double edge_height(const cutter *c, double time)
{
    double from = c->top + 0.05, to = -c->top - 0.1, done = fmin(fmax(time - PULL_SECONDS, 0) / CUT_SECONDS, 1);
    return from + (to - from) * done;
}

void snag__drive_block_cut(snag_sim *sim, double time)
{
    const cutter *c = sim->drive_state;
    snag__body *blade = &sim->bodies[0];
    const snag__body *block = &sim->bodies[1];
    for (size_t i = 0; i < blade->shape.vertex_count; i++) {
        memcpy(blade->x[i], blade->shape.positions + 3 * i, sizeof blade->x[i]);
        blade->x[i][2] += edge_height(c, time);
    }
    double pulled = 1 + PULL * fmin(time / PULL_SECONDS, 1);
    for (uint32_t p = 0; p < sim->system.pin_count; p++) {
        const double *rest = block->shape.positions + 3 * (size_t)sim->system.pins[p].point;
        memcpy(sim->system.pins[p].target, rest, sizeof sim->system.pins[p].target);
        sim->system.pins[p].target[0] *= pulled;
    }
}

// A wedge with its edge at height 0: two vertices there, four at the back.
static snag_status add_blade(snag_sim *sim, const cutter *c)
{
    static const uint32_t triangles[8][3] = {{0, 1, 5}, {0, 5, 4}, {0, 2, 3}, {0, 3, 1},
                                             {2, 4, 5}, {2, 5, 3}, {0, 4, 2}, {1, 3, 5}};
    snag_shape blade = {.vertex_count = 6, .triangle_count = 8};
    blade.positions = calloc(6, sizeof(double[3]));
    blade.triangles = malloc(sizeof triangles);
    if (blade.positions == NULL || blade.triangles == NULL) {
        snag_shape_free(&blade);
        return SNAG_ERROR_MEMORY;
    }
    memcpy(blade.triangles, triangles, sizeof triangles);
    for (size_t i = 0; i < 6; i++) {
        double *x = blade.positions + 3 * i, along = i % 2 == 0 ? -BLADE_HALF_WIDTH : BLADE_HALF_WIDTH;
        double thick = i < 2 ? 0 : i < 4 ? -BLADE_HALF_THICKNESS : BLADE_HALF_THICKNESS;
        x[0] = c->normal[0] * (c->offset + thick) - c->normal[1] * along;
        x[1] = c->normal[1] * (c->offset + thick) + c->normal[0] * along;
        x[2] = i < 2 ? 0 : BLADE_HEIGHT;
    }
    return snag__scene_add_body(sim, SNAG__DRIVEN, "blade", &blade);
}

static snag_status pin_ends(snag_sim *sim, double half_length)
{
    const snag_shape *block = &sim->bodies[1].shape;
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            snag_status status = snag__scene_pin(sim, count);
            if (status != SNAG_OK)
                return status;
            count = 0;
        }
        for (uint32_t v = 0; v < block->vertex_count; v++)
            if (fabs(block->positions[3 * (size_t)v]) > half_length * (1 - 1e-9)) {
                if (pass == 1)
                    sim->system.pins[count].point = v;
                count++;
            }
    }
    return SNAG_OK;
}

snag_status snag__build_block_cut(snag_sim *sim, const snag_sim_def *def)
{
    double fineness = fmax(cbrt(def->size), 0.5), box[2][3];
    uint32_t across = (uint32_t)fmax(round(6 * fineness), 3), along = 2 * across;
    uint64_t random = def->seed;
    cutter *c = sim->drive_state = snag__sim_new(&sim->memory, 1, sizeof *c);
    if (c == NULL)
        return SNAG_ERROR_MEMORY;
    snag_shape block;
    c->cell = CELL * 6 / across;
    snag_status status = snag_shape_block(along, across, across, c->cell, &block);
    if (status != SNAG_OK)
        return status;
    snag__shape_box(block.positions, block.vertex_count, box);
    for (size_t i = 0; i < 3 * block.vertex_count; i++)
        block.positions[i] -= (box[0][i % 3] + box[1][i % 3]) / 2;
    c->half_length = (box[1][0] - box[0][0]) / 2;
    c->top = (box[1][2] - box[0][2]) / 2;
    double turn = snag__scene_random(&random, 0.15, 0.35);
    c->normal[0] = cos(turn);
    c->normal[1] = sin(turn);
    c->offset = snag__scene_random(&random, -0.5, 0.5) * c->cell;
    status = add_blade(sim, c);
    if (status == SNAG_OK)
        status = snag__scene_add_body(sim, SNAG__DEFORMING, "block", &block);
    snag_shape_free(&block);
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    if (status == SNAG_OK)
        status = snag__scene_fill(sim, 1, &gel);
    if (status == SNAG_OK)
        status = pin_ends(sim, c->half_length);
    sim->contact.response = SNAG_SIM_RESPONSE_IMPACTS;
    sim->contact.thickness = 0.01 * c->cell;
    sim->editing = (snag__editing){.body = 1, .material = &gel};
    return status;
}

// ---- cutting ----

// Scratch of one change.
typedef struct cutting {
    snag__sim_memory memory;
    const cutter *cutter;
    const snag__body *block;
    double reached;  // what is above this height is cut
    int8_t *side;  // by vertex: of the plane at rest; 0: in it
} cutting;

static double height_above_plane(const cutter *c, const double *rest)
{
    return snag__dot3(c->normal, rest) - c->offset;
}

static bool find_sides(cutting *cut)
{
    const snag_shape *shape = &cut->block->shape;
    cut->side = snag__sim_new(&cut->memory, shape->vertex_count, sizeof *cut->side);
    for (size_t v = 0; v < shape->vertex_count && cut->side != NULL; v++) {
        double d = height_above_plane(cut->cutter, shape->positions + 3 * v);
        cut->side[v] = (int8_t)(fabs(d) < SNAP * cut->cutter->cell ? 0 : d < 0 ? -1 : 1);
    }
    return cut->side != NULL;
}

static int compare_edges(const void *a, const void *b)
{
    const snag_split_edge *p = a, *q = b;
    if (p->vertex[0] != q->vertex[0])
        return p->vertex[0] < q->vertex[0] ? -1 : 1;
    return (p->vertex[1] > q->vertex[1]) - (p->vertex[1] < q->vertex[1]);
}

// Edges through the plane that are above the reach of the blade, each once.
static size_t list_edges(const cutting *cut, snag_split_edge *edges)
{
    const snag_shape *shape = &cut->block->shape;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < 16 * shape->tet_count; i++) {
        uint32_t a = shape->tets[i / 16 * 4 + i % 16 / 4], b = shape->tets[i / 16 * 4 + i % 4];
        if (a >= b || cut->side[a] * cut->side[b] >= 0)
            continue;
        double from = height_above_plane(cut->cutter, shape->positions + 3 * (size_t)a);
        double at = from / (from - height_above_plane(cut->cutter, shape->positions + 3 * (size_t)b));
        if ((1 - at) * cut->block->x[a][2] + at * cut->block->x[b][2] > cut->reached - cut->cutter->cell)
            edges[count++] = (snag_split_edge){{a, b}, at};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_edges(&edges[i - 1], &edges[i]) != 0)
            edges[kept++] = edges[i];
    return kept;
}

static snag_status split_edges(snag_sim *sim, cutting *cut)
{
    snag_edit_def edit = snag_default_edit_def();
    snag_split_edge *edges = snag__sim_new(&cut->memory, 6 * cut->block->shape.tet_count, sizeof *edges);
    if (edges == NULL || !find_sides(cut))
        return SNAG_ERROR_MEMORY;
    edit.split_edges = edges;
    edit.split_edge_count = list_edges(cut, edges);
    return edit.split_edge_count > 0 ? snag__scene_edit(sim, &edit) : SNAG_OK;
}

// Of a tetrahedron: 1 and -1; 0 if it passes through the plane.
static int side_of_tet(const cutting *cut, const uint32_t *corner)
{
    bool above = false, below = false;
    double middle[3] = {0};
    for (int k = 0; k < 4; k++) {
        above = above || cut->side[corner[k]] > 0;
        below = below || cut->side[corner[k]] < 0;
        snag__add_scaled3(middle, 0.25, cut->block->shape.positions + 3 * (size_t)corner[k]);
    }
    if (above != below)
        return above ? 1 : -1;
    return above ? 0 : height_above_plane(cut->cutter, middle) < 0 ? -1 : 1;
}

// Vertices in the plane that the blade has passed, and all of whose tetrahedra are on one side or the other.
static snag_status split_vertices(snag_sim *sim, cutting *cut)
{
    const snag_shape *shape = &cut->block->shape;
    snag__fans fans;
    size_t count = 0, used = 0;
    snag_split_vertex *splits = snag__sim_new(&cut->memory, shape->vertex_count, sizeof *splits);
    uint32_t *lists = snag__sim_new(&cut->memory, 4 * shape->tet_count, sizeof *lists);
    if (!find_sides(cut) || cut->memory.failed || !snag__fans_create(&fans, shape, &cut->memory))
        return SNAG_ERROR_MEMORY;
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        uint32_t above = 0, through = 0, all = fans.start[v + 1] - fans.start[v];
        if (cut->side[v] != 0 || !(cut->block->x[v][2] > cut->reached))
            continue;
        for (uint32_t i = fans.start[v]; i < fans.start[v + 1]; i++) {
            int side = side_of_tet(cut, shape->tets + 4 * (size_t)fans.items[i]);
            through += side == 0;
            if (side > 0)
                lists[used + above++] = fans.items[i];
        }
        if (through > 0 || above == 0 || above == all)
            continue;
        splits[count++] = (snag_split_vertex){v, lists + used, above};
        used += above;
    }
    return snag__scene_split(sim, splits, count);
}

snag_status snag__change_block_cut(snag_sim *sim)
{
    const cutter *c = sim->drive_state;
    cutting cut = {.cutter = c, .block = &sim->bodies[sim->editing.body]};
    cut.reached = edge_height(c, sim->time) - LEAD * c->cell;
    snag_status status = split_edges(sim, &cut);
    if (status == SNAG_OK)
        status = split_vertices(sim, &cut);
    snag__sim_free_all(&cut.memory);
    return status;
}
