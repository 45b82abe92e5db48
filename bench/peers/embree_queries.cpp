// Closest points and rays of snag beside Embree's rtcPointQuery and rtcIntersect1, on one refitted tree each, in one thread.
//
//     bench_queries [queries, default 1000000] [triangles, default 100000]
//
// Both build their trees for a sphere, which then takes on waves: trees are refitted, not rebuilt. Embree's scene is robust and dynamic, its
// geometry of build quality REFIT; rays and points are given to it one by one, in the order that snag gets them. Times are processor time, the least of
// interleaved repetitions, with everything in them that a caller waits for (snag: checks, sorting, refitted already; Embree: callbacks). Answers are compared:
// Embree's are of floats, so that a few differ.
#include "snag/snag.h"

#include <embree3/rtcore.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <vector>

namespace
{

double seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

uint64_t state = 1;

double random_unit()
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
}

double random_in(double low, double high)
{
    return low + (high - low) * random_unit();
}

void check(snag_status status, const snag_world *world)
{
    if (status == SNAG_OK)
        return;
    std::fprintf(stderr, "bench_queries: %s: %s\n", snag_status_name(status), snag_world_message(world));
    std::exit(2);
}

struct Vec {
    float x, y, z;
};

Vec operator-(Vec a, Vec b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

Vec operator+(Vec a, Vec b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

Vec operator*(float s, Vec a)
{
    return {s * a.x, s * a.y, s * a.z};
}

float dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The closest point by the regions of the triangle: vertices, edges, inside.
Vec closest_on_triangle(Vec p, Vec a, Vec b, Vec c)
{
    Vec ab = b - a, ac = c - a, ap = p - a;
    float d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return a;
    Vec bp = p - b;
    float d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
        return b;
    Vec cp = p - c;
    float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
        return c;
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return a + (d1 / (d1 - d3)) * ab;
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return a + (d2 / (d2 - d6)) * ac;
    float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b);
    float inverse = 1 / (va + vb + vc);
    return a + (vb * inverse) * ab + (vc * inverse) * ac;
}

struct Embree {
    RTCDevice device = rtcNewDevice("threads=1");
    RTCScene scene = rtcNewScene(device);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *x = nullptr;
    uint32_t *t = nullptr;

    void build(const snag_shape &shape)
    {
        rtcSetSceneFlags(scene, static_cast<RTCSceneFlags>(RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC));
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
        rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
        x = static_cast<float *>(
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, shape.vertex_count));
        t = static_cast<uint32_t *>(
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, shape.triangle_count));
        for (size_t i = 0; i < 3 * shape.triangle_count; i++)
            t[i] = shape.triangles[i];
        update(shape);
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
    }

    void update(const snag_shape &shape)
    {
        for (size_t i = 0; i < 3 * shape.vertex_count; i++)
            x[i] = static_cast<float>(shape.positions[i]);
        rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(geometry);
        rtcCommitScene(scene);
    }

    Vec vertex(uint32_t v) const { return {x[3 * v], x[3 * v + 1], x[3 * v + 2]}; }

    ~Embree()
    {
        rtcReleaseGeometry(geometry);
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }
};

struct PointResult {
    const Embree *embree;
    uint32_t triangle;
    float distance;
};

bool visit(RTCPointQueryFunctionArguments *args)
{
    PointResult *result = static_cast<PointResult *>(args->userPtr);
    const uint32_t *t = result->embree->t + 3 * static_cast<size_t>(args->primID);
    Vec p = {args->query->x, args->query->y, args->query->z};
    Vec d = closest_on_triangle(p, result->embree->vertex(t[0]), result->embree->vertex(t[1]), result->embree->vertex(t[2])) - p;
    float distance = std::sqrt(dot(d, d));
    if (distance >= args->query->radius)
        return false;
    args->query->radius = distance;
    result->distance = distance;
    result->triangle = args->primID;
    return true;
}

struct Bench {
    snag_world *world = nullptr;
    snag_body_id body{};
    Embree embree;
    snag_shape shape{};
    size_t count;
    std::vector<float> points;
    std::vector<snag_ray> rays;
    std::vector<snag_closest> closest;
    std::vector<snag_hit> hits;
    std::vector<PointResult> peer_points;
    std::vector<RTCRayHit> peer_hits;
};

