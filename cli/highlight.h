// Which elements of each body take part in the contacts of a frame, as counts and as colours for programs that show meshes.
#ifndef SNAG_CLI_HIGHLIGHT_H
#define SNAG_CLI_HIGHLIGHT_H

#include "sink.h"

typedef struct highlight_body {
    // How many contacts an element takes part in, and the kind of the one that says most, plus 1.
    int32_t *triangle_contacts, *tet_contacts;
    uint8_t *triangle_kinds;
    uint8_t *vertex_kinds, *edge_kinds;
    uint32_t *triangle_edges;  // three for each triangle; made when an edge is first in contact
    uint8_t *rgb;  // of each triangle
    snag_body_id made_for;  // the body that there is room for; zero: not known yet
} highlight_body;

typedef struct highlight {
    const sink_scene *scene;
    highlight_body *bodies;
} highlight;

// False: no memory. Free it in any case.
bool highlight_begin(highlight *h, const sink_scene *about);
// Of a frame. A triangle is in contact if it is named, or one of its vertices or edges is, or the tetrahedron behind it.
bool highlight_fill(highlight *h, const sink_frame *frame);
void highlight_free(highlight *h);

#endif
