// What is peculiar to `hash`: the answer does not depend on its cells, its table or its blocks. Witnesses are brute and,
// where that is too slow, the paper's own way.
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include "paper_hash.h"
#include "snag/io.h"
#include "tet_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static any_question question_for(snag_method method)
{
    any_question ask = any_default(SNAG_PENETRATIONS);
    ask.method = method;  // depths are the same whatever method found the contact, and take longer than the search
    return ask;
}

static const snag_answer *ask_world(snag_world *world, const any_question *ask)
{
    const snag_answer *answer = NULL;
    if (any_ask(world, ask, &answer) != SNAG_OK)
        fail_msg("%s", snag_world_message(world));
    return answer;
}

static uint64_t hash_of(snag_world *world, const any_question *ask)
{
    return scene_hash(ask_world(world, ask));
}

static size_t assert_equals_brute(snag_world *world)
{
    any_question brute = question_for(SNAG_METHOD_BRUTE), ask = question_for(SNAG_METHOD_HASH);
    uint64_t expected = hash_of(world, &brute);
    assert_int_equal(hash_of(world, &ask), expected);
    return ask_world(world, &ask)->count;
}

static void assert_equals_brute_with_edges(snag_world *world)
{
    any_question ask = question_for(SNAG_METHOD_BRUTE);
    ask.edges = true;
    uint64_t expected = hash_of(world, &ask);
    ask.method = SNAG_METHOD_HASH;
    assert_int_equal(hash_of(world, &ask), expected);
}

static snag_body_id add_shape(snag_world *world, const snag_shape *shape)
{
    snag_body_id id;
    assert_int_equal(scene_add(world, shape, SNAG_F64, NULL, &id), SNAG_OK);
    return id;
}

// ---- the paper's setups ----

typedef struct joined {
    double (*x)[3];
    uint32_t (*tets)[4];
    paper_mesh mesh;
} joined;

static joined join(const tet_scene *scene)
{
    joined j = {malloc(scene->vertex_count * sizeof *j.x), malloc(scene->tet_count * sizeof *j.tets), {0}};
    size_t first = 0, tet = 0;
    for (size_t i = 0; i < scene->body_count; i++) {
        const snag_shape *shape = &scene->bodies[i].shape;
        memcpy(j.x + first, shape->positions, 3 * shape->vertex_count * sizeof(double));
        for (size_t k = 0; k < 4 * shape->tet_count; k++)
            j.tets[tet + k / 4][k % 4] = (uint32_t)first + shape->tets[k];
        first += shape->vertex_count;
        tet += shape->tet_count;
    }
    j.mesh = (paper_mesh){(const double(*)[3])j.x, scene->vertex_count, (const uint32_t(*)[4])j.tets, scene->tet_count};
    return j;
}

// Contacts as pairs of the joined mesh; they come sorted. Bodies of a scene are alike, and their ids count from 1.
static void assert_equals_paper(const tet_scene *scene, const snag_answer *answer, paper_variant variant)
{
    joined j = join(scene);
    paper_hash *paper = paper_hash_new(&j.mesh, 0, 0);
    const paper_pair *found = NULL;
    size_t count = 0;
    assert_true(paper_hash_step(paper, &j.mesh, variant, &found, &count));
    paper_pair *pairs = malloc((count + 1) * sizeof *pairs);
    if (count > 0)
        memcpy(pairs, found, count * sizeof *pairs);
    count = paper_pairs_sort(pairs, count);
    assert_int_equal(answer->count, count);
    const snag_shape *shape = &scene->bodies[0].shape;
    for (size_t i = 0; i < count; i++) {
        const snag_contact *c = &answer->contacts[i];
        assert_int_equal(pairs[i].vertex, (c->body_a.index - 1) * shape->vertex_count + c->a.index);
        assert_int_equal(pairs[i].tet, (c->body_b.index - 1) * shape->tet_count + c->b.index);
    }
    free(pairs);
    paper_hash_free(paper);
    free(j.x);
    free(j.tets);
}

