// Bodies that stay on disk: the same contacts as in memory, little of the file read, little kept, and a status whatever
// happens to the file.
#define _GNU_SOURCE
#include "common/any_question.h"
#include "helpers/failing_allocator.h"
#include "helpers/scenes.h"
#include "helpers/test.h"
#include "snag/io.h"
#include "temporary.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256], path[300];

static int make_path(void **state)
{
    (void)state;
    if (!temporary_folder(folder, sizeof folder))
        return 1;
    snprintf(path, sizeof path, "%s/body.snag", folder);
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path) != 0 || rmdir(folder) != 0;
}

static void write_file(const snag_shape *shape)
{
    snag_io_surface surface = {
        .positions = snag_positions_f64(shape->positions, shape->vertex_count),
        .triangles = shape->triangles,
        .triangle_count = shape->triangle_count,
    };
    assert_int_equal(snag_io_chunked_write(path, &surface, NULL, NULL), SNAG_OK);
}

static snag_io_chunked *add_file(snag_world *world, snag_body_id *id)
{
    snag_io_chunked *file = NULL;
    snag_io_error error;
    if (snag_io_chunked_open(path, &file, &error) != SNAG_OK)
        fail_msg("%s", error.message);
    snag_source_def def = snag_io_chunked_source(file);
    assert_int_equal(snag_world_add_source(world, &def, id), SNAG_OK);
    return file;
}

static snag_status ask_for(snag_world *world, snag_question question, uint32_t depth, const snag_answer **answer)
{
    any_question ask = any_default(question);
    ask.method = SNAG_METHOD_SPHERES;
    ask.self = false;
    ask.depth = depth;
    ask.idle = 2;
    return any_ask(world, &ask, answer);
}

static snag_status ask_auto(snag_world *world, const snag_answer **answer)
{
    any_question ask = any_default(SNAG_INTERSECTIONS);
    ask.self = false;
    return any_ask(world, &ask, answer);
}

static int by_number(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint64_t));
}

// Pairs of triangles by the numbers of the file they came from, sorted.
static uint64_t *pairs_of(const snag_answer *answer, snag_io_chunked *file)
{
    uint64_t *pairs = malloc((answer->count + 1) * sizeof *pairs);
    for (size_t i = 0; i < answer->count; i++) {
        uint32_t number = answer->contacts[i].a.index;
        if (file != NULL)
            assert_int_equal(snag_io_chunked_number(file, number, &number, NULL), SNAG_OK);
        pairs[i] = (uint64_t)number << 32 | answer->contacts[i].b.index;
    }
    qsort(pairs, answer->count, sizeof *pairs, by_number);
    return pairs;
}

static void contacts_are_those_of_the_body_in_memory(void **state)
{
    (void)state;
    snag__random random = {61};
    snag_shape sheet = scene_crumpled_sheet(60, 0.1, &random), ball;
    assert_int_equal(snag_shape_icosphere(3, 0.2, &ball), SNAG_OK);
    write_file(&sheet);
    static const uint32_t depths[] = {0, 1, 3, 7};
    for (int i = 0; i < 4; i++) {
        snag_world *memory = scene_world(&(scene_options){.threads = 1}), *disk = scene_world(&(scene_options){.threads = 1});
        snag_body_id a, b;
        const snag_answer *expected = NULL, *found = NULL;
        assert_int_equal(scene_add(memory, &sheet, SNAG_F64, NULL, &a), SNAG_OK);
        assert_int_equal(scene_add(memory, &ball, SNAG_F64, NULL, &b), SNAG_OK);
        snag_io_chunked *file = add_file(disk, &a);
        assert_int_equal(scene_add(disk, &ball, SNAG_F64, NULL, &b), SNAG_OK);
        assert_int_equal(ask_auto(memory, &expected), SNAG_OK);
        assert_int_equal(expected->method, SNAG_METHOD_KDOP);
        // Auto knows who reads from the disk.
        assert_int_equal(i == 0 ? ask_auto(disk, &found) : ask_for(disk, SNAG_INTERSECTIONS, depths[i], &found), SNAG_OK);
        assert_int_equal(found->method, SNAG_METHOD_SPHERES);
        assert_true(i > 0 || strstr(found->reason, "disk") != NULL);
        assert_int_equal(found->count, expected->count);
        assert_true(found->count > 100);
        uint64_t *pairs = pairs_of(expected, NULL), *others = pairs_of(found, file);
        assert_memory_equal(pairs, others, expected->count * sizeof *pairs);
        free(pairs);
        free(others);
        // The points are those of the true triangles.
        for (size_t k = 0; k < found->count; k++)
            for (int axis = 0; axis < 3; axis++)
                assert_true(found->contacts[k].point_a[axis] >= -0.7 && found->contacts[k].point_a[axis] <= 0.7);
        snag_world_destroy(memory);
        snag_world_destroy(disk);
    }
    snag_shape_free(&sheet);
    snag_shape_free(&ball);
}

