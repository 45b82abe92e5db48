// XDMF 2 and 3: XML that describes grids, with the numbers in the XML itself, in HDF5 files or in raw binary files beside it.
//
// A file is one grid; or a spatial collection, whose grids are objects; or a temporal collection of one grid with one topology, whose
// steps differ in their geometry or in a displacement. Steps may take topology and geometry from another grid (XInclude), which is
// always the first one with a topology.
#include "groups.h"

#include "common/system.h"
#include "results.h"
#include "xml.h"

#include "bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the numbers of a DataItem are.
typedef struct data_item {
    bool there;
    char format[8];  // XML, HDF, Binary
    bool floating;
    bool is_signed;
    bool big;
    size_t precision;  // bytes of a number
    uint64_t seek;
    uint64_t count;  // product of its dimensions
    snag__word text;
} data_item;

typedef struct grid {
    char name[128];
    char topology[32];
    uint64_t nodes_per_element;
    data_item connectivity;
    char geometry[16];
    data_item positions[3];  // X_Y_Z has three items, others one
    size_t position_items;
    data_item displacement;
    double time;
    bool has_time;
} grid;

typedef struct xdmf {
    const snag__source *source;
    bool beside;
    snag__builder *builder;
    grid *grids;
    size_t grid_count, grid_capacity;
    bool temporal;
    // The HDF5 file that was loaded last.
    char *loaded;
    snag__arrays arrays;
    const char *wanted;
} xdmf;

static snag_status fail(const xdmf *x, snag_status status, const char *words)
{
    return snag__io_fail(x->source->error, status, "%s: %s", snag__path_shown(x->source->name), words);
}

static snag_status status_of(const xdmf *x)
{
    return x->source->error && x->source->error->status != SNAG_OK ? x->source->error->status : SNAG_ERROR_MEMORY;
}

// ---- the XML ----

static void copy_word(snag__word value, char *copy, size_t size)
{
    snprintf(copy, size, "%.*s", value.at && value.length < size ? (int)value.length : 0, value.at ? value.at : "");
}

// "Dimensions" are numbers separated by blanks.
static uint64_t product_of(snag__word dimensions)
{
    uint64_t product = dimensions.at ? 1 : 0;
    const char *at = dimensions.at, *end = dimensions.at ? at + dimensions.length : at;
    while (at && at < end) {
        int64_t size = 0;
        const char *after = snag__read_integer(at, end, &size);
        if (after == at) {
            at++;
            continue;
        }
        product = size < 0 || (size > 0 && product > UINT64_MAX / 16 / (uint64_t)size) ? UINT64_MAX : product * (uint64_t)size;
        at = after;
    }
    return product;
}

static data_item read_item(const snag__xml *xml, snag__tag t)
{
    data_item item = {.there = true, .precision = 4, .floating = true, .is_signed = true, .text = snag__xml_text(xml)};
    uint64_t precision;
    copy_word(snag__tag_value(t, "Format"), item.format, sizeof item.format);
    snag__word type = snag__tag_value(t, "NumberType").at ? snag__tag_value(t, "NumberType") : snag__tag_value(t, "DataType");
    if (type.at)
        item.floating = snag__word_is(type, "Float");
    if (type.at && snag__word_is(type, "Char"))
        item.precision = 1;
    if (type.at && (snag__word_is(type, "UInt") || snag__word_is(type, "UChar")))
        item.is_signed = false;
    if (snag__tag_count(t, "Precision", &precision) && (precision == 1 || precision == 2 || precision == 4 || precision == 8))
        item.precision = (size_t)precision;
    item.big = snag__tag_value_is(t, "Endian", "Big");
    snag__tag_count(t, "Seek", &item.seek);
    item.count = product_of(snag__tag_value(t, "Dimensions"));
    if (!item.format[0])
        memcpy(item.format, "XML", 4);
    return item;
}

