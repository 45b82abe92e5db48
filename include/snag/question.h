// Questions about the bodies of a world, and answers.
//
//     snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
//     ask.distance = 2e-3;
//     const snag_answer *answer = NULL;
//     snag_status status = snag_world_ask(world, &ask, &answer);
//
// This header is all that most callers need. Options and counters of single methods are in snag/methods.h, the papers' experiments in
// snag/lab.h.
#ifndef SNAG_QUESTION_H
#define SNAG_QUESTION_H

#include "snag/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// The questions that a world answers.
typedef enum snag_question {
    SNAG_INTERSECTIONS = 0,  // triangle pairs that intersect, and rods through triangles, at t1
    SNAG_PROXIMITIES = 1,  // vertex-triangle and edge-edge pairs closer than `distance`, and those of rods and points, at t1
    SNAG_PENETRATIONS = 2,  // vertices inside tetrahedra and edges through them, at t1
    // Vertex-triangle and edge-edge pairs, and points with rods and points, that meet on the way from t0 to t1 (continuous detection, CCD).
    SNAG_IMPACTS = 3,
    SNAG_DISTANCE = 4,  // the closest features of each two bodies, at t1
    SNAG_OVERLAPS = 5,  // leaf spheres of the bodies' sphere trees that overlap, at t1: quick and conservative
    SNAG_QUESTION_COUNT
} snag_question;

// How candidate pairs are found (the broad phase). All complete methods give the same answer, byte for byte.
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

// Names are static; "unknown" for other values.
SNAG_API const char *snag_question_name(snag_question question);
SNAG_API const char *snag_method_name(snag_method method);
// Finds a question or method by its name, and writes it unless the pointer is NULL. False for an unknown name.
SNAG_API bool snag_question_from_name(const char *name, snag_question *question);
SNAG_API bool snag_method_from_name(const char *name, snag_method *method);
// Whether this build can answer the question by the method.
SNAG_API bool snag_method_answers(snag_method method, snag_question question);
// Whether it also finds self-contacts. A method that does not must be asked without `self`.
SNAG_API bool snag_method_finds_self(snag_method method, snag_question question);
// The method that `auto` starts with; SNAG_METHOD_AUTO for an unknown question. For intersections and impacts `auto` may change to
// `regularity` and back, depending on how smooth the surfaces are: the answer says which method gave it, and why.
SNAG_API snag_method snag_method_auto(snag_question question);

// ---- contacts ------------------------------------------------------------------------------------------------------

// Kinds of elements.
typedef enum snag_element_kind {
    SNAG_VERTEX = 0,
    SNAG_EDGE = 1,
    SNAG_TRIANGLE = 2,
    SNAG_TET = 3,
    SNAG_LEAF = 4,  // a leaf of a body's sphere tree
} snag_element_kind;

// One side of a contact.
typedef struct snag_element {
    snag_element_kind kind;
    // Of a vertex, triangle or tetrahedron its index in the body's def (polygons and volumes: its index in snag_body_info.triangles); of
    // an edge its index in snag_body_info.edges; of a leaf its path from the root: a 1, then three bits (z, y, x: 1 for the upper
    // half) for each level.
    uint32_t index;
    uint32_t vertex[2];  // of an edge: its vertices, the lower first; else zero
} snag_element;

// How two elements meet.
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
    SNAG_INSIDE = 7,  // a vertex in a tetrahedron
    // impacts whose time could not be resolved within the bound on work: treat as an impact at t
    SNAG_UNRESOLVED = 8,
    // penetrations with `edges`: an edge passes through a tetrahedron and ends outside of it
    SNAG_THROUGH = 9,
    // overlaps: two spheres
    SNAG_OVERLAP = 10,
    SNAG_CONTACT_KIND_COUNT
} snag_contact_kind;

// "crossing", "touching" and so on. Never NULL.
SNAG_API const char *snag_contact_kind_name(snag_contact_kind kind);

// The state of a tracked contact.
typedef enum snag_contact_phase {
    SNAG_PHASE_NONE = 0,  // not tracked
    SNAG_PHASE_BEGIN = 1,  // not in the last answer to this question
    SNAG_PHASE_PERSIST = 2,  // in the last answer too, under the same id
} snag_contact_phase;

