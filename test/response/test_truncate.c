// Safe motion: nothing crosses, judged by brute, however wild the moves that are wanted; vertices slide and separate; bounds are bounds.
// SNAG_MOVES asks for more moves of vertices than the 20,000 of a plain run, SNAG_SEED for others.
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MAX = 4 };

typedef struct rig {
    snag_world *world;
    snag_response *response;
    uint32_t count;
    snag_shape shapes[BODIES_MAX];
    snag_response_body bodies[BODIES_MAX];
    double *start[BODIES_MAX], *positions[BODIES_MAX], *masses[BODIES_MAX], *bounds[BODIES_MAX];
    size_t vertices;
} rig;

// `thin` has edges and points beside the shape.
static void add_body(rig *r, snag_shape shape, double z, const snag_body_def *thin)
{
    uint32_t i = r->count++;
    size_t n = shape.vertex_count;
    snag_shape_transform(&shape, 1, 0, 0, z);
    r->shapes[i] = shape;
    r->start[i] = malloc(3 * n * sizeof(double));
    r->positions[i] = malloc(3 * n * sizeof(double));
    r->masses[i] = malloc(n * sizeof(double));
    r->bounds[i] = malloc(n * sizeof(double));
    memcpy(r->start[i], shape.positions, 3 * n * sizeof(double));
    memcpy(r->positions[i], shape.positions, 3 * n * sizeof(double));
    for (size_t v = 0; v < n; v++)
        r->masses[i][v] = 1;
    r->bodies[i] = (snag_response_body){.vertex_count = n,
                                        .positions = r->positions[i],
                                        .inverse_masses = r->masses[i],
                                        .start = r->start[i],
                                        .bounds = r->bounds[i]};
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(shape.positions, n);
    def.triangles = shape.triangles;
    def.triangle_count = shape.triangle_count;
    def.tets = shape.tets;
    def.tet_count = shape.tet_count;
    def.edges = thin->edges;
    def.edge_count = thin->edge_count;
    def.points = thin->points;
    def.point_count = thin->point_count;
    if (shape.tet_count > 0)
        def.triangle_count = 0;
    assert_int_equal(snag_world_add(r->world, &def, &r->bodies[i].body), SNAG_OK);
    r->vertices += n;
}

static void add(rig *r, snag_shape shape, double z)
{
    add_body(r, shape, z, &(snag_body_def){0});
}

// A zigzag of rods with particles beside it, as a shape without triangles.
enum { YARN = 9, PARTICLES = 4 };

