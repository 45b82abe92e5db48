// Edits: after any edit the body is what a new body of the same elements would be, byte for byte, for every question and method; numbers
// and ids of what stays do not change; an edit that fails changes nothing.
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A body that is edited, and its arrays as a caller would keep them.
typedef struct model {
    snag_world *world;
    snag_body_id id;
    uint32_t corners;
    uint32_t *elements;
    double *t0, *t1;
    size_t vertex_count, element_count;
} model;

static void read_back(model *m)
{
    snag_body_info info;
    assert_int_equal(snag_world_body(m->world, m->id, &info), SNAG_OK);
    m->vertex_count = info.vertex_count;
    m->element_count = m->corners == 4 ? info.tet_count : info.triangle_count;
    m->elements = realloc(m->elements, (m->element_count + 1) * m->corners * sizeof *m->elements);
    memcpy(m->elements, m->corners == 4 ? info.tets : info.triangles, m->element_count * m->corners * sizeof *m->elements);
}

static model make_model(const snag_shape *shape, uint32_t threads, snag_isa isa)
{
    model m = {.corners = shape->tet_count > 0 ? 4 : 3};
    m.world = scene_world(&(scene_options){.threads = threads, .isa = isa});
    assert_int_equal(scene_add(m.world, shape, SNAG_F64, NULL, &m.id), SNAG_OK);
    m.t0 = calloc(3 * 4096, sizeof *m.t0);
    m.t1 = calloc(3 * 4096, sizeof *m.t1);
    memcpy(m.t0, shape->positions, 3 * shape->vertex_count * sizeof *m.t0);
    memcpy(m.t1, shape->positions, 3 * shape->vertex_count * sizeof *m.t1);
    read_back(&m);
    return m;
}

static void free_model(model *m)
{
    free(m->elements);
    free(m->t0);
    free(m->t1);
    snag_world_destroy(m->world);
}

static void move_model(model *m, double by, snag__random *random)
{
    assert_int_equal(snag_world_begin_step(m->world), SNAG_OK);
    memcpy(m->t0, m->t1, 3 * m->vertex_count * sizeof *m->t0);
    for (size_t i = 0; i < 3 * m->vertex_count; i++)
        m->t1[i] += by * (snag__random_unit(random) - 0.5);
    assert_int_equal(snag_world_move(m->world, m->id, snag_positions_f64(m->t1, m->vertex_count)), SNAG_OK);
}

// A world with a new body like the edited one.
static snag_world *fresh_world(const model *m)
{
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    snag_body_id id;
    def.positions = snag_positions_f64(m->t1, m->vertex_count);
    *(m->corners == 4 ? &def.tets : &def.triangles) = m->elements;
    *(m->corners == 4 ? &def.tet_count : &def.triangle_count) = m->element_count;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(snag_world_teleport(world, id, snag_positions_f64(m->t0, m->vertex_count)), SNAG_OK);
    assert_int_equal(snag_world_move(world, id, def.positions), SNAG_OK);
    return world;
}

static size_t compare_with_fresh(const model *m)
{
    snag_world *fresh = fresh_world(m);
    size_t contacts = 0;
    for (int q = 0; q < SNAG_QUESTION_COUNT; q++) {
        snag_question_def ask = snag_default_question_def((snag_question)q);
        const snag_answer *wanted = NULL, *answer = NULL;
        ask.distance = q == SNAG_PROXIMITIES ? 0.05 : 0;
        ask.method = q == SNAG_OVERLAPS ? SNAG_METHOD_AUTO : SNAG_METHOD_BRUTE;
        assert_int_equal(snag_world_ask(fresh, &ask, &wanted), SNAG_OK);
        for (int method = 0; method < SNAG_METHOD_COUNT; method++) {
            ask.method = (snag_method)method;
            if (method == SNAG_METHOD_ACTIVE || !snag_method_answers(ask.method, ask.question))
                continue;
            ask.self = snag_method_finds_self(ask.method, ask.question);
            assert_int_equal(snag_world_ask(m->world, &ask, &answer), SNAG_OK);
            if (!ask.self)
                continue;
            assert_int_equal(answer->count, wanted->count);
            assert_int_equal(answer->degenerate, wanted->degenerate);
            assert_true(answer->earliest == wanted->earliest);
            assert_memory_equal(answer->contacts, wanted->contacts, wanted->count * sizeof *wanted->contacts);
        }
        contacts += wanted->count;
    }
    snag_world_destroy(fresh);
    return contacts;
}

static bool is_hole(const model *m, size_t element)
{
    const uint32_t *v = m->elements + element * m->corners;
    return v[0] == v[1] && v[1] == v[2];
}

static size_t elements_at(const model *m, uint32_t v, uint32_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < m->element_count; i++)
        for (uint32_t c = 0; c < m->corners && !is_hole(m, i); c++)
            if (m->elements[i * m->corners + c] == v)
                out[count++] = (uint32_t)i;
    return count;
}

