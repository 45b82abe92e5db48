// Shared by both Embree adapters: a device, and a scene with one user geometry that has one box per element.
#ifndef SNAG_BENCH_EMBREE_TREE_HPP
#define SNAG_BENCH_EMBREE_TREE_HPP

#include "boxes.hpp"

#include <embree3/rtcore.h>

#include <atomic>
#include <string>
#include <vector>

struct EmbreeTree {
    const peer_mesh *mesh;
    Box<float> (*box_of_element)(const peer_mesh *mesh, size_t element);  // rounded outward
    std::vector<Box<float>> boxes;
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;
    std::atomic<ssize_t> bytes{0};

    EmbreeTree(const peer_mesh *m, size_t elements, Box<float> (*box_of)(const peer_mesh *, size_t)) : mesh(m), box_of_element(box_of), boxes(elements) {}
    EmbreeTree(const EmbreeTree &) = delete;
    EmbreeTree &operator=(const EmbreeTree &) = delete;

    ~EmbreeTree()
    {
        if (geometry)
            rtcReleaseGeometry(geometry);
        if (scene)
            rtcReleaseScene(scene);
        if (device)
            rtcReleaseDevice(device);
    }

    // False: Embree failed.
    bool build(uint32_t threads, RTCBuildQuality quality)
    {
        device = rtcNewDevice(("threads=" + std::to_string(threads)).c_str());
        if (!device)
            return false;
        rtcSetDeviceMemoryMonitorFunction(device, count_bytes, this);
        scene = rtcNewScene(device);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry, quality);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned int>(boxes.size()));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, write_bounds, nullptr);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
        return rtcGetDeviceError(device) == RTC_ERROR_NONE;
    }

    void update()
    {
        rtcCommitGeometry(geometry);
        rtcCommitScene(scene);
    }

private:
    static void write_bounds(const RTCBoundsFunctionArguments *args)
    {
        EmbreeTree *tree = static_cast<EmbreeTree *>(args->geometryUserPtr);
        const Box<float> &box = tree->boxes[args->primID] = tree->box_of_element(tree->mesh, args->primID);
        *args->bounds_o = {box.lo[0], box.lo[1], box.lo[2], 0, box.hi[0], box.hi[1], box.hi[2], 0};
    }

    static bool count_bytes(void *context, ssize_t bytes, bool)
    {
        static_cast<EmbreeTree *>(context)->bytes += bytes;
        return true;
    }
};

#endif
