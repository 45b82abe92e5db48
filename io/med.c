// MED (Salome, Code_Aster): HDF5 files. ENS_MAA/MESH/STEP/NOE/COO has the coordinates, axis by axis; .../MAI/TYPE/NOD the nodes of the
// cells of a type, node by node, counted from 1; CHA/FIELD/STEP/NOE/PROFILE/CO a field at the nodes, component by component, whose
// time is the attribute PDT of the step.
//
// A field that is named like a displacement and has a value at every node makes frames. Files of several meshes are refused.
#include "results.h"

#include <stdlib.h>
#include <string.h>

typedef struct med {
    const snag__source *source;
    snag__builder *builder;
    snag__arrays arrays;
    const snag__array *coordinates;
    size_t vertex_count;
} med;

static snag_status fail(const med *m, snag_status status, const char *words)
{
    return snag__io_fail(m->source->error, status, "%s: %s", snag__path_shown(m->source->name), words);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
    size_t length = strlen(name), tail = strlen(with);
    return length >= tail && strcmp(name + length - tail, with) == 0;
}

// The part of a path after `depth` slashes; empty: it has fewer.
static const char *part_of(const char *path, int depth)
{
    for (; depth > 0 && path; depth--) {
        path = strchr(path, '/');
        path = path ? path + 1 : NULL;
    }
    return path ? path : "";
}

// Code_Aster puts its own name in front, padded to eight characters: "RESU____DEPL".
static bool is_displacement_field(const char *field)
{
    size_t length = strcspn(field, "/@");
    return snag__is_displacement(field, length) || (length > 8 && snag__is_displacement(field + 8, length - 8));
}

static bool is_wanted(const char *name, void *context)
{
    const bool *frames = context;
    if (begins(name, "ENS_MAA/"))
        return ends(name, "/NOE/COO") || ends(name, "/NOE/COO@NBR") || ends(name, "/NOD");
    bool field = *frames && begins(name, "CHA/") && is_displacement_field(part_of(name, 1));
    return field && (ends(name, "/CO") || ends(name, "@PDT"));
}

// ---- the mesh ----

// Whether an attribute is there and is a number; a damaged file may have one without a value.
static bool has_number(const snag__array *array)
{
    return array && array->kind != SNAG__ARRAY_TEXT && array->count > 0;
}

// The mesh and step of a path: "ENS_MAA/MESH/STEP".
static size_t stem_length(const char *path)
{
    const char *after = part_of(path, 3);
    return *after ? (size_t)(after - path) : strlen(path);
}

static snag_status find_mesh(med *m)
{
    for (size_t i = 0; i < m->arrays.count; i++) {
        const snag__array *array = &m->arrays.list[i];
        if (!ends(array->name, "/NOE/COO") || array->kind == SNAG__ARRAY_TEXT)
            continue;
        bool other = m->coordinates && strncmp(part_of(m->coordinates->name, 1), part_of(array->name, 1),
                                               strcspn(part_of(array->name, 1), "/") + 1) != 0;
        if (other)
            return fail(m, SNAG_ERROR_UNSUPPORTED, "has several meshes; save the one to check as a file of its own");
        if (!m->coordinates)
            m->coordinates = array;
    }
    return m->coordinates ? SNAG_OK : fail(m, SNAG_ERROR_FORMAT, "is not a MED file: it has no coordinates (ENS_MAA/.../NOE/COO)");
}

