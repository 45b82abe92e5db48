// Proofs of blocks of tetrahedra (`hash`): what holds is true, by the exact test of every vertex with every tetrahedron, and proofs do
// hold while a body moves, turns and bends a little.
#include "base/isa.h"
#include "bound/blocks.h"
#include "bound/grid.h"
#include "common/any_question.h"
#include "geom/geom.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "method/hash_proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 5, INTRUDERS = 3, CROWD = 600 };

// A block of cubes, and a second body of loose points; and far away, if there is a crowd, more points than it has, so that the
// middle of the grid is there.
typedef struct rig {
    snag_shape shape;
    double (*rest)[3];
    snag__mesh meshes[2];
    double intruders[INTRUDERS][3];
    uint8_t *used;
    snag__blocks blocks;
    snag__grid grid;
    snag__proofs proofs;
    snag_allocator allocator;
    double cell;
    double (*crowd)[3];  // NULL: none
    uint32_t table;  // slots; 0: so many that cells hardly share one
} rig;

// Takes over r->shape.
static void begin(rig *r)
{
    r->allocator = snag__default_allocator();
    size_t count = r->shape.vertex_count;
    r->rest = malloc(count * sizeof *r->rest);
    memcpy(r->rest, r->shape.positions, count * sizeof *r->rest);
    r->used = malloc(count);
    memset(r->used, 1, count);
    r->meshes[0] = (snag__mesh){.vertex_count = (uint32_t)count,
                                .tet_count = (uint32_t)r->shape.tet_count,
                                .x_t1 = (double(*)[3])r->shape.positions,
                                .tets = (uint32_t(*)[4])r->shape.tets};
    for (int i = 0; i < INTRUDERS; i++)
        for (int axis = 0; axis < 3; axis++)
            r->intruders[i][axis] = -100 * r->cell;
    r->meshes[1] = (snag__mesh){.vertex_count = INTRUDERS, .x_t1 = r->intruders};
    const snag__blocks_body bodies[2] = {{&r->meshes[0], 1}, {&r->meshes[1], 2}};
    assert_true(snag__blocks_build(&r->blocks, bodies, 2, &r->allocator));
    assert_true(snag__proofs_reserve(&r->proofs, &r->blocks, &r->allocator));
}

static void set_up(rig *r, uint32_t side, double size)
{
    *r = (rig){.cell = 3 * size};
    assert_int_equal(snag_shape_block(side, side, side, size, &r->shape), SNAG_OK);
    begin(r);
}

// One tetrahedron, and another (loose points, if the gap is wide) of which a vertex lies across a face of the first.
static void set_up_two(rig *r, int face, double gap, double away)
{
    static const double corners[4][3] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
    *r = (rig){.cell = 6, .shape = {.vertex_count = 8, .tet_count = gap > 5 ? 1 : 2}};
    r->shape.positions = malloc(24 * sizeof *r->shape.positions);
    r->shape.tets = malloc(8 * sizeof *r->shape.tets);
    for (uint32_t v = 0; v < 8; v++) {
        r->shape.tets[v] = v;
        for (int axis = 0; axis < 3; axis++) {
            double centre = 0.75, opposite = (3 - corners[face][axis]) / 3;  // the middles of the tetrahedron and of the face
            double apex = opposite + gap * (opposite - centre), x = v < 4 ? corners[v][axis] : apex;
            if (v > 4)
                x = apex + 6 * (opposite - centre) + (corners[v - 4][axis] - 1.5) * 1.5;
            r->shape.positions[3 * v + (uint32_t)axis] = x + away;
        }
    }
    begin(r);
    if (away > 0)
        r->crowd = calloc(CROWD, sizeof *r->crowd);
}

static void tear_down(rig *r)
{
    snag__blocks_free(&r->allocator, &r->blocks);
    snag__grid_free(&r->allocator, &r->grid);
    snag__proofs_free(&r->allocator, &r->proofs);
    snag_shape_free(&r->shape);
    free(r->rest);
    free(r->used);
    free(r->crowd);
}

// The grid as it is now; the intruders' numbers are far from those of the block.
static void fill(rig *r)
{
    static const snag__parallel alone = {0};
    static uint8_t used[CROWD];
    memset(used, 1, sizeof used);
    uint32_t count = r->meshes[0].vertex_count;
    const snag__grid_points points[3] = {{(const double(*)[3])r->meshes[0].x_t1, r->used, count, 0, 7},
                                         {(const double(*)[3])r->intruders, used, INTRUDERS, count, 5000},
                                         {(const double(*)[3])r->crowd, used, CROWD, count + INTRUDERS, 9000}};
    const snag__grid_def def = {points, r->crowd != NULL ? 3 : 2, r->cell, r->table > 0 ? r->table : 1 << 16};
    assert_true(snag__grid_fill(&r->grid, &def, &r->allocator, &alone));
}

