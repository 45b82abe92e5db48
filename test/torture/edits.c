// Edits: elements are removed, added, split and rewired. The program makes the same changes to its copy of the body, by the header's
// words alone; the world must have come to the same elements, and all later answers are judged by a fresh world of the copy.
#include "torture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES = 4 };  // of each kind, at most

typedef struct changes {
    torture_life *life;
    torture_body *body;
    size_t corners, old_vertices, vertices, old_elements, elements;  // with the new ones
    uint32_t *element;  // corners of all elements, as they become
    uint8_t *touched;  // by old element: removed, split or rewired
    uint32_t *from;  // by new element: the old one it was split from, or SNAG_NO_NUMBER
    uint32_t *added_from;  // by new element: the added one that it is or was split from
    uint8_t *used_before, *used;  // by vertex
    snag_edit_def def;
    double x[CHANGES][3], rest[CHANGES][3];
    uint32_t groups[CHANGES], masks[CHANGES], near[CHANGES];
    uint32_t removed[CHANGES], rewired[CHANGES], rewired_vertices[4 * CHANGES], added[8 * CHANGES], labels[2 * CHANGES];
    snag_split_vertex split_vertices[CHANGES];
    snag_split_edge split_edges[CHANGES];
    uint32_t *listed[CHANGES], *removed_vertices;
} changes;

static void *room(size_t count, size_t size)
{
    void *made = calloc(count + 1, size);
    if (made == NULL)
        abort();
    return made;
}

static uint32_t *corners_of(const changes *c, size_t element)
{
    return c->element + element * c->corners;
}

static bool is_hole(const changes *c, size_t element)
{
    const uint32_t *v = corners_of(c, element);
    for (size_t k = 1; k < c->corners; k++)
        if (v[k] != v[0])
            return false;
    return true;
}

static bool has(const changes *c, size_t element, uint32_t vertex)
{
    bool found = false;
    for (size_t k = 0; k < c->corners; k++)
        found = found || corners_of(c, element)[k] == vertex;
    return found && !is_hole(c, element);
}

static void note_used(const changes *c, uint8_t *used)
{
    memset(used, 0, c->vertices);
    for (size_t e = 0; e < c->elements; e++)
        for (size_t k = 0; k < c->corners && !is_hole(c, e); k++)
            used[corners_of(c, e)[k]] = 1;
}

// ---- what can be edited ----

static bool is_editable(const torture_body *body)
{
    return !body->source && !body->weld && body->polygon_count == 0 && body->edge_count == 0 && body->point_count == 0 &&
           body->radii == NULL && (body->shape.triangle_count > 0 || body->shape.tet_count > 0);
}

// Polygons of three corners each, welding that merges nothing and radii that are all the same leave a body that can be edited.
static bool may_be_editable(const torture_body *body)
{
    for (size_t i = 0; i < body->polygon_count; i++)
        if (body->polygon_sizes[i] != 3)
            return false;
    return body->weld || body->polygon_count > 0 || body->radii != NULL;
}

static void open_changes(torture_life *life, torture_body *body, changes *c)
{
    const snag_shape *shape = &body->shape;
    bool tets = shape->tet_count > 0;
    *c = (changes){.life = life, .body = body, .corners = tets ? 4 : 3, .old_vertices = shape->vertex_count};
    c->vertices = c->old_vertices;
    c->elements = c->old_elements = tets ? shape->tet_count : shape->triangle_count;
    // Every split cuts an element at most once.
    size_t most = c->old_elements + 2 * CHANGES, vertices = c->old_vertices + 3 * CHANGES;
    for (int i = 0; i < CHANGES; i++)
        most *= 2;
    c->element = room(c->corners * most, sizeof *c->element);
    c->from = room(most, sizeof *c->from);
    c->added_from = room(most, sizeof *c->added_from);
    c->touched = room(c->old_elements, 1);
    c->used = room(vertices, 1);
    c->used_before = room(vertices, 1);
    memcpy(c->element, tets ? shape->tets : shape->triangles, c->corners * c->elements * sizeof *c->element);
    c->removed_vertices = room(vertices, sizeof *c->removed_vertices);
    c->def = snag_default_edit_def();
    note_used(c, c->used_before);
}

