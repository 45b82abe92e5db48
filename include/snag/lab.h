// What repeats experiments of the papers: their own rules where snag's differ, hierarchies without the narrow phase, drawings.
// Nobody needs it to find contacts. It is attached to the options of a method (snag/methods.h):
//
//     snag_lab lab = snag_default_lab();
//     lab.regularity = SNAG_REGULARITY_PAPER;
//     snag_regularity_options options = snag_default_regularity_options();
//     options.head.lab = &lab;
#ifndef SNAG_LAB_H
#define SNAG_LAB_H

#include "snag/methods.h"

#ifdef __cplusplus
extern "C" {
#endif

// How `regularity` treats patches of a surface that all face one direction.
typedef enum snag_regularity_mode {
    SNAG_REGULARITY_CERTIFIED = 0,  // left out where their projected contour proves that nothing is missed
    SNAG_REGULARITY_PAPER = 1,  // left out without that proof, as in the paper: contacts may be missing
    SNAG_REGULARITY_CLASSICAL = 2,  // searched like all others: the hierarchy of boxes alone, to compare with
    SNAG_REGULARITY_MODE_COUNT
} snag_regularity_mode;

// Which regions `regions` opens.
typedef enum snag_regions_rule {
    SNAG_REGIONS_EXACT = 0,  // those whose bounds can hold what is closest: nothing is missed
    // `distance` only: those whose middle vertices are nearer than the epsilon of their level, as in the paper. The answer
    // lists pairs of bodies that collide, which may be too few or too many, and what is closest of the regions looked at.
    SNAG_REGIONS_PAPER = 1,
    SNAG_REGIONS_RULE_COUNT
} snag_regions_rule;

// A field that is set for another method than the one asked is refused with SNAG_ERROR_UNSUPPORTED.
typedef struct snag_lab {
    uint32_t cookie;  // set by snag_default_lab; any other value is refused
    snag_regularity_mode regularity;
    snag_regions_rule regions;
    // regions, paper: the epsilons of levels 1, 2, ..., none larger than the one before. The last is for vertices, the paper's
    // last level: those nearer than that collide. Regions that deep or deeper are opened untested, and two of different levels
    // by the mean of their epsilons. With none (count 0) they follow from the radii of the regions, and vertices nearer than
    // `vertex_distance` collide.
    double epsilon[SNAG_REGION_LEVELS];
    uint32_t epsilon_count;
    double vertex_distance;
    bool lines;  // regions: list the lines of the hierarchy
    bool pure;  // active: start pairs anywhere on the meshes, without a tree
    // kdop, active, spheres: end before the narrow phase. The answer has no contacts; `candidates` of its statistics says how many
    // pairs of elements (overlaps: of leaves) the hierarchy leaves: to measure it alone, or to see how tight it is. Not for distance.
    bool candidates;
} snag_lab;

SNAG_API snag_lab snag_default_lab(void);

// A line between the middle vertices of two regions that `regions` has looked into.
typedef struct snag_region_line {
    snag_body_id body_a, body_b;
    uint32_t level;  // of the smaller region; 0: the whole body
    double from[3], to[3];
} snag_region_line;

// Owned by the world, with the answer.
typedef struct snag_lab_results {
    // regions, paper: the longest epsilon of levels 1, 2, ... of any two bodies, as given or as it follows from the radii; 0
    // where regions of a level are opened untested, or where there are none.
    double epsilon[SNAG_REGION_LEVELS];
    const snag_region_line *lines;  // regions, with `lines`
    size_t line_count;
} snag_lab_results;

#ifdef __cplusplus
}
#endif

#endif