// New vertices of the map, as the caller would place them.
static void follow_map(model *m, const snag_edit_map *map, const snag_edit_def *edit)
{
    for (size_t i = 0; i < map->vertex_count; i++) {
        size_t v = map->first_vertex + i;
        if (i < edit->vertices.count) {
            memcpy(m->t1 + 3 * v, (const double *)edit->vertices.data + 3 * i, 3 * sizeof(double));
            memcpy(m->t0 + 3 * v, m->t1 + 3 * v, 3 * sizeof(double));
            continue;
        }
        size_t split = i - edit->vertices.count;
        double at = split < edit->split_vertex_count ? 0 : edit->split_edges[split - edit->split_vertex_count].at;
        uint32_t from = map->vertex_from[i];
        uint32_t other = at > 0 ? edit->split_edges[split - edit->split_vertex_count].vertex[1] : from;
        for (int axis = 0; axis < 3; axis++) {
            m->t0[3 * v + axis] =
                at > 0 ? (1 - at) * m->t0[3 * from + axis] + at * m->t0[3 * other + axis] : m->t0[3 * from + axis];
            m->t1[3 * v + axis] =
                at > 0 ? (1 - at) * m->t1[3 * from + axis] + at * m->t1[3 * other + axis] : m->t1[3 * from + axis];
        }
    }
    read_back(m);
}

// ---- random edits ----

// False if there is nothing to do.
static bool edit_at_random(model *m, snag__random *random)
{
    uint32_t around[256], element = snag__random_below(random, (uint32_t)m->element_count), moved[4];
    const uint32_t *v = m->elements + (size_t)element * m->corners;
    snag_edit_def edit = snag_default_edit_def();
    snag_edit_map map;
    snag_split_vertex tear;
    snag_split_edge split;
    double x[3];
    if (is_hole(m, element))
        return false;
    size_t count = elements_at(m, v[0], around);
    switch (snag__random_below(random, 5)) {
    case 0:  // a tear
        tear = (snag_split_vertex){v[0], around, 1 + snag__random_below(random, (uint32_t)count)};
        edit.split_vertices = &tear;
        edit.split_vertex_count = count > tear.element_count;
        break;
    case 1:
        split = (snag_split_edge){{v[0], v[1]}, 0.1 + 0.8 * snag__random_unit(random)};
        edit.split_edges = &split;
        edit.split_edge_count = 1;
        break;
    case 2:  // a hole
        edit.removed = &element;
        edit.removed_count = 1;
        for (uint32_t c = 0; c < m->corners; c++)
            if (elements_at(m, v[c], around) == 1)
                return false;
        break;
    case 3:  // rewired to a new vertex
        for (uint32_t c = 0; c < m->corners; c++)
            if (elements_at(m, v[c], around) == 1)
                return false;
        memcpy(moved, v, m->corners * sizeof *v);
        moved[0] = (uint32_t)m->vertex_count;
        for (int axis = 0; axis < 3; axis++)
            x[axis] = m->t1[3 * v[0] + axis] + 0.1;
        edit.vertices = snag_positions_f64(x, 1);
        edit.rewired = &element;
        edit.rewired_vertices = moved;
        edit.rewired_count = 1;
        break;
    default:  // another element, of old vertices
        memcpy(moved, v, m->corners * sizeof *v);
        moved[0] = snag__random_below(random, (uint32_t)m->vertex_count);
        for (uint32_t c = 1; c < m->corners; c++)
            if (moved[c] == moved[0])
                return false;
        edit.added = moved;
        edit.added_count = 1;
        break;
    }
    assert_int_equal(snag_world_edit(m->world, m->id, &edit, &map), SNAG_OK);
    follow_map(m, &map, &edit);
    return true;
}

// Asks after every edit, or after some: trees are up to so many edits behind.
static void run_life(const snag_shape *shape, uint32_t seed, int edits, uint32_t behind)
{
    snag__random random = {seed};
    model m = make_model(shape, 1 + seed % 2, scene_isa(seed));
    size_t contacts = 0;
    for (int i = 0; i < edits; i++) {
        if (i % 3 == 0)
            move_model(&m, 0.1, &random);
        // A boundary looks out of the volume as it lay at the last edit.
        if (edit_at_random(&m, &random) && snag__random_below(&random, behind) == 0)
            contacts += compare_with_fresh(&m);
    }
    assert_true(contacts > 0);
    free_model(&m);
}

