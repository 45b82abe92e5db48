// The world: bodies that move, questions about where they catch, and the answers.
//
// A world is used by one thread at a time; different worlds are independent. A call that fails returns a status, keeps a
// message (snag_world_message) and leaves the world as it was.
//
// Callbacks and tasks. While a call is in progress the world takes no other: what a `progress`, `filter`, `read` or `close`
// callback, the allocator, a task of snag_world_run or a second thread asks of it gets SNAG_ERROR_BUSY and a message, and nothing
// is touched. Do it when the call has returned. What only reads is allowed there: snag_world_message, _is_busy, _threads, _isa,
// _body and _body_count; snag_world_run then runs all its tasks on the calling thread.
//
// Floating point. Calls compute under the default floating-point environment (to nearest, with denormal numbers, no traps) and
// give the caller's back when they return, so that answers do not depend on it. Callbacks are called under the default one.
//
// Processes. In a child process (fork) a world works on: it starts threads of its own when it needs them, and is destroyed there as
// anywhere. Fork while no other thread is in a call of the world; one that was in a call then stays busy in the child forever.
#ifndef SNAG_WORLD_H
#define SNAG_WORLD_H

#include "snag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snag_world snag_world;

// Names a body of one world. The zero id names none; an id of a removed body is never valid again; one of another world is refused
// with SNAG_ERROR_BODY, unless both were given the same `number`. Bodies are counted by `index` from 1 on, in the order in which
// they are added; places of removed bodies are used again.
typedef struct snag_body_id {
    uint32_t index;
    uint32_t generation;
} snag_body_id;

// Which instruction set the wide kernels use. The answer is the same for all of them, byte for byte.
typedef enum snag_isa {
    SNAG_ISA_BEST = 0,  // the widest that this machine has and the library was built with
    SNAG_ISA_SCALAR = 1,
    SNAG_ISA_X86_64_V2 = 2,
    SNAG_ISA_X86_64_V3 = 3,
    SNAG_ISA_X86_64_V4 = 4,
    SNAG_ISA_NEON = 5,
} snag_isa;

typedef struct snag_world_def {
    snag_allocator allocator;  // zero: malloc and free
    snag_log log;              // zero: silence
    snag_tasks tasks;          // zero: threads of the world's own, which sleep between calls
    uint32_t threads;          // into how many threads' worth of pieces work is split; 0: one for each processor
    snag_isa isa;
    // What its ids are marked with. 0: a number that no other world of the process has. Worlds of the same number that are called
    // alike give the same ids, so that their answers can be compared byte for byte; they take each other's ids for their own.
    uint32_t number;
} snag_world_def;

SNAG_API snag_world_def snag_default_world_def(void);

// On failure *world is NULL and there is no message to ask for: the status says all (bad argument, memory, or an
// instruction set that is not available).
SNAG_API snag_status snag_world_create(const snag_world_def *def, snag_world **world);
// NULL is allowed. From within a callback of the world it does nothing but leave a message: destroy it when the call has returned.
SNAG_API void snag_world_destroy(snag_world *world);

// What went wrong in the last call that failed; "" if none did, and for NULL. Owned by the world, valid until the next call.
SNAG_API const char *snag_world_message(const snag_world *world);
// Whether a call is in progress, so that another would be refused. False for NULL.
SNAG_API bool snag_world_is_busy(const snag_world *world);

// Threads and instruction set in use. Of NULL: 0 and SNAG_ISA_BEST.
SNAG_API uint32_t snag_world_threads(const snag_world *world);
// Runs work of the caller's own on the world's threads (or his tasks): task(context, i) once for each i in 0..count-1, in any
// order; returns when all are done. For simulations that would else keep a second pool beside this one. The task must not
// use the world (see above). The world's threads run it under the caller's floating-point environment; with tasks of his own the
// threads are his, and are left as they are. Without a world the calling thread runs all.
SNAG_API void snag_world_run(snag_world *world, uint32_t count, void (*task)(void *context, uint32_t index), void *context);
SNAG_API snag_isa snag_world_isa(const snag_world *world);
SNAG_API const char *snag_isa_name(snag_isa isa);

// ---- bodies --------------------------------------------------------------------------------------------------------

