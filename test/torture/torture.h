// A random life of a world, from one seed: what the parts of the torture program share.
//
// A life is a list of operations. Each is drawn from the seed and its own number alone, and names bodies modulo those
// that are there: so operations can be left out, and the others stay what they were. That is how a failing life is
// shrunk. The program keeps a copy of all bodies and judges each answer by `brute` in a fresh world of these copies.
#ifndef SNAG_TORTURE_H
#define SNAG_TORTURE_H

#include "common/any_question.h"
#include "base/random.h"
#include "helpers/failing_allocator.h"
#include "snag/snag.h"

#include <stdio.h>

enum {
    TORTURE_BODIES = 24,  // alive at the same time
    TORTURE_DEAD = 16,  // ids of removed bodies that are remembered, to be used all the same
    TORTURE_PHASE = 96,  // operations that have a theme in common
    TORTURE_OPERATIONS = 16,  // kinds of operations, at most
};

// Things that can be left out by name (--without), to look behind a fault that is known.
typedef enum torture_family {
    TORTURE_ROUNDING,  // other rounding modes and flush-to-zero while a call runs
    TORTURE_FOREIGN,  // ids of another world
    TORTURE_REENTRY,  // calls from within a callback
    TORTURE_SCALES,  // other scales than 1, and coordinates of any magnitude
    TORTURE_MEMORY,  // allocations that fail
    TORTURE_STOPS,  // budgets, and progress callbacks that end the search
    TORTURE_RESPONSE,  // apply, advance, untangle
    TORTURE_GL,  // the backend of OpenGL
    TORTURE_DISTANCE,  // the question distance
    TORTURE_THIN,  // rods and points
    TORTURE_THICK,  // radii
    TORTURE_FILTERS,  // groups, masks, rings, rest poses, excluded pairs
    TORTURE_EDITS,
    TORTURE_FAMILIES
} torture_family;

extern const char *const torture_family_names[TORTURE_FAMILIES];

// Which life, and what is left of it: all that a line of replay says.
typedef struct torture_options {
    uint64_t seed;
    const uint32_t *ops;  // NULL: all
    size_t op_count;
    uint32_t size;  // shapes have at most this size; 0: as the seed says
    uint32_t threads;  // 0: as the seed says
    snag_isa isa;  // best: as the seed says
    uint32_t without;  // a bit for each family
    bool verbose;  // print each operation before it is done
    uint32_t cpu_seconds;  // a life that takes longer hangs; 0: the usual
} torture_options;

// What a child tells its parent, in memory that both see: what it is doing, why it failed, and counts.
typedef struct torture_board {
    uint32_t op;  // that is being done
    char doing[200];  // in words, as far as it is known
    char tag[160];  // what kind of failure; "" if there is none. Shrinking keeps it
    char message[2000];  // and what differed
    uint64_t lives, operations[TORTURE_OPERATIONS];
    uint64_t asks;  // that returned an answer
    uint64_t judged[SNAG_QUESTION_COUNT][SNAG_METHOD_COUNT];  // by question and the method that answered
    uint64_t filled[SNAG_QUESTION_COUNT][SNAG_METHOD_COUNT];  // of those, with contacts
    uint64_t handed_over;  // asks of `auto` that `regularity` answered
    uint64_t partial;  // answers that were not complete
    uint64_t tracked, persisted, ended;  // answers with track; contacts in them
    uint64_t refused;  // calls that failed because an argument was bad
    uint64_t starved;  // calls that failed because an allocation did
    uint64_t large;  // judged asks of a thousand triangles or more
    uint64_t sets, from_sets, stale;  // sets of candidates; answers from them; asks that they were stale for
    uint64_t responses, steps, crossings;  // calls of response; steps of advance; of those with impacts
    uint64_t thin, thick, filtered;  // answers in worlds with rods or points; with radii that count; with filters of elements
    uint64_t edits, elements_edited;  // edits that were made; elements that they changed
} torture_board;

// A body as the program knows it. Positions are kept in local coordinates of about the unit cube, which moves work on,
// and in those that the world was given.
typedef struct torture_body {
    bool alive, weld, source, lone;  // lone: a cloud, or empty
    bool far;  // it may have moved far since the step began
    snag_body_id id;
    snag_shape shape;  // positions: as they were added; triangles or tets
    uint32_t *polygon_sizes, *polygon_vertices;
    size_t polygon_count;
    double factor;  // its size beside that of the life
    double *rest, *local;  // local coordinates when it was added, and now
    double *t0, *t1;  // as the world knows them: see snag_world_begin_step
    snag_surface_block *blocks;  // of a source
    size_t block_count;
    // See traits.c. NULL where the body has none.
    uint32_t *edges, *points;
    size_t edge_count, point_count;
    double radius;
    float *radii;
    uint32_t group, mask, *vertex_groups, *vertex_masks;
    uint32_t *labels;
    double *made;  // the rest pose of filters, in coordinates of the world
    const struct torture_life *life;
} torture_body;