static snag_status begin_grid(xdmf *x, snag__tag t)
{
    if (x->grid_count == x->grid_capacity) {
        size_t larger = 2 * x->grid_capacity + 8;
        snag_status status = snag__claim_bytes(x->source, (larger - x->grid_capacity) * sizeof *x->grids);
        grid *grids = status == SNAG_OK ? realloc(x->grids, larger * sizeof *grids) : NULL;
        if (!grids)
            return status == SNAG_OK ? fail(x, SNAG_ERROR_MEMORY, "not enough memory for its grids") : status;
        x->grids = grids;
        x->grid_capacity = larger;
    }
    grid *g = &x->grids[x->grid_count++];
    *g = (grid){0};
    copy_word(snag__tag_value(t, "Name"), g->name, sizeof g->name);
    return SNAG_OK;
}

typedef enum within { OTHER, TOPOLOGY, GEOMETRY, DISPLACEMENT } within;

static void begin_topology(grid *g, snag__tag t)
{
    snag__word type = snag__tag_value(t, "TopologyType");
    copy_word(type.at ? type : snag__tag_value(t, "Type"), g->topology, sizeof g->topology);
    snag__tag_count(t, "NodesPerElement", &g->nodes_per_element);
}

static void begin_geometry(grid *g, snag__tag t)
{
    snag__word type = snag__tag_value(t, "GeometryType");
    copy_word(type.at ? type : snag__tag_value(t, "Type"), g->geometry, sizeof g->geometry);
    if (!g->geometry[0])
        memcpy(g->geometry, "XYZ", 4);
    g->position_items = 0;
}

// Displacement: a vector at the nodes, of a name that says so.
static bool is_displacement(snag__tag t)
{
    snag__word name = snag__tag_value(t, "Name"), center = snag__tag_value(t, "Center"), type = snag__tag_value(t, "AttributeType");
    return name.at && snag__is_displacement(name.at, name.length) && (!center.at || snag__word_is(center, "Node")) &&
           (!type.at || snag__word_is(type, "Vector"));
}

static void take_item(grid *g, const snag__xml *xml, snag__tag t, within place)
{
    if (place == TOPOLOGY)
        g->connectivity = read_item(xml, t);
    else if (place == GEOMETRY && g->position_items < 3)
        g->positions[g->position_items++] = read_item(xml, t);
    else if (place == DISPLACEMENT && !g->displacement.there)
        g->displacement = read_item(xml, t);
}

static void take_time(grid *g, snag__tag t)
{
    snag__word value = snag__tag_value(t, "Value");
    if (value.at && snag__read_double(value.at, value.at + value.length, &g->time) != value.at)
        g->has_time = true;
}

static snag_status scan_tag(xdmf *x, const snag__xml *xml, snag__tag t, within *place)
{
    grid *g = x->grid_count ? &x->grids[x->grid_count - 1] : NULL;
    if (snag__tag_is(t, "Grid")) {
        *place = OTHER;
        if (snag__tag_value_is(t, "GridType", "Collection")) {
            x->temporal = x->temporal || snag__tag_value_is(t, "CollectionType", "Temporal");
            return SNAG_OK;
        }
        if (snag__tag_value_is(t, "GridType", "Tree") || snag__tag_value_is(t, "GridType", "SubSet"))
            return fail(x, SNAG_ERROR_UNSUPPORTED, "has a grid of a kind that is not supported (Tree or SubSet); save it as VTU");
        return begin_grid(x, t);
    }
    if (!g)
        return SNAG_OK;
    if (snag__tag_is(t, "Topology")) {
        *place = TOPOLOGY;
        begin_topology(g, t);
    } else if (snag__tag_is(t, "Geometry")) {
        *place = GEOMETRY;
        begin_geometry(g, t);
    } else if (snag__tag_is(t, "Attribute")) {
        *place = is_displacement(t) ? DISPLACEMENT : OTHER;
    } else if (snag__tag_is(t, "/Topology") || snag__tag_is(t, "/Geometry") || snag__tag_is(t, "/Attribute")) {
        *place = OTHER;
    } else if (snag__tag_is(t, "Time")) {
        take_time(g, t);
    } else if (snag__tag_is(t, "DataItem")) {
        if (snag__tag_value(t, "Reference").at || snag__tag_value_is(t, "ItemType", "HyperSlab") ||
            snag__tag_value_is(t, "ItemType", "Function"))
            return *place == OTHER ? SNAG_OK
                                   : fail(x, SNAG_ERROR_UNSUPPORTED,
                                          "takes its numbers from a reference, a HyperSlab or a Function; save it as VTU");
        take_item(g, xml, t, *place);
    }
    return SNAG_OK;
}

