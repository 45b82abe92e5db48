// The hierarchy from the surface: it holds every triangle once, is O(log n) deep, knows contours and neighbours on any
// topology, and its boxes and directions are those of the present positions.
#include "base/random.h"
#include "bound/surface_tree.h"
#include "helpers/failing_allocator.h"
#include "helpers/mesh_of.h"
#include "helpers/surfaces.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grown {
    snag_allocator allocator;
    snag__mesh mesh;
    snag__surface_tree tree;
} grown;

static void grow(const snag_shape *shape, grown *g)
{
    g->allocator = snag__default_allocator();
    g->mesh = mesh_of(shape);
    assert_true(snag__surface_tree_build(&g->tree, &g->mesh, &g->allocator));
}

static void fell(grown *g)
{
    snag__surface_tree_free(&g->allocator, &g->tree);
    snag__mesh_free(&g->mesh);
}

static snag_shape shape_of(uint32_t number, snag__random *random)
{
    snag_shape shape = {0};
    switch (number % 9) {
    case 0: assert_int_equal(snag_shape_sheet(13, 17, 1, 1.3, &shape), SNAG_OK); break;
    case 1: assert_int_equal(snag_shape_icosphere(3, 1, &shape), SNAG_OK); break;
    case 2: assert_int_equal(snag_shape_torus(24, 11, 1, 0.3, &shape), SNAG_OK); break;
    case 3: shape = surface_moebius(40, 6); break;
    case 4: shape = surface_klein(24, 16); break;
    case 5: shape = surface_fan(700); break;
    case 6: shape = surface_soup(400, true, random); break;
    case 7: shape = surface_soup(400, false, random); break;
    default:
        assert_int_equal(snag_shape_sheet(20, 20, 1, 1, &shape), SNAG_OK);
        surface_remove_triangles(&shape, 0.2, random);
        surface_flip_triangles(&shape, 0.3, random);
        surface_repeat_triangles(&shape, 5, random);
        break;
    }
    return shape;
}

// ---- the tree ----

static void check_structure(const snag__surface_tree *tree)
{
    uint32_t n = tree->triangle_count;
    uint8_t *seen = calloc(n + 1u, 1);
    for (uint32_t slot = 0; slot < n; slot++) {
        assert_true(tree->triangles[slot] < n && !seen[tree->triangles[slot]]);
        seen[tree->triangles[slot]] = 1;
    }
    free(seen);
    assert_int_equal(tree->patches[0].slot_count, n);
    uint32_t reached = 1;
    for (uint32_t i = 0; i < tree->patch_count; i++) {
        const snag__patch *patch = &tree->patches[i];
        assert_true(patch->child_count <= SNAG__PATCH_CHILDREN && patch->child_count != 1);
        if (patch->child_count == 0) {
            assert_true(patch->slot_count >= 1 && patch->slot_count <= SNAG__PATCH_TRIANGLES);
            continue;
        }
        assert_int_equal(patch->first_child, reached);
        uint32_t slot = patch->first_slot;
        for (uint32_t k = 0; k < patch->child_count; k++) {
            const snag__patch *child = &tree->patches[patch->first_child + k];
            assert_int_equal(child->first_slot, slot);
            assert_int_equal(child->parent, i);
            slot += child->slot_count;
        }
        assert_int_equal(slot, patch->first_slot + patch->slot_count);
        reached += patch->child_count;
    }
    assert_int_equal(reached, tree->patch_count);
    // Every level but the two of the leaves has at most five eighths of the elements of the one below, or one more.
    assert_true(tree->levels <= 4 + log(n + 1.0) / log(1.6));
}

static void every_triangle_has_one_slot_on_any_topology(void **state)
{
    (void)state;
    snag__random random = {1};
    for (uint32_t number = 0; number < 9; number++) {
        snag_shape shape = shape_of(number, &random);
        grown g;
        grow(&shape, &g);
        check_structure(&g.tree);
        fell(&g);
        snag_shape_free(&shape);
    }
}

static void nothing_one_triangle_and_degenerate_ones_make_a_tree(void **state)
{
    (void)state;
    double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0.5, 0, 0}};
    uint32_t triangles[5][3] = {{0, 1, 2}, {0, 1, 4}, {0, 0, 1}, {3, 3, 3}, {1, 3, 2}};
    for (size_t count = 0; count <= 5; count++) {
        snag_shape shape = {.positions = x[0], .vertex_count = 5, .triangles = triangles[0], .triangle_count = count};
        grown g;
        grow(&shape, &g);
        assert_int_equal(g.tree.patch_count, count > 0);
        snag__directions directions;
        snag__directions_make(62, &directions);
        snag__surface_tree_refit(&g.tree, &directions, &(snag__parallel){.threads = 1}, SNAG_ISA_SCALAR);
        if (count == 1)
            assert_true(g.tree.patches[0].directions != 0 && g.tree.needles == 0);
        if (count > 1)
            assert_true(g.tree.patches[0].directions == 0 && g.tree.needles == count - 1);
        fell(&g);
    }
}

