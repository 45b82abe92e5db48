// Contacts in groups: by pair of bodies, then by connected elements.
//
// Two contacts are neighbours if they share a vertex on each side. So every contact is entered into a hash table under each pair of
// vertices (one of its element on each side), and whatever is found there already is united with it: linear in the contacts, and the
// same for any order of them.
#include "world/places.h"

#include "base/clamp.h"
#include "base/vec3.h"
#include "world/world.h"

#include <string.h>

#define NO_CONTACT UINT32_MAX
// The other half of a key for elements whose vertices are not known: they are neighbours if they share an element.
#define ANY UINT64_MAX

typedef struct slot {
    uint64_t low, high;  // a vertex each: the body's index, then the vertex; the lower first
    uint32_t contact;  // NO_CONTACT: empty
} slot;

typedef struct grouping {
    snag_world *world;
    const snag_answer *answer;
    uint32_t count;  // contacts
    snag__place_sides *sides;
    uint32_t *parents;
    slot *slots;
    size_t slot_mask, slots_used;
    uint32_t *starts, *indices;
    uint32_t place_count;
    snag_place *places;
} grouping;

// ---- elements ------------------------------------------------------------------------------------------------------

static uint32_t copy_vertices(const uint32_t *from, uint32_t count, uint32_t vertices[4])
{
    for (uint32_t i = 0; i < count; i++)
        vertices[i] = from[i];
    return count;
}

uint32_t snag__element_vertices(const snag__body *body, const snag_element *element, uint32_t vertices[4])
{
    const snag__mesh *mesh = &body->mesh;
    if (body->source != NULL)
        return 0;
    switch (element->kind) {
    case SNAG_VERTEX: return copy_vertices(&element->index, 1, vertices);
    case SNAG_EDGE: return copy_vertices(mesh->edges[element->index], 2, vertices);
    case SNAG_TRIANGLE: return copy_vertices(mesh->triangles[element->index], 3, vertices);
    case SNAG_TET: return copy_vertices(mesh->tets[element->index], 4, vertices);
    case SNAG_LEAF: break;
    }
    return 0;
}

static bool has_element(const snag__body *body, const snag_element *element)
{
    const snag__mesh *mesh = &body->mesh;
    switch (element->kind) {
    case SNAG_VERTEX: return element->index < mesh->vertex_count;
    case SNAG_EDGE: return element->index < mesh->edge_count;
    case SNAG_TRIANGLE: return element->index < (body->source != NULL ? body->source->triangle_count : mesh->triangle_count);
    case SNAG_TET: return element->index < mesh->tet_count;
    case SNAG_LEAF: return true;
    }
    return false;
}

static snag_status check_side(grouping *g, size_t i, snag_body_id id, const snag_element *element, const snag__body **body)
{
    *body = snag__world_find(g->world, id);
    if (*body == NULL)
        return snag__fail(g->world, SNAG_ERROR_BODY, "places: contact %zu: there is no body with id (%u, %u)", i, id.index,
                          id.generation);
    if (!has_element(*body, element))
        return snag__fail(g->world, SNAG_ERROR_INDEX, "places: contact %zu: body '%s' has no element %u of kind %d", i,
                          (*body)->name, element->index, (int)element->kind);
    return SNAG_OK;
}

static snag_status check_contacts(grouping *g)
{
    snag_status status = SNAG_OK;
    for (uint32_t i = 0; i < g->count && status == SNAG_OK; i++) {
        const snag_contact *contact = &g->answer->contacts[i];
        status = check_side(g, i, contact->body_a, &contact->a, &g->sides[i].a);
        if (status == SNAG_OK)
            status = check_side(g, i, contact->body_b, &contact->b, &g->sides[i].b);
    }
    return status;
}

// ---- groups --------------------------------------------------------------------------------------------------------

