// glTF 2.0: nodes and meshes. Each node with a mesh becomes a body. The primitives of a mesh differ only in material, so
// they form one surface. Vertices and faces are numbered primitive by primitive, and through all bodies in the order of the
// nodes.
#include "gltf.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 0, LINES = 1, LINE_LOOP = 2, LINE_STRIP = 3, TRIANGLES = 4, TRIANGLE_STRIP = 5, TRIANGLE_FAN = 6 };

// Maximum number of joint sets (four joints each) per vertex; more than any program writes.
enum { MOST_SETS = 8 };

// ---- nodes ----

static snag_status read_node(const snag__gltf *g, uint32_t value, snag__rig_node *node)
{
    static const struct {
        const char *name;
        uint32_t count;
    } parts[] = {{"matrix", 16}, {"translation", 3}, {"rotation", 4}, {"scale", 3}};
    double *const places[] = {node->matrix, node->translation, node->rotation, node->scale};
    *node = (snag__rig_node){.parent = SNAG__RIG_NONE, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint32_t member = snag__json_member(&g->json, value, parts[i].name);
        if (member == SNAG__JSON_NONE)
            continue;
        if (!snag__json_numbers(&g->json, member, places[i], parts[i].count))
            return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "the %s of a node is not %lu finite numbers", parts[i].name,
                                   (unsigned long)parts[i].count);
        node->has_matrix = node->has_matrix || i == 0;
    }
    return SNAG_OK;
}

static snag_status read_nodes(const snag__gltf *g, snag__rig *rig)
{
    rig->nodes = calloc((size_t)g->nodes.count + 1, sizeof *rig->nodes);
    if (!rig->nodes)
        return snag__gltf_fail_memory(g);
    rig->node_count = g->nodes.count;
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        snag_status status = read_node(g, g->nodes.values[i], &rig->nodes[i]);
        if (status != SNAG_OK)
            return status;
    }
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        uint32_t children = snag__json_array(&g->json, g->nodes.values[i], "children");
        uint32_t child = snag__json_first(&g->json, children);
        for (; child != SNAG__JSON_NONE; child = snag__json_after(&g->json, children, child)) {
            uint64_t index;
            if (!snag__json_count(&g->json, child, UINT32_MAX, &index) || index >= g->nodes.count)
                return snag__gltf_fail(g, SNAG_ERROR_INDEX, "node %lu: a child does not exist", (unsigned long)i);
            if (rig->nodes[index].parent != SNAG__RIG_NONE)
                return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "node %llu is a child of two nodes", (unsigned long long)index);
            rig->nodes[index].parent = i;
        }
    }
    return snag__rig_order(rig, g->source);
}

// Marks the visible nodes: those below the roots of the scene, or all nodes if the file has no scene.
static snag_status find_shown(const snag__gltf *g, const snag__rig *rig, bool **shown)
{
    uint32_t scenes = snag__json_array(&g->json, 0, "scenes");
    uint64_t chosen = 0;
    snag__json_count(&g->json, snag__json_member(&g->json, 0, "scene"), UINT32_MAX, &chosen);
    uint32_t scene = snag__json_first(&g->json, scenes);
    for (uint64_t i = 0; i < chosen && scene != SNAG__JSON_NONE; i++)
        scene = snag__json_after(&g->json, scenes, scene);
    *shown = calloc(rig->node_count + 1, sizeof **shown);
    if (!*shown)
        return snag__gltf_fail_memory(g);
    uint32_t roots = snag__json_array(&g->json, scene, "nodes");
    for (uint32_t e = snag__json_first(&g->json, roots); e != SNAG__JSON_NONE; e = snag__json_after(&g->json, roots, e)) {
        uint64_t index;
        if (!snag__json_count(&g->json, e, UINT32_MAX, &index) || index >= rig->node_count)
            return snag__gltf_fail(g, SNAG_ERROR_INDEX, "a node of the scene does not exist");
        (*shown)[index] = true;
    }
    for (size_t i = 0; i < rig->node_count; i++) {
        uint32_t node = rig->order[i], parent = rig->nodes[node].parent;
        (*shown)[node] = (*shown)[node] || scene == SNAG__JSON_NONE || (parent != SNAG__RIG_NONE && (*shown)[parent]);
    }
    return SNAG_OK;
}

// ---- primitives ----

typedef struct primitive {
    uint32_t attributes;
    uint32_t targets;  // SNAG__JSON_NONE: none
    uint32_t indices;
    uint64_t mode;
    uint32_t position;  // the JSON value that names its accessor
    uint64_t named[3];  // accessors of positions, joints and weights; UINT64_MAX: none
    size_t first_vertex;
    size_t vertex_count, index_count;
} primitive;

