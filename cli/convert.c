// snag convert: writes a mesh in another format, or as a file of blocks, which `spheres` reads from disk as needed.
#include "scene.h"
#include "snag/io.h"
#include "verbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "progress.h"
#include "reading.h"
#include "skipped.h"

// All triangles of a file, with their face numbers.
typedef struct joined {
    double *positions;
    uint32_t *triangles, *numbers;
    size_t vertex_count, triangle_count;
    size_t skipped;  // ignored elements of the file that could collide
} joined;

static void joined_free(joined *all)
{
    free(all->positions);
    free(all->triangles);
    free(all->numbers);
}

static bool make_room(joined *all, size_t vertices, size_t triangles)
{
    double *positions = realloc(all->positions, (3 * (all->vertex_count + vertices) + 1) * sizeof *positions);
    if (positions)
        all->positions = positions;
    uint32_t *corners = realloc(all->triangles, (3 * (all->triangle_count + triangles) + 1) * sizeof *corners);
    if (corners)
        all->triangles = corners;
    uint32_t *numbers = realloc(all->numbers, (all->triangle_count + triangles + 1) * sizeof *numbers);
    if (numbers)
        all->numbers = numbers;
    return positions && corners && numbers;
}

// A body as the world sees it: polygons as triangles, volumes as their boundary.
static bool join_body(joined *all, const snag_io_body *body, const snag_body_info *info)
{
    if (!make_room(all, body->vertex_count, info->triangle_count))
        return false;
    if (body->vertex_count)
        memcpy(all->positions + 3 * all->vertex_count, body->positions, 3 * body->vertex_count * sizeof(double));
    for (size_t t = 0; t < info->triangle_count; t++) {
        for (size_t c = 0; c < 3; c++)
            all->triangles[3 * (all->triangle_count + t) + c] = info->triangles[3 * t + c] + (uint32_t)all->vertex_count;
        uint32_t face = body->tet_count ? (uint32_t)t : info->triangle_faces[t];
        bool named = !body->tet_count && body->polygon_numbers;
        all->numbers[all->triangle_count + t] = named ? body->polygon_numbers[face] : face;
    }
    all->vertex_count += body->vertex_count;
    all->triangle_count += info->triangle_count;
    return true;
}

static int join_all(const options *o, words *w, const snag_io_mesh *mesh, joined *all)
{
    snag_world *world = NULL;
    int result = scene_create_world(o, &world, w);
    for (size_t i = 0; i < mesh->body_count && result == EXIT_CLEAN; i++) {
        snag_body_id id;
        snag_body_info info;
        if (snag_io_add_body(world, &mesh->bodies[i], &id) != SNAG_OK || snag_world_body(world, id, &info) != SNAG_OK)
            result = words_error(w, "%s: %s", o->inputs.items[0], snag_world_message(world));
        else if (!join_body(all, &mesh->bodies[i], &info))
            result = words_out_of_memory(w);
    }
    snag_world_destroy(world);
    return result;
}

static int write_joined(const options *o, words *w, const joined *all)
{
    const char *out = o->convert_out;
    snag_io_error error;
    snag_io_surface surface = {
        .positions = snag_positions_f64(all->positions, all->vertex_count),
        .triangles = all->triangles,
        .triangle_count = all->triangle_count,
    };
    snag_io_chunked *file = NULL;
    progress_catch_interrupt();  // so that Ctrl-C leaves no half-written file
    if (snag_io_chunked_write(out, &surface, all->numbers, &error) != SNAG_OK ||
        snag_io_chunked_open(out, &file, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    snag_io_chunked_info info = snag_io_chunked_describe(file);
    if (o->json) {
        json j;
        json_begin(&j, stdout);
        json_object(&j, NULL);
        json_text(&j, "snag", snag_version());
        json_text(&j, "file", out);
        json_count(&j, "triangles", info.triangle_count);
        json_count(&j, "blocks", info.block_count);
        json_count(&j, "bytes", (size_t)info.file_bytes);
        json_count(&j, "skipped_elements", all->skipped);
        json_close_object(&j);
        json_end(&j);
    } else {
        printf("%zu triangles in %zu blocks, %" PRIu64 " bytes: ", info.triangle_count, info.block_count, info.file_bytes);
        words_put(stdout, out, 0);
        putchar('\n');
        if (all->skipped)
            printf("ignored: %zu elements of unsupported kinds\n", all->skipped);
    }
    snag_io_chunked_close(file);
    return EXIT_CLEAN;
}

static int write_mesh(const options *o, words *w, const snag_io_mesh *mesh)
{
    snag_io_error error;
    progress_catch_interrupt();  // or half of the file may stay behind
    if (snag_io_write_mesh(o->convert_out, mesh, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    size_t faces = 0, tets = 0, rods = mesh->edge_count, points = mesh->point_count;
    for (size_t b = 0; b < mesh->body_count; b++) {
        faces += mesh->bodies[b].polygon_count;
        tets += mesh->bodies[b].tet_count;
    }
    if (o->json) {
        json j;
        json_begin(&j, stdout);
        json_object(&j, NULL);
        json_text(&j, "snag", snag_version());
        json_text(&j, "file", o->convert_out);
        json_count(&j, "bodies", mesh->body_count);
        json_count(&j, "faces", faces);
        json_count(&j, "tets", tets);
        json_count(&j, "rods", rods);
        json_count(&j, "points", points);
        json_count(&j, "skipped_elements", mesh->left_out);
        json_close_object(&j);
        json_end(&j);
        return EXIT_CLEAN;
    }
    printf("%zu faces and %zu tetrahedra", faces, tets);
    if (rods || points)
        printf(", %zu rods and %zu points", rods, points);
    printf(" of %zu bodies: ", mesh->body_count);
    words_put(stdout, o->convert_out, 0);
    putchar('\n');
    if (mesh->left_out)
        printf("left out: %zu elements of kinds that are not read\n", mesh->left_out);
    return EXIT_CLEAN;
}

int verb_convert(const options *o, words *w)
{
    if (o->inputs.count != 1)
        return words_error(w, "give one mesh file, not %zu", o->inputs.count);
    if (!o->convert_out)
        return words_error(w, "no output file; give --out FILE.snag, or .obj .ply .off .stl .mesh .inp .vtu");
    if (strcmp(o->inputs.items[0], o->convert_out) == 0)
        return words_error(w, "--out: %s is the input and would be overwritten; choose another name", o->convert_out);
    snag_io_mesh mesh;
    snag_io_error error;
    snag_io_read_options reading = reading_options(o);
    if (snag_io_read_mesh_with(o->inputs.items[0], &reading, &mesh, &error) != SNAG_OK)
        return reading_failed(o, &error, w);
    joined all = {.skipped = mesh.left_out + mesh.edge_count + mesh.point_count};  // a .snag file has triangles only
    skipped_note(o->inputs.items[0], &mesh, o->curved, w);
    if (!scene_is_chunked(o->convert_out)) {
        int written = write_mesh(o, w, &mesh);
        snag_io_mesh_free(&mesh);
        return written;
    }
    int result = join_all(o, w, &mesh, &all);
    snag_io_mesh_free(&mesh);
    if (result == EXIT_CLEAN)
        result = write_joined(o, w, &all);
    joined_free(&all);
    return result;
}
