#include "query/filter.h"

#include "geom/simplex.h"
#include "mesh/rings.h"
#include "query/exclusions.h"

#include <stdio.h>
#include <string.h>

// ---- state ----

// Tables of a body's neighbours, by the index of its id. They are made again when the body or its elements have changed.
typedef struct ring_entry {
    snag_body_id id;
    uint64_t topology;
    snag__rings rings;
} ring_entry;

typedef struct state {
    snag__filter filter;
    snag__buffer entries, tables, rest_x, excluded;
    size_t entry_count;
} state;

static state *state_of(snag__ask *ask)
{
    snag__buffer *memory = &ask->scratch->filter;
    if (memory->data == NULL) {
        if (!snag__buffer_reserve(ask->allocator, memory, 0, 1, sizeof(state)))
            return NULL;
        memset(memory->data, 0, sizeof(state));
    }
    return memory->data;
}

void snag__filter_free(const snag_allocator *allocator, snag__buffer *memory)
{
    state *s = memory->data;
    if (s == NULL)
        return;
    ring_entry *entries = s->entries.data;
    for (size_t i = 0; i < s->entry_count; i++)
        snag__rings_free(allocator, &entries[i].rings);
    snag__buffer *buffers[] = {&s->entries, &s->tables, &s->rest_x, &s->excluded};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
    snag__buffer_free(allocator, memory);
}

// ---- preparing ----

static ring_entry *entry_of(snag__ask *ask, state *s, const snag__body *body)
{
    size_t count = (size_t)body->id.index + 1;
    if (count > s->entry_count) {
        if (!snag__buffer_reserve(ask->allocator, &s->entries, s->entry_count, count, sizeof(ring_entry)))
            return NULL;
        memset((ring_entry *)s->entries.data + s->entry_count, 0, (count - s->entry_count) * sizeof(ring_entry));
        s->entry_count = count;
    }
    return (ring_entry *)s->entries.data + body->id.index;
}

static bool update_rings(snag__ask *ask, state *s, const snag__body *body, uint32_t rings)
{
    ring_entry *entry = entry_of(ask, s, body);
    if (entry == NULL)
        return false;
    if (entry->rings.rings == rings && entry->id.generation == body->id.generation && entry->topology == body->topology)
        return true;
    entry->id = body->id;
    entry->topology = body->topology;
    return snag__rings_build(&entry->rings, &body->mesh, rings, ask->allocator);
}

static bool prepare_rings(snag__ask *ask, state *s)
{
    if (!snag__buffer_reserve(ask->allocator, &s->tables, 0, ask->body_count + 1u, sizeof(snag__rings *)))
        return false;
    const snag__rings **tables = s->tables.data;
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (snag__wanted(ask, i, i) && !update_rings(ask, s, ask->bodies[i], ask->def->exclude_rings))
            return false;
    const ring_entry *entries = s->entries.data;  // they may have moved while they grew
    for (uint32_t i = 0; i < ask->body_count; i++)
        tables[i] = snag__wanted(ask, i, i) ? &entries[ask->bodies[i]->id.index].rings : NULL;
    s->filter.rings = ask->def->exclude_rings;
    s->filter.ring_tables = tables;
    return true;
}

static snag_status prepare_rest(snag__ask *ask, state *s)
{
    if (!snag__buffer_reserve(ask->allocator, &s->rest_x, 0, ask->body_count + 1u, sizeof(double *)))
        return SNAG_ERROR_MEMORY;
    const double(**rest_x)[3] = s->rest_x.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        rest_x[i] = snag__wanted(ask, i, i) ? (const double(*)[3])body->rest : NULL;
        if (body->rest != NULL || body->mesh.vertex_count == 0 || !snag__wanted(ask, i, i))
            continue;
        snprintf(ask->message, sizeof ask->message,
                 "exclude_rest: %.60s has no rest pose: set `rest` in its def, or do not search its self-contacts", body->name);
        return SNAG_ERROR_ARGUMENT;
    }
    s->filter.rest = ask->def->exclude_rest;
    s->filter.rest_x = rest_x;
    return SNAG_OK;
}

