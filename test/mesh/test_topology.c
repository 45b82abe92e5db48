#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh/random_mesh.h"
#include "snag/io.h"
#include "snag/shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snag__mesh make_surface(const snag_body_def *def)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_allocator allocator = snag__default_allocator();
    assert_int_equal(snag__mesh_from_def(def, &allocator, &mesh, &error), SNAG_OK);
    return mesh;
}

static snag__mesh make_volume(const snag_body_def *def)
{
    snag__mesh mesh;
    snag__mesh_error error = {""};
    snag_allocator allocator = snag__default_allocator();
    assert_int_equal(snag__mesh_from_def(def, &allocator, &mesh, &error), SNAG_OK);
    return mesh;
}

static bool repeats(const uint32_t *v, int corners)
{
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < i; j++)
            if (v[i] == v[j])
                return true;
    return false;
}

static bool has_side(const uint32_t *t, uint32_t a, uint32_t b)
{
    bool has_a = t[0] == a || t[1] == a || t[2] == a, has_b = t[0] == b || t[1] == b || t[2] == b;
    return has_a && has_b && !repeats(t, 3);
}

// Walks all vertex pairs and all triangles in order: the edges must be exactly those found, in this order.
static void assert_edges_match_pair_loop(const snag__mesh *mesh)
{
    uint32_t e = 0, items = 0;
    for (uint32_t a = 0; a < mesh->vertex_count; a++)
        for (uint32_t b = a + 1; b < mesh->vertex_count; b++) {
            uint32_t before = items;
            for (uint32_t t = 0; t < mesh->triangle_count; t++)
                if (has_side(mesh->triangles[t], a, b))
                    assert_int_equal(mesh->edge_triangles.items[items++], t);
            if (items == before)
                continue;
            assert_true(e < mesh->edge_count);
            assert_int_equal(mesh->edges[e][0], a);
            assert_int_equal(mesh->edges[e][1], b);
            assert_int_equal(mesh->edge_triangles.start[e], before);
            assert_int_equal(mesh->edge_triangles.start[e + 1], items);
            e++;
        }
    assert_int_equal(mesh->edge_count, e);
    assert_int_equal(mesh->edge_triangles.start[e], items);
}

static void assert_triangle_edges_name_their_corners(const snag__mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int i = 0; i < 3; i++) {
            uint32_t a = mesh->triangles[t][i], b = mesh->triangles[t][(i + 1) % 3], e = mesh->triangle_edges[t][i];
            if (repeats(mesh->triangles[t], 3)) {
                assert_int_equal(e, SNAG__NO_EDGE);
                continue;
            }
            assert_true(e < mesh->edge_count);
            assert_int_equal(mesh->edges[e][0], a < b ? a : b);
            assert_int_equal(mesh->edges[e][1], a < b ? b : a);
        }
}

static void assert_vertex_triangles_match_loop(const snag__mesh *mesh)
{
    uint32_t items = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        assert_int_equal(mesh->vertex_triangles.start[v], items);
        for (uint32_t t = 0; t < mesh->triangle_count; t++)
            // One whose corners are all the same is a hole.
            if ((mesh->triangles[t][0] == v || mesh->triangles[t][1] == v || mesh->triangles[t][2] == v) &&
                (mesh->triangles[t][0] != mesh->triangles[t][1] || mesh->triangles[t][1] != mesh->triangles[t][2]))
                assert_int_equal(mesh->vertex_triangles.items[items++], t);
    }
    assert_int_equal(mesh->vertex_triangles.start[mesh->vertex_count], items);
}

static void assert_topology_matches_loops(const snag__mesh *mesh)
{
    assert_edges_match_pair_loop(mesh);
    assert_triangle_edges_name_their_corners(mesh);
    assert_vertex_triangles_match_loop(mesh);
}

static void lists_of_random_meshes_match_naive_loops(void **state)
{
    (void)state;
    snag__random random = {1};
    for (int round = 0; round < 4000; round++) {
        random_mesh made;
        random_mesh_make(&made, &random, 3);
        snag_body_def def = random_mesh_surface(&made);
        snag__mesh mesh = make_surface(&def);
        assert_topology_matches_loops(&mesh);
        snag__mesh_free(&mesh);
    }
}

