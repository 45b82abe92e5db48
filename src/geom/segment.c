// Segment against triangle by signs of orientations.
#include "geom/segment.h"

#include "base/assert.h"
#include "base/clamp.h"
#include "base/vec3.h"
#include "geom/edge_plane.h"

#include <math.h>
#include <string.h>

SNAG__DECLARE_KERNELS(snag__segment_kernels, snag__segment_kernels);

const snag__segment_kernels *snag__segment_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__segment_kernels, isa)
}

// Coplanar: convex sets are apart if and only if the line of an edge of one has the other strictly on its far side.
static bool meet_in_plane(const double p[3], const double q[3], const double *const t[3])
{
    int axis = 0;
    while (snag__orient2d(t[0], t[1], t[2], axis) == 0)
        axis++;
    int turn = snag__orient2d(t[0], t[1], t[2], axis), left = 0, right = 0;
    for (int i = 0; i < 3; i++) {
        const double *from = t[i], *to = t[(i + 1) % 3];
        if (snag__orient2d(from, to, p, axis) == -turn && snag__orient2d(from, to, q, axis) == -turn)
            return false;
        int side = snag__orient2d(p, q, t[i], axis);
        left += side > 0;
        right += side < 0;
    }
    return left < 3 && right < 3;
}

snag__meeting snag__segment_meets_triangle(const double p[3], const double q[3], const double *const t[3])
{
    if (snag__is_collinear(t[0], t[1], t[2]))
        return SNAG__DEGENERATE;
    int side_p = snag__orient3d(t[0], t[1], t[2], p), side_q = snag__orient3d(t[0], t[1], t[2], q);
    if (side_p * side_q > 0)
        return SNAG__APART;
    if (side_p == 0 && side_q == 0)
        return meet_in_plane(p, q, t) ? SNAG__TOUCHING : SNAG__APART;
    // Apart if the line through p and q passes edges on different sides.
    int left = 0, right = 0;
    for (int i = 0; i < 3; i++) {
        int side = snag__orient3d(p, q, t[i], t[(i + 1) % 3]);
        left += side > 0;
        right += side < 0;
    }
    if (left > 0 && right > 0)
        return SNAG__APART;
    return side_p * side_q < 0 && left + right == 3 ? SNAG__CROSSING : SNAG__TOUCHING;
}

// An axis along which the triangle has an area; 3 if there is none.
static int axis_of_area(const double *const t[3])
{
    int axis = 0;
    while (axis < 3 && snag__orient2d(t[0], t[1], t[2], axis) == 0)
        axis++;
    return axis;
}

bool snag__segment_enters_triangle(const double *const t[3], int shared, const double q[3])
{
    const double *p = t[shared], *left = t[(shared + 1) % 3], *right = t[(shared + 2) % 3];
    int axis = axis_of_area(t);
    if (axis == 3 || snag__orient3d(t[0], t[1], t[2], q) != 0 || (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]))
        return false;
    int turn = snag__orient2d(p, left, right, axis);
    return turn * snag__orient2d(p, left, q, axis) >= 0 && turn * snag__orient2d(p, right, q, axis) <= 0;
}

bool snag__segment_is_in_plane(const double p[3], const double q[3], const double *const t[3])
{
    return snag__orient3d(t[0], t[1], t[2], p) == 0 && snag__orient3d(t[0], t[1], t[2], q) == 0;
}

static double area_of(const double a[3], const double b[3], const double c[3], int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
}

static void point_between(const double p[3], const double q[3], double s, double point[3])
{
    for (int k = 0; k < 3; k++)
        point[k] = s <= 0 ? p[k] : s >= 1 ? q[k] : p[k] + s * (q[k] - p[k]);
}

// Clips a segment by the three sides of a triangle in its plane.
static void clip_in_plane(const double p[3], const double q[3], const double *const t[3], double first[3], double last[3])
{
    int axis = axis_of_area(t), turn = snag__orient2d(t[0], t[1], t[2], axis);
    double from = 0, to = 1;
    for (int i = 0; i < 3; i++) {
        const double *a = t[i], *b = t[(i + 1) % 3];
        bool p_out = turn * snag__orient2d(a, b, p, axis) < 0, q_out = turn * snag__orient2d(a, b, q, axis) < 0;
        double at_p = fabs(area_of(a, b, p, axis)), at_q = fabs(area_of(a, b, q, axis));
        double cut = at_p + at_q > 0 ? at_p / (at_p + at_q) : 0.5;
        if (p_out && !q_out)
            from = snag__max(from, cut);
        if (q_out && !p_out)
            to = snag__min(to, cut);
    }
    if (from > to)  // by rounding, at a corner
        from = to = from / 2 + to / 2;
    point_between(p, q, from, first);
    point_between(p, q, to, last);
}

void snag__segment_in_triangle(const double p[3], const double q[3], const double *const t[3], double first[3], double last[3])
{
    int side_p = snag__orient3d(t[0], t[1], t[2], p), side_q = snag__orient3d(t[0], t[1], t[2], q);
    if (side_p == 0 && side_q == 0) {
        clip_in_plane(p, q, t, first, last);
        return;
    }
    if (side_p * side_q < 0)
        snag__edge_plane_point(&(snag__edge_plane){p, q, {t[0], t[1], t[2]}}, first);
    else
        memcpy(first, side_p == 0 ? p : q, 3 * sizeof *first);
    memcpy(last, first, 3 * sizeof *last);
}