// A surface. Give triangles, or polygons, or neither (a cloud of vertices). Everything is copied.
// Contacts name the triangle and the polygon it came from.
//
// A polygon of n vertices is split into n - 2 triangles, by exact arithmetic, as it lies in the positions given here; it
// keeps them wherever it moves. They tile it, also if it is concave, has holes that are reached by bridges (an edge walked
// both ways), touches itself, or has straight or repeated corners and spikes. Repeated corners and spikes give triangles
// of no area, which take part in no pair. Convex polygons become fans from their first vertex.
// A polygon that is not flat is split as it is seen along the axis along which its area is largest. One that crosses itself
// there is split by cutting off corners that turn as its area does, and what is left as a fan: its triangles overlap or
// turn over, and so it may be in contact with itself. snag_world_check names polygons of both kinds.
typedef struct snag_surface_def {
    snag_positions positions;
    const uint32_t *triangles;  // three vertices each
    size_t triangle_count;
    const uint32_t *polygon_sizes;     // vertices of each polygon, each at least 3
    const uint32_t *polygon_vertices;  // their vertices, one polygon after the other
    size_t polygon_count;
    bool weld;         // vertices with equal coordinates count as one (for triangle soups such as STL)
    const char *name;  // copied; NULL: "body N"
} snag_surface_def;

SNAG_API snag_surface_def snag_default_surface_def(void);

// A volume of tetrahedra. Its boundary triangles (faces of exactly one tetrahedron, outward, in the order of
// tetrahedron and face) take part in the questions about triangles.
typedef struct snag_volume_def {
    snag_positions positions;
    const uint32_t *tets;  // four vertices each
    size_t tet_count;
    const char *name;  // copied; NULL: "body N"
} snag_volume_def;

SNAG_API snag_volume_def snag_default_volume_def(void);

SNAG_API snag_status snag_world_add_surface(snag_world *world, const snag_surface_def *def, snag_body_id *body);
SNAG_API snag_status snag_world_add_volume(snag_world *world, const snag_volume_def *def, snag_body_id *body);
SNAG_API snag_status snag_world_remove(snag_world *world, snag_body_id body);

// Gives a body new positions (t1). Those it had become t0. A body that was not moved since it was added rests: t0 equals t1.
SNAG_API snag_status snag_world_move(snag_world *world, snag_body_id body, snag_positions positions);

// Sets t0 and t1 alike: the body is put there, and has made no move.
SNAG_API snag_status snag_world_place(snag_world *world, snag_body_id body, snag_positions positions);

// A block of a surface that stays where it is: triangles that lie near each other.
typedef struct snag_surface_block {
    double minimum[3], maximum[3];  // holds its triangles
    uint32_t first_triangle;        // blocks follow each other: triangles are numbered through all of them
    uint32_t triangle_count;
} snag_surface_block;

// A surface that is not copied into the world, such as one on disk: its blocks are read where `spheres` makes branches, and
// only there. It rests, and the methods other than `spheres` cannot be asked while it is in the world.
typedef struct snag_source_def {
    const snag_surface_block *blocks;  // borrowed until `close`
    size_t block_count;
    // Writes x, y, z of the three corners of each triangle of a block. What it returns other than SNAG_OK ends the ask with that
    // status; corners that are not finite or not in the block's box end it with SNAG_ERROR_FORMAT.
    snag_status (*read)(void *context, size_t block, double *corners);
    void (*close)(void *context);  // called once, when the body is removed or the world destroyed; may be NULL
    void *context;
    const char *name;  // copied; NULL: "body N"
} snag_source_def;

SNAG_API snag_source_def snag_default_source_def(void);

// On failure the source is not closed.
SNAG_API snag_status snag_world_add_source(snag_world *world, const snag_source_def *def, snag_body_id *body);

// What the world knows of a body. The arrays are owned by the world and valid until the body is removed.
typedef struct snag_body_info {
    const char *name;
    size_t vertex_count;
    size_t triangle_count;  // of a volume: its boundary
    size_t edge_count;      // edges of the triangles
    size_t tet_count;
    // Of a source there are none: it has triangles only, which are not here.
    const uint32_t *triangles;       // three vertices each; of welded vertices the lowest
    const uint32_t *triangle_faces;  // per triangle: the polygon it came from, or of a volume its tetrahedron
    const uint32_t *edges;           // two vertices each, the lower first, sorted
    const uint32_t *tets;
} snag_body_info;

