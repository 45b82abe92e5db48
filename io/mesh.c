// Mesh readers by file extension.
#include "gzip.h"
#include "motion.h"
#include "results.h"
#include "tetgen.h"

#include <stdlib.h>
#include <string.h>

typedef struct mesh_format {
    const char *ending;
    snag__mesh_reader *read;
} mesh_format;

static const mesh_format formats[] = {
    {".obj", snag__read_obj},         {".ply", snag__read_ply},         {".off", snag__read_off},
    {".stl", snag__read_stl},         {".msh", snag__read_msh},         {".mesh", snag__read_medit},
    {".vtk", snag__read_vtk},         {".vtu", snag__read_vtu},         {".3mf", snag__read_3mf},
    {".inp", snag__read_abaqus},      {".bdf", snag__read_nastran},     {".nas", snag__read_nastran},
    {".k", snag__read_dyna},          {".key", snag__read_dyna},        {".dyn", snag__read_dyna},
    {".fem", snag__read_nastran},     {".cdb", snag__read_ansys},       {".vtp", snag__read_vtu},
    {".pvtu", snag__read_collection}, {".pvtp", snag__read_collection}, {".pvd", snag__read_collection},
};

#define ALWAYS_READ                                                                                                                \
    ".obj .ply .off .stl .inp .bdf .nas .fem .k .key .dyn .cdb .vtp .pvtu .pvtp .pvd .msh .mesh .vtk .vtu .3mf .node "             \
    ".ele" SNAG__RESULTS_ENDINGS SNAG__RIG_ENDINGS

static const mesh_format *format_of(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (snag__path_has_ending(path, formats[i].ending))
            return &formats[i];
    return NULL;
}