static snag__proof_block question(const rig *r, uint32_t number)
{
    return (snag__proof_block){&r->grid, &r->blocks, &r->proofs, number, 7, 0, r->blocks.block_count};
}

static uint32_t make_all(rig *r, snag_isa isa)
{
    uint32_t made = 0;
    fill(r);
    for (uint32_t b = 0; b < r->blocks.block_count; b++) {
        snag__proof_block q = question(r, b);
        snag__hash_proof_kernels_for(isa)->make(&q);
        made += r->proofs.proofs[b].slack > 0;
    }
    return made;
}

static snag__proof_state check(const rig *r, uint32_t block, snag_isa isa, snag__proof_points *foreign)
{
    snag__proof_block q = question(r, block);
    return snag__hash_proof_kernels_for(isa)->check(&q, foreign);
}

static bool is_corner(const uint32_t tet[4], uint32_t v)
{
    return tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v;
}

// Whether a tetrahedron of the block has no volume, or holds a vertex of the body that is no corner of it.
static bool is_violated(const rig *r, const snag__block *block)
{
    const double(*x)[3] = (const double(*)[3])r->meshes[0].x_t1;
    for (uint32_t k = 0; k < block->place_count; k++) {
        const uint32_t *tet = r->meshes[0].tets[r->blocks.tets[block->first_place + k]];
        const double *corner[4] = {x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]};
        if (snag__tet_orientation(corner) == 0)
            return true;
        for (uint32_t v = 0; v < r->meshes[0].vertex_count; v++)
            if (!is_corner(tet, v) && snag__point_in_tet(x[v], corner))
                return true;
    }
    return false;
}

static bool is_inside(const rig *r, const snag__block *block, const double p[3])
{
    const double(*x)[3] = (const double(*)[3])r->meshes[0].x_t1;
    for (uint32_t k = 0; k < block->place_count; k++) {
        const uint32_t *tet = r->meshes[0].tets[r->blocks.tets[block->first_place + k]];
        const double *corner[4] = {x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]};
        if (snag__point_in_tet(p, corner))
            return true;
    }
    return false;
}

typedef struct tally {
    size_t holds, foreign, stale, violated;
} tally;

// Judges what the kernel says about a block; intruders inside must be in its list.
static snag__proof_state judge(const rig *r, uint32_t number, snag_isa isa, tally *t)
{
    const snag__block *block = &r->blocks.blocks[number];
    snag__proof_points foreign = {.count = 0};
    snag__proof_state state = check(r, number, isa, &foreign);
    bool violated = is_violated(r, block);
    t->violated += violated;
    t->stale += state == SNAG__PROOF_STALE;
    t->holds += state == SNAG__PROOF_HOLDS;
    t->foreign += state == SNAG__PROOF_FOREIGN;
    if (state == SNAG__PROOF_STALE)
        return state;
    assert_false(violated);
    for (uint32_t i = 0; i < INTRUDERS; i++) {
        bool listed = false;
        for (uint32_t k = 0; k < foreign.count && state == SNAG__PROOF_FOREIGN; k++)
            listed = listed || r->grid.number[foreign.places[k]] == 5000 + i;
        assert_true(listed || !is_inside(r, block, r->intruders[i]));
    }
    return state;
}

// ---- motions ----

static void place(rig *r, const double m[3][3], const double shift[3])
{
    for (uint32_t v = 0; v < r->meshes[0].vertex_count; v++)
        for (int axis = 0; axis < 3; axis++)
            r->meshes[0].x_t1[v][axis] =
                shift[axis] + m[axis][0] * r->rest[v][0] + m[axis][1] * r->rest[v][1] + m[axis][2] * r->rest[v][2];
}