// Where a body collapses into a point, or vertices come within the separation of a corner that a removed triangle had, there is still no triangle
// to hit.
static void removed_triangles_are_not_hit(void **state)
{
    (void)state;
    const double from[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0.2, 0.3, -0.4, -1, 0.1};
    const uint32_t triangles[6] = {0, 1, 2, 0, 3, 4};
    const uint32_t first = 0, left[2] = {1, 2};
    static const snag_method methods[] = {SNAG_METHOD_BRUTE, SNAG_METHOD_KDOP, SNAG_METHOD_HASH, SNAG_METHOD_AUTO};
    for (int round = 0; round < 16; round++) {
        const bool collapses = round & 1, scalar = round & 2;
        double to[15] = {0};
        memcpy(to, from, collapses ? 0 : sizeof to);
        snag_world *world = scene_world(&(scene_options){.threads = 1, .isa = scalar ? SNAG_ISA_SCALAR : SNAG_ISA_BEST});
        snag_body_def body = snag_default_body_def();
        snag_body_id id;
        body.positions = snag_positions_f64(from, 5);
        body.triangles = triangles, body.triangle_count = 2;
        assert_int_equal(snag_world_add(world, &body, &id), SNAG_OK);
        snag_edit_def edit = snag_default_edit_def();
        edit.removed = &first, edit.removed_count = 1;
        edit.removed_vertices = left, edit.removed_vertex_count = 2;
        assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_OK);
        assert_int_equal(snag_world_begin_step(world), SNAG_OK);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(to, 5)), SNAG_OK);
        for (int output = 0; output < SNAG_OUTPUT_FORM_COUNT; output++) {
            snag_question_def ask = snag_default_question_def(SNAG_IMPACTS);
            const snag_answer *answer = NULL;
            ask.method = methods[round / 4];
            ask.output = (snag_output)output;
            ask.separation = collapses ? 0 : 1.2;
            assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
            assert_int_equal(answer->count, 0);
            assert_true(answer->earliest == 1);
        }
        snag_world_destroy(world);
    }
}

static void an_edited_body_is_as_a_new_one(void **state)
{
    (void)state;
    snag__random random = {51};
    snag_shape sheet = scene_crumpled_sheet(6, 0.3, &random), block;
    assert_int_equal(snag_shape_block(2, 2, 2, 0.3, &block), SNAG_OK);
    for (uint32_t seed = 0; seed < 4; seed++) {
        run_life(&sheet, seed, 25, 1);
        run_life(&block, seed, 25, 1);
    }
    snag_shape_free(&sheet);
    snag_shape_free(&block);
}

// Trees of a larger surface are repaired many times over, by one edit or several at once, before they are built anew.
static void trees_follow_many_edits(void **state)
{
    (void)state;
    snag__random random = {52};
    snag_shape sheet = scene_crumpled_sheet(18, 0.1, &random);
    for (uint32_t seed = 0; seed < 2; seed++)
        run_life(&sheet, seed, 60, 4);
    snag_shape_free(&sheet);
}

// ---- maps ----

static const double strip[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
static const uint32_t strip_triangles[] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4};

static snag_shape strip_shape(void)
{
    snag_shape shape = {.positions = (double *)(uintptr_t)strip,
                        .vertex_count = 6,
                        .triangles = (uint32_t *)(uintptr_t)strip_triangles,
                        .triangle_count = 4};
    return shape;
}

static void maps_tell_new_from_old(void **state)
{
    (void)state;
    snag_shape shape = strip_shape();
    model m = make_model(&shape, 1, SNAG_ISA_BEST);
    snag_split_edge split = {{3, 2}, 0.25};
    uint32_t upper[] = {3}, removed[] = {0}, corner[] = {0};
    snag_split_vertex tear = {3, upper, 1};
    snag_edit_def edit = snag_default_edit_def();
    edit.split_edges = &split;
    edit.split_edge_count = 1;
    edit.split_vertices = &tear;
    edit.split_vertex_count = 1;
    edit.removed = removed;
    edit.removed_count = 1;
    edit.removed_vertices = corner;
    edit.removed_vertex_count = 1;
    snag_edit_map map;
    assert_int_equal(snag_world_edit(m.world, m.id, &edit, &map), SNAG_OK);
    assert_true(map.first_vertex == 6 && map.vertex_count == 2 && map.first_element == 4 && map.element_count == 2);
    assert_true(map.vertex_from[0] == 3 && map.vertex_from[1] == 3);
    assert_true(map.element_from[0] == 1 && map.element_from[1] == 2);
    assert_true(map.triangles[0] == SNAG_NO_NUMBER && map.triangles[1] == 1 && map.triangles[3] == 3);
    snag_body_info info;
    assert_int_equal(snag_world_body(m.world, m.id, &info), SNAG_OK);
    // Edges before: 0-1 0-2 1-2 1-3 2-3 2-4 3-4 3-5 4-5.
    assert_int_equal(map.old_edge_count, 9);
    assert_true(map.edges[0] == SNAG_NO_NUMBER && map.edges[1] == SNAG_NO_NUMBER && map.edges[4] == SNAG_NO_NUMBER &&
                map.edges[7] == SNAG_NO_NUMBER);
    assert_true(info.edges[2 * map.edges[6]] == 3 && info.edges[2 * map.edges[6] + 1] == 4);
    assert_true(info.triangles[0] == info.triangles[1] && info.triangles[1] == info.triangles[2]);
    // The vertex on the edge lies a quarter from vertex 3, and triangle 3 has the torn vertex.
    follow_map(&m, &map, &edit);
    assert_true(m.t1[21] == 0.75 && m.t1[22] == 1);
    assert_int_equal(info.triangles[9], 6);
    free_model(&m);
}