static bool holds(const uint32_t *tet, uint32_t v)
{
    return tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v;
}

// How many tetrahedra without repeated vertices have all three vertices.
static int tets_with_face(const random_mesh *mesh, const uint32_t face[3])
{
    int count = 0;
    for (uint32_t k = 0; k < mesh->element_count; k++) {
        const uint32_t *tet = mesh->elements[k];
        count += !repeats(tet, 4) && holds(tet, face[0]) && holds(tet, face[1]) && holds(tet, face[2]);
    }
    return count;
}

// Triangle t must have the vertices of the face opposite corner i and look away from it, or towards it if the
// tetrahedron has no volume and is therefore taken as positive.
static void assert_face_looks_out(const random_mesh *made, const snag__mesh *mesh, uint32_t t, uint32_t k, int i)
{
    const uint32_t *tet = made->elements[k], *f = mesh->triangles[t];
    assert_int_equal(mesh->triangle_faces[t], k);
    for (int c = 0; c < 4; c++)
        if (c != i)
            assert_true(f[0] == tet[c] || f[1] == tet[c] || f[2] == tet[c]);
    double behind = small_determinant(made->positions[f[0]], made->positions[f[1]], made->positions[f[2]], made->positions[tet[i]]);
    double volume =
        small_determinant(made->positions[tet[0]], made->positions[tet[1]], made->positions[tet[2]], made->positions[tet[3]]);
    assert_true(volume == 0 ? behind == 0 : behind < 0);
}

static void assert_vertex_tets_match_loop(const snag__mesh *mesh)
{
    const snag__csr *lists = &mesh->vertex_tets;
    uint32_t place = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        assert_int_equal(lists->start[v], place);
        for (uint32_t k = 0; k < mesh->tet_count; k++)
            if (!repeats(mesh->tets[k], 4) && holds(mesh->tets[k], v))
                assert_int_equal(lists->items[place++], k);
    }
    assert_int_equal(lists->start[mesh->vertex_count], place);
}

static void boundaries_of_random_meshes_match_naive_loops(void **state)
{
    (void)state;
    snag__random random = {2};
    for (int round = 0; round < 4000; round++) {
        random_mesh made;
        random_mesh_make(&made, &random, 4);
        snag_body_def def = random_mesh_volume(&made);
        snag__mesh mesh = make_volume(&def);
        uint32_t t = 0;
        for (uint32_t k = 0; k < made.element_count; k++)
            for (int i = 0; i < 4; i++) {
                const uint32_t *tet = made.elements[k];
                uint32_t face[3] = {tet[i == 0], tet[1 + (i <= 1)], tet[2 + (i <= 2)]};
                if (repeats(tet, 4) || tets_with_face(&made, face) != 1)
                    continue;
                assert_true(t < mesh.triangle_count);
                assert_face_looks_out(&made, &mesh, t, k, i);
                t++;
            }
        assert_int_equal(mesh.triangle_count, t);
        assert_topology_matches_loops(&mesh);
        assert_vertex_tets_match_loop(&mesh);
        snag__mesh_free(&mesh);
    }
}

static void flat_tetrahedron_is_bounded_as_if_it_were_positive(void **state)
{
    (void)state;
    const double flat[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const double positive[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}};
    const uint32_t tet[4] = {0, 1, 2, 3};
    snag_body_def def = {.positions = snag_positions_f64(&flat[0][0], 4), .tets = tet, .tet_count = 1};
    snag__mesh a = make_volume(&def);
    def.positions = snag_positions_f64(&positive[0][0], 4);
    snag__mesh b = make_volume(&def);
    assert_int_equal(a.triangle_count, 4);
    assert_memory_equal(a.triangles, b.triangles, sizeof(uint32_t[4][3]));
    snag__mesh_free(&a);
    snag__mesh_free(&b);
}

