// Editing a surface in place: edges and lists are repaired where the edit was, and are what snag__mesh_build_edges and snag__mesh_link would make of the
// edited triangles. What is next to nothing that changed is copied by whole runs; numbers of edges shift, since edges are sorted.
//
// First everything that may fail: the sides and corners that come and go are listed and sorted, and from them which edges and vertices
// change. Then nothing can fail: the lists are written to the second set of a mesh, which is exchanged for the first.
#include "mesh/edit.h"

#include "base/assert.h"

#include <string.h>

// An edge or a vertex whose triangles change. Its record's kind says whether a triangle comes (1) or goes (0).
typedef struct snag__repair_place {
    uint32_t at;  // the old edge, or before which old edge the new one belongs; or the vertex
    uint32_t first, last;  // its records
    uint32_t count;  // triangles there afterwards
    bool old;  // there was one
} place;

static bool repeats_a_vertex(const uint32_t *v)
{
    return v[0] == v[1] || v[1] == v[2] || v[0] == v[2];
}

static uint64_t key_of_edge(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static void add_record(snag__record *records, uint32_t *count, uint64_t key, uint32_t kind, uint32_t triangle)
{
    records[(*count)++] = (snag__record){.key = key, .kind = kind, .extra = triangle};
}

static bool has_key(const uint64_t *keys, int count, uint64_t key)
{
    for (int i = 0; i < count; i++)
        if (keys[i] == key)
            return true;
    return false;
}

static int keys_of_sides(const uint32_t *v, uint64_t keys[3])
{
    if (v == NULL || repeats_a_vertex(v))
        return 0;
    for (int i = 0; i < 3; i++)
        keys[i] = key_of_edge(v[i], v[(i + 1) % 3]);
    return 3;
}

// The vertices of a triangle, each once; none of a hole.
static int keys_of_corners(const uint32_t *v, uint64_t keys[3])
{
    int count = 0;
    if (v == NULL || snag__is_hole(v, 3))
        return 0;
    for (int i = 0; i < 3; i++)
        if (!has_key(keys, count, v[i]))
            keys[count++] = v[i];
    return count;
}

static void add_changes(snag__record *records, uint32_t *count, const uint64_t *before, int before_count, const uint64_t *after,
                        int after_count, uint32_t triangle)
{
    for (int i = 0; i < before_count; i++)
        if (!has_key(after, after_count, before[i]))
            add_record(records, count, before[i], 0, triangle);
    for (int i = 0; i < after_count; i++)
        if (!has_key(before, before_count, after[i]))
            add_record(records, count, after[i], 1, triangle);
}

// ---- what changes ----

static bool reserve(snag__edited *e)
{
    snag__repair *r = &e->repair;
    const snag_allocator *allocator = &e->old->allocator;
    const size_t touched = r->touched_count + 1u;
    const snag__room rooms[] = {
        {&r->memory[0], &r->sides, 6 * touched, sizeof *r->sides},
        {&r->memory[1], &r->corners, 6 * touched, sizeof *r->corners},
        {&r->memory[2], &r->scratch, 6 * touched, sizeof *r->scratch},
        {&r->memory[3], &r->edges, 6 * touched, sizeof *r->edges},
        {&r->memory[4], &r->vertices, 6 * touched, sizeof *r->vertices},
        {&r->memory[5], &r->used, e->vertex_count + 1u, 1},
        {&r->memory[6], &r->gone, 3 * touched, sizeof *r->gone},
        {&r->memory[7], &r->made, 3 * touched, sizeof *r->made},
    };
    return snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms);
}

// The triangles that the edit touches, and the new ones.
static bool list_touched(snag__edited *e)
{
    snag__repair *r = &e->repair;
    const uint32_t old = e->old->triangle_count;
    uint32_t count = e->element_count - old;
    for (uint32_t t = 0; t < old; t++)
        count += e->touched[t] != 0;
    r->touched_count = 0;
    const snag__room room = {&r->memory[8], &r->touched, count + 1u, sizeof *r->touched};
    if (!snag__rooms_reserve(&e->old->allocator, &room, 1))
        return false;
    for (uint32_t t = 0; t < e->element_count; t++)
        if (t >= old || e->touched[t] != 0)
            r->touched[r->touched_count++] = t;
    return true;
}