// Vertices that come of one split are the ends of the next: each split finds the elements of all before.
static void splits_follow_splits(void **state)
{
    (void)state;
    snag_shape shape = strip_shape();
    model m = make_model(&shape, 1, SNAG_ISA_BEST);
    const uint32_t upper[] = {3};
    const snag_split_vertex tear = {3, upper, 1};
    // 6 is the torn vertex; 7 lies on 3-2, 8 on 7-2, 9 on 8-2, 10 on 6-4.
    const snag_split_edge splits[] = {{{3, 2}, 0.5}, {{7, 2}, 0.5}, {{8, 2}, 0.5}, {{6, 4}, 0.5}};
    snag_edit_def edit = snag_default_edit_def();
    edit.split_vertices = &tear;
    edit.split_vertex_count = 1;
    edit.split_edges = splits;
    edit.split_edge_count = 4;
    snag_edit_map map;
    assert_int_equal(snag_world_edit(m.world, m.id, &edit, &map), SNAG_OK);
    assert_int_equal(map.vertex_count, 5);
    assert_int_equal(map.element_count, 2 + 2 + 2 + 1);
    snag_body_info info;
    assert_int_equal(snag_world_body(m.world, m.id, &info), SNAG_OK);
    for (size_t e = 0; e < info.edge_count; e++)
        assert_false(info.edges[2 * e] == 2 && (info.edges[2 * e + 1] == 3 || info.edges[2 * e + 1] == 7));
    follow_map(&m, &map, &edit);
    assert_true(m.t1[27] == 0.125 && m.t1[28] == 1);
    free_model(&m);
}

// A tetrahedron that repeats a vertex has no edges: it is not cut, whichever list it stands in.
static void elements_that_repeat_a_vertex_are_not_cut(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t tets[] = {0, 1, 2, 3, 0, 1, 1, 2}, triangles[] = {0, 1, 2, 0, 1, 1, 0, 1, 3};
    const snag_split_edge split = {{0, 1}, 0.5}, none = {{1, 2}, 0.5};
    snag_edit_def edit = snag_default_edit_def();
    edit.split_edges = &split;
    edit.split_edge_count = 1;
    for (int volume = 0; volume < 2; volume++) {
        snag_shape shape = {.positions = (double *)(uintptr_t)x, .vertex_count = 4};
        shape.tets = (uint32_t *)(uintptr_t)tets;
        shape.tet_count = volume ? 2 : 0;
        shape.triangles = (uint32_t *)(uintptr_t)triangles;
        shape.triangle_count = volume ? 0 : 3;
        model m = make_model(&shape, 1, SNAG_ISA_BEST);
        snag_edit_map map;
        assert_int_equal(snag_world_edit(m.world, m.id, &edit, &map), SNAG_OK);
        assert_int_equal(map.element_count, volume ? 1 : 2);
        free_model(&m);
    }
    const snag_shape flat = {.positions = (double *)(uintptr_t)x,
                             .vertex_count = 4,
                             .triangles = (uint32_t *)(uintptr_t)(tets + 5),
                             .triangle_count = 1};
    model m = make_model(&flat, 1, SNAG_ISA_BEST);
    edit.split_edges = &none;
    assert_int_equal(snag_world_edit(m.world, m.id, &edit, NULL), SNAG_ERROR_INDEX);
    free_model(&m);
}

// Vertices of removed triangles are in no tree; all triangles may be gone.
static void removed_triangles_leave_distances_alone(void **state)
{
    (void)state;
    snag_shape shape = strip_shape();
    for (int all = 0; all < 2; all++) {
        model m = make_model(&shape, 1, SNAG_ISA_BEST);
        snag_body_id other;
        snag_shape above;
        assert_int_equal(snag_shape_sheet(2, 2, 1, 1, &above), SNAG_OK);
        snag_shape_transform(&above, 1, 0, 0, 5);
        assert_int_equal(scene_add(m.world, &above, SNAG_F64, NULL, &other), SNAG_OK);
        const uint32_t removed[] = {0, 1, 2, 3}, vertices[] = {0, 1, 2, 3, 4, 5};
        snag_edit_def edit = snag_default_edit_def();
        edit.removed = removed;
        edit.removed_count = all ? 4 : 1;
        edit.removed_vertices = vertices;
        edit.removed_vertex_count = all ? 6 : 1;
        assert_int_equal(snag_world_edit(m.world, m.id, &edit, NULL), SNAG_OK);
        snag_question_def ask = snag_default_question_def(SNAG_DISTANCE);
        const snag_answer *answer = NULL;
        for (int method = SNAG_METHOD_AUTO; method < SNAG_METHOD_COUNT; method++) {
            ask.method = (snag_method)method;
            if (!snag_method_answers(ask.method, SNAG_DISTANCE))
                continue;
            assert_int_equal(snag_world_ask(m.world, &ask, &answer), SNAG_OK);
            assert_int_equal(answer->count, all ? 0 : 1);
            assert_true(all || answer->contacts[0].value == 5);
        }
        snag_shape_free(&above);
        free_model(&m);
    }
}

// ---- tracking ----

