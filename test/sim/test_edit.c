// Scenes that tear and are cut: they come apart, nothing crosses on the way, and they repeat themselves; bad defs are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim_hash.h"
#include "snag/snag.h"
#include "snag/sim.h"

static snag_sim_def def_of(const char *scene, double size, uint32_t threads)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = scene;
    def.size = size;
    def.threads = threads;
    return def;
}

static snag_sim *make(const snag_sim_def *def)
{
    snag_sim *sim = NULL;
    assert_int_equal(snag_sim_create(def, &sim), SNAG_OK);
    return sim;
}

static void run(snag_sim *sim, int steps)
{
    for (int i = 0; i < steps; i++)
        if (snag_sim_step(sim) != SNAG_OK)
            fail_msg("step %d: %s", i + 1, snag_sim_message(sim));
}

// ---- oracles that share no code with the scenes ----

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

// Parts that hang together, and vertices without elements.
static size_t count_pieces(const snag_sim_body *body)
{
    size_t corners = body->tet_count > 0 ? 4 : 3, pieces = 0;
    size_t count = body->tet_count > 0 ? body->tet_count : body->triangle_count;
    const uint32_t *elements = body->tet_count > 0 ? body->tets : body->triangles;
    uint32_t *parent = malloc(body->vertex_count * sizeof *parent);
    for (uint32_t v = 0; v < body->vertex_count; v++)
        parent[v] = v;
    for (size_t i = 0; i < count * corners; i++) {
        assert_true(elements[i] < body->vertex_count);
        parent[root_of(parent, elements[i])] = root_of(parent, elements[i / corners * corners]);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++)
        pieces += parent[v] == v;
    free(parent);
    return pieces;
}

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

// Loops of border edges of a surface. Each border vertex has two border edges, so that the pieces of the graph of borders are loops.
static size_t count_loops(const snag_sim_body *body)
{
    size_t count = 3 * body->triangle_count, loops = 0;
    uint32_t(*edges)[2] = malloc(count * sizeof *edges), *parent = malloc(body->vertex_count * sizeof *parent);
    uint32_t *ends = calloc(body->vertex_count, sizeof *ends);
    for (size_t i = 0; i < count; i++) {
        uint32_t a = body->triangles[i], b = body->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i][0] = a < b ? a : b;
        edges[i][1] = a < b ? b : a;
    }
    for (uint32_t v = 0; v < body->vertex_count; v++)
        parent[v] = v;
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && compare_edges(edges[i], edges[i + n]) == 0; n++)
            continue;
        assert_true(n <= 2);
        if (n == 2)
            continue;
        ends[edges[i][0]]++;
        ends[edges[i][1]]++;
        parent[root_of(parent, edges[i][0])] = root_of(parent, edges[i][1]);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        assert_true(ends[v] == 0 || ends[v] == 2);
        loops += ends[v] > 0 && parent[v] == v;
    }
    free(edges);
    free(parent);
    free(ends);
    return loops;
}

// Pairs that touch or cross, by brute in a world of its own.
static size_t count_crossings(const snag_sim *sim)
{
    snag_world_def world_def = snag_default_world_def();
    snag_world *world = NULL;
    world_def.threads = 1;
    assert_int_equal(snag_world_create(&world_def, &world), SNAG_OK);
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        snag_body_def def = snag_default_body_def();
        snag_body_id id;
        def.positions = snag_positions_f64(body.positions, body.vertex_count);
        def.triangles = body.triangles;
        def.triangle_count = body.triangle_count;
        assert_int_equal(snag_world_add(world, &def, &id), SNAG_OK);
    }
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_BRUTE;
    ask.self = true;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    size_t count = answer->count;
    snag_world_destroy(world);
    return count;
}

static double six_volumes(const snag_sim_body *body)
{
    double sum = 0;
    for (size_t k = 0; k < body->tet_count; k++) {
        const double *x[4];
        double e[3][3];
        for (size_t i = 0; i < 4; i++)
            x[i] = body->positions + 3 * (size_t)body->tets[4 * k + i];
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 3; c++)
                e[i][c] = x[i + 1][c] - x[0][c];
        sum += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return sum;
}

// ---- the scenes ----

static void a_cloth_rips_over_the_peg(void **state)
{
    (void)state;
    snag_sim_def def = def_of("cloth-rip", 0.2, 1);
    snag_sim *sim = make(&def);
    snag_sim_body before = snag_sim_body_at(sim, 1);
    assert_int_equal(before.edits, 0);
    assert_int_equal(count_loops(&before), 1);
    size_t vertices = before.vertex_count, triangles = before.triangle_count, splits = 0;
    for (int i = 0; i < 120; i++) {
        uint64_t edits = snag_sim_body_at(sim, 1).edits;
        run(sim, 1);
        size_t now = snag_sim_last_step(sim).splits;
        assert_true((now > 0) == (snag_sim_body_at(sim, 1).edits > edits));
        splits += now;
    }
    snag_sim_body after = snag_sim_body_at(sim, 1);
    assert_true(splits > 2);
    assert_int_equal(after.vertex_count, vertices + splits);
    assert_int_equal(after.triangle_count, triangles);
    assert_true(count_loops(&after) > 1 || count_pieces(&after) > 1);
    // The peg has come through: it stands above the lowest part of the cloth and below its border no longer.
    assert_int_equal(count_crossings(sim), 0);
    snag_sim_depth depth;
    assert_int_equal(snag_sim_measure(sim, 0.01, &depth), SNAG_OK);
    assert_int_equal(depth.crossing, 0);
    snag_sim_destroy(sim);
}

