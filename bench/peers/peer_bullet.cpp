// Bullet: a btDbvt with a leaf for each triangle, searched against itself by collideTT; then snag's exact test.
//
// The leaves are updated one by one, as Bullet's soft bodies do it: a new tree in each step takes four times as long.
// Bullet works in float: boxes are rounded outward.
#include "boxes.hpp"
#include "judge.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <vector>

namespace {

struct Bullet {
    const peer_mesh *mesh;
    btDbvt tree;
    std::vector<btDbvtNode *> leaves;
    Judge judge;
    explicit Bullet(const peer_mesh *m) : mesh(m), judge(m) {}
};

struct Candidates final : btDbvt::ICollide {
    Judge *judge;
    explicit Candidates(Judge *j) : judge(j) {}
    void Process(const btDbvtNode *a, const btDbvtNode *b) override
    {
        judge->add(static_cast<uint32_t>(a->dataAsInt), static_cast<uint32_t>(b->dataAsInt));
    }
};

btDbvtVolume volume_of(const peer_mesh *mesh, size_t t)
{
    const Box<float> box = float_box_of(mesh, t);
    return btDbvtVolume::FromMM(btVector3(box.lo[0], box.lo[1], box.lo[2]), btVector3(box.hi[0], box.hi[1], box.hi[2]));
}

void *create(const peer_mesh *mesh, uint32_t)
{
    Bullet *b = new Bullet(mesh);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        b->leaves.push_back(b->tree.insert(volume_of(mesh, t), nullptr));
        b->leaves.back()->dataAsInt = static_cast<int>(t);
    }
    b->tree.optimizeTopDown();
    return b;
}

void update(void *state)
{
    Bullet *b = static_cast<Bullet *>(state);
    for (size_t t = 0; t < b->leaves.size(); t++) {
        btDbvtVolume volume = volume_of(b->mesh, t);
        b->tree.update(b->leaves[t], volume);
    }
}

peer_answer search(void *state)
{
    Bullet *b = static_cast<Bullet *>(state);
    b->judge.clear();
    Candidates candidates(&b->judge);
    b->tree.collideTT(b->tree.m_root, b->tree.m_root, candidates);
    b->judge.flush();
    return b->judge.pairs();
}

void destroy(void *state)
{
    delete static_cast<Bullet *>(state);
}

// 324 is 3.24.
const char *version()
{
    static const char text[] = {'0' + BT_BULLET_VERSION / 100, '.', '0' + BT_BULLET_VERSION / 10 % 10,
                                '0' + BT_BULLET_VERSION % 10, 0};
    return text;
}

}  // namespace

const peer peer_bullet = {
    SNAG_INTERSECTIONS, "bullet", version(), "btDbvt, leaves updated, collideTT, then snag's exact test", false, true,
    create, update, search, nullptr, destroy,
};
