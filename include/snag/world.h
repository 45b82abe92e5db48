// The world: bodies, and how they move. Questions about them are in snag/question.h.
//
// A world is used by one thread at a time; different worlds are independent. A call that fails returns a status, keeps a
// message (snag_world_message) and leaves the world as it was.
//
// Callbacks. While a call is in progress the world accepts no other. A call made from one of its callbacks (`progress`, `filter`,
// `read`, `close`, `log`, the allocator, a task of snag_world_run) or from a second thread returns SNAG_ERROR_BUSY and touches
// nothing: make it once the call has returned. These only read and are always allowed: snag_world_message, _is_busy, _threads,
// _isa, _body and _body_count. snag_world_run called from a callback runs all its tasks on the calling thread.
// All callbacks run on the thread that made the call, except tasks, which run on the world's threads or on yours.
//
// Floating point. Calls compute in the default floating-point environment (round to nearest, denormals on, no traps) and restore
// the caller's when they return, so that answers do not depend on it. Callbacks run in the default environment.
//
// Processes. A world keeps working in a child process after fork: it starts its own threads there when it needs them, and can be
// destroyed there. Fork while no other thread is inside a call of the world; otherwise it stays busy in the child forever.
//
// Units. Lengths are in the unit of your positions, times in a step run from 0 (t0) to 1 (t1).
#ifndef SNAG_WORLD_H
#define SNAG_WORLD_H

#include "snag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bodies, and the questions about them.
typedef struct snag_world snag_world;

// Names a body of one world. The zero id names none; the id of a removed body is never valid again; the id of another world is
// refused with SNAG_ERROR_BODY, unless both worlds were created with the same `number`. `index` counts bodies from 1 in the order
// in which they are added; indices of removed bodies are used again.
typedef struct snag_body_id {
    uint32_t index;
    uint32_t generation;
} snag_body_id;

// Which instruction set the SIMD kernels use. The answer is the same for all of them, byte for byte.
typedef enum snag_isa {
    SNAG_ISA_BEST = 0,  // the widest that this machine has and the library was built with
    SNAG_ISA_SCALAR = 1,
    SNAG_ISA_X86_64_V2 = 2,
    SNAG_ISA_X86_64_V3 = 3,
    SNAG_ISA_X86_64_V4 = 4,
    SNAG_ISA_NEON = 5,
    SNAG_ISA_SIMD128 = 6,  // WebAssembly
} snag_isa;

// ---- create and destroy --------------------------------------------------------------------------------------------

// How to create a world.
typedef struct snag_world_def {
    uint32_t cookie;  // set by snag_default_world_def; any other value is refused
    uint32_t threads;  // number of threads, including the calling one, at most 1024; 0: one for each processor
    snag_isa isa;
    // Tags the ids of this world. 0: a number that no other world of the process has. Worlds with the same number that receive the
    // same calls give the same ids, so that their answers can be compared byte for byte; they also accept each other's ids.
    uint32_t number;
    snag_allocator allocator;  // zero: malloc and free. Must outlive the world.
    snag_log log;  // zero: no log
    snag_tasks tasks;  // zero: the world has threads of its own, which sleep between calls
} snag_world_def;

// One thread for each processor, the best instruction set, malloc, no log.
SNAG_API snag_world_def snag_default_world_def(void);

// The caller owns the world and must destroy it. On failure *world is NULL and there is no message, only the status:
// SNAG_ERROR_ARGUMENT (NULL, a def without its cookie, more than 1024 threads, half an allocator), SNAG_ERROR_MEMORY, or
// SNAG_ERROR_UNSUPPORTED (an instruction set that is not available).
SNAG_API snag_status snag_world_create(const snag_world_def *def, snag_world **world);
// Frees the world, its bodies and its answers. NULL is allowed. During another call of the world (as from a callback) it only sets the
// message: destroy the world when that call has returned.
SNAG_API void snag_world_destroy(snag_world *world);

// The error message of the last call that failed; "" if none did, and for NULL. Owned by the world, valid until the next call.
SNAG_API const char *snag_world_message(const snag_world *world);
// Whether a call is in progress, so that another would be refused. False for NULL.
SNAG_API bool snag_world_is_busy(const snag_world *world);

// Threads and instruction set in use. For NULL: 0 and SNAG_ISA_BEST. Names are static and never NULL.
SNAG_API uint32_t snag_world_threads(const snag_world *world);
SNAG_API snag_isa snag_world_isa(const snag_world *world);
SNAG_API const char *snag_isa_name(snag_isa isa);
// Runs your own work on the world's threads (or on your task callbacks): task(context, i) once for each i in 0..count-1, in any
// order; returns when all are done. For simulations that would otherwise keep a second thread pool. The task must not call the
// world. It runs in the caller's floating-point environment; with task callbacks of your own the threads are left as they are.
// Without a world the calling thread runs everything.
SNAG_API void snag_world_run(snag_world *world, uint32_t count, void (*task)(void *context, uint32_t index), void *context);

// ---- bodies --------------------------------------------------------------------------------------------------------

