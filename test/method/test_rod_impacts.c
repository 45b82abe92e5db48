// Impacts of points with rods and points miss nothing: every pair is looked at in samples of its motion, in integers, and what is within
// the separation at a sample must be reported, no later than that. SNAG_ROD_MOTIONS=N tries N x N motions of each kind [default: 120].
#include "base/random.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 16, GRID = 1024 };  // coordinates are whole numbers; at a sample, of sixteenths

typedef __int128 wide;

typedef struct motions {
    int32_t (*x)[2][3];  // by vertex, at t0 and t1
    uint32_t vertex_count;
} motions;

static motions random_motions(uint32_t count, snag__random *random)
{
    motions m = {malloc(count * sizeof *m.x), count};
    for (uint32_t v = 0; v < count; v++)
        for (int k = 0; k < 3; k++) {
            m.x[v][0][k] = (int32_t)snag__random_below(random, GRID);
            m.x[v][1][k] = (int32_t)snag__random_below(random, GRID);
        }
    return m;
}

static snag_body_id add(snag_world *world, const motions *m, snag_body_def def)
{
    double(*x)[3] = malloc(m->vertex_count * sizeof *x);
    snag_body_id id = {0};
    for (int end = 0; end < 2; end++) {
        for (uint32_t v = 0; v < m->vertex_count; v++)
            for (int k = 0; k < 3; k++)
                x[v][k] = m->x[v][end][k];
        def.positions = snag_positions_f64(&x[0][0], m->vertex_count);
        assert_int_equal(end == 0 ? snag_world_add(world, &def, &id) : snag_world_move(world, id, def.positions), SNAG_OK);
    }
    free(x);
    return id;
}

static void at_sample(const motions *m, uint32_t v, int sample, int64_t x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = (int64_t)m->x[v][0][k] * (SAMPLES - sample) + (int64_t)m->x[v][1][k] * sample;
}

static wide dot(const int64_t a[3], const int64_t b[3])
{
    return (wide)a[0] * b[0] + (wide)a[1] * b[1] + (wide)a[2] * b[2];
}

// Whether p is within the separation (of whole units) of the segment ab, exactly.
static bool is_within(const int64_t p[3], const int64_t a[3], const int64_t b[3], int64_t separation)
{
    int64_t e[3], q[3];
    for (int k = 0; k < 3; k++) {
        e[k] = b[k] - a[k];
        q[k] = p[k] - a[k];
    }
    wide ee = dot(e, e), along = dot(q, e), limit = (wide)(separation * SAMPLES) * (separation * SAMPLES);
    if (along <= 0 || ee == 0)
        return dot(q, q) <= limit;
    if (along >= ee) {
        for (int k = 0; k < 3; k++)
            q[k] -= e[k];
        return dot(q, q) <= limit;
    }
    return dot(q, q) * ee - along * along <= limit * ee;
}

// By pair: the time that was reported; 2 if none was.
static double *reported_times(const snag_answer *answer, uint32_t points, bool rods, const snag_body_info *info)
{
    size_t count = (size_t)points * points;
    double *times = malloc(count * sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = 2;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        if (c->kind != (rods ? SNAG_VERTEX_EDGE : SNAG_VERTEX_VERTEX))
            continue;
        uint32_t point = rods ? c->a.index : c->b.index, other = rods ? info->edges[2 * c->b.index] / 2 : c->a.index;
        times[(size_t)other * points + point] = c->t;
    }
    return times;
}

static void check(uint32_t count, bool rods, int64_t separation, bool by_radius, snag__random *random)
{
    uint32_t(*edges)[2] = malloc(count * sizeof *edges), *all = malloc(2 * count * sizeof *all);
    motions first = random_motions(rods ? 2 * count : count, random), second = random_motions(count, random);
    for (uint32_t i = 0; i < count; i++) {
        edges[i][0] = 2 * i;
        edges[i][1] = 2 * i + 1;
        all[i] = i;
    }
    snag_world *world = scene_world(&(scene_options){.threads = 2});
    snag_body_def def = snag_default_body_def();
    def.edges = &edges[0][0];
    def.edge_count = rods ? count : 0;
    def.points = all;
    def.point_count = rods ? 0 : count;
    def.radius = by_radius ? (double)separation : 0;
    snag_body_id rod_body = add(world, &first, def);
    def.edge_count = 0;
    def.point_count = count;
    def.radius = 0;
    add(world, &second, def);
    snag_question_def ask = snag_default_question_def(SNAG_IMPACTS);
    ask.self = false;
    ask.separation = by_radius ? 0 : (double)separation;
    const snag_answer *answer = NULL;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, rod_body, &info), SNAG_OK);
    double *times = reported_times(answer, count, rods, &info);
    size_t hits = 0, missed = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            for (int sample = 0; sample <= SAMPLES; sample++) {
                int64_t p[3], a[3], b[3];
                at_sample(&second, j, sample, p);
                at_sample(&first, rods ? 2 * i : i, sample, a);
                at_sample(&first, rods ? 2 * i + 1 : i, sample, b);
                if (!is_within(p, a, b, separation))
                    continue;
                hits++;
                missed += !(times[(size_t)i * count + j] <= (double)sample / SAMPLES);
                break;
            }
    assert_int_equal(missed, 0);
    assert_true(hits > count / 10);
    print_message("%u x %u motions of points and %s: %zu close at a sample, none missed\n", count, count, rods ? "rods" : "points",
                  hits);
    free(times);
    free(first.x);
    free(second.x);
    free(edges);
    free(all);
    snag_world_destroy(world);
}

static void nothing_is_missed(void **state)
{
    (void)state;
    const char *wanted = getenv("SNAG_ROD_MOTIONS");
    uint32_t count = wanted != NULL ? (uint32_t)strtoul(wanted, NULL, 10) : 120;
    snag__random random = {41};
    check(count, true, 40, false, &random);
    check(count, true, 25, true, &random);
    check(count, false, 100, false, &random);
    check(count, false, 120, true, &random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_missed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
