#include "world/track.h"

// What is kept of a contact. Sorted by key; contacts of one key, which are few, are told apart by `feature`.
typedef struct entry {
    uint64_t key;
    uint64_t id;
    uint32_t feature;
    uint32_t age;
} entry;

// Contacts of one vertex and one triangle with two features of the triangle are two. Every other kind of contact is named
// by its elements alone, so that a crossing that becomes a touch stays the same contact.
static uint32_t feature_of(const snag__ask *ask, const snag__record *record)
{
    return ask->def->question == SNAG_PROXIMITIES && !ask->def->every_pair ? record->extra : 0;
}

// What has ended, by numbers of the snapshot of then.
static void list_ended(const snag__body_snapshot *snapshot, const entry *was, snag_ended_contact *ended)
{
    uint32_t a = (uint32_t)(was->key >> 32), b = (uint32_t)was->key;
    ended->id = was->id;
    ended->body_a = snag__body_snapshot_find(snapshot, a, &ended->kind_a, &ended->a)->id;
    ended->body_b = snag__body_snapshot_find(snapshot, b, &ended->kind_b, &ended->b)->id;
}

// The present key of an entry, or none if one of its bodies is gone.
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

// Writes what is now, without ids yet: they are zero.
static void write_entries(const snag__ask *ask, const snag__record *records, size_t count, entry *now)
{
    for (size_t i = 0; i < count; i++)
        now[i] = (entry){.key = records[i].key, .feature = feature_of(ask, &records[i])};
}

// Looks for a contact of the past among those of its key, and hands on its id. False if it is not there.
static bool hand_on(const entry *was, entry *now, size_t count, uint64_t key)
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
    if (!snag__buffer_reserve(ask->answer_allocator, &track->entries[1], 0, count + 1, sizeof(entry)) ||
        !snag__buffer_reserve(ask->answer_allocator, &tracks->ended, 0, track->count + 1, sizeof(snag_ended_contact)) ||
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
        if (!alive || !hand_on(&was[i], now + at, count - at, key))
            list_ended(&track->snapshot, &was[i], &ended[ended_count++]);
    }

    snag_contact *contacts = ask->scratch->contacts.data;
    for (size_t i = 0; i < count; i++) {
        contacts[i].phase = now[i].id != 0 ? SNAG_PHASE_PERSIST : SNAG_PHASE_BEGIN;
        if (now[i].id == 0)
            now[i].id = ++tracks->last_id;
        contacts[i].id = now[i].id;
        contacts[i].age = now[i].age;
    }
    snag__body_snapshot_write(&track->snapshot, ask);
    snag__buffer swap = track->entries[0];
    track->entries[0] = track->entries[1];
    track->entries[1] = swap;
    track->count = count;
    answer->ended = ended;
    answer->ended_count = ended_count;
    return SNAG_OK;
}

void snag__tracks_free(const snag_allocator *allocator, snag__tracks *tracks)
{
    for (int i = 0; i < SNAG_QUESTION_COUNT; i++) {
        snag__track *track = &tracks->questions[i];
        snag__buffer_free(allocator, &track->snapshot.memory);
        snag__buffer_free(allocator, &track->entries[0]);
        snag__buffer_free(allocator, &track->entries[1]);
    }
    snag__buffer_free(allocator, &tracks->ended);
}
