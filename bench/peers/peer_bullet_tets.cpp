// Bullet: a btDbvt with one leaf per tetrahedron, all leaves updated, each vertex searched with collideTV; then snag's exact test.
#include "bullet_tree.hpp"
#include "tets.hpp"

namespace
{

struct Bullet {
    const peer_mesh *mesh;
    BulletTree leaves;
    Inside inside;
    explicit Bullet(const peer_mesh *m) : mesh(m), leaves(m, m->tet_count, float_tet_box_of), inside(m) {}
};

struct Candidates final : btDbvt::ICollide {
    Inside *inside;
    uint32_t vertex = 0;
    explicit Candidates(Inside *i) : inside(i) {}
    void Process(const btDbvtNode *leaf) override { inside->add(vertex, static_cast<uint32_t>(leaf->dataAsInt)); }
};

void *create(const peer_mesh *mesh, uint32_t)
{
    return new Bullet(mesh);
}

void update(void *state)
{
    static_cast<Bullet *>(state)->leaves.update();
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
        b->leaves.tree.collideTV(b->leaves.tree.m_root, btDbvtVolume::FromMM(point, point), candidates);
    }
    return b->inside.pairs();
}

void destroy(void *state)
{
    delete static_cast<Bullet *>(state);
}

}  // namespace

const peer peer_bullet_tets = {
    SNAG_PENETRATIONS,
    "bullet",
    bullet_version(),
    "btDbvt, leaves updated, collideTV of each vertex, then snag's exact test",
    false,
    false,
    create,
    update,
    search,
    nullptr,
    destroy,
};
