// Whole scenes through the public calls: they run to their end, look as promised, repeat themselves; bad defs are
// refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"
#include "sim_hash.h"
#include "snag/sim.h"

#define FRAMES 72

static snag_sim *make_with(const char *scene, double size, uint64_t seed, snag_sim_response response, uint32_t threads)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = scene;
    def.size = size;
    def.seed = seed;
    def.response = response;
    def.threads = threads;
    snag_sim *sim = NULL;
    assert_int_equal(snag_sim_create(&def, &sim), SNAG_OK);
    assert_non_null(sim);
    return sim;
}

static snag_sim *make(const char *scene, double size, uint64_t seed)
{
    return make_with(scene, size, seed, SNAG_SIM_RESPONSE_SCENE, 1);
}

// ---- an oracle for pairs of triangles that cross: an edge of one passes through the other ----

static double volume(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++)
        u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static bool edge_crosses(const double *p, const double *q, const double *const t[3])
{
    if (volume(t[0], t[1], t[2], p) * volume(t[0], t[1], t[2], q) >= 0)
        return false;
    double a = volume(p, q, t[0], t[1]), b = volume(p, q, t[1], t[2]), c = volume(p, q, t[2], t[0]);
    return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

static void corners(const snag_sim_body *body, size_t t, const double *corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = body->positions + 3 * (size_t)body->triangles[3 * t + (size_t)k];
}

static bool apart(const double *const a[3], const double *const b[3])
{
    for (int k = 0; k < 3; k++) {
        double low_a = fmin(a[0][k], fmin(a[1][k], a[2][k])), high_a = fmax(a[0][k], fmax(a[1][k], a[2][k]));
        double low_b = fmin(b[0][k], fmin(b[1][k], b[2][k])), high_b = fmax(b[0][k], fmax(b[1][k], b[2][k]));
        if (low_a > high_b || low_b > high_a)
            return true;
    }
    return false;
}

static bool share_a_vertex(const uint32_t *a, const uint32_t *b)
{
    for (int i = 0; i < 9; i++)
        if (a[i / 3] == b[i % 3])
            return true;
    return false;
}

static size_t crossings(const snag_sim_body *p, const snag_sim_body *q)
{
    size_t count = 0;
    bool self = p->positions == q->positions;
    for (size_t s = 0; s < p->triangle_count; s++) {
        for (size_t t = self ? s + 1 : 0; t < q->triangle_count; t++) {
            const double *a[3], *b[3];
            corners(p, s, a);
            corners(q, t, b);
            if (apart(a, b) || (self && share_a_vertex(p->triangles + 3 * s, q->triangles + 3 * t)))
                continue;
            bool meets = false;
            for (int k = 0; k < 3 && !meets; k++)
                meets = edge_crosses(a[k], a[(k + 1) % 3], b) || edge_crosses(b[k], b[(k + 1) % 3], a);
            count += meets;
        }
    }
    return count;
}

// ---- running ----

static double energy(const snag_sim *sim)
{
    const snag__implicit *system = &sim->system;
    double sum = 0;
    for (uint32_t i = 0; i < system->count; i++)
        sum += system->mass[i] * (snag__dot3(system->v[i], system->v[i]) / 2 + system->gravity * system->x[i][2]);
    return sum;
}

static void assert_finite_and_near(const snag_sim *sim)
{
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        for (size_t i = 0; i < 3 * body.vertex_count; i++)
            assert_true(fabs(body.positions[i]) < 10);
    }
    for (uint32_t i = 0; i < sim->system.count; i++)
        assert_true(snag__length3(sim->system.v[i]) < 20);
}

static bool is_driven(const snag_sim *sim)
{
    return sim->scene->drive != NULL;
}

// Where nothing is driven no step may add energy, but for what the stretch of a fall and corrections of depth give back.
static void run_and_watch(const char *scene, double size, uint64_t seed, int frames)
{
    snag_sim *sim = make(scene, size, seed);
    double most = energy(sim) * 1.05 + 1e-6;
    for (int frame = 0; frame < frames; frame++) {
        assert_int_equal(snag_sim_step(sim), SNAG_OK);
        assert_finite_and_near(sim);
        snag_sim_report report = snag_sim_last_step(sim);
        assert_true(report.elastic >= -1e-9);
        assert_true(is_driven(sim) || energy(sim) + report.elastic < most);
        assert_int_equal(report.step, frame + 1);
        assert_true(fabs(report.kinetic + report.height - energy(sim)) <
                    1e-9 * (fabs(most) + report.kinetic + fabs(report.height)));
    }
    snag_sim_destroy(sim);
}