static void the_papers_setups_have_its_counts_and_its_contacts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t bodies, tets, vertices;
    } setups[] = {
        {"A", 100, 1000, 1200}, {"B", 8, 4000, 1936}, {"C", 20, 10000, 4840}, {"D", 2, 20514, 5898}, {"E", 100, 50000, 24200}};
    for (size_t i = 0; i < sizeof setups / sizeof *setups; i++) {
        tet_scene scene;
        assert_true(tet_scene_make(setups[i].name, 0, &scene));
        assert_int_equal(scene.body_count, setups[i].bodies);
        assert_int_equal(scene.tet_count, setups[i].tets);
        assert_int_equal(scene.vertex_count, setups[i].vertices);
        snag_body_id *ids = malloc(scene.body_count * sizeof *ids);
        snag_world *world = scene_world(&(scene_options){.threads = 2});
        assert_int_equal(tet_scene_add(&scene, world, ids), SNAG_OK);
        any_question ask = question_for(SNAG_METHOD_HASH);
        for (int step = 0; step < 3; step++) {
            tet_scene_pose(&scene, 5 * step);
            assert_int_equal(tet_scene_move(&scene, world, ids), SNAG_OK);
            assert_true(ask_world(world, &ask)->count > 0);
            assert_equals_paper(&scene, ask_world(world, &ask), step % 2 ? PAPER_HALF_SPACES : PAPER_BARYCENTRIC);
            if (scene.tet_count <= 4000) {
                assert_equals_paper(&scene, ask_world(world, &ask), PAPER_ONE_PASS);
                assert_equals_paper(&scene, ask_world(world, &ask), PAPER_ONE_PASS_ONCE);
                assert_equals_brute(world);
            }
        }
        snag_world_destroy(world);
        free(ids);
        tet_scene_free(&scene);
    }
}

// ---- real meshes ----

// Adds a mesh and a copy of it that is shifted by a part of its size.
static void add_with_shifted_copy(snag_world *world, snag_shape *shape)
{
    add_shape(world, shape);
    double size = 0;
    for (size_t v = 0; v < 3 * shape->vertex_count; v++)
        size = fmax(size, fabs(shape->positions[v] - shape->positions[v % 3]));
    snag_shape_transform(shape, 1, 0.11 * size, -0.07 * size, 0.05 * size);
    add_shape(world, shape);
}

// TetGen's pair of files, which count from 0 or 1.
static bool read_tetgen(const char *folder, const char *name, snag_shape *shape)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tets/%s.node", folder, name);
    FILE *nodes = fopen(path, "r");
    snprintf(path, sizeof path, "%s/tets/%s.ele", folder, name);
    FILE *elements = nodes ? fopen(path, "r") : NULL;
    *shape = (snag_shape){0};
    char line[256];
    size_t first = 0;
    if (elements && fgets(line, sizeof line, nodes) && sscanf(line, "%zu", &shape->vertex_count) == 1) {
        shape->positions = calloc(3 * shape->vertex_count, sizeof(double));
        for (size_t v = 0, number = 0; v < shape->vertex_count && fgets(line, sizeof line, nodes); v++) {
            double *x = &shape->positions[3 * v];
            assert_int_equal(sscanf(line, "%zu %lf %lf %lf", &number, &x[0], &x[1], &x[2]), 4);
            first = v == 0 ? number : first;
        }
        assert_true(fgets(line, sizeof line, elements) && sscanf(line, "%zu", &shape->tet_count) == 1);
        shape->tets = calloc(4 * shape->tet_count, sizeof(uint32_t));
        for (size_t k = 0; k < shape->tet_count && fgets(line, sizeof line, elements); k++) {
            uint32_t *v = &shape->tets[4 * k];
            assert_int_equal(sscanf(line, "%*u %u %u %u %u", &v[0], &v[1], &v[2], &v[3]), 4);
            for (int c = 0; c < 4; c++)
                v[c] -= (uint32_t)first;
        }
    }
    if (nodes)
        fclose(nodes);
    if (elements)
        fclose(elements);
    return shape->tet_count > 0;
}

