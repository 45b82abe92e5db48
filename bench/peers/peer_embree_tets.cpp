// Embree: a point query of radius 0 for each vertex over boxes of tetrahedra, whose tree is refitted in each step; then snag's
// exact test. Embree works in float: boxes are rounded outward, and rounding a point keeps it in the boxes that held it.
#include "tets.hpp"

#include <embree3/rtcore.h>

#include <atomic>

namespace {

struct Embree {
    const peer_mesh *mesh;
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;
    std::vector<Box<float>> boxes;
    std::atomic<ssize_t> bytes{0};
    Inside inside;
    uint32_t vertex = 0;  // that is asked about
    float point[3];
    explicit Embree(const peer_mesh *m) : mesh(m), boxes(m->tet_count), inside(m) {}
};

void write_bounds(const RTCBoundsFunctionArguments *args)
{
    Embree *e = static_cast<Embree *>(args->geometryUserPtr);
    const Box<float> &box = e->boxes[args->primID] = float_tet_box_of(e->mesh, args->primID);
    *args->bounds_o = {box.lo[0], box.lo[1], box.lo[2], 0, box.hi[0], box.hi[1], box.hi[2], 0};
}

// Leaves hold several tetrahedra: those whose own box does not hold the point are dropped at once.
bool take_tet(RTCPointQueryFunctionArguments *args)
{
    Embree *e = static_cast<Embree *>(args->userPtr);
    const Box<float> &box = e->boxes[args->primID];
    bool holds = true;
    for (int k = 0; k < 3; k++)
        holds = holds & (box.lo[k] <= e->point[k]) & (e->point[k] <= box.hi[k]);
    if (holds)
        e->inside.add(e->vertex, args->primID);
    return false;
}

bool count_bytes(void *context, ssize_t bytes, bool)
{
    static_cast<Embree *>(context)->bytes += bytes;
    return true;
}

void destroy(void *state)
{
    Embree *e = static_cast<Embree *>(state);
    if (e->geometry)
        rtcReleaseGeometry(e->geometry);
    if (e->scene)
        rtcReleaseScene(e->scene);
    if (e->device)
        rtcReleaseDevice(e->device);
    delete e;
}

void *create(const peer_mesh *mesh, uint32_t)
{
    Embree *e = new Embree(mesh);
    e->device = rtcNewDevice("threads=1");
    if (!e->device) {
        destroy(e);
        return nullptr;
    }
    rtcSetDeviceMemoryMonitorFunction(e->device, count_bytes, e);
    e->scene = rtcNewScene(e->device);
    rtcSetSceneFlags(e->scene, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(e->scene, RTC_BUILD_QUALITY_LOW);
    e->geometry = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(e->geometry, RTC_BUILD_QUALITY_REFIT);
    rtcSetGeometryUserPrimitiveCount(e->geometry, static_cast<unsigned int>(mesh->tet_count));
    rtcSetGeometryUserData(e->geometry, e);
    rtcSetGeometryBoundsFunction(e->geometry, write_bounds, nullptr);
    rtcCommitGeometry(e->geometry);
    rtcAttachGeometry(e->scene, e->geometry);
    rtcCommitScene(e->scene);
    if (rtcGetDeviceError(e->device) == RTC_ERROR_NONE)
        return e;
    destroy(e);
    return nullptr;
}

void update(void *state)
{
    Embree *e = static_cast<Embree *>(state);
    rtcCommitGeometry(e->geometry);
    rtcCommitScene(e->scene);
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
        rtcPointQuery(e->scene, &query, &context, take_tet, e);
    }
    return e->inside.pairs();
}

size_t bytes(void *state)
{
    return static_cast<size_t>(static_cast<Embree *>(state)->bytes.load());
}

}  // namespace

const peer peer_embree_tets = {
    SNAG_PENETRATIONS, "embree", RTC_VERSION_STRING, "a point query for each vertex on a refitted tree of boxes, then snag's exact test", false, false,
    create, update, search, bytes, destroy,
};
