// A second opinion on tracked contacts: a contact is the same as long as its elements are in every answer to a question.
// Contacts of proximities are told apart by the feature of the triangle too, as far as it shows from outside.
#include "common/any_question.h"
#include "torture.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    snag_body_id body_a, body_b;
    snag_element_kind kind_a, kind_b;
    uint32_t a, b;
    // What is known of the feature: the kind, and which corners have weight.
    snag_contact_kind kind;
    uint32_t corners;
    bool every_pair;
    uint64_t id;
    uint32_t age;
    size_t place;  // in its answer
    bool claimed;
    uint64_t lost;  // its elements ended with an edit: the how manieth so. 0: they did not
} entry;

struct torture_memory {
    entry *entries[SNAG_QUESTION_COUNT];  // of the last answer with track, sorted
    size_t counts[SNAG_QUESTION_COUNT];
    uint64_t last_id;
    uint64_t lost;
};

void torture_free_tracks(torture_life *life)
{
    for (int i = 0; life->tracks != NULL && i < SNAG_QUESTION_COUNT; i++)
        free(life->tracks->entries[i]);
    free(life->tracks);
    life->tracks = NULL;
}

static int compare_numbers(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static int compare_elements(const entry *x, const entry *y)
{
    const uint64_t left[] = {x->body_a.index, x->body_a.generation, x->kind_a, x->a,
                             x->body_b.index, x->body_b.generation, x->kind_b, x->b};
    const uint64_t right[] = {y->body_a.index, y->body_a.generation, y->kind_a, y->a,
                              y->body_b.index, y->body_b.generation, y->kind_b, y->b};
    for (int i = 0; i < 8; i++)
        if (left[i] != right[i])
            return compare_numbers(left[i], right[i]);
    return 0;
}

static int by_elements(const void *x, const void *y)
{
    // Those that an edit took come last: nothing is found for them any more.
    const uint64_t lost_x = ((const entry *)x)->lost, lost_y = ((const entry *)y)->lost;
    int order = (lost_x > 0) != (lost_y > 0) ? (lost_x > 0 ? 1 : -1) : compare_elements(x, y);
    return order != 0 ? order : compare_numbers(((const entry *)x)->place, ((const entry *)y)->place);
}

static int by_place(const void *x, const void *y)
{
    int order = compare_numbers(((const entry *)x)->lost, ((const entry *)y)->lost);
    return order != 0 ? order : compare_numbers(((const entry *)x)->place, ((const entry *)y)->place);
}

static bool same_kind(snag_body_id body, snag_element_kind kind, snag_body_id other_body, snag_element_kind other_kind)
{
    return body.index == other_body.index && body.generation == other_body.generation && kind == other_kind;
}

// The order of contacts after an edit: it gave elements other numbers, but left bodies and kinds in their order.
static int by_place_and_number(const void *left, const void *right)
{
    const entry *x = left, *y = right;
    if (x->lost > 0 || y->lost > 0)
        return by_place(x, y);
    if (!same_kind(x->body_a, x->kind_a, y->body_a, y->kind_a))
        return compare_numbers(x->place, y->place);
    if (x->a != y->a)
        return compare_numbers(x->a, y->a);
    if (same_kind(x->body_b, x->kind_b, y->body_b, y->kind_b) && x->b != y->b)
        return compare_numbers(x->b, y->b);
    return compare_numbers(x->place, y->place);
}

static entry *write_entries(const any_question *def, const snag_answer *answer)
{
    entry *entries = calloc(answer->count + 1, sizeof *entries);
    if (entries == NULL)
        abort();
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        uint32_t corners = 0;
        for (int k = 0; k < 3 && c->a.kind == SNAG_VERTEX; k++)
            corners |= c->weight[k] != 0 ? 1u << k : 0;
        entries[i] = (entry){c->body_a, c->body_b,       c->a.kind, c->b.kind, c->a.index, c->b.index, c->kind,
                             corners,   def->every_pair, c->id,     c->age,    i,          false,      0};
    }
    qsort(entries, answer->count, sizeof *entries, by_elements);
    return entries;
}

// ---- are two contacts of the same elements the same? ----

