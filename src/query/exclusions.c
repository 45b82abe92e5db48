#include "query/exclusions.h"

#include "base/counting_sort.h"

#include <stdio.h>
#include <string.h>

// ---- lookups ----

// The items of an element, as parts of the tables: one for each vertex, each edge and the element itself.
enum { SPANS_MAX = 4 + 6 + 1 };

typedef struct spans {
    const uint32_t *items[SPANS_MAX], *end[SPANS_MAX];
    int count;
} spans;

static void add_span(spans *s, const uint32_t *items, uint32_t count)
{
    if (count == 0)
        return;
    s->items[s->count] = items;
    s->end[s->count++] = items + count;
}

// The place of an edge in the tables; UINT32_MAX if it has no item.
static uint32_t find_edge(const snag__excluded_body *body, uint32_t v, uint32_t w)
{
    uint32_t low = v < w ? v : w, high = v ^ w ^ low;
    if (body->edge_start == NULL || high >= body->vertex_count)
        return UINT32_MAX;
    for (uint32_t k = body->edge_start[low]; k < body->edge_start[low + 1]; k++)
        if (body->edge_other[k] == high)
            return k;
    return UINT32_MAX;
}

static void list_spans(const snag__excluded_side *side, spans *s)
{
    const snag__excluded_body *body = side->body;
    s->count = 0;
    for (int i = 0; i < side->count; i++) {
        uint32_t v = side->vertices[i];
        if (v < body->vertex_count)
            add_span(s, body->vertices.items + body->vertices.start[v], body->vertices.start[v + 1] - body->vertices.start[v]);
    }
    for (int i = 0; body->edge_start != NULL && i < side->count; i++)
        for (int k = i + 1; k < side->count; k++) {
            uint32_t at = find_edge(body, side->vertices[i], side->vertices[k]);
            if (at != UINT32_MAX)
                add_span(s, body->edge_item + at, 1);
        }
    if (side->kind == SNAG_TRIANGLE && body->triangles != NULL && side->index < body->triangle_count)
        add_span(s, body->triangles + side->index, body->triangles[side->index] != 0);
    if (side->kind == SNAG_TET && body->tets != NULL && side->index < body->tet_count)
        add_span(s, body->tets + side->index, body->tets[side->index] != 0);
}

// Whether two items are an excluded pair.
static bool are_partners(const snag__csr *partners, uint32_t x, uint32_t y)
{
    uint32_t item = x < y ? x : y, other = x ^ y ^ item, low = partners->start[item], high = partners->start[item + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (partners->items[middle] < other)
            low = middle + 1;
        else
            high = middle;
    }
    return low < partners->start[item + 1] && partners->items[low] == other;
}

// The same as the spans tell where every vertex has at most one item, and nothing else has.
static bool only_items_meet(const struct snag_exclusions *exclusions, const snag__excluded_side *a, const snag__excluded_side *b)
{
    for (int i = 0; i < a->count; i++) {
        uint32_t item = snag__only_item(a->body, a->vertices[i]);
        for (int k = 0; item != 0 && k < b->count; k++) {
            uint32_t other = snag__only_item(b->body, b->vertices[k]);
            if (other != 0 && snag__items_may_meet(&exclusions->hints, item, other) &&
                are_partners(&exclusions->partners, item, other))
                return true;
        }
    }
    return false;
}

static bool has_only_items(const snag__excluded_side *side)
{
    for (int i = 0; i < side->count; i++)
        if (snag__only_item(side->body, side->vertices[i]) == SNAG__ITEM_UNKNOWN)
            return false;
    return !side->body->has_own_items;
}

bool snag__exclusions_have(const struct snag_exclusions *exclusions, const snag__excluded_side *a, const snag__excluded_side *b)
{
    if (!snag__exclusions_may_have(exclusions, a->body, a->vertices, a->count, b->body, b->vertices, b->count))
        return false;
    if (has_only_items(a) && has_only_items(b))
        return only_items_meet(exclusions, a, b);
    spans x, y;
    list_spans(a, &x);
    if (x.count == 0)
        return false;
    list_spans(b, &y);
    for (int i = 0; i < x.count; i++)
        for (int k = 0; k < y.count; k++)
            for (const uint32_t *p = x.items[i]; p < x.end[i]; p++)
                for (const uint32_t *q = y.items[k]; q < y.end[k]; q++)
                    if (are_partners(&exclusions->partners, *p, *q))
                        return true;
    return false;
}