// What a seed decides once for the whole life.
typedef struct torture_profile {
    uint32_t length;  // operations
    uint32_t threads;
    bool shuffle;  // pieces of work run one after the other, in a random order, by a callback
    snag_isa isa;
    double scale[3], offset[3];
    bool wild;  // scale or offset are extreme
    uint32_t size, bodies;
    double grid;  // positions lie on multiples of this part; 0: anywhere
    double starving;  // how many of all calls run out of memory
    bool disk, gl;
    bool thin, thick, grouped, made, labelled;  // some bodies have rods or points, radii, groups and masks; all a rest pose; labels
    bool smooth;  // large smooth sheets that stay and move gently: what `auto` hands over to `regularity`
} torture_profile;

// Excluded pairs, as the world has them and as a fresh world gets them.
enum { TORTURE_EXCLUSIONS = 3, TORTURE_PAIRS = 12, TORTURE_SET = 6 };
typedef struct torture_exclusions {
    const snag_exclusions *made;  // NULL: none
    uint64_t number;  // of all that were made
    snag_excluded_pair pairs[TORTURE_PAIRS];
    uint32_t pair_count;
    snag_body_id set_body[2];
    uint32_t sets[2][TORTURE_SET], set_count;  // vertices of one pair of sets
} torture_exclusions;

// Questions as both worlds understand them: bodies are named by their place among those alive.
typedef struct torture_calls {
    const snag_body_id *ids;
    uint32_t count;
    uint64_t filter_salt;  // 0: no filter
    const torture_exclusions *exclusions;  // of the question; NULL: none
    uint32_t stop_at, calls;  // the progress callback returns false at this call; 0: never
    bool broken;  // a callback was given what it must not be
    snag_world *reenter;  // asked from within the callback
    snag_status reentered;
} torture_calls;

typedef struct torture_memory torture_memory;  // of tracked contacts, see tracks.c
typedef struct torture_reference {
    const snag_contact *contacts;  // brute's, with the ids of the world that is judged
    size_t count, degenerate;
    double earliest;
    snag_pair culprit;
} torture_reference;
typedef struct torture_cache torture_cache;

typedef struct torture_life {
    const torture_options *options;
    torture_board *board;
    torture_profile profile;
    failing_allocator memory;
    snag_allocator allocator;
    snag_world *world;
    snag_response *response;
    snag_candidates *set;  // the last one
    double set_distance;
    bool set_self, set_between, set_searches;
    torture_body bodies[TORTURE_BODIES];
    snag_body_id dead[TORTURE_DEAD];
    uint32_t dead_count;
    uint64_t version;  // changes with every body and position
    uint32_t op;
    uint32_t sources_opened, sources_closed;
    uint32_t fail_read;  // the read of a source that fails, counted down; 0: none
    snag_status read_fails_with;
    uint64_t order;  // of pieces, when they are shuffled
    torture_memory *tracks;
    torture_cache *cache;
    uint64_t exact_impacts;  // pairs for which brute took exact arithmetic
    torture_exclusions exclusions[TORTURE_EXCLUSIONS];
    uint64_t exclusions_made;
} torture_life;

// ---- life.c ----

void torture_live(const torture_options *options, torture_board *board);
const char *torture_operation_name(int i);  // NULL after the last
// Ends the life: `tag` names the kind of failure, the rest says what differed.
_Noreturn void torture_fail(torture_life *life, const char *tag, const char *format, ...);
// Says what is being done, for --verbose and for failures.
void torture_say(torture_life *life, const char *format, ...);
bool torture_may(const torture_life *life, torture_family family);
// A stream of random numbers of its own for each purpose of an operation.
snag__random torture_stream(const torture_life *life, uint32_t op, const char *purpose);
bool torture_chance(snag__random *random, double part);
// Allocations of the next call may fail. `torture_disarm` says whether one did.
void torture_arm(torture_life *life, snag__random *random);
bool torture_disarm(torture_life *life);
// Judges what a call returned that should have worked, or have run out of memory if an allocation failed. True if it worked.
bool torture_worked(torture_life *life, snag_status status, bool starved, const char *what);
// Whether a phase keeps to one question while bodies move smoothly.
bool torture_is_steady(const torture_life *life, uint32_t op);

// ---- shapes.c, bodies.c ----

