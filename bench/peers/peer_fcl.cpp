// FCL: a BVH over the triangles, refitted to each step and searched against itself once for each pair of leaves; then
// snag's exact test. The bounds are k-DOPs of 16 directions: with boxes the step takes a tenth longer.
//
// FCL's own test of two triangles decides with a tolerance and knows nothing of shared vertices, so its leaf test is
// replaced; the traversal is FCL's (detail::selfCollide).
#include "judge.hpp"

#include <fcl/math/bv/utility.h>

#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/kDOP.h>
#include <fcl/narrowphase/detail/traversal/collision/bvh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include <vector>

namespace {

using Dop = fcl::KDOP<double, 16>;
using Model = fcl::BVHModel<Dop>;

class Candidates final : public fcl::detail::BVHCollisionTraversalNode<Dop> {
public:
    Candidates(const Model *model, Judge *judge) : judge_(judge)
    {
        model1 = model2 = model;
        result = &nothing_;
    }
    void leafTesting(int a, int b) const override
    {
        judge_->add(static_cast<uint32_t>(model1->getBV(a).primitiveId()),
                    static_cast<uint32_t>(model2->getBV(b).primitiveId()));
    }
    bool canStop() const override { return false; }

private:
    Judge *judge_;
    fcl::CollisionResult<double> nothing_;
};

struct Fcl {
    const peer_mesh *mesh;
    Model model;
    std::vector<fcl::Vector3d> points;
    Judge judge;
    explicit Fcl(const peer_mesh *m) : mesh(m), points(m->vertex_count), judge(m) {}
};

void read_points(Fcl *f)
{
    for (size_t i = 0; i < f->points.size(); i++) {
        const double *x = f->mesh->positions[i];
        f->points[i] = fcl::Vector3d(x[0], x[1], x[2]);
    }
}

void *create(const peer_mesh *mesh, uint32_t)
{
    Fcl *f = new Fcl(mesh);
    std::vector<fcl::Triangle> triangles;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        triangles.emplace_back(mesh->triangles[t][0], mesh->triangles[t][1], mesh->triangles[t][2]);
    read_points(f);
    f->model.beginModel(static_cast<int>(triangles.size()), static_cast<int>(f->points.size()));
    f->model.addSubModel(f->points, triangles);
    if (f->model.endModel() == fcl::BVH_OK)
        return f;
    delete f;
    return nullptr;
}

void update(void *state)
{
    Fcl *f = static_cast<Fcl *>(state);
    read_points(f);
    f->model.beginReplaceModel();
    f->model.replaceSubModel(f->points);
    f->model.endReplaceModel(true, true);
}

peer_pairs search(void *state)
{
    Fcl *f = static_cast<Fcl *>(state);
    f->judge.clear();
    Candidates candidates(&f->model, &f->judge);
    fcl::detail::selfCollide(static_cast<fcl::detail::CollisionTraversalNodeBase<double> *>(&candidates));
    f->judge.flush();
    return f->judge.pairs();
}

void destroy(void *state)
{
    delete static_cast<Fcl *>(state);
}

}  // namespace

const peer peer_fcl = {
    "fcl", FCL_VERSION, "tree of 16-DOPs, refitted, selfCollide, then snag's exact test", false,
    create, update, search, nullptr, destroy,
};
