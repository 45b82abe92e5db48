// Options of single methods, and counters of a search. None of the options changes a complete answer.
//
//     snag_kdop_options options = snag_default_kdop_options();
//     options.k = 18;
//     ask.method = SNAG_METHOD_KDOP;
//     ask.options = &options.head;
//
// Options are refused unless their method is the one that the question names: nothing is silently ignored. They are borrowed for the
// ask. Where a field has a range, other values are refused with SNAG_ERROR_ARGUMENT.
#ifndef SNAG_METHODS_H
#define SNAG_METHODS_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

struct snag_lab;  // snag/lab.h
struct snag_lab_results;

// All options begin with this.
typedef struct snag_method_options {
    uint32_t cookie;  // set by the default function of the options; any other value is refused
    snag_method method;  // likewise
    const struct snag_lab *lab;  // the papers' own rules and other experiments: snag/lab.h; NULL: none
} snag_method_options;

// Options without fields of their own, for methods that have none (`brute`, `regions`), or to attach a lab to any method.
SNAG_API snag_method_options snag_default_method_options(snag_method method);

// Options of `kdop`.
typedef struct snag_kdop_options {
    snag_method_options head;
    uint32_t k;  // directions of a bounding volume: 6, 14, 18 or 26; 0: the best for the question
    uint32_t arity;  // children of a node: 2, 4 or 8; 0: the best
    // A length. Bounds of parts that moved by less since they were computed are not updated, and all bounds are inflated by it: faster
    // refits, more candidates. 0: all bounds are updated. Of no use to impacts.
    double lazy;
} snag_kdop_options;

// Options of `hash`.
typedef struct snag_hash_options {
    snag_method_options head;
    double cell_size;  // side of a cell; 0: chosen from the mesh. Clamped to between a quarter and three times that choice
    uint32_t table_size;  // slots of the table; 0: chosen from the mesh
} snag_hash_options;

// Options of `regularity`.
typedef struct snag_regularity_options {
    snag_method_options head;
    uint32_t directions;  // sampled directions: 6, 12, 32 or 62; 0: the best
} snag_regularity_options;

// Options of `active`.
typedef struct snag_active_options {
    snag_method_options head;
    uint32_t new_pairs;  // started in each ask; 0: 200. A target ratio raises or lowers the number
    uint64_t seed;  // chooses the new pairs; the same seed and the same asks give the same answers
    // Adapts the number of new pairs, and how fast clusters grow, so that about this part of all contacts is found, 0..1; 0: no target.
    double target_ratio;
    double lazy;  // as in snag_kdop_options
} snag_active_options;

// How `spheres` finds the parts of a body's box that its surface meets.
typedef enum snag_backend {
    SNAG_BACKEND_CPU = 0,  // exact arithmetic
    SNAG_BACKEND_GL = 1,  // occlusion queries of OpenGL; the answer to `intersections` is the same
    SNAG_BACKEND_COUNT
} snag_backend;

// As for methods: see snag_method_name.
SNAG_API const char *snag_backend_name(snag_backend backend);
SNAG_API bool snag_backend_from_name(const char *name, snag_backend *backend);
// Whether this build has it. The machine may still lack a driver: then an ask says so (SNAG_ERROR_UNSUPPORTED).
SNAG_API bool snag_backend_built_in(snag_backend backend);

// How deep sphere trees may be.
#define SNAG_DEPTH_MAX 10

// Options of `spheres`.
typedef struct snag_spheres_options {
    snag_method_options head;
    uint32_t depth;  // of leaves below the root, at most SNAG_DEPTH_MAX; 0: 5 for overlaps, as deep as helps for intersections
    uint32_t idle;  // branches that were not used for this many asks are freed; 0: 64
    snag_backend backend;
} snag_spheres_options;

// Default options of each method: the method's own choices.
SNAG_API snag_kdop_options snag_default_kdop_options(void);
SNAG_API snag_hash_options snag_default_hash_options(void);
SNAG_API snag_regularity_options snag_default_regularity_options(void);
SNAG_API snag_active_options snag_default_active_options(void);
SNAG_API snag_spheres_options snag_default_spheres_options(void);

// ---- counters ------------------------------------------------------------------------------------------------------

enum { SNAG_REGION_LEVELS = 8 };

// Counters of a search; 0 where a method does not count. Owned by the world and valid as long as the answer.
typedef struct snag_statistics {
    size_t candidates;  // pairs that reached the narrow phase
    size_t exact;  // of those, how many needed exact arithmetic
    size_t visited;  // regularity: patches and pairs of patches; spheres: spheres that were compared with another
    // regularity: pairs of elements with overlapping boxes; spheres: boxes whose overlap with a surface was tested (backend gl:
    // occlusion queries)
    size_t tested;
    uint32_t new_pairs;  // active: pairs that were started in this ask, including probes
    // regions: pairs of regions that were opened, by the level of the smaller one (deeper ones count for the last); none if the pairs
    // of the last ask are still valid. And pairs of leaves whose elements were compared; with the paper's rule: that collide.
    size_t regions_opened[SNAG_REGION_LEVELS], region_contacts;
    const struct snag_lab_results *lab;  // snag/lab.h. Never NULL
} snag_statistics;

// The sphere tree of a body.
typedef struct snag_tree_info {
    size_t level_count;  // groups of children below the root: 0 if the tree is only a root
    size_t node_count;  // spheres, including the root; 0 if `spheres` has not been asked yet
    size_t bytes;  // in memory
    uint64_t levels_made;  // since the tree was started
    uint64_t triangles_read;  // to make them
    uint64_t blocks_read;  // of a source: how often a block was read
} snag_tree_info;

// Describes the tree that `spheres` keeps of a body; zeros if there is none. SNAG_ERROR_ARGUMENT for NULL, SNAG_ERROR_BODY,
// SNAG_ERROR_BUSY during another call of the world; sets no message.
SNAG_API snag_status snag_world_tree(const snag_world *world, snag_body_id body, snag_tree_info *info);

#ifdef __cplusplus
}
#endif

#endif