// The first contact of the group, with paths halved on the way.
static uint32_t root_of(uint32_t *parents, uint32_t i)
{
    while (parents[i] != i) {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

static void unite(uint32_t *parents, uint32_t i, uint32_t j)
{
    i = root_of(parents, i);
    j = root_of(parents, j);
    if (i < j)
        parents[j] = i;
    else
        parents[i] = j;
}

// A pair of vertices, the lower first.
typedef struct vertex_pair {
    uint64_t low, high;
} vertex_pair;

static size_t slot_of(const grouping *g, vertex_pair pair)
{
    uint64_t hash = (pair.low * 0x9e3779b97f4a7c15u ^ pair.high) * 0xd6e8feb86659fd93u;
    return (size_t)(hash >> 20) & g->slot_mask;
}

// Where two vertices are, or would be.
static slot *find_slot(const grouping *g, vertex_pair pair)
{
    size_t at = slot_of(g, pair);
    while (g->slots[at].contact != NO_CONTACT && (g->slots[at].low != pair.low || g->slots[at].high != pair.high))
        at = (at + 1) & g->slot_mask;
    return &g->slots[at];
}

static vertex_pair pair_of(uint64_t x, uint64_t y)
{
    return (vertex_pair){x < y ? x : y, x < y ? y : x};
}

static uint64_t vertex_key(const snag__body *body, uint32_t vertex)
{
    return (uint64_t)body->id.index << 32 | vertex;
}

// The most pairs of vertices of one contact: two tetrahedra.
enum { KEYS_OF_A_CONTACT = 16, SLOTS_LEAST = 64 };

static uint32_t pairs_of_contact(const grouping *g, uint32_t i, vertex_pair pairs[KEYS_OF_A_CONTACT])
{
    const snag_contact *contact = &g->answer->contacts[i];
    const snag__place_sides *sides = &g->sides[i];
    uint32_t va[4], vb[4], count = 0;
    uint32_t na = snag__element_vertices(sides->a, &contact->a, va), nb = snag__element_vertices(sides->b, &contact->b, vb);
    if (na == 0 || nb == 0) {
        pairs[0] = pair_of(vertex_key(sides->a, contact->a.index), ANY - sides->b->id.index);
        pairs[1] = pair_of(vertex_key(sides->b, contact->b.index), ANY - sides->a->id.index);
        return 2;
    }
    for (uint32_t j = 0; j < na; j++)
        for (uint32_t k = 0; k < nb; k++)
            pairs[count++] = pair_of(vertex_key(sides->a, va[j]), vertex_key(sides->b, vb[k]));
    return count;
}

// Enters a contact at its pairs of vertices, and unites it with those that are there. The table is larger than the cache: all its slots
// are asked for before the first is looked at.
static void enter_contact(grouping *g, uint32_t contact)
{
    vertex_pair pairs[KEYS_OF_A_CONTACT];
    uint32_t count = pairs_of_contact(g, contact, pairs);
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&g->slots[slot_of(g, pairs[i])]);
    for (uint32_t i = 0; i < count; i++) {
        slot *s = find_slot(g, pairs[i]);
        if (s->contact == NO_CONTACT) {
            *s = (slot){pairs[i].low, pairs[i].high, contact};
            g->slots_used++;
        } else {
            unite(g->parents, s->contact, contact);
        }
    }
}

static void use_slots(grouping *g, snag__places *state, size_t slots)
{
    g->slots = state->slots.data;
    g->slot_mask = slots - 1;
    memset(g->slots, 0xff, slots * sizeof(slot));
}

// Neighbouring contacts share most of their vertices, so that the table begins with few slots for each, or with as many as it had the
// last time.
static bool reserve_slots(grouping *g, snag__places *state, const snag_allocator *allocator)
{
    size_t slots = SLOTS_LEAST;
    while (slots < 2 * (size_t)g->count)
        slots *= 2;
    if (!snag__buffer_reserve(allocator, &state->slots, 0, slots, sizeof(slot)))
        return false;
    while (slots < KEYS_OF_A_CONTACT * (size_t)g->count && 2 * slots * sizeof(slot) <= state->slots.bytes)
        slots *= 2;
    g->slots_used = 0;
    use_slots(g, state, slots);
    return true;
}

// Makes sure that another contact fits, with a third of the slots free.
static bool make_room(grouping *g, snag__places *state, const snag_allocator *allocator)
{
    size_t slots = g->slot_mask + 1;
    if (3 * (g->slots_used + KEYS_OF_A_CONTACT) <= 2 * slots)
        return true;
    snag__buffer larger = {0}, old = state->slots;
    if (!snag__buffer_reserve(allocator, &larger, 0, 2 * slots, sizeof(slot)))
        return false;
    state->slots = larger;
    use_slots(g, state, 2 * slots);
    const slot *from = old.data;
    for (size_t i = 0; i < slots; i++)
        if (from[i].contact != NO_CONTACT)
            *find_slot(g, (vertex_pair){from[i].low, from[i].high}) = from[i];
    snag__buffer_free(allocator, &old);
    return true;
}

// Numbers the groups by their first contacts: parents[i] becomes the place of contact i.
static void number_groups(grouping *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t root = root_of(g->parents, i);
        g->starts[i] = root == i ? g->place_count++ : g->starts[root];
    }
    memcpy(g->parents, g->starts, g->count * sizeof *g->parents);
}

