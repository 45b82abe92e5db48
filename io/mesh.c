// Meshes by the ending of their file.
#include "motion.h"
#include "tetgen.h"

#include <stdlib.h>
#include <string.h>

typedef struct mesh_format {
    const char *ending;
    snag__mesh_reader *read;
} mesh_format;

static const mesh_format formats[] = {
    {".obj", snag__read_obj}, {".ply", snag__read_ply}, {".off", snag__read_off},
    {".stl", snag__read_stl}, {".msh", snag__read_msh}, {".mesh", snag__read_medit},
    {".vtk", snag__read_vtk}, {".vtu", snag__read_vtu}, {".3mf", snag__read_3mf},
};

#define ALWAYS_READ ".obj .ply .off .stl .msh .mesh .vtk .vtu .3mf .node .ele" SNAG__RIG_ENDINGS

static const mesh_format *format_of(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (snag__path_has_ending(path, formats[i].ending))
            return &formats[i];
    return NULL;
}

static snag_status fail_unknown(const char *path, snag_io_error *error)
{
    bool usd = snag__is_usd(path);
    return snag__io_fail(error, SNAG_ERROR_UNSUPPORTED, "%s: this is not the ending of a mesh that can be read%s: %s",
                         snag__path_shown(path), usd ? " here (USD needs assimp 5.4 or later; export glTF instead)" : "",
                         snag_io_mesh_endings());
}

const char *snag_io_mesh_endings(void)
{
    return snag__reads_usd() ? ALWAYS_READ SNAG__USD_ENDINGS : ALWAYS_READ;
}

bool snag_io_is_mesh(const char *path)
{
    return path && (format_of(path) || snag__rig_reader_of(path) || snag__is_tetgen(path));
}

bool snag_io_is_companion(const char *path)
{
    return path && snag__is_tetgen(path) && !snag__path_has_ending(path, ".node");
}

static snag_status read_rig(const snag__source *source, bool beside, snag_io_mesh *mesh)
{
    snag__rig rig = {0};
    snag_status status = snag__read_rig(source, beside, &rig);
    if (status == SNAG_OK)
        status = snag__rig_finish(&rig, source, mesh);
    snag__rig_free(&rig);
    return status;
}

static snag_status read_source(const snag__source *source, bool beside, snag_io_mesh *mesh)
{
    const mesh_format *format = format_of(source->name);
    if (!format)
        return read_rig(source, beside, mesh);
    snag__builder builder = {.source = source};
    snag_status status = format->read(source, &builder);
    if (status == SNAG_OK)
        status = snag__builder_finish(&builder, source, mesh);
    snag__builder_free(&builder);
    if (status != SNAG_OK)
        snag_io_mesh_free(mesh);
    return status;
}

snag_status snag_io_parse_mesh(const char *name, const void *data, size_t size, snag_io_mesh *mesh, snag_io_error *error)
{
    return snag_io_parse_mesh_with(name, data, size, NULL, mesh, error);
}

snag_status snag_io_parse_mesh_with(const char *name, const void *data, size_t size, const snag_io_read_options *options,
                                    snag_io_mesh *mesh, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!mesh)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "there is no place for the mesh");
    *mesh = (snag_io_mesh){0};
    if (!name || (!data && size > 0))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "a mesh needs a name and its data");
    if (!snag_io_is_mesh(name))
        return fail_unknown(name, error);
    if (snag__is_tetgen(name))
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: TetGen's meshes are two files, which must be read as files",
                             snag__path_shown(name));
    if (!snag__reading_fits(options))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                             "the options were not made by snag_io_default_read_options of this version: start from that");
    snag__reading reading = snag__reading_begin(options);
    snag__reading_add_input(&reading, size);
    snag__source source = {name, data ? data : "", size, error, &reading};
    return read_source(&source, false, mesh);
}

snag_status snag_io_read_mesh(const char *path, snag_io_mesh *mesh, snag_io_error *error)
{
    return snag_io_read_mesh_with(path, NULL, mesh, error);
}

snag_status snag_io_read_mesh_with(const char *path, const snag_io_read_options *options, snag_io_mesh *mesh, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (mesh)
        *mesh = (snag_io_mesh){0};
    if (!path || !mesh)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "reading a mesh needs its path and a place for it");
    // Before the file is read: a film of many gigabytes need not be loaded to learn that it is no mesh.
    if (!snag_io_is_mesh(path))
        return fail_unknown(path, error);
    if (!snag__reading_fits(options))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                             "the options were not made by snag_io_default_read_options of this version: start from that");
    snag__reading reading = snag__reading_begin(options);
    if (snag__is_tetgen(path))
        return snag__read_tetgen_files(path, &reading, mesh, error);
    char *data;
    size_t size;
    snag_status status = snag__file_read(path, &reading, &data, &size, error);
    snag__source source = {path, data ? data : "", size, error, &reading};
    if (status == SNAG_OK)
        status = read_source(&source, true, mesh);
    free(data);
    return status;
}

void snag_io_mesh_free(snag_io_mesh *mesh)
{
    if (!mesh)
        return;
    for (size_t i = 0; i < mesh->body_count; i++) {
        snag_io_body *body = &mesh->bodies[i];
        free(body->name);
        free(body->positions);
        free(body->vertex_numbers);
        free(body->polygon_sizes);
        free(body->polygon_vertices);
        free(body->polygon_numbers);
        free(body->tets);
        free(body->tet_numbers);
    }
    free(mesh->bodies);
    *mesh = (snag_io_mesh){0};
}

snag_status snag_io_add_body(snag_world *world, const snag_io_body *body, snag_body_id *id)
{
    if (!body)
        return SNAG_ERROR_ARGUMENT;
    snag_positions positions = snag_positions_f64(body->positions, body->vertex_count);
    if (body->tet_count > 0) {
        snag_body_def volume = snag_default_body_def();
        volume.positions = positions;
        volume.tets = body->tets;
        volume.tet_count = body->tet_count;
        volume.name = body->name;
        return snag_world_add(world, &volume, id);
    }
    snag_body_def surface = snag_default_body_def();
    surface.positions = positions;
    surface.name = body->name;
    if (body->polygon_sizes) {
        surface.polygon_sizes = body->polygon_sizes;
        surface.polygon_vertices = body->polygon_vertices;
        surface.polygon_count = body->polygon_count;
    } else {
        surface.triangles = body->polygon_vertices;
        surface.triangle_count = body->polygon_count;
    }
    return snag_world_add(world, &surface, id);
}
