// Points and rays: trees over the elements of all bodies, and searches in them. The public side is snag/queries.h; the world
// checks arguments and calls what is declared here.
//
//     snag__probe_update      builds or refits the trees for the present positions
//     snag__probe_closest ... answer a block of queries; tasks call them at the same time
#ifndef SNAG_PROBE_PROBE_H
#define SNAG_PROBE_PROBE_H

#include "base/parallel.h"
#include "bound/bvh.h"
#include "geom/ray.h"
#include "probe/cast_tree.h"
#include "snag/queries.h"

// A body that queries are put to.
typedef struct snag__probe_body {
    const snag__mesh *mesh;
    snag_body_id id;
    uint64_t pose, topology;  // stamps of its positions and elements
} snag__probe_body;

// What a body encloses: a property of its topology.
typedef struct snag__probe_enclosure {
    size_t open_edges;  // edges with an odd number of triangles
    size_t unbalanced_edges;  // edges walked more often one way than the other
} snag__probe_enclosure;

// Three corners of each slot in the order of the leaves: x, y and z of the first corner of the 16 slots of leaf 0, then of the second and
// the third; then leaf 1. So a kernel loads whole vectors.
enum { SNAG__LEAF_CORNERS = 9 * SNAG__LEAF_ELEMENTS };

// The elements of one kind: a tree for each body that has such elements.
typedef struct snag__probe_set {
    snag__bvh bvh;
    uint32_t *body_of;  // by tree: index into the bodies
    uint32_t *tree_of;  // by body: its tree; UINT32_MAX: it has none
    double
        *corners;  // by leaf: SNAG__LEAF_CORNERS; not of tetrahedra. A vertex stands there three times, an edge's second end twice
    uint16_t *valid;  // by leaf: bit i: slot i holds an element that takes part
    uint64_t *refits;  // by tree: stamp of the bounds that corners and valid are of
    uint64_t builds;  // stamp of the trees that all of this is of
    snag__cast_tree cast;  // of triangles: the same for rays, where snag__probe_update_rays was called
    snag__buffer memory[6];
} snag__probe_set;

// Triangles; rods; points at which no rod ends; vertices of clouds; tetrahedra.
enum { SNAG__PROBE_TRIANGLES, SNAG__PROBE_RODS, SNAG__PROBE_POINTS, SNAG__PROBE_CLOUDS, SNAG__PROBE_TETS, SNAG__PROBE_SETS };

// Zero: empty. Kept by the world from query to query.
typedef struct snag__probe {
    snag__probe_set sets[SNAG__PROBE_SETS];
    snag__probe_body *bodies;
    uint32_t body_count;
    snag__probe_enclosure *enclosures;  // by tree of triangles
    uint64_t enclosed_builds;  // stamp of the trees that they are of
    snag__buffer memory[3];
    snag__buffer scratch;
} snag__probe;

// What a call of the world provides.
typedef struct snag__probe_room {
    const snag_allocator *allocator;
    const snag__parallel *parallel;
    snag_isa isa;
} snag__probe_room;

// Reserves `bodies` for the caller to fill in. False without memory.
bool snag__probe_reserve(snag__probe *probe, uint32_t body_count, const snag__probe_room *room);
// Builds or refits the trees of a set for the bodies. False without memory.
bool snag__probe_update(snag__probe *probe, uint32_t set, const snag__probe_room *room);
// Lays the triangles out for rays, once they are up to date; rays find the same without, more slowly. False without memory.
bool snag__probe_update_rays(snag__probe *probe, const snag__probe_room *room);
void snag__probe_free(const snag_allocator *allocator, snag__probe *probe);

// The enclosure of a body with triangles; NULL if it has none.
static inline const snag__probe_enclosure *snag__probe_enclosure_of(const snag__probe *probe, uint32_t body)
{
    uint32_t tree = probe->sets[SNAG__PROBE_TRIANGLES].tree_of[body];
    return tree != UINT32_MAX ? &probe->enclosures[tree] : NULL;
}

