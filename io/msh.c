// Gmsh MSH, versions 2 to 2.2 and 4.1, text and binary of either byte order.
//
// Node tags may be sparse and in any order; vertices are numbered as nodes appear in the file. Tetrahedra, hexahedra,
// prisms and pyramids form a volume; elements of higher order are reduced to their corners. Triangles and quadrangles form
// a surface. Beside a volume they only repeat its boundary, which we derive ourselves, so they are dropped and counted as
// skipped (beside.c).
#include "bytes.h"
#include "cells.h"
#include "groups.h"
#include "msh_types.h"
#include "text.h"

#include <stdlib.h>

// Node tags and their vertices.
typedef struct tag_entry {
    uint64_t tag;
    uint32_t vertex;
} tag_entry;

// The name of a physical group, or the physical group of an entity (version 4).
typedef struct msh_group {
    int64_t dimension, tag;
    snag__word name;
    int64_t physical;
} msh_group;

typedef struct group_list {
    msh_group *items;
    size_t count, capacity;
} group_list;

typedef struct msh {
    snag__text text;
    snag__builder *builder;
    bool v4;
    bool big;  // byte order of a binary file
    size_t size_bytes;  // size of a count or tag in a binary file
    bool in_line;  // text: the next numbers must be on this line
    bool saw_nodes, saw_elements;

    uint64_t *tags;  // tag of each vertex
    size_t tag_count, tag_capacity;
    // Tag lookup, cheapest first: consecutive tags need no table, dense tags use a table of vertices, sparse tags a sorted list.
    uint64_t lowest, highest;
    uint32_t *table;
    tag_entry *sorted;

    // Used when groups become bodies.
    bool grouped;
    bool by_entity;  // else by physical group
    group_list names, entities;
    int64_t dimension, group;  // of the last element
} msh;

// ---- messages ----

static snag_status fail_memory(const msh *m)
{
    return snag__builder_fail(m->text.source, SNAG_ERROR_MEMORY);
}

static size_t bytes_left(const msh *m)
{
    return (size_t)(m->text.end - m->text.at);
}

// ---- numbers, text or binary ----

static snag_status take(msh *m, size_t size, const char *what, const char **at)
{
    *at = m->text.at;
    if (bytes_left(m) < size)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "the file ends before %s", what);
    m->text.at += size;
    return SNAG_OK;
}

static snag_status text_integer(msh *m, const char *what, int64_t *value)
{
    if (m->in_line && !snag__text_more_in_line(&m->text))
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "the line ends before %s", what);
    return snag__text_integer(&m->text, what, value);
}

static snag_status get_int(msh *m, const char *what, int64_t *value)
{
    if (!m->text.binary)
        return text_integer(m, what, value);
    const char *at;
    snag_status status = take(m, 4, what, &at);
    if (status == SNAG_OK)
        *value = snag__bytes_i32(at, m->big);
    return status;
}

// Reads a number that is not negative: a count or a tag.
static snag_status get_size(msh *m, const char *what, uint64_t *value)
{
    const char *at = m->text.at;
    int64_t number = 0;
    snag_status status = SNAG_OK;
    if (!m->text.binary) {
        status = text_integer(m, what, &number);
    } else {
        status = take(m, m->size_bytes, what, &at);
        if (status == SNAG_OK && !m->v4)
            number = snag__bytes_i32(at, m->big);
        else if (status == SNAG_OK)
            number = (int64_t)snag__bytes_unsigned(at, m->size_bytes, m->big);
    }
    if (status == SNAG_OK && number < 0)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "%s is negative or far too large", what);
    *value = (uint64_t)number;
    return status;
}

// Reads a count of items that need at least `bytes` bytes of the file each.
static snag_status get_count(msh *m, const char *what, size_t bytes, uint64_t *value)
{
    snag_status status = get_size(m, what, value);
    if (status == SNAG_OK && *value > bytes_left(m) / bytes)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_SIZE,
                               "%s is %llu, but the rest of the file has room for %zu at most", what, (unsigned long long)*value,
                               bytes_left(m) / bytes);
    return status;
}