// A confirmed contact. `a` is the vertex of a contact with a triangle, tetrahedron or edge, the edge of a contact with a tetrahedron or
// (intersections) a triangle, else the lower (body, element).
typedef struct snag_contact {
    snag_body_id body_a, body_b;  // the same for a self-contact
    snag_element a, b;
    snag_contact_kind kind;
    uint32_t shared;  // intersections: how many vertices the two elements share
    // Proximities and distance: the distance. Penetrations: depth along the normal, for `through` the length inside. Overlaps: depth.
    // Else 0.
    double value;
    double t;  // impacts: the time in 0..1, never later than the true one; else 0
    // Intersections: the two ends of the shared segment (equal for a point). Penetrations: the vertex, and where the normal
    // leads out of b's surface; for `through` where the edge, from its lower vertex on, enters and leaves the tetrahedron.
    // Overlaps: the centres. Else the closest point on a and on b.
    double point_a[3], point_b[3];
    double normal[3];  // unit, from b towards a; zero where there is none
    // Vertex-triangle: weight[0..2] of the triangle's vertices (barycentric). Vertex-edge: weight[0..1] of the edge's. Vertex-vertex:
    // weight[0] is 1. Edge-edge: weight[0..1] of a's and [2..3] of b's vertices. Vertex-tetrahedron: of its four vertices. Edge-tetrahedron: of the edge's vertices, [0..1] where it enters and
    // [2..3] where it leaves. Overlaps: the radii of a and b. Else zero.
    double weight[4];
    uint64_t id;  // with `track`: never 0, the same as long as the contact persists, never used again; else 0
    snag_contact_phase phase;  // with `track`; else SNAG_PHASE_NONE
    uint32_t age;  // with `track`: for how many asks it has persisted, 0 when it begins
} snag_contact;

// A contact in 24 bytes.
typedef struct snag_pair {
    uint32_t body_a, body_b;  // `index` of the bodies' ids
    uint32_t a, b;  // elements: snag_element.index
    uint8_t kind_a, kind_b;  // snag_element_kind
    uint8_t kind;  // snag_contact_kind
    uint8_t shared;  // as in snag_contact
    // Rounded down, so never larger than the contact's: distance of proximities and distance, time of impacts, depth of overlaps,
    // length inside of `through`. Depth of vertices in tetrahedra takes a search of its own and is 0 here: ask for contacts.
    float value;
} snag_pair;

// A contact of the last answer to a question that this one does not list. Its bodies may have been removed.
typedef struct snag_ended_contact {
    uint64_t id;
    snag_body_id body_a, body_b;
    snag_element_kind kind_a, kind_b;
    uint32_t a, b;  // index of vertex, edge, triangle or tetrahedron in its body
} snag_ended_contact;

// ---- asking --------------------------------------------------------------------------------------------------------

// Form of the answer.
typedef enum snag_output {
    SNAG_OUTPUT_CONTACTS = 0,  // everything: points, normal, weights, value; 192 bytes each
    SNAG_OUTPUT_PAIRS = 1,  // elements, kind and value; 24 bytes each. Faster if there are many
    SNAG_OUTPUT_COUNT = 2,  // only how many there are
    // Impacts only: the largest step free of impacts, and the pair that ends it. Later ones are not looked for: much faster.
    SNAG_OUTPUT_EARLIEST = 3,
    SNAG_OUTPUT_FORM_COUNT
} snag_output;

struct snag_exclusions;  // snag/filter.h