// Lists the contacts of each place: a counting sort.
static void list_contacts(grouping *g)
{
    memset(g->starts, 0, (g->place_count + 2u) * sizeof *g->starts);
    for (uint32_t i = 0; i < g->count; i++)
        g->starts[g->parents[i] + 2]++;
    for (uint32_t p = 2; p < g->place_count + 2; p++)
        g->starts[p] += g->starts[p - 1];
    for (uint32_t i = 0; i < g->count; i++)
        g->indices[g->starts[g->parents[i] + 1]++] = i;
}

// ---- measures ------------------------------------------------------------------------------------------------------

// Proximities and distances are worse the smaller they are, and impacts the earlier.
static bool least_is_worst(snag_question question)
{
    return question == SNAG_PROXIMITIES || question == SNAG_IMPACTS || question == SNAG_DISTANCE;
}

static void widen(snag_place *place, const double point[3])
{
    for (int k = 0; k < 3; k++) {
        place->minimum[k] = snag__min(place->minimum[k], point[k]);
        place->maximum[k] = snag__max(place->maximum[k], point[k]);
    }
}

static void measure_contact(const grouping *g, uint32_t i, snag_place *place)
{
    const snag_contact *contact = &g->answer->contacts[i];
    const snag__place_sides *sides = &g->sides[i];
    snag_question question = g->answer->question;
    double depth = least_is_worst(question) ? 0 : snag__contact_depth(contact, sides->a, sides->b);
    double value = question == SNAG_IMPACTS ? contact->t : least_is_worst(question) ? contact->value : depth;
    bool worse = least_is_worst(question) ? value < place->value : value > place->value;
    widen(place, contact->point_a);
    widen(place, contact->point_b);
    if (contact->kind == SNAG_CROSSING) {
        double along[3];
        snag__vec3_subtract(contact->point_b, contact->point_a, along);
        place->length += snag__length(along);
    }
    place->depth = snag__max(place->depth, depth);
    if (worse || i == place->contacts[0]) {
        place->worst = i;
        place->value = value;
    }
}

static void measure_place(const grouping *g, uint32_t index)
{
    uint32_t first = g->starts[index], last = g->starts[index + 1];
    const snag__place_sides *sides = &g->sides[g->indices[first]];
    bool swapped = sides->b->id.index < sides->a->id.index;
    snag_place *place = &g->places[index];
    *place = (snag_place){
        .body_a = swapped ? sides->b->id : sides->a->id,
        .body_b = swapped ? sides->a->id : sides->b->id,
        .contacts = g->indices + first,
        .contact_count = last - first,
        .minimum = {INFINITY, INFINITY, INFINITY},
        .maximum = {-INFINITY, -INFINITY, -INFINITY},
    };
    for (uint32_t i = first; i < last; i++)
        measure_contact(g, g->indices[i], place);
    double diagonal[3];
    snag__vec3_subtract(place->maximum, place->minimum, diagonal);
    place->size = snag__length(diagonal);
    for (int k = 0; k < 3; k++)
        place->centre[k] = 0.5 * place->minimum[k] + 0.5 * place->maximum[k];
}

// ---- order ---------------------------------------------------------------------------------------------------------

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

// Sums depend on the order of the contacts in their last digits; an order of places must not.
static double rounded(double value)
{
    return (double)(float)value;
}

// Whether a comes before b.
static bool is_worse(const snag_place *a, const snag_place *b, bool least)
{
    int order =
        least ? compare_numbers(rounded(a->value), rounded(b->value)) : compare_numbers(rounded(b->depth), rounded(a->depth));
    if (order == 0)
        order = compare_numbers(rounded(b->length), rounded(a->length));
    if (order == 0)
        order = (a->contact_count < b->contact_count) - (a->contact_count > b->contact_count);
    for (int k = 0; k < 3 && order == 0; k++)
        order = compare_numbers(a->centre[k], b->centre[k]);
    return order != 0 ? order < 0 : a->contacts[0] < b->contacts[0];
}