SNAG_API snag_status snag_world_body(const snag_world *world, snag_body_id body, snag_body_info *info);
SNAG_API size_t snag_world_body_count(const snag_world *world);

// ---- questions -----------------------------------------------------------------------------------------------------

typedef enum snag_question {
    SNAG_INTERSECTIONS = 0,  // triangle pairs that intersect, at t1
    SNAG_PROXIMITIES = 1,    // vertex-triangle and edge-edge pairs closer than `distance`, at t1
    SNAG_PENETRATIONS = 2,   // vertices inside tetrahedra, at t1
    SNAG_IMPACTS = 3,        // vertex-triangle and edge-edge pairs that meet on the way from t0 to t1
    SNAG_DISTANCE = 4,       // the closest features of each two bodies, at t1
    SNAG_OVERLAPS = 5,       // leaf volumes that overlap
    SNAG_QUESTION_COUNT
} snag_question;

typedef enum snag_method {
    SNAG_METHOD_AUTO = 0,  // the fastest method that answers completely
    SNAG_METHOD_BRUTE = 1,
    SNAG_METHOD_HASH = 2,
    SNAG_METHOD_REGIONS = 3,
    SNAG_METHOD_KDOP = 4,
    SNAG_METHOD_ACTIVE = 5,
    SNAG_METHOD_REGULARITY = 6,
    SNAG_METHOD_SPHERES = 7,
    SNAG_METHOD_COUNT
} snag_method;

SNAG_API const char *snag_question_name(snag_question question);
SNAG_API const char *snag_method_name(snag_method method);
// Finds a question or method by its name, and writes it unless there is nowhere to (NULL). Returns false for a name that is not
// known.
SNAG_API bool snag_question_from_name(const char *name, snag_question *question);
SNAG_API bool snag_method_from_name(const char *name, snag_method *method);
// Whether this build can answer the question by the method.
SNAG_API bool snag_method_answers(snag_method method, snag_question question);
// Whether it then also finds contacts of a body with itself. One that does not must be asked without `self`.
SNAG_API bool snag_method_finds_self(snag_method method, snag_question question);
// The method that `auto` begins with at a question; `auto` itself for none. At intersections and impacts it goes over to
// `regularity` and back, as the surfaces are smooth or not: an answer says who gave it. See docs/methods/regularity.md.
SNAG_API snag_method snag_method_auto(snag_question question);

// What a contact is about. `triangle` etc. count as in the body's def; an edge is named by its vertices, the lower first.
typedef enum snag_element_kind {
    SNAG_VERTEX = 0,
    SNAG_EDGE = 1,
    SNAG_TRIANGLE = 2,
    SNAG_TET = 3,
    SNAG_LEAF = 4,  // a leaf of a body's sphere tree
} snag_element_kind;

typedef struct snag_element {
    snag_element_kind kind;
    // Vertex, triangle or tetrahedron; of an edge its number in snag_body_info.edges; of a leaf its way from the root: a 1, then
    // three bits (z, y, x: upper half or not) for each level.
    uint32_t index;
    uint32_t vertex[2];  // of an edge: its vertices, the lower first; else zero
} snag_element;

typedef enum snag_contact_kind {
    // intersections
    SNAG_CROSSING = 0,  // the interiors pass through each other
    SNAG_TOUCHING = 1,  // they meet, but neither passes through
    SNAG_COPLANAR = 2,  // both lie in one plane and share a part of it
    // proximities, impacts and distance: which features are closest
    SNAG_VERTEX_VERTEX = 3,
    SNAG_VERTEX_EDGE = 4,
    SNAG_VERTEX_FACE = 5,
    SNAG_EDGE_EDGE = 6,
    // penetrations
    SNAG_INSIDE = 7,
    // impacts whose time could not be resolved within the bound on work: treat as an impact at t
    SNAG_UNRESOLVED = 8,
    // penetrations with `edges`: an edge passes through a tetrahedron and ends outside of it
    SNAG_THROUGH = 9,
    // overlaps: two spheres
    SNAG_OVERLAP = 10,
    SNAG_CONTACT_KIND_COUNT
} snag_contact_kind;