static snag_status get_double(msh *m, const char *what, double *value)
{
    if (!m->text.binary)
        return snag__text_double(&m->text, what, value);
    const char *at;
    snag_status status = take(m, 8, what, &at);
    if (status == SNAG_OK)
        *value = snag__bytes_f64(at, m->big);
    return status;
}

// ---- nodes ----

static snag_status add_tag(msh *m, uint64_t tag)
{
    if (m->tag_count == m->tag_capacity) {
        size_t capacity = m->tag_capacity ? 2 * m->tag_capacity : 1024;
        uint64_t *tags = capacity <= SIZE_MAX / sizeof *tags ? realloc(m->tags, capacity * sizeof *tags) : NULL;
        if (!tags)
            return fail_memory(m);
        m->tags = tags;
        m->tag_capacity = capacity;
    }
    m->tags[m->tag_count++] = tag;
    return SNAG_OK;
}

static snag_status read_position(msh *m, uint64_t tag)
{
    static const char *what[3] = {"x of a node", "y of a node", "z of a node"};
    double xyz[3];
    for (int axis = 0; axis < 3; axis++) {
        snag_status status = get_double(m, what[axis], &xyz[axis]);
        if (status != SNAG_OK)
            return status;
        if (xyz[axis] - xyz[axis] != 0)  // NaN or infinite
            return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_NOT_FINITE, "node %llu is not finite", (unsigned long long)tag);
    }
    snag_status status = snag__builder_vertex(m->builder, xyz[0], xyz[1], xyz[2]);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->text.source, status);
}

static snag_status reserve_vertices(msh *m, uint64_t count)
{
    snag_status status = snag__builder_reserve_vertices(m->builder, (size_t)count);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->text.source, status);
}

// A node takes at least one byte for each of its four numbers and for each separator.
enum { NODE_BYTES = 8 };

static snag_status read_nodes_v2(msh *m, uint64_t count)
{
    snag_status status = reserve_vertices(m, count);
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        uint64_t tag = 0;
        status = get_size(m, "the number of a node", &tag);
        if (status == SNAG_OK)
            status = add_tag(m, tag);
        if (status == SNAG_OK)
            status = read_position(m, tag);
    }
    return status;
}

// Nodes of one entity: all tags, then all positions, with parametric coordinates if the entity has them.
static snag_status read_node_block(msh *m, uint64_t most, uint64_t *count)
{
    int64_t dimension = 0, tag = 0, parametric = 0;
    snag_status status = get_int(m, "the dimension of an entity", &dimension);
    if (status == SNAG_OK)
        status = get_int(m, "the tag of an entity", &tag);
    if (status == SNAG_OK)
        status = get_int(m, "whether nodes are parametric", &parametric);
    if (status == SNAG_OK)
        status = get_count(m, "the number of nodes of an entity", NODE_BYTES, count);
    if (status != SNAG_OK)
        return status;
    if (dimension < 0 || dimension > 3 || *count > most)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT,
                               "an entity of dimension %lld with %llu nodes, where at most %llu nodes are left",
                               (long long)dimension, (unsigned long long)*count, (unsigned long long)most);
    size_t first = m->tag_count;
    for (uint64_t i = 0; i < *count && status == SNAG_OK; i++) {
        uint64_t node = 0;
        status = get_size(m, "the tag of a node", &node);
        if (status == SNAG_OK)
            status = add_tag(m, node);
    }
    for (uint64_t i = 0; i < *count && status == SNAG_OK; i++) {
        status = read_position(m, m->tags[first + i]);
        for (int64_t extra = parametric ? dimension : 0; extra > 0 && status == SNAG_OK; extra--) {
            double parameter;
            status = get_double(m, "a parameter of a node", &parameter);
        }
    }
    return status;
}