static void test_scenes_stay_finite_and_lose_energy(void **state)
{
    (void)state;
    for (size_t scene = 0; snag_sim_scene_name(scene) != NULL; scene++) {
        run_and_watch(snag_sim_scene_name(scene), 1e-9, 3, 3);
        run_and_watch(snag_sim_scene_name(scene), 0.01, 4, 2);
    }
    run_and_watch("cloth-ball", 0.02, 5, 30);
    run_and_watch("soft-blocks", 0.1, 5, FRAMES);
}

static void test_the_cloth_covers_the_ball_and_does_not_enter_it(void **state)
{
    (void)state;
    snag_sim *sim = make_with("cloth-ball", 0.1, 1, SNAG_SIM_RESPONSE_NONE, 1);
    snag_sim_body cloth = snag_sim_body_at(sim, 0), ball = snag_sim_body_at(sim, 1);
    assert_string_equal(cloth.name, "cloth");
    assert_string_equal(ball.name, "ball");
    assert_true(cloth.moves && !ball.moves);
    double centre = sim->obstacles[1].centre[2], radius = sim->obstacles[1].radius;
    for (size_t i = 0; i < ball.vertex_count; i++) {
        const double *p = ball.positions + 3 * i;
        assert_true(fabs(sqrt(p[0] * p[0] + p[1] * p[1] + (p[2] - centre) * (p[2] - centre)) - radius) < 1e-12);
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        assert_int_equal(snag_sim_step(sim), SNAG_OK);
        double nearest = INFINITY;
        for (size_t i = 0; i < cloth.vertex_count; i++) {
            const double *p = cloth.positions + 3 * i;
            nearest = fmin(nearest, sqrt(p[0] * p[0] + p[1] * p[1] + (p[2] - centre) * (p[2] - centre)) - radius);
            assert_true(p[2] > 0.005);
        }
        assert_true(nearest > 0.005);
        assert_true(frame < 12 || nearest < 0.1);
        if (frame % 36 == 35)
            assert_int_equal(crossings(&cloth, &ball), 0);
    }
    snag_sim_destroy(sim);
}

// What the demo lives on: nothing to find at the start, and much at the end.
static void test_cloth_scenes_start_free_and_end_folded_onto_themselves(void **state)
{
    (void)state;
    const char *scenes[] = {"cloth-ball", "cloth-twist"};
    for (size_t s = 0; s < 2; s++) {
        snag_sim *sim = make_with(scenes[s], 0.1, 1, SNAG_SIM_RESPONSE_NONE, 1);
        snag_sim_body cloth = snag_sim_body_at(sim, 0);
        assert_int_equal(crossings(&cloth, &cloth), 0);
        for (int frame = 1; frame <= FRAMES; frame++) {
            assert_int_equal(snag_sim_step(sim), SNAG_OK);
            if (frame == 6)
                assert_int_equal(crossings(&cloth, &cloth), 0);
        }
        assert_true(crossings(&cloth, &cloth) > 100);
        snag_sim_destroy(sim);
    }
}

static double tet_volume(const snag_sim_body *body, size_t k)
{
    const double *x[4];
    for (int c = 0; c < 4; c++)
        x[c] = body->positions + 3 * (size_t)body->tets[4 * k + (size_t)c];
    return volume(x[0], x[1], x[2], x[3]) / 6;
}

// How many vertices of p are inside tetrahedra of q.
static size_t vertices_inside(const snag_sim_body *p, const snag_sim_body *q)
{
    size_t count = 0;
    for (size_t i = 0; i < p->vertex_count; i++) {
        const double *x = p->positions + 3 * i;
        for (size_t k = 0; k < q->tet_count; k++) {
            const double *c[4];
            for (int j = 0; j < 4; j++)
                c[j] = q->positions + 3 * (size_t)q->tets[4 * k + (size_t)j];
            if (volume(x, c[1], c[2], c[3]) > 0 && volume(c[0], x, c[2], c[3]) > 0 && volume(c[0], c[1], x, c[3]) > 0 &&
                volume(c[0], c[1], c[2], x) > 0) {
                count++;
                break;
            }
        }
    }
    return count;
}

