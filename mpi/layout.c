// A decomposition for contact: every part has the elements that reach into it, and all elements that share a vertex with those. With these
// neighbours every rule about the surface around a feature is decided as in the whole body (see docs/design/scale.md).
#include "mpi_inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- memory ----

static void free_lists(snag_mpi *m, void **lists, int count)
{
    for (int i = 0; lists != NULL && i < count; i++)
        mpi_free(m, lists[i]);
    mpi_free(m, lists);
}

static void free_dealt(snag_mpi *m, dealt *d)
{
    sets_free(m, &d->elements);
    sets_free(m, &d->vertices);
    free_lists(m, (void **)d->send, m->size);
    mpi_free(m, d->send_count);
    mpi_free(m, d->send_capacity);
    *d = (dealt){.send = NULL};
}

static void free_held(snag_mpi *m, held *h)
{
    free_lists(m, (void **)h->receive, m->size);
    free_lists(m, (void **)h->slots, m->size);
    mpi_free(m, h->receive_count);
    mpi_free(m, h->receive_capacity);
    mpi_free(m, h->elements);
    mpi_free(m, h->vertices);
    mpi_free(m, h->edges);
    mpi_free(m, h->inside);
    *h = (held){.elements = NULL};
}

// What was dealt out; the cuts and the weights stay.
static void undeal(snag_mpi *m, layout *l)
{
    for (uint32_t i = 0; i < l->body_count; i++) {
        if (l->dealt != NULL)
            free_dealt(m, &l->dealt[i]);
        if (l->held != NULL)
            free_held(m, &l->held[i]);
    }
    mpi_free(m, l->dealt);
    mpi_free(m, l->held);
    snag_world_destroy(l->world);
    l->dealt = NULL;
    l->held = NULL;
    l->world = NULL;
    l->made = false;
}

void layout_free(snag_mpi *m, layout *l)
{
    undeal(m, l);
    for (uint32_t i = 0; l->weights != NULL && i < l->body_count; i++)
        mpi_free(m, l->weights[i]);
    mpi_free(m, l->weights);
    cut_free(l);
    *l = (layout){.cost = -1};
}

static bool begin_dealt(snag_mpi *m, layout *l, uint32_t i)
{
    const size_t n = (size_t)m->size;
    dealt *d = &l->dealt[i];
    held *h = &l->held[i];
    d->send = mpi_take(m, n, sizeof *d->send);
    d->send_count = mpi_take(m, n, sizeof *d->send_count);
    d->send_capacity = mpi_take(m, n, sizeof *d->send_capacity);
    h->receive = mpi_take(m, n, sizeof *h->receive);
    h->slots = mpi_take(m, n, sizeof *h->slots);
    h->receive_count = mpi_take(m, n, sizeof *h->receive_count);
    h->receive_capacity = mpi_take(m, n, sizeof *h->receive_capacity);
    h->changed = true;
    return m->status == SNAG_OK && sets_begin(m, &d->elements, m->bodies[i].sets[l->set].count) &&
           sets_begin(m, &d->vertices, m->bodies[i].vertex_count);
}

static void begin_layout(snag_mpi *m, layout *l, int set)
{
    if (l->dealt != NULL)
        return;
    l->set = set;
    l->body_count = m->body_count;
    l->dealt = mpi_take(m, m->body_count, sizeof *l->dealt);
    l->held = mpi_take(m, m->body_count, sizeof *l->held);
    for (uint32_t i = 0; i < m->body_count && m->status == SNAG_OK; i++)
        begin_dealt(m, l, i);
    if (l->weights == NULL) {
        l->weights = mpi_take(m, m->body_count, sizeof *l->weights);
        for (uint32_t i = 0; i < m->body_count && m->status == SNAG_OK; i++) {
            size_t count = m->bodies[i].sets[set].count;
            l->weights[i] = mpi_take(m, count, sizeof **l->weights);
            for (size_t e = 0; e < count && m->status == SNAG_OK; e++)
                l->weights[i][e] = 1;
        }
    }
    snag_world_def def = snag_default_world_def();
    def.threads = m->def.threads;
    def.isa = m->def.isa;
    def.allocator = m->def.allocator;
    if (m->status == SNAG_OK && snag_world_create(&def, &l->world) != SNAG_OK)
        mpi_fail(m, SNAG_ERROR_MEMORY, "the allocator has no more memory");
}

