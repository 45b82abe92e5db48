// A surface that is repaired in place after an edit is, array by array, the mesh that is built anew from the edited triangles.
#include "base/random.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"
#include "mesh/edit.h"
#include "snag/mesh.h"
#include "snag/shapes.h"

#include <stdlib.h>
#include <string.h>

static snag_status make_sheet(uint32_t cells, const snag_allocator *allocator, snag__mesh *mesh)
{
    snag_shape sheet;
    assert_int_equal(snag_shape_sheet(cells, cells, 1, 1, &sheet), SNAG_OK);
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(sheet.positions, sheet.vertex_count);
    def.triangles = sheet.triangles;
    def.triangle_count = sheet.triangle_count;
    snag__mesh_error error;
    snag_status status = snag__mesh_from_def(&def, allocator, mesh, &error);
    snag_shape_free(&sheet);
    return status;
}

static void assert_same_lists(const snag__csr *a, const snag__csr *b, uint32_t count)
{
    assert_memory_equal(a->start, b->start, (count + 1) * sizeof *a->start);
    assert_memory_equal(a->items, b->items, a->start[count] * sizeof *a->items);
}

static void assert_as_built_anew(const snag__mesh *mesh)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&mesh->x_t1[0][0], mesh->vertex_count);
    def.triangles = &mesh->triangles[0][0];
    def.triangle_count = mesh->triangle_count;
    snag__mesh anew;
    snag__mesh_error error;
    assert_int_equal(snag__mesh_from_def(&def, &mesh->allocator, &anew, &error), SNAG_OK);
    assert_int_equal(mesh->edge_count, anew.edge_count);
    assert_int_equal(mesh->triangle_holes, anew.triangle_holes);
    assert_memory_equal(mesh->edges, anew.edges, anew.edge_count * sizeof *anew.edges);
    assert_memory_equal(mesh->triangle_edges, anew.triangle_edges, anew.triangle_count * sizeof *anew.triangle_edges);
    assert_memory_equal(mesh->triangle_faces, anew.triangle_faces, anew.triangle_count * sizeof *anew.triangle_faces);
    assert_memory_equal(mesh->vertex_used, anew.vertex_used, anew.vertex_count);
    assert_same_lists(&mesh->vertex_triangles, &anew.vertex_triangles, anew.vertex_count);
    assert_same_lists(&mesh->edge_triangles, &anew.edge_triangles, anew.edge_count);
    assert_same_lists(&mesh->vertex_tets, &anew.vertex_tets, anew.vertex_count);
    assert_true(snag__mesh_validate(mesh));
    snag__mesh_free(&anew);
}

// What an edit may list; elements are named once.
typedef struct wishes {
    uint32_t removed[8], rewired[8], rewired_vertices[24], added[24], split_elements[8][64], used[64];
    snag_split_vertex tears[8];
    snag_split_edge cuts[8];
    double vertices[6];
    size_t used_count;
    snag_edit_def def;
} wishes;

static bool is_free(wishes *w, uint32_t t)
{
    for (size_t i = 0; i < w->used_count; i++)
        if (w->used[i] == t)
            return false;
    w->used[w->used_count++] = t;
    return true;
}

static uint32_t a_triangle(const snag__mesh *mesh, snag__random *random)
{
    uint32_t t = snag__random_below(random, mesh->triangle_count);
    while (snag__is_hole(mesh->triangles[t], 3))
        t = (t + 1) % mesh->triangle_count;
    return t;
}

static void wish(wishes *w, const snag__mesh *mesh, snag__random *random)
{
    snag_edit_def *def = &w->def;
    uint32_t t = a_triangle(mesh, random), v = mesh->triangles[t][snag__random_below(random, 3)];
    const snag__csr *around = &mesh->vertex_triangles;
    const uint32_t count = around->start[v + 1] - around->start[v];
    size_t i;
    switch (snag__random_below(random, 5)) {
    case 0:
        if (is_free(w, t))
            w->removed[def->removed_count++] = t;
        break;
    case 1:
        if (!is_free(w, t))
            break;
        i = def->rewired_count++;
        w->rewired[i] = t;
        memcpy(w->rewired_vertices + 3 * i, mesh->triangles[t], 3 * sizeof(uint32_t));
        w->rewired_vertices[3 * i] = snag__random_below(random, mesh->vertex_count + 2);
        break;
    case 2:
        i = def->added_count++;
        memcpy(w->added + 3 * i, mesh->triangles[t], 3 * sizeof(uint32_t));
        w->added[3 * i + snag__random_below(random, 3)] = snag__random_below(random, mesh->vertex_count + 2);
        break;
    case 3:
        i = def->split_vertex_count;
        w->tears[i] = (snag_split_vertex){v, w->split_elements[i], 0};
        for (uint32_t k = 0; k < count && k < 64 && k <= count / 2 && w->used_count < 60; k++)
            if (is_free(w, around->items[around->start[v] + k]))
                w->split_elements[i][w->tears[i].element_count++] = around->items[around->start[v] + k];
        def->split_vertex_count += w->tears[i].element_count > 0;
        break;
    default: w->cuts[def->split_edge_count++] = (snag_split_edge){{mesh->triangles[t][0], mesh->triangles[t][1]}, 0.5}; break;
    }
}