const snag__excluded_body *snag__exclusions_body(const struct snag_exclusions *exclusions, snag_body_id id)
{
    uint32_t low = 0, high = exclusions->body_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (exclusions->bodies[middle].id.index < id.index)
            low = middle + 1;
        else
            high = middle;
    }
    bool here = low < exclusions->body_count && exclusions->bodies[low].id.index == id.index &&
                exclusions->bodies[low].id.generation == id.generation;
    return here ? &exclusions->bodies[low] : NULL;
}

// ---- checks ----

typedef struct making {
    const snag_exclusion_def *def;
    snag__body_finder *find;
    const void *context;
    const snag_allocator *allocator;
    struct snag_exclusions *made;
    snag__words *message;
    snag__record *refs, *scratch;  // elements of the pairs: two for each
    snag__buffer ref_memory;
} making;

static snag_status find_body(const making *m, const char *what, size_t number, snag_body_id id, const snag__body **body)
{
    *body = m->find(m->context, id);
    if (*body == NULL)
        return snag__refuse(m->message, SNAG_ERROR_BODY, "exclude: %s %zu: the id %u/%u names no body", what, number, id.index,
                            id.generation);
    if ((*body)->source != NULL)
        return snag__refuse(m->message, SNAG_ERROR_BODY, "exclude: %s %zu: %s stays on disk and has no elements to exclude", what,
                            number, (*body)->name);
    return SNAG_OK;
}