static void a_corner_reads_little_and_keeps_little(void **state)
{
    (void)state;
    snag_shape sheet, ball;
    assert_int_equal(snag_shape_sheet(250, 250, 1, 1, &sheet), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(2, 0.02, &ball), SNAG_OK);
    write_file(&sheet);
    snag_shape_transform(&ball, 1, 0.48, 0.48, 0);
    failing_allocator memory;
    snag_allocator allocator = failing_allocator_start(&memory, 0);
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = allocator});
    snag_body_id a, b;
    snag_io_chunked *file = add_file(world, &a);
    assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &b), SNAG_OK);
    const snag_answer *answer = NULL;
    assert_int_equal(ask_for(world, SNAG_INTERSECTIONS, 0, &answer), SNAG_OK);
    assert_true(answer->count > 20);
    snag_io_chunked_info info = snag_io_chunked_describe(file);
    snag_tree_info tree;
    assert_int_equal(snag_world_tree(world, a, &tree), SNAG_OK);
    print_message("%zu triangles, %llu of %llu bytes read, %zu resident\n", info.triangle_count,
                  (unsigned long long)info.read_bytes, (unsigned long long)info.file_bytes, tree.bytes);
    assert_true(info.read_bytes > 0 && info.read_bytes < info.file_bytes / 20);
    assert_true(tree.blocks_read > 0 && tree.bytes < 1 << 20);
    // In another corner, and after the idle time the first one is forgotten.
    size_t bytes = tree.bytes;
    snag_shape_transform(&ball, 1, -0.96, -0.96, 0);
    assert_int_equal(snag_world_move(world, b, snag_positions_f64(ball.positions, ball.vertex_count)), SNAG_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ask_for(world, SNAG_INTERSECTIONS, 0, &answer), SNAG_OK);
    assert_true(answer->count > 20);
    assert_int_equal(snag_world_tree(world, a, &tree), SNAG_OK);
    assert_true(tree.bytes < bytes + bytes / 4);
    // Away again, and after the idle time all is.
    snag_shape_transform(&ball, 1, 5, 0, 0);
    assert_int_equal(snag_world_move(world, b, snag_positions_f64(ball.positions, ball.vertex_count)), SNAG_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ask_for(world, SNAG_INTERSECTIONS, 0, &answer), SNAG_OK);
    assert_int_equal(snag_world_tree(world, a, &tree), SNAG_OK);
    assert_int_equal(tree.level_count, 0);
    assert_true(tree.bytes < 4096);
    assert_int_equal(snag_world_remove(world, a), SNAG_OK);
    snag_world_destroy(world);
    failing_allocator_assert_clean(&memory);
    snag_shape_free(&sheet);
    snag_shape_free(&ball);
}

static void a_file_that_shrinks_or_changes_gives_a_status(void **state)
{
    (void)state;
    snag_shape sheet, ball;
    assert_int_equal(snag_shape_sheet(60, 60, 1, 1, &sheet), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(2, 0.3, &ball), SNAG_OK);
    for (int kind = 0; kind < 2; kind++) {
        write_file(&sheet);
        snag_world *world = scene_world(&(scene_options){.threads = 1});
        snag_body_id a, b;
        add_file(world, &a);
        assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &b), SNAG_OK);
        const snag_answer *answer = NULL;
        if (kind == 0)
            assert_int_equal(truncate(path, 500), 0);
        else {
            FILE *stream = fopen(path, "r+b");
            for (long at = 64; at < 100000; at += 100) {
                fseek(stream, at, SEEK_SET);
                fputc(0x5a, stream);
            }
            fclose(stream);
        }
        assert_int_equal(ask_auto(world, &answer), kind == 0 ? SNAG_ERROR_FILE : SNAG_ERROR_FORMAT);
        // The world goes on without it.
        assert_int_equal(snag_world_remove(world, a), SNAG_OK);
        assert_int_equal(ask_auto(world, &answer), SNAG_OK);
        snag_world_destroy(world);
    }
    snag_shape_free(&sheet);
    snag_shape_free(&ball);
}