static void depth_and_memory_grow_as_promised(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 6; n++) {
        snag_shape shape;
        assert_int_equal(snag_shape_icosphere(n, 1, &shape), SNAG_OK);
        grown g;
        grow(&shape, &g);
        double triangles = g.tree.triangle_count;
        assert_true(g.tree.levels <= 2 + log(triangles / 8) / log(2.5));
        assert_true((double)g.tree.patch_count < triangles / 7);
        assert_true((double)g.tree.contour_count < 2.6 * triangles);
        // The paper: O(1) adjacency vertices a patch, which hardly exceeds 6.
        assert_true((double)g.tree.stored_count < 6 * (double)g.tree.patch_count);
        fell(&g);
        snag_shape_free(&shape);
    }
}

// ---- contours ----

static int by_edge(const void *a, const void *b)
{
    uint32_t x = ((const snag__contour_edge *)a)->edge, y = ((const snag__contour_edge *)b)->edge;
    return (x > y) - (x < y);
}

// How often the patch's triangles run from vertex `a` to `b`, less how often back.
static int runs(const snag__surface_tree *tree, const snag__patch *patch, uint32_t a, uint32_t b)
{
    int count = 0;
    for (uint32_t slot = patch->first_slot; slot < patch->first_slot + patch->slot_count; slot++) {
        const uint32_t *v = tree->corners[slot];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            continue;
        for (int i = 0; i < 3; i++)
            count += (v[i] == a && v[(i + 1) % 3] == b) - (v[i] == b && v[(i + 1) % 3] == a);
    }
    return count;
}

// Edges of the loop follow each other and are those of the contour; beyond each lies the triangle outside the patch.
static void check_loop(const grown *g, const snag__patch *patch)
{
    const snag__loop_edge *loop = g->tree.loops + patch->first_contour;
    for (uint32_t k = 0; k < patch->contour_count; k++) {
        uint32_t from = loop[k].from, to = loop[(k + 1) % patch->contour_count].from, others = 0, slot = UINT32_MAX;
        assert_int_equal(runs(&g->tree, patch, from, to), 1);
        for (uint32_t i = 0; i < g->tree.triangle_count; i++) {
            const uint32_t *v = g->tree.corners[i];
            bool has_both = (v[0] == from || v[1] == from || v[2] == from) && (v[0] == to || v[1] == to || v[2] == to);
            if (!has_both || i - patch->first_slot < patch->slot_count)
                continue;
            slot = i;
            others++;
        }
        assert_true(others <= 1 && loop[k].beyond == slot);
    }
}

static void contours_are_what_triangles_leave_over(void **state)
{
    (void)state;
    snag__random random = {2};
    size_t regular = 0, looped = 0;
    for (uint32_t number = 0; number < 9; number++) {
        snag_shape shape = shape_of(number, &random);
        grown g;
        grow(&shape, &g);
        for (uint32_t i = 0; i < g.tree.patch_count; i += 3) {
            const snag__patch *patch = &g.tree.patches[i];
            const snag__contour_edge *contour = g.tree.contours + patch->first_contour;
            if (patch->irregular)
                continue;
            regular++;
            uint32_t found = 0;
            for (uint32_t e = 0; e < g.mesh.edge_count; e++) {
                const uint32_t *v = g.mesh.edges[e];
                int count = runs(&g.tree, patch, v[0], v[1]);
                snag__contour_edge key = {.edge = e};
                const snag__contour_edge *edge = bsearch(&key, contour, patch->contour_count, sizeof key, by_edge);
                assert_true(count == 0 ? edge == NULL : edge != NULL && edge->from == v[count < 0] && abs(count) == 1);
                found += count != 0;
            }
            assert_int_equal(found, patch->contour_count);
            if (patch->looped)
                check_loop(&g, patch);
            looped += patch->looped;
            for (uint32_t k = 0; k < patch->contour_count; k++) {
                const uint32_t *v = g.mesh.edges[contour[k].edge];
                uint32_t to = contour[k].from == v[0] ? v[1] : v[0];
                assert_int_equal(contour[contour[k].next].from, to);
                assert_int_equal(contour[contour[k].next].previous, k);
            }
        }
        fell(&g);
        snag_shape_free(&shape);
    }
    assert_true(regular > 100 && looped > regular / 2);
}