// The counts at the start of $Nodes and $Elements in version 4.
static snag_status read_block_counts(msh *m, size_t bytes, uint64_t *blocks, uint64_t *count)
{
    uint64_t lowest, highest;
    snag_status status = get_count(m, "the number of entities", NODE_BYTES, blocks);
    if (status == SNAG_OK)
        status = get_count(m, "the number of nodes or elements", bytes, count);
    if (status == SNAG_OK)
        status = get_size(m, "the lowest tag", &lowest);
    if (status == SNAG_OK)
        status = get_size(m, "the highest tag", &highest);
    return status;
}

static snag_status read_nodes_v4(msh *m)
{
    uint64_t blocks = 0, left = 0;
    snag_status status = read_block_counts(m, NODE_BYTES, &blocks, &left);
    if (status == SNAG_OK)
        status = reserve_vertices(m, left);
    for (uint64_t i = 0; i < blocks && status == SNAG_OK; i++) {
        uint64_t count = 0;
        status = read_node_block(m, left, &count);
        left -= count;
    }
    if (status == SNAG_OK && left > 0)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "the entities have %llu fewer nodes than $Nodes promises",
                               (unsigned long long)left);
    return status;
}

// ---- tag lookup ----

static int compare_tags(const void *a, const void *b)
{
    const tag_entry *left = a, *right = b;
    if (left->tag != right->tag)
        return left->tag < right->tag ? -1 : 1;
    return (left->vertex > right->vertex) - (left->vertex < right->vertex);
}

static snag_status fail_twice(const msh *m, uint64_t tag)
{
    return snag__io_fail(m->text.source->error, SNAG_ERROR_FORMAT, "%s: node %llu is defined twice",
                         snag__path_shown(m->text.source->name), (unsigned long long)tag);
}

static snag_status make_table(msh *m, size_t size)
{
    m->table = malloc(size * sizeof *m->table);
    if (!m->table)
        return fail_memory(m);
    memset(m->table, 0xff, size * sizeof *m->table);
    for (size_t v = 0; v < m->tag_count; v++) {
        uint32_t *vertex = &m->table[m->tags[v] - m->lowest];
        if (*vertex != UINT32_MAX)
            return fail_twice(m, m->tags[v]);
        *vertex = (uint32_t)v;
    }
    return SNAG_OK;
}

static snag_status make_sorted(msh *m)
{
    m->sorted = malloc(m->tag_count * sizeof *m->sorted);
    if (!m->sorted)
        return fail_memory(m);
    for (size_t v = 0; v < m->tag_count; v++)
        m->sorted[v] = (tag_entry){m->tags[v], (uint32_t)v};
    qsort(m->sorted, m->tag_count, sizeof *m->sorted, compare_tags);
    for (size_t v = 1; v < m->tag_count; v++)
        if (m->sorted[v].tag == m->sorted[v - 1].tag)
            return fail_twice(m, m->sorted[v].tag);
    return SNAG_OK;
}

static snag_status prepare_lookup(msh *m)
{
    bool consecutive = true;
    m->lowest = m->highest = m->tag_count ? m->tags[0] : 0;
    for (size_t v = 0; v < m->tag_count; v++) {
        uint64_t tag = m->tags[v];
        consecutive &= tag - m->tags[0] == v;
        m->lowest = tag < m->lowest ? tag : m->lowest;
        m->highest = tag > m->highest ? tag : m->highest;
    }
    if (consecutive)
        return SNAG_OK;
    // Up to four times as long as the list, a table takes no more memory than the list.
    uint64_t range = m->highest - m->lowest;
    return range / 4 < m->tag_count ? make_table(m, (size_t)range + 1) : make_sorted(m);
}