static void real_meshes_against_shifted_copies(void **state)
{
    (void)state;
    const char *folder = getenv("SNAG_DATA");
    static const char *const files[] = {"archbridge.mesh", "banana.vtk", "cow_head.msh", "ditto.vtk", "link.msh", "sphere12K.vtk"};
    size_t found = 0;
    for (size_t i = 0; folder != NULL && i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/tets/%s", folder, files[i]);
        snag_io_mesh mesh;
        snag_io_error error = {0};
        if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK)
            continue;
        found++;
        snag_world *world = scene_world(&(scene_options){0});
        for (size_t b = 0; b < mesh.body_count; b++) {
            const snag_io_body *body = &mesh.bodies[b];
            snag_shape shape = {
                .positions = body->positions, .vertex_count = body->vertex_count, .tets = body->tets, .tet_count = body->tet_count};
            if (body->tet_count > 0)
                add_with_shifted_copy(world, &shape);
        }
        assert_true(assert_equals_brute(world) > 0);
        snag_world_destroy(world);
        snag_io_mesh_free(&mesh);
    }
    snag_shape armadillo;
    if (folder != NULL && read_tetgen(folder, "armadillo_4k", &armadillo)) {
        found++;
        snag_world *world = scene_world(&(scene_options){0});
        add_with_shifted_copy(world, &armadillo);
        assert_true(assert_equals_brute(world) > 0);
        snag_world_destroy(world);
        snag_shape_free(&armadillo);
    }
    if (found == 0) {
        print_message("SNAG_DATA names no folder with tets/: skipped\n");
        skip();
    }
}

// ---- any cells, any table ----

static void cell_and_table_size_do_not_change_the_answer(void **state)
{
    (void)state;
    snag__random random = {41};
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    snag_shape block, soup = scene_tet_soup(60, 0, &random);
    assert_int_equal(snag_shape_block(6, 5, 4, 0.2, &block), SNAG_OK);
    scene_shake(&block, 0.05, &random);
    add_shape(world, &block);
    add_shape(world, &soup);
    static const double cells[] = {0, 5e-324, 1e-300, 1e-9, 0.01, 0.1, 0.3, 1, 100, 1e300, 1.7e308};
    static const uint32_t tables[] = {0, 1, 2, 7, 97, 100003};
    enum { CELLS = sizeof cells / sizeof *cells, TABLES = sizeof tables / sizeof *tables };
    // Vertices in tetrahedra by every cell with every table, the others by some.
    for (int round = 0; round < 4; round++) {
        any_question ask = any_default((snag_question)(round < 3 ? round : SNAG_PENETRATIONS));
        ask.method = SNAG_METHOD_BRUTE;
        ask.edges = round < 3;
        ask.distance = 0.02;
        uint64_t expected = hash_of(world, &ask);
        ask.method = SNAG_METHOD_HASH;
        for (size_t i = 0; i < (round < 3 ? CELLS : CELLS * TABLES); i++) {
            ask.cell_size = cells[i % CELLS];
            ask.table_size = tables[i % TABLES];
            assert_int_equal(hash_of(world, &ask), expected);
        }
    }
    snag_world_destroy(world);
    snag_shape_free(&block);
    snag_shape_free(&soup);
}

static void a_bad_cell_size_is_refused_and_named(void **state)
{
    (void)state;
    static const double bad[] = {-1, NAN, INFINITY, -INFINITY};
    snag_world *world = scene_world(&(scene_options){0});
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        any_question ask = question_for(SNAG_METHOD_HASH);
        ask.cell_size = bad[i];
        const snag_answer *answer = NULL;
        assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_ARGUMENT);
        assert_non_null(strstr(snag_world_message(world), "cell size"));
    }
    snag_world_destroy(world);
}

// ---- hard cases ----

static void nested_inverted_and_flat_bodies(void **state)
{
    (void)state;
    snag__random random = {42};
    snag_world *world = scene_world(&(scene_options){0});
    snag_shape outer, inner, mirrored, flat;
    assert_int_equal(snag_shape_block(5, 5, 5, 1, &outer), SNAG_OK);
    assert_int_equal(snag_shape_block(4, 4, 4, 0.3, &inner), SNAG_OK);
    assert_int_equal(snag_shape_block(3, 3, 3, 1, &mirrored), SNAG_OK);
    assert_int_equal(snag_shape_block(3, 3, 3, 1, &flat), SNAG_OK);
    snag_shape_transform(&inner, 1, 2.05, 2.1, 1.9);
    snag_shape_transform(&mirrored, -1, 4.5, 4.6, 4.7);
    for (size_t v = 0; v < flat.vertex_count; v++)
        flat.positions[3 * v + 2] = 1;
    scene_shake(&outer, 0.6, &random);  // far enough to turn tetrahedra inside out
    snag_body_id id = add_shape(world, &outer);
    add_shape(world, &inner);
    add_shape(world, &mirrored);
    add_shape(world, &flat);
    assert_true(assert_equals_brute(world) > 300);
    assert_equals_brute_with_edges(world);
    any_question ask = question_for(SNAG_METHOD_HASH);
    assert_true(ask_world(world, &ask)->degenerate >= flat.tet_count);
    // Tetrahedra without volume are counted anew for each pose, by either method.
    for (size_t v = 0; v < outer.vertex_count; v++)
        outer.positions[3 * v] = 0.5;
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(outer.positions, outer.vertex_count)), SNAG_OK);
    assert_true(ask_world(world, &ask)->degenerate >= flat.tet_count + outer.tet_count);
    assert_equals_brute(world);
    snag_world_destroy(world);
    snag_shape_free(&outer);
    snag_shape_free(&inner);
    snag_shape_free(&mirrored);
    snag_shape_free(&flat);
}