static void add_yarn(rig *r, double z, snag__random *random)
{
    snag_shape shape = {.vertex_count = YARN + PARTICLES};
    shape.positions = malloc(3 * shape.vertex_count * sizeof *shape.positions);
    for (size_t v = 0; v < shape.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            shape.positions[3 * v + (size_t)k] =
                (k == 0 && v < YARN ? 0.25 * (double)v : snag__random_unit(random)) - (k < 2 ? 0.5 : 0);
    uint32_t edges[2 * (YARN - 1)], points[PARTICLES];
    for (uint32_t e = 0; e < 2 * (YARN - 1); e++)
        edges[e] = (e + 1) / 2;
    for (uint32_t p = 0; p < PARTICLES; p++)
        points[p] = YARN + p;
    add_body(r, shape, z, &(snag_body_def){.edges = edges, .edge_count = YARN - 1, .points = points, .point_count = PARTICLES});
}

static void close_rig(rig *r)
{
    snag_response_destroy(r->response);
    snag_world_destroy(r->world);
    for (uint32_t i = 0; i < r->count; i++) {
        snag_shape_free(&r->shapes[i]);
        free(r->start[i]);
        free(r->positions[i]);
        free(r->masses[i]);
        free(r->bounds[i]);
    }
}

static size_t count_of(snag_world *world, snag_question question, snag_method method)
{
    snag_question_def ask = snag_default_question_def(question);
    const snag_answer *answer = NULL;
    ask.method = method;
    ask.tolerance = 0;
    ask.output = SNAG_OUTPUT_COUNT;
    assert_int_equal(snag_world_ask(world, &ask, &answer), SNAG_OK);
    assert_true(answer->complete);
    return answer->count;
}

// Crumpled sheets over each other, a block of tetrahedra and a ball, yarns and particles over a sheet and alone; free of intersections. False if the dice say otherwise.
static bool open_scene(rig *r, int sort, uint32_t threads, snag__random *random)
{
    snag_shape shape;
    *r = (rig){.world = scene_world(&(scene_options){.threads = threads})};
    assert_int_equal(snag_response_create(NULL, &r->response), SNAG_OK);
    if (sort == 4)
        add_yarn(r, -0.5, random);
    else
        add(r, scene_crumpled_sheet(5, sort == 0 ? 0.05 : 0.15, random), 0);
    if (sort >= 3) {
        add_yarn(r, 0.4, random);
        add_yarn(r, 0.8, random);
    }
    if (sort == 1)
        add(r, scene_crumpled_sheet(5, 0.15, random), 0.3);
    if (sort == 2) {
        assert_int_equal(snag_shape_block(2, 2, 1, 0.3, &shape), SNAG_OK);
        add(r, shape, 2);
        assert_int_equal(snag_shape_icosphere(1, 0.3, &shape), SNAG_OK);
        add(r, shape, -2);
        for (size_t v = 0; v < r->bodies[2].vertex_count; v++)
            r->masses[2][v] = 0;
    }
    return count_of(r->world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE) == 0;
}

// Every vertex wants to go somewhere: with its body, with its neighbours, and anywhere; sometimes very far. A held body moves as a whole, since
// nothing keeps held vertices from each other.
static void want(rig *r, snag__random *random)
{
    double scale = pow(10, snag__random_range(random, -4, 0.5));
    for (uint32_t i = 0; i < r->count; i++) {
        double drift[3], wave = snag__random_range(random, 1, 9), shake = snag__random_unit(random), towards = 0;
        for (int k = 0; k < 3; k++)
            drift[k] = snag__random_range(random, -1, 1);
        towards = i > 0 ? -0.5 * r->start[i][2] : 0;
        bool held = r->masses[i][0] == 0;
        for (size_t v = 0; v < r->bodies[i].vertex_count; v++)
            for (int k = 0; k < 3; k++)
                r->positions[i][3 * v + (size_t)k] =
                    r->start[i][3 * v + (size_t)k] + scale * (drift[k] + (k == 2 ? towards : 0) +
                                                              (held ? 0
                                                                    : sin(wave * r->start[i][3 * v + (size_t)(k + 1) % 3]) +
                                                                          shake * snag__random_range(random, -1, 1)));
    }
}

static double moves_wanted(void)
{
    const char *asked = getenv("SNAG_MOVES");
    return asked != NULL ? strtod(asked, NULL) : 20000;
}

static uint64_t seed_wanted(void)
{
    const char *asked = getenv("SNAG_SEED");
    return asked != NULL ? strtoull(asked, NULL, 10) : 1;
}

static void nothing_crosses(void **state)
{
    (void)state;
    snag__random random = {seed_wanted()};
    double moves = 0, made = 0, wanted_sum = 0;
    size_t steps = 0;
    while (moves < moves_wanted()) {
        rig r;
        snag_response_def def = snag_default_response_def();
        def.rounds = 1;
        def.safe = snag__random_below(&random, 3) == 0 ? SNAG_SAFE_BOUNDS : SNAG_SAFE_HALF_SPACES;
        def.reach = snag__random_below(&random, 2) == 0 ? 0 : pow(10, snag__random_range(&random, -3, 0));
        int sort = (int)snag__random_below(&random, 5);
        bool free = open_scene(&r, sort, 1, &random);
        for (int step = 0; step < 20 && free; step++) {
            snag_response_report report;
            want(&r, &random);
            double wish = fabs(r.positions[0][2] - r.start[0][2]);
            if (snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report) != SNAG_OK)
                fail_msg("%s", snag_response_message(r.response));
            made += fabs(r.positions[0][2] - r.start[0][2]);
            wanted_sum += wish;
            size_t crossings = count_of(r.world, SNAG_IMPACTS, SNAG_METHOD_BRUTE);
            if (crossings != 0)
                fail_msg("%zu crossings after %.0f moves, scene %d, safe %d, reach %g", crossings, moves, sort, (int)def.safe,
                         def.reach);
            for (uint32_t i = 0; i < r.count; i++)
                memcpy(r.start[i], r.positions[i], 3 * r.bodies[i].vertex_count * sizeof(double));
            moves += (double)r.vertices;
            steps++;
        }
        close_rig(&r);
    }
    assert_true(made > 0 && made < wanted_sum);
    print_message("%.0f truncated moves of vertices in %zu steps, no crossing\n", moves, steps);
}