static void sift(snag_place *places, size_t at, size_t count, bool least)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && is_worse(&places[child], &places[child + 1], least))
            child++;
        if (child >= count || !is_worse(&places[at], &places[child], least))
            return;
        snag_place swap = places[at];
        places[at] = places[child];
        places[child] = swap;
        at = child;
    }
}

// Heap sort: takes no memory, and the order is total, so it need not be stable.
static void sort_places(snag_place *places, size_t count, bool least)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(places, i, count, least);
    for (size_t i = count; i-- > 1;) {
        snag_place swap = places[0];
        places[0] = places[i];
        places[i] = swap;
        sift(places, 0, i, least);
    }
}

// ---- the call ------------------------------------------------------------------------------------------------------

static snag_status make_groups(grouping *g, snag__places *state, const snag_allocator *allocator)
{
    const snag__room rooms[] = {
        {&state->sides, &g->sides, g->count + 1u, sizeof *g->sides},
        {&state->parents, &g->parents, g->count + 1u, sizeof *g->parents},
        {&state->starts, &g->starts, g->count + 3u, sizeof *g->starts},
        {&state->indices, &g->indices, g->count + 1u, sizeof *g->indices},
    };
    if (!snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms))
        return SNAG_ERROR_MEMORY;
    snag_status status = check_contacts(g);
    if (status != SNAG_OK)
        return status;
    if (!reserve_slots(g, state, allocator))
        return SNAG_ERROR_MEMORY;
    for (uint32_t i = 0; i < g->count; i++)
        g->parents[i] = i;
    for (uint32_t i = 0; i < g->count; i++) {
        if (!make_room(g, state, allocator))
            return SNAG_ERROR_MEMORY;
        enter_contact(g, i);
    }
    number_groups(g);
    list_contacts(g);
    if (!snag__buffer_reserve(allocator, &state->places, 0, g->place_count + 1u, sizeof *g->places))
        return SNAG_ERROR_MEMORY;
    g->places = state->places.data;
    for (uint32_t p = 0; p < g->place_count; p++)
        measure_place(g, p);
    status = least_is_worst(g->answer->question)
                 ? SNAG_OK
                 : snag__places_measure_inside(g->world, g->answer, g->sides, g->places, g->place_count);
    if (status != SNAG_OK)
        return status;
    sort_places(g->places, g->place_count, least_is_worst(g->answer->question));
    if (!snag__places_identify(state, allocator, g->answer, g->sides, g->places, g->place_count))
        return SNAG_ERROR_MEMORY;
    return SNAG_OK;
}

static snag_status find_places(snag_world *world, const snag_answer *answer, const snag_place **places, size_t *count)
{
    if (answer == NULL || places == NULL || count == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "places: answer, places and count must not be NULL");
    if (answer->question < 0 || answer->question >= SNAG_QUESTION_COUNT)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "places: the answer's question is %d, which is none", (int)answer->question);
    if (answer->output != SNAG_OUTPUT_CONTACTS || (answer->contacts == NULL && answer->count > 0))
        return snag__fail(world, SNAG_ERROR_UNSUPPORTED,
                          "places: the answer has no contacts; ask with the output SNAG_OUTPUT_CONTACTS");
    if (answer->count > UINT32_MAX - 3)
        return snag__fail(world, SNAG_ERROR_SIZE, "places: %zu contacts are more than can be numbered", answer->count);
    grouping g = {.world = world, .answer = answer, .count = (uint32_t)answer->count};
    snag_status status = make_groups(&g, &world->places, &world->answer_memory.allocator);
    if (status == SNAG_ERROR_MEMORY)
        return snag__fail(world, status, "places: the allocator has no more memory");
    if (status != SNAG_OK)
        return status;
    *places = g.places;
    *count = g.place_count;
    return SNAG_OK;
}

snag_status snag_answer_places(snag_world *world, const snag_answer *answer, const snag_place **places, size_t *count)
{
    snag__call call;
    if (places != NULL)
        *places = NULL;
    if (count != NULL)
        *count = 0;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("places"), &call);
    if (status != SNAG_OK)
        return status;
    status = find_places(world, answer, places, count);
    return snag__call_end(world, &call, status);
}

void snag__places_free(const snag_allocator *allocator, snag__places *state)
{
    snag__buffer *const buffers[] = {&state->sides,   &state->parents, &state->slots, &state->starts,
                                     &state->indices, &state->places,  &state->votes, &state->claims,
                                     &state->seen,    &state->marks,   &state->open,  &state->depths};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        snag__buffer_free(allocator, buffers[i]);
}
