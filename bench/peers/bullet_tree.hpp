// Shared by both Bullet adapters: a btDbvt with one leaf per element.
//
// The leaves are updated one by one, as Bullet's soft bodies do: building a new tree in each step takes four times as long. Bullet
// uses float, so boxes are rounded outward.
#ifndef SNAG_BENCH_BULLET_TREE_HPP
#define SNAG_BENCH_BULLET_TREE_HPP

#include "boxes.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <vector>

struct BulletTree {
    const peer_mesh *mesh;
    Box<float> (*box_of_element)(const peer_mesh *mesh, size_t element);  // rounded outward
    btDbvt tree;
    std::vector<btDbvtNode *> leaves;

    BulletTree(const peer_mesh *m, size_t elements, Box<float> (*box_of)(const peer_mesh *, size_t)) : mesh(m), box_of_element(box_of)
    {
        for (size_t i = 0; i < elements; i++) {
            leaves.push_back(tree.insert(volume_of(i), nullptr));
            leaves.back()->dataAsInt = static_cast<int>(i);
        }
        tree.optimizeTopDown();
    }

    void update()
    {
        for (size_t i = 0; i < leaves.size(); i++) {
            btDbvtVolume volume = volume_of(i);
            tree.update(leaves[i], volume);
        }
    }

private:
    btDbvtVolume volume_of(size_t element) const
    {
        const Box<float> box = box_of_element(mesh, element);
        return btDbvtVolume::FromMM(btVector3(box.lo[0], box.lo[1], box.lo[2]), btVector3(box.hi[0], box.hi[1], box.hi[2]));
    }
};

// 324 is 3.24.
inline const char *bullet_version()
{
    static const char text[] = {'0' + BT_BULLET_VERSION / 100, '.', '0' + BT_BULLET_VERSION / 10 % 10,
                                '0' + BT_BULLET_VERSION % 10, 0};
    return text;
}

#endif
