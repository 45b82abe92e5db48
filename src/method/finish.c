// From confirmed records to contacts: sorted, each once, with points, normals and weights.
#include "base/length.h"
#include "geom/geom.h"
#include "geom/impact.h"
#include "geom/segment.h"
#include "geom/triangle_kernel.h"
#include "mesh/proximity.h"
#include "method/depth.h"
#include "method/method.h"
#include "method/order.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 1024,  // contacts written by one piece of parallel work
    MANY = 1024,   // from so many on, records are put into order in parallel
};

typedef struct element_ref {
    uint32_t body;  // place in ask->bodies
    snag_element element;
} element_ref;

uint32_t snag__body_of(const snag__ask *ask, uint32_t number)
{
    uint32_t low = 0, high = ask->body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (ask->first_element[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// The body of an element, and the numbers of the first and after the last of its elements of the same kind.
static uint32_t body_range(const snag__ask *ask, uint32_t number, uint32_t *first, uint32_t *end)
{
    uint32_t body = snag__body_of(ask, number);
    const snag__mesh *mesh = &ask->bodies[body]->mesh;
    const uint32_t counts[] = {mesh->vertex_count, mesh->edge_count, mesh->triangle_count, mesh->tet_count};
    *first = *end = ask->first_element[body];
    if (ask->bodies[body]->source != NULL) {
        *end += snag__triangle_count(ask->bodies[body]);
        return body;
    }
    for (int kind = 0; number >= *end; kind++) {
        *first = *end;
        *end += counts[kind];
    }
    return body;
}

// Neighbours in a sorted list are mostly of the same body: `hint` is the last one's.
static uint32_t body_near(const snag__ask *ask, uint32_t number, uint32_t hint)
{
    bool after = ask->first_element[hint] <= number;
    if (after && (hint + 1 == ask->body_count || number < ask->first_element[hint + 1]))
        return hint;
    return snag__body_of(ask, number);
}

static element_ref element_of(const snag__ask *ask, uint32_t number, uint32_t *hint)
{
    element_ref ref = {.body = *hint = body_near(ask, number, *hint)};
    const snag__mesh *mesh = &ask->bodies[ref.body]->mesh;
    uint32_t index = number - ask->first_element[ref.body];
    if (ask->bodies[ref.body]->source != NULL) {
        ref.element = (snag_element){.kind = SNAG_TRIANGLE, .index = index};
        return ref;
    }
    const uint32_t counts[SNAG_TET] = {mesh->vertex_count, mesh->edge_count, mesh->triangle_count};
    int kind = SNAG_VERTEX;
    while (kind < SNAG_TET && index >= counts[kind])
        index -= counts[kind++];
    ref.element.kind = (snag_element_kind)kind;
    ref.element.index = index;
    if (kind == SNAG_EDGE)
        memcpy(ref.element.vertex, mesh->edges[index], sizeof ref.element.vertex);
    return ref;
}

static void corners_of(const snag__mesh *mesh, const uint32_t *vertices, int count, const double **corner)
{
    for (int i = 0; i < count; i++)
        corner[i] = mesh->x_t1[vertices[i]];
}

static void write_intersection(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *corner_a[3], *corner_b[3];
    corners_of(a, a->triangles[contact->a.index], 3, corner_a);
    corners_of(b, b->triangles[contact->b.index], 3, corner_b);
    snag__triangles_segment(corner_a, corner_b, contact->point_a, contact->point_b);
}

static void write_penetration(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *corner[4];
    corners_of(b, b->tets[contact->b.index], 4, corner);
    memcpy(contact->point_a, a->x_t1[contact->a.index], sizeof contact->point_a);
    memcpy(contact->point_b, contact->point_a, sizeof contact->point_b);
    snag__tet_weights(contact->point_a, corner, contact->weight);
}

// Where the edge enters and leaves the tetrahedron, and how much of it is inside.
static void write_passage(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *corner[4], *end[2];
    corners_of(b, b->tets[contact->b.index], 4, corner);
    corners_of(a, a->edges[contact->a.index], 2, end);
    snag__segment_in_tet(end[0], end[1], corner, contact->point_a, contact->point_b);
    int longest = 0;
    double length[3], inside[3];
    for (int axis = 0; axis < 3; axis++) {
        length[axis] = end[1][axis] / 2 - end[0][axis] / 2;  // half, so that nothing overflows
        inside[axis] = contact->point_b[axis] - contact->point_a[axis];
        longest = fabs(length[axis]) > fabs(length[longest]) ? axis : longest;
    }
    double enters = (contact->point_a[longest] / 2 - end[0][longest] / 2) / length[longest];
    double leaves = (contact->point_b[longest] / 2 - end[0][longest] / 2) / length[longest];
    memcpy(contact->weight, (const double[4]){1 - enters, enters, 1 - leaves, leaves}, sizeof contact->weight);
    contact->value = hypot(hypot(inside[0], inside[1]), inside[2]);
}

static void write_impact(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    snag__impact_side side_a = snag__impact_side_of(a, contact->a.kind), side_b = snag__impact_side_of(b, contact->b.kind);
    snag__motion motion;
    snag__motion_gather(contact->a.kind == SNAG_EDGE ? SNAG__IMPACT_EDGE_EDGE : SNAG__IMPACT_VERTEX_FACE, &side_a, &side_b,
                        contact->a.index, contact->b.index, &motion);
    snag__impact_details details;
    snag__impact_describe(&motion, contact->t, &details);
    memcpy(contact->point_a, details.point_a, sizeof contact->point_a);
    memcpy(contact->point_b, details.point_b, sizeof contact->point_b);
    memcpy(contact->normal, details.normal, sizeof contact->normal);
    memcpy(contact->weight, details.weight, sizeof contact->weight);
}

// Two edges whose closest points may lie at their ends. At distance 0 the normal is that of crossing edges.
static void write_edge_pair(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *end_a[2], *end_b[2];
    corners_of(a, a->edges[contact->a.index], 2, end_a);
    corners_of(b, b->edges[contact->b.index], 2, end_b);
    snag__distance distance;
    snag__edge_edge_distance(end_a, end_b, &distance);
    contact->value = distance.gap.distance;
    memcpy(contact->point_a, distance.gap.point_a, sizeof contact->point_a);
    memcpy(contact->point_b, distance.gap.point_b, sizeof contact->point_b);
    memcpy(contact->weight, distance.gap.weight, sizeof contact->weight);
    if (!snag__gap_normal(&distance.gap, contact->normal))
        snag__unit_cross(end_a[0], end_a[1], end_b[0], end_b[1], contact->normal);
}

// Features that are known to be closest to each other; `feature`: which corners of the triangle. Triangles stand in the
// answer to `distance` only where they intersect.
static void write_closest(const snag__mesh *a, const snag__mesh *b, uint32_t feature, snag_contact *contact)
{
    switch (contact->a.kind) {
    case SNAG_VERTEX: snag__vertex_triangle_contact(a, contact->a.index, b, contact->b.index, feature, contact); break;
    case SNAG_EDGE:
        if (contact->kind == SNAG_EDGE_EDGE)
            snag__edge_edge_contact(a, contact->a.index, b, contact->b.index, contact);
        else
            write_edge_pair(a, b, contact);
        break;
    default: write_intersection(a, b, contact); break;
    }
}

// Two leaf spheres: the contact is about nodes of trees, not about elements of meshes.
static void write_overlap(const snag__ask *ask, const snag__record *record, snag_contact *contact)
{
    const snag__leaf *a = &ask->leaves[record->key >> 32], *b = &ask->leaves[(uint32_t)record->key];
    *contact = (snag_contact){
        .body_a = ask->bodies[a->body]->id,
        .body_b = ask->bodies[b->body]->id,
        .a = {.kind = SNAG_LEAF, .index = a->code},
        .b = {.kind = SNAG_LEAF, .index = b->code},
        .kind = (snag_contact_kind)record->kind,
    };
    if (!ask->def->details)
        return;
    double way[3];
    for (int axis = 0; axis < 3; axis++) {
        contact->point_a[axis] = a->centre[axis];
        contact->point_b[axis] = b->centre[axis];
        way[axis] = a->centre[axis] - b->centre[axis];
    }
    double length = snag__length(way);
    for (int axis = 0; axis < 3 && length > 0; axis++)
        contact->normal[axis] = way[axis] / length;
    contact->value = a->radius + b->radius - length;
    contact->weight[0] = a->radius;
    contact->weight[1] = b->radius;
}

static void write_contact(const snag__ask *ask, const snag__record *record, uint32_t hints[2], snag_contact *contact)
{
    if (ask->def->question == SNAG_OVERLAPS) {
        write_overlap(ask, record, contact);
        return;
    }
    element_ref a = element_of(ask, (uint32_t)(record->key >> 32), &hints[0]);
    element_ref b = element_of(ask, (uint32_t)record->key, &hints[1]);
    *contact = (snag_contact){
        .body_a = ask->bodies[a.body]->id,
        .body_b = ask->bodies[b.body]->id,
        .a = a.element,
        .b = b.element,
        .kind = (snag_contact_kind)record->kind,
    };
    if (ask->def->question == SNAG_INTERSECTIONS)
        contact->shared = record->extra;
    if (ask->def->question == SNAG_IMPACTS)
        contact->t = record->value;
    // A distance without its value would be no answer.
    if (!ask->def->details && ask->def->question != SNAG_DISTANCE)
        return;
    const snag__mesh *mesh_a = &ask->bodies[a.body]->mesh, *mesh_b = &ask->bodies[b.body]->mesh;
    switch (ask->def->question) {
    case SNAG_PENETRATIONS:
        (contact->kind == SNAG_THROUGH ? write_passage : write_penetration)(mesh_a, mesh_b, contact);
        break;
    case SNAG_IMPACTS: write_impact(mesh_a, mesh_b, contact); break;
    case SNAG_PROXIMITIES:
    case SNAG_DISTANCE: write_closest(mesh_a, mesh_b, record->extra, contact); break;
    default: break;
    }
}

typedef struct writing {
    const snag__ask *ask;
    const snag__record *records;
    snag_contact *contacts;  // or, with pairs_only:
    snag_pair *pairs;
    size_t count;
} writing;

static bool is_same_body(snag_body_id a, snag_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

// Writes the segments of intersections, those of the same two bodies together. Returns how many it wrote.
static size_t write_segments(const snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count)
{
    enum { TOGETHER = 64 };
    uint32_t pairs[TOGETHER][2];
    double segments[TOGETHER][2][3];
    snag__triangle_view a = snag__view_triangles(ask->bodies[snag__body_of(ask, (uint32_t)(records[0].key >> 32))]);
    snag__triangle_view b = snag__view_triangles(ask->bodies[snag__body_of(ask, (uint32_t)records[0].key)]);
    size_t n = 0;
    for (; n < count && n < TOGETHER && is_same_body(contacts[n].body_a, contacts[0].body_a) &&
           is_same_body(contacts[n].body_b, contacts[0].body_b);
         n++) {
        pairs[n][0] = snag__view_place(&a, contacts[n].a.index);
        pairs[n][1] = snag__view_place(&b, contacts[n].b.index);
    }
    snag__triangle_pairs batch = {
        .x_a = a.x,
        .triangles_a = a.triangles,
        .x_b = b.x,
        .triangles_b = b.triangles,
        .same_body = is_same_body(contacts[0].body_a, contacts[0].body_b),
        .pairs = (const uint32_t(*)[2])pairs,
        .count = n,
    };
    snag__triangles_segments(&batch, ask->isa, segments);
    for (size_t i = 0; i < n; i++) {
        memcpy(contacts[i].point_a, segments[i][0], sizeof contacts[i].point_a);
        memcpy(contacts[i].point_b, segments[i][1], sizeof contacts[i].point_b);
    }
    return n;
}

static void write_block(void *context, uint32_t block)
{
    const writing *w = context;
    size_t first = (size_t)block * BLOCK, last = first + BLOCK < w->count ? first + BLOCK : w->count;
    uint32_t hints[2] = {0, 0};
    for (size_t i = first; i < last; i++)
        write_contact(w->ask, &w->records[i], hints, &w->contacts[i]);
    if (w->ask->def->question == SNAG_INTERSECTIONS && w->ask->def->details)
        for (size_t i = first; i < last;)
            i += write_segments(w->ask, w->records + i, w->contacts + i, last - i);
}

// Writes pairs. Both elements are of the kinds that the question is about, and so are those of all others; neighbours in the
// order are mostly of the same bodies.
typedef struct pair_writer {
    snag_body_id body_a, body_b;
    uint32_t first_a, first_b, end_a, end_b;
} pair_writer;

static pair_writer writer_of(const snag__ask *ask, uint32_t a, uint32_t b)
{
    pair_writer w;
    w.body_a = ask->bodies[body_range(ask, a, &w.first_a, &w.end_a)]->id;
    w.body_b = ask->bodies[body_range(ask, b, &w.first_b, &w.end_b)]->id;
    return w;
}

static inline bool is_writer_of(const pair_writer *w, uint32_t a, uint32_t b)
{
    return (a - w->first_a < w->end_a - w->first_a) & (b - w->first_b < w->end_b - w->first_b);
}

static inline snag_pair pair_of(const pair_writer *w, uint32_t a, uint32_t b, uint32_t kind, uint32_t shared)
{
    return (snag_pair){w->body_a, w->body_b, a - w->first_a, b - w->first_b, (snag_contact_kind)kind, shared};
}

static void write_pairs(void *context, uint32_t block)
{
    const writing *w = context;
    size_t first = (size_t)block * BLOCK, last = first + BLOCK < w->count ? first + BLOCK : w->count;
    pair_writer writer = {0};
    for (size_t i = first; i < last; i++) {
        const snag__record *record = &w->records[i];
        uint32_t a = (uint32_t)(record->key >> 32), b = (uint32_t)record->key;
        if (!is_writer_of(&writer, a, b))
            writer = writer_of(w->ask, a, b);
        w->pairs[i] = pair_of(&writer, a, b, record->kind, record->extra);
    }
}

static void take_pairs(void *context, const snag__order *order, const uint64_t *words, size_t first, size_t count)
{
    const writing *w = context;
    const snag__order plan = *order;
    snag_pair *pairs = w->pairs + first;
    pair_writer writer = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t key = snag__order_key(&plan, words[i]);
        uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key, tag = words[i] & ((1u << SNAG__TAG_BITS) - 1);
        if (!is_writer_of(&writer, a, b))
            writer = writer_of(w->ask, a, b);
        pairs[i] = pair_of(&writer, a, b, tag >> SNAG__TAG_EXTRA_BITS, tag & ((1u << SNAG__TAG_EXTRA_BITS) - 1));
    }
}

// A pair that was found twice is the same both times.
static size_t drop_double_pairs(snag_pair *pairs, size_t count)
{
    size_t kept = count > 0;
    for (size_t i = 1; i < count; i++)
        if (memcmp(&pairs[i], &pairs[kept - 1], sizeof *pairs) != 0)
            pairs[kept++] = pairs[i];
    return kept;
}

// There is a little more room than needed: a next step with a few contacts more allocates nothing.
static bool reserve(const snag__ask *ask, snag__buffer *buffer, size_t count, size_t size)
{
    return snag__buffer_reserve(ask->allocator, buffer, 0, count + count / 8, size);
}

// Joins the lists of all pieces into one array.
static void join_lists(const snag__ask *ask, snag__record *records)
{
    size_t joined = 0;
    for (int i = 0; i < SNAG__LISTS; i++) {
        const snag__list *list = &ask->scratch->lists[i];
        if (list->count > 0)
            memcpy(records + joined, list->records, list->count * sizeof *records);
        joined += list->count;
    }
}

static bool is_before(const snag__record *a, const snag__record *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->extra < b->extra;
}

static bool is_same(const snag__record *a, const snag__record *b)
{
    return a->key == b->key && a->kind == b->kind && a->extra == b->extra;
}

// Orders the records of one key, which are few: one vertex and one triangle can name two contacts, of different features.
static void order_equal_keys(snag__record *records, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i; k > 0 && records[k - 1].key == records[k].key && is_before(&records[k], &records[k - 1]); k--) {
            snag__record swap = records[k];
            records[k] = records[k - 1];
            records[k - 1] = swap;
        }
}

// A method may find a pair twice; contacts stand once. The records are sorted.
static size_t drop_doubles(snag__record *records, size_t count)
{
    size_t kept = count > 0;
    for (size_t i = 1; i < count; i++)
        if (!is_same(&records[i], &records[kept - 1]))
            records[kept++] = records[i];
    return kept;
}

// Depths are of vertices. With `edges` the contacts of vertices are copied out for them, in their order, and back.
static snag_status add_depths(snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count)
{
    if (!ask->def->edges)
        return snag__depths(ask, records, contacts, count);
    snag__scratch *scratch = ask->scratch;
    if (!snag__buffer_reserve(ask->allocator, &scratch->inside, 0, count, sizeof *contacts))
        return SNAG_ERROR_MEMORY;
    snag__record *of_vertices = scratch->sorted.data;  // of no use any more once the records are sorted
    snag_contact *inside = scratch->inside.data;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (contacts[i].kind == SNAG_INSIDE) {
            of_vertices[kept] = records[i];
            inside[kept++] = contacts[i];
        }
    snag_status status = snag__depths(ask, of_vertices, inside, kept);
    for (size_t i = count; i > 0 && status == SNAG_OK; i--)
        if (contacts[i - 1].kind == SNAG_INSIDE)
            contacts[i - 1] = inside[--kept];
    return status;
}

// ---- order ----

// What the halves of keys can be: numbers of leaves, or of elements; of intersections from the first body's triangles on.
static snag__order_span span_of(const snag__ask *ask)
{
    uint32_t least = 0, most = ask->first_element[ask->body_count];
    if (ask->def->question == SNAG_OVERLAPS)
        most = UINT32_MAX;
    if (ask->def->question == SNAG_INTERSECTIONS && ask->bodies[0]->source == NULL)
        least = snag__element_number(ask, 0, SNAG_TRIANGLE, 0);
    return (snag__order_span){least, most, least, most};
}

typedef struct gathering {
    const snag__record *from;
    snag__record *to;
} gathering;

static void take_records(void *context, const snag__order *order, const uint64_t *words, size_t first, size_t count)
{
    const gathering *g = context;
    uint64_t places = ((uint64_t)1 << order->shift_b) - 1;
    for (size_t i = 0; i < count; i++)
        g->to[first + i] = g->from[words[i] & places];
}

// The records of all lists in order, each once; `count` becomes how many. NULL if there is no memory for them.
static snag__record *order_records(snag__ask *ask, size_t *count)
{
    snag__scratch *scratch = ask->scratch;
    if (!reserve(ask, &scratch->records, *count, sizeof(snag__record)) ||
        !reserve(ask, &scratch->sorted, *count, sizeof(snag__record)))
        return NULL;
    snag__record *records = scratch->records.data, *other = scratch->sorted.data;
    snag__order order;
    bool equal = true;
    if (!ask->def->pairs_only && *count >= MANY &&
        snag__order_plan(&order, ask->parallel, scratch->lists, *count, SNAG__TAG_PLACE, span_of(ask))) {
        join_lists(ask, other);
        // The words stand where the contacts will.
        equal = snag__order_run(&order, ask->parallel, scratch->contacts.data, take_records, &(gathering){other, records});
    } else {
        join_lists(ask, records);
        snag__sort_records(records, other, *count);
    }
    if (equal) {
        order_equal_keys(records, *count);
        *count = drop_doubles(records, *count);
    }
    return records;
}

static snag_status finish_pairs(snag__ask *ask, snag_answer *answer, size_t count)
{
    snag__scratch *scratch = ask->scratch;
    if (!reserve(ask, &scratch->pairs, count, sizeof(snag_pair)))
        return SNAG_ERROR_MEMORY;
    writing w = {.ask = ask, .pairs = scratch->pairs.data};
    snag__order order;
    if (count >= MANY && snag__order_plan(&order, ask->parallel, scratch->lists, count, SNAG__TAG_KIND, span_of(ask))) {
        if (!reserve(ask, &scratch->sorted, snag__order_room(count), sizeof(uint64_t)))
            return SNAG_ERROR_MEMORY;
        if (snag__order_run(&order, ask->parallel, scratch->sorted.data, take_pairs, &w))
            count = drop_double_pairs(w.pairs, count);
    } else {
        w.records = order_records(ask, &count);
        if (w.records == NULL)
            return SNAG_ERROR_MEMORY;
        w.count = count;
        snag__parallel_for(ask->parallel, (uint32_t)((count + BLOCK - 1) / BLOCK), write_pairs, &w);
    }
    answer->contact_count = count;
    answer->pairs = w.pairs;
    return SNAG_OK;
}

static snag_status finish_contacts(snag__ask *ask, snag_answer *answer, size_t count)
{
    if (!reserve(ask, &ask->scratch->contacts, count, sizeof(snag_contact)))
        return SNAG_ERROR_MEMORY;
    snag__record *records = order_records(ask, &count);
    if (records == NULL)
        return SNAG_ERROR_MEMORY;
    answer->contact_count = count;
    writing w = {.ask = ask, .records = records, .contacts = ask->scratch->contacts.data, .count = count};
    snag__parallel_for(ask->parallel, (uint32_t)((count + BLOCK - 1) / BLOCK), write_block, &w);
    if (ask->def->question == SNAG_IMPACTS)
        for (size_t i = 0; i < count; i++)
            answer->earliest = fmin(answer->earliest, w.contacts[i].t);
    if (ask->def->question == SNAG_PENETRATIONS && ask->def->details) {
        snag_status status = add_depths(ask, records, w.contacts, count);
        if (status != SNAG_OK)
            return status;
    }
    answer->contacts = w.contacts;
    return SNAG_OK;
}

snag_status snag__finish(snag__ask *ask, snag_answer *answer)
{
    size_t count = 0;
    for (int i = 0; i < SNAG__LISTS; i++) {
        count += ask->scratch->lists[i].count;
        answer->pair_count += ask->scratch->lists[i].pair_count;
        answer->exact_count += ask->scratch->lists[i].exact_count;
    }
    answer->earliest = 1;
    if (count == 0)
        return SNAG_OK;
    return (ask->def->pairs_only ? finish_pairs : finish_contacts)(ask, answer, count);
}
