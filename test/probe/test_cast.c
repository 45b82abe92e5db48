// Rays and segments: hits, and their order, are those that rationals find.
#include "geom/geom.h"
#include "geom/ray.h"
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

// ---- trees of several levels ----

enum { LARGE_ROUNDS = 96, LARGE_RAYS = 120 };

// A point of a triangle: a corner, on an edge, or inside.
static void point_of_triangle(const snag_shape *shape, snag__random *random, double p[3])
{
    const uint32_t *t = shape->triangles + 3 * (size_t)snag__random_below(random, (uint32_t)shape->triangle_count);
    double w[3] = {0, 0, 0};
    uint32_t corners = 1 + snag__random_below(random, 3), first = snag__random_below(random, 3);
    for (uint32_t c = 0; c < corners; c++)
        w[(first + c) % 3] = c + 1 < corners ? snag__random_unit(random) * 0.5 : 1 - w[0] - w[1] - w[2];
    for (int k = 0; k < 3; k++)
        p[k] = w[0] * shape->positions[3 * (size_t)t[0] + k] + w[1] * shape->positions[3 * (size_t)t[1] + k] +
               w[2] * shape->positions[3 * (size_t)t[2] + k];
}

// A ray at a point of the body, from near or far, along an axis, almost along one, or any way.
static snag_ray ray_at(const snag_shape *shape, double size, snag__random *random)
{
    snag_ray ray = {.limit = INFINITY};
    double p[3], away = size * pow(10, snag__random_range(random, -3, snag__random_below(random, 3) == 0 ? 12 : 2));
    uint32_t axis = snag__random_below(random, 3), way = snag__random_below(random, 4);
    point_of_triangle(shape, random, p);
    for (int k = 0; k < 3 && away < size; k++)  // close by, where floats stand for it
        p[k] = (double)(float)p[k];
    double largest = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double d = snag__random_range(random, -1, 1);
        if (way > 0 && k != axis)
            d *= way == 1 ? 0 : pow(10, -snag__random_range(random, 5, way == 2 ? 12 : 30));
        ray.direction[k] = d;
        largest = fmax(largest, fabs(d));
    }
    for (int k = 0; k < 3; k++)
        ray.origin[k] = p[k] - ray.direction[k] / largest * away;
    double pace = pow(10, snag__random_range(random, -8, 8));
    for (int k = 0; k < 3; k++)
        ray.direction[k] *= pace;
    if (snag__random_below(random, 4) == 0)  // ends near the point
        ray.limit = away / (largest * pace) * (1 + snag__random_range(random, -1e-15, 1e-15));
    return ray;
}

