// FCL: a BVH over the triangles, refitted in each step and searched against itself once for each pair of leaves; then snag's exact
// test. The bounds are k-DOPs of 16 directions: with boxes the step takes a tenth longer.
//
// FCL's own triangle test uses a tolerance and ignores shared vertices, so its leaf test is replaced. The traversal is FCL's
// (detail::selfCollide).
//
// The other question is the distance of two bodies: fcl::distance of two box trees. FCL's own bounds for distances (RSS, OBBRSS) do
// not contain their triangles after a bottom-up refit, so the distance comes out too large. Rebuilt in each step, they take ten
// times as long as boxes.
#include "judge.hpp"

#include <fcl/math/bv/utility.h>

#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/AABB.h>
#include <fcl/math/bv/kDOP.h>
#include <fcl/narrowphase/detail/traversal/collision/bvh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>
#include <fcl/narrowphase/distance.h>

#include <vector>

namespace
{

using Dop = fcl::KDOP<double, 16>;

class Candidates final : public fcl::detail::BVHCollisionTraversalNode<Dop>
{
  public:
    Candidates(const fcl::BVHModel<Dop> *model, Judge *judge) : judge_(judge)
    {
        model1 = model2 = model;
        result = &nothing_;
    }
    void leafTesting(int a, int b) const override
    {
        judge_->add(static_cast<uint32_t>(model1->getBV(a).primitiveId()), static_cast<uint32_t>(model2->getBV(b).primitiveId()));
    }
    bool canStop() const override { return false; }

  private:
    Judge *judge_;
    fcl::CollisionResult<double> nothing_;
};

// One tree over the triangles of a body, with a copy of its points, which are numbered from `first_vertex`.
template <typename Bound> struct Tree {
    const peer_mesh *mesh;
    size_t first_vertex;
    fcl::BVHModel<Bound> model;
    std::vector<fcl::Vector3d> points;

    Tree(const peer_mesh *m, const surface_body &body) : mesh(m), first_vertex(body.first_vertex), points(body.vertex_count)
    {
        std::vector<fcl::Triangle> triangles;
        for (size_t t = body.first_triangle; t < body.first_triangle + body.triangle_count; t++) {
            const uint32_t *v = mesh->triangles[t];
            triangles.emplace_back(v[0] - first_vertex, v[1] - first_vertex, v[2] - first_vertex);
        }
        read_points();
        model.beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
        model.addSubModel(points, triangles);
        model.endModel();
    }
    void read_points()
    {
        for (size_t i = 0; i < points.size(); i++) {
            const double *x = mesh->positions[first_vertex + i];
            points[i] = fcl::Vector3d(x[0], x[1], x[2]);
        }
    }
    void refit()
    {
        read_points();
        model.beginReplaceModel();
        model.replaceSubModel(points);
        model.endReplaceModel(true, true);
    }
};

// ---- intersections: all bodies in one tree ----

struct Fcl {
    Tree<Dop> tree;
    Judge judge;
    explicit Fcl(const peer_mesh *mesh) : tree(mesh, surface_body{0, mesh->vertex_count, 0, mesh->triangle_count}), judge(mesh) {}
};

void *create(const peer_mesh *mesh, uint32_t)
{
    return new Fcl(mesh);
}

void update(void *state)
{
    static_cast<Fcl *>(state)->tree.refit();
}

peer_answer search(void *state)
{
    Fcl *f = static_cast<Fcl *>(state);
    f->judge.clear();
    Candidates candidates(&f->tree.model, &f->judge);
    fcl::detail::selfCollide(static_cast<fcl::detail::CollisionTraversalNodeBase<double> *>(&candidates));
    f->judge.flush();
    return f->judge.pairs();
}

void destroy(void *state)
{
    delete static_cast<Fcl *>(state);
}

// ---- distance of two bodies ----

struct FclTwo {
    Tree<fcl::AABB<double>> a, b;
    explicit FclTwo(const peer_mesh *mesh) : a(mesh, mesh->bodies[0]), b(mesh, mesh->bodies[1]) {}
};

void *create_two(const peer_mesh *mesh, uint32_t)
{
    return mesh->body_count == 2 ? new FclTwo(mesh) : nullptr;
}

void update_two(void *state)
{
    FclTwo *f = static_cast<FclTwo *>(state);
    f->a.refit();
    f->b.refit();
}

peer_answer search_two(void *state)
{
    FclTwo *f = static_cast<FclTwo *>(state);
    const fcl::Transform3<double> here = fcl::Transform3<double>::Identity();
    const fcl::DistanceRequest<double> request(true);  // also computes the points, as snag does
    fcl::DistanceResult<double> result;
    fcl::distance(&f->a.model, here, &f->b.model, here, request, result);
    return {nullptr, 1, 0, result.min_distance};
}

void destroy_two(void *state)
{
    delete static_cast<FclTwo *>(state);
}

}  // namespace

const peer peer_fcl = {
    SNAG_INTERSECTIONS,
    "fcl",
    FCL_VERSION,
    "tree of 16-DOPs, refitted, selfCollide, then snag's exact test",
    false,
    false,
    create,
    update,
    search,
    nullptr,
    destroy,
};
const peer peer_fcl_distance = {
    SNAG_DISTANCE, "fcl",   FCL_VERSION, "two trees of boxes, refitted, fcl::distance", false, false, create_two, update_two,
    search_two,    nullptr, destroy_two,
};