static void one_huge_tetrahedron_among_small_ones_and_far_away(void **state)
{
    (void)state;
    static const double shifts[] = {0, -50, 1e7, -1e7};
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        snag_world *world = scene_world(&(scene_options){.threads = 2});
        snag_shape a, b;
        assert_int_equal(snag_shape_block(8, 7, 6, 0.25, &a), SNAG_OK);
        assert_int_equal(snag_shape_block(7, 8, 6, 0.25, &b), SNAG_OK);
        for (size_t c = 0; c < 4; c++)
            for (size_t axis = 0; axis < 3; axis++)
                a.positions[3 * a.tets[4 * 700 + c] + axis] = c == axis + 1 ? 300 : -100;
        snag_shape_transform(&a, 1, shifts[i], shifts[i], -shifts[i]);
        snag_shape_transform(&b, 1, shifts[i] + 0.3, shifts[i] + 0.4, -shifts[i] + 0.1);
        add_shape(world, &a);
        add_shape(world, &b);
        assert_true(assert_equals_brute(world) > b.vertex_count);
        if (i == 1)
            assert_equals_brute_with_edges(world);
        snag_world_destroy(world);
        snag_shape_free(&a);
        snag_shape_free(&b);
    }
}

// Shapes that leave a grid no good choice: all in one plane or on one line but for one vertex, all in a point, two dense
// clusters far apart, sizes that differ by orders of magnitude.
static void planar_clouds_clusters_and_mixed_sizes(void **state)
{
    (void)state;
    for (int choice = 0; choice < 6; choice++) {
        snag_world *world = scene_world(&(scene_options){.threads = 2});
        snag__random random = {46};
        snag_shape a, soup = scene_tet_soup(100, 0, &random);
        assert_int_equal(snag_shape_block(4, 4, 4, 0.2, &a), SNAG_OK);
        for (size_t v = 0; v < a.vertex_count; v++) {
            double *x = &a.positions[3 * v];
            if (choice <= 1)
                x[2] = 0.3;
            if (choice == 1)
                x[1] = 0.4;
            if (choice == 2)
                x[0] = x[1] = x[2] = 0.5;
            if (choice == 3 && v % 2)
                x[0] += 1e6;
            for (int axis = 0; axis < 3 && choice == 4; axis++)
                x[axis] = pow(10, -6 * x[axis]);
        }
        if (choice <= 2)
            a.positions[2] = 7;
        // Vertices alone, of no element: a cloud that lies in one plane.
        snag_shape cloud = {.positions = a.positions, .vertex_count = a.vertex_count};
        for (size_t v = 0; v < a.vertex_count && choice == 5; v++)
            a.positions[3 * v + 2] = 0.31;
        add_shape(world, choice == 5 ? &cloud : &a);
        add_shape(world, &soup);
        assert_true(assert_equals_brute(world) > 0);
        assert_equals_brute_with_edges(world);
        snag_world_destroy(world);
        snag_shape_free(&a);
        snag_shape_free(&soup);
    }
}