static uint64_t id_of(const snag_answer *answer, const snag_contact *was)
{
    for (size_t i = 0; i < answer->count; i++)
        if (answer->contacts[i].a.kind == SNAG_VERTEX && answer->contacts[i].a.index == was->a.index &&
            answer->contacts[i].b.index == was->b.index && answer->contacts[i].body_a.index == was->body_a.index &&
            answer->contacts[i].body_b.index == was->body_b.index)
            return answer->contacts[i].id;
    return 0;
}

static void ids_survive_where_their_elements_do(void **state)
{
    (void)state;
    snag__random random = {52};
    snag_shape sheet = scene_crumpled_sheet(8, 0.3, &random);
    model m = make_model(&sheet, 1, SNAG_ISA_BEST);
    // A second body behind it, whose numbers shift with every edit.
    snag_body_id other;
    snag_shape_transform(&sheet, 1, 0.01, 0.02, 0.01);
    assert_int_equal(scene_add(m.world, &sheet, SNAG_F64, NULL, &other), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.03;
    ask.every_pair = true;
    ask.track = true;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(m.world, &ask, &answer), SNAG_OK);
    size_t count = answer->count, kept = 0, lost = 0;
    snag_contact *before = malloc(count * sizeof *before);
    memcpy(before, answer->contacts, count * sizeof *before);
    assert_true(count > 50);
    uint32_t removed[] = {40, 41}, around[64];
    snag_split_edge split = {{m.elements[3 * 20], m.elements[3 * 20 + 1]}, 0.5};
    snag_edit_def edit = snag_default_edit_def();
    edit.removed = removed;
    edit.removed_count = 2;
    edit.split_edges = &split;
    edit.split_edge_count = 1;
    for (int c = 0; c < 6; c++)
        assert_true(elements_at(&m, m.elements[3 * 40 + c], around) > 2);
    snag_edit_map map;
    assert_int_equal(snag_world_edit(m.world, m.id, &edit, &map), SNAG_OK);
    uint32_t *edges = malloc(map.old_edge_count * sizeof *edges);
    memcpy(edges, map.edges, map.old_edge_count * sizeof *edges);
    assert_int_equal(snag_world_ask(m.world, &ask, &answer), SNAG_OK);
    size_t persisting = 0;
    for (size_t i = 0; i < answer->count; i++)
        persisting += answer->contacts[i].phase == SNAG_PHASE_PERSIST;
    for (size_t i = 0; i < count; i++) {
        if (before[i].a.kind != SNAG_VERTEX)
            continue;
        uint64_t now = id_of(answer, &before[i]);
        bool gone = before[i].body_b.index == m.id.index && (before[i].b.index == 40 || before[i].b.index == 41);
        assert_true(!gone || now == 0);
        if (now != 0) {
            assert_true(now == before[i].id);
            kept++;
        }
        lost += gone;
    }
    assert_true(kept + persisting > 40);
    // What has ended is named by its old elements, each id once.
    assert_int_equal(persisting + answer->ended_count, count);
    bool found = lost == 0;
    for (size_t i = 0; i < answer->ended_count; i++)
        found = found || (answer->ended[i].kind_b == SNAG_TRIANGLE && answer->ended[i].b == 40) || answer->ended[i].b == 41;
    assert_true(found);
    free(before);
    free(edges);
    snag_shape_free(&sheet);
    free_model(&m);
}

// ---- filters ----

// A tetrahedron that is turned round has its faces in another order, and so have its contacts.
static void ids_survive_where_elements_change_their_order(void **state)
{
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, point[] = {0.1, 0.1, 0.1};
    const uint32_t tet[] = {0, 1, 2, 3}, turned[] = {3, 2, 1, 0}, which[] = {0};
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    snag_body_id cloud, volume;
    def.positions = snag_positions_f64(point, 1);
    assert_int_equal(snag_world_add(world, &def, &cloud), SNAG_OK);
    def.positions = snag_positions_f64(x, 4);
    def.tets = tet;
    def.tet_count = 1;
    assert_int_equal(snag_world_add(world, &def, &volume), SNAG_OK);
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 1;
    ask.every_pair = true;
    ask.track = true;
    ask.self = false;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 4);
    uint64_t ids[4];
    for (int i = 0; i < 4; i++)
        ids[i] = answer->contacts[i].id;
    snag_edit_def edit = snag_default_edit_def();
    edit.rewired = which;
    edit.rewired_vertices = turned;
    edit.rewired_count = 1;
    snag_edit_map map;
    assert_int_equal(snag_world_edit(world, volume, &edit, &map), SNAG_OK);
    assert_true(map.triangles[0] == 3 && map.triangles[3] == 0);
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->ended_count, 0);
    for (int i = 0; i < 4; i++)
        assert_true(answer->contacts[map.triangles[i]].id == ids[i]);
    snag_world_destroy(world);
}