static void close_changes(changes *c)
{
    for (int i = 0; i < CHANGES; i++)
        free(c->listed[i]);
    free(c->element);
    free(c->from);
    free(c->added_from);
    free(c->touched);
    free(c->used);
    free(c->used_before);
    free(c->removed_vertices);
}

// ---- the changes, in the order of the header ----

// An old element that was not removed before, nor named in this edit. SIZE_MAX if there is none at hand.
static size_t pick_element(const changes *c, snag__random *random)
{
    for (int tries = 0; tries < 8; tries++) {
        size_t e = snag__random_below(random, (uint32_t)c->old_elements);
        if (!is_hole(c, e) && !c->touched[e])
            return e;
    }
    return SIZE_MAX;
}

static void remove_elements(changes *c, snag__random *random)
{
    for (uint32_t i = snag__random_below(random, CHANGES + 1); i > 0; i--) {
        size_t e = pick_element(c, random);
        if (e == SIZE_MAX)
            continue;
        c->removed[c->def.removed_count++] = (uint32_t)e;
        c->touched[e] = 1;
        for (size_t k = 1; k < c->corners; k++)
            corners_of(c, e)[k] = corners_of(c, e)[0];
    }
    c->def.removed = c->removed;
}

static void add_vertices(changes *c, snag__random *random)
{
    const torture_body *body = c->body;
    uint32_t count = snag__random_below(random, CHANGES);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = c->near[i] = snag__random_below(random, (uint32_t)c->old_vertices);
        for (int k = 0; k < 3; k++) {
            double by = 0.2 * body->factor * c->life->profile.scale[k] * snag__random_range(random, -1, 1);
            double x = body->t1[3 * v + (size_t)k] + by;
            c->x[i][k] = isfinite(x) ? x : body->t1[3 * v + (size_t)k];
            c->rest[i][k] = body->made != NULL ? body->made[3 * v + (size_t)k] : 0;
        }
        c->groups[i] = c->masks[i] = UINT32_MAX;
    }
    c->vertices += count;
    c->def.vertices = snag_positions_f64(c->x[0], count);
    c->def.vertex_groups = body->vertex_groups != NULL ? c->groups : NULL;
    c->def.vertex_masks = body->vertex_masks != NULL ? c->masks : NULL;
    if (body->made != NULL)
        c->def.rest = snag_positions_f64(c->rest[0], count);
}

static bool are_different(const uint32_t *v, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (v[i] == v[k])
                return false;
    return true;
}

// One for each new vertex, and some more.
static void add_elements(changes *c, snag__random *random)
{
    uint32_t fresh = (uint32_t)(c->vertices - c->old_vertices), more = snag__random_below(random, 3);
    for (uint32_t i = 0; i < fresh + more; i++) {
        uint32_t *v = c->added + c->corners * c->def.added_count;
        do {
            for (size_t k = 0; k < c->corners; k++)
                v[k] = snag__random_below(random, (uint32_t)c->vertices);
            if (i < fresh)
                v[0] = (uint32_t)c->old_vertices + i;
        } while (!are_different(v, c->corners) && c->vertices > 8);
        if (!are_different(v, c->corners))
            continue;
        memcpy(corners_of(c, c->elements), v, c->corners * sizeof *v);
        c->added_from[c->elements - c->old_elements] = (uint32_t)c->def.added_count;
        c->from[c->elements++ - c->old_elements] = SNAG_NO_NUMBER;
        c->labels[c->def.added_count++] = (uint32_t)snag__random_u64(random);
    }
    c->def.added = c->added;
    c->def.added_labels = torture_chance(random, 0.7) ? c->labels : NULL;
}