static void mixed_winding_is_turned_to_face_one_side(void **state)
{
    (void)state;
    snag__random random = {3};
    snag_shape shape;
    assert_int_equal(snag_shape_sheet(12, 12, 1, 1, &shape), SNAG_OK);
    surface_flip_triangles(&shape, 0.5, &random);
    grown g;
    grow(&shape, &g);
    snag__directions directions;
    snag__directions_make(62, &directions);
    snag__surface_tree_refit(&g.tree, &directions, &(snag__parallel){.threads = 1}, SNAG_ISA_SCALAR);
    assert_true(g.tree.patches[0].directions != 0);
    assert_int_equal(g.tree.patches[0].contour_count, 48);
    fell(&g);
    snag_shape_free(&shape);
}

// ---- adjacency ----

static bool share_a_vertex(const snag__surface_tree *tree, const snag__patch *a, const snag__patch *b, uint8_t *of_a)
{
    bool shared = false;
    memset(of_a, 0, tree->mesh->vertex_count);
    for (uint32_t i = 0; i < 3 * a->slot_count; i++)
        of_a[tree->corners[a->first_slot + i / 3][i % 3]] = 1;
    for (uint32_t i = 0; i < 3 * b->slot_count; i++)
        shared |= of_a[tree->corners[b->first_slot + i / 3][i % 3]];
    return shared;
}

static bool overlap(const snag__patch *a, const snag__patch *b)
{
    return a->first_slot < b->first_slot + b->slot_count && b->first_slot < a->first_slot + a->slot_count;
}

static void patches_are_adjacent_if_they_share_a_vertex(void **state)
{
    (void)state;
    snag__random random = {4};
    size_t adjacent = 0, apart = 0;
    for (uint32_t number = 0; number < 18; number++) {
        snag_shape shape = shape_of(number, &random);
        grown g;
        grow(&shape, &g);
        uint8_t *of_a = malloc(g.mesh.vertex_count + 1u);
        uint32_t count = g.tree.patch_count;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = i + 1; j < count; j++) {
                const snag__patch *a = &g.tree.patches[i], *b = &g.tree.patches[j];
                if (overlap(a, b))
                    continue;
                bool expected = share_a_vertex(&g.tree, a, b, of_a);
                assert_int_equal(snag__patches_adjacent(&g.tree, i, j, NULL), expected);
                adjacent += expected;
                apart += !expected;
            }
        free(of_a);
        fell(&g);
        snag_shape_free(&shape);
    }
    assert_true(adjacent > 1000 && apart > 1000);
}

// The mean number of steps does not grow with the mesh; each step is one binary search.
static void adjacency_takes_few_steps_at_any_size(void **state)
{
    (void)state;
    double mean[2] = {0};
    for (uint32_t n = 0; n < 2; n++) {
        snag_shape shape;
        assert_int_equal(snag_shape_icosphere(n == 0 ? 4 : 7, 1, &shape), SNAG_OK);
        grown g;
        grow(&shape, &g);
        snag__random random = {5};
        size_t steps = 0, most = 0, pairs = 0;
        while (pairs < 20000) {
            uint32_t a = snag__random_below(&random, g.tree.patch_count), b = snag__random_below(&random, g.tree.patch_count);
            if (overlap(&g.tree.patches[a], &g.tree.patches[b]))
                continue;
            size_t now = 0;
            snag__patches_adjacent(&g.tree, a, b, &now);
            steps += now;
            most = now > most ? now : most;
            pairs++;
        }
        mean[n] = (double)steps / (double)pairs;
        assert_true(mean[n] < 16 && most < 100);
        fell(&g);
        snag_shape_free(&shape);
    }
    assert_true(mean[1] < 1.25 * mean[0]);
}

// ---- refit ----

static double dot_with_normal(const snag__mesh *mesh, const uint32_t v[3], const double d[3], double *length)
{
    double u[3], w[3], n[3], dot = 0;
    *length = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = mesh->x_t1[v[1]][k] - mesh->x_t1[v[0]][k];
        w[k] = mesh->x_t1[v[2]][k] - mesh->x_t1[v[0]][k];
    }
    for (int k = 0; k < 3; k++) {
        n[k] = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
        dot += n[k] * d[k];
        *length += n[k] * n[k];
    }
    *length = sqrt(*length);
    return dot;
}

