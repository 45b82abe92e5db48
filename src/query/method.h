// The interface of all methods. A method finds candidate pairs (the broad phase); the shared stages in this folder test them
// exactly, sort the contacts and write the answer:
//
//     method->find   ->  snag__narrow_phase  ->  records of contacts  ->  snag__finish  ->  contacts
//
// Every complete method therefore gives the same contacts, byte for byte, whatever candidates it tested.
#ifndef SNAG_QUERY_METHOD_H
#define SNAG_QUERY_METHOD_H

#include "base/assert.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "geom/impact.h"
#include "geom/f32_filter.h"
#include "mesh/mesh.h"
#include "query/question.h"

// The triangles of a source that are in memory during an ask.
typedef struct snag__window {
    uint32_t *ids;  // ascending
    double (*x)[3];
    uint32_t (*triangles)[3];
    uint32_t count;
} snag__window;

// A surface that stays on disk and does not move.
typedef struct snag__source {
    snag_source_def def;
    uint32_t triangle_count;
    double lo[3], hi[3];
    snag__window window;  // owned by `spheres`, valid during an ask
} snag__source;

typedef struct snag__body {
    snag_body_id id;
    char *name;
    snag__mesh mesh;
    void *user;

    // Stamps from one counter of the world. Data derived from positions keeps their stamp, and is stale when the stamps differ.
    uint64_t pose;  // of the positions at t1
    uint64_t pose_t0;  // of the positions at t0; equal to `pose` while the body rests
    uint64_t motion;  // of both: changes as soon as either does
    struct snag__body *next_moved, *previous_moved;  // in the world's list of bodies that have moved in this step

    snag__source *source;  // NULL for a body in memory. The mesh of a source is empty.

    // Filters: see snag_body_def. The bits of the body are those of all its vertices together.
    uint32_t group, mask;
    uint32_t *vertex_groups, *vertex_masks;  // NULL: the bits above
    double (*rest)[3];  // the rest pose; NULL: none
    uint32_t *labels;  // by triangle, polygon or tetrahedron of the def; NULL: none
    uint32_t label_count;
    uint32_t *rod_labels, *point_labels;  // by rod, by point of the def; NULL: all 0
    // Stamp of the elements, from the same counter: no two bodies have the same, and it changes with every edit. Trees and tables keep it.
    uint64_t topology;
    // Whether it encloses anything: a volume, or a surface whose edges have an even number of triangles each. Known in this topology.
    bool encloses;
    uint64_t encloses_topology;
    bool asked;  // a question has been asked since it was added
    struct snag__edit_log *log;  // of its edits; NULL: there were none

    size_t degenerate;  // triangles of zero area, in pose `degenerate_pose`
    uint64_t degenerate_pose;
    // Until the body has moved by `zero_area_slack` from here, every triangle keeps a positive area.
    double zero_area_slack, zero_area_displacement;
    uint32_t zero_area_jumps;
    size_t zero_volume_tets;  // tetrahedra without volume, in pose `zero_volume_pose`
    uint64_t zero_volume_pose;

    // Once a method with `follows_motion` has been asked: an upper bound on the path length of any vertex along any axis, and how
    // many moves had no bound.
    double displacement;
    uint32_t jumps;
} snag__body;

// Adds a move in which no vertex moved farther than this along any axis; INFINITY: unknown.
void snag__body_note_move(snag__body *body, double farthest);
// An upper bound on how far any vertex has moved along any axis since the body had these values; INFINITY if unknown.
double snag__body_displacement_since(const snag__body *body, double displacement, uint32_t jumps);

// The kinds of elements that a question pairs. A pass of one kind with itself is symmetric: it tests each unordered pair once.
typedef struct snag__pass {
    snag_element_kind row, column;
} snag__pass;

// Each parallel task appends to its own list. Nothing allocates while tasks run: a full list only counts, and its task runs again
// once the list has grown.
typedef struct snag__record_list {
    snag__record *records;
    size_t count;  // records wanted; may exceed the capacity
    size_t capacity;
    size_t pair_count, exact_count;
    snag__buffer memory;
} snag__record_list;

enum { SNAG__MAX_TASKS = 64 };