typedef enum relation { SAME, DIFFERENT, UNKNOWN } relation;

static bool shows_feature(const entry *e)
{
    uint32_t bits = (e->corners & 1u) + (e->corners >> 1 & 1u) + (e->corners >> 2 & 1u);
    return (e->kind == SNAG_VERTEX_VERTEX && bits == 1) || (e->kind == SNAG_VERTEX_EDGE && bits == 2);
}

static relation relate(snag_question question, const entry *was, const entry *now)
{
    if (question != SNAG_PROXIMITIES || (was->every_pair && now->every_pair))
        return SAME;
    if (was->every_pair != now->every_pair)
        return UNKNOWN;
    if (was->kind != now->kind)
        return DIFFERENT;
    if (now->kind == SNAG_EDGE_EDGE || now->kind == SNAG_VERTEX_FACE)
        return SAME;
    if (!shows_feature(was) || !shows_feature(now))
        return UNKNOWN;
    return was->corners == now->corners ? SAME : DIFFERENT;
}

// ---- judging ----

_Noreturn static void fail_entry(torture_life *life, const char *what, const entry *e)
{
    torture_fail(life, "track", "%s: body %u/%u element %d:%u and body %u/%u element %d:%u, id %llu, age %u", what, e->body_a.index,
                 e->body_a.generation, (int)e->kind_a, e->a, e->body_b.index, e->body_b.generation, (int)e->kind_b, e->b,
                 (unsigned long long)e->id, e->age);
}

static void judge_persisting(torture_life *life, snag_question question, const entry *now, entry *was, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (was[i].id != now->id)
            continue;
        if (was[i].claimed)
            fail_entry(life, "two contacts have one id", now);
        if (relate(question, &was[i], now) == DIFFERENT)
            fail_entry(life, "a contact has the id of one of another feature", now);
        if (now->age != was[i].age + 1)
            fail_entry(life, "the age of a contact that persists did not grow by one", now);
        was[i].claimed = true;
        return;
    }
    fail_entry(life, "a contact persists that was not there", now);
}

// Contacts of the same elements, before and now.
static void judge_run(torture_life *life, snag_question question, const snag_answer *answer, const entry *now, size_t now_count,
                      entry *was, size_t was_count)
{
    for (size_t i = 0; i < now_count; i++)
        if (answer->contacts[now[i].place].phase == SNAG_PHASE_PERSIST)
            judge_persisting(life, question, &now[i], was, was_count);
    for (size_t i = 0; i < now_count; i++) {
        snag_contact_phase phase = answer->contacts[now[i].place].phase;
        if (phase == SNAG_PHASE_PERSIST)
            continue;
        if (phase != SNAG_PHASE_BEGIN || now[i].age != 0)
            fail_entry(life, "a contact has no phase, or begins with an age", &now[i]);
        if (now[i].id <= life->tracks->last_id)
            fail_entry(life, "a contact begins with an id that was used before", &now[i]);
        for (size_t k = 0; k < was_count; k++)
            if (!was[k].claimed && relate(question, &was[k], &now[i]) == SAME)
                fail_entry(life, "a contact begins that was there", &now[i]);
    }
}

static size_t run_length(const entry *entries, size_t count)
{
    size_t length = count > 0 ? 1 : 0;
    while (length < count && entries[length].lost == 0 && compare_elements(&entries[0], &entries[length]) == 0)
        length++;
    return length;
}

static void judge_ended(torture_life *life, const snag_answer *answer, entry *was, size_t count)
{
    size_t at = 0;
    qsort(was, count, sizeof *was, by_place);
    for (size_t i = 0; i < count; i++) {
        if (was[i].claimed)
            continue;
        if (at == answer->ended_count)
            fail_entry(life, "a contact ended and is not listed", &was[i]);
        const snag_ended_contact *e = &answer->ended[at++];
        entry listed = {e->body_a, e->body_b, e->kind_a, e->kind_b, e->a, e->b, 0, 0, false, e->id, 0, 0, false, 0};
        if (e->id != was[i].id || compare_elements(&listed, &was[i]) != 0)
            fail_entry(life, "a contact ended, and another is listed", &was[i]);
    }
    if (at != answer->ended_count)
        torture_fail(life, "track", "%zu contacts ended and %zu are listed", at, answer->ended_count);
}

