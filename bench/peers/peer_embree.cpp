// Embree: rtcCollide of a scene with one user geometry against itself; then snag's exact test.
//
// Two variants: `embree` refits the tree to the boxes of each step, `embree-rebuild` builds a new one with Embree's fastest
// builder. rtcCollide reports all pairs of primitives in leaves with overlapping boxes, in both orders, and each primitive with
// itself. The second order, and pairs whose own boxes do not overlap, are dropped at once.
#include "embree_tree.hpp"
#include "judge.hpp"

#include <memory>
#include <mutex>

namespace
{

struct Embree {
    const peer_mesh *mesh;
    EmbreeTree tree;
    std::vector<std::unique_ptr<Judge>> judges;  // each thread takes one during a search
    size_t judges_taken = 0;
    std::mutex judges_lock;
    uint64_t search = 0;
    Judge all;
    explicit Embree(const peer_mesh *m) : mesh(m), tree(m, m->triangle_count, float_box_of), all(m) {}
};

bool overlap(const Box<float> &a, const Box<float> &b)
{
    return (a.lo[0] <= b.hi[0]) & (b.lo[0] <= a.hi[0]) & (a.lo[1] <= b.hi[1]) & (b.lo[1] <= a.hi[1]) & (a.lo[2] <= b.hi[2]) &
           (b.lo[2] <= a.hi[2]);
}

// The judge of the calling thread; the thread takes it when it gets its first pairs of a search.
Judge &judge_of_thread(Embree *e)
{
    static thread_local uint64_t search = 0;
    static thread_local Judge *judge = nullptr;
    if (search != e->search) {
        const std::lock_guard<std::mutex> guard(e->judges_lock);
        if (e->judges_taken == e->judges.size())
            e->judges.push_back(std::make_unique<Judge>(e->mesh));
        judge = e->judges[e->judges_taken++].get();
        judge->clear();
        search = e->search;
    }
    return *judge;
}

void take_pairs(void *context, RTCCollision *collisions, unsigned int count)
{
    Embree *e = static_cast<Embree *>(context);
    Judge &judge = judge_of_thread(e);
    for (unsigned int i = 0; i < count; i++) {
        const uint32_t a = collisions[i].primID0, b = collisions[i].primID1;
        if (a < b && overlap(e->tree.boxes[a], e->tree.boxes[b]))
            judge.add(a, b);
    }
}

void destroy(void *state)
{
    delete static_cast<Embree *>(state);
}

void *create(const peer_mesh *mesh, uint32_t threads, RTCBuildQuality quality)
{
    Embree *e = new Embree(mesh);
    if (e->tree.build(threads, quality))
        return e;
    destroy(e);
    return nullptr;
}

void *create_refit(const peer_mesh *mesh, uint32_t threads)
{
    return create(mesh, threads, RTC_BUILD_QUALITY_REFIT);
}

void *create_rebuild(const peer_mesh *mesh, uint32_t threads)
{
    return create(mesh, threads, RTC_BUILD_QUALITY_LOW);
}

void update(void *state)
{
    static_cast<Embree *>(state)->tree.update();
}

peer_answer search(void *state)
{
    static std::atomic<uint64_t> searches{0};
    Embree *e = static_cast<Embree *>(state);
    e->judges_taken = 0;
    e->search = ++searches;
    e->all.clear();
    rtcCollide(e->tree.scene, e->tree.scene, take_pairs, e);
    for (size_t i = 0; i < e->judges_taken; i++) {
        e->judges[i]->flush();
        e->all.take(*e->judges[i]);
    }
    return e->all.pairs();
}

size_t bytes(void *state)
{
    return static_cast<size_t>(static_cast<Embree *>(state)->tree.bytes.load());
}

}  // namespace

const peer peer_embree = {
    SNAG_INTERSECTIONS,
    "embree",
    RTC_VERSION_STRING,
    "rtcCollide on a refitted tree, then snag's exact test",
    true,
    true,
    create_refit,
    update,
    search,
    bytes,
    destroy,
};
const peer peer_embree_rebuild = {
    SNAG_INTERSECTIONS,
    "embree-rebuild",
    RTC_VERSION_STRING,
    "rtcCollide on a tree built anew each step, then snag's exact test",
    true,
    true,
    create_rebuild,
    update,
    search,
    bytes,
    destroy,
};