static void filters_follow_an_edit(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_body_def def = snag_default_body_def();
    static const uint32_t all[] = {3, 3, 3, 3, 3, 3};
    def.positions = def.rest = snag_positions_f64(strip, 6);
    def.triangles = strip_triangles;
    def.triangle_count = 4;
    def.vertex_groups = all;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    const double x[] = {0.5, 0.5, 0.1};
    static const uint32_t added[] = {6, 0, 1}, one[] = {3};
    snag_edit_def edit = snag_default_edit_def();
    edit.vertices = snag_positions_f64(x, 1);
    edit.added = added;
    edit.added_count = 1;
    assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "the body has groups by vertex"));
    edit.vertex_groups = one;
    assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_ERROR_MISMATCH);
    assert_non_null(strstr(snag_world_message(world), "the body has a rest pose"));
    static const uint32_t none[] = {4};
    edit.rest = edit.vertices;
    edit.vertex_groups = none;
    assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_world_message(world), "triangle 4: its vertices have no bit of their groups in common"));
    edit.vertex_groups = one;
    assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_OK);
    snag_filter filter = snag_default_filter();
    filter.exclude_rest = 0.01;
    filter.exclude_rings = 1;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 0.2;
    ask.filter = &filter;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->count, 0);
    // Removed elements cannot be excluded.
    static const uint32_t removed[] = {4}, loose[] = {6};
    edit = snag_default_edit_def();
    edit.removed = removed;
    edit.removed_count = 1;
    edit.removed_vertices = loose;
    edit.removed_vertex_count = 1;
    assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_OK);
    snag_excluded_pair pair = {id, id, {.kind = SNAG_TRIANGLE, .index = 4}, {.kind = SNAG_TRIANGLE, .index = 0}};
    snag_exclusion_def exclude = snag_default_exclusion_def();
    exclude.pairs = &pair;
    exclude.pair_count = 1;
    assert_int_equal(snag_world_exclude(world, &exclude, &filter.exclusions), SNAG_ERROR_INDEX);
    assert_non_null(strstr(snag_world_message(world), "pair 0: triangle 4 of body 1 was removed"));
    snag_world_destroy(world);
}

// Given in any order and direction; rods beside a triangle, whose sides have its label.
static void rods_and_points_have_labels(snag_world *world)
{
    static const uint32_t triangle[] = {0, 1, 2}, edges[] = {4, 3, 2, 3, 0, 2}, points[] = {5, 4}, of_triangle[] = {1};
    static const uint32_t of_edges[] = {11, 12, 13}, of_points[] = {21, 22};
    snag_body_def def = snag_default_body_def();
    snag_body_id id;
    snag_body_info info;
    def.positions = snag_positions_f64(strip, 6);
    def.triangles = triangle;
    def.triangle_count = 1;
    def.edges = edges;
    def.edge_count = 3;
    def.points = points;
    def.point_count = 2;
    def.edge_labels = of_edges;
    def.point_labels = of_points;
    for (int with = 0; with < 2; with++) {
        def.labels = with ? of_triangle : NULL;
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
        assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
        assert_int_equal(info.rod_count, 3);
        for (uint32_t i = 0; i < 3; i++) {  // 0-2, 2-3, 3-4
            const snag_element rod = {.kind = SNAG_EDGE, .index = info.rods[i]};
            assert_int_equal(info.rod_labels[i], 13 - i);
            assert_int_equal(snag_world_label(world, id, &rod), i == 0 ? (with ? 1 : 0) : 13 - i);
        }
        assert_int_equal(info.point_labels[0], 22);
        const uint32_t expected[] = {1, 1, 1, 12, 22, 21};
        for (uint32_t v = 0; v < 6; v++) {
            const snag_element vertex = {.kind = SNAG_VERTEX, .index = v};
            assert_int_equal(snag_world_label(world, id, &vertex), v < 3 && !with ? 0 : expected[v]);
        }
        assert_int_equal(snag_world_remove(world, id), SNAG_OK);
    }
}