static void holds_while_a_body_moves_turns_and_stretches(void **state)
{
    (void)state;
    static const double moved[][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                         {{0.999, -0.04, 0}, {0.04, 0.999, 0}, {0, 0, 1}},
                                         {{1.3, 0, 0}, {0, 0.8, 0}, {0, 0, 0.9}},
                                         {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                         {{1, 0.05, 0}, {0, 1, 0}, {0, 0, 1}}};
    static const double shifts[][3] = {{0, 0, 0}, {3.7, -1.1, 12}};
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
        if (!snag__isa_available((snag_isa)isa))
            continue;
        rig r;
        set_up(&r, SIDE, 1);
        uint32_t made = make_all(&r, (snag_isa)isa), all = r.blocks.block_count;
        assert_true(made * 10 >= all * 9);
        for (size_t m = 0; m < sizeof moved / sizeof *moved; m++)
            for (size_t s = 0; s < 2; s++) {
                tally t = {0};
                place(&r, moved[m], shifts[s]);
                fill(&r);
                for (uint32_t b = 0; b < all; b++)
                    judge(&r, b, (snag_isa)isa, &t);
                assert_true(t.holds * 10 >= made * (size_t)(m == 0 ? 10 : 6));
            }
        tear_down(&r);
    }
}

static void set_to(rig *r, uint32_t v, const double from[3], const double to[3], double part)
{
    for (int axis = 0; axis < 3; axis++)
        r->meshes[0].x_t1[v][axis] = from[axis] + part * (to[axis] - from[axis]);
}

// A vertex and a tetrahedron meet half way; or a tetrahedron is pressed flat from both sides.
static void meet(rig *r, const uint32_t tet[4], uint32_t v, double part)
{
    double middle[3] = {0}, x[3];
    bool own = is_corner(tet, v);
    memcpy(r->meshes[0].x_t1, r->rest, r->meshes[0].vertex_count * sizeof *r->rest);
    for (int c = 0; c < 4; c++)
        for (int axis = 0; axis < 3; axis++)
            middle[axis] += own && tet[c] == v ? 0 : r->rest[tet[c]][axis] / (own ? 3 : 4);
    memcpy(x, r->rest[v], sizeof x);
    set_to(r, v, x, middle, part);
    for (int c = 0; c < 4; c++) {
        double to[3];
        for (int axis = 0; axis < 3; axis++)
            to[axis] = r->rest[tet[c]][axis] + x[axis] - middle[axis];
        if (tet[c] != v)
            set_to(r, tet[c], r->rest[tet[c]], to, part);
    }
}

// Whatever the scale, and from the middle of the grid as far as single precision reaches and farther.
static void what_holds_is_true(void **state)
{
    (void)state;
    static const double sizes[] = {1, 1e-200, 1e150, 1, 1, 1}, away[] = {0, 0, 0, 3e4, 3e5, 3e6};
    snag__random random = {61};
    tally t = {0};
    for (size_t scale = 0; scale < 6; scale++)
        for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++) {
            if (!snag__isa_available((snag_isa)isa))
                continue;
            rig r;
            set_up(&r, 3, sizes[scale]);
            if (away[scale] > 0) {
                r.crowd = calloc(CROWD, sizeof *r.crowd);
                for (uint32_t v = 0; v < r.meshes[0].vertex_count; v++)
                    for (int axis = 0; axis < 3; axis++)
                        r.meshes[0].x_t1[v][axis] = r.rest[v][axis] += away[scale];
            }
            make_all(&r, (snag_isa)isa);
            for (int trial = 0; trial < 20; trial++) {
                uint32_t b = snag__random_below(&random, r.blocks.block_count);
                const snag__block *block = &r.blocks.blocks[b];
                uint32_t k = snag__random_below(&random, block->place_count);
                const uint32_t *tet = r.meshes[0].tets[r.blocks.tets[block->first_place + k]];
                uint32_t v = trial % 3 == 0 ? tet[trial % 4] : snag__random_below(&random, r.meshes[0].vertex_count);
                for (int step = 0; step <= 12; step++) {
                    meet(&r, tet, v, step / 20.0);
                    fill(&r);
                    judge(&r, b, (snag_isa)isa, &t);
                }
            }
            tear_down(&r);
        }
    assert_true(t.holds > 200 && t.violated > 200);
}

// Each face of a tetrahedron, that alone decides; and pressed flat, which no other vertex sees.
static void two_tetrahedra(void **state)
{
    (void)state;
    static const double away[] = {0, 1e3, 1e5, 1e6, 4e6};
    tally t = {0};
    for (size_t far = 0; far < 5; far++)
        for (int face = 0; face < 4; face++)
            for (uint32_t v = 0; v < 5; v += 4) {
                rig r;
                set_up_two(&r, face, v < 4 ? 6 : 1, away[far]);
                assert_true(make_all(&r, snag__isa_best()) == 1 || far > 2);
                for (int step = 0; step <= 200; step++) {
                    meet(&r, r.meshes[0].tets[0], v, step / 200.0);
                    fill(&r);
                    judge(&r, 0, snag__isa_best(), &t);
                }
                tear_down(&r);
            }
    assert_true(t.holds > 300 && t.violated > 1000);
}