// Whether every edge has an even number of triangles, of which there is one at least.
static inline bool snag__probe_is_closed(const snag__probe *probe, uint32_t body)
{
    const snag__probe_enclosure *enclosure = snag__probe_enclosure_of(probe, body);
    return enclosure != NULL && enclosure->open_edges == 0;
}

// Whether the body encloses anything: a volume, or a closed surface.
static inline bool snag__probe_encloses(const snag__probe *probe, uint32_t body)
{
    return probe->bodies[body].mesh->tet_count > 0 || snag__probe_is_closed(probe, body);
}

// The same of a mesh that is in no tree yet.
snag__probe_enclosure snag__probe_enclosure_by(const snag__mesh *mesh);
// The net number of times that an edge is walked from its lower to its higher vertex.
int32_t snag__probe_edge_balance(const snag__mesh *mesh, uint32_t edge);

// The three corners of an element of a set's slot, as positions and as vertices.
typedef struct snag__probe_element {
    const double *x[3];
    uint32_t vertex[3];
} snag__probe_element;

static inline snag__probe_element snag__probe_element_at(const snag__bvh *bvh, uint32_t tree, uint32_t slot)
{
    snag__probe_element element;
    const uint32_t *vertices = bvh->vertices + (size_t)slot * bvh->corners;
    const double(*x)[3] = (const double(*)[3])bvh->trees[tree].mesh->x_t1;
    for (uint32_t c = 0; c < 3; c++) {
        element.vertex[c] = vertices[c < bvh->corners ? c : bvh->corners - 1];
        element.x[c] = x[element.vertex[c]];
    }
    return element;
}

// ---- which bodies ----

// The bodies of a query by their indexes, ascending; NULL: all.
typedef struct snag__probe_choice {
    const uint32_t *bodies;
    uint32_t count;
} snag__probe_choice;

static inline uint32_t snag__probe_chosen(const snag__probe_choice *choice, uint32_t i)
{
    return choice->bodies != NULL ? choice->bodies[i] : i;
}

// ---- queries: each answers one, or a run of neighbours, and is called by tasks ----

struct snag__probe_kernels;
struct snag__cast_kernels;

typedef struct snag__probe_search {
    const snag__probe *probe;
    const struct snag__probe_kernels *kernels;
    const struct snag__cast_kernels *casts;
    snag__probe_choice choice;
} snag__probe_search;

// Answers points that are near each other: point order[i] of `points` for each i, result to results[order[i]].
void snag__probe_closest(const snag__probe_search *search, const snag_closest_def *def, snag_positions points,
                         const uint32_t *order, size_t count, snag_closest *results);

// The first hit of a ray.
void snag__probe_first_hit(const snag__probe_search *search, const snag__ray *ray, snag_hit *hit);
bool snag__probe_any_hit(const snag__probe_search *search, const snag__ray *ray);
// All hits, sorted. Returns how many there are, and writes them if there is room. `room` has `capacity` times snag__probe_hit_size bytes.
size_t snag__probe_all_hits(const snag__probe_search *search, const snag__ray *ray, void *room, snag_hit *hits, size_t capacity);
size_t snag__probe_hit_size(void);

// The side of a point with regard to a body that encloses something.
snag_side snag__probe_side(const snag__probe_search *search, uint32_t body, const double p[3]);
// The winding number of a body's triangles. `boundary` lists its unbalanced edges.
double snag__probe_winding(const snag__probe_search *search, uint32_t body, const double p[3], const uint32_t *boundary,
                           size_t boundary_count);

// The bodies that meet a box or a ball, or with `elements` their triangles. Writes at most `capacity` and returns how many there are.
typedef struct snag__probe_shape {
    double lo[3], hi[3];  // the box, or one that holds the ball
    double centre[3], radius;
    bool is_ball;
} snag__probe_shape;

size_t snag__probe_overlap(const snag__probe_search *search, const snag__probe_shape *shape, bool elements, snag_overlap *items,
                           size_t capacity);

#endif