// One call of snag_world_ask in progress: the question, the bodies, and what was found so far.
typedef struct snag__ask {
    const snag__question *def;
    const struct snag__question_kind *kind;  // the question's row in the table of kind.c
    snag__body *const *bodies;  // the living ones, in the order of their ids
    uint32_t body_count;
    bool thin;  // some have rods or points
    bool thick;  // some have a radius that counts in this question
    uint32_t *first_element;  // [body_count + 1]: the number of each body's first element among all elements of the world

    const snag_allocator *allocator;  // for what methods keep
    const snag_allocator *answer_allocator;  // for records, contacts and pairs
    const snag__parallel *parallel;
    const snag_log *log;
    snag_isa isa;
    struct snag__scratch *scratch;
    const struct snag__filter *filter;  // of pairs of elements; NULL: there is none, see filter.h
    bool picks_bodies;  // some pairs of bodies may not be wanted, beside those that `self` and `between` say
    const struct snag__f32_vertices *f32;  // vertices in single precision; NULL: there are none
    const struct snag__f32_paths *paths;  // of impacts: vertices at both ends; NULL: there are none
    double set_times[2];  // with a set of candidates: the times of its move at which bodies are near it at t0 (impacts) and t1
    bool f32_impacts;  // and they are what candidates are filtered by
    bool bounded;  // of impacts: nothing later than scratch->latest is looked at
    const struct snag__method *method;  // the one that answers
    const char *reason;  // why that one

    const snag__clock *clock;
    uint64_t started_us;
    uint64_t round_until_us;  // see snag__round_over; UINT64_MAX: rounds have no end
    bool last_round;  // the round ends with the budget
    bool stopped;  // by the budget or the progress callback
    double done;  // part searched, 0..1

    double ratio, ratio_low, ratio_high;  // partial methods: estimated part of all contacts that were found, and its bounds
    snag_statistics statistics;
    snag_lab_results lab;
    size_t contour_edges;  // `regularity`: contour edges tested
    const struct snag__leaf *leaves;  // `overlaps`: keys of records index these
    uint32_t run_count;  // of a sink: runs that were written
    uint64_t spilled_bytes;
    char message[200];  // details of a failure; empty if the status says it all
} snag__ask;

static inline uint64_t snag__ask_now(const snag__ask *ask)
{
    return snag__clock_now(ask->clock);
}

// A leaf of a sphere tree that is in contact.
typedef struct snag__leaf {
    uint32_t body;  // index into ask->bodies
    uint32_t code;  // locational code
    double centre[3], radius;
} snag__leaf;

// Vertices of all bodies in single precision: see f32_vertices.h.
typedef struct snag__f32_vertices {
    double origin[3], scale;  // 0: there is none
    snag__buffer memory, entries;
    uint32_t count;  // bodies
} snag__f32_vertices;

// Vertices of all bodies at both ends of the move in single precision: see f32_paths.h.
typedef struct snag__f32_paths {
    double origin[3], scale;  // 0: there is none
    bool usable;
    float scaled;
    double largest, smallest;
    snag__buffer memory, entries;
    uint32_t count;  // bodies
} snag__f32_paths;

// The pair of the earliest impact of an ask.
typedef struct snag__culprit {
    bool known, edges;
    snag_body_id body_a, body_b;
    uint32_t a, b;  // vertex and triangle, or two edges
} snag__culprit;

// A sorted run of records in the storage of a sink: see query/sink.c.
typedef struct snag__record_run {
    uint64_t offset;  // of the next bytes to read
    size_t left;  // records that are not read yet
    size_t loaded, at;  // records in memory, and the next of them
} snag__record_run;

typedef struct snag__spilled {
    snag__buffer runs, heap, merged, block, written;  // from the answer allocator
} snag__spilled;