typedef struct primitives {
    primitive *items;
    uint32_t count;
    uint32_t *table;  // hash table of the primitives with their own vertices, keyed by their accessors; the size is a power of two
    size_t slots;
} primitives;

static uint32_t set_member(const snag__gltf *g, uint32_t attributes, const char *name, unsigned set)
{
    char full[24];
    snprintf(full, sizeof full, "%s_%u", name, set);
    return snag__json_member(&g->json, attributes, full);
}

static size_t triangles_of(const primitive *p)
{
    if (p->mode < TRIANGLES)
        return 0;
    return p->mode == TRIANGLES ? p->index_count / 3 : p->index_count < 3 ? 0 : p->index_count - 2;
}

// Lines and points.
static size_t lines_of(const primitive *p)
{
    if (p->mode == POINTS)
        return p->index_count;
    if (p->mode == LINES)
        return p->index_count / 2;
    if (p->mode > LINE_STRIP || p->index_count < 2)
        return 0;
    return p->mode == LINE_LOOP && p->index_count > 2 ? p->index_count : p->index_count - 1;
}

static snag_status describe_primitive(const snag__gltf *g, uint32_t value, primitive *p)
{
    *p = (primitive){.mode = TRIANGLES};
    p->attributes = snag__json_member(&g->json, value, "attributes");
    p->targets = snag__json_array(&g->json, value, "targets");
    p->indices = snag__json_member(&g->json, value, "indices");
    p->position = snag__json_member(&g->json, p->attributes, "POSITION");
    const uint32_t values[3] = {p->position, set_member(g, p->attributes, "JOINTS", 0), set_member(g, p->attributes, "WEIGHTS", 0)};
    for (int i = 0; i < 3; i++) {
        p->named[i] = UINT64_MAX;
        snag__json_count(&g->json, values[i], UINT32_MAX, &p->named[i]);
    }
    uint32_t mode = snag__json_member(&g->json, value, "mode");
    if (mode != SNAG__JSON_NONE && !snag__json_count(&g->json, mode, TRIANGLE_FAN, &p->mode))
        return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "a primitive has an unknown mode");
    if (p->position == SNAG__JSON_NONE)
        return SNAG_OK;
    snag__gltf_accessor accessor;
    snag_status status = snag__gltf_open_accessor(g, p->position, 3, &accessor);
    if (status != SNAG_OK)
        return status;
    p->vertex_count = p->index_count = accessor.count;
    if (p->indices == SNAG__JSON_NONE)
        return SNAG_OK;
    status = snag__gltf_open_accessor(g, p->indices, 1, &accessor);
    p->index_count = accessor.count;
    return status;
}

static snag_status begin_list(const snag__gltf *g, size_t count, primitives *list)
{
    list->slots = 16;
    while (list->slots < 2 * count)
        list->slots *= 2;
    // Never released: a mesh is listed again for every node that shows it.
    snag_status status = snag__claim_bytes(g->source, count * sizeof *list->items + list->slots * sizeof *list->table);
    if (status == SNAG_OK)
        status = snag__reading_goes_on(g->source);
    if (status != SNAG_OK)
        return status;
    list->items = calloc(count + 1, sizeof *list->items);
    list->table = malloc(list->slots * sizeof *list->table);
    if (!list->items || !list->table)
        return snag__gltf_fail_memory(g);
    memset(list->table, 0xff, list->slots * sizeof *list->table);
    return SNAG_OK;
}

// Primitives with the same accessors share vertices. Returns the first such primitive, or `p` if it is the first.
static const primitive *first_with_vertices(primitives *list, const primitive *p)
{
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++)
        hash = (hash ^ p->named[i]) * 0x9E3779B97F4A7C15u;
    size_t slot = (size_t)(hash >> 32) & (list->slots - 1);
    while (list->table[slot] != UINT32_MAX && memcmp(list->items[list->table[slot]].named, p->named, sizeof p->named) != 0)
        slot = (slot + 1) & (list->slots - 1);
    if (list->table[slot] == UINT32_MAX)
        list->table[slot] = list->count;
    return &list->items[list->table[slot]];
}

