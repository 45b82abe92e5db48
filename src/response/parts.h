// The parts of the bodies of a group: triangles that hang together, and whether they enclose something.
#ifndef SNAG_RESPONSE_PARTS_H
#define SNAG_RESPONSE_PARTS_H

#include "response/group.h"

typedef struct snag__part {
    uint32_t body;
    uint32_t triangle_count;
    // Every edge is walked as often one way as the other, so that the part has an inside and an outside.
    bool closed;
    // Every edge has two triangles, but no way of facing them all alike exists, as in a Klein bottle: wherever its vertices are, such a
    // surface crosses itself.
    bool one_sided;
    bool inward;  // a closed part whose triangles face its inside
    double mean_edge;
} snag__part;

typedef struct snag__parts {
    snag__part *items;
    uint32_t count;
    uint32_t *of_vertex;  // by vertex of the group; vertices without a triangle have a part of no triangles
} snag__parts;

// Kept in the response's memory until its next call.
snag_status snag__parts_find(snag_response *response, const snag__group *group, snag__parts *parts);

// The index of an edge in its body, whose edges are sorted; UINT32_MAX if there is no such edge.
uint32_t snag__find_edge(const snag_body_info *info, uint32_t low, uint32_t high);

#endif