static snag_status scan(xdmf *x)
{
    snag__xml xml = {x->source->data, x->source->data + x->source->size};
    snag__tag t;
    within place = OTHER;
    bool begun = false, ended = false;
    snag_status status = SNAG_OK;
    while (status == SNAG_OK && snag__xml_next(&xml, &t)) {
        begun = begun || snag__tag_is(t, "Xdmf");
        ended = snag__tag_is(t, "/Xdmf");
        status = scan_tag(x, &xml, t, &place);
    }
    if (status == SNAG_OK && (!begun || !ended))
        status =
            fail(x, SNAG_ERROR_FORMAT, begun ? "is cut off: its last tag is not </Xdmf>" : "is not an XDMF file: it has no <Xdmf>");
    return status;
}

// ---- numbers ----

static bool is_array_wanted(const char *name, void *context)
{
    const xdmf *x = context;
    return strcmp(name, x->wanted) == 0;
}

// The path of a file that an item names, relative to the folder of this one.
static char *path_beside(const xdmf *x, const char *name, size_t length)
{
    const char *slash = sys_last_separator(x->source->name);
    size_t folder = slash ? (size_t)(slash - x->source->name) + 1 : 0;
    // Some programs write whole paths, which are wrong once the files are moved: look beside this one.
    for (size_t i = length; length > 0 && name[0] == '/' && i > 0; i--)
        if (name[i - 1] == '/') {
            name += i;
            length -= i;
            break;
        }
    bool plain = x->beside && length > 0 && name[0] != '/' && !memchr(name, 0, length);
    for (size_t i = 0; plain && i + 1 < length; i++)
        plain = !(name[i] == '.' && name[i + 1] == '.');
    char *path = plain ? malloc(folder + length + 1) : NULL;
    if (path) {
        memcpy(path, x->source->name, folder);
        memcpy(path + folder, name, length);
        path[folder + length] = 0;
    } else {
        snag__io_fail(x->source->error, x->beside && plain ? SNAG_ERROR_MEMORY : SNAG_ERROR_UNSUPPORTED,
                      "%s: its numbers are in \"%.*s\"; only files beside this one are read, and only from disk",
                      snag__path_shown(x->source->name), (int)(length < 80 ? length : 80), name);
    }
    return path;
}

static snag__word trimmed(snag__word text)
{
    while (text.length && snag__is_space(text.at[0]))
        text.at++, text.length--;
    while (text.length && snag__is_space(text.at[text.length - 1]))
        text.length--;
    return text;
}