void make_scene(Bench &bench, size_t triangles)
{
    uint32_t segments = static_cast<uint32_t>(std::lround(std::sqrt(static_cast<double>(triangles) / 2)));
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    check(snag_world_create(&def, &bench.world), bench.world);
    check(snag_shape_sphere(segments, segments + 1, 1, &bench.shape), bench.world);
    for (size_t i = 0; i < 3 * bench.shape.vertex_count; i++)
        bench.shape.positions[i] = static_cast<double>(static_cast<float>(bench.shape.positions[i]));
    snag_body_def body = snag_default_body_def();
    body.positions = snag_positions_f64(bench.shape.positions, bench.shape.vertex_count);
    body.triangles = bench.shape.triangles;
    body.triangle_count = bench.shape.triangle_count;
    check(snag_world_add(bench.world, &body, &bench.body), bench.world);
    bench.embree.build(bench.shape);
    // The trees are made here; one query makes snag's.
    snag_closest_def ask = snag_default_closest_def();
    const double origin[3] = {0, 0, 0};
    snag_closest result;
    check(snag_world_closest(bench.world, &ask, snag_positions_f64(origin, 1), &result, nullptr), bench.world);
    for (size_t v = 0; v < bench.shape.vertex_count; v++) {
        double *x = bench.shape.positions + 3 * v;
        double wave = 1 + 0.15 * std::sin(7 * x[0]) * std::cos(5 * x[1] + 3 * x[2]);
        for (int k = 0; k < 3; k++)
            x[k] = static_cast<double>(static_cast<float>(x[k] * wave));
    }
    check(snag_world_move(bench.world, bench.body, snag_positions_f64(bench.shape.positions, bench.shape.vertex_count)),
          bench.world);
    double before = seconds();
    check(snag_world_closest(bench.world, &ask, snag_positions_f64(origin, 1), &result, nullptr), bench.world);
    double between = seconds();
    bench.embree.update(bench.shape);
    std::printf("%zu triangles; refit: snag %.2f ms, Embree %.2f ms\n", bench.shape.triangle_count, 1e3 * (between - before),
                1e3 * (seconds() - between));
}

double closest_by_snag(Bench &bench)
{
    snag_closest_def def = snag_default_closest_def();
    double before = seconds();
    check(
        snag_world_closest(bench.world, &def, snag_positions_f32(bench.points.data(), bench.count), bench.closest.data(), nullptr),
        bench.world);
    return seconds() - before;
}

double closest_by_embree(Bench &bench)
{
    double before = seconds();
    for (size_t i = 0; i < bench.count; i++) {
        const float *p = &bench.points[3 * i];
        RTCPointQuery query = {p[0], p[1], p[2], 0, std::numeric_limits<float>::infinity()};
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        bench.peer_points[i] = {&bench.embree, UINT32_MAX, 0};
        rtcPointQuery(bench.embree.scene, &query, &context, visit, &bench.peer_points[i]);
    }
    return seconds() - before;
}

double cast_by_snag(Bench &bench)
{
    snag_cast_def def = snag_default_cast_def();
    double before = seconds();
    check(snag_world_cast(bench.world, &def, bench.rays.data(), bench.count, bench.hits.data(), nullptr), bench.world);
    return seconds() - before;
}

double cast_by_embree(Bench &bench)
{
    double before = seconds();
    for (size_t i = 0; i < bench.count; i++) {
        const snag_ray &ray = bench.rays[i];
        RTCRayHit &hit = bench.peer_hits[i];
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        hit.ray = {static_cast<float>(ray.origin[0]),
                   static_cast<float>(ray.origin[1]),
                   static_cast<float>(ray.origin[2]),
                   0,
                   static_cast<float>(ray.direction[0]),
                   static_cast<float>(ray.direction[1]),
                   static_cast<float>(ray.direction[2]),
                   0,
                   std::numeric_limits<float>::infinity(),
                   UINT32_MAX,
                   0,
                   0};
        hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        hit.hit.primID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(bench.embree.scene, &context, &hit);
    }
    return seconds() - before;
}

