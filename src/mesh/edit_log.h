// What the last edits of a surface changed, for trees and tables that are a few edits behind. An edit says which elements come and go,
// not how all others are numbered: numbers of edges follow from that, since edges keep their order.
#ifndef SNAG_MESH_EDIT_LOG_H
#define SNAG_MESH_EDIT_LOG_H

#include "mesh/edit.h"

enum { SNAG__EDITS_LOGGED = 4 };

typedef struct snag__logged_edit {
    uint64_t before, after;  // stamps of the elements
    uint32_t old_vertices, old_edges, old_triangles;  // how many there were
    uint32_t edge_count;  // and are now
    uint32_t *gone;  // old edges that are no more, ascending
    snag__made_edge *made;  // new edges, ascending
    uint32_t *touched;  // triangles that change, and new ones, ascending
    uint32_t *origins;  // by new vertex: the one it was split from, or SNAG_NO_NUMBER
    uint32_t gone_count, made_count, touched_count, new_vertices;
    snag__buffer memory[4];
} snag__logged_edit;

// Zero: no edits.
typedef struct snag__edit_log {
    snag__logged_edit edits[SNAG__EDITS_LOGGED];  // a ring
    uint32_t count;  // so many there have been since the log began
    bool edited;  // the body has been edited, in whatever way
} snag__edit_log;

// Makes room for an edit that is planned, so that snag__edit_log_add cannot fail.
bool snag__edit_log_reserve(snag__edit_log *log, const snag__edited *edited, const snag_allocator *allocator);
// Adds an edit that was made in place. Any other edit ends what the log knows: snag__edit_log_forget.
void snag__edit_log_add(snag__edit_log *log, const snag__edited *edited, const snag__mesh *mesh, uint32_t old_edges,
                        uint32_t old_triangles, uint64_t before, uint64_t after);
void snag__edit_log_forget(snag__edit_log *log);
void snag__edit_log_free(const snag_allocator *allocator, snag__edit_log *log);

// The edits that lead from one stamp to another, in order; returns how many. 0: they are not known.
uint32_t snag__edit_log_find(const snag__edit_log *log, uint64_t from, uint64_t to,
                             const snag__logged_edit *edits[SNAG__EDITS_LOGGED]);
// By old edge its number after an edit, or SNAG_NO_NUMBER.
void snag__logged_edit_map(const snag__logged_edit *edit, uint32_t *map);

#endif
