// What the tests of impacts share: the orders of a pair's vertices and sides, and words about a motion.
#ifndef SNAG_TEST_MOTIONS_H
#define SNAG_TEST_MOTIONS_H

#include "geom/impact.h"

#include <stdio.h>
#include <string.h>

#define VF SNAG__IMPACT_VERTEX_FACE
#define EE SNAG__IMPACT_EDGE_EDGE

static const int vf_orders[6][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}};
static const int ee_orders[8][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2},
                                    {2, 3, 0, 1}, {3, 2, 0, 1}, {2, 3, 1, 0}, {3, 2, 1, 0}};

static inline int order_count(snag__impact_pair pair)
{
    return pair == EE ? 8 : 6;
}

static inline const int *order_of(snag__impact_pair pair, int i)
{
    return pair == EE ? ee_orders[i] : vf_orders[i];
}

static inline snag__motion in_order(const snag__motion *m, const int order[4])
{
    snag__motion other = {.pair = m->pair};
    for (int i = 0; i < 4; i++) {
        memcpy(other.t0[i], m->t0[order[i]], sizeof other.t0[i]);
        memcpy(other.t1[i], m->t1[order[i]], sizeof other.t1[i]);
    }
    return other;
}

static inline bool is_hit(snag__impact impact)
{
    return impact.verdict != SNAG__IMPACT_FREE;
}

static inline void print_motion(const snag__motion *m)
{
    printf("%s\n", m->pair == EE ? "EE" : "VF");
    for (int i = 0; i < 4; i++)
        printf("  {%a, %a, %a} -> {%a, %a, %a}\n", m->t0[i][0], m->t0[i][1], m->t0[i][2], m->t1[i][0], m->t1[i][1], m->t1[i][2]);
}

#endif