// ---- which parts need what ----

typedef struct set_record {
    uint64_t number;
    uint32_t body;
    int32_t part;
} set_record;

static void post_parts(snag_mpi *m, outbox *box, int32_t to, const part_sets *sets, uint32_t vertex, uint32_t body_index)
{
    size_t count;
    set_record record = {m->bodies[body_index].numbers[vertex], body_index, sets->first[vertex]};
    if (record.part < 0)
        return;
    mpi_post(m, box, to, &record);
    const set_entry *more = sets_more(sets, vertex, &count);
    for (size_t i = 0; i < count; i++) {
        record.part = more[i].part;
        mpi_post(m, box, to, &record);
    }
}

static void add_records(snag_mpi *m, part_sets *sets, const arrivals *got)
{
    const set_record *records = (const set_record *)got->data;
    for (size_t i = 0; i < got->count; i++) {
        uint32_t b = records[i].body;
        sets_add(m, &sets[b], body_find(&m->bodies[b], records[i].number), records[i].part);
    }
    for (uint32_t i = 0; i < m->body_count; i++)
        sets_sort(&sets[i]);
}

// Collective: the sets of vertices that several ranks have become the union of all of theirs, at the authority or (`both`) everywhere.
static snag_status join_seams(snag_mpi *m, part_sets *sets, bool both)
{
    outbox box = {.size = sizeof(set_record)};
    arrivals got;
    for (uint32_t i = 0; i < m->body_count; i++) {
        sets_sort(&sets[i]);
        const body *b = &m->bodies[i];
        for (size_t v = 0; v < b->vertex_count && m->status == SNAG_OK; v++)
            if (b->authority[v] != m->rank)
                post_parts(m, &box, b->authority[v], &sets[i], (uint32_t)v, i);
    }
    snag_status status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    add_records(m, sets, &got);
    mpi_arrivals_free(m, &got);
    if (!both)
        return mpi_settle(m);
    for (uint32_t i = 0; i < m->body_count; i++)
        for (size_t s = 0; s < m->bodies[i].shared_count && m->status == SNAG_OK; s++)
            post_parts(m, &box, m->bodies[i].shared[s].rank, &sets[i], m->bodies[i].shared[s].vertex, i);
    status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    add_records(m, sets, &got);
    mpi_arrivals_free(m, &got);
    return mpi_settle(m);
}

typedef struct dealing {
    layout *l;
    deal_rule *rule;
    void *context;
    double inflate;
    part_sets *near;  // by body: parts that an element at the vertex reaches
    part_sets *fresh;  // by body: parts that get a vertex of this rank with a new element
    int *parts;  // room for the rule
    outbox elements, vertices;
} dealing;

static void mark_vertices(snag_mpi *m, dealing *d, uint32_t i)
{
    const body *b = &m->bodies[i];
    const elements *set = &b->sets[d->l->set];
    for (size_t e = 0; e < set->count && m->status == SNAG_OK; e++) {
        double lo[3], hi[3];
        body_box(b, set, e, d->inflate, lo, hi);
        int count = d->rule(m, d->context, i, lo, hi, d->parts);
        for (int p = 0; p < count; p++)
            for (uint32_t k = 0; k < set->corners; k++)
                sets_add(m, &d->near[i], set->vertices[e * set->corners + k], d->parts[p]);
    }
}

typedef struct sent_element {
    part_element element;
    uint32_t body, unused;
} sent_element;

typedef struct sent_vertex {
    part_vertex vertex;
    uint32_t body, unused;
} sent_vertex;

// False if the part has it already.
static bool send_element(snag_mpi *m, dealing *d, uint32_t i, size_t e, int32_t part)
{
    const body *b = &m->bodies[i];
    const elements *set = &b->sets[d->l->set];
    d->l->needed++;
    if (sets_has(&d->l->dealt[i].elements, (uint32_t)e, part))
        return false;
    sent_element record = {.element = {.number = set->numbers[e], .rank = m->rank}, .body = i};
    for (uint32_t k = 0; k < set->corners; k++) {
        uint32_t v = set->vertices[e * set->corners + k];
        record.element.corner[k] = b->numbers[v];
        sets_add(m, &d->fresh[i], v, part);
    }
    record.element.faces = set->faces != NULL ? set->faces[e] : 0;
    d->l->kept++;
    return mpi_post(m, &d->elements, part, &record);
}

