// Checks that snag and CGAL find the same pairs of intersecting triangles in mesh files.
//
// CGAL judges in two ways, both with exact predicates: Polygon_mesh_processing::self_intersections if the file is a manifold mesh,
// and for every file box_self_intersection_d with do_intersect under snag's rule for triangles that share vertices (docs/words.md).
// CGAL lists a face of zero area as a pair with itself; snag counts it as degenerate instead.
//
// usage: cgal_agree [--most TRIANGLES] FILE...      exit 0: all agree
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/box_intersection_d.h>

#include "snag/io.h"
#include "snag/snag.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace PMP = CGAL::Polygon_mesh_processing;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Corners = std::array<std::size_t, 3>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, std::size_t>;

struct Soup {
    std::vector<Point> points;
    std::vector<Corners> triangles;
};

static Kernel::Triangle_3 triangle_of(const Soup &soup, std::size_t t)
{
    const Corners &c = soup.triangles[t];
    return Kernel::Triangle_3(soup.points[c[0]], soup.points[c[1]], soup.points[c[2]]);
}

// Moves the shared corners to the front; returns their number.
static int shared_first(Corners &a, Corners &b)
{
    int shared = 0;
    for (int i = 0; i < 3; i++)
        for (int j = shared; j < 3; j++)
            if (shared < 3 && i >= shared && a[i] == b[j]) {
                std::swap(a[shared], a[i]);
                std::swap(b[shared], b[j]);
                shared++;
                break;
            }
    return shared;
}

static bool intersect(const Soup &soup, std::size_t s, std::size_t t)
{
    Corners a = soup.triangles[s], b = soup.triangles[t];
    int shared = shared_first(a, b);
    auto p = [&](std::size_t v) -> const Point & { return soup.points[v]; };
    switch (shared) {
    case 0: return CGAL::do_intersect(triangle_of(soup, s), triangle_of(soup, t));
    case 1:
        return CGAL::do_intersect(Kernel::Segment_3(p(a[1]), p(a[2])), triangle_of(soup, t)) ||
               CGAL::do_intersect(Kernel::Segment_3(p(b[1]), p(b[2])), triangle_of(soup, s));
    case 2:
        return CGAL::coplanar(p(a[0]), p(a[1]), p(a[2]), p(b[2])) &&
               CGAL::coplanar_orientation(p(a[0]), p(a[1]), p(a[2]), p(b[2])) == CGAL::POSITIVE;
    default: return true;
    }
}

static Pairs pairs_of_boxes(const Soup &soup)
{
    std::vector<Box> boxes;
    for (std::size_t t = 0; t < soup.triangles.size(); t++)
        if (!triangle_of(soup, t).is_degenerate())
            boxes.emplace_back(triangle_of(soup, t).bbox(), t);
    Pairs pairs;
    CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [&](const Box &a, const Box &b) {
        if (intersect(soup, a.info(), b.info()))
            pairs.emplace_back(std::min(a.info(), b.info()), std::max(a.info(), b.info()));
    });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// Pairs found by CGAL's own function; false if the soup is not a manifold mesh.
static bool pairs_of_mesh(const Soup &soup, Pairs &pairs)
{
    if (!PMP::is_polygon_soup_a_polygon_mesh(soup.triangles))
        return false;
    CGAL::Surface_mesh<Point> mesh;
    PMP::polygon_soup_to_polygon_mesh(soup.points, soup.triangles, mesh);
    std::vector<std::pair<CGAL::SM_Face_index, CGAL::SM_Face_index>> found;
    PMP::self_intersections(mesh, std::back_inserter(found));
    for (auto &pair : found)
        if (pair.first != pair.second)
            pairs.emplace_back(std::min<std::size_t>(pair.first, pair.second), std::max<std::size_t>(pair.first, pair.second));
    std::sort(pairs.begin(), pairs.end());
    return true;
}

// Loads all bodies of a file as one soup, and asks snag about the same soup.
static bool load(const char *path, Soup &soup, Pairs &pairs)
{
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_read_mesh(path, &mesh, &error) != SNAG_OK) {
        std::fprintf(stderr, "%s\n", error.message);
        return false;
    }
    snag_world_def world_def = snag_default_world_def();
    snag_world *world = nullptr;
    snag_world_create(&world_def, &world);
    std::vector<std::size_t> first_triangle, body_of_id;
    bool good = true;
    for (std::size_t i = 0; i < mesh.body_count && good; i++) {
        const snag_io_body &body = mesh.bodies[i];
        snag_body_id id;
        snag_body_info info;
        good = snag_io_add_body(world, &body, &id) == SNAG_OK && snag_world_body(world, id, &info) == SNAG_OK;
        std::size_t first_vertex = soup.points.size();
        first_triangle.push_back(soup.triangles.size());
        for (std::size_t v = 0; good && v < body.vertex_count; v++)
            soup.points.emplace_back(body.positions[3 * v], body.positions[3 * v + 1], body.positions[3 * v + 2]);
        for (std::size_t t = 0; good && t < info.triangle_count; t++)
            soup.triangles.push_back({first_vertex + info.triangles[3 * t], first_vertex + info.triangles[3 * t + 1],
                                      first_vertex + info.triangles[3 * t + 2]});
    }
    const snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *answer = nullptr;
    good = good && snag_world_ask(world, &ask, &answer) == SNAG_OK;
    for (std::size_t i = 0; good && i < answer->count; i++) {
        const snag_contact &c = answer->contacts[i];
        std::size_t a = first_triangle[c.body_a.index - 1] + c.a.index, b = first_triangle[c.body_b.index - 1] + c.b.index;
        pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
    std::sort(pairs.begin(), pairs.end());
    if (!good)
        std::fprintf(stderr, "%s: %s\n", path, snag_world_message(world));
    snag_world_destroy(world);
    snag_io_mesh_free(&mesh);
    return good;
}

int main(int argc, char **argv)
{
    std::size_t most = SIZE_MAX;
    int passed = 0, failed = 0, skipped = 0;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--most") == 0 && i + 1 < argc) {
            most = std::strtoull(argv[++i], nullptr, 10);
            continue;
        }
        Soup soup;
        Pairs ours;
        if (!load(argv[i], soup, ours)) {
            failed++;
            continue;
        }
        if (soup.triangles.size() > most) {
            std::printf("skipped  %s: %zu triangles\n", argv[i], soup.triangles.size());
            skipped++;
            continue;
        }
        Pairs boxes = pairs_of_boxes(soup), mesh;
        bool manifold = pairs_of_mesh(soup, mesh);
        bool agree = ours == boxes && (!manifold || ours == mesh);
        std::printf("%s %s: %zu triangles, snag %zu pairs, CGAL %zu%s\n", agree ? "agree   " : "DISAGREE", argv[i],
                    soup.triangles.size(), ours.size(), boxes.size(),
                    manifold ? (", self_intersections " + std::to_string(mesh.size())).c_str() : ", not a manifold mesh");
        agree ? passed++ : failed++;
    }
    std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}