// UINT32_MAX: no node has this tag.
static uint32_t find_vertex(const msh *m, uint64_t tag)
{
    if (m->tag_count == 0 || tag < m->lowest || tag > m->highest)
        return UINT32_MAX;
    if (m->table)
        return m->table[tag - m->lowest];
    if (!m->sorted)
        return (uint32_t)(tag - m->lowest);
    size_t low = 0, high = m->tag_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (m->sorted[middle].tag <= tag)
            low = middle;
        else
            high = middle;
    }
    return m->sorted[low].tag == tag ? m->sorted[low].vertex : UINT32_MAX;
}

// ---- groups ----

static snag_status add_group(msh *m, group_list *list, msh_group group)
{
    if (list->count == list->capacity) {
        size_t larger = 2 * list->capacity + 16;
        snag_status status = snag__claim_bytes(m->text.source, (larger - list->capacity) * sizeof group);
        msh_group *items = status == SNAG_OK ? realloc(list->items, larger * sizeof *items) : NULL;
        if (!items)
            return status == SNAG_OK ? fail_memory(m) : status;
        list->items = items;
        list->capacity = larger;
    }
    list->items[list->count++] = group;
    return SNAG_OK;
}

static int compare_groups(const void *a, const void *b)
{
    const msh_group *x = a, *y = b;
    if (x->dimension != y->dimension)
        return x->dimension < y->dimension ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static const msh_group *find_group(const group_list *list, int64_t dimension, int64_t tag)
{
    const msh_group wanted = {.dimension = dimension, .tag = tag};
    return list->count ? bsearch(&wanted, list->items, list->count, sizeof wanted, compare_groups) : NULL;
}

// Call before adding an element of a group, or of an entity whose group must be looked up.
static snag_status begin_group(msh *m, int64_t dimension, int64_t physical, int64_t entity)
{
    if (!m->grouped)
        return SNAG_OK;
    int64_t tag = m->by_entity ? entity : physical;
    if (dimension == m->dimension && tag == m->group)
        return SNAG_OK;
    m->dimension = dimension;
    m->group = tag;
    char text[48];
    int length = tag ? snprintf(text, sizeof text, m->by_entity ? "entity %lld" : "physical %lld", (long long)tag) : 0;
    const msh_group *named = m->by_entity ? NULL : find_group(&m->names, dimension, tag);
    snag_status status = named && named->name.length ? snag__builder_group(m->builder, named->name.at, named->name.length)
                                                     : snag__builder_group(m->builder, text, (size_t)length);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->text.source, status);
}

// Lines with dimension, tag and quoted name; text even in binary files.
static snag_status read_names(msh *m)
{
    uint64_t count = 0;
    bool binary = m->text.binary;
    m->text.binary = false;
    snag_status status = snag__text_count(&m->text, "the number of physical names", bytes_left(m) / 4, &count);
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        msh_group group = {0};
        status = snag__text_integer(&m->text, "the dimension of a group", &group.dimension);
        if (status == SNAG_OK)
            status = snag__text_integer(&m->text, "the tag of a group", &group.tag);
        if (status != SNAG_OK)
            break;
        group.name = snag__text_rest_of_line(&m->text);
        if (group.name.length >= 2 && group.name.at[0] == '"' && group.name.at[group.name.length - 1] == '"')
            group.name = (snag__word){group.name.at + 1, group.name.length - 2};
        status = add_group(m, &m->names, group);
    }
    m->text.binary = binary;
    if (status == SNAG_OK && m->names.count)
        qsort(m->names.items, m->names.count, sizeof *m->names.items, compare_groups);
    return status;
}