static void list_changes(snag__edited *e)
{
    snag__repair *r = &e->repair;
    r->side_count = r->corner_count = 0;
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t t = r->touched[i];
        const uint32_t *before = t < e->old->triangle_count ? e->old->triangles[t] : NULL, *after = e->elements + 3 * (size_t)t;
        uint64_t old_keys[3], new_keys[3];
        int olds = keys_of_sides(before, old_keys), news = keys_of_sides(after, new_keys);
        add_changes(r->sides, &r->side_count, old_keys, olds, new_keys, news, t);
        olds = keys_of_corners(before, old_keys);
        news = keys_of_corners(after, new_keys);
        add_changes(r->corners, &r->corner_count, old_keys, olds, new_keys, news, t);
    }
    snag__sort_records(r->sides, r->scratch, r->side_count);
    snag__sort_records(r->corners, r->scratch, r->corner_count);
}

// The first edge at or after `from` that is not before this one. Edges looked up one after the other are near each other.
static uint32_t find_edge(const snag__mesh *mesh, uint32_t from, uint64_t key)
{
    uint32_t step = 1, low = from, high = from;
    while (high < mesh->edge_count && key_of_edge(mesh->edges[high][0], mesh->edges[high][1]) < key) {
        low = high + 1;
        high = mesh->edge_count - high > step ? high + step : mesh->edge_count;
        step *= 2;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (key_of_edge(mesh->edges[middle][0], mesh->edges[middle][1]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t end_of_key(const snag__record *records, uint32_t first, uint32_t count)
{
    uint32_t last = first + 1;
    while (last < count && records[last].key == records[first].key)
        last++;
    return last;
}

static uint32_t count_after(const snag__record *records, const place *p, uint32_t before)
{
    for (uint32_t i = p->first; i < p->last; i++)
        before = records[i].kind != 0 ? before + 1 : before - 1;
    return before;
}

static void find_edges(snag__edited *e)
{
    snag__repair *r = &e->repair;
    const snag__mesh *old = e->old;
    uint32_t from = 0;
    r->edge_count = old->edge_count;
    r->edge_places = r->gone_count = r->made_count = 0;
    for (uint32_t i = 0; i < r->side_count; i = end_of_key(r->sides, i, r->side_count)) {
        const uint64_t key = r->sides[i].key;
        from = find_edge(old, from, key);
        place p = {.at = from, .first = i, .last = end_of_key(r->sides, i, r->side_count)};
        p.old = from < old->edge_count && key_of_edge(old->edges[from][0], old->edges[from][1]) == key;
        p.count = count_after(r->sides, &p, p.old ? old->edge_triangles.start[from + 1] - old->edge_triangles.start[from] : 0);
        r->edge_count = r->edge_count + (p.count > 0) - p.old;
        r->gone_count += p.old && p.count == 0;
        r->made_count += !p.old && p.count > 0;
        r->edges[r->edge_places++] = p;
    }
}

static void find_vertices(snag__edited *e)
{
    snag__repair *r = &e->repair;
    const snag__mesh *old = e->old;
    if (old->vertex_count > 0)
        memcpy(r->used, old->vertex_used, old->vertex_count);
    memset(r->used + old->vertex_count, 0, e->vertex_count - old->vertex_count);
    r->vertex_places = 0;
    for (uint32_t i = 0; i < r->corner_count; i = end_of_key(r->corners, i, r->corner_count)) {
        uint32_t v = (uint32_t)r->corners[i].key;
        place p = {.at = v, .first = i, .last = end_of_key(r->corners, i, r->corner_count), .old = v < old->vertex_count};
        p.count = count_after(r->corners, &p, p.old ? old->vertex_triangles.start[v + 1] - old->vertex_triangles.start[v] : 0);
        r->used[v] = p.count > 0;
        r->vertices[r->vertex_places++] = p;
    }
}

bool snag__repair_is_worth_it(const snag__edited *e)
{
    if (e->corners != 3 || e->old->vertex_of != NULL || e->old->thin != NULL || e->old->radii != NULL)
        return false;
    size_t touched = e->element_count - e->old->triangle_count;
    for (uint32_t t = 0; t < e->old->triangle_count; t++)
        touched += e->touched[t] != 0;
    return touched <= e->old->triangle_count / SNAG__REPAIRED_PART;
}

bool snag__repair_plan(snag__edited *e)
{
    if (!list_touched(e) || !reserve(e))
        return false;
    list_changes(e);
    find_edges(e);
    find_vertices(e);
    return true;
}

// ---- lists ----

// Lists that are copied but for those of some places.
typedef struct copying {
    const snag__csr *from;
    snag__csr *to;
    uint32_t read, written;  // lists
    uint32_t item;  // written
} copying;

// Copies the lists before `last` that are not copied yet.
static void copy_lists(copying *c, uint32_t last)
{
    const uint32_t *start = c->from->start + c->read;
    uint32_t *out = c->to->start + c->written, count = last - c->read, first = start[0], shift = c->item - first;
    for (uint32_t i = 0; i < count; i++)
        out[i] = start[i] + shift;
    memcpy(c->to->items + c->item, c->from->items + first, (start[count] - first) * sizeof(uint32_t));
    c->item += start[count] - first;
    c->read += count;
    c->written += count;
}

// Writes the list of a place: the old one without what goes, and with what comes; all ascending.
static void merge_list(copying *c, const snag__record *records, const place *p)
{
    const uint32_t *old = p->old ? c->from->items + c->from->start[p->at] : NULL;
    const uint32_t *end = p->old ? c->from->items + c->from->start[p->at + 1] : NULL;
    uint32_t *out = c->to->items + c->item;
    for (uint32_t i = p->first; i < p->last; i++) {
        while (old < end && *old < records[i].extra)
            *out++ = *old++;
        if (records[i].kind != 0)
            *out++ = records[i].extra;
        else
            old++;
    }
    while (old < end)
        *out++ = *old++;
    SNAG__ASSERT((size_t)(out - (c->to->items + c->item)) == p->count);
    c->to->start[c->written] = c->item;
    c->item += p->count;
    c->written += p->count > 0;
    c->read += p->old;
}

static void copy_edges(const snag__edited *e, snag__mesh *mesh, const copying *c, uint32_t last)
{
    memcpy(mesh->next_edges + c->written, mesh->edges + c->read, (last - c->read) * sizeof *mesh->edges);
    uint32_t *map = e->edges, shift = c->written - c->read;
    for (uint32_t i = c->read; i < last; i++)
        map[i] = i + shift;
}

// Records of sides that come get the number of their edge.
static void repair_edges(snag__edited *e, snag__mesh *mesh)
{
    snag__repair *r = &e->repair;
    copying c = {.from = &mesh->edge_triangles, .to = &mesh->next_edge_triangles};
    for (uint32_t i = 0; i < r->edge_places; i++) {
        const place *p = &r->edges[i];
        copy_edges(e, mesh, &c, p->at);
        copy_lists(&c, p->at);
        const uint64_t key = r->sides[p->first].key;
        const uint32_t number = c.written, v[2] = {(uint32_t)(key >> 32), (uint32_t)key};
        if (p->old)
            e->edges[p->at] = p->count > 0 ? number : SNAG_NO_NUMBER;
        if (p->count > 0)
            memcpy(mesh->next_edges[number], v, sizeof v);
        if (p->old && p->count == 0)
            r->gone[r->gone_count++] = p->at;
        if (!p->old && p->count > 0)
            r->made[r->made_count++] = (snag__made_edge){number, {v[0], v[1]}};
        for (uint32_t k = p->first; k < p->last; k++)
            r->sides[k].key = r->sides[k].kind != 0 ? number : 0;
        merge_list(&c, r->sides, p);
    }
    copy_edges(e, mesh, &c, mesh->edge_count);
    copy_lists(&c, mesh->edge_count);
    c.to->start[c.written] = c.item;
    SNAG__ASSERT(c.written == r->edge_count);
}

static void repair_vertex_triangles(const snag__edited *e, snag__mesh *mesh)
{
    const snag__repair *r = &e->repair;
    copying c = {.from = &mesh->vertex_triangles, .to = &mesh->next_vertex_triangles};
    for (uint32_t i = 0; i < r->vertex_places; i++) {
        const place *p = &r->vertices[i];
        copy_lists(&c, p->old ? p->at : mesh->vertex_count);
        for (; c.written < p->at; c.written++)
            c.to->start[c.written] = c.item;
        merge_list(&c, r->corners, p);
        if (p->count == 0)  // an empty list is a list
            c.written++;
    }
    copy_lists(&c, mesh->vertex_count);
    for (; c.written <= e->vertex_count; c.written++)
        c.to->start[c.written] = c.item;
}

// ---- triangles ----

// The edges of a triangle that changes, from those it had: sides that stay keep their edge, others are set afterwards.
static void keep_sides(const snag__edited *e, snag__mesh *mesh, uint32_t t)
{
    const uint32_t *after = e->elements + 3 * (size_t)t, *before = t < mesh->triangle_count ? mesh->triangles[t] : NULL;
    uint64_t old_keys[3], new_keys[3];
    const int olds = keys_of_sides(before, old_keys), news = keys_of_sides(after, new_keys);
    uint32_t edges[3] = {SNAG__NO_EDGE, SNAG__NO_EDGE, SNAG__NO_EDGE};
    for (int i = 0; i < news; i++)
        for (int k = 0; k < olds; k++)
            if (new_keys[i] == old_keys[k])
                edges[i] = mesh->triangle_edges[t][k];
    memcpy(mesh->triangle_edges[t], edges, sizeof edges);
}

static void set_sides(const snag__edited *e, snag__mesh *mesh)
{
    const snag__repair *r = &e->repair;
    for (uint32_t i = 0; i < r->side_count; i++) {
        const snag__record *side = &r->sides[i];
        if (side->kind == 0)
            continue;
        const uint32_t *edge = mesh->next_edges[side->key], *v = e->elements + 3 * (size_t)side->extra;
        const uint64_t key = key_of_edge(edge[0], edge[1]);
        for (int k = 0; k < 3; k++)
            if (key_of_edge(v[k], v[(k + 1) % 3]) == key)
                mesh->triangle_edges[side->extra][k] = (uint32_t)side->key;
    }
}

static void repair_triangles(const snag__edited *e, snag__mesh *mesh)
{
    const snag__repair *r = &e->repair;
    for (uint32_t i = 0; i < r->touched_count; i++)
        keep_sides(e, mesh, r->touched[i]);
    uint32_t *edges = &mesh->triangle_edges[0][0];
    const uint32_t *map = e->edges;
    for (size_t i = 0; i < 3 * (size_t)e->element_count; i++)
        edges[i] = edges[i] != SNAG__NO_EDGE ? map[edges[i]] : SNAG__NO_EDGE;
    set_sides(e, mesh);
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t t = r->touched[i];
        if (t < mesh->triangle_count)
            mesh->triangle_holes -= snag__is_hole(mesh->triangles[t], 3);
        memcpy(mesh->triangles[t], e->elements + 3 * (size_t)t, sizeof *mesh->triangles);
        mesh->triangle_holes += snag__is_hole(mesh->triangles[t], 3);
        mesh->triangle_faces[t] = t;
    }
}

// ---- all ----

static void place_new_vertices(const snag__edited *e, double (*x)[3])
{
    const uint32_t count = e->old->vertex_count, given = (uint32_t)e->def->vertices.count;
    for (uint32_t i = 0; i < given; i++)
        snag__positions_get(e->def->vertices, i, x[count + i]);
    for (uint32_t v = count + given; v < e->vertex_count; v++)
        snag__edited_mix(e, (const double(*)[3])x, v, x[v]);
}

static void swap_lists(snag__csr *a, snag__csr *b)
{
    snag__csr kept = *a;
    *a = *b;
    *b = kept;
}

void snag__mesh_repair(snag__mesh *mesh, snag__edited *e)
{
    SNAG__ASSERT(e->old == mesh && e->vertex_count <= mesh->vertex_room && e->repair.edge_count <= mesh->edge_room);
    snag__repair *r = &e->repair;
    r->gone_count = r->made_count = 0;
    place_new_vertices(e, mesh->x_t1);
    if (!snag__mesh_rests(mesh))
        place_new_vertices(e, mesh->x_t0);
    repair_edges(e, mesh);
    repair_vertex_triangles(e, mesh);
    repair_triangles(e, mesh);
    uint32_t(*edges)[2] = mesh->edges;
    mesh->edges = mesh->next_edges;
    mesh->next_edges = edges;
    swap_lists(&mesh->edge_triangles, &mesh->next_edge_triangles);
    swap_lists(&mesh->vertex_triangles, &mesh->next_vertex_triangles);
    memset(mesh->vertex_used + mesh->vertex_count, 0, e->vertex_count - mesh->vertex_count);
    for (uint32_t i = 0; i < r->vertex_places; i++)
        mesh->vertex_used[r->vertices[i].at] = r->vertices[i].count > 0;
    for (uint32_t v = mesh->vertex_count; v <= e->vertex_count; v++)
        mesh->vertex_tets.start[v] = 0;
    mesh->vertex_count = e->vertex_count;
    mesh->triangle_count = e->element_count;
    mesh->edge_count = r->edge_count;
    mesh->has_area = false;
    SNAG__VALIDATE(snag__mesh_validate(mesh));
}
