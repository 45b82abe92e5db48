// The papers' experiments: their own rules where snag's differ, hierarchies without the narrow phase, drawings. Not needed to find
// contacts. A lab is attached to the options of a method (snag/methods.h) and borrowed for the ask:
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
    SNAG_REGULARITY_CERTIFIED = 0,  // skipped if their projected contour proves that they have no contacts
    SNAG_REGULARITY_PAPER = 1,  // skipped without that proof, as in the paper: contacts may be missing
    SNAG_REGULARITY_CLASSICAL = 2,  // searched like all others: only the hierarchy of boxes, for comparison
    SNAG_REGULARITY_MODE_COUNT
} snag_regularity_mode;

// Which regions `regions` opens.
typedef enum snag_regions_rule {
    SNAG_REGIONS_EXACT = 0,  // those whose bounds can contain the closest features: nothing is missed
    // `distance` only: those whose middle vertices are nearer than the epsilon of their level, as in the paper. The answer lists
    // pairs of bodies that collide, which may be too few or too many, and the closest features of the opened regions.
    SNAG_REGIONS_PAPER = 1,
    SNAG_REGIONS_RULE_COUNT
} snag_regions_rule;

// How `spheres` decides by occlusion queries whether a surface meets a part of its body's box.
typedef enum snag_spheres_rule {
    SNAG_SPHERES_COMPLETE = 0,  // nothing that touches a part is missed
    // Algorithm 1 as printed, backend gl only: the whole surface is drawn as it is, seen along x, y and z in turn until a view shows
    // something. What is thinner than a pixel, or seen edge-on, may be missed, and contacts with it: the answer is not complete.
    SNAG_SPHERES_PAPER = 1,
    SNAG_SPHERES_RULE_COUNT
} snag_spheres_rule;

// A field for another method than the one asked is refused with SNAG_ERROR_UNSUPPORTED, a value out of range with
// SNAG_ERROR_ARGUMENT.
typedef struct snag_lab {
    uint32_t cookie;  // set by snag_default_lab; any other value is refused
    snag_regularity_mode regularity;
    snag_regions_rule regions;
    // regions, paper: the epsilons of levels 1, 2, ..., lengths, none larger than the one before. The last is for vertices, the
    // paper's last level: vertices nearer than that collide. Regions at that level or deeper are always opened, and two of different
    // levels by the mean of their epsilons. With epsilon_count 0 the epsilons follow from the radii of the regions, and vertices
    // nearer than `vertex_distance` collide.
    double epsilon[SNAG_REGION_LEVELS];
    uint32_t epsilon_count;
    double vertex_distance;
    bool lines;  // regions: list the lines of the hierarchy in snag_lab_results
    bool pure;  // active: start pairs anywhere on the meshes, without a tree
    // kdop, active, spheres: stop before the narrow phase. The answer has no contacts; `candidates` of its statistics says how many
    // pairs of elements (overlaps: of leaves) the hierarchy leaves. Not for distance.
    bool candidates;
    snag_spheres_rule spheres;
    bool trees;  // spheres: list the spheres of all trees in snag_lab_results
    bool visits;  // regularity: list which patch of each triangle was looked at
    // regularity: answer by it alone. Without this, and for the certified mode, `kdop` answers where the surfaces are not smooth enough,
    // though regularity is named. Implied by `visits`.
    bool forced;
} snag_lab;

// Nothing is recorded or forced.
SNAG_API snag_lab snag_default_lab(void);

// A line between the middle vertices of two regions that `regions` has opened.
typedef struct snag_region_line {
    snag_body_id body_a, body_b;
    uint32_t level;  // of the smaller region; 0: the whole body
    double from[3], to[3];
} snag_region_line;

// A sphere of the tree of a body.
typedef struct snag_tree_sphere {
    snag_body_id body;
    uint32_t depth;  // 0: the root
    bool leaf;  // the tree has no level below it
    double centre[3], radius;
} snag_tree_sphere;

// A triangle, and the smallest patch that holds it among those that the search of `regularity` looked at.
typedef struct snag_patch_visit {
    snag_body_id body;
    uint32_t triangle;
    uint32_t level;  // of the patch; 0: the whole surface
    uint32_t patch;  // its number in the body's hierarchy: triangles of one patch have the same
} snag_patch_visit;

// Owned by the world and valid as long as the answer.
typedef struct snag_lab_results {
    // regions, paper: the longest epsilon of levels 1, 2, ... of any two bodies, as given or from the radii; 0 if regions of a level
    // are always opened, or if there are none.
    double epsilon[SNAG_REGION_LEVELS];
    const snag_region_line *lines;  // regions, with `lines`
    size_t line_count;
    // spheres, with `trees`: body by body in the order of their ids, parents before their children, children by octant.
    const snag_tree_sphere *spheres;
    size_t sphere_count;
    // regularity, with `visits`: all triangles, body by body in the order of their ids. None if another method answered.
    const snag_patch_visit *visits;
    size_t visit_count;
} snag_lab_results;

#ifdef __cplusplus
}
#endif

#endif