// A shape in local coordinates; what it is, in a word.
const char *torture_make_shape(torture_life *life, snag__random *random, torture_body *body);
uint32_t torture_alive(const torture_life *life, torture_body *alive[TORTURE_BODIES]);  // in the order of their ids
torture_body *torture_pick(torture_life *life, snag__random *random);  // NULL if there is none
void torture_free_body(torture_body *body);
// Adds the copy of a body to a world, at t0 and t1. `fresh`: a source becomes a surface.
snag_status torture_add_copy(const torture_body *body, snag_world *world, bool fresh, snag_body_id *id);
void torture_map(const torture_life *life, const torture_body *body, const double *local, double *world);
void torture_add(torture_life *life, snag__random *random);
void torture_begin_step(torture_life *life, snag__random *random);
void torture_move(torture_life *life, snag__random *random);
void torture_teleport(torture_life *life, snag__random *random);
void torture_remove(torture_life *life, snag__random *random);
void torture_look(torture_life *life, snag__random *random);
size_t torture_triangles(const torture_life *life);

// ---- cost.c ----

// Whether impacts take long: so many triangles may meet while they move, or so many impacts of this life were exact already.
bool torture_impacts_are_dear(const torture_life *life);
// Whether contacts may be more than a life has memory for.
bool torture_contacts_are_too_many(const torture_life *life);

// ---- asks.c ----

void torture_ask(torture_life *life, snag__random *random);
// Judges an answer by brute, and counts it.
void torture_judge(torture_life *life, const any_question *def, const torture_calls *calls, const snag_answer *answer);
double torture_length(const torture_life *life, snag__random *random);
void torture_make_question(torture_life *life, snag__random *random, any_question *def, torture_calls *calls);
bool torture_has_source(const torture_life *life);
void torture_describe(const any_question *def, const torture_calls *calls, char *text, size_t size);

// ---- judge.c ----

const torture_reference *torture_judge_answer(torture_life *life, const any_question *def, const torture_calls *calls,
                                              const snag_answer *answer);
const torture_reference *torture_brute(torture_life *life, const any_question *def, const torture_calls *calls);
snag_world *torture_fresh_world(const torture_life *life, snag_body_id ids[TORTURE_BODIES]);
void torture_forget(torture_life *life);
bool torture_filter(void *context, snag_body_id a, snag_body_id b);
bool torture_progress(void *context, double done);

// ---- tracks.c ----

void torture_judge_tracks(torture_life *life, const any_question *def, const snag_answer *answer);
void torture_free_tracks(torture_life *life);
// Follows an edit: `after` has the elements, `used` says of each vertex whether it has some.
void torture_edit_tracks(torture_life *life, const torture_body *body, const snag_edit_map *map, const uint8_t *used);

// ---- faults.c ----

void torture_err(torture_life *life, snag__random *random);

// ---- sets.c ----

void torture_collect(torture_life *life, snag__random *random);
void torture_ask_set(torture_life *life, snag__random *random);

// ---- traits.c ----

// Gives a new body rods, points, radii, groups, masks, labels, a rest pose. Vertices may be added in local coordinates.
void torture_give_traits(torture_life *life, torture_body *body);
// Those that need its positions in the world.
void torture_give_rest(torture_life *life, torture_body *body);
void torture_free_traits(torture_body *body);
void torture_write_traits(const torture_body *body, snag_body_def *def);
void torture_compare_traits(torture_life *life, const torture_body *body, const snag_body_info *is, const snag_body_info *should);
bool torture_is_thin(const torture_life *life);  // some body has rods or points
double torture_largest_radius(const torture_life *life);

// ---- filters.c ----

// Filters of elements for a question, as far as it may have them.
void torture_choose_filters(torture_life *life, snag__random *random, any_question *def, torture_calls *calls);
void torture_exclude(torture_life *life, snag__random *random);
// The excluded pairs for a fresh world with the bodies `ids`, in the order of those alive.
const snag_exclusions *torture_fresh_exclusions(torture_life *life, snag_world *fresh, const snag_body_id *ids,
                                                const torture_exclusions *from);
// Follows an edit.
void torture_edit_exclusions(torture_life *life, const torture_body *body, const snag_edit_map *map);

// ---- edits.c ----

void torture_edit(torture_life *life, snag__random *random);

// ---- responses.c ----

void torture_respond(torture_life *life, snag__random *random);

// ---- probes.c ----

void torture_probe(torture_life *life, snag__random *random);

// ---- run.c, shrink.c ----

// Tags of lives that reached a limit.
#define TORTURE_ENDLESS "does not end"
#define TORTURE_IDLE "stands still"

// Lives one life in a child. True if it ended well; else the board says what was wrong.
bool torture_run(const torture_options *options, torture_board *board);
torture_board *torture_make_board(void);
// What the last child wrote to its standard error, such as a sanitizer's report.
void torture_print_errors(FILE *file);
// Makes a failing life as short as it gets, and prints the line that replays it.
void torture_shrink(const torture_options *options, const torture_board *failure, const char *program);
// On a clock that never goes back.
double torture_seconds(void);

#endif
