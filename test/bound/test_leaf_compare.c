// The comparison of leaves of features: which pairs of elements it leaves, beside a plain loop over their bounds and vertices. By each
// instruction set, with and without those that share a vertex or are neighbours, and with and without those that both ends of a move keep
// apart.
#include "bound/bvh_kernel.h"
#include "helpers/mesh_of.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, SIDE = 9, RINGS = 1 };

typedef struct stand {
    snag_allocator allocator;
    snag__mesh mesh;
    snag__bvh bvhs[SNAG_TRIANGLE + 1];  // by kind
    snag__rings rings;
} stand;

static const snag__rings *rings_of_stand;

// A crumpled sheet that moves by more than its triangles are long.
static void stand_open(stand *s)
{
    snag__random random = {5};
    snag_shape shape = scene_crumpled_sheet(SIDE, 0.1, &random);
    *s = (stand){.allocator = snag__default_allocator()};
    s->mesh = mesh_of(&shape);
    double(*moved)[3] = (double(*)[3])shape.positions;
    for (size_t v = 0; v < shape.vertex_count; v++)
        for (int axis = 0; axis < 3; axis++)
            moved[v][axis] += 0.3 * (snag__random_unit(&random) - 0.5) + (axis == 2 ? 0.2 : 0);
    snag__mesh_error error;
    assert_int_equal(
        snag__mesh_move(&s->mesh, snag_positions_f64(shape.positions, shape.vertex_count), false, &snag__alone, NULL, &error),
        SNAG_OK);
    snag_shape_free(&shape);
    for (int kind = SNAG_VERTEX; kind <= SNAG_TRIANGLE; kind++) {
        const snag__bvh_body body = {&s->mesh, 1, NULL};
        const uint64_t pose = 1;
        snag__buffer scratch = {0};
        assert_true(snag__bvh_build(&s->bvhs[kind], (snag_element_kind)kind, (snag__tree_shape){6, 8}, &body, 1, &s->allocator,
                                    &snag__alone, &scratch));
        const snag__refit_def def = {.poses = &pose, .swept = true, .two_ended = true, .inflate = 1e-3};
        assert_true(snag__bvh_refit(&s->bvhs[kind], &def, &s->allocator, &snag__alone, snag__isa_best()));
        snag__buffer_free(&s->allocator, &scratch);
    }
    assert_true(snag__rings_build(&s->rings, &s->mesh, RINGS, &s->allocator));
    rings_of_stand = &s->rings;
}

static void stand_close(stand *s)
{
    for (int kind = SNAG_VERTEX; kind <= SNAG_TRIANGLE; kind++)
        snag__bvh_free(&s->allocator, &s->bvhs[kind]);
    snag__rings_free(&s->allocator, &s->rings);
    snag__mesh_free(&s->mesh);
}

// ---- a plain loop ----

static bool overlap(const snag__kdops *a, uint32_t i, const snag__kdops *b, uint32_t j)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(a->lo[axis][i] <= b->hi[axis][j] && b->lo[axis][j] <= a->hi[axis][i]))
            return false;
    return true;
}

static bool share(const snag__bvh *a, uint32_t i, const snag__bvh *b, uint32_t j)
{
    for (uint32_t k = 0; k < a->corners; k++)
        for (uint32_t l = 0; l < b->corners; l++)
            if (a->vertices[i * a->corners + k] == b->vertices[j * b->corners + l])
                return true;
    return false;
}

static bool are_neighbours(const snag__bvh *a, uint32_t i, const snag__bvh *b, uint32_t j)
{
    for (uint32_t k = 0; k < a->corners; k++)
        for (uint32_t l = 0; l < b->corners; l++)
            if (snag__rings_near(rings_of_stand, a->vertices[i * a->corners + k], b->vertices[j * b->corners + l]))
                return true;
    return false;
}