// Lists the primitives of a mesh. Counts those without positions as skipped.
static snag_status list_primitives(const snag__gltf *g, uint32_t mesh, snag__rig *rig, snag__rig_body *body, primitives *list)
{
    uint32_t array = snag__json_array(&g->json, mesh, "primitives");
    snag_status status = begin_list(g, snag__json_size(&g->json, array), list);
    if (status != SNAG_OK)
        return status;
    for (uint32_t e = snag__json_first(&g->json, array); e != SNAG__JSON_NONE; e = snag__json_after(&g->json, array, e)) {
        primitive *p = &list->items[list->count];
        status = describe_primitive(g, e, p);
        if (status != SNAG_OK)
            return status;
        if (p->position == SNAG__JSON_NONE) {
            rig->skipped += p->index_count;
            continue;
        }
        const primitive *first = first_with_vertices(list, p);
        p->first_vertex = first == p ? body->vertex_count : first->first_vertex;
        if (first == p)
            body->vertex_count += p->vertex_count;
        else
            p->vertex_count = 0;  // already listed
        body->polygon_count += triangles_of(p);
        body->edge_count += lines_of(p);
        if (body->vertex_count > SNAG__MOST_VERTICES || body->polygon_count > SNAG__MOST_VERTICES ||
            body->edge_count > SNAG__MOST_VERTICES)
            return snag__builder_fail(g->source, SNAG_ERROR_SIZE);
        uint32_t targets = snag__json_size(&g->json, p->targets);
        body->target_count = targets > body->target_count ? targets : body->target_count;
        for (unsigned set = 0; set < MOST_SETS && body->skin != SNAG__RIG_NONE; set++)
            if (set_member(g, p->attributes, "JOINTS", set) != SNAG__JSON_NONE && body->influence_count < 4 * ((size_t)set + 1))
                body->influence_count = 4 * ((size_t)set + 1);
        list->count++;
    }
    return SNAG_OK;
}

// ---- filling a body ----

// Memory of a body, including the part added by snag__rig_finish: at most 64 bytes per vertex and 16 per face.
static snag_status claim(const snag__gltf *g, const snag__rig_body *body)
{
    enum { VERTEX = 24 + 64, FACE = 12 + 16, LINE = 8 + 24, TARGET = 24, INFLUENCE = 12 };
    uint64_t n = body->vertex_count, each = VERTEX + (uint64_t)INFLUENCE * body->influence_count;
    if (body->target_count > UINT32_MAX)
        return snag__builder_fail(g->source, SNAG_ERROR_SIZE);
    snag_status status =
        snag__claim_bytes(g->source, n * each + FACE * (uint64_t)body->polygon_count + LINE * (uint64_t)body->edge_count);
    // Claims the product of two 32-bit numbers, in parts that fit 64 bits.
    for (int i = 0; i < TARGET && status == SNAG_OK; i++)
        status = snag__claim_bytes(g->source, n * body->target_count);
    return status;
}

static bool allocate(snag__rig_body *body)
{
    size_t n = body->vertex_count;
    body->positions = calloc(3 * n + 1, sizeof *body->positions);
    body->corners = calloc(3 * body->polygon_count + 1, sizeof *body->corners);
    body->edges = calloc(2 * body->edge_count + 1, sizeof *body->edges);
    if (body->target_count && n > SIZE_MAX / 64 / body->target_count)
        return false;
    if (body->target_count)
        body->targets = calloc(3 * n * body->target_count + 1, sizeof *body->targets);
    if (body->influence_count) {
        body->joints = calloc(n * body->influence_count + 1, sizeof *body->joints);
        body->weights = calloc(n * body->influence_count + 1, sizeof *body->weights);
    }
    return body->positions && body->corners && body->edges && (!body->target_count || body->targets) &&
           (!body->influence_count || (body->joints && body->weights));
}

// Reads an accessor with one element per vertex of a primitive into `numbers`.
static snag_status read_attribute(const snag__gltf *g, const primitive *p, uint32_t value, uint32_t width, double *numbers,
                                  size_t stride)
{
    snag__gltf_accessor accessor;
    snag_status status = snag__gltf_open_accessor(g, value, width, &accessor);
    if (status != SNAG_OK)
        return status;
    if (accessor.count != p->vertex_count)
        return snag__gltf_fail(g, SNAG_ERROR_FORMAT, "an attribute has %zu elements, but there are %zu vertices", accessor.count,
                               p->vertex_count);
    snag__gltf_read(&accessor, numbers, stride);
    return SNAG_OK;
}