static int compare_indexes(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Compares the hits of a ray with a look at every triangle. Returns how many there are.
static size_t check_every_triangle(const snag_shape *shape, const snag_ray *ray, const snag_hit *found, size_t count)
{
    static uint32_t expected[HITS], got[HITS];
    snag__ray plain = snag__ray_make(ray->origin, ray->direction, false, ray->limit);
    size_t all = 0;
    for (size_t t = 0; t < shape->triangle_count; t++) {
        const double *x[3];
        snag__ray_hit hit;
        for (int c = 0; c < 3; c++)
            x[c] = shape->positions + 3 * (size_t)shape->triangles[3 * t + c];
        if (!snag__is_collinear(x[0], x[1], x[2]) && snag__ray_meets(&plain, x, &hit))
            expected[all++] = (uint32_t)t;
        assert_true(all < HITS);
    }
    assert_int_equal(count, all);
    for (size_t i = 0; i < count; i++)
        got[i] = found[i].triangle;
    qsort(got, count, sizeof *got, compare_indexes);
    if (count > 0)
        assert_memory_equal(got, expected, count * sizeof *got);
    return all;
}

// Bodies of any size anywhere, crumpled or flat in a plane across an axis, with coordinates that are floats or not. Far from the origin
// coordinates have few bits left, and so have the boxes.
static snag_shape large_shape(uint32_t round, double size, snag__random *random)
{
    snag_shape shape = {0};
    double shake = round / 2 % 2 == 0 ? 0.02 : 0, offset = round % 4 > 0 ? size * pow(10, snag__random_range(random, 0, 9)) : 0;
    if (round % 8 == 0)
        snag_shape_icosphere(3, 1, &shape);
    else if (round % 8 < 4)
        snag_shape_sheet(24, 24, 2, 2, &shape);
    else
        snag_shape_box(12, 2, 2, 2, &shape);  // the sides of its leaves are seen end-on
    for (size_t i = 0; i < 3 * shape.vertex_count; i++) {
        double x = (shape.positions[i] + snag__random_range(random, -shake, shake)) * size + (i % 3 == 0   ? offset
                                                                                              : i % 3 == 1 ? -offset
                                                                                                           : 0);
        shape.positions[i] = round % 3 == 0 ? (double)(float)x : x;
    }
    return shape;
}

static size_t check_large(const snag_shape *shape, snag_world *world, snag_ray *all)
{
    static snag_hit first[LARGE_RAYS];
    const snag_hit_lists *lists;
    snag_cast_def def = snag_default_cast_def();
    size_t hit_count = 0;
    assert_int_equal(snag_world_cast_all(world, &def, all, LARGE_RAYS, &lists), SNAG_OK);
    assert_int_equal(snag_world_cast(world, &def, all, LARGE_RAYS, first, NULL), SNAG_OK);
    for (size_t i = 0; i < LARGE_RAYS; i++) {
        const snag_hit *found = lists->items + lists->start[i];
        size_t count = check_every_triangle(shape, &all[i], found, lists->start[i + 1] - lists->start[i]);
        assert_int_equal(first[i].body.index != 0, count > 0);
        if (count == 0)
            continue;
        assert_memory_equal(&first[i], found, sizeof *found);
        all[i].limit = found[count / 2].t;
        hit_count += count;
    }
    return hit_count;
}

static void large_bodies_are_hit_as_triangle_by_triangle(void **state)
{
    (void)state;
    static snag_ray many[LARGE_RAYS];
    size_t hit_count = 0;
    for (uint32_t round = 0; round < LARGE_ROUNDS; round++) {
        snag__random random = {round + 9000};
        double size = round % 5 == 0 ? 1 : pow(10, snag__random_range(&random, -12, 14));
        snag_shape shape = large_shape(round, size, &random);
        probe_way ways[8];
        size_t way_count = probe_ways(ways);
        snag_world *world = probe_world(ways[round % way_count].threads, ways[round % way_count].isa);
        probe_add(world, &shape);
        for (int i = 0; i < LARGE_RAYS; i++)
            many[i] = ray_at(&shape, size, &random);
        hit_count += check_large(&shape, world, many);
        // Once more, up to where one of the hits was.
        hit_count += check_large(&shape, world, many);
        snag_world_destroy(world);
        snag_shape_free(&shape);
    }
    assert_true(hit_count > LARGE_ROUNDS * LARGE_RAYS / 2);
}

// A segment that ends behind a triangle of the body and begins 10^-2 to 10^300 away, along an axis or any way.
static snag_ray segment_from_afar(const snag_shape *shape, uint32_t i, snag__random *random)
{
    snag_ray ray = {.limit = 1};
    double away = pow(10, 2.0 * i - 2);
    point_of_triangle(shape, random, ray.direction);
    for (uint32_t k = 0; k < 3; k++) {
        double part = i % 2 == 0 || k == i / 2 % 3 ? snag__random_range(random, -1, 1) : 0;
        ray.origin[k] = ray.direction[k] + part * away;
        ray.direction[k] -= part / 8;
    }
    return ray;
}

// Hits of bodies one after the other, in the order of triangles.
static int compare_places(const void *a, const void *b)
{
    const snag_hit *x = a, *y = b;
    return x->body.index != y->body.index ? (x->body.index < y->body.index ? -1 : 1)
                                          : (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

// However far away a ray begins, it meets triangles of its own tree alone: missing children are not met.
static void origins_may_be_as_far_as_doubles_reach(void **state)
{
    (void)state;
    enum { FAR = 150, ROUNDS = 8 };
    static snag_ray all[FAR];
    static snag_hit found[HITS];
    size_t hit_count = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        snag__random random = {round + 77};
        snag_shape shape[2] = {0};
        probe_way ways[8];
        size_t way_count = probe_ways(ways);
        snag_world *world = probe_world(ways[round % way_count].threads, ways[round % way_count].isa);
        snag_shape_icosphere(3, 1, &shape[0]);
        snag_shape_box(3, 3, 3, 1, &shape[1]);  // fewer vertices, and a node that is not full
        for (int b = 0; b < 2; b++)
            probe_add(world, &shape[b]);
        for (uint32_t i = 0; i < FAR; i++)
            all[i] = segment_from_afar(&shape[round % 2], i, &random);
        snag_cast_def def = snag_default_cast_def();
        const snag_hit_lists *lists;
        def.segments = true;
        assert_int_equal(snag_world_cast_all(world, &def, all, FAR, &lists), SNAG_OK);
        for (uint32_t i = 0; i < FAR; i++) {
            snag__ray ray = snag__ray_make(all[i].origin, all[i].direction, true, all[i].limit);
            size_t count = lists->start[i + 1] - lists->start[i], at = 0;
            assert_true(count <= HITS);
            memcpy(found, lists->items + lists->start[i], count * sizeof *found);
            qsort(found, count, sizeof *found, compare_places);
            for (uint32_t b = 0; b < 2; b++)
                for (uint32_t t = 0; t < shape[b].triangle_count; t++) {
                    const double *x[3];
                    snag__ray_hit hit;
                    for (int c = 0; c < 3; c++)
                        x[c] = shape[b].positions + 3 * (size_t)shape[b].triangles[3 * t + c];
                    if (!snag__ray_meets(&ray, x, &hit))
                        continue;
                    assert_true(at < count);
                    assert_int_equal(found[at].body.index, b + 1);
                    assert_int_equal(found[at++].triangle, t);
                }
            assert_int_equal(at, count);
            hit_count += count;
        }
        snag_world_destroy(world);
        for (int b = 0; b < 2; b++)
            snag_shape_free(&shape[b]);
    }
    assert_true(hit_count > FAR * ROUNDS / 2);
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
        cmocka_unit_test(large_bodies_are_hit_as_triangle_by_triangle),
        cmocka_unit_test(origins_may_be_as_far_as_doubles_reach),
        cmocka_unit_test(lists_have_room_for_every_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
