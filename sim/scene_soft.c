// Scenes of soft blocks.
#include "scene.h"

#define CELL 0.06  // at size 1, in metres

static const snag__material rubber = {.density = 300, .young = 9e3, .poisson = 0.3, .damping = 0.01};

typedef struct placed_block {
    const char *name;
    uint32_t cells[3];
    double centre[3];
    double turn;  // radians, about an axis chosen by the seed
} placed_block;

static const placed_block pile[] = {
    {"slab", {11, 9, 3}, {0, 0, 0.11}, 0},
    {"cube", {5, 5, 5}, {0.05, 0.02, 0.55}, 0.5},
    {"bar", {9, 3, 3}, {-0.06, 0.04, 1.02}, 0.4},
    {"brick", {6, 4, 3}, {0.04, -0.05, 1.45}, 0.7},
};
#define PILE_COUNT (sizeof pile / sizeof *pile)

// Rodrigues: p rotated about the unit axis.
static void turn_about(const double axis[3], double angle, double p[3])
{
    double cross[3], along = snag__dot3(axis, p), c = cos(angle), s = sin(angle);
    snag__cross3(axis, p, cross);
    for (int k = 0; k < 3; k++)
        p[k] = c * p[k] + s * cross[k] + (1 - c) * along * axis[k];
}

// Rotated about its centre, with an axis chosen by the seed.
static void place(snag__body *body, const placed_block *placed, uint64_t *random)
{
    double axis[3];
    for (int k = 0; k < 3; k++)
        axis[k] = snag__scene_random(random, 0.2, 1);
    double length = snag__length3(axis);
    for (int k = 0; k < 3; k++)
        axis[k] /= length;
    const double *rest = body->shape.positions;
    double box[2][3];
    snag__shape_box(rest, body->shape.vertex_count, box);
    for (size_t i = 0; i < body->shape.vertex_count; i++) {
        double *x = body->x[i];
        for (size_t k = 0; k < 3; k++)
            x[k] = rest[3 * i + k] - (box[0][k] + box[1][k]) / 2;
        turn_about(axis, placed->turn, x);
        snag__add_scaled3(x, 1, placed->centre);
    }
}

static snag_status cut_blocks(snag_sim *sim, double fineness)
{
    for (size_t b = 0; b < PILE_COUNT; b++) {
        uint32_t n[3];
        for (int k = 0; k < 3; k++)
            n[k] = (uint32_t)fmax(floor(pile[b].cells[k] * fineness + 0.5), 1);
        snag_shape block;
        snag_status status = snag_shape_block(n[0], n[1], n[2], CELL / fineness, &block);
        if (status == SNAG_OK)
            status = snag__scene_add_body(sim, SNAG__DEFORMING, pile[b].name, &block);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

static void set_up(snag_sim *sim)
{
    snag__scene_add_obstacle(sim, &(snag__obstacle){.kind = SNAG__FLOOR, .friction = 0.6});
    for (uint32_t i = 0; i < sim->system.count; i++)
        sim->system.clearance[i] = 0.002;
    // A vertex inside a tetrahedron of its own block means an inverted element, which the material restores.
    sim->contact.self = false;
    sim->contact.iterations = 16;
    sim->system.drag = 0.1;
    sim->system.max_iterations = 60;
}

snag_status snag__build_soft_blocks(snag_sim *sim, const snag_sim_def *def)
{
    // The thinnest block is three cells thick at size 1, and at least one cell at any size.
    double fineness = fmax(cbrt(def->size), 1.0 / 3);
    snag_status status = cut_blocks(sim, fineness);
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    uint64_t random = def->seed;
    for (size_t b = 0; b < PILE_COUNT && status == SNAG_OK; b++) {
        status = snag__scene_fill(sim, b, &rubber);
        place(&sim->bodies[b], &pile[b], &random);
    }
    if (status != SNAG_OK)
        return status;
    set_up(sim);
    return SNAG_OK;
}

// ---- soft-pile ----

#define PILE_BLOCKS 24
#define PILE_WIDE 4  // in each layer, two by two

static const snag__material foam = {.density = 200, .young = 6e4, .poisson = 0.3, .damping = 0.03};

static const char *const block_names[PILE_BLOCKS] = {"block-00", "block-01", "block-02", "block-03", "block-04", "block-05",
                                                     "block-06", "block-07", "block-08", "block-09", "block-10", "block-11",
                                                     "block-12", "block-13", "block-14", "block-15", "block-16", "block-17",
                                                     "block-18", "block-19", "block-20", "block-21", "block-22", "block-23"};

// Blocks of three to six cells per side, in layers, rotated at random.
snag_status snag__build_soft_pile(snag_sim *sim, const snag_sim_def *def)
{
    double fineness = fmax(cbrt(def->size), 1.0 / 3);
    uint64_t random = def->seed;
    placed_block placed[PILE_BLOCKS];
    snag_status status = SNAG_OK;
    for (int b = 0; b < PILE_BLOCKS && status == SNAG_OK; b++) {
        int row = b / 2 % 2;
        double at[2] = {b % 2 - 0.5, row - 0.5};
        placed[b] = (placed_block){.name = block_names[b], .turn = snag__scene_random(&random, 0, 1)};
        uint32_t n[3];
        for (int k = 0; k < 3; k++)
            n[k] = (uint32_t)fmax(floor(snag__scene_random(&random, 3, 6) * fineness + 0.5), 1);
        for (int k = 0; k < 2; k++)
            placed[b].centre[k] = 0.42 * at[k] + snag__scene_random(&random, -0.03, 0.03);
        int layer = b / PILE_WIDE;
        placed[b].centre[2] = 0.33 + 0.5 * layer;
        snag_shape block;
        status = snag_shape_block(n[0], n[1], n[2], CELL / fineness, &block);
        if (status == SNAG_OK)
            status = snag__scene_add_body(sim, SNAG__DEFORMING, placed[b].name, &block);
    }
    if (status == SNAG_OK)
        status = snag__scene_assemble(sim);
    for (size_t b = 0; b < PILE_BLOCKS && status == SNAG_OK; b++) {
        status = snag__scene_fill(sim, b, &foam);
        place(&sim->bodies[b], &placed[b], &random);
    }
    if (status != SNAG_OK)
        return status;
    set_up(sim);
    sim->system.drag = 0.5;
    sim->contact.friction = 0.6;  // foam on foam
    return SNAG_OK;
}
