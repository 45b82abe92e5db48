// One world over many MPI ranks. Library: snag_mpi (built only where MPI and Zoltan are found: script/mpi).
//
// Each rank gives the part of every body that it owns, in its own decomposition, and moves it. snag keeps a second decomposition for
// contact: space is cut into one box of space for each rank (recursive coordinate bisection by Zoltan, weighted by the measured cost), and
// every element is sent to all parts that it reaches. A contact is found by exactly one rank, and the answer is the one that a single
// world with the whole bodies would give, byte for byte.
//
//     snag_mpi_def def = snag_default_mpi_def();          // after MPI_Init
//     snag_mpi *mpi = NULL;
//     snag_mpi_create(&def, &mpi);
//     snag_mpi_body_def mine = snag_default_mpi_body_def();
//     mine.positions = snag_positions_f64(xyz, vertex_count);  mine.vertex_numbers = ...;  // global numbers
//     mine.triangles = local_triangles;  mine.triangle_numbers = ...;
//     mine.triangle_count = ...;  mine.triangle_total = ...;
//     snag_mpi_add(mpi, &mine, &body);
//     for (;;) {
//         snag_mpi_begin_step(mpi);
//         snag_mpi_move(mpi, body, snag_positions_f64(xyz, vertex_count));
//         snag_mpi_ask(mpi, &ask, &answer);
//     }
//
// Collective calls. Unless a comment says "local", every rank of the communicator must make the same calls in the same order, and each call
// communicates. A call that fails on one rank (bad input, memory) fails on all of them, with the same status and the same message, which names
// the rank; the bodies are then as they were. Ranks that make different calls, or put different questions, get SNAG_ERROR_MISMATCH. A rank that never
// makes the call ends the wait of the others after `wait_seconds`; the object then only accepts snag_mpi_destroy.
//
// Threads. Call from the thread that initialised MPI (MPI_THREAD_FUNNELED is enough). Ranks may use several threads inside (`threads`).
#ifndef SNAG_MPI_H
#define SNAG_MPI_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// One world over all ranks of a communicator.
typedef struct snag_mpi snag_mpi;

// How to create it; the same on all ranks.
typedef struct snag_mpi_def {
    uint32_t cookie;  // set by snag_default_mpi_def; any other value is refused
    const void *communicator;  // points to your MPI_Comm, which is duplicated; NULL: MPI_COMM_WORLD
    uint32_t threads;  // of each rank; 0: the processors of the machine, divided by its ranks
    snag_isa isa;
    // Space is cut again once the most expensive rank costs this many times the mean, in candidates and elements; more than 1.
    double imbalance;
    uint32_t recut_every;  // cut again after this many asks in any case; 0: only if unbalanced
    double wait_seconds;  // how long a rank waits for the others to make the same call; more than 0
    snag_allocator allocator;  // of this rank, for snag's own memory (Zoltan and MPI have theirs); zero: malloc and free
} snag_mpi_def;

// The best instruction set, imbalance 1.15, 600 seconds, 1 thread. Local.
SNAG_API snag_mpi_def snag_default_mpi_def(void);

// The caller owns the object and destroys it before MPI_Finalize. On failure *mpi is NULL. SNAG_ERROR_ARGUMENT (NULL, no cookie, a value
// out of range, MPI is not initialised), _MEMORY, _MISMATCH (ranks with different defs).
SNAG_API snag_status snag_mpi_create(const snag_mpi_def *def, snag_mpi **mpi);
// NULL is allowed.
SNAG_API void snag_mpi_destroy(snag_mpi *mpi);
// The message of the last call that failed, the same on all ranks; "" if none did. Local. Valid until the next call.
SNAG_API const char *snag_mpi_message(const snag_mpi *mpi);

// ---- bodies --------------------------------------------------------------------------------------------------------

// The part of one body that this rank owns; it may be empty. Triangles, or tetrahedra, or neither (a cloud of vertices). Every element is owned by
// exactly one rank. `positions` has all vertices of the rank's elements; a vertex on a seam is given by every rank that uses it,
// with the same position in every move. Elements name vertices by their index in `positions`. Everything is copied.
typedef struct snag_mpi_body_def {
    uint32_t cookie;  // set by snag_default_mpi_body_def; any other value is refused
    const char *name;  // the same on all ranks; copied; NULL: "body N"
    snag_positions positions;  // at most 2^32 - 2 on one rank
    const uint64_t *vertex_numbers;  // global, each once on a rank, below 2^63
    const uint32_t *triangles;  // three vertices each
    const uint64_t *triangle_numbers;  // global: over all ranks each of 0 .. triangle_total - 1 once
    size_t triangle_count;
    uint64_t triangle_total;  // of all ranks
    const uint32_t *tets;  // four vertices each
    const uint64_t *tet_numbers;
    size_t tet_count;
    uint64_t tet_total;
} snag_mpi_body_def;

// Local.
SNAG_API snag_mpi_body_def snag_default_mpi_body_def(void);

// Adds a body; *body counts them from 0. SNAG_ERROR_ARGUMENT, _INDEX (an element names a vertex that is not given; numbers that are given twice,
// by one rank or by two, or missing), _NOT_FINITE, _MISMATCH (totals or names that differ; copies of a vertex at different positions),
// _SIZE, _MEMORY.
SNAG_API snag_status snag_mpi_add(snag_mpi *mpi, const snag_mpi_body_def *def, uint32_t *body);

