#include "world/track.h"

#include <string.h>

// A contact of the last answer. Sorted by key; the few contacts with the same key differ in `feature`.
typedef struct entry {
    uint64_t key;
    uint64_t id;
    uint32_t feature;
    uint32_t age;
} entry;

// A vertex may be in contact with two features of one triangle, which are two contacts. All other contacts are identified by their
// elements alone: a crossing that becomes a touch stays the same contact.
static uint32_t feature_of(const snag__ask *ask, const snag__record *record)
{
    return ask->def->question == SNAG_PROXIMITIES && !ask->def->every_pair ? record->extra : 0;
}

// Describes a contact that has ended. Its numbers are those of the snapshot.
static void list_ended(const snag__body_snapshot *snapshot, const entry *was, snag_ended_contact *ended)
{
    uint32_t a = (uint32_t)(was->key >> 32), b = (uint32_t)was->key;
    ended->id = was->id;
    ended->body_a = snag__body_snapshot_find(snapshot, a, &ended->kind_a, &ended->a)->id;
    ended->body_b = snag__body_snapshot_find(snapshot, b, &ended->kind_b, &ended->b)->id;
}

// The present key of an entry; false if one of its bodies was removed.
static bool key_now(const snag__body_snapshot *snapshot, bool same, const entry *was, uint64_t *key)
{
    *key = was->key;
    if (same)
        return true;
    uint32_t a = snag__body_snapshot_renumber(snapshot, (uint32_t)(was->key >> 32));
    uint32_t b = snag__body_snapshot_renumber(snapshot, (uint32_t)was->key);
    *key = (uint64_t)a << 32 | b;
    return a != SNAG__GONE && b != SNAG__GONE;
}

// Writes the entries of the present contacts, with ids of zero.
static void write_entries(const snag__ask *ask, const snag__record *records, size_t count, entry *now)
{
    for (size_t i = 0; i < count; i++) {
        SNAG__ASSERT(i == 0 || records[i - 1].key <= records[i].key);
        now[i] = (entry){.key = records[i].key, .feature = feature_of(ask, &records[i])};
    }
}

// Passes the id of an old contact to the new one with the same key and feature. False if there is none.
static bool pass_on_id(const entry *was, entry *now, size_t count, uint64_t key)
{
    for (size_t i = 0; i < count && now[i].key == key; i++)
        if (now[i].id == 0 && now[i].feature == was->feature) {
            now[i].id = was->id;
            now[i].age = was->age < UINT32_MAX ? was->age + 1 : was->age;
            return true;
        }
    return false;
}

snag_status snag__track_contacts(snag__tracks *tracks, const snag__ask *ask, snag_answer *answer)
{
    snag__track *track = &tracks->questions[ask->def->question];
    size_t count = answer->count, ended_count = 0;
    SNAG__ASSERT(ask->def->output == SNAG_OUTPUT_CONTACTS && ask->def->question != SNAG_OVERLAPS);
    SNAG__ASSERT(count * sizeof(snag__record) <= ask->scratch->records.bytes);
    if (!snag__buffer_reserve(ask->answer_allocator, &track->entries[1], 0, count + 1, sizeof(entry)) ||
        !snag__buffer_reserve(ask->answer_allocator, &tracks->ended, 0, track->count + track->lost_count + 1,
                              sizeof(snag_ended_contact)) ||
        !snag__body_snapshot_reserve(&track->snapshot, ask, ask->answer_allocator))
        return SNAG_ERROR_MEMORY;

    const entry *was = track->entries[0].data;
    entry *now = track->entries[1].data;
    snag_ended_contact *ended = tracks->ended.data;
    write_entries(ask, ask->scratch->records.data, count, now);
    bool same = snag__body_snapshot_compare(&track->snapshot, ask);
    for (size_t i = 0, at = 0; i < track->count; i++) {
        uint64_t key;
        bool alive = key_now(&track->snapshot, same, &was[i], &key);
        while (alive && at < count && now[at].key < key)
            at++;
        SNAG__ASSERT(was[i].id > 0 && was[i].id <= tracks->last_id);
        if (!alive || !pass_on_id(&was[i], now + at, count - at, key))
            list_ended(&track->snapshot, &was[i], &ended[ended_count++]);
    }

    snag_contact *contacts = ask->scratch->answer.data;
    for (size_t i = 0; i < count; i++) {
        contacts[i].phase = now[i].id != 0 ? SNAG_PHASE_PERSIST : SNAG_PHASE_BEGIN;
        if (now[i].id == 0)
            now[i].id = ++tracks->last_id;
        contacts[i].id = now[i].id;
        contacts[i].age = now[i].age;
    }
    SNAG__ASSERT(ended_count <= track->count);
    if (track->lost_count > 0)
        memcpy(ended + ended_count, track->lost.data, track->lost_count * sizeof *ended);
    ended_count += track->lost_count;
    track->lost_count = 0;
    snag__body_snapshot_write(&track->snapshot, ask);
    snag__buffer swap = track->entries[0];
    track->entries[0] = track->entries[1];
    track->entries[1] = swap;
    track->count = count;
    answer->ended = ended;
    answer->ended_count = ended_count;
    return SNAG_OK;
}

bool snag__tracks_reserve_edit(snag__tracks *tracks, const snag_allocator *allocator)
{
    for (int i = 0; i < SNAG_QUESTION_COUNT; i++) {
        snag__track *track = &tracks->questions[i];
        if (!snag__buffer_reserve(allocator, &track->lost, track->lost_count, track->lost_count + track->count + 1,
                                  sizeof(snag_ended_contact)))
            return false;
    }
    return true;
}

// Numbers mostly keep their order in an edit; only the faces of a tetrahedron that is turned round change places among themselves. So
// entries are sorted but for neighbours. Entries of one key keep their order.
static void sort_entries(entry *entries, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const entry one = entries[i];
        size_t at = i;
        for (; at > 0 && entries[at - 1].key > one.key; at--)
            entries[at] = entries[at - 1];
        entries[at] = one;
    }
}

void snag__tracks_edit(snag__tracks *tracks, const snag__body_edit *edit)
{
    for (int i = 0; i < SNAG_QUESTION_COUNT; i++) {
        snag__track *track = &tracks->questions[i];
        entry *entries = track->entries[0].data;
        snag_ended_contact *lost = track->lost.data;
        size_t kept = 0;
        for (size_t k = 0; k < track->count; k++) {
            uint32_t a = snag__body_snapshot_after_edit(&track->snapshot, edit, (uint32_t)(entries[k].key >> 32));
            uint32_t b = snag__body_snapshot_after_edit(&track->snapshot, edit, (uint32_t)entries[k].key);
            if (a == SNAG__GONE || b == SNAG__GONE) {
                list_ended(&track->snapshot, &entries[k], &lost[track->lost_count++]);
                continue;
            }
            entries[kept] = entries[k];
            entries[kept++].key = (uint64_t)a << 32 | b;
        }
        track->count = kept;
        sort_entries(entries, kept);
        snag__body_snapshot_edit(&track->snapshot, edit);
    }
}

void snag__tracks_free(const snag_allocator *allocator, snag__tracks *tracks)
{
    for (int i = 0; i < SNAG_QUESTION_COUNT; i++) {
        snag__track *track = &tracks->questions[i];
        snag__buffer_free(allocator, &track->snapshot.memory);
        snag__buffer_free(allocator, &track->entries[0]);
        snag__buffer_free(allocator, &track->entries[1]);
        snag__buffer_free(allocator, &track->lost);
    }
    snag__buffer_free(allocator, &tracks->ended);
}