static snag_status read_lies(void *context, size_t block, double *corners)
{
    (void)block;
    for (int i = 0; i < 9; i++)
        corners[i] = *(const double *)context;
    return SNAG_OK;
}

static void what_a_source_cannot_do_is_said(void **state)
{
    (void)state;
    snag_world *world = scene_world(&(scene_options){.threads = 1});
    snag_surface_block block = {{0, 0, 0}, {1, 1, 1}, 0, 1};
    double lie = 7;
    snag_source_def def = snag_default_source_def();
    snag_body_id id, other;
    assert_int_equal(snag_world_add_source(world, &def, &id), SNAG_ERROR_ARGUMENT);
    def.blocks = &block;
    def.block_count = 1;
    def.read = read_lies;
    def.context = &lie;
    def.name = "far";
    block.first_triangle = 3;
    assert_int_equal(snag_world_add_source(world, &def, &id), SNAG_ERROR_ARGUMENT);
    block.first_triangle = 0;
    const double bad[] = {2, NAN, -INFINITY};  // above the largest coordinate, or not finite
    for (int i = 0; i < 3; i++) {
        block.minimum[1] = bad[i];
        assert_int_equal(snag_world_add_source(world, &def, &id), SNAG_ERROR_ARGUMENT);
    }
    block.minimum[1] = 0;
    block.triangle_count = UINT32_MAX;
    assert_int_equal(snag_world_add_source(world, &def, &id), SNAG_ERROR_ARGUMENT);
    block.triangle_count = 1;
    assert_int_equal(snag_world_add_source(world, &def, &id), SNAG_OK);
    snag_body_info info;
    assert_int_equal(snag_world_body(world, id, &info), SNAG_OK);
    assert_int_equal(info.triangle_count, 1);
    assert_string_equal(info.name, "far");
    assert_true(info.triangles == NULL && info.triangle_faces == NULL);
    const double x[3] = {0, 0, 0};
    assert_int_equal(snag_world_move(world, id, snag_positions_f64(x, 1)), SNAG_ERROR_UNSUPPORTED);
    const snag_mesh_report *report = NULL;
    assert_int_equal(snag_world_check(world, id, &report), SNAG_ERROR_UNSUPPORTED);
    const snag_answer *answer = NULL;
    any_question ask = any_default(SNAG_PROXIMITIES);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    ask = any_default(SNAG_INTERSECTIONS);
    ask.method = SNAG_METHOD_KDOP;
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(snag_world_message(world), "spheres"));
    // It says that it lies in a box, and gives corners outside of it.
    snag_shape ball;
    assert_int_equal(snag_shape_icosphere(1, 1, &ball), SNAG_OK);
    assert_int_equal(scene_add(world, &ball, SNAG_F64, NULL, &other), SNAG_OK);
    assert_int_equal(ask_for(world, SNAG_INTERSECTIONS, 0, &answer), SNAG_ERROR_FORMAT);
    lie = 0.5;
    assert_int_equal(ask_for(world, SNAG_INTERSECTIONS, 0, &answer), SNAG_OK);
    // Without it the world is as any other.
    assert_int_equal(snag_world_remove(world, id), SNAG_OK);
    ask = any_default(SNAG_PROXIMITIES);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    ask = any_default(SNAG_INTERSECTIONS);
    assert_int_equal(any_ask(world, &ask, &answer), SNAG_OK);
    assert_int_equal(answer->method, SNAG_METHOD_KDOP);
    snag_shape_free(&ball);
    snag_world_destroy(world);
}

enum { WIDE_BLOCKS = 12, IN_A_BLOCK = 8 };

static snag_status read_soup(void *context, size_t block, double *corners)
{
    const snag_shape *soup = context;
    for (size_t i = 0; i < 3 * IN_A_BLOCK; i++)
        memcpy(corners + 3 * i, soup->positions + 3 * (size_t)soup->triangles[3 * IN_A_BLOCK * block + i], 3 * sizeof(double));
    return SNAG_OK;
}