// An entity of version 4: tag, bounding box (or position of a point), physical groups, bounding entities.
static snag_status read_entity(msh *m, int64_t dimension)
{
    msh_group group = {.dimension = dimension};
    uint64_t physicals = 0, bounds = 0;
    double coordinate;
    int64_t tag = 0;
    snag_status status = get_int(m, "the tag of an entity", &group.tag);
    for (int i = 0; i < (dimension ? 6 : 3) && status == SNAG_OK; i++)
        status = get_double(m, "the box of an entity", &coordinate);
    if (status == SNAG_OK)
        status = get_count(m, "the number of groups of an entity", 1, &physicals);
    for (uint64_t i = 0; i < physicals && status == SNAG_OK; i++) {
        status = get_int(m, "the group of an entity", &tag);
        if (i == 0)
            group.physical = tag < 0 ? -tag : tag;
    }
    if (status == SNAG_OK && dimension)
        status = get_count(m, "the number of bounds of an entity", 1, &bounds);
    for (uint64_t i = 0; i < bounds && status == SNAG_OK; i++)
        status = get_int(m, "a bound of an entity", &tag);
    return status == SNAG_OK ? add_group(m, &m->entities, group) : status;
}

static snag_status read_entities(msh *m)
{
    uint64_t counts[4] = {0};
    snag_status status = SNAG_OK;
    for (int d = 0; d < 4 && status == SNAG_OK; d++)
        status = get_count(m, "the number of entities", 1, &counts[d]);
    for (int d = 0; d < 4; d++)
        for (uint64_t i = 0; i < counts[d] && status == SNAG_OK; i++)
            status = read_entity(m, d);
    if (status == SNAG_OK && m->entities.count)
        qsort(m->entities.items, m->entities.count, sizeof *m->entities.items, compare_groups);
    return status;
}

// ---- elements ----

// Reads the nodes of an element that we use.
static snag_status read_wanted(msh *m, int64_t type, uint64_t element)
{
    uint32_t vertices[SNAG__MOST_NODES];
    size_t count = snag__msh_nodes_of_type(type);
    for (size_t i = 0; i < count; i++) {
        uint64_t tag = 0;
        if (!m->text.binary)
            snag__text_more_in_line(&m->text);
        const char *at = m->text.at;
        snag_status status = get_size(m, "a node of an element", &tag);
        if (status != SNAG_OK)
            return status;
        uint32_t vertex = find_vertex(m, tag);
        if (vertex == UINT32_MAX)
            return snag__text_fail(&m->text, at, SNAG_ERROR_INDEX, "element %llu names node %llu, which does not exist",
                                   (unsigned long long)element, (unsigned long long)tag);
        if (i < SNAG__MOST_NODES)
            vertices[i] = vertex;
    }
    snag_status status = snag__builder_cell(m->builder, snag__msh_kind_of_type(type), SNAG__ORDER_GMSH, vertices, count);
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(m->text.source, status);
}

// Reads the nodes of an element; ignores the rest of a text line.
static snag_status read_element_nodes(msh *m, int64_t type, uint64_t element)
{
    snag_status status = SNAG_OK;
    if (snag__cell_corners(snag__msh_kind_of_type(type)) > 0) {
        status = read_wanted(m, type, element);
    } else {
        snag__builder_skip(m->builder, 1, snag__msh_kind_of_type(type) != SNAG__CELL_NO_AREA);
        if (m->text.binary) {
            const char *at;
            status = take(m, snag__msh_nodes_of_type(type) * m->size_bytes, "the nodes of an element", &at);
        }
    }
    if (!m->text.binary)
        snag__text_skip_line(&m->text);
    return status;
}

static snag_status fail_type(const msh *m, int64_t type)
{
    return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_UNSUPPORTED, "unknown element type %lld, so its size is unknown too",
                           (long long)type);
}