// On one axis and one side at both ends.
static bool ends_apart(const snag__bvh *a, uint32_t i, const snag__bvh *b, uint32_t j)
{
    const snag__kdops *x = a->end_bounds, *y = b->end_bounds;
    for (int axis = 0; axis < 3; axis++)
        if ((x[0].hi[axis][i] < y[0].lo[axis][j] && x[1].hi[axis][i] < y[1].lo[axis][j]) ||
            (y[0].hi[axis][j] < x[0].lo[axis][i] && y[1].hi[axis][j] < x[1].lo[axis][i]))
            return true;
    return false;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// A pair of a tree with itself counts once, whichever side it stands on.
static uint64_t name_of(const snag__bvh_search *s, uint32_t row, uint32_t column)
{
    if (s->symmetric && row > column)
        return (uint64_t)column << 32 | row;
    return (uint64_t)row << 32 | column;
}

static size_t expect(const snag__bvh_search *s, uint64_t *names, size_t *dropped)
{
    size_t count = 0;
    for (uint32_t i = 0; i < s->rows->trees[0].slot_count; i++)
        for (uint32_t j = s->symmetric ? i + 1 : 0; j < s->columns->trees[0].slot_count; j++) {
            if (!overlap(&s->rows->slot_bounds, i, &s->columns->slot_bounds, j))
                continue;
            bool gone = (s->unshared && share(s->rows, i, s->columns, j)) ||
                        (s->two_ended && ends_apart(s->rows, i, s->columns, j)) ||
                        (s->masks != NULL && are_neighbours(s->rows, i, s->columns, j));
            *dropped += gone;
            assert_true(count < MOST);
            names[count] = name_of(s, i, j);
            count += !gone;
        }
    qsort(names, count, sizeof *names, by_value);
    return count;
}

static size_t find(const snag__bvh_search *s, snag_isa isa, uint64_t *names)
{
    static uint32_t rows[SNAG__COMPARE_ROOM], columns[SNAG__COMPARE_ROOM];
    size_t count = 0;
    for (uint32_t a = 0; a < s->rows->slot_count / SNAG__LEAF_ELEMENTS; a++)
        for (uint32_t b = s->symmetric ? a : 0; b < s->columns->slot_count / SNAG__LEAF_ELEMENTS; b++) {
            snag__node_pair leaves = {s->rows->leaves[a], s->columns->leaves[b]};
            for (size_t next = 0; next < 1;) {
                size_t found = snag__bvh_kernels_for(isa)->compare(s, &leaves, 1, &next, rows, columns, SNAG__COMPARE_ROOM);
                for (size_t i = 0; i < found; i++)
                    names[count++] = name_of(s, rows[i], columns[i]);
                assert_true(count < MOST - SNAG__COMPARE_ROOM);
            }
        }
    qsort(names, count, sizeof *names, by_value);
    return count;
}

static void each_pair_is_left_once_or_dropped_for_a_reason(void **state)
{
    (void)state;
    static const snag_isa isas[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4, SNAG_ISA_NEON};
    static uint64_t expected[MOST], found[MOST];
    stand s;
    stand_open(&s);
    for (int edges = 0; edges < 2; edges++) {
        const snag__bvh *rows = &s.bvhs[edges ? SNAG_EDGE : SNAG_TRIANGLE], *columns = &s.bvhs[edges ? SNAG_EDGE : SNAG_VERTEX];
        const snag__rings *rings = &s.rings;
        snag__leaf_masks masks = {0};
        const snag__neighbours by_rings = {.rings = RINGS, .ring_tables = &rings},
                               by_more = {.rings = RINGS + 1, .ring_tables = &rings};
        assert_false(snag__leaf_masks_fit(&masks, rows, columns, &by_rings));
        snag__leaf_masks_note(&masks, rows, columns, &by_rings);
        assert_true(snag__leaf_masks_learn(&masks, rows, columns, &by_rings, &s.allocator));
        assert_true(snag__leaf_masks_fit(&masks, rows, columns, &by_rings) &&
                    !snag__leaf_masks_fit(&masks, rows, columns, &by_more) && snag__leaf_masks_know(&masks, 0));
        for (int flags = 0; flags < 8; flags++) {
            if ((flags & 4) && !(flags & 1))
                continue;
            const snag__bvh_search search = {
                .masks = flags & 4 ? &masks : NULL,
                .rows = rows,
                .columns = columns,
                .symmetric = edges,
                .unshared = flags & 1,
                .two_ended = flags & 2,
            };
            size_t dropped = 0, count = expect(&search, expected, &dropped);
            assert_true(count > (flags & 4 ? 20 : 100) && (flags == 0 ? dropped == 0 : dropped > 100));
            for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
                if (!snag__isa_available(isas[isa]))
                    continue;
                assert_int_equal(find(&search, isas[isa], found), count);
                assert_memory_equal(found, expected, count * sizeof *found);
            }
        }
        snag__leaf_masks_free(&s.allocator, &masks);
    }
    stand_close(&s);
}