// One mesh: triangles, or polygons, or tetrahedra; edges and points, alone or beside them; or nothing but vertices (a cloud). Triangles
// beside tetrahedra are refused, as are polygons beside either: add them as separate bodies. Everything is copied; the arrays are only
// read during the call.
//
// Polygons. A polygon of n vertices is split into n - 2 triangles, by exact arithmetic, as it lies in the positions given here; it
// keeps them wherever it moves. They tile it, also if it is concave, has holes that are reached by bridges (an edge walked
// both ways), touches itself, or has straight or repeated corners and spikes. Repeated corners and spikes give triangles
// of zero area, which take part in no pair. Convex polygons become fans from their first vertex.
// A polygon that is not flat is split as seen along the axis along which its area is largest. One that crosses itself
// there is split by cutting off corners that turn as its area does, and the rest as a fan: its triangles overlap or
// flip, and so it may be in contact with itself. snag_world_check names polygons of both kinds.
//
// Tetrahedra. The boundary triangles (faces of exactly one tetrahedron, outward, in the order of tetrahedron and face) take part
// in the questions about triangles.
//
// Edges are rods: yarns, hair, wires, seams. Points are particles. Which pairs they add to the questions is in docs/guide/rods.md. In
// short: rods meet everything, as segments; points meet triangles, tetrahedra, rods and other points. An edge that is also the side of
// a triangle, and a point that is also a vertex of other elements, change nothing there. An edge whose ends lie at the same place counts
// as a point. The vertices of a cloud meet triangles and tetrahedra only: list them as points if they are to meet rods and points.
typedef struct snag_body_def {
    uint32_t cookie;  // set by snag_default_body_def; any other value is refused
    bool weld;  // vertices with equal coordinates count as one (for triangle soups such as STL); not for tetrahedra
    const char *name;  // copied; NULL: "body N"
    void *user;  // yours; the world stores it and returns it in snag_body_info
    snag_positions positions;  // at most 2^32 - 2 vertices; t0 and t1 of the new body
    const uint32_t *triangles;  // three vertices each
    size_t triangle_count;
    const uint32_t *tets;  // four vertices each
    size_t tet_count;
    const uint32_t *polygon_sizes;  // vertices of each polygon, each at least 3
    const uint32_t *polygon_vertices;  // their vertices, one polygon after the other
    size_t polygon_count;
    const uint32_t *edges;  // two different vertices each; each edge once, in either direction
    size_t edge_count;
    const uint32_t *points;  // one vertex each; each vertex once
    size_t point_count;
    double radius;  // half the thickness of the body, finite and not negative: see docs/guide/rods.md for what it does
    const float *radii;  // for each vertex, instead: as many as positions, and radius is 0 then. NULL: the radius above
    // Groups and masks: bits of your own choice. Two elements meet, in every question, if (a.group & b.mask) && (b.group & a.mask); a
    // body meets itself if that holds for its own elements. `overlaps` looks at all groups and masks of a body together.
    uint32_t group, mask;  // of all elements; 1 and all bits by default. Zero would meet nothing and is refused
    // By vertex, instead of `group` and `mask`: an element has the bits common to its vertices. Elements without a common bit would
    // meet nothing and are refused: give the vertices between two groups both. NULL: the bits above.
    const uint32_t *vertex_groups, *vertex_masks;
    // A number of yours for each triangle, polygon or tetrahedron of this def, such as its material: see snag_world_label. NULL: 0.
    const uint32_t *labels;
    const uint32_t *edge_labels, *point_labels;  // the same for the edges and points of this def
    snag_positions rest;  // the pose that snag_filter.exclude_rest speaks of, as many vertices; count 0: the body has none
} snag_body_def;

// Group 1, all bits of the mask; all else zero.
SNAG_API snag_body_def snag_default_body_def(void);

// Adds a body. It lasts until it is removed or the world is destroyed. Errors name the element: SNAG_ERROR_ARGUMENT, _INDEX (a vertex
// that does not exist), _NOT_FINITE, _SIZE (more than 2^32 - 1 elements in the world), _MEMORY. The last answer stays valid.
SNAG_API snag_status snag_world_add(snag_world *world, const snag_body_def *def, snag_body_id *body);
// Removes a body and frees its arrays. The last answer is no longer valid. SNAG_ERROR_BODY for an id that names no body.
SNAG_API snag_status snag_world_remove(snag_world *world, snag_body_id body);

// ---- time ----------------------------------------------------------------------------------------------------------
//
// A body has two positions: t0 where the step began, and t1 where it is now. Questions are about t1; impacts are about the straight
// way of every vertex from t0 to t1.
//
//     begin_step          t0 of every body becomes its t1
//     move, move, ...     sets t1 of a body, as often as you like: t0 stays
//
// A body that is not moved within a step rests. Without any begin_step all motion counts from where bodies were added or teleported.
// An answer survives begin_step, move and teleport.

// Starts a step. Costs in proportion to the bodies that moved since the last one, and copies no positions. Never fails for a world
// that is not NULL and not busy.
SNAG_API snag_status snag_world_begin_step(snag_world *world);

