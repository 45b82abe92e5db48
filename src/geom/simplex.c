#include "geom/simplex.h"

#include "geom/distance.h"
#include "geom/segment.h"

#include <math.h>

// The ends of the edges and the corners of the faces of a simplex with so many corners. A point is an edge of length zero.
static const int edge_count[5] = {0, 1, 1, 3, 6}, face_count[5] = {0, 0, 0, 1, 4};
static const int edges[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};
static const int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};

static void edge_of(const snag__simplex *s, int i, const double *end[2])
{
    end[0] = s->corner[edges[i][0]];
    end[1] = s->corner[s->count > 1 ? edges[i][1] : 0];
}

static void face_of(const snag__simplex *s, int i, const double *corner[3])
{
    for (int c = 0; c < 3; c++)
        corner[c] = s->corner[faces[i][c]];
}

// Whether two corners are so close that rounding does not matter.
static bool corners_within(const snag__simplex *a, const snag__simplex *b, double d)
{
    const double sure = d * (1 - 0x1p-40), squared = sure * sure;
    if (!(squared > 0x1p-900 && squared < 0x1p900))
        return false;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++) {
            const double *p = a->corner[i], *q = b->corner[k];
            double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
            if (x * x + y * y + z * z <= squared)
                return true;
        }
    return false;
}

// Whether the boxes are so far apart that rounding does not matter.
static bool boxes_apart(const snag__simplex *a, const snag__simplex *b, double d)
{
    const double sure = d * (1 + 0x1p-40);
    for (int axis = 0; axis < 3; axis++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < a->count; i++) {
            lo[0] = fmin(lo[0], a->corner[i][axis]);
            hi[0] = fmax(hi[0], a->corner[i][axis]);
        }
        for (int i = 0; i < b->count; i++) {
            lo[1] = fmin(lo[1], b->corner[i][axis]);
            hi[1] = fmax(hi[1], b->corner[i][axis]);
        }
        double gap = fmax(lo[0] - hi[1], lo[1] - hi[0]);
        if (gap * (1 - 0x1p-40) > sure && gap < INFINITY)
            return true;
    }
    return false;
}

// Whether a corner of a is within d of a face of b or inside of b, or an edge of a passes through a face of b.
static bool faces_within(const snag__simplex *a, const snag__simplex *b, double d)
{
    for (int f = 0; f < face_count[b->count]; f++) {
        const double *corner[3], *end[2];
        snag__distance distance;
        face_of(b, f, corner);
        for (int i = 0; i < a->count; i++)
            if (snag__vertex_triangle_within(a->corner[i], corner, d, &distance))
                return true;
        for (int e = 0; e < edge_count[a->count]; e++) {
            edge_of(a, e, end);
            snag__meeting meeting = snag__segment_meets_triangle(end[0], end[1], corner);
            if (meeting == SNAG__CROSSING || meeting == SNAG__TOUCHING)
                return true;
        }
    }
    return b->count == 4 && snag__point_in_tet(a->corner[0], b->corner);
}

bool snag__simplices_within(const snag__simplex *a, const snag__simplex *b, double d)
{
    if (corners_within(a, b, d))
        return true;
    if (boxes_apart(a, b, d))
        return false;
    for (int i = 0; i < edge_count[a->count]; i++)
        for (int k = 0; k < edge_count[b->count]; k++) {
            const double *x[2], *y[2];
            snag__distance distance;
            edge_of(a, i, x);
            edge_of(b, k, y);
            if (snag__edge_edge_within(x, y, d, &distance))
                return true;
        }
    return faces_within(a, b, d) || faces_within(b, a, d);
}