// One line: number, type, number of tags, tags, nodes.
static snag_status read_elements_v2_text(msh *m, uint64_t count)
{
    snag_status status = SNAG_OK;
    for (uint64_t i = 0; i < count && status == SNAG_OK; i++) {
        int64_t type = 0, tags = 0, tag = 0;
        uint64_t element = 0;
        if (!snag__text_more(&m->text))
            return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "the file ends before element %llu of %llu",
                                   (unsigned long long)i + 1, (unsigned long long)count);
        status = get_size(m, "the number of an element", &element);
        if (status == SNAG_OK)
            status = get_int(m, "the type of an element", &type);
        if (status == SNAG_OK)
            status = get_int(m, "the number of tags of an element", &tags);
        if (status == SNAG_OK && type <= 0)
            return fail_type(m, type);
        int64_t groups[2] = {0, 0};
        for (int64_t t = 0; t < tags && status == SNAG_OK; t++) {
            status = get_int(m, "a tag of an element", &tag);
            if (t < 2)
                groups[t] = tag;
        }
        if (status == SNAG_OK)
            status = begin_group(m, snag__msh_dimension_of_type(type), groups[0], groups[1]);
        if (status == SNAG_OK)
            status = read_element_nodes(m, type, element);
    }
    return status;
}

// Blocks of elements of one type, each with a header: type, count, number of tags.
static snag_status read_elements_v2_binary(msh *m, uint64_t count)
{
    snag_status status = SNAG_OK;
    while (count > 0 && status == SNAG_OK) {
        int64_t type = 0, follow = 0, tags = 0;
        status = get_int(m, "the type of elements", &type);
        if (status == SNAG_OK)
            status = get_int(m, "the number of elements that follow", &follow);
        if (status == SNAG_OK)
            status = get_int(m, "the number of tags of an element", &tags);
        if (status != SNAG_OK)
            return status;
        size_t nodes = snag__msh_nodes_of_type(type);
        if (nodes == 0)
            return fail_type(m, type);
        if (follow <= 0 || (uint64_t)follow > count || tags < 0)
            return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT,
                                   "a run of %lld elements with %lld tags, where %llu are left", (long long)follow, (long long)tags,
                                   (unsigned long long)count);
        count -= (uint64_t)follow;
        for (; follow > 0 && status == SNAG_OK; follow--) {
            uint64_t element = 0;
            const char *at;
            status = get_size(m, "the number of an element", &element);
            if (status == SNAG_OK)
                status = take(m, (size_t)tags * 4, "the tags of an element", &at);
            if (status == SNAG_OK)
                status = begin_group(m, snag__msh_dimension_of_type(type), tags > 0 ? snag__bytes_i32(at, m->big) : 0,
                                     tags > 1 ? snag__bytes_i32(at + 4, m->big) : 0);
            if (status == SNAG_OK)
                status = read_element_nodes(m, type, element);
        }
    }
    return status;
}

static snag_status read_element_block(msh *m, uint64_t most, uint64_t *count)
{
    int64_t dimension = 0, tag = 0, type = 0;
    snag_status status = get_int(m, "the dimension of an entity", &dimension);
    if (status == SNAG_OK)
        status = get_int(m, "the tag of an entity", &tag);
    if (status == SNAG_OK)
        status = get_int(m, "the type of elements", &type);
    if (status == SNAG_OK)
        status = get_count(m, "the number of elements of an entity", 4, count);
    if (status != SNAG_OK)
        return status;
    if (type <= 0 || (m->text.binary && snag__msh_nodes_of_type(type) == 0))
        return fail_type(m, type);
    if (*count > most)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "an entity with %llu elements, where %llu are left",
                               (unsigned long long)*count, (unsigned long long)most);
    const msh_group *entity = find_group(&m->entities, dimension, tag);
    status = begin_group(m, dimension, entity ? entity->physical : 0, tag);
    for (uint64_t i = 0; i < *count && status == SNAG_OK; i++) {
        uint64_t element = 0;
        if (!m->text.binary && !snag__text_more(&m->text))
            return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "the file ends before element %llu of %llu",
                                   (unsigned long long)i + 1, (unsigned long long)*count);
        m->in_line = true;
        status = get_size(m, "the tag of an element", &element);
        if (status == SNAG_OK)
            status = read_element_nodes(m, type, element);
        m->in_line = false;
    }
    return status;
}