static snag_status read_joints(const snag__gltf *g, const primitive *p, unsigned set, snag__rig_body *body)
{
    size_t n = body->influence_count, at = p->first_vertex * n + 4 * (size_t)set;
    uint32_t joints = set_member(g, p->attributes, "JOINTS", set), weights = set_member(g, p->attributes, "WEIGHTS", set);
    snag__gltf_accessor accessor;
    if (joints == SNAG__JSON_NONE || weights == SNAG__JSON_NONE)
        return SNAG_OK;
    snag_status status = read_attribute(g, p, weights, 4, body->weights + at, n);
    if (status == SNAG_OK)
        status = snag__gltf_open_accessor(g, joints, 4, &accessor);
    if (status != SNAG_OK)
        return status;
    double *numbers = calloc(4 * accessor.count + 1, sizeof *numbers);
    if (!numbers)
        return snag__gltf_fail_memory(g);
    status = read_attribute(g, p, joints, 4, numbers, 4);
    for (size_t v = 0; v < p->vertex_count && status == SNAG_OK; v++)
        for (size_t k = 0; k < 4; k++) {
            double joint = numbers[4 * v + k];
            body->joints[at + v * n + k] = joint >= 0 && joint < UINT32_MAX ? (uint32_t)joint : UINT32_MAX;
        }
    free(numbers);
    return status;
}

static snag_status read_vertices(const snag__gltf *g, const primitive *p, snag__rig_body *body)
{
    snag_status status = read_attribute(g, p, p->position, 3, body->positions + 3 * p->first_vertex, 3);
    size_t target = 0;
    uint32_t e = snag__json_first(&g->json, p->targets);
    for (; e != SNAG__JSON_NONE && status == SNAG_OK; e = snag__json_after(&g->json, p->targets, e), target++) {
        uint32_t value = snag__json_member(&g->json, e, "POSITION");
        double *offsets = body->targets + 3 * (target * body->vertex_count + p->first_vertex);
        if (value != SNAG__JSON_NONE)
            status = read_attribute(g, p, value, 3, offsets, 3);
    }
    for (unsigned set = 0; 4 * (size_t)set < body->influence_count && status == SNAG_OK; set++)
        status = read_joints(g, p, set, body);
    return status;
}

static snag_status read_faces(const snag__gltf *g, const primitive *p, size_t first_vertex, uint32_t *corners)
{
    uint32_t *indices = NULL;
    size_t index_count = 0;
    snag_status status = SNAG_OK;
    if (p->indices != SNAG__JSON_NONE)
        status = snag__gltf_indices(g, p->indices, &indices, &index_count);
    if (status != SNAG_OK)
        return status;
    for (size_t t = 0; t < triangles_of(p); t++) {
        size_t at[3] = {3 * t, 3 * t + 1, 3 * t + 2};
        if (p->mode == TRIANGLE_STRIP) {  // flip every second triangle, so that all face the same way
            at[0] = t;
            at[1] = t + 1 + t % 2;
            at[2] = t + 2 - t % 2;
        } else if (p->mode == TRIANGLE_FAN) {
            at[0] = t + 1;
            at[1] = t + 2;
            at[2] = 0;
        }
        for (int k = 0; k < 3; k++) {
            uint64_t index = (indices ? indices[at[k]] : at[k]) + first_vertex;
            *corners++ = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
        }
    }
    free(indices);
    snag__release_bytes(g->source, index_count * sizeof *indices);
    return SNAG_OK;
}

// Points are written as lines from a vertex to itself. Lines within one vertex have no length, and are left out.
static snag_status read_lines(const snag__gltf *g, const primitive *p, snag__rig_body *body, size_t *used)
{
    uint32_t *indices = NULL;
    size_t index_count = 0, count = lines_of(p);
    snag_status status = SNAG_OK;
    if (count && p->indices != SNAG__JSON_NONE)
        status = snag__gltf_indices(g, p->indices, &indices, &index_count);
    for (size_t i = 0; i < count && status == SNAG_OK; i++) {
        size_t from = p->mode == LINES ? 2 * i : i, to = p->mode == POINTS ? from : (from + 1) % p->index_count;
        uint64_t a = (indices ? indices[from] : from) + p->first_vertex, b = (indices ? indices[to] : to) + p->first_vertex;
        if (a == b && p->mode != POINTS)
            continue;
        body->edges[2 * *used] = a < UINT32_MAX ? (uint32_t)a : UINT32_MAX;
        body->edges[2 * (*used)++ + 1] = b < UINT32_MAX ? (uint32_t)b : UINT32_MAX;
    }
    free(indices);
    snag__release_bytes(g->source, index_count * sizeof *indices);
    return status;
}