static void labels_come_back_in_contacts(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    static const uint32_t labels[] = {7, 8, 9, 10}, tet[] = {0, 1, 2, 3}, sizes[] = {4}, quad[] = {0, 1, 3, 2}, of_quad[] = {5};
    static const double corner[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    snag_body_def def = snag_default_body_def();
    snag_body_id surface, volume, polygon, plain;
    def.positions = snag_positions_f64(strip, 6);
    def.triangles = strip_triangles;
    def.triangle_count = 4;
    assert_int_equal(snag_world_add(world, &def, &plain), SNAG_OK);
    def.labels = labels;
    assert_int_equal(snag_world_add(world, &def, &surface), SNAG_OK);
    def = snag_default_body_def();
    def.positions = snag_positions_f64(corner, 4);
    def.tets = tet;
    def.tet_count = 1;
    def.labels = of_quad;
    assert_int_equal(snag_world_add(world, &def, &volume), SNAG_OK);
    def = snag_default_body_def();
    def.positions = snag_positions_f64(strip, 6);
    def.polygon_sizes = sizes;
    def.polygon_vertices = quad;
    def.polygon_count = 1;
    def.labels = of_quad;
    assert_int_equal(snag_world_add(world, &def, &polygon), SNAG_OK);
    const snag_element triangle = {.kind = SNAG_TRIANGLE, .index = 1}, vertex = {.kind = SNAG_VERTEX, .index = 3};
    const snag_element edge = {.kind = SNAG_EDGE, .index = 8}, far = {.kind = SNAG_TRIANGLE, .index = 4}, k = {.kind = SNAG_TET};
    assert_int_equal(snag_world_label(world, surface, &triangle), 8);
    assert_int_equal(snag_world_label(world, surface, &vertex), 8);
    assert_int_equal(snag_world_label(world, surface, &edge), 10);
    assert_int_equal(snag_world_label(world, surface, &far), 0);
    assert_int_equal(snag_world_label(world, plain, &triangle), 0);
    assert_int_equal(snag_world_label(world, volume, &k), 5);
    assert_int_equal(snag_world_label(world, volume, &triangle), 5);
    assert_int_equal(snag_world_label(world, polygon, &triangle), 5);
    assert_int_equal(snag_world_label(world, polygon, NULL), 0);
    assert_int_equal(snag_world_label(NULL, polygon, &triangle), 0);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, surface, &info), SNAG_OK);
    assert_int_equal(info.labels[info.triangle_faces[2]], 9);
    rods_and_points_have_labels(world);
    // They follow an edit: halves of an element have its label, also of one that the edit adds.
    static const uint32_t added[] = {0, 3, 5}, of_added[] = {42};
    const snag_split_edge splits[] = {{{4, 5}, 0.5}, {{0, 5}, 0.5}};
    snag_edit_def edit = snag_default_edit_def();
    snag_edit_map map;
    edit.split_edges = splits;
    edit.split_edge_count = 2;
    edit.added = added;
    edit.added_count = 1;
    edit.added_labels = of_added;
    assert_int_equal(snag_world_edit(world, surface, &edit, &map), SNAG_OK);
    assert_true(map.element_count == 3 && map.element_from[1] == 3 && map.element_from[2] == SNAG_NO_NUMBER);
    const snag_element half_of_new = {.kind = SNAG_TRIANGLE, .index = 6};
    assert_int_equal(snag_world_label(world, surface, &half_of_new), 42);
    const snag_element half = {.kind = SNAG_TRIANGLE, .index = 5}, new_one = {.kind = SNAG_TRIANGLE, .index = 4};
    assert_int_equal(snag_world_label(world, surface, &half), 10);
    assert_int_equal(snag_world_label(world, surface, &new_one), 42);
    snag_world_destroy(world);
}

// ---- bad input ----

static void refuse(model *m, const snag_edit_def *edit, snag_status status, const char *words)
{
    snag_edit_map map = {.first_vertex = 99};
    assert_int_equal(snag_world_edit(m->world, m->id, edit, &map), status);
    if (strstr(snag_world_message(m->world), words) == NULL)
        fail_msg("message: %s", snag_world_message(m->world));
    assert_int_equal(map.first_vertex, 99);
    snag_body_info info;
    assert_int_equal(snag_world_body(m->world, m->id, &info), SNAG_OK);
    assert_true(info.vertex_count == 6 && info.triangle_count == 4 && info.edge_count == 9);
    assert_memory_equal(info.triangles, strip_triangles, sizeof strip_triangles);
}

static void bad_edits_change_nothing(void **state)
{
    (void)state;
    snag_shape shape = strip_shape();
    model m = make_model(&shape, 1, SNAG_ISA_BEST);
    const snag_edit_def none = snag_default_edit_def();
    snag_edit_def edit = none;
    edit.cookie = 0;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "snag_default_edit_def");
    refuse(&m, NULL, SNAG_ERROR_ARGUMENT, "must not be NULL");
    static const uint32_t list[] = {0, 4, 0}, lower[] = {0, 1};
    edit = none;
    edit.removed = list;
    edit.removed_count = 2;
    refuse(&m, &edit, SNAG_ERROR_INDEX, "removed: triangle 4 does not exist (the body has 4)");
    edit.removed_count = 1;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "vertex 0 would be left without elements: list it in removed_vertices");
    edit.removed = NULL;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "removed elements are NULL, and their count is 1");
    static const uint32_t twice[] = {1, 1};
    edit.removed = twice;
    edit.removed_count = 2;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "the edit contradicts itself: triangle 1 is already removed");
    edit = none;
    edit.removed_vertices = lower;
    edit.removed_vertex_count = 1;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "vertex 0 still has elements");
    snag_split_vertex tear = {2, lower, 2};
    edit = none;
    edit.split_vertices = &tear;
    edit.split_vertex_count = 1;
    tear.vertex = 4;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "split vertex 0: triangle 0 does not have vertex 4");
    tear.vertex = 6;
    refuse(&m, &edit, SNAG_ERROR_INDEX, "split vertex 0: vertex 6 does not exist");
    tear = (snag_split_vertex){0, lower, 1};
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "vertex 0 would be left without elements");
    tear.element_count = 0;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "no elements are listed");
    snag_split_edge split = {{0, 3}, 0.5};
    edit = none;
    edit.split_edges = &split;
    edit.split_edge_count = 1;
    refuse(&m, &edit, SNAG_ERROR_INDEX, "split edge 0: no triangle has the edge 0-3");
    const double bad[] = {0, 1, -1, NAN};
    split.vertex[1] = 1;
    for (int i = 0; i < 4; i++) {
        split.at = bad[i];
        refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "split edge 0 (0-1): at must be strictly between 0 and 1");
    }
    static const uint32_t wrong[] = {1, 7, 2}, same[] = {1, 2, 2}, fine[] = {1, 5, 2};
    edit = none;
    edit.added = wrong;
    edit.added_count = 1;
    refuse(&m, &edit, SNAG_ERROR_INDEX, "added element 0: vertex 7 does not exist");
    edit.added = same;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "added element 0: its vertex 2 is there twice");
    edit = none;
    edit.rewired = lower;
    edit.rewired_vertices = fine;
    edit.rewired_count = 1;
    edit.removed = lower;
    edit.removed_count = 1;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "triangle 0 is already removed");
    edit.removed_count = 0;
    split = (snag_split_edge){{0, 1}, 0.5};
    edit.split_edges = &split;
    edit.split_edge_count = 1;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "the edit contradicts itself: triangle 0 is split");
    double x[] = {0, NAN, 0};
    edit = none;
    edit.vertices = snag_positions_f64(x, 1);
    refuse(&m, &edit, SNAG_ERROR_NOT_FINITE, "vertex 0 is not finite");
    x[1] = 0;
    refuse(&m, &edit, SNAG_ERROR_ARGUMENT, "vertex 6 would be left without elements: use the new vertex");
    snag_body_id wrong_id = {9, 9};
    assert_int_equal(snag_world_edit(m.world, wrong_id, &none, NULL), SNAG_ERROR_BODY);
    assert_int_equal(snag_world_edit(NULL, m.id, &none, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_world_edit(m.world, m.id, &none, NULL), SNAG_OK);
    free_model(&m);
}