// Single precision is enough for blocks of some cells only.
static void long_blocks_are_searched(void **state)
{
    (void)state;
    rig r;
    tally t = {0};
    set_up_two(&r, 1, 1, 0);
    assert_int_equal(make_all(&r, snag__isa_best()), 1);
    for (int stretch = 1; stretch < 32; stretch *= 2) {
        const double m[3][3] = {{stretch, 0, 0}, {0, 1, 0}, {0, 0, 1}}, shift[3] = {0};
        place(&r, m, shift);
        fill(&r);
        assert_int_equal(judge(&r, 0, snag__isa_best(), &t), stretch <= 4 ? SNAG__PROOF_HOLDS : SNAG__PROOF_STALE);
    }
    tear_down(&r);
}

// Random shaking, up to what breaks everything, far from the middle of all points too.
static void shaken_blocks(void **state)
{
    (void)state;
    snag__random random = {62};
    tally t = {0};
    for (int trial = 0; trial < 60; trial++) {
        snag_isa isa = scene_isa((uint32_t)trial);
        rig r;
        set_up(&r, SIDE, 1);
        double away = trial % 5 == 4 ? 1e7 : 0, amount = 0.45 * trial / 60;
        for (uint32_t v = 0; v < r.meshes[0].vertex_count; v++)
            for (int axis = 0; axis < 3; axis++)
                r.meshes[0].x_t1[v][axis] += away + snag__random_range(&random, -0.1, 0.1);
        make_all(&r, isa);
        for (uint32_t v = 0; v < r.meshes[0].vertex_count; v++)
            for (int axis = 0; axis < 3; axis++)
                r.meshes[0].x_t1[v][axis] += snag__random_range(&random, -amount, amount);
        for (int i = 0; i < INTRUDERS; i++)
            for (int axis = 0; axis < 3; axis++)
                r.intruders[i][axis] = away + snag__random_range(&random, -1, SIDE + 1);
        fill(&r);
        for (uint32_t b = 0; b < r.blocks.block_count; b++)
            judge(&r, b, isa, &t);
        tear_down(&r);
    }
    assert_true(t.holds > 60 && t.foreign > 10 && t.violated > 50);
}

// ---- other points ----

// A far vertex of the same body that comes near is not known to the proof, as little as that of another body.
static void other_points_end_it(void **state)
{
    (void)state;
    rig r;
    tally t = {0};
    set_up(&r, SIDE, 1);
    make_all(&r, snag__isa_best());
    for (uint32_t b = 0; b < r.blocks.block_count; b++) {
        const snag__block *block = &r.blocks.blocks[b];
        const uint32_t *tet = r.meshes[0].tets[r.blocks.tets[block->first_place]];
        double middle[3] = {0};
        for (int c = 0; c < 4; c++)
            for (int axis = 0; axis < 3; axis++)
                middle[axis] += r.rest[tet[c]][axis] / 4;
        for (uint32_t v = 0; v < r.meshes[0].vertex_count; v += 7) {
            memcpy(r.meshes[0].x_t1[v], middle, sizeof middle);
            fill(&r);
            assert_int_equal(judge(&r, b, snag__isa_best(), &t), SNAG__PROOF_STALE);
            memcpy(r.meshes[0].x_t1[v], r.rest[v], sizeof middle);
        }
        memcpy(r.intruders[1], middle, sizeof middle);
        fill(&r);
        assert_int_equal(judge(&r, b, snag__isa_best(), &t),
                         r.proofs.proofs[b].slack > 0 ? SNAG__PROOF_FOREIGN : SNAG__PROOF_STALE);
        r.intruders[1][0] = -300;
    }
    assert_true(t.foreign > 0);
    tear_down(&r);
}

