// What bodies have beside their shapes: rods and points, radii, groups and masks, labels, a rest pose for filters.
#include "torture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *room(size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    if (made == NULL)
        abort();
    return made;
}

bool torture_is_thin(const torture_life *life)
{
    for (int i = 0; i < TORTURE_BODIES; i++)
        if (life->bodies[i].alive && (life->bodies[i].edge_count > 0 || life->bodies[i].point_count > 0))
            return true;
    return false;
}

double torture_largest_radius(const torture_life *life)
{
    double largest = 0;
    for (int i = 0; i < TORTURE_BODIES; i++) {
        const torture_body *body = &life->bodies[i];
        for (size_t v = 0; body->alive && body->radii != NULL && v < body->shape.vertex_count; v++)
            largest = fmax(largest, (double)body->radii[v]);
        if (body->alive)
            largest = fmax(largest, body->radius);
    }
    return largest;
}

void torture_free_traits(torture_body *body)
{
    free(body->edges);
    free(body->points);
    free(body->radii);
    free(body->vertex_groups);
    free(body->vertex_masks);
    free(body->labels);
    free(body->made);
}

// ---- rods and points ----

// Vertices of a yarn, which wanders through the middle of the scene and now and then stands still.
static void add_yarn(torture_body *body, uint32_t count, snag__random *random)
{
    size_t n = body->shape.vertex_count;
    double p[3], step = snag__random_range(random, 0.05, 0.4);
    body->shape.positions = realloc(body->shape.positions, (3 * (n + count) + 1) * sizeof(double));
    if (body->shape.positions == NULL)
        abort();
    for (int k = 0; k < 3; k++)
        p[k] = snag__random_range(random, -0.4, 0.4);
    for (size_t v = n; v < n + count; v++) {
        bool stays = torture_chance(random, 0.1);
        for (int k = 0; k < 3; k++) {
            body->shape.positions[3 * v + (size_t)k] = p[k];
            p[k] = fmax(-0.7, fmin(0.7, p[k] + (stays ? 0 : snag__random_range(random, -step, step))));
        }
    }
    body->shape.vertex_count = n + count;
}

static bool add_edge(torture_body *body, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < body->edge_count; i++)
        if ((body->edges[2 * i] == a && body->edges[2 * i + 1] == b) || (body->edges[2 * i] == b && body->edges[2 * i + 1] == a))
            return false;
    if (a == b)
        return false;
    body->edges[2 * body->edge_count] = a;
    body->edges[2 * body->edge_count++ + 1] = b;
    return true;
}

// Along the new vertices, between any two, and along sides of triangles.
static void add_rods(torture_body *body, uint32_t first, uint32_t count, snag__random *random)
{
    uint32_t n = (uint32_t)body->shape.vertex_count;
    body->edges = room(2 * (2 * (size_t)count + 8), sizeof *body->edges);
    bool closed = torture_chance(random, 0.3), gaps = torture_chance(random, 0.5);
    for (uint32_t v = first; v + 1 < n; v++)
        if (!gaps || torture_chance(random, 0.8))
            add_edge(body, torture_chance(random, 0.5) ? v : v + 1, v);
    for (uint32_t v = first; v + 1 < n; v++)
        if (!gaps || torture_chance(random, 0.8))
            add_edge(body, v, v + 1);
    if (closed && n > first + 2)
        add_edge(body, n - 1, first);
    for (uint32_t i = snag__random_below(random, 4); i > 0 && n > 1; i--)
        add_edge(body, snag__random_below(random, n), snag__random_below(random, n));
    for (uint32_t i = snag__random_below(random, 3); i > 0 && body->shape.triangle_count > 0; i--) {
        const uint32_t *t = body->shape.triangles + 3 * (size_t)snag__random_below(random, (uint32_t)body->shape.triangle_count);
        add_edge(body, t[0], t[1]);
    }
}

static void add_points(torture_body *body, snag__random *random)
{
    uint32_t n = (uint32_t)body->shape.vertex_count;
    double part = snag__random_unit(random);
    body->points = room(n, sizeof *body->points);
    for (uint32_t v = n; v > 0; v--)
        if (torture_chance(random, part))
            body->points[body->point_count++] = v - 1;
}

static void give_thin(torture_life *life, torture_body *body, snag__random *random)
{
    uint32_t count = 1 + snag__random_below(random, 2 * (life->profile.size < 10 ? life->profile.size : 10));
    bool rods = torture_chance(random, 0.8), points = !rods || torture_chance(random, 0.4);
    // Polygons and welded soups have them too.
    if (!life->profile.thin || torture_chance(random, 0.4))
        return;
    if (torture_chance(random, 0.4) && body->polygon_count == 0) {  // alone
        body->shape.triangle_count = body->shape.tet_count = 0;
        body->weld = body->weld && torture_chance(random, 0.5);
    }
    uint32_t first = (uint32_t)body->shape.vertex_count;
    if (torture_chance(random, 0.8))
        add_yarn(body, count, random);
    if (rods)
        add_rods(body, first, count, random);
    if (points)
        add_points(body, random);
}