static snag_status read_elements_v4(msh *m)
{
    uint64_t blocks = 0, left = 0;
    snag_status status = read_block_counts(m, 4, &blocks, &left);
    for (uint64_t i = 0; i < blocks && status == SNAG_OK; i++) {
        uint64_t count = 0;
        status = read_element_block(m, left, &count);
        left -= count;
    }
    if (status == SNAG_OK && left > 0)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT,
                               "the entities have %llu fewer elements than $Elements promises", (unsigned long long)left);
    return status;
}

// ---- sections ----

// Whether `$End` and the name of the section are at `at`.
static bool is_end_of(const msh *m, const char *at, snag__word section)
{
    size_t length = section.length + 3;
    if ((size_t)(m->text.end - at) < length || memcmp(at, "$End", 4) != 0 ||
        memcmp(at + 4, section.at + 1, section.length - 1) != 0)
        return false;
    return at + length == m->text.end || snag__is_space(at[length]);
}

static snag_status expect_end_of(msh *m, snag__word section)
{
    snag__word word = snag__text_word(&m->text);
    if (is_end_of(m, word.at, section))
        return SNAG_OK;
    return snag__text_fail(&m->text, word.at, SNAG_ERROR_FORMAT, "expected $End%.*s, found %s", (int)section.length - 1,
                           section.at + 1, snag__text_show(&m->text, word.at).text);
}

// Skips a section. A binary section may contain any bytes, so only search for its end.
static snag_status skip_section(msh *m, snag__word section)
{
    const char *begin = m->text.at, *at = begin;
    while ((at = memchr(at, '$', (size_t)(m->text.end - at))) != NULL) {
        if (is_end_of(m, at, section)) {
            m->text.at = at + section.length + 3;
            return SNAG_OK;
        }
        at++;
    }
    return snag__text_fail(&m->text, begin, SNAG_ERROR_FORMAT, "the section %.*s does not end", (int)section.length, section.at);
}

// In version 2 the count of a section is text even in a binary file.
static snag_status read_text_count(msh *m, const char *what, size_t bytes, uint64_t *count)
{
    snag_status status = snag__text_count(&m->text, what, bytes_left(m) / bytes, count);
    if (status == SNAG_OK && m->text.binary)
        snag__text_skip_line(&m->text);
    return status;
}

static snag_status read_nodes(msh *m)
{
    if (m->saw_nodes)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "there is a second section $Nodes");
    m->saw_nodes = true;
    if (m->v4)
        return read_nodes_v4(m);
    uint64_t count = 0;
    snag_status status = read_text_count(m, "the number of nodes", NODE_BYTES, &count);
    return status == SNAG_OK ? read_nodes_v2(m, count) : status;
}

static snag_status read_elements(msh *m)
{
    if (!m->saw_nodes)
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_FORMAT, "$Elements comes before $Nodes");
    if (!m->saw_elements) {
        snag_status status = prepare_lookup(m);
        if (status != SNAG_OK)
            return status;
    }
    m->saw_elements = true;
    if (m->v4)
        return read_elements_v4(m);
    uint64_t count = 0;
    snag_status status = read_text_count(m, "the number of elements", 4, &count);
    m->in_line = true;
    if (status == SNAG_OK)
        status = m->text.binary ? read_elements_v2_binary(m, count) : read_elements_v2_text(m, count);
    m->in_line = false;
    return status;
}

static snag_status read_version(msh *m)
{
    double version = 0;
    snag__text_more(&m->text);
    const char *at = m->text.at;
    snag_status status = snag__text_double(&m->text, "the version", &version);
    if (status != SNAG_OK)
        return status;
    m->v4 = version == 4.1;
    if (m->v4 || (version >= 2 && version < 3))
        return SNAG_OK;
    return snag__text_fail(&m->text, at, SNAG_ERROR_UNSUPPORTED, "MSH version %g is not supported; 2.2 and 4.1 are", version);
}

