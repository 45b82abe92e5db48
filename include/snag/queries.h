// Points and rays: queries beside the questions of snag/question.h.
//
//     closest   the closest point on bodies, for many points; signed where the body is closed
//     cast      rays and segments: the first hit, all hits, or whether there is any
//     contains  whether points lie inside a body; winding numbers where a surface is open
//     overlap   which bodies, or which of their triangles, meet boxes and spheres
//     nested    which bodies lie wholly inside others, and how deep
//
// Queries are about the present positions (t1) of bodies. They come in batches, and all threads of the world answer them. The trees behind
// them are built by the first query and refitted after moves; they are rebuilt only when bodies come, go or deform a lot. After
// that a query of a size seen before allocates nothing, except where a list of results has to grow.
//
// Exactness. Which element is closest or hit, whether a ray hits at all, whether a point is inside, outside or on a surface: all are
// decided exactly for the coordinates as given. Ties (a point above a shared edge, a ray through a vertex) go to the lower body, then
// to the lower element. So results are the same, byte for byte, for any number of threads, any instruction set and any history of
// the world. Only generalised winding numbers of open surfaces are approximate.
//
// What takes part. Triangles, and for `contains` and `overlap` also what they or tetrahedra enclose. Triangles of zero area take
// no part (a closed surface that has some is still closed). `closest` also finds rods, points at which no edge ends, and the vertices of
// a cloud (a body without elements); rays, boxes and spheres pass through them. A body that stays on disk (snag_world_add_source) is refused with SNAG_ERROR_UNSUPPORTED.
//
// Errors. SNAG_ERROR_ARGUMENT (NULL, a def without its cookie, a number out of range), _BODY (an id that names no body), _NOT_FINITE (names
// the point or ray), _SIZE, _MEMORY, _UNSUPPORTED. The message says which. Results of a call that fails are not to be read.
#ifndef SNAG_QUERIES_H
#define SNAG_QUERIES_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// Side of a body that a point is on.
typedef enum snag_side {
    SNAG_SIDE_OUTSIDE = 0,
    SNAG_SIDE_INSIDE = 1,
    SNAG_SIDE_ON = 2,  // exactly on the surface
    SNAG_SIDE_NONE = 3,  // not asked for, or the body encloses nothing: an open surface, a cloud
} snag_side;

// "outside", "inside", "on", "none". Never NULL.
SNAG_API const char *snag_side_name(snag_side side);

// ---- closest points ------------------------------------------------------------------------------------------------

// A question for closest points.
typedef struct snag_closest_def {
    uint32_t cookie;  // set by snag_default_closest_def; any other value is refused
    bool sign;  // also tell which side of the body the point is on
    const snag_body_id *bodies;  // which bodies; NULL: all
    size_t body_count;
    double within;  // ignore bodies farther away than this; infinite by default
    // Stop after this time, or when `progress` returns false; it is called by the asking thread, now and then, with the
    // part that is done, and must not call the world. Then `answered` says how many results there are. 0 and NULL: no limit.
    uint64_t budget_us;
    bool (*progress)(void *context, double done);
    void *context;
} snag_closest_def;

// All bodies, without side, at any distance, no limit of time.
SNAG_API snag_closest_def snag_default_closest_def(void);

// The closest point on a body.
typedef struct snag_closest {
    snag_body_id body;  // zero: no body is within reach, and everything else is zero, but the distance is infinite
    // A triangle, numbered as in snag_body_info.triangles; a rod as an edge, numbered as in snag_body_info.edges; a point or a vertex of a
    // cloud as a vertex. Of equally close ones in a body, triangles come before edges and edges before vertices.
    snag_element element;
    snag_contact_kind kind;  // vertex-vertex, vertex-edge or vertex-face: whether a corner, an edge or the inside is closest
    snag_side side;  // with `sign`: of the point, with regard to `body`. SNAG_SIDE_NONE where the body encloses nothing
    double distance;  // with `sign`: negative inside. Relative error below 2^-26, mostly a few roundings; 0 only on the element
    double weight[3];  // of the element's vertices (barycentric): three of a triangle, two of an edge, one of a vertex
    double point[3];  // the closest point
} snag_closest;