// ---- radii ----

static void give_radii(torture_life *life, torture_body *body, snag__random *random)
{
    double length = torture_length(life, random);
    bool tapered = torture_chance(random, 0.4), some = torture_chance(random, 0.6);
    if (!life->profile.thick || !some)
        return;
    if (!tapered || !isfinite((float)length)) {
        body->radius = length;
        return;
    }
    body->radii = room(body->shape.vertex_count, sizeof *body->radii);
    for (size_t v = 0; v < body->shape.vertex_count; v++)
        body->radii[v] = torture_chance(random, 0.2) ? 0 : (float)(length * snag__random_unit(random));
}

// ---- groups and masks ----

// Bits for each vertex. Elements whose vertices have none in common would be refused: they get one.
static uint32_t *make_bits(const torture_body *body, snag__random *random)
{
    size_t n = body->shape.vertex_count;
    uint32_t *bits = room(n, sizeof *bits), here = 1;
    for (size_t v = 0; v < n; v++) {
        if (v == 0 || torture_chance(random, 0.2))
            here = 1u << snag__random_below(random, 3);
        bits[v] = here | (torture_chance(random, 0.4) ? 1u << snag__random_below(random, 3) : 0) | (body->weld ? 8u : 0);
    }
    const struct {
        const uint32_t *vertices;
        size_t count, corners;
    } lists[] = {{body->shape.tets, body->shape.tet_count, 4},
                 {body->shape.triangles, body->shape.tet_count > 0 ? 0 : body->shape.triangle_count, 3},
                 {body->edges, body->edge_count, 2}};
    for (int l = 0; l < 3; l++)
        for (size_t i = 0; i < lists[l].count; i++) {
            const uint32_t *v = lists[l].vertices + i * lists[l].corners;
            uint32_t common = UINT32_MAX;
            for (size_t c = 0; c < lists[l].corners; c++)
                common &= bits[v[c]];
            for (size_t c = 0; c < lists[l].corners && common == 0; c++)
                bits[v[c]] |= 1;
        }
    for (size_t p = 0, at = 0; p < body->polygon_count; at += body->polygon_sizes[p++])
        for (size_t c = 0; c < body->polygon_sizes[p]; c++)
            bits[body->polygon_vertices[at + c]] |= 2;
    return bits;
}

static void give_groups(const torture_life *life, torture_body *body, snag__random *random)
{
    uint32_t group = 1 + snag__random_below(random, 7), mask = 1 + snag__random_below(random, 7);
    bool of_body = torture_chance(random, 0.6), groups = torture_chance(random, 0.4), masks = torture_chance(random, 0.4);
    body->group = life->profile.grouped && of_body ? group : 1;
    body->mask = life->profile.grouped && of_body ? mask | (torture_chance(random, 0.5) ? 1 : 0) : UINT32_MAX;
    if (life->profile.grouped && groups)
        body->vertex_groups = make_bits(body, random);
    if (life->profile.grouped && masks)
        body->vertex_masks = make_bits(body, random);
}

// ---- labels ----

static size_t element_count(const torture_body *body)
{
    const snag_shape *shape = &body->shape;
    return body->polygon_count > 0 ? body->polygon_count : shape->tet_count > 0 ? shape->tet_count : shape->triangle_count;
}

static void give_labels(const torture_life *life, torture_body *body, snag__random *random)
{
    size_t count = element_count(body);
    if (!life->profile.labelled || torture_chance(random, 0.3) || count == 0)
        return;
    body->labels = room(count, sizeof *body->labels);
    for (size_t i = 0; i < count; i++)
        body->labels[i] = (uint32_t)snag__random_u64(random);
}

// ---- all ----

void torture_give_traits(torture_life *life, torture_body *body)
{
    snag__random random = torture_stream(life, life->op, "traits");
    give_thin(life, body, &random);
    give_radii(life, body, &random);
    give_groups(life, body, &random);
    give_labels(life, body, &random);
}

// The pose it was made in: where it is added, or a little otherwise.
void torture_give_rest(torture_life *life, torture_body *body)
{
    snag__random random = torture_stream(life, life->op, "rest");
    bool as_added = torture_chance(&random, 0.5);
    if (!life->profile.made || body->source)
        return;
    body->made = room(3 * body->shape.vertex_count, sizeof *body->made);
    for (size_t i = 0; i < 3 * body->shape.vertex_count; i++) {
        double x = body->shape.positions[i], by = 0.05 * life->profile.scale[i % 3] * snag__random_range(&random, -1, 1);
        body->made[i] = as_added || !isfinite(x + by) ? x : x + by;
    }
}