// After the format line of a binary file comes an int of value 1, which shows the byte order.
static snag_status read_byte_order(msh *m)
{
    const char *at;
    snag__text_skip_line(&m->text);
    m->text.binary = true;
    snag_status status = take(m, 4, "the byte order mark", &at);
    if (status != SNAG_OK)
        return status;
    m->big = snag__bytes_u32(at, true) == 1;
    if (m->big || snag__bytes_u32(at, false) == 1)
        return SNAG_OK;
    return snag__text_fail(&m->text, at, SNAG_ERROR_FORMAT, "unknown byte order of this binary file: the number 1 is missing");
}

static snag_status read_format(msh *m)
{
    snag__word section = snag__text_word(&m->text);
    if (!snag__word_is(section, "$MeshFormat"))
        return snag__text_fail(&m->text, section.at, SNAG_ERROR_FORMAT,
                               "a Gmsh file of version 2 or later begins with $MeshFormat, found %s",
                               snag__text_show(&m->text, section.at).text);
    int64_t kind = 0, bytes = 0;
    snag_status status = read_version(m);
    if (status == SNAG_OK)
        status = snag__text_integer(&m->text, "the file type", &kind);
    if (status == SNAG_OK)
        status = snag__text_integer(&m->text, "the data size", &bytes);
    if (status != SNAG_OK)
        return status;
    // In version 2 this is the size of a double, in version 4 the size of a count; text files use neither.
    if ((kind != 0 && kind != 1) || (kind == 1 && bytes != 8 && !(m->v4 && bytes == 4)))
        return snag__text_fail(&m->text, m->text.at, SNAG_ERROR_UNSUPPORTED, "unknown file type %lld with data size %lld",
                               (long long)kind, (long long)bytes);
    m->size_bytes = m->v4 ? (size_t)bytes : 4;
    status = kind == 1 ? read_byte_order(m) : SNAG_OK;
    return status == SNAG_OK ? expect_end_of(m, section) : status;
}

static snag_status read_section(msh *m, snag__word section)
{
    bool nodes = snag__word_is(section, "$Nodes"), elements = snag__word_is(section, "$Elements");
    if (section.at[0] != '$' || section.length < 2)
        return snag__text_fail(&m->text, section.at, SNAG_ERROR_FORMAT, "expected a section ($...), found %s",
                               snag__text_show(&m->text, section.at).text);
    bool names = m->grouped && snag__word_is(section, "$PhysicalNames");
    bool entities = m->grouped && m->v4 && snag__word_is(section, "$Entities");
    if (!nodes && !elements && !names && !entities)
        return skip_section(m, section);
    if (m->text.binary)
        snag__text_skip_line(&m->text);
    snag_status status = nodes ? read_nodes(m) : elements ? read_elements(m) : names ? read_names(m) : read_entities(m);
    return status == SNAG_OK ? expect_end_of(m, section) : status;
}

snag_status snag__read_msh(const snag__source *source, snag__builder *builder)
{
    msh m = {.text = snag__text_begin(source, 0), .builder = builder};
    m.by_entity = snag__builder_groups_by(builder, SNAG_IO_SPLIT_PARTS);
    m.grouped = m.by_entity || snag__builder_groups_by(builder, SNAG_IO_SPLIT_GROUPS);
    snag_status status = read_format(&m);
    while (status == SNAG_OK && snag__text_more(&m.text))
        status = read_section(&m, snag__text_word(&m.text));
    // A file that ends between two sections is truncated too.
    if (status == SNAG_OK && !m.saw_elements)
        status = snag__io_fail(source->error, SNAG_ERROR_FORMAT, "%s: the file ends before its section %s",
                               snag__path_shown(source->name), m.saw_nodes ? "$Elements" : "$Nodes");
    if (status == SNAG_OK && builder->tet_count > 0 && snag__builder_drop_polygons(builder) != SNAG_OK)
        status = snag__builder_fail(source, SNAG_ERROR_MEMORY);
    free(m.tags);
    free(m.table);
    free(m.sorted);
    free(m.names.items);
    free(m.entities.items);
    return status;
}