static void boxes_and_directions_are_those_of_the_triangles(void **state)
{
    (void)state;
    static const uint32_t counts[] = {6, 12, 32, 62};
    snag__random random = {6};
    size_t facing = 0;
    for (uint32_t number = 0; number < 18; number++) {
        snag_shape shape = shape_of(number, &random);
        surface_bend(&shape, 0.3, &random);
        grown g;
        grow(&shape, &g);
        snag__directions directions;
        snag__directions_make(counts[number % 4], &directions);
        assert_int_equal(2 * directions.axes, counts[number % 4]);
        snag__surface_tree_refit(&g.tree, &directions, &(snag__parallel){.threads = 2}, SNAG_ISA_SCALAR);
        for (uint32_t i = 0; i < g.tree.patch_count; i++) {
            const snag__patch *patch = &g.tree.patches[i];
            for (uint32_t k = 0; k < 2 * SNAG__AXES; k++) {
                double d[3], least = INFINITY;
                bool exists = k % SNAG__AXES < directions.axes;
                for (int axis = 0; axis < 3; axis++)
                    d[axis] = (k < SNAG__AXES ? 1 : -1) * (double)directions.axis[axis][k % SNAG__AXES];
                for (uint32_t slot = patch->first_slot; slot < patch->first_slot + patch->slot_count; slot++) {
                    double length, dot = dot_with_normal(&g.mesh, g.tree.corners[slot], d, &length);
                    least = fmin(least, length > 0 ? dot / length : 0);
                }
                bool bit = patch->directions >> k & 1;
                facing += bit;
                if (bit)
                    assert_true(exists && least > 0);
                if (exists && least > 1e-4)
                    assert_true(bit);
            }
            for (uint32_t p = 3 * patch->first_slot; p < 3 * (patch->first_slot + patch->slot_count); p++)
                for (int axis = 0; axis < 3; axis++) {
                    double x = g.mesh.x_t1[g.tree.corners[p / 3][p % 3]][axis];
                    assert_true(patch->lo[axis] <= x && x <= patch->hi[axis]);
                }
        }
        fell(&g);
        snag_shape_free(&shape);
    }
    assert_true(facing > 1000);
}

// Moves the vertices, which are at t1, away from where they were: bent, and turned about an axis by up to half a turn.
static void move_from(snag__mesh *mesh, double angle, int axis, snag__random *random)
{
    double sway = snag__random_range(random, 0, 0.05);
    size_t bytes = (mesh->vertex_count + 1u) * sizeof(double[3]);
    double(*t0)[3] = malloc(bytes), (*t1)[3] = malloc(bytes);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const double *x = mesh->x_t1[v];
        double a = x[(axis + 1) % 3], b = x[(axis + 2) % 3];
        memcpy(t1[v], x, sizeof t1[v]);
        t0[v][axis] = x[axis] + sway * sin(3 * a);
        t0[v][(axis + 1) % 3] = cos(angle) * a - sin(angle) * b;
        t0[v][(axis + 2) % 3] = sin(angle) * a + cos(angle) * b;
    }
    snag__mesh_error error;
    assert_int_equal(snag__mesh_move(mesh, snag_positions_f64(t0[0], mesh->vertex_count), true, &snag__alone, NULL, &error),
                     SNAG_OK);
    assert_int_equal(snag__mesh_move(mesh, snag_positions_f64(t1[0], mesh->vertex_count), false, &snag__alone, NULL, &error),
                     SNAG_OK);
    free(t0);
    free(t1);
}

// Whether all triangles of a patch face d at time t, as doubles see it, and lie in its box.
static bool faces_at(const grown *g, const snag__patch *patch, const double d[3], double t)
{
    for (uint32_t slot = patch->first_slot; slot < patch->first_slot + patch->slot_count; slot++) {
        double x[3][3], length;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                uint32_t v = g->tree.corners[slot][c];
                x[c][k] = (1 - t) * g->mesh.x_t0[v][k] + t * g->mesh.x_t1[v][k];
                assert_true((double)patch->lo[k] <= x[c][k] + 1e-12 && x[c][k] - 1e-12 <= (double)patch->hi[k]);
            }
        snag__mesh one = {.x_t1 = x};
        if (!(dot_with_normal(&one, (const uint32_t[3]){0, 1, 2}, d, &length) > 0))
            return false;
    }
    return true;
}

