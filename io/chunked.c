// A surface on disk in blocks of nearby triangles; each block can be read alone.
//
// Layout, little-endian: a head of 64 bytes; the blocks; the table, one row for each block; the numbers, one for each triangle.
//     head    "SNAGCHK1", bytes of a coordinate (4 or 8), blocks (u32), triangles (u64), where the table and the numbers start
//             (u64 each), bytes of the file (u64), check sum of the table (u64), 8 bytes of zeros
//     row     minimum and maximum (6 doubles), where the block starts (u64), triangles (u32), 4 bytes of zeros, check sum of the
//             block (u64)
//     block   x, y, z of the three corners of each triangle
//     number  the triangle's face in the file it came from (u32)
//
// Blocks are read with pread, not mapped: if the file shrinks or changes while open, pread returns an error, but touching a
// mapped page would end the process.
#define _GNU_SOURCE
#include "bytes.h"

#include "common/system.h"
#include "file.h"
#include "surface.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char magic[8] = "SNAGCHK1";

enum {
    HEAD_BYTES = 64,
    ROW_BYTES = 72,
    BLOCK_TRIANGLES = 256,  // 9 kB of floats: a few pages, so that little is read in vain
    BLOCK_BYTES = BLOCK_TRIANGLES * 9 * 8,  // at most, with doubles
    MOST_HALVINGS = 64,
};

struct snag_io_chunked {
    int descriptor;
    char *path;
    uint32_t coordinate_bytes;
    uint64_t triangle_count, numbers_at, file_bytes, read_bytes;
    size_t block_count;
    snag_surface_block *blocks;
    uint64_t *offsets, *sums;
};

// FNV-1a.
static uint64_t check_sum(const void *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

static void put_unsigned(char *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (char)(uint8_t)(value >> 8 * i);
}

static void put_coordinate(char *at, double value, uint32_t size)
{
    float single = (float)value;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &single, sizeof bits32);
    memcpy(&bits64, &value, sizeof bits64);
    put_unsigned(at, size == 4 ? bits32 : bits64, size);
}

static double get_coordinate(const char *at, uint32_t size)
{
    return size == 4 ? (double)snag__bytes_f32(at, false) : snag__bytes_f64(at, false);
}

// ---- writing ----

typedef struct ordered {
    double middle[3];
    uint32_t triangle;
} ordered;

typedef struct writing {
    const snag_io_surface *surface;
    const uint32_t *numbers;
    ordered *order;
    char *table, *block;
    size_t block_count;
    uint32_t coordinate_bytes;
    snag__output output;
} writing;

static int compare_along(const ordered *x, const ordered *y, int axis)
{
    if (x->middle[axis] != y->middle[axis])
        return x->middle[axis] < y->middle[axis] ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static int along_x(const void *a, const void *b)
{
    return compare_along(a, b, 0);
}

static int along_y(const void *a, const void *b)
{
    return compare_along(a, b, 1);
}

static int along_z(const void *a, const void *b)
{
    return compare_along(a, b, 2);
}

static void corners_of(const snag_io_surface *surface, uint32_t triangle, double corners[9])
{
    for (size_t c = 0; c < 3; c++)
        snag__io_position_get(&surface->positions, surface->triangles[3 * (size_t)triangle + c], corners + 3 * c);
}

// Sorts a run of triangles along its longest axis.
static void sort_run(ordered *run, size_t count)
{
    static int (*const along[3])(const void *, const void *) = {along_x, along_y, along_z};
    double longest = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            lo = fmin(lo, run[i].middle[k]);
            hi = fmax(hi, run[i].middle[k]);
        }
        if (hi / 2 - lo / 2 > longest) {
            longest = hi / 2 - lo / 2;
            axis = k;
        }
    }
    qsort(run, count, sizeof *run, along[axis]);
}

// Splits runs across their longest axis until each is a block; halves are whole blocks, so that all but the last are full.
static void put_in_order(writing *w)
{
    size_t count = w->surface->triangle_count, stack[MOST_HALVINGS][2], waiting = 1;
    for (size_t t = 0; t < count; t++) {
        double c[9];
        corners_of(w->surface, (uint32_t)t, c);
        w->order[t].triangle = (uint32_t)t;
        for (int k = 0; k < 3; k++)
            w->order[t].middle[k] = c[k] / 3 + c[3 + k] / 3 + c[6 + k] / 3;
    }
    stack[0][0] = 0;
    stack[0][1] = count;
    while (waiting > 0) {
        size_t first = stack[--waiting][0], size = stack[waiting][1];
        if (size <= BLOCK_TRIANGLES)
            continue;
        sort_run(w->order + first, size);
        size_t blocks = (size + BLOCK_TRIANGLES - 1) / BLOCK_TRIANGLES, half = blocks / 2 * BLOCK_TRIANGLES;
        stack[waiting][0] = first + half;
        stack[waiting++][1] = size - half;
        stack[waiting][0] = first;
        stack[waiting++][1] = half;
    }
}