static bool are_near_at_rest(const stand *s, const snag__bvh *a, uint32_t i, const snag__bvh *b, uint32_t j, double d)
{
    for (uint32_t k = 0; k < a->corners; k++)
        for (uint32_t l = 0; l < b->corners; l++) {
            const double *x = s->mesh.x_t0[a->vertices[i * a->corners + k]], *y = s->mesh.x_t0[b->vertices[j * b->corners + l]];
            double u = x[0] - y[0], v = x[1] - y[1], w = x[2] - y[2];
            if (u * u + v * v + w * w <= d * d)
                return true;
        }
    return false;
}

// Whether a mask has a pair of slots. Rows and columns of one BVH may stand either way.
static bool has_pair(const snag__leaf_masks *masks, uint32_t row, uint32_t column)
{
    uint32_t leaf = column / SNAG__LEAF_ELEMENTS;
    for (uint32_t i = masks->start[leaf]; i < masks->start[leaf + 1]; i++)
        if (masks->other[i] == row / SNAG__LEAF_ELEMENTS)
            return masks->unwanted[i].row[row % SNAG__LEAF_ELEMENTS] >> column % SNAG__LEAF_ELEMENTS & 1;
    return false;
}

// Those whose vertices are near in the rest pose, and those at most so many edges apart, alone and together; no others.
static void masks_have_neighbours_in_the_rest_pose(void **state)
{
    (void)state;
    stand s;
    stand_open(&s);
    const double d = 1.2 / SIDE;
    const snag__rings *rings = &s.rings;
    const double(*rest)[3] = (const double(*)[3])s.mesh.x_t0;
    for (int flags = 0; flags < 4; flags++) {
        const bool edges = flags & 1, both = flags & 2;
        const snag__bvh *rows = &s.bvhs[edges ? SNAG_EDGE : SNAG_TRIANGLE], *columns = &s.bvhs[edges ? SNAG_EDGE : SNAG_VERTEX];
        const snag__neighbours neighbours = {.rings = both ? RINGS : 0, .rest = d, .ring_tables = &rings, .rest_x = &rest};
        snag__leaf_masks masks = {0};
        snag__leaf_masks_note(&masks, rows, columns, &neighbours);
        assert_true(snag__leaf_masks_learn(&masks, rows, columns, &neighbours, &s.allocator));
        assert_true(snag__leaf_masks_know(&masks, 0));
        size_t found = 0;
        for (uint32_t i = 0; i < rows->trees[0].slot_count; i++)
            for (uint32_t j = edges ? i + 1 : 0; j < columns->trees[0].slot_count; j++) {
                bool near = are_near_at_rest(&s, rows, i, columns, j, d) || (both && are_neighbours(rows, i, columns, j));
                assert_int_equal(has_pair(&masks, i, j), near);
                assert_true(!edges || i / SNAG__LEAF_ELEMENTS == j / SNAG__LEAF_ELEMENTS || has_pair(&masks, j, i) == near);
                found += near;
            }
        assert_true(found > 1000);
        snag__leaf_masks_free(&s.allocator, &masks);
    }
    stand_close(&s);
}

// The bounds of the whole move are the same with and without those of its ends.
static void ends_make_the_bound_of_the_move(void **state)
{
    (void)state;
    stand s;
    stand_open(&s);
    for (int kind = SNAG_VERTEX; kind <= SNAG_TRIANGLE; kind++) {
        snag__bvh *bvh = &s.bvhs[kind];
        float before[6];
        const uint64_t pose = 1;
        for (uint32_t slot = 0; slot < bvh->trees[0].slot_count; slot += 7) {
            const snag__refit_def both = {.poses = &pose, .swept = true, .two_ended = true, .inflate = 1e-3};
            const snag__refit_def plain = {.poses = &pose, .swept = true, .inflate = 1e-3};
            assert_true(snag__bvh_refit(bvh, &both, &s.allocator, &snag__alone, snag__isa_best()));
            for (int axis = 0; axis < 3; axis++) {
                before[axis] = bvh->slot_bounds.lo[axis][slot];
                before[3 + axis] = bvh->slot_bounds.hi[axis][slot];
            }
            assert_true(snag__bvh_refit(bvh, &plain, &s.allocator, &snag__alone, snag__isa_best()));
            assert_false(bvh->two_ended);
            for (int axis = 0; axis < 3; axis++)
                assert_true(before[axis] == bvh->slot_bounds.lo[axis][slot] && before[3 + axis] == bvh->slot_bounds.hi[axis][slot]);
        }
    }
    stand_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_is_left_once_or_dropped_for_a_reason),
        cmocka_unit_test(masks_have_neighbours_in_the_rest_pose),
        cmocka_unit_test(ends_make_the_bound_of_the_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