static void directions_of_a_move_are_faced_at_all_times(void **state)
{
    (void)state;
    snag__random random = {8};
    snag__directions directions;
    snag__directions_make(32, &directions);
    size_t facing = 0, at_ends = 0;
    for (uint32_t number = 0; number < 27; number++) {
        snag_shape shape = shape_of(number, &random);
        surface_bend(&shape, 0.1, &random);
        grown g;
        grow(&shape, &g);
        move_from(&g.mesh, 3.14159 * (number % 3) / 2, (int)snag__random_below(&random, 3), &random);
        g.tree.swept = true;
        snag__surface_tree_refit(&g.tree, &directions, &(snag__parallel){.threads = 1}, snag__isa_best());
        for (uint32_t i = 0; i < g.tree.patch_count; i += 2)
            for (uint32_t k = 0; k < 2 * SNAG__AXES; k++) {
                const snag__patch *patch = &g.tree.patches[i];
                bool bit = patch->directions >> k & 1;
                double d[3];
                for (int axis = 0; axis < 3; axis++)
                    d[axis] = (k < SNAG__AXES ? 1 : -1) * (double)directions.axis[axis][k % SNAG__AXES];
                for (int time = 0; time <= 8 && bit; time++)
                    assert_true(faces_at(&g, patch, d, time / 8.0));
                facing += bit;
                at_ends += !bit && faces_at(&g, patch, d, 0) && faces_at(&g, patch, d, 1);
            }
        fell(&g);
        snag_shape_free(&shape);
    }
    assert_true(facing > 1000 && at_ends > 1000);
}

static void every_instruction_set_gives_the_same_patches(void **state)
{
    (void)state;
    snag__random random = {7};
    snag__directions directions;
    snag__directions_make(62, &directions);
    for (uint32_t number = 0; number < 9; number++) {
        snag_shape shape = shape_of(number, &random);
        surface_bend(&shape, 0.2, &random);
        grown g;
        grow(&shape, &g);
        g.tree.swept = number % 2 == 1;
        move_from(&g.mesh, 0.2, 0, &random);
        size_t bytes = g.tree.patch_count * sizeof(snag__patch);
        snag__patch *expected = malloc(bytes);
        snag__surface_tree_refit(&g.tree, &directions, &(snag__parallel){.threads = 1}, SNAG_ISA_SCALAR);
        memcpy(expected, g.tree.patches, bytes);
        for (int isa = SNAG_ISA_X86_64_V2; isa <= SNAG_ISA_NEON; isa++) {
            if (!snag__isa_available((snag_isa)isa))
                continue;
            for (uint32_t i = 0; i < g.tree.patch_count; i++)
                g.tree.patches[i].directions = 0;
            snag__surface_tree_refit(&g.tree, &directions, &(snag__parallel){.threads = 2}, (snag_isa)isa);
            assert_memory_equal(g.tree.patches, expected, bytes);
        }
        free(expected);
        fell(&g);
        snag_shape_free(&shape);
    }
}

// ---- memory ----

static snag_status build_and_free(const snag_allocator *allocator, void *context)
{
    grown *g = context;
    snag__surface_tree tree;
    bool built = snag__surface_tree_build(&tree, &g->mesh, allocator);
    if (!built)
        assert_true(tree.patches == NULL && tree.patch_count == 0);
    snag__surface_tree_free(allocator, &tree);
    return built ? SNAG_OK : SNAG_ERROR_MEMORY;
}

static void a_failing_allocator_leaves_an_empty_tree(void **state)
{
    (void)state;
    snag__random random = {8};
    snag_shape shape = shape_of(8, &random);
    grown g;
    grow(&shape, &g);
    assert_true(failing_allocator_sweep(build_and_free, &g) > 5);
    fell(&g);
    snag_shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_triangle_has_one_slot_on_any_topology),
        cmocka_unit_test(nothing_one_triangle_and_degenerate_ones_make_a_tree),
        cmocka_unit_test(depth_and_memory_grow_as_promised),
        cmocka_unit_test(contours_are_what_triangles_leave_over),
        cmocka_unit_test(mixed_winding_is_turned_to_face_one_side),
        cmocka_unit_test(patches_are_adjacent_if_they_share_a_vertex),
        cmocka_unit_test(adjacency_takes_few_steps_at_any_size),
        cmocka_unit_test(boxes_and_directions_are_those_of_the_triangles),
        cmocka_unit_test(directions_of_a_move_are_faced_at_all_times),
        cmocka_unit_test(every_instruction_set_gives_the_same_patches),
        cmocka_unit_test(a_failing_allocator_leaves_an_empty_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
