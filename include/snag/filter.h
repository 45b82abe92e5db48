// Excluded pairs: elements that never meet, such as the two sides of a seam, or a patch and what it is attached to.
//
//     snag_excluded_sets seam = {cloth, left, left_count, cloth, right, right_count};
//     snag_exclusion_def def = snag_default_exclusion_def();
//     def.sets = &seam;
//     def.set_count = 1;
//     const snag_exclusions *exclusions = NULL;
//     status = snag_world_exclude(world, &def, &exclusions);
//     ...
//     snag_filter filter = snag_default_filter();
//     filter.exclusions = exclusions;
//     ask.filter = &filter;
#ifndef SNAG_FILTER_H
#define SNAG_FILTER_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// Two elements X and Y that never meet. Left out are all pairs of elements of which the one has X and the other has Y; an element has
// its vertices, its edges and itself. So a pair of vertices leaves out whatever is at the one and whatever is at the other, a pair of
// triangles just these two. Elements are named as in contacts: vertices, triangles and tetrahedra by `index`, edges by `vertex[2]` in
// any order (their `index` is not read).
typedef struct snag_excluded_pair {
    snag_body_id body_a, body_b;  // may be the same
    snag_element a, b;
} snag_excluded_pair;

// Two sets of vertices: the same as all pairs of a vertex of the one and a vertex of the other, at the cost of one.
typedef struct snag_excluded_sets {
    snag_body_id body_a;
    const uint32_t *vertices_a;
    size_t count_a;
    snag_body_id body_b;  // may be the same, and so may the sets
    const uint32_t *vertices_b;
    size_t count_b;
} snag_excluded_sets;

// Everything is copied.
typedef struct snag_exclusion_def {
    uint32_t cookie;  // set by snag_default_exclusion_def; any other value is refused
    const snag_excluded_pair *pairs;
    size_t pair_count;
    const snag_excluded_sets *sets;
    size_t set_count;
} snag_exclusion_def;

// Everything zero but the cookie: excludes nothing.
SNAG_API snag_exclusion_def snag_default_exclusion_def(void);

// Opaque. Owned by the world: valid until snag_world_drop_exclusions or the end of the world. Any number of them can be kept; a question uses
// one, by snag_filter.exclusions. Pairs of a body that is removed have no effect any more.
typedef struct snag_exclusions snag_exclusions;

// Prepares excluded pairs, in about 25 bytes each. A question looks up only the candidates that a first filter leaves.
// Errors name the pair: SNAG_ERROR_ARGUMENT, _BODY (no such body, or one that stays on disk), _INDEX (an element that does not
// exist or was removed), _MEMORY, _SIZE (more than 2^32 - 2 elements and sets).
SNAG_API snag_status snag_world_exclude(snag_world *world, const snag_exclusion_def *def, const snag_exclusions **exclusions);
// Frees them. SNAG_ERROR_ARGUMENT if they are none of this world's. NULL is allowed.
SNAG_API snag_status snag_world_drop_exclusions(snag_world *world, const snag_exclusions *exclusions);

#ifdef __cplusplus
}
#endif

#endif
