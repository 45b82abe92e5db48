// Boxes of triangles for peers, inflated if candidates are requested: in double, or in float and rounded outward.
#ifndef SNAG_BENCH_BOXES_HPP
#define SNAG_BENCH_BOXES_HPP

#include "peer.h"

#include <algorithm>
#include <cmath>

template <typename Number> struct Box {
    Number lo[3], hi[3];
};

inline float rounded_down(double x)
{
    const float f = static_cast<float>(x);
    return static_cast<double>(f) > x ? std::nextafterf(f, -INFINITY) : f;
}

inline float rounded_up(double x)
{
    const float f = static_cast<float>(x);
    return static_cast<double>(f) < x ? std::nextafterf(f, INFINITY) : f;
}

inline Box<double> box_of(const peer_mesh *mesh, size_t triangle)
{
    const uint32_t *v = mesh->triangles[triangle];
    Box<double> box;
    for (int k = 0; k < 3; k++) {
        const double x = mesh->positions[v[0]][k], y = mesh->positions[v[1]][k], z = mesh->positions[v[2]][k];
        box.lo[k] = std::min(x, std::min(y, z)) - mesh->inflate;
        box.hi[k] = std::max(x, std::max(y, z)) + mesh->inflate;
    }
    return box;
}

inline Box<float> float_box_of(const peer_mesh *mesh, size_t triangle)
{
    const Box<double> box = box_of(mesh, triangle);
    return {{rounded_down(box.lo[0]), rounded_down(box.lo[1]), rounded_down(box.lo[2])},
            {rounded_up(box.hi[0]), rounded_up(box.hi[1]), rounded_up(box.hi[2])}};
}

#endif
