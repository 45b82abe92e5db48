// Places keep their ids from call to call. A hash table remembers for each vertex, for each other body that it was in contact with,
// which place that was. The vertices of a new place vote; the most votes win, and each id is given once.
#include "world/places.h"

#include <string.h>

// A vertex of `body` in contact with `other`.
typedef struct key {
    uint64_t vertex;  // the body's index, then the vertex
    uint64_t other;  // the question, then the other body's index
    uint32_t generation, other_generation;  // of the two bodies: their slots may have been used again since
} key;

typedef struct seen {
    key key;
    uint64_t id;  // 0: empty
} seen;

// How many vertices of a place were in an earlier one.
typedef struct claim {
    uint64_t id;
    uint32_t place;
    uint32_t votes;
    size_t first;  // the first claim to the same id
    bool granted;  // of that one: the id has been given
} claim;

typedef struct voter {
    snag__places *state;
    const snag_answer *answer;
    const snag__place_sides *sides;
    claim *claims;
    size_t claim_count;
} voter;

static key key_of(snag_question question, const snag__body *body, uint32_t vertex, const snag__body *other)
{
    return (key){
        .vertex = (uint64_t)body->id.index << 32 | vertex,
        .other = (uint64_t)question << 32 | other->id.index,
        .generation = body->id.generation,
        .other_generation = other->id.generation,
    };
}

// Where a key is, or where it belongs: a key of bodies that have been replaced is overwritten.
static seen *find(const snag__places *state, const key *k)
{
    seen *table = state->seen.data;
    size_t mask = state->seen_slots - 1;
    uint64_t hash = (k->vertex * 0x9e3779b97f4a7c15u ^ k->other) * 0xd6e8feb86659fd93u;
    size_t at = (size_t)(hash >> 20) & mask;
    while (table[at].id != 0 && (table[at].key.vertex != k->vertex || table[at].key.other != k->other))
        at = (at + 1) & mask;
    return &table[at];
}

static bool is_current(const seen *s, const key *k)
{
    return s->id != 0 && s->key.generation == k->generation && s->key.other_generation == k->other_generation;
}

// Room for `more` keys beside the present ones.
static bool reserve_seen(snag__places *state, const snag_allocator *allocator, size_t more)
{
    size_t slots = state->seen_slots > 0 ? state->seen_slots : 64;
    while (slots < 2 * (state->seen_count + more))
        slots *= 2;
    if (slots == state->seen_slots)
        return true;
    snag__buffer memory = {0};
    if (!snag__buffer_reserve(allocator, &memory, 0, slots, sizeof(seen)))
        return false;
    memset(memory.data, 0, slots * sizeof(seen));
    snag__places old = *state;
    const seen *from = old.seen.data;
    state->seen = memory;
    state->seen_slots = slots;
    for (size_t i = 0; i < old.seen_slots; i++)
        if (from[i].id != 0)
            *find(state, &from[i].key) = from[i];
    snag__buffer_free(allocator, &old.seen);
    return true;
}

// ---- the vertices of a place ---------------------------------------------------------------------------------------

typedef void visitor(voter *v, const key *k, uint32_t place, uint64_t id);

static void visit_side(voter *v, const snag__body *body, const snag_element *element, const snag__body *other, uint32_t place,
                       uint64_t id, visitor *visit)
{
    uint32_t vertices[4], count = snag__element_vertices(body, element, vertices);
    if (count == 0)
        vertices[count++] = element->index;
    for (uint32_t i = 0; i < count; i++) {
        key k = key_of(v->answer->question, body, vertices[i], other);
        visit(v, &k, place, id);
    }
}

static void visit_place(voter *v, const snag_place *place, uint32_t index, visitor *visit)
{
    for (size_t i = 0; i < place->contact_count; i++) {
        const snag_contact *contact = &v->answer->contacts[place->contacts[i]];
        const snag__place_sides *sides = &v->sides[place->contacts[i]];
        visit_side(v, sides->a, &contact->a, sides->b, index, place->id, visit);
        visit_side(v, sides->b, &contact->b, sides->a, index, place->id, visit);
    }
}

static void remember(voter *v, const key *k, uint32_t place, uint64_t id)
{
    seen *s = find(v->state, k);
    (void)place;
    v->state->seen_count += s->id == 0;
    *s = (seen){*k, id};
}

// One record for each vertex that was in an earlier place: sorted, they are counted.
static void vote(voter *v, const key *k, uint32_t place, uint64_t id)
{
    const seen *s = find(v->state, k);
    (void)id;
    if (is_current(s, k))
        ((snag__record *)v->state->votes.data)[v->claim_count++] = (snag__record){.key = s->id, .extra = place};
}

