#include "query/body_snapshot.h"

#include <string.h>

bool snag__body_snapshot_reserve(snag__body_snapshot *snapshot, const snag__ask *ask, const snag_allocator *allocator)
{
    return snag__buffer_reserve(allocator, &snapshot->memory, snapshot->count, ask->body_count + 1u,
                                sizeof(snag__body_snapshot_entry));
}

void snag__body_snapshot_write(snag__body_snapshot *snapshot, const snag__ask *ask)
{
    snag__body_snapshot_entry *entries = snapshot->memory.data;
    SNAG__ASSERT(ask->body_count * sizeof *entries <= snapshot->memory.bytes);
    snapshot->count = ask->body_count;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        const snag__mesh *mesh = &body->mesh;
        entries[i] = (snag__body_snapshot_entry){
            .id = body->id,
            .topology = body->topology,
            .first = ask->first_element[i],
            .first_now = ask->first_element[i],
            .index_now = i,
            .counts = {mesh->vertex_count, mesh->edge_count, snag__triangle_count(body), mesh->tet_count},
        };
    }
}

bool snag__body_snapshot_compare(snag__body_snapshot *snapshot, const snag__ask *ask)
{
    snag__body_snapshot_entry *entries = snapshot->memory.data;
    bool same = snapshot->count == ask->body_count;
    for (uint32_t i = 0, now = 0; i < snapshot->count; i++) {
        SNAG__ASSERT(i == 0 || entries[i - 1].id.index < entries[i].id.index);
        while (now < ask->body_count && ask->bodies[now]->id.index < entries[i].id.index)
            now++;
        bool here = now < ask->body_count && ask->bodies[now]->id.index == entries[i].id.index &&
                    ask->bodies[now]->id.generation == entries[i].id.generation &&
                    ask->bodies[now]->topology == entries[i].topology;
        entries[i].first_now = here ? ask->first_element[now] : SNAG__GONE;
        entries[i].index_now = here ? now : SNAG__GONE;
        same = same && entries[i].first_now == entries[i].first;
    }
    return same;
}

// The last entry that starts at or before the number. Entries of bodies without elements start where the next one does.
static const snag__body_snapshot_entry *entry_of(const snag__body_snapshot *snapshot, uint32_t number)
{
    const snag__body_snapshot_entry *entries = snapshot->memory.data;
    SNAG__ASSERT(snapshot->count > 0 && entries[0].first <= number);
    uint32_t low = 0, high = snapshot->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (entries[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return &entries[low];
}

uint32_t snag__body_snapshot_renumber(const snag__body_snapshot *snapshot, uint32_t number)
{
    const snag__body_snapshot_entry *entry = entry_of(snapshot, number);
    return entry->first_now == SNAG__GONE ? SNAG__GONE : entry->first_now + (number - entry->first);
}

const snag__body_snapshot_entry *snag__body_snapshot_find(const snag__body_snapshot *snapshot, uint32_t number,
                                                          snag_element_kind *kind, uint32_t *index)
{
    const snag__body_snapshot_entry *entry = entry_of(snapshot, number);
    int at = SNAG_VERTEX;
    *index = number - entry->first;
    while (at < SNAG_TET && *index >= entry->counts[at])
        *index -= entry->counts[at++];
    SNAG__ASSERT(*index < entry->counts[at]);
    *kind = (snag_element_kind)at;
    return entry;
}

// ---- edits ----

static bool is_edited(const snag__body_snapshot_entry *entry, const snag__body_edit *edit)
{
    return entry->id.index == edit->id.index && entry->id.generation == edit->id.generation;
}

static uint32_t sum(const uint32_t counts[4], int kinds)
{
    uint32_t all = 0;
    for (int kind = 0; kind < kinds; kind++)
        all += counts[kind];
    return all;
}

// By how much the numbers of later bodies change, modulo 2^32. 0 if the body is not in the snapshot.
static uint32_t shift_of(const snag__body_snapshot *snapshot, const snag__body_edit *edit)
{
    const snag__body_snapshot_entry *entries = snapshot->memory.data;
    for (uint32_t i = 0; i < snapshot->count; i++)
        if (is_edited(&entries[i], edit))
            return sum(edit->counts, 4) - sum(entries[i].counts, 4);
    return 0;
}

uint32_t snag__body_snapshot_after_edit(const snag__body_snapshot *snapshot, const snag__body_edit *edit, uint32_t number)
{
    snag_element_kind kind;
    uint32_t index;
    const snag__body_snapshot_entry *entry = snag__body_snapshot_find(snapshot, number, &kind, &index);
    if (!is_edited(entry, edit))
        return entry->id.index < edit->id.index ? number : number + shift_of(snapshot, edit);
    index = edit->new_index(edit->context, kind, index);
    return index == SNAG__GONE ? SNAG__GONE : entry->first + sum(edit->counts, (int)kind) + index;
}

void snag__body_snapshot_edit(snag__body_snapshot *snapshot, const snag__body_edit *edit)
{
    snag__body_snapshot_entry *entries = snapshot->memory.data;
    uint32_t shift = shift_of(snapshot, edit);
    for (uint32_t i = 0; i < snapshot->count; i++) {
        if (entries[i].id.index > edit->id.index)
            entries[i].first += shift;
        if (is_edited(&entries[i], edit)) {
            entries[i].topology = edit->topology;
            memcpy(entries[i].counts, edit->counts, sizeof entries[i].counts);
        }
    }
}