static size_t penetrations(const snag_sim *sim)
{
    size_t count = 0;
    for (size_t a = 0; a < snag_sim_body_count(sim); a++) {
        for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
            snag_sim_body p = snag_sim_body_at(sim, a), q = snag_sim_body_at(sim, b);
            if (a != b)
                count += vertices_inside(&p, &q);
        }
    }
    return count;
}

static void test_soft_blocks_start_apart_and_press_onto_each_other(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        snag_sim *sim = make("soft-blocks", seed % 2 ? 0.1 : 0.001, seed);
        assert_int_equal(penetrations(sim), 0);
        for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
            snag_sim_body body = snag_sim_body_at(sim, b);
            assert_true(body.tet_count > 0 && body.triangle_count > 0 && body.moves);
            double inside = 0, outside = 0;
            for (size_t k = 0; k < body.tet_count; k++)
                inside += tet_volume(&body, k);
            const double origin[3] = {0};
            for (size_t t = 0; t < body.triangle_count; t++) {
                const double *c[3];
                corners(&body, t, c);
                outside += volume(origin, c[0], c[1], c[2]) / 6;
            }
            assert_true(fabs(inside - outside) < 1e-9);
        }
        snag_sim_destroy(sim);
    }
    snag_sim *sim = make("soft-blocks", 0.1, 1);
    size_t contacts = 0;
    double deepest = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        snag_sim_depth depth = {0};
        assert_int_equal(snag_sim_step(sim), SNAG_OK);
        contacts += snag_sim_last_step(sim).contacts;
        if (frame % 18 == 17)
            assert_int_equal(snag_sim_measure(sim, sim->mean_edge, &depth), SNAG_OK);
        deepest = fmax(deepest, depth.worst);
    }
    // They meet, and what is left of it after the response is shallow.
    assert_true(contacts > 100 && deepest < 0.1 * sim->mean_edge);
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        for (size_t k = 0; k < body.tet_count; k++)
            assert_true(tet_volume(&body, k) > 0);
    }
    snag_sim_destroy(sim);
}

static void test_the_same_def_gives_the_same_bytes_on_one_and_two_threads(void **state)
{
    (void)state;
    for (size_t scene = 0; snag_sim_scene_name(scene) != NULL; scene++) {
        const char *name = snag_sim_scene_name(scene);
        snag_sim *a = make(name, 0.01, 7), *other = make(name, 0.01, 8);
        snag_sim *b = make_with(name, 0.01, 7, SNAG_SIM_RESPONSE_SCENE, 2);
        for (int frame = 0; frame < 2; frame++) {
            assert_int_equal(snag_sim_step(a), SNAG_OK);
            assert_int_equal(snag_sim_step(b), SNAG_OK);
            assert_int_equal(snag_sim_step(other), SNAG_OK);
            assert_true(sim_hash(a) == sim_hash(b));
        }
        assert_true(sim_hash(a) != sim_hash(other));
        snag_sim_destroy(a);
        snag_sim_destroy(b);
        snag_sim_destroy(other);
    }
}

// Large enough that the solver's work is cut into several ranges, of cloth, of springs and of tetrahedra in several bodies.
static void test_the_solver_gives_the_same_bytes_on_one_two_and_four_threads(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        double size;
    } scenes[] = {{"cloth-twist", 0.2}, {"soft-pile", 0.3}, {"madera-a", 1}};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        uint64_t hashes[3];
        for (uint32_t t = 0; t < 3; t++) {
            snag_sim *sim = make_with(scenes[s].scene, scenes[s].size, 3, SNAG_SIM_RESPONSE_NONE, 1u << t);
            assert_true(sim->system.count > 1024);
            assert_int_equal(snag_sim_step(sim), SNAG_OK);
            hashes[t] = sim_hash(sim);
            snag_sim_destroy(sim);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    }
}