static void threads_and_rounds(void **state)
{
    (void)state;
    double *first = NULL;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        snag__random random = {42};
        rig r;
        while (!open_scene(&r, 1, threads, &random))
            close_rig(&r);
        snag_response_def def = snag_default_response_def();
        want(&r, &random);
        snag_response_report report;
        assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_OK);
        assert_int_equal(count_of(r.world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE), 0);
        assert_true(report.asks >= 1 && report.asks <= def.rounds);
        size_t n = 3 * r.bodies[1].vertex_count;
        if (first == NULL) {
            first = malloc(n * sizeof *first);
            memcpy(first, r.positions[1], n * sizeof *first);
        }
        assert_memory_equal(first, r.positions[1], n * sizeof *first);
        close_rig(&r);
    }
    free(first);
}

// Two sheets at distance 0.1; the upper one is pushed down and to the side.
static void open_sheets(rig *r)
{
    snag_shape shape;
    *r = (rig){.world = scene_world(&(scene_options){.threads = 1})};
    assert_int_equal(snag_response_create(NULL, &r->response), SNAG_OK);
    assert_int_equal(snag_shape_sheet(4, 4, 4, 4, &shape), SNAG_OK);
    add(r, shape, 0);
    assert_int_equal(snag_shape_sheet(4, 4, 2, 2, &shape), SNAG_OK);
    add(r, shape, 0.1);
    for (size_t v = 0; v < r->bodies[1].vertex_count; v++) {
        r->positions[1][3 * v] += 0.4;
        r->positions[1][3 * v + 2] -= 0.5;
    }
}

static void half_spaces_let_vertices_slide(void **state)
{
    (void)state;
    rig r;
    snag_response_report report;
    snag_response_def def = snag_default_response_def();
    def.rounds = 1;
    def.dt = 0.5;
    open_sheets(&r);
    double *velocities = calloc(3 * r.bodies[1].vertex_count, sizeof *velocities);
    r.bodies[1].velocities = velocities;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_OK);
    for (size_t v = 0; v < r.bodies[1].vertex_count; v++) {
        double slid = r.positions[1][3 * v] - r.start[1][3 * v], z = r.positions[1][3 * v + 2];
        assert_true(fabs(slid - 0.4) < 1e-3);  // all of it
        assert_true(z > 0 && z < 0.02);  // most of the gap, since the other sheet does not want any of it
        assert_true(fabs(velocities[3 * v + 2] - (z - (0.1 - 0.5)) / 0.5) < 1e-9);
    }
    assert_true(report.fraction == 1 && report.held_back == r.bodies[1].vertex_count && report.largest_move > 0.4);
    // Away is free.
    for (size_t k = 0; k < 3 * r.bodies[1].vertex_count; k++)
        r.positions[1][k] = r.start[1][k] + (k % 3 == 2 ? 5 : 0);
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_OK);
    assert_true(report.held_back == 0 || report.largest_move < 1e-6);
    free(velocities);
    close_rig(&r);
}

static void lower(double *least, const snag_body_info *info, const snag_element *e, double value)
{
    const uint32_t *of = e->kind == SNAG_VERTEX ? &e->index : e->kind == SNAG_EDGE ? e->vertex : info->triangles + 3 * e->index;
    for (int i = 0; i < (e->kind == SNAG_VERTEX ? 1 : e->kind == SNAG_EDGE ? 2 : 3); i++)
        least[of[i]] = fmin(least[of[i]], value);
}

// Each bound is half the least distance of all pairs that the vertex is a part of, as an ask has them.
static void assert_bounds(rig *r, double reach)
{
    double *least[2];
    snag_body_info infos[2];
    for (uint32_t i = 0; i < 2; i++) {
        snag_world_body(r->world, r->bodies[i].body, &infos[i]);
        least[i] = malloc(r->bodies[i].vertex_count * sizeof(double));
        for (size_t v = 0; v < r->bodies[i].vertex_count; v++)
            least[i][v] = reach;
    }
    snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
    const snag_answer *answer = NULL;
    ask.every_pair = true;
    ask.distance = reach;
    assert_int_equal(snag_world_ask(r->world, &ask, &answer), SNAG_OK);
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        uint32_t a = c->body_a.index - 1, b = c->body_b.index - 1;
        lower(least[a], &infos[a], &c->a, c->value);
        lower(least[b], &infos[b], &c->b, c->value);
    }
    for (uint32_t i = 0; i < 2; i++) {
        for (size_t v = 0; v < r->bodies[i].vertex_count; v++)
            assert_true(r->bounds[i][v] <= least[i][v] / 2 && r->bounds[i][v] >= 0.49999 * least[i][v]);
        free(least[i]);
    }
}