// Which pairs of bodies and of elements take part, beside the groups and masks of the bodies' defs (snag/world.h). A pair that is
// filtered out is not tested and is in no answer; docs/guide/filters.md says what that means for each question. Filters of elements
// are part of the question: every method gives the same answer. They do not apply to overlaps, which have no elements.
typedef struct snag_filter {
    uint32_t cookie;  // set by snag_default_filter; any other value is refused
    // Leave out pairs of elements of one body that are neighbours on the mesh: a vertex of the one is at most this many edges (of any
    // element) away from a vertex of the other. 0: only what shares a vertex is special, as each question says; at most 16.
    uint32_t exclude_rings;
    // Leave out pairs of elements of one body that are this close or closer in its rest pose (snag_body_def.rest), by exact arithmetic.
    // 0: none. A body whose self-contacts are searched must have a rest pose.
    double exclude_rest;
    const struct snag_exclusions *exclusions;  // pairs of elements that never meet, see snag_world_exclude; NULL: none
    // Return false to skip a pair of bodies (with a == b: the self-contacts of a body). Called on the asking thread, in no particular
    // order and maybe more than once for a pair; must return the same for (a, b) and (b, a) during an ask, and must not call the
    // world except for what world.h allows in callbacks. NULL: all pairs.
    bool (*bodies)(void *context, snag_body_id a, snag_body_id b);
    void *context;
} snag_filter;

// No pair is left out.
SNAG_API snag_filter snag_default_filter(void);

// Takes an answer in sorted blocks instead of one array, so that it may be larger than memory. All callbacks run on the asking thread, during
// the ask, and must not call the world except for what world.h allows in callbacks.
typedef struct snag_sink {
    uint32_t cookie;  // set by snag_default_sink; any other value is refused
    // Takes the next contacts or pairs, as `output` says (the other pointer is NULL); the blocks one after the other are what the answer would list.
    // The arrays are valid during the call. Return false to stop: the answer is then not complete.
    bool (*take)(void *context, const snag_contact *contacts, const snag_pair *pairs, size_t count);
    size_t block;  // most contacts or pairs in a block; 0: 65536
    // Storage outside of memory, such as a temporary file (snag_io_scratch of snag/io.h): what was found is sorted, written there in runs of
    // about `memory` bytes, and merged at the end. Bytes that were written at an offset are read from there later in the same ask; every ask
    // starts again at 0. Return false if it fails: the ask ends with SNAG_ERROR_FILE. Both NULL: what was found stays in memory
    // (24 bytes for each, some 100 while it is sorted), and only contacts and pairs are handed out in blocks.
    // Answers that need all contacts at once (penetrations as contacts) or that are short anyway (distance, overlaps, the method active)
    // stay in memory. The method kdop writes runs as it goes, other methods between their passes.
    bool (*write)(void *context, uint64_t offset, const void *bytes, size_t size);
    bool (*read)(void *context, uint64_t offset, void *bytes, size_t size);
    size_t memory;  // 0: 256 MiB
    void *context;
} snag_sink;

// Only the cookie is set; set `take`.
SNAG_API snag_sink snag_default_sink(void);

struct snag_candidates;  // snag/candidates.h
struct snag_method_options;  // snag/methods.h
struct snag_statistics;

// Pointers are borrowed for the call.
typedef struct snag_question_def {
    uint32_t cookie;  // set by snag_default_question_def; any other value is refused
    snag_question question;
    snag_method method;
    snag_output output;
    bool self;  // find contacts of a body with itself
    bool between;  // find contacts between bodies. At least one of the two must be set
    // Proximities: pairs at this distance or closer, added to the radii of the two bodies; distance: skip bodies farther apart (0: no
    // limit).
    double distance;
    double separation;  // impacts: report when the gap falls to this, added to the radii of the two bodies, not only at 0
    bool ignore_radius;  // proximities and impacts: as if all bodies had the radius 0. The other questions always are so
    double tolerance;  // impacts: how far before the true contact a reported time may lie, as a distance
    double until;  // impacts: ignore those later than this, 0..1
    uint32_t closest;  // distance: list this many pairs of bodies, the closest ones (of equal ones the lower bodies); 0: all
    bool every_pair;  // proximities: list every vertex-triangle and edge-edge pair, not each contact of features once
    // penetrations: also edges (of surfaces, and of the boundaries of volumes) that pass through a tetrahedron with neither end in
    // it. Edges that share a vertex with the tetrahedron take no part.
    bool edges;
    // Contacts get an id and a phase, and the answer lists those that ended since the last ask of the same question with `track`. A
    // contact is the same if its elements are (and, for proximities, the feature of the triangle). Contacts only, not for overlaps.
    bool track;
    const snag_filter *filter;  // NULL: none
    // Takes contacts or pairs in sorted blocks; the answer then has only their number. NULL: the answer lists them.
    const snag_sink *sink;
    // Proximities and impacts, with the method auto: answer from these pairs, without a search. The contacts are those of a search as long
    // as the set holds, see snag/candidates.h. NULL: search.
    const struct snag_candidates *candidates;
    const struct snag_method_options *options;  // of the method above, which must not be auto: snag/methods.h; NULL: defaults
    // Stop after about this many microseconds; 0: no limit. The answer then lists what was found so far; for `distance` only pairs of
    // bodies whose search was finished, so that all distances are right. `active` plans with it, see docs/methods/active.md.
    uint64_t budget_us;
    // Called now and then on the asking thread with the part that is done (0..1); return false to stop the search, as the budget does.
    // Must not call the world except for what world.h allows in callbacks. NULL: none.
    bool (*progress)(void *context, double done);
    void *context;  // for progress
} snag_question_def;