// As snag_world_begin_step, _move and _teleport; positions in the order of the def. SNAG_ERROR_BODY, _MISMATCH (another number of vertices; copies
// of a vertex that differ), _NOT_FINITE.
SNAG_API snag_status snag_mpi_begin_step(snag_mpi *mpi);
SNAG_API snag_status snag_mpi_move(snag_mpi *mpi, uint32_t body, snag_positions t1);
SNAG_API snag_status snag_mpi_teleport(snag_mpi *mpi, uint32_t body, snag_positions both);

// ---- asking --------------------------------------------------------------------------------------------------------

// One side of a contact, by global numbers.
typedef struct snag_mpi_element {
    snag_element_kind kind;
    // The rank that owns it: that gave the triangle or tetrahedron; of a vertex the lowest that gave it; of an edge the owner of the
    // lowest-numbered element at it.
    int32_t rank;
    // Of a vertex, triangle or tetrahedron its number (of a volume's boundary triangles the index in the order of tetrahedron and face, as in
    // snag_body_info.triangles of a single world); of an edge its lower vertex.
    uint64_t number;
    uint64_t other;  // of an edge its higher vertex; else 0
} snag_mpi_element;

// As snag_contact.
typedef struct snag_mpi_contact {
    uint32_t body_a, body_b;  // counted from 0
    snag_mpi_element a, b;
    snag_contact_kind kind;
    uint32_t shared;
    double value, t;
    double point_a[3], point_b[3], normal[3], weight[4];
} snag_mpi_contact;

// As snag_pair.
typedef struct snag_mpi_pair {
    uint32_t body_a, body_b;
    snag_mpi_element a, b;
    uint8_t kind, shared;  // snag_contact_kind
    float value;
} snag_mpi_pair;

// On which ranks the contacts arrive.
typedef enum snag_mpi_results {
    SNAG_MPI_AT_OWNERS = 0,  // each contact at the owner of a and at the owner of b, sorted on each rank
    SNAG_MPI_SORTED = 1,  // each contact once, sorted over all ranks: rank 0 has the first ones
    SNAG_MPI_AT_ROOT = 2,  // all of them on rank 0, sorted
} snag_mpi_results;

// The same on all ranks, apart from `context`.
typedef struct snag_mpi_question_def {
    uint32_t cookie;  // set by snag_default_mpi_question_def; any other value is refused
    // Intersections, proximities, penetrations, impacts or distance, by a complete method. No options of methods, tracking, sinks, filters,
    // candidates, budget or progress.
    snag_question_def question;
    snag_mpi_results results;
    // Return false to skip a pair of bodies (a == b: self-contacts). Must return the same on all ranks, and for (a, b) as for (b, a).
    bool (*bodies)(void *context, uint32_t a, uint32_t b);
    void *context;
} snag_mpi_question_def;

// Local.
SNAG_API snag_mpi_question_def snag_default_mpi_question_def(snag_question question);

// What the last ask cost. Sums over all ranks unless a comment says otherwise.
typedef struct snag_mpi_statistics {
    uint64_t elements;  // elements that were searched
    uint64_t ghosts;  // copies of elements beyond the first
    uint64_t candidates;  // pairs tested exactly
    uint64_t candidates_most;  // by one rank
    uint64_t bytes;  // sent in this ask and the moves before it
    uint64_t cuts;  // how often space was cut since the object was created
    uint64_t assignments;  // how often elements were dealt out to parts
    double imbalance;  // the highest cost of a rank over the mean; 1: none
    double seconds;  // processor time of the searches
} snag_mpi_statistics;

// The answer as one rank sees it.
typedef struct snag_mpi_answer {
    snag_question question;
    snag_method method;  // of this rank's search
    const char *reason;  // why this method: a static sentence
    snag_output output;
    const snag_mpi_contact *contacts;  // of this rank; NULL for other outputs
    const snag_mpi_pair *pairs;  // of this rank; NULL for other outputs
    size_t count;  // of contacts or pairs on this rank
    uint64_t total;  // contacts over all ranks, each counted once; for the output `earliest` 1 if there is an impact, else 0
    double earliest;  // impacts: over all ranks; 1 if there is none
    snag_mpi_pair culprit;  // impacts: the pair with the earliest time; zero if there is none
    uint64_t degenerate;  // over all ranks
    snag_mpi_statistics statistics;
} snag_mpi_answer;

// Answers a question. Owned by the object, valid until the next ask, add or destroy. SNAG_ERROR_ARGUMENT, _UNSUPPORTED, _MISMATCH (ranks that
// disagree on the question), _SIZE (more than 2^31 - 1 records between two ranks), _MEMORY.
//
// Penetrations as contacts: depths follow the material of whole bodies and depend on the deepest overlap of all, so rank 0 gets the bodies that have
// a vertex in a tetrahedron whole. As pairs (without depths) they are searched in parts like all else.
SNAG_API snag_status snag_mpi_ask(snag_mpi *mpi, const snag_mpi_question_def *question, const snag_mpi_answer **answer);

#ifdef __cplusplus
}
#endif

#endif
