// Files of blocks: what is written is read, and damage of any byte is a status.
#define _GNU_SOURCE
#include "support.h"

#include "snag/shapes.h"

#include <math.h>

static char folder[PATH_BYTES];

static int make(void **state)
{
    (void)state;
    make_folder(folder);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

static snag_io_surface surface_of(const snag_shape *shape)
{
    return (snag_io_surface){.positions = snag_positions_f64(shape->positions, shape->vertex_count),
                             .triangles = shape->triangles,
                             .triangle_count = shape->triangle_count};
}

// Every triangle of the file is the one of its number, and lies in the box of its block.
static void compare(const char *path, const snag_shape *shape)
{
    snag_io_chunked *file = NULL;
    assert_int_equal(snag_io_chunked_open(path, &file, NULL), SNAG_OK);
    snag_source_def source = snag_io_chunked_source(file);
    snag_io_chunked_info info = snag_io_chunked_describe(file);
    assert_int_equal(info.triangle_count, shape->triangle_count);
    assert_int_equal(info.read_bytes, 0);
    uint8_t *seen = calloc(shape->triangle_count + 1, 1);
    double corners[256 * 9], volume = 0;
    for (size_t b = 0; b < info.block_count; b++) {
        const snag_surface_block *block = &source.blocks[b];
        assert_int_equal(source.read(source.context, b, corners), SNAG_OK);
        double size = 1;
        for (int k = 0; k < 3; k++)
            size *= block->maximum[k] - block->minimum[k];
        volume += size;
        for (uint32_t t = 0; t < block->triangle_count; t++) {
            uint32_t number;
            assert_int_equal(snag_io_chunked_number(file, block->first_triangle + t, &number, NULL), SNAG_OK);
            assert_true(number < shape->triangle_count && !seen[number]);
            seen[number] = 1;
            for (int i = 0; i < 9; i++) {
                double x = shape->positions[3 * shape->triangles[3 * number + (uint32_t)i / 3] + (uint32_t)i % 3];
                assert_true(corners[9 * t + (uint32_t)i] == x);
                assert_true(x >= block->minimum[i % 3] && x <= block->maximum[i % 3]);
            }
        }
    }
    // Neighbours stand together: all boxes together are half as large as the whole at most.
    assert_true(volume < 4);
    free(seen);
    snag_io_chunked_close(file);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    snag_shape ball;
    snag_io_error error;
    assert_int_equal(snag_shape_icosphere(5, 1, &ball), SNAG_OK);
    snag_io_surface surface = surface_of(&ball);
    const char *path = path_in(folder, "ball.snag");
    assert_int_equal(snag_io_chunked_write(path, &surface, NULL, &error), SNAG_OK);
    compare(path, &ball);
    for (size_t i = 0; i < 3 * ball.vertex_count; i++)
        ball.positions[i] = (double)(float)ball.positions[i];  // fits floats: half the file
    assert_int_equal(snag_io_chunked_write(path, &surface, NULL, &error), SNAG_OK);
    compare(path, &ball);
    surface.triangle_count = 0;
    assert_int_equal(snag_io_chunked_write(path, &surface, NULL, &error), SNAG_OK);
    snag_io_chunked *file = NULL;
    assert_int_equal(snag_io_chunked_open(path, &file, NULL), SNAG_OK);
    assert_int_equal(snag_io_chunked_describe(file).block_count, 0);
    snag_io_chunked_close(file);
    snag_shape_free(&ball);
}

static void damage_is_a_status(void **state)
{
    (void)state;
    snag_shape ball;
    snag_io_error error;
    assert_int_equal(snag_shape_icosphere(3, 1, &ball), SNAG_OK);
    snag_io_surface surface = surface_of(&ball);
    const char *path = path_in(folder, "ball.snag"), *bad = path_in(folder, "bad.snag");
    assert_int_equal(snag_io_chunked_write(path, &surface, NULL, &error), SNAG_OK);
    FILE *stream = fopen(path, "rb");
    static char content[1 << 18];
    size_t size = fread(content, 1, sizeof content, stream);
    fclose(stream);
    assert_true(size > 1000 && size < sizeof content);
    snag_io_chunked *file = NULL;
    for (size_t at = 0; at < size; at += at < 64 ? 1 : 211) {
        for (int cut = 0; cut < 2; cut++) {
            char was = content[at];
            content[at] = (char)(content[at] ^ 0x41);
            stream = fopen(bad, "wb");
            fwrite(content, 1, cut ? at : size, stream);
            fclose(stream);
            content[at] = was;
            snag_status status = snag_io_chunked_open(bad, &file, &error);
            assert_true(!cut || status == SNAG_ERROR_FORMAT);
            double corners[256 * 9];
            for (size_t b = 0; status == SNAG_OK && b < snag_io_chunked_describe(file).block_count; b++)
                status = snag_io_chunked_read(file, b, corners, &error);
            // What is left without a check is eight bytes of the head, and the numbers.
            assert_true(status != SNAG_OK || (at >= 56 && at < 64) || at >= size - 4 * ball.triangle_count);
            snag_io_chunked_close(file);
        }
    }
    assert_int_equal(snag_io_chunked_open(path_in(folder, "none.snag"), &file, &error), SNAG_ERROR_FILE);
    assert_int_equal(snag_io_chunked_open(folder, &file, &error), SNAG_ERROR_FILE);
    assert_int_equal(snag_io_chunked_open(NULL, &file, &error), SNAG_ERROR_ARGUMENT);
    snag_shape_free(&ball);
}

static void bad_surfaces_and_places_are_refused(void **state)
{
    (void)state;
    snag_io_error error;
    double x[9] = {0, 0, 0, 1, 0, 0, 0, NAN, 0};
    uint32_t triangle[3] = {0, 1, 2};
    snag_shape shape = {.positions = x, .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    snag_io_surface surface = surface_of(&shape);
    const char *path = path_in(folder, "bad.snag");
    assert_int_equal(snag_io_chunked_write(path, &surface, NULL, &error), SNAG_ERROR_NOT_FINITE);
    x[7] = 1;
    triangle[2] = 3;
    assert_int_equal(snag_io_chunked_write(path, &surface, NULL, &error), SNAG_ERROR_INDEX);
    triangle[2] = 2;
    assert_int_equal(snag_io_chunked_write(path_in(folder, "no/such/folder.snag"), &surface, NULL, &error), SNAG_ERROR_FILE);
    assert_int_equal(snag_io_chunked_write(path, NULL, NULL, &error), SNAG_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, make, clean),
        cmocka_unit_test_setup_teardown(damage_is_a_status, make, clean),
        cmocka_unit_test_setup_teardown(bad_surfaces_and_places_are_refused, make, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