// Auto, contacts, self and between (overlaps: between only, since neighbouring spheres of one body always overlap), tolerance 1e-6,
// until 1, edges; all else 0. `distance` of proximities is 0: set it.
SNAG_API snag_question_def snag_default_question_def(snag_question question);

// The answer to a question.
typedef struct snag_answer {
    snag_question question;
    snag_method method;  // the one that answered; never auto
    snag_output output;
    const char *reason;  // why this method: a static sentence
    const snag_contact *contacts;  // sorted by body and element of a, then of b; each contact once. NULL for other outputs
    const snag_pair *pairs;  // in the same order. NULL for other outputs
    // Of contacts or pairs; for the output `count` how many contacts were found; for `earliest` 1 if there is an impact, else 0.
    size_t count;
    // False if the budget or the progress callback ended the search; always false for `active`, and for candidates of your own.
    bool complete;
    double covered;  // the part that was searched, 0..1; for `active` the estimated ratio
    double earliest;  // impacts, every output: the earliest time, 1 if there is none: the world can step this far without an impact
    snag_pair culprit;  // impacts: the pair with the earliest time, the first in order; zero if there is none
    // Triangles of zero area (penetrations: tetrahedra of zero volume), which take part in no pair. `active` and `spheres` do not visit
    // every triangle and count none.
    size_t degenerate;
    // The estimated part of all contacts that is listed, and an interval that contains the true part in at least nine steps of ten.
    // 1, 1, 1 for a complete answer (and if there is nothing to find); 0, 0, 1 if nothing is known. The interval gets wider when a
    // body has moved by more than the contact distance since the last ask, was teleported, added or removed, since earlier samples
    // are dropped; with the lab's `pure` nothing is known at first then, and more from ask to ask.
    double ratio, ratio_low, ratio_high;
    // With `track`: in the order of contacts; then those whose elements an edit removed.
    const snag_ended_contact *ended;
    size_t ended_count;
    const struct snag_statistics *statistics;  // counters of the search: snag/methods.h. Never NULL
} snag_answer;

// Answers a question. The answer and all it points to are owned by the world and valid until the next ask, edit, remove or destroy; add,
// begin_step, move and teleport do not change it. Any number of threads may read it. After the first few steps of similar size, ask
// and move allocate nothing.
// Errors: SNAG_ERROR_ARGUMENT (a def without its cookie, neither self nor between, a value out of range, options of another method),
// _UNSUPPORTED (the method does not answer this question, or not in this form, or a backend has no driver), _MEMORY, _SIZE (more
// contacts than an index can count), _BUSY (from a callback or a second thread), _FILE (storage of a sink), and any status of a source's
// `read`. The message says what to change. With candidates also SNAG_ERROR_STALE (vertices have moved farther than the set allows, or
// bodies were added: collect again), _BODY (the set is of another world, or of a body that was removed) and _ARGUMENT (the question asks
// for more than the set was collected for). The previous answer stays valid only if the question itself was refused (_ARGUMENT,
// _UNSUPPORTED, _BUSY, _STALE, _BODY).
SNAG_API snag_status snag_world_ask(snag_world *world, const snag_question_def *question, const snag_answer **answer);

#ifdef __cplusplus
}
#endif

#endif
