// Contacts as rows of a system of inequalities: a weighted sum over its vertices, along its normal, has a lower bound.
#ifndef SNAG_RESPONSE_ROWS_H
#define SNAG_RESPONSE_ROWS_H

#include "response/group.h"

enum { SNAG__ROW_VERTICES = 5 };

typedef struct snag__row {
    uint32_t vertex[SNAG__ROW_VERTICES];
    uint32_t count;
    double weight[SNAG__ROW_VERTICES];  // those of a are positive and sum up to 1, those of b negative
    double normal[3];  // from b towards a
    double gap;  // along the normal, before any correction; negative: depth
    double give;  // how far one unit of impulse moves a from b; 0: all vertices are held
    double thickness;  // the radii of both bodies where the contact is, by its weights
    double least_gap;  // bound for positions
    double least_speed;  // bound for velocities along the normal
    // Applied so far.
    double push, impulse;
    double drag[3];
} snag__row;

// Result of snag__row_make.
typedef enum snag__row_status {
    SNAG__ROW_MADE = 0,
    SNAG__ROW_NO_BODY,  // a body is not in the group
    SNAG__ROW_NO_ELEMENT,  // a body has no such element
    SNAG__ROW_NO_DETAILS,  // weights or normal are missing
    SNAG__ROW_IDLE,  // nothing can be done: all vertices are held, or there is no direction
} snag__row_status;

// Sets vertices, weights, normal and give. The caller sets gap and bounds.
snag__row_status snag__row_make(const snag__group *group, const snag_contact *contact, snag__row *row);

// How far one unit of impulse moves a from b. 0 also if all free vertices have small weights: they would have to move by many
// times the missing distance.
double snag__row_give(const snag__row *row, const double *inverse);
// The weighted sum of a vector over the vertices of a row.
void snag__row_sum(const snag__row *row, const double (*vectors)[3], double sum[3]);
// Adds s * weight * inverse mass * direction to the vector of each vertex.
void snag__row_add(const snag__row *row, const double *inverse, double s, const double direction[3], double (*vectors)[3]);

// One sweep of projected Gauss-Seidel over the rows, in order: changes `moved` (how far positions have moved) towards the least
// gaps. The sum of the impulses of a row never pulls.
void snag__rows_push(snag__row *rows, size_t count, const double *inverse, double (*moved)[3]);
// The same for velocities and the least speeds, with Coulomb friction.
void snag__rows_stop(snag__row *rows, size_t count, const double *inverse, double friction, double (*v)[3]);

#endif