// Memory kept from ask to ask: a step no larger than earlier ones allocates nothing.
typedef struct snag__scratch {
    snag__record_list lists[SNAG__MAX_TASKS];
    snag__buffer boxes, sides;  // of `brute`
    snag__spilled spilled;
    snag__buffer records, sorted, answer, inside;  // of snag__finish, from the answer allocator; `answer`: contacts or pairs
    snag__buffer first_element, bodies;  // of the ask
    snag__buffer depth;  // state of snag__depths
    snag__buffer states[SNAG_METHOD_COUNT];  // state of each method: see snag__state_of
    snag__buffer nearest;  // of the methods that answer `distance`: body pairs
    snag__buffer filter;  // tables of filter.h
    snag__f32_vertices f32_vertices;
    snag__f32_paths f32_paths;
    _Atomic uint64_t latest;  // of impacts: the bits of the time after which none is looked for any more (see query/impacts.h)
    snag__culprit culprit;  // of the last ask for the earliest impact
    snag__auto_policy auto_policy;
    double finish_us;  // duration of the last snag__finish of `active`, and its number of contacts
    size_t finished;
} snag__scratch;

// A method that declines a search returns this, and the plan tries the next one. It never leaves snag__plan_run.
#define SNAG__DECLINED ((snag_status)-1)

typedef struct snag__method {
    snag_method method;
    uint32_t questions;  // bit i is set if the method answers question i
    bool partial;  // finds only part of the contacts, so `auto` never chooses it
    bool between;  // finds no self-contacts
    bool blind;  // does not visit every element, so degenerate ones are not counted
    bool counts_candidates;  // can stop before the narrow phase
    bool many_candidates;  // so many that preparing all vertices for the narrow phase pays
    bool nearly_ordered;  // its records, list by list, are in order but for a few
    bool thin;  // knows rods and points, and radii
    bool follows_motion;  // needs to know how far bodies move between asks (snag__body.displacement)
    // Checks the method's own options and copies them into the question. NULL: it has none. Fails with SNAG_ERROR_ARGUMENT and a
    // message.
    snag_status (*read_options)(const snag_method_options *options, snag__question *question, snag__words *message);
    // Whether another method answers this question better, whatever the bodies are. NULL: never.
    bool (*declines)(const snag__question *question);
    // Finds candidates and passes them to snag__narrow_phase. May return SNAG__DECLINED.
    snag_status (*find)(snag__ask *ask);
    void (*end)(snag__ask *ask);  // NULL, or called once the answer is complete and nothing can fail any more
    // Frees scratch->states[method] and everything in it. NULL: the method keeps no state.
    void (*free)(const snag_allocator *allocator, snag__buffer *state);
} snag__method;

// The state that a method keeps from ask to ask, zeroed at first. NULL if there is no memory.
void *snag__state_of(snag__ask *ask, snag_method method, size_t size);

