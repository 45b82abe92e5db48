// Segment against triangle by signs of orientations.
#include "geom/segment.h"

#include "geom/edge_plane.h"

#include <math.h>
#include <string.h>

SNAG__DECLARE_KERNELS(snag__segment_kernels, snag__segment_kernels);

const snag__segment_kernels *snag__segment_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__segment_kernels, isa)
}

// All in one plane: convex sets are apart if and only if the line of an edge of one has the other strictly on its far
// side.
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
    // The line through p and q passes all edges on the same side, or meets some of them.
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

// The faces of a tetrahedron, each with its corners in the order that has the fourth corner on the positive side of a
// positive tetrahedron.
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

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The volumes of the tetrahedra that x makes with each face: its weights, scaled by the volume. `most`: raised to the
// largest distance along each axis.
static void volumes_at(const double x[3], const double *const tet[4], double volume[4], double most[3])
{
    double r[4][3], c01[3], c23[3];
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++) {
            r[i][axis] = tet[i][axis] - x[axis];
            most[axis] = fabs(r[i][axis]) > most[axis] ? fabs(r[i][axis]) : most[axis];
        }
    cross(r[0], r[1], c01);
    cross(r[2], r[3], c23);
    volume[0] = dot(r[1], c23);
    volume[1] = -dot(r[0], c23);
    volume[2] = dot(r[3], c01);
    volume[3] = -dot(r[2], c01);
}

// Most candidates are told apart by floating point: both ends lie outside of one face. The error of a determinant of
// differences is below 49 units of the product of the largest along each axis (predicates.c), as long as these are in
// range; of the whole volume, the sum of four, below six times that.
static bool is_certainly_beside(const double p[3], const double q[3], const double *const tet[4])
{
    double at_p[4], at_q[4], most[3] = {0, 0, 0};
    volumes_at(p, tet, at_p, most);
    volumes_at(q, tet, at_q, most);
    double error = 6 * 49 * 0x1p-53 * most[0] * most[1] * most[2];
    for (int axis = 0; axis < 3; axis++)
        if (!(most[axis] > 1e-97 && most[axis] < 1e102))
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
        // One end outside and the other not inside: all of the segment is out, but for an end in the plane of the face.
        // If that is in the tetrahedron, it ends there.
        if (side_p[face] + side_q < 0)
            return false;
        p_inside = p_inside && side_p[face] >= 0;
        q_inside = q_inside && side_q >= 0;
    }
    // Where it enters it meets a face that it comes through from outside.
    for (int face = 0; face < 4 && !p_inside && !q_inside; face++) {
        const double *corner[3];
        face_corners(tet, face, corner);
        if (side_p[face] < 0 && snag__segment_meets_triangle(p, q, corner) != SNAG__APART)
            return true;
    }
    return false;
}

// Whether x lies farther than y on the way from p to q. Both are rounded points of it: rounding never swaps them along an
// axis, so the first axis along which they differ tells.
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
    bool entered = false, left = false;
    // The last of the planes that it comes through inwards, and the first of those outwards.
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
