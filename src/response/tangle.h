// A tangle: intersections as edges that pierce triangles, the contours along which surfaces pass through each other, and the side
// of each contour that must go back.
#ifndef SNAG_RESPONSE_TANGLE_H
#define SNAG_RESPONSE_TANGLE_H

#include "base/sort.h"
#include "response/parts.h"

// An edge that pierces a triangle: an end of the segment along which two triangles cross.
typedef struct snag__piercing {
    uint32_t vertex[2];  // of the edge
    uint32_t corner[3];  // of the triangle
    uint32_t crossing;  // the pair of triangles
    uint32_t owner;  // which triangle of the pair has the edge, 0 or 1; the other is pierced
    double point[3];
    double weight[3];  // of the corners
} snag__piercing;

// A pair of triangles that cross.
typedef struct snag__crossing {
    double lateral[2][3];  // in each triangle, perpendicular to the segment, towards its plus side
    double length;  // of the segment
    double middle[3];  // of the segment
    double normal[2][3];  // of the triangles
    double facing;  // cosine between the two normals
    uint32_t body[2], part[2];
    uint32_t contact;  // index in the answer
    uint32_t contour;
    uint32_t first, count;  // of its piercings
    bool swapped;  // the first triangle is one of the contour's second sheet
} snag__crossing;

// A connected line of crossings between two sheets.
typedef struct snag__contour {
    uint32_t part[2];  // the lower first
    double tie;  // negative: the plus sides of the two sheets face away from each other, so that one is flipped
    double facing;  // positive: the sheets face the same way
    uint32_t first, count;  // of its piercings, in `order`
    bool decided;
    bool open;  // it ends at a border, or where surfaces touch: it is no closed curve
    bool solid;  // decided by the inside of a closed part
    bool plus_wrong;  // the plus sides of both sheets have to be pushed back through
} snag__contour;

typedef struct snag__tangle {
    const snag__group *group;
    const snag__parts *parts;
    snag__piercing *piercings;
    uint32_t piercing_count;
    snag__crossing *crossings;
    uint32_t crossing_count;
    snag__contour *contours;
    uint32_t contour_count;
    uint32_t *order;  // piercings by contour
    snag__record *records;  // piercings sorted by edge and triangle, and as much room again
    uint32_t *record_of;  // per piercing
    uint32_t *first_edge;  // [body_count + 1]
    uint32_t *first_triangle;  // per body
    uint8_t *pierced;  // per edge
    uint32_t *region;  // per vertex: the root of its region, which is connected by edges that are not pierced
    uint32_t *size;  // of the regions, by root
    double *tally;  // by root
    uint32_t *adjacent_start, *adjacent;  // neighbours of each vertex along edges that are not pierced
    uint32_t *stamp[2];  // per vertex: the last search from the plus (0) or minus (1) side that visited it
    uint32_t *goal;  // per vertex: the last search that has it as a goal
    uint32_t *queue[2];
} snag__tangle;

// Finds the piercings and contours of an answer's intersections.
snag_status snag__tangle_find(snag_response *response, const snag__group *group, const snag__parts *parts,
                              const snag_answer *answer, snag__tangle *tangle);
// Decides for each contour which side goes back.
void snag__tangle_decide(snag__tangle *tangle);
// Decides again for contours that one side gets rid of by much shorter moves.
void snag__tangle_prefer_shallow(snag__tangle *tangle);
// Which vertex of a piercing's edge is on the plus side of its contour: 0 or 1.
int snag__piercing_plus(const snag__tangle *tangle, const snag__piercing *piercing);
// The unit normal of a triangle; zero if it has no area.
void snag__corner_normal(const snag__group *group, const uint32_t corner[3], double normal[3]);

#endif
