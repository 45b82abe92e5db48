// CGAL with its own exact predicates (EPICK), in two variants:
//
// `cgal-mesh` is Polygon_mesh_processing::self_intersections on a Surface_mesh, for manifold meshes only. It lists a face of zero
// area as a pair with itself; these pairs are dropped, since snag does not report them.
//
// `cgal` is box_self_intersection_d with do_intersect on any soup, under snag's rule for triangles that share vertices.
//
// With more than one thread both use CGAL's parallel version on TBB, if TBB was installed.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/version.h>

#ifdef CGAL_LINKED_WITH_TBB
#include <tbb/global_control.h>
#endif

#include "boxes.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace
{

namespace PMP = CGAL::Polygon_mesh_processing;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Mesh = CGAL::Surface_mesh<Point>;
using Corners = std::array<std::size_t, 3>;
using BoxOfTriangle = CGAL::Box_intersection_d::Box_with_info_d<double, 3, uint32_t>;

// Fewer boxes than this are not split further: CGAL's own choice in self_intersections.
constexpr std::ptrdiff_t CUTOFF = 2000;

struct Pair {
    uint32_t a, b;
};

struct Cgal {
    const peer_mesh *mesh;
    bool parallel;
    std::vector<Pair> pairs;
    std::mutex lock;
    std::vector<Point> points;
    std::vector<BoxOfTriangle> boxes;
    Mesh surface;
#ifdef CGAL_LINKED_WITH_TBB
    std::unique_ptr<tbb::global_control> limit;
#endif
    Cgal(const peer_mesh *m, uint32_t threads) : mesh(m), parallel(threads > 1)
    {
#ifdef CGAL_LINKED_WITH_TBB
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
#endif
    }
};

peer_answer pairs_of(const Cgal *c)
{
    return {reinterpret_cast<const uint32_t(*)[2]>(c->pairs.data()), c->pairs.size(), 0, 0};
}

void destroy(void *state)
{
    delete static_cast<Cgal *>(state);
}

// ---- any soup ----

Kernel::Triangle_3 triangle_of(const Cgal *c, const uint32_t *v)
{
    return Kernel::Triangle_3(c->points[v[0]], c->points[v[1]], c->points[v[2]]);
}

// Moves the shared corners to the front; returns their number.
int shared_first(uint32_t a[3], uint32_t b[3])
{
    int shared = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t *found = std::find(b + shared, b + 3, a[i]);
        if (found != b + 3) {
            std::swap(*found, b[shared]);
            std::swap(a[i], a[shared]);
            shared++;
        }
    }
    return shared;
}

bool intersect(const Cgal *c, uint32_t s, uint32_t t)
{
    uint32_t a[3], b[3];
    std::copy_n(c->mesh->triangles[s], 3, a);
    std::copy_n(c->mesh->triangles[t], 3, b);
    const std::vector<Point> &p = c->points;
    const int shared = shared_first(a, b);
    if (c->mesh->inflate > 0)
        return shared == 0;
    switch (shared) {
    case 0: return CGAL::do_intersect(triangle_of(c, a), triangle_of(c, b));
    case 1:
        return CGAL::do_intersect(Kernel::Segment_3(p[a[1]], p[a[2]]), triangle_of(c, b)) ||
               CGAL::do_intersect(Kernel::Segment_3(p[b[1]], p[b[2]]), triangle_of(c, a));
    case 2:
        return CGAL::coplanar(p[a[0]], p[a[1]], p[a[2]], p[b[2]]) &&
               CGAL::coplanar_orientation(p[a[0]], p[a[1]], p[a[2]], p[b[2]]) == CGAL::POSITIVE;
    default: return true;
    }
}

void update(void *state)
{
    Cgal *c = static_cast<Cgal *>(state);
    c->points.clear();
    for (size_t i = 0; i < c->mesh->vertex_count; i++)
        c->points.emplace_back(c->mesh->positions[i][0], c->mesh->positions[i][1], c->mesh->positions[i][2]);
    c->boxes.clear();
    for (size_t t = 0; t < c->mesh->triangle_count; t++) {
        const uint32_t *v = c->mesh->triangles[t];
        if (c->mesh->inflate == 0 && CGAL::collinear(c->points[v[0]], c->points[v[1]], c->points[v[2]]))
            continue;
        Box<double> box = box_of(c->mesh, t);
        c->boxes.emplace_back(box.lo, box.hi, static_cast<uint32_t>(t));
    }
}

