// CGAL: box_intersection_d of vertices and boxes of tetrahedra, then CGAL's own exact test (EPICK).
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/version.h>

#include "tets.hpp"

namespace
{

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using BoxWithNumber = CGAL::Box_intersection_d::Box_with_info_d<double, 3, uint32_t>;

struct Cgal {
    const peer_mesh *mesh;
    std::vector<Point> points;
    std::vector<BoxWithNumber> vertices, tets;
    Inside inside;
    explicit Cgal(const peer_mesh *m) : mesh(m), inside(m) {}
};

void update(void *state)
{
    Cgal *c = static_cast<Cgal *>(state);
    c->points.clear();
    c->vertices.clear();
    c->tets.clear();
    for (size_t v = 0; v < c->mesh->vertex_count; v++) {
        const double *x = c->mesh->positions[v];
        double lo[3] = {x[0], x[1], x[2]}, hi[3] = {x[0], x[1], x[2]};
        c->points.emplace_back(x[0], x[1], x[2]);
        c->vertices.emplace_back(lo, hi, static_cast<uint32_t>(v));
    }
    for (size_t t = 0; t < c->mesh->tet_count; t++) {
        Box<double> box = tet_box_of(c->mesh, t);
        c->tets.emplace_back(box.lo, box.hi, static_cast<uint32_t>(t));
    }
}

void *create(const peer_mesh *mesh, uint32_t)
{
    Cgal *c = new Cgal(mesh);
    update(c);
    return c;
}

void judge(Cgal *c, uint32_t vertex, uint32_t tet)
{
    if (is_corner(c->mesh, vertex, tet))
        return;
    const uint32_t *v = c->mesh->tets[tet];
    const Kernel::Tetrahedron_3 whole(c->points[v[0]], c->points[v[1]], c->points[v[2]], c->points[v[3]]);
    // A flat tetrahedron contains nothing.
    if (!whole.is_degenerate() && !whole.has_on_unbounded_side(c->points[vertex]))
        c->inside.keep(vertex, tet);
}

peer_answer search(void *state)
{
    Cgal *c = static_cast<Cgal *>(state);
    c->inside.clear();
    std::vector<const BoxWithNumber *> vertices, tets;  // the library sorts these: pointers move faster
    for (const BoxWithNumber &box : c->vertices)
        vertices.push_back(&box);
    for (const BoxWithNumber &box : c->tets)
        tets.push_back(&box);
    CGAL::box_intersection_d(vertices.begin(), vertices.end(), tets.begin(), tets.end(),
                             [c](const BoxWithNumber *vertex, const BoxWithNumber *tet) { judge(c, vertex->info(), tet->info()); });
    return c->inside.pairs();
}

void destroy(void *state)
{
    delete static_cast<Cgal *>(state);
}

}  // namespace

const peer peer_cgal_tets = {
    SNAG_PENETRATIONS,
    "cgal",
    CGAL_VERSION_STR,
    "box_intersection_d of vertices and tetrahedra, then its own exact test",
    false,
    false,
    create,
    update,
    search,
    nullptr,
    destroy,
};