static bool has_edge(const snag__mesh *mesh, uint32_t v, uint32_t w)
{
    uint32_t low = 0, high = mesh->edge_count, a = v < w ? v : w, b = v ^ w ^ a;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const uint32_t *e = mesh->edges[middle];
        if (e[0] < a || (e[0] == a && e[1] < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low < mesh->edge_count && mesh->edges[low][0] == a && mesh->edges[low][1] == b;
}

static const char *const kind_names[] = {"vertex", "edge", "triangle", "tetrahedron"};

static snag_status check_element(const making *m, size_t number, const snag__body *body, const snag_element *element)
{
    if ((unsigned)element->kind > SNAG_TET)
        return snag__refuse(m->message, SNAG_ERROR_ARGUMENT, "exclude: pair %zu: %d is no kind of element", number,
                            (int)element->kind);
    if (element->kind == SNAG_EDGE) {
        if (has_edge(&body->mesh, element->vertex[0], element->vertex[1]))
            return SNAG_OK;
        return snag__refuse(m->message, SNAG_ERROR_INDEX, "exclude: pair %zu: %s has no edge %u-%u", number, body->name,
                            element->vertex[0], element->vertex[1]);
    }
    uint32_t count = snag__element_count(&body->mesh, element->kind);
    const snag__mesh *mesh = &body->mesh;
    bool removed =
        element->index < count && ((element->kind == SNAG_TRIANGLE && snag__is_hole(mesh->triangles[element->index], 3)) ||
                                   (element->kind == SNAG_TET && snag__is_hole(mesh->tets[element->index], 4)));
    if (removed)
        return snag__refuse(m->message, SNAG_ERROR_INDEX, "exclude: pair %zu: %s %u of %s was removed", number,
                            kind_names[element->kind], element->index, body->name);
    if (element->index < count)
        return SNAG_OK;
    return snag__refuse(m->message, SNAG_ERROR_INDEX, "exclude: pair %zu: %s %u does not exist (%s has %u)", number,
                        kind_names[element->kind], element->index, body->name, count);
}

static snag_status check_pairs(const making *m)
{
    for (size_t i = 0; i < m->def->pair_count; i++) {
        const snag_excluded_pair *pair = &m->def->pairs[i];
        const snag__body *a, *b;
        snag_status status = find_body(m, "pair", i, pair->body_a, &a);
        if (status == SNAG_OK)
            status = find_body(m, "pair", i, pair->body_b, &b);
        if (status == SNAG_OK)
            status = check_element(m, i, a, &pair->a);
        if (status == SNAG_OK)
            status = check_element(m, i, b, &pair->b);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

static snag_status check_set(const making *m, size_t number, snag_body_id id, const uint32_t *vertices, size_t count)
{
    const snag__body *body;
    snag_status status = find_body(m, "sets", number, id, &body);
    if (status != SNAG_OK)
        return status;
    if (vertices == NULL && count > 0)
        return snag__refuse(m->message, SNAG_ERROR_ARGUMENT, "exclude: sets %zu: the vertices are NULL, and their count is %zu",
                            number, count);
    for (size_t i = 0; i < count; i++)
        if (vertices[i] >= body->mesh.vertex_count)
            return snag__refuse(m->message, SNAG_ERROR_INDEX, "exclude: sets %zu: vertex %u does not exist (%s has %u)", number,
                                vertices[i], body->name, body->mesh.vertex_count);
    return SNAG_OK;
}

static snag_status check(const making *m)
{
    const snag_exclusion_def *def = m->def;
    if ((def->pairs == NULL && def->pair_count > 0) || (def->sets == NULL && def->set_count > 0))
        return snag__refuse(m->message, SNAG_ERROR_ARGUMENT, "exclude: the %s are NULL, and their count is %zu",
                            def->pairs == NULL && def->pair_count > 0 ? "pairs" : "sets",
                            def->pairs == NULL && def->pair_count > 0 ? def->pair_count : def->set_count);
    if (def->pair_count > UINT32_MAX / 4 || def->set_count > UINT32_MAX / 4)
        return snag__refuse(m->message, SNAG_ERROR_SIZE, "exclude: more pairs and sets than can be numbered (%zu and %zu)",
                            def->pair_count, def->set_count);
    snag_status status = check_pairs(m);
    for (size_t i = 0; i < def->set_count && status == SNAG_OK; i++) {
        const snag_excluded_sets *sets = &def->sets[i];
        status = check_set(m, i, sets->body_a, sets->vertices_a, sets->count_a);
        if (status == SNAG_OK)
            status = check_set(m, i, sets->body_b, sets->vertices_b, sets->count_b);
    }
    return status;
}

// ---- bodies ----

// Where a body is, or belongs, in the sorted list.
static uint32_t place_of(const struct snag_exclusions *made, snag_body_id id)
{
    uint32_t at = 0;
    while (at < made->body_count && made->bodies[at].id.index < id.index)
        at++;
    return at;
}

static bool add_body(making *m, snag_body_id id)
{
    struct snag_exclusions *made = m->made;
    if (snag__exclusions_body(made, id) != NULL)
        return true;
    if (!snag__buffer_reserve(m->allocator, &made->body_memory, made->body_count, made->body_count + 1u, sizeof *made->bodies))
        return false;
    made->bodies = made->body_memory.data;
    uint32_t at = place_of(made, id);
    memmove(made->bodies + at + 1, made->bodies + at, (made->body_count - at) * sizeof *made->bodies);
    const snag__mesh *mesh = &m->find(m->context, id)->mesh;
    made->bodies[at] = (snag__excluded_body){
        .id = id,
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .tet_count = mesh->tet_count,
    };
    made->body_count++;
    return true;
}

static bool add_bodies(making *m)
{
    const snag_exclusion_def *def = m->def;
    for (size_t i = 0; i < def->pair_count; i++)
        if (!add_body(m, def->pairs[i].body_a) || !add_body(m, def->pairs[i].body_b))
            return false;
    for (size_t i = 0; i < def->set_count; i++)
        if (!add_body(m, def->sets[i].body_a) || !add_body(m, def->sets[i].body_b))
            return false;
    return true;
}

static uint32_t slot_of(const making *m, snag_body_id id)
{
    return (uint32_t)(snag__exclusions_body(m->made, id) - m->made->bodies);
}

// ---- items ----

// Elements of the pairs, sorted by body and kind, then by number, so that equal ones are neighbours. A record of an element: `extra`
// says where it stands, twice the pair plus its side; `kind` is body and kind; the bits of `value` are its number, of an edge both
// vertices.
static snag__record ref_of(const making *m, snag_body_id id, const snag_element *element, uint32_t where)
{
    const uint32_t *v = element->vertex;
    uint64_t number = element->index;
    if (element->kind == SNAG_EDGE)
        number = v[0] < v[1] ? (uint64_t)v[0] << 32 | v[1] : (uint64_t)v[1] << 32 | v[0];
    snag__record ref = {.key = number, .kind = slot_of(m, id) << 2 | (uint32_t)element->kind, .extra = where};
    memcpy(&ref.value, &number, sizeof number);
    return ref;
}

static uint64_t number_of(const snag__record *ref)
{
    uint64_t number;
    memcpy(&number, &ref->value, sizeof number);
    return number;
}

static bool sort_refs(making *m)
{
    const snag_exclusion_def *def = m->def;
    const size_t count = 2 * def->pair_count;
    const snag__room rooms[] = {{NULL, &m->refs, count + 1, sizeof *m->refs}, {NULL, &m->scratch, count + 1, sizeof *m->scratch}};
    if (!snag__rooms_carve(m->allocator, &m->ref_memory, rooms, 2))
        return false;
    for (size_t i = 0; i < def->pair_count; i++) {
        m->refs[2 * i] = ref_of(m, def->pairs[i].body_a, &def->pairs[i].a, (uint32_t)(2 * i));
        m->refs[2 * i + 1] = ref_of(m, def->pairs[i].body_b, &def->pairs[i].b, (uint32_t)(2 * i + 1));
    }
    snag__sort_records(m->refs, m->scratch, count);
    for (size_t i = 0; i < count; i++)
        m->refs[i].key = m->refs[i].kind;
    snag__sort_records(m->refs, m->scratch, count);
    return true;
}

// Room for the tables of a body that have entries. Lists of vertices and edges are counted in start[v + 1] and filled later.
static bool reserve_tables(const making *m, snag__excluded_body *body)
{
    const uint32_t vertices = body->vertex_count;
    const size_t *counts = body->counts;
    const snag__room rooms[] = {
        {&body->memory[0], &body->vertices.start, vertices + 2u, sizeof(uint32_t)},
        {&body->memory[1], &body->vertices.items, counts[SNAG_VERTEX] + 1, sizeof(uint32_t)},
        {&body->memory[2], &body->edge_start, vertices + 2u, sizeof(uint32_t)},
        {&body->memory[3], &body->edge_other, 2 * counts[SNAG_EDGE] + 1, sizeof(uint32_t)},
        {&body->memory[4], &body->triangles, body->triangle_count + 1u, sizeof(uint32_t)},
        {&body->memory[5], &body->tets, body->tet_count + 1u, sizeof(uint32_t)},
    };
    bool edges = counts[SNAG_EDGE] > 0, triangles = counts[SNAG_TRIANGLE] > 0, tets = counts[SNAG_TET] > 0;
    if (!snag__rooms_reserve(m->allocator, rooms, 2) || (edges && !snag__rooms_reserve(m->allocator, rooms + 2, 2)) ||
        (triangles && !snag__rooms_reserve(m->allocator, rooms + 4, 1)) ||
        (tets && !snag__rooms_reserve(m->allocator, rooms + 5, 1)))
        return false;
    body->edge_item = edges ? body->edge_other + counts[SNAG_EDGE] : NULL;
    memset(body->vertices.start, 0, (vertices + 2u) * sizeof(uint32_t));
    if (edges)
        memset(body->edge_start, 0, (vertices + 2u) * sizeof(uint32_t));
    if (triangles)
        memset(body->triangles, 0, body->triangle_count * sizeof(uint32_t));
    if (tets)
        memset(body->tets, 0, body->tet_count * sizeof(uint32_t));
    return true;
}

// Calls `use` for every entry of the tables: of elements, and of vertices of sets. Items are numbered on the way.
typedef void use_entry(snag__excluded_body *body, snag_element_kind kind, uint64_t number, uint32_t item);

static void each_entry(const making *m, use_entry *use)
{
    const snag_exclusion_def *def = m->def;
    uint32_t item = 0;
    for (size_t i = 0; i < 2 * def->pair_count; i++) {
        const snag__record *ref = &m->refs[i];
        bool again = i > 0 && ref->key == m->refs[i - 1].key && number_of(ref) == number_of(&m->refs[i - 1]);
        if (!again)
            use(&m->made->bodies[ref->key >> 2], (snag_element_kind)(ref->key & 3), number_of(ref), ++item);
        m->scratch[ref->extra].kind = item;
    }
    for (size_t i = 0; i < 2 * def->set_count; i++) {
        const snag_excluded_sets *sets = &def->sets[i / 2];
        const uint32_t *vertices = i % 2 == 0 ? sets->vertices_a : sets->vertices_b;
        size_t count = i % 2 == 0 ? sets->count_a : sets->count_b;
        snag__excluded_body *body = &m->made->bodies[slot_of(m, i % 2 == 0 ? sets->body_a : sets->body_b)];
        item++;
        for (size_t k = 0; k < count; k++)
            use(body, SNAG_VERTEX, vertices[k], item);
    }
}

static void count_entry(snag__excluded_body *body, snag_element_kind kind, uint64_t number, uint32_t item)
{
    (void)item;
    if (kind == SNAG_VERTEX)
        body->vertices.start[number + 1]++;
    if (kind == SNAG_EDGE)
        body->edge_start[(number >> 32) + 1]++;
}

static void write_entry(snag__excluded_body *body, snag_element_kind kind, uint64_t number, uint32_t item)
{
    uint32_t at;
    switch (kind) {
    case SNAG_VERTEX: body->vertices.items[body->vertices.start[number]++] = item; break;
    case SNAG_EDGE:
        at = body->edge_start[number >> 32]++;
        body->edge_other[at] = (uint32_t)number;
        body->edge_item[at] = item;
        break;
    case SNAG_TRIANGLE: body->triangles[number] = item; break;
    default: body->tets[number] = item; break;
    }
}

static bool make_tables(making *m)
{
    const snag_exclusion_def *def = m->def;
    struct snag_exclusions *made = m->made;
    for (size_t i = 0; i < 2 * def->pair_count; i++)
        made->bodies[m->refs[i].key >> 2].counts[m->refs[i].key & 3]++;
    for (size_t i = 0; i < def->set_count; i++) {
        made->bodies[slot_of(m, def->sets[i].body_a)].counts[SNAG_VERTEX] += def->sets[i].count_a;
        made->bodies[slot_of(m, def->sets[i].body_b)].counts[SNAG_VERTEX] += def->sets[i].count_b;
    }
    for (uint32_t slot = 0; slot < made->body_count; slot++)
        if (!reserve_tables(m, &made->bodies[slot]))
            return false;
    each_entry(m, count_entry);
    for (uint32_t slot = 0; slot < made->body_count; slot++) {
        snag__sizes_to_starts(made->bodies[slot].vertices.start, made->bodies[slot].vertex_count + 1);
        if (made->bodies[slot].edge_start != NULL)
            snag__sizes_to_starts(made->bodies[slot].edge_start, made->bodies[slot].vertex_count + 1);
    }
    each_entry(m, write_entry);
    for (uint32_t slot = 0; slot < made->body_count; slot++) {
        snag__cursors_to_starts(made->bodies[slot].vertices.start, made->bodies[slot].vertex_count + 1);
        if (made->bodies[slot].edge_start != NULL)
            snag__cursors_to_starts(made->bodies[slot].edge_start, made->bodies[slot].vertex_count + 1);
    }
    return true;
}

// Notes the only items of vertices, and which have more.
static bool note_only_items(const making *m)
{
    for (uint32_t slot = 0; slot < m->made->body_count; slot++) {
        snag__excluded_body *body = &m->made->bodies[slot];
        if (!snag__buffer_reserve(m->allocator, &body->memory[6], 0, body->vertex_count + 1u, sizeof(uint32_t)))
            return false;
        body->only = body->memory[6].data;
        body->has_own_items = body->triangles != NULL || body->tets != NULL;
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            uint32_t first = body->vertices.start[v], count = body->vertices.start[v + 1] - first;
            body->only[v] = count == 0 ? 0 : count == 1 ? body->vertices.items[first] : SNAG__ITEM_UNKNOWN;
        }
        for (uint32_t v = 0; body->edge_start != NULL && v < body->vertex_count; v++)
            for (uint32_t k = body->edge_start[v]; k < body->edge_start[v + 1]; k++)
                body->only[v] = body->only[body->edge_other[k]] = SNAG__ITEM_UNKNOWN;
    }
    return true;
}

static uint64_t key_of(uint32_t x, uint32_t y)
{
    return x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
}

static bool make_partners(making *m)
{
    const size_t pairs = m->def->pair_count, sets = m->def->set_count, count = pairs + sets;
    uint32_t items = 0;
    for (size_t i = 0; i < 2 * pairs; i++)
        items = m->scratch[i].kind > items ? m->scratch[i].kind : items;
    uint64_t *keys, *scratch;
    snag__csr *partners = &m->made->partners;
    snag__buffer memory = {0};
    const snag__room work[] = {{NULL, &keys, count + 1, sizeof *keys}, {NULL, &scratch, count + 1, sizeof *scratch}};
    const snag__room kept[] = {{NULL, &partners->start, items + 2 * sets + 3, sizeof(uint32_t)},
                               {NULL, &partners->items, count + 1, sizeof(uint32_t)}};
    if (!snag__rooms_carve(m->allocator, &m->made->partner_memory, kept, 2) || !snag__rooms_carve(m->allocator, &memory, work, 2))
        return false;
    for (size_t i = 0; i < pairs; i++)
        keys[i] = key_of(m->scratch[2 * i].kind, m->scratch[2 * i + 1].kind);
    for (size_t i = 0; i < sets; i++)
        keys[pairs + i] = key_of(items + 2 * (uint32_t)i + 1, items + 2 * (uint32_t)i + 2);
    const uint64_t *sorted = snag__sort_words(keys, scratch, count, 0, 64);
    memset(partners->start, 0, (items + 2 * sets + 3) * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++) {
        partners->start[(sorted[i] >> 32) + 1]++;
        partners->items[i] = (uint32_t)sorted[i];
    }
    snag__sizes_to_starts(partners->start, items + 2 * (uint32_t)sets + 2);
    snag__buffer_free(m->allocator, &memory);
    return snag__exclusion_hints_make(&m->made->hints, partners, items + 2 * (uint32_t)sets, m->allocator);
}

snag_status snag__exclusions_make(const snag_exclusion_def *def, snag__body_finder *find, const void *context,
                                  const snag_allocator *allocator, struct snag_exclusions **made, snag__words *message)
{
    making m = {.def = def, .find = find, .context = context, .allocator = allocator, .message = message};
    *made = NULL;
    snag_status status = check(&m);
    if (status != SNAG_OK)
        return status;
    m.made = snag__allocate(allocator, 1, sizeof *m.made);
    if (m.made != NULL)
        *m.made = (struct snag_exclusions){0};
    bool done = m.made != NULL && add_bodies(&m) && sort_refs(&m) && make_tables(&m) && note_only_items(&m) && make_partners(&m);
    snag__buffer_free(allocator, &m.ref_memory);
    if (!done) {
        snag__exclusions_free(allocator, m.made);
        return snag__refuse(message, SNAG_ERROR_MEMORY, "exclude: the allocator has no more memory");
    }
    *made = m.made;
    return SNAG_OK;
}

// ---- edits ----

static snag__excluded_body *edited_body(const struct snag_exclusions *exclusions, snag_body_id id)
{
    const snag__excluded_body *body = snag__exclusions_body(exclusions, id);
    return body != NULL && body->triangles != NULL ? exclusions->bodies + (body - exclusions->bodies) : NULL;
}

bool snag__exclusions_reserve_edit(struct snag_exclusions *exclusions, snag_body_id id, uint32_t count,
                                   const snag_allocator *allocator)
{
    snag__excluded_body *body = edited_body(exclusions, id);
    if (body == NULL)
        return true;
    // Old and new items, side by side.
    if (!snag__buffer_reserve(allocator, &body->memory[4], body->triangle_count, (size_t)body->triangle_count + count + 1,
                              sizeof(uint32_t)))
        return false;
    body->triangles = body->memory[4].data;
    return true;
}

void snag__exclusions_edit(struct snag_exclusions *exclusions, snag_body_id id, const uint32_t *triangles, uint32_t count)
{
    snag__excluded_body *body = edited_body(exclusions, id);
    if (body == NULL)
        return;
    uint32_t *made = body->triangles + body->triangle_count;
    memset(made, 0, count * sizeof *made);
    for (uint32_t t = 0; t < body->triangle_count; t++)
        if (triangles[t] != UINT32_MAX)
            made[triangles[t]] = body->triangles[t];
    memmove(body->triangles, made, count * sizeof *made);
    body->triangle_count = count;
}

void snag__exclusions_free(const snag_allocator *allocator, struct snag_exclusions *exclusions)
{
    if (exclusions == NULL)
        return;
    for (uint32_t i = 0; i < exclusions->body_count; i++)
        snag__buffers_free(allocator, exclusions->bodies[i].memory, 7);
    snag__buffer_free(allocator, &exclusions->body_memory);
    snag__buffer_free(allocator, &exclusions->partner_memory);
    snag__exclusion_hints_free(allocator, &exclusions->hints);
    snag__release(allocator, exclusions, 1, sizeof *exclusions);
}