// The faces of a tetrahedron. In one of positive volume the fourth corner is on the positive side of each.
static const int tet_face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};

static void face_corners(const double *const tet[4], int face, const double *corner[3])
{
    for (int i = 0; i < 3; i++)
        corner[i] = tet[tet_face[face][i]];
}

// On which side of a face a point lies: 1 inside, 0 in its plane, -1 outside.
static int side_of_face(const double p[3], const double *const tet[4], int turn, int face)
{
    const double *corner[3];
    face_corners(tet, face, corner);
    return turn * snag__orient3d(corner[0], corner[1], corner[2], p);
}

// The barycentric weights of x, scaled by the volume. `most` is raised to the largest distance along each axis.
static void volumes_at(const double x[3], const double *const tet[4], double volume[4], double most[3])
{
    double r[4][3], c01[3], c23[3];
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++) {
            r[i][axis] = tet[i][axis] - x[axis];
            most[axis] = fabs(r[i][axis]) > most[axis] ? fabs(r[i][axis]) : most[axis];
        }
    snag__vec3_cross(r[0], r[1], c01);
    snag__vec3_cross(r[2], r[3], c23);
    volume[0] = snag__vec3_dot(r[1], c23);
    volume[1] = -snag__vec3_dot(r[0], c23);
    volume[2] = snag__vec3_dot(r[3], c01);
    volume[3] = -snag__vec3_dot(r[2], c01);
}

// As in predicates.c: the error of a determinant of differences is below DETERMINANT_ERROR times the product of the largest along each
// axis, if these are in range; of the whole volume, the sum of four, below six times that.
#define DETERMINANT_ERROR (49 * 0x1p-53)
#define DIFFERENCE_LOW 1e-97
#define DIFFERENCE_HIGH 1e102

// Floating point decides most candidates: both ends lie outside of one face.
static bool is_certainly_beside(const double p[3], const double q[3], const double *const tet[4])
{
    double at_p[4], at_q[4], most[3] = {0, 0, 0};
    volumes_at(p, tet, at_p, most);
    volumes_at(q, tet, at_q, most);
    double error = 6 * DETERMINANT_ERROR * most[0] * most[1] * most[2];
    for (int axis = 0; axis < 3; axis++)
        if (!(most[axis] > DIFFERENCE_LOW && most[axis] < DIFFERENCE_HIGH))
            return false;
    double whole = at_p[0] + at_p[1] + at_p[2] + at_p[3], turn = whole > 0 ? 1 : -1;
    if (!(fabs(whole) > error))
        return false;
    bool beside = false;
    for (int i = 0; i < 4; i++)
        beside = beside || (turn * at_p[i] < -error && turn * at_q[i] < -error);
    return beside;
}

bool snag__segment_passes_tet(const double p[3], const double q[3], const double *const tet[4])
{
    if (is_certainly_beside(p, q, tet))
        return false;
    int turn = snag__tet_orientation(tet), side_p[4];
    bool p_inside = true, q_inside = true;
    if (turn == 0)
        return false;
    for (int face = 0; face < 4; face++) {
        int side_q = side_of_face(q, tet, turn, face);
        side_p[face] = side_of_face(p, tet, turn, face);
        // One end outside of a face and the other not inside: the segment meets the tetrahedron at most with that end.
        if (side_p[face] + side_q < 0)
            return false;
        p_inside = p_inside && side_p[face] >= 0;
        q_inside = q_inside && side_q >= 0;
    }
    // It enters through a face that has p outside.
    for (int face = 0; face < 4 && !p_inside && !q_inside; face++) {
        const double *corner[3];
        face_corners(tet, face, corner);
        if (side_p[face] < 0 && snag__segment_meets_triangle(p, q, corner) != SNAG__APART)
            return true;
    }
    return false;
}

// Whether x lies farther than y from p to q. Both are rounded points of the segment: rounding is monotonic along each axis, so the
// first axis along which they differ decides.
static bool is_farther(const double p[3], const double q[3], const double x[3], const double y[3])
{
    for (int axis = 0; axis < 3; axis++)
        if (x[axis] != y[axis])
            return (x[axis] > y[axis]) == (q[axis] > p[axis]);
    return false;
}

void snag__segment_in_tet(const double p[3], const double q[3], const double *const tet[4], double enters[3], double leaves[3])
{
    int turn = snag__tet_orientation(tet);
    SNAG__ASSERT(turn != 0);
    bool entered = false, left = false;
    // The last of the planes that it crosses inwards, and the first of those outwards.
    for (int face = 0; face < 4; face++) {
        int side_p = side_of_face(p, tet, turn, face), side_q = side_of_face(q, tet, turn, face);
        if (side_p * side_q >= 0)
            continue;
        snag__edge_plane cut = {.from = p, .to = q};
        double point[3];
        face_corners(tet, face, cut.plane);
        snag__edge_plane_point(&cut, point);
        if (side_p < 0 && (!entered || is_farther(p, q, point, enters))) {
            memcpy(enters, point, sizeof point);
            entered = true;
        }
        if (side_p > 0 && (!left || is_farther(p, q, leaves, point))) {
            memcpy(leaves, point, sizeof point);
            left = true;
        }
    }
}