static bool prepare_exclusions(snag__ask *ask, state *s)
{
    if (!snag__buffer_reserve(ask->allocator, &s->excluded, 0, ask->body_count + 1u, sizeof(snag__excluded_body *)))
        return false;
    const snag__excluded_body **excluded = s->excluded.data;
    for (uint32_t i = 0; i < ask->body_count; i++)
        excluded[i] = snag__exclusions_body(ask->def->exclusions, ask->bodies[i]->id);
    s->filter.exclusions = ask->def->exclusions;
    s->filter.excluded = excluded;
    return true;
}

snag_status snag__filter_prepare(snag__ask *ask)
{
    const snag__question *def = ask->def;
    bool groups = false;
    ask->filter = NULL;
    ask->picks_bodies = def->filter != NULL;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        groups = groups || ask->bodies[i]->vertex_groups != NULL || ask->bodies[i]->vertex_masks != NULL;
        ask->picks_bodies = ask->picks_bodies || ask->bodies[i]->mask != UINT32_MAX;
    }
    if (def->question == SNAG_OVERLAPS || (!groups && def->exclude_rings == 0 && def->exclude_rest == 0 && def->exclusions == NULL))
        return SNAG_OK;
    state *s = state_of(ask);
    if (s == NULL)
        return SNAG_ERROR_MEMORY;
    s->filter = (snag__filter){.ask = ask, .groups = groups};
    if (def->exclude_rings > 0 && !prepare_rings(ask, s))
        return SNAG_ERROR_MEMORY;
    if (def->exclusions != NULL && !prepare_exclusions(ask, s))
        return SNAG_ERROR_MEMORY;
    snag_status status = def->exclude_rest > 0 ? prepare_rest(ask, s) : SNAG_OK;
    ask->filter = &s->filter;
    return status;
}

// ---- pairs ----

// An element: its body and its vertices. Of a body on disk no vertices are known.
typedef struct side {
    const snag__body *body;
    uint32_t vertices[4];
    int count;
} side;

// What a search calls rods, thin vertices and points are edges and vertices to the user.
static void name_thin(const snag__mesh *mesh, snag_element_kind *kind, uint32_t *index)
{
    if (*kind < SNAG__ROD)
        return;
    *index = *kind == SNAG__ROD           ? mesh->thin->rod_edges[*index]
             : *kind == SNAG__THIN_VERTEX ? mesh->thin->vertices[*index][0]
                                          : mesh->thin->points[*index][0];
    *kind = *kind == SNAG__ROD ? SNAG_EDGE : SNAG_VERTEX;
}

static const int corners_of[] = {[SNAG_VERTEX] = 1, [SNAG_EDGE] = 2, [SNAG_TRIANGLE] = 3, [SNAG_TET] = 4};

static const uint32_t *vertices_of(const snag__mesh *mesh, snag_element_kind kind, const uint32_t *index)
{
    switch (kind) {
    case SNAG_VERTEX: return index;
    case SNAG_EDGE: return mesh->edges[*index];
    case SNAG_TRIANGLE: return mesh->triangles[*index];
    default: return mesh->tets[*index];
    }
}

static side side_of(const snag__body *body, snag_element_kind kind, uint32_t index)
{
    const snag__mesh *mesh = &body->mesh;
    side s = {.body = body};
    if (body->source != NULL)
        return s;
    s.count = corners_of[kind];
    memcpy(s.vertices, vertices_of(mesh, kind, &index), (size_t)s.count * sizeof *s.vertices);
    return s;
}

// The bits common to an element's vertices.
static uint32_t common_bits(const side *s, const uint32_t *by_vertex, uint32_t of_body)
{
    if (by_vertex == NULL)
        return of_body;
    uint32_t bits = UINT32_MAX;
    for (int i = 0; i < s->count; i++)
        bits &= by_vertex[s->vertices[i]];
    return bits;
}

static bool groups_meet(const side *a, const side *b)
{
    uint32_t group_a = common_bits(a, a->body->vertex_groups, a->body->group);
    uint32_t group_b = common_bits(b, b->body->vertex_groups, b->body->group);
    uint32_t mask_a = common_bits(a, a->body->vertex_masks, a->body->mask);
    uint32_t mask_b = common_bits(b, b->body->vertex_masks, b->body->mask);
    return (group_a & mask_b) != 0 && (group_b & mask_a) != 0;
}

static bool are_neighbours(const snag__rings *rings, const side *a, const side *b)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            if (snag__rings_near(rings, a->vertices[i], b->vertices[k]))
                return true;
    return false;
}