// The closest point for each of points.count points. `results` has room for as many. If `answered` is not NULL it gets how many points
// have been answered: all of them, or with a budget or a progress callback the first so many. Without `answered` these two are refused.
// The sign of a distance is that of the body that is closest. A body that encloses nothing has no sign: its distances are positive and
// `side` is SNAG_SIDE_NONE.
SNAG_API snag_status snag_world_closest(snag_world *world, const snag_closest_def *def, snag_positions points,
                                        snag_closest *results, size_t *answered);

// ---- rays and segments ---------------------------------------------------------------------------------------------

// The points origin + t * direction for t from 0 to `limit`; or, if the def says so, segments.
typedef struct snag_ray {
    double origin[3];
    double direction[3];  // of any length but zero. Of a segment: its other end, which differs from the origin
    double limit;  // the largest t, 0 or more; may be infinite. Of a segment 1 is its other end
} snag_ray;

// A question for rays or segments.
typedef struct snag_cast_def {
    uint32_t cookie;  // set by snag_default_cast_def; any other value is refused
    bool segments;  // `direction` is the other end of a segment, and limits are at most 1
    const snag_body_id *bodies;  // which bodies; NULL: all
    size_t body_count;
    uint64_t budget_us;  // as in snag_closest_def
    bool (*progress)(void *context, double done);
    void *context;
} snag_cast_def;

// Rays, all bodies, no limit of time.
SNAG_API snag_cast_def snag_default_cast_def(void);

// Triangles are closed sets: a ray through an edge hits the triangles on both sides of it, and one that lies in the plane of a triangle
// hits it where it first meets it.
typedef struct snag_hit {
    snag_body_id body;  // zero: the ray hits nothing, and everything else is zero, but t is infinite
    uint32_t triangle;  // numbered as in snag_body_info.triangles
    int32_t facing;  // 1: the ray meets the front, whose corners are counter-clockwise; -1: the back; 0: the triangle edge-on
    double t;  // relative error below 2^-40
    double weight[3];  // of the triangle's vertices (barycentric)
    double point[3];
} snag_hit;

// The first hit of each ray: the smallest t, compared exactly. `hits` has room for `count`; `answered` as above.
SNAG_API snag_status snag_world_cast(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count,
                                     snag_hit *hits, size_t *answered);
// Only whether a ray hits anything: 1 or 0 for each. Faster.
SNAG_API snag_status snag_world_cast_any(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count,
                                         uint8_t *any, size_t *answered);

// Lists for queries: query i has items start[i] .. start[i + 1] - 1. Owned by the world and valid until the next query that returns a
// list of the same kind, or destroy.
typedef struct snag_hit_lists {
    const size_t *start;  // answered + 1 entries
    const snag_hit *items;
    size_t answered;  // queries; fewer than were put only with a budget or a progress callback
} snag_hit_lists;

// All hits of each ray, by t, then by body, then by triangle.
SNAG_API snag_status snag_world_cast_all(snag_world *world, const snag_cast_def *def, const snag_ray *rays, size_t count,
                                         const snag_hit_lists **lists);

// ---- inside and outside --------------------------------------------------------------------------------------------

// Which side of a body each of points.count points is on: exactly, also for points on edges and vertices.
// Volumes: inside is what lies in one of the tetrahedra, turned inside out or not, and not on a boundary triangle.
// Closed surfaces (each edge is walked as often one way as the other): inside is where the winding number is not zero. It does
// not matter whether triangles look outward or inward.
// Surfaces that are closed but for flipped triangles (an even number of triangles at every edge): inside is where a ray to infinity
// meets an odd number of triangles.
// Open surfaces and clouds enclose nothing and are refused with SNAG_ERROR_UNSUPPORTED: ask for winding numbers.
SNAG_API snag_status snag_world_contains(snag_world *world, snag_body_id body, snag_positions points, snag_side *sides);

