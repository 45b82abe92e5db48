// A sequence larger than memory: writes a waving sheet of the given number of gigabytes as an OBJ and a PC2 cache, lets the tool
// check it, and prints the tool's peak memory. Fails above 512 MB. usage: bench_stream TOOL [GIGABYTES [FOLDER]]
#define _DEFAULT_SOURCE 1  // wait4
#define _POSIX_C_SOURCE 200809L
#include "snag/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 300, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), MOST_MB = 512 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wave(float *xyz, size_t frame)
{
    static float heights[SIDE];
    for (int i = 0; i < SIDE; i++)
        heights[i] = sinf(0.08f * (float)i + 0.1f * (float)frame);
    for (int v = 0; v < VERTICES; v++) {
        xyz[3 * v] = (float)(v % SIDE);
        xyz[3 * v + 1] = (float)(v / SIDE);
        xyz[3 * v + 2] = 4 * heights[v % SIDE] + 3 * heights[v / SIDE];
    }
}

static void list_triangles(uint32_t *triangles)
{
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t v = y * SIDE + x;
            const uint32_t corners[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
            memcpy(triangles, corners, sizeof corners);
            triangles += 6;
        }
}

static int write_scene(const char *mesh, const char *cache, size_t frames)
{
    float *xyz = malloc(VERTICES * 3 * sizeof *xyz);
    uint32_t *triangles = malloc(TRIANGLES * 3 * sizeof *triangles);
    snag_io_error error = {.message = "no memory"};
    snag_io_pc2 *pc2 = NULL;
    bool written = xyz && triangles;
    if (written) {
        wave(xyz, 0);
        list_triangles(triangles);
        snag_io_surface sheet = {
            .positions = snag_positions_f32(xyz, VERTICES), .triangles = triangles, .triangle_count = TRIANGLES};
        written =
            snag_io_write_obj(mesh, &sheet, 1, &error) == SNAG_OK && snag_io_pc2_create(cache, VERTICES, &pc2, &error) == SNAG_OK;
    }
    for (size_t frame = 0; frame < frames && written; frame++) {
        wave(xyz, frame);
        written = snag_io_pc2_write(pc2, snag_positions_f32(xyz, VERTICES), &error) == SNAG_OK;
    }
    if (pc2 && snag_io_pc2_close(pc2, written, &error) != SNAG_OK)
        written = false;
    if (!written)
        fprintf(stderr, "bench_stream: %s\n", error.message);
    free(xyz);
    free(triangles);
    return written ? 0 : 2;
}

// Runs the tool; returns its exit code and its peak memory in megabytes.
static int run_tool(const char *tool, const char *mesh, const char *cache, double *megabytes)
{
    struct rusage usage;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl(tool, tool, "check", "--quiet", mesh, cache, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status))
        return 127;
    *megabytes = (double)usage.ru_maxrss / 1024;
    return WEXITSTATUS(status);
}

int main(int count, char **arguments)
{
    if (count < 2) {
        fputs("usage: bench_stream TOOL [GIGABYTES [FOLDER]]\n", stderr);
        return 2;
    }
    double gigabytes = count > 2 ? strtod(arguments[2], NULL) : 4;
    const char *folder = count > 3 ? arguments[3] : ".";
    char mesh[1000], cache[1000];
    snprintf(mesh, sizeof mesh, "%s/stream.obj", folder);
    snprintf(cache, sizeof cache, "%s/stream.pc2", folder);
    size_t frames = (size_t)ceil(gigabytes * 1e9 / (VERTICES * 12.0));
    double start = seconds();
    int result = write_scene(mesh, cache, frames);
    double written = seconds();
    double megabytes = 0;
    if (result == 0)
        result = run_tool(arguments[1], mesh, cache, &megabytes);
    double checked = seconds();
    unlink(mesh);
    unlink(cache);
    if (result != 0) {
        fprintf(stderr, "bench_stream: the tool ended with %d; the sheet is clean\n", result);
        return 2;
    }
    printf("%zu frames of %d triangles, %.2f GB: written in %.1f s, checked in %.1f s, at most %.0f MB of memory\n", frames,
           (int)TRIANGLES, (double)frames * VERTICES * 12 / 1e9, written - start, checked - written, megabytes);
    return megabytes <= MOST_MB ? 0 : 1;
}