static void boundary_of_a_block_is_closed_and_encloses_its_volume(void **state)
{
    (void)state;
    snag_shape block;
    assert_int_equal(snag_shape_block(7, 5, 3, 0.5, &block), SNAG_OK);
    snag_body_def def = {
        .positions = snag_positions_f64(block.positions, block.vertex_count), .tets = block.tets, .tet_count = block.tet_count};
    snag__mesh mesh = make_volume(&def);
    assert_int_equal(mesh.triangle_count, 2 * 2 * (7 * 5 + 5 * 3 + 3 * 7));
    assert_int_equal(mesh.edge_count, mesh.triangle_count / 2 * 3);
    // Volumes of the tetrahedra from the origin to each outward face add up to the block's; cells of 0.5 are exact.
    double volume = 0;
    const double origin[3] = {0};
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        const uint32_t *v = mesh.triangles[t];
        volume += small_determinant(origin, mesh.x_t1[v[0]], mesh.x_t1[v[1]], mesh.x_t1[v[2]]);
    }
    assert_true(volume == 6 * 3.5 * 2.5 * 1.5);
    snag__mesh_free(&mesh);
    snag_shape_free(&block);
}

static void vertex_of_high_valence_is_no_slower_than_others(void **state)
{
    (void)state;
    // All triangles of a fan meet in vertex 0 and all share the edge 0-1: anything quadratic would take hours.
    enum { COUNT = 300000 };
    double *positions = calloc(COUNT + 2, 3 * sizeof *positions);
    uint32_t *triangles = malloc(COUNT * 3 * sizeof *triangles);
    assert_non_null(positions);
    assert_non_null(triangles);
    for (uint32_t t = 0; t < COUNT; t++) {
        triangles[3 * t] = 0;
        triangles[3 * t + 1] = 1;
        triangles[3 * t + 2] = t + 2;
    }
    snag_body_def def = {.positions = snag_positions_f64(positions, COUNT + 2), .triangles = triangles, .triangle_count = COUNT};
    snag__mesh mesh = make_surface(&def);
    assert_int_equal(mesh.edge_count, 1 + 2 * COUNT);
    assert_int_equal(mesh.edge_triangles.start[1], COUNT);
    assert_int_equal(mesh.vertex_triangles.start[2], 2 * COUNT);
    snag__mesh_free(&mesh);
    free(positions);
    free(triangles);
}

static size_t boundary_of_file(const char *path)
{
    snag_io_mesh file;
    snag_io_error problem;
    assert_int_equal(snag_io_read_mesh(path, &file, &problem), SNAG_OK);
    assert_int_equal(file.body_count, 1);
    const snag_io_body *body = &file.bodies[0];
    snag_body_def def = {
        .positions = snag_positions_f64(body->positions, body->vertex_count), .tets = body->tets, .tet_count = body->tet_count};
    snag__mesh mesh = make_volume(&def);
    size_t count = mesh.triangle_count;
    snag__mesh_free(&mesh);
    snag_io_mesh_free(&file);
    return count;
}

static void boundaries_of_real_meshes_have_the_known_size(void **state)
{
    (void)state;
    // Counted apart from this project: column F of the data's SOURCES.md.
    static const struct {
        const char *file;
        size_t triangles;
    } known[] = {{"banana.vtk", 1100},     {"ditto.vtk", 2968}, {"cow_head.msh", 1986},
                 {"sphere12K.vtk", 24948}, {"link.msh", 796},   {"archbridge.mesh", 4312}};
    const char *data = getenv("SNAG_DATA");
    if (data == NULL) {
        print_message("SNAG_DATA is not set: real meshes are not tested\n");
        skip();
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/tets/%s", data, known[i].file);
        FILE *present = fopen(path, "rb");
        if (present == NULL) {
            print_message("%s is not there: real meshes are not tested\n", path);
            skip();
        }
        fclose(present);
        assert_int_equal(boundary_of_file(path), known[i].triangles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_random_meshes_match_naive_loops),
        cmocka_unit_test(boundaries_of_random_meshes_match_naive_loops),
        cmocka_unit_test(flat_tetrahedron_is_bounded_as_if_it_were_positive),
        cmocka_unit_test(boundary_of_a_block_is_closed_and_encloses_its_volume),
        cmocka_unit_test(vertex_of_high_valence_is_no_slower_than_others),
        cmocka_unit_test(boundaries_of_real_meshes_have_the_known_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