SNAG_API const char *snag_contact_kind_name(snag_contact_kind kind);

// Where a contact stands in its life, for questions with `track`.
typedef enum snag_contact_phase {
    SNAG_PHASE_NONE = 0,     // not tracked
    SNAG_PHASE_BEGIN = 1,    // not in the last answer to this question
    SNAG_PHASE_PERSIST = 2,  // it was there, under the same id
} snag_contact_phase;

// A confirmed answer. `a` is the vertex of a vertex-triangle or vertex-tetrahedron contact, the edge of an edge-tetrahedron
// contact, else the lower (body, element).
typedef struct snag_contact {
    snag_body_id body_a, body_b;  // the same for a self-contact
    snag_element a, b;
    snag_contact_kind kind;
    uint32_t shared;  // intersections: how many vertices the two triangles share
    // distance of proximities and distance, depth of penetrations along the normal and of overlaps, of `through` the length
    // inside; else 0
    double value;
    double t;         // impacts: the time in 0..1, never later than the true one; else 0
    // intersections: the two ends of the shared segment (equal for a point); penetrations: the vertex, and where the normal
    // leads out of b's surface; of `through` where the edge, from its lower vertex on, enters and leaves the tetrahedron;
    // overlaps: the centres; else the closest point on a and on b.
    double point_a[3], point_b[3];
    double normal[3];  // unit, from b towards a; zero where there is none
    // vertex-triangle: weight[0..2] of the triangle's vertices; edge-edge: weight[0..1] of a's and [2..3] of b's vertices;
    // vertex-tetrahedron: of its four vertices; edge-tetrahedron: of the edge's vertices, [0..1] where it enters and [2..3]
    // where it leaves; overlaps: the radii of a and b. Else zero.
    double weight[4];
    uint64_t id;               // with `track`: never 0, the same as long as the contact persists, never used again; else 0
    snag_contact_phase phase;  // with `track`; else SNAG_PHASE_NONE
    uint32_t age;              // with `track`: for how many asks it has persisted, 0 when it begins
} snag_contact;

// A contact in short, with `pairs_only`: a sixth of the bytes of a contact.
typedef struct snag_pair {
    snag_body_id body_a, body_b;  // as of a contact
    uint32_t a, b;                // intersections: two triangles; penetrations: a vertex and a tetrahedron
    snag_contact_kind kind;
    uint32_t shared;  // intersections: how many vertices the two triangles share
} snag_pair;

// A contact of the last answer to a question that this one does not list. Its bodies may be gone by now.
typedef struct snag_ended_contact {
    uint64_t id;
    snag_body_id body_a, body_b;
    snag_element_kind kind_a, kind_b;
    uint32_t a, b;  // index of vertex, edge, triangle or tetrahedron in its body
} snag_ended_contact;

// How `regularity` treats patches of a surface that all face one direction.
typedef enum snag_regularity_mode {
    SNAG_REGULARITY_CERTIFIED = 0,  // left out where their projected contour proves that nothing is missed
    SNAG_REGULARITY_PAPER = 1,      // left out without that proof, as in the paper: contacts may be missing
    SNAG_REGULARITY_CLASSICAL = 2,  // searched like all others: the hierarchy of boxes alone, to compare with
    SNAG_REGULARITY_MODE_COUNT
} snag_regularity_mode;

// What tells `spheres` which parts of a body's box its surface meets.
typedef enum snag_backend {
    SNAG_BACKEND_CPU = 0,  // exact arithmetic
    SNAG_BACKEND_GL = 1,   // occlusion queries of OpenGL; the answer to `intersections` is the same
    SNAG_BACKEND_COUNT
} snag_backend;

SNAG_API const char *snag_backend_name(snag_backend backend);
SNAG_API bool snag_backend_from_name(const char *name, snag_backend *backend);
// Whether this build has it. The machine may still lack a driver: then an ask says so (SNAG_ERROR_UNSUPPORTED).
SNAG_API bool snag_backend_built_in(snag_backend backend);

// How deep sphere trees may be.
#define SNAG_DEPTH_MAX 10

