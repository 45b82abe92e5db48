// Contacts as rows of a system: each says that a weighted sum of its vertices must not sink below a bound along its
// normal.
#ifndef SNAG_RESPONSE_ROWS_H
#define SNAG_RESPONSE_ROWS_H

#include "response/group.h"

enum { SNAG__ROW_VERTICES = 5 };

typedef struct snag__row {
    uint32_t vertex[SNAG__ROW_VERTICES];
    uint32_t count;
    double weight[SNAG__ROW_VERTICES];  // those of a are positive and sum up to 1, those of b negative
    double normal[3];  // from b towards a
    double gap;  // along the normal, before anything is corrected; negative: depth
    double give;  // how far one unit of impulse moves a from b; 0: all vertices are held
    double least_gap;  // what positions shall keep
    double least_speed;  // what velocities shall keep along the normal
    // What has been applied so far.
    double push, impulse;
    double drag[3];
} snag__row;

// Why a contact has no row.
typedef enum snag__row_status {
    SNAG__ROW_MADE = 0,
    SNAG__ROW_NO_BODY,  // of a body that is not listed
    SNAG__ROW_NO_ELEMENT,  // an element that its body does not have
    SNAG__ROW_NO_DETAILS,  // weights or normal are missing
    SNAG__ROW_IDLE,  // nothing can be done: all vertices are held, or there is no direction
} snag__row_status;

// Vertices, weights, normal and give of a contact. Gap and bounds are the caller's to set.
snag__row_status snag__row_make(const snag__group *group, const snag_contact *contact, snag__row *row);

// How far one unit of impulse moves a from b. 0 also where only a small weight of a free vertex could do that: the
// vertex would have to be moved by many times the distance that is missing.
double snag__row_give(const snag__row *row, const double *inverse);
// The sum of a vector over the vertices of a row, by weight.
void snag__row_sum(const snag__row *row, const double (*vectors)[3], double sum[3]);
// Adds s times the direction to the vectors of the vertices, by weight and inverse mass.
void snag__row_add(const snag__row *row, const double *inverse, double s, const double direction[3], double (*vectors)[3]);

// One sweep of projected Gauss-Seidel over all rows that give, in their order: `moved` (what positions have been moved
// by) comes to keep the least gaps. Impulses are summed up for each row and never pull, so that a later row does not
// undo an earlier one.
void snag__rows_push(snag__row *rows, size_t count, const double *inverse, double (*moved)[3]);
// The same for velocities and the least speeds, with Coulomb friction.
void snag__rows_stop(snag__row *rows, size_t count, const double *inverse, double friction, double (*v)[3]);

#endif
