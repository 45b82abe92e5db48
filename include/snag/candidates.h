// Candidates that last: all pairs that can matter, found once and asked about many times.
//
// A solver asks many questions in one step: line searches, Newton iterations, substeps. snag_world_collect finds the pairs of elements
// that can come within a distance while bodies move from t0 to t1, or stay within a margin of that. A question with such a set skips the
// search, and has the same contacts as a full ask, byte for byte:
//
//     snag_collect_def collect = snag_default_collect_def();
//     collect.distance = 2e-3;
//     collect.margin = 1e-3;
//     snag_candidates *set = NULL;
//     status = snag_world_collect(world, &collect, &set);
//     ...
//     snag_question_def ask = snag_default_question_def(SNAG_PROXIMITIES);
//     ask.distance = 2e-3;
//     ask.candidates = set;
//     status = snag_world_ask(world, &ask, &answer);
//     ...
//     snag_candidates_destroy(set);
//
// A set belongs to the caller. It is used by one thread at a time, and by the world it was made for. It keeps a copy of positions, and
// 16 bytes for each pair.
#ifndef SNAG_CANDIDATES_H
#define SNAG_CANDIDATES_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// A set of candidate pairs, to be asked again while vertices stay near.
typedef struct snag_candidates snag_candidates;

// Pairs are kept in one list for each kind.
typedef enum snag_candidate_kind {
    SNAG_CANDIDATE_VERTEX_TRIANGLE = 0,  // a is a vertex, b a triangle
    SNAG_CANDIDATE_EDGE_EDGE = 1,
    SNAG_CANDIDATE_VERTEX_EDGE = 2,  // a is a vertex, b a rod. Pairs whose edge is no rod are passed over
    SNAG_CANDIDATE_VERTEX_VERTEX = 3,  // one of them a point or the end of a rod; others are passed over
    SNAG_CANDIDATE_KIND_COUNT
} snag_candidate_kind;

// One candidate pair.
typedef struct snag_candidate {
    uint32_t body_a, body_b;  // `index` of the bodies' ids
    uint32_t a, b;  // elements: snag_element.index
} snag_candidate;

// What a set of candidates is to cover.
typedef struct snag_collect_def {
    uint32_t cookie;  // set by snag_default_collect_def; any other value is refused
    bool self, between;  // as in a question; at least one
    // Questions may ask for this much: `distance` of proximities and distance, separation + tolerance of impacts.
    double distance;
    // How far vertices may stray. The set holds while one time exists at which every vertex is this close to its place in the move from
    // t0 to t1 that the set was made for (impacts: one for the start and one for the end of the move that is asked about). The time is
    // read off the vertex that moves farthest. So a line search along the move needs no margin, and bodies that rested when the set
    // was made may move by the margin in any direction. Rounding to float (2^-22 of the largest coordinate) is allowed for.
    double margin;
    // Of a filter only the callback for pairs of bodies is used here: questions to the set must come with the same one. Pairs of elements
    // are filtered when a question is asked, by the filter of that question. NULL: none.
    const snag_filter *filter;
    bool search_if_stale;  // a question to a set that does not hold searches, instead of failing with SNAG_ERROR_STALE
} snag_collect_def;

// Self and between, distance 1e-6 (the default tolerance of impacts), no margin, no filter, fail if stale.
SNAG_API snag_collect_def snag_default_collect_def(void);

// Finds all pairs that can come within `distance` while the set holds. *set is made if it is NULL; else it is a set of any world, which is
// made anew and keeps its memory: after a few sets of similar size nothing is allocated. The memory comes from the world's allocator,
// which must outlive the set. Like an ask this ends the validity of the last answer. On failure *set is as it was.
// SNAG_ERROR_ARGUMENT (NULL, a def without its cookie, neither self nor between, lengths that are negative or not finite), _UNSUPPORTED
// (bodies that stay on disk), _SIZE, _MEMORY, _BUSY.
SNAG_API snag_status snag_world_collect(snag_world *world, const snag_collect_def *def, snag_candidates **set);

// Makes a set of pairs of your own, such as those of another broad phase, in any order; a pair may come twice. Answers to it are about
// these pairs alone, so they are not `complete`, and it holds wherever bodies move. *set as for collect. pairs[k] has counts[k] pairs of
// kind k, for all SNAG_CANDIDATE_KIND_COUNT kinds. SNAG_ERROR_ARGUMENT (NULL), _BODY (a body that is not in this world), _INDEX (an element that does not exist), _UNSUPPORTED (a
// body that stays on disk), _SIZE, _MEMORY, _BUSY. The message names the pair.
SNAG_API snag_status snag_candidates_create(snag_world *world, const snag_candidate *const *pairs, const size_t *counts,
                                            snag_candidates **set);

// An empty set whose memory comes from an allocator of your own (NULL: malloc) instead of the world's, for collect or create to fill.
// SNAG_ERROR_ARGUMENT (NULL, half an allocator), _MEMORY: *set is NULL then.
SNAG_API snag_status snag_candidates_empty(const snag_allocator *allocator, snag_candidates **set);

// NULL is allowed.
SNAG_API void snag_candidates_destroy(snag_candidates *set);

// How many pairs of all kinds. 0 for NULL.
SNAG_API size_t snag_candidates_count(const snag_candidates *set);
// The pairs of one kind, sorted by body of a, body of b, a, b; each once. Valid until the set is changed or destroyed. NULL and a count
// of 0 for a set without any, for NULL, and for another kind. The lists of all kinds follow each other in memory.
SNAG_API const snag_candidate *snag_candidates_list(const snag_candidates *set, snag_candidate_kind kind, size_t *count);
// Bytes that the set holds, positions included. 0 for NULL.
SNAG_API size_t snag_candidates_bytes(const snag_candidates *set);
// Whether answers to it are complete: it was collected, and no pair was dropped. False for NULL.
SNAG_API bool snag_candidates_are_complete(const snag_candidates *set);

// Whether the set holds for the present positions: SNAG_OK, or SNAG_ERROR_STALE with a message that names the vertex; and the errors of
// an ask with a set that does not fit the world. `moving` asks for impacts: t0 is checked too. Costs one pass over the vertices.
SNAG_API snag_status snag_candidates_check(snag_world *world, const snag_candidates *set, bool moving);

// Drops the pairs for which `keep` returns false. If any is dropped, answers to the set are no longer `complete`, and it never searches.
// SNAG_ERROR_ARGUMENT for NULL.
SNAG_API snag_status snag_candidates_filter(snag_candidates *set,
                                            bool (*keep)(void *context, snag_candidate_kind kind, const snag_candidate *pair),
                                            void *context);

// Adds the pairs of `other`, which stays as it is. Of collected sets the result holds while both do, answers what both were collected for
// (the smaller distance; self and between of either), and searches if stale only if both would. Pairs that were added by hand are looked
// at besides. SNAG_ERROR_ARGUMENT (NULL, the same set twice, collected with different filters), _BODY (of different worlds), _MEMORY: `set`
// is as it was.
SNAG_API snag_status snag_candidates_merge(snag_candidates *set, const snag_candidates *other);

#ifdef __cplusplus
}
#endif

#endif