static void test_elements_grow_with_the_size(void **state)
{
    (void)state;
    snag_sim *sim = make("cloth-ball", 1, 1);
    assert_int_equal(snag_sim_body_at(sim, 0).triangle_count, 20000);
    assert_int_equal(snag_sim_body_at(sim, 1).triangle_count, 5120);
    snag_sim_destroy(sim);
    const char *scenes[] = {"cloth-ball", "cloth-twist", "soft-blocks"};
    for (size_t scene = 0; scene < sizeof scenes / sizeof *scenes; scene++) {
        double counts[2];
        for (int k = 0; k < 2; k++) {
            sim = make(scenes[scene], k == 0 ? 0.25 : 2, 1);
            counts[k] = 0;
            for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
                snag_sim_body body = snag_sim_body_at(sim, b);
                if (body.moves)
                    counts[k] += (double)(body.tet_count > 0 ? body.tet_count : body.triangle_count);
            }
            snag_sim_destroy(sim);
        }
        assert_true(counts[1] / counts[0] > 6 && counts[1] / counts[0] < 10);
    }
}

// ---- steps that explode ----

typedef struct fragile {
    snag__model inner;
    double longest;  // steps longer than this explode
    uint32_t most;  // after so many good steps all explode
    uint32_t failures, successes;
    bool explodes;
} fragile;

static void fragile_begin(void *self, double h)
{
    fragile *f = self;
    f->explodes = h > f->longest || f->successes == f->most;
    f->failures += f->explodes;
    f->successes += !f->explodes;
    f->inner.begin(f->inner.self, h);
}

static void fragile_prepare(void *self, const double (*x)[3], uint32_t from, uint32_t to)
{
    const fragile *f = self;
    f->inner.prepare(f->inner.self, x, from, to);
}

static void fragile_linearise(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3],
                              float (*diagonal)[6])
{
    const fragile *f = self;
    f->inner.linearise(f->inner.self, x, from, to, force, diagonal);
    for (uint32_t i = from; i < to && f->explodes; i++)
        force[i][i % 3] = f->failures % 2 == 1 ? 1e12 : NAN;
}

static void fragile_multiply(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    const fragile *f = self;
    f->inner.multiply(f->inner.self, x, from, to, y);
}

static double fragile_energy(const void *self, const double (*x)[3])
{
    const fragile *f = self;
    return f->inner.energy(f->inner.self, x);
}

static void make_fragile(snag_sim *sim, fragile *f)
{
    f->inner = sim->system.model;
    sim->system.model = (snag__model){.self = f,
                                      .point_count = f->inner.point_count,
                                      .element_count = f->inner.element_count,
                                      .begin = fragile_begin,
                                      .prepare = fragile_prepare,
                                      .linearise = fragile_linearise,
                                      .multiply = fragile_multiply,
                                      .energy = fragile_energy};
}

static void test_a_step_that_explodes_is_cut(void **state)
{
    (void)state;
    snag_sim *sim = make_with("cloth-ball", 0.01, 1, SNAG_SIM_RESPONSE_NONE, 1);
    fragile f = {.longest = SNAG__FRAME / 20, .most = 1000};
    make_fragile(sim, &f);
    assert_int_equal(snag_sim_step(sim), SNAG_OK);
    assert_int_equal(f.failures, 2);  // a sixth and a twelfth of a frame
    assert_int_equal(f.successes, 24);
    assert_true(fabs(sim->time - SNAG__FRAME) < 1e-12);
    assert_finite_and_near(sim);
    snag_sim_destroy(sim);
}

static void test_a_step_that_cannot_be_saved_changes_nothing(void **state)
{
    (void)state;
    const char *scenes[] = {"cloth-ball", "cloth-twist", "soft-blocks", "dressed-figure", "torus-ellipsoid", "madera-c"};
    for (size_t scene = 0; scene < sizeof scenes / sizeof *scenes; scene++) {
        snag_sim *sim = make(scenes[scene], 0.001, 1);
        for (int frame = 0; frame < 3; frame++)
            assert_int_equal(snag_sim_step(sim), SNAG_OK);
        uint64_t before = sim_hash(sim);
        double time = sim->time;
        fragile f = {.longest = 1, .most = sim->scene->substeps > 3 ? 3 : 0};
        make_fragile(sim, &f);
        assert_int_equal(snag_sim_step(sim), SNAG_ERROR_NOT_FINITE);
        assert_int_equal(f.failures, 9);
        assert_true(sim_hash(sim) == before && sim->time == time);
        assert_true(strstr(snag_sim_message(sim), "explodes in step 4") != NULL);
        f.most = 1000;
        assert_int_equal(snag_sim_step(sim), SNAG_OK);
        assert_finite_and_near(sim);
        snag_sim_destroy(sim);
    }
}