static void split_vertices(changes *c, snag__random *random)
{
    for (uint32_t i = snag__random_below(random, CHANGES); i > 0; i--) {
        size_t pick = pick_element(c, random), at = 0, left = 0, n = c->def.split_vertex_count;
        if (pick == SIZE_MAX)
            continue;
        uint32_t vertex = corners_of(c, pick)[snag__random_below(random, (uint32_t)c->corners)];
        if (vertex >= c->old_vertices)
            continue;
        c->listed[n] = room(c->old_elements, sizeof(uint32_t));
        for (size_t e = 0; e < c->elements; e++)
            if (has(c, e, vertex)) {
                if (e < c->old_elements && torture_chance(random, 0.5))
                    c->listed[n][at++] = (uint32_t)e;
                else
                    left++;
            }
        if (at == 0 || left == 0) {
            free(c->listed[n]);
            c->listed[n] = NULL;
            continue;
        }
        for (size_t k = 0; k < at; k++) {
            c->touched[c->listed[n][k]] |= 2;
            for (size_t j = 0; j < c->corners; j++)
                if (corners_of(c, c->listed[n][k])[j] == vertex)
                    corners_of(c, c->listed[n][k])[j] = (uint32_t)c->vertices;
        }
        c->vertices++;
        c->split_vertices[c->def.split_vertex_count++] = (snag_split_vertex){vertex, c->listed[n], at};
    }
    c->def.split_vertices = c->split_vertices;
}

static void cut(changes *c, size_t e, const snag_split_edge *split)
{
    uint32_t made = (uint32_t)c->vertices;
    uint32_t *first = corners_of(c, e), *second = corners_of(c, c->elements);
    memcpy(second, first, c->corners * sizeof *first);
    for (size_t k = 0; k < c->corners; k++) {
        first[k] = first[k] == split->vertex[1] ? made : first[k];
        second[k] = second[k] == split->vertex[0] ? made : second[k];
    }
    c->added_from[c->elements - c->old_elements] = e < c->old_elements ? SNAG_NO_NUMBER : c->added_from[e - c->old_elements];
    c->from[c->elements++ - c->old_elements] = e < c->old_elements ? (uint32_t)e : c->from[e - c->old_elements];
    if (e < c->old_elements)
        c->touched[e] |= 2;
}

static void split_edges(changes *c, snag__random *random)
{
    for (uint32_t i = snag__random_below(random, CHANGES); i > 0; i--) {
        size_t e = snag__random_below(random, (uint32_t)c->elements), last = c->elements;
        const uint32_t *v = corners_of(c, e);
        snag_split_edge split = {{v[0], v[1 + snag__random_below(random, (uint32_t)c->corners - 1)]},
                                 torture_chance(random, 0.5) ? 0.5 : snag__random_range(random, 0.01, 0.99)};
        if (!are_different(v, c->corners))
            continue;  // it has no edges
        for (e = 0; e < last; e++)
            if (are_different(corners_of(c, e), c->corners) && has(c, e, split.vertex[0]) && has(c, e, split.vertex[1]))
                cut(c, e, &split);
        c->vertices++;
        c->split_edges[c->def.split_edge_count++] = split;
    }
    c->def.split_edges = c->split_edges;
}

// Turned round, or with another vertex.
static void rewire(changes *c, snag__random *random)
{
    for (uint32_t i = snag__random_below(random, CHANGES); i > 0; i--) {
        size_t e = pick_element(c, random);
        uint32_t v[4], a = snag__random_below(random, (uint32_t)c->corners), b = snag__random_below(random, (uint32_t)c->corners);
        bool other = torture_chance(random, 0.5);
        uint32_t vertex = snag__random_below(random, (uint32_t)c->old_vertices);
        if (e == SIZE_MAX)
            continue;
        memcpy(v, corners_of(c, e), c->corners * sizeof *v);
        uint32_t swap = v[a];
        v[a] = v[b];
        v[b] = swap;
        if (other)
            v[a] = vertex;
        if (!are_different(v, c->corners))
            continue;
        memcpy(corners_of(c, e), v, c->corners * sizeof *v);
        memcpy(c->rewired_vertices + c->corners * c->def.rewired_count, v, c->corners * sizeof *v);
        c->rewired[c->def.rewired_count++] = (uint32_t)e;
        c->touched[e] = 1;
    }
    c->def.rewired = c->rewired;
    c->def.rewired_vertices = c->rewired_vertices;
}

static void list_removed_vertices(changes *c)
{
    note_used(c, c->used);
    for (uint32_t v = 0; v < c->old_vertices; v++)
        if (c->used_before[v] && !c->used[v])
            c->removed_vertices[c->def.removed_vertex_count++] = v;
    c->def.removed_vertices = c->removed_vertices;
}

// ---- into the copy ----

