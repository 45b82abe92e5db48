#include "query/roster.h"

bool snag__roster_reserve(snag__roster *roster, const snag__ask *ask, const snag_allocator *allocator)
{
    return snag__buffer_reserve(allocator, &roster->memory, roster->count, ask->body_count + 1u,
                                sizeof(snag__roster_entry));
}

void snag__roster_write(snag__roster *roster, const snag__ask *ask)
{
    snag__roster_entry *entries = roster->memory.data;
    roster->count = ask->body_count;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        const snag__mesh *mesh = &body->mesh;
        entries[i] = (snag__roster_entry){
            .id = body->id,
            .first = ask->first_element[i],
            .first_now = ask->first_element[i],
            .place_now = i,
            .counts = {mesh->vertex_count, mesh->edge_count, snag__triangle_count(body), mesh->tet_count},
        };
    }
}

bool snag__roster_compare(snag__roster *roster, const snag__ask *ask)
{
    snag__roster_entry *entries = roster->memory.data;
    bool same = roster->count == ask->body_count;
    for (uint32_t i = 0, now = 0; i < roster->count; i++) {
        while (now < ask->body_count && ask->bodies[now]->id.index < entries[i].id.index)
            now++;
        bool here = now < ask->body_count && ask->bodies[now]->id.index == entries[i].id.index &&
                    ask->bodies[now]->id.generation == entries[i].id.generation;
        entries[i].first_now = here ? ask->first_element[now] : SNAG__GONE;
        entries[i].place_now = here ? now : SNAG__GONE;
        same = same && entries[i].first_now == entries[i].first;
    }
    return same;
}

// The last entry that starts at or before the number. Entries of bodies without elements start where the next one does.
static const snag__roster_entry *entry_of(const snag__roster *roster, uint32_t number)
{
    const snag__roster_entry *entries = roster->memory.data;
    uint32_t low = 0, high = roster->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (entries[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return &entries[low];
}

uint32_t snag__roster_renumber(const snag__roster *roster, uint32_t number)
{
    const snag__roster_entry *entry = entry_of(roster, number);
    return entry->first_now == SNAG__GONE ? SNAG__GONE : entry->first_now + (number - entry->first);
}

const snag__roster_entry *snag__roster_find(const snag__roster *roster, uint32_t number, snag_element_kind *kind,
                                            uint32_t *index)
{
    const snag__roster_entry *entry = entry_of(roster, number);
    int at = SNAG_VERTEX;
    *index = number - entry->first;
    while (at < SNAG_TET && *index >= entry->counts[at])
        *index -= entry->counts[at++];
    *kind = (snag_element_kind)at;
    return entry;
}