// Which regions `regions` opens.
typedef enum snag_regions_rule {
    SNAG_REGIONS_EXACT = 0,  // those whose bounds can hold what is closest: nothing is missed
    // `distance` only: those whose middle vertices are nearer than the epsilon of their level, as in the paper. The answer
    // lists pairs of bodies that collide, which may be too few or too many, and what is closest of the regions looked at.
    SNAG_REGIONS_PAPER = 1,
    SNAG_REGIONS_RULE_COUNT
} snag_regions_rule;

enum { SNAG_REGION_LEVELS = 8 };

// A line between the middle vertices of two regions that `regions` has looked into.
typedef struct snag_region_line {
    snag_body_id body_a, body_b;
    uint32_t level;  // of the smaller region; 0: the whole body
    double from[3], to[3];
} snag_region_line;

typedef struct snag_question_def {
    snag_question question;
    snag_method method;
    bool self;          // look for contacts of a body with itself
    bool between;       // look for contacts between bodies
    bool details;       // value, points, normal, weights; without them contacts name their elements, kind and time only
    // intersections, and penetrations without `edges`: the answer lists pairs instead of contacts. Where many are found, writing
    // them in full takes a good part of the time. Not with `track`; `details` then means nothing.
    bool pairs_only;
    double distance;    // proximities: pairs at this distance or closer
    // distance: leave out pairs of bodies that are farther apart than this; 0: none is left out.
    double within;
    // distance: list so many pairs of bodies, those closest to each other (of equal ones the lower bodies); 0: all.
    uint32_t closest;
    bool every_pair;    // proximities: list every vertex-triangle and edge-edge pair, not each contact of features once
    // penetrations: also the edges (of surfaces, and of the boundaries of volumes) that pass through a tetrahedron with
    // neither end in it. Edges that share a vertex with the tetrahedron take no part.
    bool edges;
    double tolerance;   // impacts: how far before the true contact a reported time may lie, as a distance
    double separation;  // impacts: report when the gap falls to this, not only at 0
    uint32_t k;      // kdop: directions of a bound, 6, 14, 18 or 26; 0: the best for the question
    uint32_t arity;  // kdop: children of a node, 2, 4 or 8; 0: the best
    // kdop: bounds of parts that moved by less than this since they were bounded are left alone, and all bounds are larger by
    // it: quicker updates for more candidates. The answer is the same. 0: every bound is new. Of no use to impacts.
    double lazy;
    snag_regularity_mode regularity;
    uint32_t directions;  // regularity: sampled directions, 6, 12, 32 or 62; 0: the best
    snag_regions_rule regions;
    // regions, paper: the epsilons of levels 1, 2, ..., none larger than the one before. The last is for vertices, the paper's
    // last level: those nearer than that collide. Regions so deep or deeper are opened untested, and two of different levels
    // by the mean of their epsilons. With none (count 0) they follow from the radii of the regions, and vertices nearer than
    // `distance` collide.
    double epsilon[SNAG_REGION_LEVELS];
    uint32_t epsilon_count;
    bool lines;  // regions: list the lines of the hierarchy
    // hash: the side of a cell; 0: chosen from the mesh. Kept between a quarter and three times of what would be chosen.
    double cell_size;
    uint32_t table_size;  // hash: slots of the table; 0: chosen from the mesh
    // active: how many new pairs are started in each ask; 0: as many as suit the meshes and the target.
    uint32_t new_pairs;
    uint64_t seed;  // active: chooses the new pairs; the same seed and the same asks give the same answers
    // active: adapt the number of new pairs, and how fast clusters grow, so that about this part of all contacts is found,
    // 0..1; 0: no target.
    double target_ratio;
    // spheres: the depth of leaves below the root, at most SNAG_DEPTH_MAX; 0: 5 for overlaps, as deep as helps for intersections.
    uint32_t depth;
    uint32_t idle;  // spheres: branches that no sphere has met for so many asks are deleted; 0: after 64
    snag_backend backend;  // spheres
    bool pure;  // active: start pairs anywhere on the meshes, without a tree
    // kdop, active, spheres: end before the exact stage. The answer has no contacts; `pair_count` says how many pairs of elements
    // (overlaps: of leaves) the hierarchy leaves: to measure it alone, or to see how tight it is. Not for distance.
    bool candidates;
    // Contacts get an id and a phase, and the answer lists those that ended since the last ask of the same question with
    // `track`. A contact is the same if its elements are (and, for proximities, the feature of the triangle).
    bool track;
    // Stop after about so many microseconds; 0: no limit. The answer then lists what was found until then; of `distance` those
    // pairs of bodies whose search was finished, so that what is listed is true. `active` keeps it, see docs/methods/active.md.
    uint64_t budget_us;
    // Called now and then, by the asking thread, with the part that is done (0..1); returning false ends the search early, as the
    // budget does. Must not call the world.
    bool (*progress)(void *context, double done);
    // Returning false leaves out a pair of bodies (or a body with itself). Called by the asking thread. Must not call the world.
    bool (*filter)(void *context, snag_body_id a, snag_body_id b);
    void *context;  // for both callbacks
} snag_question_def;