// Common unsupported formats, with advice on what to export instead.
static const char *advice_for(const char *path)
{
    static const struct {
        const char *endings[12], *advice;
    } known[] = {
        {{".abc"},
         "Alembic is not supported; export glTF, or the mesh as OBJ with a PC2 or MDD cache, or one file per frame (--sequence)"},
        {{".usd", ".usda", ".usdc", ".usdz"}, "USD needs assimp 5.4 or later; export glTF instead"},
        {{".blend", ".ma", ".mb", ".max", ".c4d", ".hip", ".skp"}, "this is a project file; export glTF, FBX or OBJ"},
        {{".step", ".stp", ".iges", ".igs", ".brep", ".sat", ".x_t", ".sldprt", ".ipt", ".prt"},
         "this has exact (CAD) surfaces and no mesh; export STL, OBJ or 3MF"},
        {{".h5", ".hdf", ".hdf5"}, "if an XDMF file (.xdmf) names it, give that one; else save it as VTU with ParaView or meshio"},
        {{".cgns", ".vtkhdf"}, "not supported; save it as VTU with ParaView or meshio"},
        {{".odb", ".op2", ".rst", ".rth", ".d3plot", ".fil", ".frd", ".t16"},
         "these are results; give the deck with the mesh, or save deformed meshes as VTU"},
        {{".meshb"}, "this is binary Medit; save it as .mesh"},
        {{".dat"}, "if this is Nastran bulk data, rename it to .bdf"},
        {{".zip", ".7z", ".rar", ".tar", ".tgz", ".bz2", ".xz"}, "unpack it first"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t k = 0; k < 12 && known[i].endings[k]; k++)
            if (snag__path_has_ending(path, known[i].endings[k]))
                return known[i].advice;
    return NULL;
}

static snag_status fail_unknown(const char *path, snag_io_error *error)
{
    const char *advice = advice_for(path);
    if (advice)
        return snag__io_fail(error, SNAG_ERROR_UNSUPPORTED, "%s: %s (supported: %s)", snag__path_shown(path), advice,
                             snag_io_mesh_endings());
    return snag__io_fail(error, SNAG_ERROR_UNSUPPORTED, "%s: unknown mesh file extension; supported: %s", snag__path_shown(path),
                         snag_io_mesh_endings());
}

const char *snag_io_mesh_endings(void)
{
    return snag__reads_usd() ? ALWAYS_READ SNAG__USD_ENDINGS : ALWAYS_READ;
}

bool snag_io_is_mesh(const char *path)
{
    return path && (format_of(path) || snag__rig_reader_of(path) || snag__results_reader_of(path) || snag__is_tetgen(path));
}

bool snag_io_is_companion(const char *path)
{
    return path && ((snag__is_tetgen(path) && !snag__path_has_ending(path, ".node")) || snag__path_has_ending(path, ".pvd"));
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

static snag_status read_built(const mesh_format *format, const snag__source *source, bool beside, snag_io_mesh *mesh)
{
    snag__builder builder = {.source = source};
    snag_status status =
        format ? format->read(source, &builder) : snag__results_reader_of(source->name)(source, beside, &builder, NULL);
    if (status == SNAG_OK)
        status = snag__builder_finish(&builder, source, mesh);
    snag__builder_free(&builder);
    if (status != SNAG_OK)
        snag_io_mesh_free(mesh);
    return status;
}

static snag_status read_source(snag__source *source, bool beside, snag_io_mesh *mesh)
{
    char *unpacked;
    const mesh_format *format = format_of(source->name);
    if (source->reading)
        source->reading->beside = beside;
    snag_status status = snag__gzip_open(source, &unpacked);
    if (status == SNAG_OK)
        status = format || snag__results_reader_of(source->name) ? read_built(format, source, beside, mesh)
                                                                 : read_rig(source, beside, mesh);
    free(unpacked);
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
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "mesh: result must be given");
    *mesh = (snag_io_mesh){0};
    if (!name || (!data && size > 0))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "mesh: name and data must be given");
    if (!snag_io_is_mesh(name))
        return fail_unknown(name, error);
    if (snag__is_tetgen(name))
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: TetGen meshes consist of two files and must be read from disk",
                             snag__path_shown(name));
    if (!snag__reading_fits(options))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                             "initialize the options with snag_io_default_read_options of this version");
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
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "mesh: path and result must be given");
    // Check before reading: do not load a film of many gigabytes to find that it is not a mesh.
    if (!snag_io_is_mesh(path))
        return fail_unknown(path, error);
    if (!snag__reading_fits(options))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                             "initialize the options with snag_io_default_read_options of this version");
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
        free(body->vertex_labels);
        free(body->edges);
        free(body->points);
        free(body->labels);
        free(body->edge_labels);
        free(body->point_labels);
    }
    for (size_t i = 0; i < mesh->label_count; i++)
        free(mesh->label_names[i]);
    free(mesh->label_names);
    free(mesh->bodies);
    *mesh = (snag_io_mesh){0};
}

snag_body_def snag_io_body_def(const snag_io_body *body)
{
    snag_body_def def = snag_default_body_def();
    if (!body)
        return def;
    def.positions = snag_positions_f64(body->positions, body->vertex_count);
    def.name = body->name;
    def.edges = body->edges;
    def.edge_count = body->edge_count;
    def.points = body->points;
    def.point_count = body->point_count;
    def.labels = body->labels;
    def.edge_labels = body->edge_labels;
    def.point_labels = body->point_labels;
    if (body->tet_count > 0) {
        def.tets = body->tets;
        def.tet_count = body->tet_count;
    } else if (body->polygon_sizes) {
        def.polygon_sizes = body->polygon_sizes;
        def.polygon_vertices = body->polygon_vertices;
        def.polygon_count = body->polygon_count;
    } else {
        def.triangles = body->polygon_vertices;
        def.triangle_count = body->polygon_count;
    }
    return def;
}

snag_status snag_io_add_body(snag_world *world, const snag_io_body *body, snag_body_id *id)
{
    if (!body)
        return SNAG_ERROR_ARGUMENT;
    snag_body_def def = snag_io_body_def(body);
    return snag_world_add(world, &def, id);
}