// Sets t1. The positions are copied. The first move of a body allocates a second array of positions, later ones nothing.
// SNAG_ERROR_BODY, _MISMATCH (another number of vertices), _NOT_FINITE (names the vertex), _MEMORY, _UNSUPPORTED (a source). Nothing
// is changed then.
SNAG_API snag_status snag_world_move(snag_world *world, snag_body_id body, snag_positions t1);

// Sets t0 and t1 alike: the body is put there without a motion. Errors as for move.
SNAG_API snag_status snag_world_teleport(snag_world *world, snag_body_id body, snag_positions both);

// ---- bodies that stay on disk --------------------------------------------------------------------------------------

// A block of a surface that is not loaded: triangles that lie near each other.
typedef struct snag_surface_block {
    double minimum[3], maximum[3];  // holds its triangles
    uint32_t first_triangle;  // blocks follow each other: triangles are numbered through all of them
    uint32_t triangle_count;
} snag_surface_block;

// A surface that is not copied into the world, such as one on disk: its blocks are read where the method `spheres` refines, and
// only there. It rests, and while it is in the world no method but `spheres` can be asked.
typedef struct snag_source_def {
    uint32_t cookie;  // set by snag_default_source_def; any other value is refused
    const char *name;  // copied; NULL: "body N"
    void *user;  // yours; returned in snag_body_info
    const snag_surface_block *blocks;  // borrowed until `close`
    size_t block_count;
    // Writes x, y, z of the three corners of each triangle of a block. Called during asks, by the asking thread. A status other than
    // SNAG_OK ends the ask with that status; corners that are not finite or not in the block's box end it with SNAG_ERROR_FORMAT.
    snag_status (*read)(void *context, size_t block, double *corners);
    void (*close)(void *context);  // called once, when the body is removed or the world destroyed; may be NULL
    void *context;  // for read and close
} snag_source_def;

// Everything zero but the cookie.
SNAG_API snag_source_def snag_default_source_def(void);

// On failure the source is not closed. Errors as for snag_world_add.
SNAG_API snag_status snag_world_add_source(snag_world *world, const snag_source_def *def, snag_body_id *body);

// ---- looking at the world ------------------------------------------------------------------------------------------

// A body as the world sees it. Name and arrays are owned by the world and valid until the body is removed.
typedef struct snag_body_info {
    const char *name;
    void *user;  // as given in its def
    size_t vertex_count;
    size_t triangle_count;  // of a volume: its boundary
    size_t edge_count;  // edges of the triangles, and those of the def
    size_t tet_count;
    size_t rod_count;  // edges of the def
    size_t point_count;  // points of the def
    // All NULL for a source.
    const uint32_t *triangles;  // three vertices each; of welded vertices the lowest
    const uint32_t *triangle_faces;  // per triangle: the polygon it came from, or of a volume its tetrahedron
    const uint32_t *labels;  // by triangle_faces: as given in the def; NULL: all 0
    const uint32_t *edges;  // two vertices each, the lower first, sorted
    const uint32_t *tets;
    const uint32_t *rods;  // indices into `edges`, ascending; NULL if there are none
    const uint32_t *points;  // vertices, ascending; NULL if there are none
    const uint32_t *rod_labels, *point_labels;  // by `rods` and `points`: as given in the def; NULL: all 0
    double radius;  // of all vertices, or the largest of `radii`
    const float *radii;  // by vertex; NULL: all have the same
} snag_body_info;

// SNAG_ERROR_ARGUMENT for NULL, SNAG_ERROR_BODY for an id that names no body; keeps no message. Allowed in callbacks.
SNAG_API snag_status snag_world_body(const snag_world *world, snag_body_id body, snag_body_info *info);
// The label of an element, as contacts name it (kind and index are read): of a triangle or tetrahedron its own, where triangles have that
// of their polygon or tetrahedron; of an edge or a vertex that of the lowest triangle at it, or without any of the lowest tetrahedron
// (those that repeat a vertex are at none); of an edge or vertex without these that of the rod or point that it is, or of the lowest rod
// that ends there. 0 without labels, and for whatever does not exist. Allowed in callbacks.
struct snag_element;
SNAG_API uint32_t snag_world_label(const snag_world *world, snag_body_id body, const struct snag_element *element);
// 0 for NULL.
SNAG_API size_t snag_world_body_count(const snag_world *world);

// Bytes that the world holds, by purpose. Buffers are kept from ask to ask, so that a step no larger than earlier ones allocates
// nothing: this is what is held, not what the last call used.
typedef struct snag_memory {
    size_t bodies;  // positions, elements and topology
    size_t methods;  // trees, grids and tables of the methods that were asked
    size_t answers;  // contacts, pairs and the records they are made from; tracked contacts
    size_t total;  // all of it, and the world itself
} snag_memory;

// SNAG_ERROR_ARGUMENT for NULL, SNAG_ERROR_BUSY during another call; keeps no message.
SNAG_API snag_status snag_world_memory(const snag_world *world, snag_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