// ---- bad arguments ----

static void assert_refused_def(snag_sim_def def, snag_status expected)
{
    snag_sim *sim = (snag_sim *)&def;
    assert_int_equal(snag_sim_create(&def, &sim), expected);
    assert_null(sim);
}

static void assert_refused(const char *scene, double size, snag_status expected)
{
    snag_sim_def def = snag_default_sim_def();
    def.scene = scene;
    def.size = size;
    assert_refused_def(def, expected);
}

static void test_bad_arguments_are_refused(void **state)
{
    (void)state;
    assert_refused("cloth-bal", 1, SNAG_ERROR_ARGUMENT);
    assert_refused("", 1, SNAG_ERROR_ARGUMENT);
    assert_refused(NULL, 1, SNAG_ERROR_ARGUMENT);
    const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
    for (size_t scene = 0; snag_sim_scene_name(scene) != NULL; scene++) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            assert_refused(snag_sim_scene_name(scene), bad[i], SNAG_ERROR_ARGUMENT);
        assert_refused(snag_sim_scene_name(scene), 1001, SNAG_ERROR_SIZE);
        assert_refused(snag_sim_scene_name(scene), 1e300, SNAG_ERROR_SIZE);
    }
    snag_sim_def def = snag_default_sim_def();
    snag_sim *sim = (snag_sim *)&def;
    assert_int_equal(snag_sim_create(NULL, &sim), SNAG_ERROR_ARGUMENT);
    assert_null(sim);
    assert_int_equal(snag_sim_create(&def, NULL), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_sim_step(NULL), SNAG_ERROR_ARGUMENT);
    def.scene = "cloth-ball";
    snag_sim_def degraded[] = {def, def, def, def, def, {.scene = "cloth-ball", .size = 0.01, .seed = 1, .response_ratio = 1}};
    degraded[0].response_ratio = 1.5;
    degraded[1].response_ratio = NAN;
    degraded[2].response = 9;
    degraded[3].method = 99;
    degraded[4].cookie++;
    for (size_t i = 0; i < sizeof degraded / sizeof *degraded; i++)
        assert_refused_def(degraded[i], SNAG_ERROR_ARGUMENT);
    def.scene = "soft-blocks";
    def.size = 0.1;
    def.method = SNAG_METHOD_ACTIVE;
    assert_refused_def(def, SNAG_ERROR_UNSUPPORTED);
    snag_sim_destroy(NULL);
    assert_string_equal(snag_sim_message(NULL), "");
    assert_int_equal(snag_sim_body_count(NULL), 0);
    assert_null(snag_sim_body_at(NULL, 0).positions);
    sim = make("cloth-ball", 0.01, 1);
    assert_null(snag_sim_body_at(sim, 2).positions);
    snag_sim_destroy(sim);
}

static void test_every_scene_has_a_name_and_words(void **state)
{
    (void)state;
    size_t count = 0;
    for (; snag_sim_scene_name(count) != NULL; count++) {
        assert_non_null(snag_sim_scene_words(count));
        assert_true(snag_sim_scene_steps(count) > 0);
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(snag_sim_scene_name(i), snag_sim_scene_name(count));
    }
    assert_true(count >= 3);
    assert_null(snag_sim_scene_words(count));
    assert_string_equal(snag_default_sim_def().scene, "cloth-ball");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_stay_finite_and_lose_energy),
        cmocka_unit_test(test_the_cloth_covers_the_ball_and_does_not_enter_it),
        cmocka_unit_test(test_cloth_scenes_start_free_and_end_folded_onto_themselves),
        cmocka_unit_test(test_soft_blocks_start_apart_and_press_onto_each_other),
        cmocka_unit_test(test_the_same_def_gives_the_same_bytes_on_one_and_two_threads),
        cmocka_unit_test(test_the_solver_gives_the_same_bytes_on_one_two_and_four_threads),
        cmocka_unit_test(test_elements_grow_with_the_size),
        cmocka_unit_test(test_a_step_that_explodes_is_cut),
        cmocka_unit_test(test_a_step_that_cannot_be_saved_changes_nothing),
        cmocka_unit_test(test_bad_arguments_are_refused),
        cmocka_unit_test(test_every_scene_has_a_name_and_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