// New ids are larger than all before, so the largest one stands for all that were ever used.
static void note_ids(torture_life *life, const snag_answer *answer)
{
    uint64_t last = life->tracks->last_id;
    for (size_t i = 0; i < answer->count; i++) {
        if (answer->contacts[i].phase == SNAG_PHASE_BEGIN && answer->contacts[i].id <= last)
            torture_fail(life, "track", "two contacts begin with the id %llu", (unsigned long long)answer->contacts[i].id);
        if (answer->contacts[i].phase == SNAG_PHASE_BEGIN)
            last = answer->contacts[i].id;
        else
            life->board->persisted++;
    }
    life->tracks->last_id = last;
    life->board->tracked++;
    life->board->ended += answer->ended_count;
}

void torture_judge_tracks(torture_life *life, const any_question *def, const snag_answer *answer)
{
    if (life->tracks == NULL && (life->tracks = calloc(1, sizeof *life->tracks)) == NULL)
        abort();
    entry *now = write_entries(def, answer), *was = life->tracks->entries[def->question];
    size_t now_count = answer->count, was_count = life->tracks->counts[def->question];
    for (size_t i = 0, k = 0; i < now_count;) {
        size_t length = run_length(now + i, now_count - i);
        while (k < was_count && was[k].lost == 0 && compare_elements(&was[k], &now[i]) < 0)
            k++;
        size_t before =
            k < was_count && was[k].lost == 0 && compare_elements(&was[k], &now[i]) == 0 ? run_length(was + k, was_count - k) : 0;
        judge_run(life, def->question, answer, now + i, length, was + k, before);
        i += length;
    }
    if (was_count > 0 || answer->ended_count > 0)
        judge_ended(life, answer, was, was_count);
    note_ids(life, answer);
    free(was);
    life->tracks->entries[def->question] = now;
    life->tracks->counts[def->question] = now_count;
}

// ---- edits ----

// The number of an element after an edit, or SNAG_NO_NUMBER.
static uint32_t number_after(const torture_body *body, const snag_edit_map *map, const uint8_t *used, snag_element_kind kind,
                             uint32_t index)
{
    if (kind == SNAG_TET) {
        const uint32_t *tet = body->shape.tets + 4 * (size_t)index;
        return tet[0] == tet[1] && tet[0] == tet[2] && tet[0] == tet[3] ? SNAG_NO_NUMBER : index;
    }
    switch (kind) {
    case SNAG_VERTEX: return used[index] ? index : SNAG_NO_NUMBER;
    case SNAG_EDGE: return map->edges[index];
    default: return map->triangles[index];
    }
}

static bool is_of(const torture_body *body, snag_body_id id)
{
    return body->id.index == id.index && body->id.generation == id.generation;
}

void torture_edit_tracks(torture_life *life, const torture_body *body, const snag_edit_map *map, const uint8_t *used)
{
    for (int q = 0; life->tracks != NULL && q < SNAG_QUESTION_COUNT; q++) {
        entry *entries = life->tracks->entries[q];
        size_t count = life->tracks->counts[q];
        if (count > 0)
            qsort(entries, count, sizeof *entries, by_place);  // lost ones are listed in the order of their contacts
        for (size_t i = 0; i < count; i++) {
            entry *e = &entries[i];
            if (e->lost > 0)
                continue;
            uint32_t a = is_of(body, e->body_a) ? number_after(body, map, used, e->kind_a, e->a) : e->a;
            uint32_t b = is_of(body, e->body_b) ? number_after(body, map, used, e->kind_b, e->b) : e->b;
            if (a == SNAG_NO_NUMBER || b == SNAG_NO_NUMBER)
                e->lost = ++life->tracks->lost;
            else {
                e->a = a;
                e->b = b;
            }
        }
        if (count == 0)
            continue;
        qsort(entries, count, sizeof *entries, by_place_and_number);
        for (size_t i = 0; i < count; i++)
            entries[i].place = i;
        qsort(entries, count, sizeof *entries, by_elements);
    }
}
