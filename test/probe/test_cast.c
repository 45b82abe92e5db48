// Rays and segments: hits, and their order, are those that rationals find.
#include "helpers/rational.h"
#include "helpers/rational_query.h"
#include "probe/probe_scene.h"

enum { RAYS = 40, SEEDS = 12, HITS = 400 };

static snag_ray rays[RAYS];
static snag_hit hits[RAYS], others[RAYS];

typedef struct judged {
    mpq_t t;
    uint32_t body, triangle;
} judged;

static judged right[HITS];

static int compare(const void *x, const void *y)
{
    const judged *a = x, *b = y;
    int order = mpq_cmp(a->t, b->t);
    if (order != 0)
        return order;
    return a->body != b->body ? (a->body > b->body) - (a->body < b->body)
                              : (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

// All hits of a ray, sorted.
static size_t judge_hits(const snag_world *world, const probe_scene *scene, const snag_ray *ray, bool segment)
{
    size_t count = 0;
    for (uint32_t b = 0; b < scene->count; b++) {
        probe_mesh mesh = probe_mesh_of(world, scene, b);
        for (size_t t = 0; t < mesh.triangle_count; t++) {
            const double *corner[3];
            probe_corners(&mesh, t, corner);
            if (judge_is_collinear(corner[0], corner[1], corner[2]) ||
                !judge_ray(ray->origin, ray->direction, segment, ray->limit, corner, right[count].t))
                continue;
            right[count].body = b;
            right[count++].triangle = (uint32_t)t;
            assert_true(count < HITS);
        }
    }
    qsort(right, count, sizeof *right, compare);
    return count;
}

static void check_hit(const probe_scene *scene, const snag_world *world, const snag_hit *hit, const judged *judge)
{
    assert_int_equal(hit->body.index, scene->id[judge->body].index);
    assert_int_equal(hit->triangle, judge->triangle);
    double t = mpq_get_d(judge->t);  // truncated
    assert_true(fabs(hit->t - t) <= 0x1p-40 * fabs(t) + 5e-324 || (isinf(hit->t) && t > 1e308));
    double sum = 0, size = 0;
    probe_mesh mesh = probe_mesh_of(world, scene, judge->body);
    const double *corner[3];
    probe_corners(&mesh, judge->triangle, corner);
    for (int c = 0; c < 3; c++) {
        assert_true(hit->weight[c] >= -1e-15 && hit->weight[c] <= 1 + 1e-15);
        sum += hit->weight[c];
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs(corner[c][k]));
    }
    assert_true(fabs(sum - 1) < 1e-11);
    for (int k = 0; k < 3 && size < 1e300; k++) {
        double x = hit->weight[0] * corner[0][k] + hit->weight[1] * corner[1][k] + hit->weight[2] * corner[2][k];
        assert_true(fabs(x - hit->point[k]) <= 1e-9 * size);
    }
}

static void hits_are_those_of_rationals(void **state)
{
    (void)state;
    for (int i = 0; i < HITS; i++)
        mpq_init(right[i].t);
    size_t hit_count = 0, edge_on = 0;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        bool segments = seed % 4 >= 2;
        snag_world *world = probe_world(1, SNAG_ISA_BEST);
        probe_scene scene;
        probe_scene_make(&scene, world, seed);
        if (seed % 2 == 1)
            probe_scene_shake(&scene, world);
        snag__random random = {seed + 3000};
        for (int i = 0; i < RAYS; i++)
            rays[i] = probe_ray(&scene, &random, segments);
        snag_cast_def def = snag_default_cast_def();
        def.segments = segments;
        const snag_hit_lists *lists = NULL;
        uint8_t any[RAYS];
        assert_int_equal(snag_world_cast(world, &def, rays, RAYS, hits, NULL), SNAG_OK);
        assert_int_equal(snag_world_cast_any(world, &def, rays, RAYS, any, NULL), SNAG_OK);
        assert_int_equal(snag_world_cast_all(world, &def, rays, RAYS, &lists), SNAG_OK);
        assert_int_equal(lists->answered, RAYS);
        for (size_t i = 0; i < RAYS; i++) {
            size_t count = judge_hits(world, &scene, &rays[i], segments);
            assert_int_equal(lists->start[i + 1] - lists->start[i], count);
            assert_int_equal(any[i], count > 0);
            assert_int_equal(hits[i].body.index != 0, count > 0);
            if (count > 0)
                assert_memory_equal(&hits[i], &lists->items[lists->start[i]], sizeof *hits);
            else
                assert_true(isinf(hits[i].t));
            for (size_t h = 0; h < count; h++) {
                const snag_hit *hit = &lists->items[lists->start[i] + h];
                check_hit(&scene, world, hit, &right[h]);
                edge_on += hit->facing == 0;
            }
            hit_count += count;
        }
        probe_scene_free(&scene);
        snag_world_destroy(world);
    }
    assert_true(hit_count > 200 && edge_on > 10);
    for (int i = 0; i < HITS; i++)
        mpq_clear(right[i].t);
}