// Each block is as large as the body: octants of octants would all hold all blocks.
static void blocks_that_lie_in_each_other_are_not_divided_without_end(void **state)
{
    (void)state;
    snag__random random = {62};
    snag_shape soup = scene_soup(WIDE_BLOCKS * IN_A_BLOCK, 0, false, &random), ball;
    assert_int_equal(snag_shape_icosphere(2, 0.4, &ball), SNAG_OK);
    snag_shape_transform(&ball, 1, 0.5, 0.5, 0.5);
    snag_surface_block blocks[WIDE_BLOCKS];
    for (uint32_t i = 0; i < WIDE_BLOCKS; i++)
        blocks[i] = (snag_surface_block){{0, 0, 0}, {1, 1, 1}, IN_A_BLOCK * i, IN_A_BLOCK};
    snag_world *disk = scene_world(&(scene_options){.threads = 1}), *memory = scene_world(&(scene_options){.threads = 1});
    snag_source_def def = snag_default_source_def();
    def.blocks = blocks;
    def.block_count = WIDE_BLOCKS;
    def.read = read_soup;
    def.context = &soup;
    snag_body_id id, other;
    assert_int_equal(snag_world_add_source(disk, &def, &id), SNAG_OK);
    assert_int_equal(scene_add(disk, &ball, SNAG_F64, NULL, &other), SNAG_OK);
    assert_int_equal(scene_add(memory, &soup, SNAG_F64, NULL, &other), SNAG_OK);
    assert_int_equal(scene_add(memory, &ball, SNAG_F64, NULL, &other), SNAG_OK);
    const snag_answer *found = NULL, *expected = NULL;
    assert_int_equal(ask_for(disk, SNAG_INTERSECTIONS, 5, &found), SNAG_OK);
    assert_int_equal(ask_auto(memory, &expected), SNAG_OK);
    assert_int_equal(found->count, expected->count);
    assert_true(found->count > 100);
    snag_tree_info tree;
    assert_int_equal(snag_world_tree(disk, id, &tree), SNAG_OK);
    assert_true(tree.levels_made < 1000);
    snag_world_destroy(disk);
    snag_world_destroy(memory);
    snag_shape_free(&soup);
    snag_shape_free(&ball);
}

static snag_status cycle(const snag_allocator *allocator, void *context)
{
    const snag_shape *ball = context;
    snag_world *world = scene_world(&(scene_options){.threads = 1, .allocator = *allocator});
    if (world == NULL)
        return SNAG_ERROR_MEMORY;
    snag_io_chunked *file = NULL;
    snag_body_id id;
    assert_int_equal(snag_io_chunked_open(path, &file, NULL), SNAG_OK);
    snag_source_def def = snag_io_chunked_source(file);
    snag_status status = snag_world_add_source(world, &def, &id);
    if (status != SNAG_OK)
        snag_io_chunked_close(file);  // on failure it is still ours
    if (status == SNAG_OK)
        status = scene_add(world, ball, SNAG_F64, NULL, &id);
    const snag_answer *answer = NULL;
    for (int i = 0; i < 2 && status == SNAG_OK; i++)
        status = ask_for(world, i == 0 ? SNAG_INTERSECTIONS : SNAG_OVERLAPS, 2, &answer);
    snag_world_destroy(world);
    return status;
}

static void nothing_is_lost_when_any_allocation_fails(void **state)
{
    (void)state;
    snag_shape sheet, ball;
    assert_int_equal(snag_shape_sheet(40, 40, 1, 1, &sheet), SNAG_OK);
    assert_int_equal(snag_shape_icosphere(0, 0.1, &ball), SNAG_OK);
    write_file(&sheet);
    assert_true(failing_allocator_sweep(cycle, &ball) > 20);
    snag_shape_free(&sheet);
    snag_shape_free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_the_body_in_memory),
        cmocka_unit_test(a_corner_reads_little_and_keeps_little),
        cmocka_unit_test(a_file_that_shrinks_or_changes_gives_a_status),
        cmocka_unit_test(what_a_source_cannot_do_is_said),
        cmocka_unit_test(blocks_that_lie_in_each_other_are_not_divided_without_end),
        cmocka_unit_test(nothing_is_lost_when_any_allocation_fails),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