constexpr int repeats = 3;

void compare(Bench &bench, const char *what, double (*snag)(Bench &), double (*embree)(Bench &), size_t (*differ)(const Bench &))
{
    double mine = DBL_MAX, theirs = DBL_MAX;
    for (int i = 0; i < repeats; i++) {
        mine = std::fmin(mine, snag(bench));
        theirs = std::fmin(theirs, embree(bench));
    }
    double per = 1e9 / static_cast<double>(bench.count);
    std::printf("%-34s snag %7.0f ns   Embree %7.0f ns   snag / Embree %.2f   other triangle %zu of %zu\n", what, mine * per,
                theirs * per, mine / theirs, differ(bench), bench.count);
}

// Other triangles at another distance: ties between neighbours do not count.
size_t points_differ(const Bench &bench)
{
    size_t count = 0;
    for (size_t i = 0; i < bench.count; i++)
        count += std::fabs(bench.closest[i].distance - static_cast<double>(bench.peer_points[i].distance)) >
                 1e-5 * (1 + bench.closest[i].distance);
    return count;
}

size_t hits_differ(const Bench &bench)
{
    size_t count = 0;
    for (size_t i = 0; i < bench.count; i++) {
        bool hit = bench.hits[i].body.index != 0, peer = bench.peer_hits[i].hit.geomID != RTC_INVALID_GEOMETRY_ID;
        count += hit != peer || (hit && std::fabs(bench.hits[i].t - static_cast<double>(bench.peer_hits[i].ray.tfar)) > 1e-4);
    }
    return count;
}

void make_points(Bench &bench, double spread)
{
    for (size_t i = 0; i < bench.count; i++) {
        const double *x =
            bench.shape.positions + 3 * static_cast<size_t>(random_unit() * static_cast<double>(bench.shape.vertex_count));
        for (size_t k = 0; k < 3; k++)
            bench.points[3 * i + k] = static_cast<float>(spread > 0 ? x[k] + random_in(-spread, spread) : random_in(-1.5, 1.5));
    }
}

void make_rays(Bench &bench, bool camera)
{
    size_t width = static_cast<size_t>(std::sqrt(static_cast<double>(bench.count)));
    for (size_t i = 0; i < bench.count; i++) {
        snag_ray &ray = bench.rays[i];
        ray.limit = INFINITY;
        if (camera) {
            double u = static_cast<double>(i % width) / static_cast<double>(width),
                   v = static_cast<double>(i / width) / static_cast<double>(width);
            double direction[3] = {1.2 * (u - 0.5), 1.2 * (v - 0.5), -1};
            for (int k = 0; k < 3; k++) {
                ray.origin[k] = k == 2 ? 3 : 0;
                ray.direction[k] = static_cast<double>(static_cast<float>(direction[k]));
            }
            continue;
        }
        for (int k = 0; k < 3; k++) {
            ray.origin[k] = static_cast<double>(static_cast<float>(random_in(-1.5, 1.5)));
            ray.direction[k] = static_cast<double>(static_cast<float>(random_in(-1, 1)));
        }
    }
}

}  // namespace

int main(int argc, char **argv)
{
    Bench bench;
    bench.count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
    make_scene(bench, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100000);
    bench.points.resize(3 * bench.count);
    bench.rays.resize(bench.count);
    bench.closest.resize(bench.count);
    bench.hits.resize(bench.count);
    bench.peer_points.resize(bench.count);
    bench.peer_hits.resize(bench.count);
    make_points(bench, 0);
    compare(bench, "closest, anywhere in the box", closest_by_snag, closest_by_embree, points_differ);
    make_points(bench, 0.02);
    compare(bench, "closest, near the surface", closest_by_snag, closest_by_embree, points_differ);
    make_rays(bench, false);
    compare(bench, "first hit, any origin and direction", cast_by_snag, cast_by_embree, hits_differ);
    make_rays(bench, true);
    compare(bench, "first hit, from a camera", cast_by_snag, cast_by_embree, hits_differ);
    snag_world_destroy(bench.world);
    snag_shape_free(&bench.shape);
    return 0;
}