// Adds a part to a list without doubles.
static size_t add_part(int *parts, size_t count, int32_t part)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i] == part)
            return count;
    if (part >= 0)
        parts[count++] = part;
    return count;
}

// An element goes to the parts of all its vertices: with the one that reaches into a part come all that share a vertex with it.
static void send_elements(snag_mpi *m, dealing *d, uint32_t i)
{
    const elements *set = &m->bodies[i].sets[d->l->set];
    const part_sets *near = &d->near[i];
    set_entry *added = NULL;  // the sets are searched in the loop, and so changed after it
    size_t added_count = 0, capacity = 0;
    for (size_t e = 0; e < set->count && m->status == SNAG_OK; e++) {
        size_t count = 0;
        for (uint32_t k = 0; k < set->corners; k++) {
            size_t more_count;
            uint32_t v = set->vertices[e * set->corners + k];
            const set_entry *more = sets_more(near, v, &more_count);
            count = add_part(d->parts, count, near->first[v]);
            for (size_t p = 0; p < more_count; p++)
                count = add_part(d->parts, count, more[p].part);
        }
        for (size_t p = 0; p < count; p++)
            if (send_element(m, d, i, e, d->parts[p]) && mpi_grow(m, &added, &capacity, added_count + 1, sizeof *added))
                added[added_count++] = (set_entry){(uint32_t)e, d->parts[p]};
    }
    for (size_t k = 0; k < added_count; k++)
        sets_add(m, &d->l->dealt[i].elements, added[k].item, added[k].part);
    sets_sort(&d->l->dealt[i].elements);
    mpi_free(m, added);
}

// Vertices that go to a part for the first time, from their authority.
static void send_vertices(snag_mpi *m, dealing *d, uint32_t i)
{
    const body *b = &m->bodies[i];
    dealt *to = &d->l->dealt[i];
    for (size_t v = 0; v < b->vertex_count && m->status == SNAG_OK; v++) {
        size_t count;
        if (b->authority[v] != m->rank || d->fresh[i].first[v] < 0)
            continue;
        const set_entry *more = sets_more(&d->fresh[i], (uint32_t)v, &count);
        for (size_t p = 0; p <= count && m->status == SNAG_OK; p++) {
            int32_t part = p == 0 ? d->fresh[i].first[v] : more[p - 1].part;
            if (sets_has(&to->vertices, (uint32_t)v, part))
                continue;
            sent_vertex record = {.vertex = {.number = b->numbers[v], .rank = m->rank}, .body = i};
            memcpy(record.vertex.x_t0, b->x_t0[v], sizeof record.vertex.x_t0);
            memcpy(record.vertex.x_t1, b->x_t1[v], sizeof record.vertex.x_t1);
            mpi_post(m, &d->vertices, part, &record);
            if (mpi_grow(m, &to->send[part], &to->send_capacity[part], to->send_count[part] + 1, sizeof **to->send))
                to->send[part][to->send_count[part]++] = (uint32_t)v;
        }
    }
    for (size_t v = 0; v < b->vertex_count && m->status == SNAG_OK; v++) {
        size_t count;
        if (b->authority[v] != m->rank || d->fresh[i].first[v] < 0)
            continue;
        const set_entry *more = sets_more(&d->fresh[i], (uint32_t)v, &count);
        sets_add(m, &to->vertices, (uint32_t)v, d->fresh[i].first[v]);
        for (size_t p = 0; p < count; p++)
            sets_add(m, &to->vertices, (uint32_t)v, more[p].part);
    }
    sets_sort(&to->vertices);
}

// ---- this rank's part ----

