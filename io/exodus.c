// Exodus II: finite-element meshes and results in netCDF files, classic (read by ourselves) or netCDF-4 (through HDF5). The names of
// the arrays are those of the Exodus II file format.
//
// Each element block is an object, so blocks that share no vertex are bodies; with --split parts or groups every block is one. Vertices
// and elements have the numbers of the file's maps, or count from 1. Time steps of a displacement are frames.
#include "groups.h"
#include "results.h"

#include <stdlib.h>
#include <string.h>

typedef struct exodus {
    const snag__source *source;
    snag__builder *builder;
    snag__arrays arrays, fields;
    size_t vertex_count, element_count;
    int64_t displacement[3];  // numbers of the nodal variables, counted from 1; 0: none
} exodus;

static snag_status fail(const exodus *e, snag_status status, const char *words)
{
    return snag__io_fail(e->source->error, status, "%s: %s", snag__path_shown(e->source->name), words);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

// What describes the mesh; fields are loaded later, when we know which.
static bool is_of_mesh(const char *name, void *context)
{
    (void)context;
    static const char *const whole[] = {"eb_names", "eb_prop1", "elem_num_map", "node_num_map", "name_nod_var", "time_whole",
                                        "coord",    "coordx",   "coordy",       "coordz",       "elem_map"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(name, whole[i]) == 0)
            return true;
    return begins(name, "connect") || begins(name, "ebepecnt");
}

static bool is_displacement(const char *name, void *context)
{
    const exodus *e = context;
    char wanted[40];
    if (strcmp(name, "vals_nod_var") == 0)  // old files: one array of all variables
        return true;
    for (int k = 0; k < 3; k++) {
        snprintf(wanted, sizeof wanted, "vals_nod_var%lld", (long long)e->displacement[k]);
        if (e->displacement[k] && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

// An array of at least one dimension; NULL: missing, or of another kind.
static const snag__array *find(const snag__arrays *arrays, const char *name, bool numbers)
{
    const snag__array *array = snag__arrays_find(arrays, name);
    bool fits =
        array && array->rank >= 1 && (array->kind == SNAG__ARRAY_INTEGERS || (numbers && array->kind == SNAG__ARRAY_NUMBERS));
    return fits ? array : NULL;
}

// ---- vertices ----

static snag_status read_vertices(exodus *e)
{
    static const char *const names[3] = {"coordx", "coordy", "coordz"};
    const snag__array *all = find(&e->arrays, "coord", true), *axes[3];
    for (int k = 0; k < 3; k++)
        axes[k] = find(&e->arrays, names[k], true);
    if (all && all->rank == 2 && (all->sizes[0] == 2 || all->sizes[0] == 3))
        e->vertex_count = all->sizes[1];
    else if (axes[0] && axes[1] && axes[1]->count == axes[0]->count && (!axes[2] || axes[2]->count == axes[0]->count))
        e->vertex_count = axes[0]->count, all = NULL;
    else
        return fail(e, SNAG_ERROR_FORMAT, "is not an Exodus file: it has no coordinates (coordx, coordy, coordz)");
    if (e->vertex_count > SNAG__MOST_VERTICES)
        return snag__builder_fail(e->source, SNAG_ERROR_SIZE);
    snag_status status = snag__builder_reserve_vertices(e->builder, e->vertex_count);
    for (size_t v = 0; v < e->vertex_count && status == SNAG_OK; v++) {
        double xyz[3] = {0, 0, 0};
        for (size_t k = 0; k < 3; k++)
            if (all)
                xyz[k] = k < all->sizes[0] ? snag__array_number(all, k * e->vertex_count + v) : 0;
            else
                xyz[k] = axes[k] ? snag__array_number(axes[k], v) : 0;
        status = snag__builder_vertex(e->builder, xyz[0], xyz[1], xyz[2]);
    }
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(e->source, status);
}

// ---- elements ----

// Kinds by name and number of nodes: "HEX", "HEX8", "hexahedron", "SHELL4", ...
static snag__cell kind_of(const char *type, size_t nodes)
{
    static const struct {
        const char *begins;
        snag__cell kind;
    } kinds[] = {
        {"HEX", SNAG__CELL_HEXAHEDRON}, {"TET", SNAG__CELL_TET},        {"WEDGE", SNAG__CELL_WEDGE}, {"PYR", SNAG__CELL_PYRAMID},
        {"TRI", SNAG__CELL_TRIANGLE},   {"QUAD", SNAG__CELL_QUAD},      {"SHELL", SNAG__CELL_QUAD},  {"BAR", SNAG__CELL_LINE},
        {"BEAM", SNAG__CELL_LINE},      {"TRUSS", SNAG__CELL_LINE},     {"ROD", SNAG__CELL_LINE},    {"EDGE", SNAG__CELL_LINE},
        {"SPHERE", SNAG__CELL_POINT},   {"CIRCLE", SNAG__CELL_NO_AREA}, {"LINE", SNAG__CELL_LINE},   {"SPRING", SNAG__CELL_NO_AREA},
    };
    char upper[16] = "";
    for (size_t i = 0; i + 1 < sizeof upper && type[i]; i++)
        upper[i] = type[i] >= 'a' && type[i] <= 'z' ? (char)(type[i] - 'a' + 'A') : type[i];
    snag__cell kind = SNAG__CELL_UNKNOWN;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(upper, kinds[i].begins))
            kind = kinds[i].kind;
    if (kind == SNAG__CELL_QUAD && (nodes == 3 || nodes == 6 || nodes == 7))  // shells of three corners
        kind = SNAG__CELL_TRIANGLE;
    return snag__cell_corners(kind) <= nodes ? kind : SNAG__CELL_UNKNOWN;
}

// The name of a block: its own, or "block ID".
static void name_block(const exodus *e, size_t block, char *name, size_t size)
{
    const snag__array *names = snag__arrays_find(&e->arrays, "eb_names"), *ids = find(&e->arrays, "eb_prop1", false);
    name[0] = 0;
    if (names && names->rank == 2 && block < names->sizes[0])
        snag__array_text(names, block, name, size);
    if (name[0])
        return;
    long long id = ids && block < ids->count ? (long long)snag__array_integer(ids, block) : (long long)block + 1;
    snprintf(name, size, "block %lld", id);
}

static uint32_t number_of(const snag__array *map, size_t index)
{
    int64_t number = map && index < map->count ? snag__array_integer(map, index) : (int64_t)index + 1;
    return number >= 0 && number <= UINT32_MAX ? (uint32_t)number : (uint32_t)index + 1;
}

// The labels of faces and cells are given in the order in which the builder numbers them.
typedef struct numbering {
    uint32_t *faces, *cells;
    size_t face_count, cell_count, capacity;
} numbering;

static snag_status read_block(exodus *e, size_t block, const snag__array *connect, const snag__array *map, numbering *n)
{
    char attribute[48], type[32] = "";
    snprintf(attribute, sizeof attribute, "connect%zu@elem_type", block + 1);
    const snag__array *text = snag__arrays_find(&e->arrays, attribute);
    if (text)
        snag__array_text(text, 0, type, sizeof type);
    size_t nodes = connect->rank == 2 ? connect->sizes[1] : 1, count = connect->sizes[0];
    snag__cell kind = kind_of(type, nodes);
    uint32_t corners[SNAG__MOST_NODES];
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        for (size_t c = 0; c < nodes && c < SNAG__MOST_NODES && snag__cell_corners(kind); c++) {
            int64_t node = snag__array_integer(connect, i * nodes + c);
            if (node < 1 || (uint64_t)node > e->vertex_count)
                return snag__io_fail(e->source->error, SNAG_ERROR_INDEX,
                                     "%s: element %zu of block %zu (both counted from 1) names node %lld, but there are %zu",
                                     snag__path_shown(e->source->name), i + 1, block + 1, (long long)node, e->vertex_count);
            corners[c] = (uint32_t)node - 1;
        }
        uint32_t number = number_of(map, e->element_count++);
        if (kind == SNAG__CELL_TRIANGLE || kind == SNAG__CELL_QUAD)
            // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the status says that it is there
            n->faces[n->face_count++] = number;
        else if (snag__cell_corners(kind) && !snag__cell_is_thin(kind))
            n->cells[n->cell_count++] = number;
        status = snag__builder_cell(e->builder, kind, SNAG__ORDER_EXODUS, corners, nodes);
    }
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(e->source, status);
}

static const snag__array *block_of(const exodus *e, size_t block)
{
    char name[32];
    snprintf(name, sizeof name, "connect%zu", block + 1);
    return find(&e->arrays, name, false);
}

static snag_status begin_block(const exodus *e, size_t block)
{
    char name[256];
    name_block(e, block, name, sizeof name);
    bool split = snag__builder_splits(e->builder, SNAG_IO_SPLIT_PARTS) || snag__builder_splits(e->builder, SNAG_IO_SPLIT_GROUPS);
    bool grouped =
        snag__builder_groups_by(e->builder, SNAG_IO_SPLIT_PARTS) || snag__builder_groups_by(e->builder, SNAG_IO_SPLIT_GROUPS);
    snag_status status = split ? SNAG_OK : snag__builder_object(e->builder, name, strlen(name));
    if (status == SNAG_OK && grouped)
        status = snag__builder_group(e->builder, name, strlen(name));
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(e->source, status);
}

static snag_status read_blocks(exodus *e)
{
    const snag__array *map = find(&e->arrays, "elem_num_map", false);
    numbering n = {0};
    // Elements of blocks without a size, such as polygons and polyhedra, are counted as left out.
    for (size_t b = 0; block_of(e, b); b++)
        n.capacity += block_of(e, b)->sizes[0];
    n.faces = malloc((n.capacity + 1) * sizeof *n.faces);
    n.cells = malloc((n.capacity + 1) * sizeof *n.cells);
    snag_status status = n.faces && n.cells ? SNAG_OK : snag__builder_fail(e->source, SNAG_ERROR_MEMORY);
    for (size_t b = 0; status == SNAG_OK && block_of(e, b); b++) {
        status = begin_block(e, b);
        if (status == SNAG_OK)
            status = read_block(e, b, block_of(e, b), map, &n);
    }
    e->builder->polygon_numbers = n.faces;
    e->builder->cell_numbers = n.cells;
    return status;
}

static snag_status label_vertices(const exodus *e)
{
    const snag__array *map = find(&e->arrays, "node_num_map", false);
    e->builder->vertex_labels = malloc((e->vertex_count + 1) * sizeof *e->builder->vertex_labels);
    if (!e->builder->vertex_labels)
        return snag__builder_fail(e->source, SNAG_ERROR_MEMORY);
    for (size_t v = 0; v < e->vertex_count; v++)
        e->builder->vertex_labels[v] = number_of(map, v);
    return SNAG_OK;
}

// ---- frames ----

// The three components have one stem and end in x, y and z: "disp_x", "DISPLX".
static void find_displacement(exodus *e)
{
    const snag__array *names = snag__arrays_find(&e->arrays, "name_nod_var");
    if (!names || names->rank != 2)
        return;
    char stem[64] = "", name[64];
    for (size_t i = 0; i < names->sizes[0]; i++) {
        snag__array_text(names, i, name, sizeof name);
        size_t length = strlen(name);
        if (length < 2)
            continue;
        char last = name[length - 1];
        int axis = last == 'x' || last == 'X' ? 0 : last == 'y' || last == 'Y' ? 1 : last == 'z' || last == 'Z' ? 2 : -1;
        name[length - 1] = 0;
        if (name[length - 2] == '_')
            name[length - 2] = 0;
        if (axis < 0 || !snag__is_displacement(name, strlen(name)) || (stem[0] && strcmp(stem, name) != 0))
            continue;
        snprintf(stem, sizeof stem, "%s", name);
        e->displacement[axis] = (int64_t)i + 1;
    }
}

// One component at all time steps; *offset and *stride say where frame f begins.
static const snag__array *find_component(const exodus *e, int axis, size_t frames, size_t *offset, size_t *stride)
{
    char name[40];
    const snag__array *all = find(&e->fields, "vals_nod_var", true);
    *offset = 0;
    *stride = e->vertex_count;
    if (all && all->rank == 3 && all->sizes[0] == frames && all->sizes[2] == e->vertex_count &&
        (uint64_t)e->displacement[axis] <= all->sizes[1]) {
        *offset = ((size_t)e->displacement[axis] - 1) * e->vertex_count;
        *stride = all->sizes[1] * e->vertex_count;
        return all;
    }
    snprintf(name, sizeof name, "vals_nod_var%lld", (long long)e->displacement[axis]);
    const snag__array *one = find(&e->fields, name, true);
    return one && one->rank == 2 && one->sizes[0] == frames && one->sizes[1] == e->vertex_count ? one : NULL;
}

static snag_status read_frames(exodus *e, snag__frames *frames)
{
    const snag__array *times = find(&e->arrays, "time_whole", true);
    find_displacement(e);
    if (!times || times->count == 0 || (!e->displacement[0] && !e->displacement[1] && !e->displacement[2]))
        return SNAG_OK;
    snag_status status = snag__load_arrays(e->source, is_displacement, e, &e->fields);
    if (status == SNAG_OK)
        status = snag__frames_make(e->source, times->count, e->vertex_count, frames);
    for (size_t f = 0; f < times->count && status == SNAG_OK; f++) {
        status = snag__frames_set_time(e->source, frames, f, snag__array_number(times, f));
        memcpy(frames->positions + 3 * e->vertex_count * f, e->builder->positions, 3 * e->vertex_count * sizeof(double));
    }
    for (int k = 0; k < 3 && status == SNAG_OK; k++) {
        size_t offset, stride;
        const snag__array *component = e->displacement[k] ? find_component(e, k, times->count, &offset, &stride) : NULL;
        if (e->displacement[k] && !component)
            return fail(e, SNAG_ERROR_FORMAT, "the displacement does not have a value for each vertex and time step");
        for (size_t f = 0; component && f < times->count; f++)
            for (size_t v = 0; v < e->vertex_count; v++)
                frames->positions[3 * (e->vertex_count * f + v) + (size_t)k] +=
                    snag__array_number(component, f * stride + offset + v);
    }
    return status == SNAG_OK ? snag__frames_check(e->source, frames) : status;
}

snag_status snag__read_exodus(const snag__source *source, bool beside, snag__builder *builder, snag__frames *frames)
{
    (void)beside;
    exodus e = {.source = source, .builder = builder};
    snag_status status = snag__load_arrays(source, is_of_mesh, NULL, &e.arrays);
    if (status == SNAG_OK)
        status = read_vertices(&e);
    if (status == SNAG_OK)
        status = read_blocks(&e);
    if (status == SNAG_OK)
        status = label_vertices(&e);
    if (status == SNAG_OK && frames)
        status = read_frames(&e, frames);
    if (status == SNAG_OK && builder->tet_count && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    snag__arrays_free(source, &e.arrays);
    snag__arrays_free(source, &e.fields);
    return status;
}
