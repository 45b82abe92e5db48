// Contact between soft blocks by the rest shape: a point inside a tetrahedron of another block is carried back to where
// it would be in that block at rest, a box, whose nearest side gives depth and direction. After Fisher, Lin: Deformed
// distance fields for simulation of non-penetrating flexible bodies, 2001. Differs: the distance of a box needs no
// field, and the direction is turned with the tetrahedron.
#include "touch.h"

#include <stdlib.h>
#include <string.h>

// Below this speed sideways (m/s) friction fades to zero, so that blocks at rest do not tremble.
#define FRICTION_SPEED 0.02

static void block_boxes(snag__soft *soft, const double (*x)[3])
{
    for (uint32_t b = 0; b < soft->block_count; b++) {
        snag__soft_block *block = &soft->blocks[b];
        for (int k = 0; k < 3; k++)
            block->low[k] = HUGE_VAL, block->high[k] = -HUGE_VAL;
        for (uint32_t i = block->first_point; i < block->first_point + block->point_count; i++) {
            for (int k = 0; k < 3; k++) {
                block->low[k] = fmin(block->low[k], x[i][k]);
                block->high[k] = fmax(block->high[k], x[i][k]);
            }
        }
    }
}

static bool in_box(const double x[3], const double low[3], const double high[3])
{
    for (int k = 0; k < 3; k++)
        if (x[k] < low[k] || x[k] > high[k])
            return false;
    return true;
}

static int compare_candidates(const void *a, const void *b)
{
    const snag__candidate *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

// Surface points in the box of a block that is not their own, sorted along x.
static void find_candidates(snag__soft *soft, const double (*x)[3])
{
    soft->candidate_count = 0;
    for (uint32_t s = 0; s < soft->surface_count; s++) {
        uint32_t i = soft->surface[s], own = soft->surface_block[s];
        bool near_other = false;
        for (uint32_t b = 0; b < soft->block_count && !near_other; b++)
            near_other = b != own && in_box(x[i], soft->blocks[b].low, soft->blocks[b].high);
        if (near_other)
            soft->candidates[soft->candidate_count++] = (snag__candidate){x[i][0], i, own, UINT32_MAX};
    }
    qsort(soft->candidates, soft->candidate_count, sizeof *soft->candidates, compare_candidates);
}

// The first candidate whose x is not below `low`.
static uint32_t first_candidate(const snag__soft *soft, double low)
{
    uint32_t from = 0, to = soft->candidate_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (soft->candidates[middle].x < low)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// Barycentric weights of p in a tetrahedron; false if it is outside or the tetrahedron is flat.
static bool weights_inside(const double p[3], const double *const corner[4], double weight[4])
{
    double e[3][3], n[3], d[3], volume, sum = 0;
    for (int k = 0; k < 3; k++)
        snag__subtract3(corner[k + 1], corner[0], e[k]);
    snag__subtract3(p, corner[0], d);
    snag__cross3(e[1], e[2], n);
    volume = snag__dot3(e[0], n);
    if (volume == 0)
        return false;
    for (int k = 0; k < 3; k++) {
        snag__cross3(e[(k + 1) % 3], e[(k + 2) % 3], n);
        weight[k + 1] = snag__dot3(d, n) / volume;
        sum += weight[k + 1];
        if (weight[k + 1] < 0)
            return false;
    }
    weight[0] = 1 - sum;
    return weight[0] >= 0;
}

// How deep a point of the block at rest lies below its nearest side, and which way that side faces.
static double depth_at_rest(const snag__soft_block *block, const double rest[3], int *axis, double *sign)
{
    double depth = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        for (int upper = 0; upper < 2; upper++) {
            double d = upper ? block->extent[k] - rest[k] : rest[k];
            if (d < depth) {
                depth = d;
                *axis = k;
                *sign = upper ? 1 : -1;
            }
        }
    }
    return depth;
}

static snag__touch touch_make(const snag__soft *soft, uint32_t point, uint32_t k, const double weight[4])
{
    const snag__soft_tet *tet = &soft->tets[k];
    double rest[3] = {0}, sign = 1;
    int axis = 2;
    snag__touch touch = {.point = point, .tet = k};
    for (int c = 0; c < 4; c++) {
        snag__add_scaled3(rest, weight[c], soft->rest[tet->point[c]]);
        touch.weight[c] = (float)weight[c];
    }
    touch.depth = (float)fmax(depth_at_rest(&soft->blocks[tet->block], rest, &axis, &sign), 0);
    snag__f4 axes[3];
    snag__soft_axes(tet, axes);
    touch.normal = (float)sign * axes[axis];
    return touch;
}

static void search_tet(snag__soft *soft, const double (*x)[3], uint32_t k)
{
    const snag__soft_tet *tet = &soft->tets[k];
    const double *corner[4];
    double low[3], high[3];
    for (int c = 0; c < 4; c++)
        corner[c] = x[tet->point[c]];
    for (int a = 0; a < 3; a++) {
        low[a] = fmin(fmin(corner[0][a], corner[1][a]), fmin(corner[2][a], corner[3][a]));
        high[a] = fmax(fmax(corner[0][a], corner[1][a]), fmax(corner[2][a], corner[3][a]));
    }
    for (uint32_t c = first_candidate(soft, low[0]); c < soft->candidate_count; c++) {
        snag__candidate *candidate = &soft->candidates[c];
        if (candidate->x > high[0])
            return;
        double weight[4];
        if (candidate->block == tet->block || !in_box(x[candidate->point], low, high) ||
            !weights_inside(x[candidate->point], corner, weight))
            continue;
        snag__touch touch = touch_make(soft, candidate->point, k, weight);
        if (candidate->touch == UINT32_MAX)
            soft->touches[candidate->touch = soft->touch_count++] = touch;
        else if (touch.depth > soft->touches[candidate->touch].depth)
            soft->touches[candidate->touch] = touch;
    }
}

void snag__touches_find(snag__soft *soft, const double (*x)[3])
{
    soft->touch_count = 0;
    block_boxes(soft, x);
    find_candidates(soft, x);
    if (soft->candidate_count > 0)
        for (uint32_t k = 0; k < soft->tet_count; k++)
            search_tet(soft, x, k);
}

void snag__touch_linearise(const snag__soft *soft, snag__touch *touch, const double (*v)[3], double h,
                           double (*force)[3])
{
    const uint32_t *corner = soft->tets[touch->tet].point;
    double n[3] = {(double)touch->normal[0], (double)touch->normal[1], (double)touch->normal[2]};
    double push = soft->contact_stiffness * (double)touch->depth, speed[3];
    memcpy(speed, v[touch->point], sizeof speed);
    snag__add_scaled3(force[touch->point], push, n);
    for (int k = 0; k < 4; k++) {
        double weight = (double)touch->weight[k];
        snag__add_scaled3(force[corner[k]], -weight * push, n);
        snag__add_scaled3(speed, -weight, v[corner[k]]);
    }
    snag__add_scaled3(speed, -snag__dot3(speed, n), n);
    double sideways = fmax(snag__length3(speed), FRICTION_SPEED);
    touch->normal_stiffness = (float)(soft->contact_stiffness * (h * h + h * soft->material.damping));
    touch->tangent_stiffness = (float)(h * soft->material.friction * push / sideways);
}
