// From confirmed records to an answer: sorted, each once, as contacts, pairs or a count.
#include "query/impacts.h"
#include "query/kind.h"
#include "query/order.h"
#include "query/sink.h"

#include <math.h>
#include <string.h>

enum {
    MANY = 1024,  // from so many on, records are put into order in parallel
    FEW = 8,  // one of so many records may be out of order for the others to stay where they are
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
static uint32_t body_range(const snag__ask *ask, uint32_t number, uint32_t *first, uint32_t *end, uint8_t *kind)
{
    uint32_t body = snag__body_of(ask, number);
    const snag__mesh *mesh = &ask->bodies[body]->mesh;
    const uint32_t counts[] = {mesh->vertex_count, mesh->edge_count, mesh->triangle_count, mesh->tet_count};
    *first = *end = ask->first_element[body];
    if (ask->bodies[body]->source != NULL) {
        *end += snag__triangle_count(ask->bodies[body]);
        *kind = SNAG_TRIANGLE;
        return body;
    }
    for (uint8_t k = 0; number >= *end; k++) {
        *first = *end;
        *end += counts[k];
        *kind = k;
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

// Who is in contact, and how.
static void name_contact(const snag__ask *ask, const snag__record *record, uint32_t hints[2], snag_contact *contact,
                         const snag__mesh *mesh[2])
{
    if (ask->kind->name != NULL) {
        ask->kind->name(ask, record, contact);
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
    mesh[0] = &ask->bodies[a.body]->mesh;
    mesh[1] = &ask->bodies[b.body]->mesh;
}

typedef struct writing {
    const snag__ask *ask;
    const snag__record *records;
    snag_contact *contacts;  // or
    snag_pair *pairs;
    const snag__order_note *notes;  // of pairs with values, see order.h
    size_t count;
} writing;

// ---- pairs ----

static bool carries_values(const snag__ask *ask)
{
    return ask->kind->has_values != NULL && ask->kind->has_values(ask);
}

// A pair is what its contact says, in short.
static snag_pair pair_of_record(const snag__ask *ask, const snag__record *record, uint32_t hints[2], const snag__mesh *mesh[2])
{
    snag_contact contact;
    mesh[0] = mesh[1] = NULL;
    name_contact(ask, record, hints, &contact, mesh);
    bool shares = ask->kind == &snag__intersections;
    double value = 0;
    if (carries_values(ask))
        value = record->value;
    else if (ask->kind->pair_value != NULL)
        value = ask->kind->pair_value(ask, record, mesh[0], mesh[1], &contact);
    return (snag_pair){
        .body_a = contact.body_a.index,
        .body_b = contact.body_b.index,
        .a = contact.a.index,
        .b = contact.b.index,
        .kind_a = (uint8_t)contact.a.kind,
        .kind_b = (uint8_t)contact.b.kind,
        .kind = (uint8_t)contact.kind,
        .shared = (uint8_t)(shares ? record->extra : 0),
        .value = snag__round_down(value),
    };
}

// Writes contacts and pairs without a value. Neighbours in the order are mostly of the same bodies and kinds.
typedef struct pair_writer {
    const snag__mesh *mesh[2];
    snag_body_id body_a, body_b;
    uint32_t first_a, first_b, end_a, end_b;
    uint8_t kind_a, kind_b;
} pair_writer;

static pair_writer writer_of(const snag__ask *ask, uint32_t a, uint32_t b)
{
    pair_writer w;
    const snag__body *body_a = ask->bodies[body_range(ask, a, &w.first_a, &w.end_a, &w.kind_a)];
    const snag__body *body_b = ask->bodies[body_range(ask, b, &w.first_b, &w.end_b, &w.kind_b)];
    w.mesh[0] = &body_a->mesh;
    w.mesh[1] = &body_b->mesh;
    w.body_a = body_a->id;
    w.body_b = body_b->id;
    return w;
}

static inline bool is_writer_of(const pair_writer *w, uint32_t a, uint32_t b)
{
    return (a - w->first_a < w->end_a - w->first_a) & (b - w->first_b < w->end_b - w->first_b);
}

static inline snag_pair pair_of(const pair_writer *w, uint32_t a, uint32_t b, uint32_t kind, uint32_t shared)
{
    return (snag_pair){
        w->body_a.index, w->body_b.index, a - w->first_a, b - w->first_b, w->kind_a, w->kind_b, (uint8_t)kind, (uint8_t)shared, 0};
}

static inline snag_element element_at(const snag__mesh *mesh, uint8_t kind, uint32_t index)
{
    snag_element element = {.kind = (snag_element_kind)kind, .index = index};
    if (kind == SNAG_EDGE)
        memcpy(element.vertex, mesh->edges[index], sizeof element.vertex);
    return element;
}

static void write_contacts(void *context, uint32_t block)
{
    const writing *w = context;
    const snag__question_kind *kind = w->ask->kind;
    size_t first = (size_t)block * SNAG__BLOCK, last = first + SNAG__BLOCK < w->count ? first + SNAG__BLOCK : w->count;
    const snag__mesh *meshes[SNAG__BLOCK][2];
    pair_writer writer = {0};
    for (size_t i = first; i < last; i++) {
        const snag__record *record = &w->records[i];
        const snag__mesh **mesh = meshes[i - first];
        uint32_t a = (uint32_t)(record->key >> 32), b = (uint32_t)record->key;
        if (kind->name != NULL) {
            mesh[0] = mesh[1] = NULL;
            kind->name(w->ask, record, &w->contacts[i]);
        } else {
            if (!is_writer_of(&writer, a, b))
                writer = writer_of(w->ask, a, b);
            memcpy(mesh, writer.mesh, sizeof writer.mesh);
            w->contacts[i] = (snag_contact){
                .body_a = writer.body_a,
                .body_b = writer.body_b,
                .a = element_at(writer.mesh[0], writer.kind_a, a - writer.first_a),
                .b = element_at(writer.mesh[1], writer.kind_b, b - writer.first_b),
                .kind = (snag_contact_kind)record->kind,
            };
        }
        if (kind->write != NULL)
            kind->write(w->ask, record, mesh[0], mesh[1], &w->contacts[i]);
    }
    if (kind->write_block != NULL)
        kind->write_block(w->ask, w->records + first, (const snag__mesh *const(*)[2])meshes, w->contacts + first, last - first);
}

static void write_pairs(void *context, uint32_t block)
{
    const writing *w = context;
    size_t first = (size_t)block * SNAG__BLOCK, last = first + SNAG__BLOCK < w->count ? first + SNAG__BLOCK : w->count;
    uint32_t hints[2] = {0, 0};
    const snag__mesh *meshes[SNAG__BLOCK][2];
    const bool values = carries_values(w->ask);
    if (w->ask->kind->pair_values == NULL && !values) {
        for (size_t i = first; i < last; i++)
            w->pairs[i] = pair_of_record(w->ask, &w->records[i], hints, meshes[i - first]);
        return;
    }
    pair_writer writer = {0};
    for (size_t i = first; i < last; i++) {
        uint32_t a = (uint32_t)(w->records[i].key >> 32), b = (uint32_t)w->records[i].key;
        if (!is_writer_of(&writer, a, b))
            writer = writer_of(w->ask, a, b);
        w->pairs[i] = pair_of(&writer, a, b, w->records[i].kind, 0);
        if (values)
            w->pairs[i].value = snag__round_down(w->records[i].value);
        else
            memcpy(meshes[i - first], writer.mesh, sizeof writer.mesh);
    }
    if (values)
        return;
    w->ask->kind->pair_values(w->ask, w->records + first, (const snag__mesh *const(*)[2])meshes, w->pairs + first, last - first);
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

static void take_noted_pairs(void *context, const snag__order *order, const uint64_t *words, size_t first, size_t count)
{
    const writing *w = context;
    const snag__order plan = *order;
    const snag__order_note *notes = w->notes + first;
    const uint64_t places = ((uint64_t)1 << plan.shift_b) - 1;
    snag_pair *pairs = w->pairs + first;
    pair_writer writer = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t key = snag__order_key(&plan, words[i]);
        uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        const snag__order_note note = notes[words[i] & places];
        if (!is_writer_of(&writer, a, b))
            writer = writer_of(w->ask, a, b);
        pairs[i] = pair_of(&writer, a, b, note.kind, 0);
        pairs[i].value = note.value;
    }
}

static bool is_same_pair(const snag_pair *x, const snag_pair *y)
{
    return x->a == y->a && x->b == y->b && x->body_a == y->body_a && x->body_b == y->body_b && x->kind_a == y->kind_a &&
           x->kind_b == y->kind_b && x->kind == y->kind && x->shared == y->shared;
}

// A pair that was found twice is the same both times.
static size_t drop_double_pairs(snag_pair *pairs, size_t count)
{
    size_t kept = count > 0;
    for (size_t i = 1; i < count; i++)
        if (!is_same_pair(&pairs[i], &pairs[kept - 1]))
            pairs[kept++] = pairs[i];
    return kept;
}

// There is a little more room than needed: a next step with a few contacts more allocates nothing.
static bool reserve(const snag__ask *ask, snag__buffer *buffer, size_t count, size_t size)
{
    return snag__buffer_reserve(ask->answer_allocator, buffer, 0, count + count / 8, size);
}

// Joins the lists of all tasks into one array.
static void join_lists(const snag__ask *ask, snag__record *records)
{
    size_t joined = 0;
    for (int i = 0; i < SNAG__MAX_TASKS; i++) {
        const snag__record_list *list = &ask->scratch->lists[i];
        if (list->count > 0)
            memcpy(records + joined, list->records, list->count * sizeof *records);
        joined += list->count;
    }
}

bool snag__record_is_before(const snag__record *a, const snag__record *b)
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
        for (size_t k = i; k > 0 && records[k - 1].key == records[k].key && snag__record_is_before(&records[k], &records[k - 1]);
             k--) {
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

// ---- order ----

// What the halves of keys can be: numbers of leaves, or of elements; of intersections from the first body's triangles (or rods) on.
static snag__order_span span_of(const snag__ask *ask)
{
    uint32_t least = 0, most = ask->first_element[ask->body_count];
    if (ask->def->question == SNAG_OVERLAPS)
        most = UINT32_MAX;
    if (ask->def->question == SNAG_INTERSECTIONS && ask->bodies[0]->source == NULL)
        least = snag__element_number(ask, 0, ask->thin ? SNAG_EDGE : SNAG_TRIANGLE, 0);
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

// How many records come after one with a higher key.
static size_t count_strays(const snag__record *records, size_t count)
{
    size_t strays = 0;
    uint64_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        strays += records[i].key < highest;
        highest = records[i].key > highest ? records[i].key : highest;
    }
    return strays;
}

// Puts records in order of which only `strays` are not: these are taken out, sorted and merged in. Returns whether some keys are equal.
static bool put_strays_in_order(snag__record *records, snag__record *other, size_t count, size_t strays)
{
    size_t kept = 0, taken = 0;
    for (size_t i = 0; strays > 0 && i < count; i++) {
        bool stray = kept > 0 && records[i].key < records[kept - 1].key;
        *(stray ? &other[taken++] : &records[kept++]) = records[i];
    }
    SNAG__ASSERT(taken == strays && 2 * strays <= count);
    snag__sort_records(other, other + taken, taken);
    for (size_t end = count; taken > 0; end--)
        records[end - 1] = kept > 0 && records[kept - 1].key > other[taken - 1].key ? records[--kept] : other[--taken];
    bool equal = false;
    for (size_t i = 1; i < count; i++)
        equal |= records[i - 1].key == records[i].key;
    return equal;
}

// For methods whose lists follow each other in order but for a few records. False: this one does not, or too many are out of order.
static bool keep_order(const snag__ask *ask, snag__record *records, snag__record *other, size_t count, bool *equal)
{
    if (ask->method == NULL || !ask->method->nearly_ordered)
        return false;
    join_lists(ask, records);
    size_t strays = count_strays(records, count);
    if (strays > count / FEW)
        return false;
    *equal = put_strays_in_order(records, other, count, strays);
    return true;
}

// Sorts the records of all lists. Returns whether some keys may be equal.
static bool put_in_order(const snag__ask *ask, uint64_t *words, snag__record *records, snag__record *other, size_t count)
{
    snag__order order;
    if (count >= MANY && snag__order_plan(&order, ask->parallel, ask->scratch->lists, count, SNAG__TAG_INDEX, span_of(ask))) {
        join_lists(ask, other);
        return snag__order_run(&order, ask->parallel, words, NULL, take_records, &(gathering){other, records});
    }
    join_lists(ask, records);
    snag__sort_records(records, other, count);
    return true;
}

// The records of all lists in order, each once; `count` becomes how many. NULL if there is no memory for them.
snag__record *snag__order_records(snag__ask *ask, size_t *count)
{
    snag__scratch *scratch = ask->scratch;
    // The words stand where the contacts or the pairs will.
    snag__buffer *words = &scratch->answer;
    if (!reserve(ask, &scratch->records, *count, sizeof(snag__record)) ||
        !reserve(ask, &scratch->sorted, *count, sizeof(snag__record)) ||
        !reserve(ask, words, snag__order_room(*count), sizeof(uint64_t)))
        return NULL;
    snag__record *records = scratch->records.data, *other = scratch->sorted.data;
    bool equal = true;
    if (!keep_order(ask, records, other, *count, &equal))
        equal = put_in_order(ask, words->data, records, other, *count);
    if (equal) {
        order_equal_keys(records, *count);
        *count = drop_doubles(records, *count);
    }
    return records;
}

// The earliest of all impacts, of equal ones the first in order.
static void find_earliest(const snag__ask *ask, const snag__record *records, size_t count, snag_answer *answer)
{
    if (ask->kind != &snag__impacts || count == 0)
        return;
    size_t first = 0;
    for (size_t i = 1; i < count; i++)
        if (records[i].value < records[first].value)
            first = i;
    answer->earliest = fmin(1, records[first].value);
    const snag__mesh *meshes[2];
    answer->culprit = pair_of_record(ask, &records[first], (uint32_t[2]){0, 0}, meshes);
    if (ask->def->output == SNAG_OUTPUT_EARLIEST) {
        snag_contact contact;
        name_contact(ask, &records[first], (uint32_t[2]){0, 0}, &contact, meshes);
        snag__impact_note_culprit(ask, &contact);
    }
}

// Pairs of elements alone, without a value: their kind fits into the words of the order.
static bool has_plain_pairs(const snag__question *question)
{
    return question->question == SNAG_INTERSECTIONS || (question->question == SNAG_PENETRATIONS && !question->edges);
}

static snag_status finish_pairs(snag__ask *ask, snag_answer *answer, size_t count)
{
    snag__scratch *scratch = ask->scratch;
    if (!reserve(ask, &scratch->answer, count, sizeof(snag_pair)))
        return SNAG_ERROR_MEMORY;
    writing w = {.ask = ask, .pairs = scratch->answer.data};
    snag__order order;
    if (has_plain_pairs(ask->def) && count >= MANY &&
        snag__order_plan(&order, ask->parallel, scratch->lists, count, SNAG__TAG_KIND, span_of(ask))) {
        if (!reserve(ask, &scratch->sorted, snag__order_room(count), sizeof(uint64_t)))
            return SNAG_ERROR_MEMORY;
        if (snag__order_run(&order, ask->parallel, scratch->sorted.data, NULL, take_pairs, &w))
            count = drop_double_pairs(w.pairs, count);
    } else if (ask->kind == &snag__proximities && carries_values(ask) && count >= MANY &&
               snag__order_plan(&order, ask->parallel, scratch->lists, count, SNAG__TAG_INDEX, span_of(ask))) {
        // Pairs of elements stand once in the answer, whatever features are closest: the records themselves need not be in order.
        if (!reserve(ask, &scratch->sorted, snag__order_room(count), sizeof(uint64_t)) ||
            !reserve(ask, &scratch->records, count, sizeof(snag__order_note)))
            return SNAG_ERROR_MEMORY;
        w.notes = scratch->records.data;
        if (snag__order_run(&order, ask->parallel, scratch->sorted.data, scratch->records.data, take_noted_pairs, &w))
            count = drop_double_pairs(w.pairs, count);
    } else {
        w.records = snag__order_records(ask, &count);
        if (w.records == NULL)
            return SNAG_ERROR_MEMORY;
        w.count = count;
        find_earliest(ask, w.records, count, answer);
        snag__parallel_for(ask->parallel, (uint32_t)((count + SNAG__BLOCK - 1) / SNAG__BLOCK), write_pairs, &w);
    }
    answer->count = count;
    answer->pairs = w.pairs;
    return SNAG_OK;
}

static snag_status finish_contacts(snag__ask *ask, snag_answer *answer, size_t count)
{
    if (!reserve(ask, &ask->scratch->answer, count, sizeof(snag_contact)))
        return SNAG_ERROR_MEMORY;
    snag__record *records = snag__order_records(ask, &count);
    if (records == NULL)
        return SNAG_ERROR_MEMORY;
    answer->count = count;
    writing w = {.ask = ask, .records = records, .contacts = ask->scratch->answer.data, .count = count};
    find_earliest(ask, records, count, answer);
    snag__parallel_for(ask->parallel, (uint32_t)((count + SNAG__BLOCK - 1) / SNAG__BLOCK), write_contacts, &w);
    if (ask->kind->complete != NULL) {
        snag_status status = ask->kind->complete(ask, records, w.contacts, count);
        if (status != SNAG_OK)
            return status;
    }
    answer->contacts = w.contacts;
    return SNAG_OK;
}

// How many there are, each counted once; and of impacts the earliest. Those later than it are not looked for if it is all that is
// wanted: how many were found on the way means nothing.
static snag_status finish_count(snag__ask *ask, snag_answer *answer, size_t count)
{
    const snag__record *records = snag__order_records(ask, &count);
    if (records == NULL)
        return SNAG_ERROR_MEMORY;
    find_earliest(ask, records, count, answer);
    answer->count = ask->def->output == SNAG_OUTPUT_EARLIEST ? 1 : count;
    return SNAG_OK;
}

void snag__write_records(snag__ask *ask, const snag__record *records, size_t count, snag_contact *contacts, snag_pair *pairs)
{
    writing w = {.ask = ask, .records = records, .contacts = contacts, .pairs = pairs, .count = count};
    snag__parallel_for(ask->parallel, (uint32_t)((count + SNAG__BLOCK - 1) / SNAG__BLOCK),
                       contacts != NULL ? write_contacts : write_pairs, &w);
}

void snag__note_earliest(const snag__ask *ask, const snag__record *records, size_t count, snag_answer *answer)
{
    snag_answer of_these = {.earliest = INFINITY};
    find_earliest(ask, records, count, &of_these);
    // In order, so that of equal times the first counts.
    if (of_these.earliest < answer->earliest || (of_these.earliest == 1 && answer->culprit.body_a == 0)) {
        answer->earliest = of_these.earliest;
        answer->culprit = of_these.culprit;
    }
}

snag_status snag__finish_in_memory(snag__ask *ask, snag_answer *answer, size_t count)
{
    switch (ask->def->output) {
    case SNAG_OUTPUT_CONTACTS: return finish_contacts(ask, answer, count);
    case SNAG_OUTPUT_PAIRS: return finish_pairs(ask, answer, count);
    default: return finish_count(ask, answer, count);
    }
}

snag_status snag__finish(snag__ask *ask, snag_answer *answer)
{
    size_t count = 0;
    for (int i = 0; i < SNAG__MAX_TASKS; i++) {
        count += ask->scratch->lists[i].count;
        ask->statistics.candidates += ask->scratch->lists[i].pair_count;
        ask->statistics.exact += ask->scratch->lists[i].exact_count;
    }
    answer->output = ask->def->output;
    answer->earliest = 1;
    if (ask->def->sink != NULL)
        return snag__finish_to_sink(ask, answer, count);
    return count > 0 ? snag__finish_in_memory(ask, answer, count) : SNAG_OK;
}