// Numbers of an HDF5 file: "file.h5:/path/of/array".
static snag_status read_hdf(xdmf *x, const data_item *item, double *numbers)
{
    snag__word text = trimmed(item->text);
    const char *colon = text.length ? memchr(text.at, ':', text.length) : NULL;
    if (!colon)
        return fail(x, SNAG_ERROR_FORMAT, "a DataItem of format HDF does not name a file and a path (file.h5:/path)");
    char wanted[400];
    const char *inside = colon + 1, *end = text.at + text.length;
    while (inside < end && *inside == '/')
        inside++;
    snprintf(wanted, sizeof wanted, "%.*s", (int)(end - inside < 399 ? end - inside : 399), inside);
    char *path = path_beside(x, text.at, (size_t)(colon - text.at)), *data = NULL;
    if (!path)
        return status_of(x);
    size_t size = 0;
    x->wanted = wanted;
    snag_status status = snag__file_read(path, x->source->reading, &data, &size, x->source->error);
    snag__source file = {path, data, size, x->source->error, x->source->reading};
    if (status == SNAG_OK)
        status = snag__load_arrays(&file, is_array_wanted, x, &x->arrays);
    const snag__array *array = status == SNAG_OK ? snag__arrays_find(&x->arrays, wanted) : NULL;
    if (status == SNAG_OK && (!array || array->kind == SNAG__ARRAY_TEXT || array->count < item->count))
        status = snag__io_fail(x->source->error, SNAG_ERROR_FORMAT, "%s: %s has no array /%.100s of %llu numbers",
                               snag__path_shown(x->source->name), snag__path_shown(path), wanted, (unsigned long long)item->count);
    for (uint64_t i = 0; i < item->count && status == SNAG_OK; i++)
        numbers[i] = snag__array_number(array, (size_t)i);
    snag__arrays_free(x->source, &x->arrays);
    free(data);
    free(path);
    return status;
}

static double raw_number(const data_item *item, const char *at)
{
    if (item->floating)
        return item->precision == 8 ? snag__bytes_f64(at, item->big) : (double)snag__bytes_f32(at, item->big);
    uint64_t bits = snag__bytes_unsigned(at, item->precision, item->big);
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the status says that it is there
    uint64_t sign = (uint64_t)1 << (8 * item->precision - 1);
    return item->is_signed ? (double)(int64_t)((bits ^ sign) - sign) : (double)bits;
}

static snag_status read_binary(xdmf *x, const data_item *item, double *numbers)
{
    snag__word text = trimmed(item->text);
    char *path = path_beside(x, text.at, text.length), *data = NULL;
    if (!path)
        return status_of(x);
    size_t size = 0;
    snag_status status = snag__file_read(path, x->source->reading, &data, &size, x->source->error);
    if (status == SNAG_OK && (item->seek > size || item->count > (size - item->seek) / item->precision))
        status = snag__io_fail(x->source->error, SNAG_ERROR_FORMAT, "%s: %s is too short for %llu numbers from byte %llu on",
                               snag__path_shown(x->source->name), snag__path_shown(path), (unsigned long long)item->count,
                               (unsigned long long)item->seek);
    if (status == SNAG_OK && item->floating && item->precision < 4)
        status = fail(x, SNAG_ERROR_UNSUPPORTED, "has floating-point numbers of less than 4 bytes");
    for (uint64_t i = 0; i < item->count && status == SNAG_OK; i++)
        numbers[i] = raw_number(item, data + item->seek + i * item->precision);
    free(data);
    free(path);
    return status;
}

static snag_status read_text(const xdmf *x, const data_item *item, double *numbers)
{
    const char *at = item->text.at, *end = at ? at + item->text.length : at;
    for (uint64_t i = 0; i < item->count; i++) {
        while (at < end && snag__is_space(*at))
            at++;
        const char *after = at < end ? snag__read_double(at, end, &numbers[i]) : at;
        if (after == at)
            return snag__io_fail(x->source->error, SNAG_ERROR_FORMAT, "%s: a DataItem has %llu numbers instead of %llu",
                                 snag__path_shown(x->source->name), (unsigned long long)i, (unsigned long long)item->count);
        at = after;
    }
    return SNAG_OK;
}

// All numbers of an item, as doubles: vertex numbers fit too. The caller frees them with free_numbers.
static snag_status read_numbers(xdmf *x, const data_item *item, double **numbers)
{
    *numbers = NULL;
    // Text has a digit and a blank at least for each number; other files are bounded by the limit.
    if (item->count > SIZE_MAX / 16 || (strcmp(item->format, "XML") == 0 && item->count > item->text.length))
        return fail(x, SNAG_ERROR_FORMAT, "a DataItem has fewer numbers than its Dimensions say");
    snag_status status = snag__claim_bytes(x->source, item->count * sizeof **numbers);
    if (status != SNAG_OK)
        return status;
    *numbers = malloc(((size_t)item->count + 1) * sizeof **numbers);
    if (!*numbers)
        return snag__builder_fail(x->source, SNAG_ERROR_MEMORY);
    if (strcmp(item->format, "HDF") == 0)
        return read_hdf(x, item, *numbers);
    if (strcmp(item->format, "Binary") == 0)
        return read_binary(x, item, *numbers);
    return strcmp(item->format, "XML") == 0
               ? read_text(x, item, *numbers)
               : fail(x, SNAG_ERROR_UNSUPPORTED, "has a DataItem of a format that is not XML, HDF or Binary");
}

