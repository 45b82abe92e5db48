// The one interface of all methods. A method finds candidate pairs (the broad phase); the shared stages in this folder confirm them
// exactly, sort them and write the answer:
//
//     method->find   ->  snag__narrow_phase  ->  records of confirmed pairs  ->  snag__finish  ->  contacts
//
// so that every complete method gives the same contacts, byte for byte, whatever pairs it looked at on the way.
#ifndef SNAG_QUERY_METHOD_H
#define SNAG_QUERY_METHOD_H

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "geom/impact.h"
#include "geom/f32_filter.h"
#include "mesh/mesh.h"
#include "query/question.h"

// The triangles of a source that an ask is about: those at hand.
typedef struct snag__window {
    uint32_t *ids;  // ascending
    double (*x)[3];
    uint32_t (*triangles)[3];
    uint32_t count;
} snag__window;

// A surface that stays where it is.
typedef struct snag__source {
    snag_source_def def;
    uint32_t triangle_count;
    double lo[3], hi[3];
    snag__window window;  // owned by `spheres`, for the time of an ask
} snag__source;

typedef struct snag__body {
    snag_body_id id;
    char *name;
    snag__mesh mesh;
    void *user;

    // Stamps from one counter of the world: what was derived from positions keeps their stamp, and is stale once it is another.
    uint64_t pose;  // of the positions at t1
    uint64_t pose_t0;  // of the positions at t0; equal to `pose` while the body rests
    uint64_t motion;  // of both together: another one as soon as either changes
    struct snag__body *next_moved, *previous_moved;  // in the world's list of bodies that have moved in this step

    snag__source *source;  // NULL: a body like any other. Of a source the mesh is empty.

    size_t degenerate;  // triangles of zero area, in pose `degenerate_pose`
    uint64_t degenerate_pose;
    // While the body has moved by less than `zero_area_slack` since this, no triangle loses its area (and none had none).
    double zero_area_slack, zero_area_displacement;
    uint32_t zero_area_jumps;
    size_t zero_volume_tets;  // tetrahedra without volume, in pose `zero_volume_pose`
    uint64_t zero_volume_pose;

    // In worlds that are asked by `active` or `regions`: a bound on the path of any vertex along any axis, and how often a path was unknown.
    double displacement;
    uint32_t jumps;
} snag__body;

// Notes that no vertex has moved farther than this along any axis; INFINITY: it is not known.
void snag__body_note_move(snag__body *body, double farthest);
// How far any vertex has moved along any axis since the body had travelled so far, at most; infinite if that is not known.
double snag__body_displacement_since(const snag__body *body, double displacement, uint32_t jumps);

// Which elements a question pairs. Rows and columns are element kinds; a pass of one kind with itself is symmetric: each
// unordered pair is looked at once.
typedef struct snag__pass {
    snag_element_kind row, column;
} snag__pass;

// Tasks of work that run at the same time append to lists of their own. Nothing allocates while they run: a list that is
// full goes on counting, and its task is run again when there is room.
typedef struct snag__record_list {
    snag__record *records;
    size_t count;  // may exceed the capacity: so many there would be
    size_t capacity;
    size_t pair_count, exact_count;
    snag__buffer memory;
} snag__record_list;

enum { SNAG__MAX_TASKS = 64 };

// One question on its way: what is asked, of which bodies, and what was found so far.
typedef struct snag__ask {
    const snag__question *def;
    const struct snag__question_kind *kind;  // what the question needs: see kind.h
    snag__body *const *bodies;  // the living ones, by index
    uint32_t body_count;
    uint32_t *first_element;  // per body: the number of its first element among all elements of the world; and behind the last

    const snag_allocator *allocator;  // for what methods keep
    const snag_allocator *answer_allocator;  // for records, contacts and pairs
    const snag__parallel *parallel;
    const snag_log *log;
    snag_isa isa;
    struct snag__scratch *scratch;
    const struct snag__f32_vertices *f32;  // vertices in single precision; NULL: there are none
    const struct snag__f32_paths *paths;  // of impacts: vertices at both ends; NULL: there are none
    bool f32_impacts;  // and they are what candidates are filtered by
    bool bounded;  // of impacts: nothing later than scratch->latest is looked at
    const struct snag__method *method;  // who answers
    const char *reason;  // why

    const snag__clock *clock;
    uint64_t started_us;
    uint64_t round_until_us;  // see snag__round_over; UINT64_MAX: no task need look
    bool last_round;  // it ends with the budget
    bool stopped;  // by the budget or the progress callback
    double done;  // the part that was searched, 0..1

    double ratio, ratio_low, ratio_high;  // of a method that is not complete: the part of all contacts that it found
    snag_statistics statistics;
    snag_lab_results lab;
    size_t contour_edges;  // of `regularity`: edges of contours that it tested
    const struct snag__leaf *leaves;  // of the answer to `overlaps`: by the numbers in the keys of records
    char message[200];  // of a failure, if its status does not say all
} snag__ask;

