// A tangle: what intersects, taken apart into the edges that pierce triangles, the contours along which surfaces pass
// through each other, and the side of each contour that must give way.
#ifndef SNAG_RESPONSE_TANGLE_H
#define SNAG_RESPONSE_TANGLE_H

#include "base/sort.h"
#include "response/group.h"

// An edge that pierces a triangle: an end of the segment along which two triangles cross.
typedef struct snag__piercing {
    uint32_t vertex[2];  // of the edge
    uint32_t corner[3];  // of the triangle
    uint32_t crossing;  // the pair of triangles
    uint32_t owner;  // which of the pair the edge is one of, 0 or 1; the other is pierced
    double point[3];
    double weight[3];  // of the corners
} snag__piercing;

// A pair of triangles that cross.
typedef struct snag__crossing {
    double lateral[2][3];  // in each triangle, away from the segment: the way to its plus side
    double length;  // of the segment
    double facing;  // cosine between the two normals
    uint32_t body[2];
    uint32_t contour;
    uint32_t first, count;  // of its piercings
    bool swapped;  // the first triangle is one of the contour's second sheet
} snag__crossing;

// A connected line of crossings between two sheets.
typedef struct snag__contour {
    uint32_t body[2];  // of its first crossing
    double tie;  // negative: the plus sides of the two sheets face away from each other and one is to be turned
    double facing;  // positive: the sheets face the same way
    uint32_t first, count;  // of its piercings, in `order`
    bool decided;
    bool plus_wrong;  // the plus sides of both sheets have to be pushed back through
} snag__contour;

typedef struct snag__tangle {
    const snag__group *group;
    snag__piercing *piercings;
    uint32_t piercing_count;
    snag__crossing *crossings;
    uint32_t crossing_count;
    snag__contour *contours;
    uint32_t contour_count;
    uint32_t *order;  // piercings by contour
    snag__record *records;  // piercings by edge and triangle, and as much room again
    uint32_t *record_of;  // of each piercing
    uint32_t *first_edge;  // of each body, and the end
    uint32_t *first_triangle;  // of each body
    uint8_t *closed;  // of each body: it has no border
    uint8_t *pierced;  // of each edge
    uint32_t *region;  // of each vertex: parent, leading to the root of what edges that are not pierced hold together
    uint32_t *size;  // of the regions, by root
    double *tally;  // by root
    uint32_t *adjacent_start, *adjacent;  // neighbours of each vertex along edges that are not pierced
    uint32_t *stamp[2];  // of each vertex: reached by the search from plus, from minus
    uint32_t *goal;  // of each vertex: is a goal of the present search
    uint32_t *queue[2];
} snag__tangle;

// Takes the crossings of an answer apart and finds their contours.
snag_status snag__tangle_find(snag_response *response, const snag__group *group, const snag_answer *answer, snag__tangle *tangle);
// Decides for each contour which side gives way.
void snag__tangle_decide(snag__tangle *tangle);
// Which vertex of a piercing's edge is on the plus side of its contour: 0 or 1.
int snag__piercing_plus(const snag__tangle *tangle, const snag__piercing *piercing);
// The unit normal of a triangle; zero if it has no area.
void snag__corner_normal(const snag__group *group, const uint32_t corner[3], double normal[3]);

#endif