static void free_numbers(const xdmf *x, const data_item *item, double *numbers)
{
    if (numbers)
        snag__release_bytes(x->source, item->count * sizeof *numbers);
    free(numbers);
}

// ---- geometry ----

// The positions of a grid: three numbers a vertex. The caller frees them.
static snag_status read_positions(xdmf *x, const grid *g, double **positions, size_t *count)
{
    bool plane = strcmp(g->geometry, "XY") == 0, apart = strcmp(g->geometry, "X_Y_Z") == 0;
    *positions = NULL;
    if ((!plane && !apart && strcmp(g->geometry, "XYZ") != 0) || g->position_items < (apart ? 3u : 1u))
        return fail(x, SNAG_ERROR_UNSUPPORTED, "has a geometry that is not XYZ, XY or X_Y_Z");
    size_t axes = plane ? 2 : apart ? 1 : 3;
    double *numbers[3] = {NULL, NULL, NULL};
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < (apart ? 3u : 1u) && status == SNAG_OK; i++) {
        if (g->positions[i].count % axes || (apart && g->positions[i].count != g->positions[0].count))
            status = fail(x, SNAG_ERROR_FORMAT, "has coordinates that do not fit its vertices");
        else
            status = read_numbers(x, &g->positions[i], &numbers[i]);
    }
    *count = (size_t)(g->positions[0].count / axes);
    if (status == SNAG_OK && *count > SNAG__MOST_VERTICES)
        status = snag__builder_fail(x->source, SNAG_ERROR_SIZE);
    if (status == SNAG_OK && !(*positions = malloc((3 * *count + 1) * sizeof **positions)))
        status = snag__builder_fail(x->source, SNAG_ERROR_MEMORY);
    for (size_t v = 0; v < *count && status == SNAG_OK; v++)
        for (size_t k = 0; k < 3; k++)
            // NOLINTNEXTLINE(clang-analyzer-core.NullDereference,clang-analyzer-core.uninitialized.Assign): the status says that it is there
            (*positions)[3 * v + k] = apart ? numbers[k][v] : k < axes ? numbers[0][axes * v + k] : 0;
    for (size_t i = 0; i < 3; i++)
        free_numbers(x, &g->positions[i], numbers[i]);
    return status;
}

// ---- topology ----

typedef struct xdmf_type {
    const char *name;
    int number;  // in a mixed topology
    snag__cell kind;
    size_t nodes;  // 0: as many as it says
} xdmf_type;

