// Tetrahedra for peers: their boxes, and snag's exact test for the candidates of a peer that has no exact test.
#ifndef SNAG_BENCH_TETS_HPP
#define SNAG_BENCH_TETS_HPP

#include "boxes.hpp"

extern "C" {
#include "geom/geom.h"
}

#include <vector>

inline Box<double> tet_box_of(const peer_mesh *mesh, size_t tet)
{
    const uint32_t *v = mesh->tets[tet];
    Box<double> box;
    for (int k = 0; k < 3; k++) {
        box.lo[k] = box.hi[k] = mesh->positions[v[0]][k];
        for (int i = 1; i < 4; i++) {
            box.lo[k] = std::min(box.lo[k], mesh->positions[v[i]][k]);
            box.hi[k] = std::max(box.hi[k], mesh->positions[v[i]][k]);
        }
    }
    return box;
}

inline Box<float> float_tet_box_of(const peer_mesh *mesh, size_t tet)
{
    const Box<double> box = tet_box_of(mesh, tet);
    return {{rounded_down(box.lo[0]), rounded_down(box.lo[1]), rounded_down(box.lo[2])},
            {rounded_up(box.hi[0]), rounded_up(box.hi[1]), rounded_up(box.hi[2])}};
}

inline bool is_corner(const peer_mesh *mesh, uint32_t vertex, uint32_t tet)
{
    const uint32_t *v = mesh->tets[tet];
    return (v[0] == vertex) | (v[1] == vertex) | (v[2] == vertex) | (v[3] == vertex);
}

// The vertex-tetrahedron pairs found.
class Inside {
public:
    explicit Inside(const peer_mesh *mesh) : mesh_(mesh) {}

    void clear()
    {
        found_.clear();
        judged_ = 0;
    }

    // Adds a candidate: keeps it if the vertex is not a corner and lies inside.
    void add(uint32_t vertex, uint32_t tet)
    {
        if (is_corner(mesh_, vertex, tet))
            return;
        const uint32_t *v = mesh_->tets[tet];
        const double *corners[4] = {mesh_->positions[v[0]], mesh_->positions[v[1]], mesh_->positions[v[2]], mesh_->positions[v[3]]};
        judged_++;
        if (snag__point_in_tet(mesh_->positions[vertex], corners))
            keep(vertex, tet);
    }

    void keep(uint32_t vertex, uint32_t tet) { found_.push_back({vertex, tet}); }

    peer_answer pairs() const
    {
        return {reinterpret_cast<const uint32_t(*)[2]>(found_.data()), found_.size(), judged_, 0};
    }

private:
    struct Pair {
        uint32_t vertex, tet;
    };
    const peer_mesh *mesh_;
    std::vector<Pair> found_;
    size_t judged_ = 0;
};

#endif