static void a_strong_cloth_stays_whole(void **state)
{
    (void)state;
    snag_sim_def def = def_of("cloth-rip", 0.05, 1);
    def.tear = 1e6;
    snag_sim *sim = make(&def);
    run(sim, 80);
    snag_sim_body body = snag_sim_body_at(sim, 1);
    assert_int_equal(body.edits, 0);
    assert_int_equal(count_loops(&body), 1);
    snag_sim_destroy(sim);
}

// So weak that it falls to pieces everywhere, down to single triangles.
static void a_weak_cloth_falls_to_pieces(void **state)
{
    (void)state;
    snag_sim_def def = def_of("cloth-rip", 0.05, 1);
    def.tear = nextafter(1, 2);
    snag_sim *sim = make(&def);
    run(sim, 60);
    snag_sim_body body = snag_sim_body_at(sim, 1);
    assert_true(count_pieces(&body) > 2);
    assert_true(body.vertex_count <= 3 * body.triangle_count);
    assert_int_equal(count_crossings(sim), 0);
    snag_sim_destroy(sim);
}

static void a_block_is_cut_in_two(void **state)
{
    (void)state;
    snag_sim_def def = def_of("block-cut", 0.3, 1);
    snag_sim *sim = make(&def);
    snag_sim_body before = snag_sim_body_at(sim, 1);
    size_t tets = before.tet_count;
    double volume = six_volumes(&before);
    assert_int_equal(count_pieces(&before), 1);
    for (int i = 0; i < 6; i++) {
        run(sim, 40);
        assert_int_equal(count_crossings(sim), 0);
    }
    snag_sim_body after = snag_sim_body_at(sim, 1);
    assert_int_equal(count_pieces(&after), 2);
    assert_int_equal(count_loops(&after), 0);  // both halves are closed
    assert_true(after.tet_count > tets);  // tetrahedra were cut, not only separated
    assert_true(fabs(six_volumes(&after) / volume - 1) < 0.05);
    snag_sim_destroy(sim);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const scenes[] = {"cloth-rip", "block-cut"};
    for (size_t s = 0; s < 2; s++) {
        uint64_t hash[3];
        for (uint32_t k = 0; k < 3; k++) {
            snag_sim_def def = def_of(scenes[s], 0.15, k == 1 ? 2 : 1);
            snag_sim *sim = make(&def);
            run(sim, 90);
            assert_true(snag_sim_body_at(sim, 1).edits > 0);
            hash[k] = sim_hash(sim);
            snag_sim_destroy(sim);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

// Without a response the blade and the peg pass through; all other modes must run, too.
static void every_response_runs(void **state)
{
    (void)state;
    static const char *const scenes[] = {"cloth-rip", "block-cut"};
    for (size_t s = 0; s < 2; s++)
        for (int response = SNAG_SIM_RESPONSE_NONE; response <= SNAG_SIM_RESPONSE_HALF_SPACES; response++) {
            snag_sim_def def = def_of(scenes[s], 0.05, 1);
            def.response = (snag_sim_response)response;
            snag_sim *sim = make(&def);
            run(sim, 60);
            snag_sim_depth depth;
            assert_int_equal(snag_sim_measure(sim, 0.01, &depth), SNAG_OK);
            snag_sim_destroy(sim);
        }
}

static void bad_stretches_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {-1, 0.5, 1, NAN, INFINITY, -INFINITY};
    snag_sim *sim = NULL;
    snag_sim_def def = def_of("cloth-rip", 0.05, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        def.tear = bad[i];
        assert_int_equal(snag_sim_create(&def, &sim), SNAG_ERROR_ARGUMENT);
        assert_null(sim);
    }
    char message[100];
    def = def_of("block-cut", 0.05, 1);
    def.tear = 1.5;
    def.message = message;
    def.message_size = sizeof message;
    assert_int_equal(snag_sim_create(&def, &sim), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(message, "tear"));
    assert_false(snag_sim_scene_edits(0) || snag_sim_scene_edits(SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloth_rips_over_the_peg),
        cmocka_unit_test(a_strong_cloth_stays_whole),
        cmocka_unit_test(a_weak_cloth_falls_to_pieces),
        cmocka_unit_test(a_block_is_cut_in_two),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(every_response_runs),
        cmocka_unit_test(bad_stretches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
