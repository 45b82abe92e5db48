// Compares snag's triangle kernel with CGAL's do_intersect with exact predicates, one thread, in one run:
//     build-bench/cgal_triangles [MESH]
// on the triangle pairs of a mesh that share no vertex and whose boxes overlap (default: frame 92 of cloth-ball in SNAG_DATA). CGAL
// gets ready-made triangles; snag makes its own from the mesh in each round. Both take turns. Prints the ratio of the best times
// and the median of the ratios of each round.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/intersections.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "candidates.h"

extern "C" {
#include "geom/geom.h"
#include "geom/triangle_kernel.h"
}

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

static double seconds()  // processor time of this thread
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

static std::vector<Kernel::Triangle_3> triangles_of(const candidates &c)
{
    std::vector<Kernel::Triangle_3> triangles;
    for (size_t t = 0; t < c.triangle_count; t++) {
        Kernel::Point_3 corner[3];
        for (int i = 0; i < 3; i++) {
            const double *x = c.positions[c.triangles[t][i]];
            corner[i] = Kernel::Point_3(x[0], x[1], x[2]);
        }
        triangles.emplace_back(corner[0], corner[1], corner[2]);
    }
    return triangles;
}

struct alignas(64) near_line {
    snag__f32_triangle triangle;
};

// The largest absolute coordinate.
static double reach_of(const candidates &c)
{
    double reach = 0;
    for (size_t v = 0; v < c.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            reach = std::max(reach, std::abs(c.positions[v][k]));
    return reach;
}

int main(int argc, char **argv)
{
    const char *data = std::getenv("SNAG_DATA");
    std::string path = std::string(data ? data : "../shared/data") + "/ccd_scenes/cloth-ball/frames/cloth_ball92.ply";
    candidates c;
    if (!candidates_read(argc > 1 ? argv[1] : path.c_str(), &c))
        return 2;
    const std::vector<Kernel::Triangle_3> triangles = triangles_of(c);
    const size_t count = c.unshared_count;
    std::vector<uint8_t> meeting(count);
    snag__triangle_pairs pairs = {};
    pairs.x_a = pairs.x_b = c.positions;
    pairs.triangles_a = pairs.triangles_b = c.triangles;
    pairs.pairs = c.pairs;
    pairs.count = count;
    pairs.same_body = false;  // as in CGAL: touching counts, nothing is shared
    const snag__triangle_kernels *kernels = snag__triangle_kernels_for(snag__isa_best());
    const snag__f32_filter_kernels *near_kernels = snag__f32_filter_kernels_for(snag__isa_best());
    const double centre[3] = {};
    std::vector<near_line> near(c.triangle_count);
    const snag__f32_pairs near_pairs = {&near[0].triangle, &near[0].triangle, snag__f32_rounding(reach_of(c)), false};
    pairs.near = &near_pairs;

    constexpr int repeats = 21;
    double best_snag = 1e300, best_cgal = 1e300;
    std::vector<double> ratios;
    size_t found_cgal = 0, exact = 0;
    for (int repeat = 0; repeat < repeats; repeat++) {
        const double start = seconds();
        near_kernels->fill(c.positions, c.triangles, c.triangle_count, centre, &near[0].triangle);
        exact = kernels->meet(&pairs, meeting.data());
        const double between = seconds();
        found_cgal = 0;
        for (size_t i = 0; i < count; i++)
            found_cgal += CGAL::do_intersect(triangles[c.pairs[i][0]], triangles[c.pairs[i][1]]);
        const double end = seconds();
        best_snag = std::min(best_snag, between - start);
        best_cgal = std::min(best_cgal, end - between);
        ratios.push_back((end - between) / (between - start));
    }
    std::nth_element(ratios.begin(), ratios.begin() + repeats / 2, ratios.end());
    size_t found_snag = count - static_cast<size_t>(std::count(meeting.begin(), meeting.end(), uint8_t(SNAG__APART)));
    std::printf("%zu pairs; snag (%s): %zu meet, %.1f M/s, %.3f %% exact; cgal: %zu meet, %.1f M/s; ratio %.2f (median %.2f)\n",
                count, snag_isa_name(snag__isa_best()), found_snag, 1e-6 * count / best_snag, 100.0 * exact / count, found_cgal,
                1e-6 * count / best_cgal, best_cgal / best_snag, ratios[repeats / 2]);
    candidates_free(&c);
    return found_snag == found_cgal ? 0 : 1;
}