static void bodies_that_cannot_be_edited_say_so(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_edit_def edit = snag_default_edit_def();
    snag_body_def def = snag_default_body_def();
    static const uint32_t sizes[] = {4}, corners[] = {0, 1, 3, 2};
    snag_body_id id;
    def.positions = snag_positions_f64(strip, 6);
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(world), "body 1 has no elements"));
    def.polygon_sizes = sizes;
    def.polygon_vertices = corners;
    def.polygon_count = 1;
    assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    assert_int_equal(snag_world_edit(world, id, &edit, NULL), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(world), "body 2 was made of polygons"));
    snag_world_destroy(world);
}

// ---- memory ----

static snag_status edit_and_ask(const snag_allocator *allocator, void *context)
{
    (void)context;
    snag_world_def world_def = snag_default_world_def();
    world_def.allocator = *allocator;
    world_def.threads = 1;
    snag_world *world;
    snag_status status = snag_world_create(&world_def, &world);
    if (status != SNAG_OK)
        return status;
    snag_body_def def = snag_default_body_def();
    def.positions = def.rest = snag_positions_f64(strip, 6);
    def.triangles = strip_triangles;
    def.triangle_count = 4;
    snag_body_id id;
    status = snag_world_add(world, &def, &id);
    snag_split_edge splits[] = {{{2, 3}, 0.5}, {{1, 2}, 0.5}};
    static const uint32_t upper[] = {3};
    snag_split_vertex tear = {3, upper, 1};
    snag_edit_def edit = snag_default_edit_def();
    edit.split_edges = splits;
    edit.split_edge_count = 2;
    edit.split_vertices = &tear;
    edit.split_vertex_count = 1;
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    ask.distance = 2;
    ask.track = true;
    const snag_answer *answer;
    if (status == SNAG_OK)
        status = snag_world_ask(world, &ask, &answer);
    if (status == SNAG_OK) {
        status = snag_world_edit(world, id, &edit, NULL);
        snag_body_info info;
        // All or nothing.
        assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
        assert_true(info.vertex_count == (status == SNAG_OK ? 9u : 6u));
    }
    if (status == SNAG_OK)
        status = snag_world_ask(world, &ask, &answer);
    snag_world_destroy(world);
    return status;
}

static void memory_may_run_out_half_way(void **state)
{
    (void)state;
    assert_true(failing_allocator_sweep(edit_and_ask, NULL) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_follow_splits),
        cmocka_unit_test(ids_survive_where_elements_change_their_order),
        cmocka_unit_test(elements_that_repeat_a_vertex_are_not_cut),
        cmocka_unit_test(removed_triangles_leave_distances_alone),
        cmocka_unit_test(removed_triangles_are_not_hit),
        cmocka_unit_test(an_edited_body_is_as_a_new_one),
        cmocka_unit_test(trees_follow_many_edits),
        cmocka_unit_test(maps_tell_new_from_old),
        cmocka_unit_test(ids_survive_where_their_elements_do),
        cmocka_unit_test(filters_follow_an_edit),
        cmocka_unit_test(labels_come_back_in_contacts),
        cmocka_unit_test(bad_edits_change_nothing),
        cmocka_unit_test(bodies_that_cannot_be_edited_say_so),
        cmocka_unit_test(memory_may_run_out_half_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