static const xdmf_type types[] = {
    {"Polyvertex", 1, SNAG__CELL_POINT, 0},
    {"Polyline", 2, SNAG__CELL_LINE, 0},
    {"Polygon", 3, SNAG__CELL_UNKNOWN, 0},
    {"Triangle", 4, SNAG__CELL_TRIANGLE, 3},
    {"Quadrilateral", 5, SNAG__CELL_QUAD, 4},
    {"Tetrahedron", 6, SNAG__CELL_TET, 4},
    {"Pyramid", 7, SNAG__CELL_PYRAMID, 5},
    {"Wedge", 8, SNAG__CELL_WEDGE, 6},
    {"Hexahedron", 9, SNAG__CELL_HEXAHEDRON, 8},
    {"Edge_3", 34, SNAG__CELL_LINE, 3},
    {"Quadrilateral_9", 35, SNAG__CELL_QUAD, 9},
    {"Triangle_6", 36, SNAG__CELL_TRIANGLE, 6},
    {"Tri_6", 36, SNAG__CELL_TRIANGLE, 6},
    {"Quadrilateral_8", 37, SNAG__CELL_QUAD, 8},
    {"Quad_8", 37, SNAG__CELL_QUAD, 8},
    {"Tetrahedron_10", 38, SNAG__CELL_TET, 10},
    {"Tet_10", 38, SNAG__CELL_TET, 10},
    {"Pyramid_13", 39, SNAG__CELL_PYRAMID, 13},
    {"Wedge_15", 40, SNAG__CELL_WEDGE, 15},
    {"Wedge_18", 41, SNAG__CELL_WEDGE, 18},
    {"Hexahedron_20", 48, SNAG__CELL_HEXAHEDRON, 20},
    {"Hex_20", 48, SNAG__CELL_HEXAHEDRON, 20},
    {"Hexahedron_24", 49, SNAG__CELL_HEXAHEDRON, 24},
    {"Hexahedron_27", 50, SNAG__CELL_HEXAHEDRON, 27},
};

static const xdmf_type *type_of(const char *name, int number)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (name ? snag__word_is((snag__word){name, strlen(name)}, types[i].name) : number == types[i].number)
            return &types[i];
    return NULL;
}

// Adds one cell whose nodes are numbers of vertices from `first` on.
static snag_status add_cell(xdmf *x, const xdmf_type *type, const double *nodes, size_t count, size_t first, size_t vertex_count)
{
    bool polygon = type->number == 3, chain = type->number == 2, points = type->number == 1;
    uint32_t few[SNAG__MOST_NODES], *corners = count <= SNAG__MOST_NODES ? few : malloc(count * sizeof *corners);
    snag_status status = corners ? SNAG_OK : SNAG_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        if (!(nodes[i] >= 0 && nodes[i] < (double)vertex_count)) {
            if (corners != few)
                free(corners);
            return snag__io_fail(x->source->error, SNAG_ERROR_INDEX,
                                 "%s: a cell names vertex %.17g (counted from 0), but there are %zu",
                                 snag__path_shown(x->source->name), nodes[i], vertex_count);
        }
        corners[i] = (uint32_t)(first + (size_t)nodes[i]);
    }
    if (status == SNAG_OK && polygon && count >= 3)
        status = snag__builder_polygon(x->builder, corners, count);
    else if (status == SNAG_OK && polygon)
        snag__builder_skip(x->builder, 1, true);
    else if (chain && status == SNAG_OK)
        status = snag__builder_polyline(x->builder, corners, count);
    else if (points)
        for (size_t i = 0; i < count && status == SNAG_OK; i++)
            status = snag__builder_point(x->builder, corners[i]);
    else if (status == SNAG_OK)
        status = snag__builder_cell(x->builder, type->kind, SNAG__ORDER_VTK, corners, count);
    if (corners != few)
        free(corners);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(x->source, status);
}

// A stream of cells: the number of the type, for some types the number of nodes, the nodes.
static snag_status add_mixed(xdmf *x, const double *numbers, size_t count, size_t first, size_t vertex_count)
{
    snag_status status = SNAG_OK;
    for (size_t at = 0; at < count && status == SNAG_OK;) {
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the status says that it is there
        const xdmf_type *type = type_of(NULL, (int)fmax(0, fmin(numbers[at], 100)));
        if (!type)
            return fail(x, SNAG_ERROR_UNSUPPORTED, "has a mixed topology with cells of an unknown type");
        at++;
        double nodes = type->nodes ? (double)type->nodes : at < count ? numbers[at++] : -1;
        if (!(nodes >= 1 && nodes <= (double)(count - at)))
            return fail(x, SNAG_ERROR_FORMAT, "its cells are cut off");
        status = add_cell(x, type, numbers + at, (size_t)nodes, first, vertex_count);
        at += (size_t)nodes;
    }
    return status;
}