// An edit of several changes. Many contradict themselves: they are refused.
static void wish_for_all(wishes *w, const snag__mesh *mesh, snag__random *random)
{
    *w = (wishes){.def = snag_default_edit_def(), .vertices = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
    for (uint32_t i = 0, count = 1 + snag__random_below(random, 4); i < count; i++)
        wish(w, mesh, random);
    snag_edit_def *def = &w->def;
    bool vertices = false;
    for (size_t i = 0; i < 3 * def->rewired_count; i++)
        vertices = vertices || w->rewired_vertices[i] >= mesh->vertex_count;
    for (size_t i = 0; i < 3 * def->added_count; i++)
        vertices = vertices || w->added[i] >= mesh->vertex_count;
    def->vertices = snag_positions_f64(w->vertices, vertices ? 2 : 0);
    def->removed = w->removed;
    def->rewired = w->rewired;
    def->rewired_vertices = w->rewired_vertices;
    def->added = w->added;
    def->split_vertices = w->tears;
    def->split_edges = w->cuts;
}

// Old elements by the maps, from what was there before.
static void assert_maps_hold(const snag__mesh *mesh, const snag__edited *edited, uint32_t (*old_edges)[2], uint32_t old_count)
{
    uint32_t last = 0, stay = 0;
    for (uint32_t e = 0; e < old_count; e++) {
        if (edited->edges[e] == SNAG_NO_NUMBER)
            continue;
        assert_memory_equal(mesh->edges[edited->edges[e]], old_edges[e], sizeof *old_edges);
        assert_true(stay++ == 0 || edited->edges[e] > last);
        last = edited->edges[e];
    }
    const snag__repair *r = &edited->repair;
    assert_int_equal(stay + r->gone_count, old_count);
    assert_int_equal(stay + r->made_count, mesh->edge_count);
    for (uint32_t i = 0; i < r->gone_count; i++)
        assert_true(edited->edges[r->gone[i]] == SNAG_NO_NUMBER);
    for (uint32_t i = 0; i < r->made_count; i++)
        assert_memory_equal(mesh->edges[r->made[i].edge], r->made[i].vertex, 2 * sizeof(uint32_t));
}

static bool edit_once(snag__mesh *mesh, snag__edited *edited, snag__random *random)
{
    wishes w;
    snag__mesh made;
    snag__mesh_error error;
    wish_for_all(&w, mesh, random);
    snag_status status = snag__mesh_edit(mesh, &w.def, false, edited, &made, &error);
    if (status != SNAG_OK) {
        assert_true(status == SNAG_ERROR_ARGUMENT || status == SNAG_ERROR_INDEX);
        return false;
    }
    assert_true(edited->in_place);
    const uint32_t count = mesh->edge_count;
    uint32_t(*edges)[2] = calloc(count, sizeof *edges);
    memcpy(edges, mesh->edges, count * sizeof *edges);
    snag__mesh_repair(mesh, edited);
    assert_int_equal(mesh->edge_count, made.edge_count);
    assert_int_equal(mesh->vertex_count, made.vertex_count);
    assert_int_equal(mesh->triangle_count, made.triangle_count);
    assert_as_built_anew(mesh);
    assert_maps_hold(mesh, edited, edges, count);
    free(edges);
    return true;
}

static void a_repaired_surface_is_the_one_built_anew(void **state)
{
    (void)state;
    const snag_allocator allocator = snag__default_allocator();
    int edits = 0;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        snag__random random = {seed};
        snag__mesh mesh;
        assert_int_equal(make_sheet(8 + seed, &allocator, &mesh), SNAG_OK);
        snag__edited edited = {0};
        assert_as_built_anew(&mesh);
        for (int i = 0; i < 400; i++)
            edits += edit_once(&mesh, &edited, &random);
        snag__edited_free(&allocator, &edited);
        snag__mesh_free(&mesh);
    }
    assert_true(edits > 800);
}

// Whichever allocation fails, nothing has changed; and memory is given back in the sizes that it was asked for.
static snag_status edit_twice(const snag_allocator *allocator, void *context)
{
    const snag_allocator reliable = snag__default_allocator();
    (void)context;
    snag__mesh mesh;
    snag__edited edited = {0};
    snag_status status = make_sheet(10, allocator, &mesh);
    for (int i = 0; i < 2 && status == SNAG_OK; i++) {
        const uint32_t upper[] = {mesh.vertex_triangles.items[mesh.vertex_triangles.start[30 + i]]}, edges = mesh.edge_count;
        const snag_split_vertex tear = {(uint32_t)(30 + i), upper, 1};
        snag_edit_def def = snag_default_edit_def();
        snag__mesh made;
        snag__mesh_error error;
        def.split_vertices = &tear;
        def.split_vertex_count = 1;
        status = snag__mesh_edit(&mesh, &def, false, &edited, &made, &error);
        assert_int_equal(mesh.edge_count, edges);
        if (status == SNAG_OK)
            snag__mesh_repair(&mesh, &edited);
        mesh.allocator = reliable;
        assert_as_built_anew(&mesh);
        mesh.allocator = *allocator;
    }
    snag__edited_free(allocator, &edited);
    snag__mesh_free(&mesh);
    return status;
}

static void without_memory_the_surface_is_as_it_was(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(edit_twice, NULL) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repaired_surface_is_the_one_built_anew),
        cmocka_unit_test(without_memory_the_surface_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
