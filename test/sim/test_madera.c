// The scenes of Madera, Day and Laycock: models with the counts of their Table 1, closed, and moving towards each other.
#include "helpers/test.h"

#include "snag/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t vertices, faces;
} table_1[] = {{"torus", 768, 1536}, {"pawn", 610, 1216}, {"figure", 946, 1888}, {"cylinder", 258, 512}, {"tooth", 1202, 2400}};

// Each half-edge has its partner: the surface is closed and all triangles face one way.
static void assert_closed(const snag_sim_body *body)
{
    uint8_t *seen = calloc(body->vertex_count * body->vertex_count, 1);
    for (size_t i = 0; i < 3 * body->triangle_count; i++) {
        uint32_t a = body->triangles[i], b = body->triangles[i / 3 * 3 + (i + 1) % 3];
        assert_int_equal(seen[a * body->vertex_count + b]++, 0);
    }
    for (size_t a = 0; a < body->vertex_count; a++)
        for (size_t b = 0; b < a; b++)
            assert_int_equal(seen[a * body->vertex_count + b], seen[b * body->vertex_count + a]);
    free(seen);
}

static void models_have_the_counts_of_the_table_and_bodies_drift_together(void **state)
{
    (void)state;
    static const char *const scenes[] = {"madera-a", "madera-b", "madera-c"};
    static const size_t counts[] = {10, 4, 2};
    for (int s = 0; s < 3; s++) {
        snag_sim_def def = snag_default_sim_def();
        snag_sim *sim;
        def.scene = scenes[s];
        def.threads = 1;
        assert_int_equal(snag_sim_create(&def, &sim), SNAG_OK);
        assert_int_equal(snag_sim_body_count(sim), counts[s]);
        double before[2][3];
        for (size_t b = 0; b < counts[s]; b++) {
            snag_sim_body body = snag_sim_body_at(sim, b);
            bool known = false;
            for (size_t m = 0; m < sizeof table_1 / sizeof *table_1; m++)
                if (strncmp(body.name, table_1[m].name, strlen(table_1[m].name)) == 0) {
                    assert_int_equal(body.vertex_count, table_1[m].vertices);
                    assert_int_equal(body.triangle_count, table_1[m].faces);
                    known = true;
                }
            assert_true(known && body.moves);
            if (b == 0 || b + 1 == counts[s])
                assert_closed(&body);
            if (b < 2)
                memcpy(before[b], body.positions, sizeof before[b]);
        }
        for (int step = 0; step < 2; step++)
            assert_int_equal(snag_sim_step(sim), SNAG_OK);
        const double *after = snag_sim_body_at(sim, 0).positions;
        double moved = hypot(hypot(after[0] - before[0][0], after[1] - before[0][1]), after[2] - before[0][2]);
        assert_true(moved > 1e-3 && moved < 0.1);
        snag_sim_destroy(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_have_the_counts_of_the_table_and_bodies_drift_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
