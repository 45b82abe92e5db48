// Loading speed of ASCII OBJ: a grid of a million elements, once with six decimals as most exporters write, once with 17 digits,
// which reproduce every double. The files are created in a temporary folder and removed. Prints one line each: size, best and
// median time, MB/s of the best; then the same in processor time, which other programs disturb less.
#define _POSIX_C_SOURCE 200809L
#include "snag/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"

enum { SIDE = 580, REPEATS = 9 };  // 580 * 580 vertices and 2 * 579 * 579 triangles: a million elements

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void height(int i, int j, double position[3])
{
    position[0] = 3.7 * i / SIDE;
    position[1] = 0.4 * sin(0.031 * i) * cos(0.027 * j);
    position[2] = 12.9 * j / SIDE - 4.2;
}

static bool write_grid(const char *path, const char *vertex_format)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs("o grid\n", file);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double p[3];
            height(i, j, p);
            fprintf(file, vertex_format, p[0], p[1], p[2]);
        }
    for (int i = 0; i + 1 < SIDE; i++)
        for (int j = 0; j + 1 < SIDE; j++) {
            int v = i * SIDE + j + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE);
        }
    return fclose(file) == 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(const char *what, size_t size, double times[REPEATS])
{
    qsort(times, REPEATS, sizeof *times, by_value);
    printf("  %s: best %6.1f ms, median %6.1f ms, %6.1f MB/s", what, 1e3 * times[0], 1e3 * times[REPEATS / 2],
           1e-6 * (double)size / times[0]);
}

static bool measure(const char *what, const char *path)
{
    static const clockid_t clocks[2] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
    double times[2][REPEATS];
    struct stat about;
    if (stat(path, &about) != 0)
        return false;
    for (int i = 0; i < REPEATS; i++) {
        snag_io_mesh mesh;
        snag_io_error error;
        for (int c = 0; c < 2; c++)
            times[c][i] = -now(clocks[c]);
        snag_status status = snag_io_read_mesh(path, &mesh, &error);
        for (int c = 0; c < 2; c++)
            times[c][i] += now(clocks[c]);
        if (status != SNAG_OK || mesh.vertex_count != SIDE * SIDE || mesh.face_count != 2 * (SIDE - 1) * (SIDE - 1)) {
            fprintf(stderr, "%s\n", status != SNAG_OK ? error.message : "the mesh has lost elements");
            return false;
        }
        snag_io_mesh_free(&mesh);
    }
    printf("%-10s %5.1f MB", what, 1e-6 * (double)about.st_size);
    print_times("wall", (size_t)about.st_size, times[0]);
    print_times("processor", (size_t)about.st_size, times[1]);
    putchar('\n');
    return true;
}

int main(void)
{
    char folder[256], path[300];
    if (!temporary_folder(folder, sizeof folder)) {
        perror(folder);
        return 2;
    }
    snprintf(path, sizeof path, "%s/grid.obj", folder);
    const char *names[2] = {"6 decimals", "17 digits"}, *formats[2] = {"v %.6f %.6f %.6f\n", "v %.17g %.17g %.17g\n"};
    bool good = true;
    for (int i = 0; i < 2 && good; i++)
        good = write_grid(path, formats[i]) && measure(names[i], path);
    unlink(path);
    rmdir(folder);
    return good ? 0 : 2;
}