static void bounds_are_half_the_distance(void **state)
{
    (void)state;
    rig r;
    snag_response_report report;
    snag_response_def def = snag_default_response_def();
    open_sheets(&r);
    memcpy(r.positions[1], r.start[1], 3 * r.bodies[1].vertex_count * sizeof(double));
    def.reach = 0.7;
    assert_int_equal(snag_response_bounds(r.response, r.world, &def, r.bodies, r.count), SNAG_OK);
    for (size_t v = 0; v < r.bodies[1].vertex_count; v++)
        assert_true(r.bounds[1][v] < 0.05 && r.bounds[1][v] > 0.04999);
    assert_bounds(&r, def.reach);
    // Truncating by bounds keeps to them.
    def.safe = SNAG_SAFE_BOUNDS;
    def.rounds = 1;
    for (size_t v = 0; v < r.bodies[1].vertex_count; v++)
        r.positions[1][3 * v] += 0.4;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_OK);
    for (size_t v = 0; v < r.bodies[1].vertex_count; v++)
        assert_true(fabs(r.positions[1][3 * v] - r.start[1][3 * v] - r.bounds[1][v]) < 1e-12);
    close_rig(&r);
}

static void held_vertices_move_together(void **state)
{
    (void)state;
    rig r;
    snag_response_report report;
    snag_response_def def = snag_default_response_def();
    def.rounds = 1;
    open_sheets(&r);
    r.bodies[1].inverse_masses = NULL;  // an obstacle that comes down
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_OK);
    assert_true(report.fraction > 0.15 && report.fraction < 0.2);
    for (size_t k = 0; k < 3 * r.bodies[1].vertex_count; k++) {
        double wish = k % 3 == 0 ? 0.4 : k % 3 == 2 ? -0.5 : 0;
        assert_true(fabs(r.positions[1][k] - r.start[1][k] - report.fraction * wish) < 1e-9);
    }
    assert_int_equal(count_of(r.world, SNAG_IMPACTS, SNAG_METHOD_BRUTE), 0);
    close_rig(&r);
}

static void pairs_that_touch_stay(void **state)
{
    (void)state;
    rig r;
    snag_response_report report;
    snag_response_def def = snag_default_response_def();
    open_sheets(&r);
    for (size_t v = 0; v < r.bodies[1].vertex_count; v++)
        r.start[1][3 * v + 2] = 0;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_OK);
    for (size_t v = 0; v < r.bodies[1].vertex_count; v++)
        assert_true(r.positions[1][3 * v + 2] == 0 && r.positions[1][3 * v] == r.start[1][3 * v]);
    close_rig(&r);
}

// Two crossed rods and two particles that fall on each other and on the lower rod: without a search for impacts, nothing passes.
static void rods_and_points_are_kept_apart(void **state)
{
    (void)state;
    for (int safe = 0; safe < SNAG_SAFE_COUNT; safe++) {
        const double x[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0.4}, {0, 1, 0.4}, {0.5, 0, 0.4}, {0.5, 0, 1}};
        snag_shape shape = {.vertex_count = 6, .positions = malloc(sizeof x)};
        memcpy(shape.positions, x, sizeof x);
        rig r = {.world = scene_world(&(scene_options){.threads = 1})};
        assert_int_equal(snag_response_create(NULL, &r.response), SNAG_OK);
        add_body(
            &r, shape, 0,
            &(snag_body_def){
                .edges = (const uint32_t[]){0, 1, 2, 3}, .edge_count = 2, .points = (const uint32_t[]){4, 5}, .point_count = 2});
        for (int v = 2; v < 6; v++)
            r.positions[0][3 * v + 2] -= v == 5 ? 3 : 2;
        snag_response_report report;
        snag_response_def def = snag_default_response_def();
        def.safe = safe;
        def.rounds = 1;
        assert_int_equal(count_of(r.world, SNAG_IMPACTS, SNAG_METHOD_BRUTE), 0);
        assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, 1, &report), SNAG_OK);
        const double *p = r.positions[0];
        assert_int_equal(count_of(r.world, SNAG_IMPACTS, SNAG_METHOD_BRUTE), 0);
        assert_true(p[8] > 0 && p[8] < 0.21 && p[14] > 0 && p[14] < 0.21 && p[17] > p[14] && p[17] < 0.71 && report.held_back == 4);
        def.reach = 4;
        memcpy(r.positions[0], x, sizeof x);
        assert_int_equal(snag_world_teleport(r.world, r.bodies[0].body, snag_positions_f64(&x[0][0], 6)), SNAG_OK);
        assert_int_equal(snag_response_bounds(r.response, r.world, &def, r.bodies, 1), SNAG_OK);
        const double near[6] = {0.2, 0.2, 0.2,
                                0.2, 0.2, 0.3};  // the upper rod is 0.4 from the lower one, the particle 0.6 from the other
        for (int v = 0; v < 6; v++)
            assert_true(r.bounds[0][v] <= near[v] && r.bounds[0][v] > near[v] - 1e-5);
        close_rig(&r);
    }
}