void torture_write_traits(const torture_body *body, snag_body_def *def)
{
    def->edges = body->edges;
    def->edge_count = body->edge_count;
    def->points = body->points;
    def->point_count = body->point_count;
    def->radius = body->radius;
    def->radii = body->radii;
    def->group = body->group;
    def->mask = body->mask;
    def->vertex_groups = body->vertex_groups;
    def->vertex_masks = body->vertex_masks;
    def->labels = body->labels;
    if (body->made != NULL)
        def->rest = snag_positions_f64(body->made, body->shape.vertex_count);
}

// ---- what the world says of them ----

// The label of an element, found by looking through all of them.
static uint32_t label_of(const torture_body *body, const snag_body_info *info, const snag_element *element)
{
    if (body->labels == NULL)
        return 0;
    if (element->kind == SNAG_TET)
        return body->labels[element->index];
    const uint32_t vertex[2] = {element->index, element->index};
    const uint32_t *v = element->kind == SNAG_EDGE ? info->edges + 2 * (size_t)element->index : vertex;
    for (size_t t = 0; t < info->triangle_count; t++) {
        const uint32_t *c = info->triangles + 3 * t;
        // Triangles that repeat a vertex have no edges, and those that were removed no vertices.
        bool hole = c[0] == c[1] && c[1] == c[2], repeats = c[0] == c[1] || c[1] == c[2] || c[0] == c[2];
        bool none = element->kind == SNAG_EDGE ? repeats : hole;
        bool has = element->kind == SNAG_TRIANGLE
                       ? t == element->index
                       : !none && (c[0] == v[0] || c[1] == v[0] || c[2] == v[0]) && (c[0] == v[1] || c[1] == v[1] || c[2] == v[1]);
        if (has)
            return body->labels[info->triangle_faces[t]];
    }
    for (size_t k = 0; k < info->tet_count && element->kind == SNAG_VERTEX; k++) {
        const uint32_t *c = info->tets + 4 * k;
        // Those that repeat a vertex have no volume, and are at none.
        bool repeats = c[0] == c[1] || c[0] == c[2] || c[0] == c[3] || c[1] == c[2] || c[1] == c[3] || c[2] == c[3];
        if (!repeats && (c[0] == v[0] || c[1] == v[0] || c[2] == v[0] || c[3] == v[0]))
            return body->labels[k];
    }
    return 0;
}

static void compare_labels(torture_life *life, const torture_body *body, const snag_body_info *is)
{
    const size_t counts[] = {is->vertex_count, is->edge_count, is->triangle_count, is->tet_count};
    for (int kind = SNAG_VERTEX; kind <= SNAG_TET; kind++)
        for (uint32_t i = 0; i < counts[kind] && i < 300; i++) {
            const snag_element element = {.kind = (snag_element_kind)kind, .index = i};
            uint32_t label = snag_world_label(life->world, body->id, &element), right = label_of(body, is, &element);
            if (label != right)
                torture_fail(life, "label", "element %d:%u has the label %u, not %u", kind, i, label, right);
        }
}

static bool same_numbers(const uint32_t *a, const uint32_t *b, size_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

void torture_compare_traits(torture_life *life, const torture_body *body, const snag_body_info *is, const snag_body_info *should)
{
    bool same = is->rod_count == should->rod_count && is->point_count == should->point_count && is->radius == should->radius &&
                (is->radii == NULL) == (should->radii == NULL) && (is->labels == NULL) == (should->labels == NULL);
    same = same && same_numbers(is->rods, should->rods, is->rod_count) && same_numbers(is->points, should->points, is->point_count);
    same = same && same_numbers(is->edges, should->edges, 2 * is->edge_count) &&
           same_numbers(is->tets, should->tets, 4 * is->tet_count);
    if (same && is->radii != NULL)
        same = memcmp(is->radii, should->radii, is->vertex_count * sizeof *is->radii) == 0;
    if (same && is->labels != NULL)
        same = same_numbers(is->labels, should->labels, element_count(body));
    if (!same)
        torture_fail(life, "info", "body %s: rods, points, radii or labels differ from those of a fresh world", is->name);
    if (!body->weld && (is->rod_count != body->edge_count || is->point_count != body->point_count))
        torture_fail(life, "info", "body %s: %zu rods and %zu points, and %zu and %zu were added", is->name, is->rod_count,
                     is->point_count, body->edge_count, body->point_count);
    compare_labels(life, body, is);
}