// How often a surface (of a volume: its boundary triangles) winds around each point; triangles whose corners are counter-clockwise seen from
// outside count positive. For closed surfaces exact integers. For open ones the generalised winding number, which is approximate:
// the sum of the solid angles of the triangles over 4 pi, to about 1e-12 for each boundary edge. More than 0.5 in magnitude is a good
// guess at "inside".
// A point on the surface gets the value of one of its sides. Time grows with the number of boundary edges.
SNAG_API snag_status snag_world_winding(snag_world *world, snag_body_id body, snag_positions points, double *numbers);

// Whether a body encloses anything, and if not, why.
typedef struct snag_enclosure {
    bool volume;  // has tetrahedra
    bool closed;  // a surface that is closed, maybe but for flipped triangles
    bool oriented;  // closed, and no triangle is flipped
    size_t open_edges;  // edges with an odd number of triangles
    size_t unbalanced_edges;  // edges that are walked more often one way than the other
} snag_enclosure;

// Whether a body encloses a volume. SNAG_ERROR_ARGUMENT for NULL, SNAG_ERROR_BODY, SNAG_ERROR_MEMORY.
SNAG_API snag_status snag_world_enclosure(snag_world *world, snag_body_id body, snag_enclosure *enclosure);

// ---- boxes and spheres ---------------------------------------------------------------------------------------------

// An axis-aligned box.
typedef struct snag_box {
    double lo[3], hi[3];  // closed; lo may equal hi, and must not be above it
} snag_box;

// A ball.
typedef struct snag_sphere {
    double centre[3];
    double radius;  // 0 or more; the ball is closed
} snag_sphere;

// A question for bodies or triangles that meet boxes or spheres.
typedef struct snag_overlap_def {
    uint32_t cookie;  // set by snag_default_overlap_def; any other value is refused
    bool elements;  // list every triangle that meets the shape, not each body once
    const snag_body_id *bodies;  // which bodies; NULL: all
    size_t body_count;
    uint64_t budget_us;  // as in snag_closest_def
    bool (*progress)(void *context, double done);
    void *context;
} snag_overlap_def;

// Each body once, all bodies, no limit of time.
SNAG_API snag_overlap_def snag_default_overlap_def(void);

#define SNAG_NO_TRIANGLE UINT32_MAX

// A body, or one of its triangles, that meets the shape.
typedef struct snag_overlap {
    snag_body_id body;
    uint32_t
        triangle;  // the lowest that meets the shape, or with `elements` each; SNAG_NO_TRIANGLE: the shape lies inside the body
} snag_overlap;

// For each shape the list of what meets it.
typedef struct snag_overlap_lists {
    const size_t *start;  // as in snag_hit_lists
    const snag_overlap *items;
    size_t answered;
} snag_overlap_lists;

// The bodies that each box or sphere meets, by body, then by triangle: those with a triangle that meets it (touching counts), and those
// that it lies inside of.
SNAG_API snag_status snag_world_overlap_boxes(snag_world *world, const snag_overlap_def *def, const snag_box *boxes, size_t count,
                                              const snag_overlap_lists **lists);
SNAG_API snag_status snag_world_overlap_spheres(snag_world *world, const snag_overlap_def *def, const snag_sphere *spheres,
                                                size_t count, const snag_overlap_lists **lists);

// ---- bodies inside bodies ------------------------------------------------------------------------------------------

// A body that lies wholly inside another: all of it is inside, and it touches nowhere.
typedef struct snag_nested {
    snag_body_id inner, outer;
    double gap;  // the least distance of a vertex of the inner body from the outer surface
    double depth;  // the largest
    uint32_t deepest;  // the vertex of the inner body that is deepest; of equal ones the lowest
} snag_nested;

// All pairs of bodies one of which lies wholly inside the other, by inner, then by outer body. Bodies that enclose nothing can be inner
// ones. Owned by the world, valid until the next call of this function or destroy.
SNAG_API snag_status snag_world_nested(snag_world *world, const snag_nested **nested, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