static double *extend(double *numbers, const changes *c, const double (*given)[3])
{
    size_t n = c->old_vertices, at;
    double *x = realloc(numbers, (3 * c->vertices + 1) * sizeof *x);
    if (x == NULL)
        abort();
    for (size_t i = 0; i < c->def.vertices.count; i++)
        memcpy(x + 3 * (n + i), given != NULL ? given[i] : x + 3 * (size_t)c->near[i], 3 * sizeof *x);
    at = n + c->def.vertices.count;
    for (size_t i = 0; i < c->def.split_vertex_count; i++, at++)
        memcpy(x + 3 * at, x + 3 * (size_t)c->split_vertices[i].vertex, 3 * sizeof *x);
    for (size_t i = 0; i < c->def.split_edge_count; i++, at++)
        for (size_t k = 0; k < 3; k++) {
            const snag_split_edge *s = &c->split_edges[i];
            x[3 * at + k] = (1 - s->at) * x[3 * (size_t)s->vertex[0] + k] + s->at * x[3 * (size_t)s->vertex[1] + k];
        }
    return x;
}

static uint32_t *extend_bits(uint32_t *numbers, const changes *c)
{
    size_t at = c->old_vertices;
    uint32_t *bits = numbers != NULL ? realloc(numbers, (c->vertices + 1) * sizeof *bits) : NULL;
    if (bits == NULL)
        return NULL;
    for (size_t i = 0; i < c->def.vertices.count; i++)
        bits[at++] = UINT32_MAX;
    for (size_t i = 0; i < c->def.split_vertex_count; i++)
        bits[at++] = bits[c->split_vertices[i].vertex];
    for (size_t i = 0; i < c->def.split_edge_count; i++)
        bits[at++] = bits[c->split_edges[i].vertex[0]] & bits[c->split_edges[i].vertex[1]];
    return bits;
}

// Whether every element has a bit in common.
static bool bits_fit(const changes *c, const uint32_t *bits)
{
    for (size_t e = 0; bits != NULL && e < c->elements; e++) {
        uint32_t common = UINT32_MAX;
        for (size_t k = 0; k < c->corners; k++)
            common &= bits[corners_of(c, e)[k]];
        if (common == 0 && !is_hole(c, e))
            return false;
    }
    return true;
}

static int by_corners(const void *x, const void *y)
{
    return memcmp(x, y, 5 * sizeof(uint32_t));
}

// Elements with the one they were split from, sorted: halves of splits come in an order of the world's own.
static uint32_t *sorted(const changes *c, const uint32_t *elements, const uint32_t *from)
{
    size_t count = c->elements - c->old_elements, skip = c->def.added_count;
    uint32_t *list = room(5 * count, sizeof *list);
    for (size_t i = skip; i < count; i++) {
        memcpy(list + 5 * i, elements + (c->old_elements + i) * c->corners, c->corners * sizeof *list);
        list[5 * i + 4] = from[i];
    }
    qsort(list + 5 * skip, count - skip, 5 * sizeof *list, by_corners);
    return list;
}

static void judge_elements(const changes *c, const snag_edit_map *map, const uint32_t *is, size_t count)
{
    size_t fixed = (c->old_elements + c->def.added_count) * c->corners;
    if (count != c->elements || map->first_vertex != c->old_vertices || map->first_element != c->old_elements ||
        map->vertex_count != c->vertices - c->old_vertices || map->element_count != c->elements - c->old_elements)
        torture_fail(c->life, "edit", "%zu elements, not %zu; or the map has other counts", count, c->elements);
    if (memcmp(is, c->element, fixed * sizeof *is) != 0)
        torture_fail(c->life, "edit", "an element has other vertices than the edit says");
    uint32_t *right = sorted(c, c->element, c->from), *found = sorted(c, is, map->element_from);
    if (memcmp(right, found, 5 * (c->elements - c->old_elements) * sizeof *right) != 0)
        torture_fail(c->life, "edit", "halves of split elements are not those that the edit says");
    free(right);
    free(found);
}