// Where cells share a slot of the table their points are listed twice. They are in the ring once: else a proof would take other points for
// them as soon as the cells share none.
static void points_are_counted_once(void **state)
{
    (void)state;
    tally t = {0};
    for (uint32_t table = 20; table < 400; table += 10) {
        rig r;
        set_up(&r, SIDE, 1);
        r.table = table;
        make_all(&r, snag__isa_best());
        r.table = 0;
        for (uint32_t b = 0; b < r.blocks.block_count; b++) {
            const uint32_t *tet = r.meshes[0].tets[r.blocks.tets[r.blocks.blocks[b].first_place]];
            memset(r.intruders[1], 0, sizeof r.intruders[1]);
            for (int c = 0; c < 4; c++)
                for (int axis = 0; axis < 3; axis++)
                    r.intruders[1][axis] += r.rest[tet[c]][axis] / 4;
            fill(&r);
            snag__proof_state found = judge(&r, b, snag__isa_best(), &t);
            assert_int_equal(found, r.proofs.proofs[b].slack > 0 ? SNAG__PROOF_FOREIGN : SNAG__PROOF_STALE);
        }
        tear_down(&r);
    }
    assert_true(t.foreign > 100);
}

// Blocks that have none: flat tetrahedra, vertices at the same place, all in one place.
static void bad_blocks_have_none(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        rig r;
        tally t = {0};
        set_up(&r, 2, 1);
        const uint32_t *tet = r.meshes[0].tets[0];
        double(*x)[3] = r.meshes[0].x_t1;
        for (int axis = 0; axis < 3 && which == 0; axis++)
            x[tet[0]][axis] = (x[tet[1]][axis] + x[tet[2]][axis]) / 2;
        for (uint32_t v = 0; v < r.meshes[0].vertex_count && which > 0; v++)
            if (which == 2 || (v != tet[0] && !is_corner(tet, v)))
                memcpy(x[v], x[tet[0]], sizeof x[v]);
        make_all(&r, snag__isa_best());
        for (uint32_t b = 0; b < r.blocks.block_count; b++)
            judge(&r, b, snag__isa_best(), &t);
        assert_true(t.stale > 0 && t.violated > 0);
        tear_down(&r);
    }
}

// ---- in a world ----

static uint64_t hash_by(snag_world *world, snag_method method)
{
    any_question ask = any_default(SNAG_PENETRATIONS);
    const snag_answer *answer = NULL;
    ask.method = method;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    return scene_hash(answer);
}

// Two blocks that bend, turn, pass through each other and fold onto themselves, and in between rest: each step as by brute.
static void steps_are_those_of_brute(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    snag_shape shapes[2];
    snag_body_id ids[2];
    double *rest[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(snag_shape_block(8, 4, 4, 1, &shapes[i]), SNAG_OK);
        size_t bytes = 3 * shapes[i].vertex_count * sizeof(double);
        rest[i] = malloc(bytes);
        memcpy(rest[i], shapes[i].positions, bytes);
        assert_int_equal(scene_add(world, &shapes[i], SNAG_F64, NULL, &ids[i]), SNAG_OK);
    }
    size_t found = 0;
    for (int step = 0; step < 40; step++) {
        double bend = step % 20 < 12 ? 0.01 * step : 0.3 * (step % 20), lift = step < 6 ? 9 : 5 - 0.2 * step;
        for (int i = 0; i < 2; i++) {
            for (size_t v = 0; v < shapes[i].vertex_count; v++) {
                const double *x = &rest[i][3 * v];
                double angle = bend * (x[0] - 4) / 8, r = x[2] + 2;
                double *to = &shapes[i].positions[3 * v];
                to[0] = x[0] * (1 - bend / 4) + r * sin(angle);
                to[1] = x[1];
                to[2] = r * cos(angle) + i * lift;
            }
            if (step % 5 != 4)
                assert_int_equal(snag_world_move(world, ids[i], snag_positions_f64(shapes[i].positions, shapes[i].vertex_count)),
                                 SNAG_OK);
        }
        uint64_t expected = hash_by(world, SNAG_METHOD_BRUTE);
        assert_int_equal(hash_by(world, SNAG_METHOD_HASH), expected);
        any_question ask = any_default(SNAG_PENETRATIONS);
        const snag_answer *answer = NULL;
        ask.method = SNAG_METHOD_HASH;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
        found += answer->count;
    }
    assert_true(found > 1000);
    for (int i = 0; i < 2; i++) {
        snag_shape_free(&shapes[i]);
        free(rest[i]);
    }
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_while_a_body_moves_turns_and_stretches),
        cmocka_unit_test(what_holds_is_true),
        cmocka_unit_test(two_tetrahedra),
        cmocka_unit_test(long_blocks_are_searched),
        cmocka_unit_test(shaken_blocks),
        cmocka_unit_test(other_points_end_it),
        cmocka_unit_test(points_are_counted_once),
        cmocka_unit_test(bad_blocks_have_none),
        cmocka_unit_test(steps_are_those_of_brute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