// ---- claims --------------------------------------------------------------------------------------------------------

// Sorts votes by id (they come in the order of places, which a stable sort keeps) and counts them.
static void count_votes(voter *v, snag__record *votes, snag__record *scratch)
{
    size_t count = v->claim_count;
    v->claim_count = 0;
    snag__sort_records(votes, scratch, count);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && votes[next].key == votes[i].key && votes[next].extra == votes[i].extra;)
            next++;
        claim *made = &v->claims[v->claim_count];
        *made = (claim){.id = votes[i].key, .place = votes[i].extra, .votes = (uint32_t)(next - i), .first = v->claim_count};
        if (v->claim_count > 0 && made[-1].id == made->id)
            made->first = made[-1].first;
        v->claim_count++;
    }
}

// Claims with the most votes first, of equal ones the older id, then the worse place: already in that order, so a stable sort by votes
// is enough.
static void sort_claims(voter *v, snag__record *records, snag__record *scratch)
{
    for (size_t i = 0; i < v->claim_count; i++)
        records[i] = (snag__record){.key = UINT32_MAX - v->claims[i].votes, .kind = (uint32_t)i};
    snag__sort_records(records, scratch, v->claim_count);
}

// Gives each id to the place with the most votes for it, and each place one id.
static void grant(voter *v, const snag__record *order, snag_place *places)
{
    for (size_t i = 0; i < v->claim_count; i++) {
        const claim *c = &v->claims[order[i].kind];
        if (places[c->place].id == 0 && !v->claims[c->first].granted) {
            places[c->place].id = c->id;
            v->claims[c->first].granted = true;
        }
    }
}

// The number of vertices that all contacts name, each as often as it is named.
static size_t count_vertices(const snag_answer *answer, const snag__place_sides *sides)
{
    size_t sum = 0;
    for (size_t i = 0; i < answer->count; i++) {
        uint32_t v[4], a = snag__element_vertices(sides[i].a, &answer->contacts[i].a, v);
        uint32_t b = snag__element_vertices(sides[i].b, &answer->contacts[i].b, v);
        sum += (a > 0 ? a : 1) + (b > 0 ? b : 1);
    }
    return sum;
}

// How many different keys they can make. Contacts of two bodies are neighbours in an answer: they name no more than the bodies' vertices.
static size_t count_keys(const snag_answer *answer, const snag__place_sides *sides)
{
    size_t sum = 0;
    for (size_t i = 0, next; i < answer->count; i = next) {
        size_t named = 0, most = (size_t)sides[i].a->mesh.vertex_count + sides[i].b->mesh.vertex_count;
        for (next = i; next < answer->count && sides[next].a == sides[i].a && sides[next].b == sides[i].b; next++) {
            uint32_t v[4], a = snag__element_vertices(sides[i].a, &answer->contacts[next].a, v);
            uint32_t b = snag__element_vertices(sides[i].b, &answer->contacts[next].b, v);
            named += (a > 0 ? a : 1) + (b > 0 ? b : 1);
            most = a > 0 && b > 0 ? most : SIZE_MAX;  // elements that stand for themselves
        }
        sum += named < most ? named : most;
    }
    return sum;
}

bool snag__places_identify(snag__places *state, const snag_allocator *allocator, const snag_answer *answer,
                           const snag__place_sides *sides, snag_place *places, size_t count)
{
    size_t vertices = count_vertices(answer, sides);
    voter v = {.state = state, .answer = answer, .sides = sides};
    // At most all keys are new.
    if (!snag__buffer_reserve(allocator, &state->votes, 0, 2 * vertices + 1, sizeof(snag__record)) ||
        !snag__buffer_reserve(allocator, &state->claims, 0, vertices + 1, sizeof(claim)) ||
        !reserve_seen(state, allocator, count_keys(answer, sides)))
        return false;
    snag__record *votes = state->votes.data, *scratch = votes + vertices;
    v.claims = state->claims.data;
    for (size_t p = 0; p < count; p++)
        visit_place(&v, &places[p], (uint32_t)p, vote);
    count_votes(&v, votes, scratch);
    sort_claims(&v, votes, scratch);
    grant(&v, votes, places);
    for (size_t p = 0; p < count; p++)
        if (places[p].id == 0)
            places[p].id = ++state->last_id;
    for (size_t p = 0; p < count; p++)
        visit_place(&v, &places[p], (uint32_t)p, remember);
    return true;
}