static inline uint64_t snag__ask_now(const snag__ask *ask)
{
    return snag__clock_now(ask->clock);
}

// A leaf of a sphere tree that is in contact.
typedef struct snag__leaf {
    uint32_t body;  // slot in ask->bodies
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

// Memory that lives from ask to ask, so that a step allocates nothing once it has seen one of its size.
typedef struct snag__scratch {
    snag__record_list lists[SNAG__MAX_TASKS];
    snag__buffer boxes, sides;  // of `brute`
    snag__buffer records, sorted, contacts, pairs, inside;  // of the finish, from the allocator of answers
    snag__buffer first_element, bodies;  // of the ask
    snag__buffer depth;  // of the depths: their state
    snag__buffer states[SNAG_METHOD_COUNT];  // what each method keeps: see snag__method.free
    snag__buffer nearest;  // of the methods that answer `distance`: bodies near each other
    snag__f32_vertices f32_vertices;
    snag__f32_paths f32_paths;
    _Atomic uint64_t latest;  // of impacts: the bits of the time after which none is looked for any more (see query/impacts.h)
    snag__culprit culprit;  // of the last ask for the earliest impact
    snag__auto_policy auto_policy;
    double finish_us;  // what the last finish of `active` took, and for how many contacts
    size_t finished;
} snag__scratch;

// A method declines a search that does not suit it: the plan goes on with the next one. Never seen outside of an ask.
#define SNAG__DECLINED ((snag_status)-1)

typedef struct snag__method {
    snag_method method;
    uint32_t questions;  // bit i is set if question i is answered
    bool partial;  // it finds a part of the contacts: only who asks for it gets it
    bool between;  // it finds no contacts of a body with itself
    bool blind;  // it does not look at every element, and so counts none that are degenerate
    bool counts_candidates;  // it can end before the exact stage
    bool many_candidates;    // so many that it pays to prepare all vertices for the narrow phase
    bool follows_motion;  // it needs to know how far bodies move between asks (snag__body.travel)
    // Takes its options into the question. NULL: it has none but those that all have. SNAG_ERROR_ARGUMENT with a message.
    snag_status (*read_options)(const snag_method_options *options, snag__question *question, snag__words *message);
    // Whether a question, whatever the bodies are, is one that another method answers better. NULL: never.
    bool (*declines)(const snag__question *question);
    // Finds pairs and hands them to snag__narrow_phase. May return SNAG__DECLINED.
    snag_status (*find)(snag__ask *ask);
    void (*end)(snag__ask *ask);  // NULL, or called when the answer is made and nothing can fail any more
    // Frees scratch->states[method] and all that it holds. NULL: there is none.
    void (*free)(const snag_allocator *allocator, snag__buffer *state);
} snag__method;

// What a method keeps from ask to ask: zeroed when it is made. NULL without memory.
void *snag__state_of(snag__ask *ask, snag_method method, size_t size);

// Tells the user's log, if there is one.
void snag__ask_log(const snag__ask *ask, snag_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Triangles of a body, its own or those of its source.
static inline uint32_t snag__triangle_count(const snag__body *body)
{
    return body->source != NULL ? body->source->triangle_count : body->mesh.triangle_count;
}

// Where triangles of a body are found: of a source those at hand, by their slots in the window.
typedef struct snag__triangle_view {
    const double (*x)[3];
    const uint32_t (*triangles)[3];
    const uint32_t *ids;  // their numbers; NULL: the slots are the numbers
    uint32_t count;
} snag__triangle_view;

snag__triangle_view snag__view_triangles(const snag__body *body);
// The slot of a triangle that is at hand.
uint32_t snag__view_index(const snag__triangle_view *view, uint32_t triangle);

// The number of an element among all elements of the world's bodies: each body's vertices, edges, triangles, tetrahedra.
uint32_t snag__element_number(const snag__ask *ask, uint32_t body, snag_element_kind kind, uint32_t index);
// The slot of the body that holds an element number: the last one that starts at or before it.
uint32_t snag__body_of(const snag__ask *ask, uint32_t number);

extern const snag__method snag__brute, snag__kdop, snag__hash, snag__active, snag__regularity, snag__spheres, snag__regions_method;

// ---- what methods ask of an ask ----

// How many elements of a kind a mesh has for a pass.
uint32_t snag__element_count(const snag__mesh *mesh, snag_element_kind kind);
// Whether contacts of bodies i and j (by slot in ask->bodies) are wanted; i == j: of the body with itself.
bool snag__wanted(const snag__ask *ask, uint32_t i, uint32_t j);
// A mesh as one side of a run of impact tests on its elements of a kind.
snag__impact_side snag__impact_side_of(const snag__mesh *mesh, snag_element_kind kind);

// Tests candidate pairs (row element of body i, column element of body j) exactly and appends the confirmed to `list`.
void snag__narrow_phase(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                        const uint32_t (*pairs)[2], size_t count);

// Triangles by the slots of a BVH, which are near each other where the triangles are.
typedef struct snag__slots {
    const uint32_t *elements;  // by slot: the number of the triangle in its body
    const uint32_t (*vertices)[3];  // by slot
    const snag__f32_triangle *f32;  // by slot; NULL: there are none
    float f32_rounding;  // see f32_filter.h
} snag__slots;

// The same for pairs of triangles that are given by their slots.
void snag__narrow_phase_slots(const snag__ask *ask, snag__record_list *list, const snag__slots *slots, uint32_t i, uint32_t j,
                              const uint32_t (*pairs)[2], size_t count);

// Appends pairs of penetrations (tetrahedron, vertex; both by element number) of which the method knows that they are
// contacts.
void snag__narrow_phase_certain(snag__record_list *list, const uint32_t (*pairs)[2], size_t count);

// Runs task(context, k, &lists[k]) for k < count <= SNAG__MAX_TASKS in parallel, each appending to a list of its own, and
// again those whose list was too short, after making room.
snag_status snag__run_tasks(snag__ask *ask, uint32_t count, void (*task)(void *context, uint32_t index, snag__record_list *list),
                            void *context);

// Tells the progress callback what part is done and looks at the clock. False: the search is to end here.
bool snag__go_on(snag__ask *ask, double done);

// Of searches whose tasks may take long. The asking thread begins a round; a task that finds it over returns after what it has at
// hand and goes on from there in the next one. Between rounds there is snag__go_on. With neither budget nor progress one round
// is enough.
void snag__round_begin(snag__ask *ask);
static inline bool snag__round_over(const snag__ask *ask)
{
    return ask->round_until_us != UINT64_MAX && snag__ask_now(ask) >= ask->round_until_us;
}
// Whether a task need not begin: no other round follows. (In every other round it does something, however late it is.)
static inline bool snag__budget_over(const snag__ask *ask)
{
    return ask->last_round && snag__round_over(ask);
}

// Sorts what was confirmed, drops doubles and writes the contacts.
snag_status snag__finish(snag__ask *ask, snag_answer *answer);

// Makes room for `count` records in a list that no task is writing to.
bool snag__record_list_reserve(const snag_allocator *allocator, snag__record_list *list, size_t count);

// How many triangles of a body have zero area at t1, counted once for each pose. Also sets mesh.has_area.
size_t snag__count_degenerate(const snag__ask *ask, snag__body *body);

// What `spheres` keeps of a body; zeros if it was never asked.
void snag__spheres_describe(const snag__buffer *memory, snag_body_id id, snag_tree_info *info);
void snag__nearest_free(const snag_allocator *allocator, snag__buffer *memory);

// Gives back what answers are collected and written in. For an ask that has found nothing, before its finish.
void snag__scratch_empty(const snag_allocator *answer_allocator, snag__scratch *scratch);
void snag__scratch_free(const snag_allocator *allocator, const snag_allocator *answer_allocator, snag__scratch *scratch);

#endif