// A body that is scrambled after its tetrahedra were sorted: the blocks are spoilt and sorted anew, the answer is right.
static void a_scrambled_body_is_sorted_anew(void **state)
{
    (void)state;
    snag__random random = {43};
    snag_world *world = scene_world(&(scene_options){0});
    snag_shape block;
    assert_int_equal(snag_shape_block(8, 8, 8, 1, &block), SNAG_OK);
    snag_body_id id = add_shape(world, &block);
    for (int step = 0; step < 4; step++) {
        assert_equals_brute(world);
        for (size_t v = 0; step < 2 && v < block.vertex_count; v++)
            for (size_t axis = 0; axis < 3; axis++)
                block.positions[3 * v + axis] = snag__random_range(&random, 0, 9);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(block.positions, block.vertex_count)), SNAG_OK);
    }
    snag_world_destroy(world);
    snag_shape_free(&block);
}

// ---- surfaces ----

// Sheets too large for brute, which `kdop` answers by a way of its own; one is stretched, so that sizes differ.
static void large_sheets_have_the_contacts_of_kdop(void **state)
{
    (void)state;
    snag__random random = {48};
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    for (int i = 0; i < 3; i++) {
        snag_shape sheet = scene_crumpled_sheet(40, 0.1, &random);
        for (size_t v = 0; v < sheet.vertex_count && i == 2; v++)
            sheet.positions[3 * v] = pow(sheet.positions[3 * v] + 1, 4);
        snag_body_id id = add_shape(world, &sheet);
        scene_shake(&sheet, 0.004, &random);
        assert_int_equal(snag_world_move(world, id, snag_positions_f64(sheet.positions, sheet.vertex_count)), SNAG_OK);
        snag_shape_free(&sheet);
    }
    for (int question = SNAG_INTERSECTIONS; question <= SNAG_IMPACTS; question++) {
        if (question == SNAG_PENETRATIONS)
            continue;
        any_question ask = any_default((snag_question)question);
        ask.distance = 0.003;
        ask.method = SNAG_METHOD_KDOP;
        uint64_t expected = hash_of(world, &ask);
        ask.method = SNAG_METHOD_HASH;
        assert_int_equal(hash_of(world, &ask), expected);
        assert_true(ask_world(world, &ask)->count > 50);
    }
    snag_world_destroy(world);
}

// ---- who is asked ----

static bool not_second_with_first(void *context, snag_body_id a, snag_body_id b)
{
    (void)context;
    return !(a.index + b.index == 3) && !(a.index == 3 && b.index == 3);
}

static void self_between_and_filter_are_kept(void **state)
{
    (void)state;
    snag__random random = {44};
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    for (int i = 0; i < 4; i++) {
        snag_shape soup = scene_tet_soup(30, 0, &random);
        add_shape(world, &soup);
        snag_shape_free(&soup);
    }
    uint64_t seen[8];
    for (int round = 0; round < 8; round++) {
        int choice = round % 4;
        any_question ask = question_for(SNAG_METHOD_BRUTE);
        ask.question = round < 4 ? SNAG_PENETRATIONS : SNAG_INTERSECTIONS;
        ask.self = choice != 1;
        ask.between = choice != 2;
        ask.filter = choice == 3 ? not_second_with_first : NULL;
        seen[round] = hash_of(world, &ask);
        ask.method = SNAG_METHOD_HASH;
        assert_int_equal(hash_of(world, &ask), seen[round]);
        for (int other = 0; other < round; other++)
            assert_true(seen[other] != seen[round]);
    }
    snag_world_destroy(world);
}

// All questions, with details, on volumes and surfaces that move.
static void every_instruction_set_and_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    snag__random random = {47};
    snag_shape shapes[3], moved[3];
    shapes[0] = scene_crumpled_sheet(14, 0.15, &random);
    shapes[1] = scene_tet_soup(40, 0, &random);
    assert_int_equal(snag_shape_block(3, 3, 2, 0.2, &shapes[2]), SNAG_OK);
    for (int i = 0; i < 3; i++) {
        moved[i] = shapes[i];
        moved[i].positions = malloc(3 * shapes[i].vertex_count * sizeof(double));
        memcpy(moved[i].positions, shapes[i].positions, 3 * shapes[i].vertex_count * sizeof(double));
        scene_shake(&moved[i], 0.03, &random);
    }
    uint64_t expected[SNAG_QUESTION_COUNT] = {0};
    for (int isa = SNAG_ISA_SCALAR; isa <= SNAG_ISA_NEON; isa++)
        for (uint32_t threads = 1; threads <= 4; threads *= 2) {
            snag_world *world = scene_world(&(scene_options){.isa = (snag_isa)isa, .threads = threads});
            if (world == NULL)
                continue;  // not on this machine
            for (int i = 0; i < 3; i++) {
                snag_body_id id = add_shape(world, &shapes[i]);
                snag_positions x = snag_positions_f64(moved[i].positions, moved[i].vertex_count);
                assert_int_equal(snag_world_move(world, id, x), SNAG_OK);
            }
            for (int question = 0; question <= SNAG_IMPACTS; question++) {
                any_question ask = any_default((snag_question)question);
                ask.method = SNAG_METHOD_HASH;
                ask.distance = 0.01;
                ask.edges = true;
                uint64_t seen = hash_of(world, &ask);
                assert_true(ask_world(world, &ask)->count > 100);
                expected[question] = expected[question] ? expected[question] : seen;
                assert_int_equal(seen, expected[question]);
            }
            snag_world_destroy(world);
        }
    for (int i = 0; i < 3; i++) {
        free(moved[i].positions);
        snag_shape_free(&shapes[i]);
    }
}