// Default morph weights, used when no animation sets them: from the node, else from the mesh.
static snag_status read_target_weights(const snag__gltf *g, uint32_t node, uint32_t mesh, snag__rig_body *body)
{
    uint32_t array = snag__json_array(&g->json, node, "weights");
    if (array == SNAG__JSON_NONE)
        array = snag__json_array(&g->json, mesh, "weights");
    if (array == SNAG__JSON_NONE || body->target_count == 0)
        return SNAG_OK;
    body->target_weights = calloc(body->target_count, sizeof *body->target_weights);
    if (!body->target_weights)
        return snag__gltf_fail_memory(g);
    uint32_t e = snag__json_first(&g->json, array);
    for (size_t i = 0; i < body->target_count && e != SNAG__JSON_NONE; i++, e = snag__json_after(&g->json, array, e))
        snag__json_number(&g->json, e, &body->target_weights[i]);
    return SNAG_OK;
}

static snag_status fill_body(const snag__gltf *g, uint32_t node, uint32_t mesh, snag__rig *rig, snag__rig_body *body,
                             primitives *list)
{
    snag_status status = list_primitives(g, mesh, rig, body, list);
    if (status != SNAG_OK || body->polygon_count + body->edge_count == 0)
        return status;
    status = claim(g, body);
    if (status != SNAG_OK)
        return status;
    if (!allocate(body))
        return snag__gltf_fail_memory(g);
    uint32_t *corners = body->corners;
    size_t lines = 0;
    for (uint32_t i = 0; i < list->count && status == SNAG_OK; i++) {
        const primitive *p = &list->items[i];
        status = snag__reading_goes_on(g->source);
        if (status == SNAG_OK && p->vertex_count)
            status = read_vertices(g, p, body);
        if (status == SNAG_OK)
            status = read_faces(g, p, p->first_vertex, corners);
        if (status == SNAG_OK)
            status = read_lines(g, p, body, &lines);
        corners += 3 * triangles_of(p);
    }
    body->edge_count = lines;
    return status == SNAG_OK ? read_target_weights(g, node, mesh, body) : status;
}

static snag_status read_body(const snag__gltf *g, uint32_t index, uint32_t mesh, snag__rig *rig)
{
    uint32_t node = g->nodes.values[index];
    uint32_t skin_value = snag__json_member(&g->json, node, "skin"), name = snag__json_member(&g->json, node, "name");
    uint64_t skin = 0;
    if (skin_value != SNAG__JSON_NONE && (!snag__json_count(&g->json, skin_value, UINT32_MAX, &skin) || skin >= rig->skin_count))
        return snag__gltf_fail(g, SNAG_ERROR_INDEX, "node %lu: its skin does not exist", (unsigned long)index);
    snag__rig_body *body = &rig->bodies[rig->body_count++];
    body->node = index;
    body->skin = skin_value != SNAG__JSON_NONE ? (uint32_t)skin : SNAG__RIG_NONE;
    if (name == SNAG__JSON_NONE)
        name = snag__json_member(&g->json, mesh, "name");
    if (!snag__json_copy(&g->json, name, &body->name))
        return snag__gltf_fail_memory(g);
    primitives list = {0};
    snag_status status = fill_body(g, node, mesh, rig, body, &list);
    free(list.items);
    free(list.table);
    if (status == SNAG_OK && body->polygon_count + body->edge_count == 0) {
        free(body->name);
        *body = (snag__rig_body){0};
        rig->body_count--;
    }
    return status;
}

static snag_status read_bodies(const snag__gltf *g, snag__rig *rig)
{
    bool *shown = NULL;
    rig->bodies = calloc(rig->node_count + 1, sizeof *rig->bodies);
    snag_status status = rig->bodies ? find_shown(g, rig, &shown) : snag__gltf_fail_memory(g);
    for (uint32_t i = 0; i < rig->node_count && status == SNAG_OK; i++) {
        uint32_t value = snag__json_member(&g->json, g->nodes.values[i], "mesh");
        uint64_t mesh;
        if (!shown || !shown[i] || value == SNAG__JSON_NONE)
            continue;
        if (!snag__json_count(&g->json, value, UINT32_MAX, &mesh) || mesh >= g->meshes.count)
            status = snag__gltf_fail(g, SNAG_ERROR_INDEX, "node %lu: its mesh does not exist", (unsigned long)i);
        else
            status = read_body(g, i, g->meshes.values[mesh], rig);
    }
    free(shown);
    return status;
}

snag_status snag__read_gltf(const snag__source *source, bool beside, snag__rig *rig)
{
    snag__gltf g;
    snag_status status = snag__gltf_open(source, beside, &g);
    if (status == SNAG_OK)
        status = read_nodes(&g, rig);
    if (status == SNAG_OK)
        status = snag__gltf_read_skins(&g, rig);
    if (status == SNAG_OK)
        status = read_bodies(&g, rig);
    if (status == SNAG_OK)
        status = snag__gltf_read_animations(&g, rig);
    snag__gltf_close(&g);
    return status;
}
