// Where an edge meets a plane, in exact integers.
#include "geom/edge_plane.h"

#include "geom/exact.h"

SNAG__DECLARE_KERNELS(snag__edge_plane_kernels, snag__edge_plane_kernels);

const snag__edge_plane_kernels *snag__edge_plane_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__edge_plane_kernels, isa)
}

void snag__edge_plane_point(const snag__edge_plane *cut, double point[3])
{
    uint64_t limbs[SNAG__EXACT_ZERO_LIMBS + 15 * SNAG__EXACT_LIMBS(1) + 8 * SNAG__EXACT_LIMBS(2) + 8 * SNAG__EXACT_LIMBS(3)];
    snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
    const double *const *t = cut->plane;
    int unit = snag__exact_unit_of_points((const double *const[5]){t[0], t[1], t[2], cut->from, cut->to}, 5);
    snag__exact u[3], v[3], normal[3], from[3], to[3];
    snag__exact_from_points(&room, t[1], t[0], unit, u);
    snag__exact_from_points(&room, t[2], t[0], unit, v);
    snag__exact_from_points(&room, cut->from, t[0], unit, from);
    snag__exact_from_points(&room, cut->to, t[0], unit, to);
    snag__exact_cross(&room, u, v, normal);
    snag__exact at_from = snag__exact_dot(&room, normal, from), at_to = snag__exact_dot(&room, normal, to);
    snag__exact_zero_between(room, cut->from, cut->to, at_from, at_to, unit, point);
}
