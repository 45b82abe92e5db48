// Options of single methods, and counters of how a search went. None of it changes a complete answer.
//
//     snag_kdop_options options = snag_default_kdop_options();
//     options.k = 18;
//     ask.method = SNAG_METHOD_KDOP;
//     ask.options = &options.head;
//
// Options are refused unless their method is the one that the question names: nothing is ignored in silence.
#ifndef SNAG_METHODS_H
#define SNAG_METHODS_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

struct snag_lab;  // snag/lab.h
struct snag_lab_results;

// What all options begin with.
typedef struct snag_method_options {
    uint32_t cookie;  // set by the default function of the options; any other value is refused
    snag_method method;  // likewise
    const struct snag_lab *lab;  // the papers' own rules and other experiments: snag/lab.h; NULL: none
} snag_method_options;

// Options without any choice, for methods that have none (`brute`), or to attach a lab.
SNAG_API snag_method_options snag_default_method_options(snag_method method);

typedef struct snag_kdop_options {
    snag_method_options head;
    uint32_t k;  // directions of a bounding volume: 6, 14, 18 or 26; 0: the best for the question
    uint32_t arity;  // children of a node: 2, 4 or 8; 0: the best
    // Bounds of parts that moved by less than this since they were computed are left alone, and all bounds are larger by it: faster
    // refits for more candidates. 0: every bound is new. Of no use to impacts.
    double lazy;
} snag_kdop_options;

typedef struct snag_hash_options {
    snag_method_options head;
    double cell_size;  // side of a cell; 0: chosen from the mesh. Clamped to between a quarter and three times that choice
    uint32_t table_size;  // slots of the table; 0: chosen from the mesh
} snag_hash_options;

typedef struct snag_regularity_options {
    snag_method_options head;
    uint32_t directions;  // sampled directions: 6, 12, 32 or 62; 0: the best
} snag_regularity_options;

typedef struct snag_active_options {
    snag_method_options head;
    uint32_t new_pairs;  // how many new pairs are started in each ask; 0: as many as suit the meshes and the target
    uint64_t seed;  // chooses the new pairs; the same seed and the same asks give the same answers
    // Adapt the number of new pairs, and how fast clusters grow, so that about this part of all contacts is found, 0..1; 0: no target.
    double target_ratio;
    double lazy;  // as in snag_kdop_options
} snag_active_options;

// What tells `spheres` which parts of a body's box its surface meets.
typedef enum snag_backend {
    SNAG_BACKEND_CPU = 0,  // exact arithmetic
    SNAG_BACKEND_GL = 1,  // occlusion queries of OpenGL; the answer to `intersections` is the same
    SNAG_BACKEND_COUNT
} snag_backend;

SNAG_API const char *snag_backend_name(snag_backend backend);
SNAG_API bool snag_backend_from_name(const char *name, snag_backend *backend);
// Whether this build has it. The machine may still lack a driver: then an ask says so (SNAG_ERROR_UNSUPPORTED).
SNAG_API bool snag_backend_built_in(snag_backend backend);

// How deep sphere trees may be.
#define SNAG_DEPTH_MAX 10

typedef struct snag_spheres_options {
    snag_method_options head;
    uint32_t depth;  // of leaves below the root, at most SNAG_DEPTH_MAX; 0: 5 for overlaps, as deep as helps for intersections
    uint32_t idle;  // branches that no sphere has met for this many asks are deleted; 0: after 64
    snag_backend backend;
} snag_spheres_options;

SNAG_API snag_kdop_options snag_default_kdop_options(void);
SNAG_API snag_hash_options snag_default_hash_options(void);
SNAG_API snag_regularity_options snag_default_regularity_options(void);
SNAG_API snag_active_options snag_default_active_options(void);
SNAG_API snag_spheres_options snag_default_spheres_options(void);

// ---- counters ------------------------------------------------------------------------------------------------------

enum { SNAG_REGION_LEVELS = 8 };

// How a search went. Zero where a method does not count it. Owned by the world, with the answer.
typedef struct snag_statistics {
    size_t candidates;  // pairs that reached the narrow phase
    size_t exact;  // of those, how many needed exact arithmetic
    // regularity: elements of the hierarchy, and pairs of them, that were visited; spheres: spheres compared with another
    size_t visited;
    // regularity: pairs of triangles whose boxes were compared; spheres: boxes whose overlap with a surface was tested
    // (by the backend gl: occlusion queries)
    size_t tested;
    uint32_t new_pairs;  // active: how many pairs were started in this ask
    // regions: pairs of regions that were opened, by the level of the smaller one (deeper ones count for the last); none where the
    // lists of the last ask still hold. And pairs of leaves whose elements were compared; by the paper's rule: that collide.
    size_t regions_opened[SNAG_REGION_LEVELS], region_contacts;
    const struct snag_lab_results *lab;  // snag/lab.h. Never NULL
} snag_statistics;

// The sphere tree that `spheres` keeps of a body.
typedef struct snag_tree_info {
    size_t level_count;  // branchings below the root: 0 if the tree is its root alone
    size_t node_count;  // spheres, the root's too; 0 if nobody has asked yet
    size_t bytes;  // resident
    uint64_t levels_made;  // since the tree began
    uint64_t triangles_read;  // to make them
    uint64_t blocks_read;  // of a source: how often a block was read
} snag_tree_info;

// SNAG_ERROR_ARGUMENT for NULL, SNAG_ERROR_BODY, SNAG_ERROR_BUSY during another call of the world; keeps no message.
SNAG_API snag_status snag_world_tree(const snag_world *world, snag_body_id body, snag_tree_info *info);

#ifdef __cplusplus
}
#endif

#endif