static bool are_close_at_rest(const side *a, const side *b, double distance)
{
    snag__simplex x = {.count = a->count}, y = {.count = b->count};
    for (int i = 0; i < a->count; i++)
        x.corner[i] = a->body->rest[a->vertices[i]];
    for (int i = 0; i < b->count; i++)
        y.corner[i] = b->body->rest[b->vertices[i]];
    return snag__simplices_within(&x, &y, distance);
}

bool snag__filter_has_exclusions(const snag__filter *filter, uint32_t i, uint32_t j)
{
    return filter->exclusions != NULL && filter->excluded[i] != NULL && filter->excluded[j] != NULL;
}

static bool excludes(const snag__filter *filter, uint32_t i, snag_element_kind kind_a, uint32_t a, uint32_t j,
                     snag_element_kind kind_b, uint32_t b)
{
    const snag__mesh *of_i = &filter->ask->bodies[i]->mesh, *of_j = &filter->ask->bodies[j]->mesh;
    name_thin(of_i, &kind_a, &a);
    name_thin(of_j, &kind_b, &b);
    const snag__excluded_side x = {filter->excluded[i], kind_a, a, vertices_of(of_i, kind_a, &a), corners_of[kind_a]};
    const snag__excluded_side y = {filter->excluded[j], kind_b, b, vertices_of(of_j, kind_b, &b), corners_of[kind_b]};
    return snag__exclusions_have(filter->exclusions, &x, &y);
}

bool snag__filter_excludes_edges(const snag__filter *filter, uint32_t i, uint32_t a, uint32_t j, uint32_t b)
{
    const uint32_t *of_a = filter->ask->bodies[i]->mesh.edges[a], *of_b = filter->ask->bodies[j]->mesh.edges[b];
    return snag__exclusions_may_have(filter->exclusions, filter->excluded[i], of_a, 2, filter->excluded[j], of_b, 2) &&
           excludes(filter, i, SNAG_EDGE, a, j, SNAG_EDGE, b);
}

bool snag__filter_excludes_vertex(const snag__filter *filter, uint32_t i, uint32_t v, uint32_t j, uint32_t t)
{
    const uint32_t *of_t = filter->ask->bodies[j]->mesh.triangles[t];
    return snag__exclusions_may_have(filter->exclusions, filter->excluded[i], &v, 1, filter->excluded[j], of_t, 3) &&
           excludes(filter, i, SNAG_VERTEX, v, j, SNAG_TRIANGLE, t);
}

// What a caller knows, or sees to itself.
typedef struct knowing {
    bool no_neighbours;  // neighbours by rings are none of the candidates
    bool exclusions;
} knowing;

static bool allows(const snag__filter *filter, uint32_t i, snag_element_kind kind_a, uint32_t a, uint32_t j,
                   snag_element_kind kind_b, uint32_t b, knowing known)
{
    const snag__ask *ask = filter->ask;
    name_thin(&ask->bodies[i]->mesh, &kind_a, &a);
    name_thin(&ask->bodies[j]->mesh, &kind_b, &b);
    side x = side_of(ask->bodies[i], kind_a, a), y = side_of(ask->bodies[j], kind_b, b);
    if (filter->groups && !groups_meet(&x, &y))
        return false;
    SNAG__ASSERT(!known.no_neighbours || (i == j && !are_neighbours(filter->ring_tables[i], &x, &y)));
    if (i == j && filter->rings > 0 && !known.no_neighbours && are_neighbours(filter->ring_tables[i], &x, &y))
        return false;
    if (!known.exclusions && snag__filter_has_exclusions(filter, i, j)) {
        snag__excluded_side of_a = {filter->excluded[i], kind_a, a, x.vertices, x.count};
        snag__excluded_side of_b = {filter->excluded[j], kind_b, b, y.vertices, y.count};
        if (snag__exclusions_have(filter->exclusions, &of_a, &of_b))
            return false;
    }
    return i != j || !(filter->rest > 0) || !are_close_at_rest(&x, &y, filter->rest);
}

bool snag__filter_allows(const snag__filter *filter, uint32_t i, snag_element_kind kind_a, uint32_t a, uint32_t j,
                         snag_element_kind kind_b, uint32_t b)
{
    return allows(filter, i, kind_a, a, j, kind_b, b, (knowing){0});
}