// ---- memory ----

static void steps_allocate_nothing_and_little_is_kept(void **state)
{
    (void)state;
    failing_allocator counter;
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = failing_allocator_start(&counter, 0)});
    tet_scene scene;
    assert_true(tet_scene_make("C", 0, &scene));
    snag_body_id ids[20];
    assert_int_equal(tet_scene_add(&scene, world, ids), SNAG_OK);
    any_question ask = question_for(SNAG_METHOD_HASH);
    ask.output = SNAG_OUTPUT_COUNT;  // so that no depth is searched for, which has memory of its own
    ask_world(world, &ask);
    snag_memory memory;
    assert_int_equal(snag_world_memory(world, &memory), SNAG_OK);
    assert_int_equal(memory.total, counter.live_bytes);
    assert_true(memory.methods > 0 && memory.methods <= 64 * scene.vertex_count + 16 * scene.tet_count);
    ask.output = SNAG_OUTPUT_CONTACTS;
    for (int step = 0; step < 6; step++) {
        size_t calls = counter.calls;
        tet_scene_pose(&scene, step % 3);
        assert_int_equal(tet_scene_move(&scene, world, ids), SNAG_OK);
        ask.question = SNAG_PENETRATIONS;
        ask.edges = false;
        ask_world(world, &ask);
        ask.edges = true;
        ask_world(world, &ask);
        ask.question = SNAG_INTERSECTIONS;
        ask_world(world, &ask);
        assert_true(step < 3 || counter.calls == calls);
    }
    tet_scene_free(&scene);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&counter);
}

static snag_status ask_two_blocks(const snag_allocator *allocator, void *context)
{
    const snag_shape *block = context;
    snag_world_def def = snag_default_world_def();
    def.allocator = *allocator;
    def.threads = 1;
    snag_world *world = NULL;
    snag_status status = snag_world_create(&def, &world);
    snag_body_id id;
    if (status == SNAG_OK)
        status = scene_add(world, block, SNAG_F64, NULL, &id);
    any_question ask = question_for(SNAG_METHOD_HASH);
    const snag_answer *answer;
    ask.edges = true;
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = any_ask(world, &ask, &answer);
    snag_world_destroy(world);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    snag__random random = {45};
    snag_shape soup = scene_tet_soup(30, 0, &random);
    assert_true(failing_allocator_sweep(ask_two_blocks, &soup) > 10);
    snag_shape_free(&soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_setups_have_its_counts_and_its_contacts),
        cmocka_unit_test(real_meshes_against_shifted_copies),
        cmocka_unit_test(cell_and_table_size_do_not_change_the_answer),
        cmocka_unit_test(a_bad_cell_size_is_refused_and_named),
        cmocka_unit_test(nested_inverted_and_flat_bodies),
        cmocka_unit_test(one_huge_tetrahedron_among_small_ones_and_far_away),
        cmocka_unit_test(planar_clouds_clusters_and_mixed_sizes),
        cmocka_unit_test(a_scrambled_body_is_sorted_anew),
        cmocka_unit_test(large_sheets_have_the_contacts_of_kdop),
        cmocka_unit_test(self_between_and_filter_are_kept),
        cmocka_unit_test(every_instruction_set_and_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(steps_allocate_nothing_and_little_is_kept),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