static snag_status read_cells(xdmf *x, const grid *g, size_t first, size_t vertex_count)
{
    bool mixed = snag__word_is((snag__word){g->topology, strlen(g->topology)}, "Mixed");
    const xdmf_type *type = type_of(g->topology, 0);
    double *numbers = NULL;
    if (!mixed && !type)
        return snag__io_fail(x->source->error, SNAG_ERROR_UNSUPPORTED,
                             "%s: a topology of type \"%s\" is not supported; save it as VTU", snag__path_shown(x->source->name),
                             g->topology);
    size_t nodes = mixed ? 1 : type->nodes ? type->nodes : g->nodes_per_element ? (size_t)g->nodes_per_element : 1;
    snag_status status = read_numbers(x, &g->connectivity, &numbers);
    size_t count = (size_t)g->connectivity.count;
    if (status == SNAG_OK && count % nodes)
        status = fail(x, SNAG_ERROR_FORMAT, "its cells are cut off");
    if (status == SNAG_OK && mixed)
        status = add_mixed(x, numbers, count, first, vertex_count);
    for (size_t i = 0; i < count / nodes && status == SNAG_OK && !mixed; i++)
        status = add_cell(x, type, numbers + i * nodes, nodes, first, vertex_count);
    free_numbers(x, &g->connectivity, numbers);
    return status;
}

// ---- grids ----

static snag_status add_grid(xdmf *x, const grid *g, bool named)
{
    double *positions;
    size_t count = 0, first = x->builder->vertex_count;
    snag_status status = named ? snag__builder_object(x->builder, g->name, strlen(g->name)) : SNAG_OK;
    if (status == SNAG_OK && snag__builder_groups_by(x->builder, SNAG_IO_SPLIT_PARTS))
        status = snag__builder_group(x->builder, g->name, strlen(g->name));
    if (status != SNAG_OK)
        return snag__builder_fail(x->source, status);
    status = read_positions(x, g, &positions, &count);
    if (status == SNAG_OK && (status = snag__builder_reserve_vertices(x->builder, count)) != SNAG_OK)
        status = snag__builder_fail(x->source, status);
    for (size_t v = 0; v < count && status == SNAG_OK; v++)
        if ((status = snag__builder_vertex(x->builder, positions[3 * v], positions[3 * v + 1], positions[3 * v + 2])) != SNAG_OK)
            status = snag__builder_fail(x->source, status);
    free(positions);
    return status == SNAG_OK ? read_cells(x, g, first, count) : status;
}

static bool same_item(const data_item *a, const data_item *b)
{
    snag__word x = trimmed(a->text), y = trimmed(b->text);
    return a->count == b->count && x.length == y.length && memcmp(x.at, y.at, x.length) == 0 && a->seek == b->seek;
}

// Whether a step has the cells of the mesh: none of its own, the same ones, or as many with the same numbers.
static snag_status check_topology(xdmf *x, const grid *mesh, const grid *g)
{
    if (!g->connectivity.there || same_item(&g->connectivity, &mesh->connectivity))
        return SNAG_OK;
    double *ours = NULL, *theirs = NULL;
    bool same = g->connectivity.count == mesh->connectivity.count && strcmp(g->topology, mesh->topology) == 0;
    snag_status status = same ? read_numbers(x, &mesh->connectivity, &ours) : SNAG_OK;
    if (status == SNAG_OK && same)
        status = read_numbers(x, &g->connectivity, &theirs);
    if (status == SNAG_OK && same)
        same = memcmp(ours, theirs, (size_t)g->connectivity.count * sizeof *ours) == 0;
    free_numbers(x, &mesh->connectivity, ours);
    free_numbers(x, &g->connectivity, theirs);
    if (status == SNAG_OK && !same)
        status = fail(x, SNAG_ERROR_UNSUPPORTED, "its cells change from step to step; save it as a sequence of VTU files (PVD)");
    return status;
}

