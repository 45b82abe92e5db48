// Marks the elements of each body that are in contact in a frame, as counts and as colours for mesh viewers.
#ifndef SNAG_CLI_HIGHLIGHT_H
#define SNAG_CLI_HIGHLIGHT_H

#include "sink.h"

typedef struct highlight_body {
    // Number of contacts of an element, and the kind of the most important one, plus 1.
    int32_t *triangle_contacts, *tet_contacts;
    uint8_t *triangle_kinds;
    uint8_t *vertex_kinds, *edge_kinds;
    uint32_t *triangle_edges;  // three for each triangle; built when an edge is first in contact
    uint8_t *rgb;  // of each triangle
    int32_t *triangle_places, *vertex_places, *tet_places;  // the lowest id of the places that an element is in; 0: none
    snag_body_id made_for;  // the body the arrays were allocated for; zero: none yet
} highlight_body;

typedef struct highlight {
    const sink_scene *scene;
    highlight_body *bodies;
} highlight;

// False: out of memory. Free it in any case.
bool highlight_begin(highlight *h, const sink_scene *about);
// Marks a frame. A triangle is in contact if it, one of its vertices or edges, or the tetrahedron behind it is.
bool highlight_fill(highlight *h, const sink_frame *frame);
void highlight_free(highlight *h);

#endif
