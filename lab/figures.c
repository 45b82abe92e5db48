#define _POSIX_C_SOURCE 200809L
#include "figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../common/system.h"
#include "snag/io.h"

int figure_check_folder(const char *out, words *w)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/figures", out);
    if (sys_mkdir(path) != 0 && errno != EEXIST)
        return words_error(w, "%s: cannot make this folder: %s", path, strerror(errno));
    if (sys_access(path, W_OK | X_OK) != 0)
        return words_error(w, "%s: cannot write there: %s", path, strerror(errno));
    return EXIT_CLEAN;
}

static int write_grid(const repro *r, const char *name, const snag_io_grid *grid, const char *const *fields, size_t field_count)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1000s/figures/%.100s.vtu", r->out, name);
    snag_io_error error;
    if (snag_io_write_vtu(path, grid, 1, fields, field_count, &error) != SNAG_OK)
        return words_error(r->w, "%s", error.message);
    return EXIT_CLEAN;
}

void figure_panel_sim(const repro *r, const char *title, const snag_sim *sim)
{
    enum { MOST = 16 };
    page_surface surfaces[MOST];
    size_t count = 0;
    for (; count < snag_sim_body_count(sim) && count < MOST; count++) {
        snag_sim_body body = snag_sim_body_at(sim, count);
        surfaces[count] = (page_surface){
            .positions = body.positions, .triangles = body.triangles, .triangle_count = body.triangle_count, .colour = (int)count};
    }
    page_panel(r->page, title, &(page_scene){.surfaces = surfaces, .surface_count = count});
}

// All four faces of each tetrahedron: those inside are hidden, so they are not drawn.
static uint32_t *faces_of(const snag_shape *shape)
{
    static const int corners[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    uint32_t *faces = malloc((12 * shape->tet_count + 1) * sizeof *faces);
    for (size_t i = 0; faces && i < 12 * shape->tet_count; i++)
        faces[i] = shape->tets[4 * (i / 12) + (size_t)corners[i % 12]];
    return faces;
}

int figure_panel_tets(const repro *r, const char *title, const snag_shape *const *shapes, size_t count)
{
    page_surface *surfaces = calloc(count + 1, sizeof *surfaces);
    uint32_t **faces = calloc(count + 1, sizeof *faces);
    bool good = surfaces && faces;
    for (size_t i = 0; i < count && good; i++) {
        faces[i] = faces_of(shapes[i]);
        good = faces[i] != NULL;
        surfaces[i] = (page_surface){
            .positions = shapes[i]->positions, .triangles = faces[i], .triangle_count = 4 * shapes[i]->tet_count, .colour = (int)i};
    }
    if (good)
        page_panel(r->page, title, &(page_scene){.surfaces = surfaces, .surface_count = count});
    for (size_t i = 0; i < count && faces; i++)
        free(faces[i]);
    free(faces);
    free(surfaces);
    return good ? EXIT_CLEAN : words_out_of_memory(r->w);
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
        const snag_io_grid grid = {snag_positions_f64(x, count * vertices), cells, count * triangles, 3, parts, NULL};
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
    const snag_io_grid grid = {
        snag_positions_f64(surface->positions, vertex_count), surface->triangles, surface->triangle_count, 3, parts, NULL};
    return write_grid(r, name, &grid, names, 1);
}