void *create(const peer_mesh *mesh, uint32_t threads)
{
    Cgal *c = new Cgal(mesh, threads);
    update(c);
    return c;
}

void keep(Cgal *c, uint32_t a, uint32_t b)
{
    c->pairs.push_back({std::min(a, b), std::max(a, b)});
}

peer_answer search(void *state)
{
    Cgal *c = static_cast<Cgal *>(state);
    c->pairs.clear();
    std::vector<const BoxOfTriangle *> boxes;  // the library sorts these: pointers move faster
    for (const BoxOfTriangle &box : c->boxes)
        boxes.push_back(&box);
#ifdef CGAL_LINKED_WITH_TBB
    if (c->parallel) {
        CGAL::box_self_intersection_d<CGAL::Parallel_tag>(
            boxes.begin(), boxes.end(),
            [c](const BoxOfTriangle *a, const BoxOfTriangle *b) {
                if (intersect(c, a->info(), b->info())) {
                    const std::lock_guard<std::mutex> guard(c->lock);
                    keep(c, a->info(), b->info());
                }
            },
            CUTOFF);
        return pairs_of(c);
    }
#endif
    CGAL::box_self_intersection_d(
        boxes.begin(), boxes.end(),
        [c](const BoxOfTriangle *a, const BoxOfTriangle *b) {
            if (intersect(c, a->info(), b->info()))
                keep(c, a->info(), b->info());
        },
        CUTOFF);
    return pairs_of(c);
}

// ---- manifold meshes ----

void update_mesh(void *state)
{
    Cgal *c = static_cast<Cgal *>(state);
    for (size_t i = 0; i < c->mesh->vertex_count; i++)
        c->surface.point(Mesh::Vertex_index(static_cast<uint32_t>(i))) =
            Point(c->mesh->positions[i][0], c->mesh->positions[i][1], c->mesh->positions[i][2]);
}

void *create_mesh(const peer_mesh *mesh, uint32_t threads)
{
    std::vector<Corners> triangles;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        triangles.push_back({mesh->triangles[t][0], mesh->triangles[t][1], mesh->triangles[t][2]});
    if (!PMP::is_polygon_soup_a_polygon_mesh(triangles))
        return nullptr;
    Cgal *c = new Cgal(mesh, threads);
    PMP::polygon_soup_to_polygon_mesh(std::vector<Point>(mesh->vertex_count), triangles, c->surface);
    update_mesh(c);
    return c;
}

peer_answer search_mesh(void *state)
{
    Cgal *c = static_cast<Cgal *>(state);
    c->pairs.clear();
    std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> found;
#ifdef CGAL_LINKED_WITH_TBB
    if (c->parallel)
        PMP::self_intersections<CGAL::Parallel_tag>(c->surface, std::back_inserter(found));
    else
#endif
        PMP::self_intersections(c->surface, std::back_inserter(found));
    for (auto &pair : found)
        if (pair.first != pair.second)
            keep(c, pair.first, pair.second);
    return pairs_of(c);
}

#ifdef CGAL_LINKED_WITH_TBB
constexpr bool has_threads = true;
#else
constexpr bool has_threads = false;
#endif

}  // namespace

const peer peer_cgal = {
    SNAG_INTERSECTIONS,
    "cgal",
    CGAL_VERSION_STR,
    "box_self_intersection_d, then do_intersect",
    has_threads,
    true,
    create,
    update,
    search,
    nullptr,
    destroy,
};
const peer peer_cgal_mesh = {
    SNAG_INTERSECTIONS, "cgal-mesh", CGAL_VERSION_STR, "Polygon_mesh_processing::self_intersections",
    has_threads,        false,       create_mesh,      update_mesh,
    search_mesh,        nullptr,     destroy,
};