void snag__filter_skip_neighbours(snag__ask *ask, const snag__pass *pass, const uint8_t *masked)
{
    state *s = ask->scratch->filter.data;
    SNAG__ASSERT(ask->filter == &s->filter && s->filter.rings > 0);
    SNAG__ASSERT(pass->row == SNAG_EDGE || (pass->row == SNAG_TRIANGLE && pass->column == SNAG_VERTEX));
    s->filter.masked[pass->row == SNAG_EDGE] = masked;
}

static bool has_no_neighbours(const snag__filter *filter, const snag__pass *pass, uint32_t i, uint32_t j)
{
    const uint8_t *masked = pass->row == SNAG_EDGE || pass->row == SNAG_TRIANGLE ? filter->masked[pass->row == SNAG_EDGE] : NULL;
    return masked != NULL && i == j && masked[i] != 0;
}

// Whether nothing is filtered between two bodies, beside what is known.
static bool is_idle(const snag__filter *filter, uint32_t i, uint32_t j, knowing known)
{
    const snag__body *a = filter->ask->bodies[i], *b = filter->ask->bodies[j];
    bool groups = a->vertex_groups != NULL || a->vertex_masks != NULL || b->vertex_groups != NULL || b->vertex_masks != NULL;
    bool excluded = !known.exclusions && snag__filter_has_exclusions(filter, i, j);
    return !groups && !excluded && (i != j || ((filter->rings == 0 || known.no_neighbours) && !(filter->rest > 0)));
}

static size_t keep(const snag__filter *filter, const snag__pass *pass, uint32_t i, uint32_t j, uint32_t (*pairs)[2], size_t count,
                   knowing known)
{
    size_t kept = 0;
    if (is_idle(filter, i, j, known))
        return count;
    for (size_t k = 0; k < count; k++) {
        uint32_t row = pairs[k][0], column = pairs[k][1];
        pairs[kept][0] = row;
        pairs[kept][1] = column;
        kept += allows(filter, i, pass->row, row, j, pass->column, column, known);
    }
    return kept;
}

size_t snag__filter_keep(const snag__filter *filter, const snag__pass *pass, uint32_t i, uint32_t j, uint32_t (*pairs)[2],
                         size_t count)
{
    return keep(filter, pass, i, j, pairs, count, (knowing){.no_neighbours = has_no_neighbours(filter, pass, i, j)});
}

size_t snag__filter_keep_excluded(const snag__filter *filter, const snag__pass *pass, uint32_t i, uint32_t j, uint32_t (*pairs)[2],
                                  size_t count)
{
    return keep(filter, pass, i, j, pairs, count, (knowing){has_no_neighbours(filter, pass, i, j), true});
}

size_t snag__filter_keep_slots(const snag__filter *filter, const uint32_t *elements, uint32_t i, uint32_t j,
                               const uint32_t (*pairs)[2], size_t count, uint32_t (*kept)[2])
{
    size_t left = 0;
    bool idle = is_idle(filter, i, j, (knowing){0});
    for (size_t k = 0; k < count; k++) {
        uint32_t row = pairs[k][0], column = pairs[k][1];
        kept[left][0] = row;
        kept[left][1] = column;
        left += idle || snag__filter_allows(filter, i, SNAG_TRIANGLE, elements[row], j, SNAG_TRIANGLE, elements[column]);
    }
    return left;
}

// ---- the rule of proximities ----

static bool view_allows(const snag__pair_filter *head, bool swapped, uint32_t v, snag_element_kind kind, uint32_t element)
{
    const snag__filter_view *view = (const snag__filter_view *)head;
    if (view->only_exclusions && kind == SNAG_TRIANGLE)
        return !snag__filter_excludes_vertex(view->filter, swapped ? view->i : view->j, v, swapped ? view->j : view->i, element);
    return snag__filter_allows(view->filter, swapped ? view->i : view->j, SNAG_VERTEX, v, swapped ? view->j : view->i, kind,
                               element);
}

snag__filter_view snag__filter_view_of(const snag__filter *filter, uint32_t i, uint32_t j)
{
    bool only_exclusions =
        filter != NULL && snag__filter_has_exclusions(filter, i, j) && is_idle(filter, i, j, (knowing){.exclusions = true});
    return (snag__filter_view){{view_allows}, filter, i, j, only_exclusions};
}