SNAG_API snag_question_def snag_default_question_def(snag_question question);

typedef struct snag_answer {
    snag_question question;
    snag_method method;  // the one that answered; never auto. `regularity` leaves to `kdop` what that is quicker at
    const snag_contact *contacts;  // sorted by body and element of a, then of b; each contact once
    const snag_pair *pairs;        // with `pairs_only`, in the same order; contacts is NULL then
    size_t contact_count;          // of contacts or pairs
    bool complete;      // false if the budget or the progress callback ended the search; always false for `active`
    double covered;     // the part that was searched, 0..1; of `active`: the estimated ratio
    // Triangles of zero area (penetrations: tetrahedra without volume), which take part in no pair. `active` and `spheres`
    // do not look at every triangle and count none.
    size_t degenerate;
    size_t pair_count;   // candidates that reached the exact stage
    size_t exact_count;  // of those, how many needed exact arithmetic
    // regularity: elements of the hierarchy, and pairs of them, that were looked at; spheres: spheres compared with another
    size_t call_count;
    // regularity: pairs of triangles that were looked at, their boxes overlapping; spheres: boxes whose overlap with a surface
    // was tested (by the backend gl: occlusion queries)
    size_t test_count;
    // regions: pairs of regions that were looked into, by the level of the smaller one (deeper ones count for the last);
    // none where the lists of the last ask still hold. And pairs of leaves whose elements were compared; paper: that collide.
    size_t regions_opened[SNAG_REGION_LEVELS], region_contacts;
    // regions, paper: the longest epsilon of levels 1, 2, ... of any two bodies, as given or as it follows from the radii; 0
    // where regions of a level are opened untested, or where there are none.
    double epsilon[SNAG_REGION_LEVELS];
    const snag_region_line *lines;  // regions, with `lines`
    size_t line_count;
    double earliest;     // impacts: the earliest time, 1 if there is none: the largest step of the world free of impacts
    // The part of all contacts that is listed, as estimated, and an interval that holds the true part in nine steps of ten
    // or more. 1, 1, 1 for a complete answer (and where there is nothing to find); 0, 0, 1 where nothing is known. It is wider
    // once a body has moved by more than the contact distance since the last ask, was put elsewhere, came or went: earlier
    // samples are forgotten then; with `pure` nothing is known after that, and more from ask to ask.
    double ratio, ratio_low, ratio_high;
    uint32_t new_pairs;  // active: how many pairs were started in this ask
    const snag_ended_contact *ended;  // with `track`: in the order of contacts
    size_t ended_count;
} snag_answer;

// The answer is owned by the world and valid until the next ask, or until the world is destroyed.
// After the first few steps of like size, ask and move allocate nothing.
SNAG_API snag_status snag_world_ask(snag_world *world, const snag_question_def *question, const snag_answer **answer);

// What `spheres` keeps of a body.
typedef struct snag_tree_info {
    size_t level_count;  // branchings below the root: 0 if the tree is its root alone
    size_t node_count;   // spheres, the root's too; 0 if nobody has asked yet
    size_t bytes;        // resident
    uint64_t levels_made;     // since the tree began
    uint64_t triangles_read;  // to make them
    uint64_t blocks_read;     // of a source: so often a block was read
} snag_tree_info;

// SNAG_ERROR_BUSY during another call of the world; no message is kept.
SNAG_API snag_status snag_world_tree(const snag_world *world, snag_body_id body, snag_tree_info *info);

#ifdef __cplusplus
}
#endif

#endif