static int compare_elements(const void *a, const void *b)
{
    const part_element *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int compare_vertices(const void *a, const void *b)
{
    const part_vertex *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static uint32_t slot_of(const held *h, uint64_t number)
{
    size_t low = 0, high = h->vertex_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->vertices[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void take_in(snag_mpi *m, layout *l, const arrivals *elements_got, const arrivals *vertices_got)
{
    for (size_t i = 0; i < elements_got->count && m->status == SNAG_OK; i++) {
        const sent_element *record = (const sent_element *)elements_got->data + i;
        held *h = &l->held[record->body];
        if (mpi_grow(m, &h->elements, &h->element_capacity, h->element_count + 1, sizeof *h->elements))
            h->elements[h->element_count++] = record->element;
        h->changed = true;
    }
    for (int source = 0; source < m->size; source++)
        for (size_t i = vertices_got->first[source]; i < vertices_got->first[source + 1] && m->status == SNAG_OK; i++) {
            const sent_vertex *record = (const sent_vertex *)vertices_got->data + i;
            held *h = &l->held[record->body];
            if (mpi_grow(m, &h->vertices, &h->vertex_capacity, h->vertex_count + 1, sizeof *h->vertices) &&
                mpi_grow(m, &h->receive[source], &h->receive_capacity[source], h->receive_count[source] + 1, sizeof **h->receive)) {
                h->vertices[h->vertex_count++] = record->vertex;
                h->receive[source][h->receive_count[source]++] = record->vertex.number;
            }
            h->changed = true;
        }
}

static void sort_held(snag_mpi *m, held *h)
{
    if (h->element_count > 1)
        qsort(h->elements, h->element_count, sizeof *h->elements, compare_elements);
    if (h->vertex_count > 1)
        qsort(h->vertices, h->vertex_count, sizeof *h->vertices, compare_vertices);
    for (int source = 0; source < m->size; source++) {
        mpi_free(m, h->slots[source]);
        h->slots[source] = mpi_take(m, h->receive_count[source], sizeof **h->slots);
        for (size_t i = 0; h->slots[source] != NULL && i < h->receive_count[source]; i++)
            h->slots[source][i] = slot_of(h, h->receive[source][i]);
    }
    mpi_free(m, h->edges);
    mpi_free(m, h->inside);
    h->edges = NULL;
    h->inside = NULL;
}

static void renew_body(snag_mpi *m, layout *l, uint32_t i)
{
    held *h = &l->held[i];
    const uint32_t corners = m->bodies[i].sets[l->set].corners;
    double *x = mpi_take(m, 6 * h->vertex_count, sizeof *x);
    uint32_t *vertices = mpi_take(m, corners * h->element_count, sizeof *vertices);
    snag_body_def def = snag_default_body_def();
    if (x != NULL && vertices != NULL) {
        bool moved = false;
        double *x_t1 = x + 3 * h->vertex_count;
        for (size_t v = 0; v < h->vertex_count; v++) {
            memcpy(x + 3 * v, h->vertices[v].x_t0, 3 * sizeof *x);
            memcpy(x_t1 + 3 * v, h->vertices[v].x_t1, 3 * sizeof *x);
            moved = moved || memcmp(x + 3 * v, x_t1 + 3 * v, 3 * sizeof *x) != 0;
        }
        for (size_t e = 0; e < h->element_count; e++)
            for (uint32_t k = 0; k < corners; k++)
                vertices[e * corners + k] = slot_of(h, h->elements[e].corner[k]);
        // Elements that stand for vertices have the highest numbers, so they come last. A triangle would bring edges with it; a point brings none.
        size_t triangles = h->element_count, points = 0;
        while (corners == 3 && triangles > 0 && h->elements[triangles - 1].number >= VERTEX_NUMBER(0))
            triangles--;
        for (size_t e = triangles; e < h->element_count; e++)
            vertices[3 * triangles + points++] = vertices[3 * e];
        def.name = m->bodies[i].name;
        def.positions = snag_positions_f64(x, h->vertex_count);
        if (corners == 3) {
            def.triangles = vertices;
            def.triangle_count = triangles;
            def.points = vertices + 3 * triangles;
            def.point_count = points;
        } else if (corners == 4) {
            def.tets = vertices;
            def.tet_count = h->element_count;
        }
        snag_status status = h->id.index != 0 ? snag_world_remove(l->world, h->id) : SNAG_OK;
        if (status == SNAG_OK)
            status = snag_world_add(l->world, &def, &h->id);
        if (status == SNAG_OK && moved)
            status = snag_world_move(l->world, h->id, snag_positions_f64(x_t1, h->vertex_count));
        if (status != SNAG_OK)
            mpi_fail(m, status, "%s", snag_world_message(l->world));
        else if (h->id.index != i + 1)
            mpi_fail(m, SNAG_ERROR_BODY, "%s: the world has numbered the body %u", m->bodies[i].name, h->id.index);
        h->moved = moved;
        h->changed = false;
    }
    mpi_free(m, x);
    mpi_free(m, vertices);
}

// ---- dealing ----

static snag_status exchange_dealt(snag_mpi *m, dealing *d)
{
    layout *l = d->l;
    arrivals elements_got = {0}, vertices_got = {0};
    snag_status status = mpi_deliver(m, &d->elements, &elements_got);
    if (status == SNAG_OK)
        status = mpi_deliver(m, &d->vertices, &vertices_got);
    if (status == SNAG_OK) {
        take_in(m, l, &elements_got, &vertices_got);
        for (uint32_t i = 0; i < m->body_count && m->status == SNAG_OK; i++)
            if (l->held[i].changed) {
                sort_held(m, &l->held[i]);
                if (m->status == SNAG_OK)
                    renew_body(m, l, i);
            }
        status = mpi_settle(m);
    }
    mpi_arrivals_free(m, &elements_got);
    mpi_arrivals_free(m, &vertices_got);
    return status;
}

static snag_status run_dealing(snag_mpi *m, dealing *d)
{
    for (uint32_t i = 0; i < m->body_count && m->status == SNAG_OK; i++)
        if (sets_begin(m, &d->near[i], m->bodies[i].vertex_count) && sets_begin(m, &d->fresh[i], m->bodies[i].vertex_count))
            mark_vertices(m, d, i);
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK)
        status = join_seams(m, d->near, true);
    if (status != SNAG_OK)
        return status;
    for (uint32_t i = 0; i < m->body_count; i++)
        send_elements(m, d, i);
    status = mpi_settle(m);
    if (status == SNAG_OK)
        status = join_seams(m, d->fresh, false);
    if (status != SNAG_OK)
        return status;
    for (uint32_t i = 0; i < m->body_count; i++)
        send_vertices(m, d, i);
    return exchange_dealt(m, d);
}

static snag_status deal(snag_mpi *m, layout *l, int set, deal_rule *rule, void *context, double inflate)
{
    begin_layout(m, l, set);
    dealing d = {
        .l = l,
        .rule = rule,
        .context = context,
        .inflate = inflate,
        .near = mpi_take(m, m->body_count, sizeof *d.near),
        .fresh = mpi_take(m, m->body_count, sizeof *d.fresh),
        .parts = mpi_take(m, 2 * (size_t)m->size, sizeof *d.parts),
        .elements = {.size = sizeof(sent_element)},
        .vertices = {.size = sizeof(sent_vertex)},
    };
    l->needed = 0;
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK)
        status = run_dealing(m, &d);
    for (uint32_t i = 0; i < m->body_count; i++) {
        if (d.near != NULL)
            sets_free(m, &d.near[i]);
        if (d.fresh != NULL)
            sets_free(m, &d.fresh[i]);
    }
    void *arrays[] = {d.near, d.fresh, d.parts, d.elements.records, d.elements.to, d.vertices.records, d.vertices.to};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mpi_free(m, arrays[i]);
    l->made = status == SNAG_OK;
    m->assignment_count++;
    if (status != SNAG_OK)
        layout_free(m, l);
    return status;
}

snag_status layout_deal(snag_mpi *m, layout *l, int set, deal_rule *rule, void *context)
{
    undeal(m, l);
    l->kept = 0;
    return deal(m, l, set, rule, context, 0);
}

static int parts_of_box(snag_mpi *m, void *context, uint32_t body_index, const double lo[3], const double hi[3], int *parts)
{
    (void)body_index;
    return cut_box_parts(m, context, lo, hi, parts);
}

// The mean size of elements, and the largest coordinate.
static void measure(snag_mpi *m, const layout *l, double *mean, double *largest)
{
    double sums[2] = {0, 0}, most = 0;
    for (uint32_t i = 0; i < m->body_count; i++) {
        const body *b = &m->bodies[i];
        const elements *set = &b->sets[l->set];
        for (size_t e = 0; e < set->count; e++) {
            double lo[3], hi[3];
            body_box(b, set, e, 0, lo, hi);
            sums[0] += fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
            sums[1]++;
            for (int k = 0; k < 3; k++)
                most = fmax(most, fmax(fabs(lo[k]), fabs(hi[k])));
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, m->comm);
    *largest = mpi_most(m, most);
    *mean = sums[1] > 0 ? sums[0] / sums[1] : 0;
}

snag_status layout_update(snag_mpi *m, layout *l, int set, double reach)
{
    double travel = mpi_most(m, l->travel), mean, largest;
    // Elements that a part no longer needs stay there until they are a quarter of all.
    bool stale = l->made && l->kept > l->needed + l->needed / 4;
    uint64_t any = stale;
    mpi_sum(m, &any, 1);
    bool cut = !l->made || l->recut || (m->def.recut_every > 0 && l->asks >= m->def.recut_every);
    double per_ask = travel - l->last_travel;
    l->last_travel = travel;
    if (!cut && any == 0 && travel <= l->margin && reach <= l->reach)
        return SNAG_OK;
    if (cut || any > 0) {
        undeal(m, l);
        l->kept = 0;
        begin_layout(m, l, set);
    }
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK && cut) {
        l->before = l->imbalance;
        l->recut = false;
        l->asks = 0;
        status = cut_space(m, l);
    }
    if (status != SNAG_OK) {
        layout_free(m, l);
        return status;
    }
    measure(m, l, &mean, &largest);
    l->reach = fmax(reach, l->reach);
    // Twice the rounding of any box keeps the lower corner of an overlap within both.
    double slack = 8 * DBL_EPSILON * (largest + l->reach) + DBL_MIN;
    l->margin = fmax(0.05 * mean, fmin(4 * per_ask, mean)) + slack;
    l->travel = l->last_travel = 0;
    for (uint32_t i = 0; i < l->body_count; i++)
        l->held[i].travel = 0;
    return deal(m, l, set, parts_of_box, l, l->reach + l->margin + slack);
}

// ---- motion ----

static snag_status pass_on(snag_mpi *m, layout *l, uint32_t i, bool teleport)
{
    const size_t n = (size_t)m->size;
    const body *b = &m->bodies[i];
    const dealt *d = &l->dealt[i];
    held *h = &l->held[i];
    int *counts = mpi_take(m, 4 * n, sizeof *counts);
    size_t out = 0, in = 0;
    for (size_t p = 0; counts != NULL && p < n; p++) {
        counts[p] = 3 * (int)d->send_count[p];
        counts[n + p] = 3 * (int)out;
        counts[2 * n + p] = 3 * (int)h->receive_count[p];
        counts[3 * n + p] = 3 * (int)in;
        out += d->send_count[p];
        in += h->receive_count[p];
    }
    if (out > INT32_MAX / 3 || in > INT32_MAX / 3)
        mpi_fail(m, SNAG_ERROR_SIZE, "%zu vertices are too many for one exchange; use more ranks", out > in ? out : in);
    double(*sent)[3] = mpi_take(m, out, sizeof *sent), (*got)[3] = mpi_take(m, in, sizeof *got);
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK) {
        for (size_t p = 0, at = 0; p < n; p++)
            for (size_t v = 0; v < d->send_count[p]; v++, at++)
                memcpy(sent[at], b->x_t1[d->send[p][v]], sizeof *sent);
        MPI_Alltoallv(sent, counts, counts + n, MPI_DOUBLE, got, counts + 2 * n, counts + 3 * n, MPI_DOUBLE, m->comm);
        m->bytes += (out - d->send_count[m->rank]) * sizeof *sent;
        for (size_t p = 0, at = 0; p < n; p++)
            for (size_t v = 0; v < h->receive_count[p]; v++, at++) {
                part_vertex *vertex = &h->vertices[h->slots[p][v]];
                memcpy(vertex->x_t1, got[at], sizeof vertex->x_t1);
                if (teleport)
                    memcpy(vertex->x_t0, got[at], sizeof vertex->x_t0);
            }
        snag_positions now = {h->vertex_count > 0 ? h->vertices->x_t1 : NULL, h->vertex_count, sizeof *h->vertices, SNAG_F64};
        snag_status moved = h->vertex_count == 0 ? SNAG_OK
                            : teleport           ? snag_world_teleport(l->world, h->id, now)
                                                 : snag_world_move(l->world, h->id, now);
        if (moved != SNAG_OK)
            mpi_fail(m, moved, "%s", snag_world_message(l->world));
        h->moved = h->moved || !teleport;
        status = mpi_settle(m);
    }
    mpi_free(m, counts);
    mpi_free(m, sent);
    mpi_free(m, got);
    return status;
}

void layout_move(snag_mpi *m, layout *l, uint32_t i, bool teleport, double farthest)
{
    if (!l->made)
        return;
    l->held[i].travel += farthest;
    l->travel = fmax(l->travel, l->held[i].travel);
    // The bodies are what counts; the layout is made again by the next ask.
    if (pass_on(m, l, i, teleport) != SNAG_OK)
        layout_free(m, l);
}

void layout_begin_step(snag_mpi *m, layout *l)
{
    (void)m;
    if (!l->made)
        return;
    for (uint32_t i = 0; i < l->body_count; i++) {
        held *h = &l->held[i];
        for (size_t v = 0; h->moved && v < h->vertex_count; v++)
            memcpy(h->vertices[v].x_t0, h->vertices[v].x_t1, sizeof h->vertices[v].x_t0);
        h->moved = false;
    }
    snag_world_begin_step(l->world);
}

// ---- edges of a part ----

// The first of the world's edges from each vertex to a higher one: info->edges are sorted.
static uint32_t *edge_rows(snag_mpi *m, const snag_body_info *info)
{
    uint32_t *rows = mpi_take(m, info->vertex_count + 2, sizeof *rows);
    if (rows == NULL)
        return NULL;
    for (size_t e = 0; e < info->edge_count; e++)
        rows[info->edges[2 * e] + 1]++;
    for (size_t v = 0; v < info->vertex_count; v++)
        rows[v + 1] += rows[v];
    return rows;
}

static void note_edge(held *h, const snag_body_info *info, const uint32_t *rows, const uint32_t ends[2], int32_t rank,
                      bool boundary)
{
    const uint32_t low = ends[0] < ends[1] ? ends[0] : ends[1], high = ends[0] + ends[1] - low;
    for (uint32_t e = rows[low]; e < rows[low + 1]; e++)
        if (info->edges[2 * (size_t)e + 1] == high) {
            if (h->edges[e].rank < 0)
                h->edges[e].rank = rank;
            h->edges[e].boundary |= boundary;
        }
}

// Elements come in the order of their numbers, so the first one at an edge gives it its rank.
static void make_edges(snag_mpi *m, held *h, uint32_t corners, const snag_body_info *info)
{
    uint32_t *rows = edge_rows(m, info);
    const uint32_t *corner = corners == 4 ? info->tets : info->triangles;
    h->edges = mpi_take(m, info->edge_count, sizeof *h->edges);
    for (size_t e = 0; h->edges != NULL && e < info->edge_count; e++)
        h->edges[e].rank = -1;
    for (size_t e = 0; rows != NULL && h->edges != NULL && e < h->element_count; e++) {
        // An element that stands for a vertex is a point of the world.
        if (corners < 3 || h->elements[e].number >= VERTEX_NUMBER(0))
            continue;
        for (uint32_t i = 0; i < corners; i++)
            for (uint32_t k = i + 1; k < corners; k++) {
                const uint32_t ends[2] = {corner[e * corners + i], corner[e * corners + k]};
                // Of a tetrahedron: on the boundary if one of the two faces at the edge is, opposite to the other corners.
                uint32_t others = ~(1u << i | 1u << k) & 15u;
                if (ends[0] != ends[1])
                    note_edge(h, info, rows, ends, h->elements[e].rank, corners != 4 || (h->elements[e].faces & others) != 0);
            }
    }
    mpi_free(m, rows);
}

const part_edge *held_edge(snag_mpi *m, held *h, uint32_t corners, const snag_body_info *info, uint32_t edge)
{
    if (h->edges == NULL)
        make_edges(m, h, corners, info);
    return h->edges != NULL ? &h->edges[edge] : NULL;
}
