#include "mesh/edit_log.h"

#include "base/assert.h"

#include <string.h>

static snag__logged_edit *slot_of(snag__edit_log *log, uint32_t number)
{
    return &log->edits[number % SNAG__EDITS_LOGGED];
}

bool snag__edit_log_reserve(snag__edit_log *log, const snag__edited *edited, const snag_allocator *allocator)
{
    snag__logged_edit *edit = slot_of(log, log->count);
    const snag__repair *r = &edited->repair;
    // The oldest edit is lost here, whether or not this one succeeds: trees that are so far behind are built anew.
    edit->before = edit->after = 0;
    const snag__room rooms[] = {
        {&edit->memory[0], &edit->gone, r->gone_count + 1u, sizeof *edit->gone},
        {&edit->memory[1], &edit->made, r->made_count + 1u, sizeof *edit->made},
        {&edit->memory[2], &edit->touched, r->touched_count + 1u, sizeof *edit->touched},
        {&edit->memory[3], &edit->origins, edited->new_vertices + 1u, sizeof *edit->origins},
    };
    return snag__rooms_reserve(allocator, rooms, sizeof rooms / sizeof *rooms);
}

void snag__edit_log_add(snag__edit_log *log, const snag__edited *edited, const snag__mesh *mesh, uint32_t old_edges,
                        uint32_t old_triangles, uint64_t before, uint64_t after)
{
    const snag__repair *r = &edited->repair;
    snag__logged_edit *edit = slot_of(log, log->count++);
    SNAG__ASSERT(edited->in_place && before != after);
    edit->before = before;
    edit->after = after;
    edit->new_vertices = edited->new_vertices;
    edit->old_vertices = mesh->vertex_count - edited->new_vertices;
    edit->old_edges = old_edges;
    edit->old_triangles = old_triangles;
    edit->edge_count = mesh->edge_count;
    edit->gone_count = r->gone_count;
    edit->made_count = r->made_count;
    edit->touched_count = r->touched_count;
    memcpy(edit->gone, r->gone, r->gone_count * sizeof *edit->gone);
    memcpy(edit->made, r->made, r->made_count * sizeof *edit->made);
    memcpy(edit->touched, r->touched, r->touched_count * sizeof *edit->touched);
    memcpy(edit->origins, edited->vertex_from, edited->new_vertices * sizeof *edit->origins);
    log->edited = true;
}

void snag__edit_log_forget(snag__edit_log *log)
{
    for (int i = 0; i < SNAG__EDITS_LOGGED; i++)
        log->edits[i].before = log->edits[i].after = 0;
    log->edited = true;
}

void snag__edit_log_free(const snag_allocator *allocator, snag__edit_log *log)
{
    for (int i = 0; i < SNAG__EDITS_LOGGED; i++)
        snag__buffers_free(allocator, log->edits[i].memory, sizeof log->edits[i].memory / sizeof *log->edits[i].memory);
    *log = (snag__edit_log){0};
}

uint32_t snag__edit_log_find(const snag__edit_log *log, uint64_t from, uint64_t to,
                             const snag__logged_edit *edits[SNAG__EDITS_LOGGED])
{
    uint32_t count = 0;
    while (from != to && count < SNAG__EDITS_LOGGED) {
        const snag__logged_edit *next = NULL;
        for (int i = 0; i < SNAG__EDITS_LOGGED; i++)
            if (log->edits[i].after != 0 && log->edits[i].before == from)
                next = &log->edits[i];
        if (next == NULL)
            return 0;
        edits[count++] = next;
        from = next->after;
    }
    return from == to ? count : 0;
}

void snag__logged_edit_map(const snag__logged_edit *edit, uint32_t *map)
{
    uint32_t old = 0, now = 0, gone = 0, made = 0;
    while (old < edit->old_edges) {
        if (made < edit->made_count && edit->made[made].edge == now) {
            made++;
            now++;
            continue;
        }
        if (gone < edit->gone_count && edit->gone[gone] == old) {
            map[old++] = SNAG_NO_NUMBER;
            gone++;
            continue;
        }
        uint32_t run = edit->old_edges - old;
        if (gone < edit->gone_count && edit->gone[gone] - old < run)
            run = edit->gone[gone] - old;
        if (made < edit->made_count && edit->made[made].edge - now < run)
            run = edit->made[made].edge - now;
        for (uint32_t i = 0; i < run; i++)
            map[old + i] = now + i;
        old += run;
        now += run;
    }
}