// The label of new element i, which is an added one or half of one. Halves come in an order of the world's own: they are known by their
// corners.
static uint32_t label_of_added(const changes *c, const uint32_t *is, size_t i)
{
    const uint32_t *corners = is + (c->old_elements + i) * c->corners;
    size_t at = i;
    if (i >= c->def.added_count)
        for (at = c->def.added_count; at + c->old_elements < c->elements; at++)
            if (c->from[at] == SNAG_NO_NUMBER &&
                memcmp(corners_of(c, c->old_elements + at), corners, c->corners * sizeof *corners) == 0)
                break;
    return c->def.added_labels != NULL ? c->labels[c->added_from[at]] : 0;
}

// The copy of the body becomes what the world has, which was found to be right.
static void take_over(changes *c, const snag_edit_map *map, const uint32_t *is)
{
    torture_body *body = c->body;
    size_t added = c->elements - c->old_elements;
    uint32_t **to = c->corners == 4 ? &body->shape.tets : &body->shape.triangles;
    free(*to);
    *to = room(c->corners * c->elements, sizeof **to);
    memcpy(*to, is, c->corners * c->elements * sizeof **to);
    *(c->corners == 4 ? &body->shape.tet_count : &body->shape.triangle_count) = c->elements;
    if (body->labels != NULL) {
        body->labels = realloc(body->labels, (c->elements + 1) * sizeof *body->labels);
        for (size_t i = 0; body->labels != NULL && i < added; i++)
            body->labels[c->old_elements + i] =
                map->element_from[i] != SNAG_NO_NUMBER ? body->labels[map->element_from[i]] : label_of_added(c, is, i);
    }
    body->vertex_groups = extend_bits(body->vertex_groups, c);
    body->vertex_masks = extend_bits(body->vertex_masks, c);
    body->local = extend(body->local, c, NULL);
    body->rest = extend(body->rest, c, NULL);
    body->t0 = extend(body->t0, c, c->x);
    body->t1 = extend(body->t1, c, c->x);
    // Boundary triangles look outward as the body lies now.
    body->shape.positions = extend(body->shape.positions, c, c->x);
    memcpy(body->shape.positions, body->t1, 3 * c->vertices * sizeof *body->t1);
    if (body->made != NULL)
        body->made = extend(body->made, c, c->rest);
    body->shape.vertex_count = c->vertices;
}

static void follow_edit(changes *c, const snag_edit_map *map)
{
    torture_life *life = c->life;
    snag_body_info info;
    if (snag_world_body(life->world, c->body->id, &info) != SNAG_OK)
        torture_fail(life, "edit", "the body is gone");
    const uint32_t *is = c->corners == 4 ? info.tets : info.triangles;
    judge_elements(c, map, is, c->corners == 4 ? info.tet_count : info.triangle_count);
    take_over(c, map, is);
    torture_edit_exclusions(life, c->body, map);
    torture_edit_tracks(life, c->body, map, c->used);
    life->board->edits++;
    life->board->elements_edited += c->def.removed_count + c->def.rewired_count + c->elements - c->old_elements;
    life->version++;
}

// ---- the operation ----

typedef struct bad_edit {
    const char *what;
    snag_status status;
    void (*spoil)(changes *c);
} bad_edit;

static void remove_nothing_there(changes *c)
{
    c->removed[0] = (uint32_t)c->old_elements;
    c->def.removed_count = 1;
}
static void not_finite(changes *c)
{
    c->x[0][1] = NAN;
    c->def.vertices = snag_positions_f64(c->x[0], 1);
}
static void outside_of_edge(changes *c)
{
    c->split_edges[0] = (snag_split_edge){{corners_of(c, 0)[0], corners_of(c, 0)[1]}, 1};
    c->def.split_edges = c->split_edges;
    c->def.split_edge_count = 1;
}
static void no_vertex(changes *c)
{
    for (uint32_t k = 0; k < 4; k++)
        c->added[k] = (uint32_t)c->vertices + k;
    c->def.added = c->added;
    c->def.added_count = 1;
}
static void no_cookie(changes *c)
{
    c->def.cookie = 0;
}
static void no_such_vertex(changes *c)
{
    c->removed_vertices[0] = UINT32_MAX;
    c->def.removed_vertices = c->removed_vertices;
    c->def.removed_vertex_count = 1;
}

