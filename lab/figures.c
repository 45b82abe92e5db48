#define _POSIX_C_SOURCE 200809L
#include "figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/system.h"
#include "snag/io.h"
#include "snag/shapes.h"

static int write_grid(const repro *r, const char *name, const snag_io_grid *grid, const char *const *fields, size_t field_count)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/figures", r->out);
    if (sys_mkdir(path) != 0 && errno != EEXIST)
        return words_error(r->w, "%s: cannot make this folder", path);
    snprintf(path, sizeof path, "%.1000s/figures/%.100s.vtu", r->out, name);
    snag_io_error error;
    if (snag_io_write_vtu(path, grid, 1, fields, field_count, &error) != SNAG_OK)
        return words_error(r->w, "%s", error.message);
    return EXIT_CLEAN;
}

int figure_write_spheres(const repro *r, const char *name, const snag_tree_sphere *spheres, size_t count)
{
    static const char *const names[] = {"body", "depth", "leaf"};
    snag_shape ball;
    if (snag_shape_icosphere(0, 1, &ball) != SNAG_OK)
        return words_out_of_memory(r->w);
    size_t vertices = ball.vertex_count, triangles = ball.triangle_count;
    double *x = malloc((count * vertices * 3 + 1) * sizeof *x);
    uint32_t *cells = malloc((count * triangles * 3 + 1) * sizeof *cells);
    int32_t *fields = malloc((3 * count * triangles + 1) * sizeof *fields);
    bool good = x && cells && fields;
    for (size_t i = 0; i < count && good; i++) {
        for (size_t v = 0; v < 3 * vertices; v++)
            x[3 * i * vertices + v] = spheres[i].centre[v % 3] + spheres[i].radius * ball.positions[v];
        for (size_t t = 0; t < 3 * triangles; t++)
            cells[3 * i * triangles + t] = (uint32_t)(i * vertices) + ball.triangles[t];
        const int32_t values[3] = {(int32_t)spheres[i].body.index, (int32_t)spheres[i].depth, spheres[i].leaf};
        for (size_t f = 0; f < 3; f++)
            for (size_t t = 0; t < triangles; t++)
                fields[(f * count + i) * triangles + t] = values[f];
    }
    int result = EXIT_ERROR;
    if (good) {
        const int32_t *const parts[3] = {fields, fields + count * triangles, fields + 2 * count * triangles};
        const snag_io_grid grid = {snag_positions_f64(x, count * vertices), cells, count * triangles, 3, parts};
        result = write_grid(r, name, &grid, names, 3);
    } else {
        words_out_of_memory(r->w);
    }
    free(x);
    free(cells);
    free(fields);
    snag_shape_free(&ball);
    return result;
}

int figure_write_surface(const repro *r, const char *name, const page_surface *surface, size_t vertex_count, const char *field,
                         const int32_t *values)
{
    const char *const names[1] = {field};
    const int32_t *const parts[1] = {values};
    const snag_io_grid grid = {snag_positions_f64(surface->positions, vertex_count), surface->triangles, surface->triangle_count, 3,
                               parts};
    return write_grid(r, name, &grid, names, 1);
}
