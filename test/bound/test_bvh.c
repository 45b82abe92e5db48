// Trees as they are built: every element in one leaf, leaves full, levels one behind the other, parts split at the centre as
// far as whole leaves allow; and the same trees by any number of threads, of elements that lie anywhere.
#include "bound/bvh.h"
#include "helpers/mesh_of.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>

enum { BODIES = 3 };

// How the vertices of a scene lie.
typedef enum lay { AS_THEY_ARE, IN_A_POINT, ON_A_LINE, BY_DOUBLING, HUGE_ONES, LAYS } lay;

static void lay_out(snag_shape *shape, lay how)
{
    for (size_t v = 0; v < shape->vertex_count; v++) {
        double *x = &shape->positions[3 * v];
        switch (how) {
        case IN_A_POINT: x[0] = x[1] = x[2] = 0.25; break;
        case ON_A_LINE: x[1] = x[2] = 1; break;
        // Each split through the centre takes one element off.
        case BY_DOUBLING: x[0] = x[1] = x[2] = ldexp(1, (int)(v % 2000) - 1000); break;
        case HUGE_ONES:
            for (int axis = 0; axis < 3; axis++)
                x[axis] = (x[axis] - 0.5) * 0x1p1023;
            break;
        default: break;
        }
    }
}

typedef struct wood {
    snag_allocator allocator;
    snag__mesh meshes[BODIES];
    snag__bvh_body bodies[BODIES];
} wood;

static wood wood_of(const uint32_t counts[BODIES], lay how)
{
    wood w = {.allocator = snag__default_allocator()};
    for (uint32_t i = 0; i < BODIES; i++) {
        snag__random random = {i + 7};
        snag_shape shape = scene_soup(counts[i], i == 1 ? 9 : 0, i == 2, &random);
        lay_out(&shape, how);
        w.meshes[i] = mesh_of(&shape);
        snag_shape_free(&shape);
        w.bodies[i].body = i + 1;
    }
    return w;
}

static void wood_fell(wood *w)
{
    for (uint32_t i = 0; i < BODIES; i++)
        snag__mesh_free(&w->meshes[i]);
}

static void build(wood *w, snag_element_kind kind, snag__tree_shape shape, uint32_t threads, snag__bvh *bvh)
{
    snag__buffer scratch = {0};
    snag__pool *pool = threads > 1 ? snag__pool_create(&w->allocator, threads) : NULL;
    const snag__parallel parallel = {.pool = pool, .threads = threads};
    for (uint32_t i = 0; i < BODIES; i++)
        w->bodies[i].mesh = &w->meshes[i];
    *bvh = (snag__bvh){0};
    assert_true(snag__bvh_build(bvh, kind, shape, w->bodies, BODIES, &w->allocator, &parallel, &scratch));
    snag__buffer_free(&w->allocator, &scratch);
    if (pool != NULL)
        snag__pool_destroy(&w->allocator, pool);
}

// Goes down from a node; every slot of the tree is passed once, in order. Returns how many.
static uint32_t walk(const snag__bvh *bvh, const snag__tree *tree, uint32_t index, uint32_t level, uint32_t next)
{
    const snag__node *node = &bvh->nodes[index];
    assert_true(level < tree->levels);
    assert_true(index >= tree->level_first[level] && index < tree->level_first[level + 1]);
    assert_ptr_equal(&bvh->trees[node->tree], tree);
    if (node->leaf) {
        assert_int_equal(node->first, tree->first_slot + next);
        assert_int_equal(node->first % SNAG__LEAF_ELEMENTS, 0);
        assert_int_equal(bvh->leaves[node->first / SNAG__LEAF_ELEMENTS], index);
        uint32_t left = tree->slot_count - next;
        assert_int_equal(node->count, left < SNAG__LEAF_ELEMENTS ? left : SNAG__LEAF_ELEMENTS);
        return node->count;
    }
    assert_true(node->count >= 2 && node->count <= bvh->shape.arity);
    assert_int_equal(node->leaf_children >> node->count, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->count; i++) {
        assert_int_equal(node->leaf_children >> i & 1, bvh->nodes[node->first + i].leaf);
        count += walk(bvh, tree, node->first + i, level + 1, next + count);
    }
    return count;
}

static void holds_all_elements(const snag__bvh *bvh, const snag__tree *tree, const uint32_t *vertices)
{
    uint8_t *seen = test_calloc(tree->slot_count + 1u, 1);
    for (uint32_t i = 0; i < tree->slot_count; i++) {
        uint32_t slot = tree->first_slot + i, element = bvh->elements[slot];
        assert_true(element < tree->slot_count && !seen[element]);
        seen[element] = 1;
        for (uint32_t c = 0; c < bvh->corners; c++)
            assert_int_equal(bvh->vertices[bvh->corners * slot + c],
                             vertices != NULL ? vertices[bvh->corners * element + c] : element);
    }
    test_free(seen);
}

