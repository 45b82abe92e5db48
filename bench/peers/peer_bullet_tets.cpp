// Bullet: a btDbvt with a leaf for each tetrahedron, every leaf updated, each vertex searched by collideTV; then snag's exact test.
#include "tets.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

namespace {

struct Bullet {
    const peer_mesh *mesh;
    btDbvt tree;
    std::vector<btDbvtNode *> leaves;
    Inside inside;
    explicit Bullet(const peer_mesh *m) : mesh(m), inside(m) {}
};

struct Candidates final : btDbvt::ICollide {
    Inside *inside;
    uint32_t vertex = 0;
    explicit Candidates(Inside *i) : inside(i) {}
    void Process(const btDbvtNode *leaf) override { inside->add(vertex, static_cast<uint32_t>(leaf->dataAsInt)); }
};

btDbvtVolume volume_of(const peer_mesh *mesh, size_t t)
{
    const Box<float> box = float_tet_box_of(mesh, t);
    return btDbvtVolume::FromMM(btVector3(box.lo[0], box.lo[1], box.lo[2]), btVector3(box.hi[0], box.hi[1], box.hi[2]));
}

void *create(const peer_mesh *mesh, uint32_t)
{
    Bullet *b = new Bullet(mesh);
    for (size_t t = 0; t < mesh->tet_count; t++) {
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
    b->inside.clear();
    Candidates candidates(&b->inside);
    for (size_t v = 0; v < b->mesh->vertex_count; v++) {
        const double *x = b->mesh->positions[v];
        const btVector3 point(static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]));
        candidates.vertex = static_cast<uint32_t>(v);
        b->tree.collideTV(b->tree.m_root, btDbvtVolume::FromMM(point, point), candidates);
    }
    return b->inside.pairs();
}

void destroy(void *state)
{
    delete static_cast<Bullet *>(state);
}

const char *version()
{
    static const char text[] = {'0' + BT_BULLET_VERSION / 100, '.', '0' + BT_BULLET_VERSION / 10 % 10,
                                '0' + BT_BULLET_VERSION % 10, 0};
    return text;
}

}  // namespace

const peer peer_bullet_tets = {
    SNAG_PENETRATIONS, "bullet", version(), "btDbvt, leaves updated, collideTV of each vertex, then snag's exact test", false, false,
    create, update, search, nullptr, destroy,
};