static void every_way_gives_the_same_bytes(void **state)
{
    (void)state;
    probe_way ways[8];
    size_t count = probe_ways(ways);
    for (uint32_t seed = 0; seed < 2 * SCENE_STYLES; seed++)
        for (size_t w = 0; w < count; w++) {
            snag_world *world = probe_world(ways[w].threads, ways[w].isa);
            probe_scene scene;
            probe_scene_make(&scene, world, seed);
            if (w % 2 == 1)
                probe_scene_shake(&scene, world);
            snag__random random = {seed + 4000};
            for (int i = 0; i < RAYS; i++)
                rays[i] = probe_ray(&scene, &random, false);
            snag_cast_def def = snag_default_cast_def();
            assert_int_equal(snag_world_cast(world, &def, rays, RAYS, w == 0 ? hits : others, NULL), SNAG_OK);
            if (w > 0)
                assert_memory_equal(hits, others, sizeof hits);
            probe_scene_free(&scene);
            snag_world_destroy(world);
        }
}

// Lists grow with what is found: many more than one hit for each ray.
static void lists_have_room_for_every_hit(void **state)
{
    (void)state;
    enum { SHEETS = 300, MANY = 200 };
    static double x[SHEETS * 9];
    static uint32_t t[SHEETS * 3];
    for (uint32_t i = 0; i < SHEETS; i++)
        for (uint32_t c = 0; c < 3; c++) {
            x[9 * i + 3 * c] = c == 1 ? 3 : -1;
            x[9 * i + 3 * c + 1] = c == 2 ? 3 : -1;
            x[9 * i + 3 * c + 2] = SHEETS - i;
            t[3 * i + c] = 3 * i + c;
        }
    snag_world *world = probe_world(2, SNAG_ISA_BEST);
    snag_body_def body = snag_default_body_def();
    body.positions = snag_positions_f64(x, 3 * SHEETS);
    body.triangles = t;
    body.triangle_count = SHEETS;
    snag_body_id id;
    assert_int_equal(snag_world_add(world, &body, &id), SNAG_OK);
    static snag_ray many[MANY];
    for (int i = 0; i < MANY; i++)
        many[i] = (snag_ray){.origin = {0, 0.001 * i, 0.5}, .direction = {0, 0, 1}, .limit = INFINITY};
    snag_cast_def def = snag_default_cast_def();
    const snag_hit_lists *lists;
    assert_int_equal(snag_world_cast_all(world, &def, many, MANY, &lists), SNAG_OK);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(lists->start[i + 1] - lists->start[i], SHEETS);
        for (size_t h = 0; h < SHEETS; h++) {
            const snag_hit *hit = &lists->items[lists->start[i] + h];
            assert_int_equal(hit->triangle, SHEETS - 1 - h);
            assert_int_equal(hit->facing, -1);
            assert_true(hit->t == (double)h + 0.5);
        }
    }
    snag_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_are_those_of_rationals),
        cmocka_unit_test(every_way_gives_the_same_bytes),
        cmocka_unit_test(lists_have_room_for_every_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