static void is_sound(const snag__bvh *bvh)
{
    for (uint32_t i = 0; i < bvh->tree_count; i++) {
        const snag__tree *tree = &bvh->trees[i];
        assert_int_equal(walk(bvh, tree, tree->root, 0, 0), tree->slot_count);
        const uint32_t *vertices = bvh->kind == SNAG_TRIANGLE ? &tree->mesh->triangles[0][0]
                                   : bvh->kind == SNAG_EDGE   ? &tree->mesh->edges[0][0]
                                                              : NULL;
        holds_all_elements(bvh, tree, vertices);
        uint32_t end = i + 1 < bvh->tree_count ? bvh->trees[i + 1].first_slot : bvh->slot_count;
        for (uint32_t slot = tree->first_slot + tree->slot_count; slot < end; slot++)
            assert_int_equal(bvh->elements[slot], UINT32_MAX);
    }
}

static void are_the_same(const snag__bvh *a, const snag__bvh *b)
{
    assert_int_equal(a->slot_count, b->slot_count);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->elements, b->elements, a->slot_count * sizeof *a->elements);
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->leaves, b->leaves, a->slot_count / SNAG__LEAF_ELEMENTS * sizeof *a->leaves);
    for (uint32_t i = 0; i < a->tree_count; i++)
        assert_memory_equal(a->trees[i].level_first, b->trees[i].level_first,
                            (a->trees[i].levels + 1) * sizeof *a->trees[i].level_first);
}

static void all_trees_are_sound_and_the_same_by_any_number_of_threads(void **state)
{
    (void)state;
    static const uint32_t counts[][BODIES] = {{2500, 1100, 0}, {17, 16, 1}, {100, 33, 1300}};
    static const uint32_t ks[] = {6, 14, 18, 26}, arities[] = {2, 4, 8};
    static const snag_element_kind kinds[] = {SNAG_VERTEX, SNAG_EDGE, SNAG_TRIANGLE};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int how = 0; how < LAYS; how++) {
            wood w = wood_of(counts[i], (lay)how);
            for (int j = 0; j < 12; j++) {
                snag__tree_shape shape = {.k = ks[j % 4], .arity = arities[j % 3]};
                snag__bvh one, more;
                build(&w, kinds[(j + how) % 3], shape, 1, &one);
                is_sound(&one);
                build(&w, kinds[(j + how) % 3], shape, j % 2 == 0 ? 2 : 4, &more);
                are_the_same(&one, &more);
                snag__bvh_free(&w.allocator, &one);
                snag__bvh_free(&w.allocator, &more);
            }
            wood_fell(&w);
        }
}

// The first slot of the root's second child.
static uint32_t cut_of_root(const snag__bvh *bvh)
{
    const snag__node *node = &bvh->nodes[bvh->nodes[bvh->trees[0].root].first + 1];
    while (!node->leaf)
        node = &bvh->nodes[node->first];
    return node->first;
}

// The root of a binary tree of vertices: none of the left part lies behind one of the right along the longest side, and
// the cut is no farther from the centre than half a leaf.
static void a_range_is_split_through_the_centre_of_its_longest_side(void **state)
{
    (void)state;
    for (size_t longest = 0; longest < 3; longest++) {
        snag__random random = {3};
        snag_shape shape = scene_soup(2000, 0, false, &random);
        for (size_t v = 0; v < shape.vertex_count; v++)
            shape.positions[3 * v + longest] *= 2 * shape.positions[3 * v + longest];
        snag_allocator allocator = snag__default_allocator();
        snag__mesh mesh = mesh_of(&shape);
        snag_shape_free(&shape);
        const snag__bvh_body body = {.mesh = &mesh, .body = 1};
        snag__bvh bvh = {0};
        snag__buffer scratch = {0};
        assert_true(snag__bvh_build(&bvh, SNAG_VERTEX, (snag__tree_shape){6, 2}, &body, 1, &allocator, &snag__alone, &scratch));
        uint32_t cut = cut_of_root(&bvh), count = bvh.trees[0].slot_count, below = 0;
        double left = -INFINITY, right = INFINITY, lo = INFINITY, hi = -INFINITY;
        for (uint32_t slot = 0; slot < count; slot++) {
            double x = mesh.x_t1[bvh.elements[slot]][longest];
            left = slot < cut ? fmax(left, x) : left;
            right = slot >= cut ? fmin(right, x) : right;
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        for (uint32_t slot = 0; slot < count; slot++)
            below += mesh.x_t1[bvh.elements[slot]][longest] < lo / 2 + hi / 2;
        assert_true(left <= right);
        assert_true(below > count / 2 + 100);
        assert_true(abs((int)below - (int)cut) <= SNAG__LEAF_ELEMENTS / 2);
        snag__bvh_free(&allocator, &bvh);
        snag__buffer_free(&allocator, &scratch);
        snag__mesh_free(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_trees_are_sound_and_the_same_by_any_number_of_threads),
        cmocka_unit_test(a_range_is_split_through_the_centre_of_its_longest_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