// The attribute NBR of the coordinates is the number of nodes; the rest of their count is the dimension.
static snag_status read_vertices(med *m, size_t *dimension)
{
    char name[520];
    snprintf(name, sizeof name, "%s@NBR", m->coordinates->name);
    const snag__array *nodes = snag__arrays_find(&m->arrays, name);
    int64_t count = has_number(nodes) ? snag__array_integer(nodes, 0) : (int64_t)(m->coordinates->count / 3);
    if (count < 1 || (uint64_t)count > SNAG__MOST_VERTICES || m->coordinates->count % (size_t)count != 0)
        return fail(m, SNAG_ERROR_FORMAT, "has no vertices, or coordinates that do not fit their number");
    m->vertex_count = (size_t)count;
    size_t axes = *dimension = m->coordinates->count / m->vertex_count;
    if (axes != 2 && axes != 3)
        return fail(m, SNAG_ERROR_UNSUPPORTED, "is a mesh of neither two nor three dimensions");
    snag_status status = snag__builder_reserve_vertices(m->builder, m->vertex_count);
    for (size_t v = 0; v < m->vertex_count && status == SNAG_OK; v++) {
        double xyz[3] = {0, 0, 0};
        for (size_t k = 0; k < axes; k++)
            xyz[k] = snag__array_number(m->coordinates, k * m->vertex_count + v);
        status = snag__builder_vertex(m->builder, xyz[0], xyz[1], xyz[2]);
    }
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->source, status);
}

typedef struct med_type {
    const char *name;
    snag__cell kind;
    size_t nodes;
} med_type;

static const med_type *type_of(const char *path)
{
    static const med_type types[] = {
        {"TR3", SNAG__CELL_TRIANGLE, 3},
        {"TR6", SNAG__CELL_TRIANGLE, 6},
        {"TR7", SNAG__CELL_TRIANGLE, 7},
        {"QU4", SNAG__CELL_QUAD, 4},
        {"QU8", SNAG__CELL_QUAD, 8},
        {"QU9", SNAG__CELL_QUAD, 9},
        {"TE4", SNAG__CELL_TET, 4},
        {"T10", SNAG__CELL_TET, 10},
        {"PY5", SNAG__CELL_PYRAMID, 5},
        {"P13", SNAG__CELL_PYRAMID, 13},
        {"PE6", SNAG__CELL_WEDGE, 6},
        {"P15", SNAG__CELL_WEDGE, 15},
        {"P18", SNAG__CELL_WEDGE, 18},
        {"HE8", SNAG__CELL_HEXAHEDRON, 8},
        {"H20", SNAG__CELL_HEXAHEDRON, 20},
        {"H27", SNAG__CELL_HEXAHEDRON, 27},
        {"O12", SNAG__CELL_HEXAGONAL_PRISM, 12},
        {"PO1", SNAG__CELL_POINT, 1},
        {"SE2", SNAG__CELL_LINE, 2},
        {"SE3", SNAG__CELL_LINE, 3},
        {"SE4", SNAG__CELL_LINE, 4},
        {"POG", SNAG__CELL_UNKNOWN, 1},
        {"POE", SNAG__CELL_UNKNOWN, 1},
    };
    const char *name = part_of(path, 4);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (begins(name, types[i].name) && name[3] == '/')
            return &types[i];
    return NULL;
}

static snag_status read_cells(med *m, const snag__array *array)
{
    const med_type *type = type_of(array->name);
    if (!type || type->kind == SNAG__CELL_UNKNOWN) {
        // Polygons and polyhedra, of unknown number: at least one is left out.
        snag__builder_skip(m->builder, 1, true);
        return SNAG_OK;
    }
    size_t count = array->count / type->nodes;
    uint32_t nodes[SNAG__MOST_NODES];
    snag_status status = array->count % type->nodes ? fail(m, SNAG_ERROR_FORMAT, "the nodes of its cells are cut off") : SNAG_OK;
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        for (size_t c = 0; c < type->nodes; c++) {
            int64_t node = snag__array_integer(array, c * count + i);
            if (node < 1 || (uint64_t)node > m->vertex_count)
                return snag__io_fail(m->source->error, SNAG_ERROR_INDEX,
                                     "%s: cell %zu of type %s names node %lld, but there are %zu",
                                     snag__path_shown(m->source->name), i + 1, type->name, (long long)node, m->vertex_count);
            nodes[c] = (uint32_t)node - 1;
        }
        status = snag__builder_cell(m->builder, type->kind, SNAG__ORDER_MED, nodes, type->nodes);
        if (status != SNAG_OK)
            status = snag__builder_fail(m->source, status);
    }
    return status;
}

