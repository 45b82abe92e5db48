// Embree: a point query of radius 0 for each vertex over the boxes of tetrahedra, whose tree is refitted in each step; then snag's
// exact test. Embree uses float: boxes are rounded outward, and a rounded point stays in every box that contained it.
#include "embree_tree.hpp"
#include "tets.hpp"

namespace
{

struct Embree {
    const peer_mesh *mesh;
    EmbreeTree tree;
    Inside inside;
    uint32_t vertex = 0;  // of the current query
    float point[3];
    explicit Embree(const peer_mesh *m) : mesh(m), tree(m, m->tet_count, float_tet_box_of), inside(m) {}
};

// Leaves hold several tetrahedra: drop those whose own box does not contain the point.
bool take_tet(RTCPointQueryFunctionArguments *args)
{
    Embree *e = static_cast<Embree *>(args->userPtr);
    const Box<float> &box = e->tree.boxes[args->primID];
    bool holds = true;
    for (int k = 0; k < 3; k++)
        holds = holds & (box.lo[k] <= e->point[k]) & (e->point[k] <= box.hi[k]);
    if (holds)
        e->inside.add(e->vertex, args->primID);
    return false;
}

void destroy(void *state)
{
    delete static_cast<Embree *>(state);
}

void *create(const peer_mesh *mesh, uint32_t)
{
    Embree *e = new Embree(mesh);
    if (e->tree.build(1, RTC_BUILD_QUALITY_REFIT))
        return e;
    destroy(e);
    return nullptr;
}

void update(void *state)
{
    static_cast<Embree *>(state)->tree.update();
}

peer_answer search(void *state)
{
    Embree *e = static_cast<Embree *>(state);
    e->inside.clear();
    for (size_t v = 0; v < e->mesh->vertex_count; v++) {
        const double *x = e->mesh->positions[v];
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        RTCPointQuery query = {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]), 0, 0};
        e->vertex = static_cast<uint32_t>(v);
        e->point[0] = query.x;
        e->point[1] = query.y;
        e->point[2] = query.z;
        rtcPointQuery(e->tree.scene, &query, &context, take_tet, e);
    }
    return e->inside.pairs();
}

size_t bytes(void *state)
{
    return static_cast<size_t>(static_cast<Embree *>(state)->tree.bytes.load());
}

}  // namespace

const peer peer_embree_tets = {
    SNAG_PENETRATIONS,
    "embree",
    RTC_VERSION_STRING,
    "a point query for each vertex on a refitted tree of boxes, then snag's exact test",
    false,
    false,
    create,
    update,
    search,
    bytes,
    destroy,
};