// Uses floats if they represent every coordinate exactly.
static uint32_t coordinate_bytes_for(const snag_io_surface *surface)
{
    double c[9];
    for (size_t t = 0; t < surface->triangle_count; t++) {
        corners_of(surface, (uint32_t)t, c);
        for (int i = 0; i < 9; i++)
            if (fabs(c[i]) > 3.4e38 || (double)(float)c[i] != c[i])
                return 8;
    }
    return 4;
}

static void write_block(writing *w, size_t block, uint64_t offset)
{
    size_t first = block * BLOCK_TRIANGLES, count = w->surface->triangle_count - first;
    if (count > BLOCK_TRIANGLES)
        count = BLOCK_TRIANGLES;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, c[9];
    char *at = w->block;
    for (size_t t = first; t < first + count; t++) {
        corners_of(w->surface, w->order[t].triangle, c);
        for (int i = 0; i < 9; i++, at += w->coordinate_bytes) {
            put_coordinate(at, c[i], w->coordinate_bytes);
            lo[i % 3] = fmin(lo[i % 3], c[i]);
            hi[i % 3] = fmax(hi[i % 3], c[i]);
        }
    }
    size_t size = (size_t)(at - w->block);
    fwrite(w->block, 1, size, w->output.stream);
    char *row = w->table + block * ROW_BYTES;
    for (size_t k = 0; k < 3; k++) {
        put_coordinate(row + 8 * k, lo[k], 8);
        put_coordinate(row + 24 + 8 * k, hi[k], 8);
    }
    put_unsigned(row + 48, offset, 8);
    put_unsigned(row + 56, count, 8);
    put_unsigned(row + 64, check_sum(w->block, size), 8);
}

static void write_head(writing *w, uint64_t table_at)
{
    char head[HEAD_BYTES] = {0};
    uint64_t triangles = w->surface->triangle_count, numbers_at = table_at + w->block_count * ROW_BYTES;
    memcpy(head, magic, sizeof magic);
    put_unsigned(head + 8, w->coordinate_bytes, 4);
    put_unsigned(head + 12, w->block_count, 4);
    put_unsigned(head + 16, triangles, 8);
    put_unsigned(head + 24, table_at, 8);
    put_unsigned(head + 32, numbers_at, 8);
    put_unsigned(head + 40, numbers_at + 4 * triangles, 8);
    put_unsigned(head + 48, check_sum(w->table, w->block_count * ROW_BYTES), 8);
    fwrite(head, 1, sizeof head, w->output.stream);
}

// Does all the work; the caller has made the memory and the file.
static void write_all(writing *w)
{
    uint64_t block_bytes = (uint64_t)BLOCK_TRIANGLES * 9 * w->coordinate_bytes;
    uint64_t table_at = HEAD_BYTES + (uint64_t)w->surface->triangle_count * 9 * w->coordinate_bytes;
    static const char nothing[HEAD_BYTES] = {0};
    fwrite(nothing, 1, sizeof nothing, w->output.stream);
    for (size_t block = 0; block < w->block_count; block++)
        write_block(w, block, HEAD_BYTES + block * block_bytes);
    fwrite(w->table, 1, w->block_count * ROW_BYTES, w->output.stream);
    for (size_t t = 0; t < w->surface->triangle_count; t++) {
        char number[4];
        put_unsigned(number, w->numbers ? w->numbers[w->order[t].triangle] : w->order[t].triangle, 4);
        fwrite(number, 1, sizeof number, w->output.stream);
    }
    if (fseek(w->output.stream, 0, SEEK_SET) == 0)
        write_head(w, table_at);
}

snag_status snag_io_chunked_write(const char *path, const snag_io_surface *surface, const uint32_t *numbers, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!path || !surface)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "chunked: path and surface must be given");
    snag__io_totals totals;
    snag_status status = snag__io_surfaces_check(path, surface, 1, &totals, error);
    if (status != SNAG_OK)
        return status;
    writing w = {.surface = surface, .numbers = numbers};
    w.block_count = (surface->triangle_count + BLOCK_TRIANGLES - 1) / BLOCK_TRIANGLES;
    w.order = malloc((surface->triangle_count + 1) * sizeof *w.order);
    w.table = calloc(w.block_count + 1, ROW_BYTES);
    w.block = malloc(BLOCK_BYTES);
    if (!w.order || !w.table || !w.block)
        status = snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to write it", snag__path_shown(path));
    else
        status = snag__output_open(&w.output, path, error);
    if (status == SNAG_OK) {
        w.coordinate_bytes = coordinate_bytes_for(surface);
        put_in_order(&w);
        write_all(&w);
        status = snag__output_close(&w.output, true, error);
    }
    free(w.order);
    free(w.table);
    free(w.block);
    return status;
}