// ---- frames ----

static double time_of(const med *m, const snag__array *field)
{
    char name[520];
    snprintf(name, sizeof name, "%.*s", (int)(stem_length(field->name) - 1), field->name);
    strncat(name, "@PDT", sizeof name - strlen(name) - 1);
    const snag__array *time = snag__arrays_find(&m->arrays, name);
    return has_number(time) ? snag__array_number(time, 0) : 0;
}

// The fields of one name with a value of every component at every node; others are left aside.
static bool is_frame(const med *m, const snag__array *array, size_t axes, const char *field)
{
    return begins(array->name, "CHA/") && ends(array->name, "/CO") && array->kind == SNAG__ARRAY_NUMBERS &&
           strstr(array->name, "/NOE/") && array->count >= axes * m->vertex_count && array->count % m->vertex_count == 0 &&
           (!field || strncmp(part_of(field, 1), part_of(array->name, 1), strcspn(part_of(field, 1), "/") + 1) == 0);
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct med_step {
    double time;
    const snag__array *field;
} med_step;

static snag_status read_frames(const med *m, size_t axes, snag__frames *frames)
{
    med_step *steps = malloc((m->arrays.count + 1) * sizeof *steps);
    size_t count = 0;
    if (!steps)
        return snag__builder_fail(m->source, SNAG_ERROR_MEMORY);
    for (size_t i = 0; i < m->arrays.count; i++) {
        const snag__array *array = &m->arrays.list[i];
        if (is_frame(m, array, axes, count ? steps[0].field->name : NULL))
            steps[count++] = (med_step){time_of(m, array), array};
    }
    qsort(steps, count, sizeof *steps, compare_times);  // the time comes first in a step
    snag_status status = count ? snag__frames_make(m->source, count, m->vertex_count, frames) : SNAG_OK;
    for (size_t f = 0; f < count && status == SNAG_OK; f++) {
        status = snag__frames_set_time(m->source, frames, f, steps[f].time);
        for (size_t v = 0; v < m->vertex_count && status == SNAG_OK; v++)
            for (size_t k = 0; k < 3; k++) {
                double moved = k < axes ? snag__array_number(steps[f].field, k * m->vertex_count + v) : 0;
                frames->positions[3 * (m->vertex_count * f + v) + k] = m->builder->positions[3 * v + k] + moved;
            }
    }
    free(steps);
    return status == SNAG_OK ? snag__frames_check(m->source, frames) : status;
}

snag_status snag__read_med(const snag__source *source, bool beside, snag__builder *builder, snag__frames *frames)
{
    (void)beside;
    med m = {.source = source, .builder = builder};
    bool with_frames = frames != NULL;
    snag_status status = snag__load_arrays(source, is_wanted, &with_frames, &m.arrays);
    if (status == SNAG_OK)
        status = find_mesh(&m);
    size_t axes = 3;
    if (status == SNAG_OK)
        status = read_vertices(&m, &axes);
    size_t stem = status == SNAG_OK ? stem_length(m.coordinates->name) : 0;
    for (size_t i = 0; i < m.arrays.count && status == SNAG_OK; i++) {
        const snag__array *array = &m.arrays.list[i];
        if (strncmp(array->name, m.coordinates->name, stem) == 0 && ends(array->name, "/NOD") &&
            array->kind == SNAG__ARRAY_INTEGERS)
            status = read_cells(&m, array);
    }
    if (status == SNAG_OK && frames)
        status = read_frames(&m, axes, frames);
    if (status == SNAG_OK && builder->tet_count && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    snag__arrays_free(source, &m.arrays);
    return status;
}