// Positions of one time step: its own geometry or that of the mesh, and its displacement.
static snag_status read_frame(xdmf *x, const grid *g, size_t vertex_count, double *xyz)
{
    memcpy(xyz, x->builder->positions, 3 * vertex_count * sizeof *xyz);
    snag_status status = SNAG_OK;
    if (g->position_items > 0) {
        double *positions;
        size_t count = 0;
        status = read_positions(x, g, &positions, &count);
        if (status == SNAG_OK && count != vertex_count)
            status = fail(x, SNAG_ERROR_UNSUPPORTED,
                          "its number of vertices changes from step to step; save it as a sequence of VTU files (PVD)");
        if (status == SNAG_OK)
            // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the status says that it is there
            memcpy(xyz, positions, 3 * vertex_count * sizeof *xyz);
        free(positions);
    }
    if (status != SNAG_OK || !g->displacement.there)
        return status;
    double *moved = NULL;
    size_t axes = vertex_count ? (size_t)(g->displacement.count / vertex_count) : 0;
    if (g->displacement.count % (vertex_count ? vertex_count : 1) || axes < 2 || axes > 3)
        return fail(x, SNAG_ERROR_FORMAT, "the displacement does not have two or three numbers for each vertex");
    status = read_numbers(x, &g->displacement, &moved);
    for (size_t v = 0; v < vertex_count && status == SNAG_OK; v++)
        for (size_t k = 0; k < axes; k++)
            // NOLINTNEXTLINE(clang-analyzer-core.NullDereference,clang-analyzer-core.uninitialized.Assign): the status says that it is there
            xyz[3 * v + k] += moved[axes * v + k];
    free_numbers(x, &g->displacement, moved);
    return status;
}

// The steps of a temporal collection. A grid before them that only defines the mesh has no time.
static snag_status read_frames(xdmf *x, const grid *mesh, snag__frames *frames)
{
    size_t count = 0, first = x->grid_count;
    for (size_t i = 0; i < x->grid_count; i++)
        if (x->grids[i].has_time) {
            count++;
            first = i < first ? i : first;
        }
    if (count < 2)
        return SNAG_OK;
    size_t vertex_count = x->builder->vertex_count, frame = 0;
    snag_status status = snag__frames_make(x->source, count, vertex_count, frames);
    for (size_t i = first; i < x->grid_count && status == SNAG_OK; i++) {
        if (!x->grids[i].has_time)
            continue;
        status = check_topology(x, mesh, &x->grids[i]);
        if (status == SNAG_OK)
            status = snag__frames_set_time(x->source, frames, frame, x->grids[i].time);
        if (status == SNAG_OK)
            status = read_frame(x, &x->grids[i], vertex_count, frames->positions + 3 * vertex_count * frame);
        if (status == SNAG_OK)
            status = snag__reading_goes_on(x->source);
        frame++;
    }
    return status == SNAG_OK ? snag__frames_check(x->source, frames) : status;
}

snag_status snag__read_xdmf(const snag__source *source, bool beside, snag__builder *builder, snag__frames *frames)
{
    xdmf x = {.source = source, .beside = beside, .builder = builder};
    const grid *mesh = NULL;
    size_t meshes = 0;
    snag_status status = scan(&x);
    for (size_t i = 0; i < x.grid_count && status == SNAG_OK; i++)
        if (x.grids[i].connectivity.there && x.grids[i].position_items) {
            mesh = mesh ? mesh : &x.grids[i];
            meshes++;
        }
    if (status == SNAG_OK && !mesh)
        status = fail(&x, SNAG_ERROR_UNSUPPORTED,
                      "has no grid with cells and positions; structured grids are not supported: save it as VTU");
    for (size_t i = 0; i < x.grid_count && status == SNAG_OK; i++)
        if (&x.grids[i] == mesh || (!x.temporal && x.grids[i].connectivity.there && x.grids[i].position_items))
            status = add_grid(&x, &x.grids[i], !x.temporal && meshes > 1);
    if (status == SNAG_OK && x.temporal && frames)
        status = read_frames(&x, mesh, frames);
    if (status == SNAG_OK && builder->tet_count && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    free(x.grids);
    return status;
}
