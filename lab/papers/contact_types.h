// The six contact types of Erleben, Sporring, Henriksen, Dohlmann: Physics-Based Animation, 2005, to which the paper on the distance
// hierarchy refers ([ESHD05]): which features of two polyhedra meet.
#ifndef SNAG_LAB_CONTACT_TYPES_H
#define SNAG_LAB_CONTACT_TYPES_H

#include "snag/question.h"

typedef enum contact_type {
    CONTACT_VERTEX_VERTEX,
    CONTACT_VERTEX_EDGE,
    CONTACT_VERTEX_FACE,
    CONTACT_EDGE_EDGE,
    CONTACT_EDGE_FACE,
    CONTACT_FACE_FACE,
    CONTACT_TYPES
} contact_type;

static inline const char *contact_type_name(contact_type type)
{
    static const char *const names[CONTACT_TYPES] = {"(vertex, vertex)", "(vertex, edge)", "(vertex, face)",
                                                     "(edge, edge)",     "(edge, face)",   "(face, face)"};
    return (unsigned)type < CONTACT_TYPES ? names[type] : "none";
}

// CONTACT_TYPES: of none. A crossing is an edge of one surface through a face of the other.
static inline contact_type contact_type_of(snag_contact_kind kind)
{
    switch (kind) {
    case SNAG_VERTEX_VERTEX: return CONTACT_VERTEX_VERTEX;
    case SNAG_VERTEX_EDGE: return CONTACT_VERTEX_EDGE;
    case SNAG_VERTEX_FACE:
    case SNAG_INSIDE: return CONTACT_VERTEX_FACE;
    case SNAG_EDGE_EDGE: return CONTACT_EDGE_EDGE;
    case SNAG_CROSSING:
    case SNAG_THROUGH: return CONTACT_EDGE_FACE;
    case SNAG_COPLANAR: return CONTACT_FACE_FACE;
    default: return CONTACT_TYPES;
    }
}

#endif