// ---- reading ----

static snag_status fail_short(const snag_io_chunked *file, snag_io_error *error)
{
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: the file is shorter than when it was opened", snag__path_shown(file->path));
}

// Reads exactly `size` bytes at `offset`.
static snag_status read_at(snag_io_chunked *file, uint64_t offset, char *bytes, size_t size, snag_io_error *error)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = sys_pread(file->descriptor, bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot read: %s", snag__path_shown(file->path), strerror(errno));
        if (got == 0)
            return fail_short(file, error);
        done += (size_t)got;
        file->read_bytes += (size_t)got;
    }
    return SNAG_OK;
}

static snag_status fail_head(const snag_io_chunked *file, const char *what, snag_io_error *error)
{
    return snag__io_fail(error, SNAG_ERROR_FORMAT, "%s: %s", snag__path_shown(file->path), what);
}

// Reads the head and checks it against the true file size. Returns the offset and the checksum of the table.
static snag_status read_head(snag_io_chunked *file, uint64_t *table_at, uint64_t *sum, snag_io_error *error)
{
    char head[HEAD_BYTES];
    sys_info about;
    if (sys_fstat(file->descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: not a regular file", snag__path_shown(file->path));
    if (about.st_size < HEAD_BYTES)
        return fail_head(file, "is too short for a chunked surface", error);
    snag_status status = read_at(file, 0, head, sizeof head, error);
    if (status != SNAG_OK)
        return status;
    if (memcmp(head, magic, sizeof magic) != 0)
        return fail_head(file, "is not a chunked surface (snag convert writes them)", error);
    uint64_t blocks = snag__bytes_u32(head + 12, false);
    file->coordinate_bytes = snag__bytes_u32(head + 8, false);
    file->triangle_count = snag__bytes_u64(head + 16, false);
    *table_at = snag__bytes_u64(head + 24, false);
    file->numbers_at = snag__bytes_u64(head + 32, false);
    file->file_bytes = snag__bytes_u64(head + 40, false);
    *sum = snag__bytes_u64(head + 48, false);
    file->block_count = (size_t)blocks;
    if (file->coordinate_bytes != 4 && file->coordinate_bytes != 8)
        return fail_head(file, "has coordinates of an unknown type", error);
    // Each check also bounds the next one, so no sum overflows.
    bool fits = file->triangle_count <= UINT32_MAX && blocks <= file->triangle_count &&
                *table_at == HEAD_BYTES + file->triangle_count * 9 * file->coordinate_bytes &&
                file->numbers_at == *table_at + blocks * ROW_BYTES &&
                file->file_bytes == file->numbers_at + 4 * file->triangle_count;
    if (!fits)
        return fail_head(file, "has a damaged header", error);
    if (file->file_bytes != (uint64_t)about.st_size)
        return fail_head(file, "does not have the length given in its header", error);
    return SNAG_OK;
}

static snag_status read_row(snag_io_chunked *file, size_t i, const char *row, uint64_t *next, snag_io_error *error)
{
    snag_surface_block *block = &file->blocks[i];
    uint64_t count = snag__bytes_u64(row + 56, false), first = i > 0 ? file->blocks[i - 1].first_triangle : 0;
    first += i > 0 ? file->blocks[i - 1].triangle_count : 0;
    file->offsets[i] = snag__bytes_u64(row + 48, false);
    file->sums[i] = snag__bytes_u64(row + 64, false);
    if (file->offsets[i] != *next || count == 0 || count > BLOCK_TRIANGLES || first + count > file->triangle_count)
        return fail_head(file, "has a damaged table", error);
    *next += count * 9 * file->coordinate_bytes;
    block->first_triangle = (uint32_t)first;
    block->triangle_count = (uint32_t)count;
    for (size_t k = 0; k < 3; k++) {
        block->minimum[k] = snag__bytes_f64(row + 8 * k, false);
        block->maximum[k] = snag__bytes_f64(row + 24 + 8 * k, false);
        if (!isfinite(block->minimum[k]) || !isfinite(block->maximum[k]) || block->minimum[k] > block->maximum[k])
            return fail_head(file, "has a damaged table", error);
    }
    return SNAG_OK;
}

static snag_status read_table(snag_io_chunked *file, uint64_t table_at, uint64_t sum, snag_io_error *error)
{
    size_t count = file->block_count;
    char *table = malloc(count * ROW_BYTES + 1);
    file->blocks = malloc((count + 1) * sizeof *file->blocks);
    file->offsets = malloc((count + 1) * sizeof *file->offsets);
    file->sums = malloc((count + 1) * sizeof *file->sums);
    snag_status status = SNAG_OK;
    if (!table || !file->blocks || !file->offsets || !file->sums)
        status = snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to open it", snag__path_shown(file->path));
    if (status == SNAG_OK)
        status = read_at(file, table_at, table, count * ROW_BYTES, error);
    if (status == SNAG_OK && check_sum(table, count * ROW_BYTES) != sum)
        status = fail_head(file, "has a damaged table", error);
    uint64_t next = HEAD_BYTES;
    for (size_t i = 0; i < count && status == SNAG_OK; i++)
        status = read_row(file, i, table + i * ROW_BYTES, &next, error);
    if (status == SNAG_OK && next != table_at)
        status = fail_head(file, "has a damaged table", error);
    free(table);
    return status;
}

void snag_io_chunked_close(snag_io_chunked *file)
{
    if (!file)
        return;
    if (file->descriptor >= 0)
        sys_close(file->descriptor);
    free(file->path);
    free(file->blocks);
    free(file->offsets);
    free(file->sums);
    free(file);
}

snag_status snag_io_chunked_open(const char *path, snag_io_chunked **file, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (file)
        *file = NULL;
    if (!path || !file)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "chunked: path and result must be given");
    snag_io_chunked *made = calloc(1, sizeof *made);
    size_t length = strlen(path) + 1;
    if (made) {
        made->descriptor = -1;
        made->path = malloc(length);
    }
    if (!made || !made->path) {
        snag_io_chunked_close(made);
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to open it", snag__path_shown(path));
    }
    memcpy(made->path, path, length);
    uint64_t table_at = 0, sum = 0;
    snag_status status = snag__file_open(path, &made->descriptor, error);
    if (status == SNAG_OK)
        status = read_head(made, &table_at, &sum, error);
    if (status == SNAG_OK)
        status = read_table(made, table_at, sum, error);
    if (status != SNAG_OK) {
        snag_io_chunked_close(made);
        return status;
    }
    made->read_bytes = 0;
    *file = made;
    return SNAG_OK;
}

snag_io_chunked_info snag_io_chunked_describe(const snag_io_chunked *file)
{
    if (file == NULL)
        return (snag_io_chunked_info){0};
    return (snag_io_chunked_info){
        .triangle_count = (size_t)file->triangle_count,
        .block_count = file->block_count,
        .file_bytes = file->file_bytes,
        .read_bytes = file->read_bytes,
    };
}

snag_status snag_io_chunked_read(snag_io_chunked *file, size_t block, double *corners, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!file || !corners || block >= file->block_count)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "chunked: no such block");
    char bytes[BLOCK_BYTES] = {0};
    size_t count = 9 * (size_t)file->blocks[block].triangle_count, size = count * file->coordinate_bytes;
    snag_status status = read_at(file, file->offsets[block], bytes, size, error);
    if (status != SNAG_OK)
        return status;
    if (check_sum(bytes, size) != file->sums[block])
        return snag__io_fail(error, SNAG_ERROR_FORMAT, "%s: block %zu is damaged", snag__path_shown(file->path), block);
    for (size_t i = 0; i < count; i++)
        corners[i] = get_coordinate(bytes + i * file->coordinate_bytes, file->coordinate_bytes);
    return SNAG_OK;
}

snag_status snag_io_chunked_number(snag_io_chunked *file, size_t triangle, uint32_t *number, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    char bytes[4];
    if (!file || !number || triangle >= file->triangle_count)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "chunked: no such triangle");
    snag_status status = read_at(file, file->numbers_at + 4 * (uint64_t)triangle, bytes, sizeof bytes, error);
    *number = status == SNAG_OK ? snag__bytes_u32(bytes, false) : 0;
    return status;
}

static snag_status read_for_world(void *context, size_t block, double *corners)
{
    return snag_io_chunked_read(context, block, corners, NULL);
}

static void close_for_world(void *context)
{
    snag_io_chunked_close(context);
}

snag_source_def snag_io_chunked_source(snag_io_chunked *file)
{
    snag_source_def def = snag_default_source_def();
    if (file == NULL)
        return def;
    def.blocks = file->blocks;
    def.block_count = file->block_count;
    def.read = read_for_world;
    def.close = close_for_world;
    def.context = file;
    return def;
}
