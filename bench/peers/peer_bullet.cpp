// Bullet: a btDbvt with one leaf per triangle, searched against itself with collideTT; then snag's exact test.
#include "bullet_tree.hpp"
#include "judge.hpp"

namespace
{

struct Bullet {
    BulletTree leaves;
    Judge judge;
    explicit Bullet(const peer_mesh *m) : leaves(m, m->triangle_count, float_box_of), judge(m) {}
};

struct Candidates final : btDbvt::ICollide {
    Judge *judge;
    explicit Candidates(Judge *j) : judge(j) {}
    void Process(const btDbvtNode *a, const btDbvtNode *b) override
    {
        judge->add(static_cast<uint32_t>(a->dataAsInt), static_cast<uint32_t>(b->dataAsInt));
    }
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
    b->judge.clear();
    Candidates candidates(&b->judge);
    b->leaves.tree.collideTT(b->leaves.tree.m_root, b->leaves.tree.m_root, candidates);
    b->judge.flush();
    return b->judge.pairs();
}

void destroy(void *state)
{
    delete static_cast<Bullet *>(state);
}

}  // namespace

const peer peer_bullet = {
    SNAG_INTERSECTIONS,
    "bullet",
    bullet_version(),
    "btDbvt, leaves updated, collideTT, then snag's exact test",
    false,
    true,
    create,
    update,
    search,
    nullptr,
    destroy,
};