// Writes to the user's log, if there is one.
void snag__ask_log(const snag__ask *ask, snag_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Number of triangles of a body in memory or of a source.
static inline uint32_t snag__triangle_count(const snag__body *body)
{
    return body->source != NULL ? body->source->triangle_count : body->mesh.triangle_count;
}

// The triangles of a body that are in memory: all of them, or the window of a source.
typedef struct snag__triangle_view {
    const double (*x)[3];
    const uint32_t (*triangles)[3];
    const uint32_t *ids;  // triangle numbers; NULL: the indices are the numbers
    uint32_t count;
} snag__triangle_view;

snag__triangle_view snag__view_triangles(const snag__body *body);
// The index in the view of a triangle, which must be in it.
uint32_t snag__view_index(const snag__triangle_view *view, uint32_t triangle);

// The number of an element among all elements of the world: body by body its vertices, edges, triangles, tetrahedra.
uint32_t snag__element_number(const snag__ask *ask, uint32_t body, snag_element_kind kind, uint32_t index);
// The index into ask->bodies of the body with this element: the last body that starts at or before it.
uint32_t snag__body_of(const snag__ask *ask, uint32_t number);

extern const snag__method snag__brute, snag__kdop, snag__hash, snag__active, snag__regularity, snag__spheres, snag__regions_method;

// ---- services for methods ----

// How many elements of a kind a mesh has.
uint32_t snag__element_count(const snag__mesh *mesh, snag_element_kind kind);
// Whether contacts of bodies i and j (indices into ask->bodies) are wanted; i == j: self-contacts.
bool snag__wanted(const snag__ask *ask, uint32_t i, uint32_t j);
// A mesh as one side of a batch of impact tests on its elements of a kind.
snag__impact_side snag__impact_side_of(const snag__mesh *mesh, snag_element_kind kind);

// Tests candidates (row element of body i, column element of body j) exactly and appends the contacts to `list`.
void snag__narrow_phase(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                        const uint32_t (*pairs)[2], size_t count);

// Elements by the slots of BVHs, those of rows and those of columns: see snag__slots. A vertex is its own number there too.
typedef struct snag__element_slots {
    const uint32_t *rows, *columns;  // by slot: the element's number in its body
    const uint32_t *row_vertices, *column_vertices;  // by slot
    // Of edges: both ends by slot, as in f32_vertices.h, where rows and columns are the same. NULL: they are not at hand.
    const struct snag__f32_vertex *ends;
} snag__element_slots;

// Whether the question takes the candidates of a pass by slots. If so, the same as snag__narrow_phase for pairs of slots: single precision
// drops most, and reads what is close in space where it is close in memory.
bool snag__takes_slots(const snag__ask *ask, const snag__pass *pass);
void snag__narrow_phase_elements(const snag__ask *ask, snag__record_list *list, const snag__pass *pass,
                                 const snag__element_slots *slots, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                 size_t count);

// Triangles by the slots of a BVH: triangles that are close in space are close in memory.
typedef struct snag__slots {
    const uint32_t *elements;  // by slot: the triangle's number in its body
    const uint32_t (*vertices)[3];  // by slot
    const snag__f32_triangle *f32;  // by slot; may be NULL
    float f32_rounding;  // see f32_filter.h
} snag__slots;

// The same for pairs of triangles that are given by their slots.
void snag__narrow_phase_slots(const snag__ask *ask, snag__record_list *list, const snag__slots *slots, uint32_t i, uint32_t j,
                              const uint32_t (*pairs)[2], size_t count);

// Appends penetrations (tetrahedron, vertex; both by element number) that the method has already tested exactly.
void snag__narrow_phase_certain(snag__record_list *list, const uint32_t (*pairs)[2], size_t count);

// Runs task(context, k, &lists[k]) for k < count <= SNAG__MAX_TASKS in parallel. Tasks whose list was too short run again after it
// has grown.
snag_status snag__run_tasks(snag__ask *ask, uint32_t count, void (*task)(void *context, uint32_t index, snag__record_list *list),
                            void *context);

// Reports progress and checks the budget. False: stop the search here.
bool snag__go_on(snag__ask *ask, double done);

// For searches whose tasks may take long. The asking thread begins a round; a task that finds the round over finishes its current
// item, returns, and continues in the next round. Call snag__go_on between rounds. Without budget and progress there is one round.
void snag__round_begin(snag__ask *ask);
static inline bool snag__round_over(const snag__ask *ask)
{
    return ask->round_until_us != UINT64_MAX && snag__ask_now(ask) >= ask->round_until_us;
}
// Whether a task need not begin, because no round follows. (In all other rounds it makes some progress, however late it is.)
static inline bool snag__budget_over(const snag__ask *ask)
{
    return ask->last_round && snag__round_over(ask);
}

// Sorts the records, drops duplicates and writes the answer.
snag_status snag__finish(snag__ask *ask, snag_answer *answer);

// The records of all lists in order, each once; *count is how many the lists have, and becomes how many there are. NULL if there is no
// memory for them.
snag__record *snag__order_records(snag__ask *ask, size_t *count);

// Makes room for `count` records. No task may be writing to the list.
bool snag__record_list_reserve(const snag_allocator *allocator, snag__record_list *list, size_t count);

// How many triangles of a body have zero area at t1, counted once for each pose. Also sets mesh.has_area.
size_t snag__count_degenerate(const snag__ask *ask, snag__body *body);

// Describes the sphere tree of a body; zeros if there is none.
void snag__spheres_describe(const snag__buffer *memory, snag_body_id id, snag_tree_info *info);
void snag__nearest_free(const snag_allocator *allocator, snag__buffer *memory);

// Frees the memory of records and answers. For an ask that has found nothing, before snag__finish.
void snag__scratch_empty(const snag_allocator *answer_allocator, snag__scratch *scratch);
void snag__scratch_free(const snag_allocator *allocator, const snag_allocator *answer_allocator, snag__scratch *scratch);

#endif