static const bad_edit bad_edits[] = {
    {"an element that is not there", SNAG_ERROR_INDEX, remove_nothing_there},
    {"a vertex that is not finite", SNAG_ERROR_NOT_FINITE, not_finite},
    {"a split at the end of an edge", SNAG_ERROR_ARGUMENT, outside_of_edge},
    {"vertices that are not there", SNAG_ERROR_INDEX, no_vertex},
    {"a def of zeros", SNAG_ERROR_ARGUMENT, no_cookie},
    {"a removed vertex that is not there", SNAG_ERROR_INDEX, no_such_vertex},
};

static void edit_badly(changes *c, snag__random *random)
{
    const bad_edit *bad = &bad_edits[snag__random_below(random, sizeof bad_edits / sizeof *bad_edits)];
    c->def = snag_default_edit_def();
    c->def.removed = c->removed;
    bad->spoil(c);
    torture_say(c->life, "edit badly: %s", bad->what);
    snag_status status = snag_world_edit(c->life->world, c->body->id, &c->def, NULL);
    c->life->board->refused++;
    if (status != bad->status || snag_world_message(c->life->world)[0] == 0)
        torture_fail(c->life, "bad argument", "%s: expected %s, the call returned %s", c->life->board->doing,
                     snag_status_name(bad->status), snag_status_name(status));
}

static void edit_well(changes *c, snag__random *random)
{
    torture_life *life = c->life;
    torture_body *body = c->body;
    snag_edit_map map;
    remove_elements(c, random);
    add_vertices(c, random);
    add_elements(c, random);
    split_vertices(c, random);
    split_edges(c, random);
    rewire(c, random);
    list_removed_vertices(c);
    torture_say(life, "edit body %u/%u: %zu removed, %zu added, %zu vertices and %zu edges split, %zu rewired", body->id.index,
                body->id.generation, c->def.removed_count, c->def.added_count, c->def.split_vertex_count, c->def.split_edge_count,
                c->def.rewired_count);
    for (size_t v = c->old_vertices; v < c->vertices; v++)
        if (!c->used[v])
            return;  // it would be refused
    torture_arm(life, random);
    snag_status status = snag_world_edit(life->world, body->id, &c->def, &map);
    bool starved = torture_disarm(life);
    uint32_t *groups = body->vertex_groups, *masks = body->vertex_masks;
    if (groups != NULL)
        groups = memcpy(room(c->vertices, sizeof *groups), groups, c->old_vertices * sizeof *groups);
    if (masks != NULL)
        masks = memcpy(room(c->vertices, sizeof *masks), masks, c->old_vertices * sizeof *masks);
    groups = extend_bits(groups, c);
    masks = extend_bits(masks, c);
    bool fits = bits_fit(c, groups) && bits_fit(c, masks);
    free(groups);
    free(masks);
    if (!fits && status == SNAG_ERROR_ARGUMENT)
        return;
    if (!fits && status == SNAG_OK)
        torture_fail(life, "edit", "elements without a common bit were not refused");
    if (torture_worked(life, status, starved, "edit"))
        follow_edit(c, &map);
}

void torture_edit(torture_life *life, snag__random *random)
{
    torture_body *body = torture_pick(life, random);
    bool bad = torture_chance(random, 0.1);
    changes c;
    if (body == NULL || !torture_may(life, TORTURE_EDITS) || (life->profile.smooth && torture_chance(random, 0.7)))
        return;
    if (!is_editable(body)) {
        const snag_edit_def def = snag_default_edit_def();
        torture_say(life, "edit body %u/%u, which cannot be edited", body->id.index, body->id.generation);
        snag_status status = snag_world_edit(life->world, body->id, &def, NULL);
        life->version++;
        if (status != SNAG_ERROR_UNSUPPORTED && !(status == SNAG_OK && may_be_editable(body)))
            torture_fail(life, "edit", "a body that cannot be edited was not refused");
        if (status == SNAG_OK) {
            // Made anew as it lies now: boundary triangles look outward there, and nothing is welded again.
            memcpy(body->shape.positions, body->t1, 3 * body->shape.vertex_count * sizeof *body->t1);
            body->weld = false;
        }
        return;
    }
    open_changes(life, body, &c);
    if (bad)
        edit_badly(&c, random);
    else
        edit_well(&c, random);
    close_changes(&c);
}