// Sets hold rods of bodies that are not listed: these take no part.
static void rods_of_others_do_not_matter(void **state)
{
    (void)state;
    snag__random random = {7};
    double first[2];
    for (int others = 0; others < 2; others++) {
        rig r, ends;
        snag_response_report report;
        snag_response_def def = snag_default_response_def();
        open_sheets(&r);
        ends = (rig){.world = r.world};
        for (int i = 0; i < 2 && others; i++)
            add_yarn(&ends, 0.02 * i, &random);
        assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_OK);
        if (others)
            assert_memory_equal(first, &r.positions[1][1], sizeof first);
        memcpy(first, &r.positions[1][1], sizeof first);
        close_rig(&r);
        ends.world = NULL;
        close_rig(&ends);
    }
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    rig r;
    snag_response_report report;
    open_sheets(&r);
    snag_response_def def = snag_default_response_def(), good = def, zero = {0};
    double *x = r.positions[1], before = x[0];
    assert_int_equal(snag_response_truncate(NULL, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_truncate(r.response, NULL, &def, r.bodies, r.count, &report), SNAG_ERROR_ARGUMENT);
    assert_int_equal(snag_response_truncate(r.response, r.world, &zero, r.bodies, r.count, &report), SNAG_ERROR_ARGUMENT);
    def.reach = -1;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_response_message(r.response), "reach"));
    def.reach = NAN;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_ARGUMENT);
    def = good;
    def.safe = SNAG_SAFE_COUNT;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_ARGUMENT);
    def = good;
    assert_int_equal(snag_response_bounds(r.response, r.world, &def, r.bodies, r.count), SNAG_ERROR_ARGUMENT);
    def.reach = 0.1;
    r.bodies[0].bounds = NULL;
    assert_int_equal(snag_response_bounds(r.response, r.world, &def, r.bodies, r.count), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_response_message(r.response), "bounds"));
    def = good;
    r.bodies[1].start = NULL;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_ARGUMENT);
    assert_non_null(strstr(snag_response_message(r.response), "start"));
    r.bodies[1].start = r.start[1];
    r.start[1][4] = INFINITY;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_NOT_FINITE);
    r.start[1][4] = 0;
    x[0] = NAN;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_NOT_FINITE);
    x[0] = before;
    r.bodies[1].vertex_count--;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_MISMATCH);
    r.bodies[1].vertex_count++;
    r.bodies[1].body.index = 77;
    assert_int_equal(snag_response_truncate(r.response, r.world, &def, r.bodies, r.count, &report), SNAG_ERROR_BODY);
    assert_true(x[0] == before);
    close_rig(&r);
}

static snag_status live_once(const snag_allocator *allocator, void *context)
{
    (void)context;
    rig r;
    open_sheets(&r);
    snag_response *response = NULL;
    snag_response_def def = snag_default_response_def();
    snag_status status = snag_response_create(allocator, &response);
    double before = r.positions[1][0];
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = snag_response_truncate(response, r.world, &def, r.bodies, r.count, NULL);
    assert_true(status == SNAG_OK || r.positions[1][0] == before);
    def.reach = 0.5;
    if (status == SNAG_OK)
        status = snag_response_bounds(response, r.world, &def, r.bodies, r.count);
    snag_response_destroy(response);
    close_rig(&r);
    return status;
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    failing_allocator_sweep(live_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_crosses),
        cmocka_unit_test(threads_and_rounds),
        cmocka_unit_test(half_spaces_let_vertices_slide),
        cmocka_unit_test(bounds_are_half_the_distance),
        cmocka_unit_test(held_vertices_move_together),
        cmocka_unit_test(pairs_that_touch_stay),
        cmocka_unit_test(rods_and_points_are_kept_apart),
        cmocka_unit_test(rods_of_others_do_not_matter),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
